/* test_gpu_paths_many.c - shortest paths on a GPU from many sources, and in matrices: the same
 * bytes as on the CPU. As test_gpu.c, on the emulated plugin or the real one. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/device.h"
#include "test/shared/handles.h"
#include "test/shared/nets.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ARENA_BYTES = 64 << 20, SOURCES = 9, TARGETS = 4 };
static const upsweep_type types[] = {0, UPSWEEP_U32, UPSWEEP_U64, UPSWEEP_F32, UPSWEEP_F64};

static int rounds(int on_device)
{
    return device_is_emulated() || test_small() ? on_device / 20 : on_device;
}

/* ---- many sources ---- */

typedef struct batch {
    net g;
    uint32_t sources[SOURCES], targets[SOURCES * TARGETS];
    uint64_t target_begin[SOURCES + 1], cutoffs[SOURCES];
    size_t count;
    upsweep_batch_options o;
    bool by_source;
} batch;

static void random_batch(batch *b, int k)
{
    *b = (batch){.g = net_random(types[k % 5])};
    b->count = net_draw(SOURCES + 1);
    b->by_source = net_draw(2) == 0;
    bool targets = net_draw(2) == 0;
    for (size_t s = 0; s < b->count; s++) {
        b->sources[s] = (uint32_t)net_draw(b->g.n);
        b->target_begin[s + 1] = b->target_begin[s] + net_draw(TARGETS + 1);
        net_put(b->g.type, b->cutoffs, s, (double)net_draw(30));
    }
    for (size_t t = 0; t < SOURCES * TARGETS; t++) {
        b->targets[t] = (uint32_t)net_draw(b->g.n);
    }
    b->o.targets = targets ? b->targets : NULL;
    b->o.target_begin = targets && b->by_source ? b->target_begin : NULL;
    b->o.target_count = targets && !b->by_source ? TARGETS : 0;
    b->o.cutoffs = net_draw(3) == 0 ? b->cutoffs : NULL;
    b->o.cutoff = b->o.cutoffs == NULL && net_draw(3) == 0 ? b->cutoffs : NULL;
    b->o.delta = net_draw(3) == 0 ? 0.5 * (double)(1 + net_draw(300)) : 0;
}

static size_t cells_of(const batch *b)
{
    return b->o.target_begin != NULL ? b->target_begin[b->count]
           : b->o.targets != NULL    ? b->count * TARGETS
                                     : b->count * b->g.n;
}

static void test_matrices(void **context)
{
    (void)context;
    batch b;
    for (int k = 0; k < rounds(1500); k++) {
        random_batch(&b, k);
        upsweep_graph *graph = net_graph(cpu, &b.g);
        size_t cells = cells_of(&b), bytes = cells * net_distance_bytes(b.g.type);
        unsigned char *want = malloc(bytes + 8), *got = malloc(bytes + 8);
        uint32_t *parent = malloc(cells * 4 + 8), *found = malloc(cells * 4 + 8);
        memset(got, 0xa5, bytes + 8);
        memset(found, 0xa5, cells * 4 + 8);
        assert_int_equal(upsweep_paths_matrix(cpu, graph, b.sources, b.count, &b.o, want, parent),
                         UPSWEEP_OK);
        if (k % 3 == 0 && cells > 0) {
            device_reset();
            void *d = device_take(bytes, 8), *p = device_take(cells * 4, 4);
            assert_int_equal(upsweep_paths_matrix(gpu, graph, b.sources, b.count, &b.o, d, p),
                             UPSWEEP_OK);
            assert_int_equal(upsweep_wait(gpu), UPSWEEP_OK);
            assert_true(device_intact());
            device_get(got, d, bytes);
            device_get(found, p, cells * 4);
        } else {
            uint32_t *to = k % 2 == 0 ? NULL : found;
            assert_int_equal(upsweep_paths_matrix(gpu, graph, b.sources, b.count, &b.o, got, to),
                             UPSWEEP_OK);
            memcpy(found, to == NULL ? parent : found, cells * 4);
        }
        assert_memory_equal(got, want, bytes);
        assert_memory_equal(found, parent, cells * 4);
        free(want);
        free(got);
        free(parent);
        free(found);
        upsweep_graph_free(graph);
    }
}

/* Rows as one string of bytes. */
typedef struct rows {
    unsigned char *at;
    size_t used, stop_after;
    size_t width;
} rows;
enum { ROWS_BYTES = 1 << 20 };

