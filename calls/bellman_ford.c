/* bellman_ford.c - upsweep_bellman_ford: shortest paths where weights may be negative.
 *
 * Vertices whose distance has changed wait in a queue, first in first out, once each; their arcs
 * are relaxed. Each vertex remembers the one whose arc improved it last. A cycle among those is a
 * cycle of negative length, and there is one before long if such a cycle can be reached: they are
 * looked through each time n vertices have been taken from the queue.
 *
 * Source: R. Bellman, On a routing problem, 1958; L. R. Ford, Network flow theory, 1956; B. V.
 * Cherkassky, A. V. Goldberg, Negative-cycle detection algorithms, 1999 (looking through the
 * parents every so often). */
/* SPDX-License-Identifier: MIT */
#include "calls/on_gpu/on_gpu.h"
#include "core/paths.h"

typedef struct ford {
    const upsweep_graph *g;
    const uint32_t *sources;
    size_t source_count;
    void *distance;
    uint32_t *parent;            /* the vertex before, as the search goes */
    uint32_t *queue, head, size; /* a ring of n vertices */
    uint32_t *mark;
    unsigned char *waits; /* is in the queue */
    uint32_t on_cycle;    /* a vertex of a negative cycle, or UPSWEEP_NO_VERTEX */
    uint32_t below;       /* a vertex whose distance is less than its type holds, likewise */
    bool saturated;       /* a sum was greater than that */
} ford;

static void enqueue(ford *f, uint32_t v)
{
    if (!f->waits[v]) {
        size_t n = f->g->vertices, at = (size_t)f->head + f->size;
        f->waits[v] = 1;
        f->queue[at < n ? at : at - n] = v;
        f->size++;
    }
}

static uint32_t dequeue(ford *f)
{
    uint32_t v = f->queue[f->head];
    f->head = f->head + 1 == f->g->vertices ? 0 : f->head + 1;
    f->size--;
    f->waits[v] = 0;
    return v;
}

/* Follows the parents from every vertex; mark[v]: 1 + the start of the walk that came by. */
static bool find_cycle(ford *f)
{
    size_t n = f->g->vertices;
    memset(f->mark, 0, n * sizeof *f->mark);
    for (uint32_t s = 0; s < n; s++) {
        uint32_t v = s;
        while (v != UPSWEEP_NO_VERTEX && f->mark[v] == 0) {
            f->mark[v] = s + 1;
            v = f->parent[v];
        }
        if (v != UPSWEEP_NO_VERTEX && f->mark[v] == s + 1) {
            f->on_cycle = v;
            return true;
        }
    }
    return false;
}

#define PATH_SIGNED
#define PATH_BODY "cpu/paths/bellman_ford_body.h"
#include "cpu/paths/each_weight_kind.h"

/* The cycle in the order of its arcs, beginning with its least vertex. */
static upsweep_status report_cycle(upsweep *u, const ford *f, uint32_t *cycle, size_t most,
                                   size_t *length)
{
    uint32_t least = f->on_cycle;
    size_t count = 0;
    for (uint32_t v = f->on_cycle; count == 0 || v != f->on_cycle; v = f->parent[v]) {
        least = v < least ? v : least;
        count++;
    }
    uint32_t v = f->parent[least];
    for (size_t k = count - 1; k > 0; k--, v = f->parent[v]) {
        if (cycle != NULL && k < most) {
            cycle[k] = v;
        }
    }
    if (cycle != NULL && most > 0) {
        cycle[0] = least;
    }
    if (length != NULL) {
        *length = count;
    }
    return usw_fail(u, UPSWEEP_ERROR_RANGE,
                    "a cycle of %zu arcs through vertex %u has negative length", count, least);
}

static upsweep_status check(upsweep *u, const ford *f, size_t *length)
{
    if (length != NULL) {
        *length = 0;
    }
    if (f->g == NULL || (f->g->vertices > 0 && f->distance == NULL)) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "graph or distance is NULL");
    }
    return usw_check_ids(u, "source", f->sources, f->source_count, f->g->vertices);
}

static upsweep_status run(upsweep *u, ford *f, uint32_t *parent, uint32_t *cycle, size_t most,
                          size_t *length)
{
    size_t n = f->g->vertices;
    uint32_t *work = usw_scratch(u, 3 * n * sizeof *work);
    f->waits = usw_scratch(u, n);
    if (work == NULL || f->waits == NULL) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "no scratch for %zu vertices", n);
    }
    f->parent = work;
    f->queue = work + n;
    f->mark = work + 2 * n;
    memset(f->waits, 0, n);
    memset(f->parent, 0xff, n * sizeof *f->parent);
    usw_report(u, "", "Bellman and Ford's method, which allows negative weights");
    BY_ANY_KIND(f->g, run)(f);
    if (f->on_cycle != UPSWEEP_NO_VERTEX) {
        return report_cycle(u, f, cycle, most, length);
    }
    usw_path_query q = {.graph = f->g,
                        .sources = f->sources,
                        .source_count = f->source_count,
                        .distance = f->distance};
    uint32_t lost = f->below;
    if (lost != UPSWEEP_NO_VERTEX || (f->saturated && usw_distance_lost(&q, &lost))) {
        usw_path_scratch where = {.culprit = lost};
        return usw_path_failure(u, UPSWEEP_ERROR_RANGE, &where, f->g->weight_type);
    }
    if (parent != NULL) {
        usw_path_parents_by_rounds(&q, parent, work);
    }
    return UPSWEEP_OK;
}

upsweep_status upsweep_bellman_ford(upsweep *u, const upsweep_graph *graph, const uint32_t *sources,
                                    size_t source_count, void *distance, uint32_t *parent,
                                    uint32_t *cycle, size_t *cycle_length)
{
    usw_options none;
    upsweep_status status = usw_enter(u, NULL, 0, &none);
    if (status != UPSWEEP_OK) {
        return status;
    }
    ford f = {.g = graph,
              .sources = sources,
              .source_count = source_count,
              .distance = distance,
              .on_cycle = UPSWEEP_NO_VERTEX,
              .below = UPSWEEP_NO_VERTEX};
    const void *const arrays[] = {sources, distance, parent, cycle, cycle_length};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0] && status == UPSWEEP_OK; i++) {
        status = usw_gpu_refuse(u, arrays[i], "an array", "bellman_ford");
    }
    if (status != UPSWEEP_OK) {
        return usw_leave(u, status);
    }
    size_t most = cycle_length == NULL ? 0 : *cycle_length;
    status = check(u, &f, cycle_length);
    status = status == UPSWEEP_OK ? run(u, &f, parent, cycle, most, cycle_length) : status;
    return usw_leave(u, status);
}
