/* key_and_place.cuh - the numbers that gpu/short_sort/short_sort.cu sorts: makes them of keys and
 * positions, and writes keys and values by them. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_SHORT_SORT_KEY_AND_PLACE_CUH
#define USW_GPU_SHORT_SORT_KEY_AND_PLACE_CUH

#include "gpu/block/sort_bins.cuh"

struct small_tuning {
#ifdef USW_EMULATE /* so that tests of few keys reach all of it */
    static constexpr unsigned threads = 64, blocks_max = 32;
#else
    static constexpr unsigned threads = 1024, blocks_max = 128; /* a multiple of 32, <= threads */
#endif
    static constexpr unsigned block_items = 4; /* numbers a thread where one block sorts all */
    static constexpr unsigned block_max = threads * block_items;
    static constexpr unsigned chunk_max = 2 * threads;
    static constexpr unsigned chunk_keys = threads / 2; /* of few keys: buckets then fit a block */
    static constexpr unsigned bucket_max = 8 * threads; /* 3 chunks and a few, whatever the keys */
    /* A block has 32 samples, or 64 where there are more than 64 blocks, and a word of padding. */
    static constexpr unsigned samples_max = blocks_max * (blocks_max <= 64 ? 33 : 65);
};

struct small_args {
    const void *keys;
    void *out_keys;
    const void *values;
    void *out_values;
    unsigned value_bytes, n, width;
    bool whole;    /* all bits count, so the number holds the key */
    bool pairs;    /* numbers hold positions */
    bool overlaps; /* nothing may be written before all is read */
    uint64_t neg, pos, add;
    unsigned begin, end;
    /* Many blocks. */
    unsigned chunk, samples;
    void *sorted;     /* n numbers: the sorted chunks */
    void *sample;     /* blocks x samples numbers */
    void *splitter;   /* blocks numbers */
    unsigned *splits; /* where a splitter comes from: block, position */
    unsigned *cuts;   /* blocks x (blocks + 1): where chunks are cut */
    unsigned *barrier;
};

__device__ __forceinline__ uint64_t load_element(const void *from, unsigned bytes, size_t i)
{
    switch (bytes) {
    case 1: return static_cast<const uint8_t *>(from)[i];
    case 2: return static_cast<const uint16_t *>(from)[i];
    case 4: return static_cast<const uint32_t *>(from)[i];
    default: return static_cast<const uint64_t *>(from)[i];
    }
}
__device__ __forceinline__ void store_element(void *to, unsigned bytes, size_t i, uint64_t v)
{
    switch (bytes) {
    case 1: static_cast<uint8_t *>(to)[i] = static_cast<uint8_t>(v); break;
    case 2: static_cast<uint16_t *>(to)[i] = static_cast<uint16_t>(v); break;
    case 4: static_cast<uint32_t *>(to)[i] = static_cast<uint32_t>(v); break;
    default: static_cast<uint64_t *>(to)[i] = v; break;
    }
}

/* The number of key i: the mapped bits that count, above the position if that matters. */
template <typename E> __device__ __forceinline__ E number_of(const small_args &a, unsigned i)
{
    unsigned bits = 8u << a.width;
    uint64_t raw = load_element(a.keys, 1u << a.width, i), all = ~0ull >> (64 - bits);
    uint64_t below = (raw >> (bits - 1)) & 1 ? a.neg : 0;
    uint64_t key = ((raw ^ below ^ a.pos) + a.add) & all;
    key = key >> a.begin & ~0ull >> (64 - (a.end - a.begin));
    if constexpr (sizeof(E) == 4) {
        return static_cast<E>(key);
    } else {
        return a.pairs ? static_cast<E>(static_cast<E>(key) << 32 | i) : static_cast<E>(key);
    }
}
template <typename E> __device__ __forceinline__ uint64_t key_of(const small_args &a, E number)
{
    uint64_t key = static_cast<uint64_t>(number);
    if constexpr (sizeof(E) > 4) {
        if (a.pairs) {
            if (!a.whole) {
                return load_element(a.keys, 1u << a.width, static_cast<uint32_t>(number));
            }
            key = static_cast<uint64_t>(number >> 32);
        }
    }
    unsigned bits = 8u << a.width;
    uint64_t y = ((key - a.add) & ~0ull >> (64 - bits)) ^ a.pos;
    return y ^ ((y >> (bits - 1)) & 1 ? a.neg : 0);
}

/* Writes keys and values of `count` sorted numbers to [at, at + count). Calls wait() between the
 * last read and the first write, since the output may be the input. */
template <typename E, unsigned I, typename Barrier>
__device__ __forceinline__ void write_sorted(const small_args &a, const E *number, unsigned at,
                                             unsigned count, Barrier wait)
{
    uint64_t key[I], value[I];
#pragma unroll
    for (unsigned i = 0; i < I; i++) {
        unsigned j = i * blockDim.x + threadIdx.x;
        key[i] = value[i] = 0;
        if (j < count) {
            const E mine = number[usw_block_sort<E, I>::at(j)];
            key[i] = a.out_keys != nullptr ? key_of(a, mine) : 0;
            if (a.value_bytes != 0) {
                uint32_t from = static_cast<uint32_t>(mine);
                value[i] = a.values == nullptr ? from : load_element(a.values, a.value_bytes, from);
            }
        }
    }
    wait();
#pragma unroll
    for (unsigned i = 0; i < I; i++) {
        unsigned j = i * blockDim.x + threadIdx.x;
        if (j < count) {
            if (a.out_keys != nullptr) {
                store_element(a.out_keys, 1u << a.width, at + j, key[i]);
            }
            if (a.value_bytes != 0) {
                store_element(a.out_values, a.value_bytes, at + j, value[i]);
            }
        }
    }
}

#endif
