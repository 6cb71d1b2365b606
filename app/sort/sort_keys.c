/* sort_keys.c - finds and compares keys within lines as sort(1) does (POSIX "sort",
 * and GNU coreutils where POSIX leaves it open). */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_kinds.h"

#include <stdint.h>
#include <string.h>

static const unsigned char *skip_blanks(const sort_order *order, const unsigned char *p,
                                        const unsigned char *end)
{
    while (p < end && order->locale->blank[*p]) {
        p++;
    }
    return p;
}

static const unsigned char *skip_bytes(const unsigned char *p, const unsigned char *end,
                                       size_t count)
{
    return (size_t)(end - p) < count ? end : p + count;
}

/* The first of eight bytes that may be a blank, being a space, less, or no ASCII; 8: none is. */
static inline unsigned find_candidate(const unsigned char *p)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t word;
    memcpy(&word, p, 8);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    uint64_t found = ((word - ('!' * ones)) | word) & (0x80 * ones); /* the lowest is exact */
    return found != 0 ? (unsigned)__builtin_ctzll(found) / 8 : 8;
}

/* Without -t a field is blanks and what follows them up to the next blank. */
static const unsigned char *skip_blank_field(const sort_order *order, const unsigned char *p,
                                             const unsigned char *end)
{
    p = skip_blanks(order, p, end);
    while (end - p >= 8 && !order->locale->odd_blank) {
        unsigned candidate = find_candidate(p);
        p += candidate;
        if (candidate < 8 && order->locale->blank[*p]) {
            return p;
        }
        p += candidate < 8;
    }
    while (p < end && !order->locale->blank[*p]) {
        p++;
    }
    return p;
}

static const unsigned char *find_tab(const unsigned char *p, const unsigned char *end, int tab)
{
    const unsigned char *found = memchr(p, tab, (size_t)(end - p));
    return found != NULL ? found : end;
}

static const unsigned char *field_begin(const sort_order *order, const sort_key *key,
                                        sort_text line)
{
    const unsigned char *p = line.p;
    for (size_t i = 0; i < key->begin_field && p < line.end; i++) {
        if (order->tab < 0) {
            p = skip_blank_field(order, p, line.end);
        } else {
            p = find_tab(p, line.end, order->tab);
            p += p < line.end;
        }
    }
    if (key->skip_begin) {
        p = skip_blanks(order, p, line.end);
    }
    return skip_bytes(p, line.end, key->begin_char);
}

static const unsigned char *field_end(const sort_order *order, const sort_key *key,
                                      const unsigned char *begin, sort_text line)
{
    const unsigned char *p = line.p;
    size_t fields = key->end_field + (key->end_char == 0);
    if (order->tab < 0 && key->end_char == 0 && key->begin_char == 0 &&
        key->end_field >= key->begin_field) {
        p = begin; /* of the field, or behind its blanks */
        fields -= key->begin_field;
    }
    for (size_t left = fields; left > 0 && p < line.end; left--) {
        if (order->tab < 0) {
            p = skip_blank_field(order, p, line.end);
        } else {
            p = find_tab(p, line.end, order->tab);
            p += p < line.end && (left > 1 || key->end_char != 0);
        }
    }
    if (key->end_char == 0) {
        return p;
    }
    if (key->skip_end) {
        p = skip_blanks(order, p, line.end);
    }
    return skip_bytes(p, line.end, key->end_char);
}

sort_text sort_field(const sort_order *order, const sort_key *key, sort_text line)
{
    if (key->whole) {
        return line;
    }
    sort_text field = {field_begin(order, key, line), line.end};
    if (key->end_field != SIZE_MAX) {
        bool one = order->tab >= 0 && key->end_char == 0 && key->begin_field == key->end_field &&
                   key->begin_char == 0 && !key->skip_begin;
        field.end =
            one ? find_tab(field.p, line.end, order->tab) : field_end(order, key, field.p, line);
    }
    if (field.end < field.p) {
        field.end = field.p;
    }
    return field;
}

static int compare_bytes(sort_text a, sort_text b)
{
    size_t a_bytes = (size_t)(a.end - a.p), b_bytes = (size_t)(b.end - b.p);
    int order = memcmp(a.p, b.p, a_bytes < b_bytes ? a_bytes : b_bytes);
    return order != 0 ? order : (a_bytes > b_bytes) - (a_bytes < b_bytes);
}

static int compare_some(const sort_order *order, const sort_key *key, sort_text a, sort_text b)
{
    const unsigned char *upper = order->locale->upper;
    for (;;) {
        while (key->ignore != NULL && a.p < a.end && key->ignore[*a.p]) {
            a.p++;
        }
        while (key->ignore != NULL && b.p < b.end && key->ignore[*b.p]) {
            b.p++;
        }
        if (a.p == a.end || b.p == b.end) {
            return (a.p < a.end) - (b.p < b.end);
        }
        unsigned char x = key->fold ? upper[*a.p] : *a.p, y = key->fold ? upper[*b.p] : *b.p;
        if (x != y) {
            return x < y ? -1 : 1;
        }
        a.p++;
        b.p++;
    }
}

/* Whether two texts are the same as far as a number, or month, can reach: to their ends, or to the
 * first blank behind what begins it. Many lines of a file often agree so far. */
static bool is_same_number(const sort_order *order, sort_text a, sort_text b)
{
    const bool *blank = order->locale->blank;
    size_t a_bytes = (size_t)(a.end - a.p), b_bytes = (size_t)(b.end - b.p), i = 0;
    size_t both = a_bytes < b_bytes ? a_bytes : b_bytes;
    while (i < both && a.p[i] == b.p[i] && blank[a.p[i]]) {
        i++;
    }
    if (i < both && a.p[i] <= ' ') { /* what strtold takes for a blank is none here */
        return false;
    }
    for (; i < both && a.p[i] == b.p[i]; i++) {
        if (blank[a.p[i]]) {
            return true;
        }
    }
    return i == a_bytes && i == b_bytes;
}

static int compare_key(const sort_order *order, const sort_key *key, sort_text a, sort_text b)
{
    a = sort_field(order, key, a);
    b = sort_field(order, key, b);
    if (key->kind != SORT_BYTES) {
        bool reads = key->kind == SORT_PLAIN || key->kind == SORT_GENERAL ||
                     key->kind == SORT_HUMAN || key->kind == SORT_MONTH;
        if (reads && order->locale->plain && key->ignore == NULL && is_same_number(order, a, b)) {
            return 0;
        }
        return sort_kind_compare(order, key, a, b);
    }
    return key->fold || key->ignore != NULL ? compare_some(order, key, a, b) : compare_bytes(a, b);
}

int sort_compare(const sort_order *order, size_t from, sort_text a, sort_text b)
{
    for (size_t k = from; k < order->count; k++) {
        int difference = compare_key(order, &order->keys[k], a, b);
        if (difference != 0) {
            return order->keys[k].reverse ? -difference : difference;
        }
    }
    return 0;
}
