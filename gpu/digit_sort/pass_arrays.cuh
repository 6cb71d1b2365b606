/* pass_arrays.cuh - a radix sort's pass on a GPU: the shape of its blocks, and the arrays that it
 * reads and writes. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_DIGIT_SORT_PASS_ARRAYS_CUH
#define USW_GPU_DIGIT_SORT_PASS_ARRAYS_CUH

#include "gpu/digit_sort/few_values_table.cuh"
#include "gpu/digit_sort/count_all_digits.cuh"
#include "gpu/digit_sort/tile_steps.cuh"

/* ---- tuning ---- */

template <unsigned Items, unsigned Blocks, unsigned Threads> struct usw_pass_shape {
    static constexpr unsigned threads = Threads, warps = Threads / 32;
    static constexpr unsigned blocks = Blocks; /* a multiprocessor */
    static constexpr unsigned items = Items, tile = Threads * Items;
    static constexpr unsigned crowd_from = 7; /* equal digits before a lane's, for votes */
    static constexpr unsigned batch = Items % 4 == 0 ? 4 : Items % 5 == 0 ? 5 : 2;
};

/* Shapes by the bytes of a key and its value: few threads with many items each, so that no register
 * is spilled and the counters are few; as many items as two blocks on a multiprocessor can hold,
 * since the spine's time grows with the number of tiles. */
template <typename K, unsigned value_bytes> struct usw_pass_tuning {
#ifdef USW_EMULATE /* so that tests of few keys have many tiles */
    using shape = usw_pass_shape<2, 1, 256>;
#else
    static constexpr unsigned bytes = sizeof(K) + value_bytes;
    static constexpr unsigned threads = bytes > 4 ? 256 : 384;
    static constexpr unsigned items = bytes > 12 ? 20 : bytes > 8 ? 28 : value_bytes > 0 ? 32 : 36;
    using shape = usw_pass_shape<items, 2, threads>;
#endif
};

template <typename K> struct usw_radix_pass_args {
    /* Pass 0 reads in; the last writes out; between them out and tmp take turns. */
    const K *keys_in;
    K *keys_out, *keys_tmp; /* tmp holds joined pairs where keys and values are as wide */
    const void *values_in;  /* NULL: value i is i */
    void *values_out, *values_tmp;
    void *spare; /* NULL, or a second tmp, if out is in */
    size_t n;
    bool last_in_tmp; /* an odd number of passes ends in tmp: out is in */
    bool drop_keys;   /* the last pass writes values only */
    usw_gpu_keymap<K> map;
    usw_radix_bits bits;
    usw_radix_control *control;
    void *ring;
    unsigned *done; /* of each slot of the ring: the epoch of the last tile that has its answer */
    unsigned ring_tiles;      /* a power of two, more than twice the blocks of a pass */
    const hybrid_few<K> *few; /* of a pass by numbers */
};

/* An array of joined pairs in up to three pieces, so that it fits in the memory of n keys and that
 * of n values: one half in each, and the last pair of an odd number by itself. */
template <typename K> struct usw_joined_array {
    usw_joined<K> *low, *high, *rest; /* low NULL: keys and values are apart */
    size_t half, both;

    /* All in a row. */
    __device__ __forceinline__ static usw_joined_array of(void *row, size_t n)
    {
        auto *p = static_cast<usw_joined<K> *>(row);
        return {p, p, p, n, n};
    }
    /* In the memory of keys and values, where their addresses allow it. */
    __device__ __forceinline__ static usw_joined_array of(void *keys, void *values, void *rest,
                                                          size_t n)
    {
        const size_t half = n / 2;
        auto *low = static_cast<usw_joined<K> *>(keys),
             *high = static_cast<usw_joined<K> *>(values);
        const bool fits =
            (reinterpret_cast<uintptr_t>(keys) | reinterpret_cast<uintptr_t>(values)) %
                sizeof(usw_joined<K>) ==
            0;
        return {fits ? low : nullptr, high, static_cast<usw_joined<K> *>(rest), half, 2 * half};
    }
    __device__ __forceinline__ usw_joined<K> *at(size_t i) const
    {
        return usw_global(i < half ? low + i : i < both ? high + (i - half) : rest);
    }
    /* Whether the pairs from `begin` on are in a row. */
    __device__ __forceinline__ bool in_a_row(size_t begin, size_t count) const
    {
        const size_t end = begin + count;
        return end <= half || (begin >= half && end <= both);
    }
};

