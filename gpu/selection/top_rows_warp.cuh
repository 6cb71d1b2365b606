/* top_rows_warp.cuh - the k best of short rows, a warp a row.
 *
 * The keys are in registers. The limit is the k-th least of the lanes' least keys, so that at least
 * k do not exceed it; those are sorted by a network. Where more than 512 do not, since many are
 * equal, the limit is made of key and position; where that leaves too many, too, the best are taken
 * one by one. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_SELECTION_TOP_ROWS_WARP_CUH
#define USW_GPU_SELECTION_TOP_ROWS_WARP_CUH

#include "gpu/selection/top_row_args.cuh"

#include <type_traits>

template <typename E> __device__ __forceinline__ E usw_top_from_lane(E v, unsigned lane)
{
    if constexpr (sizeof(E) == 16) {
        const uint64_t high = __shfl_sync(~0u, static_cast<uint64_t>(v >> 64), int(lane));
        const uint64_t low = __shfl_sync(~0u, static_cast<uint64_t>(v), int(lane));
        return static_cast<E>(high) << 64 | low;
    } else {
        return __shfl_sync(~0u, v, int(lane));
    }
}

template <typename E> __device__ __forceinline__ E usw_top_least_of_warp(E v)
{
    for (unsigned d = 16; d > 0; d /= 2) {
        const E other = usw_shuffle_xor(v, d);
        v = other < v ? other : v;
    }
    return v;
}

/* Sorts a warp's buffer of `count` numbers, up to 32 I, and writes the k best. */
template <unsigned I, typename K, typename E>
__device__ __forceinline__ void
usw_top_sort_buffer(const usw_top_args<K> &a, const usw_top_numbers<K, E> &by, const E *buffer,
                    unsigned count, uint64_t row, unsigned k)
{
    const unsigned lane = threadIdx.x % 32;
    E x[I];
#pragma unroll
    for (unsigned i = 0; i < I; i++) {
        x[i] = lane * I + i < count ? buffer[lane * I + i] : static_cast<E>(~E(0));
    }
    usw_block_sort<E, I>::template sort_lanes<32>(x);
#pragma unroll
    for (unsigned i = 0; i < I; i++) {
        if (lane * I + i < k) {
            usw_top_put(a, row * a.k + lane * I + i, by.key(x[i]), by.position(x[i]));
        }
    }
}

/* A lane's keys of a row, mapped: key i stands at 32 i + lane. */
template <typename K, unsigned items> struct usw_top_warp_row {
    K x[items];
    unsigned n;

    __device__ __forceinline__ void load(const K *keys, unsigned count,
                                         const usw_gpu_keymap<K> &map)
    {
        n = count;
#pragma unroll
        for (unsigned i = 0; i < items; i++) {
            const unsigned j = 32 * i + threadIdx.x % 32;
            x[i] = j < n ? map.map(keys[j]) : static_cast<K>(~K(0));
        }
    }
    /* Those behind the row, of ones, too. */
    template <typename F> __device__ __forceinline__ void each(F f) const
    {
#pragma unroll
        for (unsigned i = 0; i < items; i++) {
            f(x[i], 32 * i + threadIdx.x % 32);
        }
    }
};

/* Takes the k best one by one, by the least number above the one before. */
template <typename K, typename E, unsigned items>
__device__ __forceinline__ void usw_top_one_by_one(const usw_top_warp_row<K, items> &mine,
                                                   const usw_top_numbers<K, E> &by, unsigned k,
                                                   E *buffer)
{
    E last = 0;
    for (unsigned t = 0; t < k; t++) {
        E least = static_cast<E>(~E(0));
        mine.each([&](K mapped, unsigned j) {
            const E number = by.make(mapped, j);
            least = j < mine.n && (t == 0 || number > last) && number < least ? number : least;
        });
        last = usw_top_least_of_warp(least);
        if (threadIdx.x % 32 == 0) {
            buffer[t] = last;
        }
    }
}

/* Collects the numbers that are wanted in the warp's buffer, lane by lane, and returns how many
 * there are. Where they have no room, none is kept. */
