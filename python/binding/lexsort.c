/* lexsort.c - the positions that sort rows by several columns. */
/* SPDX-License-Identifier: MIT */
#include "python/binding/columns.h"

#include <stdlib.h>

enum {
    MOST = 16, /* columns */
    /* Rows of which positions are sorted faster than numbers with positions in them: from, to. */
    FEW_FROM = 200,
    FEW = 1500,
    TWICE = 8 /* one in so many of them may have the number of another */
};

/* ---- rows as numbers ---- */

/* Rows as numbers, with their positions in the lowest bits, sorted. */
static void sort_packed(usp_call *c, const column *columns, Py_ssize_t given, bool down, size_t n,
                        uint64_t *rows)
{
    enum { BLOCK = 2048 }; /* rows whose numbers stay in the first cache */
    for (size_t begin = 0; begin < n; begin += BLOCK) {
        const size_t end = n - begin < BLOCK ? n : begin + BLOCK;
        for (size_t i = begin; i < end; i++) {
            rows[i] = i;
        }
        pack_rows(columns, given, begin, end, down, rows);
    }
    c->status = upsweep_sort(c->u, rows, n, UPSWEEP_U64, NULL);
}

/* Leaves the positions of sorted rows. */
static void leave_positions(uint64_t *rows, size_t n)
{
    const uint64_t mask = ((uint64_t)1 << bits_of(n - 1)) - 1;
    for (size_t i = 0; i < n; i++) {
        rows[i] &= mask;
    }
}

/* ---- columns of any numbers, one after another ---- */

/* Sorts positions by one key after another, the last the most important. room: for n keys. */
static void sort_by_keys(usp_call *c, const usp_view *keys, Py_ssize_t given, void *room,
                         void *index)
{
    size_t n = keys->n;
    c->status = upsweep_argsort(c->u, keys->data, n, keys->type, index, 64, &c->options);
    for (Py_ssize_t i = 1; i < given && c->status == UPSWEEP_OK; i++) {
        const usp_view *k = &keys[i];
        c->status = upsweep_gather(c->u, k->data, n, index, 64, room, n, k->bytes, NULL);
        if (c->status == UPSWEEP_OK) {
            c->status = upsweep_sort_pairs(c->u, room, index, n, k->type, 8, &c->options);
        }
    }
}

/* ---- rows whose numbers have lost bits, and then those that are equal in the others ---- */

/* Whether many of 64 rows' numbers come twice, so that most rows would be looked at again. */
static bool repeats(const column *columns, Py_ssize_t given, bool down, size_t n, uint64_t *rows)
{
    enum { LOOKS = 64, SOME = 8, BITS = 12 };
    uint64_t seen[(1 << BITS) / 64] = {0};
    unsigned twice = 0;
    for (size_t l = 0; l < LOOKS && n >= LOOKS; l++) {
        const size_t i = n / LOOKS * l;
        rows[i] = 0;
        pack_rows(columns, given, i, i + 1, down, rows);
        const uint64_t at = rows[i] * UINT64_C(0x9e3779b97f4a7c15) >> (64 - BITS);
        twice += (unsigned)(seen[at / 64] >> at % 64 & 1);
        seen[at / 64] |= UINT64_C(1) << at % 64;
    }
    return twice >= SOME;
}

/* Rows that are equal to a neighbour in their number, but not in the keys that have lost bits:
 * where they are, which ones, and a number of each run that sorts as the rows' does. */
typedef struct ties {
    size_t n, runs;
    uint64_t *place, *row, *run;
    bool cut; /* some differ in the last of these keys */
} ties;

/* Where the run of sorted rows that are equal above the bits of mask ends. */
static size_t run_end(const uint64_t *rows, size_t begin, size_t n, uint64_t mask)
{
    size_t end = begin + 1;
    while (end < n && (rows[end] ^ rows[begin]) <= mask) {
        end++;
    }
    return end;
}

/* How many rows are in runs of more than one. */
static size_t count_ties(const uint64_t *rows, size_t n, uint64_t mask)
{
    size_t tied = 0;
    for (size_t i = 1; i < n; i++) {
        tied += (rows[i] ^ rows[i - 1]) <= mask;
    }
    return 2 * tied;
}

static uint64_t bits_at(const usp_view *k, size_t i)
{
    switch (k->bytes) {
    case 1: return ((const uint8_t *)(const void *)k->data)[i];
    case 2: return ((const uint16_t *)(const void *)k->data)[i];
    case 4: return ((const uint32_t *)(const void *)k->data)[i];
    default: return ((const uint64_t *)(const void *)k->data)[i];
    }
}

