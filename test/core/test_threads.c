/* test_threads.c - handles and threads: one handle shared, a handle a thread, calls from within a
 * comparator, tasks and lanes, handles with more threads than there is work or processors. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/shared/calls.h"
#include "core/frame.h"
#include "test/shared/handles.h"

enum { THREADS = 4, ROUNDS_OF_CALLS = 12, KEYS = 60000 };

/* ---- callers side by side ---- */

typedef struct caller {
    upsweep *u; /* shared; NULL: the thread opens its own */
    uint64_t seed;
    const char *wrong;
} caller;

static const char *sort_and_sum(upsweep *u, uint64_t seed)
{
    job sort, sum;
    size_t n = test_small() ? KEYS / 5 : KEYS;
    const call *c = call_at(0), *d = c;
    for (size_t i = 0; strcmp(d->name, "upsweep_reduce") != 0; i++) {
        d = call_at(i);
    }
    upsweep_type type = seed % 2 ? UPSWEEP_U32 : UPSWEEP_I64;
    job_start(&sort, c, 0, n, type, (unsigned)(seed % INPUT_PATTERNS), seed);
    job_start(&sum, d, 0, n, type, 0, seed);
    const char *wrong = NULL;
    if (c->run(u, &sort) != UPSWEEP_OK || d->run(u, &sum) != UPSWEEP_OK) {
        wrong = "a call failed";
    }
    wrong = wrong != NULL ? wrong : job_wrong(&sort);
    wrong = wrong != NULL ? wrong : job_wrong(&sum);
    job_free(&sort);
    job_free(&sum);
    return wrong;
}

static void *call_often(void *argument)
{
    caller *c = argument;
    upsweep *own = c->u;
    upsweep_config config = {.threads = 2};
    if (own == NULL && upsweep_open(&own, NULL, &config) != UPSWEEP_OK) {
        c->wrong = "no handle";
        return NULL;
    }
    for (uint64_t i = 0; i < ROUNDS_OF_CALLS && c->wrong == NULL; i++) {
        c->wrong = sort_and_sum(own, c->seed + i);
        if (i % 5 == 4) {
            upsweep_trim(own);
        }
    }
    if (c->u == NULL) {
        upsweep_close(own);
    }
    return NULL;
}

static void call_from_threads(upsweep *shared)
{
    pthread_t threads[THREADS];
    caller callers[THREADS];
    for (unsigned t = 0; t < THREADS; t++) {
        callers[t] = (caller){shared, 100 * t, NULL};
        assert_int_equal(pthread_create(&threads[t], NULL, call_often, &callers[t]), 0);
    }
    for (unsigned t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
    }
    for (unsigned t = 0; t < THREADS; t++) {
        if (callers[t].wrong != NULL) {
            fail_msg("caller %u: %s", t, callers[t].wrong);
        }
    }
}

static void test_shared_handle(void **state)
{
    (void)state;
    upsweep *u;
    upsweep_config config = {.threads = 3};
    assert_int_equal(upsweep_open(&u, NULL, &config), UPSWEEP_OK);
    call_from_threads(u);
    upsweep_close(u);
}

static void test_handle_each(void **state)
{
    (void)state;
    call_from_threads(NULL);
}

/* ---- what the calls of several threads on one handle leave to be asked for ---- */

enum { ASKERS = 4, ROUNDS_OF_QUESTIONS = 60 };

typedef struct asker {
    upsweep *u;
    unsigned number;
    const char *wrong;
} asker;

/* Whether a report, of some thread's call, is whole: none of its words is another call's. */
static const char *check_report(upsweep *u)
{
    upsweep_report r = UPSWEEP_REPORT_INIT;
    if (upsweep_last_report(u, &r) != UPSWEEP_OK) {
        return "no report";
    }
    bool few = strstr(r.reason, " keys") != NULL, sum = strstr(r.reason, " tiles") != NULL;
    bool sort = strncmp(r.algorithm, "sort/", 5) == 0, none = r.algorithm[0] == '\0';
    return none && r.reason[0] == '\0'                      ? NULL
           : sort && few && !sum                            ? NULL
           : sum && strcmp(r.algorithm, "reduce/tree") == 0 ? NULL
                                                            : "a report of two calls";
}

