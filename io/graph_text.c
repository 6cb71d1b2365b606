/* graph_text.c - the few lines at the front of a graph's text: word by word, by one thread. */
/* SPDX-License-Identifier: MIT */
#include "io/graph_formats.h"

void io_text_begin(io_text_line *line, const io_input *in)
{
    *line = (io_text_line){.next = (const char *)in->bytes};
}

bool io_text_next(io_text_line *line, const io_input *in)
{
    const char *stop = (const char *)in->bytes + in->size;
    if (line->next == stop) {
        return false;
    }
    const char *newline = memchr(line->next, '\n', (size_t)(stop - line->next));
    line->p = line->next;
    line->end = newline; /* io_unpack has put one at the end of the text */
    line->next = newline + 1;
    line->end -= line->end > line->p && line->end[-1] == '\r';
    line->number++;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

size_t io_text_word(io_text_line *line, const char **word)
{
    while (line->p < line->end && is_blank(*line->p)) {
        line->p++;
    }
    *word = line->p;
    while (line->p < line->end && !is_blank(*line->p)) {
        line->p++;
    }
    return (size_t)(line->p - *word);
}

bool io_text_count(const char *word, size_t length, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned digit = (unsigned char)word[i] - (unsigned)'0';
        if (digit > 9 || __builtin_mul_overflow(*value, 10u, value) ||
            __builtin_add_overflow(*value, digit, value)) {
            return false;
        }
    }
    return length > 0;
}
