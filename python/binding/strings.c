/* strings.c - sorts of numpy's strings of any length, StringDType: through numpy's functions for
 * them, as strings of the library, which has the same order, that of their bytes in UTF-8. */
/* SPDX-License-Identifier: MIT */
#define NPY_TARGET_VERSION                                                                         \
    NPY_2_0_API_VERSION /* older ones have no such arrays, and never get here */
#include "python/binding/binding.h"

#include <stdlib.h>

/* Copies of an array's strings, in Arrow's layout. */
typedef struct strings {
    size_t n, given; /* elements, and those of them that are strings: the others are missing */
    const char **at; /* where numpy has them, while its lock is held */
    uint64_t *ends;  /* given + 1 offsets */
    uint64_t *row;   /* the positions of those that are given, then of the missing ones */
    bool apart;      /* some are missing, or NA: rows are not just 0, 1, 2 ... */
    char *bytes;     /* of all, one behind another */
    int64_t *order;  /* which of those that are given comes where */
} strings;

/* Set in the row of an NA that is ordered as a string. It stays an NA. */
#define IS_NA (UINT64_C(1) << 63)

bool usp_is_strings(PyObject *o)
{
    PyArrayObject *a = (PyArrayObject *)o;
    return Py_TYPE(o) == &PyArray_Type && PyArray_TYPE(a) == NPY_VSTRING && PyArray_NDIM(a) == 1 &&
           PyArray_ISALIGNED(a);
}

/* Notes where the strings are and end; false where numpy cannot read one. */
static bool find(PyArrayObject *a, npy_string_allocator *lock, strings *s)
{
    const PyArray_StringDTypeObject *type = (const void *)PyArray_DESCR(a);
    const bool is_text = type->na_object == NULL || type->has_string_na;
    const char *from = PyArray_BYTES(a);
    const npy_intp step = PyArray_STRIDE(a, 0);
    size_t k = 0, last = s->n;
    s->ends[0] = 0;
    for (size_t i = 0; i < s->n; i++, from += step) {
        npy_static_string one = {0, NULL};
        const int is_na = NpyString_load(lock, (const void *)from, &one);
        if (is_na < 0) {
            return false;
        }
        if (is_na && !is_text) {
            s->row[--last] = i;
            continue;
        }
        if (is_na) {
            one = type->default_string;
            s->apart = true;
        }
        s->at[k] = one.buf;
        s->ends[k + 1] = s->ends[k] + one.size;
        s->row[k++] = is_na ? i | IS_NA : i;
    }
    s->given = k;
    s->apart |= k != s->n;
    for (size_t end = s->n; k < end; k++) { /* the missing ones, which stand there backwards */
        const uint64_t row = s->row[--end];
        s->row[end] = s->row[k];
        s->row[k] = row;
    }
    return true;
}

static upsweep_status load(PyArrayObject *a, strings *s)
{
    npy_string_allocator *lock = NpyString_acquire_allocator((const void *)PyArray_DESCR(a));
    bool fine = find(a, lock, s);
    if (fine) {
        s->bytes = malloc(s->ends[s->given] + 1);
        fine = s->bytes != NULL;
    }
    for (size_t i = 0; i < s->given && fine; i++) {
        const size_t size = s->ends[i + 1] - s->ends[i];
        if (size != 0) {
            memcpy(s->bytes + s->ends[i], s->at[i], size);
        }
    }
    NpyString_release_allocator(lock);
    return fine ? UPSWEEP_OK : UPSWEEP_ERROR_MEMORY;
}

/* Writes the strings in their order to a new array. */
static upsweep_status store(PyArrayObject *to, const strings *s)
{
    npy_string_allocator *lock = NpyString_acquire_allocator((const void *)PyArray_DESCR(to));
    char *at = PyArray_BYTES(to);
    const npy_intp step = PyArray_ITEMSIZE(to);
    int failed = 0;
    for (size_t i = 0; i < s->n && failed == 0; i++, at += step) {
        const size_t k = i < s->given ? (size_t)s->order[i] : i;
        failed = k >= s->given || (s->row[k] & IS_NA) != 0
                     ? NpyString_pack_null(lock, (void *)at)
                     : NpyString_pack(lock, (void *)at, s->bytes + s->ends[k],
                                      s->ends[k + 1] - s->ends[k]);
    }
    NpyString_release_allocator(lock);
    return failed == 0 ? UPSWEEP_OK : UPSWEEP_ERROR_MEMORY;
}

/* The results that are wanted; the others are NULL. No call of Python is made while a lock is held,
 * which another thread may wait for that holds the GIL. */
static upsweep_status run(usp_call *c, PyArrayObject *a, strings *s, PyObject *sorted, bool index)
{
    upsweep_status status = load(a, s);
    if (status == UPSWEEP_OK) {
        status = upsweep_argsort_strings(c->u, s->bytes, s->ends, 64, s->given, s->order, 64,
                                         &c->options);
    }
    if (status == UPSWEEP_OK && sorted != NULL) {
        status = store((PyArrayObject *)sorted, s);
    }
    for (size_t i = 0; i < s->n && s->apart && index && status == UPSWEEP_OK; i++) {
        const size_t k = i < s->given ? (size_t)s->order[i] : i;
        s->order[i] = (int64_t)(s->row[k] & ~IS_NA);
    }
    free(s->bytes);
    return status;
}

PyObject *usp_sort_strings(PyObject *x, PyObject *flags, bool wants_sorted, bool wants_index)
{
    usp_call c;
    PyArrayObject *a = (PyArrayObject *)x;
    PyObject *sorted = NULL, *made = NULL;
    if (!usp_arguments(&c, &flags, 1, "f")) {
        return NULL;
    }
    const size_t n = c.longest = (size_t)PyArray_SIZE(a);
    c.u = usp_handle(-1);
    npy_intp words = 3 * (npy_intp)n + 1;
    PyObject *room = c.u == NULL ? NULL : PyArray_SimpleNew(1, &words, NPY_UINT64);
    PyObject *index = room == NULL ? NULL : PyArray_SimpleNew(1, PyArray_DIMS(a), NPY_INTP);
    bool fine = index != NULL;
    if (fine && wants_sorted) {
        sorted = PyArray_NewLikeArray(a, NPY_CORDER, NULL, 0);
        fine = sorted != NULL;
    }
    if (fine) {
        uint64_t *at = PyArray_DATA((PyArrayObject *)room);
        strings s = {n,
                     0,
                     (void *)(at + 2 * n + 1),
                     at,
                     at + n + 1,
                     false,
                     NULL,
                     PyArray_DATA((PyArrayObject *)index)};
        USP_RUN(c, run(&c, a, &s, sorted, wants_index));
        if (wants_sorted && wants_index) {
            made = PyTuple_Pack(2, sorted, index);
        } else {
            made = wants_sorted ? sorted : index;
            Py_INCREF(made);
        }
    }
    Py_XDECREF(room);
    Py_XDECREF(sorted);
    Py_XDECREF(index);
    return fine ? usp_done(&c, made) : NULL;
}
