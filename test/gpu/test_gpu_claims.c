/* test_gpu_claims.c - the claims of the registry's rows, as test_claims.c has them, for their forms
 * on a GPU.
 *   stable         every element carries its place, as a value or in bits that are not looked at
 *   in-place       the scratch of a form that takes UPSWEEP_IN_PLACE does not grow with n
 *   oblivious      all inputs of zeros and ones are sorted
 *   deterministic  the same bytes again, on two handles, wherever the arrays lie
 * On the emulated plugin or the real one, as test_gpu.c. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/shared/calls.h"
#include "core/registry.h"
#include "test/shared/device.h"
#include "test/shared/handles.h"

enum { ARENA_BYTES = 1 << 20, KEYS_MOST = 200000 };

static upsweep *second, *plan;

/* Whether the call just made was done by the row's own form. */
static bool ran(const upsweep_algorithm *x)
{
    upsweep_report report = UPSWEEP_REPORT_INIT;
    upsweep_last_report(gpu, &report);
    return strcmp(report.algorithm, x->name) == 0 && strncmp(report.device, "cuda", 4) == 0;
}

/* Declined: the call says that this form does not do that on a GPU. */
static bool declined(upsweep *u, upsweep_status status)
{
    return status == UPSWEEP_ERROR_UNSUPPORTED && strstr(upsweep_error(u), "on the GPU") != NULL;
}

static size_t longest(const upsweep_algorithm *x)
{
    bool quadratic = upsweep_work(x, 50000) > 100000000;
    return device_is_emulated() || test_small() ? (quadratic ? 2051 : 9001)
                                                : (quadratic ? 20011 : KEYS_MOST);
}

/* ---- stable ---- */

/* Equal keys with their places as values. */
static bool pairs_are_stable(const upsweep_algorithm *x, size_t n, upsweep_type type)
{
    size_t bytes = upsweep_type_bytes(type);
    unsigned char *keys = malloc((n + 1) * bytes), *before = malloc((n + 1) * bytes);
    uint32_t *place = malloc((n + 1) * sizeof *place);
    upsweep_options o = {.algorithm = x->name};
    input_fill(INPUT_FEW_VALUES, type, keys, n, n);
    memcpy(before, keys, n * bytes);
    for (uint32_t i = 0; i < n; i++) {
        place[i] = i;
    }
    upsweep_status status = upsweep_sort_pairs(gpu, keys, place, n, type, sizeof *place, &o);
    bool done = status == UPSWEEP_OK && ran(x);
    if (status != UPSWEEP_OK && !declined(gpu, status)) {
        fail_msg("%s: n = %zu: %s", x->name, n, upsweep_error(gpu));
    }
    for (size_t i = 0; i < n && done; i++) {
        if (memcmp(keys + i * bytes, before + place[i] * bytes, bytes) != 0 ||
            (i > 0 && place[i - 1] > place[i] &&
             memcmp(keys + (i - 1) * bytes, keys + i * bytes, bytes) == 0)) {
            fail_msg("%s: n = %zu, type %s: equals changed places", x->name, n,
                     upsweep_type_name(type));
        }
    }
    free(keys);
    free(before);
    free(place);
    return done;
}

/* Keys of which only the upper bits are looked at; the lower ones are places. */
static bool bits_are_stable(const upsweep_algorithm *x, size_t n)
{
    uint32_t *keys = malloc((n + 1) * sizeof *keys);
    upsweep_options o = {.algorithm = x->name, .bit_begin = 20, .bit_end = 32};
    uint64_t random = n;
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = (uint32_t)(input_random(&random) % 5) << 20 | i;
    }
    bool done = upsweep_sort(gpu, keys, n, UPSWEEP_U32, &o) == UPSWEEP_OK && ran(x);
    for (size_t i = 1; i < n && done; i++) {
        if (keys[i - 1] >= keys[i]) {
            fail_msg("%s by bits: n = %zu: equals changed places", x->name, n);
        }
    }
    free(keys);
    return done;
}

