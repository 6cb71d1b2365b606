/* layout.h - places for the vertices of a graph that has none. */
/* SPDX-License-Identifier: MIT */
#ifndef VIEW_LAYOUT_H
#define VIEW_LAYOUT_H

#include "view/show.h"

/* Sets x, y and aspect. Few vertices are pushed apart and drawn together by their arcs; many stand
 * on a circle. The same graph gets the same places. */
void view_layout(view_graph *g);
/* Moves places, whatever their unit, into 0 .. 1 and sets aspect. */
void view_layout_fit(view_graph *g);

#endif
