/* merging.h - the sorts that compare elements or records of any size, for public calls: by a
 * caller's order, by a range of key bits in place, and by the fields of records. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CPU_MERGING_MERGING_H
#define USW_CPU_MERGING_MERGING_H

#include "core/record_keys.h"
#include "cpu/cpu.h"

/* Sorts n elements of `bytes` bytes by compare, stable (bytes > 0, n * bytes fits size_t). With
 * in_place, or where the scratch limit is too low for n elements, the sort takes at most 1 MB of
 * scratch a thread and more time; it never fails. */
void usw_sort_by(upsweep *u, void *base, size_t n, size_t bytes, upsweep_compare compare,
                 void *context, bool in_place);

/* Sorts n raw keys by the bits [bit_begin, bit_end) of their mapped form, stable, in place as
 * usw_sort_by does. */
void usw_sort_bits_in_place(upsweep *u, void *keys, size_t n, const usw_keymap *map,
                            unsigned bit_begin, unsigned bit_end);

/* Sorts n records by their normalised keys, stable; n >= 1 and keys->key_bytes >= 1. form sorts the
 * packed keys with their positions; NULL, for keys of up to USW_CHUNK_BYTES only: the pair sort
 * takes them. Where there is no scratch the call fails with UPSWEEP_ERROR_MEMORY and the records
 * are as they were. */
upsweep_status usw_sort_records(upsweep *u, void *records, size_t n, const usw_record_keys *keys,
                                const usw_sort_form *form);

#endif
