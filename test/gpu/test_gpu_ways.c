/* test_gpu_ways.c - kernels that other tests seldom launch, for all types: scans by every number of
 * tiles for which there is a kernel, reductions in several blocks, histograms and splits with more
 * counters than fit a table, moves of elements of all sizes, searches without weights. The test
 * `routes` tells which kernels there are, and that none is missed. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above first. */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/shared/calls.h"
#include "test/shared/device.h"
#include "test/shared/nets.h"
#include "test/shared/handles.h"

enum { ARENA_BYTES = 64 << 20, OPS = 7 };

static const call *call_named(const char *name)
{
    for (size_t i = 0; call_at(i) != NULL; i++) {
        if (strcmp(call_at(i)->name, name) == 0) {
            return call_at(i);
        }
    }
    fail_msg("there is no call %s", name);
    return NULL;
}

static void by_table(const char *name, unsigned variant, size_t n, upsweep_type type, uint64_t seed)
{
    job j;
    if (job_start(&j, call_named(name), variant, n, type, INPUT_UNIFORM, seed)) {
        upsweep_status status = j.call->run(gpu, &j);
        const char *wrong = status != UPSWEEP_OK ? upsweep_error(gpu) : job_wrong(&j);
        if (wrong != NULL) {
            fail_msg("%s, variant %u, n = %zu, %s: %s", name, variant, n, upsweep_type_name(type),
                     wrong);
        }
        job_free(&j);
    }
}

/* A tile is 32 bytes of integers, or 8 floats that are added, of each of 512 threads. */
static size_t tile_of(upsweep_type type, unsigned op)
{
    bool sums = oracle_mantissa_bits(type) != 0 && op < 2;
    return 512 * (sums ? 8 : 32 / upsweep_type_bytes(type));
}

static void test_folds(void **state)
{
    (void)state;
    static const size_t halves[] = {5, 11, 19, 25}; /* of tiles */
    for (unsigned type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        for (unsigned op = 0; op < OPS; op++) {
            for (size_t h = 0; h < sizeof halves / sizeof *halves; h++) {
                size_t n = halves[h] * tile_of((upsweep_type)type, op) / 2;
                by_table("upsweep_scan", op + (type + h) % 2 * OPS, n, (upsweep_type)type, h);
            }
            by_table("upsweep_reduce", op,
                     device_is_emulated() && !test_thorough() ? 50003 : 100003, (upsweep_type)type,
                     1);
        }
    }
}

/* Sums and products that any order makes exact, in whatever order. */
static void test_unordered(void **state)
{
    (void)state;
    enum { N = 30011 };
    char *x = malloc(N * 8);
    assert_non_null(x);
    upsweep_options o = {.size = sizeof o, .flags = UPSWEEP_UNORDERED};
    for (unsigned type = UPSWEEP_F16; type <= UPSWEEP_F64; type++) {
        for (unsigned product = 0; product < 2; product++) {
            upsweep_op op = product != 0 ? UPSWEEP_PRODUCT : UPSWEEP_SUM;
            uint64_t want = 0, got = 1;
            input_fill_exact((upsweep_type)type, x, N, type, (int)product);
            assert_int_equal(upsweep_reduce(cpu, x, N, (upsweep_type)type, op, &want, NULL),
                             UPSWEEP_OK);
            assert_int_equal(upsweep_reduce(gpu, x, N, (upsweep_type)type, op, &got, &o),
                             UPSWEEP_OK);
            assert_memory_equal(&want, &got, upsweep_type_bytes((upsweep_type)type));
        }
    }
    free(x);
}

/* ---- more buckets than counters ---- */

/* The GPU's outcome is the CPU's, which other tests compare with an oracle. */
static void try_buckets(const upsweep_bucketing *b, const void *keys, size_t n, upsweep_type type)
{
    size_t bytes = upsweep_type_bytes(type);
    uint64_t *want = calloc(b->count + 1, sizeof *want), *got = calloc(b->count + 1, sizeof *got);
    char *split[2] = {malloc(n * bytes), malloc(n * bytes)};
    if (upsweep_histogram(cpu, keys, n, type, b, want, NULL) != UPSWEEP_OK) {
        fail_msg("%s, %zu buckets: %s", upsweep_type_name(type), b->count, upsweep_error(cpu));
    }
    assert_int_equal(upsweep_histogram(gpu, keys, n, type, b, got, NULL), UPSWEEP_OK);
    assert_memory_equal(want, got, b->count * sizeof *want);
    upsweep_status status = upsweep_split_keys(cpu, keys, split[0], n, type, b, want, NULL);
    assert_int_equal(upsweep_split_keys(gpu, keys, split[1], n, type, b, got, NULL), status);
    if (status == UPSWEEP_OK) {
        assert_memory_equal(want, got, (b->count + 1) * sizeof *want);
        assert_memory_equal(split[0], split[1], n * bytes);
    }
    free(split[1]);
    free(split[0]);
    free(got);
    free(want);
}

