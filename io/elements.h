/* elements.h - the elements of raw files, of .npy files or of records, file after file, out of a
 * stream: what array.h takes whole is read piece by piece here, with the same sentences. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_ELEMENTS_H
#define IO_ELEMENTS_H

#include "io/array.h"
#include "io/stream.h"

typedef struct io_elements {
    io_stream *s;
    upsweep_type type;   /* of the elements; 0: records */
    size_t element;      /* bytes of an element, or of a record */
    io_format format;    /* IO_RAW or IO_NPY */
    io_npy npy;          /* of the first part; of raw elements, type and one axis */
    uint64_t bytes;      /* of elements, that have been given */
    unsigned char *head; /* the beginning of a part: its header, and what waits behind that */
    size_t at, held;     /* of head */
    size_t part;         /* number of the part that is read, from 1 */
    const char *name;    /* its name */
    uint64_t part_bytes; /* of its elements, read so far */
    uint64_t promised;   /* of .npy: bytes of its elements */
} io_elements;

/* Begins with the first part's header. s has `held` bytes of that part already given, which are in
 * head, with room for IO_NPY_HEADER_MAX; held is at most 16, and less only where the part is
 * shorter. type: of the elements, 0 where a .npy file decides; with record_bytes they are records
 * instead. */
bool io_elements_begin(io_elements *e, io_stream *s, upsweep_type type, size_t record_bytes,
                       unsigned char *head, size_t held, io_error *error);
/* Up to `room` bytes to `to`; *got = 0: there are no more. Elements may be cut. */
bool io_elements_read(io_elements *e, unsigned char *to, size_t room, size_t *got, io_error *error);
/* The same until `room` bytes are there, or the end. */
bool io_elements_fill(io_elements *e, unsigned char *to, size_t room, size_t *got, io_error *error);

#endif
