/* test_records.c - upsweep_sort_records against a serial oracle that compares field by field:
 * fields of all types at odd offsets, texts, records of 1 to 200 bytes, long keys with many ties,
 * threads 1 to 8, and little scratch. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "test/shared/inputs.h"
#include "test/shared/oracle.h"
#include "upsweep.h"

static uint64_t random_state = 7;

static uint64_t random_next(void)
{
    return input_random(&random_state);
}

static upsweep *open_with(unsigned threads, size_t scratch_limit)
{
    upsweep_config c = {.size = sizeof c, .threads = threads, .scratch_limit = scratch_limit};
    upsweep *u;
    assert_int_equal(upsweep_open(&u, "cpu", &c), UPSWEEP_OK);
    return u;
}

enum { FIELDS_MAX = 20, GUARD = 64 };

typedef struct scene {
    upsweep_field fields[FIELDS_MAX];
    size_t field_count, record_bytes, n;
    unsigned flags; /* of the call */
    unsigned char *records, *before;
} scene;

static int order_of_records(size_t a, size_t b, const void *context)
{
    const scene *s = context;
    const unsigned char *x = s->before + a * s->record_bytes, *y = s->before + b * s->record_bytes;
    for (size_t i = 0; i < s->field_count; i++) {
        const upsweep_field *f = &s->fields[i];
        unsigned flags = (f->flags | s->flags) & ~(unsigned)UPSWEEP_DESCENDING;
        unsigned down = (f->flags ^ s->flags) & UPSWEEP_DESCENDING;
        int order;
        if (f->bytes != 0) {
            order = memcmp(x + f->offset, y + f->offset, f->bytes);
            order = down ? -order : order;
        } else {
            order = oracle_order(f->type, flags | down, x + f->offset, y + f->offset);
        }
        if (order != 0) {
            return order;
        }
    }
    return 0;
}

/* Bytes of few different values, so that fields tie, with some floats that are NaN or zero. */
static void fill(scene *s, unsigned variety)
{
    unsigned char *all = malloc(s->n * s->record_bytes + 2 * GUARD);
    memset(all, 0xC3, s->n * s->record_bytes + 2 * GUARD);
    s->records = all + GUARD;
    s->before = malloc(s->n * s->record_bytes + 1);
    for (size_t i = 0; i < s->n * s->record_bytes; i++) {
        static const unsigned char values[] = {0, 0xff, 0x80, 0x7f, 1, 0x7c, 'a', 'b'};
        uint64_t r = random_next();
        s->records[i] =
            r % 256 < variety ? (unsigned char)(r >> 8) : values[(r >> 8) % 8 % (variety + 1)];
    }
    memcpy(s->before, s->records, s->n * s->record_bytes);
}

static void check(upsweep *u, scene *s)
{
    upsweep_options o = {.size = sizeof o, .flags = s->flags};
    size_t total = s->n * s->record_bytes, *index = malloc((s->n + 1) * sizeof *index);
    unsigned char *before = s->before;
    assert_int_equal(
        upsweep_sort_records(u, s->records, s->n, s->record_bytes, s->fields, s->field_count, &o),
        UPSWEEP_OK);
    oracle_argsort_by(s->n, index, order_of_records, s);
    for (size_t i = 0; i < s->n; i++) {
        assert_memory_equal(s->records + i * s->record_bytes, before + index[i] * s->record_bytes,
                            s->record_bytes);
    }
    for (size_t i = 0; i < GUARD; i++) {
        assert_int_equal(s->records[total + i], 0xC3);
        assert_int_equal((s->records - GUARD)[i], 0xC3);
    }
    free(index);
    free(s->records - GUARD);
    free(s->before);
}

static upsweep_field random_field(size_t record_bytes)
{
    for (;;) {
        upsweep_field f = {0};
        f.flags = (unsigned)random_next() & (UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST);
        f.flags |= random_next() % 4 == 0 ? UPSWEEP_NAN_RAW : 0;
        f.type = (upsweep_type)(1 + random_next() % 12);
        f.bytes = random_next() % 3 == 0 ? 1 + random_next() % 30 : 0;
        size_t bytes = f.bytes != 0 ? f.bytes : upsweep_type_bytes(f.type);
        if (bytes <= record_bytes) {
            f.offset = random_next() % (record_bytes - bytes + 1);
            return f;
        }
    }
}

static scene random_scene(size_t n, size_t record_bytes, size_t fields)
{
    scene s = {.field_count = fields, .record_bytes = record_bytes, .n = n};
    for (size_t i = 0; i < fields; i++) {
        s.fields[i] = random_field(record_bytes);
    }
    s.flags = random_next() % 3 == 0 ? UPSWEEP_DESCENDING : 0;
    fill(&s, (unsigned)(random_next() % 3 * random_next() % 257));
    return s;
}

static void test_any_fields(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 99, 100, 101, 700};
    upsweep *u = open_with(2, 0);
    for (size_t record_bytes = 1; record_bytes <= 200; record_bytes++) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            scene s = random_scene(counts[c], record_bytes, random_next() % 5);
            check(u, &s);
        }
    }
    scene many = random_scene(500, 64, FIELDS_MAX);
    check(u, &many);
    upsweep_close(u);
}

