/* test_arguments.c - what a wrong argument gives, for every call: a status, a sentence, and the
 * array as it was. The right outcomes are in test_calls.c. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "upsweep.h"

static upsweep *u;
static uint32_t a[64], b[64], kept[64], kept_b[64];
static uint64_t wide[80];
static uint8_t flags[64];
static size_t count;

static int open_one(void **state)
{
    (void)state;
    upsweep_config config = {.threads = 2};
    return upsweep_open(&u, NULL, &config);
}

static int close_one(void **state)
{
    (void)state;
    upsweep_close(u);
    return 0;
}

/* A sentence: a few words, no line break, begins with no blank, ends with no blank. */
static bool is_sentence(const char *text)
{
    size_t n = strlen(text);
    return n > 10 && strchr(text, ' ') != NULL && strchr(text, '\n') == NULL && text[0] != ' ' &&
           text[n - 1] != ' ' && n < 255;
}

/* The call must give the status, say why, and leave the arrays as they were. */
static void expect_(upsweep_status want, upsweep_status got, const char *text, int line)
{
    if (got != want) {
        fail_msg("line %d: %s gives '%s', not '%s'", line, text, upsweep_status_name(got),
                 upsweep_status_name(want));
    }
    if (want != UPSWEEP_OK && !is_sentence(upsweep_error(u))) {
        fail_msg("line %d: %s says '%s', which is no sentence", line, text, upsweep_error(u));
    }
    if (want != UPSWEEP_OK && memcmp(a, kept, sizeof a) != 0) {
        fail_msg("line %d: %s failed, but changed its array", line, text);
    }
    if (want != UPSWEEP_OK && memcmp(b, kept_b, sizeof b) != 0) {
        fail_msg("line %d: %s failed, but changed its second array", line, text);
    }
    memcpy(kept_b, b, sizeof b); /* calls that succeed may write to it */
}
#define ARGUMENT(call) expect_(UPSWEEP_ERROR_ARGUMENT, call, #call, __LINE__)
#define FINE(call) expect_(UPSWEEP_OK, call, #call, __LINE__)
#define STATUS(status, call) expect_(UPSWEEP_ERROR_##status, call, #call, __LINE__)

static int fill(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 64; i++) {
        a[i] = kept[i] = b[i] = kept_b[i] = i * 2654435761u;
    }
    return 0;
}

static const upsweep_type no_type = (upsweep_type)99;
static const size_t huge = SIZE_MAX / 2;

/* A comparator for calls that must not come to comparing. */
static int compare(const void *x, const void *y, void *context)
{
    (void)context;
    return memcmp(x, y, 4);
}

static void add(void *accumulator, const void *element, void *context)
{
    uint32_t x, y;
    (void)context;
    memcpy(&x, accumulator, 4);
    memcpy(&y, element, 4);
    x += y;
    memcpy(accumulator, &x, 4);
}

