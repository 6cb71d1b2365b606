/* scan.cuh - an exclusive scan over the lanes of a block: lanes of a warp by shuffles at
 * doubling distance, then the warps' sums. */
#ifndef USW_GPU_BLOCK_SCAN_CUH
#define USW_GPU_BLOCK_SCAN_CUH

#include "gpu/gpu.cuh"

/* The sum of v over the lanes before this one; *all of all lanes. All lanes of the block call it,
 * whole warps; sums is shared memory for one number a warp, free again when it returns. */
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
