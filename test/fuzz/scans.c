/* scans.c - prefix combinations: plain, segmented by heads or by keys, and by a caller's operator;
 * floats in the order of docs/order.md. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/folds.h"

#include <stdlib.h>
#include <string.h>

enum { TAKES = UPSWEEP_EXCLUSIVE | UPSWEEP_UNORDERED, TILE = 4096 };

/* ---- floats: a tree of fan-out 8 in each tile ---- */

/* The combination of some elements, and whether a head is among them. */
typedef struct part {
    double value;
    bool head;
} part;

typedef struct tree {
    upsweep_op op;
    double neutral;
    /* Inclusive prefixes within each run of 8: of elements, of runs, of runs of runs, ... */
    part level[4][TILE];
    part total;
} tree;

static part join(const tree *t, part a, part b)
{
    double both = fuzz_join(t->op, a.value, b.value);
    return (part){b.head ? b.value : both, a.head || b.head};
}

/* Three rounds, at distance 1, 2, 4; what each run of 8 totals goes to `above`. */
static void climb(const tree *t, part *at, size_t n, part *above)
{
    for (size_t run = 0; run < n; run += 8) {
        for (size_t distance = 1; distance < 8; distance *= 2) {
            for (size_t j = 7; j >= distance; j--) { /* downwards: what is read is still the old */
                at[run + j] = join(t, at[run + j - distance], at[run + j]);
            }
        }
        above[run / 8] = at[run + 7];
    }
}

static void climb_tile(tree *t, upsweep_type type, const void *in, const uint8_t *heads,
                       size_t begin, size_t end)
{
    size_t bytes = upsweep_type_bytes(type);
    for (size_t i = 0; i < TILE; i++) {
        bool there = begin + i < end;
        t->level[0][i] = (part){t->neutral, false};
        if (there) {
            double value = fuzz_value(type, fuzz_raw(in, begin + i, bytes));
            t->level[0][i] = (part){value, heads != NULL && heads[begin + i] != 0};
        }
    }
    climb(t, t->level[0], TILE, t->level[1]);
    climb(t, t->level[1], TILE / 8, t->level[2]);
    climb(t, t->level[2], TILE / 64, t->level[3]);
    climb(t, t->level[3], TILE / 512, &t->total);
}

/* What lies before child number `child` of a level, its parent's offset being `parent`. A head cuts
 * off what is before it; the identity stays, so that -0 becomes +0 everywhere. */
static double offset_of(const tree *t, double parent, const part *level, size_t child)
{
    if (child % 8 == 0) {
        return fuzz_join(t->op, parent, t->neutral);
    }
    part before = level[child - 1];
    return fuzz_join(t->op, before.head ? t->neutral : parent, before.value);
}

static double scanned(const tree *t, double carry, size_t i, bool exclusive, bool is_head)
{
    double offset = offset_of(t, carry, t->level[3], i / 512);
    offset = offset_of(t, offset, t->level[2], i / 64);
    offset = offset_of(t, offset, t->level[1], i / 8);
    part own = t->level[0][i];
    double base = own.head ? t->neutral : offset, value = own.value;
    if (exclusive) {
        value = i % 8 == 0 || is_head ? t->neutral : t->level[0][i - 1].value;
    }
    return fuzz_join(t->op, base, value);
}

/* The levels of the carry tree, 64 sums each. */
typedef struct level {
    part sum[6];
    unsigned added[6];
} level;

static void add_sum(const tree *t, level *w, part sum)
{
    for (int k = 0; k < 6; k++) {
        w->sum[k] = join(t, w->sum[k], sum);
        if (++w->added[k] < 64) {
            return;
        }
        sum = w->sum[k];
        w->sum[k] = (part){t->neutral, false};
        w->added[k] = 0;
    }
}

