/* test_number.c - numbers as text: keys agree with exact comparison, exact comparison agrees with
 * 128-bit integers and with strtold, and strict readers refuse what is no number. */
/* SPDX-License-Identifier: MIT */
#include "io/input.h"
#include "io/number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 88172645463325252u;

static uint64_t draw(uint64_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (seed >> 11) % below;
}

/* A text with the slack that the functions ask for, filled with digits that must not count. */
typedef struct text {
    char bytes[128 + IO_SLACK];
    size_t size;
} text;

static const unsigned char *begin_of(const text *t)
{
    return (const unsigned char *)t->bytes;
}

static const unsigned char *end_of(const text *t)
{
    return begin_of(t) + t->size;
}

static void set(text *t, const char *s)
{
    memset(t->bytes, '7', sizeof t->bytes);
    t->size = strlen(s);
    memcpy(t->bytes, s, t->size);
}

static void digits(char *s, size_t count)
{
    size_t at = strlen(s);
    for (size_t i = 0; i < count; i++) {
        s[at + i] = (char)('0' + (draw(3) == 0 ? 0 : draw(10)));
    }
    s[at + count] = '\0';
}

/* Blanks, sign, up to `whole` digits, perhaps a point and up to `fraction` digits. */
static void draw_plain(text *t, size_t whole, size_t fraction)
{
    char s[128] = "";
    strcat(s, draw(8) == 0 ? " \t" : "");
    strcat(s, draw(3) == 0 ? "-" : "");
    digits(s, draw(whole + 1));
    if (draw(2) == 0) {
        strcat(s, ".");
        digits(s, draw(fraction + 1));
    }
    strcat(s, draw(8) == 0 ? "x5" : draw(8) == 0 ? " 1" : "");
    set(t, s);
}

static void draw_general(text *t, size_t figures)
{
    static const char *const odd[] = {"inf",   "-inf",  "nan",   "",    "abc",
                                      "0x1p3", "-0x.8", "1e400", "1e",  "1e-400",
                                      ".",     "+1.5",  "-0",    "0e9", "1e-4940"};
    if (draw(12) == 0) {
        set(t, odd[draw(sizeof odd / sizeof *odd)]);
        return;
    }
    draw_plain(t, figures, figures);
    char s[160];
    snprintf(s, sizeof s, "%.*s", (int)t->size, t->bytes);
    if (draw(2) == 0) {
        snprintf(s + strlen(s), 16, "%c%d", draw(2) == 0 ? 'e' : 'E', (int)draw(60) - 30);
    }
    set(t, s);
}

__extension__ typedef __int128 wide;

/* value * 10^12 of a plain number with at most 12 digits behind the point. */
static wide scaled(const text *t)
{
    const char *p = t->bytes, *end = t->bytes + t->size;
    p += strspn(p, " \t");
    int sign = *p == '-' ? -1 : 1, left = -1;
    wide value = 0;
    for (p += *p == '-'; p < end && ((*p >= '0' && *p <= '9') || (*p == '.' && left < 0)); p++) {
        if (*p == '.') {
            left = 12;
        } else {
            value = value * 10 + (*p - '0');
            left -= left > 0;
        }
    }
    for (left = left < 0 ? 12 : left; left > 0; left--) {
        value *= 10;
    }
    return sign * value;
}

static int sign_of(int x)
{
    return (x > 0) - (x < 0);
}

static void plain_comparison_is_exact(void **state)
{
    (void)state;
    for (int i = 0; i < 300000; i++) {
        text a, b;
        draw_plain(&a, 1 + draw(20), 12);
        draw_plain(&b, 1 + draw(20), 12);
        wide x = scaled(&a), y = scaled(&b);
        int order = io_plain_compare(begin_of(&a), end_of(&a), begin_of(&b), end_of(&b), false);
        assert_int_equal(sign_of(order), (x > y) - (x < y));
    }
}

enum { TEXTS = 40 };

/* Different keys must be in the order of the numbers, and equal ones equal if they are exact. */
static void check_keys(const text *texts, bool general, const io_number_plan *plan)
{
    uint64_t keys[TEXTS];
    unsigned bits = 0;
    for (int i = 0; i < TEXTS; i++) {
        const unsigned char *stop;
        keys[i] = io_number_key(plan, begin_of(&texts[i]), end_of(&texts[i]), &stop, &bits);
        assert_true(stop >= begin_of(&texts[i]) && stop <= end_of(&texts[i]));
    }
    if (bits & IO_NUMBER_LONG) {
        io_number_plan by_double = *plan;
        by_double.form = IO_DOUBLE;
        check_keys(texts, general, &by_double);
        return;
    }
    for (int i = 0; i < TEXTS; i++) {
        for (int j = 0; j < i; j++) {
            const text *a = &texts[i], *b = &texts[j];
            int order =
                general ? io_general_compare(begin_of(a), end_of(a), begin_of(b), end_of(b))
                        : io_plain_compare(begin_of(a), end_of(a), begin_of(b), end_of(b), false);
            if (keys[i] != keys[j]) {
                assert_int_equal(sign_of(order), keys[i] < keys[j] ? -1 : 1);
            } else if (!(bits & IO_NUMBER_CUT) && io_number_key_exact(plan, keys[i])) {
                assert_int_equal(order, 0);
            }
        }
    }
}

