/* graph_mtx.c - Matrix Market coordinate files, math.nist.gov/MatrixMarket/formats.html:
 *
 *     %%MatrixMarket matrix coordinate integer general
 *     % a comment
 *     6 6 8                  rows, columns, entries
 *     1 2 17                 row, column, value; no value in a pattern
 *
 * Entry (i, j) is an arc from i to j of that weight. */
/* SPDX-License-Identifier: MIT */
#include "io/graph_formats.h"

#include <stdlib.h>
#include <strings.h>

typedef struct banner {
    bool pattern, real, symmetric;
} banner;

static bool is_word(const char *word, size_t length, const char *wanted)
{
    return length == strlen(wanted) && strncasecmp(word, wanted, length) == 0;
}

static bool take_banner(const io_graph_file *f, io_text_line *line, banner *b)
{
    const char *word;
    size_t length = io_text_word(line, &word);
    if (!is_word(word, length, "%%MatrixMarket")) {
        return io_because(f->error, "%s: line 1: does not begin with %%%%MatrixMarket", f->name);
    }
    length = io_text_word(line, &word);
    if (!is_word(word, length, "matrix")) {
        return io_because(f->error, "%s: line 1: holds no matrix", f->name);
    }
    length = io_text_word(line, &word);
    if (!is_word(word, length, "coordinate")) {
        return io_because(f->error, "%s: line 1: holds a dense array; a graph is `coordinate`",
                          f->name);
    }
    length = io_text_word(line, &word);
    b->pattern = is_word(word, length, "pattern");
    b->real = is_word(word, length, "real") || is_word(word, length, "double");
    if (!b->pattern && !b->real && !is_word(word, length, "integer")) {
        return io_because(f->error, "%s: line 1: values are pattern, integer or real, not '%.*s'",
                          f->name, length < 40 ? (int)length : 40, word);
    }
    length = io_text_word(line, &word);
    b->symmetric = is_word(word, length, "symmetric");
    if (!b->symmetric && !is_word(word, length, "general")) {
        return io_because(f->error, "%s: line 1: a graph is general or symmetric, not '%.*s'",
                          f->name, length < 40 ? (int)length : 40, word);
    }
    return true;
}

static bool take_sizes(const io_graph_file *f, const io_input *in, io_text_line *line,
                       uint64_t size[3])
{
    const char *word;
    size_t length = 0;
    while (length == 0) {
        if (!io_text_next(line, in)) {
            return io_because(f->error, "%s: has no line `ROWS COLUMNS ENTRIES`", f->name);
        }
        if (*line->p != '%') {
            length = io_text_word(line, &word);
        }
    }
    for (size_t i = 0; i < 3; i++) {
        if (!io_text_count(word, length, &size[i])) {
            return io_because(f->error, "%s: line %zu: should be `ROWS COLUMNS ENTRIES`", f->name,
                              line->number);
        }
        length = io_text_word(line, &word);
    }
    if (length > 0) {
        return io_because(f->error, "%s: line %zu: should be `ROWS COLUMNS ENTRIES`", f->name,
                          line->number);
    }
    if (size[0] != size[1]) {
        return io_because(
            f->error, "%s: line %zu: a matrix of %llu rows and %llu columns is no graph's", f->name,
            line->number, (unsigned long long)size[0], (unsigned long long)size[1]);
    }
    return size[0] <= IO_VERTICES_MAX ||
           io_because(f->error, "%s: line %zu: %llu vertices are more than 2^32 - 2", f->name,
                      line->number, (unsigned long long)size[0]);
}

bool io_mtx_read(io_graph *g, const io_graph_file *f)
{
    io_text_line line;
    banner b = {.pattern = false};
    uint64_t size[3] = {0};
    io_text_begin(&line, &g->input);
    (void)io_text_next(&line, &g->input); /* the file is not empty */
    if (!take_banner(f, &line, &b) || !take_sizes(f, &g->input, &line, size)) {
        return false;
    }
    const io_graph_options *o = f->options;
    upsweep_type type = o->weight_type != 0 ? o->weight_type : b.real ? UPSWEEP_F64 : 0;
    io_record_rules rules = {
        .name = f->name,
        .comments = "%",
        .base = 1,
        .vertices = size[0],
        .loose = o->no_weights,
        .whole = true,
        .negative = o->negative,
        .fields = b.pattern || o->no_weights ? 2 : 3,
        .field = {{IO_FIELD_ID, 0, 0}, {IO_FIELD_ID, 1, 0}, {IO_FIELD_WEIGHT, 2, type}}};
    io_records r;
    bool ok = io_records_read(&r, &rules, &g->input,
                              (size_t)((const unsigned char *)line.next - g->input.bytes),
                              line.number, o->threads, o->progress, f->error);
    if (ok && r.count != size[2]) {
        ok = io_because(f->error, "%s: line %zu promises %llu entries, but there are %zu", f->name,
                        line.number, (unsigned long long)size[2], r.count);
    }
    if (ok) {
        g->vertices = (size_t)size[0];
        g->base = 1;
        g->undirected = b.symmetric;
        io_graph_adopt(g, &r);
    }
    io_records_free(&r);
    return ok;
}
