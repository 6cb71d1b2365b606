/* keys.c - numbers and records as words. */
/* SPDX-License-Identifier: MIT */
#include "ranks/keys.h"

bool usw_number_keys(usw_call *c, usw_keys *keys, upsweep_type type, const upsweep_options *o)
{
    memset(keys, 0, sizeof *keys);
    keys->bytes = upsweep_type_bytes(type);
    keys->words = 1;
    if (keys->bytes == 0) {
        return usw_wrong(c, UPSWEEP_ERROR_ARGUMENT, "%d is no type", (int)type);
    }
    unsigned bits = (unsigned)keys->bytes * 8;
    keys->map = usw_keymap_of(type, o->flags);
    keys->mask = UINT64_MAX;
    if (o->bit_begin != 0 || o->bit_end != 0) {
        if (o->bit_begin >= o->bit_end || o->bit_end > bits) {
            return usw_wrong(c, UPSWEEP_ERROR_ARGUMENT, "bits [%u, %u) are no range of %u bits",
                             o->bit_begin, o->bit_end, bits);
        }
        keys->shift = o->bit_begin;
        keys->mask = UINT64_MAX >> (64 - (o->bit_end - o->bit_begin));
    }
    return true;
}

static bool take_part(usw_call *c, usw_key_part *p, const upsweep_field *f, size_t record_bytes,
                      unsigned flags)
{
    enum { NAN_FLAGS = UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW };
    size_t bytes = f->bytes > 0 ? f->bytes : upsweep_type_bytes(f->type);
    if (bytes == 0 || f->offset > record_bytes || bytes > record_bytes - f->offset ||
        (f->flags & ~(unsigned)(UPSWEEP_DESCENDING | NAN_FLAGS)) != 0) {
        return usw_wrong(c, UPSWEEP_ERROR_ARGUMENT, "a field is not within the record, or is none");
    }
    unsigned own = (f->flags | (flags & NAN_FLAGS)) ^ (flags & UPSWEEP_DESCENDING);
    *p = (usw_key_part){.offset = f->offset, .bytes = bytes, .text = f->bytes > 0};
    p->descending = (own & UPSWEEP_DESCENDING) != 0;
    if (!p->text) {
        p->map = usw_keymap_of(f->type, own);
    }
    return true;
}

bool usw_record_keys_of(usw_call *c, usw_keys *keys, size_t record_bytes,
                        const upsweep_field *fields, size_t count, const upsweep_options *o)
{
    memset(keys, 0, sizeof *keys);
    keys->bytes = record_bytes;
    keys->words = 1;
    if (record_bytes == 0 || fields == NULL || count == 0) {
        return usw_wrong(c, UPSWEEP_ERROR_ARGUMENT, "records need bytes and at least one field");
    }
    usw_key_part *parts = usw_take(c, count, sizeof *parts);
    size_t key_bytes = 0;
    for (size_t i = 0; i < count && parts != NULL; i++) {
        if (!take_part(c, &parts[i], &fields[i], record_bytes, o->flags)) {
            return false;
        }
        key_bytes += parts[i].bytes;
    }
    keys->parts = parts;
    keys->part_count = count;
    keys->words = (unsigned)((key_bytes + 7) / 8);
    if (key_bytes > 1 << 16) {
        return usw_wrong(c, UPSWEEP_ERROR_UNSUPPORTED, "fields of %zu bytes; at most 65536 in all",
                         key_bytes);
    }
    return parts != NULL;
}

/* Puts the `bytes` lowest bytes of value behind the `at` bytes that words has already. */
static void append(uint64_t *words, size_t at, size_t bytes, uint64_t value)
{
    size_t free_bytes = 8 - at % 8;
    if (bytes <= free_bytes) {
        words[at / 8] |= value << (8 * (free_bytes - bytes));
    } else {
        words[at / 8] |= value >> (8 * (bytes - free_bytes));
        words[at / 8 + 1] |= value << (8 * (8 - (bytes - free_bytes)));
    }
}

static void load_record(const usw_keys *keys, const unsigned char *record, uint64_t *words)
{
    memset(words, 0, keys->words * sizeof *words);
    size_t at = 0;
    for (size_t i = 0; i < keys->part_count; i++) {
        const usw_key_part *p = &keys->parts[i];
        const unsigned char *from = record + p->offset;
        if (!p->text) {
            append(words, at, p->bytes, usw_map_key(&p->map, usw_load_raw(from, p->bytes)));
            at += p->bytes;
            continue;
        }
        for (size_t done = 0, step; done < p->bytes; done += step, at += step) {
            uint64_t value = 0;
            step = usw_min(p->bytes - done, 8);
            for (size_t b = 0; b < step; b++) {
                value = value << 8 | from[done + b];
            }
            append(words, at, step, p->descending ? ~value & UINT64_MAX >> (64 - 8 * step) : value);
        }
    }
}

/* One loop for each width, so that each is a plain one. */
#define LOAD(width)                                                                                \
    for (size_t i = 0; i < count; i++) {                                                           \
        uint64_t key = usw_map_key(&map, usw_load_raw(from + i * (width), width));                 \
        words[i] = key >> shift & mask;                                                            \
    }

void usw_load_keys(const usw_keys *keys, const void *data, size_t begin, size_t count,
                   uint64_t *words)
{
    const unsigned char *from = (const unsigned char *)data + begin * keys->bytes;
    if (keys->parts != NULL) {
        for (size_t i = 0; i < count; i++) {
            load_record(keys, from + i * keys->bytes, words + i * keys->words);
        }
        return;
    }
    const usw_keymap map = keys->map;
    const unsigned shift = keys->shift;
    const uint64_t mask = keys->mask;
    switch (keys->bytes) {
    case 1: LOAD(1); break;
    case 2: LOAD(2); break;
    case 4: LOAD(4); break;
    default: LOAD(8); break;
    }
}

bool usw_sort_words(usw_call *c, uint64_t *words, size_t n, unsigned width)
{
    if (width == 1) {
        return usw_done(c, upsweep_sort(c->u, words, n, UPSWEEP_U64, NULL)) &&
               usw_done(c, upsweep_wait(c->u));
    }
    upsweep_field *fields = usw_take_zeros(c, width, sizeof *fields);
    if (fields == NULL) {
        return false;
    }
    for (unsigned w = 0; w < width; w++) {
        fields[w] = (upsweep_field){.offset = 8 * (size_t)w, .type = UPSWEEP_U64};
    }
    bool good =
        usw_done(c, upsweep_sort_records(c->u, words, n, 8 * (size_t)width, fields, width, NULL)) &&
        usw_done(c, upsweep_wait(c->u));
    usw_give(c, fields);
    return good;
}
