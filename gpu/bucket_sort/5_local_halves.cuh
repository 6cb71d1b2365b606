/* 5_local_halves.cuh - step 5 of the bucket sort as halves: blocks take buckets of leading bits, or
 * of a tree (5_sort_as_halves.cuh). */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_5_LOCAL_HALVES_CUH
#define USW_GPU_BUCKET_SORT_5_LOCAL_HALVES_CUH

#include "gpu/bucket_sort/5_sort_as_halves.cuh"

/* Sorts a bucket of a tree, of m keys from `begin` on, that has few enough bits left. */
template <int NT, int I, int B, int ranges>
__device__ __forceinline__ void
hybrid_halves_of_tree(const hybrid_local_args<uint32_t> &a, const hybrid_extents::of_bucket &extent,
                      unsigned long long begin, unsigned m, unsigned char *buffer)
{
    using block = hybrid_halves_block<NT, I, B, ranges, true>;
    block b(buffer);
    const unsigned left = extent.left;
    const auto decoder = extent.decoder<uint32_t>();
    const uint32_t *data = a.from() + begin;
    uint32_t *to = a.out + begin;
    if (left <= TREE_FEW_LEFT || m > NT * I - 32) {
        hybrid_write_by_values<uint32_t, NT>(data, to, m, left, decoder.least, a.map,
                                             reinterpret_cast<unsigned *>(buffer));
    } else if (left > (ranges > 1 ? 18 : 16)) {
        return; /* gpu/tree_buckets/sort_rest.cuh */
    } else if (m <= block::few_keys) {
        hybrid_sort_few_keys(data, to, m, a.map, b.tile, decoder);
    } else if (!b.sort(data, to, m, left, a.map, decoder.least)) {
        b.sort_crowded(data, to, m, a.map, decoder);
    }
}

/* Sorts bucket `number` if it has NT * I - 32 keys or fewer, as hybrid_sort_numbered does. */
template <int NT, int I, int B, int ranges>
__device__ __forceinline__ void hybrid_halves_numbered(const hybrid_local_args<uint32_t> &a,
                                                       unsigned number, unsigned char *buffer)
{
    const unsigned group = a.plan->group;
    const bool by_tree = a.plan->tree_buckets != 0;
    const size_t last = ((number + size_t(1)) << group) - 1, before = size_t(1) << group;
    const hybrid_extents::of_bucket extent(a.extents, number, by_tree);
    const unsigned long long begin = number > 0 ? a.ends[last - before] : 0;
    const unsigned long long size = a.ends[last] - begin;
    if (size == 0 || (size > NT * I - 32 && !a.counts(extent.left, size, NT * I - 32))) {
        return;
    }
    if (by_tree) {
        hybrid_halves_of_tree<NT, I, B, ranges>(a, extent, begin, static_cast<unsigned>(size),
                                                buffer);
        return;
    }
    using block = hybrid_halves_block<NT, I, B, ranges>;
    block b(buffer);
    const unsigned m = static_cast<unsigned>(size), left = a.plan->shift + group;
    const uint32_t *data = a.in + begin;
    uint32_t *to = a.out + begin;
    if (!HALVES_SURE && left > 16 && ranges >> (left - 16) == 0) {
        hybrid_sort_bucket<uint32_t, NT, I, B, block::R>(data, to, m, left, a.map, buffer);
    } else if (m <= block::few_keys) {
        hybrid_sort_few_keys(data, to, m, a.map, b.tile);
    } else if (!b.sort(data, to, m, left, a.map)) {
        b.sort_crowded(data, to, m, a.map);
    }
}

/* A block sorts each bucket, and has the keys of the bucket `ahead` loaded. */
template <int NT, int I, int B, int MB, int ranges>
__global__ __launch_bounds__(NT, MB) void hybrid_local_halves(hybrid_local_args<uint32_t> a,
                                                              unsigned ahead)
{
    USW_DYNAMIC_SHARED(unsigned char, buffer);
    usw_chained_beside(a.begun);
    if ((!a.plan->buckets || a.plan->twice) && !a.plan->tree_buckets) {
        return;
    }
    if (threadIdx.x == 0 && gridDim.x - blockIdx.x > ahead && a.plan->group == 0) {
        a.ask_for(blockIdx.x + ahead, NT * I);
    }
    hybrid_halves_numbered<NT, I, B, ranges>(a, blockIdx.x, buffer);
}

/* The same of twice as many buckets, as hybrid_local_twice. */
template <int NT, int I, int B, int MB, int ranges>
__global__ __launch_bounds__(NT, MB) void hybrid_halves_twice(hybrid_local_args<uint32_t> a)
{
    USW_DYNAMIC_SHARED(unsigned char, buffer);
    usw_chained_beside(a.begun);
    a.for_twice(NT * I,
                [&](unsigned b) { hybrid_halves_numbered<NT, I, B, ranges>(a, b, buffer); });
}

#endif
