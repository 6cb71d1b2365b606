/* upsweep_typed.h - the calls of upsweep.h by type, so that the compiler checks arrays and results:
 *
 *     float x[1000];
 *     double sum;                                      // a float here does not compile
 *     upsweep_sort_f32(u, x, 1000, NULL);
 *     upsweep_sum_f32(u, x, 1000, &sum, NULL);
 *
 * NAME is u8, u16, u32, u64, i8, i16, i32, i64, f32 or f64 and T its C type; S is what sums of it
 * are (uint64_t, int64_t, double). Each does just what the call of upsweep.h does that it is named
 * after, whose comment holds: flags, scratch, errors. All end with the options, NULL for defaults.
 *
 *     upsweep_sort_NAME(u, T *keys, n)                  upsweep_sum_NAME(u, const T *, n, S *sum)
 *     upsweep_sort_pairs_NAME(u, T *keys, values, n,    upsweep_product_NAME(u, const T *, n, S *)
 *                             value_bytes)              upsweep_min_NAME(u, const T *, n, T *least)
 *     upsweep_argsort_NAME(u, const T *, n, uint32_t *) upsweep_max_NAME(u, const T *, n, T *)
 *     upsweep_argsort64_NAME(.., uint64_t *index)       upsweep_argmin_NAME(u, .., size_t *index)
 *     upsweep_is_sorted_NAME(u, .., n, size_t *first)   upsweep_argmax_NAME(u, .., size_t *index)
 *     upsweep_nth_element_NAME(u, T *keys, n, k)        upsweep_minmax_NAME(u, .., n, T *, T *)
 *     upsweep_top_k_NAME(u, const T *, n, k, T *out,    upsweep_scan_NAME(u, const T *in, T *out, n,
 *                        uint64_t *index)                                 op)
 *     upsweep_merge_NAME(u, const T *a, na,             upsweep_histogram_NAME(u, const T *, n,
 *                        const T *b, nb, T *out)                T low, T high, count, uint64_t *)
 *     upsweep_unique_NAME(u, T *keys, n, size_t *kept)      (UPSWEEP_BUCKET_WIDTH)
 *     upsweep_run_lengths_NAME(u, const T *, n, T *keys, uint64_t *counts, size_t *runs)
 *
 * In C, UPSWEEP_OF(upsweep_sort, keys)(u, keys, n, NULL) picks the one for the type of keys. In C++
 * the names without _NAME are overloaded, and options may be left out: upsweep_sort(u, keys, n). */
#ifndef UPSWEEP_TYPED_H
#define UPSWEEP_TYPED_H

#include "upsweep.h"

/* X(NAME, T, type, S) for each type. */
#define UPSWEEP_EACH_TYPE(X)                                                                       \
    X(u8, uint8_t, UPSWEEP_U8, uint64_t)                                                           \
    X(u16, uint16_t, UPSWEEP_U16, uint64_t)                                                        \
    X(u32, uint32_t, UPSWEEP_U32, uint64_t)                                                        \
    X(u64, uint64_t, UPSWEEP_U64, uint64_t)                                                        \
    X(i8, int8_t, UPSWEEP_I8, int64_t)                                                             \
    X(i16, int16_t, UPSWEEP_I16, int64_t)                                                          \
    X(i32, int32_t, UPSWEEP_I32, int64_t)                                                          \
    X(i64, int64_t, UPSWEEP_I64, int64_t)                                                          \
    X(f32, float, UPSWEEP_F32, double)                                                             \
    X(f64, double, UPSWEEP_F64, double)

/* X(call, NAME, (parameters), (arguments), (arguments of the call in upsweep.h)) for each function
 * of a type. The first list is without the handle and the options, which all have. */
#define UPSWEEP_EACH_CALL(X, N, T, TYPE, S)                                                        \
    X(sort, N, (T * a, size_t n), (a, n), upsweep_sort(u, a, n, TYPE, o))                          \
    X(sort_pairs, N, (T * a, void *values, size_t n, size_t value_bytes),                          \
      (a, values, n, value_bytes), upsweep_sort_pairs(u, a, values, n, TYPE, value_bytes, o))
#undef UPSWEEP_EACH_CALL
#endif
