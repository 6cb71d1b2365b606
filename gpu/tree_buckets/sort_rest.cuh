/* sort_rest.cuh - step 5 of the bucket sort for what the other sorts leave: buckets that are too
 * large for them, as those of keys that repeat; of a prefix tree (prefix_tree.cuh) also those that
 * have too many bits left, as rare keys have; and equal keys that no block holds, which are only
 * written. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_TREE_BUCKETS_SORT_REST_CUH
#define USW_GPU_TREE_BUCKETS_SORT_REST_CUH

#include "gpu/bucket_sort/5_sort.cuh"
#include "gpu/bucket_sort/tuning.cuh"

template <typename K> struct hybrid_rest_args {
    K *keys;
    const K *tmp;                   /* where the buckets are if one scatter took them there */
    const unsigned long long *ends; /* of the buckets */
    usw_gpu_keymap<K> map;
    hybrid_plan *plan;
    const hybrid_tree *tree;
    hybrid_extents extents;
    unsigned small, most; /* other sorts have sorted buckets of so many keys and bits */
    unsigned wide;        /* larger buckets than this are for blocks of hybrid_rest_shape */
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
    __device__ __forceinline__ hybrid_decoder<K> decoder(unsigned b) const
    {
        return plan->rest ? hybrid_decoder<K>(hybrid_bucket_least(plan, b), plan->shift)
                          : extents.template decoder<K>(b);
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
                                             buffer, a.decoder(b));
}

/* The launches of both run beside the sorts of other buckets, which are queued behind them. A block
 * looks at NT buckets at a time, and sorts those that are left of every gridDim.x-th. The
 * launch for large ones also writes those of few values, and its blocks share equal keys. */
template <typename K, int NT, int I, int B, int R, int MB, bool large>
__global__
__launch_bounds__(NT, MB) void hybrid_local_rest(const __grid_constant__ hybrid_rest_args<K> a)
{
    USW_DYNAMIC_SHARED(unsigned char, buffer);
    USW_SHARED_ARRAY(unsigned, list, [NT]);
    USW_SHARED_ARRAY(unsigned, number, [2]);
    unsigned &found = number[0];
    if (large) {
        usw_chained_beside(&a.plan->begun);
    } else {
        usw_chained_before(&a.plan->begun);
    }
    if (!a.plan->tree_buckets && !a.plan->rest) {
        return;
    }
    const unsigned buckets = a.buckets();
    for (unsigned from = blockIdx.x; from < buckets; from += NT * gridDim.x) {
        const unsigned b = from + threadIdx.x * gridDim.x;
        unsigned long long begin;
        if (threadIdx.x == 0) {
            found = 0;
        }
        __syncthreads();
        const unsigned long long keys = b < buckets ? a.bucket(b, begin) : 0;
        const unsigned left = keys != 0 ? a.left(b) : 0;
        /* Smaller buckets of a tree of few values were written where the others were sorted. */
        const bool few =
            large && left <= TREE_COUNTED_LEFT &&
            (a.plan->rest ? keys > a.small : left != 0 && keys > TREE_COUNTED_TIMES * a.small);
        const bool sorts = left > TREE_COUNTED_LEFT &&
                           (keys > a.small || (a.plan->tree_buckets && left > a.most)) &&
                           (keys > a.wide) == large;
        TREE_WAY(TREE_COUNTS_LARGE, few)
#ifdef USW_EMULATE
        if (keys != 0 && sizeof(K) == 4) {
            emulated_choice("buckets by bits", "large ones of few values", 4, a.plan->rest && few);
            emulated_choice("buckets by bits", "larger ones by large blocks", 4,
                            a.plan->rest && sorts && large);
            emulated_choice("buckets by bits", "larger ones by small blocks", 4,
                            a.plan->rest && sorts && !large);
        }
#endif
        if (few || sorts) {
            list[atomicAdd(&found, 1u)] = b;
        }
        __syncthreads();
        for (unsigned i = 0; i < found; i++) {
            if (large && a.left(list[i]) <= TREE_COUNTED_LEFT) {
                const unsigned long long n = a.bucket(list[i], begin);
                hybrid_write_by_values<K, NT>(a.from() + begin, a.keys + begin, n, a.left(list[i]),
                                              a.decoder(list[i]).least, a.map,
                                              reinterpret_cast<unsigned *>(buffer));
            } else {
                hybrid_sort_rest<K, NT, I, B, R>(a, list[i], buffer);
            }
            __syncthreads();
        }
    }
    if (large && a.plan->tree_buckets && a.tree->alike) {
        __syncthreads();
        hybrid_write_shares<K, NT>(a, reinterpret_cast<unsigned *>(buffer), number);
    }
}

#endif
