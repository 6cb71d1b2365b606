/* pivots.h - chooses buckets by a sample of the keys, and finds the bucket of a key. Included once
 * per width by algo/sort_hybrid_cpu.h.
 *
 * A sorted sample gives the range of the keys, which a shift divides into equal slices: key x goes
 * to bucket (x - low) >> shift. If the sample says that a slice will be over-full, and not with
 * equal keys, which sort fast, the range is divided into CELLS cells, and each cell, between its
 * own least and greatest sample, into a number of equal slices in proportion to its samples. Keys
 * outside the sampled range go to the nearest bucket. Either way buckets are in the order of their
 * keys. */
/* SPDX-License-Identifier: MIT */

/* Keys of a cell: bucket base + min((x - low) >> shift, last). */
typedef struct FN(cell) {
    KEY low;
    uint16_t base, last, shift;
} FN(cell);

typedef struct FN(pivots) {
    FN(cell) all; /* the whole range as one cell; its slices are the buckets, or the cells */
    size_t buckets;
    bool refined;
    FN(cell) cell[CELLS];
} FN(pivots);

static inline size_t FN(slice)(const FN(cell) * c, KEY x)
{
    KEY above = (x > c->low ? x : c->low) - c->low, slice = above >> c->shift;
    return c->base + (size_t)(slice < c->last ? slice : c->last);
}

static inline void FN(classify)(const FN(pivots) * p, const KEY *x, size_t n, uint16_t *bucket)
{
    FN(cell) all = p->all;
    if (!p->refined) {
        for (size_t i = 0; i < n; i++) {
            bucket[i] = (uint16_t)FN(slice)(&all, x[i]);
        }
        return;
    }
    for (size_t i = 0; i < n; i++) {
        bucket[i] = (uint16_t)FN(slice)(&p->cell[FN(slice)(&all, x[i])], x[i]);
    }
}

static inline unsigned FN(bit_length)(KEY x)
{
#if KEY_BITS == 128
    uint64_t high = (uint64_t)(x >> 64), low = (uint64_t)x;
    return high != 0  ? 128u - (unsigned)__builtin_clzll(high)
           : low != 0 ? 64u - (unsigned)__builtin_clzll(low)
                      : 0;
#else
    return x == 0 ? 0 : 64u - (unsigned)__builtin_clzll((unsigned long long)x);
#endif
}

/* Equal slices, at most `slices` of them, for keys between low and high. */
static FN(cell) FN(cell_over)(KEY low, KEY high, size_t slices, size_t base)
{
    unsigned bits = FN(bit_length)(high - low), wanted = 63u - (unsigned)__builtin_clzll(slices);
    unsigned shift = bits > wanted ? bits - wanted : 0;
    size_t last = (size_t)((KEY)(high - low) >> shift);
    return (FN(cell)){low, (uint16_t)base, (uint16_t)usw_min(last, slices - 1), (uint16_t)shift};
}

/* True if a slice of `all` has more than `limit` of the sorted samples and not mostly equal
 * ones. */
static bool FN(over_full)(const FN(cell) * all, const KEY *sample, size_t limit)
{
    for (size_t begin = 0, end; begin < SAMPLE_KEYS; begin = end) {
        size_t slice = FN(slice)(all, sample[begin]);
        for (end = begin + 1; end < SAMPLE_KEYS && FN(slice)(all, sample[end]) == slice; end++) {
        }
        size_t n = end - begin;
        if (n > limit && sample[begin + n / 4] != sample[begin + 3 * n / 4]) {
            return true;
        }
    }
    return false;
}

static void FN(refine_pivots)(FN(pivots) * p, const KEY *sample)
{
    USW_ROUTE("uneven slices get pivots");
    p->refined = true;
    p->all = FN(cell_over)(sample[0], sample[SAMPLE_KEYS - 1], CELLS, 0);
    size_t at = 0, base = 0;
    for (size_t c = 0; c < CELLS; c++) {
        size_t begin = at;
        while (at < SAMPLE_KEYS && FN(slice)(&p->all, sample[at]) == c) {
            at++;
        }
        size_t slices = 1 + (at - begin) * (p->buckets - CELLS) / SAMPLE_KEYS;
        p->cell[c] = at == begin ? (FN(cell)){0, (uint16_t)base, 0, 0}
                                 : FN(cell_over)(sample[begin], sample[at - 1], slices, base);
        base += p->cell[c].last + 1u;
    }
    p->buckets = base;
}

/* Chooses pivots for n > SAMPLE_KEYS keys from a sample of them. False: all of the sample is
 * equal. */
static bool FN(choose_pivots)(FN(pivots) * p, const KEY *keys, size_t n, const usw_keymap *map,
                              KEY *sample)
{
    size_t step = n / SAMPLE_KEYS;
    for (size_t i = 0; i < SAMPLE_KEYS; i++) {
        sample[i] = keys[i * step + (size_t)((i * 0x9e3779b97f4a7c15) >> 20) % step];
    }
    FN(map_keys)(sample, sample, SAMPLE_KEYS, map, false);
    USW_SYMBOL(usw_cache_sort_steps).sort[USW_WIDTH](sample, SAMPLE_KEYS);
    if (sample[0] == sample[SAMPLE_KEYS - 1]) {
        return false;
    }
    size_t wanted = 16;
    while (wanted < BUCKETS_MAX && wanted * BUCKET_BYTES < n * sizeof(KEY)) {
        wanted *= 2;
    }
    p->refined = false;
    p->all = FN(cell_over)(sample[0], sample[SAMPLE_KEYS - 1], wanted, 0);
    p->buckets = p->all.last + 1u;
    size_t limit = (size_t)((double)REFINE_BYTES / (double)(n * sizeof(KEY)) * SAMPLE_KEYS);
    if (FN(over_full)(&p->all, sample, usw_max(limit, 32))) {
        p->buckets = usw_min(usw_max(2 * wanted, 2 * CELLS), BUCKETS_MAX);
        FN(refine_pivots)(p, sample);
    }
    return true;
}
