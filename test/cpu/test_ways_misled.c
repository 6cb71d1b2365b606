/* test_ways_misled.c - all types on all instruction sets, where a sample tells lies: the keys at
 * the places that a selection looks at are unlike all others. The test `routes` tells which ways
 * there are, and that none is missed. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above first. */
#include <cmocka.h>

#include "core/frame.h"
#include "cpu/selection/select.h"
#include "test/shared/ways.h"

/* Sets lies[i] to whether a sample of `wanted` of n keys looks at place i: the library's own sample
 * of the numbers of the places, as which ones it takes depends on n and `wanted` alone. */
static void find_places(upsweep *u, size_t n, size_t wanted, unsigned char *lies)
{
    uint64_t sample[USW_SAMPLE_MAX], *numbers = malloc(n * sizeof *numbers);
    usw_keymap map = usw_keymap_of(UPSWEEP_U64, 0);
    assert_non_null(numbers);
    for (size_t i = 0; i < n; i++) {
        numbers[i] = i;
    }
    memset(lies, 0, n);
    size_t count = usw_sample_keys(u, numbers, n, &map, wanted, sample);
    for (size_t s = 0; s < count; s++) {
        lies[sample[s]] = 1;
    }
    free(numbers);
}

/* Fills n keys at random, and puts the least or the greatest of a thousand of them where `lies`
 * says so. */
static void fill_misleading(upsweep_type type, char *keys, size_t n, const unsigned char *lies,
                            bool greatest)
{
    size_t bytes = upsweep_type_bytes(type);
    char lie[8];
    fill(INPUT_UNIFORM, type, keys, n);
    memcpy(lie, keys, bytes);
    for (size_t i = 1; i < 1000; i++) {
        int order = oracle_order(type, 0, keys + i * bytes, lie);
        if (greatest ? order > 0 : order < 0) {
            memcpy(lie, keys + i * bytes, bytes);
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (lies[i]) {
            memcpy(keys + i * bytes, lie, bytes);
        }
    }
}

enum { N = 150000 };

typedef struct arrays {
    unsigned char lies[N];
    char before[N * 8], keys[N * 8], sorted[N * 8];
    uint64_t index[N];
} arrays;

/* ---- the k-th key ---- */

/* After a sample that lies comes one key of another, and if that leaves more than half of the keys,
 * the middle third of them: which of these it is hangs on where k lies, so many are tried. */
static void try_nth(upsweep *u, unsigned isa, upsweep_type type, arrays *a)
{
    size_t bytes = upsweep_type_bytes(type);
    const char *wrong = NULL;
    find_places(u, N, ((size_t)1 << (usw_log2_up(N) * 2 / 3)) / 2, a->lies);
    for (unsigned k = 0; k < 20; k++) {
        size_t nth = N / 2 + (size_t)k * (N / 60);
        fill_misleading(type, a->before, N, a->lies, k % 2 == 0);
        memcpy(a->keys, a->before, N * bytes);
        assert_int_equal(upsweep_nth_element(u, a->keys, N, nth, type, NULL), UPSWEEP_OK);
        wrong = oracle_same_keys(a->before, a->keys, N, bytes);
        for (size_t i = 0; wrong == NULL && i < N; i++) {
            int order = oracle_order(type, 0, a->keys + i * bytes, a->keys + nth * bytes);
            wrong = i < nth ? (order > 0 ? "a greater key before the k-th" : NULL)
                            : (order < 0 ? "a lesser key behind the k-th" : NULL);
        }
        require(wrong, "nth_element", isa, type, k);
    }
}

/* ---- the best keys ---- */

static void try_top(upsweep *u, unsigned isa, upsweep_type type, arrays *a)
{
    enum { K = 3000 };
    size_t bytes = upsweep_type_bytes(type);
    find_places(u, N, N / 128, a->lies);
    for (unsigned k = 0; k < 4; k++) {
        uint64_t *index = k / 2 == 0 ? NULL : a->index;
        fill_misleading(type, a->before, N, a->lies, k % 2 == 0);
        memcpy(a->sorted, a->before, N * bytes);
        assert_int_equal(upsweep_sort(u, a->sorted, N, type, NULL), UPSWEEP_OK);
        assert_int_equal(upsweep_top_k(u, a->before, N, K, type, a->keys, index, NULL), UPSWEEP_OK);
        for (size_t i = 0; i < K; i++) {
            const char *key = a->keys + i * bytes;
            bool same = oracle_order(type, 0, key, a->sorted + i * bytes) == 0 &&
                        (index == NULL || memcmp(a->before + index[i] * bytes, key, bytes) == 0);
            require(same ? NULL : "a key is not of the best", "top_k", isa, type, k);
        }
    }
}

static void test_misled(void **state)
{
    (void)state;
    arrays *a = malloc(sizeof *a);
    assert_non_null(a);
    for (unsigned isa = 0; isa < ISAS; isa++) {
        upsweep *u = handle_open(isa, 2);
        for (unsigned type = UPSWEEP_U8; u != NULL && type <= UPSWEEP_F64; type++) {
            try_nth(u, isa, (upsweep_type)type, a);
            try_top(u, isa, (upsweep_type)type, a);
        }
        upsweep_close(u);
    }
    free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_misled)};
    return cmocka_run_group_tests_name("ways of samples that mislead", tests, NULL, NULL);
}
