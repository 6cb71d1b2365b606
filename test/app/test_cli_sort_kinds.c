/* test_cli_sort_kinds.c - the orders of `upsweep sort` beyond bytes and numbers, and its name:
 * sizes, months, versions, random order, locales, old keys, --debug, --files0-from; called as sort
 * it is sort(1). Expected outputs are written out, or made by sort(1) where that is GNU's. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/program.h"

#include <locale.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include <cmocka.h>

static char folder[] = "/tmp/upsweep-test-kinds-XXXXXX";
static const char *program;

/* The output of a shell's command, in which upsweep and ./sort are the program, and [STATUS]. */
static char *shell(const char *command)
{
    char line[4096];
    snprintf(line, sizeof line, "cd %s && upsweep() { %s \"$@\"; } && { %s\n} 2>&1; echo \"[$?]\"",
             folder, program, command);
    const char *argv[] = {"sh", "-c", line, NULL};
    program_result r = program_run(folder, argv, NULL);
    assert_int_equal(r.status, 0);
    free(r.err);
    return r.out;
}

static void expect(const char *command, const char *want)
{
    char *got = shell(command);
    assert_string_equal(got, want);
    free(got);
}

/* The program and sort(1) make the same of the same words. */
static void expect_same(const char *words)
{
    char ours[2048], theirs[2048];
    snprintf(ours, sizeof ours, "./sort %s", words);
    snprintf(theirs, sizeof theirs, "sort %s", words);
    char *a = shell(ours), *b = shell(theirs);
    if (strcmp(a, b) != 0) {
        print_message("sort %s:\n%s-- not\n%s", words, a, b);
        fail();
    }
    free(a);
    free(b);
}

static bool has_gnu(void)
{
    char *text = shell("sort --version");
    bool gnu = strstr(text, "GNU") != NULL;
    free(text);
    return gnu;
}

static void store(const char *name, const char *text, size_t bytes)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(program_store(path, text, bytes), 0);
}

#define STORE(name, text) store(name, text, sizeof(text) - 1)

static void sizes(void **state)
{
    (void)state;
    STORE("sizes", "1K\n1025\n-1M\n2K\n-3\n0.5G\n1.5K\n1R\n1Q\n0K\n1k\n");
    expect("upsweep sort -h sizes", "-1M\n-3\n0K\n1025\n1K\n1k\n1.5K\n2K\n0.5G\n1R\n1Q\n[0]\n");
    expect("upsweep sort --human-numeric-sort -r sizes | head -2", "1Q\n1R\n[0]\n");
    /* One digit more than a key holds, and exponents beyond it. */
    expect("printf '1000000000000000.2K\\n1000000000000000.1K\\n' | upsweep sort -hs",
           "1000000000000000.1K\n1000000000000000.2K\n[0]\n");
    expect("a=$(printf '%0200d' 0); printf \"2${a}K\\n1${a}K\\n0.${a}2K\\n0.${a}1K\\n\" | upsweep "
           "sort -hs | cut -c1-3",
           "0.0\n0.0\n100\n200\n[0]\n");
    expect(
        "a=$(printf '%0200d' 0); printf \"0.${a}2K\\n0.${a}1K\\n\" | upsweep sort -hs | tail -c3",
        "2K\n[0]\n");
    expect("printf '1m\\n2K\\n' | upsweep sort -hf", "2K\n1m\n[0]\n");
    expect("printf 'a 2M\\nb 10K\\n' | upsweep sort -k2h", "b 10K\na 2M\n[0]\n");
}

static void months(void **state)
{
    (void)state;
    STORE("months", "dec\n  Feb 2\nJAN\nju\nJULY\nx\nmay\n");
    expect("upsweep sort -M months", "ju\nx\nJAN\n  Feb 2\nmay\nJULY\ndec\n[0]\n");
    expect("upsweep sort --sort=mon -r months | head -1", "dec\n[0]\n");
    expect("upsweep sort -Mc months", "upsweep sort: months:2: disorder:   Feb 2\n[1]\n");
}

static void versions(void **state)
{
    (void)state;
    STORE("versions", "a10\na9\na.tar.gz\na1.tar.gz\n..\n.\n\n.x\na~\na\na0b\na00\nab\n");
    expect("upsweep sort -V versions",
           "\n.\n..\n.x\na~\na\na00\na.tar.gz\na0b\na1.tar.gz\na9\na10\n"
           "ab\n[0]\n");
    expect("printf 'x 1.10\\ny 1.9\\n' | upsweep sort -k2V", "y 1.9\nx 1.10\n[0]\n");
    /* Numbers of more digits than one byte counts, and -d, which leaves the points out. */
    expect(
        "a=$(printf '%0300d' 0); printf \"v1${a}9\\nv2${a}\\nv9\\n\" | upsweep sort -V | cut -c1-2",
        "v9\nv2\nv1\n[0]\n");
    expect("printf '1.10\\n1.9\\n' | upsweep sort -dV", "1.9\n1.10\n[0]\n");
}

