/* digit_rank.cuh - stable ranks of digits within a block of a GPU, by counters of each warp.
 *
 * A warp's counters are 256 numbers of 16 bits, two to a word. What an atomic addition returns is
 * the rank, if lanes that add to one counter at once are served in the order of lanes. The hardware
 * at hand does so (5 times as fast as votes), but nothing promises it, so whoever uses add_digit
 * checks its result and falls back to count_digit_by_votes. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BLOCK_DIGIT_RANK_CUH
#define USW_GPU_BLOCK_DIGIT_RANK_CUH

#include "gpu/gpu.cuh"

/* ---- ranking ---- */

/* The lanes of the warp that have this lane's digit. */
__device__ __forceinline__ unsigned lanes_alike(unsigned digit)
{
#ifdef USW_EMULATE
    return __match_any_sync(~0u, digit);
#else
    unsigned alike = ~0u;
#pragma unroll
    for (unsigned b = 0; b < 8; b++) {
        unsigned bit = digit >> b & 1;
        alike &= __ballot_sync(~0u, bit) ^ (bit - 1);
    }
    return alike;
#endif
}

/* Adds 1 to counter `digit` of a warp's packed 16-bit counters. The count before is counted() of
 * the word that it returns. */
__device__ __forceinline__ unsigned add_digit(unsigned *counters, unsigned digit)
{
    return atomicAdd(&counters[digit / 2], 1u << (digit & 1) * 16);
}
__device__ __forceinline__ unsigned counted(unsigned word, unsigned digit)
{
    return word >> (digit & 1) * 16 & 0xffff;
}
/* Adds 1 and returns the count before, in the order of lanes whatever the hardware does: by
 * votes. */
__device__ __forceinline__ unsigned count_digit_by_votes(uint16_t *counters, unsigned digit)
{
    unsigned alike = lanes_alike(digit), lane = threadIdx.x & 31;
    unsigned before = counters[digit];
    __syncwarp();
    if (alike >> lane == 1) { /* the last lane of this digit */
        counters[digit] = static_cast<uint16_t>(before + __popc(alike));
    }
    __syncwarp();
    return before + __popc(alike & ((1u << lane) - 1));
}

/* Finds the commonest digit of a warp and the commonest of the others. */
__device__ __forceinline__ void commonest_digits(unsigned digit, unsigned &first, unsigned &second)
{
    const unsigned votes = __popc(lanes_alike(digit)) << 5 | (threadIdx.x & 31);
    first = __shfl_sync(~0u, digit, __reduce_max_sync(~0u, votes) & 31);
    const unsigned others = __reduce_max_sync(~0u, digit == first ? 0 : votes);
    second = others == 0 ? first ^ 1 : __shfl_sync(~0u, digit, others & 31);
}

/* A bit for each lane of the warp whose digit is not that of the lane before. */
__device__ __forceinline__ unsigned digit_heads(unsigned digit)
{
    const unsigned left = __shfl_up_sync(~0u, digit, 1);
    return __ballot_sync(~0u, threadIdx.x % 32 == 0 || digit != left);
}

/* Ranks I rows of a warp's items by one addition for each run of neighbours in a row that have the
 * same digit, as equal keys have that lie side by side: lanes that add to one counter take turns.
 * own: the warp's counters; digit(i): of the lane's item of row i; found: the rank of that of row
 * 0; rank: two to a word. */
enum { DIGIT_RUNS_MOST = 5 }; /* of the first row, for which this is faster than rank_crowd */
template <unsigned I, typename Digit>
__device__ __forceinline__ void rank_runs(unsigned *own, Digit digit, unsigned found,
                                          unsigned (&rank)[(I + 1) / 2])
{
    constexpr unsigned U = 3; /* additions on their way before the first is waited for */
    const unsigned lane = threadIdx.x % 32;
    rank[0] = found;
#pragma unroll
    for (unsigned i0 = 0; i0 < I; i0 += U) {
        unsigned before[U], head[U];
#pragma unroll
        for (unsigned i = i0; i < i0 + U && i < I; i++) {
            const unsigned heads = digit_heads(digit(i)), above = heads >> lane >> 1;
            head[i - i0] = 31 - __clz(static_cast<int>(heads << (31 - lane) >> (31 - lane)));
            before[i - i0] = 0;
            if (i != 0 && head[i - i0] == lane) {
                const int next =
                    above != 0 ? __ffs(static_cast<int>(above)) : 32 - static_cast<int>(lane);
                before[i - i0] = atomicAdd(&own[digit(i)], static_cast<unsigned>(next));
            }
        }
#pragma unroll
        for (unsigned i = i0 == 0 ? 1 : i0; i < i0 + U && i < I; i++) {
            const unsigned first = __shfl_sync(~0u, before[i - i0], head[i - i0]);
            const unsigned r = first + lane - head[i - i0];
            rank[i / 2] = i % 2 == 0 ? r : rank[i / 2] | r << 16;
        }
    }
}

