/* test_pair_close_keys.c - argsort of files whose keys differ in so little, or of which so few bits
 * count, that words beside positions must be looked at again: beside a serial stable sort. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "test/shared/inputs.h"

static const char *const isas[] = {"portable", "avx2", "avx512"};
static const unsigned threads[] = {1, 2, 5};

static uint64_t state;
static uint64_t next(void)
{
    return input_random(&state);
}

typedef struct item {
    uint64_t rank;
    size_t place;
} item;

static int compare_items(const void *a, const void *b)
{
    const item *x = a, *y = b;
    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank)
                              : (x->place > y->place) - (x->place < y->place);
}

/* Few keys far above all others, which differ in so little that no word beside a position has it;
 * and keys of which only some bits count. */
static void close_keys(void **unused)
{
    (void)unused;
    enum { N = 20000, FILES = 8, FILE = N / FILES };
    static const unsigned steps[] = {0, 1, 3, 700};
    uint64_t *keys = malloc(N * sizeof *keys);
    uint32_t *index = malloc(N * sizeof *index);
    item *sorted = malloc(N * sizeof *sorted);
    for (unsigned turn = 0; turn < 24; turn++) {
        upsweep_config c = {.threads = threads[turn % 3]};
        upsweep_options o = {.bit_begin = turn < 12 ? 0 : 9, .bit_end = turn < 12 ? 0 : 61};
        upsweep *u;
        setenv("UPSWEEP_ISA", isas[turn / 4 % 3], 1);
        assert_int_equal(upsweep_open(&u, "cpu", &c), UPSWEEP_OK);
        for (size_t i = 0; i < N; i++) {
            uint64_t key = i % FILE * steps[turn % 4] / 2 + i / FILE;
            key = i % FILE == FILE - 1 ? UINT64_MAX >> 4 : key;
            keys[i] = turn < 12 ? key : key << 9 | next() % 512 | (turn < 18 ? 0 : next() << 61);
            sorted[i] = (item){turn < 12 ? key : key & UINT64_MAX >> 12, i};
        }
        qsort(sorted, N, sizeof *sorted, compare_items);
        assert_int_equal(upsweep_argsort(u, keys, N, UPSWEEP_U64, index, 32, &o), UPSWEEP_OK);
        for (size_t i = 0; i < N; i++) {
            assert_int_equal(index[i], sorted[i].place);
        }
        upsweep_close(u);
    }
    unsetenv("UPSWEEP_ISA");
    free(keys);
    free(index);
    free(sorted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(close_keys)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
