/* record_keys.h - the key fields of a record as one string of bytes in the order asked for. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_RECORD_KEYS_H
#define USW_RECORD_KEYS_H

#include "core/keymap.h"

enum { USW_CHUNK_BYTES = 8, USW_FIELDS_INLINE = 16 };

typedef struct usw_record_field {
    size_t offset, bytes; /* in the record */
    size_t at;            /* its first byte in the normalised key */
    bool text;
    bool descending; /* of text; the map knows it for numbers */
    usw_keymap map;
} usw_record_field;

/* A normalised key is the concatenation of all fields, each as the big-endian bytes of its mapped
 * number, or as its text (inverted if descending): keys compare as by memcmp. It is never stored,
 * but read in chunks of 8 bytes. */
typedef struct usw_record_keys {
    const usw_record_field *fields;
    size_t field_count, record_bytes;
    size_t key_bytes;
} usw_record_keys;

/* What one field adds to one chunk. */
typedef struct usw_key_field {
    size_t offset;
    unsigned bytes;       /* to be loaded */
    unsigned drop, shift; /* low bits left out of what was loaded; how far up the others go */
    uint64_t mask, flip;
    bool text, wide; /* wide: 8 bytes may be loaded */
    usw_keymap map;
} usw_key_field;

typedef struct usw_key_plan {
    unsigned count;
    usw_key_field parts[USW_CHUNK_BYTES];
} usw_key_plan;

/* The bytes [begin, end) of the field, counted from its most important one, go into the chunk so
 * that `below` bytes of the chunk follow them. */
static inline usw_key_field usw_plan_part(const usw_record_keys *keys, const usw_record_field *f,
                                          size_t begin, size_t end, size_t below)
{
    usw_key_field p;
    memset(&p, 0, sizeof p);
    p.offset = f->offset;
    p.bytes = (unsigned)f->bytes;
    p.text = f->text;
    p.mask = UINT64_MAX >> (64 - 8 * (end - begin));
    p.shift = (unsigned)(8 * below);
    if (f->text) {
        p.offset += begin;
        p.bytes = (unsigned)(end - begin);
        p.wide = keys->record_bytes - p.offset >= 8;
        p.flip = f->descending ? UINT64_MAX : 0;
    } else {
        p.map = f->map;
        p.drop = (unsigned)(8 * (f->bytes - end));
    }
    return p;
}

/* Which bytes of which fields make up a chunk of a record's normalised key. */
static inline usw_key_plan usw_plan_chunk(const usw_record_keys *keys, size_t chunk)
{
    usw_key_plan plan;
    memset(&plan, 0, sizeof plan);
    size_t from = chunk * USW_CHUNK_BYTES, to = usw_min(from + USW_CHUNK_BYTES, keys->key_bytes);
    for (size_t i = 0; i < keys->field_count; i++) {
        const usw_record_field *f = &keys->fields[i];
        size_t first = usw_max(from, f->at), last = usw_min(to, f->at + f->bytes);
        if (first < last) {
            plan.parts[plan.count++] =
                usw_plan_part(keys, f, first - f->at, last - f->at, from + USW_CHUNK_BYTES - last);
        }
    }
    return plan;
}

/* A upsweep_compare; context is a usw_record_keys. */
int usw_compare_records(const void *a, const void *b, void *context);

static inline uint64_t usw_load_text(const unsigned char *at, unsigned bytes, bool wide)
{
    uint64_t text = 0;
    if (wide) {
        for (unsigned i = 0; i < 8; i++) { /* compilers make this one load and one byte swap */
            text = text << 8 | at[i];
        }
        return text >> (8 * (8 - bytes));
    }
    for (unsigned i = 0; i < bytes; i++) {
        text = text << 8 | at[i];
    }
    return text;
}

/* The chunk of one record's key, its first byte on top, filled up with zeros. */
static inline uint64_t usw_key_chunk(const usw_key_plan *plan, const unsigned char *record)
{
    uint64_t key = 0;
    for (unsigned i = 0; i < plan->count; i++) {
        const usw_key_field *p = &plan->parts[i];
        uint64_t value = p->text ? usw_load_text(record + p->offset, p->bytes, p->wide) ^ p->flip
                                 : usw_map_key(&p->map, usw_load_raw(record + p->offset, p->bytes));
        key |= ((value >> p->drop) & p->mask) << p->shift;
    }
    return key;
}

#endif
