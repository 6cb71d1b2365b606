/* test_io.c - files as one range of bytes, lines found in parallel, and outputs that appear whole
 * or not at all, whatever moment the process is killed at. */
/* SPDX-License-Identifier: MIT */
#include "io/lines.h"
#include "io/output.h"
#include "io/parallel.h"
#include "io/source.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "test/shared/folder.h"

static void store(const char *path, const char *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static void assert_holds(const char *path, const char *want)
{
    char bytes[4096];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    assert_int_equal(size, strlen(want));
    assert_memory_equal(bytes, want, size);
}

/* How many names the folder has. */
static int names(void)
{
    int count = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        count += e->d_name[0] != '.' || strncmp(e->d_name, ".upsweep", 8) == 0;
    }
    closedir(d);
    return count;
}

static void clear(void)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s && mkdir %s", folder, folder);
    assert_int_equal(system(command), 0);
}

static bool read_all(io_input *in, const char *const *names, size_t count, int last,
                     unsigned threads, io_error *error)
{
    io_reading how = {.last = last, .threads = threads};
    return io_source_read(in, names, count, &how, error);
}

static void inputs_are_one_range(void **state)
{
    (void)state;
    clear();
    store(path_of("a"), "one\ntwo", 7);
    store(path_of("b"), "", 0);
    store(path_of("c"), "\0three\n", 7);
    const char *list[] = {path_of("a"), path_of("b"), path_of("c")};
    io_input in;
    io_error error;
    assert_true(read_all(&in, list, 3, '\n', 2, &error));
    assert_int_equal(in.size, 15);
    assert_memory_equal(in.bytes, "one\ntwo\n\0three\n", 15);
    assert_int_equal(in.parts[1].begin, in.parts[1].end);
    assert_string_equal(io_input_part(&in, 7)->name, list[0]);
    assert_string_equal(io_input_part(&in, 8)->name, list[2]);
    io_input_free(&in);
    assert_true(read_all(&in, list, 1, -1, 2, &error));
    assert_int_equal(in.size, 7);
    io_input_free(&in);
}

static void big_inputs_are_complete(void **state)
{
    (void)state;
    clear();
    size_t size = (5u << 20) + 12345;
    char *bytes = malloc(size);
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (char)(i * 2654435761u >> 13);
    }
    store(path_of("big"), bytes, size);
    for (unsigned threads = 1; threads <= 4; threads++) {
        const char *name = path_of("big");
        io_input in;
        io_error error;
        assert_true(read_all(&in, &name, 1, -1, threads, &error));
        assert_int_equal(in.size, size);
        assert_memory_equal(in.bytes, bytes, size);
        io_input_free(&in);
    }
    free(bytes);
}

static void bad_inputs_are_told_by_name(void **state)
{
    (void)state;
    clear();
    const char *missing = path_of("missing"), *directory = folder;
    io_input in;
    io_error error;
    assert_false(read_all(&in, &missing, 1, '\n', 2, &error));
    assert_int_equal(error.number, ENOENT);
    assert_non_null(strstr(error.text, missing));
    io_input_free(&in);
    assert_false(read_all(&in, &directory, 1, '\n', 2, &error));
    assert_int_equal(error.number, EISDIR);
    assert_non_null(strstr(error.text, directory));
    io_input_free(&in);
}

static void files_without_a_size_are_read(void **state)
{
    (void)state;
    const char *name = "/proc/self/status";
    io_input in;
    io_error error;
    assert_true(read_all(&in, &name, 1, '\n', 2, &error));
    assert_true(in.size > 100);
    assert_memory_equal(in.bytes, "Name:", 5);
    io_input_free(&in);
}

