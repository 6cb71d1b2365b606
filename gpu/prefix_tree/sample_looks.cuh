/* sample_looks.cuh - how the keys of a sample look by leading bits: whether they are even, and
 * whether they lie near their places. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_PREFIX_TREE_SAMPLE_LOOKS_CUH
#define USW_GPU_PREFIX_TREE_SAMPLE_LOOKS_CUH

#include "gpu/gpu.cuh"

/* Buckets by leading bits: the last `bits` of key >> shift. */
template <typename K> struct hybrid_leading {
    unsigned bits, top, shift; /* top: the bits by which keys of the window differ */
    K base;                    /* of the window, or 0 */
    K least;                   /* key of the sample */
    unsigned long long range;  /* of the window's keys */
    bool fits, serves;         /* with the bits that the host has foreseen; with these */
    float filled; /* the part of the buckets that even keys fill, if these are not too large */
};

/* Whether most keys of the sample are above those an I-th part of the array before, or below them
 * where most neighbours fall: then it is not of several files in order, but of one. A block
 * calls. */
template <typename K, int I>
__device__ __forceinline__ bool hybrid_is_one_run(const K (&k)[I], bool falls)
{
    bool turns = false;
#pragma unroll
    for (int i = 1; i < I; i++) {
        turns |= falls ? k[i] > k[i - 1] : k[i] < k[i - 1];
    }
    return __syncthreads_count(turns) < 256;
}

/* Whether the array turns in its middle, as several files one behind the other do: most keys of
 * some row of the sample lie below those of the row before. A block calls. */
template <typename K, int I> __device__ __forceinline__ bool hybrid_turns(const K (&k)[I])
{
    bool turns = false;
#pragma unroll
    for (int i = 2; i + 1 < I; i++) {
        turns |= __syncthreads_count(k[i] < k[i - 1]) > 512;
    }
    return turns;
}

/* What a sample shows of buckets by leading bits. even: there are at most a seventh more pairs of
 * keys in one bucket than by chance, and six deviations. apart: most neighbours are in different
 * ones. near: in most stretches most keys are in a few of the buckets. */
struct hybrid_looks {
    bool even, apart, near;
};

/* Looks at a sample, of which all 1024 * I keys are there. Of neighbours in one bucket only the
 * first is counted, as in hybrid_is_crowded, unless keys are single ones. near: buckets that are
 * near, or 0: it is not looked for. A block calls. */
template <typename K, int I>
__device__ __forceinline__ hybrid_looks hybrid_look(const K (&k)[I], const hybrid_leading<K> &l,
                                                    bool singles, unsigned near, unsigned *counts)
{
    USW_SHARED_ARRAY(unsigned, found, [3]);
    const unsigned bits = l.bits;
    const unsigned words = bits > 6 ? 1u << (bits - 1) : 32, mask = (1u << bits) - 1;
    const unsigned part = (1u << bits) / 32, most = part < near ? part : near;
    __syncthreads();
    for (unsigned w = threadIdx.x; w < words; w += 1024) {
        counts[w] = 0;
    }
    if (threadIdx.x < 3) {
        found[threadIdx.x] = 0;
    }
    __syncthreads();
    unsigned keys = 0, pairs = 0, close = 0;
    for (int i = 0; i < I; i++) {
        const unsigned d = static_cast<unsigned>(static_cast<K>(k[i] - l.base) >> l.shift) & mask;
        const unsigned left = __shfl_up_sync(~0u, d, 1);
        if (threadIdx.x % 32 == 0 || d != left || singles) {
            keys++;
            pairs += atomicAdd(&counts[d / 2], 1u << d % 2 * 16) >> d % 2 * 16 & 0xffff;
        }
        if (near != 0) {
            const unsigned middle = __shfl_sync(~0u, d, 16);
            const unsigned away = d > middle ? d - middle : middle - d;
            close += __popc(__ballot_sync(~0u, away <= most)) >= 24;
        }
    }
    keys = __reduce_add_sync(~0u, keys);
    pairs = __reduce_add_sync(~0u, pairs);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&found[0], keys);
        atomicAdd(&found[1], pairs);
        atomicAdd(&found[2], close);
    }
    __syncthreads();
    const float all = static_cast<float>(found[0]);
    const float expected = all * all / (static_cast<float>(2u << bits) * l.filled);
    return {static_cast<float>(found[1]) <= expected * 8 / 7 + 6 * sqrtf(expected) + 8,
            found[0] > 512u * I, near != 0 && found[2] >= 24u * I}; /* of 32 * I stretches */
}

#endif
