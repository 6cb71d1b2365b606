/* sorts.c - sorts and what goes with them: pairs, rows, records, strings, merges. */
/* SPDX-License-Identifier: MIT */
#include "python/binding/binding.h"

#define FUNCTION(name)                                                                             \
    static PyObject *name(PyObject *self, PyObject *const *args, Py_ssize_t count)

/* keys sorted along the last axis into the third argument or, if that is None, into a new array;
 * None if the arrays are neither plain nor tensors that are known, or rows on a GPU. */
FUNCTION(fast_sort)
{
    (void)self;
    usp_call c;
    usp_view keys, to;
    size_t rows;
    int dimensions;
    if (count == 3 && args[2] == Py_None && usp_is_text(args[0])) {
        return usp_sort_text(args[0], args[1], true, false);
    }
    if (count != 3 || !usp_array_rows(args[0], &keys, &rows, &dimensions) ||
        (keys.device >= 0 && rows != 1) || (args[2] != Py_None && !usp_takes(args[2], args[0]))) {
        Py_RETURN_NONE;
    }
    if (!usp_arguments(&c, args + 1, 1, "f") || !usp_open(&c, args[0], &keys)) {
        return NULL;
    }
    PyObject *out = usp_result(args[0], args[2], false, &to);
    if (out == NULL) {
        return NULL;
    }
    usp_release(&c);
    if (keys.device >= 0 && to.data != keys.data) {
        c.status =
            upsweep_sort_copy(c.u, keys.data, keys.n, keys.type, to.data, NULL, 64, &c.options);
    } else {
        if (to.data != keys.data) {
            memcpy(to.data, keys.data, keys.n * keys.bytes);
        }
        c.status = rows == 1 ? upsweep_sort(c.u, to.data, keys.n, keys.type, &c.options)
                             : upsweep_sort_rows(c.u, to.data, keys.n, keys.type, NULL, rows, NULL,
                                                 64, &c.options);
    }
    usp_retake(&c);
    return usp_done(&c, out);
}

/* (x, flags): (x sorted, the positions that its keys had), both new, for one row; None as above. */
FUNCTION(fast_sort_index)
{
    (void)self;
    usp_call c;
    usp_view keys, to, at;
    size_t rows;
    int dimensions;
    if (count == 2 && usp_is_text(args[0])) {
        return usp_sort_text(args[0], args[1], true, true);
    }
    if (count != 2 || !usp_array_rows(args[0], &keys, &rows, &dimensions) || rows != 1) {
        Py_RETURN_NONE;
    }
    if (!usp_arguments(&c, args + 1, 1, "f") || !usp_open(&c, args[0], &keys)) {
        return NULL;
    }
    PyObject *out = usp_result(args[0], NULL, false, &to);
    PyObject *index = out == NULL ? NULL : usp_result(args[0], NULL, true, &at);
    if (index == NULL) {
        Py_XDECREF(out);
        return NULL;
    }
    USP_RUN(c,
            upsweep_sort_copy(c.u, keys.data, keys.n, keys.type, to.data, at.data, 64, &c.options));
    PyObject *both = c.status == UPSWEEP_OK ? PyTuple_Pack(2, out, index) : NULL;
    Py_DECREF(out);
    Py_DECREF(index);
    return usp_done(&c, both);
}

