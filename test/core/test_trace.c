/* test_trace.c - the worked examples, array by array, through upsweep_trace; sinks that stop;
 * the pages that explain. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test/shared/trace_watch.h"

enum { TEXT = 1 << 16 };

/* ---- the worked examples, as the arrays that the trace shows ---- */

typedef struct example {
    const char *name, *input, *shown;
} example;

static const example examples[] = {
    {"sort/oddeven", "3 7 11 10 4 20 2 8 12 1",
     "a 3 7 11 10 4 20 2 8 12 1\n"
     "even a 3 7 10 11 4 20 2 8 1 12\n"
     "odd a 3 7 10 4 11 2 20 1 8 12\n"
     "even a 3 7 4 10 2 11 1 20 8 12\n"
     "odd a 3 4 7 2 10 1 11 8 20 12\n"
     "even a 3 4 2 7 1 10 8 11 12 20\n"
     "odd a 3 2 4 1 7 8 10 11 12 20\n"
     "even a 2 3 1 4 7 8 10 11 12 20\n"
     "odd a 2 1 3 4 7 8 10 11 12 20\n"
     "even a 1 2 3 4 7 8 10 11 12 20\n"
     "odd a 1 2 3 4 7 8 10 11 12 20\n"
     "swaps 2 3 3 4 4 3 2 1 1 0\n"},
    {"sort/oddeven", "3 7 1 10 4 20 2 8",
     "a 3 7 1 10 4 20 2 8\n"
     "even a 3 7 1 10 4 20 2 8\n"
     "odd a 3 1 7 4 10 2 20 8\n"
     "even a 1 3 4 7 2 10 8 20\n"
     "odd a 1 3 4 2 7 8 10 20\n"
     "even a 1 3 2 4 7 8 10 20\n"
     "odd a 1 2 3 4 7 8 10 20\n"
     "even a 1 2 3 4 7 8 10 20\n"
     "odd a 1 2 3 4 7 8 10 20\n"
     "swaps 0 3 4 2 1 1 0 0\n"},
    {"reduce/butterfly", "1 2 4 8 16 32 64 128",
     "a 1 2 4 8 16 32 64 128\n"
     "b=4 partner 4 5 6 7 0 1 2 3\n"
     "b=4 a 17 34 68 136 17 34 68 136\n"
     "b=2 partner 2 3 0 1 6 7 4 5\n"
     "b=2 a 85 170 85 170 85 170 85 170\n"
     "b=1 partner 1 0 3 2 5 4 7 6\n"
     "b=1 a 255 255 255 255 255 255 255 255\n"
     "swaps 0 0 0\n"},
    {"reduce/tree", "3 1 7 0 4 1 6 3",
     "a 3 1 7 0 4 1 6 3\n"
     "distance 4 a 7 2 13 3\n"
     "distance 2 a 20 5\n"
     "distance 1 a 25\n"
     "swaps 0 0 0\n"},
    {"scan/sweep", "3 1 7 0 4 1 6 3",
     "a 3 1 7 0 4 1 6 3\n"
     "up a 3 4 7 7 4 5 6 9\n"
     "up a 3 4 7 11 4 5 6 14\n"
     "up a 3 4 7 11 4 5 6 25\n"
     "root a 3 4 7 11 4 5 6 0\n"
     "down a 3 4 7 0 4 5 6 11\n"
     "down a 3 0 7 4 4 11 6 16\n"
     "down a 0 3 4 11 11 15 16 22\n"
     "swaps 0 0 0 0 0 0 0\n"},
    {"split/flags", "5 7 3 1 4 2 7 2",
     "a 5 7 3 1 4 2 7 2\n"
     "F 1 1 1 1 0 0 1 0\n"
     "I_down 0 0 0 0 0 1 2 2\n"
     "I_up 3 4 5 6 7 7 7 8\n"
     "b 4 2 2 5 7 3 1 7\n"
     "swaps 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"},
    {"sort/split", "5 7 3 1 4 2 7 2",
     "a 5 7 3 1 4 2 7 2\n"
     "F 1 1 1 1 0 0 1 0\n"
     "I_down 0 0 0 0 0 1 2 2\n"
     "I_up 3 4 5 6 7 7 7 8\n"
     "b 4 2 2 5 7 3 1 7\n"
     "F 0 1 1 0 1 1 0 1\n"
     "I_down 0 1 1 1 2 2 2 3\n"
     "I_up 3 3 4 5 5 6 7 7\n"
     "a 4 5 1 2 2 7 3 7\n"
     "F 1 1 0 0 0 1 0 1\n"
     "I_down 0 0 0 1 2 3 3 4\n"
     "I_up 4 5 6 6 6 6 7 7\n"
     "b 1 2 2 3 4 5 7 7\n"
     "swaps 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"
     " 0 0 0 0 0 0 0 0 0 0 0 0\n"},
    {"sort/vmerge", "2 6 3 1",
     "a 2 6 3 1\n"
     "0-1 2-3 a 2 6 1 3\n"
     "0-2 1-3 a 1 3 2 6\n"
     "1-2 a 1 2 3 6\n"
     "swaps 1 2 1\n"},
    {"sort/vmerge", "2 6 9 10 1 3 8 11",
     "a 2 6 9 10 1 3 8 11\n"
     "0-1 2-3 a 2 6 9 10 1 3 8 11\n"
     "0-2 1-3 a 2 6 9 10 1 3 8 11\n"
     "1-2 a 2 6 9 10 1 3 8 11\n"
     "load ab 2 6 9 10 1 3 8 11\n"
     "split low_high 2 6 3 1 11 8 9 10\n"
     "0-1 2-3 low_high 2 6 1 3 8 11 9 10\n"
     "0-2 1-3 low_high 1 3 2 6 8 10 9 11\n"
     "1-2 low_high 1 2 3 6 8 9 10 11\n"
     "b 1 2 3 6 8 9 10 11\n"
     "swaps 0 0 0 0 0 2 3 2 0\n"},
    {"path/bucket", "0 1 4 0 2 1 1 3 5 2 1 2 2 3 8",
     "dist 0 4294967295 4294967295 4294967295\n"
     "dist 0 4 1 4294967295\n"
     "dist 0 3 1 9\n"
     "dist 0 3 1 8\n"
     "dist 0 3 1 8\n"
     "swaps 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"},
    {"path/dijkstra", "0 1 4 0 2 1 1 3 5 2 1 2 2 3 8",
     "dist 0 4294967295 4294967295 4294967295\n"
     "dist 0 4 1 4294967295\n"
     "dist 0 3 1 9\n"
     "dist 0 3 1 8\n"
     "dist 0 3 1 8\n"
     "swaps 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"},
};

