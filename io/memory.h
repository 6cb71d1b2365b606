/* memory.h - big blocks of memory for text and its index: whole pages from the system, large pages
 * where it has them, which spares most page faults and misses of the page tables. A process whose
 * control group limits its memory (cgroup.h) is refused a block that would exceed the limit, since
 * it would be killed when it fills it. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_MEMORY_H
#define IO_MEMORY_H

#include <stddef.h>

/* Zeroed memory of at least `bytes` bytes, or NULL, and errno is ENOMEM. 0 bytes count as 1. */
void *io_memory_take(size_t bytes);
/* Grows or shrinks a block, which may move; NULL leaves it as it was. NULL as block is allowed. */
void *io_memory_resize(void *block, size_t old_bytes, size_t bytes);
/* Gives a block back. NULL is allowed. */
void io_memory_give(void *block, size_t bytes);

enum { IO_MEMORY_WHY = 100 };
/* Bytes that blocks may still take; SIZE_MAX where no control group limits them. */
size_t io_memory_room(void);
/* For the end of a sentence on want of memory: "; the memory limit of its control group leaves 12
 * MB", or "" where there is none. Returns text. */
const char *io_memory_why(char text[IO_MEMORY_WHY]);

#endif
