/* path.c - shortest paths on a GPU: the graph's copy there, and the queries.
 *
 * The copy is made by the first query on a device, belongs to the graph, and lasts as long. It is
 * never changed, so that handles of several threads share it; two that make it at the same time
 * keep the one that is there first. */
/* SPDX-License-Identifier: MIT */
#include "calls/on_gpu/path.h"
#include "core/check.h"
#include "cpu/paths/contract.h"
#include "calls/on_gpu/on_gpu.h"
#include "core/paths.h"

#include <math.h>

/* ---- the graph in device memory ---- */

enum { ROWS_AT_ONCE = 1 << 16 };

static size_t bytes_of_rows(const upsweep_graph *g)
{
    return (g->vertices + 1) * sizeof(uint64_t);
}

static size_t bytes_of_arcs(const upsweep_graph *g)
{
    return g->arcs * (g->arc32 != NULL ? sizeof(usw_arc) : sizeof(uint32_t));
}

size_t usw_gpu_graph_bytes(const upsweep_graph *g)
{
    return bytes_of_rows(g) + bytes_of_arcs(g) + (g->weight64 != NULL ? g->arcs * 8 : 0) + 8;
}

/* Rows as usw_gpu_net has them, some at a time. */
static upsweep_status upload_rows(usw_gpu_call *c, const upsweep_graph *g, uint64_t *to)
{
    uint64_t *some = usw_scratch(c->u, ROWS_AT_ONCE * sizeof *some);
    upsweep_status status = UPSWEEP_OK;
    if (some == NULL) {
        return usw_fail(c->u, UPSWEEP_ERROR_MEMORY, "no scratch for the graph's rows");
    }
    for (size_t v = 0; v <= g->vertices && status == UPSWEEP_OK; v += ROWS_AT_ONCE) {
        size_t count = usw_min(g->vertices + 1 - v, ROWS_AT_ONCE);
        for (size_t i = 0; i < count; i++) {
            uint64_t begin = g->begin[v + i];
            uint64_t arcs = v + i < g->vertices ? g->begin[v + i + 1] - begin : 0;
            some[i] = begin << USW_GPU_ROW_BITS | usw_min(arcs, USW_GPU_ROW_MOST);
        }
        status = c->p->upload(c->g, to + v, some, count * sizeof *some);
    }
    return status;
}

static upsweep_status upload(usw_gpu_call *c, const upsweep_graph *g, char *at)
{
    char *arcs = at + bytes_of_rows(g);
    uint64_t last;
    upsweep_status status = upload_rows(c, g, (uint64_t *)(void *)at);
    if (status == UPSWEEP_OK && g->weight64 != NULL) {
        status = c->p->upload(c->g, arcs, g->weight64, g->arcs * 8);
        arcs += g->arcs * 8;
    }
    if (status == UPSWEEP_OK) {
        const void *from = g->arc32 != NULL ? (const void *)g->arc32 : g->head;
        status = c->p->upload(c->g, arcs, from, bytes_of_arcs(g));
    }
    /* When this is here all of it is there, also for the streams of others. */
    return status == UPSWEEP_OK ? c->p->download(c->g, &last, at, sizeof last) : status;
}

/* *at: where the copy is; NULL in a plan. */
static upsweep_status copy_of(usw_gpu_call *c, const upsweep_graph *graph, void **at)
{
    upsweep_graph *g = (upsweep_graph *)(uintptr_t)graph; /* its copies are no part of its value */
    int device = c->p->device(c->g);
    *at = NULL;
    if (device >= USW_GRAPH_DEVICES || g->arcs >= UINT64_C(1) << (64 - USW_GPU_ROW_BITS)) {
        return usw_fail(c->u, UPSWEEP_ERROR_UNSUPPORTED, "cuda:%d takes no graph of %zu arcs",
                        device, g->arcs);
    }
    if (device >= 0) {
        *at = atomic_load(&g->on_device[device]);
    }
    if (device < 0 || *at != NULL) {
        return UPSWEEP_OK;
    }
    void *made = NULL;
    upsweep_status status = c->p->keep(c->g, usw_gpu_graph_bytes(g), &made);
    if (status != UPSWEEP_OK || made == NULL) {
        return status;
    }
    status = upload(c, g, made);
    if (status != UPSWEEP_OK) {
        c->p->drop(device, made);
        return status;
    }
    atomic_store(&g->plugin, c->p);
    void *none = NULL;
    if (!atomic_compare_exchange_strong(&g->on_device[device], &none, made)) {
        c->p->drop(device, made);
        made = none;
    }
    *at = made;
    return UPSWEEP_OK;
}

