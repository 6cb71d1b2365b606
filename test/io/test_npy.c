/* test_npy.c - .npy headers: those NumPy writes, byte for byte, and those that lie. */
/* SPDX-License-Identifier: MIT */
#include "io/array.h"
#include "io/npy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "test/shared/array_bytes.h"

/* A file in memory: magic, version, length and text. length_told < 0: the true one. */
typedef struct file {
    unsigned char bytes[512];
    size_t size;
} file;

static file make(int major, int minor, const char *text, long length_told)
{
    file f = {.bytes = "\x93NUMPY"};
    size_t length = strlen(text), told = length_told < 0 ? length : (size_t)length_told;
    f.bytes[6] = (unsigned char)major;
    f.bytes[7] = (unsigned char)minor;
    f.size = 8;
    for (int i = 0; i < (major == 1 ? 2 : 4); i++) {
        f.bytes[f.size++] = (unsigned char)(told >> 8 * i);
    }
    memcpy(f.bytes + f.size, text, length);
    f.size += length;
    return f;
}

/* The header is read from a block of exactly `size` bytes, so that a checker sees every byte read
 * beyond it. */
static bool read_exact(const file *f, size_t size, io_npy *npy, io_error *error)
{
    unsigned char *copy = malloc(size == 0 ? 1 : size);
    assert_non_null(copy);
    memcpy(copy, f->bytes, size);
    bool done = io_npy_read_header("x.npy", copy, size, npy, error);
    free(copy);
    return done;
}

static const char plain[] = "{'descr': '<u4', 'fortran_order': False, 'shape': (3,), }   \n";

static void reads_all_versions(void **state)
{
    (void)state;
    for (int version = 1; version <= 3; version++) {
        file f = make(version, 0, plain, -1);
        io_npy npy;
        io_error error;
        assert_true(read_exact(&f, f.size, &npy, &error));
        assert_int_equal(npy.type, UPSWEEP_U32);
        assert_int_equal(npy.n, 3);
        assert_int_equal(npy.header_bytes, f.size);
    }
}

static void reads_what_python_allows(void **state)
{
    (void)state;
    const struct {
        const char *text;
        upsweep_type type;
        size_t n;
    } cases[] = {
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (), }\n", UPSWEEP_F64, 1},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3, 4), }\n", UPSWEEP_U8, 24},
        {"{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}\n", UPSWEEP_U8, 2},
        {"{\"shape\":(5,),\"descr\":\"<i2\",\"fortran_order\":False}", UPSWEEP_I16, 5},
        {"{'descr': '<f2', 'fortran_order': True, 'shape': (7L,), }\n", UPSWEEP_F16, 7},
        {"{'descr': '<i8', 'fortran_order': False, 'shape': (0, 9), }\n", UPSWEEP_I64, 0},
        {" { 'descr' : '<f4' , 'fortran_order' : False , 'shape' : ( 1 , 2 ) } \n", UPSWEEP_F32, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        file f = make(1, 0, cases[i].text, -1);
        io_npy npy;
        io_error error;
        if (!read_exact(&f, f.size, &npy, &error)) {
            fail_msg("%s: %s", cases[i].text, error.text);
        }
        assert_int_equal(npy.type, cases[i].type);
        assert_int_equal(npy.n, cases[i].n);
    }
}

#define ENTRY(descr, fortran, shape)                                                               \
    "{'descr': " descr ", 'fortran_order': " fortran ", 'shape': " shape ", }\n"

