/* path_rows.c - shortest paths from many sources on a GPU, wave after wave of rows. */
/* SPDX-License-Identifier: MIT */
#include "calls/on_gpu/on_gpu.h"
#include "calls/on_gpu/path.h"
#include "cpu/paths/many_sources.h"

/* Rows of a wave: in device memory, and in the host's on their way to a sink. */
enum { WAVE_BYTES = 1 << 30, SINK_BYTES = 64 << 20, WAVE_MOST = 4096 };

static size_t wave_of(const usw_path_batch *b, size_t bytes, size_t columns)
{
    size_t row = columns * (b->distance_bytes + (b->parents ? 4 : 0)) + 1;
    return usw_max(usw_min(bytes / row, WAVE_MOST), 1);
}

/* Sources begin .. begin + count - 1 into these arrays. decided: as in usw_gpu_call. */
static bool run_wave(usw_path_batch *b, size_t begin, size_t count, void *distance,
                     uint32_t *parent, bool decided, upsweep_status *status)
{
    const upsweep_batch_options *o = &b->o;
    size_t cells = usw_path_row_begin(b, begin + count - 1) +
                   usw_path_columns(b, begin + count - 1) - usw_path_row_begin(b, begin);
    size_t first = o->target_begin != NULL ? (size_t)o->target_begin[begin] : 0;
    size_t targets = o->target_begin != NULL ? cells : o->target_count;
    const unsigned char *cutoffs = o->cutoffs;
    usw_gpu_path_job j = {.graph = b->graph, .algorithm = o->algorithm};
    j.d = (usw_gpu_path_query){.source_count = count,
                               .target_count = o->target_begin != NULL ? 0 : targets,
                               .each = true,
                               .has_cutoff = o->cutoff != NULL,
                               .may_overflow = usw_gpu_path_may_overflow(b->graph),
                               .delta = b->delta};
    if (o->cutoff != NULL) {
        memcpy(&j.d.cutoff, o->cutoff, b->distance_bytes);
    }
    usw_gpu_array arrays[USW_PATH_ARRAYS] = {
        [USW_PATH_SOURCES] = usw_gpu_in("sources", b->sources + begin, count * sizeof *b->sources),
        [USW_PATH_TARGETS] =
            usw_gpu_in("targets", targets > 0 ? o->targets + first : NULL, targets * 4),
        [USW_PATH_DISTANCE] = usw_gpu_out("distance", distance, cells * b->distance_bytes),
        [USW_PATH_PARENT] = usw_gpu_out("parent", parent, cells * 4),
        [USW_PATH_BEGIN] =
            usw_gpu_in("target_begin", o->target_begin == NULL ? NULL : o->target_begin + begin,
                       (count + 1) * 8),
        [USW_PATH_CUTOFFS] =
            usw_gpu_in("cutoffs", cutoffs == NULL ? NULL : cutoffs + begin * b->distance_bytes,
                       count * b->distance_bytes)};
    usw_gpu_call c = {.u = b->u,
                      .arrays = arrays,
                      .count = USW_PATH_ARRAYS,
                      .work = usw_gpu_path_work,
                      .context = &j,
                      .on_gpu = decided};
    c.risks[0] = (usw_gpu_risk){USW_FAULT_DISTANCE, 8 * b->distance_bytes};
    usw_gpu_path_predict(&c, b->graph, b->source_count);
    return usw_gpu_run(&c, status);
}

bool usw_gpu_path_matrix(usw_path_batch *b, upsweep_status *status)
{
    size_t wave = wave_of(b, WAVE_BYTES, b->graph->vertices);
    *status = UPSWEEP_OK;
    for (size_t s = 0; s < b->source_count && *status == UPSWEEP_OK; s += wave) {
        size_t at = usw_path_row_begin(b, s);
        if (!run_wave(b, s, usw_min(wave, b->source_count - s), b->rows + at * b->distance_bytes,
                      b->parent_rows == NULL ? NULL : b->parent_rows + at, s > 0, status)) {
            return false;
        }
    }
    return true;
}

