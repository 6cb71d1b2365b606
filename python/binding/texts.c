/* texts.c - sorts of numpy's text of one width, dtypes S and U: as strings of the library, whose
 * bytes are in the order of the text's elements. */
/* SPDX-License-Identifier: MIT */
#include "python/binding/binding.h"

bool usp_is_text(PyObject *o)
{
    if (Py_TYPE(o) != &PyArray_Type) {
        return false;
    }
    PyArrayObject *a = (PyArrayObject *)o;
    const int type = PyArray_TYPE(a);
    if (type == NPY_VSTRING) {
        return usp_is_strings(o);
    }
    return (type == NPY_STRING || type == NPY_UNICODE) && PyArray_NDIM(a) == 1 &&
           PyArray_IS_C_CONTIGUOUS(a) && PyArray_ISALIGNED(a) && PyArray_ISNOTSWAPPED(a);
}

/* Writes the lowest bytes of code points, the greatest first: as many, 1, 2 or 4, as tell these
 * points apart, which it returns. */
static size_t write_points(const uint32_t *points, size_t count, void *to)
{
    uint32_t all = 0;
    for (size_t i = 0; i < count; i++) {
        all |= points[i];
    }
    if (all < 0x100) {
        for (size_t i = 0; i < count; i++) {
            ((uint8_t *)to)[i] = (uint8_t)points[i];
        }
        return 1;
    }
    if (all < 0x10000) {
        for (size_t i = 0; i < count; i++) {
            ((uint16_t *)to)[i] = (uint16_t)(points[i] << 8 | points[i] >> 8);
        }
        return 2;
    }
    for (size_t i = 0; i < count; i++) {
        ((uint32_t *)to)[i] = __builtin_bswap32(points[i]);
    }
    return 4;
}

/* The positions that sort n elements of so many bytes each; room: n + 1 offsets, then what points
 * take. */
static upsweep_status order(usp_call *c, PyArrayObject *a, uint64_t *room, int64_t *places)
{
    const size_t n = c->longest;
    size_t width = (size_t)PyArray_ITEMSIZE(a);
    const void *bytes = PyArray_DATA(a);
    if (PyArray_TYPE(a) == NPY_UNICODE) {
        width = width / 4 * write_points(bytes, n * (width / 4), room + n + 1);
        bytes = room + n + 1;
    }
    for (size_t i = 0; i <= n; i++) {
        room[i] = i * width;
    }
    return upsweep_argsort_strings(c->u, bytes, room, 64, n, places, 64, &c->options);
}

/* The results that are wanted; the others are NULL. */
static upsweep_status run(usp_call *c, PyArrayObject *a, PyObject *room, PyObject *sorted,
                          PyObject *index)
{
    const size_t n = c->longest, width = (size_t)PyArray_ITEMSIZE(a);
    uint64_t *free_room = PyArray_DATA((PyArrayObject *)room);
    int64_t *places = (void *)free_room;
    if (index != NULL) {
        places = PyArray_DATA((PyArrayObject *)index);
    } else {
        free_room += n;
    }
    upsweep_status status = order(c, a, free_room, places);
    if (status == UPSWEEP_OK && sorted != NULL && n * width != 0) {
        status = upsweep_gather(c->u, PyArray_DATA(a), n, places, 64,
                                PyArray_DATA((PyArrayObject *)sorted), n, width, NULL);
    }
    return status;
}

PyObject *usp_sort_text(PyObject *x, PyObject *flags, bool wants_sorted, bool wants_index)
{
    usp_call c;
    PyArrayObject *a = (PyArrayObject *)x;
    if (usp_is_strings(x)) {
        return usp_sort_strings(x, flags, wants_sorted, wants_index);
    }
    PyObject *sorted = NULL, *index = NULL, *made = NULL;
    if (!usp_arguments(&c, &flags, 1, "f")) {
        return NULL;
    }
    c.longest = (size_t)PyArray_SIZE(a);
    c.u = usp_handle(-1);
    /* An array, since numpy asks for huge pages. */
    npy_intp words = 2 * PyArray_SIZE(a) + 1 + PyArray_NBYTES(a) / 8 + 1;
    PyObject *room = c.u == NULL ? NULL : PyArray_SimpleNew(1, &words, NPY_UINT64);
    bool fine = room != NULL;
    if (fine && wants_sorted) {
        sorted = PyArray_NewLikeArray(a, NPY_CORDER, NULL, 0);
        fine = sorted != NULL;
    }
    if (fine && wants_index) {
        index = PyArray_SimpleNew(1, PyArray_DIMS(a), NPY_INTP);
        fine = index != NULL;
    }
    if (fine) {
        USP_RUN(c, run(&c, a, room, sorted, index));
        if (wants_sorted && wants_index) {
            made = PyTuple_Pack(2, sorted, index);
        } else {
            made = wants_sorted ? sorted : index;
            Py_XINCREF(made);
        }
    }
    Py_XDECREF(room);
    Py_XDECREF(sorted);
    Py_XDECREF(index);
    return fine ? usp_done(&c, made) : NULL;
}