static void random_order(void **state)
{
    (void)state;
    STORE("source", "0123456789abcdef");
    STORE("few", "b\na\nc\na\nb\nb\n");
    expect("upsweep sort -R few | uniq | wc -l", "3\n[0]\n");
    expect("upsweep sort -R few | upsweep sort", "a\na\nb\nb\nb\nc\n[0]\n");
    expect("seq 2000 >many; upsweep sort -R many >1; upsweep sort -R many >2; cmp -s 1 2", "[1]\n");
    expect("upsweep sort -R --random-source=source many >1; upsweep sort -R --parallel=1 "
           "--random-source=source many >2; cmp 1 2; cmp -s 1 many",
           "[1]\n");
    if (has_gnu()) {
        expect_same("-R --random-source=source many");
        expect_same("-k1.2,1.3R -k1,1n --random-source=source many");
    }
}

static void old_keys(void **state)
{
    (void)state;
    STORE("two", "a 3\nb 1\nc 2\n");
    expect("upsweep sort +1 two", "b 1\nc 2\na 3\n[0]\n");
    expect("upsweep sort +1nr -2 two", "a 3\nc 2\nb 1\n[0]\n");
    expect("upsweep sort -- +1", "upsweep sort: cannot read: +1: No such file or directory\n[2]\n");
    expect("_POSIX2_VERSION=200112 upsweep sort +1",
           "upsweep sort: cannot read: +1: No such file or directory\n[2]\n");
    expect("_POSIX2_VERSION=200112 upsweep sort +1 -2 two", "b 1\nc 2\na 3\n[0]\n");
    expect("upsweep sort +1 -2x two", "upsweep sort: stray character in field spec: invalid field "
                                      "specification '-2x'\n[2]\n");
}

static void names_from_a_file(void **state)
{
    (void)state;
    STORE("one", "2\n");
    STORE("other", "1\n");
    STORE("names", "one\0other");
    STORE("empty_name", "one\0\0other\0");
    STORE("stdin_name", "one\0-\0");
    expect("upsweep sort --files0-from=names", "1\n2\n[0]\n");
    expect("cat names | upsweep sort -r --files0-from=-", "2\n1\n[0]\n");
    expect("upsweep sort --files0-from=empty_name",
           "upsweep sort: empty_name:2: invalid zero-length file name\n[2]\n");
    expect("upsweep sort --files0-from=stdin_name",
           "upsweep sort: when reading file names from stdin, no file name of '-' allowed\n[2]\n");
}

static void debugging(void **state)
{
    (void)state;
    STORE("two", "a\t3K x\nb  10\n");
    expect("upsweep sort --debug -k2h -s two 2>/dev/null", "b  10\n   __\na>3K x\n  __\n[0]\n");
    expect("upsweep sort --debug -k2n -f two 2>&1 >/dev/null",
           "upsweep sort: text ordering performed using simple byte comparison\n"
           "upsweep sort: key 1 is numeric and spans multiple fields\n"
           "upsweep sort: note numbers use '.' as a decimal point in this locale\n"
           "upsweep sort: option '-f' is ignored\n[0]\n");
    if (has_gnu()) {
        expect_same("--debug two");
        expect_same("--debug -b two");
        expect_same("--debug -k1,1 -k2,2M -k3g two");
        expect_same("--debug -t- -k1,2n -r -u two");
        expect_same("--debug -k3,2 +1 -2 two");
    }
}

/* As sort(1) there are its options only, -h among them, and the locale is the environment's. */
static void called_as_sort(void **state)
{
    (void)state;
    STORE("sizes", "1M\n2K\n");
    expect("./sort -h sizes", "2K\n1M\n[0]\n");
    expect("./sort --strict sizes",
           "sort: unrecognized option '--strict'; see `sort --help`\n[2]\n");
    expect("./sort -x", "sort: invalid option -- 'x'; see `sort --help`\n[2]\n");
    expect("./sort --version | grep -c upsweep", "1\n[0]\n");
    expect("./sort --help | head -3 | tail -1", "Usage: sort [OPTION]... [FILE]...\n[0]\n");
    expect("upsweep sort --version | grep -c upsweep", "1\n[0]\n");
    expect("upsweep sort --help | head -1; upsweep help sort | grep -c 'sort lines of text, or "
           "arrays'",
           "upsweep sort - sort lines of text, or arrays of numbers\n1\n[0]\n");
    /* Its bytes are lines, whatever they are. */
    expect("printf '\\223NUMPY\\n1\\n' | ./sort | head -1", "1\n[0]\n");
    expect("./sort -o - sizes && cat ./- && rm ./-", "1M\n2K\n[0]\n");
    expect("./sort -c sizes -m", "[0]\n");
    expect("export POSIXLY_CORRECT=1; ./sort sizes -o x -- ; ./sort sizes -r -o x",
           "sort: cannot read: --: No such file or directory\n"
           "sort: cannot read: -r: No such file or directory\n[2]\n");
    expect("yes | head -100000 | (./sort; echo $? >&2) 2>status | head -1; cat status",
           "y\n141\n[0]\n");
}

