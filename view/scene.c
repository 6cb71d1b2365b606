/* scene.c - lays a frame out: panels side by side, what they are above each, the play below. */
/* SPDX-License-Identifier: MIT */
#include "view/palette.h"
#include "view/show.h"

#include <math.h>

/* Columns and rows so that panels are about three wide and two high. */
static size_t columns_of(size_t count, float width, float height)
{
    size_t best = 1;
    float least = INFINITY;
    for (size_t columns = 1; columns <= count; columns++) {
        size_t rows = (count + columns - 1) / columns;
        float shape = width / (float)columns / (height / (float)rows);
        float off = fabsf(logf(shape / 1.6F)) + 0.3F * (float)(rows * columns - count);
        if (off < least) {
            least = off;
            best = columns;
        }
    }
    return best;
}

static void draw_panel(const view_show *s, view_panel *p, view_ink *ink, view_rect at)
{
    float scale = ink->scale, pad = 16 * scale, head = 58 * scale;
    view_now now = view_panel_now(s, p);
    view_box(ink, at, 10 * scale, VIEW_CARD);
    view_frame_box(ink, at, 10 * scale, fmaxf(1, scale), VIEW_EDGE);
    view_rect inner = {at.x + pad, at.y + head + 6 * scale, at.w - 2 * pad,
                       at.h - head - 18 * scale};
    view_rect title = {at.x + pad, at.y + 6 * scale, at.w - 2 * pad, head};
    if (p->run != NULL) {
        view_draw_run(p, ink, title, inner, now);
        return;
    }
    view_state_seek(&p->state, now.moment);
    view_draw_title(p, ink, title, now);
    switch (p->style) {
    case VIEW_STYLE_NETWORK: view_draw_network(p, ink, inner, now); break;
    case VIEW_STYLE_GRAPH: view_draw_graph(p, ink, inner, now); break;
    default: view_draw_bars(p, ink, inner, now); break;
    }
}

double view_foot_share(float x, float y, float width, float height, float scale)
{
    float gap = 12 * scale, foot = 34 * scale;
    view_rect line = view_foot_line((view_rect){gap, height - foot, width - 2 * gap, foot}, scale);
    double share = (double)((x - line.x) / line.w);
    return y < height - foot || share < -0.02 || share > 1.02 ? -1 : fmin(fmax(share, 0), 1);
}

void view_scene(view_show *s, view_ink *ink, float width, float height)
{
    float scale = ink->scale, gap = 12 * scale, foot = s->bare ? 0 : 34 * scale;
    view_ink_clear(ink);
    float high = height - foot - gap;
    size_t columns = columns_of(s->count, width, high), rows = (s->count + columns - 1) / columns;
    float w = (width - gap * (float)(columns + 1)) / (float)columns;
    float h = (high - gap * (float)rows) / (float)rows;
    for (size_t k = 0; k < s->count; k++) {
        size_t row = k / columns, column = k % columns;
        float x = gap + (float)column * (w + gap), y = gap + (float)row * (h + gap);
        draw_panel(s, &s->panels[k], ink, (view_rect){x, y, w, h});
    }
    if (!s->bare) {
        view_draw_foot(s, ink, (view_rect){gap, height - foot, width - 2 * gap, foot});
    }
    if (s->help) {
        view_draw_help(ink, width, height);
    }
}
