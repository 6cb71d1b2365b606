/* stdio.h - printing of labels; wasm.c has it. */
/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stddef.h>
int vsnprintf(char *to, size_t bytes, const char *format, va_list arguments);
