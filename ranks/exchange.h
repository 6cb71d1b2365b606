/* exchange.h - elements to the ranks that their parts belong to. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_RANKS_EXCHANGE_H
#define USW_RANKS_EXCHANGE_H

#include "ranks/cuts.h"

typedef struct usw_plan {
    const usw_cuts *cuts;
    uint64_t *send, *receive; /* elements to and from each rank */
    uint64_t here, there;     /* elements that this rank has, and gets */
} usw_plan;

/* Collective: tells the ranks how much comes from whom. */
bool usw_plan_exchange(usw_call *c, size_t n, const usw_cuts *cuts, usw_plan *plan);
/* Collective: from has plan->here elements in the host's memory; to gets plan->there, those of
 * lower ranks first, each rank's in their order. Unless the keys were sorted to may be from: all
 * is copied first. */
bool usw_exchange(usw_call *c, const usw_plan *plan, const void *from, void *to, size_t bytes);

#endif
