/* verb_select.c - `upsweep select`: one number by its rank, the best few, or the distinct ones. */
/* SPDX-License-Identifier: MIT */
#include "app/arrays/arrays.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
    app_common common;
    size_t nth, top, least;
    bool median, unique, counts;
} settings;

static const size_t not_given = (size_t)-1;

static const app_option options[] = {
    {0, "nth", "K", "the number that a sort would put at position K, counted from 0", APP_COUNT,
     offsetof(settings, nth), NULL},
    {0, "median", NULL, "the middle number, the lower of two middle ones", APP_FLAG,
     offsetof(settings, median), NULL},
    {0, "top", "K", "the K greatest numbers, greatest first", APP_COUNT, offsetof(settings, top),
     NULL},
    {0, "least", "K", "the K least numbers, least first", APP_COUNT, offsetof(settings, least),
     NULL},
    {'u', "unique", NULL, "every distinct number once, in ascending order", APP_FLAG,
     offsetof(settings, unique), NULL},
    {'c', "count", NULL, "with --unique: print how often each number comes, and the number",
     APP_FLAG, offsetof(settings, counts), NULL},
    {0, NULL, NULL, NULL, APP_FLAG, 0, NULL},
};

const app_usage usage_select = {
    "[FILE]...",
    "Takes some of the numbers, in less time than sorting all of them where that is possible. NaN\n"
    "counts as the worst for --top and --least, and as the last for --nth and --median. Numbers "
    "are\n"
    "distinct if their bits are: -0 and 0 are two. Of a .npy array all elements count, whatever "
    "its\n"
    "shape, and what is written has one axis.",
    APP_MACHINERY | APP_OUTPUT | APP_AS | APP_FROM | APP_JSON | APP_TYPED | APP_FROM_TEXT, options,
    "upsweep select --median --type f64 times.f64\n"
    "upsweep select --top 10 numbers.txt\nupsweep select --unique --count < numbers.txt"};

static void report(const settings *s, const upsweep *u, const io_array *a, double seconds)
{
    if (s->common.stats) {
        app_print_report(u, a->n, upsweep_type_name(a->type), a->n * upsweep_type_bytes(a->type),
                         seconds);
    }
}

static int select_nth(const settings *s, upsweep *u, io_array *a)
{
    if (a->n == 0) {
        return app_fail("%s: has no elements to take one of", app_input_name(&s->common));
    }
    size_t k = s->median ? (a->n - 1) / 2 : s->nth;
    if (k >= a->n) {
        return app_fail("%s: has %zu elements, none at position %zu", app_input_name(&s->common),
                        a->n, k);
    }
    upsweep_options how = UPSWEEP_OPTIONS_INIT;
    how.algorithm = s->common.algorithm;
    double seconds = -app_seconds();
    if (upsweep_nth_element(u, a->data, a->n, k, a->type, &how) != UPSWEEP_OK) {
        return app_fail_call(u);
    }
    report(s, u, a, seconds + app_seconds());
    const void *found = (const char *)a->data + k * upsweep_type_bytes(a->type);
    if (s->common.json) {
        printf("{\"n\": %zu, \"type\": \"%s\", \"position\": %zu, \"result\": ", a->n,
               upsweep_type_name(a->type), k);
        app_print_json_number(stdout, a->type, found);
        puts("}");
    } else {
        app_print_number(stdout, a->type, found);
        putchar('\n');
    }
    return app_finish_stdout();
}

static int select_best(const settings *s, upsweep *u, const io_array *a)
{
    bool greatest = s->top != not_given;
    size_t k = greatest ? s->top : s->least;
    k = k < a->n ? k : a->n;
    app_output out;
    void *best = malloc(k * upsweep_type_bytes(a->type) + 1);
    if (best == NULL) {
        return app_fail("no memory for %zu elements", k);
    }
    int status = app_output_open_like(&out, &s->common, a);
    if (status == APP_OK) {
        upsweep_options how = UPSWEEP_OPTIONS_INIT;
        how.algorithm = s->common.algorithm;
        how.flags = greatest ? UPSWEEP_LARGEST : 0;
        double seconds = -app_seconds();
        if (upsweep_top_k(u, a->data, a->n, k, a->type, best, NULL, &how) != UPSWEEP_OK) {
            status = app_output_drop(&out, app_fail_call(u));
        } else {
            report(s, u, a, seconds + app_seconds());
            status = app_output_array(&out, best, k);
        }
    }
    free(best);
    return status;
}

