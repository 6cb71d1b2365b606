/* sort_hybrid - histogram, refine pivots, bucket scatter, sort inside buckets: CPU form.
 *
 * Same as the explained form: keys are counted by equal slices of their range (a digit); where a
 * slice is over-full it gets pivots of its own; the keys scatter into the buckets, each bucket
 * is sorted by itself. Differs: whether slices will be over-full is read off a sorted sample, so
 * that a pass over all keys is seldom lost; pivots within a slice cut it into equal slices
 * again, which needs no search; inside buckets, which fit a core's cache, a vector quicksort
 * sorts; a bucket that is still too large to be one thread's share is split again. What fits one
 * core's cache skips the scatter altogether, and where scratch is not allowed sort/quick takes
 * over.
 *
 * Source: E. Sintorn and U. Assarsson, Fast parallel GPU-sorting using a hybrid algorithm
 * (2008), for the whole; for the scatter see cpu/buckets/scatter.h, for the buckets
 * cpu/cache_sort/cache_sort_cpu.h. */
/* SPDX-License-Identifier: MIT */
#include "cpu/body.h"
#include "cpu/cpu.h"
#include "cpu/buckets/scatter_tables.h"

#ifndef USW_SORT_HYBRID_ONCE
#define USW_SORT_HYBRID_ONCE

enum {
    SAMPLE_KEYS = 2048,
    CELLS = 256, /* slices of the whole range where pivots are refined */
    LEVELS_MAX = 3,
    BUCKET_BYTES = 256 * 1024,     /* wanted */
    REFINE_BYTES = 1024 * 1024,    /* a bucket expected to be larger is over-full */
    SPLIT_BYTES = 16 * 1024 * 1024 /* a bucket this large is split again in any case */
};
#endif

#if KEY_BITS <= 16

#include "cpu/buckets/count_short_keys.h"

#else

/* Maps keys, or back, from `in` to `out`, which may be the same; map NULL: as they are. */
static void FN(map_keys)(KEY *out, const KEY *in, size_t n, const usw_keymap *map, bool back)
{
#if KEY_BITS != 128
    const usw_keymap_steps *maps = &USW_SYMBOL(usw_keymap_steps);
    if (map != NULL) {
        (back ? maps->unmap : maps->map)[USW_WIDTH](out, in, n, map);
        return;
    }
#else
    (void)map, (void)back;
#endif
    if (out != in) {
        memcpy(out, in, n * sizeof(KEY));
    }
}

#include "cpu/buckets/pivots.h"
#include "cpu/buckets/scatter.h"

/* ---- the steps on one level ---- */

typedef struct FN(level) {
    FN(pivots) pivots;
    size_t start[BUCKETS_MAX + 1];
    uint32_t order[BUCKETS_MAX]; /* bucket numbers, largest first */
    KEY sample[SAMPLE_KEYS];
} FN(level);

typedef struct FN(hybrid) {
    upsweep *u;
    const usw_keymap *map; /* NULL: none */
    scatter_tables tables;
    FN(level) * levels[LEVELS_MAX];
} FN(hybrid);

/* Buckets of one level that are being sorted: they stand at `at`, their keys belong to `home`. */
typedef struct FN(buckets) {
    const FN(hybrid) * h;
    const FN(level) * level;
    KEY *at, *home;
    size_t skip; /* the first of the order, which are split again */
} FN(buckets);

static void FN(sort_bucket)(void *context, size_t i, unsigned lane)
{
    const FN(buckets) *b = context;
    uint32_t which = b->level->order[b->skip + i];
    size_t begin = b->level->start[which], n = b->level->start[which + 1] - begin;
    (void)lane;
    USW_SYMBOL(usw_cache_sort_steps).sort[USW_WIDTH](b->at + begin, n);
    FN(map_keys)(b->home + begin, b->at + begin, n, b->h->map, true);
}

/* Orders the buckets by size, largest first, by one counting pass over the logarithms of the
 * sizes. */
static void FN(order_buckets)(FN(level) * level, size_t buckets)
{
    size_t from[66] = {0};
    for (size_t b = 0; b < buckets; b++) {
        from[65 - usw_log2_up(level->start[b + 1] - level->start[b])]++;
    }
    size_t sum = 0;
    for (size_t i = 0; i < 66; i++) {
        size_t count = from[i];
        from[i] = sum;
        sum += count;
    }
    for (size_t b = 0; b < buckets; b++) {
        level->order[from[65 - usw_log2_up(level->start[b + 1] - level->start[b])]++] = (uint32_t)b;
    }
}

