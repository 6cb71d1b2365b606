/* test_file_kind.c - what a file is, its first bytes say: every verb, every kind, as a file, as
 * another operand, on standard input from a file and from a pipe. Either the verb takes the kind
 * and gives what it gives for the plain file, or it refuses in a sentence; no input is changed. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/kinds.h"
#include "io/packed.h"
#include "test/shared/folder.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include <cmocka.h>

#include "test/shared/sanitized.h"

static const char *program, *preload;
static kind_file files[KINDS];

enum way { AS_FILE, AS_SECOND, AS_STDIN, AS_PIPE, WAYS };

static const struct verb {
    const char *words[5];
    const char *text, *npy; /* what it prints for 3 1 2 as text, and as .npy; NULL: not compared */
    bool many;              /* takes several files */
} verbs[] = {
    {{"sort"}, "1\n2\n3\n", NULL, true},
    {{"sort", "-c"}, NULL, NULL, false},
    {{"reduce"}, "6\n", "6\n", true},
    {{"reduce", "--op", "argmin"}, "1\n", "1\n", true},
    {{"scan", "--as", "text"}, "3\n4\n6\n", "3\n4\n6\n", true},
    {{"split", "--bit", "0", "--as", "text"}, "2\n3\n1\n", "2\n3\n1\n", true},
    {{"select", "--median"}, "2\n", "2\n", true},
    {{"select", "--top", "2", "--as", "text"}, "3\n2\n", "3\n2\n", true},
    {{"select", "-u", "--as", "text"}, "1\n2\n3\n", "1\n2\n3\n", true},
    {{"histogram", "--bins", "1", "--csv"},
     "low,high,count\n1,3,3\n",
     "low,high,count\n1,3,3\n",
     true},
    {{"check"}, NULL, NULL, false},
};
enum { VERBS = sizeof verbs / sizeof *verbs };

static void store(const char *path, const void *bytes, size_t size)
{
    assert_int_equal(program_store(path, bytes, size), 0);
}

static int make_folder(void **state)
{
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s && mkdir %s", folder, folder);
    kinds_make(files);
    return system(command);
}

/* Runs the words of a verb, then `first` and `second` if they are not NULL. */
static program_result run(const char *const *words, const char *first, const char *second,
                          const char *input, bool pipe)
{
    const char *argv[16] = {program};
    int count = 1;
    if (pipe) {
        static const char script[] = "f=$1; shift; cat \"$f\" | \"$@\"";
        const char *shell[] = {"sh", "-c", script, "sh", input, program};
        memcpy(argv, shell, sizeof shell);
        count = 6;
    }
    for (int i = 0; i < 5 && words[i] != NULL; i++) {
        argv[count++] = words[i];
    }
    argv[count] = first;
    argv[count + (first != NULL)] = second;
    program_result r = program_run(folder, argv, pipe ? NULL : input);
    assert_true(r.status >= 0 && r.out != NULL && r.err != NULL);
    return r;
}

static program_result run_way(const struct verb *v, const kind_file *f, enum way way)
{
    const char *path = path_of(f->name);
    switch (way) {
    case AS_FILE: return run(v->words, path, NULL, NULL, false);
    case AS_SECOND: return run(v->words, path_of(f->is_npy ? "npy" : "text"), path, NULL, false);
    case AS_STDIN: return run(v->words, NULL, NULL, path, false);
    default: return run(v->words, "-", NULL, path, true);
    }
}

/* What this build cannot unpack is refused, too. */
static const char *refusal(const kind_file *f)
{
    if (f->is_packed && strstr(f->name, "zst") != NULL && !strstr(io_unpack_knows(), "zstd")) {
        return "built without libzstd";
    }
    if (f->is_packed && strstr(f->name, "gz") != NULL && !strstr(io_unpack_knows(), "gzip")) {
        return "built without zlib";
    }
    return f->word;
}

static void judge(const struct verb *v, const kind_file *f, enum way way, const program_result *r)
{
    const char *word = refusal(f), *want = f->is_npy ? v->npy : v->text;
    bool right = word != NULL ? program_refused(r, word) : r->status < 2;
    if (right && word == NULL && want != NULL && way != AS_SECOND) {
        right = r->status == 0 && strcmp(r->out, want) == 0 && r->err_bytes == 0;
    }
    if (!right) {
        fail_msg("%s %s of %s, way %d: status %d, out '%s', err '%s'", v->words[0],
                 v->words[1] != NULL ? v->words[1] : "", f->name, way, r->status, r->out, r->err);
    }
}

static void every_verb_knows_every_kind(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        store(path_of(files[k].name), files[k].bytes, files[k].size);
    }
    for (int v = 0; v < VERBS; v++) {
        for (int k = 0; k < KINDS; k++) {
            for (enum way way = 0; way < WAYS; way++) {
                if (way == AS_SECOND && !verbs[v].many) {
                    continue;
                }
                program_result r = run_way(&verbs[v], &files[k], way);
                judge(&verbs[v], &files[k], way, &r);
                program_free(&r);
            }
        }
    }
    for (int k = 0; k < KINDS; k++) {
        assert_true(program_holds(path_of(files[k].name), files[k].bytes, files[k].size));
    }
    assert_int_equal(program_names(folder), KINDS);
}

