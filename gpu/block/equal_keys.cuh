/* equal_keys.cuh - how many keys of an array are equal, by a sample that a block has, and whether
 * their values lie on a grid. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BLOCK_EQUAL_KEYS_CUH
#define USW_GPU_BLOCK_EQUAL_KEYS_CUH

#include "gpu/gpu.cuh"

/* Of 2^19 bits, in one table or two, those of a key's hashes are set: a key that finds all of its
 * own set seems equal to one before. A sample takes some keys of an array of fewer than FROM more
 * than once. */
enum { USW_EQUAL_LOG2 = 19, USW_EQUAL_BYTES = 1 << USW_EQUAL_LOG2 >> 3, USW_EQUAL_FROM = 1 << 16 };

/* How many keys of half the block's seem equal to others, of neighbours one. Of these 8192 keys 64
 * do by chance with one table and 3 with two. words: USW_EQUAL_BYTES, shared. */
template <typename K, int I, int tables>
__device__ __forceinline__ unsigned usw_count_equal(const K (&k)[I], void *table)
{
    auto *words = static_cast<unsigned *>(table);
    constexpr unsigned log2 = USW_EQUAL_LOG2 + 1 - tables;
    for (unsigned w = threadIdx.x; w < USW_EQUAL_BYTES / 16; w += 1024) {
        reinterpret_cast<uint4 *>(words)[w] = make_uint4(0, 0, 0, 0);
    }
    __syncthreads();
    unsigned equal = 0;
#pragma unroll
    for (int i = 0; i < I; i += 2) {
        const K left = __shfl_up_sync(~0u, k[i], 1);
        bool seen = threadIdx.x % 32 == 0 || k[i] != left;
        for (unsigned t = 0; t < tables && (threadIdx.x % 32 == 0 || k[i] != left); t++) {
            const unsigned long long by = t == 0 ? 0x9e3779b97f4a7c15ull : 0xc2b2ae3d27d4eb4full;
            const unsigned at = static_cast<unsigned>(k[i] * by >> (64 - log2)) | t << log2;
            seen = (atomicOr(&words[at / 32], 1u << at % 32) >> at % 32 & 1) != 0 && seen;
        }
        equal += seen;
    }
    equal = __reduce_add_sync(~0u, equal);
    __syncthreads();
    if (threadIdx.x == 0) {
        words[0] = 0;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&words[0], equal);
    }
    __syncthreads();
    equal = words[0];
    __syncthreads();
    return equal;
}

/* How many of an array's n keys have the same value, on average, by a sample of them: 1 where they
 * are too few to be seen. Of 2^20 values 35 of the keys looked at seem equal with two tables, of
 * 2^16 values 490. Most samples whose keys all differ need one. A block of 1024 threads calls. */
template <typename K, int I>
__device__ __forceinline__ float usw_copies(const K (&k)[I], unsigned long long n, void *words)
{
    constexpr float keys = 512 * I;
    __syncthreads();
    if (n < USW_EQUAL_FROM || usw_count_equal<K, I, 1>(k, words) <= 72) {
        return 1;
    }
    const unsigned equal = usw_count_equal<K, I, 2>(k, words);
    return equal <= 12
               ? 1
               : 1 + static_cast<float>(equal - 3) * 2 / keys / keys * static_cast<float>(n);
}

/* The greatest common divisor. */
template <typename K> __device__ __forceinline__ K usw_common_divisor(K a, K b)
{
    const auto zeros = [](K k) { return __ffsll(static_cast<long long>(k)) - 1; };
    if (a == 0 || b == 0) {
        return static_cast<K>(a | b);
    }
    const int both = zeros(static_cast<K>(a | b));
    for (a = static_cast<K>(a >> zeros(a)); b != 0;) {
        b = static_cast<K>(b >> zeros(b));
        const K least = a < b ? a : b;
        b = static_cast<K>((a < b ? b : a) - least);
        a = least;
    }
    return static_cast<K>(a << both);
}

/* The greatest distance of which all between keys of the sample are multiples, or 0 if all are
 * equal: keys that are rounded have few values, which are evenly spread. The first warp says it,
 * from 32 distances. word: shared. A block calls. */
template <typename K, int I> __device__ __forceinline__ K usw_grid_of(const K (&k)[I], K *word)
{
    if (threadIdx.x < 32) {
        K grid = static_cast<K>(k[0] < k[I / 2] ? k[I / 2] - k[0] : k[0] - k[I / 2]);
        for (int o = 16; o > 0; o >>= 1) {
            grid = usw_common_divisor(grid, static_cast<K>(__shfl_xor_sync(~0u, grid, o)));
        }
        *word = grid;
    }
    __syncthreads();
    const K grid = *word;
    __syncthreads();
    return grid;
}

#endif
