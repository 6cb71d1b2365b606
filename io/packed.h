/* packed.h - gzip and zstd, whatever the file is called.
 *
 * Both are done by the libraries that own the format, zlib and libzstd; a program that was built
 * without one says so when it meets such a file. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_PACKED_H
#define IO_PACKED_H

#include "io/input.h"
#include "io/progress.h"
#include "io/why.h"

/* Puts what the last part of in unpacks to in its place; kind is IO_KIND_GZIP or IO_KIND_ZSTD.
 * Several streams one after the other unpack to one text, as gunzip and unzstd have it; a stream
 * that ends early, has bytes behind it that are no stream, or fails its checksum is refused. in can
 * be freed in any case. Called by io_source_read. */
bool io_unpack(io_input *in, io_file_kind kind, io_progress *progress, io_error *error);
/* Adds the byte `last` to a text that lacks it. */
void io_text_close(io_input *in, int last);

/* "gzip, zstd": what this program can unpack. */
const char *io_unpack_knows(void);

#endif
