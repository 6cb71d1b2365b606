/* 5_weave.cuh - step 5 of the weave: the keys that stayed and the loose ones are merged, and every
 * key goes to its place. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_RUNS_5_WEAVE_CUH
#define USW_GPU_RUNS_5_WEAVE_CUH

#include "gpu/runs/2_look.cuh"
#include "gpu/runs/3_sort_loose.cuh"

/* Puts the keys of a tile that stay into s, in order and mapped. All threads call. */
template <typename K, bool identity>
__device__ __forceinline__ void weave_put_kept(const weave_args<K> &a, unsigned tile,
                                               weave_vectors<K> &keys, K *s)
{
    using vectors = weave_vectors<K>;
    USW_SHARED_ARRAY(unsigned, words, [weave_shape<K>::words]);
    USW_SHARED_ARRAY(unsigned, before, [weave_shape<K>::words]);
    USW_SHARED_ARRAY(unsigned, sums, [32]);
    const unsigned w = threadIdx.x, kept = a.kept[tile];
    if (kept == weave_shape<K>::tile) {
        keys.template map<identity>(a);
#pragma unroll
        for (unsigned u = 0; u < vectors::U; u++) {
            *reinterpret_cast<uint4 *>(s + vectors::at(u)) = keys.x[u].v;
        }
        return;
    }
    const bool here = w < weave_shape<K>::words;
    const unsigned mask = here ? a.masks[tile * static_cast<size_t>(weave_shape<K>::words) + w] : 0;
    unsigned all;
    const unsigned at = usw_block_exclusive_scan(static_cast<unsigned>(__popc(mask)), sums, &all);
    if (here) {
        words[w] = mask;
        before[w] = at;
    }
    __syncthreads();
    keys.template map<identity>(a);
#pragma unroll
    for (unsigned u = 0; u < vectors::U; u++) {
        const unsigned j = vectors::at(u), bits = words[j / 32];
        unsigned to = before[j / 32] + static_cast<unsigned>(__popc(bits & ((1u << j % 32) - 1)));
#pragma unroll
        for (unsigned v = 0; v < vectors::V; v++) {
            if ((bits >> (j % 32 + v) & 1) != 0) {
                s[to++] = keys.x[u].k[v];
            }
        }
    }
}

/* Saves a tile of which there are several units. */
template <typename K, bool identity>
__device__ __forceinline__ void weave_save(const weave_args<K> &a, unsigned task, K *s)
{
    const unsigned tile = a.saved_tile[task];
    K *to = a.saved + task * static_cast<size_t>(weave_shape<K>::tile);
    weave_vectors<K> keys;
    keys.load(a, tile);
    weave_put_kept<K, identity>(a, tile, keys, s);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < a.kept[tile]; i += blockDim.x) {
        to[i] = s[i];
    }
    if (threadIdx.x == 0) {
        a.loaded[tile] = 1;
    }
}

/* Waits until the tiles that lie in [begin, end) have been read. All threads call. */
template <typename K>
__device__ __forceinline__ void weave_wait(const weave_args<K> &a, unsigned tile,
                                           unsigned long long begin, unsigned long long end)
{
    const unsigned first = static_cast<unsigned>((begin + a.lead) / weave_shape<K>::tile);
    const unsigned last = static_cast<unsigned>((end - 1 + a.lead) / weave_shape<K>::tile);
    const unsigned other = first + threadIdx.x;
    if (other <= last && other != tile) {
        while (usw_load_acquire(&a.loaded[other]) == 0) {
            usw_yield();
        }
    }
    __syncthreads();
}

/* Which places of a unit are loose keys: a bit each, and how many bits lie before each word. */
template <typename K> struct weave_slots {
    static constexpr unsigned words = weave_shape<K>::unit / 32, each = 2;
    static_assert(weave_shape<K>::unit % 32 == 0 && words <= each * weave_shape<K>::threads, "all");
    unsigned bits[each * weave_shape<K>::threads], before[each * weave_shape<K>::threads];
    unsigned sums[32];

    /* s has na keys that stayed and nb loose ones, both in order. All threads call. */
    __device__ __forceinline__ void find(const K *s, unsigned na, unsigned nb)
    {
        for (unsigned k = 0; k < each; k++) {
            bits[each * threadIdx.x + k] = 0;
        }
        __syncthreads();
        for (unsigned j = threadIdx.x; j < nb; j += blockDim.x) {
            const K x = s[na + j];
            unsigned low = 0, high = na;
            while (low < high) {
                const unsigned middle = (low + high) / 2;
                const bool stays = s[middle] <= x;
                low = stays ? middle + 1 : low;
                high = stays ? high : middle;
            }
            atomicOr(&bits[(low + j) / 32], 1u << (low + j) % 32);
        }
        __syncthreads();
        unsigned count = 0, all;
        for (unsigned k = 0; k < each; k++) {
            count += static_cast<unsigned>(__popc(bits[each * threadIdx.x + k]));
        }
        unsigned at = usw_block_exclusive_scan(count, sums, &all);
        for (unsigned k = 0; k < each; k++) {
            before[each * threadIdx.x + k] = at;
            at += static_cast<unsigned>(__popc(bits[each * threadIdx.x + k]));
        }
        __syncthreads();
    }
    /* Where in s the key of place i is. */
    __device__ __forceinline__ unsigned operator()(unsigned i, unsigned na) const
    {
        const unsigned word = bits[i / 32];
        const unsigned loose =
            before[i / 32] + static_cast<unsigned>(__popc(word & ((1u << i % 32) - 1)));
        return (word >> i % 32 & 1) != 0 ? na + loose : i - loose;
    }
};

