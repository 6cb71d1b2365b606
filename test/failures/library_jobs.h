/* library_jobs.h - calls of the library that work on other things than plain arrays (graphs,
 * matrices, traces, films, machines), each with a check of its outcome, for the tests of failures.
 */
/* SPDX-License-Identifier: MIT */
#ifndef TEST_LIBRARY_JOBS_H
#define TEST_LIBRARY_JOBS_H

#include <stdbool.h>

#include "upsweep.h"

typedef struct library_job {
    const char *name;
    bool gpu_only;
    /* *wrong is NULL or a sentence, where the status is UPSWEEP_OK. */
    upsweep_status (*run)(upsweep *u, const char **wrong);
} library_job;

extern const library_job library_jobs[]; /* closed by a name of NULL */

#endif
