/* graph_table.c - the columns of a table by the first line and the caller's wishes; and tables
 * whose vertices are words, which get their numbers by one thread, in the order in which they
 * appear. */
#include "graph_table.h"

#include "names.h"
#include "numbers.h"

#include <math.h>
#include <stdlib.h>

bool io_table_cell(io_text_line *line, char delimiter, io_cell *cell)
{
    if (delimiter == 0) {
        cell->length = io_text_word(line, &cell->p);
        return cell->length > 0;
    }
    if (line->p == NULL) {
        return false;
    }
    const char *from = line->p, *p = from;
    bool quoted = false;
    for (; p < line->end && (quoted || *p != delimiter); p++) {
        quoted ^= *p == '"';
    }
    line->p = p < line->end ? p + 1 : NULL;
    while (from < p && (*from == ' ' || (*from == '\t' && delimiter != '\t'))) {
        from++;
    }
    while (p > from && (p[-1] == ' ' || (p[-1] == '\t' && delimiter != '\t'))) {
        p--;
    }
    if (p - from >= 2 && *from == '"' && p[-1] == '"') {
        from++;
        p--;
    }
    *cell = (io_cell){from, (size_t)(p - from)};
    return true;
}

static bool is_skipped(const io_text_line *line)
{
    const char *p = line->p;
    while (p < line->end && (*p == ' ' || *p == '\t')) {
        p++;
    }
    return p == line->end || *p == '#' || *p == '%';
}

static bool is_number(const io_cell *cell)
{
    char text[64];
    if (cell->length == 0 || cell->length >= sizeof text) {
        return false;
    }
    memcpy(text, cell->p, cell->length);
    text[cell->length] = '\0';
    double value;
    return io_number_scan(text, UPSWEEP_F64, &value);
}

/* One of the caller's columns: a number from 1, or a word of the header. */
static bool choose(const io_graph_file *f, io_text_line header, char delimiter, const char *word,
                   size_t length, unsigned *column, bool *by_word)
{
    uint64_t number;
    if (io_text_count(word, length, &number)) {
        if (number == 0 || number > IO_COLUMNS_MAX) {
            return io_because(f->error, "%s: columns are counted from 1 to %d, so there is no %llu",
                              f->name, IO_COLUMNS_MAX, (unsigned long long)number);
        }
        *column = (unsigned)number - 1;
        return true;
    }
    *by_word = true;
    io_cell cell;
    for (*column = 0; io_table_cell(&header, delimiter, &cell); ++*column) {
        if (cell.length == length && memcmp(cell.p, word, length) == 0) {
            return true;
        }
    }
    return io_because(f->error, "%s: line %zu: no column is called '%.*s'", f->name, header.number,
                      length < 40 ? (int)length : 40, word);
}

static bool choose_all(io_table *t, const io_graph_file *f, io_text_line first, bool *by_word)
{
    const char *word = f->options->columns;
    for (unsigned i = 0; i < 3; i++) {
        size_t length = strcspn(word, ",");
        if (!choose(f, first, t->delimiter, word, length, &t->column[i], by_word)) {
            return false;
        }
        t->weighted = i == 2;
        word += length;
        if (*word == '\0') {
            return i >= 1 || io_because(f->error,
                                        "%s: --columns takes TAIL,HEAD or "
                                        "TAIL,HEAD,WEIGHT",
                                        f->name);
        }
        word++;
    }
    return io_because(f->error, "%s: --columns takes TAIL,HEAD or TAIL,HEAD,WEIGHT", f->name);
}

bool io_table_find(io_table *t, const io_graph *g, const io_graph_file *f)
{
    const io_graph_options *o = f->options;
    *t = (io_table){.column = {0, 1, 2}};
    if (g->format == IO_GRAPH_EL || g->format == IO_GRAPH_WEL) {
        t->weighted = g->format == IO_GRAPH_WEL && !o->no_weights;
        return true;
    }
    t->delimiter = o->delimiter != 0 ? o->delimiter : g->format == IO_GRAPH_TSV ? '\t' : ',';
    t->delimiter = t->delimiter == ' ' ? '\0' : t->delimiter; /* blanks, any number of them */
    io_text_line line;
    io_text_begin(&line, &g->input);
    do {
        if (!io_text_next(&line, &g->input)) {
            return io_because(f->error, "%s: has no arcs", f->name);
        }
    } while (is_skipped(&line));
    bool header = false;
    if (o->columns != NULL && !choose_all(t, f, line, &header)) {
        return false;
    }
    io_text_line cells = line;
    io_cell cell = {NULL, 0};
    unsigned count = 0;
    for (; io_table_cell(&cells, t->delimiter, &cell); count++) {
        bool is_id = count == t->column[0] || count == t->column[1];
        header |= is_id && !o->by_names && cell.length > 0 && !is_number(&cell);
    }
    t->weighted = !o->no_weights && (o->columns != NULL ? t->weighted : count > 2);
    const char *from = header ? line.next : (const char *)g->input.bytes;
    t->from = (size_t)(from - (const char *)g->input.bytes);
    t->lines = header ? line.number : 0;
    return true;
}

