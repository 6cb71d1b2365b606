/* pair_weave.h - what pair_weave.c and pair_pieces.c share: where loose keys belong, and the arrays
 * that they and the others move in. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CPU_PATTERNS_PAIR_WEAVE_H
#define USW_CPU_PATTERNS_PAIR_WEAVE_H

#include "cpu/patterns/pair_stretches.h"

/* Keys, or what they carry. */
typedef struct usw_pair_array {
    const unsigned char *from;  /* NULL: what is carried is the position */
    const unsigned char *loose; /* copied aside, in the order of the loose keys */
    unsigned char *to;          /* NULL: not wanted; or as from */
    size_t bytes;
} usw_pair_array;

typedef struct usw_pair_weave {
    const usw_pair_stretches *s;
    usw_pair_array array[2];
    bool in_place;  /* one of them is */
    size_t *before; /* if so: which key of the array each loose key comes before */
} usw_pair_weave;

static inline bool usw_is_in_place(const usw_pair_array *a)
{
    return a->to != NULL && a->to == a->from;
}

/* How many of m ascending numbers are less than x. */
static inline size_t usw_count_below(const size_t *list, size_t m, size_t x)
{
    size_t low = 0, high = m;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool below = list[middle] < x;
        *(below ? &low : &high) = below ? middle + 1 : middle;
    }
    return low;
}

/* Where loose key j stands in the array. */
static inline size_t usw_loose_position(const usw_pair_stretches *s, size_t j)
{
    return (size_t)usw_load_raw(s->position + j * s->position_bytes, s->position_bytes);
}

/* Writes pairs [begin, end) of the array to place `at` of the result, if that is elsewhere. */
static inline void usw_put_pairs(const usw_pair_weave *w, size_t begin, size_t end, size_t at)
{
    for (unsigned k = 0; k < 2; k++) {
        const usw_pair_array *a = &w->array[k];
        size_t b = a->bytes;
        if (a->to != NULL && a->from == NULL) {
            usw_put_positions(a->to + at * b, b, begin, end - begin);
        } else if (a->to != NULL && a->from != a->to) {
            memcpy(a->to + at * b, a->from + begin * b, (end - begin) * b);
        }
    }
}

/* Writes what belongs to loose key j, in place, too. */
static inline void usw_put_loose(const usw_pair_weave *w, size_t j, size_t at)
{
    for (unsigned k = 0; k < 2; k++) {
        const usw_pair_array *a = &w->array[k];
        size_t b = a->bytes;
        if (a->to != NULL && a->from == NULL) {
            usw_put_positions(a->to + at * b, b, usw_loose_position(w->s, j), 1);
        } else if (a->to != NULL && b <= 8) {
            usw_store_raw(a->to + at * b, b, usw_load_raw(a->loose + j * b, b));
        } else if (a->to != NULL) {
            memcpy(a->to + at * b, a->loose + j * b, b);
        }
    }
}

/* Moves all in place; false: there is no scratch, and nothing was done. */
bool usw_weave_pieces(usw_pair_weave *w);

#endif
