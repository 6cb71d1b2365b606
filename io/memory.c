/* memory.c - mmap, mremap, munmap, and the advice to use large pages. */
#include "memory.h"

#include <stdint.h>
#include <sys/mman.h>

enum { PAGE = 4096, LARGE_FROM = 4 << 20 };

static size_t whole_pages(size_t bytes)
{
    return bytes > SIZE_MAX - PAGE ? 0 : (bytes + (bytes == 0) + PAGE - 1) / PAGE * PAGE;
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
    if (size == 0) {
        return NULL;
    }
    void *block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return block == MAP_FAILED ? NULL : advise(block, size);
}

void *io_memory_resize(void *block, size_t old_bytes, size_t bytes)
{
    if (block == NULL) {
        return io_memory_take(bytes);
    }
    size_t size = whole_pages(bytes);
    if (size == 0) {
        return NULL;
    }
    void *moved = mremap(block, whole_pages(old_bytes), size, MREMAP_MAYMOVE);
    return moved == MAP_FAILED ? NULL : advise(moved, size);
}

void io_memory_give(void *block, size_t bytes)
{
    if (block != NULL) {
        (void)munmap(block, whole_pages(bytes));
    }
}
