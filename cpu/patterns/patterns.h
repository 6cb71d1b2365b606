/* patterns.h - what upsweep_sort looks for before it sorts: inputs that need no sort. */
#ifndef USW_CPU_PATTERNS_PATTERNS_H
#define USW_CPU_PATTERNS_PATTERNS_H

#include "cpu/cpu.h"

/* The least i in [1, n) where keys[i] is less (rising: false: greater) than keys[i - 1], or n;
 * by all threads. width: index of the key's width. */
size_t usw_first_break(upsweep *u, const void *keys, size_t n, unsigned width,
                       const usw_key_order *order, bool rising);

/* True if the keys were sorted, reversed, two runs, or of few values, and are sorted now; what
 * it was is reported. On keys without such a pattern it gives up after a few of them. */
bool usw_sort_pattern(upsweep *u, void *keys, size_t n, unsigned width, const usw_keymap *map,
                      bool in_place);

/* Whether so many keys are equal that a partition by vectors, which is done with a value once it is
 * the pivot, is faster than digits, which leave it in a large bucket; by a sample. */
bool usw_some_are_frequent(const upsweep *u, const void *keys, size_t n, unsigned width);

/* What is said of them; see usw_report_later. */
void usw_report_sorted(char *text, size_t bytes, const uint64_t *fact);
void usw_report_reversed(char *text, size_t bytes, const uint64_t *fact);

/* The automatic sort, from within a call (calls/sort.c). Keys are as they were after a failure. */
upsweep_status usw_sort_keys(upsweep *u, void *keys, size_t n, upsweep_type type,
                             const usw_options *o);

/* Maps all keys in place, or back. */
void usw_map_keys(upsweep *u, void *keys, size_t n, unsigned width, const usw_keymap *map,
                  bool back);
#endif