/* The same where many items have one of two digits: theirs are ranked by votes. */
template <unsigned I, typename Digit>
__device__ __forceinline__ void rank_crowd(unsigned *own, Digit digit, unsigned found,
                                           unsigned (&rank)[(I + 1) / 2])
{
    unsigned common, next;
    const unsigned below = (1u << threadIdx.x % 32) - 1;
    commonest_digits(digit(0), common, next);
    __syncwarp();
    unsigned ones = own[common], twos = own[next];
    const unsigned ones_before = ones, twos_before = twos;
    __syncwarp();
    constexpr unsigned U = 6; /* additions on their way before the first is waited for */
    rank[0] = found;
#pragma unroll
    for (unsigned i0 = 0; i0 < I; i0 += U) {
        unsigned before[U];
#pragma unroll
        for (unsigned i = i0; i < i0 + U && i < I; i++) {
            before[i - i0] = 0;
            if (i != 0 && digit(i) != common && digit(i) != next) {
                before[i - i0] = atomicAdd(&own[digit(i)], 1u);
            }
        }
#pragma unroll
        for (unsigned i = i0 == 0 ? 1 : i0; i < i0 + U && i < I; i++) {
            const unsigned at_common = __ballot_sync(~0u, digit(i) == common);
            const unsigned at_next = __ballot_sync(~0u, digit(i) == next);
            const unsigned by_one = ones + __popc(at_common & below);
            const unsigned by_two = twos + __popc(at_next & below);
            const unsigned r = digit(i) == common ? by_one
                               : digit(i) == next ? by_two
                                                  : before[i - i0];
            ones += __popc(at_common);
            twos += __popc(at_next);
            rank[i / 2] = i % 2 == 0 ? r : rank[i / 2] | r << 16;
        }
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&own[common], ones - ones_before);
        atomicAdd(&own[next], twos - twos_before);
    }
}

/* Turns the warps' counts into where each warp's keys of a digit begin in the tile, and digit_start
 * likewise over all warps (257 entries). Two digits a thread, 128 threads; all threads call. */
template <unsigned warps, typename Publish>
__device__ __forceinline__ void start_digits(unsigned *counters, uint16_t *digit_start,
                                             unsigned *warp_sums, Publish publish)
{
    unsigned t = threadIdx.x, before[warps], total = 0, sum = 0;
    if (t < 128) {
#pragma unroll
        for (unsigned w = 0; w < warps; w++) {
            before[w] = total;
            total += counters[w * 128 + t];
        }
        publish(2 * t, total & 0xffff);
        publish(2 * t + 1, total >> 16);
        sum = (total & 0xffff) + (total >> 16);
        for (unsigned by = 1; by < 32; by *= 2) {
            unsigned other = __shfl_up_sync(~0u, sum, by);
            sum += (t & 31) >= by ? other : 0;
        }
        if ((t & 31) == 31) {
            warp_sums[t / 32] = sum;
        }
    }
    __syncthreads();
    if (t < 128) {
        for (unsigned w = 0; w < t / 32; w++) {
            sum += warp_sums[w];
        }
        unsigned even = sum - (total & 0xffff) - (total >> 16), odd = sum - (total >> 16);
        digit_start[2 * t] = static_cast<uint16_t>(even);
        digit_start[2 * t + 1] = static_cast<uint16_t>(odd);
        if (t == 127) {
            digit_start[256] = static_cast<uint16_t>(sum);
        }
#pragma unroll
        for (unsigned w = 0; w < warps; w++) {
            counters[w * 128 + t] = before[w] + (even | odd << 16);
        }
    }
    __syncthreads();
}

#endif
