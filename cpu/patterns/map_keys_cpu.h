/* map_keys_cpu.h - the key map of core/keymap.h over whole arrays, and the search for the first
 * place where an array is out of order; also fills, mirrors, and the test whether all keys are
 * equal. Plain loops over constants, which every compiler vectorises. */
/* SPDX-License-Identifier: MIT */
#include "cpu/body.h"
#include "cpu/cpu.h"

#if KEY_BITS != 128

static inline KEY FN(mapped)(KEY raw, KEY neg, KEY pos, KEY add)
{
    KEY below = raw >> (KEY_BITS - 1) ? neg : 0;
    return (KEY)((KEY)(raw ^ below ^ pos) + add);
}

/* The map of integers, there and back. */
static void FN(turn)(KEY *to, const KEY *from, size_t n, KEY pos)
{
    for (size_t i = 0; i < n; i++) {
        to[i] = from[i] ^ pos;
    }
}

static void FN(map)(void *out, const void *in, size_t n, const usw_keymap *map)
{
    USW_ROUTE("map");
    const KEY *from = in;
    KEY *to = out;
    KEY neg = (KEY)map->neg, pos = (KEY)map->pos, add = (KEY)map->add;
    if ((neg | add) == 0) {
        FN(turn)(to, from, n, pos);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        to[i] = FN(mapped)(from[i], neg, pos, add);
    }
}

static void FN(unmap)(void *out, const void *in, size_t n, const usw_keymap *map)
{
    USW_ROUTE("unmap");
    const KEY *from = in;
    KEY *to = out;
    KEY neg = (KEY)map->neg, pos = (KEY)map->pos, add = (KEY)map->add;
    if ((neg | add) == 0) {
        FN(turn)(to, from, n, pos);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        KEY y = (KEY)((KEY)(from[i] - add) ^ pos);
        KEY below = y >> (KEY_BITS - 1) ? neg : 0;
        to[i] = y ^ below;
    }
}

#if USW_LEVEL == 2 && (KEY_BITS == 32 || KEY_BITS == 64)
#define KEY_LANES (512 / KEY_BITS)
#if KEY_BITS == 32
#define KEY_LANE(name) _mm512_##name##_epi32
#define LEAST _mm512_min_epu32
#define LESS _mm512_cmplt_epu32_mask
#define SIGNED_KEY int
#else
#define KEY_LANE(name) _mm512_##name##_epi64
#define LEAST _mm512_min_epu64
#define LESS _mm512_cmplt_epu64_mask
#define SIGNED_KEY long long
#endif

/* A vector of 16 or 8 keys, mapped where map is not NULL. */
static inline __m512i FN(read_mapped)(const KEY *k, const usw_keymap *map)
{
    __m512i v = _mm512_loadu_si512(k);
    if (map == NULL) {
        return v;
    }
    __m512i neg = KEY_LANE(set1)((SIGNED_KEY)map->neg), pos = KEY_LANE(set1)((SIGNED_KEY)map->pos);
    __m512i below = KEY_LANE(srai)(v, KEY_BITS - 1);
    v = KEY_LANE(ternarylogic)(v, below, neg, 0x78); /* v ^ (below & neg) */
    return KEY_LANE(add)(_mm512_xor_si512(v, pos), KEY_LANE(set1)((SIGNED_KEY)map->add));
}

/* `differ`, with bits set where a lane of low and the next key, in high, are out of order. */
static inline __m512i FN(differ)(__m512i differ, __m512i low, __m512i high, bool rising)
{
    return _mm512_ternarylogic_epi64(differ, rising ? low : high, LEAST(low, high), 0xf6);
}

/* Bit i: whether key i of the vector at k is less than the key before it. */
static inline uint64_t FN(breaks_of_vector)(const KEY *k, const usw_keymap *map)
{
    return LESS(FN(read_mapped)(k, map), FN(read_mapped)(k - 1, map));
}

/* n >= 2 KEY_LANES. Each key is loaded and mapped once; its neighbour comes out of the registers.
 * far: the keys are not in a core's own cache. */
