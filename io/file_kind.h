/* file_kind.h - what a file is, told by its first bytes: the one place where that is decided, for
 * files, pipes and every operand of every verb.
 *
 * Names are never asked. A reader looks at the bytes that it has read and is going to use, so that
 * looking cannot fail apart from reading, cannot see another file than the one that is used, and
 * works on what cannot be read twice. Where bytes are not to be looked at (text that happens to
 * begin like an archive), a reader's `as_is` says so. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_FILE_KIND_H
#define IO_FILE_KIND_H

#include <stddef.h>

#include "io/why.h"

typedef enum io_file_kind {
    IO_KIND_PLAIN = 0, /* text, or raw elements: nothing that has a mark of its own */
    IO_KIND_NPY,       /* NumPy's array */
    IO_KIND_ZIP,       /* an archive: .npz among others */
    IO_KIND_GZIP,
    IO_KIND_ZSTD,
    IO_KIND_XZ,
    IO_KIND_BZIP2,
    IO_KIND_USG /* upsweep's graph */
} io_file_kind;

/* The kind of a file that begins with these bytes; 10 are enough. */
io_file_kind io_file_kind_of(const void *bytes, size_t size);

/* The marks of the kinds that we write ourselves. */
#define IO_NPY_MARK                                                                                \
    {                                                                                              \
        0x93, 'N', 'U', 'M', 'P', 'Y'                                                              \
    }
#define IO_USG_MARK                                                                                \
    {                                                                                              \
        0x89, 'U', 'S', 'G', '\r', '\n', 0x1a, '\n'                                                \
    }

/* "a .npy array", for sentences. */
const char *io_file_kind_name(io_file_kind kind);

/* Says that `name` is of a kind that is not taken, and what to do about it. otherwise: what else
 * there is ("--from text takes ..."), or NULL. Returns false. */
bool io_file_kind_refuse(const char *name, io_file_kind kind, const char *otherwise,
                         io_error *error);

#endif
