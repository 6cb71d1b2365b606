/* string.h - the few functions that explained forms use; wasm.c has them. */
/* SPDX-License-Identifier: MIT */
#include <stddef.h>
void *memcpy(void *to, const void *from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int byte, size_t bytes);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t most);
size_t strlen(const char *text);
char *strrchr(const char *text, int c);
