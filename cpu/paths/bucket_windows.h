/* bucket_windows.h - the search of cpu/paths/bucket_queue.h for graphs with many arcs a vertex,
 * whose rows are sorted by weight and which have every arc in both directions. Most of their arcs
 * are too heavy to be on any shortest path, and are never read:
 *
 * Distances are settled window by window. Within a window that ends at `most` only arcs to
 * distances up to `most` are relaxed; since rows are sorted, the others are not even read. When the
 * buckets are empty, all distances up to `most` are final. The next window begins with the arcs
 * that it adds.
 *
 * When the unreached vertices have few arcs, the search pulls: each unreached vertex goes through
 * its own row, lightest arc first, for the shortest path to a vertex that is reached. So the heavy
 * arcs of reached vertices are never read.
 *
 * A window in which little is reached makes the next one twice as wide, so there are O(log n + log
 * of the longest distance) windows, whatever the graph.
 *
 * Source: P. M. Spira, A new algorithm for finding all shortest paths, SIAM J. Computing 2, 1973
 * (arcs by weight, only as far as needed); V. Chakaravarthy, F. Checconi, F. Petrini, Y. Sabharwal,
 * Scalable single source shortest path algorithms for massively parallel systems, IPDPS 2014 (push
 * and pull). */
/* SPDX-License-Identifier: MIT */

static bool NAME(use_windows)(const usw_path_scratch *scratch, const usw_path_query *query)
{
    return query->graph->sorted && scratch->relaxed != NULL && query->target_count == 0 &&
           query->cutoff == NULL;
}

/* Writes offers for the arcs of v from relaxed[v] on, as far as they end within the window. */
static inline void NAME(offer_sorted)(NAME(run) * r, uint32_t v, DIST d)
{
    const upsweep_graph *g = r->g;
    uint64_t begin = g->begin[v], end = g->begin[v + 1], a = begin + r->relaxed[v];
    const DIST *distance = r->distance;
    const DIST most = r->most;
    while (a < end) {
        NAME(entry) *first = (NAME(entry) *)(void *)r->q->offers, *offer = first + r->count;
        const NAME(entry) *full = first + OFFERS;
        DIST way = 0;
        for (; a < end && offer < full; a++) {
            way = REACH(d, ARC_WEIGHT(g, a));
            if (way > most) {
                break;
            }
            uint32_t head = ARC_HEAD(g, a);
            *offer = (NAME(entry)){way, head};
            offer += way < NAME(load)(&distance[head]);
        }
        r->count = (size_t)(offer - first);
        r->q->lost |= way == DIST_MAX;
        if (way > most) {
            break;
        }
        if (offer == full) {
            NAME(accept)(r);
        }
    }
    r->relaxed[v] = (uint32_t)(a - begin);
}

/* Prefetches the distances of the first heads of v's row that are within the window. */
static inline void NAME(ask_heads)(const NAME(run) * r, uint32_t v, DIST d)
{
    const upsweep_graph *g = r->g;
    uint64_t a = g->begin[v] + r->relaxed[v], end = g->begin[v + 1];
    end = end - a > HEADS ? a + HEADS : end;
    for (; a < end && REACH(d, ARC_WEIGHT(g, a)) <= r->most; a++) {
        __builtin_prefetch(&r->distance[ARC_HEAD(g, a)]);
    }
}

/* As relax, for rows that are sorted. */
static void NAME(relax_sorted)(NAME(run) * r, const NAME(entry) * e, size_t count)
{
    NAME(entry) valid[BATCH];
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        __builtin_prefetch(&r->relaxed[e[i].vertex], 1);
    }
    for (size_t i = 0; i < count; i++) {
        valid[kept] = e[i];
        kept += r->distance[e[i].vertex] == e[i].distance;
    }
    for (size_t i = 0; i < kept; i++) {
        r->relaxed[valid[i].vertex] = 0; /* its distance is new */
        NAME(ask_heads)(r, valid[i].vertex, valid[i].distance);
    }
    for (size_t i = 0; i < kept; i++) {
        NAME(offer_sorted)(r, valid[i].vertex, valid[i].distance);
    }
    NAME(accept)(r);
}

