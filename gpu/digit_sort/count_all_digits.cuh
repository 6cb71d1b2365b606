/* count_all_digits.cuh - a radix sort's first step on a GPU: one read of the keys counts all
 * digits, and decides which passes are needed.
 *
 * Idea     count reads the keys once: it counts every digit, sees whether the keys are sorted or
 *          reversed already, and its last block scans the counts and writes the plan: which digits
 *          are worth a pass. scatter (gpu/digit_sort/pass.cuh) does one such pass: blocks take
 *          tiles in order, rank a tile's keys by their digit (stable), learn from the spine, a
 *          block that adds up the tiles' counts, where each digit's keys go, and write them in
 *          runs.
 *
 * Shape    count: 2 blocks of 512 threads a multiprocessor, 4 copies of the counters in shared
 *          memory. scatter: as many blocks as run at a time, each takes tile after tile; shared
 *          memory holds one tile, the warps' counters (1 KB a warp) and 2 KB of tables.
 *
 * Traffic  count: the keys once. scatter: keys and values read once and written once, and a few
 *          KB a tile of words that the tiles exchange, which stay in the L2 cache.
 *
 * Source   A. Adinets, D. Merrill, Onesweep: a faster least significant digit radix sort for GPUs,
 *          2022; D. Merrill, M. Garland, Single-pass parallel prefix scan with decoupled look-back,
 *          2016. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_DIGIT_SORT_COUNT_ALL_DIGITS_CUH
#define USW_GPU_DIGIT_SORT_COUNT_ALL_DIGITS_CUH

#include "gpu/launch_chain.cuh"

/* ---- tuning ---- */

struct usw_radix_count_tuning {
    static constexpr unsigned threads = 512, blocks = 2, copies = 4, vectors = 4;
};

/* ---- the plan: written by count, read by all that follows ---- */

enum { USW_RADIX_DIGITS = 8, USW_RADIX_BINS = 256 };
enum { USW_ORDER_SORT = 0, USW_ORDER_KEEP = 1, USW_ORDER_REVERSE = 2 };

struct usw_radix_control {
    unsigned long long base[USW_RADIX_DIGITS][USW_RADIX_BINS]; /* counts, then exclusive sums */
    unsigned tiles_taken[USW_RADIX_DIGITS];
    unsigned long long differ; /* bits in which keys differ from the first, if signs are counted */
    unsigned disorder;         /* 1: some key is below the one before it; 2: some is not */
    unsigned blocks_done;
    unsigned order; /* USW_ORDER_... */
    unsigned passes;
    unsigned char digit[USW_RADIX_DIGITS];   /* of each pass */
    alignas(16) unsigned char last_pair[16]; /* of an odd number of pairs, between passes */
};

/* The digits that the bits [begin, end) of a key make. */
struct usw_radix_bits {
    unsigned begin, end, digits;
    __host__ __device__ unsigned shift(unsigned digit) const
    {
        return begin + 8 * digit;
    }
    __host__ __device__ unsigned mask(unsigned digit) const
    {
        unsigned bits = end - shift(digit);
        return bits >= 8 ? 255u : (1u << bits) - 1;
    }
};

/* The type of a value that moves with its key; value_bytes 0: none. */
template <unsigned value_bytes> struct usw_value_of {
    using type = uint32_t;
};
template <> struct usw_value_of<8> {
    using type = uint64_t;
};

/* ---- count ---- */

template <typename K> struct usw_radix_count_args {
    const K *keys;
    size_t n;
    usw_gpu_keymap<K> map;
    usw_radix_bits bits;
    bool stable; /* equal keys must keep their order: only strictly falling keys are reversed */
    usw_radix_control *control;
    unsigned *ring;
    size_t ring_words;       /* to clear */
    const unsigned *enabled; /* if it is not NULL and *enabled is 0, nothing is to be done */
};

/* Adds a key's digits to this warp's copy of the counters. */
template <typename K>
__device__ __forceinline__ void count_key(unsigned *counts, K key, const usw_radix_bits &bits)
{
#pragma unroll
    for (unsigned d = 0; d < sizeof(K); d++) {
        if (d < bits.digits) {
            atomicAdd(
                &counts[d * 256 + (static_cast<unsigned>(key >> bits.shift(d)) & bits.mask(d))],
                1u);
        }
    }
}

/* Adds the digits of a whole warp's vectors; a digit in which all of its keys agree is added at
 * once. */
