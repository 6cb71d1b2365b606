/* learn_run.c - runs a solution in a child: two seconds of processor time, a gigabyte of memory,
 * and what it tells is read through a pipe. */
/* SPDX-License-Identifier: MIT */
#include "app/learn/learn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/app.h"
#include "app/page/page_parts.h"

enum {
    CPU_SECONDS = 2,
    WALL_SECONDS = 20,
    MEMORY = 1 << 30,
    TOLD_MOST = 1 << 24,
    PATH = 4200,
    ROOM = 1 << 16
};

/* site/tasks/lanes.c, in this program. */
void lanes_run(int to, learn_solution solution);

static int wait_for(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    return status;
}

static bool write_file(const char *directory, const char *name, const void *bytes, size_t size)
{
    char path[PATH];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "w");
    bool done = f != NULL && fwrite(bytes, 1, size, f) == size;
    return f != NULL && fclose(f) == 0 && done;
}

static bool write_cases(const char *directory, const learn_case *cases, size_t count)
{
    char path[PATH];
    snprintf(path, sizeof path, "%s/cases", directory);
    FILE *f = fopen(path, "w");
    for (size_t k = 0; f != NULL && k < count; k++) {
        fprintf(f, "%zu", cases[k].n);
        for (size_t i = 0; i < cases[k].n; i++) {
            fprintf(f, " %u", cases[k].values[i]);
        }
        fputc('\n', f);
    }
    return f != NULL && fclose(f) == 0;
}

/* Reads all that the child tells into text, which may grow, until its end or that of its time. */
static char *read_told(int from, char *text, learn_told *told)
{
    size_t size = 0, room = ROOM;
    double until = app_seconds() + WALL_SECONDS;
    ssize_t got = 1;
    while (got != 0) {
        double left = until - app_seconds();
        struct pollfd ready = {.fd = from, .events = POLLIN};
        if (left <= 0 || size > TOLD_MOST) {
            told->stopped = true;
            break;
        }
        if (room - size < 4096) {
            char *more = realloc(text, 2 * room);
            if (more == NULL) {
                break;
            }
            text = more;
            room *= 2;
        }
        got = poll(&ready, 1, (int)(1000 * left) + 1) > 0 ? read(from, text + size, room - size - 1)
                                                          : -1;
        size += got > 0 ? (size_t)got : 0;
    }
    text[size] = '\0';
    return text;
}

static int listen_to(int from, pid_t child, learn_told *told)
{
    char *text = malloc(ROOM);
    if (text != NULL) {
        told->text = read_told(from, text, told);
    }
    kill(child, SIGKILL); /* it has told all, or may tell no more */
    int status = wait_for(child);
    if (text == NULL) {
        return app_fail("out of memory");
    }
    told->signal = status >= 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    told->status = status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    return APP_OK;
}

/* In the child: what is left is to run. */
static void confine(const char *directory, int to, bool theirs)
{
    char path[PATH];
    snprintf(path, sizeof path, "%s/cases", directory);
    int cases = open(path, O_RDONLY);
    struct rlimit cpu = {CPU_SECONDS, CPU_SECONDS}, memory = {MEMORY, MEMORY}, none = {0, 0};
    setrlimit(RLIMIT_CPU, &cpu);
    if (theirs) { /* ours may be under a sanitizer, which takes all addresses there are */
        setrlimit(RLIMIT_AS, &memory);
    }
    setrlimit(RLIMIT_CORE, &none);
    if (cases < 0 || dup2(cases, 0) < 0 || dup2(to, 1) < 0) {
        _exit(127);
    }
}

static const char *from_environment(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value == NULL || *value == '\0' ? otherwise : value;
}

/* Becomes the program that was built in the directory, or Python with the file. */
static void run_theirs(const char *directory, const char *file)
{
    char path[PATH];
    bool python = learn_language_of(file) == LEARN_PYTHON;
    snprintf(path, sizeof path, python ? "%s/lanes.py" : "%s/task", directory);
    if (python) { /* -B: nothing is left beside the file */
        const char *interpreter = from_environment("PYTHON", "python3");
        execlp(interpreter, interpreter, "-B", path, file, (char *)NULL);
    } else {
        execl(path, path, (char *)NULL);
    }
    _exit(127);
}

/* solution NULL: that of the file. */
static int run(const char *directory, const char *file, learn_solution solution, learn_told *told)
{
    int ends[2];
    if (pipe(ends) != 0) {
        return app_fail("a pipe cannot be made: %s", strerror(errno));
    }
    pid_t child = fork();
    if (child < 0) {
        close(ends[0]);
        close(ends[1]);
        return app_fail("a child cannot be started: %s", strerror(errno));
    }
    if (child == 0) {
        close(ends[0]);
        confine(directory, ends[1], solution == NULL);
        if (solution != NULL) {
            lanes_run(1, solution);
            _exit(0);
        }
        run_theirs(directory, file);
    }
    close(ends[1]);
    int status = listen_to(ends[0], child, told);
    close(ends[0]);
    return status;
}

