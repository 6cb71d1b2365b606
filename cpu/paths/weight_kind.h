/* weight_kind.h - macros for one kind of weights that a graph may have, for files that are included
 * once for each kind. Set PATH_KIND before: 0 for none, 1 u32, 2 u64, 3 f32, 4 f64, and for Bellman
 * and Ford's method 5 i32, 6 i64. A file that is included sees
 *     DIST, DIST_MAX      the type of distances, and what "not reached" is
 *     DIST_FLOAT          defined where it is a floating-point type
 *     DIST_MIN            defined where it is a signed one: less than every distance
 *     ARC_HEAD(g, a), ARC_WEIGHT(g, a), ARC_LINE(g, a)    arc a: head, weight, where it lies
 *     NAME(name)          a name of its own for each kind
 *     REACH(d, w)         d + w, or DIST_MAX when that does not fit
 *     NEVER(w)            whether an arc of this weight leads nowhere: infinity */
/* SPDX-License-Identifier: MIT */
#include "core/graph.h"

#ifndef USW_CPU_PATHS_WEIGHT_KIND_H
#define USW_CPU_PATHS_WEIGHT_KIND_H

static inline float usw_float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline double usw_double_of(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static inline uint32_t usw_reach_u32(uint32_t d, uint32_t w)
{
    uint32_t sum = d + w;
    return sum < d ? UINT32_MAX : sum;
}

/* d + w; the greatest and the least value of the type stand for sums that do not fit. */
static inline int32_t usw_reach_i32(int32_t d, int32_t w)
{
    int32_t sum;
    return !__builtin_add_overflow(d, w, &sum) ? sum : w > 0 ? INT32_MAX : INT32_MIN;
}

static inline int64_t usw_reach_i64(int64_t d, int64_t w)
{
    int64_t sum;
    return !__builtin_add_overflow(d, w, &sum) ? sum : w > 0 ? INT64_MAX : INT64_MIN;
}

static inline uint64_t usw_reach_u64(uint64_t d, uint64_t w)
{
    uint64_t sum = d + w;
    return sum < d ? UINT64_MAX : sum;
}

/* BY_KIND(g, function)(...) calls function_none, _u32, _u64, _f32 or _f64. */
#define BY_KIND(g, function)                                                                       \
    ((g)->weight_type == UPSWEEP_U32   ? function##_u32                                            \
     : (g)->weight_type == UPSWEEP_U64 ? function##_u64                                            \
     : (g)->weight_type == UPSWEEP_F32 ? function##_f32                                            \
     : (g)->weight_type == UPSWEEP_F64 ? function##_f64                                            \
                                       : function##_none)
#define BY_ANY_KIND(g, function)                                                                   \
    ((g)->weight_type == UPSWEEP_I32   ? function##_i32                                            \
     : (g)->weight_type == UPSWEEP_I64 ? function##_i64                                            \
                                       : BY_KIND(g, function))
#endif

#undef DIST
#undef DIST_MAX
#undef DIST_MIN
#undef DIST_FLOAT
#undef ARC_HEAD
#undef ARC_WEIGHT
#undef ARC_LINE
#undef NAME
#undef REACH
#undef NEVER

#if PATH_KIND == 1 || PATH_KIND == 3 || PATH_KIND == 5
#define ARC_HEAD(g, a) ((g)->arc32[a].head)
#define ARC_LINE(g, a) (&(g)->arc32[a])
#else
#define ARC_HEAD(g, a) ((g)->head[a])
#define ARC_LINE(g, a) (&(g)->head[a])
#endif

#if PATH_KIND == 0
#define NAME(name) name##_none
#define DIST uint32_t
#define DIST_MAX UINT32_MAX
#define ARC_WEIGHT(g, a) 1u
#define REACH(d, w) usw_reach_u32(d, w)
#define NEVER(w) false
#elif PATH_KIND == 1
#define NAME(name) name##_u32
#define DIST uint32_t
#define DIST_MAX UINT32_MAX
#define ARC_WEIGHT(g, a) ((g)->arc32[a].weight)
#define REACH(d, w) usw_reach_u32(d, w)
#define NEVER(w) false
#elif PATH_KIND == 2
#define NAME(name) name##_u64
#define DIST uint64_t
#define DIST_MAX UINT64_MAX
#define ARC_WEIGHT(g, a) ((g)->weight64[a])
#define REACH(d, w) usw_reach_u64(d, w)
#define NEVER(w) false
#elif PATH_KIND == 3
#define NAME(name) name##_f32
#define DIST float
#define DIST_FLOAT
#define DIST_MAX __builtin_inff()
#define ARC_WEIGHT(g, a) usw_float_of((g)->arc32[a].weight)
#define REACH(d, w) ((d) + (w))
#define NEVER(w) ((w) == DIST_MAX)
#elif PATH_KIND == 4
#define NAME(name) name##_f64
#define DIST double
#define DIST_FLOAT
#define DIST_MAX __builtin_inf()
#define ARC_WEIGHT(g, a) usw_double_of((g)->weight64[a])
#define REACH(d, w) ((d) + (w))
#define NEVER(w) ((w) == DIST_MAX)
#elif PATH_KIND == 5
#define NAME(name) name##_i32
#define DIST int32_t
#define DIST_MAX INT32_MAX
#define DIST_MIN INT32_MIN
#define ARC_WEIGHT(g, a) ((int32_t)(g)->arc32[a].weight)
#define REACH(d, w) usw_reach_i32(d, w)
#define NEVER(w) false
#else
#define NAME(name) name##_i64
#define DIST int64_t
#define DIST_MAX INT64_MAX
#define DIST_MIN INT64_MIN
#define ARC_WEIGHT(g, a) ((int64_t)(g)->weight64[a])
#define REACH(d, w) usw_reach_i64(d, w)
#define NEVER(w) false
#endif
