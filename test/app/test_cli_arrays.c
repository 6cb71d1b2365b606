/* test_cli_arrays.c - arrays in files: shapes and truth values survive a verb or are refused, rows
 * are sorted by themselves as numpy.sort does, and what has no answer gets none. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/kinds.h"
#include "test/shared/folder.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include <cmocka.h>

static const char *program;
enum { MOST = 4096 };

static program_result run(const char *input, const char *const *words)
{
    const char *argv[10] = {program};
    for (int i = 0; i < 8 && words[i] != NULL; i++) {
        argv[i + 1] = words[i];
    }
    program_result r = program_run(folder, argv, input);
    assert_true(r.status >= 0 && r.out != NULL && r.err != NULL);
    return r;
}
#define RUN(input, ...) run(input, (const char *const[9]){__VA_ARGS__})

static void store_array(const char *name, const char *descr, const char *shape, const void *data,
                        size_t bytes)
{
    static unsigned char file[128 + 8 * MOST];
    size_t size = kinds_npy(file, descr, shape, data, bytes);
    assert_int_equal(program_store(path_of(name), file, size), 0);
}

/* The header in front of an output: type and shape. */
static void assert_header(const program_result *r, const char *descr, const char *shape)
{
    char want[128];
    snprintf(want, sizeof want, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr,
             shape);
    assert_true(r->out_bytes >= 128);
    assert_int_equal(strncmp(r->out + 10, want, strlen(want)), 0);
}

static void expect_refusal(const char *says, const program_result *r)
{
    if (!program_refused(r, says)) {
        fail_msg("status %d, out %zu bytes, err '%s', which lacks '%s'", r->status, r->out_bytes,
                 r->err, says);
    }
}

/* Insertion sort of each row. */
static void sort_rows(int16_t *p, size_t n, size_t length, bool descending)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i; j % length != 0 && (descending ? p[j - 1] < p[j] : p[j - 1] > p[j]);
             j--) {
            int16_t was = p[j];
            p[j] = p[j - 1];
            p[j - 1] = was;
        }
    }
}

static void rows_are_sorted_by_themselves(void **state)
{
    (void)state;
    static const struct {
        const char *shape;
        size_t n, length;
    } cases[] = {{"(7,)", 7, 7},         {"(1, 7)", 7, 7},       {"(7, 1)", 7, 1},
                 {"(3, 5)", 15, 5},      {"(2, 3, 4)", 24, 4},   {"(2, 1000)", 2000, 1000},
                 {"(1300, 3)", 3900, 3}, {"(0,)", 0, 1},         {"(0, 5)", 0, 1},
                 {"(5, 0)", 0, 1},       {"(4, 1, 1, 9)", 36, 9}};
    int16_t before[MOST], want[MOST];
    uint32_t seed = 1;
    for (size_t i = 0; i < MOST; i++) {
        seed = seed * 1664525 + 1013904223;
        before[i] = (int16_t)(seed >> 16);
    }
    for (size_t c = 0; c < 2 * (sizeof cases / sizeof *cases); c++) {
        const char *shape = cases[c / 2].shape;
        size_t n = cases[c / 2].n, length = cases[c / 2].length;
        bool descending = c % 2 == 1;
        memcpy(want, before, sizeof want);
        sort_rows(want, n, length, descending);
        store_array("a", "<i2", shape, before, n * 2);
        program_result r = RUN(NULL, "sort", path_of("a"), descending ? "-r" : NULL);
        assert_int_equal(r.status, 0);
        assert_header(&r, "<i2", shape);
        assert_int_equal(r.out_bytes, 128 + n * 2);
        assert_memory_equal(r.out + 128, want, n * 2);
        assert_int_equal(program_store(path_of("b"), r.out, r.out_bytes), 0);
        program_free(&r);
        const char *reverse = descending ? "-r" : "--";
        r = RUN(NULL, "sort", "-c", reverse, path_of("b"));
        assert_int_equal(r.status, 0);
        program_free(&r);
        r = RUN(NULL, "check", reverse, path_of("a"), path_of("b"));
        assert_int_equal(r.status, 0);
        assert_non_null(strstr(r.out, "ok: "));
        program_free(&r);
        r = RUN(NULL, "sort", "-c", reverse, path_of("a"));
        assert_int_equal(r.status, memcmp(before, want, n * 2) != 0);
        program_free(&r);
    }
}

