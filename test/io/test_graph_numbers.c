/* test_graph_numbers.c - the numbers of a table of arcs: whole weights that no type may round, and
 * ids that are far apart. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "test/shared/graph_tables.h"

#define NAMES .by_names = true
#define NEGATIVE .negative = true

/* Whole weights stay what they are. */
static const table weights[] = {
    {"a.csv", "a,b,9007199254740993\n", {NAMES}, "a b 9007199254740993; u64"},
    {"a.csv", "a,b,18446744073709551615\nb,c,1\n", {NAMES}, "a b 18446744073709551615;b c 1; u64"},
    {"a.csv", "a,b,4294967295\n", {NAMES}, "a b 4294967295; u32"},
    {"a.csv", "a,b,-9007199254740993\n", {NAMES, NEGATIVE}, "a b -9007199254740993; i64"},
    {"a.csv",
     "0,1,-9223372036854775808\n1,2,9223372036854775807\n",
     {NEGATIVE},
     "0 1 -9223372036854775808;1 2 9223372036854775807; i64"},
    {"a.csv",
     "0,1,9223372036854775808\n",
     {NEGATIVE},
     "a.csv: line 1: the weight 9223372036854775808 is out of the range of i64; --weight f64 "
     "rounds it"},
    {"a.csv",
     "0,1,-99999999999999999999\n",
     {NEGATIVE},
     "a.csv: line 1: the weight -99999999999999999999 is out of the range of i64; --weight f64 "
     "rounds it"},
    {"a.csv",
     "0,1,18446744073709551616\n",
     {0},
     "a.csv: line 1: the weight 18446744073709551616 is out of the range of u64; --weight f64 "
     "rounds it"},
    {"a.csv",
     "0,1,18446744073709551616\n",
     {.weight_type = UPSWEEP_F64},
     "0 1 1.8446744073709552e+19; f64"},
    {"a.csv",
     "0,1,9007199254740993\n1,2,0.5\n",
     {0},
     "a.csv: line 1: the weight 9007199254740993 is a whole number that f64 would round, and "
     "others are decimals; --weight f64 rounds it"},
    {"a.csv",
     "0,1,0.5\n1,2,9007199254740993\n",
     {0},
     "a.csv: line 2: the weight 9007199254740993 is a whole number that f64 would round, and "
     "others are decimals; --weight f64 rounds it"},
    {"a.csv",
     "0,1,0.5\n1,2,-9007199254740993\n",
     {NEGATIVE},
     "a.csv: line 2: the weight -9007199254740993 is a whole number that f64 would round, and "
     "others are decimals; --weight f64 rounds it"},
    {"a.csv",
     "0,1,0.5\n1,2,18446744073709551616\n",
     {0},
     "a.csv: line 2: the weight 18446744073709551616 is a whole number that f64 would round, and "
     "others are decimals; --weight f64 rounds it"},
    {"a.csv",
     "0,1,9007199254740992\n1,2,0.5\n2,3,9223372036854775808\n",
     {0},
     "0 1 9007199254740992;1 2 0.5;2 3 9.223372036854776e+18; f64"},
    {"a.csv",
     "0,1,9007199254740993\n1,2,0.5\n",
     {.weight_type = UPSWEEP_F64},
     "0 1 9007199254740992;1 2 0.5; f64"},
    {"a.csv",
     "a,b,9007199254740993\nb,c,0.5\n",
     {NAMES},
     "a.csv: line 1: the weight 9007199254740993 is a whole number that f64 would round, and "
     "others are decimals; --weight f64 rounds it"},
    {"a.csv", "0,1,-0\n1,2,+7\n", {0}, "0 1 0;1 2 7; u32"},
    {"a.csv", "0,1,1.0\n", {0}, "0 1 1; f64"},
    {"a.csv", "0,1,1e999\n", {0}, "a.csv: line 1: the weight 1e999 is out of the range of f64"},
    {"a.csv", "a,b,-1\n", {NAMES}, "a.csv: line 1: the weight -1 is negative"},
    {"a.csv",
     "a,b,0x10\n",
     {.weight_type = UPSWEEP_U32},
     "a.csv: line 1: 'a' is no vertex; --names reads words"},
    {"a.csv",
     "0,1,5000000000\n",
     {.weight_type = UPSWEEP_U32},
     "a.csv: line 1: the weight 5000000000 is out of the range of u32"},
    {"a.csv",
     "a,b,5000000000\n",
     {NAMES, .weight_type = UPSWEEP_U32},
     "a.csv: line 1: the weight 5000000000 is out of the range of u32"},
    {"a.gr", "p sp 2 1\na 1 2 0.1\n", {0}, "1 2 0.1; f64"},
    {"a.gr",
     "p sp 3 2\na 1 2 0.5\na 2 3 9007199254740993\n",
     {0},
     "a.gr: line 3: the weight 9007199254740993 is a whole number that f64 would round, and others "
     "are decimals; --weight f64 rounds it"},
};

