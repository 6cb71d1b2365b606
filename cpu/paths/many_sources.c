/* many_sources.c - searches from many sources side by side: makes the lanes, searches in each, and
 * copies what a search found to its row. */
/* SPDX-License-Identifier: MIT */
#include "cpu/paths/many_sources.h"

enum { SLAB_LEAST = 1 << 20, LISTED = 4 }; /* a search lists its vertices up to n / LISTED */

size_t usw_path_columns(const usw_path_batch *b, size_t s)
{
    return b->o.target_begin != NULL ? (size_t)(b->o.target_begin[s + 1] - b->o.target_begin[s])
           : b->o.target_count > 0   ? b->o.target_count
                                     : b->graph->vertices;
}

size_t usw_path_row_begin(const usw_path_batch *b, size_t s)
{
    return b->o.target_begin != NULL ? (size_t)b->o.target_begin[s] : s * usw_path_columns(b, s);
}

static bool lane_begin(usw_path_batch *b, usw_path_lane *lane)
{
    upsweep *u = b->u;
    size_t n = b->graph->vertices, words = n / 64 + 1, upper = words / 64 + 1;
    size_t listed = n / LISTED + 1;
    *lane = (usw_path_lane){.failed = SIZE_MAX};
    lane->distance = usw_scratch(u, n * b->distance_bytes);
    lane->scratch.queue = usw_scratch(u, b->form->queue_bytes);
    lane->scratch.slab = usw_scratch(u, b->slab_bytes);
    lane->scratch.slab_bytes = b->slab_bytes;
    lane->scratch.touched = usw_scratch(u, listed * sizeof(uint32_t));
    lane->scratch.touched_most = listed;
    lane->scratch.wiped = true;
    if (b->graph->sorted) {
        lane->scratch.relaxed = usw_scratch(u, n * sizeof(uint32_t)); /* NULL: no windows */
    }
    usw_mark before = usw_scratch_mark(u);
    if (b->graph->contraction != NULL && b->form->dense == NULL &&
        !usw_climb_begin(u, b->graph, &lane->climb)) {
        usw_scratch_reset(u, before);
        lane->climb.distance = NULL;
    }
    lane->list = usw_scratch(u, listed * sizeof(uint32_t));
    lane->marks = usw_scratch(u, (words + upper) * sizeof(uint64_t));
    lane->parent = usw_scratch(u, b->parents ? n * sizeof(uint32_t) : 1);
    lane->work = usw_scratch(u, b->parents ? 2 * n * sizeof(uint32_t) : 1);
    if (lane->distance == NULL || lane->scratch.queue == NULL || lane->scratch.slab == NULL ||
        lane->scratch.touched == NULL || lane->list == NULL || lane->marks == NULL ||
        lane->parent == NULL || lane->work == NULL) {
        return false;
    }
    lane->upper = lane->marks + words;
    memset(lane->marks, 0, (words + upper) * sizeof(uint64_t));
    usw_distances_clear(b->graph, lane->distance, NULL, n);
    if (b->parents) {
        memset(lane->parent, 0xff, n * sizeof(uint32_t));
    }
    return true;
}

upsweep_status usw_path_lanes_begin(usw_path_batch *b)
{
    size_t wanted = usw_max(usw_min(b->u->threads, b->source_count), 1);
    b->slab_bytes = SLAB_LEAST + 8 * b->graph->vertices;
    b->lane = usw_scratch(b->u, wanted * sizeof *b->lane);
    while (b->lane != NULL && b->lanes < wanted) {
        usw_mark mark = usw_scratch_mark(b->u);
        if (!lane_begin(b, &b->lane[b->lanes])) {
            usw_scratch_reset(b->u, mark);
            break;
        }
        b->lanes++;
    }
    return b->lanes > 0 ? UPSWEEP_OK
                        : usw_fail(b->u, UPSWEEP_ERROR_MEMORY,
                                   "no scratch for a search of %zu vertices", b->graph->vertices);
}

/* Lists the vertices that the search has touched, each once, ascending; SIZE_MAX: all may be. */
static size_t list_touched(const usw_path_batch *b, usw_path_lane *lane)
{
    bool unknown = lane->everywhere || b->form->touched == NULL;
    size_t noted = unknown ? SIZE_MAX : b->form->touched(&lane->scratch, b->graph);
    if (noted == SIZE_MAX) {
        return SIZE_MAX;
    }
    for (size_t k = 0; k < noted; k++) {
        uint32_t v = lane->scratch.touched[k];
        lane->marks[v / 64] |= UINT64_C(1) << v % 64;
        lane->upper[v / 4096] |= UINT64_C(1) << v / 64 % 64;
    }
    size_t count = 0;
    for (size_t i = 0; i <= b->graph->vertices / 4096; i++) {
        for (; lane->upper[i] != 0; lane->upper[i] &= lane->upper[i] - 1) {
            size_t w = i * 64 + (size_t)__builtin_ctzll(lane->upper[i]);
            for (; lane->marks[w] != 0; lane->marks[w] &= lane->marks[w] - 1) {
                lane->list[count++] = (uint32_t)(w * 64 + (size_t)__builtin_ctzll(lane->marks[w]));
            }
        }
    }
    return count;
}

