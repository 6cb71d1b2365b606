/* test_gpu.c - every call of the table on a GPU gives the bytes that the CPU gives: with arrays of
 * the host, of the device, misaligned ones and a mixture; a plan tells the scratch and touches
 * nothing. Runs on the emulated plugin (ctest) or on the real one (make check-gpu), whichever
 * UPSWEEP_CUDA_PLUGIN names. A form that is not there is counted as left out, and said. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/calls.h"
#include "test/shared/device.h"
#include "test/shared/handles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { ARENA_BYTES = 256 << 20, RESULT_BYTES = 6 * 256 };
typedef enum where { HOST, DEVICE, MISALIGNED, MIXED, WHERES } where;
static const char *const where_names[WHERES] = {"host arrays", "device arrays",
                                                "misaligned device arrays", "mixed arrays"};

static upsweep *plan;
static unsigned long ran, left_out;
static upsweep_report last_report = UPSWEEP_REPORT_INIT; /* of run_where */

static void complain(const job *j, where w, const char *wrong)
{
    fail_msg("%s variant %u, %s: n = %zu, type %s, %s, seed %llu: %s", j->call->name, j->variant,
             where_names[w], j->n, upsweep_type_name(j->type), input_name(j->pattern),
             (unsigned long long)j->seed, wrong);
}

/* Runs the job with its arrays where w says. The results come back into the job. */
static upsweep_status run_where(upsweep *u, job *j, where w)
{
    void *home[JOB_ARRAYS] = {NULL};
    for (unsigned i = 0; i < j->arrays && w != HOST; i++) {
        guarded *g = &j->array[i].g;
        if (w == MIXED && (i + j->seed) % 2 == 0) {
            continue;
        }
        size_t offset = w != MISALIGNED ? 0 : i == 0 ? upsweep_type_bytes(j->type) : 8;
        home[i] = g->at;
        g->at = device_take(g->bytes, offset);
        device_put(g->at, home[i], g->bytes);
    }
    j->copy = w == HOST ? j->copy : device_copy;
    upsweep_status status = j->call->run(u, j);
    upsweep_last_report(u, &last_report);
    upsweep_status waited = upsweep_wait(u);
    for (unsigned i = 0; i < j->arrays; i++) {
        guarded *g = &j->array[i].g;
        if (home[i] != NULL) {
            device_get(home[i], g->at, g->bytes);
            g->at = home[i];
        }
    }
    if (w != HOST && !device_intact()) {
        complain(j, w, "something was written outside an array");
    }
    device_reset();
    return status == UPSWEEP_OK ? waited : status;
}

/* Whether a refusal is for want of a form, or of memory in place, on the GPU. */
static bool for_want_of_form(upsweep_status status)
{
    const char *why = upsweep_error(gpu);
    return status == UPSWEEP_ERROR_UNSUPPORTED && (strstr(why, "no form on the GPU") != NULL ||
                                                   strstr(why, "in place on the GPU") != NULL);
}

/* The plan of the call: no array changes, and the scratch is that of the call just run on the
 * device, up to the places of results that were the host's. */
static void check_plan(const job *done, size_t scratch)
{
    job j, fresh;
    upsweep_report report = UPSWEEP_REPORT_INIT;
    assert_true(
        job_start(&j, done->call, done->variant, done->n, done->type, done->pattern, done->seed));
    assert_true(job_start(&fresh, done->call, done->variant, done->n, done->type, done->pattern,
                          done->seed));
    bool in_place = strstr(done->call->name, "in place") != NULL; /* run copies the input first */
    upsweep_status status = j.call->run(plan, &j);
    if (status != UPSWEEP_OK) {
        complain(&j, DEVICE, upsweep_error(plan));
    }
    if (!in_place && !job_same(&j, &fresh)) {
        complain(&j, DEVICE, "a plan changed an array or a result");
    }
    upsweep_last_report(plan, &report);
    if (strncmp(last_report.device, "cuda", 4) == 0 && strcmp(report.device, "cuda:plan") != 0) {
        complain(&j, DEVICE, "the plan did not get as far as the GPU");
    }
    if (scratch > report.scratch_bytes + RESULT_BYTES) {
        fprintf(stderr, "planned %zu, used %zu\n", report.scratch_bytes, scratch);
        complain(&j, DEVICE, "the call took more scratch than planned");
    }
    job_free(&j);
    job_free(&fresh);
}

