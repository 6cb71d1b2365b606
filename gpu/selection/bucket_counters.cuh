/* bucket_counters.cuh - counters of keys by bucket, in shared memory or beyond it.
 *
 * The number of buckets decides how counts are kept, so that one bucket with most keys costs no
 * more than many even ones:
 *   COPIES    several tables of 32-bit counters in shared memory, interleaved: lane l of a warp
 *             counts in copy l mod copies. With 32 copies no two lanes ever meet in a bank,
 *             whatever the keys are.
 *   HALVES    one table of 16-bit counters, two in a word; the thread that makes a counter reach
 *             2^15 moves these to the counts in memory. The caller has a barrier at least every
 *             2^14 keys, which keeps the counters below 2^16.
 *   MEMORY    counts in memory; buckets seen early, so the hottest ones, are counted in a cache in
 *             shared memory instead.
 * With few copies, lanes whose keys have the bucket of the first lane's key count as one. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_SELECTION_BUCKET_COUNTERS_CUH
#define USW_GPU_SELECTION_BUCKET_COUNTERS_CUH

#include "gpu/gpu.cuh"

#ifndef USW_COUNTERS_BYTES
#define USW_COUNTERS_BYTES (64 * 1024)
#endif
constexpr struct {
    unsigned copies_max_log2, together_below_log2, cache_log2;
    size_t table_bytes; /* of all copies; a single copy may take all of the shared memory */
} usw_counters_tuning = {5, 3, 13, USW_COUNTERS_BYTES};

enum usw_counters_mode { USW_COPIES, USW_HALVES, USW_MEMORY };

struct usw_counters_shape {
    usw_counters_mode mode;
    unsigned copies_log2;
    uint32_t count;
    size_t bytes;
};

const uint32_t USW_NO_BUCKET = 0xffffffffu;

/* Whole warps call these functions, and whole blocks clear() and flush*(). */

template <usw_counters_mode mode> struct usw_counters {
    uint32_t *words;
    unsigned copies_log2;
    uint32_t count;
    unsigned long long *counts;

    __device__ __forceinline__ uint32_t size() const
    {
        return mode == USW_COPIES   ? count << copies_log2
               : mode == USW_HALVES ? (count + 1) / 2
                                    : 2u << usw_counters_tuning.cache_log2;
    }
    __device__ __forceinline__ void clear()
    {
        for (uint32_t i = threadIdx.x; i < size(); i += blockDim.x) {
            words[i] = mode == USW_MEMORY && i < size() / 2 ? USW_NO_BUCKET : 0;
        }
    }
    /* `times` keys of bucket id < count. */
    __device__ __forceinline__ void add(uint32_t id, unsigned times)
    {
        if constexpr (mode == USW_COPIES) {
            atomicAdd(&words[(id << copies_log2) + (threadIdx.x & ((1u << copies_log2) - 1))],
                      times);
        } else if constexpr (mode == USW_HALVES) {
            const unsigned up = id % 2 * 16;
            const unsigned old = atomicAdd(&words[id / 2], times << up) >> up & 0xffff;
            if (old < 0x8000 && old + times >= 0x8000) {
                atomicSub(&words[id / 2], 0x8000u << up);
                atomicAdd(&counts[id], 0x8000ull);
            }
        } else {
            const unsigned slot = id * 0x9e3779b1u >> (32 - usw_counters_tuning.cache_log2);
            uint32_t owner = words[slot];
            if (owner == USW_NO_BUCKET) {
                owner = atomicCAS(&words[slot], USW_NO_BUCKET, id);
            }
            if (owner == USW_NO_BUCKET || owner == id) {
                atomicAdd(&words[(1u << usw_counters_tuning.cache_log2) + slot], times);
            } else {
                atomicAdd(&counts[id], static_cast<unsigned long long>(times));
            }
        }
    }
    __device__ __forceinline__ void flush_copies()
    {
        for (uint32_t id = threadIdx.x; id < count; id += blockDim.x) {
            unsigned long long sum = 0;
            for (unsigned c = 0; c < 1u << copies_log2; c++) {
                sum += words[(id << copies_log2) + ((c + threadIdx.x) & ((1u << copies_log2) - 1))];
            }
            if (sum != 0) {
                atomicAdd(&counts[id], sum);
            }
        }
    }
    __device__ __forceinline__ void flush()
    {
        if constexpr (mode == USW_COPIES) {
            flush_copies();
        } else if constexpr (mode == USW_HALVES) {
            for (uint32_t id = threadIdx.x; id < count; id += blockDim.x) {
                const unsigned here = words[id / 2] >> id % 2 * 16 & 0xffff;
                if (here != 0) {
                    atomicAdd(&counts[id], static_cast<unsigned long long>(here));
                }
            }
        } else {
            for (uint32_t i = threadIdx.x; i < size() / 2; i += blockDim.x) {
                if (words[i] != USW_NO_BUCKET) {
                    atomicAdd(&counts[words[i]],
                              static_cast<unsigned long long>(words[size() / 2 + i]));
                }
            }
        }
    }
    /* Whether lanes with the bucket of the first lane count as one. */
    __device__ __forceinline__ bool together() const
    {
        return copies_log2 < usw_counters_tuning.together_below_log2;
    }
    /* Counts one key of each lane that has one; all lanes of the warp call. */
    __device__ __forceinline__ void add_warp(uint32_t id, bool there)
    {
        const unsigned lanes = __ballot_sync(~0u, there);
        if (lanes != 0) {
            const int first = __ffs(static_cast<int>(lanes)) - 1;
            const uint32_t wanted = __shfl_sync(~0u, id, first);
            const bool like = there && id == wanted;
            const unsigned alike = __ballot_sync(~0u, like);
            if (static_cast<int>(threadIdx.x % 32) == first) {
                add(id, __popc(alike));
            } else if (there && !like) {
                add(id, 1);
            }
        }
    }
};

