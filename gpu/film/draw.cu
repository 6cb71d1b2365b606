/* draw.cu - a film's picture where OpenGL draws it: register a buffer, and for each picture
 * map it, have a kernel write it, unmap it. Nothing comes to the host. A buffer of vertices has
 * one for each element, a buffer of pixels one for each cell of the picture's density
 * (gpu/film/density.cu).
 *
 * Shape: one thread an element, blocks of 256, grid-stride. Traffic: 2 n elements read, 8 n bytes
 * written. */
/* SPDX-License-Identifier: MIT */
#include "gpu/film/film.cuh"

#ifdef USW_EMULATE

static upsweep_status refuse(usw_gpu *g, unsigned gl_buffer)
{
    return gl_buffer == 0 ? UPSWEEP_OK
                          : usw_gpu_fail(g, UPSWEEP_ERROR_DEVICE, "no OpenGL shares this device");
}

upsweep_status usw_film_attach(usw_gpu *g, usw_gpu_film *f, unsigned gl_buffer)
{
    (void)f;
    return refuse(g, gl_buffer);
}

upsweep_status usw_film_attach_pixels(usw_gpu *g, usw_gpu_film *f, unsigned gl_buffer)
{
    (void)f;
    return refuse(g, gl_buffer);
}

upsweep_status usw_film_draw(usw_gpu *g, usw_gpu_film *f, size_t i, double low, double high)
{
    (void)f, (void)i, (void)low, (void)high;
    return refuse(g, 1);
}

upsweep_status usw_film_paint(usw_gpu *g, usw_gpu_film *f, size_t i, const usw_gpu_cells *cells)
{
    (void)f, (void)i, (void)cells;
    return refuse(g, 1);
}

#else

/* As cuda_gl_interop.h has it, which asks for the headers of OpenGL to know that a GLuint is an
 * unsigned int. */
extern "C" cudaError_t cudaGraphicsGLRegisterBuffer(struct cudaGraphicsResource **resource,
                                                    unsigned int buffer, unsigned int flags);

namespace
{

template <typename T, typename B>
__global__ void make_vertices(const T *now, const T *before, size_t n, double low, double scale,
                              float *vertices)
{
    const B *new_bits = reinterpret_cast<const B *>(now);
    const B *old_bits = reinterpret_cast<const B *>(before);
    size_t step = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        vertices[2 * i] = static_cast<float>(usw_film_share(now[i], low, scale));
        vertices[2 * i + 1] = new_bits[i] != old_bits[i] ? 1.0F : 0.0F;
    }
}

upsweep_status write_vertices(usw_gpu *g, const usw_gpu_film *f, size_t i, double low, double high,
                              float *to)
{
    const void *now = usw_film_slot(f, f->pictures[i].slot);
    const void *before = i == 0 ? now : usw_film_slot(f, f->pictures[i - 1].slot);
    return usw_film_typed(f, [&](auto value, auto bits) {
        using T = decltype(value);
        using B = decltype(bits);
        return USW_LAUNCH(g, (make_vertices<T, B>), usw_film_blocks(f->n), USW_FILM_THREADS, 0,
                          static_cast<const T *>(now), static_cast<const T *>(before), f->n, low,
                          usw_film_scale(low, high), to);
    });
}

/* Gives the buffer before back, and registers another. */
upsweep_status attach(usw_gpu *g, cudaGraphicsResource **resource, unsigned gl_buffer)
{
    upsweep_status status = UPSWEEP_OK;
    if (*resource != nullptr) {
        status = usw_gpu_check(g, cudaGraphicsUnregisterResource(*resource),
                               "cudaGraphicsUnregisterResource");
        *resource = nullptr;
    }
    if (gl_buffer != 0 && status == UPSWEEP_OK) {
        status = usw_gpu_check(g,
                               cudaGraphicsGLRegisterBuffer(resource, gl_buffer,
                                                            cudaGraphicsRegisterFlagsWriteDiscard),
                               "cudaGraphicsGLRegisterBuffer");
        *resource = status == UPSWEEP_OK ? *resource : nullptr;
    }
    return status;
}

/* Maps a buffer of OpenGL, calls write(address) to fill it, and unmaps it. A buffer of fewer than
 * `wanted` bytes is refused. */
template <typename Write>
upsweep_status map_and(usw_gpu *g, cudaGraphicsResource *resource, size_t wanted, Write write)
{
    void *to = nullptr;
    size_t bytes = 0;
    upsweep_status status = usw_gpu_check(g, cudaGraphicsMapResources(1, &resource, g->stream),
                                          "cudaGraphicsMapResources");
    if (status != UPSWEEP_OK) {
        return status;
    }
    status = usw_gpu_check(g, cudaGraphicsResourceGetMappedPointer(&to, &bytes, resource),
                           "cudaGraphicsResourceGetMappedPointer");
    if (status == UPSWEEP_OK && bytes < wanted) {
        status = usw_gpu_fail(g, UPSWEEP_ERROR_ARGUMENT, "the OpenGL buffer has %zu bytes, not %zu",
                              bytes, wanted);
    }
    status = status == UPSWEEP_OK ? write(to) : status;
    upsweep_status unmapped = usw_gpu_check(g, cudaGraphicsUnmapResources(1, &resource, g->stream),
                                            "cudaGraphicsUnmapResources");
    return status == UPSWEEP_OK ? unmapped : status;
}

} // namespace

upsweep_status usw_film_attach(usw_gpu *g, usw_gpu_film *f, unsigned gl_buffer)
{
    return attach(g, &f->vertices, gl_buffer);
}

upsweep_status usw_film_attach_pixels(usw_gpu *g, usw_gpu_film *f, unsigned gl_buffer)
{
    return attach(g, &f->pixels, gl_buffer);
}

upsweep_status usw_film_draw(usw_gpu *g, usw_gpu_film *f, size_t i, double low, double high)
{
    usw_film_pause paused(g);
    if (usw_film_is_gone(g, f, i)) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    return map_and(g, f->vertices, f->n * 2 * sizeof(float), [&](void *to) {
        return write_vertices(g, f, i, low, high, static_cast<float *>(to));
    });
}

upsweep_status usw_film_paint(usw_gpu *g, usw_gpu_film *f, size_t i, const usw_gpu_cells *cells)
{
    return map_and(g, f->pixels, 2 * cells->columns * cells->rows, [&](void *to) {
        return usw_film_write_cells(g, f, i, cells, static_cast<unsigned char *>(to));
    });
}

#endif
