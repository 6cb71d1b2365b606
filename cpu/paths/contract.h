/* contract.h - makes a smaller graph without the vertices that lie on chains and in dead ends, and
 * answers queries by it.
 *
 * Most vertices of a road map have two neighbours: they give the road its shape. When a graph is
 * made, vertices with at most two neighbours are passed over one after another, each replaced by an
 * arc between its neighbours, until every vertex that is left has three or more: the core. A search
 * then climbs from its sources into the core, searches there, and gives the vertices that were
 * passed over their distances in one sweep, last first: each from its two neighbours. A search that
 * ends at targets or a cutoff may reach few vertices, while the sweep is over all, so it first
 * tries without the core.
 *
 * Only for whole weights, also of floating-point types if all sums are exact: sums of other weights
 * depend on the order of adding.
 *
 * Source: R. Geisberger, P. Sanders, D. Schultes, D. Delling, Contraction hierarchies, WEA 2008; D.
 * Delling, A. Goldberg, A. Nowatzyk, R. Werneck, PHAST, IPDPS 2011 (the sweep). */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CPU_PATHS_CONTRACT_H
#define USW_CPU_PATHS_CONTRACT_H

#include "core/paths.h"

struct usw_contraction {
    upsweep_graph *core;
    size_t passed;    /* vertices that are not in the core */
    uint32_t *rank;   /* [vertex] when it was passed over; in the core: passed + its number there */
    uint32_t *vertex; /* [number in the core] its vertex in the whole graph */
    void *down;       /* [rank] the vertex, its neighbours at that time, the arcs from them */
    void *up;         /* [rank] the arcs to them; NULL: symmetric, as those from them */
    size_t bytes;     /* of this block; the core has its own */
};

/* What a search in a contracted graph needs beside usw_path_scratch. */
typedef struct usw_climb {
    void *distance;    /* [number in the core] */
    uint64_t *mark;    /* a bit a rank, all 0 between two searches */
    uint32_t *sources; /* of the search in the core, by their numbers there, */
    void *offsets;     /* and the distance of each */
} usw_climb;

/* Contracts g if its weights are whole, its core has at most half of its vertices, and it is not in
 * many small parts. */
void usw_contract(upsweep *u, upsweep_graph *g);
/* Tries a query that has targets or a cutoff without the core, and gives up when it has reached
 * more than a few vertices. True: it is done, with *status. False: it takes the core. */
bool usw_search_contracted(const usw_path_form *form, usw_path_scratch *scratch,
                           const usw_path_query *q, upsweep_status *status);
/* Takes scratch for queries; false: there is too little. */
bool usw_climb_begin(upsweep *u, const upsweep_graph *g, usw_climb *c);
/* Climbs from the sources to the core and returns the query for it. cleared: all distances are "not
 * reached" already. delta: the width of a bucket that was asked for, or 0. */
usw_path_query usw_climb_up(const usw_climb *c, const usw_path_query *q, bool cleared,
                            double delta);
/* Makes the distances of all vertices within the cutoff from those of the core. */
void usw_climb_down(const usw_climb *c, const usw_path_query *q);

#endif
