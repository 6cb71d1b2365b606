/* test_cli_negative.c - `upsweep paths --negative`: distances held against plain relaxation of all
 * arcs n times, in every text format; cycles of negative length named; what does not go together
 * refused. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <stdbool.h>
#include <stdint.h>

#include <cmocka.h>

#include "test/shared/folder.h"

enum { ROOM = 4096, VERTICES = 40, ARCS = 160, NONE = 1 << 30 };

static program_result run(const char *arguments)
{
    const char *program = getenv("UPSWEEP_PROGRAM");
    if (program == NULL) {
        skip();
    }
    char command[ROOM];
    snprintf(command, sizeof command, "cd %s && exec '%s' paths %s", folder, program, arguments);
    const char *argv[] = {"sh", "-c", command, NULL};
    return program_run(folder, argv, NULL);
}

static FILE *create(const char *name)
{
    char path[ROOM];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    return f;
}

static void store(const char *name, const char *text)
{
    FILE *f = create(name);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

typedef struct arcs {
    int tail[ARCS], head[ARCS], weight[ARCS];
} arcs;

static uint64_t state_of_random;
static int random_below(int n)
{
    state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
    return (int)((state_of_random >> 33) % (uint64_t)n);
}

/* Weights of no negative cycle: what is not negative, moved up and down by heights of vertices. */
static void make(arcs *a, uint64_t seed)
{
    int height[VERTICES];
    state_of_random = seed;
    for (int v = 0; v < VERTICES; v++) {
        height[v] = random_below(100);
    }
    for (int i = 0; i < ARCS; i++) {
        a->tail[i] = random_below(VERTICES);
        a->head[i] = i == 0 ? VERTICES - 1 : random_below(VERTICES);
        a->weight[i] = random_below(30) + height[a->tail[i]] - height[a->head[i]];
    }
}

static void relax_all(const arcs *a, int source, int distance[VERTICES])
{
    for (int v = 0; v < VERTICES; v++) {
        distance[v] = v == source ? 0 : NONE;
    }
    for (int round = 0; round < VERTICES; round++) {
        for (int i = 0; i < ARCS; i++) {
            int d = distance[a->tail[i]];
            if (d != NONE && d + a->weight[i] < distance[a->head[i]]) {
                distance[a->head[i]] = d + a->weight[i];
            }
        }
    }
}

static void write_formats(const arcs *a)
{
    FILE *gr = create("g.gr"), *wel = create("g.wel"), *csv = create("g.csv"),
         *mtx = create("g.mtx");
    fprintf(gr, "p sp %d %d\n", VERTICES, ARCS);
    fprintf(mtx, "%%%%MatrixMarket matrix coordinate integer general\n%d %d %d\n", VERTICES,
            VERTICES, ARCS);
    fputs("from,to,weight\n", csv);
    for (int i = 0; i < ARCS; i++) {
        int t = a->tail[i], h = a->head[i], w = a->weight[i];
        fprintf(gr, "a %d %d %d\n", t + 1, h + 1, w);
        fprintf(mtx, "%d %d %d\n", t + 1, h + 1, w);
        fprintf(wel, "%d %d %d\n", t, h, w);
        fprintf(csv, "v%d,v%d,%d\n", t, h, w);
    }
    assert_int_equal(fclose(gr) | fclose(wel) | fclose(csv) | fclose(mtx), 0);
}

/* Every line "vertex,distance" says what the oracle says. */
static void check_lines(const char *text, const int distance[VERTICES], const char *prefix,
                        int base)
{
    size_t found = 0;
    for (int v = 0; v < VERTICES; v++) {
        char line[64], end[24] = "inf";
        if (distance[v] != NONE) {
            snprintf(end, sizeof end, "%d", distance[v]);
        }
        snprintf(line, sizeof line, "\n%s%d,%s\n", prefix, v + base, end);
        bool there = strstr(text, line) != NULL;
        if (!there && (*prefix == '\0' || distance[v] != NONE)) { /* words have no lone vertices */
            fail_msg("no line '%s' in %s", line, text);
        }
        found += there;
    }
    assert_true(found > 1);
}

static void test_distances(void **state)
{
    (void)state;
    static const struct {
        const char *arguments, *prefix;
        int base;
    } formats[] = {{"g.gr", "", 1},
                   {"g.mtx", "", 1},
                   {"g.wel", "", 0},
                   {"g.wel --weight f64 --threads 1", "", 0},
                   {"--names --columns from,to,weight g.csv", "v", 0}};
    for (uint64_t seed = 1; seed <= 30; seed++) {
        arcs a;
        int distance[VERTICES];
        make(&a, seed);
        write_formats(&a);
        relax_all(&a, a.tail[0], distance);
        for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
            char all[ROOM];
            snprintf(all, sizeof all, "--negative --verify %s -s %s%d", formats[k].arguments,
                     formats[k].prefix, a.tail[0] + formats[k].base);
            program_result r = run(all);
            if (r.status != 0) {
                fail_msg("upsweep paths %s: exit %d: %s", all, r.status, r.err);
            }
            check_lines(r.out, distance, formats[k].prefix, formats[k].base);
            program_free(&r);
        }
    }
}

