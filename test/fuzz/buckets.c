/* buckets.c - keys into buckets: by a digit, by equal widths, by edges; counted or split. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };

/* A bucketing, its bounds, and which bucket each key falls into (count: none). */
typedef struct bucket_case {
    upsweep_bucketing b;
    uint64_t low, high; /* elements */
    unsigned char *edges, *keys;
    uint32_t *bucket;
} bucket_case;

/* ---- which bucket ---- */

/* Whether a, as a number, is less than b. */
static bool is_below(upsweep_type type, uint64_t a, uint64_t b)
{
    if (fuzz_is_float(type)) {
        return fuzz_value(type, a) < fuzz_value(type, b);
    }
    return fuzz_rank(type, 0, a) < fuzz_rank(type, 0, b);
}

static size_t bucket_by_edges(const bucket_case *c, upsweep_type type, uint64_t raw)
{
    size_t bytes = upsweep_type_bytes(type), count = c->b.count, low = 0, high = count + 1;
    if (fuzz_is_nan(type, raw)) {
        return count;
    }
    while (low < high) { /* how many edges are not above the key */
        size_t middle = low + (high - low) / 2;
        if (is_below(type, raw, fuzz_raw(c->edges, middle, bytes))) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    bool last = low == count + 1 && !is_below(type, fuzz_raw(c->edges, count, bytes), raw);
    return low == 0 || (low == count + 1 && !last) ? count : last ? count - 1 : low - 1;
}

/* numpy's rule: the bucket that (key - low) * scale tells, made right by the edges beside it. */
static size_t bucket_by_width(const bucket_case *c, upsweep_type type, double low, double high,
                              uint64_t raw)
{
    size_t count = c->b.count;
    double key = fuzz_value(type, raw), step;
    if (low == high) {
        low -= 0.5;
        high += 0.5;
    }
    step = (high - low) / (double)count;
    if (!(key >= low && key <= high)) {
        return count;
    }
    size_t i = (size_t)((key - low) * ((double)count / (high - low)));
    i = i >= count ? count - 1 : i;
    while (i > 0 && key < low + (double)i * step) {
        i--;
    }
    while (i + 1 < count && key >= low + (double)(i + 1) * step) {
        i++;
    }
    return i;
}

static void find_buckets(const fuzz *f, bucket_case *c)
{
    size_t bytes = upsweep_type_bytes(f->type), none = c->b.count;
    double low = fuzz_value(f->type, c->low), high = fuzz_value(f->type, c->high);
    for (size_t i = 0; i < f->n && c->b.kind == UPSWEEP_BUCKET_WIDTH && c->b.low == NULL; i++) {
        double value = fuzz_value(f->type, fuzz_raw(c->keys, i, bytes)); /* their own range */
        low = i == 0 || value < low ? value : low;
        high = i == 0 || value > high ? value : high;
    }
    c->bucket = malloc((f->n + 1) * sizeof *c->bucket);
    for (size_t i = 0; i < f->n; i++) {
        uint64_t raw = fuzz_raw(c->keys, i, bytes);
        switch (c->b.kind) {
        case UPSWEEP_BUCKET_DIGIT:
            raw = fuzz_rank(f->type, 0, raw) >> c->b.bit;
            c->bucket[i] = (uint32_t)(raw & (none - 1));
            break;
        case UPSWEEP_BUCKET_WIDTH:
            c->bucket[i] = (uint32_t)bucket_by_width(c, f->type, low, high, raw);
            break;
        default: c->bucket[i] = (uint32_t)bucket_by_edges(c, f->type, raw); break;
        }
    }
}

/* ---- drawing ---- */

static void draw_digit(fuzz *f, bucket_case *c)
{
    unsigned bits = 8 * (unsigned)upsweep_type_bytes(f->type);
    c->b.bits = 1 + (unsigned)fuzz_draw(f, fuzz_chance(f, 4) && bits > 8 ? 16 : 8);
    c->b.bits = c->b.bits > bits ? bits : c->b.bits;
    c->b.bit = (unsigned)fuzz_draw(f, bits - c->b.bits + 1);
    c->b.count = (size_t)1 << c->b.bits;
    fuzz_fill(f, f->type, c->keys, f->n);
}

static int64_t least_number(upsweep_type type)
{
    return !fuzz_is_float(type) && !fuzz_is_signed(type) ? 0 : -100;
}

/* Small whole numbers and ranges of powers of two, which f16, f32 and f64 all bin alike. Integers
 * of 64 bits stay below 2^53. */
static void draw_width(fuzz *f, bucket_case *c)
{
    size_t bytes = upsweep_type_bytes(f->type);
    int64_t low = least_number(f->type) + (int64_t)fuzz_draw(f, 20);
    bool exact = f->type != UPSWEEP_F64 && (fuzz_is_float(f->type) || bytes == 1);
    int64_t span = exact ? (int64_t)1 << fuzz_draw(f, 6) : (int64_t)fuzz_magnitude(f, 0, 20000);
    c->b.count = exact ? (size_t)1 << fuzz_draw(f, 7) : 1 + (size_t)fuzz_magnitude(f, 0, 2000);
    double high = (double)(low + span);
    c->low = fuzz_is_float(f->type) ? fuzz_nearest(f->type, (double)low) : (uint64_t)low;
    c->high = fuzz_is_float(f->type) ? fuzz_nearest(f->type, high) : (uint64_t)(low + span);
    c->low &= UINT64_MAX >> (64 - 8 * bytes);
    c->high &= UINT64_MAX >> (64 - 8 * bytes);
    bool outside = fuzz_chance(f, 2);
    fuzz_fill_whole(f, f->type, c->keys, f->n, outside && low > 0 ? low - 1 : low,
                    outside ? low + span + (bytes == 1 ? 1 : 40) : low + span);
    for (size_t i = 0; i < f->n && f->type == UPSWEEP_F64; i++) {
        double value = fuzz_value(f->type, fuzz_raw(c->keys, i, bytes));
        value += (double)fuzz_draw(f, 1000) / 1000 * (value < high || outside);
        value = value > high && !outside ? high : value;
        fuzz_store(c->keys, i, bytes, fuzz_nearest(f->type, value));
    }
    bool own_range = fuzz_chance(f, 4) && !exact;
    c->b.low = own_range ? NULL : &c->low;
    c->b.high = own_range ? NULL : &c->high;
    if (f->n > 0 && fuzz_is_float(f->type) && !own_range && fuzz_chance(f, 4)) {
        fuzz_store(c->keys, fuzz_draw(f, f->n), bytes, fuzz_nearest(f->type, NAN));
    }
}

static void draw_edges(fuzz *f, bucket_case *c)
{
    size_t bytes = upsweep_type_bytes(f->type);
    c->b.count = 1 + (size_t)fuzz_magnitude(f, 0, f->small ? 100 : MOST - 1);
    fuzz_fill(f, f->type, c->keys, f->n);
    fuzz_fill_finite(f, f->type, c->edges, c->b.count + 1);
    for (size_t i = 0; i <= c->b.count && f->n > 0 && fuzz_chance(f, 2); i++) { /* edges are keys */
        uint64_t raw = fuzz_raw(c->keys, fuzz_draw(f, f->n), bytes);
        fuzz_store(c->edges, i, bytes, fuzz_is_nan(f->type, raw) ? 0 : raw);
    }
    fuzz_sort_plainly(f->type, 0, c->edges, c->b.count + 1);
    c->b.edges = c->edges;
}

/* A bucketing that is none. */
static void twist_bucketing(fuzz *f, bucket_case *c)
{
    if (f->twist != TWIST_RANGE || f->expect != UPSWEEP_OK) {
        return;
    }
    f->expect = UPSWEEP_ERROR_ARGUMENT;
    switch (f->twist_at % 4) {
    case 0: c->b.count = 0; break;
    case 1: c->b.count = ((size_t)1 << 24) + 1; break;
    case 2: c->b.kind = (upsweep_bucketing_kind)9; break;
    default:
        c->b.edges = c->b.low = NULL;
        c->b.bits = 0;
        f->expect = c->b.high != NULL || c->b.kind != UPSWEEP_BUCKET_WIDTH ? f->expect : UPSWEEP_OK;
    }
}

/* Array 0: the keys; array 1: the edges, which are none of the call's arrays. */
static void draw_buckets(fuzz *f, bucket_case *c)
{
    size_t bytes = upsweep_type_bytes(f->type);
    *c = (bucket_case){.b = {.size = fuzz_chance(f, 2) ? 0 : sizeof c->b}};
    c->b.kind = (upsweep_bucketing_kind)(UPSWEEP_BUCKET_DIGIT + fuzz_draw(f, 3));
    c->keys = fuzz_array_new(f, FUZZ_INPUT, f->n, bytes, bytes);
    c->edges = fuzz_array_new(f, FUZZ_INPUT, MOST + 1, bytes, bytes);
    switch (c->b.kind) {
    case UPSWEEP_BUCKET_DIGIT: draw_digit(f, c); break;
    case UPSWEEP_BUCKET_WIDTH: draw_width(f, c); break;
    default: draw_edges(f, c); break;
    }
    fuzz_detail(f, ", bucketing %d: %zu buckets, bits %u from %u%s", (int)c->b.kind, c->b.count,
                c->b.bits, c->b.bit, c->b.low == NULL ? "" : ", low and high given");
    find_buckets(f, c);
    twist_bucketing(f, c);
}

/* ---- the calls ---- */

static void run_histogram(fuzz *f)
{
    bucket_case c;
    size_t n = fuzz_length(f, 2);
    upsweep_type type = fuzz_type(f);
    fuzz_options(f, 0);
    draw_buckets(f, &c);
    size_t room = f->expect == UPSWEEP_OK ? c.b.count : 1;
    fuzz_array_new(f, FUZZ_OUTPUT, room, 8, 8);
    fuzz_arrays_ready(f);
    size_t count = fuzz_count(f, n, upsweep_type_bytes(f->type));
    void *keys = fuzz_at(f, 0), *counts = fuzz_at(f, 2);
    if (fuzz_settle(f, upsweep_histogram(f->u, keys, count, type, &c.b, counts, f->o))) {
        uint64_t *want = calloc(c.b.count + 1, sizeof *want);
        for (size_t i = 0; i < n; i++) {
            want[c.bucket[i]]++;
        }
        for (size_t k = 0; k < c.b.count; k++) {
            if (fuzz_raw(f->array[2].at, k, 8) != want[k]) {
                fuzz_wrong(f, "bucket %zu has %llu keys, not %llu", k,
                           (unsigned long long)fuzz_raw(f->array[2].at, k, 8),
                           (unsigned long long)want[k]);
                break;
            }
        }
        free(want);
        fuzz_report(f, SIZE_MAX);
    }
    free(c.bucket);
}

static void check_split(fuzz *f, const bucket_case *c, bool with_offsets)
{
    size_t bytes = upsweep_type_bytes(f->type), count = c->b.count;
    uint64_t *rank = malloc((f->n + 1) * sizeof *rank);
    uint64_t *offset = calloc(count + 2, sizeof *offset);
    for (size_t i = 0; i < f->n; i++) {
        rank[i] = c->bucket[i];
        offset[rank[i] + 1]++;
    }
    uint32_t *order = fuzz_order(rank, f->n);
    if (fuzz_flags(f) & UPSWEEP_UNSTABLE) {
        if (fuzz_sum_of_elements(c->keys, f->n, bytes) !=
            fuzz_sum_of_elements(f->array[2].at, f->n, bytes)) {
            fuzz_wrong(f, "the keys are not those of the input");
        }
    } else {
        fuzz_moved(f, "key", f->array[2].at, c->keys, order, f->n, bytes);
    }
    for (size_t k = 0; k <= count && with_offsets; k++) {
        offset[k] += k == 0 ? 0 : offset[k - 1];
        if (fuzz_raw(f->array[3].at, k, 8) != offset[k]) {
            fuzz_wrong(f, "the offset of bucket %zu is wrong", k);
            break;
        }
    }
    free(order);
    free(offset);
    free(rank);
}

static void run_split_keys(fuzz *f)
{
    bucket_case c;
    size_t n = fuzz_length(f, 3);
    upsweep_type type = fuzz_type(f);
    size_t bytes = upsweep_type_bytes(f->type);
    bool with_offsets = !fuzz_chance(f, 4);
    fuzz_options(f, UPSWEEP_UNSTABLE);
    draw_buckets(f, &c);
    for (size_t i = 0; i < n && f->expect == UPSWEEP_OK; i++) {
        f->expect = c.bucket[i] == c.b.count ? UPSWEEP_ERROR_RANGE : UPSWEEP_OK;
    }
    bool known = f->expect == UPSWEEP_OK || f->expect == UPSWEEP_ERROR_RANGE;
    fuzz_array_new(f, FUZZ_OUTPUT, n, bytes, bytes);
    fuzz_array_new(f, FUZZ_OUTPUT, with_offsets && known ? c.b.count + 1 : 0, 8, 8);
    f->array[3].may_be_null = true;
    fuzz_arrays_ready(f);
    size_t count = fuzz_count(f, n, bytes);
    void *keys = fuzz_at(f, 0), *out = fuzz_at(f, 2);
    void *offsets = f->array[3].device ? f->array[3].device : f->array[3].at;
    upsweep_status status =
        upsweep_split_keys(f->u, keys, out, count, type, &c.b, with_offsets ? offsets : NULL, f->o);
    if (fuzz_settle(f, status)) {
        check_split(f, &c, with_offsets);
        fuzz_report(f, SIZE_MAX);
    }
    free(c.bucket);
}

const fuzz_call fuzz_buckets[] = {
    {"upsweep_histogram", 4, run_histogram, false},
    {"upsweep_split_keys", 4, run_split_keys, false},
    {0},
};
