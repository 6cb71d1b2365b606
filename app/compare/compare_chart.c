/* compare_chart.c - one plot: lines over logarithmic axes, named at their ends, or bars. The
 * colours are those of Okabe and Ito, darkened, which the colour-blind can tell apart; a second
 * device has dashed lines and hollow marks, so that a print in grey can be read too. */
/* SPDX-License-Identifier: MIT */
#include "app/compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT = 62, RIGHT = 132, TOP = 62, BOTTOM = 38, NAMES = 64 };

int32_t chart_colour(size_t series)
{
    static const int32_t colours[CHART_SERIES] = {0x0072b2, 0xd55e00, 0x009e73, 0xb0578d,
                                                  0xa67300, 0x2a8fc9, 0x5b5fc7, 0x6e7781};
    return colours[series % CHART_SERIES];
}

typedef struct axis {
    double least, greatest; /* of logarithms to the base of 10 */
    float from, to;         /* pixels */
} axis;

static float at(const axis *a, double value)
{
    double span = a->greatest - a->least;
    double share = span > 0 ? (log10(value) - a->least) / span : 0.5;
    return a->from + (float)share * (a->to - a->from);
}

static void words(io_canvas *canvas, float x, float y, float size, io_anchor anchor, bool bold,
                  int32_t colour, const char *text)
{
    const io_words w = {{x, y}, size, anchor, bold, colour, IO_NO_COLOUR, text};
    io_canvas_words(canvas, &w);
}

static void rule(io_canvas *canvas, float x, float y, float width, float height)
{
    io_canvas_box(canvas, (io_point){x, y}, width, height, CHART_GRID);
}

/* ---- axes ---- */

static void widen(axis *a, double value)
{
    if (value > 0) {
        a->least = fmin(a->least, log10(value));
        a->greatest = fmax(a->greatest, log10(value));
    }
}

/* Levels at 1, 10, 100 ...; also at 2 and 5 where there are few of those. */
static void draw_levels(io_canvas *canvas, const chart *c, const axis *x, const axis *y)
{
    double span = y->greatest - y->least;
    int every = (int)ceil(span / 7);
    static const double between[] = {1, 2, 5};
    size_t parts = span < 2.6 ? 3 : 1;
    for (int power = (int)floor(y->least); power <= (int)ceil(y->greatest); power++) {
        for (size_t k = 0; k < parts && power % (every > 0 ? every : 1) == 0; k++) {
            double value = between[k] * pow(10, power);
            float line = at(y, value);
            char text[32];
            if (line > y->from + 0.5F || line < y->to - 0.5F) {
                continue;
            }
            rule(canvas, x->from, line - 0.5F, x->to - x->from, 1);
            words(canvas, x->from - 8, line + 4, 12, IO_ANCHOR_RIGHT, false, CHART_FAINT,
                  c->words(text, value));
        }
    }
}

/* The sizes, as many as there is room for, and behind them what they are. */
static void draw_sizes(io_canvas *canvas, const chart *c, const axis *x, const axis *y)
{
    const chart_line *longest = &c->lines[0];
    for (size_t k = 1; k < c->line_count; k++) {
        longest = c->lines[k].count > longest->count ? &c->lines[k] : longest;
    }
    float last = -100;
    for (size_t k = 0; k < longest->count; k++) {
        float place = at(x, longest->x[k]);
        char text[32];
        if (place - last < 44) {
            continue;
        }
        last = place;
        rule(canvas, place - 0.5F, y->from, 1, 5);
        words(canvas, place, y->from + 20, 12, IO_ANCHOR_MIDDLE, false, CHART_FAINT,
              compare_size(text, (size_t)longest->x[k]));
    }
    words(canvas, x->to + 34, y->from + 20, 12, IO_ANCHOR_LEFT, false, CHART_FAINT, "n");
}

/* ---- lines ---- */

