/* sample_keys.cuh - where the 16,384 keys of a sample lie in their array. */
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

#endif
