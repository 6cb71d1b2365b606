/* uneven_keys.h - keys that are uneven in every way by which the steps of a GPU's bucket sort
 * decide, for gpu_steps_sorts.c. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_GPU_UNEVEN_KEYS_H
#define USW_TEST_GPU_UNEVEN_KEYS_H

#include "test/gpu/gpu_steps.h"

static size_t looked_at = 2; /* of so many stretches of 32 keys a sample sees one: 8 on a card */

enum uneven {
    FEW_VALUES,   /* 16 */
    FEW_AND_RARE, /* the same, and 16 others that a sample seldom sees */
    FEW_HIDING,   /* the same, and many others where a sample does not look */
    AND_OF_THREE, /* many levels of ever smaller parts */
    ZIPF,
    CLUSTERS,  /* two, far apart, of 256 values */
    TOP_EQUAL, /* all but the last 8 bits */
    CROWDED,   /* 99% in the lower half of the bits */
    SPARSE,    /* values of a few leading bits, 0 behind them */
    TIMES,     /* nearly sorted */
    LOGS,      /* every number of leading zeros is as likely */
    ONE_OFF,   /* a sample misses the leading bit */
    FLOATS,    /* in [0, 1) */
    MANY_EQUAL,
    HALF_SORTED,
    EVEN,       /* in all but the first 16 bits, or 4 */
    EVEN_TIES,  /* the same, but some bits in the middle are 0 */
    EVEN_RUNS,  /* the same, and of 16 neighbours only the last bits differ */
    FLAT,       /* even in all bits */
    FLAT_LUMPS, /* the same, and one in 64 is one of 16 values */
    FLAT_TILT,  /* one in 8 has not the highest bit: half of the regions are too small */
    FLAT_SKEW,  /* of each region, more in the first buckets: counters of 8 bits overflow */
    THIN,       /* only the first two bytes differ */
    THIN_OFF,   /* the same, but in one key the last one, too */
    PARTS,      /* 12 buckets of 16 bits have all */
    RANGE,      /* even in a fifth of all, around the middle */
    MIDDLE,     /* buckets a little too large for the local sort */
    EVEN_LESS,  /* as EVEN, but of half the range */
    EVEN_LEAN,  /* as EVEN, but most have 0 in the two bits above the last half */
    VALUES,     /* 5000, spread over all buckets */
    COPIES,     /* of each value about 24, values at random */
    COPIES_300, /* the same, 300 */
    GRID,       /* the same, 60, values evenly spaced */
    COPIES_LOW, /* at random in all but the first 8 bits; 36 of a value, or 14 close together */
    LUMP,       /* even, but where a sample does not look a third is in one bucket */
    LUMP_MORE,  /* the same, two fifths */
    LUMP_LOW,   /* the same, of 18 bits */
    LUMP_LESS,  /* the same, a fifteenth */
    IN_ORDER,
    NEARLY,     /* in order, but for one in 100 where a sample does not look */
    BELL,       /* reals around 0, or integers around an eighth of the range */
    BELL_FAR,   /* the same, and one in 16 anywhere: narrow leaves beside wide ones */
    POWER_LAW,  /* small values are many, each next one is rarer */
    TAIL,       /* a sorted bell, the last hundredth is not sorted */
    MISLEADING, /* a bell; narrower where a sample does not look, so that regions are too small */
    IDS,        /* of a power law, over 17 bits: of some so many that no block holds them */
    SMALL,      /* a third is less than a 2000th of the others */
    STRAYS,     /* a narrow bell; where a sample does not look some anywhere, and many in a point */
    RARE,       /* every number of leading zeros is as likely, but the first few are rare */
    HIDDEN, /* four values of a range that is rare where a sample looks: of 2^16 keys and more */
    HIDDEN_LESS, /* the same, in one stretch of 32 */
    ROUGH,      /* squares; where a sample of 2^16 keys does not look, in a 33rd of the range: large
             * buckets, but none that no block holds */
    RANGE_WIDE, /* even in a third, up to the middle; of all types */
    RANGE_SLIM, /* even in a thirteenth, around a quarter */
    RANGE_OUT,  /* the same; where a sample does not look some anywhere, or of an odd number some
                 * that agree with others in all but the second bit */
    PATTERNS
};

/* Number i, spread at random. */
static uint64_t scattered(uint64_t i, unsigned bits)
{
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15;
    x = (x ^ x >> 32) * 0xbf58476d1ce4e5b9;
    return (x ^ x >> 29) >> (64 - bits);
}

