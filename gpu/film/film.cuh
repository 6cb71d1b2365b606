/* film.cuh - a film of an array: its struct, and functions that film.cu, draw.cu and density.cu
 * share. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_FILM_FILM_CUH
#define USW_GPU_FILM_FILM_CUH

#include "gpu/gpu.cuh"

#include <vector>

struct cudaGraphicsResource;

enum { USW_FILM_THREADS = 256, USW_FILM_BLOCKS = 1024, USW_FILM_NAME = 48 };

struct usw_film_picture {
    char kernel[USW_FILM_NAME];
    size_t number, changed, slot;
    bool compared;
};

struct usw_gpu_film {
    unsigned char *array, *slots;
    unsigned long long *differing; /* device: a counter */
    size_t n, bytes, width;
    upsweep_type type;
    std::vector<usw_film_picture> pictures;
    std::vector<size_t> open; /* slots */
    size_t stride, kernels;
    char last[USW_FILM_NAME];                /* kernel */
    cudaGraphicsResource *vertices, *pixels; /* OpenGL's buffers */
    unsigned char *cells; /* device memory of cells_bytes, for cells that go to the host */
    size_t cells_bytes;
};

static inline unsigned char *usw_film_slot(const usw_gpu_film *f, size_t slot)
{
    return f->slots + slot * f->bytes;
}

static inline unsigned usw_film_blocks(size_t n)
{
    size_t blocks = (n + USW_FILM_THREADS - 1) / USW_FILM_THREADS;
    return static_cast<unsigned>(blocks < USW_FILM_BLOCKS ? blocks : size_t(USW_FILM_BLOCKS));
}

/* While a film is looked at it takes no pictures. */
struct usw_film_pause {
    usw_gpu *g;
    usw_gpu_film *kept;
    explicit usw_film_pause(usw_gpu *handle) : g(handle), kept(handle->film)
    {
        g->film = nullptr;
    }
    ~usw_film_pause()
    {
        g->film = kept;
    }
};

/* Fails if there is no picture i: calls after the pictures were counted may have dropped it. */
static inline bool usw_film_is_gone(usw_gpu *g, const usw_gpu_film *f, size_t i)
{
    return i >= f->pictures.size() &&
           usw_gpu_fail(g, UPSWEEP_ERROR_ARGUMENT, "there is no picture %zu any more", i) !=
               UPSWEEP_OK;
}

/* use(T(), B()) for the film's type and the unsigned integer of its width: bits are compared, so
 * that NaN equals itself. */
template <typename Use> static inline upsweep_status usw_film_typed(const usw_gpu_film *f, Use use)
{
    switch (f->type) {
    case UPSWEEP_U8: return use(uint8_t(), uint8_t());
    case UPSWEEP_I8: return use(int8_t(), uint8_t());
    case UPSWEEP_U16: return use(uint16_t(), uint16_t());
    case UPSWEEP_I16: return use(int16_t(), uint16_t());
    case UPSWEEP_U32: return use(uint32_t(), uint32_t());
    case UPSWEEP_I32: return use(int32_t(), uint32_t());
    case UPSWEEP_U64: return use(uint64_t(), uint64_t());
    case UPSWEEP_I64: return use(int64_t(), uint64_t());
    case UPSWEEP_F32: return use(float(), uint32_t());
    default: return use(double(), uint64_t());
    }
}

/* A value's share of the range from low to high: within 0 .. 1, of NaN 0. All numbers are halved,
 * since the difference of the greatest and the least double is infinite. */
template <typename T>
__device__ __forceinline__ double usw_film_share(T x, double low, double scale)
{
    const double share = (static_cast<double>(x) * 0.5 - low * 0.5) * scale;
    return share >= 1 ? 1 : share >= 0 ? share : 0;
}

static inline double usw_film_scale(double low, double high)
{
    return high > low ? 1 / (high * 0.5 - low * 0.5) : 0;
}

/* gpu/film/draw.cu */
upsweep_status usw_film_attach(usw_gpu *g, usw_gpu_film *f, unsigned gl_buffer);
upsweep_status usw_film_attach_pixels(usw_gpu *g, usw_gpu_film *f, unsigned gl_buffer);
upsweep_status usw_film_draw(usw_gpu *g, usw_gpu_film *f, size_t i, double low, double high);
/* The cells in the pixel buffer: maps it, calls usw_film_write_cells, unmaps it. */
upsweep_status usw_film_paint(usw_gpu *g, usw_gpu_film *f, size_t i, const usw_gpu_cells *cells);
/* gpu/film/density.cu: queues the kernel that writes the cells to device memory. */
upsweep_status usw_film_write_cells(usw_gpu *g, const usw_gpu_film *f, size_t i,
                                    const usw_gpu_cells *cells, unsigned char *to);
upsweep_status usw_film_cells(usw_gpu *g, usw_gpu_film *f, size_t i, const usw_gpu_cells *cells,
                              uint8_t *to);

#endif