static void refuses_hostile_headers(void **state)
{
    (void)state;
    const struct {
        const char *text, *sentence; /* which must contain this */
    } cases[] = {
        {ENTRY("'>u4'", "False", "(3,)"), "big-endian"},
        {ENTRY("'|O'", "False", "(3,)"), "Python objects"},
        {ENTRY("'<c8'", "False", "(3,)"), "'<c8' are not supported"},
        {ENTRY("'<U5'", "False", "(3,)"), "not supported"},
        {ENTRY("'<u3'", "False", "(3,)"), "not supported"},
        {ENTRY("''", "False", "(3,)"), "not supported"},
        {ENTRY("'\x1b[2J'", "False", "(3,)"), "'?' are not supported"},
        {ENTRY("[('a', '<u4')]", "False", "(3,)"), "records"},
        {ENTRY("'<u4'", "True", "(3, 4)"), "Fortran order are not supported; in Python, numpy.asc"},
        {ENTRY("'<u4'", "0", "(3,)"), "neither True nor False"},
        {ENTRY("'<u4'", "False", "(-3,)"), "no tuple of whole numbers"},
        {ENTRY("'<u4'", "False", "(3)"), "the shape is no tuple"},
        {ENTRY("'<u4'", "False", "3"), "the shape is no tuple"},
        {ENTRY("'<u4'", "False", "(3, , 4)"), "no tuple of whole numbers"},
        {ENTRY("'<u4'", "False", "(3.5,)"), "the shape is no tuple"},
        {ENTRY("'<u4'", "False", "(99999999999999999999,)"), "too large"},
        {ENTRY("'<u4'", "False", "(4294967296, 4294967296)"), "too large"},
        {ENTRY("'<u4'", "False", "(4611686018427387904,)"), "too large"},
        {ENTRY("'<u8'", "False", "(2305843009213693951,)"), "too large"},
        {"{'descr': '<u4', 'fortran_order': False, }\n", "'shape' is missing"},
        {"{'descr': '<u4', 'shape': (3,), }\n", "'fortran_order' is missing"},
        {"{'fortran_order': False, 'shape': (3,), }\n", "'descr' is missing"},
        {"{}\n", "'descr' is missing"},
        {"{'descr': '<u4', 'descr': '<u8', 'fortran_order': False, 'shape': (3,), }\n", "twice"},
        {"{'descr': '<u4', 'fortran_order': False, 'shape': (3,), 'x': 1}\n", "unknown key"},
        {"{'descr': '<u4', 'fortran_order': False, 'shape': (3,), } {\n", "follows"},
        {"{'descr': '<u4', 'fortran_order': False, 'shape': (3,)\n", "has no end"},
        {"{'descr': '<u4', 'fortran_order': False, 'shape': (3,\n", "no tuple"},
        {"{'descr: <u4, fortran_order: False, shape: (3,), }\n", "a quoted word"},
        {"{'descr'\n", "without a value"},
        {"{'a\\'b': 1}\n", "a quoted word"},
        {"", "no dictionary"},
        {"__import__('os').system('true')\n", "no dictionary"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        file f = make(1 + (int)(i % 3), 0, cases[i].text, -1);
        io_npy npy;
        io_error error;
        if (read_exact(&f, f.size, &npy, &error)) {
            fail_msg("accepted: %s", cases[i].text);
        }
        if (strstr(error.text, cases[i].sentence) == NULL ||
            strncmp(error.text, "x.npy: ", 7) != 0) {
            fail_msg("%s: said: %s", cases[i].text, error.text);
        }
    }
}

static void refuses_wrong_lengths_and_versions(void **state)
{
    (void)state;
    io_npy npy;
    io_error error;
    file f = make(2, 0, plain, 0xfffffff0);
    assert_false(read_exact(&f, f.size, &npy, &error));
    assert_non_null(strstr(error.text, "claims 4294967280 bytes"));
    f = make(2, 0, plain, IO_NPY_TEXT_MAX + 1);
    assert_false(read_exact(&f, f.size, &npy, &error));
    f = make(1, 0, plain, 60000);
    assert_false(read_exact(&f, f.size, &npy, &error));
    assert_non_null(strstr(error.text, "truncated"));
    f = make(4, 0, plain, -1);
    assert_false(read_exact(&f, f.size, &npy, &error));
    assert_non_null(strstr(error.text, "version 4.0"));
    f = make(1, 1, plain, -1);
    assert_false(read_exact(&f, f.size, &npy, &error));
    f = make(1, 0, plain, -1);
    for (size_t size = 0; size < f.size; size++) {
        assert_false(read_exact(&f, size, &npy, &error));
    }
}

/* Every byte of a header changed to every value: some are still good, none may be read past. */
static void survives_changed_bytes(void **state)
{
    (void)state;
    file good = make(1, 0, plain, -1);
    size_t refused = 0;
    for (size_t at = 0; at < good.size; at++) {
        for (int value = 0; value < 256; value++) {
            file f = good;
            f.bytes[at] = (unsigned char)value;
            io_npy npy;
            io_error error;
            if (!read_exact(&f, f.size, &npy, &error)) {
                refused++;
            } else {
                assert_true(npy.header_bytes <= f.size);
            }
        }
    }
    assert_true(refused > good.size * 200);
}

static void writes_what_numpy_writes(void **state)
{
    (void)state;
    char header[IO_NPY_WRITTEN_BYTES], want[IO_NPY_WRITTEN_BYTES];
    assert_true(io_npy_write_header(header, UPSWEEP_U32, 3));
    memset(want, ' ', sizeof want);
    memcpy(want, "\x93NUMPY\x01\x00\x76\x00", 10);
    const char text[] = "{'descr': '<u4', 'fortran_order': False, 'shape': (3,), }";
    memcpy(want + 10, text, strlen(text));
    want[127] = '\n';
    assert_memory_equal(header, want, sizeof want);
    assert_false(io_npy_write_header(header, UPSWEEP_BF16, 3));
    for (int t = UPSWEEP_U8; t <= UPSWEEP_F64; t++) {
        io_npy npy;
        io_error error;
        if (t != UPSWEEP_BF16) {
            assert_true(io_npy_write_header(header, (upsweep_type)t, SIZE_MAX / 8 - 128));
            assert_true(io_npy_read_header("x", header, sizeof header, &npy, &error));
            assert_int_equal(npy.type, t);
            assert_true(npy.n == SIZE_MAX / 8 - 128);
        }
    }
}

/* Headers of all shapes and truth values: what NumPy 2.4 writes, and what is read is written. */
static void shapes_come_back(void **state)
{
    (void)state;
    static const struct {
        const char *descr, *shape; /* with the room that NumPy leaves behind the dictionary */
        int room, bytes;
        upsweep_type type;
        size_t axes, n;
    } cases[] = {
        {"|b1", "(3,)", 20, 128, UPSWEEP_U8, 1, 3},
        {"<f8", "()", 0, 128, UPSWEEP_F64, 0, 1},
        {"<i2", "(2, 3)", 20, 128, UPSWEEP_I16, 2, 6},
        {"|b1", "(0, 12, 7)", 20, 128, UPSWEEP_U8, 3, 0},
        {"<u8", "(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)", 20, 192,
         UPSWEEP_U64, 20, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300], header[IO_NPY_FORMAT_MAX], shape[IO_NPY_SHAPE_MAX];
        int used =
            snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }%*s",
                     cases[i].descr, cases[i].shape, cases[i].room, "");
        snprintf(text + used, sizeof text - (size_t)used, "%*s\n", cases[i].bytes - 11 - used, "");
        file f = make(1, 0, text, -1);
        io_npy npy;
        io_error error;
        assert_int_equal(f.size, cases[i].bytes);
        assert_true(read_exact(&f, f.size, &npy, &error));
        assert_int_equal(npy.type, cases[i].type);
        assert_int_equal(npy.axes, cases[i].axes);
        assert_int_equal(npy.n, cases[i].n);
        assert_int_equal(npy.boolean, strcmp(cases[i].descr, "|b1") == 0);
        assert_int_equal(io_npy_format(header, &npy), f.size);
        assert_memory_equal(header, f.bytes, f.size);
        io_npy_shape(&npy, shape);
        assert_int_equal(strncmp(shape, cases[i].shape, 36), 0);
    }
    io_npy longest = {.type = UPSWEEP_U8, .axes = IO_NPY_AXES_MAX};
    char header[IO_NPY_FORMAT_MAX], shape[IO_NPY_SHAPE_MAX];
    for (size_t i = 0; i < IO_NPY_AXES_MAX; i++) {
        longest.shape[i] = i == 0 ? 0 : SIZE_MAX;
    }
    assert_true(io_npy_format(header, &longest) <= sizeof header);
    assert_true(strlen(io_npy_shape(&longest, shape)) < sizeof shape);
    longest.type = UPSWEEP_BF16;
    assert_int_equal(io_npy_format(header, &longest), 0);
}

