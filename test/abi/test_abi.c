/* test_abi.c - structs that the library reads, as programs compiled with an earlier or a later
 * header give them: every one of them, every size. What a smaller struct has not must count as 0,
 * whatever lies there; a larger one is taken if all beyond is 0. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/shared/abi_graph.h"

enum { LARGEST = 4096, ROOM = LARGEST + 64 };

static const uint32_t one_source[] = {0};

/* ---- structs that the library reads ---- */

static upsweep_status give_config(const void *config)
{
    upsweep *other;
    upsweep_status status = upsweep_open(&other, "cpu", config);
    upsweep_close(other);
    return status;
}

static upsweep_status give_options_to_few(const void *options)
{
    uint32_t keys[40] = {3, 2, 1};
    return upsweep_sort(u, keys, 40, UPSWEEP_U32, options);
}

static upsweep_status give_options_to_many(const void *options)
{
    static uint32_t keys[5000];
    keys[0] = 1;
    return upsweep_sort(u, keys, 5000, UPSWEEP_U32, options);
}

static upsweep_status give_options_to_reverse(const void *options)
{
    uint32_t keys[40] = {3, 2, 1};
    return upsweep_reverse(u, keys, 40, 4, options);
}

static upsweep_status give_tuning(const void *tuning)
{
    return upsweep_set_tuning(u, tuning);
}

static upsweep_status give_bucketing(const void *bucketing)
{
    const uint8_t keys[] = {1, 2, 200};
    uint64_t counts[256];
    return upsweep_histogram(u, keys, 3, UPSWEEP_U8, bucketing, counts, NULL);
}

static upsweep_status give_path_options(const void *options)
{
    uint32_t distance[3];
    return upsweep_paths(u, graph, one_source, 1, distance, NULL, options);
}

static upsweep_status give_dense_options(const void *options)
{
    const uint32_t matrix[] = {0, 1, 1, 0};
    uint32_t distance[2];
    return upsweep_paths_dense(u, matrix, 2, UPSWEEP_U32, one_source, 1, distance, NULL, options);
}

static int ignore_row(void *context, const upsweep_path_row *row)
{
    (void)context;
    (void)row;
    return 0;
}

static upsweep_status give_batch_options(const void *options)
{
    return upsweep_paths_batch(u, graph, one_source, 1, options, ignore_row, NULL);
}

static upsweep_status give_matrix_options(const void *options)
{
    uint32_t distance[3];
    return upsweep_paths_matrix(u, graph, one_source, 1, options, distance, NULL);
}

static const upsweep_config a_config = {.size = sizeof a_config, .threads = 2};
static const upsweep_options some_options = {.size = sizeof some_options,
                                             .algorithm = "sort/radix",
                                             .flags = UPSWEEP_DESCENDING,
                                             .bit_begin = 3,
                                             .bit_end = 9};
static const upsweep_options no_options = {.size = sizeof no_options};
static const upsweep_tuning a_tuning = {.size = sizeof a_tuning, .thread_bytes = 1 << 20};
static const uint8_t low = 0, high = 255;
static const upsweep_bucketing a_bucketing = {.size = sizeof a_bucketing,
                                              .kind = UPSWEEP_BUCKET_WIDTH,
                                              .count = 5,
                                              .low = &low,
                                              .high = &high};
static const upsweep_path_options path_options = {
    .size = sizeof path_options, .targets = one_source, .target_count = 1, .delta = 2};
static const upsweep_path_options dense_options = {
    .size = sizeof dense_options, .targets = one_source, .target_count = 1};
static const upsweep_batch_options batch_options = {.size = sizeof batch_options,
                                                    .targets = one_source,
                                                    .target_count = 1,
                                                    .delta = 2,
                                                    .flags = UPSWEEP_PATHS_PARENTS};
static const upsweep_batch_options matrix_options = {
    .size = sizeof matrix_options, .targets = one_source, .target_count = 1};

#define INPUT(call, example, of_0_1)                                                               \
    {                                                                                              \
#call, call, &(example), sizeof(example), of_0_1                                           \
    }
static const struct {
    const char *name;
    upsweep_status (*call)(const void *options);
    const void *example; /* which the call takes */
    size_t bytes, first; /* now; in 0.1.0, on a machine of 64 bits */
} inputs[] = {
    INPUT(give_config, a_config, 48),
    INPUT(give_options_to_few, no_options, 32),
    INPUT(give_options_to_many, some_options, 32),
    INPUT(give_options_to_reverse, no_options, 32),
    INPUT(give_tuning, a_tuning, 56),
    INPUT(give_bucketing, a_bucketing, 56),
    INPUT(give_path_options, path_options, 48),
    INPUT(give_dense_options, dense_options, 48),
    INPUT(give_batch_options, batch_options, 72),
    INPUT(give_matrix_options, matrix_options, 72),
};
enum { INPUTS = sizeof inputs / sizeof inputs[0] };

static void set_size(void *at, size_t size)
{
    memcpy(at, &size, sizeof size);
}

