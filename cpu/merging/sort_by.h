/* sort_by.h - the stable parallel sort by a caller's order, for use inside public calls. */
#ifndef USW_CPU_MERGING_SORT_BY_H
#define USW_CPU_MERGING_SORT_BY_H

#include "core/keymap.h"

/* Sorts n elements of `bytes` bytes (bytes > 0, n * bytes fits size_t). With in_place, or where the
 * scratch limit leaves no room, it takes less scratch and more time; it never fails. */
void usw_sort_by(upsweep *u, void *base, size_t n, size_t bytes, upsweep_compare compare,
                 void *context, bool in_place);

/* Sorts n raw keys by the bits [bit_begin, bit_end) of their mapped form, stable, in place as
 * above. */
void usw_sort_bits_in_place(upsweep *u, void *keys, size_t n, const usw_keymap *map,
                            unsigned bit_begin, unsigned bit_end);

#endif
