/* test_graph_tables.c - what a table of arcs is taken for: its separator, its header, its columns,
 * and the rows that are refused. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "test/shared/graph_tables.h"

#define MARK "\xef\xbb\xbf" /* the byte-order mark of UTF-8 */
#define NAMES .by_names = true
#define ASK "its header does not say "
#define GIVE ": give --columns TAIL,HEAD or TAIL,HEAD,WEIGHT"

/* Byte-order marks. */
static const table marks[] = {
    {"a.csv", MARK "0,1,5\n1,2,5\n", {0}, "0 1 5;1 2 5; u32"},
    {"a.csv", MARK "from,to,w\r\n1,2,5\r\n", {0}, "1 2 5; u32"},
    {"a.csv", MARK "\"x\",y,5\n", {NAMES}, "x y 5; u32"},
    {"a.csv", MARK "to,from\nx,y\n", {NAMES, .columns = "from,to"}, "y x; none"},
    {"a.tsv", MARK "0\t1\t5\n", {0}, "0 1 5; u32"},
    {"a.wel", MARK "0 1 5\n", {0}, "0 1 5; u32"},
    {"a.el", MARK "# c\n0 1\n", {0}, "0 1; none"},
    {"a", MARK "p sp 2 1\na 1 2 5\n", {0}, "1 2 5; u32"},
    {"a",
     MARK "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 5\n",
     {0},
     "1 2 5; u32"},
    {"a.csv", MARK "\n", {0}, "a.csv: has no arcs"},
    {"a.csv", "0,1\n" MARK "1,2\n", {0}, "a.csv: line 2: '???1' is no vertex"},
    {"a.csv",
     "\xff\xfe"
     "0",
     {0},
     "a.csv: is text in UTF-16 or UTF-32; it must be UTF-8, as `iconv -t UTF-8` makes it"},
    {"a.csv",
     "\xfe\xff"
     "0",
     {NAMES},
     "a.csv: is text in UTF-16 or UTF-32; it must be UTF-8, as `iconv -t UTF-8` makes it"},
};

