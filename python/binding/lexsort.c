/* lexsort.c - the positions that sort rows by several columns. */
/* SPDX-License-Identifier: MIT */
#include "python/binding/binding.h"

#include <stdlib.h>

enum { MOST = 16 }; /* columns */

/* ---- columns as one number ---- */

/* A column within the number that stands for a row: value - least, or greatest - value where the
 * order descends, from bit `shift` on; floats by all of their bits. */
typedef struct column {
    const usp_view *from;
    uint64_t base;
    unsigned shift;
} column;

#define PACK(TYPE)                                                                                 \
    static void pack_##TYPE(const column *c, size_t begin, size_t end, bool down, uint64_t *rows)  \
    {                                                                                              \
        const TYPE *x = (const void *)c->from->data;                                               \
        for (size_t i = begin; i < end; i++) {                                                     \
            const uint64_t value = (uint64_t)x[i];                                                 \
            rows[i] += (down ? c->base - value : value - c->base) << c->shift;                     \
        }                                                                                          \
    }
PACK(uint8_t)
PACK(uint16_t)
PACK(uint32_t)
PACK(uint64_t)
PACK(int8_t)
PACK(int16_t)
PACK(int32_t)
PACK(int64_t)

/* Floats by an order of unsigned numbers that is the library's: NaNs last, by their bits. */
#define PACK_FLOAT(name, T, MANTISSA)                                                              \
    static void pack_##name(const column *c, size_t begin, size_t end, bool down, uint64_t *rows)  \
    {                                                                                              \
        const T *x = (const void *)c->from->data;                                                  \
        const T all = (T) ~(T)0, sign = (T)(all ^ (all >> 1)), nans = (T)(((T)1 << MANTISSA) - 1); \
        const T turned = (T)(down ? all ^ sign : sign);                                            \
        for (size_t i = begin; i < end; i++) {                                                     \
            const T positive = (T)((x[i] & sign) != 0 ? x[i] ^ (all ^ sign) : x[i]);               \
            rows[i] += (uint64_t)(T)((positive ^ turned) - nans) << c->shift;                      \
        }                                                                                          \
    }
PACK_FLOAT(f16, uint16_t, 10)
PACK_FLOAT(bf16, uint16_t, 7)
PACK_FLOAT(f32, uint32_t, 23)

typedef void (*pack_function)(const column *, size_t, size_t, bool, uint64_t *);
static pack_function const packs[] = {pack_uint8_t, pack_uint16_t, pack_uint32_t, pack_uint64_t,
                                      pack_int8_t,  pack_int16_t,  pack_int32_t,  pack_int64_t,
                                      pack_f16,     pack_bf16,     pack_f32};

static unsigned bits_of(uint64_t v)
{
    unsigned bits = 0;
    for (; v != 0; v >>= 1) {
        bits++;
    }
    return bits;
}

/* Finds the place of every column; false where they have no room beside the row's position, or the
 * call failed. */
static bool fit(usp_call *c, const usp_view *keys, Py_ssize_t given, bool down, column *columns)
{
    unsigned used = bits_of(keys->n - 1), of_floats = 0;
    for (Py_ssize_t i = 0; i < given; i++) {
        of_floats += keys[i].type >= UPSWEEP_F16 ? 8 * (unsigned)keys[i].bytes : 0;
    }
    if (used + of_floats > 64) {
        return false;
    }
    for (Py_ssize_t i = 0; i < given; i++) {
        const usp_view *k = &keys[i];
        uint64_t ends[2] = {0, UINT64_MAX};
        const bool is_float = k->type >= UPSWEEP_F16;
        if (!is_float && !usp_ends(c, k, ends)) {
            return false;
        }
        columns[i] = (column){k, ends[down], used < 64 ? used : 0}; /* one value takes no bits */
        used += is_float ? 8 * (unsigned)k->bytes : bits_of(ends[1] - ends[0]);
        if (used > 64) {
            return false;
        }
    }
    return true;
}

/* Rows as numbers, with their positions in the lowest bits, sorted; then the positions are left. */
static void sort_packed(usp_call *c, const column *columns, Py_ssize_t given, bool down, size_t n,
                        uint64_t *rows)
{
    enum { BLOCK = 2048 }; /* rows whose numbers stay in the first cache */
    for (size_t begin = 0; begin < n; begin += BLOCK) {
        const size_t end = n - begin < BLOCK ? n : begin + BLOCK;
        for (size_t i = begin; i < end; i++) {
            rows[i] = i;
        }
        for (Py_ssize_t k = 0; k < given; k++) {
            packs[columns[k].from->type - UPSWEEP_U8](&columns[k], begin, end, down, rows);
        }
    }
    c->status = upsweep_sort(c->u, rows, n, UPSWEEP_U64, NULL);
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

/* ---- by the most important key, and then where rows are equal in it ---- */

static uint64_t bits_at(const usp_view *k, size_t i)
{
    switch (k->bytes) {
    case 1: return ((const uint8_t *)(const void *)k->data)[i];
    case 2: return ((const uint16_t *)(const void *)k->data)[i];
    case 4: return ((const uint32_t *)(const void *)k->data)[i];
    default: return ((const uint64_t *)(const void *)k->data)[i];
    }
}

/* Whether many of 64 keys come twice, so that most rows would have to be sorted again. */
static bool repeats(const usp_view *k)
{
    enum { LOOKS = 64, FEW = 8, BITS = 12 };
    uint64_t seen[(1 << BITS) / 64] = {0};
    unsigned twice = 0;
    for (size_t i = 0; i < LOOKS && k->n >= LOOKS; i++) {
        const uint64_t at =
            bits_at(k, k->n / LOOKS * i) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - BITS);
        twice += (unsigned)(seen[at / 64] >> at % 64 & 1);
        seen[at / 64] |= UINT64_C(1) << at % 64;
    }
    return twice >= FEW;
}

