/* stream.h - files and standard input as one stream of bytes, in little memory: what input.h holds
 * whole is read piece by piece here. Compressed files are unpacked on the way. A stream goes on
 * where an io_input gave up that was to hold no more than so many bytes (input.h, `most`). */
/* SPDX-License-Identifier: MIT */
#ifndef IO_STREAM_H
#define IO_STREAM_H

#include <stdint.h>

#include "io/source.h"

typedef struct io_unpacker io_unpacker;

/* A long line: where in the stream it begins, and its number in its part. */
typedef struct io_long_line {
    uint64_t at, line;
} io_long_line;

typedef struct io_stream {
    const char *const *names; /* of the files behind those of `begun` */
    size_t count, next;
    const io_reading *how;
    io_input *begun;        /* bytes and files that have been read, or NULL */
    size_t begun_at, given; /* of its bytes: read here; given back to the system */
    /* the part that is read */
    const char *name;
    int fd, ahead;      /* ahead: of the first file, opened before it is read; -1 */
    size_t memory_end;  /* bytes of begun before this belong to the part */
    unsigned char *raw; /* bytes of the file that wait */
    size_t raw_at, raw_size, raw_room;
    bool open, ended, looked;
    io_file_kind kind; /* of the part: plain or one of how->takes; known once it has given bytes */
    bool arrays;       /* the first part is a .npy array, as all must be then */
    io_unpacker *unpacker; /* NULL: the bytes are plain */
    int64_t size;          /* that the file had when it was opened; -1: none is known */
    uint64_t from;         /* where in it reading began */
    uint64_t part_read;    /* bytes of it, as they are in the file */
    unsigned char last;
    bool any;         /* the part has given bytes */
    uint64_t *begins; /* where in the stream each part begins */
    size_t parts;
    uint64_t at; /* bytes that the stream has given */
    /* Of parts that cannot be read again: lines before the last one, and where that begins; lines
     * that end in the window that is read; the last long lines. */
    bool counts;
    uint64_t lines, line_begin;
    size_t window_lines, long_count;
    io_long_line *long_lines;
} io_stream;

/* Begins a stream of begun (may be NULL), which keeps its bytes until io_input_free, and of the
 * files of names, count of them ("-": standard input), that begun has not opened. Returns false
 * after a failure; *s can be closed in any case. */
bool io_stream_open(io_stream *s, io_input *begun, const char *const *names, size_t count,
                    const io_reading *how, io_error *error);
/* Opens the first file, of which nothing is read: whoever writes to a pipe may wait for that. */
bool io_stream_ahead(io_stream *s, io_error *error);
/* Up to `room` bytes of one part to `to`; *got = 0: there are no more. Of a part's first bytes at
 * least 16 must have room. how->last stands behind each plain part that lacks it. .npy arrays and
 * others are not taken together. */
bool io_stream_read(io_stream *s, unsigned char *to, size_t room, size_t *got, io_error *error);
/* The part that has byte `at` of the stream, and where it begins; call while it is open. */
const char *io_stream_part(const io_stream *s, uint64_t at, uint64_t *begin);
/* The number in its part of the line that begins at byte `at`; known, and not 0, of the last lines
 * of 128 KB and more of parts that are no files with a name, if how->last ends lines. */
uint64_t io_stream_line(const io_stream *s, uint64_t at);
/* The descriptor of the file that the last `back` bytes were read from, as they are, and where in
 * it they begin; -1: of no regular file, or of several. Until the next call of io_stream_read. */
int io_stream_place(const io_stream *s, uint64_t back, uint64_t *at);
void io_stream_close(io_stream *s);

/* packed_stream.c: unpacks from s->raw; kind is gzip or zstd. Memory for windows of up to `most`
 * bytes. */
io_unpacker *io_unpacker_new(io_file_kind kind, const char *name, size_t most, io_error *error);
void io_unpacker_free(io_unpacker *u);
/* Takes bytes of `from`, of *from_bytes, which becomes how many it has taken, and gives up to room,
 * *got of them. ended: there are none behind `from`. *done: the text is complete. */
bool io_unpacker_step(io_unpacker *u, const unsigned char *from, size_t *from_bytes, bool ended,
                      unsigned char *to, size_t room, size_t *got, bool *done, io_error *error);

#endif
