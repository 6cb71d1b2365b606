/* sort_human.c - the order of -h: numbers with a unit, 2K before 1G. As GNU sort has it, the unit
 * is looked at first, so that 1025K comes before 1M, and numbers of one unit are compared exactly.
 *
 * A key has, from the top: the unit, counted from -10 to 10 in 5 bits; then 59 bits of the number:
 * its decimal exponent in 8 and its first 15 digits in 50, added to 2^58 or taken from it. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_kinds.h"

#include <string.h>

#include "io/number.h"

enum { UNITS = 10, DIGITS = 15, EXPONENT = 126 };

#define MIDDLE (UINT64_C(1) << 58)

static bool is_digit(unsigned char c)
{
    return (unsigned char)(c - '0') < 10;
}

static const unsigned char *skip_blanks(const sort_locale *l, sort_text text)
{
    while (text.p < text.end && l->blank[*text.p]) {
        text.p++;
    }
    return text.p;
}

static int unit(unsigned char c)
{
    static const char letters[] = "KMGTPEZYRQ";
    const char *found = c == 'k' ? letters : c != '\0' ? strchr(letters, c) : NULL;
    return found != NULL ? (int)(found - letters) + 1 : 0;
}

/* Behind a number without its sign; one separator may stand between two digits. *most gets the
 * greatest digit, 0 if there is none. */
static const unsigned char *number_end(const sort_locale *l, const unsigned char *p,
                                       const unsigned char *end, unsigned char *most)
{
    *most = '\0';
    while (p < end && is_digit(*p)) {
        *most = *p > *most ? *p : *most;
        p++;
        if (p < end && *p == l->separator) {
            if (p + 1 == end || !is_digit(p[1])) {
                return p;
            }
            p++;
        }
    }
    if (p < end && *p == l->decimal) {
        for (p++; p < end && is_digit(*p); p++) {
            *most = *p > *most ? *p : *most;
        }
    }
    return p;
}

static int signed_unit(const sort_locale *l, const unsigned char *p, const unsigned char *end)
{
    bool minus = p < end && *p == '-';
    unsigned char most;
    p = number_end(l, p + minus, end, &most);
    int found = most > '0' && p < end ? unit(*p) : 0;
    return minus ? -found : found;
}

const unsigned char *sort_human_end(const sort_locale *l, sort_text text, bool with_unit)
{
    const unsigned char *p = skip_blanks(l, text);
    unsigned char most;
    const unsigned char *end = number_end(l, p + (p < text.end && *p == '-'), text.end, &most);
    if (most == '\0') {
        return p;
    }
    return end + (with_unit && end < text.end && unit(*end) > 0);
}

int sort_human_compare(const sort_order *order, sort_text a, sort_text b)
{
    static const sort_key plain = {.kind = SORT_PLAIN};
    const sort_locale *l = order->locale;
    a.p = skip_blanks(l, a);
    b.p = skip_blanks(l, b);
    int difference = signed_unit(l, a.p, a.end) - signed_unit(l, b.p, b.end);
    if (difference != 0) {
        return difference;
    }
    sort_room x, y;
    a = sort_number_text(order, &plain, a, &x);
    b = sort_number_text(order, &plain, b, &y);
    difference = io_plain_compare(a.p, a.end, b.p, b.end, false);
    sort_room_give(&x);
    sort_room_give(&y);
    return difference;
}

/* The first digits from the first that is not 0, and the exponent: 0.1 <= 0.digits < 1. */
typedef struct magnitude {
    uint64_t digits;
    int count, exponent;
    bool more;
} magnitude;

static void add_digit(magnitude *m, unsigned char c, bool fraction)
{
    bool leading = m->count == 0 && c == '0';
    if (!fraction && !leading && m->exponent < INT32_MAX) {
        m->exponent++;
    }
    if (fraction && leading && m->exponent > INT32_MIN) {
        m->exponent--;
    }
    if (leading) {
        return;
    }
    if (m->count < DIGITS) {
        m->digits = m->digits * 10 + (unsigned)(c - '0');
        m->count++;
    } else {
        m->more |= c != '0';
    }
}

static magnitude read_magnitude(const sort_locale *l, const unsigned char *p,
                                const unsigned char *end)
{
    magnitude m = {0};
    for (; p < end && (is_digit(*p) || *p == l->separator); p++) {
        if (*p != l->separator) {
            add_digit(&m, *p, false);
        }
    }
    if (p < end && *p == l->decimal) {
        for (p++; p < end && is_digit(*p); p++) {
            add_digit(&m, *p, true);
        }
    }
    for (; m.count > 0 && m.count < DIGITS; m.count++) {
        m.digits *= 10;
    }
    return m;
}

uint64_t sort_human_key(const sort_order *order, sort_text text, bool *exact)
{
    const sort_locale *l = order->locale;
    const unsigned char *p = skip_blanks(l, text);
    uint64_t top = (uint64_t)(signed_unit(l, p, text.end) + UNITS) << 59;
    bool minus = p < text.end && *p == '-';
    magnitude m = read_magnitude(l, p + minus, text.end);
    *exact = true;
    if (m.count == 0) {
        return top + MIDDLE;
    }
    *exact = !m.more && m.exponent >= -EXPONENT && m.exponent <= EXPONENT;
    if (m.exponent > EXPONENT) {
        m.exponent = EXPONENT + 1;
        m.digits = 0;
    } else if (m.exponent < -EXPONENT) {
        m.exponent = -EXPONENT - 1;
        m.digits = 0;
    }
    /* Exponents become 0 to 254, the first and the last for all beyond; it takes 58 bits. */
    uint64_t code = ((uint64_t)(m.exponent + EXPONENT + 1) << 50) + m.digits + 1;
    return minus ? top + MIDDLE - code : top + MIDDLE + code;
}
