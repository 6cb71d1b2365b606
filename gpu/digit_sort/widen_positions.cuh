/* widen_positions.cuh - positions of 32 bits become positions of 64. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_DIGIT_SORT_WIDEN_POSITIONS_CUH
#define USW_GPU_DIGIT_SORT_WIDEN_POSITIONS_CUH

#include "gpu/gpu.cuh"

/* to[i] = from[i], four of a thread on their way at a time. */
static __global__ void __launch_bounds__(512)
    usw_widen_positions(const uint32_t *from, unsigned long long *to, size_t n)
{
    constexpr unsigned U = 4;
    const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
    size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (; i + (U - 1) * step < n; i += U * step) {
        uint32_t x[U];
#pragma unroll
        for (unsigned u = 0; u < U; u++) {
            x[u] = from[i + u * step];
        }
#pragma unroll
        for (unsigned u = 0; u < U; u++) {
            to[i + u * step] = x[u];
        }
    }
    for (; i < n; i += step) {
        to[i] = from[i];
    }
}

#endif
