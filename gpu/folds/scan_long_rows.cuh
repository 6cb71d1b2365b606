/* scan_long_rows.cuh - scans of long rows: a block a row, tile by tile; or, where they are few and
 * of one length, tiles by all blocks, in one launch for their totals, one for the carries before
 * them and one for the scans. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_FOLDS_SCAN_LONG_ROWS_CUH
#define USW_GPU_FOLDS_SCAN_LONG_ROWS_CUH

#include "gpu/folds/row_folds.cuh"
#include "gpu/folds/scan_tile.cuh"
#include "gpu/row_list.cuh"

template <typename E> struct usw_long_shared {
    usw_scan_shared<E, false> tile;
    typename E::Acc carry;
};

/* One tile of a row, from its carry; returns the tile's total to thread 0. Without out, that is
 * all. */
template <typename E>
__device__ __forceinline__ typename E::Acc
usw_long_tile(const E &e, usw_long_shared<E> &s, const typename E::Raw *in, typename E::Raw *out,
              unsigned count, bool exclusive, bool first)
{
    typedef typename E::Acc A;
    A before[USW_SWEEP_MINE], total = e.neutral();
    bool head = false;
    usw_tile_in<USW_SWEEP_THREADS>(e, s.tile.x, in, count,
                                   reinterpret_cast<uintptr_t>(in) % 16 == 0);
    __syncthreads();
    usw_sweep_up<false>(e, s.tile, threadIdx.x / 32, before);
    __syncthreads();
    if (threadIdx.x < 32) {
        total = usw_sweep_tops<false>(e, s.tile, &head);
    }
    __syncthreads();
    if (out == nullptr) {
        return total;
    }
    usw_sweep_down<false>(e, s.tile, threadIdx.x / 32, s.carry, before, exclusive, first);
    __syncthreads();
    usw_tile_out<E, USW_SWEEP_THREADS>(s.tile.x, out, count,
                                       reinterpret_cast<uintptr_t>(out) % 16 == 0);
    return total;
}

template <typename E>
__global__ void __launch_bounds__(USW_SWEEP_THREADS, sizeof(typename E::Raw) == 8 ? 6 : 8)
    usw_scan_long_rows(usw_row_list rows, const typename E::Raw *in, typename E::Raw *out,
                       bool exclusive, E e)
{
    constexpr unsigned tile = usw_sweep_shape<E>::tile;
    USW_SHARED(usw_long_shared<E>, s);
    if (rows.bad()) {
        return;
    }
    const size_t count = rows.longs();
    for (size_t l = blockIdx.x; l < count; l += gridDim.x) {
        size_t n, at = rows.row(rows.long_row(l), n);
        usw_row_carry<typename E::Acc> carry;
        carry.start(e);
        for (uint64_t i = 0; i < n; i += tile) {
            if (threadIdx.x == 0) {
                s.carry = carry.carry(e);
            }
            const typename E::Acc total = usw_long_tile(
                e, s, in + at + i, out + at + i, n - i < tile ? static_cast<unsigned>(n - i) : tile,
                exclusive, i == 0);
            if (threadIdx.x == 0) {
                carry.add(e, total);
            }
            __syncthreads();
        }
    }
}

/* ---- few long rows of one length, by tiles ---- */

/* The tile of unit i of rows * tiles. */
template <typename E> struct usw_row_tile_of {
    size_t at; /* elements from the first row's begin */
    unsigned count;
    bool first; /* of its row */

    __device__ __forceinline__ usw_row_tile_of(size_t i, size_t length, size_t tiles)
    {
        constexpr unsigned tile = usw_sweep_shape<E>::tile;
        const size_t row = i / tiles, t = i - row * tiles, left = length - t * tile;
        at = row * length + t * tile;
        count = left < tile ? static_cast<unsigned>(left) : tile;
        first = t == 0;
    }
};

/* A row's totals become the carries before its tiles, by the tree of core/order.h; a block a row.
 * groups: scratch, one for each 64 tiles of a row. */
template <typename E>
__global__ void __launch_bounds__(USW_SWEEP_THREADS)
    usw_scan_row_carries(size_t rows, size_t tiles, size_t count, typename E::Acc *totals,
                         typename E::Acc *groups, E e)
{
    typedef typename E::Acc A;
    constexpr size_t fanout = usw_row_carry<A>::FANOUT;
    for (size_t row = blockIdx.x; row < rows; row += gridDim.x) {
        A *const total = totals + row * tiles, *const group = groups + row * count;
        for (size_t g = threadIdx.x; g < count; g += USW_SWEEP_THREADS) {
            A sum = e.neutral();
            for (size_t t = g * fanout; t < (g + 1) * fanout && t < tiles; t++) {
                sum = e.join(sum, total[t]);
            }
            group[g] = sum;
        }
        __syncthreads();
        if (threadIdx.x == 0) { /* all above the lowest level, before each group */
            usw_row_carry<A> carry;
            carry.start(e);
            for (size_t g = 0; g < count; g++) {
                const A sum = group[g];
                group[g] = carry.carry(e);
                carry.add(e, sum);
            }
        }
        __syncthreads();
        for (size_t g = threadIdx.x; g < count; g += USW_SWEEP_THREADS) {
            A sum = e.neutral();
            for (size_t t = g * fanout; t < (g + 1) * fanout && t < tiles; t++) {
                const A here = total[t];
                total[t] = e.join(group[g], sum);
                sum = e.join(sum, here);
            }
        }
        __syncthreads();
    }
}

/* All tiles: totals are what each sums up to, without out; else the carries before them. */
template <typename E>
__global__ void __launch_bounds__(USW_SWEEP_THREADS, sizeof(typename E::Raw) == 8 ? 6 : 8)
    usw_scan_row_tiles(size_t rows, size_t length, size_t tiles, const typename E::Raw *in,
                       typename E::Raw *out, typename E::Acc *totals, bool exclusive, E e)
{
    USW_SHARED(usw_long_shared<E>, s);
    for (size_t i = blockIdx.x; i < rows * tiles; i += gridDim.x) {
        const usw_row_tile_of<E> t(i, length, tiles);
        if (threadIdx.x == 0 && out != nullptr) {
            s.carry = totals[i];
        }
        const typename E::Acc total = usw_long_tile(
            e, s, in + t.at, out == nullptr ? out : out + t.at, t.count, exclusive, t.first);
        if (threadIdx.x == 0 && out == nullptr) {
            totals[i] = total;
        }
        __syncthreads();
    }
}

#endif
