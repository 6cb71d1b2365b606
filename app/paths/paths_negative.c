/* paths_negative.c - `upsweep paths --negative`: Bellman and Ford's method and, if a cycle of
 * negative length can be reached from the source, that cycle in the words of the file. */
/* SPDX-License-Identifier: MIT */
#include "app/paths/paths_verb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int app_paths_check_negative(const app_paths_settings *s)
{
    const char *other = s->cutoff != NULL             ? "--cutoff"
                        : s->plot != NULL             ? "--plot"
                        : s->delta > 0                ? "--delta"
                        : s->common.algorithm != NULL ? "--algorithm"
                                                      : NULL;
    return other == NULL ? APP_OK
                         : app_fail("%s is for weights that are not negative, and cannot go with "
                                    "--negative",
                                    other);
}

static void put_vertex(const app_paths *p, FILE *f, uint32_t v)
{
    char name[65];
    app_vertex_name(&p->g, v, name, sizeof name);
    fputs(name, f);
}

/* The lightest arc from one vertex to another. */
static double least_weight(const io_graph *g, uint32_t tail, uint32_t head)
{
    size_t bytes = g->weight == NULL ? 0 : upsweep_type_bytes(g->weight_type);
    double least = INFINITY;
    for (size_t i = 0; i < g->arcs; i++) {
        bool is = g->tail[i] == tail && g->head[i] == head;
        bool back = g->undirected && g->tail[i] == head && g->head[i] == tail;
        if (is || back) {
            double weight =
                bytes == 0 ? 1
                           : io_number_value(g->weight_type, (const char *)g->weight + i * bytes);
            least = fmin(least, weight);
        }
    }
    return least;
}

/* "3 -> 5 -> 2 -> 3", the middle of long ones left out. */
static void put_cycle(const app_paths *p, FILE *f, const uint32_t *cycle, size_t length)
{
    enum { SHOWN = 8 };
    for (size_t k = 0; k < length; k++) {
        if (length > 2 * SHOWN && k == SHOWN) {
            k = length - SHOWN;
            fprintf(f, "(%zu more) -> ", length - 2 * SHOWN);
        }
        put_vertex(p, f, cycle[k]);
        fputs(" -> ", f);
    }
    put_vertex(p, f, cycle[0]);
}

static int tell_cycle(app_paths *p, const uint32_t *cycle, size_t length)
{
    enum { SUMMED = 1000 }; /* each arc of the cycle is looked for among all */
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (f == NULL || !io_graph_to_list(&p->g)) {
        return app_fail("out of memory");
    }
    double sum = 0;
    for (size_t k = 0; k < length && length <= SUMMED; k++) {
        sum += least_weight(&p->g, cycle[k], cycle[k + 1 < length ? k + 1 : 0]);
    }
    fputs("the cycle ", f);
    put_cycle(p, f, cycle, length);
    fputs(" can be reached and ", f);
    if (length <= SUMMED) {
        fprintf(f, "has length %.17g", sum);
    } else {
        fputs("is of negative length", f);
    }
    int status = fclose(f) == 0 ? APP_NO : APP_ERROR;
    app_fail("%s: there are no shortest paths: %s", p->file, text);
    free(text);
    return status;
}

int app_paths_negative(app_paths *p, const app_answer *a)
{
    size_t n = p->g.vertices, length = n;
    uint32_t *cycle = malloc(n * sizeof *cycle + 1);
    if (cycle == NULL) {
        return app_fail("%s: no memory for a cycle of %zu vertices", p->file, n);
    }
    upsweep_status status = upsweep_bellman_ford(p->u, p->graph, a->sources, a->source_count,
                                                 p->distance_room, p->parent_room, cycle, &length);
    int result = status == UPSWEEP_OK                          ? APP_OK
                 : status == UPSWEEP_ERROR_RANGE && length > 0 ? tell_cycle(p, cycle, length)
                                                               : app_paths_fail(p, status);
    free(cycle);
    return result;
}
