/* even_keys.cuh - whether a sample says that keys are spread evenly over a range: no more of its
 * keys share a bucket, or a region of many buckets, than chance makes. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BLOCK_EVEN_KEYS_CUH
#define USW_GPU_BLOCK_EVEN_KEYS_CUH

#include "gpu/gpu.cuh"

/* The digits by which keys are looked at: the last `bits` of key >> shift say the bucket, the first
 * region_bits of these the region. filled: the part of the buckets that the range fills. doubt: how
 * much more uneven than by chance the sample may be, as a share. */
struct usw_evenness {
    unsigned shift, bits, region_bits;
    float filled, doubt;
};

/* Six deviations above what is expected. */
__device__ __forceinline__ unsigned usw_above(float expected, float doubt)
{
    return static_cast<unsigned>(expected * (1 + doubt) + 6 * sqrtf(expected));
}

/* Adds up each of N counts of a block. sums: N shared words, zeros. */
template <unsigned N>
__device__ __forceinline__ void usw_sum_counts(const unsigned (&counts)[N], unsigned *sums)
{
#pragma unroll
    for (unsigned j = 0; j < N; j++) {
        const unsigned sum = __reduce_add_sync(~0u, counts[j]);
        if (threadIdx.x % 32 == 0) {
            atomicAdd(&sums[j], sum);
        }
    }
    __syncthreads();
}

/* Whether the block's keys are even: a sample of stretches of 32, of which each warp has one for
 * each of I rows. Neighbours are looked at first, since those of keys in order share regions, and
 * their additions would wait for one another. counts: a shared word for each two buckets. A block
 * of 1024 threads calls. */
template <typename K, int I>
__device__ __forceinline__ bool usw_is_even(const K (&k)[I], const usw_evenness &e,
                                            unsigned *counts)
{
    USW_SHARED_ARRAY(unsigned, regions, [256]);
    USW_SHARED_ARRAY(unsigned, found, [4]);
    constexpr float keys = I * 1024, neighbours = I * 32 * 31;
    const unsigned words = e.bits > 6 ? 1u << (e.bits - 1) : 32, mask = (1u << e.bits) - 1;
    const float region = exp2f(-static_cast<float>(e.region_bits)) / e.filled;
    const float bucket = exp2f(-static_cast<float>(e.bits)) / e.filled;
    __syncthreads();
    for (unsigned w = threadIdx.x; w < words; w += 1024) {
        counts[w] = 0;
    }
    if (threadIdx.x < 256) {
        regions[threadIdx.x] = 0;
    }
    if (threadIdx.x < 4) {
        found[threadIdx.x] = 0;
    }
    __syncthreads();
    unsigned pairs[2] = {0, 0}; /* of neighbours in one region; in order */
    for (int i = 0; i < I; i++) {
        const K before = __shfl_up_sync(~0u, k[i], 1);
        const unsigned r = static_cast<unsigned>(k[i] >> e.shift) & mask;
        const unsigned left = static_cast<unsigned>(before >> e.shift) & mask;
        pairs[0] += threadIdx.x % 32 != 0 && (r ^ left) >> (e.bits - e.region_bits) == 0;
        pairs[1] += threadIdx.x % 32 != 0 && before < k[i];
    }
    usw_sum_counts(pairs, found);
    constexpr unsigned deviate = 6 * 36; /* sqrt(near / 12) is the deviation of those in order */
    constexpr unsigned rises = I * 32 * 31 / 2;
    if (found[0] > usw_above(neighbours * region, e.doubt) || found[1] + deviate < rises ||
        found[1] > rises + deviate) {
        return false;
    }
    pairs[0] = pairs[1] = 0; /* of keys in one bucket; in one region */
    for (int i = 0; i < I; i++) {
        const unsigned d = static_cast<unsigned>(k[i] >> e.shift) & mask;
        pairs[0] += atomicAdd(&counts[d / 2], 1u << d % 2 * 16) >> d % 2 * 16 & 0xffff;
        pairs[1] += atomicAdd(&regions[d >> (e.bits - e.region_bits)], 1u);
    }
    usw_sum_counts(pairs, found + 2);
    constexpr float all = keys * (keys - 1) / 2;
    return found[2] <= usw_above(all * bucket, e.doubt) &&
           found[3] <= usw_above(all * region, e.doubt);
}

#endif
