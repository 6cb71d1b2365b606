/* network.c - a panel as a network: elements from left to right, rounds from top to bottom, and
 * between two rows what the round does. Comparators, butterflies and trees show themselves. Rounds
 * that leave the elements alone have no row. */
/* SPDX-License-Identifier: MIT */
#include "view/palette.h"
#include "view/show.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EDGES = 20000 };

typedef struct edge {
    uint32_t from, to;
    uint32_t level; /* of what joins two that are compared: which of the row's lines it lies on */
    uint8_t kind;
} edge;

typedef struct row {
    size_t moment;     /* the state it shows */
    size_t begin, end; /* edges that lead from the row before to it */
    uint32_t levels;
} row;

struct view_network {
    size_t columns, row_count;
    row *rows;
    edge *edges;
    size_t edge_count, edge_room;
    uint32_t *values; /* of row r and column i: values[r * columns + i] */
    uint32_t top;
};

static bool holds_elements(const view_panel *p, uint8_t array)
{
    const view_tape *t = &p->tape;
    for (size_t k = 0; k <= t->round_count; k++) {
        if (t->rounds[k].main == array) {
            return true;
        }
    }
    return false;
}

static bool add_edge(view_network *n, uint32_t from, uint32_t to, view_kind kind)
{
    if (n->edge_count == n->edge_room) {
        n->edge_room = n->edge_room == 0 ? 256 : 2 * n->edge_room;
        edge *edges = realloc(n->edges, n->edge_room * sizeof *edges);
        if (edges == NULL) {
            return false;
        }
        n->edges = edges;
    }
    n->edges[n->edge_count++] = (edge){from, to, 0, (uint8_t)kind};
    return true;
}

/* Where an element of another array came from in this round: 1 + its place, or 0. */
static uint32_t origin(const view_tape *t, const view_round *round, const view_step *s,
                       uint8_t main)
{
    for (const view_step *m = &t->steps[round->begin]; m < s; m++) {
        if (m->kind == VIEW_MOVE && m->array == main && m->other == s->other && m->j == s->j) {
            return m->i + 1;
        }
    }
    return 0;
}

/* A lane that combines a[i] with a[j] and then sets a[j] hands its old a[i] over. */
static bool is_handed_over(const view_panel *p, const view_step *s, const view_round *round)
{
    const view_step *before = s - 1;
    return s > &p->tape.steps[round->begin] && !s->lane_begins && before->kind == VIEW_COMBINE &&
           before->array == s->array && before->other == s->array && before->j == s->i &&
           view_values(&p->state, s->array)[before->i] == s->a;
}

/* The edges of one step; the state is that before the round. */
static bool add_step_edges(view_network *n, const view_panel *p, const view_round *round,
                           const view_step *s, const bool *mains)
{
    const view_tape *t = &p->tape;
    bool mine = mains[s->array], both = mine && mains[s->other];
    uint32_t from = 0;
    switch (s->kind) {
    case VIEW_COMPARE:
        return !both ||
               (add_edge(n, s->i, s->i, VIEW_COMPARE) && add_edge(n, s->j, s->j, VIEW_COMPARE) &&
                add_edge(n, s->i, s->j, VIEW_STATE));
    case VIEW_SWAP:
        return !both || (add_edge(n, s->i, s->j, VIEW_SWAP) && add_edge(n, s->j, s->i, VIEW_SWAP));
    case VIEW_MOVE: return !both || add_edge(n, s->i, s->j, VIEW_MOVE);
    case VIEW_COMBINE:
        from = both ? s->j + 1 : mine ? origin(t, round, s, s->array) : 0;
        return !mine || (add_edge(n, s->i, s->i, VIEW_COMBINE) &&
                         (from == 0 || add_edge(n, from - 1, s->i, VIEW_COMBINE)));
    case VIEW_SET:
        from = mine && is_handed_over(p, s, round) ? (s - 1)->i : s->i;
        return !mine || add_edge(n, from, s->i, VIEW_SET);
    default: return true;
    }
}