static inline bool FN(breaks_vectors)(const KEY *k, size_t n, const usw_keymap *map, bool rising,
                                      bool far)
{
    enum { AHEAD = 4096 / sizeof(KEY) };
    __m512i differ = _mm512_setzero_si512(), low = FN(read_mapped)(k, map);
    size_t i = 0;
    USW_UNROLL_4 for (; i + 2 * KEY_LANES <= n + 1; i += KEY_LANES)
    {
        if (far) {
            __builtin_prefetch(k + i + AHEAD);
        }
        __m512i next = FN(read_mapped)(k + i + KEY_LANES, map);
        differ = FN(differ)(differ, low, KEY_LANE(alignr)(next, low, 1), rising);
        low = next;
    }
    for (; i < n; i += KEY_LANES) {
        const KEY *at = k + usw_min(i, n - KEY_LANES);
        low = FN(read_mapped)(at, map);
        differ = FN(differ)(differ, low, FN(read_mapped)(at + 1, map), rising);
    }
    return _mm512_test_epi32_mask(differ, differ) != 0;
}
#undef KEY_LANE
#undef LEAST
#undef LESS
#undef SIGNED_KEY
#endif

/* True if some i in [0, n) has key(i + 1) < key(i) (rising) or > (falling); map NULL: of keys as
 * they are. */
static inline bool FN(breaks_mapped)(const KEY *k, size_t n, const usw_keymap *map, bool rising,
                                     bool far)
{
#if USW_LEVEL == 2 && (KEY_BITS == 32 || KEY_BITS == 64)
    if (n >= 2 * KEY_LANES) {
        USW_ROUTE_IF(far, "by vectors, far", USW_ROUTE_DEFAULT);
        USW_ROUTE_IF(!far, "by vectors", USW_ROUTE_DEFAULT);
        return far ? FN(breaks_vectors)(k, n, map, rising, true)
                   : FN(breaks_vectors)(k, n, map, rising, false);
    }
#undef KEY_LANES
#endif
    (void)far;
    KEY neg = 0, pos = 0, add = 0, bad = 0;
    if (map != NULL) {
        neg = (KEY)map->neg, pos = (KEY)map->pos, add = (KEY)map->add;
    }
    for (size_t i = 0; i < n; i++) {
        KEY a = FN(mapped)(k[i], neg, pos, add), b = FN(mapped)(k[i + 1], neg, pos, add);
        KEY least = a < b ? a : b;
        bad |= (KEY)((rising ? a : b) ^ least);
    }
    return bad != 0;
}

static inline bool FN(breaks)(const KEY *k, size_t n, const usw_key_order *order, bool rising,
                              bool far)
{
    const usw_keymap *map = &order->map;
    unsigned left = order->left, right = order->right;
    if ((left | right) == 0 && usw_keymap_is_identity(map)) {
        USW_ROUTE_OF("keys as they are", USW_UNSIGNED);
        return FN(breaks_mapped)(k, n, NULL, rising, far);
    }
    /* There are no floats of 8 bits. */
    if ((left | right) == 0 && USW_LEVEL < 2 && (KEY_BITS == 8 || (map->neg | map->add) == 0)) {
        USW_ROUTE_OF("keys with bits flipped", USW_INTEGERS);
        const usw_keymap turned = {.bits = KEY_BITS,
                                   .pos = map->pos}; /* constants for the compiler */
        return FN(breaks_mapped)(k, n, &turned, rising, far);
    }
    if ((left | right) == 0) {
        USW_ROUTE_OF("mapped keys", USW_LEVEL < 2 ? USW_FLOATS : USW_ALL_TYPES);
        return FN(breaks_mapped)(k, n, map, rising, far);
    }
    USW_ROUTE("some bits of mapped keys");
    KEY neg = (KEY)map->neg, pos = (KEY)map->pos, add = (KEY)map->add, bad = 0;
    for (size_t i = 0; i < n; i++) {
        KEY a = (KEY)((KEY)(FN(mapped)(k[i], neg, pos, add) << left) >> right);
        KEY b = (KEY)((KEY)(FN(mapped)(k[i + 1], neg, pos, add) << left) >> right);
        bad |= (KEY)(rising ? b < a : b > a);
    }
    return bad != 0;
}

