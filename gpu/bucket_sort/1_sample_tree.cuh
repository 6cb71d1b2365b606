/* 1_sample_tree.cuh - step 1 of the bucket sort: whether keys go by a prefix tree, which is then
 * made, and whether they look as if they lay near their places. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_1_SAMPLE_TREE_CUH
#define USW_GPU_BUCKET_SORT_1_SAMPLE_TREE_CUH

#include "gpu/bucket_sort/1_sample_few.cuh"
#include "gpu/bucket_sort/tuning.cuh"
#include "gpu/prefix_tree/grow_early.cuh"

/* Buckets by leading bits: the last `bits` of key >> shift. */
template <typename K> struct hybrid_leading {
    unsigned bits, top, shift; /* top: the bits by which keys of the window differ */
    K base;                    /* of the window, or 0 */
    K least;                   /* key of the sample */
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

/* What a sample shows of buckets by leading bits. even: there are at most a seventh more pairs of
 * keys in one bucket than by chance, and six deviations. apart: most neighbours are in different
 * ones. near: in most stretches most keys are in a few of the buckets. */
struct hybrid_looks {
    bool even, apart, near;
};

/* Looks at a sample, of which all 1024 * I keys are there. Of neighbours in one bucket only the
 * first is counted, as in hybrid_is_crowded, unless keys are single ones. near: whether it is
 * looked for. A block calls. */
template <typename K, int I>
__device__ __forceinline__ hybrid_looks hybrid_look(const K (&k)[I], const hybrid_leading<K> &l,
                                                    bool singles, bool near, unsigned *counts)
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
        if (threadIdx.x % 32 == 0 || d != left || singles) {
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
    return {static_cast<float>(found[1]) <= expected * 8 / 7 + 6 * sqrtf(expected) + 8,
            found[0] > 512u * I, near && found[2] >= 24u * I}; /* of 32 * I stretches */
}

/* How many of half the sample may be equal keys. Of 64 bits so many that no bucket of some values
 * has more than step 5 can sort: six deviations above the average. */
template <typename K>
__host__ __device__ __forceinline__ unsigned hybrid_most_repeats(unsigned long long n,
                                                                 unsigned bits)
{
    if (sizeof(K) == 4) {
        return TREE_REPEATS;
    }
    const float size = static_cast<float>(n >> bits), above = (TREE_CAPACITY - size) / 6;
    const float copies = above * above / size, keys = 8192;
    return TREE_REPEATS_BY_CHANCE +
           static_cast<unsigned>(copies * keys * keys / 2 / static_cast<float>(n));
}

/* Whether keys are to go by a tree: those that are not even, or lie near their places. Where most
 * neighbours share a bucket, the tiles of keys of 32 bits have few digits, and a tree is slower but
 * for keys that lie near their places. bits: of its buckets. l: those by leading bits that else
 * come, in which keys are to be even. many: some bucket has many. alike: many keys are equal. near:
 * in, whether it is looked at if keys lie near their places; out, TREE_IF_NEAR if they go by a tree
 * only then. alone: whether the tree is to be of single keys. A block calls. */
template <typename K, int I>
__device__ __forceinline__ bool hybrid_wants_tree(const K (&k)[I], const hybrid_leading<K> &l,
                                                  bool many, bool alike, unsigned &near,
                                                  bool &alone, unsigned *counts)
{
    const bool may_near = near != 0;
    const hybrid_looks looks = hybrid_look<K, I>(k, l, false, may_near && !many, counts);
    const bool unwanted = !many && looks.even && !alike && !looks.near;
    near = !unwanted && sizeof(K) == 4 && !looks.apart ? TREE_IF_NEAR : 0;
    alone = looks.near || near != 0;
    return !unwanted && (near == 0 || may_near);
}

/* Makes the tree, or takes the one that a cluster has grown early, which is waited for. Returns
 * whether it serves. agree: what the sample's keys, which vary in `varying` bits, have in common
 * above these. A block calls. */
template <typename K>
__device__ __forceinline__ bool
hybrid_take_tree(const K *keys, unsigned long long n, const usw_gpu_keymap<K> &map, K agree,
                 unsigned varying, unsigned bits, bool alone, unsigned repeats, bool early,
                 hybrid_tree *tree, void *memory)
{
    if (early) {
        usw_chained_late();
        if (!alone) {
            return tree->enough != 0;
        }
    }
    return hybrid_grow_tree<K>(keys, n, map, agree, varying, bits, alone, repeats, tree, memory);
}

#endif
