/* test_sort.c - upsweep_sort and upsweep_is_sorted against an order written out by hand: every
 * type, pattern and size, on each instruction set and with 1, 2 and 5 threads. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "test/shared/handles.h"
#include "test/shared/inputs.h"
#include "cpu/cpu.h"
#include "test/shared/key_order.h"

static const char *const isas[] = {"portable", "avx2", "avx512"};
static const unsigned threads[] = {1, 2, 5};

static upsweep *open_as(const char *isa, unsigned thread_count, size_t scratch_limit)
{
    upsweep *u;
    upsweep_config c = {.threads = thread_count, .scratch_limit = scratch_limit};
    setenv("UPSWEEP_ISA", isa, 1);
    assert_int_equal(upsweep_open(&u, "cpu", &c), UPSWEEP_OK);
    unsetenv("UPSWEEP_ISA");
    handle_share_early(u);
    return u;
}

/* ---- inputs ---- */

static uint64_t state;
static uint64_t next(void)
{
    return input_random(&state);
}

enum pattern {
    UNIFORM,
    SORTED,
    REVERSED,
    EQUAL,
    SIXTEEN,
    TWO,
    ORGAN,
    SAWTOOTH,
    SHARED_TOP,
    CLUSTERS,
    ONE_BUCKET,
    ZIPF,
    ALMOST,
    EXTREMES,
    KILLER,
    PATTERNS
};

/* Key i of n as an unsigned number of `bits` bits. */
static uint64_t pattern_key(enum pattern p, size_t i, size_t n, unsigned bits)
{
    uint64_t all = UINT64_MAX >> (64 - bits), r = next();
    uint64_t step = n == 0 ? 0 : all / n;
    switch (p) {
    case UNIFORM: return r & all;
    case SORTED: return i * (step | 1);
    case REVERSED: return (n - i) * (step | 1);
    case EQUAL: return 0x5a5a5a5a5a5a5a5a & all;
    case SIXTEEN: return ((r % 16) * 0x1234567812345677) & all;
    case TWO: return r & 1 ? all : 0;
    case ORGAN: return (i < n / 2 ? i : n - i) * (step | 1);
    case SAWTOOTH: return i % 1000 * (all / 1000 | 1);
    case SHARED_TOP: return (0xabcdef1234567890 & all & ~UINT64_C(255)) | (r & 255);
    case CLUSTERS: return (r & 1 ? all - (r >> 1) % 1000 : (r >> 1) % 1000) & all;
    case ONE_BUCKET:
        return r % 100 == 0 ? (r >> 8) & all : ((r >> 8) & (all >> (bits / 4))) + all / 3;
    case ZIPF: return (all / (1 + (r >> 8) % 1000003)) & all;
    case ALMOST: return r % 100 == 0 ? (r >> 8) & all : i * (step | 1);
    case EXTREMES:
        return r % 5 == 0 ? 0 : r % 5 == 1 ? all : r % 5 == 2 ? all >> 1 : (all >> 1) + r % 3;
    default: return (i % 2 ? n / 2 + i / 2 : i / 2) * (step | 1);
    }
}

static void fill(void *keys, size_t n, size_t bytes, enum pattern p)
{
    state = n * 31 + bytes + (uint64_t)p;
    for (size_t i = 0; i < n; i++) {
        usw_store_raw((char *)keys + i * bytes, bytes, pattern_key(p, i, n, 8 * (unsigned)bytes));
    }
}

/* ---- the tests ---- */

static const size_t small_sizes[] = {0,   1,    2,    3,    4,    5,    7,    8,    9,    15,   16,
                                     17,  24,   31,   32,   33,   47,   48,   63,   64,   65,   96,
                                     127, 128,  129,  191,  192,  255,  256,  257,  300,  511,  512,
                                     513, 1000, 1023, 1025, 2047, 2049, 4097, 8192, 8193, 10007};

static void sort_and_check(upsweep *u, const void *input, void *keys, size_t n, upsweep_type type,
                           unsigned flags)
{
    size_t bytes = upsweep_type_bytes(type);
    upsweep_options o = {.flags = flags};
    memcpy(keys, input, n * bytes);
    assert_int_equal(upsweep_sort(u, keys, n, type, &o), UPSWEEP_OK);
    check_sorted(keys, n, type, flags, tally_of(input, n, bytes));
    size_t first = 1;
    assert_int_equal(upsweep_is_sorted(u, keys, n, type, &first, &o), UPSWEEP_OK);
    assert_true(first == n);
}

