/* graph_write.c - graphs as text: threads print pieces of the list of arcs into buffers of their
 * own, which then go to the file in order. */
/* SPDX-License-Identifier: MIT */
#include "io/graph_formats.h"

#include "io/memory.h"
#include "io/names.h"
#include "io/numbers.h"
#include "io/parallel.h"
#include "io/printer.h"

#include <stdlib.h>

enum { PIECE = 1 << 15, ROUND = 64, LINE_MAX_BYTES = 2 * 20 + IO_NUMBER_MAX + 8 };

typedef struct job {
    const io_graph *g;
    io_graph_format format;
    const char *before; /* every line: "a " */
    char between;
    uint32_t base;
    bool weights, ones; /* ones: the graph has none, so 1 is written */
    size_t from;        /* the first arc of the round */
    char *text;         /* ROUND buffers */
    size_t room, used[ROUND];
} job;

static char *put_weight(char *p, const io_graph *g, size_t i)
{
    if (g->weight_type == UPSWEEP_U32) {
        return io_count_digits(p, ((const uint32_t *)g->weight)[i]);
    }
    if (g->weight_type == UPSWEEP_U64) {
        return io_count_digits(p, ((const uint64_t *)g->weight)[i]);
    }
    size_t bytes = upsweep_type_bytes(g->weight_type);
    return p + io_number_print(p, g->weight_type, (const char *)g->weight + i * bytes);
}

static void print_piece(void *context, size_t task, unsigned lane)
{
    (void)lane;
    job *j = context;
    const io_graph *g = j->g;
    size_t from = j->from + task * PIECE, to = from + PIECE < g->arcs ? from + PIECE : g->arcs;
    char *text = j->text + task * j->room, *p = text;
    for (size_t i = from; i < to; i++) {
        uint32_t tail = g->tail[i], head = g->head[i];
        if (j->format == IO_GRAPH_MTX && g->undirected && tail < head) {
            tail = g->head[i]; /* a symmetric matrix is written by its lower half */
            head = g->tail[i];
        }
        for (const char *word = j->before; *word != '\0'; word++) {
            *p++ = *word;
        }
        p = io_count_digits(p, g->ids != NULL ? g->ids[tail] : (uint64_t)tail + j->base);
        *p++ = j->between;
        p = io_count_digits(p, g->ids != NULL ? g->ids[head] : (uint64_t)head + j->base);
        if (j->weights || j->ones) {
            *p++ = j->between;
            p = j->ones ? io_count_digits(p, 1) : put_weight(p, g, i);
        }
        *p++ = '\n';
    }
    j->used[task] = (size_t)(p - text);
}

static bool write_lines(job *j, io_output *out, unsigned threads, io_progress *progress,
                        io_error *error)
{
    j->room = (size_t)PIECE * LINE_MAX_BYTES;
    size_t held = ROUND * j->room;
    j->text = io_memory_take(held);
    bool ok = j->text != NULL;
    if (!ok) {
        io_because(error, "%s: no memory to write it", out->name);
    }
    for (size_t arcs = j->g->arcs; ok && j->from < arcs; j->from += (size_t)ROUND * PIECE) {
        size_t left = (arcs - j->from + PIECE - 1) / PIECE, tasks = left < ROUND ? left : ROUND;
        io_parallel(threads, tasks, print_piece, j);
        for (size_t i = 0; ok && i < tasks; i++) {
            ok = io_output_write(out, j->text + i * j->room, j->used[i], error) == 0;
        }
        io_progress_step(progress, j->from, arcs);
    }
    io_memory_give(j->text, held);
    return ok;
}

static bool write_named(const io_graph *g, io_output *out, char delimiter, io_error *error)
{
    io_printer *p = io_printer_new(out, error);
    if (p == NULL) {
        return io_because(error, "%s: no memory to write it", out->name);
    }
    for (size_t i = 0; i < g->arcs && !p->failed; i++) {
        size_t length;
        const char *word = io_names_word(g->names, g->tail[i], &length);
        io_put_cell(p, word, length, delimiter);
        io_put(p, &delimiter, 1);
        word = io_names_word(g->names, g->head[i], &length);
        io_put_cell(p, word, length, delimiter);
        if (g->weight != NULL) {
            char text[IO_NUMBER_MAX];
            io_put(p, &delimiter, 1);
            io_put(p, text, (size_t)(put_weight(text, g, i) - text));
        }
        io_put(p, "\n", 1);
    }
    bool ok = io_put_end(p);
    free(p);
    return ok;
}

