/* cells.h - the cells of one line of a table, as RFC 4180 has them: parted by a delimiter; a cell
 * in quotes may hold delimiters, and a quote that is written twice is one of its text. A cell must
 * end on its line. Blanks around a cell are not part of it. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_CELLS_H
#define IO_CELLS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct io_cell {
    const char *p; /* behind the opening quote, if there is one; a quote inside is still twice */
    size_t length;
    bool quoted;
    bool open;     /* its closing quote is not on the line */
    bool trailing; /* something stands between its closing quote and the delimiter */
} io_cell;

/* Takes the cell at *p, which a line feed or `end` follows sooner or later, and moves *p behind its
 * delimiter, or to `end` with *more set to false. Delimiter 0: words, parted by any number of
 * blanks; without quotes, and there must be one at *p. */
void io_cell_take(const char **p, const char *end, char delimiter, io_cell *cell, bool *more);

/* How many cells the line has, and how many without the empty ones at its end. */
size_t io_cell_count(const char *p, const char *end, char delimiter, size_t *full);

/* Moves p over the blanks that may stand beside a cell. */
const char *io_cell_pad(const char *p, const char *end, char delimiter);

/* The text of a cell, quotes that are written twice once; `to` has room for its length, and may be
 * where it lies. Returns how long the text is. */
size_t io_cell_text(const io_cell *cell, char *to);

#endif
