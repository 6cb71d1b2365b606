/* sort_month.c - the order of -M: names of months, three letters in the C locale, and before them
 * all other text. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_kinds.h"

/* < 0, 0, > 0: the text comes before the name, begins with it, comes behind it. */
static int compare_name(const sort_locale *l, sort_text text, const unsigned char *name,
                        const unsigned char **end)
{
    const unsigned char *p = text.p;
    for (; *name != '\0'; p++, name++) {
        unsigned char c = p < text.end ? l->upper[*p] : '\0';
        if (c != *name) {
            return c < *name ? -1 : 1;
        }
    }
    *end = p;
    return 0;
}

/* A binary search, as GNU sort's: where one name begins with another, the search's way decides. */
int sort_month_number(const sort_locale *l, sort_text text, const unsigned char **end)
{
    const unsigned char *behind = text.p;
    while (text.p < text.end && l->blank[*text.p]) {
        text.p++;
    }
    int low = 0, high = SORT_MONTHS, number = 0;
    while (low < high && number == 0) {
        int middle = (low + high) / 2;
        int difference = compare_name(l, text, l->months[middle].name, &behind);
        if (difference < 0) {
            high = middle;
        } else if (difference > 0) {
            low = middle + 1;
        } else {
            number = l->months[middle].number;
        }
    }
    if (end != NULL) {
        *end = behind;
    }
    return number;
}
