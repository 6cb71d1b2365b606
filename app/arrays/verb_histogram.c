/* verb_histogram.c - `upsweep histogram`: how many numbers fall into each bin; as a table with
 * bars, as CSV, or as JSON. */
/* SPDX-License-Identifier: MIT */
#include "app/arrays/arrays.h"

#include "io/numbers.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
    app_common common;
    size_t bins;
    const char *low, *high, *edges;
    bool csv;
} settings;

static int take_range(void *context, const char *argument)
{
    settings *s = context;
    if (s->low == NULL || s->high != NULL) { /* given twice: the last one counts */
        s->low = argument;
        s->high = NULL;
    } else {
        s->high = argument;
    }
    return APP_OK;
}

static int take_as(void *target, const char *argument)
{
    static const char *const words[] = {"text", "csv", "json", NULL};
    settings *s = target;
    int word = app_word("--as", argument, words);
    s->csv = word == 1;
    s->common.json = word == 2;
    return word < 0 ? APP_ERROR : APP_OK;
}

static const app_option options[] = {
    {'b', "bins", "N", "count in N bins of equal width; 16 if not given", APP_COUNT,
     offsetof(settings, bins), NULL},
    {0, "range", "LO HI", "from LO to HI, both inside; the least and greatest number if not given",
     APP_CALL, 0, take_range},
    {0, "edges", "FILE", "count between the ascending numbers of FILE, text or .npy", APP_TEXT,
     offsetof(settings, edges), NULL},
    {0, "as", "text|csv|json", "print bars (if not given), lines low,high,count, or JSON", APP_CALL,
     0, take_as},
    {0, "csv", NULL, NULL, APP_FLAG, offsetof(settings, csv), NULL},
    {0, NULL, NULL, NULL, APP_FLAG, 0, NULL},
};

const app_usage usage_histogram = {
    "[FILE]...",
    "Counts the numbers in every bin and prints the bins with bars, or as CSV or JSON. A number "
    "at\n"
    "the border of two bins belongs to the upper one, and the last bin has both its borders. What\n"
    "is outside of all bins, and NaN, is counted apart. Of a .npy array all elements count, "
    "whatever\n"
    "its shape.",
    APP_MACHINERY | APP_FROM | APP_JSON | APP_TYPED | APP_FROM_TEXT, options,
    "upsweep histogram --bins 10 numbers.txt\n"
    "upsweep histogram --type f32 --range 0 1 --as csv data.f32"};

enum { BINS = 16, BINS_MAX = 1 << 24, BAR = 40 };

/* The bins of one run: what the library takes, and edge i for printing. */
typedef struct bins {
    upsweep_bucketing how;
    uint64_t low, high; /* one element each */
    io_array edges;
    upsweep_type type;
} bins;

/* Edge i of bins of equal width; if all numbers are the same, about it as the library has them. */
static double width_edge(const bins *b, size_t i)
{
    double low = io_number_value(b->type, &b->low), high = io_number_value(b->type, &b->high);
    if (low == high) {
        double half = fabs(low) < 0x1p49 ? 0.5 : fabs(low) * 0x1p-20;
        low = fmax(low - half, -DBL_MAX);
        high = fmin(high + half, DBL_MAX);
    }
    return i == b->how.count ? high : low + (double)i * ((high - low) / (double)b->how.count);
}

static void print_edge(FILE *f, const bins *b, size_t i, bool json)
{
    if (b->how.kind == UPSWEEP_BUCKET_EDGES) {
        const char *edge = (const char *)b->edges.data + i * upsweep_type_bytes(b->type);
        (json ? app_print_json_number : app_print_number)(f, b->type, edge);
        return;
    }
    double edge = width_edge(b, i);
    (json ? app_print_json_number : app_print_number)(f, UPSWEEP_F64, &edge);
}

static int parse_range(const settings *s, bins *b)
{
    const char *const texts[] = {s->low, s->high};
    uint64_t *const ends[] = {&b->low, &b->high};
    for (int i = 0; i < 2; i++) {
        if (!io_number_scan(texts[i], b->type, ends[i])) {
            return app_fail("--range: '%s' is no value of type %s", texts[i],
                            upsweep_type_name(b->type));
        }
    }
    double low = io_number_value(b->type, &b->low), high = io_number_value(b->type, &b->high);
    if (!(low <= high) || isinf(low) || isinf(high)) {
        return app_fail("--range: %s to %s is no range", s->low, s->high);
    }
    return APP_OK;
}

static int find_edges(const settings *s, bins *b)
{
    int status = app_read_beside(&s->common, s->edges, b->type, true, &b->edges);
    if (status != APP_OK) {
        return status;
    }
    if (b->edges.n < 2) {
        return app_fail("%s: has %zu edges, at least two are needed", s->edges, b->edges.n);
    }
    b->how.kind = UPSWEEP_BUCKET_EDGES;
    b->how.edges = b->edges.data;
    b->how.count = b->edges.n - 1;
    return APP_OK;
}

