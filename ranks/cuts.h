/* cuts.h - where the sorted whole is cut into what each rank gets. A cut has `target` elements
 * before it, counted over all ranks. It is told by the key at that place, and by how many of each
 * rank's elements of that very key stand before it: equal keys stand in the order of ranks, and of
 * places within a rank. So a cut is exact whatever the keys are, and the pieces are those of one
 * stable sort of the whole. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_RANKS_CUTS_H
#define USW_RANKS_CUTS_H

#include "ranks/keys.h"

enum {
    USW_EDGES_MOST = 16383, /* edges, so that buckets between and at them have numbers of 16 bits */
    USW_PARTS_MOST = 16384, /* ranks */
    USW_SAMPLE_WORDS = 65536 /* of all ranks' samples together, at least */
};

typedef struct usw_cuts {
    size_t count;     /* cuts with something on both sides: parts are one more */
    uint64_t *target; /* count */
    int *rank;        /* count + 1: who gets a part */
    uint64_t *key;    /* count keys, as words */
    uint64_t *ties;   /* count: this rank's elements of the key that stand before the cut */
    /* Edges among which each element was classed: bucket 2 e lies before edge e (and after the one
     * before), bucket 2 e + 1 has the keys equal to edge e. */
    uint64_t *edge; /* edges keys, ascending, all different */
    size_t edges;
    uint64_t *here; /* 2 edges + 1: this rank's elements in each bucket */
    uint16_t *to;   /* keys->n: an element's bucket, later its part; NULL if keys are sorted */
    uint64_t *part; /* count + 1: this rank's elements in each part */
} usw_cuts;

/* Collective. Cuts so that rank r gets sizes[r] elements; the sum of sizes is usw_total(c). Sets
 * cuts->to to parts, each rank's elements in the order of the whole. */
bool usw_cut_by_sizes(usw_call *c, const usw_keys *keys, const uint64_t *sizes, usw_cuts *cuts);
/* Rank r gets the keys from splitter r - 1 on and below splitter r: size - 1 ascending elements. */
bool usw_cut_by_splitters(usw_call *c, const usw_keys *keys, const void *splitters, usw_cuts *cuts);

/* classify.c: sets cuts->here and cuts->to by the edges. */
bool usw_classify(usw_call *c, const usw_keys *keys, usw_cuts *cuts);
/* Sets cuts->part, and cuts->to from buckets to parts. first_cut[b], b <= buckets: the first cut
 * in bucket b or after it; those in b end where those of b + 1 begin. */
bool usw_buckets_to_parts(usw_call *c, const usw_keys *keys, usw_cuts *cuts,
                          const uint32_t *first_cut);
/* choose_cuts.c: finds cuts->key and how many keys of all ranks are less than each, from the
 * buckets' counts over all ranks. */
bool usw_choose_cuts(usw_call *c, const usw_keys *keys, usw_cuts *cuts, const uint64_t *all,
                     uint64_t *less, uint32_t *first_cut);

#endif
