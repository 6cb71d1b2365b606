/* moves_cpu.h - gather, scatter and reverse, for elements of any size at any address.
 *
 * Random accesses wait for memory, so the loops fetch ahead: each step prefetches the element that
 * is needed AHEAD steps later. Sizes of a power of two up to 16 bytes
 * are moved in registers, others by memcpy. */
/* SPDX-License-Identifier: MIT */
#include "cpu/body.h"
#include "cpu/cpu.h"

#ifndef USW_CPU_SELECTION_MOVES_CPU_H
#define USW_CPU_SELECTION_MOVES_CPU_H

enum { AHEAD = 32 };

static inline size_t index_at(const void *index, size_t index_bytes, size_t i)
{
    uint32_t narrow;
    uint64_t wide;
    if (index_bytes == 4) {
        memcpy(&narrow, (const unsigned char *)index + 4 * i, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, (const unsigned char *)index + 8 * i, sizeof wide);
    return (size_t)wide;
}

/* Prefetches the element that index[i] names, if i < end. An address outside the array does no
 * harm. */
static inline void fetch(const void *base, const void *index, size_t index_bytes, size_t i,
                         size_t end, size_t bytes)
{
    if (i < end) {
        __builtin_prefetch(
            (const void *)((uintptr_t)base + index_at(index, index_bytes, i) * bytes));
    }
}
#endif

/* Inlined with constant `bytes` for the sizes 1, 2, 4, 8 and 16: one loop for each of them. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

#if KEY_BITS == 8
ALWAYS_INLINE bool gather_size(const unsigned char *in, size_t limit, const void *index,
                               size_t index_bytes, unsigned char *out, size_t bytes, size_t begin,
                               size_t end)
{
    USW_ROUTE_OF("any size", USW_NO_TYPES);
    for (size_t i = begin; i < end; i++) {
        size_t from = index_at(index, index_bytes, i);
        if (from >= limit) {
            return false;
        }
        fetch(in, index, index_bytes, i + AHEAD, end, bytes);
        memcpy(out + i * bytes, in + from * bytes, bytes);
    }
    return true;
}

ALWAYS_INLINE void scatter_size(const unsigned char *in, const void *index, size_t index_bytes,
                                unsigned char *out, size_t bytes, size_t begin, size_t end)
{
    USW_ROUTE_OF("any size", USW_NO_TYPES);
    for (size_t i = begin; i < end; i++) {
        fetch(out, index, index_bytes, i + AHEAD, end, bytes);
        memcpy(out + index_at(index, index_bytes, i) * bytes, in + i * bytes, bytes);
    }
}
#endif

static bool FN(gather)(const unsigned char *in, size_t limit, const void *index, size_t index_bytes,
                       unsigned char *out, size_t begin, size_t end)
{
    USW_ROUTE_OF("gather", USW_NO_TYPES);
    return index_bytes == 4 ? gather_size(in, limit, index, 4, out, sizeof(KEY), begin, end)
                            : gather_size(in, limit, index, 8, out, sizeof(KEY), begin, end);
}

static void FN(scatter)(const unsigned char *in, const void *index, size_t index_bytes,
                        unsigned char *out, size_t begin, size_t end)
{
    USW_ROUTE_OF("scatter", USW_NO_TYPES);
    if (index_bytes == 4) {
        scatter_size(in, index, 4, out, sizeof(KEY), begin, end);
    } else {
        scatter_size(in, index, 8, out, sizeof(KEY), begin, end);
    }
}

/* Exchanges blocks from both ends, each reversed by a shuffle of the compiler: of the 64 bytes of a
 * vector with AVX-512; else of 16, as gcc 12 takes up to nine times as long for more. Its loops for
 * bytes and words without AVX2 are the exception. */
static void FN(reverse)(unsigned char *data, size_t n, size_t begin, size_t end)
{
    USW_ROUTE_OF("reverse", USW_NO_TYPES);
    enum {
        WIDE = USW_LEVEL == 2 ? KEY_BITS <= 64 : USW_LEVEL == 0 && KEY_BITS <= 16,
        PER = (WIDE ? 64 : 16) / sizeof(KEY)
    };
    size_t i = begin;
    for (; i + PER <= end; i += PER) {
        KEY low[PER], high[PER], turned[PER];
        unsigned char *left = data + i * sizeof(KEY), *right = data + (n - i - PER) * sizeof(KEY);
        memcpy(low, left, sizeof low);
        memcpy(high, right, sizeof high);
        for (int j = 0; j < (int)PER; j++) {
            turned[j] = low[(int)PER - 1 - j];
        }
        memcpy(right, turned, sizeof turned);
        for (int j = 0; j < (int)PER; j++) {
            turned[j] = high[(int)PER - 1 - j];
        }
        memcpy(left, turned, sizeof turned);
    }
    for (; i < end; i++) {
        KEY a, b;
        unsigned char *left = data + i * sizeof(KEY), *right = data + (n - 1 - i) * sizeof(KEY);
        memcpy(&a, left, sizeof a);
        memcpy(&b, right, sizeof b);
        memcpy(left, &b, sizeof b);
        memcpy(right, &a, sizeof a);
    }
}

#if KEY_BITS == 128
static bool gather(const void *in, size_t limit, const void *index, size_t index_bytes, void *out,
                   size_t bytes, size_t begin, size_t end)
{
    switch (bytes) {
    case 1: return gather_u8(in, limit, index, index_bytes, out, begin, end);
    case 2: return gather_u16(in, limit, index, index_bytes, out, begin, end);
    case 4: return gather_u32(in, limit, index, index_bytes, out, begin, end);
    case 8: return gather_u64(in, limit, index, index_bytes, out, begin, end);
    case 16: return gather_u128(in, limit, index, index_bytes, out, begin, end);
    default: return gather_size(in, limit, index, index_bytes, out, bytes, begin, end);
    }
}

static void scatter(const void *in, const void *index, size_t index_bytes, void *out, size_t bytes,
                    size_t begin, size_t end)
{
    switch (bytes) {
    case 1: scatter_u8(in, index, index_bytes, out, begin, end); break;
    case 2: scatter_u16(in, index, index_bytes, out, begin, end); break;
    case 4: scatter_u32(in, index, index_bytes, out, begin, end); break;
    case 8: scatter_u64(in, index, index_bytes, out, begin, end); break;
    case 16: scatter_u128(in, index, index_bytes, out, begin, end); break;
    default: scatter_size(in, index, index_bytes, out, bytes, begin, end);
    }
}

/* Compares the greatest index with limit, and finds it without branches. */
static bool below(const void *index, size_t index_bytes, size_t limit, size_t begin, size_t end)
{
    uint32_t greatest4 = 0;
    uint64_t greatest8 = 0;
    for (size_t i = begin; index_bytes == 4 && i < end; i++) {
        uint32_t v;
        memcpy(&v, (const unsigned char *)index + 4 * i, sizeof v);
        greatest4 = v > greatest4 ? v : greatest4;
    }
    for (size_t i = begin; index_bytes == 8 && i < end; i++) {
        uint64_t v;
        memcpy(&v, (const unsigned char *)index + 8 * i, sizeof v);
        greatest8 = v > greatest8 ? v : greatest8;
    }
    return begin >= end || (greatest4 < limit && greatest8 < limit);
}

static void reverse(void *data, size_t n, size_t bytes, size_t begin, size_t end)
{
    unsigned char *at = data;
    switch (bytes) {
    case 1: reverse_u8(data, n, begin, end); return;
    case 2: reverse_u16(data, n, begin, end); return;
    case 4: reverse_u32(data, n, begin, end); return;
    case 8: reverse_u64(data, n, begin, end); return;
    case 16: reverse_u128(data, n, begin, end); return;
    default: break;
    }
    for (size_t i = begin; i < end; i++) {
        unsigned char *left = at + i * bytes, *right = at + (n - 1 - i) * bytes, bytes_left[64];
        for (size_t done = 0; done < bytes; done += sizeof bytes_left) {
            size_t some = usw_min(sizeof bytes_left, bytes - done);
            memcpy(bytes_left, left + done, some);
            memcpy(left + done, right + done, some);
            memcpy(right + done, bytes_left, some);
        }
    }
}

const usw_move_steps USW_SYMBOL(usw_move_steps_cpu) = {gather, scatter, below, reverse};
#endif
