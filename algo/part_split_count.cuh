/* part_split_count.cuh - flags first: the ones of each tile go to the odometer's tree, and their
 * sum and the flags as bits to memory, so that no tile then waits for another to be moved. */
#ifndef USW_PART_SPLIT_COUNT_CUH
#define USW_PART_SPLIT_COUNT_CUH

#include "part_split_tile.cuh"

constexpr struct {
    unsigned flags;  /* that a warp draws at once, if a tile is not more */
    unsigned blocks; /* a multiprocessor at least has registers for */
} usw_split_count_tuning = {8192, 8};

/* Tiles that a warp draws at once. */
__host__ __device__ __forceinline__ unsigned usw_split_count_draw(unsigned tile)
{
    return tile < usw_split_count_tuning.flags ? usw_split_count_tuning.flags / tile : 1;
}

static __global__ void __launch_bounds__(USW_SPLIT_THREADS, usw_split_count_tuning.blocks)
    usw_split_count_ones(const uint8_t *flags, uint64_t n, unsigned tile, usw_odometer_tree tree,
                         uint32_t *ticket, uint32_t *bits, uint64_t *all_ones)
{
    typedef usw_odometer_room<uint64_t, true> odometer_room;
    USW_SHARED(odometer_room, room);
    const usw_split_counts e;
    const unsigned lane = threadIdx.x % 32;
    const unsigned draw = usw_split_count_draw(tile);
    uint64_t first = usw_odometer_drawn(usw_odometer_draw(ticket), draw);
    while (first < tree.tiles) {
        const uint32_t next = usw_odometer_draw(ticket);
        for (uint64_t t = first; t < first + draw && t < tree.tiles; t++) {
            const uint64_t begin = t * tile, left = n - begin;
            const unsigned count = left < tile ? static_cast<unsigned>(left) : tile;
            unsigned ones = 0;
#pragma unroll 4
            for (unsigned i = 32 * lane; i < count; i += 32 * 32) {
                const uint32_t word =
                    usw_flags_word(flags + begin + i, count - i < 32 ? count - i : 32);
                bits[(begin + i) / 32] = word;
                ones += static_cast<unsigned>(__popc(word));
            }
#pragma unroll
            for (unsigned distance = 16; distance > 0; distance /= 2) {
                ones += __shfl_xor_sync(~0u, ones, distance);
            }
            usw_odometer_put(e, tree, t, uint64_t(ones), room);
        }
        if (first + draw >= tree.tiles) {
            const uint64_t all = usw_odometer_all(e, tree, room);
            if (lane == 0) {
                *all_ones = all;
            }
        }
        first = usw_odometer_drawn(next, draw);
    }
}

/* Queues it; tree and ticket are zeroed. */
static inline upsweep_status usw_split_count_all(usw_gpu *g, const uint8_t *flags, uint64_t n,
                                                 unsigned tile, const usw_odometer_tree &tree,
                                                 uint32_t *ticket, uint32_t *bits,
                                                 uint64_t *all_ones)
{
    const unsigned draw = usw_split_count_draw(tile);
    const uint64_t draws = (tree.tiles + draw - 1) / draw;
    const uint64_t wanted = (draws + USW_SPLIT_WARPS - 1) / USW_SPLIT_WARPS;
    const uint64_t fit = uint64_t(g->sms) * usw_split_count_tuning.blocks;
    return USW_LAUNCH(g, usw_split_count_ones,
                      dim3(static_cast<unsigned>(wanted < fit ? wanted : fit)),
                      dim3(USW_SPLIT_THREADS), 0, flags, n, tile, tree, ticket, bits, all_ones);
}

#endif
