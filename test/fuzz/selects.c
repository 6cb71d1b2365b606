/* selects.c - the k-th key, the k best, and keys without their repeats. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum {
    ORDER = UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW,
    BEST = ORDER | FUZZ_LARGEST | UPSWEEP_UNSTABLE
};

/* The greatest are the least of the descending order. */
static unsigned order_of(const fuzz *f)
{
    unsigned flags = fuzz_flags(f);
    return flags & FUZZ_LARGEST ? flags | UPSWEEP_DESCENDING : flags;
}

static void twist_algorithm(fuzz *f)
{
    if (f->o != NULL && f->twist == TWIST_ALGORITHM) {
        f->options.algorithm = "sort/hybrid"; /* these calls have no choice */
        f->expect = UPSWEEP_ERROR_ALGORITHM;
    }
}

/* ---- upsweep_nth_element ---- */

static void run_nth(fuzz *f)
{
    size_t n = fuzz_length(f, 1);
    upsweep_type type = fuzz_type(f);
    size_t bytes = upsweep_type_bytes(f->type), k = n == 0 ? 0 : (size_t)fuzz_draw(f, n);
    k = n > 0 && fuzz_chance(f, 4) ? (fuzz_chance(f, 2) ? 0 : n - 1) : k;
    fuzz_options(f, BEST | UPSWEEP_IN_PLACE);
    twist_algorithm(f);
    if (f->twist == TWIST_RANGE || n == 0) {
        k = n + f->twist_at;
        f->expect = f->expect == UPSWEEP_OK ? UPSWEEP_ERROR_ARGUMENT : f->expect;
    }
    fuzz_detail(f, ", k %zu", k);
    fuzz_fill(f, f->type, fuzz_array_new(f, FUZZ_IN_PLACE, n, bytes, bytes), n);
    fuzz_arrays_ready(f);
    size_t count = fuzz_count(f, n, bytes);
    if (n == 0 && f->expect == UPSWEEP_ERROR_ALGORITHM) {
        return;
    }
    if (!fuzz_settle(f, upsweep_nth_element(f->u, fuzz_at(f, 0), count, k, type, f->o))) {
        return;
    }
    const unsigned char *got = f->array[0].at;
    uint64_t kth = fuzz_rank(f->type, order_of(f), fuzz_raw(got, k, bytes));
    for (size_t i = 0; i < n; i++) {
        uint64_t rank = fuzz_rank(f->type, order_of(f), fuzz_raw(got, i, bytes));
        if (i < k ? rank > kth : rank < kth) {
            fuzz_wrong(f, "key %zu stands on the wrong side of key %zu", i, k);
            break;
        }
    }
    if (fuzz_sum_of_elements(fuzz_before(f, 0), n, bytes) != fuzz_sum_of_elements(got, n, bytes)) {
        fuzz_wrong(f, "the keys are not those of the input");
    }
    fuzz_report(f, 0);
}

/* ---- upsweep_top_k ---- */

static void check_index(fuzz *f, const uint64_t *rank, const uint32_t *order, size_t k)
{
    unsigned char *seen = calloc(f->n + 1, 1);
    for (size_t i = 0; i < k && f->wrong[0] == '\0'; i++) {
        uint64_t at = fuzz_raw(f->array[2].at, i, 8);
        bool same = at < f->n && rank[at] == rank[order[i]] && seen[at]++ == 0;
        if (!same || (!(fuzz_flags(f) & UPSWEEP_UNSTABLE) && at != order[i])) {
            fuzz_wrong(f, "index %zu is %llu, not %u", i, (unsigned long long)at, order[i]);
        }
    }
    free(seen);
}

static void check_top_k(fuzz *f, size_t k, bool with_index)
{
    upsweep_options o = {.flags = order_of(f)};
    size_t bytes = upsweep_type_bytes(f->type);
    uint64_t *rank = fuzz_ranks(f->type, &o, fuzz_before(f, 0), f->n);
    uint32_t *order = fuzz_order(rank, f->n);
    fuzz_moved(f, "key", f->array[1].at, fuzz_before(f, 0), order, k, bytes);
    if (with_index) {
        check_index(f, rank, order, k);
    }
    free(order);
    free(rank);
}

static void run_top_k(fuzz *f)
{
    size_t n = fuzz_length(f, 2);
    upsweep_type type = fuzz_type(f);
    size_t bytes = upsweep_type_bytes(f->type);
    size_t k = (size_t)(fuzz_chance(f, 2) ? fuzz_draw(f, n + 1) : fuzz_magnitude(f, 0, n));
    bool with_index = !fuzz_chance(f, 3);
    fuzz_options(f, BEST);
    twist_algorithm(f);
    fuzz_fill(f, f->type, fuzz_array_new(f, FUZZ_INPUT, n, bytes, bytes), n);
    fuzz_array_new(f, FUZZ_OUTPUT, k, bytes, bytes);
    fuzz_array_new(f, FUZZ_OUTPUT, with_index ? k : 0, 8, 8);
    f->array[2].may_be_null = true;
    fuzz_arrays_ready(f);
    size_t asked = k;
    if (f->twist == TWIST_RANGE && f->expect == UPSWEEP_OK) {
        asked = n + 1 + f->twist_at;
        f->expect = UPSWEEP_ERROR_ARGUMENT;
    }
    fuzz_detail(f, ", k %zu%s", asked, with_index ? "" : ", no index");
    void *keys = fuzz_at(f, 0), *out = fuzz_at(f, 1), *index = with_index ? fuzz_at(f, 2) : NULL;
    size_t count = fuzz_count(f, n, bytes);
    if (fuzz_settle(f, upsweep_top_k(f->u, keys, count, asked, type, out, index, f->o))) {
        check_top_k(f, k, with_index);
        fuzz_report(f, 32 * n + ((size_t)f->threads << 20)); /* which sorts them */
    }
}

