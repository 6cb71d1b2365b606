/* repeated.h - drops strings that were there before, ahead of a sort without repetition. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CPU_STRINGS_REPEATED_H
#define USW_CPU_STRINGS_REPEATED_H

#include "cpu/strings/strings.h"

/* Scratch for usw_drop_repeated. */
typedef struct usw_repeated {
    usw_shares tables; /* one a lane */
    size_t *kept;      /* of each chunk */
} usw_repeated;

/* Takes the scratch; false: there is none. */
bool usw_take_repeated(upsweep *u, const usw_string_sort *s, usw_repeated *r);
/* Drops items whose string some item before them has: all such, or some, or, where few strings are
 * repeated, none. Those left keep their order; returns how many they are. */
size_t usw_drop_repeated(upsweep *u, usw_string_sort *s, usw_repeated *r);

#endif