/* All types, patterns and small sizes; the bytes are the same whatever the machine. */
static void small_arrays(void **unused)
{
    (void)unused;
    enum { MOST = 10007 };
    uint64_t *input = malloc(MOST * 8), *keys = malloc(MOST * 8), *first = malloc(MOST * 8);
    upsweep *u[3];
    for (int i = 0; i < 3; i++) {
        u[i] = open_as(isas[i], threads[i], 0);
    }
    for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        for (int p = 0; p < PATTERNS; p++) {
            for (size_t s = 0; s < sizeof small_sizes / sizeof *small_sizes; s++) {
                size_t n = small_sizes[s], bytes = upsweep_type_bytes(type);
                unsigned flags = (s + (unsigned)p) % 3 == 0 ? UPSWEEP_DESCENDING : 0;
                flags |= s % 5 == 1 ? UPSWEEP_NAN_FIRST : s % 5 == 2 ? UPSWEEP_NAN_RAW : 0;
                fill(input, n, bytes, (enum pattern)p);
                for (int i = 0; i < 3; i++) {
                    sort_and_check(u[i], input, i == 0 ? first : keys, n, type, flags);
                    assert_true(i == 0 || memcmp(first, keys, n * bytes) == 0);
                }
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        upsweep_close(u[i]);
    }
    free(input), free(keys), free(first);
}

static void large(upsweep *u, size_t n, upsweep_type type, enum pattern p, unsigned flags)
{
    size_t bytes = upsweep_type_bytes(type);
    void *input = malloc(n * bytes), *keys = malloc(n * bytes);
    fill(input, n, bytes, p);
    sort_and_check(u, input, keys, n, type, flags);
    free(input), free(keys);
}

static void large_arrays(void **unused)
{
    (void)unused;
    static const upsweep_type types[] = {UPSWEEP_U8, UPSWEEP_U16, UPSWEEP_U32, UPSWEEP_U64,
                                         UPSWEEP_F32};
    static const size_t sizes[] = {65535, 65537, (1 << 20) - 1, 1 << 20, 300000};
    for (int i = 0; i < 3; i++) {
        for (int t = 0; t < 3; t++) {
            upsweep *u = open_as(isas[i], threads[t], 0);
            for (int k = 0; k < 5; k++) {
                for (int p = 0; p < PATTERNS; p++) {
                    if (t == 1 || (k % 3 == 2 && (test_thorough() || p % 2 == t / 2)) ||
                        p == UNIFORM) {
                        large(u, 200001 + 65536 * (size_t)(k == 2), types[k], (enum pattern)p, 0);
                    }
                }
                large(u, sizes[k], types[k], UNIFORM, UPSWEEP_DESCENDING);
            }
            large(u, (1 << 20) + 1, UPSWEEP_U32, t == 0 ? UNIFORM : CLUSTERS, 0);
            large(u, (1 << 20) + 1, UPSWEEP_U64, t == 0 ? ONE_BUCKET : ZIPF, 0);
            upsweep_close(u);
        }
    }
}

/* Keys that crowd: all about zero, a share so small that a sample misses it, all but one in a few
 * low bits, and one value in three. */
static uint64_t crowded_key(unsigned kind, size_t i, uint64_t random)
{
    switch (kind) {
    case 0: return random >> random % 60;
    case 1: return i % 32 == 0 ? UINT64_C(0x5a5a5a5a) << 32 | (random & 0xffffff) : random;
    case 2: return i == 77 ? UINT64_MAX : (random & 0x3ffff) << 3;
    default: return i % 3 == 0 ? UINT64_C(0x0123456789abcdef) : random;
    }
}

static void crowds(void **unused)
{
    (void)unused;
    static const size_t sizes[] = {1000, 4099, 65536, 70001, 262145, 700001};
    static const char *const names[] = {NULL, "sort/radix"};
    uint64_t *keys = malloc(sizes[5] * sizeof *keys);
    for (unsigned i = 0; i < 4 * 4 * 6; i++) {
        unsigned kind = i / 4 % 4;
        size_t n = sizes[i / 16], bytes = i % 4 == 3 ? 4 : 8;
        upsweep_type type = bytes == 4 ? UPSWEEP_U32 : i % 4 == 1 ? UPSWEEP_I64 : UPSWEEP_U64;
        unsigned flags = i / 4 % 3 == 0 ? UPSWEEP_DESCENDING : 0;
        upsweep *u = open_as(isas[i / 2 % 3], 1 + i % 2, 0);
        for (size_t k = 0; k < n; k++) {
            uint64_t key = crowded_key(kind, k, next());
            usw_store_raw((unsigned char *)keys + k * bytes, bytes, key >> (64 - 8 * bytes));
        }
        tally before = tally_of(keys, n, bytes);
        upsweep_options o = {.algorithm = names[i % 4 / 2], .flags = flags};
        assert_int_equal(upsweep_sort(u, keys, n, type, &o), UPSWEEP_OK);
        check_sorted(keys, n, type, flags, before);
        upsweep_close(u);
    }
    free(keys);
}

/* The scatter and its pivots, which the automatic choice leaves out where vectors are wide. */
static void named_forms(void **unused)
{
    (void)unused;
    enum { N = 700001 };
    static const char *const names[] = {"sort/hybrid", "sort/sample", "sort/quick"};
    uint64_t *input = malloc(N * 8), *keys = malloc(N * 8);
    for (int i = 0; i < 3; i++) {
        upsweep *u = open_as(isas[i], threads[(i + 1) % 3], 0);
        for (int p = 0; p < PATTERNS; p++) {
            upsweep_type type = p % 2 ? UPSWEEP_F32 : UPSWEEP_I64;
            size_t bytes = upsweep_type_bytes(type);
            upsweep_options o = {.algorithm = names[(p + i) % 3]};
            fill(input, N, bytes, (enum pattern)p);
            memcpy(keys, input, N * bytes);
            assert_int_equal(upsweep_sort(u, keys, N, type, &o), UPSWEEP_OK);
            check_sorted(keys, N, type, 0, tally_of(input, N, bytes));
        }
        upsweep_close(u);
    }
    free(input), free(keys);
}

/* The quicksort by all threads, which the automatic choice leaves to counting. */
static void short_keys_parted(void **unused)
{
    (void)unused;
    enum { N = 1100001 };
    static const upsweep_type types[] = {UPSWEEP_U16, UPSWEEP_I16, UPSWEEP_F16, UPSWEEP_BF16};
    uint16_t *input = malloc(N * sizeof *input), *keys = malloc(N * sizeof *keys);
    for (int i = 0; i < 3; i++) {
        upsweep *u = open_as(isas[i], 5, 0);
        for (int p = 0; p < PATTERNS; p++) {
            fill(input, N, sizeof *input, (enum pattern)p);
            for (int t = test_thorough() ? 0 : (p + i) % 2; t < 4; t += test_thorough() ? 1 : 2) {
                upsweep_options o = {.algorithm = "sort/quick"};
                memcpy(keys, input, N * sizeof *keys);
                assert_int_equal(upsweep_sort(u, keys, N, types[t], &o), UPSWEEP_OK);
                check_sorted(keys, N, types[t], 0, tally_of(input, N, sizeof *input));
            }
        }
        upsweep_close(u);
    }
    free(input), free(keys);
}

static void less_scratch(void **unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        for (int t = 0; t < 3; t++) {
            upsweep *u = open_as(isas[i], threads[t], 200000);
            const int one_in = test_thorough() ? 1 : 2; /* other ones by each number of threads */
            for (int p = (t + i) % one_in; p < PATTERNS; p += one_in) {
                large(u, 400001, p % 2 ? UPSWEEP_U32 : UPSWEEP_F64, (enum pattern)p, 0);
            }
            upsweep_close(u);
            u = open_as(isas[i], threads[t], 0);
            for (int p = (t + i) % one_in; p < PATTERNS; p += one_in) {
                large(u, 400001, p % 2 ? UPSWEEP_F32 : UPSWEEP_U64, (enum pattern)p,
                      UPSWEEP_IN_PLACE);
                upsweep_report r = UPSWEEP_REPORT_INIT;
                upsweep_last_report(u, &r);
                assert_true(r.scratch_bytes <= (size_t)threads[t] << 20);
            }
            upsweep_close(u);
        }
    }
}

