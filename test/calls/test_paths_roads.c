/* test_paths_roads.c - shortest paths in graphs like roads, which are searched without their chains
 * and dead ends (cpu/paths/contract.h), against Dijkstra's algorithm as it is written down. */
/* SPDX-License-Identifier: MIT */
#include "core/graph.h"
#include "test/shared/handles.h"
#include "test/shared/nets.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SOURCES = 3 };
static const upsweep_type types[] = {0, UPSWEEP_U32, UPSWEEP_U64, UPSWEEP_F32, UPSWEEP_F64};

/* A road from a to b by way of some new vertices; some of it one way, now and then twice. */
static void add_road(net *g, uint32_t a, uint32_t b, size_t between, uint64_t span, bool both)
{
    uint32_t at = a;
    for (size_t i = 0; i <= between && g->n < VERTICES && g->m + 4 < ARCS; i++) {
        uint32_t next = i == between ? b : (uint32_t)g->n++;
        bool only = net_draw(8) == 0;
        for (uint64_t copies = net_draw(12) == 0 ? 2 : 1; copies > 0; copies--) {
            g->tail[g->m] = at;
            g->head[g->m] = next;
            g->weight[g->m++] = g->type == 0 ? 1 : (double)net_draw(span);
            if (both && !only) {
                g->tail[g->m] = next;
                g->head[g->m] = at;
                g->weight[g->m++] = g->type == 0 ? 1 : (double)net_draw(span);
            }
        }
        at = next;
    }
}

/* Few crossings, roads between them, dead ends; then all vertices change their numbers. */
static net road_net(upsweep_type type)
{
    static const uint64_t spans[] = {1, 2, 5, 1000};
    net g = {.n = 1 + net_draw(6),
             .type = type,
             .flags = net_draw(2) == 0 ? UPSWEEP_GRAPH_UNDIRECTED : 0};
    uint64_t span = spans[net_draw(4)];
    bool both = g.flags == 0;
    size_t crossings = g.n, hub = net_draw(10) == 0 ? 66 : 0;
    for (size_t i = 0; i + 1 < crossings || i < net_draw(12); i++) {
        uint32_t a = (uint32_t)(i + 1 < crossings ? i + 1 : net_draw(crossings));
        add_road(&g, a, (uint32_t)net_draw(crossings), net_draw(9), span, both);
    }
    while (g.n < VERTICES && g.m + 30 < ARCS && (hub > 0 || net_draw(8) != 0)) {
        uint32_t from = hub > 0 ? 0 : (uint32_t)net_draw(g.n);
        hub -= hub > 0;
        uint32_t end = (uint32_t)g.n++;
        add_road(&g, from, end, hub > 0 ? 0 : net_draw(4), span, both);
    }
    uint32_t name[VERTICES];
    for (uint32_t v = 0; v < g.n; v++) {
        name[v] = v;
    }
    for (size_t v = g.n; v > 1; v--) {
        size_t k = net_draw(v);
        uint32_t kept = name[k];
        name[k] = name[v - 1];
        name[v - 1] = kept;
    }
    for (size_t i = 0; i < g.m; i++) {
        g.tail[i] = name[g.tail[i]];
        g.head[i] = name[g.head[i]];
    }
    return g;
}

/* Rows of the matrix, and one answer from several sources at once with parents. */
static void check(upsweep *u, const net *g, const upsweep_graph *graph)
{
    uint32_t sources[SOURCES], parent[VERTICES], all[VERTICES];
    uint64_t distance[VERTICES], *rows = malloc(g->n * g->n * sizeof *rows);
    long double want[VERTICES];
    size_t count = 1 + net_draw(SOURCES), bytes = net_distance_bytes(g->type);
    upsweep_path_options o = {.delta = net_draw(2) == 0 ? 0 : (double)(1 + net_draw(50))};
    for (size_t s = 0; s < SOURCES; s++) {
        sources[s] = (uint32_t)net_draw(g->n);
    }
    assert_int_equal(upsweep_paths(u, graph, sources, count, distance, parent, &o), UPSWEEP_OK);
    upsweep_report report = UPSWEEP_REPORT_INIT;
    upsweep_last_report(u, &report);
    assert_int_equal(strstr(report.reason, "on no chain") != NULL, graph->contraction != NULL);
    net_oracle(g, sources, count, want);
    for (size_t v = 0; v < g->n; v++) {
        assert_true(net_distance(g->type, distance, v) == want[v]);
    }
    net_check_parents(g, want, parent);
    for (uint32_t v = 0; v < g->n; v++) {
        all[v] = v;
    }
    assert_int_equal(upsweep_paths_matrix(u, graph, all, g->n, NULL, rows, NULL), UPSWEEP_OK);
    for (size_t s = 0; s < g->n; s++) {
        net_oracle(g, &all[s], 1, want);
        for (size_t v = 0; v < g->n; v++) {
            assert_true(net_distance(g->type, (char *)rows + s * g->n * bytes, v) == want[v]);
        }
    }
    free(rows);
}

