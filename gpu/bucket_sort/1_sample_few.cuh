/* 1_sample_few.cuh - step 1 of the bucket sort: whether the sample has few values; their table. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_1_SAMPLE_FEW_CUH
#define USW_GPU_BUCKET_SORT_1_SAMPLE_FEW_CUH

#include "gpu/block/equal_keys.cuh"
#include "gpu/bucket_sort/7_write_few_values.cuh"
#include "gpu/prefix_tree/sample_keys.cuh"

template <typename K> struct hybrid_few_sampled {
    K none;
    K value[hybrid_few_size::slots];
    /* Of each slot 1: its value was seen more than once; the last: a value found no slot. */
    unsigned repeated[hybrid_few_size::slots + 1];
    unsigned number, once;
};

/* Shared memory for the table of few values or the bits of usw_copies. */
template <typename K> constexpr size_t hybrid_tables_bytes()
{
    constexpr size_t table = sizeof(hybrid_few_sampled<K>), alike = USW_EQUAL_BYTES;
    return table > alike ? table : alike;
}

/* Enters the raw key of each thread that has wanted set. */
template <typename K>
__device__ __forceinline__ void hybrid_few_note(hybrid_few_sampled<K> *f, K key, bool wanted)
{
    bool added = false;
    if (wanted) {
        const unsigned own = hybrid_few_home(f->none);
        const unsigned s =
            hybrid_few_enter(f->value, hybrid_few_size::slots, own, f->none, key, &added);
        if (added) {
            atomicAdd(&f->number, 1u);
        } else {
            f->repeated[s] = 1;
        }
    }
}

/* Whether so many values were found that it is not worth going on: after the first 128 keys (round
 * 0: of 600 values these show 115), then after 1024 (round 1: of 600 values 38% have been seen
 * once, of a zipf distribution half). */
template <typename K>
__device__ __forceinline__ bool hybrid_few_doubt(const hybrid_few_sampled<K> *f, int round)
{
    const unsigned number = f->number;
    if (round == 0) {
        return number > 121;
    }
    if (round > 1) {
        return false;
    }
    unsigned once = 0;
    for (unsigned at = 0; at < hybrid_few_size::slots; at += blockDim.x) {
        const unsigned s = at + threadIdx.x;
        once += static_cast<unsigned>(__syncthreads_count(
            s < hybrid_few_size::slots && f->value[s] != f->none && f->repeated[s] == 0));
    }
    return number > 16 && once * 16 > number * 7;
}

/* Enters a fourth of the sample's mapped keys into the table f; false as soon as there are too many
 * values. The keys of four warps come first, since the others then find most values entered. Equal
 * neighbours count once. The loop is not unrolled: this code runs once, and should be short. */
template <typename K, int I>
__device__ __forceinline__ bool hybrid_few_gather(hybrid_few_sampled<K> *f, const K (&k)[I],
                                                  unsigned here, const usw_gpu_keymap<K> &map,
                                                  unsigned most)
{
    using size = hybrid_few_size;
#pragma unroll 1
    for (int round = 0; round < 5; round++) {
        const int i = round < 2 ? 0 : (round - 1) * I / 4;
        const K key = round < 2    ? k[0]
                      : round == 2 ? k[I / 4]
                      : round == 3 ? k[I / 2]
                                   : k[I / 4 * 3];
        const K raw = map.unmap(key), left = __shfl_up_sync(~0u, key, 1);
        bool wanted = (here >> i & 1) != 0 && (threadIdx.x % 32 == 0 || key != left) &&
                      (round > 1 || (round == 0) == (threadIdx.x < 128));
        if (round != 0 && wanted) {
            const unsigned s = hybrid_few_slot(f->value, f->none, raw);
            if (s != size::slots) {
                f->repeated[s] = 1;
                wanted = false;
            }
        }
        __syncthreads(); /* no thread reads the table from here on while others write */
        hybrid_few_note(f, raw, wanted);
        __syncthreads();
        if (f->number >= most || f->number > 3 * blockDim.x / 4 || f->repeated[size::slots] != 0 ||
            hybrid_few_doubt(f, round)) {
            return false;
        }
    }
    return true;
}

/* Whether the sample has `most` values or fewer, which are then copied to the table of few values
 * in global memory. A block calls. */
template <typename K, int I>
__device__ __forceinline__ bool hybrid_have_few_values(const K (&k)[I], unsigned here,
                                                       const usw_gpu_keymap<K> &map, unsigned most,
                                                       hybrid_few<K> *table, void *memory)
{
    using size = hybrid_few_size;
    auto *f = static_cast<hybrid_few_sampled<K> *>(memory);
    __syncthreads();
    if (threadIdx.x == 0) {
        f->none = map.unmap(k[0]);
        f->number = f->once = 0;
    }
    __syncthreads();
    for (unsigned s = threadIdx.x; s <= size::slots; s += blockDim.x) {
        f->repeated[s] = 0;
        if (s < size::slots) {
            f->value[s] = f->none;
        }
    }
    __syncthreads();
    if (!hybrid_few_gather<K, I>(f, k, here, map, most)) {
        return false;
    }
    for (unsigned s = threadIdx.x; s < size::slots; s += blockDim.x) {
        table->value[s] = f->value[s];
        table->counts[s] = 0;
        if (f->value[s] != f->none && f->repeated[s] == 0) {
            atomicAdd(&f->once, 1u);
        }
    }
    if (threadIdx.x == 0) {
        table->none = f->none;
        table->number = table->done = table->failed = 0;
    }
    __syncthreads();
    return f->once <= size::once;
}

#endif
