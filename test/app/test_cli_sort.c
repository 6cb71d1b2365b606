/* test_cli_sort.c - `upsweep sort` against sort(1): random small texts, random options,
 * the same bytes, the same exit status, the same words on disorder. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include <cmocka.h>

static char folder[] = "/tmp/upsweep-test-sort-XXXXXX";
static const char *program;
static uint64_t seed = 0x9e3779b97f4a7c15u;

enum { RUNS = 1200, BIG_RUNS = 25, ARGUMENTS = 40, TEXT_MAX = 1 << 22 };

static size_t draw(size_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (size_t)(seed >> 11) % below;
}

#define PICK(array) (array)[draw(sizeof(array) / sizeof *(array))]

/* Numbers of every kind; no NaN, whose order differs from one version of sort(1) to the next. */
static size_t draw_number(char *to)
{
    static const char *const odd[] = {"",
                                      "-",
                                      ".",
                                      "-.",
                                      "+5",
                                      "-0",
                                      "0",
                                      "00",
                                      "0.0",
                                      "-0.0",
                                      ".5",
                                      "-.5",
                                      "5.",
                                      "007",
                                      "1e5",
                                      "1E5",
                                      "1e",
                                      "1e+",
                                      "0x10",
                                      "0x",
                                      "0x1p3",
                                      "inf",
                                      "-inf",
                                      "1e400",
                                      "abc",
                                      "1,5",
                                      "1 2",
                                      "--5",
                                      "- 5",
                                      " 3",
                                      "\t3",
                                      "3 ",
                                      "3\r",
                                      "1e-4",
                                      "1e5000",
                                      "INF",
                                      "3x",
                                      "3.e1",
                                      "1e-400",
                                      "-1e400",
                                      "9223372036854775807",
                                      "9223372036854775808",
                                      "18446744073709551616",
                                      "-9223372036854775809",
                                      "1.000000000000000001",
                                      "1.0000000000000000011",
                                      "1.00000000000000000109"};
    double unit = (double)draw(1u << 30) / (1u << 29) - 1;
    switch (draw(8)) {
    case 0: return (size_t)sprintf(to, "%s", PICK(odd));
    case 1: return (size_t)sprintf(to, "%d", (int)draw(20) - 10);
    case 2: return (size_t)sprintf(to, "%.*f", (int)draw(8), 100 * unit);
    case 3: return (size_t)sprintf(to, "%.17g", unit);
    case 4: return (size_t)sprintf(to, "%.*e", (int)draw(20), unit * (double)(1 + draw(1000000)));
    case 5: return (size_t)sprintf(to, "%.*s%zu", (int)draw(20), "00000000000000000000", draw(99));
    case 6: return (size_t)sprintf(to, "%s%zu%zu", draw(2) ? "-" : "", draw(SIZE_MAX), draw(1000));
    default: return (size_t)sprintf(to, "%zu.%.*s%zu", draw(3), (int)draw(5), "00000", draw(3));
    }
}

static size_t draw_word(char *to)
{
    static const char *const words[] = {"the", "The", "quick", "brown", "FOX",
                                        "fox", "",    "a",     "ab"};
    size_t n = draw(12);
    switch (draw(6)) {
    case 0:
        for (size_t i = 0; i < n; i++) {
            to[i] = "aAbB._-1 "[draw(9)];
        }
        return n;
    case 1:
        for (size_t i = 0; i < n; i++) {
            to[i] = (char)draw(256);
        }
        return n;
    case 2: memset(to, 0, n); return n;
    case 3: return (size_t)sprintf(to, "common/prefix/of/all/%zu", draw(100));
    case 4: memset(to, 'x', 3 * n); return 3 * n;
    default: return (size_t)sprintf(to, "%s", PICK(words));
    }
}

static size_t draw_line(char *to, size_t kind)
{
    static const char *const separators[] = {" ", ",", "\t", "  ", ":", "\t "};
    if (kind < 2) {
        return kind == 0 ? draw_number(to) : draw_word(to);
    }
    const char *separator = PICK(separators);
    size_t at = 0, fields = draw(6);
    for (size_t i = 0; i < fields; i++) {
        at += i > 0 ? (size_t)sprintf(to + at, "%s", separator) : 0;
        at += draw(2) == 0 ? draw_number(to + at) : draw_word(to + at);
    }
    return at;
}

/* n lines, of which some may be equal; ends in text are taken out. */
static size_t draw_text(char *to, size_t n, char end)
{
    static char pool[200][512];
    static size_t sizes[200];
    size_t kind = draw(4), different = 1 + draw(200), at = 0;
    for (size_t i = 0; i < different; i++) {
        sizes[i] = draw_line(pool[i], kind);
        for (char *p = pool[i]; (p = memchr(p, end, sizes[i] - (size_t)(p - pool[i]))) != NULL;) {
            *p = '?';
        }
    }
    for (size_t i = 0; i < n && at + 1024 < TEXT_MAX; i++) {
        size_t line = draw(different);
        memcpy(to + at, pool[line], sizes[line]);
        at += sizes[line];
        if (n > 1000 && draw(2) == 0) { /* large inputs have lines of their own, too */
            at += (size_t)sprintf(to + at, "%zu", draw(n));
        }
        to[at++] = end;
    }
    return at > 0 && draw(3) == 0 ? at - 1 : at;
}

