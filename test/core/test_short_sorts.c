/* test_short_sorts.c - sorts, folds and scans that threads share only if it was faster of late. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "test/shared/calls.h"
#include "core/frame.h"

/* Arrays from which threads pay where nothing else runs: the first by one thread, the second
 * shared, then as it was faster, but for one in 32; each of three sizes by itself. Larger ones are
 * always shared. */
static void test_short_sorts(void **state)
{
    (void)state;
    enum { MOST = 1 << 19, TURNS = 36 };
    uint32_t *keys = malloc(MOST * sizeof *keys), *before = malloc(MOST * sizeof *keys);
    upsweep_report report = UPSWEEP_REPORT_INIT;
    for (unsigned slower = 0; slower < 2; slower++) {
        upsweep *u;
        upsweep_config four = {.threads = 4};
        assert_int_equal(upsweep_open(&u, "cpu", &four), UPSWEEP_OK);
        upsweep_tuning tuning = UPSWEEP_TUNING_INIT;
        assert_int_equal(upsweep_get_tuning(u, &tuning), UPSWEEP_OK);
        assert_int_equal(tuning.thread_bytes,
                         usw_core_count() < 2 ? USW_SURE_BYTES : USW_EARLY_BYTES);
        u->shares_early = true; /* as on a machine of two cores and more */
        u->tuning.thread_bytes = USW_EARLY_BYTES;
        for (unsigned kind = 0; kind < 4; kind++) {
            size_t n = ((size_t)USW_EARLY_BYTES >> 2) << kind, shared = 0;
            for (unsigned turn = 0; turn < (kind == 3 ? 3 : TURNS); turn++) {
                if (turn == 2 && kind < 3) { /* so much slower that no real time tells */
                    u->sharing[USW_SHARED_SORTS + (n >= MOST / 2) + (n >= MOST / 4)].ns[slower] =
                        UINT64_C(1) << 60;
                }
                input_fill(INPUT_UNIFORM, UPSWEEP_U32, keys, n, turn);
                memcpy(before, keys, n * sizeof *keys);
                assert_int_equal(upsweep_sort(u, keys, n, UPSWEEP_U32, NULL), UPSWEEP_OK);
                if (turn < 3) {
                    assert_null(oracle_sorted(UPSWEEP_U32, 0, before, keys, n));
                }
                upsweep_last_report(u, &report);
                shared += report.threads > 1;
                assert_true(turn > 1 || kind == 3 || shared == turn);
            }
            unsigned least = kind == 3 ? 3 : slower ? 1 : TURNS - 4;
            assert_in_range(shared, least, least + 3);
        }
        assert_int_equal(upsweep_set_tuning(u, &tuning), UPSWEEP_OK);
        assert_false(u->shares_early);
        upsweep_close(u);
    }
    free(keys);
    free(before);
}

/* Sums, least elements, their places and both ends of more elements than one task takes go by the
 * same rule, in three sizes, too; those of 16 MB and more are always shared. */