static void test_sorts(void **state)
{
    (void)state;
    ARGUMENT(upsweep_sort(u, NULL, 5, UPSWEEP_U32, NULL));
    ARGUMENT(upsweep_sort(u, a, 5, no_type, NULL));
    ARGUMENT(upsweep_sort(u, a, 5, (upsweep_type)0, NULL));
    ARGUMENT(upsweep_sort(u, a, huge, UPSWEEP_U32, NULL));
    FINE(upsweep_sort(u, NULL, 0, UPSWEEP_U32, NULL));
    ARGUMENT(upsweep_sort(u, NULL, 0, no_type, NULL));
    ARGUMENT(upsweep_sort_pairs(u, NULL, b, 5, UPSWEEP_U32, 4, NULL));
    ARGUMENT(upsweep_sort_pairs(u, a, NULL, 5, UPSWEEP_U32, 4, NULL));
    ARGUMENT(upsweep_sort_pairs(u, a, b, 5, UPSWEEP_U32, 0, NULL));
    ARGUMENT(upsweep_sort_pairs(u, a, b, 5, UPSWEEP_U32, huge, NULL));
    ARGUMENT(upsweep_sort_pairs(u, a, b, 5, no_type, 4, NULL));
    ARGUMENT(upsweep_sort_pairs(u, a, b, huge, UPSWEEP_U8, 4, NULL));
    FINE(upsweep_sort_pairs(u, NULL, NULL, 0, UPSWEEP_U32, 4, NULL));
    FINE(upsweep_argsort(u, NULL, 0, UPSWEEP_U32, NULL, 32, NULL));
    ARGUMENT(upsweep_argsort(u, NULL, 5, UPSWEEP_U32, b, 32, NULL));
    ARGUMENT(upsweep_argsort(u, a, 5, UPSWEEP_U32, NULL, 32, NULL));
    ARGUMENT(upsweep_argsort(u, a, 5, UPSWEEP_U32, b, 16, NULL));
    ARGUMENT(upsweep_argsort(u, a, 5, UPSWEEP_U32, b, 0, NULL));
    ARGUMENT(upsweep_argsort(u, a, 5, no_type, b, 32, NULL));
    ARGUMENT(upsweep_argsort(u, a, ((size_t)1 << 32) + 1, UPSWEEP_U8, b, 32, NULL));
    FINE(upsweep_sort_copy(u, NULL, 0, UPSWEEP_U32, NULL, NULL, 0, NULL));
    ARGUMENT(upsweep_sort_copy(u, NULL, 5, UPSWEEP_U32, b, NULL, 0, NULL));
    ARGUMENT(upsweep_sort_copy(u, a, 5, UPSWEEP_U32, NULL, NULL, 0, NULL));
    ARGUMENT(upsweep_sort_copy(u, a, 5, no_type, b, NULL, 0, NULL));
    ARGUMENT(upsweep_sort_copy(u, a, huge, UPSWEEP_U32, b, NULL, 0, NULL));
    ARGUMENT(upsweep_sort_copy(u, a, 5, UPSWEEP_U32, NULL, b, 16, NULL));
    ARGUMENT(upsweep_sort_copy(u, a, ((size_t)1 << 32) + 1, UPSWEEP_U8, a, b, 32, NULL));
    ARGUMENT(upsweep_sort_by(u, NULL, 5, 4, compare, NULL, NULL));
    ARGUMENT(upsweep_sort_by(u, a, 5, 0, compare, NULL, NULL));
    ARGUMENT(upsweep_sort_by(u, a, 5, 4, NULL, NULL, NULL));
    ARGUMENT(upsweep_sort_by(u, a, huge, 16, compare, NULL, NULL));
    FINE(upsweep_sort_by(u, NULL, 0, 4, compare, NULL, NULL));
}

static void test_records(void **state)
{
    (void)state;
    upsweep_field f = {.offset = 0, .type = UPSWEEP_U32};
    ARGUMENT(upsweep_sort_records(u, NULL, 5, 8, &f, 1, NULL));
    ARGUMENT(upsweep_sort_records(u, a, 5, 0, &f, 1, NULL));
    ARGUMENT(upsweep_sort_records(u, a, 5, 8, NULL, 1, NULL));
    ARGUMENT(upsweep_sort_records(u, a, huge, 8, &f, 1, NULL));
    FINE(upsweep_sort_records(u, NULL, 0, 8, &f, 1, NULL));
    f.offset = 5; /* the field ends outside the record */
    ARGUMENT(upsweep_sort_records(u, a, 5, 8, &f, 1, NULL));
    f = (upsweep_field){.offset = SIZE_MAX, .type = UPSWEEP_U32};
    ARGUMENT(upsweep_sort_records(u, a, 5, 8, &f, 1, NULL));
    f = (upsweep_field){.offset = 2, .type = UPSWEEP_U32, .bytes = SIZE_MAX - 1};
    ARGUMENT(upsweep_sort_records(u, a, 5, 8, &f, 1, NULL));
    f = (upsweep_field){.offset = 0, .type = no_type};
    ARGUMENT(upsweep_sort_records(u, a, 5, 8, &f, 1, NULL));
    f = (upsweep_field){.offset = 0, .type = UPSWEEP_U32, .flags = 1u << 30};
    ARGUMENT(upsweep_sort_records(u, a, 5, 8, &f, 1, NULL));
}

