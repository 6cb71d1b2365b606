/* view_input.c - numbers and graphs to watch. */
/* SPDX-License-Identifier: MIT */
#include "app/view/view_input.h"

#include "io/graph_file.h"
#include "view/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 64, FEW = 16, VERTICES = 96, MOST_MADE = 1 << 24 };

/* The same numbers every time: xorshift64*. */
static uint32_t next_random(uint64_t *state, uint32_t below)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)((*state * UINT64_C(2685821657736338717) >> 32) * below >> 32);
}

static bool is_paths(const upsweep_algorithm *a)
{
    return strcmp(a->operation, "path") == 0;
}

/* ---- keys ---- */

/* The words of `upsweep gen`, and those that were written before them. */
static const char *const patterns[][2] = {{"shuffled", "shuffled"}, {"uniform", "random"},
                                          {"reversed", "reversed"}, {"sorted", "sorted"},
                                          {"few", "few"},           {"almost-sorted", "swapped"},
                                          {"organ-pipe", "organ"},  {NULL, NULL}};

static const char *known_pattern(const char *pattern)
{
    for (size_t k = 0; patterns[k][0] != NULL; k++) {
        if (strcmp(pattern, patterns[k][0]) == 0 || strcmp(pattern, patterns[k][1]) == 0) {
            return patterns[k][0];
        }
    }
    return NULL;
}

static uint32_t made_key(const char *pattern, size_t i, size_t n, uint64_t *state)
{
    uint32_t place = (uint32_t)(i + 1), count = (uint32_t)n;
    switch (pattern[0]) {
    case 'r': return count - place + 1;
    case 'u': return next_random(state, count) + 1;
    case 'f': return (next_random(state, 8) + 1) * (count < 8 ? 1 : count / 8);
    case 'o': return 2 * i < n ? 2 * place - 1 : 2 * (count - place + 1);
    default: return place;
    }
}

static int make_keys(app_trace_input *in, const char *pattern, size_t n)
{
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    int status = APP_OK;
    pattern = known_pattern(pattern);
    for (size_t i = 0; i < n && status == APP_OK; i++) {
        status = app_trace_input_add(in, made_key(pattern, i, n, &state));
    }
    size_t swaps = strcmp(pattern, "shuffled") == 0        ? n
                   : strcmp(pattern, "almost-sorted") == 0 ? n / 16 + 1
                                                           : 0;
    for (size_t k = 0; k < swaps && n > 1 && status == APP_OK; k++) {
        size_t i = swaps == n ? n - 1 - k : next_random(&state, (uint32_t)n);
        size_t j = next_random(&state, swaps == n ? (uint32_t)(n - k) : (uint32_t)n);
        uint32_t was = in->values[i];
        in->values[i] = in->values[j];
        in->values[j] = was;
    }
    return status;
}

static int check_pattern(const char *pattern)
{
    return known_pattern(pattern) != NULL
               ? APP_OK
               : app_fail(
                     "there is no pattern '%s'; there are shuffled, uniform, reversed, sorted, "
                     "few, almost-sorted and organ-pipe",
                     pattern);
}

static int make_numbers(const app_view_wish *w, app_trace_input *in)
{
    bool sorts = strcmp(w->first->operation, "sort") == 0;
    size_t n = w->count > 0 ? w->count : sorts ? KEYS : FEW;
    if (n > MOST_MADE) {
        return app_fail("%zu numbers are too many to watch; %d are the most", n, MOST_MADE);
    }
    if (sorts || w->pattern != NULL) {
        return make_keys(in, w->pattern != NULL ? w->pattern : "shuffled", n);
    }
    uint64_t state = 88172645463325252u;
    int status = APP_OK;
    for (size_t i = 0; i < n && status == APP_OK; i++) {
        status = app_trace_input_add(in, next_random(&state, 9) + 1);
    }
    return status;
}

/* ---- graphs ---- */

static int take_graph(view_graph *g, size_t vertices, size_t arcs)
{
    *g = (view_graph){.vertices = vertices, .arcs = arcs};
    g->tail = calloc(arcs + 1, sizeof *g->tail);
    g->head = calloc(arcs + 1, sizeof *g->head);
    g->weight = calloc(arcs + 1, sizeof *g->weight);
    g->x = calloc(vertices + 1, sizeof *g->x);
    g->y = calloc(vertices + 1, sizeof *g->y);
    bool ok =
        g->tail != NULL && g->head != NULL && g->weight != NULL && g->x != NULL && g->y != NULL;
    return ok ? APP_OK : app_fail("out of memory");
}

void app_view_graph_free(view_graph *g)
{
    free(g->tail);
    free(g->head);
    free(g->weight);
    free(g->x);
    free(g->y);
    *g = (view_graph){0};
}

/* Arcs to numbers, as an explained form takes them. */
static int to_numbers(const view_graph *g, app_trace_input *in)
{
    int status = APP_OK;
    for (size_t k = 0; k < g->arcs && status == APP_OK; k++) {
        status = app_trace_input_add(in, g->tail[k]);
        status = status == APP_OK ? app_trace_input_add(in, g->head[k]) : status;
        status = status == APP_OK ? app_trace_input_add(in, g->weight[k]) : status;
    }
    return status;
}

