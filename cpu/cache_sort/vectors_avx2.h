/* vectors_avx2.h - the vector operations of cache_sort in AVX2, included for widths of 32 and
 * 64 bits, for signed integers of these, and for doubles: LANES keys to a vector V, and masks M
 * whose lanes are all ones or all zeros. A 64-bit key is a pair of 32-bit elements. */
/* SPDX-License-Identifier: MIT */

#undef V
#undef M
#undef LANES
#define V __m256i
#define M __m256i
#define LANES (256 / KEY_BITS)
#undef SIDES
#define SIDES unsigned /* a bit for each key that goes right where a vector is partitioned */
#undef COMPARES_MAPPED
#undef MAPS
#undef JOINS
#define JOINS 1
#if !defined(DOUBLES) && !defined(SIGNED_ORDER)
#define COMPARES_MAPPED 1
#define MAPS 1 /* short arrays are mapped in registers */
#endif
#define BY_BLOCKS 1 /* more than 16 vectors are sorted by cpu/cache_sort/merge_blocks.h */
static void FN(sort_many)(KEY *k, size_t n);

static inline V FN(vload)(const KEY *from)
{
    return _mm256_loadu_si256((const V *)(const void *)from);
}

static inline void FN(vstore)(KEY *to, V v)
{
    _mm256_storeu_si256((V *)(void *)to, v);
}

static inline V FN(vset)(KEY x)
{
#if KEY_BITS == 64
    return _mm256_set1_epi64x((long long)x);
#else
    return _mm256_set1_epi32((int)x);
#endif
}

static inline V FN(vlane_numbers)(void)
{
#if KEY_BITS == 64
    return _mm256_set_epi64x(3, 2, 1, 0);
#else
    return _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
#endif
}

/* The first `count` lanes. */
static inline M FN(first_lanes)(size_t count)
{
#if KEY_BITS == 64
    return _mm256_cmpgt_epi64(FN(vset)(count), FN(vlane_numbers)());
#else
    return _mm256_cmpgt_epi32(FN(vset)((KEY)count), FN(vlane_numbers)());
#endif
}

/* Vectors of the greatest key. */
static inline V FN(vgreatest)(void)
{
    return FN(vset)(KEY_GREATEST);
}

/* Loads count <= LANES keys; the other lanes are as great as a key can be. */
static inline V FN(vload_some)(const KEY *from, size_t count)
{
    M mask = FN(first_lanes)(count);
#if KEY_BITS == 64
    V v = _mm256_maskload_epi64((const long long *)(const void *)from, mask);
#else
    V v = _mm256_maskload_epi32((const int *)(const void *)from, mask);
#endif
    return _mm256_or_si256(v, _mm256_andnot_si256(mask, FN(vgreatest)()));
}

/* A store under a mask takes some ten times as long on AMD's processors: a sort should do one. */
static inline void FN(vstore_some)(KEY *to, V v, size_t count)
{
    if (count == LANES) {
        FN(vstore)(to, v);
        return;
    }
    if (count == 0) {
        return;
    }
#if KEY_BITS == 64
    _mm256_maskstore_epi64((long long *)(void *)to, FN(first_lanes)(count), v);
#else
    _mm256_maskstore_epi32((int *)(void *)to, FN(first_lanes)(count), v);
#endif
}

/* Lanes of keys of a that are greater than those of b. There are signed comparisons only. */
static inline M FN(vgreater)(V a, V b)
{
#ifdef DOUBLES
    return _mm256_castpd_si256(
        _mm256_cmp_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b), _CMP_GT_OQ));
#elif defined(SIGNED_ORDER) && KEY_BITS == 64
    return _mm256_cmpgt_epi64(a, b);
#elif defined(SIGNED_ORDER)
    return _mm256_cmpgt_epi32(a, b);
#else
    V sign = FN(vset)((KEY)1 << (KEY_BITS - 1));
#if KEY_BITS == 64
    return _mm256_cmpgt_epi64(_mm256_xor_si256(a, sign), _mm256_xor_si256(b, sign));
#else
    return _mm256_cmpgt_epi32(_mm256_xor_si256(a, sign), _mm256_xor_si256(b, sign));
#endif
#endif
}

static inline bool FN(vany)(M m)
{
    return !_mm256_testz_si256(m, m);
}

/* Lanes of `second` from b, the others from a. */
static inline V FN(vpick)(V a, V b, M second)
{
    return _mm256_blendv_epi8(a, b, second);
}

/* Comparing signed keys of 64 bits takes a third of what unsigned ones do. So these keys are turned
 * to signed order on their way into the network, and back: lesser and greater are signed here. */
#define TURNS 1
static inline V FN(vturn)(V v)
{
#if KEY_BITS == 64 && !defined(DOUBLES) && !defined(SIGNED_ORDER)
    v = _mm256_xor_si256(v, FN(vset)((KEY)1 << (KEY_BITS - 1)));
#endif
    return v;
}

