/* keeper.c - a child process that waits for one byte.
 *
 * The byte comes: it links and renames, and answers with errno. The pipe closes instead, because
 * the parent gave up or was killed: it removes the named file, if there is one. It belongs to a
 * session of its own and blocks all signals, so that what ends its parent does not end it. */
#include "keeper.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

void io_keeper_name(io_output *out)
{
    uint64_t random;
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random) {
        random = (uint64_t)getpid() ^ (uint64_t)(uintptr_t)out;
    }
    snprintf(out->moment, sizeof out->moment, ".upsweep-%016llx", (unsigned long long)random);
}

static int link_file(io_output *out, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", out->fd);
    return linkat(AT_FDCWD, path, out->directory, name, AT_SYMLINK_FOLLOW);
}

/* A new name is taken in one step; only a target that exists needs the two. */
static int put_in_place(io_output *out)
{
    if (!out->named) {
        if (link_file(out, out->target) == 0) {
            return 0;
        }
        if (errno != EEXIST) {
            return errno;
        }
        for (int tries = 0; tries < 100 && !out->named; tries++) {
            io_keeper_name(out);
            out->named = link_file(out, out->moment) == 0;
            if (!out->named && errno != EEXIST) {
                return errno;
            }
        }
    }
    if (!out->named) {
        return EEXIST;
    }
    if (renameat(out->directory, out->moment, out->directory, out->target) != 0) {
        int error = errno;
        (void)unlinkat(out->directory, out->moment, 0);
        return error;
    }
    return 0;
}

static void keep(io_output *out, int from, int to)
{
    char byte;
    ssize_t n;
    setsid();
    do {
        n = read(from, &byte, 1);
    } while (n < 0 && errno == EINTR);
    if (n == 1) {
        int error = put_in_place(out);
        _exit(write(to, &error, sizeof error) == (ssize_t)sizeof error ? 0 : 1);
    }
    if (out->named) {
        (void)unlinkat(out->directory, out->moment, 0);
    }
    _exit(0);
}

/* The keeper must not hold a pipe open that others wait on. */
static void close_others(const io_output *out, int from, int to)
{
    for (int fd = 0; fd < 3; fd++) {
        if (fd != out->fd && fd != out->directory && fd != from && fd != to) {
            close(fd);
        }
    }
}

void io_keeper_start(io_output *out)
{
    int down[2], up[2];
    if (pipe2(down, O_CLOEXEC) != 0) {
        return;
    }
    if (pipe2(up, O_CLOEXEC) != 0) {
        close(down[0]);
        close(down[1]);
        return;
    }
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    out->keeper = fork();
    if (out->keeper == 0) {
        close(down[1]);
        close(up[0]);
        close_others(out, down[0], up[1]);
        keep(out, down[0], up[1]);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(down[0]);
    close(up[1]);
    out->to_keeper = down[1];
    out->from_keeper = up[0];
    if (out->keeper < 0) {
        close(out->to_keeper);
        close(out->from_keeper);
        out->to_keeper = out->from_keeper = -1;
    }
}

/* -1: the keeper is gone and has done nothing. */
static int ask_keeper(io_output *out)
{
    int error;
    ssize_t n;
    if (write(out->to_keeper, "c", 1) != 1) {
        return -1;
    }
    do {
        n = read(out->from_keeper, &error, sizeof error);
    } while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof error ? error : -1;
}

int io_keeper_commit(io_output *out)
{
    int error = out->keeper > 0 ? ask_keeper(out) : -1;
    if (error < 0) {
        error = put_in_place(out);
    }
    out->named = false; /* in place or removed */
    errno = error;
    return error == 0 ? 0 : -1;
}

void io_keeper_end(io_output *out)
{
    if (out->to_keeper >= 0) {
        close(out->to_keeper);
        close(out->from_keeper);
        out->to_keeper = out->from_keeper = -1;
    }
    if (out->keeper > 0) {
        while (waitpid(out->keeper, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    if (out->named) { /* where the keeper could not be started, or was killed */
        (void)unlinkat(out->directory, out->moment, 0);
        out->named = false;
    }
}
