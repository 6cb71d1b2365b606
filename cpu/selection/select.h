/* select.h - finds the k-th key of an array, or a sorted sample of it; for use inside public calls.
 */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CPU_SELECTION_SELECT_H
#define USW_CPU_SELECTION_SELECT_H

#include "cpu/cpu.h"

enum { USW_SELECT_BLOCK = 1 << 14, USW_SAMPLE_MAX = 4096 }; /* keys */

/* Rearranges keys so that keys[k] stands where a sort by the mapped keys would put it, nothing
 * before it is greater and nothing after it less. k < n. No scratch. The outcome depends on the
 * instruction set, not on the number of threads. */
void usw_select(upsweep *u, void *keys, size_t n, size_t k, const usw_keymap *map);

/* Fills sample, which has room for USW_SAMPLE_MAX keys, with about `wanted` mapped keys of
 * map->bits each in ascending order, taken from all over the n keys, and returns how many. 0 < n.
 */
size_t usw_sample_keys(const upsweep *u, const void *keys, size_t n, const usw_keymap *map,
                       size_t wanted, void *sample);

#endif
