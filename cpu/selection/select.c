/* select.c - finds the k-th key: a sample gives a narrow band of keys in which the k-th lies almost
 * surely; one partition separates the keys above the band from the others, a second one those below
 * it, and the search goes on in the range that has the k-th key. The first partition touches all
 * keys, the second half of them. Keys are compared as mapped and stay as they are; only the few
 * keys that are sorted in the end are mapped.
 *
 * All threads partition by pairs of blocks, one block before the place where the sample expects the
 * border and one behind it, which vectors partition as if the two were one. Few keys are then on
 * the wrong side of the true border, and these are exchanged. The pairs do not depend on the number
 * of threads, so the outcome does not either.
 *
 * If a range has not halved, the band was bad. The next band is one key of the sample, which
 * settles inputs with few different keys; if that does not help either, it is the middle third of
 * the keys still possible, which bounds the number of passes by the bits of a key: O(n) for any
 * input.
 *
 * Source: R. W. Floyd, R. L. Rivest, "Expected time bounds for selection" (1975). */
/* SPDX-License-Identifier: MIT */
#include "cpu/selection/select.h"

enum {
    SMALL_BYTES = 16 * 1024,    /* a range so small is not worth a sample */
    SMALL_VECTORS = 128 * 1024, /* the same where vectors partition the keys */
    BLOCK_BYTES = 256 * 1024,
    PAIRS_MAX = 128,
    TRADE_BYTES = 256 * 1024, /* keys that one task exchanges */
    STRIP_BYTES = 1024
};

typedef struct select_job {
    upsweep *u;
    unsigned width; /* log2 of the bytes of a key */
    size_t bytes;
    const usw_keymap *map;
    const usw_keymap *compared; /* the same, NULL if it changes nothing */
    unsigned char *keys;        /* the range that is searched, n keys */
    size_t n;
    uint64_t least, greatest; /* mapped keys in the range lie between these */
    uint64_t low, high;       /* the band */
    /* Places in the sample where the range and the band begin and end. */
    size_t range_begin, range_end, band_begin, band_end;
    /* one partition: */
    uint64_t limit; /* mapped: keys up to it go to the front */
    size_t border;  /* where these keys are expected to end */
    size_t pairs, total, trades;
    size_t front[2 * PAIRS_MAX]; /* keys of each block that went to its front */
} select_job;

size_t usw_sample_keys(const upsweep *u, const void *keys, size_t n, const usw_keymap *map,
                       size_t wanted, void *sample)
{
    unsigned width = usw_log2_up(map->bits / 8);
    size_t count = usw_min(n, usw_min(USW_SAMPLE_MAX, usw_max(wanted, 96)));
    USW_PICK(u->isa, usw_select_steps)->sample[width](keys, n, map, sample, count);
    USW_PICK(u->isa, usw_cache_sort_steps)->sort[width](sample, count);
    return count;
}

/* ---- partition ---- */

/* Block b < pairs lies before the border, pairs + b behind it. */
static size_t block_start(const select_job *j, size_t b)
{
    size_t before = usw_div_up(j->border, j->pairs);
    size_t behind = usw_div_up(j->n - j->border, j->pairs);
    return b < j->pairs ? usw_min(b * before, j->border)
                        : usw_min(j->border + (b - j->pairs) * behind, j->n);
}

static void partition_pair(void *context, size_t p, unsigned lane)
{
    USW_ROUTE_OF("partitioned by pairs of blocks", USW_MORE_THAN_BYTES);
    (void)lane;
    select_job *j = context;
    unsigned char *block[2], pivot[8];
    size_t n[2], front[2];
    for (size_t side = 0; side < 2; side++) {
        size_t start = block_start(j, p + side * j->pairs);
        block[side] = j->keys + start * j->bytes;
        n[side] = block_start(j, p + side * j->pairs + 1) - start;
    }
    usw_store_raw(pivot, j->bytes, j->limit);
    USW_PICK(j->u->isa, usw_cache_sort_steps)
        ->partition_two_arrays[j->width](block[0], n[0], block[1], n[1], pivot, j->compared, front);
    j->front[p] = front[0];
    j->front[p + j->pairs] = front[1];
}

