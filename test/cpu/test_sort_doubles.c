/* test_sort_doubles.c - doubles with vectors against the form without: where they are sorted
 * as numbers, and where one key that is not plain (NaN, -0) sends them by way of integers. The
 * bytes are the same, whatever the state of floating point, and that state is as it was. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/frame.h"
#include "test/shared/inputs.h"
#include "core/keymap.h"
#define USW_LEVEL 1
#include "cpu/cache_sort/key_order.h"
#if USW_HAVE_X86
#include <xmmintrin.h>
#endif

enum { MOST = 300011, FLAG_SETS = 4 };

static const unsigned flag_sets[FLAG_SETS] = {0, UPSWEEP_DESCENDING, UPSWEEP_NAN_FIRST,
                                              UPSWEEP_NAN_RAW};

static const uint64_t specials[] = {
    0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001, /* NaN, -NaN, one that signals */
    0xffffffffffffffff, 0x8000000000000000, 0x0000000000000000, /* -NaN, -0, 0 */
    0x0000000000000001, 0x8000000000000001, 0x000fffffffffffff, /* denormal */
    0x7ff0000000000000, 0xfff0000000000000,                     /* infinite */
};
enum { SPECIALS = sizeof specials / sizeof *specials };

static const char *vectors; /* the instruction set that is tried */
static uint64_t state, plain[MOST], input[MOST], keys[MOST], expected[MOST];

static unsigned float_state(void)
{
#if USW_HAVE_X86
    return _mm_getcsr();
#else
    return 0;
#endif
}

static void set_float_state(unsigned to)
{
#if USW_HAVE_X86
    _mm_setcsr(to);
#else
    (void)to;
#endif
}

static upsweep *open_with(const char *isa, unsigned threads)
{
    upsweep *u;
    upsweep_config c = {.threads = threads};
    setenv("UPSWEEP_ISA", isa, 1);
    assert_int_equal(upsweep_open(&u, "cpu", &c), UPSWEEP_OK);
    unsetenv("UPSWEEP_ISA");
    return u;
}

/* Numbers of any size, of which a sixteenth are 0: next to these -0 matters. */
static void fill_plain(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t r = input_random(&state), exponent = r >> 52 & 0x7ff;
        plain[i] = r % 16 == 0 || exponent == 0x7ff || r << 1 == 0 ? 0 : r;
    }
}

/* Sorts input by both; they agree, and leave the state alone. In place many keys go another way. */
static void compare(upsweep *fast, upsweep *slow, size_t n, unsigned flags)
{
    upsweep_options o = {.flags = flags};
    if (n == MOST && (flags & UPSWEEP_IN_PLACE) == 0) {
        compare(fast, slow, n, flags | UPSWEEP_IN_PLACE);
    }
    unsigned before = float_state();
    memcpy(keys, input, n * sizeof *keys);
    memcpy(expected, input, n * sizeof *keys);
    assert_int_equal(upsweep_sort(fast, keys, n, UPSWEEP_F64, &o), UPSWEEP_OK);
    assert_int_equal(float_state(), before);
    assert_int_equal(upsweep_sort(slow, expected, n, UPSWEEP_F64, &o), UPSWEEP_OK);
    assert_memory_equal(keys, expected, n * sizeof *keys);
}

static const size_t sizes[] = {1,   2,   3,   4,   5,    7,    8,    9,   16,  17,  31,
                               32,  33,  64,  65,  66,   127,  128,  129, 191, 255, 256,
                               257, 448, 511, 512, 513,  515,  516,  575, 576, 577, 640,
                               767, 768, 769, 896, 1023, 1025, 2049, 4099};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Each special key alone, at both ends, in the middle, and about the borders of vectors. */
static void one_among_many(void **unused)
{
    (void)unused;
    upsweep *fast = open_with(vectors, 1), *slow = open_with("portable", 1);
    for (size_t s = 0; s < SIZES; s++) {
        size_t n = sizes[s];
        size_t places[] = {0, 1, 3, 4, 63, 64, n / 2, n - 1, n - 2, n - 4, n - 5};
        fill_plain(n);
        memcpy(input, plain, n * sizeof *input);
        compare(fast, slow, n, 0);
        for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
            for (size_t k = 0; k < SPECIALS && places[p] < n; k++) {
                memcpy(input, plain, n * sizeof *input);
                input[places[p]] = specials[k];
                compare(fast, slow, n, flag_sets[(p + k) % FLAG_SETS]);
            }
        }
    }
    upsweep_close(fast), upsweep_close(slow);
}

