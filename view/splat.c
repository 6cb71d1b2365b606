/* splat.c - each point a square of pixels; lit ones are drawn last, so that none is hidden. */
/* SPDX-License-Identifier: MIT */
#include "view/splat.h"
#include "view/palette.h"

#include <math.h>
#include <string.h>

enum { SHADES = 256 };

typedef struct canvas {
    unsigned char *pixels;
    int width, height, side;
} canvas;

static void to_bytes(unsigned char bytes[4], uint32_t colour)
{
    for (int k = 0; k < 4; k++) {
        bytes[k] = (unsigned char)(colour >> (24 - 8 * k));
    }
}

static void put(const canvas *c, int x, int y, const unsigned char bytes[4])
{
    int x0 = x < 0 ? 0 : x, y0 = y < 0 ? 0 : y;
    int x1 = x + c->side > c->width ? c->width : x + c->side;
    int y1 = y + c->side > c->height ? c->height : y + c->side;
    for (int row = y0; row < y1; row++) {
        for (int column = x0; column < x1; column++) {
            memcpy(c->pixels + 4 * ((size_t)row * (size_t)c->width + (size_t)column), bytes, 4);
        }
    }
}

static bool is_lit(const view_field *f, size_t k)
{
    return f->marks != NULL && f->marks[k] >= f->lit_from;
}

/* Where value number k goes, from the upper left corner of the picture. */
static void put_value(const canvas *c, const view_field *f, size_t k, const unsigned char bytes[4])
{
    float across = f->x != NULL ? f->x[k] : ((float)k + 0.5F) / (float)f->count;
    uint32_t value = f->values[k] < f->top ? f->values[k] : f->top;
    float down = f->y != NULL ? f->y[k] : 1 - (float)value / (float)f->top;
    float edge = VIEW_SPLAT_EDGE - (float)c->side / 2;
    put(c, (int)(across * f->at.w + edge), (int)(down * f->at.h + edge), bytes);
}

void view_splat(const view_field *f, unsigned char *pixels, int width, int height, uint32_t ground)
{
    unsigned char shades[SHADES][4], plain[4], lit[4], done[4];
    int side = (int)lroundf(f->size * 0.8F);
    canvas c = {pixels, width, height, side < 1 ? 1 : side};
    to_bytes(plain, ground);
    to_bytes(lit, f->lit);
    to_bytes(done, VIEW_DONE);
    for (int k = 0; k < SHADES; k++) {
        to_bytes(shades[k], view_ramp_colour((float)k / (SHADES - 1)));
    }
    for (size_t k = 0; k < (size_t)width * (size_t)height; k++) {
        memcpy(pixels + 4 * k, plain, 4);
    }
    for (int pass = 0; pass < (f->marks != NULL ? 2 : 1); pass++) {
        for (size_t k = 0; k < f->count; k++) {
            if (is_lit(f, k) != (pass == 1)) {
                continue;
            }
            uint32_t value = f->values[k] < f->top ? f->values[k] : f->top;
            int shade = (int)((uint64_t)value * (SHADES - 1) / f->top);
            put_value(&c, f, k, pass == 1 ? lit : k < f->swept ? done : shades[shade]);
        }
    }
}