/* ---- rows to a sink ---- */

/* Rows in the host's memory; vertex: room for a row of what is reached. */
typedef struct wave_rows {
    unsigned char *distance;
    uint32_t *parent, *vertex;
} wave_rows;

/* Leaves only the columns that are reached, and their vertices. */
static size_t keep_reached(const usw_path_batch *b, unsigned char *distance, uint32_t *parent,
                           uint32_t *vertex)
{
    size_t kept = 0;
    for (size_t v = 0; v < b->graph->vertices; v++) {
        if (usw_distance_is_set(b->graph, distance, v)) {
            memmove(distance + kept * b->distance_bytes, distance + v * b->distance_bytes,
                    b->distance_bytes);
            if (parent != NULL) {
                parent[kept] = parent[v];
            }
            vertex[kept++] = (uint32_t)v;
        }
    }
    return kept;
}

static bool give_row(const usw_path_batch *b, const wave_rows *w, size_t first, size_t s,
                     upsweep_path_sink sink, void *context)
{
    const upsweep_batch_options *o = &b->o;
    size_t at = usw_path_row_begin(b, s) - usw_path_row_begin(b, first);
    upsweep_path_row row = {.number = s,
                            .source = b->sources[s],
                            .count = usw_path_columns(b, s),
                            .distance = w->distance + at * b->distance_bytes,
                            .parent = w->parent == NULL ? NULL : w->parent + at};
    row.vertex = o->target_begin != NULL ? o->targets + o->target_begin[s]
                 : o->target_count > 0   ? o->targets
                                         : NULL;
    if ((o->flags & UPSWEEP_PATHS_REACHED) != 0) {
        row.count = keep_reached(b, w->distance + at * b->distance_bytes,
                                 w->parent == NULL ? NULL : w->parent + at, w->vertex);
        row.vertex = w->vertex;
    }
    return sink(context, &row) == 0;
}

bool usw_gpu_path_batch(usw_path_batch *b, upsweep_path_sink sink, void *context,
                        upsweep_status *status)
{
    size_t n = b->graph->vertices, columns = 1;
    for (size_t s = 0; s < (b->o.target_begin == NULL ? 1 : b->source_count); s++) {
        columns = usw_max(columns, usw_path_columns(b, s));
    }
    size_t wave = usw_min(wave_of(b, WAVE_BYTES, n), wave_of(b, SINK_BYTES, columns));
    wave = usw_min(wave, b->source_count);
    wave_rows w = {.distance = usw_scratch(b->u, wave * columns * b->distance_bytes)};
    w.parent = b->parents ? usw_scratch(b->u, wave * columns * sizeof *w.parent) : NULL;
    w.vertex = usw_scratch(b->u, n * sizeof *w.vertex);
    if (w.distance == NULL || w.vertex == NULL || (b->parents && w.parent == NULL)) {
        *status =
            usw_fail(b->u, UPSWEEP_ERROR_MEMORY, "no scratch for rows of %zu columns", columns);
        return true;
    }
    bool goes_on = true;
    *status = UPSWEEP_OK;
    for (size_t s = 0; s < b->source_count && *status == UPSWEEP_OK && goes_on; s += wave) {
        size_t count = usw_min(wave, b->source_count - s);
        if (!run_wave(b, s, count, w.distance, w.parent, s > 0, status)) {
            return false;
        }
        bool rows = *status == UPSWEEP_OK && !usw_gpu_only_plans(b->u);
        for (size_t k = 0; k < count && rows && goes_on; k++) {
            goes_on = give_row(b, &w, s, s + k, sink, context);
        }
    }
    *status = *status == UPSWEEP_OK && !goes_on ? UPSWEEP_STOPPED : *status;
    return true;
}
