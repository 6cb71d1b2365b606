/* why.h - says in one sentence why the contents of a file were refused, where no system call
 * failed. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_WHY_H
#define IO_WHY_H

#include <stdbool.h>

#include "io/error.h"

/* Fills the sentence in and returns false, so that `return io_because(...)` reads well. */
bool io_because(io_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