/* Elements that are their places. */
static bool split_is_stable(const upsweep_algorithm *x, size_t n)
{
    uint32_t *in = malloc((n + 1) * sizeof *in), *out = malloc((n + 1) * sizeof *out);
    uint8_t *flags = malloc(n + 1);
    upsweep_options o = {.algorithm = x->name};
    uint64_t random = n;
    size_t zeros = 0;
    for (uint32_t i = 0; i < n; i++) {
        in[i] = i;
        flags[i] = (uint8_t)(input_random(&random) % 3);
    }
    assert_int_equal(upsweep_split(gpu, in, flags, out, n, sizeof *in, &zeros, &o), UPSWEEP_OK);
    for (size_t i = 0; i < n; i++) {
        bool low = i < zeros;
        if ((flags[out[i]] == 0) != low || (i > 0 && i != zeros && out[i - 1] >= out[i])) {
            fail_msg("%s: n = %zu: elements changed places", x->name, n);
        }
    }
    free(in);
    free(out);
    free(flags);
    return ran(x);
}

static void test_stable(void **state)
{
    const upsweep_algorithm *x = *state;
    static const upsweep_type types[] = {UPSWEEP_U8, UPSWEEP_I16, UPSWEEP_F32, UPSWEEP_U64};
    const size_t sizes[] = {2, 33, 100, 1000, 4097, longest(x)};
    unsigned long done = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (size_t t = 0; t < 4 && strcmp(x->operation, "sort") == 0; t++) {
            done += pairs_are_stable(x, sizes[s], types[t]);
        }
        done += strcmp(x->operation, "split") == 0  ? split_is_stable(x, sizes[s])
                : strcmp(x->operation, "sort") == 0 ? bits_are_stable(x, sizes[s])
                                                    : 0;
    }
    assert_true(done > 0);
}

/* ---- in place ---- */

static void test_in_place(void **state)
{
    const upsweep_algorithm *x = *state;
    upsweep_options o = {.algorithm = x->name, .flags = UPSWEEP_IN_PLACE};
    upsweep_report report = UPSWEEP_REPORT_INIT;
    for (size_t n = (size_t)1 << 20; n <= (size_t)1 << 26; n <<= 3) {
        upsweep_status status = upsweep_sort(plan, (void *)256, n, UPSWEEP_U64, &o);
        if (declined(plan, status)) {
            printf("%s\n", upsweep_error(plan));
            continue;
        }
        assert_int_equal(status, UPSWEEP_OK);
        upsweep_last_report(plan, &report);
        assert_string_equal(report.algorithm, x->name);
        assert_true(report.scratch_bytes <= (size_t)1 << 20);
    }
}

/* ---- oblivious ---- */

static void test_oblivious(void **state)
{
    const upsweep_algorithm *x = *state;
    upsweep_options o = {.algorithm = x->name};
    size_t most = device_is_emulated() || test_small() ? 6 : 11;
    uint32_t keys[2100];
    for (size_t n = 0; n <= most; n++) {
        for (uint32_t ones = 0; ones < (uint32_t)1 << n; ones++) {
            for (size_t i = 0; i < n; i++) {
                keys[i] = ones >> i & 1;
            }
            assert_int_equal(upsweep_sort(gpu, keys, n, UPSWEEP_U32, &o), UPSWEEP_OK);
            for (size_t i = 0; i < n; i++) {
                assert_int_equal(keys[i], i >= n - (size_t)__builtin_popcount(ones));
            }
        }
    }
    /* Beyond a block: the ones at the front, which must go farthest. */
    for (size_t n = 1000; n < 2100; n += 83) {
        for (size_t ones = 0; ones <= n; ones += n / 4) {
            for (size_t i = 0; i < n; i++) {
                keys[i] = i < ones;
            }
            assert_int_equal(upsweep_sort(gpu, keys, n, UPSWEEP_U32, &o), UPSWEEP_OK);
            for (size_t i = 0; i < n; i++) {
                assert_int_equal(keys[i], i >= n - ones);
            }
        }
    }
}

/* ---- deterministic ---- */

