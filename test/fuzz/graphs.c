/* graphs.c - making graphs, paths where weights may be negative, and paths from parents. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/nets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- upsweep_graph_from_arcs, upsweep_graph_from_rows ---- */

/* Each row's arcs, and what the description says of them. */
static void check_description(fuzz *f, const fuzz_net *g, const upsweep_graph *graph)
{
    upsweep_graph_info info = UPSWEEP_GRAPH_INFO_INIT;
    size_t *degree = calloc(g->n + 1, sizeof *degree), most = 0;
    double longest = 0, sum = 0;
    for (size_t a = 0; a < g->count; a++) {
        double weight = (double)g->arc[a].weight;
        degree[g->arc[a].tail]++;
        most = degree[g->arc[a].tail] > most ? degree[g->arc[a].tail] : most;
        longest = weight > longest ? weight : longest;
        sum += isfinite(weight) ? weight : 0;
    }
    double mean = g->count == 0 ? 0 : sum / (double)g->count;
    upsweep_graph_describe(graph, &info);
    if (info.vertices != g->n || info.arcs != g->count || info.weight_type != g->type ||
        info.distance_type != (g->type == 0 ? UPSWEEP_U32 : g->type) || info.degree_max != most ||
        info.weight_max != longest || info.bytes < 8 * g->n ||
        fabs(info.weight_mean - mean) > 1e-9 * (fabs(mean) + longest)) {
        fuzz_wrong(f,
                   "the graph is described as one of %zu vertices, %zu arcs, degree %zu, "
                   "weights to %g, %g on average, not %g",
                   info.vertices, info.arcs, info.degree_max, info.weight_max, info.weight_mean,
                   mean);
    }
    free(degree);
}

/* One thing that makes the arcs no graph. */
static void twist_graph(fuzz *f, fuzz_net *g, upsweep_type *type, unsigned *flags)
{
    switch (f->twist) {
    case TWIST_FLAG:
        *flags |= 1u << ((f->twist_at % 2 == 0 ? 4 : 20) + f->twist_at % 12);
        f->expect = UPSWEEP_ERROR_ARGUMENT;
        break;
    case TWIST_TYPE:
        *type = f->twist_at % 2 == 0 ? UPSWEEP_U8 : (upsweep_type)99;
        f->expect = UPSWEEP_ERROR_ARGUMENT;
        break;
    case TWIST_RANGE:
        if (g->m > 0 && f->twist_at % 2 == 0) {
            g->head[fuzz_draw(f, g->m)] = (uint32_t)g->n + f->twist_at;
            f->expect = UPSWEEP_ERROR_RANGE;
        } else if (g->m > 0 && (g->type == UPSWEEP_F32 || g->type == UPSWEEP_F64)) {
            bool below = f->twist_at % 4 == 1 && !(g->flags & UPSWEEP_GRAPH_NEGATIVE);
            fuzz_put_distance(g->type, g->weight, fuzz_draw(f, g->m),
                              below ? -1 : (long double)NAN);
            f->expect = UPSWEEP_ERROR_RANGE;
        }
        break;
    default: break;
    }
}

static void run_make(fuzz *f, bool by_rows)
{
    fuzz_net g;
    upsweep_graph *graph = NULL;
    do {
        f->detail[0] = '\0';
        fuzz_net_draw(f, &g, fuzz_chance(f, 4));
    } while ((g.begin != NULL) != by_rows && (fuzz_net_free(&g), true));
    upsweep_type type = g.type;
    unsigned flags = g.flags;
    twist_graph(f, &g, &type, &flags);
    size_t bytes = fuzz_distance_bytes(g.type), weights = g.type == 0 ? 0 : g.m;
    memcpy(fuzz_array_new(f, FUZZ_INPUT, g.m, 4, 4), g.tail, g.m * 4);
    memcpy(fuzz_array_new(f, FUZZ_INPUT, g.m, 4, 4), g.head, g.m * 4);
    memcpy(fuzz_array_new(f, FUZZ_INPUT, weights, bytes, bytes), g.weight, weights * bytes);
    unsigned char *begin = fuzz_array_new(f, FUZZ_INPUT, by_rows ? g.n + 1 : 0, 8, 8);
    if (by_rows) {
        memcpy(begin, g.begin, (g.n + 1) * 8);
        f->array[0].may_be_null = true;
    }
    fuzz_arrays_ready(f);
    void *tail = by_rows ? NULL : fuzz_at(f, 0), *head = fuzz_at(f, 1);
    void *weight = g.type == 0 ? NULL : fuzz_at(f, 2);
    f->expect = g.m == 0 && f->twist == TWIST_NULL && !by_rows ? UPSWEEP_OK : f->expect;
    upsweep_status status =
        by_rows
            ? upsweep_graph_from_rows(f->u, g.n, (void *)begin, head, weight, type, flags, &graph)
            : upsweep_graph_from_arcs(f->u, g.n, g.m, tail, head, weight, type, flags, &graph);
    if (fuzz_settle(f, status)) {
        check_description(f, &g, graph);
        fuzz_report(f, SIZE_MAX);
    } else if (graph != NULL) {
        fuzz_wrong(f, "there is a graph after a failure");
    }
    upsweep_graph_free(graph);
    fuzz_net_free(&g);
}

