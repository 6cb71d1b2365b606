/* test_gpu_paths.c - shortest paths on a GPU: the same bytes as on the CPU, which test_paths.c
 * holds to Dijkstra's algorithm as it is written down. As test_gpu.c, on the emulated plugin or the
 * real one. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/device.h"
#include "test/shared/handles.h"
#include "test/shared/nets.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ARENA_BYTES = 64 << 20, SOURCES = 7, TARGETS = 5 };
static const upsweep_type types[] = {0, UPSWEEP_U32, UPSWEEP_U64, UPSWEEP_F32, UPSWEEP_F64};

static int rounds(int on_device)
{
    return device_is_emulated() || test_small() ? on_device / 20 : on_device;
}

/* ---- one query ---- */

typedef struct query {
    uint32_t sources[SOURCES], targets[TARGETS];
    size_t source_count;
    uint64_t cutoff;
    upsweep_path_options o;
} query;

static query random_query(const upsweep_graph_info *g)
{
    query q = {.source_count = 1 + net_draw(SOURCES)};
    for (size_t s = 0; s < SOURCES; s++) {
        q.sources[s] = (uint32_t)net_draw(g->vertices);
    }
    for (size_t t = 0; t < TARGETS; t++) {
        q.targets[t] = (uint32_t)net_draw(g->vertices);
    }
    uint64_t kind = net_draw(6);
    q.o.delta = net_draw(3) == 0 ? 0.25 * (double)(1 + net_draw(4000)) : 0;
    if (kind == 0) {
        q.o.target_count = 1 + net_draw(TARGETS);
    } else if (kind == 1) {
        net_put(g->distance_type, &q.cutoff, 0, (double)net_draw(40));
    }
    return q;
}

/* Points the options into q, which must not move any more. */
static upsweep_path_options *aim(query *q)
{
    q->o.targets = q->o.target_count > 0 ? q->targets : NULL;
    q->o.cutoff = q->cutoff != 0 ? &q->cutoff : NULL;
    return &q->o;
}

/* Both handles on the same query: the same status and the same bytes. in_place: the outputs are in
 * device memory, and may lie anywhere. */
static void compare(const upsweep_graph *graph, query *q, bool in_place)
{
    upsweep_graph_info g = UPSWEEP_GRAPH_INFO_INIT;
    upsweep_graph_describe(graph, &g);
    size_t width = upsweep_type_bytes(g.distance_type), bytes = g.vertices * width;
    unsigned char *want = malloc(bytes), *got = malloc(bytes);
    uint32_t *parent = malloc(g.vertices * 4), *found = malloc(g.vertices * 4);
    upsweep_path_options *o = aim(q);
    memset(got, 0xa5, bytes);
    memset(found, 0xa5, g.vertices * 4);
    upsweep_status status = upsweep_paths(cpu, graph, q->sources, q->source_count, want, parent, o);
    if (in_place) {
        device_reset();
        void *d = device_take(bytes, width), *p = device_take(g.vertices * 4, 4);
        assert_int_equal(upsweep_paths(gpu, graph, q->sources, q->source_count, d, p, o),
                         UPSWEEP_OK);
        assert_int_equal(upsweep_wait(gpu), status);
        assert_true(device_intact());
        device_get(got, d, bytes);
        device_get(found, p, g.vertices * 4);
    } else {
        assert_int_equal(upsweep_paths(gpu, graph, q->sources, q->source_count, got, found, o),
                         status);
        upsweep_report report = UPSWEEP_REPORT_INIT;
        upsweep_last_report(gpu, &report);
        assert_string_equal(report.device, "cuda:0");
    }
    if (status == UPSWEEP_OK) {
        assert_memory_equal(got, want, bytes);
        assert_memory_equal(found, parent, g.vertices * 4);
    } else {
        assert_string_equal(upsweep_error(gpu), upsweep_error(cpu));
    }
    free(want);
    free(got);
    free(parent);
    free(found);
}

