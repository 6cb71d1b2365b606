/* api_paths.c - upsweep_paths: checks the query, chooses the width of a bucket, runs the form. */
#include "paths.h"

/* Measured flat between a quarter and four times this: on graphs of few arcs a vertex a bucket as
 * wide as a few arcs keeps it filled; with many arcs a vertex narrow buckets save relaxing
 * twice. */
static double choose_delta(const upsweep_graph *g)
{
    double degree = g->vertices == 0 ? 0 : (double)g->arcs / (double)g->vertices;
    double mean = g->weight_type == 0 ? 1 : g->weight_mean;
    double delta = degree < 8 ? mean / 4 : mean / degree;
    return delta > 0 ? delta : 1;
}

static upsweep_status check_ids(upsweep *u, const char *what, const uint32_t *ids, size_t count,
                                size_t vertices)
{
    if (count > 0 && ids == NULL) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "the %ss are NULL", what);
    }
    for (size_t i = 0; i < count; i++) {
        if (ids[i] >= vertices) {
            return usw_fail(u, UPSWEEP_ERROR_RANGE, "%s %zu is vertex %u, but there are %zu", what,
                            i, ids[i], vertices);
        }
    }
    return UPSWEEP_OK;
}

static upsweep_status check_options(upsweep *u, const upsweep_graph *g,
                                    const upsweep_path_options *o)
{
    if (o->size != 0 && o->size < sizeof *o) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "options.size is %zu, not %zu", o->size,
                        sizeof *o);
    }
    if (o->algorithm != NULL && strcmp(o->algorithm, "path/bucket") != 0) {
        return usw_fail(u, UPSWEEP_ERROR_ALGORITHM, "no path algorithm is called '%.60s'",
                        o->algorithm);
    }
    if (!(o->delta >= 0)) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "delta is %g", o->delta);
    }
    return check_ids(u, "target", o->targets, o->target_count, g->vertices);
}

static upsweep_status run(upsweep *u, const usw_path_query *q, uint32_t *parent)
{
    const usw_path_form *form = USW_PICK(u->isa, usw_path_bucket_cpu);
    usw_report(u, "path/bucket", "one query: a queue of buckets of width %g", q->delta);
    upsweep_status status = form->run(u, q);
    return status == UPSWEEP_OK && parent != NULL ? form->parents(u, q, parent) : status;
}

upsweep_status upsweep_paths(upsweep *u, const upsweep_graph *graph, const uint32_t *sources,
                             size_t source_count, void *distance, uint32_t *parent,
                             const upsweep_path_options *options)
{
    usw_options none;
    upsweep_status status = usw_enter(u, NULL, 0, &none);
    if (status != UPSWEEP_OK) {
        return status;
    }
    upsweep_path_options o = {0};
    if (graph == NULL || (graph->vertices > 0 && distance == NULL)) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "graph or distance is NULL");
    } else {
        o = options == NULL ? o : *options;
        status = check_options(u, graph, &o);
    }
    if (status == UPSWEEP_OK) {
        status = check_ids(u, "source", sources, source_count, graph->vertices);
    }
    if (status == UPSWEEP_OK) {
        double delta = o.delta > 0 ? o.delta : choose_delta(graph);
        usw_path_query q = {graph,          sources,  o.targets, source_count,
                            o.target_count, distance, o.cutoff,  delta};
        status = run(u, &q, parent);
    }
    return usw_leave(u, status);
}

upsweep_status upsweep_path_of(const uint32_t *parent, size_t vertex_count, uint32_t target,
                               uint32_t *path, size_t *length)
{
    if (parent == NULL || path == NULL || length == NULL || target >= vertex_count) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    size_t count = 0, room = *length;
    for (uint32_t v = target; v != UPSWEEP_NO_VERTEX; v = parent[v]) {
        if (v >= vertex_count || count == vertex_count) {
            return UPSWEEP_ERROR_RANGE;
        }
        if (count == room) {
            return UPSWEEP_ERROR_ARGUMENT;
        }
        path[count++] = v;
    }
    for (size_t i = 0; i < count / 2; i++) {
        uint32_t v = path[i];
        path[i] = path[count - 1 - i];
        path[count - 1 - i] = v;
    }
    *length = count;
    return UPSWEEP_OK;
}
