/* sort_order.h - the order that `upsweep sort` was asked for: keys within lines, and how they
 * compare. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_APP_SORT_SORT_ORDER_H
#define USW_APP_SORT_SORT_ORDER_H

#include <stdbool.h>
#include <stddef.h>

typedef enum sort_kind { SORT_BYTES, SORT_PLAIN, SORT_GENERAL } sort_kind;

/* One -k: from a character of a field to a character of a field, all counted from 0 but end_char,
 * where 0 means all of the end field. end_field SIZE_MAX: to the end of the line. */
typedef struct sort_key {
    size_t begin_field, begin_char, end_field, end_char;
    bool skip_begin, skip_end; /* blanks, before characters are counted */
    bool reverse;
    bool fold;          /* lower case counts as upper case */
    const bool *ignore; /* a table of the bytes that do not count, or NULL */
    sort_kind kind;
    bool both;  /* -n and -g were asked for, which is an error where the key counts */
    bool whole; /* the key is the line as it is */
} sort_key;

/* What the options say outside of -k. */
typedef struct sort_order {
    sort_key
        *keys; /* the last resort, all bytes of the line, is the last of them where it counts */
    size_t count;
    sort_key global; /* -b -d -f -g -i -n -r */
    int tab;         /* -t, or -1: blanks part fields */
    unsigned char end;
    bool stable, unique;
} sort_order;

typedef struct sort_text {
    const unsigned char *p, *end;
} sort_text;

/* Sets the ordering option `letter` in key (b d f g i n r). Returns false if it is none of them. */
bool sort_set_letter(sort_key *key, char letter, bool begin, bool end);
/* Adds the key that a -k argument tells of. Returns APP_OK or APP_ERROR. */
int sort_add_key(sort_order *order, const char *spec);
/* After all options: keys without options of their own get the global ones, the last resort is
 * added, and options that exclude each other are refused. */
int sort_settle(sort_order *order);
void sort_order_free(sort_order *order);

/* The part of a line that is the key. */
sort_text sort_field(const sort_order *order, const sort_key *key, sort_text line);
/* < 0, 0, > 0 by the keys from number `from` on. */
int sort_compare(const sort_order *order, size_t from, sort_text a, sort_text b);

#endif
