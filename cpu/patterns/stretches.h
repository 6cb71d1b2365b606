/* stretches.h - what stretches.c, weave.c and runs.c share: the stretches of an array that are in
 * order, and the loose keys between them. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CPU_PATTERNS_STRETCHES_H
#define USW_CPU_PATTERNS_STRETCHES_H

#include "cpu/patterns/pattern_steps.h"

#include <stdatomic.h>

enum {
    USW_RUNS_MAX = 32,
    USW_LOOSE_SHARE = 8, /* at most n / USW_LOOSE_SHARE keys may be loose */
    /* In place there is 1 MB of scratch a thread, buffers included: */
    USW_LOOSE_IN_PLACE = 192 * 1024, /* bytes of loose keys for each thread, */
    USW_SAVED_IN_PLACE = 64 * 1024,  /* of saved keys, */
    USW_CHUNKS_IN_PLACE = 1024       /* and chunks of the array */
};

/* Key i of the array, mapped. */
static inline uint64_t usw_key_at(const usw_pattern_search *f, size_t i)
{
    return usw_map_key(&f->order->map, usw_load_raw(f->keys + i * f->bytes, f->bytes));
}

/* Raw keys [begin, begin + n) of the array, n > 0, which rise, or fall. What lies between stretches
 * belongs to loose keys. low and high: the first and the last key, mapped. */
typedef struct usw_stretch {
    size_t begin, n;
    uint64_t low, high;
    bool falls;
} usw_stretch;

/* Stretches [first, end) that follow one another in order. */
typedef struct usw_run {
    size_t first, end, n; /* n: keys */
    bool falls;
} usw_run;

typedef struct usw_stretches {
    const usw_pattern_search *f;
    bool in_place;
    usw_mark after_stretches; /* of the scratch */
    size_t chunk;             /* keys; no rising stretch is longer */
    usw_stretch *stretch;
    size_t each; /* stretches that a chunk may be */
    size_t count, runs, runs_most;
    usw_run run[USW_RUNS_MAX];
    unsigned char *loose; /* mapped keys */
    size_t loose_most;
    atomic_size_t loose_n;
    /* while stretches are looked for: room for each thread, and whether all has been given up */
    usw_shares room;
    atomic_bool given_up;
} usw_stretches;

/* Each of these sorts all keys and returns true, or returns false, and the stretches and the loose
 * keys have all keys. Loose keys are in order. */

/* Merges keys in order, n kept ones and m loose ones, into out, which overlaps neither. */
void usw_merge_loose(usw_isa isa, unsigned width, const void *kept, size_t n, const void *loose,
                     size_t m, void *out);

/* One rising run and loose keys: every key moves once, in place. */
bool usw_weave_loose(usw_stretches *s);
/* Several runs, of which loose keys become one more: merged in pairs through scratch for n keys,
 * which takes the place of all scratch but the stretches. */
bool usw_merge_runs(usw_stretches *s);

#endif
