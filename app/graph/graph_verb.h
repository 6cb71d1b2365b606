/* graph_verb.h - what the parts of `upsweep graph` share. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_APP_GRAPH_GRAPH_VERB_H
#define USW_APP_GRAPH_GRAPH_VERB_H

#include "app/graph/graph_input.h"

typedef struct app_graph_settings {
    app_common common;
    app_graph_input input;
    const char *to, *places_out, *weights;
    size_t degree, seed;
} app_graph_settings;

extern const char app_graph_about[];

/* graph_output.c: the format that --as or the end of the name of -o says. */
int app_graph_output_format(const app_graph_settings *s, io_graph_format *format);
/* Writes the graph to -o or standard output, and the coordinates where --places says. */
int app_write_graph(const app_graph_settings *s, io_graph *g, io_graph_format format);
/* graph_generate.c: makes a graph and writes it. */
int app_graph_generate(const app_graph_settings *s, const char *kind, const char *size);

#endif
