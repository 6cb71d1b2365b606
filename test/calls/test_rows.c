/* test_rows.c - calls on rows: what they refuse, rows of all lengths around those from which all
 * threads work on a row, arrays with very many rows, and that a row gives what the call on one
 * array gives, bit by bit. The table of calls has the rest. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/guard.h"
#include "test/shared/handles.h"
#include "test/shared/inputs.h"
#include "test/shared/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static upsweep *u;

static void test_refusals(void **state)
{
    (void)state;
    uint32_t keys[6] = {6, 5, 4, 3, 2, 1}, same[6], index[6];
    memcpy(same, keys, sizeof keys);
    const uint64_t falls[] = {0, 4, 3, 6}, beyond[] = {0, 3, 7}, good[] = {1, 3, 3, 6};
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    assert_int_equal(upsweep_sort_rows(u, keys, 6, UPSWEEP_U32, falls, 3, NULL, 0, NULL),
                     UPSWEEP_ERROR_RANGE);
    assert_non_null(strstr(upsweep_error(u), "row 1"));
    assert_int_equal(upsweep_sort_rows(u, keys, 6, UPSWEEP_U32, beyond, 2, NULL, 0, NULL),
                     UPSWEEP_ERROR_RANGE);
    assert_int_equal(upsweep_sort_rows(u, keys, 6, UPSWEEP_U32, NULL, 4, NULL, 0, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_sort_rows(u, keys, 6, UPSWEEP_U32, NULL, 0, NULL, 0, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_sort_rows(u, keys, 6, UPSWEEP_U32, NULL, 2, index, 16, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_sort_rows(u, NULL, 6, UPSWEEP_U32, NULL, 2, NULL, 0, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_sort_rows(u, keys, 6, (upsweep_type)99, NULL, 2, NULL, 0, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_sort_rows(NULL, keys, 6, UPSWEEP_U32, NULL, 2, NULL, 0, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    o.bit_end = 8;
    assert_int_equal(upsweep_sort_rows(u, keys, 6, UPSWEEP_U32, NULL, 2, NULL, 0, &o),
                     UPSWEEP_ERROR_ARGUMENT);
    o = (upsweep_options){.algorithm = "sort/radix"};
    assert_int_equal(upsweep_sort_rows(u, keys, 6, UPSWEEP_U32, NULL, 2, NULL, 0, &o),
                     UPSWEEP_ERROR_ALGORITHM);
    assert_memory_equal(keys, same, sizeof keys);
    assert_int_equal(upsweep_sort_rows(u, keys, 6, UPSWEEP_U32, good, 3, index, 32, NULL),
                     UPSWEEP_OK);
    const uint32_t want[6] = {6, 4, 5, 1, 2, 3};
    assert_memory_equal(keys, want, sizeof want);
    assert_int_equal(index[1], 1);
    assert_int_equal(upsweep_sort_rows(u, NULL, 0, UPSWEEP_U32, NULL, 0, NULL, 0, NULL),
                     UPSWEEP_OK);
}

/* A long row among short ones, with and without an index. */
static void test_long_rows(void **state)
{
    (void)state;
    enum { LONG = 32 * 1024 };
    const size_t lengths[] = {LONG - 1, 3, LONG, 0, LONG + 1, 1, 200000};
    uint64_t begin[8] = {0};
    for (int r = 0; r < 7; r++) {
        begin[r + 1] = begin[r] + lengths[r];
    }
    size_t n = (size_t)begin[7];
    double *keys = malloc(n * 8), *before = malloc(n * 8);
    uint32_t *index = malloc(n * 4);
    size_t *want = malloc(n * sizeof *want);
    for (int with_index = 0; with_index < 2; with_index++) {
        input_fill(INPUT_ZIPF, UPSWEEP_F64, keys, n, 3);
        memcpy(before, keys, n * 8);
        assert_int_equal(upsweep_sort_rows(u, keys, n, UPSWEEP_F64, begin, 7,
                                           with_index ? index : NULL, 32, NULL),
                         UPSWEEP_OK);
        for (int r = 0; r < 7; r++) {
            assert_null(
                oracle_sorted(UPSWEEP_F64, 0, before + begin[r], keys + begin[r], lengths[r]));
            oracle_argsort(UPSWEEP_F64, 0, before + begin[r], lengths[r], want);
            for (size_t i = 0; with_index && i < lengths[r]; i++) {
                assert_int_equal(index[begin[r] + i], want[i]);
            }
        }
    }
    free(keys);
    free(before);
    free(index);
    free(want);
}

