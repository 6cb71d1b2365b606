/* reduce_float_tile.cuh - a warp, or a block, adds up one tile of floats in the order of
 * core/order.h.
 *
 * A tile has 128 lanes, four of them to a thread of a warp; a lane adds its elements one after the
 * other, row by row, and at the end lanes are added at halving distance. Rows are loaded in
 * batches; while a batch is on its way, other warps add. Where there are few tiles a block has one,
 * and each thread is a lane, so that the conversions to f64 take a quarter of the time. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_FOLDS_REDUCE_FLOAT_TILE_CUH
#define USW_GPU_FOLDS_REDUCE_FLOAT_TILE_CUH

#include "gpu/folds/elements.cuh"

enum : unsigned {
    USW_REDUCE_TILE = 4096,
    USW_REDUCE_LANES = 128,
    USW_REDUCE_ROWS = USW_REDUCE_TILE / USW_REDUCE_LANES,
};

/* Which of the tile's lanes are thread t's: four neighbours, or two pairs of f64. */
template <typename R> __device__ __forceinline__ unsigned usw_reduce_lane(unsigned t, unsigned slot)
{
    return sizeof(R) == 8 ? slot / 2 * 64 + 2 * t + slot % 2 : 4 * t + slot;
}

/* The four lanes of a whole row, from memory aligned to 16 bytes. */
template <typename R> __device__ __forceinline__ void usw_reduce_row(const R *row, R (&x)[4])
{
    const unsigned t = threadIdx.x % 32;
    union {
        uint4 q[2];
        uint2 d;
        R v[32 / sizeof(R)];
    } u;
    if constexpr (sizeof(R) == 8) {
        u.q[0] = __ldcs(reinterpret_cast<const uint4 *>(row) + t);
        u.q[1] = __ldcs(reinterpret_cast<const uint4 *>(row) + 32 + t);
    } else if constexpr (sizeof(R) == 4) {
        u.q[0] = __ldcs(reinterpret_cast<const uint4 *>(row) + t);
    } else {
        u.d = __ldcs(reinterpret_cast<const uint2 *>(row) + t);
    }
#pragma unroll
    for (unsigned s = 0; s < 4; s++) {
        x[s] = u.v[s];
    }
}

/* Adds rows to a thread's lanes, one row after the other. */
template <typename E, typename R, unsigned rows>
__device__ __forceinline__ void usw_lanes_add(const E &e, const R (&x)[rows][4], double (&lane)[4])
{
#pragma unroll
    for (unsigned r = 0; r < rows; r++) {
#pragma unroll
        for (unsigned s = 0; s < 4; s++) {
            lane[s] = e.join(lane[s], e.widen(x[r][s]));
        }
    }
}

/* The lanes of a whole tile in memory aligned to 16 bytes. vectors: loads that a thread has on
 * their way at once. */
template <unsigned vectors, typename E, typename R>
__device__ __forceinline__ void usw_lanes_of_tile(const E &e, const R *tile, double (&lane)[4])
{
    constexpr unsigned rows = sizeof(R) == 8 ? vectors / 2 : vectors;
    static_assert(USW_REDUCE_ROWS % rows == 0, "a tile is whole batches");
#pragma unroll 1
    for (unsigned first = 0; first < USW_REDUCE_ROWS; first += rows) {
        R x[rows][4];
#pragma unroll
        for (unsigned r = 0; r < rows; r++) {
            usw_reduce_row(tile + (first + r) * USW_REDUCE_LANES, x[r]);
        }
        usw_lanes_add(e, x, lane);
    }
}

/* The lanes of a tile that is not full or not aligned; missing elements are neutral ones. */
template <typename E, typename R>
__device__ __forceinline__ void usw_lanes_of_range(const E &e, const R *tile, unsigned count,
                                                   double (&lane)[4])
{
    constexpr unsigned rows = 8;
#pragma unroll 1
    for (unsigned first = 0; first < USW_REDUCE_ROWS; first += rows) {
        R x[rows][4];
#pragma unroll
        for (unsigned r = 0; r < rows; r++) {
#pragma unroll
            for (unsigned s = 0; s < 4; s++) {
                const unsigned i =
                    (first + r) * USW_REDUCE_LANES + usw_reduce_lane<R>(threadIdx.x % 32, s);
                x[r][s] = i < count ? tile[i] : e.neutral_raw();
            }
        }
        usw_lanes_add(e, x, lane);
    }
}

