/* 5_buckets.cuh - the buckets of step 5 of the bucket sort: where they lie, which bits their keys
 * have left, and what a block loads first. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_5_BUCKETS_CUH
#define USW_GPU_BUCKET_SORT_5_BUCKETS_CUH

#include "gpu/bucket_sort/2_count.cuh"
#include "gpu/bucket_sort/plan.cuh"
#include "gpu/prefix_tree/write_values.cuh"

/* Has keys loaded into the second-level cache. */
template <typename K>
__device__ __forceinline__ void hybrid_prefetch(const K *keys, unsigned long long n)
{
#if !defined(USW_EMULATE) && __CUDA_ARCH__ >= 900
    constexpr unsigned V = hybrid_vector<K>::keys;
    const uintptr_t at = (reinterpret_cast<uintptr_t>(keys) + 15) & ~uintptr_t(15);
    if (n >= 2 * V) {
        const unsigned bytes = static_cast<unsigned>(n - (V - 1)) / V * 16;
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" : : "l"(at), "r"(bytes));
    }
#else
    (void)keys;
    (void)n;
#endif
}

/* A bucket as a block sorts it: what its keys are above `extent.least` has `extent.left` bits. */
struct hybrid_bucket {
    hybrid_plan_first plan;
    unsigned long long begin, size;
    hybrid_extents::of_bucket extent;
    bool by_tree;
};

template <typename K> struct hybrid_local_args {
    const K *in;
    K *out;                         /* may be in */
    const unsigned long long *ends; /* of the leading bits' values */
    usw_gpu_keymap<K> map;          /* the scatters have mapped the keys */
    const hybrid_plan *plan;
    hybrid_extents extents; /* of a tree's buckets */
    const K *tmp;           /* where these are if one scatter took them there */
    const unsigned *begun;  /* of usw_chained_beside */
    unsigned asking;
    __device__ __forceinline__ const K *from(const hybrid_plan_first &p) const
    {
        return p.buckets || p.tree_buckets != TREE_IN_TMP ? in : tmp;
    }
    /* Whether a block sorts this bucket: it has some keys, and no more than `most`, or is one of a
     * tree that is written by the counts of its values. */
    __device__ __forceinline__ static bool sorts(const hybrid_bucket &b, unsigned most)
    {
        const bool may = b.by_tree && b.size <= TREE_COUNTED_TIMES * most;
        const bool few =
            may && b.size > most && b.extent.left != 0 && b.extent.left <= TREE_COUNTED_LEFT;
        TREE_WAY(TREE_COUNTS, few && threadIdx.x == 0)
        return b.size != 0 && (b.size <= most || few);
    }
    /* What is to be known of bucket `number`; where not `next`, 0 or another bucket, has more than
     * `most` keys, these are loaded into the second cache. Each of these loads is a trip to that
     * cache, so they leave together, before it is known which of them are of use: the plan may
     * have no buckets at all, so that their ends say nothing. */
    __device__ __forceinline__ hybrid_bucket bucket(unsigned number, unsigned next,
                                                    unsigned most) const
    {
        hybrid_bucket b;
        b.plan = hybrid_first_of(plan);
        const unsigned long long all = usw_load_here(&plan->all), base = usw_load_here(&plan->base);
        unsigned long long end = usw_load_here(ends + number), from_next = 0, to_next = 0;
        b.begin = number > 0 ? usw_load_here(ends + number - 1) : 0;
        if (threadIdx.x < 32 && next != 0) {
            from_next = usw_load_here(ends + next - 1);
            to_next = usw_load_here(ends + next);
        }
        b.extent = extents.of(number);
        b.by_tree = b.plan.tree_buckets != 0;
        if (!b.by_tree) {
            const unsigned left = b.plan.shift + b.plan.group;
            b.extent = {hybrid_window_from(b.plan, base, all) +
                            (static_cast<unsigned long long>(number) << left),
                        left, 256, left};
        }
        if (b.plan.group != 0) {
            const size_t before = size_t(1) << b.plan.group, last = (number + 1) * before - 1;
            b.begin = number > 0 ? ends[last - before] : 0;
            end = ends[last];
        } else if (threadIdx.x == 0 && next != 0 && (b.plan.buckets || b.by_tree)) {
            hybrid_prefetch(from(b.plan) + from_next,
                            to_next - from_next <= most ? to_next - from_next : 0);
        }
        b.size = end - b.begin;
        return b;
    }
    /* Whether there are buckets of the number that the host has foreseen. */
    __device__ __forceinline__ static bool once(const hybrid_plan_first &p)
    {
        return (p.buckets && !p.twice) || p.tree_buckets;
    }
    /* Calls sort(b, next) for this block's share of twice as many buckets, if there are; next: its
     * next one, or 0. A block calls. */
    template <typename F> __device__ __forceinline__ void for_twice(F sort) const
    {
        const unsigned buckets = plan->buckets && plan->twice ? 1u << plan->bits : 0;
        for (unsigned b = blockIdx.x; b < buckets; b += gridDim.x) {
            sort(b, buckets - b > gridDim.x ? b + gridDim.x : 0);
            __syncthreads();
        }
    }
};

#endif
