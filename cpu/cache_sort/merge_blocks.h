/* merge_blocks.h - a merge sort of up to BLOCKS_MAX blocks of 16 vectors. With AVX2, where one
 * network sorts few keys (BY_BLOCKS), it sorts the short ranges of the quicksort; with AVX-512
 * (WHOLE_BLOCKS) whole arrays of a few blocks. A partition of few keys costs up to three times as
 * much as a merge, since its branches cannot be predicted. Included after
 * cpu/cache_sort/network.h.
 *
 * A block lies in column order, key i in row i % 16 of lane i / 16. Of two sorted sequences the
 * lesser of key i of the first and key i of the reversed second one are bitonic, and so are the
 * greater ones; these are merged at halving distance, of blocks, lanes and rows. A block is all the
 * registers there are, so a step on one is a function that loads and stores it. No branch depends
 * on a key. Blocks without a key, filled with the greatest key, are left out where they change
 * nothing. */
/* SPDX-License-Identifier: MIT */

#ifndef USW_CPU_CACHE_SORT_MERGE_BLOCKS_H
#define USW_CPU_CACHE_SORT_MERGE_BLOCKS_H
enum { BLOCK_ROWS = 16, BLOCKS_MAX = 8 }; /* vectors; blocks */
#define USW_NOT_INLINED static __attribute__((noinline))
#endif

USW_NOT_INLINED void FN(sort_block)(V *at)
{
    V v[BLOCK_ROWS];
    USW_UNROLL for (unsigned i = 0; i < BLOCK_ROWS; i++) v[i] = at[i];
    FN(columns16)(v);
    FN(merge_all)(v, BLOCK_ROWS);
    USW_UNROLL for (unsigned i = 0; i < BLOCK_ROWS; i++) at[i] = v[i];
}

/* The lesser of a and the reversed b to low, which may be a, and the greater to high. */
USW_NOT_INLINED void FN(cross_blocks)(const V *a, const V *b, V *low, V *high)
{
    USW_UNROLL for (unsigned i = 0; i < BLOCK_ROWS; i++)
    {
        V x = a[i], y = FN(vflip)(b[BLOCK_ROWS - 1 - i], LANES - 1);
        V least = FN(vmin)(x, y);
        low[i] = least;
        high[i] = FN(vother)(x, y, least);
    }
}

USW_NOT_INLINED void FN(halve_blocks)(V *a, V *b)
{
    USW_UNROLL for (unsigned i = 0; i < BLOCK_ROWS; i++)
    {
        V x = a[i], y = b[i];
        V least = FN(vmin)(x, y);
        a[i] = least;
        b[i] = FN(vother)(x, y, least);
    }
}

USW_IN_REGISTERS void FN(merge_block)(V *v)
{
    if (LANES > 8) {
        FN(merge_lanes)(v, BLOCK_ROWS, 8);
    }
    if (LANES > 4) {
        FN(merge_lanes)(v, BLOCK_ROWS, 4);
    }
    FN(merge_lanes)(v, BLOCK_ROWS, 2);
    FN(merge_lanes)(v, BLOCK_ROWS, 1);
    FN(merge_rows)(v, BLOCK_ROWS, 8);
    FN(merge_rows)(v, BLOCK_ROWS, 4);
    FN(merge_rows)(v, BLOCK_ROWS, 2);
    FN(merge_rows)(v, BLOCK_ROWS, 1);
}

USW_NOT_INLINED void FN(merge_inner)(V *at)
{
    V v[BLOCK_ROWS];
    USW_UNROLL for (unsigned i = 0; i < BLOCK_ROWS; i++) v[i] = at[i];
    FN(merge_block)(v);
    USW_UNROLL for (unsigned i = 0; i < BLOCK_ROWS; i++) at[i] = v[i];
}

