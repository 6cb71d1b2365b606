/* fail_io.c - a library to be preloaded that lets one call of a program fail, for tests of how the
 * program takes it. UPSWEEP_FAIL="pread 2 5": the second pread fails with error number 5; a count
 * below zero, -2: that call and all after it. Calls of forked processes count as well. Instead of
 * an error number:
 *
 *     -1   the process is killed before the call
 *     -2   the process is killed after the call
 *     -3   the process and its parent are killed before the call
 *     -4   its parent is killed before the call, and the process goes on */
/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

/* Counts the calls of the process and of those that it forks. */
static atomic_int *calls;

__attribute__((constructor)) static void begin(void)
{
    void *shared =
        mmap(NULL, sizeof *calls, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    calls = shared == MAP_FAILED ? NULL : shared;
}

enum { KILL_BEFORE = -1, KILL_AFTER = -2, KILL_BOTH = -3, KILL_PARENT = -4 };

/* What is to happen at this call of `name`: 0 nothing, an error number, or one of the above. */
static int planned(const char *name)
{
    char wanted[32];
    int number, error;
    const char *plan = getenv("UPSWEEP_FAIL");
    if (plan == NULL || calls == NULL || sscanf(plan, "%31s %d %d", wanted, &number, &error) != 3 ||
        strcmp(wanted, name) != 0) {
        return 0;
    }
    int call = atomic_fetch_add(calls, 1) + 1;
    return (number < 0 ? call >= -number : call == number) ? error : 0;
}

/* Whether this call of `name` is to fail; errno is set then. */
static bool fails(const char *name, bool *killed_after)
{
    int plan = planned(name);
    if (plan == KILL_BOTH || plan == KILL_PARENT) {
        kill(getppid(), SIGKILL);
    }
    if (plan == KILL_BOTH || plan == KILL_BEFORE) {
        kill(getpid(), SIGKILL);
    }
    *killed_after = plan == KILL_AFTER;
    errno = plan > 0 ? plan : errno;
    return plan > 0;
}

static void end(bool killed)
{
    if (killed) {
        kill(getpid(), SIGKILL);
    }
}

/* The function that would have been called. */
static void find(void *function, const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    memcpy(function, &symbol, sizeof symbol);
}

/* A function of our name: fails, or does what the next one of that name does. */
#define CALL(type, name, declared, given)                                                          \
    type name declared                                                                             \
    {                                                                                              \
        type(*next) declared;                                                                      \
        bool killed;                                                                               \
        find(&next, #name);                                                                        \
        if (fails(#name, &killed)) {                                                               \
            return -1;                                                                             \
        }                                                                                          \
        type result = next given;                                                                  \
        end(killed);                                                                               \
        return result;                                                                             \
    }

CALL(ssize_t, read, (int fd, void *to, size_t bytes), (fd, to, bytes))
CALL(ssize_t, pread, (int fd, void *to, size_t bytes, off_t at), (fd, to, bytes, at))
CALL(ssize_t, write, (int fd, const void *from, size_t bytes), (fd, from, bytes))
CALL(int, fsync, (int fd), (fd))
CALL(int, ftruncate, (int fd, off_t bytes), (fd, bytes))
CALL(int, fallocate, (int fd, int mode, off_t at, off_t bytes), (fd, mode, at, bytes))
CALL(ssize_t, copy_file_range,
     (int from, off_t *in, int to, off_t *there, size_t bytes, unsigned flags),
     (from, in, to, there, bytes, flags))
CALL(int, linkat, (int from, const char *old, int to, const char *new, int flags),
     (from, old, to, new, flags))
CALL(int, renameat, (int from, const char *old, int to, const char *new), (from, old, to, new))

/* With a third or fourth argument only where a file may be made. */
static mode_t mode_of(int flags, va_list rest)
{
    return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
    int (*next)(const char *, int, ...);
    bool killed;
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_of(flags, rest);
    va_end(rest);
    find(&next, "open");
    return fails("open", &killed) ? -1 : next(path, flags, mode);
}

int openat(int at, const char *path, int flags, ...)
{
    int (*next)(int, const char *, int, ...);
    bool killed;
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_of(flags, rest);
    va_end(rest);
    find(&next, "openat");
    bool tmpfile = (flags & O_TMPFILE) == O_TMPFILE && planned("tmpfile") > 0;
    if (tmpfile) {
        errno = EOPNOTSUPP;
    }
    return tmpfile || fails("openat", &killed) ? -1 : next(at, path, flags, mode);
}
