/* graphs.c - graphs and shortest paths. A graph is a capsule. */
/* SPDX-License-Identifier: MIT */
#include "python/binding/binding.h"
#include <math.h>

#define FUNCTION(name)                                                                             \
    static PyObject *name(PyObject *self, PyObject *const *args, Py_ssize_t count)
static const char kind[] = "upsweep.graph";

static void drop(PyObject *capsule)
{
    upsweep_graph_free(PyCapsule_GetPointer(capsule, kind));
}

static bool whole(const usp_view *v, size_t bytes)
{
    if (v->data == NULL || v->bytes == bytes) {
        return true;
    }
    PyErr_SetString(PyExc_TypeError, "ids have 32 bits, beginnings of rows 64");
    return false;
}

static PyObject *graph_made(usp_call *c, upsweep_graph *graph)
{
    if (c->status == UPSWEEP_ERROR_RANGE) {
        char text[512];
        upsweep_last_error(c->u, text, sizeof text);
        PyErr_SetString(PyExc_ValueError, text);
        return NULL;
    }
    return usp_done(c, c->status == UPSWEEP_OK ? PyCapsule_New(graph, kind, drop) : NULL);
}

FUNCTION(from_arcs)
{
    (void)self;
    usp_call c;
    usp_view tail, head, weight;
    size_t vertices;
    unsigned flags;
    upsweep_graph *graph = NULL;
    if (!usp_arguments(&c, args, count, "nrrRu", &vertices, &tail, &head, &weight, &flags) ||
        !whole(&tail, 4) || !whole(&head, 4)) {
        return NULL;
    }
    if (tail.n != head.n || (weight.device != -2 && weight.n != head.n)) {
        PyErr_SetString(PyExc_ValueError, "tails, heads and weights differ in length");
        return NULL;
    }
    c.u = usp_maker();
    if (c.u == NULL) {
        return NULL;
    }
    USP_RUN(c, upsweep_graph_from_arcs(c.u, vertices, head.n, (void *)tail.data, (void *)head.data,
                                       weight.data, weight.type, flags, &graph));
    return graph_made(&c, graph);
}

FUNCTION(from_rows)
{
    (void)self;
    usp_call c;
    usp_view begin, head, weight;
    unsigned flags;
    upsweep_graph *graph = NULL;
    if (!usp_arguments(&c, args, count, "rrRu", &begin, &head, &weight, &flags) ||
        !whole(&begin, 8) || !whole(&head, 4)) {
        return NULL;
    }
    uint64_t last = 0;
    if (begin.n > 0) {
        memcpy(&last, begin.data + 8 * (begin.n - 1), sizeof last);
    }
    if (begin.n == 0 || last != head.n || (weight.device != -2 && weight.n != head.n)) {
        PyErr_SetString(PyExc_ValueError, "rows, heads and weights do not agree");
        return NULL;
    }
    c.u = usp_maker();
    if (c.u == NULL) {
        return NULL;
    }
    USP_RUN(c, upsweep_graph_from_rows(c.u, begin.n - 1, (void *)begin.data, (void *)head.data,
                                       weight.data, weight.type, flags, &graph));
    return graph_made(&c, graph);
}

FUNCTION(describe)
{
    (void)self;
    usp_call c;
    PyObject *capsule;
    if (!usp_arguments(&c, args, count, "o", &capsule)) {
        return NULL;
    }
    upsweep_graph *graph = PyCapsule_GetPointer(capsule, kind);
    upsweep_graph_info i = UPSWEEP_GRAPH_INFO_INIT;
    if (graph == NULL) {
        return NULL;
    }
    c.status = upsweep_graph_describe(graph, &i);
    if (c.status != UPSWEEP_OK) {
        return usp_raise(NULL, c.status);
    }
    return Py_BuildValue("{s:n,s:n,s:i,s:i,s:d,s:d,s:n,s:n}", "vertices", (Py_ssize_t)i.vertices,
                         "arcs", (Py_ssize_t)i.arcs, "weight_type", (int)i.weight_type,
                         "distance_type", (int)i.distance_type, "weight_mean", i.weight_mean,
                         "weight_max", i.weight_max, "degree_max", (Py_ssize_t)i.degree_max,
                         "bytes", (Py_ssize_t)i.bytes);
}

/* What all queries take: the graph, sources, and outputs of the right size and type. */
static upsweep_graph *graph_for(PyObject *capsule, usp_call *c, const usp_view *sources,
                                const usp_view *distance, const usp_view *parent, size_t rows)
{
    upsweep_graph *graph = PyCapsule_GetPointer(capsule, kind);
    upsweep_graph_info i = UPSWEEP_GRAPH_INFO_INIT;
    if (graph == NULL || !whole(sources, 4) || !whole(parent, 4)) {
        return NULL;
    }
    upsweep_graph_describe(graph, &i);
    if (distance->n != i.vertices * rows || distance->type != i.distance_type ||
        (parent->data != NULL && parent->n != i.vertices * rows)) {
        PyErr_SetString(PyExc_ValueError, "the outputs have another length or dtype");
        return NULL;
    }
    c->longest = i.vertices + i.arcs;
    return graph;
}

