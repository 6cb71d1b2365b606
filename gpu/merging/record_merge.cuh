/* record_merge.cuh - the stable merge sort of records by long keys.
 *
 * Items of the first 8 bytes of the normalised key and the position are sorted (item_merge.cuh);
 * where 8 bytes are equal the records themselves are compared (records.cuh). Then the records move,
 * once. Traffic beside the items': twice the records at the end, and the records whose first 8
 * bytes are equal. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_MERGING_RECORD_MERGE_CUH
#define USW_GPU_MERGING_RECORD_MERGE_CUH

#include "gpu/merging/item_merge.cuh"
#include "gpu/merging/records.cuh"

extern "C" const usw_gpu_move_step usw_moves_cuda;

namespace
{

/* The first 8 bytes of a record's key. */
struct record_chunks {
    usw_key_plan plan;
    const unsigned char *records;
    size_t record_bytes;

    __device__ __forceinline__ uint64_t chunk(uint64_t i) const
    {
        return usw_record_chunk(plan, records + i * record_bytes);
    }
};

__global__ void __launch_bounds__(USW_MERGE_THREADS)
    take_positions(const usw_merge_item *items, uint64_t n, uint64_t *positions)
{
    for (uint64_t i = blockIdx.x * uint64_t(USW_MERGE_THREADS) + threadIdx.x; i < n;
         i += uint64_t(gridDim.x) * USW_MERGE_THREADS) {
        positions[i] = items[i].position;
    }
}

upsweep_status sort_by_merging(usw_gpu *g, void *records, size_t n, const usw_record_keys &keys)
{
    const unsigned char *const from = static_cast<const unsigned char *>(records);
    usw_item_scratch s = {};
    unsigned char *const copy =
        static_cast<unsigned char *>(usw_gpu_scratch(g, n * keys.record_bytes));
    usw_record_field *const fields =
        static_cast<usw_record_field *>(/* device */
                                        usw_gpu_scratch(g, keys.field_count *
                                                               sizeof(usw_record_field)));
    if (copy == nullptr || fields == nullptr || !usw_item_scratch_take(g, n, &s)) {
        return UPSWEEP_ERROR_MEMORY;
    }
    size_t first = 0; /* of the fields that reach beyond the first chunk */
    while (keys.fields[first].at + keys.fields[first].bytes <= USW_CHUNK_BYTES) {
        first++;
    }
    const size_t rest = keys.field_count - first;
    const usw_record_order order = {from, keys.record_bytes, fields, static_cast<unsigned>(rest)};
    const record_chunks chunks = {usw_plan_chunk(&keys, 0), from, keys.record_bytes};
    upsweep_status status =
        usw_table_send(g, fields, keys.fields + first, rest * sizeof(usw_record_field));
    if (status == UPSWEEP_OK) {
        status = usw_sort_items(g, n, order, chunks, &s);
    }
    uint64_t *positions = reinterpret_cast<uint64_t *>(s.other);
    if (status == UPSWEEP_OK) {
        status =
            USW_LAUNCH(g, take_positions, 8 * g->sms, USW_MERGE_THREADS, 0, s.items, n, positions);
    }
    if (status == UPSWEEP_OK) {
        status = usw_moves_cuda.gather(g, records, n, positions, 64, copy, n, keys.record_bytes);
    }
    return status == UPSWEEP_OK ? usw_gpu_copy(g, records, copy, n * keys.record_bytes) : status;
}

} // namespace

#endif
