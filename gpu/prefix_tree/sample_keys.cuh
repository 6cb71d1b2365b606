/* sample_keys.cuh - where the 16,384 keys of a sample lie in their array, and in which bits they
 * differ. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_PREFIX_TREE_SAMPLE_KEYS_CUH
#define USW_GPU_PREFIX_TREE_SAMPLE_KEYS_CUH

#include "gpu/gpu.cuh"

/* The sample: HYBRID_SAMPLE_ROWS rows of a key a thread, 512 stretches of 32 keys that are evenly
 * spread over the array. The place of this thread's key of row i, which may lie behind the
 * array. */
enum { HYBRID_SAMPLE_ROWS = 16 };
__device__ __forceinline__ unsigned long long hybrid_sample_place(unsigned i, unsigned long long n)
{
    const unsigned long long line = (i * 32ull + threadIdx.x / 32) * (n / 32) / 512;
    return line * 32 + threadIdx.x % 32;
}
/* That of a key for itself: where neighbours are alike, stretches say little of the others. */
__device__ __forceinline__ unsigned long long hybrid_sample_alone(unsigned i, unsigned long long n)
{
    return (i * 1024ull + threadIdx.x) * n / (1024 * HYBRID_SAMPLE_ROWS);
}
template <typename K>
__device__ __forceinline__ K hybrid_sample_key(const K *keys, unsigned long long n, unsigned i,
                                               bool alone)
{
    const unsigned long long p = alone ? hybrid_sample_alone(i, n) : hybrid_sample_place(i, n);
    return keys[p < n ? p : 0];
}

/* Clears words by all blocks of 1024 threads. */
static __device__ __forceinline__ void hybrid_clear_words(unsigned *zero, size_t words)
{
    for (size_t i = blockIdx.x * 1024ull + threadIdx.x; i < words; i += gridDim.x * 1024ull) {
        zero[i] = 0;
    }
}

/* ORs and ANDs the bits of a block's keys, of this thread's `any` and `all`, to seen[0] and
 * seen[1]. A block calls. */
static __device__ __forceinline__ void
hybrid_note_seen(unsigned long long any, unsigned long long all, unsigned long long *seen)
{
    for (int o = 16; o > 0; o >>= 1) {
        any |= __shfl_xor_sync(~0u, any, o);
        all &= __shfl_xor_sync(~0u, all, o);
    }
    if (threadIdx.x % 32 == 0) {
        atomicOr(&seen[0], any);
        atomicAnd(&seen[1], all);
    }
    __syncthreads();
}

/* The bits in which the sample differs, as the radix sort sees them: a negative float is inverted
 * by the key map, which makes mapped keys differ in bits that raw ones share, so these bits count
 * only if they differ beside the sign (usw_radix_count_args). words: two, shared. */
template <typename K, int I>
__device__ __forceinline__ unsigned long long
hybrid_differ(const K (&k)[I], unsigned here, const usw_gpu_keymap<K> &map,
              unsigned long long differ, unsigned long long *words)
{
    constexpr unsigned top = sizeof(K) * 8 - 1;
    if (map.neg == 0 || map.add != 0 || differ >> top == 0) {
        return differ;
    }
    if (threadIdx.x < 2) {
        words[threadIdx.x] = 0;
    }
    __syncthreads();
    K ones = 0, zeros = 0;
#pragma unroll
    for (int i = 0; i < I; i++) {
        const K key = k[i] >> top != 0 ? static_cast<K>(k[i] ^ map.neg) : k[i];
        ones |= (here >> i & 1) != 0 ? key : K(0);
        zeros |= (here >> i & 1) != 0 ? static_cast<K>(~key) : K(0);
    }
    for (int o = 16; o > 0; o >>= 1) {
        ones |= __shfl_xor_sync(~0u, ones, o);
        zeros |= __shfl_xor_sync(~0u, zeros, o);
    }
    if (threadIdx.x % 32 == 0) {
        atomicOr(&words[0], static_cast<unsigned long long>(ones));
        atomicOr(&words[1], static_cast<unsigned long long>(zeros));
    }
    __syncthreads();
    return words[0] & words[1];
}
/* The number of bits up to the highest that is set. */
__device__ __forceinline__ unsigned hybrid_bits_of(unsigned long long differ)
{
    return 64 - static_cast<unsigned>(__clzll(static_cast<long long>(differ)));
}
/* The number of bytes in which some bit is set: the passes that a radix sort needs.
 * HYBRID_FEW_BYTES or fewer passes are faster than buckets, however the keys are spread. */
enum { HYBRID_FEW_BYTES = 2 };
__device__ __forceinline__ unsigned hybrid_bytes(unsigned long long bits)
{
    return static_cast<unsigned>(__popc(usw_bytes_set(static_cast<uint32_t>(bits))) +
                                 __popc(usw_bytes_set(static_cast<uint32_t>(bits >> 32))));
}

#endif