/* With targets or a cutoff: as the form that does without the core. Returns whether this one took
 * it. */
static bool check_ends(upsweep *u, const net *g, const upsweep_graph *graph)
{
    uint32_t sources[SOURCES], targets[SOURCES], parent[2][SOURCES * VERTICES];
    uint64_t distance[2][SOURCES * VERTICES], cutoff = 0;
    upsweep_path_options o = {.target_count = net_draw(SOURCES + 1)};
    upsweep_batch_options each = {.target_count = o.target_count};
    upsweep_report report = UPSWEEP_REPORT_INIT;
    for (size_t s = 0; s < SOURCES; s++) {
        sources[s] = (uint32_t)net_draw(g->n);
        targets[s] = (uint32_t)net_draw(g->n);
    }
    net_put(g->type == 0 ? UPSWEEP_U32 : g->type, &cutoff, 0, (double)net_draw(3000));
    o.targets = each.targets = o.target_count > 0 ? targets : NULL;
    o.cutoff = each.cutoff = o.target_count == 0 || net_draw(2) == 0 ? &cutoff : NULL;
    memset(distance, 0, sizeof distance);
    memset(parent, 0, sizeof parent);
    for (int k = 0; k < 2; k++) {
        o.algorithm = k == 0 ? "path/dijkstra" : NULL;
        assert_int_equal(upsweep_paths(u, graph, sources, SOURCES, distance[k], parent[k], &o),
                         UPSWEEP_OK);
    }
    upsweep_last_report(u, &report);
    bool by_core = strstr(report.reason, "on no chain") != NULL;
    assert_memory_equal(distance[0], distance[1], sizeof distance[0]);
    assert_memory_equal(parent[0], parent[1], sizeof parent[0]);
    for (int k = 0; k < 2; k++) {
        each.algorithm = k == 0 ? "path/dijkstra" : NULL;
        assert_int_equal(upsweep_paths_matrix(u, graph, sources, SOURCES, &each, distance[k],
                                              net_draw(2) == 0 && k > 0 ? NULL : parent[k]),
                         UPSWEEP_OK);
    }
    assert_memory_equal(distance[0], distance[1], sizeof distance[0]);
    return by_core;
}

static void test_roads(void **context)
{
    (void)context;
    upsweep *alone = net_open(1), *shared = net_open(2);
    size_t contracted = 0, by_core = 0;
    enum { GRAPHS = 5000 };
    for (int k = 0; k < GRAPHS; k++) {
        upsweep *u = k % 8 == 0 ? shared : alone;
        net g = road_net(types[k % 5]);
        upsweep_graph *graph = net_graph(u, &g);
        contracted += graph->contraction != NULL;
        check(u, &g, graph);
        by_core += check_ends(u, &g, graph);
        upsweep_graph_free(graph);
    }
    assert_true(contracted > GRAPHS / 2);
    assert_in_range(by_core, GRAPHS / 10, contracted - GRAPHS / 20);
    upsweep_close(alone);
    upsweep_close(shared);
}

static uint32_t float_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* What must not be contracted: sums that another order of adding would change or that might not
 * fit, many small parts.
 * And where there is no room for the core, a search does without it. */
