/* folds.c - reductions, scans and histograms. */
/* SPDX-License-Identifier: MIT */
#include "python/binding/binding.h"

#define FUNCTION(name)                                                                             \
    static PyObject *name(PyObject *self, PyObject *const *args, Py_ssize_t count)

typedef union number {
    uint64_t words[2];
    float f32;
    double f64;
} number;

/* One element as a scalar of numpy. */
static PyObject *scalar(number *value, int numpy)
{
    PyArray_Descr *type = PyArray_DescrFromType(numpy);
    PyObject *made = type == NULL ? NULL : PyArray_Scalar(value, type, NULL);
    Py_XDECREF((PyObject *)type);
    return made;
}

/* Of a reduction under the call's flags; 0: there is none. */
static upsweep_type result_type(const usp_call *c, const usp_view *x, upsweep_op op)
{
    const upsweep_type type = upsweep_reduce_type(x->type, op);
    return type == UPSWEEP_F64 && (c->options.flags & UPSWEEP_ROUNDED) ? x->type : type;
}

/* numpy: the type of the scalar, or -1: that of the result. */
static PyObject *reduced(usp_call *c, const usp_view *x, upsweep_op op, int numpy)
{
    number result = {{0, 0}};
    upsweep_type type = result_type(c, x, op);
    if (type == 0) {
        PyErr_SetString(PyExc_TypeError, "this reduction is not defined for this dtype");
        return NULL;
    }
    USP_RUN(*c, upsweep_reduce(c->u, x->data, x->n, x->type, op, &result, &c->options));
    if (c->status != UPSWEEP_OK) {
        return usp_done(c, NULL);
    }
    if (type == UPSWEEP_BF16) { /* numpy has none: exact as f32 */
        result.words[0] <<= 16;
        return scalar(&result, NPY_FLOAT);
    }
    return scalar(&result, numpy >= 0 ? numpy : usp_numpy_type(type));
}

/* (x, op, flags, wide): sums of floats are rounded to their type unless wide. */
FUNCTION(reduce)
{
    (void)self;
    usp_call c;
    usp_view x;
    unsigned op, wide;
    if (!usp_begin(&c, args, count, "rufu", &x, &op, &wide)) {
        return NULL;
    }
    c.options.flags |= wide != 0 ? 0 : UPSWEEP_ROUNDED;
    return reduced(&c, &x, (upsweep_op)op, -1);
}

/* The type of the scalar that reduces o, whose view is x, to one number. */
static int scalar_type(PyObject *o, const usp_view *x, upsweep_op op)
{
    const bool numpy = Py_TYPE(o) == &PyArray_Type;
    if (x->type >= UPSWEEP_F16 || op > UPSWEEP_PRODUCT) {
        return numpy ? PyArray_TYPE((PyArrayObject *)o) : usp_numpy_type(x->type);
    }
    const bool is_signed =
        numpy ? PyArray_TYPE((PyArrayObject *)o) == NPY_BOOL : x->type != UPSWEEP_U64;
    return is_signed ? NPY_INT64 : usp_numpy_type(upsweep_reduce_type(x->type, op));
}

/* A sum, a product, the least or the greatest of a plain array or of a known tensor; None for
 * others, for what has no element that could be the least, for bf16, whose sums are f64 here, and
 * for the least of bytes of a tensor, which may be bool. */
FUNCTION(fast_reduce)
{
    (void)self;
    usp_view x;
    usp_call c;
    unsigned op;
    size_t rows;
    int dimensions;
    if (count != 3 || !usp_array_rows(args[0], &x, &rows, &dimensions) || x.type == UPSWEEP_BF16) {
        Py_RETURN_NONE;
    }
    if (!usp_arguments(&c, args + 1, 2, "uf", &op)) {
        return NULL;
    }
    const bool bytes = Py_TYPE(args[0]) != &PyArray_Type && x.type == UPSWEEP_U8;
    if (op > UPSWEEP_PRODUCT && (x.n == 0 || bytes)) {
        Py_RETURN_NONE;
    }
    if (!usp_open(&c, args[0], &x)) {
        return NULL;
    }
    c.options.flags |= UPSWEEP_ROUNDED;
    return reduced(&c, &x, (upsweep_op)op, scalar_type(args[0], &x, (upsweep_op)op));
}

