/* rounds.cuh - rounds of odd-even transposition over a block's keys, and over halves of words
 * (gpu/bucket_sort/5_sort_as_halves.cuh): of 2 * H halves, the first H lie in the low halves of
 * words, the others in the high ones. All threads of a block call. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BLOCK_ROUNDS_CUH
#define USW_GPU_BLOCK_ROUNDS_CUH

#include "gpu/gpu.cuh"

/* Does R rounds of odd-even transposition over the thread's I keys and R on either side. */
template <typename K, int NT, int I, int R>
__device__ __forceinline__ void hybrid_rounds(K *tile, unsigned m)
{
    constexpr int W = I + 2 * R;
    static_assert(I >= R, "neighbours hold what lies outside");
    const unsigned tid = threadIdx.x;
    const bool active = tid / 32 * 32 * I < m;
    K x[W];
    const K *from = tile + static_cast<int>(tid * I) - R;
    if (active) {
#pragma unroll
        for (int j = 0; j < W; j++) {
            if (j < R) {
                x[j] = tid > 0 ? from[j] : K(0);
            } else if (j >= I + R) {
                x[j] = tid < NT - 1 ? from[j] : static_cast<K>(~K(0));
            } else {
                x[j] = from[j];
            }
        }
#pragma unroll
        for (int round = 0; round < R; round++) {
#pragma unroll
            for (int j = round; j + 1 < W - round; j += 2) {
                K a = x[j], b = x[j + 1];
                x[j] = a < b ? a : b;
                x[j + 1] = a < b ? b : a;
            }
        }
    }
    __syncthreads();
    if (active) {
#pragma unroll
        for (int j = 0; j < I; j++) {
            tile[tid * I + j] = x[R + j];
        }
    }
}

/* Does rounds over shared memory until nothing moves: for a bucket with a few larger bins. */
template <typename K, int NT> __device__ __noinline__ void hybrid_more_rounds(K *tile, unsigned m)
{
    unsigned still = 0;
    for (unsigned round = 0; still < 2; round++) {
        bool moved = false;
        for (unsigned p = threadIdx.x * 2 + (round & 1); p + 1 < m; p += 2 * NT) {
            K a = tile[p], b = tile[p + 1];
            if (a > b) {
                tile[p] = b;
                tile[p + 1] = a;
                moved = true;
            }
        }
        still = __syncthreads_or(moved) ? 0 : still + 1;
    }
}

/* ---- halves ---- */

/* The least and the most of two words' halves. */
#ifdef USW_EMULATE
static inline unsigned hybrid_least_halves(unsigned a, unsigned b)
{
    const unsigned low = (a & 0xffff) < (b & 0xffff) ? a : b, high = a >> 16 < b >> 16 ? a : b;
    return (high & 0xffff0000) | (low & 0xffff);
}
static inline unsigned hybrid_most_halves(unsigned a, unsigned b)
{
    const unsigned low = (a & 0xffff) < (b & 0xffff) ? b : a, high = a >> 16 < b >> 16 ? b : a;
    return (high & 0xffff0000) | (low & 0xffff);
}
#else
__device__ __forceinline__ unsigned hybrid_least_halves(unsigned a, unsigned b)
{
    return __vminu2(a, b);
}
__device__ __forceinline__ unsigned hybrid_most_halves(unsigned a, unsigned b)
{
    return __vmaxu2(a, b);
}
#endif

/* Does R rounds over H words, J of a thread and R on either side. */
template <int J, int R>
__device__ __forceinline__ void hybrid_half_rounds(unsigned *words, unsigned H)
{
    constexpr int W = J + 2 * R;
    const unsigned tid = threadIdx.x;
    const bool active = tid / 32 * 32 * J < H;
    unsigned x[W], *mine = words + tid * J;
    if (active) {
#pragma unroll
        for (int j = 0; j < W; j++) {
            x[j] = mine[j - R];
        }
        if (tid == 0) { /* what lies before the high halves is the low halves' last */
#pragma unroll
            for (int j = 0; j < R; j++) {
                x[j] = words[static_cast<int>(H) - R + j] << 16;
            }
        }
        if (tid * J + J == H) {
#pragma unroll
            for (int j = 0; j < R; j++) {
                x[J + R + j] = words[j] >> 16 | 0xffff0000;
            }
        }
#pragma unroll
        for (int round = 0; round < R; round++) {
#pragma unroll
            for (int j = round; j + 1 < W - round; j += 2) {
                const unsigned a = x[j], b = x[j + 1];
                x[j] = hybrid_least_halves(a, b);
                x[j + 1] = hybrid_most_halves(a, b);
            }
        }
    }
    __syncthreads();
    if (active && tid * J < H) {
#pragma unroll
        for (int j = 0; j < J; j++) {
            mine[j] = x[R + j];
        }
    }
}

#endif
