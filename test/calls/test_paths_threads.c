/* test_paths_threads.c - searches of larger graphs, by one thread and by several: both forms, which
 * share no step, must give the same bytes on every instruction set. */
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

#include "core/paths.h"
#include "test/shared/handles.h"
#include "test/shared/nets.h"

USW_DECLARE_PER_ISA(usw_path_form, usw_path_bucket_cpu);

static const upsweep_type types[] = {0, UPSWEEP_U32, UPSWEEP_U64, UPSWEEP_F32, UPSWEEP_F64};

typedef struct large {
    size_t n, m;
    uint32_t *tail, *head;
    void *weight;
    upsweep_type type;
    unsigned flags;
    double delta; /* 0: drawn */
} large;

static void add_arc(large *l, uint64_t tail, uint64_t head, uint64_t span)
{
    l->tail[l->m] = (uint32_t)tail;
    l->head[l->m] = (uint32_t)head;
    net_put(l->type, l->weight, l->m++, (double)net_draw(span));
}

/* 0: uniform; 1: a few hubs have most arcs; 2: a square grid; 3: a long line of clumps. */
static large large_graph(unsigned kind, upsweep_type type, size_t n, size_t degree, uint64_t span)
{
    large l = {.n = n, .type = type, .flags = net_draw(4) == 0 ? 0 : UPSWEEP_GRAPH_UNDIRECTED};
    l.tail = malloc(2 * n * degree * sizeof *l.tail);
    l.head = l.tail + n * degree;
    l.weight = malloc(n * degree * 8);
    size_t side = (size_t)sqrt((double)n);
    for (size_t v = 0; v < n; v++) {
        for (size_t k = 0; k < degree; k++) {
            uint64_t hub = net_draw(n), clump = v - v % 16;
            if (kind == 1) {
                hub = hub * hub / n * hub / n;
            }
            if (kind < 2) {
                add_arc(&l, v, hub, span);
            } else if (kind == 2 && k < 2 && v + (k ? side : 1) < n) {
                add_arc(&l, v, v + (k ? side : 1), span);
            } else if (kind == 3) {
                add_arc(&l, v, k == 0 && v + 1 < n ? v + 1 : (clump + net_draw(16)) % n, span);
            }
        }
    }
    return l;
}

/* The search that threads share, which upsweep_paths takes for large graphs only. */
static void check_shared(upsweep *u, const usw_path_query *q, const void *want, size_t bytes)
{
    uint32_t *relaxed = q->graph->sorted ? malloc(q->graph->vertices * sizeof *relaxed) : NULL;
    uint32_t culprit;
    usw_options none;
    assert_int_equal(usw_enter(u, NULL, 0, &none), UPSWEEP_OK);
    const usw_path_form *form = USW_PICK(u->isa, usw_path_bucket_cpu);
    memset(q->distance, 0xa5, q->graph->vertices * bytes);
    upsweep_status status = form->parallel(u, q, relaxed, &culprit, NULL);
    assert_int_equal(usw_leave(u, status), UPSWEEP_OK);
    assert_memory_equal(q->distance, want, q->graph->vertices * bytes);
    free(relaxed);
}

static void check_large(const large *l, unsigned isa, unsigned threads)
{
    upsweep *u = handle_open(isa, threads);
    if (u == NULL) {
        return;
    }
    upsweep_graph *graph;
    assert_int_equal(upsweep_graph_from_arcs(u, l->n, l->m, l->tail, l->head,
                                             l->type == 0 ? NULL : l->weight, l->type, l->flags,
                                             &graph),
                     UPSWEEP_OK);
    size_t bytes = net_distance_bytes(l->type);
    uint32_t sources[2] = {(uint32_t)net_draw(l->n), (uint32_t)net_draw(l->n)};
    void *want = malloc(l->n * bytes), *got = malloc(l->n * bytes);
    uint32_t *want_parent = malloc(l->n * 4), *got_parent = malloc(l->n * 4);
    upsweep_path_options plain = {.algorithm = "path/dijkstra"};
    upsweep_path_options o = {.delta = net_draw(2) == 0 ? 0 : (double)(1 + net_draw(2000))};
    o.delta = l->delta > 0 ? l->delta : o.delta;
    size_t count = 1 + net_draw(2);
    assert_int_equal(upsweep_paths(u, graph, sources, count, want, want_parent, &plain),
                     UPSWEEP_OK);
    assert_int_equal(upsweep_paths(u, graph, sources, count, got, got_parent, &o), UPSWEEP_OK);
    assert_memory_equal(got, want, l->n * bytes);
    assert_memory_equal(got_parent, want_parent, l->n * 4);
    usw_path_query q = {graph, sources, NULL, count, 0, got, NULL, o.delta, NULL};
    q.delta = q.delta > 0 ? q.delta : usw_choose_delta(graph);
    for (int again = 0; threads > 1 && again < 3; again++) {
        check_shared(u, &q, want, bytes);
    }
    free(want);
    free(got);
    free(want_parent);
    free(got_parent);
    upsweep_graph_free(graph);
    upsweep_close(u);
}

