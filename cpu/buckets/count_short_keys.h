/* count_short_keys.h - sorts keys of 8 and 16 bits by counting: every value is a bucket, whose keys
 * are all equal. So the histogram is the sort: each thread counts its share of the keys, the counts
 * are added and scanned, and all threads write the values in order. The key map says only in which
 * order the values come. */
/* SPDX-License-Identifier: MIT */

#if KEY_BITS == 16
enum { BY_BYTES_FROM = 8192 }; /* keys; up to as many are sorted by bytes without scratch */
#endif
enum { FN(VALUES) = 1 << KEY_BITS, FN(COUNT_CHUNK) = 256 * 1024 };

typedef struct FN(counting) {
    KEY *keys;
    size_t n, begin, end; /* keys that one call of count_range counts: [begin, end) */
    const usw_keymap *map;
    uint32_t *count; /* [lanes][VALUES], by raw value */
    size_t *start;   /* [VALUES + 1], by mapped value */
    size_t pieces;
} FN(counting);

static void FN(count_some)(void *context, size_t i, unsigned lane)
{
    const FN(counting) *c = context;
    uint32_t *count = c->count + (size_t)lane * FN(VALUES);
    size_t at = c->begin + i * FN(COUNT_CHUNK), end = usw_min(c->end, at + FN(COUNT_CHUNK));
    for (; at < end; at++) {
        count[c->keys[at]]++;
    }
}

static inline KEY FN(raw_of)(const FN(counting) * c, size_t value)
{
    return (KEY)(c->map == NULL ? value : usw_unmap_key(c->map, value));
}

/* Writes one of c->pieces equal pieces of the sorted keys. */
static void FN(write_some)(void *context, size_t i, unsigned lane)
{
    const FN(counting) *c = context;
    size_t share = usw_div_up(c->n, c->pieces);
    size_t at = usw_min(c->n, i * share), end = usw_min(c->n, at + share);
    size_t low = 0, high = FN(VALUES); /* the value at place `at`: start[low] <= at < start[high] */
    (void)lane;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(c->start[middle] <= at ? &low : &high) = middle;
    }
    for (size_t value = low; at < end; value++) {
        KEY raw = FN(raw_of)(c, value);
        for (size_t stop = usw_min(end, c->start[value + 1]); at < stop; at++) {
            c->keys[at] = raw;
        }
    }
}

/* Adds the counts of c->begin .. c->end to start[value + 1]. */
static void FN(count_range)(upsweep *u, FN(counting) * c)
{
    size_t lanes = u->threads;
    memset(c->count, 0, lanes * FN(VALUES) * sizeof *c->count);
    usw_parallel(u, usw_div_up(c->end - c->begin, FN(COUNT_CHUNK)), FN(count_some), c);
    for (size_t value = 0; value < FN(VALUES); value++) {
        for (size_t lane = 0, raw = FN(raw_of)(c, value); lane < lanes; lane++) {
            c->start[value + 1] += c->count[lane * FN(VALUES) + raw];
        }
    }
}

static bool FN(count_sort)(upsweep *u, KEY *keys, size_t n, const usw_keymap *map)
{
    const size_t range = (size_t)1 << 31; /* so that no count overflows */
    size_t lanes = u->threads;
    FN(counting) c = {.keys = keys, .n = n, .map = map, .pieces = 4 * lanes};
    c.count = usw_scratch(u, lanes * FN(VALUES) * sizeof *c.count);
    c.start = c.count == NULL ? NULL : usw_scratch(u, (FN(VALUES) + 1) * sizeof *c.start);
    if (c.start == NULL) {
        USW_ROUTE("no scratch for tables");
        return false;
    }
    memset(c.start, 0, (FN(VALUES) + 1) * sizeof *c.start);
    for (; c.begin < n; c.begin = c.end) {
        c.end = n - c.begin < range ? n : c.begin + range;
        FN(count_range)(u, &c);
    }
    for (size_t value = 0; value < FN(VALUES); value++) {
        c.start[value + 1] += c.start[value];
    }
    usw_parallel(u, c.pieces, FN(write_some), &c);
    return true;
}

static upsweep_status FN(sort_mapped)(upsweep *u, void *keys, size_t n, const usw_keymap *map,
                                      bool in_place)
{
    const usw_keymap_steps *maps = &USW_SYMBOL(usw_keymap_steps);
    (void)in_place; /* in place allows scratch as large as the tables */
    map = map == NULL || usw_keymap_is_identity(map) ? NULL : map;
    if (n >= usw_count_from(USW_LEVEL, USW_WIDTH) && FN(count_sort)(u, keys, n, map)) {
        USW_ROUTE("values are counted");
        return UPSWEEP_OK;
    }
    const usw_cache_sort_steps *steps = &USW_SYMBOL(usw_cache_sort_steps);
    void *copy = NULL;
#if KEY_BITS == 16
    if (steps->by_bytes != NULL && n > BY_BYTES_FROM) {
        copy = usw_scratch(u, n * sizeof(KEY));
    }
#endif
    USW_ROUTE("partitioned by vectors");
    if (map != NULL) {
        maps->map[USW_WIDTH](keys, keys, n, map);
    }
    if (copy != NULL) {
        steps->by_bytes(keys, n, copy);
    } else {
        steps->sort[USW_WIDTH](keys, n);
    }
    if (map != NULL) {
        maps->unmap[USW_WIDTH](keys, keys, n, map);
    }
    return UPSWEEP_OK;
}