static void try_where(const job *expected, where w)
{
    job j;
    if (test_small()) {
        upsweep_trim(gpu); /* new scratch, of which a sanitizer knows that nothing wrote to it */
    }
    assert_true(job_start(&j, expected->call, expected->variant, expected->n, expected->type,
                          expected->pattern, expected->seed));
    upsweep_status status = run_where(gpu, &j, w);
    if (call_has_function(j.call) && w != HOST && (w != MIXED || status != UPSWEEP_OK)) {
        if (status != UPSWEEP_ERROR_UNSUPPORTED ||
            strstr(upsweep_error(gpu), "computes on the CPU") == NULL) {
            complain(&j, w, "a caller's function was let loose on device memory");
        }
        job_free(&j);
        return;
    }
    if (for_want_of_form(status)) {
        left_out++;
        job_free(&j);
        return;
    }
    ran++;
    if (status != UPSWEEP_OK) {
        complain(&j, w, upsweep_error(gpu));
    }
    if (!job_same(expected, &j)) {
        const char *wrong = job_wrong(&j);
        /* nth_element promises what stands on either side of the k-th key, not where. */
        bool one_outcome = strcmp(j.call->name, "upsweep_nth_element") != 0;
        if (wrong != NULL || one_outcome) {
            complain(&j, w, wrong != NULL ? wrong : "other bytes than on the CPU");
        }
    }
    job_free(&j);
}

static bool try_job(const call *c, unsigned variant, size_t n, upsweep_type type, unsigned pattern,
                    uint64_t seed)
{
    job expected;
    if (!job_start(&expected, c, variant, n, type, pattern, seed)) {
        return false;
    }
    assert_int_equal(c->run(cpu, &expected), UPSWEEP_OK);
    /* Else every other place in turn, and for long arrays always the one with forms of its own. */
    const bool all = test_thorough() || !device_is_emulated();
    for (unsigned w = 0; w < WHERES; w++) {
        const bool in_turn = (w + seed + seed / 8) % 2 == 0 || (w == MISALIGNED && n > 20000);
        if (!test_small() ? all || in_turn
                          : w == (seed % 4 == 0   ? HOST
                                  : seed % 2 == 0 ? MISALIGNED
                                                  : DEVICE)) {
            try_where(&expected, (where)w);
        }
    }
    job_free(&expected);
    return true;
}

static void test_call(void **state)
{
    const call *c = *state;
    static const size_t sizes[] = {0, 1, 2, 17, 33, 257, 1000, 4097, 16385, 70001};
    unsigned long jobs = 0, most = device_is_emulated() ? 8 : 10, left = 0;
    const bool fewer = device_is_emulated() && !test_thorough();
    const unsigned one_in = !device_is_emulated() ? 2 : test_thorough() ? 7 : 13; /* of long ones */
    ran = left_out = 0;
    for (unsigned variant = 0; variant < c->variants; variant++) {
        for (unsigned type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
            for (size_t s = 0; s < most; s++) {
                unsigned turn = variant + type + (unsigned)s;
                if ((sizes[s] > 300 && turn % one_in != 0) ||
                    (sizes[s] > 1 && sizes[s] < 100 && fewer && turn % 2 != 0) ||
                    (test_small() && jobs > variant && !input_one_in(11, ++left))) {
                    continue;
                }
                unsigned pattern = (unsigned)(jobs % INPUT_PATTERNS);
                jobs += try_job(c, variant, sizes[s], (upsweep_type)type, pattern, jobs + 1);
            }
        }
    }
    assert_true(jobs > 0);
    printf("%s: %lu runs, %lu left out for want of a form\n", c->name, ran, left_out);
    if (ran == 0 && !call_has_function(c)) {
        skip();
    }
}

