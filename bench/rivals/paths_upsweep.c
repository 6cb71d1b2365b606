/* upsweep's shortest paths, through its public call. */
/* SPDX-License-Identifier: MIT */
#include "bench/paths_rival.h"
#include "upsweep.h"

static upsweep *handle;
static upsweep_graph *graph;

int bench_load(const bench_graph *g, unsigned threads)
{
    upsweep_config config = {.size = sizeof config, .threads = threads};
    upsweep_graph_free(graph);
    upsweep_close(handle);
    graph = NULL;
    return upsweep_open(&handle, "cpu", &config) != UPSWEEP_OK ||
           upsweep_graph_from_arcs(handle, g->n, g->m, g->tail, g->head, g->weight, UPSWEEP_U32,
                                   UPSWEEP_GRAPH_UNDIRECTED, &graph) != UPSWEEP_OK;
}

int bench_paths(uint32_t source, uint32_t *distance)
{
    return upsweep_paths(handle, graph, &source, 1, distance, NULL, NULL) != UPSWEEP_OK;
}
