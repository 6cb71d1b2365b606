/* positions.c - the positions of what comes before a pivot, of what equals it, and of what comes
 * after it, NaNs too.
 *
 * One pass writes the first from the front, and the last from the end, without a branch: a position
 * that belongs elsewhere is written to a free place, and written over. A second one, which ends
 * early, fills the middle. With AVX-512 both take eight keys at once; with AVX2 the first takes
 * four, which a table of shuffles brings to either end. */
/* SPDX-License-Identifier: MIT */
#include "python/binding/binding.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* index[low .. high) is free; keys from `at` on are still to be placed. The first key that equals
 * the pivot is at `equal` or behind it, unless it is still to be placed. */
typedef struct placing {
    int64_t *index;
    size_t low, high, at, equal;
} placing;

/* No branch, since among few different keys it could not be predicted. */
static inline void note_equal(placing *p, unsigned equal)
{
    p->equal = ((equal != 0) & (p->equal == SIZE_MAX)) != 0 ? p->at : p->equal;
}

/* ---- eight keys at once ---- */

#if defined(__x86_64__)
#define WIDE __attribute__((target("avx512f,avx512dq,avx512vl")))
enum { LANES = 8 };
enum level { ONE_BY_ONE, BY_FOUR, BY_EIGHT };

/* How n keys go; the library's environment variable keeps vectors away here, too. */
static enum level level_of(size_t n)
{
    const char *isa = n < 4 * LANES ? "portable" : getenv("UPSWEEP_ISA");
    const bool any = isa == NULL || isa[0] == '\0' || strcmp(isa, "avx512") == 0;
    if (any && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
        return BY_EIGHT;
    }
    return (any || strcmp(isa, "avx2") == 0) && __builtin_cpu_supports("avx2") ? BY_FOUR
                                                                               : ONE_BY_ONE;
}

/* Places eight positions by two masks. Eight free places are left at either end: whole vectors are
 * stored, since a store under a mask takes some ten times as long on AMD's processors. */
WIDE static inline void place_eight(placing *p, unsigned before, unsigned equal)
{
    const __m512i eight = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    const __m512i positions = _mm512_add_epi64(_mm512_set1_epi64((long long)p->at), eight);
    const unsigned after = 255 & ~(before | equal);
    const unsigned behind = (unsigned)__builtin_popcount(after);
    _mm512_storeu_si512(p->index + p->low,
                        _mm512_maskz_compress_epi64((__mmask8)before, positions));
    p->low += (size_t)__builtin_popcount(before);
    p->high -= behind;
    note_equal(p, equal);
    const __m512i last = _mm512_maskz_compress_epi64((__mmask8)after, positions);
    const __m512i turn = _mm512_add_epi64(eight, _mm512_set1_epi64((long long)behind));
    _mm512_storeu_si512(p->index + p->high + behind - LANES, _mm512_permutexvar_epi64(turn, last));
    p->at += LANES;
}

/* The pass over keys of one type. LOAD and SET make a vector of eight; COMPARE(a, b, LESS) and its
 * like a mask. */
#define WIDE_PASS(name, T, V, LOAD, SET, COMPARE, LESS, GREATER, EQUAL)                            \
    WIDE static void name##_wide(const T *keys, size_t n, T pivot, bool descending, placing *p)    \
    {                                                                                              \
        placing q = *p; /* in registers: index may be anything */                                  \
        const V pivots = SET(pivot);                                                               \
        while (n - q.at >= LANES && q.high - q.low >= 2 * LANES) {                                 \
            const V x = LOAD((const void *)(keys + q.at));                                         \
            place_eight(&q, descending ? COMPARE(x, pivots, GREATER) : COMPARE(x, pivots, LESS),   \
                        COMPARE(x, pivots, EQUAL));                                                \
        }                                                                                          \
        *p = q;                                                                                    \
    }
WIDE_PASS(place_u32, uint32_t, __m256i, _mm256_loadu_si256, _mm256_set1_epi32,
          _mm256_cmp_epu32_mask, _MM_CMPINT_LT, _MM_CMPINT_NLE, _MM_CMPINT_EQ)
WIDE_PASS(place_i32, int32_t, __m256i, _mm256_loadu_si256, _mm256_set1_epi32, _mm256_cmp_epi32_mask,
          _MM_CMPINT_LT, _MM_CMPINT_NLE, _MM_CMPINT_EQ)
WIDE_PASS(place_u64, uint64_t, __m512i, _mm512_loadu_si512, _mm512_set1_epi64,
          _mm512_cmp_epu64_mask, _MM_CMPINT_LT, _MM_CMPINT_NLE, _MM_CMPINT_EQ)
WIDE_PASS(place_i64, int64_t, __m512i, _mm512_loadu_si512, _mm512_set1_epi64, _mm512_cmp_epi64_mask,
          _MM_CMPINT_LT, _MM_CMPINT_NLE, _MM_CMPINT_EQ)
