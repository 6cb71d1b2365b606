/* test_ways_pairs.c - all types on all instruction sets, where keys that carry something go ways
 * that they seldom go: payloads of all sizes, uneven keys, rows that all threads sort. The test
 * `routes` tells which ways there are, and that none is missed. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above first. */
#include <cmocka.h>

#include "test/shared/ways.h"

/* ---- keys that carry something ---- */

/* NULL, or what is wrong with index as the stable order of the keys. */
static const char *wrong_order(upsweep_type type, const char *keys, size_t n, const uint32_t *index)
{
    size_t bytes = upsweep_type_bytes(type);
    unsigned char *seen = calloc(n, 1);
    const char *wrong = seen == NULL ? "no memory" : NULL;
    for (size_t i = 0; wrong == NULL && i < n; i++) {
        if (index[i] >= n || seen[index[i]]++ != 0) {
            wrong = "the index is no permutation";
        } else if (i > 0) {
            int order = oracle_order(type, 0, keys + index[i - 1] * bytes, keys + index[i] * bytes);
            wrong = order > 0                                ? "keys out of order"
                    : order == 0 && index[i - 1] >= index[i] ? "equal keys out of order"
                                                             : NULL;
        }
    }
    free(seen);
    return wrong;
}

static void try_pairs(upsweep *u, unsigned isa, upsweep_type type, unsigned pattern, size_t n)
{
    static const size_t sizes[] = {1, 2, 4, 8, 16, 6};
    size_t bytes = upsweep_type_bytes(type);
    char *before = malloc(n * bytes), *keys = malloc(n * bytes);
    char *values = malloc(n * 16), *moved = malloc(n * 16);
    uint32_t *index = malloc(n * sizeof *index);
    uint64_t *wide = malloc(n * sizeof *wide);
    fill(pattern, type, before, n);
    assert_int_equal(upsweep_argsort(u, before, n, type, index, 32, NULL), UPSWEEP_OK);
    require(wrong_order(type, before, n, index), "argsort", isa, type, pattern);
    assert_int_equal(upsweep_argsort(u, before, n, type, wide, 64, NULL), UPSWEEP_OK);
    for (size_t i = 0; i < n; i++) {
        require(wide[i] == index[i] ? NULL : "64-bit indices differ", "argsort", isa, type,
                pattern);
    }
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t vb = sizes[s];
        input_fill_bytes(values, n * vb, s);
        memcpy(moved, values, n * vb);
        memcpy(keys, before, n * bytes);
        assert_int_equal(upsweep_sort_pairs(u, keys, moved, n, type, vb, NULL), UPSWEEP_OK);
        for (size_t i = 0; i < n; i++) {
            bool right = memcmp(keys + i * bytes, before + index[i] * bytes, bytes) == 0 &&
                         memcmp(moved + i * vb, values + index[i] * vb, vb) == 0;
            require(right ? NULL : "a pair is wrong", "sort_pairs", isa, type, pattern);
        }
    }
    free(wide);
    free(index);
    free(moved);
    free(values);
    free(keys);
    free(before);
}

static void test_pairs(void **state)
{
    (void)state;
    static const unsigned patterns[] = {INPUT_UNIFORM,         INPUT_ZIPF,    INPUT_TWO_CLUSTERS,
                                        INPUT_ONE_FULL_BUCKET, HALF_GREATEST, CLOSE};
    for (unsigned isa = 0; isa < ISAS; isa++) {
        for (unsigned threads = 1; threads <= 3; threads += 2) {
            upsweep *u = handle_open(isa, threads);
            for (unsigned type = UPSWEEP_U8; u != NULL && type <= UPSWEEP_F64; type++) {
                for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
                    size_t n = p == 1 || (p == 5 && threads == 3) ? 70001 : 9001;
                    try_pairs(u, isa, (upsweep_type)type, patterns[p], n);
                }
            }
            upsweep_close(u);
        }
    }
}

/* Rows that are too long for one core's cache: all threads sort each. */
static void try_rows(upsweep *u, unsigned isa, upsweep_type type, unsigned pattern)
{
    size_t bytes = upsweep_type_bytes(type), row = 256 * 1024 / bytes + 100;
    const uint64_t begin[] = {0, row, 2 * row + 7};
    size_t n = (size_t)begin[2];
    char *before = malloc(n * bytes), *keys = malloc(n * bytes);
    uint32_t *index = malloc(n * sizeof *index);
    uint64_t *wide = malloc(n * sizeof *wide);
    for (unsigned index_bits = 0; index_bits <= 64; index_bits += 32) {
        fill(pattern, type, before, n);
        memcpy(keys, before, n * bytes);
        void *to = index_bits == 0 ? NULL : index_bits == 32 ? (void *)index : (void *)wide;
        upsweep_status status = upsweep_sort_rows(u, keys, n, type, begin, 2, to, index_bits, NULL);
        require(status != UPSWEEP_OK ? upsweep_error(u) : NULL, "sort_rows", isa, type, pattern);
        for (size_t i = 0; index_bits == 64 && i < n; i++) {
            index[i] = (uint32_t)wide[i];
        }
        for (unsigned r = 0; r < 2; r++) {
            size_t at = (size_t)begin[r], m = (size_t)begin[r + 1] - at;
            require(oracle_sorted(type, 0, before + at * bytes, keys + at * bytes, m), "sort_rows",
                    isa, type, pattern);
            require(index_bits == 0 ? NULL : wrong_order(type, before + at * bytes, m, index + at),
                    "sort_rows", isa, type, pattern);
        }
    }
    free(wide);
    free(index);
    free(keys);
    free(before);
}

static void test_rows(void **state)
{
    (void)state;
    static const unsigned patterns[] = {INPUT_UNIFORM, INPUT_SORTED, INPUT_EQUAL};
    for (unsigned isa = 0; isa < ISAS; isa++) {
        upsweep *u = handle_open(isa, 2);
        for (unsigned type = UPSWEEP_U8; u != NULL && type <= UPSWEEP_F64; type++) {
            for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
                try_rows(u, isa, (upsweep_type)type, patterns[p]);
            }
        }
        upsweep_close(u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests_name("ways of pairs", tests, NULL, NULL);
}
