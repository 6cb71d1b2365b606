/* film.cuh - a film of an array: what film.cu, which takes the pictures, and film_draw.cu, which
 * draws them, share. */
#ifndef USW_FILM_CUH
#define USW_FILM_CUH

#include "gpu.cuh"

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
    char last[USW_FILM_NAME]; /* kernel */
    cudaGraphicsResource *resource;
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

/* Calls since the pictures were counted may have let some go. */
static inline bool usw_film_is_gone(usw_gpu *g, const usw_gpu_film *f, size_t i)
{
    return i >= f->pictures.size() &&
           usw_gpu_fail(g, UPSWEEP_ERROR_ARGUMENT, "there is no picture %zu any more", i) !=
               UPSWEEP_OK;
}

/* film_draw.cu */
upsweep_status usw_film_attach(usw_gpu *g, usw_gpu_film *f, unsigned gl_buffer);
upsweep_status usw_film_draw(usw_gpu *g, usw_gpu_film *f, size_t i, double low, double high);

#endif