/* Rows that are equal to a neighbour in a sorted key: where they are, which ones, and a number of
 * each run that sorts as the key does. */
typedef struct ties {
    size_t n, runs;
    uint64_t *place, *row, *run;
} ties;

static size_t count_ties(const usp_view *sorted)
{
    size_t n = 0;
    bool before = false;
    for (size_t i = 0; i < sorted->n; i++) {
        const bool after = i + 1 < sorted->n && bits_at(sorted, i) == bits_at(sorted, i + 1);
        n += before || after;
        before = after;
    }
    return n;
}

static void find_ties(const usp_view *sorted, const uint64_t *index, ties *t)
{
    size_t found = 0;
    bool before = false;
    t->runs = 0;
    for (size_t i = 0; i < sorted->n; i++) {
        const bool after = i + 1 < sorted->n && bits_at(sorted, i) == bits_at(sorted, i + 1);
        if (before || after) {
            t->runs += !before;
            t->place[found] = i;
            t->row[found] = index[i];
            t->run[found++] = t->runs;
        }
        before = after;
    }
}

/* Sorts the tied rows by their run and the other keys, gathered to `room`, and puts them to their
 * places. */
static void sort_ties(usp_call *c, const usp_view *keys, Py_ssize_t given, const ties *t,
                      char *room, uint64_t *index)
{
    usp_view some[MOST];
    column columns[MOST];
    const bool down = (c->options.flags & UPSWEEP_DESCENDING) != 0;
    uint64_t *order = (void *)room;
    char *at = room + 16 * t->n;
    for (Py_ssize_t k = 0; k < given - 1 && c->status == UPSWEEP_OK; k++, at += 8 * t->n) {
        some[k] = (usp_view){at, t->n, keys[k].bytes, keys[k].type, -1};
        c->status = upsweep_gather(c->u, keys[k].data, keys[k].n, t->row, 64, at, t->n,
                                   keys[k].bytes, NULL);
    }
    for (size_t i = 0; i < t->n && down; i++) {
        t->run[i] = t->runs - t->run[i];
    }
    some[given - 1] = (usp_view){(void *)t->run, t->n, 8, UPSWEEP_U64, -1};
    if (c->status == UPSWEEP_OK && fit(c, some, given, down, columns)) {
        sort_packed(c, columns, given, down, t->n, order);
    } else if (c->status == UPSWEEP_OK) {
        sort_by_keys(c, some, given, order + t->n, order);
    }
    for (size_t i = 0; i < t->n && c->status == UPSWEEP_OK; i++) {
        index[t->place[i]] = t->row[order[i]];
    }
}

/* room: for n keys. */
static void sort_by_last(usp_call *c, const usp_view *keys, Py_ssize_t given, void *room,
                         uint64_t *index)
{
    const usp_view *last = &keys[given - 1];
    const usp_view sorted = {room, last->n, last->bytes, last->type, -1};
    c->status =
        upsweep_sort_copy(c->u, last->data, last->n, last->type, room, index, 64, &c->options);
    ties t = {c->status == UPSWEEP_OK ? count_ties(&sorted) : 0, 0, NULL, NULL, NULL};
    if (t.n == 0) {
        return;
    }
    uint64_t *more = t.n > SIZE_MAX / 8 / (MOST + 5) ? NULL : malloc(8 * t.n * (size_t)(given + 4));
    if (more == NULL) {
        c->status = UPSWEEP_ERROR_MEMORY;
        return;
    }
    t.place = more;
    t.row = more + t.n;
    t.run = more + 2 * t.n;
    find_ties(&sorted, index, &t);
    sort_ties(c, keys, given, &t, (char *)(more + 3 * t.n), index);
    free(more);
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
    usp_release(c);
    if (given > 1 && !repeats(&keys[given - 1])) {
        sort_by_last(c, keys, given, at, index);
    } else {
        sort_by_keys(c, keys, given, at, index);
    }
    usp_retake(c);
    Py_DECREF(room);
    return true;
}

/* (keys, flags): the positions that sort a tuple of plain arrays of one length; else None. */
static PyObject *fast_lexsort(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    usp_call c;
    usp_view keys[MOST];
    column columns[MOST];
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
    const bool down = (c.options.flags & UPSWEEP_DESCENDING) != 0;
    c.longest = keys[0].n;
    usp_release(&c);
    const bool packs_them = given > 1 && n > 1 && fit(&c, keys, given, down, columns);
    if (packs_them) {
        sort_packed(&c, columns, given, down, keys[0].n, to);
    }
    usp_retake(&c);
    if (!packs_them && c.status == UPSWEEP_OK && !sort_apart(&c, keys, given, to)) {
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
