/* write_values.cuh - a bucket of few values is written by how often it has each; equal keys in
 * pieces. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_PREFIX_TREE_WRITE_VALUES_CUH
#define USW_GPU_PREFIX_TREE_WRITE_VALUES_CUH

#include "gpu/prefix_tree/extents.cuh"

/* Writes keys[begin .. end) = key by threads of which this is number `thread`, whole vectors at a
 * time but for the keys before the first and behind the last. */
template <typename K>
__device__ __forceinline__ void hybrid_fill_with(K *keys, unsigned long long begin,
                                                 unsigned long long end, K key, unsigned thread,
                                                 unsigned threads)
{
    constexpr unsigned V = 16 / sizeof(K);
    const unsigned skew =
        static_cast<unsigned>(reinterpret_cast<uintptr_t>(keys + begin) / sizeof(K) % V);
    const unsigned long long from = begin + (V - skew) % V;
    if (from + V > end) {
        for (unsigned long long p = begin + thread; p < end; p += threads) {
            keys[p] = key;
        }
        return;
    }
    const unsigned low = static_cast<unsigned>(key);
    const unsigned next = sizeof(K) == 8 ? static_cast<unsigned>(uint64_t(key) >> 32) : low;
    const unsigned long long vectors = (end - from) / V;
    uint4 *to = reinterpret_cast<uint4 *>(keys + from);
#pragma unroll 4
    for (unsigned long long p = thread; p < vectors; p += threads) {
        to[p] = make_uint4(low, next, low, next);
    }
    const unsigned before = static_cast<unsigned>(from - begin);
    const unsigned others = before + static_cast<unsigned>(end - from - vectors * V);
    if (thread < others) {
        keys[thread < before ? begin + thread : end - 1 - (thread - before)] = key;
    }
}

/* Writes keys in order, of which the counts of more than 32 values are known: of value v in
 * counts[v << copies], so many words apart. The counts become where their keys begin. A block
 * calls. */
template <typename K, int NT>
__device__ __forceinline__ void hybrid_write_counted(unsigned *counts, unsigned values,
                                                     unsigned copies, unsigned m, K *keys, K least,
                                                     const usw_gpu_keymap<K> &map)
{
    const unsigned lane = threadIdx.x % 32, each = values / 32;
    if (threadIdx.x < 32) {
        unsigned sum = 0;
        for (unsigned i = 0; i < each; i++) {
            sum += counts[(lane * each + i) << copies];
        }
        unsigned at = sum;
        for (unsigned o = 1; o < 32; o <<= 1) {
            const unsigned up = __shfl_up_sync(~0u, at, o);
            at += lane >= o ? up : 0;
        }
        at -= sum;
        for (unsigned i = 0; i < each; i++) {
            unsigned &count = counts[(lane * each + i) << copies];
            const unsigned next = at + count;
            count = at;
            at = next;
        }
    }
    __syncthreads();
    for (unsigned v = threadIdx.x / 32; v < values; v += NT / 32) {
        const unsigned end = v + 1 < values ? counts[(v + 1) << copies] : m;
        const K key = map.unmap(static_cast<K>(least + v));
        for (unsigned p = counts[v << copies] + lane; p < end; p += 32) {
            keys[p] = key;
        }
    }
}

/* Writes m keys in order; they are `least` and the next (1 << left) - 1 keys, and lie at `from`,
 * which may be `keys`. Where that is one value, they are not read: they may be elsewhere
 * (TREE_ALIKE). A value has a counter for each lane, so that no two lanes of a warp add to one; of
 * more than 32 values, up to 10 bits and m < 2^32, lanes share counters.
 * memory: 33 * 32 words. A block of NT threads calls. */
