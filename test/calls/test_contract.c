/* test_contract.c - what the public header says of flags, told by its own text: each call is given
 * each flag by itself, and the calls' "Flags:" lines must name just those that are taken. And that
 * numbers of one family put where another belongs are refused with a sentence that says so. */
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

enum { N = 8 };

static upsweep *u;
static uint32_t keys[N], more[N], out[2 * N];
static uint64_t wide[2 * N];
static uint8_t bytes[N];
static const uint32_t places[N] = {3, 1, 0, 2, 7, 6, 5, 4};
static upsweep_report report = UPSWEEP_REPORT_INIT;
static size_t found;

static int compare(const void *a, const void *b, void *context)
{
    (void)context;
    return memcmp(a, b, 4);
}

static void combine(void *accumulator, const void *element, void *context)
{
    (void)context;
    memcpy(accumulator, element, 4);
}

static const upsweep_bucketing digit = {
    .size = sizeof digit, .kind = UPSWEEP_BUCKET_DIGIT, .bits = 4, .count = 16};
static const upsweep_field field = {.type = UPSWEEP_U32};
static const void *const runs[] = {keys, more};
static const size_t counts[] = {N, N};
static const uint32_t offsets[] = {0, N / 2, N};
static uint32_t out_offsets[3];
static uint64_t slices[2];

/* Every call with options, on arrays that are right whatever the flags. */
#define CALL(name, ...)                                                                            \
    static upsweep_status call_##name(const upsweep_options *o)                                    \
    {                                                                                              \
        return upsweep_##name(u, __VA_ARGS__, o);                                                  \
    }
CALL(sort, keys, N, UPSWEEP_U32)
CALL(sort_pairs, keys, more, N, UPSWEEP_U32, 4)
CALL(argsort, keys, N, UPSWEEP_U32, out, 32)
CALL(sort_copy, keys, N, UPSWEEP_U32, out, wide, 64)
CALL(sort_rows, keys, N, UPSWEEP_U32, NULL, 2, out, 32)
CALL(sort_records, keys, N, 4, &field, 1)
CALL(sort_by, keys, N, 4, compare, NULL)
CALL(merge, keys, N, more, N, out, UPSWEEP_U32)
CALL(merge_runs, runs, counts, 2, out, UPSWEEP_U32)
CALL(is_sorted, keys, N, UPSWEEP_U32, &found)
CALL(search_sorted, keys, N, more, N, UPSWEEP_U32, out, 32)
CALL(nth_element, keys, N, 3, UPSWEEP_U32)
CALL(top_k, keys, N, 3, UPSWEEP_U32, out, wide)
CALL(top_k_rows, keys, N, UPSWEEP_U32, NULL, 2, 3, out, wide, 64)
CALL(reduce_rows, keys, N, UPSWEEP_U32, NULL, 2, UPSWEEP_SUM, wide)
CALL(reduce_axis, keys, 1, N / 2, 2, UPSWEEP_U32, UPSWEEP_SUM, wide)
CALL(argmin_rows, keys, N, UPSWEEP_U32, NULL, 2, wide, 64)
CALL(argmax_rows, keys, N, UPSWEEP_U32, NULL, 2, wide, 64)
CALL(scan_rows, keys, out, N, UPSWEEP_U32, NULL, 2, UPSWEEP_SUM)
CALL(split_ids_index, bytes, UPSWEEP_U8, 2, N, 1, out, 32, N, wide, NULL)
CALL(argsort_strings, bytes, offsets, 32, 2, out, 32)
CALL(sort_strings, bytes, offsets, 32, 2, out, out_offsets)
CALL(sort_slices, bytes, N, slices, NULL, 2, 8, NULL)
CALL(unique, keys, N, UPSWEEP_U32, &found)
CALL(run_lengths, keys, N, UPSWEEP_U32, out, wide, &found)
CALL(reduce, keys, N, UPSWEEP_U32, UPSWEEP_SUM, wide)
CALL(argmin, keys, N, UPSWEEP_U32, &found)
CALL(argmax, keys, N, UPSWEEP_U32, &found)
CALL(minmax, keys, N, UPSWEEP_U32, out, out + 1)
CALL(reduce_by, keys, N, 4, combine, NULL, out)
CALL(scan, keys, out, N, UPSWEEP_U32, UPSWEEP_SUM)
CALL(scan_segmented, keys, bytes, out, N, UPSWEEP_U32, UPSWEEP_SUM)
CALL(scan_by_key, bytes, UPSWEEP_U8, keys, out, N, UPSWEEP_U32, UPSWEEP_SUM)
CALL(split, keys, bytes, out, N, 4, &found)
CALL(compact, keys, bytes, out, N, 4, &found)
CALL(histogram, keys, N, UPSWEEP_U32, &digit, wide)
CALL(split_keys, keys, out, N, UPSWEEP_U32, &digit, NULL)
CALL(split_ids, keys, bytes, UPSWEEP_U8, 2, out, N, 4, NULL)
CALL(gather, keys, N, places, 32, out, N, 4)
CALL(scatter, keys, places, 32, out, N, N, 4)
CALL(permute, keys, places, 32, N, 4)
CALL(reverse, keys, N, 4)
CALL(reverse_copy, keys, out, N, 4)
CALL(transpose, keys, 1, N / 2, 2, out, 4)

