/* test_axis.c - reductions along any axis against the reduction of each column by itself, bit by
 * bit: every type, operator and instruction set, thread counts, and shapes around every limit. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/reduce_plain.h"

static upsweep *handles[HANDLES];

enum { N_MAX = 1 << 21, RESULTS = 1 << 20 };
static unsigned char *data, *column, *results;

/* The same columns by upsweep_reduce, which other tests compare with plain loops. */
static void check(upsweep *u, const size_t *extent, upsweep_type type, upsweep_op op, size_t step)
{
    size_t bytes = upsweep_type_bytes(type), length = extent[1], inner = extent[2];
    size_t out = upsweep_type_bytes(upsweep_reduce_type(type, op)), columns = extent[0] * inner;
    memset(results, 0x5a, columns * out + 1);
    assert_int_equal(
        upsweep_reduce_axis(u, data, extent[0], length, inner, type, op, results, NULL),
        UPSWEEP_OK);
    assert_int_equal(results[columns * out], 0x5a);
    for (size_t c = 0; c < columns; c += c + 1 < columns ? usw_min(step, columns - 1 - c) : 1) {
        const unsigned char *top = data + (c / inner * length * inner + c % inner) * bytes;
        unsigned char want[8] = {0};
        for (size_t l = 0; l < length; l++) {
            memcpy(column + l * bytes, top + l * inner * bytes, bytes);
        }
        assert_int_equal(upsweep_reduce(u, column, length, type, op, want, NULL), UPSWEEP_OK);
        if (memcmp(want, results + c * out, out) != 0) {
            fail_msg("%zu x %zu x %zu %s, op %x: column %zu is %llx, not %llx", extent[0], length,
                     inner, upsweep_type_name(type), (unsigned)op, c,
                     (unsigned long long)usw_load_raw(results + c * out, out),
                     (unsigned long long)usw_load_raw(want, out));
        }
    }
}

/* All operators of a type on one handle. NaNs come in sums and products alone: which of several is
 * the least is not said. */
static void check_operators(upsweep *u, const size_t *extent, upsweep_type type, int kind,
                            size_t step)
{
    size_t n = extent[0] * extent[1] * extent[2];
    for (upsweep_op op = UPSWEEP_SUM; op <= UPSWEEP_XOR; op++) {
        if (upsweep_reduce_type(type, op) != 0) {
            bool nans = usw_type_is_float(type) && op >= UPSWEEP_LEAST;
            fill(data, n, type, nans ? FILL_TAME : kind, n + (size_t)op);
            check(u, extent, type, op, step);
        }
    }
}

static void small_shapes(void **state)
{
    static const size_t lengths[] = {0, 1, 2, 3, 5, 8, 31, 64, 65, 127, 128, 129, 300, 513};
    static const size_t inners[] = {0, 1, 2, 3, 7, 16, 33};
    (void)state;
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        for (size_t i = 0; i < sizeof inners / sizeof *inners; i++) {
            for (size_t outer = 0; outer < 4; outer++) {
                const size_t extent[] = {outer, lengths[l], inners[i]};
                upsweep_type type = (upsweep_type)(1 + (l * 7 + i * 5 + outer) % 12);
                for (unsigned k = 0; k < 3; k++, type = (upsweep_type)(1 + (type + 3) % 12)) {
                    size_t h = (l + i + outer + k) % HANDLES;
                    check_operators(handles[h], extent, type, (int)(l + i) % 3, 1);
                }
            }
        }
    }
}

/* Parts of columns, several tiles, tasks of several outer ones; each by every type. */
static void larger_shapes(void **state)
{
    static const size_t extents[][3] = {
        {1, 5000, 3}, {2, 4096, 7},  {1, 4097, 130}, {3, 9000, 2},   {1, 130, 1000}, {1, 3, 200000},
        {5000, 4, 3}, {1, 700, 700}, {7, 129, 65},   {1, 40, 20000}, {1, 4500, 17},  {2, 8193, 16},
        {1, 2, 300},  {3, 5, 257},   {1, 7, 1100},   {2, 10, 9000},  {1, 127, 256},  {1, 128, 600},
    };
    (void)state;
    for (size_t e = 0; e < sizeof extents / sizeof *extents; e++) {
        size_t columns = extents[e][0] * extents[e][2];
        for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
            for (int h = 0; h < HANDLES; h++) {
                if ((h + (int)e + (int)type) % 3 == 0) {
                    check_operators(handles[h], extents[e], type, (int)e % 2, 1 + columns / 23);
                }
            }
        }
    }
}

