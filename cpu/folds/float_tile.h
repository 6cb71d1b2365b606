/* float_tile.h - scans one tile of 4096 floats by an upward and a downward sweep, with the
 * additions in the order of core/order.h.
 *
 * A run is 8 numbers of f64: one vector of AVX-512, two of AVX2, an array elsewhere. The three give
 * the same bits, because order.h fixes which numbers are added when; lanes that have no partner at
 * a distance combine with the identity, which changes at most the sign of a zero, and that sign is
 * lost when the offset, which is never -0, is added. Included by
 * algo/scan_sweep_cpu.h and, for its runs, by float_sums.h. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CPU_FOLDS_FLOAT_TILE_H
#define USW_CPU_FOLDS_FLOAT_TILE_H

#include "cpu/body.h"
#include "core/order.h"

#define ALWAYS static inline __attribute__((always_inline))

enum {
    RUN = USW_RUN,
    RUNS = USW_TILE / 8,
    GROUPS = RUNS / 8,
    TOPS = GROUPS / 8,
    TOP = USW_TILE / TOPS, /* elements of one top: 8 groups of 8 runs */
    TOP_RUNS = RUNS / TOPS,
    GROUP = RUN * RUN /* elements of one group */
};

/* A tile between its sweeps. total1 of runs and total2 of groups are scanned within their group and
 * top; total3 has the totals of the tops by themselves. Bit j of
 * heads0[r]: a head at element j of run r; of heads1[g]: one in run j of group g; and so on. */
typedef struct sweep_tile {
    double v[USW_TILE], total1[RUNS], total2[GROUPS], total3[TOPS];
    uint8_t heads0[RUNS], heads1[GROUPS], heads2[TOPS], heads3[1];
} sweep_tile;

/* All bits from the lowest set one up: the first head and all places after it. */
ALWAYS unsigned behind(unsigned heads)
{
    return (0u - (heads & (0u - heads))) & 0xff;
}

/* ---- a run of 8, per instruction set ---- */

/* Scans a run without vectors; AVX2 takes it too where there are heads. */
ALWAYS void up_array(double *v, unsigned heads, bool product)
{
    for (int d = 1; d < RUN; d *= 2) {
        for (int j = RUN - 1; j >= d; j--) {
            double joined = usw_join(product, v[j - d], v[j]);
            v[j] = (heads >> j) & 1 ? v[j] : joined;
        }
        heads |= heads << d;
    }
}

#if USW_LEVEL == 2
typedef __m512d run;
ALWAYS run run_get(const double *x)
{
    return _mm512_loadu_pd(x);
}
ALWAYS run run_widen(const float *x)
{
    return _mm512_cvtps_pd(_mm256_loadu_ps(x));
}
ALWAYS void run_put(double *x, run v)
{
    _mm512_storeu_pd(x, v);
}
/* NaN becomes the one NaN of order.h. */
ALWAYS void run_out(double *x, run v)
{
    __mmask8 nan = _mm512_cmp_pd_mask(v, v, _CMP_UNORD_Q);
    __m512i one = _mm512_set1_epi64(INT64_C(0x7ff8) << 48);
    _mm512_storeu_pd(x, _mm512_mask_mov_pd(v, nan, _mm512_castsi512_pd(one)));
}
ALWAYS void run_narrow(float *x, run v)
{
    __m256 f = _mm512_cvtpd_ps(v);
    __mmask8 nan = _mm256_cmp_ps_mask(f, f, _CMP_UNORD_Q);
    __m256i one = _mm256_set1_epi32(0x7fc00000);
    _mm256_storeu_ps(x, _mm256_mask_mov_ps(f, nan, _mm256_castsi256_ps(one)));
}
ALWAYS run run_join(bool product, run a, run b)
{
    return product ? _mm512_mul_pd(a, b) : _mm512_add_pd(a, b);
}
ALWAYS run run_all(double x)
{
    return _mm512_set1_pd(x);
}
/* x where the mask is 0, the identity where it is 1. */
ALWAYS run run_cut(run x, unsigned mask, bool product)
{
    return _mm512_mask_mov_pd(x, (__mmask8)mask, run_all(usw_neutral(product)));
}
/* Lane j gets lane j - 1, lane 0 the identity. */
ALWAYS run run_shift(run v, bool product)
{
    return run_cut(_mm512_permutex_pd(_mm512_castsi512_pd(_mm512_alignr_epi64(
                                          _mm512_castpd_si512(v), _mm512_castpd_si512(v), 7)),
                                      0xe4),
                   1, product);
}
ALWAYS run run_up(run v, unsigned heads, bool product)
{
#define STEP(d)                                                                                    \
    {                                                                                              \
        __m512i i = _mm512_castpd_si512(v);                                                        \
        run left = _mm512_castsi512_pd(_mm512_alignr_epi64(i, i, 8 - (d)));                        \
        __mmask8 joins = (__mmask8)(((0xff << (d)) & 0xff) & ~heads);                              \
        v = product ? _mm512_mask_mul_pd(v, joins, left, v)                                        \
                    : _mm512_mask_add_pd(v, joins, left, v);                                       \
        heads |= heads << (d);                                                                     \
    }
    STEP(1)
    STEP(2)
    STEP(4)
#undef STEP
    return v;
}

