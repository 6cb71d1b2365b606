/* test_ways_values.c - all types on all instruction sets, where keys have few values, many of one
 * value, or lie close together: in place and by name, with what they carry; and partitions of few
 * keys. The test `routes` tells which ways there are, and that none is missed. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above first. */
#include <cmocka.h>

#define USW_CHECKED 1 /* as the library for tests is compiled, which counts the ways */
#include "core/frame.h"
#include "cpu/cpu.h"
#include "test/shared/ways.h"

/* ---- keys alone ---- */

/* least: three keys of five are the least there is, of floats the NaN whose bits are all set. */
static void try_sort(upsweep *u, unsigned isa, unsigned type, unsigned pattern, bool least,
                     const upsweep_options *o, size_t n)
{
    size_t bytes = upsweep_type_bytes((upsweep_type)type);
    char *keys = malloc(n * bytes);
    assert_non_null(keys);
    fill(least ? HALF_LEAST : pattern, (upsweep_type)type, keys, n);
    for (size_t i = 0; least && type >= UPSWEEP_F16 && i < n; i++) {
        if (i % 5 < 3) {
            memset(keys + i * bytes, 0xff, bytes);
        }
    }
    double *doubles = (double *)(void *)keys;
    for (size_t i = 0; !least && type == UPSWEEP_F64 && i < n;
         i++) { /* such are compared as they are */
        doubles[i] = doubles[i] != doubles[i] || doubles[i] == 0 ? (double)i : doubles[i];
    }
    check_sort(u, isa, type, pattern, keys, n, o);
    free(keys);
}

static void test_sorts(void **state)
{
    (void)state;
    static const unsigned patterns[] = {INPUT_UNIFORM, HALF_LEAST, HALF_LEAST, HALF_GREATEST};
    for (unsigned isa = 0; isa < ISAS; isa++) {
        upsweep *u = handle_open(isa, 2), *four = handle_open(isa, 4);
        for (unsigned type = UPSWEEP_U8; u != NULL && type <= UPSWEEP_F64; type++) {
            size_t bytes = upsweep_type_bytes((upsweep_type)type);
            upsweep_options o = UPSWEEP_OPTIONS_INIT;
            /* More than a thread counts by itself. */
            if (bytes > 2) {
                try_sort(u, isa, type, INPUT_FEW_VALUES, false, &o, (9 << 20) / bytes);
            }
            if (bytes == 2) {
                o.algorithm = "sort/radix";
                try_sort(u, isa, type, INPUT_ONE_FULL_BUCKET, false, &o, 1200000);
                o.algorithm = NULL;
                try_sort(u, isa, type, INPUT_UNIFORM, false, &o, 1200000);
            }
            for (size_t p = 0; p < 8; p++) {
                o.flags = UPSWEEP_IN_PLACE | (p % 2 == 0 ? 0 : UPSWEEP_DESCENDING);
                o.algorithm = bytes == 2 ? "sort/quick" : NULL;
                try_sort(u, isa, type, patterns[p / 2], p / 2 == 2, &o, 140000);
                try_sort(four, isa, type, patterns[p / 2], p / 2 == 2, &o, 140000);
            }
        }
        upsweep_close(four);
        upsweep_close(u);
    }
}

/* ---- keys that carry something ---- */

/* Keys of 32 bits that differ in their lowest twelve bits and in one near the top. */
enum { TWO_SHORT_RANGES = PATTERNS };

static void fill_pairs(unsigned pattern, unsigned type, char *keys, size_t n)
{
    uint64_t state = 3;
    if (pattern != TWO_SHORT_RANGES) {
        fill(pattern, (upsweep_type)type, keys, n);
    }
    for (size_t i = 0; pattern == TWO_SHORT_RANGES && i < n; i++) {
        uint64_t r = input_random(&state);
        usw_store_raw(keys + 4 * i, 4, (r & 1) << 30 | (r >> 8 & 0xfff));
    }
}

