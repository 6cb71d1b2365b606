/* positions.c - the positions of what comes before a pivot, of what equals it, and of what comes
 * after it, NaNs too.
 *
 * One pass writes the first from the front, and the last from the end, without a branch: a position
 * that belongs elsewhere is written to a free place, and written over. A second one, which ends
 * early, fills the middle. With AVX-512 both take eight keys at once. */
/* SPDX-License-Identifier: MIT */
#include "python/binding/binding.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* index[low .. high) is free; keys from `at` on are still to be placed. */
typedef struct placing {
    int64_t *index;
    size_t low, high, at;
} placing;

/* ---- eight keys at once ---- */

#if defined(__x86_64__)
#define WIDE __attribute__((target("avx512f,avx512dq,avx512vl")))
enum { LANES = 8 };

/* Whether n keys go by vectors; the library's environment variable keeps them away here, too. */
static bool is_wide(size_t n)
{
    const char *isa = n < 4 * LANES ? "portable" : getenv("UPSWEEP_ISA");
    return __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           (isa == NULL || isa[0] == '\0' || strcmp(isa, "avx512") == 0);
}

/* Places eight positions by two masks. Eight free places are left at either end. */
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
    _mm512_mask_storeu_epi64(p->index + p->high, (__mmask8)((1u << behind) - 1),
                             _mm512_maskz_compress_epi64((__mmask8)after, positions));
    p->at += LANES;
}

/* The passes over keys of one type. LOAD and SET make a vector of eight; COMPARE(a, b, LESS) and
 * its like a mask. */
#define WIDE_PASSES(name, T, V, LOAD, SET, COMPARE, LESS, GREATER, EQUAL)                          \
    WIDE static void name##_wide(const T *keys, size_t n, T pivot, bool descending, placing *p)    \
    {                                                                                              \
        const V pivots = SET(pivot);                                                               \
        while (n - p->at >= LANES && p->high - p->low >= 2 * LANES) {                              \
            const V x = LOAD((const void *)(keys + p->at));                                        \
            place_eight(p, descending ? COMPARE(x, pivots, GREATER) : COMPARE(x, pivots, LESS),    \
                        COMPARE(x, pivots, EQUAL));                                                \
        }                                                                                          \
    }                                                                                              \
    WIDE static size_t name##_equal(const T *keys, size_t n, T pivot)                              \
    {                                                                                              \
        const V pivots = SET(pivot);                                                               \
        size_t i = 0;                                                                              \
        while (n - i >= LANES && COMPARE(LOAD((const void *)(keys + i)), pivots, EQUAL) == 0) {    \
            i += LANES;                                                                            \
        }                                                                                          \
        return i;                                                                                  \
    }
WIDE_PASSES(place_u32, uint32_t, __m256i, _mm256_loadu_si256, _mm256_set1_epi32,
            _mm256_cmp_epu32_mask, _MM_CMPINT_LT, _MM_CMPINT_NLE, _MM_CMPINT_EQ)
WIDE_PASSES(place_i32, int32_t, __m256i, _mm256_loadu_si256, _mm256_set1_epi32,
            _mm256_cmp_epi32_mask, _MM_CMPINT_LT, _MM_CMPINT_NLE, _MM_CMPINT_EQ)
WIDE_PASSES(place_u64, uint64_t, __m512i, _mm512_loadu_si512, _mm512_set1_epi64,
            _mm512_cmp_epu64_mask, _MM_CMPINT_LT, _MM_CMPINT_NLE, _MM_CMPINT_EQ)
WIDE_PASSES(place_i64, int64_t, __m512i, _mm512_loadu_si512, _mm512_set1_epi64,
            _mm512_cmp_epi64_mask, _MM_CMPINT_LT, _MM_CMPINT_NLE, _MM_CMPINT_EQ)
WIDE_PASSES(place_f32, float, __m256, _mm256_loadu_ps, _mm256_set1_ps, _mm256_cmp_ps_mask,
            _CMP_LT_OQ, _CMP_GT_OQ, _CMP_EQ_OQ)
WIDE_PASSES(place_f64, double, __m512d, _mm512_loadu_pd, _mm512_set1_pd, _mm512_cmp_pd_mask,
            _CMP_LT_OQ, _CMP_GT_OQ, _CMP_EQ_OQ)
#endif

/* ---- one key after the other ---- */

#define PLACE(name, T, WIDE_PASS, FIRST_EQUAL)                                                     \
    static bool name(const T *keys, size_t n, T pivot, bool descending, int64_t *index)            \
    {                                                                                              \
        placing p = {index, 0, n, 0};                                                              \
        if (pivot != pivot) {                                                                      \
            return false;                                                                          \
        }                                                                                          \
        WIDE_PASS;                                                                                 \
        for (size_t i = p.at; i < n; i++) {                                                        \
            const T key = keys[i];                                                                 \
            const size_t before = descending ? key > pivot : key < pivot, equal = key == pivot;    \
            index[p.low] = index[p.high - 1] = (int64_t)i;                                         \
            p.low += before;                                                                       \
            p.high -= 1 - before - equal;                                                          \
        }                                                                                          \
        for (size_t i = FIRST_EQUAL; p.low < p.high; i++) {                                        \
            index[p.low] = (int64_t)i;                                                             \
            p.low += keys[i] == pivot;                                                             \
        }                                                                                          \
        return true;                                                                               \
    }
#if defined(__x86_64__)
#define PLACE_WIDE(name, T)                                                                        \
    PLACE(                                                                                         \
        name, T, if (is_wide(n)) { name##_wide(keys, n, pivot, descending, &p); },                 \
        p.at > 0 ? name##_equal(keys, n, pivot) : 0)
#else
#define PLACE_WIDE(name, T) PLACE(name, T, , 0)
#endif
PLACE(place_u8, uint8_t, , 0)
PLACE(place_u16, uint16_t, , 0)
PLACE(place_i8, int8_t, , 0)
PLACE(place_i16, int16_t, , 0)
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
