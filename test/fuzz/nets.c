/* nets.c - see nets.h. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/nets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

size_t fuzz_distance_bytes(upsweep_type type)
{
    return type == 0 ? 4 : upsweep_type_bytes(type);
}

static long double element(upsweep_type type, const void *at, size_t i)
{
    switch (type) {
    case UPSWEEP_U64: return (long double)((const uint64_t *)at)[i];
    case UPSWEEP_I32: return (long double)((const int32_t *)at)[i];
    case UPSWEEP_I64: return (long double)((const int64_t *)at)[i];
    case UPSWEEP_F32: return (long double)((const float *)at)[i];
    case UPSWEEP_F64: return (long double)((const double *)at)[i];
    default: return (long double)((const uint32_t *)at)[i];
    }
}

/* Distances of this type are less than that. */
static long double greatest(upsweep_type type)
{
    switch (type) {
    case UPSWEEP_U64: return 18446744073709551615.0L;
    case UPSWEEP_I32: return 2147483647;
    case UPSWEEP_I64: return 9223372036854775807.0L;
    case UPSWEEP_F32:
    case UPSWEEP_F64: return INFINITY;
    default: return 4294967295.0L;
    }
}

long double fuzz_distance(upsweep_type type, const void *at, size_t i)
{
    long double value = element(type, at, i);
    return value == greatest(type) ? INFINITY : value;
}

void fuzz_put_distance(upsweep_type type, void *at, size_t i, long double value)
{
    if (type != UPSWEEP_F32 && type != UPSWEEP_F64) { /* no integer is infinite, few are negative */
        value = value > greatest(type) ? greatest(type) : value;
        value = type != UPSWEEP_I32 && type != UPSWEEP_I64 ? fabsl(value) : value;
    }
    switch (type) {
    case UPSWEEP_U64: ((uint64_t *)at)[i] = (uint64_t)value; break;
    case UPSWEEP_I32: ((int32_t *)at)[i] = (int32_t)value; break;
    case UPSWEEP_I64: ((int64_t *)at)[i] = (int64_t)value; break;
    case UPSWEEP_F32: ((float *)at)[i] = (float)value; break;
    case UPSWEEP_F64: ((double *)at)[i] = (double)value; break;
    default: ((uint32_t *)at)[i] = (uint32_t)value; break;
    }
}

long double fuzz_distance_within(upsweep_type type, long double d, long double limit)
{
    return d <= limit && d < greatest(type) ? d : (long double)INFINITY;
}

long double fuzz_reach(upsweep_type type, long double a, long double w)
{
    switch (type) {
    case UPSWEEP_F32: return (long double)((float)a + (float)w);
    case UPSWEEP_F64: return (long double)((double)a + (double)w);
    default: return a + w;
    }
}

/* ---- graphs ---- */

/* Shapes: arcs at random, a ring with chords, chains that meet in few vertices, a grid. */
static void draw_arcs(fuzz *f, fuzz_net *g)
{
    uint64_t shape = fuzz_draw(f, 4), wide = 1 + fuzz_magnitude(f, 1, 30);
    for (size_t a = 0; a < g->m; a++) {
        uint64_t tail = fuzz_draw(f, g->n), head = fuzz_draw(f, g->n);
        if (shape == 1 || shape == 2) { /* mostly to the next */
            tail = a % g->n;
            head = fuzz_draw(f, shape == 1 ? 4 : 24) == 0 ? head : (tail + 1) % g->n;
        } else if (shape == 3) {
            tail = a / 2 % g->n;
            head = (tail + (a % 2 == 0 ? 1 : wide)) % g->n;
        }
        bool turned = shape != 0 && fuzz_chance(f, 8);
        g->tail[a] = (uint32_t)(turned ? head : tail);
        g->head[a] = (uint32_t)(turned ? tail : head);
    }
}

static long double draw_weight(fuzz *f, upsweep_type type, uint64_t span, int kind, bool negative)
{
    long double whole = (long double)fuzz_draw(f, span);
    long double sign = negative && fuzz_chance(f, 6) ? -1 : 1;
    if (type == UPSWEEP_F32 || type == UPSWEEP_F64) {
        double any = (double)(fuzz_random(f) >> 11) * 0x1p-53;
        return kind == 0   ? sign * whole
               : negative  ? sign * whole / 8 /* exact: a cycle is of negative length, or is not */
               : kind == 1 ? (long double)any
               : kind == 2 ? (long double)ldexp(any, (int)fuzz_draw(f, 60) - 30)
               : any < 0.1 ? INFINITY
                           : (long double)ldexp(any, type == UPSWEEP_F32 ? 127 : 1023);
    }
    long double huge = floorl(greatest(type) / (long double)(1 + fuzz_draw(f, 9))) - 1;
    return kind == 3 && !negative && fuzz_chance(f, 4) ? huge : sign * whole;
}

