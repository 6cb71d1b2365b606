/* top_limit.cuh - numbers made of key and position, and a block's search for a number that k of
 * them do not exceed.
 *
 * A number is a mapped key above its position in the row, so that all numbers of a row differ and
 * the k least are the k best keys, ties by the lowest position, in their order. The search counts
 * digits of 8 bits from the top down, in shared memory, and ends as soon as few enough numbers
 * share the digits found. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_SELECTION_TOP_LIMIT_CUH
#define USW_GPU_SELECTION_TOP_LIMIT_CUH

#include "gpu/block/sort_network.cuh"
#include "gpu/vector_span.cuh"

#include <type_traits>

/* From keys to numbers of type E, in a row of n keys. */
template <typename K, typename E> struct usw_top_numbers {
    usw_gpu_keymap<K> map;
    unsigned position_bits;

    __host__ __device__ __forceinline__ usw_top_numbers(const usw_gpu_keymap<K> &m, uint64_t n)
        : map(m), position_bits(0)
    {
#ifdef __CUDA_ARCH__
        position_bits = 64 - static_cast<unsigned>(__clzll(static_cast<long long>(n - 1)));
#else
        while (position_bits < 63 && (n - 1) >> position_bits != 0) {
            position_bits++;
        }
#endif
    }
    __host__ __device__ __forceinline__ unsigned bits() const
    {
        return 8 * sizeof(K) + position_bits;
    }
    __device__ __forceinline__ E make(K mapped, uint64_t position) const
    {
        return static_cast<E>(mapped) << position_bits | position;
    }
    __device__ __forceinline__ K mapped(E number) const
    {
        return static_cast<K>(number >> position_bits);
    }
    __device__ __forceinline__ K key(E number) const
    {
        return map.unmap(mapped(number));
    }
    __device__ __forceinline__ uint64_t position(E number) const
    {
        return static_cast<uint64_t>(number) & ((uint64_t(1) << position_bits) - 1);
    }
};

/* Counters of as many numbers as a row can have. */
template <typename E> struct usw_top_counter {
    typedef unsigned type;
};
template <> struct usw_top_counter<usw_u128> {
    typedef unsigned long long type;
};

template <typename E> struct usw_top_shared {
    typedef typename usw_top_counter<E>::type C;
    C digits[256];
    C before, here; /* of the digit found: numbers below it, and its own */
    unsigned digit;
    unsigned count; /* numbers collected, or that would have been */
};

/* Adds a lane's digit to the counters, if it is there. All lanes of a warp call. */
template <typename C>
__device__ __forceinline__ void usw_top_add(C *digits, unsigned digit, bool there)
{
    const unsigned all = __ballot_sync(~0u, there);
    if (all == 0) {
        return;
    }
    const unsigned leader = static_cast<unsigned>(__ffs(static_cast<int>(all))) - 1;
    const unsigned first = __shfl_sync(~0u, digit, static_cast<int>(leader));
    if (__all_sync(~0u, !there || digit == first)) { /* often so for the first digits of floats */
        if (threadIdx.x % 32 == leader) {
            atomicAdd(&digits[first], static_cast<C>(__popc(all)));
        }
    } else if (there) {
        atomicAdd(&digits[digit], C(1));
    }
}

/* The digit that the wanted-th number has, by the counters; one warp calls. */
template <typename C, typename R>
__device__ __forceinline__ void usw_top_find(const C *digits, C wanted, R found)
{
    const unsigned lane = threadIdx.x % 32;
    C mine[8], sum = 0;
#pragma unroll
    for (unsigned i = 0; i < 8; i++) {
        mine[i] = digits[8 * lane + i];
        sum += mine[i];
    }
    C upto = sum;
#pragma unroll
    for (unsigned d = 1; d < 32; d *= 2) {
        const C left = __shfl_up_sync(~0u, upto, d);
        upto += lane >= d ? left : 0;
    }
    C before = upto - sum;
    if (before < wanted && wanted <= upto) {
        unsigned i = 0;
        for (; i < 7 && before + mine[i] < wanted; i++) {
            before += mine[i];
        }
        found(8 * lane + i, before, mine[i]);
    }
}

/* A limit that at least `wanted` of a block's numbers of so many bits do not exceed, and at most
 * `most` where that can be; most >= wanted > 0. each(f) calls f(number, there) for all numbers, by
 * whole warps. All threads call and get it. */
