/* part_bucket_queue.h - the body of path_bucket_cpu.h for one kind of weights (path_kind.h). */

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
        if (q->touched_count < q->touched_most) {
            q->touched[q->touched_count++] = e[i].vertex;
        }
        uint64_t end = g->begin[e[i].vertex + 1];
        for (uint64_t a = g->begin[e[i].vertex]; a < end; a++) {
            DIST next = REACH(d, ARC_WEIGHT(g, a));
            uint32_t head = ARC_HEAD(g, a);
            q->lost |= next == DIST_MAX;
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

/* Whether all targets have their distance, now that the bucket `current` is done. */
static bool NAME(have_targets)(const queue *q, const usw_path_query *query, NAME(width) w,
                               size_t *finished)
{
    const DIST *distance = query->distance;
    while (*finished < query->target_count &&
           NAME(number)(w, distance[query->targets[*finished]]) <= q->current) {
        (*finished)++;
    }
    return query->target_count > 0 && *finished == query->target_count;
}

static upsweep_status NAME(search)(usw_path_room *room, const usw_path_query *query)
{
    queue *q = queue_begin(room);
    NAME(width) w = NAME(width_of)(query->delta);
    DIST *distance = query->distance;
    DIST most = query->cutoff == NULL ? DIST_MAX : *(const DIST *)query->cutoff;
    for (size_t v = 0; v < query->graph->vertices && !room->wiped; v++) {
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
        if (NAME(have_targets)(q, query, w, &finished)) {
            return UPSWEEP_OK;
        }
        q->current++;
    }
    if (q->failed) {
        return UPSWEEP_ERROR_MEMORY;
    }
    return q->lost && usw_distance_lost(query, &room->culprit) ? UPSWEEP_ERROR_RANGE : UPSWEEP_OK;
}

/* Notes the vertices of entries that are left. */
static void NAME(note)(queue *q, const chunk *c)
{
    for (; c != NULL; c = c->next) {
        const NAME(entry) *e = (const NAME(entry) *)(const void *)c->entries;
        for (size_t i = 0; i < c->count && q->touched_count < q->touched_most; i++) {
            q->touched[q->touched_count++] = e[i].vertex;
        }
    }
}