static void *ask_often(void *argument)
{
    asker *a = argument;
    static const size_t sizes[] = {40, 6000, 300};
    uint32_t *keys = malloc(6000 * sizeof *keys);
    char expected[64], text[256];
    uint64_t sum;
    snprintf(expected, sizeof expected, "type %u is no type", 100 + a->number);
    for (unsigned i = 0; keys != NULL && i < ROUNDS_OF_QUESTIONS && a->wrong == NULL; i++) {
        size_t n = sizes[(i + a->number) % 3];
        input_fill(INPUT_UNIFORM, UPSWEEP_U32, keys, n, i);
        if (upsweep_sort(a->u, keys, n, UPSWEEP_U32, NULL) != UPSWEEP_OK ||
            upsweep_sort(a->u, keys, n, (upsweep_type)(100 + a->number), NULL) == UPSWEEP_OK ||
            upsweep_reduce(a->u, keys, n, UPSWEEP_U32, UPSWEEP_SUM, &sum, NULL) != UPSWEEP_OK) {
            a->wrong = "a call failed, or did not";
            break;
        }
        a->wrong = check_report(a->u);
        upsweep_last_error(a->u, text, sizeof text);
        a->wrong = strcmp(text, expected) != 0 ? "the failure of another thread" : a->wrong;
    }
    a->wrong = keys == NULL ? "no memory" : a->wrong;
    free(keys);
    return NULL;
}

static void test_questions(void **state)
{
    (void)state;
    pthread_t threads[ASKERS];
    asker askers[ASKERS];
    char text[256];
    upsweep *u;
    upsweep_config config = {.threads = 2};
    assert_int_equal(upsweep_open(&u, "cpu", &config), UPSWEEP_OK);
    assert_int_equal(upsweep_last_error(u, text, sizeof text), 0);
    assert_string_equal(text, "");
    for (unsigned t = 0; t < ASKERS; t++) {
        askers[t] = (asker){u, t, NULL};
        assert_int_equal(pthread_create(&threads[t], NULL, ask_often, &askers[t]), 0);
    }
    for (unsigned t = 0; t < ASKERS; t++) {
        pthread_join(threads[t], NULL);
    }
    for (unsigned t = 0; t < ASKERS; t++) {
        if (askers[t].wrong != NULL) {
            fail_msg("thread %u: %s", t, askers[t].wrong);
        }
    }
    /* A thread with no failure of its own on the handle hears of the handle's; brief texts. */
    assert_true(upsweep_last_error(u, text, sizeof text) == strlen("type 100 is no type"));
    assert_memory_equal(text, "type 10", 7);
    assert_int_equal(upsweep_last_error(u, text, 5), strlen("type 100 is no type"));
    assert_string_equal(text, "type");
    assert_int_equal(upsweep_last_error(u, NULL, 5), strlen("type 100 is no type"));
    assert_true(upsweep_last_error(NULL, text, sizeof text) > 5);
    upsweep_close(u);
}

/* The failure on a handle that is closed is not that of another that lies where it lay. */
static void test_error_of_closed(void **state)
{
    (void)state;
    char text[256];
    upsweep *u;
    for (int i = 0; i < 20; i++) {
        assert_int_equal(upsweep_open(&u, "cpu", NULL), UPSWEEP_OK);
        assert_int_equal(upsweep_last_error(u, text, sizeof text), 0);
        assert_int_equal(upsweep_reverse(u, NULL, 3, 4, NULL), UPSWEEP_ERROR_ARGUMENT);
        assert_true(upsweep_last_error(u, text, sizeof text) > 0);
        assert_string_equal(text, upsweep_error(u));
        upsweep_close(u);
    }
}

