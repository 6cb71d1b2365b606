/* pair_sort.h - the stable sort of keys that carry payloads or positions, for public calls. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CPU_PAIR_SORT_PAIR_SORT_H
#define USW_CPU_PAIR_SORT_PAIR_SORT_H

#include "cpu/cpu.h"

/* Sorts p, whose buffers are not set. out_keys: the keys, another array, or NULL; out_payloads: the
 * payloads, or, if payloads is NULL, an array for positions of 32 or 64 bits. Takes scratch for the
 * buffers, and for out_payloads if it is NULL. n * key_bytes does not overflow. After
 * UPSWEEP_ERROR_MEMORY nothing was written. *p->found gets the pattern that was met:
 * USW_IN_ORDER (out_keys not written), USW_NEARLY_SORTED, USW_RUNS, USW_FEW_VALUES,
 * USW_NO_PATTERN. */
upsweep_status usw_sort_carrying(upsweep *u, usw_pair_sort *p, size_t key_bytes);

/* The same for 2 <= p->n <= USW_FEW_PAIRS, out_payloads not NULL: takes no scratch, cannot fail. */
enum { USW_FEW_PAIRS = 16 };
void usw_sort_few_pairs(upsweep *u, const usw_pair_sort *p, size_t key_bytes);

/* Brings the positions of n unsigned keys into the stable order of the keys: the lowest
 * usw_log2_up(n) bits of words[i]. The bits above are the keys' upper ones, and words that agree in
 * these change places by the whole keys; false, and no order, where that would take long. room:
 * usw_dropping_room(n) words for those out of order, which are not looked for if it is NULL. */
bool usw_order_keys(const upsweep *u, const uint64_t *keys, uint64_t *words, size_t n, void *room);

#endif