static double carry_of(const tree *t, const level *w)
{
    part carry = {t->neutral, false};
    for (int k = 5; k >= 0; k--) {
        carry = join(t, carry, w->sum[k]);
        if (w->sum[k].head) { /* what is cut off leaves the identity */
            carry.value = fuzz_join(t->op, t->neutral, w->sum[k].value);
        }
    }
    return carry.value;
}

static void scan_floats(upsweep_type type, upsweep_op op, const void *in, const uint8_t *heads,
                        void *out, size_t n, bool exclusive)
{
    tree *t = malloc(sizeof *t);
    level w = {0};
    t->op = op;
    t->neutral = op == UPSWEEP_PRODUCT ? 1 : 0;
    for (int k = 0; k < 6; k++) {
        w.sum[k].value = t->neutral;
    }
    for (size_t begin = 0; begin < n; begin += TILE) {
        size_t end = n < begin + TILE ? n : begin + TILE;
        double carry = carry_of(t, &w);
        climb_tile(t, type, in, heads, begin, end);
        for (size_t i = 0; i < end - begin; i++) {
            bool is_head = heads != NULL && heads[begin + i] != 0;
            double value = scanned(t, carry, i, exclusive, is_head);
            fuzz_store(out, begin + i, upsweep_type_bytes(type), fuzz_nearest(type, value));
        }
        add_sum(t, &w, t->total);
    }
    free(t);
}

/* ---- everything else, from left to right ---- */

static void scan_plainly(upsweep_type type, upsweep_op op, const void *in, const uint8_t *heads,
                         void *out, size_t n, bool exclusive)
{
    size_t bytes = upsweep_type_bytes(type);
    uint64_t value = 0, identity = fuzz_identity(type, op);
    bool any = false;
    if (fuzz_is_float(type) && (op == UPSWEEP_SUM || op == UPSWEEP_PRODUCT)) {
        scan_floats(type, op, in, heads, out, n, exclusive);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t raw = fuzz_raw(in, i, bytes);
        any = any && !(heads != NULL && heads[i] != 0);
        if (exclusive) {
            fuzz_store(out, i, bytes, any ? value : identity);
        }
        value = any ? fuzz_combine(type, op, value, raw) : raw;
        any = true;
        if (!exclusive) {
            fuzz_store(out, i, bytes, value);
        }
    }
}

static void compare(fuzz *f, upsweep_op op, const void *in, const void *got, const uint8_t *heads,
                    size_t n)
{
    size_t bytes = upsweep_type_bytes(f->type);
    unsigned char *want = malloc(n * bytes + 1);
    bool extreme = op == UPSWEEP_LEAST || op == UPSWEEP_GREATEST;
    scan_plainly(f->type, op, in, heads, want, n, (fuzz_flags(f) & UPSWEEP_EXCLUSIVE) != 0);
    for (size_t i = 0; i < n; i++) {
        uint64_t x = fuzz_raw(got, i, bytes), y = fuzz_raw(want, i, bytes);
        bool nans = extreme && fuzz_is_nan(f->type, x) && fuzz_is_nan(f->type, y);
        if (x != y && !nans) { /* of NaNs alone, any */
            fuzz_wrong(f, "output %zu is 0x%llx, not 0x%llx", i, (unsigned long long)x,
                       (unsigned long long)y);
            break;
        }
    }
    free(want);
}

void fuzz_check_scanned(fuzz *f, upsweep_op op, const void *in, const void *got, size_t n)
{
    compare(f, op, in, got, NULL, n);
}

static void check_scan(fuzz *f, upsweep_op op, const void *in, const void *got,
                       const uint8_t *heads)
{
    compare(f, op, in, got, heads, f->n);
    fuzz_report(f, f->n + ((size_t)f->threads << 20));
}

/* ---- the calls ---- */

/* What all three draw. The input is array 0; the output is array 1 or, in place, array 0 itself. */
typedef struct scan_case {
    upsweep_op op, given;
    upsweep_type type; /* to be given, as `given` is */
    size_t bytes, count;
    bool in_place;
} scan_case;

