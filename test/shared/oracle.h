/* oracle.h - what every operation must give, in serial, plain code that shares nothing with the
 * library: keys are compared by value, not by mapped bits. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_SHARED_ORACLE_H
#define USW_TEST_SHARED_ORACLE_H

#include <stdbool.h>

#include "upsweep.h"

/* ---- types ---- */
bool oracle_is_signed(upsweep_type type);
/* Bits of the mantissa of a floating-point type, else 0. */
unsigned oracle_mantissa_bits(upsweep_type type);
bool oracle_is_nan(upsweep_type type, const void *element);
/* The value of an element; every one of these types fits a long double of 64 bits of mantissa. */
long double oracle_value(upsweep_type type, const void *element);
uint64_t oracle_raw(upsweep_type type, const void *element);
/* The bits of the element of a floating-point type that is nearest to value, ties to even. */
uint64_t oracle_round(upsweep_type type, long double value);

/* ---- order ---- */

/* <0, 0, >0 as a stands before, with, or after b under the flags DESCENDING, NAN_FIRST, NAN_RAW. */
int oracle_order(upsweep_type type, unsigned flags, const void *a, const void *b);

/* index gets the stable order of 0 .. n-1 under `order`, which compares two positions. */
typedef int (*oracle_compare)(size_t i, size_t j, const void *context);
void oracle_argsort_by(size_t n, size_t *index, oracle_compare order, const void *context);
void oracle_argsort(upsweep_type type, unsigned flags, const void *keys, size_t n, size_t *index);

/* NULL if after is before in order, and holds the same keys; else what is wrong. This is complete:
 * two arrays that both pass are equal. The keys are compared as sets by a sum of hashes. */
const char *oracle_sorted(upsweep_type type, unsigned flags, const void *before, const void *after,
                          size_t n);
const char *oracle_same_keys(const void *before, const void *after, size_t n, size_t bytes);

/* ---- reduce and scan ---- */

/* A running combination; LEAST and GREATEST point to the winning element. */
typedef struct oracle_fold {
    upsweep_type type;
    upsweep_op op;
    uint64_t bits;     /* integers */
    long double value; /* sums and products of floating-point numbers */
    const void *best;  /* NULL: none yet; NaNs do not count */
    bool any;          /* an element came, be it NaN */
} oracle_fold;

oracle_fold oracle_fold_start(upsweep_type type, upsweep_op op);
void oracle_fold_add(oracle_fold *fold, const void *element);
/* True if the bytes at `at`, an element of type `as`, are the fold's outcome. A NaN may be any NaN.
 */
bool oracle_fold_is(const oracle_fold *fold, upsweep_type as, const void *at);

#endif
