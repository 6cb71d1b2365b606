/* graph.c - a panel as a graph: vertices at their places, coloured by distance; arcs that are tried
 * in this round are lit, those that brought the shortest way so far are bold. The source, vertex 0,
 * has a ring; where there is room, arcs bear their weights. */
/* SPDX-License-Identifier: MIT */
#include "view/palette.h"
#include "view/show.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TAGGED = 1 };

typedef struct map {
    const view_panel *p;
    const view_graph *g;
    view_ink *ink;
    view_rect at;
    float radius;
    const uint32_t *distance, *from; /* of the vertices; from: 1 + arc */
    uint32_t top;
    uint8_t array; /* of the distances */
} map;

static float place_x(const map *m, size_t v)
{
    return m->at.x + m->g->x[v] * m->at.w;
}
static float place_y(const map *m, size_t v)
{
    return m->at.y + m->g->y[v] * m->at.h;
}

/* The greatest rectangle of the graph's shape within at, with room for the outermost vertices. */
static void fit(map *m, view_rect at)
{
    float margin = 22 * m->ink->scale, wide = at.w - 2 * margin, high = at.h - 2 * margin;
    float w = fminf(wide, high * m->g->aspect), h = w / m->g->aspect;
    m->at = (view_rect){at.x + (at.w - w) / 2, at.y + (at.h - h) / 2, w, h};
    float each = sqrtf(w * h / (float)(m->g->vertices + 1));
    m->radius = fminf(fmaxf(each * 0.26F, 1.5F * m->ink->scale), 20 * m->ink->scale);
}

static uint32_t far_colour(const map *m, uint32_t distance)
{
    if (distance == UINT32_MAX) {
        return 0x303843ffu;
    }
    return view_ramp_colour(1 - 0.92F * (float)distance / (float)m->top);
}

static void draw_arc(const map *m, size_t k, float width, uint32_t colour)
{
    uint32_t a = m->g->tail[k], b = m->g->head[k];
    view_stroke(m->ink, place_x(m, a), place_y(m, a), place_x(m, b), place_y(m, b), width, colour);
}

static void draw_arcs(const map *m)
{
    float scale = m->ink->scale, thin = m->radius < 4 * scale ? 1 : 1.4F;
    for (size_t k = 0; k < m->g->arcs; k++) {
        draw_arc(m, k, thin * scale, 0x252d38ffu);
    }
    float wide = fmaxf(1.6F * scale, fminf(m->radius * 0.34F, 4.5F * scale));
    for (size_t v = 0; v < m->g->vertices; v++) {
        if (m->from[v] > 0 && m->from[v] <= m->g->arcs) {
            draw_arc(m, m->from[v] - 1, wide,
                     view_mix(VIEW_CARD, far_colour(m, m->distance[v]), 0.75F));
        }
    }
}

/* Where on its way an arc bears its weight: in the middle, or, if the way back has another one,
 * nearer to the tail. */
static float weight_at(const view_graph *g, size_t k)
{
    for (size_t r = 0; r < g->arcs; r++) {
        if (g->tail[r] == g->head[k] && g->head[r] == g->tail[k] && g->weight[r] != g->weight[k]) {
            return 0.36F;
        }
    }
    return 0.5F;
}

/* The weights of arcs that are long enough; few are where vertices are so large. */
static void draw_weights(const map *m)
{
    float scale = m->ink->scale;
    for (size_t k = 0; k < m->g->arcs && m->radius >= 14 * scale; k++) {
        float x = place_x(m, m->g->tail[k]), y = place_y(m, m->g->tail[k]);
        float dx = place_x(m, m->g->head[k]) - x, dy = place_y(m, m->g->head[k]) - y;
        char text[16];
        snprintf(text, sizeof text, "%u", m->g->weight[k]);
        float wide = view_glyphs_width(m->ink->glyphs, VIEW_FACE_SMALL, text) + 8 * scale;
        if (dx * dx + dy * dy < (4 * m->radius) * (4 * m->radius) || wide > 3 * m->radius) {
            continue;
        }
        x += weight_at(m->g, k) * dx;
        y += weight_at(m->g, k) * dy;
        view_box(m->ink, (view_rect){x - wide / 2, y - 8 * scale, wide, 16 * scale}, 5 * scale,
                 VIEW_CARD);
        view_words(m->ink, x, y + 4.5F * scale, VIEW_FACE_SMALL, VIEW_MIDDLE, VIEW_INK, text);
    }
}

