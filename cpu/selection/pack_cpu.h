/* pack_cpu.h - packs keys and their payloads into records, unpacks records, and gathers elements by
 * the positions in sorted records.
 *
 * A sort of key and position as one integer is a stable argsort, which never looks a key up through
 * an index. Each loop is written once; sizes are handed down as constants, so that the compiler
 * makes one loop for each size. */
/* SPDX-License-Identifier: MIT */
#include "cpu/body.h"
#include "cpu/cpu.h"

#define ALWAYS static inline __attribute__((always_inline))

ALWAYS uint64_t load(const void *array, size_t i, size_t bytes)
{
    return usw_load_raw((const char *)array + i * bytes, bytes);
}

ALWAYS void store(void *array, size_t i, size_t bytes, uint64_t x)
{
    usw_store_raw((char *)array + i * bytes, bytes, x);
}

ALWAYS uint64_t payload(const void *records, size_t record_bytes, size_t i)
{
    if (record_bytes == 8) {
        return (uint32_t)((const uint64_t *)records)[i];
    }
    return (uint64_t)((const usw_u128 *)records)[i];
}

/* ---- pack ---- */

ALWAYS void pack_loop(const usw_pairs *p, size_t begin, size_t end, size_t key_bytes,
                      size_t value_bytes, size_t record_bytes)
{
    usw_keymap map = p->map;
    map.bits = (unsigned)key_bytes * 8;
    unsigned shift = p->bit_begin;
    uint64_t mask = UINT64_MAX >> (64 - (p->bit_end - p->bit_begin));
    const void *keys = p->keys, *values = p->values;
    for (size_t i = begin; i < end; i++) {
        uint64_t key = (usw_map_key(&map, load(keys, i, key_bytes)) >> shift) & mask;
        uint64_t low = value_bytes == 0 ? i : load(values, i, value_bytes);
        if (record_bytes == 8) {
            ((uint64_t *)p->records)[i] = key << 32 | (uint32_t)low;
        } else {
            ((usw_u128 *)p->records)[i] = (usw_u128)key << 64 | low;
        }
    }
}

ALWAYS void pack_values(const usw_pairs *p, size_t begin, size_t end, size_t key_bytes,
                        size_t record_bytes)
{
    switch (p->values == NULL ? 0 : p->value_bytes) {
    case 0: pack_loop(p, begin, end, key_bytes, 0, record_bytes); break;
    case 1: pack_loop(p, begin, end, key_bytes, 1, record_bytes); break;
    case 2: pack_loop(p, begin, end, key_bytes, 2, record_bytes); break;
    case 4: pack_loop(p, begin, end, key_bytes, 4, record_bytes); break;
    default: pack_loop(p, begin, end, key_bytes, 8, record_bytes); break;
    }
}

static void pack(const usw_pairs *p, size_t begin, size_t end)
{
    USW_ROUTE_OF("pack", USW_NO_TYPES);
    if (p->record_bytes == 8) {
        switch (p->key_bytes) {
        case 1: pack_values(p, begin, end, 1, 8); break;
        case 2: pack_values(p, begin, end, 2, 8); break;
        default: pack_values(p, begin, end, 4, 8); break;
        }
    } else if (p->key_bytes == 8) {
        pack_values(p, begin, end, 8, 16);
    } else {
        pack_values(p, begin, end, p->key_bytes, 16);
    }
}

/* ---- pack keys that lie close together ---- */

ALWAYS void pack_close_loop(const usw_close_keys *c, const char *keys, size_t n, uint64_t position,
                            uint64_t *words, size_t key_bytes)
{
    usw_keymap map = c->order.map;
    map.bits = (unsigned)key_bytes * 8;
    uint64_t all = UINT64_MAX >> (64 - map.bits), low = c->low;
    unsigned left = c->order.left, right = c->order.right, drop = c->drop, place = c->place_bits;
    for (size_t i = 0; i < n; i++) {
        uint64_t key = ((usw_map_key(&map, load(keys, i, key_bytes)) << left) & all) >> right;
        words[i] = (key - low) >> drop << place | (position + i);
    }
}

static void pack_close(const usw_close_keys *c, const void *keys, size_t n, uint64_t position,
                       uint64_t *words)
{
    if (c->order.map.bits == 32) {
        USW_ROUTE_OF("pack close keys of 32 bits", USW_TYPES_OF_32_BITS);
        pack_close_loop(c, keys, n, position, words, 4);
    } else {
        USW_ROUTE_OF("pack close keys of 64 bits", USW_TYPES_OF_64_BITS);
        pack_close_loop(c, keys, n, position, words, 8);
    }
}

