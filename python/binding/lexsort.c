/* lexsort.c - the positions that sort rows by several columns. */
/* SPDX-License-Identifier: MIT */
#include "python/binding/binding.h"

enum { MOST = 16 }; /* columns */

/* ---- columns of integers as one number ---- */

/* A column within the number that stands for a row: value - least, or greatest - value where the
 * order descends, from bit `shift` on. */
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

typedef void (*pack_function)(const column *, size_t, size_t, bool, uint64_t *);
static pack_function const packs[] = {pack_uint8_t, pack_uint16_t, pack_uint32_t, pack_uint64_t,
                                      pack_int8_t,  pack_int16_t,  pack_int32_t,  pack_int64_t};

static unsigned bits_of(uint64_t v)
{
    unsigned bits = 0;
    for (; v != 0; v >>= 1) {
        bits++;
    }
    return bits;
}

/* Finds the place of every column; false where they are no integers, or have no room beside the
 * row's position, or the call failed. */
static bool fit(usp_call *c, const usp_view *keys, Py_ssize_t given, bool down, column *columns)
{
    unsigned used = bits_of(keys->n - 1);
    for (Py_ssize_t i = 0; i < given; i++) {
        const usp_view *k = &keys[i];
        uint64_t ends[2];
        if (k->type < UPSWEEP_U8 || k->type > UPSWEEP_I64 || !usp_ends(c, k, ends)) {
            return false;
        }
        columns[i] = (column){k, ends[down], used < 64 ? used : 0}; /* one value takes no bits */
        used += bits_of(ends[1] - ends[0]);
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

/* Sorts by the keys in turn; false: there is no memory, and an exception is set. */
static bool sort_in_turn(usp_call *c, const usp_view *keys, Py_ssize_t given, void *index)
{
    npy_intp bytes = given == 1 ? 0 : 8 * (npy_intp)keys->n;
    PyObject *room = PyArray_SimpleNew(1, &bytes, NPY_UINT8);
    if (room == NULL) {
        return false;
    }
    void *at = PyArray_DATA((PyArrayObject *)room);
    usp_release(c);
    sort_by_keys(c, keys, given, at, index);
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
    if (!packs_them && c.status == UPSWEEP_OK && !sort_in_turn(&c, keys, given, to)) {
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