static scan_case draw_scan(fuzz *f, unsigned takes)
{
    scan_case s = {.op = fuzz_draw_op(f)};
    s.given = fuzz_op_given(f, s.op);
    s.type = fuzz_type(f);
    size_t n = fuzz_length(f, 2);
    s.bytes = upsweep_type_bytes(f->type);
    s.in_place = fuzz_chance(f, 3);
    fuzz_options(f, takes);
    fuzz_algorithm(f, "scan/");
    fuzz_detail(f, ", operator %d%s", (int)s.op, s.in_place ? ", in place" : "");
    fuzz_use use = s.in_place ? FUZZ_IN_PLACE : FUZZ_INPUT;
    fuzz_fill_for(f, f->type, s.op, fuzz_array_new(f, use, n, s.bytes, s.bytes), n);
    fuzz_array_new(f, FUZZ_OUTPUT, s.in_place ? 0 : n, s.bytes, s.bytes);
    f->array[1].may_be_null = true;
    return s;
}

static void ready(fuzz *f, scan_case *s)
{
    fuzz_arrays_ready(f);
    s->count = fuzz_count(f, f->n, s->bytes);
    bool none = upsweep_reduce_type(f->type, s->op) == 0;
    if (f->twist == TWIST_RANGE && f->expect == UPSWEEP_OK) {
        s->given = (upsweep_op)(f->twist_at % 2 == 0 ? 0 : 8);
        f->expect = UPSWEEP_ERROR_ARGUMENT;
    } else if (none && f->expect == UPSWEEP_OK && f->twist != TWIST_NULL) {
        f->expect = UPSWEEP_ERROR_UNSUPPORTED;
    }
    f->may_refuse = f->may_refuse || none;
}

/* After fuzz_at, which may make an array NULL: then that is told. */
static void *input_of(fuzz *f, const scan_case *s)
{
    void *in = fuzz_at(f, 0);
    bool none = upsweep_reduce_type(f->type, s->op) == 0;
    if (none && f->expect == UPSWEEP_OK) {
        f->expect = UPSWEEP_ERROR_UNSUPPORTED;
    }
    return in;
}

static void *output_of(fuzz *f, const scan_case *s)
{
    return s->in_place ? fuzz_at(f, 0) : fuzz_at(f, 1);
}

static const void *result_of(const fuzz *f, const scan_case *s)
{
    return f->array[s->in_place ? 0 : 1].at;
}

static void run_scan(fuzz *f)
{
    scan_case s = draw_scan(f, TAKES);
    ready(f, &s);
    void *in = input_of(f, &s), *out = output_of(f, &s);
    if (fuzz_settle(f, upsweep_scan(f->u, in, out, s.count, s.type, s.given, f->o))) {
        check_scan(f, s.op, fuzz_before(f, 0), result_of(f, &s), NULL);
    }
}

static void run_segmented(fuzz *f)
{
    scan_case s = draw_scan(f, TAKES);
    uint64_t rare = 1 + fuzz_magnitude(f, 0, 6000);
    uint8_t *heads = fuzz_array_new(f, FUZZ_INPUT, f->n, 1, 1);
    for (size_t i = 0; i < f->n; i++) {
        heads[i] = fuzz_draw(f, rare) == 0 ? (uint8_t)(1 + fuzz_draw(f, 255)) : 0;
    }
    ready(f, &s);
    void *flags = fuzz_at(f, 2), *in = input_of(f, &s), *out = output_of(f, &s);
    upsweep_status status =
        upsweep_scan_segmented(f->u, in, flags, out, s.count, s.type, s.given, f->o);
    if (fuzz_settle(f, status)) {
        check_scan(f, s.op, fuzz_before(f, 0), result_of(f, &s), heads);
    }
}