static void append(rows *r, const void *from, size_t bytes)
{
    assert_true(r->used + bytes <= ROWS_BYTES);
    memcpy(r->at + r->used, from, bytes);
    r->used += bytes;
}

static int take_row(void *context, const upsweep_path_row *row)
{
    rows *r = context;
    append(r, &row->number, sizeof row->number);
    append(r, &row->source, sizeof row->source);
    append(r, &row->count, sizeof row->count);
    if (row->vertex != NULL) {
        append(r, row->vertex, row->count * 4);
    }
    append(r, row->distance, row->count * r->width);
    if (row->parent != NULL) {
        append(r, row->parent, row->count * 4);
    }
    return row->number == r->stop_after;
}

static void test_batches(void **context)
{
    (void)context;
    batch b;
    rows want = {.at = malloc(ROWS_BYTES)}, got = {.at = malloc(ROWS_BYTES)};
    for (int k = 0; k < rounds(1500); k++) {
        random_batch(&b, k);
        b.o.flags = (unsigned)net_draw(b.o.targets == NULL ? 4 : 2) * UPSWEEP_PATHS_PARENTS;
        upsweep_graph *graph = net_graph(cpu, &b.g);
        want.used = got.used = 0;
        want.width = got.width = net_distance_bytes(b.g.type);
        want.stop_after = got.stop_after = net_draw(3) == 0 && b.count > 0 ? net_draw(b.count) : 99;
        upsweep_status status =
            upsweep_paths_batch(cpu, graph, b.sources, b.count, &b.o, take_row, &want);
        assert_int_equal(upsweep_paths_batch(gpu, graph, b.sources, b.count, &b.o, take_row, &got),
                         status);
        assert_int_equal(got.used, want.used);
        assert_memory_equal(got.at, want.at, want.used);
        upsweep_graph_free(graph);
    }
    free(want.at);
    free(got.at);
}

/* A grid, which takes more than one turn of a block, from all its vertices. */
static void test_grid(void **context)
{
    (void)context;
    enum { SIDE = 17, N = SIDE * SIDE };
    uint32_t tail[2 * N], head[2 * N], weight[2 * N], sources[N];
    size_t m = 0;
    for (uint32_t v = 0; v < N; v++) {
        sources[v] = v;
        for (uint32_t k = 0; k < 2; k++) {
            if (k == 0 ? v % SIDE + 1 < SIDE : v + SIDE < N) {
                tail[m] = v;
                head[m] = v + (k == 0 ? 1 : SIDE);
                weight[m++] = (uint32_t)net_draw(50);
            }
        }
    }
    upsweep_graph *graph;
    assert_int_equal(upsweep_graph_from_arcs(cpu, N, m, tail, head, weight, UPSWEEP_U32,
                                             UPSWEEP_GRAPH_UNDIRECTED, &graph),
                     UPSWEEP_OK);
    uint32_t *want = malloc(4 * N * N * 4), *got = want + 2 * N * N;
    assert_int_equal(upsweep_paths_matrix(cpu, graph, sources, N, NULL, want, want + N * N),
                     UPSWEEP_OK);
    assert_int_equal(upsweep_paths_matrix(gpu, graph, sources, N, NULL, got, got + N * N),
                     UPSWEEP_OK);
    assert_memory_equal(got, want, 2 * N * N * sizeof *want);
    free(want);
    upsweep_graph_free(graph);
}

/* ---- matrices of weights ---- */

static void fill_cells(const net *g, void *matrix)
{
    size_t width = net_distance_bytes(g->type);
    bool is_float = g->type == UPSWEEP_F32 || g->type == UPSWEEP_F64;
    memset(matrix, 0xff, g->n * g->n * width);
    for (size_t i = 0; is_float && i < g->n * g->n; i++) {
        net_put(g->type, matrix, i, net_draw(2) == 0 ? INFINITY : (double)net_draw(40) - 0.0);
    }
    for (size_t i = 0; i < g->m; i++) {
        net_put(g->type, matrix, g->tail[i] * g->n + g->head[i],
                g->weight[i] == 0 && is_float ? -0.0 : g->weight[i]);
    }
}

static void compare_dense(const net *g, const void *matrix, upsweep_path_options *o)
{
    uint64_t want[VERTICES], got[VERTICES];
    uint32_t parent[VERTICES], found[VERTICES];
    uint32_t sources[2] = {(uint32_t)net_draw(g->n), (uint32_t)net_draw(g->n)};
    upsweep_status status =
        upsweep_paths_dense(cpu, matrix, g->n, g->type, sources, 2, want, parent, o);
    assert_int_equal(upsweep_paths_dense(gpu, matrix, g->n, g->type, sources, 2, got, found, o),
                     status);
    if (status == UPSWEEP_OK) {
        assert_memory_equal(got, want, g->n * net_distance_bytes(g->type));
        assert_memory_equal(found, parent, g->n * 4);
    } else {
        assert_string_equal(upsweep_error(gpu), upsweep_error(cpu));
    }
}

