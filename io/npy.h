/* npy.h - the header of .npy files, NumPy's format for one array:
 * numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 *
 *     bytes 0-5   \x93NUMPY
 *     bytes 6-7   version: 1 0, 2 0 or 3 0
 *     then        length of the text: 2 bytes (version 1) or 4 bytes, little-endian
 *     then        a Python dictionary: {'descr': '<u4', 'fortran_order': False, 'shape': (3,), }
 *     then        the elements
 *
 * Arrays of several dimensions in C order are taken as one long row. */
#ifndef IO_NPY_H
#define IO_NPY_H

#include <stddef.h>

#include "upsweep.h"
#include "why.h"

enum {
    IO_NPY_MAGIC_BYTES = 6,
    IO_NPY_TEXT_MAX = 65536, /* a longer header is refused: those of plain arrays have 118 bytes */
    IO_NPY_HEADER_MAX = 12 + IO_NPY_TEXT_MAX,
    IO_NPY_WRITTEN_BYTES = 128 /* the header that io_npy_write_header makes */
};

typedef struct io_npy {
    upsweep_type type;
    size_t n;            /* the product of the shape */
    size_t header_bytes; /* where the elements begin */
} io_npy;

bool io_npy_is(const void *bytes, size_t count);

/* Reads the header at the front of a file of which the first `available` bytes are in memory:
 * enough are IO_NPY_HEADER_MAX, or the whole file if it is smaller. name is for the sentence. n
 * times the size of an element is known to fit size_t afterwards, header_bytes included. */
bool io_npy_read_header(const char *name, const void *bytes, size_t available, io_npy *npy,
                        io_error *error);

/* Writes the header of a one-dimensional array, byte for byte what NumPy writes. False for BF16,
 * which NumPy does not know. */
bool io_npy_write_header(char header[IO_NPY_WRITTEN_BYTES], upsweep_type type, size_t n);
/* The same of rows x columns elements, row by row; columns 0 is one row. */
bool io_npy_write_table(char header[IO_NPY_WRITTEN_BYTES], upsweep_type type, size_t rows,
                        size_t columns);

#endif
