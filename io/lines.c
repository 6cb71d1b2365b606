/* lines.c - counts line ends by whole blocks of bytes, which compilers turn into vector code. */
/* SPDX-License-Identifier: MIT */
#include "io/lines.h"

#include "io/parallel.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 20, BLOCK = 240 };

/* A block's matches fit a byte, so that the inner loop adds bytes. */
static size_t count_ends(const unsigned char *p, size_t size, unsigned char end)
{
    size_t count = 0;
    size_t i = 0;
    for (; i + BLOCK <= size; i += BLOCK) {
        uint8_t sums[16] = {0};
        for (size_t j = 0; j < BLOCK; j += 16) {
            for (size_t lane = 0; lane < 16; lane++) {
                sums[lane] = (uint8_t)(sums[lane] + (p[i + j + lane] == end));
            }
        }
        for (size_t lane = 0; lane < 16; lane++) {
            count += sums[lane];
        }
    }
    for (; i < size; i++) {
        count += p[i] == end;
    }
    return count;
}

/* A line begins behind every end but the last, and at 0. */
static void count_chunk(void *context, size_t chunk, unsigned lane)
{
    (void)lane;
    io_lines *l = context;
    size_t from = chunk * CHUNK, to = from + CHUNK < l->size ? from + CHUNK : l->size;
    from -= from > 0;
    l->first[chunk + 1] = count_ends(l->bytes + from, to - 1 - from, l->end) + (chunk == 0);
}

int io_lines_find(io_lines *lines, const unsigned char *bytes, size_t size, unsigned char end,
                  unsigned threads)
{
    *lines = (io_lines){.bytes = bytes, .size = size, .end = end};
    lines->chunks = size / CHUNK + (size % CHUNK != 0);
    lines->first = calloc(lines->chunks + 1, sizeof *lines->first);
    if (lines->first == NULL) {
        return -1;
    }
    io_parallel(threads, lines->chunks, count_chunk, lines);
    for (size_t c = 0; c < lines->chunks; c++) {
        lines->first[c + 1] += lines->first[c];
    }
    lines->count = lines->first[lines->chunks];
    return 0;
}

void io_lines_free(io_lines *lines)
{
    free(lines->first);
    *lines = (io_lines){0};
}

size_t io_lines_chunk(const io_lines *lines, size_t chunk, size_t *limit)
{
    size_t from = chunk * CHUNK, to = from + CHUNK < lines->size ? from + CHUNK : lines->size;
    *limit = to;
    if (from == 0 || lines->bytes[from - 1] == lines->end) {
        return from;
    }
    const unsigned char *p = memchr(lines->bytes + from, lines->end, to - from);
    return p == NULL ? to : (size_t)(p - lines->bytes) + 1;
}

size_t io_lines_number(const io_lines *lines, size_t at)
{
    size_t chunk = at / CHUNK;
    size_t from = chunk * CHUNK - (chunk > 0);
    return lines->first[chunk] - (chunk > 0) +
           count_ends(lines->bytes + from, at - from, lines->end);
}

size_t io_lines_number_from(const io_lines *lines, size_t at, size_t number, size_t to)
{
    return to - at < to % CHUNK ? number + count_ends(lines->bytes + at, to - at, lines->end)
                                : io_lines_number(lines, to);
}
