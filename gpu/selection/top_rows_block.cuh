/* top_rows_block.cuh - the k best of longer rows, a block a row.
 *
 * A limit that a little more than k numbers do not exceed is found by digits: of a row that the
 * threads' registers hold, of the row itself; of a longer one, of a sample. What does not exceed
 * it is collected in shared memory by one read, and sorted there. Where the sample was wrong, and
 * too few or too many were collected, the limit is found in the row, a read a digit. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_SELECTION_TOP_ROWS_BLOCK_CUH
#define USW_GPU_SELECTION_TOP_ROWS_BLOCK_CUH

#include "gpu/selection/top_row_args.cuh"

/* Collects the numbers up to limit, and returns how many there are; those beyond `room` are not
 * kept. each(most, f) calls f(mapped key, position) for the keys whose mapped key is not above
 * `most`. */
template <typename K, typename E, typename F>
__device__ __forceinline__ unsigned usw_top_collect_up_to(usw_top_shared<E> &s,
                                                          const usw_top_numbers<K, E> &by, E limit,
                                                          E *numbers, unsigned room, F each)
{
    const K most = static_cast<E>(limit >> by.position_bits) > static_cast<E>(static_cast<K>(~K(0)))
                       ? static_cast<K>(~K(0))
                       : by.mapped(limit);
    if (threadIdx.x == 0) {
        s.count = 0;
    }
    __syncthreads();
    each(most, [&](K mapped, uint64_t position) {
        const E number = by.make(mapped, position);
        if (number <= limit) {
            const unsigned place = atomicAdd(&s.count, 1u);
            if (place < room) {
                numbers[place] = number;
            }
        }
    });
    __syncthreads();
    return s.count;
}

/* Sorts `count` collected numbers where they are, up to I a thread, and writes the k best. */
template <unsigned I, typename K, typename E>
__device__ __forceinline__ void usw_top_sort_collected(const usw_top_args<K> &a,
                                                       const usw_top_numbers<K, E> &by, E *numbers,
                                                       unsigned count, uint64_t row, unsigned k)
{
    using sorter = usw_block_sort<E, I>;
    E x[I];
#pragma unroll
    for (unsigned i = 0; i < I; i++) {
        const unsigned j = sorter::first(i);
        x[i] = j < count ? numbers[j] : static_cast<E>(~E(0));
    }
    __syncthreads();
    sorter::sort(x, numbers, count);
    for (unsigned j = threadIdx.x; j < k; j += blockDim.x) {
        const E number = numbers[sorter::at(j)];
        usw_top_put(a, row * a.k + j, by.key(number), by.position(number));
    }
}

/* How many numbers of a sample of `count` keys of n are to be within the limit: what k keys are in
 * it, and four deviations and 8 more, but so few that what they stand for has room. */
__device__ __forceinline__ unsigned usw_top_sample_rank(uint64_t n, unsigned count, unsigned k,
                                                        unsigned room)
{
    const float share = static_cast<float>(count) / static_cast<float>(n);
    const float rank = static_cast<float>(k) * share,
                most = 0.8f * static_cast<float>(room) * share;
    float r = rank + 4.0f * sqrtf(rank) + 8.0f;
    const float least = 0.5f * (rank + most);
    r = r > most ? (least < most ? least : most) : r;
    return r < 1.0f ? 1 : static_cast<unsigned>(r);
}

/* The limit of a row that the threads' registers do not hold, by a sample. */
template <typename K, typename E>
__device__ __forceinline__ E usw_top_limit_of_sample(usw_top_shared<E> &s,
                                                     const usw_top_numbers<K, E> &by, const K *keys,
                                                     uint64_t n, unsigned k, unsigned room)
{
    E x[usw_top_tuning::held];
    const unsigned count = blockDim.x * usw_top_tuning::held;
#pragma unroll
    for (unsigned i = 0; i < usw_top_tuning::held; i++) {
        const uint64_t at = usw_top_sample_place(n, count, i * blockDim.x + threadIdx.x);
        x[i] = by.make(by.map.map(keys[at]), at);
    }
    const unsigned rank = usw_top_sample_rank(n, count, k, room);
    return usw_top_limit<E>(
        s,
        [&](auto f) {
#pragma unroll
            for (unsigned i = 0; i < usw_top_tuning::held; i++) {
                f(x[i], true);
            }
        },
        by.bits(), rank, rank + rank / 8);
}