static uint64_t uneven_key(unsigned pattern, unsigned bits, size_t i, size_t n, uint64_t *state)
{
    uint64_t r = input_random(state), full = UINT64_MAX >> (64 - bits), key = r & full;
    double unit = (double)(r >> 11) * 0x1p-53;
    switch (pattern) {
    case FEW_VALUES: return (r >> 60) * 0x1111111111111111;
    case FEW_AND_RARE: return i % 40000 == 33 ? 5 + i / 40000 % 16 : (r >> 60) * 0x1111111111111111;
    case FEW_HIDING: return i % 256 == 96 ? key : (r >> 60) * 0x1111111111111111;
    case AND_OF_THREE: return key & input_random(state) & input_random(state);
    case ZIPF: return (uint64_t)(1 / (1e-6 + unit));
    case CLUSTERS: return (r & 255) | (r >> 63 ? full << (bits - 2) : 0);
    case TOP_EQUAL: return full << 8 | (r & 255);
    case CROWDED: return input_random(state) % 100 != 0 ? key >> bits / 2 : key;
    case SPARSE: return key >> (bits - 5) << (bits - 5);
    case TIMES: return 1700000000000 + i * 3 + r % 1000;
    case LOGS: return key >> input_random(state) % bits;
    case ONE_OFF: return i == n / 3 + 1 ? full : r & 0xffff;
    case FLOATS: {
        float f = (float)(r >> 40) * 0x1p-24f;
        uint64_t raw = 0;
        memcpy(&raw, bits == 64 ? (void *)&unit : (void *)&f, bits == 64 ? 8 : 4);
        return raw;
    }
    case MANY_EQUAL: return r % 3 != 0 ? 7 : input_random(state);
    case FLAT: return key;
    case FLAT_LUMPS: return input_random(state) % 64 == 0 ? (r >> 60) * (full / 15) : key;
    case FLAT_TILT: return input_random(state) % 8 == 0 ? key >> 1 : key;
    case FLAT_SKEW: return input_random(state) % 4 == 0 ? key & ~(full >> 4 & ~(full >> 8)) : key;
    case HALF_SORTED: return i < n / 2 ? full / n * i : key;
    case EVEN: return key >> bits / 4;
    case THIN: return key & ~(full >> 16);
    case THIN_OFF: return (key & ~(full >> 16)) | (i == n / 3 + 1 ? 1 : 0);
    case PARTS: return ((r >> 32) % 12 << (bits - 4)) | (r & (full >> 16));
    case RANGE: return full / 10 * 4 + key % (full / 5 + 1);
    case EVEN_LESS: return key >> bits / 4 >> 1;
    case EVEN_LEAN: return key >> bits / 4 & ~(r >> 61 != 0 ? UINT64_C(3) << bits / 2 : 0);
    case VALUES: return (r % 5000 + 1) * 0x9e3779b97f4a7c15 >> (64 - bits);
    case COPIES: return scattered(r % (n / 24 + 1), bits);
    case COPIES_300: return scattered(r % (n / 300 + 1), bits);
    case GRID: return r % (n / 60 + 1) * (full / (n / 60 + 1));
    case COPIES_LOW: { /* of an even number, half in the last bin of a range of 16 bits */
        const unsigned copies = n % 2 == 0 ? 36 : 14;
        const uint64_t value = scattered(r % (n / copies + 1), bits) >> 8;
        return n % 2 != 0 ? value + (r >> 40 & 31)
                          : (value + (r >> 40 & r >> 42 & 3)) | (r >> 60 & 1) * 0x1ffc0;
    }
    case LUMP:
    case LUMP_MORE:
    case LUMP_LOW:
    case LUMP_LESS: {
        const bool low = pattern == LUMP_LOW || pattern == LUMP_LESS;
        const unsigned some = pattern == LUMP_MORE ? 6 : pattern == LUMP_LESS ? 2 : 5;
        const bool lump = i / 32 % looked_at != 0 && (r >> 20) % 15 < some;
        const uint64_t within = r & (pattern == LUMP_LESS ? 63 : 1023);
        return (lump ? full / 3 + within * (low ? full >> 18 : 1) : key) >> (low ? bits - 18 : 0);
    }
    case IN_ORDER: return full / n / 4 * i;
    case NEARLY: return i / 32 % looked_at != 0 && r % 50 == 0 ? key >> 1 : full / n / 2 * i;
    case EVEN_TIES: return key >> bits / 4 & ~(full >> bits * 5 / 8 << bits / 5);
    case EVEN_RUNS: return ((full >> bits / 4) / n * (i / 16) << 4) + (r >> 60) + (r >> 32 & 3);
    default: return key % (full / 16 * 11); /* 11 buckets of 16 */
    }
}

