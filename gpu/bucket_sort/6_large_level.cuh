/* 6_large_level.cuh - a level of step 6 of the bucket sort (gpu/bucket_sort/6_large.cuh): by which
 * digit a range is counted, the tables of ranges, and what its counts make of a range. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_6_LARGE_LEVEL_CUH
#define USW_GPU_BUCKET_SORT_6_LARGE_LEVEL_CUH

#include "gpu/bucket_sort/6_large_one_block.cuh"
#include "gpu/bucket_sort/6_large_lists.cuh"

/* ---- the digit by which a range is counted ---- */

template <typename K> struct hybrid_large_shape {
    static constexpr int threads = 1024, keys = 64 / sizeof(K); /* of a tile */
    static constexpr int bin_keys = 10, bin_bits = 13, rounds = sizeof(K) == 8 ? 4 : 8;
    static constexpr unsigned tile = threads * keys, digits = 512;
    static constexpr unsigned fill_bits = 16, split_bits = 8, samples = 16;
};

__device__ __forceinline__ unsigned hybrid_top(unsigned long long v)
{
    return 64 - static_cast<unsigned>(__clzll(static_cast<long long>(v)));
}

/* The digit of a range: key - base >> lo where that is less than span, span for keys below, span +
 * 1 for keys above. */
template <typename K> struct hybrid_range_digit {
    K base;
    unsigned lo, span;
    __device__ __forceinline__ explicit hybrid_range_digit(const hybrid_range &p)
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
    template <int N> __device__ __forceinline__ void all(const K (&k)[N], unsigned (&d)[N]) const
    {
#pragma unroll
        for (int i = 0; i < N; i++) {
            d[i] = (*this)(k[i]);
        }
    }
    __device__ __forceinline__ K note(K k) const
    {
        return k >= base && (static_cast<K>(k - base) >> lo) < span ? k : base;
    }
};

/* Chooses the digit of a range. v: the bits in which its sampled keys differ; in the others they
 * are as all. Returns false if the digit is the highest bits, for a split. */
template <typename K> __device__ __forceinline__ bool hybrid_choose(hybrid_range &p, K all, K v)
{
    using shape = hybrid_large_shape<K>;
    const bool complete =
        p.left <=
        shape::fill_bits; /* these are all the bits that are left, so no key can be outside */
    const unsigned top = complete ? p.left : hybrid_top(v), share = complete ? 15 : 13;
    const unsigned low = complete || v == 0 ? 0 : __ffsll(static_cast<long long>(v)) - 1;
    const unsigned bits = top - low;
    unsigned most = 1;
    while (most < shape::split_bits && p.size >> share >> most != 0) {
        most++;
    }
    p.in_cells = bits <= most;
    if (bits <= shape::fill_bits && (16ull << bits) + 96 <= p.size * sizeof(K) && !p.no_fill) {
        p.lo = low;
        p.span = 1u << bits;
        p.base = complete ? static_cast<K>(all >> bits << bits) : all;
        return true;
    }
    const unsigned seen = hybrid_top(v), split = seen < most ? seen : most;
    p.in_cells = 1;
    p.lo = seen - split;
    p.span = 1u << split;
    p.base = static_cast<K>(all >> p.lo << p.lo);
    return false;
}