/* A narrow range far from 0, where an f32 is too coarse to guess the bucket of a key of 32 bits. */
static void try_far_buckets(upsweep_type type, size_t count)
{
    enum { N = 1501 };
    const uint64_t low = 2000000000, width = 1 << 18;
    uint64_t keys[N], random = count, ends[2];
    size_t bytes = upsweep_type_bytes(type);
    if (bytes < 4) {
        return;
    }
    for (size_t i = 0; i < N + 2; i++) {
        uint64_t x = i < N ? low - 5 + input_random(&random) % (width + 10) : low + (i - N) * width;
        x = oracle_mantissa_bits(type) != 0 ? oracle_round(type, x) : x;
        memcpy(i < N ? (char *)keys + i * bytes : (char *)&ends[i - N], &x, bytes);
    }
    upsweep_bucketing b = {.size = sizeof b, .kind = UPSWEEP_BUCKET_WIDTH, .count = count};
    b.low = &ends[0];
    b.high = &ends[1];
    try_buckets(&b, keys, N, type);
}

static void test_buckets(void **state)
{
    (void)state;
    enum { N = 2003, MOST = 130000 };
    static const size_t counts[] = {300, 65536, 1 << 17};
    char *keys = malloc(N * 8), *edges = malloc((MOST + 2000) * 8);
    assert_true(keys != NULL && edges != NULL);
    for (unsigned t = UPSWEEP_U8; t <= UPSWEEP_F64; t++) {
        upsweep_type type = (upsweep_type)t;
        size_t bytes = upsweep_type_bytes(type);
        input_fill(INPUT_UNIFORM, type, keys, N, t);
        for (size_t i = 0; i < N; i++) { /* no number, no edge */
            memset(keys + i * bytes, 0, oracle_is_nan(type, keys + i * bytes) ? bytes : 0);
        }
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            upsweep_bucketing b = {.size = sizeof b, .count = counts[c]};
            uint64_t low = 0, high = 100;
            high = oracle_mantissa_bits(type) != 0 ? oracle_round(type, 100) : high;
            b.kind = UPSWEEP_BUCKET_WIDTH;
            b.low = &low;
            b.high = &high;
            try_buckets(&b, keys, N, type);
            b.low = b.high = NULL; /* the range of the keys, which may take doubles */
            if (oracle_mantissa_bits(type) == 0) {
                try_buckets(&b, keys, N, type);
            }
            try_far_buckets(type, counts[c]);
            b.kind = UPSWEEP_BUCKET_EDGES;
            for (size_t i = 0; i <= b.count;
                 i++) { /* the sample's keys, in order, again and again */
                memcpy(edges + i * bytes, keys + i * (N - 1) / b.count * bytes, bytes);
            }
            assert_int_equal(upsweep_sort(cpu, edges, b.count + 1, type, NULL), UPSWEEP_OK);
            b.edges = edges;
            try_buckets(&b, keys, N, type);
        }
        unsigned most = bytes == 1 ? 8 : 16;
        for (unsigned bits = most > 8 ? most - 1 : most; bits <= most; bits++) {
            upsweep_bucketing b = {.size = sizeof b, .kind = UPSWEEP_BUCKET_DIGIT};
            b.bits = bits;
            b.count = (size_t)1 << bits;
            try_buckets(&b, keys, N, type);
        }
    }
    free(edges);
    free(keys);
}

/* Numbers that are given, in tables of all kinds. */
static void test_ids(void **state)
{
    (void)state;
    enum { N = 3001 };
    static const size_t counts[] = {200, 65000, 1 << 17};
    static const upsweep_type types[] = {UPSWEEP_U8, UPSWEEP_U16, UPSWEEP_U32};
    uint32_t ids[N], in[N], want[N], got[N];
    uint64_t *offsets = malloc(2 * ((1 << 17) + 1) * sizeof *offsets);
    assert_non_null(offsets);
    for (size_t c = 0; c < 3; c++) {
        for (size_t t = 0; t < 3; t++) {
            size_t bytes = upsweep_type_bytes(types[t]), count = counts[c];
            uint64_t most = UINT64_C(1) << 8 * bytes, random = 3;
            for (size_t i = 0; i < N; i++) {
                uint64_t id = input_random(&random) % (most < count ? most : count);
                memcpy((char *)ids + i * bytes, &id, bytes);
                in[i] = (uint32_t)i;
            }
            uint64_t *other = offsets + count + 1;
            assert_int_equal(
                upsweep_split_ids(cpu, in, ids, types[t], count, want, N, 4, offsets, NULL),
                UPSWEEP_OK);
            assert_int_equal(
                upsweep_split_ids(gpu, in, ids, types[t], count, got, N, 4, other, NULL),
                UPSWEEP_OK);
            assert_memory_equal(want, got, sizeof want);
            assert_memory_equal(offsets, other, (count + 1) * sizeof *offsets);
        }
    }
    free(offsets);
}

