/* io.h - file formats. */
#ifndef IO_H
#define IO_H
#include <stddef.h>
#endif