static void array_sizes_must_match(void **state)
{
    (void)state;
    const uint32_t elements[3] = {7, 1, 0xfffffffe};
    file f = make(1, 0, plain, -1); /* its elements begin at an odd place */
    memcpy(f.bytes + f.size, elements, sizeof elements);
    io_array a;
    io_error error;
    assert_true(read_bytes(f.bytes, f.size + 12, 0, &a, &error));
    assert_int_equal(a.n, 3);
    assert_int_equal(a.format, IO_NPY);
    assert_int_equal((uintptr_t)a.data % 4, 0);
    assert_memory_equal(a.data, elements, 12);
    io_array_free(&a);
    for (size_t size = f.size; size <= f.size + 13; size++) {
        if (size != f.size + 12) {
            assert_false(read_bytes(f.bytes, size, 0, &a, &error));
            assert_non_null(strstr(error.text, "promises 12 bytes"));
            io_array_free(&a);
        }
    }
    assert_false(read_bytes(f.bytes, f.size + 12, UPSWEEP_F32, &a, &error));
    assert_non_null(strstr(error.text, "type u32, not f32"));
    io_array_free(&a);
    assert_false(read_bytes("abc", 3, UPSWEEP_U16, &a, &error));
    assert_non_null(strstr(error.text, "3 bytes are no whole number of u16"));
    io_array_free(&a);
    assert_true(read_bytes("", 0, UPSWEEP_U16, &a, &error));
    assert_int_equal(a.n, 0);
    io_array_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_all_versions),
        cmocka_unit_test(reads_what_python_allows),
        cmocka_unit_test(refuses_hostile_headers),
        cmocka_unit_test(refuses_wrong_lengths_and_versions),
        cmocka_unit_test(survives_changed_bytes),
        cmocka_unit_test(writes_what_numpy_writes),
        cmocka_unit_test(shapes_come_back),
        cmocka_unit_test(array_sizes_must_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
