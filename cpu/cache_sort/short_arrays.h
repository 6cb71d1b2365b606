/* short_arrays.h - sorts arrays of at most USW_SMALL keys: examines whether the keys rise or fall,
 * which ends at the first vectors that do neither, and sorts them if they do not. For so few keys
 * nothing else is worth its time. Rows of a matrix are sorted without that look. Included once per
 * width of 16 to 64 bits after the quicksort of that width. */
/* SPDX-License-Identifier: MIT */

#include "cpu/cache_sort/short_arrays_order.h"

#ifdef MAPS
/* Whether keys rise as signed integers do. */
static inline bool FN(rises_signed)(const usw_keymap *map)
{
    return (map->neg | map->add) == 0 && map->pos == UINT64_C(1) << (KEY_BITS - 1);
}

/* With AVX2 more vectors are mapped in memory, or compared as doubles, which takes less time. */
#undef MAPPED_MOST
#if USW_LEVEL == 2
#define MAPPED_MOST FN(BASE)
#else
#define MAPPED_MOST ((KEY_BITS == 64 ? 2 : 8) * LANES)
#endif

/* Sorts n <= MAPPED_MOST keys in the order of the map; the network maps them in registers. */
static usw_shape FN(sort_small_mapped)(KEY *k, size_t n, const usw_keymap *map)
{
    usw_shape shape = FN(shape)(k, n, map);
    if (shape == USW_FALLING) {
        USW_SYMBOL(usw_keymap_steps).mirror[USW_WIDTH](k, k + (n - n / 2), n / 2);
#if USW_LEVEL == 2 && KEY_BITS == 32
    } else if (shape == USW_MIXED && FN(rises_signed)(map)) {
        USW_ROUTE_OF("mapped: in signed order", USW_TYPE_BIT(UPSWEEP_I32));
        signed_base_sort_u32(k, n);
#elif USW_LEVEL == 2
    } else if (shape == USW_MIXED && FN(rises_signed)(map) && n <= HALF_BASE &&
               usw_halves_vectors()) {
        USW_ROUTE_OF("mapped: in signed order", USW_TYPE_BIT(UPSWEEP_I64));
        signed_half_base_sort_u64(k, n);
#endif
    } else if (shape == USW_MIXED) {
        USW_ROUTE("mapped in registers");
        FN(base_sort_mapped)(k, n, map);
    }
    return shape;
}
#endif

/* usw_map_key without a branch, for random signs. */
static inline KEY FN(map_key)(KEY x, const usw_keymap *map)
{
    KEY below = (KEY)((KEY)0 - (KEY)(x >> (KEY_BITS - 1))) & (KEY)map->neg;
    return (KEY)((KEY)(x ^ below ^ (KEY)map->pos) + (KEY)map->add);
}

/* Sorts 2 keys without a branch. map may be NULL. */
static inline usw_shape FN(sort_two)(KEY *k, const usw_keymap *map)
{
    KEY a = k[0], b = k[1];
    bool falls = map == NULL ? b < a : FN(map_key)(b, map) < FN(map_key)(a, map);
    KEY turn = (a ^ b) & (KEY)((KEY)0 - (KEY)falls);
    k[0] = a ^ turn;
    k[1] = b ^ turn;
    return falls ? USW_FALLING : USW_RISING;
}

#if USW_LEVEL < 2 && KEY_BITS >= 32
/* FN(map_key) undone. */
static inline KEY FN(unmap_key)(KEY x, const usw_keymap *map)
{
    KEY y = (KEY)((KEY)(x - (KEY)map->add) ^ (KEY)map->pos);
    return y ^ ((KEY)((KEY)0 - (KEY)(y >> (KEY_BITS - 1))) & (KEY)map->neg);
}

static inline void FN(exchange_two)(KEY *a, KEY *b)
{
    KEY x = *a, y = *b;
    *a = x < y ? x : y;
    *b = x < y ? y : x;
}

