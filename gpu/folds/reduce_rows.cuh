/* reduce_rows.cuh - how warps and blocks share rows that are reduced, and kernels of operators
 * whose order is free: a warp a short row, or 8 lanes; a block a long one; and for few long rows a
 * block a part of one. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_FOLDS_REDUCE_ROWS_CUH
#define USW_GPU_FOLDS_REDUCE_ROWS_CUH

#include "gpu/folds/row_folds.cuh"
#include "gpu/row_list.cuh"

struct usw_row_tuning {
#ifdef USW_EMULATE /* so that tests of few elements reach both */
    static constexpr uint64_t warp_row = 500;
#else
    static constexpr uint64_t warp_row = 4096; /* elements at most */
#endif
    static constexpr unsigned threads = 256;
    static constexpr unsigned ahead = 4; /* vectors of a thread that are on their way at once */
};
enum : unsigned { USW_ROW_WARPS = usw_row_tuning::threads / 32 };

/* What a lane finds in a row, by single elements: a short row has few vectors for 32 lanes. */
template <typename F>
__device__ __forceinline__ typename F::Value usw_row_lane(const F &f, const typename F::Raw *row,
                                                          uint64_t n)
{
    typedef typename F::Raw R;
    constexpr unsigned ahead = usw_row_tuning::ahead;
    typename F::Value v = f.neutral();
    uint64_t i = threadIdx.x % 32;
    for (; i + (ahead - 1) * 32 < n; i += ahead * 32) {
        R x[ahead];
#pragma unroll
        for (unsigned k = 0; k < ahead; k++) {
            x[k] = __ldcs(row + i + k * 32);
        }
#pragma unroll
        for (unsigned k = 0; k < ahead; k++) {
            v = f.join(v, f.of(x[k], i + k * 32));
        }
    }
    for (; i < n; i += 32) {
        v = f.join(v, f.of(row[i], i));
    }
    return v;
}

/* What 8 lanes find in a row, to each of them. most: elements of the warp's longest row. */
template <typename F>
__device__ __forceinline__ typename F::Value usw_row_eight(const F &f, const typename F::Raw *row,
                                                           unsigned n, unsigned most)
{
    typedef typename F::Raw R;
    constexpr unsigned ahead = usw_row_tuning::ahead;
    typename F::Value v = f.neutral();
    for (unsigned first = 0; first < most; first += ahead * 8) {
        R x[ahead];
#pragma unroll
        for (unsigned k = 0; k < ahead; k++) {
            const unsigned i = first + k * 8 + threadIdx.x % 8;
            x[k] = i < n ? __ldcs(row + i) : R(0);
        }
#pragma unroll
        for (unsigned k = 0; k < ahead; k++) {
            const unsigned i = first + k * 8 + threadIdx.x % 8;
            v = i < n ? f.join(v, f.of(x[k], i)) : v;
        }
    }
    for (unsigned d = 4; d > 0; d /= 2) {
        v = f.join(v, f.shuffle(v, d));
    }
    return v;
}

/* What a thread of a block finds in a row, or in its part that begins at `place`: vectors of 16
 * bytes, and the elements before and behind them. */
template <typename F>
__device__ __forceinline__ typename F::Value usw_row_vectors(const F &f, const typename F::Raw *row,
                                                             uint64_t place, uint64_t n)
{
    typedef typename F::Raw R;
    constexpr unsigned per = 16 / sizeof(R), ahead = usw_row_tuning::ahead;
    constexpr unsigned threads = usw_row_tuning::threads;
    const unsigned thread = threadIdx.x;
    union vector {
        uint4 q;
        R v[per];
    };
    typename F::Value v = f.neutral();
    const uint64_t odd = (0 - reinterpret_cast<uintptr_t>(row)) % 16 / sizeof(R);
    const uint64_t begin = odd < n ? odd : n, vectors = (n - begin) / per;
    const uint64_t end = begin + vectors * per;
    const uint4 *const at = reinterpret_cast<const uint4 *>(row + begin);
    const auto join = [&](const vector &x, uint64_t i) {
#pragma unroll
        for (unsigned j = 0; j < per; j++) {
            v = f.join(v, f.of(x.v[j], place + begin + i * per + j));
        }
    };
    if (thread < begin) {
        v = f.join(v, f.of(row[thread], place + thread));
    }
    uint64_t i = thread;
    for (; i + (ahead - 1) * uint64_t(threads) < vectors; i += ahead * uint64_t(threads)) {
        vector x[ahead];
#pragma unroll
        for (unsigned k = 0; k < ahead; k++) {
            x[k].q = __ldcs(at + i + k * threads);
        }
#pragma unroll
        for (unsigned k = 0; k < ahead; k++) {
            join(x[k], i + k * threads);
        }
    }
    for (; i < vectors; i += threads) {
        vector x;
        x.q = __ldcs(at + i);
        join(x, i);
    }
    if (end + thread < n) {
        v = f.join(v, f.of(row[end + thread], place + end + thread));
    }
    return v;
}

template <typename F>
__device__ __forceinline__ typename F::Value usw_row_warp(const F &f, typename F::Value v)
{
    for (unsigned d = 16; d > 0; d /= 2) {
        v = f.join(v, f.shuffle(v, d));
    }
    return v;
}

/* Calls of_turn(first) by a warp for every `each` rows, from `first` on. */
template <typename OfTurn>
__device__ __forceinline__ void usw_each_turn(const usw_row_list &rows, unsigned each,
                                              OfTurn of_turn)
{
    if (rows.bad()) {
        return;
    }
    const size_t step = size_t(gridDim.x) * USW_ROW_WARPS * each;
    size_t first = (blockIdx.x * size_t(USW_ROW_WARPS) + threadIdx.x / 32) * each;
    for (; first < rows.rows; first += step) {
        of_turn(first);
    }
}

