/* patterns.h - finds inputs that need no sort, such as sorted keys or few values, and sorts them.
 */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CPU_PATTERNS_PATTERNS_H
#define USW_CPU_PATTERNS_PATTERNS_H

#include "cpu/cpu.h"

/* The least i in [1, n) where keys[i] is less (rising: false: greater) than keys[i - 1], or n;
 * by all threads. width: index of the key's width. */
size_t usw_first_break(upsweep *u, const void *keys, size_t n, unsigned width,
                       const usw_key_order *order, bool rising);

/* True if the keys are in order, or in falling order, and are in order now; *found says which. This
 * is looked for before a method is chosen: a short array that is in order is read in less time than
 * a choice takes. *glance is for usw_sort_pattern. */
bool usw_sort_ordered(upsweep *u, void *keys, size_t n, unsigned width, const usw_keymap *map,
                      usw_glance *glance, usw_found *found);

/* True if the keys, which are neither in order nor in falling order, had one of the patterns whose
 * bits 1 << usw_pattern `looks` has, and are sorted now; *found is the pattern and its number.
 * USW_FEW_VALUES and USW_NARROW_RANGE are tried together. On keys without a pattern it gives up
 * after reading a few of them. */
bool usw_sort_pattern(upsweep *u, void *keys, size_t n, unsigned width, const usw_keymap *map,
                      unsigned looks, const usw_glance *glance, usw_found *found);

/* Whether so many keys are equal, by a sample, that a quicksort is faster than digits: a frequent
 * value is in its place once it was the pivot, but for digits it makes a large bucket. */
bool usw_some_are_frequent(const upsweep *u, const void *keys, size_t n, unsigned width);

/* Sorts n >= 4 USW_GLANCE unsigned keys of 32 or 64 bits that are in order but for at most an
 * eighth, on this thread, with room for usw_dropping_room(n) keys; false: there are more, or it
 * seems so, and the same keys are there in any order. */
bool usw_sort_by_dropping(const upsweep *u, void *keys, size_t n, unsigned width, void *room);
size_t usw_dropping_room(size_t n);

/* Maps all keys in place, or back. */
void usw_map_keys(upsweep *u, void *keys, size_t n, unsigned width, const usw_keymap *map,
                  bool back);

/* The stable sort of pairs, of a room above this one: p's outputs are set, its buffers are not. */
typedef upsweep_status (*usw_sort_pairs)(upsweep *u, usw_pair_sort *p, size_t key_bytes);
/* Whether p's keys were in order but for some, which sort_pairs sorts by themselves, or in a few
 * runs, and are sorted now with what they carry: then *p->found is set. Else nothing has been
 * written. */
bool usw_sort_pair_stretches(upsweep *u, const usw_pair_sort *p, size_t key_bytes,
                             usw_sort_pairs sort_pairs);
#endif