/* Whether the first line is a header. */
static const table headers[] = {
    {"a.csv",
     "l,1,3\n1,2,5\n",
     {0},
     "a.csv: line 1: 'l' is no vertex; --header makes the line a header"},
    {"a.csv",
     "#c\n\n0,O,3\n1,2,5\n",
     {0},
     "a.csv: line 3: 'O' is no vertex; --header makes the line a header"},
    {"a.csv",
     "0,1,E3\n1,2,5\n",
     {0},
     "a.csv: line 1: the weight 'E3' is no number; --header makes the line a header"},
    {"a.csv",
     "l,O\n1,2\n",
     {0},
     "a.csv: line 1: 'l' is no vertex; --header makes the line a header"},
    {"a.csv", "l,1,3\n1,2,5\n", {.header = IO_HEADER_YES}, "1 2 5; u32"},
    {"a.csv",
     "l,1,3\n1,2,5\n",
     {.header = IO_HEADER_NO},
     "a.csv: line 1: 'l' is no vertex; --names reads words"},
    {"a.csv", "0,1,3\n1,2,5\n", {.header = IO_HEADER_YES}, "1 2 5; u32"},
    {"a.csv", "here,there\n1,2\n", {0}, "1 2; none"},
    {"a.csv",
     "here,there\nthis,that\n",
     {0},
     "a.csv: line 1: 'here' is no vertex; --names reads words"},
    {"a.csv",
     "from,to\nthis,that\n",
     {0},
     "a.csv: line 2: 'this' is no vertex; --names reads words"},
    {"a.csv", "I,J\n1,2\n", {0}, "1 2; none"},
    {"a.csv", "# from,to\n0,1\n", {0}, "0 1; none"},
    {"a.csv", "-1,2\n3,4\n", {0}, "a.csv: line 1: '-1' is no vertex"},
    {"a.csv", "from,to\nx,3\n1,2\n", {0}, "a.csv: line 2: 'x' is no vertex; --names reads words"},
    {"a.csv", "from,to\n", {0}, "a.csv: has no arcs"},
    {"a.csv",
     "from,to\n0,1\n",
     {.header = IO_HEADER_NO},
     "a.csv: line 1: 'from' is no vertex; --names reads words"},
    {"a.csv",
     "from,to\n0,1\n",
     {.columns = "from,to", .header = IO_HEADER_NO},
     "a.csv: --columns names columns, so there is a header"},
    /* names */
    {"a.csv", "from,to\nx,y\n", {NAMES}, "x y; none"},
    {"a.csv", "Source ID,Target_Node\nx,y\n", {NAMES}, "x y; none"},
    {"a.csv", "from,to,3\nx,y,4\n", {NAMES}, "from to 3;x y 4; u32"},
    {"a.csv", "a,b,km\nx,y,4\n", {NAMES}, "x y 4; u32"},
    {"a.csv", "a,b,l\nx,y,4\n", {NAMES}, "a.csv: line 1: the weight 'l' is no number"},
    {"a.csv", "x,y\ny,x\n", {NAMES}, "x y;y x; none"},
    {"a.csv", "a,b\n1,2\n", {NAMES}, "1 2; none"},
    {"a.csv", "a,b,1\n1,2,1\n", {NAMES}, "a b 1;1 2 1; u32"},
    {"a.csv", "u,v,3\nx,y,4\n", {NAMES}, "u v 3;x y 4; u32"},
    {"a.csv",
     "u,v\nx,y\n",
     {NAMES},
     "a.csv: line 1: may be a header or an arc: say --header or --no-header"},
    {"a.csv",
     "home,end\nx,y\n",
     {NAMES},
     "a.csv: line 1: may be a header or an arc: say --header or --no-header"},
    {"a.csv", "u,v\nx,y\n", {NAMES, .header = IO_HEADER_YES}, "x y; none"},
    {"a.csv", "u,v\nx,y\n", {NAMES, .header = IO_HEADER_NO}, "u v;x y; none"},
    {"a.csv", "u,x\nx,y\n", {NAMES}, "u x;x y; none"},
};

/* Which columns are what. */
static const table columns[] = {
    {"a.csv", "head,tail,weight\n1,2,3\n", {0}, "2 1 3; u32"},
    {"a.csv", "id,from,to,length\n7,1,2,3\n", {0}, "1 2 3; u32"},
    {"a.csv", ",from,to,length\n7,1,2,3\n", {0}, "1 2 3; u32"},
    {"a.csv", "from,to,name,length\n1,2,x,3\n", {0}, "1 2 3; u32"},
    {"a.csv", "from,to,colour\n1,2,3\n", {0}, "1 2 3; u32"},
    {"a.csv", "from,to,length,time\n1,2,3,4\n", {0}, "1 2 3; u32"},
    {"a.csv", "id,from,to,name,length\n1,x,y,z,3\n", {NAMES}, "x y 3; u32"},
    {"a.csv", "id,from,to\n7,1,2\n", {0}, "a.csv: line 1: " ASK "which column is the weight" GIVE},
    {"a.csv", "id,from,to\n7,1,2\n", {.no_weights = true}, "1 2; none"},
    {"a.csv",
     "time,from,to,length\n7,1,2,3\n",
     {0},
     "a.csv: line 1: " ASK "which column is the weight" GIVE},
    {"a.csv",
     "id,from,x\n7,1,2\n",
     {0},
     "a.csv: line 1: " ASK "which columns are tail and head" GIVE},
    {"a.csv",
     "from,source,to\n7,1,2\n",
     {0},
     "a.csv: line 1: " ASK "which columns are tail and head" GIVE},
    {"a.csv",
     "x,y,z,weight\n7,1,2,3\n",
     {0},
     "a.csv: line 1: " ASK "which columns are tail and head" GIVE},
    {"a.csv", "id,from,to\n7,1,2\n", {.columns = "2,3,1"}, "1 2 7; u32"},
    {"a.csv",
     "from,to,from\n7,1,2\n",
     {.columns = "from,to"},
     "a.csv: line 1: two columns are called 'from'"},
    {"a.csv", "\"f, t\",to\n7,1\n", {.columns = "1,to"}, "7 1; none"},
    {"a.csv", "q,1,2\nq,2,3\n", {.columns = "2,3"}, "1 2;2 3; none"},
};

