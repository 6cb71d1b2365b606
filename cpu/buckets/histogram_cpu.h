/* histogram_cpu.h - the bucket numbers of keys, by digits, edges, equal widths or as given, and the
 * counting and scattering of elements by bucket numbers.
 *
 * The bucket numbers of a tile are computed first and used then: they stay in the first cache, the
 * loops that compute them have no branch and become vectors, and counting and scattering need not
 * know how buckets are defined.
 *
 * Equal widths follow numpy.histogram: an estimate by one multiplication, then a step down or up if
 * the key lies beyond an edge of that bucket, edges being low + i * step in f64. Edges are
 * searched by halving, without branches, for several keys at a time so that their cache misses
 * overlap. */
/* SPDX-License-Identifier: MIT */
#include "cpu/body.h"
#include "core/half.h"
#include "core/order.h"
#include "cpu/cpu.h"

#ifndef USW_CPU_BUCKETS_HISTOGRAM_CPU_H
#define USW_CPU_BUCKETS_HISTOGRAM_CPU_H
enum {
    WAYS = 8,
    FEW_WAYS = 4,
    FEW_KEYS = 2048, /* up to so many keys are counted in FEW_WAYS tables */
    AHEAD_BYTES = 2048,
    LITTLE_ENDIAN_KEYS = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
};

/* The counts of a digit in all `ways` tables. */
static inline __attribute__((always_inline)) uint32_t counted(uint32_t tables[WAYS][256],
                                                              uint32_t digit, const unsigned ways)
{
    uint32_t sum = tables[0][digit] + tables[1][digit] + tables[2][digit] + tables[3][digit];
    return ways == FEW_WAYS
               ? sum
               : sum + tables[4][digit] + tables[5][digit] + tables[6][digit] + tables[7][digit];
}
#endif

/* ---- one key width ---- */
#if KEY_BITS <= 64

static inline KEY FN(mapped)(KEY x, const usw_keymap *map)
{
    KEY below = (KEY)((KEY)map->neg & (KEY)(0 - (KEY)(x >> (KEY_BITS - 1))));
    return (KEY)((KEY)(x ^ below ^ (KEY)map->pos) + (KEY)map->add);
}

static void FN(digits)(const usw_buckets *b, const void *keys, size_t n, uint32_t *ids)
{
    USW_ROUTE("digits");
    const KEY *x = keys;
    const usw_keymap map = b->map;
    const unsigned shift = b->shift;
    const uint32_t mask = b->mask;
    for (size_t i = 0; i < n; i++) {
        ids[i] = (uint32_t)(FN(mapped)(x[i], &map) >> shift) & mask;
    }
}

/* Without AVX-512 only: on machines with AVX-512 calls/histogram.c takes the functions of AVX2. */
#if USW_LEVEL < 2

/* Neighbours count in different tables: equal keys in a row then do not wait for each other's
 * store. */
static inline __attribute__((always_inline)) void
FN(count_ways)(const KEY *x, size_t n, const usw_buckets *b, uint32_t tables[WAYS][256], bool plain,
               bool whole, const unsigned ways)
{
    const size_t other = ways - FEW_WAYS; /* the second half of the tables, or the first again */
    const unsigned char *bytes = (const unsigned char *)x + b->shift / 8;
    const usw_keymap map = b->map;
    const unsigned shift = b->shift;
    const uint32_t mask = b->mask;
    size_t i = 0;
#define DIGIT(at)                                                                                  \
    (whole ? bytes[(at) * sizeof *x]                                                               \
           : (uint32_t)((plain ? x[at] : FN(mapped)(x[at], &map)) >> shift) & mask)
    for (; i + WAYS <= n; i += WAYS) {
        /* The address need not be in the array. */
        __builtin_prefetch((const void *)((uintptr_t)(x + i) + AHEAD_BYTES));
        tables[0][DIGIT(i)]++;
        tables[1][DIGIT(i + 1)]++;
        tables[2][DIGIT(i + 2)]++;
        tables[3][DIGIT(i + 3)]++;
        tables[other][DIGIT(i + 4)]++;
        tables[other + 1][DIGIT(i + 5)]++;
        tables[other + 2][DIGIT(i + 6)]++;
        tables[other + 3][DIGIT(i + 7)]++;
    }
    for (; i < n; i++) {
        tables[0][DIGIT(i)]++;
    }
#undef DIGIT
}

