/* numbers.c - reads arrays of numbers from text and prints numbers.
 * Short decimals are read exactly by one multiplication or division (Clinger 1990); others by
 * strtod. Printing tries ever more digits until the text reads back as the same number. */
/* SPDX-License-Identifier: MIT */
#include "io/numbers.h"

#include "io/float16.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}
/* A token ends before the next space, or with the text. */
static bool is_end(char c)
{
    return is_space(c) || c == '\0';
}

typedef struct whole {
    uint64_t size; /* without the sign */
    bool negative;
    const char *end;
} whole;

/* A whole number whose size fits 64 bits; false if the token is none. */
static bool scan_whole(const char *p, whole *w)
{
    w->negative = *p == '-';
    p += *p == '-' || *p == '+';
    const char *from = p;
    w->size = 0;
    for (; is_digit(*p); p++) {
        if (__builtin_mul_overflow(w->size, 10u, &w->size) ||
            __builtin_add_overflow(w->size, (uint64_t)(*p - '0'), &w->size)) {
            return false;
        }
    }
    w->end = p;
    return p > from && is_end(*p);
}

/* Up to 19 digits and a point, where mantissa and power of ten are both exact doubles. */
static bool scan_short(const char *p, double *value, const char **end)
{
    static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    bool negative = *p == '-';
    p += *p == '-' || *p == '+';
    uint64_t mantissa = 0;
    unsigned digits = 0, after = 0;
    for (; is_digit(*p); p++, digits++) {
        mantissa = mantissa * 10 + (uint64_t)(*p - '0');
    }
    if (*p == '.') {
        for (p++; is_digit(*p); p++, digits++, after++) {
            mantissa = mantissa * 10 + (uint64_t)(*p - '0');
        }
    }
    bool ends = !is_digit(*p) && (*p | 0x20) != 'e' && (*p | 0x20) != 'x' && *p != '.';
    if (digits == 0 || digits > 18 || mantissa >> 53 != 0 || !ends) {
        return false;
    }
    *value = (double)mantissa / ten[after];
    *value = negative ? -*value : *value;
    *end = p;
    return true;
}

bool io_decimal_scan(const char *p, double *value, const char **end)
{
    if (scan_short(p, value, end)) {
        return true;
    }
    char *stop;
    *value = strtod(p, &stop);
    *end = stop;
    return stop != p;
}

static bool scan_double(const char *p, double *value, const char **end)
{
    return io_decimal_scan(p, value, end) && is_end(**end);
}

static bool is_float(upsweep_type type)
{
    return type == UPSWEEP_F16 || type == UPSWEEP_BF16 || type == UPSWEEP_F32 ||
           type == UPSWEEP_F64;
}

/* Stores a whole number if the type has it. Little-endian, as are all machines that upsweep knows.
 */
static bool store_whole(const whole *w, upsweep_type type, void *element)
{
    unsigned bits = 8 * (unsigned)upsweep_type_bytes(type);
    bool is_signed = type >= UPSWEEP_I8 && type <= UPSWEEP_I64;
    uint64_t most = UINT64_MAX >> (64 - bits);
    if (is_signed) {
        most = (most >> 1) + w->negative;
    } else if (w->negative) {
        most = 0;
    }
    uint64_t value = w->negative ? 0 - w->size : w->size;
    memcpy(element, &value, bits / 8);
    return w->size <= most;
}

/* Reads the token at p; NULL if it is no number that the type can hold, else where it ends. */
static const char *scan(const char *p, upsweep_type type, void *element)
{
    if (!is_float(type)) {
        whole w;
        return scan_whole(p, &w) && store_whole(&w, type, element) ? w.end : NULL;
    }
    const char *end;
    if (type == UPSWEEP_F32) {
        char *stop;
        float f = strtof(p, &stop);
        memcpy(element, &f, sizeof f);
        return stop != p && is_end(*stop) ? stop : NULL;
    }
    double value;
    if (is_space(*p) || !scan_double(p, &value, &end)) {
        return NULL;
    }
    if (type == UPSWEEP_F64) {
        memcpy(element, &value, sizeof value);
    } else {
        uint16_t bits = type == UPSWEEP_F16 ? io_to_f16(value) : io_to_bf16(value);
        memcpy(element, &bits, sizeof bits);
    }
    return end;
}

