/* sort_locale.c - asks the C library what a locale changes, once, into tables. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_locale.h"

#include <ctype.h>
#include <langinfo.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int compare_months(const void *a, const void *b)
{
    return strcmp((const char *)((const sort_month *)a)->name,
                  (const char *)((const sort_month *)b)->name);
}

/* Blanks within a month's name do not count. */
static void take_month(const sort_locale *l, const char *text, sort_month *month)
{
    size_t n = 0;
    for (; *text != '\0' && n + 1 < SORT_MONTH_BYTES; text++) {
        unsigned char c = (unsigned char)*text;
        if (!isblank_l(c, l->handle)) {
            month->name[n++] = l->upper[c];
        }
    }
    month->name[n] = '\0';
}

static void take_classes(sort_locale *l)
{
    for (int c = 0; c < 256; c++) {
        l->blank[c] = c == '\n' || isblank_l(c, l->handle);
        l->odd_blank = l->odd_blank || (l->blank[c] && c > ' ' && c < 0x80);
        l->no_word[c] = !l->blank[c] && !isalnum_l(c, l->handle);
        l->no_print[c] = !isprint_l(c, l->handle);
        l->upper[c] = (unsigned char)toupper_l(c, l->handle);
    }
}

/* Of several bytes neither the decimal point nor the separator of groups is known to sort(1). */
static void take_numbers(sort_locale *l)
{
    const char *decimal = nl_langinfo_l(RADIXCHAR, l->handle);
    const char *separator = nl_langinfo_l(THOUSEP, l->handle);
    bool one = decimal[0] != '\0' && decimal[1] == '\0';
    l->decimal = one ? (unsigned char)decimal[0] : '.';
    l->point = strcmp(decimal, ".") == 0;
    l->separator = -1;
    if (separator[0] != '\0' && separator[1] == '\0') {
        l->separator = (unsigned char)separator[0];
    }
    l->long_separator = separator[0] != '\0' && separator[1] != '\0';
    l->plain = l->decimal == '.' && l->separator < 0;
    for (int c = 0; c < 256; c++) {
        l->plain &= l->blank[c] == (c == ' ' || c == '\t' || c == '\n');
    }
}

/* Where the transformed text is the text, the order is that of bytes, whatever the name. */
static bool orders_by_bytes(locale_t handle)
{
    static const char *const probes[] = {"b", "B", "a-c", "~", "ab"};
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
        char made[64];
        if (strxfrm_l(made, probes[i], sizeof made, handle) != strlen(probes[i]) ||
            strcmp(made, probes[i]) != 0) {
            return false;
        }
    }
    return true;
}

static void take(sort_locale *l)
{
    static const nl_item months[SORT_MONTHS] = {ABMON_1, ABMON_2,  ABMON_3,  ABMON_4,
                                                ABMON_5, ABMON_6,  ABMON_7,  ABMON_8,
                                                ABMON_9, ABMON_10, ABMON_11, ABMON_12};
    take_classes(l);
    take_numbers(l);
    for (int i = 0; i < SORT_MONTHS; i++) {
        take_month(l, nl_langinfo_l(months[i], l->handle), &l->months[i]);
        l->months[i].number = i + 1;
    }
    qsort(l->months, SORT_MONTHS, sizeof *l->months, compare_months);
    l->collate = !orders_by_bytes(l->handle);
    l->utf8 = strcmp(nl_langinfo_l(CODESET, l->handle), "UTF-8") == 0;
}

#ifdef __GLIBC__
/* The table has for each byte what it weighs, or, negative, where a list of the sequences that
 * begin with it is: 4 bytes, how many bytes follow, and these, up to one where none do. This is the
 * form of the locale's file, too (locale/weight.h of glibc). */
bool sort_locale_alone(const sort_locale *l, unsigned char c)
{
    enum { SEQUENCES = 64 };
    const char *table = nl_langinfo_l(_NL_COLLATE_TABLEMB, l->handle);
    const char *list = nl_langinfo_l(_NL_COLLATE_EXTRAMB, l->handle);
    int32_t at, weight;
    if (!l->collate || table == NULL || list == NULL) {
        return false;
    }
    memcpy(&at, table + c * sizeof at, sizeof at);
    if (at >= 0) {
        return true;
    }
    const unsigned char *p = (const unsigned char *)list - at;
    for (int i = 0; i < SEQUENCES; i++) {
        memcpy(&weight, p, sizeof weight);
        unsigned bytes = p[4];
        if (bytes == 0) {
            return true;
        }
        if (weight < 0 || p[5] < 0x80) { /* a range, or an ASCII character that follows */
            return false;
        }
        p += (5 + bytes + 3) / 4 * 4;
    }
    return false;
}
#else
bool sort_locale_alone(const sort_locale *l, unsigned char c)
{
    (void)l, (void)c;
    return false;
}
#endif

static sort_locale c_locale;

static void take_c(void)
{
    c_locale.name = "C";
    c_locale.handle = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    take(&c_locale);
}

const sort_locale *sort_locale_c(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, take_c);
    return &c_locale;
}

/* The name that the environment gives to the order of text. */
static const char *named(const char *name)
{
    static const char *const variables[] = {"LC_ALL", "LC_COLLATE", "LANG"};
    for (size_t i = 0; *name == '\0' && i < 3; i++) {
        const char *value = getenv(variables[i]);
        name = value != NULL ? value : "";
    }
    return *name != '\0' ? name : "C";
}

void sort_locale_open(sort_locale *l, const char *name)
{
    locale_t handle = newlocale(LC_ALL_MASK, name, (locale_t)0);
    if (handle == (locale_t)0) {
        *l = *sort_locale_c();
        l->missing = true;
        return;
    }
    *l = (sort_locale){.handle = handle, .loaded = true, .name = named(name)};
    take(l);
}

void sort_locale_close(sort_locale *l)
{
    if (l->loaded) {
        freelocale(l->handle);
    }
    l->loaded = false;
}