static void test_every_type(void **state)
{
    (void)state;
    upsweep *u = open_with(2, 0);
    for (unsigned type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        for (unsigned flags = 0; flags < 8; flags++) { /* of the field */
            scene s = {.field_count = 1, .record_bytes = 13, .n = 3000};
            s.fields[0] = (upsweep_field){.offset = 3, .type = (upsweep_type)type, .flags = flags};
            s.flags = type % 2 ? UPSWEEP_DESCENDING : 0;
            fill(&s, flags % 2 ? 5 : 256);
            check(u, &s);
        }
    }
    upsweep_close(u);
}

static void test_threads(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 8; threads++) {
        upsweep *u = open_with(threads, 0);
        for (size_t i = 0; i < 6; i++) {
            scene s = random_scene(40000, 1 + random_next() % 60, 1 + i % 3);
            check(u, &s);
        }
        upsweep_close(u);
    }
}

/* Texts that agree in their first 40 bytes but for a few records: long runs of ties at every chunk.
 */
static void test_long_ties(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++) {
        upsweep *u = open_with(threads, 0);
        for (unsigned down = 0; down < 2; down++) {
            scene s = {.field_count = 1, .record_bytes = 59, .n = 180000};
            s.fields[0] = (upsweep_field){.offset = 5, .bytes = 50, .flags = down};
            fill(&s, 1);
            for (size_t i = 0; i < s.n; i++) {
                unsigned char *text = s.before + i * 59 + 5;
                memset(text, 'x', 50);
                uint64_t r = random_next();
                if (r % 8 == 0) {
                    text[(r >> 8) % 50] = (unsigned char)(r >> 20);
                }
                text[45] = (unsigned char)(r >> 30 & 3);
            }
            memcpy(s.records, s.before, s.n * 59);
            check(u, &s);
        }
        upsweep_close(u);
    }
}

static void test_little_scratch(void **state)
{
    (void)state;
    for (size_t limit = 1; limit < 3000000; limit = limit * 3 + 50) {
        upsweep *u = open_with(2, limit);
        for (size_t i = 0; i < 4; i++) {
            scene s = random_scene(9000, 8 + 20 * i, 1 + i % 2);
            check(u, &s);
            upsweep_report r = UPSWEEP_REPORT_INIT;
            upsweep_last_report(u, &r);
            assert_true(r.scratch_bytes <= limit);
        }
        upsweep_close(u);
    }
}

static void test_in_place(void **state)
{
    (void)state;
    upsweep *u = open_with(2, 0);
    scene s = random_scene(100000, 40, 2);
    s.flags |= UPSWEEP_IN_PLACE;
    check(u, &s);
    upsweep_report r = UPSWEEP_REPORT_INIT;
    upsweep_last_report(u, &r);
    assert_true(r.scratch_bytes <= 2 << 20);
    upsweep_close(u);
}

static void test_arguments(void **state)
{
    (void)state;
    upsweep *u = open_with(2, 0);
    unsigned char a[2][12] = {{2}, {1}};
    const upsweep_field good = {.offset = 0, .type = UPSWEEP_U32};
    const upsweep_field bad[] = {
        {.offset = 9, .type = UPSWEEP_U32},
        {.offset = SIZE_MAX - 1, .type = UPSWEEP_U32},
        {.offset = 4, .type = UPSWEEP_U32, .bytes = 9},
        {.offset = 1, .bytes = SIZE_MAX},
        {.offset = 0, .type = (upsweep_type)99},
        {.offset = 0, .type = UPSWEEP_U32, .flags = UPSWEEP_EXCLUSIVE},
        {.offset = 13, .bytes = 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(upsweep_sort_records(u, a, 2, 12, &bad[i], 1, NULL),
                         UPSWEEP_ERROR_ARGUMENT);
    }
    upsweep_options none = {.size = sizeof none, .algorithm = "sort/none"};
    assert_int_equal(upsweep_sort_records(u, a, 2, 12, &good, 1, &none), UPSWEEP_ERROR_ALGORITHM);
    assert_int_equal(upsweep_sort_records(u, NULL, 2, 12, &good, 1, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_sort_records(u, a, 2, 0, &good, 1, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_sort_records(u, a, SIZE_MAX, 12, &good, 1, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_sort_records(u, a, 2, 12, NULL, 1, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(a[0][0], 2);
    assert_int_equal(upsweep_sort_records(u, NULL, 0, 12, &good, 1, NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_sort_records(u, a, 2, 12, NULL, 0, NULL), UPSWEEP_OK);
    assert_int_equal(a[0][0], 2);
    assert_int_equal(upsweep_sort_records(u, a, 2, 12, &good, 1, NULL), UPSWEEP_OK);
    assert_int_equal(a[0][0], 1);
    upsweep_close(u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_fields),     cmocka_unit_test(test_every_type),
        cmocka_unit_test(test_threads),        cmocka_unit_test(test_long_ties),
        cmocka_unit_test(test_little_scratch), cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
