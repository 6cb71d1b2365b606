/* short_arrays_order.h - whether a short array rises, falls or neither, and its sort: nothing, a
 * reversal, a repair or the quicksort. Included after the quicksort: once per width, and for signed
 * integers and doubles. */
/* SPDX-License-Identifier: MIT */

#undef REPAIRS
#if USW_LEVEL == 1 && (KEY_BITS == 32 || KEY_BITS == 64)
#define REPAIRS 1
#include "cpu/cache_sort/short_arrays_repair.h"
#endif

#if USW_LEVEL == 2 || (USW_LEVEL == 1 && KEY_BITS >= 32)
/* The keys of v, mapped where map is not NULL. */
static inline V FN(vordered)(V v, const usw_keymap *map)
{
#ifdef MAPS
    return map != NULL ? FN(vmap_some)(v, FN(vmap_of)(map), LANES) : v;
#else
    (void)map;
    return v;
#endif
}

static inline V FN(vread)(const KEY *k, const usw_keymap *map)
{
    return FN(vordered)(FN(vload)(k), map);
}

/* Whether the keys fall (rising: false: rise) somewhere among k[0 .. pairs], pairs >= LANES. Reads
 * to the end in any case: a branch at the first of them could not be predicted. */
static inline bool FN(breaks_order)(const KEY *k, size_t pairs, const usw_keymap *map, bool rising)
{
    V low = FN(vread)(k + pairs - LANES, map), high = FN(vread)(k + pairs + 1 - LANES, map);
    M found = rising ? FN(vgreater)(low, high) : FN(vgreater)(high, low);
    size_t i = 0;
#if USW_LEVEL == 2 && KEY_BITS >= 32 /* a vector across two lines takes three times as long */
    low = FN(vread)(k, map);
    for (; i + 2 * LANES <= pairs + 1; i += LANES) {
        V next = FN(vread)(k + i + LANES, map);
        high = ELEMENT(alignr)(next, low, 1);
        found |= rising ? FN(vgreater)(low, high) : FN(vgreater)(high, low);
        low = next;
    }
#endif
    for (; i + LANES < pairs; i += LANES) {
        low = FN(vread)(k + i, map), high = FN(vread)(k + i + 1, map);
        found |= rising ? FN(vgreater)(low, high) : FN(vgreater)(high, low);
    }
    return FN(vany)(found);
}
#endif

/* Whether the keys rise, fall (but for equal ones), or neither. map: NULL, or only where MAPS. */
USW_IN_REGISTERS usw_shape FN(shape)(const KEY *k, size_t n, const usw_keymap *map)
{
    bool falls = false, rises = false;
    size_t i = 0, pairs = n == 0 ? 0 : n - 1;
#if USW_LEVEL == 2 || (USW_LEVEL == 1 && KEY_BITS >= 32)
    if (pairs >= 2 * LANES) {
        falls = FN(breaks_order)(k, 2 * LANES, map, true);
        rises = FN(breaks_order)(k, 2 * LANES, map, false);
        if (falls && rises) {
            return USW_MIXED;
        }
        return !falls && !FN(breaks_order)(k, pairs, map, true)    ? USW_RISING
               : !rises && !FN(breaks_order)(k, pairs, map, false) ? USW_FALLING
                                                                   : USW_MIXED;
    }
    for (; i < pairs && !(falls && rises); i += LANES) {
        size_t count = usw_min(pairs - i, LANES);
        V low = FN(vordered)(FN(vload_some)(k + i, count), map);
        V high = FN(vordered)(FN(vload_some)(k + i + 1, count), map);
        falls |= FN(vany)(FN(vgreater)(low, high));
        rises |= FN(vany)(FN(vgreater)(high, low));
    }
#else
    (void)map;
    for (; i < pairs && !(falls && rises); i++) {
        falls |= k[i + 1] < k[i];
        rises |= k[i] < k[i + 1];
    }
#endif
    return !falls ? USW_RISING : !rises ? USW_FALLING : USW_MIXED;
}

static usw_shape FN(sort_shaped)(KEY *k, size_t n)
{
    usw_shape shape = FN(shape)(k, n, NULL);
    if (shape == USW_RISING) {
        return shape;
    }
    if (shape == USW_FALLING) {
        USW_SYMBOL(usw_keymap_steps).mirror[USW_WIDTH](k, k + (n - n / 2), n / 2);
        return shape;
    }
#ifdef REPAIRS
    if (n >= REPAIR_FROM && FN(repair)(k, n)) {
        return shape;
    }
#endif
    if (n > FN(BASE)) {
        FN(vsort)(k, n);
    } else {
        FN(base_sort)(k, n);
    }
    return shape;
}
