/* contract.c - makes contractions of graphs (contract.h says what they are), and the queries for
 * their cores. */
/* SPDX-License-Identifier: MIT */
#include "cpu/paths/contract.h"

/* Rows with more neighbours than this stay as they are, and so do their neighbours. */
enum { SHORT = 64 };
/* Where connected parts have fewer vertices than this on average, no core is made: the sweep over
 * all vertices would cost a search more than the core saves. */
enum { PARTS = 16 };

/* The neighbours of each vertex while vertices are passed over: count[v] links from begin[v] on. */
typedef struct links {
    uint64_t *begin;
    uint32_t *count;
    void *link;
    void *down, *up;
} links;

#define PATH_BODY "contract_body.h"
#include "cpu/paths/each_weight_kind.h"

static bool is_wide(const upsweep_graph *g)
{
    return upsweep_type_bytes(g->weight_type) == 8;
}

/* Sums of whole weights below this are not rounded; 0: weights of the type are not contracted. */
static double exact_below(upsweep_type type)
{
    return type == 0 || type == UPSWEEP_U32 ? 0x1p31
           : type == UPSWEEP_U64            ? 0x1p63
           : type == UPSWEEP_F32            ? 0x1p24
           : type == UPSWEEP_F64            ? 0x1p53
                                            : 0;
}

/* Whether half of all vertices have so few arcs that they may be passed over, and sums of weights
 * do not depend on the order of adding. */
static bool is_worth_trying(const upsweep_graph *g)
{
    size_t few = 0;
    if (!(g->longest < exact_below(g->weight_type)) || g->vertices <= 2) {
        return false;
    }
    for (size_t v = 0; v < g->vertices; v++) {
        few += g->begin[v + 1] - g->begin[v] <= 2;
    }
    return few >= g->vertices / 2 && BY_KIND(g, is_whole)(g);
}

/* Makes the links of all vertices; false: no scratch. */
static bool begin_links(upsweep *u, const upsweep_graph *g, links *l)
{
    size_t n = g->vertices, all = 0;
    size_t link = is_wide(g) ? sizeof(link_u64) : sizeof(link_u32);
    l->begin = usw_scratch(u, (n + 1) * sizeof *l->begin);
    l->count = usw_scratch(u, n * sizeof *l->count);
    l->link = usw_scratch(u, (g->arcs * (g->symmetric ? 1 : 2) + 1) * link);
    if (l->begin == NULL || l->count == NULL || l->link == NULL) {
        return false;
    }
    memset(l->count, 0, n * sizeof *l->count);
    BY_KIND(g, count_arcs_in)(g, l);
    for (size_t v = 0; v < n; v++) {
        l->begin[v] = all;
        all += g->begin[v + 1] - g->begin[v] + l->count[v];
    }
    memset(l->count, 0, n * sizeof *l->count);
    BY_KIND(g, gather)(g, l);
    return true;
}

/* Whether v may be passed over: it has two neighbours at most, whose rows are short. */
static bool may_pass(const upsweep_graph *g, const links *l, uint32_t v)
{
    bool may = l->count[v] <= 2;
    for (size_t i = 0; may && i < l->count[v]; i++) {
        may = l->count[BY_KIND(g, neighbour)(l, v, i)] <= SHORT;
    }
    return may;
}

/* Passes over all vertices that may be: first in the order of their numbers, then those that come
 * to have two neighbours. rank is UINT32_MAX for vertices that are left. Returns how many it passed
 * over; *isolated gets how many of these had no neighbour at last: one for each connected part of
 * which nothing is left. */
static size_t pass_over_all(const upsweep_graph *g, links *l, uint32_t *queue, uint32_t *rank,
                            size_t *isolated)
{
    size_t n = g->vertices, end = 0, passed = 0;
    *isolated = 0;
    for (size_t v = 0; v < n; v++) {
        rank[v] = UINT32_MAX;
        if (l->count[v] <= 2) {
            queue[end++] = (uint32_t)v;
        }
    }
    for (size_t i = 0; i < end; i++) {
        uint32_t v = queue[i], next[2] = {v, v};
        size_t count = l->count[v], before[2];
        if (!may_pass(g, l, v)) {
            continue;
        }
        for (size_t k = 0; k < count; k++) {
            next[k] = BY_KIND(g, neighbour)(l, v, k);
            before[k] = l->count[next[k]];
        }
        BY_KIND(g, pass_over)(l, v, passed);
        rank[v] = (uint32_t)passed++;
        *isolated += count == 0;
        for (size_t k = 0; k < count; k++) {
            if (before[k] > 2 && l->count[next[k]] <= 2) {
                queue[end++] = next[k];
            }
        }
    }
    return passed;
}

/* Makes the core of the vertices that are left, and numbers them. False: no memory. */
static bool make_core(upsweep *u, upsweep_graph *g, const links *l, usw_contraction *c)
{
    size_t count = 0, wide = is_wide(g) ? 8 : 4;
    for (size_t v = 0; v < g->vertices; v++) {
        if (c->rank[v] == UINT32_MAX) {
            c->rank[v] = (uint32_t)(c->passed + count);
            c->vertex[count++] = (uint32_t)v;
        }
    }
    uint64_t *begin = usw_scratch(u, (count + 1) * sizeof *begin);
    if (begin == NULL) {
        return false;
    }
    size_t arcs = BY_KIND(g, core_arcs)(l, c->rank, c->passed, c->vertex, count, begin, NULL, NULL);
    uint32_t *head = usw_scratch(u, arcs * sizeof *head + 1);
    void *weight = usw_scratch(u, arcs * wide + 1);
    if (head == NULL || weight == NULL) {
        return false;
    }
    BY_KIND(g, core_arcs)(l, c->rank, c->passed, c->vertex, count, begin, head, weight);
    upsweep_type type = g->weight_type == 0 ? UPSWEEP_U32 : g->weight_type;
    c->core = usw_graph_of_rows(u, count, begin, head, weight, type);
    if (c->core != NULL) {
        c->core->longest = g->longest;
    }
    return c->core != NULL;
}