/* The first of the `step` pairs from k[0] on that is out of order; one is. */
USW_NOINLINE static size_t FN(narrow_break)(const KEY *k, size_t step, const usw_key_order *order,
                                            bool rising)
{
    size_t i = 0;
    while (step > 1) {
        size_t half = step / 2;
        bool here = rising ? FN(breaks)(k + i, half, order, true, false)
                           : FN(breaks)(k + i, half, order, false, false);
        i += here ? 0 : half;
        step = here ? half : step - half;
    }
    return i;
}

static size_t FN(first_break)(const void *keys, size_t n, const usw_key_order *order, bool rising,
                              bool far)
{
    const KEY *k = keys;
    size_t i = 0, step = 8; /* k[0 .. i] is in order */
    for (; i + 1 < n; i += step) {
        step = usw_min(usw_min(2 * step, 1024), n - 1 - i);
        if (rising ? FN(breaks)(k + i, step, order, true, far)
                   : FN(breaks)(k + i, step, order, false, far)) {
            break;
        }
    }
    return i + 1 < n ? i + FN(narrow_break)(k + i, step, order, rising) + 1 : n;
}

#if KEY_BITS >= 32
/* Bit i: whether k[i], of 64, is less than the key before it. */
static inline uint64_t FN(breaks_of_64)(const KEY *k, const usw_key_order *order)
{
    KEY neg = (KEY)order->map.neg, pos = (KEY)order->map.pos, add = (KEY)order->map.add;
    unsigned left = order->left, right = order->right;
    uint64_t bits = 0;
#if USW_LEVEL == 2
    if ((left | right) == 0) {
        const usw_keymap *map = usw_keymap_is_identity(&order->map) ? NULL : &order->map;
        for (unsigned i = 0; i < 64; i += 512 / KEY_BITS) {
            bits |= FN(breaks_of_vector)(k + i, map) << i;
        }
        return bits;
    }
#endif
    /* Flags of a byte each, which the compiler makes by vectors, and whose lowest bits a
     * multiplication brings together, eight at a time. */
    const KEY *before = k - 1;
    uint8_t flag[64];
    for (size_t i = 0; i < 64; i++) {
        KEY x = (KEY)((KEY)(FN(mapped)(before[i], neg, pos, add) << left) >> right);
        KEY y = (KEY)((KEY)(FN(mapped)(k[i], neg, pos, add) << left) >> right);
        flag[i] = y < x;
    }
    for (unsigned i = 0; i < 8; i++) {
        uint64_t eight;
        memcpy(&eight, flag + 8 * i, 8);
        bits |= eight * UINT64_C(0x0102040810204080) >> 56 << 8 * i;
    }
    return bits;
}

static void FN(mark_breaks)(const void *keys, size_t n, const usw_key_order *order,
                            uint64_t *breaks)
{
    USW_ROUTE("mark breaks");
    const KEY *k = keys;
    for (size_t at = 0; at < n; at += 64) {
        size_t m = usw_min(64, n - at);
        if (at > 0 && m == 64) { /* mostly there is none */
            bool some = USW_LEVEL == 2 || FN(breaks)(k + at - 1, 64, order, true, false);
            breaks[at / 64] = some ? FN(breaks_of_64)(k + at, order) : 0;
            continue;
        }
        KEY x[65]; /* the first key comes behind itself, the last one before itself */
        for (size_t i = 0; i < 65; i++) {
            x[i] = k[at + usw_min(i, m) - (at > 0 || i > 0)];
        }
        breaks[at / 64] = FN(breaks_of_64)(x + 1, order);
    }
}

static void FN(fill)(void *keys, size_t n, uint64_t value, bool far)
{
    USW_ROUTE("fill");
    enum { LINE = 64 / sizeof(KEY), AHEAD = 4096 };
    KEY *k = keys;
    size_t i = 0;
    for (; far && i + LINE <= n; i += LINE) { /* the line ahead need not be in the array */
        __builtin_prefetch((const void *)((uintptr_t)(k + i) + AHEAD), 1, 2);
        for (size_t j = 0; j < LINE; j++) {
            k[i + j] = (KEY)value;
        }
    }
    for (; i < n; i++) {
        k[i] = (KEY)value;
    }
}
#endif