/* Values are numbers of 16 or 32 bits, which tell whether equal keys stay in order. */
static void try_pairs(upsweep *u, unsigned isa, unsigned type, unsigned pattern, size_t vb,
                      size_t n)
{
    size_t bytes = upsweep_type_bytes((upsweep_type)type);
    char *before = malloc(n * bytes), *keys = malloc(n * bytes), *values = malloc(n * vb);
    uint32_t *index = malloc(n * sizeof *index);
    assert_true(before != NULL && keys != NULL && values != NULL && index != NULL);
    fill_pairs(pattern, type, before, n);
    memcpy(keys, before, n * bytes);
    for (size_t i = 0; i < n; i++) {
        usw_store_raw(values + i * vb, vb, i);
    }
    assert_int_equal(upsweep_argsort(u, before, n, (upsweep_type)type, index, 32, NULL),
                     UPSWEEP_OK);
    assert_int_equal(upsweep_sort_pairs(u, keys, values, n, (upsweep_type)type, vb, NULL),
                     UPSWEEP_OK);
    for (size_t i = 0; i < n; i++) {
        const char *key = before + index[i] * bytes;
        int order =
            i == 0 ? -1 : oracle_order((upsweep_type)type, 0, before + index[i - 1] * bytes, key);
        bool right = index[i] < n && (order < 0 || (order == 0 && index[i - 1] < index[i])) &&
                     memcmp(keys + i * bytes, key, bytes) == 0 &&
                     usw_load_raw(values + i * vb, vb) == (vb == 2 ? index[i] & 0xffff : index[i]);
        require(right ? NULL : "a pair is wrong", "pairs", isa, type, pattern);
    }
    free(index);
    free(values);
    free(keys);
    free(before);
}

static void test_pairs(void **state)
{
    (void)state;
    for (unsigned isa = 0; isa < ISAS; isa++) {
        upsweep *u = handle_open(isa, 1), *two = handle_open(isa, 2);
        for (unsigned type = UPSWEEP_U8; u != NULL && type <= UPSWEEP_F64; type++) {
            try_pairs(two, isa, type, INPUT_FEW_VALUES, 2, 70001);
            try_pairs(u, isa, type, INPUT_ONE_FULL_BUCKET, 4, 1000);
            try_pairs(u, isa, type, INPUT_ONE_FULL_BUCKET, 4, 5000);
            if (upsweep_type_bytes((upsweep_type)type) == 4) {
                try_pairs(u, isa, type, TWO_SHORT_RANGES, 4, 1000);
            }
            if (isa == 1 && upsweep_type_bytes((upsweep_type)type) == 4) {
                try_pairs(u, isa, type, INPUT_ONE_FULL_BUCKET, 4, 2100000);
            }
        }
        upsweep_close(two);
        upsweep_close(u);
    }
}

/* ---- selection of an end that has many equal keys ---- */

static void test_greatest(void **state)
{
    (void)state;
    enum { N = 5000 };
    char keys[N * 8];
    for (unsigned isa = 0; isa < ISAS; isa++) {
        upsweep *u = handle_open(isa, 1);
        for (unsigned type = UPSWEEP_U8; u != NULL && type <= UPSWEEP_F64; type++) {
            size_t bytes = upsweep_type_bytes((upsweep_type)type);
            for (unsigned k = 1; k < 10; k++) {
                fill(HALF_GREATEST, (upsweep_type)type, keys, N);
                for (size_t i = 0; k % 2 == 0 && type >= UPSWEEP_F16 && i < N; i += 1 + i % 2) {
                    memset(keys + i * bytes, 0xff,
                           bytes); /* the greatest NaN: all bits but a sign */
                    keys[i * bytes + bytes - 1] = 0x7f;
                }
                size_t nth = N / 10 * k;
                assert_int_equal(upsweep_nth_element(u, keys, N, nth, (upsweep_type)type, NULL),
                                 UPSWEEP_OK);
                for (size_t i = 0; i < N; i++) {
                    int order =
                        oracle_order((upsweep_type)type, 0, keys + i * bytes, keys + nth * bytes);
                    require((i < nth ? order > 0 : order < 0) ? "on the wrong side" : NULL,
                            "nth_element", isa, type, k);
                }
            }
        }
        upsweep_close(u);
    }
}

/* ---- counts of the digits of integers ---- */

