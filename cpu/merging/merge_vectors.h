/* merge_vectors.h - the step of a merge by vectors: two sorted vectors of LANES keys each become
 * their lowest keys, in order, and their highest. Included by merge_cpu.h for each width; without
 * vectors for the width there is no VEC.
 *
 * min(a, reverse b) has the lowest keys and max(a, reverse b) the highest, and each is bitonic, so
 * a halving cascade of compare-exchanges sorts them. Keys of 32 and 64 bits go through it both at
 * once: before each stage shuffles bring the two keys of every exchange into the same lane of two
 * vectors, which takes four instructions a stage for the six of two vectors by themselves. */
/* SPDX-License-Identifier: MIT */
#undef LANES
#undef VEC
#if USW_LEVEL == 2 && KEY_BITS <= 64
#define VEC __m512i
#define LANES (512 / KEY_BITS)
#elif USW_LEVEL == 1 && (KEY_BITS == 32 || KEY_BITS == 64)
#define VEC __m256i
#define LANES (256 / KEY_BITS)
#endif

#ifndef USW_CPU_MERGING_MERGE_VECTORS_H
#define USW_CPU_MERGING_MERGE_VECTORS_H
#define GLUE_(a, b) a##b
#define GLUE(a, b) GLUE_(a, b)
/* _mm512_min_epu32 and its like, for the width at hand. */
#define WIDE(stem) GLUE(stem, KEY_BITS)
#endif

#ifdef VEC
#if USW_LEVEL == 2

static inline VEC FN(load)(const KEY *at)
{
    return _mm512_loadu_si512(at);
}

static inline void FN(store)(KEY *at, VEC x)
{
    _mm512_storeu_si512(at, x);
}

/* n keys, fewer than a vector has, and greatest ones. */
static inline VEC FN(load_some)(const KEY *at, size_t n)
{
    USW_LANE_MASK lanes = (USW_LANE_MASK)((UINT64_C(1) << n) - 1);
    return WIDE(_mm512_mask_loadu_epi)(_mm512_set1_epi32(-1), lanes, at);
}

static inline VEC FN(least)(VEC x, VEC y)
{
    return WIDE(_mm512_min_epu)(x, y);
}

static inline VEC FN(greatest)(VEC x, VEC y)
{
    return WIDE(_mm512_max_epu)(x, y);
}

static inline VEC FN(swapped)(VEC x, unsigned distance)
{
    KEY lane[LANES];
    for (unsigned i = 0; i < LANES; i++) {
        lane[i] = (KEY)(i ^ distance);
    }
    return WIDE(_mm512_permutexvar_epi)(FN(load)(lane), x);
}

static inline VEC FN(reversed)(VEC x)
{
    return FN(swapped)(x, LANES - 1);
}
#elif KEY_BITS == 32

static inline VEC FN(load)(const KEY *at)
{
    return _mm256_loadu_si256((const VEC *)(const void *)at);
}

static inline void FN(store)(KEY *at, VEC x)
{
    _mm256_storeu_si256((VEC *)(void *)at, x);
}

/* n keys, fewer than a vector has, and greatest ones. */
static inline VEC FN(load_some)(const KEY *at, size_t n)
{
    VEC lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), all = _mm256_set1_epi32(-1);
    VEC mine = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), lanes);
    return _mm256_blendv_epi8(all, _mm256_maskload_epi32((const int *)(const void *)at, mine),
                              mine);
}

static inline VEC FN(least)(VEC x, VEC y)
{
    return _mm256_min_epu32(x, y);
}

static inline VEC FN(greatest)(VEC x, VEC y)
{
    return _mm256_max_epu32(x, y);
}

static inline VEC FN(reversed)(VEC x)
{
    return _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0));
}
#else

/* AVX2 compares 64 bits as signed numbers only: in a vector the highest bit of a key is flipped. */
static inline VEC FN(load)(const KEY *at)
{
    VEC x = _mm256_loadu_si256((const VEC *)(const void *)at);
    return _mm256_xor_si256(x, _mm256_set1_epi64x(INT64_MIN));
}

static inline void FN(store)(KEY *at, VEC x)
{
    x = _mm256_xor_si256(x, _mm256_set1_epi64x(INT64_MIN));
    _mm256_storeu_si256((VEC *)(void *)at, x);
}

/* n keys, fewer than a vector has, and greatest ones. */
static inline VEC FN(load_some)(const KEY *at, size_t n)
{
    VEC lanes = _mm256_setr_epi64x(0, 1, 2, 3), turn = _mm256_set1_epi64x(INT64_MIN);
    VEC mine = _mm256_cmpgt_epi64(_mm256_set1_epi64x((long long)n), lanes);
    VEC x = _mm256_maskload_epi64((const long long *)(const void *)at, mine);
    return _mm256_blendv_epi8(_mm256_set1_epi64x(INT64_MAX), _mm256_xor_si256(x, turn), mine);
}

static inline VEC FN(least)(VEC x, VEC y)
{
    return _mm256_blendv_epi8(x, y, _mm256_cmpgt_epi64(x, y));
}

static inline VEC FN(greatest)(VEC x, VEC y)
{
    return _mm256_blendv_epi8(y, x, _mm256_cmpgt_epi64(x, y));
}

