/* part_hybrid_sample.cuh - the hybrid sort's first step: which bits of the keys vary. */
#ifndef USW_PART_HYBRID_SAMPLE_CUH
#define USW_PART_HYBRID_SAMPLE_CUH

#include "part_hybrid_count.cuh"

/* Clears what count adds to, and chooses the leading bits by a sample of the keys. */
template <typename K>
__global__ __launch_bounds__(1024) void hybrid_sample(const K *keys, unsigned long long n,
                                                      usw_gpu_keymap<K> map, unsigned bits,
                                                      hybrid_plan *plan, unsigned *zero,
                                                      size_t words)
{
    for (size_t i = blockIdx.x * 1024ull + threadIdx.x; i < words; i += gridDim.x * 1024ull) {
        zero[i] = 0;
    }
    if (blockIdx.x != 0) {
        return;
    }
    USW_SHARED_ARRAY(unsigned long long, seen, [2]);
    if (threadIdx.x == 0) {
        seen[0] = 0;
        seen[1] = ~0ull;
        *plan = hybrid_plan();
        plan->all = ~0ull;
    }
    __syncthreads();
    unsigned long long any = 0, all = ~0ull;
    for (unsigned i = 0; i < 16; i++) {
        /* Stretches of 32 keys, evenly spread. */
        unsigned long long line = (i * 32ull + threadIdx.x / 32) * (n / 32) / 512;
        unsigned long long p = line * 32 + threadIdx.x % 32;
        if (p < n) {
            K k = map.map(keys[p]);
            any |= k;
            all &= k;
        }
    }
    for (int o = 16; o > 0; o >>= 1) {
        any |= __shfl_xor_sync(~0u, any, o);
        all &= __shfl_xor_sync(~0u, all, o);
    }
    if (threadIdx.x % 32 == 0) {
        atomicOr(&seen[0], any);
        atomicAnd(&seen[1], all);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned varying =
            64 - static_cast<unsigned>(__clzll(static_cast<long long>(seen[0] ^ seen[1])));
        plan->shift = varying > bits ? varying - bits : 0;
    }
}

#endif
