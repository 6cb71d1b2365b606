/* bucket_ask.h - the cache lines that a search asks for before it reads them, where its graph does
 * not fit a cache. Included by cpu/paths/bucket_queue.h, for one kind of weights. */
/* SPDX-License-Identifier: MIT */

/* Prefetches what relaxing the entries [e, end) reads first: distances, and where rows begin. */
static inline void NAME(ask_rows)(const NAME(run) * r, const NAME(entry) * e,
                                  const NAME(entry) * end)
{
    for (; e < end; e++) {
        __builtin_prefetch(&r->distance[e->vertex]);
        __builtin_prefetch(&r->g->begin[e->vertex]);
    }
}

/* Whether, by a few rows, a quarter of the arcs leads no farther than NEAR from the number of its
 * tail: grids and sorted maps, where a search soon wants the arcs of those beside it, too. */
static bool NAME(lies_near)(const upsweep_graph *g)
{
    size_t arcs = 0, near = 0;
    for (size_t i = 0; i < NEAR_SAMPLE; i++) {
        size_t v = g->vertices / NEAR_SAMPLE * i;
        for (uint64_t a = g->begin[v]; a < g->begin[v + 1] && a < g->begin[v] + HEADS; a++) {
            uint64_t beside = ARC_HEAD(g, a) - (uint64_t)v + NEAR;
            arcs++;
            near += beside <= 2 * NEAR;
        }
    }
    return 4 * near >= arcs && arcs > 0;
}

/* Prefetches the first arcs of those entries, for which `begin` has to be in the cache; near: and
 * those beside them. Inlined, since gcc leaves out calls of a function that does nothing else. */
static inline __attribute__((always_inline)) void
NAME(ask_arcs)(const NAME(run) * r, const NAME(entry) * e, const NAME(entry) * end, bool near)
{
    for (; e < end; e++) {
        uintptr_t line = (uintptr_t)ARC_LINE(r->g, r->g->begin[e->vertex]);
        __builtin_prefetch((const void *)line);
        if (near) {
            __builtin_prefetch((const void *)(line - NEAR_BYTES));
            __builtin_prefetch((const void *)(line + NEAR_BYTES));
        }
#if PATH_KIND == 2 || PATH_KIND == 4
        __builtin_prefetch(&r->g->weight64[r->g->begin[e->vertex]]);
#endif
    }
}
