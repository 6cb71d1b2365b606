/* pairs_sort.cuh - the bucket sort of pairs: each bucket is sorted in shared memory.
 *
 * A block takes a bucket. The bits that the scatters left undecided and the pair's place in the
 * bucket make one word, of the width of a key; so all words differ, and any sort of them is stable.
 * They are sorted as keys are in gpu/bucket_sort/5_sort.cuh; then each word's place says where its
 * value is. Values wait in shared memory, or, if both do not fit well, are copied there once the
 * words are sorted.
 *
 * A bucket of a prefix tree has bits of its own, taken of the keys less the least one. Where they
 * leave no room for the place, as in buckets of rare keys, the bucket is sorted twice, by the lower
 * half of a key and by the upper one. Bins are then equal parts of the bucket's range, down to the
 * places, so that equal keys do not crowd a bin. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_PAIR_BUCKETS_PAIRS_SORT_CUH
#define USW_GPU_PAIR_BUCKETS_PAIRS_SORT_CUH

#include "gpu/block/sort_digits.cuh"
#include "gpu/bucket_sort/5_sort.cuh"
#include "gpu/pair_buckets/pairs_scatter.cuh"

template <typename K> struct pairs_local_args {
    const K *keys;
    void *values; /* sorted in place */
    K *out_keys;  /* NULL: the caller wants no keys; may be keys */
    usw_gpu_keymap<K> map;
    const pairs_plan *plan;
    const unsigned long long *starts; /* buckets + 1 */
    pairs_extents extents;            /* of a tree's buckets */
    bool unmaps;                      /* out_keys are wanted, and the map changes keys */
};

/* Gives four times a word's bin, of 1 << B: its part of a range that fills `fill` 256ths of so many
 * bits. */
struct pairs_bins {
    unsigned turn, factor;
    __device__ __forceinline__ pairs_bins(unsigned word_bits, unsigned bits, unsigned fill,
                                          unsigned b)
        : turn(word_bits - bits), factor((4u << (b + 8)) / fill)
    {
    }
    __device__ __forceinline__ unsigned operator()(uint32_t word) const
    {
        return __umulhi(word << turn, factor) & ~3u;
    }
    __device__ __forceinline__ unsigned operator()(uint64_t word) const
    {
        return __umulhi(static_cast<unsigned>(word << turn >> 32), factor) & ~3u;
    }
};

/* Shape of a block: NT threads of I pairs, bins of B bits, R rounds, M blocks a multiprocessor. */
template <int NT, int I, int B, int R, int M, bool Early> struct pairs_local_shape {
    static constexpr int threads = NT, keys = I, bins_bits = B, rounds = R, blocks = M;
    static constexpr unsigned tile = NT * I, capacity = tile - 32;
    static constexpr bool early = Early; /* values wait in shared memory of their own */
    static constexpr unsigned place_bits = tile <= 2048    ? 11
                                           : tile <= 4096  ? 12
                                           : tile <= 8192  ? 13
                                           : tile <= 16384 ? 14
                                                           : 15;
};

template <typename K, unsigned value_bytes, typename S> constexpr size_t pairs_local_shared()
{
    constexpr size_t words = hybrid_local_shared<K>(S::threads, S::keys, S::bins_bits);
    constexpr size_t values = size_t(S::tile) * value_bytes;
    constexpr size_t late = 256 + values > words ? 256 + values : words;
    return S::early ? words + values : late;
}

