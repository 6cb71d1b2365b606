/* 6_large_level_sample.cuh - by which digit the hybrid sort counts a part: what a sample says. */
#ifndef USW_GPU_BUCKET_SORT_6_LARGE_LEVEL_SAMPLE_CUH
#define USW_GPU_BUCKET_SORT_6_LARGE_LEVEL_SAMPLE_CUH

#include "gpu/bucket_sort/6_large_lists.cuh"

template <typename K> struct hybrid_rest_shape {
    static constexpr int threads = 1024, keys = 64 / sizeof(K); /* of a tile */
    static constexpr int bin_keys = 10, bin_bits = 13, rounds = sizeof(K) == 8 ? 4 : 8;
    static constexpr unsigned tile = threads * keys, digits = 512;
    static constexpr unsigned fill_bits = 16, split_bits = 8, samples = 16;
};

__device__ __forceinline__ unsigned hybrid_top(unsigned long long v)
{
    return 64 - static_cast<unsigned>(__clzll(static_cast<long long>(v)));
}

/* A part's digit. */
template <typename K> struct hybrid_part_digit {
    K base;
    unsigned lo, span;
    __device__ __forceinline__ explicit hybrid_part_digit(const hybrid_part &p)
        : base(static_cast<K>(p.base)), lo(p.lo), span(p.span)
    {
    }
    __device__ __forceinline__ unsigned operator()(K k) const
    {
        const K x = static_cast<K>(k - base) >> lo;
        if (x < span && k >= base) {
            return static_cast<unsigned>(x);
        }
        return span + (k >= base);
    }
    __device__ __forceinline__ K note(K k) const
    {
        return k >= base && (static_cast<K>(k - base) >> lo) < span ? k : base;
    }
};

/* The digit of a part of whose sampled keys v are the bits that differ, the others as in all.
 * False: it is for a split, by the highest bits. */
template <typename K> __device__ __forceinline__ bool hybrid_choose(hybrid_part &p, K all, K v)
{
    using shape = hybrid_rest_shape<K>;
    const bool few = p.left <= shape::fill_bits; /* so no key can be outside */
    const unsigned top = few ? p.left : hybrid_top(v), share = few ? 15 : 13;
    const unsigned low = few || v == 0 ? 0 : __ffsll(static_cast<long long>(v)) - 1;
    const unsigned bits = top - low;
    unsigned most = 1;
    while (most < shape::split_bits && p.size >> share >> most != 0) {
        most++;
    }
    p.in_cells = bits <= most;
    if (bits <= shape::fill_bits && (16ull << bits) + 96 <= p.size * sizeof(K) && !p.wary) {
        p.lo = low;
        p.span = 1u << bits;
        p.base = few ? static_cast<K>(all >> bits << bits) : all;
        return true;
    }
    const unsigned seen = hybrid_top(v), split = seen < most ? seen : most;
    p.in_cells = 1;
    p.lo = seen - split;
    p.span = 1u << split;
    p.base = static_cast<K>(all >> p.lo << p.lo);
    return false;
}

/* Chooses the digit of a part by a sample of its keys. A warp calls. */
template <typename K>
__device__ __forceinline__ void hybrid_look(hybrid_part &p, const K *keys,
                                            const usw_gpu_keymap<K> &map)
{
    using shape = hybrid_rest_shape<K>;
    K k[shape::samples], any = 0, all = static_cast<K>(~K(0));
#pragma unroll
    for (unsigned i = 0; i < shape::samples; i++) {
        k[i] = keys[i * (p.size / 32) / shape::samples * 32 + threadIdx.x % 32];
    }
#pragma unroll
    for (unsigned i = 0; i < shape::samples; i++) {
        k[i] = map.map(k[i]);
        any |= k[i];
        all &= k[i];
    }
    for (int o = 16; o > 0; o >>= 1) {
        any |= __shfl_xor_sync(~0u, any, o);
        all &= __shfl_xor_sync(~0u, all, o);
    }
    if (hybrid_choose(p, all, static_cast<K>(any ^ all)) &&
        (p.left <= shape::fill_bits || !p.in_cells)) {
        return;
    }
    for (unsigned c = 0; c < 3; c++) { /* one value that half of them have? */
        K value = __shfl_sync(~0u, k[c], static_cast<int>(c * 11));
        unsigned same = 0;
#pragma unroll
        for (unsigned i = 0; i < shape::samples; i++) {
            same += k[i] == value;
        }
        same = __reduce_add_sync(~0u, same);
        if (same >= shape::samples * 16) {
            p.base = value;
            p.lo = 0;
            p.span = 1;
            p.in_cells = 1;
        }
    }
}
#endif
