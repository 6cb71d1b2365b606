/* part_reduce_tile.cuh - a warp adds up one tile of floats in the order of core/order.h.
 *
 * A tile has 128 lanes, four of them to a thread; a lane adds its elements one after the other, row
 * by row, and at the end the lanes meet at halving distance. Rows come in batches: while one is
 * added up, the next is on its way. */
#ifndef USW_PART_REDUCE_TILE_CUH
#define USW_PART_REDUCE_TILE_CUH

#include "part_elements.cuh"

enum : unsigned {
    USW_REDUCE_TILE = 4096,
    USW_REDUCE_LANES = 128,
    USW_REDUCE_ROWS = USW_REDUCE_TILE / USW_REDUCE_LANES,
    USW_REDUCE_ROW_BYTES = 128, /* of a batch, that a thread holds */
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

/* Rows that a thread has on the way at once, twice: one half is added up while the other comes. */
template <typename R> struct usw_reduce_batch {
    static constexpr unsigned rows = USW_REDUCE_ROW_BYTES / (sizeof(R) == 8 ? 32 : 16),
                              count = USW_REDUCE_ROWS / rows;
    static_assert(count % 2 == 0, "a tile ends where it began, with the first half");
    R v[2][rows][4];

    __device__ __forceinline__ void load(unsigned half, const R *tile, unsigned b)
    {
#pragma unroll
        for (unsigned r = 0; r < rows; r++) {
            usw_reduce_row(tile + (b * rows + r) * USW_REDUCE_LANES, v[half][r]);
        }
    }
    template <typename E>
    __device__ __forceinline__ void add(unsigned half, const E &e, double (&lane)[4]) const
    {
#pragma unroll
        for (unsigned r = 0; r < rows; r++) {
#pragma unroll
            for (unsigned s = 0; s < 4; s++) {
                lane[s] = e.join(lane[s], e.widen(v[half][r][s]));
            }
        }
    }
};

/* The lanes of a whole tile, whose first batch is there or on its way; meanwhile(): what to load
 * next. */
template <typename E, typename R, typename F>
__device__ __forceinline__ void usw_lanes_of_tile(const E &e, usw_reduce_batch<R> &rows,
                                                  const R *tile, double (&lane)[4], F meanwhile)
{
#pragma unroll
    for (unsigned b = 0; b < usw_reduce_batch<R>::count; b++) {
        if (b + 1 < usw_reduce_batch<R>::count) {
            rows.load((b + 1) % 2, tile, b + 1);
        } else {
            meanwhile();
        }
        rows.add(b % 2, e, lane);
    }
}

/* The same for a tile that is not full or not aligned. */
template <typename E, typename R>
__device__ __forceinline__ void usw_lanes_of_part(const E &e, const R *x, unsigned count,
                                                  double (&lane)[4])
{
#pragma unroll 4
    for (unsigned row = 0; row < USW_REDUCE_ROWS; row++) {
#pragma unroll
        for (unsigned s = 0; s < 4; s++) {
            const unsigned i = row * USW_REDUCE_LANES + usw_reduce_lane<R>(threadIdx.x % 32, s);
            lane[s] = i < count ? e.join(lane[s], e.widen(x[i])) : lane[s];
        }
    }
}

/* The tile's sum, to lane 0: lanes meet at distance 64, 32 .. 1. */
template <typename R, typename E>
__device__ __forceinline__ double usw_lanes_meet(const E &e, double (&lane)[4])
{
    if constexpr (sizeof(R) == 8) {
        lane[0] = e.join(lane[0], lane[2]);
        lane[1] = e.join(lane[1], lane[3]);
#pragma unroll
        for (unsigned distance = 16; distance > 0; distance /= 2) {
            lane[0] = e.join(lane[0], __shfl_down_sync(~0u, lane[0], distance));
            lane[1] = e.join(lane[1], __shfl_down_sync(~0u, lane[1], distance));
        }
        return e.join(lane[0], lane[1]);
    } else {
#pragma unroll
        for (unsigned distance = 16; distance > 0; distance /= 2) {
#pragma unroll
            for (unsigned s = 0; s < 4; s++) {
                lane[s] = e.join(lane[s], __shfl_down_sync(~0u, lane[s], distance));
            }
        }
        return e.join(e.join(lane[0], lane[2]), e.join(lane[1], lane[3]));
    }
}

#endif
