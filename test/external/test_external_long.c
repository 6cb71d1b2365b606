/* test_external_long.c - records as long as the limit allows, a tenth of it: they are sorted
 * whatever the order and the output, and one that is longer is refused with its place. */
/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "upsweep.h"
#include "test/external/external_steps.h"

enum { LONG_LINES = 5, MOST_LINES = 1 << 20 };

/* Short lines, and among them LONG_LINES of `longest` bytes that differ in their ends only. */
typedef struct input {
    unsigned char *bytes;
    size_t size, longest, count;
    line *lines;
} input;

static input make(size_t size, size_t longest)
{
    input in = {malloc(size + 80 + LONG_LINES * (longest + 1)), 0, longest, 0, NULL};
    in.lines = malloc(MOST_LINES * sizeof *in.lines);
    for (size_t at = 0, made = 0; at < size;) {
        unsigned char *p = in.bytes + in.size;
        size_t n = made < LONG_LINES && at >= made * size / LONG_LINES ? longest : 30 + any(40);
        at += n == longest ? 0 : n + 1;
        made += n == longest;
        memset(p, 'm', n);
        for (size_t i = n == longest ? n - 2 : 0; i < n; i++) {
            p[i] = (unsigned char)('a' + any(20));
        }
        p[n] = '\n';
        assert_true(in.count < MOST_LINES);
        in.lines[in.count] = (line){p, n, in.count};
        in.count++;
        in.size += n + 1;
    }
    return in;
}

static int by_bytes(const void *a, const void *b)
{
    const line *x = a, *y = b;
    int order = memcmp(x->p, y->p, x->bytes < y->bytes ? x->bytes : y->bytes);
    order = order != 0 ? order : (x->bytes > y->bytes) - (x->bytes < y->bytes);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

static uint64_t no_key(void *context, uint64_t stage, const void *record, size_t bytes,
                       uint64_t *next)
{
    (void)context;
    (void)stage;
    *next = UPSWEEP_EXTERNAL_COMPARE;
    return bytes > 0 ? *(const unsigned char *)record : 0;
}

static int compare(void *context, const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
    (void)context;
    int order = memcmp(a, b, a_bytes < b_bytes ? a_bytes : b_bytes);
    return order != 0 ? order : (a_bytes > b_bytes) - (a_bytes < b_bytes);
}

static upsweep_external *open_sort(const upsweep_external_config *config, const input *in)
{
    upsweep_external *x;
    assert_int_equal(upsweep_external_open(&x, config), UPSWEEP_OK);
    push_pieces(x, in->bytes, in->size);
    assert_string_equal(upsweep_external_error(x), "");
    upsweep_status status = upsweep_external_sort(x);
    assert_string_equal(upsweep_external_error(x), "");
    assert_int_equal(status, UPSWEEP_OK);
    assert_true(report_of(x).runs > 1);
    return x;
}

static void write_all(upsweep_external *x, const unsigned char *want, size_t size)
{
    FILE *f = tmpfile();
    assert_int_equal(upsweep_external_write(x, fileno(f), NULL), UPSWEEP_OK);
    unsigned char *got = malloc(size + 1);
    assert_int_equal(pread(fileno(f), got, size + 1, 0), (ssize_t)size);
    assert_memory_equal(got, want, size);
    free(got);
    fclose(f);
}

/* Pulled, and written where the place of a range is known and where it is not. */
static void check(upsweep_external_config config, const input *in)
{
    unsigned char *want = malloc(in->size);
    qsort(in->lines, in->count, sizeof *in->lines, by_bytes);
    for (unsigned unique = 0; unique < 2; unique++) {
        size_t size = 0;
        for (size_t i = 0; i < in->count; i++) {
            const line *l = &in->lines[i];
            bool again = i > 0 && l->bytes == l[-1].bytes && memcmp(l->p, l[-1].p, l->bytes) == 0;
            if (!unique || !again) {
                memcpy(want + size, l->p, l->bytes + 1);
                size += l->bytes + 1;
            }
        }
        config.unique = unique;
        upsweep_external *x = open_sort(&config, in);
        write_all(x, want, size);
        upsweep_external_close(x);
        x = open_sort(&config, in);
        pull_all(x, want, size);
        upsweep_external_close(x);
    }
    free(want);
}

static void test_a_tenth(void **s)
{
    (void)s;
    static const size_t limits[] = {4 << 20, 10 << 20, 21 << 20, 48 << 20};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        upsweep_external_config config = UPSWEEP_EXTERNAL_CONFIG_INIT;
        config.limit = limits[i];
        config.end = '\n';
        config.threads = i == 2 ? 2 : 1;
        input in = make(limits[i], limits[i] / 10);
        check(config, &in);
        config.key = no_key;
        config.compare = compare;
        check(config, &in);
        free(in.lines);
        free(in.bytes);
    }
}

