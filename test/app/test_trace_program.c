/* test_trace_program.c - `upsweep trace` and `upsweep explain`: golden outputs, refused input,
 * and the jsonl format read back. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "test/shared/trace_watch.h"

enum { TEXT = 1 << 16 };

/* What the program prints, and how it exits. */
static char *run(const char *arguments, int *status)
{
    char command[4096];
    const char *program = getenv("UPSWEEP_PROGRAM");
    if (program == NULL) {
        skip();
    }
    snprintf(command, sizeof command, "'%s' 2>&1 %s", program, arguments);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    char *text = malloc(1 << 20);
    assert_non_null(text);
    size_t length = fread(text, 1, (1 << 20) - 1, f);
    text[length] = '\0';
    int code = pclose(f);
    *status = WIFEXITED(code) ? WEXITSTATUS(code) : -1;
    return text;
}

/* A golden file is the arguments of the program, a new line, and what it then prints. */
static void test_golden(void **state)
{
    (void)state;
    static const char *const names[] = {
        "oddeven", "oddeven_second", "butterfly",     "tree",      "sweep",   "split_flags",
        "split",   "vector",         "vectors",       "bitonic",   "radix",   "sample",
        "hybrid",  "quick",          "dijkstra",      "bucket",    "nothing", "explain_oddeven",
        "every",   "every_split",    "explain_words", "displaced", "runs"};
    const char *source = getenv("UPSWEEP_SOURCE");
    if (source == NULL) {
        skip();
    }
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        static char golden[TEXT];
        char path[4096];
        snprintf(path, sizeof path, "%s/test/golden/trace_%s.txt", source, names[k]);
        FILE *f = fopen(path, "r");
        assert_non_null(f);
        golden[fread(golden, 1, sizeof golden - 1, f)] = '\0';
        fclose(f);
        char *output = strchr(golden, '\n');
        assert_non_null(output);
        *output++ = '\0';
        int status;
        char *text = run(golden, &status);
        assert_int_equal(status, 0);
        assert_string_equal(text, output);
        free(text);
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *arguments, *says;
    } all[] = {
        {"trace", "which algorithm"},
        {"page", "which algorithm"},
        {"page sort/oddeven sort/odeven 1", "near it: sort/oddeven"},
        {"page sort/oddeven 1 -o /no/such/place", "/no/such/place"},
        {"page path/dijkstra 0 1", "it takes arcs"},
        {"trace sort/odeven 1 2", "near it: sort/oddeven"},
        {"explain reduce/butterfli", "near it: reduce/butterfly"},
        {"explain xyzzyx", "`upsweep list` shows all"},
        {"trace sort/oddeven 1 two", "'two' is no whole number"},
        {"trace sort/oddeven 4294967296", "'4294967296' is no whole number"},
        {"trace sort/oddeven --format yaml 1", "there is no format 'yaml'"},
        {"trace path/dijkstra 0 1", "it takes arcs"},
        {"trace path/dijkstra 0 4000000000 1", "it takes arcs"},
        {"trace sort/oddeven 1 -o /dev/full", "/dev/full"},
        {"trace sort/oddeven 1 -o /no/such/place", "/no/such/place"},
        {"trace sort/oddeven 1 2 >/dev/full", "standard output: No space left on device"},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        int status;
        char *text = run(all[k].arguments, &status);
        if (status != 2 || strstr(text, all[k].says) == NULL ||
            strchr(text, '\n') != text + strlen(text) - 1) {
            fail_msg("upsweep %s: exit %d: %s", all[k].arguments, status, text);
        }
        free(text);
    }
    assert_int_equal(upsweep_trace("sort/none", NULL, 0, NULL, NULL, NULL),
                     UPSWEEP_ERROR_ALGORITHM);
    assert_int_equal(upsweep_trace(NULL, NULL, 0, NULL, NULL, NULL), UPSWEEP_ERROR_ALGORITHM);
    assert_int_equal(upsweep_trace("sort/radix", NULL, 1, NULL, NULL, NULL),
                     UPSWEEP_ERROR_ARGUMENT);
    uint32_t far[] = {0, 1, UINT32_MAX - 1, 1, 2, 1}, result[6] = {7, 7, 7, 7, 7, 7};
    assert_int_equal(upsweep_trace("path/dijkstra", far, 6, result, NULL, NULL),
                     UPSWEEP_ERROR_RANGE);
    assert_int_equal(result[0], 7); /* an error leaves the result as it was */
}

/* ---- jsonl, read back ---- */

/* -o: the file appears with what would else be printed, and not at all when input is refused. */
static void test_output(void **state)
{
    (void)state;
    char path[] = "/tmp/upsweep_trace_XXXXXX", arguments[256];
    int fd = mkstemp(path), status;
    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
    assert_int_equal(unlink(path), 0);
    snprintf(arguments, sizeof arguments, "trace path/dijkstra 1 2 -o %s", path);
    free(run(arguments, &status));
    assert_int_equal(status, 2);
    assert_int_not_equal(access(path, F_OK), 0);

    snprintf(arguments, sizeof arguments, "trace scan/sweep 3 1 7 -o %s; cat %s", path, path);
    char *file = run(arguments, &status), *printed = run("trace scan/sweep 3 1 7", &status);
    assert_string_equal(file, printed);
    assert_int_equal(unlink(path), 0);
    free(file);
    free(printed);
}

