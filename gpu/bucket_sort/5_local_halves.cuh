/* 5_local_halves.cuh - step 5 of the bucket sort as halves: blocks take buckets of leading bits, or
 * of a tree (5_sort_as_halves.cuh). */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_5_LOCAL_HALVES_CUH
#define USW_GPU_BUCKET_SORT_5_LOCAL_HALVES_CUH

#include "gpu/bucket_sort/5_sort_as_halves.cuh"

/* Sorts a bucket if it has NT * I - 32 keys or fewer and few enough bits left, as
 * hybrid_sort_one does. */
template <int NT, int I, int B, int ranges>
__device__ __forceinline__ void hybrid_halves_one(const hybrid_local_args<uint32_t> &a,
                                                  const hybrid_bucket &bucket,
                                                  unsigned char *buffer)
{
    using block = hybrid_halves_block<NT, I, B, ranges>;
    if (!a.sorts(bucket, NT * I - 32)) {
        return;
    }
    block b(buffer);
    const unsigned m = static_cast<unsigned>(bucket.size), left = bucket.extent.left;
    const auto decoder = bucket.extent.decoder<uint32_t>();
    const uint32_t *data = a.from(bucket.plan) + bucket.begin;
    uint32_t *to = a.out + bucket.begin;
    if (bucket.by_tree && (left <= TREE_FEW_LEFT || m > NT * I - 32)) {
        hybrid_write_by_values<uint32_t, NT>(data, to, m, left, decoder.least, a.map,
                                             reinterpret_cast<unsigned *>(buffer));
    } else if (left > (ranges > 1 ? 18 : 16)) { /* of a tree: gpu/tree_buckets/sort_rest.cuh */
        if (!HALVES_SURE && !bucket.by_tree) {
            hybrid_sort_bucket<uint32_t, NT, I, B, block::R>(data, to, m, left, a.map, buffer);
        }
    } else if (m <= block::few_keys) {
        hybrid_sort_few_keys(data, to, m, a.map, b.tile, decoder);
    } else if (!b.sort(data, to, m, left, a.map, decoder.least)) {
        b.sort_crowded(data, to, m, a.map, decoder);
    }
}

/* A block sorts each bucket, and has the keys of the bucket `ahead` loaded. */
template <int NT, int I, int B, int MB, int ranges>
__global__ __launch_bounds__(NT, MB) void hybrid_local_halves(hybrid_local_args<uint32_t> a,
                                                              unsigned ahead)
{
    USW_DYNAMIC_SHARED(unsigned char, buffer);
    usw_chained_beside(a.begun, a.asking);
    const unsigned next = gridDim.x - blockIdx.x > ahead ? blockIdx.x + ahead : 0;
    const hybrid_bucket b = a.bucket(blockIdx.x, next, NT * I);
    if (a.once(b.plan)) {
        hybrid_halves_one<NT, I, B, ranges>(a, b, buffer);
    }
}

/* The same of twice as many buckets, as hybrid_local_twice. */
template <int NT, int I, int B, int MB, int ranges>
__global__ __launch_bounds__(NT, MB) void hybrid_halves_twice(hybrid_local_args<uint32_t> a)
{
    USW_DYNAMIC_SHARED(unsigned char, buffer);
    usw_chained_beside(a.begun, a.asking);
    a.for_twice([&](unsigned b, unsigned next) {
        hybrid_halves_one<NT, I, B, ranges>(a, a.bucket(b, next, NT * I), buffer);
    });
}

#endif
