/* progress.h - tells a person who waits how far a long job is: on stderr, if that is a terminal,
 * and not before it has taken a second. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_PROGRESS_H
#define IO_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct io_progress {
    const char *what;
    bool terminal;
    atomic_bool shown;
    int64_t began_ns;
    atomic_llong next_ns; /* no line before this moment */
} io_progress;

/* From now on nothing is told, or it is again. */
void io_progress_quiet(bool quiet);
/* Whether a person is there to be told. */
bool io_progress_wanted(void);

/* Begins a job, "reading" or the like; the line of the one before is cleared. */
void io_progress_begin(io_progress *progress, const char *what);
/* done of total; any thread. progress may be NULL. */
void io_progress_step(io_progress *progress, size_t done, size_t total);
/* Clears the line, if there is one. */
void io_progress_end(io_progress *progress);

#endif