/* (graph, sources, distance, parent, cutoff, targets, algorithm) */
FUNCTION(paths)
{
    (void)self;
    usp_call c;
    usp_view sources, distance, parent, cutoff, targets;
    PyObject *capsule;
    const char *algorithm;
    if (!usp_begin(&c, args, count, "orwWRRs", &capsule, &sources, &distance, &parent, &cutoff,
                   &targets, &algorithm) ||
        !whole(&targets, 4)) {
        return NULL;
    }
    upsweep_graph *graph = graph_for(capsule, &c, &sources, &distance, &parent, 1);
    if (graph == NULL) {
        return NULL;
    }
    upsweep_path_options o = {sizeof o,
                              *algorithm == '\0' ? NULL : algorithm,
                              (void *)targets.data,
                              targets.n,
                              cutoff.data,
                              0};
    USP_RUN(c, upsweep_paths(c.u, graph, (void *)sources.data, sources.n, distance.data,
                             (void *)parent.data, &o));
    return usp_done(&c, NULL);
}

/* A row for each source: (graph, sources, distance, parent, cutoff). */
FUNCTION(matrix)
{
    (void)self;
    usp_call c;
    usp_view sources, distance, parent, cutoff;
    PyObject *capsule;
    if (!usp_begin(&c, args, count, "orwWR", &capsule, &sources, &distance, &parent, &cutoff)) {
        return NULL;
    }
    upsweep_graph *graph = graph_for(capsule, &c, &sources, &distance, &parent, sources.n);
    if (graph == NULL) {
        return NULL;
    }
    upsweep_batch_options o;
    memset(&o, 0, sizeof o);
    o.size = sizeof o;
    o.cutoff = cutoff.data;
    USP_RUN(c, upsweep_paths_matrix(c.u, graph, (void *)sources.data, sources.n, &o, distance.data,
                                    (void *)parent.data));
    return usp_done(&c, NULL);
}

/* The length of the negative cycle that was found and written to cycle, or 0. */
FUNCTION(bellman_ford)
{
    (void)self;
    usp_call c;
    usp_view sources, distance, parent, cycle;
    PyObject *capsule;
    if (!usp_begin(&c, args, count, "orwWw", &capsule, &sources, &distance, &parent, &cycle) ||
        !whole(&cycle, 4)) {
        return NULL;
    }
    upsweep_graph *graph = graph_for(capsule, &c, &sources, &distance, &parent, 1);
    if (graph == NULL) {
        return NULL;
    }
    size_t length = cycle.n;
    USP_RUN(c, upsweep_bellman_ford(c.u, graph, (void *)sources.data, sources.n, distance.data,
                                    (void *)parent.data, (void *)cycle.data, &length));
    if (c.status == UPSWEEP_ERROR_RANGE && length > 0) {
        return PyLong_FromSize_t(length);
    }
    return usp_done(&c, PyLong_FromLong(0));
}

/* (parent, target, path): the length of the path. */
FUNCTION(path_of)
{
    (void)self;
    usp_call c;
    usp_view parent, path;
    size_t target;
    if (!usp_arguments(&c, args, count, "rnw", &parent, &target, &path) || !whole(&parent, 4) ||
        !whole(&path, 4)) {
        return NULL;
    }
    size_t length = path.n;
    c.status = target > UINT32_MAX ? UPSWEEP_ERROR_RANGE
                                   : upsweep_path_of((void *)parent.data, parent.n,
                                                     (uint32_t)target, (void *)path.data, &length);
    return usp_done(&c, PyLong_FromSize_t(length));
}

/* (distance, f64): distances of 32 bits as f64, which they may be the end of: then they are read
 * before they are overwritten. What is not reached is infinity. */
FUNCTION(widen)
{
    (void)self;
    enum { BLOCK = 1024 };
    usp_call c;
    usp_view from, to;
    if (!usp_begin(&c, args, count, "rw", &from, &to)) {
        return NULL;
    }
    if (from.n != to.n || to.type != UPSWEEP_F64 ||
        (from.type != UPSWEEP_U32 && from.type != UPSWEEP_F32)) {
        return usp_lengths("distances");
    }
    for (size_t i = 0; i < from.n; i += BLOCK) {
        union {
            uint32_t whole[BLOCK];
            float numbers[BLOCK];
        } some;
        double *wide = (double *)(void *)to.data + i;
        const size_t m = from.n - i < BLOCK ? from.n - i : BLOCK;
        memcpy(&some, from.data + 4 * i, 4 * m);
        for (size_t k = 0; k < m && from.type == UPSWEEP_U32; k++) {
            wide[k] = some.whole[k] == UINT32_MAX ? (double)INFINITY : (double)some.whole[k];
        }
        for (size_t k = 0; k < m && from.type == UPSWEEP_F32; k++) {
            wide[k] = (double)some.numbers[k];
        }
    }
    Py_RETURN_NONE;
}

PyMethodDef usp_graphs[] = {
    USP_METHOD("graph_from_arcs", from_arcs, "(vertices, tail, head, weight, flags)"),
    USP_METHOD("graph_from_rows", from_rows, "(begin, head, weight, flags)"),
    USP_METHOD("graph_describe", describe, "(graph)"),
    USP_METHOD("paths", paths, "(graph, sources, distance, parent, cutoff, targets, algorithm)"),
    USP_METHOD("paths_matrix", matrix, "(graph, sources, distance, parent, cutoff)"),
    USP_METHOD("bellman_ford", bellman_ford, "(graph, sources, distance, parent, cycle)"),
    USP_METHOD("widen", widen, "(distance, f64): distances of 32 bits as f64"),
    USP_METHOD("path_of", path_of, "(parent, target, path): its length"),
    USP_END,
};