/* Ids far apart. */
#define USED .ids = IO_IDS_USED
#define ALL .ids = IO_IDS_ALL
static const table ids[] = {
    {"a.csv", "0,300000000,1\n", {0}, "0 300000000 1; u32"},
    {"a.el", "300000000 0\n300000000 7\n", {0}, "300000000 0;300000000 7; none"},
    {"a.csv",
     "4294967296,1,5\n1,9999999999999999999,6\n",
     {0},
     "4294967296 1 5;1 9999999999999999999 6; u32"},
    {"a.csv", "1,4294967294,5\n", {.base_given = true, .base = 1}, "1 4294967294 5; u32"},
    {"a.csv", "1,4294967295,5\n", {.base_given = true, .base = 1}, "1 4294967295 5; u32"},
    {"a.csv",
     "0,4294967296,5\n",
     {.base_given = true, .base = 1},
     "a.csv: line 1: vertex 0, but vertices are counted from 1"},
    {"a.csv", "5000000000,4,0.5\n", {0}, "5000000000 4 0.5; f64"},
    {"a.wel", "5000000000 4 -5\n4 4 5\n", {NEGATIVE}, "5000000000 4 -5;4 4 5; i64"},
    {"a.csv",
     "10000000000000000000,0\n",
     {0},
     "a.csv: line 1: vertex 10000000000000000000, but ids have at most 19 digits; --names reads it "
     "as a word"},
    {"a.csv",
     "18446744073709551616,0\n",
     {0},
     "a.csv: line 1: vertex 18446744073709551616, but ids have at most 19 digits; --names reads it "
     "as a word"},
    {"a.csv", "4294967296,0\n", {NAMES}, "4294967296 0; none"},
    {"a.csv",
     "0,4294967294\n",
     {ALL},
     "a.csv: line 1: vertex 4294967294, but with --ids all they go up to 4294967293"},
    {"a.csv", "7,3\n3,9\n", {USED}, "7 3;3 9; none"},
    {"a.csv", "7,3\n3,x\n", {USED}, "a.csv: line 2: 'x' is no vertex; --names reads words"},
    {"a.gr",
     "p sp 3 1\na 1 4294967297 3\n",
     {0},
     "a.gr: line 2: vertex 4294967297, but there are 3"},
};

/* Vertices are numbered by rising id, whatever the order of arcs; all numbers are vertices unless
 * most of them would have no arc. */
static void vertices_of_ids(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        io_ids ids;
        size_t vertices;
        bool apart;
    } all[] = {
        {"9,3\n3,7\n", IO_IDS_FIND, 10, false},
        {"9,3\n3,7\n", IO_IDS_USED, 3, true},
        {"0,1048575\n", IO_IDS_FIND, 1048576, false},
        {"0,1048576\n", IO_IDS_FIND, 2, true},
        {"0,1048576\n", IO_IDS_ALL, 1048577, false},
        {"0,1\n", IO_IDS_USED, 2, true},
        {"5000000000,5000000000\n", IO_IDS_FIND, 1, true},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        io_graph g;
        io_error error = {0};
        io_graph_options options = {.threads = 2, .ids = all[i].ids};
        store_text("a.csv", all[i].text);
        assert_true(io_graph_read(&g, "a.csv", &options, &error));
        assert_int_equal(g.vertices, all[i].vertices);
        assert_int_equal(g.ids != NULL, all[i].apart);
        for (size_t v = 0; g.ids != NULL && v < g.vertices; v++) {
            uint32_t found;
            assert_true(io_graph_find_id(&g, g.ids[v], &found));
            assert_int_equal(found, v);
            assert_true(v == 0 || g.ids[v - 1] < g.ids[v]);
            assert_false(io_graph_find_id(&g, g.ids[v] + 1, &found) &&
                         g.ids[found] != g.ids[v] + 1);
        }
        io_graph_free(&g);
    }
}

/* 1,100,001 ids: with a fourth of that in arcs, all numbers are vertices; with one less, not. */
static void few_and_many_arcs(void **state)
{
    (void)state;
    enum { GREATEST = 1100000, ENOUGH = GREATEST / 4 };
    char *text = malloc(ENOUGH * 16);
    for (size_t arcs = ENOUGH - 1; arcs <= ENOUGH; arcs++) {
        char *p = text;
        for (size_t i = 1; i < arcs; i++) {
            p += sprintf(p, "%zu %zu\n", i, i + 1);
        }
        p += sprintf(p, "0 %d\n", GREATEST);
        io_graph g;
        io_error error = {0};
        assert_int_equal(program_store("a.el", text, (size_t)(p - text)), 0);
        assert_true(store_read(&g, "a.el", 2, &error));
        assert_int_equal(g.vertices, arcs == ENOUGH ? GREATEST + 1 : arcs + 2);
        assert_int_equal(io_graph_id(&g, g.head[arcs - 1]), GREATEST);
        assert_int_equal(io_graph_id(&g, g.tail[arcs - 2]), arcs - 1);
        io_graph_free(&g);
    }
    free(text);
}

CHECK(weights)
CHECK(ids)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_weights),
        cmocka_unit_test(check_ids),
        cmocka_unit_test(vertices_of_ids),
        cmocka_unit_test(few_and_many_arcs),
    };
    return cmocka_run_group_tests(tests, store_begin, store_end);
}
