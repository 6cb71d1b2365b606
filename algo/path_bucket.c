/* Shortest paths by buckets
 *
 * Idea     Do not ask for the one nearest vertex: take all that wait in the nearest bucket, a
 *          stretch of distances as wide as a typical arc, and relax their arcs side by side.
 *          One may turn out to be nearer by way of another of the same bucket; then it waits
 *          again, and the bucket is taken once more until nothing in it waits.
 *
 * Picture  width 4        buckets  0..3    4..7    8..11
 *               4         take 0   0       .       .        0-1 gives 4, 0-2 gives 1
 *          0 ------> 1             2       1       .        2 is near: the same bucket again
 *          |         ^  \ 5   take 2        .       .        2-1 gives 3, 2-3 gives 9
 *        1 |       2 |   v         1       .       3        1 has come into this bucket
 *          +-------> 2 -> 3   take 1                        1-3 gives 8
 *                      8      take 3               3        no arc leaves 3: the end
 *
 * Rounds   For each bucket taken ceil(log2 V) + 3: the open distances, the tree that finds the
 *          least of them, take, relax. At last the tree once more, to find nothing open.
 *
 * Cost     Each arc is relaxed at least once, and again whenever its tail was taken too early:
 *          E compares or more. Narrow buckets relax little twice but are many; wide ones are few
 *          and keep all lanes busy. One distance wide it is Dijkstra's order; with one bucket for
 *          all it is Bellman and Ford's method.
 *
 * Why      No arc is negative, so what is relaxed from this bucket lands here or later, never
 *          before: when nothing waits here, all distances up to its end are final. How often a
 *          vertex waits again changes the work and not the outcome.
 *
 * Source   R. B. Dial, Algorithm 360: shortest-path forest with topological ordering, CACM, 1969;
 *          U. Meyer, P. Sanders, Delta-stepping: a parallelizable shortest path algorithm,
 *          Journal of Algorithms, 2003.
 *
 * Forms    explained (this file), CPU (path_bucket_cpu.h), CUDA (path_bucket.cu).
 */
/* SPDX-License-Identifier: MIT */
#include "core/explain_steps.h"

static const uint32_t UNREACHED = UINT32_MAX;

typedef struct search {
    usw_arcs arcs;
    uint32_t width;  /* of a bucket */
    usw_array dist;  /* the shortest way found so far */
    usw_array open;  /* the same for vertices that wait; for others, out of the race */
    usw_array least; /* the open distances still in the tournament */
    usw_array taken; /* the distances of the vertices of the bucket at hand */
    usw_array way;   /* of each arc: the distance by way of it */
} search;

/* Buckets as wide as the mean arc, rounded down, but at least 1. */
static uint32_t mean_weight(usw_arcs arcs)
{
    uint64_t sum = 0;
    for (size_t k = 0; k < arcs.count; k++) {
        sum += arcs.arc[k].weight;
    }
    return arcs.count == 0 || sum < arcs.count ? 1 : (uint32_t)(sum / arcs.count);
}

static search start(usw_explain *x, const uint32_t *in, size_t n)
{
    search s = {.arcs = usw_read_arcs(x, in, n)};
    s.width = mean_weight(s.arcs);
    s.dist = new_array(x, "dist", s.arcs.vertices);
    s.open = new_array(x, "open", s.arcs.vertices);
    s.least = hidden(new_array(x, "least", s.arcs.vertices));
    s.taken = hidden(new_array(x, "taken", s.arcs.vertices));
    s.way = new_array(x, "way", s.arcs.count);
    return s;
}

static uint32_t lesser(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The least distance of a vertex that waits, by a tree reduction (see reduce/tree). */
static uint32_t find_least(usw_explain *x, const search *s)
{
    ROUND(x, "open") {
        LANES(x, v, s->arcs.vertices) {
            move(x, s->open, v, s->least, v);
        }
    }
    usw_tree(x, s->least, lesser);
    return s->least.v[0];
}

/* All that waits in the bucket waits no more. */
static void take(usw_explain *x, const search *s, uint32_t bucket)
{
    ROUND(x, "take") {
        LANES(x, v, s->arcs.vertices) {
            uint32_t open = s->open.v[v];
            bool here = open != UNREACHED && open / s->width == bucket;
            set(x, s->taken, v, here ? open : UNREACHED);
            if (here) {
                set(x, s->open, v, UNREACHED);
            }
        }
    }
}

/* Every arc that leaves a taken vertex offers a way to its end, from where the vertex was when it
 * was taken. Arcs side by side may offer ways to the same end: a machine with many lanes must then
 * take the minimum in one piece (an atomic one). */
static void relax(usw_explain *x, const search *s)
{
    ROUND(x, "relax") {
        LANES(x, k, s->arcs.count) {
            usw_arc3 arc = s->arcs.arc[k];
            uint32_t far = s->taken.v[arc.from];
            if (far != UNREACHED) {
                usw_offer_way(x, far, arc, s->way, k, s->dist, s->open);
            }
        }
    }
}

static void paths(usw_explain *x, const uint32_t *in, size_t n, uint32_t *out)
{
    search s = start(x, in, n);
    x->results = s.arcs.vertices;
    if (n == 0) {
        return;
    }
    usw_begin_paths(x, s.dist, s.open);
    for (uint32_t least = find_least(x, &s); least != UNREACHED; least = find_least(x, &s)) {
        uint32_t bucket = least / s.width;
        unsigned long long begin = (unsigned long long)bucket * s.width, end = begin + s.width - 1;
        phase(x, "bucket %llu to %llu", begin, end);
        take(x, &s, bucket);
        relax(x, &s);
        show_distances(x, s.dist);
    }
    memcpy(out, s.dist.v, s.arcs.vertices * sizeof *out);
}

const usw_row usw_path_bucket_row = {
    .info = {.name = "path/bucket",
             .operation = "path",
             .title = "Shortest paths by buckets",
             .idea = "relax the arcs of all vertices in the nearest bucket of distances at once",
             .work = "E or more compares",
             .depth = "(B + 1) (ceil(log2 V) + 1) + 2 B + 1, B buckets taken",
             .source = "Dial 1969; Meyer and Sanders 2003",
             .input = "arcs, each as three numbers: from, to, weight; the source is vertex 0",
             .example = "0 1 4 0 2 1 1 3 5 2 1 2 2 3 8",
             .text = usw_path_bucket_page,
             .claims = UPSWEEP_CLAIM_DETERMINISTIC},
    .explain = paths,
};
