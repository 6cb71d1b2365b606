/* test_sort_bits.c - upsweep_sort by a range of bits in place: every type and order, stable, with
 * no more scratch than that allows, beside a counting sort of the order-preserving form written out
 * by hand. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test/shared/handles.h"
#include "test/shared/inputs.h"
#include "test/shared/oracle.h"

/* The key as an unsigned number in the order asked for, by its definition: signed integers flip the
 * top bit; floats go by sign and size, and NaNs of the wrong end wrap round to the other. */
static uint64_t ordered(upsweep_type type, unsigned flags, uint64_t raw)
{
    unsigned size = 8 * (unsigned)upsweep_type_bytes(type), m = oracle_mantissa_bits(type);
    uint64_t all = UINT64_MAX >> (64 - size), sign = UINT64_C(1) << (size - 1);
    uint64_t nans = (UINT64_C(1) << m) - 1; /* of one sign */
    uint64_t up = m == 0 ? (oracle_is_signed(type) ? raw ^ sign : raw)
                         : (raw & sign ? raw ^ all : raw | sign);
    up = flags & UPSWEEP_DESCENDING ? all - up : up;
    if (m != 0 && (flags & UPSWEEP_NAN_RAW) == 0) {
        up = flags & UPSWEEP_NAN_FIRST ? up + nans : up - nans;
    }
    return up & all;
}

/* Whether keys are the input, stably sorted by bits [begin, end), at most 16 of them. */
static void check_bits(upsweep_type type, const unsigned char *input, const unsigned char *keys,
                       size_t n, const upsweep_options *o)
{
    enum { DIGITS = 1 << 16 };
    static size_t start[DIGITS + 1];
    size_t bytes = upsweep_type_bytes(type);
    uint64_t mask = UINT64_MAX >> (64 - (o->bit_end - o->bit_begin));
    memset(start, 0, sizeof start);
    for (size_t i = 0; i < n; i++) {
        uint64_t form = ordered(type, o->flags, oracle_raw(type, input + i * bytes));
        start[(form >> o->bit_begin & mask) + 1]++;
    }
    for (size_t d = 0; d < DIGITS; d++) {
        start[d + 1] += start[d];
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t form = ordered(type, o->flags, oracle_raw(type, input + i * bytes));
        size_t place = start[form >> o->bit_begin & mask]++;
        if (memcmp(keys + place * bytes, input + i * bytes, bytes) != 0) {
            fail_msg("%s, bits [%u, %u), flags %u, n = %zu: key %zu is not at place %zu",
                     upsweep_type_name(type), o->bit_begin, o->bit_end, o->flags, n, i, place);
        }
    }
}

/* Limits below what digits need have the keys merged, too. */
static void test_in_place(void **state)
{
    /* Bytes of keys: the last are merged, where the limit allows the others their digits. */
    static const size_t sizes[] = {0, 1, 9, 270, 8000, 65537, 500001, 600001};
    static const size_t limits[] = {0, 0, 70000, 1000000};
    static const unsigned flags[] = {0, UPSWEEP_DESCENDING, UPSWEEP_NAN_FIRST, UPSWEEP_NAN_RAW};
    enum { SIZES = sizeof sizes / sizeof *sizes, MOST = 600001 };
    unsigned char *input = malloc(MOST * 8), *keys = malloc(MOST * 8);
    (void)state;
    for (unsigned run = 0; run < (UPSWEEP_F64 - UPSWEEP_U8 + 1) * SIZES * 2; run++) {
        upsweep_type type = (upsweep_type)(UPSWEEP_U8 + run / 2 / SIZES);
        unsigned bytes = (unsigned)upsweep_type_bytes(type), bits = 8 * bytes, lanes = run % 3 + 1;
        size_t s = run / 2 % SIZES, n = (sizes[s] + bytes - 1) / bytes;
        upsweep_options o = {.flags = flags[(s + type) % 4] | UPSWEEP_IN_PLACE};
        upsweep_config config = {.threads = lanes, .scratch_limit = limits[(run / 2 + type) % 4]};
        upsweep_report report = UPSWEEP_REPORT_INIT;
        upsweep *u;
        o.bit_begin = run * 7 % (bits - 1) + 1;
        o.bit_end = o.bit_begin + 1 + run * 3 % 16;
        o.bit_end = o.bit_end < bits ? o.bit_end : bits;
        setenv("UPSWEEP_ISA", isa_names[run % ISAS], 1);
        assert_int_equal(upsweep_open(&u, "cpu", &config), UPSWEEP_OK);
        unsetenv("UPSWEEP_ISA");
        handle_share_early(u);
        input_fill(run % 2 ? INPUT_UNIFORM : INPUT_SPECIAL, type, input, n, run);
        memcpy(keys, input, n * bytes);
        assert_int_equal(upsweep_sort(u, keys, n, type, &o), UPSWEEP_OK);
        check_bits(type, input, keys, n, &o);
        upsweep_last_report(u, &report);
        assert_true(report.scratch_bytes <= (size_t)lanes << 20);
        upsweep_close(u);
    }
    free(input);
    free(keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_in_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