/* ---- a comparator that sorts with another handle ---- */

static int compare_by_sorting(const void *a, const void *b, void *context)
{
    uint32_t x[2];
    memcpy(&x[0], a, sizeof x[0]);
    memcpy(&x[1], b, sizeof x[1]);
    int order = (x[0] > x[1]) - (x[0] < x[1]);
    if (x[0] % 64 == 0) {
        upsweep *other = context;
        uint32_t sorted[2] = {x[0], x[1]};
        if (upsweep_sort(other, sorted, 2, UPSWEEP_U32, NULL) != UPSWEEP_OK ||
            sorted[0] > sorted[1]) {
            abort();
        }
    }
    return order;
}

static void test_call_in_comparator(void **state)
{
    (void)state;
    upsweep *u, *other;
    upsweep_config config = {.threads = 4};
    static uint32_t keys[KEYS], before[KEYS];
    assert_int_equal(upsweep_open(&u, NULL, &config), UPSWEEP_OK);
    config.threads = 2;
    assert_int_equal(upsweep_open(&other, NULL, &config), UPSWEEP_OK);
    input_fill(INPUT_UNIFORM, UPSWEEP_U32, keys, KEYS, 7);
    memcpy(before, keys, sizeof keys);
    assert_int_equal(upsweep_sort_by(u, keys, KEYS, 4, compare_by_sorting, other, NULL),
                     UPSWEEP_OK);
    assert_null(oracle_sorted(UPSWEEP_U32, 0, before, keys, KEYS));
    upsweep_close(u);
    upsweep_close(other);
}

/* ---- tasks and lanes ---- */

typedef struct tally {
    upsweep *u, *inner;
    atomic_uint ran[500];
    atomic_uint bad_lanes;
    atomic_uint busy[64]; /* a lane runs one task at a time */
} tally;

static void inner_task(void *context, size_t i, unsigned lane)
{
    tally *t = context;
    (void)i;
    if (lane >= t->inner->threads) {
        atomic_fetch_add(&t->bad_lanes, 1);
    }
}

static void outer_task(void *context, size_t i, unsigned lane)
{
    tally *t = context;
    if (lane >= t->u->threads || atomic_fetch_add(&t->busy[lane], 1) != 0) {
        atomic_fetch_add(&t->bad_lanes, 1);
    }
    atomic_fetch_add(&t->ran[i], 1);
    usw_parallel(t->inner, 3, inner_task, t);
    atomic_fetch_sub(&t->busy[lane], 1);
}

static void test_tasks(void **state)
{
    (void)state;
    static const unsigned thread_counts[] = {1, 2, 3, 16, 64};
    for (size_t c = 0; c < sizeof thread_counts / sizeof thread_counts[0]; c++) {
        static tally t;
        memset(&t, 0, sizeof t);
        upsweep_config config = {.threads = thread_counts[c]};
        assert_int_equal(upsweep_open(&t.u, NULL, &config), UPSWEEP_OK);
        t.u->threads = t.u->threads_most = thread_counts[c]; /* however few cores there are */
        config.threads = 2;
        assert_int_equal(upsweep_open(&t.inner, NULL, &config), UPSWEEP_OK);
        for (unsigned batch = 1; batch <= 20; batch++) {
            usw_parallel(t.u, 500, outer_task, &t);
            for (size_t i = 0; i < 500; i++) {
                assert_int_equal(atomic_load(&t.ran[i]), batch);
            }
        }
        assert_int_equal(atomic_load(&t.bad_lanes), 0);
        upsweep_close(t.u);
        upsweep_close(t.inner);
    }
}

