/* patterns_cpu.h - steps on one thread for keys that need no sort: sample them, count keys of few
 * values or of a narrow range, and take the keys out of order out of a nearly sorted array.
 * cpu/patterns/patterns.c, stretches.c, weave.c and few_values.c call these steps.
 *
 * Few values: a multiplication sends each value to a slot of its own; the slot's value is compared
 * with the key, so that a key with another value is always found. With AVX-512 the values are in
 * registers, and one addition counts a key in a field of four bits of its lane. With AVX2 keys of
 * 32 bits are separated into their bytes.
 *
 * Nearly sorted: a key is taken out if it is less than the key before it or greater than the key
 * after it. Both keys of a break are taken out, since either may be in the wrong place; the others
 * are in order unless wrong keys were neighbours, and then one more pass finds them. Source:
 * the idea of V. Estivill-Castro and D. Wood, A survey of adaptive sorting algorithms (1992). */
/* SPDX-License-Identifier: MIT */
#include "cpu/body.h"
#include "cpu/cpu.h"

#if KEY_BITS != 128

static inline KEY FN(mapped)(KEY raw, KEY neg, KEY pos, KEY add)
{
    KEY below = raw >> (KEY_BITS - 1) ? neg : 0;
    return (KEY)((KEY)(raw ^ below ^ pos) + add);
}

/* ---- a few keys are examined ---- */

static void FN(glance)(const void *keys, size_t n, const usw_keymap *map, usw_glance *g)
{
    USW_ROUTE("glance");
    const KEY *k = keys;
    KEY neg = (KEY)map->neg, pos = (KEY)map->pos, add = (KEY)map->add;
    for (size_t place = 0; place < 2; place++, k += n / 2) {
        KEY falls = 0, rises = 0;
        for (size_t i = 0; i < USW_GLANCE; i++) {
            KEY a = FN(mapped)(k[i], neg, pos, add), b = FN(mapped)(k[i + 1], neg, pos, add);
            falls += b < a;
            rises += a < b;
        }
        g->falls[place] = (unsigned)falls;
        g->rises[place] = (unsigned)rises;
    }
}

/* Keys of 8 and 16 bits have no other step: all of their values are counted in any case. */
#if KEY_BITS >= 32

static void FN(sample)(const void *keys, size_t n, uint64_t *sample, size_t count)
{
    USW_ROUTE("sample");
    const KEY *k = keys;
    size_t step = n / count;
    for (size_t i = 0; i < count; i++) {
        sample[i] = k[i * step + ((i * 0x9e37 & 0xffff) * step >> 16)];
    }
}

static int FN(leaning)(const void *keys, size_t n, const usw_keymap *map)
{
    USW_ROUTE("leaning");
    enum { GROUPS = 4, GROUP = 16, WRONG_MAX = 5 };
    const KEY *k = keys;
    KEY neg = (KEY)map->neg, pos = (KEY)map->pos, add = (KEY)map->add;
    size_t step = (n - 1) / (GROUPS * GROUP);
    unsigned falls = 0, rises = 0;
    for (size_t g = 0; g < GROUPS && (falls <= WRONG_MAX || rises <= WRONG_MAX); g++) {
        for (size_t i = g; i < GROUPS * GROUP; i += GROUPS) {
            KEY a = FN(mapped)(k[i * step], neg, pos, add);
            KEY b = FN(mapped)(k[i * step + 1], neg, pos, add);
            falls += b < a;
            rises += a < b;
        }
    }
    return falls <= WRONG_MAX ? 1 : rises <= WRONG_MAX ? -1 : 0;
}

/* ---- few values ---- */

#if USW_LEVEL == 2
#include "cpu/patterns/patterns_avx512.h"
#else
#if USW_LEVEL == 1
#include "cpu/patterns/patterns_avx2.h"
#endif
#if USW_LEVEL != 1 || KEY_BITS != 32
enum { FN(SLOT_SHIFT) = KEY_BITS - USW_VALUE_SLOT_BITS };

static inline unsigned FN(slot)(KEY x, KEY multiplier)
{
    return (unsigned)((KEY)(x * multiplier) >> FN(SLOT_SHIFT)) & (USW_VALUE_SLOTS - 1);
}

static bool FN(count_values)(const void *keys, size_t n, const usw_value_set *few, size_t *count)
{
    USW_ROUTE("few values");
    const KEY *k = keys;
    enum { WAYS = 4 };
    size_t counts[WAYS][USW_VALUE_SLOTS] = {{0}};
    KEY at[USW_VALUE_SLOTS], multiplier = (KEY)few->multiplier, differ = 0;
    for (unsigned s = 0; s < USW_VALUE_SLOTS; s++) {
        at[s] = (KEY)few->value[few->id[s]];
    }
    size_t i = 0;
    for (; i + WAYS <= n && differ == 0; i += WAYS) {
        for (unsigned w = 0; w < WAYS; w++) {
            unsigned s = FN(slot)(k[i + w], multiplier);
            differ |= k[i + w] ^ at[s];
            counts[w][s]++;
        }
    }
    for (; i < n && differ == 0; i++) {
        unsigned s = FN(slot)(k[i], multiplier);
        differ |= k[i] ^ at[s];
        counts[0][s]++;
    }
    for (unsigned s = 0; s < USW_VALUE_SLOTS; s++) {
        count[few->id[s]] += counts[0][s] + counts[1][s] + counts[2][s] + counts[3][s];
    }
    return differ == 0;
}
#endif
#endif

