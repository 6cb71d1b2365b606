/* write_values.cuh - a bucket of few values is written by how often it has each. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_PREFIX_TREE_WRITE_VALUES_CUH
#define USW_GPU_PREFIX_TREE_WRITE_VALUES_CUH

#include "gpu/prefix_tree/prefix_tree.cuh"

/* Writes m keys, in place, in order; they are `least` and the next (1 << left) - 1 keys. Where that
 * is one value, the keys are not read: they may be elsewhere (TREE_ALIKE). A value
 * has a counter for each lane, so that no two lanes of a warp add to one. memory: 33 * 32 words. A
 * block of NT threads calls. */
template <typename K, int NT, bool identity>
__device__ __noinline__ void hybrid_write_by_values(K *keys, unsigned long long m, unsigned left,
                                                    K least, const usw_gpu_keymap<K> &map,
                                                    unsigned *memory)
{
    constexpr int U = 4;
    const unsigned tid = threadIdx.x, lane = tid % 32, values = 1u << left;
    unsigned *mine = memory + 32 + lane;
    for (unsigned w = tid; w < values * 32; w += NT) {
        memory[32 + w] = 0;
    }
    __syncthreads();
    for (unsigned long long p = tid; left != 0 && p < m; p += NT * U) {
        K k[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            k[u] = p + u * NT < m ? keys[p + u * NT] : least;
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
            const unsigned value = static_cast<unsigned>(k[u] - least) & (values - 1);
            atomicAdd(&mine[value * 32], p + u * NT < m ? 1u : 0u);
        }
    }
    __syncthreads();
    for (unsigned v = tid / 32; v < values; v += NT / 32) {
        const unsigned all = __reduce_add_sync(~0u, mine[v * 32]);
        if (lane == 0) {
            memory[v] = all;
        }
    }
    __syncthreads();
    unsigned long long at = 0;
    for (unsigned v = 0; v < values; v++) {
        const unsigned long long end = left != 0 ? at + memory[v] : m;
        const K key = static_cast<K>(least + v), to = identity ? key : map.unmap(key);
        for (unsigned long long p = at + tid; p < end; p += NT) {
            keys[p] = to;
        }
        at = end;
    }
}

#endif
