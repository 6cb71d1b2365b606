/* pattern_steps.h - what the files of the front end share: one search for a pattern. */
#ifndef USW_CPU_PATTERNS_PATTERN_STEPS_H
#define USW_CPU_PATTERNS_PATTERN_STEPS_H

#include "cpu/patterns/patterns.h"

enum { USW_PATTERN_CHUNK = 128 * 1024 }; /* keys of one task */

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

/* Each of these sorts the keys and sets found, or returns false and leaves the same keys, in any
 * order. */

/* Few values, or values of a narrow range: counted and written again. Two or four-byte keys and
 * wider. */
bool usw_sort_values(const usw_pattern_search *f);
/* Some runs, rising or falling, that are long: merged. Takes scratch for n keys. */
bool usw_sort_runs(const usw_pattern_search *f);
/* Keys that are in order but for a few of them: these go out, are sorted, and come back. Takes
 * scratch for an eighth of the keys. */
bool usw_sort_nearly_sorted(const usw_pattern_search *f);

/* Exchanges the first of the keys [begin, begin + n) with the last, and so on; by all threads. */
void usw_pattern_reverse(const usw_pattern_search *f, size_t begin, size_t n);
/* The key map, there or back, over all keys. */
void usw_pattern_map(const usw_pattern_search *f, bool back);

#endif
