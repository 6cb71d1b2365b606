/* select_cpu.h - steps that select the k least keys: counting and collecting the keys of one block
 * up to a limit. Keys are mapped as they are read; with AVX-512 by vectors, with AVX2 those of 32
 * and 64 bits (cpu/selection/select_avx2.h). */
/* SPDX-License-Identifier: MIT */
#include "cpu/body.h"
#include "cpu/cpu.h"
#if USW_LEVEL == 1
#include "cpu/cache_sort/compress_table.h"
#endif

#if KEY_BITS != 128

/* A mask, since a choice between neg and 0 becomes a branch, and the signs of keys from all over an
 * array cannot be predicted. */
static inline KEY FN(mapped)(KEY raw, KEY neg, KEY pos, KEY add)
{
    KEY below = neg & (KEY)(0 - (KEY)(raw >> (KEY_BITS - 1)));
    return (KEY)((KEY)(raw ^ below ^ pos) + add);
}

/* AVX-512: how many keys a vector has, and its instructions by name. */
#if USW_LEVEL == 2
#undef SELECT_LANES
#undef V
#undef VU
#define SELECT_LANES (512 / KEY_BITS)
#define SELECT_CAT_(a, b, c) a##b##c
#define SELECT_CAT(a, b, c) SELECT_CAT_(a, b, c)
#define V(name) SELECT_CAT(_mm512_##name##_epi, KEY_BITS, )
#define VU(name) SELECT_CAT(_mm512_##name##_epu, KEY_BITS, _mask)

typedef struct FN(band) {
    __m512i neg, pos, add, low, high;
} FN(band);

#if KEY_BITS == 64
#define SET1(x) _mm512_set1_epi64((long long)(x))
#elif KEY_BITS == 32
#define SET1(x) _mm512_set1_epi32((int)(x))
#elif KEY_BITS == 16
#define SET1(x) _mm512_set1_epi16((short)(x))
#else
#define SET1(x) _mm512_set1_epi8((char)(x))
#endif

static inline FN(band) FN(band_of)(const usw_keymap *map, uint64_t low, uint64_t high)
{
    FN(band) b = {SET1(map->neg), SET1(map->pos), SET1(map->add), SET1(low), SET1(high)};
    return b;
}
#undef SET1

static inline __m512i FN(map_vector)(__m512i raw, const FN(band) * b)
{
    USW_LANE_MASK negative = SELECT_CAT(_mm512_movepi, KEY_BITS, _mask)(raw);
    __m512i below = V(maskz_mov)(negative, b->neg);
    return V(add)(_mm512_ternarylogic_epi64(raw, below, b->pos, 0x96), b->add);
}

/* A bit for each key of a vector that begins `left` keys before the end. */
static inline USW_LANE_MASK FN(lanes)(size_t left)
{
    return (USW_LANE_MASK)(left >= SELECT_LANES ? ~UINT64_C(0) : (UINT64_C(1) << left) - 1);
}

#elif USW_LEVEL == 1 && KEY_BITS >= 32
#include "cpu/selection/select_avx2.h"
#endif

static void FN(count)(const void *keys, size_t n, const usw_keymap *map, uint64_t low,
                      uint64_t high, size_t counts[2])
{
    USW_ROUTE("count");
    const KEY *k = keys;
    size_t below = 0, up_to = 0, i = 0;
#if USW_LEVEL == 2
    FN(band) b = FN(band_of)(map, low, high);
    for (; i < n; i += SELECT_LANES) {
        USW_LANE_MASK lanes = FN(lanes)(n - i);
        __m512i key = FN(map_vector)(V(maskz_loadu)(lanes, k + i), &b);
        below += (size_t)__builtin_popcountll(VU(cmplt)(key, b.low) & lanes);
        up_to += (size_t)__builtin_popcountll(VU(cmple)(key, b.high) & lanes);
    }
#else
    KEY neg = (KEY)map->neg, pos = (KEY)map->pos, add = (KEY)map->add;
    KEY lowest = (KEY)low, highest = (KEY)high;
    while (i < n) { /* 255 at a time, so that counters as wide as a key suffice */
        size_t end = usw_min(n, i + 255);
        KEY less = 0, not_more = 0;
        for (; i < end; i++) {
            KEY key = FN(mapped)(k[i], neg, pos, add);
            less = (KEY)(less + (key < lowest));
            not_more = (KEY)(not_more + (key <= highest));
        }
        below += less;
        up_to += not_more;
    }
#endif
    counts[0] = below;
    counts[1] = up_to;
}

