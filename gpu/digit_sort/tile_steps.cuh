/* tile_steps.cuh - a tile of a stable scatter by look-back on a GPU: loaded, ranked, reordered,
 * written and checked by the steps of gpu/digit_sort/pass.cuh. The sort of pairs in gpu/bucket_sort
 * uses it. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_DIGIT_SORT_TILE_STEPS_CUH
#define USW_GPU_DIGIT_SORT_TILE_STEPS_CUH

#include "gpu/digit_sort/count_all_digits.cuh"
#include "gpu/block/digit_rank.cuh"

/* ---- tuning ---- */

template <unsigned Items, unsigned Blocks, unsigned Threads = 512, unsigned Window = 2,
          unsigned Backoff = 40>
struct usw_radix_shape {
    static constexpr unsigned threads = Threads, warps = Threads / 32;
    static constexpr unsigned blocks = Blocks; /* a multiprocessor */
    static constexpr unsigned items = Items, tile = Threads * Items;
    static constexpr unsigned window = Window;   /* tiles that a look-back reads at a time */
    static constexpr unsigned backoff = Backoff; /* ns between looks at a word not there yet */
    static constexpr unsigned crowd_from = 6;    /* equal digits before a lane's, for votes */
};
template <typename K, unsigned value_bytes> struct usw_radix_tuning {
#ifdef USW_EMULATE /* so that tests of few keys have many tiles */
    using shape = usw_radix_shape<2, 1, 256>;
#else
    static constexpr bool wide = sizeof(K) + value_bytes > 8 && value_bytes != 0;
    static constexpr unsigned items = wide               ? (sizeof(K) + value_bytes > 12 ? 8 : 10)
                                      : value_bytes != 0 ? 16
                                      : sizeof(K) == 8   ? 14
                                                         : 24;
    using shape = usw_radix_shape<items, wide ? 1 : 2, wide ? 1024 : 512>;
#endif
};

/* ---- global to shared without registers ---- */

template <typename T> __device__ __forceinline__ void copy_async(T *to, const T *from)
{
#ifdef USW_EMULATE
    *to = *from;
#else
    if constexpr (sizeof(T) >= 4) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
                     :
                     : "r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), "l"(from),
                       "n"(sizeof(T))
                     : "memory");
    } else {
        *to = *from;
    }
#endif
}
__device__ __forceinline__ void copy_async_wait()
{
#ifndef USW_EMULATE
    asm volatile("cp.async.wait_all;" : : : "memory");
#endif
}

/* ---- a tile ---- */

/* A key beside its value, where both are as wide: arrays between two scatters hold these, since
 * longer runs are written faster. */
template <typename K> struct alignas(2 * sizeof(K)) usw_joined {
    K key, value;
};

/* kept: a key's digit is no run of its bits. It is in `digits`, by its place in the tile; `rank`
 * and `place` are called with digits in place of keys, and shift is 0. */
template <typename K, unsigned value_bytes, typename Shape, bool kept = false>
struct scatter_block {
    using V = typename usw_value_of<value_bytes>::type;
    using joined = usw_joined<K>;
    static constexpr bool joins = sizeof(K) == value_bytes;
    /* Shared memory. */
    K *key;
    V *value;
    unsigned char *digits; /* where they are kept */
    uint16_t *order;
    unsigned *counters;
    long long *target; /* of a digit: global index minus index in the tile */
    uint16_t *digit_start;
    unsigned *warp_sums;
    /* This pass. */
    const K *keys_in;
    K *keys_out;
    const V *values_in;
    V *values_out;
    const joined *joined_in; /* NULL: keys and values are apart */
    joined *joined_out;
    usw_gpu_keymap<K> map;
    bool first, last;
    unsigned shift, mask;
    size_t values_base; /* where value 0 is, if values are positions */
    /* This tile. */
    size_t begin;
    unsigned count;

