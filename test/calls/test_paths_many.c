/* test_paths_many.c - batches and matrices of distances against Dijkstra's algorithm as it is
 * written down. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above first. */
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "test/shared/handles.h"
#include "test/shared/nets.h"

enum { SOURCES = 40, TARGETS = 5 };
static const upsweep_type types[] = {0, UPSWEEP_U32, UPSWEEP_U64, UPSWEEP_F32, UPSWEEP_F64};

/* ---- batches ---- */

typedef struct batch {
    net g;
    uint32_t sources[SOURCES], targets[SOURCES * TARGETS];
    uint64_t target_begin[SOURCES + 1], cutoffs[SOURCES];
    size_t count, next, stop_at;
    upsweep_batch_options o;
    bool by_source; /* targets of its own for each */
    double limit[SOURCES];
} batch;

static batch random_batch(int k)
{
    batch b = {.g = net_random(types[k % 5]), .stop_at = SIZE_MAX};
    b.count = net_draw(SOURCES + 1);
    b.by_source = net_draw(2) == 0;
    for (size_t s = 0; s < b.count; s++) {
        b.sources[s] = (uint32_t)net_draw(b.g.n);
        b.target_begin[s + 1] = b.target_begin[s] + net_draw(TARGETS + 1);
        b.limit[s] = (double)net_draw(30);
        net_put(b.g.type, b.cutoffs, s, b.limit[s]);
    }
    for (size_t t = 0; t < SOURCES * TARGETS; t++) {
        b.targets[t] = (uint32_t)net_draw(b.g.n);
    }
    return b;
}

/* Points the options into b, which must not move any more. */
static void aim(batch *b, bool targets, bool cutoffs)
{
    b->o.targets = targets ? b->targets : NULL;
    b->o.target_begin = targets && b->by_source ? b->target_begin : NULL;
    b->o.target_count = targets && !b->by_source ? TARGETS : 0;
    b->o.cutoffs = cutoffs ? b->cutoffs : NULL;
    b->o.delta = net_draw(3) == 0 ? 0.5 * (double)(1 + net_draw(300)) : 0;
}

static long double within(const batch *b, size_t s, long double d)
{
    return b->o.cutoffs != NULL && d > (long double)b->limit[s] ? (long double)INFINITY : d;
}

static int check_row(void *context, const upsweep_path_row *row)
{
    batch *b = context;
    long double want[VERTICES], all[VERTICES];
    size_t s = b->next++, reached = 0;
    assert_int_equal(row->number, s);
    assert_int_equal(row->source, b->sources[s]);
    net_oracle(&b->g, &b->sources[s], 1, all);
    for (size_t v = 0; v < b->g.n; v++) {
        want[v] = within(b, s, all[v]);
        reached += !isinf((double)want[v]);
    }
    bool targets = b->o.targets != NULL, sparse = (b->o.flags & UPSWEEP_PATHS_REACHED) != 0;
    size_t columns = sparse                      ? reached
                     : b->o.target_begin != NULL ? b->target_begin[s + 1] - b->target_begin[s]
                     : targets                   ? TARGETS
                                                 : b->g.n;
    assert_int_equal(row->count, columns);
    const uint32_t *list = b->targets + (b->o.target_begin != NULL ? b->target_begin[s] : 0);
    uint32_t parent[VERTICES];
    for (size_t k = 0; k < columns; k++) {
        uint32_t v = row->vertex == NULL ? (uint32_t)k : row->vertex[k];
        assert_true(!targets || v == list[k]);
        assert_true(!sparse || k == 0 || row->vertex[k - 1] < v);
        assert_true(net_distance(b->g.type, row->distance, k) == want[v]);
        if (row->parent != NULL) {
            parent[v] = row->parent[k];
        }
    }
    assert_int_equal(row->parent != NULL, (b->o.flags & UPSWEEP_PATHS_PARENTS) != 0);
    if (row->parent != NULL && !targets && !sparse) {
        net_check_parents(&b->g, want, parent);
    }
    return row->number == b->stop_at;
}