static void test_large_graphs(void **context)
{
    (void)context;
    static const uint64_t spans[] = {1, 3, 255, 100000};
    static const size_t degrees[] = {2, 5, 12, 40};
    static const unsigned threads[] = {1, 2, 3, 4, 7, 16};
    const unsigned graphs = test_small() ? 30 : test_thorough() ? 240 : 80;
    for (unsigned k = 0; k < graphs; k++) {
        size_t n = k % 10 == 0 ? 6000 : 1 + net_draw(2000);
        large l =
            large_graph(k % 4, types[net_draw(5)], n, degrees[net_draw(4)], spans[net_draw(4)]);
        check_large(&l, k % ISAS, threads[net_draw(6)]);
        free(l.tail);
        free(l.weight);
    }
}

/* Buckets so narrow that each entry opens one of its own: their chunks are more than there is room
 * for at first, and the search begins again with more. */
static void test_narrow_buckets(void **context)
{
    (void)context;
    for (unsigned k = 0; k < 4; k++) {
        large l = large_graph(0, types[1 + k], 3000, 40, 4000);
        l.flags = 0;
        l.delta = 1;
        check_large(&l, k % ISAS, 4);
        free(l.tail);
        free(l.weight);
    }
}

/* A distance that does not fit is found by every search. */
static void test_overflow(void **context)
{
    (void)context;
    enum { RING = 3000, DEGREE = 12 };
    for (unsigned kind = 0; kind < 2; kind++) {
        upsweep *u = net_open(4);
        uint32_t *tail = malloc((size_t)3 * RING * DEGREE * sizeof *tail), culprit;
        uint32_t *head = tail + RING * DEGREE, *weight = head + RING * DEGREE, source = 0;
        for (uint32_t i = 0; i < RING * DEGREE; i++) {
            tail[i] = i % RING;
            head[i] = kind == 0 ? (i % RING + i / RING + 1) % RING : (i % RING + 1) % RING;
            weight[i] = 200000000;
        }
        upsweep_graph *graph;
        assert_int_equal(upsweep_graph_from_arcs(u, RING, RING * DEGREE, tail, head, weight,
                                                 UPSWEEP_U32, UPSWEEP_GRAPH_UNDIRECTED, &graph),
                         UPSWEEP_OK);
        uint32_t *distance = malloc(RING * sizeof *distance), *relaxed = malloc(RING * 4);
        assert_int_equal(upsweep_paths(u, graph, &source, 1, distance, NULL, NULL),
                         UPSWEEP_ERROR_RANGE);
        usw_path_query q = {graph, &source, NULL, 1, 0, distance, NULL, 1e8, NULL};
        usw_options none;
        assert_int_equal(usw_enter(u, NULL, 0, &none), UPSWEEP_OK);
        const usw_path_form *form = USW_PICK(u->isa, usw_path_bucket_cpu);
        assert_int_equal(usw_leave(u, form->parallel(u, &q, kind ? NULL : relaxed, &culprit, NULL)),
                         UPSWEEP_ERROR_RANGE);
        free(distance);
        free(relaxed);
        free(tail);
        upsweep_graph_free(graph);
        upsweep_close(u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_large_graphs),
        cmocka_unit_test(test_narrow_buckets),
        cmocka_unit_test(test_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