static void test_many_threads(void **state)
{
    (void)state;
    upsweep *u;
    upsweep_config config = {.threads = 300};
    assert_int_equal(upsweep_open(&u, NULL, &config), UPSWEEP_OK);
    u->threads_most = 300; /* more than a handle gets on most machines */
    const char *wrong = sort_and_sum(u, 3);
    if (wrong != NULL) {
        fail_msg("with 300 threads: %s", wrong);
    }
    upsweep_close(u);
}

/* The lanes that take part are those that the call was offered, batch by batch. */
static void test_fewer_lanes(void **state)
{
    (void)state;
    static tally t;
    upsweep_config config = {.threads = 8};
    assert_int_equal(upsweep_open(&t.u, NULL, &config), UPSWEEP_OK);
    assert_int_equal(upsweep_open(&t.inner, NULL, NULL), UPSWEEP_OK);
    for (unsigned batch = 1; batch <= 300; batch++) {
        t.u->threads = batch % 8 + 1;
        usw_parallel(t.u, 500, outer_task, &t);
        assert_int_equal(atomic_load(&t.ran[batch]), batch);
    }
    assert_int_equal(atomic_load(&t.bad_lanes), 0);
    upsweep_close(t.u);
    upsweep_close(t.inner);
}

/* More threads than pay are not started, and the report says so; a call with little to do is
 * offered fewer than the handle has. */
static void test_too_many_threads(void **state)
{
    (void)state;
    static const unsigned asked[] = {0, 1, 2, 16, 64, 1000, 4000, UINT_MAX};
    enum { N = 1 << 20 };
    uint32_t *keys = malloc(N * sizeof *keys), *before = malloc(N * sizeof *keys);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        upsweep *u;
        upsweep_report report = UPSWEEP_REPORT_INIT;
        upsweep_config config = {.threads = asked[i]};
        unsigned most = 2 * usw_core_count() > 16 ? 2 * usw_core_count() : 16;
        unsigned wanted = asked[i] == 0 ? usw_core_count() : asked[i];
        unsigned given = wanted < most ? wanted : most;
        assert_int_equal(upsweep_open(&u, "cpu", &config), UPSWEEP_OK);
        u->threads_least = 1; /* as in a release */
        for (int turn = 0; turn < 2; turn++) {
            upsweep_last_report(u, &report); /* of a handle just opened, and of a sort */
            assert_int_equal(strstr(report.reason, "threads asked for") != NULL, asked[i] > most);
            /* 4 MB, where four pay from 1 MB on: by the root, eight. */
            assert_int_equal(report.threads, turn == 0 || given < 8 ? given : 8);
            input_fill(INPUT_UNIFORM, UPSWEEP_U32, keys, N, i);
            memcpy(before, keys, N * sizeof *keys);
            upsweep_tuning tuning = UPSWEEP_TUNING_INIT;
            assert_int_equal(upsweep_get_tuning(u, &tuning), UPSWEEP_OK);
            tuning.thread_bytes = 1 << 20;
            assert_int_equal(upsweep_set_tuning(u, &tuning), UPSWEEP_OK);
            assert_int_equal(upsweep_sort(u, keys, N, UPSWEEP_U32, NULL), UPSWEEP_OK);
            assert_null(oracle_sorted(UPSWEEP_U32, 0, before, keys, N));
        }
        /* A call that does not ask has all that the handle has. */
        uint32_t order[2] = {1, 0};
        assert_int_equal(upsweep_sort(u, order, 2, UPSWEEP_U32, NULL), UPSWEEP_OK);
        upsweep_last_report(u, &report);
        assert_int_equal(report.threads, given);
        upsweep_close(u);
    }
    free(keys);
    free(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tasks),
        cmocka_unit_test(test_shared_handle),
        cmocka_unit_test(test_handle_each),
        cmocka_unit_test(test_call_in_comparator),
        cmocka_unit_test(test_many_threads),
        cmocka_unit_test(test_fewer_lanes),
        cmocka_unit_test(test_too_many_threads),
        cmocka_unit_test(test_questions),
        cmocka_unit_test(test_error_of_closed),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
