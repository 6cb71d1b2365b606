/* block_sort.cuh - a block of threads sorts numbers that it holds in registers and shared memory.
 *
 * Idea     Each thread sorts its few numbers by a network. Within a warp, sorted runs are merged by
 *          bitonic networks over shuffles. Between warps, by merge path: each thread finds by
 *          binary search where its part of the merged run begins in the two runs, and merges it.
 *          No step depends on the numbers, so every input takes the same time. */
#ifndef USW_BLOCK_SORT_CUH
#define USW_BLOCK_SORT_CUH

#include "gpu.cuh"

/* A 64-bit key above a 32-bit index. */
using usw_u128 = unsigned __int128;

template <typename E> __device__ __forceinline__ E usw_shuffle_xor(E v, unsigned lanes)
{
    if constexpr (sizeof(E) == 16) {
        uint64_t high = __shfl_xor_sync(~0u, static_cast<uint64_t>(v >> 64), lanes);
        uint64_t low = __shfl_xor_sync(~0u, static_cast<uint64_t>(v), lanes);
        return static_cast<E>(high) << 64 | low;
    } else {
        return __shfl_xor_sync(~0u, v, lanes);
    }
}

template <typename E> __device__ __forceinline__ void usw_order_two(E &a, E &b)
{
    E least = a < b ? a : b;
    b = a < b ? b : a;
    a = least;
}

/* How many of sorted v[0 .. n) are less than x, or not greater (upper). */
template <typename E>
__device__ __forceinline__ unsigned usw_rank_in(const E *v, unsigned n, E x, bool upper)
{
    unsigned low = 0, high = n;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        bool left = upper ? v[middle] <= x : v[middle] < x;
        low = left ? middle + 1 : low;
        high = left ? high : middle;
    }
    return low;
}

template <typename E, unsigned I> struct usw_block_sort {
    /* Sorts a warp's 32 I numbers, I consecutive ones a lane. */
    __device__ __forceinline__ static void sort_warp(E (&a)[I])
    {
        unsigned lane = threadIdx.x & 31;
#pragma unroll
        for (unsigned r = 0; r < I; r++) { /* odd-even within the thread */
#pragma unroll
            for (unsigned i = r & 1; i + 1 < I; i += 2) {
                usw_order_two(a[i], a[i + 1]);
            }
        }
#pragma unroll
        for (unsigned run = 1; run < 32; run *= 2) {
            E other[I];
            bool low = (lane & run) == 0;
#pragma unroll
            for (unsigned i = 0; i < I; i++) {
                other[i] = usw_shuffle_xor(a[I - 1 - i], 2 * run - 1);
            }
#pragma unroll
            for (unsigned i = 0; i < I; i++) {
                a[i] = (other[i] < a[i]) == low ? other[i] : a[i];
            }
#pragma unroll
            for (unsigned by = run / 2; by > 0; by /= 2) {
                bool first = (lane & by) == 0;
#pragma unroll
                for (unsigned i = 0; i < I; i++) {
                    E o = usw_shuffle_xor(a[i], by);
                    a[i] = (o < a[i]) == first ? o : a[i];
                }
            }
#pragma unroll
            for (unsigned by = I / 2; by > 0; by /= 2) {
#pragma unroll
                for (unsigned i = 0; i < I; i++) {
                    if ((i & by) == 0) {
                        usw_order_two(a[i], a[i + by]);
                    }
                }
            }
        }
    }

    /* Merges pairs of runs of `run` numbers in shared memory; a thread takes I of the results. */
    __device__ __forceinline__ static void merge(const E *shared, unsigned run, E (&a)[I])
    {
        unsigned at = threadIdx.x * I, diagonal = at & (2 * run - 1);
        const E *x = shared + (at - diagonal), *y = x + run;
        unsigned low = diagonal > run ? diagonal - run : 0, high = diagonal < run ? diagonal : run;
        while (low < high) {
            unsigned middle = (low + high) / 2;
            bool left = x[middle] <= y[diagonal - 1 - middle];
            low = left ? middle + 1 : low;
            high = left ? high : middle;
        }
        unsigned i = low, j = diagonal - low;
        E left = i < run ? x[i] : 0, right = j < run ? y[j] : 0;
#pragma unroll
        for (unsigned k = 0; k < I; k++) {
            bool take = j >= run || (i < run && left <= right);
            a[k] = take ? left : right;
            if (k + 1 < I) {
                if (take) {
                    i++;
                    left = i < run ? x[i] : 0;
                } else {
                    j++;
                    right = j < run ? y[j] : 0;
                }
            }
        }
    }

    /* Sorts blockDim.x * I numbers into shared; blockDim.x is a power of two and 32 or more. shared
     * must not be in use any more. */
    __device__ __forceinline__ static void sort(E (&a)[I], E *shared)
    {
        sort_warp(a);
        for (unsigned run = 32 * I;; run *= 2) {
#pragma unroll
            for (unsigned i = 0; i < I; i++) {
                shared[threadIdx.x * I + i] = a[i];
            }
            __syncthreads();
            if (run >= blockDim.x * I) {
                return;
            }
            merge(shared, run, a);
            __syncthreads();
        }
    }
};

#endif
