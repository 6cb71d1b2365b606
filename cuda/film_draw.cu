/* film_draw.cu - vertices made of a film's picture where OpenGL draws them: register a buffer, and
 * for each picture map it, have a kernel write it, unmap it. Nothing comes to the host.
 *
 * Shape: one thread an element, blocks of 256, grid-stride. Traffic: 2 n elements read, 8 n bytes
 * written. */
#include "film.cuh"

#ifdef USW_EMULATE

upsweep_status usw_film_attach(usw_gpu *g, usw_gpu_film *f, unsigned gl_buffer)
{
    (void)f;
    return gl_buffer == 0 ? UPSWEEP_OK
                          : usw_gpu_fail(g, UPSWEEP_ERROR_DEVICE, "no OpenGL shares this device");
}

upsweep_status usw_film_draw(usw_gpu *g, usw_gpu_film *f, size_t i, double low, double high)
{
    (void)f, (void)i, (void)low, (void)high;
    return usw_gpu_fail(g, UPSWEEP_ERROR_DEVICE, "no OpenGL shares this device");
}

#else

/* As cuda_gl_interop.h has it, which asks for the headers of OpenGL to know that a GLuint is an
 * unsigned int. */
extern "C" cudaError_t cudaGraphicsGLRegisterBuffer(struct cudaGraphicsResource **resource,
                                                    unsigned int buffer, unsigned int flags);

namespace
{

template <typename T> __device__ __forceinline__ double value_of(T x)
{
    return static_cast<double>(x);
}

/* T is the type, B the unsigned integer of its width: bits are compared, so that NaN equals itself.
 */
template <typename T, typename B>
__global__ void make_vertices(const T *now, const T *before, size_t n, double low, double scale,
                              float *vertices)
{
    const B *new_bits = reinterpret_cast<const B *>(now);
    const B *old_bits = reinterpret_cast<const B *>(before);
    size_t step = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        double share = (value_of(now[i]) - low) * scale;
        share = share >= 0 ? share : 0; /* NaN too */
        vertices[2 * i] = static_cast<float>(share <= 1 ? share : 1);
        vertices[2 * i + 1] = new_bits[i] != old_bits[i] ? 1.0F : 0.0F;
    }
}

template <typename T, typename B>
upsweep_status launch_vertices(usw_gpu *g, const usw_gpu_film *f, const void *now,
                               const void *before, double low, double high, float *to)
{
    double scale = high > low ? 1 / (high - low) : 0;
    return USW_LAUNCH(g, (make_vertices<T, B>), usw_film_blocks(f->n), USW_FILM_THREADS, 0,
                      static_cast<const T *>(now), static_cast<const T *>(before), f->n, low, scale,
                      to);
}

upsweep_status write_vertices(usw_gpu *g, const usw_gpu_film *f, size_t i, double low, double high,
                              float *to)
{
    const void *a = usw_film_slot(f, f->pictures[i].slot);
    const void *b = i == 0 ? a : usw_film_slot(f, f->pictures[i - 1].slot);
    switch (f->type) {
    case UPSWEEP_U8: return launch_vertices<uint8_t, uint8_t>(g, f, a, b, low, high, to);
    case UPSWEEP_I8: return launch_vertices<int8_t, uint8_t>(g, f, a, b, low, high, to);
    case UPSWEEP_U16: return launch_vertices<uint16_t, uint16_t>(g, f, a, b, low, high, to);
    case UPSWEEP_I16: return launch_vertices<int16_t, uint16_t>(g, f, a, b, low, high, to);
    case UPSWEEP_U32: return launch_vertices<uint32_t, uint32_t>(g, f, a, b, low, high, to);
    case UPSWEEP_I32: return launch_vertices<int32_t, uint32_t>(g, f, a, b, low, high, to);
    case UPSWEEP_U64: return launch_vertices<uint64_t, uint64_t>(g, f, a, b, low, high, to);
    case UPSWEEP_I64: return launch_vertices<int64_t, uint64_t>(g, f, a, b, low, high, to);
    case UPSWEEP_F32: return launch_vertices<float, uint32_t>(g, f, a, b, low, high, to);
    default: return launch_vertices<double, uint64_t>(g, f, a, b, low, high, to);
    }
}

} // namespace

upsweep_status usw_film_attach(usw_gpu *g, usw_gpu_film *f, unsigned gl_buffer)
{
    upsweep_status status = UPSWEEP_OK;
    if (f->resource != nullptr) {
        status = usw_gpu_check(g, cudaGraphicsUnregisterResource(f->resource),
                               "cudaGraphicsUnregisterResource");
        f->resource = nullptr;
    }
    if (gl_buffer != 0 && status == UPSWEEP_OK) {
        status = usw_gpu_check(g,
                               cudaGraphicsGLRegisterBuffer(&f->resource, gl_buffer,
                                                            cudaGraphicsRegisterFlagsWriteDiscard),
                               "cudaGraphicsGLRegisterBuffer");
        f->resource = status == UPSWEEP_OK ? f->resource : nullptr;
    }
    return status;
}

upsweep_status usw_film_draw(usw_gpu *g, usw_gpu_film *f, size_t i, double low, double high)
{
    usw_film_pause paused(g);
    if (usw_film_is_gone(g, f, i)) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    void *to = nullptr;
    size_t bytes = 0;
    upsweep_status status = usw_gpu_check(g, cudaGraphicsMapResources(1, &f->resource, g->stream),
                                          "cudaGraphicsMapResources");
    if (status != UPSWEEP_OK) {
        return status;
    }
    status = usw_gpu_check(g, cudaGraphicsResourceGetMappedPointer(&to, &bytes, f->resource),
                           "cudaGraphicsResourceGetMappedPointer");
    if (status == UPSWEEP_OK && bytes < f->n * 2 * sizeof(float)) {
        status = usw_gpu_fail(g, UPSWEEP_ERROR_ARGUMENT, "the OpenGL buffer has %zu bytes, not %zu",
                              bytes, f->n * 2 * sizeof(float));
    }
    if (status == UPSWEEP_OK) {
        status = write_vertices(g, f, i, low, high, static_cast<float *>(to));
    }
    upsweep_status unmapped = usw_gpu_check(
        g, cudaGraphicsUnmapResources(1, &f->resource, g->stream), "cudaGraphicsUnmapResources");
    return status == UPSWEEP_OK ? unmapped : status;
}

#endif