static int find_bins(const settings *s, upsweep *u, const io_array *a, bins *b)
{
    b->type = a->type;
    b->how.size = sizeof b->how;
    if (s->edges != NULL) {
        return find_edges(s, b);
    }
    b->how.kind = UPSWEEP_BUCKET_WIDTH;
    b->how.count = s->bins;
    b->how.low = &b->low;
    b->how.high = &b->high;
    if (s->low != NULL) {
        return parse_range(s, b);
    }
    if (a->n == 0) {
        return app_fail("%s: has no elements: give --range LO HI", app_input_name(&s->common));
    }
    if (upsweep_minmax(u, a->data, a->n, a->type, &b->low, &b->high, NULL) != UPSWEEP_OK) {
        return app_fail_call(u);
    }
    double low = io_number_value(b->type, &b->low), high = io_number_value(b->type, &b->high);
    if (!isfinite(low) || !isfinite(high)) {
        return app_fail("%s: its least or greatest number is not finite: give --range LO HI",
                        app_input_name(&s->common));
    }
    return APP_OK;
}

static void print_json(const bins *b, const uint64_t *counts, size_t outside)
{
    printf("{\"type\": \"%s\", \"outside\": %zu, \"bins\": [", upsweep_type_name(b->type), outside);
    for (size_t i = 0; i < b->how.count; i++) {
        printf("%s{\"low\": ", i > 0 ? ",\n " : "\n ");
        print_edge(stdout, b, i, true);
        printf(", \"high\": ");
        print_edge(stdout, b, i + 1, true);
        printf(", \"count\": %llu}", (unsigned long long)counts[i]);
    }
    puts("]}");
}

static void print_csv(const bins *b, const uint64_t *counts)
{
    puts("low,high,count");
    for (size_t i = 0; i < b->how.count; i++) {
        print_edge(stdout, b, i, false);
        putchar(',');
        print_edge(stdout, b, i + 1, false);
        printf(",%llu\n", (unsigned long long)counts[i]);
    }
}

/* A border for people: nine digits tell bins apart where they are few enough to be looked at. */
static void print_border(const bins *b, size_t i, int width)
{
    double value;
    if (b->how.kind == UPSWEEP_BUCKET_EDGES) {
        const char *edge = (const char *)b->edges.data + i * upsweep_type_bytes(b->type);
        value = io_number_value(b->type, edge);
    } else {
        value = width_edge(b, i);
    }
    printf("%*.9g", width, value);
}

/* The lower border, the count, and a bar. */
static void print_bars(const bins *b, const uint64_t *counts, size_t outside)
{
    uint64_t most = 1;
    for (size_t i = 0; i < b->how.count; i++) {
        most = counts[i] > most ? counts[i] : most;
    }
    for (size_t i = 0; i < b->how.count; i++) {
        print_border(b, i, 16);
        printf(" %12llu ", (unsigned long long)counts[i]);
        int length = (int)((double)counts[i] / (double)most * BAR + 0.5);
        length = length == 0 && counts[i] > 0 ? 1 : length;
        for (int k = 0; k < length; k++) {
            putchar('#');
        }
        putchar('\n');
    }
    printf("%16s ", "up to");
    print_border(b, b->how.count, 0);
    if (outside > 0) {
        printf(", and %zu outside", outside);
    }
    putchar('\n');
}

static int count(const settings *s, upsweep *u, const io_array *a, const bins *b)
{
    uint64_t *counts = calloc(b->how.count, sizeof *counts);
    if (counts == NULL) {
        return app_fail("no memory for %zu bins", b->how.count);
    }
    upsweep_options how = UPSWEEP_OPTIONS_INIT;
    how.algorithm = s->common.algorithm;
    double seconds = -app_seconds();
    upsweep_status counted = upsweep_histogram(u, a->data, a->n, a->type, &b->how, counts, &how);
    int status = APP_OK;
    if (counted == UPSWEEP_ERROR_ARGUMENT && b->how.kind == UPSWEEP_BUCKET_EDGES) {
        status = app_fail("%s: its edges do not ascend, or one is NaN", s->edges);
    } else if (counted != UPSWEEP_OK) {
        status = app_fail_call(u);
    } else {
        seconds += app_seconds();
        if (s->common.stats) {
            app_print_report(u, a->n, upsweep_type_name(a->type),
                             a->n * upsweep_type_bytes(a->type), seconds);
        }
        size_t inside = 0;
        for (size_t i = 0; i < b->how.count; i++) {
            inside += (size_t)counts[i];
        }
        if (s->common.json) {
            print_json(b, counts, a->n - inside);
        } else if (s->csv) {
            print_csv(b, counts);
        } else {
            print_bars(b, counts, a->n - inside);
        }
        status = app_finish_stdout();
    }
    free(counts);
    return status;
}

static int check(const settings *s)
{
    if (s->bins == 0 || s->bins > BINS_MAX) {
        return app_fail("--bins is a number from 1 to %d", BINS_MAX);
    }
    if (s->edges != NULL && s->low != NULL) {
        return app_fail("--edges and --range exclude each other");
    }
    if (s->common.json && s->csv) {
        return app_fail("--json and --csv exclude each other");
    }
    return APP_OK;
}

int verb_histogram(int argc, char **argv)
{
    settings s = {.bins = BINS};
    int status = app_parse(&usage_histogram, argc, argv, &s.common);
    if (status >= 0) {
        return status;
    }
    io_array a = {.data = NULL};
    bins b = {.low = 0};
    upsweep *u = NULL;
    status = check(&s);
    if (status == APP_OK) {
        status = app_read_array(&s.common, &a);
    }
    if (status == APP_OK) {
        status = app_open(&s.common, &u);
    }
    if (status == APP_OK) {
        status = find_bins(&s, u, &a, &b);
    }
    if (status == APP_OK) {
        status = count(&s, u, &a, &b);
    }
    upsweep_close(u);
    io_array_free(&b.edges);
    io_array_free(&a);
    return status;
}
