/* pass.cuh - one pass of a radix sort on a GPU: moves every key, stably, to the next place of its
 * digit.
 *
 * Steps of a tile
 *   load     keys, and values if any, to registers.
 *   rank     each warp counts its stretch of the tile by atomic additions on counters of its own;
 *            what an addition returns is the key's rank among its warp's keys of that digit.
 *   start    the counts, scanned over warps and digits, say where in the tile each warp's keys of a
 *            digit begin. The tile publishes its counts to the spine (gpu/carry/spine_digits.cuh).
 *   keep     keys and values go to shared memory as they are; nothing moves there again.
 *   place    order[rank] = the key's position in the tile (16 bits).
 *   look     waits for the spine's answer, where the tile's keys of each digit go.
 *   write    keys and values leave in the order of `order`, so in runs.
 * A block draws the number of its next tile while it writes this one, so that it does not wait for
 * the number. It does not draw earlier, since answers come in the order of tiles, and a late block
 * would hold up all others. The tile that is a round ahead is loaded into the second-level cache.
 *
 * Stable   needs that lanes of one warp that add to one counter at once are served in the order of
 * lanes. The hardware at hand does so, but nothing promises it. So write checks that (digit,
 * position) rises all along, and where it does not, the tile is ranked again by votes (which takes
 * five times as long) and written again. A warp that finds many equal digits in its first keys
 * counts the two commonest by votes: equal addresses are served one by one. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_DIGIT_SORT_PASS_CUH
#define USW_GPU_DIGIT_SORT_PASS_CUH

#include "gpu/carry/spine_digits.cuh"
#include "gpu/digit_sort/tile.cuh"

/* Has memory loaded into the second-level cache. */
__device__ __forceinline__ void ask_ahead(const void *at, size_t bytes)
{
#if !defined(USW_EMULATE) && __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;"
                 :
                 : "l"(reinterpret_cast<uintptr_t>(at) / 16 * 16),
                   "r"(static_cast<unsigned>(bytes / 16 * 16)));
#else
    (void)at;
    (void)bytes;
#endif
}

/* One block's work in a pass. W: the type of the tiles' words (gpu/carry/look_back_digits.cuh). */
template <typename K, unsigned value_bytes, typename Shape, typename W, bool numbered>
struct radix_pass {
    using block = radix_tile<K, value_bytes, Shape, W, numbered>;
    const usw_radix_pass_args<K> &a;
    unsigned pass;
    size_t tiles;
    usw_pass_ends<K, value_bytes, numbered> e;
    look_ring<W> ring;
    unsigned *taken; /* shared: number of the next tile, from 1 on; 0: the spine */

    /* Draws the next tile, which may begin when the tile that used its words before has read its
     * answer. One thread calls. */
    __device__ __forceinline__ void take_next() const
    {
        /* Step spine_digits/take of proofs/models. */
        const unsigned next = atomicAdd(&a.control->tiles_taken[pass], 1u);
        *taken = next;
        if (next > a.ring_tiles && next <= tiles) {
            const unsigned *word = a.done + ((next - 1) & (a.ring_tiles - 1));
            /* Step spine_digits/wait_slot of proofs/models. */
            while (usw_load_relaxed(word) != ring.epoch(next - 1) - 1) {
                usw_yield();
            }
        }
    }
    __device__ __forceinline__ void ask_for(size_t tile) const
    {
        if (tile + 1 >= tiles) {
            return;
        }
        const size_t begin = tile * Shape::tile;
        if constexpr (block::joins) {
            if (e.joined_in.low != nullptr) {
                if (e.joined_in.in_a_row(begin, Shape::tile)) {
                    ask_ahead(e.joined_in.at(begin), Shape::tile * sizeof(usw_joined<K>));
                }
                return;
            }
        }
        ask_ahead(e.keys_in + begin, Shape::tile * sizeof(K));
        if (value_bytes != 0 && e.values_in != nullptr) {
            ask_ahead(e.values_in + begin, Shape::tile * value_bytes);
        }
    }
    __device__ __forceinline__ void write(const block &b, size_t tile, unsigned count) const
    {
        if (threadIdx.x == Shape::threads - 1) {
            ask_for(tile + gridDim.x);
            take_next();
        }
        const bool wrong = b.write(e, count) | b.wrong_across_warps(e);
        if (__syncthreads_or(wrong)) {
            b.place_by_votes(e);
            __syncthreads();
            b.write(e, count);
            __syncthreads();
        }
    }
    __device__ __forceinline__ void one_tile(block &b, size_t tile) const
    {
        const size_t begin = tile * Shape::tile, left = a.n - begin;
        const unsigned count = left < Shape::tile ? static_cast<unsigned>(left) : Shape::tile;
        const unsigned padding = Shape::tile - count, t = threadIdx.x;
        unsigned ranks[block::ranks] = {};
        b.fetch(e, begin, count);
        b.prepare(e, count);
        b.rank(e, ranks);
        __syncthreads();
        b.start([&](unsigned d, unsigned c) {
            /* Step spine_digits/tell of proofs/models. */
            ring.publish(tile, d, false, c - (d == e.mask ? padding : 0));
        });
        b.keep();
        b.place(e, ranks);
        if (t < 256) {
            b.target[t] = usw_radix_answer(ring, tile, t) - b.digit_start[t];
        }
        __syncthreads();
        if (t == 0) {
            /* Step spine_digits/done of proofs/models. */
            usw_store_relaxed(a.done + (tile & (a.ring_tiles - 1)), ring.epoch(tile));
        }
        write(b, tile, count);
    }
};

/* One pass by one block, which is the spine if it draws the number 0. taken: as in radix_pass. */
template <typename K, unsigned value_bytes, typename Shape, typename W, bool numbered>
__device__ __forceinline__ void radix_run_pass(const usw_radix_pass_args<K> &a, unsigned pass,
                                               unsigned char *shared, unsigned *taken)
{
    const size_t tiles = (a.n + Shape::tile - 1) / Shape::tile;
    const unsigned laps = static_cast<unsigned>((tiles + a.ring_tiles - 1) / a.ring_tiles);
    const look_ring<W> ring = {static_cast<W *>(a.ring), a.ring_tiles, 1 + pass * laps};
    radix_pass<K, value_bytes, Shape, W, numbered> p = {a, pass, tiles, {}, ring, taken};
    const unsigned digit = begin_pass(p.e, a, pass, a.control->passes);
    if (threadIdx.x == 0) {
        *taken = atomicAdd(&a.control->tiles_taken[pass], 1u);
    }
    __syncthreads();
    if (*taken == 0) {
        usw_digit_spine(ring, a.control->base[digit], static_cast<unsigned>(tiles));
        return;
    }
    radix_tile<K, value_bytes, Shape, W, numbered> b;
    b.carve(shared);
    for (size_t at = *taken; at <= tiles; at = *taken) {
        p.one_tile(b, at - 1);
    }
}

template <typename K, unsigned value_bytes, typename Shape, typename W>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    usw_radix_scatter(const usw_radix_pass_args<K> a, unsigned pass)
{
    USW_DYNAMIC_SHARED(unsigned char, shared);
    USW_SHARED(unsigned, taken);
    usw_chained();
    if (pass < a.control->passes) {
        radix_run_pass<K, value_bytes, Shape, W, false>(a, pass, shared, &taken);
    }
}

#endif
