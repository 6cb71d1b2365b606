/* paths_batch.c - upsweep_paths_batch and upsweep_paths_matrix: checks, and rows in order. */
/* SPDX-License-Identifier: MIT */
#include "core/check.h"
#include "calls/on_gpu/on_gpu.h"
#include "cpu/paths/many_sources.h"

/* Rows are made in waves, and while one is made, the one before is given to the sink. A wave is
 * longer than there are threads, so that a long search does not keep the others waiting, as far
 * as its rows take little memory. */
enum { ROWS_A_LANE = 8, WAVE_BYTES = 16 << 20 };

static upsweep_status check_targets(upsweep *u, const usw_path_batch *b)
{
    const uint64_t *begin = b->o.target_begin;
    if (begin == NULL) {
        return usw_check_ids(u, "target", b->o.targets, b->o.target_count, b->graph->vertices);
    }
    for (size_t s = 0; s < b->source_count; s++) {
        if (begin[0] != 0 || begin[s + 1] < begin[s]) {
            return usw_fail(u, UPSWEEP_ERROR_RANGE,
                            "target_begin decreases at %zu or begins above 0", s + 1);
        }
    }
    return usw_check_ids(u, "target", b->o.targets,
                         b->source_count == 0 ? 0 : begin[b->source_count], b->graph->vertices);
}

static upsweep_status check(upsweep *u, usw_path_batch *b, const upsweep_batch_options *o,
                            unsigned flags)
{
    upsweep_status status = usw_check_graph(u, b->graph);
    if (status != UPSWEEP_OK) {
        return status;
    }
    if (o != NULL) {
        status = usw_take_struct_for(u, "options", &b->o, sizeof b->o, o, USW_BATCH_OPTIONS_FIRST);
        if (status != UPSWEEP_OK) {
            return status;
        }
        if (!(b->o.delta >= 0) || (b->o.flags & ~flags) != 0) {
            return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "delta is %g and the flags are 0x%x%s",
                            b->o.delta, b->o.flags, usw_flags_hint(b->o.flags & ~flags));
        }
    }
    if ((b->o.flags & UPSWEEP_PATHS_REACHED) != 0 &&
        (b->o.target_count > 0 || b->o.target_begin != NULL)) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT,
                        "rows of targets are not those of what is reached");
    }
    const void *const lists[] = {b->sources, b->o.targets, b->o.target_begin, b->o.cutoffs};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0] && status == UPSWEEP_OK; i++) {
        status = usw_gpu_refuse_list(u, lists[i], "sources, targets or cutoffs");
    }
    status = status != UPSWEEP_OK
                 ? status
                 : usw_check_ids(u, "source", b->sources, b->source_count, b->graph->vertices);
    status = status == UPSWEEP_OK ? check_targets(u, b) : status;
    b->form = status == UPSWEEP_OK ? usw_path_form_for(u, b->o.algorithm, &status) : NULL;
    b->delta = b->o.delta;
    b->o.delta = b->o.delta > 0 ? b->o.delta : usw_choose_delta(b->graph);
    size_t bytes = upsweep_type_bytes(b->graph->weight_type);
    b->distance_bytes = bytes == 0 ? 4 : bytes;
    b->u = u;
    return status;
}

static void report(const usw_path_batch *b)
{
    usw_report(b->u, usw_row_name(USW_PATHS, b->o.algorithm),
               "%zu sources, side by side on %zu threads", b->source_count, b->lanes);
}

/* ---- rows to a sink ---- */

typedef struct wave {
    usw_path_batch *b;
    usw_path_slot *slot;
    size_t begin, count;
    upsweep_path_sink sink;
    void *context;
    bool stopped;
} wave;

static void give_rows(void *context)
{
    wave *w = context;
    for (size_t i = 0; i < w->count && !w->stopped; i++) {
        const usw_path_batch *b = w->b;
        size_t s = w->begin + i;
        const uint32_t *targets = b->o.target_begin != NULL ? b->o.targets + b->o.target_begin[s]
                                  : b->o.target_count > 0   ? b->o.targets
                                                            : w->slot[i].vertex;
        upsweep_path_row row = {s,       b->sources[s],       w->slot[i].count,
                                targets, w->slot[i].distance, w->slot[i].parent};
        w->stopped = w->sink(w->context, &row) != 0;
    }
}

/* Room for a wave of rows of at most `columns` columns. */
static usw_path_slot *take_slots(usw_path_batch *b, size_t count, size_t columns)
{
    bool reached = (b->o.flags & UPSWEEP_PATHS_REACHED) != 0;
    usw_path_slot *slot = usw_scratch(b->u, count * sizeof *slot);
    for (size_t i = 0; slot != NULL && i < count; i++) {
        slot[i].distance = usw_scratch(b->u, columns * b->distance_bytes);
        slot[i].parent = b->parents ? usw_scratch(b->u, columns * sizeof(uint32_t)) : NULL;
        slot[i].vertex = reached ? usw_scratch(b->u, columns * sizeof(uint32_t)) : NULL;
        if (slot[i].distance == NULL || (b->parents && slot[i].parent == NULL) ||
            (reached && slot[i].vertex == NULL)) {
            return NULL;
        }
    }
    return slot;
}

