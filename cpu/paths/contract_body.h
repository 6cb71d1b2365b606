/* contract_body.h - the loops of a contraction (cpu/paths/contract.h) over arcs and distances, for
 * one kind of weights (cpu/paths/weight_kind.h). Included by contract.c. */
/* SPDX-License-Identifier: MIT */

/* Arcs between a vertex and one neighbour; DIST_MAX: none. */
typedef struct NAME(link) {
    uint32_t to;
    DIST out, in;
} NAME(link);

/* A vertex that was passed over, its neighbours at that time, and the arcs from them. */
typedef struct NAME(down) {
    uint32_t vertex, from[2];
    DIST in[2];
} NAME(down);

/* The arcs from that vertex to those neighbours. */
typedef struct NAME(up) {
    DIST out[2];
} NAME(up);

/* Whether no weight is negative, infinite or has a fraction: all are integers below 2^63. */
static bool NAME(is_whole)(const upsweep_graph *g)
{
    bool whole = true;
#ifdef DIST_FLOAT
    for (size_t a = 0; a < g->arcs && whole; a++) {
        DIST w = ARC_WEIGHT(g, a);
        whole = w >= 0 && w < (DIST)0x1p63 && w == (DIST)(uint64_t)w;
    }
#else
    (void)g;
#endif
    return whole;
}

/* ---- the neighbours of each vertex ---- */

/* Neighbour number i of v. */
static uint32_t NAME(neighbour)(const links *l, uint32_t v, size_t i)
{
    return ((const NAME(link) *)l->link)[l->begin[v] + i].to;
}

/* Adds a link to the row of v. Links to the same vertex become one, as long as the row is short. */
static void NAME(add)(links *l, uint32_t v, NAME(link) k)
{
    NAME(link) *row = (NAME(link) *)l->link + l->begin[v];
    size_t count = l->count[v];
    for (size_t i = 0; i < count && count <= SHORT; i++) {
        if (row[i].to == k.to) {
            row[i].out = k.out < row[i].out ? k.out : row[i].out;
            row[i].in = k.in < row[i].in ? k.in : row[i].in;
            return;
        }
    }
    row[count] = k;
    l->count[v]++;
}

/* Counts the arcs into each vertex; in a symmetric graph these are the arcs that leave it. */
static void NAME(count_arcs_in)(const upsweep_graph *g, links *l)
{
    for (size_t a = 0; a < g->arcs && !g->symmetric; a++) {
        l->count[ARC_HEAD(g, a)]++;
    }
}

static void NAME(gather)(const upsweep_graph *g, links *l)
{
    for (size_t v = 0; v < g->vertices; v++) {
        for (uint64_t a = g->begin[v]; a < g->begin[v + 1]; a++) {
            uint32_t head = ARC_HEAD(g, a);
            DIST w = ARC_WEIGHT(g, a);
            if (head == v) {
                continue;
            }
            NAME(add)(l, (uint32_t)v, (NAME(link)){head, w, g->symmetric ? w : DIST_MAX});
            if (!g->symmetric) {
                NAME(add)(l, head, (NAME(link)){(uint32_t)v, DIST_MAX, w});
            }
        }
    }
}

/* ---- passing over ---- */

/* In the row of v, replaces the link to `old` by `next`, or drops it if next is NULL. */
static void NAME(replace)(links *l, uint32_t v, uint32_t old, const NAME(link) * next)
{
    NAME(link) *row = (NAME(link) *)l->link + l->begin[v];
    size_t i = 0;
    while (row[i].to != old) {
        i++;
    }
    row[i] = row[--l->count[v]];
    if (next != NULL) {
        NAME(add)(l, v, *next);
    }
}

/* Notes v and its neighbours under its rank, and links the neighbours with each other. */
static void NAME(pass_over)(links *l, uint32_t v, size_t rank)
{
    USW_ROUTE_OF("a vertex is passed over", USW_NO_TYPES);
    const NAME(link) *row = (NAME(link) *)l->link + l->begin[v];
    NAME(down) *down = (NAME(down) *)l->down + rank;
    size_t count = l->count[v];
    down->vertex = v;
    for (size_t i = 0; i < 2; i++) {
        NAME(link) k = i < count ? row[i] : (NAME(link)){v, DIST_MAX, DIST_MAX};
        down->from[i] = k.to;
        down->in[i] = k.in;
        if (l->up != NULL) {
            ((NAME(up) *)l->up)[rank].out[i] = k.out;
        }
    }
    if (count == 1) {
        NAME(replace)(l, row[0].to, v, NULL);
    } else if (count == 2) {
        NAME(link) a = row[0], b = row[1];
        DIST there = REACH(a.in, b.out), back = REACH(b.in, a.out);
        NAME(link) ab = {b.to, there, back}, ba = {a.to, back, there};
        bool any = there != DIST_MAX || back != DIST_MAX;
        NAME(replace)(l, a.to, v, any ? &ab : NULL);
        NAME(replace)(l, b.to, v, any ? &ba : NULL);
    }
}

