/* density.cu - a film's picture as the density of its elements, for arrays of far more elements
 * than a picture has pixels: each cell counts its elements.
 *
 * Shape: a block of 256 a column, which counts its rows in shared memory, 8 bytes a row. Traffic: 2
 * n elements read, 2 bytes a cell written, a column's side by side. */
/* SPDX-License-Identifier: MIT */
#include "gpu/film/film.cuh"

namespace
{

enum { COUNTED = 0, CHANGED = 1 };

template <typename T, typename B>
__global__ void write_cells(const T *now, const T *before, size_t n, double low, double scale,
                            unsigned columns, unsigned rows, unsigned char *cells)
{
    USW_DYNAMIC_SHARED(unsigned, counts);
    const B *new_bits = reinterpret_cast<const B *>(now);
    const B *old_bits = reinterpret_cast<const B *>(before);
    const size_t c = blockIdx.x, begin = n / columns * c + n % columns * c / columns;
    const size_t end = n / columns * (c + 1) + n % columns * (c + 1) / columns;
    for (unsigned k = threadIdx.x; k < 2 * rows; k += blockDim.x) {
        counts[k] = 0;
    }
    __syncthreads();
    for (size_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
        const unsigned row = static_cast<unsigned>(usw_film_share(now[i], low, scale) * rows);
        unsigned *cell = &counts[2 * (row < rows ? row : rows - 1)];
        atomicAdd(&cell[COUNTED], 1U);
        if (new_bits[i] != old_bits[i]) {
            atomicAdd(&cell[CHANGED], 1U);
        }
    }
    __syncthreads();
    const float unit = 254.0F / log2f(1.0F + static_cast<float>(end - begin));
    unsigned char *to = cells + c * rows * 2;
    for (unsigned r = threadIdx.x; r < rows; r += blockDim.x) {
        const unsigned counted = counts[2 * r + COUNTED], changed = counts[2 * r + CHANGED];
        const float shade = 1.0F + unit * log2f(1.0F + static_cast<float>(counted));
        const unsigned lit = static_cast<unsigned>(255ULL * changed / (counted > 0 ? counted : 1));
        to[2 * r] = static_cast<unsigned char>(counted == 0 ? 0.0F : shade);
        to[2 * r + 1] = static_cast<unsigned char>(changed > 0 && lit == 0 ? 1 : lit);
    }
}

} // namespace

upsweep_status usw_film_write_cells(usw_gpu *g, const usw_gpu_film *f, size_t i,
                                    const usw_gpu_cells *cells, unsigned char *to)
{
    const void *now = usw_film_slot(f, f->pictures[i].slot);
    const void *before = i == 0 ? now : usw_film_slot(f, f->pictures[i - 1].slot);
    const unsigned columns = static_cast<unsigned>(cells->columns),
                   rows = static_cast<unsigned>(cells->rows);
    return usw_film_typed(f, [&](auto value, auto bits) {
        using T = decltype(value);
        using B = decltype(bits);
        return USW_LAUNCH(g, (write_cells<T, B>), columns, USW_FILM_THREADS,
                          2 * rows * sizeof(unsigned), static_cast<const T *>(now),
                          static_cast<const T *>(before), f->n, cells->low,
                          usw_film_scale(cells->low, cells->high), columns, rows, to);
    });
}

upsweep_status usw_film_cells(usw_gpu *g, usw_gpu_film *f, size_t i, const usw_gpu_cells *cells,
                              uint8_t *to)
{
    usw_film_pause paused(g);
    const size_t bytes = 2 * cells->columns * cells->rows;
    if (usw_film_is_gone(g, f, i)) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    if (to == nullptr) {
        return usw_film_paint(g, f, i, cells);
    }
    upsweep_status status = UPSWEEP_OK;
    if (bytes > f->cells_bytes) {
        void *device = nullptr;
        (void)cudaStreamSynchronize(g->stream);
        (void)cudaFree(f->cells);
        status = usw_gpu_check(g, cudaMalloc(&device, bytes), "cudaMalloc");
        f->cells = static_cast<unsigned char *>(device);
        f->cells_bytes = status == UPSWEEP_OK ? bytes : 0;
    }
    status = status == UPSWEEP_OK ? usw_film_write_cells(g, f, i, cells, f->cells) : status;
    return status == UPSWEEP_OK ? usw_gpu_download(g, to, f->cells, bytes) : status;
}