/* A place among the keys on the wrong side of the border: those before the border that belong
 * behind it, or, with `behind`, those behind it that belong before it. */
typedef struct cursor {
    const select_job *j;
    bool behind;
    size_t block, at, end; /* the current stretch */
} cursor;

/* The stretch of block b: where its keys on the wrong side are. */
static void set_stretch(cursor *c, size_t b)
{
    const select_job *j = c->j;
    size_t start = block_start(j, b), middle = start + j->front[b], end = block_start(j, b + 1);
    c->block = b;
    c->at = c->behind ? usw_max(start, j->total) : middle;
    c->end = c->behind ? middle : usw_min(end, j->total);
    c->end = usw_max(c->end, c->at);
}

static cursor cursor_at(const select_job *j, bool behind, size_t skip)
{
    cursor c = {.j = j, .behind = behind};
    for (size_t b = 0;; b++) {
        set_stretch(&c, b);
        if (skip < c.end - c.at || b + 1 == 2 * j->pairs) {
            c.at += usw_min(skip, c.end - c.at);
            return c;
        }
        skip -= c.end - c.at;
    }
}

static void exchange(unsigned char *x, unsigned char *y, size_t bytes)
{
    unsigned char strip[STRIP_BYTES];
    for (size_t i = 0; i < bytes; i += STRIP_BYTES) {
        size_t n = usw_min(bytes - i, STRIP_BYTES);
        memcpy(strip, x + i, n);
        memcpy(x + i, y + i, n);
        memcpy(y + i, strip, n);
    }
}

static void trade(void *context, size_t t, unsigned lane)
{
    (void)lane;
    const select_job *j = context;
    size_t each = TRADE_BYTES / j->bytes, left = usw_min(each, j->trades - t * each);
    cursor x = cursor_at(j, false, t * each), y = cursor_at(j, true, t * each);
    while (left > 0) {
        size_t n = usw_min(left, usw_min(x.end - x.at, y.end - y.at));
        exchange(j->keys + x.at * j->bytes, j->keys + y.at * j->bytes, n * j->bytes);
        x.at += n;
        y.at += n;
        left -= n;
        if (x.at == x.end && left > 0) {
            set_stretch(&x, x.block + 1);
        }
        if (y.at == y.end && left > 0) {
            set_stretch(&y, y.block + 1);
        }
    }
}

/* Moves the keys whose mapped value is at most limit to the front of the range and returns how many
 * they are. */
static size_t partition_keys(select_job *j, uint64_t limit)
{
    j->pairs = usw_min(PAIRS_MAX, j->n * j->bytes / (2 * BLOCK_BYTES));
    if (j->pairs < 2) {
        USW_ROUTE_OF("partitioned by one thread", USW_MORE_THAN_BYTES);
        unsigned char pivot[8];
        usw_store_raw(pivot, j->bytes, limit);
        return USW_PICK(j->u->isa, usw_cache_sort_steps)
            ->partition_as[j->width](j->keys, j->n, pivot, j->compared);
    }
    j->limit = limit;
    usw_parallel(j->u, j->pairs, partition_pair, j);
    j->total = j->trades = 0;
    for (size_t b = 0; b < 2 * j->pairs; b++) {
        j->total += j->front[b];
    }
    for (size_t b = 0; b < 2 * j->pairs; b++) {
        cursor c = {.j = j};
        set_stretch(&c, b);
        j->trades += c.end - c.at;
    }
    usw_parallel(j->u, usw_div_up(j->trades * j->bytes, TRADE_BYTES), trade, j);
    return j->total;
}

/* ---- searching ---- */

