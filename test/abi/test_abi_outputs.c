/* test_abi_outputs.c - structs that the library fills, as programs compiled with an earlier or a
 * later header give them: every one of them, every size. No byte beyond its size may be written. */
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

#include "core/structs.h"

#include "test/shared/abi_graph.h"

enum { LARGEST = 4096, ROOM = LARGEST + 64, RUBBISH = 0xA5 };

static void set_size(void *at, size_t size)
{
    memcpy(at, &size, sizeof size);
}

/* Sizes that no struct has. */
static const size_t wild[] = {1, 2, 3, 4, 5, 6, 7, 9, 12, 31, 33, 4097, 4100, 4104, SIZE_MAX};
enum { WILD = sizeof wild / sizeof wild[0] };

static upsweep_status take_report(void *report)
{
    return upsweep_last_report(u, report);
}

static upsweep_status take_choice(void *report)
{
    return upsweep_explain_choice(u, 100000, UPSWEEP_U32, NULL, report);
}

static upsweep_status take_machine(void *machine)
{
    return upsweep_describe_machine(machine);
}

static upsweep_status take_graph_info(void *info)
{
    return upsweep_graph_describe(graph, info);
}

static upsweep_status take_tuning(void *tuning)
{
    return upsweep_get_tuning(u, tuning);
}

typedef struct member {
    size_t at, bytes;
} member;
#define MEMBER(type, name)                                                                         \
    {                                                                                              \
        offsetof(type, name), sizeof(((type *)NULL)->name)                                         \
    }
static const member report_members[] = {
    MEMBER(upsweep_report, algorithm), MEMBER(upsweep_report, isa),
    MEMBER(upsweep_report, device),    MEMBER(upsweep_report, threads),
    MEMBER(upsweep_report, reason),    {0, 0}};
static const member machine_members[] = {
    MEMBER(upsweep_machine, cpu),          MEMBER(upsweep_machine, cores),
    MEMBER(upsweep_machine, isa),          MEMBER(upsweep_machine, cache_bytes),
    MEMBER(upsweep_machine, memory_bytes), MEMBER(upsweep_machine, gpu),
    MEMBER(upsweep_machine, gpu_plugin),   {0, 0}};
static const member info_members[] = {MEMBER(upsweep_graph_info, vertices),
                                      MEMBER(upsweep_graph_info, arcs),
                                      MEMBER(upsweep_graph_info, weight_type),
                                      MEMBER(upsweep_graph_info, distance_type),
                                      MEMBER(upsweep_graph_info, weight_mean),
                                      MEMBER(upsweep_graph_info, weight_max),
                                      MEMBER(upsweep_graph_info, degree_max),
                                      MEMBER(upsweep_graph_info, bytes),
                                      {0, 0}};
static const member tuning_members[] = {MEMBER(upsweep_tuning, thread_bytes),
                                        MEMBER(upsweep_tuning, scatter_bytes),
                                        MEMBER(upsweep_tuning, digit_keys),
                                        MEMBER(upsweep_tuning, measured),
                                        {0, 0}};

static const struct {
    upsweep_status (*call)(void *output);
    size_t bytes, first; /* now; of the first version in which it had a size */
    const member *members;
} outputs[] = {
    {take_report, sizeof(upsweep_report), 304, report_members},
    {take_choice, sizeof(upsweep_report), 304, report_members},
    {take_machine, sizeof(upsweep_machine), 960, machine_members},
    {take_graph_info, sizeof(upsweep_graph_info), 64, info_members},
    {take_tuning, sizeof(upsweep_tuning), 56, tuning_members},
};
enum { OUTPUTS = sizeof outputs / sizeof outputs[0] };

/* at was filled as far as `filled` bytes, as `whole` was, and is untouched beyond. */
static void check_output(size_t i, const unsigned char *at, const unsigned char *whole,
                         size_t filled)
{
    size_t size;
    memcpy(&size, at, sizeof size);
    assert_int_equal(size, filled);
    for (const member *m = outputs[i].members; m->bytes != 0; m++) {
        if (m->at + m->bytes <= filled) {
            assert_memory_equal(at + m->at, whole + m->at, m->bytes);
        }
    }
    for (size_t k = filled; k < ROOM; k++) {
        assert_int_equal(at[k], RUBBISH);
    }
}

