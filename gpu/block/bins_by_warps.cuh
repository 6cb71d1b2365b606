/* bins_by_warps.cuh - the few bins of a block's keys that are not in order, each sorted by a warp:
 * where many keys are equal, full bins have one value, and a few have two or three. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BLOCK_BINS_BY_WARPS_CUH
#define USW_GPU_BLOCK_BINS_BY_WARPS_CUH

#include "gpu/gpu.cuh"

#include <type_traits>

/* Bins at most, and keys of a lane. */
enum { USW_BINS_MOST = 60, USW_BIN_EACH = 4 };

/* Sorts the items [begin, end) by their order, equal ones as they stand. A warp calls. */
template <typename Bins>
__device__ __forceinline__ void usw_sort_bin(unsigned begin, unsigned end, const Bins &bins)
{
    using T = std::remove_reference_t<decltype(bins.item(0))>;
    using order = decltype(bins.order(T()));
    T own[USW_BIN_EACH];
    order key[USW_BIN_EACH];
    unsigned before[USW_BIN_EACH];
    const unsigned first = begin + threadIdx.x % 32;
#pragma unroll
    for (unsigned j = 0; j < USW_BIN_EACH; j++) {
        const unsigned p = first + 32 * j;
        own[j] = bins.item(p < end ? p : begin);
        key[j] = bins.order(own[j]);
        before[j] = begin;
    }
    for (unsigned q = begin; q < end; q++) {
        const order other = bins.order(bins.item(q));
#pragma unroll
        for (unsigned j = 0; j < USW_BIN_EACH; j++) {
            before[j] += other < key[j] || (other == key[j] && q < first + 32 * j);
        }
    }
    __syncwarp();
#pragma unroll
    for (unsigned j = 0; j < USW_BIN_EACH; j++) {
        if (first + 32 * j < end) {
            bins.item(before[j]) = own[j];
        }
    }
}

/* Puts m items in order that lie in their bins. Returns false, with some bins in order, if too many
 * are not or one has too many items. Bins: item(p), that at place p; order(item), by which they are
 * sorted; falls(p), whether item p has to go before item p - 1; of(p), its bin; begin(bin) and
 * end(bin), the bin's places; mark(bin), whether it was marked before. sums: 61 words, shared. A
 * block of NT threads calls. */
template <int NT, typename Bins>
__device__ __forceinline__ bool usw_sort_bins_by_warps(unsigned m, unsigned *sums, const Bins &bins)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        sums[0] = 0;
    }
    __syncthreads();
    for (unsigned p = threadIdx.x + 1; p < m; p += NT) {
        const unsigned bin = bins.falls(p) ? bins.of(p) : ~0u;
        if (bin != ~0u && !bins.mark(bin)) {
            const unsigned i = atomicAdd(&sums[0], 1u);
            if (i < USW_BINS_MOST) {
                sums[1 + i] = bin;
            }
        }
    }
    __syncthreads();
    const unsigned found = sums[0];
    bool all = found <= USW_BINS_MOST;
    for (unsigned i = threadIdx.x / 32; all && i < found; i += NT / 32) {
        const unsigned begin = bins.begin(sums[1 + i]), end = bins.end(sums[1 + i]);
        all = end - begin <= 32 * USW_BIN_EACH;
        if (all) {
            usw_sort_bin(begin, end, bins);
        }
    }
    return __syncthreads_and(all);
}

#endif
