/* graph_dimacs.c - the files of the DIMACS challenge on shortest paths,
 * www.diag.uniroma1.it/challenge9:
 *
 *     c a comment                    p sp 6 8           a 1 2 17         arcs, .gr
 *                                    p aux sp co 6      v 1 -100 200     coordinates, .co
 *                                    p aux sp ss 3      s 1              sources, .ss
 *                                    p aux sp p2p 2     q 1 6            pairs, .p2p
 *
 * Ids are counted from 1. Weights are whole numbers, by DIMACS; decimals are read, too. */
/* SPDX-License-Identifier: MIT */
#include "io/graph_formats.h"
#include "io/source.h"

#include "io/packed.h"

#include <math.h>
#include <stdlib.h>

/* The line `p WORDS COUNTS`. */
typedef struct problem {
    const char *words[3]; /* that follow the p, ended by NULL */
    uint64_t count[2];
    size_t counts;
} problem;

static bool bad_problem(const io_graph_file *f, const io_text_line *line, const problem *p)
{
    char text[64] = "p";
    for (size_t i = 0; i < 3 && p->words[i] != NULL; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, " %s", p->words[i]);
    }
    return io_because(f->error, "%s: line %zu: should be `%s%s`, with whole numbers", f->name,
                      line->number, text, p->counts == 2 ? " VERTICES ARCS" : " COUNT");
}

static bool take_problem(io_text_line *line, problem *p)
{
    const char *word;
    for (size_t i = 0; i < 3 && p->words[i] != NULL; i++) {
        size_t length = io_text_word(line, &word);
        if (length != strlen(p->words[i]) || memcmp(word, p->words[i], length) != 0) {
            return false;
        }
    }
    for (size_t i = 0; i < p->counts; i++) {
        size_t length = io_text_word(line, &word);
        if (!io_text_count(word, length, &p->count[i])) {
            return false;
        }
    }
    return io_text_word(line, &word) == 0;
}

/* Finds the line `p ...` behind comments and empty lines. */
static bool find_problem(const io_graph_file *f, const io_input *in, io_text_line *line, problem *p)
{
    io_text_begin(line, in);
    while (io_text_next(line, in)) {
        const char *word;
        size_t length = io_text_word(line, &word);
        if (length == 0 || *word == 'c') {
            continue;
        }
        if (length != 1 || *word != 'p') {
            return io_because(
                f->error, "%s: line %zu: begins with '%.*s' before any line `p %s ...`", f->name,
                line->number, length < 40 ? (int)length : 40, word, p->words[0]);
        }
        return take_problem(line, p) || bad_problem(f, line, p);
    }
    return io_because(f->error, "%s: has no line `p %s ...`", f->name, p->words[0]);
}

static bool check_count(const io_graph_file *f, const io_text_line *line, uint64_t promised,
                        size_t count, const char *what)
{
    return count == promised ||
           io_because(f->error, "%s: line %zu promises %llu %s, but there are %zu", f->name,
                      line->number, (unsigned long long)promised, what, count);
}

bool io_gr_read(io_graph *g, const io_graph_file *f)
{
    static const unsigned char galois[8] = {1}; /* its version, a word of 64 bits */
    if (g->input.size >= 8 && memcmp(g->input.bytes, galois, 8) == 0) {
        return io_because(f->error, "%s: is a binary graph of Galois, which is not supported",
                          f->name);
    }
    io_text_line line;
    problem p = {.words = {"sp"}, .counts = 2};
    if (!find_problem(f, &g->input, &line, &p)) {
        return false;
    }
    if (p.count[0] > IO_VERTICES_MAX) {
        return io_because(f->error, "%s: line %zu: %llu vertices are more than 2^32 - 2", f->name,
                          line.number, (unsigned long long)p.count[0]);
    }
    const io_graph_options *o = f->options;
    io_record_rules rules = {
        .name = f->name,
        .comments = "cp",
        .mark = 'a',
        .base = 1,
        .vertices = p.count[0],
        .loose = o->no_weights,
        .negative = o->negative,
        .fields = o->no_weights ? 2 : 3,
        .field = {{IO_FIELD_ID, 0, 0}, {IO_FIELD_ID, 1, 0}, {IO_FIELD_WEIGHT, 2, o->weight_type}}};
    rules.comments = "c";
    io_records r;
    bool ok = io_records_read(&r, &rules, &g->input,
                              (size_t)((const unsigned char *)line.next - g->input.bytes),
                              line.number, o->threads, o->progress, f->error) &&
              check_count(f, &line, p.count[1], r.count, "arcs");
    if (ok) {
        g->vertices = (size_t)p.count[0];
        g->base = 1;
        io_graph_adopt(g, &r);
    }
    io_records_free(&r);
    return ok;
}

