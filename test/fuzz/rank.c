/* rank.c - the order of keys as the header tells it, as a number for each key: what the other files
 * compare by, since it is quick. A test at the start compares it with test/shared/oracle.h, which
 * goes by value. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/shared/oracle.h"

enum { ALL_BITS = 0x10000 };

bool fuzz_is_float(upsweep_type type)
{
    return type >= UPSWEEP_F16 && type <= UPSWEEP_F64;
}

bool fuzz_is_signed(upsweep_type type)
{
    return type >= UPSWEEP_I8 && type <= UPSWEEP_I64;
}

uint64_t fuzz_raw(const void *at, size_t i, size_t bytes)
{
    uint64_t raw = 0; /* little-endian: the low bytes come first */
    switch (bytes) {
    case 1: return ((const uint8_t *)at)[i];
    case 2: memcpy(&raw, (const char *)at + 2 * i, 2); break;
    case 4: memcpy(&raw, (const char *)at + 4 * i, 4); break;
    default: memcpy(&raw, (const char *)at + 8 * i, 8); break;
    }
    return raw;
}

void fuzz_store(void *at, size_t i, size_t bytes, uint64_t raw)
{
    memcpy((char *)at + i * bytes, &raw, bytes);
}

/* The bits of infinity. */
static uint64_t infinity_of(upsweep_type type)
{
    return type == UPSWEEP_F16    ? 0x7c00
           : type == UPSWEEP_BF16 ? 0x7f80
           : type == UPSWEEP_F32  ? 0x7f800000
                                  : UINT64_C(0x7ff) << 52;
}

bool fuzz_is_nan(upsweep_type type, uint64_t raw)
{
    uint64_t sign = UINT64_C(1) << (8 * upsweep_type_bytes(type) - 1);
    return fuzz_is_float(type) && (raw & ~sign) > infinity_of(type);
}

/* NaNs among themselves: +NaN by growing bits, then -NaN by shrinking ones; or that reversed. */
static uint64_t rank_of_nan(uint64_t size, bool negative, uint64_t infinity, uint64_t sign,
                            bool descending)
{
    uint64_t one_sign = sign - 1 - infinity, place = size - infinity - 1;
    place = negative ? one_sign + (one_sign - 1 - place) : place;
    return descending ? 2 * one_sign - 1 - place : place;
}

static uint64_t rank_of_float(upsweep_type type, unsigned flags, uint64_t raw)
{
    uint64_t sign = UINT64_C(1) << (8 * upsweep_type_bytes(type) - 1);
    uint64_t infinity = infinity_of(type), size = raw & (sign - 1);
    bool negative = (raw & sign) != 0, descending = (flags & UPSWEEP_DESCENDING) != 0;
    if (flags & UPSWEEP_NAN_RAW) { /* by sign, then by size */
        bool low = negative != descending;
        return low ? sign - 1 - size : sign + size;
    }
    uint64_t nans = 2 * (sign - 1 - infinity), numbers = 2 * (infinity + 1);
    bool first = (flags & UPSWEEP_NAN_FIRST) != 0;
    if (size > infinity) {
        return rank_of_nan(size, negative, infinity, sign, descending) + (first ? 0 : numbers);
    }
    uint64_t place = negative != descending ? infinity - size : infinity + 1 + size;
    return place + (first ? nans : 0);
}

uint64_t fuzz_rank(upsweep_type type, unsigned flags, uint64_t raw)
{
    if (fuzz_is_float(type)) {
        return rank_of_float(type, flags, raw);
    }
    unsigned bits = 8 * (unsigned)upsweep_type_bytes(type);
    uint64_t all = UINT64_MAX >> (64 - bits);
    uint64_t place = fuzz_is_signed(type) ? raw + (UINT64_C(1) << (bits - 1)) : raw;
    return (flags & UPSWEEP_DESCENDING ? all - place : place) & all;
}

uint64_t *fuzz_ranks(upsweep_type type, const upsweep_options *o, const void *keys, size_t n)
{
    uint64_t *rank = malloc((n + 1) * sizeof *rank);
    size_t bytes = upsweep_type_bytes(type);
    unsigned flags = o == NULL ? 0 : o->flags, begin = 0, end = 0;
    if (o != NULL) {
        begin = o->bit_begin;
        end = o->bit_end;
    }
    for (size_t i = 0; i < n; i++) {
        rank[i] = fuzz_rank(type, flags, fuzz_raw(keys, i, bytes));
        if (end > 0) {
            rank[i] = rank[i] >> begin & (UINT64_MAX >> (64 - (end - begin)));
        }
    }
    return rank;
}

/* Insertion for few, then merges of neighbouring runs. */
uint32_t *fuzz_order(const uint64_t *rank, size_t n)
{
    enum { SHORT = 8 };
    uint32_t *index = malloc((n + 1) * sizeof *index), *other = malloc((n + 1) * sizeof *other);
    for (size_t i = 0; i < n; i++) {
        size_t at = i, low = i / SHORT * SHORT;
        while (at > low && rank[index[at - 1]] > rank[i]) {
            index[at] = index[at - 1];
            at--;
        }
        index[at] = (uint32_t)i;
    }
    for (size_t run = SHORT; run < n; run *= 2) {
        for (size_t from = 0; from < n; from += 2 * run) {
            size_t middle = from + run < n ? from + run : n;
            size_t to = from + 2 * run < n ? from + 2 * run : n, a = from, b = middle;
            for (size_t i = from; i < to; i++) {
                bool left = b == to || (a < middle && rank[index[a]] <= rank[index[b]]);
                other[i] = left ? index[a++] : index[b++];
            }
        }
        uint32_t *swapped = index;
        index = other;
        other = swapped;
    }
    free(other);
    return index;
}

