/* paths_print.c - answers as tables, JSON, lines in the manner of DIMACS, or .npy. */
/* SPDX-License-Identifier: MIT */
#include "app/paths/paths_verb.h"

#include "io/npy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reached vertices, the farthest of them, and the sum of the distances as text. */
typedef struct totals {
    size_t reached;
    uint32_t farthest;
    char sum[48];
} totals;

static totals add_up(const app_paths *p)
{
    totals t = {0, UPSWEEP_NO_VERTEX, "0"};
    double sum = 0, most = -INFINITY;
    uint64_t whole = 0;
    int64_t balance = 0; /* of i64 */
    bool is_float = app_is_float(p->type), fits = !is_float;
    for (size_t i = 0; i < p->g.vertices; i++) {
        uint32_t v = (uint32_t)i;
        if (!app_paths_reached(p, v)) {
            continue;
        }
        const void *d = app_paths_distance(p, v);
        double value = io_number_value(p->type, d);
        t.reached++;
        if (value > most) {
            most = value;
            t.farthest = v;
        }
        sum += value;
        uint64_t number = 0;
        memcpy(&number, d, upsweep_type_bytes(p->type));
        fits = fits &&
               (p->type == UPSWEEP_I64 ? !__builtin_add_overflow(balance, (int64_t)number, &balance)
                                       : !__builtin_add_overflow(whole, number, &whole));
    }
    if (fits && p->type == UPSWEEP_I64) {
        snprintf(t.sum, sizeof t.sum, "%lld", (long long)balance);
    } else if (fits) {
        snprintf(t.sum, sizeof t.sum, "%llu", (unsigned long long)whole);
    } else {
        snprintf(t.sum, sizeof t.sum, "%.17g", sum);
    }
    return t;
}

/* The vertex of column k, and its place in the answer. */
static uint32_t vertex_of(const app_answer *a, size_t k)
{
    return a->targets != NULL ? a->targets[k] : (uint32_t)k;
}

static size_t place_of(const app_answer *a, size_t k)
{
    return a->by_column ? k : vertex_of(a, k);
}

static size_t columns_of(const app_paths *p, const app_answer *a)
{
    return a->targets != NULL ? a->target_count : p->g.vertices;
}

static bool one_source(const app_paths *p)
{
    return p->settings->nearest || (p->source_count == 1 && !p->pairs);
}

/* ---- tables ---- */

static void csv_begin(app_paths *p)
{
    const app_paths_settings *s = p->settings;
    if (s->summary) {
        io_put_text(p->printer, "source,reached,farthest,distance,sum\n");
        return;
    }
    io_put_text(p->printer, one_source(p) ? "" : "source,");
    io_put_text(p->printer, p->targets != NULL ? "target,distance" : "vertex,distance");
    io_put_text(p->printer, s->parents ? ",parent" : "");
    io_put_text(p->printer, s->path ? ",path\n" : "\n");
}

static void csv_line(app_paths *p, const app_answer *a, size_t k)
{
    const app_paths_settings *s = p->settings;
    uint32_t v = vertex_of(a, k);
    size_t place = place_of(a, k);
    if (!one_source(p)) {
        app_paths_put_vertex(p, a->sources[0]);
        io_put(p->printer, ",", 1);
    }
    app_paths_put_vertex(p, v);
    io_put(p->printer, ",", 1);
    app_paths_put_distance(p, place);
    if (s->parents) {
        io_put(p->printer, ",", 1);
        app_paths_put_parent(p, place);
    }
    if (s->path) {
        io_put(p->printer, ",", 1);
        app_paths_put_path(p, v, " ");
    }
    io_put(p->printer, "\n", 1);
}

static void csv_summary(app_paths *p, const app_answer *a)
{
    totals t = add_up(p);
    if (a->source_count == 1) {
        app_paths_put_vertex(p, a->sources[0]);
    } else {
        io_put_format(p->printer, "nearest of %zu", a->source_count);
    }
    io_put_format(p->printer, ",%zu,", t.reached);
    if (t.farthest != UPSWEEP_NO_VERTEX) {
        app_paths_put_vertex(p, t.farthest);
        io_put(p->printer, ",", 1);
        app_paths_put_distance(p, t.farthest);
    } else {
        io_put(p->printer, ",", 1);
    }
    io_put_format(p->printer, ",%s\n", t.sum);
}