#elif USW_LEVEL == 1
typedef struct run {
    __m256d lo, hi;
} run;
ALWAYS run run_get(const double *x)
{
    return (run){_mm256_loadu_pd(x), _mm256_loadu_pd(x + 4)};
}
ALWAYS run run_widen(const float *x)
{
    return (run){_mm256_cvtps_pd(_mm_loadu_ps(x)), _mm256_cvtps_pd(_mm_loadu_ps(x + 4))};
}
ALWAYS void run_put(double *x, run v)
{
    _mm256_storeu_pd(x, v.lo);
    _mm256_storeu_pd(x + 4, v.hi);
}
ALWAYS __m256d one_nan(__m256d v)
{
    __m256d one = _mm256_castsi256_pd(_mm256_set1_epi64x(INT64_C(0x7ff8) << 48));
    return _mm256_blendv_pd(v, one, _mm256_cmp_pd(v, v, _CMP_UNORD_Q));
}
ALWAYS void run_out(double *x, run v)
{
    run_put(x, (run){one_nan(v.lo), one_nan(v.hi)});
}
ALWAYS void run_narrow(float *x, run v)
{
    _mm_storeu_ps(x, _mm256_cvtpd_ps(one_nan(v.lo)));
    _mm_storeu_ps(x + 4, _mm256_cvtpd_ps(one_nan(v.hi)));
}
ALWAYS run run_join(bool product, run a, run b)
{
    return product ? (run){_mm256_mul_pd(a.lo, b.lo), _mm256_mul_pd(a.hi, b.hi)}
                   : (run){_mm256_add_pd(a.lo, b.lo), _mm256_add_pd(a.hi, b.hi)};
}
ALWAYS run run_all(double x)
{
    return (run){_mm256_set1_pd(x), _mm256_set1_pd(x)};
}
ALWAYS run run_cut(run x, unsigned mask, bool product)
{
    __m256i bits = _mm256_set1_epi64x((int64_t)mask);
    __m256i lo = _mm256_sllv_epi64(bits, _mm256_set_epi64x(60, 61, 62, 63));
    __m256i hi = _mm256_sllv_epi64(bits, _mm256_set_epi64x(56, 57, 58, 59));
    run neutral = run_all(usw_neutral(product));
    return (run){_mm256_blendv_pd(x.lo, neutral.lo, _mm256_castsi256_pd(lo)),
                 _mm256_blendv_pd(x.hi, neutral.hi, _mm256_castsi256_pd(hi))};
}
ALWAYS run run_shift(run v, bool product)
{
    __m256d neutral = _mm256_set1_pd(usw_neutral(product));
    return (run){
        _mm256_blend_pd(_mm256_permute4x64_pd(v.lo, 0x90), neutral, 1),
        _mm256_blend_pd(_mm256_permute4x64_pd(v.hi, 0x90), _mm256_permute4x64_pd(v.lo, 0xff), 1)};
}
ALWAYS run run_up(run v, unsigned heads, bool product)
{
    if (heads != 0) {
        double x[RUN];
        run_put(x, v);
        up_array(x, heads, product);
        return run_get(x);
    }
    __m256d neutral = _mm256_set1_pd(usw_neutral(product));
    v = run_join(product, run_shift(v, product), v);
    v = run_join(product,
                 (run){_mm256_permute2f128_pd(neutral, v.lo, 0x20),
                       _mm256_permute2f128_pd(v.lo, v.hi, 0x21)},
                 v);
    return run_join(product, (run){neutral, v.lo}, v);
}

