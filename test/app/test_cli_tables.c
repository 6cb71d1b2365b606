/* test_cli_tables.c - what `upsweep paths` and `upsweep graph` print of tables: vertices as the
 * file calls them, in answers as in sentences, quotes where CSV and JSON want them, and what the
 * table was taken for. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "test/shared/graph_store.h"

/* Words of a line, parted by blanks; ~ is a blank within a word. */
static program_result run(const char *line)
{
    const char *argv[32] = {getenv("UPSWEEP_PROGRAM")};
    char words[2048], *rest = NULL;
    size_t count = 1;
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok_r(words, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest)) {
        for (char *p = word; (p = strchr(p, '~')) != NULL;) {
            *p = ' ';
        }
        argv[count++] = word;
    }
    argv[count] = NULL;
    return program_run(".", argv, NULL);
}

static const struct {
    const char *file, *text, *line, *out, *err; /* err: what it has; out NULL: status 2 */
} all[] = {
    /* An overflow names the vertex as the file does. */
    {"a.csv", "1,2,4294967295\n2,7,5\n", "paths a.csv --base 1 -s 1", NULL,
     "a.csv: the distance of vertex 2 does not fit 32 bits; --weight u64 gives distances more "
     "room"},
    {"a.csv", "0,1,4294967295\n", "paths a.csv -s 0", NULL, "the distance of vertex 1 does not"},
    {"a.csv", "a,b c,4294967295\n", "paths a.csv --names -s a", NULL,
     "the distance of vertex b c does"},
    {"a.csv", "a,vertex 0,4294967295\n", "paths a.csv --names -s a", NULL,
     "of vertex vertex 0 does"},
    {"a.csv", "5,7000000000,4294967295\n", "paths a.csv -s 5", NULL, "of vertex 7000000000 does"},
    {"a.gr", "p sp 9 1\na 3 9 4294967295\n", "paths a.gr -s 3", NULL, "of vertex 9 does"},
    {"a.gr", "p sp 9 1\na 3 9 18446744073709551615\n", "paths a.gr -s 3 -s 9", NULL,
     "of vertex 9 does"},
    {"a.csv", "x,y,9223372036854775807\n", "paths a.csv --names --negative -s x", NULL,
     "of vertex y does"},
    {"a.csv", "x,y,-5\ny,x,-4\n", "paths a.csv --names --negative -s x", NULL, "x -> y -> x can"},
    {"a.csv", "5,7000000000,-5\n7000000000,5,1\n", "paths a.csv --negative -s 5", NULL,
     "the cycle 5 -> 7000000000 -> 5 can be reached and has length -4"},
    /* dimacs has what is reached. */
    {"a.gr", "p sp 5 1\na 1 2 7\n", "paths a.gr -s 1 -t 5 -t 2 --format dimacs",
     "c s SOURCE, then d VERTEX DISTANCE [PARENT], r PATH\ns 1\nd 2 7\n", ""},
    {"a.gr", "p sp 5 1\na 1 2 7\n", "paths a.gr -s 1 -s 2 -t 5 --format dimacs --path",
     "c s SOURCE, then d VERTEX DISTANCE [PARENT], r PATH\ns 1\ns 2\n", ""},
    {"a.csv", "a,\"b c\"\n", "paths a.csv --names -s a --format dimacs --parents",
     "c s SOURCE, then d VERTEX DISTANCE [PARENT], r PATH\ns a\nd a 0\nd \"b c\" 1 a\n", ""},
    /* Quotes. */
    {"a.csv", "x,\"a \"\"b\"\"\"\n", "paths a.csv --names -s x",
     "vertex,distance\nx,0\n\"a \"\"b\"\"\",1\n", ""},
    {"a.csv", "x,\"a \"\"b\"\"\"\n", "paths a.csv --names -s x -t a~\"b\" --format json",
     "{\"vertices\": 2, \"arcs\": 1, \"first\": 0, \"type\": \"u32\",\n \"answers\": [\n"
     "  {\"source\": \"x\", \"targets\": [{\"target\": \"a \\\"b\\\"\", \"distance\": 1}]}]}\n",
     ""},
    {"a.csv", "x\xff\xc3\xa9,\x01\\\n", "paths a.csv --names --format json --summary -s \x01\\",
     "{\"vertices\": 2, \"arcs\": 1, \"first\": 0, \"type\": \"u32\",\n \"answers\": [\n"
     "  {\"source\": \"\\u0001\\\\\", \"reached\": 1, \"farthest\": {\"target\": \"\\u0001\\\\\", "
     "\"distance\": 0}, \"sum\": 0}]}\n",
     ""},
    {"a.csv", "y,x\xff\xc3\xa9\xe2\x82\n",
     "paths a.csv --names --format json --path -s y -t x\xff\xc3\xa9\xe2\x82",
     "{\"vertices\": 2, \"arcs\": 1, \"first\": 0, \"type\": \"u32\",\n \"answers\": [\n"
     "  {\"source\": \"y\", \"targets\": [{\"target\": \"x\\ufffd\xc3\xa9\\ufffd\\ufffd\", "
     "\"distance\": 1, "
     "\"path\": [\"y\", \"x\\ufffd\xc3\xa9\\ufffd\\ufffd\"]}]}]}\n",
     ""},
    {"a.csv", "x,\"a \"\"b\"\"\"\n\"a \"\"b\"\"\",\"c,d\"\n",
     "paths a.csv --names -s x -t c,d --path",
     "target,distance,path\n\"c,d\",2,\"x \"\"a \"\"\"\"b\"\"\"\"\"\" c,d\"\n", ""},
    {"a.csv", "x,y\ny,z\n", "paths a.csv --names -s x -t z --path",
     "target,distance,path\nz,2,x y z\n", ""},
    {"a.csv", "\"#a\",\" b\"\n\" b\",\"c\"\"\"\n\"c\"\"\",\"d,\te\"\n",
     "graph convert a.csv --names --to csv",
     "tail,head\n\"#a\",\" b\"\n\" b\",\"c\"\"\"\n\"c\"\"\",\"d,\te\"\n", ""},
    {"a.csv", "\"#a\",\" b\"\n\" b\",\"d,\te\"\n", "graph convert a.csv --names --to tsv",
     "tail\thead\n\"#a\"\t\" b\"\n\" b\"\t\"d,\te\"\n", ""},
    {"a.csv", "y,x\xed\xa0\x80\xc0\xaf\xf4\x90\x80\x80\xe0\x80\x80\xf0\x9f\x9a\x80\n",
     "paths a.csv --names --format json -s y -t "
     "x\xed\xa0\x80\xc0\xaf\xf4\x90\x80\x80\xe0\x80\x80\xf0\x9f\x9a\x80",
     "{\"vertices\": 2, \"arcs\": 1, \"first\": 0, \"type\": \"u32\",\n \"answers\": [\n"
     "  {\"source\": \"y\", \"targets\": [{\"target\": \"x\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd"
     "\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\xf0\x9f\x9a\x80\", \"distance\": 1}]}]}\n",
     ""},
    /* Ids far apart. */
    {"a.csv", "0,300000000,1\n", "paths a.csv -s 0", "vertex,distance\n0,0\n300000000,1\n", ""},
    {"a.csv", "7000000000,0,2\n0,5,1\n", "paths a.csv -s 7000000000 --parents",
     "vertex,distance,parent\n0,2,7000000000\n5,3,0\n7000000000,0,\n", ""},
    {"a.csv", "7000000000,5,2\n", "paths a.csv -s 5 --format json",
     "{\"vertices\": 2, \"arcs\": 1, \"first\": 5, \"type\": \"u32\",\n \"ids\": [5, 7000000000],\n"
     " \"answers\": [\n  {\"source\": 5, \"reached\": 1, \"farthest\": {\"target\": 5, "
     "\"distance\": 0}, "
     "\"sum\": 0, \"distance\": [0, null]}]}\n",
     ""},
    {"a.csv", "0,300000000,1\n", "paths a.csv -s 0 --format npy", NULL,
     "npy has no place for them"},
    {"a.csv", "0,300000000,1\n", "paths a.csv -s 1", NULL, "a.csv: no arc names vertex 1"},
    {"a.csv", "0,300000000,1\n", "graph convert a.csv --to gr", NULL, "these ids are far apart"},
    {"a.csv", "0,300000000,1\n", "graph convert a.csv --to wel", "0 300000000 1\n", ""},
    {"a.csv", "1,3,1\n", "paths a.csv --ids used -s 1", "vertex,distance\n1,0\n3,1\n", ""},
    {"a.csv", "1,3,1\n", "paths a.csv -s 1", "vertex,distance\n0,inf\n1,0\n2,inf\n3,1\n", ""},
    {"a.csv", "1,5000000000,1\n", "paths a.csv --ids all -s 1", NULL,
     "line 1: vertex 5000000000, but with --ids all they go up to 4294967293"},
    {"a.csv", "1,3,1\n", "paths a.csv --ids some -s 1", NULL,
     "--ids takes all or used, not 'some'"},
    {"a.gr", "p sp 2 1\na 1 2 7\n", "paths a.gr --ids used -s 1", NULL, "--ids is for"},
    /* What a table was taken for. */
    {"a.csv", "# c\nfrom,to,w\n0,1,5\n\n1,2,6.5\n", "paths a.csv -s 0 --stats --summary",
     "source,reached,farthest,distance,sum\n0,3,2,11.5,16.5\n",
     "table      separator comma, header in line 2, 3 columns: tail 1, head 2, weight 3, f64; 2 "
     "rows, "
     "2 lines skipped\n"},
    {"a.csv", "id;to;from\n7;1;0\n", "paths a.csv -s 0 --stats --summary --columns from,to",
     "source,reached,farthest,distance,sum\n0,2,1,1,1\n",
     "table      separator semicolon, header in line 1, 3 columns: tail 3, head 2, no weight; 1 "
     "row, "
     "0 lines skipped\n"},
    {"a.csv", "a b\n", "paths a.csv -s a --names --delimiter ~ --stats --summary",
     "source,reached,farthest,distance,sum\na,2,b,1,1\n",
     "table      separator blanks, no header, 2 columns: tail 1, head 2, no weight; 1 row, "
     "0 lines skipped\n"},
    {"a.csv", "0,1\n", "paths a.csv -s 0 --header --no-header", NULL, "contradict each other"},
    {"a.csv", "0,1\n", "paths a.csv -s 0 --delimiter 1", NULL, "--delimiter takes one letter"},
    {"a.gr", "p sp 2 1\na 1 2 7\n", "paths a.gr --header -s 1", NULL, "--header is for tables"},
};