/* Into one element of out: for results that stay on a device. */
FUNCTION(reduce_into)
{
    (void)self;
    usp_call c;
    usp_view x, out;
    unsigned op;
    if (!usp_begin(&c, args, count, "rwuf", &x, &out, &op)) {
        return NULL;
    }
    if (out.n < 1 || out.type != result_type(&c, &x, (upsweep_op)op)) {
        PyErr_SetString(PyExc_TypeError, "the result has another type");
        return NULL;
    }
    USP_RUN(c, upsweep_reduce(c.u, x.data, x.n, x.type, (upsweep_op)op, out.data, &c.options));
    return usp_done(&c, NULL);
}

/* (x, whether the greatest is wanted): the position in a known tensor; None for others, and for
 * none at all. */
FUNCTION(fast_arg)
{
    (void)self;
    usp_call c = {NULL, -1, 0, NULL, UPSWEEP_OK, UPSWEEP_OPTIONS_INIT};
    usp_view x;
    size_t rows, at = 0;
    int dimensions;
    if (count != 2 || !usp_tensor_rows(args[0], &x, &rows, &dimensions) || x.n == 0) {
        Py_RETURN_NONE;
    }
    if (!usp_open(&c, args[0], &x)) {
        return NULL;
    }
    USP_RUN(c, (args[1] == Py_True ? upsweep_argmax : upsweep_argmin)(c.u, x.data, x.n, x.type, &at,
                                                                      NULL));
    return usp_done(&c, PyLong_FromSize_t(at));
}

FUNCTION(argmin)
{
    (void)self;
    usp_call c;
    usp_view x;
    size_t at = 0;
    if (!usp_begin(&c, args, count, "rf", &x)) {
        return NULL;
    }
    USP_RUN(c, upsweep_argmin(c.u, x.data, x.n, x.type, &at, &c.options));
    return usp_done(&c, PyLong_FromSize_t(at));
}

FUNCTION(argmax)
{
    (void)self;
    usp_call c;
    usp_view x;
    size_t at = 0;
    if (!usp_begin(&c, args, count, "rf", &x)) {
        return NULL;
    }
    USP_RUN(c, upsweep_argmax(c.u, x.data, x.n, x.type, &at, &c.options));
    return usp_done(&c, PyLong_FromSize_t(at));
}

/* Positions within rows of equal length: (x, rows, index, greatest or not). */
FUNCTION(arg_rows)
{
    (void)self;
    usp_call c;
    usp_view x, index;
    size_t rows;
    unsigned greatest;
    if (!usp_begin(&c, args, count, "rnwu", &x, &rows, &index, &greatest)) {
        return NULL;
    }
    if (index.n != rows) {
        return usp_lengths("rows and positions");
    }
    USP_RUN(c, (greatest ? upsweep_argmax_rows
                         : upsweep_argmin_rows)(c.u, x.data, x.n, x.type, NULL, rows, index.data,
                                                (unsigned)(8 * index.bytes), NULL));
    return usp_done(&c, NULL);
}

static PyObject *both_ends(usp_call *c, const usp_view *x)
{
    number least = {{0, 0}}, greatest = {{0, 0}};
    int numpy = x->type == UPSWEEP_BF16 ? NPY_FLOAT : usp_numpy_type(x->type);
    USP_RUN(*c, upsweep_minmax(c->u, x->data, x->n, x->type, &least, &greatest, &c->options));
    if (c->status != UPSWEEP_OK) {
        return usp_done(c, NULL);
    }
    if (x->type == UPSWEEP_BF16) {
        least.words[0] <<= 16;
        greatest.words[0] <<= 16;
    }
    PyObject *a = scalar(&least, numpy), *b = scalar(&greatest, numpy), *both = NULL;
    if (a != NULL && b != NULL) {
        both = PyTuple_Pack(2, a, b);
    }
    Py_XDECREF(a);
    Py_XDECREF(b);
    return both;
}

