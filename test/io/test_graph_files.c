/* test_graph_files.c - graphs in files: what every format means, which files are refused and with
 * what words, and that nothing is lost from one format to another. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "test/shared/graph_store.h"

#include "io/hash.h"
#include "io/names.h"
#include "io/numbers.h"

/* ---- what is refused ---- */

typedef struct bad {
    const char *file, *text, *sentence; /* the sentence without "FILE: " */
} bad;

#define MTX "%%MatrixMarket matrix coordinate "

static const bad bad_files[] = {
    {"a.gr", "", "is empty"},
    {"a.gr", "\n\n", "has no line `p sp ...`"},
    {"a.gr", "c only a comment\n", "has no line `p sp ...`"},
    {"a.gr", "a 1 2 3\n", "line 1: begins with 'a' before any line `p sp ...`"},
    {"a.gr", "c\n\nx\n", "line 3: begins with 'x' before any line `p sp ...`"},
    {"a.gr", "p tw 3 3\n", "line 1: should be `p sp VERTICES ARCS`, with whole numbers"},
    {"a.gr", "p sp 3\n", "line 1: should be `p sp VERTICES ARCS`, with whole numbers"},
    {"a.gr", "p sp 3 x\n", "line 1: should be `p sp VERTICES ARCS`, with whole numbers"},
    {"a.gr", "p sp 3 -1\n", "line 1: should be `p sp VERTICES ARCS`, with whole numbers"},
    {"a.gr", "p sp 3 1 4\n", "line 1: should be `p sp VERTICES ARCS`, with whole numbers"},
    {"a.gr", "p sp 99999999999999999999 1\n",
     "line 1: should be `p sp VERTICES ARCS`, with whole numbers"},
    {"a.gr", "p sp 4294967295 0\n", "line 1: 4294967295 vertices are more than 2^32 - 2"},
    {"a.gr", "p sp 3 1\np sp 3 1\na 1 2 3\n", "line 2: begins with 'p', not with 'a'"},
    {"a.gr", "p sp 3 2\na 1 2 3\n", "line 1 promises 2 arcs, but there are 1"},
    {"a.gr", "c\np sp 3 1\na 1 2 3\na 2 3 4\n", "line 2 promises 1 arcs, but there are 2"},
    {"a.gr", "p sp 3 0\na 1 2 3", "line 1 promises 0 arcs, but there are 1"},
    {"a.gr", "p sp 3 1\na 0 2 3\n", "line 2: vertex 0, but vertices are counted from 1"},
    {"a.gr", "p sp 3 1\na 1 0 3\n", "line 2: vertex 0, but vertices are counted from 1"},
    {"a.gr", "p sp 3 1\r\na 4 2 3\r\n", "line 2: vertex 4, but there are 3"},
    {"a.gr", "p sp 3 1\n\nc\na 1 4 3\n", "line 4: vertex 4, but there are 3"},
    {"a.gr", "p sp 3 1\na 1 4294967297 3\n", "line 2: vertex 4294967297, but there are 3"},
    {"a.gr", "p sp 3 1\na 18446744073709551617 2 3\n",
     "line 2: vertex 18446744073709551617, but there are 3"},
    {"a.gr", "p sp 3 1\na -1 2 3\n", "line 2: '-1' is no vertex"},
    {"a.gr", "p sp 3 1\na 1.5 2 3\n", "line 2: '1.5' is no vertex"},
    {"a.gr", "p sp 3 1\na x 2 3\n", "line 2: 'x' is no vertex"},
    {"a.gr", "p sp 3 1\na 1 2 -3\n", "line 2: the weight -3 is negative"},
    {"a.gr", "p sp 3 1\na 1 2 18446744073709551616\n",
     "line 2: the weight 18446744073709551616 is out of the range of u64; --weight f64 rounds it"},
    {"a.gr", "p sp 3 1\na 1 2 nan\n", "line 2: the weight 'nan' is no number"},
    {"a.gr", "p sp 3 1\na 1 2 inf\n", "line 2: the weight inf is out of the range of f64"},
    {"a.gr", "p sp 3 1\na 1 2 3x\n", "line 2: the weight '3x' is no number"},
    {"a.gr", "p sp 3 1\na 1 2\n", "line 2: has no weight"},
    {"a.gr", "p sp 3 1\na 1\n", "line 2: has no second vertex"},
    {"a.gr", "p sp 3 1\na \n", "line 2: has no first vertex"},
    {"a.gr", "p sp 3 1\na\n", "line 2: begins with 'a', not with 'a'"},
    {"a.gr", "p sp 3 1\na 1 2 3 4\n", "line 2: '4' follows what should be its end"},
    {"a.gr", "p sp 3 1\ne 1 2 3\n", "line 2: begins with 'e', not with 'a'"},
    {"a.gr", "p sp 3 1\na 1 2 3\rx\n", "line 2: the weight '3' is no number"},
    {"a.gr", "\x01\0\0\0\0\0\0\0", "line 1: begins with '\x01' before any line `p sp ...`"},
    {"a.mtx", "3 3 1\n", "line 1: does not begin with %%MatrixMarket"},
    {"a.mtx", MTX "real", "line 1: a graph is general or symmetric, not ''"},
    {"a.mtx", "%%MatrixMarket vector coordinate real general\n", "line 1: holds no matrix"},
    {"a.mtx", "%%MatrixMarket matrix array real general\n",
     "line 1: holds a dense array; a graph is `coordinate`"},
    {"a.mtx", MTX "complex general\n",
     "line 1: values are pattern, integer or real, not 'complex'"},
    {"a.mtx", MTX "real skew-symmetric\n",
     "line 1: a graph is general or symmetric, not 'skew-symmetric'"},
    {"a.mtx", MTX "real general\n% c\n", "has no line `ROWS COLUMNS ENTRIES`"},
    {"a.mtx", MTX "real general\n3 3\n", "line 2: should be `ROWS COLUMNS ENTRIES`"},
    {"a.mtx", MTX "real general\n3 3 1 1\n", "line 2: should be `ROWS COLUMNS ENTRIES`"},
    {"a.mtx", MTX "real general\n%\n3 4 1\n",
     "line 3: a matrix of 3 rows and 4 columns is no graph's"},
    {"a.mtx", MTX "real general\n4294967295 4294967295 0\n",
     "line 2: 4294967295 vertices are more than 2^32 - 2"},
    {"a.mtx", MTX "real general\n3 3 2\n1 2 0.5\n", "line 2 promises 2 entries, but there are 1"},
    {"a.mtx", MTX "real general\n3 3 1\n0 2 0.5\n",
     "line 3: vertex 0, but vertices are counted from 1"},
    {"a.mtx", MTX "real general\n3 3 1\n1 4 0.5\n", "line 3: vertex 4, but there are 3"},
    {"a.mtx", MTX "real general\n3 3 1\n1 2 -0.5\n", "line 3: the weight -0.5 is negative"},
    {"a.mtx", MTX "real general\n3 3 1\n1 2 1e999\n",
     "line 3: the weight 1e999 is out of the range of f64"},
    {"a.mtx", MTX "real general\n3 3 1\n1 2\n", "line 3: has no weight"},
    {"a.mtx", MTX "pattern general\n3 3 1\n1 2 1\n", "line 3: '1' follows what should be its end"},
    {"a.mtx", MTX "integer general\n3 3 1\n1 2 1.5\n",
     "line 3: the weight 1.5 is no whole number, as u32 has them: --weight f64 takes it"},
    {"a.wel", "0 1 2\n1 2\n", "line 2: has no weight"},
    {"a.wel", "0 1 3\n1 0 18446744073709551616\n",
     "line 2: the weight 18446744073709551616 is out of the range of u64; --weight f64 rounds it"},
    {"a.wel", "0 1 2 3\n", "line 1: '3' follows what should be its end"},
    {"a.wel", "# nothing\n", "has no arcs"},
    {"a.el", "0 1 2\n", "line 1: '2' follows what should be its end"},
    {"a.el", "0\n", "line 1: has no second vertex"},
    {"a.csv", "tail,head\n1,2\n3;4\n", "line 3: '3;4' is no vertex"},
    {"a.csv", "tail,head\nhere,there\n", "line 2: 'here' is no vertex; --names reads words"},
    {"a.csv", "1,2,x\n", "line 1: the weight 'x' is no number"},
    {"a.csv", "1,2,3\n1,2\n", "line 2: has no weight"},
    {"a.csv", "1,2,5\n1,2,\n", "line 2: has no weight"},
    {"a.csv", "0,1\n1,\"2,3\n", "line 2: ',3' follows what should be its end"},
    {"a.csv", "tail,head\n", "has no arcs"},
    {"a.sg", "\x02", "ends within its header, after 1 bytes"},
    {"a.xyz", "1 2\n",
     "its name does not say what it is: give --from gr, mtx, el, wel, sg, wsg, csv, tsv or usg"},
};