/* The positions that sort keys along the last axis, as a new array; None as above. */
FUNCTION(fast_argsort)
{
    (void)self;
    usp_call c;
    usp_view keys, at;
    size_t rows;
    int dimensions;
    const bool numpy = count == 2 && Py_TYPE(args[0]) == &PyArray_Type;
    if (numpy && usp_is_text(args[0])) {
        return usp_sort_text(args[0], args[1], false, true);
    }
    if (count != 2 || !usp_array_rows(args[0], &keys, &rows, &dimensions) ||
        (!numpy && rows != 1)) {
        Py_RETURN_NONE;
    }
    if (!usp_arguments(&c, args + 1, 1, "f") || !usp_open(&c, args[0], &keys)) {
        return NULL;
    }
    PyObject *out = usp_result(args[0], NULL, true, &at), *copy = NULL; /* rows are sorted */
    if (out != NULL && rows != 1) {
        copy = PyArray_NewCopy((PyArrayObject *)args[0], NPY_CORDER);
    }
    if (out == NULL || (rows != 1 && copy == NULL)) {
        Py_XDECREF(out);
        return NULL;
    }
    void *sorted = copy == NULL ? NULL : PyArray_DATA((PyArrayObject *)copy);
    USP_RUN(c, rows == 1
                   ? upsweep_argsort(c.u, keys.data, keys.n, keys.type, at.data, 64, &c.options)
                   : upsweep_sort_rows(c.u, sorted, keys.n, keys.type, NULL, rows, at.data, 64,
                                       &c.options));
    Py_XDECREF(copy);
    return usp_done(&c, out);
}

FUNCTION(sort)
{
    (void)self;
    usp_call c;
    usp_view keys;
    if (!usp_begin(&c, args, count, "wf", &keys)) {
        return NULL;
    }
    USP_RUN(c, upsweep_sort(c.u, keys.data, keys.n, keys.type, &c.options));
    return usp_done(&c, NULL);
}

FUNCTION(argsort)
{
    (void)self;
    usp_call c;
    usp_view keys, index;
    if (!usp_begin(&c, args, count, "rwf", &keys, &index)) {
        return NULL;
    }
    if (keys.n != index.n) {
        return usp_lengths("keys and positions");
    }
    USP_RUN(c, upsweep_argsort(c.u, keys.data, keys.n, keys.type, index.data,
                               (unsigned)(8 * index.bytes), &c.options));
    return usp_done(&c, NULL);
}

/* To another array, with positions or without; either may be None. */
FUNCTION(sort_copy)
{
    (void)self;
    usp_call c;
    usp_view keys, out, index;
    if (!usp_begin(&c, args, count, "rWWf", &keys, &out, &index)) {
        return NULL;
    }
    if ((out.data != NULL && (out.n != keys.n || out.type != keys.type)) ||
        (index.data != NULL && index.n != keys.n)) {
        return usp_lengths("keys, sorted keys and positions");
    }
    USP_RUN(c, upsweep_sort_copy(c.u, keys.data, keys.n, keys.type, out.data, index.data,
                                 (unsigned)(8 * index.bytes), &c.options));
    return usp_done(&c, NULL);
}

FUNCTION(sort_pairs)
{
    (void)self;
    usp_call c;
    usp_view keys, values;
    if (!usp_begin(&c, args, count, "wBf", &keys, &values)) {
        return NULL;
    }
    size_t bytes = keys.n == 0 ? 1 : values.n * values.bytes / keys.n;
    if (keys.n * bytes != values.n * values.bytes || bytes == 0) {
        return usp_lengths("keys and values");
    }
    USP_RUN(c,
            upsweep_sort_pairs(c.u, keys.data, values.data, keys.n, keys.type, bytes, &c.options));
    return usp_done(&c, NULL);
}

/* Rows of equal length; positions or None. */
FUNCTION(sort_rows)
{
    (void)self;
    usp_call c;
    usp_view keys, begin, index;
    size_t rows;
    if (!usp_begin(&c, args, count, "wRnWf", &keys, &begin, &rows, &index)) {
        return NULL;
    }
    if ((index.data != NULL && index.n != keys.n) || (begin.data != NULL && begin.n != rows + 1)) {
        return usp_lengths("keys, rows and positions");
    }
    USP_RUN(c, upsweep_sort_rows(c.u, keys.data, keys.n, keys.type, (const void *)begin.data, rows,
                                 index.data, index.data == NULL ? 64 : (unsigned)(8 * index.bytes),
                                 &c.options));
    return usp_done(&c, NULL);
}

