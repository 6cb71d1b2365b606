/* test_claims.c - every claim of a row of the registry is a test.
 *   stable         elements are followed through the trace by a number each, which no step sees
 *   in-place       no step of the trace touches a second array; the CPU form needs little scratch
 *   oblivious      the same places meet for every input, and all inputs of zeros and ones are
 *                  sorted,
 *                  which by the 0-1 principle is a proof for that n
 *   deterministic  the same trace twice; the same bytes from 1 to 16 threads
 * Rounds and work are counted in test_trace.c. */
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
#include "test/shared/handles.h"

enum { ARRAYS = 16, MOST = 1024 };

/* ---- what a trace tells, gathered by a sink ---- */

/* Which element, by its place in the input, stands where; NOBODY where a step computed the
 * value. */
#define NOBODY UINT32_MAX
typedef struct followed {
    const char *name;
    uint32_t who[MOST];
} followed;

typedef struct watch {
    uint64_t all, meetings; /* hashes of every event, and of which places are compared */
    bool second_array;      /* a step joined two arrays */
    followed arrays[ARRAYS];
    unsigned count;
    const char *last; /* the array shown last */
    bool started;     /* the input has been shown */
    bool sorts;
} watch;

static uint64_t mix(uint64_t hash, uint64_t with)
{
    hash = (hash ^ with) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    for (; text != NULL && *text != '\0'; text++) {
        hash = mix(hash, (unsigned char)*text);
    }
    return mix(hash, 256);
}

static followed *array_called(watch *w, const char *name)
{
    for (unsigned i = 0; i < w->count; i++) {
        if (strcmp(w->arrays[i].name, name) == 0) {
            return &w->arrays[i];
        }
    }
    assert_true(w->count < ARRAYS);
    followed *f = &w->arrays[w->count++];
    f->name = name;
    memset(f->who, 0xff, sizeof f->who);
    return f;
}

/* Moves the elements' numbers as the step moves the elements. */
static void follow(watch *w, const upsweep_event *e)
{
    if (e->array == NULL || e->count > MOST || e->i >= MOST || e->j >= MOST) {
        return;
    }
    followed *a = array_called(w, e->array);
    followed *b = e->other != NULL ? array_called(w, e->other) : a;
    uint32_t who = a->who[e->i];
    switch (e->kind) {
    case UPSWEEP_EVENT_ARRAY:
        for (uint32_t i = 0; !w->started && i < e->count; i++) {
            a->who[i] = i;
        }
        w->started = true;
        w->last = e->array;
        break;
    case UPSWEEP_EVENT_SWAP:
        a->who[e->i] = b->who[e->j];
        b->who[e->j] = who;
        break;
    case UPSWEEP_EVENT_MOVE: b->who[e->j] = who; break;
    case UPSWEEP_EVENT_COMBINE:
    case UPSWEEP_EVENT_SET: a->who[e->i] = NOBODY; break;
    default: break;
    }
}

static int watch_event(void *context, const upsweep_event *e)
{
    watch *w = context;
    uint64_t h = mix(mix(mix(w->all, (uint64_t)e->kind), e->round), e->lane);
    h = mix_text(mix_text(mix_text(h, e->array), e->other), e->text);
    h = mix(mix(mix(mix(h, e->i), e->j), e->a), e->b);
    for (size_t i = 0; e->kind == UPSWEEP_EVENT_ARRAY && i < e->count; i++) {
        h = mix(h, e->values[i]);
    }
    w->all = h;
    if (e->kind == UPSWEEP_EVENT_COMPARE) {
        w->meetings = mix(mix(mix(mix(w->meetings, e->round), e->lane), e->i), e->j);
    }
    /* Where sums are made, every step is a meeting; sorts may exchange or not. */
    if (e->kind == UPSWEEP_EVENT_ROUND || (!w->sorts && e->array != NULL)) {
        w->meetings = mix(mix(mix(mix(w->meetings, e->round), e->lane), e->i), e->j);
    }
    if ((e->kind == UPSWEEP_EVENT_MOVE || e->kind == UPSWEEP_EVENT_COMBINE) &&
        strcmp(e->array, e->other) != 0) {
        w->second_array = true;
    }
    follow(w, e);
    return 0;
}

static watch *watch_trace(const upsweep_algorithm *x, const uint32_t *in, size_t n, uint32_t *out)
{
    static watch w;
    memset(&w, 0, sizeof w);
    w.sorts = strcmp(x->operation, "sort") == 0;
    assert_int_equal(upsweep_trace(x->name, in, n, out, watch_event, &w), UPSWEEP_OK);
    return &w;
}