/* Long enough for many blocks; on a real GPU for all of them. */
static void test_long(void **state)
{
    const call *c = *state;
    static const upsweep_type types[] = {UPSWEEP_U32, UPSWEEP_F64, UPSWEEP_U8, UPSWEEP_I16};
    size_t n = device_is_emulated() ? 50001 : test_small() ? 600011 : 300017;
    for (unsigned variant = 0; variant < (test_small() ? 1 : c->variants); variant++) {
        for (unsigned t = 0; t < (device_is_emulated() || test_small() ? 1 : 4); t++) {
            upsweep_type type = types[(variant + t) % 4];
            try_job(c, variant, n, type, (variant + t) % INPUT_PATTERNS, variant);
        }
    }
}

/* Other sizes each time: up to 2^20 elements, short ones as often as long ones. */
static void test_random_sizes(void **state)
{
    const call *c = *state;
    const char *wish = getenv("UPSWEEP_TEST_SEED");
    uint64_t seed = wish != NULL ? strtoull(wish, NULL, 10) : (uint64_t)time(NULL), random = seed;
    unsigned jobs = 0, bits = device_is_emulated() || test_small() ? 12 : 20;
    printf("UPSWEEP_TEST_SEED=%llu\n", (unsigned long long)seed);
    for (unsigned turn = 0; turn < 200 && jobs < (bits == 12 ? 2 : 8); turn++) {
        uint64_t r = input_random(&random);
        size_t n = (size_t)(input_random(&random) >> (63 - r % bits));
        jobs += try_job(c, (unsigned)(r >> 8) % c->variants, n,
                        (upsweep_type)(UPSWEEP_U8 + (r >> 16) % UPSWEEP_F64),
                        (unsigned)(r >> 24) % INPUT_PATTERNS, r >> 32);
    }
    assert_true(jobs > 0);
}

static void test_plan(void **state)
{
    const call *c = *state;
    static const size_t sizes[] = {0, 1, 300, 20000};
    unsigned long plans = 0;
    if (call_has_function(c)) {
        return;
    }
    for (unsigned variant = 0; variant < c->variants && !test_small(); variant++) {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            job j;
            upsweep_type type = variant % 2 ? UPSWEEP_U64 : UPSWEEP_U16;
            if (!job_start(&j, c, variant, sizes[s], type, INPUT_UNIFORM, s) &&
                !job_start(&j, c, variant, sizes[s], UPSWEEP_U8, INPUT_UNIFORM, s)) {
                continue;
            }
            upsweep_status status = run_where(gpu, &j, DEVICE);
            if (!for_want_of_form(status)) {
                assert_int_equal(status, UPSWEEP_OK);
                check_plan(&j, last_report.scratch_bytes);
                plans++;
            }
            job_free(&j);
        }
    }
    if (plans == 0) {
        skip();
    }
}

static int start(void **state)
{
    const char *why;
    (void)state;
    int failed = device_group_start(ARENA_BYTES);
    return failed != 0 || upsweep_open_why(&plan, "cuda:plan", NULL, &why) != UPSWEEP_OK;
}

static int end(void **state)
{
    upsweep_close(plan);
    return device_group_end(state);
}

int main(void)
{
    enum { MOST = 200, KINDS = 4 };
    static const CMUnitTestFunction functions[KINDS] = {test_call, test_long, test_random_sizes,
                                                        test_plan};
    static const char *const kinds[KINDS] = {"all types and sizes", "long arrays", "random sizes",
                                             "plans"};
    struct CMUnitTest tests[MOST];
    char names[MOST][64];
    size_t count = 0;
    for (size_t i = 0; call_at(i) != NULL; i++) {
        for (int k = 0; k < KINDS && count < MOST && test_in_share(i); k++) {
            snprintf(names[count], sizeof names[count], "%s, %s", call_at(i)->name, kinds[k]);
            tests[count] = (struct CMUnitTest){names[count], functions[k], NULL, NULL,
                                               (void *)(uintptr_t)call_at(i)};
            count++;
        }
    }
    return _cmocka_run_group_tests("gpu", tests, count, start, end);
}
