/* library_jobs.c - the graph is a ring of RING vertices in which arc v -> v + 1 weighs v % 5 +
 * 1, so that a distance is a plain sum; traces and films sort numbers that are given in falling
 * order. */
/* SPDX-License-Identifier: MIT */
#include "test/failures/library_jobs.h"

#include <stdint.h>
#include <string.h>

enum { RING = 300, MATRIX = 20, NUMBERS = 64 };

static uint64_t ring_distance(uint32_t from, uint32_t to)
{
    uint64_t sum = 0;
    for (uint32_t v = from; v != to; v = (v + 1) % RING) {
        sum += v % 5 + 1;
    }
    return sum;
}

static upsweep_status make_ring(upsweep *u, upsweep_type type, unsigned flags,
                                upsweep_graph **graph)
{
    static uint32_t tail[RING], head[RING], narrow[RING];
    static int64_t wide[RING];
    for (uint32_t v = 0; v < RING; v++) {
        tail[v] = v;
        head[v] = (v + 1) % RING;
        narrow[v] = v % 5 + 1;
        wide[v] = v % 5 + 1;
    }
    return upsweep_graph_from_arcs(u, RING, RING, tail, head,
                                   type == UPSWEEP_U32 ? (const void *)narrow : wide, type, flags,
                                   graph);
}

static bool is_ring_u32(const uint32_t *distance, uint32_t from)
{
    for (uint32_t v = 0; v < RING; v++) {
        if (distance[v] != ring_distance(from, v)) {
            return false;
        }
    }
    return true;
}

static upsweep_status run_paths(upsweep *u, const char **wrong)
{
    static uint32_t distance[RING], parent[RING], path[RING];
    const uint32_t source = 7;
    upsweep_graph *graph = NULL;
    upsweep_status status = make_ring(u, UPSWEEP_U32, 0, &graph);
    if (status != UPSWEEP_OK) {
        *wrong = graph == NULL ? NULL : "a graph was given after an error";
        return status;
    }
    upsweep_graph_info info = UPSWEEP_GRAPH_INFO_INIT;
    upsweep_graph_describe(graph, &info);
    status = upsweep_paths(u, graph, &source, 1, distance, parent, NULL);
    upsweep_graph_free(graph);
    size_t length = RING;
    if (status == UPSWEEP_OK &&
        (info.arcs != RING || !is_ring_u32(distance, source) || parent[8] != 7 ||
         upsweep_path_of(parent, RING, 10, path, &length) != UPSWEEP_OK || length != 4)) {
        *wrong = "a distance or a path is wrong";
    }
    return status;
}

static upsweep_status run_dijkstra(upsweep *u, const char **wrong)
{
    static uint64_t distance[RING];
    const uint32_t sources[] = {0, 150}, target = 10;
    upsweep_path_options options = {.size = sizeof options,
                                    .algorithm = "path/dijkstra",
                                    .targets = &target,
                                    .target_count = 1};
    upsweep_graph *graph = NULL;
    upsweep_status status = make_ring(u, UPSWEEP_U64, UPSWEEP_GRAPH_UNDIRECTED, &graph);
    if (status == UPSWEEP_OK) {
        status = upsweep_paths(u, graph, sources, 2, distance, NULL, &options);
    }
    upsweep_graph_free(graph);
    *wrong = status == UPSWEEP_OK && distance[10] != ring_distance(0, 10) ? "a distance" : NULL;
    return status;
}

static upsweep_status run_from_rows(upsweep *u, const char **wrong)
{
    static uint64_t begin[RING + 1];
    static uint32_t head[RING], distance[RING];
    for (uint32_t v = 0; v < RING; v++) {
        begin[v + 1] = v + 1;
        head[v] = (v + 1) % RING;
    }
    const uint32_t source = 0;
    upsweep_graph *graph = NULL;
    upsweep_status status = upsweep_graph_from_rows(u, RING, begin, head, NULL, 0, 0, &graph);
    if (status == UPSWEEP_OK) {
        status = upsweep_paths(u, graph, &source, 1, distance, NULL, NULL);
    }
    upsweep_graph_free(graph);
    *wrong = status == UPSWEEP_OK && distance[RING - 1] != RING - 1 ? "a distance" : NULL;
    return status;
}