/* Rows of another number of cells, and what quotes hold. */
static const table rows[] = {
    {"a.csv", "0,1\n1,2,7\n", {0}, "a.csv: line 2: has 3 cells where line 1 has 2"},
    {"a.csv", "0,1,5\n1,2\n", {0}, "a.csv: line 2: has no weight"},
    {"a.csv", "0,1,5\n1,2,\n", {0}, "a.csv: line 2: has no weight"},
    {"a.csv", "0,1,5\n1,2,7,8\n", {0}, "a.csv: line 2: has 4 cells where line 1 has 3"},
    {"a.csv", "0,1,5\n1,2,7,\n", {0}, "0 1 5;1 2 7; u32"},
    {"a.csv", "0,1,5\n1,2,7,,,\r\n", {0}, "0 1 5;1 2 7; u32"},
    {"a.csv", "0,1,5\n1,2,7,,8\n", {0}, "a.csv: line 2: has 5 cells where line 1 has 3"},
    {"a.csv", "0,1,5\n1,2,7,\"\"\n", {0}, "a.csv: line 2: has 4 cells where line 1 has 3"},
    {"a.csv", "from,to,w,\n0,1,5\n", {0}, "0 1 5; u32"},
    {"a.csv", "0,1,\n1,2,\n", {0}, "0 1;1 2; none"},
    {"a.csv", "0,1,\n1,2,3\n", {0}, "a.csv: line 1: has no weight"},
    {"a.csv", "0,1,,\n1,2\n", {0}, "0 1;1 2; none"},
    {"a.csv", "from,to,w\n0,1,\n", {0}, "a.csv: line 2: has no weight"},
    {"a.csv", "from,to,w\n0,1\n", {0}, "a.csv: line 2: has no weight"},
    {"a.csv",
     "0,1,x,y\n1,2,z\n",
     {.columns = "1,2"},
     "a.csv: line 2: has 3 cells where line 1 has 4"},
    {"a.csv",
     "0,1,x,y\n1,2\n",
     {.columns = "1,2"},
     "a.csv: line 2: has 2 cells where line 1 has 4"},
    {"a.csv", "0,1,x\n1,2,\"z,\"\n", {.no_weights = true}, "0 1;1 2; none"},
    {"a.csv",
     "0,1,x\n1,2,\"z,\n",
     {.no_weights = true},
     "a.csv: line 2: a quote is not closed on its line"},
    {"a.csv",
     "0,1,x\n1,2,\"z\"a\n",
     {.no_weights = true},
     "a.csv: line 2: 'a' follows what should be its end"},
    {"a.csv",
     "0,1x,5\n1,2,5\n",
     {.no_weights = true},
     "a.csv: line 1: '1x' is no vertex; --header makes the line a header"},
    {"a.csv", "0,1,5\n1,2x,5\n", {.no_weights = true}, "a.csv: line 2: '2x' is no vertex"},
    {"a.csv", "0,1,\"5\n", {0}, "a.csv: line 1: '' follows what should be its end"},
    {"a.csv", "x,y\ny,x,1\n", {NAMES}, "a.csv: line 2: has 3 cells where line 1 has 2"},
    {"a.csv", "x,y\n,x\n", {NAMES}, "a.csv: line 2: has no first vertex"},
    {"a.csv", "x,y\n\"\",x\n", {NAMES}, "a.csv: line 2: has no first vertex"},
    {"a.csv", "x,\"y\n", {NAMES}, "a.csv: line 1: a quote is not closed on its line"},
    {"a.csv", "x,\"y\"z\n", {NAMES}, "a.csv: line 1: 'z' follows what should be its end"},
    {"a.csv", "x,\"a \"\"b\"\"\"\n", {NAMES}, "x a \"b\"; none"},
    {"a.csv", "x,\"\"\"\"\n\"\"\"\",\" y,\" \r\n", {NAMES}, "x \";\"  y,; none"},
    {"a.csv", "5\" pipe,x\"\"\n", {NAMES}, "5\" pipe x\"\"; none"},
    {"a.csv", "0 1 2\n1 2\n", {.delimiter = ' '}, "a.csv: line 2: has no weight"},
    {"a.csv",
     "0 1 2\n1 2 3 4\n",
     {.delimiter = ' '},
     "a.csv: line 2: '4' follows what should be its end"},
    {"a.csv",
     "0 1 2 9\n1 2 3\n",
     {.delimiter = ' '},
     "a.csv: line 2: has 3 cells where line 1 has 4"},
};

