/* upsweep_typed.h - the calls of upsweep.h by type, so that the compiler checks arrays and results:
 *
 *     float x[1000];
 *     double sum;                                 (a float would not pass the compiler)
 *     upsweep_sort_f32(u, x, 1000, NULL);
 *     upsweep_sum_f32(u, x, 1000, &sum, NULL);
 *
 * There is each function below for u8, u16, u32, u64, i8, i16, i32, i64, f32 and f64, T being the C
 * type and S what sums are: uint64_t, int64_t or double. Each does what the call of upsweep.h does
 * that stands in it, and all that is said there holds; counts are of elements everywhere. In C,
 * UPSWEEP_OF(upsweep_sort, x) is the function for the type that x points to:
 * UPSWEEP_OF(upsweep_sort, x)(u, x, 1000, NULL). In C++ the names are overloaded, and options may
 * be left out: upsweep_sort(u, x, 1000); upsweep.hpp has more for C++.
 *
 * long long is int64_t by another name where that is long, as on Linux: the suffixes ll and ull are
 * for it there, and UPSWEEP_OF and the overloads know it.
 *
 * f16 and bf16 are uint16_t to the compiler, so they are there by suffix only. So are those of
 * graphs, by the type of distances: u32, u64, f32, f64, and i32 and i64 to make graphs and for
 * upsweep_bellman_ford. Sums and products have the type S: UPSWEEP_ROUNDED, which gives them
 * another, is not for these functions. Where a graph has distances of another type than the
 * function, the call is UPSWEEP_ERROR_UNSUPPORTED before anything is written. */
/* SPDX-License-Identifier: MIT */
#ifndef UPSWEEP_TYPED_H
#define UPSWEEP_TYPED_H

#include "upsweep.h"

#if defined(__linux__) && defined(__LP64__)
#define UPSWEEP_LONG_LONG 1
#endif

#if defined(__cplusplus)
#define UPSWEEP_LAST const upsweep_options *options = nullptr
#define UPSWEEP_UNTYPED(runs) reinterpret_cast<const void *const *>(runs)
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
#define UPSWEEP_UNTYPED(runs) ((const void *const *)(runs))
#define UPSWEEP_BY_TYPE(name, N, parameters, call)                                                 \
    static inline upsweep_status name##_##N parameters                                             \
    {                                                                                              \
        return call;                                                                               \
    }
/* clang-format off */
#ifdef UPSWEEP_LONG_LONG
#define UPSWEEP_OF_LONG_LONG(name)                                                                 \
    long long *: name##_ll, const long long *: name##_ll,                                          \
    unsigned long long *: name##_ull, const unsigned long long *: name##_ull,