    static constexpr size_t shared_bytes()
    {
        return Shape::tile * (sizeof(K) + value_bytes + (kept ? 3 : 2)) + Shape::warps * 512 +
               256 * 8 + 520 + 64;
    }
    __device__ __forceinline__ void carve(unsigned char *at)
    {
        target = reinterpret_cast<long long *>(at);
        at += 256 * 8;
        key = reinterpret_cast<K *>(at);
        if constexpr (sizeof(K) < 8 && value_bytes == 8) { /* the wider first */
            value = reinterpret_cast<V *>(at);
            key = reinterpret_cast<K *>(at + Shape::tile * 8);
        } else {
            value = reinterpret_cast<V *>(at + Shape::tile * sizeof(K));
        }
        at += Shape::tile * (sizeof(K) + value_bytes);
        counters = reinterpret_cast<unsigned *>(at);
        at += Shape::warps * 512;
        warp_sums = reinterpret_cast<unsigned *>(at);
        at += 64;
        order = reinterpret_cast<uint16_t *>(at);
        digit_start = order + Shape::tile;
        digits = at + Shape::tile * 2 + 520;
    }
    template <typename T> __device__ __forceinline__ unsigned digit_of(T k) const
    {
        return static_cast<unsigned>(k >> shift) & mask;
    }
    /* The digit of the key at place p of the tile. */
    __device__ __forceinline__ unsigned digit_at(unsigned p) const
    {
        return kept ? digits[p] : digit_of(key[p]);
    }

    static constexpr unsigned ranks = (Shape::items + 1) / 2;
    /* Where this thread's first item is; the next are 32 apart. */
    __device__ __forceinline__ static unsigned my_place()
    {
        return threadIdx.x / 32 * (32 * Shape::items) + threadIdx.x % 32;
    }
    __device__ __forceinline__ unsigned *my_counters() const
    {
        return counters + threadIdx.x / 32 * 128;
    }