static void test_dense(void **context)
{
    (void)context;
    uint64_t *matrix = malloc(VERTICES * VERTICES * 8), cutoff;
    for (int k = 0; k < rounds(1500); k++) {
        net g = net_random(types[1 + k % 4]);
        uint32_t targets[2] = {(uint32_t)net_draw(g.n), (uint32_t)net_draw(g.n)};
        upsweep_path_options o = {.target_count = 0};
        fill_cells(&g, matrix);
        if (net_draw(3) == 0) {
            net_put(g.type, &cutoff, 0, (double)net_draw(20));
            o.cutoff = &cutoff;
        } else if (net_draw(2) == 0) {
            o.targets = targets;
            o.target_count = 2;
        }
        if (k % 4 >= 2 && net_draw(3) == 0) { /* a weight that must not be, perhaps not met */
            net_put(g.type, matrix, net_draw(g.n * g.n), net_draw(2) == 0 ? -2.5 : (double)NAN);
        } else if (net_draw(4) == 0) { /* one that is too much for all but the first */
            net_put(g.type, matrix, net_draw(g.n * g.n),
                    g.type == UPSWEEP_U32 ? 4294967290.0 : 1e30);
        }
        compare_dense(&g, matrix, &o);
    }
    free(matrix);
}

/* ---- a bound on the rounds ---- */

/* Arcs of length 3 from each vertex to the next. */
static upsweep_graph *line(size_t n)
{
    uint32_t *tail = calloc(n, 3 * sizeof *tail), *head = tail + n, *weight = head + n;
    upsweep_graph *graph;
    for (uint32_t v = 0; v + 1 < n; v++) {
        tail[v] = v;
        head[v] = v + 1;
        weight[v] = 3;
    }
    assert_int_equal(
        upsweep_graph_from_arcs(cpu, n, n - 1, tail, head, weight, UPSWEEP_U32, 0, &graph),
        UPSWEEP_OK);
    free(tail);
    return graph;
}

/* A search that takes more rounds than its bound is given up, alone and in a batch, and the handle
 * goes on. Only the emulated plugin can be told of a bound so small that searches meet it. */
static void test_bound(void **context)
{
    (void)context;
    enum { N = 200 };
    static const char few[] = "UPSWEEP_EMULATE_ROUNDS", told[] = "given up after 7 rounds";
    static uint32_t distance[2 * N], parent[2 * N];
    uint32_t sources[2] = {0,
                           N - 2}; /* the second is near the end: its search keeps to the bound */
    upsweep_path_options o = {.delta = 1};
    upsweep_batch_options each = {.delta = 1};
    upsweep_graph *graph = line(N);
    if (!device_is_emulated()) {
        upsweep_graph_free(graph);
        skip();
    }
    assert_int_equal(setenv(few, "7", 1), 0);
    for (int parents = 0; parents < 2; parents++) {
        uint32_t *p = parents ? parent : NULL;
        assert_int_equal(upsweep_paths(gpu, graph, sources, 1, distance, p, &o),
                         UPSWEEP_ERROR_DEVICE);
        assert_non_null(strstr(upsweep_error(gpu), told));
        assert_int_equal(upsweep_paths_matrix(gpu, graph, sources, 2, &each, distance, p),
                         UPSWEEP_ERROR_DEVICE);
        assert_non_null(strstr(upsweep_error(gpu), told));
        assert_int_equal(upsweep_paths(gpu, graph, sources + 1, 1, distance, p, &o), UPSWEEP_OK);
        assert_int_equal(distance[N - 1], 3);
    }
    assert_int_equal(unsetenv(few), 0);
    assert_int_equal(upsweep_paths(gpu, graph, sources, 1, distance, parent, &o), UPSWEEP_OK);
    assert_int_equal(distance[N - 1], 3 * (N - 1));
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
        cmocka_unit_test(test_matrices), cmocka_unit_test(test_batches),
        cmocka_unit_test(test_grid),     cmocka_unit_test(test_dense),
        cmocka_unit_test(test_bound),
    };
    return cmocka_run_group_tests(tests, start, device_group_end);
}
