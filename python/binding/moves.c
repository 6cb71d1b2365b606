/* moves.c - splits, histograms, gathers, scatters and permutations. */
/* SPDX-License-Identifier: MIT */
#include "python/binding/binding.h"

#define FUNCTION(name)                                                                             \
    static PyObject *name(PyObject *self, PyObject *const *args, Py_ssize_t count)

static PyObject *wrong(const char *text)
{
    PyErr_SetString(PyExc_ValueError, text);
    return NULL;
}

/* Elements of in for each of n: their bytes; 0 if that does not come out even. */
static size_t bytes_for(const usp_view *in, size_t n)
{
    size_t all = in->n * in->bytes;
    return n == 0 ? (in->bytes == 0 ? 1 : in->bytes) : all % n == 0 ? all / n : 0;
}

FUNCTION(split)
{
    (void)self;
    usp_call c;
    usp_view in, flags, out;
    size_t zeros = 0;
    if (!usp_begin(&c, args, count, "brB", &in, &flags, &out)) {
        return NULL;
    }
    size_t bytes = bytes_for(&in, flags.n);
    if (flags.bytes != 1 || bytes == 0 || out.n * out.bytes != flags.n * bytes) {
        return wrong("flags must be one byte or bool for each element");
    }
    USP_RUN(
        c, upsweep_split(c.u, in.data, (void *)flags.data, out.data, flags.n, bytes, &zeros, NULL));
    return usp_done(&c, PyLong_FromSize_t(zeros));
}

FUNCTION(compact)
{
    (void)self;
    usp_call c;
    usp_view in, flags, out;
    size_t kept = 0;
    if (!usp_begin(&c, args, count, "brB", &in, &flags, &out)) {
        return NULL;
    }
    size_t bytes = bytes_for(&in, flags.n);
    if (flags.bytes != 1 || bytes == 0 || out.n * out.bytes < flags.n * bytes) {
        return wrong("flags must be one byte or bool for each element");
    }
    USP_RUN(c, upsweep_compact(c.u, in.data, (void *)flags.data, out.data, flags.n, bytes, &kept,
                               NULL));
    return usp_done(&c, PyLong_FromSize_t(kept));
}

/* (keys, kind, bit, bits, count, range, edges, counts): range holds low and high, or is None. */
FUNCTION(histogram)
{
    (void)self;
    usp_call c;
    usp_view keys, range, edges, counts;
    unsigned kind, bit, bits;
    size_t buckets;
    if (!usp_begin(&c, args, count, "ruuunRRw", &keys, &kind, &bit, &bits, &buckets, &range, &edges,
                   &counts)) {
        return NULL;
    }
    if (counts.n != buckets || counts.bytes != 8 || (range.data != NULL && range.n != 2) ||
        (range.data != NULL && range.type != keys.type) ||
        (edges.data != NULL && (edges.n != buckets + 1 || edges.type != keys.type))) {
        return wrong("keys, edges and counts do not agree");
    }
    upsweep_bucketing b = {sizeof b, (upsweep_bucketing_kind)kind, bit, bits, buckets, NULL, NULL,
                           NULL};
    b.edges = edges.data;
    b.low = range.data;
    b.high = range.data == NULL ? NULL : range.data + range.bytes;
    USP_RUN(c, upsweep_histogram(c.u, keys.data, keys.n, keys.type, &b, (void *)counts.data, NULL));
    return usp_done(&c, NULL);
}

#define COUNT(TYPE)                                                                                \
    static void count_##TYPE(const void *numbers, size_t n, npy_intp *counts)                      \
    {                                                                                              \
        const TYPE *x = numbers;                                                                   \
        for (size_t i = 0; i < n; i++) {                                                           \
            counts[x[i]]++;                                                                        \
        }                                                                                          \
    }
COUNT(uint8_t)
COUNT(uint16_t)
COUNT(uint32_t)
COUNT(uint64_t)

/* The same for numbers below `below`, at most TABLE, which no negative one is: one more than the
 * greatest of them, or 0 and nothing done where there is another. To find what bits they have
 * together takes half as long as to find the greatest. */
enum { TABLE = 4096 };
#define COUNT_SMALL(TYPE)                                                                          \
    static size_t count_small_##TYPE(const void *numbers, size_t n, uint64_t below,                \
                                     npy_intp *counts)                                             \
    {                                                                                              \
        const TYPE *x = numbers;                                                                   \
        uint64_t bits = 0;                                                                         \
        for (size_t i = 0; i < n; i++) {                                                           \
            bits |= x[i];                                                                          \
        }                                                                                          \
        if (bits >= below) {                                                                       \
            return 0;                                                                              \
        }                                                                                          \
        size_t size = (size_t)2 << (63 - __builtin_clzll(bits | 1)), i = 0;                        \
        memset(counts, 0, size * sizeof *counts);                                                  \
        for (; i + 4 <= n; i += 4) { /* one a turn takes up to 1.6 times as long */                \
            counts[x[i] & (size - 1)]++;                                                           \
            counts[x[i + 1] & (size - 1)]++;                                                       \
            counts[x[i + 2] & (size - 1)]++;                                                       \
            counts[x[i + 3] & (size - 1)]++;                                                       \
        }                                                                                          \
        for (; i < n; i++) {                                                                       \
            counts[x[i] & (size - 1)]++;                                                           \
        }                                                                                          \
        while (counts[size - 1] == 0) {                                                            \
            size--;                                                                                \
        }                                                                                          \
        return size;                                                                               \
    }
