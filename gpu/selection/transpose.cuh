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

template <typename E>
__global__ void __launch_bounds__(usw_transpose_shape<E>::threads)
    usw_transpose_tiles(const E *in, E *out, usw_transpose_plan p)
{
    using shape = usw_transpose_shape<E>;
    USW_SHARED_ARRAY(E, tile, [shape::room]);
    const size_t of_matrix = p.down * p.across, tiles = p.outer * of_matrix;
    const unsigned all = p.high * p.wide;
    for (size_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        const size_t matrix = t / of_matrix, at = t - matrix * of_matrix;
        const size_t column = at / p.down, row = (at - column * p.down) * p.high;
        const size_t first = column * p.wide;
        const E *from = in + matrix * p.length * p.inner + row * p.inner + first;
        E *to = out + matrix * p.length * p.inner + first * p.length + row;
        const size_t rows = p.length - row, columns = p.inner - first;
        E x[shape::each];
#pragma unroll
        for (unsigned i = 0; i < shape::each; i++) {
            const unsigned n = i * shape::threads + threadIdx.x;
            const unsigned l = __umulhi(n, p.part_of_wide), k = n - l * p.wide;
            if (n < all && l < rows && k < columns) {
                x[i] = from[l * p.inner + k];
            }
        }
#pragma unroll
        for (unsigned i = 0; i < shape::each; i++) {
            const unsigned n = i * shape::threads + threadIdx.x;
            const unsigned l = __umulhi(n, p.part_of_wide), k = n - l * p.wide;
            if (n < all && l < rows && k < columns) {
                tile[k * p.pitch + l] = x[i];
            }
        }
        __syncthreads();
#pragma unroll
        for (unsigned i = 0; i < shape::each; i++) {
            const unsigned n = i * shape::threads + threadIdx.x;
            const unsigned k = __umulhi(n, p.part_of_high), l = n - k * p.high;
            if (n < all && l < rows && k < columns) {
                to[k * p.length + l] = tile[k * p.pitch + l];
            }
        }
        __syncthreads();
    }
}

#endif
