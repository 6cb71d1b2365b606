/* glyphs.c - draws the letters with cairo, row by row into one picture. */
/* SPDX-License-Identifier: MIT */
#include "view/glyphs.h"

#include <cairo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 32, LAST = 126, ASCII = LAST - FIRST + 1, WIDTH = 1024, GAP = 2 };

static const struct {
    float size;
    bool bold;
} faces[VIEW_FACES] = {{11, false}, {13, false}, {15, false}, {19, false}, {15, true}, {20, true}};

/* Beyond ASCII. */
static const char *const others[] = {"·", "→", "←", "↑", "↓", "–", "×",
                                     "∞", "≤", "…", "²", "⌈", "⌉"};
enum { OTHERS = sizeof others / sizeof *others };

static const char *letter(size_t k, char text[8])
{
    if (k < ASCII) {
        text[0] = (char)(FIRST + k);
        text[1] = '\0';
        return text;
    }
    return others[k - ASCII];
}

typedef struct pen {
    float x, y, row;
} pen;

static void choose_face(cairo_t *cairo, view_face face, float size)
{
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           faces[face].bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, (double)size);
}

/* Places every glyph; then the height of the picture is known. */
static void measure(view_glyphs *g, cairo_t *cairo)
{
    pen p = {GAP, GAP, 0};
    for (int face = 0; face < VIEW_FACES; face++) {
        choose_face(cairo, (view_face)face, g->size[face]);
        for (size_t k = 0; k < ASCII + OTHERS; k++) {
            char text[8];
            cairo_text_extents_t e;
            cairo_text_extents(cairo, letter(k, text), &e);
            view_glyph *glyph = &g->glyph[face][k];
            glyph->left = floorf((float)e.x_bearing) - 1;
            glyph->top = floorf((float)e.y_bearing) - 1;
            glyph->width = ceilf((float)e.width) + 3;
            glyph->height = ceilf((float)e.height) + 3;
            glyph->advance = (float)e.x_advance;
            if (p.x + glyph->width + GAP > WIDTH) {
                p = (pen){GAP, p.y + p.row + GAP, 0};
            }
            glyph->x = p.x;
            glyph->y = p.y;
            p.x += glyph->width + GAP;
            p.row = fmaxf(p.row, glyph->height);
        }
    }
    g->width = WIDTH;
    g->height = (int)(p.y + p.row) + GAP;
}

static cairo_surface_t *draw(const view_glyphs *g)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, g->width, g->height);
    cairo_t *cairo = cairo_create(surface);
    for (int face = 0; face < VIEW_FACES; face++) {
        choose_face(cairo, (view_face)face, g->size[face]);
        for (size_t k = 0; k < ASCII + OTHERS; k++) {
            char text[8];
            const view_glyph *glyph = &g->glyph[face][k];
            cairo_move_to(cairo, (double)(glyph->x - glyph->left), (double)(glyph->y - glyph->top));
            cairo_show_text(cairo, letter(k, text));
        }
    }
    cairo_destroy(cairo);
    cairo_surface_flush(surface);
    return surface;
}

bool view_glyphs_make(view_glyphs *g, float scale)
{
    *g = (view_glyphs){0};
    for (int face = 0; face < VIEW_FACES; face++) {
        g->size[face] = roundf(faces[face].size * scale);
    }
    cairo_surface_t *probe = cairo_image_surface_create(CAIRO_FORMAT_A8, 8, 8);
    cairo_t *cairo = cairo_create(probe);
    measure(g, cairo);
    cairo_destroy(cairo);
    cairo_surface_destroy(probe);
    cairo_surface_t *surface = draw(g);
    const unsigned char *from = cairo_image_surface_get_data(surface);
    size_t stride = (size_t)cairo_image_surface_get_stride(surface), width = (size_t)g->width;
    g->pixels = from == NULL ? NULL : malloc(width * (size_t)g->height);
    for (size_t y = 0; g->pixels != NULL && y < (size_t)g->height; y++) {
        memcpy(g->pixels + y * width, from + y * stride, width);
    }
    cairo_surface_destroy(surface);
    return g->pixels != NULL;
}

void view_glyphs_free(view_glyphs *g)
{
    free(g->pixels);
    g->pixels = NULL;
}

const view_glyph *view_glyphs_next(const view_glyphs *g, view_face face, const char **text)
{
    const char *p = *text;
    unsigned char c = (unsigned char)*p;
    if (c < 0x80) {
        *text = p + 1;
        return &g->glyph[face][c >= FIRST && c <= LAST ? c - FIRST : '?' - FIRST];
    }
    for (size_t k = 0; k < OTHERS; k++) {
        size_t bytes = strlen(others[k]);
        if (strncmp(p, others[k], bytes) == 0) {
            *text = p + bytes;
            return &g->glyph[face][ASCII + k];
        }
    }
    for (p++; ((unsigned char)*p & 0xc0) == 0x80; p++) {
    }
    *text = p;
    return &g->glyph[face]['?' - FIRST];
}

float view_glyphs_width(const view_glyphs *g, view_face face, const char *text)
{
    float width = 0;
    while (*text != '\0') {
        width += view_glyphs_next(g, face, &text)->advance;
    }
    return width;
}
