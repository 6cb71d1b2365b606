/* split_counted.cuh - counts flags before anything moves: the ones of each tile go to the carry
 * tree, their sum and the flags as bits to memory, so that no tile then waits for another one.
 *
 * A warp takes 8192 flags, or a tile if that is more, 512 at a time: a vector of 16 flags a lane
 * becomes 16 bits, eight vectors on their way at once. No block reads the tree before the kernel
 * has ended, so that blocks add to its upper nodes in any order. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_SELECTION_SPLIT_COUNTED_CUH
#define USW_GPU_SELECTION_SPLIT_COUNTED_CUH

#include "gpu/selection/split_tile.cuh"

constexpr struct {
    unsigned flags;           /* flags that a warp takes at once, if a tile has not more */
    unsigned vectors;         /* of 16 flags that a lane has on their way */
    unsigned threads, blocks; /* of a block; a multiprocessor at least has registers for */
} usw_split_count_tuning = {8192, 8, 256, 4};

struct usw_split_count_args {
    const uint8_t *flags;
    uint64_t n;
    unsigned tile_log2, share; /* log2 of a tile's flags; flags that a warp takes at once */
    usw_cleared_tree tree;
    uint32_t *bits;
    unsigned long long *all_ones;
};

/* 16 flags as bits. */
__device__ __forceinline__ uint32_t usw_flags_half(uint4 v)
{
    const uint32_t low = usw_bytes_set(v.x) | usw_bytes_set(v.y) << 4;
    return low | usw_bytes_set(v.z) << 8 | usw_bytes_set(v.w) << 12;
}

/* A whole warp publishes the sum of its lanes' ones of tile t in the tree, and returns it. */
__device__ __forceinline__ unsigned usw_split_count_put(const usw_cleared_tree &tree, uint64_t t,
                                                        unsigned ones)
{
#pragma unroll
    for (unsigned distance = 16; distance > 0; distance /= 2) {
        ones += __shfl_xor_sync(~0u, ones, distance);
    }
    if (threadIdx.x % 32 == 0) {
        usw_carry_tree_publish(tree, 0, t, uint64_t(ones), false);
    }
    return ones;
}

/* One thread adds the sums that the warps of a block found in neighbouring shares, from `base` on,
 * to the nodes of the upper levels. Sums of one node are added up first, since all blocks add to
 * these nodes. */
__device__ __forceinline__ void usw_split_count_above(const usw_split_count_args &a, uint64_t base,
                                                      const uint64_t *of_warp, unsigned warps)
{
    for (unsigned l = 1; l < a.tree.levels; l++) {
        const unsigned shift = a.tile_log2 + 6 * l;
        uint64_t sum = 0;
        for (unsigned w = 0; w < warps; w++) {
            const uint64_t at = (base + uint64_t(w) * a.share) >> shift;
            sum += of_warp[w];
            if (w + 1 < warps && (base + uint64_t(w + 1) * a.share) >> shift == at) {
                continue;
            }
            if (at < a.tree.tiles >> (6 * l)) {
                usw_node *node = a.tree.at(l, at);
                atomicAdd(reinterpret_cast<unsigned long long *>(&node->value), 1ull * sum);
                node->state = USW_NODE_READY;
            }
            sum = 0;
        }
    }
}

