/* test_gpu_ring.c - arrays large enough for the rings of tiles, by which a GPU scans, splits, picks
 * and merges (gpu/folds/scan_ring.cuh, gpu/selection/select_ring.cuh, merge_ring.cuh), give what
 * the CPU gives; a small program, so that the tools of compute-sanitizer see the rings too. The
 * emulated plugin takes rings for fewer elements. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/device.h"
#include "test/shared/inputs.h"
#include "test/shared/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* More than blocks that meet can split, and three tiles of 8192 for 200 multiprocessors each. */
enum { N = 5000003, N_EMULATED = 60003, ARENA_BYTES = 64 << 20 };

static size_t n;
static uint64_t *in, *want, *got;
static uint8_t *flags;

static int start(void **state)
{
    (void)state;
    int status = device_group_start(ARENA_BYTES);
    n = device_is_emulated() ? N_EMULATED : N;
    in = malloc(n * 8);
    want = malloc(2 * n * 8); /* keys, then counts */
    got = malloc(2 * n * 8);
    flags = malloc(n);
    assert_non_null(in);
    assert_non_null(want);
    assert_non_null(got);
    assert_non_null(flags);
    uint64_t seed = 11;
    for (size_t i = 0; i < n; i++) {
        flags[i] = (uint8_t)(input_random(&seed) >> 60);
    }
    return status;
}

static int end(void **state)
{
    free(in);
    free(want);
    free(got);
    free(flags);
    return device_group_end(state);
}

/* Runs of three elements or so. */
static void fill(upsweep_type type)
{
    const size_t bytes = upsweep_type_bytes(type);
    input_fill(INPUT_UNIFORM, type, in, n, type);
    for (size_t i = 1; i < n; i++) {
        if (flags[i] % 3 != 0) {
            memcpy((char *)in + i * bytes, (char *)in + (i - 1) * bytes, bytes);
        }
    }
}

static void test_runs(void **state)
{
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        const upsweep_type type = wide ? UPSWEEP_U64 : UPSWEEP_U32;
        const size_t bytes = upsweep_type_bytes(type);
        size_t runs = 0, found = 0;
        fill(type);
        assert_int_equal(upsweep_run_lengths(cpu, in, n, type, want, want + n, &runs, NULL),
                         UPSWEEP_OK);
        assert_int_equal(upsweep_run_lengths(gpu, in, n, type, got, got + n, &found, NULL),
                         UPSWEEP_OK);
        assert_int_equal(found, runs);
        assert_memory_equal(got, want, runs * bytes);
        assert_memory_equal(got + n, want + n, runs * sizeof *got);
        assert_int_equal(upsweep_unique(gpu, in, n, type, &found, NULL), UPSWEEP_OK);
        assert_int_equal(found, runs);
        assert_memory_equal(in, want, runs * bytes);
    }
}

/* Zeros and NaNs of both signs among them. */
static void test_number_runs(void **state)
{
    (void)state;
    const upsweep_options o = {.size = sizeof o, .flags = UPSWEEP_NUMBERS};
    for (int wide = 0; wide < 2; wide++) {
        const upsweep_type type = wide ? UPSWEEP_F64 : UPSWEEP_F32;
        const size_t bytes = upsweep_type_bytes(type);
        size_t runs = 0, found = 0;
        fill(type);
        for (size_t i = 0; i < n; i++) {
            unsigned char *key = (unsigned char *)in + i * bytes;
            if (flags[i] % 5 < 2) {
                memset(key, flags[i] % 5 == 0 ? 0 : 0x7f, bytes - 1);
                key[bytes - 1] =
                    (unsigned char)((flags[i] % 5 == 0 ? 0 : 0x7f) | (flags[i] & 8) << 4);
                key[bytes - 2] |= flags[i] % 5 == 0 ? 0 : 0xf0;
            }
        }
        assert_int_equal(upsweep_run_lengths(cpu, in, n, type, want, want + n, &runs, &o),
                         UPSWEEP_OK);
        assert_int_equal(upsweep_run_lengths(gpu, in, n, type, got, got + n, &found, &o),
                         UPSWEEP_OK);
        assert_int_equal(found, runs);
        assert_memory_equal(got, want, runs * bytes);
        assert_memory_equal(got + n, want + n, runs * sizeof *got);
        assert_int_equal(upsweep_unique(gpu, in, n, type, &found, &o), UPSWEEP_OK);
        assert_int_equal(found, runs);
        assert_memory_equal(in, want, runs * bytes);
    }
}

