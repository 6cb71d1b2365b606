/* top_k.h - parts of top_k on the CPU that its calls on one array and on rows share
 * (calls/select.c). */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CALLS_TOP_K_H
#define USW_CALLS_TOP_K_H

#include "core/check.h"

/* The order in which the best come first: the greatest are the least of the descending order. */
usw_keymap usw_top_map(upsweep_type type, unsigned flags);

/* Bytes of what is collected of a key: the mapped key alone or, with its position, a record. */
static inline size_t usw_top_record_bytes(size_t key_bytes, size_t n, bool with_index)
{
    return !with_index ? key_bytes : key_bytes <= 4 && n <= (size_t)UINT32_MAX + 1 ? 8 : 16;
}

/* Sets *limit to a mapped key that probably at least k of n > 0 keys do not exceed, and not many
 * more, by a sample. Returns about how many. Any thread. */
size_t usw_top_limit(const upsweep *u, const void *keys, size_t n, size_t k, const usw_keymap *map,
                     uint64_t *limit);
/* Sorted records become n keys and, where index is not NULL, n positions of index_bytes each. */
void usw_top_unpack(const usw_keymap *map, const void *records, size_t record_bytes, size_t n,
                    usw_isa isa, unsigned char *out, unsigned char *index, size_t index_bytes);

/* The k best, 0 < k <= n, of one array, by all threads, from within a call. */
upsweep_status usw_top_k(upsweep *u, const void *keys, size_t n, size_t k, const usw_keymap *map,
                         void *out, void *index, unsigned index_bits);

#endif
