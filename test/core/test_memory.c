/* test_memory.c - memory that fails at the k-th request, for every k; limits on scratch; no block
 * lost, none released twice. A call must then do its work by other means, or say "memory" and leave
 * every array as it was. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "test/shared/calls.h"
#include "test/shared/handles.h"

static void complain(const job *j, unsigned long k, const char *wrong)
{
    fail_msg("%s variant %u: n = %zu, type %s, %s, request or limit %lu: %s", j->call->name,
             j->variant, j->n, upsweep_type_name(j->type), input_name(j->pattern), k, wrong);
}

/* Runs the job once with a failing allocator. Returns whether the failure was reached. The keys are
 * the same for every k: what differs is which request fails. */
static bool fail_once(const call *c, unsigned variant, size_t n, upsweep_type type, unsigned long k,
                      bool after)
{
    job j;
    upsweep *u;
    books b = {.fail_at = k, .fail_after = after};
    if (!job_start(&j, c, variant, n, type, INPUT_UNIFORM, 1)) {
        return false;
    }
    assert_int_equal(handle_open_with_books(&u, &b, 2, 0), UPSWEEP_OK);
    upsweep_status status = c->run(u, &j);
    if (status == UPSWEEP_ERROR_MEMORY) {
        if (!job_untouched(&j)) {
            complain(&j, k, "no memory, but an array has changed");
        }
        if (upsweep_error(u)[0] == '\0') {
            complain(&j, k, "no memory, and upsweep_error() says nothing");
        }
    } else if (status != UPSWEEP_OK) {
        complain(&j, k, upsweep_status_name(status));
    } else if (job_wrong(&j) != NULL) {
        complain(&j, k, job_wrong(&j));
    }
    bool reached = b.calls >= k;
    b.fail_at = 0; /* the handle must be as good as before */
    job again;
    assert_true(job_start(&again, c, variant, n, type, INPUT_UNIFORM, 2));
    status = c->run(u, &again);
    if (status != UPSWEEP_OK || job_wrong(&again) != NULL) {
        complain(&again, k, "the call after a failed one is wrong");
    }
    upsweep_close(u);
    if (b.live != 0 || b.strangers != 0) {
        complain(&j, k, b.live != 0 ? "a block is lost" : "the allocator was used wrongly");
    }
    job_free(&j);
    job_free(&again);
    return reached;
}

static void test_every_request(void **state)
{
    const call *c = *state;
    const size_t sizes[] = {1, 100, 5000, test_thorough() ? 150000 : 60000};
    static const upsweep_type types[] = {UPSWEEP_U8, UPSWEEP_U32, UPSWEEP_F64};
    const size_t one_in = test_small() ? 5 : test_thorough() ? 1 : 4;
    for (unsigned variant = 0; variant < c->variants; variant++) {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            for (size_t t = 0; t < 3; t++) {
                if ((sizes[s] > 10000 && (variant + t) % 3 != 0) ||
                    (variant + t + s) % one_in != 0) {
                    continue;
                }
                unsigned long k = 1;
                while (k < 1000 && fail_once(c, variant, sizes[s], types[t], k, false) &&
                       fail_once(c, variant, sizes[s], types[t], k, true)) {
                    k++;
                }
                assert_true(k < 1000);
            }
        }
    }
}

/* The handle never holds more than its limit (but for what keeps the books of each block), works
 * with less by other means, or says so. */
static void test_limits(void **state)
{
    const call *c = *state;
    for (unsigned variant = 0; variant < c->variants; variant++) {
        for (size_t limit = 1; limit < 8000000; limit = limit * (test_thorough() ? 5 : 9) + 100) {
            job j;
            upsweep *u;
            books b = {0};
            if (!job_start(&j, c, variant, 40000, variant % 2 ? UPSWEEP_U32 : UPSWEEP_U8,
                           INPUT_UNIFORM, 3)) {
                continue;
            }
            assert_int_equal(handle_open_with_books(&u, &b, 2, limit), UPSWEEP_OK);
            upsweep_status status = c->run(u, &j);
            const char *wrong = NULL;
            if (status == UPSWEEP_ERROR_MEMORY) {
                wrong = job_untouched(&j) ? NULL : "an array has changed";
            } else {
                wrong = status == UPSWEEP_OK ? job_wrong(&j) : upsweep_status_name(status);
            }
            if (b.peak > limit + b.calls * 4096) {
                wrong = "more scratch is held than allowed";
            }
            if (wrong != NULL) {
                complain(&j, limit, wrong);
            }
            upsweep_close(u);
            assert_int_equal(b.live, 0);
            assert_int_equal(b.strangers, 0);
            job_free(&j);
        }
    }
}

static void test_trim(void **state)
{
    (void)state;
    books b = {0};
    upsweep *u;
    upsweep_report report = UPSWEEP_REPORT_INIT;
    assert_int_equal(handle_open_with_books(&u, &b, 2, 0), UPSWEEP_OK);
    static uint32_t keys[100000];
    input_fill(INPUT_UNIFORM, UPSWEEP_U32, keys, 100000, 1);
    assert_int_equal(upsweep_sort(u, keys, 100000, UPSWEEP_U32, NULL), UPSWEEP_OK);
    upsweep_last_report(u, &report);
    assert_true(report.scratch_bytes <= b.held);
    unsigned long calls = b.calls;
    input_fill(INPUT_UNIFORM, UPSWEEP_U32, keys, 100000, 2);
    assert_int_equal(upsweep_sort(u, keys, 100000, UPSWEEP_U32, NULL), UPSWEEP_OK);
    assert_true(b.calls <= calls + 1); /* scratch is kept, at most made one block of */
    upsweep_trim(u);
    assert_int_equal(b.held, 0);
    assert_int_equal(b.live, 0);
    upsweep_trim(u);
    upsweep_close(u);
    assert_int_equal(b.strangers, 0);
}

int main(void)
{
    enum { MOST = 100 };
    struct CMUnitTest tests[MOST] = {cmocka_unit_test(test_trim)};
    char names[MOST][64];
    size_t count = 1;
    for (size_t i = 0; call_at(i) != NULL; i++) {
        for (int kind = 0; kind < 2 && count < MOST; kind++) {
            snprintf(names[count], sizeof names[count], "%s, %s", call_at(i)->name,
                     kind == 0 ? "every request failing" : "limits");
            tests[count] =
                (struct CMUnitTest){names[count], kind == 0 ? test_every_request : test_limits,
                                    NULL, NULL, (void *)(uintptr_t)call_at(i)};
            count++;
        }
    }
    return _cmocka_run_group_tests("memory", tests, count, NULL, NULL);
}
