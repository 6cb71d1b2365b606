/* half.h - binary16 and bfloat16 as floats, and back.
 *
 * Widening is exact and free of branches, so that compilers turn loops of it into vectors.
 * Narrowing starts at f64 and rounds once, to nearest even; NaN becomes the positive quiet NaN. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_HALF_H
#define USW_HALF_H

#include <stdint.h>
#include <string.h>

static inline float usw_float_of_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* The exponent field moves from bias 15 to bias 127 by a multiplication with 2^112, which also
 * makes subnormals normal; infinities and NaNs need their exponent filled up. */
static inline float usw_widen_f16(uint16_t h)
{
    uint32_t magnitude = (uint32_t)(h & 0x7fff) << 13;
    float scaled = usw_float_of_bits(magnitude) * 0x1p112f;
    uint32_t bits;
    memcpy(&bits, &scaled, sizeof bits);
    bits |= magnitude >= (UINT32_C(0x7c00) << 13) ? UINT32_C(0x7f800000) : 0;
    return usw_float_of_bits(bits | (uint32_t)(h & 0x8000) << 16);
}

static inline float usw_widen_bf16(uint16_t h)
{
    return usw_float_of_bits((uint32_t)h << 16);
}

/* `mantissa` bits are stored (10 or 7); bias is also the greatest exponent (15 or 127). */
static inline uint16_t usw_narrow(double value, int mantissa, int bias)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 63 << 15);
    uint16_t infinity = (uint16_t)((2 * bias + 1) << mantissa);
    bits &= UINT64_MAX >> 1;
    if (bits > UINT64_C(0x7ff) << 52) {
        return (uint16_t)(infinity | 1 << (mantissa - 1));
    }
    int exponent = (int)(bits >> 52) - 1023;
    if (exponent > bias) {
        return sign | infinity;
    }
    if (exponent < -bias - mantissa) {
        return sign; /* less than half of the least subnormal */
    }
    uint64_t significand = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    int drop = 52 - mantissa, field = exponent + bias - 1;
    if (field < 0) {
        drop -= field;
        field = 0;
    }
    uint64_t kept = significand >> drop, rest = significand & ((UINT64_C(1) << drop) - 1);
    uint64_t tie = UINT64_C(1) << (drop - 1);
    kept += rest > tie || (rest == tie && (kept & 1));
    /* kept still has its leading bit, which is what `field` was short of. */
    return (uint16_t)(sign | (((uint64_t)field << mantissa) + kept));
}

static inline uint16_t usw_narrow_f16(double value)
{
    return usw_narrow(value, 10, 15);
}

static inline uint16_t usw_narrow_bf16(double value)
{
    return usw_narrow(value, 7, 127);
}

#endif
