/* number_compare.c - exact comparison of numbers that keys could not part, and strict readers. */
/* SPDX-License-Identifier: MIT */
#include "io/number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(unsigned char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* A plain number in parts, zeros that do not count left out. */
typedef struct parts {
    bool negative;
    const unsigned char *whole, *whole_end, *fraction, *fraction_end;
} parts;

static parts take_apart(const unsigned char *p, const unsigned char *end, bool newline)
{
    parts n = {0};
    while (p < end && (*p == ' ' || *p == '\t' || (newline && *p == '\n'))) {
        p++;
    }
    n.negative = p < end && *p == '-';
    p += n.negative;
    while (p < end && *p == '0') {
        p++;
    }
    n.whole = p;
    while (p < end && is_digit(*p)) {
        p++;
    }
    n.whole_end = n.fraction = n.fraction_end = p;
    if (p < end && *p == '.') {
        n.fraction = n.fraction_end = ++p;
        for (; p < end && is_digit(*p); p++) {
            n.fraction_end = *p != '0' ? p + 1 : n.fraction_end;
        }
    }
    n.negative = n.negative && (n.whole < n.whole_end || n.fraction < n.fraction_end);
    return n;
}

int io_plain_compare(const unsigned char *a, const unsigned char *a_end, const unsigned char *b,
                     const unsigned char *b_end, bool newline)
{
    parts x = take_apart(a, a_end, newline), y = take_apart(b, b_end, newline);
    if (x.negative != y.negative) {
        return x.negative ? -1 : 1;
    }
    int sign = x.negative ? -1 : 1;
    size_t x_whole = (size_t)(x.whole_end - x.whole), y_whole = (size_t)(y.whole_end - y.whole);
    if (x_whole != y_whole) {
        return x_whole < y_whole ? -sign : sign;
    }
    int order = memcmp(x.whole, y.whole, x_whole);
    if (order != 0) {
        return order < 0 ? -sign : sign;
    }
    size_t x_rest = (size_t)(x.fraction_end - x.fraction);
    size_t y_rest = (size_t)(y.fraction_end - y.fraction);
    order = memcmp(x.fraction, y.fraction, x_rest < y_rest ? x_rest : y_rest);
    if (order == 0 && x_rest == y_rest) {
        return 0;
    }
    return order != 0 ? (order < 0 ? -sign : sign) : x_rest < y_rest ? -sign : sign;
}

static locale_t general_locale; /* 0: that of the program, which is C */

void io_general_locale(locale_t locale)
{
    general_locale = locale;
}

/* What cannot be part of a number, or of the blanks before it, need not be copied. */
static bool may_belong(unsigned char c)
{
    return is_digit(c) || (unsigned char)((c | 0x20) - 'a') < 26 || (c >= '\t' && c <= '\r') ||
           c == '.' || c == '-' || c == '+' || c == ' ' || c == '(' || c == ')' || c == '_' ||
           (general_locale != (locale_t)0 && (c == ',' || c >= 0x80));
}

long double io_general_value(const unsigned char *p, const unsigned char *end,
                             const unsigned char **stop)
{
    enum { USUAL = 128 };
    char usual[USUAL], *copy = usual, *copy_end;
    long double quick;
    if (general_locale == (locale_t)0 && io_general_quick(p, end, stop, &quick)) {
        return quick;
    }
    size_t bytes = (size_t)(end - p);
    size_t take = 0;
    while (take < bytes && may_belong(p[take])) {
        take++;
    }
    if (take >= USUAL) {
        copy = malloc(take + 1);
        if (copy == NULL) { /* what follows the first hundred digits hardly matters */
            copy = usual;
            take = USUAL - 1;
        }
    }
    memcpy(copy, p, take);
    copy[take] = '\0';
    long double value = general_locale != (locale_t)0 ? strtold_l(copy, &copy_end, general_locale)
                                                      : strtold(copy, &copy_end);
    *stop = p + (copy_end - copy);
    if (copy != usual) {
        free(copy);
    }
    return value;
}

/* NaNs by sign, then by payload. */
static int compare_nan(long double x, long double y)
{
    int a = __builtin_signbit(x) != 0, b = __builtin_signbit(y) != 0;
    if (a != b) {
        return a - b;
    }
    uint64_t p, q;
    memcpy(&p, &x, 8);
    memcpy(&q, &y, 8);
    return (p > q) - (p < q);
}

int io_general_compare(const unsigned char *a, const unsigned char *a_end, const unsigned char *b,
                       const unsigned char *b_end)
{
    const unsigned char *a_stop, *b_stop;
    long double x = io_general_value(a, a_end, &a_stop), y = io_general_value(b, b_end, &b_stop);
    bool a_none = a_stop == a, b_none = b_stop == b;
    if (a_none || b_none) {
        return (int)b_none - (int)a_none;
    }
    bool a_nan = x != x, b_nan = y != y;
    if (a_nan || b_nan) {
        return a_nan && b_nan ? compare_nan(x, y) : (int)b_nan - (int)a_nan;
    }
    return (x > y) - (x < y);
}

/* The text with a NUL behind it, or NULL: it is empty, too long or begins with a blank. */
static const char *as_string(const char *text, size_t bytes, char room[], size_t room_bytes)
{
    if (bytes == 0 || bytes >= room_bytes || (unsigned char)text[0] <= ' ' ||
        memchr(text, '\0', bytes) != NULL) {
        return NULL;
    }
    memcpy(room, text, bytes);
    room[bytes] = '\0';
    return room;
}

const char *io_read_u64(const char *text, size_t bytes, uint64_t *value)
{
    char room[512], *stop;
    const char *s = as_string(text, bytes, room, sizeof room);
    if (s == NULL ||
        !(is_digit((unsigned char)s[0]) || (s[0] == '+' && is_digit((unsigned char)s[1])))) {
        return s != NULL && s[0] == '-' && is_digit((unsigned char)s[1]) ? "is negative"
                                                                         : "is no whole number";
    }
    errno = 0;
    unsigned long long number = strtoull(s, &stop, 10);
    if (*stop != '\0') {
        return "is no whole number";
    }
    *value = number;
    return errno == ERANGE ? "does not fit into 64 bits" : NULL;
}

const char *io_read_i64(const char *text, size_t bytes, int64_t *value)
{
    char room[512], *stop;
    const char *s = as_string(text, bytes, room, sizeof room);
    errno = 0;
    long long number = s != NULL ? strtoll(s, &stop, 10) : 0;
    if (s == NULL || stop == s || *stop != '\0') {
        return "is no whole number";
    }
    *value = number;
    return errno == ERANGE ? "does not fit into 64 bits" : NULL;
}

const char *io_read_f64(const char *text, size_t bytes, double *value)
{
    char room[2048], *stop;
    const char *s = as_string(text, bytes, room, sizeof room);
    double number = s != NULL ? strtod(s, &stop) : 0;
    if (s == NULL || stop == s || *stop != '\0') {
        return "is no number";
    }
    *value = number;
    return NULL;
}
