/* printer.c - a buffer in front of io_output. */
/* SPDX-License-Identifier: MIT */
#include "io/printer.h"

#include "io/numbers.h"

#include <stdarg.h>
#include <stdlib.h>

io_printer *io_printer_new(io_output *out, io_error *error)
{
    io_printer *p = malloc(sizeof *p);
    if (p != NULL) {
        p->out = out;
        p->error = error;
        p->failed = false;
        p->used = 0;
    }
    return p;
}

static void flush(io_printer *p)
{
    p->failed = p->failed || io_output_write(p->out, p->text, p->used, p->error) != 0;
    p->used = 0;
}

void io_put(io_printer *p, const char *bytes, size_t size)
{
    while (size > 0) {
        size_t room = sizeof p->text - p->used, part = size < room ? size : room;
        memcpy(p->text + p->used, bytes, part);
        p->used += part;
        bytes += part;
        size -= part;
        if (p->used == sizeof p->text) {
            flush(p);
        }
    }
}

void io_put_text(io_printer *p, const char *text)
{
    io_put(p, text, strlen(text));
}

void io_put_format(io_printer *p, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    io_put(p, text, length < (int)sizeof text ? (size_t)length : sizeof text - 1);
}

char *io_count_digits(char *p, uint64_t value)
{
    char digits[20];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    while (count > 0) {
        *p++ = digits[--count];
    }
    return p;
}

void io_put_count(io_printer *p, uint64_t value)
{
    char digits[20];
    io_put(p, digits, (size_t)(io_count_digits(digits, value) - digits));
}

void io_put_number(io_printer *p, upsweep_type type, const void *element)
{
    char text[IO_NUMBER_MAX];
    io_put(p, text, io_number_print(text, type, element));
}

bool io_cell_quoted(const char *word, size_t length, char delimiter)
{
    static const char ends[] = " \t\r"; /* which a reader takes for no part of the cell */
    if (length == 0 || *word == '#' || *word == '%' || strchr(ends, *word) != NULL ||
        strchr(ends, word[length - 1]) != NULL) {
        return true;
    }
    for (size_t i = 0; i < length; i++) {
        if (word[i] == delimiter || word[i] == '"' || word[i] == '\n' || word[i] == '\r') {
            return true;
        }
    }
    return false;
}

void io_put_cell(io_printer *p, const char *word, size_t length, char delimiter)
{
    if (!io_cell_quoted(word, length, delimiter)) {
        io_put(p, word, length);
        return;
    }
    io_put(p, "\"", 1);
    for (size_t i = 0; i < length; i++) {
        io_put(p, word + i, 1);
        io_put(p, "\"", word[i] == '"');
    }
    io_put(p, "\"", 1);
}

/* How many bytes the character at p has in UTF-8, or 0 if it is none. */
static size_t utf8_bytes(const char *p, size_t length)
{
    const unsigned char *u = (const unsigned char *)p;
    size_t bytes = u[0] < 0x80 ? 1 : u[0] < 0xc2 ? 0 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
    if (bytes == 0 || u[0] > 0xf4 || bytes > length) {
        return 0;
    }
    for (size_t i = 1; i < bytes; i++) {
        if (u[i] >> 6 != 2) {
            return 0;
        }
    }
    bool bad = (u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xed && u[1] > 0x9f) ||
               (u[0] == 0xf0 && u[1] < 0x90) || (u[0] == 0xf4 && u[1] > 0x8f);
    return bad ? 0 : bytes;
}

void io_put_json(io_printer *p, const char *word, size_t length)
{
    io_put(p, "\"", 1);
    for (size_t i = 0, bytes; i < length; i += bytes == 0 ? 1 : bytes) {
        unsigned char c = (unsigned char)word[i];
        bytes = utf8_bytes(word + i, length - i);
        if (bytes == 0) {
            io_put_text(p, "\\ufffd");
        } else if (c == '"' || c == '\\') {
            io_put_format(p, "\\%c", c);
        } else if (c < 0x20) {
            io_put_format(p, "\\u%04x", c);
        } else {
            io_put(p, word + i, bytes);
        }
    }
    io_put(p, "\"", 1);
}

bool io_put_end(io_printer *p)
{
    flush(p);
    return !p->failed;
}