static void refused(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof bad_files / sizeof *bad_files; i++) {
        const bad *b = &bad_files[i];
        io_graph g;
        io_error error = {0};
        char wanted[300];
        snprintf(wanted, sizeof wanted, "%s: %s", b->file, b->sentence);
        store_text(b->file, b->text);
        for (unsigned threads = 1; threads <= 2; threads++) {
            if (store_read(&g, b->file, threads, &error) || strcmp(error.text, wanted) != 0) {
                print_message("[%s] should say\n%s\nsaid\n%s\n", b->text, wanted, error.text);
                wrong++;
            }
            io_graph_free(&g);
        }
    }
    assert_int_equal(wrong, 0);
}

/* ---- what is read, and as what ---- */

typedef struct good {
    const char *file, *text;
    size_t vertices, arcs;
    const char *list; /* "tail head weight;..." counted from 0 */
    const char *type;
} good;

static const good good_files[] = {
    {"a.gr", "p sp 0 0\n", 0, 0, "", "u32"},
    {"a.gr", "p sp 1 0", 1, 0, "", "u32"},
    {"a.gr", "c x\r\np sp 2 1\r\na 1 2 7\r\n", 2, 1, "0 1 7;", "u32"},
    {"a.gr", "\n \np sp 2 2\nc y\n\na 2 1 0\n  a\t1  1 \t9 \nc", 2, 2, "1 0 0;0 0 9;", "u32"},
    {"a.gr", "p sp 2 2\na 1 2 4294967295\na 1 2 1\n", 2, 2, "0 1 4294967295;0 1 1;", "u32"},
    {"a.gr", "p sp 2 2\na 1 2 4294967296\na 1 2 18446744073709551615\n", 2, 2,
     "0 1 4294967296;0 1 18446744073709551615;", "u64"},
    {"x", "p sp 2 1\na 1 2 +5\n", 2, 1, "0 1 5;", "u32"},
    {"a.gr", "p sp 2 2\na 1 2 2.5\na 2 1 3\n", 2, 2, "0 1 2.5;1 0 3;", "f64"},
    {"a.mtx", "%%matrixmarket MATRIX Coordinate Real General\n%\n\n2 2 1\n2 1 .5\n", 2, 1,
     "1 0 0.5;", "f64"},
    {"x", MTX "pattern symmetric\n3 3 2\n2 1\n3 3\n", 3, 2, "1 0;2 2;", "none"},
    {"a.mtx", MTX "real general\n2 2 2\n1 2 1e3\n1 2 -0.0\n", 2, 2, "0 1 1000;0 1 0;", "f64"},
    {"a.mtx", MTX "integer general\n2 2 1\n1 2 5000000000\n", 2, 1, "0 1 5000000000;", "u64"},
    {"a.el", "# c\n0 1\n\n5 0\n", 6, 2, "0 1;5 0;", "none"},
    {"a.wel", "0 1 3\n1 0 2.5\n", 2, 2, "0 1 3;1 0 2.5;", "f64"},
    {"a.csv", "from,to,w\n0,1,3\n 1 , 0 ,\"4\"\n", 2, 2, "0 1 3;1 0 4;", "u32"},
    {"a.csv", "0,1\r\n1,0\r\n", 2, 2, "0 1;1 0;", "none"},
    {"a.csv", "\"0\",\"1\",2,more,columns\n", 2, 1, "0 1 2;", "u32"},
    {"a.tsv", "0\t1\t2\n", 2, 1, "0 1 2;", "u32"},
};

