/* sort_bitonic_cpu.h - Batcher's bitonic network, CPU form.
 *
 * Same as the explained form: stages of doubling size k; a stage begins by comparing each key with
 * its mirror image in its block of k (which makes all exchanges ascending), then halves the
 * distance from k/4 to 1. Keys past the end count as the greatest, so exchanges with them are left
 * out: any n.
 * Differs: exchanges at one distance are loops over two contiguous ranges, min and max of vectors;
 * a stage descends into one half before the other, so that everything below the cache size happens
 * in the cache; the distances below 16 are done on a transposed tile, where they lie between rows.
 * Source: Batcher, "Sorting networks and their applications", AFIPS 1968. */
/* SPDX-License-Identifier: MIT */
#include "cpu/body.h"

#ifndef USW_SORT_BITONIC_ONCE
#define USW_SORT_BITONIC_ONCE
enum {
    ROWS = 16,
    CHUNK_BYTES = 256 * 1024, /* what one thread takes in its cache */
    STRIP_KEYS = 32 * 1024    /* exchanges in one task of a round over all keys */
};
#endif

enum { FN(COLUMNS) = 64 / sizeof(KEY), FN(TILE) = ROWS * FN(COLUMNS) };

/* ---- rounds over contiguous ranges ---- */

static inline void FN(exchange)(KEY *restrict low, KEY *restrict high, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        KEY a = low[i], b = high[i];
        low[i] = a < b ? a : b;
        high[i] = a < b ? b : a;
    }
}

/* low[i] with high[-i]: mirror images. */
static inline void FN(exchange_mirrored)(KEY *restrict low, KEY *restrict high, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        KEY a = low[i], b = *(high - i);
        low[i] = a < b ? a : b;
        *(high - i) = a < b ? b : a;
    }
}

/* The mirror round of the block of `size` keys at k, of which `here` exist, for i in [begin,
 * end). */
static void FN(mirror)(KEY *k, size_t size, size_t here, size_t begin, size_t end)
{
    begin = usw_max(begin, size - usw_min(here, size));
    if (begin < end) {
        FN(exchange_mirrored)(k + begin, k + size - 1 - begin, end - begin);
    }
}

/* The round of distance size / 2, likewise. */
static void FN(halve)(KEY *k, size_t size, size_t here, size_t begin, size_t end)
{
    size_t half = size / 2;
    end = usw_min(end, here > half ? here - half : 0);
    if (begin < end) {
        FN(exchange)(k + begin, k + half + begin, end - begin);
    }
}

/* ---- a tile: distances below ROWS between rows ---- */

static inline void FN(transpose_in)(KEY t[ROWS][FN(COLUMNS)], const KEY *k)
{
    for (unsigned c = 0; c < FN(COLUMNS); c++) {
        for (unsigned r = 0; r < ROWS; r++) {
            t[r][c] = k[c * ROWS + r];
        }
    }
}

static inline void FN(transpose_out)(KEY t[ROWS][FN(COLUMNS)], KEY *k)
{
    for (unsigned c = 0; c < FN(COLUMNS); c++) {
        for (unsigned r = 0; r < ROWS; r++) {
            k[c * ROWS + r] = t[r][c];
        }
    }
}

/* The rounds of distance size / 2 .. 1 between rows. */
static inline void FN(rows_halve)(KEY t[ROWS][FN(COLUMNS)], unsigned size)
{
    for (unsigned d = size / 2; d > 0; d /= 2) {
        for (unsigned pair = 0; pair < ROWS / 2; pair++) {
            unsigned low = (pair & ~(d - 1)) * 2 + (pair & (d - 1));
            FN(exchange)(t[low], t[low + d], FN(COLUMNS));
        }
    }
}

/* All rounds of distance below TILE on a bitonic tile. */
static void FN(tile_merge)(KEY *k)
{
    KEY t[ROWS][FN(COLUMNS)];
    for (size_t d = FN(TILE) / 2; d >= ROWS; d /= 2) {
        for (size_t i = 0; i < FN(TILE); i += 2 * d) {
            FN(exchange)(k + i, k + i + d, d);
        }
    }
    FN(transpose_in)(t, k);
    FN(rows_halve)(t, ROWS);
    FN(transpose_out)(t, k);
}

/* All stages up to TILE. */
static void FN(tile_sort)(KEY *k)
{
    KEY t[ROWS][FN(COLUMNS)];
    FN(transpose_in)(t, k);
    for (unsigned size = 2; size <= ROWS; size *= 2) {
        for (unsigned block = 0; block < ROWS; block += size) {
            for (unsigned r = 0; r < size / 2; r++) {
                FN(exchange)(t[block + r], t[block + size - 1 - r], FN(COLUMNS));
            }
        }
        FN(rows_halve)(t, size / 2);
    }
    FN(transpose_out)(t, k);
    for (size_t size = 2 * ROWS; size <= FN(TILE); size *= 2) {
        for (size_t i = 0; i < FN(TILE); i += size) {
            FN(exchange_mirrored)(k + i, k + i + size - 1, size / 2);
            for (size_t d = size / 4; d >= ROWS; d /= 2) {
                for (size_t j = i; j < i + size; j += 2 * d) {
                    FN(exchange)(k + j, k + j + d, d);
                }
            }
        }
        FN(transpose_in)(t, k);
        FN(rows_halve)(t, ROWS);
        FN(transpose_out)(t, k);
    }
}

