/* Dijkstra's shortest paths with a parallel minimum
 *
 * Idea     Settle one vertex after another, always the nearest of those not settled yet; then
 *          its distance is final, and its arcs may shorten the way to others. Finding the
 *          nearest is what takes the time: a tree reduction finds it in log2 V rounds.
 *
 * Picture         4                      settle   0  1  2  3
 *            0 ------> 1                          0  -  -  -
 *            |         ^  \ 5            0        0  4  1  -      0-1 and 0-2 relaxed
 *          1 |       2 |   v             2        0  3  1  9      2-1 is shorter: 4 -> 3
 *            +-------> 2 -> 3            1        0  3  1  8      1-3 is shorter: 9 -> 8
 *                        8               3        0  3  1  8
 *
 * Rounds   For each vertex that can be reached ceil(log2 V) + 3: the candidates, the tree,
 *          settle, relax. Then the tree once more, to find nobody left, unless all are settled.
 *
 * Cost     V - 1 compares to find each vertex and one for each of its arcs: V (V - 1) + E in
 *          all, far more than a heap would need, but all of it side by side. Fast forms change
 *          the algorithm: they settle whole groups of vertices at once (delta-stepping).
 *
 * Why      No arc is negative, so a way to the nearest vertex through any other unsettled one
 *          could not be shorter. Of two vertices at the same distance the lower number is
 *          settled first, which makes the trace repeatable; the distances are the same either
 *          way.
 *
 * Source   E. W. Dijkstra, A note on two problems in connexion with graphs, Numerische
 *          Mathematik, 1959; P. J. Martin, R. Torres, A. Gavilanes, CUDA solutions for the SSSP
 *          problem, ICCS 2009, for the minimum by reduction.
 *
 * Forms    explained (this file), CPU (path_dijkstra_cpu.h), CUDA (path_dijkstra.cu).
 */
/* SPDX-License-Identifier: MIT */
#include "core/explain_steps.h"

static const uint32_t UNREACHED = UINT32_MAX;

typedef struct graph {
    usw_arcs arcs;
    usw_array dist;    /* the shortest way found so far */
    usw_array open;    /* the same for unsettled vertices; settled ones are out of the race */
    usw_array nearest; /* the vertices still in the tournament */
    usw_array way;     /* of each arc: the distance by way of it */
} graph;

usw_arcs usw_read_arcs(usw_explain *x, const uint32_t *in, size_t n)
{
    size_t words = sizeof(usw_arc3) / sizeof(uint32_t);
    usw_arcs arcs = {.count = n / words, .vertices = n == 0 ? 0 : 1};
    if (n % words != 0) {
        usw_explain_leave(x, UPSWEEP_ERROR_ARGUMENT);
    }
    usw_arc3 *copy = new_memory(x, arcs.count * sizeof *copy);
    for (size_t k = 0; k < arcs.count; k++) {
        copy[k] = (usw_arc3){in[k * words], in[k * words + 1], in[k * words + 2]};
        arcs.vertices = usw_max(arcs.vertices, (size_t)usw_max(copy[k].from, copy[k].to) + 1);
    }
    if (arcs.vertices > n && n > 0) {
        usw_explain_leave(x, UPSWEEP_ERROR_RANGE);
    }
    arcs.arc = copy;
    return arcs;
}

static graph read_graph(usw_explain *x, const uint32_t *in, size_t n)
{
    graph g = {.arcs = usw_read_arcs(x, in, n)};
    g.dist = new_array(x, "dist", g.arcs.vertices);
    g.open = new_array(x, "open", g.arcs.vertices);
    g.nearest = new_array(x, "nearest", g.arcs.vertices);
    g.way = new_array(x, "way", g.arcs.count);
    return g;
}

/* The unsettled vertex of least distance: a tree reduction (see reduce/tree) over vertex numbers,
 * compared by distance. */
