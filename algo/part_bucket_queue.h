/* part_bucket_queue.h - the body of path_bucket_cpu.h for one type of distance. Set DIST, DIST_MAX
 * (not reached), DIST_FLOAT where it is one, ARC_HEAD, ARC_WEIGHT, ARC_LINE and NAME before. */

typedef struct NAME(entry) {
    DIST distance;
    uint32_t vertex;
} NAME(entry);

enum { NAME(CAPACITY) = sizeof(((chunk *)0)->entries) / sizeof(NAME(entry)) };

/* How a distance becomes the number of a bucket. */
typedef struct NAME(width) {
#ifdef DIST_FLOAT
    double inverse;
#else
    unsigned shift;
#endif
} NAME(width);

static NAME(width) NAME(width_of)(double delta)
{
#ifdef DIST_FLOAT
    return (NAME(width)){1 / delta};
#else
    unsigned shift = 0;
    while (shift < 8 * sizeof(DIST) - 1 && (double)(UINT64_C(2) << shift) <= delta) {
        shift++;
    }
    return (NAME(width)){shift};
#endif
}

static inline uint64_t NAME(number)(NAME(width) w, DIST d)
{
#ifdef DIST_FLOAT
    double k = (double)d * w.inverse;
    return k < 0x1p62 ? (uint64_t)k : UINT64_C(1) << 62;
#else
    return d >> w.shift;
#endif
}

static void NAME(push)(queue *q, NAME(width) w, DIST d, uint32_t vertex)
{
    uint64_t k = NAME(number)(w, d);
    bool far_away = k - q->current >= RING;
    bucket *b = far_away ? &q->far_pile : &q->ring[k % RING];
    chunk *c = room_in(q, b, NAME(CAPACITY));
    if (c != NULL) {
        ((NAME(entry) *)(void *)c->entries)[c->count++] = (NAME(entry)){d, vertex};
        q->waiting += !far_away;
        q->far_least = far_away && k < q->far_least ? k : q->far_least;
    }
}

/* d + w, or DIST_MAX when that does not fit. */
static inline DIST NAME(reach)(DIST d, DIST w)
{
#ifdef DIST_FLOAT
    return d + w;
#else
    DIST sum = d + w;
    return sum < d ? DIST_MAX : sum;
#endif
}

static inline void NAME(prefetch)(const upsweep_graph *g, const DIST *distance,
                                  const NAME(entry) * e, size_t i, size_t count)
{
    if (i + AHEAD_ROW < count) {
        uint32_t v = e[i + AHEAD_ROW].vertex;
        __builtin_prefetch(&g->begin[v]);
        __builtin_prefetch(&distance[v]);
    }
    if (i + AHEAD_ARCS < count) {
        NAME(entry) x = e[i + AHEAD_ARCS];
        if (distance[x.vertex] == x.distance) {
            __builtin_prefetch(ARC_LINE(g, g->begin[x.vertex]));
        }
    }
    if (i + AHEAD_HEADS < count) {
        NAME(entry) x = e[i + AHEAD_HEADS];
        if (distance[x.vertex] == x.distance) {
            uint64_t a = g->begin[x.vertex], end = g->begin[x.vertex + 1];
            end = end - a > HEADS ? a + HEADS : end;
            for (; a < end; a++) {
                __builtin_prefetch(&distance[ARC_HEAD(g, a)]);
            }
        }
    }
}

/* Relaxes the arcs of every entry of a chunk that still holds its vertex's distance. */
static void NAME(relax)(queue *q, const upsweep_graph *g, DIST *distance, NAME(width) w, DIST most,
                        const chunk *c)
{
    const NAME(entry) *e = (const NAME(entry) *)(const void *)c->entries;
    for (size_t i = 0; i < c->count; i++) {
        NAME(prefetch)(g, distance, e, i, c->count);
        DIST d = e[i].distance;
        if (distance[e[i].vertex] != d) {
            continue;
        }
        uint64_t end = g->begin[e[i].vertex + 1];
        for (uint64_t a = g->begin[e[i].vertex]; a < end; a++) {
            DIST next = NAME(reach)(d, ARC_WEIGHT(g, a));
            uint32_t head = ARC_HEAD(g, a);
            if (next < distance[head] && next <= most) {
                distance[head] = next;
                NAME(push)(q, w, next, head);
            }
        }
    }
}

