/* graph.c - making a graph: arcs are checked, counted per tail, and laid down row by row. */
/* SPDX-License-Identifier: MIT */
#include "core/graph.h"
#include "cpu/paths/contract.h"
#include "calls/on_gpu/on_gpu.h"
#include "cpu/cpu.h"
#include "core/structs.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* The arcs as the caller gave them, by list or by rows. */
typedef struct source {
    size_t vertices, count;
    bool by_rows;
    const uint32_t *tail;  /* by list */
    const uint64_t *begin; /* by rows */
    const uint32_t *head;
    const void *weight;
    upsweep_type type;
    unsigned flags;
    bool both;  /* undirected */
    bool below; /* some weight is negative */
} source;

static double weight_of(const source *s, size_t i)
{
    switch (s->type) {
    case UPSWEEP_U32: return ((const uint32_t *)s->weight)[i];
    case UPSWEEP_U64: return (double)((const uint64_t *)s->weight)[i];
    case UPSWEEP_F32: return (double)((const float *)s->weight)[i];
    case UPSWEEP_F64: return ((const double *)s->weight)[i];
    case UPSWEEP_I32: return ((const int32_t *)s->weight)[i];
    case UPSWEEP_I64: return (double)((const int64_t *)s->weight)[i];
    default: return 1;
    }
}

static upsweep_status check_rows(upsweep *u, const source *s)
{
    if (s->begin == NULL || s->begin[0] != 0) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "begin is NULL or does not start with 0");
    }
    for (size_t v = 0; v < s->vertices; v++) {
        if (s->begin[v + 1] < s->begin[v]) {
            return usw_fail(u, UPSWEEP_ERROR_RANGE, "begin[%zu] is less than begin[%zu]", v + 1, v);
        }
    }
    return UPSWEEP_OK;
}

static upsweep_status check_arcs(upsweep *u, source *s)
{
    double least = s->flags & UPSWEEP_GRAPH_NEGATIVE ? -DBL_MAX : 0;
    for (size_t i = 0; i < s->count; i++) {
        if (s->head[i] >= s->vertices || (!s->by_rows && s->tail[i] >= s->vertices)) {
            uint32_t id = s->head[i] >= s->vertices ? s->head[i] : s->tail[i];
            return usw_fail(u, UPSWEEP_ERROR_RANGE, "arc %zu names vertex %u, but there are %zu", i,
                            id, s->vertices);
        }
        double w = weight_of(s, i);
        if (!(w >= least)) {
            return usw_fail(u, UPSWEEP_ERROR_RANGE, "arc %zu has the weight %g", i, w);
        }
        s->below = s->below || w < 0;
    }
    return UPSWEEP_OK;
}

static uint64_t mix(uint64_t z) /* the end of splitmix64: Steele, Lea and Flood 2014 */
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint64_t weight_bits(const source *s, size_t i)
{
    return s->type == 0                       ? 1
           : upsweep_type_bytes(s->type) == 8 ? ((const uint64_t *)s->weight)[i]
                                              : ((const uint32_t *)s->weight)[i];
}

/* Whether the arcs, as a multiset, are those with tails and heads exchanged: told by sums of
 * mixed arcs, which agree by chance once in 2^64. */
static upsweep_status check_symmetric(upsweep *u, const source *s)
{
    uint64_t there = 0, back = 0;
    size_t v = 0;
    for (size_t i = 0; i < s->count; i++) {
        while (s->by_rows && s->begin[v + 1] <= i) {
            v++;
        }
        uint64_t tail = s->by_rows ? v : s->tail[i], head = s->head[i];
        uint64_t weight = mix(weight_bits(s, i) + UINT64_C(0x9e3779b97f4a7c15));
        there += mix(mix(tail << 32 | head) ^ weight);
        back += mix(mix(head << 32 | tail) ^ weight);
    }
    return there == back ? UPSWEEP_OK
                         : usw_fail(u, UPSWEEP_ERROR_RANGE,
                                    "the graph is not symmetric: some arc has no opposite of the "
                                    "same weight");
}

