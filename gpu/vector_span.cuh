/* vector_span.cuh - an array of keys as aligned vectors of 16 bytes, wherever it begins.
 *
 * Vector v covers the keys [v * per - lead, (v + 1) * per - lead): the first and the last vector
 * may reach beyond the array, and of these only the keys within are read. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_VECTOR_SPAN_CUH
#define USW_GPU_VECTOR_SPAN_CUH

#include "gpu/gpu.cuh"

template <typename K> struct usw_span {
    static constexpr unsigned per = 16 / sizeof(K); /* keys of a vector */
    const K *base;                                  /* aligned to 16 bytes */
    uint64_t lead, end;                             /* the keys are base[lead .. end) */

    __host__ __device__ __forceinline__ uint64_t vectors() const
    {
        return (end + per - 1) / per;
    }
    /* Whether all of the vectors [v, v + count) are whole. */
    __device__ __forceinline__ bool whole(uint64_t v, uint64_t count) const
    {
        return v * per >= lead && (v + count) * per <= end;
    }
    __device__ __forceinline__ void load_whole(uint64_t v, K (&keys)[per]) const
    {
        union {
            uint4 words;
            K keys[per];
        } x;
        x.words = __ldcs(reinterpret_cast<const uint4 *>(base) + v);
#pragma unroll
        for (unsigned e = 0; e < per; e++) {
            keys[e] = x.keys[e];
        }
    }
    /* A bit for each key of vector v that lies in the array. */
    __device__ __forceinline__ unsigned valid(uint64_t v) const
    {
        unsigned all = (1u << per) - 1, bits = all;
        if (!whole(v, 1)) {
            uint64_t at = v * per;
            bits = at >= end ? 0 : end - at < per ? all >> (per - (end - at)) : all;
            bits &= at + per <= lead ? 0 : at < lead ? all << (lead - at) : all;
        }
        return bits & all;
    }
    /* Loads vector v; keys beyond the array are 0. */
    __device__ __forceinline__ void load(uint64_t v, K (&keys)[per]) const
    {
        if (whole(v, 1)) {
            load_whole(v, keys);
        } else {
            unsigned there = valid(v);
#pragma unroll
            for (unsigned e = 0; e < per; e++) {
                keys[e] = there >> e & 1 ? base[v * per + e] : K(0);
            }
        }
    }
};

template <typename K> static inline usw_span<K> usw_span_of(const void *keys, uint64_t n)
{
    uint64_t lead = reinterpret_cast<uintptr_t>(keys) % 16 / sizeof(K);
    return {static_cast<const K *>(keys) - lead, lead, lead + n};
}

/* The blocks of one grid go over the array tile by tile. For each vector of a whole tile whole(v,
 * keys) is called, after a thread has loaded `vectors` of them; for each place of another tile
 * single(i, key, there). All threads of a block call these the same number of times. ahead(v) is
 * called before each tile, and the loop ends where it returns false. */
template <unsigned vectors, typename K, typename W, typename S, typename A>
__device__ __forceinline__ void usw_span_tiles(const usw_span<K> &span, W whole, S single, A ahead)
{
    constexpr unsigned per = usw_span<K>::per;
    const unsigned threads = blockDim.x;
    const uint64_t end = span.vectors(), tile = uint64_t(threads) * vectors;
    for (uint64_t at = blockIdx.x * tile; at < end && ahead(at); at += gridDim.x * tile) {
        if (span.whole(at, tile)) {
            K keys[vectors][per];
#pragma unroll
            for (unsigned j = 0; j < vectors; j++) {
                span.load_whole(at + j * threads + threadIdx.x, keys[j]);
            }
#pragma unroll
            for (unsigned j = 0; j < vectors; j++) {
                whole(at + j * threads + threadIdx.x, keys[j]);
            }
        } else {
#pragma unroll 1
            for (uint64_t i = at * per + threadIdx.x; i < (at + tile) * per; i += threads) {
                const bool there = i >= span.lead && i < span.end;
                single(i, there ? span.base[i] : K(0), there);
            }
        }
    }
}

#endif
