/* graph_file.c - which format a file has, its bytes, and the arrays of a graph. */
/* SPDX-License-Identifier: MIT */
#include "io/graph_formats.h"

#include "io/memory.h"
#include "io/names.h"
#include "io/numbers.h"
#include "io/packed.h"
#include "io/source.h"

#include <stdlib.h>

static const struct {
    const char *name;
    bool (*read)(io_graph *g, const io_graph_file *f);
    bool binary;
} formats[] = {
    [IO_GRAPH_GR] = {"gr", io_gr_read, false},     [IO_GRAPH_MTX] = {"mtx", io_mtx_read, false},
    [IO_GRAPH_EL] = {"el", io_list_read, false},   [IO_GRAPH_WEL] = {"wel", io_list_read, false},
    [IO_GRAPH_WSG] = {"wsg", io_gap_read, true},   [IO_GRAPH_SG] = {"sg", io_gap_read, true},
    [IO_GRAPH_CSV] = {"csv", io_list_read, false}, [IO_GRAPH_TSV] = {"tsv", io_list_read, false},
    [IO_GRAPH_USG] = {"usg", io_usg_read, true},
};
enum { FORMATS = sizeof formats / sizeof *formats };

const char *io_graph_format_name(io_graph_format format)
{
    return format > IO_GRAPH_NONE && (size_t)format < FORMATS ? formats[format].name : NULL;
}

io_graph_format io_graph_format_from_name(const char *name)
{
    for (size_t i = IO_GRAPH_NONE + 1; i < FORMATS; i++) {
        if (strcmp(formats[i].name, name) == 0) {
            return (io_graph_format)i;
        }
    }
    return IO_GRAPH_NONE;
}

static bool ends_with(const char *file, size_t length, const char *end)
{
    size_t size = strlen(end);
    return length > size && memcmp(file + length - size, end, size) == 0;
}

io_graph_format io_graph_format_of_file(const char *file)
{
    size_t length = strlen(file);
    length -= ends_with(file, length, ".gz") ? 3 : ends_with(file, length, ".zst") ? 4 : 0;
    for (size_t i = IO_GRAPH_NONE + 1; i < FORMATS; i++) {
        char end[8];
        snprintf(end, sizeof end, ".%s", formats[i].name);
        if (ends_with(file, length, end)) {
            return (io_graph_format)i;
        }
    }
    return IO_GRAPH_NONE;
}

/* The formats that begin with words of their own say themselves what they are. */
static io_graph_format format_of_bytes(const io_input *in)
{
    if (in->parts[0].kind == IO_KIND_USG) {
        return IO_GRAPH_USG;
    }
    bool marked = in->size >= 3 && memcmp(in->bytes, "\xef\xbb\xbf", 3) == 0;
    const unsigned char *p = in->bytes + 3 * marked;
    size_t size = in->size - 3 * marked;
    if (size >= 14 && memcmp(p, "%%MatrixMarket", 14) == 0) {
        return IO_GRAPH_MTX;
    }
    if (size >= 5 && (memcmp(p, "p sp ", 5) == 0 || memcmp(p, "c ", 2) == 0)) {
        return IO_GRAPH_GR;
    }
    return IO_GRAPH_NONE;
}

bool io_graph_load(io_input *in, const char *file, unsigned threads, io_progress *progress,
                   io_error *error)
{
    io_reading how = {
        .takes = 1u << IO_KIND_USG, .last = -1, .threads = threads, .progress = progress};
    return io_source_read(in, &file, 1, &how, error);
}

bool io_graph_read(io_graph *g, const char *file, const io_graph_options *options, io_error *error)
{
    *g = (io_graph){.base = 0};
    const char *name = io_input_name(file);
    io_graph_file f = {name, options, error};
    if (!io_graph_load(&g->input, file, options->threads, options->progress, error)) {
        return false;
    }
    g->source = g->input.parts[0];
    g->format = options->format;
    if (g->format == IO_GRAPH_NONE) {
        g->format = format_of_bytes(&g->input);
    }
    if (g->format == IO_GRAPH_NONE) {
        g->format = io_graph_format_of_file(file);
    }
    if (g->format == IO_GRAPH_NONE) {
        return io_because(error,
                          "%s: its name does not say what it is: give --from gr, mtx, el, wel, "
                          "sg, wsg, csv, tsv or usg",
                          name);
    }
    if (g->input.size == 0) {
        return io_because(error, "%s: is empty", name);
    }
    if (!formats[g->format].binary) {
        if (!io_source_take_marks(&g->input, error)) {
            return false;
        }
        io_text_close(&g->input, '\n');
    }
    g->negative = options->negative;
    if (!formats[g->format].read(g, &f)) {
        return false;
    }
    upsweep_type type = options->weight_type;
    return type == 0 || g->weight == NULL || io_graph_weights_as(g, &f, type);
}

