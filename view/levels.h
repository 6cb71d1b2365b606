/* levels.h - numbers of any type as levels, 0 .. VIEW_LEVELS: how high a point stands. */
/* SPDX-License-Identifier: MIT */
#ifndef VIEW_LEVELS_H
#define VIEW_LEVELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "upsweep.h"

enum { VIEW_LEVELS = 65535, VIEW_CELL_ROWS = 4096 };

/* Widens range[0] .. range[1] by the finite ones of n numbers; before the first call it is
 * INFINITY, -INFINITY. */
void view_range(const void *numbers, size_t n, upsweep_type type, double range[2]);
/* levels[i] gets the share that number i has of the way from range[0] to range[1], NaN none. */
void view_levels(const void *numbers, size_t n, upsweep_type type, const double range[2],
                 uint32_t *levels);
/* marks[i] says whether element i of `bytes` bytes has other bits in b than in a. */
void view_differ(const void *a, const void *b, size_t n, size_t bytes, uint8_t *marks);
/* The density of n levels, as upsweep_film_cells has it. marks may be NULL; rows is at most
 * VIEW_CELL_ROWS. */
void view_cells(const uint32_t *levels, const uint8_t *marks, size_t n, size_t columns, size_t rows,
                uint8_t *cells);

#endif