void usw_gpu_graph_drop(upsweep_graph *g)
{
    const usw_gpu_plugin *p = atomic_load(&g->plugin);
    for (int d = 0; p != NULL && d < USW_GRAPH_DEVICES; d++) {
        void *at = atomic_load(&g->on_device[d]);
        if (at != NULL) {
            p->drop(d, at);
        }
    }
}

static upsweep_status bring_graph(usw_gpu_call *c, const upsweep_graph *g, usw_gpu_net *net)
{
    void *at;
    upsweep_status status = copy_of(c, g, &at);
    char *arcs = at == NULL ? NULL : (char *)at + bytes_of_rows(g);
    bool wide = g->weight64 != NULL;
    *net = (usw_gpu_net){.vertices = g->vertices,
                         .arcs = g->arcs,
                         .weight_type = g->weight_type,
                         .row = at,
                         .arc = wide && at != NULL ? arcs + g->arcs * 8 : arcs,
                         .weight = wide ? arcs : NULL,
                         .weight_mean = g->weight_mean};
    return status;
}

/* ---- queries ---- */

upsweep_status usw_gpu_path_work(usw_gpu_call *c)
{
    usw_gpu_path_job *j = c->context;
    usw_gpu_path_query d = j->d;
    const char *name;
    const usw_gpu_path_form *form =
        usw_gpu_form_for(c, j->graph == NULL ? USW_MATRIX_PATHS : USW_PATHS, j->algorithm, &name);
    if (form == NULL) {
        return UPSWEEP_ERROR_UNSUPPORTED;
    }
    if (d.each && form->batch == NULL) {
        return usw_fail(c->u, UPSWEEP_ERROR_UNSUPPORTED, "%s takes one query at a time on a GPU",
                        name);
    }
    d.sources = c->arrays[USW_PATH_SOURCES].at;
    d.targets = c->arrays[USW_PATH_TARGETS].at;
    d.distance = c->arrays[USW_PATH_DISTANCE].at;
    d.parent = c->arrays[USW_PATH_PARENT].at;
    d.cutoffs = c->arrays[USW_PATH_CUTOFFS].at;
    upsweep_status status = UPSWEEP_OK;
    if (j->graph == NULL) {
        d.net.matrix = c->arrays[USW_PATH_MATRIX].at;
    } else {
        d.target_begin = c->arrays[USW_PATH_BEGIN].at;
        status = bring_graph(c, j->graph, &d.net);
    }
    usw_report(c->u, name, "%zu vertices and %zu arcs on the GPU", d.net.vertices, d.net.arcs);
    return status != UPSWEEP_OK ? status : d.each ? form->batch(c->g, &d) : form->search(c->g, &d);
}

/* From measurements (docs/numbers.md): on the CPU some nanoseconds an arc; on the GPU a hop takes
 * what it takes, and roads have about as many of them as vertices from side to side. */
void usw_gpu_path_predict(usw_gpu_call *c, const upsweep_graph *g, size_t queries)
{
    double n = (double)g->vertices, m = (double)g->arcs, count = (double)queries;
    double at_once = queries > 1 ? (double)usw_min(queries, c->u->threads) : 1;
    bool copied = false;
    for (int d = 0; d < USW_GRAPH_DEVICES; d++) {
        copied = copied || atomic_load(&g->on_device[d]) != NULL;
    }
    double cpu = m / (n + 1) < 8 ? 5 * m + (n > 2e5 ? 10 * n : 0) : 6 * m;
    if (g->contraction != NULL) {
        cpu = 2 * n + 8 * (double)g->contraction->core->arcs;
    }
    c->cpu_ns = count / at_once * cpu;
    double one = m / (n + 1) < 8 ? 4e3 * sqrt(n) : 3e5 + 0.05 * m;
    c->gpu_ns = queries > 1 ? one + count * one / 60 : one;
    c->gpu_ns += copied ? 0 : (double)usw_gpu_graph_bytes(g) / 10;
}

static usw_gpu_path_query query_of(const usw_path_query *q, uint32_t *parent)
{
    usw_gpu_path_query d = {.sources = q->sources,
                            .targets = q->target_count > 0 ? q->targets : NULL,
                            .source_count = q->source_count,
                            .target_count = q->target_count,
                            .has_cutoff = q->cutoff != NULL,
                            .distance = q->distance,
                            .parent = parent};
    return d;
}

static uint64_t one_distance(upsweep_type type, const void *at)
{
    uint64_t bits = 0;
    if (at != NULL) {
        memcpy(&bits, at, upsweep_type_bytes(type) == 8 ? 8 : 4);
    }
    return bits;
}

