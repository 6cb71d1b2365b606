/* test_cli_sort_files.c - `upsweep sort` and its files: the output is whole or not there, whatever
 * fails and whenever the program is killed, and every failure is one sentence and status 2. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/folder.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>

#include <cmocka.h>

static const char *program;

static void store(const char *path, const char *text)
{
    assert_int_equal(program_store(path, text, strlen(text)), 0);
}

/* Runs `upsweep sort` with up to six arguments. */
static program_result run(const char *input, const char *a, const char *b, const char *c,
                          const char *d, const char *e)
{
    const char *argv[] = {program, "sort", a, b, c, d, e, NULL};
    program_result r = program_run(folder, argv, input);
    assert_true(r.status >= 0 && r.out != NULL && r.err != NULL);
    return r;
}

static void expect(const char *input, const char *want, const char *a, const char *b, const char *c)
{
    store(path_of("in"), input);
    program_result r = run(path_of("in"), a, b, c, NULL, NULL);
    assert_string_equal(r.out, want);
    assert_string_equal(r.err, "");
    assert_int_equal(r.status, 0);
    program_free(&r);
}

/* The status, nothing on stdout, one line on stderr that has `part` in it. */
static void expect_status(int status, const char *part, const char *a, const char *b, const char *c)
{
    program_result r = run(NULL, a, b, c, NULL, NULL);
    assert_int_equal(r.status, status);
    assert_int_equal(r.out_bytes, 0);
    assert_non_null(strstr(r.err, part));
    assert_ptr_equal(strchr(r.err, '\n'), r.err + r.err_bytes - 1);
    program_free(&r);
}

static void expect_error(const char *part, const char *a, const char *b, const char *c)
{
    expect_status(2, part, a, b, c);
}

/* Names in the folder beside the streams of program_run. */
static int names(void)
{
    int count = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
                 strncmp(e->d_name, ".std", 4) != 0;
    }
    closedir(d);
    return count;
}

static int clear(void **state)
{
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s && mkdir %s", folder, folder);
    return system(command);
}

static void texts_of_all_shapes(void **state)
{
    (void)state;
    expect("", "", NULL, NULL, NULL);
    expect("\n", "\n", NULL, NULL, NULL);
    expect("b\na", "a\nb\n", "-", NULL, NULL);
    expect("a\r\na\n\xff\n", "a\na\r\n\xff\n", NULL, NULL, NULL);
    expect("2 b\n2 a\n02 a\n1\n", "1\n2 b\n", "-n", "-u", NULL);
    expect("2 b\n2 a\n02 a\n1\n", "1\n02 a\n2 a\n2 b\n", "-n", NULL, NULL);
    expect("2 b\n2 a\n02 a\n1\n", "1\n2 b\n2 a\n02 a\n", "-n", "-s", NULL);
    expect("nan\n1e3\nx\n-inf\n5\n", "x\nnan\n-inf\n5\n1e3\n", "-g", NULL, NULL);
    expect("b,2\na,2\nc,1\n", "c,1\na,2\nb,2\n", "-t,", "-k2,2n", NULL);
}

static void long_lines_and_equal_lines(void **state)
{
    (void)state;
    enum { LONG = 20 << 20, EQUAL = 50000 };
    char *text = malloc(LONG + 8), *want = malloc(LONG + 8);
    assert_true(text != NULL && want != NULL);
    memset(text, 'x', LONG + 2); /* longer than the 24 bits that an item has for a length */
    memcpy(text + LONG, "\na\n", 3);
    memset(want, 'x', LONG + 2);
    memcpy(want, "a\n", 2);
    want[LONG + 2] = '\n';
    assert_int_equal(program_store(path_of("long"), text, LONG + 3), 0);
    program_result r = run(NULL, "-o", path_of("long"), path_of("long"), NULL, NULL);
    assert_int_equal(r.status, 0);
    assert_true(program_holds(path_of("long"), want, LONG + 3));
    program_free(&r);
    for (int i = 0; i < EQUAL; i++) {
        memcpy(text + 16 * i, &"all are the same\n"[i < EQUAL - 1], 16);
        text[16 * i + 15] = '\n';
    }
    assert_int_equal(program_store(path_of("equal"), text, 16 * EQUAL), 0);
    r = run(NULL, "-u", path_of("equal"), NULL, NULL, NULL);
    assert_int_equal(r.status, 0);
    assert_int_equal(r.out_bytes, 32);
    program_free(&r);
    free(text);
    free(want);
}

