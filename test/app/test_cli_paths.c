/* test_cli_paths.c - `upsweep paths` on a real road graph, whose answers an independent program has
 * found, in every format; and on generated graphs, proven by --verify. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "test/shared/graph_store.h"

/* Runs the program with the words of a line; fails unless it ends with 0. */
static program_result run(const char *line)
{
    const char *argv[32] = {getenv("UPSWEEP_PROGRAM")};
    char words[2048];
    size_t count = 1;
    snprintf(words, sizeof words, "%s", line);
    char *rest = NULL;
    for (char *word = strtok_r(words, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest)) {
        argv[count++] = word;
    }
    argv[count] = NULL;
    program_result r = program_run(".", argv, NULL);
    if (r.status != 0) {
        fail_msg("%s: status %d: %s", line, r.status, r.err);
    }
    return r;
}

static void must_print(const char *line, const char *wanted)
{
    program_result r = run(line);
    assert_string_equal(r.out, wanted);
    program_free(&r);
}

static bool find_data(char *path, size_t room, const char *name)
{
    const char *folder = getenv("UPSWEEP_TEST_DATA");
    snprintf(path, room, "%s/%s", folder == NULL ? "." : folder, name);
    if (folder == NULL || access(path, R_OK) != 0) {
        print_message("%s is not here: set UPSWEEP_TEST_DATA to its folder; skipped\n", name);
        return false;
    }
    return true;
}

static void known_answers(void **state)
{
    (void)state;
    static const struct {
        const char *file, *source, *summary;
    } known[] = {
        {"liechtenstein-t.gr", "27660", "27660,31606,24792,36671,306052496"},
        {"liechtenstein-t.gr", "5875", "5875,31606,26880,38432,290287431"},
        {"liechtenstein-d.gr", "27660", "27660,31606,26018,213030,2967470099"},
    };
    static const char *const formats[] = {"gr", "mtx", "usg"}, /* which keep the ids */
        *const weights[] = {"u32", "u64", "f32", "f64"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char path[4096], line[8300], wanted[200];
        if (!find_data(path, sizeof path, known[i].file)) {
            skip();
        }
        snprintf(wanted, sizeof wanted, "source,reached,farthest,distance,sum\n%s\n",
                 known[i].summary);
        for (size_t f = 0; f < 3; f++) {
            snprintf(line, sizeof line, "graph convert %s -o road.%s", path, formats[f]);
            must_print(line, "");
            for (size_t w = 0; w < 4; w++) {
                snprintf(line, sizeof line, "paths road.%s -s %s --summary --verify --weight %s",
                         formats[f], known[i].source, weights[w]);
                must_print(line, wanted);
            }
        }
    }
}

/* Distances by themselves, of pairs, and in a table with targets are the same. */
static void same_by_all_ways(void **state)
{
    (void)state;
    char path[4096], line[8300];
    if (!find_data(path, sizeof path, "liechtenstein-t.gr")) {
        skip();
    }
    store_text("s.ss", "p aux sp ss 2\ns 27660\ns 5875\n");
    store_text("t", "1\n5875\n32469\n");
    store_text("p", "27660 1\n27660 5875\n27660 32469\n5875 1\n5875 5875\n5875 32469\n");
    snprintf(line, sizeof line, "paths %s --sources s.ss --targets t --verify", path);
    program_result r = run(line);
    snprintf(line, sizeof line, "paths %s --pairs p --verify", path);
    program_result pairs = run(line);
    assert_string_equal(r.out, pairs.out);
    assert_non_null(strstr(r.out, "\n5875,5875,0\n"));
    program_free(&r);
    program_free(&pairs);
}

static void generated(void **state)
{
    (void)state;
    static const char *const kinds[] = {"grid 1",
                                        "grid 1x7",
                                        "grid 60x90",
                                        "uniform 1",
                                        "uniform 11",
                                        "kronecker 12 --degree 4",
                                        "uniform 12 --degree 1 --weights 0..1",
                                        "kronecker 10 --weights 0..0"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char line[300];
        for (size_t seed = 0; seed < 3; seed++) {
            snprintf(line, sizeof line, "graph generate %s --seed %zu -o g.wsg", kinds[i], seed);
            must_print(line, "");
            program_result r = run("paths g.wsg -s 0 --verify --stats --format npy");
            program_result one = run("paths g.wsg -s 0 -j 1 --weight f64 --verify --format csv");
            assert_non_null(strstr(r.err, "verified: 1 answer"));
            assert_non_null(strstr(r.err, "algorithm  path/"));
            assert_non_null(strstr(one.err, "verified: 1 answer"));
            program_free(&r);
            program_free(&one);
        }
    }
}

static size_t count_of(const char *text, const char *word)
{
    size_t count = 0;
    for (const char *p = text; (p = strstr(p, word)) != NULL; p++) {
        count++;
    }
    return count;
}

/* A picture is whole, has the path, the words in it are escaped, and no number is none. */
static void pictures(void **state)
{
    (void)state;
    size_t size = 0;
    must_print("graph generate grid 20x30 -o g.gr --places g.co", "");
    must_print("paths g.gr --coordinates g.co -s 1 --plot a.svg --title a<b&c", "");
    char *text = program_load("a.svg", &size);
    assert_memory_equal(text, "<svg ", 5);
    assert_string_equal(text + size - 7, "</svg>\n");
    assert_int_equal(count_of(text, "a&lt;b&amp;c"), 1);
    assert_int_equal(count_of(text, "#39d0ff"), 0);
    assert_int_equal(count_of(text, "nan") + count_of(text, "inf\""), 0);
    assert_int_equal(count_of(text, "<text"), count_of(text, "</text>"));
    free(text);
    must_print("paths g.gr --coordinates g.co -s 1 -t 600 --plot b.svg --unit s -o b.csv", "");
    text = program_load("b.svg", &size);
    assert_int_equal(count_of(text, "#39d0ff"), 4); /* path and target, here and in the legend */
    assert_int_equal(count_of(text, "<circle"), 4); /* both ends, and both in the legend */
    assert_int_equal(count_of(text, "distance in min"), 1);
    free(text);
    /* One vertex, and all vertices at one place. */
    store_text("one.gr", "p sp 1 0\n");
    store_text("one.co", "p aux sp co 1\nv 1 5 5\n");
    must_print("paths one.gr --coordinates one.co -s 1 --plot c.svg", "");
    store_text("same.gr", "p sp 2 1\na 1 2 0\n");
    store_text("same.co", "p aux sp co 2\nv 1 95495838 471878835\nv 2 95495838 471878835\n");
    must_print("paths same.gr --coordinates same.co -s 2 --plot c.svg", "");
    text = program_load("c.svg", &size);
    assert_int_equal(count_of(text, "nan"), 0);
    free(text);
#ifdef UPSWEEP_CAIRO
    must_print("paths g.gr --coordinates g.co -s 1 --plot a.png", "");
    text = program_load("a.png", &size);
    assert_memory_equal(text, "\x89PNG\r\n\x1a\n", 8);
    assert_memory_equal(text + size - 8, "IEND", 4);
    free(text);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(same_by_all_ways),
        cmocka_unit_test(generated),
        cmocka_unit_test(pictures),
    };
    if (getenv("UPSWEEP_PROGRAM") == NULL) {
        print_message("set UPSWEEP_PROGRAM to the program\n");
        return 1;
    }
    return cmocka_run_group_tests(tests, store_begin, store_end);
}
