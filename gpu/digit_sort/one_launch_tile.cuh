/* one_launch_tile.cuh - a block's share of the radix sort in one launch
 * (gpu/digit_sort/one_launch.cuh): the tile of keys that the block holds, and which of their bits
 * vary. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_DIGIT_SORT_ONE_LAUNCH_TILE_CUH
#define USW_GPU_DIGIT_SORT_ONE_LAUNCH_TILE_CUH

#include "gpu/digit_sort/tile.cuh"

template <typename K> struct usw_one_launch_facts {
    K any, all; /* OR and AND of keys */
    unsigned disorder;
};

/* The OR of x over the lanes of a warp. */
template <typename K> __device__ __forceinline__ K usw_warp_or(K v)
{
    if constexpr (sizeof(K) == 8) {
        const K high = __reduce_or_sync(~0u, static_cast<unsigned>(v >> 32));
        return high << 32 | __reduce_or_sync(~0u, static_cast<unsigned>(v));
    } else {
        return static_cast<K>(__reduce_or_sync(~0u, static_cast<unsigned>(v)));
    }
}
template <typename K>
__device__ __forceinline__ usw_one_launch_facts<K> usw_warp_facts(const usw_one_launch_facts<K> &f)
{
    return {usw_warp_or(f.any), static_cast<K>(~usw_warp_or(static_cast<K>(~f.all))),
            __reduce_or_sync(~0u, f.disorder)};
}

template <typename K> struct usw_one_launch_args {
    const K *keys_in;
    K *keys_out;           /* not NULL; may be keys_in */
    const void *values_in; /* NULL: value i is i */
    void *values_out;
    unsigned n, chunk; /* keys, and those of a block: a tile at most */
    usw_gpu_keymap<K> map;
    unsigned bit_begin, bit_end;
    bool stable;    /* equal keys must keep their order: only strictly falling keys are reversed */
    bool drop_keys; /* keys are not wanted */
    uint4 *rows;    /* 2 x 32 for each block, taken in turns */
    usw_one_launch_facts<K> *facts;
    unsigned *barrier;
    const unsigned *enabled; /* if it is not NULL and *enabled is 0, nothing is to be done */
};

/* ---- what a block holds ---- */