/* Copies the contraction from scratch to a block of its own. NULL: no memory. */
static usw_contraction *keep(upsweep *u, upsweep_graph *g, const links *l, const uint32_t *rank,
                             size_t passed)
{
    size_t n = g->vertices, down = is_wide(g) ? sizeof(down_u64) : sizeof(down_u32);
    size_t up = g->symmetric ? 0 : is_wide(g) ? sizeof(up_u64) : sizeof(up_u32);
    size_t bytes = 64 + passed * (down + up) + n * 4 + (n - passed) * 4;
    char *at = usw_allocate(u, bytes, 64);
    usw_contraction *c = (usw_contraction *)(void *)at;
    if (c == NULL) {
        return NULL;
    }
    _Static_assert(sizeof *c <= 64, "the head of the block");
    *c = (usw_contraction){.passed = passed, .down = at + 64, .bytes = bytes};
    c->up = up == 0 ? NULL : at + 64 + passed * down;
    c->rank = (uint32_t *)(void *)(at + 64 + passed * (down + up));
    c->vertex = c->rank + n;
    memcpy(c->down, l->down, passed * down);
    if (up != 0) {
        memcpy(c->up, l->up, passed * up);
    }
    memcpy(c->rank, rank, n * sizeof *rank);
    if (!make_core(u, g, l, c)) {
        usw_release(u, c, bytes);
        return NULL;
    }
    return c;
}

void usw_contract(upsweep *u, upsweep_graph *g)
{
    size_t n = g->vertices, isolated = 0;
    size_t down = is_wide(g) ? sizeof(down_u64) : sizeof(down_u32);
    size_t up = is_wide(g) ? sizeof(up_u64) : sizeof(up_u32);
    links l;
    usw_mark mark = usw_scratch_mark(u);
    if (!is_worth_trying(g) || !begin_links(u, g, &l)) {
        usw_scratch_reset(u, mark);
        return;
    }
    uint32_t *queue = usw_scratch(u, n * sizeof *queue);
    uint32_t *rank = usw_scratch(u, n * sizeof *rank);
    l.down = usw_scratch(u, n * down);
    l.up = g->symmetric ? NULL : usw_scratch(u, n * up);
    if (queue != NULL && rank != NULL && l.down != NULL && (g->symmetric || l.up != NULL)) {
        size_t passed = pass_over_all(g, &l, queue, rank, &isolated);
        if (passed >= n / 2 && isolated <= n / PARTS) {
            USW_ROUTE_OF("contracted", USW_NO_TYPES);
            g->contraction = keep(u, g, &l, rank, passed);
        }
    }
    if (g->contraction != NULL) {
        g->bytes += g->contraction->bytes + g->contraction->core->bytes;
    }
    usw_scratch_reset(u, mark);
}

/* ---- queries ---- */

bool usw_search_contracted(const usw_path_form *form, usw_path_scratch *scratch,
                           const usw_path_query *q, upsweep_status *status)
{
    enum { NEAR = 16 }; /* gives up after this share of all vertices */
    if (q->target_count == 0 && q->cutoff == NULL) {
        return false;
    }
    scratch->patience = q->graph->vertices / NEAR + 1;
    *status = form->search(scratch, q);
    scratch->patience = 0;
    USW_ROUTE_IF(*status == UPSWEEP_OK && scratch->gave_up, "more than a few vertices are near",
                 USW_NO_TYPES);
    USW_ROUTE_IF(*status == UPSWEEP_OK && !scratch->gave_up, "few vertices are near", USW_NO_TYPES);
    return *status != UPSWEEP_OK || !scratch->gave_up;
}

bool usw_climb_begin(upsweep *u, const upsweep_graph *g, usw_climb *c)
{
    size_t count = g->contraction->core->vertices, words = g->vertices / 64 + 1;
    size_t wide = is_wide(g) ? 8 : 4;
    c->distance = usw_scratch(u, count * wide + 1);
    c->mark = usw_scratch(u, words * sizeof *c->mark);
    c->sources = usw_scratch(u, count * sizeof *c->sources + 1);
    c->offsets = usw_scratch(u, count * wide + 1);
    if (c->distance == NULL || c->mark == NULL || c->sources == NULL || c->offsets == NULL) {
        return false;
    }
    memset(c->mark, 0, words * sizeof *c->mark);
    return true;
}

usw_path_query usw_climb_up(const usw_climb *c, const usw_path_query *q, bool cleared, double delta)
{
    const upsweep_graph *core = q->graph->contraction->core;
    if (!cleared) {
        usw_distances_clear(q->graph, q->distance, NULL, q->graph->vertices);
    }
    size_t met = BY_KIND(q->graph, climb)(c, q);
    return (usw_path_query){.graph = core,
                            .sources = c->sources,
                            .offsets = c->offsets,
                            .source_count = met,
                            .distance = c->distance,
                            .cutoff = q->cutoff,
                            .delta = delta > 0 ? delta : usw_choose_delta(core)};
}

void usw_climb_down(const usw_climb *c, const usw_path_query *q)
{
    BY_KIND(q->graph, descend)(c, q);
}
