/* paths.c - shortest paths from some sources, in a graph, and in one given as a matrix. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/queries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static upsweep_path_options options_of(fuzz *f, const fuzz_query *q)
{
    return (upsweep_path_options){.size = fuzz_chance(f, 2) ? 0 : sizeof(upsweep_path_options),
                                  .algorithm = q->algorithm,
                                  .targets = q->has_targets ? q->targets : NULL,
                                  .target_count = q->target_count,
                                  .cutoff = q->has_cutoff ? &q->cutoff_element : NULL,
                                  .delta = q->delta};
}

/* Distances and parents, as arrays 0 and 1. */
static void add_outputs(fuzz *f, size_t n, bool parents)
{
    size_t bytes = fuzz_distance_bytes(f->type);
    fuzz_array_new(f, FUZZ_OUTPUT, n, bytes, bytes);
    fuzz_array_new(f, FUZZ_OUTPUT, parents ? n : 0, 4, 4);
    f->array[1].may_be_null = true;
    f->partial = true; /* the outputs are undefined after an error */
    fuzz_arrays_ready(f);
}

static void *parents_at(fuzz *f, bool wanted)
{
    return !wanted ? NULL : f->array[1].device ? f->array[1].device : f->array[1].at;
}

/* ---- upsweep_paths ---- */

static void run_paths(fuzz *f)
{
    fuzz_net g;
    fuzz_query q;
    upsweep_graph *graph = NULL;
    fuzz_net_draw(f, &g, false);
    fuzz_query_draw(f, &q, g.n, 3);
    if (!fuzz_net_made(f, &g, &graph)) {
        return;
    }
    fuzz_paths_found p = fuzz_net_paths(&g, q.sources, q.source_count);
    fuzz_query_cutoff(f, &q, g.type, p.distance, g.n);
    long double limit = fuzz_query_limit(&q, p.distance);
    fuzz_query_twist(f, &q, g.n);
    fuzz_query_tell(f, &q);
    bool wanted = fuzz_chance(f, 2);
    add_outputs(f, g.n, wanted);
    upsweep_path_options o = options_of(f, &q);
    void *distance = fuzz_at(f, 0), *parent = parents_at(f, wanted);
    fuzz_query_expect(f, p.lost, q.has_cutoff || q.has_targets);
    if (fuzz_settle(f, upsweep_paths(f->u, graph, q.sources, q.source_count, distance, parent,
                                     fuzz_query_is_plain(&q) ? NULL : &o))) {
        fuzz_check_paths(f, &g, &p, limit, q.sources, q.source_count, f->array[0].at,
                         wanted ? (const void *)f->array[1].at : NULL);
        fuzz_report(f, SIZE_MAX);
    }
    fuzz_paths_end(&p);
    upsweep_graph_free(graph);
    fuzz_net_free(&g);
}

/* ---- upsweep_paths_dense ---- */

/* A matrix of the arcs: of several between two vertices the last. */
static unsigned char *matrix_of(fuzz *f, fuzz_net *g)
{
    size_t bytes = upsweep_type_bytes(g->type), n = g->n;
    unsigned char *matrix = fuzz_array_new(f, FUZZ_INPUT, n * n, bytes, bytes);
    bool real = g->type == UPSWEEP_F32 || g->type == UPSWEEP_F64;
    memset(matrix, 0xff, n * n * bytes);
    for (size_t i = 0; i < n * n && real; i++) {
        fuzz_put_distance(g->type, matrix, i, INFINITY);
    }
    for (size_t v = 0; v < n; v++) { /* nobody looks at the diagonal */
        fuzz_fill_bytes(f, matrix + (v * n + v) * bytes, bytes);
    }
    for (size_t a = 0; a < g->m; a++) {
        if (g->tail[a] != g->head[a]) {
            memcpy(matrix + (g->tail[a] * n + g->head[a]) * bytes, g->weight + a * bytes, bytes);
        }
    }
    g->count = 0;
    free(g->arc);
    g->arc = malloc((n * n + 1) * sizeof *g->arc);
    for (size_t i = 0; i < n * n; i++) {
        long double weight = fuzz_distance(g->type, matrix, i);
        if (i / n != i % n && weight < INFINITY) {
            g->arc[g->count++] = (fuzz_arc){(uint32_t)(i / n), (uint32_t)(i % n), weight};
        }
    }
    return matrix;
}

static void run_dense(fuzz *f)
{
    fuzz_net g;
    fuzz_query q;
    do {
        f->detail[0] = '\0';
        fuzz_net_draw(f, &g, false);
    } while ((g.type == 0 || g.n > 150) && (fuzz_net_free(&g), true));
    fuzz_query_draw(f, &q, g.n, 3);
    matrix_of(f, &g);
    fuzz_paths_found p = fuzz_net_paths(&g, q.sources, q.source_count);
    fuzz_query_cutoff(f, &q, g.type, p.distance, g.n);
    long double limit = fuzz_query_limit(&q, p.distance);
    q.algorithm = q.algorithm == NULL ? NULL : "path/dijkstra";
    fuzz_query_twist(f, &q, g.n);
    fuzz_query_tell(f, &q);
    upsweep_type type = g.type;
    if (f->twist == TWIST_TYPE) {
        type = f->twist_at % 2 == 0 ? UPSWEEP_I32 : (upsweep_type)0;
        f->expect = UPSWEEP_ERROR_ARGUMENT;
    }
    bool wanted = fuzz_chance(f, 2);
    size_t bytes = upsweep_type_bytes(g.type);
    fuzz_array_new(f, FUZZ_OUTPUT, g.n, bytes, bytes);
    fuzz_array_new(f, FUZZ_OUTPUT, wanted ? g.n : 0, 4, 4);
    f->array[2].may_be_null = true;
    f->partial = true;
    fuzz_arrays_ready(f);
    upsweep_path_options o = options_of(f, &q);
    void *matrix = fuzz_at(f, 0), *distance = fuzz_at(f, 1);
    void *parent = !wanted ? NULL : f->array[2].device ? f->array[2].device : f->array[2].at;
    fuzz_query_expect(f, p.lost, q.has_cutoff || q.has_targets);
    if (fuzz_settle(f,
                    upsweep_paths_dense(f->u, matrix, g.n, type, q.sources, q.source_count,
                                        distance, parent, fuzz_query_is_plain(&q) ? NULL : &o))) {
        fuzz_check_paths(f, &g, &p, limit, q.sources, q.source_count, f->array[1].at,
                         wanted ? (const void *)f->array[2].at : NULL);
        fuzz_report(f, 16 * g.n + 65536);
    }
    fuzz_paths_end(&p);
    fuzz_net_free(&g);
}

const fuzz_call fuzz_paths[] = {
    {"upsweep_paths", 10, run_paths, false},
    {"upsweep_paths_dense", 4, run_dense, false},
    {0},
};
