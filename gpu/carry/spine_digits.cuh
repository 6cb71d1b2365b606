/* spine_digits.cuh - how the tiles of a radix sort's pass on a GPU learn where their digits go: one
 * block, the spine, adds up the counts of all tiles.
 *
 * Idea     A tile writes its count of each digit to its words in gpu/carry/look_back_digits.cuh's
 *          ring. One block, the spine, reads the tiles' counts in order, as they come, and writes
 *          over each count where the tile's keys of that digit begin. The tile waits for this
 *          answer. So its words are read by one block besides its own, and the answer is three
 *          trips to the second cache away from the last count to come; a look back would walk over
 *          some 15 tiles, since so many are counted while a sum is on its way.
 *
 * The spine cannot hang: it is the first block that begins, so it runs, and it waits only for tiles
 * that running blocks have taken, in order.
 *
 * A count is a word of gpu/carry/look_back_digits.cuh. An answer has the top bit set, too, but no
 * epoch, since only the tile that has written the count reads the answer; so an answer may have 31
 * bits of 32.
 *
 * A tile's words are used again by the tile one ring later. No block begins that tile before the
 * earlier tile has read its answer and has written its epoch to `done`. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_CARRY_SPINE_DIGITS_CUH
#define USW_GPU_CARRY_SPINE_DIGITS_CUH

#include "gpu/carry/look_back_digits.cuh"

enum { USW_SPINE_WINDOW = 31 }; /* tiles whose counts the spine reads at a time, 31 at most */

/* Words of a ring of so many tiles, and of the tiles that the spine reads beyond the ring's end. */
static inline size_t usw_spine_ring_words(size_t tiles, bool narrow)
{
    return (tiles + USW_SPINE_WINDOW) * (narrow ? 256 : 512);
}

/* Whether words of 32 bits do for so many keys. */
static inline bool usw_spine_narrow(size_t n)
{
    return n >> 31 == 0;
}

/* The top bit, which an answer has. */
template <typename W> struct spine_word {
    static constexpr W answer = W(1) << (sizeof(W) * 8 - 1);
};

/* The spine's work, by 256 threads of a block: base[d] is where digit d begins. */
template <typename W>
__device__ __forceinline__ void usw_digit_spine(const look_ring<W> &ring,
                                                const unsigned long long *base, unsigned tiles)
{
    using word = look_word<W>;
    const unsigned d = threadIdx.x;
    if (d >= 256) {
        return;
    }
    W sum = static_cast<W>(base[d]);
    for (unsigned at = 0; at < tiles;) {
        /* Up to where the ring begins anew, so that one epoch holds. */
        const unsigned slot = at & (ring.tiles - 1), epoch = ring.epoch(at);
        unsigned most = ring.tiles - slot;
        most = most < tiles - at ? most : tiles - at;
        W *words = ring.at(at, d), found[USW_SPINE_WINDOW];
        /* Step spine_digits/read of proofs/models. */
#pragma unroll
        for (unsigned i = 0; i < USW_SPINE_WINDOW; i++) {
            found[i] = usw_load_relaxed(words + i * 256);
        }
        W any = 0, all = ~W(0);
#pragma unroll
        for (unsigned i = 0; i < USW_SPINE_WINDOW; i++) {
            any |= found[i];
            all &= found[i];
        }
        /* Nearly always all counts have come: this way has few instructions, since these bound
         * passes of small tiles. */
        const W count = word::of(false, epoch, 0);
        const bool every = ((any ^ count) | (all ^ count)) >> word::number_bits == 0;
        if (most >= USW_SPINE_WINDOW && __all_sync(~0u, every)) {
#pragma unroll
            for (unsigned i = 0; i < USW_SPINE_WINDOW; i++) {
                usw_store_relaxed(words + i * 256, spine_word<W>::answer + sum);
                sum += found[i] - count;
            }
            at += USW_SPINE_WINDOW;
            continue;
        }
        unsigned there = 0;
#pragma unroll
        for (unsigned i = 0; i < USW_SPINE_WINDOW; i++) {
            there |= static_cast<unsigned>(word::state(found[i], epoch) == LOOK_COUNT) << i;
        }
        /* `ready`: how many tiles in a row have all their counts, in every lane. */
        const unsigned mine = static_cast<unsigned>(__ffs(static_cast<int>(~there)) - 1);
        unsigned ready = USW_SPINE_WINDOW - __reduce_max_sync(~0u, USW_SPINE_WINDOW - mine);
        ready = ready < most ? ready : most;
        /* Step spine_digits/answer of proofs/models. */
#pragma unroll
        for (unsigned i = 0; i < USW_SPINE_WINDOW; i++) {
            if (i < ready) {
                usw_store_relaxed(words + i * 256, spine_word<W>::answer | sum);
                sum += word::number(found[i]);
            }
        }
        at += ready;
        if (ready == 0) {
            usw_yield();
        }
    }
}

/* Waits for a tile's answer, in the thread that has published the count of that digit. */
template <typename W>
__device__ __forceinline__ W usw_radix_answer(const look_ring<W> &ring, size_t tile, unsigned digit)
{
    W found = usw_load_relaxed(ring.at(tile, digit));
    /* Step spine_digits/hear of proofs/models. */
    while ((found & spine_word<W>::answer) == 0) {
        __nanosleep(20);
        usw_yield();
        found = usw_load_relaxed(ring.at(tile, digit));
    }
    return found & ~spine_word<W>::answer;
}

#endif
