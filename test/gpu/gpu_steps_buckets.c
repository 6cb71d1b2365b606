/* gpu_steps_buckets.c - histograms and splits on the GPU give what the CPU gives: digits, equal
 * widths, edges and given numbers, few and many buckets, inputs that crowd into one of them. */
/* SPDX-License-Identifier: MIT */
#include "test/gpu/gpu_steps.h"

#include "calls/bucketing.h"

enum { N_MAX = 60000, COUNT_MAX = 200000 };
static const size_t sizes[] = {1, 2, 15, 777, 4096, 30001};
enum { SIZES = sizeof sizes / sizeof sizes[0] };
static uint64_t keys[N_MAX], want[N_MAX], got[N_MAX], edges[COUNT_MAX + 1];
static uint64_t counts[COUNT_MAX + 1], got_counts[COUNT_MAX + 1];
static uint32_t ids[N_MAX];

static const usw_gpu_bucket_step *step_of(const gpu_room *room)
{
    return gpu_step(room, "histogram");
}

/* The bucketing as the GPU takes it: its edges are on the device. */
static usw_buckets prepared(gpu_room *room, const void *at, size_t n, upsweep_type type,
                            const upsweep_bucketing *wish)
{
    usw_options o;
    usw_buckets b;
    assert_int_equal(usw_enter(room->cpu, NULL, 0, &o), UPSWEEP_OK);
    assert_int_equal(usw_buckets_make(room->cpu, at, n, type, wish, &b), UPSWEEP_OK);
    if (b.edges != NULL) {
        b.edges = gpu_put(room, b.edges, (b.count + 1) * sizeof *b.edges, 0);
    }
    usw_leave(room->cpu, UPSWEEP_OK);
    return b;
}

static void check(gpu_room *room, size_t n, upsweep_type type, const upsweep_bucketing *wish)
{
    size_t bytes = upsweep_type_bytes(type), off = bytes * (n % 5);
    assert_int_equal(upsweep_histogram(room->cpu, keys, n, type, wish, counts, NULL), UPSWEEP_OK);
    gpu_begin(room);
    usw_buckets b = prepared(room, keys, n, type, wish);
    void *at = gpu_put(room, keys, n * bytes, off);
    uint64_t *table = gpu_put(room, NULL, wish->count * sizeof *table, 8);
    assert_int_equal(step_of(room)->histogram(room->g, &b, at, n, table), UPSWEEP_OK);
    gpu_get(room, got_counts, table, wish->count * sizeof *counts);
    assert_int_equal(gpu_end(room), 0);
    assert_memory_equal(got_counts, counts, wish->count * sizeof *counts);

    upsweep_status status = upsweep_split_keys(room->cpu, keys, want, n, type, wish, counts, NULL);
    gpu_begin(room);
    b = prepared(room, keys, n, type, wish);
    at = gpu_put(room, keys, n * bytes, off);
    void *out = gpu_put(room, NULL, n * bytes, bytes * (n % 3));
    table = gpu_put(room, NULL, (wish->count + 1) * sizeof *table, 0);
    table = n % 2 ? NULL : table;
    assert_int_equal(
        step_of(room)->split(room->g, &b, at, NULL, 0, wish->count, out, n, bytes, table),
        UPSWEEP_OK);
    if (status == UPSWEEP_OK) {
        gpu_get(room, got, out, n * bytes);
        assert_memory_equal(got, want, n * bytes);
        if (table != NULL) {
            gpu_get(room, got_counts, table, (wish->count + 1) * sizeof *table);
            assert_memory_equal(got_counts, counts, (wish->count + 1) * sizeof *counts);
        }
    }
    assert_int_equal(gpu_end(room), status == UPSWEEP_OK ? 0 : USW_FAULT_BUCKET);
}

static void digits(void **state)
{
    for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        unsigned size = 8 * (unsigned)upsweep_type_bytes(type);
        for (unsigned i = 0; i < SIZES + 4; i++) {
            unsigned widths[] = {8, 1, 5, size < 16 ? 3 : 16, size < 16 ? 7 : 12};
            unsigned bits = widths[(i + type) % 5];
            upsweep_bucketing b = {.kind = UPSWEEP_BUCKET_DIGIT, .bits = bits, .count = 1u << bits};
            b.bit = (i * 5) % (size - bits + 1);
            size_t n = i < SIZES ? sizes[i] : 9000;
            input_fill(i % INPUT_PATTERNS, type, keys, n, i);
            check(*state, n, type, &b);
        }
    }
}

