/* stdlib.h - memory that is never given back: the page takes a new instance for each trace. */
/* SPDX-License-Identifier: MIT */
#include <stddef.h>
void *malloc(size_t bytes);
void *calloc(size_t count, size_t bytes);
void *realloc(void *memory, size_t bytes);
void free(void *memory);