/* fields: a tuple of (offset, type, bytes, flags). */
FUNCTION(sort_records)
{
    (void)self;
    enum { MOST = 64 };
    usp_call c;
    usp_view records;
    PyObject *given;
    upsweep_field fields[MOST];
    if (!usp_begin(&c, args, count, "Bof", &records, &given)) {
        return NULL;
    }
    Py_ssize_t k = PyTuple_Check(given) ? PyTuple_Size(given) : -1;
    if (k < 1 || k > MOST) {
        PyErr_SetString(PyExc_ValueError, "1 to 64 fields are taken");
        return NULL;
    }
    memset(fields, 0, sizeof fields);
    for (Py_ssize_t i = 0; i < k; i++) {
        usp_call one;
        PyObject *row = PyTuple_GetItem(given, i), *item[4];
        unsigned type;
        for (Py_ssize_t j = 0; j < 4; j++) {
            item[j] = PyTuple_GetItem(row, j);
            if (item[j] == NULL) {
                return NULL;
            }
        }
        if (!usp_arguments(&one, item, 4, "nunu", &fields[i].offset, &type, &fields[i].bytes,
                           &fields[i].flags)) {
            return NULL;
        }
        fields[i].type = (upsweep_type)type;
    }
    USP_RUN(c, upsweep_sort_records(c.u, records.data, records.n, records.bytes, fields, (size_t)k,
                                    &c.options));
    return usp_done(&c, NULL);
}

/* Strings in Arrow's layout; their positions. */
FUNCTION(argsort_strings)
{
    (void)self;
    usp_call c;
    usp_view bytes, ends, index;
    if (!usp_begin(&c, args, count, "brwf", &bytes, &ends, &index)) {
        return NULL;
    }
    if (ends.n != index.n + 1) {
        return usp_lengths("offsets and positions");
    }
    USP_RUN(c,
            upsweep_argsort_strings(c.u, bytes.data, ends.data, (unsigned)(8 * ends.bytes), index.n,
                                    index.data, (unsigned)(8 * index.bytes), &c.options));
    return usp_done(&c, NULL);
}

FUNCTION(merge)
{
    (void)self;
    usp_call c;
    usp_view a, b, out;
    if (!usp_begin(&c, args, count, "rrwf", &a, &b, &out)) {
        return NULL;
    }
    if (a.type != b.type || a.type != out.type || a.n + b.n != out.n) {
        return usp_lengths("the arrays of a merge");
    }
    USP_RUN(c, upsweep_merge(c.u, a.data, a.n, b.data, b.n, out.data, a.type, &c.options));
    return usp_done(&c, NULL);
}

FUNCTION(is_sorted)
{
    (void)self;
    usp_call c;
    usp_view keys;
    size_t first = 0;
    if (!usp_begin(&c, args, count, "rf", &keys)) {
        return NULL;
    }
    USP_RUN(c, upsweep_is_sorted(c.u, keys.data, keys.n, keys.type, &first, &c.options));
    return usp_done(&c, PyLong_FromSize_t(first));
}

PyMethodDef usp_sorts[] = {
    USP_METHOD("fast_sort", fast_sort, "(x, flags, out): a plain array sorted, else None"),
    USP_METHOD("fast_sort_index", fast_sort_index, "(x, flags): sorted, and positions; else None"),
    USP_METHOD("fast_argsort", fast_argsort, "(x, flags): positions for a plain array, else None"),
    USP_METHOD("sort", sort, "(keys, flags): upsweep_sort"),
    USP_METHOD("argsort", argsort, "(keys, index, flags): upsweep_argsort"),
    USP_METHOD("sort_copy", sort_copy, "(keys, out, index, flags): upsweep_sort_copy"),
    USP_METHOD("sort_pairs", sort_pairs, "(keys, values, flags): upsweep_sort_pairs"),
    USP_METHOD("sort_rows", sort_rows, "(keys, begin, rows, index, flags): upsweep_sort_rows"),
    USP_METHOD("sort_records", sort_records, "(records, fields, flags): upsweep_sort_records"),
    USP_METHOD("argsort_strings", argsort_strings, "(bytes, offsets, index, flags)"),
    USP_METHOD("merge", merge, "(a, b, out, flags): upsweep_merge"),
    USP_METHOD("is_sorted", is_sorted, "(keys, flags): the first out of order, or n"),
    USP_END,
};