/* Numbers for the row: its own example if it takes graphs, else n keys of few values. */
static size_t some_input(const upsweep_algorithm *x, uint32_t *in, size_t n, uint64_t seed)
{
    uint64_t state = seed;
    for (size_t i = 0; i < n; i++) {
        in[i] = (uint32_t)(input_random(&state) % (n / 3 + 2));
    }
    if (strcmp(x->operation, "path") != 0) {
        return n;
    }
    const char *text = x->example;
    for (n = 0; n < MOST; n++) {
        char *end;
        unsigned long value = strtoul(text, &end, 10);
        if (end == text) {
            break;
        }
        in[n] = (uint32_t)value;
        text = end;
    }
    return n;
}

static const size_t sizes[] = {0,  1,  2,  3,  4,  5,  7,   8,   9,   15,  16,
                               17, 31, 32, 33, 63, 64, 100, 127, 200, 257, 1000};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* ---- the claims ---- */

static void test_explained_is_right(void **state)
{
    const upsweep_algorithm *x = *state;
    uint32_t in[MOST], out[MOST];
    for (size_t s = 0; s < SIZES && strcmp(x->operation, "sort") == 0; s++) {
        for (unsigned pattern = 0; pattern < INPUT_PATTERNS; pattern++) {
            input_fill(pattern, UPSWEEP_U32, in, sizes[s], s + pattern);
            assert_int_equal(upsweep_trace(x->name, in, sizes[s], out, NULL, NULL), UPSWEEP_OK);
            const char *wrong = oracle_sorted(UPSWEEP_U32, 0, in, out, sizes[s]);
            if (wrong != NULL) {
                fail_msg("%s: n = %zu, %s: %s", x->name, sizes[s], input_name(pattern), wrong);
            }
        }
    }
}

static void test_stable(void **state)
{
    const upsweep_algorithm *x = *state;
    uint32_t in[MOST], out[MOST];
    for (size_t s = 0; s < SIZES; s++) {
        for (uint64_t seed = 0; seed < 5; seed++) {
            size_t n = some_input(x, in, sizes[s], seed);
            if (n == 0) {
                continue;
            }
            watch *w = watch_trace(x, in, n, out);
            const uint32_t *who = array_called(w, w->last)->who;
            for (size_t i = 0; i < n; i++) {
                if (who[i] == NOBODY || in[who[i]] != out[i]) {
                    fail_msg("%s: n = %zu: the trace does not show how %u came to place %zu",
                             x->name, n, out[i], i);
                }
                uint32_t differ = i > 0 ? out[i] ^ out[i - 1] : 1;
                differ &= strcmp(x->operation, "split") == 0 ? 1 : UINT32_MAX;
                if (differ == 0 && who[i] < who[i - 1]) {
                    fail_msg("%s: n = %zu: equals changed places", x->name, n);
                }
            }
        }
    }
}

static void test_in_place(void **state)
{
    const upsweep_algorithm *x = *state;
    uint32_t in[MOST], out[MOST];
    for (size_t s = 0; s < SIZES; s++) {
        size_t n = some_input(x, in, sizes[s], s);
        if (watch_trace(x, in, n, out)->second_array) {
            fail_msg("%s uses a second array", x->name);
        }
    }
}

static void test_oblivious(void **state)
{
    const upsweep_algorithm *x = *state;
    uint32_t in[MOST], out[MOST];
    for (size_t s = 0; s < SIZES; s++) {
        uint64_t meetings = 0;
        for (uint64_t seed = 0; seed < 6; seed++) {
            size_t n = some_input(x, in, sizes[s], seed);
            if (seed > 3 && strcmp(x->operation, "sort") == 0) {
                input_fill(seed == 4 ? INPUT_SORTED : INPUT_REVERSED, UPSWEEP_U32, in, n, 1);
            }
            watch *w = watch_trace(x, in, n, out);
            if (seed > 0 && w->meetings != meetings) {
                fail_msg("%s: n = %zu: who meets whom depends on the keys", x->name, n);
            }
            meetings = w->meetings;
        }
    }
    for (size_t n = 0; n <= 16 && strcmp(x->operation, "sort") == 0; n++) {
        for (uint32_t ones = 0; ones < (uint32_t)1 << n; ones++) {
            for (size_t i = 0; i < n; i++) {
                in[i] = ones >> i & 1;
            }
            assert_int_equal(upsweep_trace(x->name, in, n, out, NULL, NULL), UPSWEEP_OK);
            size_t zeros = n - (size_t)__builtin_popcount(ones);
            for (size_t i = 0; i < n; i++) {
                if (out[i] != (i >= zeros)) {
                    fail_msg("%s: n = %zu: the zeros and ones 0x%x are not sorted", x->name, n,
                             ones);
                }
            }
        }
    }
}