/* Sorts n keys at `from`; `other` is as much room; the sorted keys go to whichever of the two is
 * home. At depth 0 the keys are not mapped yet. */
static void FN(sort_level)(FN(hybrid) * h, KEY *from, KEY *other, size_t n, KEY *home, size_t depth)
{
    upsweep *u = h->u;
    FN(level) *level = depth < LEVELS_MAX ? h->levels[depth] : NULL;
    const usw_keymap *map = depth == 0 ? h->map : NULL;
    if (level == NULL || !FN(choose_pivots)(&level->pivots, from, n, map, level->sample)) {
        USW_ROUTE_IF(level == NULL, "too many levels: in place", USW_ROUTE_DEFAULT);
        USW_ROUTE_IF(level != NULL, "equal keys in the sample: in place", USW_ROUTE_DEFAULT);
        FN(map_keys)(from, from, n, map, false);
        (void)USW_SYMBOL(usw_quick_steps).sort[USW_WIDTH](u, from, n, NULL);
        FN(map_keys)(home, from, n, h->map, true);
        return;
    }
    FN(split)
    s = {.pivots = &level->pivots,
         .buckets = level->pivots.buckets,
         .from = from,
         .to = other,
         .n = n,
         .map = map,
         .tables = h->tables};
    FN(scatter)(u, &s, level->start);
    FN(order_buckets)(level, s.buckets);
    FN(buckets) b = {h, level, other, home, 0};
    for (; b.skip < s.buckets; b.skip++) {
        uint32_t which = level->order[b.skip];
        size_t size = level->start[which + 1] - level->start[which];
        size_t bytes = size * sizeof(KEY);
        if (bytes < SPLIT_BYTES && (bytes < REFINE_BYTES || size < n / (2 * (size_t)u->threads))) {
            break;
        }
    }
    usw_parallel(u, s.buckets - b.skip, FN(sort_bucket), &b);
    for (size_t i = 0; i < b.skip; i++) {
        USW_ROUTE("a large bucket is split again");
        size_t begin = level->start[level->order[i]], end = level->start[level->order[i] + 1];
        FN(sort_level)(h, other + begin, from + begin, end - begin, home + begin, depth + 1);
    }
}

/* ---- the whole ---- */

static KEY *FN(take_second_array)(FN(hybrid) * h, size_t n)
{
    upsweep *u = h->u;
    size_t tables = (size_t)u->threads * (BUCKETS_MAX * (LINE_BYTES + 32) + (size_t)8192) +
                    LEVELS_MAX * (sizeof(FN(level)) + 4096);
    if (usw_scratch_left(u) / sizeof(KEY) < n || usw_scratch_left(u) - n * sizeof(KEY) < tables) {
        return NULL;
    }
    KEY *other = usw_scratch(u, n * sizeof(KEY));
    bool taken = other != NULL && take_scatter_tables(u, &h->tables);
    for (size_t i = 0; taken && i < LEVELS_MAX; i++) {
        h->levels[i] = usw_scratch(u, sizeof *h->levels[i]);
        taken = h->levels[i] != NULL;
    }
    return taken ? other : NULL;
}

static upsweep_status FN(sort_mapped)(upsweep *u, void *keys, size_t n, const usw_keymap *map,
                                      bool in_place)
{
    FN(hybrid) h = {.u = u, .map = map == NULL || usw_keymap_is_identity(map) ? NULL : map};
    KEY *k = keys;
    bool small = n <= SAMPLE_KEYS || n * sizeof(KEY) < u->tuning.thread_bytes;
    KEY *other = in_place || small ? NULL : FN(take_second_array)(&h, n);
    if (other != NULL) {
        USW_ROUTE("scattered into buckets");
        FN(sort_level)(&h, k, other, n, k, 0);
        return UPSWEEP_OK;
    }
    return USW_SYMBOL(usw_quick_steps).sort[USW_WIDTH](u, k, n, map);
}

#endif

static upsweep_status FN(sort)(upsweep *u, void *keys, size_t n, unsigned bit_begin,
                               unsigned bit_end)
{
    (void)bit_begin, (void)bit_end;
    return FN(sort_mapped)(u, keys, n, NULL, false);
}

#if KEY_BITS == 128
const usw_hybrid_steps USW_SYMBOL(usw_hybrid_steps) = {
    .sort = {sort_mapped_u8, sort_mapped_u16, sort_mapped_u32, sort_mapped_u64, sort_mapped_u128}};
USW_SORT_FORM(sort_hybrid,
              .sort_mapped = {sort_mapped_u8, sort_mapped_u16, sort_mapped_u32, sort_mapped_u64})
#endif
