/* test_graph_trips.c - graphs from one format to another and back, and files that are cut or bent:
 * compressed ones and binary ones. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "test/shared/graph_store.h"

#ifdef UPSWEEP_ZLIB
#include <zlib.h>
#endif
#ifdef UPSWEEP_ZSTD
#include <zstd.h>
#endif

static void must_read(io_graph *g, const char *file, const io_graph_options *options)
{
    io_error error = {0};
    if (!io_graph_read(g, file, options, &error)) {
        fail_msg("%s", error.text);
    }
}

static void must_write(io_graph *g, const char *file, io_graph_format format)
{
    io_output out;
    io_error error = {0};
    assert_int_equal(io_output_open(&out, file, &error), 0);
    if (!io_graph_write(g, &out, format, 3, NULL, &error)) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(io_output_commit(&out, &error), 0);
}

static void convert(const char *from, const char *to, const io_graph_options *options)
{
    io_graph g;
    must_read(&g, from, options);
    must_write(&g, to, io_graph_format_of_file(to));
    io_graph_free(&g);
}

static void assert_same_file(const char *a, const char *b)
{
    size_t size_a = 0, size_b = 0;
    char *text_a = program_load(a, &size_a), *text_b = program_load(b, &size_b);
    assert_non_null(text_a);
    assert_non_null(text_b);
    if (size_a != size_b || memcmp(text_a, text_b, size_a) != 0) {
        fail_msg("%s and %s differ:\n%.400s\n%.400s", a, b, text_a, text_b);
    }
    free(text_a);
    free(text_b);
}

/* Three graphs in each format as this program writes it; weights and arcs in no order. */
static const char *const texts[][2] = {
    {"a.gr", "p sp 5 6\na 1 2 7\na 1 5 0\na 1 2 4294967295\na 2 2 9\na 4 1 1\na 5 3 12\n"},
    {"b.mtx", "%%MatrixMarket matrix coordinate real general\n4 4 4\n1 2 0.5\n1 2 1e+100\n2 1 3\n"
              "4 3 0.1\n"},
    {"c.el", "0 3\n1 1\n1 0\n2 3\n"},
    {"d.gr", "p sp 3 0\n"},
};

/* Which formats hold which of the graphs. */
static const struct {
    size_t text;
    const char *to;
    const char *weight; /* to be read with, on the way back */
} trips[] = {
    {0, "gr", NULL},  {0, "mtx", NULL}, {0, "wel", NULL},  {0, "csv", NULL}, {0, "tsv", NULL},
    {0, "usg", NULL}, {1, "mtx", NULL}, {1, "wel", NULL},  {1, "csv", NULL}, {1, "tsv", NULL},
    {1, "usg", NULL}, {2, "el", NULL},  {2, "mtx", NULL},  {2, "csv", NULL}, {2, "tsv", NULL},
    {2, "usg", NULL}, {2, "sg", NULL},  {2, "gr", "none"}, {3, "gr", NULL},  {3, "mtx", NULL},
    {3, "usg", NULL}, {3, "wsg", NULL},
};

static void there_and_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof trips / sizeof *trips; i++) {
        const char *first = texts[trips[i].text][0];
        char there[40], back[40];
        io_graph_options options = {.threads = 2};
        snprintf(there, sizeof there, "there.%s", trips[i].to);
        snprintf(back, sizeof back, "back-%s", first);
        store_text(first, texts[trips[i].text][1]);
        convert(first, there, &options);
        options.no_weights = trips[i].weight != NULL;
        convert(there, back, &options);
        assert_same_file(first, back);
    }
}

/* Weights of 31 bits go through .wsg; a directed graph has its arcs a second time, turned round. */
static void through_gap(void **state)
{
    (void)state;
    static const unsigned char file[] = {
        1, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, /* directed, 2 arcs, 2 vertices */
        0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, /* begin */
        1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, /* 0 -> 1 of 5, 0 -> 0 of 6 */
        0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, /* turned */
        0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0};
    static const char text[] = "p sp 2 2\na 1 2 5\na 1 1 6\n";
    io_graph_options options = {.threads = 2};
    store_text("a.gr", text);
    program_store("wanted.wsg", file, sizeof file);
    convert("a.gr", "a.wsg", &options);
    assert_same_file("a.wsg", "wanted.wsg");
    convert("a.wsg", "back.gr", &options);
    assert_same_file("a.gr", "back.gr");
}

