/* cells.c - takes a line of a table apart. */
/* SPDX-License-Identifier: MIT */
#include "io/cells.h"

#include <string.h>

const char *io_cell_pad(const char *p, const char *end, char delimiter)
{
    while (p < end && (*p == ' ' || (*p == '\t' && delimiter != '\t'))) {
        p++;
    }
    return p;
}

/* Where the text of a cell in quotes ends, whose first byte is p; `end` if no quote closes it. */
static const char *closing_quote(const char *p, const char *end)
{
    while (p < end && (*p != '"' || (p + 1 < end && p[1] == '"'))) {
        p += *p == '"' ? 2 : 1;
    }
    return p;
}

static void take_word(const char **p, const char *end, io_cell *cell, bool *more)
{
    const char *from = io_cell_pad(*p, end, 0), *q = from;
    while (q < end && *q != ' ' && *q != '\t') {
        q++;
    }
    *cell = (io_cell){.p = from, .length = (size_t)(q - from)};
    *p = io_cell_pad(q, end, 0);
    *more = *p < end;
}

void io_cell_take(const char **p, const char *end, char delimiter, io_cell *cell, bool *more)
{
    if (delimiter == 0) {
        take_word(p, end, cell, more);
        return;
    }
    const char *from = io_cell_pad(*p, end, delimiter), *q = from;
    *cell = (io_cell){.quoted = from < end && *from == '"'};
    if (cell->quoted) {
        cell->p = from + 1;
        q = closing_quote(cell->p, end);
        cell->length = (size_t)(q - cell->p);
        cell->open = q == end;
        q = io_cell_pad(q + !cell->open, end, delimiter);
        cell->trailing = q < end && *q != delimiter;
    }
    const char *stop = memchr(q, delimiter, (size_t)(end - q));
    *more = stop != NULL;
    stop = *more ? stop : end;
    *p = stop + *more;
    if (!cell->quoted) {
        while (stop > from && (stop[-1] == ' ' || (stop[-1] == '\t' && delimiter != '\t'))) {
            stop--;
        }
        cell->p = from;
        cell->length = (size_t)(stop - from);
    }
}

size_t io_cell_count(const char *p, const char *end, char delimiter, size_t *full)
{
    size_t count = 0;
    *full = 0;
    p = delimiter == 0 ? io_cell_pad(p, end, 0) : p;
    bool more = delimiter != 0 || p < end;
    while (more) {
        io_cell cell;
        io_cell_take(&p, end, delimiter, &cell, &more);
        count++;
        *full = cell.length > 0 || cell.quoted ? count : *full;
    }
    return count;
}

size_t io_cell_text(const io_cell *cell, char *to)
{
    size_t length = 0;
    if (!cell->quoted) {
        memmove(to, cell->p, to == cell->p ? 0 : cell->length);
        return cell->length;
    }
    for (size_t i = 0; i < cell->length; i++) {
        to[length++] = cell->p[i];
        i += cell->p[i] == '"';
    }
    return length;
}