static void test_keys(void **state)
{
    (void)state;
    const void *runs[2] = {a, b}, *no_runs[2] = {a, NULL};
    const size_t counts[2] = {3, 3}, overflow[2] = {huge, huge};
    ARGUMENT(upsweep_merge(u, NULL, 3, b, 3, wide, UPSWEEP_U32, NULL));
    ARGUMENT(upsweep_merge(u, a, 3, NULL, 3, wide, UPSWEEP_U32, NULL));
    ARGUMENT(upsweep_merge(u, a, 3, b, 3, NULL, UPSWEEP_U32, NULL));
    ARGUMENT(upsweep_merge(u, a, 3, b, 3, wide, no_type, NULL));
    ARGUMENT(upsweep_merge(u, a, SIZE_MAX, b, 3, wide, UPSWEEP_U8, NULL));
    FINE(upsweep_merge(u, NULL, 0, NULL, 0, NULL, UPSWEEP_U32, NULL));
    ARGUMENT(upsweep_merge_runs(u, NULL, counts, 2, wide, UPSWEEP_U32, NULL));
    ARGUMENT(upsweep_merge_runs(u, runs, NULL, 2, wide, UPSWEEP_U32, NULL));
    ARGUMENT(upsweep_merge_runs(u, no_runs, counts, 2, wide, UPSWEEP_U32, NULL));
    ARGUMENT(upsweep_merge_runs(u, runs, counts, 2, NULL, UPSWEEP_U32, NULL));
    ARGUMENT(upsweep_merge_runs(u, runs, overflow, 2, wide, UPSWEEP_U32, NULL));
    FINE(upsweep_merge_runs(u, NULL, NULL, 0, NULL, UPSWEEP_U32, NULL));
    ARGUMENT(upsweep_is_sorted(u, NULL, 3, UPSWEEP_U32, &count, NULL));
    ARGUMENT(upsweep_is_sorted(u, a, 3, UPSWEEP_U32, NULL, NULL));
    ARGUMENT(upsweep_is_sorted(u, a, 3, no_type, &count, NULL));
    ARGUMENT(upsweep_nth_element(u, NULL, 3, 1, UPSWEEP_U32, NULL));
    ARGUMENT(upsweep_nth_element(u, a, 3, 3, UPSWEEP_U32, NULL));
    ARGUMENT(upsweep_nth_element(u, a, 3, 1, no_type, NULL));
    ARGUMENT(upsweep_top_k(u, NULL, 3, 1, UPSWEEP_U32, b, NULL, NULL));
    ARGUMENT(upsweep_top_k(u, a, 3, 4, UPSWEEP_U32, b, NULL, NULL));
    ARGUMENT(upsweep_top_k(u, a, 3, 1, UPSWEEP_U32, NULL, NULL, NULL));
    FINE(upsweep_top_k(u, a, 3, 1, UPSWEEP_U32, b, NULL, NULL));
    FINE(upsweep_top_k(u, a, 3, 0, UPSWEEP_U32, NULL, NULL, NULL));
    ARGUMENT(upsweep_unique(u, NULL, 3, UPSWEEP_U32, &count, NULL));
    ARGUMENT(upsweep_unique(u, a, 3, UPSWEEP_U32, NULL, NULL));
    ARGUMENT(upsweep_run_lengths(u, NULL, 3, UPSWEEP_U32, b, wide, &count, NULL));
    ARGUMENT(upsweep_run_lengths(u, a, 3, UPSWEEP_U32, NULL, wide, &count, NULL));
    ARGUMENT(upsweep_run_lengths(u, a, 3, UPSWEEP_U32, b, NULL, &count, NULL));
    ARGUMENT(upsweep_run_lengths(u, a, 3, UPSWEEP_U32, b, wide, NULL, NULL));
}

