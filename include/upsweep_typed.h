/* upsweep_typed.h - the calls of upsweep.h by type, so that the compiler checks arrays and results:
 *
 *     float x[1000];
 *     double sum;                                 (a float would not pass the compiler)
 *     upsweep_sort_f32(u, x, 1000, NULL);
 *     upsweep_sum_f32(u, x, 1000, &sum, NULL);
 *
 * There is each function below for u8, u16, u32, u64, i8, i16, i32, i64, f32 and f64, T being the C
 * type and S what sums are: uint64_t, int64_t or double. Each does what the call of upsweep.h does
 * that stands in it, and all that is said there holds. In C, UPSWEEP_OF(upsweep_sort, x) is the
 * function for the type that x points to: UPSWEEP_OF(upsweep_sort, x)(u, x, 1000, NULL). In C++ the
 * names are overloaded, and options may be left out: upsweep_sort(u, x, 1000). */
#ifndef UPSWEEP_TYPED_H
#define UPSWEEP_TYPED_H

#include "upsweep.h"

#if defined(__cplusplus)
#define UPSWEEP_LAST const upsweep_options *options = nullptr
#define UPSWEEP_BY_TYPE(name, N, parameters, call)                                                 \
    static inline upsweep_status name##_##N parameters                                             \
    {                                                                                              \
        return call;                                                                               \
    }                                                                                              \
    static inline upsweep_status name parameters                                                   \
    {                                                                                              \
        return call;                                                                               \
    }
#else
#define UPSWEEP_LAST const upsweep_options *options
#define UPSWEEP_BY_TYPE(name, N, parameters, call)                                                 \
    static inline upsweep_status name##_##N parameters                                             \
    {                                                                                              \
        return call;                                                                               \
    }
