/* scan.cuh - an exclusive scan over the threads of a block: within a warp by shuffles at doubling
 * distance, then over the warps' sums. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BLOCK_SCAN_CUH
#define USW_GPU_BLOCK_SCAN_CUH

#include "gpu/gpu.cuh"

/* The sum of v over the threads before this one; *all becomes the sum over all. All threads of the
 * block call, in whole warps; sums is shared memory for one number a warp, free again when it
 * returns. */
template <typename T> __device__ __forceinline__ T usw_block_exclusive_scan(T v, T *sums, T *all)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    T inclusive = v;
    for (unsigned d = 1; d < 32; d *= 2) {
        const T below = __shfl_up_sync(~0u, inclusive, d);
        inclusive += lane >= d ? below : 0;
    }
    if (lane == 31) {
        sums[warp] = inclusive;
    }
    __syncthreads();
    T before = 0;
    *all = 0;
    for (unsigned w = 0; w < blockDim.x / 32; w++) {
        before += w < warp ? sums[w] : 0;
        *all += sums[w];
    }
    __syncthreads();
    return before + inclusive - v;
}

#endif
