/* graph_gap.c - the binary graphs of the GAP benchmark suite, github.com/sbeamer/gapbs,
 * little-endian:
 *
 *     1 byte        1 if the graph is directed, 0 if every arc is stored both ways
 *     8 bytes       m, the arcs that are stored
 *     8 bytes       n, the vertices
 *     8 (n + 1)     begin: the arcs of vertex v are begin[v] .. begin[v + 1] - 1
 *     4 m or 8 m    heads; in .wsg each is followed by its weight, a signed number of 32 bits
 *     if directed, the same two arrays once more for the arcs that enter a vertex */
/* SPDX-License-Identifier: MIT */
#include "io/graph_formats.h"

#include <stdlib.h>

enum { FRONT = 17 };

static uint64_t load64(const unsigned char *p)
{
    uint64_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

/* The sizes of the file; false if they are not those of the bytes that are there. */
static bool check_size(io_graph *g, const io_graph_file *f, bool weighted, uint64_t *n, uint64_t *m)
{
    const io_input *in = &g->input;
    if (in->size < FRONT) {
        return io_because(f->error, "%s: ends within its header, after %zu bytes", f->name,
                          in->size);
    }
    unsigned directed = in->bytes[0];
    *m = load64(in->bytes + 1);
    *n = load64(in->bytes + 9);
    if (directed > 1) {
        return io_because(f->error, "%s: is no .%s file: its first byte is %u, not 0 or 1", f->name,
                          weighted ? "wsg" : "sg", directed);
    }
    if (*n > IO_VERTICES_MAX || *m > SIZE_MAX / 64) {
        return io_because(f->error, "%s: %llu vertices and %llu arcs are too many", f->name,
                          (unsigned long long)*n, (unsigned long long)*m);
    }
    uint64_t half = (*n + 1) * 8 + *m * (weighted ? 8 : 4);
    uint64_t wanted = FRONT + (directed ? 2 * half : half);
    return in->size == wanted ||
           io_because(f->error, "%s: has %zu bytes, but %llu vertices and %llu arcs need %llu",
                      f->name, in->size, (unsigned long long)*n, (unsigned long long)*m,
                      (unsigned long long)wanted);
}

/* Weights that are negative are so in 32 bits. */
static bool take_arcs(io_graph *g, const io_graph_file *f, const unsigned char *p, bool weighted)
{
    uint32_t *weight = g->weight;
    if (!weighted) {
        memcpy(g->head, p, g->arcs * 4);
        return true;
    }
    for (size_t i = 0; i < g->arcs; i++, p += 8) {
        memcpy(&g->head[i], p, 4);
        if (weight != NULL) {
            memcpy(&weight[i], p + 4, 4);
            if (weight[i] > INT32_MAX) {
                return io_because(f->error, "%s: arc %zu has the negative weight %d", f->name, i,
                                  (int)weight[i]);
            }
        }
    }
    return true;
}

bool io_gap_read(io_graph *g, const io_graph_file *f)
{
    bool weighted = g->format == IO_GRAPH_WSG;
    uint64_t n = 0, m = 0;
    if (!check_size(g, f, weighted, &n, &m)) {
        return false;
    }
    g->vertices = (size_t)n;
    g->arcs = (size_t)m;
    g->begin = io_graph_take(g, (g->vertices + 1) * 8);
    g->head = io_graph_take(g, g->arcs * 4);
    bool ok = g->begin != NULL && g->head != NULL;
    if (weighted && !f->options->no_weights) {
        g->weight = io_graph_take(g, g->arcs * 4);
        g->weight_type = UPSWEEP_U32;
        ok = ok && g->weight != NULL;
    }
    if (!ok) {
        return io_because(f->error, "%s: no memory for %zu arcs", f->name, g->arcs);
    }
    const unsigned char *rows = g->input.bytes + FRONT;
    g->symmetric = g->input.bytes[0] == 0;
    memcpy(g->begin, rows, (g->vertices + 1) * 8);
    ok = take_arcs(g, f, rows + (g->vertices + 1) * 8, weighted) &&
         io_graph_check(g, f->name, f->error);
    io_input_free(&g->input);
    return ok;
}

/* The rows of the arcs that enter a vertex: the graph turned round. */
static bool turn(const io_graph *g, io_graph *turned)
{
    *turned = (io_graph){.vertices = g->vertices, .arcs = g->arcs, .weight_type = g->weight_type};
    size_t bytes = g->weight == NULL ? 0 : 4;
    turned->tail = io_graph_take(turned, g->arcs * 4);
    turned->head = io_graph_take(turned, g->arcs * 4);
    turned->weight = bytes == 0 ? NULL : io_graph_take(turned, g->arcs * 4);
    if (turned->tail == NULL || turned->head == NULL || (bytes != 0 && turned->weight == NULL)) {
        return false;
    }
    for (size_t v = 0; v < g->vertices; v++) {
        for (uint64_t i = g->begin[v]; i < g->begin[v + 1]; i++) {
            turned->head[i] = (uint32_t)v;
        }
    }
    memcpy(turned->tail, g->head, g->arcs * 4);
    if (bytes != 0) {
        memcpy(turned->weight, g->weight, g->arcs * 4);
    }
    return io_graph_to_rows(turned);
}

static bool write_rows(const io_graph *g, io_output *out, bool weighted, io_error *error)
{
    enum { PIECE = 8192 };
    uint32_t piece[2 * PIECE];
    const uint32_t *weight = g->weight;
    if (io_output_write(out, g->begin, (g->vertices + 1) * 8, error) != 0) {
        return false;
    }
    if (!weighted) {
        return io_output_write(out, g->head, g->arcs * 4, error) == 0;
    }
    for (size_t at = 0; at < g->arcs; at += PIECE) {
        size_t count = g->arcs - at < PIECE ? g->arcs - at : PIECE;
        for (size_t i = 0; i < count; i++) {
            piece[2 * i] = g->head[at + i];
            piece[2 * i + 1] = weight == NULL ? 1 : weight[at + i];
        }
        if (io_output_write(out, piece, count * 8, error) != 0) {
            return false;
        }
    }
    return true;
}

static bool check_weights(const io_graph *g, const io_output *out, io_error *error)
{
    const uint32_t *weight = g->weight;
    if (weight != NULL && g->weight_type != UPSWEEP_U32) {
        return io_because(error, "%s: wsg has weights of 31 bits, not %s: give --weight u32",
                          out->name, upsweep_type_name(g->weight_type));
    }
    for (size_t i = 0; weight != NULL && i < g->arcs; i++) {
        if (weight[i] > INT32_MAX) {
            return io_because(error, "%s: wsg has weights of 31 bits, and %u needs more", out->name,
                              weight[i]);
        }
    }
    return g->vertices <= INT32_MAX ||
           io_because(error, "%s: sg and wsg have ids of 31 bits, too few for %zu vertices",
                      out->name, g->vertices);
}

bool io_gap_write(io_graph *g, io_output *out, io_graph_format format, io_error *error)
{
    bool weighted = format == IO_GRAPH_WSG;
    io_graph turned = {.base = 0};
    if (!check_weights(g, out, error)) {
        return false;
    }
    bool directed = !g->symmetric;
    bool ok = io_graph_to_rows(g) && (!directed || turn(g, &turned));
    if (!ok) {
        io_because(error, "%s: no memory to put %zu arcs in order", out->name, g->arcs);
    } else {
        unsigned char front[FRONT] = {directed};
        uint64_t sizes[2] = {g->arcs, g->vertices};
        memcpy(front + 1, sizes, sizeof sizes);
        ok = io_output_write(out, front, sizeof front, error) == 0 &&
             write_rows(g, out, weighted, error) &&
             (!directed || write_rows(&turned, out, weighted, error));
    }
    io_graph_free(&turned);
    return ok;
}