static void test_folds(void **state)
{
    (void)state;
    const upsweep_op no_op = (upsweep_op)77;
    uint32_t one = 0;
    ARGUMENT(upsweep_reduce(u, NULL, 3, UPSWEEP_U32, UPSWEEP_SUM, wide, NULL));
    ARGUMENT(upsweep_reduce(u, a, 3, UPSWEEP_U32, UPSWEEP_SUM, NULL, NULL));
    ARGUMENT(upsweep_reduce(u, a, 3, no_type, UPSWEEP_SUM, wide, NULL));
    ARGUMENT(upsweep_reduce(u, a, 3, UPSWEEP_U32, no_op, wide, NULL));
    ARGUMENT(upsweep_argmin(u, NULL, 3, UPSWEEP_U32, &count, NULL));
    ARGUMENT(upsweep_argmin(u, a, 3, UPSWEEP_U32, NULL, NULL));
    ARGUMENT(upsweep_argmin(u, a, 0, UPSWEEP_U32, &count, NULL));
    ARGUMENT(upsweep_argmax(u, a, 0, UPSWEEP_U32, &count, NULL));
    ARGUMENT(upsweep_argmax(u, a, 3, no_type, &count, NULL));
    ARGUMENT(upsweep_minmax(u, NULL, 3, UPSWEEP_U32, b, wide, NULL));
    ARGUMENT(upsweep_minmax(u, a, 3, UPSWEEP_U32, NULL, wide, NULL));
    ARGUMENT(upsweep_minmax(u, a, 3, UPSWEEP_U32, b, NULL, NULL));
    ARGUMENT(upsweep_reduce_by(u, NULL, 3, 4, add, NULL, wide, NULL));
    ARGUMENT(upsweep_reduce_by(u, a, 3, 0, add, NULL, wide, NULL));
    ARGUMENT(upsweep_reduce_by(u, a, 3, 4, NULL, NULL, wide, NULL));
    ARGUMENT(upsweep_reduce_by(u, a, 3, 4, add, NULL, NULL, NULL));
    ARGUMENT(upsweep_scan(u, NULL, b, 3, UPSWEEP_U32, UPSWEEP_SUM, NULL));
    ARGUMENT(upsweep_scan(u, a, NULL, 3, UPSWEEP_U32, UPSWEEP_SUM, NULL));
    ARGUMENT(upsweep_scan(u, a, b, 3, no_type, UPSWEEP_SUM, NULL));
    ARGUMENT(upsweep_scan(u, a, b, 3, UPSWEEP_U32, no_op, NULL));
    FINE(upsweep_scan(u, NULL, NULL, 0, UPSWEEP_U32, UPSWEEP_SUM, NULL));
    ARGUMENT(upsweep_scan_segmented(u, a, NULL, b, 3, UPSWEEP_U32, UPSWEEP_SUM, NULL));
    ARGUMENT(upsweep_scan_by_key(u, NULL, UPSWEEP_U8, a, b, 3, UPSWEEP_U32, UPSWEEP_SUM, NULL));
    ARGUMENT(upsweep_scan_by_key(u, flags, no_type, a, b, 3, UPSWEEP_U32, UPSWEEP_SUM, NULL));
    ARGUMENT(upsweep_scan_by(u, NULL, b, 3, 4, add, NULL, &one, NULL));
    ARGUMENT(upsweep_scan_by(u, a, b, 3, 4, NULL, NULL, &one, NULL));
    ARGUMENT(upsweep_scan_by(u, a, b, 3, 4, add, NULL, NULL, NULL));
    ARGUMENT(upsweep_scan_by(u, a, b, 3, 0, add, NULL, &one, NULL));
    /* Bits of floating-point numbers are not for and, or, xor. */
    assert_int_equal(upsweep_reduce_type(UPSWEEP_F32, UPSWEEP_AND), 0);
    assert_int_equal(upsweep_reduce_type(no_type, UPSWEEP_SUM), 0);
    assert_true(upsweep_reduce(u, a, 3, UPSWEEP_F32, UPSWEEP_XOR, wide, NULL) != UPSWEEP_OK);
}

