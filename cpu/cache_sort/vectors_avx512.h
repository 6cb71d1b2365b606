/* vectors_avx512.h - the vector operations of cache_sort in AVX-512, included once per width of
 * 16 to 128 bits, and for doubles: LANES keys to a vector V, and masks M with a bit for each
 * element. An element is a lane, except that a 128-bit key is a pair of 64-bit elements. */
/* SPDX-License-Identifier: MIT */

#undef V
#undef M
#undef LANES
#undef ELEMENT
#undef UNSIGNED
#undef UNSIGNED_MASK
#define V __m512i
#define LANES (512 / KEY_BITS)
#undef MAPS
#undef JOINS
#undef HALF_BASE
#undef WHOLE_BLOCKS
#undef SIDES
#define SIDES M /* the elements of keys that go right where a vector is partitioned */
#undef COMPARES_MAPPED
#if KEY_BITS < 128 && !defined(DOUBLES) && !defined(SIGNED_ORDER)
#define COMPARES_MAPPED 1
#endif
#if KEY_BITS == 32
#define HALF_BASE 128 /* as many keys may be sorted in vectors of half the width */
#ifndef SIGNED_ORDER
#define MAPS 1 /* short arrays are mapped in registers */
#define WHOLE_BLOCKS 4
#endif
#elif KEY_BITS == 64
#define WHOLE_BLOCKS 8
#ifndef DOUBLES
#define HALF_BASE 64
#define MAPS 1
#endif
#endif
#ifdef WHOLE_BLOCKS /* up to so many blocks are sorted by merge_blocks.h */
static void FN(sort_many)(KEY *k, size_t n);
#endif

#if KEY_BITS == 32 || KEY_BITS == 64
#define JOINS 1
#endif

#if KEY_BITS == 16
#define M __mmask32
#define ELEMENT(name) _mm512_##name##_epi16
#define UNSIGNED(name) _mm512_##name##_epu16
#define UNSIGNED_MASK(name) _mm512_##name##_epu16_mask
#elif defined(SIGNED_ORDER) /* for the network alone */
#define M __mmask16
#define ELEMENT(name) _mm512_##name##_epi32
#define UNSIGNED(name) _mm512_##name##_epi32
#define UNSIGNED_MASK(name) _mm512_##name##_epi32_mask
#elif KEY_BITS == 32
#define M __mmask16
#define ELEMENT(name) _mm512_##name##_epi32
#define UNSIGNED(name) _mm512_##name##_epu32
#define UNSIGNED_MASK(name) _mm512_##name##_epu32_mask
#else
#define M __mmask8
#define ELEMENT(name) _mm512_##name##_epi64
#define UNSIGNED(name) _mm512_##name##_epu64
#define UNSIGNED_MASK(name) _mm512_##name##_epu64_mask
#endif

static inline V FN(vload)(const KEY *from)
{
    return _mm512_loadu_si512(from);
}

static inline void FN(vstore)(KEY *to, V v)
{
    _mm512_storeu_si512(to, v);
}

/* The elements of the first `count` lanes. */
static inline M FN(first_lanes)(size_t count)
{
    return (M)((UINT64_C(1) << (KEY_BITS == 128 ? 2 * count : count)) - 1);
}

/* Loads count <= LANES keys; the other lanes are as great as a key can be. */
static inline V FN(vload_some)(const KEY *from, size_t count)
{
#ifdef SIGNED_ORDER
    return ELEMENT(mask_loadu)(_mm512_set1_epi32(INT32_MAX), FN(first_lanes)(count), from);
#else
    const long long greatest = KEY_BITS == 64 ? (long long)KEY_GREATEST : -1;
    return ELEMENT(mask_loadu)(_mm512_set1_epi64(greatest), FN(first_lanes)(count), from);
#endif
}

#ifdef WHOLE_BLOCKS
static inline V FN(vgreatest)(void)
{
    return _mm512_set1_epi64(KEY_BITS == 64 ? (long long)KEY_GREATEST : -1);
}

static inline V FN(vturn)(V v)
{
    return v;
}
#endif

static inline void FN(vstore_some)(KEY *to, V v, size_t count)
{
    ELEMENT(mask_storeu)(to, FN(first_lanes)(count), v);
}

static inline V FN(vset)(KEY x)
{
#if KEY_BITS == 128
    return _mm512_broadcast_i64x2(_mm_set_epi64x((long long)(x >> 64), (long long)x));
#elif KEY_BITS == 64
    return _mm512_set1_epi64((long long)x);
#elif KEY_BITS == 32
    return _mm512_set1_epi32((int)x);
#else
    return _mm512_set1_epi16((short)x);
#endif
}

#ifdef COMPARES_MAPPED
/* The map of core/keymap.h in all lanes. */
typedef struct FN(vmap) {
    V neg, pos, add;
} FN(vmap);

static inline FN(vmap) FN(vmap_of)(const usw_keymap *map)
{
    return (FN(vmap)){FN(vset)((KEY)map->neg), FN(vset)((KEY)map->pos), FN(vset)((KEY)map->add)};
}

