/* fill.c - keys by patterns: a pattern is made as places in a range of 64 bits, then turned into
 * the element that stands at that place of its type's order, or into a number near it. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

typedef enum pattern {
    UNIFORM,
    FEW,
    EQUAL,
    SORTED,
    REVERSED,
    NEARLY,
    TAIL,
    HEAD,
    PIPE,
    LOW_BITS,
    HIGH_BITS,
    ZIPF,
    CLUSTERS,
    ONE_BUCKET,
    RUNS,
    SAWTOOTH,
    NARROW,
    SIXTEEN,
    SPECIAL,
    NAMED,
    PATTERNS = NAMED
} pattern;
static const char *const names[PATTERNS] = {
    "uniform",
    "few values",
    "equal",
    "sorted",
    "reversed",
    "nearly sorted",
    "sorted with a random tail",
    "random, then sorted",
    "organ pipe",
    "low bits only",
    "high bits only",
    "zipf",
    "clusters",
    "one bucket",
    "runs",
    "sawtooth",
    "narrow range",
    "sixteen values",
    "special",
};

/* What the places of one array are made of. */
typedef struct recipe {
    pattern kind;
    size_t n, part, run;
    uint64_t base, few, step, values[64];
} recipe;

static recipe recipe_of(fuzz *f, pattern kind, size_t n)
{
    recipe r = {.kind = kind, .n = n, .base = fuzz_random(f)};
    r.step = n < 2 ? 0 : UINT64_MAX / n;
    r.part = n == 0 ? 0 : n - fuzz_draw(f, n / (1 + fuzz_draw(f, 20)) + 1);
    r.run = 1 + (size_t)fuzz_magnitude(f, 1, n + 1);
    r.few = kind == SIXTEEN ? 16 : 2 + fuzz_draw(f, fuzz_chance(f, 2) ? 62 : 6);
    r.few = kind == FEW && fuzz_chance(f, 3) ? 30 + fuzz_draw(f, 6) : r.few;
    for (size_t i = 0; i < 64; i++) {
        r.values[i] = fuzz_random(f);
    }
    return r;
}

static uint64_t place_of(const recipe *r, size_t i, uint64_t x)
{
    switch (r->kind) {
    case FEW:
    case SIXTEEN: return r->values[x % r->few];
    case EQUAL: return r->base;
    case SORTED: return i * r->step;
    case REVERSED: return (r->n - 1 - i) * r->step;
    case NEARLY: return x % r->run == 0 ? x >> 8 << 8 : i * r->step;
    case TAIL: return i < r->part ? i * r->step : x;
    case HEAD: return i >= r->part ? i * r->step : x;
    case PIPE: return (i < r->n / 2 ? 2 * i : 2 * (r->n - 1 - i)) * (r->step / 2);
    case LOW_BITS: return x >> (32 + r->base % 31);
    case HIGH_BITS: return x & ~(UINT64_MAX >> (2 + r->base % 12));
    case ZIPF: return r->values[__builtin_ctzll(x | UINT64_C(1) << 63) & 63];
    case CLUSTERS: return r->values[x % r->few] + (x >> (16 + r->base % 40));
    case ONE_BUCKET: return x % 97 == 0 ? x : r->base >> 12 << 12 | x >> 52;
    case RUNS: return (i % r->run) * (UINT64_MAX / r->run);
    case SAWTOOTH: return (i / r->run % 2 ? r->run - i % r->run : i % r->run) * r->step;
    case NARROW: return r->base + x % (r->few * 997);
    default: return x;
    }
}

/* The element at a place of its type's whole order, from -NaN to +NaN where it has such. */
static uint64_t element_at(upsweep_type type, uint64_t place)
{
    unsigned bits = 8 * (unsigned)upsweep_type_bytes(type);
    uint64_t raw = place >> (64 - bits), sign = UINT64_C(1) << (bits - 1);
    if (fuzz_is_float(type)) {
        return raw & sign ? raw ^ sign : (sign - 1 - raw) | sign;
    }
    return fuzz_is_signed(type) ? raw ^ sign : raw;
}

/* Ends of the range, the middle, and what floats keep there: zeros of both signs, infinities, the
 * first and any NaNs, denormal numbers. */