/* Where a pass reads and writes. numbered: keys of few values are sorted by the values' numbers, in
 * one pass. */
template <typename K, unsigned value_bytes, bool numbered = false> struct usw_pass_ends {
    using V = typename usw_value_of<value_bytes>::type;
    const K *keys_in;
    K *keys_out;        /* NULL: not wanted */
    const V *values_in; /* NULL: value i is i */
    V *values_out;
    usw_joined_array<K> joined_in, joined_out;
    usw_gpu_keymap<K> map;
    bool first, last;
    unsigned shift, mask;
    const hybrid_few<K> *few; /* where the numbers are */

    /* A key as the first pass takes it, and as it leaves the last one. */
    __device__ __forceinline__ K enter(K k) const
    {
        if constexpr (numbered) {
            return few->number_of(k);
        } else {
            return map.map(k);
        }
    }
    __device__ __forceinline__ K leave(K k) const
    {
        if constexpr (numbered) {
            k = few->sorted[k];
        }
        return map.unmap(k);
    }
    __device__ __forceinline__ unsigned digit_of(K k) const
    {
        return static_cast<unsigned>(k >> shift) & mask;
    }
};

/* Whether so many passes use `spare`, so that the last one writes to out: tmp and spare take turns
 * before it. One pass alone reads from in, which is out. */
__device__ __forceinline__ bool usw_takes_spare(const void *spare, unsigned passes)
{
    return spare != nullptr && passes % 2 != 0 && passes > 1;
}

/* Sets in e what is the same for all tiles of this pass; returns the number of the pass's digit. */
template <typename K, unsigned value_bytes, bool numbered>
__device__ __forceinline__ unsigned begin_pass(usw_pass_ends<K, value_bytes, numbered> &e,
                                               const usw_radix_pass_args<K> &a, unsigned pass,
                                               unsigned passes)
{
    using V = typename usw_value_of<value_bytes>::type;
    constexpr bool joins = sizeof(K) == value_bytes;
    unsigned digit = a.control->digit[pass];
    bool to_tmp = a.last_in_tmp ? pass % 2 == 0 : (passes - 1 - pass) % 2 != 0, from_tmp = !to_tmp;
    e.first = pass == 0;
    e.last = pass + 1 == passes;
    const bool spare = joins && usw_takes_spare(a.spare, passes);
    if (spare && e.last) {
        to_tmp = from_tmp = false;
    }
    e.keys_in = e.first ? a.keys_in : to_tmp ? a.keys_out : a.keys_tmp;
    e.keys_out = e.last && a.drop_keys ? nullptr : to_tmp ? a.keys_tmp : a.keys_out;
    e.values_in = static_cast<const V *>(e.first  ? a.values_in
                                         : to_tmp ? a.values_out
                                                  : a.values_tmp);
    e.values_out = static_cast<V *>(to_tmp ? a.values_tmp : a.values_out);
    if constexpr (joins) {
        const auto none = usw_joined_array<K>::of(nullptr, 0);
        const auto tmp = usw_joined_array<K>::of(a.keys_tmp, a.n);
        const auto out =
            spare ? usw_joined_array<K>::of(a.spare, a.n)
                  : usw_joined_array<K>::of(a.keys_out, a.values_out, a.control->last_pair, a.n);
        e.joined_in = e.first ? none : from_tmp ? tmp : out;
        e.joined_out = to_tmp ? tmp : e.last ? none : out;
    }
    e.map = a.map;
    e.few = a.few;
    e.shift = a.bits.shift(digit);
    e.mask = a.bits.mask(digit);
    return digit;
}

#endif
