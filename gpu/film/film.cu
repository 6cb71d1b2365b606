/* film.cu - pictures of an array, one after each kernel.
 *
 * The pictures lie in slots of one piece of device memory. When all slots are taken every second
 * picture gives its slot back and the stride doubles, so that a sort of any length fits. Pictures
 * without a change are found by counting differences, once, when the film is counted.
 *
 * Shape: one thread an element, blocks of 256, grid-stride. Traffic of a picture: 2 n elements when
 * it is taken, 2 n when it is compared. */
/* SPDX-License-Identifier: MIT */
#include "gpu/film/film.cuh"

#include <cstring>
#include <new>

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

template <typename B>
upsweep_status launch_compare(usw_gpu *g, const usw_gpu_film *f, const void *a, const void *b)
{
    return USW_LAUNCH(g, count_differing<B>, usw_film_blocks(f->n), USW_FILM_THREADS, 0,
                      static_cast<const B *>(a), static_cast<const B *>(b), f->n, f->differing);
}

/* ---- pictures ---- */

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
void copy_name(char to[USW_FILM_NAME], const char *kernel)
{
    kernel += *kernel == '(';
    size_t length = strcspn(kernel, "<)"), start = length;
    while (start > 0 && kernel[start - 1] != ':') {
        start--;
    }
    length = length - start < USW_FILM_NAME ? length - start : size_t(USW_FILM_NAME - 1);
    memcpy(to, kernel + start, length);
    to[length] = '\0';
}

void add_picture(usw_gpu *g, usw_gpu_film *f)
{
    usw_film_picture p = {{0}, f->kernels, 0, f->open.back(), false};
    memcpy(p.kernel, f->last, sizeof p.kernel);
    if (usw_gpu_copy(g, usw_film_slot(f, p.slot), f->array, f->bytes) == UPSWEEP_OK) {
        f->open.pop_back();
        f->pictures.push_back(p);
    }
}

void take_picture(usw_gpu *g, const char *kernel)
{
    usw_gpu_film *f = g->film;
    f->kernels++;
    copy_name(f->last, kernel);
    if (f->kernels % f->stride != 0 || g->capturing) {
        return;
    }
    if (f->open.empty()) {
        thin_out(f);
        if (f->kernels % f->stride != 0) {
            return;
        }
    }
    add_picture(g, f);
}

/* A picture of the array at the end, if the last kernel had none. */
void take_last(usw_gpu *g, usw_gpu_film *f)
{
    if (f->pictures.back().number < f->kernels) {
        if (f->open.empty()) {
            thin_out(f);
        }
        add_picture(g, f);
    }
}

upsweep_status compare(usw_gpu *g, usw_gpu_film *f, size_t i)
{
    const void *a = usw_film_slot(f, f->pictures[i].slot),
               *b = usw_film_slot(f, f->pictures[i - 1].slot);
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
    usw_film_pause paused(g);
    size_t i = 1;
    take_last(g, f);
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
        p->kernel = f->pictures[i].kernel;
        p->number = f->pictures[i].number;
        p->changed = f->pictures[i].changed;
    }
}

upsweep_status film_read(usw_gpu *g, usw_gpu_film *f, size_t i, void *values)
{
    usw_film_pause paused(g);
    if (usw_film_is_gone(g, f, i)) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    return usw_gpu_download(g, values, usw_film_slot(f, f->pictures[i].slot), f->bytes);
}

/* ---- open and close ---- */

void film_close(usw_gpu *g, usw_gpu_film *f)
{
    (void)usw_film_attach(g, f, 0);
    (void)usw_film_attach_pixels(g, f, 0);
    (void)cudaStreamSynchronize(g->stream);
    (void)cudaFree(f->cells);
    (void)cudaFree(f->slots);
    (void)cudaFree(f->array);
    (void)cudaFree(f->differing);
    g->film = nullptr;
    delete f;
}

/* Both lists have memory for all slots, so that taking a picture allocates nothing. */
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
        usw_film_picture start = {"start", 0, 0, 0, true};
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

USW_GPU_FORM(usw_gpu_film_step, usw_film_cuda) = {
    film_open,     film_close,      film_count,    film_at,
    film_read,     usw_film_attach, usw_film_draw, usw_film_attach_pixels,
    usw_film_cells};