/* Moves what has come near from the far pile to the ring, from bucket `current` on. */
static void NAME(bring_near)(queue *q, NAME(width) w)
{
    chunk *c = q->far_pile.first;
    q->far_pile = (bucket){NULL, NULL};
    q->far_least = UINT64_MAX;
    while (c != NULL) {
        chunk *next = c->next;
        const NAME(entry) *e = (const NAME(entry) *)(const void *)c->entries;
        for (size_t i = 0; i < c->count; i++) {
            NAME(push)(q, w, e[i].distance, e[i].vertex);
        }
        give_chunk(q, c);
        c = next;
    }
}

/* Works through the bucket `current` until it stays empty. */
static void NAME(empty_bucket)(queue *q, const usw_path_query *query, NAME(width) w, DIST most)
{
    bucket *b = &q->ring[q->current % RING];
    while (b->first != NULL && !q->failed) {
        chunk *c = b->first;
        b->first = c->next;
        b->last = c->next == NULL ? NULL : b->last;
        q->waiting -= c->count;
        NAME(relax)(q, query->graph, query->distance, w, most, c);
        give_chunk(q, c);
    }
}

/* What was not finished when the last target was, or did not fit, is not reached. */
static void NAME(forget_beyond)(const usw_path_query *query)
{
    DIST *distance = query->distance, farthest = 0;
    for (size_t t = 0; t < query->target_count; t++) {
        DIST d = distance[query->targets[t]];
        farthest = d > farthest ? d : farthest;
    }
    for (size_t v = 0; v < query->graph->vertices && query->target_count > 0; v++) {
        distance[v] = distance[v] > farthest ? DIST_MAX : distance[v];
    }
}

/* A vertex that only a sum too large leads to is an error: without the check it would pass for one
 * that cannot be reached. For a search that went on to its end. */
static upsweep_status NAME(check_fit)(upsweep *u, const usw_path_query *query, DIST most)
{
#ifndef DIST_FLOAT
    const upsweep_graph *g = query->graph;
    const DIST *distance = query->distance;
    double longest = g->weight_max * (double)g->vertices;
    if (longest < (double)DIST_MAX || most != DIST_MAX) {
        return UPSWEEP_OK;
    }
    for (size_t v = 0; v < g->vertices; v++) {
        for (uint64_t a = g->begin[v]; distance[v] != DIST_MAX && a < g->begin[v + 1]; a++) {
            if (distance[ARC_HEAD(g, a)] == DIST_MAX) {
                return usw_fail(u, UPSWEEP_ERROR_RANGE,
                                "the distance of vertex %u does not fit %zu bits", ARC_HEAD(g, a),
                                8 * sizeof(DIST));
            }
        }
    }
#else
    (void)u, (void)query, (void)most;
#endif
    return UPSWEEP_OK;
}

static upsweep_status NAME(paths)(upsweep *u, const usw_path_query *query)
{
    queue *q = usw_scratch(u, sizeof *q);
    if (q == NULL) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "no scratch for the queue");
    }
    memset(q, 0, sizeof *q);
    q->u = u;
    q->far_least = UINT64_MAX;
    NAME(width) w = NAME(width_of)(query->delta);
    DIST *distance = query->distance;
    DIST most = query->cutoff == NULL ? DIST_MAX : *(const DIST *)query->cutoff;
    for (size_t v = 0; v < query->graph->vertices; v++) {
        distance[v] = DIST_MAX;
    }
    for (size_t s = 0; s < query->source_count; s++) {
        distance[query->sources[s]] = 0;
        NAME(push)(q, w, 0, query->sources[s]);
    }
    size_t finished = 0; /* targets */
    while (!q->failed && (q->waiting > 0 || q->far_pile.first != NULL)) {
        if (q->waiting == 0) {
            q->current = q->far_least; /* nothing in between */
        }
        if (q->far_least <= q->current) {
            NAME(bring_near)(q, w);
        }
        NAME(empty_bucket)(q, query, w, most);
        while (finished < query->target_count &&
               NAME(number)(w, distance[query->targets[finished]]) <= q->current) {
            finished++;
        }
        if (query->target_count > 0 && finished == query->target_count) {
            NAME(forget_beyond)(query);
            return UPSWEEP_OK;
        }
        q->current++;
    }
    if (q->failed) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "no scratch for the queue");
    }
    upsweep_status status = NAME(check_fit)(u, query, most);
    NAME(forget_beyond)(query);
    return status;
}

