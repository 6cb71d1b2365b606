/* short_positions.h - the positions that sort up to USW_SHORT_POSITIONS keys, by one tag of 32 bits
 * a key.
 *
 * A tag has the key above and its position below, so that the sort of plain integers, which is
 * twice as fast for 32 bits as for 64, gives the stable order. Where a key has more bits than there
 * is room for, the tag has the upper bits of its distance from the least key, or, of floats that
 * are near one another as numbers are, of the distance of their values: either rises with the key.
 * Few keys then share what their tags have of them, and change places by the whole keys; a sample
 * tells whether they are few. Included once per key width. */
/* SPDX-License-Identifier: MIT */

#ifndef USW_CPU_CACHE_SORT_SHORT_POSITIONS_H
#define USW_CPU_CACHE_SORT_SHORT_POSITIONS_H
#include "cpu/cache_sort/float_state.h"

#include <float.h>

enum {
    SHORT_SAMPLED = 16,   /* keys that tell how they are spread */
    SHORT_SPREAD = 256,   /* the middle half has more than one in so many of all tags' values */
    SHORT_CLOSE = 4,      /* neighbours of a sample that may be so near that tags are few there */
    SHORT_EQUAL = 2,      /* equal pairs of a sample; with more there may be few values, */
    SHORT_COUNTED = 1024, /* which are counted from so many keys on */
    SHORT_ONE = 60,       /* equal pairs where most floats are one */
    SHORT_MOVES = 4,      /* of tags that agree, for each key, at most */
    SHORT_VALUE_BITS = 22 /* of a float's value in a tag: less than a float has exactly */
};

/* Writes the positions that are below sorted tags, of 4 or 8 bytes, to any address. */
static void write_short_positions(const uint32_t *restrict tags, size_t n, uint32_t mask,
                                  char *restrict to, size_t bytes)
{
    if (bytes == 8) {
        for (size_t i = 0; i < n; i++) {
            const uint64_t position = tags[i] & mask;
            memcpy(to + 8 * i, &position, 8);
        }
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const uint32_t position = tags[i] & mask;
        memcpy(to + 4 * i, &position, 4);
    }
}
#endif

/* The keys at hand, mapped; tags[i] for key i, later the sorted ones. */
typedef struct FN(short_keys) {
    size_t n;
    unsigned place_bits, shift; /* of the position; of a distance that no tag has */
    KEY least, most;
    KEY *keys;
    uint32_t *tags;
} FN(short_keys);

static void FN(map_short_keys)(FN(short_keys) * s, const usw_short_positions *p)
{
    USW_SYMBOL(usw_keymap_steps).map[USW_WIDTH](s->keys, p->keys, s->n, p->map);
    const KEY *keys = s->keys;
    KEY least = (KEY)UINT64_MAX, most = 0;
    for (size_t i = 0; i < s->n; i++) {
        least = least < keys[i] ? least : keys[i];
        most = most > keys[i] ? most : keys[i];
    }
    s->least = least;
    s->most = most;
}

#if KEY_BITS >= 32
#if KEY_BITS == 64
#define VALUE double
#define VALUE_EXPONENT(raw) ((raw) >> 52 & 0x7ff)
#define VALUE_EXPONENT_MOST 0x7fd
#else
#define VALUE float
#define VALUE_EXPONENT(raw) ((raw) >> 23 & 0xff)
#define VALUE_EXPONENT_MOST 0xfd
#endif

static VALUE FN(value_of)(KEY raw)
{
    VALUE value;
    memcpy(&value, &raw, sizeof value);
    return value;
}

/* How keys become tags: by the values of floats, or by their distance from the least key. */
typedef struct FN(tag_map) {
    bool values;
    unsigned bits; /* of a tag above the position */
    VALUE from, scale;
} FN(tag_map);

/* False where values are infinite, no numbers, or far or little apart. */
static bool FN(map_values)(const FN(short_keys) * s, const usw_short_positions *p, FN(tag_map) * m)
{
    const KEY first = (KEY)usw_unmap_key(p->map, s->least),
              last = (KEY)usw_unmap_key(p->map, s->most);
    if (p->map->neg == 0 || VALUE_EXPONENT(first) > VALUE_EXPONENT_MOST ||
        VALUE_EXPONENT(last) > VALUE_EXPONENT_MOST) {
        return false;
    }
    m->values = true;
    m->bits = (unsigned)usw_min(m->bits, SHORT_VALUE_BITS);
    m->from = FN(value_of)(first);
    m->scale = (VALUE)((1 << m->bits) - 1) / (FN(value_of)(last) - m->from); /* < 0: descending */
    return m->scale > -FLT_MAX && m->scale < FLT_MAX;
}

