/* short_arrays.h - sorts arrays of at most USW_SMALL keys: examines whether the keys rise or fall,
 * which ends at the first vectors that do neither, and sorts them if they do not. For so few keys
 * nothing else is worth its time. Rows of a matrix are sorted without that look. Included once per
 * width of 16 to 64 bits after the quicksort of that width. */
/* SPDX-License-Identifier: MIT */

#include "cpu/cache_sort/short_arrays_order.h"

#ifdef MAPS
#if KEY_BITS == 32
static inline bool rises_signed(const usw_keymap *map)
{
    return (map->neg | map->add) == 0 && map->pos == UINT32_C(1) << 31;
}
#endif

/* Sorts n <= BASE keys in the order of the map; the network maps them in registers. */
static usw_shape FN(sort_small_mapped)(KEY *k, size_t n, const usw_keymap *map)
{
    usw_shape shape = FN(shape)(k, n, map);
    if (shape == USW_FALLING) {
        USW_SYMBOL(usw_keymap_steps).mirror[USW_WIDTH](k, k + (n - n / 2), n / 2);
#if KEY_BITS == 32
    } else if (shape == USW_MIXED && rises_signed(map)) {
        USW_ROUTE_OF("mapped: in signed order", USW_TYPE_BIT(UPSWEEP_I32));
        signed_base_sort_u32(k, n);
#endif
    } else if (shape == USW_MIXED) {
        USW_ROUTE("mapped in registers");
        FN(base_sort_mapped)(k, n, map);
    }
    return shape;
}
#endif

#if KEY_BITS == 64 && defined(SORTS_DOUBLES)
/* Whether doubles compared as such gain more than it takes to look whether all are plain: not on
 * Zen 4 with AVX-512, where 300 of them take 1.27 times as long as mapped ones. */
static inline bool doubles_pay(void)
{
    return USW_LEVEL == 1 || !usw_halves_vectors();
}
#endif

static usw_shape FN(sort_small)(void *keys, size_t n, const usw_keymap *map)
{
    const usw_keymap_steps *maps = &USW_SYMBOL(usw_keymap_steps);
    KEY *k = keys;
    if (n > 0 && k[0] == k[n - 1] && FN(all_equal)(k, n)) {
        USW_ROUTE("all equal");
        return USW_RISING;
    }
#if KEY_BITS == 64 && defined(SORTS_DOUBLES)
    if (map != NULL && doubles_pay() && keeps_double_order(map) && plain_doubles(k, n)) {
        USW_ROUTE_OF("plain doubles", USW_TYPE_BIT(UPSWEEP_F64));
        return sort_small_doubles(k, n);
    }
#endif
#ifdef MAPS
    if (map != NULL && n <= FN(BASE)) {
        return FN(sort_small_mapped)(k, n, map);
    }
#endif
#ifdef SORTS_SIGNED
    if (map != NULL && keeps_signed_order(map)) {
        USW_ROUTE_OF("in signed order", USW_SIGNED);
        return SIGNED_FN(sort_shaped)(k, n);
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

/* Whether rows rise or fall is not asked: they would all be read once more for it. */
static void FN(sort_row)(void *keys, size_t n, const usw_keymap *map)
{
    const usw_keymap_steps *maps = &USW_SYMBOL(usw_keymap_steps);
#ifdef MAPS
#if KEY_BITS == 32
    if (n <= FN(BASE) && rises_signed(map)) {
        USW_ROUTE_OF("a row in signed order", USW_TYPE_BIT(UPSWEEP_I32));
        signed_base_sort_u32(keys, n);
        return;
    }
#endif
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