/* What a test of long rows with an index works on: rows of one type, their stable argsort, and room
 * for the outcome between pages that cannot be touched. */
enum { INDEX_ROWS = 5 };
typedef struct indexed_rows {
    upsweep_type type;
    uint64_t begin[INDEX_ROWS + 1];
    size_t n, bytes, *want;
    unsigned char *keys;
} indexed_rows;

/* Rows of one key more than one thread sorts, of a third as many again, and of up to 200,000. */
static indexed_rows rows_of(upsweep_type type, unsigned pattern)
{
    indexed_rows r = {.type = type, .bytes = upsweep_type_bytes(type)};
    size_t most = 256 * 1024 / r.bytes, longest = most + 999;
    longest = test_small() || longest > 200000 ? longest : 200000;
    const size_t lengths[INDEX_ROWS] = {5, most + 1, 0, most + most / 3, longest};
    for (int i = 0; i < INDEX_ROWS; i++) {
        r.begin[i + 1] = r.begin[i] + lengths[i];
    }
    r.n = (size_t)r.begin[INDEX_ROWS];
    r.keys = malloc(r.n * r.bytes);
    r.want = malloc(r.n * sizeof *r.want);
    input_fill(pattern, type, r.keys, r.n, 21);
    for (int i = 0; i < INDEX_ROWS; i++) {
        size_t at = (size_t)r.begin[i];
        oracle_argsort(type, 0, r.keys + at * r.bytes, lengths[i], r.want + at);
    }
    return r;
}

static void check_indexed(upsweep *handle, const indexed_rows *r, unsigned bits)
{
    guarded keys = guard_new(r->n * r->bytes, false), index = guard_new(r->n * bits / 8, false);
    memcpy(keys.at, r->keys, r->n * r->bytes);
    assert_int_equal(upsweep_sort_rows(handle, keys.at, r->n, r->type, r->begin, INDEX_ROWS,
                                       index.at, bits, NULL),
                     UPSWEEP_OK);
    for (int row = 0; row < INDEX_ROWS; row++) {
        const unsigned char *from = r->keys + (size_t)r->begin[row] * r->bytes;
        for (size_t i = (size_t)r->begin[row]; i < r->begin[row + 1]; i++) {
            uint64_t position = 0; /* little-endian: the low bytes come first */
            memcpy(&position, index.at + i * bits / 8, bits / 8);
            if (position != r->want[i] ||
                memcmp(keys.at + i * r->bytes, from + position * r->bytes, r->bytes) != 0) {
                fail_msg("type %d, index of %u bits, row %d, place %zu: position %llu, not %zu",
                         (int)r->type, bits, row, i - (size_t)r->begin[row],
                         (unsigned long long)position, r->want[i]);
            }
        }
    }
    assert_true(guard_intact(&keys) && guard_intact(&index));
    guard_free(&keys);
    guard_free(&index);
}

/* Long rows with an index take another way than without: for every type and width of index, on
 * every instruction set, by one thread, which does without counting, and by several. */
static void test_long_rows_with_index(void **state)
{
    (void)state;
    const unsigned patterns[] = {INPUT_UNIFORM, INPUT_ONE_FULL_BUCKET, INPUT_FEW_VALUES};
    for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++) {
        for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
            if (k > 0 && upsweep_type_bytes(type) < 4) {
                continue; /* they have few values in any case */
            }
            indexed_rows r = rows_of(type, patterns[k]);
            for (unsigned run = 0; run < ISAS * 2; run++) {
                upsweep *handle = handle_open(run / 2, run % 2 == 0 ? 1 : 3);
                for (unsigned bits = 32; handle != NULL && bits <= 64; bits += 32) {
                    check_indexed(handle, &r, bits);
                }
                upsweep_close(handle);
            }
            free(r.keys);
            free(r.want);
        }
    }
}

