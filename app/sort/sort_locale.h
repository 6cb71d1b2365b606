/* sort_locale.h - what a locale changes in a sort of lines: classes of bytes, numbers, months, and
 * the order of text. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_APP_SORT_SORT_LOCALE_H
#define USW_APP_SORT_SORT_LOCALE_H

#include <locale.h>
#include <stdbool.h>

enum { SORT_MONTHS = 12, SORT_MONTH_BYTES = 64 };

typedef struct sort_month {
    unsigned char name[SORT_MONTH_BYTES]; /* upper case, ended by 0 */
    int number;                           /* 1 to 12 */
} sort_month;

typedef struct sort_locale {
    locale_t handle;
    const char *name;    /* of the order of text; "C" */
    bool loaded;         /* handle is to be freed */
    bool collate;        /* text is ordered by strcoll_l, else by bytes */
    bool utf8;           /* the encoding is UTF-8 */
    bool plain;          /* numbers are written, and blanks are, as in the C locale */
    bool missing;        /* the one that was asked for is not installed, and this is the C locale */
    bool long_separator; /* groups of digits are parted by several bytes, which is ignored */
    bool point;          /* the decimal point of general numbers is a point */
    unsigned char decimal;
    int separator;  /* between groups of digits, or -1 */
    bool odd_blank; /* an ASCII character above space is a blank */
    bool blank[256], no_word[256], no_print[256];
    unsigned char upper[256];
    sort_month months[SORT_MONTHS]; /* in the order of their names */
} sort_locale;

/* The C locale. */
const sort_locale *sort_locale_c(void);
/* The locale `name`, "" being that of LC_ALL, LC_COLLATE, ... and LANG. One that is not installed
 * counts as C, and says so in `missing`. */
void sort_locale_open(sort_locale *l, const char *name);
void sort_locale_close(sort_locale *l);

/* Whether no ASCII character behind this one makes a sequence with it that is one character to the
 * order of text, as "ch" is in Czech. Only glibc's table tells; false: it may be otherwise. */
bool sort_locale_alone(const sort_locale *l, unsigned char c);

#endif
