/* scatter_args.cuh - what the scatters of scatter.cuh are given, and their shared memory. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_TREE_BUCKETS_SCATTER_ARGS_CUH
#define USW_GPU_TREE_BUCKETS_SCATTER_ARGS_CUH

#include "gpu/tree_buckets/tuning.cuh"
#include "gpu/bucket_sort/4_scatter.cuh"
#include "gpu/bucket_sort/4_scatter_uncounted.cuh"
#include "gpu/bucket_sort/tuning.cuh"
#include "gpu/prefix_tree/extents.cuh"

template <typename K> struct hybrid_tree_scatter_args {
    hybrid_scatter_args<K> a;
    const hybrid_tree *tree;
    unsigned bits, bits1; /* of the buckets; of the first scatter */
    hybrid_plan *changed; /* a.plan: where it fails */
    unsigned *counts;     /* as in hybrid_uncounted_args */
};

/* The one scatter of scatter_near.cuh; ends: cursors of all buckets. */
template <typename K> struct hybrid_near_args {
    const K *in;
    K *out;
    unsigned long long n;
    usw_gpu_keymap<K> map;
    const hybrid_plan *plan;
    const hybrid_tree *tree;
    unsigned long long *ends;
};

/* Shared memory: the slots of the tree; the counters; of each digit its place, keys of the tile,
 * and those without a slot or where it begins; words of warps; the tile in slots, or close together
 * with the digits of its keys. */
template <typename K>
constexpr size_t hybrid_tree_scatter_shared(int tile, int slots, size_t counters)
{
    const size_t in_slots = slots * sizeof(K), close = tile * (sizeof(K) + 1);
    return TREE_TABLE_BYTES + counters + 256 * 16 + 256 + (in_slots > close ? in_slots : close);
}
/* Of scatter_near.cuh: the slots of the tree; of each digit its place, and of each counter its keys
 * and where they begin; words of warps; the tile with the digits of its keys. */
template <typename K> constexpr size_t hybrid_near_scatter_shared(int tile)
{
    return TREE_TABLE_BYTES + NEAR_DIGITS * 16 + 512 + tile * (sizeof(K) + 2);
}
__host__ __device__ constexpr size_t hybrid_tree_counters(unsigned bits)
{
    return bits < 7 ? 128 : size_t(1) << bits;
}

#endif
