/* sort_by.h - the stable parallel sort by a caller's order, for use inside public calls. */
#ifndef USW_SORT_BY_H
#define USW_SORT_BY_H

#include "frame.h"

/* Sorts n elements of `bytes` bytes (bytes > 0, n * bytes fits size_t). With in_place, or where the
 * scratch limit leaves no room, it takes less scratch and more time; it never fails. */
void usw_sort_by(upsweep *u, void *base, size_t n, size_t bytes, upsweep_compare compare,
                 void *context, bool in_place);

#endif
