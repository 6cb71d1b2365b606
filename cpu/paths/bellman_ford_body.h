/* bellman_ford_body.h - the search for shortest paths where weights may be negative, for one kind
 * of weights (cpu/paths/weight_kind.h). Included by calls/bellman_ford.c, which has the queue. */
/* SPDX-License-Identifier: MIT */

/* Relaxes the arcs of v. False if a distance is less than its type holds; f->below gets its
 * vertex. */
static bool NAME(relax)(ford *f, uint32_t v)
{
    const upsweep_graph *g = f->g;
    DIST *distance = f->distance, d = distance[v];
    for (uint64_t a = g->begin[v]; a < g->begin[v + 1]; a++) {
        uint32_t head = ARC_HEAD(g, a);
        DIST way = REACH(d, ARC_WEIGHT(g, a));
        f->saturated = f->saturated || way == DIST_MAX;
        if (!(way < distance[head])) {
            continue;
        }
#ifdef DIST_MIN
        if (way == DIST_MIN) {
            f->below = head;
            return false;
        }
#elif defined(DIST_FLOAT)
        if (way == -DIST_MAX) {
            f->below = head;
            return false;
        }
#endif
        distance[head] = way;
        f->parent[head] = v;
        enqueue(f, head);
    }
    return true;
}

/* Relaxes the vertices in the queue until it is empty, a cycle of negative length is found or a
 * distance does not fit. Looks for a cycle each time the queue has given as many vertices as there
 * are. */
static void NAME(run)(ford *f)
{
    USW_ROUTE_OF("rounds", USW_NO_TYPES);
    DIST *distance = f->distance;
    for (size_t v = 0; v < f->g->vertices; v++) {
        distance[v] = DIST_MAX;
    }
    for (size_t s = 0; s < f->source_count; s++) {
        distance[f->sources[s]] = 0;
        enqueue(f, f->sources[s]);
    }
    size_t taken = 0;
    while (f->size > 0) {
        if (!NAME(relax)(f, dequeue(f))) {
            (void)find_cycle(f);
            return;
        }
        if (++taken >= f->g->vertices) {
            taken = 0;
            if (find_cycle(f)) {
                return;
            }
        }
    }
}
