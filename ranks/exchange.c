/* exchange.c - a stable split by parts, and one exchange of all with all. */
/* SPDX-License-Identifier: MIT */
#include "ranks/exchange.h"

bool usw_plan_exchange(usw_call *c, size_t n, const usw_cuts *cuts, usw_plan *plan)
{
    size_t ranks = (size_t)c->t->size;
    plan->cuts = cuts;
    plan->here = n;
    plan->there = 0;
    plan->send = usw_take_zeros(c, ranks, sizeof *plan->send);
    plan->receive = usw_take_zeros(c, ranks, sizeof *plan->receive);
    uint64_t *ones = usw_take(c, ranks, sizeof *ones);
    if (!usw_agree(c)) {
        return false;
    }
    for (size_t k = 0; k <= cuts->count; k++) {
        plan->send[cuts->rank[k]] = cuts->part[k];
    }
    for (size_t r = 0; r < ranks; r++) {
        ones[r] = 1;
    }
    if (!usw_sent(c, c->t->alltoallv(c->t, plan->send, ones, plan->receive, ones, 8))) {
        return false;
    }
    for (size_t r = 0; r < ranks; r++) {
        plan->there += plan->receive[r];
    }
    usw_give(c, ones);
    return true;
}

bool usw_exchange(usw_call *c, const usw_plan *plan, const void *from, void *to, size_t bytes)
{
    bool as_it_is = plan->cuts->to == NULL; /* sorted: parts follow one another */
    void *parted = as_it_is ? NULL : usw_take(c, (size_t)plan->here, bytes);
    void *got = c->host ? to : usw_take(c, (size_t)plan->there, bytes);
    const void *parts = as_it_is ? from : parted;
    size_t cuts = plan->cuts->count;
    USW_RANKS_ROUTE_IF(as_it_is, c, "parts follow one another", USW_ALL_TYPES);
    USW_RANKS_ROUTE_IF(!as_it_is && cuts == 0, c, "one part", USW_ALL_TYPES);
    USW_RANKS_ROUTE_IF(!as_it_is && cuts > 0, c, "elements are split by parts", USW_ALL_TYPES);
    if (parted != NULL && (got != NULL || plan->there == 0) && plan->here > 0) {
        if (cuts == 0) {
            memcpy(parted, from, (size_t)plan->here * bytes);
        } else {
            usw_done(c, upsweep_split_ids(c->u, from, plan->cuts->to, UPSWEEP_U16, cuts + 1, parted,
                                          (size_t)plan->here, bytes, NULL, NULL));
        }
    }
    if (!usw_agree(c) ||
        !usw_sent(c, c->t->alltoallv(c->t, parts, plan->send, got, plan->receive, bytes))) {
        return false;
    }
    usw_give(c, parted);
    if (!c->host) {
        usw_copy(c, to, got, (size_t)plan->there, bytes);
        usw_give(c, got);
    }
    return usw_agree(c);
}
