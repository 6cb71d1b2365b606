/* test_pattern_steps.c - the loops that count values, and that look whether all keys are equal,
 * beside counting by hand, at every border of their blocks; and the words on what was found. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "test/shared/inputs.h"
#include "cpu/cpu.h"

static uint64_t state;
static uint64_t next(void)
{
    return input_random(&state);
}

/* Counting by hand what the vector loops count, around every block border. */
static void counts(void **unused)
{
    (void)unused;
    static const usw_pattern_steps *const parts[] = USW_ALL_ISAS(usw_pattern_steps);
    enum { N = 9000 };
    static uint64_t wide[N];
    static uint32_t slim[N];
    static const uint64_t sample[] = {9, 5, 9};
    static const usw_keymap as_is = {.bits = 64};
    for (int isa = 0; isa <= (int)usw_best_isa(); isa++) {
        for (size_t n = 1; n < N; n += 1 + n / 3) {
            for (unsigned w = 0; w < 2; w++) {
                usw_value_set few = {0};
                size_t count[USW_VALUES_MAX] = {0}, fives = 0;
                assert_true(parts[isa]->note_values(&few, sample, 3));
                assert_true(parts[isa]->hash_values(&few, 32U << w, &as_is));
                assert_int_equal(few.values, 2);
                for (size_t i = 0; i < n; i++) {
                    wide[i] = slim[i] = next() % 3 ? 9 : 5;
                    fives += wide[i] == 5;
                }
                void *keys = w == 0 ? (void *)slim : (void *)wide;
                assert_true(parts[isa]->count_values[2 + w](keys, n, &few, count));
                assert_int_equal(count[0], fives);
                assert_int_equal(count[0] + count[1], n);
                wide[n / 2] = slim[n / 2] = 7;
                assert_false(parts[isa]->count_values[2 + w](keys, n, &few, count));
                wide[n / 2] = slim[n / 2] = 9;
                wide[n - 1] = slim[n - 1] = 6;
                assert_false(parts[isa]->count_values[2 + w](keys, n, &few, count));
            }
        }
    }
}

/* 1 to 16 values of random keys counted, with a stranger whose product with the multiplier differs
 * from one of theirs in a bit, at each place of two blocks in turn. */
static void strangers(void **unused)
{
    (void)unused;
    static const usw_pattern_steps *const parts[] = USW_ALL_ISAS(usw_pattern_steps);
    enum { N = 2 * 480 + 7, PROBES = 64 };
    static const usw_keymap as_is = {.bits = 64};
    uint32_t keys[N];
    uint64_t sample[PROBES];
    for (int isa = 0; isa <= (int)usw_best_isa(); isa++) {
        for (size_t i = 0; i < N; i++) {
            size_t values = i % USW_VALUES_MAX + 1, count[USW_VALUES_MAX] = {0},
                   expected[USW_VALUES_MAX] = {0};
            usw_value_set few = {0};
            for (size_t k = 0; k < PROBES; k++) {
                sample[k] = k < values ? (uint32_t)next() : sample[k % values];
            }
            assert_true(parts[isa]->note_values(&few, sample, PROBES));
            assert_true(parts[isa]->hash_values(&few, 32, &as_is));
            for (size_t k = 0; k < N; k++) {
                size_t v = next() % few.values;
                keys[k] = (uint32_t)few.value[v];
                expected[v]++;
            }
            assert_true(parts[isa]->count_values[2](keys, N, &few, count));
            assert_memory_equal(count, expected, sizeof count);
            uint32_t odd = (uint32_t)few.multiplier, inverse = odd;
            for (unsigned turn = 0; turn < 4; turn++) {
                inverse *= 2 - odd * inverse;
            }
            assert_int_equal((uint32_t)(odd * inverse), 1);
            keys[i] = (keys[i] * odd ^ UINT32_C(1) << i % 32) * inverse;
            bool known = false;
            for (size_t v = 0; v < few.values; v++) {
                known = known || keys[i] == few.value[v];
            }
            assert_int_equal(parts[isa]->count_values[2](keys, N, &few, count), known);
        }
    }
}

/* All the same, but for one key at each place in turn: at every block border, and in each of the
 * four parts that are read by turns. */
static void same(void **unused)
{
    (void)unused;
    static bool (*const parts[])(const void *, size_t, unsigned) = USW_ALL_ISAS(usw_all_same);
    enum { MOST = 1024 * 1024 + 8 * 771 }; /* bytes */
    static const size_t sizes[] = {0, 1, 2, 63, 64, 511, 512, 513, 1024, 1700, 9001, 300008, MOST};
    unsigned char *keys = malloc(MOST);
    assert_non_null(keys);
    for (int isa = 0; isa <= (int)usw_best_isa(); isa++) {
        memset(keys, 7, MOST);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            for (unsigned w = 0; w < 4; w++) {
                size_t n = sizes[s] >> w, step = n < 5000 ? 1 : n / 29;
                assert_true(parts[isa](keys, n << w, w));
                for (size_t i = n; n > 1 && i > 0; i -= i > step ? step : i) { /* and the last */
                    keys[(i << w) - 1] = 8;
                    assert_false(parts[isa](keys, n << w, w));
                    keys[(i << w) - 1] = 7;
                }
            }
        }
    }
    free(keys);
}

/* Two threads ask for the same reason, which is put into words only then. */
static void late_words(void **unused)
{
    (void)unused;
    uint32_t keys[100];
    upsweep *u;
    upsweep_report a = UPSWEEP_REPORT_INIT, b = UPSWEEP_REPORT_INIT;
    assert_int_equal(upsweep_open(&u, "cpu", NULL), UPSWEEP_OK);
    for (uint32_t i = 0; i < 100; i++) {
        keys[i] = i;
    }
    assert_int_equal(upsweep_sort(u, keys, 100, UPSWEEP_U32, NULL), UPSWEEP_OK);
    upsweep_last_report(u, &a);
    upsweep_last_report(u, &b);
    assert_string_equal(a.reason, "100 keys were already in order");
    assert_string_equal(a.algorithm, "in order");
    assert_string_equal(a.reason, b.reason);
    keys[3] = 0;
    assert_int_equal(upsweep_sort(u, keys, 100, UPSWEEP_U32, NULL), UPSWEEP_OK);
    upsweep_last_report(u, &a);
    assert_string_equal(
        a.reason, "100 keys of 32 bits, 400 bytes, are sorted fastest by one thread in its cache");
    assert_string_equal(a.algorithm, "sort/quick");
    upsweep_close(u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts), cmocka_unit_test(strangers),
                                       cmocka_unit_test(same), cmocka_unit_test(late_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