FUNCTION(minmax)
{
    (void)self;
    usp_call c;
    usp_view x;
    return usp_begin(&c, args, count, "rf", &x) ? both_ends(&c, &x) : NULL;
}

/* (x): the same of a known tensor; None for others, for bytes, which may be bool, and for none. */
FUNCTION(fast_minmax)
{
    (void)self;
    usp_call c = {NULL, -1, 0, NULL, UPSWEEP_OK, UPSWEEP_OPTIONS_INIT};
    usp_view x;
    size_t rows;
    int dimensions;
    if (count != 1 || !usp_tensor_rows(args[0], &x, &rows, &dimensions) || x.n == 0 ||
        x.type == UPSWEEP_U8) {
        Py_RETURN_NONE;
    }
    return usp_open(&c, args[0], &x) ? both_ends(&c, &x) : NULL;
}

/* Whether a scan's result has the type of its elements in numpy and torch, too. */
static bool keeps_type(upsweep_type type, PyObject *op)
{
    const long code = PyLong_CheckExact(op) ? PyLong_AsLong(op) : 0;
    return usp_scans_as_is(type) || code == UPSWEEP_LEAST || code == UPSWEEP_GREATEST;
}

/* A scan of a plain array or a known tensor of one dimension that keeps the type. The fourth
 * argument is None, or where the result goes. */
FUNCTION(fast_scan)
{
    (void)self;
    usp_call c;
    usp_view x, to;
    size_t rows;
    int dimensions;
    unsigned op;
    if (count != 4 || !usp_array_rows(args[0], &x, &rows, &dimensions) || dimensions != 1 ||
        !keeps_type(x.type, args[1]) || (args[3] != Py_None && !usp_takes(args[3], args[0]))) {
        Py_RETURN_NONE;
    }
    if (!usp_arguments(&c, args + 1, 2, "uf", &op) || !usp_open(&c, args[0], &x)) {
        return NULL;
    }
    PyObject *out = usp_result(args[0], args[3], false, &to);
    if (out == NULL) {
        return NULL;
    }
    USP_RUN(c, upsweep_scan(c.u, x.data, to.data, x.n, x.type, (upsweep_op)op, &c.options));
    return usp_done(&c, out);
}

static bool alike(const usp_view *in, const usp_view *out)
{
    if (in->n == out->n && in->type == out->type) {
        return true;
    }
    PyErr_SetString(PyExc_ValueError, "input and output differ in length or dtype");
    return false;
}

FUNCTION(scan)
{
    (void)self;
    usp_call c;
    usp_view in, out;
    unsigned op;
    if (!usp_begin(&c, args, count, "rwuf", &in, &out, &op) || !alike(&in, &out)) {
        return NULL;
    }
    USP_RUN(c, upsweep_scan(c.u, in.data, out.data, in.n, in.type, (upsweep_op)op, &c.options));
    return usp_done(&c, NULL);
}

/* Rows of equal length. */
FUNCTION(scan_rows)
{
    (void)self;
    usp_call c;
    usp_view in, out;
    size_t rows;
    unsigned op;
    if (!usp_begin(&c, args, count, "rwnuf", &in, &out, &rows, &op) || !alike(&in, &out)) {
        return NULL;
    }
    USP_RUN(c, upsweep_scan_rows(c.u, in.data, out.data, in.n, in.type, NULL, rows, (upsweep_op)op,
                                 &c.options));
    return usp_done(&c, NULL);
}

