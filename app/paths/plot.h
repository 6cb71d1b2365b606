/* plot.h - `upsweep paths --plot`: a graph drawn by the coordinates of its vertices, coloured by
 * distance, with the path on top. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_APP_PATHS_PLOT_H
#define USW_APP_PATHS_PLOT_H

#include "io/canvas.h"
#include "app/paths/paths_verb.h"

enum {
    PLOT_GROUND = 0x0d1117,
    PLOT_INK = 0xe6edf3,
    PLOT_FAINT = 0x8b949e,
    PLOT_UNREACHED = 0x30363d,
    PLOT_PATH = 0x39d0ff
};

/* How coordinates become pixels. */
typedef struct plot_view {
    io_point corner; /* of the map, in pixels */
    float width, height;
    double left, top;    /* the coordinates there */
    double across, down; /* pixels a unit of x and of y */
    double pixel_metres; /* 0: the coordinates are not those of the earth */
} plot_view;

typedef struct plot {
    app_paths *p;
    const app_answer *a;
    io_canvas *canvas;
    plot_view view;
    double most;       /* the greatest distance that is reached */
    double top;        /* the one that has the last colour: farther ones have it too */
    double unit;       /* what a distance is multiplied by to be shown */
    const char *units; /* "min"; "" if nobody said */
    char unit_text[32];
    size_t reached;
    float width, height; /* of the picture */
} plot;

/* The whole: the file appears whole or not at all. p->parent is there, and p->path too. */
int app_plot(app_paths *p, const app_answer *a);
/* --unit "0.1 s": false if it is no unit. */
bool app_plot_unit(const char *text, double *scale, const char **name);

/* plot_view.c: fits the map into a box whose longer side is `side` pixels. */
void plot_fit(plot *t, float side);
io_point plot_at(const plot *t, uint32_t v);
double plot_distance(const plot *t, uint32_t v);
/* plot_map.c */
bool plot_map(plot *t);
int32_t plot_colour(double share);
/* plot_legend.c: in the column that begins at x. */
void plot_legend(plot *t, float x);
void plot_frame(plot *t);

#endif
