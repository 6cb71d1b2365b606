/* views.c - what Python gives as arguments becomes what the library takes: arrays and numbers. */
/* SPDX-License-Identifier: MIT */
#include "python/binding/binding.h"

#include <stdarg.h>
#include <stdatomic.h>

static const struct {
    int numpy;
    upsweep_type type;
} types[] = {
    {NPY_BOOL, UPSWEEP_U8},   {NPY_UBYTE, UPSWEEP_U8},     {NPY_USHORT, UPSWEEP_U16},
    {NPY_UINT, UPSWEEP_U32},  {NPY_ULONG, UPSWEEP_U64},    {NPY_ULONGLONG, UPSWEEP_U64},
    {NPY_BYTE, UPSWEEP_I8},   {NPY_SHORT, UPSWEEP_I16},    {NPY_INT, UPSWEEP_I32},
    {NPY_LONG, UPSWEEP_I64},  {NPY_LONGLONG, UPSWEEP_I64}, {NPY_HALF, UPSWEEP_F16},
    {NPY_FLOAT, UPSWEEP_F32}, {NPY_DOUBLE, UPSWEEP_F64},
};

static atomic_int numpys_bf16 = -1; /* of the dtype bfloat16 of ml_dtypes, once it was met */

static upsweep_type type_of(int numpy)
{
    if (numpy == numpys_bf16) {
        return UPSWEEP_BF16;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].numpy == numpy) {
            return types[i].type;
        }
    }
    return (upsweep_type)0;
}

/* (number): numpy's number for arrays of bf16, which packages of dtypes register with it. */
PyObject *usp_register_bf16(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    const long number = count == 1 ? PyLong_AsLong(args[0]) : -1;
    if (PyErr_Occurred()) {
        return NULL;
    }
    numpys_bf16 = (int)number;
    Py_INCREF(Py_None);
    return Py_None;
}

int usp_numpy_type(upsweep_type type)
{
    static const int numpy[] = {-1,          NPY_UINT8, NPY_UINT16, NPY_UINT32, NPY_UINT64,
                                NPY_INT8,    NPY_INT16, NPY_INT32,  NPY_INT64,  NPY_HALF,
                                -1 /*bf16*/, NPY_FLOAT, NPY_DOUBLE};
    return (size_t)type < sizeof numpy / sizeof *numpy ? numpy[type] : -1;
}

static void from_array(PyArrayObject *a, usp_view *view)
{
    view->data = PyArray_BYTES(a);
    view->n = (size_t)PyArray_SIZE(a);
    view->bytes = (size_t)PyArray_ITEMSIZE(a);
    view->type = type_of(PyArray_TYPE(a));
    view->device = -1;
}

bool usp_plain_rows(PyObject *o, usp_view *view, size_t *rows)
{
    if (Py_TYPE(o) != &PyArray_Type) {
        return false;
    }
    PyArrayObject *a = (PyArrayObject *)o;
    int dimensions = PyArray_NDIM(a);
    if (dimensions < 1 || !PyArray_IS_C_CONTIGUOUS(a) || !PyArray_ISALIGNED(a) ||
        !PyArray_ISNOTSWAPPED(a)) {
        return false;
    }
    from_array(a, view);
    *rows = dimensions == 1 || view->n == 0 ? 1 : view->n / (size_t)PyArray_DIM(a, dimensions - 1);
    return view->type != 0;
}

bool usp_plain(PyObject *o, usp_view *view)
{
    size_t rows;
    return usp_plain_rows(o, view, &rows) && PyArray_NDIM((PyArrayObject *)o) == 1;
}

bool usp_array_rows(PyObject *o, usp_view *view, size_t *rows, int *dimensions)
{
    if (Py_TYPE(o) != &PyArray_Type) {
        return usp_tensor_rows(o, view, rows, dimensions);
    }
    *dimensions = PyArray_NDIM((PyArrayObject *)o);
    return usp_plain_rows(o, view, rows);
}

bool usp_array_shape(PyObject *o, usp_view *view, int64_t *dims, int *dimensions)
{
    size_t rows;
    if (Py_TYPE(o) != &PyArray_Type) {
        return usp_tensor_shape(o, view, dims, dimensions);
    }
    if (!usp_plain_rows(o, view, &rows)) {
        return false;
    }
    *dimensions = PyArray_NDIM((PyArrayObject *)o);
    for (int d = 0; d < *dimensions; d++) {
        dims[d] = PyArray_DIM((PyArrayObject *)o, d);
    }
    return true;
}

