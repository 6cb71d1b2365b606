/* nets.c - see nets.h. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/nets.h"

#include <setjmp.h>
#include <stdarg.h>
/* cmocka needs the two above first. */
#include <cmocka.h>
#include <math.h>
#include <string.h>

static uint64_t state = UINT64_C(88172645463325252);

uint64_t net_draw(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 11) % below;
}

/* Small whole weights, many zero, many ties, several arcs between two vertices, arcs to oneself:
 * all sums are exact in every type. */
net net_random(upsweep_type type)
{
    static const uint64_t spans[] = {1, 2, 4, 1000};
    net g = {.n = 1 + net_draw(VERTICES),
             .type = type,
             .flags = net_draw(4) == 0 ? UPSWEEP_GRAPH_UNDIRECTED : 0};
    g.m = net_draw(ARCS / (1 + net_draw(6)));
    uint64_t span = spans[net_draw(4)];
    for (size_t i = 0; i < g.m; i++) {
        g.tail[i] = (uint32_t)net_draw(g.n);
        g.head[i] = (uint32_t)net_draw(g.n);
        g.weight[i] = type == 0 ? 1 : (double)net_draw(span);
    }
    return g;
}

/* What the nearest of the sources is away from each vertex. */
void net_oracle(const net *g, const uint32_t *sources, size_t count, long double *distance)
{
    char settled[VERTICES] = {0};
    for (size_t v = 0; v < g->n; v++) {
        distance[v] = INFINITY;
    }
    for (size_t s = 0; s < count; s++) {
        distance[sources[s]] = 0;
    }
    for (;;) {
        size_t nearest = g->n;
        for (size_t v = 0; v < g->n; v++) {
            if (!settled[v] && distance[v] < INFINITY &&
                (nearest == g->n || distance[v] < distance[nearest])) {
                nearest = v;
            }
        }
        if (nearest == g->n) {
            return;
        }
        settled[nearest] = 1;
        for (size_t i = 0; i < g->m; i++) {
            for (int back = 0; back <= ((g->flags & UPSWEEP_GRAPH_UNDIRECTED) != 0); back++) {
                size_t from = back ? g->head[i] : g->tail[i], to = back ? g->tail[i] : g->head[i];
                long double d = distance[nearest] + (long double)g->weight[i];
                if (from == nearest && d < distance[to]) {
                    distance[to] = d;
                }
            }
        }
    }
}

upsweep_graph *net_graph(upsweep *u, const net *g)
{
    uint64_t wide[ARCS];
    for (size_t i = 0; i < g->m; i++) {
        switch (g->type) {
        case UPSWEEP_U32: ((uint32_t *)wide)[i] = (uint32_t)g->weight[i]; break;
        case UPSWEEP_U64: wide[i] = (uint64_t)g->weight[i]; break;
        case UPSWEEP_F32: ((float *)wide)[i] = (float)g->weight[i]; break;
        case UPSWEEP_I32: ((int32_t *)wide)[i] = (int32_t)g->weight[i]; break;
        case UPSWEEP_I64: ((int64_t *)wide)[i] = (int64_t)g->weight[i]; break;
        default: ((double *)wide)[i] = g->weight[i]; break;
        }
    }
    upsweep_graph *graph = NULL;
    assert_int_equal(upsweep_graph_from_arcs(u, g->n, g->m, g->tail, g->head,
                                             g->type == 0 ? NULL : wide, g->type, g->flags, &graph),
                     UPSWEEP_OK);
    return graph;
}

long double net_distance(upsweep_type type, const void *at, size_t v)
{
    switch (type) {
    case UPSWEEP_U64: {
        uint64_t d = ((const uint64_t *)at)[v];
        return d == UINT64_MAX ? INFINITY : (long double)d;
    }
    case UPSWEEP_I32: {
        int32_t d = ((const int32_t *)at)[v];
        return d == INT32_MAX ? INFINITY : (long double)d;
    }
    case UPSWEEP_I64: {
        int64_t d = ((const int64_t *)at)[v];
        return d == INT64_MAX ? INFINITY : (long double)d;
    }
    case UPSWEEP_F32: return (long double)((const float *)at)[v];
    case UPSWEEP_F64: return (long double)((const double *)at)[v];
    default: {
        uint32_t d = ((const uint32_t *)at)[v];
        return d == UINT32_MAX ? INFINITY : (long double)d;
    }
    }
}

/* Every parent ends a shortest path, is the least that does, and leads to a source. */
void net_check_parents(const net *g, const long double *d, const uint32_t *parent)
{
    uint32_t path[VERTICES];
    for (uint32_t v = 0; v < g->n; v++) {
        size_t length = g->n;
        assert_int_equal(upsweep_path_of(parent, g->n, v, path, &length), UPSWEEP_OK);
        assert_int_equal(path[length - 1], v);
        if (isinf((double)d[v])) {
            assert_int_equal(parent[v], UPSWEEP_NO_VERTEX);
            continue;
        }
        assert_true(d[path[0]] == 0);
        uint32_t nearer = UPSWEEP_NO_VERTEX; /* the least id of a nearer vertex that fits */
        for (size_t i = 0; i < g->m; i++) {
            for (int back = 0; back <= ((g->flags & UPSWEEP_GRAPH_UNDIRECTED) != 0); back++) {
                uint32_t from = back ? g->head[i] : g->tail[i], to = back ? g->tail[i] : g->head[i];
                if (to == v && d[from] < d[v] && d[from] + (long double)g->weight[i] == d[v] &&
                    from < nearer) {
                    nearer = from;
                }
            }
        }
        if (nearer != UPSWEEP_NO_VERTEX) {
            assert_int_equal(parent[v], nearer);
        } else if (parent[v] != UPSWEEP_NO_VERTEX) {
            assert_true(d[parent[v]] == d[v]);
        } else {
            assert_true(d[v] == 0);
        }
    }
}

size_t net_distance_bytes(upsweep_type type)
{
    return type == 0 ? 4 : upsweep_type_bytes(type);
}

upsweep *net_open(unsigned threads)
{
    upsweep_config config = {.threads = threads};
    upsweep *u = NULL;
    assert_int_equal(upsweep_open(&u, "cpu", &config), UPSWEEP_OK);
    return u;
}

/* A value beyond the type, as infinity is, is its greatest. */
void net_put(upsweep_type type, void *at, size_t i, double value)
{
    switch (type) {
    case UPSWEEP_U64: ((uint64_t *)at)[i] = value < 0x1p64 ? (uint64_t)value : UINT64_MAX; break;
    case UPSWEEP_F32: ((float *)at)[i] = (float)value; break;
    case UPSWEEP_F64: ((double *)at)[i] = value; break;
    default: ((uint32_t *)at)[i] = value < 0x1p32 ? (uint32_t)value : UINT32_MAX; break;
    }
}