static int compile(const char *directory, const char *file)
{
    char include[PATH], lanes[PATH], task[PATH];
    const char *compiler = from_environment("CC", "cc");
    snprintf(include, sizeof include, "-I%s", directory);
    snprintf(lanes, sizeof lanes, "%s/lanes.c", directory);
    snprintf(task, sizeof task, "%s/task", directory);
    pid_t child = fork();
    if (child == 0) {
        execlp(compiler, compiler, "-std=c11", "-D_GNU_SOURCE", "-O1", "-g", "-Wall", include, "-o",
               task, "-x", "c", file, lanes, (char *)NULL);
        _exit(127);
    }
    int status = child < 0 ? -1 : wait_for(child);
    if (status < 0 || !WIFEXITED(status) || WEXITSTATUS(status) == 127) {
        return app_fail("%s cannot be run; CC names the compiler to take", compiler);
    }
    if (WEXITSTATUS(status) != 0) {
        printf("%s does not compile; what %s says stands above.\n"
               "An array is read with get(a, i) and written with set(a, i, v).\n",
               file, compiler);
        return APP_NO;
    }
    return APP_OK;
}

static void remove_all(const char *directory)
{
    static const char *const names[] = {"lanes.h", "lanes.c", "lanes.py", "cases", "task"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char path[PATH];
        snprintf(path, sizeof path, "%s/%s", directory, names[k]);
        unlink(path);
    }
    rmdir(directory);
}

/* Python says "python" when it has begun, and "unreadable" of what it cannot compile. */
static int python_began(const char *file, const learn_told *told)
{
    static const char begun[] = "python\n";
    const char *interpreter = from_environment("PYTHON", "python3");
    if (strncmp(told->text, begun, sizeof begun - 1) != 0) {
        return app_fail("%s: %s does not run it; PYTHON names the Python to take, 3.9 or later",
                        file, interpreter);
    }
    if (strncmp(told->text + sizeof begun - 1, "unreadable", 10) == 0) {
        printf("%s is not Python; what %s says stands above.\n"
               "An array is read with a[i] and written with a[i] = v.\n",
               file, interpreter);
        return APP_NO;
    }
    return APP_OK;
}

/* file NULL: our solution. */
static int run_in(const char *directory, const char *file, learn_solution solution,
                  const learn_case *cases, size_t count, learn_told *told)
{
    bool python = learn_language_of(file) == LEARN_PYTHON; /* not of ours */
    if (!write_file(directory, "lanes.h", page_part_lanes_h, page_part_lanes_h_size) ||
        !write_file(directory, "lanes.c", page_part_lanes_c, page_part_lanes_c_size) ||
        !write_file(directory, "lanes.py", page_part_lanes_py, page_part_lanes_py_size) ||
        !write_cases(directory, cases, count)) {
        return app_fail("%s: cannot be written: %s", directory, strerror(errno));
    }
    int status = file == NULL || python ? APP_OK : compile(directory, file);
    status = status == APP_OK ? run(directory, file, solution, told) : status;
    return status == APP_OK && python ? python_began(file, told) : status;
}

static int run_somewhere(const char *file, learn_solution solution, const learn_case *cases,
                         size_t count, learn_told *told)
{
    char directory[4096];
    const char *place = getenv("TMPDIR");
    int length = snprintf(directory, sizeof directory, "%s/upsweep_learn_XXXXXX",
                          place == NULL || *place == '\0' ? "/tmp" : place);
    if (length >= (int)sizeof directory || mkdtemp(directory) == NULL) {
        return app_fail("%s: cannot be made: %s", directory, strerror(errno));
    }
    int status = run_in(directory, file, solution, cases, count, told);
    remove_all(directory);
    return status;
}

learn_language learn_language_of(const char *file)
{
    size_t length = file == NULL ? 0 : strlen(file);
    return length > 3 && strcmp(file + length - 3, ".py") == 0 ? LEARN_PYTHON : LEARN_C;
}

int learn_run_file(const char *file, const learn_case *cases, size_t count, learn_told *told)
{
    if (access(file, R_OK) != 0) {
        return app_fail("%s: %s", file, strerror(errno));
    }
    return run_somewhere(file, NULL, cases, count, told);
}

int learn_run_ours(learn_solution solution, const learn_case *cases, size_t count, learn_told *told)
{
    return run_somewhere(NULL, solution, cases, count, told);
}