static uint32_t find_nearest(usw_explain *x, const graph *g)
{
    ROUND(x, "candidates") {
        LANES(x, v, g->arcs.vertices) {
            set(x, g->nearest, v, (uint32_t)v);
        }
    }
    size_t m = g->arcs.vertices;
    ROUNDS(x, r, usw_log2_up(g->arcs.vertices), "distance %zu", usw_div_up(m, 2)) {
        size_t half = usw_div_up(m, 2);
        LANES(x, i, m - half) {
            uint32_t a = g->nearest.v[i], b = g->nearest.v[i + half];
            if (!in_order(x, g->open, a, g->open, b) || (b < a && g->open.v[a] == g->open.v[b])) {
                move(x, g->nearest, i + half, g->nearest, i);
            }
        }
        m = half;
    }
    return g->nearest.v[0];
}

void usw_offer_way(usw_explain *x, uint32_t far, usw_arc3 arc, usw_array way, size_t k,
                   usw_array dist, usw_array open)
{
    uint64_t sum = (uint64_t)far + arc.weight;
    if (sum >= UNREACHED) {
        usw_explain_leave(x, UPSWEEP_ERROR_RANGE);
    }
    set(x, way, k, (uint32_t)sum);
    if (!in_order(x, dist, arc.to, way, k)) {
        move(x, way, k, dist, arc.to);
        move(x, way, k, open, arc.to);
    }
}

/* Nothing is reached but vertex 0, and nothing is settled. */
void usw_begin_paths(usw_explain *x, usw_array dist, usw_array open)
{
    ROUND(x, "begin") {
        LANES(x, v, dist.n) {
            set(x, dist, v, v == 0 ? 0 : UNREACHED);
            set(x, open, v, v == 0 ? 0 : UNREACHED);
        }
    }
    show_distances(x, dist);
}

/* Every arc that leaves the vertex offers a way to its end. Arcs side by side may offer ways to the
 * same end: a machine with many lanes must then take the minimum in one piece (an atomic one). */
static void relax(usw_explain *x, const graph *g, uint32_t vertex)
{
    ROUND(x, "relax") {
        LANES(x, k, g->arcs.count) {
            if (g->arcs.arc[k].from == vertex) {
                usw_offer_way(x, g->dist.v[vertex], g->arcs.arc[k], g->way, k, g->dist, g->open);
            }
        }
    }
}

static void paths(usw_explain *x, const uint32_t *in, size_t n, uint32_t *out)
{
    graph g = read_graph(x, in, n);
    x->results = g.arcs.vertices;
    if (n == 0) {
        return;
    }
    usw_begin_paths(x, g.dist, g.open);
    for (size_t settled = 0; settled < g.arcs.vertices; settled++) {
        uint32_t vertex = find_nearest(x, &g);
        if (g.open.v[vertex] == UNREACHED) {
            break;
        }
        phase(x, "settle %u", vertex);
        ROUND(x, "settle") {
            set(x, g.open, vertex, UNREACHED);
        }
        relax(x, &g, vertex);
        show_distances(x, g.dist);
    }
    memcpy(out, g.dist.v, g.arcs.vertices * sizeof *out);
}

const usw_row usw_path_dijkstra_row = {
    .info = {.name = "path/dijkstra",
             .operation = "path",
             .title = "Dijkstra's shortest paths with a parallel minimum",
             .idea = "settle the nearest vertex, found by a tree reduction, and relax its arcs",
             .work = "V (V - 1) + E compares",
             .depth = "V (ceil(log2 V) + 3) + 1",
             .source = "Dijkstra 1959; Martin, Torres and Gavilanes 2009",
             .input = "arcs, each as three numbers: from, to, weight; the source is vertex 0",
             .example = "0 1 4 0 2 1 1 3 5 2 1 2 2 3 8",
             .text = usw_path_dijkstra_page,
             .claims = UPSWEEP_CLAIM_DETERMINISTIC},
    .explain = paths,
};