/* The path of a target adds up, several sources have an answer each, and the summary counts. */
static void test_answers(void **state)
{
    (void)state;
    store("n.wel", "0 1 5\n1 2 -7\n0 2 1\n2 3 -1\n4 0 -100\n");
    program_result r = run("n.wel --negative -s 0 -t 3 --path");
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "3,-3,0 1 2 3\n"));
    program_free(&r);
    r = run("n.wel --negative -s 0 -s 4 --summary");
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "0,4,1,5,0\n"));    /* 0 + 5 - 2 - 3 */
    assert_non_null(strstr(r.out, "4,5,4,0,-400\n")); /* 0 - 100 - 95 - 102 - 103 */
    program_free(&r);
    store("f.csv", "from,to,weight\na,b,-0.5\nb,c,0.25\n");
    r = run("--names --columns from,to,weight f.csv --negative -s a --format json");
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "-0.25"));
    program_free(&r);
}

static void test_cycles(void **state)
{
    (void)state;
    static const struct {
        const char *text, *file, *arguments, *says;
    } all[] = {
        {"0 1 1\n1 2 -3\n2 1 2\n3 0 1\n", "c.wel", "c.wel -s 0",
         "the cycle 1 -> 2 -> 1 can be reached and has length -1"},
        {"p sp 3 3\na 1 2 1\na 2 3 2\na 3 1 -4\n", "c.gr", "c.gr -s 3",
         "the cycle 1 -> 2 -> 3 -> 1 can be reached and has length -1"},
        {"from,to,weight\nbread,beer,-1\nbeer,bread,0.5\n", "c.csv",
         "--names --columns from,to,weight c.csv -s bread",
         "bread -> beer -> bread can be reached and has length -0.5"},
        {"0 0 -2\n", "l.wel", "l.wel -s 0", "the cycle 0 -> 0 can be reached and has length -2"},
        {"%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n2 1 -3\n", "s.mtx",
         "s.mtx -s 1", "the cycle 1 -> 2 -> 1 can be reached and has length -6"},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        char arguments[ROOM], path[ROOM];
        store(all[k].file, all[k].text);
        snprintf(arguments, sizeof arguments, "--negative %s -o out.csv", all[k].arguments);
        program_result r = run(arguments);
        snprintf(path, sizeof path, "%s/out.csv", folder);
        if (r.status != 1 || strstr(r.err, all[k].says) == NULL || r.out_bytes > 0 ||
            strchr(r.err, '\n') != r.err + r.err_bytes - 1 || access(path, F_OK) == 0) {
            fail_msg("upsweep paths %s: exit %d: %s", arguments, r.status, r.err);
        }
        program_free(&r);
    }
    program_result r = run("c.wel --negative -s 1 -t 2"); /* the cycle is met on the way */
    assert_int_equal(r.status, 1);
    program_free(&r);
    store("d.wel", "0 1 1\n2 3 -1\n3 2 -1\n"); /* not reached */
    r = run("d.wel --negative -s 0");
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "1,1\n2,inf\n3,inf\n"));
    program_free(&r);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *arguments, *says;
    } all[] = {
        {"n.wel -s 0", "n.wel: line 2: the weight -7 is negative"},
        {"n.wel -s 0 --negative --cutoff 5", "--cutoff is for weights that are not negative"},
        {"n.wel -s 0 --negative --delta 5", "--delta is for weights"},
        {"n.wel -s 0 --negative --algorithm path/bucket", "--algorithm is for weights"},
        {"n.wel -s 0 --negative --weight u32", "--weight takes i64, f32, f64 or none"},
        {"n.wel -s 0 --weight i64", "--weight takes u32, u64, f32, f64 or none"},
        {"h.gr -s 1 --negative --weight i64", "h.gr: line 2: the weight -1.5 is no whole number"},
        {"b.wel -s 0 --negative", "b.wel: line 1: the weight '-x' is no number"},
        {"i.wel -s 0 --negative --weight i64", "i.wel: line 1: the weight -9223372036854775809"},
    };
    store("n.wel", "0 1 5\n1 2 -7\n");
    store("h.gr", "p sp 2 1\na 1 2 -1.5\n");
    store("b.wel", "0 1 -x\n");
    store("i.wel", "0 1 -9223372036854775809\n");
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        program_result r = run(all[k].arguments);
        if (!program_refused(&r, all[k].says)) {
            fail_msg("upsweep paths %s: exit %d: %s", all[k].arguments, r.status, r.err);
        }
        program_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distances),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