static void disorder_is_told_by_line(void **state)
{
    (void)state;
    store(path_of("in"), "a\nb\nc\nb\na\n");
    program_result r = run(NULL, "-c", path_of("in"), NULL, NULL, NULL);
    char want[300];
    snprintf(want, sizeof want, "upsweep sort: %s:4: disorder: b\n", path_of("in"));
    assert_int_equal(r.status, 1);
    assert_string_equal(r.err, want);
    program_free(&r);
    r = run(NULL, "-C", path_of("in"), NULL, NULL, NULL);
    assert_int_equal(r.status, 1);
    assert_int_equal(r.err_bytes, 0);
    program_free(&r);
    store(path_of("in"), "1\n1\n2\n");
    r = run(path_of("in"), "-cu", NULL, NULL, NULL, NULL);
    assert_string_equal(r.err, "upsweep sort: -:2: disorder: 1\n");
    program_free(&r);
    expect("1\n1\n2\n", "", "-c", NULL, NULL);
}

static void strict_numbers(void **state)
{
    (void)state;
    store(path_of("a"), "1\n2\n");
    store(path_of("b"), "3\nfour\n5\n");
    program_result r = run(NULL, "-n", "--strict", path_of("a"), path_of("b"), NULL);
    char want[300];
    snprintf(want, sizeof want, "upsweep sort: %s:2: no number: four\n", path_of("b"));
    assert_int_equal(r.status, 2);
    assert_string_equal(r.err, want);
    assert_int_equal(r.out_bytes, 0);
    program_free(&r);
    store(path_of("b"), "\xef\xbb\xbf"
                        "3\n");
    r = run(NULL, "-n", "--strict", path_of("b"), NULL, NULL);
    assert_non_null(strstr(r.err, "b:1: no number, but a byte-order mark first: "));
    program_free(&r);
    expect("3\n -2.5\n", " -2.5\n3\n", "-n", "--strict", NULL);
    expect("a,1e3,b\nc,inf,d\n", "a,1e3,b\nc,inf,d\n", "--strict", "-t,", "-k2,2g");
}

static void bad_calls_are_one_sentence(void **state)
{
    (void)state;
    expect_error("missing-file", path_of("missing-file"), NULL, NULL);
    expect_error("Is a directory", folder, NULL, NULL);
    expect_error("/dev/full", "-o", "/dev/full", program);
    expect_error("no/where", "-o", path_of("no/where"), program);
    expect_error("field number is zero: invalid field specification '0'", "-k", "0", NULL);
    expect_error("character offset is zero: invalid field", "-k1.0", NULL, NULL);
    expect_error("stray character in field spec: invalid field", "-k1x", NULL, NULL);
    expect_error("invalid number after ',': invalid count at start of 'x'", "-k1,x", NULL, NULL);
    expect_error("multi-character tab 'ab'", "-t", "ab", NULL);
    expect_error("empty tab", "-t", "", NULL);
    expect_error("options '-gn' are incompatible", "-n", "-g", NULL);
    expect_error("options '-dn' are incompatible", "-n", "-d", NULL);
    expect_error("options '-hM' are incompatible", "-Mh", NULL, NULL);
    expect_error("options '-cC' are incompatible", "-c", "-C", NULL);
    expect_error("options '-co' are incompatible", "-c", "-ox", NULL);
    expect_error("options '-o --debug' are incompatible", "--debug", "-ox", NULL);
    expect_error("extra operand", "-c", program, program);
    expect_error("multiple output files specified", "-oa", "-ob", NULL);
    expect_error("multiple random sources", "--random-source=a", "--random-source=b", NULL);
    expect_error("multiple compress programs", "--compress-program=a", "--compress-program=b",
                 NULL);
    expect_error("end of file", "-R", "--random-source=/dev/null", NULL);
    expect_error("open failed", "-R", "--random-source=/no/such", NULL);
    expect_status(1, "invalid argument 'x' for '--sort'; valid are general-numeric", "--sort=x",
                  NULL, NULL);
    expect_status(1, "invalid argument 'x' for '--check'; valid are quiet", "--check=x", NULL,
                  NULL);
    expect_error("invalid suffix in -S argument '1x'", "-S1x", NULL, NULL);
    expect_error("invalid -S argument 'x'", "-Sx", NULL, NULL);
    expect_error("-S argument '99999Y' too large", "-S99999Y", NULL, NULL);
    expect_error("minimum --batch-size argument is '2'", "--batch-size=1", NULL, NULL);
    expect_error("too large: maximum --batch-size", "--batch-size=99999999", NULL, NULL);
    expect_error("must be nonzero", "--parallel=0", NULL, NULL);
    expect_error("file operands cannot be combined", "--files0-from=a", program, NULL);
    expect_error("no input from '/dev/null'", "--files0-from=/dev/null", NULL, NULL);
    expect_error("open failed: /no/such", "--files0-from=/no/such", NULL, NULL);
    expect_error("cannot read: /no/such: No such file", "/no/such", NULL, NULL);
    expect_error("there is no locale 'xx_YY.UTF-8'", "--locale=xx_YY.UTF-8", NULL, NULL);
    if (geteuid() != 0) {
        store(path_of("secret"), "x\n");
        assert_int_equal(chmod(path_of("secret"), 0), 0);
        expect_error("Permission denied", path_of("secret"), NULL, NULL);
    }
}

