/* rows_results.c - what each of many rows gives: its best keys, its combination, the place of its
 * least and greatest element, its scan. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/folds.h"
#include "test/fuzz/rows.h"

#include <stdlib.h>
#include <string.h>

enum {
    BEST =
        UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW | UPSWEEP_UNSTABLE | FUZZ_LARGEST,
    WIDTHS = 4 /* bytes of the narrower index */
};

/* What all of these calls are given: elements in array 0, offsets in array 1. */
typedef struct row_case {
    fuzz_row_set rows;
    upsweep_type type;
    size_t bytes;
    void *in;
    const uint64_t *begin;
    size_t count;
} row_case;

static void draw_case(fuzz *f, row_case *c, unsigned takes)
{
    c->type = fuzz_type(f);
    c->bytes = upsweep_type_bytes(f->type);
    fuzz_rows_length(f);
    fuzz_rows_draw(f, &c->rows);
    c->rows.index_bytes = WIDTHS << fuzz_draw(f, 2);
    fuzz_options(f, takes);
    fuzz_detail(f, ", %zu %s rows", c->rows.count, c->rows.fixed ? "equal" : "any");
}

/* Makes the two arrays, with elements as op likes them (0: any). */
static void add_arrays(fuzz *f, row_case *c, upsweep_op op, fuzz_use use)
{
    fuzz_rows_twist(f, &c->rows);
    unsigned char *in = fuzz_array_new(f, use, f->n, c->bytes, c->bytes);
    if (op != 0) {
        fuzz_fill_for(f, f->type, op, in, f->n);
    } else {
        fuzz_fill(f, f->type, in, f->n);
    }
    size_t offsets = c->rows.fixed ? 0 : c->rows.count + 1;
    memcpy(fuzz_array_new(f, FUZZ_INPUT, offsets, 8, 8), c->rows.begin, offsets * 8);
    f->array[1].may_be_null = true; /* rows of one length */
    f->partial = true;
}

static void take_arrays(fuzz *f, row_case *c)
{
    c->in = fuzz_at(f, 0);
    c->begin = c->rows.fixed ? NULL : fuzz_at(f, 1);
    c->count = fuzz_count(f, f->n, c->bytes);
}

static size_t row_length(const row_case *c, size_t r)
{
    return (size_t)(c->rows.begin[r + 1] - c->rows.begin[r]);
}

static const unsigned char *row_of(const fuzz *f, const row_case *c, size_t r)
{
    return fuzz_before(f, 0) + (size_t)c->rows.begin[r] * c->bytes;
}

/* ---- upsweep_top_k_rows ---- */

static void check_best(fuzz *f, const row_case *c, size_t r, size_t k, bool with_index)
{
    size_t n = row_length(c, r), have = k < n ? k : n, width = c->rows.index_bytes;
    unsigned flags = fuzz_flags(f);
    upsweep_options o = {.flags = flags & FUZZ_LARGEST ? flags | UPSWEEP_DESCENDING : flags};
    const unsigned char *row = row_of(f, c, r), *out = f->array[2].at + r * k * c->bytes;
    uint64_t *rank = fuzz_ranks(f->type, &o, row, n), none = UINT64_MAX >> (64 - 8 * width);
    uint32_t *order = fuzz_order(rank, n);
    for (size_t i = 0; i < k && f->wrong[0] == '\0'; i++) {
        uint64_t key = fuzz_raw(out, i, c->bytes);
        uint64_t at = with_index ? fuzz_raw(f->array[3].at, r * k + i, width) : 0;
        if (i >= have && (key != 0 || (with_index && at != none))) {
            fuzz_wrong(f, "place %zu of row %zu, which has no key, holds 0x%llx from %llu", i, r,
                       (unsigned long long)key, (unsigned long long)at);
        } else if (i < have && key != fuzz_raw(row, order[i], c->bytes)) {
            fuzz_wrong(f, "key %zu of row %zu is 0x%llx", i, r, (unsigned long long)key);
        } else if (i < have && with_index && at != order[i]) {
            fuzz_wrong(f, "index %zu of row %zu is %llu, not %u", i, r, (unsigned long long)at,
                       order[i]);
        }
    }
    free(order);
    free(rank);
}