/* by_tree: of a tree, else of leading bits. */
template <typename K, unsigned value_bytes, typename S, bool by_tree> struct pairs_bucket {
    using V = typename usw_value_of<value_bytes>::type;
    static constexpr int NT = S::threads, I = S::keys, B = S::bins_bits, R = S::rounds;
    static constexpr unsigned PB = S::place_bits;
    static constexpr size_t words_bytes = hybrid_local_shared<K>(NT, I, B);
    unsigned *sums, *bins;
    K *tile;
    V *values;
    unsigned m, left, fill; /* pairs; undecided bits; the range in 256ths of these */
    unsigned skip;          /* lower bits that are left out, where not all are sorted at once */
    K least;                /* what all keys are above; the bits that they share */

    __device__ __forceinline__ explicit pairs_bucket(unsigned char *buffer)
    {
        sums = reinterpret_cast<unsigned *>(buffer);
        tile = reinterpret_cast<K *>(sums + 64);
        bins = reinterpret_cast<unsigned *>(tile + S::tile);
        values = reinterpret_cast<V *>(buffer + (S::early ? words_bytes : 256));
        skip = 0;
    }
    /* Copies the values to shared memory; own: as in sort. */
    __device__ __forceinline__ void bring(const V *from, unsigned own) const
    {
#pragma unroll
        for (int i = 0; i < I; i++) {
            if (own + i * NT < m) {
                copy_async(&values[static_cast<int>(own) + i * NT],
                           &from[static_cast<int>(own) + i * NT]);
            }
        }
    }
    /* The word of the key at place p. part: only some bits are sorted now. */
    template <bool part> __device__ __forceinline__ K word_of(K key, unsigned p) const
    {
        if constexpr (!by_tree) {
            const K low =
                left == 0 ? K(0) : static_cast<K>(static_cast<K>(~K(0)) >> (sizeof(K) * 8 - left));
            return static_cast<K>((key & low) << PB | p);
        }
        K bits = static_cast<K>(key - least);
        if (part) {
            bits = static_cast<K>(static_cast<K>(bits >> skip) << (sizeof(K) * 8 - left)) >>
                   (sizeof(K) * 8 - left);
        }
        return static_cast<K>(bits << PB | p);
    }
    /* Sorts the words. own: the place of this thread's first pair; its others follow NT apart. */
    template <bool part> __device__ __forceinline__ void sort(const K *data, unsigned own)
    {
        K word[I];
#pragma unroll
        for (int i = 0; i < I; i++) {
            const int p = static_cast<int>(own) + i * NT;
            word[i] = own + i * NT < m ? data[p] : K(0);
        }
#pragma unroll
        for (int i = 0; i < I; i++) {
            word[i] = word_of<part>(word[i], own + i * NT);
        }
#pragma unroll
        for (int w = 0; w < (1 << B) / NT / 4; w++) {
            reinterpret_cast<uint4 *>(bins)[threadIdx.x + w * NT] = make_uint4(0, 0, 0, 0);
        }
        __syncthreads();
        int found;
        if constexpr (by_tree) {
            const pairs_bins digit(sizeof(K) * 8, left + PB, fill, B);
            found = hybrid_split<K, NT, I, B, R, false>(word, own, m, tile, bins, sums, digit);
        } else {
            const hybrid_digit digit(PB + (left > B ? left - B : 0), 1u << (left < B ? left : B),
                                     sizeof(K) * 8);
            found = hybrid_split<K, NT, I, B, R, false>(word, own, m, tile, bins, sums, digit);
        }
        if (found == HYBRID_EVEN) {
            hybrid_rounds<K, NT, I, R>(tile, m);
            __syncthreads();
        } else if (found == HYBRID_UNEVEN) {
            hybrid_more_rounds<K, NT>(tile, m);
        } else {
            for (unsigned p = threadIdx.x; p < m; p += NT) {
                tile[p] = word_of<part>(data[p], p);
            }
            __syncthreads();
            hybrid_by_digits<K, NT, I>(tile, m, tile, reinterpret_cast<uint16_t *>(bins), sums, PB);
        }
    }
    __device__ __forceinline__ static unsigned place_of(K word)
    {
        return static_cast<unsigned>(word) & ((1u << PB) - 1);
    }
    /* Writes the values in the order of the words; from: the places of this thread's. */
    __device__ __forceinline__ void write_values(V *out, unsigned own,
                                                 const uint16_t (&from)[I]) const
    {
        if (!S::early) {
            __syncthreads();
            bring(out, own);
        }
        copy_async_wait();
        __syncthreads();
#pragma unroll
        for (int i = 0; i < I; i++) {
            const int p = static_cast<int>(own) + i * NT;
            if (own + i * NT < m) {
                out[p] = values[from[i]];
            }
        }
    }
    __device__ __forceinline__ void write(K *keys, V *out, const usw_gpu_keymap<K> &map,
                                          unsigned own) const
    {
        uint16_t from[I];
#pragma unroll
        for (int i = 0; i < I; i++) {
            const int p = static_cast<int>(own) + i * NT;
            if (own + i * NT < m) {
                K word = tile[p];
                from[i] = static_cast<uint16_t>(place_of(word));
                if (keys != nullptr) {
                    const K bits = static_cast<K>(word >> PB);
                    keys[p] = map.unmap(static_cast<K>(by_tree ? least + bits : least | bits));
                }
            }
        }
        write_values(out, own, from);
    }
    /* The same where words have a part of their keys, which are moved from data to itself. */
    __device__ __forceinline__ void write_moved(K *data, V *out, const usw_gpu_keymap<K> &map,
                                                bool unmaps, unsigned own) const
    {
        uint16_t from[I];
        K key[I];
#pragma unroll
        for (int i = 0; i < I; i++) {
            if (own + i * NT < m) {
                from[i] = static_cast<uint16_t>(place_of(tile[static_cast<int>(own) + i * NT]));
                key[i] = data[from[i]];
            }
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < I; i++) {
            if (own + i * NT < m) {
                data[static_cast<int>(own) + i * NT] = unmaps ? map.unmap(key[i]) : key[i];
            }
        }
        write_values(out, own, from);
    }
};

