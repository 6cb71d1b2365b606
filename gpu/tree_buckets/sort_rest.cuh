/* sort_rest.cuh - step 5 of the bucket sort for what the other sorts leave: buckets that are too
 * large for them, as those of keys that repeat; of a prefix tree (prefix_tree.cuh) also those that
 * have too many bits left, as rare keys have; and equal keys that no block holds, which are only
 * written. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_TREE_BUCKETS_SORT_REST_CUH
#define USW_GPU_TREE_BUCKETS_SORT_REST_CUH

#include "gpu/bucket_sort/5_sort.cuh"
#include "gpu/bucket_sort/tuning.cuh"

/* Tuning: blocks a multiprocessor that the list would have if all buckets were on it. */
enum { REST_BLOCKS = 15 };

template <typename K> struct hybrid_rest_args {
    K *keys;
    const K *tmp;                   /* where the buckets are if one scatter took them there */
    const unsigned long long *ends; /* of the buckets */
    usw_gpu_keymap<K> map;
    hybrid_plan *plan;
    const hybrid_tree *tree;
    hybrid_extents extents;
    hybrid_rest_lists rest;
    __device__ __forceinline__ const K *from() const
    {
        return plan->tree_buckets == TREE_IN_TMP ? tmp : keys;
    }
    __device__ __forceinline__ unsigned buckets() const
    {
        return 1u << plan->bits;
    }
    __device__ __forceinline__ unsigned left(unsigned b) const
    {
        return plan->rest ? plan->shift : extents.left[b];
    }
    __device__ __forceinline__ unsigned fill(unsigned b) const
    {
        return plan->rest ? 256 : extents.fill[b] + 1u;
    }
    __device__ __forceinline__ hybrid_decoder<K> decoder(unsigned b) const
    {
        return plan->rest ? hybrid_decoder<K>(hybrid_bucket_least(plan, b), plan->shift)
                          : extents.template decoder<K>(b);
    }
    /* How many of `all` small blocks take the buckets of the list, `each` at least: so many that
     * they take about as long as the sorts beside them, which need the room of the others. */
    __device__ __forceinline__ unsigned blocks(unsigned rests, unsigned all, unsigned each) const
    {
        const unsigned long long wanted = REST_BLOCKS * 1ull * rests * each >> plan->bits;
        return wanted > all ? all : wanted < each ? each : static_cast<unsigned>(wanted);
    }
    /* The number of keys of bucket b, which begin at `begin`. */
    __device__ __forceinline__ unsigned long long bucket(unsigned b,
                                                         unsigned long long &begin) const
    {
        begin = b > 0 ? ends[b - 1] : 0;
        return ends[b] - begin;
    }
};

/* It is not inlined, since the compiler would keep places of a bucket in registers over the
 * loop. */
template <typename K, int NT, int I, int B, int R>
__device__ __noinline__ void hybrid_sort_rest(const hybrid_rest_args<K> &a, unsigned b,
                                              unsigned char *buffer)
{
    unsigned long long begin;
    const unsigned m = static_cast<unsigned>(a.bucket(b, begin));
    hybrid_sort_bucket<K, NT, I, B, R, true>(a.from() + begin, a.keys + begin, m, a.left(b), a.map,
                                             buffer, a.decoder(b), a.fill(b));
}

/* The launches of both run beside the sorts of other buckets, which are queued behind them. Blocks
 * take the buckets of a list in turn. The launch for large ones also writes those of few values,
 * and its blocks share equal keys. */
template <typename K, int NT, int I, int B, int R, int MB, bool large>
__global__
__launch_bounds__(NT, MB) void hybrid_local_rest(const __grid_constant__ hybrid_rest_args<K> a)
{
    USW_DYNAMIC_SHARED(unsigned char, buffer);
    USW_SHARED_ARRAY(unsigned, number, [2]);
    if (large) { /* these take longest, and are first */
        usw_chained_before(&a.plan->begun);
    } else {
        usw_chained_beside(&a.plan->begun, gridDim.x);
    }
    if (!a.plan->tree_buckets && !a.plan->rest) {
        return;
    }
    const unsigned rests = a.plan->rests[large];
    const unsigned blocks = large ? gridDim.x : a.blocks(rests, gridDim.x, gridDim.x / MB);
    for (unsigned i = blockIdx.x; i < rests && blockIdx.x < blocks; i = blocks + number[0]) {
        const unsigned b = a.rest.buckets[large ? a.rest.room - 1 - i : i], left = a.left(b);
        if (large && left <= TREE_COUNTED_LEFT) {
            unsigned long long begin;
            const unsigned long long n = a.bucket(b, begin);
            hybrid_write_by_values<K, NT>(a.from() + begin, a.keys + begin, n, left,
                                          a.decoder(b).least, a.map,
                                          reinterpret_cast<unsigned *>(buffer));
        } else {
            hybrid_sort_rest<K, NT, I, B, R>(a, b, buffer);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            number[0] = atomicAdd(&a.plan->rests_taken[large], 1u);
        }
        __syncthreads();
    }
    if (large && a.plan->tree_buckets && a.tree->alike) {
        __syncthreads();
        hybrid_write_shares<K, NT>(a, reinterpret_cast<unsigned *>(buffer), number);
    }
}

#endif