    /* Keys beyond the end get the greatest digit, so they are last in the tile. */
    template <bool stores> __device__ __forceinline__ void load_two_arrays(K (&k)[Shape::items])
    {
        unsigned at = my_place();
#pragma unroll
        for (unsigned i = 0; i < Shape::items; i++) {
            k[i] = at + 32 * i < count ? keys_in[begin + at + 32 * i] : 0;
        }
        if constexpr (value_bytes != 0) {
            if (values_in == nullptr) {
#pragma unroll
                for (unsigned i = 0; i < Shape::items; i++) {
                    value[at + 32 * i] = static_cast<V>(begin - values_base + at + 32 * i);
                }
            } else {
#pragma unroll
                for (unsigned i = 0; i < Shape::items; i++) {
                    if (at + 32 * i < count) {
                        copy_async(&value[at + 32 * i], &values_in[begin + at + 32 * i]);
                    }
                }
            }
        }
        if (first) {
#pragma unroll
            for (unsigned i = 0; i < Shape::items; i++) {
                k[i] = map.map(k[i]);
            }
        }
#pragma unroll
        for (unsigned i = 0; i < Shape::items; i++) {
            k[i] = at + 32 * i < count ? k[i] : static_cast<K>(~K(0));
            if (stores) {
                key[at + 32 * i] = k[i];
            }
        }
    }
    __device__ __forceinline__ void load_joined(K (&k)[Shape::items])
    {
        const unsigned at = my_place();
        const joined *from = joined_in + begin + at;
#pragma unroll
        for (unsigned i = 0; i < Shape::items; i++) {
            joined x = {static_cast<K>(~K(0)), 0};
            if (at + 32 * i < count) {
                x = from[32 * i];
            }
            k[i] = x.key;
            key[at + 32 * i] = x.key;
            value[at + 32 * i] = x.value;
        }
    }
    /* Loads a tile. stores: its keys are left in shared memory, too, as values are. */
    template <bool stores = true> __device__ __forceinline__ void load(K (&k)[Shape::items])
    {
        if constexpr (joins) {
            if (joined_in != nullptr) {
                return load_joined(k);
            }
        }
        load_two_arrays<stores>(k);
    }
    /* The digit of all of the warp's keys, or 256. */
    template <typename T>
    __device__ __forceinline__ unsigned only_digit(const T (&k)[Shape::items]) const
    {
        T differ = 0;
#pragma unroll
        for (unsigned i = 1; i < Shape::items; i++) {
            differ |= k[i] ^ k[0];
        }
        unsigned digit = digit_of(k[0]), other = digit ^ __shfl_sync(~0u, digit, 0);
        return __any_sync(~0u, (other | digit_of(differ)) != 0) ? 256 : digit;
    }
    /* Ends `rank` where many keys have one of two digits: these are counted by votes. found: the
     * rank of k[0]. */
    template <typename T>
    __device__ __forceinline__ void rank_crowd(const T (&k)[Shape::items], unsigned found,
                                               unsigned (&rank)[ranks])
    {
        unsigned *mine = my_counters(), common, next;
        const unsigned below = (1u << threadIdx.x % 32) - 1;
        commonest_digits(digit_of(k[0]), common, next);
        __syncwarp();
        unsigned ones = counted(mine[common / 2], common), ones_before = ones;
        unsigned twos = counted(mine[next / 2], next), twos_before = twos;
        __syncwarp();
        /* U at a time, with no branch between them (keys counted by votes add 0 to another
         * counter), so that U additions are on their way before the warp waits for the first. */
        constexpr unsigned U = 6;
        rank[0] = found;
#pragma unroll
        for (unsigned i0 = 0; i0 < Shape::items; i0 += U) {
            unsigned before[U];
#pragma unroll
            for (unsigned i = i0; i < i0 + U && i < Shape::items; i++) {
                const unsigned digit = digit_of(k[i]);
                const bool counts = i != 0 && digit != common && digit != next;
                before[i - i0] = atomicAdd(&mine[counts ? digit / 2 : threadIdx.x % 32],
                                           counts ? 1u << (digit & 1) * 16 : 0);
            }
#pragma unroll
            for (unsigned i = i0 == 0 ? 1 : i0; i < i0 + U && i < Shape::items; i++) {
                const unsigned digit = digit_of(k[i]);
                const unsigned at_common = __ballot_sync(~0u, digit == common);
                const unsigned at_next = __ballot_sync(~0u, digit == next);
                const unsigned by_one = ones + __popc(at_common & below);
                const unsigned by_two = twos + __popc(at_next & below);
                const unsigned other = counted(before[i - i0], digit);
                const unsigned r = digit == common ? by_one : digit == next ? by_two : other;
                ones += __popc(at_common);
                twos += __popc(at_next);
                rank[i / 2] = i % 2 == 0 ? r : rank[i / 2] | r << 16;
            }
        }
        if (threadIdx.x % 32 == 0) {
            atomicAdd(&mine[common / 2], (ones - ones_before) << (common & 1) * 16);
            atomicAdd(&mine[next / 2], (twos - twos_before) << (next & 1) * 16);
        }
    }
    /* Ranks keys, two ranks to a word. All additions but the first are on their way before the warp
     * waits for one. */
    template <typename T>
    __device__ __forceinline__ void rank(const T (&k)[Shape::items], unsigned (&rank)[ranks])
    {
        unsigned *mine = my_counters(), lane = threadIdx.x % 32, only = only_digit(k);
        if (only != 256) {
            if (lane == 0) {
                mine[only / 2] = 32 * Shape::items << (only & 1) * 16;
            }
#pragma unroll
            for (unsigned i = 0; i < ranks; i++) {
                rank[i] = (lane + 64 * i) | (lane + 64 * i + 32) << 16;
            }
            return;
        }
        unsigned before[Shape::items];
        before[0] = add_digit(mine, digit_of(k[0]));
        const unsigned found = counted(before[0], digit_of(k[0]));
        if (__any_sync(~0u, found >= Shape::crowd_from)) {
            rank_crowd(k, found, rank);
            return;
        }
#pragma unroll
        for (unsigned i = 1; i < Shape::items; i++) {
            before[i] = add_digit(mine, digit_of(k[i]));
        }
#pragma unroll
        for (unsigned i = 0; i < Shape::items; i++) {
            unsigned r = counted(before[i], digit_of(k[i]));
            rank[i / 2] = i % 2 == 0 ? r : rank[i / 2] | r << 16;
        }
    }
    template <typename T>
    __device__ __forceinline__ void place(const T (&k)[Shape::items], const unsigned (&rank)[ranks])
    {
        const uint16_t *mine = reinterpret_cast<const uint16_t *>(my_counters());
        unsigned at = my_place();
#pragma unroll
        for (unsigned i = 0; i < Shape::items; i++) {
            order[mine[digit_of(k[i])] + (rank[i / 2] >> (i % 2 * 16) & 0xffff)] =
                static_cast<uint16_t>(at + 32 * i);
        }
    }
    /* Places by votes, which turn the counters from begins into ends. */
    __device__ __forceinline__ void place_by_votes()
    {
        uint16_t *mine = reinterpret_cast<uint16_t *>(my_counters());
        unsigned at = my_place();
        for (unsigned i = 0; i < Shape::items; i++) {
            order[count_digit_by_votes(mine, digit_at(at + 32 * i))] =
                static_cast<uint16_t>(at + 32 * i);
        }
    }
    /* The digit above the position of key j: these rise along a tile that is ranked right. */
    __device__ __forceinline__ unsigned sign_of(unsigned j) const
    {
        unsigned p = order[j];
        return digit_at(p) << 16 | p;
    }
    /* Whether neighbours in different warps are out of order; `write` compares those of one
     * warp. */
    __device__ __forceinline__ bool wrong_across_warps() const
    {
        bool wrong = false;
        for (unsigned j = 32 * threadIdx.x + 31; j + 1 < Shape::tile; j += 32 * Shape::threads) {
            wrong |= sign_of(j + 1) < sign_of(j);
        }
        return wrong;
    }
    /* Writes the tile. Returns whether some key is out of order. */
    template <bool unmap> __device__ __forceinline__ bool write()
    {
        unsigned wrong = 0;
        bool keys_wanted = keys_out != nullptr;
#pragma unroll 4
        for (unsigned i = 0; i < Shape::items; i++) {
            unsigned j = i * Shape::threads + threadIdx.x;
            unsigned p = order[j];
            K k = key[p];
            unsigned digit = kept ? digit_at(p) : digit_of(k), sign = digit << 16 | p;
            unsigned next = __shfl_down_sync(~0u, sign, 1);
            wrong |= next < sign; /* of lane 31 it is its own */
            size_t to = static_cast<size_t>(target[digit] + j);
            if (j < count && keys_wanted) {
                keys_out[to] = unmap ? map.unmap(k) : k;
            }
            if constexpr (value_bytes != 0) {
                if (j < count) {
                    values_out[to] = value[p];
                }
            }
        }
        return wrong != 0 || wrong_across_warps();
    }
    __device__ __forceinline__ bool write_joined()
    {
        unsigned wrong = 0;
#pragma unroll 4
        for (unsigned i = 0; i < Shape::items; i++) {
            const unsigned j = i * Shape::threads + threadIdx.x, p = order[j];
            const K k = key[p];
            const unsigned digit = kept ? digit_at(p) : digit_of(k), sign = digit << 16 | p;
            wrong |= __shfl_down_sync(~0u, sign, 1) < sign;
            if (j < count) {
                joined_out[target[digit] + j] = {last ? map.unmap(k) : k, value[p]};
            }
        }
        return wrong != 0 || wrong_across_warps();
    }
    __device__ __forceinline__ bool write()
    {
        if constexpr (joins) {
            if (joined_out != nullptr) {
                return write_joined();
            }
        }
        return last ? write<true>() : write<false>();
    }
    /* Writes the tile, once its keys are placed and `target` is known; places by votes and writes
     * again if the ranks by one addition a key were out of order. A block calls. */
    __device__ __forceinline__ void finish()
    {
        copy_async_wait();
        __syncthreads();
        if (__syncthreads_or(write())) {
            place_by_votes();
            __syncthreads();
            write();
            __syncthreads();
        }
    }
};

#endif
