/* part_vsort_small.h - arrays of at most USW_SMALL keys, whose sort takes no longer than a call can
 * waste: one look, which ends at the first keys that neither rise nor fall, and the sort. Included
 * once per width of 16 to 64 bits after the quicksort of that width. */

#if USW_LEVEL == 2 || (USW_LEVEL == 1 && KEY_BITS >= 32)
/* Whether the keys ^ turn fall (rising: false: rise) somewhere among k[0 .. pairs], pairs >= LANES.
 * To the end in any case: to stop at the first of them would be a branch that no one foresees. */
static inline bool FN(breaks_order)(const KEY *k, size_t pairs, V turn, bool rising)
{
    V low = FN(vload)(k + pairs - LANES) ^ turn, high = FN(vload)(k + pairs + 1 - LANES) ^ turn;
    M found = rising ? FN(vgreater)(low, high) : FN(vgreater)(high, low);
    size_t i = 0;
#if USW_LEVEL == 2 && KEY_BITS >= 32 /* a vector across two lines takes three times as long */
    low = FN(vload)(k) ^ turn;
    for (; i + 2 * LANES <= pairs + 1; i += LANES) {
        V next = FN(vload)(k + i + LANES) ^ turn;
        high = ELEMENT(alignr)(next, low, 1);
        found |= rising ? FN(vgreater)(low, high) : FN(vgreater)(high, low);
        low = next;
    }
#endif
    for (; i + LANES < pairs; i += LANES) {
        low = FN(vload)(k + i) ^ turn, high = FN(vload)(k + i + 1) ^ turn;
        found |= rising ? FN(vgreater)(low, high) : FN(vgreater)(high, low);
    }
    return FN(vany)(found);
}
#endif

/* Whether the keys ^ turn rise, fall (but for equal ones), or neither. */
static usw_shape FN(shape)(const KEY *k, size_t n, KEY turn)
{
    bool falls = false, rises = false;
    size_t i = 0, pairs = n == 0 ? 0 : n - 1;
#if USW_LEVEL == 2 || (USW_LEVEL == 1 && KEY_BITS >= 32)
    V t = FN(vset)(turn);
    if (pairs >= 2 * LANES) {
        falls = FN(breaks_order)(k, 2 * LANES, t, true);
        rises = FN(breaks_order)(k, 2 * LANES, t, false);
        if (falls && rises) {
            return USW_MIXED;
        }
        return !falls && !FN(breaks_order)(k, pairs, t, true)    ? USW_RISING
               : !rises && !FN(breaks_order)(k, pairs, t, false) ? USW_FALLING
                                                                 : USW_MIXED;
    }
    for (; i < pairs && !(falls && rises); i += LANES) {
        size_t count = usw_min(pairs - i, LANES);
        V low = FN(vload_some)(k + i, count) ^ t, high = FN(vload_some)(k + i + 1, count) ^ t;
        falls |= FN(vany)(FN(vgreater)(low, high));
        rises |= FN(vany)(FN(vgreater)(high, low));
    }
#else
    for (; i < pairs && !(falls && rises); i++) {
        KEY low = k[i] ^ turn, high = k[i + 1] ^ turn;
        falls |= high < low;
        rises |= low < high;
    }
#endif
    return !falls ? USW_RISING : !rises ? USW_FALLING : USW_MIXED;
}

static usw_shape FN(sort_small)(void *keys, size_t n, const usw_keymap *map)
{
    const usw_part_keymap *maps = &USW_SYMBOL(usw_part_keymap);
    KEY *k = keys, turn = 0;
    if (n > 0 && k[0] == k[n - 1] && FN(all_equal)(k, n)) {
        return USW_RISING;
    }
#ifdef TURNS
    if (n <= FN(BASE) && map != NULL && (map->neg | map->add) == 0) { /* integers */
        turn = (KEY)map->pos;
        map = NULL;
    }
#endif
    if (map != NULL) {
        maps->map[USW_WIDTH](k, k, n, map);
    }
    usw_shape shape = FN(shape)(k, n, turn);
    if (shape == USW_FALLING) {
        maps->mirror[USW_WIDTH](k, k + (n - n / 2), n / 2);
    } else if (shape == USW_MIXED && n > FN(BASE)) {
        FN(vsort)(k, n);
#ifdef TURNS
    } else if (shape == USW_MIXED && turn == (KEY)1 << (KEY_BITS - 1) && n > HALF_BASE) {
        signed_base_sort_u32(k, n);
    } else if (shape == USW_MIXED && turn != 0) {
        FN(base_sort_turned)(k, n, turn);
#endif
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
