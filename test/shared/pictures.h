/* pictures.h - PNG files that the program wrote, for tests to look at. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_SHARED_PICTURES_H
#define USW_TEST_SHARED_PICTURES_H

#include <cairo.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct picture {
    cairo_surface_t *surface;
    int width, height;
} picture;

static inline picture load(const char *path)
{
    picture p = {cairo_image_surface_create_from_png(path), 0, 0};
    if (cairo_surface_status(p.surface) != CAIRO_STATUS_SUCCESS) {
        fail_msg("%s is no picture", path);
    }
    p.width = cairo_image_surface_get_width(p.surface);
    p.height = cairo_image_surface_get_height(p.surface);
    return p;
}

/* 0xRRGGBBff */
static inline uint32_t pixel(const picture *p, int x, int y)
{
    uint32_t colour;
    const unsigned char *data = cairo_image_surface_get_data(p->surface);
    memcpy(&colour, data + y * cairo_image_surface_get_stride(p->surface) + 4 * x, 4);
    return colour << 8 | 0xff;
}

static inline int distance(uint32_t a, uint32_t b)
{
    int most = 0;
    for (int shift = 8; shift < 32; shift += 8) {
        int d = abs((int)(a >> shift & 255) - (int)(b >> shift & 255));
        most = d > most ? d : most;
    }
    return most;
}

/* Of the rows from top on, above bottom: how many pixels differ by more than so much. */
static inline size_t far_apart(const picture *a, const picture *b, int top, int bottom, int most)
{
    size_t far = 0;
    for (int y = top; y < bottom; y++) {
        for (int x = 0; x < a->width; x++) {
            far += distance(pixel(a, x, y), pixel(b, x, y)) > most;
        }
    }
    return far;
}

#endif