static void test_limits(void **context)
{
    (void)context;
    enum { N = 1000 };
    upsweep *u = net_open(1), *narrow;
    uint32_t tail[N], head[N], weight[N], source = 7, *distance = malloc(N * sizeof *distance);
    for (uint32_t i = 0; i < N; i++) {
        tail[i] = i;
        head[i] = (i + 1) % N;
        weight[i] = 3;
    }
    struct {
        upsweep_type type;
        uint32_t first;
        size_t arcs;
        bool contracts;
    } cases[] = {{UPSWEEP_U32, 3, N - 1, true},
                 {UPSWEEP_U32, 4000000, N - 1, false},
                 {UPSWEEP_U32, 3, 2, false},
                 {UPSWEEP_F32, float_bits(3), N - 1, true},
                 {UPSWEEP_F32, float_bits(2.5F), N - 1, false},
                 {UPSWEEP_F32, float_bits(17000), N - 1, false},
                 {UPSWEEP_F32, float_bits(INFINITY), N - 1, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        upsweep_graph *graph = NULL;
        for (uint32_t a = 0; a < N; a++) {
            weight[a] = cases[i].type == UPSWEEP_F32 ? float_bits(3) : 3;
        }
        weight[0] = cases[i].first;
        assert_int_equal(upsweep_graph_from_arcs(u, N, cases[i].arcs, tail, head, weight,
                                                 cases[i].type, UPSWEEP_GRAPH_UNDIRECTED, &graph),
                         UPSWEEP_OK);
        assert_int_equal(graph->contraction != NULL, cases[i].contracts);
        upsweep_graph_free(graph);
    }
    upsweep_graph *graph = NULL;
    for (uint32_t a = 0; a < N; a++) {
        weight[a] = 3;
    }
    assert_int_equal(upsweep_graph_from_arcs(u, N, N, tail, head, weight, UPSWEEP_U32, 0, &graph),
                     UPSWEEP_OK);
    assert_non_null(graph->contraction); /* a circle, one way */
    assert_int_equal(upsweep_paths(u, graph, &source, 1, distance, NULL, NULL), UPSWEEP_OK);
    for (uint32_t v = 0; v < N; v++) {
        assert_int_equal(distance[v], 3 * ((v + N - source) % N));
    }
    for (size_t limit = 1 << 16; limit < 3 << 20; limit += limit / 8) {
        upsweep_config config = {.threads = 1, .scratch_limit = limit};
        assert_int_equal(upsweep_open(&narrow, "cpu", &config), UPSWEEP_OK);
        upsweep_status status = upsweep_paths(narrow, graph, &source, 1, distance, NULL, NULL);
        assert_true(status == UPSWEEP_OK ? distance[0] == 3 * (N - source)
                                         : status == UPSWEEP_ERROR_MEMORY && limit < 2 << 20);
        upsweep_close(narrow);
    }
    upsweep_graph_free(graph);
    free(distance);
    upsweep_close(u);
}

/* What upsweep.h says of memory: bytes of a graph with and without chains, counted by an allocator,
 * and scratch of a query with parents. */
static void test_bytes(void **context)
{
    (void)context;
    enum { N = 200000, KB = 1024 };
    uint32_t *tail = malloc(4 * (size_t)N * 4), *head = tail + N, source = 0;
    uint64_t *weight = calloc(N, sizeof *weight), *distance = malloc(N * sizeof *distance);
    uint32_t *parent = malloc(N * sizeof *parent);
    for (int k = 0; k < 8; k++) {
        upsweep_type type = k % 2 == 0 ? UPSWEEP_U32 : UPSWEEP_U64;
        size_t wide = k % 2 == 0 ? 4 : 8, both = k / 2 % 2 == 0 ? 1 : 2, chain = k < 4;
        for (uint32_t i = 0; i < N; i++) { /* a line, or a circle with 100 arcs to strangers */
            tail[i] = chain ? i : i % (N / 100);
            head[i] = chain ? (i + 1) % N : (i * 7919U + i / 2000) % N;
        }
        books b = {0};
        upsweep *u;
        upsweep_graph *graph;
        upsweep_graph_info info = UPSWEEP_GRAPH_INFO_INIT;
        upsweep_report report = UPSWEEP_REPORT_INIT;
        assert_int_equal(handle_open_with_books(&u, &b, 1, 0), UPSWEEP_OK);
        assert_int_equal(upsweep_graph_from_arcs(u, N, N - 1, tail, head, weight, type,
                                                 both == 2 ? UPSWEEP_GRAPH_UNDIRECTED : 0, &graph),
                         UPSWEEP_OK);
        assert_int_equal(graph->contraction != NULL, chain);
        assert_int_equal(upsweep_paths(u, graph, &source, 1, distance, parent, NULL), UPSWEEP_OK);
        upsweep_last_report(u, &report);
        assert_in_range(report.scratch_bytes, 8 * N, usw_max(8 * N, 1200 * KB) + 4 * KB);
        upsweep_graph_describe(graph, &info);
        size_t rows = 8 * (N + 1) + both * (N - 1) * (4 + wide), held = b.held;
        size_t copy = !chain ? 0 : (wide == 4 ? 24 : 36) + (both == 2 ? 0 : 2 * wide);
        assert_in_range(info.bytes, rows + copy * N, rows + copy * N + 4 * KB);
        upsweep_graph_free(graph);
        assert_int_equal(held - b.held, info.bytes);
        upsweep_close(u);
        assert_int_equal(b.held, 0);
    }
    free(tail);
    free(weight);
    free(distance);
    free(parent);
}

/* ---- one graph, several threads, a handle each ---- */

typedef struct worker {
    const upsweep_graph *graph[2]; /* with chains and without */
    const uint32_t *want[2];
    uint32_t first;
    bool bad;
} worker;

enum { SIDE = 40, ALL = SIDE * SIDE, WORKERS = 4 };

static void *ask(void *context)
{
    worker *w = context;
    uint32_t *distance = malloc(ALL * sizeof *distance), *parent = malloc(ALL * sizeof *parent);
    upsweep *u = NULL;
    w->bad = upsweep_open(&u, "cpu", NULL) != UPSWEEP_OK;
    for (uint32_t k = 0; k < 60 && !w->bad; k++) {
        uint32_t source = (w->first + k) % 20;
        const uint32_t *want = w->want[k % 2] + (size_t)source * ALL;
        w->bad =
            upsweep_paths(u, w->graph[k % 2], &source, 1, distance, parent, NULL) != UPSWEEP_OK ||
            memcmp(distance, want, ALL * sizeof *distance) != 0 ||
            parent[source] != UPSWEEP_NO_VERTEX;
    }
    upsweep_close(u);
    free(distance);
    free(parent);
    return NULL;
}

static void test_several_threads(void **context)
{
    (void)context;
    upsweep *u = net_open(1);
    uint32_t sources[20], *want = malloc(2 * 20 * (size_t)ALL * sizeof *want);
    uint32_t *tail = malloc(2 * ALL * 4), *head = malloc(2 * ALL * 4),
             *weight = malloc(2 * ALL * 4);
    upsweep_graph *graph[2];
    worker w[WORKERS];
    pthread_t thread[WORKERS];
    for (size_t g = 0; g < 2; g++) { /* a comb, and a grid */
        size_t m = 0;
        for (uint32_t v = 0; v < ALL; v++) {
            for (uint32_t k = 0; k < 2; k++) {
                uint32_t to = k == 0 ? v + 1 : v + SIDE;
                bool inside = k == 0 ? v % SIDE + 1 < SIDE : v + SIDE < ALL;
                if (inside && (g == 1 || k == 1 || v < SIDE || v >= ALL - SIDE)) {
                    tail[m] = v;
                    head[m] = to;
                    weight[m++] = (uint32_t)net_draw(1000);
                }
            }
        }
        assert_int_equal(upsweep_graph_from_arcs(u, ALL, m, tail, head, weight, UPSWEEP_U32,
                                                 UPSWEEP_GRAPH_UNDIRECTED, &graph[g]),
                         UPSWEEP_OK);
        assert_int_equal(graph[g]->contraction != NULL, g == 0);
        upsweep_batch_options o = {.algorithm = "path/dijkstra"};
        for (uint32_t s = 0; s < 20; s++) {
            sources[s] = s;
        }
        assert_int_equal(
            upsweep_paths_matrix(u, graph[g], sources, 20, &o, want + g * 20 * (size_t)ALL, NULL),
            UPSWEEP_OK);
    }
    for (uint32_t t = 0; t < WORKERS; t++) {
        w[t] = (worker){{graph[0], graph[1]}, {want, want + 20 * (size_t)ALL}, 5 * t, false};
        assert_int_equal(pthread_create(&thread[t], NULL, ask, &w[t]), 0);
    }
    for (size_t t = 0; t < WORKERS; t++) {
        assert_int_equal(pthread_join(thread[t], NULL), 0);
        assert_false(w[t].bad);
    }
    upsweep_graph_free(graph[0]);
    upsweep_graph_free(graph[1]);
    free(tail);
    free(head);
    free(weight);
    free(want);
    upsweep_close(u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roads),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_several_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
