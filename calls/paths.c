/* paths.c - upsweep_paths: checks the query, chooses the form and the width of a bucket; and
 * upsweep_path_of. */
/* SPDX-License-Identifier: MIT */
#include "core/check.h"
#include "cpu/paths/contract.h"
#include "calls/on_gpu/on_gpu.h"
#include "core/paths.h"

#include <stdio.h>

/* Measured flat between half and twice this: on graphs of few arcs a vertex a bucket about as wide
 * as an arc keeps it filled; with many arcs a vertex narrow buckets save relaxing twice, less so
 * where windows keep most arcs out of them. */
double usw_choose_delta(const upsweep_graph *g)
{
    double degree = g->vertices == 0 ? 0 : (double)g->arcs / (double)g->vertices;
    double mean = g->weight_type == 0 ? 1 : g->weight_mean;
    double delta = g->sorted ? 2 * mean / degree : degree < 8 ? mean : mean / degree;
    return delta > 0 ? delta : 1;
}

upsweep_status usw_check_ids(upsweep *u, const char *what, const uint32_t *ids, size_t count,
                             size_t vertices)
{
    if (count > 0 && ids == NULL) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "the %ss are NULL", what);
    }
    for (size_t i = 0; i < count; i++) {
        if (ids[i] >= vertices) {
            return usw_fail(u, UPSWEEP_ERROR_RANGE, "%s %zu is vertex %u, but there are %zu", what,
                            i, ids[i], vertices);
        }
    }
    return UPSWEEP_OK;
}

upsweep_status usw_check_graph(upsweep *u, const upsweep_graph *g)
{
    if (g == NULL) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "graph is NULL");
    }
    if (g->negative) {
        return usw_fail(u, UPSWEEP_ERROR_RANGE,
                        "the graph has negative weights: use upsweep_bellman_ford");
    }
    if (g->weight_type == UPSWEEP_I32 || g->weight_type == UPSWEEP_I64) {
        return usw_fail(u, UPSWEEP_ERROR_UNSUPPORTED,
                        "weights of type %s are for upsweep_bellman_ford only",
                        upsweep_type_name(g->weight_type));
    }
    return UPSWEEP_OK;
}

const usw_path_form *usw_path_form_for(upsweep *u, const char *algorithm, upsweep_status *status)
{
    return usw_form_for(u, USW_PATHS, algorithm, status);
}

upsweep_status usw_take_path_options(upsweep *u, const upsweep_path_options *options,
                                     upsweep_path_options *o)
{
    *o = (upsweep_path_options){0};
    return options == NULL
               ? UPSWEEP_OK
               : usw_take_struct_for(u, "options", o, sizeof *o, options, USW_PATH_OPTIONS_FIRST);
}

upsweep_status usw_check_path_options(upsweep *u, const upsweep_path_options *o, size_t vertices)
{
    if (!(o->delta >= 0)) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "delta is %g", o->delta);
    }
    upsweep_status status = usw_gpu_refuse_list(u, o->targets, "targets");
    return status == UPSWEEP_OK ? usw_check_ids(u, "target", o->targets, o->target_count, vertices)
                                : status;
}

upsweep_status usw_path_failure(upsweep *u, upsweep_status status, const usw_path_scratch *scratch,
                                upsweep_type type)
{
    return status == UPSWEEP_ERROR_MEMORY ? usw_fail(u, status, "no scratch for the queue")
           : status == UPSWEEP_ERROR_RANGE
               ? usw_fail(u, status, USW_SAY_NO_FIT, scratch->culprit,
                          8 * (type == 0 ? 4 : upsweep_type_bytes(type)))
               : status;
}

static upsweep_status add_parents(upsweep *u, const usw_path_query *q, uint32_t *parent)
{
    size_t n = q->graph->vertices;
    uint32_t *work = usw_scratch(u, 2 * n * sizeof *work);
    if (work == NULL) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "no scratch for the parents of %zu vertices", n);
    }
    memset(parent, 0xff, n * sizeof *parent);
    usw_path_parents(q, NULL, n, parent, work);
    return UPSWEEP_OK;
}

/* The form that a search takes, and its row's name for the report. */
typedef struct chosen {
    const usw_path_form *form;
    const char *name;
} chosen;