/* Rows of 64 bits with an index whose keys differ in their last bits only, but for two of them. */
static void test_tied_rows(void **state)
{
    (void)state;
    enum { N = 300 };
    uint64_t keys[N], sorted[N];
    uint32_t index[N];
    for (unsigned run = 0; run < 3 * ISAS; run++) {
        upsweep *handle = handle_open(run / 3, 1);
        upsweep_type type = run % 3 == 0 ? UPSWEEP_U64 : run % 3 == 1 ? UPSWEEP_I64 : UPSWEEP_F64;
        for (size_t n = 2; handle != NULL && n <= N; n += 1 + n / 8) {
            for (uint32_t i = 0; i < n; i++) { /* of all three types in the same order */
                keys[i] = UINT64_C(0x3ff) << 52 | i * UINT32_C(0x9e3779b9) >> 24;
            }
            keys[n / 2] = 1;
            keys[n - 1] = UINT64_C(0x7f) << 56;
            memcpy(sorted, keys, sizeof sorted);
            assert_int_equal(upsweep_sort_rows(handle, sorted, n, type, NULL, 1, index, 32, NULL),
                             UPSWEEP_OK);
            for (size_t i = 0; i < n; i++) {
                assert_true(index[i] < n && sorted[i] == keys[index[i]]);
                assert_true(i == 0 || sorted[i - 1] < sorted[i] ||
                            (sorted[i - 1] == sorted[i] && index[i - 1] < index[i]));
            }
        }
        upsweep_close(handle);
    }
}

static void test_many_rows(void **state)
{
    (void)state;
    enum { ROWS = 1000000 };
    uint16_t *keys = malloc(2 * ROWS * sizeof *keys);
    for (uint32_t i = 0; i < 2 * ROWS; i++) {
        keys[i] = (uint16_t)(i * 40503u >> 3);
    }
    uint16_t *copy = malloc(2 * ROWS * sizeof *copy);
    memcpy(copy, keys, 2 * ROWS * sizeof *copy);
    assert_int_equal(upsweep_sort_rows(u, keys, 2 * ROWS, UPSWEEP_U16, NULL, ROWS, NULL, 0, NULL),
                     UPSWEEP_OK);
    for (size_t i = 0; i < 2 * ROWS; i += 2) {
        uint16_t low = copy[i] < copy[i + 1] ? copy[i] : copy[i + 1];
        uint16_t high = copy[i] < copy[i + 1] ? copy[i + 1] : copy[i];
        assert_true(keys[i] == low && keys[i + 1] == high);
    }
    free(keys);
    free(copy);
}

/* ---- what rows give is what the calls on one array give ---- */

enum { RESULT_ROWS = 9, BEST = 300 };
static const size_t result_lengths[RESULT_ROWS] = {5, 70001, 0, 300, 65536, 130, 65537, 1, 4097};

typedef struct results {
    upsweep *u;
    upsweep_type type;
    size_t bytes, n;
    uint64_t begin[RESULT_ROWS + 1];
    unsigned char *in, *out, *want;
} results;

static void check_best_rows(const results *r, unsigned bits)
{
    size_t width = bits / 8, places = RESULT_ROWS * BEST;
    unsigned char *index = malloc(places * 8);
    uint64_t *one = malloc(BEST * sizeof *one);
    const upsweep_options o = {.size = sizeof o, .flags = UPSWEEP_LARGEST};
    memset(r->out, 0x33, places * r->bytes);
    assert_int_equal(upsweep_top_k_rows(r->u, r->in, r->n, r->type, r->begin, RESULT_ROWS, BEST,
                                        r->out, bits == 0 ? NULL : index, bits, &o),
                     UPSWEEP_OK);
    for (size_t row = 0; row < RESULT_ROWS; row++) {
        size_t n = result_lengths[row], k = n < BEST ? n : BEST;
        memset(r->want, 0, BEST * r->bytes);
        assert_int_equal(
            upsweep_top_k(r->u, r->in + r->begin[row] * r->bytes, n, k, r->type, r->want, one, &o),
            UPSWEEP_OK);
        assert_memory_equal(r->out + row * BEST * r->bytes, r->want, BEST * r->bytes);
        for (size_t i = 0; bits != 0 && i < BEST; i++) {
            uint64_t got = 0, want = i < k ? one[i] : UINT64_MAX >> (64 - bits);
            memcpy(&got, index + (row * BEST + i) * width, width);
            assert_true(got == want);
        }
    }
    free(one);
    free(index);
}