typedef struct command {
    const char *argument[ARGUMENTS + 8];
    size_t count;
    char text[ARGUMENTS][32];
    bool merge;
} command;

static void add(command *c, const char *argument)
{
    c->argument[c->count] = strcpy(c->text[c->count], argument);
    c->count++;
}

static void draw_key(char *to)
{
    static const char *const begins[] = {"",  "",  "b", "n",  "r",  "g",
                                         "f", "d", "i", "nr", "bf", "fr"};
    static const char *const ends[] = {"", "", "", "b", "r"};
    to += sprintf(to, "%zu", 1 + draw(4));
    to += draw(3) == 0 ? sprintf(to, ".%zu", 1 + draw(3)) : 0;
    to += sprintf(to, "%s", PICK(begins));
    if (draw(5) < 3) {
        to += sprintf(to, ",%zu", 1 + draw(4));
        to += draw(3) == 0 ? sprintf(to, ".%zu", draw(4)) : 0;
        sprintf(to, "%s", PICK(ends));
    }
}

static void draw_options(command *c, bool zero)
{
    static const char *const options[] = {"-n", "-g", "-r", "-u", "-s", "-b", "-f", "-d", "-i"};
    static const char *const tabs[] = {"-t,", "-t ", "-t:", "-t\t"};
    static const size_t rarely[] = {3, 6, 4, 4, 4, 7, 7, 12, 12};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (draw(rarely[i]) == 0) {
            add(c, options[i]);
        }
    }
    if (zero) {
        add(c, "-z");
    }
    if (draw(5) < 2) {
        add(c, PICK(tabs));
    }
    for (size_t keys = draw(6) < 2 ? 0 : draw(4); keys > 0; keys--) {
        char key[32];
        draw_key(key);
        add(c, "-k");
        add(c, key);
    }
}

/* Runs both programs with the same arguments and compares all there is. */
static void compare(command *c, size_t run)
{
    const char *argv[ARGUMENTS + 16] = {"sort"};
    memcpy(argv + 1, c->argument, c->count * sizeof *argv);
    program_result want = program_run(folder, argv, NULL);
    argv[0] = program;
    argv[1] = "sort";
    argv[2] = run % 2 == 0 ? "--threads=1" : "--threads=3";
    memcpy(argv + 3, c->argument, c->count * sizeof *argv);
    program_result got = program_run(folder, argv, NULL);
    bool same = got.status == want.status && got.out != NULL && want.out != NULL &&
                got.out_bytes == want.out_bytes && memcmp(got.out, want.out, want.out_bytes) == 0;
    if (same && want.status == 1 && want.err_bytes > 0) { /* "sort: FILE:LINE: disorder: ..." */
        same = got.err_bytes == want.err_bytes + 8 &&
               memcmp(got.err + 8, want.err, want.err_bytes) == 0;
    }
    if (!same && want.status != 2) {
        print_error("run %zu, exit status %d and %d: sort", run, want.status, got.status);
        for (size_t i = 0; i < c->count; i++) {
            print_error(" '%s'", c->argument[i]);
        }
        print_error("\n%s", got.err);
        fail();
    }
    program_free(&want);
    program_free(&got);
}

static void draw_run(size_t run, size_t lines)
{
    static char names[3][64];
    static char text[TEXT_MAX];
    command c = {.count = 0};
    bool zero = draw(10) == 0;
    size_t files = draw(3) == 0 ? 1 + draw(3) : 1, mode = draw(8);
    draw_options(&c, zero);
    if (mode == 0) {
        add(&c, draw(2) == 0 ? "-c" : "-C");
        files = 1;
    }
    size_t options = c.count;
    for (size_t f = 0; f < files; f++) {
        snprintf(names[f], sizeof names[f], "%s/%zu", folder, f);
        size_t bytes = draw_text(text, draw(4) == 0 ? draw(4) : draw(lines), zero ? '\0' : '\n');
        assert_int_equal(program_store(names[f], text, bytes), 0);
        c.argument[c.count++] = names[f];
    }
    if (mode == 1) { /* -m wants sorted files */
        for (size_t f = 0; f < files; f++) {
            command each = c;
            each.count = options;
            each.argument[each.count++] = "-o";
            each.argument[each.count++] = names[f];
            each.argument[each.count++] = names[f];
            const char *argv[ARGUMENTS + 16] = {"sort"};
            memcpy(argv + 1, each.argument, each.count * sizeof *argv);
            program_result r = program_run(folder, argv, NULL);
            program_free(&r);
        }
        c.argument[c.count++] = "-m";
    }
    compare(&c, run);
}

