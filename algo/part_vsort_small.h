/* part_vsort_small.h - arrays of at most USW_SMALL keys, whose sort takes no longer than a call can
 * waste: one look, which ends at the first keys that neither rise nor fall, and the sort. Included
 * once per width of 16 to 64 bits after the quicksort of that width. */

#if USW_LEVEL == 2 || (USW_LEVEL == 1 && KEY_BITS >= 32)
/* The keys of v by the order that is asked for. */
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

/* Whether the keys fall (rising: false: rise) somewhere among k[0 .. pairs], pairs >= LANES. To the
 * end in any case: to stop at the first of them would be a branch that no one foresees. */
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

#ifdef MAPS
/* n <= BASE keys of another order than their own: they are mapped in registers. */
static usw_shape FN(sort_small_mapped)(KEY *k, size_t n, const usw_keymap *map)
{
    usw_shape shape = FN(shape)(k, n, map);
    if (shape == USW_FALLING) {
        USW_SYMBOL(usw_part_keymap).mirror[USW_WIDTH](k, k + (n - n / 2), n / 2);
    } else if (shape == USW_MIXED && (map->neg | map->add) == 0 && map->pos == UINT32_C(1) << 31) {
        signed_base_sort_u32(k, n);
    } else if (shape == USW_MIXED) {
        FN(base_sort_mapped)(k, n, map);
    }
    return shape;
}
#endif

static usw_shape FN(sort_small)(void *keys, size_t n, const usw_keymap *map)
{
    const usw_part_keymap *maps = &USW_SYMBOL(usw_part_keymap);
    KEY *k = keys;
    if (n > 0 && k[0] == k[n - 1] && FN(all_equal)(k, n)) {
        return USW_RISING;
    }
#ifdef MAPS
    if (map != NULL && n <= FN(BASE)) {
        return FN(sort_small_mapped)(k, n, map);
    }
#endif
    if (map != NULL) {
        maps->map[USW_WIDTH](k, k, n, map);
    }
    usw_shape shape = FN(shape)(k, n, NULL);
    if (shape == USW_FALLING) {
        maps->mirror[USW_WIDTH](k, k + (n - n / 2), n / 2);
    } else if (shape == USW_MIXED && n > FN(BASE)) {
        FN(vsort)(k, n);
    } else if (shape == USW_MIXED) {
        FN(base_sort)(k, n);
    }
    if (map != NULL) {
        maps->unmap[USW_WIDTH](k, k, n, map);
    }
    return shape;
}

#if KEY_BITS == 16
/* Keys of 8 bits are sorted as such of 16 before the counters of 256 values are cleared. */
static usw_shape sort_small_u8(void *keys, size_t n, const usw_keymap *map)
{
    const usw_part_keymap *maps = &USW_SYMBOL(usw_part_keymap);
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