COUNT_SMALL(uint8_t)
COUNT_SMALL(uint16_t)
COUNT_SMALL(uint32_t)
COUNT_SMALL(uint64_t)

bool usp_ends(usp_call *c, const usp_view *x, uint64_t ends[2])
{
    const unsigned gone = 64 - 8 * (unsigned)x->bytes;
    ends[0] = ends[1] = 0;
    c->status = upsweep_minmax(c->u, x->data, x->n, x->type, &ends[0], &ends[1], NULL);
    for (int e = 0; e < 2 && x->type >= UPSWEEP_I8; e++) {
        ends[e] = (uint64_t)((int64_t)(ends[e] << gone) >> gone);
    }
    return c->status == UPSWEEP_OK;
}

/* Bytes on a GPU, for a result of 256 counts, so that nobody has to look for the greatest. */
static PyObject *count_bytes(PyObject *x, const usp_view *v)
{
    usp_call c = {NULL, -1, 0, NULL, UPSWEEP_OK, UPSWEEP_OPTIONS_INIT};
    const upsweep_bucketing b = {sizeof b, UPSWEEP_BUCKET_DIGIT, 0, 8, 256, NULL, NULL, NULL};
    usp_view to;
    PyObject *room = usp_open(&c, x, v) ? usp_tensor_room(x, 256, true) : NULL;
    PyObject *made = room == NULL ? NULL : usp_result(x, room, true, &to);
    Py_XDECREF(room);
    if (made == NULL) {
        return NULL;
    }
    USP_RUN(c, upsweep_histogram(c.u, v->data, v->n, v->type, &b, (void *)to.data, NULL));
    return usp_done(&c, made);
}

/* (x, least length): how often each of few numbers occurs. The counts are made here, as numpy makes
 * its own, since tables for several threads and their sum would take longer. None for what is no
 * plain array of integers, and for negative ones. */
FUNCTION(fast_bincount)
{
    (void)self;
    enum { FEW = 1 << 17 };
    usp_call c;
    usp_view x;
    uint64_t ends[2];
    size_t length, rows;
    int dimensions;
    if (count == 2 && Py_TYPE(args[0]) != &PyArray_Type && PyLong_CheckExact(args[1]) &&
        PyLong_AsLong(args[1]) == 256 && usp_array_rows(args[0], &x, &rows, &dimensions) &&
        dimensions == 1 && x.device >= 0 && x.type == UPSWEEP_U8) {
        return count_bytes(args[0], &x);
    }
    PyErr_Clear();
    if (count != 2 || !usp_plain(args[0], &x) || x.n == 0 || x.n >= FEW || x.type > UPSWEEP_I64 ||
        x.type == UPSWEEP_U64 || !PyLong_CheckExact(args[1]) || PyLong_AsSsize_t(args[1]) < 0) {
        PyErr_Clear();
        Py_RETURN_NONE;
    }
    if (!usp_begin(&c, args + 1, 1, "n", &length)) {
        return NULL;
    }
    npy_intp table[TABLE];
    table[0] = 0; /* the others are cleared where they are needed */
    c.longest = x.n;
    usp_release(&c);
    const size_t found = (x.bytes == 1   ? count_small_uint8_t
                          : x.bytes == 2 ? count_small_uint16_t
                          : x.bytes == 4 ? count_small_uint32_t
                                         : count_small_uint64_t)(
        x.data, x.n, x.type == UPSWEEP_I8 ? 128 : TABLE, table);
    usp_retake(&c);
    if (found > 0) {
        npy_intp size = (npy_intp)(found > length ? found : length);
        PyObject *few = PyArray_ZEROS(1, &size, NPY_INTP, 0);
        if (few != NULL) {
            memcpy(PyArray_DATA((PyArrayObject *)few), table, found * sizeof *table);
        }
        return few;
    }
    if (!usp_ends(&c, &x, ends)) {
        return usp_done(&c, NULL);
    }
    if (x.type >= UPSWEEP_I8 && (int64_t)ends[0] < 0) {
        Py_RETURN_NONE;
    }
    const uint64_t high = ends[1];
    npy_intp size = (npy_intp)(high + 1 > length ? high + 1 : length);
    PyObject *made = PyArray_ZEROS(1, &size, NPY_INTP, 0);
    if (made != NULL) {
        npy_intp *counts = PyArray_DATA((PyArrayObject *)made);
        c.longest = x.n;
        usp_release(&c);
        (x.bytes == 1   ? count_uint8_t
         : x.bytes == 2 ? count_uint16_t
         : x.bytes == 4 ? count_uint32_t
                        : count_uint64_t)(x.data, x.n, counts);
        usp_retake(&c);
    }
    return made;
}

