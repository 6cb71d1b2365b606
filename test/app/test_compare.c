/* test_compare.c - `upsweep compare`: the figures agree with one another and with what is known of
 * the algorithms, the page fetches nothing and has a dark colour for each colour it draws with, and
 * bad input is one sentence that leaves every file as it was. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include <cmocka.h>

#include "test/shared/folder.h"

enum { COLUMNS = 18, ROOM = 4096 };

/* Runs `upsweep compare ...` in the folder; what it printed is in r. */
static program_result run(const char *arguments)
{
    const char *program = getenv("UPSWEEP_PROGRAM");
    if (program == NULL) {
        skip();
    }
    char command[ROOM];
    snprintf(command, sizeof command, "cd %s && exec '%s' compare %s", folder, program, arguments);
    const char *argv[] = {"sh", "-c", command, NULL};
    return program_run(folder, argv, NULL);
}

static char *load(const char *name)
{
    char path[ROOM];
    size_t bytes;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *text = program_load(path, &bytes);
    assert_non_null(text);
    return text;
}

static void must(const char *arguments, int status)
{
    program_result r = run(arguments);
    if (r.status != status) {
        fail_msg("upsweep compare %s: exit %d: %s", arguments, r.status, r.err);
    }
    program_free(&r);
}

/* ---- CSV ---- */

typedef struct figures {
    char words[COLUMNS][48];
    double at[COLUMNS]; /* NAN for what is empty or no number */
} figures;

enum {
    ALGORITHM,
    DEVICE,
    N,
    STATE,
    RUNS,
    MEDIAN,
    LEAST,
    MOST,
    RATE,
    BYTES,
    BANDWIDTH,
    SHARE,
    DEPTH_FORMULA,
    DEPTH,
    WORK_FORMULA,
    WORK,
    TOUCHES,
    LANES
};

/* Returns where the next line begins. */
static const char *read_line(const char *line, figures *f)
{
    for (int k = 0; k < COLUMNS; k++) {
        size_t length = strcspn(line, ",\n");
        assert_true(length < sizeof f->words[k]);
        memcpy(f->words[k], line, length);
        f->words[k][length] = '\0';
        char *end;
        f->at[k] = strtod(f->words[k], &end);
        f->at[k] = length > 0 && *end == '\0' ? f->at[k] : NAN;
        assert_int_equal(line[length], k + 1 < COLUMNS ? ',' : '\n');
        line += length + 1;
    }
    return line;
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-4 * fabs(b);
}

static void check_timed(const figures *f)
{
    assert_true(f->at[RUNS] >= 1);
    assert_true(f->at[LEAST] > 0 && f->at[LEAST] <= f->at[MEDIAN]);
    assert_true(f->at[MEDIAN] <= f->at[MOST]);
    assert_true(near(f->at[RATE], f->at[N] / f->at[MEDIAN]));
    assert_true(near(f->at[BYTES], 8 * f->at[N])); /* u32, read and written once */
    assert_true(near(f->at[BANDWIDTH], f->at[BYTES] / f->at[MEDIAN]));
    assert_true(f->at[SHARE] > 0);
}