static bool known_type(const source *s)
{
    bool below = (s->flags & UPSWEEP_GRAPH_NEGATIVE) != 0;
    return s->type == 0 || s->type == UPSWEEP_U32 || s->type == UPSWEEP_U64 ||
           s->type == UPSWEEP_F32 || s->type == UPSWEEP_F64 ||
           (below && (s->type == UPSWEEP_I32 || s->type == UPSWEEP_I64));
}

static upsweep_status check(upsweep *u, source *s, const void *graph)
{
    const unsigned flags =
        UPSWEEP_GRAPH_UNDIRECTED | UPSWEEP_GRAPH_SYMMETRIC | UPSWEEP_GRAPH_NEGATIVE;
    bool known = known_type(s);
    if (s->flags & ~flags) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "a graph does not take the flags 0x%x%s",
                        s->flags & ~flags, usw_flags_hint(s->flags & ~flags));
    }
    if (graph == NULL || !known || (s->count > 0 && (s->type == 0) != (s->weight == NULL))) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT,
                        "a graph takes weights of type u32, u64, f32 or f64, or none");
    }
    if (s->vertices > UINT32_MAX - 1 || s->count > SIZE_MAX / 64) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "%zu vertices are more than 2^32 - 2",
                        s->vertices);
    }
    if (s->count > 0 && (s->head == NULL || (!s->by_rows && s->tail == NULL))) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "the tails or heads of the arcs are NULL");
    }
    upsweep_status status = s->by_rows ? check_rows(u, s) : UPSWEEP_OK;
    status = status == UPSWEEP_OK ? check_arcs(u, s) : status;
    return status == UPSWEEP_OK && (s->flags & UPSWEEP_GRAPH_SYMMETRIC) ? check_symmetric(u, s)
                                                                        : status;
}

/* One block holds the graph, its rows and its arcs. */
static upsweep_graph *allocate(upsweep *u, const source *s)
{
    size_t arcs = s->both ? 2 * s->count : s->count;
    size_t wide = upsweep_type_bytes(s->type) == 8;
    size_t per_arc = wide ? 12 : s->type == 0 ? 4 : 8;
    size_t header = (sizeof(upsweep_graph) + 63) / 64 * 64;
    size_t bytes = header + (s->vertices + 1) * 8 + arcs * per_arc + 64;
    void *block = usw_allocate(u, bytes, 64);
    if (block == NULL) {
        return NULL;
    }
    upsweep_graph *g = block;
    memset(g, 0, sizeof *g);
    g->vertices = s->vertices;
    g->arcs = arcs;
    g->weight_type = s->type;
    g->negative = s->below;
    g->symmetric = (s->flags & (UPSWEEP_GRAPH_SYMMETRIC | UPSWEEP_GRAPH_UNDIRECTED)) != 0;
    g->begin = (uint64_t *)(void *)((char *)block + header);
    char *rest = (char *)(g->begin + s->vertices + 1);
    if (wide) {
        g->weight64 = (uint64_t *)(void *)rest;
        g->head = (uint32_t *)(void *)(rest + arcs * 8);
    } else if (s->type == 0) {
        g->head = (uint32_t *)(void *)rest;
    } else {
        g->arc32 = (usw_arc *)(void *)rest;
    }
    g->bytes = g->block_bytes = bytes;
    g->block = block;
    g->release = u->release;
    g->context = u->context;
    return g;
}

static void put(upsweep_graph *g, const source *s, uint64_t at, uint32_t head, size_t i)
{
    if (g->arc32 != NULL) {
        g->arc32[at] = (usw_arc){head, ((const uint32_t *)s->weight)[i]};
        return;
    }
    g->head[at] = head;
    if (g->weight64 != NULL) {
        g->weight64[at] = ((const uint64_t *)s->weight)[i];
    }
}