template <typename K, unsigned V>
__device__ __forceinline__ void count_warp(unsigned *counts, const K *key,
                                           const usw_radix_bits &bits)
{
    K first = __shfl_sync(~0u, key[0], 0), differ = 0;
#pragma unroll
    for (unsigned j = 0; j < V; j++) {
        differ |= static_cast<K>(key[j] ^ first);
    }
    unsigned low = __reduce_or_sync(~0u, static_cast<unsigned>(differ)), high = 0;
    if constexpr (sizeof(K) == 8) {
        high = __reduce_or_sync(~0u, static_cast<unsigned>(differ >> 32));
    }
    K all = static_cast<K>(static_cast<uint64_t>(high) << 32 | low);
#pragma unroll
    for (unsigned d = 0; d < sizeof(K); d++) {
        if (d >= bits.digits) {
            break;
        }
        unsigned shift = bits.shift(d), mask = bits.mask(d);
        unsigned *bin = counts + d * 256;
        if ((static_cast<unsigned>(all >> shift) & mask) == 0) {
            if ((threadIdx.x & 31) == 0) {
                atomicAdd(&bin[static_cast<unsigned>(first >> shift) & mask], 32 * V);
            }
        } else {
#pragma unroll
            for (unsigned j = 0; j < V; j++) {
                atomicAdd(&bin[static_cast<unsigned>(key[j] >> shift) & mask], 1u);
            }
        }
    }
}

/* What neighbours a and b say about the order: the bits of usw_radix_control.disorder. */
template <typename K> __device__ __forceinline__ unsigned disorder_of(K a, K b, bool stable)
{
    return b < a ? 1u : stable || a < b ? 2u : 0u;
}

/* Scans the counts of a digit; says whether the digit is worth a pass. 256 threads or more. */
__device__ __forceinline__ bool scan_counts(unsigned long long *base, size_t n,
                                            unsigned long long *warp_sums)
{
    unsigned t = threadIdx.x, lane = t & 31;
    unsigned long long c = 0, sum;
    if (t < 256) {
        c = usw_load_relaxed(&base[t]);
    }
    sum = c;
    for (unsigned by = 1; by < 32; by *= 2) {
        unsigned long long other = __shfl_up_sync(~0u, sum, by);
        sum += lane >= by ? other : 0;
    }
    bool single = __syncthreads_or(t < 256 && c == n) != 0;
    if (t < 256 && lane == 31) {
        warp_sums[t / 32] = sum;
    }
    __syncthreads();
    if (t < 256) {
        for (unsigned w = 0; w < t / 32; w++) {
            sum += warp_sums[w];
        }
        base[t] = sum - c;
    }
    return !single;
}

