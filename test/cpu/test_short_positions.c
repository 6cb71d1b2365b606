/* test_short_positions.c - positions of up to 8192 keys, which tags of 32 bits sort: beside a plain
 * serial sort, for keys that are spread as tags want them and as they do not, and for floats by
 * their values; the state of floating point is as it was, whatever it was. */
/* SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>

#include "core/frame.h"
#include "test/shared/ways.h"
#if USW_HAVE_X86
#include <xmmintrin.h>
#endif

enum { MOST = 8193 };

static uint64_t seed;
static double any(void)
{
    return (double)(input_random(&seed) >> 11) * 0x1p-53;
}
static double bell(void)
{
    return any() + any() + any() + any() - any() - any() - any() - any();
}

/* Number i of n, in a way of being spread. */
enum { TINY = 5, MOSTLY_ZERO = 8, NUMBER_WAYS = 18 };
static double number(unsigned way, size_t i, size_t n)
{
    switch (way) {
    case 0: return any();
    case 1: return bell();
    case 2: return exp(bell() * 20);                                  /* heavy tails */
    case 3: return bell() / (any() - 0.5);                            /* on both sides */
    case 4: return floor(any() * 16) * 1e6;                           /* equal keys */
    case TINY: return ldexp(any() - 0.5, -1040);                      /* denormal */
    case 6: return i == n / 3 ? 1e30 : any();                         /* one far away */
    case 7: return i % 97 == 5 ? (any() < 0.5 ? NAN : -NAN) : bell(); /* no numbers */
    case MOSTLY_ZERO: return any() < 0.9 ? 0 : any();                 /* mostly one */
    case 9: return any() < 0.5 ? (any() < 0.5 ? 0.0 : -0.0) : bell(); /* two zeros */
    case 10: return floor(any() * 20) * 1000 + any();                 /* clusters */
    case 11: return (any() - 0.5) * DBL_MAX * 1.9;                    /* far apart */
    case 12: return any() < 0.1 ? (any() < 0.5 ? 1 : -1) * INFINITY : any();
    case 13: return any() < 0.5 ? -1e18 : any() < 0.1 ? any() * 2000 : 1e18; /* ties at one end */
    case 14: return 1 + any() * 1e-12;                                       /* close */
    case 15:
        return floor(any() * 64) * 1e6; /* equal, but seldom two of a sample */
    /* One in five within a tag: of 1000 keys none of them is in a sample. */
    case 16: return i % 5 == 3 ? 1000 + any() * 4e-4 : any() * 2000;
    default: return (double)i / 7 + any(); /* nearly in order */
    }
}

static void fill_numbers(unsigned way, upsweep_type type, char *keys, size_t n)
{
    size_t bytes = upsweep_type_bytes(type);
    seed = way * 7919 + n;
    for (size_t i = 0; i < n; i++) {
        double d = number(way, i, n);
        float f = (float)d;
        uint64_t bits = isfinite(d) && fabs(d) < 1e12 ? (uint64_t)(int64_t)(d * 1000003)
                        : d < 0                       ? 1
                                                      : UINT64_MAX / 3;
        memcpy(keys + i * bytes,
               type == UPSWEEP_F64   ? (void *)&d
               : type == UPSWEEP_F32 ? (void *)&f
                                     : &bits,
               bytes);
    }
}

static void check_positions(upsweep *u, unsigned isa, upsweep_type type, unsigned way, size_t n,
                            unsigned flags)
{
    static char before[MOST * 8], keys[MOST * 8], out[MOST * 8];
    static size_t expected[MOST];
    static uint64_t wide[MOST];
    static uint32_t narrow[MOST];
    const size_t bytes = upsweep_type_bytes(type);
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    o.flags = flags;
    fill_numbers(way, type, before, n);
    oracle_argsort(type, flags, before, n, expected);
    assert_int_equal(upsweep_argsort(u, before, n, type, narrow, 32, &o), UPSWEEP_OK);
    memcpy(keys, before, n * bytes);
    assert_int_equal(upsweep_sort_copy(u, keys, n, type, keys, wide, 64, &o), UPSWEEP_OK);
    assert_int_equal(upsweep_sort_copy(u, before, n, type, out, wide, 64, &o), UPSWEEP_OK);
    for (size_t i = 0; i < n; i++) {
        const char *wanted = before + expected[i] * bytes;
        require(narrow[i] == expected[i] && wide[i] == expected[i] ? NULL : "a position is wrong",
                "argsort", isa, type, way);
        require(memcmp(keys + i * bytes, wanted, bytes) == 0 &&
                        memcmp(out + i * bytes, wanted, bytes) == 0
                    ? NULL
                    : "a key is wrong",
                "sort_copy", isa, type, way);
    }
}

static void test_numbers(void **state)
{
    (void)state;
    static const size_t sizes[] = {17, 100, 1000, 2049, MOST - 1, MOST};
    static const unsigned flags[] = {0, UPSWEEP_DESCENDING, UPSWEEP_NAN_FIRST | UPSWEEP_DESCENDING,
                                     UPSWEEP_NAN_RAW};
    for (unsigned isa = 0; isa < ISAS; isa++) {
        upsweep *u = handle_open(isa, 1);
        for (unsigned type = UPSWEEP_U8; u != NULL && type <= UPSWEEP_F64; type++) {
            for (unsigned way = 0; way < NUMBER_WAYS; way++) {
                for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                    check_positions(u, isa, (upsweep_type)type, way, sizes[s],
                                    flags[(s + way + type) % 4]);
                }
            }
        }
        upsweep_close(u);
    }
}

#if USW_HAVE_X86
/* Numbers that count as zero, other rounding, flags that are set: neither heeded nor changed. */
static void test_float_state(void **state)
{
    (void)state;
    static const unsigned states[] = {0x1f80, 0x1fa0, 0x1f80 | 0x8040, 0x1f80 | 0x6000};
    const unsigned before = _mm_getcsr();
    for (unsigned isa = 0; isa < ISAS; isa++) {
        upsweep *u = handle_open(isa, 1);
        for (size_t s = 0; u != NULL && s < sizeof states / sizeof *states; s++) {
            for (unsigned way = 1; way <= TINY; way += TINY - 1) {
                static double keys[1000];
                static uint32_t index[1000];
                static size_t expected[1000];
                fill_numbers(way, UPSWEEP_F64, (char *)keys, 1000);
                oracle_argsort(UPSWEEP_F64, 0, keys, 1000, expected);
                _mm_setcsr(states[s]);
                upsweep_status status =
                    upsweep_argsort(u, keys, 1000, UPSWEEP_F64, index, 32, NULL);
                unsigned after = _mm_getcsr();
                _mm_setcsr(before);
                assert_int_equal(status, UPSWEEP_OK);
                assert_int_equal(after, states[s]);
                for (size_t i = 0; i < 1000; i++) {
                    assert_int_equal(index[i], expected[i]);
                }
            }
        }
        upsweep_close(u);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
#if USW_HAVE_X86
        cmocka_unit_test(test_float_state),
#endif
    };
    return cmocka_run_group_tests_name("short positions", tests, NULL, NULL);
}
