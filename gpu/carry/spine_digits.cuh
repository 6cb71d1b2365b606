/* spine_digits.cuh - how the tiles of a radix sort's pass on a GPU learn where their digits go.
 *
 * Idea     A tile writes its count of each digit to its words in gpu/carry/look_back_digits.cuh's
 *          ring. One block, the clerk, reads the tiles' counts in order, as they come, and writes
 *          over each count where the tile's keys of that digit begin. The tile waits for that. So
 *          its words are read by one block besides its own, and the answer is three trips to the
 *          second cache away from the last count to come; a look back would walk over some 15
 *          tiles, since so many are counted while a sum is on its way.
 *
 * Never a hang: the first block to begin is the clerk, so it runs; it waits for tiles that running
 * blocks have taken, in order.
 *
 * A count is a word of gpu/carry/look_back_digits.cuh. An answer has its top bit, too, but no
 * epoch, since only the tile looks for it that has written the count there; so it may have 31 bits
 * of 32.
 *
 * A tile's words are used again by the tile one ring later, which nobody begins before the one
 * before has read its answer and said so in `done`. */
#ifndef USW_GPU_CARRY_SPINE_DIGITS_CUH
#define USW_GPU_CARRY_SPINE_DIGITS_CUH

#include "gpu/carry/look_back_digits.cuh"

enum { USW_CLERK_WINDOW = 31 }; /* tiles whose counts it reads at a time, 31 at most */

/* What the ring takes beside its tiles' words: the clerk reads so far beyond its end. */
static inline size_t usw_spine_ring_words(size_t tiles, bool narrow)
{
    return (tiles + USW_CLERK_WINDOW) * (narrow ? 256 : 512);
}

/* Whether words of 32 bits do for so many keys. */
static inline bool usw_spine_narrow(size_t n)
{
    return n >> 31 == 0;
}

/* The top bit, which an answer has. */
template <typename W> struct clerk_word {
    static constexpr W answer = W(1) << (sizeof(W) * 8 - 1);
};

/* A block's work, 256 threads of it: base[d] is where digit d begins. */
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
        W *words = ring.at(at, d), found[USW_CLERK_WINDOW];
        /* Step spine_digits/read of proofs/models. */
#pragma unroll
        for (unsigned i = 0; i < USW_CLERK_WINDOW; i++) {
            found[i] = usw_load_relaxed(words + i * 256);
        }
        W any = 0, all = ~W(0);
#pragma unroll
        for (unsigned i = 0; i < USW_CLERK_WINDOW; i++) {
            any |= found[i];
            all &= found[i];
        }
        /* All are there nearly always: then few instructions, since these bound small tiles. */
        const W count = word::of(false, epoch, 0);
        const bool every = ((any ^ count) | (all ^ count)) >> word::number_bits == 0;
        if (most >= USW_CLERK_WINDOW && __all_sync(~0u, every)) {
#pragma unroll
            for (unsigned i = 0; i < USW_CLERK_WINDOW; i++) {
                usw_store_relaxed(words + i * 256, clerk_word<W>::answer + sum);
                sum += found[i] - count;
            }
            at += USW_CLERK_WINDOW;
            continue;
        }
        unsigned there = 0;
#pragma unroll
        for (unsigned i = 0; i < USW_CLERK_WINDOW; i++) {
            there |= static_cast<unsigned>(word::state(found[i], epoch) == LOOK_COUNT) << i;
        }
        /* The tiles in a row that all lanes have. */
        const unsigned mine = static_cast<unsigned>(__ffs(static_cast<int>(~there)) - 1);
        unsigned ready = USW_CLERK_WINDOW - __reduce_max_sync(~0u, USW_CLERK_WINDOW - mine);
        ready = ready < most ? ready : most;
        /* Step spine_digits/answer of proofs/models. */
#pragma unroll
        for (unsigned i = 0; i < USW_CLERK_WINDOW; i++) {
            if (i < ready) {
                usw_store_relaxed(words + i * 256, clerk_word<W>::answer | sum);
                sum += word::number(found[i]);
            }
        }
        at += ready;
        if (ready == 0) {
            usw_yield();
        }
    }
}

/* A tile's answer, when it is there, to the thread that has told the count. */
template <typename W>
__device__ __forceinline__ W usw_radix_answer(const look_ring<W> &ring, size_t tile, unsigned digit)
{
    W found = usw_load_relaxed(ring.at(tile, digit));
    /* Step spine_digits/hear of proofs/models. */
    while ((found & clerk_word<W>::answer) == 0) {
        __nanosleep(20);
        usw_yield();
        found = usw_load_relaxed(ring.at(tile, digit));
    }
    return found & ~clerk_word<W>::answer;
}

#endif
