/* test_external_calls.c - what sorts beyond memory refuse, how they fail, and whose memory they
 * take. */
/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "upsweep.h"

enum { LIMIT = 4 << 20, MOST = 8 << 20 };

typedef struct text {
    unsigned char *bytes;
    size_t size;
} text;

static text make_lines(void)
{
    text t = {malloc(MOST), MOST};
    uint32_t state = 1;
    for (size_t i = 0; i < MOST; i++) {
        state = state * 1664525 + 1013904223;
        t.bytes[i] = state >> 28 == 0 ? '\n' : (unsigned char)('a' + (state >> 24) % 20);
    }
    return t;
}

static upsweep_external_config of_lines(void)
{
    upsweep_external_config config = UPSWEEP_EXTERNAL_CONFIG_INIT;
    config.limit = LIMIT;
    config.end = '\n';
    return config;
}

static upsweep_external *open_sort(upsweep_external_config config, text in)
{
    upsweep_external *x;
    assert_int_equal(upsweep_external_open(&x, &config), UPSWEEP_OK);
    assert_int_equal(upsweep_external_push(x, in.bytes, in.size), UPSWEEP_OK);
    assert_int_equal(upsweep_external_sort(x), UPSWEEP_OK);
    return x;
}

static uint64_t no_key(void *context, uint64_t stage, const void *record, size_t bytes,
                       uint64_t *next)
{
    (void)context, (void)stage, (void)record;
    *next = UPSWEEP_EXTERNAL_EQUAL;
    return bytes;
}

/* ---- what is refused, and what fails ---- */

static int config_of_none;
static void test_refused(void **s)
{
    (void)s;
    upsweep_external *x = (upsweep_external *)&config_of_none;
    upsweep_external_config config = of_lines();
    assert_int_equal(upsweep_external_open(NULL, &config), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_external_open(&x, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_null(x);
    config.limit = LIMIT - 1;
    assert_int_equal(upsweep_external_open(&x, &config), UPSWEEP_ERROR_ARGUMENT);
    config = of_lines();
    config.end = 256;
    assert_int_equal(upsweep_external_open(&x, &config), UPSWEEP_ERROR_ARGUMENT);
    config = of_lines();
    config.key = no_key;
    assert_int_equal(upsweep_external_open(&x, &config), UPSWEEP_ERROR_ARGUMENT);
    config = of_lines();
    config.record_bytes = LIMIT;
    assert_int_equal(upsweep_external_open(&x, &config), UPSWEEP_ERROR_ARGUMENT);
    upsweep_field outside = {.offset = 5, .bytes = 6};
    config.record_bytes = 10;
    config.fields = &outside;
    config.field_count = 1;
    assert_int_equal(upsweep_external_open(&x, &config), UPSWEEP_ERROR_ARGUMENT);
    assert_string_equal(upsweep_external_error(NULL), "");
    upsweep_external_close(NULL);
}

static void test_order_of_calls(void **s)
{
    (void)s;
    upsweep_external_config config = UPSWEEP_EXTERNAL_CONFIG_INIT;
    upsweep_external *x;
    const void *records;
    size_t bytes;
    config.record_bytes = 8;
    assert_int_equal(upsweep_external_open(&x, &config), UPSWEEP_OK);
    assert_int_equal(upsweep_external_pull(x, &records, &bytes), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_external_push(x, "123456789", 9), UPSWEEP_OK);
    assert_int_equal(upsweep_external_sort(x), UPSWEEP_ERROR_ARGUMENT);
    assert_string_equal(upsweep_external_error(x),
                        "9 bytes are no whole number of records of 8 bytes");
    assert_int_equal(upsweep_external_push(x, "1", 1), UPSWEEP_ERROR_ARGUMENT);
    upsweep_external_close(x);
}

static uint64_t refused_at(upsweep_external *x)
{
    upsweep_external_report r = UPSWEEP_EXTERNAL_REPORT_INIT;
    assert_int_equal(upsweep_external_last_report(x, &r), UPSWEEP_OK);
    return r.refused_at;
}

static void test_too_long(void **s)
{
    (void)s;
    upsweep_external_config config = of_lines();
    upsweep_external *x;
    unsigned char *bytes = malloc(MOST);
    memset(bytes, 'a', MOST);
    bytes[1000] = '\n';
    assert_int_equal(upsweep_external_open(&x, &config), UPSWEEP_OK);
    assert_int_equal(upsweep_external_push(x, bytes, MOST), UPSWEEP_ERROR_RANGE);
    assert_int_equal(refused_at(x), 1001);
    assert_non_null(strstr(upsweep_external_error(x), "a record has more than the "));
    assert_int_equal(upsweep_external_sort(x), UPSWEEP_ERROR_RANGE);
    upsweep_external_close(x);
    free(bytes);
}

static void test_no_directory(void **s)
{
    (void)s;
    const char *const none[] = {"/nowhere/at/all"};
    upsweep_external_config config = of_lines();
    upsweep_external *x;
    text in = make_lines();
    config.directories = none;
    config.directory_count = 1;
    assert_int_equal(upsweep_external_open(&x, &config), UPSWEEP_OK);
    upsweep_status status = upsweep_external_push(x, in.bytes, in.size);
    status = status == UPSWEEP_OK ? upsweep_external_sort(x) : status;
    assert_int_equal(status, UPSWEEP_ERROR_FILE);
    assert_string_equal(upsweep_external_error(x),
                        "/nowhere/at/all: no temporary file can be made: "
                        "No such file or directory");
    upsweep_external_close(x);
    free(in.bytes);
}

static void test_full_output(void **s)
{
    (void)s;
    text in = make_lines();
    upsweep_external *x = open_sort(of_lines(), in);
    int number = 0, fd = open("/dev/full", O_WRONLY);
    assert_int_equal(upsweep_external_write(x, fd, &number), UPSWEEP_ERROR_FILE);
    assert_int_equal(number, ENOSPC);
    close(fd);
    upsweep_external_close(x);
    free(in.bytes);
}

typedef struct counted {
    size_t taken, calls;
} counted;
static void *count_allocate(void *context, size_t bytes, size_t alignment)
{
    counted *c = context;
    c->taken += bytes;
    c->calls++;
    return aligned_alloc(alignment, bytes);
}
static void count_release(void *context, void *p, size_t bytes)
{
    counted *c = context;
    c->taken -= bytes;
    free(p);
}

/* The caller's allocator is asked once, for less than the limit; closing early gives it back. */
static void test_allocator(void **s)
{
    (void)s;
    counted c = {0, 0};
    upsweep_external_config config = of_lines();
    config.allocate = count_allocate;
    config.release = count_release;
    config.allocate_context = &c;
    text in = make_lines();
    upsweep_external *x = open_sort(config, in);
    const void *records;
    size_t bytes;
    assert_int_equal(upsweep_external_pull(x, &records, &bytes), UPSWEEP_OK);
    assert_true(bytes > 0 && bytes < in.size);
    assert_int_equal(c.calls, 1);
    assert_true(c.taken > LIMIT / 2 && c.taken < LIMIT);
    upsweep_external_close(x);
    assert_int_equal(c.taken, 0);
    free(in.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),     cmocka_unit_test(test_order_of_calls),
        cmocka_unit_test(test_too_long),    cmocka_unit_test(test_no_directory),
        cmocka_unit_test(test_full_output), cmocka_unit_test(test_allocator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
