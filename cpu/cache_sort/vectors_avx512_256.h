/* vectors_avx512_256.h - the vector operations that the network needs, for keys of 32 and 64 bits
 * in vectors of 256 bits, with the masks of AVX-512. Few keys sort faster in them: the network then
 * has twice the rows, which are cheap to compare, and half the lanes, which are not. What the
 * functions do is said in cpu/cache_sort/vectors_avx512.h. */
/* SPDX-License-Identifier: MIT */

#undef V
#undef M
#undef LANES
#undef MAPS
#undef ELEMENT
#undef HALF_BASE
#undef JOINS
#define JOINS 1
#define V __m256i
#define M __mmask8
#define LANES (256 / KEY_BITS)
#ifndef SIGNED_ORDER
#define MAPS 1
#endif
#if KEY_BITS == 32
#define ELEMENT(name) _mm256_##name##_epi32
#else
#define ELEMENT(name) _mm256_##name##_epi64
#endif

static inline V FN(vload)(const KEY *from)
{
    return _mm256_loadu_si256((const V *)(const void *)from);
}

static inline void FN(vstore)(KEY *to, V v)
{
    _mm256_storeu_si256((V *)(void *)to, v);
}

static inline M FN(first_lanes)(size_t count)
{
    return (M)((1u << count) - 1);
}

static inline V FN(vload_some)(const KEY *from, size_t count)
{
#ifdef SIGNED_ORDER
    const V greatest =
        KEY_BITS == 32 ? _mm256_set1_epi32(INT32_MAX) : _mm256_set1_epi64x(INT64_MAX);
    return ELEMENT(mask_loadu)(greatest, FN(first_lanes)(count), from);
#else
    return ELEMENT(mask_loadu)(_mm256_set1_epi32(-1), FN(first_lanes)(count), from);
#endif
}

static inline void FN(vstore_some)(KEY *to, V v, size_t count)
{
    ELEMENT(mask_storeu)(to, FN(first_lanes)(count), v);
}

static inline V FN(vset)(KEY x)
{
    return KEY_BITS == 32 ? _mm256_set1_epi32((int)x) : _mm256_set1_epi64x((long long)x);
}

#ifdef MAPS
typedef struct FN(vmap) {
    V neg, pos, add;
} FN(vmap);

static inline FN(vmap) FN(vmap_of)(const usw_keymap *map)
{
    return (FN(vmap)){FN(vset)((KEY)map->neg), FN(vset)((KEY)map->pos), FN(vset)((KEY)map->add)};
}

static inline V FN(vmap_some)(V v, FN(vmap) m, size_t count)
{
    V y = _mm256_ternarylogic_epi64(v, ELEMENT(srai)(v, KEY_BITS - 1), m.neg, 0x78) ^ m.pos;
    return ELEMENT(mask_add)(_mm256_set1_epi32(-1), FN(first_lanes)(count), y, m.add);
}

static inline V FN(vunmap)(V v, FN(vmap) m)
{
    V y = ELEMENT(sub)(v, m.add) ^ m.pos;
    return _mm256_ternarylogic_epi64(y, ELEMENT(srai)(y, KEY_BITS - 1), m.neg, 0x78);
}
#endif

static inline V FN(vmin)(V a, V b)
{
#ifdef SIGNED_ORDER
    return ELEMENT(min)(a, b);
#elif KEY_BITS == 32
    return _mm256_min_epu32(a, b);
#else
    return _mm256_min_epu64(a, b);
#endif
}

static inline V FN(vother)(V a, V b, V least)
{
    return _mm256_ternarylogic_epi64(a, b, least, 0x96);
}

#ifdef MAPS
/* Lanes of a that are greater than those of b. */
static inline M FN(vgreater)(V a, V b)
{
#if KEY_BITS == 32
    return _mm256_cmpgt_epu32_mask(a, b);
#else
    return _mm256_cmpgt_epu64_mask(a, b);
#endif
}
#endif

static inline M FN(lanes_with)(unsigned d)
{
    return d == 1 ? 0xaa : d == 2 ? 0xcc : 0xf0;
}

static inline M FN(lanes_without)(unsigned d)
{
    return (M)~FN(lanes_with)(d);
}

static inline V FN(vorder)(V a, V b, M upper)
{
    return ELEMENT(mask_ternarylogic)(FN(vmin)(a, b), upper, a, b, 0x96);
}

static inline V FN(vindex)(const unsigned char *from)
{
#if KEY_BITS == 32
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)from));
#else
    return _mm256_cvtepu8_epi64(_mm_loadu_si32(from));
#endif
}

static inline V FN(vpermute)(V v, V index)
{
    return ELEMENT(permutexvar)(index, v);
}

#if KEY_BITS == 32
static inline V FN(vindex_xor)(unsigned x)
{
    return _mm256_xor_si256(_mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0), _mm256_set1_epi32((int)x));
}

USW_IN_REGISTERS V FN(vpick_flip)(V a, V b, const unsigned x, M mask)
{
    switch (x) {
    case 1: return _mm256_mask_shuffle_epi32(a, mask, b, 0xb1);
    case 2: return _mm256_mask_shuffle_epi32(a, mask, b, 0x4e);
    default: return _mm256_mask_permutexvar_epi32(a, mask, FN(vindex_xor)(x), b);
    }
}

USW_IN_REGISTERS V FN(vflip)(V v, const unsigned x)
{
    switch (x) {
    case 1: return _mm256_shuffle_epi32(v, 0xb1);
    case 2: return _mm256_shuffle_epi32(v, 0x4e);
    case 3: return _mm256_shuffle_epi32(v, 0x1b);
    default: return _mm256_permutevar8x32_epi32(v, FN(vindex_xor)(x));
    }
}
#else
USW_IN_REGISTERS V FN(vpick_flip)(V a, V b, const unsigned x, M mask)
{
    switch (x) {
    case 1: return _mm256_mask_permutex_epi64(a, mask, b, 0xb1);
    case 2: return _mm256_mask_permutex_epi64(a, mask, b, 0x4e);
    default: return _mm256_mask_permutex_epi64(a, mask, b, 0x1b);
    }
}

USW_IN_REGISTERS V FN(vflip)(V v, const unsigned x)
{
    switch (x) {
    case 1: return _mm256_shuffle_epi32(v, 0x4e);
    case 2: return _mm256_permute4x64_epi64(v, 0x4e);
    default: return _mm256_permute4x64_epi64(v, 0x1b);
    }
}
#endif