/* The verbs that read graphs, traces and pictures refuse what is none, and say what it is. */
static void other_readers_refuse(void **state)
{
    (void)state;
    static const char *const words[][5] = {{"paths", "-s", "0"},
                                           {"graph", "info"},
                                           {"trace", "sort/oddeven"},
                                           {"view", "sort/oddeven", "--png", "x.png", "--input"}};
    static const int kinds[] = {KIND_NPY, KIND_ZIP, KIND_XZ, KIND_BZIP2, KIND_ZIP_GZ, KIND_GZ_GZ};
    static const char *const said[] = {".npy array", "zip archive", "by xz",
                                       "by bzip2",   "zip archive", "twice"};
    if (strstr(io_unpack_knows(), "gzip") == NULL) {
        skip();
    }
    for (int k = 0; k < 6; k++) {
        const kind_file *f = &files[kinds[k]];
        store(path_of(f->name), f->bytes, f->size);
        for (int v = 0; v < 4; v++) {
            bool is_stdin = v == 2;
            program_result r = run(words[v], is_stdin ? "-" : path_of(f->name), NULL,
                                   is_stdin ? path_of(f->name) : NULL, false);
            bool viewed = v < 3 || strstr(r.err, "drawing needs") == NULL;
            if (viewed && !program_refused(&r, said[k])) {
                fail_msg("%s of %s: status %d, '%s', '%s'", words[v][0], f->name, r.status, r.out,
                         r.err);
            }
            program_free(&r);
        }
        assert_true(program_holds(path_of(f->name), f->bytes, f->size));
    }
}

static void in_place_or_not_at_all(void **state)
{
    (void)state;
    static const int64_t sorted[] = {1, 2, 3};
    static const char *const words[] = {"sort", "-o", NULL, NULL, NULL};
    for (int k = 0; k < KINDS; k++) {
        const kind_file *f = &files[k];
        const char *path = path_of("f");
        store(path, f->bytes, f->size);
        program_result r = run(words, path, path, NULL, false);
        if (f->is_packed || f->word != NULL) {
            const char *word = refusal(f);
            assert_true(program_refused(&r, word != NULL ? word : "the output would not be"));
            assert_true(program_holds(path, f->bytes, f->size));
        } else if (f->is_npy) {
            unsigned char want[200];
            size_t bytes = kinds_npy(want, "<i8", "(3,)", sorted, sizeof sorted);
            assert_int_equal(r.status, 0);
            assert_true(program_holds(path, want, bytes));
        } else {
            assert_true(program_holds(path, "1\n2\n3\n", 6));
        }
        program_free(&r);
        assert_int_equal(program_names(folder), 1);
    }
}

static void graphs_in_place(void **state)
{
    (void)state;
    static const char *const words[5] = {"graph", "convert", "--to", "gr", "-o"};
    static const char text[] = "p sp 2 1\na 1 2 3\n";
    kind_file packed = {.size = 0}, plain = {.size = strlen(text)};
    if (strstr(io_unpack_knows(), "gzip") == NULL) {
        skip();
    }
    memcpy(plain.bytes, text, strlen(text));
    kinds_gzip(&packed, &plain);
    store(path_of("g.gr"), packed.bytes, packed.size);
    program_result r = run(words, path_of("g.gr"), path_of("g.gr"), NULL, false);
    assert_true(program_refused(&r, "the output would not be"));
    assert_true(program_holds(path_of("g.gr"), packed.bytes, packed.size));
    program_free(&r);
    r = run(words, path_of("h.gr"), path_of("g.gr"), NULL, false);
    assert_int_equal(r.status, 0);
    assert_true(program_holds(path_of("h.gr"), text, strlen(text)));
    program_free(&r);
}

static void operands_are_of_one_kind(void **state)
{
    (void)state;
    static const char *const sort[5] = {"sort"}, *const reduce[5] = {"reduce"};
    static const int64_t both[] = {1, 1, 2, 2, 3, 3};
    for (int k = 0; k < KINDS; k++) {
        store(path_of(files[k].name), files[k].bytes, files[k].size);
    }
    for (int k = 0; k < 4; k++) { /* text and array, each way round, packed and not */
        const char *a = path_of(k % 2 == 0 ? "npy" : "npy.gz");
        const char *b = path_of(k < 2 ? "text" : "text.gz");
        if (k > 0 && strstr(io_unpack_knows(), "gzip") == NULL) {
            return;
        }
        for (int turn = 0; turn < 2; turn++) {
            program_result r = run(k == 3 ? reduce : sort, turn ? b : a, turn ? a : b, NULL, false);
            assert_true(program_refused(&r, "is a .npy array and"));
            program_free(&r);
        }
    }
    unsigned char want[200];
    size_t bytes = kinds_npy(want, "<i8", "(6,)", both, sizeof both);
    program_result r = run(sort, path_of("npy"), "-", path_of("npy.gz"), false);
    assert_int_equal(r.status, 0);
    assert_int_equal(r.out_bytes, bytes);
    assert_memory_equal(r.out + 128, want + 128, bytes - 128);
    assert_non_null(strstr(r.out + 10, "'shape': (6,)"));
    program_free(&r);
}

