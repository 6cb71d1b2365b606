/* graph_list.c - lists of arcs: .el and .wel, one `TAIL HEAD` or `TAIL HEAD WEIGHT` a line, and
 * tables, whose form graph_table.c has found. Lines that begin with # or % are comments. There are
 * as many vertices as the greatest id needs, or, where ids are far apart, as there are ids. */
/* SPDX-License-Identifier: MIT */
#include "io/graph_formats.h"

#include "io/graph_table.h"

/* Fields must come in the order of their columns; order[k] tells which one column k is. */
static void sort_columns(const io_table *table, size_t fields, unsigned order[3])
{
    for (unsigned k = 0; k < fields; k++) {
        order[k] = k;
    }
    for (unsigned i = 1; i < fields; i++) {
        for (unsigned k = i; k > 0 && table->column[order[k]] < table->column[order[k - 1]]; k--) {
            unsigned swap = order[k];
            order[k] = order[k - 1];
            order[k - 1] = swap;
        }
    }
}

static bool make_rules(const io_table *table, const io_graph *g, const io_graph_file *f,
                       io_record_rules *rules, unsigned order[3])
{
    const io_graph_options *o = f->options;
    bool is_table = g->format == IO_GRAPH_CSV || g->format == IO_GRAPH_TSV;
    *rules = (io_record_rules){.name = f->name,
                               .comments = "#%",
                               .delimiter = table->delimiter,
                               .loose = is_table || o->no_weights,
                               .cells_least = table->cells_least,
                               .cells_most = table->cells_most,
                               .first_line = table->first_line,
                               .any_ids = o->ids != IO_IDS_ALL,
                               .negative = o->negative,
                               .vertices = IO_VERTICES_MAX,
                               .base = o->base_given ? o->base : 0,
                               .fields = table->weighted ? 3 : 2};
    sort_columns(table, rules->fields, order);
    for (unsigned k = 0; k < rules->fields; k++) {
        bool is_weight = order[k] == 2;
        io_field_kind kind = is_weight     ? IO_FIELD_WEIGHT
                             : o->by_names ? IO_FIELD_NAME
                                           : IO_FIELD_ID;
        rules->field[k] = (io_field){kind, table->column[order[k]], is_weight ? o->weight_type : 0};
        if (k > 0 && rules->field[k].column == rules->field[k - 1].column) {
            return io_because(f->error, "%s: column %u is chosen twice", f->name,
                              rules->field[k].column + 1);
        }
    }
    return true;
}

/* Puts columns in the order tail, head, weight. */
static void reorder(io_records *r, const unsigned order[3], size_t fields)
{
    io_records as_read = *r;
    for (size_t k = 0; k < fields; k++) {
        r->column[order[k]] = as_read.column[k];
        r->held[order[k]] = as_read.held[k];
        r->type[order[k]] = as_read.type[k];
    }
}

bool io_table_read(io_graph *g, const io_graph_file *f, const io_table *table, io_records *r)
{
    io_record_rules rules;
    unsigned order[3];
    *r = (io_records){.count = 0};
    if (!make_rules(table, g, f, &rules, order) ||
        !io_records_read(r, &rules, &g->input, table->from, table->lines, f->options->threads,
                         f->options->progress, f->error)) {
        return false;
    }
    reorder(r, order, rules.fields);
    g->base = (uint32_t)rules.base;
    g->form = (io_table_form){.is_table = table->cells_most > 0,
                              .delimiter = table->delimiter,
                              .cells = table->cells_most,
                              .header_line = table->header ? table->first_line : 0,
                              .column = {table->column[0], table->column[1], table->column[2]},
                              .rows = r->count,
                              .skipped = r->lines + table->lines - table->header - r->count};
    return r->count > 0 || io_because(f->error, "%s: has no arcs", f->name);
}

static bool read_numbers(io_graph *g, const io_graph_file *f, const io_table *table)
{
    io_records r;
    bool ok = io_table_read(g, f, table, &r);
    if (ok && io_ids_sparse(f->options, &r)) {
        ok = io_ids_number(g, f, &r);
        io_graph_adopt_weights(g, &r);
    } else if (ok) {
        g->vertices = r.ids;
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