static upsweep_status run_bellman_ford(upsweep *u, const char **wrong)
{
    static int64_t distance[RING];
    static uint32_t parent[RING];
    const uint32_t source = 1;
    size_t length = 0;
    upsweep_graph *graph = NULL;
    upsweep_status status = make_ring(u, UPSWEEP_I64, UPSWEEP_GRAPH_NEGATIVE, &graph);
    if (status == UPSWEEP_OK) {
        status = upsweep_bellman_ford(u, graph, &source, 1, distance, parent, NULL, &length);
    }
    upsweep_graph_free(graph);
    *wrong = status == UPSWEEP_OK && (uint64_t)distance[0] != ring_distance(1, 0) ? "0" : NULL;
    return status;
}

static upsweep_status run_dense(upsweep *u, const char **wrong)
{
    static uint32_t matrix[MATRIX * MATRIX], distance[MATRIX], parent[MATRIX];
    memset(matrix, 0xff, sizeof matrix);
    for (uint32_t v = 0; v + 1 < MATRIX; v++) {
        matrix[v * MATRIX + v + 1] = 3;
    }
    const uint32_t source = 0;
    upsweep_status status =
        upsweep_paths_dense(u, matrix, MATRIX, UPSWEEP_U32, &source, 1, distance, parent, NULL);
    *wrong = status == UPSWEEP_OK && distance[MATRIX - 1] != 3 * (MATRIX - 1) ? "dense" : NULL;
    return status;
}

static int count_row(void *context, const upsweep_path_row *row)
{
    size_t *good = context;
    *good += row->count == RING && row->parent != NULL && is_ring_u32(row->distance, row->source) &&
             row->parent[row->source] == UINT32_MAX;
    return 0;
}

static const uint32_t many[] = {5, 250, 0, 77, 120, 8, 9, 10};
enum { MANY = sizeof many / sizeof *many };

static upsweep_status run_batch(upsweep *u, const char **wrong)
{
    size_t good = 0;
    upsweep_batch_options options = {.size = sizeof options, .flags = UPSWEEP_PATHS_PARENTS};
    upsweep_graph *graph = NULL;
    upsweep_status status = make_ring(u, UPSWEEP_U32, 0, &graph);
    if (status == UPSWEEP_OK) {
        status = upsweep_paths_batch(u, graph, many, MANY, &options, count_row, &good);
    }
    upsweep_graph_free(graph);
    *wrong = status == UPSWEEP_OK && good != MANY ? "a row is wrong or lacks" : NULL;
    return status;
}

static upsweep_status run_matrix(upsweep *u, const char **wrong)
{
    static uint32_t distance[MANY * RING];
    upsweep_graph *graph = NULL;
    upsweep_status status = make_ring(u, UPSWEEP_U32, 0, &graph);
    if (status == UPSWEEP_OK) {
        status = upsweep_paths_matrix(u, graph, many, MANY, NULL, distance, NULL);
    }
    upsweep_graph_free(graph);
    for (size_t s = 0; s < MANY && status == UPSWEEP_OK; s++) {
        *wrong = is_ring_u32(distance + s * RING, many[s]) ? *wrong : "a row is wrong";
    }
    return status;
}

static int count_event(void *context, const upsweep_event *event)
{
    *(size_t *)context += event->kind == UPSWEEP_EVENT_END;
    return 0;
}