/* -c: lines of a count and a number, or a JSON array of pairs. */
static int print_counts(const settings *s, upsweep *u, const io_array *a)
{
    size_t bytes = upsweep_type_bytes(a->type), runs = 0;
    char *keys = malloc(a->n * bytes + 1);
    uint64_t *counts = malloc(a->n * sizeof *counts + 1);
    int status = APP_OK;
    if (keys == NULL || counts == NULL) {
        status = app_fail("no memory for the counts of %zu elements", a->n);
    } else if (upsweep_run_lengths(u, a->data, a->n, a->type, keys, counts, &runs, NULL) !=
               UPSWEEP_OK) {
        status = app_fail_call(u);
    } else {
        fputs(s->common.json ? "[" : "", stdout);
        for (size_t i = 0; i < runs; i++) {
            if (s->common.json) {
                printf("%s{\"value\": ", i > 0 ? ",\n " : "");
                app_print_json_number(stdout, a->type, keys + i * bytes);
                printf(", \"count\": %llu}", (unsigned long long)counts[i]);
            } else {
                printf("%7llu ", (unsigned long long)counts[i]);
                app_print_number(stdout, a->type, keys + i * bytes);
                putchar('\n');
            }
        }
        fputs(s->common.json ? "]\n" : "", stdout);
        status = app_finish_stdout();
    }
    free(keys);
    free(counts);
    return status;
}

static int select_unique(const settings *s, upsweep *u, io_array *a)
{
    app_output out;
    if (!s->counts && app_output_open_like(&out, &s->common, a) != APP_OK) {
        return APP_ERROR;
    }
    upsweep_options how = UPSWEEP_OPTIONS_INIT;
    how.algorithm = s->common.algorithm;
    size_t kept = 0;
    double seconds = -app_seconds();
    bool done = upsweep_sort(u, a->data, a->n, a->type, &how) == UPSWEEP_OK;
    if (done) {
        report(s, u, a, seconds + app_seconds());
        done = s->counts || upsweep_unique(u, a->data, a->n, a->type, &kept, NULL) == UPSWEEP_OK;
    }
    if (!done) {
        int status = app_fail_call(u);
        return s->counts ? status : app_output_drop(&out, status);
    }
    return s->counts ? print_counts(s, u, a) : app_output_array(&out, a->data, kept);
}

static int check(const settings *s)
{
    int ways = (s->nth != not_given) + (s->top != not_given) + (s->least != not_given) + s->median +
               s->unique;
    if (ways != 1) {
        return app_fail(
            "one of --nth, --median, --top, --least and --unique must say what to take");
    }
    if (s->counts && !s->unique) {
        return app_fail("--count goes with --unique");
    }
    bool one = s->nth != not_given || s->median;
    if (s->common.output != NULL && (one || s->counts)) {
        return app_fail("-o goes with what writes an array: --top, --least, --unique");
    }
    if (s->common.json && !one && !s->counts) {
        return app_fail("--json goes with --nth, --median and --unique --count");
    }
    return APP_OK;
}

int verb_select(int argc, char **argv)
{
    settings s = {.nth = not_given, .top = not_given, .least = not_given};
    int status = app_parse(&usage_select, argc, argv, &s.common);
    if (status >= 0) {
        return status;
    }
    io_array a = {.data = NULL};
    upsweep *u = NULL;
    status = check(&s);
    if (status == APP_OK) {
        status = app_read_array(&s.common, &a);
    }
    a.npy.axes = 1; /* what is taken of an array of any shape is a row */
    a.npy.shape[0] = a.n;
    if (status == APP_OK) {
        status = app_open(&s.common, &u);
    }
    if (status == APP_OK) {
        status = s.unique                         ? select_unique(&s, u, &a)
                 : s.median || s.nth != not_given ? select_nth(&s, u, &a)
                                                  : select_best(&s, u, &a);
    }
    upsweep_close(u);
    io_array_free(&a);
    return status;
}