/* Why one thread searches alone, or NULL. Threads share a search where its buckets are likely to
 * hold work for each of them; on smaller graphs threads lose more by waiting for one another. */
static const char *why_one_thread(const upsweep *u, const usw_path_form *form,
                                  const usw_path_query *q)
{
    enum { SHARED_VERTICES = 1 << 18 };
    return form->parallel == NULL                 ? "the algorithm that was asked for takes one"
           : u->threads == 1                      ? "the handle has one"
           : q->target_count > 0                  ? "it stops at its last target"
           : q->graph->vertices < SHARED_VERTICES ? "the graph is small"
                                                  : NULL;
}

/* Where vertices have few arcs, many threads are kept busy by wider buckets only. */
static double shared_width(const upsweep *u, const usw_path_form *form, const usw_path_query *q)
{
    enum { DEGREE = 8, THREADS_A_WIDTH = 4 };
    bool few = q->graph->arcs < DEGREE * q->graph->vertices && !q->graph->sorted;
    bool shared = few && why_one_thread(u, form, q) == NULL;
    return shared ? 1 + (double)u->threads / THREADS_A_WIDTH : 1;
}

static upsweep_status search(upsweep *u, const chosen *c, const usw_path_query *q,
                             usw_path_scratch *scratch, const char *where)
{
    const usw_path_form *form = c->form;
    const char *why = why_one_thread(u, form, q);
    size_t work = q->graph->vertices + q->graph->arcs;
    bool timed = why == NULL && q->cutoff == NULL;
    uint64_t began = timed ? usw_now_ns() : 0;
    bool held_up = false;
    if (why == NULL && !usw_may_share(u, USW_SHARED_PATHS, timed ? work : 0)) {
        USW_ROUTE_OF("a search that several threads might share", USW_NO_TYPES);
        why = "threads were held up of late, or are compared with one";
    }
    if (why == NULL) {
        USW_ROUTE_OF("all threads share a search", USW_NO_TYPES);
        usw_mark mark = usw_scratch_mark(u);
        upsweep_status status = form->parallel(u, q, scratch->relaxed, &scratch->culprit, &held_up);
        if (status != UPSWEEP_ERROR_MEMORY) {
            usw_report(u, c->name, "%u threads share a search%s in buckets of width %g",
                       usw_parallel_threads(u), where, q->delta);
            if (timed) {
                usw_note_time(u, USW_SHARED_PATHS, work, true, usw_now_ns() - began);
            }
            return status;
        }
        usw_scratch_reset(u, mark);
        why = held_up ? "other programs held its threads up" : "scratch or threads are short";
        USW_ROUTE_IF(held_up, "other programs held a search up", USW_NO_TYPES);
    }
    usw_report(u, c->name, "one thread searches%s in buckets of width %g, since %s", where,
               q->delta, why);
    USW_ROUTE_OF("one thread searches", USW_NO_TYPES);
    uint64_t alone = timed ? usw_now_ns() : 0;
    upsweep_status status = form->search(scratch, q);
    if (timed) {
        usw_note_time(u, USW_SHARED_PATHS, work, false, usw_now_ns() - alone);
    }
    if (timed && held_up) {
        usw_note_time(u, USW_SHARED_PATHS, work, true, usw_now_ns() - began);
    }
    return status;
}

/* By way of the core, where there is one and scratch for it. delta: what was asked for, or 0. */
static upsweep_status search_core(upsweep *u, const chosen *c, const usw_path_query *q,
                                  usw_path_scratch *scratch, double delta)
{
    const usw_path_form *form = c->form;
    usw_climb climb;
    usw_mark mark = usw_scratch_mark(u);
    upsweep_status status;
    bool by_core = q->graph->contraction != NULL && form->dense == NULL;
    if (!by_core || !usw_climb_begin(u, q->graph, &climb)) {
        usw_scratch_reset(u, mark);
        return search(u, c, q, scratch, "");
    }
    if (usw_search_contracted(form, scratch, q, &status)) {
        usw_report(u, c->name,
                   "one thread searches in buckets of width %g, since few vertices "
                   "are within reach",
                   q->delta);
        return status;
    }
    usw_path_query in_core = usw_climb_up(&climb, q, false, delta);
    char where[64];
    snprintf(where, sizeof where, " the %zu vertices on no chain", in_core.graph->vertices);
    status = search(u, c, &in_core, scratch, where);
    if (status == UPSWEEP_OK) {
        USW_ROUTE_OF("by way of the core", USW_NO_TYPES);
        usw_climb_down(&climb, q);
    }
    return status;
}