static bool differs(const usp_view *k, const uint64_t *rows, size_t n, uint64_t mask)
{
    const uint64_t first = bits_at(k, (size_t)(rows[0] & mask));
    bool found = false;
    for (size_t i = 1; i < n && !found; i++) {
        found = bits_at(k, (size_t)(rows[i] & mask)) != first;
    }
    return found;
}

static void find_ties(const usp_view *keys, Py_ssize_t given, const uint64_t *rows, uint64_t mask,
                      ties *t)
{
    t->n = t->runs = 0;
    for (size_t i = 0, end; i < keys->n; i = end) {
        end = run_end(rows, i, keys->n, mask);
        bool apart = end - i > 1 && given > 1; /* keys without any bits differ as a rule */
        if (end - i > 1 && !(apart && t->cut)) {
            const bool here = differs(&keys[given - 1], rows + i, end - i, mask);
            t->cut |= here;
            apart |= here;
        }
        t->runs += apart;
        for (size_t j = i; j < end && apart; j++) {
            t->place[t->n] = j;
            t->row[t->n] = rows[j] & mask;
            t->run[t->n++] = t->runs;
        }
    }
}

/* Sorts the tied rows by their run and the keys, gathered to `room`, and puts them in place. */
static void sort_ties(usp_call *c, const usp_view *keys, Py_ssize_t given, const ties *t,
                      char *room, uint64_t *index)
{
    usp_view some[MOST + 1];
    column columns[MOST + 1];
    const bool down = (c->options.flags & UPSWEEP_DESCENDING) != 0;
    uint64_t *order = (void *)room;
    char *at = room + 16 * t->n;
    for (Py_ssize_t k = 0; k < given && c->status == UPSWEEP_OK; k++, at += 8 * t->n) {
        some[k] = (usp_view){at, t->n, keys[k].bytes, keys[k].type, -1};
        c->status = upsweep_gather(c->u, keys[k].data, keys[k].n, t->row, 64, at, t->n,
                                   keys[k].bytes, NULL);
    }
    for (size_t i = 0; i < t->n && down; i++) {
        t->run[i] = t->runs - t->run[i];
    }
    some[given] = (usp_view){(void *)t->run, t->n, 8, UPSWEEP_U64, -1};
    const bool all =
        c->status == UPSWEEP_OK && fit(c, some, given + 1, down, bits_of(t->n - 1), columns) == 0;
    if (all) {
        sort_packed(c, columns, given + 1, down, t->n, order);
        leave_positions(order, t->n);
    } else if (c->status == UPSWEEP_OK) {
        sort_by_keys(c, some, given + 1, order + t->n, order);
    }
    for (size_t i = 0; i < t->n && c->status == UPSWEEP_OK; i++) {
        index[t->place[i]] = t->row[order[i]];
    }
}

/* Makes positions of sorted rows, of which those that are equal are sorted by the given keys. */
static void settle(usp_call *c, const usp_view *keys, Py_ssize_t given, uint64_t *rows)
{
    const size_t n = keys->n;
    const uint64_t mask = ((uint64_t)1 << bits_of(n - 1)) - 1;
    const size_t tied = given == 0 ? 0 : count_ties(rows, n, mask);
    if (tied == 0) {
        leave_positions(rows, n);
        return;
    }
    ties t = {tied, 0, NULL, NULL, NULL, false};
    uint64_t *more =
        tied > SIZE_MAX / 8 / (MOST + 6) ? NULL : malloc(8 * tied * (size_t)(given + 5));
    if (more == NULL) {
        c->status = UPSWEEP_ERROR_MEMORY;
        return;
    }
    t.place = more;
    t.row = more + tied;
    t.run = more + 2 * tied;
    find_ties(keys, given, rows, mask, &t);
    leave_positions(rows, n);
    if (t.n != 0) {
        sort_ties(c, keys, t.cut ? given : given - 1, &t, (char *)(more + 3 * tied), rows);
    }
    free(more);
}

/* ---- the call ---- */

/* Few rows, whose positions are sorted faster than numbers with positions in them. False, with
 * nothing done: no memory, a failed call, or many numbers that have lost bits and come twice. */