bool io_number_scan(const char *text, upsweep_type type, void *element)
{
    const char *end = *text == '\0' || is_space(*text) ? NULL : scan(text, type, element);
    return end != NULL && *end == '\0';
}

static const char *skip_space(const char *p, const char *end)
{
    while (p < end && is_space(*p)) {
        p++;
    }
    return p;
}

static size_t count_tokens(const char *p, const char *end)
{
    size_t n = 0;
    bool in_token = false;
    for (; p < end; p++) {
        bool space = is_space(*p);
        n += !space && !in_token;
        in_token = !space;
    }
    return n;
}

/* Whether the token at p, which is no whole number of 64 bits, is a whole number at all. */
static const char *scan_digits(const char *p)
{
    p += *p == '-' || *p == '+';
    const char *from = p;
    while (is_digit(*p)) {
        p++;
    }
    return p > from && is_end(*p) ? p : NULL;
}

static size_t line_of(const char *text, const char *at)
{
    size_t line = 1;
    for (const char *p = text; p < at; p++) {
        line += *p == '\n';
    }
    return line;
}

enum { SHOWN = 41 };
/* The token at `at` for sentences: cut short, and without bytes that are not printed. */
static const char *show(char shown[SHOWN], const char *at, const char *end)
{
    size_t length = 0;
    while (at + length < end && length < SHOWN - 1 && !is_space(at[length])) {
        char c = at[length];
        shown[length++] = c >= 0x20 && c < 0x7f ? c : '?';
    }
    shown[length] = '\0';
    return shown;
}

typedef struct input {
    const char *name, *text, *end;
    io_error *error;
} input;

/* Whole numbers stay whole numbers: they are never rounded to floats without being asked. */
static bool fits_none(const input *in, const char *at, const char *other)
{
    char first[SHOWN], second[SHOWN];
    show(first, at, in->end);
    if (other == NULL) {
        return io_because(in->error,
                          "%s: line %zu: %s fits no type of 64 bits; --text --type f64 rounds it",
                          in->name, line_of(in->text, at), first);
    }
    return io_because(in->error,
                      "%s: line %zu: no type of 64 bits has both %s and, in line %zu, %s; --text "
                      "--type f64 rounds them",
                      in->name, line_of(in->text, at), first, line_of(in->text, other),
                      show(second, other, in->end));
}

/* I64 or U64, the first that has all numbers, if all are whole; otherwise F64, also when some token
 * is no number, which reading then reports. False if all are whole and neither has them. */
static bool decide_type(const input *in, upsweep_type *type)
{
    const char *p = in->text, *end = in->end;
    const char *negative = NULL, *large = NULL, *huge = NULL; /* the first of each */
    *type = UPSWEEP_F64;
    for (p = skip_space(p, end); p < end; p = skip_space(p, end)) {
        whole w;
        bool fits = scan_whole(p, &w);
        const char *stop = fits ? w.end : scan_digits(p);
        if (stop == NULL || stop > end || (stop < end && *stop == '\0')) {
            return true;
        }
        bool is_huge = !fits || (w.negative && w.size > (uint64_t)INT64_MAX + 1);
        huge = huge == NULL && is_huge ? p : huge;
        negative = negative == NULL && fits && w.negative && w.size != 0 ? p : negative;
        large = large == NULL && fits && !w.negative && w.size > INT64_MAX ? p : large;
        p = stop;
    }
    if (huge != NULL || (negative != NULL && large != NULL)) {
        const char *later = negative > large ? negative : large;
        const char *before = negative > large ? large : negative;
        return huge != NULL ? fits_none(in, huge, NULL) : fits_none(in, later, before);
    }
    *type = large == NULL ? UPSWEEP_I64 : UPSWEEP_U64;
    return true;
}

static bool bad_token(const input *in, const char *at, upsweep_type type)
{
    char shown[SHOWN];
    show(shown, at, in->end);
    double value;
    const char *stop;
    size_t line = line_of(in->text, at);
    if (scan_double(at, &value, &stop) && !is_float(type)) {
        return io_because(in->error, "%s: line %zu: %s is no value of type %s", in->name, line,
                          shown, upsweep_type_name(type));
    }
    return io_because(in->error, "%s: line %zu: '%s' is no number", in->name, line, shown);
}

