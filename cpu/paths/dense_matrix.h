/* dense_matrix.h - Dijkstra's search of a graph by rows and of a matrix, with the nearest vertex
 * found by vectors, for one kind of weights (cpu/paths/weight_kind.h). Included by
 * algo/path_dijkstra_cpu.h, which says what penalties and keys are. */
/* SPDX-License-Identifier: MIT */

/* Bits of distances that are not negative compare as the distances do. */
#if PATH_KIND == 2 || PATH_KIND == 4
#define BITS uint64_t
#else
#define BITS uint32_t
#endif

static inline BITS NAME(bits)(DIST d)
{
    BITS b;
    memcpy(&b, &d, sizeof b);
    return b;
}

static inline DIST NAME(distance_of)(uint64_t key)
{
    BITS b = (BITS)key;
    DIST d;
    memcpy(&d, &b, sizeof d);
    return d;
}

/* The first vertex from n->begin on whose key is n->key. */
static size_t NAME(vertex_of)(const nearest *n, const DIST *distance, const DIST *penalty)
{
    size_t v = n->begin;
    while (NAME(bits)(distance[v]) != n->key || NAME(bits)(penalty[v]) != 0) {
        v++;
    }
    return v;
}

/* The least key of all, and the block in which it is. */
static nearest NAME(find_nearest)(const DIST *distance, const DIST *penalty, size_t n)
{
    nearest best = {NAME(bits)(DIST_MAX), 0};
    for (size_t begin = 0; begin < n; begin += BLOCK) {
        size_t end = usw_min(n, begin + BLOCK);
        BITS least = NAME(bits)(DIST_MAX);
        for (size_t v = begin; v < end; v++) {
            BITS d = NAME(bits)(distance[v]), p = NAME(bits)(penalty[v]), key = d > p ? d : p;
            least = key < least ? key : least;
        }
        best = least < best.key ? (nearest){least, begin} : best;
    }
    return best;
}

static void NAME(start)(const usw_path_query *q, size_t n, DIST *penalty)
{
    DIST *distance = q->distance;
    for (size_t v = 0; v < n; v++) {
        distance[v] = DIST_MAX;
        penalty[v] = 0;
    }
    for (size_t s = 0; s < q->source_count; s++) {
        distance[q->sources[s]] = 0;
    }
}

/* Whether the distances of all targets are at most `settled`, the last one that became final. Then
 * they are final too, and only vertices at that distance are still settled. */
static bool NAME(done)(const usw_path_query *q, DIST settled, size_t *finished)
{
    const DIST *distance = q->distance;
    while (*finished < q->target_count && distance[q->targets[*finished]] <= settled) {
        (*finished)++;
    }
    return q->target_count > 0 && *finished == q->target_count;
}

/* Makes distances above `most`, the cutoff or the farthest target's, "not reached". */
static void NAME(finish)(const usw_path_query *q, size_t n, DIST most)
{
    DIST *distance = q->distance;
    for (size_t v = 0; v < n; v++) {
        distance[v] = distance[v] > most ? DIST_MAX : distance[v];
    }
}

/* A search of a graph by rows; memory has room for n penalties. */
static upsweep_status NAME(search)(usw_path_scratch *scratch, const usw_path_query *q, void *memory)
{
    DIST *penalty = memory;
    const upsweep_graph *g = q->graph;
    DIST *distance = q->distance, most = DIST_MAX;
    size_t n = g->vertices, finished = 0;
    if (q->cutoff != NULL) {
        memcpy(&most, q->cutoff, sizeof most);
    }
    bool lost = false;
    USW_ROUTE_OF("search", USW_NO_TYPES);
    NAME(start)(q, n, penalty);
    for (size_t settled = 0; settled < n; settled++) {
        nearest next = NAME(find_nearest)(distance, penalty, n);
        DIST d = NAME(distance_of)(next.key);
        if (d == DIST_MAX || d > most) {
            break;
        }
        size_t v = NAME(vertex_of)(&next, distance, penalty);
        penalty[v] = DIST_MAX;
        for (uint64_t a = g->begin[v]; a < g->begin[v + 1]; a++) {
            DIST way = REACH(d, ARC_WEIGHT(g, a));
            uint32_t head = ARC_HEAD(g, a);
            lost = lost || way == DIST_MAX;
            distance[head] = way < distance[head] ? way : distance[head];
        }
        most = NAME(done)(q, d, &finished) ? d : most;
    }
    NAME(finish)(q, n, most);
    return lost && most == DIST_MAX && usw_distance_lost(q, &scratch->culprit) ? UPSWEEP_ERROR_RANGE
                                                                               : UPSWEEP_OK;
}