static int from_numbers(view_graph *g, const app_trace_input *in)
{
    size_t arcs = in->count / 3, vertices = 0;
    for (size_t k = 0; k < 3 * arcs; k++) {
        if (k % 3 != 2 && in->values[k] >= vertices) {
            vertices = (size_t)in->values[k] + 1;
        }
    }
    if (vertices > in->count) {
        vertices = 0; /* the trace will refuse it, and say why */
    }
    int status = take_graph(g, vertices, arcs);
    for (size_t k = 0; k < arcs && status == APP_OK; k++) {
        g->tail[k] = in->values[3 * k];
        g->head[k] = in->values[3 * k + 1];
        g->weight[k] = in->values[3 * k + 2];
    }
    if (status == APP_OK && vertices > 0) {
        view_layout(g);
    }
    return status;
}

static void add_both_ways(view_graph *g, size_t a, size_t b, uint32_t weight)
{
    for (size_t way = 0; way < 2; way++) {
        g->tail[g->arcs] = (uint32_t)(way == 0 ? a : b);
        g->head[g->arcs] = (uint32_t)(way == 0 ? b : a);
        g->weight[g->arcs++] = weight;
    }
}

/* Streets: a grid whose crossings are a little out of place. */
static int make_grid(view_graph *g, size_t count)
{
    size_t wide = (size_t)lround(sqrt((double)count * 1.6)), high;
    wide = wide > 0 ? wide : 1;
    high = (count + wide - 1) / wide;
    int status = take_graph(g, wide * high, 4 * wide * high);
    uint64_t state = UINT64_C(0x2545f4914f6cdd1d);
    g->arcs = 0;
    for (size_t v = 0; status == APP_OK && v < wide * high; v++) {
        size_t x = v % wide, y = v / wide;
        g->x[v] = (float)x + 0.005F * ((float)next_random(&state, 100) - 50);
        g->y[v] = (float)y + 0.005F * ((float)next_random(&state, 100) - 50);
        if (x + 1 < wide) {
            add_both_ways(g, v, v + 1, next_random(&state, 9) + 1);
        }
        if (y + 1 < high) {
            add_both_ways(g, v, v + wide, next_random(&state, 9) + 1);
        }
    }
    if (status == APP_OK) {
        view_layout_fit(g);
    }
    return status;
}

static int copy_file_graph(view_graph *g, const io_graph *from, const char *name)
{
    if (from->weight != NULL && from->weight_type != UPSWEEP_U32) {
        return app_fail("%s: its weights are not all whole numbers below 2^32, which an explained "
                        "form takes",
                        name);
    }
    int status = take_graph(g, from->vertices, from->arcs);
    for (size_t k = 0; k < from->arcs && status == APP_OK; k++) {
        g->tail[k] = from->tail[k];
        g->head[k] = from->head[k];
        g->weight[k] = from->weight != NULL ? ((const uint32_t *)from->weight)[k] : 1;
    }
    for (size_t v = 0; from->x != NULL && v < from->vertices && status == APP_OK; v++) {
        g->x[v] = (float)(from->x[v] - from->x[0]);
        g->y[v] = (float)(from->y[0] - from->y[v]);
    }
    if (status == APP_OK && from->x != NULL) {
        view_layout_fit(g);
    } else if (status == APP_OK) {
        view_layout(g);
    }
    return status;
}

static int read_graph(const app_view_wish *w, view_graph *g)
{
    io_graph file;
    io_error error;
    io_graph_options options = {.threads = 1};
    bool ok = io_graph_read(&file, w->graph, &options, &error) &&
              (w->places == NULL || io_graph_read_places(&file, w->places, 1, &error));
    int status = ok ? APP_OK : app_fail("%s", error.text);
    if (ok && (!io_graph_both_ways(&file) || !io_graph_to_list(&file))) {
        status = app_fail("out of memory");
    }
    if (status == APP_OK) {
        status = copy_file_graph(g, &file, w->graph);
    }
    io_graph_free(&file);
    return status;
}

/* ---- the whole ---- */

int app_view_input(const app_view_wish *w, app_trace_input *in, view_graph *graph)
{
    bool paths = is_paths(w->first), typed = w->word_count > 0 || w->example;
    in->most = paths ? 0 : MOST_MADE;
    if (w->pattern != NULL && check_pattern(w->pattern) != APP_OK) {
        return APP_ERROR;
    }
    if (w->graph != NULL && !paths) {
        return app_fail("a graph is for algorithms of paths; %s takes %s", w->first->name,
                        w->first->input);
    }
    if (paths && (w->graph != NULL || (!typed && w->file == NULL))) {
        size_t count = w->count > 0 ? w->count : VERTICES;
        int status = count > MOST_MADE  ? app_fail("%zu vertices are too many to watch", count)
                     : w->graph != NULL ? read_graph(w, graph)
                                        : make_grid(graph, count);
        return status == APP_OK ? to_numbers(graph, in) : status;
    }
    int status = w->file != NULL ? app_trace_input_file(in, w->file)
                 : typed         ? app_trace_input_read(in, w->first, w->words, w->word_count)
                                 : make_numbers(w, in);
    return status == APP_OK && paths ? from_numbers(graph, in) : status;
}
