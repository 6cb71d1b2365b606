/* test_output.c - an output takes its place: calls that fail and processes that are killed between
 * any two steps leave the old file or the new one, and nothing else, or nothing that the next
 * output does not take away; files with several names, of other owners, and in directories that may
 * not be written are written over. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/folder.h"

#include <errno.h>
#include <grp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include <cmocka.h>

#include "test/shared/sanitized.h"

static const char *program, *preload;

static void store(const char *path, const char *text)
{
    assert_int_equal(program_store(path, text, strlen(text)), 0);
}

static bool holds(const char *path, const char *want)
{
    size_t bytes = 0;
    char *text = program_load(path, &bytes);
    bool same = text != NULL && strcmp(text, want) == 0;
    free(text);
    return same;
}

static int make_folder(void **state)
{
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s && mkdir %s && chmod 755 %s", folder, folder,
             folder);
    return system(command);
}

/* `upsweep sort in -o out`, with a plan for fail_io or NULL. */
static program_result sort_to(const char *out, const char *in, const char *plan)
{
    const char *argv[] = {program, "sort", in, "-o", out, NULL};
    if (plan != NULL) {
        setenv("LD_PRELOAD", preload, 1);
        setenv("UPSWEEP_FAIL", plan, 1);
    }
    program_result r = program_run(folder, argv, NULL);
    unsetenv("LD_PRELOAD");
    unsetenv("UPSWEEP_FAIL");
    assert_true(r.status >= 0 && r.err != NULL);
    return r;
}

/* The name for the moment that is in the folder, opened. */
static int open_moment(void)
{
    DIR *d = opendir(folder);
    int fd = -1;
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        if (strncmp(e->d_name, ".upsweep-", 9) == 0) {
            fd = openat(dirfd(d), e->d_name, O_RDWR);
        }
    }
    closedir(d);
    return fd;
}

/* Nobody waits for a keeper whose parent was killed; what it holds is free when it has ended. */
static void let_keeper_end(void)
{
    int fd = open_moment();
    assert_true(fd >= 0 && flock(fd, LOCK_EX) == 0);
    close(fd);
}

/* The keeper is killed at each of its steps, and does not answer: the parent finds what has been
 * done and does the rest. */
static void a_keeper_that_is_killed(void **state)
{
    (void)state;
    static const char *const plans[] = {"linkat 1 -1", "linkat 1 -2",   "linkat 2 -1",
                                        "linkat 2 -2", "renameat 1 -1", "renameat 1 -2",
                                        "read 1 5",    "read 3 5",      "read 1 -1"};
    if (SANITIZED) {
        skip();
    }
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        for (int exists = 0; exists < 2; exists++) {
            make_folder(NULL);
            store(path_of("in"), "b\na\n");
            if (exists) {
                store(path_of("out"), "old\n");
            }
            program_result r = sort_to(path_of("out"), path_of("in"), plans[i]);
            bool killed = r.status == 128 + SIGKILL; /* the parent reads and links as well */
            if (r.status == 0) {
                assert_true(holds(path_of("out"), "a\nb\n"));
            } else {
                assert_true(killed || program_refused(&r, strerror(EIO)));
                assert_true(!exists || holds(path_of("out"), "old\n"));
            }
            program_free(&r);
            if (program_names(folder) > 1 + (exists || !killed)) {
                fail_msg("%s: a name is left behind", plans[i]);
            }
        }
    }
}

/* Both are killed between link and rename: the name that is left behind goes with the next output
 * to the same target, and only if nobody holds it. */
static void leave_behind_and_clean(bool is_new)
{
    store(path_of("in"), "b\na\n");
    store(path_of("out"), "old\n");
    program_result r = sort_to(path_of("out"), path_of("in"), "renameat 1 -3");
    assert_int_equal(r.status, 128 + SIGKILL);
    program_free(&r);
    let_keeper_end();
    assert_true(holds(path_of("out"), "old\n"));
    assert_int_equal(program_names(folder), 3);
    r = sort_to(path_of("other"), path_of("in"), NULL);
    assert_int_equal(r.status, 0);
    program_free(&r);
    assert_int_equal(program_names(folder), 4); /* not this target's */
    assert_int_equal(unlink(path_of("other")) + (is_new ? unlink(path_of("out")) : 0), 0);
    r = sort_to(path_of("out"), path_of("in"), NULL);
    assert_int_equal(r.status, 0);
    program_free(&r);
    assert_true(holds(path_of("out"), "a\nb\n"));
    assert_int_equal(program_names(folder), 2);
}