static void lay_down(upsweep_graph *g, const source *s)
{
    /* begin[v + 1] counts the arcs of v, then tells where its next arc goes. */
    memset(g->begin, 0, (g->vertices + 1) * 8);
    uint64_t *next = g->begin + 1;
    size_t v = 0;
    for (size_t i = 0; i < s->count; i++) {
        while (s->by_rows && s->begin[v + 1] <= i) {
            v++;
        }
        next[s->by_rows ? v : s->tail[i]]++;
        if (s->both) {
            next[s->head[i]]++;
        }
    }
    uint64_t sum = 0;
    for (size_t k = 0; k < g->vertices; k++) {
        uint64_t degree = next[k];
        g->degree_max = usw_max(g->degree_max, degree);
        next[k] = sum;
        sum += degree;
    }
    v = 0;
    double total = 0, most = 0, least = s->count > 0 ? weight_of(s, 0) : 0;
    for (size_t i = 0; i < s->count; i++) {
        while (s->by_rows && s->begin[v + 1] <= i) {
            v++;
        }
        uint32_t from = s->by_rows ? (uint32_t)v : s->tail[i];
        put(g, s, next[from]++, s->head[i], i);
        if (s->both) {
            put(g, s, next[s->head[i]]++, from, i);
        }
        double w = weight_of(s, i);
        total += isfinite(w) ? w : 0;
        most = w > most ? w : most;
        least = w < least ? w : least;
    }
    g->weight_max = most;
    g->weight_min = least;
    g->weight_mean = s->count > 0 ? total / (double)s->count : 0;
    g->longest = g->weight_max * (double)g->vertices;
}

upsweep_graph *usw_graph_of_rows(upsweep *u, size_t vertices, const uint64_t *begin,
                                 const uint32_t *head, const void *weight, upsweep_type type)
{
    source s = {.vertices = vertices,
                .count = begin[vertices],
                .by_rows = true,
                .begin = begin,
                .head = head,
                .weight = weight,
                .type = type};
    upsweep_graph *g = allocate(u, &s);
    if (g != NULL) {
        lay_down(g, &s);
    }
    return g;
}

/* ---- rows by weight ---- */

/* From this many arcs a vertex on, searches save more by sorted rows than sorting takes. */
enum { SORTED_DEGREE = 8, ROWS_A_TASK = 1024 };

typedef struct rows {
    const upsweep_graph *g;
    const usw_cache_sort_steps *vsort;
} rows;

/* An arc in memory is its head, then its weight: as a number of 64 bits it goes by weight, then by
 * head. No weight is negative, so those of f32 go by their bits, once -0 is 0. */
static void sort_rows(void *context, size_t task, unsigned lane)
{
    const rows *r = context;
    const upsweep_graph *g = r->g;
    (void)lane;
    size_t end = usw_min(g->vertices, (task + 1) * ROWS_A_TASK);
    for (size_t v = task * ROWS_A_TASK; v < end; v++) {
        usw_arc *row = g->arc32 + g->begin[v];
        size_t n = g->begin[v + 1] - g->begin[v];
        for (size_t i = 0; i < n && g->weight_type == UPSWEEP_F32; i++) {
            row[i].weight = row[i].weight == 0x80000000u ? 0 : row[i].weight;
        }
        r->vsort->sort[3](row, n);
    }
}

/* Lets searches read rows by weight, where that pays. */
static void sort_if_worth(upsweep *u, upsweep_graph *g)
{
    rows r = {g, USW_PICK(u->isa, usw_cache_sort_steps)};
    g->sorted = g->symmetric && !g->negative && g->degree_max < UINT32_MAX &&
                (g->weight_type == UPSWEEP_U32 || g->weight_type == UPSWEEP_F32) &&
                g->arcs / SORTED_DEGREE >= g->vertices && g->arcs > 0;
    if (g->sorted) {
        usw_parallel(u, usw_div_up(g->vertices, ROWS_A_TASK), sort_rows, &r);
    }
}

