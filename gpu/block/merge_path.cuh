/* merge_path.cuh - finds where any piece of a merge's output comes from, so that lanes can make
 * pieces on their own. Of equal keys those of the first list come first.
 *
 * Source   S. Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk, Merge path, IPDPS workshops 2012. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BLOCK_MERGE_PATH_CUH
#define USW_GPU_BLOCK_MERGE_PATH_CUH

#include "gpu/gpu.cuh"

/* How many of the `rank` least of both sorted lists are in a. I holds na + nb. */
template <typename E, typename I>
__device__ __forceinline__ I usw_merge_path(const E *a, I na, const E *b, I nb, I rank)
{
    I least = rank > nb ? rank - nb : 0, most = rank < na ? rank : na;
    while (least < most) {
        const I middle = least + (most - least) / 2;
        if (b[rank - 1 - middle] < a[middle]) {
            most = middle;
        } else {
            least = middle + 1;
        }
    }
    return least;
}

/* Finds the same by a warp, 32 places at a time. first(i, j): whether a[i] comes before b[j], as it
 * does if they are equal. */
template <typename I, typename First>
__device__ __forceinline__ I usw_merge_path_wide(I na, I nb, I rank, First first)
{
    I low = rank > nb ? rank - nb : 0, high = rank < na ? rank : na;
    while (low < high) {
        const I step = (high - low + 31) / 32, at = low + threadIdx.x % 32 * step;
        const bool left = at < high && first(at, rank - 1 - at);
        /* Lists that are not sorted may answer by turns: the first no counts. */
        const unsigned no = ~__ballot_sync(~0u, left);
        const unsigned lefts =
            no == 0 ? 32 : static_cast<unsigned>(__ffs(static_cast<int>(no))) - 1;
        if (lefts == 0) {
            break;
        }
        const I end = low + lefts * step;
        low += (lefts - 1) * step + 1;
        high = end < high ? end : high;
    }
    return low;
}

/* out[k] = the element of rank first + k of both lists; beyond their end it is left as it was. */
template <unsigned count, typename E>
__device__ __forceinline__ void usw_merge_some(const E *a, unsigned na, const E *b, unsigned nb,
                                               unsigned first, E *out)
{
    if (first >= na + nb) {
        return;
    }
    unsigned i = usw_merge_path(a, na, b, nb, first), j = first - i;
#pragma unroll
    for (unsigned k = 0; k < count; k++) {
        const bool take_a = i < na && (j >= nb || !(b[j] < a[i]));
        if (take_a || j < nb) {
            out[k] = take_a ? a[i] : b[j];
        }
        i += take_a;
        j += !take_a;
    }
}

#endif