/* ---- values ---- */

/* The values of all halves of one type, NaN where they are. */
static const double *halves(upsweep_type type)
{
    static double table[2][ALL_BITS];
    static bool made[2];
    int which = type == UPSWEEP_BF16;
    if (!made[which]) {
        for (uint32_t raw = 0; raw < ALL_BITS; raw++) {
            uint16_t element = (uint16_t)raw;
            table[which][raw] = (double)oracle_value(type, &element);
        }
        made[which] = true;
    }
    return table[which];
}

double fuzz_value(upsweep_type type, uint64_t raw)
{
    uint32_t word = (uint32_t)raw;
    unsigned unused = 64 - 8 * (unsigned)upsweep_type_bytes(type);
    float narrow;
    double wide;
    switch (type) {
    case UPSWEEP_F16:
    case UPSWEEP_BF16: return halves(type)[raw];
    case UPSWEEP_F32: memcpy(&narrow, &word, sizeof narrow); return (double)narrow;
    case UPSWEEP_F64: memcpy(&wide, &raw, sizeof wide); return wide;
    default: break;
    }
    return fuzz_is_signed(type) ? (double)((int64_t)(raw << unused) >> unused) : (double)raw;
}

/* Among the halves from 0 to the greatest, in order, the nearest. */
static uint64_t nearest_half(upsweep_type type, double value)
{
    const double *table = halves(type);
    uint64_t low = 0, high = infinity_of(type); /* table[low] <= size < what stands at high */
    double size = fabs(value), greatest = table[high - 1];
    uint64_t sign = signbit(value) ? 0x8000 : 0;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        *(table[middle] <= size ? &low : &high) = middle;
    }
    bool top = high == infinity_of(type); /* half a step above the greatest number is infinity */
    double above = top ? greatest + (greatest - table[high - 2]) : table[high];
    double down = size - table[low], up = above - size;
    return sign | (low + (up < down || (up == down && (low & 1))));
}

uint64_t fuzz_nearest(upsweep_type type, double value)
{
    uint64_t raw = 0;
    float narrow = (float)value;
    if (value != value) {
        return infinity_of(type) | (infinity_of(type) & (~infinity_of(type) + 1)) >> 1;
    }
    switch (type) {
    case UPSWEEP_F32: memcpy(&raw, &narrow, sizeof narrow); return raw;
    case UPSWEEP_F64: memcpy(&raw, &value, sizeof value); return raw;
    default:
        return isinf(value) ? infinity_of(type) | (value < 0 ? 0x8000 : 0)
                            : nearest_half(type, value);
    }
}

/* ---- the check at the start ---- */

const char *fuzz_rank_check(void)
{
    static const unsigned orders[] = {0, UPSWEEP_NAN_FIRST, UPSWEEP_NAN_RAW};
    static char text[128];
    uint64_t state = 1;
    for (unsigned k = 0; k < 12 * 6 * 500; k++) {
        upsweep_type type = (upsweep_type)(1 + k % 12);
        unsigned flags = orders[k / 12 % 3] | (k / 36 % 2 ? UPSWEEP_DESCENDING : 0);
        uint64_t a = fuzz_mix(1, state++), b = fuzz_mix(2, state++);
        unsigned bits = 8 * (unsigned)upsweep_type_bytes(type);
        uint64_t all = UINT64_MAX >> (64 - bits), sign = UINT64_C(1) << (bits - 1);
        if (k % 5 == 0) { /* near to one another, or to the ends of what floats have */
            uint64_t base = fuzz_is_float(type) && k % 2 ? infinity_of(type) : a;
            b = base + b % 5 - 2;
            a = (base + a % 5 - 2) ^ (k % 3 ? 0 : sign);
        }
        a &= all;
        b &= all;
        uint64_t ra = fuzz_rank(type, flags, a), rb = fuzz_rank(type, flags, b);
        int by_rank = ra < rb ? -1 : ra > rb;
        if (by_rank != oracle_order(type, flags, &a, &b)) {
            snprintf(text, sizeof text, "the ranks of %s 0x%llx and 0x%llx, flags 0x%x, are wrong",
                     upsweep_type_name(type), (unsigned long long)a, (unsigned long long)b, flags);
            return text;
        }
    }
    return NULL;
}

/* ---- comparing ---- */

uint64_t fuzz_sum_of_elements(const void *at, size_t n, size_t bytes)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t hash = 0;
        for (size_t k = 0; k < bytes; k += 8) {
            uint64_t word = 0;
            memcpy(&word, (const char *)at + i * bytes + k, bytes - k < 8 ? bytes - k : 8);
            hash = fuzz_mix(hash, word);
        }
        sum += hash;
    }
    return sum;
}

bool fuzz_moved(fuzz *f, const char *what, const void *got, const void *in, const uint32_t *from,
                size_t n, size_t bytes)
{
    for (size_t i = 0; i < n; i++) {
        if (memcmp((const char *)got + i * bytes, (const char *)in + from[i] * bytes, bytes) != 0) {
            fuzz_wrong(f, "%s %zu is not what was at %u", what, i, from[i]);
            return false;
        }
    }
    return true;
}
