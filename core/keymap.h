/* keymap.h - every key type as an unsigned integer whose order is the order the caller asked for.
 *
 * One branch-free formula serves all types and options:
 *     key  = ((raw ^ (raw < 0 ? neg : 0)) ^ pos) + add            (modulo 2^bits)
 *     raw  = y ^ (y < 0 ? neg : 0)   with   y = (key - add) ^ pos
 * where "< 0" looks at the top bit. Signed integers flip the top bit (pos). Floats flip it when
 * positive and all bits when negative (neg, pos), which gives IEEE totalOrder:
 *     -NaN.. | -inf .. -0 +0 .. +inf | ..+NaN
 * Descending flips everything. Adding minus (plus) the number of NaNs of one sign rotates this
 * circle so that all NaNs are last (first): the NaNs that stand at the wrong end wrap round. The
 * map is a bijection, so no bit of a key is lost. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_KEYMAP_H
#define USW_KEYMAP_H

#include "core/frame.h"

typedef struct usw_keymap {
    unsigned bits; /* 8, 16, 32, 64 */
    uint64_t neg, pos, add;
} usw_keymap;

static inline bool usw_type_is_float(upsweep_type t)
{
    return t >= UPSWEEP_F16 && t <= UPSWEEP_F64;
}
static inline bool usw_type_is_signed(upsweep_type t)
{
    return t >= UPSWEEP_I8 && t <= UPSWEEP_I64;
}

/* upsweep_type_bytes for a valid type, for the CUDA plugin too, which is not linked with types.c.
 * */
static inline unsigned usw_type_bytes(upsweep_type t)
{
    return t >= UPSWEEP_F64   ? 8
           : t >= UPSWEEP_F32 ? 4
           : t >= UPSWEEP_F16 ? 2
                              : 1u << ((unsigned)t - UPSWEEP_U8) % 4;
}

/* The map for a valid type; flags: UPSWEEP_DESCENDING, UPSWEEP_NAN_FIRST, UPSWEEP_NAN_RAW. */
static inline usw_keymap usw_keymap_of(upsweep_type type, unsigned flags)
{
    unsigned bits = usw_type_bytes(type) * 8;
    uint64_t all = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    uint64_t sign = UINT64_C(1) << (bits - 1);
    usw_keymap map = {bits, 0, 0, 0};
    if (usw_type_is_signed(type)) {
        map.pos = sign;
    } else if (usw_type_is_float(type)) {
        unsigned mantissa = type == UPSWEEP_F16    ? 10
                            : type == UPSWEEP_BF16 ? 7
                            : bits == 32           ? 23
                                                   : 52;
        uint64_t nans = (UINT64_C(1) << mantissa) - 1; /* of one sign */
        map.neg = all ^ sign;
        map.pos = sign;
        map.add = (flags & UPSWEEP_NAN_RAW)     ? 0
                  : (flags & UPSWEEP_NAN_FIRST) ? nans
                                                : all - nans + 1;
    }
    if (flags & UPSWEEP_DESCENDING) {
        map.pos ^= all;
    }
    return map;
}

static inline bool usw_keymap_is_identity(const usw_keymap *map)
{
    return map->neg == 0 && map->pos == 0 && map->add == 0;
}

static inline uint64_t usw_map_key(const usw_keymap *map, uint64_t raw)
{
    uint64_t all = UINT64_MAX >> (64 - map->bits);
    uint64_t below = (raw >> (map->bits - 1)) & 1 ? map->neg : 0;
    return ((raw ^ below ^ map->pos) + map->add) & all;
}

static inline uint64_t usw_unmap_key(const usw_keymap *map, uint64_t key)
{
    uint64_t all = UINT64_MAX >> (64 - map->bits);
    uint64_t y = ((key - map->add) & all) ^ map->pos;
    return y ^ ((y >> (map->bits - 1)) & 1 ? map->neg : 0);
}

/* Reads one element of `bytes` (1, 2, 4, 8) bytes, at any alignment. */
static inline uint64_t usw_load_raw(const void *at, size_t bytes)
{
    uint64_t raw = 0;
    switch (bytes) {
    case 1: return *(const uint8_t *)at;
    case 2: {
        uint16_t v;
        memcpy(&v, at, 2);
        return v;
    }
    case 4: {
        uint32_t v;
        memcpy(&v, at, 4);
        return v;
    }
    default: memcpy(&raw, at, 8); return raw;
    }
}

static inline void usw_store_raw(void *at, size_t bytes, uint64_t raw)
{
    switch (bytes) {
    case 1: *(uint8_t *)at = (uint8_t)raw; break;
    case 2: {
        uint16_t v = (uint16_t)raw;
        memcpy(at, &v, 2);
        break;
    }
    case 4: {
        uint32_t v = (uint32_t)raw;
        memcpy(at, &v, 4);
        break;
    }
    default: memcpy(at, &raw, 8); break;
    }
}

#endif