static void check_lines(const unsigned char *bytes, size_t size, unsigned threads)
{
    io_lines lines;
    assert_int_equal(io_lines_find(&lines, bytes, size, '\n', threads), 0);
    size_t count = 0, chunk = 0, limit = 0, before = 0, number = 0;
    size_t next = lines.chunks > 0 ? io_lines_chunk(&lines, 0, &limit) : 0;
    for (size_t at = 0; at < size; count++) {
        while (at >= limit) {
            next = io_lines_chunk(&lines, ++chunk, &limit);
            assert_true(next >= limit || next == at);
        }
        assert_true(lines.first[chunk] <= count && count < lines.first[chunk + 1]);
        if (count % 4099 == 0) {
            assert_int_equal(io_lines_number(&lines, at), count);
            assert_int_equal(io_lines_number_from(&lines, before, number, at), count);
            assert_int_equal(io_lines_number_from(&lines, 0, 0, at), count);
            before = at;
            number = count;
        }
        at = (size_t)((const unsigned char *)memchr(bytes + at, '\n', size - at) - bytes) + 1;
    }
    assert_int_equal(lines.count, count);
    io_lines_free(&lines);
}

static void lines_are_found_in_every_chunk(void **state)
{
    (void)state;
    size_t size = 5u << 20;
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    static const size_t every[] = {1, 2, 7, 1000, 1 << 20, (1 << 20) + 1, 3 << 20, 5 << 20};
    for (size_t e = 0; e < sizeof every / sizeof *every; e++) {
        for (size_t i = 0; i < size; i++) {
            bytes[i] = (i + 1) % every[e] == 0 || i + 1 == size ? '\n' : 'x';
        }
        check_lines(bytes, size, 1 + (unsigned)e % 3);
    }
    check_lines(bytes, 0, 2);
    bytes[0] = '\n';
    check_lines(bytes, 1, 2);
    free(bytes);
}

static void write_all(const char *path, const char *text)
{
    io_output out;
    io_error error;
    assert_int_equal(io_output_open(&out, path, &error), 0);
    assert_int_equal(io_output_write(&out, text, strlen(text), &error), 0);
    assert_int_equal(io_output_commit(&out, &error), 0);
}

