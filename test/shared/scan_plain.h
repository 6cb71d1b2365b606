/* scan_plain.h - what scans should give: plain serial loops, and for sums of floats the order of
 * core/order.h, written out recursively. For test_scan.c. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_SHARED_SCAN_PLAIN_H
#define USW_TEST_SHARED_SCAN_PLAIN_H

#include "test/shared/reduce_common.h"
#include "core/order.h"

/* ---- the order of core/order.h, element by element ---- */

/* A value and whether its range has a head; the operator on such pairs. */
typedef struct part {
    double v;
    bool head;
} part;

static part join(upsweep_op op, part a, part b)
{
    double v = op == UPSWEEP_PRODUCT ? a.v * b.v : a.v + b.v;
    return (part){b.head ? b.v : v, a.head || b.head};
}

/* Inclusive prefixes of each run of 8 in p; totals to above. */
static void runs_of_8(part *p, size_t n, part *above, upsweep_op op)
{
    for (size_t r = 0; r < n; r += 8) {
        for (size_t d = 1; d < 8; d *= 2) {
            part old[8];
            memcpy(old, p + r, sizeof old);
            for (size_t j = d; j < 8; j++) {
                p[r + j] = join(op, old[j - d], old[j]);
            }
        }
        above[r / 8] = p[r + 7];
    }
}

/* Carry before each of `count` parts, by groups of 64. */
static void carries(const part *p, size_t count, part *before, upsweep_op op)
{
    part neutral = {op == UPSWEEP_PRODUCT ? 1 : 0, false};
    part *group = calloc(count / 64 + 1, sizeof *group),
         *upper = calloc(count / 64 + 1, sizeof *upper);
    for (size_t g = 0; g < count / 64; g++) {
        group[g] = neutral;
        for (size_t i = 64 * g; i < 64 * g + 64; i++) {
            group[g] = join(op, group[g], p[i]);
        }
    }
    if (count / 64 > 0) {
        carries(group, count / 64, upper, op);
        upper[count / 64] = join(op, upper[count / 64 - 1], group[count / 64 - 1]);
        if (count / 64 >= 64) {
            abort(); /* the sizes of this test stay below 64 groups: one wheel above */
        }
    } else {
        upper[0] = neutral;
    }
    for (size_t g = 0; 64 * g < count; g++) {
        part rest = neutral;
        for (size_t i = 64 * g; i < count && i < 64 * g + 64; i++) {
            before[i] = join(op, upper[g], rest);
            rest = join(op, rest, p[i]);
        }
    }
    free(group);
    free(upper);
}

typedef struct plain_tile {
    part p[4096], t1[512], t2[64], t3[8], total;
} plain_tile;

/* A head's value replaces what is before it, but -0 still meets the identity. */
static double offset_join(upsweep_op op, bool cut, double before, double v)
{
    double neutral = op == UPSWEEP_PRODUCT ? 1 : 0;
    before = cut ? neutral : before;
    return op == UPSWEEP_PRODUCT ? before * v : before + v;
}

/* What lies before child j of a run whose children have inclusive prefixes p[0 .. 8). */
static double child_offset(upsweep_op op, double parent, const part *p, size_t j)
{
    double neutral = op == UPSWEEP_PRODUCT ? 1 : 0;
    return j == 0 ? offset_join(op, false, parent, neutral)
                  : offset_join(op, p[j - 1].head, parent, p[j - 1].v);
}

