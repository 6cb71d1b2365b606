/* axes.c - sorts, positions, scans and reductions along an axis. The library reduces along any; for
 * the others blocks of columns are moved to rows, which its calls on rows take, and moved back. A
 * block stays in the caches, so that the array is read and written once. */
/* SPDX-License-Identifier: MIT */
#include "python/binding/binding.h"

#define FUNCTION(name)                                                                             \
    static PyObject *name(PyObject *self, PyObject *const *args, Py_ssize_t count)

enum { BLOCK_BYTES = 4 << 20, LINE_BYTES = 64, BAND = 32, SIDE = 16 };

/* An array of outer x length x inner elements, of which columns of `length` are taken: in blocks of
 * `columns` neighbours, or of all columns of several of the `outer`. */
typedef struct along {
    usp_view x;
    size_t outer, length, inner, slabs, columns;
    int64_t dims[USP_DIMENSIONS];
    int dimensions, axis;
    upsweep_op op; /* of a scan or reduction */
} along;

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Turns a matrix of high x wide elements, whose rows begin `step` elements apart, into one whose
 * rows are its columns, `to_step` apart: BAND rows at a time, whose lines stay in the first cache
 * until all columns have been read from them, by squares of SIDE, which keep to fewer lines where
 * rows are a power of two apart and meet in the same places of the cache. */