WIDE_PASS(place_f32, float, __m256, _mm256_loadu_ps, _mm256_set1_ps, _mm256_cmp_ps_mask, _CMP_LT_OQ,
          _CMP_GT_OQ, _CMP_EQ_OQ)
WIDE_PASS(place_f64, double, __m512d, _mm512_loadu_pd, _mm512_set1_pd, _mm512_cmp_pd_mask,
          _CMP_LT_OQ, _CMP_GT_OQ, _CMP_EQ_OQ)

/* ---- four keys at once ---- */

#define FOUR __attribute__((target("avx2,popcnt")))
enum { FOURS = 4 };

/* Entry m brings the lanes of 64 bits whose bit is 0 in m to the front, the others to the back. */
static const uint64_t shuffles[1 << FOURS] = {
    0x0706050403020100, 0x0100070605040302, 0x0302070605040100, 0x0302010007060504,
    0x0504070603020100, 0x0504010007060302, 0x0504030207060100, 0x0504030201000706,
    0x0706050403020100, 0x0706010005040302, 0x0706030205040100, 0x0706030201000504,
    0x0706050403020100, 0x0706050401000302, 0x0706050403020100, 0x0706050403020100,
};

FOUR static inline void write_four(int64_t *to, __m256i positions, unsigned back)
{
    const __m128i from = _mm_loadl_epi64((const void *)&shuffles[back]);
    positions = _mm256_permutevar8x32_epi32(positions, _mm256_cvtepu8_epi32(from));
    _mm256_storeu_si256((void *)to, positions);
}

/* Places four positions by two masks. Four free places are left at either end: what a store writes
 * beside the positions that belong there is written over later. */
FOUR static inline void place_four(placing *p, unsigned before, unsigned equal)
{
    const __m256i positions =
        _mm256_add_epi64(_mm256_set1_epi64x((long long)p->at), _mm256_setr_epi64x(0, 1, 2, 3));
    const unsigned after = 15 & ~(before | equal);
    write_four(p->index + p->low, positions, 15 ^ before);
    write_four(p->index + p->high - FOURS, positions, after);
    p->low += (size_t)__builtin_popcount(before);
    p->high -= (size_t)__builtin_popcount(after);
    note_equal(p, equal);
    p->at += FOURS;
}

/* LOAD and SET make a vector of four keys, those of no sign in signed order; SIGNS makes bits of
 * the lanes that GREATER and EQUAL compare. */
#define FOUR_PASS(name, T, V, LOAD, SET, GREATER, EQUAL, SIGNS)                                    \
    FOUR static void name##_four(const T *keys, size_t n, T pivot, bool descending, placing *p)    \
    {                                                                                              \
        placing q = *p; /* in registers: index may be anything */                                  \
        const V pivots = SET(pivot);                                                               \
        while (n - q.at >= FOURS && q.high - q.low >= 2 * FOURS) {                                 \
            const V x = LOAD(keys + q.at);                                                         \
            const V before = descending ? GREATER(x, pivots) : GREATER(pivots, x);                 \
            place_four(&q, (unsigned)SIGNS(before), (unsigned)SIGNS(EQUAL(x, pivots)));            \
        }                                                                                          \
        *p = q;                                                                                    \
    }
#define LOAD_32(from) _mm_loadu_si128((const void *)(from))
#define LOAD_64(from) _mm256_loadu_si256((const void *)(from))
#define SIGN_32(x) _mm_xor_si128(x, _mm_set1_epi32(INT32_MIN))
#define SIGN_64(x) _mm256_xor_si256(x, _mm256_set1_epi64x(INT64_MIN))
#define LOAD_U32(from) SIGN_32(LOAD_32(from))
#define LOAD_U64(from) SIGN_64(LOAD_64(from))
#define SET_U32(x) SIGN_32(_mm_set1_epi32((int)(x)))
#define SET_U64(x) SIGN_64(_mm256_set1_epi64x((long long)(x)))
#define SIGNS_32(x) _mm_movemask_ps(_mm_castsi128_ps(x))
#define SIGNS_64(x) _mm256_movemask_pd(_mm256_castsi256_pd(x))
#define GREATER_F64(a, b) _mm256_cmp_pd(a, b, _CMP_GT_OQ)
#define EQUAL_F64(a, b) _mm256_cmp_pd(a, b, _CMP_EQ_OQ)
FOUR_PASS(place_u32, uint32_t, __m128i, LOAD_U32, SET_U32, _mm_cmpgt_epi32, _mm_cmpeq_epi32,
          SIGNS_32)
FOUR_PASS(place_i32, int32_t, __m128i, LOAD_32, _mm_set1_epi32, _mm_cmpgt_epi32, _mm_cmpeq_epi32,
          SIGNS_32)
FOUR_PASS(place_u64, uint64_t, __m256i, LOAD_U64, SET_U64, _mm256_cmpgt_epi64, _mm256_cmpeq_epi64,
          SIGNS_64)
