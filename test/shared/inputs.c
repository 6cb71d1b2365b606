/* inputs.c - a pattern is made as positions in the whole range of the type, then turned into the
 * bits that stand at that position. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/inputs.h"

#include <string.h>

#include "core/keymap.h"
#include "test/shared/oracle.h"

static const char *const names[INPUT_PATTERNS] = {
    "uniform",       "sorted", "reversed",        "organ pipe",   "few values",      "equal",
    "almost sorted", "zipf",   "shared top bits", "two clusters", "one full bucket", "special",
};

const char *input_name(unsigned pattern)
{
    return pattern < INPUT_PATTERNS ? names[pattern] : "none";
}

uint64_t input_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Position i of n, spread evenly over 64 bits. */
static uint64_t spread(size_t i, size_t n)
{
    return n < 2 ? 0 : (uint64_t)i * (UINT64_MAX / (n - 1));
}

/* Bits that tend to break a map of keys: the ends of the range, the middle, and what floating-point
 * types keep there. */
static uint64_t special(upsweep_type type, uint64_t r)
{
    unsigned bits = (unsigned)upsweep_type_bytes(type) * 8;
    uint64_t all = UINT64_MAX >> (64 - bits), sign = UINT64_C(1) << (bits - 1);
    unsigned mantissa = oracle_mantissa_bits(type);
    uint64_t infinity = mantissa == 0 ? 0 : (sign - 1) >> mantissa << mantissa;
    const uint64_t table[] = {0,
                              sign,
                              all,
                              sign - 1,
                              1,
                              sign + 1,
                              infinity,
                              infinity | sign,
                              infinity + 1,
                              (infinity + 1) | sign,
                              (infinity - 1) & all,
                              ((infinity - 1) & all) | sign,
                              all >> 1 & ~(infinity >> 1),
                              infinity | (r >> 8 & all),
                              r & all,
                              2};
    return table[r >> 60];
}

/* Position number i of the pattern, as 64 bits whose upper end is the key. */
static uint64_t position(unsigned pattern, size_t i, size_t n, uint64_t r, uint64_t base)
{
    switch (pattern) {
    case INPUT_SORTED: return spread(i, n);
    case INPUT_REVERSED: return spread(n - 1 - i, n);
    case INPUT_ORGAN_PIPE: return spread(i < n / 2 ? 2 * i : 2 * (n - 1 - i), n + 1);
    case INPUT_FEW_VALUES: return (r & 7) * (UINT64_MAX / 8) + (base >> 8);
    case INPUT_EQUAL: return base;
    case INPUT_ALMOST_SORTED: return r % 50 == 0 ? r : spread(i, n);
    /* 64 kinds of key, half as many positions each; the first takes half of all. */
    case INPUT_ZIPF: {
        uint64_t scale = r >> 58, fine = r & 0xff;
        return base ^ (fine << 56 >> __builtin_clzll(r | 1) << (scale & 3));
    }
    case INPUT_SHARED_TOP_BITS: return base >> 52 << 52 | r >> 52 << 40;
    case INPUT_TWO_CLUSTERS: return (r & 1 ? base : ~base) + (r >> 16);
    case INPUT_ONE_FULL_BUCKET: return r % 100 == 0 ? r : UINT64_C(1) << 63 | r >> 11;
    default: return r;
    }
}

void input_fill(unsigned pattern, upsweep_type type, void *keys, size_t n, uint64_t seed)
{
    size_t bytes = upsweep_type_bytes(type);
    unsigned bits = (unsigned)bytes * 8;
    uint64_t state = seed * 977 + pattern;
    uint64_t base = input_random(&state), sign = UINT64_C(1) << (bits - 1);
    const bool is_float = oracle_mantissa_bits(type) != 0, is_signed = oracle_is_signed(type);
    for (size_t i = 0; i < n; i++) {
        uint64_t r = input_random(&state);
        uint64_t raw = position(pattern, i, n, r, base) >> (64 - bits);
        if (pattern == INPUT_SPECIAL) {
            raw = special(type, r);
        } else if (is_float) {
            raw = raw & sign ? raw ^ sign : (sign << 1) - 1 - raw; /* from -NaN to +NaN */
        } else if (is_signed) {
            raw ^= sign;
        }
        usw_store_raw((char *)keys + i * bytes, bytes, raw);
    }
}

void input_fill_exact(upsweep_type type, void *numbers, size_t n, uint64_t seed, int product)
{
    size_t bytes = upsweep_type_bytes(type);
    uint64_t state = seed;
    for (size_t i = 0; i < n; i++) {
        uint64_t r = input_random(&state);
        double eighths = (double)(r % 257) - 128;
        if (product) {
            eighths = r % 3 == 0 ? -8 : 8;
            eighths *= i % 1024 == 7 ? 2 : 1;
        }
        uint64_t raw = (uint64_t)(int64_t)eighths;
        if (oracle_mantissa_bits(type) != 0) {
            raw = oracle_round(type, (long double)eighths / 8);
        }
        usw_store_raw((char *)numbers + i * bytes, bytes, raw);
    }
}

void input_fill_bytes(void *at, size_t bytes, uint64_t seed)
{
    uint64_t state = seed;
    for (size_t i = 0; i < bytes; i += sizeof state) {
        uint64_t r = input_random(&state);
        memcpy((char *)at + i, &r, bytes - i < sizeof r ? bytes - i : sizeof r);
    }
}

double input_number(const void *array, size_t i, upsweep_type type)
{
    switch (type) {
    case UPSWEEP_U8: return ((const uint8_t *)array)[i];
    case UPSWEEP_I8: return ((const int8_t *)array)[i];
    case UPSWEEP_U16: return ((const uint16_t *)array)[i];
    case UPSWEEP_I16: return ((const int16_t *)array)[i];
    case UPSWEEP_U32: return ((const uint32_t *)array)[i];
    case UPSWEEP_I32: return ((const int32_t *)array)[i];
    case UPSWEEP_U64: return (double)((const uint64_t *)array)[i];
    case UPSWEEP_I64: return (double)((const int64_t *)array)[i];
    case UPSWEEP_F32: return (double)((const float *)array)[i];
    default: return ((const double *)array)[i];
    }
}