/* An arc is compared by its place with the distance of its head. */
static bool is_arc_step(const map *m, const view_step *s)
{
    return s->kind == VIEW_COMPARE && s->array == m->array && s->other != m->array &&
           s->j < m->g->arcs && m->p->tape.arrays[s->other].length == m->g->arcs &&
           m->g->head[s->j] == s->i;
}

static void draw_round(const map *m, const view_round *round, float part)
{
    const view_step *steps = m->p->tape.steps;
    float scale = m->ink->scale, wide = fmaxf(2 * scale, fminf(m->radius * 0.4F, 5 * scale));
    for (size_t k = round->begin; k < round->end; k++) {
        if (is_arc_step(m, &steps[k])) {
            uint32_t a = m->g->tail[steps[k].j], b = m->g->head[steps[k].j];
            float x = place_x(m, a), y = place_y(m, a), go = fminf(1, part * 1.6F);
            view_stroke(m->ink, x, y, x + (place_x(m, b) - x) * go, y + (place_y(m, b) - y) * go,
                        wide, VIEW_GOLD);
        }
    }
}

static void draw_vertex(const map *m, size_t v, uint8_t marked)
{
    uint32_t distance = m->distance[v];
    float x = place_x(m, v), y = place_y(m, v), scale = m->ink->scale;
    if (marked > 0) {
        view_disc(m->ink, x, y, m->radius + 3.2F * scale, VIEW_GOLD);
    }
    if (v == 0) { /* the source */
        view_disc(m->ink, x, y, m->radius + 5.6F * scale, VIEW_INK);
        view_disc(m->ink, x, y, m->radius + 4.2F * scale, marked > 0 ? VIEW_GOLD : VIEW_CARD);
    }
    view_disc(m->ink, x, y, m->radius + 1.2F * scale, VIEW_CARD);
    view_disc(m->ink, x, y, m->radius, far_colour(m, distance));
    if (m->radius < 9 * scale) {
        return;
    }
    char text[16];
    snprintf(text, sizeof text, "%u", distance);
    view_face face = VIEW_FACE_PLAIN;
    while (face > VIEW_FACE_TINY &&
           view_glyphs_width(m->ink->glyphs, face, text) > 1.8F * m->radius) {
        face--;
    }
    bool dark = (float)distance < 0.62F * (float)m->top;
    view_words(m->ink, x, y + m->ink->glyphs->size[face] * 0.36F, face, VIEW_MIDDLE,
               distance == UINT32_MAX ? VIEW_FAINT
               : dark                 ? VIEW_GROUND
                                      : VIEW_INK,
               distance == UINT32_MAX ? "∞" : text);
}

/* The vertices that lanes act on: as places in arrays that have one for each vertex. */
static void mark_vertices(view_panel *p, const map *m, const view_round *round, uint8_t *marks)
{
    const view_tape *t = &p->tape;
    if (round->lanes > 4 && round->lanes > m->g->vertices / 6) {
        return; /* a round over most of them says nothing about any */
    }
    for (size_t k = round->begin; k < round->end; k++) {
        const view_step *s = &t->steps[k];
        bool vertices = t->arrays[s->array].length == m->g->vertices;
        bool arcs = t->arrays[s->other].length == m->g->arcs && s->other != s->array;
        if (vertices && !arcs && s->i < m->g->vertices) {
            marks[s->i] = TAGGED;
        }
        if (vertices && s->kind != VIEW_SET && s->j < m->g->vertices &&
            t->arrays[s->other].length == m->g->vertices) {
            marks[s->j] = TAGGED;
        }
        if (is_arc_step(m, s)) {
            marks[s->i] = TAGGED;
        }
    }
}

void view_draw_graph(view_panel *p, view_ink *ink, view_rect at, view_now now)
{
    const view_round *round = &p->tape.rounds[now.moment];
    if (round->main == VIEW_NONE || p->tape.arrays[round->main].length < p->graph->vertices) {
        return;
    }
    if (now.part > 0.6F) {
        view_state_seek(&p->state, now.moment + 1);
    }
    map m = {.p = p,
             .g = p->graph,
             .ink = ink,
             .distance = view_values(&p->state, round->main),
             .from = view_tags(&p->state, round->main),
             .array = round->main,
             .top = p->top[round->main]};
    fit(&m, at);
    memset(p->marks, 0, p->graph->vertices);
    draw_arcs(&m);
    draw_round(&m, round, now.part);
    draw_weights(&m);
    mark_vertices(p, &m, round, p->marks);
    for (size_t v = 0; v < p->graph->vertices; v++) {
        draw_vertex(&m, v, p->marks[v]);
    }
}
