/* fold.c - reductions and scans. What can be combined in any order is: each rank combines its own,
 * and the ranks' results are combined in the order of ranks. Sums and products of floating-point
 * numbers go by ordered.c, which keeps the order of docs/order.md across ranks. */
/* SPDX-License-Identifier: MIT */
#include "ranks/calls.h"
#include "ranks/ordered.h"

enum { CALL_REDUCE = 20, CALL_SCAN };

static bool in_order(upsweep_type type, upsweep_op op)
{
    return usw_type_is_float(type) && (op == UPSWEEP_SUM || op == UPSWEEP_PRODUCT);
}

/* Combines one element of each rank that has any, of type `as`, up to rank `end`; none gives
 * none. */
static bool combine_ranks(usw_call *c, const void *mine, upsweep_type as, upsweep_op op, int end,
                          void *result, bool *any)
{
    size_t bytes = upsweep_type_bytes(as), ranks = (size_t)c->t->size, count = 0;
    uint64_t *each = usw_take_zeros(c, ranks, sizeof *each);
    if (!usw_agree(c)) {
        return false;
    }
    if (c->first[c->t->rank] < c->first[c->t->rank + 1]) {
        each[c->t->rank] = usw_load_raw(mine, bytes);
    }
    if (!usw_sent(c, c->t->allreduce(c->t, each, ranks, USW_BITS))) {
        return false;
    }
    char *packed = (char *)each;
    for (int r = 0; r < end; r++) {
        if (c->first[r] < c->first[r + 1]) {
            usw_store_raw(packed + count++ * bytes, bytes, each[r]);
        }
    }
    *any = count > 0;
    if (count > 0) { /* the last of inclusive prefixes has the elements' type, which sums wrap in */
        usw_done(c, upsweep_scan(c->u, packed, packed, count, as, op, NULL));
        usw_done(c, upsweep_wait(c->u));
        memcpy(result, packed + (count - 1) * bytes, bytes);
    }
    usw_give(c, each);
    return usw_agree(c);
}

/* The numbers that version 0.1 had for operators are theirs of now, without the bit that marks
 * them. */
static upsweep_op of_now(upsweep_op op)
{
    unsigned mark = (unsigned)UPSWEEP_SUM & ~1u;
    return (unsigned)op >= 1 && (unsigned)op <= 7 ? (upsweep_op)(mark | (unsigned)op) : op;
}

static void start(usw_call *c, usw_transport *t, upsweep *u, unsigned name, upsweep_type type,
                  upsweep_op op)
{
    usw_begin(c, t, u, name);
    c->said[USW_SAID_TYPE] = type;
    c->said[USW_SAID_MORE] = op;
    if (upsweep_reduce_type(type, op) == 0) {
        usw_wrong(c, UPSWEEP_ERROR_ARGUMENT, "the operator is not one for the type");
    }
}

upsweep_status usw_ranks_reduce(usw_transport *t, upsweep *u, const void *data, size_t n,
                                upsweep_type type, upsweep_op op, void *result,
                                const upsweep_options *options)
{
    usw_call call, *c = &call;
    upsweep_options o;
    uint64_t mine = 0, all = 0;
    bool any = true;
    op = of_now(op);
    start(c, t, u, CALL_REDUCE, type, op);
    usw_take_options(c, options, UPSWEEP_UNORDERED, &o);
    o.flags = 0; /* the order costs nothing here */
    upsweep_type as = upsweep_reduce_type(type, op);
    if (result == NULL || (data == NULL && n > 0)) {
        usw_wrong(c, UPSWEEP_ERROR_ARGUMENT, "data or result is NULL");
    }
    if (usw_agree_on_said(c) && usw_count_ranks(c, n)) {
        bool good;
        if (in_order(type, op)) {
            USW_RANKS_ROUTE(c, "reduced in the order of the whole", USW_FLOATS);
            good = usw_reduce_in_order(c, data, n, type, op, &all);
        } else {
            USW_RANKS_ROUTE(c, "each rank's own, then all", USW_ALL_TYPES);
            usw_done(c, upsweep_reduce(u, data, n, type, op, &mine, &o));
            usw_done(c, upsweep_wait(u));
            good = combine_ranks(c, &mine, as, op, t->size, &all, &any);
        }
        if (good) { /* of no elements: the identity */
            usw_copy(c, result, any ? &all : &mine, 1, upsweep_type_bytes(as));
            usw_agree(c);
        }
    }
    return usw_end(c);
}

