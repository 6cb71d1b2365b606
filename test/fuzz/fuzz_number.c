/* fuzz_number.c - numbers as text: two texts, parted by a newline. Keys must agree with
 * comparisons, plain comparisons with one by plain rules here, and strict readers with the C
 * library. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "io/input.h"
#include "io/number.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* ---- sort -n by hand: sign, digits before and behind the point without idle zeros ---- */

typedef struct plain {
    bool negative;
    const unsigned char *whole, *part;
    size_t whole_digits, part_digits;
} plain;

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static plain plain_of(const unsigned char *p, const unsigned char *end)
{
    plain x = {0};
    while (p < end && (*p == ' ' || *p == '\t')) {
        p++;
    }
    if (p < end && *p == '-') {
        x.negative = true;
        p++;
    }
    while (p < end && *p == '0') {
        p++;
    }
    for (x.whole = p; p < end && is_digit(*p); p++) {
        x.whole_digits++;
    }
    if (p < end && *p == '.') {
        for (x.part = ++p; p < end && is_digit(*p); p++) {
            x.part_digits++;
        }
    }
    while (x.part_digits > 0 && x.part[x.part_digits - 1] == '0') {
        x.part_digits--;
    }
    x.negative = x.negative && x.whole_digits + x.part_digits > 0;
    return x;
}

static int compare_plain(plain a, plain b)
{
    int turn = a.negative ? -1 : 1;
    if (a.negative != b.negative) {
        return turn;
    }
    if (a.whole_digits != b.whole_digits) {
        return a.whole_digits < b.whole_digits ? -turn : turn;
    }
    int order = a.whole_digits == 0 ? 0 : memcmp(a.whole, b.whole, a.whole_digits);
    if (order == 0) {
        size_t least = a.part_digits < b.part_digits ? a.part_digits : b.part_digits;
        order = least == 0 ? 0 : memcmp(a.part, b.part, least);
        order = order != 0 ? order : (a.part_digits > least) - (b.part_digits > least);
    }
    return order * turn;
}

static int sign(long long x)
{
    return (x > 0) - (x < 0);
}

/* ---- the properties ---- */

static void check_keys(const unsigned char *a, const unsigned char *a_end, const unsigned char *b,
                       const unsigned char *b_end, bool general)
{
    io_number_plan plan = {.general = general};
    io_number_sample sample = {0};
    io_number_look(&sample, &plan, a, a_end); /* b comes unexpected */
    io_number_decide(&plan, &sample);
    const unsigned char *stop;
    unsigned bits = 0;
    uint64_t ka = io_number_key(&plan, a, a_end, &stop, &bits);
    uint64_t kb = io_number_key(&plan, b, b_end, &stop, &bits);
    if (bits & IO_NUMBER_LONG) {
        plan.form = IO_DOUBLE;
        bits = 0;
        ka = io_number_key(&plan, a, a_end, &stop, &bits);
        kb = io_number_key(&plan, b, b_end, &stop, &bits);
    }
    must(stop >= b && stop <= b_end);
    int order = general ? io_general_compare(a, a_end, b, b_end)
                        : io_plain_compare(a, a_end, b, b_end, false);
    if (ka != kb) {
        must(sign(order) == (ka < kb ? -1 : 1));
    } else if (!(bits & IO_NUMBER_CUT) && io_number_key_exact(&plan, ka)) {
        must(order == 0);
    }
    int back = general ? io_general_compare(b, b_end, a, a_end)
                       : io_plain_compare(b, b_end, a, a_end, false);
    must(sign(order) == -sign(back));
}

/* text ends with '\0' at text[size]. */
static void check_strict(const char *text, size_t size)
{
    uint64_t natural;
    int64_t whole;
    double real;
    char *end;
    if (io_read_u64(text, size, &natural) == NULL) {
        must(natural == strtoull(text, &end, 10) && end == text + size);
    }
    if (io_read_i64(text, size, &whole) == NULL) {
        must(whole == strtoll(text, &end, 10) && end == text + size);
    }
    if (io_read_f64(text, size, &real) == NULL) {
        double want = strtod(text, &end);
        must(memcmp(&want, &real, sizeof real) == 0 || (want != want && real != real));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 4096) {
        return 0;
    }
    const uint8_t *cut = size == 0 ? NULL : memchr(data, '\n', size);
    size_t first = cut == NULL ? size : (size_t)(cut - data);
    size_t second = cut == NULL ? 0 : size - first - 1;
    const uint8_t *end = second == 0 ? NULL : memchr(cut + 1, '\n', second);
    second = end == NULL ? second : (size_t)(end - cut - 1); /* no line has a newline within */
    unsigned char *a = calloc(1, first + IO_SLACK), *b = calloc(1, second + IO_SLACK);
    if (first > 0) {
        memcpy(a, data, first);
    }
    if (second > 0) {
        memcpy(b, cut + 1, second);
    }
    check_keys(a, a + first, b, b + second, false);
    check_keys(a, a + first, b, b + second, true);
    must(sign(io_plain_compare(a, a + first, b, b + second, false)) ==
         sign(compare_plain(plain_of(a, a + first), plain_of(b, b + second))));
    check_strict((char *)a, first);
    free(a);
    free(b);
    return 0;
}