static void run_misaligned(upsweep *u, job *j, size_t offset)
{
    void *home[JOB_ARRAYS];
    for (unsigned i = 0; i < j->arrays; i++) {
        guarded *g = &j->array[i].g;
        home[i] = g->at;
        g->at = device_take(g->bytes, offset);
        device_put(g->at, home[i], g->bytes);
    }
    assert_int_equal(j->call->run(u, j), UPSWEEP_OK);
    assert_int_equal(upsweep_wait(u), UPSWEEP_OK);
    for (unsigned i = 0; i < j->arrays; i++) {
        guarded *g = &j->array[i].g;
        device_get(home[i], g->at, g->bytes);
        g->at = home[i];
    }
    assert_true(device_intact());
    device_reset();
}

static void test_deterministic(void **state)
{
    const upsweep_algorithm *x = *state;
    const call *c = call_of_operation(x->operation);
    static const upsweep_type types[] = {UPSWEEP_F32, UPSWEEP_U32, UPSWEEP_U8, UPSWEEP_F16};
    unsigned long jobs = 0;
    for (size_t t = 0; t < 4; t++) {
        job first, again;
        if (!job_start(&first, c, 0, longest(x), types[t], INPUT_ZIPF, 1)) {
            continue;
        }
        first.algorithm = x->name;
        assert_int_equal(c->run(gpu, &first), UPSWEEP_OK);
        assert_true(ran(x));
        for (size_t turn = 0; turn < 5; turn++) {
            assert_true(job_start(&again, c, 0, longest(x), types[t], INPUT_ZIPF, 1));
            again.algorithm = x->name;
            run_misaligned(turn % 2 ? second : gpu, &again, turn * 8);
            assert_true(job_same(&first, &again));
            job_free(&again);
        }
        job_free(&first);
        jobs++;
    }
    assert_true(jobs > 0);
}

/* ---- the table ---- */

static int start(void **state)
{
    const char *why;
    (void)state;
    int failed = device_group_start(ARENA_BYTES);
    return failed != 0 || upsweep_open_why(&plan, "cuda:plan", NULL, &why) != UPSWEEP_OK ||
           upsweep_open_why(&second, "cuda", NULL, &why) != UPSWEEP_OK;
}

static int end(void **state)
{
    upsweep_close(plan);
    upsweep_close(second);
    return device_group_end(state);
}

int main(void)
{
    enum { TESTS = 200 };
    static struct CMUnitTest tests[TESTS];
    static char names[TESTS][64];
    size_t count = 0;
    static const struct {
        unsigned claim;
        const char *name;
        CMUnitTestFunction test;
    } claims[] = {
        {UPSWEEP_CLAIM_STABLE, "is stable", test_stable},
        {UPSWEEP_CLAIM_IN_PLACE, "works in place", test_in_place},
        {UPSWEEP_CLAIM_OBLIVIOUS, "is oblivious", test_oblivious},
        {UPSWEEP_CLAIM_DETERMINISTIC, "is deterministic", test_deterministic},
    };
    for (size_t i = 0; usw_entry_at(i) != NULL; i++) {
        const usw_entry *e = usw_entry_at(i);
        const upsweep_algorithm *x = &e->row->info;
        bool sorts = strcmp(x->operation, "sort") == 0;
        for (size_t c = 0; c < 4 && count < TESTS; c++) {
            unsigned claim = claims[c].claim;
            bool of_sorts = claim == UPSWEEP_CLAIM_IN_PLACE || claim == UPSWEEP_CLAIM_OBLIVIOUS;
            if (!e->has_cuda || !(x->claims & claim) || call_of_operation(x->operation) == NULL ||
                (of_sorts && !sorts) || !test_in_share(i)) {
                continue;
            }
            snprintf(names[count], sizeof names[count], "%s %s", x->name, claims[c].name);
            tests[count] =
                (struct CMUnitTest){names[count], claims[c].test, NULL, NULL, (void *)(uintptr_t)x};
            count++;
        }
    }
    return _cmocka_run_group_tests("gpu_claims", tests, count, start, end);
}
