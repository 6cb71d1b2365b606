/* pattern_steps.h - what patterns.c, runs.c and few_values.c share: one search for a pattern. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CPU_PATTERNS_PATTERN_STEPS_H
#define USW_CPU_PATTERNS_PATTERN_STEPS_H

#include "cpu/patterns/patterns.h"

enum {
    USW_PATTERN_CHUNK = 128 * 1024,         /* keys of one task */
    USW_PATTERN_FAR_BYTES = 2 * 1024 * 1024 /* more than a core's own cache has */
};

typedef struct usw_pattern_search {
    upsweep *u;
    unsigned char *keys;
    size_t n, bytes;
    unsigned width;
    const usw_key_order *order;
    const usw_keymap_steps *maps;
    const usw_pattern_steps *steps;
    usw_found *found;
} usw_pattern_search;

/* Whether neighbours rise and fall by turns in both places: neither runs nor nearly sorted. */
static inline bool usw_looks_random(const usw_glance *g)
{
    enum { OFTEN = USW_GLANCE / 4 };
    return g->falls[0] >= OFTEN && g->rises[0] >= OFTEN && g->falls[1] >= OFTEN &&
           g->rises[1] >= OFTEN;
}

/* Lets what follows, whose work is that of a sort of so many bytes, have no more threads than pay
 * for it; returns how many there were, for the caller to put back. */
static inline unsigned usw_take_fewer_threads(upsweep *u, size_t bytes)
{
    unsigned threads = u->threads;
    usw_offer_threads(u, bytes);
    u->threads = (unsigned)usw_min(threads, u->threads);
    return threads;
}

/* Each of these sorts the keys and sets found, or returns false and leaves the same keys, in any
 * order. */

/* Keys of few values, or of a narrow range of values: counted and written in order. Keys of 32 and
 * 64 bits. */
bool usw_sort_values(const usw_pattern_search *f);
/* Keys in order over long stretches, with few loose keys: these are woven in, and several runs
 * merged. Takes scratch for some of the keys, and for all to merge runs; in place, where runs are
 * not merged, at most 1 MB a thread. */
bool usw_sort_stretches(const usw_pattern_search *f, bool in_place);

/* Exchanges the first of the keys [begin, begin + n) with the last, and so on; by all threads. */
void usw_pattern_reverse(const usw_pattern_search *f, size_t begin, size_t n);
/* The key map, there or back, over all keys. */
void usw_pattern_map(const usw_pattern_search *f, bool back);

#endif
