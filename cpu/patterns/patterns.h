/* patterns.h - what upsweep_sort looks for before it sorts: inputs that need no sort. */
#ifndef USW_CPU_PATTERNS_PATTERNS_H
#define USW_CPU_PATTERNS_PATTERNS_H

#include "cpu/cpu.h"

/* The least i in [1, n) where keys[i] is less (rising: false: greater) than keys[i - 1], or n;
 * by all threads. width: index of the key's width. */
size_t usw_first_break(upsweep *u, const void *keys, size_t n, unsigned width,
                       const usw_key_order *order, bool rising);

/* True if the keys were of one of the patterns, of which `looks` has bits 1 << usw_pattern, and are
 * sorted now; *found is which, and the number that belongs to it. USW_FEW_VALUES and
 * USW_NARROW_RANGE go together. On keys without such a pattern it gives up after a few of them. */
bool usw_sort_pattern(upsweep *u, void *keys, size_t n, unsigned width, const usw_keymap *map,
                      unsigned looks, usw_found *found);

/* Whether so many keys are equal that a partition by vectors, which is done with a value once it is
 * the pivot, is faster than digits, which leave it in a large bucket; by a sample. */
bool usw_some_are_frequent(const upsweep *u, const void *keys, size_t n, unsigned width);

/* Maps all keys in place, or back. */
void usw_map_keys(upsweep *u, void *keys, size_t n, unsigned width, const usw_keymap *map,
                  bool back);
#endif
