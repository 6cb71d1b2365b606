/* sort_kinds.h - keys that are more than their bytes: numbers, sizes, months, versions, random
 * order, and text in the order of a locale. Each kind has a comparison, which decides, and a 64-bit
 * key, of which unsigned order agrees with the comparison as far as it goes. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_APP_SORT_SORT_KINDS_H
#define USW_APP_SORT_SORT_KINDS_H

#include "app/sort/sort_order.h"

/* < 0, 0, > 0 of the keys' texts; for every kind but SORT_BYTES. */
int sort_kind_compare(const sort_order *order, const sort_key *key, sort_text a, sort_text b);

/* Room for a copy of a text, most of the time on the stack. */
typedef struct sort_room {
    unsigned char small[512];
    unsigned char *large; /* NULL, or to be freed */
} sort_room;
/* So many bytes, and some to spare (IO_SLACK) behind them. Ends the program, with a sentence, where
 * there is no memory: a comparison has no other way to fail. */
unsigned char *sort_room_take(sort_room *room, size_t bytes);
void sort_room_give(sort_room *room);
/* The key's text without the bytes that do not count and in upper case, if so asked, with a NUL
 * behind it. copy: even if nothing changes. */
sort_text sort_transform(const sort_order *order, const sort_key *key, sort_text text, bool copy,
                         sort_room *room);

/* A number of -n as the C locale writes it: groups joined, the decimal point a point. Nothing is
 * copied where the locale writes numbers like that. */
sort_text sort_number_text(const sort_order *order, const sort_key *key, sort_text text,
                           sort_room *room);

/* sort_human.c. exact: whether equal keys mean equal numbers. */
int sort_human_compare(const sort_order *order, sort_text a, sort_text b);
uint64_t sort_human_key(const sort_order *order, sort_text text, bool *exact);
/* Where the number that begins at p ends, with its unit if `unit`; p where there is none. */
const unsigned char *sort_human_end(const sort_locale *l, sort_text text, bool unit);

/* sort_month.c: 1 to 12, or 0; *end gets where the name ends, and may be NULL. */
int sort_month_number(const sort_locale *l, sort_text text, const unsigned char **end);

/* sort_version.c. The key as bytes, of which `skip` are left out and at most `room` written;
 * returns how many. Bytes in order are versions in order; equal bytes are equal versions. */
int sort_version_compare(sort_text a, sort_text b);
size_t sort_version_bytes(sort_text text, size_t skip, unsigned char *to, size_t room);

/* sort_random.c: takes the bytes to be hashed before every key from `source`, or from the system
 * where it is NULL; returns APP_OK or APP_ERROR. The order is that of the hashes. The texts have a
 * NUL behind them where the locale orders text. */
int sort_random_begin(sort_order *order, const char *source);
int sort_random_compare(const sort_order *order, sort_text a, sort_text b);
uint64_t sort_random_key(const sort_order *order, sort_text text);

/* sort_collate.c: strcoll_l, and what it takes for keys. The texts have a NUL behind them. */
int sort_collate_compare(const sort_locale *l, sort_text a, sort_text b);

/* What a locale's first level makes of single characters. It is taken from strxfrm_l, and lines
 * that hold others than these are given to strxfrm_l, so that the bytes made are mostly, but not
 * certainly, in the order of strcoll_l: who sorts by them must compare neighbours afterwards. */
typedef struct sort_weights sort_weights;
/* NULL: there is no memory, or the locale is not of this form; no keys are made then. */
sort_weights *sort_weights_make(const sort_locale *l);
void sort_weights_free(sort_weights *w);
size_t sort_weights_bytes(const sort_weights *w, sort_text text, size_t skip, unsigned char *to,
                          size_t room);
/* Whether the bytes of a text are certainly in that order beside those of others that are so. */
bool sort_weights_are_sure(const sort_weights *w, sort_text text);

#endif
