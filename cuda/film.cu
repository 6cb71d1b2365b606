/* film.cu - pictures of an array, one after each kernel, and vertices made of them where OpenGL
 * draws them.
 *
 * The pictures lie in slots of one piece of device memory. When all slots are taken every second
 * picture gives its own back and the stride doubles, so that a run of any length fits. What did not
 * change is found by counting differences, once, when the film is looked at.
 *
 * Shape: one thread an element, blocks of 256, grid-stride. Traffic of a picture: 2 n elements when
 * it is taken, 2 n when it is compared, and 2 n + 8 n bytes when it becomes vertices. */
#include "gpu.cuh"

#include <cstring>
#include <new>
#include <vector>

#ifndef USW_EMULATE
/* As cuda_gl_interop.h has it, which asks for the headers of OpenGL to know that a GLuint is an
 * unsigned int. */
extern "C" cudaError_t cudaGraphicsGLRegisterBuffer(struct cudaGraphicsResource **resource,
                                                    unsigned int buffer, unsigned int flags);
#else
struct cudaGraphicsResource;
#endif

namespace
{

enum { THREADS = 256, BLOCKS = 1024, NAME = 48 };

struct picture {
    char kernel[NAME];
    size_t number, changed, slot;
    bool compared;
};

} // namespace

struct usw_gpu_film {
    unsigned char *array, *slots;
    unsigned long long *differing; /* device: a counter */
    size_t n, bytes, width;
    upsweep_type type;
    std::vector<picture> pictures;
    std::vector<size_t> open; /* slots */
    size_t stride, kernels;
    cudaGraphicsResource *resource;
};

namespace
{

/* ---- kernels ---- */

template <typename T>
__global__ void count_differing(const T *a, const T *b, size_t n, unsigned long long *count)
{
    unsigned long long found = 0;
    size_t step = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        found += a[i] != b[i];
    }
    if (found > 0) {
        atomicAdd(count, found);
    }
}

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

unsigned blocks_for(size_t n)
{
    size_t blocks = (n + THREADS - 1) / THREADS;
    return static_cast<unsigned>(blocks < BLOCKS ? blocks : size_t(BLOCKS));
}

template <typename B>
upsweep_status launch_compare(usw_gpu *g, const usw_gpu_film *f, const void *a, const void *b)
{
    return USW_LAUNCH(g, count_differing<B>, blocks_for(f->n), THREADS, 0,
                      static_cast<const B *>(a), static_cast<const B *>(b), f->n, f->differing);
}

template <typename T, typename B>
upsweep_status launch_vertices(usw_gpu *g, const usw_gpu_film *f, const void *now,
                               const void *before, double low, double high, float *to)
{
    double scale = high > low ? 1 / (high - low) : 0;
    return USW_LAUNCH(g, (make_vertices<T, B>), blocks_for(f->n), THREADS, 0,
                      static_cast<const T *>(now), static_cast<const T *>(before), f->n, low, scale,
                      to);
}

/* ---- pictures ---- */

unsigned char *slot_at(const usw_gpu_film *f, size_t slot)
{
    return f->slots + slot * f->bytes;
}

void thin_out(usw_gpu_film *f)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->pictures.size(); i++) {
        if (i % 2 == 0) {
            f->pictures[kept] = f->pictures[i];
            f->pictures[kept++].compared = false;
        } else {
            f->open.push_back(f->pictures[i].slot);
        }
    }
    f->pictures.resize(kept);
    f->stride *= 2;
}

/* The kernel's name without parentheses, templates and name spaces. */
void copy_name(char to[NAME], const char *kernel)
{
    kernel += *kernel == '(';
    size_t length = strcspn(kernel, "<)"), start = length;
    while (start > 0 && kernel[start - 1] != ':') {
        start--;
    }
    length = length - start < NAME ? length - start : size_t(NAME - 1);
    memcpy(to, kernel + start, length);
    to[length] = '\0';
}

