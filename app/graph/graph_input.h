/* graph_input.h - how `upsweep paths` and `upsweep graph` take a graph: the options that say what
 * the file is, and the arrays that come of it. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_APP_GRAPH_GRAPH_INPUT_H
#define USW_APP_GRAPH_GRAPH_INPUT_H

#include "app/app.h"
#include "io/graph_file.h"

#include <stdio.h>

typedef struct app_graph_input {
    const char *from, *weight, *columns, *delimiter, *base, *ids, *places;
    bool names, negative, header, no_header;
} app_graph_input;

/* Rows of an option table, for settings that have a member `input`. */
#define APP_GRAPH_OPTIONS(settings)                                                                \
    {0,                                                                                            \
     "from",                                                                                       \
     "gr|mtx|el|wel|sg|wsg|csv|tsv|usg",                                                           \
     "what the graph is; else its first bytes tell",                                               \
     APP_TEXT,                                                                                     \
     offsetof(settings, input.from),                                                               \
     NULL},                                                                                        \
        {0,                                                                                        \
         "weight",                                                                                 \
         "u32|u64|i64|f32|f64|none",                                                               \
         "read weights as this, or none of them",                                                  \
         APP_TEXT,                                                                                 \
         offsetof(settings, input.weight),                                                         \
         NULL},                                                                                    \
        {0,         "columns",                                                                     \
         "T,H[,W]", "of a table: the columns of tail, head and weight",                            \
         APP_TEXT,  offsetof(settings, input.columns),                                             \
         NULL},                                                                                    \
        {0,        "delimiter",                                                                    \
         "C",      "of a table: what parts its columns, if the first lines do not show it",        \
         APP_TEXT, offsetof(settings, input.delimiter),                                            \
         NULL},                                                                                    \
        {0,        "names",                                                                        \
         NULL,     "of a table: vertices are words, not numbers",                                  \
         APP_FLAG, offsetof(settings, input.names),                                                \
         NULL},                                                                                    \
        {0,        "header",                                                                       \
         NULL,     "of a table: the first line is a header",                                       \
         APP_FLAG, offsetof(settings, input.header),                                               \
         NULL},                                                                                    \
        {0,        "no-header",                                                                    \
         NULL,     "of a table: the first line is an arc",                                         \
         APP_FLAG, offsetof(settings, input.no_header),                                            \
         NULL},                                                                                    \
        {0,        "base",                                                                         \
         "0|1",    "of el, wel and tables: the first vertex is 0 or 1; 0 if not given",            \
         APP_TEXT, offsetof(settings, input.base),                                                 \
         NULL},                                                                                    \
        {0,                                                                                        \
         "ids",                                                                                    \
         "all|used",                                                                               \
         "of el, wel and tables: vertices are all ids up to the greatest, or those used",          \
         APP_TEXT,                                                                                 \
         offsetof(settings, input.ids),                                                            \
         NULL},                                                                                    \
    {                                                                                              \
        0, "coordinates", "FILE", "where the vertices lie: DIMACS .co", APP_TEXT,                  \
            offsetof(settings, input.places), NULL                                                 \
    }

/* For the help of both verbs. */
#define APP_GRAPH_FORMATS_HELP                                                                     \
    "A graph is a file of one of these formats, known by its first bytes or the end of its "       \
    "name;\n"                                                                                      \
    "any of them may be compressed by gzip or zstd (.gz, .zst):\n"                                 \
    "\n"                                                                                           \
    "  gr        DIMACS shortest paths; vertices are counted from 1\n"                             \
    "  mtx       Matrix Market, coordinate; vertices are counted from 1\n"                         \
    "  el, wel   `TAIL HEAD` and `TAIL HEAD WEIGHT`, one arc a line, of the GAP benchmark; from "  \
    "0\n"                                                                                          \
    "  sg, wsg   the GAP benchmark's binary graphs; from 0\n"                                      \
    "  csv, tsv  tables; from 0, or words with --names\n"                                          \
    "  usg       upsweep's own: fast to read, and its checksum shows damage\n"                     \
    "\n"                                                                                           \
    "Tables: empty lines and those that begin with # or % are skipped. Columns are parted by "     \
    "comma\n"                                                                                      \
    "(csv) or tab (tsv) or, where these do not part the first lines, by tab, semicolon, comma "    \
    "or\n"                                                                                         \
    "blanks. Cells may be in quotes as RFC 4180 has them, each on one line. All lines have as "    \
    "many\n"                                                                                       \
    "cells as the first; empty cells at their ends do not count. The first line is a header if "   \
    "it has\n"                                                                                     \
    "words above numbers, or words such as from and to, source and target, tail and head. Such "   \
    "words,\n"                                                                                     \
    "and weight, cost, length, distance or time, say which columns are which; where there are "    \
    "none,\n"                                                                                      \
    "the first three are tail, head and weight. A first line that may be either is refused, and\n" \
    "--header, --no-header and --columns decide. --stats and `upsweep graph info` tell what a "    \
    "table\n"                                                                                      \
    "was taken for.\n"                                                                             \
    "\n"                                                                                           \
    "Weights are whole numbers or decimals that are not negative; the first of u32, u64 and f64 "  \
    "that\n"                                                                                       \
    "has all of them is taken unless --weight says otherwise; Matrix Market says itself what it "  \
    "has.\n"                                                                                       \
    "A whole number is not rounded: one that needs more than 64 bits, or that f64 would round "    \
    "where\n"                                                                                      \
    "others are decimals, is refused unless --weight asks for it. Where a file says that it is\n"  \
    "symmetric, every arc goes both ways.\n"                                                       \
    "\n"                                                                                           \
    "In el, wel and tables all numbers up to the greatest are vertices. But where ids are far "    \
    "apart,\n"                                                                                     \
    "so that most would have no arc (beyond 2^20, and four times as many as arcs), or where they " \
    "need\n"                                                                                       \
    "more than 32 bits (19 digits at most), only those that arcs name are, under their ids; "      \
    "--ids all\n"                                                                                  \
    "and --ids used decide. Text is UTF-8, with or without a byte-order mark. An error names the " \
    "file,\n"                                                                                      \
    "the line and the cause."

/* The threads that reading and writing may use. */
unsigned app_io_threads(const app_common *common);

/* Reads the file, "-" being standard input. Returns APP_OK, or APP_ERROR after the sentence; *g can
 * be freed in both cases. */
int app_read_graph(const app_common *common, const app_graph_input *input, const char *file,
                   io_graph *g);
/* What a table was taken for, in one line, which says nothing of other formats. */
void app_print_form(FILE *f, const io_graph *g);
/* The word or letter that parts the columns of a table. */
const char *app_separator_name(const io_graph *g);

/* What the file calls a vertex, for sentences: cut where there is no room, and "none" if there is
 * none such. */
void app_vertex_name(const io_graph *g, uint64_t v, char *text, size_t room);
/* The library's sentence on its last error, with the vertices that it names called as in the file.
 */
void app_graph_error(const upsweep *u, const io_graph *g, char *text, size_t room);
/* Hands the arrays to the library. */
int app_make_graph(upsweep *u, const io_graph *g, const char *file, upsweep_graph **graph);

#endif