bool io_numbers_read(const char *name, const char *text, size_t bytes, upsweep_type *type,
                     void **data, size_t *n, io_error *error)
{
    const char *p = text, *end = text + bytes;
    input in = {name, text, end, error};
    if (*type == 0 && !decide_type(&in, type)) {
        return false;
    }
    size_t step = upsweep_type_bytes(*type);
    *n = count_tokens(text, end);
    char *out = malloc(*n * step + 1); /* a token and its space are 2 bytes: 8 n bytes fit size_t */
    if (out == NULL) {
        return io_because(error, "%s: no memory for %zu numbers", name, *n);
    }
    for (size_t i = 0; i < *n; i++) {
        p = skip_space(p, end);
        const char *next = scan(p, *type, out + i * step);
        if (next == NULL || (next == p)) {
            free(out);
            return bad_token(&in, p, *type);
        }
        p = next;
        if (p < end && *p == '\0') { /* a zero byte ends strtod, but not the token */
            free(out);
            return bad_token(&in, p, *type);
        }
    }
    *data = out;
    return true;
}

double io_number_value(upsweep_type type, const void *element)
{
    uint16_t half;
    float single = 0;
    double value;
    uint64_t bits = 0;
    size_t bytes = upsweep_type_bytes(type);
    switch (type) {
    case UPSWEEP_F64: memcpy(&value, element, sizeof value); return value;
    case UPSWEEP_F32: memcpy(&single, element, sizeof single); return single;
    case UPSWEEP_F16: memcpy(&half, element, sizeof half); return io_from_f16(half);
    case UPSWEEP_BF16: memcpy(&half, element, sizeof half); return io_from_bf16(half);
    default: memcpy(&bits, element, bytes); break;
    }
    unsigned unused = 64 - 8 * (unsigned)bytes;
    return type >= UPSWEEP_I8 ? (double)((int64_t)(bits << unused) >> unused) : (double)bits;
}

static size_t print_float(char *text, upsweep_type type, const void *element)
{
    double value = io_number_value(type, element), again = 0;
    if (isnan(value)) {
        return (size_t)snprintf(text, IO_NUMBER_MAX, "nan");
    }
    if (fabs(value) < 1e6 && value == (double)(long)value && !(value == 0 && signbit(value))) {
        return (size_t)snprintf(text, IO_NUMBER_MAX, "%ld", (long)value);
    }
    int digits = type == UPSWEEP_F64 ? 15 : type == UPSWEEP_F32 ? 6 : 2;
    for (; digits <= 17; digits++) {
        int length = snprintf(text, IO_NUMBER_MAX, "%.*g", digits, value);
        again = type == UPSWEEP_F32 ? (double)strtof(text, NULL) : strtod(text, NULL);
        again = type == UPSWEEP_F16    ? io_from_f16(io_to_f16(again))
                : type == UPSWEEP_BF16 ? io_from_bf16(io_to_bf16(again))
                                       : again;
        if (again == value || digits == 17) {
            return (size_t)length;
        }
    }
    return 0;
}

size_t io_number_print(char text[IO_NUMBER_MAX], upsweep_type type, const void *element)
{
    if (is_float(type)) {
        return print_float(text, type, element);
    }
    size_t bytes = upsweep_type_bytes(type);
    uint64_t size = 0;
    memcpy(&size, element, bytes);
    bool negative = type >= UPSWEEP_I8 && size >> (8 * bytes - 1) != 0;
    if (negative) {
        size = (0 - size) & UINT64_MAX >> (64 - 8 * bytes);
    }
    char digits[IO_NUMBER_MAX];
    size_t count = 0, length = 0;
    do {
        digits[count++] = (char)('0' + size % 10);
        size /= 10;
    } while (size != 0);
    if (negative) {
        text[length++] = '-';
    }
    while (count > 0) {
        text[length++] = digits[--count];
    }
    text[length] = '\0';
    return length;
}
