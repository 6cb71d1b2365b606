/* test_paths_dense.c - graphs as matrices against Dijkstra's algorithm as it is written down, and
 * negative weights against Bellman and Ford's. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above first. */
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test/shared/handles.h"
#include "test/shared/nets.h"

static const upsweep_type types[] = {UPSWEEP_U32, UPSWEEP_U64, UPSWEEP_F32, UPSWEEP_F64};

/* ---- a graph as a matrix ---- */

static void fill_matrix(const net *g, void *matrix)
{
    double cell[VERTICES * VERTICES];
    for (size_t i = 0; i < g->n * g->n; i++) {
        cell[i] = INFINITY;
    }
    for (size_t i = 0; i < g->m; i++) {
        for (int back = 0; back <= ((g->flags & UPSWEEP_GRAPH_UNDIRECTED) != 0); back++) {
            double *c = back ? &cell[g->head[i] * g->n + g->tail[i]]
                             : &cell[g->tail[i] * g->n + g->head[i]];
            *c = g->weight[i] < *c ? g->weight[i] : *c;
        }
    }
    memset(matrix, 0xff, g->n * g->n * net_distance_bytes(g->type));
    for (size_t i = 0; i < g->n * g->n; i++) {
        if (!isinf(cell[i]) || g->type == UPSWEEP_F32 || g->type == UPSWEEP_F64) {
            net_put(g->type, matrix, i, cell[i]);
        }
    }
}

static void test_dense(void **context)
{
    (void)context;
    for (unsigned isa = 0; isa < ISAS; isa++) {
        upsweep *u = handle_open(isa, 2);
        for (int k = 0; u != NULL && k < 1500; k++) {
            net g = net_random(types[k % 4]);
            uint64_t matrix[VERTICES * VERTICES], got[VERTICES], cutoff;
            uint32_t parent[VERTICES], targets[2];
            uint32_t sources[2] = {(uint32_t)net_draw(g.n), (uint32_t)net_draw(g.n)};
            size_t count = 1 + net_draw(2);
            long double want[VERTICES], limit = INFINITY;
            upsweep_path_options o = {.target_count = 0};
            net_oracle(&g, sources, count, want);
            if (net_draw(3) == 0) {
                o.cutoff = &cutoff;
                limit = (long double)net_draw(20);
                net_put(g.type, &cutoff, 0, (double)limit);
            } else if (net_draw(2) == 0) {
                targets[0] = (uint32_t)net_draw(g.n);
                targets[1] = (uint32_t)net_draw(g.n);
                o.targets = targets;
                o.target_count = 2;
                limit = fmaxl(want[targets[0]], want[targets[1]]);
            }
            fill_matrix(&g, matrix);
            for (size_t v = 0; v < g.n; v++) { /* the diagonal may hold anything */
                if (net_draw(2) == 0) {
                    memset((char *)matrix + (v * g.n + v) * net_distance_bytes(g.type), 0xff,
                           net_distance_bytes(g.type));
                }
                want[v] = want[v] <= limit ? want[v] : (long double)INFINITY;
            }
            assert_int_equal(
                upsweep_paths_dense(u, matrix, g.n, g.type, sources, count, got, parent, &o),
                UPSWEEP_OK);
            for (size_t v = 0; v < g.n; v++) {
                assert_true(net_distance(g.type, got, v) == want[v]);
            }
            net_check_parents(&g, want, parent);
        }
        upsweep_close(u);
    }
}

