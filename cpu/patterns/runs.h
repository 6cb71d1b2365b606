/* runs.h - a few long runs merged all at once, part by part: what runs.c does for keys alone and
 * pair_runs.c for keys that carry something. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CPU_PATTERNS_RUNS_H
#define USW_CPU_PATTERNS_RUNS_H

#include "cpu/patterns/stretches.h"

enum {
    USW_ASIDE_BYTES =
        2112 /* between two buffers, so that their lines take other places in a cache */
};

/* Sorted lists, side by side. */
typedef struct usw_lists {
    const unsigned char *list[USW_RUNS_MAX + 1];
    size_t n[USW_RUNS_MAX + 1], count;
} usw_lists;

/* Merges the lists in pairs until one is left, by turns to side[turn] and the other, but the last
 * time to `out` if that is not NULL. Returns where the keys are: one list stays where it is. */
const unsigned char *usw_merge_lists(usw_lists *l, usw_merge_fn merge, size_t bytes,
                                     unsigned char *const side[2], size_t turn, unsigned char *out);

/* Raw keys; run i is [end[i], end[i + 1]), and end[0] = 0. In places of a run that falls, keys are
 * counted from its end, so that they rise; no 64 of them are equal. */
typedef struct usw_runs {
    upsweep *u;
    const unsigned char *keys;
    size_t n, bytes;
    usw_key_order order;
    size_t count, end[USW_RUNS_MAX + 2];
    bool falls[USW_RUNS_MAX + 1];
    size_t part; /* keys of a part, at most */
    /* Merges places [at[i], end[i]) of all runs, a part, whose first key comes to `place`. */
    void (*merge_part)(const struct usw_runs *r, const size_t *at, const size_t *end, size_t place,
                       unsigned lane);
    void *context;
    size_t *cut; /* where range c begins in run i is cut[c * count + i] */
} usw_runs;

/* What the raw key at i of the array is compared by. */
static inline uint64_t usw_order_key(const usw_runs *r, size_t i)
{
    uint64_t all = UINT64_MAX >> (64 - r->order.map.bits);
    uint64_t key = usw_map_key(&r->order.map, usw_load_raw(r->keys + i * r->bytes, r->bytes));
    return ((key << r->order.left) & all) >> r->order.right;
}

/* The same of a place of run i. */
static inline uint64_t usw_run_key(const usw_runs *r, size_t i, size_t place)
{
    return usw_order_key(r, r->falls[i] ? r->end[i] + r->end[i + 1] - 1 - place : place);
}

/* Merges the runs part by part, by all threads; equal keys keep their order. False: there is no
 * scratch for the cuts, and nothing was done. */
bool usw_merge_in_parts(usw_runs *r);

#endif
