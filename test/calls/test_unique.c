/* test_unique.c - upsweep_unique and upsweep_run_lengths against a serial oracle: all types, runs
 * of many lengths that cross blocks and vectors, threads 1 to 8, all instruction sets, guards. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/frame.h"
#include "core/half.h"
#include "test/shared/inputs.h"

enum { GUARD = 64 };

static upsweep *open_with(unsigned threads, usw_isa isa)
{
    upsweep_config c = {.size = sizeof c, .threads = threads};
    upsweep *u;
    assert_int_equal(upsweep_open(&u, "cpu", &c), UPSWEEP_OK);
    u->isa = isa < u->isa ? isa : u->isa;
    return u;
}

/* Runs of 1 to `longest` keys, of any bits; neighbours may be equal by chance. */
static void fill(unsigned char *keys, size_t n, size_t bytes, size_t longest, uint64_t seed)
{
    for (size_t i = 0; i < n;) {
        uint64_t key = input_random(&seed);
        size_t run = 1 + input_random(&seed) % longest;
        for (; run > 0 && i < n; run--, i++) {
            memcpy(keys + i * bytes, &key, bytes);
        }
    }
}

static void *guarded(size_t bytes)
{
    unsigned char *all = malloc(bytes + 2 * GUARD);
    memset(all, 0x3C, bytes + 2 * GUARD);
    return all + GUARD;
}

static void release(void *at, size_t bytes)
{
    unsigned char *all = (unsigned char *)at - GUARD;
    for (size_t i = 0; i < GUARD; i++) {
        assert_int_equal(all[i], 0x3C);
        assert_int_equal(all[GUARD + bytes + i], 0x3C);
    }
    free(all);
}

static void check(upsweep *u, const unsigned char *keys, size_t n, upsweep_type type)
{
    size_t bytes = upsweep_type_bytes(type), want = 0;
    unsigned char *kept = guarded(n * bytes), *runs = guarded(n * bytes);
    uint64_t *counts = guarded(n * sizeof *counts);
    size_t kept_n = 1, runs_n = 1;
    memcpy(kept, keys, n * bytes);
    assert_int_equal(upsweep_unique(u, kept, n, type, &kept_n, NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_run_lengths(u, keys, n, type, runs, counts, &runs_n, NULL),
                     UPSWEEP_OK);
    for (size_t i = 0, end; i < n; i = end, want++) {
        for (end = i + 1; end < n && memcmp(keys + i * bytes, keys + end * bytes, bytes) == 0;) {
            end++;
        }
        assert_true(want < kept_n && want < runs_n);
        assert_memory_equal(kept + want * bytes, keys + i * bytes, bytes);
        assert_memory_equal(runs + want * bytes, keys + i * bytes, bytes);
        assert_int_equal(counts[want], end - i);
    }
    assert_int_equal(kept_n, want);
    assert_int_equal(runs_n, want);
    assert_memory_equal(kept + want * bytes, keys + want * bytes, (n - want) * bytes);
    release(kept, n * bytes);
    release(runs, n * bytes);
    release(counts, n * sizeof *counts);
}

static void test_types_and_sizes(void **state)
{
    (void)state;
    static const size_t lengths[] = {1, 2, 5, 100, 20000};
    unsigned char *keys = malloc(70000 * 8);
    for (unsigned isa = 0; isa < USW_ISA_COUNT; isa++) {
        upsweep *u = open_with(2, (usw_isa)isa);
        for (unsigned type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
            size_t bytes = upsweep_type_bytes((upsweep_type)type);
            for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
                for (size_t n = 0; n < 140; n += n < 70 ? 1 : 7) {
                    fill(keys, n, bytes, lengths[l], n + l);
                    check(u, keys, n, (upsweep_type)type);
                }
                for (size_t n = 16383; n < 70000; n = n * 2 + 1) {
                    fill(keys, n, bytes, lengths[l], n + l);
                    check(u, keys, n, (upsweep_type)type);
                }
            }
        }
        upsweep_close(u);
    }
    free(keys);
}

/* Long enough for several waves of blocks. */
static void test_threads(void **state)
{
    (void)state;
    enum { N = 1200000 };
    unsigned char *keys = malloc(N * 8);
    for (unsigned threads = 1; threads <= 8; threads++) {
        upsweep *u = open_with(threads, USW_AVX512);
        for (size_t longest = 1; longest < 10000; longest = longest * 90 + 1) {
            fill(keys, N, 8, longest, threads);
            check(u, keys, N - threads, UPSWEEP_U64);
            fill(keys, N, 4, longest, threads);
            check(u, keys, N - threads, UPSWEEP_F32);
        }
        upsweep_close(u);
    }
    free(keys);
}

