/* ordered.h - sums and products of floating-point numbers over ranks, in the order of
 * core/order.h: the bits are those of one call on the whole array. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_RANKS_ORDERED_H
#define USW_RANKS_ORDERED_H

#include "ranks/keys.h"

/* Collective; c->first is known. *result is an f64. */
bool usw_reduce_in_order(usw_call *c, const void *data, size_t n, upsweep_type type, upsweep_op op,
                         void *result);
bool usw_scan_in_order(usw_call *c, const void *in, void *out, size_t n, upsweep_type type,
                       upsweep_op op, bool exclusive);

#endif
