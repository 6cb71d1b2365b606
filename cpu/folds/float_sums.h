/* float_sums.h - sums and products of a tile of floats, and of rows of no more than one, in the
 * order of core/order.h. Included by algo/reduce_tree_cpu.h, once.
 *
 * Up to 128 elements have each a lane of their own, so that the lanes' tree is all there is: runs
 * of 8 lanes meet at distances 8, 4, 2 and 1, and the lanes of the run that is left at distances 4,
 * 2 and 1. The order starts lanes at +0 and adds +0 for what is absent, which changes nothing but
 * the sign of a zero, and that is lost when the carry tree adds +0, or a row's sum does. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CPU_FOLDS_FLOAT_SUMS_H
#define USW_CPU_FOLDS_FLOAT_SUMS_H

#include "cpu/folds/float_tile.h"
#include "cpu/folds/halves.h"

/* ---- lanes ---- */

#if defined(__clang__)
#define UNROLL_RUNS _Pragma("clang loop unroll(full)")
#define UNROLL_LANES UNROLL_RUNS
#else
#define UNROLL_RUNS _Pragma("GCC unroll 8")
#define UNROLL_LANES _Pragma("GCC unroll 32")
#endif

#if USW_LEVEL == 1
/* Masks of 64 bits as masks of 32. */
ALWAYS __m128i low_halves(__m256i mask)
{
    return _mm256_castsi256_si128(
        _mm256_permutevar8x32_epi32(mask, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6)));
}
#endif

/* The n < RUN elements at x, floats or doubles (wide), and behind them what is absent. */
ALWAYS run run_part(const void *x, size_t n, bool wide, double absent)
{
#if USW_LEVEL == 2
    __mmask8 here = (__mmask8)((1u << n) - 1);
    return wide ? _mm512_mask_loadu_pd(run_all(absent), here, x)
                : _mm512_mask_cvtps_pd(run_all(absent), here, _mm256_maskz_loadu_ps(here, x));
#elif USW_LEVEL == 1
    const __m256i places = _mm256_setr_epi64x(0, 1, 2, 3), four = _mm256_set1_epi64x(4);
    __m256i end = _mm256_set1_epi64x((int64_t)n), lo = _mm256_cmpgt_epi64(end, places);
    __m256i hi = _mm256_cmpgt_epi64(end, _mm256_add_epi64(places, four));
    run v, all = run_all(absent);
    if (wide) {
        v.lo = _mm256_maskload_pd(x, lo);
        v.hi = _mm256_maskload_pd((const double *)x + 4, hi);
    } else {
        v.lo = _mm256_cvtps_pd(_mm_maskload_ps(x, low_halves(lo)));
        v.hi = _mm256_cvtps_pd(_mm_maskload_ps((const float *)x + 4, low_halves(hi)));
    }
    return (run){_mm256_blendv_pd(all.lo, v.lo, _mm256_castsi256_pd(lo)),
                 _mm256_blendv_pd(all.hi, v.hi, _mm256_castsi256_pd(hi))};
#else
    double v[RUN];
    for (size_t j = 0; j < RUN; j++) {
        v[j] = j >= n ? absent : wide ? ((const double *)x)[j] : (double)((const float *)x)[j];
    }
    return run_get(v);
#endif
}

/* Lanes RUN k and on of n. */
ALWAYS run lanes_run(const void *x, size_t k, size_t n, bool wide, double absent)
{
    const void *at = (const unsigned char *)x + k * RUN * (wide ? sizeof(double) : sizeof(float));
    if (n - k * RUN < RUN) {
        return run_part(at, n - k * RUN, wide, absent);
    }
    return wide ? run_get(at) : run_widen(at);
}

/* x: n elements, 1 to USW_LANES, as floats or doubles (wide). The runs that are kept are few enough
 * for registers, where the loops have no turns left. */
