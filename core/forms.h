/* forms.h - the shapes of CPU forms, as the registry and the API see them. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_FORMS_H
#define USW_FORMS_H

#include "core/frame.h"
#include "core/keymap.h"

__extension__ typedef unsigned __int128 usw_u128;

/* Widths a sort knows: log2(bits / 8). Types are mapped to unsigned keys before (keymap.h). 128
 * bits hold a 64-bit key above a 64-bit index: sorting those is a stable argsort by any unstable
 * sort. */
enum { USW_WIDTHS = 5 };

/* Sorts n unsigned keys ascending, by the bits [bit_begin, bit_end) of the key. Runs inside a
 * public call: takes scratch and threads from u. All scratch is taken before the first key moves,
 * so that a failure (UPSWEEP_ERROR_MEMORY, by usw_fail) leaves the keys as they were. */
typedef upsweep_status (*usw_sort_fn)(upsweep *u, void *keys, size_t n, unsigned bit_begin,
                                      unsigned bit_end);

typedef struct usw_sort_form {
    usw_sort_fn sort[USW_WIDTHS];
    size_t n_max;    /* 0 counts as SIZE_MAX */
    bool takes_bits; /* honours a bit range that is not the whole key, and is then stable */
    bool in_place;   /* needs no more than 1 MB of scratch a thread */
    /* NULL, or the same with the key map as part of the sort; in_place: with no more scratch than
     * that. [width], not of 128 bits. */
    upsweep_status (*sort_mapped[4])(upsweep *u, void *keys, size_t n, const usw_keymap *map,
                                     bool in_place);
} usw_sort_form;

/* Reduces n > 0 elements to one of type `to`; the order of floating-point additions is order.h's.
 * least gives for each of map_count maps of one width the least key and, unless index is NULL, its
 * first place. The standard row reduces USW_REDUCE_TASK elements (by a map) without scratch or
 * threads. rows: the rows [first, end) by one thread, but for those of more than USW_TILE. */
enum { USW_REDUCE_TASK = 64 * 1024 };
typedef struct usw_reduce_rows {
    const unsigned char *data;
    const uint64_t *begin; /* of each row and behind the last; NULL: rows of `length` each */
    size_t length, bytes, result_bytes;
    upsweep_type type, to; /* of elements, and of results */
    upsweep_op op;
    uint64_t identity; /* the result of a row without elements, as bits */
    unsigned char *results;
} usw_reduce_rows;
/* As upsweep_reduce_axis, but that no extent is 0. */
typedef struct usw_reduce_columns {
    const unsigned char *data;
    size_t outer, length, inner, bytes, result_bytes;
    upsweep_type type, to;
    upsweep_op op;
    unsigned char *results;
} usw_reduce_columns;
typedef struct usw_reduce_form {
    upsweep_status (*reduce)(upsweep *u, const void *data, size_t n, upsweep_type type,
                             upsweep_op op, upsweep_type to, void *result);
    upsweep_status (*least)(upsweep *u, const void *data, size_t n, const usw_keymap *maps,
                            size_t map_count, uint64_t *keys, size_t *index);
    void (*rows)(const usw_reduce_rows *s, size_t first, size_t end);
    upsweep_status (*columns)(upsweep *u, const usw_reduce_columns *s);
} usw_reduce_form;

/* A scan of n > 0 elements; out may be in. New starts: at heads[i] != 0, or where keys change, or
 * (both NULL) nowhere. */
typedef struct usw_scan {
    const void *in, *keys;
    void *out, *room; /* NULL, or USW_SCAN_ROOM bytes: up to USW_SCAN_TASK elements are a task */
    size_t n, key_bytes;
    upsweep_type type;
    upsweep_op op;
    bool exclusive;
    uint64_t identity; /* of op, as an element's bits */
    const uint8_t *heads;
} usw_scan;
enum { USW_SCAN_ROOM = 192 * 1024, USW_SCAN_TASK = 32 * 1024 };

typedef struct usw_scan_form {
    upsweep_status (*scan)(upsweep *u, const usw_scan *s);
    /* Rows of up to USW_TILE elements of these, others not; begin: NULL if all have `length`. */
    void (*rows)(const usw_scan *s, const uint64_t *begin, size_t length, size_t first, size_t end);
} usw_scan_form;

/* Splits n > 0 elements of any size by flags, stably; compact keeps those with flag not 0, and its
 * out may be in. The counts are those of upsweep_split and upsweep_compact. */
typedef struct usw_split_form {
    upsweep_status (*split)(upsweep *u, const void *in, const uint8_t *flags, void *out, size_t n,
                            size_t bytes, size_t *zeros);
    upsweep_status (*compact)(upsweep *u, const void *in, const uint8_t *flags, void *out, size_t n,
                              size_t bytes, size_t *kept);
} usw_split_form;

/* An upsweep_bucketing that was checked and prepared. kind 0: keys are bucket numbers of
 * key_bytes. */
typedef struct usw_buckets {
    upsweep_bucketing_kind kind;
    upsweep_type type;
    size_t key_bytes;
    uint32_t count;
    usw_keymap map;
    unsigned shift; /* DIGIT: (mapped key >> shift) & mask */
    uint32_t mask;
    double low, high; /* WIDTH: edge i is low + i * step, the last one is high */
    double step, scale;
    /* WIDTH: low and high as mapped keys. Not every 64-bit integer has an f64 of its own, so these
     * decide which integers are outside. */
    uint64_t first, last;
    uint64_t *edges; /* EDGES: mapped keys, count + 1 of them */
} usw_buckets;

/* upsweep_search_sorted. A wanted key, mapped, that is in one of the ranges `equal`, both ends of
 * which count, goes before (upper: behind) all keys of it: zeros of both signs, NaNs. */
typedef struct usw_search {
    const void *keys, *wanted;
    size_t n, m;
    usw_keymap map;
    bool upper;
    uint64_t equal[2][2];
    void *places;
    unsigned place_bytes; /* 4 or 8 */
} usw_search;

/* Shortest paths: paths.h. */
typedef struct usw_path_form usw_path_form;

#endif