static upsweep_status call_explain_choice(const upsweep_options *o)
{
    return upsweep_explain_choice(u, 1000, UPSWEEP_U32, o, &report);
}

static upsweep_status call_scan_by(const upsweep_options *o)
{
    const uint32_t zero = 0;
    return upsweep_scan_by(u, keys, out, N, 4, combine, NULL, &zero, o);
}

#define ROW(name)                                                                                  \
    {                                                                                              \
        "upsweep_" #name, call_##name                                                              \
    }
static const struct {
    const char *name;
    upsweep_status (*call)(const upsweep_options *options);
} calls[] = {
    ROW(sort),           ROW(sort_pairs),      ROW(argsort),
    ROW(sort_rows),      ROW(sort_records),    ROW(sort_by),
    ROW(merge),          ROW(merge_runs),      ROW(is_sorted),
    ROW(nth_element),    ROW(top_k),           ROW(unique),
    ROW(run_lengths),    ROW(reduce),          ROW(argmin),
    ROW(argmax),         ROW(minmax),          ROW(reduce_by),
    ROW(scan),           ROW(scan_segmented),  ROW(scan_by_key),
    ROW(scan_by),        ROW(split),           ROW(compact),
    ROW(histogram),      ROW(split_keys),      ROW(split_ids),
    ROW(gather),         ROW(scatter),         ROW(permute),
    ROW(explain_choice), ROW(reverse),         ROW(top_k_rows),
    ROW(reduce_rows),    ROW(argmin_rows),     ROW(argmax_rows),
    ROW(scan_rows),      ROW(split_ids_index), ROW(argsort_strings),
    ROW(sort_strings),   ROW(sort_slices),     ROW(sort_copy),
    ROW(reverse_copy),   ROW(transpose),       ROW(search_sorted),
    ROW(reduce_axis),
};
enum { CALLS = sizeof calls / sizeof calls[0] };

static const struct {
    const char *name;
    unsigned bit;
} flags[] = {{"DESCENDING", UPSWEEP_DESCENDING}, {"NAN_FIRST", UPSWEEP_NAN_FIRST},
             {"NAN_RAW", UPSWEEP_NAN_RAW},       {"UNSTABLE", UPSWEEP_UNSTABLE},
             {"IN_PLACE", UPSWEEP_IN_PLACE},     {"EXCLUSIVE", UPSWEEP_EXCLUSIVE},
             {"LARGEST", UPSWEEP_LARGEST},       {"UNORDERED", UPSWEEP_UNORDERED},
             {"UPPER", UPSWEEP_UPPER},           {"NUMBERS", UPSWEEP_NUMBERS},
             {"ROUNDED", UPSWEEP_ROUNDED}};
enum { FLAGS = sizeof flags / sizeof flags[0] };

/* ---- the header's text ---- */

static char *header;

static char *read_header(void)
{
    const char *root = getenv("UPSWEEP_SOURCE");
    char path[4096];
    snprintf(path, sizeof path, "%s/include/upsweep.h", root == NULL ? "." : root);
    FILE *f = fopen(path, "r");
    if (f == NULL) {
        fail_msg("cannot read %s", path);
        return NULL;
    }
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, f) > 10000);
    fclose(f);
    return text;
}

