/* sort_bins.cuh - a block of threads sorts numbers by bins, where they are spread evenly enough.
 *
 * Idea     The range from the least to the greatest number is cut into as many bins as there are
 *          numbers, each 2^shift wide. An atomic addition counts a bin and gives each of its
 *          numbers a place in it; then each is compared with all of its bin. A bin of more than 32
 *          numbers makes it give up before anything has moved: gpu/block/sort_network.cuh then
 *          sorts, in a time that does not depend on the numbers. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BLOCK_SORT_BINS_CUH
#define USW_GPU_BLOCK_SORT_BINS_CUH

#include "gpu/block/sort_network.cuh"

/* USW_BINS_FROM: fewer numbers are sorted faster by a warp or two. */
#ifdef USW_EMULATE
enum : unsigned { USW_BINS = 256, USW_BIN_MOST = 8, USW_BINS_FROM = 32 };
#else
enum : unsigned { USW_BINS = 4096, USW_BIN_MOST = 32, USW_BINS_FROM = 128 };
#endif

template <typename E> struct usw_bins_shared {
    E least[32], most[32]; /* of warps; then of all */
    unsigned shift;
    unsigned sums[32];
    /* Aligned, since four bins are read at once: from other addresses the compiler reads the word
     * before them, too. */
    alignas(16) unsigned bins[USW_BINS + 1];
};

template <typename E, unsigned I> struct usw_block_bins {
    using sorter = usw_block_sort<E, I>;
    static constexpr unsigned own =
        I < 4 ? I : 4; /* bins of a thread, so blockDim.x * 4 <= USW_BINS */

    static __device__ __forceinline__ void warp_range(E &least, E &most)
    {
        if constexpr (sizeof(E) == 4) {
            least = __reduce_min_sync(~0u, least);
            most = __reduce_max_sync(~0u, most);
        } else {
#pragma unroll
            for (unsigned by = 16; by > 0; by /= 2) {
                const E low = usw_shuffle_xor(least, by), high = usw_shuffle_xor(most, by);
                least = low < least ? low : least;
                most = high > most ? high : most;
            }
        }
    }
    static __device__ __forceinline__ unsigned bit_length(E v)
    {
        if constexpr (sizeof(E) == 16) {
            const uint64_t high = static_cast<uint64_t>(v >> 64);
            return high != 0 ? 128 - __clzll(static_cast<long long>(high))
                             : 64 - __clzll(static_cast<long long>(v));
        } else {
            return 64 - __clzll(static_cast<long long>(v));
        }
    }

    /* Finds room.least[0] and room.shift, and clears the bins. */
    static __device__ __forceinline__ void look(const E (&a)[I], unsigned count,
                                                usw_bins_shared<E> &table)
    {
        const unsigned lane = threadIdx.x % 32, warps = blockDim.x / 32;
        E least = static_cast<E>(~E(0)), most = 0;
#pragma unroll
        for (unsigned i = 0; i < I; i++) {
            if (sorter::first(i) < count) {
                least = a[i] < least ? a[i] : least;
                most = a[i] > most ? a[i] : most;
            }
        }
        warp_range(least, most);
        if (lane == 0) {
            table.least[threadIdx.x / 32] = least;
            table.most[threadIdx.x / 32] = most;
        }
#pragma unroll
        for (unsigned i = 0; i < own; i++) {
            table.bins[i * blockDim.x + threadIdx.x] = 0;
        }
        __syncthreads();
        if (threadIdx.x < 32) {
            least = lane < warps ? table.least[lane] : static_cast<E>(~E(0));
            most = lane < warps ? table.most[lane] : E(0);
            warp_range(least, most);
            const unsigned bits = bit_length(static_cast<E>(most - least));
            const unsigned enough = bit_length(own * blockDim.x) - 1;
            if (lane == 0) {
                table.least[0] = least;
                table.shift = bits > enough ? bits - enough : 0;
                table.bins[own * blockDim.x] = count;
            }
        }
        __syncthreads();
    }

    /* Turns the counts of bins into the sums of all counts before. */
    static __device__ __forceinline__ void scan(usw_bins_shared<E> &table)
    {
        const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        unsigned n[own], sum = 0;
#pragma unroll
        for (unsigned i = 0; i < own; i++) {
            n[i] = table.bins[threadIdx.x * own + i];
            sum += n[i];
        }
        const unsigned mine = sum;
#pragma unroll
        for (unsigned by = 1; by < 32; by *= 2) {
            const unsigned other = __shfl_up_sync(~0u, sum, by);
            sum += lane >= by ? other : 0;
        }
        if (lane == 31) {
            table.sums[warp] = sum;
        }
        __syncthreads();
        unsigned before = sum - mine + __reduce_add_sync(~0u, lane < warp ? table.sums[lane] : 0);
#pragma unroll
        for (unsigned i = 0; i < own; i++) {
            table.bins[threadIdx.x * own + i] = before;
            before += n[i];
        }
        __syncthreads();
    }

    /* Sorts `count` numbers, a[i] being number sorter::first(i), to shared, at sorter::at().
     * Returns false, with nothing moved, if some bin is too full. */
    static __device__ __forceinline__ bool sort(const E (&a)[I], E *shared, unsigned count,
                                                usw_bins_shared<E> &table)
    {
        look(a, count, table);
        const E low = table.least[0];
        const unsigned shift = table.shift;
        unsigned bin[I], place[I], most = 0;
#pragma unroll
        for (unsigned i = 0; i < I; i++) {
            bin[i] = static_cast<unsigned>(static_cast<E>(a[i] - low) >> shift);
            place[i] = 0;
            if (sorter::first(i) < count) {
                place[i] = atomicAdd(&table.bins[bin[i]], 1u);
                most = place[i] > most ? place[i] : most;
            }
        }
        if (__syncthreads_or(shift != 0 && most >= USW_BIN_MOST)) {
            return false;
        }
        scan(table);
#pragma unroll
        for (unsigned i = 0; i < I; i++) {
            if (sorter::first(i) < count) {
                place[i] += table.bins[bin[i]];
                shared[sorter::at(place[i])] = a[i];
            }
        }
        __syncthreads();
        if (shift == 0) { /* the numbers of a bin are equal */
            return true;
        }
#pragma unroll
        for (unsigned i = 0; i < I; i++) {
            if (sorter::first(i) < count) {
                const unsigned begin = table.bins[bin[i]], end = table.bins[bin[i] + 1];
                unsigned before = begin;
                for (unsigned p = begin; p < end; p++) {
                    const E x = shared[sorter::at(p)];
                    before += x < a[i] || (x == a[i] && p < place[i]);
                }
                place[i] = before;
            }
        }
        __syncthreads();
#pragma unroll
        for (unsigned i = 0; i < I; i++) {
            if (sorter::first(i) < count) {
                shared[sorter::at(place[i])] = a[i];
            }
        }
        __syncthreads();
        return true;
    }
};

/* Sorts by bins if there are enough numbers and no bin is too full, else by the network. Numbers
 * from `count` on are ~0. */
template <typename E, unsigned I>
__device__ __forceinline__ void usw_sort_spread(E (&a)[I], E *shared, unsigned count,
                                                usw_bins_shared<E> &table)
{
    if (count <= USW_BINS_FROM || !usw_block_bins<E, I>::sort(a, shared, count, table)) {
        usw_block_sort<E, I>::sort(a, shared, count);
    }
}

#endif
