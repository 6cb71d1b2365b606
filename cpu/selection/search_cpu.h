/* search_cpu.h - where wanted keys would go among keys that are sorted: binary searches of which
 * LANES wait for memory at a time, without a branch on keys.
 *
 * The first twelve halvings of a search in a long array go to a sample, 4096 keys next to each
 * other in the cache: those of the array itself, a power of two apart, share few of its sets.
 * Wanted keys that rise are searched for between the places of the first and the last of a block.
 * Source: Khuong and Morin, "Array Layouts for Comparison-Based Searching", 2017 (no branches). */
/* SPDX-License-Identifier: MIT */
#include "cpu/body.h"
#include "cpu/cpu.h"

#if KEY_BITS != 128

#ifndef USW_CPU_SELECTION_SEARCH_CPU_H
#define USW_CPU_SELECTION_SEARCH_CPU_H
enum {
    LANES = 16,
    BLOCK = 256
}; /* searches side by side; wanted keys that are looked at together */
#define SEARCH_INLINE static inline __attribute__((always_inline))
#endif

SEARCH_INLINE KEY FN(search_key)(KEY raw, KEY neg, KEY pos, KEY add)
{
    KEY below = (KEY)(0 - (KEY)(raw >> (KEY_BITS - 1))) & neg;
    return (KEY)((KEY)(raw ^ below ^ pos) + add);
}

/* Moves at[l] behind those of the n > 0 keys from there on that go before w[l]. What the loop
 * changes is its own, so that the compiler knows that no key changes with it. */
SEARCH_INLINE void FN(halve)(const KEY *keys, size_t n, const KEY *wanted, size_t *at,
                             unsigned lanes, bool upper, const usw_keymap *map)
{
    KEY neg = map == NULL ? 0 : (KEY)map->neg, pos = map == NULL ? 0 : (KEY)map->pos;
    KEY add = map == NULL ? 0 : (KEY)map->add, w[LANES];
    size_t to[LANES];
    for (unsigned l = 0; l < lanes; l++) {
        w[l] = wanted[l];
        to[l] = at[l];
    }
    for (size_t half; n > 0; n -= half) {
        half = n == 1 ? 1 : n / 2;
        for (unsigned l = 0; l < lanes; l++) {
            KEY key = keys[to[l] + half - 1];
            key = map == NULL ? key : FN(search_key)(key, neg, pos, add);
            bool before = upper ? key <= w[l] : key < w[l];
            to[l] += half & (0 - (size_t)before);
        }
    }
    for (unsigned l = 0; l < lanes; l++) {
        at[l] = to[l];
    }
}

/* The same among all n > 0 keys. */
SEARCH_INLINE void FN(search_all)(const usw_search *s, const KEY *sample, const KEY *w, size_t *at,
                                  unsigned lanes, bool upper, const usw_keymap *map)
{
    size_t n = s->n;
    for (unsigned l = 0; l < lanes; l++) {
        at[l] = 0;
    }
    if (sample != NULL) {
        USW_ROUTE("searched by a sample");
        FN(halve)(sample, USW_SEARCH_SAMPLE, w, at, lanes, upper, NULL);
        n = usw_div_up(s->n, USW_SEARCH_SAMPLE);
        for (unsigned l = 0; l < lanes; l++) { /* all keys before a stretch go before w, too */
            at[l] = usw_min(at[l] * n, s->n - n);
        }
    }
    FN(halve)(s->keys, n, w, at, lanes, upper, map);
}

/* The wanted keys [i, i + count), mapped, into w; whether none is less than the one before. */
static bool FN(take_wanted)(const usw_search *s, size_t i, size_t count, KEY *w)
{
    const KEY *wanted = (const KEY *)s->wanted + i;
    KEY neg = (KEY)s->map.neg, pos = (KEY)s->map.pos, add = (KEY)s->map.add;
    unsigned falls = 0;
    for (size_t j = 0; j < count; j++) {
        w[j] = FN(search_key)(wanted[j], neg, pos, add);
    }
    for (unsigned e = 0; e < 2; e++) {
        KEY low = (KEY)s->equal[e][0], high = (KEY)s->equal[e][1];
        KEY end = s->upper ? high : low;
        for (size_t j = 0; j < count && low <= high; j++) {
            w[j] = w[j] >= low && w[j] <= high ? end : w[j];
        }
    }
    for (size_t j = 1; j < count; j++) {
        falls |= w[j] < w[j - 1];
    }
    return falls == 0;
}

