/* quick.c - calls on tensors that tensors.c knows, from a tensor to a result in one step: the
 * addresses are asked here, results are made once, and no function of Python stands in between.
 * Each gives None for what is no such tensor, and the package then goes its way for arrays of any
 * kind, which has the sentences for what is wrong, too. */
/* SPDX-License-Identifier: MIT */
#include "python/binding/binding.h"

#define FUNCTION(name)                                                                             \
    static PyObject *name(PyObject *self, PyObject *const *args, Py_ssize_t count)

/* A tensor in one piece, of one dimension or, if any, of more. */
static bool tensor(PyObject *o, usp_view *view, bool any)
{
    size_t rows;
    int dimensions;
    return usp_tensor_rows(o, view, &rows, &dimensions) && (any || dimensions == 1);
}

/* A plain array or a tensor of one dimension. */
static bool line(PyObject *o, usp_view *view)
{
    size_t rows;
    int dimensions;
    return usp_array_rows(o, view, &rows, &dimensions) && dimensions == 1;
}

static usp_call new_call(void)
{
    return (usp_call){NULL, -1, 0, NULL, UPSWEEP_OK, UPSWEEP_OPTIONS_INIT};
}

/* n elements of x's type, or places, beside it, in one dimension; NULL: an exception is set. */
static PyObject *room_for(PyObject *x, size_t n, bool places, usp_view *view)
{
    PyObject *made = usp_tensor_room(x, n, places);
    if (made != NULL && !tensor(made, view, false)) {
        PyErr_SetString(PyExc_RuntimeError, "a new tensor is none that the library takes");
        Py_CLEAR(made);
    }
    return made;
}

/* ---- unique ---- */

typedef struct runs {
    usp_view x, keys, order, values, lengths;
    bool wants_order, wants_lengths;
    size_t n; /* different keys */
} runs;

/* The new arrays, of which some are NULL that are not wanted. False: an exception is set. */
static bool make_runs(PyObject *x, runs *r, PyObject *made[4])
{
    made[0] = usp_result(x, NULL, false, &r->keys);
    bool fine = made[0] != NULL;
    if (fine && r->wants_order) {
        made[1] = usp_result(x, NULL, true, &r->order);
        fine = made[1] != NULL;
    }
    if (fine && r->wants_lengths) {
        made[2] = usp_result(x, NULL, false, &r->values);
        made[3] = made[2] == NULL ? NULL : usp_result(x, NULL, true, &r->lengths);
        fine = made[3] != NULL;
    }
    return fine;
}

static upsweep_status find_runs(usp_call *c, runs *r)
{
    const upsweep_options numbers = {.size = sizeof numbers, .flags = UPSWEEP_NUMBERS};
    const usp_view *x = &r->x;
    upsweep_status status = upsweep_sort_copy(c->u, x->data, x->n, x->type, r->keys.data,
                                              r->wants_order ? r->order.data : NULL, 64, NULL);
    if (status == UPSWEEP_OK && r->wants_lengths) {
        status = upsweep_run_lengths(c->u, r->keys.data, x->n, x->type, r->values.data,
                                     (void *)r->lengths.data, &r->n, &numbers);
    } else if (status == UPSWEEP_OK) {
        status = upsweep_unique(c->u, r->keys.data, x->n, x->type, &r->n, &numbers);
    }
    return status;
}

/* (x, lengths wanted, order wanted): (keys, lengths or None, positions that sort x or None, n) of a
 * tensor of one dimension: the first n keys and lengths are those of the runs of equal numbers in
 * order; without lengths the rest of keys is no more than room. */
FUNCTION(fast_unique)
{
    (void)self;
    usp_call c = new_call();
    runs r = {.n = 0};
    PyObject *made[4] = {NULL, NULL, NULL, NULL}, *all = NULL;
    if (count != 3 || !tensor(args[0], &r.x, false)) {
        Py_RETURN_NONE;
    }
    r.wants_lengths = args[1] == Py_True;
    r.wants_order = args[2] == Py_True;
    if (!usp_open(&c, args[0], &r.x)) {
        return NULL;
    }
    const bool ready = make_runs(args[0], &r, made);
    if (ready && r.x.n != 0) {
        USP_RUN(c, find_runs(&c, &r));
    }
    if (ready && c.status == UPSWEEP_OK) {
        all = Py_BuildValue("(OOOn)", made[2] != NULL ? made[2] : made[0],
                            made[3] != NULL ? made[3] : Py_None,
                            made[1] != NULL ? made[1] : Py_None, (Py_ssize_t)r.n);
    }
    for (int i = 0; i < 4; i++) {
        Py_XDECREF(made[i]);
    }
    return ready ? usp_done(&c, all) : NULL;
}