static upsweep_status give(size_t i, const void *at)
{
    return inputs[i].call(at);
}

/* A later program's struct. */
static void test_larger_inputs(void **state)
{
    (void)state;
    static _Alignas(16) unsigned char at[ROOM];
    for (size_t i = 0; i < INPUTS; i++) {
        memset(at, 0, sizeof at);
        memcpy(at, inputs[i].example, inputs[i].bytes);
        assert_int_equal(give(i, at), UPSWEEP_OK);
        for (size_t size = inputs[i].bytes + 8; size <= LARGEST; size += size < 200 ? 8 : 488) {
            set_size(at, size);
            assert_int_equal(give(i, at), UPSWEEP_OK);
            for (size_t k = inputs[i].bytes; k < size; k += size < 100 || k + 9 > size ? 1 : 8) {
                at[k] = 1;
                assert_int_equal(give(i, at), UPSWEEP_ERROR_ARGUMENT);
                at[k] = 0;
            }
            at[size] = 1; /* no part of it */
            assert_int_equal(give(i, at), UPSWEEP_OK);
            at[size] = 0;
        }
    }
}

/* An earlier program's struct: whatever lies behind it, the outcome is that of zeros. */
static void test_smaller_inputs(void **state)
{
    (void)state;
    static _Alignas(16) unsigned char at[ROOM], zeros[ROOM];
    for (size_t i = 0; i < INPUTS; i++) {
        unsigned taken = 0;
        for (size_t size = 8; size <= inputs[i].bytes; size += 8) {
            memset(at, 0xFF, sizeof at);
            memset(zeros, 0, sizeof zeros);
            memcpy(at, inputs[i].example, size);
            memcpy(zeros, inputs[i].example, size);
            set_size(at, size);
            set_size(zeros, inputs[i].bytes);
            upsweep_status expected = give(i, zeros);
            assert_int_equal(give(i, at), expected);
            taken += expected == UPSWEEP_OK;
        }
        assert_true(taken >= 1);
    }
}

/* A size of 0 is that of 0.1.0, for ever: a program of that time has no more. */
static void test_no_size(void **state)
{
    (void)state;
    static _Alignas(16) unsigned char at[ROOM];
    for (size_t i = 0; i < INPUTS; i++) {
        if (sizeof(void *) == 8) {
            assert_true(inputs[i].bytes >= inputs[i].first);
            memset(at, 0xFF, sizeof at);
            memcpy(at, inputs[i].example, inputs[i].first);
            set_size(at, 0);
            assert_int_equal(give(i, at), UPSWEEP_OK);
        }
    }
}

/* Sizes that no struct has: refused, with a sentence, and nothing beyond is looked at. */
static const size_t wild[] = {1, 2, 3, 4, 5, 6, 7, 9, 12, 31, 33, 4097, 4100, 4104, SIZE_MAX};
enum { WILD = sizeof wild / sizeof wild[0] };

static void test_wild_inputs(void **state)
{
    (void)state;
    static _Alignas(16) unsigned char at[ROOM + LARGEST];
    for (size_t i = 0; i < INPUTS; i++) {
        memcpy(at, inputs[i].example, inputs[i].bytes);
        for (size_t k = 0; k < WILD; k++) {
            set_size(at, wild[k]);
            assert_int_equal(give(i, at), UPSWEEP_ERROR_ARGUMENT);
        }
        memset(at, 0, sizeof at);
    }
    char text[256];
    upsweep_options o = {.size = 12};
    assert_int_equal(give_options_to_many(&o), UPSWEEP_ERROR_ARGUMENT);
    assert_true(upsweep_last_error(u, text, sizeof text) > 20);
    assert_true(strncmp(text, "options: its size", 17) == 0);
}

/* Fields come in arrays, which have no size: what they have for later must be 0. */
static void test_reserved(void **state)
{
    (void)state;
    uint32_t records[] = {2, 1};
    upsweep_field f[2] = {{.type = UPSWEEP_U32}, {.type = UPSWEEP_U8}};
    char text[256];
    for (size_t k = 0; k < sizeof f->reserved / sizeof f->reserved[0]; k++) {
        f[1].reserved[k] = 1;
        assert_int_equal(upsweep_sort_records(u, records, 2, 4, f, 2, NULL),
                         UPSWEEP_ERROR_ARGUMENT);
        upsweep_last_error(u, text, sizeof text);
        assert_non_null(strstr(text, "field 1: reserved"));
        f[1].reserved[k] = 0;
    }
    assert_int_equal(records[0], 2);
    assert_int_equal(upsweep_sort_records(u, records, 2, 4, f, 2, NULL), UPSWEEP_OK);
    assert_int_equal(records[0], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_larger_inputs), cmocka_unit_test(test_smaller_inputs),
        cmocka_unit_test(test_no_size),       cmocka_unit_test(test_wild_inputs),
        cmocka_unit_test(test_reserved),
    };
    return cmocka_run_group_tests_name("abi", tests, begin, end);
}