/* What check and sort -c say of rows, and that elements may not leave their row. */
static void rows_are_checked_by_themselves(void **state)
{
    (void)state;
    static const int16_t table[] = {1, 2, 3, 0, 5, 4}, other[] = {0, 2, 3, 1, 4, 5},
                         good[] = {1, 2, 3, 0, 4, 5};
    store_array("t", "<i2", "(2, 3)", table, sizeof table);
    store_array("o", "<i2", "(2, 3)", other, sizeof other);
    store_array("g", "<i2", "(2, 3)", good, sizeof good);
    store_array("f", "<i2", "(6,)", good, sizeof good);
    program_result r = RUN(NULL, "sort", "-c", path_of("t"));
    assert_int_equal(r.status, 1);
    assert_non_null(strstr(r.err, "element 2 of row 1 is out of order: 4"));
    program_free(&r);
    r = RUN(NULL, "check", path_of("t"));
    assert_int_equal(r.status, 1);
    assert_non_null(strstr(r.out, "shape (2, 3)"));
    assert_non_null(strstr(r.out, "element 2 of row 1 is 4, after 5"));
    program_free(&r);
    r = RUN(NULL, "check", path_of("t"), path_of("g"));
    assert_int_equal(r.status, 0);
    program_free(&r);
    r = RUN(NULL, "check", path_of("t"), path_of("o"));
    assert_int_equal(r.status, 1);
    assert_non_null(strstr(r.out, "other elements"));
    program_free(&r);
    r = RUN(NULL, "check", path_of("t"), path_of("f"));
    assert_int_equal(r.status, 1);
    assert_non_null(strstr(r.out, "other shapes"));
    program_free(&r);
    r = RUN(NULL, "check", "--json", path_of("g"));
    assert_non_null(strstr(r.out, "\"shape\": [2, 3], \"sorted\": true"));
    program_free(&r);
}

static void shapes_survive_or_are_refused(void **state)
{
    (void)state;
    static const int64_t six[] = {6, 1, 5, 2, 4, 3};
    static const char *const shapes[] = {"(2, 3)", "()"};
    for (int s = 0; s < 2; s++) {
        store_array("a", "<i8", shapes[s], six, s == 0 ? 48 : 8);
        const char *a = path_of("a"), *sum = s == 0 ? "21\n" : "6\n";
        program_result r = RUN(NULL, "scan", a);
        expect_refusal(shapes[s], &r);
        program_free(&r);
        r = RUN(NULL, "split", "--bit", "0", a);
        expect_refusal(shapes[s], &r);
        program_free(&r);
        r = RUN(NULL, "sort", "-u", a);
        expect_refusal(s == 0 ? "(2, 3)" : "without an axis", &r);
        program_free(&r);
        r = RUN(NULL, "sort", a, a);
        expect_refusal("several arrays are taken together only if each has one axis", &r);
        program_free(&r);
        r = RUN(NULL, "reduce", a);
        assert_string_equal(r.out, sum);
        program_free(&r);
        r = RUN(NULL, "select", "--top", s == 0 ? "6" : "1", a);
        assert_header(&r, "<i8", s == 0 ? "(6,)" : "(1,)");
        program_free(&r);
    }
    program_result r = RUN(NULL, "sort", path_of("a"));
    expect_refusal("without an axis to sort along", &r);
    program_free(&r);
}

