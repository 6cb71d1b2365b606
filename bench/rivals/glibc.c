/* The C library's qsort. */
#include "../rival.h"

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
    static int (*const by[BENCH_TYPES])(const void *, const void *) = {by_u32, by_u64, by_i32,
                                                                       by_i64, by_f32, by_f64};
    (void)threads;
    qsort(k, n, type % 2 ? 8 : 4, by[type]);
    return 0;
}

const bench_rival rival = {.name = "qsort", .keys = keys};