static void copy_row(view_network *n, const view_panel *p, uint8_t main)
{
    const uint32_t *values = view_values(&p->state, main);
    size_t length = p->tape.arrays[main].length;
    for (size_t i = 0; i < n->columns; i++) {
        n->values[n->row_count * n->columns + i] = i < length ? values[i] : UINT32_MAX;
    }
    n->row_count++;
}

/* Comparators whose stretches overlap get lines of their own, so that none lies on another. top has
 * room for a level a column. */
static void set_levels(view_network *n, row *r, uint32_t *top)
{
    memset(top, 0, n->columns * sizeof *top);
    for (uint32_t width = 0; width < n->columns; width++) { /* the narrow ones first */
        for (size_t k = r->begin; k < r->end; k++) {
            edge *e = &n->edges[k];
            uint32_t low = e->from < e->to ? e->from : e->to, high = e->from + e->to - low;
            if (e->kind != VIEW_STATE || high - low != width) {
                continue;
            }
            for (uint32_t i = low; i <= high; i++) {
                e->level = top[i] > e->level ? top[i] : e->level;
            }
            for (uint32_t i = low; i <= high; i++) {
                top[i] = e->level + 1;
            }
            r->levels = e->level + 1 > r->levels ? e->level + 1 : r->levels;
        }
    }
}

static bool build(view_network *n, view_panel *p)
{
    const view_tape *t = &p->tape;
    bool mains[VIEW_ARRAYS];
    for (size_t k = 0; k < VIEW_ARRAYS; k++) {
        mains[k] = k < t->array_count && holds_elements(p, (uint8_t)k);
    }
    copy_row(n, p, t->rounds[0].main);
    for (size_t m = 0; m < t->round_count; m++) {
        size_t begin = n->edge_count;
        for (size_t k = t->rounds[m].begin; k < t->rounds[m].end; k++) {
            if (!add_step_edges(n, p, &t->rounds[m], &t->steps[k], mains)) {
                return false;
            }
        }
        view_state_seek(&p->state, m + 1);
        if (n->edge_count > begin) {
            n->rows[n->row_count] = (row){m + 1, begin, n->edge_count, 0};
            copy_row(n, p, t->rounds[m + 1].main);
        }
    }
    view_state_seek(&p->state, 0);
    return true;
}

bool view_network_open(view_panel *p)
{
    view_network *n = calloc(1, sizeof *n);
    if (n == NULL) {
        return false;
    }
    p->network = n;
    uint8_t main = p->tape.rounds[0].main;
    for (size_t k = 0; k < p->tape.array_count; k++) {
        size_t length = holds_elements(p, (uint8_t)k) ? p->tape.arrays[k].length : 0;
        n->columns = length > n->columns ? length : n->columns;
    }
    n->rows = calloc(p->tape.round_count + 1, sizeof *n->rows);
    n->values = calloc((p->tape.round_count + 1) * n->columns + 1, sizeof *n->values);
    n->top = main == VIEW_NONE ? 1 : p->top[main];
    if (n->rows == NULL || n->values == NULL || (n->columns > 0 && !build(n, p))) {
        return false;
    }
    uint32_t *top = n->edge_count > MOST_EDGES ? NULL : calloc(n->columns + 1, sizeof *top);
    for (size_t r = 1; top != NULL && r < n->row_count; r++) {
        set_levels(n, &n->rows[r], top);
    }
    free(top);
    return true;
}

void view_network_free(view_network *n)
{
    if (n != NULL) {
        free(n->rows);
        free(n->edges);
        free(n->values);
        free(n);
    }
}

/* ---- drawing ---- */

typedef struct grid {
    const view_network *n;
    view_ink *ink;
    view_rect at;
    float across, down, radius;
} grid;

