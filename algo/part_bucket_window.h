/* part_bucket_window.h - part_bucket_queue.h for graphs with many arcs a vertex whose rows are
 * sorted by weight and that have every arc in both directions. Most of their arcs are too heavy to
 * be on any shortest path, and need never be looked at:
 *
 * Distances are settled window by window. Within a window that ends at `most` only arcs that lead
 * no farther are relaxed; since rows are sorted, the others are not even read. When the buckets are
 * empty, all that is reached is final. The next window begins with the arcs that it adds.
 *
 * When what is left unreached has few arcs, those are looked at from the other side: an unreached
 * vertex looks through its own row, lightest arc first, for the nearest way to one that is reached.
 * So the heavy arcs of all the rest are never read.
 *
 * A window in which little is reached makes the next one twice as wide, so there are O(log n + log
 * of the longest distance) windows, whatever the graph.
 *
 * Source: P. M. Spira, A new algorithm for finding all shortest paths, SIAM J. Computing 2, 1973
 * (arcs by weight, only as far as needed); V. Chakaravarthy, F. Checconi, F. Petrini, Y. Sabharwal,
 * Scalable single source shortest path algorithms for massively parallel systems, IPDPS 2014 (push
 * and pull). */

static bool NAME(use_windows)(const usw_path_room *room, const usw_path_query *query)
{
    return query->graph->sorted && room->relaxed != NULL && query->target_count == 0 &&
           query->cutoff == NULL;
}

/* Relaxes the arcs of v from relaxed[v] on, as far as they lead to within the window. */
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
            offer += way < distance[head];
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

/* Asks for the distances of the first heads that are within the window. */
static inline void NAME(ask_heads)(const NAME(run) * r, uint32_t v, DIST d)
{
    const upsweep_graph *g = r->g;
    uint64_t a = g->begin[v] + r->relaxed[v], end = g->begin[v + 1];
    end = end - a > HEADS ? a + HEADS : end;
    for (; a < end && REACH(d, ARC_WEIGHT(g, a)) <= r->most; a++) {
        __builtin_prefetch(&r->distance[ARC_HEAD(g, a)]);
    }
}

static void NAME(relax_sorted)(NAME(run) * r, const NAME(entry) * e, size_t count)
{
    const upsweep_graph *g = r->g;
    NAME(entry) valid[BATCH];
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        __builtin_prefetch(&r->distance[e[i].vertex]);
        __builtin_prefetch(&g->begin[e[i].vertex]);
        __builtin_prefetch(&r->relaxed[e[i].vertex], 1);
    }
    for (size_t i = 0; i < count; i++) {
        valid[kept] = e[i];
        __builtin_prefetch(&g->arc32[g->begin[e[i].vertex]]);
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

/* Relaxes, of all vertices that are reached, the arcs that the window has added. */
static void NAME(widen)(NAME(run) * r)
{
    const upsweep_graph *g = r->g;
    uint32_t batch[BATCH];
    size_t n = g->vertices, count = 0;
    for (size_t v = 0; v < n; v++) {
        size_t ahead = usw_min(v + WINDOW_AHEAD, n - 1);
        if (r->distance[ahead] != DIST_MAX) {
            __builtin_prefetch(&g->arc32[g->begin[ahead] + r->relaxed[ahead]]);
        }
        batch[count] = (uint32_t)v;
        count += r->distance[v] != DIST_MAX;
        if (count == BATCH || v == n - 1) {
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

/* Gives unreached vertices their nearest way to a reached one, and works through what follows. */
static void NAME(pull)(NAME(run) * r, const usw_path_query *query)
{
    const upsweep_graph *g = r->g;
    queue *q = r->q;
    DIST settled = r->most;
    size_t n = g->vertices;
    r->most = DIST_MAX;
    for (size_t v = 0; v < n; v++) {
        if (r->distance[v] <= settled) {
            continue;
        }
        DIST best = DIST_MAX;
        for (uint64_t a = g->begin[v]; a < g->begin[v + 1] && ARC_WEIGHT(g, a) < best; a++) {
            DIST d = r->distance[ARC_HEAD(g, a)];
            DIST way = d <= settled ? REACH(d, ARC_WEIGHT(g, a)) : DIST_MAX;
            q->lost |= d <= settled && way == DIST_MAX;
            best = way < best ? way : best;
        }
        if (best != DIST_MAX) {
            r->distance[v] = best;
            NAME(push)(q, r->w, q->current, (NAME(entry)){best, (uint32_t)v}, true);
        }
    }
    (void)NAME(empty_all)(r, query);
}

static void NAME(by_windows)(NAME(run) * r, const usw_path_query *query)
{
    const upsweep_graph *g = r->g;
    queue *q = r->q;
    size_t n = g->vertices, before = 0;
    double step = query->delta * WINDOW;
    q->touched_count = q->touched_most; /* too many to note */
    r->most = 0;
    for (;;) {
        DIST from = r->most;
        double end = (double)from + step;
        r->most = end < (double)DIST_MAX ? (DIST)end : DIST_MAX;
        if (!(r->most > from)) { /* a step too small for the type */
            step *= 2;
            continue;
        }
        if (from > 0) {
            q->current = NAME(number)(r->w, from);
            NAME(widen)(r);
        }
        (void)NAME(empty_all)(r, query);
        size_t reached = 0, left = 0;
        for (size_t v = 0; v < n; v++) {
            bool is = r->distance[v] != DIST_MAX;
            reached += is;
            left += is ? 0 : g->begin[v + 1] - g->begin[v];
        }
        if (q->failed || left == 0 || r->most == DIST_MAX) {
            break;
        }
        if (left < g->arcs / PULL_SHARE) {
            q->current = NAME(number)(r->w, r->most);
            NAME(pull)(r, query);
            break;
        }
        step *= reached < before + before / 4 + 2 ? 2 : 1;
        before = reached;
    }
}
