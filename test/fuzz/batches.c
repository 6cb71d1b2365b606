/* batches.c - shortest paths from many sources, each a query of its own: rows to a function, or a
 * matrix of distances. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/queries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Many sources, each a query of its own, and what each must give. */
typedef struct batch {
    fuzz *f;
    const fuzz_net *g;
    fuzz_query q;
    uint64_t begin[FUZZ_SOURCES + 1]; /* of the targets of each source */
    uint64_t cutoffs[FUZZ_SOURCES];
    bool each_its_targets, each_its_cutoff;
    unsigned flags;
    fuzz_paths_found found[FUZZ_SOURCES];
    size_t given, stop_at;
} batch;

static void draw_batch(fuzz *f, batch *b, const fuzz_net *g)
{
    *b = (batch){.f = f, .g = g, .stop_at = SIZE_MAX};
    fuzz_query_draw(f, &b->q, g->n, FUZZ_SOURCES);
    b->each_its_targets = b->q.has_targets && fuzz_chance(f, 2);
    uint64_t at = 0;
    for (size_t s = 0; s < b->q.source_count; s++) {
        uint64_t most = FUZZ_TARGETS - at, count = fuzz_draw(f, 4);
        b->begin[s] = at;
        at += count < most ? count : most;
    }
    b->begin[b->q.source_count] = at;
    if (b->each_its_targets) {
        fuzz_draw_ids(f, b->q.targets, FUZZ_TARGETS, g->n);
        b->q.target_count = at;
    }
    b->q.has_cutoff = fuzz_chance(f, 3);
    b->each_its_cutoff = b->q.has_cutoff && fuzz_chance(f, 2);
    bool lost = false;
    for (size_t s = 0; s < b->q.source_count; s++) {
        b->found[s] = fuzz_net_paths(g, &b->q.sources[s], 1);
        lost = lost || b->found[s].lost;
        long double cutoff = fuzz_draw_cutoff(f, g->type, b->found[s].distance, g->n);
        if (s == 0 || b->each_its_cutoff) {
            fuzz_put_distance(g->type, b->cutoffs, s, cutoff);
        }
    }
    b->q.cutoff_element = b->cutoffs[0];
    fuzz_query_twist(f, &b->q, g->n);
    if (b->each_its_targets) {
        b->q.target_count = FUZZ_TARGETS; /* is not looked at */
    }
    /* A GPU has "path/bucket" for batches only, and says so. */
    f->may_refuse = f->device && b->q.algorithm != NULL;
    fuzz_query_expect(f, lost, b->q.has_cutoff || b->q.has_targets);
    fuzz_detail(f, "%s%s", b->each_its_targets ? ", targets of each" : "",
                b->each_its_cutoff ? ", cutoffs of each" : "");
    fuzz_query_tell(f, &b->q);
}

static upsweep_batch_options batch_options(fuzz *f, const batch *b)
{
    const fuzz_query *q = &b->q;
    bool one = q->has_cutoff && !b->each_its_cutoff;
    return (upsweep_batch_options){.size = fuzz_chance(f, 2) ? 0 : sizeof(upsweep_batch_options),
                                   .algorithm = q->algorithm,
                                   .targets = q->has_targets ? q->targets : NULL,
                                   .target_count = q->target_count,
                                   .target_begin = b->each_its_targets ? b->begin : NULL,
                                   .cutoff = one ? &q->cutoff_element : NULL,
                                   .cutoffs = b->each_its_cutoff ? b->cutoffs : NULL,
                                   .delta = q->delta,
                                   .flags = b->flags};
}

static long double cutoff_of(const batch *b, size_t s)
{
    return !b->q.has_cutoff ? (long double)INFINITY
                            : fuzz_distance(b->g->type, b->cutoffs, b->each_its_cutoff ? s : 0);
}

static size_t columns_of(const batch *b, size_t s, const uint32_t **targets)
{
    *targets = !b->q.has_targets     ? NULL
               : b->each_its_targets ? b->q.targets + b->begin[s]
                                     : b->q.targets;
    return !b->q.has_targets     ? b->g->n
           : b->each_its_targets ? (size_t)(b->begin[s + 1] - b->begin[s])
                                 : b->q.target_count;
}

static void check_cell(const batch *b, size_t s, uint32_t v, const void *distance,
                       const uint32_t *parent, size_t k)
{
    const fuzz_paths_found *p = &b->found[s];
    long double limit = cutoff_of(b, s), got = fuzz_distance(b->g->type, distance, k);
    long double want = fuzz_distance_within(b->g->type, p->distance[v], limit);
    if (got != want) {
        fuzz_wrong(b->f, "source %zu: vertex %u is %Lg away, not %Lg", s, v, got, want);
    } else if (parent != NULL &&
               !fuzz_parent_fits(b->g, p, limit, &b->q.sources[s], 1, v, parent[k])) {
        fuzz_wrong(b->f, "source %zu: the parent of vertex %u is %u", s, v, parent[k]);
    }
}