/* More tiles than a level of the carry tree takes. */
static void many_tiles(void **state)
{
    static const size_t extents[][3] = {
        {1, 4096 * 65 + 5, 3}, {2, 4096 * 128, 2}, {1, 4096 * 64, 5}};
    (void)state;
    for (size_t e = 0; e < 3; e++) {
        for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
            int h = (int)(e * 5 + (size_t)type) % HANDLES;
            check_operators(handles[h], extents[e], type, FILL_TAME, 1);
        }
    }
}

static void what_is_refused(void **state)
{
    upsweep *u = handles[0];
    uint32_t a[6] = {5, 1, 4, 2, 6, 3};
    uint64_t sums[6];
    (void)state;
#define GIVES(status, ...) assert_int_equal(upsweep_reduce_axis(u, __VA_ARGS__), UPSWEEP_##status)
    GIVES(OK, a, 1, 2, 3, UPSWEEP_U32, UPSWEEP_SUM, sums, NULL);
    assert_int_equal(sums[0], 7);
    assert_int_equal(sums[1], 7);
    assert_int_equal(sums[2], 7);
    GIVES(ERROR_ARGUMENT, NULL, 1, 2, 3, UPSWEEP_U32, UPSWEEP_SUM, sums, NULL);
    GIVES(ERROR_ARGUMENT, a, 1, 2, 3, UPSWEEP_U32, UPSWEEP_SUM, NULL, NULL);
    GIVES(ERROR_ARGUMENT, a, 1, 2, 3, (upsweep_type)0, UPSWEEP_SUM, sums, NULL);
    GIVES(ERROR_ARGUMENT, a, 1, 2, 3, UPSWEEP_U32, (upsweep_op)0, sums, NULL);
    GIVES(ERROR_UNSUPPORTED, a, 1, 2, 3, UPSWEEP_F32, UPSWEEP_XOR, sums, NULL);
    GIVES(ERROR_ARGUMENT, a, SIZE_MAX, 2, 3, UPSWEEP_U32, UPSWEEP_SUM, sums, NULL);
    GIVES(ERROR_ARGUMENT, a, 2, SIZE_MAX / 2, 3, UPSWEEP_U32, UPSWEEP_SUM, sums, NULL);
    GIVES(OK, NULL, 0, 2, 3, UPSWEEP_U32, UPSWEEP_SUM, NULL, NULL);
    GIVES(OK, NULL, 1, 2, 0, UPSWEEP_U32, UPSWEEP_SUM, NULL, NULL);
    GIVES(OK, NULL, 2, 0, 3, UPSWEEP_U32, UPSWEEP_LEAST, sums, NULL);
    assert_int_equal(((uint32_t *)(void *)sums)[5], UINT32_MAX);
    upsweep_options other = {.algorithm = "reduce/none"};
    GIVES(ERROR_ALGORITHM, a, 1, 2, 3, UPSWEEP_U32, UPSWEEP_SUM, sums, &other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_shapes),
        cmocka_unit_test(larger_shapes),
        cmocka_unit_test(many_tiles),
        cmocka_unit_test(what_is_refused),
    };
    data = malloc((size_t)N_MAX * 8);
    column = malloc((size_t)N_MAX * 8);
    results = malloc((size_t)RESULTS * 8 + 1);
    for (int h = 0; h < HANDLES; h++) {
        handles[h] = open_handle(h);
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (int h = 0; h < HANDLES; h++) {
        upsweep_close(handles[h]);
    }
    free(data);
    free(column);
    free(results);
    return failed;
}
