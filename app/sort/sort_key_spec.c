/* sort_key_spec.c - reads key specifications, and settles which options each key has (POSIX "sort",
 * and GNU coreutils where POSIX leaves it open). */
/* SPDX-License-Identifier: MIT */
#include "app/app.h"
#include "app/sort/sort_order.h"
#include "app/quote.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define KIND(kind) (1u << SORT_##kind)

bool sort_set_letter(sort_key *key, char letter, bool begin, bool end)
{
    switch (letter) {
    case 'b':
        key->skip_begin |= begin;
        key->skip_end |= end;
        return true;
    case 'd': key->ignored = 'd'; return true;
    case 'i': key->ignored = key->ignored == 0 ? 'i' : key->ignored; return true;
    case 'f': key->fold = true; return true;
    case 'g': key->kinds |= KIND(GENERAL); return true;
    case 'h': key->kinds |= KIND(HUMAN); return true;
    case 'M': key->kinds |= KIND(MONTH); return true;
    case 'n': key->kinds |= KIND(PLAIN); return true;
    case 'R': key->kinds |= KIND(RANDOM); return true;
    case 'V': key->kinds |= KIND(VERSION); return true;
    case 'r': key->reverse = true; return true;
    default: return false;
    }
}

const char *sort_letters(const sort_key *key, char letters[SORT_LETTERS])
{
    const struct {
        bool set;
        char letter;
    } all[] = {{key->skip_begin || key->skip_end, 'b'},
               {key->ignored == 'd', 'd'},
               {key->fold, 'f'},
               {key->kinds & KIND(GENERAL), 'g'},
               {key->kinds & KIND(HUMAN), 'h'},
               {key->ignored == 'i', 'i'},
               {key->kinds & KIND(MONTH), 'M'},
               {key->kinds & KIND(PLAIN), 'n'},
               {key->kinds & KIND(RANDOM), 'R'},
               {key->reverse, 'r'},
               {key->kinds & KIND(VERSION), 'V'}};
    char *to = letters;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *to = all[i].letter;
        to += all[i].set;
    }
    *to = '\0';
    return letters;
}

/* A count that is too large means "behind everything". NULL: there is none. */
static const char *read_count(const char *s, size_t *count)
{
    s += strspn(s, " \t\n\v\f\r");
    s += *s == '+';
    if (*s < '0' || *s > '9') {
        return NULL;
    }
    for (*count = 0; *s >= '0' && *s <= '9'; s++) {
        if (__builtin_mul_overflow(*count, (size_t)10, count) ||
            __builtin_add_overflow(*count, (size_t)(*s - '0'), count)) {
            *count = SIZE_MAX;
            s += strspn(s, "0123456789");
            break;
        }
    }
    return s;
}

static const char *read_letters(const char *s, sort_key *key, bool end)
{
    for (; sort_set_letter(key, *s, !end, end); s++) {
    }
    return s;
}

static int bad_key(const char *spec, const char *why)
{
    return app_fail("%s: invalid field specification %s", why, app_quote_word(spec));
}

static int bad_count(const char *text, const char *why)
{
    return app_fail("%s: invalid count at start of %s", why, app_quote_word(text));
}

static const char stray[] = "stray character in field spec";

static int read_end(const char *spec, const char *from, sort_key *key)
{
    const char *s = read_count(from, &key->end_field);
    if (s == NULL) {
        return bad_count(from, "invalid number after ','");
    }
    if (key->end_field-- == 0) {
        return bad_key(spec, "field number is zero");
    }
    if (*s == '.') {
        from = s + 1;
        s = read_count(from, &key->end_char);
        if (s == NULL) {
            return bad_count(from, "invalid number after '.'");
        }
    }
    s = read_letters(s, key, true);
    return *s == '\0' ? APP_OK : bad_key(spec, stray);
}

static int read_key(const char *spec, sort_key *key)
{
    *key = (sort_key){.end_field = SIZE_MAX};
    const char *s = read_count(spec, &key->begin_field);
    if (s == NULL) {
        return bad_count(spec, "invalid number at field start");
    }
    if (key->begin_field-- == 0) {
        return bad_key(spec, "field number is zero");
    }
    if (*s == '.') {
        const char *from = s + 1;
        s = read_count(from, &key->begin_char);
        if (s == NULL) {
            return bad_count(from, "invalid number after '.'");
        }
        if (key->begin_char-- == 0) {
            return bad_key(spec, "character offset is zero");
        }
    }
    s = read_letters(s, key, false);
    if (*s == ',') {
        return read_end(spec, s + 1, key);
    }
    return *s == '\0' ? APP_OK : bad_key(spec, stray);
}

static int append(sort_order *order, const sort_key *key)
{
    sort_key *keys = realloc(order->keys, (order->count + 1) * sizeof *keys);
    if (keys == NULL) {
        return app_fail("out of memory");
    }
    order->keys = keys;
    keys[order->count++] = *key;
    return APP_OK;
}