static void run_top_k_rows(fuzz *f)
{
    row_case c = {0};
    draw_case(f, &c, BEST);
    size_t rows = c.rows.count, k = (size_t)fuzz_magnitude(f, 0, 3000);
    size_t shortest = c.rows.fixed && rows > 0 ? row_length(&c, 0) : SIZE_MAX;
    k = k > shortest ? (size_t)fuzz_draw(f, shortest + 1) : k;
    while (k > 1 && rows * k > 4 * f->n + 5000) {
        k /= 2;
    }
    bool with_index = !fuzz_chance(f, 3);
    fuzz_detail(f, ", k %zu%s", k, with_index ? "" : ", no index");
    add_arrays(f, &c, (upsweep_op)0, FUZZ_INPUT);
    fuzz_array_new(f, FUZZ_OUTPUT, rows * k, c.bytes, c.bytes);
    size_t width = c.rows.index_bytes;
    fuzz_array_new(f, FUZZ_OUTPUT, with_index ? rows * k : 0, width, width);
    f->array[3].may_be_null = true;
    if (k == 0 && f->expect == UPSWEEP_ERROR_RANGE) {
        f->may_be_far = true; /* no offset need be looked at */
        f->expect = UPSWEEP_OK;
    }
    fuzz_arrays_ready(f);
    take_arrays(f, &c);
    void *out = fuzz_at(f, 2), *index = with_index ? fuzz_at(f, 3) : NULL;
    upsweep_status status = upsweep_top_k_rows(f->u, c.in, c.count, c.type, c.begin, c.rows.count,
                                               k, out, index, (unsigned)width * 8, f->o);
    if (fuzz_settle(f, status)) {
        for (size_t r = 0; r < rows && k > 0 && f->wrong[0] == '\0'; r++) {
            check_best(f, &c, r, k, with_index);
        }
        fuzz_report(f, SIZE_MAX);
    }
    free(c.rows.begin);
}

/* ---- upsweep_reduce_rows ---- */

static void run_reduce_rows(fuzz *f)
{
    row_case c = {0};
    upsweep_op op = fuzz_draw_op(f), given = fuzz_op_given(f, op);
    draw_case(f, &c, UPSWEEP_UNORDERED | UPSWEEP_ROUNDED);
    fuzz_detail(f, ", operator %d", (int)op);
    size_t rows = c.rows.count, bytes = upsweep_type_bytes(fuzz_result_type(f, op));
    add_arrays(f, &c, op, FUZZ_INPUT);
    fuzz_array_new(f, FUZZ_OUTPUT, rows, bytes == 0 ? 8 : bytes, bytes == 0 ? 8 : bytes);
    fuzz_arrays_ready(f);
    fuzz_check_operator(f, &given, bytes);
    take_arrays(f, &c);
    void *results = fuzz_at(f, 2);
    upsweep_status status = upsweep_reduce_rows(f->u, c.in, c.count, c.type, c.begin, c.rows.count,
                                                given, results, f->o);
    if (fuzz_settle(f, status)) {
        for (size_t r = 0; r < rows && f->wrong[0] == '\0'; r++) {
            fuzz_check_reduced(f, op, row_of(f, &c, r), row_length(&c, r),
                               fuzz_raw(f->array[2].at, r, bytes));
        }
        fuzz_report(f, SIZE_MAX);
    }
    free(c.rows.begin);
}

/* ---- upsweep_argmin_rows, upsweep_argmax_rows ---- */

