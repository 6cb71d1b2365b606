/* test_select.c - upsweep_nth_element and upsweep_top_k against sorted oracles: all types and
 * flags, k at every end, inputs that mislead the sample, equal outcomes for any threads, and
 * little scratch. */
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
#include "test/shared/inputs.h"
#include "test/shared/oracle.h"

enum { GUARD = 64 };

static upsweep *open_with(unsigned threads, size_t scratch_limit)
{
    upsweep_config c = {.size = sizeof c, .threads = threads, .scratch_limit = scratch_limit};
    upsweep *u;
    assert_int_equal(upsweep_open(&u, "cpu", &c), UPSWEEP_OK);
    return u;
}

static unsigned order_flags(unsigned flags)
{
    unsigned nan = flags & (UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW);
    return nan | (flags & (UPSWEEP_LARGEST | UPSWEEP_DESCENDING) ? UPSWEEP_DESCENDING : 0);
}

static void check_nth(upsweep *u, const void *keys, size_t n, size_t k, upsweep_type type,
                      unsigned flags)
{
    size_t bytes = upsweep_type_bytes(type);
    unsigned char *all = malloc(n * bytes + 2 * GUARD), *got = all + GUARD;
    memset(all, 0x5A, n * bytes + 2 * GUARD);
    memcpy(got, keys, n * bytes);
    upsweep_options o = {.size = sizeof o, .flags = flags};
    assert_int_equal(upsweep_nth_element(u, got, n, k, type, &o), UPSWEEP_OK);
    for (size_t i = 0; i < n; i++) {
        int order = oracle_order(type, order_flags(flags), got + i * bytes, got + k * bytes);
        assert_true(i < k ? order <= 0 : order >= 0);
    }
    assert_null(oracle_same_keys(keys, got, n, bytes));
    for (size_t i = 0; i < GUARD; i++) {
        assert_int_equal(all[i], 0x5A);
        assert_int_equal(got[n * bytes + i], 0x5A);
    }
    free(all);
}

/* index: the oracle's order of all n keys. */
static void check_top(upsweep *u, const void *keys, size_t n, size_t k, upsweep_type type,
                      unsigned flags, const size_t *index)
{
    size_t bytes = upsweep_type_bytes(type);
    unsigned char *out = malloc(k * bytes + GUARD);
    uint64_t *at = malloc((k + 1) * sizeof *at);
    memset(out, 0x5A, k * bytes + GUARD);
    at[k] = 77;
    upsweep_options o = {.size = sizeof o, .flags = flags};
    for (int positions = 0; positions < 2; positions++) {
        memset(out, 0x5A, k * bytes);
        assert_int_equal(upsweep_top_k(u, keys, n, k, type, out, positions ? at : NULL, &o),
                         UPSWEEP_OK);
        for (size_t i = 0; i < k; i++) {
            assert_memory_equal(out + i * bytes, (const char *)keys + index[i] * bytes, bytes);
            assert_true(positions == 0 || at[i] == index[i]);
        }
    }
    assert_int_equal(at[k], 77);
    for (size_t i = 0; i < GUARD; i++) {
        assert_int_equal(out[k * bytes + i], 0x5A);
    }
    free(out);
    free(at);
}

static void check_all(upsweep *u, const void *keys, size_t n, upsweep_type type, unsigned flags)
{
    size_t *index = malloc((n + 1) * sizeof *index);
    oracle_argsort(type, order_flags(flags), keys, n, index);
    const size_t ranks[] = {0, 1, n / 1000, n / 3, n / 2, n - n / 7, n - 2, n - 1};
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
        if (ranks[i] < n) {
            check_nth(u, keys, n, ranks[i], type, flags);
            check_top(u, keys, n, ranks[i], type, flags, index);
        }
    }
    check_top(u, keys, n, n, type, flags, index);
    free(index);
}