static void test_batches(void **context)
{
    (void)context;
    static const unsigned threads[] = {1, 2, 5, 16};
    upsweep *handle[4];
    for (int t = 0; t < 4; t++) {
        handle[t] = net_open(threads[t]);
    }
    for (int k = 0; k < 1500; k++) {
        upsweep *u = handle[k % 4];
        batch b = random_batch(k);
        aim(&b, net_draw(2) == 0, net_draw(2) == 0);
        b.o.flags = (unsigned)net_draw(b.o.targets == NULL ? 4 : 2) * UPSWEEP_PATHS_PARENTS;
        b.o.algorithm = net_draw(8) == 0 ? "path/dijkstra" : NULL;
        upsweep_graph *graph = net_graph(u, &b.g);
        assert_int_equal(upsweep_paths_batch(u, graph, b.sources, b.count, &b.o, check_row, &b),
                         UPSWEEP_OK);
        assert_int_equal(b.next, b.count);
        if (b.count > 0) {
            b.stop_at = net_draw(b.count);
            b.next = 0;
            assert_int_equal(upsweep_paths_batch(u, graph, b.sources, b.count, &b.o, check_row, &b),
                             UPSWEEP_STOPPED);
            assert_int_equal(b.next, b.stop_at + 1);
        }
        upsweep_graph_free(graph);
    }
    for (int t = 0; t < 4; t++) {
        upsweep_close(handle[t]);
    }
}

static void test_matrices(void **context)
{
    (void)context;
    upsweep *u = net_open(3);
    for (int k = 0; k < 600; k++) {
        batch b = random_batch(k);
        aim(&b, net_draw(2) == 0, net_draw(2) == 0);
        upsweep_graph *graph = net_graph(u, &b.g);
        size_t cells = SOURCES * (VERTICES + TARGETS), bytes = net_distance_bytes(b.g.type);
        unsigned char *distance = calloc(cells, bytes);
        uint32_t *parent = calloc(cells, sizeof *parent);
        assert_int_equal(upsweep_paths_matrix(u, graph, b.sources, b.count, &b.o, distance, parent),
                         UPSWEEP_OK);
        b.o.flags = UPSWEEP_PATHS_PARENTS;
        for (size_t s = 0, at = 0; s < b.count; s++) {
            size_t columns = b.o.target_begin != NULL ? b.target_begin[s + 1] - b.target_begin[s]
                             : b.o.targets != NULL    ? TARGETS
                                                      : b.g.n;
            const uint32_t *list = b.o.target_begin != NULL ? b.targets + b.target_begin[s]
                                   : b.o.targets != NULL    ? b.targets
                                                            : NULL;
            upsweep_path_row row = {s,    b.sources[s],          columns,
                                    list, distance + at * bytes, parent + at};
            assert_int_equal(check_row(&b, &row), 0);
            at += columns;
        }
        free(distance);
        free(parent);
        upsweep_graph_free(graph);
    }
    upsweep_close(u);
}

/* A line of vertices, so long that few are reached: the rows hold those, one after another. */
static int check_near(void *context, const upsweep_path_row *row)
{
    (void)context;
    uint32_t first = row->source < 10 ? 0 : row->source - 10;
    for (size_t k = 0; k < row->count; k++) {
        uint32_t v = first + (uint32_t)k;
        uint32_t away = v < row->source ? row->source - v : v - row->source;
        assert_int_equal(row->vertex[k], v);
        assert_int_equal(((const uint32_t *)row->distance)[k], away);
        assert_int_equal(row->parent[k], away == 0         ? UPSWEEP_NO_VERTEX
                                         : v < row->source ? v + 1
                                                           : v - 1);
    }
    assert_int_equal(row->count, row->source < 10 ? 11 + row->source : 21);
    return 0;
}

static void test_few_reached(void **context)
{
    (void)context;
    enum { LINE = 300000, STARTS = 500 };
    uint32_t *tail = malloc(2 * LINE * sizeof *tail), *head = tail + LINE;
    uint32_t sources[STARTS], cutoff = 10;
    for (uint32_t v = 0; v < LINE; v++) {
        tail[v] = v;
        head[v] = v + 1;
    }
    for (uint32_t s = 0; s < STARTS; s++) {
        sources[s] = (uint32_t)net_draw(LINE - 20);
    }
    upsweep *u = net_open(4);
    upsweep_graph *graph;
    assert_int_equal(upsweep_graph_from_arcs(u, LINE + 1, LINE, tail, head, NULL, 0,
                                             UPSWEEP_GRAPH_UNDIRECTED, &graph),
                     UPSWEEP_OK);
    upsweep_batch_options o = {.cutoff = &cutoff,
                               .flags = UPSWEEP_PATHS_REACHED | UPSWEEP_PATHS_PARENTS};
    assert_int_equal(upsweep_paths_batch(u, graph, sources, STARTS, &o, check_near, NULL),
                     UPSWEEP_OK);
    upsweep_graph_free(graph);
    upsweep_close(u);
    free(tail);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_few_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