/* Appends what top_k keeps of a key: the key alone, or a record of key and position. */
static inline __attribute__((always_inline)) void FN(put)(void *records, size_t record_bytes,
                                                          size_t at, KEY key, size_t position)
{
    if (record_bytes == sizeof(KEY)) {
        ((KEY *)records)[at] = key;
    } else if (record_bytes == 8) {
        ((uint64_t *)records)[at] = (uint64_t)key << 32 | (uint32_t)position;
    } else {
        ((usw_u128 *)records)[at] = (usw_u128)key << 64 | position;
    }
}

/* Bit i is set where the mapped key i < n is at most limit; n <= 64. */
static inline uint64_t FN(hits)(const KEY *k, size_t n, const usw_keymap *map, KEY limit)
{
    uint64_t hits = 0;
#if USW_LEVEL == 2
    FN(band) b = FN(band_of)(map, 0, limit);
    for (size_t i = 0; i < n; i += SELECT_LANES) {
        USW_LANE_MASK lanes = FN(lanes)(n - i);
        __m512i key = FN(map_vector)(V(maskz_loadu)(lanes, k + i), &b);
        uint64_t some = VU(cmple)(key, b.high) & lanes;
        /* Without this gcc 12.2 may keep `some` in memory, write 16 bits of the mask and read 64.
         */
        __asm__("" : "+r"(some));
        hits |= some << i;
    }
#else
    KEY neg = (KEY)map->neg, pos = (KEY)map->pos, add = (KEY)map->add, any = 0;
    const bool skips = USW_LEVEL > 0 || KEY_BITS < 64; /* where vectors compare keys */
#if USW_LEVEL == 1 && KEY_BITS >= 32
    FN(band) b = FN(band_of)(map, limit);
    for (size_t i = 0; n == 64 && i < n; i += FN(LANES)) {
        __m256i key = FN(map_vector)(FN(load_vector)(k + i), &b);
        hits |= (uint64_t)FN(hits_of)(key, &b) << i;
    }
    if (n == 64) {
        return hits;
    }
#endif
    for (size_t i = 0; skips && i < n; i++) {
        any |= (KEY)(FN(mapped)(k[i], neg, pos, add) <= limit);
    }
    for (size_t i = 0; (any != 0 || !skips) && i < n; i++) { /* finding which key takes longer */
        hits |= (uint64_t)(FN(mapped)(k[i], neg, pos, add) <= limit) << i;
    }
#endif
    return hits;
}

#if USW_LEVEL == 2
enum { FN(STEP) = 4, FN(TAKE_KEYS) = FN(STEP) * SELECT_LANES };
/* Takes keys alone, by whole steps of vectors; steps without a key up to the limit are skipped. */
static inline __attribute__((always_inline)) size_t
FN(take_vectors)(const KEY *k, size_t n, const usw_keymap *map, KEY limit, KEY *out, size_t space,
                 size_t *count, bool plain)
{
    FN(band) b = FN(band_of)(map, 0, limit);
    size_t at = 0, i = 0;
    for (; i + FN(TAKE_KEYS) <= n && at + FN(TAKE_KEYS) <= space; i += FN(TAKE_KEYS)) {
        __m512i key[FN(STEP)];
        USW_LANE_MASK hits[FN(STEP)], any = 0;
        for (size_t v = 0; v < FN(STEP); v++) {
            key[v] = _mm512_loadu_si512(k + i + v * SELECT_LANES);
            key[v] = plain ? key[v] : FN(map_vector)(key[v], &b);
            hits[v] = VU(cmple)(key[v], b.high);
            any = (USW_LANE_MASK)(any | hits[v]);
        }
        for (size_t v = 0; any != 0 && v < FN(STEP); v++) {
            /* Compressed over the vector itself: see vsplit in cpu/cache_sort/vectors_avx512.h. */
            _mm512_storeu_si512(out + at, V(mask_compress)(key[v], hits[v], key[v]));
            at += (size_t)__builtin_popcountll(hits[v]);
        }
    }
    *count = at;
    return i;
}
#endif