static void check_folds(const results *r, upsweep_op op)
{
    size_t bytes = upsweep_type_bytes(upsweep_reduce_type(r->type, op));
    uint64_t got[RESULT_ROWS], want = 0;
    assert_int_equal(
        upsweep_reduce_rows(r->u, r->in, r->n, r->type, r->begin, RESULT_ROWS, op, got, NULL),
        UPSWEEP_OK);
    memset(r->out, 0x33, r->n * r->bytes);
    assert_int_equal(
        upsweep_scan_rows(r->u, r->in, r->out, r->n, r->type, r->begin, RESULT_ROWS, op, NULL),
        UPSWEEP_OK);
    for (size_t row = 0; row < RESULT_ROWS; row++) {
        const unsigned char *in = r->in + r->begin[row] * r->bytes;
        size_t n = result_lengths[row];
        assert_int_equal(upsweep_reduce(r->u, in, n, r->type, op, &want, NULL), UPSWEEP_OK);
        assert_memory_equal((char *)got + row * bytes, &want, bytes);
        assert_int_equal(upsweep_scan(r->u, in, r->want, n, r->type, op, NULL), UPSWEEP_OK);
        assert_memory_equal(r->out + r->begin[row] * r->bytes, r->want, n * r->bytes);
    }
}

static void check_places(const results *r)
{
    uint32_t least[RESULT_ROWS];
    uint64_t greatest[RESULT_ROWS];
    assert_int_equal(
        upsweep_argmin_rows(r->u, r->in, r->n, r->type, r->begin, RESULT_ROWS, least, 32, NULL),
        UPSWEEP_OK);
    assert_int_equal(
        upsweep_argmax_rows(r->u, r->in, r->n, r->type, r->begin, RESULT_ROWS, greatest, 64, NULL),
        UPSWEEP_OK);
    for (size_t row = 0; row < RESULT_ROWS; row++) {
        const unsigned char *in = r->in + r->begin[row] * r->bytes;
        size_t low = SIZE_MAX, high = SIZE_MAX;
        if (result_lengths[row] > 0) {
            upsweep_argmin(r->u, in, result_lengths[row], r->type, &low, NULL);
            upsweep_argmax(r->u, in, result_lengths[row], r->type, &high, NULL);
        }
        assert_true(least[row] == (uint32_t)low && greatest[row] == high);
    }
}

static void test_results_of_rows(void **state)
{
    (void)state;
    for (unsigned run = 0; run < ISAS * 2; run++) {
        results r = {.u = handle_open(run / 2, run % 2 == 0 ? 1 : 3)};
        for (size_t row = 0; row < RESULT_ROWS; row++) {
            r.begin[row + 1] = r.begin[row] + result_lengths[row];
        }
        r.n = (size_t)r.begin[RESULT_ROWS];
        r.in = malloc(r.n * 8);
        r.out = malloc(r.n * 8);
        r.want = malloc(r.n * 8);
        for (upsweep_type t = UPSWEEP_U8; r.u != NULL && t <= UPSWEEP_F64; t++) {
            r.type = t;
            r.bytes = upsweep_type_bytes(t);
            input_fill(INPUT_UNIFORM, t, r.in, r.n, t + run);
            check_best_rows(&r, t % 3 * 32);
            check_best_rows(&r, (t + 1) % 3 * 32);
            check_folds(&r, UPSWEEP_SUM);
            check_folds(&r, t % 2 ? UPSWEEP_LEAST : UPSWEEP_GREATEST);
            check_places(&r);
        }
        free(r.in);
        free(r.out);
        free(r.want);
        upsweep_close(r.u);
    }
}

