/* sort_key_spec.c - reads key specifications, and settles which options each key has (POSIX "sort",
 * and GNU coreutils where POSIX leaves it open). */
/* SPDX-License-Identifier: MIT */
#include "app/app.h"
#include "app/sort/sort_order.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

static bool is_letter_or_digit(unsigned char c)
{
    return (unsigned char)((c | 0x20) - 'a') < 26 || (unsigned char)(c - '0') < 10;
}

/* -d counts blanks, letters and digits only; -i printable bytes only. */
static const bool *ignore_table(char letter)
{
    static bool dictionary[256], printable[256];
    for (int c = 0; c < 256; c++) {
        dictionary[c] = !is_letter_or_digit((unsigned char)c) && !is_blank((unsigned char)c);
        printable[c] = c < 0x20 || c > 0x7e;
    }
    return letter == 'd' ? dictionary : printable;
}

bool sort_set_letter(sort_key *key, char letter, bool begin, bool end)
{
    switch (letter) {
    case 'b':
        key->skip_begin |= begin;
        key->skip_end |= end;
        return true;
    case 'd': key->ignore = ignore_table('d'); return true;
    case 'i': key->ignore = key->ignore == NULL ? ignore_table('i') : key->ignore; return true;
    case 'f': key->fold = true; return true;
    case 'g':
        key->both |= key->kind == SORT_PLAIN;
        key->kind = SORT_GENERAL;
        return true;
    case 'n':
        key->both |= key->kind == SORT_GENERAL;
        key->kind = SORT_PLAIN;
        return true;
    case 'r': key->reverse = true; return true;
    default: return false;
    }
}

/* A count that is too large means "behind everything". NULL: there is none. */
static const char *read_count(const char *s, size_t *count)
{
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
    if (*s != '\0' && strchr("hMRV", *s) != NULL) {
        app_fail("-k with %c is not supported: the keys' options are b d f g i n r", *s);
        return NULL;
    }
    return s;
}

static int bad_key(const char *spec, const char *why)
{
    return app_fail("-k %s: %s; a key is FIELD[.CHARACTER][bdfginr][,FIELD[.CHARACTER][bdfginr]]",
                    spec, why);
}

static int read_end(const char *spec, const char *s, sort_key *key)
{
    s = read_count(s, &key->end_field);
    if (s == NULL) {
        return bad_key(spec, "a number must follow ','");
    }
    if (key->end_field-- == 0) {
        return bad_key(spec, "fields are counted from 1");
    }
    if (*s == '.') {
        s = read_count(s + 1, &key->end_char);
        if (s == NULL) {
            return bad_key(spec, "a number must follow '.'");
        }
    }
    s = read_letters(s, key, true);
    if (s == NULL) {
        return APP_ERROR;
    }
    return *s == '\0' ? APP_OK : bad_key(spec, "something stands behind it");
}

static int read_key(const char *spec, sort_key *key)
{
    *key = (sort_key){.end_field = SIZE_MAX};
    const char *s = read_count(spec, &key->begin_field);
    if (s == NULL) {
        return bad_key(spec, "it must begin with a number");
    }
    if (key->begin_field-- == 0) {
        return bad_key(spec, "fields are counted from 1");
    }
    if (*s == '.') {
        s = read_count(s + 1, &key->begin_char);
        if (s == NULL) {
            return bad_key(spec, "a number must follow '.'");
        }
        if (key->begin_char-- == 0) {
            return bad_key(spec, "characters are counted from 1");
        }
    }
    s = read_letters(s, key, false);
    if (s == NULL) {
        return APP_ERROR;
    }
    if (*s == ',') {
        return read_end(spec, s + 1, key);
    }
    return *s == '\0' ? APP_OK : bad_key(spec, "something stands behind it");
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

static bool has_options(const sort_key *key)
{
    return key->skip_begin || key->skip_end || key->reverse || key->fold || key->ignore != NULL ||
           key->kind != SORT_BYTES;
}

static void inherit(sort_key *key, const sort_key *global)
{
    sort_key place = *key;
    if (has_options(key)) {
        return;
    }
    *key = *global;
    key->begin_field = place.begin_field;
    key->begin_char = place.begin_char;
    key->end_field = place.end_field;
    key->end_char = place.end_char;
}

int sort_settle(sort_order *order)
{
    sort_key global = order->global;
    global.begin_field = global.begin_char = global.end_char = 0;
    global.end_field = SIZE_MAX;
    sort_key last = {.end_field = SIZE_MAX, .reverse = global.reverse, .whole = true};
    sort_key plain = global;
    plain.reverse = false;
    if (order->count == 0 && has_options(&plain) && append(order, &global) != APP_OK) {
        return APP_ERROR;
    }
    bool keyed = order->count > 0;
    for (size_t i = 0; i < order->count; i++) {
        sort_key *key = &order->keys[i];
        inherit(key, &global);
        if (key->both) {
            return app_fail("-n and -g exclude each other");
        }
        if (key->kind != SORT_BYTES && key->ignore != NULL) {
            return app_fail("-d and -i do not go with -%c", key->kind == SORT_PLAIN ? 'n' : 'g');
        }
        key->whole = key->begin_field == 0 && key->begin_char == 0 && key->end_field == SIZE_MAX &&
                     (!key->skip_begin || key->kind != SORT_BYTES); /* numbers skip by themselves */
    }
    if (keyed && (order->stable || order->unique)) {
        return APP_OK;
    }
    return append(order, &last);
}

void sort_order_free(sort_order *order)
{
    free(order->keys);
    order->keys = NULL;
    order->count = 0;
}