/* ---- pairs ---- */

/* (keys, values, flags): both sorted by the keys, as new tensors. For few pairs, whose values are
 * gathered from the caches; more are sorted as pairs, which takes copies first. FEW: not tuned. */
FUNCTION(fast_sort_pairs)
{
    (void)self;
    enum { FEW = 1 << 16 };
    usp_call c;
    usp_view keys, values, sorted, order, moved;
    if (count != 3 || !tensor(args[0], &keys, false) || keys.n == 0 || keys.n > FEW ||
        !tensor(args[1], &values, false) || values.n != keys.n || values.device != keys.device) {
        Py_RETURN_NONE;
    }
    if (!usp_arguments(&c, args + 2, 1, "f") || !usp_open(&c, args[0], &keys)) {
        return NULL;
    }
    PyObject *made = usp_result(args[0], NULL, false, &sorted), *all = NULL;
    PyObject *index = made == NULL ? NULL : usp_result(args[0], NULL, true, &order);
    PyObject *others = index == NULL ? NULL : usp_result(args[1], NULL, false, &moved);
    if (others != NULL) {
        usp_release(&c);
        c.status = upsweep_sort_copy(c.u, keys.data, keys.n, keys.type, sorted.data, order.data, 64,
                                     &c.options);
        if (c.status == UPSWEEP_OK) {
            c.status = upsweep_gather(c.u, values.data, values.n, order.data, 64, moved.data,
                                      values.n, values.bytes, NULL);
        }
        usp_retake(&c);
        all = c.status == UPSWEEP_OK ? PyTuple_Pack(2, made, others) : NULL;
    }
    const bool ran = others != NULL;
    Py_XDECREF(made);
    Py_XDECREF(index);
    Py_XDECREF(others);
    return ran ? usp_done(&c, all) : NULL;
}

/* ---- searches, order ---- */

/* (a, v, flags): where each of v would go in a, as int64; plain arrays of one kind, too. */
FUNCTION(fast_search)
{
    (void)self;
    usp_call c;
    usp_view keys, wanted, places;
    size_t rows;
    int dimensions;
    if (count != 3 || !line(args[0], &keys) ||
        !usp_array_rows(args[1], &wanted, &rows, &dimensions) || keys.type != wanted.type ||
        keys.device != wanted.device || Py_TYPE(args[0]) != Py_TYPE(args[1])) {
        Py_RETURN_NONE;
    }
    if (!usp_arguments(&c, args + 2, 1, "f") || !usp_open(&c, args[1], &wanted)) {
        return NULL;
    }
    PyObject *made = usp_result(args[1], NULL, true, &places);
    if (made == NULL) {
        return NULL;
    }
    USP_RUN(c, upsweep_search_sorted(c.u, keys.data, keys.n, wanted.data, wanted.n, keys.type,
                                     places.data, 64, &c.options));
    return usp_done(&c, made);
}

/* (x, flags): whether x is in order. */
FUNCTION(fast_is_sorted)
{
    (void)self;
    usp_call c;
    usp_view keys;
    size_t first = 0;
    if (count != 2 || !tensor(args[0], &keys, false)) {
        Py_RETURN_NONE;
    }
    if (!usp_arguments(&c, args + 1, 1, "f") || !usp_open(&c, args[0], &keys)) {
        return NULL;
    }
    USP_RUN(c, upsweep_is_sorted(c.u, keys.data, keys.n, keys.type, &first, &c.options));
    return usp_done(&c, PyBool_FromLong(first == keys.n));
}

/* ---- histograms ---- */

/* (x, keys, whether all are counted): (counts, their sum or 0) of the elements of a tensor between
 * neighbours of the keys, an array of numpy of its type; the last key belongs to the last bin. */