/* out, whose reference it takes, with its view. */
static PyObject *viewed(PyObject *out, usp_view *view)
{
    int64_t dims[USP_DIMENSIONS];
    int dimensions;
    if (out == NULL || Py_TYPE(out) == &PyArray_Type) { /* which may have no dimension here */
        if (out != NULL) {
            from_array((PyArrayObject *)out, view);
        }
        return out;
    }
    if (!usp_tensor_shape(out, view, dims, &dimensions)) {
        PyErr_SetString(PyExc_RuntimeError, "a new array is none that the library takes");
        Py_CLEAR(out);
    }
    return out;
}

PyObject *usp_reduced_array(PyObject *x, const usp_view *given, upsweep_op op, const int64_t *dims,
                            int dimensions, usp_view *view)
{
    const bool sums = given->type < UPSWEEP_F16 && op <= UPSWEEP_PRODUCT;
    if (Py_TYPE(x) != &PyArray_Type) {
        return viewed(usp_tensor_shaped(x, sums && given->type != UPSWEEP_U64, dims, dimensions),
                      view);
    }
    npy_intp extents[USP_DIMENSIONS];
    for (int d = 0; d < dimensions; d++) {
        extents[d] = (npy_intp)dims[d];
    }
    const int type = PyArray_TYPE((PyArrayObject *)x);
    const int wide =
        type == NPY_BOOL ? NPY_INT64 : usp_numpy_type(upsweep_reduce_type(given->type, op));
    return viewed(PyArray_SimpleNew(dimensions, extents, sums ? wide : type), view);
}

PyObject *usp_result(PyObject *x, PyObject *out, bool places, usp_view *view)
{
    if (out != NULL && out != Py_None) {
        Py_INCREF(out);
    } else if (Py_TYPE(x) == &PyArray_Type) {
        PyArrayObject *a = (PyArrayObject *)x;
        out = PyArray_SimpleNew(PyArray_NDIM(a), PyArray_DIMS(a),
                                places ? NPY_INTP : PyArray_TYPE(a));
    } else {
        out = usp_tensor_like(x, places);
    }
    size_t rows;
    int dimensions;
    if (out != NULL && !usp_array_rows(out, view, &rows, &dimensions)) {
        PyErr_SetString(PyExc_RuntimeError, "a new array is none that the library takes");
        Py_CLEAR(out);
    }
    return out;
}

bool usp_open(usp_call *c, PyObject *x, const usp_view *view)
{
    c->device = view->device;
    c->longest = view->n;
    c->u = usp_handle(c->device);
    return c->u != NULL && usp_tensor_stream(c->u, x, c->device);
}

bool usp_takes(PyObject *out, PyObject *x)
{
    usp_view a, b;
    size_t rows;
    if (Py_TYPE(x) != &PyArray_Type) {
        return usp_tensor_takes(out, x);
    }
    if (!usp_plain_rows(x, &a, &rows) || !usp_plain_rows(out, &b, &rows)) {
        return false;
    }
    PyArrayObject *from = (PyArrayObject *)x, *to = (PyArrayObject *)out;
    const int dimensions = PyArray_NDIM(from);
    if (a.data != b.data && a.data < b.data + b.n * b.bytes && b.data < a.data + a.n * a.bytes) {
        return false;
    }
    return PyArray_NDIM(to) == dimensions && PyArray_TYPE(to) == PyArray_TYPE(from) &&
           PyArray_ISWRITEABLE(to) &&
           memcmp(PyArray_DIMS(to), PyArray_DIMS(from),
                  (size_t)dimensions * sizeof *PyArray_DIMS(from)) == 0;
}

/* (address, n, type, bytes, writable, device), and what keeps the memory */
static bool from_tuple(PyObject *o, usp_view *view, bool writes)
{
    unsigned long long field[6];
    for (Py_ssize_t i = 0; i < 6; i++) {
        PyObject *item = PyTuple_GetItem(o, i);
        field[i] = item == NULL ? 0 : (unsigned long long)PyLong_AsLongLong(item);
        if (i == 0 && item != NULL && PyErr_Occurred()) {
            PyErr_Clear();
            field[i] = PyLong_AsUnsignedLongLong(item);
        }
        if (PyErr_Occurred()) {
            return false;
        }
    }
    if (writes && field[4] == 0) {
        PyErr_SetString(PyExc_ValueError, "the output array is read-only");
        return false;
    }
    uintptr_t address = (uintptr_t)field[0];
    memcpy(&view->data, &address, sizeof address);
    view->n = (size_t)field[1];
    view->type = (upsweep_type)field[2];
    view->bytes = (size_t)field[3];
    view->device = (int)(long long)field[5];
    return true;
}