static bool has_locale(const char *name)
{
    locale_t l = newlocale(LC_ALL_MASK, name, (locale_t)0);
    if (l != (locale_t)0) {
        freelocale(l);
    }
    return l != (locale_t)0;
}

static const char *const names_of_locales[] = {"en_US", "de_DE", "cs_CZ", "sv_SE"};
enum { LOCALES = 4 };

/* Where none of them is installed they are made, if the system has what that takes. */
static void make_locales(void)
{
    char name[32], command[128];
    bool there = false;
    for (size_t i = 0; i < LOCALES; i++) {
        snprintf(name, sizeof name, "%s.UTF-8", names_of_locales[i]);
        there = there || has_locale(name);
    }
    for (size_t i = 0; i < LOCALES && !there; i++) {
        snprintf(command, sizeof command, "localedef -i %s -f UTF-8 ./%s.UTF-8 >/dev/null",
                 names_of_locales[i], names_of_locales[i]);
        free(shell(command));
    }
    if (!there) {
        assert_int_equal(setenv("LOCPATH", folder, 1), 0);
    }
}

/* Words of all sorts, many of them equal on the first level, some with characters that no table
 * holds, and NUL bytes. */
static void store_words(void)
{
    static const char *const parts[] = {"a", "A",  "b",  "ch", "c",  "CH", "h", "i",
                                        "z", "ä",  "Å",  "ö",  "é",  "ß",  "ř", "-",
                                        " ", "\'", "10", "9",  "日", "ж",  "",  "\xff"};
    static char text[20000];
    uint64_t seed = 7;
    size_t n = 0;
    while (n + 100 < sizeof text) {
        for (int i = (int)(seed >> 60) % 6; i >= 0; i--) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            const char *part = parts[(seed >> 33) % (sizeof parts / sizeof *parts)];
            memcpy(text + n, part, strlen(part));
            n += strlen(part);
        }
        text[n++] = (seed >> 20) % 64 == 0 ? '\0' : '\n';
    }
    store("words", text, n);
}

/* Bytes have the order of the C locale there, but not their hash. */
static void random_order_of_c_utf8(void **state)
{
    (void)state;
    if (!has_gnu() || !has_locale("C.UTF-8")) {
        skip();
    }
    STORE("source", "0123456789abcdef");
    expect("export LC_ALL=C.UTF-8; (seq 99; echo; printf 'a\\0\\na\\nb\\0c\\n') >text; sort -R "
           "--random-source=source text >1; ./sort -R --random-source=source text | cmp - 1",
           "[0]\n");
}

static void locales(void **state)
{
    (void)state;
    static const char *const options[] = {"", "-u", "-r", "-f -s", "-d", "-n", "-R", "-V", "-k1.2"};
    store_words();
    make_locales();
    STORE("source", "0123456789abcdef");
    int tried = 0;
    for (size_t i = 0; i < LOCALES && has_gnu(); i++) {
        char name[32], command[512];
        snprintf(name, sizeof name, "%s.UTF-8", names_of_locales[i]);
        for (size_t o = 0; o < sizeof options / sizeof *options && has_locale(name); o++) {
            snprintf(command, sizeof command,
                     "export LC_ALL=%s; sort %s --random-source=source words >1; ./sort %s "
                     "--random-source=source words >2; upsweep sort --locale=%s %s "
                     "--random-source=source words >3; cmp 1 2; cmp 2 3; cmp -s words 2",
                     name, options[o], options[o], name, options[o]);
            expect(command, "[1]\n");
            tried++;
        }
    }
    if (tried == 0) {
        print_message("locales are not tested: there are none, or sort(1) is not GNU's\n");
        skip();
    }
    expect("printf 'b\\nB\\na\\n' | LC_ALL=en_US.UTF-8 upsweep sort", "B\na\nb\n[0]\n");
    /* Of a NUL at the end -R knows nothing. */
    expect("export LC_ALL=en_US.UTF-8; printf 'a\\0\\na\\n' >nul; sort -R -u nul >1; ./sort -R -u "
           "nul | cmp - 1",
           "[0]\n");
}

