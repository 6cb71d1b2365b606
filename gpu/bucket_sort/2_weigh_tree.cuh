/* 2_weigh_tree.cuh - step 2 of the bucket sort, for keys that go by a prefix tree: a larger sample
 * weighs the leaves, and gpu/prefix_tree gives each as many buckets as its share asks for. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_2_WEIGH_TREE_CUH
#define USW_GPU_BUCKET_SORT_2_WEIGH_TREE_CUH

#include "gpu/bucket_sort/2_count.cuh"
#include "gpu/prefix_tree/number_buckets.cuh"

/* The sample: about so many keys for each bucket, at most one key in WEIGHED_PART. */
#define TREE_WEIGHED(bytes) ((bytes) == 8 ? 64 : 32)
enum { TREE_WEIGHED_PART = 4 };

/* The bucket of a key, as the digit of a count. */
template <typename K> struct hybrid_tree_count {
    hybrid_window<K> window;
    __device__ __forceinline__ unsigned operator()(K k) const
    {
        return window.bucket(k);
    }
    template <int N> __device__ __forceinline__ void all(const K (&k)[N], unsigned (&d)[N]) const
    {
        window.buckets(k, d);
    }
    __device__ __forceinline__ K note(K k) const
    {
        return k;
    }
};

/* Counts the keys of each bucket of the tree. memory: hybrid_tree_shared bytes. */
constexpr size_t hybrid_tree_shared(unsigned bits)
{
    return hybrid_count_shared(bits) + TREE_TABLE_BYTES;
}
template <typename K>
__device__ __noinline__ void hybrid_count_by_tree(const K *keys, unsigned long long n,
                                                  usw_gpu_keymap<K> map, hybrid_plan *plan,
                                                  unsigned long long *counts, unsigned *handed,
                                                  const hybrid_tree *tree, unsigned *memory)
{
    hybrid_copy_slots<1024>(tree, memory);
    const hybrid_tree_count<K> digit = {hybrid_window<K>(memory, tree)};
    hybrid_count_block<K>(keys, n, map, plan, counts, handed, memory + TREE_SLOTS, digit);
}

/* The stretches of 32 keys by which leaves are weighed. */
template <typename K>
static unsigned long long hybrid_weigh_stretches(unsigned long long n, unsigned bits)
{
    const unsigned long long wanted = (1ull * TREE_WEIGHED(sizeof(K)) << bits) / 32;
    const unsigned long long most = n / 32 / TREE_WEIGHED_PART;
    return wanted < most ? wanted : most;
}

/* Weighs leaves by stretches of 32 keys, or by as many single keys, evenly spread; the last block
 * numbers the buckets.
 * keys_alone: they carry no values. notes: buckets' leaves are noted, which hybrid_weigh_regions
 * else does. */
template <typename K>
__global__ __launch_bounds__(1024, 1) void hybrid_weigh_tree(const K *keys, unsigned long long n,
                                                             usw_gpu_keymap<K> map, unsigned bits,
                                                             hybrid_plan *plan, hybrid_tree *tree,
                                                             unsigned long long stretches,
                                                             bool keys_alone, bool notes)
{
    constexpr unsigned U = 4;
    USW_DYNAMIC_SHARED(unsigned, memory);
    USW_SHARED(unsigned, ticket);
    usw_chained();
    if (!plan->by_tree) {
        return;
    }
    unsigned *counts = memory + TREE_SLOTS;
    const unsigned slots = tree->begin[tree->levels], lane = threadIdx.x % 32;
    hybrid_copy_slots<1024>(tree, memory);
    for (unsigned i = threadIdx.x; i < TREE_SLOTS; i += 1024) {
        counts[i] = 0;
    }
    __syncthreads();
    const hybrid_window<K> window(memory, tree);
    const unsigned long long warps = gridDim.x * 32ull;
    const hybrid_stretch stretch(n, stretches);
    const bool alone = tree->alone != 0;
    const unsigned long long each = (n << 24) / (stretches * 32); /* in 2^-24 */
    for (unsigned long long l = blockIdx.x * 32ull + threadIdx.x / 32; l < stretches;
         l += warps * U) {
        K k[U];
        unsigned leaf[U];
#pragma unroll
        for (unsigned u = 0; u < U; u++) {
            const unsigned long long line = l + u * warps;
            const unsigned long long at =
                alone ? (line * 32 + lane) * each >> 24 : stretch.place(line) + lane;
            k[u] = line < stretches ? keys[at] : K(0);
        }
        map.map_all(k);
        window.leaves(k, leaf);
#pragma unroll
        for (unsigned u = 0; u < U; u++) {
            if (l + u * warps < stretches) {
                hybrid_count_slot(counts, leaf[u]);
            }
        }
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < slots; i += 1024) {
        if (counts[i] != 0) {
            atomicAdd(&tree->counts[i], counts[i]);
        }
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        ticket = atomicAdd(&tree->done, 1u);
    }
    __syncthreads();
    if (ticket + 1 == gridDim.x) {
        __threadfence();
        hybrid_numbering numbering(tree, memory, keys_alone);
        if (!numbering.number_buckets(bits, notes) && threadIdx.x == 0) {
            plan->by_tree = 0;
            plan->radix = plan->skip = 1;
        }
    }
}

#endif
