/* graph_named.c - tables whose vertices are words. Threads have found where the names are and read
 * the weights; the names then get their numbers by one thread, in the order of their first
 * appearance. */
/* SPDX-License-Identifier: MIT */
#include "io/graph_table.h"

#include "io/names.h"

/* The number of the name whose cell begins at an offset of the text. Its text is put in place of
 * the cell, which is read once. */
static bool take_name(io_graph *g, char delimiter, uint64_t at, uint32_t *number)
{
    const io_input *in = &g->input;
    char *text = (char *)in->bytes;
    const char *p = text + at, *end = memchr(p, '\n', in->size - at);
    io_cell cell;
    bool more;
    end -= end > p && end[-1] == '\r';
    io_cell_take(&p, end, delimiter, &cell, &more);
    char *word = text + (cell.p - text);
    return io_names_add(g->names, word, io_cell_text(&cell, word), number);
}

static bool take_names(io_graph *g, const io_graph_file *f, char delimiter, const io_records *r)
{
    const uint64_t *at[2] = {r->column[0], r->column[1]};
    for (size_t i = 0; i < r->count; i++) {
        if (!take_name(g, delimiter, at[0][i], &g->tail[i]) ||
            !take_name(g, delimiter, at[1][i], &g->head[i])) {
            return io_because(f->error, "%s: no memory for the names of %zu arcs", f->name,
                              r->count);
        }
    }
    return true;
}

bool io_table_read_names(io_graph *g, const io_graph_file *f, const io_table *table)
{
    io_records r;
    bool ok = io_table_read(g, f, table, &r);
    if (ok) {
        g->names = io_names_new();
        g->tail = io_graph_take(g, r.count * sizeof *g->tail);
        g->head = io_graph_take(g, r.count * sizeof *g->head);
        ok = (g->names != NULL && g->tail != NULL && g->head != NULL) ||
             io_because(f->error, "%s: no memory for %zu arcs", f->name, r.count);
    }
    ok = ok && take_names(g, f, table->delimiter, &r);
    if (ok) {
        io_graph_adopt_weights(g, &r);
        g->vertices = io_names_count(g->names);
    }
    io_records_free(&r);
    return ok;
}