#define TURN(TYPE)                                                                                 \
    static void turn_square_##TYPE(const TYPE *x, size_t step, TYPE *y, size_t to_step,            \
                                   size_t high, size_t wide)                                       \
    {                                                                                              \
        for (size_t k = 0; k < wide; k++) {                                                        \
            for (size_t i = 0; i < high; i++) {                                                    \
                y[k * to_step + i] = x[i * step + k];                                              \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void turn_##TYPE(const void *from, size_t step, void *to, size_t to_step, size_t high,  \
                            size_t wide)                                                           \
    {                                                                                              \
        for (size_t begin = 0; begin < high; begin += BAND) {                                      \
            size_t end = begin + least(BAND, high - begin);                                        \
            for (size_t k = 0; k < wide; k += SIDE) {                                              \
                for (size_t i = begin; i < end; i += SIDE) {                                       \
                    turn_square_##TYPE((const TYPE *)from + i * step + k, step,                    \
                                       (TYPE *)to + k * to_step + i, to_step,                      \
                                       least(SIDE, end - i), least(SIDE, wide - k));               \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }
TURN(uint8_t)
TURN(uint16_t)
TURN(uint32_t)
TURN(uint64_t)

typedef void (*turn)(const void *from, size_t step, void *to, size_t to_step, size_t high,
                     size_t wide);

static turn turn_of(size_t bytes)
{
    return bytes == 1   ? turn_uint8_t
           : bytes == 2 ? turn_uint16_t
           : bytes == 4 ? turn_uint32_t
                        : turn_uint64_t;
}

/* Whether o is an array or a tensor that is known, and the axis one of its own. */
static bool takes_any(PyObject *o, PyObject *axis, along *a)
{
    if (!PyLong_CheckExact(axis) || !usp_array_shape(o, &a->x, a->dims, &a->dimensions)) {
        return false;
    }
    long at = PyLong_AsLong(axis);
    if (at == -1 && PyErr_Occurred()) {
        PyErr_Clear(); /* no such axis: who is asked next says so */
        return false;
    }
    at += at < 0 ? a->dimensions : 0;
    if (at < 0 || at >= a->dimensions) {
        return false;
    }
    a->axis = (int)at;
    a->outer = a->inner = 1;
    a->length = (size_t)a->dims[at];
    for (int d = 0; d < a->dimensions; d++) {
        *(d < at ? &a->outer : &a->inner) *= d == at ? 1 : (size_t)a->dims[d];
    }
    return true;
}

/* The same of a plain array, whose columns can be moved. */
static bool takes(PyObject *o, PyObject *axis, along *a)
{
    return Py_TYPE(o) == &PyArray_Type && takes_any(o, axis, a);
}

/* How many columns a block has: whole lines of them, and the outer that fit with all of theirs. */
static void choose_block(along *a, size_t bytes)
{
    size_t column = a->length * bytes, line = LINE_BYTES / a->x.bytes;
    size_t columns = BLOCK_BYTES / column / line * line;
    columns = columns < line ? line : columns;
    a->columns = least(columns, a->inner);
    a->slabs = least(columns / a->columns, a->outer);
}

/* Calls on `count` rows of a block; index: NULL, or positions for them. */
typedef upsweep_status (*rows_call)(usp_call *c, const along *a, void *rows, size_t count,
                                    void *index);

static upsweep_status sort_block(usp_call *c, const along *a, void *rows, size_t count, void *index)
{
    return upsweep_sort_rows(c->u, rows, count * a->length, a->x.type, NULL, count, index, 64,
                             &c->options);
}

static upsweep_status scan_block(usp_call *c, const along *a, void *rows, size_t count, void *index)
{
    (void)index;
    return upsweep_scan_rows(c->u, rows, rows, count * a->length, a->x.type, NULL, count, a->op,
                             &c->options);
}

static void run_blocks(usp_call *c, const along *a, rows_call call, char *rows, char *index,
                       char *out)
{
    size_t bytes = a->x.bytes, out_bytes = index == NULL ? bytes : sizeof(uint64_t);
    size_t slab = a->length * a->inner;
    turn to_rows = turn_of(bytes), back = turn_of(out_bytes);
    for (size_t s = 0; s < a->outer; s += a->slabs) {
        size_t slabs = least(a->slabs, a->outer - s);
        for (size_t k = 0; k < a->inner && c->status == UPSWEEP_OK; k += a->columns) {
            size_t columns = least(a->columns, a->inner - k);
            size_t elements = columns * a->length;
            for (size_t i = 0; i < slabs; i++) {
                to_rows(a->x.data + ((s + i) * slab + k) * bytes, a->inner,
                        rows + i * elements * bytes, a->length, a->length, columns);
            }
            c->status = call(c, a, rows, slabs * columns, index);
            for (size_t i = 0; i < slabs && c->status == UPSWEEP_OK; i++) {
                back((index == NULL ? rows : index) + i * elements * out_bytes, a->length,
                     out + ((s + i) * slab + k) * out_bytes, a->inner, columns, a->length);
            }
        }
    }
}

/* Takes the reference to out, which is NULL where it could not be made. */
static PyObject *along_axis(usp_call *c, along *a, rows_call call, bool with_index, PyObject *out)
{
    if (out == NULL || a->x.n == 0) {
        return out;
    }
    choose_block(a, a->x.bytes + (with_index ? sizeof(uint64_t) : 0));
    size_t elements = a->slabs * a->columns * a->length, bytes = elements * a->x.bytes;
    size_t index_bytes = with_index ? elements * sizeof(uint64_t) : 0;
    npy_intp room_bytes = (npy_intp)(index_bytes + bytes);
    PyObject *room =
        PyArray_SimpleNew(1, &room_bytes, NPY_UINT8); /* in large pages, if it is large */
    if (room == NULL) {
        Py_DECREF(out);
        return NULL;
    }
    char *at = PyArray_BYTES((PyArrayObject *)room);
    c->longest = a->x.n;
    usp_release(c);
    run_blocks(c, a, call, at + index_bytes, with_index ? at : NULL,
               PyArray_BYTES((PyArrayObject *)out));
    usp_retake(c);
    Py_DECREF(room);
    return usp_done(c, out);
}

/* out, or a new array of x's shape. */
static PyObject *result(PyObject *x, PyObject *out, int type)
{
    if (out == Py_None) {
        PyArrayObject *a = (PyArrayObject *)x;
        return PyArray_SimpleNew(PyArray_NDIM(a), PyArray_DIMS(a), type);
    }
    Py_INCREF(out);
    return out;
}

FUNCTION(sort_along)
{
    (void)self;
    along a;
    usp_call c;
    if (count != 4 || !takes(args[0], args[1], &a) ||
        (args[3] != Py_None && !usp_takes(args[3], args[0]))) {
        Py_RETURN_NONE;
    }
    if (!usp_begin(&c, args + 2, 1, "f")) {
        return NULL;
    }
    return along_axis(&c, &a, sort_block, false,
                      result(args[0], args[3], PyArray_TYPE((PyArrayObject *)args[0])));
}

FUNCTION(argsort_along)
{
    (void)self;
    along a;
    usp_call c;
    if (count != 3 || !takes(args[0], args[1], &a)) {
        Py_RETURN_NONE;
    }
    if (!usp_begin(&c, args + 2, 1, "f")) {
        return NULL;
    }
    return along_axis(&c, &a, sort_block, true, result(args[0], Py_None, NPY_INTP));
}

/* Of f32, f64, i64 and u64, whose type the result has in numpy, too. */
FUNCTION(scan_along)
{
    (void)self;
    along a;
    usp_call c;
    unsigned op;
    if (count != 5 || !takes(args[0], args[1], &a) || !usp_scans_as_is(a.x.type) ||
        (args[4] != Py_None && !usp_takes(args[4], args[0]))) {
        Py_RETURN_NONE;
    }
    if (!usp_begin(&c, args + 2, 2, "uf", &op)) {
        return NULL;
    }
    PyObject *out;
    if (a.inner == 1) { /* rows already */
        out = result(args[0], args[4], PyArray_TYPE((PyArrayObject *)args[0]));
        if (out != NULL && a.x.n > 0) {
            c.longest = a.x.n;
            void *to = PyArray_DATA((PyArrayObject *)out);
            USP_RUN(c, upsweep_scan_rows(c.u, a.x.data, to, a.x.n, a.x.type, NULL, a.outer,
                                         (upsweep_op)op, &c.options));
            out = usp_done(&c, out);
        }
        return out;
    }
    a.op = (upsweep_op)op;
    return along_axis(&c, &a, scan_block, false,
                      result(args[0], args[4], PyArray_TYPE((PyArrayObject *)args[0])));
}

/* ---- reductions ---- */

/* Sums and products have the type that numpy or torch gives them, to which the library rounds. */
FUNCTION(reduce_along)
{
    (void)self;
    along a;
    usp_call c;
    usp_view to;
    unsigned op, keep;
    if (count != 5 || !takes_any(args[0], args[1], &a) || a.x.n == 0) {
        Py_RETURN_NONE;
    }
    if (!usp_arguments(&c, args + 2, 3, "ufu", &op, &keep)) {
        return NULL;
    }
    if (upsweep_reduce_type(a.x.type, (upsweep_op)op) == 0) {
        Py_RETURN_NONE;
    }
    if (!usp_open(&c, args[0], &a.x)) {
        return NULL;
    }
    int kept = 0;
    for (int d = 0; d < a.dimensions; d++) {
        if (d != a.axis || keep) {
            a.dims[kept++] = d == a.axis ? 1 : a.dims[d];
        }
    }
    PyObject *out = usp_reduced_array(args[0], &a.x, (upsweep_op)op, a.dims, kept, &to);
    if (out == NULL) {
        return NULL;
    }
    c.options.flags |= UPSWEEP_ROUNDED;
    USP_RUN(c, upsweep_reduce_axis(c.u, a.x.data, a.outer, a.length, a.inner, a.x.type,
                                   (upsweep_op)op, to.data, &c.options));
    return usp_done(&c, out);
}

PyMethodDef usp_axes[] = {
    USP_METHOD("reduce_along", reduce_along,
               "(x, axis, op, flags, keep): every row along an axis of a plain array\n"
               "or a known tensor, else None"),
    USP_METHOD("sort_along", sort_along,
               "(x, axis, flags, out): a plain array sorted along an axis, else None"),
    USP_METHOD("argsort_along", argsort_along, "(x, axis, flags): as sort_along, positions"),
    USP_METHOD("scan_along", scan_along, "(x, axis, op, flags, out): as sort_along, a scan"),
    USP_END,
};
