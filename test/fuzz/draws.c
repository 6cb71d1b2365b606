/* draws.c - what a case draws from its stream of numbers: lengths, types, options. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/fuzz.h"

#include <string.h>

uint64_t fuzz_mix(uint64_t a, uint64_t b)
{
    uint64_t z = (a ^ (b + UINT64_C(0x9e3779b97f4a7c15))) * UINT64_C(0xd6e8feb86659fd93);
    z = (z ^ (z >> 30) ^ (a << 7)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t fuzz_random(fuzz *f) /* splitmix64 */
{
    uint64_t z = (f->random += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t fuzz_draw(fuzz *f, uint64_t below)
{
    return fuzz_random(f) % below;
}

bool fuzz_chance(fuzz *f, unsigned one_in)
{
    return fuzz_random(f) % one_in == 0;
}

uint64_t fuzz_magnitude(fuzz *f, uint64_t low, uint64_t high)
{
    unsigned shortest = low == 0 ? 0 : 64 - (unsigned)__builtin_clzll(low);
    unsigned longest = high == 0 ? 0 : 64 - (unsigned)__builtin_clzll(high);
    unsigned bits = shortest + (unsigned)fuzz_draw(f, longest - shortest + 1);
    uint64_t r = bits == 0 ? 0 : fuzz_random(f) >> (64 - bits) | UINT64_C(1) << (bits - 1);
    return r < low ? low : r > high ? high : r;
}

/* Where methods change: lengths of networks and leaves, of tiles, samples, blocks and chunks, of
 * arrays that several threads share, in keys of any width. */
static const uint32_t thresholds[] = {
    8,     16,    17,    24,    32,    48,    64,     96,     100,    104,    128,    200,
    232,   256,   384,   512,   768,   1024,  1025,   1136,   2048,   4096,   8191,   8192,
    16384, 32768, 65536, 65537, 70000, 98304, 131072, 196608, 262144, 262145, 270336, 524288,
};

static size_t threshold(fuzz *f, size_t at_most)
{
    size_t count = 0;
    while (count < sizeof thresholds / sizeof *thresholds && thresholds[count] <= at_most) {
        count++;
    }
    size_t base = thresholds[fuzz_draw(f, count)];
    size_t off = fuzz_chance(f, 3) ? fuzz_draw(f, 129) : 62 + fuzz_draw(f, 5);
    return base + off > 64 ? base + off - 64 : 0;
}

size_t fuzz_length(fuzz *f, unsigned slow)
{
    size_t wide = f->small ? 3000 : 40000, widest = f->small ? 5000 : 300000;
    uint64_t r = fuzz_draw(f, 1000);
    size_t n = r < 30                ? 0
               : r < 400             ? fuzz_draw(f, 300)
               : r < 650             ? fuzz_magnitude(f, 1, 5000)
               : r < 800             ? fuzz_draw(f, 5001)
               : r < 975             ? threshold(f, f->small ? 2048 : 9000)
               : r < 1000 - 8 / slow ? fuzz_magnitude(f, f->small ? 600 : 5000, wide)
               : fuzz_chance(f, 2)   ? threshold(f, widest)
                                     : fuzz_magnitude(f, wide, widest);
    if (f->small && n > 600 && !fuzz_chance(f, 6)) {
        n %= 600;
    }
    f->n = n < f->most ? n : f->most;
    return f->n;
}

upsweep_type fuzz_type(fuzz *f)
{
    f->type = (upsweep_type)(1 + fuzz_draw(f, 12));
    if (f->twist == TWIST_TYPE) {
        static const int none[] = {0, 13, 14, 99, -1, 1 << 20};
        f->expect = UPSWEEP_ERROR_ARGUMENT;
        return (upsweep_type)none[f->twist_at % 6];
    }
    return f->type;
}

size_t fuzz_count(fuzz *f, size_t n, size_t bytes)
{
    if (f->twist == TWIST_HUGE && bytes >= 4 && n > 0) {
        f->expect = UPSWEEP_ERROR_ARGUMENT;
        return SIZE_MAX / 2 - n;
    }
    return n;
}

void fuzz_options(fuzz *f, unsigned takes)
{
    f->options = (upsweep_options){.size = fuzz_chance(f, 4) ? 0 : sizeof f->options};
    bool none = fuzz_chance(f, 6);
    f->o = none && f->twist != TWIST_FLAG ? NULL : &f->options;
    f->options.flags = (unsigned)fuzz_random(f) & takes & (fuzz_chance(f, 2) ? ~0u : 0);
    const unsigned both = UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW;
    if ((f->options.flags & both) == both) { /* they exclude each other */
        f->options.flags &= ~(unsigned)(fuzz_chance(f, 2) ? UPSWEEP_NAN_FIRST : UPSWEEP_NAN_RAW);
    }
    if (f->o != NULL && f->twist == TWIST_FLAG) {
        unsigned bit = 1u << fuzz_draw(f, 32);
        if (!(takes & bit)) {
            f->options.flags |= bit;
            f->expect = UPSWEEP_ERROR_ARGUMENT;
        }
    }
}

void fuzz_algorithm(fuzz *f, const char *prefix)
{
    if (f->o == NULL) {
        return;
    }
    if (f->twist == TWIST_ALGORITHM) {
        static const char *const none[] = {"sort/none", "", "quick", "/", "radix/sort"};
        const char *other = strcmp(prefix, "scan/") == 0 ? "reduce/tree" : "scan/sweep";
        f->options.algorithm = f->twist_at % 2 == 0 ? other : none[f->twist_at % 5];
        f->expect = f->expect == UPSWEEP_OK ? UPSWEEP_ERROR_ALGORITHM : f->expect;
        return;
    }
    if (!fuzz_chance(f, 6)) {
        return;
    }
    size_t number = fuzz_draw(f, upsweep_algorithm_count());
    const char *name = upsweep_algorithm_at(number)->name;
    if (strncmp(name, prefix, strlen(prefix)) == 0) {
        f->options.algorithm = name;
        f->may_refuse = true; /* for want of a form, or of a length, or in place */
    }
}

void fuzz_bits(fuzz *f)
{
    unsigned bits = 8 * (unsigned)upsweep_type_bytes(f->type);
    if (f->o == NULL || (!fuzz_chance(f, 8) && f->twist != TWIST_RANGE)) {
        return;
    }
    if (f->twist == TWIST_RANGE) {
        f->options.bit_begin = (unsigned)fuzz_draw(f, bits + 2);
        f->options.bit_end = fuzz_chance(f, 2) ? bits + 1 + (unsigned)fuzz_draw(f, 100)
                                               : (unsigned)fuzz_draw(f, f->options.bit_begin + 1);
        bool none = f->options.bit_begin == 0 && f->options.bit_end == 0;
        f->expect = none ? f->expect : UPSWEEP_ERROR_ARGUMENT;
        return;
    }
    f->options.bit_end = 1 + (unsigned)fuzz_draw(f, bits);
    f->options.bit_begin = (unsigned)fuzz_draw(f, f->options.bit_end);
    if (fuzz_is_float(f->type) && (f->options.flags & UPSWEEP_DESCENDING)) {
        /* Which form is reversed, with NaN last in both directions, the header does not say. */
        f->options.flags &= ~(unsigned)UPSWEEP_NAN_FIRST;
        f->options.flags |= UPSWEEP_NAN_RAW;
    }
}
