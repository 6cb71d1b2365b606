/* counters_8bit.cuh - a block's counters of 8 bits, four to a word of shared memory, are added to
 * those of all blocks. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BLOCK_COUNTERS_8BIT_CUH
#define USW_GPU_BLOCK_COUNTERS_8BIT_CUH

#include "gpu/gpu.cuh"

/* Adds a block's counters of 8 bits to those of all blocks, two in a word of 64 bits. Their sum
 * must be `keys`, or some counter has overflowed: thread 0 then returns false. Each block begins at
 * another word, so no two add to one. sums: 32 words. Not inlined, since the compiler would then
 * keep fewer keys in registers. */
template <int NT>
__device__ __noinline__ bool hybrid_flush_bytes(const unsigned *bins, unsigned table,
                                                unsigned *counts, unsigned *sums, unsigned keys)
{
    auto *pairs = reinterpret_cast<unsigned long long *>(counts);
    const unsigned words = table / 4, turn = blockIdx.x * 1024 % words;
    unsigned seen = 0;
    for (unsigned i = threadIdx.x; i < words; i += NT) {
        const unsigned w = (i + turn) % words;
        const unsigned even = bins[w] & 0xff00ff, odd = bins[w] >> 8 & 0xff00ff;
        seen += ((even + odd) & 0xffff) + ((even + odd) >> 16);
        atomicAdd(&pairs[2 * w], static_cast<unsigned long long>(odd & 255) << 32 | (even & 255));
        atomicAdd(&pairs[2 * w + 1], static_cast<unsigned long long>(odd >> 16) << 32 | even >> 16);
    }
    seen = __reduce_add_sync(~0u, seen);
    if (threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32] = seen;
    }
    __syncthreads();
    for (unsigned w = 1; threadIdx.x == 0 && w < NT / 32; w++) {
        seen += sums[w];
    }
    return threadIdx.x != 0 || seen == keys;
}

#endif