static void what_is_left_behind_is_cleaned_up(void **state)
{
    (void)state;
    if (SANITIZED) {
        skip();
    }
    leave_behind_and_clean(false);
    leave_behind_and_clean(true); /* also where the target is new then, and takes one step */
}

/* As by a process that is still at work on the same target. */
static void what_another_one_holds_stays(void **state)
{
    (void)state;
    if (SANITIZED) {
        skip();
    }
    store(path_of("in"), "b\na\n");
    store(path_of("out"), "old\n");
    program_result r = sort_to(path_of("out"), path_of("in"), "renameat 1 -3");
    program_free(&r);
    int fd = open_moment();
    assert_true(fd >= 0 && flock(fd, LOCK_EX) == 0);
    for (int tries = 0; tries < 3; tries++) { /* it takes another name */
        store(path_of("out"), "old\n");
        r = sort_to(path_of("out"), path_of("in"), tries == 2 ? "tmpfile -1 95" : NULL);
        assert_int_equal(r.status, 0);
        program_free(&r);
        assert_true(holds(path_of("out"), "a\nb\n"));
        assert_int_equal(program_names(folder), 3);
    }
    close(fd);
    r = sort_to(path_of("out"), path_of("in"), NULL);
    program_free(&r);
    assert_int_equal(program_names(folder), 2);
}

/* Where files without a name are not to be had. */
static void named_files(void **state)
{
    (void)state;
    if (SANITIZED) {
        skip();
    }
    store(path_of("in"), "b\na\n");
    for (int exists = 0; exists < 2; exists++) {
        program_result r = sort_to(path_of("out"), path_of("in"), "tmpfile -1 95");
        assert_int_equal(r.status, 0);
        program_free(&r);
        assert_true(holds(path_of("out"), "a\nb\n"));
        assert_int_equal(program_names(folder), 2);
    }
    program_result r = sort_to(path_of("out"), path_of("missing"), "tmpfile -1 95");
    assert_true(program_refused(&r, "missing"));
    program_free(&r);
    assert_int_equal(program_names(folder), 2);
}

static void other_names_of_a_file_stay(void **state)
{
    (void)state;
    static const char *const inputs[] = {"a\nb\nc\n", "a\n", "", "a\nb\nc\nd\n"};
    struct stat before, after;
    store(path_of("f"), "c\nb\na\n");
    assert_int_equal(chmod(path_of("f"), 0604), 0);
    assert_int_equal(link(path_of("f"), path_of("g")), 0);
    assert_int_equal(stat(path_of("f"), &before), 0);
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        store(path_of("in"), inputs[i]);
        program_result r = sort_to(path_of("f"), path_of(i == 0 ? "f" : "in"), NULL);
        assert_int_equal(r.status, 0);
        program_free(&r);
        assert_true(holds(path_of("f"), inputs[i]));
        assert_true(holds(path_of("g"), inputs[i]));
        assert_int_equal(stat(path_of("f"), &after), 0);
        assert_true(before.st_ino == after.st_ino && after.st_nlink == 2);
        assert_int_equal(after.st_mode & 07777, 0604);
        assert_int_equal(program_names(folder), 3);
    }
}

/* Room is set aside first; while bytes are copied, a killed keeper is no matter either. */
static void writing_over_that_fails(void **state)
{
    (void)state;
    static const struct {
        const char *plan;
        bool works;
        int error;
    } cases[] = {{"fallocate 1 28", false, ENOSPC},  {"fallocate 1 95", true, 0},
                 {"copy_file_range -1 18", true, 0}, {"copy_file_range 1 -1", true, 0},
                 {"copy_file_range 1 -2", true, 0},  {"fallocate 1 -1", true, 0},
                 {"ftruncate 1 -1", true, 0},        {"write 1 28", false, ENOSPC}};
    if (SANITIZED) {
        skip();
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_folder(NULL);
        store(path_of("in"), "b\na\n");
        store(path_of("f"), "old, and longer\n");
        assert_int_equal(link(path_of("f"), path_of("g")), 0);
        program_result r = sort_to(path_of("f"), path_of("in"), cases[i].plan);
        if (cases[i].works ? r.status != 0 : !program_refused(&r, strerror(cases[i].error))) {
            fail_msg("%s: status %d, '%s'", cases[i].plan, r.status, r.err);
        }
        assert_true(holds(path_of("g"), cases[i].works ? "a\nb\n" : "old, and longer\n"));
        program_free(&r);
        assert_int_equal(program_names(folder), 3);
    }
}