/* Copies the elements of vertices v[k], or, if v is NULL, of the first `count`. */
static void copy_columns(void *to, const void *from, const uint32_t *v, size_t count, size_t bytes)
{
    if (v == NULL) {
        memcpy(to, from, count * bytes);
    } else if (bytes == 4) {
        for (size_t k = 0; k < count; k++) {
            ((uint32_t *)to)[k] = ((const uint32_t *)from)[v[k]];
        }
    } else {
        for (size_t k = 0; k < count; k++) {
            ((uint64_t *)to)[k] = ((const uint64_t *)from)[v[k]];
        }
    }
}

/* Writes the vertices of the list that are reached, and their columns; returns how many. */
static size_t copy_reached(const usw_path_batch *b, const usw_path_lane *lane,
                           const usw_path_slot *slot, const uint32_t *list, size_t count)
{
    size_t kept = 0;
    for (size_t k = 0; k < count; k++) {
        uint32_t v = list == NULL ? (uint32_t)k : list[k];
        slot->vertex[kept] = v;
        kept += usw_distance_is_set(b->graph, lane->distance, v);
    }
    copy_columns(slot->distance, lane->distance, slot->vertex, kept, b->distance_bytes);
    if (slot->parent != NULL) {
        copy_columns(slot->parent, lane->parent, slot->vertex, kept, sizeof(uint32_t));
    }
    return kept;
}

static usw_path_slot slot_of(const usw_path_batch *b, size_t i)
{
    if (b->slot != NULL) {
        return b->slot[i];
    }
    size_t at = usw_path_row_begin(b, b->begin + i);
    return (usw_path_slot){.distance = b->rows + at * b->distance_bytes,
                           .parent = b->parent_rows == NULL ? NULL : b->parent_rows + at};
}

static usw_path_query query_of(const usw_path_batch *b, const usw_path_lane *lane, size_t s)
{
    const upsweep_batch_options *o = &b->o;
    const unsigned char *cutoffs = o->cutoffs;
    usw_path_query q = {b->graph,       b->sources + s, o->targets, 1,   o->target_count,
                        lane->distance, o->cutoff,      o->delta,   NULL};
    if (o->target_begin != NULL) {
        q.targets = o->targets + o->target_begin[s];
        q.target_count = usw_path_columns(b, s);
    }
    if (cutoffs != NULL) {
        q.cutoff = cutoffs + s * b->distance_bytes;
    }
    return q;
}

/* Writes the row of source b->begin + i, with parents if asked for, and cleans the lane. */
static void write_row(usw_path_batch *b, usw_path_lane *lane, const usw_path_query *q, size_t i)
{
    usw_path_slot slot = slot_of(b, i);
    size_t n = b->graph->vertices, count = list_touched(b, lane);
    const uint32_t *list = count == SIZE_MAX ? NULL : lane->list;
    bool by_target = b->o.target_count > 0 || b->o.target_begin != NULL;
    count = list == NULL ? n : count;
    if (b->parents) {
        usw_path_parents(q, list, count, lane->parent, lane->work);
    }
    if (slot.vertex != NULL && !by_target) {
        USW_ROUTE_OF("vertices that were reached", USW_NO_TYPES);
        slot.count = copy_reached(b, lane, &slot, list, count);
    } else {
        USW_ROUTE_IF(by_target, "targets", USW_NO_TYPES);
        USW_ROUTE_IF(!by_target, "all vertices", USW_NO_TYPES);
        const uint32_t *v = by_target ? q->targets : NULL;
        slot.count = by_target ? q->target_count : n;
        slot.vertex = by_target ? slot.vertex : NULL;
        copy_columns(slot.distance, lane->distance, v, slot.count, b->distance_bytes);
        if (slot.parent != NULL) {
            copy_columns(slot.parent, lane->parent, v, slot.count, sizeof(uint32_t));
        }
    }
    if (b->slot != NULL) {
        b->slot[i].count = slot.count;
    }
    for (size_t k = 0; b->parents && k < count; k++) {
        lane->parent[list == NULL ? k : list[k]] = UPSWEEP_NO_VERTEX;
    }
    usw_distances_clear(b->graph, lane->distance, list, count);
}

