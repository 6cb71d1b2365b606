/* plot_legend.c - what the colours mean, what was asked and what came out; the title, the scale. */
/* SPDX-License-Identifier: MIT */
#include "app/paths/plot.h"

#include <math.h>
#include <string.h>

enum { BAR_WIDTH = 26, BAR_HEIGHT = 300, LINE = 30 };

static void words(plot *t, float x, float y, float size, int32_t colour, const char *text)
{
    io_words w = {{x, y}, size, IO_ANCHOR_LEFT, false, colour, IO_NO_COLOUR, text};
    io_canvas_words(t->canvas, &w);
}

/* The vertex as the file calls it, cut where it would run out of the picture. */
static void vertex_name(const plot *t, uint32_t v, char *text, size_t room)
{
    app_vertex_name(&t->p->g, v, text, room);
}

static void show_distance(const plot *t, double distance, char *text, size_t room)
{
    const char *gap = *t->units != '\0' ? " " : "";
    double value = distance * t->unit;
    if (value >= 1e4 && value < 1e15) {
        snprintf(text, room, "%.0f%s%s", value, gap, t->units);
    } else {
        snprintf(text, room, "%.3g%s%s", value, gap, t->units);
    }
}

/* 1, 2 or 5 times a power of ten, so that there are four to nine steps. */
static double nice_step(double most)
{
    double power = pow(10, floor(log10(most / 4)));
    double share = most / 4 / power;
    return power * (share >= 5 ? 5 : share >= 2 ? 2 : 1);
}

static float bar(plot *t, float x, float y)
{
    enum { SLICES = BAR_HEIGHT };
    char text[64];
    snprintf(text, sizeof text, *t->units != '\0' ? "distance in %s" : "distance", t->units);
    words(t, x, y, 17, PLOT_INK, text);
    y += 18;
    for (int i = 0; i < SLICES; i++) {
        io_canvas_box(t->canvas, (io_point){x, y + (float)i}, BAR_WIDTH, 1.5F,
                      plot_colour(((double)i + 0.5) / SLICES));
    }
    double most = t->top * t->unit, step = most > 0 ? nice_step(most) : 1;
    for (int i = 0; (double)i * step <= most * (1 + 1e-12); i++) {
        float at = y + (float)(most > 0 ? (double)i * step / most * BAR_HEIGHT : 0);
        io_canvas_box(t->canvas, (io_point){x + BAR_WIDTH, at - 0.5F}, 6, 1, PLOT_FAINT);
        snprintf(text, sizeof text, "%.10g", (double)i * step);
        words(t, x + BAR_WIDTH + 12, at + 5, 15, PLOT_INK, text);
    }
    y += BAR_HEIGHT;
    if (t->top < t->most) {
        char distance[48];
        show_distance(t, t->most, distance, sizeof distance);
        snprintf(text, sizeof text, "and on, to %s", distance);
        words(t, x, y + 22, 15, PLOT_FAINT, text);
        y += 22;
    }
    return y + LINE;
}

/* One line of the legend: a sign and what it is. */
static float entry(plot *t, float x, float y, int32_t colour, bool is_line, const char *text)
{
    if (is_line) {
        const io_point ends[2] = {{x, y - 5}, {x + BAR_WIDTH, y - 5}};
        io_canvas_polyline(t->canvas, ends, 2, colour, 4);
    } else {
        io_canvas_disc(t->canvas, (io_point){x + BAR_WIDTH / 2.0F, y - 5}, 7, colour, PLOT_GROUND,
                       1);
    }
    words(t, x + BAR_WIDTH + 12, y, 15, PLOT_INK, text);
    return y + LINE;
}