/* The map of v but for the addition. */
static inline V FN(vmap_bits)(V v, FN(vmap) m)
{
    return _mm512_ternarylogic_epi64(v, ELEMENT(srai)(v, KEY_BITS - 1), m.neg, 0x78) ^ m.pos;
}

static inline V FN(vmapped)(V v, FN(vmap) m)
{
    return ELEMENT(add)(FN(vmap_bits)(v, m), m.add);
}
#endif

#ifdef MAPS
/* The mapped keys of the first `count` lanes; the others are as great as a key can be. */
static inline V FN(vmap_some)(V v, FN(vmap) m, size_t count)
{
    return ELEMENT(mask_add)(_mm512_set1_epi64(-1), FN(first_lanes)(count), FN(vmap_bits)(v, m),
                             m.add);
}

static inline V FN(vunmap)(V v, FN(vmap) m)
{
    V y = ELEMENT(sub)(v, m.add) ^ m.pos;
    return _mm512_ternarylogic_epi64(y, ELEMENT(srai)(y, KEY_BITS - 1), m.neg, 0x78);
}
#endif

/* Elements of keys of a that are greater than those of b. */
static inline M FN(vgreater)(V a, V b)
{
#if KEY_BITS == 128
    unsigned above = _mm512_cmpgt_epu64_mask(a, b), equal = _mm512_cmpeq_epi64_mask(a, b);
    unsigned high = (above | (equal & above << 1)) & 0xaa;
    return (M)(high | high >> 1);
#elif defined(DOUBLES)
    return _mm512_cmp_pd_mask(_mm512_castsi512_pd(a), _mm512_castsi512_pd(b), _CMP_GT_OQ);
#else
    return UNSIGNED_MASK(cmpgt)(a, b);
#endif
}

static inline bool FN(vany)(M m)
{
    return m != 0;
}

static inline V FN(vmin)(V a, V b)
{
#if KEY_BITS == 128
    return _mm512_mask_mov_epi64(a, FN(vgreater)(a, b), b);
#elif defined(DOUBLES)
    return _mm512_castpd_si512(_mm512_min_pd(_mm512_castsi512_pd(a), _mm512_castsi512_pd(b)));
#else
    return UNSIGNED(min)(a, b);
#endif
}

static inline V FN(vmax)(V a, V b)
{
#if KEY_BITS == 128
    return _mm512_mask_mov_epi64(b, FN(vgreater)(a, b), a);
#elif defined(DOUBLES)
    return _mm512_castpd_si512(_mm512_max_pd(_mm512_castsi512_pd(a), _mm512_castsi512_pd(b)));
#else
    return UNSIGNED(max)(a, b);
#endif
}

/* The other of a and b, of which least is the lesser: by an exclusive or, since on Intel one unit
 * alone does maxima and minima, and on Zen 4 those of 64 bits take twice as long. Doubles take the
 * maximum, since results pass between instructions on doubles and on integers with a delay. */
static inline V FN(vother)(V a, V b, V least)
{
#ifdef DOUBLES
    (void)least;
    return FN(vmax)(a, b);
#else
    return _mm512_ternarylogic_epi64(a, b, least, 0x96);
#endif
}

/* The elements of the lanes whose number has bit d (a power of two). */
static inline M FN(lanes_with)(unsigned d)
{
    static const uint32_t bit[6] = {0xaaaaaaaa, 0xcccccccc, 0xf0f0f0f0, 0xff00ff00, 0xffff0000, 0};
    return (M)bit[(unsigned)__builtin_ctz(d) + (KEY_BITS == 128)];
}

static inline M FN(lanes_without)(unsigned d)
{
    return (M)~FN(lanes_with)(d);
}

/* Lanes of `upper` get the greater, the others the lesser of a and b. */
static inline V FN(vorder)(V a, V b, M upper)
{
#if KEY_BITS == 128
    M swap = (M)(FN(vgreater)(a, b) ^ upper);
    return _mm512_mask_mov_epi64(a, swap, b);
#elif defined(DOUBLES)
    __m512d x = _mm512_castsi512_pd(a), y = _mm512_castsi512_pd(b);
    return _mm512_castpd_si512(_mm512_mask_max_pd(_mm512_min_pd(x, y), upper, x, y));
#elif KEY_BITS >= 32
    V least = UNSIGNED(min)(a, b);
    return ELEMENT(mask_ternarylogic)(least, upper, a, b, 0x96);
#else
    return UNSIGNED(mask_max)(UNSIGNED(min)(a, b), upper, a, b);
#endif
}

static inline V FN(vpermute)(V v, V index)
{
    return ELEMENT(permutexvar)(index, v);
}

/* The index for vpermute that gives lane i the key of lane from[i]. */
static inline V FN(vindex)(const unsigned char *from)
{
#if KEY_BITS == 16
    return _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)(const void *)from));