static void check_many(bool general)
{
    for (int round = 0; round < 1500; round++) {
        text texts[TEXTS];
        io_number_plan plan = {.general = general};
        io_number_sample sample = {0};
        size_t whole = 1 + draw(24), fraction = draw(24), looked = 1 + draw(TEXTS);
        for (size_t i = 0; i < TEXTS; i++) {
            if (general) {
                draw_general(&texts[i], 1 + whole / 2);
            } else {
                draw_plain(&texts[i], whole, fraction);
            }
            if (i < looked) { /* a sample that does not show all */
                io_number_look(&sample, &plan, begin_of(&texts[i]), end_of(&texts[i]));
            }
        }
        io_number_decide(&plan, &sample);
        check_keys(texts, general, &plan);
    }
}

static void plain_keys_keep_the_order(void **state)
{
    (void)state;
    check_many(false);
}

static void general_keys_keep_the_order(void **state)
{
    (void)state;
    check_many(true);
}

static void integers_have_exact_keys(void **state)
{
    (void)state;
    io_number_plan plan = {0};
    io_number_sample sample = {0};
    text t;
    set(&t, "-9223372036854775806");
    io_number_look(&sample, &plan, begin_of(&t), end_of(&t));
    io_number_decide(&plan, &sample);
    assert_int_equal(plan.form, IO_FIXED);
    for (int i = 0; i < 100000; i++) {
        int64_t value = (int64_t)(draw(UINT64_MAX) << (11 * draw(2))) >> draw(60);
        char s[32];
        const unsigned char *stop;
        unsigned bits = 0;
        snprintf(s, sizeof s, "%lld", (long long)value);
        set(&t, s);
        uint64_t key = io_number_key(&plan, begin_of(&t), end_of(&t), &stop, &bits);
        assert_int_equal(key, (uint64_t)value + (UINT64_C(1) << 63));
        assert_int_equal(bits, 0);
        assert_ptr_equal(stop, end_of(&t));
    }
}

/* Of one plan: all numbers with `scale` digits behind the point, of at most 18 in all. */
static void check_texts(int scale, size_t count)
{
    io_number_plan plan = {.form = IO_FIXED, .scale = scale};
    for (size_t i = 0; i < count; i++) {
        int64_t unit = 1;
        for (uint64_t k = draw(19); k > 0; k--) {
            unit *= 10;
        }
        uint64_t value = draw(2) == 0 ? draw((uint64_t)unit + 1) : (uint64_t)unit - draw(2);
        char whole[64];
        snprintf(whole, sizeof whole, "%0*llu", scale + 1, (unsigned long long)value);
        size_t before = strlen(whole) - (size_t)scale;
        text t;
        char s[80], back[IO_NUMBER_ROOM];
        snprintf(s, sizeof s, "%s%.*s%s%s", value > 0 && draw(2) == 0 ? "-" : "", (int)before,
                 whole, scale > 0 ? "." : "", whole + before);
        set(&t, s);
        const unsigned char *stop;
        unsigned bits = 0;
        uint64_t key = io_number_key(&plan, begin_of(&t), end_of(&t), &stop, &bits);
        assert_int_equal(bits, 0);
        *io_number_text(&plan, key, (unsigned char *)back) = '\0';
        assert_string_equal(back, s);
    }
}

static void keys_give_the_text_back(void **state)
{
    (void)state;
    for (int scale = 0; scale <= 18; scale++) {
        check_texts(scale, 10000);
    }
}

static void general_value_is_that_of_strtold(void **state)
{
    (void)state;
    for (int i = 0; i < 100000; i++) {
        text t;
        char copy[160];
        draw_general(&t, 1 + draw(24));
        snprintf(copy, sizeof copy, "%.*s", (int)t.size, t.bytes);
        char *end;
        const unsigned char *stop;
        long double want = strtold(copy, &end);
        long double got = io_general_value(begin_of(&t), end_of(&t), &stop);
        assert_true(want == got || (want != want && got != got));
        assert_int_equal(stop - begin_of(&t), end - copy);
    }
}

static void readers_are_strict(void **state)
{
    (void)state;
    uint64_t u = 0;
    int64_t i = 0;
    double f = 0;
    assert_null(io_read_u64("18446744073709551615", 20, &u));
    assert_true(u == UINT64_MAX);
    assert_string_equal(io_read_u64("18446744073709551616", 20, &u), "does not fit into 64 bits");
    assert_string_equal(io_read_u64("-1", 2, &u), "is negative");
    assert_null(io_read_i64("-9223372036854775808", 20, &i));
    assert_true(i == INT64_MIN);
    assert_string_equal(io_read_i64("9223372036854775808", 19, &i), "does not fit into 64 bits");
    assert_null(io_read_f64("-1.5e3", 6, &f));
    assert_true(f == -1500);
    static const char *const bad[] = {"", " 1", "1 ", "x", "1x", "-", "+", "0x", ".", "e5"};
    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
        assert_non_null(io_read_u64(bad[b], strlen(bad[b]), &u));
        assert_non_null(io_read_i64(bad[b], strlen(bad[b]), &i));
        assert_non_null(io_read_f64(bad[b], strlen(bad[b]), &f));
    }
    assert_non_null(io_read_u64("1\0", 2, &u));
    assert_null(io_read_u64("123456", 3, &u));
    assert_int_equal(u, 123);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_comparison_is_exact),
        cmocka_unit_test(plain_keys_keep_the_order),
        cmocka_unit_test(general_keys_keep_the_order),
        cmocka_unit_test(integers_have_exact_keys),
        cmocka_unit_test(keys_give_the_text_back),
        cmocka_unit_test(general_value_is_that_of_strtold),
        cmocka_unit_test(readers_are_strict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
