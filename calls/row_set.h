/* row_set.h - rows of an array, as the calls on rows are given them: of one length, or by offsets.
 * What they check, and how rows go to threads. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CALLS_ROW_SET_H
#define USW_CALLS_ROW_SET_H

#include "core/check.h"

typedef struct usw_row_set {
    const uint64_t *begin; /* rows + 1 offsets; NULL: rows of row_length each */
    size_t rows, row_length, n;
} usw_row_set;

static inline size_t usw_row_begin(const usw_row_set *s, size_t r)
{
    return s->begin == NULL ? r * s->row_length : (size_t)s->begin[r];
}

/* Checks the arguments that say which rows there are, without a look at the offsets themselves, and
 * sets row_length. */
upsweep_status usw_rows_check(upsweep *u, usw_row_set *s);
/* index, if not NULL, has `count` positions within rows, of index_bits each. */
upsweep_status usw_rows_check_index(upsweep *u, const usw_row_set *s, const void *index,
                                    size_t count, unsigned index_bits);
/* Looks at the offsets, which the host can read: UPSWEEP_ERROR_RANGE if they are bad. *longest gets
 * the length of the longest row, *longest_short that of the longest of those up to `most`. */
upsweep_status usw_rows_measure(upsweep *u, const usw_row_set *s, size_t most, size_t *longest,
                                size_t *longest_short);
/* Whether positions of index_bits tell the places of a row of that length apart. */
upsweep_status usw_rows_check_length(upsweep *u, size_t longest, unsigned index_bits);

/* ---- calls/reduce.c ---- */

/* The last mapped key, in the order in which the least (greatest) comes first, that is no NaN: NaNs
 * are the last keys, so the best key is above it only if all are NaN. */
uint64_t usw_last_number(upsweep_type type, const usw_keymap *map, bool greatest);

/* ---- rows to threads ---- */

/* Calls stretch(context, first row, behind the last, lane) by all threads for equal stretches of
 * the array: each has the rows that begin within it. */
typedef void (*usw_row_stretch)(void *context, size_t first, size_t end, unsigned lane);
void usw_rows_stretches(upsweep *u, const usw_row_set *s, usw_row_stretch stretch, void *context);
/* Calls row(context, r, first element, elements, lane) for every row of up to `most` elements
 * of each stretch. */
typedef void (*usw_row_task)(void *context, size_t r, size_t at, size_t n, unsigned lane);
void usw_rows_each(upsweep *u, const usw_row_set *s, size_t most, usw_row_task row, void *context);

#endif