static void bytes_as_they_are(void **state)
{
    (void)state;
    static const char *const text[5] = {"sort", "--from", "text"};
    static const char *const raw[5] = {"sort", "--from", "raw", "--type", "u8"};
    static const char *const npy[5] = {"sort", "--from", "npy"};
    for (int k = 0; k < KINDS; k++) {
        const kind_file *f = &files[k];
        store(path_of("f"), f->bytes, f->size);
        /* As lines: what sort(1) makes of them, where it is. */
        program_result r = run(text, path_of("f"), NULL, NULL, false);
        const char *argv[] = {"sort", path_of("f"), NULL};
        program_result want = program_run(folder, argv, NULL);
        assert_int_equal(r.status, 0);
        assert_int_equal(r.out_bytes, want.out_bytes);
        assert_memory_equal(r.out, want.out, want.out_bytes);
        program_free(&r);
        program_free(&want);
        r = run(raw, path_of("f"), NULL, NULL, false);
        assert_int_equal(r.status, 0);
        assert_int_equal(r.out_bytes, f->size);
        for (size_t i = 1; i < f->size; i++) {
            assert_true((unsigned char)r.out[i - 1] <= (unsigned char)r.out[i]);
        }
        program_free(&r);
        if (f->word == NULL && refusal(f) == NULL) {
            r = run(npy, path_of("f"), NULL, NULL, false);
            assert_true(f->is_npy ? r.status == 0 : program_refused(&r, "is no .npy file"));
            program_free(&r);
        }
    }
}

/* A call that fails while the kind is looked for is an error, and never makes it text. */
static void an_error_is_an_error(void **state)
{
    (void)state;
    static const char *const calls[] = {"open", "read", "pread"};
    static const int errors[] = {EIO, EINTR, EMFILE};
    const kind_file *f = &files[KIND_NPY];
    unsigned refused = 0, done = 0;
    if (SANITIZED) { /* whose own library must be loaded first */
        skip();
    }
    setenv("LD_PRELOAD", preload, 1);
    for (int v = 0; v < VERBS; v += 3) {
        for (int c = 0; c < 3 * 3 * 4; c++) {
            char plan[64];
            int error = errors[c / 3 % 3], number = c / 9 + 1;
            snprintf(plan, sizeof plan, "%s %d %d", calls[c % 3], number, error);
            store(path_of("f"), f->bytes, f->size);
            bool place = v == 0 && c % 2 == 0;
            const char *const words[5] = {"sort", "-o", path_of("f")};
            setenv("UPSWEEP_FAIL", plan, 1);
            program_result r = place ? run(words, path_of("f"), NULL, NULL, false)
                                     : run_way(&verbs[v], &(kind_file){.name = "f", .is_npy = 1},
                                               c % 2 == 0 ? AS_STDIN : AS_FILE);
            unsetenv("UPSWEEP_FAIL");
            if (r.status == 2) {
                refused++;
                assert_true(program_refused(&r, strerror(error)));
            } else if (!place && verbs[v].npy != NULL) {
                assert_string_equal(r.out, verbs[v].npy);
            }
            done += r.status < 2;
            assert_true(r.status <= 2);
            bool changed = place && r.status == 0;
            size_t bytes = 0;
            char *now = program_load(path_of("f"), &bytes);
            assert_true(now != NULL && bytes == f->size);
            assert_memory_equal(now, f->bytes, 128);
            assert_int_equal(memcmp(now, f->bytes, bytes) != 0, changed);
            free(now);
            program_free(&r);
            assert_int_equal(program_names(folder), 1);
        }
    }
    unsetenv("LD_PRELOAD");
    print_message("a call failed %u times: %u refused, %u went on\n", refused + done, refused,
                  done);
    assert_true(refused > 15 && done > 60);
}

int main(void)
{
    program = getenv("UPSWEEP_PROGRAM");
    preload = getenv("UPSWEEP_FAIL_IO");
    if (program == NULL || preload == NULL || mkdtemp(folder) == NULL) {
        fprintf(stderr, "UPSWEEP_PROGRAM and UPSWEEP_FAIL_IO must name the program and fail_io\n");
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_verb_knows_every_kind, make_folder),
        cmocka_unit_test_setup(other_readers_refuse, make_folder),
        cmocka_unit_test_setup(in_place_or_not_at_all, make_folder),
        cmocka_unit_test_setup(graphs_in_place, make_folder),
        cmocka_unit_test_setup(operands_are_of_one_kind, make_folder),
        cmocka_unit_test_setup(bytes_as_they_are, make_folder),
        cmocka_unit_test_setup(an_error_is_an_error, make_folder),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    program_remove(folder);
    return failed;
}
