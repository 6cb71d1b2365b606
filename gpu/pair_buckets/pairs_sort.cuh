/* pairs_sort.cuh - the bucket sort of pairs: each bucket is sorted in shared memory.
 *
 * A block takes a bucket. The bits that the scatters left undecided and the pair's place in the
 * bucket make one word, of the width of a key; so all words differ, and any sort of them is stable.
 * They are sorted as keys are in gpu/bucket_sort/5_sort.cuh; then each word's place says where its
 * value is. Values wait in shared memory, or, if both do not fit well, are copied there once the
 * words are sorted.
 *
 * The bits are those of a key less the bucket's least one. A bucket of a prefix tree has so many as
 * its range needs. Bins are equal parts of that range, down to the places, so that equal keys do
 * not crowd a bin. */
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
    pairs_plan *plan;
    const unsigned *begun;            /* NULL, or where pairs_local_rest runs before */
    unsigned asking;                  /* of usw_chained_beside */
    const unsigned long long *starts; /* buckets + 1 */
    const unsigned *rest;             /* a list of buckets, see pairs_plan */
    hybrid_extents extents;           /* of a tree's buckets */
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
    unsigned m, left, fill;    /* pairs; undecided bits; the range in 256ths of these */
    unsigned skip;             /* lower bits that are left out, where not all are sorted at once */
    hybrid_decoder<K> decoder; /* what keys are above the bucket's least one */

    __device__ __forceinline__ explicit pairs_bucket(unsigned char *buffer)
    {
        sums = reinterpret_cast<unsigned *>(buffer);
        tile = reinterpret_cast<K *>(sums + 64);
        bins = reinterpret_cast<unsigned *>(tile + S::tile);
        values = reinterpret_cast<V *>(buffer + (S::early ? words_bytes : 256));
        m = left = skip = 0;
        fill = 256;
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
        K bits = by_tree ? decoder.above(key) : static_cast<K>(key & decoder.mask);
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
            const hybrid_part_of_range digit(sizeof(K) * 8, left + PB, fill, B);
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
                    keys[p] = map.unmap(static_cast<K>(by_tree ? decoder.least + (word >> PB)
                                                               : decoder.least | word >> PB));
                }
            }
        }
        write_values(out, own, from);
    }
    /* The same where words have a part of their keys, which are moved from data to itself. last:
     * they are then as the caller wants them. */
    __device__ __forceinline__ void write_moved(K *data, V *out, const usw_gpu_keymap<K> &map,
                                                bool last, unsigned own) const
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
                data[static_cast<int>(own) + i * NT] =
                    last ? map.unmap(decoder.key(key[i])) : key[i];
            }
        }
        write_values(out, own, from);
    }
};

/* What of a bucket is known before it is sorted. */
template <typename K, unsigned value_bytes, typename S, bool by_tree>
__device__ __forceinline__ void pairs_know(pairs_bucket<K, value_bytes, S, by_tree> &b,
                                           const pairs_local_args<K> &a, unsigned i,
                                           unsigned long long begin)
{
    const unsigned shift = a.plan->keys.shift;
    b.m = static_cast<unsigned>(a.starts[i + 1] - begin);
    if (b.m == 0) {
        return;
    }
    b.left = by_tree ? a.extents.left[i] : shift;
    b.fill = by_tree ? a.extents.fill[i] + 1u : 256;
    b.decoder = {by_tree ? a.extents.least[i] : a.keys[begin] >> shift << shift, shift};
}

/* A thread's first place in a bucket whose values begin here: warps read and write whole lines of
 * values, so it is up to 31 early. */
template <typename V> __device__ __forceinline__ unsigned pairs_own(const V *values)
{
    return threadIdx.x -
           static_cast<unsigned>(reinterpret_cast<uintptr_t>(values) / sizeof(V)) % 32;
}

/* Sorts bucket i, if it has no more pairs than fit. by_tree: buckets are a tree's. */
template <typename K, unsigned value_bytes, typename S, bool by_tree>
__device__ __forceinline__ void pairs_sort_bucket(const pairs_local_args<K> &a, unsigned i,
                                                  unsigned char *buffer)
{
    using bucket = pairs_bucket<K, value_bytes, S, by_tree>;
    using V = typename bucket::V;
    const unsigned long long begin = a.starts[i];
    bucket b(buffer);
    pairs_know(b, a, i, begin);
    if (b.m == 0 || b.m > S::capacity ||
        (by_tree && pairs_apart(b.left, S::place_bits, sizeof(K) * 8))) {
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

template <typename K, unsigned value_bytes, typename S>
__global__ void __launch_bounds__(S::threads, S::blocks) pairs_local(const pairs_local_args<K> a)
{
    USW_DYNAMIC_SHARED(unsigned char, buffer);
    usw_chained_beside(a.begun, a.asking);
    if (!a.plan->split) {
        return;
    }
    if (a.plan->keys.by_tree) {
        pairs_sort_bucket<K, value_bytes, S, true>(a, blockIdx.x, buffer);
    } else {
        pairs_sort_bucket<K, value_bytes, S, false>(a, blockIdx.x, buffer);
    }
}

#endif