/* Counts in `ways` tables, a constant. more: adds to what `table` has. */
static inline __attribute__((always_inline)) void FN(count_by)(const usw_buckets *b, const KEY *x,
                                                               size_t n, bool more, uint64_t *table,
                                                               const unsigned ways)
{
    uint32_t tables[WAYS][256];
    /* plain: the map only flips bits, the same in all keys; whole: the digit is a byte of the key.
     */
    bool plain = KEY_BITS == 8 || (b->map.neg == 0 && b->map.add == 0);
    bool whole = plain && LITTLE_ENDIAN_KEYS && b->mask == 255 && b->shift % 8 == 0;
    uint32_t flip = plain ? (uint32_t)(b->map.pos >> b->shift) & b->mask : 0;
    memset(tables, 0, ways * sizeof tables[0]);
    if (whole) {
        USW_ROUTE_OF("counted: bytes", USW_INTEGERS);
        FN(count_ways)(x, n, b, tables, true, true, ways);
    } else if (plain) {
        USW_ROUTE_OF("counted: bits", USW_INTEGERS);
        FN(count_ways)(x, n, b, tables, true, false, ways);
    } else {
        USW_ROUTE_OF("counted: mapped keys", USW_FLOATS);
        FN(count_ways)(x, n, b, tables, false, false, ways);
    }
    if (flip == 0 && !more) {
        for (uint32_t d = 0; d <= b->mask; d++) {
            table[d] = counted(tables, d, ways);
        }
        return;
    }
    for (uint32_t d = 0; d < 256; d++) {
        tables[0][d] = counted(tables, d, ways);
    }
    for (uint32_t d = 0; d <= b->mask; d++) {
        table[d] = (more ? table[d] : 0) + tables[0][d ^ flip];
    }
}

/* Counts digits of at most 8 bits without writing bucket numbers; n < 2^32. For few keys, clearing
 * tables and adding them up takes longer than more tables save. */
static void FN(count_digits)(const usw_buckets *b, const void *keys, size_t n, bool more,
                             uint64_t *table)
{
    USW_ROUTE_IF(n <= FEW_KEYS, "few keys are counted", USW_ROUTE_DEFAULT);
    USW_ROUTE_IF(n > FEW_KEYS, "many keys are counted", USW_ROUTE_DEFAULT);
    if (n <= FEW_KEYS) {
        FN(count_by)(b, keys, n, more, table, FEW_WAYS);
    } else {
        FN(count_by)(b, keys, n, more, table, WAYS);
    }
}
#endif

/* The bucket is the last one whose lower edge is not above the key; the last edge closes it. */
static void FN(between_edges)(const usw_buckets *b, const void *keys, size_t n, uint32_t *ids)
{
    USW_ROUTE("edges");
    enum { TOGETHER = 8 };
    const KEY *x = keys;
    const uint64_t *edges = b->edges, last = edges[b->count];
    KEY sign = (KEY)((KEY)1 << (KEY_BITS - 1));
    for (size_t i = 0; i < n; i += TOGETHER) {
        uint64_t key[TOGETHER];
        uint32_t at[TOGETHER] = {0};
        size_t here = usw_min(TOGETHER, n - i);
        for (size_t k = 0; k < TOGETHER; k++) {
            KEY raw = x[i + (k < here ? k : 0)];
            /* Zeros are equal here, as values: -0 belongs to a bucket that starts at 0. */
            raw = b->map.neg != 0 && raw == sign ? 0 : raw;
            key[k] = FN(mapped)(raw, &b->map);
        }
        for (uint32_t length = b->count; length > 1;) {
            uint32_t half = length / 2;
            for (size_t k = 0; k < TOGETHER; k++) {
                at[k] += edges[at[k] + half] <= key[k] ? half : 0;
            }
            length -= half;
        }
        for (size_t k = 0; k < here; k++) {
            ids[i + k] = key[k] < edges[0] || key[k] > last ? b->count : at[k];
        }
    }
}

#if KEY_BITS <= 32 /* given bucket numbers have at most 32 bits */
static void FN(given)(const usw_buckets *b, const void *keys, size_t n, uint32_t *ids)
{
    USW_ROUTE_OF("given numbers", USW_NO_TYPES);
    const KEY *x = keys;
    for (size_t i = 0; i < n; i++) {
        ids[i] = x[i] < b->count ? (uint32_t)x[i] : b->count;
    }
}
#endif

/* Moves elements as large as KEY, at any address, to their buckets. */
static void FN(scatter)(const uint32_t *ids, size_t n, const void *in, void *out, uint64_t *cursor)
{
    USW_ROUTE_OF("elements of this size", USW_NO_TYPES);
    const unsigned char *from = in;
    unsigned char *to = out;
    for (size_t i = 0; i < n; i++) {
        memcpy(to + cursor[ids[i]]++ * sizeof(KEY), from + i * sizeof(KEY), sizeof(KEY));
    }
}

#else /* KEY_BITS == 128: included last, once */

/* ---- equal widths ---- */

