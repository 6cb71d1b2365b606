/* pair_sort.h - the sort of keys that carry something, for use inside public calls. */
#ifndef USW_CPU_PAIR_SORT_PAIR_SORT_H
#define USW_CPU_PAIR_SORT_PAIR_SORT_H

#include "cpu/cpu.h"

/* Sorts p, whose ways are not set, in place: out_keys are the keys or NULL, out_payloads are the
 * payloads, or, where those are NULL, a place for positions of 32 or 64 bits. Takes scratch for the
 * ways; an out_payloads that is NULL gets scratch too. n * key_bytes does not overflow. After
 * UPSWEEP_ERROR_MEMORY nothing was written. *p->found gets the pattern that was met: USW_IN_ORDER,
 * USW_FEW_VALUES or USW_NO_PATTERN. */
upsweep_status usw_sort_carrying(upsweep *u, usw_pair_sort *p, size_t key_bytes);

#endif
