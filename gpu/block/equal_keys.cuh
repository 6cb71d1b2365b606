/* equal_keys.cuh - how many keys of an array are equal, by a sample that a block has, and whether
 * their values lie on a grid. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BLOCK_EQUAL_KEYS_CUH
#define USW_GPU_BLOCK_EQUAL_KEYS_CUH

#include "gpu/gpu.cuh"

/* A sample takes some keys of an array of fewer than FROM more than once. Of MANY keys or more the
 * fewer equal ones are looked for that 2^22 values show: so many as LEAST are no chance, for of an
 * array of 2^28 values that are equally frequent one sample in 10^5 has them. */
enum { USW_EQUAL_LOG2 = 14, USW_EQUAL_BYTES = 4 << USW_EQUAL_LOG2, USW_EQUAL_FROM = 1 << 16 };
#ifdef USW_EMULATE
enum { USW_EQUAL_LEAST = 5, USW_EQUAL_MANY = 70000 };
#else
enum { USW_EQUAL_LEAST = 5, USW_EQUAL_MANY = 1 << 25 };
#endif

template <typename K> __device__ __forceinline__ unsigned usw_equal_hash(K key, bool second)
{
    const unsigned long long by = second ? 0xc2b2ae3d27d4eb4full : 0x9e3779b97f4a7c15ull;
    return static_cast<unsigned>(key * by >> 32);
}

/* Sums c over the block. word: shared. */
__device__ __forceinline__ unsigned usw_equal_sum(unsigned c, unsigned *word)
{
    c = __reduce_add_sync(~0u, c);
    __syncthreads();
    if (threadIdx.x == 0) {
        *word = 0;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        atomicAdd(word, c);
    }
    __syncthreads();
    c = *word;
    __syncthreads();
    return c;
}

/* How many keys of half the block's seem equal to others, of neighbours one: of the bits of one
 * table or two those of a key's hashes are set, and a key that finds all of its own set seems equal
 * to one before. Of these 8192 keys 64 do by chance with one table and 3 with two. words:
 * USW_EQUAL_BYTES of zeros, shared. */
template <typename K, int I, int tables>
__device__ __forceinline__ unsigned usw_seem_equal(const K (&k)[I], unsigned *words)
{
    constexpr unsigned log2 = USW_EQUAL_LOG2 + 6 - tables;
    unsigned equal = 0;
#pragma unroll
    for (int i = 0; i < I; i += 2) {
        const K left = __shfl_up_sync(~0u, k[i], 1);
        bool seen = threadIdx.x % 32 == 0 || k[i] != left;
        for (unsigned t = 0; t < tables && (threadIdx.x % 32 == 0 || k[i] != left); t++) {
            const unsigned at = usw_equal_hash(k[i], t != 0) >> (32 - log2) | t << log2;
            seen = (atomicOr(&words[at / 32], 1u << at % 32) >> at % 32 & 1) != 0 && seen;
        }
        equal += seen;
    }
    return usw_equal_sum(equal, words);
}

/* How many of these keys are equal to others, by a table of their hashes, which takes five times as
 * long. */
template <typename K, int I>
__device__ __forceinline__ unsigned usw_are_equal(const K (&k)[I], unsigned *words)
{
    constexpr unsigned mask = (1u << USW_EQUAL_LOG2) - 1;
    unsigned equal = 0;
    for (int i = 0; i < I; i += 2) {
        const K left = __shfl_up_sync(~0u, k[i], 1);
        const unsigned hash = usw_equal_hash(k[i], false), own = hash != 0 ? hash : 1;
        bool waits = threadIdx.x % 32 == 0 || k[i] != left;
        for (unsigned at = own >> (32 - USW_EQUAL_LOG2); waits; at++) {
            const unsigned found = atomicCAS(&words[at & mask], 0u, own);
            equal += found == own;
            waits = found != 0 && found != own;
        }
    }
    return usw_equal_sum(equal, words);
}

__device__ __forceinline__ void usw_clear_equal(void *words)
{
    for (unsigned w = threadIdx.x; w < USW_EQUAL_BYTES / 16; w += 1024) {
        static_cast<uint4 *>(words)[w] = make_uint4(0, 0, 0, 0);
    }
    __syncthreads();
}

/* How many of an array's n keys have the same value, on average, by a sample of them: 1 where they
 * are too few to be seen. Of 2^22 values 8 of the keys looked at are equal to others, of 2^20 ones
 * 32, of 2^16 ones 490. Most samples whose keys all differ need one look. table: USW_EQUAL_BYTES,
 * shared. A block of 1024 threads calls. */
template <typename K, int I>
__device__ __forceinline__ float usw_copies(const K (&k)[I], unsigned long long n, void *table)
{
    constexpr float keys = 512 * I;
    auto *words = static_cast<unsigned *>(table);
    __syncthreads(); /* what was there has been read */
    if (n < USW_EQUAL_FROM) {
        return 1;
    }
    float equal;
    usw_clear_equal(words);
    if (n < USW_EQUAL_MANY) {
        if (usw_seem_equal<K, I, 1>(k, words) <= 72) {
            return 1;
        }
        usw_clear_equal(words);
        equal = static_cast<float>(usw_seem_equal<K, I, 2>(k, words)) - 3;
    } else {
        if (usw_seem_equal<K, I, 2>(k, words) <= USW_EQUAL_LEAST) {
            return 1;
        }
        usw_clear_equal(words);
        equal = static_cast<float>(usw_are_equal<K, I>(k, words));
#ifdef USW_EMULATE
        if (threadIdx.x == 0) {
            emulated_choice("equal keys", "of many keys", 12, equal >= USW_EQUAL_LEAST);
        }
#endif
    }
    return equal < (n < USW_EQUAL_MANY ? 10 : USW_EQUAL_LEAST)
               ? 1
               : 1 + equal * 2 / keys / keys * static_cast<float>(n);
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