static void test_moves(void **state)
{
    (void)state;
    upsweep_bucketing digit = {.kind = UPSWEEP_BUCKET_DIGIT, .bit = 0, .bits = 4, .count = 16};
    uint32_t index[3] = {0, 2, 1}, outside[3] = {0, 3, 1}, twice[3] = {1, 1, 2};
    uint8_t ids[3] = {0, 1, 7};
    ARGUMENT(upsweep_split(u, NULL, flags, b, 3, 4, &count, NULL));
    ARGUMENT(upsweep_split(u, a, NULL, b, 3, 4, &count, NULL));
    ARGUMENT(upsweep_split(u, a, flags, NULL, 3, 4, &count, NULL));
    ARGUMENT(upsweep_split(u, a, flags, b, 3, 0, &count, NULL));
    ARGUMENT(upsweep_split(u, a, flags, b, huge, 16, &count, NULL));
    FINE(upsweep_split(u, a, flags, b, 3, 4, NULL, NULL));
    ARGUMENT(upsweep_compact(u, a, NULL, b, 3, 4, &count, NULL));
    ARGUMENT(upsweep_compact(u, a, flags, b, 3, 4, NULL, NULL));
    ARGUMENT(upsweep_compact(u, a, flags, b, 3, 0, &count, NULL));
    ARGUMENT(upsweep_histogram(u, a, 3, UPSWEEP_U32, NULL, wide, NULL));
    ARGUMENT(upsweep_histogram(u, a, 3, UPSWEEP_U32, &digit, NULL, NULL));
    ARGUMENT(upsweep_histogram(u, NULL, 3, UPSWEEP_U32, &digit, wide, NULL));
    ARGUMENT(upsweep_split_keys(u, a, NULL, 3, UPSWEEP_U32, &digit, wide, NULL));
    ARGUMENT(upsweep_split_keys(u, a, b, 3, no_type, &digit, wide, NULL));
    digit.bit = 30; /* bits 30 .. 33 of 32 */
    ARGUMENT(upsweep_histogram(u, a, 3, UPSWEEP_U32, &digit, wide, NULL));
    digit = (upsweep_bucketing){.kind = UPSWEEP_BUCKET_DIGIT, .bits = 17, .count = 1 << 17};
    ARGUMENT(upsweep_split_keys(u, a, b, 3, UPSWEEP_U32, &digit, NULL, NULL));
    digit = (upsweep_bucketing){.kind = (upsweep_bucketing_kind)9, .count = 3};
    ARGUMENT(upsweep_histogram(u, a, 3, UPSWEEP_U32, &digit, wide, NULL));
    digit = (upsweep_bucketing){.kind = UPSWEEP_BUCKET_EDGES, .count = 3};
    ARGUMENT(upsweep_histogram(u, a, 3, UPSWEEP_U32, &digit, wide, NULL));
    digit = (upsweep_bucketing){.size = 3, .kind = UPSWEEP_BUCKET_DIGIT, .bits = 1, .count = 2};
    ARGUMENT(upsweep_histogram(u, a, 3, UPSWEEP_U32, &digit, wide, NULL));
    ARGUMENT(upsweep_split_ids(u, a, NULL, UPSWEEP_U8, 4, b, 3, 4, wide, NULL));
    ARGUMENT(upsweep_split_ids(u, a, ids, UPSWEEP_F32, 4, b, 3, 4, wide, NULL));
    STATUS(RANGE, upsweep_split_ids(u, a, ids, UPSWEEP_U8, 7, b, 3, 4, wide, NULL));
    ARGUMENT(upsweep_gather(u, NULL, 3, index, 32, b, 3, 4, NULL));
    ARGUMENT(upsweep_gather(u, a, 3, NULL, 32, b, 3, 4, NULL));
    ARGUMENT(upsweep_gather(u, a, 3, index, 31, b, 3, 4, NULL));
    ARGUMENT(upsweep_gather(u, a, 3, index, 32, b, 3, 0, NULL));
    STATUS(RANGE, upsweep_gather(u, a, 3, outside, 32, b, 3, 4, NULL));
    STATUS(RANGE, upsweep_gather(u, NULL, 0, index, 32, b, 3, 4, NULL));
    STATUS(RANGE, upsweep_scatter(u, b, outside, 32, a, 3, 3, 4, NULL));
    ARGUMENT(upsweep_scatter(u, b, index, 32, NULL, 3, 3, 4, NULL));
    ARGUMENT(upsweep_permute(u, NULL, index, 32, 3, 4, NULL));
    ARGUMENT(upsweep_permute(u, a, NULL, 32, 3, 4, NULL));
    STATUS(RANGE, upsweep_permute(u, a, outside, 32, 3, 4, NULL));
    STATUS(RANGE, upsweep_permute(u, a, twice, 32, 3, 4, NULL));
    ARGUMENT(upsweep_reverse(u, NULL, 3, 4, NULL));
    ARGUMENT(upsweep_reverse(u, a, 3, 0, NULL));
    FINE(upsweep_reverse(u, NULL, 0, 4, NULL));
    ARGUMENT(upsweep_reverse_copy(u, NULL, b, 3, 4, NULL));
    ARGUMENT(upsweep_reverse_copy(u, a, NULL, 3, 4, NULL));
    ARGUMENT(upsweep_reverse_copy(u, a, b, 3, 0, NULL));
    FINE(upsweep_reverse_copy(u, NULL, NULL, 0, 4, NULL));
    ARGUMENT(upsweep_transpose(u, NULL, 1, 1, 3, b, 4, NULL));
    ARGUMENT(upsweep_transpose(u, a, 1, 3, 1, NULL, 4, NULL));
    ARGUMENT(upsweep_transpose(u, a, 1, 3, 1, b, 0, NULL));
    ARGUMENT(upsweep_transpose(u, a, SIZE_MAX / 2, 3, 1, b, 1, NULL));
    ARGUMENT(upsweep_transpose(u, a, 1, SIZE_MAX / 2, 3, b, 1, NULL));
    ARGUMENT(upsweep_transpose(u, a, 1, SIZE_MAX / 4, 1, b, 8, NULL));
    FINE(upsweep_transpose(u, NULL, 0, 3, 3, NULL, 4, NULL));
    FINE(upsweep_transpose(u, NULL, 3, 0, 3, NULL, 4, NULL));
}