#else
typedef struct run {
    double v[RUN];
} run;
ALWAYS run run_get(const double *x)
{
    run r;
    memcpy(r.v, x, sizeof r.v);
    return r;
}
ALWAYS run run_widen(const float *x)
{
    run r;
    for (int j = 0; j < RUN; j++) {
        r.v[j] = (double)x[j];
    }
    return r;
}
ALWAYS void run_put(double *x, run v)
{
    memcpy(x, v.v, sizeof v.v);
}
ALWAYS void run_out(double *x, run v)
{
    const uint64_t one = UINT64_C(0x7ff8) << 48;
    for (int j = 0; j < RUN; j++) {
        memcpy(&x[j], v.v[j] != v.v[j] ? (const void *)&one : (const void *)&v.v[j], sizeof x[j]);
    }
}
ALWAYS void run_narrow(float *x, run v)
{
    const uint32_t one = 0x7fc00000;
    for (int j = 0; j < RUN; j++) {
        float f = (float)v.v[j];
        memcpy(&x[j], f != f ? (const void *)&one : (const void *)&f, sizeof f);
    }
}
ALWAYS run run_join(bool product, run a, run b)
{
    for (int j = 0; j < RUN; j++) {
        a.v[j] = usw_join(product, a.v[j], b.v[j]);
    }
    return a;
}
ALWAYS run run_all(double x)
{
    return (run){{x, x, x, x, x, x, x, x}};
}
ALWAYS run run_cut(run x, unsigned mask, bool product)
{
    for (int j = 0; j < RUN; j++) {
        x.v[j] = (mask >> j) & 1 ? usw_neutral(product) : x.v[j];
    }
    return x;
}
ALWAYS run run_shift(run v, bool product)
{
    for (int j = RUN - 1; j > 0; j--) {
        v.v[j] = v.v[j - 1];
    }
    v.v[0] = usw_neutral(product);
    return v;
}
ALWAYS run run_up(run v, unsigned heads, bool product)
{
    up_array(v.v, heads, product);
    return v;
}
#endif

/* ---- a tile ---- */

/* One level up: scans the runs of v in place and writes their totals. Bit r of `above` says whether
 * run r has heads. */
ALWAYS void up_level(double *v, size_t runs, double *total, uint8_t *heads, uint8_t *above,
                     bool product)
{
    for (size_t r = 0; r < runs; r++) {
        run_put(v + RUN * r, run_up(run_get(v + RUN * r), heads == NULL ? 0 : heads[r], product));
        total[r] = v[RUN * r + RUN - 1];
        if (heads != NULL) {
            above[r / RUN] =
                (uint8_t)((r % RUN == 0 ? 0 : above[r / RUN]) | (heads[r] != 0) << r % RUN);
        }
    }
}

/* Before the first top of a tile: tops behind the last element count as the identity. */
static inline void sweep_start(sweep_tile *t, bool product)
{
    for (size_t k = 0; k < TOPS; k++) {
        t->total3[k] = usw_neutral(product);
    }
    t->heads3[0] = 0;
}

/* Upward sweep of the first groups of top k: x has its elements, floats (wide: doubles), v gets its
 * runs, scanned. The other groups, behind the last element, count as the identity. */