static void output_may_be_the_input(void **state)
{
    (void)state;
    store(path_of("f"), "c\nb\na");
    assert_int_equal(chmod(path_of("f"), 0604), 0);
    program_result r = run(NULL, path_of("f"), "-o", path_of("f"), NULL, NULL);
    assert_int_equal(r.status, 0);
    program_free(&r);
    assert_true(program_holds(path_of("f"), "a\nb\nc\n", 6));
    struct stat status;
    assert_int_equal(stat(path_of("f"), &status), 0);
    assert_int_equal(status.st_mode & 07777, 0604);
    assert_int_equal(names(), 1);
}

static void a_failure_leaves_the_output_alone(void **state)
{
    (void)state;
    store(path_of("f"), "old\n");
    program_result r = run(NULL, "-o", path_of("f"), path_of("missing"), NULL, NULL);
    assert_int_equal(r.status, 2);
    program_free(&r);
    assert_true(program_holds(path_of("f"), "old\n", 4));
    assert_int_equal(names(), 1);
}

/* A megabyte for two. */
static void a_full_disk_leaves_the_output_alone(void **state)
{
    (void)state;
    enum { LINES = 100000 };
    assert_int_equal(mkdir(path_of("disk"), 0700), 0);
    if (mount("upsweep-test", path_of("disk"), "tmpfs", 0, "size=1m") != 0) {
        print_message("a full disk is not tested: no file system can be mounted: %s\n",
                      strerror(errno));
        skip();
    }
    char *text = malloc(8 * LINES + 1);
    assert_non_null(text);
    for (int i = 0; i < LINES; i++) {
        snprintf(text + 8 * i, 9, "%07d\n", LINES - i);
    }
    assert_int_equal(program_store(path_of("disk/f"), text, 8 * LINES), 0);
    program_result r = run(NULL, "-o", path_of("disk/f"), path_of("disk/f"), NULL, NULL);
    assert_int_equal(r.status, 2);
    assert_non_null(strstr(r.err, "No space left on device"));
    assert_non_null(strstr(r.err, "disk/f"));
    program_free(&r);
    assert_true(program_holds(path_of("disk/f"), text, 8 * LINES));
    assert_int_equal(umount(path_of("disk")), 0);
    free(text);
}

/* Runs a command into a reader that goes after one line. before: "", or words for the shell. */
static void into_closed_pipe(const char *before, const char *command, const char *status)
{
    char line[1400], in[300];
    snprintf(in, sizeof in, "%s", path_of("in"));
    snprintf(line, sizeof line,
             "U=%s; IN=%s; seq 200000 >$IN; %s (%s 2>%s; echo $? >%s) | head -c 2 >%s", program, in,
             before, command, path_of("err"), path_of("status"), path_of("out"));
    assert_int_equal(system(line), 0);
    size_t bytes;
    char *text = program_load(path_of("status"), &bytes);
    if (text == NULL || strcmp(text, status) != 0) {
        fail_msg("%s: status %s", command, text);
    }
    free(text);
}

