/* folds.c - reductions: what all elements combine to, floats in the order of docs/order.md. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/fuzz.h"
#include "test/fuzz/folds.h"

#include <stdlib.h>
#include <string.h>

/* ---- what combinations give ---- */

upsweep_op fuzz_draw_op(fuzz *f)
{
    return (upsweep_op)(UPSWEEP_SUM + fuzz_draw(f, 7));
}

upsweep_op fuzz_op_given(fuzz *f, upsweep_op op)
{
    return fuzz_chance(f, 8) ? (upsweep_op)(op - UPSWEEP_SUM + 1) : op;
}

double fuzz_join(upsweep_op op, double a, double b)
{
    return op == UPSWEEP_PRODUCT ? a * b : a + b;
}

static uint64_t widened(upsweep_type type, uint64_t raw)
{
    unsigned unused = 64 - 8 * (unsigned)upsweep_type_bytes(type);
    return fuzz_is_signed(type) ? (uint64_t)((int64_t)(raw << unused) >> unused) : raw;
}

uint64_t fuzz_combine(upsweep_type type, upsweep_op op, uint64_t a, uint64_t b)
{
    uint64_t all = UINT64_MAX >> (64 - 8 * upsweep_type_bytes(type));
    switch (op) {
    case UPSWEEP_SUM: return (a + b) & all;
    case UPSWEEP_PRODUCT: return a * b & all;
    case UPSWEEP_AND: return a & b;
    case UPSWEEP_OR: return a | b;
    case UPSWEEP_XOR: return a ^ b;
    default: break;
    }
    unsigned flags = op == UPSWEEP_LEAST ? 0 : UPSWEEP_DESCENDING; /* NaN is last in both */
    return fuzz_rank(type, flags, b) < fuzz_rank(type, flags, a) ? b : a;
}

uint64_t fuzz_identity(upsweep_type type, upsweep_op op)
{
    uint64_t all = UINT64_MAX >> (64 - 8 * upsweep_type_bytes(type)), sign = all ^ all >> 1;
    bool real = fuzz_is_float(type);
    double infinity = op == UPSWEEP_LEAST ? 1e300 * 1e300 : -1e300 * 1e300;
    switch (op) {
    case UPSWEEP_PRODUCT: return real ? fuzz_nearest(type, 1) : 1;
    case UPSWEEP_AND: return all;
    case UPSWEEP_LEAST:
    case UPSWEEP_GREATEST: break;
    default: return 0;
    }
    if (real) {
        return fuzz_nearest(type, infinity);
    }
    uint64_t least = fuzz_is_signed(type) ? sign : 0;
    return op == UPSWEEP_GREATEST ? least : ~least & all;
}

/* 128 lanes take every 128th element each, then meet at halving distance. */
static double tile_sum(upsweep_type type, upsweep_op op, const void *in, size_t begin, size_t end)
{
    enum { LANES = 128 };
    double lane[LANES];
    size_t bytes = upsweep_type_bytes(type);
    for (int j = 0; j < LANES; j++) {
        lane[j] = op == UPSWEEP_PRODUCT ? 1 : 0;
    }
    for (size_t i = begin; i < end; i++) {
        double *to = &lane[(i - begin) % LANES];
        *to = fuzz_join(op, *to, fuzz_value(type, fuzz_raw(in, i, bytes)));
    }
    for (int half = LANES / 2; half > 0; half /= 2) {
        for (int j = 0; j < half; j++) {
            lane[j] = fuzz_join(op, lane[j], lane[j + half]);
        }
    }
    return lane[0];
}

/* Groups of 64 go up a level; the rest is added to what comes from above. */
static double carry_of(upsweep_op op, double *value, size_t count)
{
    double neutral = op == UPSWEEP_PRODUCT ? 1 : 0, rest = neutral, above = neutral;
    size_t groups = count / 64;
    for (size_t i = 64 * groups; i < count; i++) {
        rest = fuzz_join(op, rest, value[i]);
    }
    for (size_t g = 0; g < groups; g++) {
        double sum = neutral;
        for (size_t i = 0; i < 64; i++) {
            sum = fuzz_join(op, sum, value[64 * g + i]);
        }
        value[g] = sum;
    }
    if (groups > 0) {
        above = carry_of(op, value, groups);
    }
    return fuzz_join(op, above, rest);
}