/* Sorts 3 or 4 keys, which is no work for vectors, by a network. map may be NULL. */
static inline usw_shape FN(sort_four)(KEY *k, size_t n, const usw_keymap *map)
{
    const usw_keymap same = {.bits = KEY_BITS}, *m = map == NULL ? &same : map;
    KEY a = FN(map_key)(k[0], m), b = FN(map_key)(k[1], m), c = FN(map_key)(k[2], m);
    KEY d = n == 4 ? FN(map_key)(k[3], m) : (KEY)-1;
    USW_ROUTE("three or four keys");
    bool rises = a <= b && b <= c && c <= d, falls = a >= b && b >= c && (n == 3 || c >= d);
    FN(exchange_two)(&a, &b);
    FN(exchange_two)(&c, &d);
    FN(exchange_two)(&a, &c);
    FN(exchange_two)(&b, &d);
    FN(exchange_two)(&b, &c);
    k[0] = FN(unmap_key)(a, m);
    k[1] = FN(unmap_key)(b, m);
    k[2] = FN(unmap_key)(c, m);
    if (n == 4) {
        k[3] = FN(unmap_key)(d, m);
    }
    return rises ? USW_RISING : falls ? USW_FALLING : USW_MIXED;
}
#endif

#ifdef HALF_BASE
/* Stores 3 to LANES / 2 keys in two pieces that overlap. A masked store would hold up the loads of
 * what lies behind it, such as the next of many short arrays. */
static inline void FN(store_few)(KEY *k, __m256i v, size_t n)
{
    enum { PIECE = 128 / KEY_BITS };
#if KEY_BITS == 32
    if (n < PIECE) {
        _mm_storel_epi64((__m128i *)(void *)k, _mm256_castsi256_si128(v));
        k[2] = (KEY)_mm256_extract_epi32(v, 2);
        return;
    }
    __m256i from = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    from = _mm256_add_epi32(from, _mm256_set1_epi32((int)(n - PIECE)));
#else
    __m256i from = _mm256_setr_epi64x(0, 1, 2, 3);
    from = _mm256_add_epi64(from, _mm256_set1_epi64x((long long)(n - PIECE)));
#endif
    __m256i last = HALF(vpermute)(v, from);
    _mm_storeu_si128((__m128i *)(void *)k, _mm256_castsi256_si128(v));
    _mm_storeu_si128((__m128i *)(void *)(k + n - PIECE), _mm256_castsi256_si128(last));
}

/* Sorts 3 to LANES / 2 keys, in a vector of half the width, whether they are in order or not: a
 * branch would take longer. map may be NULL. */
static inline usw_shape FN(sort_few)(KEY *k, size_t n, const usw_keymap *map)
{
    __m256i v = HALF(vload_some)(k, n);
    USW_ROUTE_IF(map == NULL, "a vector of few keys",
                 USW_TYPE_BIT(KEY_BITS == 32 ? UPSWEEP_U32 : UPSWEEP_U64));
    USW_ROUTE_IF(map != NULL, "a vector of few keys, mapped", USW_ROUTE_DEFAULT);
    if (map != NULL) {
        v = HALF(vmap_some)(v, HALF(vmap_of)(map), n);
    }
    __m256i next = KEY_BITS == 32 ? _mm256_alignr_epi32(v, v, 1) : _mm256_alignr_epi64(v, v, 1);
    __mmask8 pairs = HALF(first_lanes)(n - 1);
    bool falls = (HALF(vgreater)(v, next) & pairs) != 0;
    bool rises = (HALF(vgreater)(next, v) & pairs) != 0;
    HALF(merge_one)(&v);
    if (map != NULL) {
        v = HALF(vunmap)(v, HALF(vmap_of)(map));
    }
    FN(store_few)(k, v, n);
    return !falls ? USW_RISING : !rises ? USW_FALLING : USW_MIXED;
}
#endif

/* More keys than one vector takes: a function of its own, since it saves and aligns more than those
 * few are worth. */
