/* plot_map.c - the arcs, a colour at a time, from the farthest to the nearest; then the paths. */
/* SPDX-License-Identifier: MIT */
#include "app/paths/plot.h"

#include <math.h>
#include <stdlib.h>

enum { BINS = 96, UNREACHED_BIN = BINS, CELLS_A_PIXEL = 2 };

/* Bright where it is near: from pale yellow over red to violet. */
int32_t plot_colour(double share)
{
    static const unsigned char stops[][3] = {{255, 255, 200}, {253, 219, 110}, {249, 160, 63},
                                             {231, 95, 82},   {190, 62, 120},  {136, 58, 150},
                                             {84, 66, 168},   {58, 76, 140}};
    enum { LAST = sizeof stops / sizeof *stops - 1 };
    double place = fmin(fmax(share, 0), 1) * LAST;
    size_t stop = place < LAST ? (size_t)place : LAST - 1;
    double part = place - (double)stop;
    int32_t colour = 0;
    for (size_t i = 0; i < 3; i++) {
        double level = stops[stop][i] * (1 - part) + stops[stop + 1][i] * part;
        colour = colour << 8 | (int32_t)(level + 0.5);
    }
    return colour;
}

typedef struct segment {
    uint32_t a, b;
} segment;

typedef struct map {
    plot *t;
    segment *segments; /* by bin: those of bin k are begin[k] .. begin[k + 1] - 1 */
    size_t begin[BINS + 2], count;
    unsigned char *cells; /* of half pixels, where a short arc has been drawn */
    size_t columns, rows;
    float line;
} map;

/* One of two arcs that go both ways is enough. */
static bool is_twin(const io_graph *g, uint32_t tail, uint32_t head)
{
    enum { FAR = 64 };
    if (tail <= head) {
        return tail == head;
    }
    uint64_t end = g->begin[head + (size_t)1], from = g->begin[head];
    for (uint64_t i = from; i < end && i < from + FAR; i++) {
        if (g->head[i] == tail) {
            return true;
        }
    }
    return false;
}

/* Whether an arc shorter than half a pixel falls where one has been drawn: pictures of graphs with
 * millions of vertices have fewer pixels than arcs. */
static bool is_hidden(map *m, uint32_t a, uint32_t b)
{
    io_point p = plot_at(m->t, a), q = plot_at(m->t, b), corner = m->t->view.corner;
    size_t x = (size_t)((p.x - corner.x) * CELLS_A_PIXEL);
    size_t y = (size_t)((p.y - corner.y) * CELLS_A_PIXEL);
    bool inside = x == (size_t)((q.x - corner.x) * CELLS_A_PIXEL) &&
                  y == (size_t)((q.y - corner.y) * CELLS_A_PIXEL);
    if (!inside || x >= m->columns || y >= m->rows) {
        return false;
    }
    unsigned char *cell = &m->cells[y * m->columns + x];
    bool seen = *cell != 0;
    *cell = 1;
    return seen;
}

static size_t bin_of(const plot *t, uint32_t a, uint32_t b)
{
    if (!app_paths_reached(t->p, a) || !app_paths_reached(t->p, b)) {
        return UNREACHED_BIN;
    }
    double share = (plot_distance(t, a) + plot_distance(t, b)) / 2 / fmax(t->top, 1e-300);
    return share < 1 ? (size_t)(share * BINS) : BINS - 1;
}

/* Runs over the arcs to be drawn: first they are counted by bin, then laid down. */
static void each_arc(map *m, bool lay_down)
{
    const io_graph *g = &m->t->p->g;
    size_t next[BINS + 2];
    memcpy(next, m->begin, sizeof next);
    memset(m->cells, 0, m->columns * m->rows);
    for (size_t v = 0; v < g->vertices; v++) {
        for (uint64_t i = g->begin[v]; i < g->begin[v + 1]; i++) {
            uint32_t a = (uint32_t)v, b = g->head[i];
            if (is_twin(g, a, b) || is_hidden(m, a, b)) {
                continue;
            }
            size_t bin = bin_of(m->t, a, b);
            if (lay_down) {
                m->segments[next[bin]++] = (segment){a, b};
            } else {
                m->begin[bin + 1]++;
                m->count++;
            }
        }
    }
}

