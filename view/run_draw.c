/* run_draw.c - a panel that shows a real run: every element a point, those that the last step
 * changed lit. */
/* SPDX-License-Identifier: MIT */
#include "view/palette.h"
#include "view/run.h"
#include "view/show.h"

#include <math.h>
#include <stdio.h>

/* What it took and how it is drawn, as much of it as there is room for. */
static void draw_under(const view_panel *p, view_ink *ink, view_rect at)
{
    const view_run *r = p->run;
    char rate[64] = "", more[120], most[160];
    if (r->seconds > 0) {
        snprintf(rate, sizeof rate, "%.3g ms, %.1f million a second   ", 1e3 * r->seconds,
                 1e-6 * (double)r->n / r->seconds);
    }
    snprintf(more, sizeof more, "%s%s", rate, r->attached ? "drawn from device memory   " : "");
    snprintf(most, sizeof most, "%s%s", more,
             p->style == VIEW_STYLE_DENSITY ? "the more elements the brighter" : "");
    const char *texts[] = {most, more, rate};
    view_words(ink, at.x, at.y, VIEW_FACE_SMALL, VIEW_LEFT, VIEW_FAINT,
               view_fitting(ink, at.w, VIEW_FACE_SMALL, texts, 3));
}

static void draw_words(const view_panel *p, view_ink *ink, view_rect at, view_now now)
{
    const view_run *r = p->run;
    float y = at.y + 22 * ink->scale, lower = at.y + 46 * ink->scale, scale = ink->scale;
    char text[160], place[64], few[64];
    snprintf(place, sizeof place, "picture %zu / %zu", now.moment + 1, r->count);
    view_words(ink, at.x + at.w, y, VIEW_FACE_STRONG, VIEW_RIGHT, VIEW_INK, place);
    float room = at.w - view_glyphs_width(ink->glyphs, VIEW_FACE_STRONG, place) - 14 * scale;
    const char *title = view_fitting_title(ink, room, r->algorithm);
    float x = view_words(ink, at.x, y, VIEW_FACE_TITLE, VIEW_LEFT, VIEW_INK, title) + 14 * scale;
    const char *kind = r->graph != NULL ? "vertices" : upsweep_type_name(r->type);
    snprintf(text, sizeof text, "a real run on %s   n = %zu %s", r->device, r->n, kind);
    snprintf(few, sizeof few, "%s, n = %zu %s", r->device, r->n, kind);
    const char *what[] = {text, few};
    view_words(ink, x, y, VIEW_FACE_SMALL, VIEW_LEFT, VIEW_FAINT,
               view_fitting(ink, at.x + room - x, VIEW_FACE_SMALL, what, 2));
    bool ended = now.moment == p->tape.round_count;
    snprintf(text, sizeof text, "%s",
             !ended        ? view_run_step(r, now.moment)
             : r->in_order ? "sorted"
             : r->sorts    ? "not in order"
                           : "done");
    view_words(ink, at.x + at.w, lower, VIEW_FACE_SMALL, VIEW_RIGHT, ended ? VIEW_DONE : VIEW_FAINT,
               text);
    room = at.w - view_glyphs_width(ink->glyphs, VIEW_FACE_SMALL, text) - 14 * scale;
    draw_under(p, ink, (view_rect){at.x, lower, room, 0});
}

static bool fill(void *context, const view_field *f)
{
    return view_run_fill(context, f->picture);
}

static bool paint(void *context, const view_field *f)
{
    return view_run_paint(context, f->picture, f->columns, f->rows);
}

/* Whole pixels, so that a cell is one. */
static bool set_cells(view_field *f, view_run *r)
{
    f->at = (view_rect){floorf(f->at.x), floorf(f->at.y), floorf(f->at.w), floorf(f->at.h)};
    f->columns = (size_t)fmaxf(1, fminf(f->at.w, (float)r->n));
    f->rows = (size_t)fmaxf(1, fminf(f->at.h, VIEW_CELL_ROWS));
    if (r->attached) {
        f->buffer = r->pixels;
        f->fill = paint;
        return true;
    }
    f->cells = view_run_cells(r, f->picture, f->columns, f->rows);
    return f->cells != NULL;
}

static bool set_points(view_field *f, view_run *r)
{
    f->size = fmaxf(1.5F, fminf(6, 9 - 0.4F * log2f((float)r->n + 2))) * f->size;
    if (r->attached) {
        f->buffer = r->buffer;
        f->fill = fill;
        return true;
    }
    f->values = view_run_picture(r, f->picture);
    f->marks = f->unlit ? NULL : r->marks;
    return f->values != NULL;
}

/* The greatest rectangle of the graph's shape, and points that fill it. */
static void place(view_field *f, const view_graph *g)
{
    float w = fminf(f->at.w, f->at.h * g->aspect), h = w / g->aspect;
    f->at = (view_rect){f->at.x + (f->at.w - w) / 2, f->at.y + (f->at.h - h) / 2, w, h};
    f->size = fminf(fmaxf(0.8F * sqrtf(w * h / (float)(g->vertices + 1)), f->size), 12 * f->size);
    f->x = g->x;
    f->y = g->y;
}

void view_draw_run(view_panel *p, view_ink *ink, view_rect title, view_rect at, view_now now)
{
    view_run *r = p->run;
    draw_words(p, ink, title, now);
    view_field field = {.at = at,
                        .lit_from = 1,
                        .lit = VIEW_GOLD,
                        .unlit = now.swept >= 0,
                        .count = r->n,
                        .top = VIEW_LEVELS,
                        .size = ink->scale,
                        .picture = now.moment,
                        .context = r};
    if (now.swept >= 0 && r->in_order) {
        field.swept = (size_t)(now.swept * (float)r->n);
    }
    if (p->style == VIEW_STYLE_DENSITY ? set_cells(&field, r) : set_points(&field, r)) {
        if (r->graph != NULL) {
            place(&field, r->graph);
        }
        view_add_field(ink, &field);
    }
}
