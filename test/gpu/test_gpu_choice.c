/* test_gpu_choice.c - the method that gpu/sort_choice.cu chooses is the one that the report names,
 * by size, width and options; and a device that runs one block at a time sorts, too. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/device.h"
#include "test/shared/handles.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 70000, ARENA_BYTES = 1 << 20 };

static uint64_t keys[MOST], want[MOST];
static uint32_t values[MOST], index_want[MOST];

static void fill(size_t bytes)
{
    uint64_t state = 88172645463325252u;
    unsigned char *at = (unsigned char *)keys;
    for (size_t i = 0; i < bytes; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        at[i] = (unsigned char)state;
    }
}

static upsweep_report report_of(upsweep *u)
{
    upsweep_report report = UPSWEEP_REPORT_INIT;
    upsweep_last_report(u, &report);
    return report;
}

static void expect(upsweep *u, const char *name, const char *part)
{
    upsweep_report r = report_of(u);
    if (strcmp(r.algorithm, name) != 0 || strstr(r.reason, part) == NULL) {
        fail_msg("%s because %s, not %s: %s", r.algorithm, r.reason, name, part);
    }
}

/* Sorts n keys on the GPU as the CPU does. */
static void sort_both(upsweep *u, size_t n, upsweep_type type, const upsweep_options *o)
{
    size_t bytes = n * upsweep_type_bytes(type);
    upsweep_options same = {0};
    if (o != NULL) {
        same.bit_begin = o->bit_begin, same.bit_end = o->bit_end;
    }
    fill(bytes);
    memcpy(want, keys, bytes);
    assert_int_equal(upsweep_sort(u, keys, n, type, o), UPSWEEP_OK);
    assert_int_equal(upsweep_sort(cpu, want, n, type, &same), UPSWEEP_OK);
    assert_memory_equal(keys, want, bytes);
}

/* Sizes are the emulator's: each line of the table. */
static void test_named(void **state)
{
    static const struct {
        size_t n;
        upsweep_type type;
        const char *name, *part;
    } cases[] = {
        {1, UPSWEEP_U32, "in order", "1 keys were already in order"},
        {15, UPSWEEP_U32, "one block", "15 keys of 32 bits on the GPU: one block sorts"},
        {100, UPSWEEP_F32, "runs merged", "each block sorts a short run"},
        {200, UPSWEEP_U8, "runs merged", "each block sorts a short run"},
        {5000, UPSWEEP_I8, "values counted", "each of their few possible values"},
        {500, UPSWEEP_U16, "samples", "samples say"},
        {1600, UPSWEEP_I16, "sort/radix", "in one launch"},
        {60000, UPSWEEP_U16, "sort/radix", "a pass for each digit"},
        {66000, UPSWEEP_U16, "values counted", "each of their few possible values"},
        {66000, UPSWEEP_F16, "values counted", "each of their few possible values"},
        {66000, UPSWEEP_BF16, "values counted", "each of their few possible values"},
        {3000, UPSWEEP_U32, "sort/hybrid", "moved to buckets"},
        {3000, UPSWEEP_F64, "sort/hybrid", "moved to buckets"},
    };
    (void)state;
    if (!device_is_emulated()) {
        skip();
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (unsigned times = 0; times < 4; times++) { /* the third is kept as a graph */
            sort_both(gpu, cases[i].n, cases[i].type, NULL);
            expect(gpu, cases[i].name, cases[i].part);
        }
    }
}

static void test_asked(void **state)
{
    (void)state;
    upsweep_options o = {.algorithm = "sort/radix"};
    sort_both(gpu, 50, UPSWEEP_U64, &o);
    expect(gpu, "sort/radix", "by name, and leaves 50 keys to \"");
    sort_both(gpu, MOST, UPSWEEP_U32, &o);
    expect(gpu, "sort/radix", "it was asked for by name");
    o.algorithm = "sort/bitonic";
    sort_both(gpu, 1000, UPSWEEP_U32, &o);
    expect(gpu, "sort/bitonic", "it was asked for by name");
    uint32_t fixed[3000];
    memcpy(fixed, keys, sizeof fixed);
    assert_int_equal(upsweep_sort_rows(gpu, fixed, 3000, UPSWEEP_U32, NULL, 30, NULL, 0, NULL),
                     UPSWEEP_OK);
    expect(gpu, "rows by length", "30 rows of 32-bit keys on the GPU: ");
    const upsweep_field field = {.offset = 4, .type = UPSWEEP_U32};
    assert_int_equal(upsweep_sort_records(gpu, fixed, 1500, 8, &field, 1, NULL), UPSWEEP_OK);
    expect(gpu, "sort/radix", "1500 records of 8 bytes on the GPU: ");
}

/* Sorts n keys with their places on the GPU as the CPU does. */
static void carry_both(upsweep *u, size_t n, upsweep_type type, const upsweep_options *o)
{
    size_t bytes = n * upsweep_type_bytes(type);
    fill(bytes);
    for (uint32_t i = 0; i < n; i++) {
        values[i] = i;
    }
    assert_int_equal(upsweep_argsort(cpu, keys, n, type, index_want, 32, NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_sort_pairs(u, keys, values, n, type, 4, o), UPSWEEP_OK);
    assert_memory_equal(values, index_want, n * sizeof *values);
}

/* Keys that may take no second array, of every type; and a single row. */
static void test_in_place(void **state)
{
    (void)state;
    const upsweep_options o = {.flags = UPSWEEP_IN_PLACE};
    for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        sort_both(gpu, 1000, type, &o);
        expect(gpu, "sort/bitonic", "no second array may be taken");
    }
    assert_int_equal(upsweep_sort_rows(gpu, keys, 1000, UPSWEEP_U32, NULL, 1, NULL, 0, NULL),
                     UPSWEEP_OK);
    expect(gpu, "long rows one by one", "1 rows of 32-bit keys on the GPU: all blocks");
}

/* Passes by digits need two blocks at once: one is the spine. Without the check the one block waits
 * for ever. */
static void test_one_block(void **state)
{
    const upsweep_options bits = {.bit_begin = 1, .bit_end = 6};
    (void)state;
    if (!device_is_emulated()) {
        skip();
    }
    upsweep *one;
    setenv("UPSWEEP_EMULATE_SMS", "1", 1);
    setenv("UPSWEEP_EMULATE_BLOCKS", "1", 1);
    assert_int_equal(upsweep_open(&one, "cuda", NULL), UPSWEEP_OK);
    for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        sort_both(one, 3001, type, NULL);
        const char *name = upsweep_type_bytes(type) == 1 ? "values counted" : "sort/split";
        expect(one, name, "3001 keys of");
        sort_both(one, 3001, type, &bits);
        expect(one, "sort/split", "does not run two blocks at once");
        carry_both(one, 3001, type, NULL);
        expect(one, "sort/split", "does not run two blocks at once");
    }
    upsweep_close(one);
    unsetenv("UPSWEEP_EMULATE_SMS");
    unsetenv("UPSWEEP_EMULATE_BLOCKS");
}

static int start(void **state)
{
    (void)state;
    return device_group_start(ARENA_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_named),
        cmocka_unit_test(test_asked),
        cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_one_block),
    };
    return cmocka_run_group_tests(tests, start, device_group_end);
}