static void run_from_arcs(fuzz *f)
{
    run_make(f, false);
}

static void run_from_rows(fuzz *f)
{
    run_make(f, true);
}

/* ---- upsweep_bellman_ford ---- */

/* Consecutive vertices have arcs, and the lightest of these add up to less than 0. */
static void check_cycle(fuzz *f, const fuzz_net *g, const uint32_t *cycle, size_t length)
{
    long double sum = 0;
    if (length == 0 || length > g->n) {
        fuzz_wrong(f, "the cycle has %zu vertices", length);
        return;
    }
    for (size_t k = 0; k < length; k++) {
        uint32_t from = cycle[k], to = cycle[(k + 1) % length];
        long double least = INFINITY;
        for (size_t a = 0; a < g->count; a++) {
            const fuzz_arc *arc = &g->arc[a];
            least =
                arc->tail == from && arc->head == to && arc->weight < least ? arc->weight : least;
        }
        sum += least;
    }
    if (!(sum < 0)) {
        fuzz_wrong(f, "the cycle of %zu arcs has length %Lg", length, sum);
    }
}

/* Parents are one arc nearer to the source, along arcs that fit, and of the least id. */
static void check_parents(fuzz *f, const fuzz_net *g, const long double *d, uint32_t source,
                          const uint32_t *parent)
{
    uint32_t *hops = malloc((g->n + 1) * sizeof *hops), *want = malloc((g->n + 1) * sizeof *want);
    bool changed = true;
    memset(hops, 0xff, (g->n + 1) * sizeof *hops);
    memset(want, 0xff, (g->n + 1) * sizeof *want);
    hops[source] = 0;
    for (uint32_t round = 0; changed; round++) {
        changed = false;
        for (size_t a = 0; a < g->count; a++) {
            const fuzz_arc *arc = &g->arc[a];
            bool fits = hops[arc->tail] == round && hops[arc->head] > round &&
                        d[arc->head] < INFINITY &&
                        fuzz_reach(g->type, d[arc->tail], arc->weight) == d[arc->head];
            if (fits) {
                hops[arc->head] = round + 1;
                want[arc->head] = arc->tail < want[arc->head] ? arc->tail : want[arc->head];
                changed = true;
            }
        }
    }
    for (uint32_t v = 0; v < g->n; v++) {
        if (parent[v] != want[v]) {
            fuzz_wrong(f, "the parent of vertex %u is %u, not %u", v, parent[v], want[v]);
            break;
        }
    }
    free(hops);
    free(want);
}

