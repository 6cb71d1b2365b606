/* film.c - films of an array in device memory: checks, and the way to the plugin's step. */
/* SPDX-License-Identifier: MIT */
#include "core/check.h"
#include "core/plugin.h"

struct upsweep_film {
    upsweep *u;
    const usw_gpu_film_step *step;
    usw_gpu_film *film;
    void *array;
    size_t n, bytes, count;
    bool attached, attached_pixels;
    uint64_t bytes_read;
};

static const usw_gpu_film_step *find_step(const upsweep *u)
{
    const usw_gpu_named *named = u->plugin->forms;
    while (named->stem != NULL && strcmp(named->stem, "film") != 0) {
        named++;
    }
    return named->form;
}

/* Every use of the step goes: begin, the step, end. */
static void begin(upsweep *u)
{
    usw_lock(u);
    u->plugin->begin(u->gpu, false);
}

static upsweep_status end(upsweep *u, upsweep_status status)
{
    u->plugin->end(u->gpu);
    if (status != UPSWEEP_OK) {
        (void)usw_fail(u, status, "%s", u->plugin->error(u->gpu));
    }
    usw_unlock(u);
    return status;
}

static upsweep_status check_open(upsweep *u, const void *values, size_t n, upsweep_type type)
{
    if (u->gpu == NULL || strcmp(u->device_name, "cuda:plan") == 0) {
        return usw_fail(u, UPSWEEP_ERROR_UNSUPPORTED, "film_open: the handle has no GPU");
    }
    if (type == UPSWEEP_F16 || type == UPSWEEP_BF16) {
        return usw_fail(u, UPSWEEP_ERROR_UNSUPPORTED, "film_open: not for f16 and bf16");
    }
    if (n == 0) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "film_open: there is nothing to film, n is 0");
    }
    upsweep_status status = usw_check_type(u, type);
    return status != UPSWEEP_OK ? status
                                : usw_check_array(u, values, n, upsweep_type_bytes(type), "values");
}

upsweep_status upsweep_film_open(upsweep *u, const void *values, size_t n, upsweep_type type,
                                 size_t limit, upsweep_film **film)
{
    if (film == NULL || u == NULL) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    *film = NULL;
    usw_lock(u);
    upsweep_status status = check_open(u, values, n, type);
    upsweep_film *f = NULL;
    if (status == UPSWEEP_OK && (f = usw_allocate(u, sizeof *f, 64)) == NULL) {
        status = usw_fail(u, UPSWEEP_ERROR_MEMORY, "film_open: no memory");
    }
    usw_unlock(u);
    if (status != UPSWEEP_OK) {
        return status;
    }
    *f =
        (upsweep_film){.u = u, .step = find_step(u), .n = n, .bytes = n * upsweep_type_bytes(type)};
    begin(u);
    status = end(u, f->step->open(u->gpu, values, n, type, f->bytes, limit, &f->film, &f->array));
    if (status != UPSWEEP_OK) {
        usw_release(u, f, sizeof *f);
        return status;
    }
    f->count = 1;
    *film = f;
    return UPSWEEP_OK;
}

void *upsweep_film_array(const upsweep_film *film)
{
    return film == NULL ? NULL : film->array;
}

upsweep_status upsweep_film_count(upsweep_film *film, size_t *count)
{
    if (film == NULL || count == NULL) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    begin(film->u);
    upsweep_status status = end(film->u, film->step->count(film->u->gpu, film->film, &film->count));
    *count = status == UPSWEEP_OK ? film->count : 0;
    return status;
}

upsweep_status upsweep_film_at(const upsweep_film *film, size_t i, upsweep_picture *picture)
{
    if (film == NULL || picture == NULL || i >= film->count) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    upsweep_picture all = UPSWEEP_PICTURE_INIT;
    film->step->at(film->film, i, &all);
    return usw_give_struct(picture, &all, sizeof all, USW_PICTURE_FIRST) == NULL
               ? UPSWEEP_OK
               : UPSWEEP_ERROR_ARGUMENT;
}

upsweep_status upsweep_film_read(upsweep_film *film, size_t i, void *values)
{
    if (film == NULL || values == NULL || i >= film->count) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    begin(film->u);
    film->bytes_read += film->bytes;
    return end(film->u, film->step->read(film->u->gpu, film->film, i, values));
}

upsweep_status upsweep_film_attach(upsweep_film *film, unsigned gl_buffer)
{
    if (film == NULL) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    begin(film->u);
    upsweep_status status = end(film->u, film->step->attach(film->u->gpu, film->film, gl_buffer));
    film->attached = gl_buffer != 0 && status == UPSWEEP_OK;
    return status;
}

upsweep_status upsweep_film_draw(upsweep_film *film, size_t i, double low, double high)
{
    if (film == NULL || i >= film->count || !film->attached) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    begin(film->u);
    return end(film->u, film->step->draw(film->u->gpu, film->film, i, low, high));
}

upsweep_status upsweep_film_attach_pixels(upsweep_film *film, unsigned gl_buffer)
{
    if (film == NULL) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    begin(film->u);
    upsweep_status status =
        end(film->u, film->step->attach_pixels(film->u->gpu, film->film, gl_buffer));
    film->attached_pixels = gl_buffer != 0 && status == UPSWEEP_OK;
    return status;
}

upsweep_status upsweep_film_cells(upsweep_film *film, size_t i, double low, double high,
                                  size_t columns, size_t rows, uint8_t *cells)
{
    enum { MOST_COLUMNS = 1 << 16 };
    if (film == NULL || i >= film->count || (cells == NULL && !film->attached_pixels) ||
        columns == 0 || columns > MOST_COLUMNS || rows == 0 || rows > USW_FILM_ROWS ||
        film->n / columns >= UINT32_MAX) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    usw_gpu_cells wish = {low, high, columns, rows};
    begin(film->u);
    film->bytes_read += cells != NULL ? 2 * columns * rows : 0;
    return end(film->u, film->step->cells(film->u->gpu, film->film, i, &wish, cells));
}

uint64_t upsweep_film_bytes_read(const upsweep_film *film)
{
    return film == NULL ? 0 : film->bytes_read;
}

void upsweep_film_close(upsweep_film *film)
{
    if (film != NULL) {
        upsweep *u = film->u;
        begin(u);
        film->step->close(u->gpu, film->film);
        (void)end(u, UPSWEEP_OK);
        usw_release(u, film, sizeof *film);
    }
}