ALWAYS void unpack_close_loop(const usw_close_keys *c, const uint64_t *words, size_t n, void *keys,
                              size_t key_bytes)
{
    usw_keymap map = c->order.map;
    map.bits = (unsigned)key_bytes * 8;
    uint64_t low = c->low;
    unsigned place = c->place_bits;
    for (size_t i = 0; i < n; i++) {
        store(keys, i, key_bytes, usw_unmap_key(&map, low + (words[i] >> place)));
    }
}

static void unpack_close(const usw_close_keys *c, const uint64_t *restrict words, size_t n,
                         void *restrict keys)
{
    USW_ROUTE_OF("unpack close keys", USW_NO_TYPES);
    if (c->order.map.bits == 32) {
        unpack_close_loop(c, words, n, keys, 4);
    } else {
        unpack_close_loop(c, words, n, keys, 8);
    }
}

/* ---- unpack ---- */

ALWAYS void unpack_keys(const usw_pairs *p, size_t begin, size_t end, size_t key_bytes,
                        size_t record_bytes)
{
    usw_keymap map = p->map;
    map.bits = (unsigned)key_bytes * 8;
    for (size_t i = begin; i < end; i++) {
        uint64_t key = record_bytes == 8 ? ((const uint64_t *)p->records)[i] >> 32
                                         : (uint64_t)(((const usw_u128 *)p->records)[i] >> 64);
        store(p->keys, i, key_bytes, usw_unmap_key(&map, key));
    }
}

ALWAYS void unpack_values(const usw_pairs *p, size_t begin, size_t end, size_t value_bytes,
                          size_t record_bytes)
{
    for (size_t i = begin; i < end; i++) {
        store(p->values, i, value_bytes, payload(p->records, record_bytes, i));
    }
}

ALWAYS void unpack_records(const usw_pairs *p, size_t begin, size_t end, size_t record_bytes)
{
    switch (p->keys == NULL ? 0 : p->key_bytes) {
    case 0: break;
    case 1: unpack_keys(p, begin, end, 1, record_bytes); break;
    case 2: unpack_keys(p, begin, end, 2, record_bytes); break;
    case 4: unpack_keys(p, begin, end, 4, record_bytes); break;
    default: unpack_keys(p, begin, end, 8, record_bytes); break;
    }
    switch (p->values == NULL ? 0 : p->value_bytes) {
    case 0: break;
    case 1: unpack_values(p, begin, end, 1, record_bytes); break;
    case 2: unpack_values(p, begin, end, 2, record_bytes); break;
    case 4: unpack_values(p, begin, end, 4, record_bytes); break;
    default: unpack_values(p, begin, end, 8, record_bytes); break;
    }
}

/* Keys and values are written by two loops over blocks that stay in the cache. */
static void unpack(const usw_pairs *p, size_t begin, size_t end)
{
    USW_ROUTE_OF("unpack", USW_NO_TYPES);
    enum { BLOCK = 1024 };
    for (size_t next; begin < end; begin = next) {
        next = usw_min(end, begin + BLOCK);
        if (p->record_bytes == 8) {
            unpack_records(p, begin, next, 8);
        } else {
            unpack_records(p, begin, next, 16);
        }
    }
}

/* ---- gather ---- */

/* Loads wait for memory, so the element AHEAD places further is prefetched. */
ALWAYS void gather_loop(const char *records, size_t record_bytes, size_t index_bytes,
                        const char *in, char *out, size_t bytes, size_t begin, size_t end)
{
    enum { AHEAD = 24 };
    for (size_t i = begin; i < end; i++) {
        size_t next = i + AHEAD < end ? i + AHEAD : i;
        __builtin_prefetch(in + usw_load_raw(records + next * record_bytes, index_bytes) * bytes);
        memcpy(out + i * bytes, in + usw_load_raw(records + i * record_bytes, index_bytes) * bytes,
               bytes);
    }
}

static void gather(const void *records, size_t record_bytes, size_t index_bytes, const void *in,
                   void *out, size_t bytes, size_t begin, size_t end)
{
    USW_ROUTE_OF("gather", USW_NO_TYPES);
#define GATHER(size, index) gather_loop(records, record_bytes, index, in, out, size, begin, end)
    switch (index_bytes == 4 ? bytes : 0) {
    case 1: GATHER(1, 4); break;
    case 2: GATHER(2, 4); break;
    case 4: GATHER(4, 4); break;
    case 8: GATHER(8, 4); break;
    case 16: GATHER(16, 4); break;
    default: GATHER(bytes, index_bytes); break;
    }
#undef GATHER
}

const usw_pack_steps USW_SYMBOL(usw_pack_steps) = {pack, pack_close, unpack_close, unpack, gather};
