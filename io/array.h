/* array.h - arrays of numbers in files: raw bytes, .npy, or numbers as text; and back. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_ARRAY_H
#define IO_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

#include "io/error.h"
#include "io/input.h"
#include "io/npy.h"
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
    io_npy npy;       /* type and shape; one axis of n where the file was no .npy */
    io_input input;   /* holds the bytes of data, or of the text they came from */
    void *numbers;    /* of text: what data points to */
} io_array;

/* What to read. Left out, all is 0: numbers as text, or .npy. */
typedef struct io_array_wish {
    upsweep_type type; /* 0: the file decides */
    bool text;         /* what is not .npy is numbers as text, also where there is a type */
    io_format from;    /* take the bytes as this and do not look at them; 0: look */
    unsigned threads;
    const char *otherwise; /* as of io_reading */
} io_array_wish;

/* Reads the named files, one after the other, as one array; "-" is standard input, count 0 means
 * just that. Their first bytes tell what they are (file_kind.h): .npy, compressed, or neither;
 * those are raw elements of the wish's type or, without a type or with text set, numbers as text.
 * Several .npy files are taken together if they have one axis and the same type; .npy and others
 * are not. *a can be freed in any case. */
bool io_array_read(io_array *a, const char *const *names, size_t count, const io_array_wish *wish,
                   io_error *error);
/* The same of an input that io_source_read has read, which *a takes over. */
bool io_array_take(io_array *a, io_input *in, const io_array_wish *wish, io_error *error);
void io_array_free(io_array *a);

#endif
