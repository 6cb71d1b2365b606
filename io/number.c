/* number.c - from digits to ordered 64-bit keys. Eight digits are read at a time, as one word: the
 * word's bytes are multiplied and added in pairs, fours, eights (D. Lemire, "Quickly parsing eight
 * digits", 2018). Plans and keys are explained in number.h. */
/* SPDX-License-Identifier: MIT */
#include "io/number.h"

#include <float.h>
#include <string.h>

#define ZERO_KEY (UINT64_C(1) << 63)
#define CODE_MAX (ZERO_KEY - 2) /* so that 0 and 1 stay free for texts without number and NaN */
enum { KEY_NONE = 0, KEY_NAN = 1, DIGITS_MAX = 19, GENERAL_DIGITS = 18, GENERAL_EXPONENT = 4900 };

static const uint64_t power[20] = {1u,
                                   10u,
                                   100u,
                                   1000u,
                                   10000u,
                                   100000u,
                                   1000000u,
                                   10000000u,
                                   100000000u,
                                   1000000000u,
                                   10000000000u,
                                   100000000000u,
                                   1000000000000u,
                                   10000000000000u,
                                   100000000000000u,
                                   1000000000000000u,
                                   10000000000000000u,
                                   100000000000000000u,
                                   1000000000000000000u,
                                   10000000000000000000u};

typedef struct decimal {
    uint64_t digits; /* the first 19 from the first that is not 0, as an integer */
    int exponent;    /* the value is digits * 10^exponent, and more if `more` */
    bool negative, more, any, odd;
    bool strtold; /* hexadecimal, inf or nan, which is left to it */
    int fraction; /* digits written behind the point */
} decimal;

/* The number of decimal digits of x; 0 for 0. */
static inline int digit_count(uint64_t x)
{
    if (x == 0) {
        return 0;
    }
    int bits = 64 - __builtin_clzll(x);
    int guess = bits * 1233 >> 12; /* log10(2) */
    return guess + (x >= power[guess]);
}

/* Reads digits from p on into *value = *value * 10^count + digits; stops at a byte that is none, at
 * end, or after `room` digits and up to seven more. Returns where. */
