/* sort_merging.h - sort -m beyond memory.
 *
 * A few inputs are open at once, and each has a buffer that holds at least its next line. The least
 * of these lines is written, and its input goes on to the next one. So inputs that are not sorted
 * come out as from GNU sort: a line that is less than the one before it in its input follows that
 * one at once, whatever else there is.
 *
 * Where there are more inputs than may be open, neighbours are merged to temporaries first. That
 * changes no byte: in what a merge writes each line comes by the greatest one that its input had
 * until then, of equal ones by the number of the input, so merging parts of it before is as sorting
 * parts before a stable merge. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_APP_SORT_SORT_MERGING_H
#define USW_APP_SORT_SORT_MERGING_H

#include "app/sort/sort_external.h"
#include "app/sort/sort_tournament.h"

/* What is to be merged: a file, or bytes of a temporary one. */
typedef struct merge_input {
    const char *name; /* NULL: what was merged before */
    bool aside;       /* its lines lie in a temporary file, */
    unsigned file;    /* number of that, */
    uint64_t at, end; /* and bytes of it that have not been read */
} merge_input;

/* An input that is open. */
typedef struct merge_reader {
    merge_input *input;
    io_stream stream;    /* of a file */
    bool streams, ended; /* stream is open; there are no more bytes */
    uint64_t freed;      /* of a temporary: bytes before are given back */
    unsigned char *buffer;
    size_t room, at, held; /* of the buffer: bytes, which the next line begins at, and are there */
    uint64_t lines;        /* that have been heads */
} merge_reader;

/* Temporary files, one for each directory, which hold one temporary behind the other. */
typedef struct merge_file {
    bool made;
    int fd;
    uint64_t size;
} merge_file;

typedef struct merging {
    sort_job *job;
    io_output *out;
    io_reading how;
    merge_input *inputs;
    size_t count, most; /* inputs; that may be open */
    merge_reader *readers;
    sort_tournament t;
    size_t base, spare;   /* bytes of a reader's buffer at first; that buffers may grow by */
    unsigned char *block; /* what is written next */
    size_t block_room, block_held;
    bool last; /* the block goes to the output, else to temporary number `to`, to_at of it */
    unsigned to;
    uint64_t to_at;
    unsigned char *saved; /* -u: the line that was written last, */
    size_t saved_room, saved_bytes;
    uint64_t saved_key;
    bool saved_any;
    const char *const *directories; /* NULL: not asked yet */
    const char *one_directory;
    size_t directory_count;
    merge_file *files;
    unsigned turn;
    uint64_t all, read;      /* bytes of the files; that have come to the last merge */
    uint64_t lines, written; /* that came in, and out */
    uint64_t temporary;      /* bytes of temporaries, all together */
    size_t before;           /* inputs that were merged to temporaries */
} merging;

/* sort_merging_input.c: opens an input; and, when all are open, reads its first bytes. */
int merge_open(merging *m, merge_reader *r, merge_input *input);
int merge_begin(merging *m, merge_reader *r);
/* Its next line becomes *head, which lasts until the next call. */
int merge_next(merging *m, merge_reader *r, sort_head *head);
/* Says that a line of it has no room. */
int merge_fail_long(const merging *m, const merge_reader *r, uint64_t line);
void merge_close(merging *m, merge_reader *r);
/* Begins a temporary in the next directory, m->to and m->to_at; its bytes are written there. */
int merge_begin_temporary(merging *m);
int merge_write_temporary(merging *m, const unsigned char *from, size_t bytes);

#endif