static size_t parse(const char *text, uint32_t *values)
{
    size_t n = 0;
    for (char *end; *text != '\0'; text = end) {
        values[n++] = (uint32_t)strtoul(text, &end, 10);
    }
    return n;
}

typedef struct shown {
    char text[TEXT], label[128];
    size_t length, rounds, swaps[256];
} shown;

static int show_sink(void *context, const upsweep_event *e)
{
    shown *s = context;
    if (e->kind == UPSWEEP_EVENT_ROUND) {
        snprintf(s->label, sizeof s->label, "%s ", e->text);
    } else if (e->kind == UPSWEEP_EVENT_END_ROUND) {
        s->label[0] = '\0';
        s->rounds++;
    } else if (e->kind == UPSWEEP_EVENT_SWAP) {
        s->swaps[s->rounds]++;
    } else if (e->kind == UPSWEEP_EVENT_ARRAY) {
        s->length += (size_t)sprintf(s->text + s->length, "%s%s", s->label, e->array);
        for (size_t i = 0; i < e->count; i++) {
            s->length += (size_t)sprintf(s->text + s->length, " %u", e->values[i]);
        }
        s->length += (size_t)sprintf(s->text + s->length, "\n");
    }
    return 0;
}

static void test_examples(void **state)
{
    (void)state;
    static shown s;
    for (size_t k = 0; k < sizeof examples / sizeof *examples; k++) {
        uint32_t values[64];
        size_t n = parse(examples[k].input, values);
        memset(&s, 0, sizeof s);
        assert_int_equal(upsweep_trace(examples[k].name, values, n, NULL, show_sink, &s),
                         UPSWEEP_OK);
        s.length += (size_t)sprintf(s.text + s.length, "swaps");
        for (size_t r = 0; r < s.rounds; r++) {
            s.length += (size_t)sprintf(s.text + s.length, " %zu", s.swaps[r]);
        }
        sprintf(s.text + s.length, "\n");
        assert_string_equal(s.text, examples[k].shown);
    }
}

/* A sink that stops at any event is not called again, and the result stays as it was. */
static void test_stop(void **state)
{
    (void)state;
    const upsweep_algorithm *a;
    for (size_t k = 0; (a = upsweep_algorithm_at(k)) != NULL; k++) {
        uint32_t values[256], result[256];
        size_t n = parse(a->example, values);
        uint64_t stops = 0;
        for (upsweep_status status = UPSWEEP_STOPPED; status == UPSWEEP_STOPPED; stops++) {
            trace_watch w = {.stop_at = stops + 1};
            memset(result, 0xa5, sizeof result);
            status = upsweep_trace(a->name, values, n, result, trace_watch_sink, &w);
            assert_string_equal(w.problem, "");
            assert_int_equal(w.events, status == UPSWEEP_STOPPED ? stops + 1 : stops);
            assert_true(status == UPSWEEP_OK || result[0] == 0xa5a5a5a5u);
            trace_watch_free(&w);
        }
        assert_true(stops > 10);
    }
}

/* The page is the first comment of the file without its marks, and has all its parts in order. */
static void test_pages(void **state)
{
    (void)state;
    static const char *const parts[] = {"Idea", "Picture", "Rounds", "Cost",
                                        "Why",  "Source",  "Forms"};
    const upsweep_algorithm *a;
    for (size_t k = 0; (a = upsweep_algorithm_at(k)) != NULL; k++) {
        const char *at = a->text;
        assert_int_equal(strncmp(at, a->title, strlen(a->title)), 0);
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            char begin[24];
            snprintf(begin, sizeof begin, "\n\n%-9s", parts[i]);
            at = strstr(at, begin);
            if (at == NULL) {
                fail_msg("%s: the page has no part \"%s\" in its place", a->name, parts[i]);
            }
        }
        assert_null(strstr(a->text, "*/"));
        assert_null(strstr(a->text, "\n *"));
        assert_int_equal(a->text[strlen(a->text) - 1], '\n');
        assert_true(a->idea != NULL && a->input != NULL && a->source != NULL && a->depth != NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_examples), cmocka_unit_test(test_stop),
                                       cmocka_unit_test(test_pages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