/* ---- JSON ---- */

static void json_begin(app_paths *p)
{
    unsigned long long first = p->g.ids != NULL ? p->g.ids[0] : p->g.base;
    io_put_format(p->printer,
                  "{\"vertices\": %zu, \"arcs\": %zu, \"first\": %llu, \"type\": \"%s\"",
                  p->info.vertices, p->info.arcs, first, upsweep_type_name(p->type));
    bool called = p->g.names != NULL || p->g.ids != NULL;
    if (called && p->targets == NULL && !p->settings->summary) {
        io_put_text(p->printer, p->g.names != NULL ? ",\n \"names\": [" : ",\n \"ids\": [");
        for (size_t v = 0; v < p->g.vertices; v++) {
            io_put_text(p->printer, v > 0 ? ", " : "");
            app_paths_put_vertex(p, (uint32_t)v);
        }
        io_put_text(p->printer, "]");
    }
    io_put_text(p->printer, ",\n \"answers\": [");
}

static void json_target(app_paths *p, uint32_t v, size_t place)
{
    io_put_text(p->printer, "{\"target\": ");
    app_paths_put_vertex(p, v);
    io_put_text(p->printer, ", \"distance\": ");
    app_paths_put_distance(p, place);
    if (p->settings->parents) {
        io_put_text(p->printer, ", \"parent\": ");
        app_paths_put_parent(p, place);
    }
    if (p->settings->path) {
        io_put_text(p->printer, ", \"path\": [");
        app_paths_put_path(p, v, ", ");
        io_put_text(p->printer, "]");
    }
    io_put_text(p->printer, "}");
}

static void json_array(app_paths *p, const char *name, void (*put)(app_paths *, size_t))
{
    io_put_format(p->printer, ", \"%s\": [", name);
    for (size_t v = 0; v < p->g.vertices && !p->printer->failed; v++) {
        io_put_text(p->printer, v > 0 ? ", " : "");
        put(p, v);
    }
    io_put_text(p->printer, "]");
}

static void json_answer(app_paths *p, const app_answer *a)
{
    io_put_text(p->printer, p->answers > 0 ? ",\n  {\"source\": " : "\n  {\"source\": ");
    io_put_text(p->printer, a->source_count == 1 ? "" : "[");
    for (size_t i = 0; i < a->source_count; i++) {
        io_put_text(p->printer, i > 0 ? ", " : "");
        app_paths_put_vertex(p, a->sources[i]);
    }
    io_put_text(p->printer, a->source_count == 1 ? "" : "]");
    if (a->targets != NULL) {
        io_put_text(p->printer, ", \"targets\": [");
        for (size_t i = 0; i < a->target_count; i++) {
            io_put_text(p->printer, i > 0 ? ", " : "");
            json_target(p, a->targets[i], place_of(a, i));
        }
        io_put_text(p->printer, "]}");
        return;
    }
    totals t = add_up(p);
    io_put_format(p->printer, ", \"reached\": %zu, \"farthest\": ", t.reached);
    if (t.farthest != UPSWEEP_NO_VERTEX) {
        json_target(p, t.farthest, t.farthest);
    } else {
        io_put_text(p->printer, "null");
    }
    io_put_format(p->printer, ", \"sum\": %s", t.sum);
    if (!p->settings->summary) {
        json_array(p, "distance", app_paths_put_distance);
    }
    if (!p->settings->summary && p->settings->parents) {
        json_array(p, "parent", app_paths_put_parent);
    }
    io_put_text(p->printer, "}");
}

/* ---- lines in the manner of DIMACS ---- */

