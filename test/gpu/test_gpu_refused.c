/* test_gpu_refused.c - what a handle on a GPU refuses before anything is done: names of algorithms
 * that do not sort, arrays that need more blocks than a grid has, and offsets that fall. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/device.h"
#include "test/shared/handles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { N = 5000, ARENA_BYTES = 1 << 20 };

/* The name of an algorithm for something else, or of none, is refused before anything is done: the
 * GPU's forms are found by name, and must not be taken for sorts. */
static void test_wrong_name(void **state)
{
    static const char *const names[] = {"reduce/tree", "scan/sweep", "path/bucket", "sort/none",
                                        ""};
    (void)state;
    uint32_t values[N], got[N], want[N];
    for (uint32_t i = 0; i < N; i++) {
        values[i] = i * 2654435761u;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        upsweep_options o = {.algorithm = names[i]};
        memcpy(got, values, sizeof got);
        assert_int_equal(upsweep_sort(gpu, got, N, UPSWEEP_U32, &o), UPSWEEP_ERROR_ALGORITHM);
        assert_true(strlen(upsweep_error(gpu)) > 10);
        assert_int_equal(upsweep_argsort(gpu, got, N, UPSWEEP_U32, want, 32, &o),
                         UPSWEEP_ERROR_ALGORITHM);
        assert_memory_equal(got, values, sizeof got);
    }
}

/* What sorts in place compares whole keys, and is not stable: a range of bits is refused. */
static void test_bits_in_place(void **state)
{
    static const char *const names[] = {NULL, "sort/bitonic", "sort/radix"};
    (void)state;
    uint32_t values[N], got[N];
    for (uint32_t i = 0; i < N; i++) {
        values[i] = i * 2654435761u;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        upsweep_options o = {
            .algorithm = names[i], .flags = UPSWEEP_IN_PLACE, .bit_begin = 4, .bit_end = 9};
        memcpy(got, values, sizeof got);
        assert_int_equal(upsweep_sort(gpu, got, N, UPSWEEP_U32, &o), UPSWEEP_ERROR_UNSUPPORTED);
        assert_non_null(strstr(upsweep_error(gpu), "in place"));
        assert_memory_equal(got, values, sizeof got);
    }
}

/* An array that needs more blocks than a grid has is refused, and not sorted in part. */
static void test_largest(void **state)
{
    (void)state;
    const size_t most = (size_t)1 << 38; /* bytes, of which a plan reads none */
    uint8_t key = 0;
    upsweep *plan;
    assert_int_equal(upsweep_open(&plan, "cuda:plan", NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_sort(plan, &key, most, UPSWEEP_U8, NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_sort(plan, &key, most + 1, UPSWEEP_U8, NULL),
                     UPSWEEP_ERROR_UNSUPPORTED);
    assert_non_null(strstr(upsweep_error(plan), "arrays of up to 2^38"));
    upsweep_close(plan);
}

/* Elements so long that the columns of their bytes are more blocks than a grid has are refused. */
static void test_longest(void **state)
{
    (void)state;
    const size_t least = (size_t)1 << 37; /* bytes: 2^31 columns of 64 */
    char *const in = (char *)((size_t)1 << 40), *const out = in + 2 * least;
    const uint8_t flag = 1;
    upsweep *plan;
    size_t count = 0;
    assert_int_equal(upsweep_open(&plan, "cuda:plan", NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_split(plan, in, &flag, out, 1, least - 64, &count, NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_split(plan, in, &flag, out, 1, least, &count, NULL),
                     UPSWEEP_ERROR_UNSUPPORTED);
    assert_non_null(strstr(upsweep_error(plan), "137438953472 bytes"));
    assert_int_equal(upsweep_compact(plan, in, &flag, out, 1, least, &count, NULL),
                     UPSWEEP_ERROR_UNSUPPORTED);
    upsweep_close(plan);
}

/* Offsets in device memory that fall, with bytes in the host's: none of these are read. */
static void test_falling(void **state)
{
    (void)state;
    static const uint32_t falling[][3] = {{5, 7, 3}, {0, 9, 2}};
    uint32_t index[2], *offsets = device_take(sizeof falling[0], 4);
    for (unsigned i = 0; i < 2; i++) {
        device_put(offsets, falling[i], sizeof falling[i]);
        assert_int_equal(upsweep_argsort_strings(gpu, "abcdef", offsets, 32, 2, index, 32, NULL),
                         UPSWEEP_ERROR_RANGE);
        assert_non_null(strstr(upsweep_error(gpu), "ends before"));
    }
    assert_true(device_intact());
    device_reset();
}

static int start(void **state)
{
    (void)state;
    return device_group_start(ARENA_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_name), cmocka_unit_test(test_bits_in_place),
        cmocka_unit_test(test_largest),    cmocka_unit_test(test_longest),
        cmocka_unit_test(test_falling),
    };
    return cmocka_run_group_tests(tests, start, device_group_end);
}
