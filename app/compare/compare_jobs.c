/* compare_jobs.c - one input, and how a row of each operation is called on it. */
/* SPDX-License-Identifier: MIT */
#include "app/compare/compare.h"
#include "io/hash.h"
#include "io/memory.h"

#include <stdlib.h>
#include <string.h>

enum { DEGREE = 8, WEIGHT_MOST = 255 }; /* of the graphs whose paths are compared */

static size_t width(const compare_job *j)
{
    return upsweep_type_bytes(j->c->settings->common.type);
}

/* ---- what each operation is called with; work holds the input where it works in place ---- */

static upsweep_status run_sort(compare_job *j, upsweep *u, const upsweep_options *o)
{
    return upsweep_sort(u, j->work, j->n, j->c->settings->common.type, o);
}

static upsweep_status run_reduce(compare_job *j, upsweep *u, const upsweep_options *o)
{
    return upsweep_reduce(u, j->in, j->n, j->c->settings->common.type, UPSWEEP_SUM, j->work, o);
}

static upsweep_status run_scan(compare_job *j, upsweep *u, const upsweep_options *o)
{
    return upsweep_scan(u, j->in, j->work, j->n, j->c->settings->common.type, UPSWEEP_SUM, o);
}

static upsweep_status run_split(compare_job *j, upsweep *u, const upsweep_options *o)
{
    return upsweep_split(u, j->in, j->flags, j->work, j->n, width(j), NULL, o);
}

static const struct operation {
    const char *name, *says;
    upsweep_status (*run)(compare_job *j, upsweep *u, const upsweep_options *o); /* NULL: paths */
    bool in_place;
    double reads, writes, flag_bytes; /* of each element, at least */
} operations[] = {
    {"sort", "keys sorted in place", run_sort, true, 1, 1, 0},
    {"reduce", "the sum of all elements", run_reduce, false, 1, 0, 0},
    {"scan", "the sums of all prefixes", run_scan, false, 1, 1, 0},
    {"split", "elements parted by a random flag", run_split, false, 1, 1, 1},
    {"path",
     "distances from vertex 0 in a random graph, 8 arcs a vertex, both ways, weights 1..255", NULL,
     false, 0, 0, 0},
};

static const struct operation *operation_of(const char *name)
{
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++) {
        if (strcmp(operations[k].name, name) == 0) {
            return &operations[k];
        }
    }
    return NULL;
}

const char *compare_says(const char *operation)
{
    const struct operation *o = operation_of(operation);
    return o != NULL ? o->says : NULL;
}

double compare_bytes(const compare *c, size_t n)
{
    const struct operation *o = operation_of(c->operation);
    if (o->run == NULL) { /* every arc's head and weight, every row's begin, every distance */
        return (double)n * (2 * DEGREE * 8 + 8 + 4);
    }
    double element = (double)upsweep_type_bytes(c->settings->common.type);
    return (double)n * (element * (o->reads + o->writes) + o->flag_bytes);
}

/* ---- input ---- */

