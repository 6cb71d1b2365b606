/* reduce_plain.h - reductions by plain serial loops: integers, least and greatest, and floats in
 * the order of core/order.h in its plainest form. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_SHARED_REDUCE_PLAIN_H
#define USW_TEST_SHARED_REDUCE_PLAIN_H

#include "test/shared/reduce_common.h"

static inline double join(upsweep_op op, double a, double b)
{
    return op == UPSWEEP_PRODUCT ? a * b : a + b;
}

static inline double plain_tile(const void *data, size_t begin, size_t end, upsweep_type type,
                                upsweep_op op)
{
    double lane[128];
    for (int j = 0; j < 128; j++) {
        lane[j] = op == UPSWEEP_PRODUCT ? 1 : 0;
    }
    for (size_t i = begin; i < end; i++) {
        size_t j = (i - begin) % 128;
        lane[j] = join(op, lane[j], float_value(type, element(data, i, type)));
    }
    for (int half = 64; half > 0; half /= 2) {
        for (int j = 0; j < half; j++) {
            lane[j] = join(op, lane[j], lane[j + half]);
        }
    }
    return lane[0];
}

/* Values of one level in groups of 64: whole groups go up, the rest stays; read from the top. */
static inline double plain_carry(double *value, size_t count, upsweep_op op)
{
    double neutral = op == UPSWEEP_PRODUCT ? 1 : 0, rest = neutral, upper = neutral;
    size_t groups = count / 64;
    for (size_t i = 64 * groups; i < count; i++) {
        rest = join(op, rest, value[i]);
    }
    for (size_t g = 0; g < groups; g++) {
        double sum = neutral;
        for (size_t i = 64 * g; i < 64 * g + 64; i++) {
            sum = join(op, sum, value[i]);
        }
        value[g] = sum;
    }
    if (groups > 0) {
        upper = plain_carry(value, groups, op);
    }
    return join(op, upper, rest);
}

static inline uint64_t plain_sum_of_floats(const void *data, size_t n, upsweep_type type,
                                           upsweep_op op)
{
    size_t tiles = (n + 4095) / 4096;
    double *sums = malloc((tiles + 1) * sizeof *sums), total;
    uint64_t bits;
    for (size_t t = 0; t < tiles; t++) {
        sums[t] = plain_tile(data, t * 4096, usw_min(n, t * 4096 + 4096), type, op);
    }
    total = plain_carry(sums, tiles, op);
    free(sums);
    memcpy(&bits, &total, 8);
    return total != total ? UINT64_C(0x7ff8) << 48 : bits;
}

static inline uint64_t plain_extreme(const void *data, size_t n, upsweep_type type, bool greatest,
                                     size_t *at)
{
    size_t found = n;
    for (size_t i = 0; i < n; i++) {
        uint64_t v = element(data, i, type);
        if (is_nan(type, v)) {
            continue;
        }
        uint64_t best = found == n ? 0 : element(data, found, type);
        if (found == n || (greatest ? is_below(type, best, v) : is_below(type, v, best))) {
            found = i;
        }
    }
    *at = found;
    return found == n ? 0 : element(data, found, type);
}

static inline uint64_t plain_exact(const void *data, size_t n, upsweep_type type, upsweep_op op)
{
    uint64_t all = op == UPSWEEP_PRODUCT ? 1 : op == UPSWEEP_AND ? UINT64_MAX : 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t v = widened(element(data, i, type), type);
        all = op == UPSWEEP_SUM       ? all + v
              : op == UPSWEEP_PRODUCT ? all * v
              : op == UPSWEEP_AND     ? all & v
              : op == UPSWEEP_OR      ? all | v
                                      : all ^ v;
    }
    return all;
}

#endif
