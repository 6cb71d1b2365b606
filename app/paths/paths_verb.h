/* paths_verb.h - what the parts of `upsweep paths` share: the settings, the job that comes of them,
 * and one answer. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_APP_PATHS_PATHS_VERB_H
#define USW_APP_PATHS_PATHS_VERB_H

#include "app/arrays/arrays.h"
#include "app/graph/graph_input.h"
#include "io/numbers.h"
#include "io/printer.h"

typedef struct app_words {
    const char **word;
    size_t count;
} app_words;

typedef struct app_paths_settings {
    app_common common;
    app_graph_input input;
    app_words source, target;
    const char *source_file, *target_file, *pair_file, *cutoff, *format, *plot, *unit, *title,
        *caption;
    bool parents, path, nearest, verify, summary;
    double delta;
} app_paths_settings;

typedef enum app_paths_format { PATHS_CSV, PATHS_JSON, PATHS_DIMACS, PATHS_NPY } app_paths_format;

typedef struct app_paths {
    const app_paths_settings *settings;
    const char *file; /* of the graph, for sentences */
    io_graph g;
    upsweep *u;
    upsweep_graph *graph;
    upsweep_graph_info info;
    upsweep_type type; /* of distances */
    uint32_t *sources, *targets;
    size_t source_count, target_count;
    bool pairs;      /* source i goes with target i */
    uint64_t cutoff; /* one distance */
    app_paths_format format;
    /* The answer that is being worked on; it lies in the room behind it, or in the library. */
    const void *distance;
    const uint32_t *parent; /* NULL if nobody asked */
    void *distance_room;
    uint32_t *parent_room, *path; /* path: room for one */
    io_output out;
    io_error error;
    io_printer *printer;
    size_t answers; /* printed so far */
} app_paths;

/* One query. Its answer has a place for every vertex or, with by_column, for every target. */
typedef struct app_answer {
    const uint32_t *sources, *targets; /* targets NULL: all vertices */
    size_t source_count, target_count;
    bool by_column;
} app_answer;

extern const char app_paths_about[];

/* paths_answer.c: whether a place of the answer has a distance, and that distance. */
bool app_paths_reached(const app_paths *p, size_t place);
const void *app_paths_distance(const app_paths *p, size_t place);
/* Says why a query failed; returns APP_ERROR. */
int app_paths_fail(const app_paths *p, upsweep_status status);

/* paths_cells.c: a vertex as the file calls it; the distance, the parent and the path of a place of
 * the answer, of which `between` parts the vertices where the format is not csv. */
void app_paths_put_vertex(app_paths *p, uint32_t v);
void app_paths_put_distance(app_paths *p, size_t place);
void app_paths_put_parent(app_paths *p, size_t place);
void app_paths_put_path(app_paths *p, uint32_t v, const char *between);

/* paths_print.c: begin, one for each answer, end. They say what failed; then the output is gone. */
int app_paths_print_begin(app_paths *p);
int app_paths_print(app_paths *p, const app_answer *a);
int app_paths_print_end(app_paths *p);

/* paths_negative.c: the answer by Bellman and Ford's method. APP_OK, APP_NO after the sentence that
 * names a cycle of negative length, or APP_ERROR. */
int app_paths_negative(app_paths *p, const app_answer *a);
/* Whether the other options go with --negative, else the sentence is out. */
int app_paths_check_negative(const app_paths_settings *s);

/* paths_solve.c: finds and prints all answers. */
int app_paths_answer(app_paths *p);

/* paths_verify.c: an answer is right if every distance can be reached and none can be shortened.
 * Returns APP_OK, APP_NO after the sentence on what is wrong, or APP_ERROR. */
int app_paths_verify(app_paths *p, const app_answer *a);

#endif