/* 128-bit keys have no public type; they carry 64-bit keys with their indices. */
static void wide_keys(void **unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        upsweep *u = open_as(isas[i], 2, 0);
        for (int p = 0; p < PATTERNS; p++) {
            for (size_t s = 0; s < sizeof small_sizes / sizeof *small_sizes + 1; s++) {
                size_t n = s < sizeof small_sizes / sizeof *small_sizes ? small_sizes[s] : 150001;
                usw_u128 *keys = malloc((n + 1) * sizeof *keys);
                uint64_t before[2] = {0, 0}, after[2] = {0, 0};
                state = n;
                for (size_t k = 0; k < n; k++) {
                    uint64_t high = pattern_key((enum pattern)p, k, n, 64),
                             low = next() >> (p % 3 * 28);
                    keys[k] = (usw_u128)high << 64 | low;
                    before[0] += high * (low | 1);
                    before[1] += low * UINT64_C(0x9e3779b97f4a7c15) ^ high;
                }
                usw_scratch_begin(u);
                if (s % 2) {
                    USW_PICK(u->isa, usw_cache_sort_steps)->sort[4](keys, n);
                } else {
                    assert_int_equal(
                        USW_PICK(u->isa, usw_hybrid_steps)->sort[4](u, keys, n, NULL, p % 2),
                        UPSWEEP_OK);
                }
                for (size_t k = 0; k < n; k++) {
                    uint64_t high = (uint64_t)(keys[k] >> 64), low = (uint64_t)keys[k];
                    assert_true(k == 0 || keys[k - 1] <= keys[k]);
                    after[0] += high * (low | 1);
                    after[1] += low * UINT64_C(0x9e3779b97f4a7c15) ^ high;
                }
                assert_true(before[0] == after[0] && before[1] == after[1]);
                free(keys);
            }
        }
        upsweep_close(u);
    }
}