template <typename K, unsigned value_bytes, typename Shape> struct usw_one_launch_tile {
    using block = radix_tile<K, value_bytes, Shape, uint32_t>;
    using V = typename usw_value_of<value_bytes>::type;
    static constexpr unsigned I = Shape::items;
    /* Shared memory behind the tile's. */
    struct facts_slots {
        usw_one_launch_facts<K> of[Shape::warps];
    };
    static constexpr size_t tile_bytes = (block::shared_bytes() + 15) / 16 * 16;
    const usw_one_launch_args<K> &a;
    block b;
    facts_slots &found;
    usw_pass_ends<K, value_bytes> e;
    unsigned begin, count; /* of this block's keys */
    K varying;             /* bits in which keys differ */

    static constexpr size_t shared_bytes()
    {
        return tile_bytes + sizeof(facts_slots);
    }
    __device__ __forceinline__ usw_one_launch_tile(const usw_one_launch_args<K> &args,
                                                   unsigned char *at, facts_slots &facts)
        : a(args), found(facts), e(), varying(0)
    {
        b.carve(at);
        begin = blockIdx.x * a.chunk;
        count = a.n - begin < a.chunk ? a.n - begin : a.chunk;
        e.keys_in = a.keys_in;
        e.keys_out = a.keys_out;
        e.values_in = static_cast<const V *>(a.values_in);
        e.values_out = static_cast<V *>(a.values_out);
        e.map = a.map;
        e.first = true;
        set_digit(a.bit_begin, a.bit_end);
    }
    __device__ __forceinline__ void set_digit(unsigned from, unsigned end)
    {
        e.shift = from;
        e.mask = end - from >= 8 ? 255 : (1u << (end - from)) - 1;
    }
    /* The bits that count. */
    __device__ __forceinline__ K range() const
    {
        const unsigned bits = a.bit_end - a.bit_begin;
        return static_cast<K>(static_cast<K>(static_cast<K>(~K(0)) >> (sizeof(K) * 8 - bits))
                              << a.bit_begin);
    }
    /* Loads the item at place p of the tile into registers, as item i of this thread. */
    __device__ __forceinline__ void take(unsigned i, unsigned p)
    {
        b.k[i] = b.key_at(p);
        if constexpr (block::joins) {
            b.v[i] = b.both[p].value;
        } else if constexpr (value_bytes != 0) {
            b.v[i] = b.value[p];
        }
    }

    /* ---- what the keys are like ---- */

    /* The facts of this block's keys, to all threads. */
    __device__ __forceinline__ usw_one_launch_facts<K> look_at_keys()
    {
        const unsigned at = block::my_place(), lane = threadIdx.x % 32;
        const K that_counts = range();
        const unsigned end =
            begin + count < a.n ? count + 1 : count; /* the next block's first key, too */
        usw_one_launch_facts<K> f = {0, static_cast<K>(~K(0)), 0};
        __syncthreads();
#pragma unroll
        for (unsigned i = 0; i < I; i++) {
            const unsigned p = at + 32 * i;
            if (p < count) {
                f.any |= b.k[i];
                f.all &= b.k[i];
            }
            if (p + 1 < end) {
                const K next =
                    p + 1 < count ? b.key_at(p + 1) : a.map.map(a.keys_in[begin + p + 1]);
                f.disorder |= disorder_of<K>(b.k[i] & that_counts, next & that_counts, a.stable);
            }
        }
        f = usw_warp_facts(f);
        if (lane == 0) {
            found.of[threadIdx.x / 32] = f;
        }
        __syncthreads();
        return usw_warp_facts(found.of[lane < Shape::warps ? lane : 0]);
    }
    /* Takes the facts of all keys: sets `varying`, returns the order. */
    __device__ __forceinline__ unsigned conclude(const usw_one_launch_facts<K> &f)
    {
        varying = static_cast<K>(static_cast<K>(f.any ^ f.all) & range());
        return (f.disorder & 1) == 0   ? USW_ORDER_KEEP
               : (f.disorder & 2) == 0 ? USW_ORDER_REVERSE
                                       : USW_ORDER_SORT;
    }
    /* Writes keys that are sorted or reversed to their places. */
    __device__ __forceinline__ void write_in_order(bool reverse)
    {
        if (!reverse && a.keys_in == a.keys_out &&
            (value_bytes == 0 || a.values_in == a.values_out)) {
            return;
        }
        for (unsigned p = threadIdx.x; p < count; p += Shape::threads) {
            const unsigned to = reverse ? a.n - 1 - (begin + p) : begin + p;
            if (!a.drop_keys) {
                a.keys_out[to] = a.map.unmap(b.key_at(p));
            }
            if constexpr (block::joins) {
                e.values_out[to] = b.both[p].value;
            } else if constexpr (value_bytes != 0) {
                e.values_out[to] = b.value[p];
            }
        }
    }

    /* ---- digits ---- */

    /* Finds the next digit from bit `done` on, of the bits that vary. Returns false if there is
     * none. */
    __device__ __forceinline__ bool next_digit(unsigned done, unsigned &from, unsigned &end) const
    {
        const K left = done < sizeof(K) * 8 ? static_cast<K>(varying >> done << done) : K(0);
        if (left == 0) {
            return false;
        }
        end = 64 - static_cast<unsigned>(__clzll(static_cast<long long>(left)));
        from = static_cast<unsigned>(__ffsll(static_cast<long long>(left)) - 1);
        return true;
    }
    __device__ __forceinline__ void write()
    {
        const bool wrong = b.write(e, count) | b.wrong_across_warps(e);
        if (__syncthreads_or(wrong)) {
            b.place_by_votes(e);
            __syncthreads();
            b.write(e, count);
            __syncthreads();
        }
    }
};

#endif
