/* The C library's qsort; a plain loop over f16, which compilers turn into vectors. */
/* SPDX-License-Identifier: MIT */
#include "bench/rival.h"

#include <stdlib.h>

#define COMPARE(name, type)                                                                        \
    static int name(const void *a, const void *b)                                                  \
    {                                                                                              \
        type x = *(const type *)a, y = *(const type *)b;                                           \
        return (x > y) - (x < y);                                                                  \
    }
COMPARE(by_u32, uint32_t)
COMPARE(by_u64, uint64_t)
COMPARE(by_i32, int32_t)
COMPARE(by_i64, int64_t)
COMPARE(by_f32, float)
COMPARE(by_f64, double)

static int keys(enum bench_type type, void *k, size_t n, unsigned threads)
{
    static int (*const orders[BENCH_TYPES])(const void *, const void *) = {by_u32, by_u64, by_i32,
                                                                           by_i64, by_f32, by_f64};
    (void)threads;
    if (type == BENCH_F16) {
        return 1;
    }
    qsort(k, n, type % 2 ? 8 : 4, orders[type]);
    return 0;
}

static int by(bench_call *c)
{
    qsort(c->work, c->n, c->type % 2 ? 8 : 4, c->compare);
    return 0;
}

static int reduce(enum bench_type type, const void *k, size_t n, unsigned threads)
{
    const _Float16 *x = k;
    float sum[32] = {0};
    (void)threads;
    for (size_t i = 0; type == BENCH_F16 && i + 32 <= n; i += 32) {
        for (int j = 0; j < 32; j++) {
            sum[j] += (float)x[i + (size_t)j];
        }
    }
    volatile float all = 0;
    for (int j = 0; j < 32; j++) {
        all += sum[j];
    }
    return type != BENCH_F16;
}

const bench_rival rival = {.name = "qsort", .keys = keys, .reduce = reduce, .by = by};