static void prints(void **state)
{
    (void)state;
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        store_text(all[i].file, all[i].text);
        program_result r = run(all[i].line);
        const char *out = all[i].out != NULL ? all[i].out : "";
        bool status = all[i].out != NULL ? r.status == 0 : r.status == 1 || r.status == 2;
        if (!status || strcmp(r.out, out) != 0 || strstr(r.err, all[i].err) == NULL) {
            print_message("[%s] %s\nshould be\n%s%s\nwas\n%s%s\n", all[i].text, all[i].line, out,
                          all[i].err, r.out, r.err);
            wrong++;
        }
        program_free(&r);
    }
    assert_int_equal(wrong, 0);
}

/* Files of vertices have names in quotes as tables have them. */
static void named_in_files(void **state)
{
    (void)state;
    store_text("t", "\xef\xbb\xbf\"a \"\"b\"\"\"\n  \"#c d\"  \r\nx\n");
    store_text("p", "x \"a \"\"b\"\"\"\n\"a \"\"b\"\"\"\t\"#c d\"\n");
    store_text("wide", "\xff\xfex");
    store_text("bad", "\"a \"\"b\"\"\" x\n");
    store_text("a.csv", "x,\"a \"\"b\"\"\"\n\"a \"\"b\"\"\",\"#c d\"\n");
    program_result r = run("paths a.csv --names -s x --targets t");
    assert_string_equal(r.out, "target,distance\n\"a \"\"b\"\"\",1\n\"#c d\",2\nx,0\n");
    program_free(&r);
    r = run("paths a.csv --names --pairs p");
    assert_string_equal(r.out, "source,target,distance\nx,\"a \"\"b\"\"\",1\n"
                               "\"a \"\"b\"\"\",\"#c d\",1\n");
    program_free(&r);
    r = run("paths a.csv --names -s x --targets wide");
    assert_int_equal(r.status, 2);
    assert_non_null(strstr(r.err, "wide: is text in UTF-16 or UTF-32"));
    program_free(&r);
    r = run("paths a.csv --names -s x --targets bad");
    assert_int_equal(r.status, 2);
    assert_non_null(strstr(r.err, "bad: line 1: 'x' follows what should be its end"));
    program_free(&r);
}

/* Ids far apart go through a .usg, and come back as they were. */
static void through_usg(void **state)
{
    (void)state;
    store_text("a.csv", "tail,head,weight\n7000000000,5,2\n5,90000000000,4\n");
    program_result r = run("graph convert a.csv -o a.usg");
    assert_int_equal(r.status, 0);
    program_free(&r);
    r = run("graph convert a.usg --to csv");
    assert_string_equal(r.out, "tail,head,weight\n5,90000000000,4\n7000000000,5,2\n");
    program_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints),
        cmocka_unit_test(through_usg),
        cmocka_unit_test(named_in_files),
    };
    if (getenv("UPSWEEP_PROGRAM") == NULL) {
        print_message("set UPSWEEP_PROGRAM to the program\n");
        return 1;
    }
    return cmocka_run_group_tests(tests, store_begin, store_end);
}
