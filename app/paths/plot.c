/* plot.c - lays the picture out: title above, map to the left, legend to the right. */
/* SPDX-License-Identifier: MIT */
#include "app/paths/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 1200, MARGIN = 40, TOP = 90, BOTTOM = 80, LEGEND = 250, LEAST_HEIGHT = 640 };

bool app_plot_unit(const char *text, double *scale, const char **name)
{
    const char *end = text;
    *scale = 1;
    if ((*text >= '0' && *text <= '9') || *text == '.') {
        if (!io_decimal_scan(text, scale, &end) || !(*scale > 0) || isinf(*scale)) {
            return false;
        }
    }
    while (*end == ' ') {
        end++;
    }
    *name = end;
    return *end != '\0' && strlen(end) < 24;
}

/* Seconds become minutes or hours, metres kilometres, where the greatest distance asks for it. */
static void choose_unit(plot *t)
{
    static const struct {
        const char *from, *to;
        double least, factor;
    } larger[] = {
        {"s", "h", 7200, 1 / 3600.0}, {"s", "min", 120, 1 / 60.0}, {"m", "km", 2000, 1e-3}};
    const char *text = t->p->settings->unit, *name = "";
    t->unit = 1;
    t->units = "";
    if (text == NULL || !app_plot_unit(text, &t->unit, &name)) {
        return;
    }
    snprintf(t->unit_text, sizeof t->unit_text, "%s", name);
    t->units = t->unit_text;
    for (size_t i = 0; i < sizeof larger / sizeof *larger; i++) {
        if (strcmp(name, larger[i].from) == 0 && t->most * t->unit >= larger[i].least) {
            t->unit *= larger[i].factor;
            t->units = larger[i].to;
            return;
        }
    }
}

/* A few far vertices would take most of the colours from all others: the scale ends where 95 of a
 * hundred vertices are within, if that spares a quarter of it. */
static double top_of(const plot *t)
{
    enum { STEPS = 1024 };
    size_t counts[STEPS + 1] = {0}, within = 0;
    for (size_t v = 0; v < t->p->g.vertices && t->most > 0; v++) {
        if (app_paths_reached(t->p, (uint32_t)v)) {
            counts[(size_t)(plot_distance(t, (uint32_t)v) / t->most * STEPS)]++;
        }
    }
    for (size_t i = 0; i < STEPS * 3 / 4; i++) {
        within += counts[i];
        if ((double)within >= 0.95 * (double)t->reached && t->reached > 100) {
            return t->most * (double)(i + 1) / STEPS;
        }
    }
    return t->most;
}

static void measure(plot *t)
{
    for (size_t v = 0; v < t->p->g.vertices; v++) {
        if (app_paths_reached(t->p, (uint32_t)v)) {
            t->most = fmax(t->most, plot_distance(t, (uint32_t)v));
            t->reached++;
        }
    }
    t->top = top_of(t);
    choose_unit(t);
    plot_fit(t, SIDE);
    float inner = fmaxf(t->view.height, LEAST_HEIGHT), wide = fmaxf(t->view.width, 200);
    t->view.corner =
        (io_point){MARGIN + (wide - t->view.width) / 2, TOP + (inner - t->view.height) / 2};
    t->width = ceilf(MARGIN + wide + MARGIN + LEGEND);
    t->height = ceilf(TOP + inner + BOTTOM);
}

static int draw(plot *t, io_output *out, io_error *error)
{
    t->canvas = io_canvas_new(out, error, t->width, t->height, PLOT_GROUND);
    if (t->canvas == NULL) {
        io_output_discard(out);
        return app_fail("%s: no memory to draw it", out->name);
    }
    bool ok = plot_map(t);
    plot_frame(t);
    plot_legend(t, t->width - LEGEND);
    bool ended = io_canvas_end(t->canvas);
    if (!ok || !ended) {
        io_output_discard(out);
        return ended ? app_fail("%s: no memory to draw it", out->name)
                     : app_fail("%s", error->text);
    }
    return io_output_commit(out, error) == 0 ? APP_OK : app_fail("%s", error->text);
}

int app_plot(app_paths *p, const app_answer *a)
{
    plot t = {.p = p, .a = a};
    io_output out;
    io_error error;
    if (!io_graph_to_rows(&p->g)) {
        return app_fail("%s: no memory to draw it", p->settings->plot);
    }
    measure(&t);
    if (io_output_open(&out, p->settings->plot, &error) != 0) {
        return app_fail("%s", error.text);
    }
    return draw(&t, &out, &error);
}
