/* run.c - makes a real run: opens a handle, takes the time, takes the pictures. */
/* SPDX-License-Identifier: MIT */
#include "view/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool is_of(const upsweep_algorithm *a, const char *operation)
{
    return strcmp(a->operation, operation) == 0;
}

static bool is_on_gpu(const char *device)
{
    return strncmp(device, "cuda", 4) == 0;
}

const char *view_run_lacks(const upsweep_algorithm *a, const char *device)
{
    if (is_of(a, "reduce")) {
        return "a reduction writes its total and no array, so a real run of it shows nothing; "
               "without --run its rounds are played";
    }
    if (!is_on_gpu(device) && strcmp(device, "cpu") != 0) {
        return "real runs are watched with --device cpu or --device cuda";
    }
    return NULL;
}

upsweep_status view_run_call(const view_run *r, upsweep *u, void *array)
{
    upsweep_options options = UPSWEEP_OPTIONS_INIT;
    upsweep_path_options path = {.size = sizeof path, .algorithm = r->algorithm->name};
    const uint32_t source = 0;
    options.algorithm = r->algorithm->name;
    if (r->net != NULL) {
        return upsweep_paths(u, r->net, &source, 1, array, NULL, &path);
    }
    if (r->flags != NULL) {
        return upsweep_split(u, r->numbers, r->flags, array, r->n, r->bytes, NULL, &options);
    }
    return r->sorts ? upsweep_sort(u, array, r->n, r->type, &options)
                    : upsweep_scan(u, array, array, r->n, r->type, UPSWEEP_SUM, &options);
}

static bool failed(const upsweep *u, io_error *error)
{
    return io_because(error, "%s", upsweep_error(u));
}

static upsweep_status check_order(view_run *r, const void *array)
{
    size_t first = 0;
    upsweep_status status =
        r->sorts ? upsweep_is_sorted(r->handle, array, r->n, r->type, &first, NULL) : UPSWEEP_OK;
    r->in_order = r->sorts && status == UPSWEEP_OK && first == r->n;
    return status;
}

/* ---- on a GPU ---- */

static bool time_on_gpu(view_run *r, io_error *error)
{
    upsweep_film *film;
    for (int turn = 0; turn < 2; turn++) { /* the first one makes the scratch */
        if (upsweep_film_open(r->handle, r->numbers, r->n, r->type, 0, &film) != UPSWEEP_OK) {
            return failed(r->handle, error);
        }
        (void)upsweep_wait(r->handle);
        double began = seconds_now();
        upsweep_status status = view_run_call(r, r->handle, upsweep_film_array(film));
        status = status == UPSWEEP_OK ? upsweep_wait(r->handle) : status;
        /* A split takes its input from the host, which would count too. */
        r->seconds = r->flags == NULL ? seconds_now() - began : 0;
        upsweep_film_close(film);
        if (status != UPSWEEP_OK) {
            return failed(r->handle, error);
        }
    }
    return true;
}

/* Distances of what is not reached are of no range. */
static void widen(view_run *r, const void *array)
{
    if (r->net == NULL) {
        view_range(array, r->n, r->type, r->range);
        return;
    }
    r->range[0] = 0;
    r->range[1] = 1;
    for (size_t v = 0; v < r->n; v++) {
        uint32_t d = ((const uint32_t *)array)[v];
        r->range[1] = d != UINT32_MAX && d > r->range[1] ? d : r->range[1];
    }
}

/* Distances, by a search that is not filmed; with room at the end for what is not reached. */
static upsweep_status range_of_paths(view_run *r)
{
    uint32_t *distances = malloc(r->n * sizeof *distances);
    upsweep_status status =
        distances == NULL ? UPSWEEP_ERROR_MEMORY : view_run_call(r, r->handle, distances);
    if (status == UPSWEEP_OK) {
        widen(r, distances);
        r->range[1] = r->range[1] * 1.001 + 1;
    }
    free(distances);
    return status;
}

/* What a scan makes lies elsewhere than its input. */
static upsweep_status range_on_gpu(view_run *r)
{
    unsigned char ends[2][8];
    if (r->net != NULL) {
        return range_of_paths(r);
    }
    if (r->sorts || r->flags != NULL) {
        return UPSWEEP_OK;
    }
    upsweep_status status = upsweep_minmax(r->handle, upsweep_film_array(r->film), r->n, r->type,
                                           ends[0], ends[1], NULL);
    status = status == UPSWEEP_OK ? upsweep_wait(r->handle) : status;
    for (size_t k = 0; k < 2 && status == UPSWEEP_OK; k++) {
        view_range(ends[k], 1, r->type, r->range);
    }
    return status;
}