/* A large output sets its room aside, which may fail; a kill there loses nothing. */
static void room_that_is_set_aside(void **state)
{
    (void)state;
    enum { LINES = 1 << 20, LINE = 9 };
    static const struct {
        const char *plan;
        int status;
    } cases[] = {{NULL, 0}, {"fallocate 1 95", 0}, {"fallocate 1 28", 0}, {"fallocate 1 -1", 137}};
    if (SANITIZED) {
        skip();
    }
    char *lines = malloc(LINES * LINE + 1), *sorted = malloc(LINES * LINE + 1);
    for (size_t i = 0; i < LINES; i++) {
        sprintf(lines + i * LINE, "%08zu\n", LINES - 1 - i);
        sprintf(sorted + i * LINE, "%08zu\n", i);
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_folder(NULL);
        store(path_of("in"), lines);
        store(path_of("f"), "old\n");
        program_result r = sort_to(path_of("f"), path_of("in"), cases[i].plan);
        assert_int_equal(r.status, cases[i].status);
        assert_true(holds(path_of("f"), cases[i].status == 0 ? sorted : "old\n"));
        program_free(&r);
        assert_int_equal(program_names(folder), 2);
    }
    free(lines);
    free(sorted);
}

/* The keeper goes on when its parent is killed while it copies. */
static void a_keeper_outlives_its_parent(void **state)
{
    (void)state;
    if (SANITIZED) {
        skip();
    }
    store(path_of("in"), "b\na\n");
    store(path_of("f"), "old, and longer\n");
    assert_int_equal(link(path_of("f"), path_of("g")), 0);
    program_result r = sort_to(path_of("f"), path_of("in"), "copy_file_range 1 -4");
    assert_int_equal(r.status, 128 + SIGKILL);
    program_free(&r);
    for (int tries = 0; tries < 3000 && !holds(path_of("g"), "a\nb\n"); tries++) {
        nanosleep(&(struct timespec){0, 10000000}, NULL); /* nobody can wait for it otherwise */
    }
    assert_true(holds(path_of("g"), "a\nb\n"));
    assert_int_equal(program_names(folder), 3);
}

/* Runs as a user who may write the file only. Status of the program. */
static int sort_as_nobody(const char *file, const char *scratch)
{
    enum { NOBODY = 65534 };
    pid_t child = fork();
    if (child == 0) {
        if (setgroups(0, NULL) != 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0) {
            _exit(126);
        }
        close(STDERR_FILENO); /* what it says */
        execl(path_of("upsweep"), "upsweep", "sort", "-T", scratch, file, "-o", file, (char *)NULL);
        _exit(127);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_directory_that_may_not_be_written(void **state)
{
    (void)state;
    char command[600];
    struct stat before, after;
    if (geteuid() != 0) {
        skip(); /* only root can become another user */
    }
    snprintf(command, sizeof command, "cp %s %s && chmod 755 %s", program, path_of("upsweep"),
             path_of("upsweep"));
    assert_int_equal(system(command), 0);
    assert_int_equal(mkdir(path_of("ro"), 0755), 0);
    for (int turn = 0; turn < 3; turn++) { /* another's file, also where the directory is open */
        const char *f = path_of("ro/f");
        store(f, "c\nb\na\n");
        assert_int_equal(chmod(f, turn == 2 ? 0644 : 0666), 0);
        assert_int_equal(chmod(path_of("ro"), turn == 1 ? 01777 : 0755), 0);
        assert_int_equal(stat(f, &before), 0);
        assert_int_equal(sort_as_nobody(f, path_of("missing")), 2);
        assert_true(holds(f, "c\nb\na\n"));
        assert_int_equal(sort_as_nobody(f, "/tmp"), turn == 2 ? 2 : 0);
        assert_true(holds(f, turn == 2 ? "c\nb\na\n" : "a\nb\nc\n"));
        assert_int_equal(stat(f, &after), 0);
        assert_true(after.st_uid == 0 && after.st_ino == before.st_ino);
        assert_int_equal(program_names(path_of("ro")), 1);
    }
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
        cmocka_unit_test_setup(a_keeper_that_is_killed, make_folder),
        cmocka_unit_test_setup(room_that_is_set_aside, make_folder),
        cmocka_unit_test_setup(what_is_left_behind_is_cleaned_up, make_folder),
        cmocka_unit_test_setup(what_another_one_holds_stays, make_folder),
        cmocka_unit_test_setup(named_files, make_folder),
        cmocka_unit_test_setup(other_names_of_a_file_stay, make_folder),
        cmocka_unit_test_setup(writing_over_that_fails, make_folder),
        cmocka_unit_test_setup(a_keeper_outlives_its_parent, make_folder),
        cmocka_unit_test_setup(a_directory_that_may_not_be_written, make_folder),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    program_remove(folder);
    return failed;
}
