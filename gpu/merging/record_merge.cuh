/* record_merge.cuh - the stable merge sort of records by long keys.
 *
 * Items of the first 8 bytes of the normalised key and the position are sorted tile by tile, in
 * shared memory, then merged (merge.cuh); where 8 bytes are equal the records themselves are
 * compared (records.cuh). Then the records move, once. Shape: 256 threads, 7 items each, 28 KB of
 * shared memory. Traffic: 32 bytes an item and level, twice the records at the end, and the records
 * whose first 8 bytes are equal. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_MERGING_RECORD_MERGE_CUH
#define USW_GPU_MERGING_RECORD_MERGE_CUH

#include "gpu/merging/merge.cuh"
#include "gpu/merging/records.cuh"

extern "C" const usw_gpu_move_step usw_moves_cuda;

namespace
{

constexpr unsigned RECORD_ITEMS = USW_MERGE_ITEMS<usw_record_order>;
constexpr unsigned RECORD_TILE = USW_MERGE_TILE<usw_record_order>;

/* Sorts buffer[0 .. count): every thread sorts its own items, then runs are merged two by two. */
__device__ __forceinline__ void sort_tile(const usw_record_order &order, usw_record_item *buffer,
                                          unsigned count)
{
    usw_record_item mine[RECORD_ITEMS];
    const unsigned begin = threadIdx.x * RECORD_ITEMS;
#pragma unroll
    for (unsigned i = 0; i < RECORD_ITEMS; i++) {
        mine[i] = begin + i < count ? buffer[begin + i] : usw_record_item{~0ull, ~0ull};
    }
#pragma unroll 1
    for (unsigned round = 0; round < RECORD_ITEMS; round++) {
#pragma unroll
        for (unsigned i = 0; i + 1 < RECORD_ITEMS; i++) {
            const bool turn = i % 2 == round % 2 && begin + i + 1 < count;
            if (turn && order.before(mine[i + 1], mine[i])) {
                const usw_record_item x = mine[i];
                mine[i] = mine[i + 1];
                mine[i + 1] = x;
            }
        }
    }
#pragma unroll 1
    for (unsigned run = RECORD_ITEMS;; run *= 2) {
        __syncthreads();
#pragma unroll
        for (unsigned i = 0; i < RECORD_ITEMS; i++) {
            if (begin + i < count) {
                buffer[begin + i] = mine[i];
            }
        }
        __syncthreads();
        if (run >= RECORD_TILE) {
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
            usw_merge_serial<usw_record_order, RECORD_ITEMS>(
                order, buffer, from + a, from + na, from + na + here - a, from + na + nb, mine);
        }
    }
}

__global__ void __launch_bounds__(USW_MERGE_THREADS)
    sort_tiles(usw_record_order order, usw_key_plan plan, uint64_t n, usw_record_item *items)
{
    USW_SHARED_ARRAY(usw_record_item, buffer, [RECORD_TILE + 1]);
    const uint64_t first = blockIdx.x * uint64_t(RECORD_TILE);
    const unsigned count = static_cast<unsigned>(n - first < RECORD_TILE ? n - first : RECORD_TILE);
    for (unsigned i = threadIdx.x; i < count; i += USW_MERGE_THREADS) {
        const unsigned char *record = order.records + (first + i) * order.record_bytes;
        buffer[i] = {usw_record_chunk(plan, record), first + i};
    }
    __syncthreads();
    sort_tile(order, buffer, count);
    for (unsigned i = threadIdx.x; i < count; i += USW_MERGE_THREADS) {
        items[first + i] = buffer[i];
    }
}

__global__ void __launch_bounds__(USW_MERGE_THREADS)
    take_positions(const usw_record_item *items, uint64_t n, uint64_t *positions)
{
    for (uint64_t i = blockIdx.x * uint64_t(USW_MERGE_THREADS) + threadIdx.x; i < n;
         i += uint64_t(gridDim.x) * USW_MERGE_THREADS) {
        positions[i] = items[i].position;
    }
}

