/* source.h - the one way in which files and standard input are read: bytes (input.h), and then what
 * the first of them say (file_kind.h). Compressed files are unpacked in memory. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_SOURCE_H
#define IO_SOURCE_H

#include "io/input.h"
#include "io/progress.h"

typedef struct io_reading {
    unsigned takes; /* kinds besides plain bytes that the caller knows: 1u << IO_KIND_... */
    bool as_is;     /* all bytes are plain, whatever they look like; nothing is unpacked */
    int last;       /* plain parts end with this byte, which is added; -1: nothing is */
    unsigned threads;
    const char *otherwise; /* what else a person can do about a kind that is refused, or NULL */
    io_progress *progress; /* of unpacking, or NULL */
    size_t most;           /* bytes that the input may hold; 0: as many as there are */
    size_t window;         /* of stream.h: memory for unpacking; 0: 128 MB */
    size_t raw;            /* of stream.h: bytes of a part that may wait; 0: 128 KB */
    /* Of stream.h: a file that is written without compression, so that no compressed part of the
     * input may be that; NULL: none. */
    const char *plain_output;
} io_reading;

/* Reads all of names, one after the other; "-" is standard input, and count = 0 means just that.
 * Each part has its kind afterwards, which is plain or one of how->takes. Others are refused in a
 * sentence. Where there are more bytes than how->most it fails with in->full set. *in can be freed
 * in any case. */
bool io_source_read(io_input *in, const char *const *names, size_t count, const io_reading *how,
                    io_error *error);

/* A mark of UTF-8 at the front of a part, which must be text, becomes blanks; false after the
 * sentence if the mark is one of UTF-16 or UTF-32. */
bool io_source_take_marks(io_input *in, io_error *error);

/* Whether the part was unpacked, and is the file that `name` opens: if that is written to, the
 * compressed file is lost. name may be NULL. */
bool io_source_is_packed(const io_part *part, const char *name);

#endif
