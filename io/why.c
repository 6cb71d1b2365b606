/* why.c - formats the sentence on a refused file. */
/* SPDX-License-Identifier: MIT */
#include "io/why.h"

#include <stdarg.h>

bool io_because(io_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    error->number = 0;
    return false;
}