template <typename K, typename E, unsigned items, typename F>
__device__ __forceinline__ unsigned usw_top_collect_lanes(const usw_top_warp_row<K, items> &mine,
                                                          const usw_top_numbers<K, E> &by,
                                                          E *buffer, F wanted)
{
    const unsigned lane = threadIdx.x % 32;
    unsigned count = 0;
    mine.each([&](K mapped, unsigned j) { count += wanted(mapped, j) && j < mine.n ? 1 : 0; });
    unsigned upto = count;
#pragma unroll
    for (unsigned d = 1; d < 32; d *= 2) {
        const unsigned left = __shfl_up_sync(~0u, upto, d);
        upto += lane >= d ? left : 0;
    }
    const unsigned all = __shfl_sync(~0u, upto, 31);
    if (all <= usw_top_tuning::warp_room && count > 0) {
        E *to = buffer + (upto - count);
        mine.each([&](K mapped, unsigned j) {
            if (wanted(mapped, j) && j < mine.n) {
                *to++ = by.make(mapped, j);
            }
        });
    }
    __syncwarp();
    return all;
}

/* Where so many keys equal the limit that they have no room: by key and position, then one by
 * one. Returns how many numbers the buffer gets. */
template <typename K, typename E, unsigned items>
__device__ __forceinline__ unsigned usw_top_of_ties(const usw_top_warp_row<K, items> &mine,
                                                    const usw_top_numbers<K, E> &by, unsigned k,
                                                    E *buffer)
{
    E least[1] = {static_cast<E>(~E(0))};
    mine.each([&](K mapped, unsigned j) {
        const E number = j < mine.n ? by.make(mapped, j) : static_cast<E>(~E(0));
        least[0] = number < least[0] ? number : least[0];
    });
    usw_block_sort<E, 1>::template sort_lanes<32>(least);
    const E limit = usw_top_from_lane(least[0], k - 1);
    const unsigned all = usw_top_collect_lanes(mine, by, buffer, [&](K mapped, unsigned j) {
        return j < mine.n && by.make(mapped, j) <= limit;
    });
    if (all > usw_top_tuning::warp_room) {
        usw_top_one_by_one(mine, by, k, buffer);
        return k;
    }
    return all;
}

template <typename K, typename E, unsigned items>
__device__ __forceinline__ void usw_top_of_warp(const usw_top_args<K> &a, uint64_t row,
                                                const K *keys, unsigned n, E *buffer)
{
    using A = std::conditional_t<sizeof(K) == 8, uint64_t, uint32_t>;
    const unsigned k = a.k < n ? static_cast<unsigned>(a.k) : n;
    const usw_top_numbers<K, E> by(a.map, n);
    usw_top_warp_row<K, items> mine;
    mine.load(keys, n, a.map);
    A least[1] = {static_cast<K>(~K(0))};
    mine.each([&](K mapped, unsigned) { least[0] = mapped < least[0] ? mapped : least[0]; });
    usw_block_sort<A, 1>::template sort_lanes<32>(least);
    const K limit = static_cast<K>(__shfl_sync(~0u, least[0], static_cast<int>(k - 1)));
    unsigned all = usw_top_collect_lanes(mine, by, buffer,
                                         [&](K mapped, unsigned) { return mapped <= limit; });
    if (all > usw_top_tuning::warp_room) {
        all = usw_top_of_ties(mine, by, k, buffer);
    }
    __syncwarp();
    if (all <= 32) {
        usw_top_sort_buffer<1>(a, by, buffer, all, row, k);
    } else if (all <= 64) {
        usw_top_sort_buffer<2>(a, by, buffer, all, row, k);
    } else if (all <= 256) {
        usw_top_sort_buffer<8>(a, by, buffer, all, row, k);
    } else {
        usw_top_sort_buffer<usw_top_tuning::warp_room / 32>(a, by, buffer, all, row, k);
    }
    __syncwarp();
}

/* Registers: the keys take 32 a lane, of 64 bits 64. */
template <typename K, typename E, unsigned items>
__global__ void __launch_bounds__(usw_top_tuning::warp_threads, sizeof(K) == 8 ? 4 : 8)
    usw_top_warps(const usw_top_args<K> a)
{
    constexpr unsigned warps = usw_top_tuning::warp_threads / 32;
    USW_SHARED_ARRAY(E, buffers, [warps][usw_top_tuning::warp_room]);
    if (a.rows.bad()) {
        return;
    }
    const size_t step = size_t(gridDim.x) * warps;
    for (size_t r = blockIdx.x * size_t(warps) + threadIdx.x / 32; r < a.rows.rows; r += step) {
        size_t n, at = a.rows.row(r, n);
        if (n > 32 * items) {
            continue;
        }
        if (n > 0) {
            usw_top_of_warp<K, E, items>(a, r, a.keys + at, static_cast<unsigned>(n),
                                         buffers[threadIdx.x / 32]);
        }
        usw_top_fill_rest(a, r, n, threadIdx.x % 32, 32);
    }
}

#endif