static void test_options(void **state)
{
    (void)state;
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    uint32_t *keys = b;
    FINE(upsweep_sort(u, keys, 64, UPSWEEP_U32, &o));
    o.size = 0;
    FINE(upsweep_sort(u, keys, 64, UPSWEEP_U32, &o));
    o.size = sizeof o - 1;
    ARGUMENT(upsweep_sort(u, a, 64, UPSWEEP_U32, &o));
    o = (upsweep_options){.flags = 1u << 31};
    ARGUMENT(upsweep_sort(u, a, 64, UPSWEEP_U32, &o));
    ARGUMENT(upsweep_reduce(u, a, 64, UPSWEEP_U32, UPSWEEP_SUM, wide, &o));
    o = (upsweep_options){.flags = UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW};
    (void)upsweep_sort(u, keys, 64, UPSWEEP_F32, &o); /* whatever it says, it must not crash */
    o = (upsweep_options){.bit_begin = 9, .bit_end = 8};
    ARGUMENT(upsweep_sort(u, a, 64, UPSWEEP_U32, &o));
    o = (upsweep_options){.bit_begin = 0, .bit_end = 33};
    ARGUMENT(upsweep_sort(u, a, 64, UPSWEEP_U32, &o));
    o = (upsweep_options){.algorithm = "sort/none"};
    STATUS(ALGORITHM, upsweep_sort(u, a, 64, UPSWEEP_U32, &o));
    STATUS(ALGORITHM, upsweep_sort(u, NULL, 0, UPSWEEP_U32, &o));
    STATUS(ALGORITHM, upsweep_reduce(u, a, 64, UPSWEEP_U32, UPSWEEP_SUM, wide, &o));
    STATUS(ALGORITHM, upsweep_scan(u, a, b, 64, UPSWEEP_U32, UPSWEEP_SUM, &o));
    o.algorithm = "";
    STATUS(ALGORITHM, upsweep_sort(u, a, 64, UPSWEEP_U32, &o));
    o.algorithm = "reduce/tree"; /* not for this operation */
    STATUS(ALGORITHM, upsweep_sort(u, a, 64, UPSWEEP_U32, &o));
}

