/* 4_place.cuh - steps 3 and 4 of the weave: between which edges loose keys lie; where each tile's
 * keys go, in which units of work, and in which order, so that none is overwritten unread.
 *
 * In the end the keys of a tile and the loose keys between its edges lie together. They are one
 * unit, or several where the loose ones are many; then the tile's keys are saved before. A unit
 * reads its tile, then waits until the tiles that it overwrites have been read. Where the keys of
 * tile i begin behind its edge, keys of tile i - 1 overwrite some of it, so i comes first; else i -
 * 1 does. So tiles between which all edges are of the first kind are woven from the last to the
 * first, and all others in order: a unit only waits for units that were begun before it. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_RUNS_4_PLACE_CUH
#define USW_GPU_RUNS_4_PLACE_CUH

#include "gpu/runs/2_look.cuh"

/* A part of the lower edges of the tiles in shared memory: every one whose number is a multiple of
 * 1 << log2, which is returned. All threads call. */
template <typename K>
__device__ __forceinline__ unsigned weave_copy_lows(const weave_args<K> &a, K *s)
{
    unsigned log2 = 0;
    while (a.tiles >> log2 >= weave_shape<K>::unit) {
        log2++;
    }
#pragma unroll 8
    for (unsigned i = threadIdx.x; i << log2 < a.tiles; i += blockDim.x) {
        s[i] = a.lows[i << log2];
    }
    return log2;
}

/* Counts a loose key of this thread in its tile; returns how many came there before. Keys of a warp
 * that all go to one tile are added at once. A warp calls. */
template <typename K>
__device__ __forceinline__ unsigned weave_count_home(const weave_args<K> &a, unsigned tile,
                                                     bool here)
{
    const unsigned lane = threadIdx.x % 32, first = __shfl_sync(~0u, tile, 0);
    if (__all_sync(~0u, here && tile == first)) {
        unsigned before = 0;
        if (lane == 0) {
            before = atomicAdd(&a.count(tile), 32u);
        }
        return __shfl_sync(~0u, before, 0) + lane;
    }
    return here ? atomicAdd(&a.count(tile), 1u) : 0;
}

/* Finds between which edges some loose keys lie, and counts them there: WEAVE_AT_ONCE a thread.
 * Ends when a tile has more than a few. s, log2: of weave_copy_lows. */
enum { WEAVE_AT_ONCE = 2 };
template <typename K>
__device__ __forceinline__ void weave_find_homes(const weave_args<K> &a, unsigned task, unsigned n,
                                                 const K *s, unsigned log2)
{
    if (__syncthreads_or(threadIdx.x == 0 && usw_load_relaxed(&a.control->crowded) != 0)) {
        return;
    }
    K x[WEAVE_AT_ONCE];
    unsigned low[WEAVE_AT_ONCE], j[WEAVE_AT_ONCE];
#pragma unroll
    for (unsigned k = 0; k < WEAVE_AT_ONCE; k++) {
        j[k] = (task * WEAVE_AT_ONCE + k) * blockDim.x + threadIdx.x;
        x[k] = j[k] < n ? a.loose[0][j[k]] : K(0);
        low[k] = 0;
    }
    /* The first one is not above any key. */
    for (unsigned step = 1u << (31 - __clz(static_cast<int>(a.tiles))); step != 0; step /= 2) {
#pragma unroll
        for (unsigned k = 0; k < WEAVE_AT_ONCE; k++) {
            const unsigned to = low[k] + step;
            const bool here = to < a.tiles;
            const K edge = step >> log2 != 0 ? s[here ? to >> log2 : 0] : a.lows[here ? to : 0];
            low[k] = here && edge <= x[k] ? to : low[k];
        }
    }
    unsigned before[WEAVE_AT_ONCE];
#pragma unroll
    for (unsigned k = 0; k < WEAVE_AT_ONCE; k++) {
        before[k] = weave_count_home(a, low[k], j[k] < n);
    }
    bool many = false;
#pragma unroll
    for (unsigned k = 0; k < WEAVE_AT_ONCE; k++) {
        if (j[k] < n) {
            a.home[j[k]] = make_uint2(low[k], before[k]);
            many = many || before[k] >= weave_shape<K>::few;
        }
    }
    if (many) {
        usw_store_relaxed(&a.control->crowded, 1u);
    }
}

/* Puts loose keys that are few between any two edges behind one another by these. */
template <typename K>
__device__ __forceinline__ void weave_bring_home(const weave_args<K> &a, unsigned task, unsigned n)
{
    uint2 home[WEAVE_AT_ONCE];
    K x[WEAVE_AT_ONCE];
    const unsigned first = task * WEAVE_AT_ONCE * blockDim.x + threadIdx.x;
#pragma unroll
    for (unsigned k = 0; k < WEAVE_AT_ONCE; k++) {
        const unsigned j = first + k * blockDim.x;
        home[k] = a.home[j < n ? j : 0];
        x[k] = a.loose[0][j < n ? j : 0];
    }
#pragma unroll
    for (unsigned k = 0; k < WEAVE_AT_ONCE; k++) {
        home[k].y += a.below[home[k].x];
    }
#pragma unroll
    for (unsigned k = 0; k < WEAVE_AT_ONCE; k++) {
        if (first + k * blockDim.x < n) {
            a.loose[1][home[k].y] = x[k];
        }
    }
}