static double float_result(upsweep_type type, upsweep_op op, const void *in, size_t n)
{
    size_t tiles = (n + 4095) / 4096;
    double *sum = malloc((tiles + 1) * sizeof *sum);
    for (size_t t = 0; t < tiles; t++) {
        sum[t] = tile_sum(type, op, in, t * 4096, n < (t + 1) * 4096 ? n : (t + 1) * 4096);
    }
    double result = carry_of(op, sum, tiles);
    free(sum);
    return result;
}

/* Elements as they are drawn for this operator. UNORDERED: such that every order gives the same. */
void fuzz_fill_for(fuzz *f, upsweep_type type, upsweep_op op, void *at, size_t n)
{
    bool real = fuzz_is_float(type) && (op == UPSWEEP_SUM || op == UPSWEEP_PRODUCT);
    if (real && ((fuzz_flags(f) & UPSWEEP_UNORDERED) || fuzz_chance(f, 6))) {
        bool sum = op == UPSWEEP_SUM;
        fuzz_fill_whole(f, type, at, n, sum ? -8 : fuzz_chance(f, 2) ? -1 : 1, sum ? 8 : 1);
    } else {
        fuzz_fill(f, type, at, n);
    }
}

/* ---- upsweep_reduce ---- */

static uint64_t whole_result(upsweep_type type, upsweep_op op, const void *in, size_t n)
{
    size_t bytes = upsweep_type_bytes(type);
    upsweep_type out = op <= UPSWEEP_PRODUCT ? UPSWEEP_U64 : type;
    uint64_t result = fuzz_identity(out, op);
    for (size_t i = 0; i < n; i++) {
        uint64_t raw = fuzz_raw(in, i, bytes);
        raw = op <= UPSWEEP_PRODUCT ? widened(type, raw) : raw;
        result = i == 0 ? raw : fuzz_combine(out, op, result, raw);
    }
    return result;
}

upsweep_type fuzz_result_type(fuzz *f, upsweep_op op)
{
    upsweep_type out = upsweep_reduce_type(f->type, op);
    bool rounded = (fuzz_flags(f) & UPSWEEP_ROUNDED) != 0 && op <= UPSWEEP_PRODUCT;
    return rounded && fuzz_is_float(f->type) ? f->type : out;
}

void fuzz_check_reduced(fuzz *f, upsweep_op op, const void *in, size_t n, uint64_t got)
{
    upsweep_type out = fuzz_result_type(f, op);
    bool real = fuzz_is_float(f->type) && op <= UPSWEEP_PRODUCT;
    uint64_t want = n == 0 ? fuzz_identity(out, op)
                    : real ? fuzz_nearest(out, float_result(f->type, op, in, n))
                           : whole_result(f->type, op, in, n);
    bool nan = fuzz_is_nan(out, want) && fuzz_is_nan(out, got) && op > UPSWEEP_PRODUCT;
    if (got != want && !nan) {
        fuzz_wrong(f, "the result is 0x%llx, not 0x%llx", (unsigned long long)got,
                   (unsigned long long)want);
    }
}

void fuzz_check_operator(fuzz *f, upsweep_op *given, size_t result_bytes)
{
    if (f->expect == UPSWEEP_OK && f->twist == TWIST_RANGE) {
        *given = (upsweep_op)(f->twist_at % 2 == 0 ? 0 : 8);
        f->expect = UPSWEEP_ERROR_ARGUMENT;
    }
    if (result_bytes == 0) {
        f->may_refuse = true; /* either complaint will do */
        f->expect = f->expect == UPSWEEP_OK ? UPSWEEP_ERROR_UNSUPPORTED : f->expect;
    }
}

