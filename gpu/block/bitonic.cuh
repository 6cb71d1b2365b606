/* bitonic.cuh - a block sorts n elements in shared memory by the bitonic network (or in global
 * memory that no other block touches). n, of type I, is below half of I's range. Elements past the
 * end count as the greatest: exchanges with them are left out. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BLOCK_BITONIC_CUH
#define USW_GPU_BLOCK_BITONIC_CUH

#include "gpu/gpu.cuh"

/* Puts the smaller element at i. */
template <typename E, typename I>
__device__ __forceinline__ void usw_compare_exchange(E *a, I i, I j)
{
    const E low = a[i], high = a[j];
    if (high < low) {
        a[i] = high;
        a[j] = low;
    }
}

/* Compares elements that are `distance` apart, a power of two. */
template <typename E, typename I>
__device__ __forceinline__ void usw_bitonic_halve(E *a, I n, I distance)
{
    for (I t = threadIdx.x; t < n / 2; t += blockDim.x) {
        const I within = t & (distance - 1), i = 2 * (t - within) + within;
        if (i + distance < n) {
            usw_compare_exchange(a, i, i + distance);
        }
    }
    __syncthreads();
}

/* Sorted blocks of half the size become bitonic: each element is compared with its mirror image,
 * those in the middle first, so that n / 2 lanes take all pairs. */
template <typename E, typename I>
__device__ __forceinline__ void usw_bitonic_mirror(E *a, I n, I block)
{
    const I half = block / 2;
    for (I t = threadIdx.x; t < n / 2; t += blockDim.x) {
        const I within = t & (half - 1), middle = 2 * (t - within) + half;
        if (middle + within < n) {
            usw_compare_exchange(a, middle - 1 - within, middle + within);
        }
    }
    __syncthreads();
}

/* Sorts a[0 .. n). All lanes of the block call it, and may read a when it returns. */
template <typename E, typename I> __device__ __forceinline__ void usw_bitonic_sort(E *a, I n)
{
    for (I block = 2; block < 2 * n; block *= 2) {
        usw_bitonic_mirror(a, n, block);
        for (I distance = block / 4; distance > 0; distance /= 2) {
            usw_bitonic_halve(a, n, distance);
        }
    }
}

#endif