ALWAYS void sweep_up(sweep_tile *t, size_t k, size_t groups, double *v, const void *x, bool wide,
                     const uint8_t *heads, bool product)
{
    bool cut = heads != NULL;
    uint8_t any = 0, *heads0 = t->heads0 + TOP_RUNS * k, *heads1 = t->heads1 + RUN * k;
    double *total1 = t->total1 + TOP_RUNS * k, *total2 = t->total2 + RUN * k;
    for (size_t r = 0; r < groups * RUN; r++) {
        unsigned h = 0;
        if (cut) {
            for (int j = 0; j < RUN; j++) {
                h |= (unsigned)(heads[RUN * r + (size_t)j] != 0) << j;
            }
            heads0[r] = (uint8_t)h;
            heads1[r / RUN] = (uint8_t)((r % RUN == 0 ? 0 : heads1[r / RUN]) | (h != 0) << r % RUN);
        }
        /* Prefetches to the second cache what is read 8 KB later and need not be in the array. */
        __builtin_prefetch((const void *)((uintptr_t)x + 8192 + r * RUN * (wide ? 8 : 4)), 0, 2);
        run values =
            wide ? run_get((const double *)x + RUN * r) : run_widen((const float *)x + RUN * r);
        run_put(v + RUN * r, run_up(values, h, product));
        total1[r] = v[RUN * r + RUN - 1];
    }
    up_level(total1, groups, total2, cut ? heads1 : NULL, t->heads2 + k, product);
    for (size_t g = groups; g < RUN; g++) {
        total2[g] = usw_neutral(product);
    }
    up_level(total2, 1, t->total3 + k, cut ? t->heads2 + k : NULL, &any, product);
    t->heads3[0] = (uint8_t)(t->heads3[0] | any << k);
}

/* The total of the tops so far; with heads, of the elements from the last head on. */
static inline double sweep_total(const sweep_tile *t, bool product)
{
    double prefix[TOPS];
    run_put(prefix, run_up(run_get(t->total3), t->heads3[0], product));
    return prefix[TOPS - 1];
}

/* One level down: the offsets of the children of each run, from the offset of the run and the
 * totals of the children before. */
ALWAYS void down_level(double *child, size_t runs, const double *offset, const double *total,
                       const uint8_t *heads, bool product)
{
    for (size_t r = 0; r < runs; r++) {
        unsigned cut = heads == NULL ? 0 : behind(heads[r]) << 1;
        run before = run_shift(run_get(total + RUN * r), product);
        run base = run_cut(run_all(offset[r]), cut & 0xff, product);
        run_put(child + RUN * r, run_join(product, base, before));
    }
}

/* Downward sweep of the first groups of top k, after the upward ones of the tops up to k: writes
 * its floats (wide: doubles). heads: whether there are any. */
ALWAYS void sweep_down(const sweep_tile *t, size_t k, size_t groups, const double *v, double carry,
                       void *out, bool wide, bool heads, bool exclusive, bool product)
{
    const uint8_t *heads0 = t->heads0 + TOP_RUNS * k;
    double total3[TOPS], offset3[TOPS], offset2[RUN], offset1[TOP_RUNS];
    run_put(total3, run_up(run_get(t->total3), heads ? t->heads3[0] : 0, product));
    down_level(offset3, 1, &carry, total3, heads ? t->heads3 : NULL, product);
    down_level(offset2, 1, offset3 + k, t->total2 + RUN * k, heads ? t->heads2 + k : NULL, product);
    down_level(offset1, groups, offset2, t->total1 + TOP_RUNS * k,
               heads ? t->heads1 + RUN * k : NULL, product);
    for (size_t r = 0; r < groups * RUN; r++) {
        run values = run_get(v + RUN * r), base = run_all(offset1[r]);
        values = exclusive ? run_shift(values, product) : values;
        if (heads) {
            values = exclusive ? run_cut(values, heads0[r], product) : values;
            base = run_cut(base, behind(heads0[r]), product);
        }
        values = run_join(product, base, values);
        /* Prefetches the line that is written 4 KB later and need not be in the array. */
        __builtin_prefetch((const void *)((uintptr_t)out + 4096 + r * RUN * (wide ? 8 : 4)), 1, 2);
        if (wide) {
            run_out((double *)out + RUN * r, values);
        } else {
            run_narrow((float *)out + RUN * r, values);
        }
    }
}

#endif
