/* test_paths.c - shortest paths against Dijkstra's algorithm as it is written down: a scan of all
 * vertices for the nearest one, in long double, with no queue and no buckets. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above first. */
#include <cmocka.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/shared/handles.h"
#include "test/shared/nets.h"

static const upsweep_type types[] = {0, UPSWEEP_U32, UPSWEEP_U64, UPSWEEP_F32, UPSWEEP_F64};

static void test_random_graphs(void **context)
{
    (void)context;
    upsweep *u;
    assert_int_equal(upsweep_open(&u, "cpu", NULL), UPSWEEP_OK);
    for (int k = 0; k < 4000; k++) {
        net g = net_random(types[k % 5]);
        upsweep_graph *graph = net_graph(u, &g);
        uint32_t sources[3] = {(uint32_t)net_draw(g.n), (uint32_t)net_draw(g.n),
                               (uint32_t)net_draw(g.n)};
        size_t count = 1 + net_draw(3);
        long double want[VERTICES];
        uint64_t got[VERTICES];
        uint32_t parent[VERTICES];
        upsweep_path_options o = {.algorithm = k % 4 == 3 ? "path/dijkstra" : NULL};
        o.delta = net_draw(3) == 0 ? 0.25 * (double)(1 + net_draw(4000)) : 0;
        net_oracle(&g, sources, count, want);
        assert_int_equal(upsweep_paths(u, graph, sources, count, got, parent, &o), UPSWEEP_OK);
        for (size_t v = 0; v < g.n; v++) {
            assert_true(net_distance(g.type, got, v) == want[v]);
        }
        net_check_parents(&g, want, parent);
        upsweep_graph_free(graph);
    }
    upsweep_close(u);
}

/* With targets or a cutoff, what is near enough is right and the rest is not reached. */
static void test_early_stop(void **context)
{
    (void)context;
    upsweep *u;
    assert_int_equal(upsweep_open(&u, "cpu", NULL), UPSWEEP_OK);
    for (int k = 0; k < 2000; k++) {
        net g = net_random(UPSWEEP_U32);
        upsweep_graph *graph = net_graph(u, &g);
        uint32_t source = (uint32_t)net_draw(g.n), got[VERTICES];
        uint32_t targets[2] = {(uint32_t)net_draw(g.n), (uint32_t)net_draw(g.n)};
        uint32_t cutoff = (uint32_t)net_draw(20);
        bool by_cutoff = net_draw(2) == 0;
        long double want[VERTICES], limit = cutoff;
        net_oracle(&g, &source, 1, want);
        upsweep_path_options o = {.delta = 1 + (double)net_draw(9)};
        if (by_cutoff) {
            o.cutoff = &cutoff;
        } else {
            o.targets = targets;
            o.target_count = 2;
            limit = want[targets[0]] > want[targets[1]] ? want[targets[0]] : want[targets[1]];
        }
        assert_int_equal(upsweep_paths(u, graph, &source, 1, got, NULL, &o), UPSWEEP_OK);
        for (size_t v = 0; v < g.n; v++) {
            long double expected = want[v] <= limit ? want[v] : INFINITY;
            assert_true(net_distance(UPSWEEP_U32, got, v) == expected);
        }
        upsweep_graph_free(graph);
    }
    upsweep_close(u);
}