static void test_bad_matrices(void **context)
{
    (void)context;
    upsweep *u = net_open(1);
    float m[4] = {0, -1, 2, 0}, d[2];
    uint32_t big[9] = {0, 4000000000u, UINT32_MAX, UINT32_MAX, 0, 400000000u, 0, 0, 0}, far[3];
    uint32_t source = 0, outside = 2;
    assert_int_equal(upsweep_paths_dense(u, m, 2, UPSWEEP_F32, &source, 1, d, NULL, NULL),
                     UPSWEEP_ERROR_RANGE);
    assert_string_equal(upsweep_error(u), "the arc from 0 to 1 has the weight -1");
    assert_int_equal(upsweep_paths_dense(u, m, 2, UPSWEEP_I32, &source, 1, d, NULL, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_paths_dense(u, m, 2, UPSWEEP_F32, &outside, 1, d, NULL, NULL),
                     UPSWEEP_ERROR_RANGE);
    assert_int_equal(upsweep_paths_dense(u, NULL, 2, UPSWEEP_F32, &source, 1, d, NULL, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    upsweep_path_options o = {.algorithm = "path/bucket"};
    assert_int_equal(upsweep_paths_dense(u, m, 2, UPSWEEP_F32, &source, 1, d, NULL, &o),
                     UPSWEEP_ERROR_UNSUPPORTED);
    assert_int_equal(upsweep_paths_dense(u, big, 3, UPSWEEP_U32, &source, 1, far, NULL, NULL),
                     UPSWEEP_ERROR_RANGE);
    assert_string_equal(upsweep_error(u), "the distance of vertex 2 does not fit 32 bits");
    assert_int_equal(upsweep_paths_dense(u, NULL, 0, UPSWEEP_U32, NULL, 0, NULL, NULL, NULL),
                     UPSWEEP_OK);
    upsweep_close(u);
}

/* Sums of floats that do not fit are told; infinite weights are no arcs. */
static void test_floats_that_do_not_fit(void **context)
{
    (void)context;
    upsweep *u = net_open(1);
    float f[9] = {0, 0x1.8p127f, INFINITY, INFINITY, 0, 0x1p127f, INFINITY, INFINITY, 0}, d[3];
    double g[9] = {0, 0x1.8p1023, INFINITY, INFINITY, 0, 0x1p1023, INFINITY, INFINITY, 0}, e[3];
    uint32_t source = 0;
    assert_int_equal(upsweep_paths_dense(u, f, 3, UPSWEEP_F32, &source, 1, d, NULL, NULL),
                     UPSWEEP_ERROR_RANGE);
    assert_string_equal(upsweep_error(u), "the distance of vertex 2 does not fit 32 bits");
    assert_int_equal(upsweep_paths_dense(u, g, 3, UPSWEEP_F64, &source, 1, e, NULL, NULL),
                     UPSWEEP_ERROR_RANGE);
    f[5] = INFINITY;
    g[5] = INFINITY;
    assert_int_equal(upsweep_paths_dense(u, f, 3, UPSWEEP_F32, &source, 1, d, NULL, NULL),
                     UPSWEEP_OK);
    assert_true(d[1] == f[1] && isinf(d[2]));
    assert_int_equal(upsweep_paths_dense(u, g, 3, UPSWEEP_F64, &source, 1, e, NULL, NULL),
                     UPSWEEP_OK);
    assert_true(e[1] == g[1] && isinf(e[2]));
    upsweep_close(u);
}

/* ---- negative weights ---- */

/* Every arc n times over; true if that does not come to rest: a negative cycle. */
static bool relax_all(const net *g, uint32_t source, long double *d)
{
    for (size_t v = 0; v < g->n; v++) {
        d[v] = v == source ? 0 : INFINITY;
    }
    bool changed = true;
    for (size_t round = 0; round <= g->n && changed; round++) {
        changed = false;
        for (size_t i = 0; i < g->m; i++) {
            for (int back = 0; back <= ((g->flags & UPSWEEP_GRAPH_UNDIRECTED) != 0); back++) {
                size_t from = back ? g->head[i] : g->tail[i], to = back ? g->tail[i] : g->head[i];
                if (d[from] + (long double)g->weight[i] < d[to]) {
                    d[to] = d[from] + (long double)g->weight[i];
                    changed = true;
                }
            }
        }
    }
    return changed;
}

/* The least weight of an arc between two vertices. */
static long double arc_weight(const net *g, uint32_t from, uint32_t to)
{
    long double least = INFINITY;
    for (size_t i = 0; i < g->m; i++) {
        bool there = g->tail[i] == from && g->head[i] == to;
        bool back = (g->flags & UPSWEEP_GRAPH_UNDIRECTED) && g->head[i] == from && g->tail[i] == to;
        if ((there || back) && (long double)g->weight[i] < least) {
            least = (long double)g->weight[i];
        }
    }
    return least;
}

static void check_ford_parents(const net *g, uint32_t source, const long double *d,
                               const uint32_t *parent)
{
    uint32_t path[VERTICES];
    for (uint32_t v = 0; v < g->n; v++) {
        size_t length = g->n;
        assert_int_equal(upsweep_path_of(parent, g->n, v, path, &length), UPSWEEP_OK);
        long double sum = 0;
        for (size_t k = 1; k < length; k++) {
            sum += arc_weight(g, path[k - 1], path[k]);
        }
        if (isinf((double)d[v])) {
            assert_int_equal(length, 1);
        } else {
            assert_int_equal(path[0], source);
            assert_true(sum == d[v]);
        }
    }
}

static void test_bellman_ford(void **context)
{
    (void)context;
    static const upsweep_type all[] = {0,           UPSWEEP_U32, UPSWEEP_U64, UPSWEEP_F32,
                                       UPSWEEP_F64, UPSWEEP_I32, UPSWEEP_I64};
    upsweep *u = net_open(1);
    size_t cycles = 0;
    for (int k = 0; k < 4000; k++) {
        net g = net_random(all[k % 7]);
        g.flags |= UPSWEEP_GRAPH_NEGATIVE;
        bool below = g.type != 0 && g.type != UPSWEEP_U32 && g.type != UPSWEEP_U64;
        uint64_t rate = 1 + net_draw(40);
        for (size_t i = 0; below && i < g.m; i++) {
            g.weight[i] = net_draw(rate) == 0 ? -(double)net_draw(3) : g.weight[i] + 1;
        }
        upsweep_graph *graph = net_graph(u, &g);
        uint32_t source = (uint32_t)net_draw(g.n), parent[VERTICES], cycle[VERTICES];
        uint64_t got[VERTICES];
        size_t length = VERTICES;
        long double want[VERTICES];
        bool wrong = relax_all(&g, source, want);
        upsweep_status status =
            upsweep_bellman_ford(u, graph, &source, 1, got, parent, cycle, &length);
        if (wrong) {
            assert_int_equal(status, UPSWEEP_ERROR_RANGE);
            assert_in_range(length, 1, g.n);
            long double sum = 0;
            for (size_t i = 0; i < length; i++) {
                sum += arc_weight(&g, cycle[i], cycle[(i + 1) % length]);
            }
            assert_true(sum < 0);
            cycles++;
        } else {
            assert_int_equal(status, UPSWEEP_OK);
            assert_int_equal(length, 0);
            for (size_t v = 0; v < g.n; v++) {
                assert_true(net_distance(g.type, got, v) == want[v]);
            }
            check_ford_parents(&g, source, want, parent);
        }
        upsweep_graph_free(graph);
    }
    assert_in_range(cycles, 100, 3000);
    upsweep_close(u);
}

static void test_negative_graphs_elsewhere(void **context)
{
    (void)context;
    upsweep *u = net_open(1);
    upsweep_graph *graph;
    uint32_t tail[2] = {0, 1}, head[2] = {1, 0}, source = 0;
    int32_t weight[2] = {-3, 4}, distance[2], least[2] = {INT32_MIN, 0};
    float mixed[2] = {-3, 4}, plain[2] = {3, 4}, got[2];
    assert_int_equal(upsweep_graph_from_arcs(u, 2, 2, tail, head, weight, UPSWEEP_I32, 0, &graph),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_graph_from_arcs(u, 2, 2, tail, head, weight, UPSWEEP_I32,
                                             UPSWEEP_GRAPH_NEGATIVE, &graph),
                     UPSWEEP_OK);
    assert_int_equal(upsweep_paths(u, graph, &source, 1, distance, NULL, NULL),
                     UPSWEEP_ERROR_RANGE);
    assert_int_equal(upsweep_bellman_ford(u, graph, &source, 1, distance, NULL, NULL, NULL),
                     UPSWEEP_OK);
    assert_int_equal(distance[1], -3);
    upsweep_graph_free(graph);
    assert_int_equal(upsweep_graph_from_arcs(u, 2, 2, tail, head, mixed, UPSWEEP_F32,
                                             UPSWEEP_GRAPH_NEGATIVE, &graph),
                     UPSWEEP_OK);
    assert_int_equal(upsweep_paths(u, graph, &source, 1, got, NULL, NULL), UPSWEEP_ERROR_RANGE);
    upsweep_graph_free(graph);
    assert_int_equal(upsweep_graph_from_arcs(u, 2, 2, tail, head, plain, UPSWEEP_F32,
                                             UPSWEEP_GRAPH_NEGATIVE, &graph),
                     UPSWEEP_OK);
    assert_int_equal(upsweep_paths(u, graph, &source, 1, got, NULL, NULL), UPSWEEP_OK);
    assert_true(got[1] == 3);
    upsweep_graph_free(graph);
    assert_int_equal(upsweep_graph_from_arcs(u, 2, 2, tail, head, least, UPSWEEP_I32,
                                             UPSWEEP_GRAPH_NEGATIVE, &graph),
                     UPSWEEP_OK);
    assert_int_equal(upsweep_bellman_ford(u, graph, &source, 1, distance, NULL, NULL, NULL),
                     UPSWEEP_ERROR_RANGE);
    upsweep_graph_free(graph);
    upsweep_close(u);
}

/* A path whose length is more than the type of its weights holds. */
static void test_ford_does_not_fit(void **context)
{
    (void)context;
    static const upsweep_type integers[] = {UPSWEEP_U32, UPSWEEP_U64, UPSWEEP_I32, UPSWEEP_I64};
    static const uint64_t greatest[] = {UINT32_MAX, UINT64_MAX, INT32_MAX, INT64_MAX};
    upsweep *u = net_open(1);
    for (size_t k = 0; k < 4; k++) {
        upsweep_graph *graph;
        uint32_t tail[2] = {0, 1}, head[2] = {1, 2}, source = 0;
        uint64_t weight[2] = {greatest[k] - 1, greatest[k] - 1}, distance[3];
        uint32_t narrow[2] = {(uint32_t)weight[0], (uint32_t)weight[1]};
        const void *weights =
            upsweep_type_bytes(integers[k]) == 4 ? (void *)narrow : (void *)weight;
        assert_int_equal(upsweep_graph_from_arcs(u, 3, 2, tail, head, weights, integers[k],
                                                 UPSWEEP_GRAPH_NEGATIVE, &graph),
                         UPSWEEP_OK);
        assert_int_equal(upsweep_bellman_ford(u, graph, &source, 1, distance, NULL, NULL, NULL),
                         UPSWEEP_ERROR_RANGE);
        upsweep_graph_free(graph);
    }
    upsweep_close(u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense),
        cmocka_unit_test(test_bad_matrices),
        cmocka_unit_test(test_floats_that_do_not_fit),
        cmocka_unit_test(test_bellman_ford),
        cmocka_unit_test(test_ford_does_not_fit),
        cmocka_unit_test(test_negative_graphs_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