/* Exchanges low[i] with high[n - 1 - i]; the two do not overlap. */
static void FN(mirror)(void *low, void *high, size_t n)
{
    USW_ROUTE("mirror");
    KEY *restrict a = low, *restrict b = high;
    for (size_t i = 0; i < n; i++) {
        KEY x = a[i];
        a[i] = b[n - 1 - i];
        b[n - 1 - i] = x;
    }
}

#else

/* ---- whether keys are all the same ---- */

enum {
    SAME_BLOCK = 512 / sizeof(uint64_t),
    SAME_FAR = 256 * 1024,        /* bytes from which on four places are read by turns */
    SAME_ASKED = 2 * 1024 * 1024, /* bytes from which on keys are fetched SAME_AHEAD bytes ahead */
    SAME_AHEAD = 2048
};

/* Whether a block differs from the word `from`. A block has a constant number of words, so that no
 * branch depends on a key, and few instructions, so that the processor reads far ahead. */
static inline unsigned block_differs(const unsigned char *at, uint64_t from)
{
#if USW_LEVEL == 2
    __m512i differ = _mm512_setzero_si512(), same = _mm512_set1_epi64((long long)from);
    for (size_t i = 0; i < SAME_BLOCK; i += 8) {
        differ = _mm512_ternarylogic_epi64(differ, _mm512_loadu_si512(at + 8 * i), same, 0xf6);
    }
    return _mm512_test_epi64_mask(differ, differ) != 0;
#else
    uint64_t differ = 0, word;
    for (size_t i = 0; i < SAME_BLOCK; i++) {
        memcpy(&word, at + i * sizeof word, sizeof word);
        differ |= word ^ from;
    }
    return differ != 0;
#endif
}

/* Fetches a block of each of four places, a line of each by turns: fetching place after place is
 * slower than not fetching at all. */
static inline void ask_for_blocks(const unsigned char *at, size_t stride)
{
    for (size_t i = 0; i < SAME_BLOCK; i += 8) {
        for (size_t place = 0; place < 4; place++) {
            __builtin_prefetch(at + place * stride + 8 * i);
        }
    }
}

USW_HOT bool USW_SYMBOL(usw_all_same)(const void *keys, size_t bytes, unsigned width)
{
    enum { BLOCK = SAME_BLOCK * sizeof(uint64_t) };
    const unsigned char *k = keys;
    size_t i = 0, far = bytes < SAME_FAR ? 0 : bytes / 4 / BLOCK * BLOCK, key = (size_t)1 << width;
    bool other = false;
    uint64_t from;
    if (bytes < BLOCK) {
        return bytes <= key || memcmp(k, k + key, bytes - key) == 0;
    }
    memcpy(&from, k, sizeof from);
    if (width < 3 && from != (from << 8 * key | from >> (64 - 8 * key))) {
        return false; /* the keys of the first word differ */
    }
    for (; i < far && !other; i += BLOCK) { /* memory answers four readers sooner than one */
        const unsigned char *at = k + i;
        if (bytes >= SAME_ASKED) {
            ask_for_blocks(at + SAME_AHEAD, far);
        }
        other = (block_differs(at, from) | block_differs(at + far, from) |
                 block_differs(at + 2 * far, from) | block_differs(at + 3 * far, from)) != 0;
    }
    for (i *= 4; i + BLOCK <= bytes && !other; i += BLOCK) {
        other = block_differs(k + i, from) != 0;
    }
    return !other && block_differs(k + bytes - BLOCK, from) == 0; /* the last block, whole */
}

const usw_keymap_steps USW_SYMBOL(usw_keymap_steps) = {
    .map = {map_u8, map_u16, map_u32, map_u64},
    .unmap = {unmap_u8, unmap_u16, unmap_u32, unmap_u64},
    .first_break = {first_break_u8, first_break_u16, first_break_u32, first_break_u64},
    .mark_breaks = {NULL, NULL, mark_breaks_u32, mark_breaks_u64},
    .fill = {NULL, NULL, fill_u32, fill_u64},
    .mirror = {mirror_u8, mirror_u16, mirror_u32, mirror_u64},
};

#endif
