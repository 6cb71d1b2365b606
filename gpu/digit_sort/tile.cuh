/* tile.cuh - a tile of a radix sort's pass on a GPU (gpu/digit_sort/pass.cuh): loaded, ranked,
 * reordered, written, and checked. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_DIGIT_SORT_TILE_CUH
#define USW_GPU_DIGIT_SORT_TILE_CUH

#include "gpu/digit_sort/pass_arrays.cuh"
#include "gpu/block/digit_rank.cuh"

/* A block's tile. W: the type of places in memory. */
template <typename K, unsigned value_bytes, typename Shape, typename W, bool numbered = false>
struct radix_tile {
    using V = typename usw_value_of<value_bytes>::type;
    using ends = usw_pass_ends<K, value_bytes, numbered>;
    using joined = usw_joined<K>;
    static constexpr bool joins = sizeof(K) == value_bytes;
    static constexpr unsigned I = Shape::items, T = Shape::threads, tile = Shape::tile;
    static constexpr unsigned ranks = (I + 1) / 2;
    /* Shared memory. */
    unsigned *counters; /* of each warp, 256 */
    W *target;          /* of a digit: place in memory less place in the tile */
    joined *both;       /* where key and value are as wide; else they are apart */
    K *key;
    V *value;
    uint16_t *order, *digit_start;
    unsigned *warp_sums;
    K k[I]; /* this thread's items */
    V v[value_bytes != 0 ? I : 1];

    static constexpr size_t shared_bytes()
    {
        return Shape::warps * 1024 + 256 * sizeof(W) + tile * (sizeof(K) + value_bytes + 2) + 512 +
               32;
    }
    __device__ __forceinline__ void carve(unsigned char *at)
    {
        constexpr bool values_first = value_bytes > sizeof(K); /* the wider first */
        counters = reinterpret_cast<unsigned *>(at);
        at += Shape::warps * 1024;
        target = reinterpret_cast<W *>(at);
        at += 256 * sizeof(W);
        both = reinterpret_cast<joined *>(at);
        key = reinterpret_cast<K *>(at + (values_first ? tile * value_bytes : 0));
        value = reinterpret_cast<V *>(at + (values_first ? 0 : tile * sizeof(K)));
        at += tile * (sizeof(K) + value_bytes);
        warp_sums = reinterpret_cast<unsigned *>(at);
        order = reinterpret_cast<uint16_t *>(at + 32);
        digit_start = order + tile;
    }
    /* Where this thread's first item is; the next are 32 apart. */
    __device__ __forceinline__ static unsigned my_place()
    {
        return threadIdx.x / 32 * (32 * I) + threadIdx.x % 32;
    }
    __device__ __forceinline__ unsigned *my_counters() const
    {
        return counters + threadIdx.x / 32 * 256;
    }
    __device__ __forceinline__ K key_at(unsigned p) const
    {
        if constexpr (joins) {
            return both[p].key;
        } else {
            return key[p];
        }
    }

    /* ---- load ---- */

    template <bool whole>
    __device__ __forceinline__ void fetch_two_arrays(const ends &e, size_t begin, unsigned count)
    {
        const unsigned at = my_place();
        const K *from = e.keys_in + begin + at;
#pragma unroll
        for (unsigned i = 0; i < I; i++) {
            k[i] = whole || at + 32 * i < count ? from[32 * i] : K(0);
        }
        if constexpr (value_bytes != 0) {
            if (e.values_in == nullptr) {
#pragma unroll
                for (unsigned i = 0; i < I; i++) {
                    v[i] = static_cast<V>(begin + at + 32 * i);
                }
                return;
            }
            const V *values = e.values_in + begin + at;
#pragma unroll
            for (unsigned i = 0; i < I; i++) {
                v[i] = whole || at + 32 * i < count ? values[32 * i] : V(0);
            }
        }
    }
    /* whole: all items of the tile lie in the array, and joined ones in a row. */
    template <bool whole>
    __device__ __forceinline__ void fetch_joined(const ends &e, size_t begin, unsigned count)
    {
        const unsigned at = my_place();
        const joined *from = e.joined_in.at(begin) + at;
#pragma unroll
        for (unsigned i = 0; i < I; i++) {
            joined x = {0, 0};
            if (whole) {
                x = from[32 * i];
            } else if (at + 32 * i < count) {
                x = *e.joined_in.at(begin + at + 32 * i);
            }
            k[i] = x.key;
            v[i] = x.value;
        }
    }
    __device__ __forceinline__ void fetch(const ends &e, size_t begin, unsigned count)
    {
        const bool whole = count == tile;
        if constexpr (joins) {
            if (e.joined_in.low != nullptr) {
                return whole && e.joined_in.in_a_row(begin, count)
                           ? fetch_joined<true>(e, begin, count)
                           : fetch_joined<false>(e, begin, count);
            }
        }
        return whole ? fetch_two_arrays<true>(e, begin, count)
                     : fetch_two_arrays<false>(e, begin, count);
    }
    /* Clears this warp's counters. Items beyond the end get the greatest digit, so they are last in
     * the tile. */
    __device__ __forceinline__ void prepare(const ends &e, unsigned count)
    {
        const unsigned at = my_place(), lane = threadIdx.x % 32;
        uint4 *own = reinterpret_cast<uint4 *>(my_counters());
        for (unsigned i = 0; i < 2; i++) {
            own[lane + 32 * i] = make_uint4(0, 0, 0, 0);
        }
#pragma unroll
        for (unsigned i = 0; e.first && i < I; i++) {
            k[i] = numbered && at + 32 * i >= count ? K(0) : e.enter(k[i]);
        }
#pragma unroll
        for (unsigned i = 0; count < tile && i < I; i++) {
            k[i] = at + 32 * i < count ? k[i] : static_cast<K>(~K(0));
        }
        __syncwarp();
    }
    /* Writes the items to shared memory, where they stay. */
    __device__ __forceinline__ void keep()
    {
        const unsigned at = my_place();
#pragma unroll
        for (unsigned i = 0; i < I; i++) {
            if constexpr (joins) {
                both[at + 32 * i] = {k[i], v[i]};
            } else {
                key[at + 32 * i] = k[i];
                if constexpr (value_bytes != 0) {
                    value[at + 32 * i] = v[i];
                }
            }
        }
    }

