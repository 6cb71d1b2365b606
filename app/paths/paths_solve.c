/* paths_solve.c - asks the library and hands its answers on: many sources as a batch, which runs
 * them side by side; one at a time where more than distances is wanted of the answer. */
/* SPDX-License-Identifier: MIT */
#include "app/paths/plot.h"

#include <stdlib.h>

/* A picture shows all distances, so with one the query does not stop at its targets. */
static int solve(app_paths *p, const app_answer *a)
{
    const app_paths_settings *s = p->settings;
    if (s->input.negative) {
        int status = app_paths_negative(p, a);
        return status == APP_OK && s->verify ? app_paths_verify(p, a) : status;
    }
    bool stops = a->targets != NULL && s->plot == NULL;
    upsweep_path_options o = {.size = sizeof o,
                              .algorithm = s->common.algorithm,
                              .targets = stops ? a->targets : NULL,
                              .target_count = stops ? a->target_count : 0,
                              .cutoff = s->cutoff != NULL ? &p->cutoff : NULL,
                              .delta = s->delta};
    upsweep_status status = upsweep_paths(p->u, p->graph, a->sources, a->source_count,
                                          p->distance_room, p->parent_room, &o);
    if (status != UPSWEEP_OK) {
        return app_paths_fail(p, status);
    }
    return s->verify ? app_paths_verify(p, a) : APP_OK;
}

static app_answer query(const app_paths *p, size_t i)
{
    app_answer a = {p->sources + i, p->targets, 1, p->target_count, false};
    if (p->settings->nearest) {
        a.source_count = p->source_count;
    }
    if (p->pairs) {
        a.targets = p->targets + i;
        a.target_count = 1;
    }
    return a;
}

static bool prints(const app_paths_settings *s)
{
    return s->plot == NULL || s->format != NULL || s->common.output != NULL || s->summary ||
           s->target.count > 0 || s->target_file != NULL;
}

static int one_by_one(app_paths *p, io_progress *progress)
{
    size_t count = p->settings->nearest ? 1 : p->source_count;
    int status = APP_OK;
    for (size_t i = 0; i < count && status == APP_OK; i++) {
        app_answer a = query(p, i);
        status = solve(p, &a);
        if (status == APP_OK && p->settings->plot != NULL) {
            status = app_plot(p, &a);
        }
        if (status == APP_OK && prints(p->settings)) {
            status = app_paths_print(p, &a);
        }
        io_progress_step(progress, i + 1, count);
    }
    return status;
}

typedef struct batch {
    app_paths *p;
    io_progress *progress;
    int status;
} batch;

static int take_row(void *context, const upsweep_path_row *row)
{
    batch *b = context;
    app_answer a = query(b->p, row->number);
    a.by_column = a.targets != NULL;
    b->p->distance = row->distance;
    b->p->parent = row->parent;
    b->status = app_paths_print(b->p, &a);
    io_progress_step(b->progress, row->number + 1, b->p->source_count);
    return b->status;
}

static int as_batch(app_paths *p, io_progress *progress)
{
    const app_paths_settings *s = p->settings;
    batch b = {p, progress, APP_OK};
    upsweep_batch_options o = {.size = sizeof o,
                               .algorithm = s->common.algorithm,
                               .targets = p->targets,
                               .target_count = p->target_count,
                               .cutoff = s->cutoff != NULL ? &p->cutoff : NULL,
                               .delta = s->delta,
                               .flags = s->parents ? UPSWEEP_PATHS_PARENTS : 0};
    uint64_t *begin = p->pairs ? malloc((p->source_count + 1) * sizeof *begin) : NULL;
    if (p->pairs && begin == NULL) {
        return app_fail("no memory for %zu pairs", p->source_count);
    }
    for (size_t i = 0; p->pairs && i <= p->source_count; i++) {
        begin[i] = i;
    }
    o.target_begin = begin;
    upsweep_status status =
        upsweep_paths_batch(p->u, p->graph, p->sources, p->source_count, &o, take_row, &b);
    free(begin);
    if (status != UPSWEEP_OK && b.status == APP_OK) {
        return app_paths_fail(p, status);
    }
    return b.status;
}

static bool is_batch(const app_paths *p)
{
    const app_paths_settings *s = p->settings;
    return p->source_count > 1 && !s->input.negative && !s->nearest && !s->path && !s->verify &&
           s->plot == NULL;
}

static void tell(const app_paths *p, double seconds)
{
    size_t count = p->settings->nearest ? 1 : p->source_count;
    if (p->settings->common.stats) {
        app_print_report(p->u, count * p->info.arcs, "arcs of all queries", 0, seconds);
    }
    if (p->settings->verify) {
        fprintf(stderr, "verified: %zu answer%s\n", count, count == 1 ? "" : "s");
    }
}

int app_paths_answer(app_paths *p)
{
    io_progress progress = {.what = NULL};
    if (prints(p->settings) && app_paths_print_begin(p) != APP_OK) {
        return APP_ERROR;
    }
    io_progress_begin(&progress, "queries");
    double seconds = -app_seconds();
    int status = is_batch(p) ? as_batch(p, &progress) : one_by_one(p, &progress);
    seconds += app_seconds();
    io_progress_end(&progress);
    if (status == APP_OK) {
        tell(p, seconds);
        return prints(p->settings) ? app_paths_print_end(p) : APP_OK;
    }
    if (p->printer != NULL) { /* else nothing was open, or the printer has let go after a failure */
        free(p->printer);
        io_output_discard(&p->out);
    }
    return status;
}
