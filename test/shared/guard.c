/* guard.c - maps the pages of a guarded array. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, FILL = 0xa5 };

guarded guard_new(size_t bytes, bool at_front)
{
    size_t inner = (bytes + PAGE - 1) / PAGE * PAGE;
    guarded g = {.bytes = bytes, .map_bytes = inner + 2 * PAGE};
    void *map = mmap(NULL, g.map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED ||
        (inner > 0 && mprotect((char *)map + PAGE, inner, PROT_READ | PROT_WRITE) != 0)) {
        perror("guard_new");
        exit(1);
    }
    g.map = map;
    g.at = g.map + PAGE + (at_front ? 0 : inner - bytes);
    memset(g.map + PAGE, FILL, inner);
    return g;
}

static bool all_fill(const unsigned char *from, const unsigned char *to)
{
    const size_t bytes = (size_t)(to - from);
    return bytes == 0 || (*from == FILL && memcmp(from, from + 1, bytes - 1) == 0);
}

bool guard_intact(const guarded *g)
{
    return all_fill(g->map + PAGE, g->at) &&
           all_fill(g->at + g->bytes, g->map + g->map_bytes - PAGE);
}

void guard_free(guarded *g)
{
    if (g->map != NULL) {
        munmap(g->map, g->map_bytes);
    }
    *g = (guarded){0};
}
