/* transpose.cuh - the last two axes of an array change places, on a GPU.
 *
 * A tile is read row by row into shared memory and written column by column, each a whole line.
 * It is square where both axes are long, and as narrow as the shorter one where that is short, so
 * that what is read, or written, is then one stretch. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_SELECTION_TRANSPOSE_CUH
#define USW_GPU_SELECTION_TRANSPOSE_CUH

#include "gpu/gpu.cuh"

/* Tiles of square elements at most, moved by `threads` threads; of elements of E. */
template <typename E> struct usw_transpose_shape {
    static constexpr unsigned threads = 256, side = sizeof(E) < 4 ? 64 : 32;
    static constexpr unsigned square = side * side, each = square / threads;
    static constexpr unsigned room = square * 3 / 2; /* with odd pitches */
};

/* Extents in elements, length and inner 2 at least. A tile has `high` rows of `wide` columns; there
 * are `down` and `across` of them in each of `outer` matrices. */
struct usw_transpose_plan {
    size_t outer, length, inner;
    unsigned high, wide, pitch;          /* pitch: odd, of a column in shared memory */
    unsigned part_of_wide, part_of_high; /* 2^32 / wide and / high, rounded up */
    size_t down, across;

    usw_transpose_plan(size_t o, size_t l, size_t i, unsigned side, unsigned square)
        : outer(o), length(l), inner(i), high(side), wide(side)
    {
        if (inner < side) {
            wide = static_cast<unsigned>(inner);
            high = square / wide / 32 * 32;
        } else if (length < side) {
            high = static_cast<unsigned>(length);
            wide = square / high / 32 * 32;
        }
        high = length < high ? static_cast<unsigned>(length) : high;
        pitch = high | 1;
        part_of_wide = ~0u / wide + 1;
        part_of_high = ~0u / high + 1;
        down = (length + high - 1) / high;
        across = (inner + wide - 1) / wide;
    }
};

/* Where a tile's elements are; square: all of its numbers are known when this is compiled. */
template <typename E, bool square> struct usw_transpose_tile {
    using shape = usw_transpose_shape<E>;
    unsigned high, wide, pitch, part_of_wide, part_of_high;
    size_t rows, columns; /* from the tile's first on; it may go beyond them */

    __device__ __forceinline__ explicit usw_transpose_tile(const usw_transpose_plan &p)
        : high(square ? shape::side : p.high), wide(square ? shape::side : p.wide),
          pitch(square ? shape::side + 1 : p.pitch), part_of_wide(p.part_of_wide),
          part_of_high(p.part_of_high), rows(0), columns(0)
    {
    }
    /* Calls f(i, row, column) for this thread's elements, in the order of rows or of columns. */
    template <bool whole, bool by_rows, typename F> __device__ __forceinline__ void each(F f) const
    {
#pragma unroll
        for (unsigned i = 0; i < shape::each; i++) {
            const unsigned n = i * shape::threads + threadIdx.x, side = by_rows ? wide : high;
            const unsigned a =
                square ? n / shape::side : __umulhi(n, by_rows ? part_of_wide : part_of_high);
            const unsigned b = n - a * side, l = by_rows ? a : b, k = by_rows ? b : a;
            if (whole || ((square || n < high * wide) && l < rows && k < columns)) {
                f(i, l, k);
            }
        }
    }
    template <bool whole>
    __device__ __forceinline__ void move(const E *from, size_t inner, E *to, size_t length,
                                         E *tile) const
    {
        E x[shape::each];
        each<whole, true>([&](unsigned i, unsigned l, unsigned k) { x[i] = from[l * inner + k]; });
        each<whole, true>([&](unsigned i, unsigned l, unsigned k) { tile[k * pitch + l] = x[i]; });
        __syncthreads();
        each<whole, false>(
            [&](unsigned, unsigned l, unsigned k) { to[k * length + l] = tile[k * pitch + l]; });
        __syncthreads();
    }
};

template <typename E, bool square>
__global__ void __launch_bounds__(usw_transpose_shape<E>::threads)
    usw_transpose_tiles(const E *in, E *out, usw_transpose_plan p)
{
    USW_SHARED_ARRAY(E, tile, [usw_transpose_shape<E>::room]);
    const size_t of_matrix = p.down * p.across, tiles = p.outer * of_matrix;
    usw_transpose_tile<E, square> t(p);
    for (size_t number = blockIdx.x; number < tiles; number += gridDim.x) {
        const size_t matrix = number / of_matrix, at = number - matrix * of_matrix;
        const size_t column = at / p.down, row = (at - column * p.down) * t.high;
        const size_t first = column * t.wide;
        const E *from = in + matrix * p.length * p.inner + row * p.inner + first;
        E *to = out + matrix * p.length * p.inner + first * p.length + row;
        t.rows = p.length - row;
        t.columns = p.inner - first;
        if (square && t.rows >= t.high && t.columns >= t.wide) {
            t.template move<true>(from, p.inner, to, p.length, tile);
        } else {
            t.template move<false>(from, p.inner, to, p.length, tile);
        }
    }
}

#endif
