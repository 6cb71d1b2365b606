/* sort_digits.cuh - a block sorts a bucket in shared memory by digits of 8 bits, lowest first:
 * stably and whatever the distribution, a few times slower than by bins
 * (gpu/bucket_sort/5_sort.cuh). */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BLOCK_SORT_DIGITS_CUH
#define USW_GPU_BLOCK_SORT_DIGITS_CUH

#include "gpu/gpu.cuh"

/* The stable ranks of a warp's keys within its digits; mine: 256 counters of the warp. */
template <typename K, int I>
__device__ __forceinline__ void hybrid_digit_ranks(const K (&k)[I], uint16_t (&r)[I],
                                                   unsigned shift, unsigned first, unsigned m,
                                                   uint16_t *mine)
{
    const unsigned lane = threadIdx.x % 32;
    for (unsigned i = lane; i < 256; i += 32) {
        mine[i] = 0;
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < I; i++) {
        bool here = first + i * 32 < m;
        unsigned d = static_cast<unsigned>(k[i] >> shift) & 255;
        unsigned peers = __ballot_sync(~0u, here);
#pragma unroll
        for (int bit = 0; bit < 8; bit++) {
            unsigned ones = __ballot_sync(~0u, (d >> bit & 1) != 0);
            peers &= (d >> bit & 1) != 0 ? ones : ~ones;
        }
        unsigned below = __popc(peers & ((1u << lane) - 1));
        unsigned had = here ? mine[d] : 0;
        __syncwarp();
        if (here && below == 0) {
            mine[d] = static_cast<uint16_t>(had + __popc(peers));
        }
        __syncwarp();
        r[i] = static_cast<uint16_t>(had + below);
    }
}

/* Turns the warps' counters into the places where their digits begin. All threads call. */
template <int NT>
__device__ __forceinline__ void hybrid_digit_places(uint16_t *counts, unsigned *sums)
{
    static_assert(NT >= 256, "a thread a digit");
    constexpr unsigned warps = NT / 32;
    const unsigned tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    unsigned total = 0, in = 0;
    __syncthreads();
    if (tid < 256) {
        for (unsigned w = 0; w < warps; w++) {
            unsigned c = counts[w * 256 + tid];
            counts[w * 256 + tid] = static_cast<uint16_t>(total);
            total += c;
        }
        in = total;
        for (int o = 1; o < 32; o <<= 1) {
            unsigned up = __shfl_up_sync(~0u, in, o);
            in += lane >= static_cast<unsigned>(o) ? up : 0;
        }
        if (lane == 31) {
            sums[warp] = in;
        }
    }
    __syncthreads();
    if (tid < 256) {
        unsigned before = in - total;
        for (unsigned w = 0; w < warp; w++) {
            before += sums[w];
        }
        for (unsigned w = 0; w < warps; w++) {
            counts[w * 256 + tid] = static_cast<uint16_t>(counts[w * 256 + tid] + before);
        }
    }
    __syncthreads();
}

/* The bits in which m keys differ. sums: 4 words. */
template <typename K, int NT>
__device__ __forceinline__ K hybrid_differ(const K *data, unsigned m, unsigned *sums)
{
    if (threadIdx.x < 4) {
        sums[threadIdx.x] = threadIdx.x < 2 ? 0 : ~0u;
    }
    __syncthreads();
    K any = 0, all = static_cast<K>(~K(0));
    for (unsigned p = threadIdx.x; p < m; p += NT) {
        any |= data[p];
        all &= data[p];
    }
    for (unsigned w = 0; w < sizeof(K) / 4; w++) {
        atomicOr(&sums[w], static_cast<unsigned>(any >> (32 * w)));
        atomicAnd(&sums[2 + w], static_cast<unsigned>(all >> (32 * w)));
    }
    __syncthreads();
    K differ = static_cast<K>(sums[0] ^ sums[2]);
    if constexpr (sizeof(K) == 8) {
        differ |= static_cast<K>(sums[1] ^ sums[3]) << 32;
    }
    __syncthreads();
    return differ;
}

/* Sorts m keys, from data to tile, by the digits of 8 bits in which they differ, from bit begin on,
 * stably. counts: 256 counters a warp. */
template <typename K, int NT, int I>
__device__ __noinline__ void hybrid_by_digits(const K *data, unsigned m, K *tile, uint16_t *counts,
                                              unsigned *sums, unsigned begin = 0)
{
    const K differ = hybrid_differ<K, NT>(data, m, sums);
    const unsigned warp = threadIdx.x / 32, first = warp * 32 * I + threadIdx.x % 32;
    uint16_t *mine = counts + warp * 256, r[I];
    K k[I];
#pragma unroll
    for (int i = 0; i < I; i++) {
        k[i] = first + i * 32 < m ? data[first + i * 32] : K(0);
    }
    for (unsigned shift = begin; shift < sizeof(K) * 8; shift += 8) {
        if ((static_cast<unsigned>(differ >> shift) & 255) == 0) {
            continue;
        }
        hybrid_digit_ranks<K, I>(k, r, shift, first, m, mine);
        hybrid_digit_places<NT>(counts, sums);
#pragma unroll
        for (int i = 0; i < I; i++) {
            if (first + i * 32 < m) {
                tile[mine[static_cast<unsigned>(k[i] >> shift) & 255] + r[i]] = k[i];
            }
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < I; i++) {
            k[i] = first + i * 32 < m ? tile[first + i * 32] : K(0);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < I; i++) {
        if (first + i * 32 < m) {
            tile[first + i * 32] = k[i];
        }
    }
    __syncthreads();
}

#endif