void *io_graph_take(io_graph *g, size_t bytes)
{
    for (size_t i = 0; i < IO_GRAPH_BLOCKS; i++) {
        if (g->blocks[i].memory == NULL) {
            g->blocks[i].memory = io_memory_take(bytes);
            g->blocks[i].bytes = bytes;
            return g->blocks[i].memory;
        }
    }
    return NULL;
}

static void give(io_graph *g, const void *memory)
{
    for (size_t i = 0; i < IO_GRAPH_BLOCKS; i++) {
        if (memory != NULL && g->blocks[i].memory == memory) {
            io_memory_give(g->blocks[i].memory, g->blocks[i].bytes);
            g->blocks[i].memory = NULL;
        }
    }
}

void io_graph_free(io_graph *g)
{
    for (size_t i = 0; i < IO_GRAPH_BLOCKS; i++) {
        io_memory_give(g->blocks[i].memory, g->blocks[i].bytes);
    }
    io_names_free(g->names);
    io_input_free(&g->input);
    *g = (io_graph){.base = 0};
}

static void *adopt_column(io_graph *g, io_records *r, size_t field)
{
    void *memory = r->column[field];
    for (size_t i = 0; i < IO_GRAPH_BLOCKS; i++) {
        if (g->blocks[i].memory == NULL) {
            g->blocks[i].memory = memory;
            g->blocks[i].bytes = r->held[field];
            break;
        }
    }
    r->column[field] = NULL;
    return memory;
}

void io_graph_adopt_weights(io_graph *g, io_records *r)
{
    g->arcs = r->count;
    if (r->column[2] != NULL) {
        g->weight_type = r->type[2];
        g->weight = adopt_column(g, r, 2);
    }
    io_input_free(&g->input); /* the text is not needed any more */
}

void io_graph_adopt(io_graph *g, io_records *r)
{
    g->tail = adopt_column(g, r, 0);
    g->head = adopt_column(g, r, 1);
    io_graph_adopt_weights(g, r);
}

/* begin[v + 1] counts the arcs of v, then tells where its next arc goes, and ends as its end. */
static void lay_down(const io_graph *g, uint64_t *begin, uint32_t *head, char *weight, size_t bytes)
{
    for (size_t i = 0; i < g->arcs; i++) {
        begin[g->tail[i] + (size_t)1]++;
    }
    uint64_t sum = 0;
    for (size_t v = 1; v <= g->vertices; v++) {
        uint64_t degree = begin[v];
        begin[v] = sum;
        sum += degree;
    }
    for (size_t i = 0; i < g->arcs; i++) {
        uint64_t to = begin[g->tail[i] + (size_t)1]++;
        head[to] = g->head[i];
        if (bytes > 0) {
            memcpy(weight + to * bytes, (const char *)g->weight + i * bytes, bytes);
        }
    }
}

bool io_graph_to_rows(io_graph *g)
{
    if (g->tail == NULL) {
        return true;
    }
    size_t bytes = g->weight == NULL ? 0 : upsweep_type_bytes(g->weight_type);
    uint64_t *begin = io_graph_take(g, (g->vertices + 1) * sizeof *begin);
    uint32_t *head = io_graph_take(g, g->arcs * sizeof *head);
    void *weight = io_graph_take(g, g->arcs * bytes);
    if (begin == NULL || head == NULL || weight == NULL) {
        give(g, begin);
        give(g, head);
        give(g, weight);
        return false;
    }
    lay_down(g, begin, head, weight, bytes);
    give(g, g->tail);
    give(g, g->head);
    give(g, g->weight);
    g->tail = NULL;
    g->begin = begin;
    g->head = head;
    g->weight = bytes == 0 ? NULL : weight;
    return true;
}