/* Whether a bucket's bits leave room for the place in a word. */
template <typename K> __device__ __forceinline__ bool pairs_fit(unsigned left, unsigned place_bits)
{
    return left + place_bits <= sizeof(K) * 8;
}

/* What of a bucket is known before it is sorted. */
template <typename K, unsigned value_bytes, typename S, bool by_tree>
__device__ __forceinline__ void pairs_know(pairs_bucket<K, value_bytes, S, by_tree> &b,
                                           const pairs_local_args<K> &a, unsigned i,
                                           unsigned long long begin)
{
    b.m = static_cast<unsigned>(a.starts[i + 1] - begin);
    if (b.m == 0) {
        return;
    }
    if (by_tree) {
        b.left = a.extents.left[i];
        b.fill = a.extents.fill[i] + 1u;
        b.least = static_cast<K>(a.extents.least[i]);
    } else {
        b.left = a.plan->keys.shift;
        b.least = static_cast<K>(a.keys[begin] >> b.left << b.left);
    }
}

/* A thread's first place in a bucket whose values begin here: warps read and write whole lines of
 * values, so it is up to 31 early. */
template <typename V> __device__ __forceinline__ unsigned pairs_own(const V *values)
{
    return threadIdx.x -
           static_cast<unsigned>(reinterpret_cast<uintptr_t>(values) / sizeof(V)) % 32;
}

/* Maps keys back that are in order. */
template <typename K>
__device__ __forceinline__ void pairs_unmap(const pairs_local_args<K> &a, unsigned long long begin,
                                            unsigned long long from, unsigned long long step,
                                            unsigned long long n)
{
    for (unsigned long long p = from; a.unmaps && p < n; p += step) {
        a.out_keys[begin + p] = a.map.unmap(a.keys[begin + p]);
    }
}

/* Sorts bucket i, if it has no more pairs than fit, and its bits leave room for places. */
template <typename K, unsigned value_bytes, typename S, bool by_tree>
__device__ __forceinline__ void pairs_sort_bucket(const pairs_local_args<K> &a, unsigned i,
                                                  unsigned char *buffer)
{
    using bucket = pairs_bucket<K, value_bytes, S, by_tree>;
    using V = typename bucket::V;
    const unsigned long long begin = a.starts[i];
    bucket b(buffer);
    pairs_know(b, a, i, begin);
    if (b.m == 0 || b.m > S::capacity || (by_tree && !pairs_fit<K>(b.left, S::place_bits))) {
        return;
    }
    if (by_tree && b.left == 0) { /* equal keys */
        pairs_unmap(a, begin, threadIdx.x, S::threads, b.m);
        return;
    }
    V *values = static_cast<V *>(a.values) + begin;
    const unsigned own = pairs_own(values);
    if (S::early) {
        b.bring(values, own);
    }
    b.template sort<false>(a.keys + begin, own);
    b.write(a.out_keys == nullptr ? nullptr : a.out_keys + begin, values, a.map, own);
}

/* Sorts a bucket of a loop. It is not inlined, since the compiler would keep all places of a bucket
 * in registers over the loop. */
template <typename K, unsigned value_bytes, typename S, bool by_tree>
__device__ __noinline__ void pairs_sort_in_turn(const pairs_local_args<K> &a, unsigned i,
                                                unsigned char *buffer)
{
    pairs_sort_bucket<K, value_bytes, S, by_tree>(a, i, buffer);
}

