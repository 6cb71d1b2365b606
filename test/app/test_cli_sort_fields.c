/* test_cli_sort_fields.c - `upsweep sort -k` of fields that begin alike, beside sort(1): such
 * fields are sorted as strings, and lines whose fields are equal by what comes after. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include <cmocka.h>

static char folder[] = "/tmp/upsweep-test-fields-XXXXXX";
static const char *program;
static uint64_t seed = 0x2545f4914f6cdd1du;

enum { TEXT_MAX = 8 << 20 };

static size_t draw(size_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (size_t)(seed >> 11) % below;
}

/* Lines of three fields and more or fewer; the second is one of `kinds` that begin alike, some with
 * NUL and high bytes, some empty, the others short or one long one. */
static size_t draw_text(char *to, size_t lines, size_t kinds, char separator, char end)
{
    size_t n = 0;
    for (size_t i = 0; i < lines; i++) {
        n += (size_t)sprintf(to + n, "%zu", draw(4) == 0 ? draw(10) : draw(100000));
        if (draw(50) > 0) {
            size_t kind = draw(kinds);
            n += (size_t)sprintf(to + n, "%c/usr/share/a/common/way/%zu%.*s", separator, kind,
                                 (int)(kind % 9), "/deeper/and/so/on");
            to[n - 2] = kind % 7 == 0    ? '\n' - end /* NUL, or with -z a newline */
                        : kind % 11 == 0 ? '\xe9'
                                         : to[n - 2];
        }
        n += draw(3) == 0 ? (size_t)sprintf(to + n, "%c%zu", separator, draw(100)) : 0;
        to[n++] = end;
    }
    return n - (draw(3) == 0); /* now and then without the last end */
}

/* All words go to a shell; ours is the program. */
static program_result run(const char *words, bool ours)
{
    char line[1024];
    snprintf(line, sizeof line, "cd %s && %s%s %s", folder, ours ? program : "sort",
             ours ? " sort" : "", words);
    const char *argv[] = {"sh", "-c", line, NULL};
    return program_run(folder, argv, NULL);
}

static bool has_gnu(void)
{
    program_result r = run("--version", false);
    bool gnu = r.status == 0 && strstr(r.out, "GNU") != NULL;
    program_free(&r);
    return gnu;
}

static void compare(const char *words, bool strings)
{
    char with[600];
    snprintf(with, sizeof with, "--stats --threads=3 %s", words);
    program_result want = run(words, false), got = run(with, true);
    bool as_strings = strstr(got.err, "the field, by its bytes") != NULL;
    if (as_strings != strings || got.status != want.status || got.out_bytes != want.out_bytes ||
        memcmp(got.out, want.out, want.out_bytes) != 0) {
        print_error("sort %s\n%s", words, got.err);
        fail();
    }
    program_free(&want);
    program_free(&got);
}

static void fields_as_sort_does(void **state)
{
    (void)state;
    static const char *const options[] = {
        "-k2,2",       "-k2",       "-k2,2 -s",     "-k2,2 -u",   "-k2,2r",       "-r -k2,2",
        "-k2,2 -k1,1", "-k2,2 -k3", "-k2,2r -k1nr", "-k2.3,2.30", "-k2,3 -s -k1", "-k2,2 -u -r"};
    static char text[TEXT_MAX];
    char name[64];
    snprintf(name, sizeof name, "%s/text", folder);
    if (!has_gnu()) {
        skip();
    }
    for (size_t i = 0; i < 72; i++) {
        static const size_t kinds[] = {1, 5, 300, 50000};
        char tab = draw(2) == 0 ? ':' : ' ', words[100];
        bool zero = draw(6) == 0;
        size_t lines = i % 3 == 0 ? 100000 : 4096 + draw(6000);
        size_t bytes = draw_text(text, lines, kinds[i / 12 % 4], tab, zero ? '\0' : '\n');
        assert_int_equal(program_store(name, text, bytes), 0);
        snprintf(words, sizeof words, "%s%s%s text", options[i % 12], tab == ':' ? " -t:" : "",
                 zero ? " -z" : "");
        compare(words, true);
    }
}

/* Few lines, fields that differ at once, and one too long for an item go by keys. */
static void other_fields_as_before(void **state)
{
    (void)state;
    enum { LONG = 17 << 20, LINES = 5000 };
    char name[64], *text = malloc(LONG + (LINES << 6)), *p = text;
    assert_non_null(text);
    snprintf(name, sizeof name, "%s/text", folder);
    if (!has_gnu()) {
        free(text);
        skip();
    }
    assert_int_equal(program_store(name, text, draw_text(text, 4000, 50, ' ', '\n')), 0);
    compare("-k2,2 text", false);
    for (size_t i = 0; i < LINES; i++) {
        p += sprintf(p, "%zu %zu/and/more\n", draw(100), draw(1000000));
    }
    assert_int_equal(program_store(name, text, (size_t)(p - text)), 0);
    compare("-k2,2 text", false);
    size_t bytes = draw_text(text, LINES, 50, ' ', '\n');
    memcpy(text + bytes, "\n5 ", 3);
    memset(text + bytes + 3, 'x', LONG);
    assert_int_equal(program_store(name, text, bytes + 3 + LONG), 0);
    compare("-k2,2 text", false);
    free(text);
}

int main(void)
{
    program = getenv("UPSWEEP_PROGRAM");
    if (program == NULL || mkdtemp(folder) == NULL || setenv("TMPDIR", folder, 1) != 0) {
        fprintf(stderr, "UPSWEEP_PROGRAM must name the program\n");
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_as_sort_does),
        cmocka_unit_test(other_fields_as_before),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return program_remove(folder) == 0 ? failed : 1;
}
