/* lines.h - where the lines of a text begin, found by several threads.
 *
 * The text is cut into chunks of equal size; a line belongs to the chunk in which it begins. The
 * ends of lines are counted chunk by chunk, so that each chunk knows the number of its first line
 * and all chunks can be worked on side by side. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_LINES_H
#define IO_LINES_H

#include <stddef.h>

typedef struct io_lines {
    const unsigned char *bytes;
    size_t size; /* the last byte is `end`, or size is 0 */
    unsigned char end;
    size_t count;
    size_t chunks;
    size_t *first; /* first[c]: number of the first line that begins in chunk c; first[chunks] */
} io_lines;

/* Returns 0, or -1 when there is no memory. */
int io_lines_find(io_lines *lines, const unsigned char *bytes, size_t size, unsigned char end,
                  unsigned threads);
void io_lines_free(io_lines *lines);

/* Offset of the first line of a chunk, or of the chunk's end when none begins in it; *limit gets
 * the chunk's end: lines at offsets below it are its own. */
size_t io_lines_chunk(const io_lines *lines, size_t chunk, size_t *limit);

/* The number, from 0, of the line that begins at offset `at`. */
size_t io_lines_number(const io_lines *lines, size_t at);
/* The same of offset `to`, where line `number` begins at `at` before it: no more bytes are looked
 * at than lie between them. */
size_t io_lines_number_from(const io_lines *lines, size_t at, size_t number, size_t to);

#endif
