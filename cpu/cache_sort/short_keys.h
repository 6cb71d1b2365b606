/* short_keys.h - keys of 8 and 16 bits where vectors do not sort them: many by their two bytes, few
 * with AVX2 as keys of 32 bits. Included with KEY_BITS 16 before the quicksort (USW_LEVEL 0 and 1),
 * and with 32 after its short arrays (1). */
/* SPDX-License-Identifier: MIT */

#if KEY_BITS == 16

enum { BYTES_FROM = 64, BYTES_MOST = 8192 }; /* keys */

/* A pass: keys to their places by one byte, which is lower by `shift`; start: of each value. */
static inline void pass_by_byte(const uint16_t *from, uint16_t *to, size_t n, unsigned shift,
                                uint32_t *start)
{
    for (size_t i = 0; i < n; i++) {
        to[start[(from[i] >> shift) & 0xff]++] = from[i];
    }
}

/* Sorts n < 2^32 keys, which count once for both bytes; copy: room for as many. */
static void sort_by_bytes(uint16_t *k, size_t n, uint16_t *copy)
{
    uint32_t start[2][256] = {{0}}, low = 0, high = 0;
    USW_ROUTE("by two bytes");
    for (size_t i = 0; i < n; i++) {
        start[0][k[i] & 0xff]++;
        start[1][k[i] >> 8]++;
    }
    for (unsigned v = 0; v < 256; v++) {
        uint32_t lows = start[0][v], highs = start[1][v];
        start[0][v] = low;
        start[1][v] = high;
        low += lows;
        high += highs;
    }
    pass_by_byte(k, copy, n, 0, start[0]);
    pass_by_byte(copy, k, n, 8, start[1]);
}

USW_NOINLINE static void sort_range_by_bytes(uint16_t *k, size_t n)
{
    uint16_t copy[BYTES_MOST];
    sort_by_bytes(k, n, copy);
}

#if USW_LEVEL == 1
static void vsort_u32(void *keys, size_t n); /* with KEY_BITS 32 */

/* Sorts n <= USW_SMALL keys as keys of 32 bits. */
USW_NOINLINE static void sort_range_as_32(uint16_t *k, size_t n)
{
    uint32_t wide[USW_SMALL];
    USW_ROUTE("a range as 32-bit keys");
    for (size_t i = 0; i < n; i++) {
        wide[i] = k[i];
    }
    vsort_u32(wide, n);
    for (size_t i = 0; i < n; i++) {
        k[i] = (uint16_t)wide[i];
    }
}
#endif

/* Whether n > BASE keys were sorted here. */
static inline bool sorted_short_range(uint16_t *k, size_t n)
{
#if USW_LEVEL == 1
    if (n <= USW_SMALL) {
        sort_range_as_32(k, n);
        return true;
    }
#endif
    if (n < BYTES_FROM || n > BYTES_MOST) {
        return false;
    }
    sort_range_by_bytes(k, n);
    return true;
}

#else

/* Fewer keys are sorted sooner as they are. */
enum { AS_32_LEAST = 16, AS_32_MOST = USW_SMALL };

typedef struct as_32_map {
    uint32_t neg, pos, add;
} as_32_map;

/* A key of 8 or 16 bits (bytes: 1 or 2), mapped, as one of 32 bits, and back. */
static inline __attribute__((always_inline)) uint32_t key_as_32(uint32_t x, size_t bytes,
                                                                as_32_map m)
{
    const uint32_t all = bytes == 1 ? 0xff : 0xffff, sign = x >> (bytes == 1 ? 7 : 15);
    return ((x ^ ((0 - sign) & m.neg) ^ m.pos) + m.add) & all;
}

static inline __attribute__((always_inline)) uint32_t key_of_32(uint32_t key, size_t bytes,
                                                                as_32_map m)
{
    const uint32_t all = bytes == 1 ? 0xff : 0xffff, y = ((key - m.add) ^ m.pos) & all;
    return y ^ ((0 - (y >> (bytes == 1 ? 7 : 15))) & m.neg);
}

/* 16 of them: vectors alone. */
static inline __attribute__((always_inline)) void widen_16(const void *keys, size_t bytes,
                                                           as_32_map m, uint32_t *wide)
{
    for (size_t j = 0; j < 16; j++) {
        uint32_t x = bytes == 1 ? ((const uint8_t *)keys)[j] : ((const uint16_t *)keys)[j];
        wide[j] = key_as_32(x, bytes, m);
    }
}

static inline __attribute__((always_inline)) void narrow_16(void *keys, size_t bytes, as_32_map m,
                                                            const uint32_t *wide)
{
    for (size_t j = 0; j < 16; j++) {
        uint32_t y = key_of_32(wide[j], bytes, m);
        if (bytes == 1) {
            ((uint8_t *)keys)[j] = (uint8_t)y;
        } else {
            ((uint16_t *)keys)[j] = (uint16_t)y;
        }
    }
}

#define AS_32_TYPES(bytes)                                                                         \
    ((bytes) == 1 ? USW_SHORT_TYPES & ~USW_TYPES_OF_16_BITS : USW_TYPES_OF_16_BITS)
#define SORT_AS_32(name, bytes, as_they_are)                                                       \
    USW_NOINLINE static usw_shape name##_as_32(void *keys, size_t n, const usw_keymap *map)        \
    {                                                                                              \
        uint32_t wide[AS_32_MOST];                                                                 \
        as_32_map m = {0, 0, 0};                                                                   \
        USW_ROUTE_OF("as 32-bit keys", AS_32_TYPES(bytes));                                        \
        if (map != NULL) {                                                                         \
            m = (as_32_map){(uint32_t)map->neg, (uint32_t)map->pos, (uint32_t)map->add};           \
        }                                                                                          \
        for (size_t i = 0; i + 16 < n; i += 16) {                                                  \
            widen_16((const unsigned char *)keys + i * (bytes), bytes, m, wide + i);               \
        }                                                                                          \
        widen_16((const unsigned char *)keys + (n - 16) * (bytes), bytes, m, wide + n - 16);       \
        usw_shape shape = sort_small_u32(wide, n, NULL);                                           \
        for (size_t i = 0; i + 16 < n; i += 16) {                                                  \
            narrow_16((unsigned char *)keys + i * (bytes), bytes, m, wide + i);                    \
        }                                                                                          \
        narrow_16((unsigned char *)keys + (n - 16) * (bytes), bytes, m, wide + n - 16);            \
        return shape;                                                                              \
    }                                                                                              \
    static usw_shape name(void *keys, size_t n, const usw_keymap *map)                             \
    {                                                                                              \
        bool few = n >= AS_32_LEAST && n <= AS_32_MOST;                                            \
        return few ? name##_as_32(keys, n, map) : as_they_are(keys, n, map);                       \
    }
SORT_AS_32(sort_short_u8, 1, sort_small_u8)
SORT_AS_32(sort_short_u16, 2, sort_small_u16)
#undef SORT_AS_32

#endif