/* Every algorithm's explained form; those of sorts are checked. */
static upsweep_status run_traces(upsweep *u, const char **wrong)
{
    (void)u;
    for (size_t i = 0; i < upsweep_algorithm_count(); i++) {
        const upsweep_algorithm *a = upsweep_algorithm_at(i);
        bool is_sort = strcmp(a->operation, "sort") == 0;
        uint32_t values[NUMBERS], result[NUMBERS] = {0};
        size_t ends = 0, n = is_sort ? NUMBERS : 8;
        for (uint32_t v = 0; v < NUMBERS; v++) {
            values[v] = is_sort ? NUMBERS - v : v % 2;
        }
        upsweep_status status = upsweep_trace(a->name, values, n, result, count_event, &ends);
        if (status == UPSWEEP_ERROR_MEMORY) {
            return status;
        }
        if (is_sort && (status != UPSWEEP_OK || ends != 1 || result[0] != 1 ||
                        result[NUMBERS - 1] != NUMBERS)) {
            *wrong = a->name;
        }
    }
    return UPSWEEP_OK;
}

static upsweep_status run_film(upsweep *u, const char **wrong)
{
    uint32_t values[NUMBERS], last[NUMBERS] = {0};
    for (uint32_t v = 0; v < NUMBERS; v++) {
        values[v] = NUMBERS - v;
    }
    upsweep_film *film = NULL;
    size_t count = 0;
    upsweep_picture picture = UPSWEEP_PICTURE_INIT;
    upsweep_status status = upsweep_film_open(u, values, NUMBERS, UPSWEEP_U32, 1 << 20, &film);
    if (status == UPSWEEP_OK) {
        status = upsweep_sort(u, upsweep_film_array(film), NUMBERS, UPSWEEP_U32, NULL);
    }
    status = status == UPSWEEP_OK ? upsweep_film_count(film, &count) : status;
    status = status == UPSWEEP_OK ? upsweep_film_at(film, count - 1, &picture) : status;
    status = status == UPSWEEP_OK ? upsweep_film_read(film, count - 1, last) : status;
    upsweep_film_close(film);
    *wrong = status == UPSWEEP_OK && (last[0] != 1 || last[NUMBERS - 1] != NUMBERS) ? "film" : NULL;
    return status;
}

static upsweep_status run_machine(upsweep *u, const char **wrong)
{
    upsweep_machine machine = UPSWEEP_MACHINE_INIT;
    upsweep_tuning tuning = UPSWEEP_TUNING_INIT;
    char path[100];
    upsweep_describe_machine(&machine);
    size_t length = upsweep_tuning_path(path, sizeof path);
    upsweep_status status = upsweep_get_tuning(u, &tuning);
    status = status == UPSWEEP_OK ? upsweep_set_tuning(u, &tuning) : status;
    *wrong = machine.cores == 0 || machine.cpu[0] == '\0' || length == 0 ? "the machine" : NULL;
    return status;
}

static upsweep_status run_reserve(upsweep *u, const char **wrong)
{
    upsweep_report report = UPSWEEP_REPORT_INIT;
    upsweep_status status = upsweep_reserve(u, 1 << 20);
    status = status == UPSWEEP_OK ? upsweep_explain_choice(u, 1 << 20, UPSWEEP_U32, NULL, &report)
                                  : status;
    *wrong = status == UPSWEEP_OK && strncmp(report.algorithm, "sort/", 5) != 0 ? "choice" : NULL;
    upsweep_trim(u);
    return status == UPSWEEP_OK ? upsweep_wait(u) : status;
}

const library_job library_jobs[] = {{"paths", false, run_paths},
                                    {"paths by dijkstra", false, run_dijkstra},
                                    {"graph from rows", false, run_from_rows},
                                    {"bellman_ford", false, run_bellman_ford},
                                    {"paths_dense", false, run_dense},
                                    {"paths_batch", false, run_batch},
                                    {"paths_matrix", false, run_matrix},
                                    {"trace of each algorithm", false, run_traces},
                                    {"film", true, run_film},
                                    {"describe_machine, tuning", false, run_machine},
                                    {"reserve, trim, wait", false, run_reserve},
                                    {NULL, false, NULL}};
