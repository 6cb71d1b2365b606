/* draw.h - draws ink with OpenGL 4.5 core into the framebuffer that is bound. */
/* SPDX-License-Identifier: MIT */
#ifndef VIEW_DRAW_H
#define VIEW_DRAW_H

#include "view/draw_cells.h"

typedef struct view_draw {
    unsigned shapes, points; /* programs */
    unsigned shape_array, shape_buffer, point_array, point_buffer, place_buffer, letters;
    view_cell_draw cells;
    unsigned image, image_frame; /* a field's pixels, where the processor draws them */
    int image_width, image_height;
    unsigned char *pixels;
    float *vertices; /* of a field, on their way to the GPU */
    size_t vertex_room;
    const float *placed; /* the places that the place buffer holds, of so many points */
    size_t placed_count;
    uint64_t uploaded; /* bytes so far */
    char renderer[128];
    bool software; /* the processor draws */
} view_draw;

/* A context is current. False: why says in a sentence what is missing. */
bool view_draw_open(view_draw *d, const view_glyphs *glyphs, char why[VIEW_WHY]);
void view_draw_frame(view_draw *d, const view_ink *ink, int width, int height);
/* The picture in the framebuffer: width x height pixels of 4 bytes, red first, from the top. */
void view_draw_read(int width, int height, unsigned char *pixels);
void view_draw_close(view_draw *d);

#endif