/* A whole warp counts the ones of whole tiles from `begin` on, all in memory aligned to vectors. */
__device__ __forceinline__ uint64_t usw_split_count_whole(const usw_split_count_args &a,
                                                          uint64_t begin)
{
    constexpr unsigned vectors = usw_split_count_tuning.vectors;
    const uint4 *flags = reinterpret_cast<const uint4 *>(a.flags + begin) + threadIdx.x % 32;
    uint16_t *bits = reinterpret_cast<uint16_t *>(a.bits + begin / 32) + threadIdx.x % 32;
    uint64_t all = 0;
    unsigned ones = 0;
    for (unsigned row = 0; row < a.share / 512; row += vectors) {
        uint4 v[vectors];
#pragma unroll
        for (unsigned k = 0; k < vectors; k++) {
            v[k] = __ldcs(flags + (row + k) * 32);
        }
#pragma unroll
        for (unsigned k = 0; k < vectors; k++) {
            const uint32_t half = usw_flags_half(v[k]);
            bits[(row + k) * 32] = static_cast<uint16_t>(half);
            ones += static_cast<unsigned>(__popc(half));
            const unsigned done = (row + k + 1) * 512;
            if (done % (1u << a.tile_log2) == 0) {
                all += usw_split_count_put(a.tree, ((begin + done) >> a.tile_log2) - 1, ones);
                ones = 0;
            }
        }
    }
    return all;
}

/* A whole warp counts the ones of tiles of any size, up to the array's end. */
__device__ __forceinline__ uint64_t usw_split_count_range(const usw_split_count_args &a,
                                                          uint64_t begin)
{
    const unsigned tile = 1u << a.tile_log2;
    const uint64_t end = begin + a.share < a.n ? begin + a.share : a.n;
    uint64_t all = 0;
    for (; begin < end; begin += tile) {
        const unsigned count = end - begin < tile ? static_cast<unsigned>(end - begin) : tile;
        unsigned ones = 0;
        for (unsigned i = 32 * (threadIdx.x % 32); i < count; i += 32 * 32) {
            const uint32_t word =
                usw_flags_word(a.flags + begin + i, count - i < 32 ? count - i : 32);
            a.bits[(begin + i) / 32] = word;
            ones += static_cast<unsigned>(__popc(word));
        }
        all += usw_split_count_put(a.tree, begin >> a.tile_log2, ones);
    }
    return all;
}

static __global__ void __launch_bounds__(usw_split_count_tuning.threads,
                                         usw_split_count_tuning.blocks)
    usw_split_count_ones(usw_split_count_args a)
{
    constexpr unsigned warps = usw_split_count_tuning.threads / 32;
    USW_SHARED_ARRAY(uint64_t, of_warp, [warps]);
    const bool vectors = reinterpret_cast<uintptr_t>(a.flags) % 16 == 0 && a.tile_log2 >= 9;
    const unsigned warp = threadIdx.x / 32;
    const uint64_t step = uint64_t(warps) * a.share;
    uint64_t all = 0;
    for (uint64_t base = blockIdx.x * step; base < a.n; base += gridDim.x * step) {
        const uint64_t begin = base + uint64_t(warp) * a.share;
        const uint64_t ones = vectors && begin + a.share <= a.n ? usw_split_count_whole(a, begin)
                                                                : usw_split_count_range(a, begin);
        if (threadIdx.x % 32 == 0) {
            of_warp[warp] = ones;
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            usw_split_count_above(a, base, of_warp, warps);
        }
        for (unsigned w = 0; w < warps; w++) {
            all += of_warp[w];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        atomicAdd(a.all_ones, 1ull * all);
    }
}

/* Queues the count; a.tree and *a.all_ones are zeroed before. tile: a power of two. a.tree may have
 * one level, where only the tiles' ones are wanted. */
static inline upsweep_status usw_split_count_all(usw_gpu *g, usw_split_count_args a, unsigned tile)
{
    while (1u << a.tile_log2 < tile) {
        a.tile_log2++;
    }
    a.share = tile < usw_split_count_tuning.flags ? usw_split_count_tuning.flags : tile;
    const uint64_t share = uint64_t(a.share) * (usw_split_count_tuning.threads / 32);
    const uint64_t wanted = (a.n + share - 1) / share;
    const uint64_t fit = uint64_t(g->sms) * usw_split_count_tuning.blocks;
    return USW_LAUNCH(g, usw_split_count_ones,
                      dim3(static_cast<unsigned>(wanted < fit ? wanted : fit)),
                      dim3(usw_split_count_tuning.threads), 0, a);
}

#endif