/* Doubles take one instruction each, where 64-bit integers share a comparison and take a choice. */
static inline V FN(vmin)(V a, V b)
{
#ifdef DOUBLES
    return _mm256_castpd_si256(_mm256_min_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b)));
#elif KEY_BITS == 64
    return FN(vpick)(a, b, _mm256_cmpgt_epi64(a, b));
#elif defined(SIGNED_ORDER)
    return _mm256_min_epi32(a, b);
#else
    return _mm256_min_epu32(a, b);
#endif
}

static inline V FN(vmax)(V a, V b)
{
#ifdef DOUBLES
    return _mm256_castpd_si256(_mm256_max_pd(_mm256_castsi256_pd(a), _mm256_castsi256_pd(b)));
#elif KEY_BITS == 64
    return FN(vpick)(b, a, _mm256_cmpgt_epi64(a, b));
#elif defined(SIGNED_ORDER)
    return _mm256_max_epi32(a, b);
#else
    return _mm256_max_epu32(a, b);
#endif
}

/* The other of a and b, of which least is the lesser. */
static inline V FN(vother)(V a, V b, V least)
{
    (void)least;
    return FN(vmax)(a, b);
}

/* Which lanes a step writes, known when it is compiled: a bit for each 32-bit element. */
#undef LANE_SET
#define LANE_SET unsigned

/* The lanes whose number has bit d (a power of two). */
static inline LANE_SET FN(lanes_with)(unsigned d)
{
    unsigned element = KEY_BITS == 64 ? 2 * d : d;
    return element == 1 ? 0xaa : element == 2 ? 0xcc : 0xf0;
}

static inline LANE_SET FN(lanes_without)(unsigned d)
{
    return 0xff ^ FN(lanes_with)(d);
}

/* The lanes `second` from b, the others from a. */
USW_IN_REGISTERS V FN(vblend)(V a, V b, const LANE_SET second)
{
    switch (second) {
    case 0xaa: return _mm256_blend_epi32(a, b, 0xaa);
    case 0xcc: return _mm256_blend_epi32(a, b, 0xcc);
    case 0xf0: return _mm256_blend_epi32(a, b, 0xf0);
    case 0x55: return _mm256_blend_epi32(a, b, 0x55);
    case 0x33: return _mm256_blend_epi32(a, b, 0x33);
    default: return _mm256_blend_epi32(a, b, 0x0f);
    }
}

/* Lanes of `upper` get the greater, the others the lesser of a and b. */
USW_IN_REGISTERS V FN(vorder)(V a, V b, const LANE_SET upper)
{
#if KEY_BITS == 64 && !defined(DOUBLES)
    V turned = FN(vblend)(_mm256_setzero_si256(), _mm256_set1_epi32(-1), upper);
    return FN(vpick)(a, b, _mm256_xor_si256(_mm256_cmpgt_epi64(a, b), turned));
#else
    return FN(vblend)(FN(vmin)(a, b), FN(vmax)(a, b), upper);
#endif
}

/* index: 32-bit elements. */
static inline V FN(vpermute)(V v, V index)
{
    return _mm256_permutevar8x32_epi32(v, index);
}

/* The index for vpermute that gives lane i the key of lane from[i]. */
static inline V FN(vindex)(const unsigned char *from)
{
    unsigned char element[8];
    for (unsigned i = 0; i < 8; i++) {
        element[i] = (unsigned char)(KEY_BITS == 64 ? 2 * from[i / 2] + i % 2 : from[i]);
    }
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)element));
}

/* Exchanges lane i with lane i ^ x. Within halves first: what crosses them takes longer. */
USW_IN_REGISTERS V FN(vflip)(V v, const unsigned x)
{
    const unsigned element = KEY_BITS == 64 ? 2 * x : x;
    switch (element & 3) {
    case 1: v = _mm256_shuffle_epi32(v, 0xb1); break;
    case 2: v = _mm256_shuffle_epi32(v, 0x4e); break;
    case 3: v = _mm256_shuffle_epi32(v, 0x1b); break;
    default: break;
    }
    return (element & 4) != 0 ? _mm256_permute2x128_si256(v, v, 1) : v;
}

/* Lanes of `mask` get the key of b of lane i ^ x, the others that of a. */
USW_IN_REGISTERS V FN(vpick_flip)(V a, V b, const unsigned x, const LANE_SET mask)
{
    return FN(vblend)(a, FN(vflip)(b, x), mask);
}

#ifdef COMPARES_MAPPED
/* The map of core/keymap.h in all lanes: one choice by the sign, and an addition. */
typedef struct FN(vmap) {
    V pos, neg, add; /* neg: pos ^ neg of the map */
} FN(vmap);

