/* count_bytes.h - 8-bit keys: count each value, then write it as often. Four tables keep runs
 * of one value from waiting for their own counter. */

static void FN(vsort)(void *keys, size_t n)
{
    USW_ROUTE("bytes are counted");
    KEY *k = keys;
    size_t count[4][256] = {{0}};
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        count[0][k[i]]++;
        count[1][k[i + 1]]++;
        count[2][k[i + 2]]++;
        count[3][k[i + 3]]++;
    }
    for (; i < n; i++) {
        count[0][k[i]]++;
    }
    size_t at = 0;
    for (unsigned v = 0; v < 256; v++) {
        size_t c = count[0][v] + count[1][v] + count[2][v] + count[3][v];
        memset(k + at, (int)v, c);
        at += c;
    }
}

static void FN(vselect)(void *keys, size_t n, size_t k, const usw_keymap *map)
{
    USW_ROUTE("bytes are counted to select");
    (void)k;
    if (map != NULL) {
        USW_SYMBOL(usw_keymap_steps).map[USW_WIDTH](keys, keys, n, map);
    }
    FN(vsort)(keys, n);
    if (map != NULL) {
        USW_SYMBOL(usw_keymap_steps).unmap[USW_WIDTH](keys, keys, n, map);
    }
}