/* ---- the core ---- */

/* Writes the rows of the core, from the links that are left; returns how many arcs. head NULL: only
 * counts. */
static size_t NAME(core_arcs)(const links *l, const uint32_t *rank, size_t passed,
                              const uint32_t *vertex, size_t count, uint64_t *begin, uint32_t *head,
                              void *weight)
{
    size_t at = 0;
    for (size_t c = 0; c < count; c++) {
        const NAME(link) *row = (const NAME(link) *)l->link + l->begin[vertex[c]];
        begin[c] = at;
        for (size_t i = 0; i < l->count[vertex[c]]; i++) {
            if (row[i].out != DIST_MAX) {
                if (head != NULL) {
                    head[at] = (uint32_t)(rank[row[i].to] - passed);
                    ((DIST *)weight)[at] = row[i].out;
                }
                at++;
            }
        }
    }
    begin[count] = at;
    return at;
}

/* ---- queries ---- */

/* Gives distances to all vertices on paths from the sources along which ranks rise. Vertices are
 * taken by rank, so that each has its distance by such paths when it is taken. Returns how many
 * vertices of the core are reached. */
static size_t NAME(climb)(const usw_climb *c, const usw_path_query *q)
{
    USW_ROUTE_OF("up to the core", USW_NO_TYPES);
    const usw_contraction *k = q->graph->contraction;
    const NAME(down) *down = k->down;
    const NAME(up) *up = k->up;
    DIST *distance = q->distance, *offset = c->offsets;
    size_t met = 0, first = SIZE_MAX;
    for (size_t s = 0; s < q->source_count; s++) {
        size_t r = k->rank[q->sources[s]];
        distance[q->sources[s]] = 0;
        c->mark[r / 64] |= UINT64_C(1) << r % 64;
        first = usw_min(first, r / 64);
    }
    for (size_t w = first; w <= q->graph->vertices / 64 && q->source_count > 0; w++) {
        while (c->mark[w] != 0) {
            size_t r = w * 64 + (size_t)__builtin_ctzll(c->mark[w]);
            c->mark[w] &= c->mark[w] - 1;
            if (r >= k->passed) {
                c->sources[met] = (uint32_t)(r - k->passed);
                offset[met++] = distance[k->vertex[r - k->passed]];
                continue;
            }
            DIST d = distance[down[r].vertex];
            for (size_t i = 0; i < 2; i++) {
                uint32_t to = down[r].from[i];
                DIST way = REACH(d, up == NULL ? down[r].in[i] : up[r].out[i]);
                if (way < distance[to]) {
                    distance[to] = way;
                    c->mark[k->rank[to] / 64] |= UINT64_C(1) << k->rank[to] % 64;
                }
            }
        }
    }
    return met;
}

/* Copies the core's distances, and makes those of the other vertices from their neighbours, last
 * rank first. */
static void NAME(descend)(const usw_climb *c, const usw_path_query *q)
{
    USW_ROUTE_OF("down from the core", USW_NO_TYPES);
    const usw_contraction *k = q->graph->contraction;
    const NAME(down) *down = k->down;
    const DIST *core = c->distance;
    DIST *distance = q->distance, most = DIST_MAX;
    if (q->cutoff != NULL) {
        memcpy(&most, q->cutoff, sizeof most);
    }
    for (size_t i = 0; i < k->core->vertices; i++) {
        distance[k->vertex[i]] = core[i] <= most ? core[i] : DIST_MAX;
    }
    for (size_t r = k->passed; r-- > 0;) {
        const NAME(down) *p = &down[r];
        DIST a = REACH(distance[p->from[0]], p->in[0]), b = REACH(distance[p->from[1]], p->in[1]);
        DIST d = distance[p->vertex];
        d = a < d ? a : d;
        d = b < d ? b : d;
        distance[p->vertex] = d <= most ? d : DIST_MAX;
    }
}