template <typename K, typename E>
__device__ __forceinline__ unsigned
usw_top_collect_held(usw_top_shared<E> &s, const usw_top_numbers<K, E> &by, const K *keys,
                     uint64_t n, unsigned k, E *numbers, unsigned room)
{
    K x[usw_top_tuning::held];
    const unsigned count = static_cast<unsigned>(n);
#pragma unroll
    for (unsigned i = 0; i < usw_top_tuning::held; i++) {
        const unsigned j = i * blockDim.x + threadIdx.x;
        x[i] = j < count ? by.map.map(keys[j]) : K(0);
    }
    const auto each = [&](auto f) {
#pragma unroll
        for (unsigned i = 0; i < usw_top_tuning::held; i++) {
            const unsigned j = i * blockDim.x + threadIdx.x;
            f(x[i], uint64_t(j), j < count);
        }
    };
    E limit = static_cast<E>(~E(0));
    const unsigned few = k + k / 4 > blockDim.x ? k + k / 4 : blockDim.x;
    if (count > 2 * blockDim.x) {
        const auto numbers_of = [&](auto f) {
            each([&](K mapped, uint64_t j, bool there) { f(by.make(mapped, j), there); });
        };
        limit = usw_top_limit<E>(s, numbers_of, by.bits(), k, few < room ? few : room);
    }
    return usw_top_collect_up_to(s, by, limit, numbers, room, [&](K most, auto f) {
        each([&](K mapped, uint64_t j, bool there) {
            if (there && mapped <= most) {
                f(mapped, j);
            }
        });
    });
}

template <typename K, typename E>
__device__ __forceinline__ unsigned
usw_top_collect_long(usw_top_shared<E> &s, const usw_top_numbers<K, E> &by, const K *keys,
                     uint64_t n, unsigned k, E *numbers, unsigned room)
{
    const auto each = [&](K most, auto f) {
        usw_top_each_up_to<USW_TOP_VECTORS<K>>(keys, n, by.map, most, f);
    };
    const E guess = usw_top_limit_of_sample(s, by, keys, n, k, room);
    unsigned count = usw_top_collect_up_to(s, by, guess, numbers, room, each);
    if (count < k || count > room) {
        __syncthreads();
        const auto numbers_of = [&](auto f) {
            usw_top_each_key<1>(keys, n, threadIdx.x, blockDim.x,
                                [&](K key, uint64_t position, bool there) {
                                    f(by.make(by.map.map(key), position), there);
                                });
        };
        const E limit = usw_top_limit<E>(s, numbers_of, by.bits(), k, room);
        count = usw_top_collect_up_to(s, by, limit, numbers, room, each);
    }
    return count;
}

/* most: threads of a block, at most. */
template <typename K, typename E, unsigned most>
__global__ void __launch_bounds__(most, most == usw_top_tuning::threads ? 3 : 1)
    usw_top_blocks(const usw_top_args<K> a)
{
    USW_DYNAMIC_SHARED(E, numbers);
    USW_SHARED(usw_top_shared<E>, s);
    if (a.rows.bad()) {
        return;
    }
    const unsigned room = blockDim.x * USW_TOP_ITEMS<E>;
    const size_t rows = a.rows.longs();
    for (size_t i = blockIdx.x; i < rows; i += gridDim.x) {
        const size_t row = a.rows.long_row(i);
        size_t n, at = a.rows.row(row, n);
        const unsigned k = static_cast<unsigned>(a.k < n ? a.k : n);
        if (n > 0) {
            const usw_top_numbers<K, E> by(a.map, n);
            const unsigned count =
                n <= size_t(blockDim.x) * usw_top_tuning::held
                    ? usw_top_collect_held(s, by, a.keys + at, n, k, numbers, room)
                    : usw_top_collect_long(s, by, a.keys + at, n, k, numbers, room);
            if (count <= 2 * blockDim.x) {
                usw_top_sort_collected<2>(a, by, numbers, count, row, k);
            } else if (count <= 4 * blockDim.x) {
                usw_top_sort_collected<4>(a, by, numbers, count, row, k);
            } else {
                usw_top_sort_collected<USW_TOP_ITEMS<E>>(a, by, numbers, count, row, k);
            }
        }
        usw_top_fill_rest(a, row, n, threadIdx.x, blockDim.x);
        __syncthreads();
    }
}

#endif
