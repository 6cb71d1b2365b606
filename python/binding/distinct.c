/* distinct.c - the different keys of an array of 64-bit keys, so that unique sorts only these.
 *
 * A hash table of keys, by their bits, with open addressing; the keys are listed in the order in
 * which they come first. Free places hold the first key, which is in the list before any other. The
 * table grows with the list, and whenever it does the repetitions so far tell how many keys are
 * likely to come. Where they are many, where keys seem to be in order, or where too many meet in
 * the table, it is better to sort all keys. */
/* SPDX-License-Identifier: MIT */
#include "python/binding/binding.h"

#include <math.h>
#include <stdlib.h>

enum {
    FROM = 500,     /* keys: of fewer the sort is as fast */
    TO = 1 << 20,   /* keys: more are sorted by many threads */
    PART = 8,       /* one in so many keys may be a new one, */
    MOST = 1 << 15, /* and so many may be: more leave the second cache */
    IN_ORDER = 32   /* keys that are looked at */
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many keys the list has room for: once it is full, all n keys are better sorted. */
static size_t most_of(size_t n)
{
    return least(n / PART, MOST);
}

/* Whether n keys with so many different ones among the first `seen` have few in all: of D values
 * drawn at random so many leave D (1 - e^(-seen / D)). A few more may be new, by chance. */
static bool few_of(size_t n, size_t seen, size_t different)
{
    const double most = (double)most_of(n), chance = 4;
    return different < most_of(n) &&
           (double)different <= chance - most * expm1(-(double)seen / most);
}

/* The bits of a power of two from 2 sqrt(n) on. With so many different keys the first look is taken
 * at how many are likely to come: of n / PART values 16 are repeated then. */
static unsigned first_look(size_t n)
{
    unsigned bits = 5;
    while ((size_t)1 << 2 * bits < 4 * n) {
        bits++;
    }
    return bits;
}

static bool in_order(const uint64_t *keys)
{
    size_t rises = 0, falls = 0;
    for (size_t i = 1; i < IN_ORDER; i++) {
        rises += keys[i - 1] < keys[i];
        falls += keys[i - 1] > keys[i];
    }
    return rises == 0 || falls == 0;
}

/* Where a key should be: the upper bits of a product. */
static inline size_t place_of(uint64_t key, unsigned bits)
{
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits));
}

/* A new table with the listed keys, in the place of `old`; NULL: there is no memory. */
static uint64_t *make_table(const uint64_t *list, size_t different, unsigned bits, uint64_t *old)
{
    const size_t places = (size_t)1 << bits;
    free(old);
    uint64_t *table = malloc(places * sizeof *table);
    for (size_t i = 0; table != NULL && i < places; i++) {
        table[i] = list[0];
    }
    for (size_t i = 1; table != NULL && i < different; i++) {
        size_t at = place_of(list[i], bits);
        while (table[at] != list[0]) {
            at = (at + 1) & (places - 1);
        }
        table[at] = list[i];
    }
    return table;
}

/* Lists the different keys, and returns how many; 0: all keys should be sorted. */
static size_t list_different(const uint64_t *keys, size_t n, uint64_t *list)
{
    unsigned bits = first_look(n) + 2;
    size_t different = 1, met = 0, most = least((size_t)1 << (bits - 2), most_of(n));
    list[0] = keys[0];
    uint64_t *table = in_order(keys) ? NULL : make_table(list, 1, bits, NULL);
    for (size_t i = 1; i < n && table != NULL; i++) {
        const uint64_t key = keys[i];
        size_t at = place_of(key, bits);
        if (table[at] == key) {
            continue;
        }
        for (; table[at] != key && table[at] != list[0]; met++) {
            at = (at + 1) & (((size_t)1 << bits) - 1);
        }
        if (table[at] != key) {
            table[at] = list[different++] = key;
        }
        const bool meets = met > 4 * n;
        if (different < most && !meets) {
            continue;
        }
        if (meets || !few_of(n, i + 1, different)) {
            free(table);
            return 0;
        }
        bits += 2;
        most = least((size_t)1 << (bits - 1), most_of(n));
        table = make_table(list, different, bits, table);
    }
    free(table);
    return table == NULL ? 0 : different;
}

/* (x): the different keys of a plain array of 64 bits a key; None where all should be sorted, of
 * any other array, and where there is no memory for a table. */
static PyObject *few_distinct(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    usp_view x;
    if (count != 1 || !usp_plain(args[0], &x) || x.n < FROM || x.n > TO || x.bytes != 8) {
        Py_RETURN_NONE;
    }
    uint64_t *list = malloc(most_of(x.n) * sizeof *list);
    usp_call c = {NULL, -1, x.n, NULL, UPSWEEP_OK, UPSWEEP_OPTIONS_INIT};
    usp_release(&c);
    npy_intp n = list == NULL ? 0 : (npy_intp)list_different((const void *)x.data, x.n, list);
    usp_retake(&c);
    PyObject *made = Py_None;
    if (n == 0) {
        Py_INCREF(made);
    } else {
        made = PyArray_SimpleNew(1, &n, PyArray_TYPE((PyArrayObject *)args[0]));
    }
    if (n != 0 && made != NULL) {
        memcpy(PyArray_DATA((PyArrayObject *)made), list, (size_t)n * sizeof *list);
    }
    free(list);
    return made;
}

PyMethodDef usp_distinct[] = {
    USP_METHOD("few_distinct", few_distinct, "(x): the different keys of a plain array, or None"),
    USP_END,
};
