/* records.cuh - the key fields of records on the device: chunks of the normalised key of
 * core/record_keys.h, and the comparison of two records by what follows the first chunk. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_MERGING_RECORDS_CUH
#define USW_GPU_MERGING_RECORDS_CUH

#include "gpu/merging/item_merge.cuh"

extern "C" {
#include "core/record_keys.h"
}

/* An unsigned number of 1, 2, 4 or 8 bytes, at any address. */
__device__ __forceinline__ uint64_t usw_load_number(const unsigned char *at, unsigned bytes)
{
    const uintptr_t address = reinterpret_cast<uintptr_t>(at);
    if (bytes == 1) {
        return *at;
    }
    if (bytes == 4 && address % 4 == 0) {
        return *reinterpret_cast<const uint32_t *>(at);
    }
    if (bytes == 8 && address % 8 == 0) {
        return *reinterpret_cast<const uint64_t *>(at);
    }
    uint64_t raw = 0;
    for (unsigned i = 0; i < bytes; i++) {
        raw |= static_cast<uint64_t>(at[i]) << 8 * i;
    }
    return raw;
}

/* Up to 8 bytes as a number whose highest byte is the first one. */
__device__ __forceinline__ uint64_t usw_load_bytes(const unsigned char *at, unsigned bytes)
{
    if (bytes == 8 && reinterpret_cast<uintptr_t>(at) % 4 == 0) {
        const uint32_t *words = reinterpret_cast<const uint32_t *>(at);
        return static_cast<uint64_t>(__byte_perm(words[0], 0, 0x0123)) << 32 |
               __byte_perm(words[1], 0, 0x0123);
    }
    uint64_t text = 0;
    for (unsigned i = 0; i < bytes; i++) {
        text = text << 8 | at[i];
    }
    return text;
}

__device__ __forceinline__ uint64_t usw_map_field(const usw_keymap &map, uint64_t raw)
{
    const uint64_t all = ~0ull >> (64 - map.bits);
    const uint64_t below = (raw >> (map.bits - 1)) & 1 ? map.neg : 0;
    return ((raw ^ below ^ map.pos) + map.add) & all;
}

/* usw_key_chunk on the device. */
__device__ __forceinline__ uint64_t usw_record_chunk(const usw_key_plan &plan,
                                                     const unsigned char *record)
{
    uint64_t key = 0;
    for (unsigned i = 0; i < plan.count; i++) {
        const usw_key_field &p = plan.parts[i];
        const unsigned char *at = record + p.offset;
        const uint64_t value = p.text ? usw_load_bytes(at, p.bytes) ^ p.flip
                                      : usw_map_field(p.map, usw_load_number(at, p.bytes));
        key |= ((value >> p.drop) & p.mask) << p.shift;
    }
    return key;
}

/* ---- the order of items: a record's first chunk and its position ---- */

/* The operations of merge.cuh. All positions differ, so that the order is strict and stable. */
struct usw_record_order {
    typedef usw_merge_item stored;
    typedef usw_merge_item item;
    const unsigned char *records;
    size_t record_bytes;
    const usw_record_field *rest; /* device memory: the fields that reach beyond the first chunk */
    unsigned fields_left;

    __device__ __forceinline__ item load(const stored *p) const
    {
        return *p;
    }
    __device__ __forceinline__ void store(stored *p, item x) const
    {
        *p = x;
    }
    __device__ __noinline__ bool before_by_fields(item x, item y) const
    {
        for (unsigned i = 0; i < fields_left; i++) {
            const usw_record_field &f = rest[i];
            const unsigned char *a = records + x.position * record_bytes + f.offset;
            const unsigned char *b = records + y.position * record_bytes + f.offset;
            for (size_t at = 0; at < f.bytes; at += 8) {
                const unsigned here = f.bytes - at < 8 ? static_cast<unsigned>(f.bytes - at) : 8;
                const uint64_t p = f.text ? usw_load_bytes(a + at, here)
                                          : usw_map_field(f.map, usw_load_number(a, here));
                const uint64_t q = f.text ? usw_load_bytes(b + at, here)
                                          : usw_map_field(f.map, usw_load_number(b, here));
                if (p != q) {
                    return (p < q) != (f.text && f.descending);
                }
            }
        }
        return x.position < y.position;
    }
    __device__ __forceinline__ bool before(item x, item y) const
    {
        return x.chunk != y.chunk ? x.chunk < y.chunk : before_by_fields(x, y);
    }
};

#endif
