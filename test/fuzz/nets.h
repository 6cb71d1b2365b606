/* nets.h - small graphs, and their shortest paths by Bellman and Ford's method as it is written
 * down, in the arithmetic of the weights' type. */
/* SPDX-License-Identifier: MIT */
#ifndef FUZZ_NETS_H
#define FUZZ_NETS_H

#include "test/fuzz/fuzz.h"

typedef struct fuzz_arc {
    uint32_t tail, head;
    long double weight;
} fuzz_arc;

typedef struct fuzz_net {
    size_t n, m; /* vertices; arcs as they are given */
    upsweep_type type;
    unsigned flags;
    uint32_t *tail, *head;
    unsigned char *weight; /* elements of the type */
    uint64_t *begin;       /* NULL, or the arcs are in rows */
    size_t count;          /* of arcs as they are meant: undirected ones both ways */
    fuzz_arc *arc;
} fuzz_net;

/* What a query over all vertices gives. */
typedef struct fuzz_paths_found {
    long double *distance; /* INFINITY: not reached */
    bool lost;             /* a distance does not fit its type */
    bool cycle;            /* a cycle of negative length is reached */
} fuzz_paths_found;

/* negative: weights may be, and all types are drawn. */
void fuzz_net_draw(fuzz *f, fuzz_net *g, bool negative);
void fuzz_net_free(fuzz_net *g);
/* Makes the graph from plain arrays. */
upsweep_status fuzz_net_graph(fuzz *f, const fuzz_net *g, upsweep_graph **graph);
/* The same for a query: false, and g is freed, if there was no memory; else f->wrong says why. */
bool fuzz_net_made(fuzz *f, fuzz_net *g, upsweep_graph **graph);

/* To be freed by its end. */
fuzz_paths_found fuzz_net_paths(const fuzz_net *g, const uint32_t *sources, size_t count);
void fuzz_paths_end(fuzz_paths_found *p);
size_t fuzz_distance_bytes(upsweep_type type);
/* Element i of an array of distances; what is not reached is INFINITY. */
long double fuzz_distance(upsweep_type type, const void *at, size_t i);
/* a + w in the type's own arithmetic. */
long double fuzz_reach(upsweep_type type, long double a, long double w);
/* d, or INFINITY where that is farther than the limit, or does not fit the type. */
long double fuzz_distance_within(upsweep_type type, long double d, long double limit);
/* A distance, for a cutoff, as an element. */
void fuzz_put_distance(upsweep_type type, void *at, size_t i, long double value);
/* Says in f->wrong where an outcome is not that of these paths: what lies farther than `limit`
 * counts as not reached. parent may be NULL. */
void fuzz_check_paths(fuzz *f, const fuzz_net *g, const fuzz_paths_found *p, long double limit,
                      const uint32_t *sources, size_t count, const void *distance,
                      const uint32_t *parent);
/* Whether `parent` is what v's parent must be; distances are those within the limit. */
bool fuzz_parent_fits(const fuzz_net *g, const fuzz_paths_found *p, long double limit,
                      const uint32_t *sources, size_t count, uint32_t v, uint32_t parent);

#endif