static float column_x(const grid *g, size_t i)
{
    return g->at.x + ((float)i + 0.5F) * g->across;
}
static float row_y(const grid *g, size_t r)
{
    return g->at.y + ((float)r + 0.5F) * g->down;
}

static uint32_t edge_colour(uint8_t kind)
{
    return kind == VIEW_SWAP || kind == VIEW_MOVE ? VIEW_ORANGE
           : kind == VIEW_SET                     ? 0x9db4ffffu
                                                  : VIEW_GOLD;
}

/* reached: 0 .. 1, how much of the way is drawn. Bright while it is the round that acts. */
static void draw_edges(const grid *g, size_t r, float reached, bool acts)
{
    const view_network *n = g->n;
    float y0 = row_y(g, r - 1), y1 = row_y(g, r);
    for (size_t k = n->rows[r].begin; k < n->rows[r].end; k++) {
        const edge *e = &n->edges[k];
        float x0 = column_x(g, e->from), x1 = column_x(g, e->to);
        uint32_t colour = view_mix(VIEW_CARD, edge_colour(e->kind), acts ? 1 : 0.6F);
        float width = (acts ? 2.6F : 1.8F) * g->ink->scale * fminf(1, g->across / 26 + 0.35F);
        if (e->kind == VIEW_STATE) { /* the two that are compared */
            uint32_t levels = n->rows[r].levels > 0 ? n->rows[r].levels : 1;
            float y = y0 + (y1 - y0) * (float)(e->level + 1) / (float)(levels + 1);
            view_stroke(g->ink, x0, y, x1, y, width * 0.7F, view_mix(VIEW_CARD, VIEW_GOLD, 0.4F));
            continue;
        }
        view_stroke(g->ink, x0, y0, x0 + (x1 - x0) * reached, y0 + (y1 - y0) * reached, width,
                    colour);
    }
}

static void draw_node(const grid *g, size_t r, size_t i, bool bright)
{
    uint32_t value = g->n->values[r * g->n->columns + i];
    uint32_t colour = view_ramp_colour((float)value / (float)g->n->top);
    float x = column_x(g, i), y = row_y(g, r);
    if (value == UINT32_MAX) { /* not there yet, or what fills a vector up */
        view_disc(g->ink, x, y, g->radius * 0.3F, VIEW_EDGE);
        return;
    }
    bool changed = r == 0 || value != g->n->values[(r - 1) * g->n->columns + i];
    char text[16];
    snprintf(text, sizeof text, "%u", value);
    view_face face = VIEW_FACE_PLAIN;
    while (face > VIEW_FACE_TINY &&
           view_glyphs_width(g->ink->glyphs, face, text) > 1.7F * g->radius) {
        face--;
    }
    bool words = g->radius >= 8 * g->ink->scale &&
                 view_glyphs_width(g->ink->glyphs, face, text) <= 2 * g->radius;
    float radius = words && !changed ? g->radius * 0.86F : g->radius;
    view_disc(g->ink, x, y, radius, VIEW_CARD);
    view_disc(g->ink, x, y, radius - 1.5F * g->ink->scale,
              changed || bright ? colour : view_mix(VIEW_CARD, colour, 0.45F));
    if (words) {
        bool dark = (float)value / (float)g->n->top > 0.45F && (changed || bright);
        view_words(g->ink, x, y + g->ink->glyphs->size[face] * 0.36F, face, VIEW_MIDDLE,
                   dark ? VIEW_GROUND : VIEW_INK, text);
    }
}