static upsweep_status run(upsweep *u, const usw_path_query *q, const chosen *c, double delta,
                          uint32_t *parent)
{
    usw_mark mark = usw_scratch_mark(u);
    usw_path_scratch scratch = {.u = u, .queue = usw_scratch(u, c->form->queue_bytes)};
    if (scratch.queue == NULL) {
        return usw_path_failure(u, UPSWEEP_ERROR_MEMORY, &scratch, 0);
    }
    if (q->graph->sorted && q->cutoff == NULL && q->target_count == 0) {
        scratch.relaxed = usw_scratch(u, q->graph->vertices * sizeof *scratch.relaxed);
    }
    upsweep_status status = search_core(u, c, q, &scratch, delta);
    if (status != UPSWEEP_OK) {
        return usw_path_failure(u, status, &scratch, q->graph->weight_type);
    }
    if (q->target_count > 0) {
        usw_distances_forget(q);
    }
    usw_scratch_reset(u, mark); /* parents are found in the scratch of the search */
    return parent != NULL ? add_parents(u, q, parent) : UPSWEEP_OK;
}

upsweep_status upsweep_paths(upsweep *u, const upsweep_graph *graph, const uint32_t *sources,
                             size_t source_count, void *distance, uint32_t *parent,
                             const upsweep_path_options *options)
{
    usw_options none;
    upsweep_status status = usw_enter(u, NULL, 0, &none);
    if (status != UPSWEEP_OK) {
        return status;
    }
    upsweep_path_options o;
    status = usw_take_path_options(u, options, &o);
    status = status == UPSWEEP_OK ? usw_check_graph(u, graph) : status;
    if (status == UPSWEEP_OK && graph->vertices > 0 && distance == NULL) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "distance is NULL");
    }
    status = status == UPSWEEP_OK ? usw_check_place(u, distance, "distance") : status;
    status = status == UPSWEEP_OK ? usw_check_place(u, parent, "parent") : status;
    status = status == UPSWEEP_OK ? usw_gpu_refuse_list(u, sources, "sources") : status;
    if (status == UPSWEEP_OK) {
        status = usw_check_path_options(u, &o, graph->vertices);
    }
    if (status == UPSWEEP_OK) {
        status = usw_check_ids(u, "source", sources, source_count, graph->vertices);
    }
    const usw_path_form *form =
        status == UPSWEEP_OK ? usw_path_form_for(u, o.algorithm, &status) : NULL;
    if (form != NULL) {
        usw_path_query q = {graph,    sources,  o.targets, source_count, o.target_count,
                            distance, o.cutoff, o.delta,   NULL};
        if (!(o.delta > 0)) {
            q.delta = usw_choose_delta(graph) * shared_width(u, form, &q);
        }
        if (!usw_gpu_paths(u, &q, o.algorithm, o.delta, parent, &status)) {
            chosen c = {form, usw_row_name(USW_PATHS, o.algorithm)};
            status = run(u, &q, &c, o.delta, parent);
        }
    }
    return usw_leave(u, status);
}

upsweep_status upsweep_path_of(const uint32_t *parent, size_t vertex_count, uint32_t target,
                               uint32_t *path, size_t *length)
{
    if (parent == NULL || path == NULL || length == NULL || target >= vertex_count) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    size_t count = 0, most = *length;
    for (uint32_t v = target; v != UPSWEEP_NO_VERTEX; v = parent[v]) {
        if (v >= vertex_count || count == vertex_count) {
            return UPSWEEP_ERROR_RANGE;
        }
        if (count == most) {
            return UPSWEEP_ERROR_ARGUMENT;
        }
        path[count++] = v;
    }
    for (size_t i = 0; i < count / 2; i++) {
        uint32_t v = path[i];
        path[i] = path[count - 1 - i];
        path[count - 1 - i] = v;
    }
    *length = count;
    return UPSWEEP_OK;
}
