/* inputs.h - arrays to test with: patterns that sorts find easy, hard or surprising. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_SHARED_INPUTS_H
#define USW_TEST_SHARED_INPUTS_H

#include "upsweep.h"

typedef enum input_pattern {
    INPUT_UNIFORM,
    INPUT_SORTED,
    INPUT_REVERSED,
    INPUT_ORGAN_PIPE,
    INPUT_FEW_VALUES,
    INPUT_EQUAL,
    INPUT_ALMOST_SORTED,
    INPUT_ZIPF,
    INPUT_SHARED_TOP_BITS,
    INPUT_TWO_CLUSTERS,
    INPUT_ONE_FULL_BUCKET, /* 99% of the keys lie in a thousandth of the range */
    INPUT_SPECIAL,         /* ends of the range; NaN, infinities, zeros of both signs, denormals */
    INPUT_PATTERNS
} input_pattern;

const char *input_name(unsigned pattern);

/* A step of splitmix64: a stream of 64-bit numbers from any seed. */
uint64_t input_random(uint64_t *state);

/* Whether number i is of those that are left when one of so many is taken, here and there. */
static inline int input_one_in(unsigned many, uint64_t i)
{
    return input_random(&i) % many == 0;
}

/* Fills n keys of the type. The same arguments give the same keys. */
void input_fill(unsigned pattern, upsweep_type type, void *keys, size_t n, uint64_t seed);

/* Fills n numbers whose sums are exact in any order of addition: small integers, and eighths of
 * them for floating-point types. With product, numbers whose products are exact and stay in range.
 */
void input_fill_exact(upsweep_type type, void *numbers, size_t n, uint64_t seed, int product);

/* Any bytes. */
void input_fill_bytes(void *at, size_t bytes, uint64_t seed);

/* Element i of an array of integers, f32 or f64. */
double input_number(const void *array, size_t i, upsweep_type type);

#endif
