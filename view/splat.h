/* splat.h - very many points drawn by plain C into pixels, for where the processor draws anyway:
 * OpenGL in software takes a microsecond a point. */
/* SPDX-License-Identifier: MIT */
#ifndef VIEW_SPLAT_H
#define VIEW_SPLAT_H

#include "view/ink.h"

enum { VIEW_SPLAT_EDGE = 4 }; /* pixels around the field that points may reach into */

/* Fills width x height pixels, four bytes each, red first, from the top, with the ground and then
 * the field's points, whose values are in the host's memory; the picture is the field's rectangle
 * and VIEW_SPLAT_EDGE pixels around it. */
void view_splat(const view_field *f, unsigned char *pixels, int width, int height, uint32_t ground);

#endif