static inline FN(vmap) FN(vmap_of)(const usw_keymap *map)
{
    return (FN(vmap)){FN(vset)((KEY)map->pos), FN(vset)((KEY)(map->pos ^ map->neg)),
                      FN(vset)((KEY)map->add)};
}

static inline V FN(vmapped)(V v, FN(vmap) m)
{
#if KEY_BITS == 64
    __m256d flip = _mm256_blendv_pd(_mm256_castsi256_pd(m.pos), _mm256_castsi256_pd(m.neg),
                                    _mm256_castsi256_pd(v));
    return _mm256_add_epi64(_mm256_xor_si256(v, _mm256_castpd_si256(flip)), m.add);
#else
    __m256 flip = _mm256_blendv_ps(_mm256_castsi256_ps(m.pos), _mm256_castsi256_ps(m.neg),
                                   _mm256_castsi256_ps(v));
    return _mm256_add_epi32(_mm256_xor_si256(v, _mm256_castps_si256(flip)), m.add);
#endif
}

/* The mapped keys of the first `count` lanes; the others are as great as a key can be. */
static inline V FN(vmap_some)(V v, FN(vmap) m, size_t count)
{
    return _mm256_blendv_epi8(FN(vset)((KEY)-1), FN(vmapped)(v, m), FN(first_lanes)(count));
}

static inline V FN(vunmap)(V v, FN(vmap) m)
{
#if KEY_BITS == 64
    V y = _mm256_xor_si256(_mm256_sub_epi64(v, m.add), m.pos);
    M below = _mm256_cmpgt_epi64(_mm256_setzero_si256(), y);
#else
    V y = _mm256_xor_si256(_mm256_sub_epi32(v, m.add), m.pos);
    M below = _mm256_cmpgt_epi32(_mm256_setzero_si256(), y);
#endif
    return _mm256_xor_si256(y, _mm256_and_si256(below, _mm256_xor_si256(m.pos, m.neg)));
}
#endif

/* As many lanes of a, then b, as end with the first `count` of b. */
static inline V FN(vjoin)(V a, V b, size_t count)
{
    const V element = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    V from = _mm256_add_epi32(element, _mm256_set1_epi32((int)count * (KEY_BITS / 32)));
    M second = _mm256_cmpgt_epi32(from, _mm256_set1_epi32(7));
    return FN(vpick)(FN(vpermute)(a, from), FN(vpermute)(b, from), second);
}

/* Stores LANES / 2 to LANES keys in two pieces that overlap. */
static inline void FN(vstore_pieces)(KEY *to, V v, size_t count)
{
    V last = FN(vjoin)(v, v, count - LANES / 2);
    _mm_storeu_si128((__m128i *)(void *)to, _mm256_castsi256_si128(v));
    _mm_storeu_si128((__m128i *)(void *)(to + count - LANES / 2), _mm256_castsi256_si128(last));
}

static inline SIDES FN(vsides)(V x, V pivot)
{
#if KEY_BITS == 64
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(FN(vgreater)(x, pivot)));
#else
    M below = _mm256_cmpeq_epi32(FN(vmin)(x, pivot), x);
    return 255u ^ (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(below));
#endif
}

#ifdef COMPARES_MAPPED
/* To add the highest bit is to flip it, as a signed comparison wants. */
static inline SIDES FN(vsides_mapped)(V x, V pivot, FN(vmap) m)
{
    V sign = FN(vset)((KEY)1 << (KEY_BITS - 1));
    m.add = _mm256_xor_si256(m.add, sign);
    x = FN(vmapped)(x, m);
    pivot = _mm256_xor_si256(pivot, sign);
#if KEY_BITS == 64
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(x, pivot)));
#else
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(x, pivot)));
#endif
}
#endif

/* Writes the keys of x that go left to the front of the next `space` keys, those `above` to their
 * back, and returns how many the former are. May overwrite what lies within LANES keys of either
 * end: one permutation brings both sides to their ends, and is stored twice. Every vector makes the
 * room LANES keys less, so that the caller need not keep the second end. */
#define SPLITS_BETWEEN 1
static inline size_t FN(vsplit_between)(V x, SIDES above, KEY *left, size_t space)
{
    const uint64_t *from = KEY_BITS == 64 ? &split_4[above] : &split_8[above];
    size_t below = (size_t)__builtin_popcount(((1u << LANES) - 1) ^ above);
    V index = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)from));
    V partitioned = FN(vpermute)(x, index);
    FN(vstore)(left, partitioned);
    FN(vstore)(left + space - LANES, partitioned);
    return below;
}

/* vsplit_between for the keys between *left and *right; moves both pointers. */
static inline void FN(vsplit)(V x, SIDES above, KEY **left, KEY **right)
{
    size_t space = (size_t)(*right - *left);
    *left += FN(vsplit_between)(x, above, *left, space);
    *right = *left + (space - LANES);
}
