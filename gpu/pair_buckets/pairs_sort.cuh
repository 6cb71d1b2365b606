/* pairs_sort.cuh - the bucket sort of pairs: each bucket is sorted in shared memory.
 *
 * A block takes a bucket. The bits that the scatters left undecided and the pair's place in the
 * bucket make one word, of the width of a key; so all words differ, and any sort of them is stable.
 * They are sorted as keys are in gpu/bucket_sort/5_sort.cuh; then each word's place says where its
 * value is. Values wait in shared memory, or, if both do not fit well, are copied there once the
 * words are sorted. */
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

template <typename K, unsigned value_bytes, typename S> struct pairs_bucket {
    using V = typename usw_value_of<value_bytes>::type;
    static constexpr int NT = S::threads, I = S::keys, B = S::bins_bits, R = S::rounds;
    static constexpr unsigned PB = S::place_bits;
    static constexpr size_t words_bytes = hybrid_local_shared<K>(NT, I, B);
    unsigned *sums, *bins;
    K *tile;
    V *values;
    unsigned m, left; /* pairs; undecided bits */
    K high;           /* the bits that all keys share, above the undecided ones */

    __device__ __forceinline__ explicit pairs_bucket(unsigned char *buffer)
    {
        sums = reinterpret_cast<unsigned *>(buffer);
        tile = reinterpret_cast<K *>(sums + 64);
        bins = reinterpret_cast<unsigned *>(tile + S::tile);
        values = reinterpret_cast<V *>(buffer + (S::early ? words_bytes : 256));
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
    /* Sorts the words. own: the place of this thread's first pair; its others follow NT apart. */
    __device__ __forceinline__ void sort(const K *data, unsigned own)
    {
        K word[I];
        const K low =
            left == 0 ? K(0) : static_cast<K>(static_cast<K>(~K(0)) >> (sizeof(K) * 8 - left));
        high = static_cast<K>(data[0] & ~low);
#pragma unroll
        for (int i = 0; i < I; i++) {
            const int p = static_cast<int>(own) + i * NT;
            word[i] = own + i * NT < m ? data[p] : K(0);
        }
#pragma unroll
        for (int i = 0; i < I; i++) {
            word[i] = static_cast<K>((word[i] & low) << PB | (own + i * NT));
        }
#pragma unroll
        for (int w = 0; w < (1 << B) / NT / 4; w++) {
            reinterpret_cast<uint4 *>(bins)[threadIdx.x + w * NT] = make_uint4(0, 0, 0, 0);
        }
        __syncthreads();
        const hybrid_digit digit(PB + (left > B ? left - B : 0), 1u << (left < B ? left : B),
                                 sizeof(K) * 8);
        int found = hybrid_split<K, NT, I, B, R>(word, own, m, tile, bins, sums, digit);
        if (found == HYBRID_EVEN) {
            hybrid_rounds<K, NT, I, R>(tile, m);
            __syncthreads();
        } else if (found == HYBRID_UNEVEN) {
            hybrid_more_rounds<K, NT>(tile, m);
        } else {
            for (unsigned p = threadIdx.x; p < m; p += NT) {
                tile[p] = static_cast<K>((data[p] & low) << PB | p);
            }
            __syncthreads();
            hybrid_by_digits<K, NT, I>(tile, m, tile, reinterpret_cast<uint16_t *>(bins), sums, PB);
        }
    }
    __device__ __forceinline__ static unsigned place_of(K word)
    {
        return static_cast<unsigned>(word) & ((1u << PB) - 1);
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
                    keys[p] = map.unmap(static_cast<K>(high | word >> PB));
                }
            }
        }
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
};

/* Sorts bucket i, if it has more than `from` pairs and no more than fit. */
template <typename K, unsigned value_bytes, typename S>
__device__ __forceinline__ void pairs_sort_bucket(const pairs_local_args<K> &a, unsigned i,
                                                  unsigned from, unsigned char *buffer)
{
    using bucket = pairs_bucket<K, value_bytes, S>;
    using V = typename bucket::V;
    const unsigned long long begin = a.starts[i];
    bucket b(buffer);
    b.m = static_cast<unsigned>(a.starts[i + 1] - begin);
    b.left = a.plan->keys.shift;
    if (b.m <= from || b.m > S::capacity) {
        return;
    }
    V *values = static_cast<V *>(a.values) + begin;
    /* Warps read and write whole lines of values: a thread's first place is up to 31 early. */
    const unsigned own =
        threadIdx.x - static_cast<unsigned>(reinterpret_cast<uintptr_t>(values) / sizeof(V)) % 32;
    if (S::early) {
        b.bring(values, own);
    }
    b.sort(a.keys + begin, own);
    b.write(a.out_keys == nullptr ? nullptr : a.out_keys + begin, values, a.map, own);
}

template <typename K, unsigned value_bytes, typename S>
__global__ void __launch_bounds__(S::threads, S::blocks) pairs_local(const pairs_local_args<K> a)
{
    USW_DYNAMIC_SHARED(unsigned char, buffer);
    usw_chained();
    if (a.plan->split) {
        pairs_sort_bucket<K, value_bytes, S>(a, blockIdx.x, 0, buffer);
    }
}

/* Sorts a bucket of a loop. It is not inlined, since the compiler would keep all places of a bucket
 * in registers over the loop. */
template <typename K, unsigned value_bytes, typename S>
__device__ __noinline__ void pairs_sort_in_turn(const pairs_local_args<K> &a, unsigned i,
                                                unsigned from, unsigned char *buffer)
{
    pairs_sort_bucket<K, value_bytes, S>(a, i, from, buffer);
}

/* Sorts the buckets of more than `from` pairs, if there are any. */
template <typename K, unsigned value_bytes, typename S>
__global__ void __launch_bounds__(S::threads, S::blocks)
    pairs_local_middle(const pairs_local_args<K> a, unsigned from, unsigned buckets)
{
    USW_DYNAMIC_SHARED(unsigned char, buffer);
    usw_chained();
    if (!a.plan->split || !a.plan->middle) {
        return;
    }
    for (unsigned i = blockIdx.x; i < buckets; i += gridDim.x) {
        pairs_sort_in_turn<K, value_bytes, S>(a, i, from, buffer);
        __syncthreads();
    }
}

#endif