/* Counts a vector's keys where B estimates buckets (gpu/selection/bucket_of_key.cuh): those whose
 * bucket is sure first, then the few others. */
template <typename B, typename C, unsigned per>
__device__ __forceinline__ void usw_count_estimated(const typename B::key_type (&key)[per],
                                                    const B &buckets, C &counters)
{
    uint32_t id[per];
    unsigned unsure = 0;
#pragma unroll
    for (unsigned e = 0; e < per; e++) {
        const bool sure = buckets.estimate(key[e], id[e]);
        if (sure && id[e] < counters.count) {
            counters.add(id[e], 1);
        }
        unsure |= sure ? 0 : 1u << e;
    }
#pragma unroll 1
    for (; unsure != 0; unsure &= unsure - 1) {
        typename B::key_type raw = key[0];
        uint32_t found = id[0];
#pragma unroll
        for (unsigned e = per - 1; e > 0; e--) { /* the first key that is unsure */
            const bool here = (unsure & ((2u << e) - 1)) == 1u << e;
            raw = here ? key[e] : raw;
            found = here ? id[e] : found;
        }
        found = buckets.settle(raw, found);
        if (found < counters.count) {
            counters.add(found, 1);
        }
    }
}

static inline usw_counters_shape usw_counters_shape_for(const usw_gpu *g, uint32_t count,
                                                        size_t other_bytes)
{
    const size_t most = g->shared_bytes - other_bytes - 1024;
    if (count * sizeof(uint32_t) <= most) {
        unsigned copies = usw_counters_tuning.copies_max_log2;
        while (copies > 0 &&
               (count * sizeof(uint32_t) << copies) > usw_counters_tuning.table_bytes) {
            copies--;
        }
        return {USW_COPIES, copies, count, ((count * sizeof(uint32_t) << copies) + 15) / 16 * 16};
    }
    const size_t halves = (count + size_t(1)) / 2 * sizeof(uint32_t);
    if (halves <= most) {
        return {USW_HALVES, 0, count, (halves + 15) / 16 * 16};
    }
    return {USW_MEMORY, 0, count, (2u << usw_counters_tuning.cache_log2) * sizeof(uint32_t)};
}

#endif