static void test_bad_graphs(void **context)
{
    (void)context;
    upsweep *u;
    upsweep_graph *graph = NULL;
    uint32_t tail[2] = {0, 1}, head[2] = {1, 2};
    double bad[2] = {1, -3}, nan[2] = {NAN, 1};
    uint64_t begin[3] = {0, 2, 1};
    assert_int_equal(upsweep_open(&u, "cpu", NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_graph_from_arcs(u, 2, 2, tail, head, NULL, 0, 0, &graph),
                     UPSWEEP_ERROR_RANGE);
    assert_string_equal(upsweep_error(u), "arc 1 names vertex 2, but there are 2");
    assert_null(graph);
    assert_int_equal(upsweep_graph_from_arcs(u, 3, 2, tail, head, bad, UPSWEEP_F64, 0, &graph),
                     UPSWEEP_ERROR_RANGE);
    assert_string_equal(upsweep_error(u), "arc 1 has the weight -3");
    assert_int_equal(upsweep_graph_from_arcs(u, 3, 2, tail, head, nan, UPSWEEP_F64, 0, &graph),
                     UPSWEEP_ERROR_RANGE);
    assert_int_equal(upsweep_graph_from_rows(u, 2, begin, head, NULL, 0, 0, &graph),
                     UPSWEEP_ERROR_RANGE);
    assert_int_equal(upsweep_graph_from_arcs(u, 3, 2, tail, head, bad, UPSWEEP_I32, 0, &graph),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_graph_from_arcs(u, 3, 2, NULL, head, NULL, 0, 0, &graph),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_graph_from_rows(u, 3, NULL, head, NULL, 0, 0, &graph),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_graph_from_arcs(NULL, 3, 2, tail, head, NULL, 0, 0, &graph),
                     UPSWEEP_ERROR_ARGUMENT);
    upsweep_close(u);
}

/* The same graph by arcs and by rows; and graphs with nothing in them. */
static void test_rows(void **context)
{
    (void)context;
    upsweep *u;
    upsweep_graph *graph;
    uint64_t begin[4] = {0, 2, 3, 3};
    uint32_t head[3] = {1, 2, 2}, weight[3] = {7, 9, 1}, source = 0, distance[3], parent[3];
    assert_int_equal(upsweep_open(&u, "cpu", NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_graph_from_rows(u, 3, begin, head, weight, UPSWEEP_U32, 0, &graph),
                     UPSWEEP_OK);
    assert_int_equal(upsweep_paths(u, graph, &source, 1, distance, parent, NULL), UPSWEEP_OK);
    assert_int_equal(distance[1], 7);
    assert_int_equal(distance[2], 8);
    assert_int_equal(parent[2], 1);
    upsweep_graph_free(graph);
    assert_int_equal(upsweep_graph_from_arcs(u, 1, 0, NULL, NULL, NULL, 0, 0, &graph), UPSWEEP_OK);
    assert_int_equal(upsweep_paths(u, graph, &source, 1, distance, parent, NULL), UPSWEEP_OK);
    assert_int_equal(distance[0], 0);
    upsweep_graph_free(graph);
    assert_int_equal(upsweep_graph_from_arcs(u, 0, 0, NULL, NULL, NULL, 0, 0, &graph), UPSWEEP_OK);
    assert_int_equal(upsweep_paths(u, graph, NULL, 0, NULL, NULL, NULL), UPSWEEP_OK);
    upsweep_graph_free(graph);
    upsweep_close(u);
}

/* Too little scratch is an error, and the handle is good for the next call. */
static void test_scratch_limit(void **context)
{
    (void)context;
    upsweep *u;
    upsweep_graph *graph;
    uint32_t tail[1] = {0}, head[1] = {1}, source = 0, distance[2];
    upsweep_config config = {.threads = 1, .scratch_limit = 4096};
    assert_int_equal(upsweep_open(&u, "cpu", &config), UPSWEEP_OK);
    assert_int_equal(upsweep_graph_from_arcs(u, 2, 1, tail, head, NULL, 0, 0, &graph), UPSWEEP_OK);
    assert_int_equal(upsweep_paths(u, graph, &source, 1, distance, NULL, NULL),
                     UPSWEEP_ERROR_MEMORY);
    assert_string_equal(upsweep_error(u), "no scratch for the queue");
    upsweep_graph_free(graph);
    upsweep_close(u);
}

static void test_distance_that_does_not_fit(void **context)
{
    (void)context;
    upsweep *u;
    upsweep_graph *graph;
    uint32_t tail[3] = {0, 1, 0}, head[3] = {1, 2, 2}, distance[3], source = 0;
    uint32_t weight[3] = {3000000000u, 3000000000u, 5};
    assert_int_equal(upsweep_open(&u, "cpu", NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_graph_from_arcs(u, 3, 2, tail, head, weight, UPSWEEP_U32, 0, &graph),
                     UPSWEEP_OK);
    assert_int_equal(upsweep_paths(u, graph, &source, 1, distance, NULL, NULL),
                     UPSWEEP_ERROR_RANGE);
    uint32_t near_one = 1, far_one = 2;
    upsweep_path_options o = {.targets = &far_one, .target_count = 1};
    assert_int_equal(upsweep_paths(u, graph, &source, 1, distance, NULL, &o), UPSWEEP_ERROR_RANGE);
    o.targets = &near_one;
    assert_int_equal(upsweep_paths(u, graph, &source, 1, distance, NULL, &o), UPSWEEP_OK);
    assert_int_equal(distance[1], 3000000000u);
    upsweep_graph_free(graph);
    /* With a shorter way round it fits. */
    assert_int_equal(upsweep_graph_from_arcs(u, 3, 3, tail, head, weight, UPSWEEP_U32, 0, &graph),
                     UPSWEEP_OK);
    assert_int_equal(upsweep_paths(u, graph, &source, 1, distance, NULL, NULL), UPSWEEP_OK);
    assert_int_equal(distance[2], 5);
    upsweep_graph_free(graph);
    upsweep_close(u);
}

/* A sum of f32 beyond the greatest one is no infinity, which would pass for a vertex that no path
 * leads to; an arc of infinite weight leads nowhere. */
static void test_float_that_does_not_fit(void **context)
{
    (void)context;
    upsweep *u;
    upsweep_graph *graph;
    uint32_t tail[2] = {0, 1}, head[2] = {1, 2}, source = 0;
    float weight[2] = {0x1.8p127f, 0x1.8p126f}, distance[3];
    const char *const algorithms[] = {NULL, "path/dijkstra"};
    assert_int_equal(upsweep_open(&u, "cpu", NULL), UPSWEEP_OK);
    for (int k = 0; k < 4; k++) {
        bool fits = k / 2 == 1;
        upsweep_path_options o = {.algorithm = algorithms[k % 2]};
        weight[1] = fits ? INFINITY : 0x1.8p126f;
        assert_int_equal(
            upsweep_graph_from_arcs(u, 3, 2, tail, head, weight, UPSWEEP_F32, 0, &graph),
            UPSWEEP_OK);
        assert_int_equal(upsweep_paths(u, graph, &source, 1, distance, NULL, &o),
                         fits ? UPSWEEP_OK : UPSWEEP_ERROR_RANGE);
        upsweep_graph_free(graph);
    }
    upsweep_close(u);
}

/* The known answers of a road graph, where the test data is at hand. */
static void test_road_graph(void **context)
{
    (void)context;
    const char *folder = getenv("UPSWEEP_TEST_DATA");
    char name[512], line[256];
    snprintf(name, sizeof name, "%s/liechtenstein-t.gr",
             folder != NULL ? folder : "../shared/data");
    FILE *f = fopen(name, "r");
    if (f == NULL) {
        print_message("%s is not here: set UPSWEEP_TEST_DATA to its folder; skipped\n", name);
        skip();
    }
    size_t n = 0, m = 0, k = 0;
    uint32_t *arcs = NULL;
    while (fgets(line, sizeof line, f) != NULL) {
        if (sscanf(line, "p sp %zu %zu", &n, &m) == 2) {
            arcs = calloc(3 * m, sizeof *arcs);
        }
        uint32_t from, to, weight;
        if (arcs != NULL && k < m && sscanf(line, "a %u %u %u", &from, &to, &weight) == 3) {
            arcs[k] = from - 1;
            arcs[m + k] = to - 1;
            arcs[2 * m + k++] = weight;
        }
    }
    fclose(f);
    upsweep *u;
    upsweep_graph *graph;
    assert_int_equal(upsweep_open(&u, "cpu", NULL), UPSWEEP_OK);
    assert_int_equal(
        upsweep_graph_from_arcs(u, n, m, arcs, arcs + m, arcs + 2 * m, UPSWEEP_U32, 0, &graph),
        UPSWEEP_OK);
    uint32_t *distance = malloc(n * sizeof *distance), sources[2] = {27659, 5874};
    uint64_t sums[2] = {306052496, 290287431}, farthest[2] = {36671, 38432};
    for (int s = 0; s < 2; s++) {
        uint64_t sum = 0, reached = 0, most = 0;
        assert_int_equal(upsweep_paths(u, graph, &sources[s], 1, distance, NULL, NULL), UPSWEEP_OK);
        for (size_t v = 0; v < n; v++) {
            if (distance[v] != UINT32_MAX) {
                sum += distance[v];
                reached++;
                most = distance[v] > most ? distance[v] : most;
            }
        }
        assert_int_equal(reached, 31606);
        assert_int_equal(sum, sums[s]);
        assert_int_equal(most, farthest[s]);
    }
    free(distance);
    free(arcs);
    upsweep_graph_free(graph);
    upsweep_close(u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_graphs),

        cmocka_unit_test(test_early_stop),
        cmocka_unit_test(test_bad_graphs),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_scratch_limit),
        cmocka_unit_test(test_distance_that_does_not_fit),
        cmocka_unit_test(test_float_that_does_not_fit),
        cmocka_unit_test(test_road_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