static void test_random_graphs(void **context)
{
    (void)context;
    for (int k = 0; k < rounds(4000); k++) {
        net n = net_random(types[k % 5]);
        upsweep_graph *graph = net_graph(cpu, &n);
        upsweep_graph_info g = UPSWEEP_GRAPH_INFO_INIT;
        upsweep_graph_describe(graph, &g);
        query q = random_query(&g);
        if (net_draw(4) == 0) {
            q.o.algorithm = "path/dijkstra";
        }
        compare(graph, &q, net_draw(4) == 0);
        upsweep_graph_free(graph);
    }
}

/* ---- shapes ---- */

typedef struct arcs {
    size_t n, m;
    uint32_t *tail, *head;
    double *weight;
} arcs;

static arcs room_for(size_t n, size_t m)
{
    return (arcs){n, 0, malloc(m * 4 + 1), malloc(m * 4 + 1), malloc(m * 8 + 1)};
}

static void put(arcs *a, size_t tail, size_t head, double weight)
{
    a->tail[a->m] = (uint32_t)tail;
    a->head[a->m] = (uint32_t)head;
    a->weight[a->m++] = weight;
}

static upsweep_graph *graph_of(arcs *a, upsweep_type type, unsigned flags)
{
    uint64_t *weight = malloc(a->m * 8 + 1);
    upsweep_graph *graph = NULL;
    for (size_t i = 0; i < a->m; i++) {
        net_put(type, weight, i, a->weight[i]);
    }
    assert_int_equal(upsweep_graph_from_arcs(cpu, a->n, a->m, a->tail, a->head,
                                             type == 0 ? NULL : weight, type, flags, &graph),
                     UPSWEEP_OK);
    free(weight);
    free(a->tail);
    free(a->head);
    free(a->weight);
    return graph;
}

/* weights: how many there are; with 1 all are zero. */
static upsweep_graph *grid(size_t side, upsweep_type type, uint64_t weights, double unit)
{
    arcs a = room_for(side * side, 2 * side * side);
    for (size_t v = 0; v < side * side; v++) {
        if (v % side + 1 < side) {
            put(&a, v, v + 1, unit * (double)net_draw(weights));
        }
        if (v + side < side * side) {
            put(&a, v, v + side, unit * (double)net_draw(weights));
        }
    }
    return graph_of(&a, type, UPSWEEP_GRAPH_UNDIRECTED);
}

/* Few vertices that have most arcs, among many that have some. */
static upsweep_graph *hubs(size_t n, size_t m, upsweep_type type)
{
    arcs a = room_for(n, m);
    for (size_t i = 0; i < m; i++) {
        size_t from = i % 3 == 0 ? net_draw(3) : net_draw(n);
        put(&a, from, net_draw(n), (double)(1 + net_draw(255)));
    }
    return graph_of(&a, type, net_draw(2) == 0 ? UPSWEEP_GRAPH_UNDIRECTED : 0);
}

static upsweep_graph *line(size_t n, double weight)
{
    arcs a = room_for(n, n);
    for (size_t v = 0; v + 1 < n; v++) {
        put(&a, v, v + 1, weight);
    }
    return graph_of(&a, UPSWEEP_U32, 0);
}

static void compare_several(upsweep_graph *graph, int count)
{
    upsweep_graph_info g = UPSWEEP_GRAPH_INFO_INIT;
    upsweep_graph_describe(graph, &g);
    for (int k = 0; k < count; k++) {
        query q = random_query(&g);
        compare(graph, &q, k % 2 == 1);
    }
    upsweep_graph_free(graph);
}

