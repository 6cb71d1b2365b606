/* run_picture.c - a picture of a real run as what is drawn: levels or cells in the host's memory,
 * or vertices and pixels in OpenGL's buffers, written from device memory. */
/* SPDX-License-Identifier: MIT */
#include "view/run.h"

#include <stdlib.h>

/* Picture i as it was taken. slot: which of two places of a picture that is fetched. */
static const unsigned char *bytes_of(view_run *r, size_t i, size_t slot)
{
    size_t bytes = r->n * r->bytes;
    if (r->film == NULL) {
        return r->pictures + r->order[i] * bytes;
    }
    if (r->fetched == NULL) {
        r->fetched = malloc(2 * bytes);
    }
    if (r->fetched == NULL ||
        upsweep_film_read(r->film, i, r->fetched + slot * bytes) != UPSWEEP_OK) {
        return NULL;
    }
    return r->fetched + slot * bytes;
}

/* The nearer the brighter, and what is reached stands out from what is not. */
static void lift_reached(const view_run *r, const uint32_t *distances)
{
    for (size_t v = 0; v < r->n; v++) {
        uint32_t above = r->levels[v] - r->levels[v] / 4;
        r->levels[v] = distances[v] == UINT32_MAX ? 0 : VIEW_LEVELS - above;
    }
}

const uint32_t *view_run_picture(view_run *r, size_t i)
{
    if (r->marked == i + 1) {
        return r->levels;
    }
    r->levels = r->levels != NULL ? r->levels : malloc(r->n * sizeof *r->levels);
    r->marks = r->marks != NULL ? r->marks : malloc(r->n);
    const unsigned char *now = bytes_of(r, i, 0), *before = i > 0 ? bytes_of(r, i - 1, 1) : now;
    r->marked = 0;
    if (r->levels == NULL || r->marks == NULL || now == NULL || before == NULL) {
        return NULL;
    }
    view_levels(now, r->n, r->type, r->range, r->levels);
    view_differ(now, before, r->n, r->bytes, r->marks);
    if (r->graph != NULL) {
        lift_reached(r, (const uint32_t *)(const void *)now);
    }
    r->marked = i + 1;
    return r->levels;
}

const uint8_t *view_run_cells(view_run *r, size_t i, size_t columns, size_t rows)
{
    if (r->celled == i + 1 && r->columns == columns && r->rows == rows) {
        return r->cells;
    }
    if (2 * columns * rows > r->cells_room) {
        free(r->cells);
        r->cells = malloc(2 * columns * rows);
        r->cells_room = r->cells != NULL ? 2 * columns * rows : 0;
    }
    r->celled = 0;
    if (r->cells == NULL) {
        return NULL;
    }
    if (r->film != NULL) {
        if (upsweep_film_cells(r->film, i, r->range[0], r->range[1], columns, rows, r->cells) !=
            UPSWEEP_OK) {
            return NULL;
        }
    } else {
        const uint32_t *levels = view_run_picture(r, i);
        if (levels == NULL) {
            return NULL;
        }
        view_cells(levels, r->marks, r->n, columns, rows, r->cells);
    }
    r->celled = i + 1;
    r->columns = columns;
    r->rows = rows;
    return r->cells;
}

const char *view_run_step(const view_run *r, size_t i)
{
    upsweep_picture picture = UPSWEEP_PICTURE_INIT;
    bool known = r->film != NULL && upsweep_film_at(r->film, i, &picture) == UPSWEEP_OK;
    return known ? picture.kernel : "";
}

void view_run_attach(view_run *r, unsigned buffer, unsigned pixels)
{
    r->attached = r->film != NULL && upsweep_film_attach(r->film, buffer) == UPSWEEP_OK;
    if (r->attached && upsweep_film_attach_pixels(r->film, pixels) != UPSWEEP_OK) {
        view_run_detach(r);
    }
    r->buffer = r->attached ? buffer : 0;
    r->pixels = r->attached ? pixels : 0;
    r->in_buffer = r->celled = 0;
}

void view_run_detach(view_run *r)
{
    if (r->attached) {
        (void)upsweep_film_attach(r->film, 0);
        (void)upsweep_film_attach_pixels(r->film, 0);
        r->attached = false;
    }
}

bool view_run_fill(view_run *r, size_t i)
{
    if (r->in_buffer != i + 1 &&
        upsweep_film_draw(r->film, i, r->range[0], r->range[1]) == UPSWEEP_OK) {
        r->in_buffer = i + 1;
        r->mapped[0]++;
    }
    return r->in_buffer == i + 1;
}

bool view_run_paint(view_run *r, size_t i, size_t columns, size_t rows)
{
    bool held = r->celled == i + 1 && r->columns == columns && r->rows == rows;
    if (!held && upsweep_film_cells(r->film, i, r->range[0], r->range[1], columns, rows, NULL) ==
                     UPSWEEP_OK) {
        r->celled = i + 1;
        r->columns = columns;
        r->rows = rows;
        r->mapped[1]++;
        held = true;
    }
    return held;
}
