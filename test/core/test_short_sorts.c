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
 * shared, then as it was faster, but for the 2nd, 4th, 8th .. and one in 32; each of three sizes by
 * itself. Larger ones are always shared. */
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
                for (unsigned k = 0; turn >= 2 && kind < 3 && k < USW_SHARED_WORKS; k++) {
                    u->sharing[k].ns[slower] = UINT64_C(1) << 60; /* no real time is so long */
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
            unsigned least = kind == 3 ? 3 : slower ? 5 : TURNS - 7;
            assert_in_range(shared, least, least + 2);
        }
        assert_int_equal(upsweep_set_tuning(u, &tuning), UPSWEEP_OK);
        assert_false(u->shares_early);
        upsweep_close(u);
    }
    free(keys);
    free(before);
}

/* How many of 64 calls one thread makes, of which each takes 1000 ns, and 300 shared, but for one
 * that is held up. */
static unsigned made_alone(upsweep *u, unsigned held_up, bool shared_one)
{
    enum { CALLS = 64, KIND = 1, WORK = 1 };
    unsigned alone = 0, of_its_way[2] = {0, 0};
    u->sharing[KIND] = (usw_sharing){0};
    for (unsigned i = 0; i < CALLS; i++) {
        bool share = usw_may_share(u, KIND, WORK);
        bool slow = share == shared_one && of_its_way[share]++ == held_up;
        usw_note_time(u, KIND, WORK, share, slow ? 50000 : share ? 300 : 1000);
        alone += !share;
    }
    return alone;
}

/* One call that is held up, the first shared one above all, does not decide for those to come. */
static void test_held_up_once(void **state)
{
    (void)state;
    upsweep *u;
    assert_int_equal(upsweep_open(&u, "cpu", NULL), UPSWEEP_OK);
    for (unsigned held_up = 0; held_up < 8; held_up++) {
        assert_in_range(made_alone(u, held_up, true), 1, 12);
        assert_in_range(made_alone(u, held_up, false), 1, 12);
    }
    upsweep_close(u);
}

/* The number of the kind of call whose time was noted since `before`, or 0. */
static unsigned noted_since(const upsweep *u, const usw_sharing *before)
{
    for (unsigned k = 1; k < USW_SHARED_WORKS; k++) {
        if (memcmp(&u->sharing[k], &before[k], sizeof *before) != 0) {
            return k;
        }
    }
    return 0;
}

static upsweep *open_four(void)
{
    upsweep *u;
    upsweep_config four = {.threads = 4};
    assert_int_equal(upsweep_open(&u, "cpu", &four), UPSWEEP_OK);
    u->shares_early = true; /* as on a machine of two cores and more, in a release */
    u->threads_least = 1;
    u->tuning.thread_bytes = USW_EARLY_BYTES;
    return u;
}

/* Calls on one handle by turns, of which the first takes a third of the time if it is shared and
 * the others three times as long: each soon goes the way that is faster for it. */
static void test_kinds_by_turns(void **state)
{
    (void)state;
    enum { N = USW_EARLY_BYTES / 4, ROUNDS = 64, KINDS = 4 };
    static uint32_t keys[2 * N], index[2 * N];
    static usw_sharing before[USW_SHARED_WORKS];
    unsigned shared[KINDS] = {0};
    upsweep *u = open_four();
    for (unsigned turn = 0; turn < ROUNDS; turn++) {
        for (unsigned kind = 0; kind < KINDS; kind++) {
            memcpy(before, u->sharing, sizeof before);
            input_fill(INPUT_UNIFORM, UPSWEEP_U32, keys, 2 * N, turn);
            upsweep_status status =
                kind == 0   ? upsweep_sort(u, keys, N, UPSWEEP_U32, NULL)
                : kind == 1 ? upsweep_argsort(u, keys, N, UPSWEEP_U32, index, 32, NULL)
                : kind == 2 ? upsweep_sort_pairs(u, keys, index, N, UPSWEEP_U32, 4, NULL)
                            : upsweep_sort(u, keys, N, UPSWEEP_I32, NULL);
            upsweep_report report = UPSWEEP_REPORT_INIT;
            assert_int_equal(status, UPSWEEP_OK);
            upsweep_last_report(u, &report);
            bool is_shared = report.threads > 1;
            shared[kind] += is_shared;
            unsigned noted = noted_since(u, before);
            if (noted != 0) { /* not that which starts the threads */
                u->sharing[noted].ns[is_shared] = is_shared != (kind == 0) ? 3000 : 1000;
            }
        }
    }
    assert_in_range(shared[0], ROUNDS - 10, ROUNDS);
    for (unsigned kind = 1; kind < KINDS; kind++) {
        assert_in_range(shared[kind], 1, 10);
    }
    upsweep_close(u);
}

/* The call that starts a handle's threads is not taken for how long shared ones take. */
static void test_starting_threads(void **state)
{
    (void)state;
    enum { N = USW_EARLY_BYTES / 4 };
    static const usw_sharing none[USW_SHARED_WORKS];
    uint32_t *keys = malloc(N * sizeof *keys);
    upsweep *u = open_four();
    for (unsigned turn = 0; turn < 3; turn++) {
        assert_true(u->pool == NULL || turn > 1);
        input_fill(INPUT_UNIFORM, UPSWEEP_U32, keys, N, turn);
        assert_int_equal(upsweep_sort(u, keys, N, UPSWEEP_U32, NULL), UPSWEEP_OK);
        unsigned kind = noted_since(u, none);
        assert_true(kind != 0 && u->sharing[kind].ns[0] != 0);
        assert_int_equal(u->sharing[kind].ns[1] != 0, turn > 1);
    }
    upsweep_close(u);
    free(keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_sorts), cmocka_unit_test(test_held_up_once),
        cmocka_unit_test(test_kinds_by_turns), cmocka_unit_test(test_starting_threads)};
    return cmocka_run_group_tests_name("short sorts", tests, NULL, NULL);
}