/* Calls of_row(r, at, n) of row r by a warp, if it is short. */
template <typename OfRow>
__device__ __forceinline__ void usw_one_row(const usw_row_list &rows, size_t r, OfRow of_row)
{
    size_t n, at = rows.row(r, n);
    if (n <= usw_row_tuning::warp_row) {
        of_row(r, at, n);
    }
}

/* Four neighbouring rows: where none has more than 128 elements, calls of_eight(r, at, n, most) by
 * 8 lanes a row, most being the elements of the longest; else of_row of each that is short. Lanes
 * whose row is beyond the last have one of no elements. */
template <typename OfEight, typename OfRow>
__device__ __forceinline__ void usw_four_rows(const usw_row_list &rows, size_t first,
                                              OfEight of_eight, OfRow of_row)
{
    const size_t r = first + threadIdx.x % 32 / 8;
    size_t n = 0, at = r < rows.rows ? rows.row(r, n) : 0;
    if (__all_sync(~0u, n <= USW_REDUCE_LANES)) {
        const unsigned count = static_cast<unsigned>(n);
        of_eight(r, at, count, __reduce_max_sync(~0u, count));
        return;
    }
    for (size_t q = first; q < first + 4 && q < rows.rows; q++) {
        usw_one_row(rows, q, of_row);
    }
}

/* Calls of_row(r, at, n) of each row that is not short: a block a row. */
template <typename OfRow>
__device__ __forceinline__ void usw_each_long_row(usw_row_list rows, OfRow of_row)
{
    if (rows.bad()) {
        return;
    }
    const size_t count = rows.longs();
    for (size_t i = blockIdx.x; i < count; i += gridDim.x) {
        const size_t r = rows.long_row(i);
        size_t n, at = rows.row(r, n);
        of_row(r, at, n);
    }
}

/* four: rows go by fours. */
template <typename F>
__global__ void __launch_bounds__(usw_row_tuning::threads)
    usw_fold_short_rows(usw_row_list rows, bool four, const typename F::Raw *data, F f)
{
    const auto of_row = [&](size_t r, size_t at, size_t n) {
        const auto v = usw_row_warp(f, usw_row_lane(f, data + at, n));
        if (threadIdx.x % 32 == 0) {
            f.store(r, v, n == 0);
        }
    };
    const auto of_eight = [&](size_t r, size_t at, unsigned n, unsigned most) {
        const auto v = usw_row_eight(f, data + at, n, most);
        if (threadIdx.x % 8 == 0 && r < rows.rows) {
            f.store(r, v, n == 0);
        }
    };
    usw_each_turn(rows, four ? 4 : 1, [&](size_t first) {
        if (four) {
            usw_four_rows(rows, first, of_eight, of_row);
        } else {
            usw_one_row(rows, first, of_row);
        }
    });
}

/* What a block finds in a row or a part of one, to thread 0. */
template <typename F>
__device__ __forceinline__ typename F::Value usw_row_block(const F &f, const typename F::Raw *row,
                                                           uint64_t place, uint64_t n)
{
    typedef typename F::Value V;
    USW_SHARED_ARRAY(V, found, [USW_ROW_WARPS]);
    V v = usw_row_warp(f, usw_row_vectors(f, row, place, n));
    if (threadIdx.x % 32 == 0) {
        found[threadIdx.x / 32] = v;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned w = 1; w < USW_ROW_WARPS; w++) {
            v = f.join(v, found[w]);
        }
    }
    __syncthreads();
    return v;
}

template <typename F>
__global__ void __launch_bounds__(usw_row_tuning::threads)
    usw_fold_long_rows(usw_row_list rows, const typename F::Raw *data, F f)
{
    usw_each_long_row(rows, [&](size_t r, size_t at, size_t n) {
        const auto v = usw_row_block(f, data + at, 0, n);
        if (threadIdx.x == 0) {
            f.store(r, v, n == 0);
        }
    });
}

/* Parts of rows of one length: a block takes a part of up to `part` elements; results go to
 * found. */
template <typename F>
__global__ void __launch_bounds__(usw_row_tuning::threads)
    usw_fold_row_parts(size_t rows, size_t length, size_t parts, size_t part,
                       const typename F::Raw *data, typename F::Value *found, F f)
{
    for (size_t i = blockIdx.x; i < rows * parts; i += gridDim.x) {
        const size_t row = i / parts, place = (i - row * parts) * part, left = length - place;
        const auto v =
            usw_row_block(f, data + row * length + place, place, left < part ? left : part);
        if (threadIdx.x == 0) {
            found[i] = v;
        }
    }
}

/* A warp joins the parts of a row. */
template <typename F>
__global__ void __launch_bounds__(usw_row_tuning::threads)
    usw_join_row_parts(size_t rows, size_t parts, const typename F::Value *found, F f)
{
    const size_t step = size_t(gridDim.x) * USW_ROW_WARPS;
    for (size_t r = blockIdx.x * size_t(USW_ROW_WARPS) + threadIdx.x / 32; r < rows; r += step) {
        typename F::Value v = f.neutral();
        for (size_t p = threadIdx.x % 32; p < parts; p += 32) {
            v = f.join(v, found[r * parts + p]);
        }
        v = usw_row_warp(f, v);
        if (threadIdx.x % 32 == 0) {
            f.store(r, v, false);
        }
    }
}

#endif