template <typename E, typename F>
__device__ __forceinline__ E usw_top_limit(usw_top_shared<E> &s, F each, unsigned bits,
                                           typename usw_top_counter<E>::type wanted,
                                           typename usw_top_counter<E>::type most)
{
    typedef typename usw_top_counter<E>::type C;
    E prefix = 0;
    C less = 0;
    for (unsigned shift = bits;;) {
        const unsigned step = shift < 8 ? shift : 8;
        const bool first = shift == bits;
        shift -= step;
        for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) {
            s.digits[i] = 0;
        }
        __syncthreads();
        each([&](E number, bool there) {
            const E above = first ? E(0) : static_cast<E>(number >> (shift + step));
            const unsigned digit = static_cast<unsigned>(number >> shift) & ((1u << step) - 1);
            usw_top_add(s.digits, digit, there && above == prefix);
        });
        __syncthreads();
        if (threadIdx.x < 32) {
            usw_top_find(s.digits, static_cast<C>(wanted - less),
                         [&](unsigned digit, C before, C here) {
                             s.digit = digit;
                             s.before = before;
                             s.here = here;
                         });
        }
        __syncthreads();
        prefix = static_cast<E>(prefix << step) | s.digit;
        less += s.before;
        if (less + s.here <= most || shift == 0) {
            return static_cast<E>(static_cast<E>(prefix + 1) << shift) - 1;
        }
    }
}

/* Goes over a row's keys by all threads of the grid's or a block's `threads`, of which this is
 * number `thread`: f(key, position, there), by whole warps. */
template <unsigned vectors, typename K, typename F>
__device__ __forceinline__ void usw_top_each_key(const K *keys, uint64_t n, uint64_t thread,
                                                 uint64_t threads, F f)
{
    constexpr unsigned per = usw_span<K>::per;
    const uint64_t lead = reinterpret_cast<uintptr_t>(keys) % 16 / sizeof(K);
    const usw_span<K> span = {keys - lead, lead, lead + n};
    const uint64_t end = span.vectors(), lane = thread % 32;
    for (uint64_t at = thread - lane; at < end; at += threads * vectors) {
        K key[vectors][per];
#pragma unroll
        for (unsigned j = 0; j < vectors; j++) {
            const uint64_t v = at + j * threads + lane;
            if (v < end) {
                span.load(v, key[j]);
            }
        }
#pragma unroll
        for (unsigned j = 0; j < vectors; j++) {
            const uint64_t v = at + j * threads + lane;
#pragma unroll
            for (unsigned e = 0; e < per; e++) {
                const uint64_t position = v * per + e - lead;
                f(key[j][e], position, v < end && position < n);
            }
        }
    }
}

/* The same for a block and those keys alone whose mapped key is not above `most`: f(mapped key,
 * position). A thread first marks them among all that it has loaded, so that a warp goes as many
 * times through what is done for one as a lane has of them, not as there are keys. */
template <unsigned vectors, typename K, typename F>
__device__ __forceinline__ void usw_top_each_up_to(const K *keys, uint64_t n,
                                                   const usw_gpu_keymap<K> &map, K most, F f)
{
    constexpr unsigned per = usw_span<K>::per, loaded = vectors * per;
    using H = std::conditional_t<(loaded > 32), unsigned long long, unsigned>;
    const uint64_t lead = reinterpret_cast<uintptr_t>(keys) % 16 / sizeof(K);
    const usw_span<K> span = {keys - lead, lead, lead + n};
    const uint64_t end = span.vectors(), tile = uint64_t(blockDim.x) * vectors;
    for (uint64_t at = 0; at < end; at += tile) {
        const bool whole = span.whole(at, tile);
        K key[vectors][per] = {};
#pragma unroll
        for (unsigned j = 0; j < vectors; j++) {
            const uint64_t v = at + j * blockDim.x + threadIdx.x;
            if (whole) {
                span.load_whole(v, key[j]);
            } else if (v < end) {
                span.load(v, key[j]);
            }
        }
        H hits = 0;
#pragma unroll
        for (unsigned i = 0; i < loaded; i++) {
            key[i / per][i % per] = map.map(key[i / per][i % per]);
            hits |= H(key[i / per][i % per] <= most ? 1 : 0) << i;
        }
        for (; hits != 0; hits &= hits - 1) {
            const unsigned hit = static_cast<unsigned>(__ffsll(static_cast<long long>(hits))) - 1;
            K mapped = key[0][0];
#pragma unroll
            for (unsigned i = 1; i < loaded; i++) {
                mapped = hit == i ? key[i / per][i % per] : mapped;
            }
            const uint64_t v = at + hit / per * blockDim.x + threadIdx.x;
            const uint64_t position = v * per + hit % per - lead;
            if (position < n) { /* of a vector that is not whole, not all are there */
                f(mapped, position);
            }
        }
    }
}

/* Where number i of a sample of `count` (a multiple of 8) stands in a row of n keys, n >= count:
 * groups of 8 neighbours, which are one sector of memory, each anywhere within an equal part. */
__device__ __forceinline__ uint64_t usw_top_sample_place(uint64_t n, unsigned count, unsigned i)
{
    const uint64_t group = i / 8, groups = count / 8, part = n / groups, room = part - 8;
    uint64_t x = (group + 1) * 0x9E3779B97F4A7C15ull;
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9ull;
    x ^= x >> 32;
    return group * part + (room == 0 ? 0 : x % (room + 1)) + i % 8;
}

#endif