static upsweep_status make(upsweep *u, source *s, upsweep_graph **graph)
{
    usw_options o;
    upsweep_status status = usw_enter(u, NULL, 0, &o);
    if (status != UPSWEEP_OK) {
        return status;
    }
    if (graph != NULL) {
        *graph = NULL;
    }
    const void *const arrays[] = {s->tail, s->head, s->weight, s->begin};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0] && status == UPSWEEP_OK; i++) {
        status = usw_gpu_refuse(u, arrays[i], "an array", "making a graph");
    }
    if (status == UPSWEEP_OK && s->begin != NULL) {
        s->count = s->begin[s->vertices]; /* only now is it known to lie in the host's memory */
    }
    status = status == UPSWEEP_OK ? check(u, s, graph) : status;
    if (status == UPSWEEP_OK) {
        upsweep_graph *g = allocate(u, s);
        if (g == NULL) {
            status = usw_fail(u, UPSWEEP_ERROR_MEMORY,
                              "no memory for a graph of %zu vertices and %zu arcs", s->vertices,
                              s->count);
        } else {
            lay_down(g, s);
            sort_if_worth(u, g);
            usw_contract(u, g);
            *graph = g;
        }
    }
    return usw_leave(u, status);
}

upsweep_status upsweep_graph_from_arcs(upsweep *u, size_t vertex_count, size_t arc_count,
                                       const uint32_t *tail, const uint32_t *head,
                                       const void *weight, upsweep_type weight_type, unsigned flags,
                                       upsweep_graph **graph)
{
    source s = {.vertices = vertex_count,
                .count = arc_count,
                .tail = tail,
                .head = head,
                .weight = weight,
                .type = weight_type,
                .flags = flags,
                .both = (flags & UPSWEEP_GRAPH_UNDIRECTED) != 0};
    return make(u, &s, graph);
}

upsweep_status upsweep_graph_from_rows(upsweep *u, size_t vertex_count, const uint64_t *begin,
                                       const uint32_t *head, const void *weight,
                                       upsweep_type weight_type, unsigned flags,
                                       upsweep_graph **graph)
{
    source s = {.vertices = vertex_count,
                .by_rows = true,
                .begin = begin,
                .head = head,
                .weight = weight,
                .type = weight_type,
                .flags = flags,
                .both = (flags & UPSWEEP_GRAPH_UNDIRECTED) != 0};
    return make(u, &s, graph);
}

static void give_back(const upsweep_graph *g, void *block, size_t bytes)
{
    if (g->release != NULL) {
        g->release(g->context, block, bytes);
    } else {
        free(block);
    }
}

void upsweep_graph_free(upsweep_graph *graph)
{
    if (graph == NULL) {
        return;
    }
    usw_contraction *c = graph->contraction;
    usw_gpu_graph_drop(graph);
    if (c != NULL) {
        upsweep_graph_free(c->core);
        give_back(graph, c, c->bytes);
    }
    give_back(graph, graph->block, graph->block_bytes);
}

upsweep_status upsweep_graph_describe(const upsweep_graph *graph, upsweep_graph_info *info)
{
    if (info == NULL) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    upsweep_graph_info all = UPSWEEP_GRAPH_INFO_INIT;
    if (graph != NULL) {
        upsweep_type t = graph->weight_type;
        all = (upsweep_graph_info){sizeof all,
                                   graph->vertices,
                                   graph->arcs,
                                   t,
                                   t == 0 ? UPSWEEP_U32 : t,
                                   graph->weight_mean,
                                   graph->weight_max,
                                   graph->degree_max,
                                   graph->bytes};
    }
    return usw_give_struct(info, &all, sizeof all, USW_GRAPH_INFO_FIRST) == NULL && graph != NULL
               ? UPSWEEP_OK
               : UPSWEEP_ERROR_ARGUMENT;
}
