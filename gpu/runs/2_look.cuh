/* 2_look.cuh - step 2 of the weave: each tile's keys are looked at; those that stand wrong are
 * loose and are put on a list.
 *
 * A tile of the body that is in order and lies between its edges is only read. Else each thread
 * goes through 32 neighbours: a key outside of the edges is loose, and where a key is less than the
 * one kept before it both are. Then keys are taken from both sides of the border of two threads'
 * neighbours until these are in order. So about two keys are loose for each that stands wrong. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_RUNS_2_LOOK_CUH
#define USW_GPU_RUNS_2_LOOK_CUH

#include "gpu/runs/1_edges.cuh"

/* A tile's keys in shared memory have gaps, so that threads which each go through 32 of them use
 * different banks. */
__device__ __forceinline__ constexpr unsigned weave_padded(unsigned j)
{
    return j + j / 32;
}

template <typename K> struct weave_vectors {
    static constexpr unsigned V = 16 / sizeof(K),
                              U = weave_shape<K>::tile / weave_shape<K>::threads / V;
    hybrid_vector<K> x[U];

    /* The place in its tile of this thread's first key of vector u. */
    __device__ __forceinline__ static unsigned at(unsigned u)
    {
        return (u * weave_shape<K>::threads + threadIdx.x) * V;
    }
    /* Loads a tile; places that are no keys become 0. */
    __device__ __forceinline__ void load(const weave_args<K> &a, unsigned tile)
    {
        const unsigned long long first = a.first(tile);
        const K *from = a.from - a.lead;
        if (a.full(tile)) {
#pragma unroll
            for (unsigned u = 0; u < U; u++) {
                x[u].v = *reinterpret_cast<const uint4 *>(from + first + at(u));
            }
        } else {
#pragma unroll
            for (unsigned u = 0; u < U; u++) {
#pragma unroll
                for (unsigned v = 0; v < V; v++) {
                    const unsigned long long p = first + at(u) + v;
                    x[u].k[v] = p >= a.lead && p < a.n + a.lead ? from[p] : K(0);
                }
            }
        }
    }
    template <bool identity> __device__ __forceinline__ void map(const weave_args<K> &a)
    {
        if (!identity) {
#pragma unroll
            for (unsigned u = 0; u < U; u++) {
#pragma unroll
                for (unsigned v = 0; v < V; v++) {
                    x[u].k[v] = a.map.map(x[u].k[v]);
                }
            }
        }
    }
};

/* Whether a full tile is in order and lies between its edges. All threads call. */
template <typename K, bool identity>
__device__ __forceinline__ bool weave_is_clean(const weave_args<K> &a, unsigned tile, K low, K high,
                                               const weave_vectors<K> &keys)
{
    using vectors = weave_vectors<K>;
    const K *from = a.from - a.lead + a.first(tile);
    bool good = true;
#pragma unroll
    for (unsigned u = 0; u < vectors::U; u++) {
        K left = __shfl_up_sync(~0u, keys.x[u].k[vectors::V - 1], 1);
        const unsigned at = vectors::at(u);
        if (threadIdx.x % 32 == 0) {
            left = at == 0 ? low : identity ? from[at - 1] : a.map.map(from[at - 1]);
        }
#pragma unroll
        for (unsigned v = 0; v < vectors::V; v++) {
            good = good && left <= keys.x[u].k[v];
            left = keys.x[u].k[v];
        }
        good = good && left <= high;
    }
    return __syncthreads_or(!good) == 0;
}

/* The first and the last key of those that are kept of 32. */
template <typename K>
__device__ __forceinline__ K weave_first(const K *s, unsigned first, unsigned kept)
{
    return s[weave_padded(first + static_cast<unsigned>(__ffs(static_cast<int>(kept))) - 1)];
}
template <typename K>
__device__ __forceinline__ K weave_last(const K *s, unsigned first, unsigned kept)
{
    return s[weave_padded(first + 31 - static_cast<unsigned>(__clz(static_cast<int>(kept))))];
}

/* Of the 32 keys from `first` on those of `here` that lie between the edges and are in order. */
template <typename K>
__device__ __forceinline__ unsigned weave_keep(const K *s, unsigned first, unsigned here, K low,
                                               K high)
{
    constexpr unsigned ahead = 8; /* keys that are read before one of them is compared */
    unsigned kept = 0;
    K top = low, x[ahead];
    for (unsigned j = 0; j < 32; j += ahead) {
#pragma unroll
        for (unsigned k = 0; k < ahead; k++) {
            x[k] = s[weave_padded(first + j) + k];
        }
#pragma unroll
        for (unsigned k = 0; k < ahead; k++) {
            if ((here >> (j + k) & 1) == 0 || x[k] < low || x[k] > high) {
                continue;
            }
            if (x[k] >= top) {
                kept |= 1u << (j + k);
                top = x[k];
            } else { /* either may be wrong */
                kept &= ~(1u << (31 - __clz(static_cast<int>(kept))));
                top = kept == 0 ? low : weave_last(s, first, kept);
            }
        }
    }
    return kept;
}

/* Makes this thread's keys agree with those of the others: kept[w] is the mask of 32 keys; returns
 * what is left of this thread's. All threads call. */