bool usw_gpu_path_may_overflow(const upsweep_graph *g)
{
    double longest = (g->weight_type == 0 ? 1 : g->weight_max) * (double)g->vertices;
    double most = g->weight_type == UPSWEEP_U64   ? 0x1p63
                  : g->weight_type == UPSWEEP_F32 ? 0x1p126
                  : g->weight_type == UPSWEEP_F64 ? 0x1p1022
                                                  : 0x1p31;
    return !(longest < most);
}

bool usw_gpu_paths(upsweep *u, const usw_path_query *q, const char *algorithm, double delta,
                   uint32_t *parent, upsweep_status *status)
{
    const upsweep_graph *g = q->graph;
    size_t n = g->vertices, bytes = upsweep_type_bytes(g->weight_type) == 8 ? 8 : 4;
    if (n == 0) {
        return false;
    }
    usw_gpu_path_job j = {.graph = g, .d = query_of(q, parent), .algorithm = algorithm};
    j.d.cutoff = one_distance(g->weight_type, q->cutoff);
    j.d.delta = delta;
    j.d.may_overflow = usw_gpu_path_may_overflow(g);
    usw_gpu_array arrays[USW_PATH_ARRAYS] = {
        [USW_PATH_SOURCES] = usw_gpu_in("sources", q->source_count > 0 ? q->sources : NULL,
                                        q->source_count * sizeof(uint32_t)),
        [USW_PATH_TARGETS] = usw_gpu_in("targets", j.d.targets, q->target_count * sizeof(uint32_t)),
        [USW_PATH_DISTANCE] = usw_gpu_out("distance", q->distance, n * bytes),
        [USW_PATH_PARENT] = usw_gpu_out("parent", parent, n * sizeof(uint32_t))};
    usw_gpu_call c = {.u = u,
                      .arrays = arrays,
                      .count = USW_PATH_ARRAYS,
                      .work = usw_gpu_path_work,
                      .context = &j};
    c.risks[0] = (usw_gpu_risk){USW_FAULT_DISTANCE, 8 * bytes};
    usw_gpu_path_predict(&c, g, 1);
    return usw_gpu_run(&c, status);
}

/* ---- a matrix ---- */

/* The CPU says which weight it is. */
static void say_weight(upsweep *u, const usw_dense_query *d, uint64_t at)
{
    double w = d->type == UPSWEEP_F32 ? (double)((const float *)d->matrix)[at]
                                      : ((const double *)d->matrix)[at];
    usw_say(u, USW_SAY_WEIGHT, (size_t)(at / d->n), (size_t)(at % d->n), w);
}

bool usw_gpu_paths_dense(upsweep *u, const usw_dense_query *q, const char *algorithm,
                         uint32_t *parent, upsweep_status *status)
{
    size_t n = q->n, bytes = upsweep_type_bytes(q->type);
    if (n == 0) {
        return false;
    }
    usw_gpu_path_job j = {.d = query_of(&q->q, parent), .algorithm = algorithm};
    j.d.cutoff = one_distance(q->type, q->q.cutoff);
    j.d.may_overflow = true;
    j.d.net = (usw_gpu_net){.vertices = n, .arcs = n * n, .weight_type = q->type};
    usw_gpu_array arrays[USW_PATH_ARRAYS] = {
        [USW_PATH_SOURCES] = usw_gpu_in("sources", q->q.source_count > 0 ? q->q.sources : NULL,
                                        q->q.source_count * sizeof(uint32_t)),
        [USW_PATH_TARGETS] =
            usw_gpu_in("targets", j.d.targets, q->q.target_count * sizeof(uint32_t)),
        [USW_PATH_DISTANCE] = usw_gpu_out("distance", q->q.distance, n * bytes),
        [USW_PATH_PARENT] = usw_gpu_out("parent", parent, n * sizeof(uint32_t)),
        [USW_PATH_MATRIX] = usw_gpu_in("matrix", q->matrix, n * n * bytes)};
    usw_gpu_call c = {.u = u,
                      .arrays = arrays,
                      .count = USW_PATH_ARRAYS,
                      .work = usw_gpu_path_work,
                      .context = &j};
    c.risks[0] = (usw_gpu_risk){USW_FAULT_DISTANCE, 8 * bytes};
    c.risks[1] = (usw_gpu_risk){USW_FAULT_WEIGHT, n};
    c.cpu_ns = 0.8 * (double)n * (double)n;
    c.gpu_ns = 8e3 * (double)n;
    bool done = usw_gpu_run(&c, status);
    if (done && *status == UPSWEEP_ERROR_RANGE && c.fault.code == USW_FAULT_WEIGHT &&
        arrays[USW_PATH_MATRIX].on_host) {
        say_weight(u, q, c.fault.position);
    }
    return done;
}