void take_picture(usw_gpu *g, const char *kernel)
{
    usw_gpu_film *f = g->film;
    f->kernels++;
    if (f->kernels % f->stride != 0 || g->capturing) {
        return;
    }
    if (f->open.empty()) {
        thin_out(f);
        if (f->kernels % f->stride != 0) {
            return;
        }
    }
    picture p = {{0}, f->kernels, 0, f->open.back(), false};
    copy_name(p.kernel, kernel);
    if (usw_gpu_copy(g, slot_at(f, p.slot), f->array, f->bytes) == UPSWEEP_OK) {
        f->open.pop_back();
        f->pictures.push_back(p);
    }
}

/* While a film is looked at it takes no pictures. */
struct pause {
    usw_gpu *g;
    usw_gpu_film *kept;
    explicit pause(usw_gpu *handle) : g(handle), kept(handle->film)
    {
        g->film = nullptr;
    }
    ~pause()
    {
        g->film = kept;
    }
};

upsweep_status compare(usw_gpu *g, usw_gpu_film *f, size_t i)
{
    const void *a = slot_at(f, f->pictures[i].slot), *b = slot_at(f, f->pictures[i - 1].slot);
    unsigned long long differing = 0;
    upsweep_status status = usw_gpu_fill(g, f->differing, 0, sizeof differing);
    if (status == UPSWEEP_OK) {
        status = f->width == 1   ? launch_compare<uint8_t>(g, f, a, b)
                 : f->width == 2 ? launch_compare<uint16_t>(g, f, a, b)
                 : f->width == 4 ? launch_compare<uint32_t>(g, f, a, b)
                                 : launch_compare<uint64_t>(g, f, a, b);
    }
    if (status == UPSWEEP_OK) {
        status = usw_gpu_download(g, &differing, f->differing, sizeof differing);
    }
    f->pictures[i].changed = differing;
    f->pictures[i].compared = status == UPSWEEP_OK;
    return status;
}

upsweep_status film_count(usw_gpu *g, usw_gpu_film *f, size_t *count)
{
    pause paused(g);
    size_t i = 1;
    while (i < f->pictures.size()) {
        upsweep_status status = f->pictures[i].compared ? UPSWEEP_OK : compare(g, f, i);
        if (status != UPSWEEP_OK) {
            return status;
        }
        if (f->pictures[i].changed == 0) {
            f->open.push_back(f->pictures[i].slot);
            f->pictures.erase(f->pictures.begin() + static_cast<long>(i));
        } else {
            i++;
        }
    }
    *count = f->pictures.size();
    return UPSWEEP_OK;
}

void film_at(const usw_gpu_film *f, size_t i, upsweep_picture *p)
{
    if (i < f->pictures.size()) {
        *p = {f->pictures[i].kernel, f->pictures[i].number, f->pictures[i].changed};
    }
}

/* Calls since the pictures were counted may have let some go. */
bool is_gone(usw_gpu *g, const usw_gpu_film *f, size_t i)
{
    return i >= f->pictures.size() &&
           usw_gpu_fail(g, UPSWEEP_ERROR_ARGUMENT, "there is no picture %zu any more", i) !=
               UPSWEEP_OK;
}

upsweep_status film_read(usw_gpu *g, usw_gpu_film *f, size_t i, void *values)
{
    pause paused(g);
    if (is_gone(g, f, i)) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    return usw_gpu_download(g, values, slot_at(f, f->pictures[i].slot), f->bytes);
}

/* ---- OpenGL ---- */

upsweep_status film_attach(usw_gpu *g, usw_gpu_film *f, unsigned gl_buffer)
{
#ifdef USW_EMULATE
    (void)f;
    return gl_buffer == 0 ? UPSWEEP_OK
                          : usw_gpu_fail(g, UPSWEEP_ERROR_DEVICE, "no OpenGL shares this device");
#else
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
#endif
}

