/* pair_stretches.h - what pair_stretches.c and pair_weave.c share: keys that are in order but for
 * some, which are called loose, and what they carry. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CPU_PATTERNS_PAIR_STRETCHES_H
#define USW_CPU_PATTERNS_PAIR_STRETCHES_H

#include "core/keymap.h"
#include "cpu/patterns/patterns.h"

#include <stdatomic.h>

/* The keys of a chunk that are in order: those at [begin, end) but for `holes` of them, whose
 * positions stand in the list of holes from `hole` on. low, high: the first and the last key. */
typedef struct usw_pair_stretch {
    size_t begin, end, hole, holes;
    uint64_t low, high;
    size_t rank; /* of its first loose key */
} usw_pair_stretch;

typedef struct usw_pair_stretches {
    upsweep *u;
    const usw_pair_sort *p;
    const unsigned char *keys;
    size_t n, bytes;
    unsigned width;
    usw_key_order order;
    const usw_keymap_steps *maps;
    usw_sort_pairs sort_pairs;
    size_t chunk, count; /* keys of a chunk; stretches, at first as many as chunks */
    usw_pair_stretch *stretch;
    size_t *hole; /* positions of loose keys, ascending within a chunk */
    size_t holes_most;
    atomic_size_t holes;
    atomic_bool given_up;
    /* The loose keys in order. */
    size_t loose, position_bytes, *in_order; /* the last: positions, ascending */
    unsigned char *key, *position;           /* raw keys, and where they stand in the array */
    unsigned char *loose_payloads;
    /* Of runs: where the result goes; copied back after all. NULL: not wanted. */
    unsigned char *out_keys, *out_payloads;
} usw_pair_stretches;

/* What a raw key is compared by. */
static inline uint64_t usw_pair_key(const usw_pair_stretches *s, const unsigned char *keys,
                                    size_t i)
{
    uint64_t raw = s->bytes == 8   ? usw_load_raw(keys + 8 * i, 8)
                   : s->bytes == 4 ? usw_load_raw(keys + 4 * i, 4)
                                   : usw_load_raw(keys + s->bytes * i, s->bytes);
    uint64_t all = UINT64_MAX >> (64 - s->order.map.bits);
    return ((usw_map_key(&s->order.map, raw) << s->order.left) & all) >> s->order.right;
}

/* Merges the stretches with the loose keys, in place; false: there is no scratch. */
bool usw_weave_pairs(usw_pair_stretches *s);
/* Finds a few runs, rising or falling, and merges them; false: there are none, or no scratch, and
 * the inputs are as they were. */
bool usw_merge_pair_runs(usw_pair_stretches *s);

#endif
