/* graph_store.h - small files of graphs for tests, in a folder of their own, and reading them. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_SHARED_GRAPH_STORE_H
#define USW_TEST_SHARED_GRAPH_STORE_H

#include <dirent.h>

#include "io/graph_file.h"
#include "test/shared/program.h"

static char store_folder[64];

/* Makes an empty folder and goes there; names in sentences are then short. */
static inline int store_begin(void **state)
{
    (void)state;
    snprintf(store_folder, sizeof store_folder, "/tmp/upsweep-graphs-XXXXXX");
    return mkdtemp(store_folder) != NULL && chdir(store_folder) == 0 ? 0 : -1;
}

static inline int store_end(void **state)
{
    (void)state;
    DIR *folder = opendir(".");
    struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            unlink(entry->d_name);
        }
    }
    closedir(folder);
    return chdir("/") == 0 && rmdir(store_folder) == 0 ? 0 : -1;
}

static inline void store_text(const char *file, const char *text)
{
    (void)program_store(file, text, strlen(text));
}

static inline bool store_read(io_graph *g, const char *file, unsigned threads, io_error *error)
{
    io_graph_options options = {.threads = threads};
    return io_graph_read(g, file, &options, error);
}

#endif