static void is_sorted_finds_the_first(void **unused)
{
    (void)unused;
    enum { N = 300000 };
    static int32_t keys[N];
    for (int i = 0; i < 3; i++) {
        upsweep *u = open_as(isas[i], threads[i], 0);
        for (size_t at = 1; at < N; at = at * 2 + 1) {
            for (size_t k = 0; k < N; k++) {
                keys[k] = (int32_t)k - N / 2;
            }
            keys[at] = INT32_MIN;
            keys[N - 1 - at / 2] = INT32_MIN;
            size_t first = 0;
            assert_int_equal(upsweep_is_sorted(u, keys, N, UPSWEEP_I32, &first, NULL), UPSWEEP_OK);
            assert_true(first == usw_min(at, N - 1 - at / 2));
            upsweep_options low_byte = {.bit_begin = 8, .bit_end = 16};
            assert_int_equal(upsweep_is_sorted(u, keys, 256, UPSWEEP_I32, &first, &low_byte),
                             UPSWEEP_OK);
        }
        uint16_t few[] = {0x100, 0x2ff, 0x201, 0x1ff};
        upsweep_options high_byte = {.bit_begin = 8, .bit_end = 16};
        size_t first = 0;
        assert_int_equal(upsweep_is_sorted(u, few, 4, UPSWEEP_U16, &first, &high_byte), UPSWEEP_OK);
        assert_true(first == 3);
        upsweep_close(u);
    }
}

static void refusals(void **unused)
{
    (void)unused;
    upsweep *u = open_as("avx512", 2, 0);
    uint32_t keys[4] = {3, 1, 2, 0};
    assert_int_equal(upsweep_sort(NULL, keys, 4, UPSWEEP_U32, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_sort(u, NULL, 4, UPSWEEP_U32, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_sort(u, NULL, 0, UPSWEEP_U32, NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_sort(u, keys, 4, (upsweep_type)99, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_sort(u, keys, SIZE_MAX / 2, UPSWEEP_U32, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    upsweep_options o = {.algorithm = "sort/none"};
    assert_int_equal(upsweep_sort(u, keys, 4, UPSWEEP_U32, &o), UPSWEEP_ERROR_ALGORITHM);
    o = (upsweep_options){.bit_begin = 8, .bit_end = 8};
    assert_int_equal(upsweep_sort(u, keys, 4, UPSWEEP_U32, &o), UPSWEEP_ERROR_ARGUMENT);
    o = (upsweep_options){.bit_begin = 8, .bit_end = 33};
    assert_int_equal(upsweep_sort(u, keys, 4, UPSWEEP_U32, &o), UPSWEEP_ERROR_ARGUMENT);
    o = (upsweep_options){.flags = UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW};
    assert_int_equal(upsweep_sort(u, keys, 4, UPSWEEP_U32, &o), UPSWEEP_ERROR_ARGUMENT);
    o = (upsweep_options){.flags = UPSWEEP_LARGEST};
    assert_int_equal(upsweep_sort(u, keys, 4, UPSWEEP_U32, &o), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_is_sorted(u, keys, 4, UPSWEEP_U32, NULL, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_true(keys[0] == 3 && keys[1] == 1 && keys[2] == 2 && keys[3] == 0);
    upsweep_close(u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_arrays),
        cmocka_unit_test(large_arrays),
        cmocka_unit_test(less_scratch),
        cmocka_unit_test(named_forms),
        cmocka_unit_test(short_keys_parted),
        cmocka_unit_test(wide_keys),
        cmocka_unit_test(is_sorted_finds_the_first),
        cmocka_unit_test(refusals),
        cmocka_unit_test(crowds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