static void test_figures(void **state)
{
    (void)state;
    must("sort/oddeven sort/bitonic sort/radix sort --n 256,1000,4K --repeat 3 --csv all.csv", 0);
    char *text = load("all.csv");
    const char *line = strchr(text, '\n') + 1;
    static const char *const names[] = {"sort/oddeven", "sort/bitonic", "sort/radix", "automatic"};
    static const double sizes[] = {256, 1000, 4096};
    double copy = 0;
    for (size_t k = 0; k < 12; k++) {
        figures f;
        line = read_line(line, &f);
        assert_string_equal(f.words[ALGORITHM], names[k / 3]);
        assert_string_equal(f.words[DEVICE], "cpu");
        assert_string_equal(f.words[STATE], "timed");
        assert_true(f.at[N] == sizes[k % 3]);
        check_timed(&f);
        copy = copy > 0 ? copy : f.at[BANDWIDTH] / f.at[SHARE];
        assert_true(near(f.at[BANDWIDTH] / f.at[SHARE], copy)); /* one roofline for all */
        double n = f.at[N];
        if (k / 3 == 0) { /* what the tutorial says of it */
            assert_true(f.at[DEPTH] == n && f.at[DEPTH_FORMULA] == n);
            assert_true(f.at[WORK] == n * (n - 1) / 2 && f.at[WORK_FORMULA] == f.at[WORK]);
            assert_true(f.at[LANES] == floor((n - 1) / 2));
        } else if (k / 3 == 1 && k % 3 != 1) { /* Batcher, n a power of two */
            double l = log2(n);
            assert_true(f.at[DEPTH] == l * (l + 1) / 2);
            assert_true(f.at[WORK] == n * l * (l + 1) / 4 && f.at[WORK_FORMULA] == f.at[WORK]);
            assert_true(f.at[TOUCHES] >= 2 * f.at[WORK]);
        } else if (k / 3 == 3) {
            assert_true(isnan(f.at[DEPTH]) && isnan(f.at[WORK]));
        }
    }
    assert_string_equal(line, "");
    free(text);
}

/* What would take long is not begun, and said to be too slow. */
static void test_limit(void **state)
{
    (void)state;
    must("path/dijkstra path/bucket --n 512..32K --limit 0.005 --repeat 2 --csv slow.csv", 0);
    char *text = load("slow.csv");
    const char *line = strchr(text, '\n') + 1;
    bool slow = false, timed = false;
    while (*line != '\0') {
        figures f;
        line = read_line(line, &f);
        if (strcmp(f.words[ALGORITHM], "path/dijkstra") == 0) {
            bool is_slow = strcmp(f.words[STATE], "too slow") == 0;
            assert_true(is_slow || !slow); /* once too slow, never again */
            assert_true(is_slow == isnan(f.at[MEDIAN]));
            slow = slow || is_slow;
            timed = timed || !is_slow;
        }
    }
    assert_true(slow && timed);
    free(text);
}

static void test_kinds(void **state)
{
    (void)state;
    static const char *const all[] = {
        "reduce/tree reduce --n 100,1000",
        "scan/sweep --n 2..64 --factor 2 --type f64",
        "split/flags --n 1000 --threads 1",
        "sort --n 1e3,2^12 --type i16 --input zipf --seed 5",
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        program_result r = run(all[k]);
        assert_int_equal(r.status, 0);
        assert_non_null(strstr(r.out, "all rows gave the same result"));
        assert_non_null(strstr(r.out, "copies"));
        program_free(&r);
    }
}

/* ---- the page ---- */

static size_t count(const char *text, const char *what)
{
    size_t found = 0;
    for (const char *p = text; (p = strstr(p, what)) != NULL; p += strlen(what)) {
        found++;
    }
    return found;
}

/* Every element is closed, in order. */
static void check_nesting(const char *page)
{
    static const char *const single[] = {"!DOCTYPE", "meta", NULL};
    char open[64][16];
    size_t depth = 0;
    for (const char *p = strchr(page, '<'); p != NULL; p = strchr(p + 1, '<')) {
        const char *end = strchr(p, '>');
        bool closes = p[1] == '/', whole = end != NULL && end[-1] == '/';
        char name[16];
        size_t length = strcspn(p + 1 + closes, " >\n/");
        assert_non_null(end);
        assert_true(length < sizeof name);
        memcpy(name, p + 1 + closes, length);
        name[length] = '\0';
        for (size_t k = 0; single[k] != NULL; k++) {
            whole = whole || strcmp(name, single[k]) == 0;
        }
        if (closes) {
            assert_true(depth > 0);
            assert_string_equal(open[--depth], name);
        } else if (!whole) {
            assert_true(depth < 64);
            memcpy(open[depth++], name, length + 1);
        }
    }
    assert_int_equal(depth, 0);
}