#ifndef USW_EMULATE
upsweep_status write_vertices(usw_gpu *g, const usw_gpu_film *f, size_t i, double low, double high,
                              float *to)
{
    const void *a = slot_at(f, f->pictures[i].slot);
    const void *b = i == 0 ? a : slot_at(f, f->pictures[i - 1].slot);
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
#endif

upsweep_status film_draw(usw_gpu *g, usw_gpu_film *f, size_t i, double low, double high)
{
#ifdef USW_EMULATE
    (void)f, (void)i, (void)low, (void)high;
    return usw_gpu_fail(g, UPSWEEP_ERROR_DEVICE, "no OpenGL shares this device");
#else
    pause paused(g);
    if (is_gone(g, f, i)) {
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
#endif
}

/* ---- open and close ---- */

void film_close(usw_gpu *g, usw_gpu_film *f)
{
    (void)film_attach(g, f, 0);
    (void)cudaStreamSynchronize(g->stream);
    (void)cudaFree(f->slots);
    (void)cudaFree(f->array);
    (void)cudaFree(f->differing);
    g->film = nullptr;
    delete f;
}

/* Room in the lists for all slots, so that taking a picture allocates nothing. */
bool make_lists(usw_gpu_film *f, size_t slots)
{
    try {
        f->pictures.reserve(slots);
        f->open.reserve(slots);
    } catch (const std::bad_alloc &) {
        return false;
    }
    for (size_t slot = slots; slot-- > 0;) {
        f->open.push_back(slot);
    }
    return true;
}

upsweep_status allocate(usw_gpu *g, usw_gpu_film *f, size_t slots)
{
    if (!make_lists(f, slots)) {
        return usw_gpu_fail(g, UPSWEEP_ERROR_MEMORY, "no memory for a film");
    }
    void *array = nullptr, *pictures = nullptr, *counter = nullptr;
    upsweep_status status = usw_gpu_check(g, cudaMalloc(&array, f->bytes), "cudaMalloc");
    f->array = static_cast<unsigned char *>(array);
    if (status == UPSWEEP_OK) {
        status = usw_gpu_check(g, cudaMalloc(&pictures, slots * f->bytes), "cudaMalloc");
        f->slots = static_cast<unsigned char *>(pictures);
    }
    if (status == UPSWEEP_OK) {
        status = usw_gpu_check(g, cudaMalloc(&counter, 256), "cudaMalloc");
        f->differing = static_cast<unsigned long long *>(counter);
    }
    return status;
}

upsweep_status film_open(usw_gpu *g, const void *values, size_t n, upsweep_type type, size_t bytes,
                         size_t limit, usw_gpu_film **film, void **array)
{
    usw_gpu_film *f = new (std::nothrow) usw_gpu_film();
    if (f == nullptr) {
        return usw_gpu_fail(g, UPSWEEP_ERROR_MEMORY, "no memory for a film");
    }
    f->n = n;
    f->type = type;
    f->bytes = bytes;
    f->width = bytes / n;
    f->stride = 1;
    size_t slots = limit / bytes < 2 ? 2 : limit / bytes < 4096 ? limit / bytes : 4096;
    upsweep_status status = allocate(g, f, slots);
    if (status == UPSWEEP_OK) {
        status = usw_gpu_place_of(g, values) == USW_ON_HOST
                     ? usw_gpu_upload(g, f->array, values, bytes)
                     : usw_gpu_copy(g, f->array, values, bytes);
    }
    if (status == UPSWEEP_OK) {
        picture start = {"start", 0, 0, 0, true};
        f->open.pop_back();
        f->pictures.push_back(start);
        status = usw_gpu_copy(g, f->slots, f->array, bytes);
    }
    if (status != UPSWEEP_OK) {
        film_close(g, f);
        return status;
    }
    g->film = f;
    g->take = take_picture;
    *film = f;
    *array = f->array;
    return UPSWEEP_OK;
}

} // namespace

USW_GPU_FORM(usw_gpu_film_step, usw_film_cuda) = {film_open, film_close,  film_count, film_at,
                                                  film_read, film_attach, film_draw};
