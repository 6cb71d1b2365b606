/* graph_list.c - lists of arcs: .el and .wel, one `TAIL HEAD` or `TAIL HEAD WEIGHT` a line, and
 * tables, whose columns are chosen by number or by the words of their first line. Lines that begin
 * with # or % are comments. There are as many vertices as the greatest id needs. */
#include "graph_formats.h"

#include "graph_table.h"

#include <stdlib.h>

static bool take_columns(const io_graph_file *f, const io_table *table, io_record_rules *rules,
                         unsigned order[3])
{
    /* Fields must come in the order of their columns; order[k] tells which one column k is. */
    rules->fields = table->weighted ? 3 : 2;
    for (unsigned k = 0; k < rules->fields; k++) {
        order[k] = k;
    }
    for (unsigned i = 1; i < rules->fields; i++) {
        for (unsigned k = i; k > 0 && table->column[order[k]] < table->column[order[k - 1]]; k--) {
            unsigned swap = order[k];
            order[k] = order[k - 1];
            order[k - 1] = swap;
        }
    }
    for (unsigned k = 0; k < rules->fields; k++) {
        bool is_weight = order[k] == 2;
        rules->field[k] =
            (io_field){is_weight ? IO_FIELD_WEIGHT : IO_FIELD_ID, table->column[order[k]],
                       is_weight ? f->options->weight_type : 0};
        if (k > 0 && rules->field[k].column == rules->field[k - 1].column) {
            return io_because(f->error, "%s: column %u is chosen twice", f->name,
                              rules->field[k].column + 1);
        }
    }
    return true;
}

/* Columns in the order tail, head, weight. */
static void reorder(io_records *r, const unsigned order[3], size_t fields)
{
    io_records as_read = *r;
    for (size_t k = 0; k < fields; k++) {
        r->column[order[k]] = as_read.column[k];
        r->held[order[k]] = as_read.held[k];
        r->type[order[k]] = as_read.type[k];
    }
}

static bool read_numbers(io_graph *g, const io_graph_file *f, const io_table *table)
{
    const io_graph_options *o = f->options;
    bool is_table = g->format == IO_GRAPH_CSV || g->format == IO_GRAPH_TSV;
    io_record_rules rules = {.name = f->name,
                             .comments = "#%",
                             .delimiter = table->delimiter,
                             .loose = is_table || o->no_weights,
                             .negative = o->negative,
                             .vertices = IO_VERTICES_MAX,
                             .base = o->base_given ? o->base : 0};
    unsigned order[3];
    if (!take_columns(f, table, &rules, order)) {
        return false;
    }
    io_records r;
    bool ok = io_records_read(&r, &rules, &g->input, table->from, table->lines, o->threads,
                              o->progress, f->error);
    if (ok && r.count == 0) {
        ok = io_because(f->error, "%s: has no arcs", f->name);
    }
    if (ok) {
        g->base = (uint32_t)rules.base;
        g->vertices = r.ids;
        reorder(&r, order, rules.fields);
        io_graph_adopt(g, &r);
    }
    io_records_free(&r);
    return ok;
}

bool io_list_read(io_graph *g, const io_graph_file *f)
{
    io_table table;
    if (!io_table_find(&table, g, f)) {
        return false;
    }
    return f->options->by_names ? io_table_read_names(g, f, &table) : read_numbers(g, f, &table);
}