#if PATH_KIND > 0
/* One sweep over a row of the matrix: relaxes its arcs and finds the vertex to be settled next.
 * *odd: a weight is negative or NaN, or (integers) a sum did not fit. */
static nearest NAME(relax_row)(const DIST *restrict row, DIST d, DIST *restrict distance,
                               const DIST *restrict penalty, size_t n, bool *odd)
{
    USW_ROUTE_OF("a row of a matrix", USW_NO_TYPES);
    nearest best = {NAME(bits)(DIST_MAX), 0};
    BITS strange = 0;
    for (size_t begin = 0; begin < n; begin += BLOCK) {
        size_t end = usw_min(n, begin + BLOCK);
        BITS least = NAME(bits)(DIST_MAX);
        for (size_t v = begin; v < end; v++) {
#ifdef DIST_FLOAT
            strange |= (BITS)(NAME(bits)(row[v]) > NAME(bits)(DIST_MAX));
            DIST way = d + row[v];
#else
            DIST limit = DIST_MAX - d;
            strange |= (BITS)((DIST)(row[v] - limit) < d);
            DIST way = row[v] >= limit ? DIST_MAX : d + row[v];
#endif
            DIST was = distance[v], now = way < was ? way : was;
            distance[v] = now;
            BITS b = NAME(bits)(now), p = NAME(bits)(penalty[v]), key = b > p ? b : p;
            least = key < least ? key : least;
        }
        best = least < best.key ? (nearest){least, begin} : best;
    }
    *odd = strange != 0;
    return best;
}

/* Fails if the row, in which relax_row found something odd, has a weight that is negative or NaN.
 * The diagonal may hold anything. */
static upsweep_status NAME(look_at_row)(upsweep *u, const DIST *row, size_t from, size_t n)
{
#ifdef DIST_FLOAT
    for (size_t v = 0; v < n; v++) {
        if (v != from && !(row[v] >= 0)) {
            return usw_fail(u, UPSWEEP_ERROR_RANGE, "the arc from %zu to %zu has the weight %g",
                            from, v, (double)row[v]);
        }
    }
#else
    (void)u, (void)row, (void)from, (void)n;
#endif
    return UPSWEEP_OK;
}

/* Finds parents as for graphs by rows: the least id of the nearer vertices, else a search by rounds
 * along arcs of weight 0. round, order: as in parents_by_rounds (cpu/paths/parents_body.h). */
