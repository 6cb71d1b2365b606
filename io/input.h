/* input.h - files and standard input as one range of bytes in memory.
 *
 * The bytes are read, not mapped: a file that shrinks or fails while it is worked on is then an
 * error of a read, not a signal, and the input may be replaced by the output. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_INPUT_H
#define IO_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "io/error.h"
#include "io/file_kind.h"

/* Readable bytes behind the last one, so that text may be loaded by whole words. */
enum { IO_SLACK = 64 };

typedef struct io_part {
    const char *name; /* as given; "-" is standard input */
    size_t begin, end;
    io_file_kind kind; /* as source.h has found it; plain where nobody looked */
    bool packed;       /* it was compressed, and these are the bytes it unpacked to */
    dev_t device;      /* which file it is */
    ino_t inode;
} io_part;

typedef struct io_input {
    unsigned char *bytes;
    size_t size, held;
    io_part *parts; /* one for each name, in order */
    size_t part_count;
    size_t most; /* bytes that it may hold; 0: as many as there are */
    bool full;   /* it gave up since there are more; the last part is then as it came, from `begin`
                    to `size`, and goes on in the open file `left`, or ends there if that is -1 */
    int left;
} io_input;

/* Reading in steps, as io_source_read (source.h) does it for all files: an input with room for
 * `count` parts; one part more, "-" being standard input; `last` behind the last part, if that is
 * not empty and does not end with it. Behind in->size there is always room for a byte and IO_SLACK.
 * Each returns 0, or -1 after a failure; *in can be freed in both cases. */
int io_input_begin(io_input *in, size_t count, io_error *error);
int io_input_add(io_input *in, const char *name, unsigned threads, io_error *error);
void io_input_end(io_input *in, int last);
/* Gives back what was taken in advance and not used, and makes the slack zeros. */
void io_input_finish(io_input *in);
/* Room for `more` bytes behind in->size; errno is ENOMEM after a failure. */
int io_input_room(io_input *in, size_t more);
void io_input_free(io_input *in);
/* A file's name for sentences: "standard input" for "-". */
const char *io_input_name(const char *file);

/* The part that has byte `at`. in must have a part that is not empty. */
const io_part *io_input_part(const io_input *in, size_t at);

#endif
