/* graph_formats.h - the readers and writers of the formats, for graph_file.c. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_GRAPH_FORMATS_H
#define IO_GRAPH_FORMATS_H

#include "io/graph_file.h"
#include "io/records.h"

/* What a reader gets: the whole file, unpacked, in g->input. */
typedef struct io_graph_file {
    const char *name; /* for sentences */
    const io_graph_options *options;
    io_error *error;
} io_graph_file;

bool io_gr_read(io_graph *g, const io_graph_file *f);
bool io_mtx_read(io_graph *g, const io_graph_file *f);
bool io_list_read(io_graph *g, const io_graph_file *f); /* el, wel, csv, tsv */
bool io_gap_read(io_graph *g, const io_graph_file *f);  /* sg, wsg */
bool io_usg_read(io_graph *g, const io_graph_file *f);

/* A line of text: [p, end), without its newline and carriage return; next is where the one behind
 * it begins. False at the end of the text. */
typedef struct io_text_line {
    const char *p, *end, *next;
    size_t number; /* from 1 */
} io_text_line;
void io_text_begin(io_text_line *line, const io_input *in);
bool io_text_next(io_text_line *line, const io_input *in);
/* The next word of the line, which it is taken from; empty at its end. */
size_t io_text_word(io_text_line *line, const char **word);
/* A whole number; false if the word is none, or needs more than 64 bits. */
bool io_text_count(const char *word, size_t length, uint64_t *value);

/* Moves the columns of r to the graph: tails, heads and, if there is a third, weights. */
void io_graph_adopt(io_graph *g, io_records *r);
void io_graph_adopt_weights(io_graph *g, io_records *r); /* only these, if there are any */
/* Reads one file and unpacks it. */
bool io_graph_load(io_input *in, const char *file, unsigned threads, io_progress *progress,
                   io_error *error);

/* Turns weights to another type; one that it lacks is an error. */
bool io_graph_weights_as(io_graph *g, const io_graph_file *f, upsweep_type type);

/* Refuses rows out of order, heads that are no vertices, and weights below 0, as files that were
 * made to harm may have them. */
bool io_graph_check(const io_graph *g, const char *name, io_error *error);

bool io_usg_write(io_graph *g, io_output *out, unsigned threads, io_error *error);
bool io_gap_write(io_graph *g, io_output *out, io_graph_format format, io_error *error);

#endif