/* ---- moves, and what sorts leave to few types ---- */

static void test_moves(void **state)
{
    (void)state;
    static const char *const names[] = {"upsweep_gather",       "upsweep_scatter",
                                        "upsweep_permute",      "upsweep_reverse",
                                        "upsweep_reverse_copy", "upsweep_transpose"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        for (unsigned variant = 0; variant < call_named(names[i])->variants; variant++) {
            for (uint64_t seed = 0; seed < 4; seed++) {
                by_table(names[i], variant, 1500, UPSWEEP_U8, seed);
            }
        }
    }
}

/* Elements of every size, by indices of both widths, some of them equal. */
static void test_move_sizes(void **state)
{
    (void)state;
    enum { N = 1100, MOST = 24 };
    static const size_t sizes[] = {1, 2, 3, 4, 8, 16, MOST};
    char in[N * MOST], want[N * MOST], got[N * MOST];
    uint64_t random = 1;
    for (size_t s = 0; s < 2 * (sizeof sizes / sizeof *sizes); s++) {
        size_t bytes = sizes[s / 2];
        unsigned bits = s % 2 == 0 ? 32 : 64;
        uint64_t index[N];
        input_fill_bytes(in, sizeof in, s);
        input_fill_bytes(want, sizeof want, s + 100);
        memcpy(got, want, sizeof got);
        for (size_t i = 0; i < N; i++) {
            uint64_t at = input_random(&random) % N;
            memcpy((char *)index + i * bits / 8, &at, bits / 8);
            memcpy(want + (size_t)at * bytes, in + i * bytes, bytes);
        }
        assert_int_equal(upsweep_scatter(gpu, in, index, bits, got, N, N, bytes, NULL), UPSWEEP_OK);
        assert_memory_equal(want, got, N * bytes);
        for (size_t i = 0; i < N; i++) {
            uint64_t at = 0;
            memcpy(&at, (char *)index + i * bits / 8, bits / 8);
            memcpy(want + i * bytes, in + (size_t)at * bytes, bytes);
        }
        assert_int_equal(upsweep_gather(gpu, in, N, index, bits, got, N, bytes, NULL), UPSWEEP_OK);
        assert_memory_equal(want, got, N * bytes);
    }
}

/* Bytes that a network sorts in several tiles, and that one cooperative launch merges. */
static void test_bytes(void **state)
{
    (void)state;
    enum { N = 40000 };
    unsigned char *keys = malloc(N), *before = malloc(N);
    assert_true(keys != NULL && before != NULL);
    input_fill(INPUT_UNIFORM, UPSWEEP_U8, before, N, 3);
    memcpy(keys, before, N);
    upsweep_options o = {.size = sizeof o, .algorithm = "sort/bitonic"};
    assert_int_equal(upsweep_sort(gpu, keys, N, UPSWEEP_U8, &o), UPSWEEP_OK);
    assert_null(oracle_sorted(UPSWEEP_U8, 0, before, keys, N));
    const size_t na = 5000, nb = 9000;
    assert_int_equal(upsweep_sort(cpu, before, na, UPSWEEP_U8, NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_sort(cpu, before + na, nb, UPSWEEP_U8, NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_merge(gpu, before, na, before + na, nb, keys, UPSWEEP_U8, NULL),
                     UPSWEEP_OK);
    assert_null(oracle_sorted(UPSWEEP_U8, 0, before, keys, na + nb));
    free(before);
    free(keys);
}

/* Pairs by name whose values wait until the positions are sorted, of keys of every width. */
static void test_pairs(void **state)
{
    (void)state;
    enum { N = 3000 };
    static const char *const names[] = {NULL, "sort/radix", "sort/bitonic", "sort/sample"};
    static const size_t sizes[] = {1, 2, 4, 8, 16, 6};
    char keys[2][N * 8], values[2][N * 16];
    for (unsigned type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                if ((type + i + s) % 2 != 0 && device_is_emulated() && !test_thorough()) {
                    continue;
                }
                size_t kb = upsweep_type_bytes((upsweep_type)type), vb = sizes[s];
                upsweep_options o = {.size = sizeof o, .algorithm = names[i]};
                input_fill(INPUT_ZIPF, (upsweep_type)type, keys[0], N, s);
                input_fill_bytes(values[0], N * vb, s);
                memcpy(keys[1], keys[0], N * kb);
                memcpy(values[1], values[0], N * vb);
                assert_int_equal(
                    upsweep_sort_pairs(cpu, keys[0], values[0], N, (upsweep_type)type, vb, NULL),
                    UPSWEEP_OK);
                assert_int_equal(
                    upsweep_sort_pairs(gpu, keys[1], values[1], N, (upsweep_type)type, vb, &o),
                    UPSWEEP_OK);
                assert_memory_equal(keys[0], keys[1], N * kb);
                assert_memory_equal(values[0], values[1], N * vb);
            }
        }
    }
}

