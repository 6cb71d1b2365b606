/* sorts.c - sorts of keys, by types and by a comparator; whether keys are in order. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum {
    TAKES = UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW | UPSWEEP_UNSTABLE |
            UPSWEEP_IN_PLACE,
    MEGABYTE = 1 << 20
};

/* Names of sorts that take n^2 steps, or n log^2 n, are for short arrays. */
static void keep_short(fuzz *f)
{
    const char *name = f->o == NULL ? NULL : f->o->algorithm;
    if (name != NULL && f->n > 1500 &&
        (strcmp(name, "sort/oddeven") == 0 || strcmp(name, "sort/bitonic") == 0)) {
        f->n = f->n % 1500;
    }
}

static void both_nans(fuzz *f)
{
    if (f->twist == TWIST_RANGE && f->o != NULL && f->expect == UPSWEEP_OK) {
        f->options.flags |= UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW;
        f->expect = UPSWEEP_ERROR_ARGUMENT;
    }
}

static bool has_bits(const fuzz *f)
{
    return f->o != NULL && f->o->bit_end != 0;
}

/* ---- upsweep_sort ---- */

/* By a range of bits the sort is stable, since keys that compare equal may differ. */
static void check_by_bits(fuzz *f, size_t bytes)
{
    uint64_t *rank = fuzz_ranks(f->type, f->o, fuzz_before(f, 0), f->n);
    uint32_t *order = fuzz_order(rank, f->n);
    fuzz_moved(f, "key", f->array[0].at, fuzz_before(f, 0), order, f->n, bytes);
    free(order);
    free(rank);
}

static void check_sorted(fuzz *f, unsigned flags, const void *before, const void *got, size_t n)
{
    size_t bytes = upsweep_type_bytes(f->type);
    uint64_t last = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t rank = fuzz_rank(f->type, flags, fuzz_raw(got, i, bytes));
        if (rank < last) {
            fuzz_wrong(f, "key %zu is less than the one before it", i);
            return;
        }
        last = rank;
    }
    if (fuzz_sum_of_elements(before, n, bytes) != fuzz_sum_of_elements(got, n, bytes)) {
        fuzz_wrong(f, "the keys are not those of the input");
    }
}

static void run_sort(fuzz *f)
{
    fuzz_length(f, 1);
    upsweep_type type = fuzz_type(f);
    size_t bytes = upsweep_type_bytes(f->type), own = MEGABYTE * (size_t)f->threads + 65536;
    fuzz_options(f, TAKES);
    fuzz_bits(f);
    both_nans(f);
    fuzz_algorithm(f, "sort/");
    keep_short(f);
    fuzz_fill(f, f->type, fuzz_array_new(f, FUZZ_IN_PLACE, f->n, bytes, bytes), f->n);
    fuzz_arrays_ready(f);
    bool in_place = (fuzz_flags(f) & UPSWEEP_IN_PLACE) != 0;
    /* A GPU sorts no range of bits in place. */
    f->may_refuse |= in_place && has_bits(f) && f->device;
    upsweep_status status =
        upsweep_sort(f->u, fuzz_at(f, 0), fuzz_count(f, f->n, bytes), type, f->o);
    if (!fuzz_settle(f, status)) {
        return;
    }
    if (has_bits(f)) {
        check_by_bits(f, bytes);
    } else {
        check_sorted(f, fuzz_flags(f), fuzz_before(f, 0), f->array[0].at, f->n);
    }
    fuzz_report(f, own + (in_place ? 0 : f->n * bytes));
}

/* The method that is told runs where no pattern is seen; here only that it is one. */
static void run_explain(fuzz *f)
{
    upsweep_report r = {0};
    size_t n = fuzz_chance(f, 2) ? fuzz_length(f, 1) : (size_t)fuzz_magnitude(f, 1, 1u << 31);
    f->n = n;
    upsweep_type type = fuzz_type(f);
    fuzz_options(f, TAKES);
    fuzz_bits(f);
    both_nans(f);
    fuzz_algorithm(f, "sort/");
    n = fuzz_count(f, n, upsweep_type_bytes(f->type));
    if (!fuzz_settle(f, upsweep_explain_choice(f->u, n, type, f->o, &r))) {
        return;
    }
    if (r.scratch_bytes != 0 || !fuzz_is_method(r.algorithm) || strlen(r.reason) < 8) {
        fuzz_wrong(f, "the choice is %s, since %s, with %zu bytes", r.algorithm, r.reason,
                   r.scratch_bytes);
    }
    const char *asked = f->o == NULL ? NULL : f->o->algorithm;
    if (asked != NULL && strcmp(r.algorithm, asked) != 0) {
        fuzz_wrong(f, "%s was asked for, and %s is told", asked, r.algorithm);
    }
}

/* ---- upsweep_is_sorted ---- */

static void run_is_sorted(fuzz *f)
{
    size_t n = fuzz_length(f, 1), first = SIZE_MAX;
    upsweep_type type = fuzz_type(f);
    size_t bytes = upsweep_type_bytes(f->type);
    fuzz_options(f, TAKES);
    fuzz_bits(f);
    both_nans(f);
    unsigned char *keys = fuzz_array_new(f, FUZZ_INPUT, n, bytes, bytes);
    fuzz_fill(f, f->type, keys, n);
    if (!fuzz_chance(f, 3)) {
        fuzz_sort_plainly(f->type, fuzz_flags(f), keys, n);
        for (uint64_t flaws = fuzz_draw(f, 3); flaws > 0 && n > 0; flaws--) {
            uint64_t to = fuzz_draw(f, n), from = fuzz_draw(f, n);
            memmove(keys + to * bytes, keys + from * bytes, bytes);
        }
    }
    fuzz_arrays_ready(f);
    size_t count = fuzz_count(f, n, bytes);
    if (!fuzz_settle(f, upsweep_is_sorted(f->u, fuzz_at(f, 0), count, type, &first, f->o))) {
        return;
    }
    uint64_t *rank = fuzz_ranks(f->type, f->o, keys, n);
    size_t want = n == 0 ? 0 : 1;
    while (want < n && rank[want - 1] <= rank[want]) {
        want++;
    }
    free(rank);
    if (first != want) {
        fuzz_wrong(f, "the first key out of order is %zu, not %zu", want, first);
    }
    fuzz_report(f, 0);
}