static void draw_dashes(io_canvas *canvas, io_point a, io_point b, int32_t colour, float width)
{
    enum { DASH = 6, STEP = 11 };
    float length = hypotf(b.x - a.x, b.y - a.y);
    int dashes = (int)ceilf(length / STEP);
    for (int k = 0; k < dashes; k++) {
        float from = (float)k * STEP / length, to = fminf(from + DASH / length, 1);
        const io_point ends[2] = {{a.x + (b.x - a.x) * from, a.y + (b.y - a.y) * from},
                                  {a.x + (b.x - a.x) * to, a.y + (b.y - a.y) * to}};
        io_canvas_lines(canvas, ends, 1, colour, width);
    }
}

static void draw_line(io_canvas *canvas, const chart_line *l, const axis *x, const axis *y)
{
    io_point points[NAMES];
    int32_t colour = chart_colour(l->colour);
    size_t count = l->count < NAMES ? l->count : NAMES;
    for (size_t k = 0; k < count; k++) {
        points[k] = (io_point){at(x, l->x[k]), at(y, l->y[k])};
    }
    float width = l->no_marks ? 1.2F : 2.4F;
    if (!l->hollow) {
        io_canvas_polyline(canvas, points, count, colour, width);
    }
    for (size_t k = 0; k + 1 < count && l->hollow; k++) {
        draw_dashes(canvas, points[k], points[k + 1], colour, width);
    }
    for (size_t k = 0; k < count && !l->no_marks; k++) {
        io_canvas_disc(canvas, points[k], 3.6F, l->hollow ? CHART_GROUND : colour, colour, 1.6F);
    }
}

typedef struct label {
    float y;
    const chart_line *line;
} label;

static int by_height(const void *a, const void *b)
{
    float x = ((const label *)a)->y, y = ((const label *)b)->y;
    return (x > y) - (x < y);
}

/* The lines' names beside their ends, moved apart so that they can be read. */
static void draw_names(io_canvas *canvas, const chart *c, const axis *x, const axis *y)
{
    enum { GAP = 15 };
    label labels[NAMES] = {{0}};
    size_t count = 0;
    for (size_t k = 0; k < c->line_count && count < NAMES; k++) {
        const chart_line *l = &c->lines[k];
        if (l->count > 0 && l->name != NULL) {
            labels[count++] = (label){at(y, l->y[l->count - 1]), l};
        }
    }
    qsort(labels, count, sizeof *labels, by_height);
    for (int pass = 0; pass < 60; pass++) {
        for (size_t k = 1; k < count; k++) {
            float lacks = GAP - (labels[k].y - labels[k - 1].y);
            if (lacks > 0) {
                labels[k - 1].y -= lacks / 2;
                labels[k].y += lacks / 2;
            }
        }
        if (count > 0 && labels[count - 1].y > y->from) {
            labels[count - 1].y = y->from;
        }
        if (count > 0 && labels[0].y < y->to) {
            labels[0].y = y->to;
        }
    }
    for (size_t k = 0; k < count; k++) {
        const chart_line *l = labels[k].line;
        float right = at(x, l->x[l->count - 1]), end = at(y, l->y[l->count - 1]);
        const io_point lead[2] = {{right + 6, end}, {x->to + 10, labels[k].y}};
        io_canvas_lines(canvas, lead, 1, CHART_GRID, 1);
        words(canvas, x->to + 14, labels[k].y + 4, 12, IO_ANCHOR_LEFT, true,
              chart_colour(l->colour), l->name);
    }
}

static void draw_titles(io_canvas *canvas, float x, float y, const char *title, const char *under)
{
    words(canvas, x, y + 22, 16, IO_ANCHOR_LEFT, true, CHART_INK, title);
    words(canvas, x, y + 41, 12, IO_ANCHOR_LEFT, false, CHART_FAINT, under);
}