static void truth_values_stay_truth_values(void **state)
{
    (void)state;
    static const uint8_t truth[] = {1, 0, 1, 1, 0}, bytes[] = {0, 1, 0, 2, 1};
    static const struct {
        const char *words[5];
        uint8_t want[5];
        size_t n;
    } cases[] = {
        {{"sort"}, {0, 0, 1, 1, 1}, 5},
        {{"sort", "-u"}, {0, 1}, 2},
        {{"sort", "-r"}, {1, 1, 1, 0, 0}, 5},
        {{"split", "--bit", "0"}, {0, 0, 1, 1, 1}, 5},
        {{"select", "--top", "4"}, {1, 1, 1, 0}, 4},
        {{"select", "-u"}, {0, 1}, 2},
        {{"scan", "--op", "and"}, {1, 0, 0, 0, 0}, 5},
        {{"scan", "--op", "xor"}, {1, 1, 0, 1, 1}, 5},
        {{"scan", "--op", "max"}, {1, 1, 1, 1, 1}, 5},
        {{"scan", "--op", "product"}, {1, 0, 0, 0, 0}, 5},
        {{"scan", "--op", "and", "-x"}, {1, 1, 0, 0, 0}, 5},
        {{"scan", "--op", "min", "-x"}, {1, 1, 0, 0, 0}, 5},
        {{"scan", "--op", "or", "-x"}, {0, 1, 1, 1, 1}, 5},
    };
    char shape[] = "(5,)";
    store_array("a", "|b1", shape, truth, sizeof truth);
    store_array("b", "|u1", shape, bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        program_result r = run(path_of("a"), cases[i].words);
        shape[1] = (char)('0' + cases[i].n);
        assert_int_equal(r.status, 0);
        assert_header(&r, "|b1", shape);
        assert_int_equal(r.out_bytes, 128 + cases[i].n);
        assert_memory_equal(r.out + 128, cases[i].want, cases[i].n);
        program_free(&r);
    }
    program_result r = RUN(NULL, "scan", path_of("a"));
    expect_refusal("truth values", &r);
    program_free(&r);
    r = RUN(NULL, "sort", path_of("a"), path_of("b"));
    expect_refusal("type u8, not bool", &r);
    program_free(&r);
    r = RUN(NULL, "reduce", path_of("a"));
    assert_string_equal(r.out, "3\n");
    program_free(&r);
}

/* Types that have no order of ours are refused by name. */
static void other_types_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *descr, *says;
    } cases[] = {{"<c16", "'<c16'"},         {"<M8[ns]", "'<M8[ns]'"}, {"<m8", "'<m8'"},
                 {">i4", "a.astype('<i4')"}, {"<U7", "'<U7'"},         {"|S5", "'|S5'"},
                 {"|O", "objects"},          {"|V9", "'|V9'"},         {"<f16", "'<f16'"}};
    static const char data[64] = "b\na\n";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const char *const verbs[] = {"sort", "scan", "reduce", "check"};
        store_array("a", cases[i].descr, "(1,)", data, 16);
        for (int v = 0; v < 4; v++) {
            program_result r = RUN(path_of("a"), verbs[v]);
            expect_refusal(cases[i].says, &r);
            program_free(&r);
        }
    }
}

static void what_has_no_answer_gets_none(void **state)
{
    (void)state;
    static const char *const none[] = {"min", "max", "minmax", "argmin", "argmax"};
    static const struct {
        const char *op, *want;
    } some[] = {{"sum", "0\n"}, {"product", "1\n"}, {"or", "0\n"}, {"xor", "0\n"}};
    assert_int_equal(program_store(path_of("empty"), "", 0), 0);
    store_array("none", "<f4", "(3, 0)", "", 0);
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 2; k++) {
            program_result r = RUN(NULL, "reduce", "--op", none[i], path_of(k ? "none" : "empty"));
            expect_refusal("has no elements", &r);
            program_free(&r);
        }
    }
    for (int i = 0; i < 4; i++) {
        program_result r = RUN(path_of("empty"), "reduce", "--op", some[i].op);
        assert_string_equal(r.out, some[i].want);
        program_free(&r);
    }
}