static void test_types_and_flags(void **state)
{
    (void)state;
    static const unsigned flags[] = {0,
                                     UPSWEEP_LARGEST,
                                     UPSWEEP_DESCENDING,
                                     UPSWEEP_NAN_FIRST,
                                     UPSWEEP_LARGEST | UPSWEEP_NAN_FIRST,
                                     UPSWEEP_NAN_RAW | UPSWEEP_LARGEST};
    static const size_t counts[] = {1, 2, 63, 65, 129, 1000, 4097, 20011};
    uint64_t *keys = malloc(20011 * sizeof *keys);
    upsweep *u = open_with(2, 0);
    for (unsigned type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            unsigned f = flags[(type + c) % 6];
            input_fill(((type * 7 + c) % INPUT_PATTERNS), (upsweep_type)type, keys, counts[c],
                       type + c);
            check_all(u, keys, counts[c], (upsweep_type)type, f);
            input_fill(INPUT_UNIFORM, (upsweep_type)type, keys, counts[c], type);
            check_all(u, keys, counts[c], (upsweep_type)type, flags[(type + c + 3) % 6]);
        }
    }
    free(keys);
    upsweep_close(u);
}

/* Keys for which the sample's band is bad: almost all equal; two values; powers of two; a sorted
 * array with one foreign key. */
static void test_misleading(void **state)
{
    (void)state;
    enum { N = 100003 };
    uint64_t *keys = malloc(N * sizeof *keys);
    upsweep *u = open_with(3, 0);
    for (unsigned kind = 0; kind < 6; kind++) {
        for (size_t i = 0; i < N; i++) {
            uint64_t r = i * UINT64_C(0x9E3779B97F4A7C15);
            r ^= r >> 29;
            keys[i] = kind == 0   ? (r % 50000 == 0)
                      : kind == 1 ? (r & 1 ? 5 : UINT64_MAX - 5)
                      : kind == 2 ? UINT64_C(1) << (r % 64)
                      : kind == 3 ? (i == N / 2 ? 0 : i)
                      : kind == 4 ? 9
                                  : (r % 3 == 0 ? r : 4);
        }
        check_all(u, keys, N, UPSWEEP_U64, kind % 2 ? UPSWEEP_LARGEST : 0);
    }
    free(keys);
    upsweep_close(u);
}

/* The rearranged array has the same bits whatever the threads, with each instruction set. */
static void test_same_bits(void **state)
{
    (void)state;
    enum { N = 700001 }; /* several pairs of blocks, but for bytes */
    static const upsweep_type types[] = {UPSWEEP_U8, UPSWEEP_I16, UPSWEEP_F32, UPSWEEP_U64};
    void *keys = malloc(N * 8), *first = malloc(N * 8), *got = malloc(N * 8);
    for (size_t t = 0; t < 4 * 3; t++) {
        upsweep_type type = types[t % 4];
        size_t bytes = upsweep_type_bytes(type);
        input_fill(INPUT_UNIFORM, type, keys, N, t);
        for (unsigned threads = 1; threads <= 8; threads += 1 + threads / 3) {
            upsweep *u = open_with(threads, 0);
            u->isa = (usw_isa)usw_min(t / 4, (size_t)u->isa);
            memcpy(got, keys, N * bytes);
            assert_int_equal(upsweep_nth_element(u, got, N, N / 3, type, NULL), UPSWEEP_OK);
            if (threads == 1) {
                memcpy(first, got, N * bytes);
            }
            assert_memory_equal(first, got, N * bytes);
            upsweep_close(u);
        }
        upsweep *u = open_with(2, 0);
        u->isa = (usw_isa)usw_min(t / 4, (size_t)u->isa);
        check_nth(u, keys, N, t * (N / 12), type, t % 2 ? UPSWEEP_LARGEST : 0);
        input_fill(t % INPUT_PATTERNS, type, keys, N, t);
        check_nth(u, keys, N, t * (N / 12), type, t % 2 ? UPSWEEP_LARGEST : 0);
        upsweep_close(u);
    }
    free(keys);
    free(first);
    free(got);
}

/* Keys that are compared as their map says: one less, as many and one more than are sorted at once,
 * parted by vectors, parted without a sample, and parted in pairs of blocks. */