static bool film_on_gpu(view_run *r, io_error *error)
{
    enum { LIMIT = 1 << 30 };
    if (upsweep_film_open(r->handle, r->numbers, r->n, r->type, LIMIT, &r->film) != UPSWEEP_OK ||
        view_run_call(r, r->handle, upsweep_film_array(r->film)) != UPSWEEP_OK ||
        upsweep_film_count(r->film, &r->count) != UPSWEEP_OK ||
        check_order(r, upsweep_film_array(r->film)) != UPSWEEP_OK ||
        range_on_gpu(r) != UPSWEEP_OK || upsweep_wait(r->handle) != UPSWEEP_OK) {
        return failed(r->handle, error);
    }
    return true;
}

/* ---- on the CPU ---- */

static bool run_on_cpu(view_run *r, io_error *error)
{
    void *copy = malloc(r->n * r->bytes);
    upsweep_status status = UPSWEEP_OK;
    if (copy == NULL) {
        return io_because(error, "out of memory");
    }
    for (int turn = 0; turn < 2 && status == UPSWEEP_OK; turn++) {
        memcpy(copy, r->numbers, r->n * r->bytes);
        double began = seconds_now();
        status = view_run_call(r, r->handle, copy);
        r->seconds = seconds_now() - began;
    }
    status = status == UPSWEEP_OK ? check_order(r, copy) : status;
    if (status == UPSWEEP_OK) {
        widen(r, copy);
    }
    free(copy);
    return status != UPSWEEP_OK ? failed(r->handle, error) : view_run_film_cpu(r, r->handle, error);
}

/* ---- both ---- */

/* A split that can be seen: what lies below the middle comes first. */
static bool make_flags(view_run *r)
{
    r->flags = malloc(r->n);
    r->levels = malloc(r->n * sizeof *r->levels);
    if (r->flags == NULL || r->levels == NULL) {
        return false;
    }
    view_levels(r->numbers, r->n, r->type, r->range, r->levels);
    for (size_t i = 0; i < r->n; i++) {
        r->flags[i] = r->levels[i] > VIEW_LEVELS / 2;
    }
    return true;
}

static bool make_graph(view_run *r, io_error *error)
{
    const view_graph *g = r->graph;
    r->numbers = r->start = malloc(r->n * sizeof *r->start);
    if (r->start == NULL) {
        return io_because(error, "out of memory");
    }
    memset(r->start, 255, r->n * sizeof *r->start);
    return upsweep_graph_from_arcs(r->handle, g->vertices, g->arcs, g->tail, g->head, g->weight,
                                   UPSWEEP_U32, 0, &r->net) == UPSWEEP_OK ||
           failed(r->handle, error);
}

bool view_run_make(view_run *r, const view_run_wish *w, io_error *error)
{
    upsweep_config config = {.size = sizeof config, .threads = w->threads};
    const char *why = "";
    bool paths = is_of(w->algorithm, "path");
    *r = (view_run){.algorithm = w->algorithm,
                    .type = paths ? UPSWEEP_U32 : w->type,
                    .n = paths ? w->graph->vertices : w->n,
                    .graph = paths ? w->graph : NULL,
                    .numbers = paths ? NULL : w->numbers,
                    .range = {INFINITY, -INFINITY},
                    .sorts = is_of(w->algorithm, "sort")};
    r->bytes = upsweep_type_bytes(r->type);
    snprintf(r->device, sizeof r->device, "%s", w->device);
    if (r->numbers != NULL) {
        view_range(r->numbers, r->n, r->type, r->range);
    }
    if (is_of(w->algorithm, "split") && !make_flags(r)) {
        return io_because(error, "out of memory");
    }
    if (upsweep_open_why(&r->handle, w->device, &config, &why) != UPSWEEP_OK) {
        return io_because(error, "%s", why);
    }
    if (paths && !make_graph(r, error)) {
        return false;
    }
    return is_on_gpu(w->device) ? time_on_gpu(r, error) && film_on_gpu(r, error)
                                : run_on_cpu(r, error);
}

void view_run_free(view_run *r)
{
    upsweep_film_close(r->film);
    upsweep_graph_free(r->net);
    upsweep_close(r->handle);
    free(r->pictures);
    free(r->order);
    free(r->fetched);
    free(r->start);
    free(r->levels);
    free(r->marks);
    free(r->flags);
    free(r->cells);
    *r = (view_run){0};
}