USW_IN_REGISTERS uint32_t FN(tag_of)(const FN(short_keys) * s, const KEY *raw, FN(tag_map) m,
                                     size_t i)
{
    const uint32_t key = m.values ? (uint32_t)(int32_t)((FN(value_of)(raw[i]) - m.from) * m.scale)
                                  : (uint32_t)((s->keys[i] - s->least) >> s->shift);
    return key << s->place_bits | (uint32_t)i;
}

/* Whether a sample says that few keys share a tag with others that are not equal to them. */
static bool FN(tags_are_apart)(const FN(short_keys) * s, const KEY *raw, FN(tag_map) m)
{
    const uint32_t mask = (UINT32_C(1) << s->place_bits) - 1;
    uint32_t sample[SHORT_SAMPLED], shared = 0, close = 0;
    for (size_t i = 0; i < SHORT_SAMPLED; i++) {
        sample[i] = FN(tag_of)(s, raw, m, s->n * i / SHORT_SAMPLED);
    }
    USW_SYMBOL(usw_cache_sort_steps).sort[2](sample, SHORT_SAMPLED);
    for (size_t i = 1; i < SHORT_SAMPLED; i++) {
        const uint32_t gap = (sample[i] >> s->place_bits) - (sample[i - 1] >> s->place_bits);
        const bool differ = s->keys[sample[i] & mask] != s->keys[sample[i - 1] & mask];
        shared |= differ && gap == 0;
        close += differ && gap < s->n / SHORT_SAMPLED; /* a key or more for each tag there */
    }
    const uint32_t low = sample[SHORT_SAMPLED / 4] >> s->place_bits;
    const uint32_t high = sample[3 * SHORT_SAMPLED / 4 - 1] >> s->place_bits;
    return shared == 0 && close <= SHORT_CLOSE &&
           high - low > (UINT32_C(1) << m.bits) / SHORT_SPREAD;
}

/* Tags of keys of which a tag cannot have all; false: too many would agree. */
USW_NOINLINE static bool FN(make_short_tags)(FN(short_keys) * s, const usw_short_positions *p)
{
    const KEY *raw = p->keys;
    FN(tag_map) m = {.bits = 32 - s->place_bits};
    if (FN(map_values)(s, p, &m) && FN(tags_are_apart)(s, raw, m)) {
        USW_ROUTE_OF("tags by the values of floats", USW_NO_TYPES);
        m.values = true; /* as a constant */
        for (size_t i = 0; i < s->n; i++) {
            s->tags[i] = FN(tag_of)(s, raw, m, i);
        }
        return true;
    }
    m = (FN(tag_map)){.bits = 32 - s->place_bits};
    if (!FN(tags_are_apart)(s, raw, m)) {
        USW_ROUTE_OF("keys of which many would share a tag", USW_NO_TYPES);
        return false;
    }
    USW_ROUTE_OF("tags by upper bits", USW_NO_TYPES);
    for (size_t i = 0; i < s->n; i++) {
        s->tags[i] = FN(tag_of)(s, raw, m, i);
    }
    return true;
}

/* Whether the keys stand in order by the tags. */
static bool FN(tags_are_right)(const FN(short_keys) * s)
{
    const uint32_t mask = (UINT32_C(1) << s->place_bits) - 1;
    KEY before = s->least;
    uint32_t wrong = 0;
    for (size_t i = 0; i < s->n; i++) {
        const KEY key = s->keys[s->tags[i] & mask];
        wrong |= key < before;
        before = key;
    }
    return wrong == 0;
}

/* Puts sorted tags that agree above the position in the order of their keys; false where that takes
 * more than a few moves a key. */
