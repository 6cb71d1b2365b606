/* array.h - arrays of numbers in files: raw bytes, .npy, or numbers as text; and back. */
#ifndef IO_ARRAY_H
#define IO_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "input.h"
#include "upsweep.h"

typedef enum io_format {
    IO_RAW = 1, /* the elements, little-endian, nothing else */
    IO_NPY,
    IO_TEXT
} io_format;

typedef struct io_array {
    void *data; /* n elements, aligned to their size; may be written to */
    size_t n;
    upsweep_type type;
    io_format format; /* of the file that was read */
    io_input input;   /* holds the bytes of data, or of the text they came from */
    void *numbers;    /* of text: what data points to */
} io_array;

/* Reads the named files, one after the other, as one array; "-" is standard input, count 0 means
 * just that. Files that begin like .npy are .npy. Others are raw elements of `type`; with type 0,
 * or with text set, they are numbers as text, of that type if it is not 0. *a can be freed in any
 * case. */
bool io_array_read(io_array *a, const char *const *names, size_t count, upsweep_type type,
                   bool text, unsigned threads, io_error *error);
void io_array_free(io_array *a);

#endif
