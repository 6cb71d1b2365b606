/* fail_io.c - a library to be preloaded that lets one call of a program fail, for tests of how the
 * program takes it. UPSWEEP_FAIL="pread 2 5": the second pread fails with error number 5; a count
 * below zero, -2, lets that call and all after it fail. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_int calls;

/* Whether this call of `name` is to fail; errno is set then. */
static bool fails(const char *name)
{
    char wanted[32];
    int number, error;
    const char *plan = getenv("UPSWEEP_FAIL");
    if (plan == NULL || sscanf(plan, "%31s %d %d", wanted, &number, &error) != 3 ||
        strcmp(wanted, name) != 0) {
        return false;
    }
    int call = atomic_fetch_add(&calls, 1) + 1;
    bool now = number < 0 ? call >= -number : call == number;
    if (now) {
        errno = error;
    }
    return now;
}

/* The function that would have been called. */
static void find(void *function, const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    memcpy(function, &symbol, sizeof symbol);
}

ssize_t read(int fd, void *to, size_t bytes)
{
    ssize_t (*next)(int, void *, size_t);
    find(&next, "read");
    return fails("read") ? -1 : next(fd, to, bytes);
}

ssize_t pread(int fd, void *to, size_t bytes, off_t at)
{
    ssize_t (*next)(int, void *, size_t, off_t);
    find(&next, "pread");
    return fails("pread") ? -1 : next(fd, to, bytes, at);
}

int open(const char *path, int flags, ...)
{
    int (*next)(const char *, int, ...);
    mode_t mode = 0;
    if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    find(&next, "open");
    return fails("open") ? -1 : next(path, flags, mode);
}

int openat(int at, const char *path, int flags, ...)
{
    int (*next)(int, const char *, int, ...);
    mode_t mode = 0;
    if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    find(&next, "openat");
    return fails("openat") ? -1 : next(at, path, flags, mode);
}