/* A tile of which only `here` keys exist is worked on in a copy, filled up with greatest keys. */
static void FN(tile)(KEY *k, size_t here, void (*work)(KEY *k))
{
    if (here >= FN(TILE)) {
        work(k);
    } else if (here > 1) {
        KEY copy[FN(TILE)];
        memset(copy, 0xFF, sizeof copy);
        memcpy(copy, k, here * sizeof(KEY));
        work(copy);
        memcpy(k, copy, here * sizeof(KEY));
    }
}

/* ---- inside the cache: depth first ---- */

/* All rounds of distance below `size` on a bitonic block. */
static void FN(merge)(KEY *k, size_t size, size_t here)
{
    if (size <= FN(TILE)) {
        FN(tile)(k, here, FN(tile_merge));
        return;
    }
    FN(halve)(k, size, here, 0, size / 2);
    FN(merge)(k, size / 2, usw_min(here, size / 2));
    if (here > size / 2) {
        FN(merge)(k + size / 2, size / 2, here - size / 2);
    }
}

/* All stages up to `size`. */
static void FN(stages)(KEY *k, size_t size, size_t here)
{
    if (size <= FN(TILE)) {
        FN(tile)(k, here, FN(tile_sort));
        return;
    }
    size_t half = size / 2;
    FN(stages)(k, half, usw_min(here, half));
    if (here > half) {
        FN(stages)(k + half, half, here - half);
        FN(mirror)(k, size, here, 0, half);
        FN(merge)(k, half, half);
        FN(merge)(k + half, half, here - half);
    }
}

/* ---- over all keys: round by round, in parallel ---- */

typedef struct FN(job) {
    KEY *keys;
    size_t n, chunk;
    size_t size; /* of a block in this round */
    bool mirrored;
} FN(job);

static void FN(sort_chunk)(void *context, size_t t, unsigned lane)
{
    const FN(job) *job = context;
    size_t start = t * job->chunk;
    (void)lane;
    FN(stages)(job->keys + start, job->chunk, usw_min(job->chunk, job->n - start));
}

static void FN(merge_chunk)(void *context, size_t t, unsigned lane)
{
    const FN(job) *job = context;
    size_t start = t * job->chunk;
    (void)lane;
    FN(merge)(job->keys + start, job->chunk, usw_min(job->chunk, job->n - start));
}

/* A strip of the exchanges of one round. */
static void FN(round_strip)(void *context, size_t t, unsigned lane)
{
    const FN(job) *job = context;
    size_t half = job->size / 2, strip = usw_min(STRIP_KEYS, half), strips = half / strip;
    size_t start = t / strips * job->size, begin = t % strips * strip;
    size_t here = usw_min(job->size, job->n - start);
    (void)lane;
    if (job->mirrored) {
        FN(mirror)(job->keys + start, job->size, here, begin, begin + strip);
    } else {
        FN(halve)(job->keys + start, job->size, here, begin, begin + strip);
    }
}

static void FN(round)(upsweep *u, FN(job) * job, size_t size, bool mirrored)
{
    size_t strips = usw_max(size / 2 / STRIP_KEYS, 1);
    job->size = size;
    job->mirrored = mirrored;
    usw_parallel(u, usw_div_up(job->n, size) * strips, FN(round_strip), job);
}

static upsweep_status FN(sort)(upsweep *u, void *keys, size_t n, unsigned bit_begin,
                               unsigned bit_end)
{
    USW_ROUTE("bitonic");
    FN(job) job = {.keys = keys, .n = n, .chunk = FN(TILE)};
    (void)bit_begin, (void)bit_end;
    if (n > (SIZE_MAX >> 2)) {
        return usw_fail(u, UPSWEEP_ERROR_UNSUPPORTED, "sort/bitonic: too many keys");
    }
    while (job.chunk < n && 2 * job.chunk * sizeof(KEY) <= CHUNK_BYTES) {
        job.chunk *= 2;
    }
    size_t chunks = usw_div_up(n, job.chunk);
    usw_parallel(u, chunks, FN(sort_chunk), &job);
    for (size_t size = 2 * job.chunk; size < 2 * n && chunks > 1; size *= 2) {
        FN(round)(u, &job, size, true);
        for (size_t below = size / 2; below > job.chunk; below /= 2) {
            FN(round)(u, &job, below, false);
        }
        usw_parallel(u, chunks, FN(merge_chunk), &job);
    }
    return UPSWEEP_OK;
}

#if KEY_BITS == 128
USW_SORT_FORM(sort_bitonic, .in_place = true)
#endif