void chart_draw(io_canvas *canvas, const chart *c)
{
    axis x = {INFINITY, -INFINITY, c->x + LEFT, c->x + c->width - RIGHT};
    axis y = {INFINITY, -INFINITY, c->y + c->height - BOTTOM, c->y + TOP};
    draw_titles(canvas, c->x + 8, c->y, c->title, c->under);
    for (size_t k = 0; k < c->line_count; k++) {
        for (size_t i = 0; i < c->lines[k].count; i++) {
            widen(&x, c->lines[k].x[i]);
            widen(&y, c->lines[k].y[i]);
        }
    }
    widen(&y, c->ceiling);
    if (!(x.greatest >= x.least) || !(y.greatest >= y.least)) {
        words(canvas, c->x + LEFT, c->y + c->height / 2, 13, IO_ANCHOR_LEFT, false, CHART_FAINT,
              "nothing to draw: no size could be measured or counted");
        return;
    }
    double room = fmax((y.greatest - y.least) * 0.04, (0.7 - (y.greatest - y.least)) / 2);
    y.least -= room;
    y.greatest += room;
    draw_levels(canvas, c, &x, &y);
    draw_sizes(canvas, c, &x, &y);
    if (c->ceiling > 0) {
        float level = at(&y, c->ceiling);
        draw_dashes(canvas, (io_point){x.from, level}, (io_point){x.to, level}, CHART_INK, 1.2F);
        words(canvas, x.from + 4, level - 5, 11, IO_ANCHOR_LEFT, false, CHART_INK, c->ceiling_name);
    }
    for (size_t k = c->line_count; k-- > 0;) {
        draw_line(canvas, &c->lines[k], &x, &y);
    }
    draw_names(canvas, c, &x, &y);
}

/* ---- bars ---- */

/* The names of the two bars of a group, with their colours. */
static void draw_bar_names(io_canvas *canvas, const chart_bars *b, float x, float y)
{
    for (size_t s = 0; s < 2 && b->names[s] != NULL && b->values[s] != NULL; s++) {
        io_canvas_box(canvas, (io_point){x, y - 9}, 11, 11, chart_colour(s == 0 ? 1 : 0));
        words(canvas, x + 17, y + 1, 12, IO_ANCHOR_LEFT, false, CHART_INK, b->names[s]);
        x += 40 + 6.6F * (float)strlen(b->names[s]);
    }
}

void chart_draw_bars(io_canvas *canvas, const chart_bars *b)
{
    float left = b->x + 16, right = b->x + b->width - 16, top = b->y + TOP + 38,
          ground = b->y + b->height - BOTTOM - 16;
    double most = 0;
    size_t sides = b->values[1] != NULL ? 2 : 1;
    draw_titles(canvas, b->x + 8, b->y, b->title, b->under);
    draw_bar_names(canvas, b, b->x + 8, b->y + TOP);
    for (size_t k = 0; k < b->count; k++) {
        for (size_t s = 0; s < sides; s++) {
            most = fmax(most, b->values[s][k]);
        }
    }
    float step = (right - left) / (float)(b->count > 0 ? b->count : 1);
    float wide = fminf(step * 0.8F / (float)sides, 46);
    for (size_t k = 0; k < b->count && most > 0; k++) {
        float middle = left + step * ((float)k + 0.5F);
        for (size_t s = 0; s < sides; s++) {
            float high = (float)(b->values[s][k] / most) * (ground - top);
            float x = middle + ((float)s - (float)sides / 2) * wide;
            char text[32];
            io_canvas_box(canvas, (io_point){x + 1, ground - high}, wide - 2, high,
                          chart_colour(s == 0 ? 1 : 0));
            words(canvas, x + wide / 2, ground - high - 5, sides > 1 ? 9.5F : 10.5F,
                  IO_ANCHOR_MIDDLE, false, CHART_FAINT, b->words(text, b->values[s][k]));
        }
        words(canvas, middle, ground + 18, 12, IO_ANCHOR_MIDDLE, false, CHART_FAINT, b->labels[k]);
    }
    rule(canvas, left, ground, right - left, 1);
    words(canvas, (left + right) / 2, ground + 38, 12, IO_ANCHOR_MIDDLE, false, CHART_FAINT,
          b->below);
}