static void test_maps_at_lengths(void **state)
{
    (void)state;
    static const size_t limits[] = {16, 64, 128, 256, 512, 2048, 4096, 8192, 16384, 32768, 131072};
    static const unsigned flags[] = {0, UPSWEEP_LARGEST, UPSWEEP_NAN_FIRST, UPSWEEP_DESCENDING,
                                     UPSWEEP_NAN_RAW};
    static const upsweep_type types[] = {UPSWEEP_I16, UPSWEEP_F16, UPSWEEP_I32, UPSWEEP_F32,
                                         UPSWEEP_U32, UPSWEEP_I64, UPSWEEP_F64, UPSWEEP_U64};
    uint64_t *keys = malloc(262145 * sizeof *keys);
    for (size_t t = 0; t < sizeof types / sizeof types[0] * 3; t++) {
        upsweep *u = open_with(2, 0);
        u->isa = (usw_isa)usw_min(t / 8, (size_t)u->isa);
        for (size_t l = 0; l < sizeof limits / sizeof limits[0]; l++) {
            for (size_t n = limits[l] - 1; n <= limits[l] + 1; n++) {
                size_t turn = t + l + n;
                unsigned f = flags[turn % 5];
                input_fill(turn % 3 ? INPUT_UNIFORM : turn % INPUT_PATTERNS, types[t % 8], keys, n,
                           turn);
                check_nth(u, keys, n, n / 2, types[t % 8], f);
                check_nth(u, keys, n, n / 17, types[t % 8], f);
            }
        }
        for (size_t n = 262143; n <= 262145; n++) {
            input_fill(INPUT_UNIFORM, types[t % 8], keys, n, n + t);
            check_nth(u, keys, n, n / 3, types[t % 8], flags[(t + n) % 5]);
        }
        upsweep_close(u);
    }
    free(keys);
}

static void test_little_scratch(void **state)
{
    (void)state;
    enum { N = 30000 };
    uint32_t *keys = malloc(N * sizeof *keys), *out = malloc(N * sizeof *out);
    size_t *index = malloc(N * sizeof *index);
    uint64_t at[100];
    input_fill(INPUT_UNIFORM, UPSWEEP_U32, keys, N, 3);
    oracle_argsort(UPSWEEP_U32, 0, keys, N, index);
    bool worked = false;
    for (size_t limit = 1; limit < 2000000; limit *= 4) {
        upsweep *u = open_with(2, limit);
        check_nth(u, keys, N, N / 2, UPSWEEP_U32, 0);
        upsweep_status status = upsweep_top_k(u, keys, N, 100, UPSWEEP_U32, out, at, NULL);
        assert_true(status == UPSWEEP_OK || (status == UPSWEEP_ERROR_MEMORY && !worked));
        worked = status == UPSWEEP_OK;
        if (worked) {
            check_top(u, keys, N, 100, UPSWEEP_U32, 0, index);
        }
        upsweep_close(u);
    }
    assert_true(worked);
    upsweep *u = open_with(2, 0);
    check_nth(u, keys, N, N / 2, UPSWEEP_U32, UPSWEEP_IN_PLACE);
    upsweep_report r = UPSWEEP_REPORT_INIT;
    upsweep_last_report(u, &r);
    assert_int_equal(r.scratch_bytes, 0);
    upsweep_close(u);
    free(keys);
    free(out);
    free(index);
}

static void test_arguments(void **state)
{
    (void)state;
    upsweep *u = open_with(2, 0);
    float keys[3] = {3, 1, 2}, out[3];
    upsweep_options named = {.size = sizeof named, .algorithm = "sort/radix"};
    assert_int_equal(upsweep_nth_element(u, keys, 3, 3, UPSWEEP_F32, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_nth_element(u, NULL, 0, 0, UPSWEEP_F32, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_nth_element(u, NULL, 3, 0, UPSWEEP_F32, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_nth_element(u, keys, 3, 0, (upsweep_type)0, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_nth_element(u, keys, 3, 0, UPSWEEP_F32, &named),
                     UPSWEEP_ERROR_ALGORITHM);
    assert_int_equal(upsweep_top_k(u, keys, 3, 4, UPSWEEP_F32, out, NULL, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_top_k(u, keys, 3, 2, UPSWEEP_F32, NULL, NULL, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_top_k(u, NULL, 3, 2, UPSWEEP_F32, out, NULL, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_top_k(u, keys, 3, 0, UPSWEEP_F32, NULL, NULL, NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_top_k(u, NULL, 0, 0, UPSWEEP_F32, NULL, NULL, NULL), UPSWEEP_OK);
    assert_true(keys[0] == 3 && keys[1] == 1 && keys[2] == 2);
    upsweep_close(u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types_and_flags), cmocka_unit_test(test_misleading),
        cmocka_unit_test(test_same_bits),       cmocka_unit_test(test_maps_at_lengths),
        cmocka_unit_test(test_little_scratch),  cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