static void run_reduce(fuzz *f)
{
    size_t n = fuzz_length(f, 1);
    upsweep_type type = fuzz_type(f);
    size_t bytes = upsweep_type_bytes(f->type);
    upsweep_op op = fuzz_draw_op(f), given = fuzz_op_given(f, op);
    fuzz_options(f, UPSWEEP_UNORDERED | UPSWEEP_ROUNDED);
    upsweep_type out = fuzz_result_type(f, op);
    fuzz_algorithm(f, "reduce/");
    fuzz_detail(f, ", operator %d", (int)op);
    fuzz_fill_for(f, f->type, op, fuzz_array_new(f, FUZZ_INPUT, n, bytes, bytes), n);
    size_t room = out == 0 ? 8 : upsweep_type_bytes(out);
    fuzz_array_new(f, FUZZ_OUTPUT, 1, room, room);
    fuzz_arrays_ready(f);
    if (f->twist == TWIST_RANGE && f->expect == UPSWEEP_OK) {
        given = (upsweep_op)(f->twist_at % 2 == 0 ? 0 : 8);
        f->expect = UPSWEEP_ERROR_ARGUMENT;
    } else if (out == 0 && f->expect == UPSWEEP_OK) {
        f->expect = UPSWEEP_ERROR_UNSUPPORTED;
    }
    void *in = fuzz_at(f, 0), *result = f->array[1].device ? f->array[1].device : f->array[1].at;
    size_t count = fuzz_count(f, n, bytes);
    if (out == 0 && f->expect != UPSWEEP_ERROR_UNSUPPORTED) {
        f->may_refuse = true; /* either complaint will do */
    }
    if (fuzz_settle(f, upsweep_reduce(f->u, in, count, type, given, result, f->o))) {
        fuzz_check_reduced(f, op, fuzz_before(f, 0), f->n,
                           fuzz_raw(f->array[1].at, 0, upsweep_type_bytes(out)));
        fuzz_report(f, n + 65536 + 4096 * (size_t)f->threads);
    }
}

/* ---- upsweep_argmin, upsweep_argmax, upsweep_minmax ---- */

size_t fuzz_extreme(upsweep_type type, const void *in, size_t n, bool greatest)
{
    size_t bytes = upsweep_type_bytes(type), found = n;
    unsigned flags = greatest ? UPSWEEP_DESCENDING : 0;
    uint64_t best = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t raw = fuzz_raw(in, i, bytes);
        uint64_t rank = fuzz_rank(type, flags, raw);
        if (!fuzz_is_nan(type, raw) && (found == n || rank < best)) {
            found = i;
            best = rank;
        }
    }
    return found;
}

static void draw_keys(fuzz *f)
{
    size_t bytes = upsweep_type_bytes(f->type);
    fuzz_options(f, 0);
    fuzz_algorithm(f, "reduce/");
    fuzz_fill(f, f->type, fuzz_array_new(f, FUZZ_INPUT, f->n, bytes, bytes), f->n);
}

static void run_position(fuzz *f, bool greatest)
{
    size_t n = fuzz_length(f, 1), index = SIZE_MAX;
    upsweep_type type = fuzz_type(f);
    draw_keys(f);
    fuzz_arrays_ready(f);
    size_t count = fuzz_count(f, n, upsweep_type_bytes(f->type));
    const void *data = fuzz_at(f, 0);
    if (n == 0 && f->expect == UPSWEEP_OK) {
        f->expect = UPSWEEP_ERROR_ARGUMENT;
    }
    upsweep_status status = greatest ? upsweep_argmax(f->u, data, count, type, &index, f->o)
                                     : upsweep_argmin(f->u, data, count, type, &index, f->o);
    if (!fuzz_settle(f, status)) {
        return;
    }
    size_t want = fuzz_extreme(f->type, fuzz_before(f, 0), n, greatest);
    want = want == n ? 0 : want;
    if (index != want) {
        fuzz_wrong(f, "the position is %zu, not %zu", index, want);
    }
    fuzz_report(f, n + 65536 + 4096 * (size_t)f->threads);
}

static void run_argmin(fuzz *f)
{
    run_position(f, false);
}

static void run_argmax(fuzz *f)
{
    run_position(f, true);
}

