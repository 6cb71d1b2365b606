/* scatter.h - moves keys into buckets, from one array to another, by all threads. Included once per
 * width by sort_hybrid_cpu.h and sort_sample_cpu.h of algo/, which define before:
 *     FN(map_keys)(KEY *out, const KEY *in, size_t n, const usw_keymap *, bool back)
 *     FN(pivots)    what tells buckets apart
 *     FN(classify)(const FN(pivots) *, const KEY *x, size_t n, uint16_t *bucket)    n <= BLOCK_KEYS
 *
 * Every chunk of the input counts its keys per bucket (histogram). An exclusive scan over
 * buckets and, within a bucket, over chunks says where each chunk writes. Then every chunk
 * scatters its keys: they are collected in a short line per bucket that stays in the cache and is
 * written to memory whole, past the cache where the array is larger than that (J. Wassenberg and P.
 * Sanders, Engineering a multi-core radix sort, 2011). The scatter keeps the order of keys of
 * one bucket. */
/* SPDX-License-Identifier: MIT */

#include "cpu/buckets/scatter_tables.h"

enum { FN(LINE) = LINE_BYTES / sizeof(KEY) };

typedef struct FN(split) {
    const FN(pivots) * pivots;
    size_t buckets;
    const KEY *from;
    KEY *to;
    size_t n;
    const usw_keymap *map; /* NULL: the keys are mapped already */
    scatter_tables tables;
    size_t chunks, chunk_keys, skew;
    bool stream;
} FN(split);

/* Maps keys at .. at + n and finds their buckets; returns the mapped keys. */
static inline const KEY *FN(take_block)(const FN(split) * s, size_t at, size_t n, KEY *mapped,
                                        uint16_t *bucket)
{
    const KEY *x = s->from + at;
    if (s->map != NULL) {
        FN(map_keys)(mapped, x, n, s->map, false);
        x = mapped;
    }
    FN(classify)(s->pivots, x, n, bucket);
    return x;
}

static void FN(count_chunk)(void *context, size_t i, unsigned lane)
{
    const FN(split) *s = context;
    KEY mapped[BLOCK_KEYS];
    uint16_t bucket[BLOCK_KEYS];
    size_t *count = s->tables.next + i * s->buckets;
    size_t end = usw_min(s->n, (i + 1) * s->chunk_keys);
    (void)lane;
    memset(count, 0, s->buckets * sizeof *count);
    for (size_t at = i * s->chunk_keys, n; at < end; at += n) {
        n = usw_min(BLOCK_KEYS, end - at);
        FN(take_block)(s, at, n, mapped, bucket);
        for (size_t j = 0; j < n; j++) {
            count[bucket[j]]++;
        }
    }
}

/* Writes the end of places [begin, end) that is in `line`, less than a whole line. */
static inline void FN(write_line)(const FN(split) * s, const KEY *line, size_t begin, size_t end)
{
    size_t line_begin = (end - 1) / FN(LINE) * FN(LINE);
    begin = usw_max(begin, line_begin);
    memcpy(s->to + (begin - s->skew), line + (begin - line_begin), (end - begin) * sizeof(KEY));
}

static void FN(scatter_chunk)(void *context, size_t i, unsigned lane)
{
    const FN(split) *s = context;
    KEY mapped[BLOCK_KEYS];
    uint16_t bucket[BLOCK_KEYS];
    size_t *next = s->tables.next + i * s->buckets, *first = usw_share(&s->tables.first, lane);
    KEY *lines = usw_share(&s->tables.lines, lane);
    size_t end = usw_min(s->n, (i + 1) * s->chunk_keys);
    memcpy(first, next, s->buckets * sizeof *first);
    for (size_t at = i * s->chunk_keys, n; at < end; at += n) {
        n = usw_min(BLOCK_KEYS, end - at);
        const KEY *x = FN(take_block)(s, at, n, mapped, bucket);
        for (size_t j = 0; j < n; j++) {
            size_t b = bucket[j], place = next[b]++;
            KEY *line = lines + b * FN(LINE);
            line[place % FN(LINE)] = x[j];
            if (place % FN(LINE) == FN(LINE) - 1) {
                size_t begin = place + 1 - FN(LINE);
                if (begin >= first[b]) {
                    copy_line(s->to + (begin - s->skew), line, s->stream);
                } else {
                    FN(write_line)(s, line, first[b], place + 1);
                }
            }
        }
    }
    for (size_t b = 0; b < s->buckets; b++) {
        if (next[b] % FN(LINE) != 0 && next[b] > first[b]) {
            FN(write_line)(s, lines + b * FN(LINE), first[b], next[b]);
        }
    }
    stream_end(); /* what was written past the cache becomes visible to other threads */
}

/* Puts s->n keys from s->from into buckets at s->to; start[b] .. start[b + 1] are those of
 * bucket b. */
static void FN(scatter)(upsweep *u, FN(split) * s, size_t *start)
{
    USW_ROUTE("a scatter into buckets");
    s->chunks = usw_min(s->tables.chunks_max, usw_div_up(s->n, CHUNK_KEYS));
    s->chunk_keys = usw_div_up(usw_div_up(s->n, s->chunks), BLOCK_KEYS) * BLOCK_KEYS;
    s->chunks = usw_div_up(s->n, s->chunk_keys);
    /* Places count from the last multiple of a line before s->to, so that full lines are
     * aligned. */
    s->skew = (uintptr_t)s->to % LINE_BYTES / sizeof(KEY);
    s->stream = s->n * sizeof(KEY) >= STREAM_BYTES;
    usw_parallel(u, s->chunks, FN(count_chunk), s);
    size_t sum = s->skew;
    for (size_t b = 0; b < s->buckets; b++) {
        start[b] = sum - s->skew;
        for (size_t c = 0; c < s->chunks; c++) {
            size_t count = s->tables.next[c * s->buckets + b];
            s->tables.next[c * s->buckets + b] = sum;
            sum += count;
        }
    }
    start[s->buckets] = s->n;
    usw_parallel(u, s->chunks, FN(scatter_chunk), s);
}