FUNCTION(fast_histogram)
{
    (void)self;
    usp_call c = new_call();
    usp_view x, keys, counts;
    uint64_t total = 0;
    if (count != 3 || !tensor(args[0], &x, false) || !usp_plain(args[1], &keys) ||
        keys.type != x.type || keys.n < 2) {
        Py_RETURN_NONE;
    }
    upsweep_bucketing b = {.size = sizeof b, .kind = UPSWEEP_BUCKET_EDGES, .count = keys.n - 1};
    b.edges = keys.data;
    PyObject *made = usp_open(&c, args[0], &x) ? room_for(args[0], b.count, true, &counts) : NULL;
    if (made == NULL) {
        return NULL;
    }
    usp_release(&c);
    c.status = upsweep_histogram(c.u, x.data, x.n, x.type, &b, (void *)counts.data, NULL);
    if (c.status == UPSWEEP_OK && args[2] == Py_True) {
        c.status =
            upsweep_reduce(c.u, counts.data, b.count, UPSWEEP_U64, UPSWEEP_SUM, &total, NULL);
    }
    usp_retake(&c);
    if (c.status != UPSWEEP_OK) {
        return usp_done(&c, made);
    }
    return Py_BuildValue("(NK)", made, (unsigned long long)total);
}

/* ---- moves ---- */

/* (x, out): x from its end, in out or, if that is None, in a new array; plain arrays, too. */
FUNCTION(fast_reverse)
{
    (void)self;
    usp_call c = new_call();
    usp_view in, to;
    if (count != 2 || !line(args[0], &in) || (args[1] != Py_None && !usp_takes(args[1], args[0]))) {
        Py_RETURN_NONE;
    }
    if (!usp_open(&c, args[0], &in)) {
        return NULL;
    }
    PyObject *out = usp_result(args[0], args[1], false, &to);
    if (out == NULL) {
        return NULL;
    }
    USP_RUN(c, upsweep_reverse_copy(c.u, in.data, to.data, in.n, in.bytes, NULL));
    return usp_done(&c, out);
}

/* (x, indices, whether an element is a row): x.flat at the indices, which are of one dimension. */
FUNCTION(fast_take)
{
    (void)self;
    usp_call c = new_call();
    usp_view in, index, out;
    if (count != 3 || !tensor(args[0], &in, args[2] == Py_False) ||
        !tensor(args[1], &index, false) || index.bytes < 4 || index.type > UPSWEEP_I64 ||
        index.device != in.device) {
        Py_RETURN_NONE;
    }
    PyObject *made = usp_open(&c, args[0], &in) ? room_for(args[0], index.n, false, &out) : NULL;
    if (made == NULL) {
        return NULL;
    }
    c.longest = in.n > index.n ? in.n : index.n;
    if (index.n != 0) {
        USP_RUN(c, upsweep_gather(c.u, in.data, in.n, index.data, (unsigned)(8 * index.bytes),
                                  out.data, index.n, in.bytes, NULL));
    }
    return usp_done(&c, made);
}

/* (condition, x): (room of x's length whose first n elements are those where condition is not 0,
 * n); both are of one dimension. */
FUNCTION(fast_compress)
{
    (void)self;
    usp_call c = new_call();
    usp_view flags, in, out;
    size_t kept = 0;
    if (count != 2 || !line(args[0], &flags) || !line(args[1], &in) || flags.bytes != 1 ||
        flags.n != in.n || in.n == 0 || flags.device != in.device) {
        Py_RETURN_NONE;
    }
    PyObject *made = usp_open(&c, args[1], &in) ? usp_result(args[1], NULL, false, &out) : NULL;
    if (made == NULL) {
        return NULL;
    }
    USP_RUN(c, upsweep_compact(c.u, in.data, (void *)flags.data, out.data, in.n, in.bytes, &kept,
                               NULL));
    if (c.status != UPSWEEP_OK) {
        return usp_done(&c, made);
    }
    return Py_BuildValue("(Nn)", made, (Py_ssize_t)kept);
}

PyMethodDef usp_quick[] = {
    USP_METHOD("fast_unique", fast_unique, "(x, lengths, order): runs of a tensor, else None"),
    USP_METHOD("fast_sort_pairs", fast_sort_pairs, "(keys, values, flags): few pairs of tensors"),
    USP_METHOD("fast_search", fast_search, "(a, v, flags): places in a plain array or tensor"),
    USP_METHOD("fast_is_sorted", fast_is_sorted, "(x, flags): of a tensor, else None"),
    USP_METHOD("fast_histogram", fast_histogram, "(x, keys, all): of a tensor, else None"),
    USP_METHOD("fast_reverse", fast_reverse, "(x, out): of a plain array or tensor, else None"),
    USP_METHOD("fast_take", fast_take, "(x, indices, rows): of tensors, else None"),
    USP_METHOD("fast_compress", fast_compress, "(condition, x): of plain arrays or tensors"),
    USP_END,
};
