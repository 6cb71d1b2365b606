/* parents.c - what every search for shortest paths needs beside the search: distances made "not
 * reached", sums that did not fit found, and parents made from final distances. */
/* SPDX-License-Identifier: MIT */
#include "core/paths.h"

#define PATH_SIGNED
#define PATH_BODY "cpu/paths/parents_body.h"
#include "cpu/paths/each_weight_kind.h"

void usw_distances_clear(const upsweep_graph *g, void *distance, const uint32_t *list, size_t count)
{
    BY_ANY_KIND(g, clear)(distance, list, count);
}

bool usw_distance_is_set(const upsweep_graph *g, const void *distance, size_t v)
{
    return BY_ANY_KIND(g, is_set)(distance, v);
}

void usw_distances_forget(const usw_path_query *q)
{
    BY_KIND(q->graph, forget)(q);
}

bool usw_distance_lost(const usw_path_query *q, uint32_t *culprit)
{
    return q->cutoff == NULL && BY_ANY_KIND(q->graph, lost)(q, culprit);
}

void usw_path_parents(const usw_path_query *q, const uint32_t *list, size_t count, uint32_t *parent,
                      uint32_t *work)
{
    BY_KIND(q->graph, parents)(q, list, count, parent, work);
}

void usw_path_parents_by_rounds(const usw_path_query *q, uint32_t *parent, uint32_t *work)
{
    BY_ANY_KIND(q->graph, parents_from_sources)(q, parent, work);
}