static void run_position_rows(fuzz *f, bool greatest)
{
    row_case c = {0};
    draw_case(f, &c, 0);
    size_t rows = c.rows.count, width = c.rows.index_bytes;
    add_arrays(f, &c, (upsweep_op)0, FUZZ_INPUT);
    fuzz_array_new(f, FUZZ_OUTPUT, rows, width, width);
    fuzz_arrays_ready(f);
    take_arrays(f, &c);
    void *index = fuzz_at(f, 2);
    if (f->expect == UPSWEEP_OK && c.rows.fixed && f->n == 0 && c.rows.count > 0) {
        f->expect = UPSWEEP_ERROR_ARGUMENT;
    }
    upsweep_status status =
        greatest ? upsweep_argmax_rows(f->u, c.in, c.count, c.type, c.begin, c.rows.count, index,
                                       (unsigned)width * 8, f->o)
                 : upsweep_argmin_rows(f->u, c.in, c.count, c.type, c.begin, c.rows.count, index,
                                       (unsigned)width * 8, f->o);
    if (fuzz_settle(f, status)) {
        for (size_t r = 0; r < rows && f->wrong[0] == '\0'; r++) {
            size_t n = row_length(&c, r), at = fuzz_extreme(f->type, row_of(f, &c, r), n, greatest);
            uint64_t want = n == 0 ? UINT64_MAX >> (64 - 8 * width) : at == n ? 0 : at;
            uint64_t got = fuzz_raw(f->array[2].at, r, width);
            if (got != want) {
                fuzz_wrong(f, "the position in row %zu is %llu, not %llu", r,
                           (unsigned long long)got, (unsigned long long)want);
            }
        }
        fuzz_report(f, SIZE_MAX);
    }
    free(c.rows.begin);
}

static void run_argmin_rows(fuzz *f)
{
    run_position_rows(f, false);
}

static void run_argmax_rows(fuzz *f)
{
    run_position_rows(f, true);
}

/* ---- upsweep_scan_rows ---- */

static void run_scan_rows(fuzz *f)
{
    row_case c = {0};
    upsweep_op op = fuzz_draw_op(f), given = fuzz_op_given(f, op);
    draw_case(f, &c, UPSWEEP_EXCLUSIVE | UPSWEEP_UNORDERED);
    bool in_place = fuzz_chance(f, 3);
    fuzz_detail(f, ", operator %d%s", (int)op, in_place ? ", in place" : "");
    size_t rows = c.rows.count, n = f->n;
    add_arrays(f, &c, op, in_place ? FUZZ_IN_PLACE : FUZZ_INPUT);
    unsigned char *room = fuzz_array_new(f, in_place ? FUZZ_OUTPUT : FUZZ_IN_PLACE,
                                         in_place ? 0 : n, c.bytes, c.bytes);
    fuzz_fill_bytes(f, room, in_place ? 0 : n * c.bytes);
    f->array[2].may_be_null = true;
    fuzz_arrays_ready(f);
    fuzz_check_operator(f, &given, upsweep_type_bytes(upsweep_reduce_type(f->type, op)));
    take_arrays(f, &c);
    void *out = in_place ? c.in : fuzz_at(f, 2);
    if (!in_place && out == NULL && n > 0 && f->expect == UPSWEEP_OK) {
        f->expect = UPSWEEP_ERROR_ARGUMENT;
    }
    upsweep_status status =
        upsweep_scan_rows(f->u, c.in, out, c.count, c.type, c.begin, c.rows.count, given, f->o);
    if (fuzz_settle(f, status)) {
        const unsigned char *got = f->array[in_place ? 0 : 2].at;
        const unsigned char *was = fuzz_before(f, in_place ? 0 : 2);
        size_t first = (size_t)c.rows.begin[0] * c.bytes;
        size_t last = (size_t)c.rows.begin[rows] * c.bytes;
        for (size_t r = 0; r < rows && f->wrong[0] == '\0'; r++) {
            fuzz_check_scanned(f, op, row_of(f, &c, r), got + (size_t)c.rows.begin[r] * c.bytes,
                               row_length(&c, r));
        }
        if (memcmp(got, was, first) != 0 ||
            memcmp(got + last, was + last, n * c.bytes - last) != 0) {
            fuzz_wrong(f, "an element in no row has changed");
        }
        fuzz_report(f, SIZE_MAX);
    }
    free(c.rows.begin);
}

const fuzz_call fuzz_rows_results[] = {
    {"upsweep_top_k_rows", 6, run_top_k_rows, false},
    {"upsweep_reduce_rows", 3, run_reduce_rows, false},
    {"upsweep_argmin_rows", 2, run_argmin_rows, false},
    {"upsweep_argmax_rows", 1, run_argmax_rows, false},
    {"upsweep_scan_rows", 3, run_scan_rows, false},
    {0},
};