/* A symmetric matrix stays one in mtx and usg, and is written both ways elsewhere. */
static void both_ways(void **state)
{
    (void)state;
    static const char one[] = "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n"
                              "2 1 5\n2 2 6\n3 1 7\n",
                      two[] = "p sp 3 5\na 2 1 5\na 2 2 6\na 3 1 7\na 1 2 5\na 1 3 7\n";
    io_graph_options options = {.threads = 2};
    store_text("one.mtx", one);
    store_text("two.gr", two);
    convert("one.mtx", "there.usg", &options);
    convert("there.usg", "back.mtx", &options);
    assert_same_file("one.mtx", "back.mtx");
    convert("one.mtx", "there.gr", &options);
    assert_same_file("two.gr", "there.gr");
    convert("one.mtx", "there.wsg", &options); /* not directed: no second copy */
    io_graph g;
    must_read(&g, "there.wsg", &options);
    assert_true(g.symmetric);
    assert_int_equal(g.arcs, 5);
    io_graph_free(&g);
}

static void names_and_places(void **state)
{
    (void)state;
    static const char table[] = "tail,head,weight\n\"a, b\",c,1\nc,d e,2\n\"#f\",c,3\n",
                      places[] = "p aux sp co 4\nv 1 -3 0.25\nv 2 95495838 471878835\nv 3 1 2\n"
                                 "v 4 5 6\n";
    io_graph_options options = {.threads = 2, .by_names = true, .columns = "tail,head,weight"};
    io_error error = {0};
    io_graph g;
    io_output out;
    store_text("a.csv", table);
    store_text("a.co", places);
    must_read(&g, "a.csv", &options);
    assert_true(io_graph_read_places(&g, "a.co", 2, &error));
    must_write(&g, "a.usg", IO_GRAPH_USG);
    io_graph_free(&g);
    io_graph_options plain = {.threads = 1};
    must_read(&g, "a.usg", &plain);
    must_write(&g, "back.csv", IO_GRAPH_CSV);
    assert_int_equal(io_output_open(&out, "back.co", &error), 0);
    assert_true(io_graph_write_places(&g, &out, &error));
    assert_int_equal(io_output_commit(&out, &error), 0);
    uint32_t v;
    assert_true(io_graph_vertex(&g, "d e", &v, &error));
    assert_int_equal(v, 2);
    assert_false(io_graph_vertex(&g, "2", &v, &error));
    assert_string_equal(error.text, "no vertex is called '2'");
    io_graph_free(&g);
    assert_same_file("a.csv", "back.csv");
    assert_same_file("a.co", "back.co");
}

/* What a format cannot hold is told, and nothing is written. */
static void not_written(void **state)
{
    (void)state;
    static const struct {
        const char *from, *text;
        io_graph_format to;
        const char *sentence;
    } cases[] = {
        {"a.wel", "0 1 0.5\n", IO_GRAPH_GR,
         "x: gr has whole weights, not f64: give --weight u32 or u64"},
        {"a.wel", "0 1 5\n", IO_GRAPH_EL, "x: el has no weights: give --weight none, or write wel"},
        {"a.wel", "0 1 5\n", IO_GRAPH_SG, "x: sg has no weights: give --weight none, or write wsg"},
        {"a.wel", "0 1 0.5\n", IO_GRAPH_WSG,
         "x: wsg has weights of 31 bits, not f64: give --weight u32"},
        {"a.wel", "0 1 2147483648\n", IO_GRAPH_WSG,
         "x: wsg has weights of 31 bits, and 2147483648 needs more"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        io_graph g;
        io_output out;
        io_error error = {0};
        io_graph_options options = {.threads = 1};
        store_text(cases[i].from, cases[i].text);
        must_read(&g, cases[i].from, &options);
        assert_int_equal(io_output_open(&out, "x", &error), 0);
        assert_false(io_graph_write(&g, &out, cases[i].to, 1, NULL, &error));
        assert_string_equal(error.text, cases[i].sentence);
        io_output_discard(&out);
        assert_int_equal(access("x", F_OK), -1);
        io_graph_free(&g);
    }
}

/* ---- files that are cut or bent ---- */

/* Reads every beginning of the file, and the file with each byte changed; `good` of these may be
 * read (those whose change no reader can see). */
static void cut_and_bend(const char *file, unsigned char *bytes, size_t size, const char *as_text)
{
    io_graph_options options = {.threads = 1};
    io_error error;
    io_graph g;
    for (size_t length = 0; length < size; length++) {
        program_store(file, bytes, length);
        error.text[0] = '\0';
        if (io_graph_read(&g, file, &options, &error) || error.text[0] == '\0') {
            fail_msg("%s of %zu bytes was read, cut to %zu", file, size, length);
        }
        io_graph_free(&g);
    }
    for (size_t at = 0; at < size; at++) {
        bytes[at] ^= 0x11;
        program_store(file, bytes, size);
        bytes[at] ^= 0x11;
        if (io_graph_read(&g, file, &options, &error)) {
            if (as_text == NULL) {
                fail_msg("%s was read with byte %zu changed", file, at);
            }
            must_write(&g, "bent.gr", IO_GRAPH_GR);
            assert_same_file("bent.gr", as_text);
        }
        io_graph_free(&g);
    }
}

static void binary(void **state)
{
    (void)state;
    io_graph_options options = {.threads = 2};
    size_t size = 0;
    store_text("a.gr", texts[0][1]);
    convert("a.gr", "a.usg", &options);
    unsigned char *bytes = (unsigned char *)program_load("a.usg", &size);
    cut_and_bend("a.usg", bytes, size, NULL);
    bytes[8] = 2; /* a version to come, with a header that is whole */
    io_error error;
    io_graph g;
    program_store("a.usg", bytes, size);
    assert_false(store_read(&g, "a.usg", 1, &error));
    assert_string_equal(error.text, "a.usg: has version 2 of the format; this program reads 1");
    io_graph_free(&g);
    free(bytes);
    /* A .wsg has no checksum: every cut shows, and bent ones are refused or are graphs. */
    static const char small[] = "p sp 3 2\na 1 2 5\na 3 1 6\n";
    store_text("b.gr", small);
    convert("b.gr", "b.wsg", &options);
    bytes = (unsigned char *)program_load("b.wsg", &size);
    for (size_t length = 0; length < size; length++) {
        program_store("b.wsg", bytes, length);
        assert_false(store_read(&g, "b.wsg", 1, &error));
        io_graph_free(&g);
    }
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        program_store("b.wsg", bytes, size);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        if (store_read(&g, "b.wsg", 1, &error)) {
            assert_true(io_graph_to_list(&g)); /* which would read where it must not */
        }
        io_graph_free(&g);
    }
    free(bytes);
}

