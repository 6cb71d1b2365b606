/* test_external.c - sorts beyond memory through the public calls: lines, records, elements and an
 * order of the caller's, under limits that make many runs and several merges, against qsort_r. */
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
#include "test/shared/handles.h"

enum { LIMIT = 4 << 20, MOST = 8 << 20 };

typedef struct text {
    unsigned char *bytes;
    size_t size;
} text;

/* Lines of several lengths with few letters, so that many begin alike and some are equal. */
static text make_lines(size_t size, size_t longest, bool shared)
{
    text t = {malloc(size + longest + 200), 0};
    while (t.size < size) {
        size_t n = any(4) == 0 ? any(longest + 1) : any(12);
        if (shared) {
            memcpy(t.bytes + t.size, "https://example.org/", 20);
            t.size += 20;
        }
        for (size_t i = 0; i < n; i++) {
            t.bytes[t.size++] = any(50) == 0 ? (unsigned char)(any(2) * 255) : 'a' + (int)any(3);
        }
        t.bytes[t.size++] = '\n';
    }
    return t;
}

static int by_bytes(const void *a, const void *b, void *context)
{
    const line *x = a, *y = b;
    const bool *down = context;
    size_t n = x->bytes < y->bytes ? x->bytes : y->bytes;
    int order = memcmp(x->p, y->p, n);
    order = order != 0 ? order : (x->bytes > y->bytes) - (x->bytes < y->bytes);
    order = *down ? -order : order;
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

/* By their second byte only, so that most lines are equal and must keep their order. */
static int second(const line *x)
{
    return x->bytes > 1 ? x->p[1] : -1;
}
static int by_second(const void *a, const void *b, void *context)
{
    const line *x = a, *y = b;
    (void)context;
    int order = (second(x) > second(y)) - (second(x) < second(y));
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

static uint64_t second_key(void *context, uint64_t stage, const void *record, size_t bytes,
                           uint64_t *next)
{
    line x = {record, bytes, 0};
    int *compared = context;
    *next = *compared > 0 ? UPSWEEP_EXTERNAL_COMPARE : stage == 0 ? 7 : UPSWEEP_EXTERNAL_EQUAL;
    return stage == 0 && *compared == 0 ? (uint64_t)(second(&x) + 1) / 4
                                        : (uint64_t)(second(&x) + 1) / (*compared > 0 ? 8 : 1);
}

static int second_compare(void *context, const void *a, size_t a_bytes, const void *b,
                          size_t b_bytes)
{
    line x = {a, a_bytes, 0}, y = {b, b_bytes, 0};
    (void)context;
    return (second(&x) > second(&y)) - (second(&x) < second(&y));
}

typedef int (*compare_lines)(const void *, const void *, void *);

/* What must come out: sorted whole by the C library. */
static text expect_lines(text in, size_t fixed, compare_lines by, bool unique, bool down)
{
    size_t n = 0, room = in.size + 1;
    line *lines = malloc((fixed != 0 ? in.size / fixed + 1 : room) * sizeof *lines);
    for (size_t at = 0; at < in.size;) {
        const unsigned char *p = in.bytes + at;
        const unsigned char *end = memchr(p, '\n', in.size - at);
        size_t bytes = fixed != 0 ? fixed : (size_t)(end - p);
        lines[n] = (line){p, bytes, n};
        n++;
        at += bytes + (fixed == 0);
    }
    qsort_r(lines, n, sizeof *lines, by, &down);
    text out = {malloc(in.size + 1), 0};
    for (size_t i = 0; i < n; i++) {
        line kept = lines[i];
        if (unique && i > 0) { /* as if it came at the same place as the one before it */
            line before = lines[i - 1];
            kept.number = before.number = 0;
            if (by(&kept, &before, &down) == 0) {
                continue;
            }
        }
        memcpy(out.bytes + out.size, lines[i].p, kept.bytes + (fixed == 0));
        out.size += kept.bytes + (fixed == 0);
    }
    free(lines);
    return out;
}

static upsweep_external *open_sort(upsweep_external_config config, text in)
{
    upsweep_external *x;
    config.directories = NULL;
    assert_int_equal(upsweep_external_open(&x, &config), UPSWEEP_OK);
    push_pieces(x, in.bytes, in.size);
    assert_int_equal(upsweep_external_sort(x), UPSWEEP_OK);
    return x;
}

/* Pulls, writes to a file, and to a pipe's like; returns the runs of the sort. */
static uint64_t check(upsweep_external_config config, text in, text want)
{
    upsweep_external *x = open_sort(config, in);
    pull_all(x, want.bytes, want.size);
    upsweep_external_close(x);

    x = open_sort(config, in);
    FILE *f = tmpfile();
    int number = -1;
    assert_int_equal(write(fileno(f), "head", 4), 4);
    assert_int_equal(upsweep_external_write(x, fileno(f), &number), UPSWEEP_OK);
    assert_int_equal(number, 0);
    assert_int_equal(lseek(fileno(f), 0, SEEK_CUR), (off_t)want.size + 4);
    unsigned char *got = malloc(want.size + 5);
    assert_int_equal(pread(fileno(f), got, want.size + 5, 0), (ssize_t)want.size + 4);
    assert_memory_equal(got + 4, want.bytes, want.size);
    uint64_t runs = report_of(x).runs;
    upsweep_external_close(x);
    free(got);
    fclose(f);
    return runs;
}

static upsweep_external_config of_lines(void)
{
    upsweep_external_config config = UPSWEEP_EXTERNAL_CONFIG_INIT;
    config.limit = LIMIT;
    config.end = '\n';
    return config;
}

static void check_lines(size_t size, size_t longest, bool shared, size_t limit, bool many)
{
    text in = make_lines(size, longest, shared);
    static unsigned turn;
    turn++;
    for (unsigned mode = 0; mode < 4; mode++) {
        /* Of long texts two modes in turn: all, from the end; or those that are unique, and not. */
        if (size > 1 << 20 && !test_thorough() && (mode == 0 || mode == 3) != (turn % 2 == 0)) {
            continue;
        }
        upsweep_external_config config = of_lines();
        config.limit = limit;
        config.unique = mode & 1;
        config.flags = mode & 2 ? UPSWEEP_DESCENDING : 0;
        config.threads = 1 + (unsigned)any(4);
        text want = expect_lines(in, 0, by_bytes, mode & 1, mode & 2);
        uint64_t runs = check(config, in, want);
        assert_true(many ? runs > 1 : runs < 4);
        free(want.bytes);
    }
    free(in.bytes);
}

static void test_lines(void **s)
{
    (void)s;
    check_lines(0, 10, false, LIMIT, false);
    check_lines(1, 0, false, LIMIT, false);
    check_lines(100000, 50, false, LIMIT, false);
    check_lines(7 << 20, 60, false, LIMIT, true);
    check_lines(6 << 20, 60, true, LIMIT, true);
    check_lines(12 << 20, 100, false, 14 << 20, true);
    check_lines(3 << 20, 0, false, LIMIT, true); /* mostly empty lines */
    check_lines(8 << 20, 200000, false, LIMIT, true);
}

/* So many runs that neighbours must be merged before. */
static void test_passes(void **s)
{
    (void)s;
    text in = make_lines(40 << 20, 80, false), want = expect_lines(in, 0, by_bytes, false, false);
    upsweep_external_config config = of_lines();
    upsweep_external *x = open_sort(config, in);
    FILE *f = tmpfile();
    assert_int_equal(upsweep_external_write(x, fileno(f), NULL), UPSWEEP_OK);
    upsweep_external_report r = report_of(x);
    assert_true(r.merges > 0);
    assert_true(r.temporary <= in.size + in.size / 20 + LIMIT);
    unsigned char *got = malloc(want.size);
    assert_int_equal(pread(fileno(f), got, want.size, 0), (ssize_t)want.size);
    assert_memory_equal(got, want.bytes, want.size);
    upsweep_external_close(x);
    fclose(f);
    free(got);
    free(in.bytes);
    free(want.bytes);
}

static void test_own_order(void **s)
{
    (void)s;
    text in = make_lines(8 << 20, 40, false);
    for (int mode = 0; mode < 4; mode++) {
        int compared = mode & 1;
        upsweep_external_config config = of_lines();
        config.key = second_key;
        config.compare = second_compare;
        config.context = &compared;
        config.unique = mode >> 1 & 1;
        text want = expect_lines(in, 0, by_second, config.unique, false);
        assert_true(check(config, in, want) > 2);
        free(want.bytes);
    }
    free(in.bytes);
}

enum { RECORD = 20 };
static int by_record(const void *a, const void *b, void *context)
{
    const line *x = a, *y = b;
    (void)context;
    int order = memcmp(x->p + 3, y->p + 3, 10);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

static void test_records(void **s)
{
    (void)s;
    text in = {malloc(MOST), MOST / RECORD * RECORD};
    for (size_t i = 0; i < in.size; i++) {
        in.bytes[i] = (unsigned char)any(i % RECORD < 11 ? 2 : 256);
    }
    upsweep_field field = {.offset = 3, .bytes = 10};
    for (size_t unique = 0; unique < 2; unique++) {
        upsweep_external_config config = UPSWEEP_EXTERNAL_CONFIG_INIT;
        config.limit = LIMIT;
        config.record_bytes = RECORD;
        config.fields = &field;
        config.field_count = 1;
        config.unique = unique;
        text want = expect_lines(in, RECORD, by_record, unique, false);
        assert_true(check(config, in, want) > 2);
        free(want.bytes);
    }
    free(in.bytes);
}

/* Elements of every type against upsweep_sort. */
static void test_elements(void **s)
{
    (void)s;
    upsweep *u;
    assert_int_equal(upsweep_open(&u, "cpu", NULL), UPSWEEP_OK);
    for (int type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        text in = {malloc(MOST), MOST}, want = {malloc(MOST), MOST};
        for (size_t i = 0; i < MOST; i += 8) {
            uint64_t word = any(UINT64_MAX);
            memcpy(in.bytes + i, &word, 8);
        }
        memcpy(want.bytes, in.bytes, MOST);
        size_t n = MOST / upsweep_type_bytes((upsweep_type)type);
        upsweep_options options = UPSWEEP_OPTIONS_INIT;
        upsweep_external_config config = UPSWEEP_EXTERNAL_CONFIG_INIT;
        options.flags = config.flags = type % 2 ? UPSWEEP_DESCENDING : 0;
        config.limit = LIMIT;
        config.type = (upsweep_type)type;
        assert_int_equal(upsweep_sort(u, want.bytes, n, (upsweep_type)type, &options), UPSWEEP_OK);
        assert_true(check(config, in, want) > 2);
        free(in.bytes);
        free(want.bytes);
    }
    upsweep_close(u);
}

/* Many runs under limits that leave a merge just room enough: the first blocks of all runs fit. */
static void test_rooms(void **s)
{
    (void)s;
    enum { BYTES = 48 << 20 };
    upsweep *u;
    assert_int_equal(upsweep_open(&u, "cpu", NULL), UPSWEEP_OK);
    text in = {malloc(BYTES), BYTES}, want = {malloc(BYTES), BYTES};
    for (size_t i = 0; i < BYTES; i += 8) {
        uint64_t word = any(UINT64_MAX);
        memcpy(in.bytes + i, &word, 8);
    }
    memcpy(want.bytes, in.bytes, BYTES);
    assert_int_equal(upsweep_sort(u, want.bytes, BYTES / 4, UPSWEEP_U32, NULL), UPSWEEP_OK);
    upsweep_external_config config = UPSWEEP_EXTERNAL_CONFIG_INIT;
    config.type = UPSWEEP_U32;
    for (size_t limit = LIMIT; limit < 2 * LIMIT;
         limit += test_thorough() ? LIMIT / 6 : LIMIT / 3) {
        config.limit = limit;
        assert_true(check(config, in, want) > 2);
    }
    free(in.bytes);
    free(want.bytes);
    upsweep_close(u);
}

/* What lies in order, or the wrong way round, or is the same again and again. */
static void test_patterns(void **s)
{
    (void)s;
    for (int pattern = 0; pattern < 3; pattern++) {
        text in = {malloc(MOST + 64), 0};
        for (size_t i = 0; in.size < MOST; i++) {
            size_t number = pattern == 0 ? i : pattern == 1 ? 9999999 - i : i % 7;
            in.size += (size_t)sprintf((char *)in.bytes + in.size, "%09zu,%zu\n", number, i % 3);
        }
        text want = expect_lines(in, 0, by_bytes, false, false);
        assert_true(check(of_lines(), in, want) > 2);
        free(in.bytes);
        free(want.bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),     cmocka_unit_test(test_passes),
        cmocka_unit_test(test_own_order), cmocka_unit_test(test_records),
        cmocka_unit_test(test_elements),  cmocka_unit_test(test_rooms),
        cmocka_unit_test(test_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