FOUR_PASS(place_i64, int64_t, __m256i, LOAD_64, _mm256_set1_epi64x, _mm256_cmpgt_epi64,
          _mm256_cmpeq_epi64, SIGNS_64)
FOUR_PASS(place_f32, float, __m128, _mm_loadu_ps, _mm_set1_ps, _mm_cmpgt_ps, _mm_cmpeq_ps,
          _mm_movemask_ps)
FOUR_PASS(place_f64, double, __m256d, _mm256_loadu_pd, _mm256_set1_pd, GREATER_F64, EQUAL_F64,
          _mm256_movemask_pd)
#endif

/* ---- one key after the other ---- */

#define PLACE(name, T, VECTORS)                                                                    \
    static bool name(const T *keys, size_t n, T pivot, bool descending, int64_t *index)            \
    {                                                                                              \
        placing p = {index, 0, n, 0, SIZE_MAX};                                                    \
        if (pivot != pivot) {                                                                      \
            return false;                                                                          \
        }                                                                                          \
        VECTORS;                                                                                   \
        for (size_t i = p.at; i < n; i++) {                                                        \
            const T key = keys[i];                                                                 \
            const size_t before = descending ? key > pivot : key < pivot, equal = key == pivot;    \
            index[p.low] = index[p.high - 1] = (int64_t)i;                                         \
            p.low += before;                                                                       \
            p.high -= 1 - before - equal;                                                          \
        }                                                                                          \
        for (size_t i = p.equal < p.at ? p.equal : p.at; p.low < p.high; i++) {                    \
            index[p.low] = (int64_t)i;                                                             \
            p.low += keys[i] == pivot;                                                             \
        }                                                                                          \
        return true;                                                                               \
    }
#if defined(__x86_64__)
#define PLACE_WIDE(name, T)                                                                        \
    static void name##_some(const T *keys, size_t n, T pivot, bool descending, placing *p)         \
    {                                                                                              \
        switch (level_of(n)) {                                                                     \
        case BY_EIGHT: name##_wide(keys, n, pivot, descending, p); break;                          \
        case BY_FOUR: name##_four(keys, n, pivot, descending, p); break;                           \
        case ONE_BY_ONE: break;                                                                    \
        }                                                                                          \
    }                                                                                              \
    PLACE(name, T, name##_some(keys, n, pivot, descending, &p))
#else
#define PLACE_WIDE(name, T) PLACE(name, T, )
#endif
PLACE(place_u8, uint8_t, )
PLACE(place_u16, uint16_t, )
PLACE(place_i8, int8_t, )
PLACE(place_i16, int16_t, )
PLACE_WIDE(place_u32, uint32_t)
PLACE_WIDE(place_i32, int32_t)
PLACE_WIDE(place_u64, uint64_t)
PLACE_WIDE(place_i64, int64_t)
PLACE_WIDE(place_f32, float)
PLACE_WIDE(place_f64, double)

/* f16 and bf16 as integers in their order: either zero is 0, and NaN comes after everything. */
static bool place_halves(const uint16_t *keys, size_t n, uint16_t pivot, unsigned infinity,
                         bool descending, int64_t *index)
{
#define NUMBER(key)                                                                                \
    ((key & 0x7fff) > infinity ? last : (key & 0x8000) != 0 ? -(key & 0x7fff) : (int)key)
    const int last = descending ? -0x10000 : 0x10000, at = NUMBER(pivot);
    size_t low = 0, high = n;
    if (at == last) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const int key = NUMBER(keys[i]);
        index[low] = index[high - 1] = (int64_t)i;
        low += descending ? key > at : key < at;
        high -= descending ? key < at : key > at;
    }
    for (size_t i = 0; low < high; i++) {
        index[low] = (int64_t)i;
        low += NUMBER(keys[i]) == at;
    }
    return true;
#undef NUMBER
}

bool usp_write_positions(const usp_view *x, const void *pivot, bool descending, int64_t *index)
{
#define CASE(type, name, T)                                                                        \
    case type: return name((const void *)x->data, x->n, *(const T *)pivot, descending, index);
    switch (x->type) {
        CASE(UPSWEEP_U8, place_u8, uint8_t)
        CASE(UPSWEEP_U16, place_u16, uint16_t)
        CASE(UPSWEEP_U32, place_u32, uint32_t)
        CASE(UPSWEEP_U64, place_u64, uint64_t)
        CASE(UPSWEEP_I8, place_i8, int8_t)
        CASE(UPSWEEP_I16, place_i16, int16_t)
        CASE(UPSWEEP_I32, place_i32, int32_t)
        CASE(UPSWEEP_I64, place_i64, int64_t)
        CASE(UPSWEEP_F32, place_f32, float)
        CASE(UPSWEEP_F64, place_f64, double)
    case UPSWEEP_F16:
    case UPSWEEP_BF16:
        return place_halves((const void *)x->data, x->n, *(const uint16_t *)pivot,
                            x->type == UPSWEEP_F16 ? 0x7c00 : 0x7f80, descending, index);
    default: return false;
    }
#undef CASE
}
