/* key_order.h - the order of keys as upsweep.h tells it, written out without the library's key
 * map, and the check of a sorted array by it. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_SHARED_KEY_ORDER_H
#define USW_TEST_SHARED_KEY_ORDER_H

#include "core/keymap.h"

/* The value of a key as a double plus, for 64-bit integers, exactly as an integer. */
typedef struct value {
    int nan;
    double real;
    int negative_zero;
    int64_t whole;
    uint64_t natural, bits;
} value;

static double half_value(uint64_t h)
{
    double sign = h >> 15 ? -1 : 1, mantissa = (double)(h & 1023);
    int exponent = (int)(h >> 10 & 31);
    double scale = 1.0 / 16777216; /* 2^-24: one step of the denormals */
    for (int i = 1; i < exponent; i++) {
        scale *= 2;
    }
    return sign * scale * (exponent == 0 ? mantissa : 1024 + mantissa);
}

static value value_of(uint64_t raw, upsweep_type type)
{
    value v = {.bits = raw};
    if (type <= UPSWEEP_U64) {
        v.natural = raw;
    } else if (type <= UPSWEEP_I64) {
        unsigned shift = 64 - 8 * (unsigned)upsweep_type_bytes(type);
        v.whole = (int64_t)(raw << shift) >> shift;
    } else {
        if (type == UPSWEEP_F64) {
            memcpy(&v.real, &raw, 8);
        } else if (type == UPSWEEP_F16) {
            v.real = half_value(raw);
            v.nan = (raw & 0x7fff) > 0x7c00;
        } else {
            uint32_t single = (uint32_t)(type == UPSWEEP_BF16 ? raw << 16 : raw);
            float f;
            memcpy(&f, &single, 4);
            v.real = (double)f;
        }
        v.nan |= v.real != v.real;
        v.negative_zero = v.real == 0 && raw != 0;
    }
    return v;
}

#define COMPARE(a, b) ((a) < (b) ? -1 : (a) > (b))

/* <0, 0, >0 as the header tells: numbers by value, -0 before +0, NaNs apart. */
static int compare_raw(uint64_t a, uint64_t b, upsweep_type type, unsigned flags)
{
    value x = value_of(a, type), y = value_of(b, type);
    int down = flags & UPSWEEP_DESCENDING ? -1 : 1;
    if ((x.nan || y.nan) && !(flags & UPSWEEP_NAN_RAW)) {
        if (x.nan != y.nan) {
            return (flags & UPSWEEP_NAN_FIRST ? -1 : 1) * (x.nan - y.nan);
        }
        return 2; /* two NaNs: some order by bits */
    }
    if (x.nan || y.nan) {
        uint64_t sign = UINT64_C(1) << (8 * upsweep_type_bytes(type) - 1);
        int rx = a & sign ? -1 : 1, ry = b & sign ? -1 : 1;
        if (rx != ry) {
            return down * COMPARE(rx, ry);
        }
        return down * rx * COMPARE(a, b);
    }
    int c = COMPARE(x.natural, y.natural);
    c = c != 0 ? c : COMPARE(x.whole, y.whole);
    c = c != 0 ? c : COMPARE(x.real, y.real);
    c = c != 0 ? c : COMPARE(y.negative_zero, x.negative_zero);
    return down * c;
}

typedef struct tally {
    uint64_t sum, mixed;
} tally;

static tally tally_of(const void *keys, size_t n, size_t bytes)
{
    tally t = {0, 0};
    for (size_t i = 0; i < n; i++) {
        uint64_t x = usw_load_raw((const char *)keys + i * bytes, bytes);
        t.sum += x;
        x = (x ^ (x >> 31)) * UINT64_C(0x9e3779b97f4a7c15);
        t.mixed += (x ^ (x >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    }
    return t;
}

/* In order, and the same keys as before: with an order that is total on bits there is one such
 * array. For speed, integers that compare by their own type are checked 4 at a time by the caller's
 * loop. */
static inline void check_sorted(const void *keys, size_t n, upsweep_type type, unsigned flags,
                                tally before)
{
    size_t bytes = upsweep_type_bytes(type);
    tally after = tally_of(keys, n, bytes);
    assert_true(after.sum == before.sum && after.mixed == before.mixed);
    for (size_t i = 1; i < n; i++) {
        uint64_t a = usw_load_raw((const char *)keys + (i - 1) * bytes, bytes);
        uint64_t b = usw_load_raw((const char *)keys + i * bytes, bytes);
        if (a != b && compare_raw(a, b, type, flags) > 0) {
            if (compare_raw(a, b, type, flags) != 2) {
                fail_msg("n %zu type %s flags %u: keys %zu and %zu out of order", n,
                         upsweep_type_name(type), flags, i - 1, i);
            }
        }
    }
}

#endif
