/* gpu_steps_select.c - is_sorted, nth, top_k, unique and run lengths on the GPU give what the CPU
 * gives, for all types, patterns and flags, at sizes around a tile; and transpositions. */
/* SPDX-License-Identifier: MIT */
#include "test/gpu/gpu_steps.h"

#include "test/shared/oracle.h"

enum { N_MAX = 20000 };
static const size_t sizes[] = {1, 2, 3, 17, 500, 4095, 4096, 4099, 8200, 20000};
enum { SIZES = sizeof sizes / sizeof sizes[0] };
static uint64_t keys[N_MAX], other[N_MAX], got[N_MAX];
static uint64_t counts[N_MAX], got_counts[N_MAX], index_of[N_MAX], got_index[N_MAX];

static const usw_gpu_select_step *step_of(const gpu_room *room)
{
    return gpu_step(room, "select");
}

static usw_gpu_sort sort_of(void *at, size_t n, upsweep_type type, unsigned flags)
{
    usw_gpu_sort s = {.keys = at, .n = n, .map = usw_keymap_of(type, flags)};
    size_t bytes = upsweep_type_bytes(type);
    s.width = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
    s.bit_end = s.map.bits;
    return s;
}

static void check_sorted(gpu_room *room, size_t n, upsweep_type type, unsigned flags)
{
    size_t want, bytes = upsweep_type_bytes(type);
    uint64_t found = 0;
    upsweep_options o = {.flags = flags};
    assert_int_equal(upsweep_is_sorted(room->cpu, keys, n, type, &want, &o), UPSWEEP_OK);
    gpu_begin(room);
    void *at = gpu_put(room, keys, n * bytes, bytes * (n % 5));
    uint64_t *first = gpu_put(room, NULL, sizeof *first, 8);
    usw_gpu_sort s = sort_of(at, n, type, flags);
    assert_int_equal(step_of(room)->is_sorted(room->g, &s, first), UPSWEEP_OK);
    gpu_get(room, &found, first, sizeof found);
    assert_int_equal(gpu_end(room), 0);
    assert_int_equal(found, want);
}

static void is_sorted(void **state)
{
    gpu_room *room = *state;
    for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        size_t bytes = upsweep_type_bytes(type);
        for (unsigned i = 0; i < SIZES; i++) {
            if (sizes[i] > 1000 && gpu_left_out(room, type + i)) {
                continue;
            }
            unsigned flags = i % 3 == 1 ? UPSWEEP_DESCENDING : i % 3 == 2 ? UPSWEEP_NAN_FIRST : 0;
            upsweep_options o = {.flags = flags};
            size_t n = sizes[i];
            input_fill(i % INPUT_PATTERNS, type, keys, n, i);
            check_sorted(room, n, type, flags);
            assert_int_equal(upsweep_sort(room->cpu, keys, n, type, &o), UPSWEEP_OK);
            check_sorted(room, n, type, flags);
            for (unsigned c = 0; c < 2 && n > 1; c++) { /* a break at either end */
                size_t to = c == 0 ? 0 : n - 1, from = c == 0 ? n - 1 : 0;
                memcpy((char *)keys + to * bytes, (char *)keys + from * bytes, bytes);
                check_sorted(room, n, type, flags);
            }
        }
    }
}

static void check_nth(gpu_room *room, size_t n, size_t k, upsweep_type type, unsigned flags,
                      bool in_place)
{
    size_t bytes = upsweep_type_bytes(type);
    gpu_begin(room);
    void *at = gpu_put(room, keys, n * bytes, bytes * (k % 7));
    usw_gpu_sort s = sort_of(at, n, type, flags);
    s.in_place = in_place;
    assert_int_equal(step_of(room)->nth(room->g, &s, k), UPSWEEP_OK);
    gpu_get(room, got, at, n * bytes);
    assert_int_equal(gpu_end(room), 0);
    const char *g = (const char *)got;
    for (size_t i = 0; i < n; i++) {
        int order = oracle_order(type, flags, g + i * bytes, g + k * bytes);
        assert_true(i < k ? order <= 0 : order >= 0);
    }
    assert_null(oracle_same_keys(keys, got, n, bytes));
}

static void nth(void **state)
{
    gpu_room *room = *state;
    for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        for (unsigned i = 0; i < SIZES; i++) {
            if (sizes[i] > 1000 && gpu_left_out(room, type + i)) {
                continue;
            }
            size_t n = sizes[i], ranks[] = {0, n / 2, n - 1, n / 3};
            input_fill((i + type) % INPUT_PATTERNS, type, keys, n, i);
            unsigned flags = i % 3 == 1 ? UPSWEEP_DESCENDING : i % 3 == 2 ? UPSWEEP_NAN_RAW : 0;
            for (unsigned r = 0; r < 2; r++) {
                check_nth(room, n, ranks[(i + r) % 4], type, flags, i == 4);
            }
        }
        for (unsigned pattern = 0; pattern < INPUT_PATTERNS; pattern++) {
            if (gpu_left_out(room, type + pattern)) {
                continue;
            }
            input_fill(pattern, type, keys, 5000, pattern);
            check_nth(room, 5000, 2500, type, 0, false);
        }
    }
}