enum { PACKED_MAX = 4096 };

static size_t gzip(const char *text, unsigned char *packed)
{
#ifdef UPSWEEP_ZLIB
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (unsigned char *)(uintptr_t)text;
    z.avail_in = (unsigned)strlen(text);
    z.next_out = packed;
    z.avail_out = PACKED_MAX;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return z.total_out;
#else
    (void)text;
    (void)packed;
    print_message("built without zlib: skipped\n");
    skip();
    return 0;
#endif
}

static size_t zstd(const char *text, unsigned char *packed)
{
#ifdef UPSWEEP_ZSTD
    ZSTD_CCtx *c = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
    size_t size = ZSTD_compress2(c, packed, PACKED_MAX, text, strlen(text));
    assert_false(ZSTD_isError(size));
    ZSTD_freeCCtx(c);
    return size;
#else
    (void)text;
    (void)packed;
    print_message("built without libzstd: skipped\n");
    skip();
    return 0;
#endif
}

static void packed(size_t (*pack)(const char *, unsigned char *), const char *file)
{
    static unsigned char bytes[2 * PACKED_MAX];
    static const char front[] = "p sp 5 6\na 1 2 7\na 1 5 0\na 1 2 42", rest[] =
                                                                            "94967295\na 2 2 9\n"
                                                                            "a 4 1 1\na 5 3 12\n";
    io_graph_options options = {.threads = 2};
    store_text("a.gr", texts[0][1]);
    size_t size = pack(texts[0][1], bytes);
    program_store(file, bytes, size);
    convert(file, "back.gr", &options);
    assert_same_file("a.gr", "back.gr");
    cut_and_bend(file, bytes, size, "a.gr");
    size = pack(front, bytes); /* two streams, one behind the other */
    size += pack(rest, bytes + size);
    program_store(file, bytes, size);
    convert(file, "back.gr", &options);
    assert_same_file("a.gr", "back.gr");
    memcpy(bytes + size, "more", 4); /* and what is none */
    program_store(file, bytes, size + 4);
    io_graph g;
    io_error error = {0};
    assert_false(store_read(&g, file, 1, &error));
    assert_true(error.text[0] != '\0');
    io_graph_free(&g);
}

static void gzipped(void **state)
{
    (void)state;
    packed(gzip, "a.gr.gz");
}
static void zstandard(void **state)
{
    (void)state;
    packed(zstd, "a.gr.zst");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back), cmocka_unit_test(through_gap),
        cmocka_unit_test(both_ways),      cmocka_unit_test(names_and_places),
        cmocka_unit_test(not_written),    cmocka_unit_test(binary),
        cmocka_unit_test(gzipped),        cmocka_unit_test(zstandard),
    };
    return cmocka_run_group_tests(tests, store_begin, store_end);
}