/* ---- parents ---- */

/* Gives head the parent v if an arc of v is the end of a shortest path, and v lies nearer (or as
 * near, for the search through arcs that add nothing). Returns whether head had none before. */
static bool NAME(adopt)(const upsweep_graph *g, const DIST *distance, uint32_t *parent, uint32_t v,
                        uint64_t a, bool as_near)
{
    uint32_t head = ARC_HEAD(g, a);
    DIST d = distance[head];
    if (d == DIST_MAX || NAME(reach)(distance[v], ARC_WEIGHT(g, a)) != d ||
        (as_near ? distance[v] != d : !(distance[v] < d))) {
        return false;
    }
    bool first = parent[head] == UPSWEEP_NO_VERTEX;
    if (v < parent[head]) {
        parent[head] = v;
    }
    return first;
}

/* Vertices that only arcs adding nothing lead to are found by a search in rounds from those that
 * have a parent: the parent is then the least id of the round before. */
static upsweep_status NAME(parents_as_near)(upsweep *u, const usw_path_query *query,
                                            uint32_t *parent)
{
    const upsweep_graph *g = query->graph;
    const DIST *distance = query->distance;
    size_t n = g->vertices;
    /* round[v]: 1 + the round in which v was given its parent; 0: not yet. */
    uint32_t *round = usw_scratch(u, n * sizeof *round);
    uint32_t *before = usw_scratch(u, n * sizeof *before);
    uint32_t *after = usw_scratch(u, n * sizeof *after);
    if (round == NULL || before == NULL || after == NULL) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "no scratch for the parents of %zu vertices", n);
    }
    size_t count = 0;
    for (size_t v = 0; v < n; v++) {
        round[v] = parent[v] != UPSWEEP_NO_VERTEX;
    }
    for (size_t v = 0; v < n; v++) {
        if (round[v]) {
            before[count++] = (uint32_t)v;
        }
    }
    for (uint32_t r = 2; count > 0; r++) {
        size_t found = 0;
        for (size_t k = 0; k < count; k++) {
            uint32_t v = before[k];
            for (uint64_t a = g->begin[v]; a < g->begin[v + 1]; a++) {
                uint32_t head = ARC_HEAD(g, a);
                bool fresh = round[head] == 0 || round[head] == r;
                if (fresh && NAME(adopt)(g, distance, parent, v, a, true)) {
                    round[head] = r;
                    after[found++] = head;
                }
            }
        }
        uint32_t *t = before;
        before = after;
        after = t;
        count = found;
    }
    return UPSWEEP_OK;
}

static upsweep_status NAME(parents)(upsweep *u, const usw_path_query *query, uint32_t *parent)
{
    const upsweep_graph *g = query->graph;
    const DIST *distance = query->distance;
    size_t n = g->vertices, open = 0;
    for (size_t v = 0; v < n; v++) {
        parent[v] = UPSWEEP_NO_VERTEX;
    }
    for (size_t v = 0; v < n; v++) {
        for (uint64_t a = g->begin[v]; distance[v] != DIST_MAX && a < g->begin[v + 1]; a++) {
            NAME(adopt)(g, distance, parent, (uint32_t)v, a, false);
        }
    }
    for (size_t s = 0; s < query->source_count; s++) {
        parent[query->sources[s]] = query->sources[s]; /* until the end: has one */
    }
    for (size_t v = 0; v < n; v++) {
        open += distance[v] != DIST_MAX && parent[v] == UPSWEEP_NO_VERTEX;
    }
    upsweep_status status = open > 0 ? NAME(parents_as_near)(u, query, parent) : UPSWEEP_OK;
    for (size_t s = 0; s < query->source_count; s++) {
        parent[query->sources[s]] = UPSWEEP_NO_VERTEX;
    }
    return status;
}

#undef DIST
#undef DIST_MAX
#undef DIST_FLOAT
#undef ARC_HEAD
#undef ARC_WEIGHT
#undef ARC_LINE
#undef NAME