    /* ---- rank ---- */

    /* Ranks if all items of the warp have one digit; else returns false. */
    __device__ __forceinline__ bool rank_one_digit(const ends &e, unsigned (&rank)[ranks])
    {
        const unsigned digit = e.digit_of(k[0]), lane = threadIdx.x % 32;
        K differ = 0;
#pragma unroll
        for (unsigned i = 1; i < I; i++) {
            differ |= k[i] ^ k[0];
        }
        if (__any_sync(~0u, e.digit_of(differ) != 0)) {
            return false;
        }
        if (lane == 0) {
            my_counters()[digit] = 32 * I;
        }
#pragma unroll
        for (unsigned i = 0; i < ranks; i++) {
            rank[i] = (lane + 64 * i) | (lane + 64 * i + 32) << 16;
        }
        return true;
    }
    /* Ranks items among the warp's items of the same digit, two ranks to a word. All additions but
     * the first are on their way before the warp waits for one. */
    __device__ __forceinline__ void rank(const ends &e, unsigned (&rank)[ranks])
    {
        unsigned *own = my_counters(), before[I];
        before[0] = atomicAdd(&own[e.digit_of(k[0])], 1u);
        if (__any_sync(~0u, before[0] >= Shape::crowd_from)) {
            if (!__any_sync(~0u, before[0] == 31) || !rank_one_digit(e, rank)) {
                const auto digit = [&](unsigned i) { return e.digit_of(k[i]); };
                const bool runs = __popc(digit_heads(digit(0))) <= DIGIT_RUNS_MOST;
#ifdef USW_EMULATE
                if (threadIdx.x % 32 == 0) {
                    emulated_choice("crowded digits", "runs of neighbours", 15, runs);
                    emulated_choice("crowded digits", "two that are common", 15, !runs);
                }
#endif
                runs ? rank_runs<I>(own, digit, before[0], rank)
                     : rank_crowd<I>(own, digit, before[0], rank);
            }
            return;
        }
#pragma unroll
        for (unsigned i = 1; i < I; i++) {
            before[i] = atomicAdd(&own[e.digit_of(k[i])], 1u);
        }
#pragma unroll
        for (unsigned i = 0; i < I; i++) {
            rank[i / 2] = i % 2 == 0 ? before[i] : rank[i / 2] | before[i] << 16;
        }
    }
    /* Turns the warps' counts into where each warp's items of a digit begin in the tile, and
     * digit_start likewise over all warps. Calls publish(digit, count) first. All threads call. */
    template <typename Publish> __device__ __forceinline__ void start(Publish publish)
    {
        const unsigned t = threadIdx.x;
        unsigned total = 0, sum = 0;
        if (t < 256) {
#pragma unroll
            for (unsigned w = 0; w < Shape::warps; w++) {
                total += counters[w * 256 + t];
            }
            publish(t, total);
            sum = total;
            for (unsigned by = 1; by < 32; by *= 2) {
                const unsigned other = __shfl_up_sync(~0u, sum, by);
                sum += (t & 31) >= by ? other : 0;
            }
            if ((t & 31) == 31) {
                warp_sums[t / 32] = sum;
            }
        }
        __syncthreads();
        if (t < 256) {
#pragma unroll
            for (unsigned w = 0; w < 7; w++) {
                sum += w < t / 32 ? warp_sums[w] : 0;
            }
            unsigned run = sum - total;
            digit_start[t] = static_cast<uint16_t>(run);
#pragma unroll
            for (unsigned w = 0; w < Shape::warps; w++) {
                const unsigned c = counters[w * 256 + t];
                counters[w * 256 + t] = run;
                run += c;
            }
        }
        __syncthreads();
    }