/* Reads one of the files that go with a graph: a problem line, then records. */
static bool read_companion(io_records *r, const io_graph_file *f, problem *p,
                           const io_record_rules *rules, io_text_line *line)
{
    io_input in = {.size = 0};
    bool ok = io_graph_load(&in, f->name, f->options->threads, NULL, f->error) &&
              io_source_take_marks(&in, f->error);
    *r = (io_records){0};
    if (ok) {
        io_text_close(&in, '\n');
        ok = find_problem(f, &in, line, p) &&
             io_records_read(r, rules, &in, (size_t)((const unsigned char *)line->next - in.bytes),
                             line->number, f->options->threads, NULL, f->error);
    }
    io_input_free(&in);
    return ok;
}

/* The line of record i of a companion file, which is read once more to find it. */
static size_t line_of(const io_graph_file *f, char mark, size_t i)
{
    io_input in = {.size = 0};
    io_text_line line = {.number = 0};
    if (io_graph_load(&in, f->name, f->options->threads, NULL, f->error)) {
        io_text_close(&in, '\n');
        io_text_begin(&line, &in);
        const char *word;
        size_t seen = 0;
        while (seen <= i && io_text_next(&line, &in)) {
            seen += io_text_word(&line, &word) == 1 && *word == mark;
        }
    }
    io_input_free(&in);
    return line.number;
}

/* Puts every vertex's place where it belongs; each must come once. */
static bool spread(io_graph *g, const io_graph_file *f, const io_records *r)
{
    const uint32_t *id = r->column[0];
    const double *x = r->column[1], *y = r->column[2];
    g->x = io_graph_take(g, g->vertices * sizeof *g->x);
    g->y = io_graph_take(g, g->vertices * sizeof *g->y);
    if (g->x == NULL || g->y == NULL) {
        return io_because(f->error, "%s: no memory for %zu coordinates", f->name, g->vertices);
    }
    for (size_t v = 0; v < g->vertices; v++) {
        g->x[v] = NAN;
    }
    for (size_t i = 0; i < r->count; i++) {
        if (!isnan(g->x[id[i]])) {
            size_t line = line_of(f, 'v', i);
            return io_because(f->error, "%s: line %zu: vertex %llu has a place already", f->name,
                              line, (unsigned long long)id[i] + 1);
        }
        g->x[id[i]] = x[i];
        g->y[id[i]] = y[i];
    }
    for (size_t v = 0; v < g->vertices; v++) {
        if (isnan(g->x[v])) {
            return io_because(f->error, "%s: has no place for vertex %zu", f->name, v + 1);
        }
    }
    return true;
}

bool io_graph_read_places(io_graph *g, const char *file, unsigned threads, io_error *error)
{
    if (g->ids != NULL) {
        return io_because(error,
                          "%s: has places of vertices 1, 2, 3 ..., and the graph's ids are "
                          "far apart",
                          file);
    }
    io_graph_options options = {.threads = threads};
    io_graph_file f = {file, &options, error};
    problem p = {.words = {"aux", "sp", "co"}, .counts = 1};
    io_record_rules rules = {
        .name = file,
        .comments = "c",
        .mark = 'v',
        .base = 1,
        .vertices = g->vertices,
        .fields = 3,
        .field = {{IO_FIELD_ID, 0, 0}, {IO_FIELD_PLACE, 1, 0}, {IO_FIELD_PLACE, 2, 0}}};
    io_text_line line;
    io_records r;
    bool ok = read_companion(&r, &f, &p, &rules, &line) &&
              check_count(&f, &line, p.count[0], r.count, "places");
    if (ok && r.count != g->vertices) {
        ok = io_because(error, "%s: has %zu places for a graph of %zu vertices", file, r.count,
                        g->vertices);
    }
    ok = ok && spread(g, &f, &r);
    if (!ok) {
        g->x = g->y = NULL;
    }
    io_records_free(&r);
    return ok;
}