template <typename K, unsigned value_bytes, typename S>
__global__ void __launch_bounds__(S::threads, S::blocks) pairs_local(const pairs_local_args<K> a)
{
    USW_DYNAMIC_SHARED(unsigned char, buffer);
    usw_chained();
    if (!a.plan->split) {
        return;
    }
    if constexpr (PAIRS_BY_TREE<K>) {
        if (a.plan->keys.by_tree) {
            pairs_sort_bucket<K, value_bytes, S, true>(a, blockIdx.x, buffer);
            return;
        }
    }
    pairs_sort_bucket<K, value_bytes, S, false>(a, blockIdx.x, buffer);
}

/* The same for a bucket whose bits leave no room for places: by the lower half of a key, then by
 * the upper one. */
template <typename K, unsigned value_bytes, typename S>
__device__ __noinline__ void pairs_sort_twice(const pairs_local_args<K> &a, unsigned i,
                                              unsigned char *buffer)
{
    using bucket = pairs_bucket<K, value_bytes, S, true>;
    using V = typename bucket::V;
    const unsigned long long begin = a.starts[i];
    bucket b(buffer);
    pairs_know(b, a, i, begin);
    K *keys = const_cast<K *>(a.keys) + begin;
    V *values = static_cast<V *>(a.values) + begin;
    const unsigned own = pairs_own(values);
    b.least = 0;
    b.fill = 256;
    b.left = sizeof(K) * 4;
    for (unsigned half = 0; half < 2; half++) {
        b.skip = half * b.left;
        if (S::early) {
            b.bring(values, own);
        }
        b.template sort<true>(keys, own);
        b.write_moved(keys, values, a.map, half == 1 && a.unmaps, own);
        __syncthreads();
    }
}

/* Sorts the buckets that pairs_local leaves: of more than `from` pairs, or whose bits leave no room
 * for places of so many bits. A block looks at S::threads buckets at a time, every gridDim.x-th;
 * equal keys that no block holds are shared by all. */
template <typename K, unsigned value_bytes, typename S>
__global__ void __launch_bounds__(S::threads, S::blocks)
    pairs_local_middle(const __grid_constant__ pairs_local_args<K> a, unsigned from,
                       unsigned place_bits, unsigned buckets)
{
    USW_DYNAMIC_SHARED(unsigned char, buffer);
    USW_SHARED_ARRAY(unsigned, list, [S::threads]);
    USW_SHARED(unsigned, found);
    usw_chained();
    if (!a.plan->split || !a.plan->middle) {
        return;
    }
    const bool by_tree = a.plan->keys.by_tree != 0;
    for (unsigned at = blockIdx.x; at < buckets; at += gridDim.x * S::threads) {
        const unsigned b = at + threadIdx.x * gridDim.x;
        if (threadIdx.x == 0) {
            found = 0;
        }
        __syncthreads();
        const unsigned long long m = b < buckets ? a.starts[b + 1] - a.starts[b] : 0;
        const bool wide = by_tree && m != 0 && !pairs_fit<K>(a.extents.left[b], place_bits);
        if (m <= S::capacity && (m > from || wide)) {
            list[atomicAdd(&found, 1u)] = b;
        }
        __syncthreads();
        const unsigned number = found;
        for (unsigned i = 0; i < number; i++) {
            if constexpr (PAIRS_BY_TREE<K>) {
                if (by_tree && !pairs_fit<K>(a.extents.left[list[i]], S::place_bits)) {
                    pairs_sort_twice<K, value_bytes, S>(a, list[i], buffer);
                } else if (by_tree) {
                    pairs_sort_in_turn<K, value_bytes, S, true>(a, list[i], buffer);
                }
            }
            if (!by_tree) {
                pairs_sort_in_turn<K, value_bytes, S, false>(a, list[i], buffer);
            }
            __syncthreads();
        }
    }
    for (unsigned i = 0; by_tree && i < a.plan->alike; i++) {
        const unsigned long long begin = a.starts[a.extents.alike[i]];
        pairs_unmap(a, begin, blockIdx.x * size_t(S::threads) + threadIdx.x,
                    gridDim.x * size_t(S::threads), a.starts[a.extents.alike[i] + 1] - begin);
    }
}

#endif