static void draw_weights(fuzz *f, fuzz_net *g, bool negative)
{
    uint64_t span = fuzz_chance(f, 3) ? 1 + fuzz_draw(f, 4) : 1 + fuzz_magnitude(f, 1, 100000);
    int kind = fuzz_chance(f, 10) ? 3 : (int)fuzz_draw(f, 3);
    size_t bytes = fuzz_distance_bytes(g->type);
    g->weight = malloc(g->m * bytes + 8);
    for (size_t a = 0; a < g->m; a++) {
        long double weight = draw_weight(f, g->type, span, kind, negative);
        fuzz_put_distance(g->type, g->weight, a, g->type == 0 ? 1 : weight);
    }
}

/* Every arc once more, from its head to its tail; then the graph is symmetric. */
static void mirror(fuzz_net *g)
{
    size_t bytes = fuzz_distance_bytes(g->type);
    g->tail = realloc(g->tail, (2 * g->m + 1) * sizeof *g->tail);
    g->head = realloc(g->head, (2 * g->m + 1) * sizeof *g->head);
    g->weight = realloc(g->weight, 2 * g->m * bytes + 8);
    memcpy(g->tail + g->m, g->head, g->m * sizeof *g->tail);
    memcpy(g->head + g->m, g->tail, g->m * sizeof *g->head);
    memcpy(g->weight + g->m * bytes, g->weight, g->m * bytes);
    g->m *= 2;
}

/* The arcs by their tails. */
static void make_rows(fuzz_net *g)
{
    size_t bytes = fuzz_distance_bytes(g->type);
    uint64_t *rank = malloc((g->m + 1) * sizeof *rank);
    uint32_t *head = malloc((g->m + 1) * sizeof *head);
    unsigned char *weight = malloc(g->m * bytes + 8);
    g->begin = calloc(g->n + 2, sizeof *g->begin);
    for (size_t a = 0; a < g->m; a++) {
        rank[a] = g->tail[a];
        g->begin[g->tail[a] + 1]++;
    }
    uint32_t *order = fuzz_order(rank, g->m);
    for (size_t a = 0; a < g->m; a++) {
        g->tail[a] = (uint32_t)rank[order[a]];
        head[a] = g->head[order[a]];
        memcpy(weight + a * bytes, g->weight + order[a] * bytes, bytes);
    }
    for (size_t v = 0; v < g->n; v++) {
        g->begin[v + 1] += g->begin[v];
    }
    free(order);
    free(rank);
    free(g->head);
    free(g->weight);
    g->head = head;
    g->weight = weight;
}

static void list_arcs(fuzz_net *g)
{
    bool both = (g->flags & UPSWEEP_GRAPH_UNDIRECTED) != 0;
    g->arc = malloc((2 * g->m + 1) * sizeof *g->arc);
    for (size_t a = 0; a < g->m; a++) {
        long double weight = g->type == 0 ? 1 : element(g->type, g->weight, a);
        g->arc[g->count++] = (fuzz_arc){g->tail[a], g->head[a], weight};
        if (both) {
            g->arc[g->count++] = (fuzz_arc){g->head[a], g->tail[a], weight};
        }
    }
}

void fuzz_net_draw(fuzz *f, fuzz_net *g, bool negative)
{
    static const upsweep_type types[] = {(upsweep_type)0, UPSWEEP_U32, UPSWEEP_U64, UPSWEEP_F32,
                                         UPSWEEP_F64,     UPSWEEP_I32, UPSWEEP_I64};
    size_t longest = f->most < 400 ? f->most + 1 : fuzz_chance(f, 20) && !f->small ? 400 : 60;
    *g = (fuzz_net){.n = 1 + (size_t)fuzz_draw(f, longest)};
    g->type = types[fuzz_draw(f, negative ? 7 : 5)];
    g->m = (size_t)fuzz_draw(f, g->n * (fuzz_chance(f, 4) ? 16 : 4) + 1);
    g->flags = fuzz_chance(f, 3) ? UPSWEEP_GRAPH_UNDIRECTED : 0;
    g->flags |= negative ? UPSWEEP_GRAPH_NEGATIVE : 0u;
    g->tail = malloc((g->m + 1) * sizeof *g->tail);
    g->head = malloc((g->m + 1) * sizeof *g->head);
    f->n = g->n;
    f->type = g->type;
    draw_arcs(f, g);
    draw_weights(f, g, negative);
    if (g->flags == 0 && fuzz_chance(f, 2)) {
        g->flags |= UPSWEEP_GRAPH_SYMMETRIC;
        mirror(g);
    }
    if (fuzz_chance(f, 2)) {
        make_rows(g);
    }
    list_arcs(g);
    fuzz_detail(f, ", %zu arcs%s, graph flags 0x%x", g->m, g->begin != NULL ? " in rows" : "",
                g->flags);
}

