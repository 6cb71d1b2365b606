/* sort_sample - pivots from a sorted sample, buckets, sort inside buckets: CPU form.
 *
 * Same as the explained form: a sample of the keys is sorted, evenly spaced samples are the
 * splitters, each key finds its bucket by halving among them, the keys scatter into the buckets,
 * each bucket is sorted by itself. Differs: all keys of a block take each halving step together,
 * which needs no branch; a splitter that comes several times in the sample makes a bucket of its
 * own value; buckets are sorted by a vector quicksort, many at a time. Without scratch that
 * quicksort sorts the whole.
 *
 * Source: W. D. Frazer and A. C. McKellar, Samplesort (1970); P. Sanders and S. Winkel, Super
 * scalar sample sort (2004), for the search without branches. */
/* SPDX-License-Identifier: MIT */
#include "cpu/body.h"
#include "cpu/cpu.h"
#include "cpu/buckets/scatter_tables.h"

#ifndef USW_SORT_SAMPLE_ONCE
#define USW_SORT_SAMPLE_ONCE
enum {
    SPLITTERS = 255, /* 2^HALVINGS - 1 */
    HALVINGS = 8,
    SAMPLE_KEYS = 16 * (SPLITTERS + 1),
    SCATTER_FROM = 64 * 1024 /* keys; fewer are sorted at once */
};
#endif

static void FN(map_keys)(KEY *out, const KEY *in, size_t n, const usw_keymap *map, bool back)
{
    (void)map, (void)back;
    memcpy(out, in, n * sizeof(KEY));
}

/* Splitters as an implicit search tree: the children of node i are 2 i and 2 i + 1, the root is
 * 1. A key's bucket is the number of splitters that are <= it. */
typedef struct FN(pivots) {
    KEY tree[SPLITTERS + 1];
} FN(pivots);

static void FN(plant)(FN(pivots) * p, const KEY *splitter, size_t node, size_t begin, size_t end)
{
    if (begin < end) {
        size_t middle = (begin + end) / 2;
        p->tree[node] = splitter[middle];
        FN(plant)(p, splitter, 2 * node, begin, middle);
        FN(plant)(p, splitter, 2 * node + 1, middle + 1, end);
    }
}

static inline void FN(classify)(const FN(pivots) * p, const KEY *x, size_t n, uint16_t *bucket)
{
    uint32_t node[BLOCK_KEYS];
    for (size_t i = 0; i < n; i++) {
        node[i] = 1;
    }
    for (unsigned step = 0; step < HALVINGS; step++) {
        for (size_t i = 0; i < n; i++) {
            node[i] = 2 * node[i] + (p->tree[node[i]] <= x[i]);
        }
    }
    for (size_t i = 0; i < n; i++) {
        bucket[i] = (uint16_t)(node[i] - (SPLITTERS + 1));
    }
}

#include "cpu/buckets/scatter.h"

typedef struct FN(buckets) {
    KEY *keys;
    const KEY *at;
    size_t start[SPLITTERS + 2];
    uint32_t order[SPLITTERS + 1];
} FN(buckets);

static void FN(sort_bucket)(void *context, size_t i, unsigned lane)
{
    const FN(buckets) *b = context;
    uint32_t which = b->order[i];
    size_t begin = b->start[which], n = b->start[which + 1] - begin;
    (void)lane;
    FN(map_keys)(b->keys + begin, b->at + begin, n, NULL, true);
    USW_SYMBOL(usw_cache_sort_steps).sort[USW_WIDTH](b->keys + begin, n);
}

/* Largest bucket first, so that none is left for the end. */
static void FN(order_buckets)(FN(buckets) * b)
{
    for (uint32_t i = 0; i <= SPLITTERS; i++) {
        size_t n = b->start[i + 1] - b->start[i];
        uint32_t j = i;
        for (; j > 0 && b->start[b->order[j - 1] + 1] - b->start[b->order[j - 1]] < n; j--) {
            b->order[j] = b->order[j - 1];
        }
        b->order[j] = i;
    }
}

static void FN(choose_splitters)(FN(pivots) * p, const KEY *keys, size_t n, KEY *sample)
{
    KEY splitter[SPLITTERS];
    for (size_t i = 0, step = n / SAMPLE_KEYS; i < SAMPLE_KEYS; i++) {
        sample[i] = keys[i * step + (size_t)((i * 0x9e3779b97f4a7c15) >> 20) % step];
    }
    USW_SYMBOL(usw_cache_sort_steps).sort[USW_WIDTH](sample, SAMPLE_KEYS);
    for (size_t i = 0; i < SPLITTERS; i++) {
        splitter[i] = sample[(i + 1) * SAMPLE_KEYS / (SPLITTERS + 1)];
        /* The second of equal splitters is the next value: between the two lies one value only. */
        bool again = i > 0 && splitter[i] <= splitter[i - 1] && splitter[i] != (KEY)-1;
        splitter[i] = again ? (KEY)(splitter[i] + 1) : splitter[i];
        if (i > 0 && splitter[i] < splitter[i - 1]) {
            splitter[i] = splitter[i - 1];
        }
    }
    FN(plant)(p, splitter, 1, 0, SPLITTERS);
}

static upsweep_status FN(sort)(upsweep *u, void *keys, size_t n, unsigned bit_begin,
                               unsigned bit_end)
{
    (void)bit_begin, (void)bit_end;
    scatter_tables tables;
    KEY *other = n < SCATTER_FROM ? NULL : usw_scratch(u, n * sizeof(KEY));
    KEY *sample = other == NULL ? NULL : usw_scratch(u, SAMPLE_KEYS * sizeof(KEY));
    FN(pivots) *pivots = sample == NULL ? NULL : usw_scratch(u, sizeof *pivots);
    FN(buckets) *b = pivots == NULL ? NULL : usw_scratch(u, sizeof *b);
    if (b == NULL || !take_scatter_tables(u, &tables)) {
        USW_ROUTE("few, or no scratch");
        USW_SYMBOL(usw_cache_sort_steps).sort[USW_WIDTH](keys, n);
        return UPSWEEP_OK;
    }
    USW_ROUTE("splitters");
    FN(choose_splitters)(pivots, keys, n, sample);
    FN(split)
    s = {.pivots = pivots,
         .buckets = SPLITTERS + 1,
         .from = keys,
         .to = other,
         .n = n,
         .tables = tables};
    FN(scatter)(u, &s, b->start);
    b->keys = keys;
    b->at = other;
    FN(order_buckets)(b);
    usw_parallel(u, SPLITTERS + 1, FN(sort_bucket), b);
    return UPSWEEP_OK;
}

#if KEY_BITS == 128
USW_SORT_FORM(sort_sample, .in_place = false)
#endif