/* ---- upsweep_sort_by ---- */

/* Compares `bytes` bytes from `at` on, after a mask that makes ties; or lies. */
typedef struct order_by {
    size_t at, bytes;
    unsigned char mask;
    bool lies;
} order_by;

static int compare(const void *a, const void *b, void *context)
{
    const order_by *o = context;
    const unsigned char *x = (const unsigned char *)a + o->at,
                        *y = (const unsigned char *)b + o->at;
    if (o->lies) {
        return (int)(fuzz_mix(x[0], (uint64_t)(uintptr_t)a ^ y[0]) % 3) - 1;
    }
    for (size_t i = 0; i < o->bytes; i++) {
        if ((x[i] & o->mask) != (y[i] & o->mask)) {
            return (x[i] & o->mask) < (y[i] & o->mask) ? -1 : 1;
        }
    }
    return 0;
}

/* Up to eight bytes as a number that goes as the comparator does. */
static uint64_t rank_by(const order_by *o, const unsigned char *element, bool descending)
{
    uint64_t rank = 0;
    for (size_t i = 0; i < o->bytes; i++) {
        rank = rank << 8 | (element[o->at + i] & o->mask);
    }
    return descending ? ~rank : rank;
}

static void check_by(fuzz *f, const order_by *o, size_t bytes)
{
    const unsigned char *before = fuzz_before(f, 0), *got = f->array[0].at;
    if (o->lies || (fuzz_flags(f) & UPSWEEP_UNSTABLE)) {
        if (fuzz_sum_of_elements(before, f->n, bytes) != fuzz_sum_of_elements(got, f->n, bytes)) {
            fuzz_wrong(f, "the elements are not those of the input");
        }
    }
    uint64_t *rank = malloc((f->n + 1) * sizeof *rank);
    for (size_t i = 0; i < f->n; i++) {
        rank[i] = rank_by(o, before + i * bytes, (fuzz_flags(f) & UPSWEEP_DESCENDING) != 0);
    }
    uint32_t *order = fuzz_order(rank, f->n);
    for (size_t i = 0; i < f->n && (fuzz_flags(f) & UPSWEEP_UNSTABLE) && !o->lies; i++) {
        if (rank_by(o, got + i * bytes, (fuzz_flags(f) & UPSWEEP_DESCENDING) != 0) !=
            rank[order[i]]) {
            fuzz_wrong(f, "element %zu is not in its place", i);
            break;
        }
    }
    if (!o->lies && !(fuzz_flags(f) & UPSWEEP_UNSTABLE)) {
        fuzz_moved(f, "element", got, before, order, f->n, bytes);
    }
    free(order);
    free(rank);
}

static void run_sort_by(fuzz *f)
{
    size_t n = fuzz_length(f, 4), bytes = 1 + (size_t)fuzz_magnitude(f, 0, 60);
    order_by o = {.bytes = 1 + (size_t)fuzz_draw(f, bytes < 8 ? bytes : 8)};
    o.at = (size_t)fuzz_draw(f, bytes - o.bytes + 1);
    o.mask = (unsigned char)(fuzz_chance(f, 2) ? 0xff : fuzz_random(f));
    o.lies = fuzz_chance(f, 10);
    fuzz_detail(f, ", elements of %zu bytes, by %zu from %zu on, mask 0x%x%s", bytes, o.bytes, o.at,
                o.mask, o.lies ? ", by lies" : "");
    fuzz_options(f, UPSWEEP_DESCENDING | UPSWEEP_UNSTABLE | UPSWEEP_IN_PLACE);
    if (f->o != NULL && f->twist == TWIST_ALGORITHM) {
        f->options.algorithm = "sort/radix"; /* of another call */
        f->expect = UPSWEEP_ERROR_ALGORITHM;
    }
    unsigned char *base = fuzz_array_new(f, FUZZ_IN_PLACE, n, bytes, 1);
    fuzz_fill_bytes(f, base, n * bytes);
    if (fuzz_chance(f, 3)) {
        qsort_r(base, n, bytes, compare, &o);
    }
    fuzz_arrays_ready(f);
    size_t count = fuzz_count(f, n, bytes);
    if (fuzz_settle(f, upsweep_sort_by(f->u, fuzz_at(f, 0), count, bytes, compare, &o, f->o))) {
        check_by(f, &o, bytes);
        size_t own = (size_t)f->threads << 20; /* in place each thread has some */
        fuzz_report(f, fuzz_flags(f) & UPSWEEP_IN_PLACE ? own : n * bytes + 65536);
    }
}

const fuzz_call fuzz_sorts[] = {
    {"upsweep_sort", 20, run_sort, false},
    {"upsweep_explain_choice", 1, run_explain, false},
    {"upsweep_is_sorted", 3, run_is_sorted, false},
    {"upsweep_sort_by", 4, run_sort_by, true},
    {0},
};
