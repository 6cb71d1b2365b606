/* test_numbers.c - numbers as text: which type they have, and that they come back as the same
 * bits. */
/* SPDX-License-Identifier: MIT */
#include "io/array.h"
#include "io/float16.h"
#include "io/numbers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "test/shared/array_bytes.h"

static void text_decides_its_type(void **state)
{
    (void)state;
    const struct {
        const char *text;
        upsweep_type type;
        size_t n;
    } cases[] = {
        {"", UPSWEEP_I64, 0},
        {" \n\n", UPSWEEP_I64, 0},
        {"1 2\n-3\r\n+4", UPSWEEP_I64, 4},
        {"9223372036854775807 -9223372036854775808", UPSWEEP_I64, 2},
        {"9223372036854775808 0", UPSWEEP_U64, 2},
        {"-0 18446744073709551615", UPSWEEP_U64, 2},
        {"-1 18446744073709551615.", UPSWEEP_F64, 2},
        {"18446744073709551616 1e0", UPSWEEP_F64, 2},
        {"1 2.0", UPSWEEP_F64, 2},
        {"1e3 nan -inf", UPSWEEP_F64, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        io_array a;
        io_error error;
        assert_true(read_bytes(cases[i].text, strlen(cases[i].text), 0, &a, &error));
        assert_int_equal(a.type, cases[i].type);
        assert_int_equal(a.n, cases[i].n);
        io_array_free(&a);
    }
    static const char *const none[][2] = {
        {"-1 18446744073709551615", "line 1: no type of 64 bits has both 18446744073709551615"},
        {"9223372036854775808\n\n-1 ",
         "line 3: no type of 64 bits has both -1 and, in line 1, 922"},
        {"-1\n-2\n9223372036854775808", "line 3: no type of 64 bits has both 9223372036854775808"},
        {"1\n18446744073709551616\n", "line 2: 18446744073709551616 fits no type"},
        {"-9223372036854775809", "line 1: -9223372036854775809 fits no type"},
        {"-1 1 2 +99999999999999999999999999999999999999999999", "+999999999999999999999999999999"},
    };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        io_array a;
        io_error error;
        assert_false(read_bytes(none[i][0], strlen(none[i][0]), 0, &a, &error));
        assert_non_null(strstr(error.text, none[i][1]));
        io_array_free(&a);
    }
    const char *const bad[] = {"1 2x", "1,2", "- 3", "1 --2", "0x", "1\0002", "."};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        io_array a;
        io_error error;
        assert_false(read_bytes(bad[i], i == 5 ? 3 : strlen(bad[i]), 0, &a, &error));
        assert_non_null(strstr(error.text, "is no number"));
        io_array_free(&a);
    }
}

/* Bits that are hard to print: the text must read back as the same bits. */
static void printed_numbers_read_back(void **state)
{
    (void)state;
    uint64_t bits = 88172645463325252u;
    for (int t = UPSWEEP_U8; t <= UPSWEEP_F64; t++) {
        size_t bytes = upsweep_type_bytes((upsweep_type)t);
        for (int i = 0; i < 20000; i++) {
            bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
            uint64_t x = 0, y = 0, chosen = i < 8 ? (uint64_t)0 - (uint64_t)(i & 3) : bits;
            memcpy(&x, &chosen, bytes);
            char text[IO_NUMBER_MAX];
            size_t length = io_number_print(text, (upsweep_type)t, &x);
            assert_int_equal(length, strlen(text));
            if (strcmp(text, "nan") == 0) {
                continue;
            }
            assert_true(io_number_scan(text, (upsweep_type)t, &y));
            if (x != y) {
                fail_msg("%s of %016llx reads back as %016llx", text, (unsigned long long)x,
                         (unsigned long long)y);
            }
        }
    }
}

static void halves_round_to_even(void **state)
{
    (void)state;
    assert_int_equal(io_to_f16(65504), 0x7bff);
    assert_int_equal(io_to_f16(65519.99), 0x7bff);
    assert_int_equal(io_to_f16(65520), 0x7c00);
    assert_int_equal(io_to_f16(1e300), 0x7c00);
    assert_int_equal(io_to_f16(0x1p-24), 1);
    assert_int_equal(io_to_f16(0x1p-25), 0);
    assert_int_equal(io_to_f16(0x1.8p-24), 2);
    assert_int_equal(io_to_f16(1 + 0x1p-11), 0x3c00);
    assert_int_equal(io_to_f16(1 + 0x3p-11), 0x3c02);
    assert_int_equal(io_to_f16(-0.0), 0x8000);
    assert_int_equal(io_to_bf16(1 + 0x1p-8), 0x3f80);
    assert_int_equal(io_to_bf16(1 + 0x1.8p-7), 0x3f82);
    assert_true(isnan(io_from_f16(io_to_f16((double)NAN))));
    for (unsigned bits = 0; bits < 65536; bits++) {
        uint16_t half = (uint16_t)bits;
        if (!isnan(io_from_f16(half))) {
            assert_int_equal(io_to_f16(io_from_f16(half)), half);
        }
        if (!isnan(io_from_bf16(half))) {
            assert_int_equal(io_to_bf16(io_from_bf16(half)), half);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_decides_its_type),
        cmocka_unit_test(printed_numbers_read_back),
        cmocka_unit_test(halves_round_to_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