static void print_list(const io_graph *g, char *text, size_t room)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < g->arcs; i++) {
        used += (size_t)snprintf(text + used, room - used, "%u %u", g->tail[i], g->head[i]);
        if (g->weight != NULL) {
            char number[IO_NUMBER_MAX];
            io_number_print(number, g->weight_type,
                            (const char *)g->weight + i * upsweep_type_bytes(g->weight_type));
            used += (size_t)snprintf(text + used, room - used, " %s", number);
        }
        used += (size_t)snprintf(text + used, room - used, ";");
    }
}

static void read_as_they_are(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good_files / sizeof *good_files; i++) {
        const good *f = &good_files[i];
        io_graph g;
        io_error error = {0};
        char list[400];
        store_text(f->file, f->text);
        if (!store_read(&g, f->file, 2, &error)) {
            fail_msg("[%s]: %s", f->text, error.text);
        }
        print_list(&g, list, sizeof list);
        assert_string_equal(list, f->list);
        assert_int_equal(g.vertices, f->vertices);
        assert_int_equal(g.arcs, f->arcs);
        assert_string_equal(g.weight == NULL ? "none" : upsweep_type_name(g.weight_type), f->type);
        io_graph_free(&g);
    }
}

/* Types and columns that the caller asks for. */
static const struct {
    const char *file, *text;
    io_graph_options options;
    const char *list; /* or the sentence */
} asked[] = {
    {"a.gr", "p sp 2 1\na 1 2 7\n", {.weight_type = UPSWEEP_F32}, "0 1 7;"},
    {"a.gr", "p sp 2 1\na 1 2 7.5\n", {.weight_type = UPSWEEP_F64}, "0 1 7.5;"},
    {"a.gr", "p sp 2 1\na 1 2 0.1\n", {.weight_type = UPSWEEP_F32}, "0 1 0.1;"},
    {"a.gr",
     "p sp 2 1\na 1 2 1e39\n",
     {.weight_type = UPSWEEP_F32},
     "a.gr: line 2: the weight 1e39 is out of the range of f32"},
    {"a.gr",
     "p sp 2 1\na 1 2 4294967296\n",
     {.weight_type = UPSWEEP_U32},
     "a.gr: line 2: the weight 4294967296 is out of the range of u32"},
    {"a.gr", "p sp 2 1\na 1 2 x y z\n", {.no_weights = true}, "0 1;"},
    {"a.wel", "1 2 3\n", {.base_given = true, .base = 1}, "0 1 3;"},
    {"a.wel",
     "0 2 3\n",
     {.base_given = true, .base = 1},
     "a.wel: line 1: vertex 0, but vertices are counted from 1"},
    {"a.csv", "w,x,to,from\n9,?,1,0\n8,\"a,b\",0,1\n", {.columns = "from,to,w"}, "0 1 9;1 0 8;"},
    {"a.csv", "9,?,1,0\n8,,0,1\n", {.columns = "4,3"}, "0 1;1 0;"},
    {"a.csv",
     "from,to\n0,1\n",
     {.columns = "from,via"},
     "a.csv: line 1: no column is called 'via'"},
    {"a.csv", "0,1\n", {.columns = "1"}, "a.csv: --columns takes TAIL,HEAD or TAIL,HEAD,WEIGHT"},
    {"a.csv",
     "0,1\n",
     {.columns = "1,2,3,4"},
     "a.csv: --columns takes TAIL,HEAD or TAIL,HEAD,WEIGHT"},
    {"a.csv", "0,1\n", {.columns = "2,2"}, "a.csv: column 2 is chosen twice"},
    {"a.csv",
     "0,1\n",
     {.columns = "0,1"},
     "a.csv: columns are counted from 1 to 1024, so there is no 0"},
    {"a.csv", "0,1\n", {.columns = "1,3"}, "a.csv: line 1: has no second vertex"},
    {"a.csv", "0;1;2\n", {.delimiter = ';'}, "0 1 2;"},
    {"a.csv", "0  1 2\n", {.delimiter = ' '}, "0 1 2;"},
    {"a.csv", "x,y\ny,x\n\"a,b\",x\n", {.by_names = true}, "0 1;1 0;2 0;"},
    {"a.csv", "x,y,1\ny,x,2.5\n", {.by_names = true}, "0 1 1;1 0 2.5;"},
    {"a.csv", "x,y,1\ny,x,-2\n", {.by_names = true}, "a.csv: line 2: the weight -2 is negative"},
    {"a.csv", "x,y,1\ny,x,z\n", {.by_names = true}, "a.csv: line 2: the weight 'z' is no number"},
    {"a.csv", "x,y\ny\n", {.by_names = true}, "a.csv: line 2: has no second vertex"},
    {"a.csv", "f,t\nx,y\n", {.by_names = true, .columns = "t,f"}, "0 1;"},
};