/* Too many for edges and nodes: each value a cell of its colour. */
static void draw_cells(const grid *g, size_t rows)
{
    const view_network *n = g->n;
    size_t wide = n->columns, high = rows;
    size_t across = (size_t)fmaxf(1, floorf(g->at.w / 1.5F)),
           down = (size_t)fmaxf(1, g->at.h / 1.5F);
    size_t skip_x = wide > across ? wide / across + 1 : 1;
    size_t skip_y = n->row_count > down ? n->row_count / down + 1 : 1;
    for (size_t r = 0; r < high; r += skip_y) {
        for (size_t i = 0; i < wide; i += skip_x) {
            float share = (float)n->values[r * wide + i] / (float)n->top;
            view_rect cell = {g->at.x + (float)i * g->across, g->at.y + (float)r * g->down,
                              g->across * (float)skip_x + 0.3F, g->down * (float)skip_y + 0.3F};
            view_box(g->ink, cell, 0, view_ramp_colour(share));
        }
    }
}

/* The last row that is complete at this moment. */
static size_t row_at(const view_network *n, size_t moment)
{
    size_t r = 0;
    while (r + 1 < n->row_count && n->rows[r + 1].moment <= moment) {
        r++;
    }
    return r;
}

/* The phase, or the label of the round where its phase has several rows. */
static const char *row_label(const view_panel *p, const view_network *n, size_t r)
{
    const view_round *rounds = p->tape.rounds, *round = &rounds[n->rows[r].moment - 1];
    bool before = r > 1 && rounds[n->rows[r - 1].moment - 1].phase == round->phase;
    bool after = r + 1 < n->row_count && rounds[n->rows[r + 1].moment - 1].phase == round->phase;
    const char *label = view_text(&p->tape, round->label);
    return (before || after || round->phase == 0) && *label != '\0'
               ? label
               : view_text(&p->tape, round->phase);
}

static void draw_labels(const grid *g, const view_panel *p, size_t last)
{
    for (size_t r = 1; r < g->n->row_count && g->down >= 17 * g->ink->scale; r++) {
        view_words(g->ink, g->at.x - 10 * g->ink->scale,
                   (row_y(g, r - 1) + row_y(g, r)) / 2 + 4 * g->ink->scale, VIEW_FACE_SMALL,
                   VIEW_RIGHT, r == last ? VIEW_INK : VIEW_FAINT, row_label(p, g->n, r));
    }
}

void view_draw_network(view_panel *p, view_ink *ink, view_rect at, view_now now)
{
    const view_network *n = p->network;
    if (n == NULL || n->columns == 0) {
        return;
    }
    float labels = at.h / (float)n->row_count >= 17 * ink->scale ? 90 * ink->scale : 0;
    grid g = {n, ink, {at.x + labels, at.y, at.w - labels, at.h}, 0, 0, 0};
    g.across = fminf(g.at.w / (float)n->columns, 90 * ink->scale);
    g.down = fminf(at.h / (float)n->row_count, 110 * ink->scale);
    g.at.x += (g.at.w - g.across * (float)n->columns) / 2;
    g.at.y += (g.at.h - g.down * (float)n->row_count) / 2;
    g.radius = fminf(fminf(g.across * 0.42F, g.down * 0.3F), 22 * ink->scale);
    size_t last = row_at(n, now.moment), count = last + 1;
    bool more = count < n->row_count && n->rows[count].moment == now.moment + 1;
    if (g.across < 7 * ink->scale || g.down < 6 * ink->scale || n->edge_count > MOST_EDGES) {
        draw_cells(&g, count);
        return;
    }
    draw_labels(&g, p, more ? count : last);
    for (size_t i = 0; i < n->columns; i++) {
        float x = column_x(&g, i);
        view_stroke(ink, x, row_y(&g, 0), x, row_y(&g, n->row_count - 1), ink->scale, VIEW_EDGE);
    }
    for (size_t r = 1; r < count; r++) {
        draw_edges(&g, r, 1, r == last && !more);
    }
    if (more) {
        draw_edges(&g, count, fminf(1, now.part * 1.25F), true);
    }
    for (size_t r = 0; r < count + (more && now.part > 0.8F); r++) {
        for (size_t i = 0; i < n->columns; i++) {
            draw_node(&g, r, i, r == last);
        }
    }
}
