/* names.h - words as vertices: a table from word to number and back. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_NAMES_H
#define IO_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/graph_file.h"

io_names *io_names_new(void);
void io_names_free(io_names *names);
size_t io_names_count(const io_names *names);

/* The number of a word, which gets the next one if it is new. False when there is no memory, or no
 * number left. */
bool io_names_add(io_names *names, const char *word, size_t length, uint32_t *number);
bool io_names_find(const io_names *names, const char *word, size_t length, uint32_t *number);
/* The word of a number; it is followed by a zero byte. */
const char *io_names_word(const io_names *names, uint32_t number, size_t *length);
/* All words, each followed by a zero byte, and how many bytes they are. */
const char *io_names_text(const io_names *names);
size_t io_names_bytes(const io_names *names);

#endif
