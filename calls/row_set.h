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

/* Calls row(context, r, first element, elements, lane) for every row of up to `most` elements, by
 * all threads: a task takes those that begin within a stretch of the array. */
typedef void (*usw_row_task)(void *context, size_t r, size_t at, size_t n, unsigned lane);
void usw_rows_each(upsweep *u, const usw_row_set *s, size_t most, usw_row_task row, void *context);

#endif