static void outputs_replace_and_keep_the_mode(void **state)
{
    (void)state;
    clear();
    write_all(path_of("new"), "first\n");
    assert_holds(path_of("new"), "first\n");
    assert_int_equal(chmod(path_of("new"), 0640), 0);
    assert_int_equal(symlink("new", path_of("link")), 0);
    assert_int_equal(symlink("later", path_of("dangling")), 0);
    write_all(path_of("link"), "second\n");
    write_all(path_of("dangling"), "third\n");
    assert_holds(path_of("new"), "second\n");
    assert_holds(path_of("later"), "third\n");
    struct stat status;
    assert_int_equal(lstat(path_of("link"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(path_of("new"), &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    assert_int_equal(names(), 4);
}

static void discarded_outputs_leave_nothing(void **state)
{
    (void)state;
    clear();
    store(path_of("old"), "old\n", 4);
    static const char *const targets[] = {"old", "new"};
    for (int i = 0; i < 2; i++) {
        io_output out;
        io_error error;
        assert_int_equal(io_output_open(&out, path_of(targets[i]), &error), 0);
        assert_int_equal(io_output_write(&out, "half", 4, &error), 0);
        io_output_discard(&out);
    }
    assert_holds(path_of("old"), "old\n");
    assert_int_equal(names(), 1);
}

static void bad_outputs_are_told_by_name(void **state)
{
    (void)state;
    clear();
    io_output out;
    io_error error;
    const char *nowhere = path_of("no/where");
    assert_int_equal(io_output_open(&out, nowhere, &error), -1);
    assert_non_null(strstr(error.text, nowhere));
    assert_int_equal(io_output_open(&out, folder, &error), -1);
    assert_int_equal(error.number, EISDIR);
    assert_int_equal(io_output_open(&out, "/dev/full", &error), 0);
    assert_int_equal(io_output_write(&out, "x", 1, &error), -1);
    assert_int_equal(error.number, ENOSPC);
    assert_non_null(strstr(error.text, "/dev/full"));
    io_output_discard(&out);
}

/* In the child: replaces a file step by step, and is killed before step `die`. */
static void replace_until(int die)
{
    io_output out;
    io_error error;
    for (int step = 0;; step++) {
        if (step == die) {
            kill(getpid(), SIGKILL);
        }
        switch (step) {
        case 0: io_output_open(&out, path_of("file"), &error); break;
        case 1: io_output_write(&out, "new\n", 4, &error); break;
        case 2: io_output_commit(&out, &error); break;
        default: _exit(0);
        }
    }
}

static void kills_leave_old_or_new(void **state)
{
    (void)state;
    for (int die = 0; die <= 4; die++) {
        clear();
        store(path_of("file"), "old\n", 4);
        pid_t child = fork();
        if (child == 0) {
            replace_until(die);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(WIFSIGNALED(status), die < 4);
        assert_holds(path_of("file"), die < 3 ? "old\n" : "new\n");
        assert_int_equal(names(), 1);
    }
}

static void count_task(void *context, size_t task, unsigned lane)
{
    assert_true(lane < 3);
    ((unsigned char *)context)[task]++;
}

static void every_task_runs_once(void **state)
{
    (void)state;
    unsigned char ran[5000] = {0};
    io_parallel(3, sizeof ran, count_task, ran);
    for (size_t i = 0; i < sizeof ran; i++) {
        assert_int_equal(ran[i], 1);
    }
    io_parallel(3, 0, count_task, NULL);
    assert_true(io_processors() >= 1);
}

static void marks_need_all_their_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        io_file_kind kind;
    } cases[] = {{"\x93NUMPY", 6, IO_KIND_NPY},
                 {"\x1f\x8b\x08", 3, IO_KIND_GZIP},
                 {"\x28\xb5\x2f\xfd", 4, IO_KIND_ZSTD},
                 {"\x5f\x2a\x4d\x18", 4, IO_KIND_ZSTD},
                 {"\x50\x2a\x4d\x18", 4, IO_KIND_ZSTD},
                 {"PK\3\4", 4, IO_KIND_ZIP},
                 {"PK\5\6", 4, IO_KIND_ZIP},
                 {"\xfd"
                  "7zXZ\0",
                  6, IO_KIND_XZ},
                 {"BZh11AY&SY", 10, IO_KIND_BZIP2},
                 {"BZh9\x17\x72\x45\x38\x50\x90", 10, IO_KIND_BZIP2},
                 {"\x89USG\r\n\x1a\n", 8, IO_KIND_USG}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t size = 0; size <= cases[i].size; size++) {
            unsigned char *copy = malloc(size + (size == 0)); /* a checker sees what is behind */
            assert_non_null(copy);
            memcpy(copy, cases[i].bytes, size);
            assert_int_equal(io_file_kind_of(copy, size),
                             size < cases[i].size ? IO_KIND_PLAIN : cases[i].kind);
            copy[size > 0 ? size - 1 : 0] ^= size == cases[i].size ? 0x40 : 0;
            if (size == cases[i].size) {
                assert_int_equal(io_file_kind_of(copy, size), IO_KIND_PLAIN);
            }
            free(copy);
        }
    }
}

int main(void)
{
    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_need_all_their_bytes),
        cmocka_unit_test(inputs_are_one_range),
        cmocka_unit_test(big_inputs_are_complete),
        cmocka_unit_test(bad_inputs_are_told_by_name),
        cmocka_unit_test(files_without_a_size_are_read),
        cmocka_unit_test(lines_are_found_in_every_chunk),
        cmocka_unit_test(outputs_replace_and_keep_the_mode),
        cmocka_unit_test(discarded_outputs_leave_nothing),
        cmocka_unit_test(bad_outputs_are_told_by_name),
        cmocka_unit_test(kills_leave_old_or_new),
        cmocka_unit_test(every_task_runs_once),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    clear();
    rmdir(folder);
    return failed;
}