#else
#define UPSWEEP_OF_LONG_LONG(name)
#endif
#define UPSWEEP_OF(name, pointer)                                                                  \
    _Generic((pointer), UPSWEEP_OF_LONG_LONG(name)                                                 \
        uint8_t *: name##_u8, const uint8_t *: name##_u8, uint16_t *: name##_u16,                  \
        const uint16_t *: name##_u16, uint32_t *: name##_u32, const uint32_t *: name##_u32,        \
        uint64_t *: name##_u64, const uint64_t *: name##_u64, int8_t *: name##_i8,                 \
        const int8_t *: name##_i8, int16_t *: name##_i16, const int16_t *: name##_i16,             \
        int32_t *: name##_i32, const int32_t *: name##_i32, int64_t *: name##_i64,                 \
        const int64_t *: name##_i64, float *: name##_f32, const float *: name##_f32,               \
        double *: name##_f64, const double *: name##_f64)
/* clang-format on */
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
UPSWEEP_BY_TYPE(upsweep_sort_copy, N, (upsweep *u, const T *keys, size_t n, T *out,                \
    uint64_t *index, UPSWEEP_LAST), upsweep_sort_copy(u, keys, n, TYPE, out, index, 64, options))  \
UPSWEEP_BY_TYPE(upsweep_is_sorted, N, (upsweep *u, const T *keys, size_t n, size_t *first,         \
    UPSWEEP_LAST), upsweep_is_sorted(u, keys, n, TYPE, first, options))                            \
UPSWEEP_BY_TYPE(upsweep_search_sorted, N, (upsweep *u, const T *keys, size_t n, const T *wanted,   \
    size_t m, uint64_t *places, UPSWEEP_LAST),                                                     \
    upsweep_search_sorted(u, keys, n, wanted, m, TYPE, places, 64, options))                       \
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
UPSWEEP_BY_TYPE(upsweep_scan_segmented, N, (upsweep *u, const T *in, const uint8_t *heads, T *out, \
    size_t n, upsweep_op op, UPSWEEP_LAST),                                                        \
    upsweep_scan_segmented(u, in, heads, out, n, TYPE, op, options))                               \
UPSWEEP_BY_TYPE(upsweep_sort_rows, N, (upsweep *u, T *keys, size_t n, const uint64_t *begin,       \
    size_t rows, uint32_t *index, UPSWEEP_LAST),                                                   \
    upsweep_sort_rows(u, keys, n, TYPE, begin, rows, index, 32, options))                          \
UPSWEEP_BY_TYPE(upsweep_top_k_rows, N, (upsweep *u, const T *keys, size_t n,                       \
    const uint64_t *begin, size_t rows, size_t k, T *out, uint32_t *index, UPSWEEP_LAST),          \
    upsweep_top_k_rows(u, keys, n, TYPE, begin, rows, k, out, index, 32, options))                 \
UPSWEEP_BY_TYPE(upsweep_sum_rows, N, (upsweep *u, const T *data, size_t n, const uint64_t *begin,  \
    size_t rows, S *sums, UPSWEEP_LAST),                                                           \
    upsweep_reduce_rows(u, data, n, TYPE, begin, rows, UPSWEEP_SUM, sums, options))                \
UPSWEEP_BY_TYPE(upsweep_sum_axis, N, (upsweep *u, const T *data, size_t outer, size_t length,      \
    size_t inner, S *sums, UPSWEEP_LAST),                                                          \
    upsweep_reduce_axis(u, data, outer, length, inner, TYPE, UPSWEEP_SUM, sums, options))          \
UPSWEEP_BY_TYPE(upsweep_min_rows, N, (upsweep *u, const T *data, size_t n, const uint64_t *begin,  \
    size_t rows, T *least, UPSWEEP_LAST),                                                          \
    upsweep_reduce_rows(u, data, n, TYPE, begin, rows, UPSWEEP_LEAST, least, options))             \
UPSWEEP_BY_TYPE(upsweep_max_rows, N, (upsweep *u, const T *data, size_t n, const uint64_t *begin,  \
    size_t rows, T *greatest, UPSWEEP_LAST),                                                       \
    upsweep_reduce_rows(u, data, n, TYPE, begin, rows, UPSWEEP_GREATEST, greatest, options))       \
UPSWEEP_BY_TYPE(upsweep_argmin_rows, N, (upsweep *u, const T *data, size_t n,                      \
    const uint64_t *begin, size_t rows, uint32_t *index, UPSWEEP_LAST),                            \
    upsweep_argmin_rows(u, data, n, TYPE, begin, rows, index, 32, options))                        \
UPSWEEP_BY_TYPE(upsweep_argmax_rows, N, (upsweep *u, const T *data, size_t n,                      \
    const uint64_t *begin, size_t rows, uint32_t *index, UPSWEEP_LAST),                            \
    upsweep_argmax_rows(u, data, n, TYPE, begin, rows, index, 32, options))                        \
UPSWEEP_BY_TYPE(upsweep_scan_rows, N, (upsweep *u, const T *in, T *out, size_t n,                  \
    const uint64_t *begin, size_t rows, upsweep_op op, UPSWEEP_LAST),                              \
    upsweep_scan_rows(u, in, out, n, TYPE, begin, rows, op, options))                              \
UPSWEEP_BY_TYPE(upsweep_merge_runs, N, (upsweep *u, const T *const *runs, const size_t *counts,    \
    size_t k, T *out, UPSWEEP_LAST),                                                               \
    upsweep_merge_runs(u, UPSWEEP_UNTYPED(runs), counts, k, out, TYPE, options))                   \
UPSWEEP_BY_TYPE(upsweep_split_keys, N, (upsweep *u, const T *keys, T *out, size_t n,               \
    const upsweep_bucketing *buckets, uint64_t *offsets, UPSWEEP_LAST),                            \
    upsweep_split_keys(u, keys, out, n, TYPE, buckets, offsets, options))                          \
UPSWEEP_BY_TYPE(upsweep_split, N, (upsweep *u, const T *in, const uint8_t *flags, T *out,          \
    size_t n, size_t *zeros, UPSWEEP_LAST),                                                        \
    upsweep_split(u, in, flags, out, n, sizeof(T), zeros, options))                                \
UPSWEEP_BY_TYPE(upsweep_compact, N, (upsweep *u, const T *in, const uint8_t *flags, T *out,        \
    size_t n, size_t *kept, UPSWEEP_LAST),                                                         \
    upsweep_compact(u, in, flags, out, n, sizeof(T), kept, options))                               \
UPSWEEP_BY_TYPE(upsweep_gather, N, (upsweep *u, const T *in, size_t in_count,                      \
    const uint32_t *index, T *out, size_t n, UPSWEEP_LAST),                                        \
    upsweep_gather(u, in, in_count, index, 32, out, n, sizeof(T), options))                        \
UPSWEEP_BY_TYPE(upsweep_scatter, N, (upsweep *u, const T *in, const uint32_t *index, T *out,       \
    size_t out_count, size_t n, UPSWEEP_LAST),                                                     \
    upsweep_scatter(u, in, index, 32, out, out_count, n, sizeof(T), options))                      \
UPSWEEP_BY_TYPE(upsweep_permute, N, (upsweep *u, T *data, const uint32_t *index, size_t n,         \
    UPSWEEP_LAST), upsweep_permute(u, data, index, 32, n, sizeof(T), options))                     \
UPSWEEP_BY_TYPE(upsweep_reverse, N, (upsweep *u, T *data, size_t n, UPSWEEP_LAST),                 \
    upsweep_reverse(u, data, n, sizeof(T), options))                                               \
UPSWEEP_BY_TYPE(upsweep_reverse_copy, N, (upsweep *u, const T *in, T *out, size_t n,               \
    UPSWEEP_LAST), upsweep_reverse_copy(u, in, out, n, sizeof(T), options))                        \
UPSWEEP_BY_TYPE(upsweep_transpose, N, (upsweep *u, const T *in, size_t outer, size_t length,       \
    size_t inner, T *out, UPSWEEP_LAST),                                                           \
    upsweep_transpose(u, in, outer, length, inner, out, sizeof(T), options))                       \
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
#ifdef UPSWEEP_LONG_LONG
UPSWEEP_FUNCTIONS(ll, long long, UPSWEEP_I64, int64_t)
UPSWEEP_FUNCTIONS(ull, unsigned long long, UPSWEEP_U64, uint64_t)
#endif

/* By suffix only, from here on. */
#undef UPSWEEP_BY_TYPE
#define UPSWEEP_BY_TYPE(name, N, parameters, call)                                                 \
    static inline upsweep_status name##_##N parameters                                             \
    {                                                                                              \
        return call;                                                                               \
    }
UPSWEEP_FUNCTIONS(f16, uint16_t, UPSWEEP_F16, double)
UPSWEEP_FUNCTIONS(bf16, uint16_t, UPSWEEP_BF16, double)

/* Folds by bits. */
#define UPSWEEP_BIT_FOLDS(N, T, TYPE)                                                              \
UPSWEEP_BY_TYPE(upsweep_and, N, (upsweep *u, const T *data, size_t n, T *all, UPSWEEP_LAST),       \
    upsweep_reduce(u, data, n, TYPE, UPSWEEP_AND, all, options))                                   \
UPSWEEP_BY_TYPE(upsweep_or, N, (upsweep *u, const T *data, size_t n, T *any, UPSWEEP_LAST),        \
    upsweep_reduce(u, data, n, TYPE, UPSWEEP_OR, any, options))                                    \
UPSWEEP_BY_TYPE(upsweep_xor, N, (upsweep *u, const T *data, size_t n, T *odd, UPSWEEP_LAST),       \
    upsweep_reduce(u, data, n, TYPE, UPSWEEP_XOR, odd, options))
UPSWEEP_BIT_FOLDS(u8, uint8_t, UPSWEEP_U8)
UPSWEEP_BIT_FOLDS(u16, uint16_t, UPSWEEP_U16)
UPSWEEP_BIT_FOLDS(u32, uint32_t, UPSWEEP_U32)
UPSWEEP_BIT_FOLDS(u64, uint64_t, UPSWEEP_U64)
UPSWEEP_BIT_FOLDS(i8, int8_t, UPSWEEP_I8)
UPSWEEP_BIT_FOLDS(i16, int16_t, UPSWEEP_I16)
UPSWEEP_BIT_FOLDS(i32, int32_t, UPSWEEP_I32)
UPSWEEP_BIT_FOLDS(i64, int64_t, UPSWEEP_I64)
#ifdef UPSWEEP_LONG_LONG
UPSWEEP_BIT_FOLDS(ll, long long, UPSWEEP_I64)
UPSWEEP_BIT_FOLDS(ull, unsigned long long, UPSWEEP_U64)
#endif

/* OK if graph has distances of that type, or is NULL, which the call itself refuses. */
static inline upsweep_status upsweep_has_distances(const upsweep_graph *graph, upsweep_type type)
{
    upsweep_graph_info info = UPSWEEP_GRAPH_INFO_INIT;
    upsweep_status status = graph ? upsweep_graph_describe(graph, &info) : UPSWEEP_OK;
    return status == UPSWEEP_OK && graph && info.distance_type != type ? UPSWEEP_ERROR_UNSUPPORTED
                                                                       : status;
}

#define UPSWEEP_GRAPH_FUNCTIONS(N, T, TYPE)                                                        \
UPSWEEP_BY_TYPE(upsweep_graph_from_arcs, N, (upsweep *u, size_t vertex_count, size_t arc_count,    \
    const uint32_t *tail, const uint32_t *head, const T *weight, unsigned flags,                   \
    upsweep_graph **graph),                                                                        \
    upsweep_graph_from_arcs(u, vertex_count, arc_count, tail, head, weight, TYPE, flags, graph))   \
UPSWEEP_BY_TYPE(upsweep_graph_from_rows, N, (upsweep *u, size_t vertex_count,                      \
    const uint64_t *begin, const uint32_t *head, const T *weight, unsigned flags,                  \
    upsweep_graph **graph),                                                                        \
    upsweep_graph_from_rows(u, vertex_count, begin, head, weight, TYPE, flags, graph))             \
static inline upsweep_status upsweep_bellman_ford_##N(upsweep *u, const upsweep_graph *graph,      \
    const uint32_t *sources, size_t source_count, T *distance, uint32_t *parent, uint32_t *cycle,  \
    size_t *cycle_length)                                                                          \
{                                                                                                  \
    upsweep_status status = upsweep_has_distances(graph, TYPE);                                    \
    return status != UPSWEEP_OK ? status                                                           \
                                : upsweep_bellman_ford(u, graph, sources, source_count, distance,  \
                                                       parent, cycle, cycle_length);               \
}
#define UPSWEEP_DISTANCE_FUNCTIONS(N, T, TYPE)                                                     \
static inline upsweep_status upsweep_paths_##N(upsweep *u, const upsweep_graph *graph,             \
    const uint32_t *sources, size_t source_count, T *distance, uint32_t *parent,                   \
    const upsweep_path_options *options)                                                           \
{                                                                                                  \
    upsweep_status status = upsweep_has_distances(graph, TYPE);                                    \
    return status != UPSWEEP_OK                                                                    \
        ? status                                                                                   \
        : upsweep_paths(u, graph, sources, source_count, distance, parent, options);               \
}                                                                                                  \
static inline upsweep_status upsweep_paths_matrix_##N(upsweep *u, const upsweep_graph *graph,      \
    const uint32_t *sources, size_t source_count, const upsweep_batch_options *options,            \
    T *distance, uint32_t *parent)                                                                 \
{                                                                                                  \
    upsweep_status status = upsweep_has_distances(graph, TYPE);                                    \
    return status != UPSWEEP_OK                                                                    \
        ? status                                                                                   \
        : upsweep_paths_matrix(u, graph, sources, source_count, options, distance, parent);        \
}                                                                                                  \
UPSWEEP_BY_TYPE(upsweep_paths_dense, N, (upsweep *u, const T *matrix, size_t n,                    \
    const uint32_t *sources, size_t source_count, T *distance, uint32_t *parent,                   \
    const upsweep_path_options *options),                                                          \
    upsweep_paths_dense(u, matrix, n, TYPE, sources, source_count, distance, parent, options))
