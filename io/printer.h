/* printer.h - text that is put together in small pieces and written in large ones. A failure is
 * remembered and told at the end, so that the calls between need no checks. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_PRINTER_H
#define IO_PRINTER_H

#include <stdbool.h>
#include <stdint.h>

#include "io/output.h"
#include "upsweep.h"

enum { IO_PRINTER_ROOM = 1 << 16 };

typedef struct io_printer {
    io_output *out;
    io_error *error; /* filled in by the first failure */
    bool failed;
    size_t used;
    char text[IO_PRINTER_ROOM];
} io_printer;

/* From malloc, to be freed by the caller; NULL when there is no memory. */
io_printer *io_printer_new(io_output *out, io_error *error);
void io_put(io_printer *p, const char *bytes, size_t size);
void io_put_text(io_printer *p, const char *text);
void io_put_format(io_printer *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void io_put_count(io_printer *p, uint64_t value);
/* One element, as io_number_print has it. */
void io_put_number(io_printer *p, upsweep_type type, const void *element);
/* Whether a word needs quotes as a cell of a table; and the word as such a cell, as RFC 4180 has
 * it: in quotes if it needs them, and its own quotes are then written twice. */
bool io_cell_quoted(const char *word, size_t length, char delimiter);
void io_put_cell(io_printer *p, const char *word, size_t length, char delimiter);
/* A word as a JSON string; bytes that are not UTF-8, as JSON must be, become U+FFFD. */
void io_put_json(io_printer *p, const char *word, size_t length);
/* Writes what is left; false if anything failed. */
bool io_put_end(io_printer *p);

/* The digits of a number at p; returns where they end. 20 bytes are enough. */
char *io_count_digits(char *p, uint64_t value);

#endif
