/* graph_vertices.c - vertices as people and files call them: DIMACS .ss and .p2p, or plain lists.
 * */
/* SPDX-License-Identifier: MIT */
#include "io/graph_formats.h"
#include "io/source.h"

#include "io/cells.h"
#include "io/names.h"
#include "io/packed.h"

#include <stdlib.h>

static bool take_vertex(const io_graph *g, const char *word, size_t length, const char *where,
                        uint32_t *vertex, io_error *error)
{
    int shown = length < 60 ? (int)length : 60;
    if (g->names != NULL) {
        return io_names_find(g->names, word, length, vertex) ||
               io_because(error, "%sno vertex is called '%.*s'", where, shown, word);
    }
    uint64_t id;
    if (!io_text_count(word, length, &id)) {
        return io_because(error, "%s'%.*s' is no vertex", where, shown, word);
    }
    if (io_graph_find_id(g, id, vertex)) {
        return true;
    }
    if (g->ids != NULL) {
        return io_because(error, "%sno arc names vertex %.*s", where, shown, word);
    }
    return g->vertices == 0
               ? io_because(error, "%svertex %.*s, but the graph has none", where, shown, word)
               : io_because(error, "%svertex %.*s, but the graph has %u to %llu", where, shown,
                            word, g->base, (unsigned long long)g->base + g->vertices - 1);
}

bool io_graph_vertex(const io_graph *g, const char *text, uint32_t *vertex, io_error *error)
{
    return take_vertex(g, text, strlen(text), "", vertex, error);
}

/* A file of `words` vertices a line: in the format of DIMACS if its first word says so. */
typedef struct list {
    const char *file, *name; /* name is for sentences */
    io_input in;
    unsigned words;
    char mark;        /* of DIMACS lines */
    const char *kind; /* of the problem line: "ss" */
    bool dimacs;
    size_t lines, promised, promise_line;
    uint32_t *ids[2];
    size_t count;
} list;

static bool take_promise(list *l, io_text_line *line, io_error *error)
{
    static const char *const words[] = {"aux", "sp"};
    const char *word;
    size_t length;
    uint64_t count = 0;
    bool good = !l->dimacs;
    for (size_t i = 0; i < 3; i++) {
        const char *wanted = i < 2 ? words[i] : l->kind;
        length = io_text_word(line, &word);
        good = good && length == strlen(wanted) && memcmp(word, wanted, length) == 0;
    }
    length = io_text_word(line, &word);
    if (!good || !io_text_count(word, length, &count) || io_text_word(line, &word) != 0) {
        return io_because(error, "%s: line %zu: should be `p aux sp %s COUNT`, once", l->name,
                          line->number, l->kind);
    }
    l->dimacs = true;
    l->promised = (size_t)count;
    l->promise_line = line->number;
    return true;
}

/* The next vertex of the line. A name may be in quotes, as a table has it, for the sake of blanks;
 * its text is then put in place of it. */
static size_t next_word(list *l, const io_graph *g, io_text_line *line, const char **word)
{
    const char *p = io_cell_pad(line->p, line->end, 0);
    io_cell cell = {.p = p + 1, .quoted = true};
    bool quoted = g->names != NULL && p < line->end && *p == '"';
    const char *q = cell.p;
    while (quoted && q < line->end && (*q != '"' || (q + 1 < line->end && q[1] == '"'))) {
        q += *q == '"' ? 2 : 1;
    }
    if (!quoted || q == line->end || (q + 1 < line->end && q[1] != ' ' && q[1] != '\t')) {
        return io_text_word(line, word);
    }
    cell.length = (size_t)(q - cell.p);
    line->p = q + 1;
    *word = cell.p;
    return io_cell_text(&cell, (char *)l->in.bytes + (cell.p - (const char *)l->in.bytes));
}

static bool take_line(list *l, const io_graph *g, io_text_line *line, io_error *error)
{
    const char *word;
    io_text_line whole = *line;
    size_t length = io_text_word(line, &word);
    bool may_be_mark = length == 1 && (l->dimacs || (g->names == NULL && l->count == 0));
    if (length == 0 || *word == '#' || (may_be_mark && *word == 'c')) {
        return true;
    }
    if (may_be_mark && *word == 'p') {
        return take_promise(l, line, error);
    }
    if (!l->dimacs) {
        *line = whole;
    } else if (length != 1 || *word != l->mark) {
        return io_because(error, "%s: line %zu: begins with '%.*s', not with '%c'", l->name,
                          line->number, length < 40 ? (int)length : 40, word, l->mark);
    }
    char where[4200];
    snprintf(where, sizeof where, "%s: line %zu: ", l->name, line->number);
    for (unsigned i = 0; i < l->words; i++) {
        length = next_word(l, g, line, &word);
        if (length == 0) {
            return io_because(error, "%shas no second vertex", where);
        }
        if (!take_vertex(g, word, length, where, &l->ids[i][l->count], error)) {
            return false;
        }
    }
    length = io_text_word(line, &word);
    if (length != 0) {
        return io_because(error, "%s'%.*s' follows what should be its end", where,
                          length < 40 ? (int)length : 40, word);
    }
    l->count++;
    return true;
}

static bool read_list(list *l, const io_graph *g, io_error *error)
{
    if (!io_graph_load(&l->in, l->file, 1, NULL, error) || !io_source_take_marks(&l->in, error)) {
        return false;
    }
    io_text_close(&l->in, '\n');
    for (size_t i = 0; i < l->in.size; i++) {
        l->lines += l->in.bytes[i] == '\n';
    }
    for (unsigned i = 0; i < l->words; i++) {
        l->ids[i] = malloc(l->lines * sizeof *l->ids[i] + 1);
        if (l->ids[i] == NULL) {
            return io_because(error, "%s: no memory for %zu lines", l->name, l->lines);
        }
    }
    io_text_line line;
    io_text_begin(&line, &l->in);
    while (io_text_next(&line, &l->in)) {
        if (!take_line(l, g, &line, error)) {
            return false;
        }
    }
    if (l->dimacs && l->promised != l->count) {
        return io_because(error, "%s: line %zu promises %zu lines `%c ...`, but there are %zu",
                          l->name, l->promise_line, l->promised, l->mark, l->count);
    }
    return l->count > 0 || io_because(error, "%s: names no vertex", l->name);
}

static bool finish(list *l, bool ok)
{
    io_input_free(&l->in);
    for (unsigned i = 0; i < 2 && !ok; i++) {
        free(l->ids[i]);
        l->ids[i] = NULL;
    }
    return ok;
}

bool io_graph_read_vertices(const io_graph *g, const char *file, uint32_t **ids, size_t *count,
                            io_error *error)
{
    list l = {.file = file, .name = io_input_name(file), .words = 1, .mark = 's', .kind = "ss"};
    bool ok = finish(&l, read_list(&l, g, error));
    *ids = l.ids[0];
    *count = l.count;
    return ok;
}

bool io_graph_read_pairs(const io_graph *g, const char *file, uint32_t **from, uint32_t **to,
                         size_t *count, io_error *error)
{
    list l = {.file = file, .name = io_input_name(file), .words = 2, .mark = 'q', .kind = "p2p"};
    bool ok = finish(&l, read_list(&l, g, error));
    *from = l.ids[0];
    *to = l.ids[1];
    *count = l.count;
    return ok;
}
