/* 5_weave.cuh - step 5 of the weave: the keys that stayed and the loose ones are merged, and every
 * key goes to its place. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_RUNS_5_WEAVE_CUH
#define USW_GPU_RUNS_5_WEAVE_CUH

#include "gpu/runs/2_look.cuh"
#include "gpu/runs/3_sort_loose.cuh"

/* Loads the keys of a tile that stay, in order and mapped, to s. All threads call. */
template <typename K, bool identity>
__device__ __forceinline__ void weave_load_kept(const weave_args<K> &a, unsigned tile, K *s)
{
    using vectors = weave_vectors<K>;
    USW_SHARED_ARRAY(unsigned, words, [weave_shape<K>::words]);
    USW_SHARED_ARRAY(unsigned, before, [weave_shape<K>::words]);
    USW_SHARED_ARRAY(unsigned, sums, [32]);
    const unsigned w = threadIdx.x, kept = a.kept[tile];
    vectors keys;
    keys.template load<identity>(a, tile);
    if (kept == weave_shape<K>::tile) {
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
#pragma unroll
    for (unsigned u = 0; u < vectors::U; u++) {
        const unsigned j = vectors::at(u), bits = words[j / 32];
        unsigned to = before[j / 32] + __popc(bits & ((1u << j % 32) - 1));
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
    weave_load_kept<K, identity>(a, tile, s);
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

template <typename K, bool identity>
__device__ __forceinline__ void weave_unit(const weave_args<K> &a, unsigned unit, const K *loose,
                                           K *s)
{
    const unsigned tile = a.unit_tile[unit], saved = a.saved_at[tile];
    const unsigned at = (unit - a.unit_begin[tile]) * weave_shape<K>::unit;
    weave_pieces<K> p = {nullptr, loose + a.below[tile], a.kept[tile],
                         a.below[tile + 1] - a.below[tile]};
    const unsigned long long place = a.place[tile] + at;
    unsigned count = p.na + p.nb - at;
    count = count < weave_shape<K>::unit ? count : weave_shape<K>::unit;
    if (saved == ~0u && p.na != 0) {
        weave_load_kept<K, identity>(a, tile, s);
    } else {
        p.a = p.na != 0 ? a.saved + saved * static_cast<size_t>(weave_shape<K>::tile) : p.b;
        p = weave_cut(p, at, count);
        for (unsigned i = threadIdx.x; i < p.na; i += blockDim.x) {
            s[i] = p.a[i];
        }
    }
    for (unsigned i = threadIdx.x; i < p.nb; i += blockDim.x) {
        s[p.na + i] = p.b[i];
    }
    __syncthreads();
    if (saved == ~0u && threadIdx.x == 0) {
        usw_store_release(&a.loaded[tile], 1u);
    }
    if (p.na != 0 && p.nb != 0) {
        weave_merge<weave_shape<K>::items>(s, p.na, p.nb);
    }
    if (a.from == a.keys) {
        weave_wait(a, tile, place, place + count);
    }
    K *to = a.keys + place;
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        to[i] = identity ? s[i] : a.map.unmap(s[i]);
    }
}

#endif