USW_NOINLINE static usw_shape FN(sort_more)(KEY *k, size_t n, const usw_keymap *map)
{
    const usw_keymap_steps *maps = &USW_SYMBOL(usw_keymap_steps);
    if (k[0] == k[n - 1] && FN(all_equal)(k, n)) {
        USW_ROUTE("all equal");
        return USW_RISING;
    }
#ifdef SORTS_SIGNED
    if (map != NULL && keeps_signed_order(map)) {
        USW_ROUTE_OF("in signed order", USW_SIGNED);
        return SIGNED_FN(sort_shaped)(k, n);
    }
#endif
#ifdef MAPS
    if (map != NULL && n <= MAPPED_MOST) {
        return FN(sort_small_mapped)(k, n, map);
    }
#endif
#if KEY_BITS == 64 && defined(SORTS_DOUBLES)
    if (map != NULL && doubles_pay() && keeps_double_order(map) && plain_doubles(k, n)) {
        USW_ROUTE_OF("plain doubles", USW_TYPE_BIT(UPSWEEP_F64));
        return sort_small_doubles(k, n);
    }
#endif
    if (map != NULL) {
        maps->map[USW_WIDTH](k, k, n, map);
    }
    USW_ROUTE("by its shape");
    usw_shape shape = FN(sort_shaped)(k, n);
    if (map != NULL) {
        maps->unmap[USW_WIDTH](k, k, n, map);
    }
    return shape;
}

static usw_shape FN(sort_small)(void *keys, size_t n, const usw_keymap *map)
{
    if (n <= 2) {
        USW_ROUTE("two keys");
        return n == 2 ? FN(sort_two)(keys, map) : USW_RISING;
    }
#ifdef HALF_BASE
    if (n <= LANES / 2) {
        return FN(sort_few)(keys, n, map);
    }
#endif
#if USW_LEVEL < 2 && KEY_BITS >= 32
    if (n <= 4) {
        return FN(sort_four)(keys, n, map);
    }
#endif
    return FN(sort_more)(keys, n, map);
}

/* Whether rows rise or fall is not asked: they would all be read once more for it. */
static void FN(sort_row)(void *keys, size_t n, const usw_keymap *map)
{
    const usw_keymap_steps *maps = &USW_SYMBOL(usw_keymap_steps);
#if USW_LEVEL == 2 && KEY_BITS == 32
    if (n <= FN(BASE) && FN(rises_signed)(map)) {
        USW_ROUTE_OF("a row in signed order", USW_TYPE_BIT(UPSWEEP_I32));
        signed_base_sort_u32(keys, n);
        return;
    }
    if (n <= FN(BASE)) {
        USW_ROUTE("a row mapped in registers");
        FN(base_sort_mapped)(keys, n, map);
        return;
    }
#endif
#ifdef SORTS_SIGNED
    if (keeps_signed_order(map)) {
        USW_ROUTE_OF("a row in signed order", USW_SIGNED);
        SIGNED_FN(vsort)(keys, n);
        return;
    }
#endif
    USW_ROUTE("a row mapped in memory");
    maps->map[USW_WIDTH](keys, keys, n, map);
    FN(vsort)(keys, n);
    maps->unmap[USW_WIDTH](keys, keys, n, map);
}

#if KEY_BITS == 16
/* Keys of 8 bits are sorted as 16-bit keys, which takes less time than to clear 256 counters. */
static usw_shape sort_small_u8(void *keys, size_t n, const usw_keymap *map)
{
    USW_ROUTE_OF("as 16-bit keys", USW_TYPE_BIT(UPSWEEP_U8) | USW_TYPE_BIT(UPSWEEP_I8));
    const usw_keymap_steps *maps = &USW_SYMBOL(usw_keymap_steps);
    uint8_t *k = keys;
    uint16_t wide[USW_SMALL];
    if (map != NULL) {
        maps->map[0](k, k, n, map);
    }
    for (size_t i = 0; i < n; i++) {
        wide[i] = k[i];
    }
    usw_shape shape = sort_small_u16(wide, n, NULL);
    for (size_t i = 0; i < n; i++) {
        k[i] = (uint8_t)wide[i];
    }
    if (map != NULL) {
        maps->unmap[0](k, k, n, map);
    }
    return shape;
}
#endif
