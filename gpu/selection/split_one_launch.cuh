/* split_one_launch.cuh - splits and compactions of few elements in one launch: at most a tile of
 * 1,024 a multiprocessor.
 *
 * Tiles are small and their blocks run all at once. A block publishes its ones in a node that stays
 * from call to call (gpu/carry/last_block_collects.cuh), and reads the nodes of all tiles: there is
 * one launch, no memory is cleared before it, and there is no barrier. When a block knows all ones,
 * every element has been read, so that it may write in place. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_SELECTION_SPLIT_ONE_LAUNCH_CUH
#define USW_GPU_SELECTION_SPLIT_ONE_LAUNCH_CUH

#include "gpu/carry/last_block_collects.cuh"
#include "gpu/selection/split_tile.cuh"

enum : unsigned {
    USW_SPLIT_ONCE_TILE = 1024,
    USW_SPLIT_ONCE_WORDS = USW_SPLIT_ONCE_TILE / USW_SPLIT_THREADS, /* a thread's elements */
};

struct usw_split_once_args {
    const void *in;
    const uint8_t *flags;
    void *out;
    unsigned n;
    uint64_t *count; /* zeros, or kept; NULL: not wanted */
    usw_gather gather;
};

/* A whole block, when its elements have been read, publishes its ones and collects those of all
 * blocks. */
__device__ __forceinline__ usw_split_sums usw_split_once_exchange(const usw_gather &gather,
                                                                  unsigned long long drawn,
                                                                  unsigned ones)
{
    USW_SHARED(usw_call, call);
    if (gridDim.x == 1) {
        return {0, ones};
    }
    if (threadIdx.x == 0) {
        call = usw_call_of(drawn, gather.calls, gridDim.x);
        usw_gather_put(gather, call.tag, blockIdx.x, ones);
    }
    __syncthreads();
    usw_split_sums mine = {0, 0};
    usw_gather_all<1, 4>(gather, call.tag, gridDim.x, [&](unsigned t, const uint64_t(&v)[1]) {
        const unsigned here = static_cast<unsigned>(v[0]);
        mine.before += t < blockIdx.x ? here : 0;
        mine.all += here;
    });
    return usw_split_sum(mine);
}

template <typename W, bool keep>
__global__ void __launch_bounds__(USW_SPLIT_THREADS) usw_split_once(usw_split_once_args a)
{
    constexpr unsigned tile = USW_SPLIT_ONCE_TILE, words = USW_SPLIT_ONCE_WORDS;
    USW_SHARED_ARRAY(W, x, [tile]);
    const unsigned begin = blockIdx.x * tile, count = a.n - begin < tile ? a.n - begin : tile;
    const unsigned first = threadIdx.x / 32 * words * 32 + threadIdx.x % 32;
    const W *in = static_cast<const W *>(a.in) + begin;
    unsigned long long drawn = 0;
    if (threadIdx.x == 0 && gridDim.x > 1) {
        drawn = usw_call_draw(a.gather.calls);
    }
    W v[words];
#pragma unroll
    for (unsigned k = 0; k < words; k++) {
        if (first + 32 * k < count) {
            v[k] = __ldcs(in + first + 32 * k);
        }
    }
    const usw_split_ranks r = usw_split_rank(a.flags + begin, nullptr, count, words);
    const unsigned zeros = keep ? 0 : count - r.ones;
    usw_split_order<keep>(r, v, first, count, zeros, x);
    __syncthreads();
    const usw_split_sums sums = usw_split_once_exchange(a.gather, drawn, r.ones);
    if (blockIdx.x == 0 && threadIdx.x == 0 && a.count != nullptr) {
        *a.count = keep ? sums.all : a.n - sums.all;
    }
    W *out = static_cast<W *>(a.out);
    if (!keep) {
        usw_split_put(out + (begin - sums.before), x, zeros);
    }
    usw_split_put(out + (keep ? 0 : a.n - sums.all) + sums.before, x + zeros, r.ones);
}

/* ---- host ---- */

/* A tile a multiprocessor: with more tiles, blocks would read too many nodes. A plan has no nodes,
 * so that it counts the scratch of the other methods, which need more. */
static inline bool usw_split_one_launch_takes(const usw_gpu *g, uint64_t n)
{
    return g->device >= 0 && n <= uint64_t(USW_SPLIT_ONCE_TILE) * g->sms;
}

template <typename W, bool keep>
static inline upsweep_status usw_split_one_launch(usw_gpu *g, usw_split_once_args a)
{
    const unsigned tiles = (a.n + USW_SPLIT_ONCE_TILE - 1) / USW_SPLIT_ONCE_TILE;
    a.gather = usw_gather_of(g);
    return USW_LAUNCH_COOPERATIVE(g, (usw_split_once<W, keep>), dim3(tiles),
                                  dim3(USW_SPLIT_THREADS), 0, a);
}

#endif
