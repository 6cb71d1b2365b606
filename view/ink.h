/* ink.h - what is to be drawn in a frame, as plain data: shapes, and fields of very many values.
 * Points are in pixels from the upper left corner, colours 0xRRGGBBAA; later shapes lie on top. */
/* SPDX-License-Identifier: MIT */
#ifndef VIEW_INK_H
#define VIEW_INK_H

#include "view/glyphs.h"

typedef struct view_rect {
    float x, y, w, h;
} view_rect;

typedef enum view_shape_kind { VIEW_BOX = 0, VIEW_STROKE, VIEW_GLYPH } view_shape_kind;

/* box: its rectangle; extra: radius of the corners, width of the line (0: filled). stroke: from
 * (x, y) to (w, h); extra: width. glyph: its rectangle; extra: its rectangle in the glyphs. */
typedef struct view_shape {
    view_rect at;
    float extra[4];
    uint32_t colour, kind;
} view_shape;

typedef enum view_anchor { VIEW_LEFT, VIEW_MIDDLE, VIEW_RIGHT } view_anchor;

/* One point for each of count values, from left to right or at places of their own, coloured by
 * value; or, with columns, the density of so many values (upsweep_film_cells). */
typedef struct view_field {
    view_rect at;
    const uint32_t *values; /* NULL: they are in the OpenGL buffer */
    const uint8_t *marks;   /* values from lit_from on are lit; NULL: none is */
    /* Places within 0 .. 1, y downwards; NULL: side by side. Of values in the OpenGL buffer that
     * have places the less is the brighter, and the top is dark: distances, and no distance. */
    const float *x, *y;
    uint8_t lit_from;
    bool unlit;      /* nothing is, whatever the buffer says */
    uint32_t lit;    /* colour */
    unsigned buffer; /* count vertices: value / top as float, mark as float; or the cells */
    bool (*fill)(void *context, const struct view_field *field); /* makes it hold the picture */
    void *context;
    size_t picture;
    size_t count;
    uint32_t top;         /* the greatest value */
    float size;           /* of a point in pixels */
    size_t swept;         /* the first ones, which the final sweep has passed */
    size_t columns, rows; /* of cells; 0: points */
    const uint8_t *cells; /* NULL: they are in the OpenGL buffer */
    size_t shapes_at;     /* drawn after so many shapes */
} view_field;

enum { VIEW_FIELDS = 16 };

typedef struct view_ink {
    const view_glyphs *glyphs;
    float scale; /* of everything that is measured in pixels */
    view_shape *shapes;
    size_t count, room;
    view_field fields[VIEW_FIELDS];
    size_t field_count;
    bool failed; /* no memory: the frame lacks something */
} view_ink;

void view_ink_clear(view_ink *ink);
void view_ink_free(view_ink *ink);

void view_box(view_ink *ink, view_rect at, float radius, uint32_t colour);
void view_frame_box(view_ink *ink, view_rect at, float radius, float width, uint32_t colour);
void view_disc(view_ink *ink, float x, float y, float radius, uint32_t colour);
void view_stroke(view_ink *ink, float x0, float y0, float x1, float y1, float width,
                 uint32_t colour);
/* A curve from one point to another that leaves and arrives along the line to the third. */
void view_curve(view_ink *ink, const float from[2], const float by[2], const float to[2],
                float width, uint32_t colour);
/* y is the base line. Returns the x behind the text. */
float view_words(view_ink *ink, float x, float y, view_face face, view_anchor anchor,
                 uint32_t colour, const char *text);
void view_add_field(view_ink *ink, const view_field *field);

#endif