static void test_carrying(void **state)
{
    (void)state;
    upsweep_options o = {.algorithm = "sort/none"};
    ARGUMENT(upsweep_sort_pairs(NULL, a, b, 4, UPSWEEP_U32, 4, NULL));
    ARGUMENT(upsweep_sort_pairs(u, NULL, b, 4, UPSWEEP_U32, 4, NULL));
    ARGUMENT(upsweep_sort_pairs(u, a, NULL, 4, UPSWEEP_U32, 4, NULL));
    ARGUMENT(upsweep_sort_pairs(u, a, b, 4, UPSWEEP_U32, 0, NULL));
    ARGUMENT(upsweep_sort_pairs(u, a, b, 4, (upsweep_type)0, 4, NULL));
    assert_int_equal(upsweep_sort_pairs(u, NULL, NULL, 0, UPSWEEP_U32, 4, NULL), UPSWEEP_OK);
    ARGUMENT(upsweep_argsort(u, a, 4, UPSWEEP_U32, b, 16, NULL));
    ARGUMENT(upsweep_argsort(u, a, (size_t)1 << 33, UPSWEEP_U32, b, 32, NULL));
    ARGUMENT(upsweep_argsort(u, a, SIZE_MAX / 2, UPSWEEP_U32, b, 64, NULL));
    ARGUMENT(upsweep_argsort(u, a, 4, UPSWEEP_U32, NULL, 32, NULL));
    STATUS(ALGORITHM, upsweep_argsort(u, a, 4, UPSWEEP_U32, b, 32, &o));
    o = (upsweep_options){.bit_begin = 5, .bit_end = 40};
    ARGUMENT(upsweep_argsort(u, a, 4, UPSWEEP_U32, b, 32, &o));
    o = (upsweep_options){.flags = UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW};
    ARGUMENT(upsweep_sort_pairs(u, a, b, 4, UPSWEEP_F32, 4, &o));
    o = (upsweep_options){.flags = UPSWEEP_EXCLUSIVE};
    ARGUMENT(upsweep_sort_pairs(u, a, b, 4, UPSWEEP_U32, 4, &o));
}

/* What a length of -1 becomes: no array of bytes is so long, though its size does not overflow. */
static void test_lengths_below_zero(void **state)
{
    (void)state;
    const size_t n = SIZE_MAX;
    size_t kept_n;
    ARGUMENT(upsweep_sort(u, a, n, UPSWEEP_U8, NULL));
    ARGUMENT(upsweep_sort(u, a, (size_t)PTRDIFF_MAX + 1, UPSWEEP_I8, NULL));
    ARGUMENT(upsweep_sort_pairs(u, a, b, n, UPSWEEP_U8, 1, NULL));
    ARGUMENT(upsweep_argsort(u, a, n, UPSWEEP_U8, b, 64, NULL));
    ARGUMENT(upsweep_sort_copy(u, a, n, UPSWEEP_U8, b, NULL, 64, NULL));
    ARGUMENT(upsweep_is_sorted(u, a, n, UPSWEEP_U8, &kept_n, NULL));
    ARGUMENT(upsweep_nth_element(u, a, n, 0, UPSWEEP_U8, NULL));
    ARGUMENT(upsweep_unique(u, a, n, UPSWEEP_U8, &kept_n, NULL));
    ARGUMENT(upsweep_reduce(u, a, n, UPSWEEP_U8, UPSWEEP_SUM, b, NULL));
    ARGUMENT(upsweep_argmin(u, a, n, UPSWEEP_U8, &kept_n, NULL));
    ARGUMENT(upsweep_minmax(u, a, n, UPSWEEP_U8, b, b + 8, NULL));
    ARGUMENT(upsweep_scan(u, a, b, n, UPSWEEP_U8, UPSWEEP_SUM, NULL));
    ARGUMENT(upsweep_reverse(u, a, n, 1, NULL));
    ARGUMENT(upsweep_reverse_copy(u, a, b, n, 1, NULL));
    ARGUMENT(upsweep_compact(u, a, (const uint8_t *)b, b, n, 1, &kept_n, NULL));
    ARGUMENT(upsweep_sort_by(u, a, n, 1, compare, NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_sorts, fill),
        cmocka_unit_test_setup(test_records, fill),
        cmocka_unit_test_setup(test_keys, fill),
        cmocka_unit_test_setup(test_folds, fill),
        cmocka_unit_test_setup(test_moves, fill),
        cmocka_unit_test_setup(test_options, fill),
        cmocka_unit_test_setup(test_carrying, fill),
        cmocka_unit_test_setup(test_lengths_below_zero, fill),
    };
    return cmocka_run_group_tests_name("arguments", tests, open_one, close_one);
}
