/* test_scratch.c - the guards around scratch of builds for tests: a write before, behind or between
 * pieces, and one to a piece that was given back, ends the program; limits and reports are those of
 * a release. And the arena of a release by itself: pieces are aligned, apart from one another and
 * last until their mark is taken back. */
/* SPDX-License-Identifier: MIT */
#define USW_CHECKED /* as the library that tests link */
#include "core/frame.h"
#include "test/shared/handles.h"
#include "test/shared/inputs.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- a step that goes too far, in a process of its own ---- */

typedef void (*step)(upsweep *u, size_t bytes);

static void stays_inside(upsweep *u, size_t bytes)
{
    unsigned char *at = usw_scratch(u, bytes);
    usw_shares s = usw_scratch_shares(u, 3, bytes);
    memset(at, 1, bytes);
    for (size_t i = 0; i < 3; i++) {
        memset(usw_share(&s, i), 1, bytes);
    }
}

static void writes_behind(upsweep *u, size_t bytes)
{
    unsigned char *at = usw_scratch(u, bytes);
    at[bytes] = 1;
}

static void writes_before(upsweep *u, size_t bytes)
{
    unsigned char *at = usw_scratch(u, bytes);
    at[-1] = 1;
}

static void writes_between(upsweep *u, size_t bytes)
{
    usw_shares s = usw_scratch_shares(u, 3, bytes);
    unsigned char *second = usw_share(&s, 1);
    second[bytes] = 1;
}

static void writes_the_next(upsweep *u, size_t bytes)
{
    unsigned char *at = usw_scratch(u, bytes);
    at[bytes] = 1;
    (void)usw_scratch(u, 1); /* it is seen here: the call need not end */
    _exit(0);
}

static void forgets_a_mark(upsweep *u, size_t bytes)
{
    (void)usw_scratch(u, 1);
    usw_mark mark = usw_scratch_mark(u);
    unsigned char *at = usw_scratch(u, bytes);
    at[bytes] = 1;
    usw_scratch_reset(u, mark); /* and here */
    _exit(0);
}

static void reads_on(upsweep *u, size_t bytes)
{
    const volatile unsigned char *at = usw_scratch(u, bytes);
    (void)at[(bytes + 4095) / 4096 * 4096]; /* the end of its pages */
}

static void uses_what_is_gone(upsweep *u, size_t bytes)
{
    usw_mark mark = usw_scratch_mark(u);
    volatile unsigned char *at = usw_scratch(u, bytes);
    usw_scratch_reset(u, mark);
    at[0] = 1;
}

/* Runs the step within a call and returns the signal that ended it; 0: none did. */
static int outcome(step s, size_t bytes, const char *pages)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        upsweep *u = NULL;
        usw_options options;
        if (freopen("/dev/null", "w", stderr) == NULL) {
            _exit(2);
        }
        (void)signal(SIGSEGV, SIG_DFL); /* not cmocka's */
        setenv("UPSWEEP_CHECK_PAGES", pages, 1);
        if (upsweep_open(&u, "cpu", NULL) != UPSWEEP_OK ||
            usw_enter(u, NULL, 0, &options) != UPSWEEP_OK) {
            _exit(2);
        }
        s(u, bytes);
        (void)usw_leave(u, UPSWEEP_OK);
        upsweep_close(u);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void test_guards(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 63, 64, 65, 1000, 4096, 65535, 65536, 100001, 1 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int pages = 0; pages < 2; pages++) {
            const char *every = pages ? "1" : "0";
            assert_int_equal(outcome(stays_inside, sizes[i], every), 0);
            assert_int_not_equal(outcome(writes_behind, sizes[i], every), 0);
            assert_int_not_equal(outcome(writes_before, sizes[i], every), 0);
            assert_int_equal(outcome(writes_between, sizes[i], every), SIGABRT);
            assert_int_not_equal(outcome(writes_the_next, sizes[i], every), 0);
            assert_int_not_equal(outcome(forgets_a_mark, sizes[i], every), 0);
        }
        assert_int_equal(outcome(reads_on, sizes[i], "1"), SIGSEGV);
        assert_int_equal(outcome(uses_what_is_gone, sizes[i], "1"), SIGSEGV);
    }
}

/* What the guards take is neither counted nor asked of the caller's allocator. */
static void test_accounting(void **state)
{
    (void)state;
    books b = {0};
    upsweep *u = NULL;
    usw_options options;
    upsweep_report report = UPSWEEP_REPORT_INIT;
    assert_int_equal(handle_open_with_books(&u, &b, 2, 100000), UPSWEEP_OK);
    assert_int_equal(usw_enter(u, NULL, 0, &options), UPSWEEP_OK);
    assert_non_null(usw_scratch(u, 70));
    assert_non_null(usw_scratch(u, 64));
    assert_non_null(usw_scratch_shares(u, 3, 100).at);
    assert_int_equal(usw_scratch_left(u), 100000 - 128 - 64 - 320);
    assert_null(usw_scratch(u, 100001 - 512));
    assert_null(usw_scratch_shares(u, SIZE_MAX / 2, 4).at);
    assert_int_equal(usw_leave(u, UPSWEEP_OK), UPSWEEP_OK);
    upsweep_last_report(u, &report);
    assert_int_equal(report.scratch_bytes, 128 + 64 + 320);
    assert_int_equal(b.peak, 65536 + 4096); /* one block, and the page of its books */
    upsweep_close(u);
    assert_int_equal(b.live + b.strangers, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guards),
        cmocka_unit_test(test_accounting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