static void run_minmax(fuzz *f)
{
    size_t n = fuzz_length(f, 1);
    upsweep_type type = fuzz_type(f);
    size_t bytes = upsweep_type_bytes(f->type);
    draw_keys(f);
    fuzz_array_new(f, FUZZ_OUTPUT, 1, bytes, bytes);
    fuzz_array_new(f, FUZZ_OUTPUT, 1, bytes, bytes);
    fuzz_arrays_ready(f);
    size_t count = fuzz_count(f, n, bytes);
    void *data = fuzz_at(f, 0), *out[2];
    for (unsigned k = 0; k < 2; k++) {
        out[k] = f->array[1 + k].device ? f->array[1 + k].device : f->array[1 + k].at;
    }
    if (!fuzz_settle(f, upsweep_minmax(f->u, data, count, type, out[0], out[1], f->o))) {
        return;
    }
    for (unsigned k = 0; k < 2; k++) {
        size_t at = fuzz_extreme(f->type, fuzz_before(f, 0), n, k == 1);
        uint64_t got = fuzz_raw(f->array[1 + k].at, 0, bytes);
        uint64_t want = n == 0   ? fuzz_identity(f->type, k == 1 ? UPSWEEP_GREATEST : UPSWEEP_LEAST)
                        : at < n ? fuzz_raw(fuzz_before(f, 0), at, bytes)
                                 : got;
        if (got != want || (n > 0 && at == n && !fuzz_is_nan(f->type, got))) {
            fuzz_wrong(f, "the %s is 0x%llx, not 0x%llx", k == 1 ? "greatest" : "least",
                       (unsigned long long)got, (unsigned long long)want);
        }
    }
    fuzz_report(f, n + 65536 + 4096 * (size_t)f->threads);
}

/* ---- upsweep_reduce_by ---- */

/* Of each byte the last that is not 0: associative, not commutative, with 0 as identity. */
void fuzz_last_not_zero(void *accumulator, const void *element, void *context)
{
    unsigned char *to = accumulator;
    const unsigned char *from = element;
    for (size_t k = 0; k < *(const size_t *)context; k++) {
        to[k] = from[k] != 0 ? from[k] : to[k];
    }
}

void fuzz_fill_sparse(fuzz *f, unsigned char *at, size_t bytes)
{
    uint64_t rare = 1 + fuzz_magnitude(f, 0, 1000);
    fuzz_fill_bytes(f, at, bytes);
    for (size_t i = 0; i < bytes; i++) {
        at[i] = fuzz_draw(f, rare) == 0 ? at[i] : 0;
    }
}

static void run_reduce_by(fuzz *f)
{
    size_t n = fuzz_length(f, 4), bytes = 1 + (size_t)fuzz_magnitude(f, 0, 40);
    fuzz_options(f, 0);
    fuzz_algorithm(f, "reduce/");
    fuzz_detail(f, ", elements of %zu bytes", bytes);
    fuzz_fill_sparse(f, fuzz_array_new(f, FUZZ_INPUT, n, bytes, 1), n * bytes);
    unsigned char *result = fuzz_array_new(f, FUZZ_IN_PLACE, 1, bytes, 1);
    memset(result, 0, bytes);
    fuzz_arrays_ready(f);
    size_t count = fuzz_count(f, n, bytes);
    upsweep_status status = upsweep_reduce_by(f->u, fuzz_at(f, 0), count, bytes, fuzz_last_not_zero,
                                              &bytes, result, f->o);
    if (!fuzz_settle(f, status)) {
        return;
    }
    unsigned char *want = calloc(bytes, 1);
    for (size_t i = 0; i < n; i++) {
        fuzz_last_not_zero(want, fuzz_before(f, 0) + i * bytes, &bytes);
    }
    if (memcmp(want, result, bytes) != 0) {
        fuzz_wrong(f, "the result is wrong");
    }
    free(want);
    fuzz_report(f, (n / 4096 + 1) * (bytes + 64) + 65536);
}

const fuzz_call fuzz_folds[] = {
    {"upsweep_reduce", 6, run_reduce, false},      {"upsweep_argmin", 2, run_argmin, false},
    {"upsweep_argmax", 2, run_argmax, false},      {"upsweep_minmax", 2, run_minmax, false},
    {"upsweep_reduce_by", 2, run_reduce_by, true}, {0},
};