/* Where the prototype of the function stands, or NULL. */
static const char *prototype(const char *name)
{
    char sought[64];
    snprintf(sought, sizeof sought, "upsweep_status %s(", name);
    return strstr(header, sought);
}

/* The flags that the comment before the prototype names; those of a comment serve all prototypes up
 * to the next comment. */
static unsigned flags_said(const char *name)
{
    const char *at = prototype(name), *line = NULL, *comment = NULL, *end;
    if (at == NULL) {
        fail_msg("upsweep.h has no %s", name);
    }
    for (const char *p = header; (p = strstr(p, "/*")) != NULL && p < at; p++) {
        comment = p;
    }
    for (const char *p = comment; (p = strstr(p, " * Flags: ")) != NULL && p < at; p++) {
        line = p + strlen(" * Flags: ");
    }
    if (line == NULL) {
        fail_msg("the comment of %s has no line on flags", name);
        return 0;
    }
    unsigned said = 0;
    for (bool more_words = true; more_words; line = end + strspn(end, ", \n*")) {
        end = line + strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_none");
        size_t length = (size_t)(end - line), f = 0;
        while (f < FLAGS &&
               (strlen(flags[f].name) != length || strncmp(flags[f].name, line, length) != 0)) {
            f++;
        }
        if (f == FLAGS && strncmp(line, "none.", 5) != 0) {
            fail_msg("%s: no flag is called %.*s", name, (int)length, line);
        }
        said |= f < FLAGS ? flags[f].bit : 0;
        more_words = *end == ',';
    }
    return said;
}

static unsigned flags_taken(upsweep_status (*call)(const upsweep_options *options))
{
    unsigned taken = 0;
    for (unsigned bit = 0; bit < 32; bit++) {
        char text[256];
        upsweep_options o = {.size = sizeof o, .flags = 1u << bit};
        upsweep_status status = call(&o);
        upsweep_last_error(u, text, sizeof text);
        if (status == UPSWEEP_OK) {
            taken |= 1u << bit;
        } else {
            assert_int_equal(status, UPSWEEP_ERROR_ARGUMENT);
            assert_memory_equal(text, "options.flags has bits", 22);
        }
    }
    return taken;
}

static void test_flags_of_calls(void **state)
{
    (void)state;
    header = read_header();
    size_t with_options = 0;
    for (size_t i = 0; i < CALLS; i++) {
        unsigned said = flags_said(calls[i].name), taken = flags_taken(calls[i].call);
        if (said != taken) {
            fail_msg("%s: the header says flags 0x%x, the call takes 0x%x", calls[i].name, said,
                     taken);
        }
        assert_int_equal(calls[i].call(NULL), UPSWEEP_OK);
    }
    for (const char *p = header; (p = strstr(p, "const upsweep_options *options")) != NULL; p++) {
        with_options++;
    }
    assert_int_equal(with_options, CALLS); /* none is left out here */
    free(header);
}

/* ---- families of numbers ---- */

static bool says(const char *words)
{
    char text[256];
    upsweep_last_error(u, text, sizeof text);
    return strstr(text, words) != NULL;
}

static void test_operators_as_flags(void **state)
{
    (void)state;
    for (upsweep_op op = UPSWEEP_SUM; op <= UPSWEEP_XOR; op++) {
        for (size_t i = 0; i < CALLS; i++) {
            upsweep_options o = {.size = sizeof o, .flags = (unsigned)op};
            assert_int_equal(calls[i].call(&o), UPSWEEP_ERROR_ARGUMENT);
            assert_true(says("this is an operator"));
        }
    }
}

