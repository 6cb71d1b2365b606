/* parents_body.h - the functions of cpu/paths/parents.c for one kind of weights
 * (cpu/paths/weight_kind.h). core/paths.h says what they do. */
/* SPDX-License-Identifier: MIT */

static void NAME(clear)(void *at, const uint32_t *list, size_t count)
{
    DIST *distance = at;
    for (size_t k = 0; k < count; k++) {
        distance[list == NULL ? k : list[k]] = DIST_MAX;
    }
}

static bool NAME(is_set)(const void *distance, size_t v)
{
    return ((const DIST *)distance)[v] != DIST_MAX;
}

/* Not for signed weights: their search (calls/bellman_ford.c) has no targets, and finds its parents
 * by rounds. */
#ifndef DIST_MIN
static void NAME(forget)(const usw_path_query *q)
{
    USW_ROUTE_OF("beyond the last target", USW_NO_TYPES);
    DIST *distance = q->distance, farthest = 0;
    for (size_t t = 0; t < q->target_count; t++) {
        DIST d = distance[q->targets[t]];
        farthest = d > farthest ? d : farthest;
    }
    for (size_t v = 0; v < q->graph->vertices; v++) {
        distance[v] = distance[v] > farthest ? DIST_MAX : distance[v];
    }
}
#endif

static bool NAME(lost)(const usw_path_query *q, uint32_t *culprit)
{
    if (PATH_KIND == 0) {
        return false; /* a path of arcs of length 1 is shorter than the greatest distance */
    }
    USW_ROUTE_OF("looked for a sum that is lost", USW_NO_TYPES);
    const upsweep_graph *g = q->graph;
    const DIST *distance = q->distance;
    for (size_t v = 0; v < g->vertices; v++) {
        for (uint64_t a = g->begin[v]; distance[v] != DIST_MAX && a < g->begin[v + 1]; a++) {
            if (distance[ARC_HEAD(g, a)] == DIST_MAX && !NEVER(ARC_WEIGHT(g, a))) {
                *culprit = ARC_HEAD(g, a);
                return true;
            }
        }
    }
    return false;
}

/* Whether arc a of v ends a shortest path to its head. */
static inline bool NAME(fits)(const upsweep_graph *g, const DIST *distance, uint32_t v, uint64_t a)
{
    DIST d = distance[ARC_HEAD(g, a)];
    return d != DIST_MAX && REACH(distance[v], ARC_WEIGHT(g, a)) == d;
}

/* Searches in rounds, along arcs that end shortest paths, from the vertices that have a parent to
 * those that have none. A vertex gets the least id of the round before as its parent. round[v]: 1 +
 * the round in which v got its parent; 0: it has none. order: the vertices, round by round. */
static void NAME(parents_by_rounds)(const upsweep_graph *g, const DIST *distance,
                                    const uint32_t *list, size_t n, uint32_t *parent,
                                    uint32_t *round, uint32_t *order)
{
    USW_ROUTE_OF("parents by rounds", USW_NO_TYPES);
    size_t begin = 0, end = 0;
    for (size_t k = 0; k < n; k++) {
        uint32_t v = list == NULL ? (uint32_t)k : list[k];
        round[v] = parent[v] != UPSWEEP_NO_VERTEX;
        order[end] = v;
        end += round[v];
    }
    for (uint32_t r = 2; begin < end; r++) {
        size_t found = end;
        for (size_t k = begin; k < end; k++) {
            uint32_t v = order[k];
            for (uint64_t a = g->begin[v]; a < g->begin[v + 1]; a++) {
                uint32_t head = ARC_HEAD(g, a);
                if ((round[head] != 0 && round[head] != r) || !NAME(fits)(g, distance, v, a)) {
                    continue;
                }
                if (round[head] == 0) {
                    order[found++] = head;
                }
                round[head] = r;
                parent[head] = v < parent[head] ? v : parent[head];
            }
        }
        begin = end;
        end = found;
    }
}

#ifndef DIST_MIN
static void NAME(parents)(const usw_path_query *q, const uint32_t *list, size_t count,
                          uint32_t *parent, uint32_t *work)
{
    USW_ROUTE_OF("parents", USW_NO_TYPES);
    const upsweep_graph *g = q->graph;
    const DIST *distance = q->distance;
    size_t open = 0;
    for (size_t k = 0; k < count; k++) {
        uint32_t v = list == NULL ? (uint32_t)k : list[k];
        for (uint64_t a = g->begin[v]; distance[v] != DIST_MAX && a < g->begin[v + 1]; a++) {
            uint32_t head = ARC_HEAD(g, a);
            bool nearer = v < parent[head] && distance[v] < distance[head];
            if (nearer && NAME(fits)(g, distance, v, a)) {
                parent[head] = v;
            }
        }
    }
    for (size_t s = 0; s < q->source_count; s++) {
        parent[q->sources[s]] = q->sources[s]; /* until the end, as one that has a parent */
    }
    for (size_t k = 0; k < count; k++) {
        uint32_t v = list == NULL ? (uint32_t)k : list[k];
        open += distance[v] != DIST_MAX && parent[v] == UPSWEEP_NO_VERTEX;
    }
    if (open > 0) {
        NAME(parents_by_rounds)(g, distance, list, count, parent, work, work + g->vertices);
    }
    for (size_t s = 0; s < q->source_count; s++) {
        parent[q->sources[s]] = UPSWEEP_NO_VERTEX;
    }
}
#endif

static void NAME(parents_from_sources)(const usw_path_query *q, uint32_t *parent, uint32_t *work)
{
    const DIST *distance = q->distance;
    size_t n = q->graph->vertices;
    memset(parent, 0xff, n * sizeof *parent);
    for (size_t s = 0; s < q->source_count; s++) {
        uint32_t v = q->sources[s];
        parent[v] = distance[v] == 0 ? v : UPSWEEP_NO_VERTEX;
    }
    NAME(parents_by_rounds)(q->graph, distance, NULL, n, parent, work, work + n);
    for (size_t s = 0; s < q->source_count; s++) {
        uint32_t v = q->sources[s];
        parent[v] = distance[v] == 0 ? UPSWEEP_NO_VERTEX : parent[v];
    }
}