static void whole_numbers_stay_whole(void **state)
{
    (void)state;
    static const char *const verbs[][4] = {
        {"reduce", "--op", "max"}, {"scan", "--op", "max"}, {"select", "--median"},
        {"split", "--bit", "0"},   {"histogram"},           {"check"}};
    static const char text[] = "5\n-1\n18446744073709551615\n", huge[] = "1\n18446744073709551616";
    assert_int_equal(program_store(path_of("mixed"), text, strlen(text)), 0);
    assert_int_equal(program_store(path_of("huge"), huge, strlen(huge)), 0);
    for (int v = 0; v < 6; v++) {
        program_result r = run(path_of("mixed"), verbs[v]);
        expect_refusal(
            "line 3: no type of 64 bits has both 18446744073709551615 and, in line 2, -1", &r);
        program_free(&r);
        r = run(path_of("huge"), verbs[v]);
        expect_refusal("line 2: 18446744073709551616 fits no type of 64 bits", &r);
        program_free(&r);
    }
    program_result r = RUN(path_of("mixed"), "reduce", "--op", "max", "--text", "--type", "f64");
    assert_string_equal(r.out, "1.8446744073709552e+19\n");
    program_free(&r);
}

/* Marks that editors and spreadsheets put in front of text are no part of a number. */
static void marks_of_utf8_are_no_numbers(void **state)
{
    (void)state;
    static const char marked[] = "\xef\xbb\xbf"
                                 "3\n1\n",
                      plain[] = "5",
                      wide[] = "\xff\xfe"
                               "3\0";
    assert_int_equal(program_store(path_of("marked"), marked, sizeof marked - 1), 0);
    assert_int_equal(program_store(path_of("plain"), plain, sizeof plain - 1), 0);
    assert_int_equal(program_store(path_of("wide"), wide, sizeof wide - 1), 0);
    program_result r = RUN(path_of("marked"), "reduce");
    assert_string_equal(r.out, "4\n");
    program_free(&r);
    r = RUN(NULL, "reduce", path_of("marked"), path_of("plain"), path_of("marked"));
    assert_string_equal(r.out, "13\n");
    program_free(&r);
    r = RUN(NULL, "select", "--nth", "0", path_of("marked"));
    assert_string_equal(r.out, "1\n");
    program_free(&r);
    r = RUN(NULL, "histogram", "--edges", path_of("plain"), path_of("marked"));
    expect_refusal("at least two", &r);
    program_free(&r);
    r = RUN(path_of("marked"), "trace", "reduce/tree", "--as", "jsonl", "-");
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "3"));
    program_free(&r);
    r = RUN(NULL, "reduce", path_of("plain"), path_of("wide"));
    expect_refusal("wide: is text in UTF-16 or UTF-32", &r);
    program_free(&r);
    r = RUN(path_of("wide"), "trace", "reduce/tree", "-");
    expect_refusal("standard input: is text in UTF-16 or UTF-32", &r);
    program_free(&r);
}

/* No more threads than there are cores, and one for little work; the program is a release. */
static void threads_are_capped(void **state)
{
    (void)state;
    cpu_set_t set;
    char most[64];
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    snprintf(most, sizeof most, "of 1000 threads asked for, more than %d do not pay",
             CPU_COUNT(&set));
    store_array("few", "<i2", "(3,)", (const int16_t[]){1, 2, 3}, 6);
    program_result r = RUN(NULL, "reduce", "--threads", "1000", "--stats", path_of("few"));
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.err, "threads offered: 1,"));
    assert_non_null(strstr(r.err, most));
    program_free(&r);
}

int main(void)
{
    program = getenv("UPSWEEP_PROGRAM");
    if (program == NULL || mkdtemp(folder) == NULL) {
        fprintf(stderr, "UPSWEEP_PROGRAM must name the program\n");
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sorted_by_themselves),
        cmocka_unit_test(rows_are_checked_by_themselves),
        cmocka_unit_test(shapes_survive_or_are_refused),
        cmocka_unit_test(truth_values_stay_truth_values),
        cmocka_unit_test(other_types_are_refused),
        cmocka_unit_test(what_has_no_answer_gets_none),
        cmocka_unit_test(whole_numbers_stay_whole),
        cmocka_unit_test(marks_of_utf8_are_no_numbers),
        cmocka_unit_test(threads_are_capped),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    program_remove(folder);
    return failed;
}
