/* column_carries.cuh - the carry tree of core/order.h over the tiles' sums of many columns or rows,
 * whose sums a launch before has left in device memory; a launch a level. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_FOLDS_COLUMN_CARRIES_CUH
#define USW_GPU_FOLDS_COLUMN_CARRIES_CUH

#include "gpu/folds/elements.cuh"

enum : unsigned { USW_LEVEL_FANOUT = 64, USW_LEVELS = 6, USW_LEVEL_THREADS = 256 };

/* Sums and products of floats, as operators of columns: a column is reduced in the order of
 * core/order.h, and its result is rounded once. */
template <typename E> struct usw_ordered_sums {
    typedef typename E::Raw Raw;
    typedef double Value;
    E e;
    usw_sums results;

    __device__ __forceinline__ Value neutral() const
    {
        return e.neutral();
    }
    __device__ __forceinline__ Value of(Raw raw) const
    {
        return e.widen(raw);
    }
    __device__ __forceinline__ Value join(Value a, Value b) const
    {
        return e.join(a, b);
    }
    __device__ __forceinline__ void store(uint64_t column, Value v) const
    {
        results.store<typename E::Number>(column, v);
    }
};

/* Joins every 64 of `count` sums of each column, one after the other, to one of `above`, and the
 * others to rest. */
template <typename O>
__global__ void __launch_bounds__(USW_LEVEL_THREADS)
    usw_column_level(uint64_t columns, uint64_t count, const typename O::Value *sums,
                     typename O::Value *above, typename O::Value *rest, O o)
{
    const uint64_t groups = count / USW_LEVEL_FANOUT;
    const uint64_t step = uint64_t(gridDim.x) * USW_LEVEL_THREADS;
    for (uint64_t i = blockIdx.x * uint64_t(USW_LEVEL_THREADS) + threadIdx.x;
         i < (groups + 1) * columns; i += step) {
        const uint64_t group = i / columns, column = i - group * columns;
        const uint64_t end = group < groups ? (group + 1) * USW_LEVEL_FANOUT : count;
        typename O::Value v = o.neutral();
        for (uint64_t t = group * USW_LEVEL_FANOUT; t < end; t++) {
            v = o.join(v, sums[t * columns + column]);
        }
        if (group < groups) {
            above[group * columns + column] = v;
        } else {
            rest[column] = v;
        }
    }
}

/* Joins what the levels have left, the highest first, and stores the columns' results. */
template <typename O>
__global__ void __launch_bounds__(USW_LEVEL_THREADS)
    usw_column_result(uint64_t columns, unsigned levels, const typename O::Value *rest, O o)
{
    const uint64_t step = uint64_t(gridDim.x) * USW_LEVEL_THREADS;
    for (uint64_t c = blockIdx.x * uint64_t(USW_LEVEL_THREADS) + threadIdx.x; c < columns;
         c += step) {
        typename O::Value v = o.neutral();
        for (unsigned l = levels; l-- > 0;) {
            v = o.join(v, rest[l * columns + c]);
        }
        o.store(c, v);
    }
}

/* Scratch of the levels. sums[0], for the kernel before, has tile t of column c at
 * t * columns + c. */
template <typename V> struct usw_column_carries {
    uint64_t columns, tiles; /* tiles of a column */
    V *sums[USW_LEVELS + 1], *rest;
    unsigned count; /* levels */
};

/* False: a failure is noted. */
template <typename V>
bool usw_column_carries_take(usw_gpu *g, uint64_t columns, uint64_t tiles,
                             usw_column_carries<V> *to)
{
    *to = {columns, tiles, {}, nullptr, 0};
    for (uint64_t sums = tiles; sums > 0; sums /= USW_LEVEL_FANOUT) {
        V *level = static_cast<V *>(usw_gpu_scratch(g, sums * columns * sizeof(V)));
        if (level == nullptr) {
            return false;
        }
        to->sums[to->count++] = level;
    }
    to->rest = static_cast<V *>(usw_gpu_scratch(g, to->count * columns * sizeof(V)));
    return to->rest != nullptr;
}

/* Queues all levels. */
template <typename O>
upsweep_status usw_column_carries_join(usw_gpu *g, const usw_column_carries<typename O::Value> &s,
                                       const O &o)
{
    const uint64_t most = uint64_t(g->sms) * (2048 / USW_LEVEL_THREADS);
    const auto blocks = [&](uint64_t threads) {
        const uint64_t all = (threads + USW_LEVEL_THREADS - 1) / USW_LEVEL_THREADS;
        return static_cast<unsigned>(all < most ? all : most);
    };
    upsweep_status status = UPSWEEP_OK;
    uint64_t count = s.tiles;
    for (unsigned l = 0; l < s.count && status == UPSWEEP_OK; l++, count /= USW_LEVEL_FANOUT) {
        status =
            USW_LAUNCH(g, usw_column_level<O>, blocks((count / USW_LEVEL_FANOUT + 1) * s.columns),
                       +USW_LEVEL_THREADS, 0, s.columns, count, s.sums[l], s.sums[l + 1],
                       s.rest + l * s.columns, o);
    }
    return status != UPSWEEP_OK ? status
                                : USW_LAUNCH(g, usw_column_result<O>, blocks(s.columns),
                                             +USW_LEVEL_THREADS, 0, s.columns, s.count, s.rest, o);
}

#endif
