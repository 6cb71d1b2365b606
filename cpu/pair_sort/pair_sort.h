/* pair_sort.h - the stable sort of keys that carry payloads or positions, for public calls. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CPU_PAIR_SORT_PAIR_SORT_H
#define USW_CPU_PAIR_SORT_PAIR_SORT_H

#include "cpu/cpu.h"

/* Sorts p, whose buffers are not set. out_keys: the keys, another array, or NULL; out_payloads: the
 * payloads, or, if payloads is NULL, an array for positions of 32 or 64 bits. Takes scratch for the
 * buffers, and for out_payloads if it is NULL. n * key_bytes does not overflow. After
 * UPSWEEP_ERROR_MEMORY nothing was written. *p->found gets the pattern that was met:
 * USW_IN_ORDER, USW_NEARLY_SORTED, USW_FEW_VALUES or USW_NO_PATTERN. */
upsweep_status usw_sort_carrying(upsweep *u, usw_pair_sort *p, size_t key_bytes);

/* The same for so few pairs, out_payloads not NULL: takes no scratch (few_pairs.c). */
enum { USW_FEW_PAIRS = 24, USW_FEW_WIDE_PAIRS = 16 };
static inline bool usw_pairs_are_few(size_t n, size_t key_bytes)
{
    return n <= (size_t)(key_bytes == 8 ? USW_FEW_WIDE_PAIRS : USW_FEW_PAIRS);
}
void usw_sort_few_pairs(upsweep *u, const usw_pair_sort *p, size_t key_bytes);

#endif