/* Sorts loose keys, which are few, to `to`. All threads call; the caller waits for all. */
template <typename K>
__device__ __forceinline__ void weave_sort_few(const K *loose, unsigned n, K *to)
{
    using sort = usw_block_sort<K, 1>;
    USW_SHARED_ARRAY(K, sorted, [sort::padded(weave_shape<K>::few)]);
    K x[1] = {threadIdx.x < n ? loose[threadIdx.x] : static_cast<K>(~K(0))};
    sort::sort(x, sorted, n);
    if (threadIdx.x < n) {
        to[threadIdx.x] = sorted[sort::at(threadIdx.x)];
    }
}

/* Unit `number` of a tile. loose: the loose keys, by tiles; sorted: each tile's are in order;
 * several: the tile has several units. */
template <typename K, bool identity>
__device__ __forceinline__ void weave_unit(const weave_args<K> &a, unsigned tile, unsigned number,
                                           bool several, const K *loose, bool sorted, K *s)
{
    USW_SHARED(weave_slots<K>, slots);
    const unsigned at = number * weave_shape<K>::unit;
    weave_pieces<K> p = {nullptr, loose + a.below[tile], a.kept[tile], a.count(tile)};
    const bool reads = !several && p.na != 0;
    const unsigned long long place = a.place[tile] + at;
    unsigned count = p.na + p.nb - at;
    count = count < weave_shape<K>::unit ? count : weave_shape<K>::unit;
    if (reads) {
        weave_vectors<K> keys; /* they come while the loose keys are sorted */
        keys.load(a, tile);
        if (!sorted) {
            WEAVE_WAY(WEAVE_FEW, threadIdx.x == 0 && p.nb > 1)
            weave_sort_few(p.b, p.nb, s + p.na);
        }
        weave_put_kept<K, identity>(a, tile, keys, s);
    } else if (!sorted) {
        weave_sort_few(p.b, p.nb, s);
    } else {
        p.a = p.na != 0 ? a.saved + a.saved_at[tile] * static_cast<size_t>(weave_shape<K>::tile)
                        : p.b;
        p = weave_cut(p, at, count);
        for (unsigned i = threadIdx.x; i < p.na; i += blockDim.x) {
            s[i] = p.a[i];
        }
    }
    if (sorted) {
        for (unsigned i = threadIdx.x; i < p.nb; i += blockDim.x) {
            s[p.na + i] = p.b[i];
        }
    }
    __syncthreads();
    if (reads && threadIdx.x == 0) {
        usw_store_release(&a.loaded[tile], 1u);
    }
    const bool both = p.na != 0 && p.nb != 0;
    if (both) {
        slots.find(s, p.na, p.nb);
    }
    if (a.from == a.keys) {
        weave_wait(a, tile, place, place + count);
    }
    K *to = a.keys + place;
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        const K x = s[both ? slots(i, p.na) : i];
        to[i] = identity ? x : a.map.unmap(x);
    }
}

/* Task p of the last phase: the tile that is woven as the p-th, if it is one unit; behind all tiles
 * the units of those that have several, which only read what was saved. */
template <typename K, bool identity>
__device__ __forceinline__ void weave_task(const weave_args<K> &a, unsigned p, const K *loose,
                                           bool sorted, K *s)
{
    if (p < a.tiles) {
        const unsigned tile = a.from == a.keys ? a.tile_at[p] : p;
        if (a.units[tile] == 1) {
            weave_unit<K, identity>(a, tile, 0, false, loose, sorted, s);
        }
    } else {
        const uint2 unit = a.extra[p - a.tiles];
        weave_unit<K, identity>(a, unit.x, unit.y, true, loose, sorted, s);
    }
}

#endif