static void test_shapes(void **context)
{
    (void)context;
    size_t scale = device_is_emulated() || test_small() ? 1 : 12;
    for (int k = 0; k < 5; k++) {
        compare_several(grid(25 * scale, types[k], 256, k >= 3 ? 0.37 : 1), 4);
        compare_several(grid(20 * scale, types[k], 2, 1), 2);
        compare_several(hubs(400 * scale * scale, 4000 * scale * scale, types[k]), 4);
        compare_several(hubs(3000 * scale, 3000 * scale, types[k]), 3);
    }
    compare_several(grid(12 * scale, UPSWEEP_U32, 1, 1), 2); /* a plateau of all */
    compare_several(line(600 * scale, 3), 3);
    compare_several(line(200 * scale, 0), 3);
    compare_several(line(1, 0), 2);
}

/* As many rounds as there can be: the narrowest buckets, and vertices one after another. A search
 * beyond its bound would be an error. */
static void test_many_rounds(void **context)
{
    (void)context;
    size_t n = device_is_emulated() || test_small() ? 300 : 3000;
    for (int k = 0; k < 4; k++) {
        upsweep_graph *graphs[] = {line(n, 3), grid(16, types[1 + k], 200, 1),
                                   hubs(n, 4 * n, types[1 + k])};
        for (size_t i = 0; i < 3; i++) {
            upsweep_graph_info g = UPSWEEP_GRAPH_INFO_INIT;
            upsweep_graph_describe(graphs[i], &g);
            query q = {.source_count = 1, .o.delta = 1e-9};
            q.sources[0] = (uint32_t)net_draw(g.vertices);
            q.targets[0] = (uint32_t)net_draw(g.vertices);
            q.o.target_count = (size_t)k % 2;
            compare(graphs[i], &q, false);
            upsweep_graph_free(graphs[i]);
        }
    }
}

/* ---- errors ---- */

/* Sums that do not fit: by a long path, and at once. */
static void test_overflow(void **context)
{
    (void)context;
    compare_several(line(40, 300000000), 4);
    for (int k = 0; k < rounds(400); k++) {
        net n = net_random(types[1 + k % 4]);
        for (size_t i = 0; i < n.m; i++) {
            double most = n.type == UPSWEEP_U32   ? 4294967000.0
                          : n.type == UPSWEEP_U64 ? 18446744073709500000.0
                          : n.type == UPSWEEP_F32 ? 3e38
                                                  : 1.7e308;
            n.weight[i] = net_draw(30) == 0 ? most : n.weight[i];
        }
        upsweep_graph *graph = net_graph(cpu, &n);
        compare_several(graph, 1);
    }
}

static void test_arguments(void **context)
{
    (void)context;
    upsweep_graph *graph = line(5, 1);
    uint32_t source = 7, distance[5];
    assert_int_equal(upsweep_paths(gpu, graph, &source, 1, distance, NULL, NULL),
                     UPSWEEP_ERROR_RANGE);
    assert_string_equal(upsweep_error(gpu), "source 0 is vertex 7, but there are 5");
    upsweep_path_options o = {.algorithm = "path/nothing"};
    source = 0;
    assert_int_equal(upsweep_paths(gpu, graph, &source, 1, distance, NULL, &o),
                     UPSWEEP_ERROR_ALGORITHM);
    device_reset();
    uint32_t *far = device_take(4, 0);
    device_put(far, &source, 4);
    assert_int_equal(upsweep_paths(gpu, graph, far, 1, distance, NULL, NULL),
                     UPSWEEP_ERROR_UNSUPPORTED);
    /* The emulated GPU has no driver by which a process is known to use CUDA. */
    if (!device_is_emulated()) {
        upsweep *late = NULL;
        assert_int_equal(upsweep_open(&late, "cpu", NULL), UPSWEEP_OK);
        assert_int_equal(upsweep_paths(late, graph, &source, 1, far, NULL, NULL),
                         UPSWEEP_ERROR_UNSUPPORTED);
        upsweep_close(late);
    }
    /* No source, no vertex. */
    assert_int_equal(upsweep_paths(gpu, graph, NULL, 0, distance, NULL, NULL), UPSWEEP_OK);
    assert_int_equal(distance[4], UINT32_MAX);
    upsweep_graph_free(graph);
    assert_int_equal(upsweep_graph_from_arcs(gpu, 0, 0, NULL, NULL, NULL, 0, 0, &graph),
                     UPSWEEP_OK);
    assert_int_equal(upsweep_paths(gpu, graph, NULL, 0, NULL, NULL, NULL), UPSWEEP_OK);
    upsweep_graph_free(graph);
}