int sort_add_key(sort_order *order, const char *spec)
{
    sort_key key;
    int status = read_key(spec, &key);
    return status == APP_OK ? append(order, &key) : status;
}

/* -POS: the fields before it belong to the key, and so many characters of it. */
static int read_old_end(const char *spec, sort_key *key)
{
    const char *s = read_count(spec + 1, &key->end_field);
    if (s == NULL) {
        return bad_count(spec + 1, "invalid number after '-'");
    }
    if (*s == '.') {
        const char *from = s + 1;
        s = read_count(from, &key->end_char);
        if (s == NULL) {
            return bad_count(from, "invalid number after '.'");
        }
    }
    key->end_field -= key->end_char == 0 && key->end_field > 0;
    s = read_letters(s, key, true);
    return *s == '\0' ? APP_OK : bad_key(spec, stray);
}

int sort_add_old_key(sort_order *order, const char *begin, const char *end)
{
    sort_key key = {.end_field = SIZE_MAX, .old = true};
    const char *s = read_count(begin + 1, &key.begin_field);
    if (s != NULL && *s == '.') {
        s = read_count(s + 1, &key.begin_char);
    }
    if (s == NULL || *read_letters(s, &key, false) != '\0') {
        return -1;
    }
    int status = end != NULL ? read_old_end(end, &key) : APP_OK;
    return status == APP_OK ? append(order, &key) : status;
}

bool sort_has_options(const sort_key *key)
{
    return key->skip_begin || key->skip_end || key->reverse || key->fold || key->ignored != 0 ||
           key->kinds != 0;
}

static void inherit(sort_key *key, const sort_key *global)
{
    sort_key place = *key;
    if (sort_has_options(key)) {
        return;
    }
    *key = *global;
    key->begin_field = place.begin_field;
    key->begin_char = place.begin_char;
    key->end_field = place.end_field;
    key->end_char = place.end_char;
    key->old = place.old;
}

static int check_kinds(const sort_key *key)
{
    int count = ((key->kinds & (KIND(VERSION) | KIND(RANDOM))) != 0 || key->ignored != 0) +
                __builtin_popcount(key->kinds & ~(KIND(VERSION) | KIND(RANDOM)));
    if (count <= 1) {
        return APP_OK;
    }
    sort_key kinds = *key;
    char letters[SORT_LETTERS];
    kinds.skip_begin = kinds.skip_end = kinds.reverse = false;
    return app_fail("options '-%s' are incompatible", sort_letters(&kinds, letters));
}

/* Of several kinds, which only -R and -V can be, the first counts. */
static sort_kind kind_of(const sort_key *key, const sort_locale *locale)
{
    static const sort_kind first[] = {SORT_PLAIN, SORT_GENERAL, SORT_HUMAN,
                                      SORT_MONTH, SORT_RANDOM,  SORT_VERSION};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        if ((key->kinds & 1u << first[i]) != 0) {
            return first[i];
        }
    }
    return locale->collate ? SORT_COLLATE : SORT_BYTES;
}

static int settle_key(sort_key *key, const sort_locale *locale)
{
    if (check_kinds(key) != APP_OK) {
        return APP_ERROR;
    }
    key->kind = kind_of(key, locale);
    key->ignore = key->ignored == 'd'   ? locale->no_word
                  : key->ignored == 'i' ? locale->no_print
                                        : NULL;
    bool skips = key->kind != SORT_BYTES && key->kind < SORT_VERSION; /* blanks, by itself */
    key->whole = key->begin_field == 0 && key->begin_char == 0 && key->end_field == SIZE_MAX &&
                 (!key->skip_begin || skips);
    return APP_OK;
}

int sort_settle(sort_order *order)
{
    if (order->locale == NULL) {
        order->locale = sort_locale_c();
    }
    sort_key global = order->global;
    global.begin_field = global.begin_char = global.end_char = 0;
    global.end_field = SIZE_MAX;
    sort_key last = {.end_field = SIZE_MAX, .reverse = global.reverse};
    sort_key plain = global;
    plain.reverse = false;
    if (order->count == 0 && sort_has_options(&plain) && append(order, &global) != APP_OK) {
        return APP_ERROR;
    }
    order->resort = order->count == 0 || !(order->stable || order->unique);
    for (size_t i = 0; i < order->count; i++) {
        inherit(&order->keys[i], &global);
    }
    if (order->resort && append(order, &last) != APP_OK) {
        return APP_ERROR;
    }
    for (size_t i = 0; i < order->count; i++) {
        if (settle_key(&order->keys[i], order->locale) != APP_OK) {
            return APP_ERROR;
        }
    }
    return APP_OK;
}

void sort_order_free(sort_order *order)
{
    free(order->keys);
    order->keys = NULL;
    order->count = 0;
}