static inline const unsigned char *read_digits(const unsigned char *p, const unsigned char *end,
                                               uint64_t *value, int room)
{
    const unsigned char *from = p;
    for (;;) {
        uint64_t word;
        memcpy(&word, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        word ^= UINT64_C(0x3030303030303030);
        uint64_t other =
            (word | (word + UINT64_C(0x7676767676767676))) & UINT64_C(0x8080808080808080);
        size_t count = other == 0 ? 8 : (size_t)__builtin_ctzll(other) / 8;
        if (count > (size_t)(end - p)) {
            count = (size_t)(end - p);
        }
        if (count == 0) {
            return p;
        }
        word <<= 64 - 8 * count;
        word = word * 10 + (word >> 8);
        word = ((word & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x000F424000000064) +
                ((word >> 16) & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x0000271000000001)) >>
               32;
        *value = *value * power[count] + word;
        p += count;
        if (count < 8 || p - from > room) {
            return p;
        }
    }
}

static inline bool is_digit(unsigned char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* The number again, digit by digit, for those too long for one word. p is behind the sign. */
static const unsigned char *read_long(const unsigned char *p, const unsigned char *end, decimal *d)
{
    bool point = false;
    int count = 0;
    d->digits = 0;
    d->exponent = 0;
    d->fraction = 0;
    for (; p < end && (is_digit(*p) || (*p == '.' && !point)); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        d->fraction += point;
        if (count < DIGITS_MAX) {
            d->digits = d->digits * 10 + (*p - '0');
            count += d->digits != 0;
            d->exponent -= point;
        } else {
            d->more |= *p != '0';
            d->exponent += !point;
        }
    }
    d->odd = true;
    return p;
}

/* Reads an unsigned decimal number without exponent: "12", "12.5", ".5", "12.". */
static inline const unsigned char *read_decimal(const unsigned char *p, const unsigned char *end,
                                                decimal *d)
{
    const unsigned char *from = p;
    uint64_t value = 0;
    p = read_digits(p, end, &value, DIGITS_MAX);
    ptrdiff_t whole = p - from, fraction = 0;
    if (p < end && *p == '.') {
        const unsigned char *behind = p + 1;
        p = read_digits(behind, end, &value, DIGITS_MAX - (int)(whole < 19 ? whole : 19));
        fraction = p - behind;
        d->odd |= fraction == 0;
    }
    d->any = whole + fraction > 0;
    if (whole + fraction > DIGITS_MAX) {
        return read_long(from, end, d);
    }
    d->digits = value;
    d->exponent = -(int)fraction;
    d->fraction = (int)fraction;
    d->odd |= whole == 0 || (*from == '0' && whole > 1);
    return d->any ? p : from;
}

static inline bool is_blank(unsigned char c, bool newline)
{
    return c == ' ' || c == '\t' || (newline && c == '\n');
}

static inline const unsigned char *read_plain(const unsigned char *p, const unsigned char *end,
                                              bool newline, decimal *d)
{
    const unsigned char *from = p;
    *d = (decimal){0};
    while (p < end && is_blank(*p, newline)) {
        p++;
    }
    d->odd = p > from;
    const unsigned char *first = p;
    if (p < end && *p == '-') {
        d->negative = true;
        p++;
    }
    const unsigned char *digits = p;
    p = read_decimal(p, end, d);
    d->odd |= d->negative && d->digits == 0;
    return p == digits ? first : p;
}

/* 10^exponent behind the digits; p stays where it is if there is none. */
static const unsigned char *read_exponent(const unsigned char *p, const unsigned char *end,
                                          decimal *d)
{
    const unsigned char *q = p + 1;
    bool negative = q < end && *q == '-';
    q += q < end && (*q == '-' || *q == '+');
    if (q == end || !is_digit(*q)) {
        return p;
    }
    int exponent = 0;
    for (; q < end && is_digit(*q); q++) {
        exponent = exponent < 100000 ? exponent * 10 + (*q - '0') : exponent;
    }
    d->exponent += negative ? -exponent : exponent;
    d->odd = true;
    return q;
}

/* A decimal number with exponent. What needs strtold is not read, and d says so. */
static inline const unsigned char *read_general(const unsigned char *p, const unsigned char *end,
                                                bool newline, decimal *d)
{
    const unsigned char *from = p;
    *d = (decimal){0};
    while (p < end && (*p == ' ' || (*p >= '\t' && *p <= '\r' && (*p != '\n' || newline)))) {
        p++;
    }
    const unsigned char *first = p;
    if (p < end && (*p == '-' || *p == '+')) {
        d->negative = *p == '-';
        d->odd = *p == '+';
        p++;
    }
    d->odd |= first > from;
    const unsigned char *digits = p;
    if (p < end && (*p | 0x20) >= 'a') {
        d->strtold = (*p | 0x20) == 'i' || (*p | 0x20) == 'n';
        return first;
    }
    p = read_decimal(p, end, d);
    d->odd |= d->negative && d->digits == 0;
    if (!d->any || p == end) {
        return p == digits ? first : p;
    }
    if ((*p | 0x20) == 'x' && d->digits == 0) {
        d->strtold = true;
        return first;
    }
    return (*p | 0x20) == 'e' ? read_exponent(p, end, d) : p;
}

#if LDBL_MANT_DIG >= 64
bool io_general_quick(const unsigned char *p, const unsigned char *end, const unsigned char **stop,
                      long double *value)
{
    enum { EXACT = 27 }; /* 5^27 < 2^63 */
    decimal d;
    *stop = read_general(p, end, true, &d);
    int size = d.exponent < 0 ? -d.exponent : d.exponent;
    if (d.strtold || !d.any || d.more || size > EXACT) {
        return false;
    }
    long double by = (long double)power[size < DIGITS_MAX ? size : DIGITS_MAX];
    by *= (long double)power[size < DIGITS_MAX ? 0 : size - DIGITS_MAX];
    long double digits = (long double)d.digits;
    digits = d.exponent < 0 ? digits / by : digits * by;
    *value = d.negative ? -digits : digits;
    return true;
}
#else
bool io_general_quick(const unsigned char *p, const unsigned char *end, const unsigned char **stop,
                      long double *value)
{
    (void)p, (void)end, (void)stop, (void)value;
    return false;
}
#endif

static uint64_t fixed_code(const io_number_plan *plan, const decimal *d, unsigned *bits)
{
    int shift = d->exponent + plan->scale;
    uint64_t code = d->digits;
    if (d->more) {
        *bits |= IO_NUMBER_CUT;
    }
    if (shift > 0 && code != 0) {
        if (shift > DIGITS_MAX || __builtin_mul_overflow(code, power[shift], &code)) {
            code = CODE_MAX;
        }
    } else if (shift < 0) {
        uint64_t by = shift >= -DIGITS_MAX ? power[-shift] : UINT64_MAX;
        *bits |= code % by != 0 ? IO_NUMBER_CUT : 0;
        code /= by;
    }
    return code < CODE_MAX ? code : CODE_MAX;
}

static uint64_t float_code(const io_number_plan *plan, const decimal *d, unsigned *bits)
{
    uint64_t digits = d->digits;
    if (digits == 0) {
        return 0;
    }
    int count = digit_count(digits);
    int64_t e = (int64_t)count + d->exponent - plan->least;
    if (e < 0 || d->more) {
        *bits |= IO_NUMBER_CUT;
    }
    if (e < 0) {
        return 0;
    }
    if ((uint64_t)e >= plan->exponents) {
        return CODE_MAX;
    }
    if (count <= plan->digits) {
        digits *= power[plan->digits - count];
    } else {
        uint64_t by = power[count - plan->digits];
        *bits |= digits % by != 0 ? IO_NUMBER_CUT : 0;
        digits /= by;
    }
    uint64_t unit = power[plan->digits - 1];
    return 1 + (uint64_t)e * 9 * unit + (digits - unit);
}

/* The key by way of strtold: the double's bits, in order. */
static uint64_t long_key(const io_number_plan *plan, const unsigned char *p,
                         const unsigned char *end, const unsigned char **stop, unsigned *bits)
{
    const unsigned char *line = plan->newline ? NULL : memchr(p, '\n', (size_t)(end - p));
    long double value = io_general_value(p, line != NULL ? line : end, stop);
    *bits |= IO_NUMBER_ODD;
    if (*stop == p) {
        *bits |= IO_NUMBER_NONE;
        return KEY_NONE;
    }
    if (value != value) {
        return KEY_NAN;
    }
    if (plan->form != IO_DOUBLE) {
        if (value - value != 0) { /* infinite: io_number_key_exact knows of these keys */
            return value < 0 ? ZERO_KEY - CODE_MAX : ZERO_KEY + CODE_MAX;
        }
        *bits |= IO_NUMBER_LONG;
    }
    *bits |= IO_NUMBER_CUT;
    double rounded = value == 0 ? 0 : (double)value;
    uint64_t raw;
    memcpy(&raw, &rounded, 8);
    return raw >> 63 ? ~raw : raw | ZERO_KEY;
}

uint64_t io_number_key(const io_number_plan *plan, const unsigned char *p, const unsigned char *end,
                       const unsigned char **stop, unsigned *bits)
{
    decimal d;
    if (plan->form == IO_DOUBLE) {
        return long_key(plan, p, end, stop, bits);
    }
    if (!plan->general) {
        *stop = read_plain(p, end, plan->newline, &d);
    } else {
        *stop = read_general(p, end, plan->newline, &d);
        if (d.strtold) {
            return long_key(plan, p, end, stop, bits);
        }
        /* Whole numbers below 10^19 are exact as long double, and so stay what they are. */
        if ((d.digits >= power[GENERAL_DIGITS] && d.exponent != 0) || d.more ||
            d.exponent > GENERAL_EXPONENT || d.exponent < -GENERAL_EXPONENT) {
            *bits |= IO_NUMBER_LONG;
        }
    }
    if (!d.any) {
        *bits |= IO_NUMBER_NONE | IO_NUMBER_ODD;
        return plan->general ? KEY_NONE : ZERO_KEY;
    }
    bool fixed = plan->form == IO_FIXED;
    uint64_t code = fixed ? fixed_code(plan, &d, bits) : float_code(plan, &d, bits);
    if (d.odd || !fixed || d.fraction != plan->scale) {
        *bits |= IO_NUMBER_ODD;
    }
    return d.negative ? ZERO_KEY - code : ZERO_KEY + code;
}

bool io_number_key_exact(const io_number_plan *plan, uint64_t key)
{
    return plan->form != IO_DOUBLE && key != KEY_NAN && key != ZERO_KEY - CODE_MAX &&
           key != ZERO_KEY + CODE_MAX;
}

void io_number_look(io_number_sample *sample, const io_number_plan *plan, const unsigned char *p,
                    const unsigned char *end)
{
    decimal d;
    (void)(plan->general ? read_general(p, end, plan->newline, &d)
                         : read_plain(p, end, plan->newline, &d));
    if (d.digits == 0) {
        return;
    }
    int e = digit_count(d.digits) + d.exponent;
    sample->least = !sample->any || e < sample->least ? e : sample->least;
    sample->greatest = !sample->any || e > sample->greatest ? e : sample->greatest;
    sample->fraction = -d.exponent > sample->fraction ? -d.exponent : sample->fraction;
    sample->any = true;
}

void io_number_decide(io_number_plan *plan, const io_number_sample *sample)
{
    int whole = sample->greatest > 0 ? sample->greatest : 0;
    plan->form = IO_FIXED;
    plan->scale = sample->fraction;
    if (!sample->any || whole + sample->fraction <= (sample->fraction == 0 ? 19 : 18)) {
        return;
    }
    plan->form = IO_FLOAT;
    int64_t wanted = (int64_t)sample->greatest - sample->least + 1;
    plan->digits = wanted <= 90 ? 17 : wanted <= 900 ? 16 : 14;
    plan->exponents = (CODE_MAX - 1) / (9 * power[plan->digits - 1]);
    plan->least = sample->least - (int)(((int64_t)plan->exponents - wanted) / 2);
}