FUNCTION(split_ids)
{
    (void)self;
    usp_call c;
    usp_view in, ids, out, offsets;
    size_t buckets;
    if (!usp_begin(&c, args, count, "brnBW", &in, &ids, &buckets, &out, &offsets)) {
        return NULL;
    }
    size_t bytes = bytes_for(&in, ids.n);
    if (bytes == 0 || out.n * out.bytes != ids.n * bytes ||
        (offsets.data != NULL && (offsets.bytes != 8 || offsets.n != buckets + 1))) {
        return wrong("elements, ids and offsets do not agree");
    }
    USP_RUN(c, upsweep_split_ids(c.u, in.data, ids.data, ids.type, buckets, out.data, ids.n, bytes,
                                 (void *)offsets.data, NULL));
    return usp_done(&c, NULL);
}

FUNCTION(gather)
{
    (void)self;
    usp_call c;
    usp_view in, index, out;
    size_t items;
    if (!usp_begin(&c, args, count, "bnrB", &in, &items, &index, &out)) {
        return NULL;
    }
    size_t bytes = bytes_for(&in, items);
    if (bytes == 0 || out.n * out.bytes != index.n * bytes) {
        return wrong("elements, positions and output do not agree");
    }
    USP_RUN(c, upsweep_gather(c.u, in.data, items, index.data, (unsigned)(8 * index.bytes),
                              out.data, index.n, bytes, NULL));
    return usp_done(&c, NULL);
}

FUNCTION(scatter)
{
    (void)self;
    usp_call c;
    usp_view in, index, out;
    size_t items;
    if (!usp_begin(&c, args, count, "brBn", &in, &index, &out, &items)) {
        return NULL;
    }
    size_t bytes = bytes_for(&out, items);
    if (bytes == 0 || in.n * in.bytes != index.n * bytes) {
        return wrong("elements, positions and output do not agree");
    }
    USP_RUN(c, upsweep_scatter(c.u, in.data, index.data, (unsigned)(8 * index.bytes), out.data,
                               items, index.n, bytes, NULL));
    return usp_done(&c, NULL);
}

FUNCTION(permute)
{
    (void)self;
    usp_call c;
    usp_view data, index;
    if (!usp_begin(&c, args, count, "Br", &data, &index)) {
        return NULL;
    }
    size_t bytes = bytes_for(&data, index.n);
    if (bytes == 0) {
        return wrong("elements and positions do not agree");
    }
    USP_RUN(c, upsweep_permute(c.u, data.data, index.data, (unsigned)(8 * index.bytes), index.n,
                               bytes, NULL));
    return usp_done(&c, NULL);
}

FUNCTION(reverse)
{
    (void)self;
    usp_call c;
    usp_view in, out;
    if (!usp_begin(&c, args, count, "bB", &in, &out)) {
        return NULL;
    }
    if (out.n != in.n || out.bytes != in.bytes) {
        return wrong("elements and output do not agree");
    }
    USP_RUN(c, upsweep_reverse_copy(c.u, in.data, out.data, in.n, in.bytes, NULL));
    return usp_done(&c, NULL);
}

/* An array of outer x length x inner elements; its last two axes change places in out. */
FUNCTION(transpose)
{
    (void)self;
    usp_call c;
    usp_view in, out;
    size_t outer, length, inner;
    if (!usp_begin(&c, args, count, "rnnnw", &in, &outer, &length, &inner, &out)) {
        return NULL;
    }
    if (in.n != outer * length * inner || out.n != in.n || out.bytes != in.bytes) {
        return wrong("the arrays do not agree");
    }
    USP_RUN(c, upsweep_transpose(c.u, in.data, outer, length, inner, out.data, in.bytes, NULL));
    return usp_done(&c, NULL);
}

PyMethodDef usp_moves[] = {
    USP_METHOD("split", split, "(in, flags, out): how many have flag 0"),
    USP_METHOD("compact", compact, "(in, flags, out): how many are kept"),
    USP_METHOD("fast_bincount", fast_bincount,
               "(x, least length): of few plain integers, else None"),
    USP_METHOD("histogram", histogram, "(keys, kind, bit, bits, count, range, edges, counts)"),
    USP_METHOD("split_ids", split_ids, "(in, ids, count, out, offsets)"),
    USP_METHOD("gather", gather, "(in, items, index, out)"),
    USP_METHOD("scatter", scatter, "(in, index, out, items)"),
    USP_METHOD("permute", permute, "(data, index)"),
    USP_METHOD("reverse", reverse, "(in, out): out may be in"),
    USP_METHOD("transpose", transpose, "(in, outer, length, inner, out)"),
    USP_END,
};
