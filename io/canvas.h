/* canvas.h - a picture made of lines, discs, boxes and words, as SVG or, where cairo is, as PNG.
 * Points are in pixels from the upper left corner; colours are 0xRRGGBB. A failure is remembered
 * and told at the end. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_CANVAS_H
#define IO_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/output.h"
#include "io/why.h"

typedef struct io_point {
    float x, y;
} io_point;

typedef enum io_anchor { IO_ANCHOR_LEFT, IO_ANCHOR_MIDDLE, IO_ANCHOR_RIGHT } io_anchor;

enum { IO_NO_COLOUR = -1 };

typedef struct io_words {
    io_point at; /* on the base line */
    float size;
    io_anchor anchor;
    bool bold;
    int32_t colour, halo; /* halo: around the letters, or IO_NO_COLOUR */
    const char *text;     /* UTF-8 */
} io_words;

typedef struct io_canvas io_canvas;

/* Whether the file's name ends with .svg or .png, and this program can make the latter. */
bool io_canvas_can(const char *file, io_error *error);
/* Begins a picture that is appended to out, whose name says which kind it is. NULL: no memory. */
io_canvas *io_canvas_new(io_output *out, io_error *error, float width, float height,
                         int32_t background);
/* count lines, each from one point to the next: 2 * count points. */
void io_canvas_lines(io_canvas *c, const io_point *points, size_t count, int32_t colour,
                     float width);
/* One line through all the points. */
void io_canvas_polyline(io_canvas *c, const io_point *points, size_t count, int32_t colour,
                        float width);
void io_canvas_disc(io_canvas *c, io_point centre, float radius, int32_t fill, int32_t edge,
                    float edge_width);
void io_canvas_box(io_canvas *c, io_point corner, float width, float height, int32_t fill);
void io_canvas_words(io_canvas *c, const io_words *words);
/* Writes what is left and frees c; false if anything failed, which *error then tells. */
bool io_canvas_end(io_canvas *c);

/* The two kinds; canvas.c picks one. */
typedef struct io_canvas_kind {
    bool (*begin)(io_canvas *c, int32_t background);
    void (*lines)(io_canvas *c, const io_point *points, size_t count, int32_t colour, float width);
    void (*polyline)(io_canvas *c, const io_point *points, size_t count, int32_t colour,
                     float width);
    void (*disc)(io_canvas *c, io_point centre, float radius, int32_t fill, int32_t edge,
                 float edge_width);
    void (*box)(io_canvas *c, io_point corner, float width, float height, int32_t fill);
    void (*words)(io_canvas *c, const io_words *words);
    bool (*end)(io_canvas *c);
} io_canvas_kind;

struct io_canvas {
    const io_canvas_kind *kind;
    io_output *out;
    io_error *error;
    float width, height;
    void *inside; /* what the kind needs */
};
extern const io_canvas_kind io_canvas_svg;
extern const io_canvas_kind io_canvas_png;
/* NULL: this program makes PNG; else why not. */
extern const char *const io_canvas_png_why;

#endif
