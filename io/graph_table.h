/* graph_table.h - what a table of arcs is taken for: its separator, its header, and which columns
 * are tail, head and weight. It is decided once, from the first lines and the caller's wishes, and
 * holds for all lines. For graph_list.c. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_GRAPH_TABLE_H
#define IO_GRAPH_TABLE_H

#include "io/cells.h"
#include "io/graph_formats.h"

enum { IO_TABLE_SAMPLE = 256 }; /* lines that are looked at */

/* The first lines that are neither empty nor comments. */
typedef struct io_sample {
    io_text_line line[IO_TABLE_SAMPLE];
    size_t count;
} io_sample;

typedef struct io_table {
    char delimiter;                 /* 0: blanks */
    size_t cells_least, cells_most; /* of the first line, without and with empty ones at its end;
                                         0: of any number */
    size_t first_line;              /* its number */
    unsigned column[3];             /* tail, head, weight, from 0 */
    bool weighted, header;
    size_t from, lines; /* where the first arc is, and the lines before it */
} io_table;

bool io_table_find(io_table *table, const io_graph *g, const io_graph_file *f);

/* graph_header.c: whether the first line is a header, and what it says of the columns, which are
 * those of t->column already if the caller has given them. False after the sentence where that
 * cannot be told. */
bool io_table_header(io_table *t, const io_graph_file *f, const io_sample *sample);

/* Cell number `column` of a line; false if the line has less. */
bool io_table_cell(const io_text_line *line, char delimiter, size_t column, io_cell *cell);
bool io_table_is_number(const io_cell *cell);

/* graph_named.c: reads a table whose vertices are words. */
bool io_table_read_names(io_graph *g, const io_graph_file *f, const io_table *table);

/* graph_list.c: reads all rows, tails, heads and weights being columns 0, 1 and 2 of the records,
 * and tells the graph what the table was taken for. r can be freed in any case. */
bool io_table_read(io_graph *g, const io_graph_file *f, const io_table *table, io_records *r);

/* graph_ids.c: whether the ids that were read are to be numbered anew, since most numbers up to the
 * greatest are none; and that, which takes tails and heads to the graph. */
bool io_ids_sparse(const io_graph_options *o, const io_records *r);
bool io_ids_number(io_graph *g, const io_graph_file *f, const io_records *r);

#endif