/* The last merge of a block, whose first n keys go to k. */
USW_NOT_INLINED void FN(merge_outer)(const V *at, KEY *k, size_t n)
{
    V v[BLOCK_ROWS];
    USW_UNROLL for (unsigned i = 0; i < BLOCK_ROWS; i++) v[i] = at[i];
    FN(merge_block)(v);
    FN(transpose)(v, BLOCK_ROWS);
    USW_UNROLL for (unsigned i = 0; i < BLOCK_ROWS; i++)
    {
        size_t to = (i % LANES * (BLOCK_ROWS / LANES) + i / LANES) * LANES;
        FN(vstore_some)(to < n ? k + to : k, FN(vturn)(v[i]), FN(keys_at)(n, to));
    }
}

/* From two sorted halves of `blocks` blocks at `from` makes bitonic blocks at `to`, none of which
 * has a key greater than one of the next block; merge_block then sorts each of them. */
static void FN(cross_halves)(const V *from, V *to, unsigned blocks)
{
    for (unsigned i = 0; i < blocks / 2; i++) {
        FN(cross_blocks)
        (from + i * BLOCK_ROWS, from + (blocks - 1 - i) * BLOCK_ROWS, to + i * BLOCK_ROWS,
         to + (blocks / 2 + i) * BLOCK_ROWS);
    }
    for (unsigned d = blocks / 4; d > 0; d /= 2) {
        for (unsigned i = 0; i < blocks; i++) {
            if ((i & d) == 0) {
                FN(halve_blocks)(to + i * BLOCK_ROWS, to + (i + d) * BLOCK_ROWS);
            }
        }
    }
}

/* Sorts `blocks` blocks, a power of two, of which the first `some` have keys, and returns where
 * they are: `at` or `other`. last: the blocks stay bitonic, for merge_outer to sort. */
static V *FN(sort_blocks)(V *at, V *other, unsigned blocks, unsigned some, bool last)
{
    unsigned half = blocks / 2;
    if (blocks == 1) {
        FN(sort_block)(at);
        return at;
    }
    V *a = FN(sort_blocks)(at, other, half, some < half ? some : half, false);
    if (some <= half) {
        return a;
    }
    V *b = FN(sort_blocks)(at + half * BLOCK_ROWS, other + half * BLOCK_ROWS, half, some - half,
                           false);
    V *from = a, *to = a == at ? other : at;
    if ((b == at + half * BLOCK_ROWS) != (a == at)) { /* fewer merges on the way */
        memcpy(from + half * BLOCK_ROWS, b, half * BLOCK_ROWS * sizeof(V));
    }
    FN(cross_halves)(from, to, blocks);
    for (unsigned i = 0; i < some && !last; i++) {
        FN(merge_inner)(to + i * BLOCK_ROWS);
    }
    return to;
}

/* BLOCK_ROWS LANES < n <= BLOCKS_MAX BLOCK_ROWS LANES. */
static void FN(sort_many)(KEY *k, size_t n)
{
    V at[BLOCKS_MAX * BLOCK_ROWS], other[BLOCKS_MAX * BLOCK_ROWS];
    enum { KEYS = BLOCK_ROWS * LANES };
    unsigned some = (unsigned)usw_div_up(n, KEYS), blocks = some <= 2 ? 2 : some <= 4 ? 4 : 8;
    USW_ROUTE_IF(blocks == 2, "2 blocks", USW_ROUTE_DEFAULT);
    USW_ROUTE_IF(blocks == 4, "4 blocks", USW_ROUTE_DEFAULT);
    USW_ROUTE_IF(blocks == 8, "8 blocks", USW_ROUTE_DEFAULT);
    V none = FN(vturn)(FN(vgreatest)());
    for (size_t i = 0; i < some * BLOCK_ROWS; i++) {
        size_t from = i * LANES;
        at[i] = FN(vturn)(FN(vload_some)(from < n ? k + from : k, FN(keys_at)(n, from)));
    }
    for (size_t i = some * BLOCK_ROWS; i < blocks * BLOCK_ROWS; i++) {
        at[i] = other[i] = none;
    }
    const V *sorted = FN(sort_blocks)(at, other, blocks, some, true);
    for (size_t done = 0; done < n; done += KEYS, sorted += BLOCK_ROWS) {
        FN(merge_outer)(sorted, k + done, usw_min(KEYS, n - done));
    }
}
