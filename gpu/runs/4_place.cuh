/* 4_place.cuh - step 4 of the weave: where each tile's keys go, in which units of work, and in which
 * order, so that no key is overwritten before it is read.
 *
 * In the end the keys of a tile and the loose keys between its edges lie together. They are one
 * unit, or several where the loose ones are many; then the tile's keys are saved before. A unit
 * reads its tile, then waits until the tiles that it overwrites have been read. Where the keys of
 * tile i begin behind its edge, keys of tile i - 1 overwrite some of it, so that i comes first; else
 * i - 1 does. So tiles between which all edges are of the first kind are woven from the last to the
 * first, and all others in order: a unit only waits for units that were begun before it. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_RUNS_4_PLACE_CUH
#define USW_GPU_RUNS_4_PLACE_CUH

#include "gpu/runs/2_look.cuh"

/* Each thread finds how many of n loose keys come before an edge. */
template <typename K>
__device__ __forceinline__ void weave_find_below(const weave_args<K> &a, unsigned task,
                                                 const K *loose, unsigned n)
{
    const unsigned i = task * blockDim.x + threadIdx.x;
    if (i > a.tiles) {
        return;
    }
    const K edge = a.edges[i];
    unsigned low = 0, high = n;
    while (low < high && i < a.tiles) {
        const unsigned middle = (low + high) / 2;
        const bool before = loose[middle] < edge;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    a.below[i] = i < a.tiles ? low : n;
}

/* Writes where each tile goes, how many units it is, and whether it is saved. Tiles that stay where
 * they are have none. */
template <typename K>
__device__ __forceinline__ void weave_place_tiles(const weave_args<K> &a, const weave_share &own,
                                                  unsigned *sums)
{
    USW_SHARED_ARRAY(unsigned long long, wide_sums, [32]);
    unsigned long long at = 0, all;
    for (unsigned i = own.begin; i < own.end; i++) {
        at += a.kept[i];
    }
    at = usw_block_exclusive_scan(at, wide_sums, &all);
    unsigned saved = 0, all_saved;
    for (unsigned i = own.begin; i < own.end; i++) {
        const unsigned loose = a.below[i + 1] - a.below[i], kept = a.kept[i];
        const unsigned long long place = at + a.below[i];
        unsigned units = (kept + loose + weave_shape<K>::unit - 1) / weave_shape<K>::unit;
        units =
            a.from == a.keys && loose == 0 && place == a.begin(i) && place + kept == a.begin(i + 1)
                ? 0
                : units;
        WEAVE_WAY(WEAVE_STAYS, units == 0 && kept != 0)
        WEAVE_WAY(WEAVE_SEVERAL, units > 1 && kept != 0)
        a.place[i] = place;
        a.units[i] = units;
        saved += units > 1 && kept != 0;
        at += kept;
    }
    saved = usw_block_exclusive_scan(saved, sums, &all_saved);
    for (unsigned i = own.begin; i < own.end; i++) {
        const bool save = a.units[i] > 1 && a.kept[i] != 0;
        a.saved_at[i] = save ? saved : ~0u;
        if (save && saved < a.saved_most) {
            a.saved_tile[saved] = i;
        }
        saved += save;
    }
    if (threadIdx.x == 0) {
        a.control->saved = all_saved;
    }
    __syncthreads();
}

/* Whether tile i may come before or behind tile i - 1, but not between it and others. */
template <typename K>
__device__ __forceinline__ bool weave_begins(const weave_args<K> &a, unsigned i)
{
    return i == 0 || a.from != a.keys || a.place[i] <= a.begin(i);
}

/* Writes the tiles in the order in which they are woven. */
template <typename K>
__device__ __forceinline__ void weave_order_tiles(const weave_args<K> &a, const weave_share &own,
                                                  unsigned *sums)
{
    USW_SHARED_ARRAY(unsigned, turned, [weave_shape<K>::threads]);
    const unsigned back = weave_shape<K>::threads - 1 - threadIdx.x;
    unsigned first = a.tiles, last = 0; /* this share's groups begin there; last: 1 more */
    for (unsigned i = own.begin; i < own.end; i++) {
        if (weave_begins(a, i)) {
            first = first == a.tiles ? i : first;
            last = i + 1;
        }
    }
    last = weave_most_before(last, sums);
    turned[back] = a.tiles - first;
    __syncthreads();
    unsigned end = turned[threadIdx.x];
    end = weave_most_before(end, sums);
    turned[back] = a.tiles - end;
    __syncthreads();
    unsigned next = turned[threadIdx.x]; /* where the first group of later shares begins */
    for (unsigned i = own.end; i-- > own.begin;) {
        a.unit_begin[i] = next; /* for a while: where the next group begins */
        next = weave_begins(a, i) ? i : next;
    }
    for (unsigned i = own.begin; i < own.end; i++) {
        last = weave_begins(a, i) ? i + 1 : last;
        WEAVE_WAY(WEAVE_BACKWARDS, last != i + 1)
        a.tile_at[last - 1 + (a.unit_begin[i] - 1 - i)] = i;
    }
    __syncthreads();
}

/* One block plans what is to be woven; then the bucket sort has nothing to do. */
template <typename K> __device__ __forceinline__ void weave_place(const weave_args<K> &a)
{
    USW_SHARED_ARRAY(unsigned, sums, [32]);
    const weave_share own(a.tiles);
    weave_place_tiles(a, own, sums);
    weave_order_tiles(a, own, sums);
    unsigned at = 0, all;
    for (unsigned p = own.begin; p < own.end; p++) {
        at += a.units[a.tile_at[p]];
    }
    at = usw_block_exclusive_scan(at, sums, &all);
    for (unsigned p = own.begin; p < own.end; p++) {
        const unsigned i = a.tile_at[p], units = a.units[i];
        a.unit_begin[i] = at;
        for (unsigned u = 0; u < units; u++) {
            a.unit_tile[at++] = i;
        }
    }
    if (threadIdx.x == 0) {
        a.control->units = all;
        if (a.control->saved > a.saved_most) {
            a.control->failed = 1;
        }
    }
}

#endif