static uint64_t random_at(uint64_t seed, uint64_t i)
{
    uint64_t z = (seed ^ 0x5555555555555555u) + (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void make_arc(const compare *c, size_t n, size_t arc, uint32_t of[3])
{
    uint64_t random = random_at(c->settings->seed, arc);
    of[0] = (uint32_t)(arc / DEGREE);
    of[1] = (uint32_t)((random >> 32) * n >> 32);
    of[2] = 1 + (uint32_t)(random & 0xffffff) % WEIGHT_MOST;
}

static bool make_graph(compare_job *j, size_t device)
{
    size_t arcs = DEGREE * j->n;
    uint32_t *memory = malloc(3 * arcs * sizeof *memory);
    for (size_t k = 0; memory != NULL && k < arcs; k++) {
        uint32_t of[3];
        make_arc(j->c, j->n, k, of);
        memory[k] = of[0];
        memory[arcs + k] = of[1];
        memory[2 * arcs + k] = of[2];
    }
    bool ok = memory != NULL &&
              upsweep_graph_from_arcs(j->c->devices[device].u, j->n, arcs, memory, memory + arcs,
                                      memory + 2 * arcs, UPSWEEP_U32, UPSWEEP_GRAPH_UNDIRECTED,
                                      &j->graphs[device]) == UPSWEEP_OK;
    free(memory);
    return ok;
}

static bool begin_paths(compare_job *j)
{
    j->work_bytes = j->n * sizeof(uint32_t);
    j->work = io_memory_take(j->work_bytes);
    bool ok = j->work != NULL;
    for (size_t d = 0; d < j->c->device_count && ok; d++) {
        ok = make_graph(j, d);
    }
    return ok;
}

bool compare_job_begin(compare_job *j, const compare *c, size_t n)
{
    *j = (compare_job){.c = c, .n = n};
    if (operation_of(c->operation)->run == NULL) {
        return begin_paths(j);
    }
    j->in_bytes = n * width(j);
    j->work_bytes = j->in_bytes > sizeof(double) ? j->in_bytes : sizeof(double);
    j->in = io_memory_take(j->in_bytes);
    j->work = io_memory_take(j->work_bytes);
    j->flags = io_memory_take(n);
    if (j->in == NULL || j->work == NULL || j->flags == NULL) {
        return false;
    }
    app_pattern_fill(c->settings->pattern, c->settings->common.type, c->settings->seed, n, j->in);
    for (size_t i = 0; i < n; i++) {
        j->flags[i] = (unsigned char)(random_at(c->settings->seed + 1, i) & 1);
    }
    return true;
}

void compare_job_end(compare_job *j)
{
    io_memory_give(j->in, j->in_bytes);
    io_memory_give(j->work, j->work_bytes);
    io_memory_give(j->flags, j->n);
    for (size_t d = 0; d < COMPARE_DEVICES; d++) {
        upsweep_graph_free(j->graphs[d]);
    }
    *j = (compare_job){0};
}

void compare_job_restore(compare_job *j)
{
    const struct operation *o = operation_of(j->c->operation);
    if (o->in_place) {
        memcpy(j->work, j->in, j->in_bytes);
    } else {
        memset(j->work, 0, j->work_bytes);
    }
}

upsweep_status compare_job_run(compare_job *j, const compare_line *l)
{
    const struct operation *o = operation_of(j->c->operation);
    const upsweep_algorithm *a = j->c->rows[l->row];
    const char *name = a != NULL ? a->name : NULL;
    upsweep *u = j->c->devices[l->device].u;
    if (o->run != NULL) {
        upsweep_options options = {.size = sizeof options, .algorithm = name};
        return o->run(j, u, &options);
    }
    static const uint32_t source = 0;
    upsweep_path_options options = {.size = sizeof options, .algorithm = name};
    return upsweep_paths(u, j->graphs[l->device], &source, 1, j->work, NULL, &options);
}

uint64_t compare_job_hash(const compare_job *j)
{
    return io_hash(j->work, j->work_bytes);
}

uint32_t *compare_numbers(const compare *c, size_t n, size_t *count)
{
    bool paths = operation_of(c->operation)->run == NULL;
    size_t arcs = DEGREE * n;
    *count = paths ? 6 * arcs : n;
    uint32_t *values = malloc((*count + 1) * sizeof *values);
    if (values == NULL) {
        return NULL;
    }
    if (!paths) {
        app_pattern_fill(c->settings->pattern, UPSWEEP_U32, c->settings->seed, n, values);
        return values;
    }
    for (size_t k = 0; k < arcs; k++) {
        uint32_t *of = values + 6 * k;
        make_arc(c, n, k, of);
        of[3] = of[1];
        of[4] = of[0];
        of[5] = of[2];
    }
    return values;
}