/* ---- upsweep_unique, upsweep_run_lengths ---- */

static void fill_with_repeats(fuzz *f, unsigned char *keys, size_t n)
{
    size_t bytes = upsweep_type_bytes(f->type);
    uint64_t repeats = fuzz_draw(f, 10);
    fuzz_fill(f, f->type, keys, n);
    if (fuzz_chance(f, 3)) {
        fuzz_sort_plainly(f->type, 0, keys, n);
    }
    for (size_t i = 1; i < n && repeats > 2; i++) {
        if (fuzz_draw(f, 10) < repeats) {
            memcpy(keys + i * bytes, keys + (i - 1) * bytes, bytes);
        }
    }
}

/* Whether element i is equal to the one before: in all bits, or with NUMBERS as a number, zeros and
 * NaNs among them. */
static bool repeats(const fuzz *f, const unsigned char *keys, size_t i)
{
    size_t bytes = upsweep_type_bytes(f->type);
    uint64_t a = fuzz_raw(keys, i - 1, bytes), b = fuzz_raw(keys, i, bytes);
    uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    if (!(fuzz_flags(f) & UPSWEEP_NUMBERS) || f->type < UPSWEEP_F16) {
        return a == b;
    }
    return a == b || ((a | b) & ~sign) == 0 || (fuzz_is_nan(f->type, a) && fuzz_is_nan(f->type, b));
}

static void run_unique(fuzz *f)
{
    size_t n = fuzz_length(f, 1), kept = SIZE_MAX, want = 0;
    upsweep_type type = fuzz_type(f);
    size_t bytes = upsweep_type_bytes(f->type);
    fuzz_options(f, ORDER | UPSWEEP_IN_PLACE | UPSWEEP_NUMBERS);
    twist_algorithm(f);
    fill_with_repeats(f, fuzz_array_new(f, FUZZ_IN_PLACE, n, bytes, bytes), n);
    fuzz_arrays_ready(f);
    size_t count = fuzz_count(f, n, bytes);
    if (!fuzz_settle(f, upsweep_unique(f->u, fuzz_at(f, 0), count, type, &kept, f->o))) {
        return;
    }
    unsigned char *left = malloc(n * bytes + 1);
    const unsigned char *before = fuzz_before(f, 0);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || !repeats(f, before, i)) {
            memcpy(left + want++ * bytes, before + i * bytes, bytes);
        }
    }
    if (kept != want || memcmp(left, f->array[0].at, want * bytes) != 0) {
        fuzz_wrong(f, "%zu keys are kept, not these %zu", kept, want);
    } else if (memcmp(f->array[0].at + want * bytes, before + want * bytes, (n - want) * bytes)) {
        fuzz_wrong(f, "what stands after the keys that are kept has changed");
    }
    free(left);
    fuzz_report(f, ((size_t)f->threads << 20) + 65536);
}

static void run_run_lengths(fuzz *f)
{
    size_t n = fuzz_length(f, 1), runs = SIZE_MAX, want = 0;
    upsweep_type type = fuzz_type(f);
    size_t bytes = upsweep_type_bytes(f->type);
    fuzz_options(f, ORDER | UPSWEEP_NUMBERS);
    twist_algorithm(f);
    fill_with_repeats(f, fuzz_array_new(f, FUZZ_INPUT, n, bytes, bytes), n);
    fuzz_array_new(f, FUZZ_OUTPUT, n, bytes, bytes);
    fuzz_array_new(f, FUZZ_OUTPUT, n, 8, 8);
    fuzz_arrays_ready(f);
    void *keys = fuzz_at(f, 0), *out = fuzz_at(f, 1), *counts = fuzz_at(f, 2);
    size_t count = fuzz_count(f, n, bytes);
    if (!fuzz_settle(f, upsweep_run_lengths(f->u, keys, count, type, out, counts, &runs, f->o))) {
        return;
    }
    const unsigned char *in = fuzz_before(f, 0);
    for (size_t i = 0, end; i < n; i = end, want++) {
        for (end = i + 1; end < n && repeats(f, in, end);) {
            end++;
        }
        if (fuzz_raw(f->array[2].at, want, 8) != end - i ||
            memcmp(f->array[1].at + want * bytes, in + i * bytes, bytes) != 0) {
            fuzz_wrong(f, "run %zu is wrong", want);
            break;
        }
    }
    if (runs != want) {
        fuzz_wrong(f, "%zu runs, not %zu", runs, want);
    }
    fuzz_report(f, SIZE_MAX);
}

const fuzz_call fuzz_selects[] = {
    {"upsweep_nth_element", 4, run_nth, false},
    {"upsweep_top_k", 4, run_top_k, false},
    {"upsweep_unique", 3, run_unique, false},
    {"upsweep_run_lengths", 3, run_run_lengths, false},
    {0},
};
