/* selects.c - selection, unique keys and runs of equal ones. */
/* SPDX-License-Identifier: MIT */
#include "python/binding/binding.h"

#define FUNCTION(name)                                                                             \
    static PyObject *name(PyObject *self, PyObject *const *args, Py_ssize_t count)

FUNCTION(nth_element)
{
    (void)self;
    usp_call c;
    usp_view keys;
    size_t k;
    if (!usp_begin(&c, args, count, "wnf", &keys, &k)) {
        return NULL;
    }
    USP_RUN(c, upsweep_nth_element(c.u, keys.data, keys.n, k, keys.type, &c.options));
    return usp_done(&c, NULL);
}

/* Rows of a plain array, on the CPU, and a place in each. */
typedef struct part {
    usp_call c;
    usp_view x;
    size_t rows, length, k;
} part;
enum part_taken { PART_TAKEN, PART_OTHER, PART_FAILED }; /* OTHER: no such array, or place */

static enum part_taken take_part(PyObject *const *args, Py_ssize_t count, part *p)
{
    int dimensions;
    if (count != 3 || !PyLong_CheckExact(args[1]) ||
        !usp_array_rows(args[0], &p->x, &p->rows, &dimensions) || p->x.device >= 0 || p->x.n == 0) {
        return PART_OTHER;
    }
    p->length = p->x.n / p->rows;
    Py_ssize_t k = PyLong_AsSsize_t(args[1]);
    if (k == -1 && PyErr_Occurred() != NULL) {
        PyErr_Clear();
        return PART_OTHER;
    }
    k += k < 0 ? (Py_ssize_t)p->length : 0;
    if (k < 0 || (size_t)k >= p->length) {
        return PART_OTHER;
    }
    p->k = (size_t)k;
    return usp_arguments(&p->c, args + 2, 1, "f") && usp_open(&p->c, args[0], &p->x) ? PART_TAKEN
                                                                                     : PART_FAILED;
}

/* (x, kth, flags): a copy of a plain array whose rows are partitioned; None for any other. Rows of
 * up to SORTED keys are sorted together. */
FUNCTION(fast_partition)
{
    (void)self;
    enum { SORTED = 256 };
    part p;
    usp_view to;
    const enum part_taken taken = take_part(args, count, &p);
    if (taken == PART_OTHER) {
        Py_RETURN_NONE;
    }
    PyObject *made = taken == PART_FAILED ? NULL : usp_result(args[0], NULL, false, &to);
    if (made == NULL) {
        return NULL;
    }
    usp_release(&p.c);
    memcpy(to.data, p.x.data, p.x.n * p.x.bytes);
    if (p.rows > 1 && p.length <= SORTED) {
        p.c.status = upsweep_sort_rows(p.c.u, to.data, p.x.n, p.x.type, NULL, p.rows, NULL, 64,
                                       &p.c.options);
    } else {
        for (size_t r = 0; r < p.rows && p.c.status == UPSWEEP_OK; r++) {
            p.c.status = upsweep_nth_element(p.c.u, to.data + r * p.length * p.x.bytes, p.length,
                                             p.k, p.x.type, &p.c.options);
        }
    }
    usp_retake(&p.c);
    return usp_done(&p.c, made);
}

/* (x, kth, flags): the positions that partition the rows of a plain array. None for any other, and
 * where a NaN is at kth. The key at kth is found by a selection among copies of the keys, which lie
 * where the positions will be. */
FUNCTION(fast_argpartition)
{
    (void)self;
    part p;
    usp_view index;
    const enum part_taken taken = take_part(args, count, &p);
    if (taken == PART_OTHER) {
        Py_RETURN_NONE;
    }
    PyObject *made = taken == PART_FAILED ? NULL : usp_result(args[0], NULL, true, &index);
    if (made == NULL) {
        return NULL;
    }
    bool written = true;
    const bool descending = (p.c.options.flags & UPSWEEP_DESCENDING) != 0;
    usp_release(&p.c);
    for (size_t r = 0; r < p.rows && written; r++) {
        usp_view row = p.x;
        char *places = index.data + r * p.length * sizeof(int64_t);
        row.data += r * p.length * row.bytes;
        row.n = p.length;
        memcpy(places, row.data, row.n * row.bytes);
        p.c.status = upsweep_nth_element(p.c.u, places, row.n, p.k, row.type, &p.c.options);
        written = p.c.status == UPSWEEP_OK &&
                  usp_write_positions(&row, places + p.k * row.bytes, descending, (void *)places);
    }
    usp_retake(&p.c);
    if (p.c.status == UPSWEEP_OK && !written) {
        Py_DECREF(made);
        Py_RETURN_NONE;
    }
    return usp_done(&p.c, made);
}

FUNCTION(top_k)
{
    (void)self;
    usp_call c;
    usp_view keys, out, index;
    if (!usp_begin(&c, args, count, "rwWf", &keys, &out, &index)) {
        return NULL;
    }
    if (out.type != keys.type || (index.data != NULL && (index.n != out.n || index.bytes != 8))) {
        return usp_lengths("keys and positions");
    }
    USP_RUN(c, upsweep_top_k(c.u, keys.data, keys.n, out.n, keys.type, out.data, (void *)index.data,
                             &c.options));
    return usp_done(&c, NULL);
}

