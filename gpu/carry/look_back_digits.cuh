/* look_back_digits.cuh - decoupled look-back by digits: a tile finds the sums of each digit's
 * counts over all tiles before it, while those are still at work.
 *
 * One word a tile and digit: a flag (count of the tile, or sum up to its end), an epoch,
 * the number. The words live in a ring of tiles; the epoch tells this lap and pass
 * from those before, so nothing is cleared between passes. Before a tile overwrites its
 * place in the ring it waits for the sum of the tile `grid` before it. With at most `grid`
 * tiles begun and unfinished, that keeps every word that can still be wanted: if u is the
 * first unfinished tile, none beyond u + 2 grid has written, and nobody reads below u - 1.
 *
 * Source   D. Merrill, M. Garland, Single-pass parallel prefix scan with decoupled look-back,
 *          2016. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_CARRY_LOOK_BACK_DIGITS_CUH
#define USW_GPU_CARRY_LOOK_BACK_DIGITS_CUH

#include "gpu/gpu.cuh"

static constexpr unsigned LOOK_NONE = 0, LOOK_COUNT = 1, LOOK_SUM = 2;

/* A word of type W: sum or count (1 bit), epoch, number. No word that a tile reads is older than
 * two epochs, so the 2 bits of a 32-bit word tell old from new; the number is then below 2^29. */
template <typename W> struct look_word {
    static constexpr unsigned number_bits = sizeof(W) == 4 ? 29 : 40;
    static constexpr unsigned epochs = 1u << (sizeof(W) * 8 - 1 - number_bits);
    __device__ __forceinline__ static W of(bool sum, unsigned epoch, W number)
    {
        return static_cast<W>(sum) << (sizeof(W) * 8 - 1) |
               static_cast<W>(epoch % epochs) << number_bits | number;
    }
    __device__ __forceinline__ static unsigned state(W word, unsigned epoch)
    {
        return static_cast<unsigned>(word >> number_bits) % epochs != epoch % epochs ? LOOK_NONE
               : word >> (sizeof(W) * 8 - 1) != 0                                    ? LOOK_SUM
                                                                                     : LOOK_COUNT;
    }
    __device__ __forceinline__ static W number(W word)
    {
        return word & ((W(1) << number_bits) - 1);
    }
};

/* The words of a ring of tiles. base: the first epoch of the pass. */
template <typename W> struct look_ring {
    using word = look_word<W>;
    W *words;
    unsigned tiles, base; /* tiles: a power of two */
    __device__ __forceinline__ W *at(size_t tile, unsigned digit) const
    {
        return words + (tile & (tiles - 1)) * 256 + digit;
    }
    __device__ __forceinline__ unsigned epoch(size_t tile) const
    {
        return base + static_cast<unsigned>(tile >> (31 - __clz(static_cast<int>(tiles))));
    }
    __device__ __forceinline__ void publish(size_t tile, unsigned digit, bool sum, W number) const
    {
        usw_store_relaxed(at(tile, digit), word::of(sum, epoch(tile), number));
    }
    /* A tile may overwrite words once no tile wants them: when the tile `distance` before it has
     * its sum (see above). `before` reads the word of that tile early, `wait` waits for it
     * later. */
    __device__ __forceinline__ W before(size_t tile, unsigned distance, unsigned digit) const
    {
        return tile >= distance ? usw_load_relaxed(at(tile - distance, digit)) : 0;
    }
    __device__ __forceinline__ void wait(size_t tile, unsigned distance, unsigned digit,
                                         W found) const
    {
        if (tile >= distance) {
            unsigned of = epoch(tile - distance);
            while (word::state(found, of) != LOOK_SUM) {
                usw_yield();
                found = before(tile, distance, digit);
            }
        }
    }
    /* The sum of a digit's counts over the tiles from `stop` to before `tile`, `window` tiles at a
     * time. */
    template <unsigned window, unsigned backoff>
    __device__ __forceinline__ W look_back(size_t tile, unsigned digit, size_t stop = 0) const
    {
        W sum = 0, found[window];
        size_t from = tile; /* tiles from here on are in sum */
        while (from != stop) {
            size_t first = from;
#pragma unroll
            for (unsigned i = 0; i < window; i++) {
                found[i] = from > stop + i ? usw_load_relaxed(at(from - 1 - i, digit)) : 0;
            }
            bool going = true;
#pragma unroll
            for (unsigned i = 0; i < window; i++) {
                unsigned state =
                    first > stop + i ? word::state(found[i], epoch(first - 1 - i)) : LOOK_NONE;
                going = going && state != LOOK_NONE;
                if (going) {
                    sum += word::number(found[i]);
                    from = state == LOOK_SUM ? stop : from - 1;
                    going = state != LOOK_SUM;
                }
            }
            if (from == first) { /* the nearest word has not come: read it alone, and seldom */
                while (word::state(usw_load_relaxed(at(from - 1, digit)), epoch(from - 1)) ==
                       LOOK_NONE) {
                    __nanosleep(backoff);
                    usw_yield();
                }
            }
        }
        return sum;
    }
};

/* How many tiles a ring must have for so many blocks; a power of two. */
static inline unsigned usw_look_back_ring_tiles(unsigned blocks)
{
    unsigned tiles = 4;
    while (tiles < 3 * blocks + 2) {
        tiles *= 2;
    }
    return tiles;
}

#endif
