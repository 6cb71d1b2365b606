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

/* Finds between which edges some loose keys lie, and counts them there: WEAVE_AT_ONCE a thread. */
enum { WEAVE_AT_ONCE = 4 };
template <typename K>
__device__ __forceinline__ void weave_find_homes(const weave_args<K> &a, unsigned task, unsigned n)
{
    K x[WEAVE_AT_ONCE];
    unsigned low[WEAVE_AT_ONCE], j[WEAVE_AT_ONCE];
#pragma unroll
    for (unsigned k = 0; k < WEAVE_AT_ONCE; k++) {
        j[k] = (task * WEAVE_AT_ONCE + k) * blockDim.x + threadIdx.x;
        x[k] = j[k] < n ? a.loose[0][j[k]] : K(0);
        low[k] = 0;
    }
    /* Edge 0 is not above any key. */
    for (unsigned step = 1u << (31 - __clz(static_cast<int>(a.tiles))); step != 0; step /= 2) {
#pragma unroll
        for (unsigned k = 0; k < WEAVE_AT_ONCE; k++) {
            const unsigned to = low[k] + step;
            low[k] = to < a.tiles && a.edges[to < a.tiles ? to : 0] <= x[k] ? to : low[k];
        }
    }
#pragma unroll
    for (unsigned k = 0; k < WEAVE_AT_ONCE; k++) {
        if (j[k] < n) {
            a.home[j[k]] = make_uint2(low[k], atomicAdd(&a.counts[low[k]], 1u));
        }
    }
}

/* Puts loose keys that are few between any two edges behind one another by these. */
template <typename K>
__device__ __forceinline__ void weave_bring_home(const weave_args<K> &a, unsigned task, unsigned n)
{
#pragma unroll
    for (unsigned k = 0; k < WEAVE_AT_ONCE; k++) {
        const unsigned j = (task * WEAVE_AT_ONCE + k) * blockDim.x + threadIdx.x;
        if (j < n) {
            const uint2 home = a.home[j];
            a.loose[1][a.below[home.x] + home.y] = a.loose[0][j];
        }
    }
}

/* Four entries of a table at once. */
__device__ __forceinline__ void weave_four(const unsigned *table, unsigned at, unsigned (&x)[4])
{
    const uint4 four = *reinterpret_cast<const uint4 *>(table + at);
    x[0] = four.x;
    x[1] = four.y;
    x[2] = four.z;
    x[3] = four.w;
}

/* Writes where each tile goes, how many units it is, and whether it is saved. Tiles that stay where
 * they are have none. */
template <typename K>
__device__ __forceinline__ void weave_place_tiles(const weave_args<K> &a, const weave_share &own,
                                                  unsigned *sums)
{
    USW_SHARED_ARRAY(unsigned long long, wide_sums, [32]);
    unsigned long long at = 0, all;
    unsigned kept[4], loose[4], below = 0, all_loose, most = 0, saved = 0, all_saved;
    for (unsigned i = own.begin; i < own.end; i += 4) {
        weave_four(a.kept, i, kept);
        weave_four(a.counts, i, loose);
        for (unsigned k = 0; k < 4 && i + k < own.end; k++) {
            at += kept[k];
            below += loose[k];
            most = loose[k] > most ? loose[k] : most;
            saved += kept[k] != 0 && kept[k] + loose[k] > weave_shape<K>::unit;
        }
    }
    at = usw_block_exclusive_scan(at, wide_sums, &all);
    below = usw_block_exclusive_scan(below, sums, &all_loose);
    saved = usw_block_exclusive_scan(saved, sums, &all_saved);
    for (unsigned i = own.begin; i < own.end; i += 4) {
        weave_four(a.kept, i, kept);
        weave_four(a.counts, i, loose);
        for (unsigned k = 0; k < 4 && i + k < own.end; k++) {
            const unsigned tile = i + k;
            const unsigned long long place = at + below;
            unsigned units = (kept[k] + loose[k] + weave_shape<K>::unit - 1) / weave_shape<K>::unit;
            units = a.from == a.keys && loose[k] == 0 && place == a.begin(tile) &&
                            place + kept[k] == a.begin(tile + 1)
                        ? 0
                        : units;
            const bool save = units > 1 && kept[k] != 0;
            WEAVE_WAY(WEAVE_STAYS, units == 0 && kept[k] != 0)
            WEAVE_WAY(WEAVE_SEVERAL, save)
            a.place[tile] = place;
            a.below[tile] = below;
            a.units[tile] = units;
            a.saved_at[tile] = save ? saved : ~0u;
            if (save && saved < a.saved_most) {
                a.saved_tile[saved] = tile;
            }
            saved += save;
            at += kept[k];
            below += loose[k];
        }
    }
    most = __syncthreads_or(most > weave_shape<K>::few);
    if (threadIdx.x == 0) {
        a.control->saved = all_saved;
        a.control->crowded = most;
        a.below[a.tiles] = all_loose;
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
