/* test_ways_select.c - all types on all instruction sets, where selections and searches for paths
 * go ways that they seldom go: mostly equal keys, large arrays, targets and cutoffs, threads that
 * share a search. The test `routes` tells which ways there are, and that none is missed. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above first. */
#include <cmocka.h>
#include <math.h>

#include "test/shared/nets.h"
#include "test/shared/ways.h"

/* ---- selection, and what differs from its neighbour ---- */

static void try_select(upsweep *u, unsigned isa, upsweep_type type, unsigned pattern, size_t n)
{
    size_t bytes = upsweep_type_bytes(type), ks[] = {n / 7, n / 2, n - 2};
    char *before = malloc(n * bytes), *keys = malloc(n * bytes), *best = malloc(n * bytes);
    uint64_t *index = malloc(n * sizeof *index);
    fill(pattern, type, before, n);
    for (size_t c = 0; c < 3; c++) {
        size_t k = ks[c];
        memcpy(keys, before, n * bytes);
        assert_int_equal(upsweep_nth_element(u, keys, n, k, type, NULL), UPSWEEP_OK);
        const char *wrong = oracle_same_keys(before, keys, n, bytes);
        for (size_t i = 0; wrong == NULL && i < n; i++) {
            int order = oracle_order(type, 0, keys + i * bytes, keys + k * bytes);
            wrong = i < k ? (order > 0 ? "a greater key before the k-th" : NULL)
                          : (order < 0 ? "a lesser key behind the k-th" : NULL);
        }
        require(wrong, "nth_element", isa, type, pattern);
    }
    memcpy(keys, before, n * bytes);
    assert_int_equal(upsweep_sort(u, keys, n, type, NULL), UPSWEEP_OK);
    for (unsigned c = 0; c < 4; c++) {
        size_t k = c < 2 ? n / 9 : 40;
        uint64_t *at = c % 2 == 0 ? NULL : index;
        assert_int_equal(upsweep_top_k(u, before, n, k, type, best, at, NULL), UPSWEEP_OK);
        for (size_t i = 0; i < k; i++) {
            bool same =
                oracle_order(type, 0, best + i * bytes, keys + i * bytes) == 0 &&
                (at == NULL || memcmp(before + at[i] * bytes, best + i * bytes, bytes) == 0);
            require(same ? NULL : "a key is not of the best", "top_k", isa, type, pattern);
        }
    }
    free(index);
    free(best);
    free(keys);
    free(before);
}

static void try_unique(upsweep *u, unsigned isa, upsweep_type type)
{
    size_t bytes = upsweep_type_bytes(type), n = 2200000 / bytes, want = 0, kept = 0;
    char *before = malloc(n * bytes), *keys = malloc(n * bytes);
    fill(INPUT_FEW_VALUES, type, before, n);
    memcpy(keys, before, n * bytes);
    assert_int_equal(upsweep_unique(u, keys, n, type, &kept, NULL), UPSWEEP_OK);
    const char *wrong = NULL;
    for (size_t i = 0; i < n && wrong == NULL; i++) {
        if (i == 0 || memcmp(before + i * bytes, before + (i - 1) * bytes, bytes) != 0) {
            bool right = memcmp(keys + want * bytes, before + i * bytes, bytes) == 0;
            wrong = right ? NULL : "a key is wrong";
            want++;
        }
    }
    require(wrong != NULL || kept == want ? wrong : "too few or many", "unique", isa, type, 0);
    free(keys);
    free(before);
}

static void test_selections(void **state)
{
    (void)state;
    static const unsigned patterns[] = {INPUT_UNIFORM, INPUT_FEW_VALUES, INPUT_ONE_FULL_BUCKET,
                                        HALF_GREATEST, HALF_LEAST};
    for (unsigned isa = 0; isa < ISAS; isa++) {
        upsweep *u = handle_open(isa, 3);
        for (unsigned type = UPSWEEP_U8; u != NULL && type <= UPSWEEP_F64; type++) {
            for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
                size_t bytes = upsweep_type_bytes((upsweep_type)type);
                try_select(u, isa, (upsweep_type)type, patterns[p], 1200000 / bytes);
                try_select(u, isa, (upsweep_type)type, patterns[p], 3000);
            }
            /* Few values, of which the pivot is the greatest again. */
            for (size_t n = 257; n < 5000; n = n * 3 / 2) {
                try_select(u, isa, (upsweep_type)type, INPUT_FEW_VALUES, n);
            }
            try_unique(u, isa, (upsweep_type)type);
        }
        upsweep_close(u);
    }
}

