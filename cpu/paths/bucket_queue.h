/* bucket_queue.h - the search for shortest paths by a queue of buckets, for one kind of weights
 * (cpu/paths/weight_kind.h): enters the sources, takes bucket after bucket and relaxes the arcs of
 * its entries in batches. Included by algo/path_bucket_cpu.h, which has the queue. */
/* SPDX-License-Identifier: MIT */

typedef struct NAME(entry) {
    DIST distance;
    uint32_t vertex;
} NAME(entry);

#include "cpu/paths/bucket_number.h"

/* One search. */
typedef struct NAME(run) {
    queue *q;
    const upsweep_graph *g;
    DIST *distance;
    NAME(width) w;
    DIST most;  /* greater distances are left out */
    bool large; /* the graph does not fit a cache: its lines are prefetched */
    bool near;  /* and neighbours often have near numbers */
    bool plain; /* no sum exceeds its type, and `most` leaves nothing out */
    bool gave_up;
    size_t count;            /* of offers */
    search_threads *threads; /* NULL: one thread */
    search_thread *self;
#if PATH_KIND == 1 || PATH_KIND == 3
    uint32_t *relaxed; /* [vertex] arcs that are relaxed, where rows are sorted; else NULL */
    DIST from;         /* where the window begins: distances up to here are final */
#endif
} NAME(run);

/* Writes the entry behind the last one of its bucket. Only if `counts` does the entry keep its
 * place: a store that is overwritten takes less time than a branch that no processor predicts. */
static inline void NAME(append)(queue *q, chunk **first, unsigned char **tail, NAME(entry) e,
                                bool counts)
{
    unsigned char *t = *tail;
    *(NAME(entry) *)(void *)t = e;
    t += counts ? sizeof e : 0;
    *tail = t;
    if (__builtin_expect(((uintptr_t)t & (CHUNK - 1)) == 0, 0)) {
        next_chunk(q, first, tail, sizeof e);
    }
}

/* Writes the entry to the bucket of its distance, or to the far pile. `current` is q->current,
 * which callers keep in a register. */
static inline void NAME(push)(queue *q, NAME(width) w, uint64_t current, NAME(entry) e, bool counts)
{
    uint64_t k = NAME(number)(w, e.distance);
    if (__builtin_expect(k - current >= RING, 0)) {
        if (counts) {
            q->far_least = k < q->far_least ? k : q->far_least;
            NAME(append)(q, &q->far_first, &q->far_tail, e, true);
        }
        return;
    }
    NAME(append)(q, &q->first[k % RING], &q->tail[k % RING], e, counts);
}

/* Threads read distances of vertices that they do not own, so loads and stores are atomic. */
static inline DIST NAME(load)(const DIST *distance)
{
    DIST d;
    __atomic_load(distance, &d, __ATOMIC_RELAXED);
    return d;
}

static inline void NAME(store)(DIST *distance, DIST d)
{
    __atomic_store(distance, &d, __ATOMIC_RELAXED);
}

static void NAME(send_offer)(NAME(run) * r, NAME(entry) e, size_t owner);

/* Enters the offers that are still less than the distances of their vertices. Offers for vertices
 * of other threads are sent to these. */
static void NAME(accept)(NAME(run) * r)
{
    queue *q = r->q;
    const NAME(entry) *offer = (const NAME(entry) *)(const void *)q->offers,
                      *end = offer + r->count;
    DIST *distance = r->distance;
    const NAME(width) w = r->w;
    const uint64_t current = q->current;
    const search_threads *c = r->threads;
    const size_t me = c == NULL ? 0 : (size_t)(r->self - c->thread);
    for (; offer < end; offer++) {
        NAME(entry) e = *offer;
        if (c != NULL && owner_of(c, e.vertex) != me) {
            NAME(send_offer)(r, e, owner_of(c, e.vertex));
            continue;
        }
        DIST was = distance[e.vertex];
        bool shorter = e.distance < was;
        NAME(store)(&distance[e.vertex], shorter ? e.distance : was);
        NAME(push)(q, w, current, e, shorter);
    }
    r->count = 0;
}

/* The arcs [a, end) of a vertex whose distance is d. */
typedef struct NAME(row) {
    uint64_t a, end;
    DIST d;
} NAME(row);

/* Writes an offer for each arc of the row that would shorten the distance of its head, and returns
 * where the next offer goes; there must be room for one for each arc. plain: as in run. */
static inline NAME(entry) *
    NAME(offer)(const NAME(run) * r, NAME(row) row, NAME(entry) * offer, bool plain)
{
    const upsweep_graph *g = r->g;
    const DIST *distance = r->distance;
    const DIST most = r->most;
    bool lost = false;
    for (uint64_t a = row.a; a < row.end; a++) {
        DIST way = plain ? row.d + ARC_WEIGHT(g, a) : REACH(row.d, ARC_WEIGHT(g, a));
        uint32_t head = ARC_HEAD(g, a);
        *offer = (NAME(entry)){way, head};
        offer += (way < NAME(load)(&distance[head])) & (plain || way <= most);
        lost |= !plain && way == DIST_MAX;
    }
    if (!plain) {
        r->q->lost |= lost;
    }
    return offer;
}

