/* fuzz_lists.c - hostile lists that go with a graph: coordinates (.co), vertices (.ss) and pairs of
 * them (.p2p). The first byte picks the list, the rest is the file. What is read lies within the
 * graph; what is refused is refused with a sentence. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/graph_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { VERTICES = 1000 };

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 65536) {
        return 0;
    }
    char name[64];
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    must(fd >= 0 && write(fd, data + 1, size - 1) == (ssize_t)(size - 1));
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    io_graph g = {.vertices = VERTICES, .base = data[0] >> 7};
    io_error error = {0};
    uint32_t *from = NULL, *to = NULL;
    size_t count = 0;
    bool read = false;
    switch (data[0] % 3) {
    case 0: read = io_graph_read_places(&g, name, 1 + (data[0] >> 6) % 2, &error); break;
    case 1: read = io_graph_read_vertices(&g, name, &from, &count, &error); break;
    default: read = io_graph_read_pairs(&g, name, &from, &to, &count, &error); break;
    }
    must(read || error.text[0] != '\0');
    for (size_t i = 0; read && i < count; i++) {
        must(from[i] < VERTICES && (to == NULL || to[i] < VERTICES));
    }
    free(from);
    free(to);
    io_graph_free(&g);
    close(fd);
    return 0;
}