/* ---- a narrow range ---- */

/* Adds to count[w * span + x] how many mapped keys are low + x; w, 0 or 1, takes
 * turns, so that equal keys in a row do not wait for each other's store. */
static bool FN(count_range)(const void *keys, size_t n, const usw_keymap *map, uint64_t low,
                            size_t span, uint32_t *count)
{
    USW_ROUTE("a narrow range");
    enum { BLOCK = 1024 };
    const KEY *k = keys;
    KEY neg = (KEY)map->neg, pos = (KEY)map->pos, add = (KEY)(map->add - low), x[BLOCK];
    for (size_t at = 0, m; at < n; at += m) {
        m = usw_min(BLOCK, n - at);
        KEY most = 0;
        for (size_t i = 0; i < m; i++) {
            x[i] = FN(mapped)(k[at + i], neg, pos, add);
            most = x[i] > most ? x[i] : most;
        }
        if (most >= span) {
            return false;
        }
        for (size_t i = 0; i + 2 <= m; i += 2) {
            count[x[i]]++;
            count[span + x[i + 1]]++;
        }
        if (m % 2 != 0) {
            count[x[m - 1]]++;
        }
    }
    return true;
}

/* Writes places [begin, end) of the sorted keys; start[x] is the place of the first low + x. */
static void FN(write_range)(void *keys, size_t begin, size_t end, const usw_keymap *map,
                            uint64_t low, const size_t *start, size_t span)
{
    enum { STRIDE = 64 / sizeof(KEY) };
    KEY *k = keys;
    size_t x = 0, above = span; /* start[x] <= begin < start[above] */
    while (above - x > 1) {
        size_t middle = (x + above) / 2;
        *(start[middle] <= begin ? &x : &above) = middle;
    }
    for (size_t at = begin; at < end; x++) {
        KEY raw = (KEY)usw_unmap_key(map, low + x);
        size_t stop = usw_min(end, start[x + 1]);
        for (; at < stop && at + STRIDE <= end; at += STRIDE) { /* the next value writes over it */
            for (unsigned i = 0; i < STRIDE; i++) {
                k[at + i] = raw;
            }
        }
        for (; at < stop; at++) {
            k[at] = raw;
        }
        at = stop;
    }
}

/* ---- nearly sorted ---- */

/* In place: a store never reaches a key that was not read. */
static size_t FN(drop)(void *keys, size_t n, void *dropped, size_t limit, bool *complete)
{
    USW_ROUTE("drop");
    KEY *k = keys, *out = dropped;
    size_t kept = 0, i = 0;
    KEY before = 0;
    *complete = true;
    while (i < n && *complete) {
        size_t end = usw_min(n, i + 512);
#if USW_LEVEL != 0
        size_t stop = usw_min(end, n - 1); /* vectors read the key behind them, too */
        if (i + FN(DROP_LANES) <= stop) {
            kept = FN(drop_vectors)(k, i, stop, kept, out, &before);
            i += (stop - i) / FN(DROP_LANES) * FN(DROP_LANES);
        }
#endif
        for (; i < end; i++) {
            KEY x = k[i], after = i + 1 < n ? k[i + 1] : (KEY)-1;
            bool right = before <= x && x <= after;
            out[i - kept] = x;
            k[kept] = x;
            kept += right;
            before = x;
        }
        *complete = i - kept <= limit;
    }
    if (!*complete) {
        memcpy(k + kept, out, (i - kept) * sizeof(KEY));
    }
    return kept;
}

/* For few loose keys: lines of kept keys are copied whole up to the next loose one. */
static void FN(weave)(const void *kept, size_t n, const void *loose, size_t m, void *out)
{
    USW_ROUTE("weave");
    enum { LINE = 64 / sizeof(KEY) };
    const KEY *a = kept, *b = loose;
    KEY *to = out;
    for (; m > 0; m--) {
        KEY x = *b++;
        size_t before = 0;
        for (; n >= LINE && a[LINE - 1] <= x; n -= LINE, a += LINE, to += LINE) {
            memcpy(to, a, LINE * sizeof(KEY));
        }
        if (n >= LINE) { /* out has room for the line, of which `before` keys stay */
            for (unsigned i = 0; i < LINE; i++) {
                before += a[i] <= x;
            }
            memcpy(to, a, LINE * sizeof(KEY));
        } else {
            for (; before < n && a[before] <= x; before++) {
                to[before] = a[before];
            }
        }
        n -= before;
        a += before;
        to += before;
        *to++ = x;
    }
    memcpy(to, a, n * sizeof(KEY));
}
#endif

#else

#include "cpu/patterns/few_values_hash.h"

const usw_pattern_steps USW_SYMBOL(usw_pattern_steps) = {
    .glance = {glance_u8, glance_u16, glance_u32, glance_u64},
    .sample = {NULL, NULL, sample_u32, sample_u64},
    .leaning = {NULL, NULL, leaning_u32, leaning_u64},
    .note_values = note_values,
    .hash_values = hash_values,
    .count_values = {NULL, NULL, count_values_u32, count_values_u64},
    .count_range = {NULL, NULL, count_range_u32, count_range_u64},
    .write_range = {NULL, NULL, write_range_u32, write_range_u64},
    .drop = {NULL, NULL, drop_u32, drop_u64},
    .weave = {NULL, NULL, weave_u32, weave_u64},
};

#endif