/* Each thread counts the loose keys between the edges of a tile; loose: all n, in order. */
template <typename K>
__device__ __forceinline__ void weave_count_loose(const weave_args<K> &a, unsigned task,
                                                  const K *loose, unsigned n)
{
    const unsigned i = task * blockDim.x + threadIdx.x;
    auto below = [&](K edge) {
        unsigned low = 0, high = n;
        while (low < high) {
            const unsigned middle = (low + high) / 2;
            const bool before = loose[middle] < edge;
            low = before ? middle + 1 : low;
            high = before ? high : middle;
        }
        return low;
    };
    if (i < a.tiles) {
        a.count(i) = (i + 1 < a.tiles ? below(a.lows[i + 1]) : n) - (i > 0 ? below(a.lows[i]) : 0);
    }
}

/* The sums over all shares before this one: keys that stay and loose keys. The shares before have
 * begun, so their sums will come. All threads call. */
template <typename K>
__device__ __forceinline__ unsigned weave_sums_before(const weave_args<K> &a, unsigned task,
                                                      unsigned kept, unsigned loose,
                                                      unsigned long long &kept_before)
{
    USW_SHARED_ARRAY(unsigned long long, sums, [32]);
    unsigned long long all, mine = 0;
    const unsigned long long here =
        usw_block_exclusive_scan(static_cast<unsigned long long>(kept) << 32 | loose, sums, &all);
    if (threadIdx.x == 0) { /* a share has fewer than 2^30 keys of either kind */
        usw_store_relaxed(&a.published[task], all << 1 | 1);
    }
    unsigned long long other_kept = 0, other_loose = 0;
    for (unsigned t = threadIdx.x; t < task; t += blockDim.x) {
        do {
            mine = usw_load_relaxed(&a.published[t]);
        } while (mine == 0);
        other_kept += mine >> 33;
        other_loose += mine >> 1 & 0xffffffff;
    }
    usw_block_exclusive_scan(other_kept, sums, &kept_before);
    usw_block_exclusive_scan(other_loose, sums, &all);
    kept_before += here >> 32;
    return static_cast<unsigned>(all + (here & 0xffffffff));
}

/* A share of the tiles, one a thread: writes where each goes, how many units it is, and whether it
 * is saved. Tiles that stay where they are have none. */
template <typename K>
__device__ __forceinline__ void weave_place(const weave_args<K> &a, unsigned task)
{
    USW_SHARED(uint2, group);
    const unsigned tile = task * blockDim.x + threadIdx.x;
    const bool here = tile < a.tiles;
    const unsigned kept = here ? a.kept[tile] : 0, loose = here ? a.count(tile) : 0;
    unsigned long long place;
    const unsigned below = weave_sums_before(a, task, kept, loose, place);
    place += below;
    if (threadIdx.x == 0) {
        group = make_uint2(a.tiles, 0);
    }
    __syncthreads();
    if (here) {
        unsigned units = (kept + loose + weave_shape<K>::unit - 1) / weave_shape<K>::unit;
        units = a.from == a.keys && loose == 0 && place == a.begin(tile) &&
                        place + kept == a.begin(tile + 1)
                    ? 0
                    : units;
        WEAVE_WAY(WEAVE_STAYS, units == 0 && kept != 0)
        WEAVE_WAY(WEAVE_SEVERAL, units > 1 && kept != 0)
        a.place[tile] = place;
        a.below[tile] = below;
        a.units[tile] = units;
        if (units > 1) {
            const unsigned at = atomicAdd(&a.control->extra, units);
            for (unsigned u = 0; u < units; u++) {
                a.extra[at + u] = make_uint2(tile, u);
            }
        }
        if (units > 1 && kept != 0) {
            const unsigned saved = atomicAdd(&a.control->saved, 1u);
            a.saved_at[tile] = saved;
            if (saved < a.saved_most) {
                a.saved_tile[saved] = tile;
            } else {
                usw_store_relaxed(&a.control->failed, 1u);
            }
        }
        if (tile == 0 || place <= a.begin(tile)) {
            atomicMin(&group.x, tile);
            atomicMax(&group.y, tile + 1);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        a.groups[task] = group;
    }
}

/* A share of the tiles: writes them in the order in which they are woven, which is turned round
 * between a tile that begins behind its edge and the one before it. */
template <typename K>
__device__ __forceinline__ void weave_order(const weave_args<K> &a, unsigned task, unsigned tasks)
{
    USW_SHARED_ARRAY(unsigned, turned, [weave_shape<K>::threads]);
    USW_SHARED_ARRAY(unsigned, sums, [32]);
    USW_SHARED(uint2, group);
    const unsigned tile = task * blockDim.x + threadIdx.x;
    const unsigned back = weave_shape<K>::threads - 1 - threadIdx.x;
    if (threadIdx.x == 0) {
        group = make_uint2(a.tiles, 0);
    }
    __syncthreads();
    for (unsigned t = threadIdx.x; t < tasks; t += blockDim.x) {
        const uint2 other = a.groups[t];
        if (t < task) {
            atomicMax(&group.y, other.y);
        } else if (t > task) {
            atomicMin(&group.x, other.x);
        }
    }
    const bool begins = tile == 0 || (tile < a.tiles && a.place[tile] <= a.begin(tile));
    unsigned last = weave_most_before(begins ? tile + 1 : 0, sums);
    turned[back] = begins ? a.tiles - tile : 0;
    __syncthreads();
    const unsigned later = weave_most_before(turned[threadIdx.x], sums);
    turned[threadIdx.x] = later;
    __syncthreads();
    unsigned next = a.tiles - turned[back];
    next = next < group.x ? next : group.x;
    last = begins ? tile + 1 : last > group.y ? last : group.y;
    if (tile < a.tiles) {
        WEAVE_WAY(WEAVE_BACKWARDS, last != tile + 1)
        a.tile_at[last - 1 + (next - 1 - tile)] = tile;
    }
}

#endif