/* The tile's sum, to all threads of the warp: lanes are added at distance 64, 32 .. 1. A thread
 * that has several lanes keeps half of them and gives the others to its partner. */
template <typename R, typename E>
__device__ __forceinline__ double usw_lanes_combine(const E &e, const double (&lane)[4])
{
    const bool high = (threadIdx.x & 16) != 0, odd = (threadIdx.x & 8) != 0;
    auto add_lanes = [&](double kept, double given, unsigned distance) {
        return e.join(kept, __shfl_xor_sync(~0u, given, static_cast<int>(distance)));
    };
    if constexpr (sizeof(R) == 8) {
        const double a = e.join(lane[0], lane[2]), b = e.join(lane[1], lane[3]);
        double v = add_lanes(high ? b : a, high ? a : b, 16);
        for (unsigned distance = 8; distance > 0; distance /= 2) {
            v = add_lanes(v, v, distance);
        }
        return add_lanes(v, v, 16);
    } else {
        const double a = add_lanes(high ? lane[2] : lane[0], high ? lane[0] : lane[2], 16);
        const double b = add_lanes(high ? lane[3] : lane[1], high ? lane[1] : lane[3], 16);
        double v = add_lanes(odd ? b : a, odd ? a : b, 8);
        for (unsigned distance = 4; distance > 0; distance /= 2) {
            v = add_lanes(v, v, distance);
        }
        v = add_lanes(v, v, 16);
        return add_lanes(v, v, 8);
    }
}

/* A constant that the compiler does not know. */
template <typename R> __device__ __forceinline__ R usw_reduce_hidden(R x)
{
#ifndef USW_EMULATE
    unsigned long long wide = x;
    asm volatile("" : "+l"(wide));
    x = static_cast<R>(wide);
#endif
    return x;
}

/* A thread's lane of a tile, all of it on its way at once. A GPU has predicates for seven elements
 * that may be missing. The value of a missing element is a register (usw_reduce_hidden), since for
 * a constant the compiler would leave out the addition and keep the predicate until then. */
template <bool whole, typename E, typename R>
__device__ __forceinline__ double usw_lane_of_block(const E &e, const R *tile, unsigned count)
{
    constexpr unsigned rows = USW_REDUCE_ROWS, lanes = USW_REDUCE_LANES;
    const R none = whole ? R(0) : usw_reduce_hidden<R>(e.neutral_raw());
    R x[rows];
    double lane = e.neutral();
#pragma unroll
    for (unsigned r = 0; r < rows; r++) {
        x[r] = none;
        if (whole || r * lanes + threadIdx.x < count) {
            x[r] = __ldcs(tile + threadIdx.x + r * lanes);
        }
    }
#pragma unroll
    for (unsigned r = 0; r < rows; r++) {
        if (whole || r * lanes < count) {
            lane = e.join(lane, e.widen(x[r]));
        }
    }
    return lane;
}

/* A whole block, one thread a lane: the sum of a tile that may not be full, to thread 0. */
template <typename E, typename R>
__device__ __forceinline__ double usw_lanes_of_block(const E &e, const R *tile, unsigned count)
{
    USW_SHARED_ARRAY(double, said, [USW_REDUCE_LANES]);
    double lane = count == USW_REDUCE_TILE ? usw_lane_of_block<true>(e, tile, count)
                                           : usw_lane_of_block<false>(e, tile, count);
    said[threadIdx.x] = lane;
    __syncthreads();
    if (threadIdx.x < 32) {
        const double *mine = said + threadIdx.x;
        lane = e.join(e.join(mine[0], mine[64]), e.join(mine[32], mine[96]));
        for (unsigned distance = 16; distance > 0; distance /= 2) {
            lane = e.join(lane, __shfl_xor_sync(~0u, lane, static_cast<int>(distance)));
        }
    }
    return lane;
}

#endif