static bool draw_bin(map *m, size_t bin, int32_t colour, float width)
{
    enum { PIECE = 4096 };
    io_point points[2 * PIECE];
    size_t used = 0;
    for (size_t i = m->begin[bin]; i < m->begin[bin + 1]; i++) {
        points[2 * used] = plot_at(m->t, m->segments[i].a);
        points[2 * used + 1] = plot_at(m->t, m->segments[i].b);
        if (++used == PIECE || i + 1 == m->begin[bin + 1]) {
            io_canvas_lines(m->t->canvas, points, used, colour, width);
            used = 0;
        }
    }
    return true;
}

static void draw_arcs(map *m)
{
    const plot_view *v = &m->t->view;
    double room = (double)v->width * (double)v->height / fmax((double)m->count, 1);
    m->line = (float)fmin(fmax(sqrt(room) * 0.3, 0.7), 3.5);
    draw_bin(m, UNREACHED_BIN, PLOT_UNREACHED, m->line);
    for (size_t bin = BINS; bin-- > 0;) {
        draw_bin(m, bin, plot_colour(((double)bin + 0.5) / BINS), m->line);
    }
}

/* The path to v with a dark edge, so that it stands out from every colour. */
static void draw_path(map *m, uint32_t v)
{
    plot *t = m->t;
    size_t length = t->p->g.vertices;
    if (!app_paths_reached(t->p, v) ||
        upsweep_path_of(t->p->parent, length, v, t->p->path, &length) != UPSWEEP_OK) {
        return;
    }
    io_point *points = malloc(length * sizeof *points);
    for (size_t i = 0; points != NULL && i < length; i++) {
        points[i] = plot_at(t, t->p->path[i]);
    }
    if (points != NULL) {
        float width = fmaxf(2.2F * m->line, 3.2F);
        io_canvas_polyline(t->canvas, points, length, PLOT_GROUND, 2 * width);
        io_canvas_polyline(t->canvas, points, length, PLOT_PATH, width);
    }
    free(points);
}

static void draw_ends(map *m)
{
    plot *t = m->t;
    const app_answer *a = t->a;
    float radius = fmaxf(2.5F * m->line, 7);
    for (size_t i = 0; a->targets != NULL && i < a->target_count; i++) {
        io_canvas_disc(t->canvas, plot_at(t, a->targets[i]), radius, PLOT_PATH, PLOT_GROUND, 2.5F);
    }
    for (size_t i = 0; i < a->source_count; i++) {
        io_canvas_disc(t->canvas, plot_at(t, a->sources[i]), radius, 0xffffff, PLOT_GROUND, 2.5F);
    }
}

bool plot_map(plot *t)
{
    map m = {.t = t};
    m.columns = (size_t)(t->view.width * CELLS_A_PIXEL) + 1;
    m.rows = (size_t)(t->view.height * CELLS_A_PIXEL) + 1;
    m.cells = calloc(m.rows, m.columns);
    if (m.cells == NULL) {
        return false;
    }
    each_arc(&m, false);
    for (size_t bin = 0; bin <= BINS; bin++) {
        m.begin[bin + 1] += m.begin[bin];
    }
    m.segments = malloc(m.count * sizeof *m.segments + 1);
    if (m.segments != NULL) {
        each_arc(&m, true);
        draw_arcs(&m);
        for (size_t i = 0; t->a->targets != NULL && i < t->a->target_count; i++) {
            draw_path(&m, t->a->targets[i]);
        }
        draw_ends(&m);
    }
    bool ok = m.segments != NULL;
    free(m.segments);
    free(m.cells);
    return ok;
}
