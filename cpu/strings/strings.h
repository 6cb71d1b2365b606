/* strings.h - the stable sort of strings by their bytes, for public calls; and what its steps
 * share: how a string is found by its item, and the words of bytes that stand for it.
 *
 * An item is what is moved in place of a string: its position in an array of offsets (Arrow's
 * layout), or a slice, which says by itself where the string begins and how long it is. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CPU_STRINGS_STRINGS_H
#define USW_CPU_STRINGS_STRINGS_H

#include "core/frame.h"

/* Where the strings are. */
typedef struct usw_strings {
    const unsigned char *bytes, *end;
    const void *offsets;   /* of each string's begin, and of the last one's end; NULL: slices */
    unsigned offset_bytes; /* 4 or 8 */
    unsigned length_bits;  /* a slice is begin << length_bits | length; 1 to 63 */
} usw_strings;

/* A sort: items come in the order of their strings, and equal strings keep their order. */
typedef struct usw_string_sort {
    usw_strings strings;
    void *items;
    unsigned item_bytes; /* 4 or 8; 8 for slices */
    bool positions;      /* the items are to be 0 .. n - 1 at first; else they are given */
    uint64_t *values;    /* move with the items; NULL: there are none */
    size_t n;
    bool descending;
    bool distinct; /* of equal strings only the first is kept; for slices */
    size_t kept;   /* gets how many items are left; those behind them are undefined */
} usw_string_sort;

/* After UPSWEEP_ERROR_MEMORY the items and values are as they were. */
upsweep_status usw_sort_strings(upsweep *u, usw_string_sort *sort);

/* ---- for the files of this room ---- */

typedef struct usw_string {
    const unsigned char *at;
    size_t bytes;
} usw_string;

static inline usw_string usw_string_of(const usw_strings *s, uint64_t item)
{
    if (s->offsets == NULL) {
        return (usw_string){s->bytes + (item >> s->length_bits),
                            (size_t)(item & ((UINT64_C(1) << s->length_bits) - 1))};
    }
    uint64_t begin, end;
    if (s->offset_bytes == 4) {
        const uint32_t *offsets = s->offsets;
        begin = offsets[item];
        end = offsets[item + 1];
    } else {
        const uint64_t *offsets = s->offsets;
        begin = offsets[item];
        end = offsets[item + 1];
    }
    return (usw_string){s->bytes + begin, (size_t)(end - begin)};
}

static inline uint64_t usw_item(const void *items, unsigned item_bytes, size_t i)
{
    return item_bytes == 4 ? ((const uint32_t *)items)[i] : ((const uint64_t *)items)[i];
}

static inline void usw_set_item(void *items, unsigned item_bytes, size_t i, uint64_t item)
{
    if (item_bytes == 4) {
        ((uint32_t *)items)[i] = (uint32_t)item;
    } else {
        ((uint64_t *)items)[i] = item;
    }
}

/* Asks for the cache lines where a string begins to differ from the others of its range. */
static inline void usw_fetch_string(const usw_strings *s, uint64_t item, size_t depth)
{
    if (s->offsets == NULL) {
        __builtin_prefetch(s->bytes + (item >> s->length_bits) + depth);
    } else if (s->offset_bytes == 4) {
        __builtin_prefetch(s->bytes + ((const uint32_t *)s->offsets)[item] + depth);
    } else {
        __builtin_prefetch(s->bytes + ((const uint64_t *)s->offsets)[item] + depth);
    }
}

/* Of an array of offsets: the place that usw_fetch_string will read. */
static inline void usw_fetch_offset(const usw_strings *s, uint64_t item)
{
    if (s->offsets != NULL) {
        __builtin_prefetch((const char *)s->offsets + item * s->offset_bytes);
    }
}

/* The 8 bytes at p, the first of them the most significant; bytes from `end` on, where memory may
 * end, count as 0. */
static inline uint64_t usw_load_word(const unsigned char *p, const unsigned char *end)
{
    uint64_t word = 0;
    if (end - p >= 8) {
        memcpy(&word, p, 8);
    } else {
        memcpy(&word, p, (size_t)(end - p));
    }
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* How many bytes two strings share, from byte `from` on, which they have; at most `most` more. */
static inline size_t usw_shared(usw_string a, usw_string b, size_t from, size_t most)
{
    size_t room = usw_min(usw_min(a.bytes, b.bytes) - from, most), i = 0;
    for (; i + 8 <= room; i += 8) {
        uint64_t x, y;
        memcpy(&x, a.at + from + i, 8);
        memcpy(&y, b.at + from + i, 8);
        if (x != y) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
            return i + (size_t)__builtin_ctzll(x ^ y) / 8;
#else
            return i + (size_t)__builtin_clzll(x ^ y) / 8;
#endif
        }
    }
    while (i < room && a.at[from + i] == b.at[from + i]) {
        i++;
    }
    return i;
}

/* < 0, 0, > 0; both have `from` bytes, which are known to agree. */
static inline int usw_compare_strings(usw_string a, usw_string b, size_t from)
{
    size_t at = from + usw_shared(a, b, from, SIZE_MAX);
    if (at == a.bytes || at == b.bytes) {
        return (a.bytes > b.bytes) - (a.bytes < b.bytes);
    }
    return a.at[at] < b.at[at] ? -1 : 1;
}

/* What one thread sorts in its cache. */
enum { USW_LEAF_MOST = 1 << 14 };
typedef struct usw_string_leaf {
    const usw_string_sort *sort;
    usw_isa isa;
    usw_string *strings; /* USW_LEAF_MOST of each */
    uint64_t *words, *items;
    uint64_t *values; /* NULL: none */
    uint8_t *dropped; /* NULL: nothing is dropped */
} usw_string_leaf;

/* Items and values that lie side by side; a sort moves them between two of these. */
typedef struct usw_string_items {
    void *items;
    uint64_t *values;
} usw_string_items;

/* What stands for an item that was dropped. */
#define USW_DROPPED UINT64_MAX

/* Sorts n <= USW_LEAF_MOST items, which lie at `at` in `from` and whose strings share `depth` bytes,
 * to the same place of `to`, which may be `from`. */
void usw_sort_string_leaf(usw_string_leaf *leaf, const usw_string_items *from,
                          const usw_string_items *to, size_t at, size_t n, size_t depth);

#endif