void fuzz_net_free(fuzz_net *g)
{
    free(g->tail);
    free(g->head);
    free(g->weight);
    free(g->begin);
    free(g->arc);
}

upsweep_status fuzz_net_graph(fuzz *f, const fuzz_net *g, upsweep_graph **graph)
{
    const void *weight = g->type == 0 ? NULL : g->weight;
    return g->begin != NULL ? upsweep_graph_from_rows(f->u, g->n, g->begin, g->head, weight,
                                                      g->type, g->flags, graph)
                            : upsweep_graph_from_arcs(f->u, g->n, g->m, g->tail, g->head, weight,
                                                      g->type, g->flags, graph);
}

bool fuzz_net_made(fuzz *f, fuzz_net *g, upsweep_graph **graph)
{
    upsweep_status status = fuzz_net_graph(f, g, graph);
    if (status != UPSWEEP_OK && !(status == UPSWEEP_ERROR_MEMORY && f->scarce)) {
        fuzz_wrong(f, "the graph cannot be made: %s", upsweep_error(f->u));
    }
    if (status != UPSWEEP_OK) {
        fuzz_net_free(g);
    }
    return status == UPSWEEP_OK;
}

/* ---- paths ---- */

fuzz_paths_found fuzz_net_paths(const fuzz_net *g, const uint32_t *sources, size_t count)
{
    fuzz_paths_found p = {.distance = malloc((g->n + 1) * sizeof(long double))};
    bool changed = true;
    for (size_t v = 0; v < g->n; v++) {
        p.distance[v] = INFINITY;
    }
    for (size_t s = 0; s < count; s++) {
        p.distance[sources[s]] = 0;
    }
    for (size_t round = 0; changed && round <= g->n; round++) {
        changed = false;
        for (size_t a = 0; a < g->count; a++) {
            const fuzz_arc *arc = &g->arc[a];
            long double way = fuzz_reach(g->type, p.distance[arc->tail], arc->weight);
            if (p.distance[arc->tail] < INFINITY && way < p.distance[arc->head]) {
                p.distance[arc->head] = way;
                changed = true;
            }
        }
    }
    p.cycle = changed;
    for (size_t a = 0; a < g->count; a++) {
        const fuzz_arc *arc = &g->arc[a];
        p.lost = p.lost || (p.distance[arc->tail] < greatest(g->type) && arc->weight < INFINITY &&
                            p.distance[arc->head] >= greatest(g->type));
    }
    return p;
}

void fuzz_paths_end(fuzz_paths_found *p)
{
    free(p->distance);
}

bool fuzz_parent_fits(const fuzz_net *g, const fuzz_paths_found *p, long double limit,
                      const uint32_t *sources, size_t count, uint32_t v, uint32_t parent)
{
    const long double *d = p->distance;
    uint32_t nearer = UPSWEEP_NO_VERTEX; /* the least id of a nearer vertex before v */
    bool source = false, arc_fits = false;
    for (size_t s = 0; s < count; s++) {
        source = source || sources[s] == v;
    }
    if (source || isinf(fuzz_distance_within(g->type, d[v], limit))) {
        return parent == UPSWEEP_NO_VERTEX;
    }
    for (size_t a = 0; a < g->count; a++) {
        const fuzz_arc *arc = &g->arc[a];
        bool fits = arc->head == v && d[arc->tail] < greatest(g->type) &&
                    fuzz_reach(g->type, d[arc->tail], arc->weight) == d[v];
        arc_fits = arc_fits || (fits && arc->tail == parent);
        if (fits && d[arc->tail] < d[v] && arc->tail < nearer) {
            nearer = arc->tail;
        }
    }
    return nearer != UPSWEEP_NO_VERTEX ? parent == nearer : arc_fits && d[parent] == d[v];
}

void fuzz_check_paths(fuzz *f, const fuzz_net *g, const fuzz_paths_found *p, long double limit,
                      const uint32_t *sources, size_t count, const void *distance,
                      const uint32_t *parent)
{
    uint32_t *path = malloc((g->n + 1) * sizeof *path);
    for (uint32_t v = 0; v < g->n && f->wrong[0] == '\0'; v++) {
        long double got = fuzz_distance(g->type, distance, v);
        long double want = fuzz_distance_within(g->type, p->distance[v], limit);
        size_t length = g->n;
        if (got != want) {
            fuzz_wrong(f, "vertex %u is %Lg away, not %Lg", v, got, want);
        } else if (parent != NULL && !fuzz_parent_fits(g, p, limit, sources, count, v, parent[v])) {
            fuzz_wrong(f, "the parent of vertex %u is %u", v, parent[v]);
        } else if (parent != NULL &&
                   upsweep_path_of(parent, g->n, v, path, &length) != UPSWEEP_OK) {
            fuzz_wrong(f, "the parents of vertex %u lead in a circle", v);
        }
    }
    free(path);
}
