/* glyphs.h - letters as one picture, drawn once by cairo, from which texts are put together. */
/* SPDX-License-Identifier: MIT */
#ifndef VIEW_GLYPHS_H
#define VIEW_GLYPHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum view_face {
    VIEW_FACE_TINY = 0,
    VIEW_FACE_SMALL,
    VIEW_FACE_PLAIN,
    VIEW_FACE_LARGE,
    VIEW_FACE_STRONG, /* bold, as large as plain */
    VIEW_FACE_TITLE,  /* bold */
    VIEW_FACES
} view_face;

enum { VIEW_GLYPHS = 112 };

typedef struct view_glyph {
    float x, y, width, height; /* within the picture, in pixels */
    float left, top;           /* from the pen to its corner; top is negative above the base line */
    float advance;
} view_glyph;

typedef struct view_glyphs {
    unsigned char *pixels; /* coverage, 0 .. 255 */
    int width, height;
    float size[VIEW_FACES]; /* in pixels */
    view_glyph glyph[VIEW_FACES][VIEW_GLYPHS];
} view_glyphs;

/* scale: 1 for a window of about 1280 x 720. False: no memory. */
bool view_glyphs_make(view_glyphs *g, float scale);
void view_glyphs_free(view_glyphs *g);

/* The glyph of the next letter of a UTF-8 text, which moves on; '?' for those there are none of. */
const view_glyph *view_glyphs_next(const view_glyphs *g, view_face face, const char **text);
float view_glyphs_width(const view_glyphs *g, view_face face, const char *text);

#endif
