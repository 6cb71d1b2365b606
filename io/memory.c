/* memory.c - mmap, mremap, munmap, the advice to use large pages, and the books of what is held. */
/* SPDX-License-Identifier: MIT */
#include "io/memory.h"

#include "io/cgroup.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

enum { PAGE = 4096, LARGE_FROM = 4 << 20 };

static size_t whole_pages(size_t bytes)
{
    return bytes > SIZE_MAX - PAGE ? 0 : (bytes + (bytes == 0) + PAGE - 1) / PAGE * PAGE;
}

static atomic_size_t held;      /* bytes of all blocks */
static _Atomic size_t at_start; /* the room there was for all blocks; 0: not known yet */

/* What a block may be as large as. The system gives pages out when they are touched, so what is
 * held counts in full, touched or not. */
static size_t room(void)
{
    size_t start = atomic_load(&at_start);
    if (start == 0) {
        size_t now = io_cgroup_room();
        start = now == SIZE_MAX ? SIZE_MAX : now + 1 + atomic_load(&held);
        atomic_store(&at_start, start);
    }
    /* A part is kept for what is not taken here: small things, stacks, half-used large pages. */
    size_t spare = start / 32 + ((size_t)4 << 20);
    return start == SIZE_MAX                    ? SIZE_MAX
           : start < spare + atomic_load(&held) ? 0
                                                : start - spare - atomic_load(&held);
}

size_t io_memory_room(void)
{
    return room();
}

/* Whether `more` bytes may be held. A little in all is always allowed: to look would take longer
 * than to fill it. */
static int may_hold(size_t more)
{
    int little = more < LARGE_FROM && atomic_load(&held) + more < LARGE_FROM;
    int may = little || more <= room();
    errno = may ? errno : ENOMEM;
    return may;
}

const char *io_memory_why(char text[IO_MEMORY_WHY])
{
    size_t left = room();
    text[0] = '\0';
    if (left != SIZE_MAX) {
        snprintf(text, IO_MEMORY_WHY, "; the memory limit of its control group leaves %zu MB",
                 left >> 20);
    }
    return text;
}

static void *advise(void *block, size_t bytes)
{
    if (bytes >= LARGE_FROM) {
        (void)madvise(block, bytes, MADV_HUGEPAGE); /* speed only */
    }
    return block;
}

void *io_memory_take(size_t bytes)
{
    size_t size = whole_pages(bytes);
    if (size == 0 || !may_hold(size)) {
        return NULL;
    }
    void *block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) {
        return NULL;
    }
    atomic_fetch_add(&held, size);
    return advise(block, size);
}

void *io_memory_resize(void *block, size_t old_bytes, size_t bytes)
{
    if (block == NULL) {
        return io_memory_take(bytes);
    }
    size_t size = whole_pages(bytes), old = whole_pages(old_bytes);
    if (size == 0 || (size > old && !may_hold(size - old))) {
        return NULL;
    }
    void *moved = mremap(block, old, size, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED) {
        return NULL;
    }
    atomic_fetch_add(&held, size - old); /* modulo the word, where it shrinks */
    return advise(moved, size);
}

void io_memory_give(void *block, size_t bytes)
{
    if (block != NULL) {
        (void)munmap(block, whole_pages(bytes));
        atomic_fetch_sub(&held, whole_pages(bytes));
    }
}