static void widths(void **state)
{
    for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        for (unsigned i = 0; i < SIZES; i++) {
            if (sizes[i] > 1000 && gpu_left_out(*state, type + i)) {
                continue;
            }
            size_t many[] = {10, 256, 3, 70001, 1000, 1};
            upsweep_bucketing b = {.kind = UPSWEEP_BUCKET_WIDTH, .count = many[i]};
            uint64_t bounds[2];
            input_fill(i % 2 ? INPUT_UNIFORM : INPUT_FEW_VALUES, type, keys, sizes[i], i);
            if (type >= UPSWEEP_F16) { /* eighths: on edges, and with neither NaN nor infinity */
                input_fill_exact(type, keys, sizes[i], i, 0);
            }
            if (i % 3 != 2 && type < UPSWEEP_F16) { /* else from the least to the greatest key */
                size_t bytes = upsweep_type_bytes(type);
                input_fill(INPUT_UNIFORM, type, bounds, 2, 0);
                upsweep_sort(((gpu_room *)*state)->cpu, bounds, 2, type, NULL);
                b.low = bounds;
                b.high = (char *)bounds + bytes;
            }
            check(*state, sizes[i], type, &b);
        }
    }
}

/* Keys that are anything, NaN and infinite too, or next to an edge, in ranges for each kind of
 * guess. */
static void widths_of_special_keys(void **state)
{
    static const float ranges[][2] = {{-2, 2}, {0, 1}, {1e6f, 1e6f + 64}, {-3e38f, 3e38f}};
    static const size_t many[] = {256, 10, 100, 7};
    enum { N = 30001 };
    for (unsigned i = 0; i < 8; i++) {
        const float *range = ranges[i % 4];
        size_t count = many[i % 4];
        upsweep_bucketing b = {
            .kind = UPSWEEP_BUCKET_WIDTH, .count = count, .low = range, .high = range + 1};
        float *floats = (float *)keys;
        input_fill(i < 4 ? INPUT_SPECIAL : INPUT_UNIFORM, UPSWEEP_F32, keys, N, i);
        for (size_t k = i < 4 ? 0 : 7; k < N; k += 3) {
            double edge = range[0] + ((double)range[1] - range[0]) / (double)count *
                                         (double)(k / 9 % (count + 1));
            uint32_t bits;
            floats[k] = (float)edge;
            memcpy(&bits, &floats[k], sizeof bits);
            bits += (uint32_t)(k / 3 % 3) - 1; /* and its neighbours */
            memcpy(&floats[k], &bits, sizeof bits);
        }
        check(*state, N, UPSWEEP_F32, &b);
    }
}

/* 64-bit integers beyond the range that are the same f64 as its end are in no bucket. */
static void widths_of_far_integers(void **state)
{
    static const uint64_t middles[] = {0, UINT64_C(1) << 53, UINT64_C(1) << 62, UINT64_C(1) << 63};
    for (unsigned i = 0; i < 24; i++) {
        upsweep_type type = i % 2 ? UPSWEEP_I64 : UPSWEEP_U64;
        uint64_t span = UINT64_C(1) << (i % 3 == 0 ? 11 : i % 3 == 1 ? 30 : 53), random = i;
        uint64_t bounds[2] = {middles[i / 2 % 4], middles[i / 2 % 4] + span};
        upsweep_bucketing b = {
            .kind = UPSWEEP_BUCKET_WIDTH, .count = i % 5 ? 256 : 7, .low = bounds};
        b.high = bounds + 1;
        if (type == UPSWEEP_I64 && bounds[0] == UINT64_C(1) << 62) {
            bounds[0] = 0 - bounds[1];
            bounds[1] = bounds[0] + span;
        }
        for (size_t k = 0; k < 4096; k++) {
            keys[k] = bounds[k % 2] + input_random(&random) % 9 - 4;
            keys[k] = k % 3 == 0 ? bounds[0] + input_random(&random) % span : keys[k];
        }
        check(*state, 4096, type, &b);
        for (size_t k = 0; k < 4096; k++) { /* and all within, so that they can be split */
            keys[k] = bounds[0] + input_random(&random) % (span + 1);
        }
        check(*state, 4096, type, &b);
    }
}

