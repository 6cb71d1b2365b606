/* look_back_sum.cuh - decoupled look-back (Merrill and Garland 2016): a tile finds the sum over all
 * tiles before it, while those are still at work.
 *
 * Each tile has a word: its own sum, or the sum of all tiles up to its end; the two top bits say
 * which. Tiles are numbered in the order in which their blocks begin, so a block waits only for
 * blocks that run already. One warp looks at many tiles at a time. The words and the ticket are
 * zero before the kernel starts. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_CARRY_LOOK_BACK_SUM_CUH
#define USW_GPU_CARRY_LOOK_BACK_SUM_CUH

#include "gpu/gpu.cuh"

typedef unsigned long long usw_chain_word;

static const usw_chain_word USW_CHAIN_OWN = 1ull << 62, USW_CHAIN_SUM = 2ull << 62,
                            USW_CHAIN_VALUE = (1ull << 62) - 1;

enum : int { USW_CHAIN_WINDOW = 128 }; /* tiles looked at together */

/* The number of this block's tile, the same for all threads. */
__device__ __forceinline__ unsigned usw_chain_tile(unsigned *ticket)
{
    USW_SHARED(unsigned, tile);
    if (threadIdx.x == 0) {
        /* Step look_back/draw of proofs/models. */
        tile = atomicAdd(ticket, 1u);
    }
    __syncthreads();
    return tile;
}

/* The sum of the tiles from `last` down to the nearest one that has a whole sum, or of the window
 * if none has. */
__device__ __forceinline__ uint64_t usw_chain_window(const usw_chain_word *words, long long last,
                                                     bool *found)
{
    constexpr unsigned rows = USW_CHAIN_WINDOW / 32;
    const unsigned lane = threadIdx.x % 32;
    usw_chain_word word[rows];
#pragma unroll
    for (unsigned r = 0; r < rows; r++) {
        word[r] = last - 32 * static_cast<long long>(r) - lane >= 0 ? 0 : USW_CHAIN_SUM;
    }
    /* Step look_back/look of proofs/models. */
    for (;;) {
#pragma unroll
        for (unsigned r = 0; r < rows; r++) {
            if (word[r] == 0) {
                word[r] = usw_load_relaxed(&words[last - 32 * static_cast<long long>(r) - lane]);
            }
        }
        /* Step look_back/add of proofs/models. */
        uint64_t sum = 0;
        bool missing = false;
        *found = false;
#pragma unroll
        for (unsigned r = 0; r < rows; r++) {
            const unsigned sums = __ballot_sync(~0u, word[r] >= USW_CHAIN_SUM);
            const unsigned zeros = __ballot_sync(~0u, word[r] == 0);
            const unsigned wanted = *found ? 0 : sums == 0 ? ~0u : sums ^ (sums - 1);
            missing = missing || (zeros & wanted) != 0;
            sum += wanted >> lane & 1 ? word[r] & USW_CHAIN_VALUE : 0;
            *found = *found || sums != 0;
        }
        if (!missing) {
            for (unsigned step = 16; step > 0; step /= 2) {
                sum += __shfl_xor_sync(~0u, sum, step);
            }
            return sum;
        }
        usw_yield();
    }
}

/* A warp publishes `mine` for `tile`, and gets the sum of all tiles before it. resets: later tiles
 * count from this one on, whatever was before. */
__device__ __forceinline__ uint64_t usw_chain_before(usw_chain_word *words, unsigned tile,
                                                     uint64_t mine, bool resets = false)
{
    const unsigned lane = threadIdx.x % 32;
    const bool known = resets || tile == 0;
    /* Step look_back/publish of proofs/models. */
    if (lane == 0) {
        usw_store_relaxed(&words[tile], (known ? USW_CHAIN_SUM : USW_CHAIN_OWN) | mine);
    }
    uint64_t before = 0;
    for (long long last = static_cast<long long>(tile) - 1; last >= 0; last -= USW_CHAIN_WINDOW) {
        bool found = false;
        before += usw_chain_window(words, last, &found);
        if (found) {
            break;
        }
    }
    /* Step look_back/publish_sum of proofs/models. */
    if (lane == 0 && !known) {
        usw_store_relaxed(&words[tile], USW_CHAIN_SUM | (before + mine));
    }
    return before;
}

#endif