UPSWEEP_DISTANCE_FUNCTIONS(u32, uint32_t, UPSWEEP_U32)
UPSWEEP_DISTANCE_FUNCTIONS(u64, uint64_t, UPSWEEP_U64)
UPSWEEP_DISTANCE_FUNCTIONS(f32, float, UPSWEEP_F32)
UPSWEEP_DISTANCE_FUNCTIONS(f64, double, UPSWEEP_F64)
UPSWEEP_GRAPH_FUNCTIONS(u32, uint32_t, UPSWEEP_U32)
UPSWEEP_GRAPH_FUNCTIONS(u64, uint64_t, UPSWEEP_U64)
UPSWEEP_GRAPH_FUNCTIONS(i32, int32_t, UPSWEEP_I32)
UPSWEEP_GRAPH_FUNCTIONS(i64, int64_t, UPSWEEP_I64)
UPSWEEP_GRAPH_FUNCTIONS(f32, float, UPSWEEP_F32)
UPSWEEP_GRAPH_FUNCTIONS(f64, double, UPSWEEP_F64)
/* clang-format on */

#undef UPSWEEP_FUNCTIONS
#undef UPSWEEP_BIT_FOLDS
#undef UPSWEEP_DISTANCE_FUNCTIONS
#undef UPSWEEP_GRAPH_FUNCTIONS
#undef UPSWEEP_BY_TYPE
#undef UPSWEEP_LAST
#undef UPSWEEP_UNTYPED
#endif