#elif KEY_BITS == 32
    return _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)from));
#elif KEY_BITS == 64
    return _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(const void *)from));
#else
    unsigned char pair[8];
    for (unsigned i = 0; i < 8; i++) {
        pair[i] = (unsigned char)(2 * from[i / 2] + i % 2);
    }
    return _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(const void *)pair));
#endif
}

/* The index for vpermute that exchanges lane i with lane i ^ x. */
static inline V FN(vindex_xor)(unsigned x)
{
#if KEY_BITS == 16
    static const unsigned char lane[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                           11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                           22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
    return _mm512_xor_si512(FN(vindex)(lane), _mm512_set1_epi16((short)x));
#elif KEY_BITS == 32
    return _mm512_xor_si512(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
                            _mm512_set1_epi32((int)x));
#else
    return _mm512_xor_si512(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0),
                            _mm512_set1_epi64((long long)(KEY_BITS == 128 ? 2 * x : x)));
#endif
}

/* Lanes of `mask` get the key of b of lane i ^ x, the others that of a. Within 128 bits it costs a
 * cycle, across them five. */
USW_IN_REGISTERS V FN(vpick_flip)(V a, V b, const unsigned x, M mask)
{
#if KEY_BITS == 32
    switch (x) {
    case 1: return _mm512_mask_shuffle_epi32(a, mask, b, 0xb1);
    case 2: return _mm512_mask_shuffle_epi32(a, mask, b, 0x4e);
    case 3: return _mm512_mask_shuffle_epi32(a, mask, b, 0x1b);
    default: break;
    }
#elif KEY_BITS == 64
    if (x == 1) {
        return _mm512_castpd_si512(
            _mm512_mask_permute_pd(_mm512_castsi512_pd(a), mask, _mm512_castsi512_pd(b), 0x55));
    }
#endif
    return ELEMENT(mask_permutexvar)(a, mask, FN(vindex_xor)(x), b);
}

/* Exchanges lane i with lane i ^ x. */
USW_IN_REGISTERS V FN(vflip)(V v, const unsigned x)
{
#if KEY_BITS == 32
    switch (x) {
    case 1: return _mm512_shuffle_epi32(v, 0xb1);
    case 2: return _mm512_shuffle_epi32(v, 0x4e);
    case 3: return _mm512_shuffle_epi32(v, 0x1b);
    default: break;
    }
#elif KEY_BITS == 64
    if (x == 1) {
        return _mm512_shuffle_epi32(v, 0x4e);
    }
#endif
    return FN(vpermute)(v, FN(vindex_xor)(x));
}

static inline SIDES FN(vsides)(V x, V pivot)
{
    return FN(vgreater)(x, pivot);
}

#ifdef COMPARES_MAPPED
static inline SIDES FN(vsides_mapped)(V x, V pivot, FN(vmap) m)
{
    return FN(vgreater)(FN(vmapped)(x, m), pivot);
}
#endif

/* Writes the keys of x that go left upward from *left, those `above` downward from *right, and
 * moves both pointers. May overwrite what lies within LANES keys above *left, and, but with 16
 * bits, below *right. */
static inline void FN(vsplit)(V x, SIDES above, KEY **left, KEY **right)
{
#if KEY_BITS >= 64
    /* One permutation brings both sides to their ends, and is stored twice. */
    uint64_t from = KEY_BITS == 64 ? split_8[above] : split_4[_pext_u32(above, 0x55)];
    size_t n = (size_t)__builtin_popcount(above) / (KEY_BITS / 64);
    V partitioned = FN(vpermute)(x, _mm512_cvtepu8_epi64(_mm_cvtsi64_si128((long long)from)));
    FN(vstore)(*left, partitioned);
    FN(vstore)(*right - LANES, partitioned);
    *left += LANES - n;
    *right -= n;
#else
    /* What is compressed goes over x itself: zeros around it would make the instruction wait for
     * the register's last use, on Zen 4. */
    size_t n = (size_t)__builtin_popcount(above);
    FN(vstore)(*left, ELEMENT(mask_compress)(x, (M)~above, x));
    ELEMENT(mask_storeu)(*right - n, FN(first_lanes)(n), ELEMENT(mask_compress)(x, above, x));
    *left += LANES - n;
    *right -= n;
#endif
}

/* The same for the first `count` lanes; writes no more than these keys. */
#define SPLITS_SOME 1
static inline void FN(vsplit_some)(V x, size_t count, SIDES sides, KEY **left, KEY **right)
{
    M some = FN(first_lanes)(count), above = sides & some, below = some & ~above;
    size_t n = (size_t)__builtin_popcount(above) / (KEY_BITS == 128 ? 2 : 1);
    ELEMENT(mask_storeu)(*left, FN(first_lanes)(count - n), ELEMENT(mask_compress)(x, below, x));
    ELEMENT(mask_storeu)(*right - n, FN(first_lanes)(n), ELEMENT(mask_compress)(x, above, x));
    *left += count - n;
    *right -= n;
}
