/* float16.c - binary16 has 5 exponent and 10 fraction bits, bfloat16 has 8 and 7; both follow IEEE
 * 754, so one pair of functions over the number of fraction bits serves both. */
/* SPDX-License-Identifier: MIT */
#include "io/float16.h"

#include <math.h>

static double widen(uint16_t bits, int fraction)
{
    int exponents = 15 - fraction, bias = (1 << (exponents - 1)) - 1;
    int exponent = (bits & 0x7fff) >> fraction;
    int low = bits & ((1 << fraction) - 1);
    double value;
    if (exponent == (1 << exponents) - 1) {
        value = low != 0 ? (double)NAN : (double)INFINITY;
    } else if (exponent == 0) {
        value = ldexp(low, 1 - bias - fraction);
    } else {
        value = ldexp(low + (1 << fraction), exponent - bias - fraction);
    }
    return (bits & 0x8000) != 0 ? -value : value;
}

static uint16_t narrow(double value, int fraction)
{
    int exponents = 15 - fraction, bias = (1 << (exponents - 1)) - 1;
    unsigned sign = signbit(value) ? 0x8000u : 0;
    unsigned infinite = ((1u << exponents) - 1) << fraction;
    if (isnan(value)) {
        return (uint16_t)(sign | infinite | 1u << (fraction - 1));
    }
    double size = fabs(value);
    if (isinf(size) || size == 0) {
        return (uint16_t)(sign | (size == 0 ? 0 : infinite));
    }
    int exponent = ilogb(size);
    int least = 1 - bias; /* below it the spacing stays as it is */
    int unit = (exponent < least ? least : exponent) - fraction;
    double units = nearbyint(ldexp(size, -unit)); /* rounding up may carry into the exponent */
    unsigned bits = (unsigned)fmin(units, 65536);
    if (exponent >= least) {
        long carried = ((long)(exponent + bias) << fraction) + (long)bits - (1L << fraction);
        bits = carried > (long)infinite ? infinite : (unsigned)carried;
    }
    return (uint16_t)(sign | bits);
}

double io_from_f16(uint16_t bits)
{
    return widen(bits, 10);
}
double io_from_bf16(uint16_t bits)
{
    return widen(bits, 7);
}
uint16_t io_to_f16(double value)
{
    return narrow(value, 10);
}
uint16_t io_to_bf16(double value)
{
    return narrow(value, 7);
}
