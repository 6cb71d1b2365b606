/* run_draw.c - a panel that shows a real run: every element a point, those that the last step
 * changed lit. */
#include "palette.h"
#include "run.h"
#include "show.h"

#include <math.h>
#include <stdio.h>

static void draw_words(const view_panel *p, view_ink *ink, view_rect at, view_now now, size_t step)
{
    const view_run *r = p->run;
    const char *title = p->algorithm != NULL ? p->algorithm->title : r->algorithm;
    float y = at.y + 22 * ink->scale, lower = at.y + 46 * ink->scale, scale = ink->scale;
    char text[160], place[64], few[64], rate[32] = "";
    snprintf(place, sizeof place, "picture %zu / %zu", now.moment + 1, r->count);
    view_words(ink, at.x + at.w, y, VIEW_FACE_STRONG, VIEW_RIGHT, VIEW_INK, place);
    float room = at.w - view_glyphs_width(ink->glyphs, VIEW_FACE_STRONG, place) - 14 * scale;
    const char *titles[] = {title, r->algorithm};
    title = view_fitting(ink, room, VIEW_FACE_TITLE, titles, 2);
    float x = view_words(ink, at.x, y, VIEW_FACE_TITLE, VIEW_LEFT, VIEW_INK, title) + 14 * scale;
    snprintf(text, sizeof text, "a real run on %s   n = %zu", r->device, r->n);
    snprintf(few, sizeof few, "%s, n = %zu", r->device, r->n);
    const char *what[] = {text, few};
    view_words(ink, x, y, VIEW_FACE_SMALL, VIEW_LEFT, VIEW_FAINT,
               view_fitting(ink, at.x + room - x, VIEW_FACE_SMALL, what, 2));
    if (r->seconds > 0) {
        snprintf(rate, sizeof rate, ", %.1f million a second", 1e-6 * (double)r->n / r->seconds);
    }
    snprintf(text, sizeof text, "%.3g ms%s%s", 1e3 * r->seconds, rate,
             r->attached ? "   drawn from device memory" : "");
    x = view_words(ink, at.x, lower, VIEW_FACE_SMALL, VIEW_LEFT, VIEW_FAINT, text);
    if (step > 1) {
        snprintf(text, sizeof text, "   1 of %zu elements is drawn", step);
        view_words(ink, x, lower, VIEW_FACE_SMALL, VIEW_LEFT, VIEW_FAINT, text);
    }
    bool ended = now.moment == p->tape.round_count;
    snprintf(text, sizeof text, "%s",
             !ended        ? view_run_step(r, now.moment)
             : r->in_order ? "sorted"
                           : "not in order");
    view_words(ink, at.x + at.w, lower, VIEW_FACE_SMALL, VIEW_RIGHT, ended ? VIEW_DONE : VIEW_FAINT,
               text);
}

static bool fill(void *context, size_t picture)
{
    return view_run_fill(context, picture);
}

void view_draw_run(view_panel *p, view_ink *ink, view_rect title, view_rect at, view_now now,
                   size_t most)
{
    view_run *r = p->run;
    size_t step = r->n > most ? (r->n - 1) / most + 1 : 1;
    draw_words(p, ink, title, now, step);
    size_t shown = r->n / step;
    float many = log2f((float)shown + 2);
    view_field field = {.at = at,
                        .lit_from = 1,
                        .lit = VIEW_GOLD,
                        .count = r->n,
                        .top = r->top,
                        .size = fmaxf(1.5F, fminf(6, 9 - 0.4F * many)) * ink->scale,
                        .step = step};
    if (now.swept >= 0 && r->in_order) {
        field.swept = (size_t)(now.swept * (float)r->n);
    }
    if (r->attached) {
        field.buffer = r->buffer;
        field.fill = fill;
        field.context = r;
        field.picture = now.moment;
    } else {
        field.values = view_run_picture(r, now.moment);
        field.marks = now.swept >= 0 ? NULL : r->marks;
        if (field.values == NULL) {
            return;
        }
    }
    view_add_field(ink, &field);
}
