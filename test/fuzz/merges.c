/* merges.c - merges of two sorted arrays, and of many. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { TAKES = UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW, RUNS = 70 };

/* got has the keys of these arrays, and is in order if they were. */
static void check_merged(fuzz *f, unsigned inputs, const unsigned char *got, bool in_order)
{
    size_t bytes = upsweep_type_bytes(f->type);
    uint64_t last = 0, sum = 0;
    for (size_t i = 0; i < f->n && in_order; i++) {
        uint64_t rank = fuzz_rank(f->type, fuzz_flags(f), fuzz_raw(got, i, bytes));
        if (rank < last) {
            fuzz_wrong(f, "key %zu is less than the one before it", i);
            return;
        }
        last = rank;
    }
    for (unsigned k = 0; k < inputs; k++) {
        sum += fuzz_sum_of_elements(f->array[k].at, f->array[k].bytes / bytes, bytes);
    }
    if (sum != fuzz_sum_of_elements(got, f->n, bytes)) {
        fuzz_wrong(f, "the keys are not those of the inputs");
    }
}

static void fill_run(fuzz *f, void *at, size_t n, bool in_order)
{
    fuzz_fill(f, f->type, at, n);
    if (in_order) {
        fuzz_sort_plainly(f->type, fuzz_flags(f), at, n);
    }
}

static void twist_options(fuzz *f)
{
    if (f->o != NULL && f->twist == TWIST_ALGORITHM) {
        f->options.algorithm = "sort/vmerge";
        f->expect = UPSWEEP_ERROR_ALGORITHM;
    } else if (f->o != NULL && f->twist == TWIST_RANGE) {
        f->options.bit_end = 3;
        f->expect = UPSWEEP_ERROR_ARGUMENT;
    }
}

static void run_merge(fuzz *f)
{
    size_t n = fuzz_length(f, 2);
    upsweep_type type = fuzz_type(f);
    size_t bytes = upsweep_type_bytes(f->type);
    size_t na = fuzz_chance(f, 4) ? n - fuzz_magnitude(f, 0, n) : (size_t)fuzz_draw(f, n + 1);
    bool in_order = !fuzz_chance(f, 10);
    fuzz_options(f, TAKES);
    twist_options(f);
    fuzz_detail(f, ", %zu and %zu keys%s", na, n - na, in_order ? "" : ", in no order");
    fill_run(f, fuzz_array_new(f, FUZZ_INPUT, na, bytes, bytes), na, in_order);
    fill_run(f, fuzz_array_new(f, FUZZ_INPUT, n - na, bytes, bytes), n - na, in_order);
    fuzz_array_new(f, FUZZ_OUTPUT, n, bytes, bytes);
    fuzz_arrays_ready(f);
    void *a = fuzz_at(f, 0), *b = fuzz_at(f, 1), *out = fuzz_at(f, 2);
    size_t count = fuzz_count(f, na, bytes);
    if (fuzz_settle(f, upsweep_merge(f->u, a, count, b, n - na, out, type, f->o))) {
        check_merged(f, 2, f->array[2].at, in_order);
        fuzz_report(f, (size_t)f->threads * (3 * 4096 * 8 + 4096) + 65536);
    }
}

static void run_merge_runs(fuzz *f)
{
    size_t n = fuzz_length(f, 3), counts[RUNS], left = n;
    const void *runs[RUNS];
    upsweep_type type = fuzz_type(f);
    size_t bytes = upsweep_type_bytes(f->type), k = 1 + (size_t)fuzz_magnitude(f, 0, RUNS - 1);
    bool in_order = !fuzz_chance(f, 12);
    fuzz_options(f, TAKES);
    twist_options(f);
    fuzz_detail(f, ", %zu runs%s", k, in_order ? "" : ", in no order");
    unsigned char *in = fuzz_array_new(f, FUZZ_INPUT, n, bytes, bytes);
    fuzz_array_new(f, FUZZ_OUTPUT, n, bytes, bytes);
    for (size_t i = 0; i < k; i++) {
        counts[i] = i + 1 == k ? left : fuzz_chance(f, 4) ? 0 : fuzz_magnitude(f, 0, left);
        left -= counts[i];
        fill_run(f, in + left * bytes, counts[i], in_order);
    }
    fuzz_arrays_ready(f);
    unsigned char *at = fuzz_at(f, 0), *out = fuzz_at(f, 1);
    left = n;
    for (size_t i = 0; i < k; i++) { /* the first lies last; what is empty may have no address */
        left -= counts[i];
        runs[i] = counts[i] == 0 && i % 2 ? NULL : at == NULL ? NULL : at + left * bytes;
    }
    counts[0] = fuzz_count(f, counts[0], bytes);
    if (fuzz_settle(f, upsweep_merge_runs(f->u, runs, counts, k, out, type, f->o))) {
        check_merged(f, 1, f->array[1].at, in_order);
        fuzz_report(f, n * bytes + 64 * k + 65536);
    }
}

const fuzz_call fuzz_merges[] = {
    {"upsweep_merge", 4, run_merge, false},
    {"upsweep_merge_runs", 4, run_merge_runs, false},
    {0},
};