ALWAYS double lanes_sum(const void *x, size_t n, bool wide, bool product)
{
    enum { KEPT = USW_LANES / RUN / 2 };
    run v[KEPT];
    double lane[RUN], absent = usw_neutral(product);
    size_t runs = usw_div_up(n, RUN);
    UNROLL_RUNS
    for (size_t k = 0; k < KEPT; k++) {
        v[k] = k < runs ? lanes_run(x, k, n, wide, absent) : run_all(absent);
        if (k + KEPT < runs) {
            v[k] = run_join(product, v[k], lanes_run(x, k + KEPT, n, wide, absent));
        }
    }
    if (runs > 1) {
        v[0] = run_join(product, run_join(product, v[0], v[4]), run_join(product, v[2], v[6]));
        v[1] = run_join(product, run_join(product, v[1], v[5]), run_join(product, v[3], v[7]));
        v[0] = run_join(product, v[0], v[1]);
    }
    run_put(lane, v[0]);
    for (int distance = RUN / 2; distance > 0; distance /= 2) {
        for (int j = 0; j < distance; j++) {
            lane[j] = usw_join(product, lane[j], lane[j + distance]);
        }
    }
    return lane[0];
}

/* ---- a tile ---- */

/* Asks for what is read 8 KB later, into the second cache: the few misses that the first can have
 * under way are for the loop itself, which reads memory a third slower without. Loops over integers
 * do not gain. It need not be in the array. */
ALWAYS void fetch_ahead(const void *at, size_t bytes)
{
    for (size_t line = 0; line < bytes; line += 64) {
        __builtin_prefetch((const void *)((uintptr_t)at + 8192 + line), 0, 2);
    }
}

/* n > USW_LANES elements to lanes; far: they do not lie in the caches. */
#define LANE_LOOP(TYPE, name)                                                                      \
    ALWAYS double name##_of_four(double lane, const TYPE *x, bool product)                         \
    {                                                                                              \
        lane = usw_join(product, lane, (double)x[0]);                                              \
        lane = usw_join(product, lane, (double)x[USW_LANES]);                                      \
        lane = usw_join(product, lane, (double)x[2 * USW_LANES]);                                  \
        return usw_join(product, lane, (double)x[3 * USW_LANES]);                                  \
    }                                                                                              \
    ALWAYS void name(const TYPE *x, size_t n, double *lane, bool product, bool far)                \
    {                                                                                              \
        size_t blocks = !far && n >= 4 * USW_LANES ? 4 : 1, i = blocks * USW_LANES;                \
        for (size_t j = 0; j < USW_LANES; j++) {                                                   \
            lane[j] =                                                                              \
                blocks == 4 ? name##_of_four(usw_neutral(product), x + j, product) : (double)x[j]; \
        }                                                                                          \
        for (; !far && i + 4 * USW_LANES <= n; i += 4 * USW_LANES) {                               \
            for (size_t j = 0; j < USW_LANES; j++) {                                               \
                lane[j] = name##_of_four(lane[j], x + i + j, product);                             \
            }                                                                                      \
        }                                                                                          \
        for (; i + USW_LANES <= n; i += USW_LANES) {                                               \
            if (far) {                                                                             \
                fetch_ahead(x + i, USW_LANES * sizeof *x);                                         \
            }                                                                                      \
            for (size_t j = 0; j < USW_LANES; j++) {                                               \
                lane[j] = usw_join(product, lane[j], (double)x[i + j]);                            \
            }                                                                                      \
        }                                                                                          \
        for (size_t j = 0; j < n - i; j++) {                                                       \
            lane[j] = usw_join(product, lane[j], (double)x[i + j]);                                \
        }                                                                                          \
    }
LANE_LOOP(float, lanes_f32)
LANE_LOOP(double, lanes_f64)

#if USW_LEVEL > 0
ALWAYS __m256d half_widen(const float *x)
{
    return _mm256_cvtps_pd(_mm_loadu_ps(x));
}
/* Widened floats are added by a multiplication with 1 and an addition: the same bits, and AMD's
 * processors do it by other units than those that widen. */
ALWAYS __m256d half_join(bool product, __m256d a, __m256d b)
{
    __m256d one = _mm256_set1_pd(1.0);
    __asm__("" : "+x"(one)); /* or compilers make an addition of it */
    return product ? _mm256_mul_pd(a, b) : _mm256_fmadd_pd(b, one, a);
}

/* As the loops above, but lanes stay in registers, `kept` vectors of them at a time. A few more
 * than there are registers for cost less than another pass over the tile. */
