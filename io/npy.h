/* npy.h - the header of .npy files, NumPy's format for one array:
 * numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 *
 *     bytes 0-5   \x93NUMPY
 *     bytes 6-7   version: 1 0, 2 0 or 3 0
 *     then        length of the text: 2 bytes (version 1) or 4 bytes, little-endian
 *     then        a Python dictionary: {'descr': '<u4', 'fortran_order': False, 'shape': (3,), }
 *     then        the elements
 *
 * Elements are known that upsweep has a type for, and truth values, which are read as U8. Arrays of
 * several axes must be in C order, so that the last axis is what lies together. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_NPY_H
#define IO_NPY_H

#include <stddef.h>

#include "upsweep.h"
#include "io/why.h"

enum {
    IO_NPY_MAGIC_BYTES = 6,
    IO_NPY_TEXT_MAX = 65536, /* a longer header is refused: those of plain arrays have 118 bytes */
    IO_NPY_HEADER_MAX = 12 + IO_NPY_TEXT_MAX,
    IO_NPY_WRITTEN_BYTES = 128, /* the header that io_npy_write_header makes */
    IO_NPY_FORMAT_MAX = 2048,   /* room for the header of any shape */
    IO_NPY_AXES_MAX = 64        /* as in NumPy */
};

typedef struct io_npy {
    upsweep_type type;
    size_t n;            /* the product of the shape */
    size_t header_bytes; /* where the elements begin */
    bool boolean;        /* truth values ('|b1'): type is U8 */
    size_t axes;         /* 0: a single number without a shape */
    size_t shape[IO_NPY_AXES_MAX];
} io_npy;

bool io_npy_is(const void *bytes, size_t count);

/* Reads the header at the front of a file of which the first `available` bytes are in memory:
 * enough are IO_NPY_HEADER_MAX, or the whole file if it is smaller. name is for the sentence. n
 * times the size of an element is known to fit size_t afterwards, header_bytes included. */
bool io_npy_read_header(const char *name, const void *bytes, size_t available, io_npy *npy,
                        io_error *error);

/* "(3, 4)", as NumPy prints the shape; cut short if it is longer than fits. */
enum { IO_NPY_SHAPE_MAX = 64 };
const char *io_npy_shape(const io_npy *npy, char text[IO_NPY_SHAPE_MAX]);

/* Writes the header of an array of npy's type and shape, byte for byte what NumPy writes. Returns
 * its bytes, a multiple of 64, or 0 for BF16, which NumPy does not know. */
size_t io_npy_format(char out[IO_NPY_FORMAT_MAX], const io_npy *npy);
/* Writes the header of a one-dimensional array, byte for byte what NumPy writes. False for BF16,
 * which NumPy does not know. */
bool io_npy_write_header(char header[IO_NPY_WRITTEN_BYTES], upsweep_type type, size_t n);
/* The same of rows x columns elements, row by row; columns 0 is one row. */
bool io_npy_write_table(char header[IO_NPY_WRITTEN_BYTES], upsweep_type type, size_t rows,
                        size_t columns);

#endif
