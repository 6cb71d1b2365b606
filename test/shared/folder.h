/* folder.h - a folder of the test's own, and paths in it. mkdtemp(folder), or folder_make before
 * all tests, makes it; folder_remove takes it away with all that is in it. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_SHARED_FOLDER_H
#define USW_TEST_SHARED_FOLDER_H

#include "test/shared/program.h"

static char folder[] = "/tmp/upsweep-test-XXXXXX";

static inline int folder_make(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static inline int folder_remove(void **state)
{
    (void)state;
    return program_remove(folder);
}

/* The file's path; of the last eight that were asked for. */
static inline const char *path_of(const char *name)
{
    static char paths[8][256];
    static int turn;
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

#endif