/* out[0] is what lies before this rank's prefixes, combined with its first element if inclusive;
 * one scan then does the rest. An exclusive scan is an inclusive one of what stands a place
 * further down. */
static bool scan_from(usw_call *c, const void *in, char *out, size_t n, upsweep_type type,
                      upsweep_op op, const upsweep_options *o, const void *carry, bool any)
{
    size_t bytes = upsweep_type_bytes(type);
    if (!any) {
        USW_RANKS_ROUTE(c, "a scan that nothing lies before", USW_ALL_TYPES);
        return usw_done(c, upsweep_scan(c->u, in, out, n, type, op, o)) &&
               usw_done(c, upsweep_wait(c->u));
    }
    char two[16], *work = c->host ? out : usw_take(c, n, bytes);
    if (work == NULL) {
        return false;
    }
    memcpy(two, carry, bytes);
    if (o->flags & UPSWEEP_EXCLUSIVE) {
        USW_RANKS_ROUTE(c, "an exclusive scan goes on", USW_ALL_TYPES);
        usw_copy(c, work + bytes, in, n - 1, bytes);
    } else {
        USW_RANKS_ROUTE(c, "an inclusive scan goes on", USW_ALL_TYPES);
        usw_copy(c, work, in, n, bytes);
        memcpy(two + bytes, work, bytes);
        usw_done(c, upsweep_scan(c->u, two, two, 2, type, op, NULL));
        usw_done(c, upsweep_wait(c->u));
        memcpy(two, two + bytes, bytes);
    }
    memcpy(work, two, bytes);
    return usw_done(c, upsweep_scan(c->u, work, work, n, type, op, NULL)) &&
           usw_done(c, upsweep_wait(c->u)) && usw_copy(c, out, work, n, bytes);
}

upsweep_status usw_ranks_scan(usw_transport *t, upsweep *u, const void *in, void *out, size_t n,
                              upsweep_type type, upsweep_op op, const upsweep_options *options)
{
    usw_call call, *c = &call;
    upsweep_options o;
    uint64_t mine = 0, carry = 0;
    bool any = false;
    op = of_now(op);
    start(c, t, u, CALL_SCAN, type, op);
    usw_take_options(c, options, UPSWEEP_EXCLUSIVE | UPSWEEP_UNORDERED, &o);
    o.flags &= (unsigned)UPSWEEP_EXCLUSIVE;
    if (n > 0 && (in == NULL || out == NULL)) {
        usw_wrong(c, UPSWEEP_ERROR_ARGUMENT, "in or out is NULL");
    }
    if (usw_agree_on_said(c) && usw_count_ranks(c, n)) {
        if (in_order(type, op)) {
            USW_RANKS_ROUTE(c, "scanned in the order of the whole", USW_FLOATS);
            usw_scan_in_order(c, in, out, n, type, op, (o.flags & UPSWEEP_EXCLUSIVE) != 0);
        } else {
            usw_done(c, upsweep_reduce(u, in, n, type, op, &mine, NULL));
            usw_done(c, upsweep_wait(u));
            if (combine_ranks(c, &mine, type, op, t->rank, &carry, &any) && n > 0) {
                scan_from(c, in, out, n, type, op, &o, &carry, any);
            }
        }
        usw_agree(c);
    }
    return usw_end(c);
}