/* What the format cannot hold. */
static bool check(const io_graph *g, const io_output *out, io_graph_format format, io_error *error)
{
    bool table = format == IO_GRAPH_CSV || format == IO_GRAPH_TSV;
    const char *name = io_graph_format_name(format);
    if (g->names != NULL && !table && format != IO_GRAPH_USG) {
        return io_because(error, "%s: %s has numbers for vertices, no names; csv, tsv and usg have",
                          out->name, name);
    }
    bool lists = table || format == IO_GRAPH_EL || format == IO_GRAPH_WEL;
    if (g->ids != NULL && !lists && format != IO_GRAPH_USG) {
        return io_because(
            error,
            "%s: %s has all vertices up to the greatest, and these ids are far apart: "
            "csv, tsv, el, wel and usg keep them, --ids all makes all of them vertices",
            out->name, name);
    }
    bool is_float = g->weight_type == UPSWEEP_F32 || g->weight_type == UPSWEEP_F64;
    if (format == IO_GRAPH_GR && g->weight != NULL && is_float) {
        return io_because(error, "%s: gr has whole weights, not %s: give --weight u32 or u64",
                          out->name, upsweep_type_name(g->weight_type));
    }
    if ((format == IO_GRAPH_EL || format == IO_GRAPH_SG) && g->weight != NULL) {
        return io_because(error, "%s: %s has no weights: give --weight none, or write w%s",
                          out->name, name, name);
    }
    return true;
}

static int make_header(const io_graph *g, io_graph_format format, char *text, size_t room)
{
    const char *field = g->weight == NULL                                                ? "pattern"
                        : g->weight_type == UPSWEEP_U32 || g->weight_type == UPSWEEP_U64 ? "integer"
                                                                                         : "real";
    bool weights = g->weight != NULL;
    switch (format) {
    case IO_GRAPH_GR: return snprintf(text, room, "p sp %zu %zu\n", g->vertices, g->arcs);
    case IO_GRAPH_MTX:
        return snprintf(text, room, "%%%%MatrixMarket matrix coordinate %s %s\n%zu %zu %zu\n",
                        field, g->undirected ? "symmetric" : "general", g->vertices, g->vertices,
                        g->arcs);
    case IO_GRAPH_CSV: return snprintf(text, room, "tail,head%s\n", weights ? ",weight" : "");
    case IO_GRAPH_TSV: return snprintf(text, room, "tail\thead%s\n", weights ? "\tweight" : "");
    default: return 0;
    }
}

static bool write_text(io_graph *g, io_output *out, io_graph_format format, unsigned threads,
                       io_progress *progress, io_error *error)
{
    char header[200] = "";
    int length = make_header(g, format, header, sizeof header);
    if (io_output_write(out, header, (size_t)length, error) != 0) {
        return false;
    }
    char between = format == IO_GRAPH_CSV ? ',' : format == IO_GRAPH_TSV ? '\t' : ' ';
    if (g->names != NULL) {
        return write_named(g, out, between, error);
    }
    job j = {.g = g,
             .format = format,
             .before = format == IO_GRAPH_GR ? "a " : "",
             .between = between,
             .base = format == IO_GRAPH_GR || format == IO_GRAPH_MTX,
             .weights = g->weight != NULL,
             .ones = g->weight == NULL && (format == IO_GRAPH_GR || format == IO_GRAPH_WEL)};
    return write_lines(&j, out, threads, progress, error);
}

/* A .usg has no ids far apart, so they become names, which are read and written as they are. */
static bool ids_to_names(io_graph *g)
{
    g->names = io_names_new();
    for (size_t v = 0; g->names != NULL && v < g->vertices; v++) {
        char digits[20];
        uint32_t number;
        size_t length = (size_t)(io_count_digits(digits, g->ids[v]) - digits);
        if (!io_names_add(g->names, digits, length, &number)) {
            return false;
        }
    }
    g->ids = NULL;
    return g->names != NULL;
}

bool io_graph_write(io_graph *g, io_output *out, io_graph_format format, unsigned threads,
                    io_progress *progress, io_error *error)
{
    if (!check(g, out, format, error)) {
        return false;
    }
    bool keeps_one_way = format == IO_GRAPH_MTX || format == IO_GRAPH_USG;
    bool binary = format == IO_GRAPH_USG || format == IO_GRAPH_SG || format == IO_GRAPH_WSG;
    if ((!keeps_one_way && !io_graph_both_ways(g)) || (!binary && !io_graph_to_list(g))) {
        return io_because(error, "%s: no memory to list %zu arcs", out->name, g->arcs);
    }
    if (g->ids != NULL && format == IO_GRAPH_USG && !ids_to_names(g)) {
        return io_because(error, "%s: no memory for %zu ids", out->name, g->vertices);
    }
    if (format == IO_GRAPH_USG) {
        return io_usg_write(g, out, threads, error);
    }
    if (binary) {
        return io_gap_write(g, out, format, error);
    }
    if (progress != NULL) {
        io_progress_begin(progress, "writing");
    }
    bool ok = write_text(g, out, format, threads, progress, error);
    io_progress_end(progress);
    return ok;
}

bool io_graph_write_places(const io_graph *g, io_output *out, io_error *error)
{
    io_printer *p = io_printer_new(out, error);
    if (p == NULL) {
        return io_because(error, "%s: no memory to write it", out->name);
    }
    io_put_format(p, "p aux sp co %zu\n", g->vertices);
    for (size_t v = 0; v < g->vertices && !p->failed; v++) {
        io_put_format(p, "v %zu ", v + 1);
        io_put_number(p, UPSWEEP_F64, &g->x[v]);
        io_put(p, " ", 1);
        io_put_number(p, UPSWEEP_F64, &g->y[v]);
        io_put(p, "\n", 1);
    }
    bool ok = io_put_end(p);
    free(p);
    return ok;
}