#define LANES_KEPT(TYPE, name, VECTOR, WIDTH, GET, JOIN, PUT)                                      \
    ALWAYS void name(const TYPE *x, size_t n, double *lane, bool product, size_t kept)             \
    {                                                                                              \
        VECTOR v[USW_LANES / (WIDTH)];                                                             \
        size_t whole = n - n % USW_LANES;                                                          \
        for (size_t first = 0; first < USW_LANES; first += kept * (WIDTH)) {                       \
            UNROLL_LANES                                                                           \
            for (size_t k = 0; k < kept; k++) {                                                    \
                v[k] = GET(x + first + k * (WIDTH));                                               \
            }                                                                                      \
            for (size_t i = first + USW_LANES; i < whole; i += USW_LANES) {                        \
                UNROLL_LANES                                                                       \
                for (size_t k = 0; k < kept; k++) {                                                \
                    v[k] = JOIN(product, v[k], GET(x + i + k * (WIDTH)));                          \
                }                                                                                  \
            }                                                                                      \
            UNROLL_LANES                                                                           \
            for (size_t k = 0; k < kept; k++) {                                                    \
                PUT(lane + first + k * (WIDTH), v[k]);                                             \
            }                                                                                      \
        }                                                                                          \
        for (size_t j = 0; j < n - whole; j++) {                                                   \
            lane[j] = usw_join(product, lane[j], (double)x[whole + j]);                            \
        }                                                                                          \
    }
LANES_KEPT(float, halves_f32, __m256d, 4, half_widen, half_join, _mm256_storeu_pd)
#endif
#if USW_LEVEL == 2
LANES_KEPT(double, runs_f64, run, RUN, run_get, run_join, run_put)
#endif

/* n: 1 to USW_TILE; floats or doubles (wide). */
ALWAYS double wide_tile_sum(const void *x, size_t n, bool wide, bool product, bool far)
{
    double lane[USW_LANES];
    if (n <= USW_LANES) {
        return lanes_sum(x, n, wide, product);
    }
#if USW_LEVEL == 2
    if (wide && !far) {
        runs_f64(x, n, lane, product, USW_LANES / RUN);
        return lanes_sum(lane, USW_LANES, true, product);
    }
#endif
#if USW_LEVEL > 0
    if (!wide && ((USW_LEVEL == 1 && !far) || usw_halves_vectors())) {
        halves_f32(x, n, lane, product, USW_LEVEL == 2 || far ? 32 : 8);
        return lanes_sum(lane, USW_LANES, true, product);
    }
#endif
    if (wide) {
        lanes_f64(x, n, lane, product, far);
    } else {
        lanes_f32(x, n, lane, product, far);
    }
    return lanes_sum(lane, USW_LANES, true, product);
}

ALWAYS double tile_sum(const void *data, size_t n, upsweep_type type, bool product, bool far)
{
    if (type == UPSWEEP_F64 || type == UPSWEEP_F32) {
        return wide_tile_sum(data, n, type == UPSWEEP_F64, product, far);
    }
    float wide[USW_TILE];
    widen_halves(type, data, n, wide);
    return wide_tile_sum(wide, n, false, product, false);
}

#define TILE_SUM(TYPE, name, far)                                                                  \
    static double sum_##name(const void *data, size_t n)                                           \
    {                                                                                              \
        return tile_sum(data, n, TYPE, false, far);                                                \
    }                                                                                              \
    static double product_##name(const void *data, size_t n)                                       \
    {                                                                                              \
        return tile_sum(data, n, TYPE, true, far);                                                 \
    }
TILE_SUM(UPSWEEP_F16, f16, false)
TILE_SUM(UPSWEEP_BF16, bf16, false)
TILE_SUM(UPSWEEP_F32, f32, false)
TILE_SUM(UPSWEEP_F64, f64, false)
TILE_SUM(UPSWEEP_F32, far_f32, true)
TILE_SUM(UPSWEEP_F64, far_f64, true)

typedef double (*tile_fn)(const void *data, size_t n);
static const tile_fn tile_sums[2][2][4] = {
    {{sum_f16, sum_bf16, sum_f32, sum_f64}, {product_f16, product_bf16, product_f32, product_f64}},
    {{sum_f16, sum_bf16, sum_far_f32, sum_far_f64},
     {product_f16, product_bf16, product_far_f32, product_far_f64}}};

/* The sum of a row of 1 to USW_TILE elements. */
static inline double row_sum(const void *data, size_t n, upsweep_type type, bool product)
{
    double sum = tile_sums[0][product][type - UPSWEEP_F16](data, n);
    return usw_join(product, usw_neutral(product), sum);
}

#endif