/* attempt 0: a band around the k-th key of the sample; 1: that key alone; 2: the middle third. */
static void choose_band(select_job *j, size_t k, unsigned attempt)
{
    j->range_begin = 0;
    j->range_end = 2;
    j->band_begin = j->band_end =
        1; /* without a sample, half of the keys are expected on each side */
    if (attempt > 1) {
        USW_ROUTE_OF("the middle third of the keys", USW_MORE_THAN_BYTES);
        uint64_t third = (j->greatest - j->least) / 3;
        j->low = j->least + third;
        j->high = third == 0 ? j->least : j->greatest - third;
        return;
    }
    uint64_t sample[USW_SAMPLE_MAX];
    size_t wanted = ((size_t)1 << (usw_log2_up(j->n) * 2 / 3)) / 2; /* about n^(2/3) / 2 */
    size_t count = usw_sample_keys(j->u, j->keys, j->n, j->map, wanted, sample);
#define SAMPLED(i) usw_load_raw((const unsigned char *)sample + (i)*j->bytes, j->bytes)
    size_t rank = (size_t)((double)k / (double)j->n * (double)count), gap = 1;
    rank = usw_min(rank, count - 1);
    if (attempt == 1) {
        USW_ROUTE_OF("one key of the sample", USW_MORE_THAN_BYTES);
        j->low = j->high = SAMPLED(rank);
        return;
    }
    USW_ROUTE_OF("a band around the k-th of the sample", USW_MORE_THAN_BYTES);
    while (4 * gap * gap * count < 9 * rank * (count - rank)) { /* one and a half deviations */
        gap++;
    }
    j->low = rank < gap ? j->least : SAMPLED(rank - gap);
    j->high = rank + gap >= count ? j->greatest : SAMPLED(rank + gap);
#undef SAMPLED
    j->range_end = count;
    j->band_begin = rank < gap ? 0 : rank - gap;
    j->band_end = usw_min(rank + gap, count - 1) + 1;
}

/* Goes on with the first `front` keys, none above limit, or with the others, whichever has the
 * k-th; returns its rank there. */
static size_t keep_side(select_job *j, size_t k, uint64_t limit, size_t front)
{
    if (k < front) {
        j->n = front;
        j->greatest = limit;
        return k;
    }
    j->keys += front * j->bytes;
    j->n -= front;
    j->least = limit + 1;
    return k - front;
}

/* Cuts the keys above the band off the range, or those below it; returns the new rank. */
static size_t cut(select_job *j, size_t k, bool above)
{
    bool useful = above ? j->high >= j->least && j->high < j->greatest
                        : j->low > j->least && j->low <= j->greatest;
    if (!useful) {
        return k;
    }
    uint64_t limit = above ? j->high : j->low - 1;
    size_t at = above ? j->band_end : j->band_begin;
    double share =
        (double)(at - usw_min(at, j->range_begin)) / (double)(j->range_end - j->range_begin);
    j->border = usw_min(j->n, (size_t)(share * (double)j->n));
    *(above ? &j->range_end : &j->range_begin) = at;
    return keep_side(j, k, limit, partition_keys(j, limit));
}

/* Narrows the range until its keys are equal or it has at most `bytes` bytes, and returns the rank
 * of the k-th key there. */
static size_t narrow(select_job *j, size_t k, size_t bytes)
{
    unsigned attempt = 0;
    while (j->n * j->bytes > bytes && j->least != j->greatest) {
        size_t before = j->n;
        choose_band(j, k, attempt);
        bool above = k < j->n / 2; /* the larger side first */
        k = cut(j, k, above);
        k = cut(j, k, !above);
        attempt = j->n <= before / 2 ? 0 : attempt + 1;
    }
    return k;
}

void usw_select(upsweep *u, void *keys, size_t n, size_t k, const usw_keymap *map)
{
    const usw_cache_sort_steps *sorts = USW_PICK(u->isa, usw_cache_sort_steps);
    select_job j = {.u = u, .bytes = map->bits / 8, .map = map, .keys = keys, .n = n};
    j.width = usw_log2_up(j.bytes);
    j.compared = usw_keymap_is_identity(map) ? NULL : map;
    j.greatest = UINT64_MAX >> (64 - map->bits);
    if (j.bytes > 1) { /* bytes are sorted by counting */
        k = narrow(&j, k, u->isa == USW_PORTABLE ? SMALL_BYTES : SMALL_VECTORS);
    }
    if (j.least == j.greatest) {
        USW_ROUTE_OF("all keys that are left are equal", USW_MORE_THAN_BYTES);
        return;
    }
    if (u->isa != USW_AVX2 || !sorts->select_doubles(j.keys, j.n, k, map)) {
        USW_ROUTE("what is left is selected from");
        sorts->select[j.width](j.keys, j.n, k, j.compared);
    }
}