#define UPSWEEP_OF(name, pointer)                                                                  \
    _Generic((pointer), uint8_t *: name##_u8, const uint8_t *: name##_u8, uint16_t *: name##_u16,  \
        const uint16_t *: name##_u16, uint32_t *: name##_u32, const uint32_t *: name##_u32,        \
        uint64_t *: name##_u64, const uint64_t *: name##_u64, int8_t *: name##_i8,                 \
        const int8_t *: name##_i8, int16_t *: name##_i16, const int16_t *: name##_i16,             \
        int32_t *: name##_i32, const int32_t *: name##_i32, int64_t *: name##_i64,                 \
        const int64_t *: name##_i64, float *: name##_f32, const float *: name##_f32,               \
        double *: name##_f64, const double *: name##_f64)
#endif

/* clang-format off */
#define UPSWEEP_FUNCTIONS(N, T, TYPE, S)                                                           \
UPSWEEP_BY_TYPE(upsweep_sort, N, (upsweep *u, T *keys, size_t n, UPSWEEP_LAST),                    \
    upsweep_sort(u, keys, n, TYPE, options))                                                       \
UPSWEEP_BY_TYPE(upsweep_sort_pairs, N, (upsweep *u, T *keys, void *values, size_t n,               \
    size_t value_bytes, UPSWEEP_LAST),                                                             \
    upsweep_sort_pairs(u, keys, values, n, TYPE, value_bytes, options))                            \
UPSWEEP_BY_TYPE(upsweep_argsort, N, (upsweep *u, const T *keys, size_t n, uint32_t *index,         \
    UPSWEEP_LAST), upsweep_argsort(u, keys, n, TYPE, index, 32, options))                          \
UPSWEEP_BY_TYPE(upsweep_argsort64, N, (upsweep *u, const T *keys, size_t n, uint64_t *index,       \
    UPSWEEP_LAST), upsweep_argsort(u, keys, n, TYPE, index, 64, options))                          \
UPSWEEP_BY_TYPE(upsweep_is_sorted, N, (upsweep *u, const T *keys, size_t n, size_t *first,         \
    UPSWEEP_LAST), upsweep_is_sorted(u, keys, n, TYPE, first, options))                            \
UPSWEEP_BY_TYPE(upsweep_merge, N, (upsweep *u, const T *a, size_t na, const T *b, size_t nb,       \
    T *out, UPSWEEP_LAST), upsweep_merge(u, a, na, b, nb, out, TYPE, options))                     \
UPSWEEP_BY_TYPE(upsweep_nth_element, N, (upsweep *u, T *keys, size_t n, size_t k, UPSWEEP_LAST),   \
    upsweep_nth_element(u, keys, n, k, TYPE, options))                                             \
UPSWEEP_BY_TYPE(upsweep_top_k, N, (upsweep *u, const T *keys, size_t n, size_t k, T *out,          \
    uint64_t *index, UPSWEEP_LAST), upsweep_top_k(u, keys, n, k, TYPE, out, index, options))       \
UPSWEEP_BY_TYPE(upsweep_unique, N, (upsweep *u, T *keys, size_t n, size_t *kept, UPSWEEP_LAST),    \
    upsweep_unique(u, keys, n, TYPE, kept, options))                                               \
UPSWEEP_BY_TYPE(upsweep_run_lengths, N, (upsweep *u, const T *keys, size_t n, T *out_keys,         \
    uint64_t *out_counts, size_t *runs, UPSWEEP_LAST),                                             \
    upsweep_run_lengths(u, keys, n, TYPE, out_keys, out_counts, runs, options))                    \
UPSWEEP_BY_TYPE(upsweep_sum, N, (upsweep *u, const T *data, size_t n, S *sum, UPSWEEP_LAST),       \
    upsweep_reduce(u, data, n, TYPE, UPSWEEP_SUM, sum, options))                                   \
UPSWEEP_BY_TYPE(upsweep_product, N, (upsweep *u, const T *data, size_t n, S *product,              \
    UPSWEEP_LAST), upsweep_reduce(u, data, n, TYPE, UPSWEEP_PRODUCT, product, options))            \
UPSWEEP_BY_TYPE(upsweep_min, N, (upsweep *u, const T *data, size_t n, T *least, UPSWEEP_LAST),     \
    upsweep_reduce(u, data, n, TYPE, UPSWEEP_LEAST, least, options))                               \
UPSWEEP_BY_TYPE(upsweep_max, N, (upsweep *u, const T *data, size_t n, T *greatest, UPSWEEP_LAST),  \
    upsweep_reduce(u, data, n, TYPE, UPSWEEP_GREATEST, greatest, options))                         \
UPSWEEP_BY_TYPE(upsweep_argmin, N, (upsweep *u, const T *data, size_t n, size_t *index,            \
    UPSWEEP_LAST), upsweep_argmin(u, data, n, TYPE, index, options))                               \
UPSWEEP_BY_TYPE(upsweep_argmax, N, (upsweep *u, const T *data, size_t n, size_t *index,            \
    UPSWEEP_LAST), upsweep_argmax(u, data, n, TYPE, index, options))                               \
UPSWEEP_BY_TYPE(upsweep_minmax, N, (upsweep *u, const T *data, size_t n, T *least, T *greatest,    \
    UPSWEEP_LAST), upsweep_minmax(u, data, n, TYPE, least, greatest, options))                     \
UPSWEEP_BY_TYPE(upsweep_scan, N, (upsweep *u, const T *in, T *out, size_t n, upsweep_op op,        \
    UPSWEEP_LAST), upsweep_scan(u, in, out, n, TYPE, op, options))                                 \
UPSWEEP_BY_TYPE(upsweep_histogram, N, (upsweep *u, const T *keys, size_t n,                        \
    const upsweep_bucketing *buckets, uint64_t *counts, UPSWEEP_LAST),                             \
    upsweep_histogram(u, keys, n, TYPE, buckets, counts, options))

UPSWEEP_FUNCTIONS(u8, uint8_t, UPSWEEP_U8, uint64_t)
UPSWEEP_FUNCTIONS(u16, uint16_t, UPSWEEP_U16, uint64_t)
UPSWEEP_FUNCTIONS(u32, uint32_t, UPSWEEP_U32, uint64_t)
UPSWEEP_FUNCTIONS(u64, uint64_t, UPSWEEP_U64, uint64_t)
UPSWEEP_FUNCTIONS(i8, int8_t, UPSWEEP_I8, int64_t)
UPSWEEP_FUNCTIONS(i16, int16_t, UPSWEEP_I16, int64_t)
UPSWEEP_FUNCTIONS(i32, int32_t, UPSWEEP_I32, int64_t)
UPSWEEP_FUNCTIONS(i64, int64_t, UPSWEEP_I64, int64_t)
UPSWEEP_FUNCTIONS(f32, float, UPSWEEP_F32, double)
UPSWEEP_FUNCTIONS(f64, double, UPSWEEP_F64, double)
/* clang-format on */

#undef UPSWEEP_FUNCTIONS
#undef UPSWEEP_BY_TYPE
#undef UPSWEEP_LAST
#endif
