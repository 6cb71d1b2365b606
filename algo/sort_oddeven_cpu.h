/* sort_oddeven_cpu.h - odd-even transposition sort, CPU form.
 *
 * Same as the explained form: rounds that compare-exchange neighbours, even pairs and odd pairs in
 * turn, until two rounds in succession change nothing.
 * Differs: a block keeps its even and its odd positions in arrays of their own, so that a round is
 * a loop over two contiguous ranges, min and max of vectors. Beyond one block, sorted blocks take
 * the place of keys: neighbours exchange by a merge that leaves the lower half in the left block.
 * 64 blocks make a block of the next level, so that the n rounds become 64 rounds for each level.
 * Source: Habermann, 1972; blocks: Baudet and Stevenson, "Optimal sorting algorithms for parallel
 * computers", IEEE ToC 1978. */
/* SPDX-License-Identifier: MIT */
#include "cpu/body.h"
#include "cpu/cpu.h"

#ifndef USW_SORT_ODDEVEN_ONCE
#define USW_SORT_ODDEVEN_ONCE
enum {
    FIRST = 256,            /* keys of a block sorted by compare-exchange */
    FAN_OUT = 64,           /* blocks that make a block of the next level */
    KEPT_BYTES = 960 * 1024 /* copy of a left block: bounds the blocks */
};
#endif

/* ---- one block: rounds over keys ---- */

/* Returns not 0 if anything was exchanged. */
static inline KEY FN(exchange)(KEY *restrict low, KEY *restrict high, size_t n)
{
    KEY changed = 0;
    for (size_t i = 0; i < n; i++) {
        KEY a = low[i], b = high[i], least = a < b ? a : b;
        changed |= (KEY)(a ^ least);
        low[i] = least;
        high[i] = a < b ? b : a;
    }
    return changed;
}

static void FN(sort_first)(KEY *k, size_t n)
{
    KEY even[FIRST / 2 + 1], odd[FIRST / 2 + 1];
    size_t evens = (n + 1) / 2, odds = n / 2, rounds = 0;
    for (size_t i = 0; i < n; i++) {
        (i % 2 ? odd : even)[i / 2] = k[i];
    }
    for (KEY changed = 1; changed != 0 && rounds < n; rounds += 2) {
        changed = FN(exchange)(even, odd, odds);
        changed |= evens > 1 ? FN(exchange)(odd, even + 1, evens - 1) : 0;
    }
    for (size_t i = 0; i < n; i++) {
        k[i] = (i % 2 ? odd : even)[i / 2];
    }
}

/* ---- blocks of blocks: rounds over sorted blocks ---- */

typedef struct FN(job) {
    const usw_merge_steps *part;
    KEY *keys;
    usw_shares kept; /* room for a block, one a lane */
    size_t n, block; /* of the top level */
    size_t parity;   /* of the round */
    bool *changed;   /* one a lane */
} FN(job);

/* Lowest keys to the left block of nx keys, highest to the right one of ny; true if any moved. */
static bool FN(exchange_blocks)(const usw_merge_steps *part, KEY *x, size_t nx, size_t ny,
                                KEY *kept)
{
    unsigned width = usw_log2_up(sizeof(KEY));
    KEY *y = x + nx;
    if (x[nx - 1] <= y[0]) {
        return false;
    }
    memcpy(kept, x, nx * sizeof(KEY));
    size_t i = part->split[width](kept, nx, y, ny, nx), j = nx - i;
    part->merge[width](kept, i, y, j, x);
    part->merge_over[width](kept + i, j, y + j, ny - j, y);
    return true;
}

/* One round; blocks of `block` keys, the last may be shorter. */
static bool FN(exchange_neighbours)(const usw_merge_steps *part, KEY *k, size_t n, size_t block,
                                    size_t parity, KEY *kept)
{
    bool changed = false;
    for (size_t i = parity * block; i + block < n; i += 2 * block) {
        changed |= FN(exchange_blocks)(part, k + i, block, usw_min(block, n - i - block), kept);
    }
    return changed;
}

static void FN(sort_blocks)(const usw_merge_steps *part, KEY *k, size_t n, KEY *kept)
{
    for (size_t i = 0; i < n; i += FIRST) {
        FN(sort_first)(k + i, usw_min(FIRST, n - i));
    }
    for (size_t block = FIRST; block < n; block *= FAN_OUT) {
        for (size_t i = 0; i < n; i += block * FAN_OUT) {
            size_t here = usw_min(n - i, block * FAN_OUT);
            bool changed = true;
            while (changed) {
                changed = FN(exchange_neighbours)(part, k + i, here, block, 0, kept);
                changed |= FN(exchange_neighbours)(part, k + i, here, block, 1, kept);
            }
        }
    }
}

/* ---- the top level, in parallel ---- */

static void FN(sort_top_block)(void *context, size_t t, unsigned lane)
{
    const FN(job) *job = context;
    size_t start = t * job->block;
    FN(sort_blocks)
    (job->part, job->keys + start, usw_min(job->block, job->n - start),
     usw_share(&job->kept, lane));
}

static void FN(exchange_pair)(void *context, size_t t, unsigned lane)
{
    const FN(job) *job = context;
    size_t start = (2 * t + job->parity) * job->block;
    if (start + job->block < job->n &&
        FN(exchange_blocks)(job->part, job->keys + start, job->block,
                            usw_min(job->block, job->n - start - job->block),
                            usw_share(&job->kept, lane))) {
        job->changed[lane] = true;
    }
}

static bool FN(round)(upsweep *u, FN(job) * job, size_t parity)
{
    job->parity = parity;
    memset(job->changed, 0, u->threads * sizeof(bool));
    usw_parallel(u, usw_div_up(job->n, 2 * job->block), FN(exchange_pair), job);
    bool changed = false;
    for (unsigned lane = 0; lane < u->threads; lane++) {
        changed |= job->changed[lane];
    }
    return changed;
}

static upsweep_status FN(sort)(upsweep *u, void *keys, size_t n, unsigned bit_begin,
                               unsigned bit_end)
{
    USW_ROUTE("oddeven");
    FN(job) job = {.part = USW_PICK(u->isa, usw_merge_steps), .keys = keys, .n = n, .block = FIRST};
    (void)bit_begin, (void)bit_end;
    if (n <= FIRST) {
        FN(sort_first)(keys, n);
        return UPSWEEP_OK;
    }
    while (n / job.block > FAN_OUT && 4 * job.block * sizeof(KEY) <= KEPT_BYTES) {
        job.block *= 4;
    }
    job.kept = usw_scratch_shares(u, u->threads, job.block * sizeof(KEY));
    job.changed = usw_scratch(u, u->threads * sizeof(bool));
    if (job.kept.at == NULL || job.changed == NULL) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "sort/oddeven: no scratch for %u blocks",
                        u->threads);
    }
    usw_parallel(u, usw_div_up(n, job.block), FN(sort_top_block), &job);
    for (bool changed = true; changed;) {
        changed = FN(round)(u, &job, 0);
        changed |= FN(round)(u, &job, 1);
    }
    return UPSWEEP_OK;
}

#if KEY_BITS == 128
USW_SORT_FORM(sort_oddeven, .in_place = true)
#endif
