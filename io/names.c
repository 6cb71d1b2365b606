/* names.c - a hash table with open addresses: slots hold numbers, the words lie one behind the
 * other in one text, each followed by a zero byte. */
/* SPDX-License-Identifier: MIT */
#include "io/names.h"

#include "io/hash.h"

#include <stdlib.h>
#include <string.h>

struct io_names {
    char *text;
    size_t used, room;
    uint64_t *begin; /* of word number i in text; begin[count] is where the next one goes */
    size_t count, held;
    uint32_t *slots; /* numbers and 1; 0: free */
    size_t slot_count;
};

enum { FIRST_SLOTS = 1024, FIRST_WORDS = 512, FIRST_ROOM = 8192 };

io_names *io_names_new(void)
{
    io_names *n = calloc(1, sizeof *n);
    if (n == NULL) {
        return NULL;
    }
    n->slots = calloc(FIRST_SLOTS, sizeof *n->slots);
    n->begin = calloc(FIRST_WORDS + 1, sizeof *n->begin);
    n->text = malloc(FIRST_ROOM);
    n->slot_count = FIRST_SLOTS;
    n->held = FIRST_WORDS;
    n->room = FIRST_ROOM;
    if (n->slots == NULL || n->begin == NULL || n->text == NULL) {
        io_names_free(n);
        return NULL;
    }
    return n;
}

void io_names_free(io_names *names)
{
    if (names != NULL) {
        free(names->text);
        free(names->begin);
        free(names->slots);
        free(names);
    }
}

size_t io_names_count(const io_names *names)
{
    return names->count;
}

const char *io_names_word(const io_names *names, uint32_t number, size_t *length)
{
    uint64_t from = names->begin[number];
    if (length != NULL) {
        *length = (size_t)(names->begin[number + (size_t)1] - from - 1);
    }
    return names->text + from;
}

/* The slot of the word, or the free one where it would go. */
static size_t find_slot(const io_names *n, const char *word, size_t length)
{
    size_t mask = n->slot_count - 1, slot = (size_t)io_hash(word, length) & mask;
    for (; n->slots[slot] != 0; slot = (slot + 1) & mask) {
        size_t other;
        const char *text = io_names_word(n, n->slots[slot] - 1, &other);
        if (other == length && memcmp(text, word, length) == 0) {
            break;
        }
    }
    return slot;
}

bool io_names_find(const io_names *names, const char *word, size_t length, uint32_t *number)
{
    uint32_t found = names->slots[find_slot(names, word, length)];
    *number = found - 1;
    return found != 0;
}

static bool grow_slots(io_names *n)
{
    uint32_t *old = n->slots;
    size_t count = n->slot_count;
    uint32_t *slots = calloc(2 * count, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    n->slots = slots;
    n->slot_count = 2 * count;
    for (uint32_t i = 0; i < n->count; i++) {
        size_t length;
        const char *word = io_names_word(n, i, &length);
        n->slots[find_slot(n, word, length)] = i + 1;
    }
    free(old);
    return true;
}

static bool make_room(io_names *n, size_t length)
{
    if (n->used + length + 1 > n->room) {
        size_t room = 2 * n->room + length;
        char *text = realloc(n->text, room);
        if (text == NULL) {
            return false;
        }
        n->text = text;
        n->room = room;
    }
    if (n->count == n->held) {
        uint64_t *begin = realloc(n->begin, (2 * n->held + 1) * sizeof *begin);
        if (begin == NULL) {
            return false;
        }
        n->begin = begin;
        n->held *= 2;
    }
    return 2 * n->count < n->slot_count || grow_slots(n);
}

bool io_names_add(io_names *names, const char *word, size_t length, uint32_t *number)
{
    if (io_names_find(names, word, length, number)) {
        return true;
    }
    if (names->count >= UINT32_MAX - 1 || !make_room(names, length)) {
        return false;
    }
    *number = (uint32_t)names->count;
    names->slots[find_slot(names, word, length)] = *number + 1;
    memcpy(names->text + names->used, word, length);
    names->text[names->used + length] = '\0';
    names->used += length + 1;
    names->begin[++names->count] = names->used;
    return true;
}

const char *io_names_text(const io_names *names)
{
    return names->text;
}

size_t io_names_bytes(const io_names *names)
{
    return names->used;
}