static void check_top(gpu_room *room, size_t n, size_t k, upsweep_type type, unsigned flags,
                      bool with_index)
{
    size_t bytes = upsweep_type_bytes(type);
    upsweep_options o = {.flags = flags};
    assert_int_equal(upsweep_top_k(room->cpu, keys, n, k, type, other, index_of, &o), UPSWEEP_OK);
    gpu_begin(room);
    void *at = gpu_put(room, keys, n * bytes, bytes * (k % 7));
    void *out = gpu_put(room, NULL, k * bytes, bytes * (n % 3));
    uint64_t *index = with_index ? gpu_put(room, NULL, k * sizeof *index, 8) : NULL;
    unsigned down = flags & UPSWEEP_LARGEST ? flags | UPSWEEP_DESCENDING : flags;
    usw_gpu_sort s = sort_of(at, n, type, down);
    assert_int_equal(step_of(room)->top_k(room->g, &s, k, out, index), UPSWEEP_OK);
    gpu_get(room, got, out, k * bytes);
    assert_memory_equal(got, other, k * bytes);
    if (with_index) {
        gpu_get(room, got_index, index, k * sizeof *index);
        assert_memory_equal(got_index, index_of, k * sizeof *index);
    }
    gpu_get(room, got, at, n * bytes);
    assert_memory_equal(got, keys, n * bytes);
    assert_int_equal(gpu_end(room), 0);
}

static void top_k(void **state)
{
    gpu_room *room = *state;
    for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        for (unsigned i = 0; i < SIZES; i++) {
            if (sizes[i] > 1000 && gpu_left_out(room, type + i)) {
                continue;
            }
            size_t n = sizes[i], ks[] = {1, n / 2 + 1, n, n > 40 ? n - 7 : 1, n > 100 ? 100 : 1};
            input_fill((i + type) % INPUT_PATTERNS, type, keys, n, i);
            unsigned flags = i % 3 == 1 ? UPSWEEP_LARGEST : i % 3 == 2 ? UPSWEEP_NAN_FIRST : 0;
            for (unsigned r = 0; r < 5; r++) {
                check_top(room, n, ks[r], type, flags, (r + i) % 3 != 0);
            }
        }
        for (unsigned pattern = 0; pattern < INPUT_PATTERNS; pattern++) {
            if (gpu_left_out(room, type + pattern)) {
                continue;
            }
            input_fill(pattern, type, keys, 5000, pattern);
            check_top(room, 5000, 1234, type, pattern % 2 ? UPSWEEP_LARGEST : 0, true);
        }
    }
}

/* Runs of any length, some much longer than a tile. */
static void fill_runs(upsweep_type type, size_t n, uint64_t seed)
{
    size_t bytes = upsweep_type_bytes(type);
    input_fill(INPUT_UNIFORM, type, keys, n, seed);
    for (size_t i = 1; i < n && seed % 4 != 0; i++) {
        uint64_t random = input_random(&seed);
        if (random % 1000 < 900 || (i > 6000 && i < 16000 && random % 4000 != 0)) {
            memcpy((char *)keys + i * bytes, (char *)keys + (i - 1) * bytes, bytes);
        }
    }
}

/* Zeros, infinities and NaNs of both signs among them; gives the bits of the type's infinity. */
static uint64_t fill_numbers(upsweep_type type, size_t n, uint64_t seed)
{
    const size_t bytes = upsweep_type_bytes(type);
    const uint64_t infinity = type == UPSWEEP_F16    ? 0x7c00
                              : type == UPSWEEP_BF16 ? 0x7f80
                              : type == UPSWEEP_F32  ? 0x7f800000
                                                     : UINT64_C(0x7ff0000000000000);
    for (size_t i = 0; i < n; i++) {
        const uint64_t draw = input_random(&seed), sign = (draw >> 9 & 1) << (8 * bytes - 1);
        const uint64_t key = sign | (draw % 3 == 0 ? 0 : infinity + draw % 3 - 1);
        if (draw >> 20 & 3) {
            memcpy((char *)keys + i * bytes, &key, bytes);
        }
    }
    return infinity;
}

