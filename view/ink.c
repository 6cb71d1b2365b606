/* ink.c - puts the shapes of a frame into a list. */
/* SPDX-License-Identifier: MIT */
#include "view/ink.h"

#include <math.h>
#include <stdlib.h>

void view_ink_clear(view_ink *ink)
{
    ink->count = 0;
    ink->field_count = 0;
    ink->failed = false;
}

void view_ink_free(view_ink *ink)
{
    free(ink->shapes);
    ink->shapes = NULL;
    ink->room = 0;
}

static void add(view_ink *ink, view_shape shape)
{
    if (ink->count == ink->room) {
        size_t room = ink->room == 0 ? 1024 : 2 * ink->room;
        view_shape *shapes = realloc(ink->shapes, room * sizeof *shapes);
        if (shapes == NULL) {
            ink->failed = true;
            return;
        }
        ink->shapes = shapes;
        ink->room = room;
    }
    ink->shapes[ink->count++] = shape;
}

void view_box(view_ink *ink, view_rect at, float radius, uint32_t colour)
{
    add(ink, (view_shape){at, {radius, 0, 0, 0}, colour, VIEW_BOX});
}

void view_frame_box(view_ink *ink, view_rect at, float radius, float width, uint32_t colour)
{
    add(ink, (view_shape){at, {radius, width, 0, 0}, colour, VIEW_BOX});
}

void view_disc(view_ink *ink, float x, float y, float radius, uint32_t colour)
{
    view_box(ink, (view_rect){x - radius, y - radius, 2 * radius, 2 * radius}, radius, colour);
}

void view_stroke(view_ink *ink, float x0, float y0, float x1, float y1, float width,
                 uint32_t colour)
{
    add(ink, (view_shape){{x0, y0, x1, y1}, {width, 0, 0, 0}, colour, VIEW_STROKE});
}

void view_curve(view_ink *ink, const float from[2], const float by[2], const float to[2],
                float width, uint32_t colour)
{
    float length = hypotf(to[0] - from[0], to[1] - from[1]);
    int pieces = (int)fminf(fmaxf(length / (7 * ink->scale), 14), 40);
    float x = from[0], y = from[1];
    for (int k = 1; k <= pieces; k++) {
        float t = (float)k / (float)pieces, s = 1 - t;
        float nx = s * s * from[0] + 2 * s * t * by[0] + t * t * to[0];
        float ny = s * s * from[1] + 2 * s * t * by[1] + t * t * to[1];
        view_stroke(ink, x, y, nx, ny, width, colour);
        x = nx;
        y = ny;
    }
}

float view_words(view_ink *ink, float x, float y, view_face face, view_anchor anchor,
                 uint32_t colour, const char *text)
{
    float width = anchor == VIEW_LEFT ? 0 : view_glyphs_width(ink->glyphs, face, text);
    float pen = x - (anchor == VIEW_RIGHT ? width : anchor == VIEW_MIDDLE ? width / 2 : 0);
    y = roundf(y);
    while (*text != '\0') {
        const view_glyph *g = view_glyphs_next(ink->glyphs, face, &text);
        view_rect at = {roundf(pen) + g->left, y + g->top, g->width, g->height};
        add(ink, (view_shape){at, {g->x, g->y, g->width, g->height}, colour, VIEW_GLYPH});
        pen += g->advance;
    }
    return pen;
}

void view_add_field(view_ink *ink, const view_field *field)
{
    if (ink->field_count < VIEW_FIELDS) {
        ink->fields[ink->field_count] = *field;
        ink->fields[ink->field_count++].shapes_at = ink->count;
    }
}