static void test_digits(void **state)
{
    (void)state;
    enum { N = 70001 };
    static uint64_t keys[N], counts[256], want[256];
    for (unsigned isa = 0; isa < ISAS; isa++) {
        upsweep *u = handle_open(isa, 2);
        for (unsigned type = UPSWEEP_U8; u != NULL && type <= UPSWEEP_I64; type++) {
            size_t bytes = upsweep_type_bytes((upsweep_type)type);
            usw_keymap map = usw_keymap_of((upsweep_type)type, 0);
            fill(INPUT_ZIPF, (upsweep_type)type, keys, N);
            for (unsigned bit = 0; bit < 8 * bytes; bit += 8) {
                upsweep_bucketing b = {.size = sizeof b,
                                       .kind = UPSWEEP_BUCKET_DIGIT,
                                       .bit = bit,
                                       .bits = 8,
                                       .count = 256};
                memset(want, 0, sizeof want);
                for (size_t i = 0; i < N; i++) {
                    uint64_t raw = usw_load_raw((const char *)keys + i * bytes, bytes);
                    want[usw_map_key(&map, raw) >> bit & 255]++;
                }
                assert_int_equal(
                    upsweep_histogram(u, keys, N, (upsweep_type)type, &b, counts, NULL),
                    UPSWEEP_OK);
                require(memcmp(counts, want, sizeof want) != 0 ? "counts differ" : NULL,
                        "histogram", isa, type, bit);
            }
        }
        upsweep_close(u);
    }
}

/* ---- partitions of few keys, as they are left over where threads share one ---- */

static void try_partition(const usw_cache_sort_steps *steps, unsigned isa, unsigned type, size_t n)
{
    unsigned char keys[60 * 8], before[sizeof keys];
    size_t bytes = upsweep_type_bytes((upsweep_type)type), fronts[2] = {0, 0};
    unsigned width = usw_log2_up(bytes);
    usw_keymap map = usw_keymap_of((upsweep_type)type, 0);
    fill(INPUT_UNIFORM, (upsweep_type)type, keys, n);
    memcpy(before, keys, n * bytes);
    uint64_t pivot = usw_map_key(&map, usw_load_raw(keys + n / 2 * bytes, bytes));
    for (unsigned arrays = 1; arrays <= 2; arrays++) {
        size_t half = arrays == 1 ? n : n / 3; /* keys of the first array */
        usw_call_now.type = type;              /* as in a call */
        if (arrays == 1) {
            fronts[0] = steps->partition_as[width](keys, n, &pivot, &map);
        } else {
            steps->partition_two_arrays[width](keys, half, keys + half * bytes, n - half, &pivot,
                                               &map, fronts);
        }
        usw_call_now = (usw_route_call){isa, 0, 0};
        for (size_t i = 0; i < n; i++) {
            uint64_t key = usw_map_key(&map, usw_load_raw(keys + i * bytes, bytes));
            bool front = i < half ? i < fronts[0] : i - half < fronts[1];
            require(front == (key <= pivot) ? NULL : "on the wrong side", "partition", isa, type,
                    (unsigned)n);
        }
        require(oracle_same_keys(before, keys, n, bytes), "partition", isa, type, (unsigned)n);
    }
}

static void test_partitions(void **state)
{
    (void)state;
    static const usw_cache_sort_steps *const parts[] = USW_ALL_ISAS(usw_cache_sort_steps);
    for (unsigned isa = 0; isa <= (unsigned)usw_best_isa(); isa++) {
        for (unsigned type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
            for (size_t n = 1; n <= 60; n++) {
                try_partition(parts[isa], isa, type, n);
            }
        }
        usw_call_now = (usw_route_call){isa, 0, 0};
        usw_u128 wide[16], pivot = 7;
        for (unsigned i = 0; i < 16; i++) {
            wide[i] = (usw_u128)(i * 5 % 16);
        }
        assert_int_equal(parts[isa]->partition[4](wide, 16, &pivot), 8);
        for (unsigned i = 0; i < 16; i++) {
            assert_true((wide[i] <= pivot) == (i < 8));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sorts),      cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_greatest),   cmocka_unit_test(test_digits),
        cmocka_unit_test(test_partitions),
    };
    return cmocka_run_group_tests_name("ways of values", tests, NULL, NULL);
}