/* Special keys only, and among others: of all kinds, and of those that are plain. */
static void mixtures(void **unused)
{
    (void)unused;
    upsweep *fast = open_with(vectors, 2), *slow = open_with("portable", 1);
    for (size_t s = 0; s <= SIZES; s++) {
        size_t n = s < SIZES ? sizes[s] : MOST;
        for (unsigned kind = 0; kind < 8; kind++) {
            size_t from = kind & 1 ? 5 : 0, share = kind & 2 ? 1 : 8;
            fill_plain(n);
            for (size_t i = 0; i < n; i++) {
                uint64_t r = input_random(&state);
                input[i] =
                    r % share == 0 ? specials[from + (r >> 32) % (SPECIALS - from)] : plain[i];
            }
            compare(fast, slow, n, kind & 4 ? UPSWEEP_DESCENDING : 0);
        }
    }
    upsweep_close(fast), upsweep_close(slow);
}

/* Many equal keys, so that parts are cut below their greatest: of few values about 0 and the
 * infinite, which are not so few that they are counted where there are many keys. */
static void few_values(void **unused)
{
    (void)unused;
    static const size_t counts[] = {600, 1025, 2049, 4000, 40000, MOST};
    upsweep *fast = open_with(vectors, 2), *slow = open_with("portable", 1);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        for (unsigned values = 2; values <= 128; values *= 2) {
            for (size_t i = 0; i < counts[c]; i++) {
                uint64_t r = input_random(&state), x = (r >> 32) % values / 4;
                static const uint64_t from[] = {0, UINT64_C(1) << 63, UINT64_C(0x7ff) << 52,
                                                UINT64_C(0xfff) << 52};
                unsigned which = (unsigned)((r >> 32) % values % 4);
                input[i] = which == 1 ? from[1] + x + 1 : which < 1 ? x : from[which] - x;
            }
            compare(fast, slow, counts[c], 0);
        }
    }
    upsweep_close(fast), upsweep_close(slow);
}

/* Tiny numbers where a program has them read, and written, as zero: threads, too, begin so. */
static void tiny_as_zero(void **unused)
{
    (void)unused;
    unsigned before = float_state();
    set_float_state(before | 0x8040);
    upsweep *fast = open_with(vectors, 2), *slow = open_with("portable", 1);
    for (size_t s = 0; s <= SIZES; s++) {
        size_t n = s < SIZES ? sizes[s] : MOST;
        for (size_t i = 0; i < n; i++) {
            uint64_t r = input_random(&state);
            input[i] = (r & UINT64_C(0x800fffffffffffff)) | 1;
        }
        compare(fast, slow, n, 0);
    }
    upsweep_close(fast), upsweep_close(slow);
    set_float_state(before);
}

static void the_number_before(void **unused)
{
    (void)unused;
    assert_true(number_before(0) == specials[7]); /* not -0, which 0 would not be above */
    for (size_t i = 0; i < 1000; i++) {
        uint64_t bits = i < 10 ? i + 1 : i < 20 ? specials[7] + i : input_random(&state);
        double x = number_of(bits);
        if (isfinite(x) && x != 0) {
            assert_true(number_of(number_before(bits)) == nextafter(x, -INFINITY));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_among_many),    cmocka_unit_test(mixtures),
        cmocka_unit_test(few_values),        cmocka_unit_test(tiny_as_zero),
        cmocka_unit_test(the_number_before),
    };
    int failed = 0;
    for (int isa = USW_PORTABLE + 1; isa <= (int)usw_best_isa(); isa++) {
        vectors = usw_isa_name((usw_isa)isa);
        failed += cmocka_run_group_tests_name(vectors, tests, NULL, NULL);
    }
    if (vectors == NULL) {
        puts("no vectors here: nothing to compare");
    }
    return failed;
}