static bool have_sort(void)
{
    const char *argv[] = {"sort", "--version", NULL};
    program_result r = program_run(folder, argv, NULL);
    bool have = r.status == 0 && r.out != NULL && strstr(r.out, "GNU") != NULL;
    program_free(&r);
    return have;
}

static void small_texts_as_sort_does(void **state)
{
    (void)state;
    if (!have_sort()) {
        print_message("there is no GNU sort to compare with\n");
        skip();
    }
    for (size_t run = 0; run < RUNS; run++) {
        draw_run(run, 120);
    }
}

/* Enough lines for several threads and for large runs of equal keys. */
static void large_texts_as_sort_does(void **state)
{
    (void)state;
    if (!have_sort()) {
        skip();
    }
    for (size_t run = 0; run < BIG_RUNS; run++) {
        draw_run(run, 60000);
    }
}

/* Whether --stats says that lines were written from their numbers. */
static bool is_written_again(const char *name)
{
    const char *argv[] = {program, "sort", "-n", "--stats", name, NULL};
    program_result r = program_run(folder, argv, NULL);
    bool again = strstr(r.err, "from which its line is written again") != NULL;
    assert_int_equal(r.status, 0);
    program_free(&r);
    return again;
}

/* Each number in the usual way; or one of them in another, early, in the middle, or last. */
static void numbers_as_sort_does(void **state)
{
    (void)state;
    static char text[TEXT_MAX];
    static const char *const odd[] = {"007", "-0", "", "5 ", "1.5", "99999999999999999999", "+1"};
    static const char *const options[][2] = {{"-n", "-s"},   {"-nu", "-s"},     {"-nr", "-u"},
                                             {"-g", "-r"},   {"-k1,1n", "-t-"}, {"-k1,1n", "-u"},
                                             {"-k1n", "-r"}, {"-k1,1g", "-t,"}};
    char name[64];
    snprintf(name, sizeof name, "%s/numbers", folder);
    for (size_t run = 0; run < 120; run++) {
        size_t n = run % 4 == 0 ? 40000 : 2 + draw(300), at = draw(n), bytes = 0,
               few = 1 + draw(60);
        bool usual = run % 3 > 0;
        for (size_t i = 0; i < n; i++) {
            long long value = (long long)(draw(SIZE_MAX) >> few) * (draw(2) == 0 ? 1 : -1);
            bytes += !usual && i == at
                         ? (size_t)sprintf(text + bytes, "%s\n", PICK(odd))
                         : (size_t)sprintf(text + bytes, run % 2 ? "%lld\n" : "%lld.25\n", value);
        }
        assert_int_equal(program_store(name, text, bytes), 0);
        if (run % 2 && usual) { /* decimals may have been -0.25 */
            assert_true(is_written_again(name));
        } else if (!usual) {
            assert_false(is_written_again(name));
        }
        command c = {.count = 0};
        const char *const *pick = PICK(options);
        add(&c, pick[0]);
        add(&c, pick[1]);
        c.argument[c.count++] = name;
        if (have_sort()) {
            compare(&c, run);
        }
    }
}

/* A line too long for an item of 64 bits to say how long it is. */
static void a_very_long_line(void **state)
{
    (void)state;
    if (!have_sort()) {
        skip();
    }
    size_t long_bytes = (size_t)17 << 20, bytes = 0;
    char *text = malloc(long_bytes + 100), name[64];
    memcpy(text, "b\na\nb\n", 6);
    memset(text + 6, 'a', long_bytes);
    bytes = 6 + long_bytes;
    memcpy(text + bytes, "\nab\na\n", 6);
    snprintf(name, sizeof name, "%s/long", folder);
    assert_int_equal(program_store(name, text, bytes + 6), 0);
    free(text);
    static const char *const options[] = {"-s", "-u", "-r"};
    for (size_t i = 0; i < 3; i++) {
        command c = {.count = 0};
        add(&c, options[i]);
        c.argument[c.count++] = name;
        compare(&c, i);
    }
}

int main(void)
{
    program = getenv("UPSWEEP_PROGRAM");
    if (program == NULL || mkdtemp(folder) == NULL || setenv("TMPDIR", folder, 1) != 0) {
        fprintf(stderr, "UPSWEEP_PROGRAM must name the program\n");
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_texts_as_sort_does),
        cmocka_unit_test(large_texts_as_sort_does),
        cmocka_unit_test(numbers_as_sort_does),
        cmocka_unit_test(a_very_long_line),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command_line[300];
    snprintf(command_line, sizeof command_line, "rm -rf %s", folder);
    return system(command_line) == 0 ? failed : 1;
}
