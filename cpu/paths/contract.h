/* contract.h - a graph without the vertices that lie on chains and in dead ends.
 *
 * Most vertices of a road map have two neighbours: they give the road its shape. When a graph is
 * made, vertices with at most two neighbours are passed over one after another, each replaced by an
 * arc between its neighbours, until every one that is left, the core, has three or more. A search
 * then climbs from its sources into the core, searches there, and gives those that were passed over
 * their distances in one sweep, last first: each from its two neighbours. One that ends at targets
 * or a cutoff may have little to do, and the sweep is over all vertices: so it first tries without.
 *
 * Only for whole weights, those of floating-point types among them if all sums are exact: adding
 * others in another order would change them.
 *
 * Source: R. Geisberger, P. Sanders, D. Schultes, D. Delling, Contraction hierarchies, WEA 2008; D.
 * Delling, A. Goldberg, A. Nowatzyk, R. Werneck, PHAST, IPDPS 2011 (the sweep). */
#ifndef USW_CPU_PATHS_CONTRACT_H
#define USW_CPU_PATHS_CONTRACT_H

#include "core/paths.h"

struct usw_contraction {
    upsweep_graph *core;
    size_t passed;  /* vertices that are not in the core */
    uint32_t *rank; /* of each vertex: when it was passed over; in the core: passed + its number */
    uint32_t *vertex; /* of each number in the core */
    void *down;       /* of each rank: the vertex, the neighbours it had then, the arcs from them */
    void *up;         /* and the arcs to them */
    size_t bytes;     /* of this block; the core has its own */
};

/* What a search in a contracted graph needs beside the room of a search. */
typedef struct usw_climb {
    void *distance;    /* of each vertex in the core */
    uint64_t *mark;    /* a bit a rank, all 0 between two searches */
    uint32_t *sources; /* in the core, */
    void *offsets;     /* and how far each is */
} usw_climb;

/* Contracts g if that leaves at most half of it and it has whole weights, else does nothing. */
void usw_contract(upsweep *u, upsweep_graph *g);
/* The part of a query with targets or a cutoff that goes without the core. True: that was all, with
 * *status; false: it is longer, or has none, and takes the core. */
bool usw_search_contracted(const usw_path_form *form, usw_path_scratch *room,
                           const usw_path_query *q, upsweep_status *status);
/* False: no scratch. */
bool usw_climb_begin(upsweep *u, const upsweep_graph *g, usw_climb *c);
/* The query for the core. cleared: all distances are "not reached" already. delta: asked for, or
 * 0. */
usw_path_query usw_climb_up(const usw_climb *c, const usw_path_query *q, bool cleared,
                            double delta);
/* From the core's distances to those of all within the cutoff. */
void usw_climb_down(const usw_climb *c, const usw_path_query *q);

#endif