/* Writes the offers of some rows, of any length, and accepts them. */
static inline void NAME(offer_all)(NAME(run) * r, const NAME(row) * row, size_t rows, bool plain)
{
    NAME(entry) *first = (NAME(entry) *)(void *)r->q->offers, *offer = first;
    for (size_t i = 0; i < rows; i++) {
        NAME(row) part = row[i];
        while (__builtin_expect(part.end - part.a > (size_t)(first + OFFERS - offer), 0)) {
            r->count = (size_t)(offer - first);
            NAME(accept)(r);
            uint64_t stop = part.end - part.a > OFFERS ? part.a + OFFERS : part.end;
            offer = NAME(offer)(r, (NAME(row)){part.a, stop, part.d}, first, plain);
            part.a = stop;
        }
        offer = NAME(offer)(r, part, offer, plain);
    }
    r->count = (size_t)(offer - first);
    NAME(accept)(r);
}

#include "cpu/paths/bucket_ask.h"

/* Relaxes the arcs of those entries whose distance is still that of their vertex. */
static void NAME(relax)(NAME(run) * r, const NAME(entry) * e, size_t count)
{
    const upsweep_graph *g = r->g;
    const uint64_t *begin = g->begin;
    const DIST *distance = r->distance;
    queue *q = r->q;
    NAME(row) row[BATCH];
    size_t kept = 0;
    for (size_t i = 0; i < count && q->touched_count < q->touched_most; i++) {
        q->touched[q->touched_count++] = e[i].vertex;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t v = e[i].vertex;
        row[kept] = (NAME(row)){begin[v], begin[v + 1], e[i].distance};
        kept += distance[v] == e[i].distance;
    }
    for (size_t i = 0; i < kept && r->large; i++) {
        uint64_t end = row[i].end - row[i].a > HEADS ? row[i].a + HEADS : row[i].end;
        for (uint64_t a = row[i].a; a < end; a++) {
            __builtin_prefetch(&distance[ARC_HEAD(g, a)]);
        }
    }
    if (r->plain) {
        USW_ROUTE_OF("no sum is too great", USW_NO_TYPES);
        NAME(offer_all)(r, row, kept, true);
    } else {
        USW_ROUTE_OF("sums are watched", USW_NO_TYPES);
        NAME(offer_all)(r, row, kept, false);
    }
}

#if PATH_KIND == 1 || PATH_KIND == 3
static void NAME(relax_sorted)(NAME(run) * r, const NAME(entry) * e, size_t count);
#endif

/* Moves the entries of the far pile whose bucket is now in the ring, which begins at q->current, to
 * the ring; the others make a new far pile. */
static void NAME(bring_near)(queue *q, NAME(width) w)
{
    USW_ROUTE_OF("the far pile comes near", USW_NO_TYPES);
    chunk *c = q->far_first;
    unsigned char *tail = q->far_tail;
    q->far_first = NULL;
    q->far_tail = last_place(q, sizeof(NAME(entry)));
    q->far_least = UINT64_MAX;
    while (c != NULL) {
        chunk *next = c->next;
        const NAME(entry) *e = (const NAME(entry) *)(const void *)c->entries;
        const NAME(entry) *end = (const NAME(entry) *)(const void *)end_of(c, tail);
        for (; e < end; e++) {
            NAME(push)(q, w, q->current, *e, true);
        }
        give_chunk(q, c);
        c = next;
    }
}

/* Relaxes the entries of bucket q->current until it stays empty. */
static void NAME(empty_bucket)(NAME(run) * r)
{
    queue *q = r->q;
    size_t k = q->current % RING;
    chunk *c = q->first[k];
    if (c == NULL) {
        return;
    }
    const NAME(entry) *e = (const NAME(entry) *)(const void *)c->entries, *rows = e, *arcs = e;
    while (!q->failed) {
        unsigned char *tail = q->tail[k];
        const NAME(entry) *end = (const NAME(entry) *)(const void *)end_of(c, tail);
        if (e == end) {
            if ((const void *)end == tail) {
                break;
            }
            chunk *next = c->next;
            give_chunk(q, c);
            q->first[k] = c = next;
            e = rows = arcs = (const NAME(entry) *)(const void *)c->entries;
            continue;
        }
        size_t left = (size_t)(end - e), count = usw_min(left, BATCH);
        if (r->large) {
            NAME(ask_rows)(r, rows, e + usw_min(left, 3 * BATCH));
            rows = e + usw_min(left, 3 * BATCH);
            if (r->near) {
                NAME(ask_arcs)(r, arcs, e + usw_min(left, 2 * BATCH), true);
            } else {
                NAME(ask_arcs)(r, arcs, e + usw_min(left, 2 * BATCH), false);
            }
            arcs = e + usw_min(left, 2 * BATCH);
        }
#if PATH_KIND == 1 || PATH_KIND == 3
        if (r->relaxed != NULL) {
            NAME(relax_sorted)(r, e, count);
        } else
#endif
        {
            NAME(relax)(r, e, count);
        }
        e += count;
        note_worked(q, count);
    }
    close_bucket(q, k, c, sizeof(NAME(entry)));
}