/* The last block to finish counting turns the counts into the plan. */
template <typename K, bool signs>
__device__ __forceinline__ void make_plan(const usw_radix_count_args<K> &a,
                                          unsigned long long *warp_sums)
{
    usw_radix_control *c = a.control;
    const unsigned long long differ = signs ? usw_load_relaxed(&c->differ) : ~0ull;
    unsigned passes = 0;
    for (unsigned d = 0; d < a.bits.digits; d++) {
        const bool many = scan_counts(c->base[d], a.n, warp_sums);
        if (many && (differ >> a.bits.shift(d) & a.bits.mask(d)) != 0) {
            if (threadIdx.x == 0) {
                c->digit[passes] = static_cast<unsigned char>(d);
            }
            passes++;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        unsigned disorder = usw_load_relaxed(&c->disorder);
        c->order = (disorder & 1) == 0   ? USW_ORDER_KEEP
                   : (disorder & 2) == 0 ? USW_ORDER_REVERSE
                                         : USW_ORDER_SORT;
        c->passes = c->order == USW_ORDER_SORT ? passes : 0;
    }
}

/* One block's counting. signs: the key map inverts all bits but the sign of negative keys, and does
 * nothing else. Then a digit in which the caller's keys agree has two values in mapped keys, one
 * for each sign; the pass over the sign comes last and orders them, so that digit needs no pass. */
template <typename K, bool signs> struct count_block {
    using tuning = usw_radix_count_tuning;
    static constexpr unsigned V = 16 / sizeof(K), U = tuning::vectors;
    const usw_radix_count_args<K> &a;
    unsigned *mine; /* this warp's counters */
    K range;        /* the bits that count */
    K first, differ;
    size_t head, vectors;
    unsigned disorder, seen; /* this thread's, this warp's */

    __device__ __forceinline__ count_block(const usw_radix_count_args<K> &args, unsigned *counters)
        : a(args), mine(counters), first(signs ? a.keys[0] : K(0)), differ(0), disorder(0), seen(0)
    {
        unsigned bits = a.bits.end - a.bits.begin;
        range = static_cast<K>(static_cast<K>(static_cast<K>(~K(0)) >> (sizeof(K) * 8 - bits))
                               << a.bits.begin);
        head = (16 - reinterpret_cast<uintptr_t>(a.keys) % 16) % 16 / sizeof(K);
        head = head < a.n ? head : a.n;
        vectors = (a.n - head) / V;
    }
    __device__ __forceinline__ void compare(K before, K after)
    {
        disorder |= disorder_of<K>(before & range, after & range, a.stable);
    }
    /* Counts vector i of mapped keys; whole: all vectors of this warp lie in the array. */
    __device__ __forceinline__ void count_vector(const K (&key)[V], size_t i, bool whole)
    {
        if (whole) {
            count_warp<K, V>(mine, key, a.bits);
        } else if (i < vectors) {
#pragma unroll
            for (unsigned j = 0; j < V; j++) {
                count_key(mine, key[j], a.bits);
            }
        }
        if (seen == 3) {
            return;
        }
        if (i < vectors) {
#pragma unroll
            for (unsigned j = 0; j + 1 < V; j++) {
                compare(key[j], key[j + 1]);
            }
            size_t next = head + i * V + V;
            if (next < a.n) {
                compare(key[V - 1], a.map.map(a.keys[next]));
            }
        }
        seen = __reduce_or_sync(~0u, disorder);
    }
    /* Counts U vectors a thread, all loaded before the first is counted. */
    __device__ __forceinline__ void count_stretch(size_t at)
    {
        const uint4 *in = reinterpret_cast<const uint4 *>(a.keys + head);
        union {
            uint4 v;
            K k[V];
        } x[U];
#pragma unroll
        for (unsigned u = 0; u < U; u++) {
            size_t i = at + u * blockDim.x + threadIdx.x;
            x[u].v = i < vectors ? in[i] : make_uint4(0, 0, 0, 0);
        }
#pragma unroll
        for (unsigned u = 0; u < U; u++) {
            size_t i = at + u * blockDim.x + threadIdx.x;
#pragma unroll
            for (unsigned j = 0; j < V; j++) {
                if (signs && i < vectors) {
                    differ |= static_cast<K>(x[u].k[j] ^ first);
                }
                x[u].k[j] = a.map.map(x[u].k[j]);
            }
            count_vector(x[u].k, i, (i | 31) < vectors);
        }
    }
    /* Counts the keys before the first vector and after the last. */
    __device__ __forceinline__ void count_last()
    {
        if (threadIdx.x < a.n - vectors * V) {
            size_t i = threadIdx.x < head ? threadIdx.x : threadIdx.x + vectors * V;
            K key = a.map.map(a.keys[i]);
            differ |= static_cast<K>(a.keys[i] ^ first);
            count_key(mine, key, a.bits);
            if (i + 1 < a.n) {
                compare(key, a.map.map(a.keys[i + 1]));
            }
        }
    }
};

template <typename K, bool signs>
__global__ void __launch_bounds__(usw_radix_count_tuning::threads)
    usw_radix_count(const usw_radix_count_args<K> a)
{
    constexpr unsigned copies = usw_radix_count_tuning::copies, copy = sizeof(K) * 256;
    USW_SHARED_ARRAY(unsigned, counts, [copies * copy]);
    USW_SHARED_ARRAY(unsigned long long, warp_sums, [8]);
    USW_SHARED(unsigned, last);
    unsigned t = threadIdx.x;
    usw_chained();
    if (a.enabled != nullptr && *a.enabled == 0) {
        if (blockIdx.x == 0 && t == 0) {
            a.control->passes = 0; /* usw_radix_numbered leaves 1 */
        }
        return;
    }
    for (size_t i = blockIdx.x * blockDim.x + t; i < a.ring_words; i += gridDim.x * blockDim.x) {
        a.ring[i] = 0;
    }
    for (unsigned i = t; i < copies * copy; i += blockDim.x) {
        counts[i] = 0;
    }
    __syncthreads();
    count_block<K, signs> b(a, counts + t / 32 % copies * copy);
    size_t stretch = static_cast<size_t>(blockDim.x) * b.U;
    for (size_t at = blockIdx.x * stretch; at < b.vectors; at += gridDim.x * stretch) {
        b.count_stretch(at);
    }
    if (blockIdx.x == 0) {
        b.count_last();
    }
    unsigned disorder = __reduce_or_sync(~0u, b.disorder);
    if ((t & 31) == 0 && disorder != 0) {
        atomicOr(&a.control->disorder, disorder);
    }
    if (signs) {
        unsigned long long differ = b.differ;
        for (int o = 16; o > 0; o >>= 1) {
            differ |= __shfl_xor_sync(~0u, differ, o);
        }
        if ((t & 31) == 0) {
            atomicOr(&a.control->differ, differ);
        }
    }
    __syncthreads();
    for (unsigned i = t; i < a.bits.digits * 256; i += blockDim.x) {
        unsigned sum = 0;
        for (unsigned c = 0; c < copies; c++) {
            sum += counts[c * copy + i];
        }
        if (sum != 0) {
            atomicAdd(&a.control->base[i / 256][i % 256], static_cast<unsigned long long>(sum));
        }
    }
    __threadfence();
    __syncthreads();
    if (t == 0) {
        last = atomicAdd(&a.control->blocks_done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        make_plan<K, signs>(a, warp_sums);
    }
}

#endif