static uint64_t special(upsweep_type type, uint64_t x)
{
    unsigned bits = 8 * (unsigned)upsweep_type_bytes(type);
    uint64_t all = UINT64_MAX >> (64 - bits), sign = UINT64_C(1) << (bits - 1);
    uint64_t infinity = fuzz_is_float(type) ? fuzz_nearest(type, 1e300 * 1e300) : sign >> 1;
    uint64_t flip = x >> 59 & 1 ? sign : 0;
    switch (x >> 60) {
    case 0:
    case 1: return flip;
    case 2: return (1 + x % 3) ^ flip;
    case 3: return infinity ^ flip;
    case 4: return (infinity + 1 + x % 2) ^ flip;
    case 5: return (infinity - 1) ^ flip;
    case 6: return (infinity | (x & (sign - 1))) ^ flip;
    case 7: return (sign - 1) ^ flip;
    case 8: return all - x % 3;
    default: return x & all;
    }
}

static bool is_infinite(upsweep_type type, uint64_t raw)
{
    return fuzz_is_float(type) && !fuzz_is_nan(type, raw) && fuzz_is_nan(type, raw + 1);
}

static void fill(fuzz *f, upsweep_type type, void *at, size_t n, bool finite)
{
    pattern kind = (pattern)fuzz_draw(f, PATTERNS);
    bool tame = fuzz_is_float(type) && fuzz_chance(f, 2);
    size_t spice = fuzz_chance(f, 6) ? 1 + (size_t)fuzz_magnitude(f, 1, 1000) : 0;
    size_t bytes = upsweep_type_bytes(type);
    double scale = (double)fuzz_magnitude(f, 1, 60000) * 0x1p-63;
    recipe r = recipe_of(f, kind, n);
    f->pattern = names[kind];
    for (size_t i = 0; i < n; i++) {
        uint64_t x = fuzz_random(f), raw;
        if (kind == SPECIAL || (spice != 0 && (x >> 20) % spice == 0)) {
            raw = special(type, fuzz_mix(x, 3));
        } else if (tame) {
            double number = (double)(int64_t)(place_of(&r, i, x) ^ UINT64_C(1) << 63);
            raw = fuzz_nearest(type, number * scale);
        } else {
            raw = element_at(type, place_of(&r, i, x));
        }
        if (finite && (fuzz_is_nan(type, raw) || is_infinite(type, raw))) {
            raw = x & 1;
        }
        fuzz_store(at, i, bytes, raw);
    }
}

void fuzz_fill(fuzz *f, upsweep_type type, void *at, size_t n)
{
    fill(f, type, at, n, false);
}

void fuzz_fill_finite(fuzz *f, upsweep_type type, void *at, size_t n)
{
    fill(f, type, at, n, true);
}

void fuzz_fill_whole(fuzz *f, upsweep_type type, void *at, size_t n, int64_t low, int64_t high)
{
    size_t bytes = upsweep_type_bytes(type);
    f->pattern = "whole numbers";
    for (size_t i = 0; i < n; i++) {
        int64_t number = low + (int64_t)fuzz_draw(f, (uint64_t)(high - low + 1));
        uint64_t raw = (uint64_t)number;
        raw = fuzz_is_float(type) ? fuzz_nearest(type, (double)number) : raw;
        fuzz_store(at, i, bytes, raw);
    }
}

void fuzz_fill_bytes(fuzz *f, void *at, size_t bytes)
{
    size_t i = 0;
    for (; i + 8 <= bytes; i += 8) {
        uint64_t x = fuzz_random(f);
        memcpy((char *)at + i, &x, 8);
    }
    for (; i < bytes; i++) {
        ((unsigned char *)at)[i] = (unsigned char)fuzz_random(f);
    }
}

void fuzz_sort_plainly(upsweep_type type, unsigned flags, void *keys, size_t n)
{
    size_t bytes = upsweep_type_bytes(type);
    upsweep_options o = {.flags = flags};
    uint64_t *rank = fuzz_ranks(type, &o, keys, n);
    uint32_t *order = fuzz_order(rank, n);
    unsigned char *copy = malloc(n * bytes + 1);
    memcpy(copy, keys, n * bytes);
    for (size_t i = 0; i < n; i++) {
        fuzz_store(keys, i, bytes, fuzz_raw(copy, order[i], bytes));
    }
    free(copy);
    free(order);
    free(rank);
}