/* Whether the distances of all targets are final, bucket q->current being empty. */
static bool NAME(have_targets)(const NAME(run) * r, const usw_path_query *query, size_t *finished)
{
    for (; *finished < query->target_count; (*finished)++) {
        DIST d = r->distance[query->targets[*finished]];
        if (d == DIST_MAX || NAME(number)(r->w, d) > r->q->current) {
            return false;
        }
    }
    return query->target_count > 0;
}

/* Empties all buckets. True if the search stops before: at the last target, or after q->patience
 * entries, which sets r->gave_up. */
static bool NAME(empty_all)(NAME(run) * r, const usw_path_query *query)
{
    queue *q = r->q;
    size_t finished = 0; /* targets */
    while (!q->failed && (q->filled > 0 || q->far_first != NULL)) {
        if (q->filled == 0) {
            q->current = q->far_least; /* the buckets in between are empty */
        }
        if (q->far_least <= q->current) {
            NAME(bring_near)(q, r->w);
        }
        NAME(empty_bucket)(r);
        if (NAME(have_targets)(r, query, &finished)) {
            USW_ROUTE_OF("stopped at the last target", USW_NO_TYPES);
            return true;
        }
        if (atomic_load_explicit(&q->worked, memory_order_relaxed) > q->patience) {
            r->gave_up = true;
            USW_ROUTE_OF("out of patience", USW_NO_TYPES);
            return true;
        }
        q->current++;
    }
    return false;
}

#if PATH_KIND == 1 || PATH_KIND == 3
#include "cpu/paths/bucket_windows.h"
#endif

/* Whether no sum exceeds its type and none is left out: no path is longer than half of the greatest
 * number, which is far from where sums are rounded to infinity. */
static bool NAME(is_plain)(const usw_path_query *query)
{
#ifdef DIST_FLOAT
    const double most = sizeof(DIST) == 4 ? 0x1p126 : 0x1p1022;
#else
    const double most = (double)DIST_MAX / 2;
#endif
    return query->cutoff == NULL && query->graph->longest < most;
}

/* Enters source number s. No source stands in the list twice at different distances. */
static void NAME(enter)(NAME(run) * r, const usw_path_query *query, size_t s)
{
    DIST d = query->offsets == NULL ? 0 : ((const DIST *)query->offsets)[s];
    r->distance[query->sources[s]] = d;
    NAME(push)(r->q, r->w, 0, (NAME(entry)){d, query->sources[s]}, true);
}

#include "cpu/paths/bucket_threads.h"

/* One search by one thread. */
static upsweep_status NAME(search)(usw_path_scratch *scratch, const usw_path_query *query)
{
    NAME(run)
    r = {.q = queue_begin(scratch, sizeof(NAME(entry))),
         .g = query->graph,
         .distance = query->distance,
         .w = NAME(width_of)(query->delta),
         .most = DIST_MAX,
         .large = query->graph->bytes > CACHE,
         .plain = NAME(is_plain)(query)};
    if (query->cutoff != NULL) {
        memcpy(&r.most, query->cutoff, sizeof r.most);
    }
    r.near = r.large && query->cutoff == NULL && query->target_count == 0 && NAME(lies_near)(r.g);
    if (!scratch->wiped) {
        usw_distances_clear(query->graph, query->distance, NULL, query->graph->vertices);
    }
    for (size_t s = 0; s < query->source_count; s++) {
        NAME(enter)(&r, query, s);
    }
    bool stopped = false;
#if PATH_KIND == 1 || PATH_KIND == 3
    if (NAME(use_windows)(scratch, query)) {
        r.relaxed = scratch->relaxed;
        USW_ROUTE_OF("one thread, by windows", USW_NO_TYPES);
        NAME(by_windows)(&r, query);
    } else
#endif
    {
        USW_ROUTE_OF("one thread, bucket by bucket", USW_NO_TYPES);
        stopped = NAME(empty_all)(&r, query);
    }
    scratch->gave_up = r.gave_up;
    if (r.q->failed) {
        return UPSWEEP_ERROR_MEMORY;
    }
    return !stopped && r.q->lost && usw_distance_lost(query, &scratch->culprit)
               ? UPSWEEP_ERROR_RANGE
               : UPSWEEP_OK;
}

/* Adds the vertices of the entries that are left in a bucket to q->touched. */
static void NAME(note_left)(queue *q, chunk *c, unsigned char *tail)
{
    for (; c != NULL; c = c->next) {
        const NAME(entry) *e = (const NAME(entry) *)(const void *)c->entries;
        const NAME(entry) *end = (const NAME(entry) *)(const void *)end_of(c, tail);
        for (; e < end && q->touched_count < q->touched_most; e++) {
            q->touched[q->touched_count++] = e->vertex;
        }
    }
}
