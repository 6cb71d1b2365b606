/* keeper.c - a child process that waits for one byte.
 *
 * The byte comes: it puts the file in place (place.h), and answers with errno. The pipe closes
 * instead, because the parent gave up or was killed: it removes the named file, if there is one. It
 * belongs to a session of its own and blocks all signals, so that what ends its parent does not end
 * it. Where it is ended all the same, or its answer is lost, the parent does its work again, which
 * finds what has been done. */
/* SPDX-License-Identifier: MIT */
#include "io/keeper.h"

#include "io/place.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void keep(io_output *out, int from, int to)
{
    char byte;
    ssize_t n;
    setsid();
    /* Step replace_file/wait_for_byte of proofs/models. */
    do {
        n = read(from, &byte, 1);
    } while (n < 0 && errno == EINTR);
    if (n == 1) {
        int error = io_place_put(out);
        /* Step replace_file/answer of proofs/models. */
        _exit(write(to, &error, sizeof error) == (ssize_t)sizeof error ? 0 : 1);
    }
    /* Step replace_file/remove of proofs/models. */
    if (out->named) {
        (void)unlinkat(out->directory, out->moment, 0);
    }
    _exit(0);
}

/* The keeper must not hold a pipe open that others wait on. */
static void close_others(const io_output *out, int from, int to)
{
    for (int fd = 0; fd < 3; fd++) {
        if (fd != out->fd && fd != out->directory && fd != out->over && fd != from && fd != to) {
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
    /* Step replace_file/start_keeper of proofs/models. */
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

static void wait_for(pid_t *child)
{
    while (*child > 0 && waitpid(*child, NULL, 0) < 0 && errno == EINTR) {
    }
    *child = 0;
}

static void close_pipes(io_output *out)
{
    if (out->to_keeper >= 0) {
        close(out->to_keeper);
        close(out->from_keeper);
        out->to_keeper = out->from_keeper = -1;
    }
}

/* A keeper that is gone is no reason to end by SIGPIPE. */
static bool tell_keeper(const io_output *out)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    ssize_t n;
    sigaction(SIGPIPE, &ignore, &before);
    do {
        /* Step replace_file/ask of proofs/models. */
        n = write(out->to_keeper, "c", 1);
    } while (n < 0 && errno == EINTR);
    sigaction(SIGPIPE, &before, NULL);
    return n == 1;
}

/* -1: the keeper has not answered, and is gone now, whatever it has done. */
static int ask_keeper(io_output *out)
{
    int error;
    ssize_t n;
    if (tell_keeper(out)) {
        do {
            /* Step replace_file/hear of proofs/models. */
            n = read(out->from_keeper, &error, sizeof error);
        } while (n < 0 && errno == EINTR);
        if (n == (ssize_t)sizeof error) {
            return error;
        }
    }
    close_pipes(out);
    wait_for(&out->keeper);
    return -1;
}

int io_keeper_commit(io_output *out)
{
    int error = out->keeper > 0 ? ask_keeper(out) : -1;
    if (error < 0) {
        error = io_place_put(out);
    }
    out->named = false; /* in place or removed */
    errno = error;
    return error == 0 ? 0 : -1;
}

void io_keeper_end(io_output *out)
{
    /* Step replace_file/end_keeper of proofs/models. */
    close_pipes(out);
    wait_for(&out->keeper);
    /* Step replace_file/clean_up of proofs/models. */
    if (out->named) { /* where the keeper could not be started, or was killed */
        (void)unlinkat(out->directory, out->moment, 0);
        out->named = false;
    }
}
