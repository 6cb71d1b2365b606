/* test_typed.c - each function of upsweep_typed.h, of each type, on an array small enough to see
 * what must come out: every value is there at its own width and sign, so that a function made for
 * another type, or operator, gives something else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "upsweep_typed.h"

/* low and high: the least and the greatest value that a wrong type would read as others. */
#define TEST(N, T, S, low, high)                                                                   \
    static void test_##N(void **state)                                                             \
    {                                                                                              \
        upsweep *u = *state;                                                                       \
        const T data[6] = {7, (low), 3, (high), 3, 1}, sorted[6] = {(low), 1, 3, 3, 7, (high)};    \
        T a[6], b[6], out[12];                                                                     \
        uint32_t values[6] = {0, 1, 2, 3, 4, 5}, index[6];                                         \
        uint64_t places[6], counts[6];                                                             \
        size_t found = 9;                                                                          \
        S whole;                                                                                   \
        memcpy(a, data, sizeof a);                                                                 \
        assert_int_equal(upsweep_argsort_##N(u, data, 6, index, NULL), UPSWEEP_OK);                \
        assert_int_equal(upsweep_argsort64_##N(u, data, 6, places, NULL), UPSWEEP_OK);             \
        assert_int_equal(upsweep_sort_pairs_##N(u, a, values, 6, 4, NULL), UPSWEEP_OK);            \
        assert_memory_equal(a, sorted, sizeof a);                                                  \
        assert_memory_equal(values, index, sizeof index);                                          \
        for (size_t i = 0; i < 6; i++) {                                                           \
            assert_true(data[index[i]] == sorted[i] && places[i] == index[i]);                     \
        }                                                                                          \
        memcpy(b, data, sizeof b);                                                                 \
        assert_int_equal(upsweep_is_sorted_##N(u, b, 6, &found, NULL), UPSWEEP_OK);                \
        assert_int_equal(found, 1);                                                                \
        assert_int_equal(UPSWEEP_OF(upsweep_nth_element, b)(u, b, 6, 4, NULL), UPSWEEP_OK);        \
        assert_true(b[4] == 7);                                                                    \
        assert_int_equal(UPSWEEP_OF(upsweep_sort, b)(u, b, 6, NULL), UPSWEEP_OK);                  \
        assert_memory_equal(b, sorted, sizeof b);                                                  \
        assert_int_equal(UPSWEEP_OF(upsweep_is_sorted, data)(u, b, 6, &found, NULL), UPSWEEP_OK);  \
        assert_int_equal(found, 6);                                                                \
        assert_int_equal(upsweep_merge_##N(u, a, 6, b, 5, out, NULL), UPSWEEP_OK);                 \
        assert_true(out[0] == (low) && out[1] == (low) && out[10] == (high) && out[9] == 7);       \
        assert_int_equal(upsweep_top_k_##N(u, data, 6, 2, out, places, NULL), UPSWEEP_OK);         \
        assert_true(out[0] == (low) && out[1] == 1 && places[0] == 1 && places[1] == 5);           \
        assert_int_equal(upsweep_run_lengths_##N(u, a, 6, out, counts, &found, NULL), UPSWEEP_OK); \
        assert_true(found == 5 && out[2] == 3 && counts[2] == 2 && out[4] == (high));              \
        assert_int_equal(upsweep_unique_##N(u, a, 6, &found, NULL), UPSWEEP_OK);                   \
        assert_true(found == 5 && a[3] == 7);                                                      \
        assert_int_equal(upsweep_sum_##N(u, data, 6, &whole, NULL), UPSWEEP_OK);                   \
        assert_true(whole == (S)(low) + (S)(high) + 14);                                           \
        assert_int_equal(upsweep_product_##N(u, data + 2, 2, &whole, NULL), UPSWEEP_OK);           \
        assert_true(whole == (S)(3 * (S)(high)));                                                  \
        assert_int_equal(upsweep_min_##N(u, data, 6, out, NULL), UPSWEEP_OK);                      \
        assert_int_equal(upsweep_max_##N(u, data, 6, out + 1, NULL), UPSWEEP_OK);                  \
        assert_true(out[0] == (low) && out[1] == (high));                                          \
        assert_int_equal(upsweep_minmax_##N(u, data, 6, out + 2, out + 3, NULL), UPSWEEP_OK);      \
        assert_true(out[2] == (low) && out[3] == (high));                                          \
        assert_int_equal(upsweep_argmin_##N(u, data, 6, &found, NULL), UPSWEEP_OK);                \
        assert_int_equal(found, 1);                                                                \
        assert_int_equal(upsweep_argmax_##N(u, data, 6, &found, NULL), UPSWEEP_OK);                \
        assert_int_equal(found, 3);                                                                \
        assert_int_equal(upsweep_scan_##N(u, data, out, 6, UPSWEEP_GREATEST, NULL), UPSWEEP_OK);   \
        assert_true(out[0] == 7 && out[2] == 7 && out[5] == (high));                               \
        const T edges[] = {1, 4, (high)};                                                          \
        const upsweep_bucketing buckets = {                                                        \
            .kind = UPSWEEP_BUCKET_EDGES, .count = 2, .edges = edges};                             \
        assert_int_equal(upsweep_histogram_##N(u, data, 6, &buckets, counts, NULL), UPSWEEP_OK);   \
        assert_true(counts[0] == 3 && counts[1] == 2);                                             \
        upsweep_options down = {.flags = UPSWEEP_DESCENDING};                                      \
        assert_int_equal(upsweep_sort_##N(u, a, 5, &down), UPSWEEP_OK);                            \
        assert_true(a[0] == (high) && a[4] == (low));                                              \
    }

TEST(u8, uint8_t, uint64_t, 0, UINT8_MAX)
TEST(u16, uint16_t, uint64_t, 0, UINT16_MAX)
TEST(u32, uint32_t, uint64_t, 0, UINT32_MAX)
TEST(u64, uint64_t, uint64_t, 0, UINT64_MAX)
TEST(i8, int8_t, int64_t, INT8_MIN, INT8_MAX)
TEST(i16, int16_t, int64_t, INT16_MIN, INT16_MAX)
TEST(i32, int32_t, int64_t, INT32_MIN, INT32_MAX)
TEST(i64, int64_t, int64_t, INT64_MIN, INT64_MAX / 3)
TEST(f32, float, double, -1024.5f, 4096.25f)
TEST(f64, double, double, -1e10, 1e10 + 0.5)

static int begin(void **state)
{
    return upsweep_open((upsweep **)state, "cpu", NULL) == UPSWEEP_OK ? 0 : 1;
}

static int end(void **state)
{
    upsweep_close(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_u8),  cmocka_unit_test(test_u16), cmocka_unit_test(test_u32),
        cmocka_unit_test(test_u64), cmocka_unit_test(test_i8),  cmocka_unit_test(test_i16),
        cmocka_unit_test(test_i32), cmocka_unit_test(test_i64), cmocka_unit_test(test_f32),
        cmocka_unit_test(test_f64),
    };
    return cmocka_run_group_tests_name("typed", tests, begin, end);
}
