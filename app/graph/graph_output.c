/* graph_output.c - where a graph goes and in which format, for all that write one. */
/* SPDX-License-Identifier: MIT */
#include "app/graph/graph_verb.h"

#include "io/output.h"

#include <string.h>
#include <unistd.h>

int app_graph_output_format(const app_graph_settings *s, io_graph_format *format)
{
    const char *file = s->common.output;
    *format = IO_GRAPH_NONE;
    if (s->to != NULL) {
        *format = io_graph_format_from_name(s->to);
        if (*format == IO_GRAPH_NONE) {
            return app_fail("--as takes gr, mtx, el, wel, sg, wsg, csv, tsv or usg, not '%s'",
                            s->to);
        }
    } else if (file != NULL) {
        *format = io_graph_format_of_file(file);
    }
    if (*format == IO_GRAPH_NONE) {
        return app_fail("give --as gr, mtx, el, wel, sg, wsg, csv, tsv or usg, or -o with a name "
                        "that ends so");
    }
    const char *dot = file != NULL ? strrchr(file, '.') : NULL;
    if (dot != NULL && (strcmp(dot, ".gz") == 0 || strcmp(dot, ".zst") == 0)) {
        return app_fail("%s: output is not compressed; without -o it can go through %s", file,
                        strcmp(dot, ".gz") == 0 ? "gzip" : "zstd");
    }
    bool binary = *format == IO_GRAPH_USG || *format == IO_GRAPH_SG || *format == IO_GRAPH_WSG;
    bool to_stdout = file == NULL || strcmp(file, "-") == 0;
    return binary && to_stdout && isatty(STDOUT_FILENO)
               ? app_fail("these are bytes, not text for a terminal: use -o FILE")
               : APP_OK;
}

static int write_places(const io_graph *g, const char *file)
{
    io_output out;
    io_error error;
    if (io_output_open(&out, file, &error) != 0) {
        return app_fail("%s", error.text);
    }
    if (!io_graph_write_places(g, &out, &error)) {
        io_output_discard(&out);
        return app_fail("%s", error.text);
    }
    return io_output_commit(&out, &error) == 0 ? APP_OK : app_fail("%s", error.text);
}

int app_write_graph(const app_graph_settings *s, io_graph *g, io_graph_format format)
{
    io_progress progress = {.what = NULL};
    io_output out;
    io_error error;
    if (s->places_out != NULL && g->x == NULL) {
        return app_fail("--places: the graph has no coordinates");
    }
    if (s->places_out != NULL && write_places(g, s->places_out) != APP_OK) {
        return APP_ERROR;
    }
    if (io_output_open(&out, s->common.output, &error) != 0) {
        return app_fail("%s", error.text);
    }
    if (!io_graph_write(g, &out, format, app_io_threads(&s->common), &progress, &error)) {
        io_output_discard(&out);
        return app_fail("%s", error.text);
    }
    return io_output_commit(&out, &error) == 0 ? APP_OK : app_fail("%s", error.text);
}