static void plain_float_scan(const void *in, const uint8_t *heads, double *out, size_t n,
                             upsweep_type type, upsweep_op op, bool exclusive)
{
    double neutral = op == UPSWEEP_PRODUCT ? 1 : 0;
    size_t tiles = (n + 4095) / 4096;
    plain_tile *t = calloc(tiles, sizeof *t);
    part *sums = calloc(tiles, sizeof *sums), *before = calloc(tiles, sizeof *before);
    for (size_t k = 0; k < tiles; k++) {
        for (size_t i = 0; i < 4096; i++) {
            size_t at = k * 4096 + i;
            t[k].p[i] = at < n
                            ? (part){float_value(type, element(in, at, type)), heads && heads[at]}
                            : (part){neutral, false};
        }
        runs_of_8(t[k].p, 4096, t[k].t1, op);
        runs_of_8(t[k].t1, 512, t[k].t2, op);
        runs_of_8(t[k].t2, 64, t[k].t3, op);
        runs_of_8(t[k].t3, 8, &t[k].total, op);
        sums[k] = t[k].total;
    }
    carries(sums, tiles, before, op);
    for (size_t at = 0; at < n; at++) {
        plain_tile *k = &t[at / 4096];
        size_t i = at % 4096;
        double o3 = child_offset(op, before[at / 4096].v, k->t3, i / 512);
        double o2 = child_offset(op, o3, k->t2 + i / 512 * 8, i / 64 % 8);
        double o1 = child_offset(op, o2, k->t1 + i / 64 * 8, i / 8 % 8);
        bool start = exclusive && (i % 8 == 0 || (heads && heads[at]));
        out[at] = offset_join(op, k->p[i].head, o1,
                              start       ? neutral
                              : exclusive ? k->p[i - 1].v
                                          : k->p[i].v);
    }
    free(t);
    free(sums);
    free(before);
}

/* ---- the plainest scan of everything else ---- */

static uint64_t combine(upsweep_type type, upsweep_op op, uint64_t a, uint64_t b)
{
    switch (op) {
    case UPSWEEP_SUM: return a + b;
    case UPSWEEP_PRODUCT: return a * b;
    case UPSWEEP_AND: return a & b;
    case UPSWEEP_OR: return a | b;
    case UPSWEEP_XOR: return a ^ b;
    case UPSWEEP_LEAST: return is_nan(type, b) || is_below(type, a, b) ? a : b;
    default: return is_nan(type, b) || is_below(type, b, a) ? a : b;
    }
}

static uint64_t identity(upsweep_type type, upsweep_op op)
{
    uint64_t bits = 0;
    size_t size = 8 * upsweep_type_bytes(type);
    switch (op) {
    case UPSWEEP_PRODUCT: return 1;
    case UPSWEEP_AND: return UINT64_MAX >> (64 - size);
    case UPSWEEP_LEAST:
    case UPSWEEP_GREATEST: break;
    default: return 0;
    }
    if (usw_type_is_float(type)) {
        return float_bits(type, op == UPSWEEP_LEAST ? 1.0 / 0.0 : -1.0 / 0.0);
    }
    bits = usw_type_is_signed(type) ? UINT64_C(1) << (size - 1) : 0; /* the least value */
    return op == UPSWEEP_GREATEST ? bits : ~bits & (UINT64_MAX >> (64 - size));
}

static void plain_scan(const void *in, const uint8_t *heads, unsigned char *out, size_t n,
                       upsweep_type type, upsweep_op op, bool exclusive)
{
    size_t bytes = upsweep_type_bytes(type);
    if (usw_type_is_float(type) && op <= UPSWEEP_PRODUCT) {
        double *wide = malloc(n * sizeof *wide);
        plain_float_scan(in, heads, wide, n, type, op, exclusive);
        for (size_t i = 0; i < n; i++) {
            double nan = (double)usw_float_of_bits(0x7fc00000);
            usw_store_raw(out + i * bytes, bytes,
                          float_bits(type, wide[i] != wide[i] ? nan : wide[i]));
        }
        free(wide);
        return;
    }
    uint64_t value = 0, mask = UINT64_MAX >> (64 - 8 * bytes);
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        uint64_t v = element(in, i, type);
        any = any && !(heads && heads[i]);
        if (exclusive) {
            usw_store_raw(out + i * bytes, bytes, any ? value : identity(type, op));
        }
        value = !any || is_nan(type, value) ? v : combine(type, op, value, v) & mask;
        any = true;
        if (!exclusive) {
            usw_store_raw(out + i * bytes, bytes, value);
        }
    }
}

#endif