static void run_by_key(fuzz *f)
{
    scan_case s = draw_scan(f, TAKES);
    upsweep_type key_type = (upsweep_type)(1 + fuzz_draw(f, 12));
    size_t bytes = upsweep_type_bytes(key_type);
    unsigned char *keys = fuzz_array_new(f, FUZZ_INPUT, f->n, bytes, bytes);
    uint8_t *heads = malloc(f->n + 1);
    fuzz_fill(f, key_type, keys, f->n);
    uint64_t repeats = fuzz_draw(f, 100);
    for (size_t i = 1; i < f->n; i++) {
        if (fuzz_draw(f, 100) < repeats) {
            memcpy(keys + i * bytes, keys + (i - 1) * bytes, bytes);
        }
    }
    for (size_t i = 0; i < f->n; i++) {
        heads[i] = i == 0 || memcmp(keys + i * bytes, keys + (i - 1) * bytes, bytes) != 0;
    }
    heads[0] = 0; /* the first begins anyway, and is no head among the others */
    fuzz_detail(f, ", keys of %s", upsweep_type_name(key_type));
    ready(f, &s);
    void *by = fuzz_at(f, 2), *in = input_of(f, &s), *out = output_of(f, &s);
    upsweep_status status =
        upsweep_scan_by_key(f->u, by, key_type, in, out, s.count, s.type, s.given, f->o);
    if (fuzz_settle(f, status)) {
        check_scan(f, s.op, fuzz_before(f, 0), result_of(f, &s), heads);
    }
    free(heads);
}

/* ---- upsweep_scan_by ---- */

static void run_scan_by(fuzz *f)
{
    size_t n = fuzz_length(f, 4), bytes = 1 + (size_t)fuzz_magnitude(f, 0, 40);
    bool in_place = fuzz_chance(f, 3);
    fuzz_options(f, UPSWEEP_EXCLUSIVE);
    fuzz_algorithm(f, "scan/");
    fuzz_detail(f, ", elements of %zu bytes%s", bytes, in_place ? ", in place" : "");
    fuzz_use use = in_place ? FUZZ_IN_PLACE : FUZZ_INPUT;
    fuzz_fill_sparse(f, fuzz_array_new(f, use, n, bytes, 1), n * bytes);
    fuzz_array_new(f, FUZZ_OUTPUT, in_place ? 0 : n, bytes, 1);
    fuzz_arrays_ready(f);
    unsigned char *identity = calloc(bytes, 1), *value = calloc(bytes, 1);
    size_t count = fuzz_count(f, n, bytes);
    void *in = fuzz_at(f, 0), *out = in_place ? in : fuzz_at(f, 1);
    upsweep_status status =
        upsweep_scan_by(f->u, in, out, count, bytes, fuzz_last_not_zero, &bytes, identity, f->o);
    if (fuzz_settle(f, status)) {
        bool exclusive = (fuzz_flags(f) & UPSWEEP_EXCLUSIVE) != 0;
        const unsigned char *got = f->array[in_place ? 0 : 1].at;
        for (size_t i = 0; i < n && f->wrong[0] == '\0'; i++) {
            bool right = !exclusive || memcmp(got + i * bytes, value, bytes) == 0;
            fuzz_last_not_zero(value, fuzz_before(f, 0) + i * bytes, &bytes);
            if (!right || (!exclusive && memcmp(got + i * bytes, value, bytes) != 0)) {
                fuzz_wrong(f, "output %zu is wrong", i);
            }
        }
        fuzz_report(f, (n / TILE + 2 * (size_t)f->threads + 4) * (bytes + 64) + 65536);
    }
    free(identity);
    free(value);
}

const fuzz_call fuzz_scans[] = {
    {"upsweep_scan", 5, run_scan, false},
    {"upsweep_scan_segmented", 4, run_segmented, false},
    {"upsweep_scan_by_key", 4, run_by_key, false},
    {"upsweep_scan_by", 2, run_scan_by, true},
    {0},
};
