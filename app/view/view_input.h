/* view_input.h - what `upsweep view` plays on: numbers that were typed, read or made, and for paths
 * the graph that they are. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_APP_VIEW_VIEW_INPUT_H
#define USW_APP_VIEW_VIEW_INPUT_H

#include "app/arrays/arrays.h"
#include "view/show.h"
#include "app/trace/trace_input.h"

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

/* Elements for real runs. */
typedef struct app_view_numbers {
    io_array file; /* that they were read from */
    void *made;    /* or were made or typed */
    const void *data;
    size_t n;
    upsweep_type type;
} app_view_numbers;

/* Reads, takes or makes the elements of a real run of wish->first, which is not of paths: of
 * common->type, or what a file says. Returns and frees as app_view_input does. */
int app_view_numbers_input(const app_view_wish *wish, const app_common *common,
                           app_view_numbers *numbers);
void app_view_numbers_free(app_view_numbers *numbers);

/* Returns APP_OK, or APP_ERROR after the sentence; both can be freed in any case, and were zero.
 * graph has no vertices where the algorithm is none of paths. */
int app_view_input(const app_view_wish *wish, app_trace_input *in, view_graph *graph);
void app_view_graph_free(view_graph *graph);

#endif