template <typename K>
__device__ __forceinline__ unsigned weave_agree(const K *s, unsigned *kept, unsigned *cut, K *sums)
{
    const unsigned w = threadIdx.x;
    const bool here = w < weave_shape<K>::words;
    unsigned mine = here ? kept[w] : 0;
    if (here && w > 0) {
        unsigned other = kept[w - 1];
        while (mine != 0 && other != 0 &&
               weave_last(s, 32 * w - 32, other) > weave_first(s, 32 * w, mine)) {
            mine &= mine - 1;
            other &= ~(1u << (31 - __clz(static_cast<int>(other))));
            WEAVE_WAY(WEAVE_BORDER, true)
        }
        cut[w - 1] = other;
    }
    __syncthreads();
    mine &= here && w + 1 < weave_shape<K>::words ? cut[w] : ~0u;
    const K before = weave_most_before(mine != 0 ? weave_last(s, 32 * w, mine) : K(0), sums);
    const bool agrees = mine == 0 || weave_first(s, 32 * w, mine) >= before;
    WEAVE_WAY(WEAVE_DISAGREES, !agrees)
    return agrees ? mine : 0;
}

/* Which of 32 places of a tile are keys. */
template <typename K>
__device__ __forceinline__ unsigned weave_here(const weave_args<K> &a, unsigned tile, unsigned word)
{
    const unsigned long long at = a.first(tile) + 32 * word, end = a.n + a.lead;
    const unsigned low = at < a.lead ? ~0u << (a.lead - at) : ~0u;
    return at >= end ? 0 : end - at >= 32 ? low : low & ((1u << (end - at)) - 1);
}

/* Where `all` loose keys of a tile go in the list, of which `stay` keys stay; ~0: there is no room.
 * One thread calls. */
template <typename K>
__device__ __forceinline__ unsigned weave_reserve(const weave_args<K> &a, unsigned tile,
                                                  unsigned stay, unsigned all)
{
    a.kept[tile] = stay;
    a.loaded[tile] = stay == 0;
    const unsigned list = atomicAdd(&a.control->loose, all);
    if (list > a.loose_most || all > a.loose_most - list) {
        WEAVE_WAY(WEAVE_TOO_MANY, true)
        usw_store_relaxed(&a.control->failed, 1u);
        return ~0u;
    }
    return list;
}

/* Takes the loose keys out of a tile whose keys lie in s. All threads call. */
template <typename K>
__device__ __forceinline__ void weave_take_loose(const weave_args<K> &a, unsigned tile, const K *s)
{
    USW_SHARED_ARRAY(unsigned, kept, [weave_shape<K>::words]);
    USW_SHARED_ARRAY(unsigned, cut, [weave_shape<K>::words]);
    USW_SHARED_ARRAY(unsigned, sums, [32]);
    USW_SHARED_ARRAY(K, tops, [32]);
    USW_SHARED(unsigned, list);
    const unsigned w = threadIdx.x;
    const bool mine = w < weave_shape<K>::words, body = a.body[tile] != 0;
    const unsigned here = mine ? weave_here(a, tile, w) : 0;
    unsigned keep = 0;
    if (body) {
        if (mine) {
            kept[w] = weave_keep(s, 32 * w, here, a.lows[tile], a.highs[tile]);
        }
        __syncthreads();
        keep = weave_agree(s, kept, cut, tops);
    }
    unsigned left = here & ~keep, all, stay;
    usw_block_exclusive_scan(static_cast<unsigned>(__popc(keep)), sums, &stay);
    unsigned at = usw_block_exclusive_scan(static_cast<unsigned>(__popc(left)), sums, &all);
    if (threadIdx.x == 0) {
        list = weave_reserve(a, tile, stay, all);
        WEAVE_WAY(WEAVE_OUTSIDE, !body)
        WEAVE_WAY(WEAVE_SOME_LOOSE, body && all != 0)
    }
    __syncthreads();
    if (mine) {
        a.masks[tile * static_cast<size_t>(weave_shape<K>::words) + w] = keep;
    }
    if (list != ~0u) {
        for (at += list; left != 0; left &= left - 1) {
            a.loose[0][at++] = weave_first(s, 32 * w, left);
        }
    }
}

/* Takes a full tile that is outside of the body: all of its keys are loose. All threads call. */
template <typename K>
__device__ __forceinline__ void weave_take_all(const weave_args<K> &a, unsigned tile,
                                               const weave_vectors<K> &keys)
{
    USW_SHARED(unsigned, list);
    if (threadIdx.x == 0) {
        list = weave_reserve(a, tile, 0, weave_shape<K>::tile);
        WEAVE_WAY(WEAVE_WHOLE, true)
    }
    __syncthreads();
    K *to = a.loose[0] + list;
#pragma unroll
    for (unsigned u = 0; u < weave_vectors<K>::U && list != ~0u; u++) {
#pragma unroll
        for (unsigned v = 0; v < weave_vectors<K>::V; v++) {
            to[weave_vectors<K>::at(u) + v] = keys.x[u].k[v];
        }
    }
}

template <typename K, bool identity>
__device__ __forceinline__ void weave_look(const weave_args<K> &a, unsigned tile, K *s)
{
    const bool ends = threadIdx.x == 0 && usw_load_relaxed(&a.control->failed) != 0;
    const bool body = a.body[tile] != 0;
    const K low = a.lows[tile], high = a.highs[tile];
    weave_vectors<K> keys;
    keys.load(a, tile);
    if (__syncthreads_or(ends)) {
        return;
    }
    keys.template map<identity>(a);
    if (!body && a.full(tile)) {
        weave_take_all(a, tile, keys);
        return;
    }
    if (body && a.full(tile) && weave_is_clean<K, identity>(a, tile, low, high, keys)) {
        if (threadIdx.x == 0) {
            a.kept[tile] = weave_shape<K>::tile;
            a.loaded[tile] = 0;
        }
        return;
    }
#pragma unroll
    for (unsigned u = 0; u < weave_vectors<K>::U; u++) {
#pragma unroll
        for (unsigned v = 0; v < weave_vectors<K>::V; v++) {
            s[weave_padded(weave_vectors<K>::at(u) + v)] = keys.x[u].k[v];
        }
    }
    __syncthreads();
    weave_take_loose(a, tile, s);
}

#endif