static bool sort_few(usp_call *c, const usp_view *keys, Py_ssize_t given, uint64_t *rows)
{
    column columns[MOST];
    const bool down = (c->options.flags & UPSWEEP_DESCENDING) != 0;
    const size_t n = keys->n, bits = bits_of(n - 1);
    const usp_view *last_key = &keys[given - 1];
    Py_ssize_t lost = fit(c, keys, given, down, 0, columns);
    uint64_t *made = NULL;
    const uint64_t *numbers = NULL;
    if (lost == given - 1 && last_key->bytes == 8 && columns[lost].shift == 0 &&
        columns[lost].scale == 0) { /* the last key alone, with all of its bits: it needs no copy */
        numbers = (const void *)last_key->data;
        c->status = upsweep_argsort(c->u, numbers, n, last_key->type, rows, 64, &c->options);
    } else if (lost >= 0) {
        numbers = made = calloc(n, sizeof *made);
        lost = made == NULL ? -1 : lost;
    }
    if (made != NULL) {
        pack_rows(columns, given, 0, n, down, made);
        c->status = upsweep_argsort(c->u, made, n, UPSWEEP_U64, rows, 64, NULL);
    }
    size_t twice = 0;
    const bool looks = lost > 0 && c->status == UPSWEEP_OK;
    uint64_t last = looks ? numbers[rows[0]] : 0;
    for (size_t i = 1; i < n && looks; i++) {
        const uint64_t number = numbers[rows[i]];
        twice += number == last;
        last = number;
    }
    uint64_t run = 0, row = 0;
    for (size_t i = 0; twice != 0 && i < n; i++) { /* sorted numbers that have positions below */
        const uint64_t before = row;
        row = rows[i];
        run += i > 0 && numbers[row] != numbers[before];
        rows[i] = run << bits | row;
    }
    free(made);
    if (lost < 0 || c->status != UPSWEEP_OK || twice > n / TWICE) {
        return false;
    }
    if (twice != 0) {
        settle(c, keys, lost, rows);
    }
    return true;
}

/* Sorts rows as numbers; false, with nothing done, where another way is faster or a call failed. */
static bool sort_as_numbers(usp_call *c, const usp_view *keys, Py_ssize_t given, uint64_t *rows)
{
    column columns[MOST];
    const bool down = (c->options.flags & UPSWEEP_DESCENDING) != 0;
    const size_t n = keys->n;
    const bool fits = given > 1 && n > 1;
    if (fits && n >= FEW_FROM && n <= FEW) {
        return sort_few(c, keys, given, rows);
    }
    const Py_ssize_t lost = fits ? fit(c, keys, given, down, bits_of(n - 1), columns) : -1;
    if (lost < 0 || (lost > 0 && repeats(columns, given, down, n, rows))) {
        return false;
    }
    sort_packed(c, columns, given, down, n, rows);
    if (c->status == UPSWEEP_OK) {
        settle(c, keys, lost, rows);
    }
    return true;
}

/* Sorts by the keys one after another; false: there is no memory, and an exception is set. */
static bool sort_apart(usp_call *c, const usp_view *keys, Py_ssize_t given, void *index)
{
    npy_intp bytes = given == 1 ? 0 : 8 * (npy_intp)keys->n;
    PyObject *room = PyArray_SimpleNew(1, &bytes, NPY_UINT8);
    if (room == NULL) {
        return false;
    }
    void *at = PyArray_DATA((PyArrayObject *)room);
    USP_RUN(*c, (sort_by_keys(c, keys, given, at, index), c->status));
    Py_DECREF(room);
    return true;
}

/* (keys, flags): the positions that sort a tuple of plain arrays of one length; else None. */
static PyObject *fast_lexsort(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    usp_call c;
    usp_view keys[MOST];
    Py_ssize_t given = count == 2 && PyTuple_Check(args[0]) ? PyTuple_Size(args[0]) : 0;
    for (Py_ssize_t i = 0; i < given && given <= MOST; i++) {
        if (!usp_plain(PyTuple_GetItem(args[0], i), &keys[i]) || keys[i].n != keys[0].n) {
            given = 0;
        }
    }
    if (given < 1 || given > MOST) {
        Py_RETURN_NONE;
    }
    npy_intp n = (npy_intp)keys[0].n;
    if (!usp_begin(&c, args + 1, 1, "f")) {
        return NULL;
    }
    PyObject *index = PyArray_SimpleNew(1, &n, NPY_INTP);
    if (index == NULL) {
        return NULL;
    }
    void *to = PyArray_DATA((PyArrayObject *)index);
    c.longest = keys[0].n;
    usp_release(&c);
    const bool done = sort_as_numbers(&c, keys, given, to);
    usp_retake(&c);
    if (!done && c.status == UPSWEEP_OK && !sort_apart(&c, keys, given, to)) {
        Py_DECREF(index);
        return NULL;
    }
    return usp_done(&c, index);
}

PyMethodDef usp_lexsort[] = {
    USP_METHOD("fast_lexsort", fast_lexsort,
               "(keys, flags): of a tuple of plain arrays, else None"),
    USP_END,
};