/* ---- searches with targets, of all kinds of weights ---- */

static void test_paths(void **state)
{
    (void)state;
    static const upsweep_type types[] = {0, UPSWEEP_U32, UPSWEEP_U64, UPSWEEP_F32, UPSWEEP_F64};
    static const char *const names[] = {"path/bucket", "path/dijkstra"};
    for (unsigned k = 0; k < 40; k++) {
        net g = net_random(types[k % 5]);
        upsweep_graph *graph = net_graph(gpu, &g);
        uint32_t source = (uint32_t)net_draw(g.n), target = (uint32_t)net_draw(g.n);
        uint64_t got[VERTICES];
        long double want[VERTICES];
        net_oracle(&g, &source, 1, want);
        upsweep_path_options o = {.algorithm = names[k / 5 % 2]};
        o.targets = &target;
        o.target_count = k / 10 % 2;
        assert_int_equal(upsweep_paths(gpu, graph, &source, 1, got, NULL, &o), UPSWEEP_OK);
        for (size_t v = 0; v < g.n; v++) {
            bool near = o.target_count == 0 || want[v] <= want[target];
            assert_true(!near || net_distance(g.type, got, v) == want[v]);
        }
        upsweep_graph_free(graph);
    }
}

/* A way that is longer than any distance of its kind: the GPU refuses what the CPU refuses. */
static void test_too_far(void **state)
{
    (void)state;
    static const upsweep_type types[] = {UPSWEEP_U32, UPSWEEP_U64, UPSWEEP_F32, UPSWEEP_F64};
    static const char *const names[] = {"path/bucket", "path/dijkstra"};
    const uint32_t tail[] = {0, 1, 2}, head[] = {1, 2, 3}, source = 0;
    for (unsigned k = 0; k < 8; k++) {
        upsweep_type type = types[k / 2];
        size_t bytes = upsweep_type_bytes(type);
        uint64_t weight = type == UPSWEEP_U32 ? 3000000000 : UINT64_C(1) << 63, weights[3];
        weight = oracle_mantissa_bits(type) != 0
                     ? oracle_round(type, type == UPSWEEP_F32 ? 3e38L : 1.5e308L)
                     : weight;
        for (size_t i = 0; i < 3; i++) {
            memcpy((char *)weights + i * bytes, &weight, bytes);
        }
        uint64_t d[2][4];
        upsweep_status status[2];
        for (unsigned on = 0; on < 2; on++) {
            upsweep *u = on == 0 ? cpu : gpu;
            upsweep_graph *graph = NULL;
            assert_int_equal(upsweep_graph_from_arcs(u, 4, 3, tail, head, weights, type, 0, &graph),
                             UPSWEEP_OK);
            upsweep_path_options o = {.algorithm = names[k % 2]};
            status[on] = upsweep_paths(u, graph, &source, 1, d[on], NULL, &o);
            upsweep_graph_free(graph);
        }
        assert_int_equal(status[1], status[0]);
    }
}

static int start(void **state)
{
    (void)state;
    return device_group_start(ARENA_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folds),   cmocka_unit_test(test_unordered),
        cmocka_unit_test(test_buckets), cmocka_unit_test(test_ids),
        cmocka_unit_test(test_moves),   cmocka_unit_test(test_move_sizes),
        cmocka_unit_test(test_bytes),   cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_paths),   cmocka_unit_test(test_too_far),
    };
    return cmocka_run_group_tests_name("gpu_ways", tests, start, device_group_end);
}
