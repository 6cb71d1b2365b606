/* test_tuning.c - the numbers by which a sort chooses, the file they come from, and that whatever
 * they are the keys come out in order. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "upsweep.h"

static char file[64];

static void write_tuning(const char *text)
{
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static upsweep_tuning opened_with(const char *text)
{
    upsweep *u;
    upsweep_tuning t = UPSWEEP_TUNING_INIT;
    write_tuning(text);
    assert_int_equal(upsweep_open(&u, "cpu", NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_get_tuning(u, &t), UPSWEEP_OK);
    upsweep_close(u);
    return t;
}

static void from_the_file(void **state)
{
    (void)state;
    setenv("UPSWEEP_ISA", "portable", 1);
    upsweep_tuning plain = opened_with("");
    assert_int_equal(plain.measured, 0);
    upsweep_tuning t =
        opened_with("# a remark\nisa portable\nthread_bytes 77\ndigit_keys_64 never\n"
                    "scatter_bytes_32 1000000\n");
    assert_int_equal(t.measured, 1);
    assert_int_equal(t.thread_bytes, 77);
    assert_true(t.digit_keys[1] == SIZE_MAX);
    assert_int_equal(t.scatter_bytes[0], 1000000);
    assert_int_equal(t.scatter_bytes[1], plain.scatter_bytes[1]);
    assert_int_equal(t.digit_keys[0], plain.digit_keys[0]);
    static const char *const bad[] = {
        "thread_bytes 77\n",                        /* of no instruction set */
        "isa avx512\nthread_bytes 77\n",            /* of another */
        "isa portable\nthread_bytes 77 bytes\nx\n", /* a line of one word */
        "isa portable\nthread_bytes -1\n",
        "isa portable\nthread_bytes 7x\n",
        "isa portable\nthread_bites 77\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        t = opened_with(bad[i]);
        assert_int_equal(t.measured, 0);
        assert_int_equal(t.thread_bytes, plain.thread_bytes);
    }
    unsetenv("UPSWEEP_ISA");
}

static void where_the_file_is(void **state)
{
    (void)state;
    char path[128], brief[4];
    assert_int_equal(upsweep_tuning_path(path, sizeof path), strlen(file));
    assert_string_equal(path, file);
    assert_int_equal(upsweep_tuning_path(brief, sizeof brief), strlen(file));
    assert_int_equal(strlen(brief), 3);
    assert_int_equal(upsweep_tuning_path(NULL, 0), strlen(file));
    unsetenv("UPSWEEP_TUNING");
    setenv("XDG_CONFIG_HOME", "/c", 1);
    assert_int_equal(upsweep_tuning_path(path, sizeof path), 17);
    assert_string_equal(path, "/c/upsweep/tuning");
    unsetenv("XDG_CONFIG_HOME");
    setenv("HOME", "/h", 1);
    upsweep_tuning_path(path, sizeof path);
    assert_string_equal(path, "/h/.config/upsweep/tuning");
    unsetenv("HOME");
    assert_int_equal(upsweep_tuning_path(path, sizeof path), 0);
    assert_string_equal(path, "");
    setenv("UPSWEEP_TUNING", file, 1);
}

/* said: the reason that was given beforehand, which is the one of the report afterwards. */
static void sort_with(upsweep *u, size_t n, upsweep_type type, const char *said)
{
    size_t bytes = upsweep_type_bytes(type), first;
    unsigned char *keys = malloc(n * bytes);
    uint64_t x = n, sum = 0;
    for (size_t i = 0; i < n * bytes; i++) {
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
        keys[i] = (unsigned char)(x >> 56);
        sum += keys[i];
    }
    assert_int_equal(upsweep_sort(u, keys, n, type, NULL), UPSWEEP_OK);
    if (n > 2) { /* two keys are in order, one way or the other */
        upsweep_report after = UPSWEEP_REPORT_INIT;
        upsweep_last_report(u, &after);
        assert_string_equal(after.reason, said);
    }
    assert_int_equal(upsweep_is_sorted(u, keys, n, type, &first, NULL), UPSWEEP_OK);
    assert_int_equal(first, n);
    for (size_t i = 0; i < n * bytes; i++) {
        sum -= keys[i];
    }
    assert_int_equal(sum, 0);
    free(keys);
}

/* Each method at each size, and what is told beforehand is what is told afterwards. */
static void any_numbers(void **state)
{
    (void)state;
    static const size_t some[] = {0, 1, 20000, SIZE_MAX}, sizes[] = {2, 300, 5000, 70001};
    write_tuning("");
    upsweep_config c = {.threads = 3};
    upsweep *u;
    assert_int_equal(upsweep_open(&u, "cpu", &c), UPSWEEP_OK);
    for (unsigned k = 0; k < 64; k++) {
        upsweep_tuning t = {.thread_bytes = some[k % 4],
                            .scatter_bytes = {some[k / 4 % 4], some[k / 4 % 4]},
                            .digit_keys = {some[k / 16], some[k / 16]}};
        assert_int_equal(upsweep_set_tuning(u, &t), UPSWEEP_OK);
        for (unsigned s = 0; s < 8; s++) {
            upsweep_type type = s % 2 ? UPSWEEP_I64 : UPSWEEP_F32;
            upsweep_report before = UPSWEEP_REPORT_INIT;
            char reason[256];
            assert_int_equal(upsweep_explain_choice(u, sizes[s / 2], type, NULL, &before),
                             UPSWEEP_OK);
            snprintf(reason, sizeof reason, "%s", before.reason);
            sort_with(u, sizes[s / 2], type, reason);
        }
    }
    upsweep_close(u);
}