FUNCTION(top_k_rows)
{
    (void)self;
    usp_call c;
    usp_view keys, out, index;
    size_t rows;
    if (!usp_begin(&c, args, count, "rnwWf", &keys, &rows, &out, &index)) {
        return NULL;
    }
    if (out.type != keys.type || (rows == 0 ? out.n : out.n % rows) != 0 ||
        (index.data != NULL && (index.n != out.n || index.bytes != 8))) {
        return usp_lengths("keys and positions");
    }
    USP_RUN(c,
            upsweep_top_k_rows(c.u, keys.data, keys.n, keys.type, NULL, rows,
                               rows == 0 ? 0 : out.n / rows, out.data, index.data, 64, &c.options));
    return usp_done(&c, NULL);
}

FUNCTION(unique)
{
    (void)self;
    usp_call c;
    usp_view keys;
    size_t kept = 0;
    if (!usp_begin(&c, args, count, "wf", &keys)) {
        return NULL;
    }
    USP_RUN(c, upsweep_unique(c.u, keys.data, keys.n, keys.type, &kept, &c.options));
    return usp_done(&c, PyLong_FromSize_t(kept));
}

static uint64_t bits_at(const usp_view *x, size_t i)
{
    uint64_t bits = 0;
    memcpy(&bits, x->data + i * x->bytes, x->bytes);
    return bits;
}

/* Appends (begin, end) to spans, and gives the keys between them the same bits. */
static bool make_equal(const usp_view *x, size_t begin, size_t end, uint64_t bits, PyObject *spans)
{
    for (size_t i = begin; i < end; i++) {
        memcpy(x->data + i * x->bytes, &bits, x->bytes);
    }
    PyObject *span = Py_BuildValue("(nn)", (Py_ssize_t)begin, (Py_ssize_t)end);
    const bool added = span != NULL && PyList_Append(spans, span) == 0;
    Py_XDECREF(span);
    return added;
}

/* Makes zeros of both signs one value in sorted keys, and NaNs if they are asked for; gives a list
 * of (begin, end) of such keys. Keys that are no floats have none. */
FUNCTION(one_value)
{
    (void)self;
    usp_call c;
    usp_view x;
    unsigned nans;
    if (!usp_arguments(&c, args, count, "wu", &x, &nans)) {
        return NULL;
    }
    PyObject *spans = PyList_New(0);
    if (spans == NULL || x.type < UPSWEEP_F16) {
        return spans;
    }
    const uint64_t sign = UINT64_C(1) << (8 * x.bytes - 1);
    const uint64_t infinity = x.type == UPSWEEP_F16    ? 0x7c00
                              : x.type == UPSWEEP_BF16 ? 0x7f80
                              : x.type == UPSWEEP_F32  ? 0x7f800000
                                                       : UINT64_C(0x7ff0000000000000);
    const uint64_t quiet = infinity | (infinity & (0 - infinity)) >> 1;
    size_t numbers = x.n, lo = 0;
    while (numbers > 0 && (bits_at(&x, numbers - 1) & (sign - 1)) > infinity) {
        numbers--; /* NaNs are last, whatever their sign */
    }
    for (size_t hi = numbers; lo < hi;) { /* the first that is not below zero */
        const size_t middle = lo + (hi - lo) / 2;
        if (bits_at(&x, middle) > sign) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    size_t end = lo;
    while (end < numbers && (bits_at(&x, end) & (sign - 1)) == 0) {
        end++;
    }
    if ((end > lo + 1 && !make_equal(&x, lo, end, 0, spans)) ||
        (nans != 0 && numbers < x.n && !make_equal(&x, numbers, x.n, quiet, spans))) {
        Py_DECREF(spans);
        return NULL;
    }
    return spans;
}

FUNCTION(run_lengths)
{
    (void)self;
    usp_call c;
    usp_view keys, out, counts;
    size_t runs = 0;
    if (!usp_begin(&c, args, count, "rwwf", &keys, &out, &counts)) {
        return NULL;
    }
    if (out.n < keys.n || counts.n < keys.n || counts.bytes != 8 || out.type != keys.type) {
        return usp_lengths("keys and counts");
    }
    USP_RUN(c, upsweep_run_lengths(c.u, keys.data, keys.n, keys.type, out.data, (void *)counts.data,
                                   &runs, &c.options));
    return usp_done(&c, PyLong_FromSize_t(runs));
}

FUNCTION(search_sorted)
{
    (void)self;
    usp_call c;
    usp_view keys, wanted, places;
    if (!usp_begin(&c, args, count, "rrwf", &keys, &wanted, &places)) {
        return NULL;
    }
    if (wanted.type != keys.type || places.n != wanted.n || places.bytes != 8) {
        return usp_lengths("wanted keys and places");
    }
    USP_RUN(c, upsweep_search_sorted(c.u, keys.data, keys.n, wanted.data, wanted.n, keys.type,
                                     places.data, 64, &c.options));
    return usp_done(&c, NULL);
}

PyMethodDef usp_selects[] = {
    USP_METHOD("nth_element", nth_element, "(keys, k, flags): upsweep_nth_element"),
    USP_METHOD("fast_partition", fast_partition, "(x, kth, flags): of a plain array, else None"),
    USP_METHOD("fast_argpartition", fast_argpartition,
               "(x, kth, flags): of a plain array, else None"),
    USP_METHOD("top_k", top_k, "(keys, out, index, flags): upsweep_top_k"),
    USP_METHOD("top_k_rows", top_k_rows, "(keys, rows, out, index, flags): upsweep_top_k_rows"),
    USP_METHOD("unique", unique, "(keys, flags): how many are kept"),
    USP_METHOD("one_value", one_value, "(keys, nans): spans of zeros and NaNs, made equal"),
    USP_METHOD("run_lengths", run_lengths, "(keys, out, counts, flags): how many runs"),
    USP_METHOD("search_sorted", search_sorted,
               "(keys, wanted, places, flags): upsweep_search_sorted"),
    USP_END,
};
