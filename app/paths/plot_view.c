/* plot_view.c - coordinates to pixels. Longitudes and latitudes come as whole millionths of a
 * degree (DIMACS) or, where that is beyond the poles, ten millionths; they are drawn in the
 * projection that is true along the middle parallel. */
/* SPDX-License-Identifier: MIT */
#include "app/paths/plot.h"

#include <math.h>

typedef struct range {
    double least, greatest;
} range;

static range range_of(const double *values, size_t count)
{
    range r = {INFINITY, -INFINITY};
    for (size_t i = 0; i < count; i++) {
        r.least = fmin(r.least, values[i]);
        r.greatest = fmax(r.greatest, values[i]);
    }
    return r;
}

static double greatest_size(range r)
{
    return fmax(fabs(r.least), fabs(r.greatest));
}

/* Degrees in a unit of the coordinates; 0 if these are no longitudes and latitudes. Small whole
 * numbers are taken for places in a plane: as degrees all of them would lie in one street. */
static double degrees(range x, range y)
{
    static const double scales[] = {1e-6, 1e-7};
    if (fmax(greatest_size(x), greatest_size(y)) < 1e6) {
        return 0;
    }
    for (size_t i = 0; i < 2; i++) {
        if (greatest_size(x) * scales[i] <= 180 && greatest_size(y) * scales[i] <= 90) {
            return scales[i];
        }
    }
    return 0;
}

void plot_fit(plot *t, float side)
{
    static const double radian = 57.29577951308232, degree_metres = 111195;
    const io_graph *g = &t->p->g;
    range x = range_of(g->x, g->vertices), y = range_of(g->y, g->vertices);
    double scale = degrees(x, y), middle = (y.least + y.greatest) / 2 * scale;
    double narrower = scale > 0 ? fmax(cos(middle / radian), 0.01) : 1;
    double wide = (x.greatest - x.least) * narrower, high = y.greatest - y.least;
    double longer = fmax(wide, high), pixels = longer > 0 ? (double)side / longer : 1;
    plot_view *v = &t->view;
    v->across = pixels * narrower;
    v->down = pixels;
    v->left = x.least;
    v->top = y.greatest;
    v->width = (float)(wide * pixels);
    v->height = (float)(high * pixels);
    v->pixel_metres = scale > 0 ? scale * degree_metres / pixels : 0;
}

io_point plot_at(const plot *t, uint32_t v)
{
    const plot_view *w = &t->view;
    double x = (t->p->g.x[v] - w->left) * w->across, y = (w->top - t->p->g.y[v]) * w->down;
    return (io_point){w->corner.x + (float)x, w->corner.y + (float)y};
}

double plot_distance(const plot *t, uint32_t v)
{
    return io_number_value(t->p->type, app_paths_distance(t->p, v));
}