static int sink(void *context, const upsweep_path_row *row)
{
    batch *b = context;
    size_t s = b->given++, columns, reached = 0;
    const uint32_t *targets;
    columns = columns_of(b, s, &targets);
    if (b->flags & UPSWEEP_PATHS_REACHED) {
        for (uint32_t v = 0; v < b->g->n; v++) {
            long double d = b->found[s].distance[v];
            bool is_there = !isinf(fuzz_distance_within(b->g->type, d, cutoff_of(b, s)));
            if (is_there && (reached >= row->count || row->vertex[reached] != v)) {
                fuzz_wrong(b->f, "source %zu: vertex %u is reached, and not in the row", s, v);
                return 0;
            }
            reached += is_there;
        }
        columns = reached;
    }
    if (row->number != s || row->source != b->q.sources[s] || row->count != columns ||
        (row->parent != NULL) != ((b->flags & UPSWEEP_PATHS_PARENTS) != 0 && columns > 0)) {
        if (row->count != columns || columns > 0) {
            fuzz_wrong(b->f, "row %zu is of source %zu, vertex %u, with %zu columns, not %zu", s,
                       row->number, row->source, row->count, columns);
            return 0;
        }
    }
    for (size_t k = 0; k < columns; k++) {
        uint32_t v = targets != NULL       ? targets[k]
                     : row->vertex != NULL ? row->vertex[k]
                                           : (uint32_t)k;
        if (row->vertex != NULL && row->vertex[k] != v) {
            fuzz_wrong(b->f, "row %zu: column %zu is vertex %u", s, k, row->vertex[k]);
            return 0;
        }
        check_cell(b, s, v, row->distance, row->parent, k);
    }
    return s == b->stop_at;
}

static void end_batch(batch *b)
{
    for (size_t s = 0; s < b->q.source_count; s++) {
        fuzz_paths_end(&b->found[s]);
    }
}

static void run_batch(fuzz *f)
{
    fuzz_net g;
    batch b;
    upsweep_graph *graph = NULL;
    fuzz_net_draw(f, &g, false);
    if (!fuzz_net_made(f, &g, &graph)) {
        return;
    }
    draw_batch(f, &b, &g);
    b.flags = fuzz_chance(f, 2) ? UPSWEEP_PATHS_PARENTS : 0;
    b.flags |= !b.q.has_targets && fuzz_chance(f, 3) ? UPSWEEP_PATHS_REACHED : 0u;
    bool stops =
        fuzz_chance(f, 10) && f->expect == UPSWEEP_OK && !f->may_be_far && b.q.source_count > 0;
    b.stop_at = stops ? (size_t)fuzz_draw(f, b.q.source_count) : SIZE_MAX;
    f->expect = stops ? UPSWEEP_STOPPED : f->expect;
    upsweep_batch_options o = batch_options(f, &b);
    fuzz_settle(f, upsweep_paths_batch(f->u, graph, b.q.sources, b.q.source_count, &o, sink, &b));
    if (f->succeeded && b.given != b.q.source_count) {
        fuzz_wrong(f, "%zu rows were given, not %zu", b.given, b.q.source_count);
    } else if (stops && f->wrong[0] == '\0' && b.given > b.stop_at + 1) {
        fuzz_wrong(f, "the sink was called after it had asked to stop");
    }
    end_batch(&b);
    upsweep_graph_free(graph);
    fuzz_net_free(&g);
}

static void run_matrix(fuzz *f)
{
    fuzz_net g;
    batch b;
    upsweep_graph *graph = NULL;
    fuzz_net_draw(f, &g, false);
    if (!fuzz_net_made(f, &g, &graph)) {
        return;
    }
    draw_batch(f, &b, &g);
    const uint32_t *targets;
    size_t cells = 0, at = 0, bytes = fuzz_distance_bytes(g.type);
    for (size_t s = 0; s < b.q.source_count; s++) {
        cells += columns_of(&b, s, &targets);
    }
    bool wanted = fuzz_chance(f, 2);
    fuzz_array_new(f, FUZZ_OUTPUT, cells, bytes, bytes);
    fuzz_array_new(f, FUZZ_OUTPUT, wanted ? cells : 0, 4, 4);
    f->array[1].may_be_null = true;
    f->partial = true; /* the outputs are undefined after an error */
    fuzz_arrays_ready(f);
    upsweep_batch_options o = batch_options(f, &b);
    bool plain = fuzz_query_is_plain(&b.q);
    void *distance = fuzz_at(f, 0), *parent = !wanted              ? NULL
                                              : f->array[1].device ? f->array[1].device
                                                                   : f->array[1].at;
    if (fuzz_settle(f, upsweep_paths_matrix(f->u, graph, b.q.sources, b.q.source_count,
                                            plain ? NULL : &o, distance, parent))) {
        for (size_t s = 0; s < b.q.source_count; s++) {
            size_t columns = columns_of(&b, s, &targets);
            for (size_t k = 0; k < columns && f->wrong[0] == '\0'; k++) {
                uint32_t v = targets != NULL ? targets[k] : (uint32_t)k;
                check_cell(&b, s, v, f->array[0].at + at * bytes,
                           wanted ? (const uint32_t *)(void *)f->array[1].at + at : NULL, k);
            }
            at += columns;
        }
        fuzz_report(f, SIZE_MAX);
    }
    end_batch(&b);
    upsweep_graph_free(graph);
    fuzz_net_free(&g);
}

const fuzz_call fuzz_batches[] = {
    {"upsweep_paths_batch", 6, run_batch, false},
    {"upsweep_paths_matrix", 6, run_matrix, false},
    {0},
};
