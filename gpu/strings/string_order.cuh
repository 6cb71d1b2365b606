/* string_order.cuh - strings in device memory, in Arrow's layout, and their order by bytes.
 *
 * An item is a string's 8 bytes behind the beginning that all strings have in common, as a number,
 * and its position (gpu/merging/item_merge.cuh). Where two numbers are equal the strings are
 * compared from there on, 8 bytes at a time. Bytes behind a string's end count as 0, and where all
 * are equal the shorter string comes first: of two strings that differ in zeros alone, too. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_STRINGS_STRING_ORDER_CUH
#define USW_GPU_STRINGS_STRING_ORDER_CUH

#include "gpu/merging/item_merge.cuh"

/* What the device finds out about the strings. */
struct usw_string_facts {
    unsigned bad;    /* some string ends before it begins; then all count as empty */
    unsigned common; /* bytes that all strings begin with, as far as was looked */
    uint64_t end;    /* the last string's offset of its end */
};

struct usw_string {
    const unsigned char *at;
    uint64_t length;
};

struct usw_string_list {
    const unsigned char *bytes; /* of offset `first` */
    const void *offsets;        /* n + 1 of them */
    uint64_t first;
    bool wide; /* offsets of 64 bits */
    const usw_string_facts *facts;
    unsigned stride; /* 1, or of a sample: one of so many strings, not always the same of them */

    __device__ __forceinline__ uint64_t offset(uint64_t i) const
    {
        return wide ? static_cast<const uint64_t *>(offsets)[i]
                    : static_cast<const uint32_t *>(offsets)[i];
    }
    __device__ __forceinline__ usw_string string(uint64_t i) const
    {
        if (stride > 1) {
            i = i * stride + (static_cast<unsigned>(i) * 2654435769u >> 8) % stride;
        }
        const uint64_t begin = offset(i), end = facts->bad != 0 ? begin : offset(i + 1);
        return {bytes + (begin - first), end - begin};
    }
    /* Bytes that all strings begin with. */
    __device__ __forceinline__ unsigned beginning() const
    {
        return facts->bad != 0 ? 0 : facts->common;
    }
    /* Up to 8 bytes from `at` on, of which the string has `left`: a number whose highest byte is
     * the first one. Two words of memory have them; what lies behind all strings is not read. */
    __device__ __forceinline__ uint64_t word(const unsigned char *at, uint64_t left) const
    {
        const uintptr_t address = reinterpret_cast<uintptr_t>(at), low = address & ~uintptr_t(7);
        const unsigned count = left < 8 ? static_cast<unsigned>(left) : 8, odd = address % 8;
        uint64_t text = 0;
        if (count == 0) {
            return 0;
        }
        if (low >= reinterpret_cast<uintptr_t>(bytes) &&
            low + 16 <= reinterpret_cast<uintptr_t>(bytes + (facts->end - first))) {
            const uint64_t *words = usw_global(reinterpret_cast<const uint64_t *>(low));
            const uint64_t a = words[0], b = odd + count > 8 ? words[1] : 0;
            const uint64_t both = odd == 0 ? a : a >> (8 * odd) | b << (64 - 8 * odd);
            text = static_cast<uint64_t>(__byte_perm(static_cast<unsigned>(both), 0, 0x0123))
                       << 32 |
                   __byte_perm(static_cast<unsigned>(both >> 32), 0, 0x0123);
            return text & (~uint64_t(0) << (64 - 8 * count));
        }
        for (unsigned i = 0; i < count; i++) {
            text |= static_cast<uint64_t>(usw_global(at)[i]) << (56 - 8 * i);
        }
        return text;
    }
    /* Bytes, up to `most`, with which both strings begin. */
    __device__ __forceinline__ unsigned common_of(const unsigned char *a, const unsigned char *b,
                                                  unsigned most) const
    {
        for (unsigned at = 0; at < most; at += 8) {
            const uint64_t differ = word(a + at, most - at) ^ word(b + at, most - at);
            if (differ != 0) {
                return at + static_cast<unsigned>(__clzll(static_cast<long long>(differ))) / 8;
            }
        }
        return most;
    }
};

/* The operations of merge.cuh, and the chunks of item_merge.cuh. All positions differ, so that the
 * order is strict and stable. */
struct usw_string_order {
    typedef usw_merge_item stored;
    typedef usw_merge_item item;
    usw_string_list strings;
    bool descending;

    __device__ __forceinline__ item load(const stored *p) const
    {
        return *p;
    }
    __device__ __forceinline__ void store(stored *p, item x) const
    {
        *p = x;
    }
    /* The 8 bytes of a string behind `known`, of which it has `left`, as a number. */
    __device__ __forceinline__ uint64_t text(usw_string x, uint64_t known, uint64_t left) const
    {
        const uint64_t word = strings.word(x.at + known, left);
        return descending ? ~word : word;
    }
    __device__ __forceinline__ uint64_t chunk(uint64_t i) const
    {
        const usw_string x = strings.string(i);
        const unsigned known = strings.beginning();
        return text(x, known, x.length - known);
    }
    /* Below 0: x comes before y; 0: they are equal. Their first `known` bytes are equal. */
    __device__ __forceinline__ int compare(usw_string x, usw_string y, uint64_t known) const
    {
        const uint64_t both = x.length < y.length ? x.length : y.length;
        for (uint64_t at = known; at < both; at += 8) {
            const uint64_t p = strings.word(x.at + at, both - at);
            const uint64_t q = strings.word(y.at + at, both - at);
            if (p != q) {
                return (p < q) != descending ? -1 : 1;
            }
        }
        return x.length == y.length ? 0 : (x.length < y.length) != descending ? -1 : 1;
    }
    /* The strings at positions a and b are equal in their first `known` bytes. */
    __device__ __noinline__ bool before_by_bytes(uint64_t a, uint64_t b, uint64_t known) const
    {
        const int side = compare(strings.string(a), strings.string(b), known);
        return side != 0 ? side < 0 : a < b;
    }
    __device__ __forceinline__ bool before(item x, item y) const
    {
        return x.chunk != y.chunk
                   ? x.chunk < y.chunk
                   : before_by_bytes(x.position, y.position, uint64_t(strings.beginning()) + 8);
    }
};

#endif
