/* layout.c - the method of Fruchterman and Reingold, "Graph drawing by force-directed placement"
 * (1991): vertices repel each other, arcs attract, and steps become smaller. */
/* SPDX-License-Identifier: MIT */
#include "view/layout.h"

#include <math.h>

enum { FEW = 400, STEPS = 300 };

static void on_circle(view_graph *g)
{
    for (size_t v = 0; v < g->vertices; v++) {
        float turn = 6.2831853F * (float)v / (float)g->vertices;
        g->x[v] = cosf(turn) * (1 + 0.01F * (float)(v % 7));
        g->y[v] = sinf(turn) * (1 + 0.01F * (float)(v % 5));
    }
}

static void push(const view_graph *g, size_t v, float near, float *dx, float *dy)
{
    for (size_t u = 0; u < g->vertices; u++) {
        float x = g->x[v] - g->x[u], y = g->y[v] - g->y[u], square = x * x + y * y;
        if (u != v && square > 1e-9F) {
            *dx += x * near * near / square;
            *dy += y * near * near / square;
        }
    }
}

static void pull(const view_graph *g, float near, float *dx, float *dy)
{
    for (size_t k = 0; k < g->arcs; k++) {
        size_t a = g->tail[k], b = g->head[k];
        float x = g->x[b] - g->x[a], y = g->y[b] - g->y[a], force = sqrtf(x * x + y * y) / near;
        dx[a] += x * force;
        dy[a] += y * force;
        dx[b] -= x * force;
        dy[b] -= y * force;
    }
}

void view_layout(view_graph *g)
{
    on_circle(g);
    float near = 2 / sqrtf((float)g->vertices + 1);
    for (int step = 0; step < STEPS && g->vertices <= FEW && g->vertices > 2; step++) {
        float dx[FEW] = {0}, dy[FEW] = {0}, most = 0.2F * (1 - (float)step / STEPS);
        for (size_t v = 0; v < g->vertices; v++) {
            push(g, v, near, &dx[v], &dy[v]);
        }
        pull(g, near, dx, dy);
        for (size_t v = 0; v < g->vertices; v++) {
            float length = fmaxf(hypotf(dx[v], dy[v]), 1e-6F), go = fminf(length, most);
            g->x[v] += dx[v] / length * go;
            g->y[v] += dy[v] / length * go;
        }
    }
    view_layout_fit(g);
}

void view_layout_fit(view_graph *g)
{
    float least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY};
    for (size_t v = 0; v < g->vertices; v++) {
        least[0] = fminf(least[0], g->x[v]);
        least[1] = fminf(least[1], g->y[v]);
        most[0] = fmaxf(most[0], g->x[v]);
        most[1] = fmaxf(most[1], g->y[v]);
    }
    float longer = fmaxf(fmaxf(most[0] - least[0], most[1] - least[1]), 1e-6F);
    float wide = fmaxf(most[0] - least[0], 0.05F * longer);
    float high = fmaxf(most[1] - least[1], 0.05F * longer);
    for (size_t v = 0; v < g->vertices; v++) {
        g->x[v] = (g->x[v] - (least[0] + most[0]) / 2) / wide + 0.5F;
        g->y[v] = (g->y[v] - (least[1] + most[1]) / 2) / high + 0.5F;
    }
    g->aspect = g->vertices > 0 ? wide / high : 1;
}