template <typename K, int NT>
__device__ __noinline__ void hybrid_write_by_values(const K *from, K *keys, unsigned long long m,
                                                    unsigned left, K least, usw_gpu_keymap<K> map,
                                                    unsigned *memory)
{
    constexpr int U = 4;
    const unsigned tid = threadIdx.x, lane = tid % 32, values = 1u << left;
    const unsigned copies = left <= 5 ? 5 : 10 - left;
    unsigned *mine = memory + 32 + lane % (1u << copies);
    for (unsigned w = tid; w < values << copies; w += NT) {
        memory[32 + w] = 0;
    }
    __syncthreads();
    for (unsigned long long p = tid; left != 0 && p < m; p += NT * U) {
        K k[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            k[u] = p + u * NT < m ? from[p + u * NT] : least;
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
            const unsigned value = static_cast<unsigned>(k[u] - least) & (values - 1);
            atomicAdd(&mine[value << copies], p + u * NT < m ? 1u : 0u);
        }
    }
    __syncthreads();
    if (left > 5) {
        for (unsigned v = tid; v < values; v += NT) {
            unsigned *count = memory + 32 + (v << copies), all = 0;
            for (unsigned c = 0; c >> copies == 0; c++) {
                all += count[c];
            }
            *count = all;
        }
        __syncthreads();
        hybrid_write_counted<K, NT>(memory + 32, values, copies, static_cast<unsigned>(m), keys,
                                    least, map);
        return;
    }
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
        const K key = map.unmap(static_cast<K>(least + v));
        hybrid_fill_with(keys, at, end, key, tid, NT);
        at = end;
    }
}

/* Pieces in which equal keys are written; by all threads of a block, if they are larger than a
 * warp's. */
#ifdef USW_EMULATE
static constexpr unsigned long long TREE_PIECE = 2048, TREE_PIECE_OF_WARP = 3000;
#else
static constexpr unsigned long long TREE_PIECE = 4096, TREE_PIECE_OF_WARP = 16384;
#endif

/* Writes a block's share of the equal keys of all buckets of more than a.small keys, which other
 * sorts have left; a: hybrid_rest_args of gpu/tree_buckets/sort_rest.cuh. They are cut to pieces,
 * at most one for each block; a block lists its own, large ones from the end on. Of small pieces
 * each warp writes other ones: one after another by all threads, they would each wait for what the
 * memory says of the next. list: room for NT * U words; found: 2 words. */
template <typename K, int NT, typename Rest>
__device__ __noinline__ void hybrid_write_shares(const Rest &a, unsigned *list, unsigned *found)
{
    constexpr unsigned U = 4;
    const unsigned tid = threadIdx.x, lane = tid % 32;
    const auto piece_of = [&](unsigned b, unsigned long long n, unsigned long long &size) {
        const unsigned long long each = n / gridDim.x + 1;
        size = each > TREE_PIECE ? each : TREE_PIECE;
        return (blockIdx.x + b * 37) % gridDim.x * size;
    };
    const auto write = [&](unsigned b, unsigned thread, unsigned threads) {
        unsigned long long begin, size;
        const unsigned long long n = a.bucket(b, begin);
        const unsigned long long at = piece_of(b, n, size);
        const unsigned long long end = at + size < n ? at + size : n;
        const K key = a.map.unmap(static_cast<K>(a.extents.least[b]));
        TREE_WAY(TREE_PIECES, at != 0 && end < n && thread == 0)
        TREE_WAY(TREE_TOGETHER, threads == NT && thread == 0)
        hybrid_fill_with(a.keys, begin + at, begin + end, key, thread, threads);
    };
    for (unsigned from = 0; from < a.buckets(); from += NT * U) {
        if (tid < 2) {
            found[tid] = 0;
        }
        __syncthreads();
#pragma unroll
        for (unsigned u = 0; u < U; u++) {
            const unsigned b = from + u * NT + tid;
            unsigned long long begin, size;
            const unsigned long long n = b < a.buckets() ? a.bucket(b, begin) : 0;
            if (n > a.rest.small && a.extents.left[b] == 0 && piece_of(b, n, size) < n) {
                const bool large = size > TREE_PIECE_OF_WARP;
                const unsigned at = atomicAdd(&found[large], 1u);
                list[large ? NT * U - 1 - at : at] = b;
            }
        }
        __syncthreads();
        for (unsigned i = tid / 32; i < found[0]; i += NT / 32) {
            write(list[i], lane, 32);
        }
        for (unsigned i = 0; i < found[1]; i++) {
            write(list[NT * U - 1 - i], tid, NT);
        }
        __syncthreads();
    }
}

#endif
