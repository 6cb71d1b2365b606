/* graph_table.c - what a table of arcs is taken for, from its first lines and the caller's wishes:
 * its separator, the number of its cells, and its columns. */
/* SPDX-License-Identifier: MIT */
#include "io/graph_table.h"

#include "io/numbers.h"

#include <stdlib.h>

bool io_table_cell(const io_text_line *line, char delimiter, size_t column, io_cell *cell)
{
    const char *p = delimiter == 0 ? io_cell_pad(line->p, line->end, 0) : line->p;
    bool more = delimiter != 0 || p < line->end;
    for (size_t i = 0; more; i++) {
        io_cell_take(&p, line->end, delimiter, cell, &more);
        if (i == column) {
            return true;
        }
    }
    return false;
}

bool io_table_is_number(const io_cell *cell)
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

static bool is_skipped(const io_text_line *line)
{
    const char *p = io_cell_pad(line->p, line->end, 0);
    return p == line->end || *p == '#' || *p == '%';
}

static bool take_sample(io_sample *sample, const io_graph *g, const io_graph_file *f)
{
    io_text_line line;
    io_text_begin(&line, &g->input);
    while (sample->count < IO_TABLE_SAMPLE && io_text_next(&line, &g->input)) {
        if (memchr(line.p, '\0', (size_t)(line.end - line.p)) != NULL) {
            return io_because(f->error, "%s: line %zu: has a zero byte; a table is text in UTF-8",
                              f->name, line.number);
        }
        if (!is_skipped(&line)) {
            sample->line[sample->count++] = line;
        }
    }
    return sample->count > 0 || io_because(f->error, "%s: has no arcs", f->name);
}

/* ---- the separator ---- */

/* Whether the separator parts all lines as the first, into at least two cells and, where
 * vertices are numbers, into at least two numbers; the first line may be a header. */
static bool parts_alike(const io_sample *sample, char delimiter, bool by_names)
{
    size_t least = 0, most = 0, full;
    for (size_t i = 0; i < sample->count; i++) {
        const io_text_line *line = &sample->line[i];
        size_t count = io_cell_count(line->p, line->end, delimiter, &full), numbers = 0;
        io_cell cell;
        least = i == 0 ? full : least;
        most = i == 0 ? count : most;
        if (count < 2 || count < least || full > most) {
            return false;
        }
        for (size_t k = 0; k < count && numbers < 2; k++) {
            numbers += io_table_cell(line, delimiter, k, &cell) && io_table_is_number(&cell);
        }
        if (!by_names && numbers < 2 && (i > 0 || sample->count == 1)) {
            return false;
        }
    }
    return true;
}

static bool find_delimiter(io_table *t, const io_graph *g, const io_graph_file *f,
                           const io_sample *sample)
{
    const io_graph_options *o = f->options;
    char own = g->format == IO_GRAPH_TSV ? '\t' : ',', other = '\0';
    t->delimiter = own;
    if (o->delimiter != 0) {
        t->delimiter = o->delimiter == ' ' ? '\0' : o->delimiter; /* blanks, any number of them */
        return true;
    }
    bool is_own = parts_alike(sample, own, o->by_names);
    for (const char *p = "\t;,"; *p != '\0'; p++) {
        other = *p != own && parts_alike(sample, *p, o->by_names) ? *p : other;
    }
    if (is_own && o->by_names && other != '\0') {
        return io_because(f->error,
                          "%s: line %zu: its columns may be parted by '%s' or by '%s': say which "
                          "by --delimiter",
                          f->name, sample->line[0].number, own == '\t' ? "tab" : ",",
                          other == '\t'  ? "tab"
                          : other == ',' ? ","
                                         : ";");
    }
    if (!is_own && other != '\0') {
        t->delimiter = other;
    } else if (!is_own && parts_alike(sample, '\0', o->by_names)) {
        t->delimiter = '\0';
    }
    return true;
}

/* ---- the columns that the caller has chosen ---- */

/* One of them: a number from 1, or a word of the header. */
static bool choose(io_table *t, const io_graph_file *f, const io_text_line *first, const char *word,
                   size_t length, unsigned *column)
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
    t->header = true;
    io_cell cell;
    size_t found = 0;
    for (unsigned i = 0; io_table_cell(first, t->delimiter, i, &cell); i++) {
        if (cell.length == length && memcmp(cell.p, word, length) == 0) {
            *column = found == 0 ? i : *column;
            found++;
        }
    }
    return found == 1 || io_because(f->error, "%s: line %zu: %s called '%.*s'", f->name,
                                    first->number, found == 0 ? "no column is" : "two columns are",
                                    length < 40 ? (int)length : 40, word);
}

static bool choose_all(io_table *t, const io_graph_file *f, const io_text_line *first)
{
    const char *word = f->options->columns;
    for (unsigned i = 0; i < 3; i++) {
        size_t length = strcspn(word, ",");
        if (!choose(t, f, first, word, length, &t->column[i])) {
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

/* Empty cells at the end of the first line may be columns that are empty there. But a third column
 * that is empty in all lines of the sample is none: what a later line has there is refused. */
static void count_cells(io_table *t, const io_sample *sample)
{
    size_t widest = 0, full;
    t->cells_most =
        io_cell_count(sample->line[0].p, sample->line[0].end, t->delimiter, &t->cells_least);
    for (size_t i = 0; i < sample->count; i++) {
        (void)io_cell_count(sample->line[i].p, sample->line[i].end, t->delimiter, &full);
        widest = full > widest ? full : widest;
    }
    t->cells_most = widest == 2 ? 2 : t->cells_most;
}

static bool find_all(io_table *t, const io_graph *g, const io_graph_file *f, io_sample *sample)
{
    const io_graph_options *o = f->options;
    if (!take_sample(sample, g, f) || !find_delimiter(t, g, f, sample)) {
        return false;
    }
    const io_text_line *first = &sample->line[0];
    t->first_line = first->number;
    count_cells(t, sample);
    t->weighted = t->cells_most > 2;
    if (o->columns != NULL && !choose_all(t, f, first)) {
        return false;
    }
    if (t->header && o->header == IO_HEADER_NO) {
        return io_because(f->error, "%s: --columns names columns, so there is a header", f->name);
    }
    t->weighted &= !o->no_weights;
    if (!io_table_header(t, f, sample)) {
        return false;
    }
    const char *from = t->header ? first->next : (const char *)g->input.bytes;
    t->from = (size_t)(from - (const char *)g->input.bytes);
    t->lines = t->header ? first->number : 0;
    return true;
}

bool io_table_find(io_table *t, const io_graph *g, const io_graph_file *f)
{
    *t = (io_table){.column = {0, 1, 2}};
    if (g->format == IO_GRAPH_EL || g->format == IO_GRAPH_WEL) {
        t->weighted = g->format == IO_GRAPH_WEL && !f->options->no_weights;
        return true;
    }
    io_sample *sample = calloc(1, sizeof *sample);
    if (sample == NULL) {
        return io_because(f->error, "%s: no memory to read its first lines", f->name);
    }
    bool ok = find_all(t, g, f, sample);
    free(sample);
    return ok;
}