/* What is being read: one arc a line, with words for vertices. */
typedef struct arcs {
    uint32_t *tail, *head;
    double *weight; /* NULL: none */
    bool whole, small;
    size_t count;
} arcs;

static bool take_weight(const io_graph_file *f, const io_text_line *line, const io_cell *cell,
                        arcs *a)
{
    const char *end = NULL;
    double value = -1;
    if (cell->length == 0 || !io_decimal_scan(cell->p, &value, &end) ||
        end != cell->p + cell->length || isnan(value)) {
        return io_because(f->error, "%s: line %zu: the weight '%.*s' is no number", f->name,
                          line->number, cell->length < 40 ? (int)cell->length : 40, cell->p);
    }
    if ((value < 0 && !f->options->negative) || isinf(value)) {
        return io_because(f->error, "%s: line %zu: the weight %.*s is %s", f->name, line->number,
                          cell->length < 40 ? (int)cell->length : 40, cell->p,
                          isinf(value) ? "out of range" : "negative");
    }
    a->whole &= value == floor(value);
    a->small &= fabs(value) <= (f->options->negative ? 0x1p53 : (double)UINT32_MAX);
    value += 0.0; /* -0 becomes 0 */
    a->weight[a->count] = value;
    return true;
}

static bool take_arc(io_graph *g, const io_graph_file *f, const io_table *t, io_text_line *line,
                     arcs *a)
{
    io_cell cell, cells[3] = {{NULL, 0}};
    size_t number = line->number;
    io_text_line rest = *line;
    unsigned wanted = t->weighted ? 3 : 2, found = 0;
    for (unsigned column = 0; found < wanted && io_table_cell(&rest, t->delimiter, &cell);
         column++) {
        for (unsigned i = 0; i < wanted; i++) {
            if (column == t->column[i]) {
                cells[i] = cell;
                found++;
            }
        }
    }
    for (unsigned i = 0; i < wanted; i++) {
        if (cells[i].p == NULL || (i < 2 && cells[i].length == 0)) {
            return io_because(f->error, "%s: line %zu: has no %s", f->name, number,
                              i == 0   ? "first vertex"
                              : i == 1 ? "second vertex"
                                       : "weight");
        }
    }
    if (!io_names_add(g->names, cells[0].p, cells[0].length, &a->tail[a->count]) ||
        !io_names_add(g->names, cells[1].p, cells[1].length, &a->head[a->count])) {
        return io_because(f->error, "%s: line %zu: no memory for the names so far", f->name,
                          number);
    }
    return !t->weighted || take_weight(f, line, &cells[2], a);
}

/* Weights get the narrowest type that has them, or the one that was asked for. */
static bool settle_weights(io_graph *g, const io_graph_file *f, const arcs *a)
{
    if (a->weight == NULL) {
        return true;
    }
    g->weight = a->weight;
    g->weight_type = UPSWEEP_F64;
    upsweep_type type = f->options->weight_type;
    upsweep_type narrow = f->options->negative ? UPSWEEP_I64 : UPSWEEP_U32;
    type = type != 0 ? type : a->whole && a->small ? narrow : UPSWEEP_F64;
    return io_graph_weights_as(g, f, type);
}

bool io_table_read_names(io_graph *g, const io_graph_file *f, const io_table *t)
{
    io_text_line line = {.next = (const char *)g->input.bytes + t->from, .number = t->lines};
    size_t lines = 0;
    for (const unsigned char *p = g->input.bytes; p < g->input.bytes + g->input.size; p++) {
        lines += *p == '\n';
    }
    arcs a = {.tail = io_graph_take(g, lines * 4),
              .head = io_graph_take(g, lines * 4),
              .weight = t->weighted ? io_graph_take(g, lines * 8) : NULL,
              .whole = true,
              .small = true};
    g->names = io_names_new();
    if (a.tail == NULL || a.head == NULL || g->names == NULL || (t->weighted && a.weight == NULL)) {
        return io_because(f->error, "%s: no memory for %zu lines", f->name, lines);
    }
    while (io_text_next(&line, &g->input)) {
        if (is_skipped(&line)) {
            continue;
        }
        if (!take_arc(g, f, t, &line, &a)) {
            return false;
        }
        a.count++;
    }
    if (a.count == 0) {
        return io_because(f->error, "%s: has no arcs", f->name);
    }
    g->tail = a.tail;
    g->head = a.head;
    g->arcs = a.count;
    g->vertices = io_names_count(g->names);
    io_input_free(&g->input);
    return settle_weights(g, f, &a);
}