/* Zeros of both signs and NaNs of different payload are different bits. */
static void test_bits(void **state)
{
    (void)state;
    uint32_t keys[] = {0, 0, 0x80000000u, 0x80000000u, 0x7fc00000u, 0x7fc00001u, 0x7fc00001u};
    upsweep *u = open_with(1, USW_AVX512);
    size_t kept;
    assert_int_equal(upsweep_unique(u, keys, 7, UPSWEEP_F32, &kept, NULL), UPSWEEP_OK);
    assert_int_equal(kept, 4);
    upsweep_close(u);
}

static double number(const unsigned char *keys, size_t i, upsweep_type type)
{
    uint16_t half = 0;
    float single = 0;
    double whole = 0;
    switch (type) {
    case UPSWEEP_F32: memcpy(&single, keys + 4 * i, 4); return (double)single;
    case UPSWEEP_F64: memcpy(&whole, keys + 8 * i, 8); return whole;
    default: memcpy(&half, keys + 2 * i, 2);
    }
    return (double)(type == UPSWEEP_F16 ? usw_widen_f16(half) : usw_widen_bf16(half));
}

/* With NUMBERS neighbours are equal that C calls equal, or that are both NaN. */
static void test_numbers(void **state)
{
    (void)state;
    enum { N = 3000 };
    const upsweep_options o = {.size = sizeof o, .flags = UPSWEEP_NUMBERS};
    static unsigned char keys[N * 8], kept[N * 8], runs[N * 8];
    static uint64_t counts[N];
    for (unsigned threads = 1; threads <= 2; threads++) {
        upsweep *u = open_with(threads, USW_AVX512);
        for (upsweep_type type = UPSWEEP_F16; type <= UPSWEEP_F64; type++) {
            const size_t bytes = upsweep_type_bytes(type);
            size_t kept_n = 0, runs_n = 0, want = 0;
            uint64_t seed = type;
            fill(keys, N, bytes, 3, type);
            for (size_t i = 0; i < N; i++) { /* zeros, infinities and NaNs of both signs */
                const uint64_t top = type == UPSWEEP_BF16  ? 0x7f80
                                     : type == UPSWEEP_F16 ? 0x7c00
                                     : type == UPSWEEP_F32 ? 0x7f800000
                                                           : 0x7ff0ull << 48;
                const uint64_t draw = input_random(&seed), sign = draw >> 9 & 1;
                const uint64_t key =
                    (sign << (8 * bytes - 1)) | (draw % 3 == 0 ? 0 : top + draw % 3);
                if (draw >> 20 & 3) {
                    memcpy(keys + i * bytes, &key, bytes);
                }
            }
            memcpy(kept, keys, N * bytes);
            assert_int_equal(upsweep_unique(u, kept, N, type, &kept_n, &o), UPSWEEP_OK);
            assert_int_equal(upsweep_run_lengths(u, keys, N, type, runs, counts, &runs_n, &o),
                             UPSWEEP_OK);
            for (size_t i = 0, end; i < N; i = end, want++) {
                for (end = i + 1; end < N; end++) {
                    const double a = number(keys, end - 1, type), b = number(keys, end, type);
                    if (a != b && (a == a || b == b)) {
                        break;
                    }
                }
                assert_memory_equal(kept + want * bytes, keys + i * bytes, bytes);
                assert_memory_equal(runs + want * bytes, keys + i * bytes, bytes);
                assert_int_equal(counts[want], end - i);
            }
            assert_int_equal(kept_n, want);
            assert_int_equal(runs_n, want);
            assert_memory_equal(kept + want * bytes, keys + want * bytes, (N - want) * bytes);
        }
        upsweep_close(u);
    }
}

static void test_arguments(void **state)
{
    (void)state;
    upsweep *u = open_with(1, USW_AVX512);
    uint16_t keys[2] = {1, 1}, out[2];
    uint64_t counts[2];
    size_t got = 9;
    upsweep_options named = {.size = sizeof named, .algorithm = "sort/radix"};
    assert_int_equal(upsweep_unique(u, NULL, 2, UPSWEEP_U16, &got, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_unique(u, keys, 2, UPSWEEP_U16, NULL, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_unique(u, keys, 2, (upsweep_type)77, &got, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_unique(u, keys, 2, UPSWEEP_U16, &got, &named),
                     UPSWEEP_ERROR_ALGORITHM);
    assert_int_equal(upsweep_run_lengths(u, keys, 2, UPSWEEP_U16, NULL, counts, &got, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_run_lengths(u, keys, 2, UPSWEEP_U16, out, NULL, &got, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_run_lengths(u, keys, 2, UPSWEEP_U16, out, counts, NULL, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(got, 9);
    assert_int_equal(upsweep_run_lengths(u, NULL, 0, UPSWEEP_U16, NULL, NULL, &got, NULL),
                     UPSWEEP_OK);
    assert_int_equal(got, 0);
    upsweep_close(u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types_and_sizes),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
