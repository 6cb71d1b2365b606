/* part_split_count.cuh - flags first: the ones of each tile go to the odometer's tree, and their
 * sum and the flags as bits to memory, so that no tile then waits for another to be moved.
 *
 * A warp takes 8192 flags, or a tile if that is more, 512 at a time: a vector of 16 flags a lane
 * becomes 16 bits, eight vectors on their way at once. Nobody looks at the tree before the kernel
 * has ended, so its upper nodes are added up by whoever has something to add. */
#ifndef USW_PART_SPLIT_COUNT_CUH
#define USW_PART_SPLIT_COUNT_CUH

#include "part_split_tile.cuh"

constexpr struct {
    unsigned flags;           /* that a warp takes at once, if a tile is not more */
    unsigned vectors;         /* of 16, that a lane has on their way */
    unsigned threads, blocks; /* of a block; a multiprocessor at least has registers for */
} usw_split_count_tuning = {8192, 8, 256, 4};

struct usw_split_count_args {
    const uint8_t *flags;
    uint64_t n;
    unsigned tile_log2, share; /* flags: of a tile, and that a warp takes at once */
    usw_odometer_tree tree;
    uint32_t *bits;
    unsigned long long *all_ones;
};

/* 16 flags as bits. */
__device__ __forceinline__ uint32_t usw_flags_half(uint4 v)
{
    const uint32_t low = usw_bytes_set(v.x) | usw_bytes_set(v.y) << 4;
    return low | usw_bytes_set(v.z) << 8 | usw_bytes_set(v.w) << 12;
}

/* A whole warp: its lanes' ones of tile t go to the tree. Returns their sum. */
__device__ __forceinline__ unsigned usw_split_count_put(const usw_odometer_tree &tree, uint64_t t,
                                                        unsigned ones)
{
#pragma unroll
    for (unsigned distance = 16; distance > 0; distance /= 2) {
        ones += __shfl_xor_sync(~0u, ones, distance);
    }
    if (threadIdx.x % 32 == 0) {
        usw_odometer_publish(tree, 0, t, uint64_t(ones), false);
        for (unsigned l = 1; l < tree.levels && t >> (6 * l) < tree.tiles >> (6 * l); l++) {
            usw_node *node = tree.at(l, t >> (6 * l));
            atomicAdd(reinterpret_cast<unsigned long long *>(&node->value), 1ull * ones);
            node->state = USW_NODE_READY;
        }
    }
    return ones;
}

/* A whole warp, whole tiles from `begin` on, all in memory aligned to vectors: their ones. */
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

/* The same for any tile. */
__device__ __forceinline__ uint64_t usw_split_count_tile(const usw_split_count_args &a, uint64_t t)
{
    const unsigned tile = 1u << a.tile_log2;
    const uint64_t begin = t * tile, left = a.n - begin;
    const unsigned count = left < tile ? static_cast<unsigned>(left) : tile;
    unsigned ones = 0;
    for (unsigned i = 32 * (threadIdx.x % 32); i < count; i += 32 * 32) {
        const uint32_t word = usw_flags_word(a.flags + begin + i, count - i < 32 ? count - i : 32);
        a.bits[(begin + i) / 32] = word;
        ones += static_cast<unsigned>(__popc(word));
    }
    return usw_split_count_put(a.tree, t, ones);
}

static __global__ void __launch_bounds__(usw_split_count_tuning.threads,
                                         usw_split_count_tuning.blocks)
    usw_split_count_ones(usw_split_count_args a)
{
    constexpr unsigned warps = usw_split_count_tuning.threads / 32;
    USW_SHARED_ARRAY(uint64_t, of_warp, [warps]);
    const bool vectors = reinterpret_cast<uintptr_t>(a.flags) % 16 == 0 && a.tile_log2 >= 9;
    uint64_t mine = 0, begin = (uint64_t(blockIdx.x) * warps + threadIdx.x / 32) * a.share;
    for (; begin < a.n; begin += uint64_t(gridDim.x) * warps * a.share) {
        if (vectors && begin + a.share <= a.n) {
            mine += usw_split_count_whole(a, begin);
        } else {
            const uint64_t end = begin + a.share < a.n ? begin + a.share : a.n;
            for (uint64_t t = begin >> a.tile_log2; t << a.tile_log2 < end; t++) {
                mine += usw_split_count_tile(a, t);
            }
        }
    }
    if (threadIdx.x % 32 == 0) {
        of_warp[threadIdx.x / 32] = mine;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned long long all = 0;
        for (unsigned w = 0; w < warps; w++) {
            all += of_warp[w];
        }
        atomicAdd(a.all_ones, all);
    }
}

/* Queues it; a.tree and *a.all_ones are zeroed. tile: a power of two. */
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