static void test_outputs(void **state)
{
    (void)state;
    static _Alignas(16) unsigned char at[ROOM], whole[ROOM];
    static uint32_t keys[5000] = {1};
    for (size_t i = 0; i < OUTPUTS; i++) {
        assert_int_equal(upsweep_sort(u, keys, 5000, UPSWEEP_U32, NULL), UPSWEEP_OK);
        memset(whole, 0, sizeof whole);
        set_size(whole, outputs[i].bytes);
        assert_int_equal(outputs[i].call(whole), UPSWEEP_OK);
        for (size_t size = 8; size <= LARGEST; size += 8) {
            memset(at, RUBBISH, sizeof at);
            set_size(at, size);
            assert_int_equal(outputs[i].call(at), UPSWEEP_OK);
            check_output(i, at, whole, size < outputs[i].bytes ? size : outputs[i].bytes);
        }
        memset(at, RUBBISH, sizeof at);
        set_size(at, 0);
        assert_int_equal(outputs[i].call(at), UPSWEEP_OK);
        if (sizeof(void *) == 8) {
            check_output(i, at, whole, outputs[i].first);
        }
        for (size_t k = 0; k < WILD; k++) {
            memset(at, RUBBISH, sizeof at);
            set_size(at, wild[k]);
            assert_int_equal(outputs[i].call(at), UPSWEEP_ERROR_ARGUMENT);
            for (size_t b = sizeof(size_t); b < ROOM; b++) {
                assert_int_equal(at[b], RUBBISH);
            }
        }
        assert_int_equal(outputs[i].call(NULL), UPSWEEP_ERROR_ARGUMENT);
    }
}

/* ---- structs of later versions of the library: the same two functions do it for all ---- */

typedef struct grown {
    size_t size;
    uint32_t old_member;
    uint64_t newer, newest;
} grown;

static void test_growth(void **state)
{
    (void)state;
    enum { FIRST = offsetof(grown, newer) };
    grown to, from = {sizeof from, 1, 2, 3};
    assert_null(usw_take_struct(&to, sizeof to, &from, FIRST));
    assert_memory_equal(&to.newer, &from.newer, 16);
    from.size = 0;
    assert_null(usw_take_struct(&to, sizeof to, &from, FIRST));
    assert_true(to.old_member == 1 && to.newer == 0 && to.newest == 0);
    from.size = offsetof(grown, newest);
    assert_null(usw_take_struct(&to, sizeof to, &from, FIRST));
    assert_true(to.old_member == 1 && to.newer == 2 && to.newest == 0);
    from.size = sizeof from;
    assert_non_null(usw_take_struct(&to, FIRST, &from, FIRST)); /* as the library was */
    from.newer = from.newest = 0;
    assert_null(usw_take_struct(&to, FIRST, &from, FIRST));

    const grown all = {sizeof all, 5, 6, 7};
    grown out = {0, 1, 1, 1};
    assert_null(usw_give_struct(&out, &all, sizeof all, FIRST));
    assert_true(out.size == FIRST && out.old_member == 5 && out.newer == 1 && out.newest == 1);
    out = (grown){offsetof(grown, newest), 1, 1, 1};
    assert_null(usw_give_struct(&out, &all, sizeof all, FIRST));
    assert_true(out.size == offsetof(grown, newest) && out.newer == 6 && out.newest == 1);
    out = (grown){sizeof out, 1, 1, 1};
    assert_null(usw_give_struct(&out, &all, FIRST, FIRST));
    assert_true(out.size == FIRST && out.old_member == 5 && out.newer == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_outputs),
                                       cmocka_unit_test(test_growth)};
    return cmocka_run_group_tests_name("abi outputs", tests, begin, end);
}