/* Each colour of the plots has a rule that gives it another one in dark mode. */
static void check_dark(const char *page)
{
    static const char *const uses[] = {" fill=\"#", " stroke=\"#"};
    size_t found = 0;
    for (size_t u = 0; u < 2; u++) {
        for (const char *p = strstr(page, "<svg"); (p = strstr(p, uses[u])) != NULL; p++) {
            char rule[64];
            snprintf(rule, sizeof rule, "[%.*s\"]", (int)(strlen(uses[u]) + 6) - 1, p + 1);
            if (strstr(page, rule) == NULL) {
                fail_msg("no dark colour for %s", rule);
            }
            found++;
        }
    }
    assert_true(found > 100);
}

static void test_page(void **state)
{
    (void)state;
    must("sort/oddeven sort/vmerge sort/hybrid --n 1K..16K --out page.html --png page.png", 0);
    char *page = load("page.html");
    assert_int_equal(count(page, "<svg"), 8);
    assert_int_equal(count(page, "<figcaption>"), 8);
    assert_int_equal(count(page, "http"), 8); /* the namespace of SVG is no address to fetch */
    assert_int_equal(count(page, "xmlns=\"http://www.w3.org/2000/svg\""), 8);
    static const char *const fetches[] = {"src=", "href=", "url(", "@import", "<link", "<script"};
    for (size_t k = 0; k < sizeof fetches / sizeof *fetches; k++) {
        assert_null(strstr(page, fetches[k]));
    }
    assert_non_null(strstr(page, "prefers-color-scheme:dark"));
    assert_non_null(strstr(page, "@media print"));
    assert_non_null(strstr(page, "Every row gave the same bytes"));
    assert_non_null(strstr(page, "what was counted in the trace equals it"));
    check_nesting(page);
    check_dark(page);
    free(page);
    char *png = load("page.png");
    assert_memory_equal(png, "\211PNG\r\n\032\n", 8);
    free(png);
}

/* ---- bad input ---- */

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *arguments, *says;
    } all[] = {
        {"", "which algorithms?"},
        {"sort/odeven", "near it: sort/oddeven"},
        {"sort/radix scan/sweep", "scan/sweep is no sort"},
        {"sort/radix sort/radix", "stands there twice"},
        {"sort --n 5..x", "not 'x'"},
        {"sort --n 1", "from 2 on"},
        {"sort --n 64,32", "ascend"},
        {"sort --n 64..32", "from the smaller size to the greater"},
        {"sort --n 2..1G --factor 1.1", "more than 32 sizes"},
        {"sort --factor 1", "--factor is from 1.1"},
        {"sort --limit nan", "--limit is from"},
        {"sort --repeat 99", "--repeat is from 1 to 25"},
        {"sort --input sortd", "did you mean sorted?"},
        {"sort --device cpu,,cuda", "--device takes up to"},
        {"sort --device cpu,gpu", "not 'gpu'"},
        {"sort --device cuda:plan", "not 'cuda:plan'"},
        {"sort --out old.png", "-o writes a page"},
        {"sort --png old.svg", "ends with .png"},
        {"sort --csv /no/such/folder/x", "/no/such/folder/x"},
        {"sort --n 1K --out old.html --device cuda:77", ""},
        {"path/dijkstra --n 1G", "vertices for paths"},
    };
    char path[ROOM];
    snprintf(path, sizeof path, "%s/old.html", folder);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        assert_int_equal(program_store(path, "old", 3), 0);
        program_result r = run(all[k].arguments);
        if (!program_refused(&r, all[k].says)) {
            fail_msg("upsweep compare %s: exit %d: %s", all[k].arguments, r.status, r.err);
        }
        char *old = load("old.html");
        assert_string_equal(old, "old");
        free(old);
        program_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures), cmocka_unit_test(test_limit),
        cmocka_unit_test(test_kinds),   cmocka_unit_test(test_page),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