static bool take_array(PyObject *o, usp_view *view, char letter)
{
    bool numbers = letter == 'r' || letter == 'w' || letter == 'R' || letter == 'W';
    bool writes = letter == 'w' || letter == 'B' || letter == 'W';
    if (o == Py_None && (letter == 'R' || letter == 'W')) {
        *view = (usp_view){NULL, 0, 0, (upsweep_type)0, -2};
        return true;
    }
    if (PyTuple_Check(o)) {
        return from_tuple(o, view, writes);
    }
    if (!PyArray_Check(o)) {
        PyErr_SetString(PyExc_TypeError, "an array was expected");
        return false;
    }
    PyArrayObject *a = (PyArrayObject *)o;
    if (!PyArray_IS_C_CONTIGUOUS(a) || !PyArray_ISALIGNED(a) ||
        (numbers && !PyArray_ISNOTSWAPPED(a))) {
        PyErr_SetString(PyExc_ValueError,
                        "an array that is contiguous, aligned and of native order was expected");
        return false;
    }
    if (writes && !PyArray_ISWRITEABLE(a)) {
        PyErr_SetString(PyExc_ValueError, "the output array is read-only");
        return false;
    }
    from_array(a, view);
    if (numbers && view->type == 0) {
        PyErr_SetString(PyExc_TypeError, "this dtype is not supported");
        return false;
    }
    return true;
}

static bool merge_device(usp_call *c, const usp_view *view)
{
    if (view->device >= 0) {
        if (c->device >= 0 && c->device != view->device) {
            PyErr_SetString(PyExc_ValueError, "the arrays are on different devices");
            return false;
        }
        c->device = view->device;
    }
    if (view->n > c->longest) {
        c->longest = view->n;
    }
    return true;
}

static bool take_number(PyObject *o, char letter, va_list *to, usp_call *c)
{
    if (letter == 'd') {
        double *d = va_arg(*to, double *);
        *d = PyFloat_AsDouble(o);
        return !PyErr_Occurred();
    }
    unsigned long long number = PyLong_AsUnsignedLongLong(o);
    if (PyErr_Occurred()) {
        return false;
    }
    switch (letter) {
    case 'f': c->options.flags = (unsigned)number; break;
    case 'u': *va_arg(*to, unsigned *) = (unsigned)number; break;
    default: *va_arg(*to, size_t *) = (size_t)number; break;
    }
    return true;
}

static bool take_all(usp_call *c, PyObject *const *args, Py_ssize_t count, const char *format,
                     va_list *to)
{
    *c = (usp_call){NULL, -1, 0, NULL, UPSWEEP_OK, UPSWEEP_OPTIONS_INIT};
    if (count != (Py_ssize_t)strlen(format)) {
        PyErr_Format(PyExc_TypeError, "%zd arguments were given, %zd are taken", count,
                     (Py_ssize_t)strlen(format));
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        char letter = format[i];
        if (letter == 'o') {
            *va_arg(*to, PyObject **) = args[i];
        } else if (letter == 's') {
            const char **text = va_arg(*to, const char **);
            *text = PyBytes_AsString(args[i]);
            if (*text == NULL) {
                return false;
            }
        } else if (strchr("rwRWbB", letter) != NULL) {
            usp_view *view = va_arg(*to, usp_view *);
            if (!take_array(args[i], view, letter) || !merge_device(c, view)) {
                return false;
            }
        } else if (!take_number(args[i], letter, to, c)) {
            return false;
        }
    }
    return true;
}

bool usp_arguments(usp_call *c, PyObject *const *args, Py_ssize_t count, const char *format, ...)
{
    va_list to;
    va_start(to, format);
    bool ok = take_all(c, args, count, format, &to);
    va_end(to);
    return ok;
}

bool usp_begin(usp_call *c, PyObject *const *args, Py_ssize_t count, const char *format, ...)
{
    va_list to;
    va_start(to, format);
    bool ok = take_all(c, args, count, format, &to);
    va_end(to);
    if (ok) {
        c->u = usp_handle(c->device);
    }
    return ok && c->u != NULL;
}