bool io_graph_to_list(io_graph *g)
{
    if (g->tail != NULL) {
        return true;
    }
    uint32_t *tail = io_graph_take(g, g->arcs * sizeof *tail);
    for (size_t v = 0; tail != NULL && v < g->vertices; v++) {
        for (uint64_t i = g->begin[v]; i < g->begin[v + 1]; i++) {
            tail[i] = (uint32_t)v;
        }
    }
    g->tail = tail;
    return tail != NULL;
}

bool io_graph_both_ways(io_graph *g)
{
    if (!g->undirected) {
        return true;
    }
    size_t bytes = g->weight == NULL ? 0 : upsweep_type_bytes(g->weight_type), count = g->arcs;
    if (!io_graph_to_list(g)) {
        return false;
    }
    uint32_t *tail = io_graph_take(g, 2 * g->arcs * sizeof *tail);
    uint32_t *head = io_graph_take(g, 2 * g->arcs * sizeof *head);
    char *weight = io_graph_take(g, 2 * g->arcs * bytes);
    if (tail == NULL || head == NULL || weight == NULL) {
        return false;
    }
    memcpy(tail, g->tail, count * sizeof *tail);
    memcpy(head, g->head, count * sizeof *head);
    if (bytes > 0) {
        memcpy(weight, g->weight, count * bytes);
    }
    for (size_t i = 0; i < g->arcs; i++) {
        if (g->tail[i] != g->head[i]) { /* an arc from a vertex to itself has one way only */
            tail[count] = g->head[i];
            head[count] = g->tail[i];
            if (bytes > 0) {
                memcpy(weight + count * bytes, (const char *)g->weight + i * bytes, bytes);
            }
            count++;
        }
    }
    give(g, g->tail);
    give(g, g->head);
    give(g, g->weight);
    g->tail = tail;
    g->head = head;
    g->weight = bytes == 0 ? NULL : weight;
    g->begin = NULL;
    g->arcs = count;
    g->undirected = false;
    g->symmetric = true;
    return true;
}

static bool weight_is_good(const io_graph *g, size_t i)
{
    switch (g->weight_type) {
    case UPSWEEP_F32: return ((const float *)g->weight)[i] >= 0;
    case UPSWEEP_F64: return ((const double *)g->weight)[i] >= 0;
    default: return true;
    }
}

bool io_graph_check(const io_graph *g, const char *name, io_error *error)
{
    for (size_t v = 0; v <= g->vertices; v++) {
        uint64_t least = v == 0 ? 0 : g->begin[v - 1], most = v == 0 ? 0 : g->arcs;
        if (g->begin[v] < least || g->begin[v] > most) {
            return io_because(error, "%s: the arcs of vertex %zu begin at %llu, out of order", name,
                              v, (unsigned long long)g->begin[v]);
        }
    }
    if (g->begin[g->vertices] != g->arcs) {
        return io_because(error, "%s: the arcs end at %llu, but there are %zu", name,
                          (unsigned long long)g->begin[g->vertices], g->arcs);
    }
    for (size_t i = 0; i < g->arcs; i++) {
        if (g->head[i] >= g->vertices) {
            return io_because(error, "%s: arc %zu names vertex %u, but there are %zu", name, i,
                              g->head[i], g->vertices);
        }
        if (!weight_is_good(g, i)) {
            return io_because(error, "%s: arc %zu has a weight that is not 0 or more", name, i);
        }
    }
    return true;
}

bool io_graph_weights_as(io_graph *g, const io_graph_file *f, upsweep_type type)
{
    if (type == g->weight_type) {
        return true;
    }
    size_t from = upsweep_type_bytes(g->weight_type), to = upsweep_type_bytes(type);
    char *weight = io_graph_take(g, g->arcs * to);
    if (weight == NULL) {
        return io_because(f->error, "%s: no memory for %zu weights", f->name, g->arcs);
    }
    for (size_t i = 0; i < g->arcs; i++) {
        /* By text, which rounds once and knows what does not fit. */
        char text[IO_NUMBER_MAX];
        io_number_print(text, g->weight_type, (const char *)g->weight + i * from);
        if (!io_number_scan(text, type, weight + i * to)) {
            return io_because(f->error, "%s: arc %zu: the weight %s is no value of type %s",
                              f->name, i, text, upsweep_type_name(type));
        }
    }
    give(g, g->weight);
    g->weight = weight;
    g->weight_type = type;
    return true;
}
