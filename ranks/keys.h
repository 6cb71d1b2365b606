/* keys.h - a rank's keys as words: numbers of 64 bits, the first the most important, whose order
 * is the one asked for. A number is one word; the fields of a record are as many as their bytes
 * fill. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_RANKS_KEYS_H
#define USW_RANKS_KEYS_H

#include "core/keymap.h"
#include "ranks/call.h"

typedef struct usw_key_part {
    size_t offset, bytes;
    bool text, descending; /* descending: of text; the map knows it for numbers */
    usw_keymap map;
} usw_key_part;

typedef struct usw_keys {
    const unsigned char *data;
    size_t n, bytes; /* bytes of an element */
    unsigned words;
    bool sorted; /* data is in order: cuts are places in it, and no element needs a look of its
                   own */
    /* numbers: what of the mapped key takes part */
    usw_keymap map;
    unsigned shift;
    uint64_t mask;
    /* records */
    const usw_key_part *parts;
    size_t part_count;
} usw_keys;

/* Keys of a type under options; false and noted if there is no such type. */
bool usw_number_keys(usw_call *c, usw_keys *keys, upsweep_type type, const upsweep_options *o);
/* Records by fields. */
bool usw_record_keys_of(usw_call *c, usw_keys *keys, size_t record_bytes,
                        const upsweep_field *fields, size_t count, const upsweep_options *o);
/* The words of elements begin .. begin + count - 1 of data. */
void usw_load_keys(const usw_keys *keys, const void *data, size_t begin, size_t count,
                   uint64_t *words);
/* Sorts n keys, as words, on this rank. */
bool usw_sort_words(usw_call *c, uint64_t *words, size_t n, unsigned width);

static inline int usw_compare_words(const uint64_t *a, const uint64_t *b, unsigned words)
{
    for (unsigned w = 0; w < words; w++) {
        if (a[w] != b[w]) {
            return a[w] < b[w] ? -1 : 1;
        }
    }
    return 0;
}

/* How many of n sorted keys are less than key; with `equal`, or equal to it. */
static inline size_t usw_count_less(const uint64_t *sorted, size_t n, const uint64_t *key,
                                    unsigned words, bool equal)
{
    size_t low = 0;
    while (n > 0) {
        size_t half = n / 2;
        int order = usw_compare_words(sorted + (low + half) * words, key, words);
        if (order < 0 || (equal && order == 0)) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low;
}

#endif