static void test_deterministic_trace(const upsweep_algorithm *x)
{
    uint32_t in[MOST], out[MOST];
    for (size_t s = 0; s < SIZES; s++) {
        size_t n = some_input(x, in, sizes[s], s);
        uint64_t first = watch_trace(x, in, n, out)->all;
        if (watch_trace(x, in, n, out)->all != first) {
            fail_msg("%s: n = %zu: two traces of one input differ", x->name, n);
        }
    }
}

static void test_deterministic(void **state)
{
    const upsweep_algorithm *x = *state;
    test_deterministic_trace(x);
    const call *c = call_of_operation(x->operation);
    if (!(upsweep_forms(x) & UPSWEEP_FORM_CPU) || c == NULL) {
        return;
    }
    size_t n = upsweep_work(x, 50000) > 100000000 ? 3001 : 300001;
    job first, other;
    for (unsigned threads = 1; threads <= 16; threads++) {
        upsweep *u;
        upsweep_config config = {.threads = threads};
        assert_int_equal(upsweep_open(&u, "cpu", &config), UPSWEEP_OK);
        handle_share_early(u);
        job *j = threads == 1 ? &first : &other;
        /* Calls that move any elements are jobs of one type only. */
        assert_true(job_start(j, c, 0, n, UPSWEEP_U32, INPUT_ZIPF, 1) ||
                    job_start(j, c, 0, n, UPSWEEP_U8, INPUT_ZIPF, 1));
        j->algorithm = x->name;
        assert_int_equal(c->run(u, j), UPSWEEP_OK);
        upsweep_close(u);
        if (threads > 1) {
            assert_true(job_same(&first, &other));
            job_free(&other);
        }
    }
    job_free(&first);
}

/* The promise of a CPU form that calls itself in-place: a megabyte a thread, whatever n. */
static void test_in_place_cpu(void **state)
{
    const upsweep_algorithm *x = *state;
    const usw_entry *e = usw_entry_find(x->name);
    for (unsigned isa = 0; isa < ISAS; isa++) {
        upsweep *u = handle_open(isa, 2);
        const usw_sort_form *form = e->cpu[isa];
        if (u == NULL || !form->in_place) {
            upsweep_close(u);
            continue;
        }
        size_t n = upsweep_work(x, 50000) > 100000000 ? 3000 : 2000000;
        uint64_t *keys = malloc(n * sizeof *keys);
        input_fill(INPUT_UNIFORM, UPSWEEP_U64, keys, n, 1);
        upsweep_options o = {.algorithm = x->name};
        assert_int_equal(upsweep_sort(u, keys, n, UPSWEEP_U64, &o), UPSWEEP_OK);
        upsweep_report report = UPSWEEP_REPORT_INIT;
        upsweep_last_report(u, &report);
        assert_true(report.scratch_bytes <= (size_t)2 << 20);
        free(keys);
        upsweep_close(u);
    }
}

int main(void)
{
    enum { TESTS = 300 };
    static struct CMUnitTest tests[TESTS];
    static char names[TESTS][64];
    size_t count = 0;
    static const struct {
        unsigned claim;
        const char *name;
        CMUnitTestFunction test;
    } claims[] = {
        {0, "sorts as it explains", test_explained_is_right},
        {UPSWEEP_CLAIM_STABLE, "is stable", test_stable},
        {UPSWEEP_CLAIM_IN_PLACE, "works in place", test_in_place},
        {UPSWEEP_CLAIM_OBLIVIOUS, "is oblivious", test_oblivious},
        {UPSWEEP_CLAIM_DETERMINISTIC, "is deterministic", test_deterministic},
        {0, "has a CPU form as small as it says", test_in_place_cpu},
    };
    for (size_t i = 0; upsweep_algorithm_at(i) != NULL; i++) {
        const upsweep_algorithm *x = upsweep_algorithm_at(i);
        bool sorts = strcmp(x->operation, "sort") == 0;
        for (size_t c = 0; c < sizeof claims / sizeof claims[0] && count < TESTS; c++) {
            bool about_cpu = claims[c].test == test_in_place_cpu;
            if ((x->claims & claims[c].claim) != claims[c].claim ||
                (claims[c].claim == 0 && !sorts) ||
                (about_cpu && !(upsweep_forms(x) & UPSWEEP_FORM_CPU))) {
                continue;
            }
            snprintf(names[count], sizeof names[count], "%s %s", x->name, claims[c].name);
            tests[count] =
                (struct CMUnitTest){names[count], claims[c].test, NULL, NULL, (void *)(uintptr_t)x};
            count++;
        }
    }
    return _cmocka_run_group_tests("claims", tests, count, NULL, NULL);
}
