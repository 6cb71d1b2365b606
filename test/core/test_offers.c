/* test_offers.c - how many threads a call gets: by its work, and where that leaves a doubt by what
 * was faster of late. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>

#include "test/shared/calls.h"
#include "core/frame.h"

enum { MOST = 1 << 23 };
static uint32_t in[MOST], out[MOST];

static upsweep_status sum(upsweep *u, size_t n)
{
    uint64_t result;
    return upsweep_reduce(u, in, n, UPSWEEP_U32, UPSWEEP_SUM, &result, NULL);
}

static upsweep_status runs(upsweep *u, size_t n)
{
    size_t kept;
    return upsweep_unique(u, out, n, UPSWEEP_U32, &kept, NULL);
}

static upsweep_status scan(upsweep *u, size_t n)
{
    return upsweep_scan(u, in, out, n, UPSWEEP_U32, UPSWEEP_SUM, NULL);
}

static upsweep_status reverse(upsweep *u, size_t n)
{
    return upsweep_reverse_copy(u, in, out, n, 4, NULL);
}

static upsweep_status best(upsweep *u, size_t n)
{
    return upsweep_top_k(u, in, n, 10, UPSWEEP_U32, out, NULL, NULL);
}

static upsweep_status rows(upsweep *u, size_t n)
{
    return upsweep_sort_rows(u, out, n, UPSWEEP_U32, NULL, n / 32, NULL, 0, NULL);
}

static upsweep_status order(upsweep *u, size_t n)
{
    return upsweep_argsort(u, in, n, UPSWEEP_U32, out, 32, NULL);
}

/* From how many elements on a call is shared: the more the cheaper one is. */
static const struct {
    upsweep_status (*call)(upsweep *u, size_t n);
    size_t shared;
} calls[] = {{sum, 1 << 19},  {runs, 1 << 19}, {scan, 1 << 19}, {reverse, 1 << 19},
             {best, 1 << 19}, {rows, 1 << 16}, {order, 1 << 16}};
enum { CALLS = sizeof calls / sizeof *calls };

static unsigned threads_of(upsweep *u, size_t c, size_t n)
{
    upsweep_report report = UPSWEEP_REPORT_INIT;
    assert_int_equal(calls[c].call(u, n), UPSWEEP_OK);
    upsweep_last_report(u, &report);
    return report.threads;
}

/* A handle of eight threads that gives them as a release does on a machine with so many cores. */
static upsweep *open_eight(bool early)
{
    upsweep *u;
    upsweep_config config = {.threads = 8};
    assert_int_equal(upsweep_open(&u, "cpu", &config), UPSWEEP_OK);
    u->threads_least = 1;
    u->tuning.thread_bytes = USW_EARLY_BYTES;
    u->shares_early = early;
    return u;
}

static void by_work(void **state)
{
    (void)state;
    upsweep *u = open_eight(false);
    for (size_t c = 0; c < CALLS; c++) {
        size_t n = calls[c].shared;
        for (size_t few = 32; few < n; few *= 2) {
            assert_int_equal(threads_of(u, c, few), 1);
        }
        assert_int_equal(threads_of(u, c, n - 64), 1);
        assert_int_equal(threads_of(u, c, n), 4);
        assert_int_equal(threads_of(u, c, n + n / 2), 4); /* the root grows slowly */
        assert_int_equal(threads_of(u, c, 2 * n), 5);
        assert_int_equal(threads_of(u, c, 4 * n), 8);
        assert_int_equal(threads_of(u, c, 8 * n), 8);
    }
    upsweep_close(u);
}

/* In doubt by one, then shared, then as it was faster, but the second of these, which tells whether
 * a call was only held up; each kind of call by itself. */
static void in_doubt(void **state)
{
    (void)state;
    for (unsigned slower = 0; slower < 2; slower++) {
        for (size_t c = 0; c < CALLS; c++) {
            upsweep *u = open_eight(true);
            size_t n = calls[c].shared;
            assert_int_equal(threads_of(u, c, n / 2), 1);
            assert_int_equal(threads_of(u, c, n), 1);
            assert_int_equal(threads_of(u, c, n), 4); /* that starts the threads, */
            assert_int_equal(threads_of(u, c, n), 4); /* and that tells how long they take */
            assert_int_equal(threads_of(u, (c + 3) % CALLS, calls[(c + 3) % CALLS].shared), 1);
            for (unsigned k = 0; k < USW_SHARED_WORKS; k++) { /* no real time is so long */
                u->sharing[k].ns[slower] = UINT64_C(1) << 60;
            }
            assert_int_equal(threads_of(u, c, n), slower == 1 ? 1 : 4);
            bool started = u->pool != NULL; /* else a shared call has had nothing to share */
            assert_int_equal(threads_of(u, c, n + n / 8), slower == 1 || !started ? 4 : 1);
            assert_int_equal(threads_of(u, c, 8 * n), 8); /* no doubt */
            upsweep_close(u);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_work), cmocka_unit_test(in_doubt)};
    return cmocka_run_group_tests_name("offers", tests, NULL, NULL);
}
