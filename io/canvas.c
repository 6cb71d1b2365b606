/* canvas.c - picks the kind of picture by the end of the file's name. */
/* SPDX-License-Identifier: MIT */
#include "io/canvas.h"

#include <stdlib.h>

static bool ends_with(const char *file, const char *end)
{
    size_t length = strlen(file), size = strlen(end);
    return length > size && strcmp(file + length - size, end) == 0;
}

bool io_canvas_can(const char *file, io_error *error)
{
    bool png = ends_with(file, ".png");
    if (!png && !ends_with(file, ".svg")) {
        return io_because(error, "%s: a picture's name ends with .svg or .png", file);
    }
    return !png || io_canvas_png_why == NULL ||
           io_because(error, "%s: %s", file, io_canvas_png_why);
}

io_canvas *io_canvas_new(io_output *out, io_error *error, float width, float height,
                         int32_t background)
{
    io_canvas *c = malloc(sizeof *c);
    if (c == NULL) {
        return NULL;
    }
    *c = (io_canvas){.kind = ends_with(out->name, ".png") ? &io_canvas_png : &io_canvas_svg,
                     .out = out,
                     .error = error,
                     .width = width,
                     .height = height};
    if (!c->kind->begin(c, background)) {
        free(c);
        return NULL;
    }
    return c;
}

void io_canvas_lines(io_canvas *c, const io_point *points, size_t count, int32_t colour,
                     float width)
{
    if (count > 0) {
        c->kind->lines(c, points, count, colour, width);
    }
}

void io_canvas_polyline(io_canvas *c, const io_point *points, size_t count, int32_t colour,
                        float width)
{
    if (count > 1) {
        c->kind->polyline(c, points, count, colour, width);
    }
}

void io_canvas_disc(io_canvas *c, io_point centre, float radius, int32_t fill, int32_t edge,
                    float edge_width)
{
    c->kind->disc(c, centre, radius, fill, edge, edge_width);
}

void io_canvas_box(io_canvas *c, io_point corner, float width, float height, int32_t fill)
{
    c->kind->box(c, corner, width, height, fill);
}

void io_canvas_words(io_canvas *c, const io_words *words)
{
    c->kind->words(c, words);
}

bool io_canvas_end(io_canvas *c)
{
    bool ok = c->kind->end(c);
    free(c);
    return ok;
}