    /* ---- place ---- */

    __device__ __forceinline__ void place(const ends &e, const unsigned (&rank)[ranks]) const
    {
        const unsigned *own = my_counters();
        const unsigned at = my_place();
#pragma unroll
        for (unsigned i = 0; i < I; i++) {
            order[own[e.digit_of(k[i])] + (rank[i / 2] >> (i % 2 * 16) & 0xffff)] =
                static_cast<uint16_t>(at + 32 * i);
        }
    }
    /* Places by votes, which turn the counters from begins into ends. */
    __device__ __forceinline__ void place_by_votes(const ends &e) const
    {
        unsigned *own = my_counters();
        const unsigned at = my_place(), lane = threadIdx.x % 32;
        for (unsigned i = 0; i < I; i++) {
            const unsigned digit = e.digit_of(key_at(at + 32 * i)), alike = lanes_alike(digit);
            const unsigned before = own[digit];
            __syncwarp();
            if (alike >> lane == 1) { /* the last of them */
                own[digit] = before + __popc(alike);
            }
            __syncwarp();
            order[before + __popc(alike & ((1u << lane) - 1))] = static_cast<uint16_t>(at + 32 * i);
        }
    }

    /* ---- write ---- */

    /* The digit above the position of item j, which rise along the tile. */
    __device__ __forceinline__ unsigned sign_of(const ends &e, unsigned j) const
    {
        const unsigned p = order[j];
        return e.digit_of(key_at(p)) << 16 | p;
    }
    /* Whether neighbours in different warps are out of order; `each` compares those of one warp. */
    __device__ __forceinline__ bool wrong_across_warps(const ends &e) const
    {
        bool wrong = false;
        for (unsigned j = 32 * threadIdx.x + 31; j + 1 < tile; j += 32 * T) {
            wrong |= sign_of(e, j + 1) < sign_of(e, j);
        }
        return wrong;
    }
    /* Calls put(place, key, value) for each item, in order; returns whether some is not. */
    template <bool whole, typename Put>
    __device__ __forceinline__ bool each(const ends &e, unsigned count, Put put) const
    {
        constexpr unsigned U = Shape::batch;
        unsigned wrong = 0;
#pragma unroll 1
        for (unsigned i0 = 0; i0 < I; i0 += U) {
            unsigned p[U];
            joined x[U];
#pragma unroll
            for (unsigned u = 0; u < U; u++) {
                p[u] = order[(i0 + u) * T + threadIdx.x];
            }
#pragma unroll
            for (unsigned u = 0; u < U; u++) {
                if constexpr (joins) {
                    x[u] = both[p[u]];
                } else {
                    x[u] = {key[p[u]], K(0)};
                }
            }
#pragma unroll
            for (unsigned u = 0; u < U; u++) {
                const unsigned j = (i0 + u) * T + threadIdx.x, digit = e.digit_of(x[u].key);
                const unsigned sign = digit << 16 | p[u];
                wrong |= __shfl_down_sync(~0u, sign, 1) < sign; /* of lane 31 it is its own */
                if (whole || j < count) {
                    if constexpr (joins || value_bytes == 0) {
                        put(target[digit] + j, x[u].key, static_cast<V>(x[u].value));
                    } else {
                        put(target[digit] + j, x[u].key, value[p[u]]);
                    }
                }
            }
        }
        return wrong != 0;
    }
    template <bool whole, bool last>
    __device__ __forceinline__ bool write_as(const ends &e, unsigned count) const
    {
        if constexpr (joins) {
            if (e.joined_out.low != nullptr) {
                return each<whole>(e, count, [&](W to, K x, V y) {
                    *e.joined_out.at(to) = {last ? e.leave(x) : x, y};
                });
            }
        }
        if (value_bytes != 0 && e.keys_out == nullptr) {
            return each<whole>(e, count, [&](W to, K, V y) { e.values_out[to] = y; });
        }
        return each<whole>(e, count, [&](W to, K x, V y) {
            e.keys_out[to] = last ? e.leave(x) : x;
            if constexpr (value_bytes != 0) {
                e.values_out[to] = y;
            }
        });
    }
    __device__ __forceinline__ bool write(const ends &e, unsigned count) const
    {
        if (count < tile) {
            return e.last ? write_as<false, true>(e, count) : write_as<false, false>(e, count);
        }
        return e.last ? write_as<true, true>(e, count) : write_as<true, false>(e, count);
    }
};

#endif