/* Three and four characters for one letter, which no pair tells: the keys are wrong, which is
 * noticed though lines of other characters need not be compared. */
static void a_guess_that_fails(void **state)
{
    (void)state;
    static const char *const copied[] = {"IDENTIFICATION", "CTYPE",     "MONETARY",   "NUMERIC",
                                         "TIME",           "MESSAGES",  "PAPER",      "NAME",
                                         "ADDRESS",        "TELEPHONE", "MEASUREMENT"};
    char source[4096];
    size_t n = (size_t)snprintf(source, sizeof source,
                                "LC_COLLATE\ncopy \"iso14651_t1\"\n"
                                "collating-element <qrs> from \"<U0071><U0072><U0073>\"\n"
                                "collating-element <vwxy> from "
                                "\"<U0076><U0077><U0078><U0079>\"\n"
                                "collating-symbol <qrs-weight>\ncollating-symbol <vwxy-weight>\n"
                                "reorder-after <AFTER-Z>\n<qrs-weight>\n<vwxy-weight>\n"
                                "<qrs> <qrs-weight>;<BASE>;<MIN>;IGNORE\n"
                                "<vwxy> <vwxy-weight>;<BASE>;<MIN>;IGNORE\n"
                                "reorder-end\nEND LC_COLLATE\n");
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++) {
        n += (size_t)snprintf(source + n, sizeof source - n, "LC_%s\ncopy \"en_US\"\nEND LC_%s\n",
                              copied[i], copied[i]);
    }
    store("mine", source, n);
    char *made =
        shell("localedef -c -i ./mine -f UTF-8 ./mine.UTF-8 >/dev/null; test -d mine.UTF-8");
    bool there = strcmp(made, "[0]\n") == 0 && has_gnu();
    free(made);
    if (!there) {
        print_message("a wrong guess is not tested: localedef or its sources are missing\n");
        skip();
    }
    expect("export LOCPATH=$PWD LC_ALL=mine.UTF-8; for i in 1 2 3 4 5 6 7 8 9; do for w in qrs qr "
           "z qrt q s qsr x$i qrs$i; do echo $w; done; done >text; sort text >1; ./sort text >2; "
           "upsweep sort --locale=mine.UTF-8 --stats text 2>&1 >/dev/null | grep -c 'sort.*sort'; "
           "cmp 1 2; ./sort -u text | tail -1; printf 'vwxy\\nvwxz\\na\\nb\\n' >few; ./sort few",
           "1\nqrs9\na\nb\nvwxz\nvwxy\n[0]\n");
}

/* A decimal comma, groups of digits, months in German. */
static void numbers_of_a_locale(void **state)
{
    (void)state;
    if (!has_locale("de_DE.UTF-8")) {
        skip();
    }
    STORE("numbers", "1.000\n2,5\n2,25\n999\n-1.000,5\n");
    expect("upsweep sort --locale=de_DE.UTF-8 -n numbers",
           "-1.000,5\n2,25\n2,5\n999\n1.000\n[0]\n");
    expect("upsweep sort --locale=de_DE.UTF-8 -g numbers",
           "-1.000,5\n1.000\n2,25\n2,5\n999\n[0]\n");
    expect("upsweep sort --locale=de_DE.UTF-8 -n --strict numbers && echo 12x | upsweep sort "
           "--locale=de_DE.UTF-8 -n --strict",
           "-1.000,5\n2,25\n2,5\n999\n1.000\nupsweep sort: -:1: no number: 12x\n[2]\n");
    expect("printf 'Dez\\nokt\\nMai\\n' | upsweep sort --locale=de_DE.UTF-8 -M",
           "Mai\nokt\nDez\n[0]\n");
}

static int make_name(void **state)
{
    (void)state;
    char link[256];
    assert_non_null(mkdtemp(folder));
    snprintf(link, sizeof link, "%s/sort", folder);
    assert_int_equal(setenv("TMPDIR", folder, 1), 0);
    return symlink(program, link);
}

static int remove_folder(void **state)
{
    (void)state;
    return program_remove(folder);
}

int main(void)
{
    program = getenv("UPSWEEP_PROGRAM");
    if (program == NULL) {
        puts("UPSWEEP_PROGRAM must name the program");
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(months),
        cmocka_unit_test(versions),
        cmocka_unit_test(random_order),
        cmocka_unit_test(old_keys),
        cmocka_unit_test(names_from_a_file),
        cmocka_unit_test(debugging),
        cmocka_unit_test(called_as_sort),
        cmocka_unit_test(a_guess_that_fails),
        cmocka_unit_test(random_order_of_c_utf8),
        cmocka_unit_test(locales),
        cmocka_unit_test(numbers_of_a_locale),
    };
    return cmocka_run_group_tests(tests, make_name, remove_folder);
}