static void run_bellman_ford(fuzz *f)
{
    fuzz_net g;
    upsweep_graph *graph = NULL;
    fuzz_net_draw(f, &g, !fuzz_chance(f, 4));
    if (!fuzz_net_made(f, &g, &graph)) {
        return;
    }
    uint32_t sources[3];
    size_t count = fuzz_chance(f, 3) ? 1 + (size_t)fuzz_draw(f, 3) : 1, length = g.n;
    for (size_t s = 0; s < count; s++) {
        sources[s] = (uint32_t)fuzz_draw(f, g.n);
    }
    bool wants_parents = fuzz_chance(f, 2), wants_cycle = fuzz_chance(f, 2);
    size_t bytes = fuzz_distance_bytes(g.type);
    fuzz_array_new(f, FUZZ_OUTPUT, g.n, bytes, bytes);
    fuzz_array_new(f, FUZZ_OUTPUT, wants_parents ? g.n : 0, 4, 4);
    fuzz_array_new(f, FUZZ_OUTPUT, wants_cycle ? g.n : 0, 4, 4);
    f->array[1].may_be_null = f->array[2].may_be_null = f->partial = true;
    fuzz_paths_found p = fuzz_net_paths(&g, sources, count);
    fuzz_arrays_ready(f);
    if (f->twist == TWIST_RANGE) {
        sources[0] = (uint32_t)g.n + f->twist_at;
        f->expect = UPSWEEP_ERROR_RANGE;
    }
    void *distance = fuzz_at(f, 0);
    uint32_t *parent = wants_parents ? (void *)f->array[1].at : NULL;
    uint32_t *cycle = wants_cycle ? (void *)f->array[2].at : NULL;
    f->expect = f->expect == UPSWEEP_OK && (p.cycle || p.lost) ? UPSWEEP_ERROR_RANGE : f->expect;
    if (fuzz_settle(f, upsweep_bellman_ford(f->u, graph, sources, count, distance, parent, cycle,
                                            &length))) {
        for (size_t v = 0; v < g.n; v++) {
            long double got = fuzz_distance(g.type, f->array[0].at, v);
            if (got != p.distance[v]) {
                fuzz_wrong(f, "vertex %zu is %Lg away, not %Lg", v, got, p.distance[v]);
            }
        }
        if (wants_parents && count == 1) {
            check_parents(f, &g, p.distance, sources[0], parent);
        }
        fuzz_report(f, 16 * g.n + 65536);
    } else if (f->wrong[0] == '\0' && p.cycle && wants_cycle && f->twist == TWIST_NONE &&
               length > 0) {
        check_cycle(f, &g, cycle, length);
    }
    fuzz_paths_end(&p);
    upsweep_graph_free(graph);
    fuzz_net_free(&g);
}

/* ---- upsweep_path_of ---- */

static void run_path_of(fuzz *f)
{
    size_t n = 1 + fuzz_length(f, 2) % 300, length = n, want = 0;
    f->n = n;
    uint32_t *parent = (void *)fuzz_array_new(f, FUZZ_INPUT, n, 4, 4), target, v;
    bool circle = fuzz_chance(f, 5);
    for (size_t i = 0; i < n; i++) {
        uint32_t any = (uint32_t)fuzz_draw(f, circle ? n : i + 1);
        parent[i] = any == i || fuzz_chance(f, 9) ? UPSWEEP_NO_VERTEX : any;
    }
    uint32_t *path = (void *)fuzz_array_new(f, FUZZ_OUTPUT, n, 4, 4);
    fuzz_arrays_ready(f);
    target = (uint32_t)fuzz_draw(f, n);
    for (v = target; v != UPSWEEP_NO_VERTEX && want <= n; v = parent[v]) {
        want++;
    }
    upsweep_status expect = want > n ? UPSWEEP_ERROR_RANGE : UPSWEEP_OK;
    if (f->twist == TWIST_RANGE) {
        target = (uint32_t)n + f->twist_at;
        expect = UPSWEEP_ERROR_ARGUMENT;
    } else if (f->twist == TWIST_NULL) {
        path = NULL;
        expect = UPSWEEP_ERROR_ARGUMENT;
    }
    upsweep_status status = upsweep_path_of(parent, n, target, path, &length);
    f->calls++;
    fuzz_arrays_check(f, KEPT_INPUTS);
    if (status != expect || (status == UPSWEEP_OK && length != want)) {
        fuzz_wrong(f, "status '%s', %zu vertices, not %zu", upsweep_status_name(status), length,
                   want);
    }
    for (v = target; status == UPSWEEP_OK && f->wrong[0] == '\0' && want > 0; v = parent[v]) {
        if (path[--want] != v) {
            fuzz_wrong(f, "vertex %zu of the path is %u, not %u", want, path[want], v);
        }
    }
    f->succeeded = status == UPSWEEP_OK && f->wrong[0] == '\0';
}

const fuzz_call fuzz_graphs[] = {
    {"upsweep_graph_from_arcs", 3, run_from_arcs, true},
    {"upsweep_graph_from_rows", 3, run_from_rows, true},
    {"upsweep_bellman_ford", 6, run_bellman_ford, true},
    {"upsweep_path_of", 1, run_path_of, true},
    {0},
};
