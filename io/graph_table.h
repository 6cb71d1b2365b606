/* graph_table.h - which columns of a table are tail, head and weight, and tables whose vertices are
 * words. For graph_list.c. */
#ifndef IO_GRAPH_TABLE_H
#define IO_GRAPH_TABLE_H

#include "graph_formats.h"

typedef struct io_table {
    char delimiter;     /* 0: blanks */
    unsigned column[3]; /* tail, head, weight, from 0 */
    bool weighted;
    size_t from, lines; /* where the first arc is, and the lines before it */
} io_table;

bool io_table_find(io_table *table, const io_graph *g, const io_graph_file *f);
bool io_table_read_names(io_graph *g, const io_graph_file *f, const io_table *table);

/* Takes the next cell of a line, quotes and blanks around it left out; false behind the last one.
 * A cell in quotes keeps quotes that are written twice as they are. */
typedef struct io_cell {
    const char *p;
    size_t length;
} io_cell;
bool io_table_cell(io_text_line *line, char delimiter, io_cell *cell);

#endif
