/* numbers.h - arrays of numbers as text: parted by spaces or ends of lines when read, one a line
 * when written. What is written reads back as the same bits (a NaN as some NaN). */
/* SPDX-License-Identifier: MIT */
#ifndef IO_NUMBERS_H
#define IO_NUMBERS_H

#include <stddef.h>

#include "upsweep.h"
#include "io/why.h"

/* Reads all numbers of text[0 .. bytes); text[bytes] must be '\0'. *type 0 lets the text decide:
 * I64 if all are whole numbers that fit, else U64 if all are that fit, and *type is set to it;
 * whole numbers that fit neither are an error; where some have a fraction or an exponent, F64. With
 * a given type a number that does not fit is an error; floats round to the nearest. *data is from
 * malloc, of *n elements. name is for the sentence. */
bool io_numbers_read(const char *name, const char *text, size_t bytes, upsweep_type *type,
                     void **data, size_t *n, io_error *error);

enum { IO_NUMBER_MAX = 32 };
/* Writes one element as text with a final '\0', as short as it can be; returns its length. */
size_t io_number_print(char text[IO_NUMBER_MAX], upsweep_type type, const void *element);
/* One element as a double; 64-bit integers are rounded. */
double io_number_value(upsweep_type type, const void *element);
/* Reads one number as an element; false if text is none that fits. */
bool io_number_scan(const char *text, upsweep_type type, void *element);
/* Reads the longest number that begins at text, which must be followed by a byte that is part of
 * none; *end gets where it ends. False if there is none. */
bool io_decimal_scan(const char *text, double *value, const char **end);

#endif