/* So many threads that each has less memory than a line. */
static void test_many_threads(void **s)
{
    (void)s;
    upsweep_external_config config = UPSWEEP_EXTERNAL_CONFIG_INIT;
    config.limit = 96 << 20;
    config.end = '\n';
    config.threads = 12;
    input in = make(40 << 20, config.limit / 10);
    check(config, &in);
    free(in.lines);
    free(in.bytes);
}

/* Wherever it stands: the report says at which byte it begins. */
static void test_too_long(void **s)
{
    (void)s;
    for (unsigned threads = 1; threads <= 2; threads++) {
        upsweep_external_config config = UPSWEEP_EXTERNAL_CONFIG_INIT;
        config.limit = 21 << 20;
        config.end = '\n';
        config.threads = threads;
        for (size_t before = 0; before < 24 << 20; before += 5 << 20) {
            size_t longest = config.limit / 5, size = before + longest + (24 << 20);
            unsigned char *bytes = malloc(size);
            for (size_t i = 0; i < size; i++) {
                bool within = i >= before && i < before + longest;
                bytes[i] = within || i % 64 != 63 ? (unsigned char)('a' + any(20)) : '\n';
            }
            upsweep_external *x;
            assert_int_equal(upsweep_external_open(&x, &config), UPSWEEP_OK);
            upsweep_status status = UPSWEEP_OK;
            for (size_t at = 0; at < size && status == UPSWEEP_OK; at += 64 << 10) {
                size_t step = size - at < 64 << 10 ? size - at : 64 << 10;
                status = upsweep_external_push(x, bytes + at, step);
            }
            status = status == UPSWEEP_OK ? upsweep_external_sort(x) : status;
            assert_int_equal(status, UPSWEEP_ERROR_RANGE);
            assert_int_equal(report_of(x).refused_at, before);
            upsweep_external_close(x);
            free(bytes);
        }
    }
}

/* Records of one size, larger than what a slot of each thread would have. */
static void test_large_records(void **s)
{
    (void)s;
    enum { SIZE = 6800000, COUNT = 20 };
    upsweep_field field = {.offset = 0, .bytes = 4};
    upsweep_external_config config = UPSWEEP_EXTERNAL_CONFIG_INIT;
    config.limit = 132 << 20;
    config.record_bytes = SIZE;
    config.fields = &field;
    config.field_count = 1;
    config.threads = 16;
    upsweep_external *x;
    assert_int_equal(upsweep_external_open(&x, &config), UPSWEEP_OK);
    unsigned char *record = malloc(SIZE);
    for (unsigned i = 0; i < COUNT; i++) {
        memset(record, (int)(i * 7 % COUNT), SIZE);
        assert_int_equal(upsweep_external_push(x, record, SIZE), UPSWEEP_OK);
    }
    free(record);
    assert_int_equal(upsweep_external_sort(x), UPSWEEP_OK);
    unsigned next = 0;
    const void *records;
    size_t bytes;
    do {
        assert_int_equal(upsweep_external_pull(x, &records, &bytes), UPSWEEP_OK);
        const unsigned char *p = records;
        assert_int_equal(bytes % SIZE, 0);
        for (size_t at = 0; at < bytes; at += SIZE, next++) {
            assert_int_equal(p[at], next);
            assert_memory_equal(p + at, p + at + 1, SIZE - 1);
        }
    } while (bytes > 0);
    assert_int_equal(next, COUNT);
    upsweep_external_close(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_tenth),
        cmocka_unit_test(test_many_threads),
        cmocka_unit_test(test_too_long),
        cmocka_unit_test(test_large_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
