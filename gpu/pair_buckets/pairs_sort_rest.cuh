/* pairs_sort_rest.cuh - the bucket sort of pairs: the buckets that pairs_sort.cuh leaves are sorted
 * by larger blocks.
 *
 * These have more pairs; or, of a prefix tree, so many bits that there is no room for places beside
 * them, as buckets of rare keys have: such a bucket is sorted twice, by their lower half and by the
 * upper one. Or all keys are equal, so that pairs are in order. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_PAIR_BUCKETS_PAIRS_SORT_REST_CUH
#define USW_GPU_PAIR_BUCKETS_PAIRS_SORT_REST_CUH

#include "gpu/pair_buckets/pairs_sort.cuh"

/* Writes the keys of bucket b of a tree, which are equal: its pairs are in order. */
template <typename K>
__device__ __forceinline__ void pairs_write_equal(const pairs_local_args<K> &a, unsigned b,
                                                  unsigned long long from, unsigned long long step)
{
    const K key = a.map.unmap(static_cast<K>(a.extents.least[b]));
    const unsigned long long begin = a.starts[b], n = a.starts[b + 1] - begin;
    for (unsigned long long p = from; a.out_keys != nullptr && p < n; p += step) {
        a.out_keys[begin + p] = key;
    }
}

/* Sorts a bucket of a loop. It is not inlined, since the compiler would keep all places of a bucket
 * in registers over the loop. */
template <typename K, unsigned value_bytes, typename S, bool by_tree>
__device__ __noinline__ void pairs_sort_in_turn(const pairs_local_args<K> &a, unsigned i,
                                                unsigned char *buffer)
{
    pairs_sort_bucket<K, value_bytes, S, by_tree>(a, i, buffer);
}

/* Sorts bucket i, whose bits leave no room for places: by their lower half, then by the upper. */
template <typename K, unsigned value_bytes, typename S>
__device__ __noinline__ void pairs_sort_twice(const pairs_local_args<K> &a, unsigned i,
                                              unsigned char *buffer)
{
    using bucket = pairs_bucket<K, value_bytes, S, true>;
    using V = typename bucket::V;
    constexpr unsigned lower = sizeof(K) * 4;
    const unsigned long long begin = a.starts[i];
    bucket b(buffer);
    pairs_know(b, a, i, begin);
    K *keys = const_cast<K *>(a.keys) + begin;
    V *values = static_cast<V *>(a.values) + begin;
    const unsigned own = pairs_own(values), left = b.left, fill = b.fill;
    for (unsigned half = 0; half < 2; half++) {
        b.skip = half == 0 ? 0 : lower;
        b.left = half == 0 ? lower : left - lower;
        b.fill = half == 0 ? 256 : fill;
        if (S::early) {
            b.bring(values, own);
        }
        b.template sort<true>(keys, own);
        b.write_moved(keys, values, a.map, half == 1, own);
        __syncthreads();
    }
}

/* Sorts the buckets of the list, which pairs_local leaves; those of very many equal keys are shared
 * by all blocks. */
template <typename K, unsigned value_bytes, typename S>
__global__ void __launch_bounds__(S::threads, S::blocks)
    pairs_local_rest(const __grid_constant__ pairs_local_args<K> a, unsigned buckets)
{
    USW_DYNAMIC_SHARED(unsigned char, buffer);
    usw_chained_before(&a.plan->keys.begun);
    if (!a.plan->split) {
        return;
    }
    const bool by_tree = a.plan->keys.by_tree != 0;
    const unsigned number = a.plan->rest, alike = a.plan->alike;
    for (unsigned at = blockIdx.x; at < number; at += gridDim.x) {
        const unsigned b = a.rest[at], left = by_tree ? a.extents.left[b] : 1;
        const bool wide = by_tree && pairs_apart(left, S::place_bits, sizeof(K) * 8);
        if (threadIdx.x == 0) {
            PAIRS_WAY("equal keys are written by a block", left == 0);
            PAIRS_WAY("a bucket is sorted twice", left != 0 && wide);
            PAIRS_WAY("a larger block sorts a bucket of a tree", by_tree && !wide);
            PAIRS_WAY("a larger block sorts a bucket by leading bits", !by_tree);
        }
        if (left == 0) {
            pairs_write_equal(a, b, threadIdx.x, S::threads);
        } else if (wide) {
            pairs_sort_twice<K, value_bytes, S>(a, b, buffer);
        } else if (by_tree) {
            pairs_sort_in_turn<K, value_bytes, S, true>(a, b, buffer);
        } else {
            pairs_sort_in_turn<K, value_bytes, S, false>(a, b, buffer);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        PAIRS_WAY("equal keys are written by all blocks", alike != 0);
    }
    for (unsigned i = 0; i < alike; i++) {
        pairs_write_equal(a, a.rest[buckets - 1 - i], blockIdx.x * size_t(S::threads) + threadIdx.x,
                          gridDim.x * size_t(S::threads));
    }
}

#endif