/* ---- searches that stop at targets or a cutoff, with the narrowest buckets and the widest ---- */

static void try_path(upsweep *u, upsweep_type type, unsigned k)
{
    net g = net_random(type);
    for (size_t a = 0; k % 4 == 3 && a < g.m && type != 0; a++) {
        g.weight[a] *= 10000; /* beyond what the ring of buckets holds */
    }
    upsweep_graph *graph = net_graph(u, &g);
    uint32_t source = (uint32_t)net_draw(g.n);
    uint32_t targets[2] = {(uint32_t)net_draw(g.n), (uint32_t)net_draw(g.n)};
    uint64_t got[VERTICES], cutoff[1] = {0};
    long double want[VERTICES], limit = (long double)net_draw(20);
    net_put(type, cutoff, 0, (double)limit);
    net_oracle(&g, &source, 1, want);
    upsweep_path_options o = {.delta = 1 + (double)net_draw(9)};
    if (k % 4 == 3) {
        o.delta = type == 0 ? 1e-4 : 1;
    }
    if (k % 3 == 0) {
        o.cutoff = cutoff;
    } else if (k % 3 == 1) {
        o.targets = targets;
        o.target_count = 2;
        limit = want[targets[0]] > want[targets[1]] ? want[targets[0]] : want[targets[1]];
    } else {
        limit = INFINITY;
    }
    assert_int_equal(upsweep_paths(u, graph, &source, 1, got, NULL, &o), UPSWEEP_OK);
    for (size_t v = 0; v < g.n; v++) {
        long double expected = want[v] <= limit ? want[v] : (long double)INFINITY;
        assert_true(net_distance(type, got, v) == expected);
    }
    upsweep_graph_free(graph);
}

static void test_paths(void **state)
{
    (void)state;
    static const upsweep_type types[] = {0, UPSWEEP_U32, UPSWEEP_U64, UPSWEEP_F32, UPSWEEP_F64};
    for (unsigned isa = 0; isa < ISAS; isa++) {
        upsweep *u = handle_open(isa, 1);
        for (unsigned k = 0; u != NULL && k < 1500; k++) {
            try_path(u, types[k % 5], k / 5);
        }
        upsweep_close(u);
    }
}

/* A grid that is large enough for threads to share a search: an arc is one step, so that the
 * distance is how far the rows and the columns are apart. */
static void test_shared(void **state)
{
    (void)state;
    enum { SIDE = 520 };
    size_t n = (size_t)SIDE * SIDE, arcs = 0;
    uint32_t *tail = malloc(2 * n * sizeof *tail), *head = malloc(2 * n * sizeof *head);
    uint32_t *distance = malloc(n * sizeof *distance), source = SIDE / 2 * SIDE + 7;
    for (uint32_t v = 0; v < n; v++) {
        if (v % SIDE + 1 < SIDE) {
            tail[arcs] = v, head[arcs++] = v + 1;
        }
        if (v + SIDE < n) {
            tail[arcs] = v, head[arcs++] = v + SIDE;
        }
    }
    for (unsigned isa = 0; isa < ISAS; isa++) {
        upsweep *u = handle_open(isa, 2);
        upsweep_graph *graph = NULL;
        if (u == NULL) {
            continue;
        }
        assert_int_equal(upsweep_graph_from_arcs(u, n, arcs, tail, head, NULL, (upsweep_type)0,
                                                 UPSWEEP_GRAPH_UNDIRECTED, &graph),
                         UPSWEEP_OK);
        assert_int_equal(upsweep_paths(u, graph, &source, 1, distance, NULL, NULL), UPSWEEP_OK);
        for (uint32_t v = 0; v < n; v++) {
            int down = (int)(v / SIDE) - SIDE / 2, right = (int)(v % SIDE) - 7;
            assert_int_equal(distance[v], abs(down) + abs(right));
        }
        upsweep_graph_free(graph);
        upsweep_close(u);
    }
    free(distance);
    free(head);
    free(tail);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_selections),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_shared),
    };
    return cmocka_run_group_tests_name("ways of selections", tests, NULL, NULL);
}