static void check_runs(gpu_room *room, upsweep_type type, size_t n, unsigned i, uint64_t infinity)
{
    const size_t bytes = upsweep_type_bytes(type);
    const upsweep_options o = {.size = sizeof o, .flags = infinity != 0 ? UPSWEEP_NUMBERS : 0};
    size_t want, kept;
    uint64_t found;
    memcpy(other, keys, n * bytes);
    assert_int_equal(upsweep_unique(room->cpu, other, n, type, &kept, &o), UPSWEEP_OK);
    gpu_begin(room);
    void *at = gpu_put(room, keys, n * bytes, bytes * (i % 5));
    uint64_t *count = gpu_put(room, NULL, sizeof *count, 8);
    unsigned width = sort_of(at, n, type, 0).width;
    assert_int_equal(step_of(room)->unique(room->g, at, n, width, infinity, count), UPSWEEP_OK);
    gpu_get(room, got, at, n * bytes);
    gpu_get(room, &found, count, sizeof found);
    assert_int_equal(gpu_end(room), 0);
    assert_int_equal(found, kept);
    assert_memory_equal(got, other, n * bytes);

    assert_int_equal(upsweep_run_lengths(room->cpu, keys, n, type, other, counts, &want, &o),
                     UPSWEEP_OK);
    gpu_begin(room);
    at = gpu_put(room, keys, n * bytes, bytes * (i % 7));
    void *out = gpu_put(room, NULL, want * bytes, bytes);
    uint64_t *lengths = gpu_put(room, NULL, want * sizeof *lengths, 0);
    count = gpu_put(room, NULL, sizeof *count, 0);
    assert_int_equal(step_of(room)->runs(room->g, at, n, width, infinity, out, lengths, count),
                     UPSWEEP_OK);
    gpu_get(room, got, out, want * bytes);
    gpu_get(room, got_counts, lengths, want * sizeof *lengths);
    gpu_get(room, &found, count, sizeof found);
    assert_int_equal(gpu_end(room), 0);
    assert_int_equal(found, want);
    assert_memory_equal(got, other, want * bytes);
    assert_memory_equal(got_counts, counts, want * sizeof *counts);
}

static void runs(void **state)
{
    gpu_room *room = *state;
    for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type += 1) {
        for (unsigned i = 0; i < SIZES * 2; i++) {
            size_t n = sizes[i / 2];
            if (n > 1000 && gpu_left_out(room, type + i / 2)) {
                continue;
            }
            fill_runs(type, n, i);
            if (i % 5 == 4) {
                input_fill(INPUT_EQUAL, type, keys, n, i);
            }
            check_runs(room, type, n, i, 0);
            if (type >= UPSWEEP_F16) {
                check_runs(room, type, n, i, fill_numbers(type, n, i));
            }
        }
    }
}

/* Matrices that are square, narrow, low and small, of which tiles do not fill the last; at an
 * address that an element's size divides, or not. */
static void transpose(void **state)
{
    gpu_room *room = *state;
    static const size_t extents[][3] = {{1, 70, 140}, {2, 65, 129}, {1, 5000, 2}, {1, 3, 6001},
                                        {3, 400, 13}, {2, 33, 290}, {900, 4, 3},  {1, 1, 50},
                                        {20, 31, 31}, {1, 2, 2000}, {1, 637, 31}, {1, 50, 1}};
    static const size_t sizes_of[] = {1, 2, 3, 4, 8, 12, 16};
    const usw_gpu_move_step *step = gpu_step(room, "moves");
    input_fill_bytes(keys, sizeof keys, 5);
    for (size_t e = 0; e < sizeof extents / sizeof *extents; e++) {
        size_t length = extents[e][1], inner = extents[e][2], n = extents[e][0] * length * inner;
        for (size_t s = 0; s < sizeof sizes_of / sizeof *sizes_of; s++) {
            size_t bytes = sizes_of[s];
            if (n * bytes > sizeof keys) {
                continue;
            }
            gpu_begin(room);
            void *in = gpu_put(room, keys, n * bytes, (e + s) % 3);
            void *out = gpu_put(room, NULL, n * bytes, 0);
            assert_int_equal(step->transpose(room->g, in, extents[e], out, bytes), UPSWEEP_OK);
            gpu_get(room, got, out, n * bytes);
            assert_int_equal(gpu_end(room), 0);
            for (size_t i = 0; i < n; i++) {
                size_t k = i % inner, l = i / inner % length, o = i / inner / length;
                assert_memory_equal((char *)got + ((o * inner + k) * length + l) * bytes,
                                    (char *)keys + i * bytes, bytes);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_sorted), cmocka_unit_test(runs),
                                       cmocka_unit_test(nth), cmocka_unit_test(top_k),
                                       cmocka_unit_test(transpose)};
    return cmocka_run_group_tests(tests, gpu_room_open, gpu_room_close);
}
