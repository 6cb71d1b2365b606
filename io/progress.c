/* progress.c - one line that is written over and over, five times a second. */
/* SPDX-License-Identifier: MIT */
#include "io/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_NS = 1000000000, EVERY_NS = 200000000 };

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool quiet_now;

void io_progress_quiet(bool quiet)
{
    quiet_now = quiet;
}

bool io_progress_wanted(void)
{
    return !quiet_now && isatty(STDERR_FILENO) != 0;
}

void io_progress_begin(io_progress *progress, const char *what)
{
    io_progress_end(progress);
    progress->what = what;
    progress->terminal = io_progress_wanted();
    progress->began_ns = now_ns();
    atomic_store(&progress->next_ns, progress->began_ns + FIRST_NS);
}

void io_progress_step(io_progress *progress, size_t done, size_t total)
{
    if (progress == NULL || !progress->terminal) {
        return;
    }
    int64_t now = now_ns();
    long long next = atomic_load(&progress->next_ns);
    /* The thread that moves the moment writes the line. */
    if (now < next || !atomic_compare_exchange_strong(&progress->next_ns, &next, now + EVERY_NS)) {
        return;
    }
    double share = total == 0 ? 0 : (double)done / (double)total;
    double left = share > 0 ? 1e-9 * (double)(now - progress->began_ns) * (1 - share) / share : 0;
    fprintf(stderr, "\r%s %3.0f%%, %.0f s left   ", progress->what, 100 * share, left);
    fflush(stderr);
    atomic_store(&progress->shown, true);
}

void io_progress_end(io_progress *progress)
{
    if (progress != NULL && atomic_exchange(&progress->shown, false)) {
        fprintf(stderr, "\r%60s\r", "");
        fflush(stderr);
    }
}