static void test_short_folds(void **state)
{
    (void)state;
    enum { ONE_TASK = 64 * 4096, TURNS = 36, KINDS = 4, MOST = 4 << 20 };
    const size_t sizes[KINDS] = {1000 * 1000, (1 << 20) - 1, MOST - 1, MOST};
    uint8_t *bytes = calloc(MOST, sizeof(uint32_t));
    for (size_t i = 0; i < MOST; i++) {
        bytes[4 * i] = (uint8_t)(i % 251 + 1);
    }
    for (unsigned slower = 0; slower < 2; slower++) {
        upsweep *u;
        upsweep_config four = {.threads = 4};
        upsweep_report report = UPSWEEP_REPORT_INIT;
        assert_int_equal(upsweep_open(&u, "cpu", &four), UPSWEEP_OK);
        u->shares_early = true;
        for (unsigned kind = 0; kind < KINDS; kind++) {
            /* The first of a size by one byte an element, whose task has fewer bytes. */
            upsweep_type type = kind == 0 ? UPSWEEP_U8 : UPSWEEP_U32;
            size_t n = sizes[kind], shared = 0;
            uint64_t want = 0;
            for (size_t i = 0; i < n; i++) {
                want += kind == 0 ? bytes[i] : i % 251 + 1;
            }
            for (unsigned turn = 0; turn < (kind == 3 ? 4 : TURNS); turn++) {
                uint64_t sum = 0;
                uint32_t ends[2] = {9, 0};
                size_t at = 9;
                if (turn == 2 && kind < 3) { /* so much slower that no real time tells */
                    u->sharing[USW_SHARED_FOLDS + kind].ns[slower] = UINT64_C(1) << 60;
                }
                if (turn % 4 == 0) {
                    assert_int_equal(upsweep_reduce(u, bytes, n, type, UPSWEEP_SUM, &sum, NULL), 0);
                    assert_int_equal(sum, want);
                } else if (turn % 4 == 1) {
                    assert_int_equal(
                        upsweep_reduce(u, bytes, n, type, UPSWEEP_GREATEST, ends, NULL), 0);
                    assert_int_equal(ends[0] & 0xff, kind == 0 ? 9 + 242 : 251);
                } else if (turn % 4 == 2) {
                    assert_int_equal(upsweep_argmin(u, bytes, n, type, &at, NULL), 0);
                    assert_int_equal(at, kind == 0 ? 1 : 0);
                } else {
                    assert_int_equal(upsweep_minmax(u, bytes, n, type, &ends[0], &ends[1], NULL),
                                     0);
                    assert_int_equal(ends[1] & 0xff, 251);
                }
                upsweep_last_report(u, &report);
                shared += report.threads > 1;
                assert_true(turn > 1 || kind == 3 || shared == turn);
            }
            unsigned least = kind == 3 ? 4 : slower ? 1 : TURNS - 4;
            assert_in_range(shared, least, least + 3);
        }
        uint64_t sum;
        assert_int_equal(upsweep_reduce(u, bytes, ONE_TASK, UPSWEEP_U32, UPSWEEP_SUM, &sum, NULL),
                         0);
        assert_int_equal(u->sharing[USW_SHARED_FOLDS].turn + u->sharing[USW_SHARED_FOLDS + 1].turn,
                         2 * (TURNS - 2));
        upsweep_close(u);
    }
    free(bytes);
}

/* Scans, too, whose threads wait for one another in turn. */
static void test_short_scans(void **state)
{
    (void)state;
    enum { TURNS = 36, MOST = 4 << 20 };
    uint32_t *in = malloc(MOST * sizeof *in), *out = malloc(MOST * sizeof *out);
    for (size_t i = 0; i < MOST; i++) {
        in[i] = (uint32_t)(i % 251 + 1);
    }
    for (unsigned slower = 0; slower < 2; slower++) {
        upsweep *u;
        upsweep_config four = {.threads = 4};
        upsweep_report report = UPSWEEP_REPORT_INIT;
        assert_int_equal(upsweep_open(&u, "cpu", &four), UPSWEEP_OK);
        u->shares_early = true;
        for (unsigned kind = 0; kind < 4; kind++) {
            size_t n = kind == 0 ? 200000 : kind == 1 ? 500000 : kind == 2 ? MOST - 1 : MOST;
            size_t shared = 0;
            for (unsigned turn = 0; turn < (kind == 3 ? 3 : TURNS); turn++) {
                if (turn == 2 && kind < 3) {
                    u->sharing[USW_SHARED_SCANS + kind].ns[slower] = UINT64_C(1) << 60;
                }
                assert_int_equal(upsweep_scan(u, in, out, n, UPSWEEP_U32, UPSWEEP_SUM, NULL), 0);
                uint32_t sum = 0;
                for (size_t i = 0; i < n && turn < 3; i++) {
                    sum += in[i];
                    assert_true(out[i] == sum);
                }
                upsweep_last_report(u, &report);
                shared += report.threads > 1;
                assert_true(turn > 1 || kind == 3 || shared == turn);
            }
            unsigned least = kind == 3 ? 3 : slower ? 1 : TURNS - 4;
            assert_in_range(shared, least, least + 3);
        }
        upsweep_close(u);
    }
    free(in);
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_short_sorts),
                                       cmocka_unit_test(test_short_folds),
                                       cmocka_unit_test(test_short_scans)};
    return cmocka_run_group_tests_name("short sorts", tests, NULL, NULL);
}
