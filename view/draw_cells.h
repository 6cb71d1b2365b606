/* draw_cells.h - draws a field's density: its cells become a texture, from the host's memory or
 * from a pixel buffer that CUDA has written, and the texture a rectangle. */
/* SPDX-License-Identifier: MIT */
#ifndef VIEW_DRAW_CELLS_H
#define VIEW_DRAW_CELLS_H

#include "view/ink.h"

enum { VIEW_WHY = 512 };

typedef struct view_cell_draw {
    unsigned program, array, texture;
    int columns, rows; /* of the texture */
} view_cell_draw;

/* A program of OpenGL; 0: why says what it was refused for. */
unsigned view_make_program(const char *vertex, const char *fragment, char why[VIEW_WHY]);
void view_set_colours(unsigned program, const char *name, const uint32_t *colours, size_t count);

bool view_cell_draw_open(view_cell_draw *d, char why[VIEW_WHY]);
/* Into the framebuffer that is bound, width x height pixels. Returns the bytes sent to OpenGL. */
size_t view_cell_draw_field(view_cell_draw *d, const view_field *f, int width, int height);
void view_cell_draw_close(view_cell_draw *d);

#endif