/* The search itself, in the core where there is one. */
static upsweep_status find(const usw_path_batch *b, usw_path_lane *lane, const usw_path_query *q)
{
    upsweep_status status;
    lane->everywhere = false;
    if (lane->climb.distance == NULL) {
        USW_ROUTE_OF("without a core", USW_NO_TYPES);
        return b->form->search(&lane->scratch, q);
    }
    if (usw_search_contracted(b->form, &lane->scratch, q, &status)) {
        return status;
    }
    bool clean = q->target_count == 0 && q->cutoff == NULL; /* else it was tried without the core */
    usw_path_scratch scratch = lane->scratch;
    usw_path_query in_core = usw_climb_up(&lane->climb, q, clean, b->delta);
    lane->everywhere = true;
    USW_ROUTE_OF("by way of the core", USW_NO_TYPES);
    scratch.wiped = false;
    scratch.touched = NULL;
    status = b->form->search(&scratch, &in_core);
    if (status == UPSWEEP_OK) {
        usw_climb_down(&lane->climb, q);
    }
    return status;
}

/* Searches in the lane from source b->begin + i. */
static void search(usw_path_batch *b, usw_path_lane *lane, size_t i)
{
    usw_path_query q = query_of(b, lane, b->begin + i);
    bool nothing = b->o.target_begin != NULL && q.target_count == 0;
    upsweep_status status = nothing ? UPSWEEP_OK : find(b, lane, &q);
    if (status == UPSWEEP_OK && !nothing) {
        write_row(b, lane, &q, i);
    } else {
        usw_distances_clear(b->graph, lane->distance, NULL, nothing ? 0 : b->graph->vertices);
    }
    if (nothing && b->slot != NULL) {
        b->slot[i].count = 0;
    }
    b->done[i] = status != UPSWEEP_ERROR_MEMORY;
    if (status != UPSWEEP_OK && status != UPSWEEP_ERROR_MEMORY && lane->failed == SIZE_MAX) {
        lane->failed = b->begin + i;
        lane->status = status;
        atomic_store(&b->stop, true);
    }
}

/* What the tasks of usw_path_lanes_run share. */
typedef struct lanes_run {
    usw_path_batch *b;
    void (*first)(void *context);
    void *context;
} lanes_run;

static void work(void *context, size_t task, unsigned thread)
{
    const lanes_run *c = context;
    usw_path_batch *b = c->b;
    (void)thread;
    if (task == 0) {
        if (c->first != NULL) {
            c->first(c->context);
        }
        return;
    }
    size_t i;
    while (!atomic_load(&b->stop) && (i = atomic_fetch_add(&b->next, 1)) < b->count) {
        if (!b->done[i]) {
            search(b, &b->lane[task - 1], i);
        }
    }
}

/* Doubles the slabs of all lanes, after searches that failed since their queues did not fit. */
static upsweep_status grow(usw_path_batch *b)
{
    USW_ROUTE_OF("a queue that was too short", USW_NO_TYPES);
    b->slab_bytes *= 2;
    for (size_t k = 0; k < b->lanes; k++) {
        usw_path_scratch *scratch = &b->lane[k].scratch;
        scratch->slab = usw_scratch(b->u, b->slab_bytes);
        scratch->slab_bytes = b->slab_bytes;
        if (scratch->slab == NULL) {
            return usw_path_failure(b->u, UPSWEEP_ERROR_MEMORY, scratch, 0);
        }
    }
    return UPSWEEP_OK;
}

upsweep_status usw_path_lanes_run(usw_path_batch *b, void (*first)(void *context), void *context)
{
    memset(b->done, 0, b->count);
    for (bool again = true; again;) {
        lanes_run c = {b, first, context};
        atomic_store(&b->next, 0);
        usw_parallel(b->u, b->lanes + 1, work, &c);
        first = NULL;
        const usw_path_lane *worst = NULL;
        for (size_t k = 0; k < b->lanes; k++) {
            if (b->lane[k].failed != SIZE_MAX &&
                (worst == NULL || b->lane[k].failed < worst->failed)) {
                worst = &b->lane[k];
            }
        }
        if (worst != NULL) {
            return usw_path_failure(b->u, worst->status, &worst->scratch, b->graph->weight_type);
        }
        again = !atomic_load(&b->stop) && memchr(b->done, 0, b->count) != NULL;
        upsweep_status status = again ? grow(b) : UPSWEEP_OK;
        if (status != UPSWEEP_OK) {
            return status;
        }
    }
    return UPSWEEP_OK;
}