static bool FN(order_short_tags)(FN(short_keys) * s)
{
    const uint32_t mask = (UINT32_C(1) << s->place_bits) - 1;
    uint32_t *tags = s->tags, ties = 0;
    for (size_t i = 1; i < s->n; i++) {
        ties += ((tags[i] ^ tags[i - 1]) & ~mask) == 0;
    }
    if (ties > s->n / SHORT_SAMPLED && FN(tags_are_right)(s)) {
        USW_ROUTE_OF("tags of equal keys", USW_NO_TYPES);
        return true;
    }
    USW_ROUTE_IF(ties != 0, "tags that agree", USW_NO_TYPES);
    size_t moves = 0;
    const size_t most = SHORT_MOVES * s->n;
    for (size_t i = 1; ties != 0 && i < s->n && moves <= most; i++) {
        if (((tags[i] ^ tags[i - 1]) & ~mask) != 0) {
            continue;
        }
        ties--;
        const uint32_t tag = tags[i];
        const KEY key = s->keys[tag & mask];
        size_t at = i;
        for (; at > 0 && ((tags[at - 1] ^ tag) & ~mask) == 0 && s->keys[tags[at - 1] & mask] > key;
             at--) {
            tags[at] = tags[at - 1];
        }
        tags[at] = tag;
        moves += i - at;
    }
    USW_ROUTE_IF(moves > most, "too many moves for tags that agree", USW_NO_TYPES);
    return moves <= most;
}
#undef VALUE
#undef VALUE_EXPONENT
#undef VALUE_EXPONENT_MOST
#endif

/* How many pairs of a sample are equal keys: seldom one, of 16 values 7, of one value all 120. */
static unsigned FN(equal_pairs)(const KEY *raw, size_t n)
{
    KEY sample[SHORT_SAMPLED];
    unsigned equal = 0;
    for (size_t i = 0; i < SHORT_SAMPLED; i++) {
        sample[i] = raw[n * i / SHORT_SAMPLED];
    }
    for (size_t i = 0; i < SHORT_SAMPLED; i++) {
        for (size_t j = 0; j < SHORT_SAMPLED; j++) {
            equal += sample[i] == sample[j];
        }
    }
    return (equal - SHORT_SAMPLED) / 2;
}

/* Sorts the positions of p's keys to its outputs; false, with nothing written, where too many keys
 * are near one another, or equal, so that they are counted faster. */
static bool FN(sort_short_positions)(const usw_short_positions *p)
{
    FN(short_keys) s = {.n = p->n, .tags = p->tags, .keys = p->mapped};
    const unsigned equal = FN(equal_pairs)(p->keys, s.n);
    if (equal > (p->map->neg != 0 ? SHORT_ONE : SHORT_SAMPLED * SHORT_SAMPLED) ||
        (equal > SHORT_EQUAL && s.n >= SHORT_COUNTED)) {
        USW_ROUTE_OF("keys that are often equal", USW_NO_TYPES);
        return false;
    }
    FN(map_short_keys)(&s, p);
    const uint64_t far = (KEY)(s.most - s.least);
    const unsigned bits = far == 0 ? 0 : 64 - (unsigned)__builtin_clzll(far);
    s.place_bits = usw_log2_up(s.n);
    s.shift = bits + s.place_bits > 32 ? bits + s.place_bits - 32 : 0;
#if KEY_BITS >= 32
    if (s.shift > 0) {
        if (KEY_BITS == 32 && equal > SHORT_EQUAL) {
            USW_ROUTE_OF("equal keys that tags have in part", USW_NO_TYPES);
            return false;
        }
        const unsigned state = begin_usual();
        const bool made = FN(make_short_tags)(&s, p);
        end_usual(state);
        if (!made) {
            return false;
        }
    }
#endif
    for (size_t i = 0; s.shift == 0 && i < s.n; i++) {
        s.tags[i] = (uint32_t)(KEY)(s.keys[i] - s.least) << s.place_bits | (uint32_t)i;
    }
    USW_SYMBOL(usw_cache_sort_steps).sort[2](s.tags, s.n);
#if KEY_BITS >= 32
    if (s.shift > 0 && !FN(order_short_tags)(&s)) {
        return false;
    }
#endif
    USW_ROUTE_CARRIED("short positions", 1u << USW_CARRY_INDEX);
    const uint32_t mask = (UINT32_C(1) << s.place_bits) - 1;
    write_short_positions(s.tags, s.n, mask, p->positions, p->position_bytes);
    KEY *out = p->out_keys;
    for (size_t i = 0; out != NULL && i < s.n; i++) {
        out[i] = (KEY)usw_unmap_key(p->map, s.keys[s.tags[i] & mask]);
    }
    return true;
}
