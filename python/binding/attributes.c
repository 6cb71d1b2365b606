/* attributes.c - what DLPack's C exchange API would say of arrays of cupy, by their attributes:
 * data.ptr, data.device_id, dtype, shape and flags.c_contiguous. */
/* SPDX-License-Identifier: MIT */
#include "python/binding/dlpack.h"

enum { SHAPES = 4 }; /* tensors that are looked at together, at most: two */

static PyObject *name_data, *name_ptr, *name_device, *name_dtype, *name_shape, *name_flags, *name_c;
static PyObject *stream_of; /* of the library */

/* A number that an attribute has; -1 and an exception: there is none. */
static long long number(PyObject *o, PyObject *name)
{
    PyObject *v = o == NULL ? NULL : PyObject_GetAttr(o, name);
    const long long n = v == NULL ? -1 : PyLong_AsLongLong(v);
    Py_XDECREF(v);
    return n;
}

static bool view_type(PyObject *array, dl_tensor *t)
{
    PyObject *dtype = PyObject_GetAttr(array, name_dtype);
    const bool is = dtype != NULL && PyArray_DescrCheck(dtype);
    if (is) {
        const PyArray_Descr *d = (PyArray_Descr *)dtype;
        const char *at = strchr("iuf...b", d->kind);
        const npy_intp bytes = PyDataType_ELSIZE(d);
        t->dtype.code = (uint8_t)(at == NULL ? 255 : at - "iuf...b");
        t->dtype.bits = (uint8_t)(bytes > 8 ? 0 : 8 * bytes);
        t->dtype.lanes = 1;
    }
    Py_XDECREF(dtype);
    return is;
}

static bool view_shape(PyObject *array, dl_tensor *t)
{
    static _Thread_local int64_t shapes[SHAPES][USP_DIMENSIONS];
    static _Thread_local unsigned turn;
    PyObject *shape = PyObject_GetAttr(array, name_shape);
    const Py_ssize_t count = shape != NULL && PyTuple_Check(shape) ? PyTuple_Size(shape) : -1;
    const bool is = count >= 0 && count <= USP_DIMENSIONS;
    t->ndim = is ? (int32_t)count : 0;
    t->shape = shapes[turn++ % SHAPES];
    for (Py_ssize_t i = 0; is && i < count; i++) {
        t->shape[i] = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
    }
    Py_XDECREF(shape);
    return is;
}

/* Strides are NULL for an array in one piece; no other is taken. */
static bool is_whole(PyObject *array)
{
    PyObject *flags = PyObject_GetAttr(array, name_flags);
    PyObject *c = flags == NULL ? NULL : PyObject_GetAttr(flags, name_c);
    const bool whole = c != NULL && PyObject_IsTrue(c) == 1;
    Py_XDECREF(c);
    Py_XDECREF(flags);
    return whole;
}

static int view(void *object, dl_tensor *t)
{
    PyObject *data = PyObject_GetAttr(object, name_data);
    const long long address = number(data, name_ptr), device = number(data, name_device);
    Py_XDECREF(data);
    *t = (dl_tensor){.data = (void *)(uintptr_t)address, .device = {2, (int32_t)device}};
    return !PyErr_Occurred() && view_type(object, t) && view_shape(object, t) && is_whole(object)
               ? 0
               : -1;
}

static _Thread_local PyObject *told;

PyObject *usp_stream_told(void)
{
    PyObject *made = told;
    told = NULL;
    return made;
}

static int stream(int32_t device_type, int32_t device, void **stream)
{
    (void)device_type;
    PyObject *asked = PyLong_FromLong(device), *made = NULL;
    if (asked != NULL) {
        made = PyObject_CallFunctionObjArgs(stream_of, asked, NULL);
        Py_DECREF(asked);
    }
    *stream = (void *)(uintptr_t)number(made, name_ptr);
    Py_XDECREF(told);
    told = made;
    return PyErr_Occurred() ? -1 : 0;
}

const dl_exchange *usp_by_attributes(PyObject *of)
{
    static const dl_exchange by_attributes = {.major = 1, .view = view, .stream = stream};
    const struct {
        PyObject **to;
        const char *name;
    } names[] = {{&name_data, "data"},     {&name_ptr, "ptr"},     {&name_device, "device_id"},
                 {&name_dtype, "dtype"},   {&name_shape, "shape"}, {&name_flags, "flags"},
                 {&name_c, "c_contiguous"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        *names[i].to = *names[i].to != NULL ? *names[i].to : PyUnicode_FromString(names[i].name);
        if (*names[i].to == NULL) {
            return NULL;
        }
    }
    Py_INCREF(of);
    Py_XDECREF(stream_of);
    stream_of = of;
    return &by_attributes;
}
