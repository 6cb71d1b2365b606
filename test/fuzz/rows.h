/* rows.h - rows of an array, as the calls on rows are given them here. */
/* SPDX-License-Identifier: MIT */
#ifndef FUZZ_ROWS_H
#define FUZZ_ROWS_H

#include "test/fuzz/fuzz.h"

typedef struct fuzz_row_set {
    uint64_t *begin; /* count + 1 offsets, of rows of one length, too; to be freed */
    size_t count, index_bytes;
    bool fixed;
} fuzz_row_set;

/* Draws f->n, often near the lengths at which rows are worked on by all threads. */
void fuzz_rows_length(fuzz *f);
/* Draws rows; f->n may become less. */
void fuzz_rows_draw(fuzz *f, fuzz_row_set *r);
/* Rows that are none: they decrease, or go beyond n, or are no whole number of elements. */
void fuzz_rows_twist(fuzz *f, fuzz_row_set *r);

#endif
