/* view_input.h - what `upsweep view` plays on: numbers that were typed, read or made, and for paths
 * the graph that they are. */
#ifndef APP_VIEW_INPUT_H
#define APP_VIEW_INPUT_H

#include "app.h"
#include "show.h"
#include "trace_input.h"

typedef struct app_view_wish {
    const upsweep_algorithm *first; /* of those that are watched */
    char **words;                   /* the numbers of the command line */
    size_t word_count;
    const char *file;    /* of numbers; NULL: none */
    const char *graph;   /* a file of a graph */
    const char *places;  /* its coordinates */
    const char *pattern; /* of numbers that are made */
    size_t count;        /* of them; 0: what suits the algorithm */
    bool example;        /* the algorithm's own example */
} app_view_wish;

/* Returns APP_OK, or APP_ERROR after the sentence; both can be freed in any case, and were zero.
 * graph has no vertices where the algorithm is none of paths. */
int app_view_input(const app_view_wish *wish, app_trace_input *in, view_graph *graph);
void app_view_graph_free(view_graph *graph);

#endif