static void read_as_asked(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        io_graph g;
        io_error error = {0};
        char list[400];
        io_graph_options options = asked[i].options;
        options.threads = 2;
        store_text(asked[i].file, asked[i].text);
        if (io_graph_read(&g, asked[i].file, &options, &error)) {
            print_list(&g, list, sizeof list);
            assert_string_equal(list, asked[i].list);
        } else {
            assert_string_equal(error.text, asked[i].list);
        }
        io_graph_free(&g);
    }
}

/* ---- large files, by any number of threads ---- */

enum { MANY = 200000 };

/* Arcs i -> 7 i mod n, with comments and empty lines now and then; line `odd` is put in where it
 * stands. Returns the text's length; *lines gets the number of that line. */
static size_t write_many(char *text, size_t odd, const char *line, size_t *lines)
{
    char *p = text + sprintf(text, "c a\np sp %d %d\n", MANY, MANY);
    size_t at = 0;
    *lines = 2;
    for (size_t i = 0; i < MANY; i++) {
        if (i % 1000 == 7) {
            p += sprintf(p, i % 2000 == 7 ? "\n" : "c comment %zu\n", i);
            ++*lines;
        }
        p += i == odd ? sprintf(p, "%s\n", line)
                      : sprintf(p, "a %zu %zu %zu\n", i + 1, i * 7 % MANY + 1, i % 1000);
        ++*lines;
        at = i == odd ? *lines : at;
    }
    *lines = at;
    return (size_t)(p - text);
}

