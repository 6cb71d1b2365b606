/* error.h - one sentence on what went wrong with a file, and errno. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_ERROR_H
#define IO_ERROR_H

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct io_error {
    int number; /* errno, or 0 where the system had no part in it */
    char text[4352];
} io_error;

/* "NAME: what: No space left on device". Returns -1, so that `return io_fail(...)` reads well. */
static inline int io_fail(io_error *error, const char *name, const char *what)
{
    error->number = errno;
    snprintf(error->text, sizeof error->text, "%s: %s: %s", name, what, strerror(error->number));
    return -1;
}

#endif
