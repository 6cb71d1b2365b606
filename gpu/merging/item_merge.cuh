/* item_merge.cuh - the stable merge sort of items: a number by which most are told apart, and the
 * position of what it stands for, which is looked at where two numbers are equal.
 *
 * Items are sorted tile by tile, in shared memory, then merged (merge.cuh). Shape: 256 threads, 7
 * items each, 28 KB of shared memory. Traffic: 32 bytes an item and level, and what is compared
 * beyond the numbers. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_MERGING_ITEM_MERGE_CUH
#define USW_GPU_MERGING_ITEM_MERGE_CUH

#include "gpu/merging/merge.cuh"

struct alignas(16) usw_merge_item {
    uint64_t chunk, position;
};

enum : unsigned {
    USW_ITEM_EACH = USW_MERGE_ITEMS_OF(sizeof(usw_merge_item)), /* of a thread */
    USW_ITEM_TILE = USW_ITEM_EACH * USW_MERGE_THREADS
};

/* Sorts buffer[0 .. count), of up to `each` items a thread and one more: every thread sorts its own
 * items, then runs are merged two by two. */
template <unsigned each, typename O>
__device__ __forceinline__ void usw_sort_item_tile(const O &order, usw_merge_item *buffer,
                                                   unsigned count)
{
    usw_merge_item mine[each];
    const unsigned begin = threadIdx.x * each;
#pragma unroll
    for (unsigned i = 0; i < each; i++) {
        mine[i] = begin + i < count ? buffer[begin + i] : usw_merge_item{~0ull, ~0ull};
    }
#pragma unroll 1
    for (unsigned round = 0; round < each; round++) {
#pragma unroll
        for (unsigned i = 0; i + 1 < each; i++) {
            const bool turn = i % 2 == round % 2 && begin + i + 1 < count;
            if (turn && order.before(mine[i + 1], mine[i])) {
                const usw_merge_item x = mine[i];
                mine[i] = mine[i + 1];
                mine[i + 1] = x;
            }
        }
    }
#pragma unroll 1
    for (unsigned run = each;; run *= 2) {
        __syncthreads();
#pragma unroll
        for (unsigned i = 0; i < each; i++) {
            if (begin + i < count) {
                buffer[begin + i] = mine[i];
            }
        }
        __syncthreads();
        if (run >= each * USW_MERGE_THREADS) {
            break;
        }
        const unsigned from = begin / (2 * run) * (2 * run), rank = begin - from;
        const unsigned left = from < count ? count - from : 0;
        const unsigned na = left < run ? left : run, nb = left - na < run ? left - na : run;
        const unsigned here = rank < na + nb ? rank : na + nb;
        const unsigned a = usw_merge_rank(
            order, na, nb, here, [&](unsigned i) { return buffer[from + i]; },
            [&](unsigned i) { return buffer[from + na + i]; });
        if (begin < count) {
            usw_merge_serial<O, each>(order, buffer, from + a, from + na, from + na + here - a,
                                      from + na + nb, mine);
        }
    }
}

/* source.chunk(i): the number of what stands at position i. */
template <typename O, typename S>
__global__ void __launch_bounds__(USW_MERGE_THREADS)
    usw_sort_item_tiles(const __grid_constant__ O order, const __grid_constant__ S source,
                        uint64_t n, usw_merge_item *items)
{
    USW_SHARED_ARRAY(usw_merge_item, buffer, [USW_ITEM_TILE + 1]);
    const uint64_t first = blockIdx.x * uint64_t(USW_ITEM_TILE);
    const unsigned count =
        static_cast<unsigned>(n - first < USW_ITEM_TILE ? n - first : +USW_ITEM_TILE);
    for (unsigned i = threadIdx.x; i < count; i += USW_MERGE_THREADS) {
        buffer[i] = {source.chunk(first + i), first + i};
    }
    __syncthreads();
    usw_sort_item_tile<USW_ITEM_EACH>(order, buffer, count);
    for (unsigned i = threadIdx.x; i < count; i += USW_MERGE_THREADS) {
        items[first + i] = buffer[i];
    }
}

/* Scratch of a sort of n items; 32 n bytes and some. */
struct usw_item_scratch {
    usw_merge_item *items, *other; /* items: the outcome */
    usw_merge_cuts cuts;
    uint64_t merges_max;
};

/* False: a failure is noted. */
static inline bool usw_item_scratch_take(usw_gpu *g, size_t n, usw_item_scratch *s)
{
    const size_t items = n * sizeof(usw_merge_item);
    s->merges_max = n / USW_ITEM_TILE + 1;
    s->items = static_cast<usw_merge_item *>(usw_gpu_scratch(g, items));
    s->other = static_cast<usw_merge_item *>(usw_gpu_scratch(g, items));
    s->cuts.cuts =
        static_cast<uint64_t *>(usw_gpu_scratch(g, (2 * s->merges_max + 2) * sizeof(uint64_t)));
    s->cuts.bad = static_cast<unsigned *>(usw_gpu_scratch(g, s->merges_max * sizeof(unsigned)));
    return s->items != nullptr && s->other != nullptr && s->cuts.cuts != nullptr &&
           s->cuts.bad != nullptr;
}

/* Queues the sort of items for positions 0 .. n - 1, whose outcome is s->items then. */
template <typename O, typename S>
static inline upsweep_status usw_sort_items(usw_gpu *g, size_t n, const O &order, const S &source,
                                            usw_item_scratch *s)
{
    const uint64_t tiles = (n + USW_ITEM_TILE - 1) / USW_ITEM_TILE;
    upsweep_status status = USW_LAUNCH(g, (usw_sort_item_tiles<O, S>), static_cast<unsigned>(tiles),
                                       USW_MERGE_THREADS, 0, order, source, n, s->items);
    if (status == UPSWEEP_OK) {
        status = usw_gpu_fill(g, s->cuts.bad, 0, s->merges_max * sizeof(unsigned));
    }
    for (uint64_t run = USW_ITEM_TILE; run < n && status == UPSWEEP_OK; run *= 2) {
        const usw_merge_uniform<O> level = {s->items, s->other, n, run, 2 * run / USW_ITEM_TILE};
        status = usw_merge_level(g, order, level, tiles, (n + 2 * run - 1) / (2 * run), s->cuts);
        usw_merge_item *const swap = s->items;
        s->items = s->other;
        s->other = swap;
    }
    return status;
}

#endif
