/* graph_input.c - reads a graph as the command line says. */
/* SPDX-License-Identifier: MIT */
#include "app/graph/graph_input.h"

#include "io/names.h"
#include "io/parallel.h"

#include <stdlib.h>
#include <string.h>

unsigned app_io_threads(const app_common *common)
{
    return common->threads == 0 || common->threads > IO_LANES_MAX ? io_processors()
                                                                  : (unsigned)common->threads;
}

static int take_weight(const char *text, io_graph_options *o)
{
    static const upsweep_type plain[] = {UPSWEEP_U32, UPSWEEP_U64, UPSWEEP_F32, UPSWEEP_F64};
    static const upsweep_type with_negative[] = {UPSWEEP_I64, UPSWEEP_F32, UPSWEEP_F64};
    const upsweep_type *types = o->negative ? with_negative : plain;
    if (text == NULL) {
        return APP_OK;
    }
    o->no_weights = strcmp(text, "none") == 0;
    for (size_t i = 0; i < (o->negative ? 3 : 4); i++) {
        if (strcmp(text, upsweep_type_name(types[i])) == 0) {
            o->weight_type = types[i];
        }
    }
    return o->no_weights || o->weight_type != 0
               ? APP_OK
               : app_fail("--weight takes %s, f32, f64 or none%s, not '%s'",
                          o->negative ? "i64" : "u32, u64", o->negative ? " with --negative" : "",
                          text);
}

static int take_delimiter(const char *text, io_graph_options *o)
{
    if (text == NULL) {
        return APP_OK;
    }
    bool tab = strcmp(text, "\\t") == 0 || strcmp(text, "tab") == 0;
    if ((!tab && strlen(text) != 1) || strchr("\"\n\r0123456789", *text) != NULL) {
        return app_fail("--delimiter takes one letter, or tab, not '%s'", text);
    }
    o->delimiter = tab ? '\t' : *text;
    return APP_OK;
}

static int take_options(const app_graph_input *input, io_graph_options *o)
{
    if (input->from != NULL) {
        o->format = io_graph_format_from_name(input->from);
        if (o->format == IO_GRAPH_NONE) {
            return app_fail("--from takes gr, mtx, el, wel, sg, wsg, csv, tsv or usg, not '%s'",
                            input->from);
        }
    }
    if (input->base != NULL) {
        if ((*input->base != '0' && *input->base != '1') || input->base[1] != '\0') {
            return app_fail("--base takes 0 or 1, not '%s'", input->base);
        }
        o->base_given = true;
        o->base = (uint32_t)(*input->base - '0');
    }
    if (input->ids != NULL) {
        bool all = strcmp(input->ids, "all") == 0;
        if (!all && strcmp(input->ids, "used") != 0) {
            return app_fail("--ids takes all or used, not '%s'", input->ids);
        }
        o->ids = all ? IO_IDS_ALL : IO_IDS_USED;
    }
    o->columns = input->columns;
    o->by_names = input->names;
    o->negative = input->negative;
    o->header = input->header ? IO_HEADER_YES : input->no_header ? IO_HEADER_NO : IO_HEADER_FIND;
    if (input->header && input->no_header) {
        return app_fail("--header and --no-header contradict each other");
    }
    return take_weight(input->weight, o) == APP_OK ? take_delimiter(input->delimiter, o)
                                                   : APP_ERROR;
}

int app_read_graph(const app_common *common, const app_graph_input *input, const char *file,
                   io_graph *g)
{
    io_progress progress = {.what = NULL};
    io_graph_options o = {.threads = app_io_threads(common), .progress = &progress};
    io_error error;
    *g = (io_graph){.base = 0};
    if (take_options(input, &o) != APP_OK) {
        return APP_ERROR;
    }
    if (!io_graph_read(g, file, &o, &error) ||
        (input->places != NULL && !io_graph_read_places(g, input->places, o.threads, &error))) {
        return app_fail("%s", error.text);
    }
    bool table = g->format == IO_GRAPH_CSV || g->format == IO_GRAPH_TSV;
    const char *only = input->columns != NULL     ? "columns"
                       : input->delimiter != NULL ? "delimiter"
                       : input->names             ? "names"
                       : input->header            ? "header"
                       : input->no_header         ? "no-header"
                                                  : NULL;
    if (only != NULL && !table) {
        return app_fail("--%s is for tables, csv and tsv, and %s is %s", only, file,
                        io_graph_format_name(g->format));
    }
    bool lists = table || g->format == IO_GRAPH_EL || g->format == IO_GRAPH_WEL;
    if (input->ids != NULL && !lists) {
        return app_fail("--ids is for el, wel and tables, and %s is %s", file,
                        io_graph_format_name(g->format));
    }
    if (common->stats && table) {
        fputs("table      ", stderr);
        app_print_form(stderr, g);
    }
    return APP_OK;
}

