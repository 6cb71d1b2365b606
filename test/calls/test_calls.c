/* test_calls.c - every call of the table, in every variant, for every type, against the oracle; on
 * every instruction set, with one thread and with several, which must all give the same bytes. All
 * arrays lie between closed pages. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "test/shared/calls.h"
#include "test/shared/handles.h"

enum { HANDLES = 5 };
static upsweep *handles[HANDLES]; /* the first is portable and has one thread */
static const char *const handle_names[HANDLES] = {"portable, 1 thread", "portable, 3 threads",
                                                  "avx2, 1 thread", "avx512, 1 thread",
                                                  "avx512, 16 threads"};

static int open_handles(void **state)
{
    (void)state;
    const unsigned isas[HANDLES] = {0, 0, 1, 2, 2}, threads[HANDLES] = {1, 3, 1, 1, 16};
    for (int h = 0; h < HANDLES; h++) {
        handles[h] = handle_open(isas[h], threads[h]);
    }
    return 0;
}

static int close_handles(void **state)
{
    (void)state;
    for (int h = 0; h < HANDLES; h++) {
        upsweep_close(handles[h]);
    }
    return 0;
}

static void complain(const job *j, int handle, const char *wrong)
{
    fail_msg("%s variant %u (%s): n = %zu, type %s, %s, seed %llu: %s", j->call->name, j->variant,
             handle_names[handle], j->n, upsweep_type_name(j->type), input_name(j->pattern),
             (unsigned long long)j->seed, wrong);
}

/* Runs one job on all handles. */
static bool try_job(const call *c, unsigned variant, size_t n, upsweep_type type, unsigned pattern,
                    uint64_t seed)
{
    job first, other;
    if (!job_start(&first, c, variant, n, type, pattern, seed)) {
        return false;
    }
    upsweep_status status = c->run(handles[0], &first);
    if (status != UPSWEEP_OK) {
        complain(&first, 0, upsweep_status_name(status));
    }
    const char *wrong = job_wrong(&first);
    if (wrong != NULL) {
        complain(&first, 0, wrong);
    }
    for (int h = 1; h < HANDLES; h++) {
        if (handles[h] == NULL) {
            continue;
        }
        assert_true(job_start(&other, c, variant, n, type, pattern, seed));
        status = c->run(handles[h], &other);
        if (status != UPSWEEP_OK) {
            complain(&other, h, upsweep_status_name(status));
        }
        bool same = job_same(&first, &other);
        wrong = same && !other.kth_only ? NULL : job_wrong(&other);
        if (!same || wrong != NULL) {
            complain(&other, h, wrong != NULL ? wrong : "other bytes than with portable, 1 thread");
        }
        job_free(&other);
    }
    job_free(&first);
    return true;
}

static void test_call(void **state)
{
    const call *c = *state;
    static const size_t sizes[] = {0,  1,   2,   3,   5,    8,    16,   17,   31,    33,   64,
                                   65, 127, 256, 257, 1000, 4095, 4097, 8192, 16385, 70001};
    unsigned long jobs = 0;
    const unsigned one_in = test_thorough() ? 1 : 2; /* of those that are no short ones */
    for (unsigned variant = 0; variant < c->variants; variant++) {
        for (unsigned type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
            for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
                unsigned pattern = (unsigned)(jobs % INPUT_PATTERNS);
                if ((sizes[s] > 5000 && (variant + type + s) % 4 != 0) ||
                    (sizes[s] > 8 && (variant + type + s) % one_in != 0) ||
                    (test_small() && (sizes[s] > 5000 || (variant + type + s) % 5 != 0))) {
                    continue;
                }
                jobs += try_job(c, variant, sizes[s], (upsweep_type)type, pattern, jobs + 1);
            }
        }
    }
    assert_true(jobs > 0);
}

/* Long enough for several threads to have work, with a ragged end. */
static void test_long(void **state)
{
    const call *c = *state;
    unsigned long jobs = 0;
    size_t shortest = test_small() ? 66001 : test_thorough() ? 300007 : 270007;
    static const upsweep_type types[] = {UPSWEEP_U8, UPSWEEP_U32, UPSWEEP_F64, UPSWEEP_I16};
    for (unsigned variant = 0; variant < (test_small() ? 2 : c->variants); variant++) {
        size_t n = shortest + 4096 * variant;
        jobs += try_job(c, variant, n, types[variant % 4], variant % INPUT_PATTERNS, variant);
        jobs += jobs == 0 && try_job(c, variant, n, UPSWEEP_U8, INPUT_UNIFORM, variant);
    }
    assert_true(jobs > 0);
}

int main(void)
{
    enum { MOST = 100 };
    struct CMUnitTest tests[MOST];
    char names[MOST][64];
    size_t count = 0;
    for (size_t i = 0; call_at(i) != NULL; i++) {
        for (int size = 0; size < 2 && count < MOST; size++) {
            snprintf(names[count], sizeof names[count], "%s, %s", call_at(i)->name,
                     size == 0 ? "all types and sizes" : "long arrays");
            tests[count] = (struct CMUnitTest){names[count], size == 0 ? test_call : test_long,
                                               NULL, NULL, (void *)(uintptr_t)call_at(i)};
            count++;
        }
    }
    return _cmocka_run_group_tests("calls", tests, count, open_handles, close_handles);
}