/* ---- handles: a plan, a limit, "auto", several threads on one graph ---- */

static void test_handles(void **context)
{
    (void)context;
    upsweep *plan, *either, *small;
    upsweep_graph *graph = grid(20, UPSWEEP_U32, 200, 1);
    uint32_t source = 3, distance[400], parent[400];
    upsweep_report report = UPSWEEP_REPORT_INIT;
    assert_int_equal(upsweep_open(&plan, "cuda:plan", NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_paths(plan, graph, &source, 1, distance, parent, NULL), UPSWEEP_OK);
    upsweep_last_report(plan, &report);
    size_t bytes = report.scratch_bytes;
    assert_true(bytes > 0);
    upsweep_close(plan);
    upsweep_config config = {.scratch_limit = 4096};
    assert_int_equal(upsweep_open(&small, "cuda", &config), UPSWEEP_OK);
    assert_int_equal(upsweep_paths(small, graph, &source, 1, distance, parent, NULL),
                     UPSWEEP_ERROR_MEMORY);
    upsweep_close(small);
    assert_int_equal(upsweep_open(&either, "auto", NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_paths(either, graph, &source, 1, distance, parent, NULL), UPSWEEP_OK);
    upsweep_last_report(either, &report);
    assert_string_equal(report.device, "cpu"); /* 400 vertices do not pay for the way */
    upsweep_graph *larger = grid(150, UPSWEEP_U32, 200, 1);
    uint32_t *far = malloc(150 * 150 * sizeof *far);
    assert_int_equal(upsweep_paths(either, larger, &source, 1, far, NULL, NULL), UPSWEEP_OK);
    upsweep_last_report(either, &report);
    assert_string_equal(report.device, "cpu");
    /* And it says why, where the process is known to use CUDA. */
    bool told = strstr(report.reason, "; cuda was not used: with the copies ") != NULL;
    assert_true(told || device_is_emulated());
    free(far);
    upsweep_graph_free(larger);
    upsweep_close(either);
    upsweep_graph_free(graph);
}

typedef struct worker {
    upsweep_graph *graph;
    const uint32_t *want;
    bool bad;
} worker;

static void *search(void *context)
{
    worker *w = context;
    uint32_t source = 0, *distance = malloc(900 * 4);
    upsweep *u = NULL;
    w->bad = upsweep_open(&u, "cuda", NULL) != UPSWEEP_OK;
    for (int k = 0; k < 3 && !w->bad; k++) {
        w->bad = upsweep_paths(u, w->graph, &source, 1, distance, NULL, NULL) != UPSWEEP_OK ||
                 memcmp(distance, w->want, 900 * 4) != 0;
    }
    upsweep_close(u);
    free(distance);
    return NULL;
}

static void test_threads(void **context)
{
    (void)context;
    upsweep_graph *graph = grid(30, UPSWEEP_U32, 200, 1);
    uint32_t source = 0, want[900];
    assert_int_equal(upsweep_paths(cpu, graph, &source, 1, want, NULL, NULL), UPSWEEP_OK);
    worker w[3];
    pthread_t thread[3];
    for (int t = 0; t < 3; t++) {
        w[t] = (worker){graph, want, false};
        assert_int_equal(pthread_create(&thread[t], NULL, search, &w[t]), 0);
    }
    for (int t = 0; t < 3; t++) {
        pthread_join(thread[t], NULL);
        assert_false(w[t].bad);
    }
    upsweep_graph_free(graph);
}

static int start(void **state)
{
    (void)state;
    return device_group_start(ARENA_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_graphs), cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_many_rounds),   cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_arguments),     cmocka_unit_test(test_handles),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, start, device_group_end);
}
