/* test_typed.c - each function of upsweep_typed.h, of each type, on an array small enough to see
 * what must come out: every value is there at its own width and sign, so that a function made for
 * another type, or operator, gives something else. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <limits.h>
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
        assert_int_equal(upsweep_sort_copy_##N(u, data, 6, b, counts, NULL), UPSWEEP_OK);          \
        assert_memory_equal(b, sorted, sizeof b);                                                  \
        assert_memory_equal(counts, places, sizeof places);                                        \
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
        assert_int_equal(upsweep_search_sorted_##N(u, b, 6, data, 6, counts, NULL), UPSWEEP_OK);   \
        assert_true(counts[0] == 4 && counts[1] == 0 && counts[2] == 2 && counts[4] == 2);         \
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
        const uint8_t flags[6] = {0, 1, 0, 1, 0, 0};                                               \
        const uint64_t begin[3] = {0, 4, 6};                                                       \
        const T *runs[2] = {sorted, sorted + 2};                                                   \
        const size_t lengths[2] = {6, 4};                                                          \
        const uint32_t turn[6] = {5, 4, 3, 2, 1, 0};                                               \
        assert_int_equal(upsweep_scan_segmented_##N(u, data, flags, out, 6, UPSWEEP_LEAST, NULL),  \
                         UPSWEEP_OK);                                                              \
        assert_true(out[0] == 7 && out[2] == (low) && out[3] == (high) && out[5] == 1);            \
        memcpy(b, data, sizeof b);                                                                 \
        assert_int_equal(upsweep_sort_rows_##N(u, b, 6, begin, 2, index, NULL), UPSWEEP_OK);       \
        assert_true(b[0] == (low) && b[3] == (high) && b[4] == 1 && index[0] == 1 &&               \
                    index[4] == 1);                                                                \
        assert_int_equal(upsweep_top_k_rows_##N(u, data, 6, begin, 2, 2, out, index, NULL),        \
                         UPSWEEP_OK);                                                              \
        assert_true(out[0] == (low) && out[2] == 1 && index[0] == 1 && index[2] == 1);             \
        assert_int_equal(upsweep_argmin_rows_##N(u, data, 6, begin, 2, index, NULL), UPSWEEP_OK);  \
        assert_true(index[0] == 1 && index[1] == 1);                                               \
        assert_int_equal(upsweep_argmax_rows_##N(u, data, 6, begin, 2, index, NULL), UPSWEEP_OK);  \
        assert_true(index[0] == 3 && index[1] == 0);                                               \
        assert_int_equal(upsweep_min_rows_##N(u, data, 6, begin, 2, out, NULL), UPSWEEP_OK);       \
        assert_true(out[0] == (low) && out[1] == 1);                                               \
        assert_int_equal(upsweep_max_rows_##N(u, data, 6, begin, 2, out, NULL), UPSWEEP_OK);       \
        assert_true(out[0] == (high) && out[1] == 3);                                              \
        assert_int_equal(upsweep_scan_rows_##N(u, data, out, 6, begin, 2, UPSWEEP_GREATEST, NULL), \
                         UPSWEEP_OK);                                                              \
        assert_true(out[0] == 7 && out[3] == (high) && out[5] == 3);                               \
        S row_sums[2];                                                                             \
        assert_int_equal(upsweep_sum_rows_##N(u, data + 4, 2, NULL, 2, row_sums, NULL),            \
                         UPSWEEP_OK);                                                              \
        assert_true(row_sums[0] == (S)data[4] && row_sums[1] == (S)data[5]);                       \
        assert_int_equal(upsweep_merge_runs_##N(u, runs, lengths, 2, out, NULL), UPSWEEP_OK);      \
        assert_true(out[0] == (low) && out[4] == 3 && out[5] == 3 && out[9] == (high));            \
        const T ends[] = {(low), (high)};                                                          \
        const upsweep_bucketing all = {.kind = UPSWEEP_BUCKET_EDGES, .count = 1, .edges = ends};   \
        assert_int_equal(upsweep_split_keys_##N(u, data, out, 6, &all, places, NULL), UPSWEEP_OK); \
        assert_true(memcmp(out, data, sizeof data) == 0 && places[1] == 6);                        \
        assert_int_equal(upsweep_split_##N(u, data, flags, out, 6, &found, NULL), UPSWEEP_OK);     \
        assert_true(found == 4 && out[3] == 1 && out[4] == (low) && out[5] == (high));             \
        assert_int_equal(upsweep_compact_##N(u, data, flags, out, 6, &found, NULL), UPSWEEP_OK);   \
        assert_true(found == 2 && out[0] == (low) && out[1] == (high));                            \
        assert_int_equal(upsweep_gather_##N(u, data, 6, turn, out, 6, NULL), UPSWEEP_OK);          \
        assert_int_equal(upsweep_scatter_##N(u, data, turn, b, 6, 6, NULL), UPSWEEP_OK);           \
        assert_true(out[0] == 1 && out[4] == (low) && memcmp(out, b, sizeof b) == 0);              \
        assert_int_equal(upsweep_permute_##N(u, b, turn, 6, NULL), UPSWEEP_OK);                    \
        assert_memory_equal(b, data, sizeof b);                                                    \
        assert_int_equal(UPSWEEP_OF(upsweep_reverse, b)(u, b, 6, NULL), UPSWEEP_OK);               \
        assert_memory_equal(b, out, sizeof b);                                                     \
        assert_int_equal(upsweep_reverse_copy_##N(u, b, out, 6, NULL), UPSWEEP_OK);                \
        assert_true(out[0] == b[5] && memcmp(out, data, sizeof data) == 0);                        \
        assert_int_equal(upsweep_transpose_##N(u, data, 1, 2, 3, b, NULL), UPSWEEP_OK);            \
        assert_true(b[1] == data[3] && b[2] == data[1] && b[5] == data[5]);                        \
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
#ifdef UPSWEEP_LONG_LONG
TEST(ll, long long, int64_t, LLONG_MIN, LLONG_MAX / 3)
TEST(ull, unsigned long long, uint64_t, 0, ULLONG_MAX)
#endif

/* 1, -2 and 0.5 in the two short types: as u16 they would be sorted otherwise. */
#define TEST_SHORT(N, one, minus_two, half)                                                        \
    static void test_##N(void **state)                                                             \
    {                                                                                              \
        upsweep *u = *state;                                                                       \
        uint16_t data[3] = {one, minus_two, half}, least;                                          \
        double sum;                                                                                \
        assert_int_equal(upsweep_min_##N(u, data, 3, &least, NULL), UPSWEEP_OK);                   \
        assert_int_equal(upsweep_sum_##N(u, data, 3, &sum, NULL), UPSWEEP_OK);                     \
        assert_true(least == minus_two && sum == -0.5);                                            \
        assert_int_equal(upsweep_sort_##N(u, data, 3, NULL), UPSWEEP_OK);                          \
        assert_true(data[0] == minus_two && data[1] == half && data[2] == one);                    \
    }
TEST_SHORT(f16, 0x3c00, 0xc000, 0x3800)
TEST_SHORT(bf16, 0x3f80, 0xc000, 0x3f00)

#define TEST_BITS(N, T)                                                                            \
    static void test_bits_##N(void **state)                                                        \
    {                                                                                              \
        const T data[3] = {0x1c, 0x2c, 0x0e};                                                      \
        T all, any, odd;                                                                           \
        assert_int_equal(upsweep_and_##N(*state, data, 3, &all, NULL), UPSWEEP_OK);                \
        assert_int_equal(upsweep_or_##N(*state, data, 3, &any, NULL), UPSWEEP_OK);                 \
        assert_int_equal(upsweep_xor_##N(*state, data, 3, &odd, NULL), UPSWEEP_OK);                \
        assert_true(all == 0x0c && any == 0x3e && odd == 0x3e);                                    \
    }
TEST_BITS(u8, uint8_t)
TEST_BITS(u16, uint16_t)
TEST_BITS(u32, uint32_t)
TEST_BITS(u64, uint64_t)
TEST_BITS(i8, int8_t)
TEST_BITS(i16, int16_t)
TEST_BITS(i32, int32_t)
TEST_BITS(i64, int64_t)

/* 0 -> 1 -> 2 is shorter than 0 -> 2; distances of another type are refused, and not written. */
#define TEST_GRAPH(N, T, other, O)                                                                 \
    static void test_graph_##N(void **state)                                                       \
    {                                                                                              \
        upsweep *u = *state;                                                                       \
        upsweep_graph *arcs, *rows;                                                                \
        const uint32_t tail[3] = {0, 0, 1}, head[3] = {1, 2, 2}, source = 0;                       \
        const uint64_t begin[4] = {0, 2, 3, 3};                                                    \
        const T weight[3] = {1, 9, 2};                                                             \
        const unsigned flags = UPSWEEP_GRAPH_NEGATIVE;                                             \
        T distance[3];                                                                             \
        O wrong[3] = {0};                                                                          \
        assert_int_equal(upsweep_graph_from_arcs_##N(u, 3, 3, tail, head, weight, flags, &arcs),   \
                         UPSWEEP_OK);                                                              \
        assert_int_equal(upsweep_graph_from_rows_##N(u, 3, begin, head, weight, flags, &rows),     \
                         UPSWEEP_OK);                                                              \
        assert_int_equal(                                                                          \
            upsweep_bellman_ford_##N(u, arcs, &source, 1, distance, NULL, NULL, NULL),             \
            UPSWEEP_OK);                                                                           \
        assert_true(distance[1] == 1 && distance[2] == 3);                                         \
        assert_int_equal(                                                                          \
            upsweep_bellman_ford_##other(u, rows, &source, 1, wrong, NULL, NULL, NULL),            \
            UPSWEEP_ERROR_UNSUPPORTED);                                                            \
        assert_true(wrong[1] == 0 && wrong[2] == 0);                                               \
        upsweep_graph_free(arcs);                                                                  \
        upsweep_graph_free(rows);                                                                  \
    }
TEST_GRAPH(u32, uint32_t, f32, float)
TEST_GRAPH(u64, uint64_t, u32, uint32_t)
TEST_GRAPH(i32, int32_t, u32, uint32_t)
TEST_GRAPH(i64, int64_t, f64, double)
TEST_GRAPH(f32, float, u32, uint32_t)
TEST_GRAPH(f64, double, f32, float)

#define TEST_PATHS(N, T, other, O)                                                                 \
    static void test_paths_##N(void **state)                                                       \
    {                                                                                              \
        upsweep *u = *state;                                                                       \
        upsweep_graph *g;                                                                          \
        const uint32_t tail[3] = {0, 0, 1}, head[3] = {1, 2, 2}, sources[2] = {0, 1};              \
        const T weight[3] = {1, 9, 2}, matrix[9] = {0, 1, 9, 9, 0, 2, 9, 9, 0};                    \
        T distance[6], dense[3];                                                                   \
        O wrong[6] = {0};                                                                          \
        assert_int_equal(upsweep_graph_from_arcs_##N(u, 3, 3, tail, head, weight, 0, &g),          \
                         UPSWEEP_OK);                                                              \
        assert_int_equal(upsweep_paths_##N(u, g, sources, 1, distance, NULL, NULL), UPSWEEP_OK);   \
        assert_true(distance[0] == 0 && distance[1] == 1 && distance[2] == 3);                     \
        assert_int_equal(upsweep_paths_dense_##N(u, matrix, 3, sources, 1, dense, NULL, NULL),     \
                         UPSWEEP_OK);                                                              \
        assert_memory_equal(dense, distance, sizeof dense);                                        \
        assert_int_equal(upsweep_paths_matrix_##N(u, g, sources, 2, NULL, distance, NULL),         \
                         UPSWEEP_OK);                                                              \
        assert_true(distance[2] == 3 && distance[4] == 0 && distance[5] == 2);                     \
        assert_int_equal(upsweep_paths_##other(u, g, sources, 1, wrong, NULL, NULL),               \
                         UPSWEEP_ERROR_UNSUPPORTED);                                               \
        assert_int_equal(upsweep_paths_matrix_##other(u, g, sources, 2, NULL, wrong, NULL),        \
                         UPSWEEP_ERROR_UNSUPPORTED);                                               \
        assert_true(wrong[1] == 0 && wrong[5] == 0);                                               \
        upsweep_graph_free(g);                                                                     \
    }
TEST_PATHS(u32, uint32_t, f32, float)
TEST_PATHS(u64, uint64_t, u32, uint32_t)
TEST_PATHS(f32, float, u32, uint32_t)
TEST_PATHS(f64, double, f32, float)

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
        cmocka_unit_test(test_u8),        cmocka_unit_test(test_u16),
        cmocka_unit_test(test_u32),       cmocka_unit_test(test_u64),
        cmocka_unit_test(test_i8),        cmocka_unit_test(test_i16),
        cmocka_unit_test(test_i32),       cmocka_unit_test(test_i64),
        cmocka_unit_test(test_f32),       cmocka_unit_test(test_f64),
#ifdef UPSWEEP_LONG_LONG
        cmocka_unit_test(test_ll),        cmocka_unit_test(test_ull),
#endif
        cmocka_unit_test(test_f16),       cmocka_unit_test(test_bf16),
        cmocka_unit_test(test_bits_u8),   cmocka_unit_test(test_bits_u16),
        cmocka_unit_test(test_bits_u32),  cmocka_unit_test(test_bits_u64),
        cmocka_unit_test(test_bits_i8),   cmocka_unit_test(test_bits_i16),
        cmocka_unit_test(test_bits_i32),  cmocka_unit_test(test_bits_i64),
        cmocka_unit_test(test_graph_u32), cmocka_unit_test(test_graph_u64),
        cmocka_unit_test(test_graph_i32), cmocka_unit_test(test_graph_i64),
        cmocka_unit_test(test_graph_f32), cmocka_unit_test(test_graph_f64),
        cmocka_unit_test(test_paths_u32), cmocka_unit_test(test_paths_u64),
        cmocka_unit_test(test_paths_f32), cmocka_unit_test(test_paths_f64),
    };
    return cmocka_run_group_tests_name("typed", tests, begin, end);
}
