/* memory.h - big blocks of memory for text and its index: whole pages from the system, large pages
 * where it has them, which spares most page faults and misses of the page tables. */
#ifndef IO_MEMORY_H
#define IO_MEMORY_H

#include <stddef.h>

/* Zeroed memory of at least `bytes` bytes, or NULL. 0 bytes count as 1. */
void *io_memory_take(size_t bytes);
/* Grows or shrinks a block, which may move; NULL leaves it as it was. NULL as block is allowed. */
void *io_memory_resize(void *block, size_t old_bytes, size_t bytes);
/* Gives a block back. NULL is allowed. */
void io_memory_give(void *block, size_t bytes);

#endif
