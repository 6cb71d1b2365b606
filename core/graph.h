/* graph.h - a graph as the path algorithms see it: compressed rows, each arc's head beside its
 * weight. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GRAPH_H
#define USW_GRAPH_H

#include "core/frame.h"

#include <stdatomic.h>

enum { USW_GRAPH_DEVICES = 64 };

/* An arc with a weight of 32 bits (u32 or the bits of an f32). */
typedef struct usw_arc {
    uint32_t head, weight;
} usw_arc;

typedef struct usw_contraction usw_contraction; /* contract.h */

struct upsweep_graph {
    size_t vertices, arcs;
    upsweep_type weight_type; /* 0: none */
    uint64_t *begin;          /* vertices + 1 */
    usw_arc *arc32;           /* weights of 32 bits */
    uint32_t *head;           /* else the heads alone, */
    uint64_t *weight64;       /* and weights of 64 bits, as bits; NULL: every arc counts 1 */
    double weight_mean, weight_min, weight_max;
    bool negative;  /* some weight is */
    bool symmetric; /* every arc has its opposite of the same weight */
    bool sorted;    /* so, arcs are many, and each row goes by weight */
    size_t degree_max, bytes;
    double longest;               /* no path without a circle is longer */
    usw_contraction *contraction; /* NULL: none */
    /* Copies in device memory, made by the first query on each device and never changed
     * (calls/on_gpu/path.c): threads that make one at the same time keep the first to be there. */
    void *_Atomic on_device[USW_GRAPH_DEVICES];
    _Atomic size_t device_bytes;
    const struct usw_gpu_plugin *_Atomic plugin; /* whose memory that is */
    /* What it was allocated with. */
    void (*release)(void *context, void *pointer, size_t bytes);
    void *context;
    void *block;
    size_t block_bytes;
};

/* graph.c: a graph of rows that are known to be good, by the caller's handle. NULL: no memory. */
upsweep_graph *usw_graph_of_rows(upsweep *u, size_t vertices, const uint64_t *begin,
                                 const uint32_t *head, const void *weight, upsweep_type type);

#endif
