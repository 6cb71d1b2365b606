/* folds.h - what reductions and scans share here. */
/* SPDX-License-Identifier: MIT */
#ifndef FUZZ_FOLDS_H
#define FUZZ_FOLDS_H

#include "test/fuzz/fuzz.h"

upsweep_op fuzz_draw_op(fuzz *f);
/* The number that the call is given for it: now and then that of version 0.1. */
upsweep_op fuzz_op_given(fuzz *f, upsweep_op op);
double fuzz_join(upsweep_op op, double a, double b);
/* Of elements of a type, by their bits; sums and products are of integers. */
uint64_t fuzz_combine(upsweep_type type, upsweep_op op, uint64_t a, uint64_t b);
/* The bits of what combining nothing gives. */
uint64_t fuzz_identity(upsweep_type type, upsweep_op op);
/* Elements as an operator likes them. */
void fuzz_fill_for(fuzz *f, upsweep_type type, upsweep_op op, void *at, size_t n);
/* The type of a reduction's result under the case's flags; 0: none. */
upsweep_type fuzz_result_type(fuzz *f, upsweep_op op);
/* Says in f->wrong if `got` is not the bits of what n elements combine to, or if `got` is not their
 * scan under the case's flags; floats in the order of docs/order.md. */
void fuzz_check_reduced(fuzz *f, upsweep_op op, const void *in, size_t n, uint64_t got);
void fuzz_check_scanned(fuzz *f, upsweep_op op, const void *in, const void *got, size_t n);
/* Now and then no operator at all is given; result_bytes 0: the type has none such. Says what the
 * call will then be. */
void fuzz_check_operator(fuzz *f, upsweep_op *given, size_t result_bytes);
/* The first of the least (greatest) that are no NaN; n if there is none. */
size_t fuzz_extreme(upsweep_type type, const void *in, size_t n, bool greatest);
/* A caller's operator; context points to the bytes of an element. */
void fuzz_last_not_zero(void *accumulator, const void *element, void *context);
void fuzz_fill_sparse(fuzz *f, unsigned char *at, size_t bytes);

#endif