/* The text behind "key": in a line, or NULL. */
static const char *member(const char *line, const char *key)
{
    char quoted[40];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(line, quoted);
    return at == NULL ? NULL : at + strlen(quoted);
}

static uint64_t number(const char *line, const char *key)
{
    const char *at = member(line, key);
    return at == NULL ? 0 : strtoull(at, NULL, 10);
}

static const char *word(const char *line, const char *key, char to[128])
{
    const char *at = member(line, key);
    return at != NULL && sscanf(at, "\"%127[^\"]\"", to) == 1 ? to : NULL;
}

/* The event that a line tells, or kind 0. texts: room for array, other and text. */
static upsweep_event read_line(const char *line, char texts[5][128], uint32_t values[256])
{
    static const char *const kinds[] = {"",          "begin", "phase",   "round", "compare",
                                        "swap",      "move",  "combine", "set",   "array",
                                        "end_round", "note",  "end"};
    upsweep_event e = {.round = number(line, "round"),
                       .lane = number(line, "lane"),
                       .i = number(line, "i"),
                       .j = number(line, "j"),
                       .a = (uint32_t)number(line, "a"),
                       .b = (uint32_t)number(line, "b"),
                       .values = values};
    assert_non_null(word(line, "event", texts[3]));
    for (size_t k = 1; k < sizeof kinds / sizeof *kinds; k++) {
        e.kind = strcmp(texts[3], kinds[k]) == 0 ? (upsweep_event_kind)k : e.kind;
    }
    e.array = word(line, "array", texts[0]);
    e.other = word(line, "other", texts[1]);
    switch (e.kind) {
    case UPSWEEP_EVENT_BEGIN:
        e.text = word(line, "algorithm", texts[2]);
        e.count = (size_t)number(line, "n");
        break;
    case UPSWEEP_EVENT_PHASE: e.text = word(line, "name", texts[2]); break;
    case UPSWEEP_EVENT_ROUND: e.text = word(line, "label", texts[2]); break;
    case UPSWEEP_EVENT_NOTE: e.text = word(line, "text", texts[2]); break;
    case UPSWEEP_EVENT_END: e.round = number(line, "rounds"); break;
    case UPSWEEP_EVENT_ARRAY: e.text = word(line, "role", texts[2]); break;
    default: break;
    }
    const char *place = member(line, "line");
    if (place != NULL) {
        strcpy(texts[4], "algo/");
        assert_int_equal(sscanf(place, "\"%100[^:]:%u\"", texts[4] + 5, &e.line), 2);
        e.file = texts[4];
    }
    if (e.kind == UPSWEEP_EVENT_ARRAY) {
        const char *at = member(line, "values");
        e.i = number(line, "vector");
        assert_true(at != NULL && *at == '[');
        for (char *end = NULL; *at != ']' && at[1] != ']'; at = end) {
            values[e.count++] = (uint32_t)strtoul(at + 1, &end, 10);
        }
    }
    return e;
}

static size_t parse(const char *text, uint32_t *values)
{
    size_t n = 0;
    for (char *end; *text != '\0'; text = end) {
        values[n++] = (uint32_t)strtoul(text, &end, 10);
    }
    return n;
}

/* Every line goes through the same watch as the events themselves: equal hashes and counts say
 * that nothing is lost in the format. */
static void test_jsonl(void **state)
{
    (void)state;
    const upsweep_algorithm *a;
    for (size_t k = 0; (a = upsweep_algorithm_at(k)) != NULL; k++) {
        char arguments[1024], texts[5][128];
        uint32_t values[256];
        int status;
        snprintf(arguments, sizeof arguments, "trace %s %s --format jsonl", a->name, a->example);
        char *text = run(arguments, &status);
        assert_int_equal(status, 0);
        trace_watch told, read = {.array_count = 0};
        trace_watched(&told, a->name, values, parse(a->example, values), NULL);
        for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
            *end = '\0';
            assert_true(line[0] == '{' && end[-1] == '}');
            upsweep_event e = read_line(line, texts, values);
            if (e.kind == UPSWEEP_EVENT_BEGIN || e.kind == UPSWEEP_EVENT_PHASE ||
                e.kind == UPSWEEP_EVENT_NOTE) {
                e.round = read.rounds; /* not told, since it follows from the lines before */
            }
            trace_watch_sink(&read, &e);
        }
        assert_string_equal(read.problem, "");
        assert_true(read.hash == told.hash && read.ended);
        assert_memory_equal(read.counts, told.counts, sizeof told.counts);
        trace_watch_free(&told);
        trace_watch_free(&read);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_golden),
                                       cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_output), cmocka_unit_test(test_jsonl)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
