/* oracle_fold.c - what a reduction or a scan has combined so far. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/oracle.h"

#include <math.h>
#include <string.h>

oracle_fold oracle_fold_start(upsweep_type type, upsweep_op op)
{
    oracle_fold fold = {.type = type, .op = op};
    fold.bits = op == UPSWEEP_PRODUCT ? 1 : op == UPSWEEP_AND ? UINT64_MAX : 0;
    fold.value = op == UPSWEEP_PRODUCT ? 1 : 0;
    return fold;
}

void oracle_fold_add(oracle_fold *fold, const void *element)
{
    uint64_t raw = oracle_raw(fold->type, element);
    if (oracle_is_signed(fold->type)) { /* sign extension, so that sums in 64 bits are right */
        unsigned unused = 64 - (unsigned)upsweep_type_bytes(fold->type) * 8;
        raw = (uint64_t)((int64_t)(raw << unused) >> unused);
    }
    bool real = oracle_mantissa_bits(fold->type) != 0;
    bool first = fold->best == NULL;
    fold->any = true;
    switch (fold->op) {
    case UPSWEEP_SUM:
        fold->bits += raw;
        fold->value += real ? oracle_value(fold->type, element) : 0;
        break;
    case UPSWEEP_PRODUCT:
        fold->bits *= raw;
        fold->value *= real ? oracle_value(fold->type, element) : 1;
        break;
    case UPSWEEP_LEAST:
    case UPSWEEP_GREATEST: {
        unsigned flags = fold->op == UPSWEEP_LEAST ? 0 : UPSWEEP_DESCENDING;
        if (!oracle_is_nan(fold->type, element) &&
            (first || oracle_order(fold->type, flags, element, fold->best) < 0)) {
            fold->best = element;
        }
        break;
    }
    case UPSWEEP_AND: fold->bits &= raw; break;
    case UPSWEEP_OR: fold->bits |= raw; break;
    case UPSWEEP_XOR: fold->bits ^= raw; break;
    }
}

/* The identity of LEAST is the greatest value of the type, that of GREATEST the least. */
static uint64_t identity_of_extreme(upsweep_type type, upsweep_op op)
{
    unsigned bits = (unsigned)upsweep_type_bytes(type) * 8, m = oracle_mantissa_bits(type);
    uint64_t sign = UINT64_C(1) << (bits - 1), all = UINT64_MAX >> (64 - bits);
    bool low = op == UPSWEEP_GREATEST;
    if (m != 0) {
        return (sign - 1) >> m << m | (low ? sign : 0);
    }
    if (oracle_is_signed(type)) {
        return low ? sign : sign - 1;
    }
    return low ? 0 : all;
}

bool oracle_fold_is(const oracle_fold *fold, upsweep_type as, const void *at)
{
    uint64_t got = oracle_raw(as, at);
    uint64_t all = UINT64_MAX >> (64 - 8 * upsweep_type_bytes(as));
    if (fold->op == UPSWEEP_LEAST || fold->op == UPSWEEP_GREATEST) {
        if (fold->best != NULL) {
            return got == oracle_raw(fold->type, fold->best);
        }
        return fold->any ? oracle_is_nan(as, at) : got == identity_of_extreme(fold->type, fold->op);
    }
    if (oracle_mantissa_bits(as) != 0) {
        if (isnan(fold->value)) {
            return oracle_is_nan(as, at);
        }
        return got == oracle_round(as, fold->value) || (fold->value == 0 && (got & all >> 1) == 0);
    }
    return got == (fold->bits & all);
}