static inline __attribute__((always_inline)) size_t
FN(take_records)(const KEY *k, size_t n, const usw_keymap *map, KEY limit, size_t position,
                 void *records, size_t record_bytes, size_t space, size_t *count)
{
    enum { STEP = USW_LEVEL == 2 || (USW_LEVEL == 1 && KEY_BITS >= 32) ? 64 : 32 };
    size_t at = *count, i = 0;
    for (; i < n && at + STEP <= space; i += STEP) {
        uint64_t hits =
            n - i >= STEP ? FN(hits)(k + i, STEP, map, limit) : FN(hits)(k + i, n - i, map, limit);
        for (; hits != 0; hits &= hits - 1) {
            size_t j = i + (size_t)__builtin_ctzll(hits);
            FN(put)(records, record_bytes, at++, (KEY)usw_map_key(map, k[j]), position + j);
        }
    }
    i = usw_min(i, n);
    *count = at;
    return i;
}

static size_t FN(take)(const void *keys, size_t n, const usw_keymap *map, uint64_t limit,
                       size_t position, void *records, size_t record_bytes, size_t space,
                       size_t *count)
{
    const KEY *k = keys;
    size_t i = 0;
    *count = 0;
    if (record_bytes == 8 && KEY_BITS < 64) {
        USW_ROUTE("taken with positions, in 8 bytes");
        return FN(take_records)(k, n, map, (KEY)limit, position, records, 8, space, count);
    }
    if (record_bytes == 16) {
        USW_ROUTE("taken with positions, in 16 bytes");
        return FN(take_records)(k, n, map, (KEY)limit, position, records, 16, space, count);
    }
#if USW_LEVEL == 2 || (USW_LEVEL == 1 && KEY_BITS >= 32)
    USW_ROUTE("taken by vectors");
    i = usw_keymap_is_identity(map)
            ? FN(take_vectors)(k, n, map, (KEY)limit, records, space, count, true)
            : FN(take_vectors)(k, n, map, (KEY)limit, records, space, count, false);
    if (n - i >= FN(TAKE_KEYS)) {
        return i; /* `out` has no room for another step */
    }
#endif
    USW_ROUTE("taken key by key");
    return i + FN(take_records)(k + i, n - i, map, (KEY)limit, position + i, records, sizeof(KEY),
                                space, count);
}

static inline __attribute__((always_inline)) void
FN(collect_records)(const KEY *k, size_t n, const usw_keymap *map, KEY limit, size_t ties,
                    size_t position, void *records, size_t record_bytes)
{
    for (size_t i = 0, at = 0; i < n; i += 64) {
        uint64_t hits = FN(hits)(k + i, usw_min(64, n - i), map, limit);
        for (; hits != 0; hits &= hits - 1) {
            size_t j = i + (size_t)__builtin_ctzll(hits);
            KEY key = (KEY)usw_map_key(map, k[j]);
            if (key == limit) {
                if (ties == 0) {
                    continue;
                }
                ties--;
            }
            FN(put)(records, record_bytes, at++, key, position + j);
        }
    }
}

static void FN(collect)(const void *keys, size_t n, const usw_keymap *map, uint64_t limit,
                        size_t ties, size_t position, void *records, size_t record_bytes)
{
    if (record_bytes == sizeof(KEY)) {
        USW_ROUTE("collected alone");
        FN(collect_records)(keys, n, map, (KEY)limit, ties, position, records, sizeof(KEY));
    } else if (record_bytes == 8) {
        USW_ROUTE("collected with positions, in 8 bytes");
        FN(collect_records)(keys, n, map, (KEY)limit, ties, position, records, 8);
    } else {
        USW_ROUTE("collected with positions, in 16 bytes");
        FN(collect_records)(keys, n, map, (KEY)limit, ties, position, records, 16);
    }
}

static void FN(sample)(const void *keys, size_t n, const usw_keymap *map, void *out, size_t count)
{
    USW_ROUTE("sample");
    const KEY *k = keys;
    KEY *to = out, neg = (KEY)map->neg, pos = (KEY)map->pos, add = (KEY)map->add;
    size_t step = n / count, within = usw_min(step, UINT32_MAX);
    for (size_t i = 0; i < count; i++) {
        uint32_t random = (uint32_t)(i + 1) * UINT32_C(0x9e3779b1);
        random = (random ^ random >> 15) * UINT32_C(0x85ebca77);
        to[i] = FN(mapped)(k[i * step + ((uint64_t)random * within >> 32)], neg, pos, add);
    }
}

#else

const usw_select_steps USW_SYMBOL(usw_select_steps) = {
    .count = {count_u8, count_u16, count_u32, count_u64},
    .collect = {collect_u8, collect_u16, collect_u32, collect_u64},
    .take = {take_u8, take_u16, take_u32, take_u64},
    .sample = {sample_u8, sample_u16, sample_u32, sample_u64},
};

#endif