static upsweep_status run_waves(usw_path_batch *b, upsweep_path_sink sink, void *context)
{
    size_t columns = b->graph->vertices, length = ROWS_A_LANE * b->lanes;
    for (size_t s = 0; b->o.target_begin != NULL && s < b->source_count; s++) {
        columns = s == 0 ? 0 : columns;
        columns = usw_max(columns, usw_path_columns(b, s));
    }
    columns = b->o.target_begin == NULL && b->o.target_count > 0 ? b->o.target_count : columns;
    length = usw_min(length, WAVE_BYTES / (columns * (b->distance_bytes + 8) + 1));
    length = usw_min(usw_max(length, b->lanes), b->source_count);
    usw_path_slot *slots[2] = {take_slots(b, length, columns), take_slots(b, length, columns)};
    b->done = usw_scratch(b->u, length);
    if (slots[0] == NULL || slots[1] == NULL || b->done == NULL) {
        return usw_fail(b->u, UPSWEEP_ERROR_MEMORY, "no scratch for rows of %zu columns", columns);
    }
    wave before = {.b = b, .sink = sink, .context = context};
    for (size_t begin = 0, turn = 0; begin < b->source_count; begin += length, turn++) {
        b->begin = begin;
        b->count = usw_min(length, b->source_count - begin);
        b->slot = slots[turn % 2];
        upsweep_status status = usw_path_lanes_run(b, give_rows, &before);
        if (status != UPSWEEP_OK || before.stopped) {
            return before.stopped ? UPSWEEP_STOPPED : status;
        }
        before.slot = b->slot;
        before.begin = begin;
        before.count = b->count;
    }
    give_rows(&before);
    return before.stopped ? UPSWEEP_STOPPED : UPSWEEP_OK;
}

upsweep_status upsweep_paths_batch(upsweep *u, const upsweep_graph *graph, const uint32_t *sources,
                                   size_t source_count, const upsweep_batch_options *options,
                                   upsweep_path_sink sink, void *context)
{
    usw_options none;
    upsweep_status status = usw_enter(u, NULL, 0, &none);
    if (status != UPSWEEP_OK) {
        return status;
    }
    usw_path_batch b = {.graph = graph, .sources = sources, .source_count = source_count};
    status = check(u, &b, options, UPSWEEP_PATHS_PARENTS | UPSWEEP_PATHS_REACHED);
    if (status == UPSWEEP_OK && sink == NULL) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "sink is NULL");
    }
    if (status == UPSWEEP_OK && source_count > 0) {
        b.parents = (b.o.flags & UPSWEEP_PATHS_PARENTS) != 0;
        bool done = usw_gpu_path_batch(&b, sink, context, &status);
        status = done ? status : usw_path_lanes_begin(&b);
        if (!done) {
            status = status == UPSWEEP_OK ? run_waves(&b, sink, context) : status;
            report(&b);
        }
        if (status == UPSWEEP_STOPPED) {
            status = usw_fail(u, status, "the sink asked to stop");
        }
    }
    return usw_leave(u, status);
}

/* ---- rows to the caller's arrays ---- */

static upsweep_status run_matrix(usw_path_batch *b)
{
    size_t cells = 0, bytes;
    if (b->o.target_begin == NULL &&
        (usw_mul_overflows(b->source_count, usw_path_columns(b, 0), &cells) ||
         usw_mul_overflows(cells, b->distance_bytes, &bytes))) {
        return usw_fail(b->u, UPSWEEP_ERROR_ARGUMENT, "%zu rows of %zu distances: not a size",
                        b->source_count, usw_path_columns(b, 0));
    }
    upsweep_status status = UPSWEEP_OK;
    if (usw_gpu_path_matrix(b, &status)) {
        return status;
    }
    status = usw_path_lanes_begin(b);
    b->done = usw_scratch(b->u, b->source_count);
    if (status != UPSWEEP_OK || b->done == NULL) {
        return status != UPSWEEP_OK ? status
                                    : usw_fail(b->u, UPSWEEP_ERROR_MEMORY,
                                               "no scratch for %zu sources", b->source_count);
    }
    b->count = b->source_count;
    status = usw_path_lanes_run(b, NULL, NULL);
    report(b);
    return status;
}

upsweep_status upsweep_paths_matrix(upsweep *u, const upsweep_graph *graph, const uint32_t *sources,
                                    size_t source_count, const upsweep_batch_options *options,
                                    void *distance, uint32_t *parent)
{
    usw_options none;
    upsweep_status status = usw_enter(u, NULL, 0, &none);
    if (status != UPSWEEP_OK) {
        return status;
    }
    usw_path_batch b = {.graph = graph,
                        .sources = sources,
                        .source_count = source_count,
                        .parents = parent != NULL,
                        .rows = distance,
                        .parent_rows = parent};
    status = usw_check_place(u, distance, "distance");
    status = status == UPSWEEP_OK ? usw_check_place(u, parent, "parent") : status;
    status = status == UPSWEEP_OK ? check(u, &b, options, 0) : status;
    bool cells =
        status == UPSWEEP_OK && source_count > 0 &&
        usw_path_row_begin(&b, source_count - 1) + usw_path_columns(&b, source_count - 1) > 0;
    if (cells && distance == NULL) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "distance is NULL");
    }
    status = status == UPSWEEP_OK && cells ? run_matrix(&b) : status;
    return usw_leave(u, status);
}