static void test_other_flags(void **state)
{
    (void)state;
    const uint32_t tail[] = {0, 1}, head[] = {1, 0};
    upsweep_graph *g;
    upsweep_options o = {.flags = UPSWEEP_GRAPH_NEGATIVE};
    assert_int_equal(call_sort(&o), UPSWEEP_ERROR_ARGUMENT);
    assert_true(says("flags of a graph"));
    o.flags = UPSWEEP_PATHS_REACHED;
    assert_int_equal(call_sort(&o), UPSWEEP_ERROR_ARGUMENT);
    assert_true(says("upsweep_paths_batch"));
    const unsigned of_graphs =
        UPSWEEP_GRAPH_UNDIRECTED | UPSWEEP_GRAPH_SYMMETRIC | UPSWEEP_GRAPH_NEGATIVE;
    const unsigned of_batches = UPSWEEP_PATHS_PARENTS | UPSWEEP_PATHS_REACHED;
    const unsigned of_fields = UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW;
    for (unsigned bit = 0; bit < 32; bit++) {
        unsigned flag = 1u << bit;
        upsweep_status status =
            upsweep_graph_from_arcs(u, 2, 2, tail, head, NULL, (upsweep_type)0, flag, &g);
        assert_int_equal(status, flag & of_graphs ? UPSWEEP_OK : UPSWEEP_ERROR_ARGUMENT);
        upsweep_graph_free(status == UPSWEEP_OK ? g : NULL);
        upsweep_field f = {.type = UPSWEEP_U32, .flags = flag};
        assert_int_equal(upsweep_sort_records(u, keys, N, 4, &f, 1, NULL),
                         flag & of_fields ? UPSWEEP_OK : UPSWEEP_ERROR_ARGUMENT);
    }
    assert_int_equal(upsweep_graph_from_arcs(u, 2, 2, tail, head, NULL, (upsweep_type)0, 0, &g),
                     UPSWEEP_OK);
    for (unsigned bit = 0; bit < 32; bit++) {
        uint32_t distance[2];
        upsweep_batch_options b = {.size = sizeof b, .flags = 1u << bit};
        assert_int_equal(upsweep_paths_matrix(u, g, tail, 0, &b, distance, NULL),
                         UPSWEEP_ERROR_ARGUMENT);
        assert_int_equal(upsweep_paths_batch(u, g, tail, 0, &b, (upsweep_path_sink)NULL, NULL),
                         UPSWEEP_ERROR_ARGUMENT);
        assert_int_equal(says("sink is NULL"), (b.flags & of_batches) != 0);
    }
    upsweep_graph_free(g);
}

/* Operators by their numbers of 0.1, and nothing else. */
static void test_operators(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 0x300; n++) {
        uint64_t a[2] = {0}, b = 0;
        uint32_t scanned[2][N] = {{0}};
        unsigned low = n & 0xFF;
        bool good = low >= 1 && low <= 7 && n < 0x200;
        upsweep_op op = (upsweep_op)n, marked = (upsweep_op)(low | 0x100);
        upsweep_status status = upsweep_reduce(u, keys, N, UPSWEEP_U32, op, &a[0], NULL);
        assert_int_equal(status, good ? UPSWEEP_OK : UPSWEEP_ERROR_ARGUMENT);
        status = upsweep_scan(u, keys, scanned[0], N, UPSWEEP_U32, op, NULL);
        assert_int_equal(status, good ? UPSWEEP_OK : UPSWEEP_ERROR_ARGUMENT);
        assert_int_equal(upsweep_reduce_type(UPSWEEP_U32, op) != 0, good);
        if (good) {
            upsweep_reduce(u, keys, N, UPSWEEP_U32, marked, &b, NULL);
            upsweep_scan(u, keys, scanned[1], N, UPSWEEP_U32, marked, NULL);
            assert_true(a[0] == b);
            assert_memory_equal(scanned[0], scanned[1], sizeof scanned[0]);
        }
    }
    const upsweep_type exchanged = (upsweep_type)UPSWEEP_SUM;
    assert_int_equal(upsweep_reduce(u, keys, N, exchanged, (upsweep_op)UPSWEEP_U32, wide, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    assert_true(says("it is an operator"));
}

static int begin(void **state)
{
    (void)state;
    report = (upsweep_report)UPSWEEP_REPORT_INIT;
    for (uint32_t i = 0; i < N; i++) {
        keys[i] = more[i] = 3 * i;
        bytes[i] = (uint8_t)(i % 2);
    }
    return upsweep_open(&u, "cpu", NULL) == UPSWEEP_OK ? 0 : 1;
}

static int end(void **state)
{
    (void)state;
    upsweep_close(u);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flags_of_calls), cmocka_unit_test(test_operators_as_flags),
        cmocka_unit_test(test_other_flags), cmocka_unit_test(test_operators)};
    return cmocka_run_group_tests_name("contract", tests, begin, end);
}