/* Searches for a block of wanted keys that rise. */
SEARCH_INLINE void FN(search_rising)(const usw_search *s, const KEY *sample, const KEY *w,
                                     size_t count, size_t *at, bool upper, const usw_keymap *map)
{
    USW_ROUTE("rising keys are searched for");
    KEY ends[2] = {w[0], w[count - 1]};
    size_t place[2], i = 0;
    FN(search_all)(s, sample, ends, place, 2, upper, map);
    size_t n = place[1] - place[0];
    for (size_t j = 0; j < count; j++) {
        at[j] = place[0];
    }
    for (; n > 0 && i + LANES <= count; i += LANES) {
        FN(halve)(s->keys, n, w + i, at + i, LANES, upper, map);
    }
    for (; n > 0 && i < count; i++) {
        FN(halve)(s->keys, n, w + i, at + i, 1, upper, map);
    }
}

SEARCH_INLINE void FN(search_block)(const usw_search *s, const KEY *sample, const KEY *w,
                                    size_t count, bool rising, size_t *at, bool upper,
                                    const usw_keymap *map)
{
    size_t i = 0;
    if (rising && count > LANES) {
        FN(search_rising)(s, sample, w, count, at, upper, map);
        return;
    }
    for (; i + LANES <= count; i += LANES) {
        USW_ROUTE("keys are searched for side by side");
        FN(search_all)(s, sample, w + i, at + i, LANES, upper, map);
    }
    for (; i < count; i++) {
        FN(search_all)(s, sample, w + i, at + i, 1, upper, map);
    }
}

static void FN(search)(const usw_search *s, const void *sample, size_t begin, size_t end)
{
    KEY w[BLOCK];
    size_t at[BLOCK];
    bool plain = usw_keymap_is_identity(&s->map), flips = s->map.neg == 0 && s->map.add == 0;
    const usw_keymap flip = {.pos = s->map.pos}; /* of signed integers: fewer steps for each key */
    for (size_t i = begin; i < end; i += BLOCK) {
        size_t count = usw_min(BLOCK, end - i);
        bool rising = FN(take_wanted)(s, i, count, w);
        if (plain && !s->upper) {
            FN(search_block)(s, sample, w, count, rising, at, false, NULL);
        } else if (plain) {
            FN(search_block)(s, sample, w, count, rising, at, true, NULL);
        } else if (!s->upper && flips) {
            FN(search_block)(s, sample, w, count, rising, at, false, &flip);
        } else if (!s->upper) {
            FN(search_block)(s, sample, w, count, rising, at, false, &s->map);
        } else {
            FN(search_block)(s, sample, w, count, rising, at, true, &s->map);
        }
        for (size_t j = 0; j < count; j++) {
            usw_store_raw((unsigned char *)s->places + (i + j) * s->place_bytes, s->place_bytes,
                          at[j]);
        }
    }
}

static void FN(search_sample)(const usw_search *s, void *sample)
{
    KEY *to = sample;
    const KEY *keys = s->keys;
    KEY neg = (KEY)s->map.neg, pos = (KEY)s->map.pos, add = (KEY)s->map.add;
    size_t stretch = usw_div_up(s->n, USW_SEARCH_SAMPLE);
    for (size_t i = 0; i < USW_SEARCH_SAMPLE; i++) {
        size_t end = usw_min((i + 1) * stretch, s->n);
        to[i] = FN(search_key)(keys[end - 1], neg, pos, add);
    }
}

#else

const usw_search_steps USW_SYMBOL(usw_search_steps) = {
    .search = {search_u8, search_u16, search_u32, search_u64},
    .sample = {search_sample_u8, search_sample_u16, search_sample_u32, search_sample_u64},
};

#endif
