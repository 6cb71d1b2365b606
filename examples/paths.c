/* paths.c - the shortest way on a small map of roads: distances from one town to all, and the
 * towns on the way to one of them.
 *
 * Prints:
 *     Basel to Bern: 95 km
 *     Basel to Chur: 205 km
 *     Basel to Zug: 115 km
 *     Basel to Zurich: 85 km
 *     the way to Chur: Basel Zurich Chur
 */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <upsweep_typed.h>

enum { BASEL, BERN, CHUR, ZUG, ZURICH, TOWNS, ROADS = 5 };

int main(void)
{
    const char *const town[TOWNS] = {"Basel", "Bern", "Chur", "Zug", "Zurich"};
    /* Road i leads from tail[i] to head[i]. */
    const uint32_t tail[ROADS] = {BASEL, BASEL, ZURICH, ZURICH, ZUG};
    const uint32_t head[ROADS] = {BERN, ZURICH, CHUR, ZUG, CHUR};
    const uint32_t km[ROADS] = {95, 85, 120, 30, 145};
    const uint32_t source = BASEL;
    uint32_t distance[TOWNS], parent[TOWNS], path[TOWNS];
    size_t length = TOWNS;
    upsweep_graph *graph;
    upsweep *u;

    if (upsweep_open(&u, "cpu", NULL) != UPSWEEP_OK) {
        return 1;
    }
    /* A graph is made once and asked many times. Roads go both ways. */
    if (upsweep_graph_from_arcs_u32(u, TOWNS, ROADS, tail, head, km, UPSWEEP_GRAPH_UNDIRECTED,
                                    &graph) != UPSWEEP_OK) {
        fprintf(stderr, "paths: %s\n", upsweep_error(u));
        upsweep_close(u);
        return 1;
    }
    upsweep_status status = upsweep_paths_u32(u, graph, &source, 1, distance, parent, NULL);
    for (int i = BERN; status == UPSWEEP_OK && i < TOWNS; i++) {
        printf("Basel to %s: %u km\n", town[i], (unsigned)distance[i]);
    }
    /* parent[v] is the town before v; followed back from Chur it gives the whole way. */
    if (status == UPSWEEP_OK) {
        status = upsweep_path_of(parent, TOWNS, CHUR, path, &length);
        printf("the way to Chur:");
        for (size_t i = 0; i < length; i++) {
            printf(" %s", town[path[i]]);
        }
        printf("\n");
    }
    upsweep_graph_free(graph); /* before the handle */
    upsweep_close(u);
    return status == UPSWEEP_OK ? 0 : 1;
}