const char *app_separator_name(const io_graph *g)
{
    static char letter[2];
    letter[0] = g->form.delimiter;
    return g->form.delimiter == '\0'   ? "blanks"
           : g->form.delimiter == '\t' ? "tab"
           : g->form.delimiter == ','  ? "comma"
           : g->form.delimiter == ';'  ? "semicolon"
                                       : letter;
}

void app_print_form(FILE *f, const io_graph *g)
{
    const io_table_form *form = &g->form;
    if (!form->is_table) {
        return;
    }
    fprintf(f, "separator %s, ", app_separator_name(g));
    if (form->header_line > 0) {
        fprintf(f, "header in line %zu, ", form->header_line);
    } else {
        fputs("no header, ", f);
    }
    fprintf(f, "%zu columns: tail %u, head %u", form->cells, form->column[0] + 1,
            form->column[1] + 1);
    if (g->weight != NULL) {
        fprintf(f, ", weight %u, %s", form->column[2] + 1, upsweep_type_name(g->weight_type));
    } else {
        fputs(", no weight", f);
    }
    fprintf(f, "; %zu row%s, %zu line%s skipped\n", form->rows, form->rows == 1 ? "" : "s",
            form->skipped, form->skipped == 1 ? "" : "s");
}

void app_vertex_name(const io_graph *g, uint64_t v, char *text, size_t room)
{
    if (v >= g->vertices) {
        snprintf(text, room, "none");
    } else if (g->names != NULL) {
        snprintf(text, room, "%s", io_names_word(g->names, (uint32_t)v, NULL));
    } else {
        snprintf(text, room, "%llu", (unsigned long long)io_graph_id(g, (uint32_t)v));
    }
}

void app_graph_error(const upsweep *u, const io_graph *g, char *text, size_t room)
{
    static const char word[] = "vertex ";
    const char *from = upsweep_error(u), *found = strstr(from, word);
    const char *digits = found == NULL ? "" : found + strlen(word);
    char name[256], *end = NULL;
    unsigned long long v = strtoull(digits, &end, 10);
    if (found == NULL || end == digits || v >= g->vertices) {
        snprintf(text, room, "%s", from);
        return;
    }
    app_vertex_name(g, v, name, sizeof name);
    snprintf(text, room, "%.*s%s%s", (int)(digits - from), from, name, end);
}

/* What the library is going to take, asked before it does: where memory is promised beyond what
 * there is, the system ends programs that use it. */
static int check_memory(const io_graph *g, const char *file)
{
    size_t memory = app_memory_bytes();
    double need = 20.0 * (double)g->vertices + 20.0 * (double)g->arcs;
    if (memory != 0 && need > (double)memory) {
        return app_fail(
            "%s: %zu vertices and %zu arcs need about %.0f GB of memory, more than this "
            "machine has",
            file, g->vertices, g->arcs, 1e-9 * need);
    }
    return APP_OK;
}

int app_make_graph(upsweep *u, const io_graph *g, const char *file, upsweep_graph **graph)
{
    unsigned flags = g->undirected  ? UPSWEEP_GRAPH_UNDIRECTED
                     : g->symmetric ? UPSWEEP_GRAPH_SYMMETRIC
                                    : 0;
    flags |= g->negative ? UPSWEEP_GRAPH_NEGATIVE : 0;
    upsweep_type type = g->weight == NULL ? 0 : g->weight_type;
    if (check_memory(g, file) != APP_OK) {
        return APP_ERROR;
    }
    upsweep_status status = g->tail != NULL
                                ? upsweep_graph_from_arcs(u, g->vertices, g->arcs, g->tail, g->head,
                                                          g->weight, type, flags, graph)
                                : upsweep_graph_from_rows(u, g->vertices, g->begin, g->head,
                                                          g->weight, type, flags, graph);
    return status == UPSWEEP_OK ? APP_OK : app_fail("%s: %s", file, upsweep_error(u));
}