/* Relaxes the arcs that the window adds, of the vertices [begin, end) whose distance is final. */
static void NAME(widen)(NAME(run) * r, size_t begin, size_t end)
{
    const upsweep_graph *g = r->g;
    uint32_t batch[BATCH];
    size_t count = 0;
    for (size_t v = begin; v < end; v++) {
        size_t ahead = usw_min(v + WINDOW_AHEAD, end - 1);
        if (r->distance[ahead] <= r->from) {
            __builtin_prefetch(&g->arc32[g->begin[ahead] + r->relaxed[ahead]]);
        }
        batch[count] = (uint32_t)v;
        count += r->distance[v] <= r->from;
        if (count == BATCH || v == end - 1) {
            for (size_t i = 0; i < count; i++) {
                NAME(ask_heads)(r, batch[i], r->distance[batch[i]]);
            }
            for (size_t i = 0; i < count; i++) {
                NAME(offer_sorted)(r, batch[i], r->distance[batch[i]]);
            }
            NAME(accept)(r);
            count = 0;
        }
    }
}

/* Gives the vertices of [begin, end) that are not final their least distance through a neighbour
 * that is. */
static void NAME(pull)(NAME(run) * r, size_t begin, size_t end)
{
    const upsweep_graph *g = r->g;
    const DIST *distance = r->distance;
    queue *q = r->q;
    for (size_t v = begin; v < end; v++) {
        if (distance[v] <= r->from) {
            continue;
        }
        DIST best = distance[v]; /* finite if there was an offer */
        bool found = false;
        for (uint64_t a = g->begin[v]; a < g->begin[v + 1] && ARC_WEIGHT(g, a) < best; a++) {
            DIST d = NAME(load)(&distance[ARC_HEAD(g, a)]);
            DIST way = d <= r->from ? REACH(d, ARC_WEIGHT(g, a)) : DIST_MAX;
            q->lost |= d <= r->from && way == DIST_MAX;
            found |= way < best;
            best = way < best ? way : best;
        }
        if (found) {
            NAME(store)(&r->distance[v], best);
            NAME(push)(q, r->w, q->current, (NAME(entry)){best, (uint32_t)v}, true);
        }
    }
}

/* Adds up how many of the vertices [begin, end) are reached, and the arcs that are left. */
static void NAME(count)(const NAME(run) * r, size_t begin, size_t end, size_t *reached,
                        arcs_left *left)
{
    const uint64_t *row = r->g->begin;
    for (size_t v = begin; v < end; v++) {
        bool is = r->distance[v] != DIST_MAX;
        *reached += is;
        left->unreached += is ? 0 : row[v + 1] - row[v];
        left->reached += is ? row[v + 1] - row[v] - r->relaxed[v] : 0;
    }
}

/* How windows follow one another. */
typedef struct NAME(windows) {
    double step;
    size_t before; /* vertices reached by the last window */
    DIST from, most;
} NAME(windows);

/* Moves the window on by its step. */
static void NAME(next_window)(NAME(windows) * w)
{
    w->from = w->most;
    while (!(w->most > w->from)) { /* a step may be too small for the type */
        double end = (double)w->from + w->step;
        w->most = end < (double)DIST_MAX ? (DIST)end : DIST_MAX;
        w->step *= w->most > w->from ? 1 : 2;
    }
}

/* Whether the search is over, is ended by a pull, or goes on with the next window, whose step is
 * doubled if the last window reached little. */
static verdict NAME(judge)(NAME(windows) * w, const upsweep_graph *g, size_t reached,
                           arcs_left left)
{
    if (left.unreached == 0 || left.reached == 0 || w->most == DIST_MAX) {
        return OVER;
    }
    w->step *= reached < w->before + w->before / 4 + 2 ? 2 : 1;
    w->before = reached;
    USW_ROUTE_IF(left.unreached < g->arcs / PULL_SHARE, "the rest looks for the way to it",
                 USW_NO_TYPES);
    return left.unreached < g->arcs / PULL_SHARE ? PULL : GO_ON;
}

/* The whole search, window by window, by one thread. */
static void NAME(by_windows)(NAME(run) * r, const usw_path_query *query)
{
    const upsweep_graph *g = r->g;
    queue *q = r->q;
    size_t n = g->vertices;
    NAME(windows) w = {.step = query->delta * WINDOW};
    q->touched_count = q->touched_most; /* as if full: vertices are not noted */
    for (verdict step = GO_ON; step == GO_ON && !q->failed;) {
        size_t reached = 0;
        arcs_left left = {0, 0};
        NAME(next_window)(&w);
        r->from = w.from;
        r->most = w.most;
        q->current = NAME(number)(r->w, w.from);
        if (w.from > 0) {
            NAME(widen)(r, 0, n);
        }
        (void)NAME(empty_all)(r, query);
        NAME(count)(r, 0, n, &reached, &left);
        step = NAME(judge)(&w, g, reached, left);
        if (step == PULL && !q->failed) {
            r->from = w.most;
            r->most = DIST_MAX;
            q->current = NAME(number)(r->w, w.most);
            NAME(pull)(r, 0, n);
            (void)NAME(empty_all)(r, query);
        }
    }
}
