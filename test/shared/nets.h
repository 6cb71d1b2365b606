/* nets.h - small random graphs, and their shortest paths by Dijkstra's algorithm as it is written
 * down: a scan of all vertices for the nearest, in long double, with no queue and no buckets. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_SHARED_NETS_H
#define USW_TEST_SHARED_NETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "upsweep.h"

enum { VERTICES = 70, ARCS = 400 };

typedef struct net {
    size_t n, m;
    uint32_t tail[ARCS], head[ARCS];
    double weight[ARCS];
    upsweep_type type;
    unsigned flags;
} net;

/* A random number below `below`. */
uint64_t net_draw(uint64_t below);
/* Small whole weights, many zero, many ties, several arcs between two vertices, arcs to oneself:
 * all sums are exact in every type. */
net net_random(upsweep_type type);
upsweep_graph *net_graph(upsweep *u, const net *g);
/* What the nearest of the sources is away from each vertex. */
void net_oracle(const net *g, const uint32_t *sources, size_t count, long double *distance);
/* Distance number v of an array of them; INFINITY: not reached. */
long double net_distance(upsweep_type type, const void *at, size_t v);
/* Every parent ends a shortest path, is the least that does, and leads to a source. */
void net_check_parents(const net *g, const long double *d, const uint32_t *parent);
/* Bytes of a distance in a graph with such weights. */
size_t net_distance_bytes(upsweep_type type);
/* at[i] = value, as a distance. */
void net_put(upsweep_type type, void *at, size_t i, double value);
upsweep *net_open(unsigned threads);

#endif
