/* 1_sample_tree.cuh - step 1 of the bucket sort: whether keys go by a prefix tree, which is then
 * made, and whether they look as if they lay near their places. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_1_SAMPLE_TREE_CUH
#define USW_GPU_BUCKET_SORT_1_SAMPLE_TREE_CUH

#include "gpu/bucket_sort/1_sample_few.cuh"
#include "gpu/bucket_sort/tuning.cuh"
#include "gpu/prefix_tree/grow.cuh"

/* Buckets by leading bits: the last `bits` of key >> shift. */
template <typename K> struct hybrid_leading {
    unsigned bits, top, shift; /* top: the bits by which keys of the window differ */
    K base;                    /* of the window, or 0 */
    unsigned long long range;  /* of the window's keys */
    bool fits;                 /* with the bits that the host has foreseen */
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

/* Whether the sample is not even enough for leading bits: some bucket has many keys, or there are a
 * seventh more pairs of keys in one bucket than by chance, and six deviations. Of neighbours in one
 * bucket only the first is counted, as in hybrid_is_crowded; where most have such a neighbour, the
 * tiles of keys of 32 bits have few digits, and a tree is slower but for keys that lie near their
 * places. They look as if they did where in most stretches most keys are in a few of the buckets
 * by leading bits, if these are even: near, which is only looked for if it is set. All 1024 * I
 * keys of the sample are there. l: the buckets. A block calls. */
enum tree_wanted { TREE_UNWANTED, TREE_WANTED, TREE_WANTED_IF_NEAR };
template <typename K, int I>
__device__ __forceinline__ tree_wanted hybrid_wants_tree(const K (&k)[I],
                                                         const hybrid_leading<K> &l, bool many,
                                                         bool alike, bool &near, unsigned *counts)
{
    USW_SHARED_ARRAY(unsigned, found, [3]);
    const unsigned bits = l.bits;
    const unsigned words = bits > 6 ? 1u << (bits - 1) : 32, mask = (1u << bits) - 1;
    const unsigned part = (1u << bits) / 32;
    const unsigned most = part < NEAR_DIGITS / 2 ? part : unsigned(NEAR_DIGITS / 2);
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
        if (threadIdx.x % 32 == 0 || d != left) {
            keys++;
            pairs += atomicAdd(&counts[d / 2], 1u << d % 2 * 16) >> d % 2 * 16 & 0xffff;
        }
        if (near) {
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
    const bool even =
        !alike && static_cast<float>(found[1]) <= expected * 8 / 7 + 6 * sqrtf(expected) + 8;
    near = near && !many && found[2] >= 24u * I; /* of 32 * I stretches */
    return !many && even && !near                  ? TREE_UNWANTED
           : sizeof(K) == 8 || found[0] > 512u * I ? TREE_WANTED
                                                   : TREE_WANTED_IF_NEAR;
}

/* How many of half the sample may be equal keys of 64 bits, so that no bucket of some values has
 * more keys than step 5 can sort: six deviations above the average. */
__device__ __forceinline__ unsigned hybrid_most_repeats(unsigned long long n, unsigned bits)
{
    const float size = static_cast<float>(n >> bits), above = (TREE_CAPACITY - size) / 6;
    const float copies = above * above / size, keys = 8192;
    return TREE_REPEATS_BY_CHANCE +
           static_cast<unsigned>(copies * keys * keys / 2 / static_cast<float>(n));
}

/* Makes a tree of a sample for the keys that are to go by one, and returns whether they are.
 * agree: what the sample's keys, which vary in `varying` bits, have in common above these. bits: of
 * its buckets. l: those by leading bits that else come, in which keys are to be even. near: in,
 * whether it is looked at if keys lie near their places; out, TREE_IF_NEAR if they go by a tree
 * only then. A block calls. */
template <typename K, int I>
__device__ __forceinline__ bool
hybrid_choose_tree(const K *keys, unsigned long long n, const usw_gpu_keymap<K> &map,
                   const K (&k)[I], K agree, unsigned varying, unsigned bits,
                   const hybrid_leading<K> &l, bool many, bool alike, unsigned &near,
                   hybrid_tree *tree, unsigned *counts)
{
    const bool may_near = near != 0;
    bool looks_near = may_near;
    const tree_wanted wanted = hybrid_wants_tree<K, I>(k, l, many, alike, looks_near, counts);
    near = wanted == TREE_WANTED_IF_NEAR ? TREE_IF_NEAR : 0;
    if (wanted == TREE_UNWANTED || (near != 0 && !may_near)) {
        return false;
    }
    looks_near |= near != 0;
    return hybrid_grow_tree<K>(
        keys, n, map, agree, varying, bits, looks_near,
        sizeof(K) == 8 ? hybrid_most_repeats(n, bits) : unsigned(TREE_REPEATS), tree, counts);
}

#endif
