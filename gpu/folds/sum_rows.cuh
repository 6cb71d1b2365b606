/* sum_rows.cuh - kernels of sums and products of rows of floats in the order of core/order.h: a
 * warp a short row, or 8 lanes; a block a long one, and for few long rows a warp a tile. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_FOLDS_SUM_ROWS_CUH
#define USW_GPU_FOLDS_SUM_ROWS_CUH

#include "gpu/folds/reduce_rows.cuh"

enum : unsigned {
    USW_ROW_TINY = 16,    /* elements at most where a warp takes 16 rows at once */
    USW_ROW_SHORT = 1024, /* of a tile whose empty lanes are left out */
};

/* A tile of a row, by a warp. */
template <typename E>
__device__ __forceinline__ double usw_row_tile(const E &e, const typename E::Raw *row, uint64_t n,
                                               uint64_t tile)
{
    typedef typename E::Raw R;
    const R *const at = row + tile * USW_REDUCE_TILE;
    const uint64_t left = n - tile * USW_REDUCE_TILE;
    const unsigned count = left < USW_REDUCE_TILE ? static_cast<unsigned>(left) : +USW_REDUCE_TILE;
    double lane[4] = {e.neutral(), e.neutral(), e.neutral(), e.neutral()};
    if (count > USW_ROW_SHORT) {
        usw_lanes_of_range(e, at, count, lane);
    } else { /* a neutral element changes nothing, so that rows of lanes without any need not be
                added */
        for (unsigned first = 0; first < count; first += USW_REDUCE_LANES) {
            R x[1][4];
#pragma unroll
            for (unsigned s = 0; s < 4; s++) {
                const unsigned i = first + usw_reduce_lane<R>(threadIdx.x % 32, s);
                x[0][s] = i < count ? at[i] : e.neutral_raw();
            }
            usw_lanes_add(e, x, lane);
        }
    }
    return usw_lanes_combine<R>(e, lane);
}

/* A row of up to 8 I elements, by 8 lanes: lane j, j + 8, .. of core/order.h in thread j. */
template <unsigned I, typename E>
__device__ __forceinline__ double usw_row_sum_eight(const E &e, const typename E::Raw *row,
                                                    unsigned n)
{
    typename E::Raw x[I];
    double v[I];
#pragma unroll
    for (unsigned k = 0; k < I; k++) {
        const unsigned i = threadIdx.x % 8 + 8 * k;
        x[k] = i < n ? __ldcs(row + i) : e.neutral_raw();
    }
#pragma unroll
    for (unsigned k = 0; k < I; k++) {
        v[k] = e.join(e.neutral(), e.widen(x[k]));
    }
#pragma unroll
    for (unsigned halved = 1; halved < I; halved *= 2) { /* distances of 64, 32, .. 8 lanes */
#pragma unroll
        for (unsigned k = 0; k < I / (2 * halved); k++) {
            v[k] = e.join(v[k], v[k + I / (2 * halved)]);
        }
    }
    for (unsigned d = 4; d > 0; d /= 2) {
        v[0] = e.join(v[0], __shfl_xor_sync(~0u, v[0], static_cast<int>(d)));
    }
    return v[0];
}

/* A row's result by its carry. */
template <typename E>
__device__ __forceinline__ void usw_row_store(const E &e, const usw_row_carry<double> &carry,
                                              uint64_t row, const usw_sums &results)
{
    results.store<typename E::Number>(row, carry.carry(e));
}

template <typename E>
__device__ __forceinline__ void usw_sum_one_row(const E &e, const typename E::Raw *row, size_t n,
                                                uint64_t r, const usw_sums &results)
{
    const double sum = usw_row_tile(e, row, n, 0);
    if (threadIdx.x % 32 == 0) {
        results.store<typename E::Number>(r, e.join(e.neutral(), sum));
    }
}

template <typename E>
__global__ void __launch_bounds__(usw_row_tuning::threads)
    usw_sum_short_rows(usw_row_list rows, const typename E::Raw *data, usw_sums results, E e)
{
    usw_each_turn(rows, 1, [&](size_t first) {
        usw_one_row(rows, first, [&](size_t r, size_t at, size_t n) {
            usw_sum_one_row(e, data + at, n, r, results);
        });
    });
}

/* Sixteen neighbouring rows, each 8 lanes having four of them. False: one has more than 16
 * elements, and nothing was done. */
