/* least_window.cuh - the least window of a power of two that has all keys of a block: numbers of
 * either sign about 0 differ in all their bits, and still lie among few values. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BLOCK_LEAST_WINDOW_CUH
#define USW_GPU_BLOCK_LEAST_WINDOW_CUH

#include "gpu/gpu.cuh"

/* A window of 2^bits keys from base on. Where bits are those of a key, it has all there are. */
struct usw_window {
    unsigned long long base;
    unsigned bits;
    unsigned long long range; /* from the least key to the greatest */
    unsigned long long least;
};

template <typename K> __device__ __forceinline__ K usw_least_of_warp(K key)
{
    if (sizeof(K) <= 4) {
        return static_cast<K>(__reduce_min_sync(~0u, static_cast<unsigned>(key)));
    }
    const uint64_t wide = key;
    const unsigned upper = static_cast<unsigned>(wide >> 32);
    const unsigned least = __reduce_min_sync(~0u, upper);
    const unsigned rest = upper == least ? static_cast<unsigned>(wide) : ~0u;
    return static_cast<K>(uint64_t(least) << 32 | __reduce_min_sync(~0u, rest));
}

/* The least window of 2^bits or more for the block's keys, those whose bit of `here` is set. It
 * begins at a multiple of its size >> bits1, and has some room on both sides if that costs no bit:
 * an array has keys that are a little more extreme than a sample's. low, high: 32 shared keys each.
 * 1024 threads call. */
template <typename K, int I>
__device__ __forceinline__ usw_window usw_least_window(const K (&k)[I], unsigned here,
                                                       unsigned bits, unsigned bits1, K *low,
                                                       K *high)
{
    constexpr unsigned width = sizeof(K) * 8;
    constexpr unsigned long long most = static_cast<K>(~K(0));
    K least = static_cast<K>(most), greatest = 0;
#pragma unroll
    for (int i = 0; i < I; i++) {
        const bool is_key = (here >> i & 1) != 0;
        least = is_key && k[i] < least ? k[i] : least;
        greatest = is_key && k[i] > greatest ? k[i] : greatest;
    }
    least = usw_least_of_warp(least);
    greatest = static_cast<K>(~usw_least_of_warp(static_cast<K>(~greatest)));
    if (threadIdx.x % 32 == 0) {
        low[threadIdx.x / 32] = least;
        high[threadIdx.x / 32] = greatest;
    }
    __syncthreads();
    least = usw_least_of_warp(low[threadIdx.x % 32]);
    greatest = static_cast<K>(~usw_least_of_warp(static_cast<K>(~high[threadIdx.x % 32])));
    const unsigned long long range = least < greatest ? greatest - least : 0;
    const unsigned needs = 64 - static_cast<unsigned>(__clzll(static_cast<long long>(range)));
    for (unsigned v = needs < bits ? bits : needs; v < width; v++) {
        const unsigned turn = v - bits1;
        const unsigned long long last = most - ((1ull << v) - 1), beside = range >> 12;
        unsigned long long base = least >> turn << turn;
        if (base <= last && (greatest - base) >> v == 0) {
            const unsigned long long room = least < beside ? 0 : (least - beside) >> turn << turn;
            const unsigned long long end = most - greatest < beside ? most : greatest + beside;
            return {(end - room) >> v == 0 ? room : base, v, range, least};
        }
    }
    return {0, width, range, least};
}

#endif