static void NAME(matrix_parents)(const usw_dense_query *q, uint32_t *parent, uint32_t *round,
                                 uint32_t *order)
{
    USW_ROUTE_OF("parents of a matrix", USW_NO_TYPES);
    const DIST *distance = q->q.distance, *matrix = q->matrix;
    size_t n = q->n, begin = 0, end = 0;
    memset(parent, 0xff, n * sizeof *parent);
    for (size_t i = 0; i < n; i++) {
        for (size_t v = 0; distance[i] != DIST_MAX && v < n; v++) {
            bool nearer = distance[i] < distance[v] && distance[v] != DIST_MAX;
            DIST way = REACH(distance[i], matrix[i * n + v]);
            parent[v] = nearer && way == distance[v] && i < parent[v] ? (uint32_t)i : parent[v];
        }
    }
    memset(round, 0, n * sizeof *round);
    for (size_t s = 0; s < q->q.source_count; s++) {
        round[q->q.sources[s]] = 1;
    }
    for (uint32_t v = 0; v < n; v++) {
        round[v] |= parent[v] != UPSWEEP_NO_VERTEX;
        order[end] = v;
        end += round[v];
    }
    for (uint32_t r = 2; begin < end; r++) {
        size_t found = end;
        for (size_t k = begin; k < end; k++) {
            uint32_t i = order[k];
            for (size_t v = 0; v < n; v++) {
                bool fits = distance[v] == distance[i] && v != i &&
                            REACH(distance[i], matrix[i * n + v]) == distance[v];
                if (!fits || (round[v] != 0 && round[v] != r)) {
                    continue;
                }
                if (round[v] == 0) {
                    order[found++] = (uint32_t)v;
                }
                round[v] = r;
                parent[v] = i < parent[v] ? i : parent[v];
            }
        }
        begin = end;
        end = found;
    }
}

/* Whether d and the weight of an arc may add up to infinity. Only a d of at least half the
 * step between the two greatest numbers can. Integers that do not fit relax_row calls odd. */
static inline bool NAME(is_far)(DIST d)
{
#ifdef DIST_FLOAT
    return d >= (DIST)(sizeof d == 4 ? 0x1p103 : 0x1p970);
#else
    (void)d;
    return false;
#endif
}

/* Fails if an arc leads from a reached vertex to one that is not: its distance did not fit. */
static upsweep_status NAME(check_fit)(upsweep *u, const usw_dense_query *q)
{
    const DIST *distance = q->q.distance, *matrix = q->matrix;
    size_t n = q->n;
    for (size_t i = 0; i < n; i++) {
        for (size_t v = 0; distance[i] != DIST_MAX && v < n; v++) {
            if (v != i && distance[v] == DIST_MAX && matrix[i * n + v] != DIST_MAX) {
                return usw_fail(u, UPSWEEP_ERROR_RANGE,
                                "the distance of vertex %zu does not fit %zu bits", v,
                                8 * sizeof(DIST));
            }
        }
    }
    return UPSWEEP_OK;
}

/* A search of a matrix, with parents unless parent is NULL. */
static upsweep_status NAME(dense)(upsweep *u, const usw_dense_query *q, DIST *penalty,
                                  uint32_t *parent, uint32_t *work)
{
    DIST *distance = q->q.distance, most = DIST_MAX;
    const DIST *matrix = q->matrix;
    size_t n = q->n, finished = 0;
    if (q->q.cutoff != NULL) {
        memcpy(&most, q->q.cutoff, sizeof most);
    }
    bool lost = false;
    upsweep_status status = UPSWEEP_OK;
    NAME(start)(&q->q, n, penalty);
    nearest next = NAME(find_nearest)(distance, penalty, n);
    while (status == UPSWEEP_OK && next.key < NAME(bits)(DIST_MAX) &&
           NAME(distance_of)(next.key) <= most) {
        size_t v = NAME(vertex_of)(&next, distance, penalty);
        DIST d = distance[v];
        bool odd = false;
        penalty[v] = DIST_MAX;
        next = NAME(relax_row)(matrix + v * n, d, distance, penalty, n, &odd);
        distance[v] = d; /* whatever the diagonal holds */
        status = odd ? NAME(look_at_row)(u, matrix + v * n, v, n) : status;
        lost = lost || odd || NAME(is_far)(d);
        most = NAME(done)(&q->q, d, &finished) ? d : most;
    }
    if (status == UPSWEEP_OK) {
        NAME(finish)(&q->q, n, most);
        status = lost && most == DIST_MAX ? NAME(check_fit)(u, q) : status;
    }
    if (status == UPSWEEP_OK && parent != NULL) {
        NAME(matrix_parents)(q, parent, work, work + n);
    }
    return status;
}
#endif

#undef BITS
