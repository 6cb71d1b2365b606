/* 4_scatter_tree.cuh - step 4 of the bucket sort for keys that go by a prefix tree
 * (prefix_tree.cuh): as the other scatters, but a key's digit is of the number of its bucket.
 *
 * A block takes tile after tile, so that it copies the tree to shared memory once and a launch that
 * finds nothing to do is short. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_4_SCATTER_TREE_CUH
#define USW_GPU_BUCKET_SORT_4_SCATTER_TREE_CUH

#include "gpu/bucket_sort/4_scatter_slots.cuh"
#include "gpu/prefix_tree/prefix_tree.cuh"

/* The digit of a scatter, times `unit`. */
template <typename K, unsigned unit> struct hybrid_tree_digit {
    hybrid_window<K> window;
    unsigned below, mask;
    __device__ __forceinline__ unsigned operator()(K key) const
    {
        return (window.bucket(key) >> (TREE_FIRST + below) & mask) * unit;
    }
    template <int N>
    __device__ __forceinline__ void all(const K (&keys)[N], unsigned (&digits)[N]) const
    {
        window.buckets(keys, digits);
#pragma unroll
        for (int i = 0; i < N; i++) {
            digits[i] = (digits[i] >> (TREE_FIRST + below) & mask) * unit;
        }
    }
};

template <typename K> struct hybrid_tree_scatter_args {
    hybrid_scatter_args<K> a;
    const hybrid_tree *tree;
};

/* Shared memory: the slots of the tree, then as the other scatters. */
template <typename K, int NT, int I, int slots> constexpr size_t hybrid_tree_scatter_shared()
{
    return TREE_SLOTS * sizeof(uint2) +
           (slots != 0 ? hybrid_slots_shared<K>(slots) : hybrid_close_shared<K>(NT * I, 256, true));
}

template <typename K, int NT, int I, bool first, bool plain, int MB, int slots, int U>
__global__ __launch_bounds__(NT, MB) void hybrid_scatter_tree(hybrid_tree_scatter_args<K> args)
{
    USW_DYNAMIC_SHARED(unsigned char, memory);
    usw_chained();
    const hybrid_scatter_args<K> &a = args.a;
    if (!a.plan->tree_buckets) {
        return;
    }
    uint2 *table = reinterpret_cast<uint2 *>(memory);
    unsigned char *rest = memory + TREE_SLOTS * sizeof(uint2);
    hybrid_copy_slots<NT>(args.tree, table);
    const hybrid_window<K> window(table, args.tree);
    const hybrid_level<first> l(a.plan);
    const unsigned tiles =
        first ? static_cast<unsigned>((a.n + NT * I - 1) / (NT * I)) : a.tile_begin[l.buckets];
    __syncthreads();
    for (unsigned i = blockIdx.x; i < tiles; i += gridDim.x) {
        if constexpr (slots != 0) {
            hybrid_slots_tile<K, NT, I, first, plain, slots, U, true, true>(
                a, i, rest, [&](const hybrid_level<first> &level) {
                    return hybrid_tree_digit<K, 4>{window, level.below, level.digits - 1};
                });
        } else {
            const hybrid_close_buffer<K> s(rest);
            for (unsigned d = threadIdx.x; d < 256; d += NT) {
                s.cnt[d] = 0;
            }
            hybrid_tile<K> t;
            if (hybrid_find_tile<K, NT * I, first>(a, l, i, s.sums + 16, t)) {
                const hybrid_tree_digit<K, 1> digit = {window, l.below, l.digits - 1};
                hybrid_scatter_tile<K, NT, I, plain, true>(t, a.out, a.map, digit, s);
            }
        }
        __syncthreads();
    }
}

#endif
