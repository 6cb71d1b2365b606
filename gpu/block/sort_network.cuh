/* sort_network.cuh - a block sorts numbers that it holds in registers and shared memory, in a time
 * that does not depend on them.
 *
 * Idea     Each thread sorts its few numbers by a network. Within a warp, sorted runs are merged by
 *          bitonic networks over shuffles. Between warps, by merge path: each thread finds by
 *          binary search where its part of the merged run begins in the two runs, and merges it.
 *          No step depends on the numbers, so every input takes the same time. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BLOCK_SORT_NETWORK_CUH
#define USW_GPU_BLOCK_SORT_NETWORK_CUH

#include "gpu/gpu.cuh"

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

/* How many of sorted v(0) .. v(n - 1) are less than x, or not greater (upper). */
template <typename V, typename E>
__device__ __forceinline__ unsigned usw_rank_in(V v, unsigned n, E x, bool upper)
{
    unsigned low = 0, high = n;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        const E there = v(middle);
        bool left = upper ? there <= x : there < x;
        low = left ? middle + 1 : low;
        high = left ? high : middle;
    }
    return low;
}

template <typename E, unsigned I> struct usw_block_sort {
    /* Numbers in shared memory have gaps between them, so that threads which each take I of them
     * use different banks: number p is at at(p), and n of them take padded(n). */
    static constexpr unsigned line = 128 / sizeof(E);
    __host__ __device__ static constexpr unsigned at(unsigned p)
    {
        return p + p / line;
    }
    __host__ __device__ static constexpr unsigned padded(unsigned n)
    {
        return at(n) + 1; /* one more number is read, and not used */
    }

    /* Which number sort() wants in a[i]: a warp reads whole lines, and warps without numbers do
     * nothing. */
    __device__ __forceinline__ static unsigned first(unsigned i)
    {
        return threadIdx.x / 32 * (32 * I) + 32 * i + threadIdx.x % 32;
    }

    /* Batcher's merge exchange. */
    __device__ __forceinline__ static void sort_thread(E (&a)[I])
    {
#pragma unroll
        for (unsigned run = 1; run < I; run *= 2) {
#pragma unroll
            for (unsigned by = run; by > 0; by /= 2) {
#pragma unroll
                for (unsigned i = by % run; i + by < I; i++) {
                    const unsigned from = i - by % run;
                    if (from / by % 2 == 0 && i / (2 * run) == (i + by) / (2 * run)) {
                        usw_order_two(a[i], a[i + by]);
                    }
                }
            }
        }
    }

    /* Two neighbouring runs of the threads' numbers, of `run` lanes each, become one. */
    template <unsigned run> __device__ __forceinline__ static void merge_lanes(E (&a)[I])
    {
        const unsigned lane = threadIdx.x & 31;
        const bool low = (lane & run) == 0;
        if constexpr (I == 1) {
            const E other = usw_shuffle_xor(a[0], 2 * run - 1);
            a[0] = (other < a[0]) == low ? other : a[0];
        } else {
#pragma unroll
            for (unsigned i = 0; i < I / 2; i++) {
                const E other = usw_shuffle_xor(a[I - 1 - i], 2 * run - 1);
                const E far = usw_shuffle_xor(a[i], 2 * run - 1);
                a[i] = (other < a[i]) == low ? other : a[i];
                a[I - 1 - i] = (far < a[I - 1 - i]) == low ? far : a[I - 1 - i];
            }
        }
#pragma unroll
        for (unsigned by = run / 2; by > 0; by /= 2) {
            const bool first = (lane & by) == 0;
#pragma unroll
            for (unsigned i = 0; i < I; i++) {
                const E other = usw_shuffle_xor(a[i], by);
                a[i] = (other < a[i]) == first ? other : a[i];
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

    /* Sorts the numbers of each `lanes` lanes, I consecutive ones a lane. */
    template <unsigned lanes> __device__ __forceinline__ static void sort_lanes(E (&a)[I])
    {
        sort_thread(a);
        if constexpr (lanes > 1) {
            merge_lanes<1>(a);
        }
        if constexpr (lanes > 2) {
            merge_lanes<2>(a);
        }
        if constexpr (lanes > 4) {
            merge_lanes<4>(a);
        }
        if constexpr (lanes > 8) {
            merge_lanes<8>(a);
        }
        if constexpr (lanes > 16) {
            merge_lanes<16>(a);
        }
    }

    /* The numbers at [diagonal, diagonal + I) of two merged runs, of na from `from` and of nb
     * behind it. */
    __device__ __forceinline__ static void merge(const E *shared, unsigned from, unsigned na,
                                                 unsigned nb, unsigned diagonal, E (&a)[I])
    {
        unsigned low = diagonal > nb ? diagonal - nb : 0, high = diagonal < na ? diagonal : na;
        while (low < high) {
            const unsigned middle = (low + high) / 2;
            const bool left =
                shared[at(from + middle)] <= shared[at(from + na + diagonal - 1 - middle)];
            low = left ? middle + 1 : low;
            high = left ? high : middle;
        }
        unsigned i = from + low, j = from + na + diagonal - low;
        const unsigned i_end = from + na, j_end = i_end + nb;
        E left = shared[at(i)], right = shared[at(j)];
#pragma unroll
        for (unsigned k = 0; k < I; k++) {
            const bool take = j >= j_end || (i < i_end && left <= right);
            a[k] = take ? left : right;
            i += take ? 1 : 0;
            j += take ? 0 : 1;
            if (k + 1 < I) {
                const E next = shared[at(take ? i : j)];
                left = take ? next : left;
                right = take ? right : next;
            }
        }
    }

    /* Sorts blockDim.x * I numbers into shared, at at(). a[i] is number first(i), and ~0 from
     * `count` on. blockDim.x is a power of two, 32 at least. shared must not be in use any more. */
    __device__ __forceinline__ static void sort(E (&a)[I], E *shared, unsigned count)
    {
        const unsigned mine = threadIdx.x * I;
        if ((mine & ~(32 * I - 1)) < count) {
            sort_lanes<32>(a);
        }
        for (unsigned run = 32 * I;; run *= 2) {
#pragma unroll
            for (unsigned i = 0; i < I; i++) {
                shared[at(mine + i)] = a[i];
            }
            __syncthreads();
            if (run >= blockDim.x * I || run >= count) {
                return;
            }
            if (mine < count) {
                const unsigned diagonal = mine & (2 * run - 1);
                merge(shared, mine - diagonal, run, run, diagonal, a);
            }
            __syncthreads();
        }
    }
};

#endif
