/* test_short_sorts.c - arrays that threads share only if that was faster of late. */
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
        u->shares_early = true; /* as on a machine of two cores and more, in a release */
        u->threads_least = 1;
        u->tuning.thread_bytes = USW_EARLY_BYTES;
        for (unsigned kind = 0; kind < 4; kind++) {
            size_t n = ((size_t)USW_EARLY_BYTES >> 2) << kind, shared = 0;
            for (unsigned turn = 0; turn < (kind == 3 ? 3 : TURNS); turn++) {
                if (turn == 2 && kind < 3) { /* so much slower that no real time tells */
                    unsigned band = (n >= MOST / 2) + (n >= MOST / 4);
                    u->sharing[1 + USW_LIKE_SORTING * USW_BANDS + band].ns[slower] = UINT64_C(1)
                                                                                     << 60;
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_short_sorts)};
    return cmocka_run_group_tests_name("short sorts", tests, NULL, NULL);
}