/* An array of outer x length x inner elements, each column of the middle to one element of out. */
FUNCTION(reduce_axis)
{
    (void)self;
    usp_call c;
    usp_view x, out;
    size_t outer, length, inner;
    unsigned op;
    if (!usp_begin(&c, args, count, "rnnnwuf", &x, &outer, &length, &inner, &out, &op)) {
        return NULL;
    }
    if (x.n != outer * length * inner || out.n != outer * inner ||
        out.type != result_type(&c, &x, (upsweep_op)op)) {
        PyErr_SetString(PyExc_TypeError, "the results have another number or type");
        return NULL;
    }
    USP_RUN(c, upsweep_reduce_axis(c.u, x.data, outer, length, inner, x.type, (upsweep_op)op,
                                   out.data, &c.options));
    return usp_done(&c, NULL);
}

FUNCTION(reduce_type)
{
    (void)self;
    usp_call c;
    unsigned type, op;
    if (!usp_arguments(&c, args, count, "uu", &type, &op)) {
        return NULL;
    }
    return PyLong_FromLong((long)upsweep_reduce_type((upsweep_type)type, (upsweep_op)op));
}

FUNCTION(scan_segmented)
{
    (void)self;
    usp_call c;
    usp_view in, heads, out;
    unsigned op;
    if (!usp_begin(&c, args, count, "rrwuf", &in, &heads, &out, &op) || !alike(&in, &out)) {
        return NULL;
    }
    if (heads.n != in.n || heads.bytes != 1) {
        PyErr_SetString(PyExc_ValueError, "heads must be one byte or bool for each element");
        return NULL;
    }
    USP_RUN(c, upsweep_scan_segmented(c.u, in.data, (void *)heads.data, out.data, in.n, in.type,
                                      (upsweep_op)op, &c.options));
    return usp_done(&c, NULL);
}

FUNCTION(scan_by_key)
{
    (void)self;
    usp_call c;
    usp_view in, keys, out;
    unsigned op;
    if (!usp_begin(&c, args, count, "rrwuf", &in, &keys, &out, &op) || !alike(&in, &out)) {
        return NULL;
    }
    if (keys.n != in.n) {
        PyErr_SetString(PyExc_ValueError, "keys and elements differ in length");
        return NULL;
    }
    USP_RUN(c, upsweep_scan_by_key(c.u, keys.data, keys.type, in.data, out.data, in.n, in.type,
                                   (upsweep_op)op, &c.options));
    return usp_done(&c, NULL);
}

PyMethodDef usp_folds[] = {
    USP_METHOD("fast_reduce", fast_reduce,
               "(x, op, flags): of a plain array or a known tensor, else None"),
    USP_METHOD("fast_scan", fast_scan, "(x, op, flags, out): of a plain array, else None"),
    USP_METHOD("reduce", reduce,
               "(x, op, flags, wide): upsweep_reduce, a scalar of numpy; not wide: rounded"),
    USP_METHOD("reduce_into", reduce_into, "(x, out, op, flags): upsweep_reduce"),
    USP_METHOD("fast_arg", fast_arg, "(x, greatest): of a tensor, else None"),
    USP_METHOD("fast_minmax", fast_minmax, "(x): of a tensor, else None"),
    USP_METHOD("argmin", argmin, "(x, flags): upsweep_argmin"),
    USP_METHOD("argmax", argmax, "(x, flags): upsweep_argmax"),
    USP_METHOD("arg_rows", arg_rows, "(x, rows, index, greatest): upsweep_argmax_rows or _argmin_"),
    USP_METHOD("minmax", minmax, "(x, flags): upsweep_minmax"),
    USP_METHOD("scan", scan, "(x, out, op, flags): upsweep_scan"),
    USP_METHOD("scan_rows", scan_rows, "(x, out, rows, op, flags): upsweep_scan_rows"),
    USP_METHOD("reduce_axis", reduce_axis,
               "(x, outer, length, inner, out, op, flags): upsweep_reduce_axis"),
    USP_METHOD("reduce_type", reduce_type, "(type, op): upsweep_reduce_type"),
    USP_METHOD("scan_segmented", scan_segmented, "(x, heads, out, op, flags)"),
    USP_METHOD("scan_by_key", scan_by_key, "(x, keys, out, op, flags)"),
    USP_END,
};