/* A number of mean 0 and deviation 1, with a bell curve: a sum of twelve. */
static double bell(uint64_t *state)
{
    double sum = -6;
    for (unsigned i = 0; i < 12; i++) {
        sum += (double)(input_random(state) >> 11) * 0x1p-53;
    }
    return sum;
}

/* The bits of a real or, where floats is not set, an integer that is as far from an eighth of the
 * range, in steps of a 2^-7 part of it. */
static uint64_t real_bits(double value, unsigned bits, bool floats)
{
    const float f = (float)value;
    uint64_t raw = 0;
    if (!floats) {
        return (uint64_t)((value + 16) * 0x1p-7 * (bits == 64 ? 0x1p64 : 0x1p32));
    }
    memcpy(&raw, bits == 64 ? (const void *)&value : (const void *)&f, bits / 8);
    return raw;
}

/* Keys as people have them. */
static uint64_t real_key(unsigned pattern, unsigned bits, size_t i, size_t n, uint64_t *state)
{
    const uint64_t any = input_random(state), full = UINT64_MAX >> (64 - bits);
    if (bits < 32) {
        return any & full;
    }
    switch (pattern) {
    case BELL_FAR: return any % 16 == 0 ? any & full : real_bits(bell(state), bits, n % 2 == 0);
    case POWER_LAW: return (any >> 32) % 3 == 0 ? any >> 59 : (any & full) >> any % (bits - 4);
    case IDS: {
        const double unit = (double)(any >> 11) * 0x1p-53;
        return (uint64_t)(1 / (unit * unit + 0x1p-17)) * 0x9e3b1 & 0x1ffff;
    }
    case SMALL: return (any & full) >> (input_random(state) % 3 == 0 ? 13 + any % 4 : 2);
    case TAIL: {
        const size_t sorted = n - n / 100;
        return i < sorted ? real_bits(3 * (2.0 * (double)i / (double)sorted - 1), bits, n % 2 == 0)
                          : real_bits(bell(state), bits, n % 2 == 0);
    }
    case STRAYS: {
        const bool hides = i / 32 % looked_at != 0;
        const double at =
            hides && any % 89 == 1 ? 10 + (double)(any >> 62) * 0x1p-17 : bell(state) + 8;
        const uint64_t near = full / 4 * 3 + (uint64_t)(at * 0x1p-15 * (double)full);
        return hides && any % 251 == 0 ? any & full : near;
    }
    case RARE: {
        const uint64_t s = input_random(state);
        return (any & full) >> (s % 150 == 0 ? s / 150 % 3 : 4 + s / 150 % (bits - 5));
    }
    case HIDDEN:
    case HIDDEN_LESS: { /* in three stretches of four, which no bucket sort holds, or in one of 8 */
        const bool hides = pattern == HIDDEN_LESS ? i / 32 % 32 == 1
                           : n % 2 == 0           ? i / 32 % 4 != 0
                                                  : i / 32 % 8 == 1;
        return hides ? 5000 + any % 4 : any % 4 != 0 ? any >> 47 : (1 << 16) + (any >> 52);
    }
    case ROUGH: {
        const double unit = (double)(any >> 11) * 0x1p-53;
        const double key = i / 32 % 4 != 0 ? 0.25 + 0.03 * unit : unit * unit;
        return (uint64_t)(key * 0x1p30) << (bits - 32);
    }
    case RANGE_WIDE:
    case RANGE_SLIM:
    case RANGE_OUT: {
        const bool hides = i / 32 % looked_at != 0 && input_random(state) % 1000 == 0;
        const double at = (double)(any >> 11) * 0x1p-53, all = (double)full;
        const uint64_t slim = (uint64_t)((0.2 + 0.075 * at) * all);
        return pattern == RANGE_WIDE             ? (uint64_t)((0.15 + 0.35 * at) * all)
               : pattern == RANGE_SLIM || !hides ? slim
               : n % 2 == 0                      ? any & full
                                                 : slim ^ UINT64_C(1) << (bits - 2);
    }
    case MISLEADING:
        return real_bits(bell(state) * (i / 32 % looked_at == 0 ? 1 : 0.02), bits, n % 2 == 0);
    default: return real_bits(bell(state), bits, n % 2 == 0);
    }
}

#endif