static void to_doubles(upsweep_type type, const void *keys, size_t n, double *out)
{
#define CONVERT(TYPE, expression)                                                                  \
    for (size_t i = 0; i < n; i++) {                                                               \
        TYPE x = ((const TYPE *)keys)[i];                                                          \
        out[i] = (double)(expression);                                                             \
    }                                                                                              \
    break
    switch (type) {
    case UPSWEEP_U8: CONVERT(uint8_t, x);
    case UPSWEEP_U16: CONVERT(uint16_t, x);
    case UPSWEEP_U32: CONVERT(uint32_t, x);
    case UPSWEEP_U64: CONVERT(uint64_t, x);
    case UPSWEEP_I8: CONVERT(int8_t, x);
    case UPSWEEP_I16: CONVERT(int16_t, x);
    case UPSWEEP_I32: CONVERT(int32_t, x);
    case UPSWEEP_I64: CONVERT(int64_t, x);
    case UPSWEEP_F16: CONVERT(uint16_t, usw_widen_f16(x));
    case UPSWEEP_BF16: CONVERT(uint16_t, usw_widen_bf16(x));
    case UPSWEEP_F32: CONVERT(float, x);
    case UPSWEEP_F64: CONVERT(double, x);
    }
#undef CONVERT
}

static inline double edge(const usw_buckets *b, int32_t i)
{
    double inner = (double)i * b->step + b->low;
    return i == (int32_t)b->count ? b->high : inner;
}

/* Compares 64-bit integers as such: one beyond the range may be equal to its end as an f64. */
static void leave_out_integers(const usw_buckets *b, const uint64_t *keys, size_t n, uint32_t *ids)
{
    uint64_t flip = b->map.pos, first = b->first, span = b->last - b->first;
    for (size_t i = 0; i < n; i++) {
        ids[i] = (keys[i] ^ flip) - first > span ? b->count : ids[i];
    }
}

static void equal_widths(const usw_buckets *shared, const void *keys, size_t n, uint32_t *ids)
{
    USW_ROUTE_OF("equal widths", USW_ALL_TYPES);
    const usw_buckets copy = *shared, *b = &copy; /* ids cannot change a local */
    double x[USW_TILE];
    int32_t last = (int32_t)b->count - 1;
    to_doubles(b->type, keys, n, x);
    for (size_t i = 0; i < n; i++) {
        double inside = x[i] >= b->low && x[i] <= b->high ? x[i] : b->low;
        int32_t at = (int32_t)((inside - b->low) * b->scale);
        at = at > last ? last : at;
        at -= inside < edge(b, at);
        at += at < last && inside >= edge(b, at + 1);
        ids[i] = x[i] >= b->low && x[i] <= b->high ? (uint32_t)at : b->count;
    }
    if (b->key_bytes == 8 && b->map.neg == 0) {
        leave_out_integers(b, keys, n, ids);
    }
}

/* ---- the exported steps ---- */

static void ids(const usw_buckets *b, const void *keys, size_t n, uint32_t *out)
{
    typedef void (*loop)(const usw_buckets *, const void *, size_t, uint32_t *);
    static const loop by_digit[] = {digits_u8, digits_u16, digits_u32, digits_u64};
    static const loop by_edges[] = {between_edges_u8, between_edges_u16, between_edges_u32,
                                    between_edges_u64};
    static const loop by_number[] = {given_u8, given_u16, given_u32};
    unsigned width = usw_log2_up(b->key_bytes);
    switch (b->kind) {
    case UPSWEEP_BUCKET_DIGIT: by_digit[width](b, keys, n, out); break;
    case UPSWEEP_BUCKET_EDGES: by_edges[width](b, keys, n, out); break;
    case UPSWEEP_BUCKET_WIDTH: equal_widths(b, keys, n, out); break;
    default: by_number[width](b, keys, n, out); break;
    }
}

/* Neighbours count in different tables: equal keys in a row then do not wait for each other's
 * store. */
static void count(const uint32_t *id, size_t n, uint64_t *table, size_t stride, unsigned ways)
{
    size_t i = 0;
    if (ways == 4) {
        uint64_t *b = table + stride, *c = b + stride, *d = c + stride;
        for (; i + 4 <= n; i += 4) {
            table[id[i]]++;
            b[id[i + 1]]++;
            c[id[i + 2]]++;
            d[id[i + 3]]++;
        }
    }
    for (; i < n; i++) {
        table[id[i]]++;
    }
}

static void scatter(const uint32_t *id, size_t n, const void *in, void *out, size_t bytes,
                    uint64_t *cursor)
{
    const unsigned char *from = in;
    unsigned char *to = out;
    switch (bytes) {
    case 1: scatter_u8(id, n, in, out, cursor); break;
    case 2: scatter_u16(id, n, in, out, cursor); break;
    case 4: scatter_u32(id, n, in, out, cursor); break;
    case 8: scatter_u64(id, n, in, out, cursor); break;
    default:
        USW_ROUTE_OF("elements of any size", USW_NO_TYPES);
        for (size_t i = 0; i < n; i++) {
            memcpy(to + cursor[id[i]]++ * bytes, from + i * bytes, bytes);
        }
    }
}

const usw_histogram_steps USW_SYMBOL(usw_histogram_steps_cpu) = {
    .ids = ids,
    .count = count,
    .scatter = scatter,
#if USW_LEVEL < 2
    .count_digits = {count_digits_u8, count_digits_u16, count_digits_u32, count_digits_u64},
#endif
};
#endif