static void many_lines(void **state)
{
    (void)state;
    char *text = malloc((size_t)MANY * 40), wanted[100];
    size_t line, size = write_many(text, SIZE_MAX, "", &line);
    io_graph g;
    io_error error = {0};
    assert_true(size > 3 << 20); /* more than one chunk */
    program_store("many.gr", text, size);
    for (unsigned threads = 1; threads <= 8; threads++) {
        assert_true(store_read(&g, "many.gr", threads, &error));
        assert_int_equal(g.arcs, MANY);
        for (size_t i = 0; i < MANY; i++) {
            bool same = g.tail[i] == i && g.head[i] == i * 7 % MANY &&
                        ((const uint32_t *)g.weight)[i] == i % 1000;
            assert_true(same);
        }
        io_graph_free(&g);
    }
    for (size_t odd = 5; odd < MANY; odd += MANY / 5) {
        size = write_many(text, odd, "a 1 2 -9", &line);
        size += (size_t)sprintf(text + size, "a 0 0 0\n"); /* the first of two is told */
        program_store("many.gr", text, size);
        snprintf(wanted, sizeof wanted, "many.gr: line %zu: the weight -9 is negative", line);
        for (unsigned threads = 1; threads <= 8; threads *= 2) {
            assert_false(store_read(&g, "many.gr", threads, &error));
            assert_string_equal(error.text, wanted);
            io_graph_free(&g);
        }
    }
    free(text);
}

/* The specification's own sums, and the ones of python-xxhash's manual. */
static void checksums(void **state)
{
    (void)state;
    const char *words = "Nobody inspects the spammish repetition";
    assert_true(io_hash("", 0) == 0xef46db3751d8e999u);
    assert_true(io_hash("a", 1) == 0xd24ec4f1a98c6e5bu);
    assert_true(io_hash("abc", 3) == 0x44bc2cf5ad770999u);
    assert_true(io_hash(words, strlen(words)) == 0xfbcea83c8a378bf1u);
}

static void names(void **state)
{
    (void)state;
    io_names *n = io_names_new();
    uint32_t number;
    char word[20];
    for (uint32_t i = 0; i < 100000; i++) {
        int length = snprintf(word, sizeof word, "w%u", i * 7919 % 50000);
        assert_true(io_names_add(n, word, (size_t)length, &number));
        if (i < 50000) {
            assert_int_equal(number, i);
        }
    }
    assert_int_equal(io_names_count(n), 50000);
    assert_true(io_names_find(n, "w7919", 5, &number));
    assert_int_equal(number, 1);
    assert_string_equal(io_names_word(n, 1, NULL), "w7919");
    assert_false(io_names_find(n, "w50000", 6, &number));
    assert_false(io_names_find(n, "", 0, &number));
    io_names_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused),       cmocka_unit_test(read_as_they_are),
        cmocka_unit_test(read_as_asked), cmocka_unit_test(many_lines),
        cmocka_unit_test(checksums),     cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, store_begin, store_end);
}
