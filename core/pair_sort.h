/* pair_sort.h - the sort of keys that carry something, for use inside public calls. */
#ifndef USW_PAIR_SORT_H
#define USW_PAIR_SORT_H

#include "parts.h"

/* Sorts p, whose ways are not set: takes scratch for them where they are not the outputs. An
 * out_payloads that is NULL gets scratch too. n * key_bytes does not overflow. After
 * UPSWEEP_ERROR_MEMORY nothing was written. */
upsweep_status usw_sort_carrying(upsweep *u, usw_pair_sort *p, size_t key_bytes);

#endif
