/* run.c - makes a real run: opens a handle, takes the time, takes the pictures. */
#include "run.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static upsweep_status sort(const view_run *r, upsweep *u, void *keys)
{
    upsweep_options options = UPSWEEP_OPTIONS_INIT;
    options.algorithm = r->algorithm;
    return upsweep_sort(u, keys, r->n, UPSWEEP_U32, &options);
}

static bool failed(const upsweep *u, io_error *error)
{
    return io_because(error, "%s", upsweep_error(u));
}

/* ---- on a GPU ---- */

static bool time_on_gpu(view_run *r, const uint32_t *values, io_error *error)
{
    upsweep_film *film;
    for (int turn = 0; turn < 2; turn++) { /* the first one makes the scratch */
        if (upsweep_film_open(r->handle, values, r->n, UPSWEEP_U32, 0, &film) != UPSWEEP_OK) {
            return failed(r->handle, error);
        }
        (void)upsweep_wait(r->handle);
        double began = seconds_now();
        upsweep_status status = sort(r, r->handle, upsweep_film_array(film));
        status = status == UPSWEEP_OK ? upsweep_wait(r->handle) : status;
        r->seconds = seconds_now() - began;
        upsweep_film_close(film);
        if (status != UPSWEEP_OK) {
            return failed(r->handle, error);
        }
    }
    return true;
}

static bool film_on_gpu(view_run *r, const uint32_t *values, io_error *error)
{
    enum { LIMIT = 1 << 30 };
    size_t first = 0;
    if (upsweep_film_open(r->handle, values, r->n, UPSWEEP_U32, LIMIT, &r->film) != UPSWEEP_OK ||
        sort(r, r->handle, upsweep_film_array(r->film)) != UPSWEEP_OK ||
        upsweep_film_count(r->film, &r->count) != UPSWEEP_OK ||
        upsweep_is_sorted(r->handle, upsweep_film_array(r->film), r->n, UPSWEEP_U32, &first,
                          NULL) != UPSWEEP_OK ||
        upsweep_wait(r->handle) != UPSWEEP_OK) {
        return failed(r->handle, error);
    }
    r->in_order = first == r->n;
    return true;
}

/* ---- both ---- */

static bool run_on_cpu(view_run *r, const uint32_t *values, io_error *error)
{
    size_t bytes = r->n * sizeof *values;
    uint32_t *copy = malloc(bytes);
    upsweep_status status = UPSWEEP_OK;
    if (copy == NULL) {
        return io_because(error, "out of memory");
    }
    for (int turn = 0; turn < 2 && status == UPSWEEP_OK; turn++) {
        memcpy(copy, values, bytes);
        double began = seconds_now();
        status = sort(r, r->handle, copy);
        r->seconds = seconds_now() - began;
    }
    r->in_order = true;
    for (size_t i = 1; i < r->n; i++) {
        r->in_order = r->in_order && copy[i - 1] <= copy[i];
    }
    free(copy);
    return status != UPSWEEP_OK ? failed(r->handle, error)
                                : view_run_film_cpu(r, r->handle, values, error);
}

bool view_run_make(view_run *r, const char *algorithm, const char *device, unsigned threads,
                   const uint32_t *values, size_t n, io_error *error)
{
    upsweep_config config = {.size = sizeof config, .threads = threads};
    const char *why = "";
    *r = (view_run){.n = n, .top = 1};
    snprintf(r->algorithm, sizeof r->algorithm, "%s", algorithm);
    snprintf(r->device, sizeof r->device, "%s", device);
    r->marks = calloc(n + 1, 1);
    if (r->marks == NULL) {
        return io_because(error, "out of memory");
    }
    for (size_t i = 0; i < n; i++) {
        r->top = values[i] > r->top ? values[i] : r->top;
    }
    if (upsweep_open_why(&r->handle, device, &config, &why) != UPSWEEP_OK) {
        return io_because(error, "%s", why);
    }
    bool gpu = strncmp(device, "cuda", 4) == 0;
    return gpu ? time_on_gpu(r, values, error) && film_on_gpu(r, values, error)
               : run_on_cpu(r, values, error);
}

void view_run_free(view_run *r)
{
    upsweep_film_close(r->film);
    upsweep_close(r->handle);
    free(r->pictures);
    free(r->order);
    free(r->fetched);
    free(r->marks);
    *r = (view_run){0};
}

static const uint32_t *fetch(view_run *r, size_t i, size_t slot)
{
    if (r->fetched == NULL) {
        r->fetched = malloc(2 * r->n * sizeof *r->fetched);
    }
    if (r->fetched == NULL ||
        upsweep_film_read(r->film, i, r->fetched + slot * r->n) != UPSWEEP_OK) {
        return NULL;
    }
    return r->fetched + slot * r->n;
}

const uint32_t *view_run_picture(view_run *r, size_t i)
{
    bool known = r->marked == i + 1;
    const uint32_t *now = r->film == NULL ? r->pictures + r->order[i] * r->n
                          : known         ? r->fetched
                                          : fetch(r, i, 0);
    if (now == NULL || known) {
        return now;
    }
    size_t other = i > 0 ? i - 1 : 0;
    const uint32_t *before =
        r->film == NULL ? r->pictures + r->order[other] * r->n : fetch(r, other, 1);
    for (size_t k = 0; before != NULL && k < r->n; k++) {
        r->marks[k] = now[k] != before[k];
    }
    r->marked = i + 1;
    return now;
}

const char *view_run_step(const view_run *r, size_t i)
{
    upsweep_picture picture;
    bool known = r->film != NULL && upsweep_film_at(r->film, i, &picture) == UPSWEEP_OK;
    return known ? picture.kernel : "";
}

void view_run_attach(view_run *r, unsigned buffer)
{
    r->attached = r->film != NULL && upsweep_film_attach(r->film, buffer) == UPSWEEP_OK;
    r->attached_once = r->attached_once || r->attached;
    r->buffer = r->attached ? buffer : 0;
    r->in_buffer = 0;
}

void view_run_detach(view_run *r)
{
    if (r->attached) {
        (void)upsweep_film_attach(r->film, 0);
        r->attached = false;
    }
}

bool view_run_fill(view_run *r, size_t i)
{
    if (r->in_buffer != i + 1 && upsweep_film_draw(r->film, i, 0, (double)r->top) == UPSWEEP_OK) {
        r->in_buffer = i + 1;
    }
    return r->in_buffer == i + 1;
}
