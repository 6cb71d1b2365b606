/* sort_order.h - the order that `upsweep sort` was asked for: keys within lines, and how they
 * compare. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_APP_SORT_SORT_ORDER_H
#define USW_APP_SORT_SORT_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/sort/sort_locale.h"

/* What a key's text means. COLLATE: text in the order of a locale. */
typedef enum sort_kind {
    SORT_BYTES,
    SORT_PLAIN,   /* -n */
    SORT_GENERAL, /* -g */
    SORT_HUMAN,   /* -h */
    SORT_MONTH,   /* -M */
    SORT_VERSION, /* -V */
    SORT_RANDOM,  /* -R */
    SORT_COLLATE
} sort_kind;

/* One -k: from a character of a field to a character of a field, all counted from 0 but end_char,
 * where 0 means all of the end field. end_field SIZE_MAX: to the end of the line. */
typedef struct sort_key {
    size_t begin_field, begin_char, end_field, end_char;
    bool skip_begin, skip_end; /* blanks, before characters are counted */
    bool reverse;
    bool fold;          /* lower case counts as upper case */
    char ignored;       /* 'd', 'i', or 0: all bytes count */
    unsigned kinds;     /* 1u << SORT_..., all that were asked for */
    bool old;           /* written as +POS -POS */
    const bool *ignore; /* of sort_settle: a table of the bytes that do not count, or NULL */
    sort_kind kind;     /* of sort_settle */
    bool whole;         /* of sort_settle: the key is the line as it is */
} sort_key;

/* What the options say outside of -k. */
typedef struct sort_order {
    sort_key
        *keys; /* the last resort, all bytes of the line, is the last of them where it counts */
    size_t count;
    sort_key global; /* the letters outside of -k */
    int tab;         /* -t, or -1: blanks part fields */
    unsigned char end;
    bool stable, unique;
    bool resort;               /* of sort_settle: the last of the keys is the last resort */
    const sort_locale *locale; /* of sort_settle, where it was NULL: the C locale */
    unsigned char random[16];  /* -R: what is hashed before every key */
} sort_order;

typedef struct sort_text {
    const unsigned char *p, *end;
} sort_text;

/* Sets the ordering option `letter` (b d f g h i M n R r V) in key. Returns false if it is none. */
bool sort_set_letter(sort_key *key, char letter, bool begin, bool end);
/* Adds the key that a -k argument tells of. Returns APP_OK or APP_ERROR. */
int sort_add_key(sort_order *order, const char *spec);
/* Adds the key of the old form, +POS [-POS], the second being NULL where it is missing. Returns
 * -1 if the first is no such key, and so a file's name. */
int sort_add_old_key(sort_order *order, const char *begin, const char *end);
/* The letters of a key's options, in the order in which GNU sort writes them. */
enum { SORT_LETTERS = 16 };
const char *sort_letters(const sort_key *key, char letters[SORT_LETTERS]);
bool sort_has_options(const sort_key *key);
/* After all options: keys without options of their own get the global ones, the last resort is
 * added, and options that exclude each other are refused. */
int sort_settle(sort_order *order);
void sort_order_free(sort_order *order);

/* Whether an integer or decimal plan (io/number.h) makes the key. */
static inline bool sort_is_number(const sort_key *key)
{
    return key->kind == SORT_PLAIN || key->kind == SORT_GENERAL;
}

/* The part of a line that is the key. */
sort_text sort_field(const sort_order *order, const sort_key *key, sort_text line);
/* < 0, 0, > 0 by the keys from number `from` on. */
int sort_compare(const sort_order *order, size_t from, sort_text a, sort_text b);

#endif