static float path_entries(plot *t, float x, float y)
{
    const app_answer *a = t->a;
    enum { SHOWN = 5 };
    char name[48], distance[48], text[160];
    for (size_t i = 0; a->targets != NULL && i < a->target_count && i < SHOWN; i++) {
        uint32_t v = a->targets[i];
        size_t length = t->p->g.vertices;
        vertex_name(t, v, name, sizeof name);
        if (!app_paths_reached(t->p, v)) {
            snprintf(text, sizeof text, "%s is not reached", name);
            y = entry(t, x, y, PLOT_PATH, false, text);
            continue;
        }
        snprintf(text, sizeof text, "to %s", name);
        y = entry(t, x, y, PLOT_PATH, false, text);
        (void)upsweep_path_of(t->p->parent, length, v, t->p->path, &length);
        show_distance(t, plot_distance(t, v), distance, sizeof distance);
        snprintf(text, sizeof text, "%s, %zu arcs", distance, length - 1);
        y = entry(t, x, y, PLOT_PATH, true, text);
    }
    if (a->targets != NULL && a->target_count > SHOWN) {
        snprintf(text, sizeof text, "and %zu more", a->target_count - SHOWN);
        y = entry(t, x, y, PLOT_PATH, true, text);
    }
    return y;
}

void plot_legend(plot *t, float x)
{
    char name[48], text[160];
    float y = bar(t, x, t->view.corner.y + 14);
    vertex_name(t, t->a->sources[0], name, sizeof name);
    if (t->a->source_count == 1) {
        snprintf(text, sizeof text, "from %s", name);
    } else {
        snprintf(text, sizeof text, "the nearest of %zu", t->a->source_count);
    }
    y = entry(t, x, y + 10, 0xffffff, false, text);
    y = path_entries(t, x, y);
    if (t->reached < t->p->g.vertices) {
        snprintf(text, sizeof text, "%zu not reached", t->p->g.vertices - t->reached);
        y = entry(t, x, y, PLOT_UNREACHED, true, text);
    }
    snprintf(text, sizeof text, "%zu vertices", t->p->g.vertices);
    words(t, x, y + 8, 15, PLOT_FAINT, text);
    snprintf(text, sizeof text, "%zu arcs", t->p->info.arcs);
    words(t, x, y + 32, 15, PLOT_FAINT, text);
}

/* A length of 1, 2 or 5 times a power of ten metres, about a fifth of the map. */
static void scale(plot *t)
{
    const plot_view *v = &t->view;
    if (!(v->pixel_metres > 0) || v->width < 100) {
        return;
    }
    char text[32];
    double metres = nice_step((double)v->width * v->pixel_metres);
    float length = (float)(metres / v->pixel_metres), x = v->corner.x,
          y = v->corner.y + v->height + 34;
    snprintf(text, sizeof text, metres >= 1000 ? "%.10g km" : "%.10g m",
             metres >= 1000 ? metres / 1000 : metres);
    io_canvas_box(t->canvas, (io_point){x, y}, length, 2, PLOT_FAINT);
    io_canvas_box(t->canvas, (io_point){x, y - 5}, 2, 7, PLOT_FAINT);
    io_canvas_box(t->canvas, (io_point){x + length - 2, y - 5}, 2, 7, PLOT_FAINT);
    words(t, x + length + 10, y + 5, 15, PLOT_FAINT, text);
}

void plot_frame(plot *t)
{
    const app_paths_settings *s = t->p->settings;
    const char *file = strrchr(t->p->file, '/');
    io_words title = {{t->view.corner.x, 58},
                      28,
                      IO_ANCHOR_LEFT,
                      true,
                      PLOT_INK,
                      IO_NO_COLOUR,
                      s->title != NULL ? s->title
                      : file != NULL   ? file + 1
                                       : t->p->file};
    io_canvas_words(t->canvas, &title);
    scale(t);
    io_words made = {{t->width - 24, t->height - 22},
                     13,
                     IO_ANCHOR_RIGHT,
                     false,
                     PLOT_FAINT,
                     IO_NO_COLOUR,
                     s->caption != NULL ? s->caption : "upsweep paths"};
    io_canvas_words(t->canvas, &made);
}
