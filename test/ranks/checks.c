/* checks.c - one case through all calls. */
/* SPDX-License-Identifier: MIT */
#include "test/ranks/checks.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/shared/inputs.h"
#include "test/shared/oracle.h"

typedef struct trial {
    const rank_calls *r;
    upsweep *u;
    upsweep_type type;
    size_t bytes, n;         /* of the whole */
    size_t begin, here, end; /* this rank's stretch of it */
    char *whole, *mine, *expected, *got;
    size_t *order;
    uint64_t *index;
    int faults;
    char label[128];
} trial;

static void fault(trial *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void fault(trial *t, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (t->faults++ < 5) {
        fprintf(stderr, "rank %d of %d, %s: %s\n", t->r->rank, t->r->size, t->label, text);
    }
}

static bool went(trial *t, const char *what, upsweep_status status)
{
    if (status != UPSWEEP_OK) {
        fault(t, "%s: %s: %s", what, upsweep_status_name(status), t->r->error());
    }
    return status == UPSWEEP_OK;
}

static void same(trial *t, const char *what, const void *got, const void *expected, size_t bytes)
{
    if (bytes > 0 && memcmp(got, expected, bytes) != 0) {
        size_t i = 0;
        while (((const char *)got)[i] == ((const char *)expected)[i]) {
            i++;
        }
        fault(t, "%s: byte %zu of %zu is another", what, i, bytes);
    }
}

/* Where rank r's stretch begins. */
static size_t stretch(const trial *t, int spread, unsigned number, int r)
{
    int size = t->r->size;
    if (r >= size) {
        return t->n;
    }
    switch (spread) {
    case SPREAD_EVEN: return t->n * (size_t)r / (size_t)size;
    case SPREAD_HOLES: return t->n * (size_t)((r + 1) / 2) / (size_t)((size + 1) / 2);
    case SPREAD_LAST: return 0; /* but for the end of the last one's */
    default: {
        uint64_t state = number;
        size_t share = 0, all = 0;
        for (int q = 0; q < size; q++) {
            size_t part = input_random(&state) % 1000;
            part = part < 300 ? 0 : part;
            share += q < r ? part : 0;
            all += part;
        }
        return all == 0 ? 0 : t->n * share / all;
    }
    }
}

static size_t even(const trial *t, int r)
{
    return t->n * (size_t)r / (size_t)t->r->size;
}

static void check_sorts(trial *t, const upsweep_options *o, unsigned number)
{
    const rank_calls *r = t->r;
    upsweep_mpi_layout layout = UPSWEEP_MPI_LAYOUT_INIT;
    bool is_even = number % 2 == 1;
    layout.kind = is_even ? UPSWEEP_MPI_EVEN : UPSWEEP_MPI_AS_GIVEN;
    size_t from = is_even ? even(t, r->rank) : t->begin, room = t->n;
    size_t wanted = is_even ? even(t, r->rank + 1) - from : t->here, got = room;
    for (size_t i = 0; i < t->n; i++) {
        memcpy(t->expected + i * t->bytes, t->whole + t->order[i] * t->bytes, t->bytes);
    }
    if (went(t, "sort",
             r->sort(r->world, t->u, t->mine, t->here, t->type, &layout, t->got, &got, o))) {
        if (got != wanted) {
            fault(t, "sort: %zu elements, not %zu", got, wanted);
        } else {
            same(t, "sort", t->got, t->expected + from * t->bytes, got * t->bytes);
        }
    }
    memcpy(t->got, t->mine, t->here * t->bytes); /* in place, sizes as given */
    if (went(t, "sort in place",
             r->sort(r->world, t->u, t->got, t->here, t->type, NULL, t->got, NULL, o))) {
        same(t, "sort in place", t->got, t->expected + t->begin * t->bytes, t->here * t->bytes);
    }
    got = room;
    if (went(t, "argsort",
             r->argsort(r->world, t->u, t->mine, t->here, t->type, &layout, t->index, &got, o))) {
        for (size_t i = 0; got == wanted && i < got; i++) {
            if (t->index[i] != t->order[from + i]) {
                fault(t, "argsort: place %zu has %zu, not %zu", from + i, (size_t)t->index[i],
                      t->order[from + i]);
                break;
            }
        }
        if (got != wanted) {
            fault(t, "argsort: %zu elements, not %zu", got, wanted);
        }
    }
}

static void check_pairs(trial *t, const upsweep_options *o, unsigned number)
{
    const rank_calls *r = t->r;
    size_t width = number % 3 == 0 ? 3 : number % 3 == 1 ? 8 : 20;
    char *values = calloc(t->n + 1, width), *out = calloc(t->n + 1, width);
    for (size_t i = 0; i < t->n; i++) {
        memcpy(values + i * width, &i, width < sizeof i ? width : sizeof i);
    }
    if (went(t, "sort_pairs",
             r->sort_pairs(r->world, t->u, t->mine, values + t->begin * width, t->here, t->type,
                           width, NULL, t->got, out, NULL, o))) {
        same(t, "sort_pairs", t->got, t->expected + t->begin * t->bytes, t->here * t->bytes);
        for (size_t i = 0; i < t->here; i++) {
            same(t, "values", out + i * width, values + t->order[t->begin + i] * width, width);
        }
    }
    free(values);
    free(out);
}

/* By splitters: pieces of the expected order, some of them equal; first only how much room it
 * takes. */
static void check_splitters(trial *t, const upsweep_options *o)
{
    const rank_calls *r = t->r;
    char *splitters = calloc((size_t)r->size, t->bytes);
    size_t cut[2] = {0, t->n}, got = 0;
    if (t->n == 0 || r->size == 1) {
        free(splitters);
        return;
    }
    for (int k = 0; k < r->size - 1; k++) {
        size_t place = even(t, k == 1 ? 1 : k + 1); /* the second one is the first once more */
        memcpy(splitters + (size_t)k * t->bytes, t->expected + place * t->bytes, t->bytes);
    }
    for (int side = 0; side < 2; side++) { /* keys before splitter rank - 1 + side */
        int k = r->rank - 1 + side;
        if (k >= 0 && k < r->size - 1) {
            cut[side] = 0;
            while (cut[side] < t->n &&
                   oracle_order(t->type, o->flags, t->expected + cut[side] * t->bytes,
                                splitters + (size_t)k * t->bytes) < 0) {
                cut[side]++;
            }
        }
    }
    upsweep_mpi_layout layout = UPSWEEP_MPI_LAYOUT_INIT;
    layout.kind = UPSWEEP_MPI_SPLITTERS;
    layout.splitters = splitters;
    upsweep_status status =
        r->sort(r->world, t->u, t->mine, t->here, t->type, &layout, NULL, &got, o);
    if (status != UPSWEEP_ERROR_ARGUMENT || got != cut[1] - cut[0]) {
        fault(t, "splitters: room for %zu is asked for, not %zu", got, cut[1] - cut[0]);
    }
    got = t->n;
    if (went(t, "splitters",
             r->sort(r->world, t->u, t->mine, t->here, t->type, &layout, t->got, &got, o))) {
        if (got != cut[1] - cut[0]) {
            fault(t, "splitters: %zu elements, not %zu", got, cut[1] - cut[0]);
        } else {
            same(t, "splitters", t->got, t->expected + cut[0] * t->bytes, got * t->bytes);
        }
    }
    free(splitters);
}

static void check_top(trial *t, const upsweep_options *given, unsigned number)
{
    const rank_calls *r = t->r;
    upsweep_options o = *given;
    o.flags |= number % 2 == 0 ? UPSWEEP_LARGEST : 0u;
    size_t ks[4] = {0, t->n > 0, t->n / 3, t->n}, k = ks[number % 4];
    char *best = calloc(k + 1, t->bytes);
    uint64_t *place = calloc(k + 1, sizeof *place);
    upsweep_top_k(t->u, t->whole, t->n, k, t->type, best, place, &o);
    if (went(t, "top_k",
             r->top_k(r->world, t->u, t->mine, t->here, k, t->type, t->got, t->index, &o))) {
        same(t, "top_k", t->got, best, k * t->bytes);
        same(t, "top_k places", t->index, place, k * sizeof *place);
    }
    free(best);
    free(place);
}

static void check_unique(trial *t)
{
    const rank_calls *r = t->r;
    size_t kept, before = 0, all;
    memcpy(t->got, t->expected + t->begin * t->bytes, t->here * t->bytes);
    if (went(t, "unique", r->unique(r->world, t->u, t->got, t->here, t->type, &kept, NULL))) {
        /* What is left here stands, in the whole, behind what is left of all before it. */
        for (size_t i = 0; i < t->begin; i++) {
            before += i == 0 || memcmp(t->expected + i * t->bytes, t->expected + (i - 1) * t->bytes,
                                       t->bytes) != 0;
        }
        char *whole = calloc(t->n + 1, t->bytes);
        memcpy(whole, t->expected, t->n * t->bytes);
        upsweep_unique(t->u, whole, t->n, t->type, &all, NULL);
        if (before + kept > all || (t->end == t->n && before + kept != all)) {
            fault(t, "unique: %zu are left", kept);
        } else {
            same(t, "unique", t->got, whole + before * t->bytes, kept * t->bytes);
        }
        free(whole);
    }
}

static void check_histogram(trial *t, unsigned number)
{
    const rank_calls *r = t->r;
    upsweep_bucketing b = {.size = sizeof b, .kind = UPSWEEP_BUCKET_WIDTH, .count = 37};
    uint64_t expected[256] = {0}, got[256] = {0};
    if (number % 3 == 1) {
        b = (upsweep_bucketing){
            .size = sizeof b, .kind = UPSWEEP_BUCKET_DIGIT, .bit = 1, .bits = 6, .count = 64};
    } else if (number % 3 == 2 && t->n > 50) {
        size_t place[5] = {0, t->n / 5, t->n / 2, t->n - 9, t->n - 1};
        for (int e = 0; e < 5; e++) {
            memcpy(t->got + (size_t)e * t->bytes, t->expected + place[e] * t->bytes, t->bytes);
        }
        b = (upsweep_bucketing){
            .size = sizeof b, .kind = UPSWEEP_BUCKET_EDGES, .count = 4, .edges = t->got};
    }
    upsweep_status one = upsweep_histogram(t->u, t->whole, t->n, t->type, &b, expected, NULL);
    upsweep_status all = r->histogram(r->world, t->u, t->mine, t->here, t->type, &b, got, NULL);
    if ((one == UPSWEEP_OK) != (all == UPSWEEP_OK)) {
        fault(t, "histogram: %s, and of one process %s", upsweep_status_name(all),
              upsweep_status_name(one));
    } else if (one == UPSWEEP_OK) {
        same(t, "histogram", got, expected, sizeof got);
    }
}

static void check_folds(trial *t)
{
    const rank_calls *r = t->r;
    for (unsigned op = UPSWEEP_SUM; op <= UPSWEEP_XOR; op++) {
        uint64_t one = 0, all = 0;
        if (upsweep_reduce_type(t->type, (upsweep_op)op) == 0) {
            continue;
        }
        upsweep_reduce(t->u, t->whole, t->n, t->type, (upsweep_op)op, &one, NULL);
        if (went(
                t, "reduce",
                r->reduce(r->world, t->u, t->mine, t->here, t->type, (upsweep_op)op, &all, NULL)) &&
            one != all) {
            fault(t, "reduce %#x: %llx, not %llx", op, (unsigned long long)all,
                  (unsigned long long)one);
        }
        for (unsigned flags = 0; flags <= UPSWEEP_EXCLUSIVE; flags += UPSWEEP_EXCLUSIVE) {
            upsweep_options o = UPSWEEP_OPTIONS_INIT;
            char name[32];
            o.flags = flags;
            snprintf(name, sizeof name, "scan %#x %#x", op, flags);
            upsweep_scan(t->u, t->whole, t->expected, t->n, t->type, (upsweep_op)op, &o);
            memcpy(t->got, t->mine, t->here * t->bytes);
            if (went(t, name,
                     r->scan(r->world, t->u, flags == 0 ? t->got : t->mine, t->got, t->here,
                             t->type, (upsweep_op)op, &o))) {
                same(t, name, t->got, t->expected + t->begin * t->bytes, t->here * t->bytes);
            }
        }
    }
}

/* Records of 21 bytes: text, then the element, then two bytes that are no key. */
static int compare_records(size_t i, size_t j, const void *context)
{
    const trial *t = context;
    const char *a = t->whole + i * 21, *b = t->whole + j * 21;
    int order = memcmp(b, a, 11); /* descending */
    return order != 0 ? order : oracle_order(t->type, 0, a + 11, b + 11);
}

static void check_records(trial *t, unsigned number)
{
    const rank_calls *r = t->r;
    trial records = *t;
    records.whole = calloc(t->n + 1, 21);
    records.bytes = 21;
    char *got = calloc(t->n + 1, 21);
    for (size_t i = 0; i < t->n; i++) {
        uint64_t state = i * 77 + number, x = input_random(&state);
        memset(records.whole + i * 21, 'a', 11);
        records.whole[i * 21 + 9 + x % 2] = (char)(x >> 8 & 7);
        memcpy(records.whole + i * 21 + 11, t->whole + i * t->bytes, t->bytes);
        memcpy(records.whole + i * 21 + 19, &i, 2);
    }
    oracle_argsort_by(t->n, t->order, compare_records, &records);
    upsweep_field fields[2] = {{.offset = 0, .bytes = 11, .flags = UPSWEEP_DESCENDING},
                               {.offset = 11, .type = t->type}};
    if (went(t, "sort_records",
             r->sort_records(r->world, t->u, records.whole + t->begin * 21, t->here, 21, fields, 2,
                             NULL, got, NULL, NULL))) {
        for (size_t i = 0; i < t->here; i++) {
            same(t, "sort_records", got + i * 21, records.whole + t->order[t->begin + i] * 21, 21);
        }
    }
    free(records.whole);
    free(got);
}

int check_case(const rank_calls *r, upsweep *u, unsigned pattern, upsweep_type type, size_t n,
               int spread, unsigned number)
{
    trial t = {.r = r, .u = u, .type = type, .bytes = upsweep_type_bytes(type), .n = n};
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    /* Types come in turn as numbers do: what else is chosen must not come in the same turn. */
    uint64_t state = number;
    unsigned choice = (unsigned)(input_random(&state) >> 32);
    o.flags = choice % 4 == 1 ? UPSWEEP_DESCENDING : choice % 4 == 2 ? UPSWEEP_NAN_FIRST : 0u;
    choice /= 4;
    snprintf(t.label, sizeof t.label, "%s, %s, n %zu, spread %d, case %u", input_name(pattern),
             upsweep_type_name(type), n, spread, number);
    t.begin = stretch(&t, spread, number, r->rank);
    t.end = stretch(&t, spread, number, r->rank + 1);
    t.here = t.end - t.begin;
    t.whole = calloc(n + 1, 8);
    t.mine = calloc(t.here + 1, 8);
    t.expected = calloc(n + 1, 8);
    t.got = calloc(n + 64, 8);
    t.order = calloc(n + 1, sizeof *t.order);
    t.index = calloc(n + 1, sizeof *t.index);
    input_fill(pattern, type, t.whole, n, number);
    memcpy(t.mine, t.whole + t.begin * t.bytes, t.here * t.bytes);
    oracle_argsort(type, o.flags, t.whole, n, t.order);
    check_sorts(&t, &o, choice);
    check_pairs(&t, &o, choice / 2);
    check_splitters(&t, &o);
    check_top(&t, &o, choice / 6);
    check_unique(&t);
    check_histogram(&t, choice / 48);
    check_records(&t, number);
    check_folds(&t);
    free(t.whole);
    free(t.mine);
    free(t.expected);
    free(t.got);
    free(t.order);
    free(t.index);
    return t.faults;
}
