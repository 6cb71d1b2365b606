/* test_split.c - split and compact against a plain loop: all element sizes with a path of their own
 * and some without, sizes around vectors and blocks, odd addresses, instruction sets, threads. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/reduce_common.h"

static upsweep *handles[HANDLES];
static const size_t sizes[] = {0,   1,   2,   7,    15,   16,   31,    33,    63,    64,    65,
                               127, 129, 200, 1000, 4095, 4097, 65535, 65536, 65537, 200001};
static const size_t widths[] = {1, 2, 3, 4, 5, 8, 12, 16, 24, 40};
enum { SIZES = sizeof sizes / sizeof sizes[0], WIDTHS = sizeof widths / sizeof widths[0] };
enum { N_MAX = 200001, BYTES_MAX = N_MAX * 40, GUARD = 64 };

static unsigned char *in, *out, *want;
static uint8_t *flags;

/* dense: 0 none, 1 all, 2 half, 3 one in 50, 4 long stretches. */
static void make_flags(size_t n, int dense)
{
    uint64_t state = n + (uint64_t)dense;
    for (size_t i = 0; i < n; i++) {
        uint64_t r = input_random(&state);
        bool one = dense == 1 || (dense == 2 && (r & 1)) || (dense == 3 && r % 50 == 0) ||
                   (dense == 4 && i / 300 % 2 == 1);
        flags[i] = one ? (uint8_t)(r >> 56) | (r & 2 ? 1 : 128) : 0;
    }
}

static size_t plain_side(const unsigned char *from, size_t n, size_t bytes, bool one,
                         unsigned char *to)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if ((flags[i] != 0) == one) {
            memcpy(to + count++ * bytes, from + i * bytes, bytes);
        }
    }
    return count;
}

static void check(upsweep *u, size_t n, size_t bytes, size_t shift)
{
    const unsigned char *from = in + shift;
    unsigned char *to = out + GUARD + shift;
    size_t zeros = plain_side(from, n, bytes, false, want), got = 999;
    size_t ones = plain_side(from, n, bytes, true, want + zeros * bytes);
    memset(out, 0xa5, GUARD + shift);
    memset(to + n * bytes, 0xa5, GUARD);
    assert_int_equal(upsweep_split(u, from, flags, to, n, bytes, &got, NULL), UPSWEEP_OK);
    assert_int_equal(got, zeros);
    assert_memory_equal(to, want, n * bytes);
    assert_int_equal(upsweep_split(u, from, flags, to, n, bytes, NULL, NULL), UPSWEEP_OK);
    assert_int_equal(to[-1], 0xa5);
    assert_int_equal(to[n * bytes], 0xa5);
    /* Room for the kept elements only. */
    memset(to, 0xa5, n * bytes);
    assert_int_equal(upsweep_compact(u, from, flags, to, n, bytes, &got, NULL), UPSWEEP_OK);
    assert_int_equal(got, ones);
    assert_memory_equal(to, want + zeros * bytes, ones * bytes);
    for (size_t i = ones * bytes; i < n * bytes + GUARD; i++) {
        assert_int_equal(to[i], 0xa5);
    }
    memcpy(to, from, n * bytes);
    assert_int_equal(upsweep_compact(u, to, flags, to, n, bytes, &got, NULL), UPSWEEP_OK);
    assert_int_equal(got, ones);
    assert_memory_equal(to, want + zeros * bytes, ones * bytes);
    assert_int_equal(to[n * bytes], 0xa5);
}

static void all_sizes(void **state)
{
    (void)state;
    for (size_t w = 0; w < WIDTHS; w++) {
        for (size_t s = 0; s < SIZES; s++) {
            for (int dense = 0; dense < 5; dense++) {
                if (sizes[s] > 5000 && (dense + (int)w + (int)s) % 5 != 2) {
                    continue;
                }
                make_flags(sizes[s], dense);
                for (int h = 0; h < HANDLES; h++) {
                    if (sizes[s] < 300 || (h + (int)s + dense) % 3 == 0) {
                        check(handles[h], sizes[s], widths[w], (s + w) % 7);
                    }
                }
            }
        }
    }
}

static void errors(void **state)
{
    (void)state;
    upsweep *u = handles[1];
    uint32_t a[4] = {1, 2, 3, 4}, b[4] = {9, 9, 9, 9};
    uint8_t f[4] = {0, 1, 0, 1};
    size_t count = 55;
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    assert_int_equal(upsweep_split(u, NULL, f, b, 4, 4, &count, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_split(u, a, NULL, b, 4, 4, &count, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_split(u, a, f, NULL, 4, 4, &count, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_split(u, a, f, a, 4, 4, &count, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_split(u, a, f, b, 4, 0, &count, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_split(u, a, f, b, SIZE_MAX / 2, 4, &count, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_compact(u, a, f, b, 4, 4, NULL, NULL), UPSWEEP_ERROR_ARGUMENT);
    o.algorithm = "scan/sweep";
    assert_int_equal(upsweep_compact(u, a, f, b, 4, 4, &count, &o), UPSWEEP_ERROR_ALGORITHM);
    assert_int_equal(upsweep_split(u, a, f, b, 4, 4, &count, &o), UPSWEEP_ERROR_ALGORITHM);
    o.algorithm = "split/flags";
    assert_int_equal(b[0], 9);
    assert_int_equal(count, 55);
    assert_int_equal(upsweep_split(u, a, f, b, 4, 4, &count, &o), UPSWEEP_OK);
    assert_int_equal(count, 2);
    assert_int_equal(b[1], 3);
    assert_int_equal(upsweep_compact(u, NULL, NULL, NULL, 0, 4, &count, NULL), UPSWEEP_OK);
    assert_int_equal(count, 0);
}

static int open_all(void **state)
{
    (void)state;
    for (int h = 0; h < HANDLES; h++) {
        handles[h] = open_handle(h);
    }
    in = malloc(BYTES_MAX + 64);
    out = malloc(BYTES_MAX + 256);
    want = malloc(BYTES_MAX + 64);
    flags = malloc(N_MAX);
    fill(in, BYTES_MAX / 8, UPSWEEP_U64, FILL_BITS, 3);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    for (int h = 0; h < HANDLES; h++) {
        upsweep_close(handles[h]);
    }
    free(in);
    free(out);
    free(want);
    free(flags);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_sizes), cmocka_unit_test(errors)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