/* Chooses the digit of a range by a sample of its keys. A warp calls. */
template <typename K>
__device__ __forceinline__ void hybrid_sample_range(hybrid_range &p, const K *keys,
                                                    const usw_gpu_keymap<K> &map)
{
    using shape = hybrid_large_shape<K>;
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
    for (unsigned c = 0; c < 3; c++) { /* is there a value that half of the sample has? */
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

/* ---- a level ---- */

template <typename K> struct hybrid_large_args {
    K *keys, *tmp;
    const K *from; /* of a raw range */
    usw_gpu_keymap<K> map;
    hybrid_plan *plan;
    hybrid_lists lists;
    unsigned *barrier;
    unsigned one_block_keys; /* keys of a range that one block may count and write, at most */
};

/* The limit for n keys of all: more than a range with a table of its own must have, and less than
 * keeps other blocks waiting. */
static inline unsigned hybrid_one_block_keys(unsigned long long n)
{
#ifdef USW_EMULATE /* small, so that tests of few keys have ranges with tables */
    const unsigned long long least = 20000;
#else
    const unsigned long long least = (1u << 18) + 64;
#endif
    const unsigned long long most = hybrid_one_block_shape::keys_max;
    return static_cast<unsigned>(n / 512 < least ? least : n / 512 < most ? n / 512 : most);
}

/* What a block knows of its level. */
template <typename K> struct hybrid_large_level {
    using shape = hybrid_large_shape<K>;
    const hybrid_large_args<K> &a;
    unsigned char *buffer;
    unsigned list; /* of this level */
    unsigned ranges;
    unsigned long long tiles;

    __device__ __forceinline__ const K *keys_of(const hybrid_range &p) const
    {
        return (p.raw ? a.from : p.in_tmp ? a.tmp : a.keys) + p.begin;
    }
    /* The map that is still to be applied to the keys of a range. */
    __device__ __forceinline__ usw_gpu_keymap<K> map_of(const hybrid_range &p) const
    {
        return p.raw ? a.map : usw_gpu_keymap<K>{0, 0, 0};
    }
    /* Values that are counted: digits, below and above; made even. */
    __device__ __forceinline__ static unsigned values_of(const hybrid_range &p)
    {
        return (p.span + 3) / 2 * 2;
    }
    /* A table of 16 bytes for each value: its count and how often it was handed on, and in the
     * second half, later, where it begins. The table lies in cells, or in the array that holds no
     * keys of the range; the second half is in tmp when the range is written by counts. */
    __device__ __forceinline__ unsigned char *table_of(const hybrid_range &p, bool in_keys) const
    {
        if (p.in_cells) {
            return reinterpret_cast<unsigned char *>(
                a.lists.cells + (p.begin + HYBRID_CELL_KEYS - 1) / HYBRID_CELL_KEYS);
        }
        uintptr_t at = reinterpret_cast<uintptr_t>((in_keys ? a.keys : a.tmp) + p.begin);
        return reinterpret_cast<unsigned char *>((at + 15) / 16 * 16);
    }
    __device__ __forceinline__ unsigned *counts_of(const hybrid_range &p) const
    {
        return reinterpret_cast<unsigned *>(table_of(p, p.in_tmp));
    }
    __device__ __forceinline__ unsigned long long *starts_of(const hybrid_range &p) const
    {
        return reinterpret_cast<unsigned long long *>(table_of(p, false)) + values_of(p);
    }
    /* The range of tile t, at `from` in the list or behind. */
    __device__ __forceinline__ unsigned range_at(unsigned from, unsigned long long t) const
    {
        unsigned lo = from, hi = ranges - 1;
        while (lo < hi) {
            unsigned mid = (lo + hi + 1) / 2;
            if (a.lists.ranges[list][mid].tile <= t) {
                lo = mid;
            } else {
                hi = mid - 1;
            }
        }
        return lo;
    }

    /* ---- place ---- */

    __device__ __forceinline__ static unsigned long long count_at(const unsigned *counts,
                                                                  unsigned values, unsigned d)
    {
        return counts[d] + (static_cast<unsigned long long>(counts[values + d]) << 15);
    }
    /* Makes the keys of digit d a range or a bin of the next level. */
    __device__ __forceinline__ void push_digit(const hybrid_range &p, unsigned d,
                                               unsigned long long at, unsigned long long c,
                                               unsigned left)
    {
        hybrid_push(a.plan, a.lists, 1 - list, at, c, 1 - p.in_tmp, d < p.span ? left : p.left);
    }
    /* Turns the counts into the sums of all before, from base on; keys below come first. split:
     * push_digit makes ranges and bins of the digits. */
    __device__ __forceinline__ void scan(const hybrid_range &p, unsigned long long base, bool split,
                                         unsigned left)
    {
        const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, values = values_of(p);
        const unsigned *counts = counts_of(p);
        unsigned long long *starts = starts_of(p);
        unsigned long long *sums = reinterpret_cast<unsigned long long *>(buffer);
        const unsigned each = (values + 1023) / 1024 * 32;
        const unsigned begin = warp * each, end = begin + each < values ? begin + each : values;
        unsigned long long total = 0;
#pragma unroll 8
        for (unsigned d = begin + lane; d < end; d += 32) {
            total += count_at(counts, values, d);
        }
        for (int o = 16; o > 0; o >>= 1) {
            total += __shfl_xor_sync(~0u, total, o);
        }
        __syncthreads();
        if (lane == 0) {
            sums[warp] = total;
        }
        __syncthreads();
        const unsigned long long first = base, below = count_at(counts, values, p.span);
        base += below;
        for (unsigned w = 0; w < warp; w++) {
            base += sums[w];
        }
        constexpr unsigned U = 4; /* counts that are loaded at a time */
        for (unsigned d0 = begin + lane; d0 - lane < end; d0 += 32 * U) {
            unsigned long long c[U];
#pragma unroll
            for (unsigned u = 0; u < U; u++) {
                c[u] = d0 + 32 * u < end ? count_at(counts, values, d0 + 32 * u) : 0;
            }
#pragma unroll
            for (unsigned u = 0; u < U; u++) {
                const unsigned d = d0 + 32 * u;
                unsigned long long sum = c[u];
                for (unsigned o = 1; o < 32; o <<= 1) {
                    unsigned long long up = __shfl_up_sync(~0u, sum, o);
                    sum += lane >= o ? up : 0;
                }
                if (d < end) {
                    const unsigned long long at = d < p.span    ? base + sum - c[u]
                                                  : d == p.span ? first
                                                                : first + p.size - c[u];
                    starts[d] = at;
                    if (split && c[u] != 0) {
                        push_digit(p, d, at, c[u], left);
                    }
                }
                base += __shfl_sync(~0u, sum, 31);
            }
        }
    }
    /* Splits a range that was to be written by counts, but has keys below or above, into three.
     * False: it can not. */
    __device__ __forceinline__ bool split_in_three(hybrid_range &p, unsigned long long below,
                                                   unsigned long long above)
    {
        unsigned bits = p.lo + hybrid_top(p.span) - 1;
        if (below + above == 0 || bits >= sizeof(K) * 8) {
            return false;
        }
        p.kind = HYBRID_RANGE_SPLIT;
        p.lo = bits;
        p.span = 1;
        p.in_cells = 1;
        if (threadIdx.x == 0) {
            unsigned long long *starts = starts_of(p), inside = p.size - below - above;
            const unsigned long long at[3] = {p.begin + below, p.begin, p.begin + p.size - above};
            const unsigned long long size[3] = {inside, below, above};
            for (unsigned d = 0; d < 3; d++) {
                starts[d] = at[d];
                push_digit(p, d, at[d], size[d], p.left);
            }
        }
        return true;
    }
    __device__ __forceinline__ void place_range(hybrid_range &p)
    {
        if (p.left == 0) { /* the keys of the range are equal */
            const bool in_place = !p.in_tmp && (!p.raw || a.from == a.keys);
            p.kind = a.map.identity() && in_place ? HYBRID_RANGE_NONE : HYBRID_RANGE_FILL;
            if (threadIdx.x == 0) {
                starts_of(p)[0] = 0;
            }
            return;
        }
        const unsigned values = values_of(p);
        const unsigned long long below = count_at(counts_of(p), values, p.span);
        const unsigned long long above = count_at(counts_of(p), values, p.span + 1);
        const unsigned long long differ = (p.any ^ p.all) & ((1ull << p.lo) - 1);
        if (differ == 0 && below + above == 0) {
            p.kind = HYBRID_RANGE_FILL;
            scan(p, 0, false, 0);
        } else if (p.in_cells) {
            const bool aligned = (p.base & ((1ull << p.lo) - 1)) == 0 || differ == 0;
            p.kind = HYBRID_RANGE_SPLIT;
            scan(p, p.begin, true, aligned ? hybrid_top(differ) : p.left);
        } else if (!split_in_three(p, below, above)) {
            p.kind = HYBRID_RANGE_NONE;
            if (threadIdx.x == 0) {
                hybrid_range retry = p;
                retry.no_fill = 1;
                hybrid_push_range(a.plan, a.lists, 1 - list, retry);
            }
        }
    }
    /* Blocks take range after range. */
    __device__ __forceinline__ void place()
    {
        unsigned *taken = reinterpret_cast<unsigned *>(buffer);
        for (;;) {
            if (threadIdx.x == 0) {
                taken[0] = atomicAdd(&a.plan->taken, 1u);
            }
            __syncthreads();
            const unsigned i = taken[0];
            __syncthreads();
            if (i >= ranges) {
                return;
            }
            hybrid_range p = a.lists.ranges[list][i];
            if (p.kind == HYBRID_RANGE_ONE_BLOCK) {
                const usw_gpu_keymap<K> map = map_of(p);
                hybrid_one_block<K> block(map, a.map, buffer, p.left);
                block.sort(keys_of(p), a.keys + p.begin, static_cast<unsigned>(p.size), p.left);
                p.kind = HYBRID_RANGE_NONE;
            } else {
                place_range(p);
            }
            __syncthreads();
            if (threadIdx.x == 0) {
                a.lists.ranges[list][i] = p;
            }
        }
    }
};

#endif