static inline VEC FN(reversed)(VEC x)
{
    return _mm256_permute4x64_epi64(x, 0x1B);
}
#endif

#if KEY_BITS >= 32

typedef struct FN(rows) {
    VEC x, y;
} FN(rows);

/* Lane i of x and lane i of y are compare-exchanged. */
static inline FN(rows) FN(exchange)(VEC x, VEC y)
{
    return (FN(rows)){FN(least)(x, y), FN(greatest)(x, y)};
}
#endif

#if USW_LEVEL == 2 && KEY_BITS >= 32

/* In which lane of both rows the low keys are after the last stage, in order, or the high ones. */
static inline VEC FN(places)(size_t high)
{
    enum { PART = 128 / KEY_BITS }; /* lanes */
    KEY lane[LANES];
    for (size_t i = 0; i < LANES; i++) {
        size_t pair = i / 2 % PART, at = KEY_BITS == 32 ? pair % 2 * 2 + pair / 2 : pair;
        lane[i] = (KEY)((i / (2 * PART) * 2 + high) * PART + at + i % 2 * LANES);
    }
    return FN(load)(lane);
}

static inline VEC FN(split_low_high)(VEC a, VEC b, KEY *out)
{
    FN(rows) r = FN(exchange)(a, FN(reversed)(b));
    r = FN(exchange)(_mm512_shuffle_i64x2(r.x, r.y, 0x44), _mm512_shuffle_i64x2(r.x, r.y, 0xEE));
    r = FN(exchange)(_mm512_shuffle_i64x2(r.x, r.y, 0x88), _mm512_shuffle_i64x2(r.x, r.y, 0xDD));
    r = FN(exchange)(_mm512_unpacklo_epi64(r.x, r.y), _mm512_unpackhi_epi64(r.x, r.y));
#if KEY_BITS == 32
    __m512 x = _mm512_castsi512_ps(r.x), y = _mm512_castsi512_ps(r.y);
    r = FN(exchange)(_mm512_castps_si512(_mm512_shuffle_ps(x, y, 0x88)),
                     _mm512_castps_si512(_mm512_shuffle_ps(x, y, 0xDD)));
#endif
    FN(store)(out, WIDE(_mm512_permutex2var_epi)(r.x, FN(places)(0), r.y));
    return WIDE(_mm512_permutex2var_epi)(r.x, FN(places)(1), r.y);
}
#elif USW_LEVEL == 1

static inline VEC FN(split_low_high)(VEC a, VEC b, KEY *out)
{
    FN(rows) r = FN(exchange)(a, FN(reversed)(b));
    r = FN(exchange)(_mm256_permute2x128_si256(r.x, r.y, 0x20),
                     _mm256_permute2x128_si256(r.x, r.y, 0x31));
    r = FN(exchange)(_mm256_unpacklo_epi64(r.x, r.y), _mm256_unpackhi_epi64(r.x, r.y));
#if KEY_BITS == 32
    __m256 x = _mm256_castsi256_ps(r.x), y = _mm256_castsi256_ps(r.y);
    r = FN(exchange)(_mm256_castps_si256(_mm256_shuffle_ps(x, y, 0x88)),
                     _mm256_castps_si256(_mm256_shuffle_ps(x, y, 0xDD)));
    r = (FN(rows)){_mm256_unpacklo_epi32(r.x, r.y), _mm256_unpackhi_epi32(r.x, r.y)};
#endif
    r = (FN(rows)){_mm256_unpacklo_epi64(r.x, r.y), _mm256_unpackhi_epi64(r.x, r.y)};
    FN(store)(out, _mm256_permute2x128_si256(r.x, r.y, 0x20));
    return _mm256_permute2x128_si256(r.x, r.y, 0x31);
}
#else

/* Lanes i and i + distance are compare-exchanged; upper has the lanes that keep the greater. */
static inline VEC FN(exchange_within)(VEC x, unsigned distance, uint64_t upper)
{
    VEC y = FN(swapped)(x, distance);
    return WIDE(_mm512_mask_max_epu)(FN(least)(x, y), (USW_LANE_MASK)upper, x, y);
}

/* Sorts a bitonic vector. */
static inline VEC FN(order_bitonic)(VEC x)
{
#if LANES >= 64
    x = FN(exchange_within)(x, 32, UINT64_C(0xFFFFFFFF00000000));
#endif
    x = FN(exchange_within)(x, 16, UINT64_C(0xFFFF0000FFFF0000));
    x = FN(exchange_within)(x, 8, UINT64_C(0xFF00FF00FF00FF00));
    x = FN(exchange_within)(x, 4, UINT64_C(0xF0F0F0F0F0F0F0F0));
    x = FN(exchange_within)(x, 2, UINT64_C(0xCCCCCCCCCCCCCCCC));
    return FN(exchange_within)(x, 1, UINT64_C(0xAAAAAAAAAAAAAAAA));
}

static inline VEC FN(split_low_high)(VEC a, VEC b, KEY *out)
{
    VEC turned = FN(reversed)(b);
    FN(store)(out, FN(order_bitonic)(FN(least)(a, turned)));
    return FN(order_bitonic)(FN(greatest)(a, turned));
}
#endif
#endif