/* As other tools do, the program ends quietly, by SIGPIPE; where that is ignored, by a sentence. */
static void a_closed_pipe_is_quiet(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "$U sort -n $IN",
        "$U scan $IN",
        "$U gen uniform 1000000",
        "$U gen uniform 1000000 --text",
        "$U split --bit 0 $IN",
        "$U select --top 100000 $IN",
        "$U trace sort/oddeven $(seq 300 -1 1)",
        "seq 2 200000 | sed 's/.*/&,1,2/' >$IN.csv; $U paths $IN.csv -s 1",
        "$U graph generate uniform 16 --to gr",
    };
    signal(SIGPIPE, SIG_DFL);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        into_closed_pipe("", commands[i], "141\n");
        assert_true(program_holds(path_of("err"), "", 0));
    }
    into_closed_pipe("trap '' PIPE;", "$U gen uniform 1000000", "2\n");
    const char *said = "upsweep gen: standard output: cannot be written: Broken pipe\n";
    assert_true(program_holds(path_of("err"), said, strlen(said)));
}

/* How long a run takes that nobody kills. */
static long run_time_us(const char *file, const char *text, size_t bytes)
{
    struct timespec begin, end;
    assert_int_equal(program_store(file, text, bytes), 0);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    program_result r = run(NULL, "-o", file, file, NULL, NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert_int_equal(r.status, 0);
    program_free(&r);
    return (end.tv_sec - begin.tv_sec) * 1000000 + (end.tv_nsec - begin.tv_nsec) / 1000;
}

/* Kills the program at all times of its run, its group as well, and a while after it. */
static void kills_leave_old_or_new(void **state)
{
    (void)state;
    enum { LINES = 150000, KILLS = 60, BYTES = 8 * LINES };
    char *old = malloc(BYTES + 1), *new = malloc(BYTES + 1);
    assert_true(old != NULL && new != NULL);
    for (int i = 0; i < LINES; i++) {
        snprintf(old + 8 * i, 9, "%07d\n", (int)(i * 7919LL % LINES));
        snprintf(new + 8 * i, 9, "%07d\n", i);
    }
    const char *file = path_of("f");
    int replaced = 0;
    long longest_us = run_time_us(file, old, BYTES) * 3 / 2;
    for (int k = 0; k < KILLS; k++) {
        assert_int_equal(program_store(file, old, BYTES), 0);
        pid_t child = fork();
        if (child == 0) {
            setpgid(0, 0);
            execl(program, "upsweep", "sort", "-o", file, file, (char *)NULL);
            _exit(127);
        }
        long us = (long)k * longest_us / KILLS + 200;
        nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
        kill(k % 2 == 0 ? child : -child, SIGKILL);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        nanosleep(&(struct timespec){0, 3000000}, NULL); /* the keeper may still be at it */
        size_t bytes;
        char *text = program_load(file, &bytes);
        assert_non_null(text);
        assert_int_equal(bytes, BYTES);
        bool is_new = memcmp(text, new, BYTES) == 0;
        assert_true(is_new || memcmp(text, old, BYTES) == 0);
        if (WIFEXITED(status)) {
            assert_true(is_new);
        }
        replaced += is_new;
        assert_int_equal(names(), 1);
        free(text);
    }
    print_message("killed %d times: %d times the old file, %d times the new one\n", KILLS,
                  KILLS - replaced, replaced);
    free(old);
    free(new);
}

int main(void)
{
    program = getenv("UPSWEEP_PROGRAM");
    if (program == NULL || mkdtemp(folder) == NULL) {
        fprintf(stderr, "UPSWEEP_PROGRAM must name the program\n");
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(texts_of_all_shapes, clear),
        cmocka_unit_test_setup(long_lines_and_equal_lines, clear),
        cmocka_unit_test_setup(disorder_is_told_by_line, clear),
        cmocka_unit_test_setup(strict_numbers, clear),
        cmocka_unit_test_setup(bad_calls_are_one_sentence, clear),
        cmocka_unit_test_setup(output_may_be_the_input, clear),
        cmocka_unit_test_setup(a_failure_leaves_the_output_alone, clear),
        cmocka_unit_test_setup(a_full_disk_leaves_the_output_alone, clear),
        cmocka_unit_test_setup(a_closed_pipe_is_quiet, clear),
        cmocka_unit_test_setup(kills_leave_old_or_new, clear),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    clear(NULL);
    rmdir(folder);
    return failed;
}
