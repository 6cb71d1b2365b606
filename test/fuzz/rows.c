/* rows.c - many rows, each sorted on its own: of one length or of any, short and long. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/rows.h"

#include <stdlib.h>
#include <string.h>

enum { TAKES = UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW | UPSWEEP_UNSTABLE };

/* The lengths at which a row is sorted by all threads are 256 KB of keys; here they come often. */
void fuzz_rows_length(fuzz *f)
{
    size_t n = fuzz_length(f, 2), long_row = (256u << 10) / upsweep_type_bytes(f->type);
    if (!f->small && fuzz_chance(f, 24)) {
        n = long_row - 4 + (size_t)(fuzz_chance(f, 2) ? fuzz_draw(f, 9) : fuzz_draw(f, long_row));
        f->n = n < f->most ? n : f->most;
    }
}

void fuzz_rows_draw(fuzz *f, fuzz_row_set *r)
{
    size_t n = f->n;
    r->fixed = fuzz_chance(f, 3);
    if (r->fixed) {
        size_t length =
            1 + (size_t)(fuzz_chance(f, 3) ? fuzz_draw(f, n + 1) : fuzz_magnitude(f, 1, 300));
        r->count = n < length ? 1 : n / length;
        f->n = n = n < length ? n : r->count * length;
        r->begin = malloc((r->count + 1) * sizeof *r->begin);
        for (size_t k = 0; k <= r->count; k++) {
            r->begin[k] = k * (n / r->count);
        }
        return;
    }
    size_t at = fuzz_chance(f, 2) ? 0 : (size_t)fuzz_draw(f, n / 8 + 1);
    size_t end = fuzz_chance(f, 2) ? n : n - (size_t)fuzz_draw(f, (n - at) / 8 + 1);
    uint64_t longest = fuzz_magnitude(f, 1, 2 * n + 2);
    r->begin = malloc((n + 8) * sizeof *r->begin);
    while (at < end && r->count < n + 3) {
        size_t length = (size_t)(fuzz_chance(f, 8) ? 0 : fuzz_draw(f, longest + 1));
        length = n > 60000 && fuzz_chance(f, 2) ? n : length;
        r->begin[r->count++] = at;
        at += length < end - at ? length : end - at;
    }
    r->begin[r->count] = at;
}

static void check_row(fuzz *f, const fuzz_row_set *r, size_t row)
{
    size_t bytes = upsweep_type_bytes(f->type), at = (size_t)r->begin[row];
    size_t n = (size_t)r->begin[row + 1] - at;
    const unsigned char *before = fuzz_before(f, 0) + at * bytes;
    const unsigned char *got = f->array[0].at + at * bytes;
    bool stable = !(fuzz_flags(f) & UPSWEEP_UNSTABLE);
    uint64_t last = 0, from = 0, rank;
    for (size_t i = 0; i < n && f->wrong[0] == '\0'; i++, last = rank) {
        uint64_t raw = fuzz_raw(got, i, bytes), was = from;
        rank = fuzz_rank(f->type, fuzz_flags(f), raw);
        if (i > 0 && rank < last) {
            fuzz_wrong(f, "key %zu of row %zu is less than the one before it", i, row);
        }
        if (r->index_bytes == 0) {
            continue;
        }
        from = fuzz_raw(f->array[2].at, at + i, r->index_bytes);
        if (from >= n || fuzz_raw(before, from, bytes) != raw) {
            fuzz_wrong(f, "index %zu of row %zu is %llu, where its key was not", i, row,
                       (unsigned long long)from);
        } else if (stable && i > 0 && rank == last && from <= was) {
            fuzz_wrong(f, "index %zu of row %zu is %llu, after %llu", i, row,
                       (unsigned long long)from, (unsigned long long)was);
        }
    }
    if (fuzz_sum_of_elements(before, n, bytes) != fuzz_sum_of_elements(got, n, bytes)) {
        fuzz_wrong(f, "the keys of row %zu are not those it had", row);
    }
}

static void check_outside(fuzz *f, size_t from, size_t to, size_t index_bytes)
{
    size_t bytes = upsweep_type_bytes(f->type);
    if (memcmp(f->array[0].at + from * bytes, fuzz_before(f, 0) + from * bytes,
               (to - from) * bytes) != 0 ||
        memcmp(f->array[2].at + from * index_bytes, fuzz_before(f, 2) + from * index_bytes,
               (to - from) * index_bytes) != 0) {
        fuzz_wrong(f, "a key or an index in no row has changed");
    }
}

void fuzz_rows_twist(fuzz *f, fuzz_row_set *r)
{
    if (f->twist != TWIST_RANGE || f->expect != UPSWEEP_OK) {
        return;
    }
    if (!r->fixed && r->count > 0 && f->n > 0) {
        size_t k = (size_t)fuzz_draw(f, r->count + 1);
        r->begin[k] = k == 0 ? r->begin[1] + 1 : f->n + 1 + fuzz_draw(f, 1000);
        f->expect = UPSWEEP_ERROR_RANGE;
    } else if (r->fixed && f->n > 0) {
        r->count = f->twist_at % 2 == 0 ? 0 : f->n + 1;
        f->expect = UPSWEEP_ERROR_ARGUMENT;
    }
}

static void run_rows(fuzz *f)
{
    fuzz_row_set r = {0};
    upsweep_type type = fuzz_type(f);
    size_t bytes = upsweep_type_bytes(f->type);
    fuzz_rows_length(f);
    fuzz_rows_draw(f, &r);
    size_t n = f->n, index = (size_t)fuzz_draw(f, 3) * 4;
    r.index_bytes = index;
    fuzz_options(f, TAKES);
    fuzz_detail(f, ", %zu %s rows, index of %zu bits", r.count, r.fixed ? "equal" : "any",
                8 * index);
    fuzz_rows_twist(f, &r);
    fuzz_fill(f, f->type, fuzz_array_new(f, FUZZ_IN_PLACE, n, bytes, bytes), n);
    unsigned char *begin = fuzz_array_new(f, FUZZ_INPUT, r.fixed ? 0 : r.count + 1, 8, 8);
    memcpy(begin, r.begin, r.fixed ? 0 : (r.count + 1) * 8);
    fuzz_array_new(f, FUZZ_OUTPUT, n, index, index == 0 ? 1 : index);
    f->array[1].may_be_null = f->array[2].may_be_null = true; /* they then mean something else */
    f->partial = true;
    fuzz_arrays_ready(f);
    void *keys = fuzz_at(f, 0), *at = f->array[1].device != NULL ? f->array[1].device : begin;
    void *to = f->array[2].device != NULL ? f->array[2].device : f->array[2].at;
    size_t count = fuzz_count(f, n, bytes);
    upsweep_status status = upsweep_sort_rows(f->u, keys, count, type, r.fixed ? NULL : at, r.count,
                                              index == 0 ? NULL : to, (unsigned)index * 8, f->o);
    if (fuzz_settle(f, status)) {
        for (size_t k = 0; k < r.count && f->wrong[0] == '\0'; k++) {
            check_row(f, &r, k);
        }
        check_outside(f, 0, (size_t)r.begin[0], index);
        check_outside(f, (size_t)r.begin[r.count], n, index);
        fuzz_report(f, SIZE_MAX);
    }
    free(r.begin);
}

const fuzz_call fuzz_rows[] = {
    {"upsweep_sort_rows", 8, run_rows, false},
    {0},
};