static void test_refusals_of_results(void **state)
{
    (void)state;
    uint32_t a[6] = {6, 5, 4, 3, 2, 1}, b[6], index[6];
    uint64_t sums[3];
    const uint64_t falls[] = {0, 4, 3, 6}, good[] = {1, 3, 3, 6};
    const uint8_t ids[6] = {0, 1, 2, 0, 1, 2};
#define GIVES(status, call) assert_int_equal(call, UPSWEEP_ERROR_##status)
    GIVES(ARGUMENT, upsweep_top_k_rows(u, a, 6, UPSWEEP_U32, NULL, 2, 4, b, NULL, 0, NULL));
    GIVES(ARGUMENT, upsweep_top_k_rows(u, a, 6, UPSWEEP_U32, NULL, 4, 1, b, NULL, 0, NULL));
    GIVES(ARGUMENT, upsweep_top_k_rows(u, a, 6, UPSWEEP_U32, NULL, 2, 1, NULL, NULL, 0, NULL));
    GIVES(ARGUMENT, upsweep_top_k_rows(u, a, 6, UPSWEEP_U32, NULL, 2, 1, b, index, 16, NULL));
    GIVES(ARGUMENT,
          upsweep_top_k_rows(u, a, 6, UPSWEEP_U32, good, 3, SIZE_MAX / 2, b, NULL, 0, NULL));
    GIVES(RANGE, upsweep_top_k_rows(u, a, 6, UPSWEEP_U32, falls, 3, 1, b, NULL, 0, NULL));
    assert_int_equal(upsweep_top_k_rows(u, a, 6, UPSWEEP_U32, NULL, 2, 0, NULL, NULL, 0, NULL),
                     UPSWEEP_OK);
    GIVES(ARGUMENT, upsweep_reduce_rows(u, a, 6, UPSWEEP_U32, NULL, 2, UPSWEEP_SUM, NULL, NULL));
    GIVES(ARGUMENT, upsweep_reduce_rows(u, a, 6, UPSWEEP_U32, NULL, 2, (upsweep_op)0, sums, NULL));
    GIVES(UNSUPPORTED, upsweep_reduce_rows(u, a, 6, UPSWEEP_F32, NULL, 2, UPSWEEP_XOR, sums, NULL));
    GIVES(RANGE, upsweep_reduce_rows(u, a, 6, UPSWEEP_U32, falls, 3, UPSWEEP_SUM, sums, NULL));
    GIVES(ARGUMENT, upsweep_argmin_rows(u, a, 6, UPSWEEP_U32, NULL, 2, NULL, 32, NULL));
    GIVES(ARGUMENT, upsweep_argmin_rows(u, a, 0, UPSWEEP_U32, NULL, 2, index, 32, NULL));
    GIVES(RANGE, upsweep_argmax_rows(u, a, 6, UPSWEEP_U32, falls, 3, index, 32, NULL));
    GIVES(ARGUMENT, upsweep_scan_rows(u, a, NULL, 6, UPSWEEP_U32, NULL, 2, UPSWEEP_SUM, NULL));
    GIVES(RANGE, upsweep_scan_rows(u, a, b, 6, UPSWEEP_U32, falls, 3, UPSWEEP_SUM, NULL));
    GIVES(ARGUMENT, upsweep_split_ids_index(u, ids, UPSWEEP_U8, 3, 6, 4, b, 32, 6, sums, NULL,
                                            NULL)); /* 6 + 3 * 3 places may be needed */
    GIVES(ARGUMENT,
          upsweep_split_ids_index(u, ids, UPSWEEP_U8, 3, 6, 0, b, 32, 6, NULL, NULL, NULL));
    GIVES(ARGUMENT,
          upsweep_split_ids_index(u, ids, UPSWEEP_I8, 3, 6, 1, b, 32, 6, NULL, NULL, NULL));
    GIVES(RANGE, upsweep_split_ids_index(u, ids, UPSWEEP_U8, 2, 6, 1, b, 32, 6, NULL, NULL, NULL));
    const uint32_t want[6] = {0, 3, 1, 4, 2, 5};
    assert_int_equal(
        upsweep_split_ids_index(u, ids, UPSWEEP_U8, 3, 6, 1, b, 32, 6, NULL, sums, NULL),
        UPSWEEP_OK);
    assert_memory_equal(b, want, sizeof want);
    assert_true(sums[0] == 2 && sums[1] == 2 && sums[2] == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results_of_rows),
        cmocka_unit_test(test_refusals_of_results),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_long_rows),
        cmocka_unit_test(test_long_rows_with_index),
        cmocka_unit_test(test_tied_rows),
        cmocka_unit_test(test_many_rows),
    };
    upsweep_config config = {.size = sizeof config, .threads = 3};
    if (upsweep_open(&u, "cpu", &config) != UPSWEEP_OK) {
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    upsweep_close(u);
    return failed;
}