template <typename E>
__device__ __forceinline__ bool usw_sum_sixteen_rows(const E &e, const usw_row_list &rows,
                                                     size_t first, const typename E::Raw *data,
                                                     const usw_sums &results)
{
    const size_t r = first + threadIdx.x % 32 / 8 * 4;
    size_t at[4], n[4], most = 0;
    double v[4];
#pragma unroll
    for (unsigned q = 0; q < 4; q++) {
        at[q] = n[q] = 0;
        if (r + q < rows.rows) {
            at[q] = rows.row(r + q, n[q]);
        }
        most = n[q] > most ? n[q] : most;
    }
    if (!__all_sync(~0u, most <= USW_ROW_TINY)) {
        return false;
    }
#pragma unroll
    for (unsigned q = 0; q < 4; q++) {
        v[q] = usw_row_sum_eight<USW_ROW_TINY / 8>(e, data + at[q], static_cast<unsigned>(n[q]));
    }
#pragma unroll
    for (unsigned q = 0; q < 4; q++) {
        if (threadIdx.x % 8 == q && r + q < rows.rows) {
            results.store<typename E::Number>(r + q, v[q]);
        }
    }
    return true;
}

/* Rows most of which have up to 128 elements. A kernel of its own: a warp that takes a row alone
 * needs fewer registers. each: rows of a turn, 4, or 16 of up to 16 elements. */
template <typename E>
__global__ void __launch_bounds__(usw_row_tuning::threads)
    usw_sum_rows_by_8_lanes(usw_row_list rows, unsigned each, const typename E::Raw *data,
                            usw_sums results, E e)
{
    usw_each_turn(rows, each, [&](size_t first) {
        if (each == 16 && usw_sum_sixteen_rows(e, rows, first, data, results)) {
            return;
        }
        for (size_t q = first; q < first + each && q < rows.rows; q += 4) {
            usw_four_rows(
                rows, q,
                [&](size_t r, size_t at, unsigned n, unsigned) {
                    const double sum = usw_row_sum_eight<USW_REDUCE_LANES / 8>(e, data + at, n);
                    if (threadIdx.x % 8 == 0 && r < rows.rows) {
                        results.store<typename E::Number>(r, sum);
                    }
                },
                [&](size_t r, size_t at, size_t n) {
                    usw_sum_one_row(e, data + at, n, r, results);
                });
        }
    });
}

template <typename E>
__global__ void __launch_bounds__(usw_row_tuning::threads)
    usw_sum_long_rows(usw_row_list rows, const typename E::Raw *data, usw_sums results, E e)
{
    USW_SHARED_ARRAY(double, sums, [USW_ROW_WARPS]);
    usw_each_long_row(rows, [&](size_t r, size_t at, size_t n) {
        const uint64_t tiles = (n + USW_REDUCE_TILE - 1) / USW_REDUCE_TILE;
        usw_row_carry<double> carry;
        carry.start(e);
        for (uint64_t first = 0; first < tiles; first += USW_ROW_WARPS) {
            const uint64_t tile = first + threadIdx.x / 32;
            if (tile < tiles) {
                const double sum = usw_row_tile(e, data + at, n, tile);
                if (threadIdx.x % 32 == 0) {
                    sums[threadIdx.x / 32] = sum;
                }
            }
            __syncthreads();
            if (threadIdx.x == 0) {
                for (unsigned w = 0; w < USW_ROW_WARPS && first + w < tiles; w++) {
                    carry.add(e, sums[w]);
                }
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            usw_row_store(e, carry, r, results);
        }
    });
}

struct usw_row_parts { /* as algo/reduce_tree.cu has for one array of many tiles */
    static constexpr unsigned threads = 128, blocks = 3 /* of a multiprocessor */, vectors = 32;
};

/* Tiles of rows of one length: a warp a tile, whose sum goes to the lowest level of the carry
 * tree. */
template <typename E>
__global__ void __launch_bounds__(usw_row_parts::threads, usw_row_parts::blocks)
    usw_sum_row_parts(size_t rows, size_t length, size_t tiles, const typename E::Raw *data,
                      double *sums, E e)
{
    typedef typename E::Raw R;
    const size_t step = size_t(gridDim.x) * (usw_row_parts::threads / 32);
    size_t i = threadIdx.x / 32 * size_t(gridDim.x) + blockIdx.x;
    for (; i < rows * tiles; i += step) {
        const size_t row = i / tiles, tile = i - row * tiles,
                     left = length - tile * USW_REDUCE_TILE;
        const R *const at = data + row * length + tile * USW_REDUCE_TILE;
        double lane[4] = {e.neutral(), e.neutral(), e.neutral(), e.neutral()};
        if (left >= USW_REDUCE_TILE && reinterpret_cast<uintptr_t>(at) % 16 == 0) {
            usw_lanes_of_tile<usw_row_parts::vectors>(e, at, lane);
        } else {
            usw_lanes_of_range(
                e, at, left < USW_REDUCE_TILE ? static_cast<unsigned>(left) : +USW_REDUCE_TILE,
                lane);
        }
        const double sum = usw_lanes_combine<R>(e, lane);
        if (threadIdx.x % 32 == 0) {
            sums[tile * rows + row] = sum;
        }
    }
}

#endif