/* What parts the columns. */
static const table separators[] = {
    {"a.csv", "0;1;2\n", {0}, "0 1 2; u32"},
    {"a.csv", "from;to;w\n0;1;2,5\n1;2;3\n", {0}, "a.csv: line 2: the weight '2,5' is no number"},
    {"a.csv", "0\t1\t2\n", {0}, "0 1 2; u32"},
    {"a.tsv", "0,1,2\n", {0}, "0 1 2; u32"},
    {"a.csv", "0 1  2\n1 2 3\n", {0}, "0 1 2;1 2 3; u32"},
    {"a.tsv", "0 1\n1 2\n", {0}, "0 1;1 2; none"},
    {"a.csv", "x;y;1\ny;z;2\n", {NAMES}, "x y 1;y z 2; u32"},
    {"a.csv", "x y,y z\n", {NAMES}, "x y y z; none"},
    {"a.csv",
     "x;y,y;z\n",
     {NAMES},
     "a.csv: line 1: its columns may be parted by ',' or by ';': say which by --delimiter"},
    {"a.csv", "x;y,y;z\n", {NAMES, .delimiter = ','}, "x;y y;z; none"},
    {"a.csv",
     "x;y,\"y;z\"\n",
     {NAMES},
     "a.csv: line 1: its columns may be parted by ',' or by ';': say which by --delimiter"},
    {"a.csv", "0,1,2\n1;2;3\n", {0}, "a.csv: line 2: '1;2;3' is no vertex"},
    {"a.csv", "0,1,2\n", {.delimiter = ';'}, "a.csv: line 1: '0,1,2' is no vertex"},
};

/* Past the lines that are looked at, no weight is left out, and no row is another kind. */
static void far_lines(void **state)
{
    (void)state;
    static const struct {
        const char *usual, *odd, *why;
    } all[] = {
        {"0,1,\n", "0,1,5\n", "has 3 cells where line 1 has 2"},
        {"0,1\n", "0,1,5\n", "has 3 cells where line 1 has 2"},
        {"0,1,5\n", "0,1\n", "has no weight"},
        {"0,1,5,\n", "0,1,5,6,7\n", "has 5 cells where line 1 has 4"},
        {"0,1,5\n", "0,1,9007199254740993\n0,1,0.5\n",
         "the weight 9007199254740993 is a whole number that f64 would round, and others are "
         "decimals; --weight f64 rounds it"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[4000] = "", wanted[300];
        for (size_t k = 0; k < 300; k++) {
            strcat(text, all[i].usual);
        }
        strcat(text, all[i].odd);
        store_text("a.csv", text);
        snprintf(wanted, sizeof wanted, "a.csv: line 301: %s", all[i].why);
        for (unsigned threads = 1; threads <= 2; threads++) {
            io_graph g;
            io_error error = {0};
            assert_false(store_read(&g, "a.csv", threads, &error));
            assert_string_equal(error.text, wanted);
            io_graph_free(&g);
        }
    }
}

CHECK(marks)
CHECK(headers)
CHECK(columns)
CHECK(rows)
CHECK(separators)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_marks),      cmocka_unit_test(check_headers),
        cmocka_unit_test(check_columns),    cmocka_unit_test(check_rows),
        cmocka_unit_test(check_separators),

        cmocka_unit_test(far_lines),
    };
    return cmocka_run_group_tests(tests, store_begin, store_end);
}