/* A handle keeps its last choice of each width. It is the one that a handle without any has. */
static void kept_choices(void **state)
{
    (void)state;
    static const upsweep_type types[] = {UPSWEEP_U8, UPSWEEP_I16, UPSWEEP_U32, UPSWEEP_F32,
                                         UPSWEEP_F64};
    static const unsigned flags[] = {0, UPSWEEP_IN_PLACE};
    upsweep_config one = {.threads = 1};
    upsweep *u;
    uint64_t x = 1;
    write_tuning("");
    assert_int_equal(upsweep_open(&u, "cpu", &one), UPSWEEP_OK);
    for (unsigned k = 0; k < 3000; k++) {
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
        upsweep_tuning t = {.thread_bytes = 1000 + x % 500000,
                            .scatter_bytes = {x % 1000000, x % 700000},
                            .digit_keys = {x % 200000, x % 1000}};
        upsweep_options o = {.flags = flags[x >> 60 & 1], .bit_end = x >> 59 & 1 ? 5 : 0};
        upsweep_type type = types[(x >> 40) % 5];
        size_t n = (size_t)(x >> 32) & (((size_t)2 << (x >> 54) % 20) - 1);
        upsweep_report got = UPSWEEP_REPORT_INIT, wanted = UPSWEEP_REPORT_INIT;
        upsweep *fresh;
        if (k % 16 == 0) {
            assert_int_equal(upsweep_set_tuning(u, &t), UPSWEEP_OK);
        }
        assert_int_equal(upsweep_get_tuning(u, &t), UPSWEEP_OK);
        assert_int_equal(upsweep_open(&fresh, "cpu", &one), UPSWEEP_OK);
        assert_int_equal(upsweep_set_tuning(fresh, &t), UPSWEEP_OK);
        assert_int_equal(upsweep_explain_choice(fresh, n, type, &o, &wanted), UPSWEEP_OK);
        assert_int_equal(upsweep_explain_choice(u, n, type, &o, &got), UPSWEEP_OK);
        assert_string_equal(got.reason, wanted.reason);
        assert_string_equal(got.algorithm, wanted.algorithm);
        upsweep_close(fresh);
    }
    upsweep_close(u);
}

static void explained(void **state)
{
    (void)state;
    upsweep *u;
    upsweep_report r = UPSWEEP_REPORT_INIT;
    uint32_t keys[5000];
    char reason[256];
    assert_int_equal(upsweep_open(&u, "cpu", NULL), UPSWEEP_OK);
    for (uint32_t i = 0; i < 5000; i++) {
        keys[i] = i * 2654435761u;
    }
    assert_int_equal(upsweep_explain_choice(u, 5000, UPSWEEP_U32, NULL, &r), UPSWEEP_OK);
    snprintf(reason, sizeof reason, "%s", r.reason);
    assert_true(strstr(reason, "5000 keys of 32 bits") != NULL);
    assert_int_equal(upsweep_sort(u, keys, 5000, UPSWEEP_U32, NULL), UPSWEEP_OK);
    upsweep_last_report(u, &r);
    assert_string_equal(r.reason, reason);
    upsweep_options o = {.algorithm = "sort/radix"};
    assert_int_equal(upsweep_explain_choice(u, 5, UPSWEEP_U32, &o, &r), UPSWEEP_OK);
    assert_string_equal(r.algorithm, "sort/radix");
    o.algorithm = "sort/none";
    assert_int_equal(upsweep_explain_choice(u, 5, UPSWEEP_U32, &o, &r), UPSWEEP_ERROR_ALGORITHM);
    o.algorithm = "scan/sweep";
    assert_int_equal(upsweep_explain_choice(u, 5, UPSWEEP_U32, &o, &r), UPSWEEP_ERROR_ALGORITHM);
    o = (upsweep_options){.bit_begin = 3, .bit_end = 9};
    assert_int_equal(upsweep_explain_choice(u, 5, UPSWEEP_U32, &o, &r), UPSWEEP_OK);
    assert_true(strstr(r.reason, "bits [3, 9)") != NULL);
    assert_int_equal(upsweep_explain_choice(u, 5, UPSWEEP_U32, NULL, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_explain_choice(u, 5, (upsweep_type)99, NULL, &r),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_explain_choice(NULL, 5, UPSWEEP_U32, NULL, &r),
                     UPSWEEP_ERROR_ARGUMENT);
    upsweep_tuning t = {.size = 3};
    assert_int_equal(upsweep_set_tuning(u, &t), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_set_tuning(u, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_set_tuning(NULL, &t), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_get_tuning(u, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_get_tuning(NULL, &t), UPSWEEP_ERROR_ARGUMENT);
    upsweep_close(u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_the_file), cmocka_unit_test(where_the_file_is),
        cmocka_unit_test(any_numbers), cmocka_unit_test(kept_choices), cmocka_unit_test(explained)};
    snprintf(file, sizeof file, "tuning-%ld.txt", (long)getpid());
    setenv("UPSWEEP_TUNING", file, 1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)remove(file);
    return failed;
}