static void test_splits(void **state)
{
    (void)state;
    for (size_t bytes = 4; bytes <= 8; bytes += 4) {
        fill(bytes == 4 ? UPSWEEP_U32 : UPSWEEP_U64);
        device_check_split(in, flags, want, got, n, bytes);
    }
}

/* Of all elements by a ring; of fewer by blocks that have one, two or four tiles each
 * (gpu/folds/scan_one_launch.cuh), many calls over the same nodes. */
static void test_scans(void **state)
{
    (void)state;
    const upsweep_type types[] = {UPSWEEP_U32, UPSWEEP_U64, UPSWEEP_F32, UPSWEEP_F64};
    const size_t lengths[] = {n, n / 2, n / 4, n / 8, n / 3, 5000};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const size_t bytes = upsweep_type_bytes(types[i]);
        input_fill(INPUT_SORTED, types[i], in, n, i);
        for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
            const size_t length = lengths[l];
            const upsweep_options o = {.flags = l % 3 == 1 ? UPSWEEP_EXCLUSIVE : 0};
            assert_int_equal(upsweep_scan(cpu, in, want, length, types[i], UPSWEEP_SUM, &o),
                             UPSWEEP_OK);
            assert_int_equal(upsweep_scan(gpu, in, got, length, types[i], UPSWEEP_SUM, &o),
                             UPSWEEP_OK);
            assert_memory_equal(got, want, length * bytes);
        }
    }
}

/* Two runs of any lengths and alignment, the keys of which do not follow one another in memory as
 * they do in the outcome; and lists that are not sorted, of which every key must come out once. */
static void check_merge(upsweep_type type, input_pattern pattern, unsigned order, size_t na,
                        bool sorted)
{
    const size_t bytes = upsweep_type_bytes(type), nb = n * 8 / bytes - na - 1;
    const upsweep_options o = {.flags = order};
    char *a = (char *)in + bytes, *b = a + na * bytes;
    input_fill(pattern, type, in, na + nb + 1, na);
    if (sorted) {
        assert_int_equal(upsweep_sort(cpu, a, na, type, &o), UPSWEEP_OK);
        assert_int_equal(upsweep_sort(cpu, b, nb, type, &o), UPSWEEP_OK);
        assert_int_equal(upsweep_merge(cpu, a, na, b, nb, want, type, &o), UPSWEEP_OK);
    }
    assert_int_equal(upsweep_merge(gpu, a, na, b, nb, got, type, &o), UPSWEEP_OK);
    if (sorted) {
        assert_memory_equal(got, want, (na + nb) * bytes);
    } else {
        assert_null(oracle_same_keys(a, got, na + nb, bytes));
    }
}

static void test_merges(void **state)
{
    (void)state;
    const upsweep_type types[] = {UPSWEEP_U32, UPSWEEP_U64, UPSWEEP_F32, UPSWEEP_I16, UPSWEEP_U8};
    const input_pattern patterns[] = {INPUT_UNIFORM, INPUT_FEW_VALUES, INPUT_EQUAL};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const size_t all = n * 8 / upsweep_type_bytes(types[i]);
        for (size_t p = 0; p < sizeof patterns / sizeof patterns[0]; p++) {
            check_merge(types[i], patterns[p], 0, all / 2, true);
            check_merge(types[i], patterns[p], UPSWEEP_DESCENDING, all / 9, true);
            check_merge(types[i], patterns[p], 0, 5, true);
            check_merge(types[i], patterns[p], 0, all - 3, true);
        }
        check_merge(types[i], INPUT_UNIFORM, 0, all / 3, false);
        check_merge(types[i], INPUT_UNIFORM, 0, 7, false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs),   cmocka_unit_test(test_number_runs),
        cmocka_unit_test(test_splits), cmocka_unit_test(test_scans),
        cmocka_unit_test(test_merges),
    };
    return cmocka_run_group_tests(tests, start, end);
}