static void between_edges(void **state)
{
    gpu_room *room = *state;
    for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        for (unsigned i = 0; i < SIZES; i++) {
            if (sizes[i] > 1000 && gpu_left_out(*state, type + i)) {
                continue;
            }
            size_t many[] = {1, 2, 17, 256, 40000, 9000};
            upsweep_bucketing b = {.kind = UPSWEEP_BUCKET_EDGES, .count = many[i], .edges = edges};
            size_t bytes = upsweep_type_bytes(type);
            if (i % 2 && type < UPSWEEP_F16) {
                input_fill(INPUT_UNIFORM, type, edges, b.count + 1, i);
            } else { /* without NaN, with repeats */
                input_fill_exact(type, edges, b.count + 1, 3, 0);
            }
            upsweep_sort(room->cpu, edges, b.count + 1, type, NULL);
            input_fill(i % 3 ? INPUT_UNIFORM : INPUT_SPECIAL, type, keys, sizes[i], i);
            if (i % 2) {
                memcpy(keys, edges, (b.count + 1 < sizes[i] ? b.count + 1 : sizes[i]) * bytes);
            }
            check(room, sizes[i], type, &b);
        }
    }
}

static void check_ids(gpu_room *room, size_t n, unsigned width, size_t count, size_t bytes,
                      bool bad)
{
    static const upsweep_type types[] = {UPSWEEP_U8, UPSWEEP_U16, UPSWEEP_U32};
    unsigned char *in = malloc(n * bytes), *out = malloc(n * bytes), *back = malloc(n * bytes);
    unsigned char *id = malloc(n * sizeof(uint32_t));
    uint64_t seed = n + count;
    input_fill_bytes(in, n * bytes, seed);
    for (size_t i = 0; i < n; i++) {
        uint32_t x = (uint32_t)(input_random(&seed) % count);
        x = count % 2 && input_random(&seed) % 100 != 0 ? 0 : x; /* 99% in one */
        ids[i] = bad && i == n / 2 ? (uint32_t)count : x;
        memcpy(id + (i << width), &ids[i], (size_t)1 << width);
    }
    upsweep_status status =
        upsweep_split_ids(room->cpu, in, id, types[width], count, out, n, bytes, counts, NULL);
    gpu_begin(room);
    void *at = gpu_put(room, in, n * bytes, bytes * (n % 2));
    void *by = gpu_put(room, id, n << width, (size_t)3 << width);
    void *to = gpu_put(room, NULL, n * bytes, bytes);
    uint64_t *table = gpu_put(room, NULL, (count + 1) * sizeof *table, 0);
    assert_int_equal(step_of(room)->split(room->g, NULL, at, by, width, count, to, n, bytes, table),
                     UPSWEEP_OK);
    if (status == UPSWEEP_OK) {
        gpu_get(room, back, to, n * bytes);
        assert_memory_equal(back, out, n * bytes);
        gpu_get(room, got_counts, table, (count + 1) * sizeof *table);
        assert_memory_equal(got_counts, counts, (count + 1) * sizeof *counts);
    }
    assert_int_equal(gpu_end(room), status == UPSWEEP_OK ? 0 : USW_FAULT_BUCKET);
    free(in);
    free(out);
    free(back);
    free(id);
}

static void given(void **state)
{
    static const size_t bytes_of[] = {1, 2, 4, 8, 3, 12, 16, 25};
    for (unsigned i = 0; i < 24; i++) {
        unsigned width = i % 3;
        size_t counts_of[] = {1, 2, 255, 256, 257, 5000, 65536, 150001};
        size_t count = counts_of[i % 8];
        size_t most = width == 2 ? count : (size_t)1 << (8 << width);
        count = count < most ? count : most;
        bool bad = i % 4 == 3 && count < (UINT64_C(1) << (8 << width));
        check_ids(*state, sizes[(i / 2) % SIZES], width, count, bytes_of[(i * 5) % 8], bad);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(digits),
                                       cmocka_unit_test(widths),
                                       cmocka_unit_test(widths_of_special_keys),
                                       cmocka_unit_test(widths_of_far_integers),
                                       cmocka_unit_test(between_edges),
                                       cmocka_unit_test(given)};
    return cmocka_run_group_tests(tests, gpu_room_open, gpu_room_close);
}
