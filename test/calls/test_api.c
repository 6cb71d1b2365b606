/* test_api.c - the rules of the public header apart from arrays: handles, config, reports, names,
 * and the table of algorithms. */
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

#include "upsweep.h"

/* A sentence: a few words, no line break, begins with no blank, ends with no blank. */
static bool is_sentence(const char *text)
{
    size_t n = strlen(text);
    return n > 10 && strchr(text, ' ') != NULL && strchr(text, '\n') == NULL && text[0] != ' ' &&
           text[n - 1] != ' ' && n < 255;
}

/* A NULL handle is an argument error for every call, and never a crash. */
static void test_null_handle(void **state)
{
    (void)state;
    uint32_t a[3] = {3, 2, 1};
    uint64_t sum;
    assert_int_equal(upsweep_sort(NULL, a, 3, UPSWEEP_U32, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_reduce(NULL, a, 3, UPSWEEP_U32, UPSWEEP_SUM, &sum, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_true(is_sentence(upsweep_error(NULL)));
    upsweep_report report = UPSWEEP_REPORT_INIT;
    upsweep_last_report(NULL, &report);
    assert_string_equal(report.algorithm, "");
    upsweep_trim(NULL);
    upsweep_close(NULL);
    upsweep_describe_machine(NULL);
}

static void *some_memory(void *context, size_t bytes, size_t alignment)
{
    (void)context;
    (void)bytes;
    (void)alignment;
    return NULL;
}

static void test_open(void **state)
{
    (void)state;
    upsweep *other = NULL;
    const char *why = NULL;
    assert_int_equal(upsweep_open(NULL, NULL, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_open_why(NULL, NULL, NULL, &why), UPSWEEP_ERROR_ARGUMENT);
    assert_true(is_sentence(why));
    assert_int_equal(upsweep_open_why(&other, "quantum", NULL, &why), UPSWEEP_ERROR_DEVICE);
    assert_null(other);
    assert_true(is_sentence(why));
    upsweep_config config = {.size = sizeof config - 1};
    assert_int_equal(upsweep_open_why(&other, NULL, &config, &why), UPSWEEP_ERROR_ARGUMENT);
    config = (upsweep_config){.allocate = some_memory};
    assert_int_equal(upsweep_open_why(&other, NULL, &config, &why), UPSWEEP_ERROR_ARGUMENT);
    assert_true(is_sentence(why));
    config = (upsweep_config){.size = sizeof config, .threads = 3};
    for (int i = 0; i < 3; i++) {
        static const char *const devices[] = {NULL, "auto", "cpu"};
        upsweep_report report = UPSWEEP_REPORT_INIT;
        assert_int_equal(upsweep_open_why(&other, devices[i], &config, &why), UPSWEEP_OK);
        assert_string_equal(why, "");
        assert_string_equal(upsweep_error(other), "");
        upsweep_last_report(other, &report);
        assert_int_equal(report.threads, 3);
        upsweep_close(other);
    }
    /* A machine may have a GPU; then the handle opens. Without one there is a reason. */
    if (upsweep_open_why(&other, "cuda", NULL, &why) == UPSWEEP_ERROR_DEVICE) {
        assert_true(is_sentence(why));
    }
    upsweep_close(other);
}

static void test_report(void **state)
{
    (void)state;
    enum { N = 600000 }; /* so many that threads always share them */
    static uint32_t keys[N];
    upsweep_report report = UPSWEEP_REPORT_INIT;
    for (uint32_t i = 0; i < N; i++) {
        keys[i] = i * 2654435761u;
    }
    upsweep_config config = {.threads = 2};
    upsweep *u;
    assert_int_equal(upsweep_open(&u, NULL, &config), UPSWEEP_OK);
    upsweep_last_report(u, NULL);
    assert_int_equal(upsweep_sort(u, keys, N, UPSWEEP_U32, NULL), UPSWEEP_OK);
    upsweep_last_report(u, &report);
    assert_int_equal(strncmp(report.algorithm, "sort/", 5), 0);
    assert_true(strlen(report.reason) > 5);
    assert_string_equal(report.device, "cpu");
    assert_int_equal(report.threads, 2);
    assert_true(strcmp(report.isa, "avx512") == 0 || strcmp(report.isa, "avx2") == 0 ||
                strcmp(report.isa, "portable") == 0);
    upsweep_close(u);
}

/* Each call of a sort names the method that ran, in words where no row did it. */
static void test_method_names(void **state)
{
    (void)state;
    enum { N = 3000 };
    static uint64_t keys[N], values[N];
    static uint32_t index[N];
    upsweep_report r = UPSWEEP_REPORT_INIT;
    upsweep_field field = {.type = UPSWEEP_U64};
    upsweep *u;
    assert_int_equal(upsweep_open(&u, "cpu", NULL), UPSWEEP_OK);
    for (uint32_t i = 0; i < N; i++) {
        keys[i] = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    }
    assert_int_equal(upsweep_argsort(u, keys, N, UPSWEEP_U64, index, 32, NULL), UPSWEEP_OK);
    upsweep_last_report(u, &r);
    assert_string_equal(r.algorithm, "buckets and tags");
    assert_non_null(strstr(r.reason, "3000 keys of 64 bits, 24.0 KB, carry values"));
    assert_int_equal(upsweep_sort_rows(u, keys, N, UPSWEEP_U64, NULL, 3, NULL, 0, NULL),
                     UPSWEEP_OK);
    upsweep_last_report(u, &r);
    assert_string_equal(r.algorithm, "sort/quick");
    assert_int_equal(upsweep_sort_records(u, keys, N, 8, &field, 1, NULL), UPSWEEP_OK);
    upsweep_last_report(u, &r);
    assert_string_equal(r.algorithm, "buckets and tags");
    assert_int_equal(upsweep_sort_records(u, keys, 50, 8, &field, 1, NULL), UPSWEEP_OK);
    upsweep_last_report(u, &r);
    assert_string_equal(r.algorithm, "merge sort");
    assert_int_equal(upsweep_sort_pairs(u, keys, values, N, UPSWEEP_U64, 8, NULL), UPSWEEP_OK);
    upsweep_last_report(u, &r);
    assert_string_equal(r.algorithm, "in order");
    upsweep_options o = {.flags = UPSWEEP_DESCENDING};
    assert_int_equal(upsweep_sort(u, keys, N, UPSWEEP_U64, &o), UPSWEEP_OK);
    upsweep_last_report(u, &r);
    assert_string_equal(r.algorithm, "reversed");
    o = (upsweep_options){.bit_begin = 3, .bit_end = 9};
    assert_int_equal(upsweep_sort(u, keys, N, UPSWEEP_U64, &o), UPSWEEP_OK);
    upsweep_last_report(u, &r);
    assert_string_equal(r.algorithm, "sort/radix");
    assert_non_null(strstr(r.reason, "bits [3, 9) of 64"));
    assert_int_equal(upsweep_explain_choice(u, 1 << 21, UPSWEEP_U8, NULL, &r), UPSWEEP_OK);
    assert_string_equal(r.algorithm, "values counted");
    upsweep_close(u);
}

static void test_names(void **state)
{
    (void)state;
    for (int s = UPSWEEP_OK; s <= UPSWEEP_STOPPED; s++) {
        const char *name = upsweep_status_name((upsweep_status)s);
        assert_true(name[0] != '\0' && strcmp(name, "unknown status") != 0);
    }
    assert_non_null(upsweep_status_name((upsweep_status)-5));
    assert_non_null(upsweep_status_name((upsweep_status)12345));
    for (int t = -3; t < 40; t++) {
        const char *name = upsweep_type_name((upsweep_type)t);
        size_t bytes = upsweep_type_bytes((upsweep_type)t);
        bool real = t >= UPSWEEP_U8 && t <= UPSWEEP_F64;
        assert_int_equal(name != NULL, real);
        assert_int_equal(bytes != 0, real);
        if (real) {
            assert_int_equal(upsweep_type_from_name(name), t);
            assert_int_equal(atoi(name + (name[0] == 'b' ? 2 : 1)), bytes * 8);
        }
    }
    assert_int_equal(upsweep_type_from_name("u33"), 0);
    assert_int_equal(upsweep_type_from_name(""), 0);
    assert_int_equal(upsweep_type_from_name(NULL), 0);
    assert_string_equal(upsweep_version(), UPSWEEP_VERSION_TEXT);
    assert_int_equal(upsweep_version_number(), UPSWEEP_VERSION);
    char text[32];
    unsigned number = upsweep_version_number();
    snprintf(text, sizeof text, "%u.%u.%u", number / 10000, number / 100 % 100, number % 100);
    assert_string_equal(upsweep_version(), text);
    upsweep_machine machine = UPSWEEP_MACHINE_INIT;
    upsweep_describe_machine(&machine);
    assert_true(machine.cores >= 1 && machine.memory_bytes > 0);
    assert_true(is_sentence(machine.gpu) || machine.gpus > 0);
}

static void test_registry(void **state)
{
    (void)state;
    size_t n = upsweep_algorithm_count();
    assert_true(n > 0);
    assert_null(upsweep_algorithm_at(n));
    assert_null(upsweep_algorithm_at(SIZE_MAX));
    assert_null(upsweep_find(NULL));
    assert_null(upsweep_find("no/such"));
    assert_int_equal(upsweep_forms(NULL), 0);
    assert_int_equal(upsweep_rounds(NULL, 5), 0);
    assert_int_equal(upsweep_work(NULL, 5), 0);
    for (size_t i = 0; i < n; i++) {
        const upsweep_algorithm *x = upsweep_algorithm_at(i);
        assert_ptr_equal(upsweep_find(x->name), x);
        size_t length = strlen(x->operation);
        assert_memory_equal(x->name, x->operation, length);
        assert_int_equal(x->name[length], '/');
        const char *const texts[] = {x->title,  x->idea,  x->work,    x->depth,
                                     x->source, x->input, x->example, x->text};
        for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
            assert_non_null(texts[t]);
            assert_true(texts[t][0] != '\0');
        }
        assert_true(upsweep_forms(x) & UPSWEEP_FORM_EXPLAINED);
        assert_true(strlen(x->text) > 300);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_null_handle), cmocka_unit_test(test_open),
        cmocka_unit_test(test_report),      cmocka_unit_test(test_method_names),
        cmocka_unit_test(test_names),       cmocka_unit_test(test_registry),
    };
    return cmocka_run_group_tests_name("api", tests, NULL, NULL);
}