struct merge_scratch {
    usw_record_item *items, *other;
    unsigned char *copy;
    usw_merge_cuts cuts;
    uint64_t merges_max;
    usw_record_field *rest; /* device */
};

upsweep_status take_merge_scratch(usw_gpu *g, size_t n, const usw_record_keys &keys,
                                  merge_scratch *s)
{
    const size_t items = n * sizeof(usw_record_item);
    s->merges_max = n / RECORD_TILE + 1;
    s->items = static_cast<usw_record_item *>(usw_gpu_scratch(g, items));
    s->other = static_cast<usw_record_item *>(usw_gpu_scratch(g, items));
    s->copy = static_cast<unsigned char *>(usw_gpu_scratch(g, n * keys.record_bytes));
    s->cuts.cuts =
        static_cast<uint64_t *>(usw_gpu_scratch(g, (2 * s->merges_max + 2) * sizeof(uint64_t)));
    s->cuts.bad = static_cast<unsigned *>(usw_gpu_scratch(g, s->merges_max * sizeof(unsigned)));
    s->rest = static_cast<usw_record_field *>(
        usw_gpu_scratch(g, keys.field_count * sizeof(usw_record_field)));
    return s->items == nullptr || s->other == nullptr || s->copy == nullptr ||
                   s->cuts.cuts == nullptr || s->cuts.bad == nullptr || s->rest == nullptr
               ? UPSWEEP_ERROR_MEMORY
               : UPSWEEP_OK;
}

/* Leaves the sorted items in s->items. */
upsweep_status merge_items(usw_gpu *g, size_t n, const usw_record_order &order, merge_scratch *s)
{
    upsweep_status status = usw_gpu_fill(g, s->cuts.bad, 0, s->merges_max * sizeof(unsigned));
    for (uint64_t run = RECORD_TILE; run < n && status == UPSWEEP_OK; run *= 2) {
        const usw_merge_uniform<usw_record_order> level = {s->items, s->other, n, run,
                                                           2 * run / RECORD_TILE};
        status = usw_merge_level(g, order, level, usw_div_up(n, RECORD_TILE),
                                 usw_div_up(n, 2 * run), s->cuts);
        usw_record_item *swap = s->items;
        s->items = s->other;
        s->other = swap;
    }
    return status;
}

upsweep_status sort_by_merging(usw_gpu *g, void *records, size_t n, const usw_record_keys &keys)
{
    merge_scratch s = {};
    upsweep_status status = take_merge_scratch(g, n, keys, &s);
    if (status != UPSWEEP_OK) {
        return status;
    }
    size_t first = 0; /* of the fields that reach beyond the first chunk */
    while (keys.fields[first].at + keys.fields[first].bytes <= USW_CHUNK_BYTES) {
        first++;
    }
    const size_t rest = keys.field_count - first;
    const usw_record_order order = {static_cast<const unsigned char *>(records), keys.record_bytes,
                                    s.rest, static_cast<unsigned>(rest)};
    status = usw_table_send(g, s.rest, keys.fields + first, rest * sizeof(usw_record_field));
    if (status == UPSWEEP_OK) {
        status = USW_LAUNCH(g, sort_tiles, static_cast<unsigned>(usw_div_up(n, RECORD_TILE)),
                            USW_MERGE_THREADS, 0, order, usw_plan_chunk(&keys, 0), n, s.items);
    }
    if (status == UPSWEEP_OK) {
        status = merge_items(g, n, order, &s);
    }
    uint64_t *positions = reinterpret_cast<uint64_t *>(s.other);
    if (status == UPSWEEP_OK) {
        status =
            USW_LAUNCH(g, take_positions, 8 * g->sms, USW_MERGE_THREADS, 0, s.items, n, positions);
    }
    if (status == UPSWEEP_OK) {
        status = usw_moves_cuda.gather(g, records, n, positions, 64, s.copy, n, keys.record_bytes);
    }
    return status == UPSWEEP_OK ? usw_gpu_copy(g, records, s.copy, n * keys.record_bytes) : status;
}

} // namespace

#endif