static void dimacs_line(app_paths *p, const app_answer *a, size_t k)
{
    uint32_t v = vertex_of(a, k);
    size_t place = place_of(a, k);
    if (!app_paths_reached(p, place)) {
        return;
    }
    io_put_text(p->printer, "d ");
    app_paths_put_vertex(p, v);
    io_put(p->printer, " ", 1);
    app_paths_put_distance(p, place);
    if (p->settings->parents && p->parent[place] != UPSWEEP_NO_VERTEX) {
        io_put(p->printer, " ", 1);
        app_paths_put_parent(p, place);
    }
    io_put(p->printer, "\n", 1);
    if (p->settings->path) {
        io_put_text(p->printer, "r ");
        app_paths_put_path(p, v, " ");
        io_put(p->printer, "\n", 1);
    }
}

static void dimacs_answer(app_paths *p, const app_answer *a)
{
    for (size_t i = 0; i < a->source_count; i++) {
        io_put_text(p->printer, "s ");
        app_paths_put_vertex(p, a->sources[i]);
        io_put(p->printer, "\n", 1);
    }
    for (size_t k = 0; k < columns_of(p, a) && !p->printer->failed; k++) {
        dimacs_line(p, a, k);
    }
}

/* ---- .npy: one row an answer ---- */

static void npy_begin(app_paths *p)
{
    char header[IO_NPY_WRITTEN_BYTES];
    size_t rows = p->settings->nearest ? 1 : p->source_count;
    size_t columns = p->pairs ? 1 : p->targets != NULL ? p->target_count : p->g.vertices;
    bool flat = rows == 1 || columns == 1;
    (void)io_npy_write_table(header, p->type, flat ? rows * columns : rows, flat ? 0 : columns);
    io_put(p->printer, header, sizeof header);
}

static void npy_answer(app_paths *p, const app_answer *a)
{
    size_t bytes = upsweep_type_bytes(p->type);
    if (a->targets == NULL) {
        io_put(p->printer, p->distance, p->g.vertices * bytes);
        return;
    }
    for (size_t k = 0; k < a->target_count; k++) {
        io_put(p->printer, app_paths_distance(p, place_of(a, k)), bytes);
    }
}

static int finish(app_paths *p)
{
    free(p->printer);
    p->printer = NULL;
    io_output_discard(&p->out);
    return app_fail("%s", p->error.text);
}

int app_paths_print_begin(app_paths *p)
{
    const char *file = p->settings->common.output;
    bool to_stdout = file == NULL || strcmp(file, "-") == 0;
    if (p->format == PATHS_NPY && to_stdout && isatty(STDOUT_FILENO)) {
        return app_fail("these are bytes, not text for a terminal: use -o FILE");
    }
    if (io_output_open(&p->out, file, &p->error) != 0) {
        return app_fail("%s", p->error.text);
    }
    p->printer = io_printer_new(&p->out, &p->error);
    if (p->printer == NULL) {
        io_output_discard(&p->out);
        return app_fail("no memory to print");
    }
    switch (p->format) {
    case PATHS_JSON: json_begin(p); break;
    case PATHS_NPY: npy_begin(p); break;
    case PATHS_DIMACS:
        io_put_text(p->printer, "c s SOURCE, then d VERTEX DISTANCE [PARENT], r PATH\n");
        break;
    default: csv_begin(p); break;
    }
    return p->printer->failed ? finish(p) : APP_OK;
}

int app_paths_print(app_paths *p, const app_answer *a)
{
    if (p->format == PATHS_JSON) {
        json_answer(p, a);
    } else if (p->format == PATHS_NPY) {
        npy_answer(p, a);
    } else if (p->format == PATHS_DIMACS) {
        dimacs_answer(p, a);
    } else if (p->settings->summary) {
        csv_summary(p, a);
    } else {
        for (size_t k = 0; k < columns_of(p, a) && !p->printer->failed; k++) {
            csv_line(p, a, k);
        }
    }
    p->answers++;
    return p->printer->failed ? finish(p) : APP_OK;
}

int app_paths_print_end(app_paths *p)
{
    if (p->format == PATHS_JSON) {
        io_put_text(p->printer, "]}\n");
    }
    if (!io_put_end(p->printer)) {
        return finish(p);
    }
    free(p->printer);
    p->printer = NULL;
    return io_output_commit(&p->out, &p->error) == 0 ? APP_OK : app_fail("%s", p->error.text);
}
