/* halves.h - arrays of f16 and bf16 to floats, and of doubles to them, each rounded once, without
 * branches, so that compilers turn the loops into vectors.
 *
 * A double first loses all bits behind the 23rd (bf16: the 12th) of its fraction, the last of which
 * is set if any was lost. Such a number is a float exactly, or so small that a half of it is 0, and
 * rounds to a half as the double does, since it lies on a tie only if the double does. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CPU_FOLDS_HALVES_H
#define USW_CPU_FOLDS_HALVES_H

#include "cpu/body.h"
#include "core/half.h"

static inline void widen_halves(upsweep_type type, const uint16_t *x, size_t n, float *out)
{
    size_t i = 0;
    if (type == UPSWEEP_BF16) {
        for (; i < n; i++) {
            out[i] = usw_widen_bf16(x[i]);
        }
        return;
    }
#if USW_LEVEL == 2
    for (; i + 16 <= n; i += 16) {
        _mm512_storeu_ps(out + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(x + i))));
    }
#endif
    for (; i < n; i++) {
        out[i] = usw_widen_f16(x[i]);
    }
}

/* The bits of a double as a float with `kept` bits of its fraction. */
static inline uint32_t float_bits_of(double value, int kept)
{
    const uint64_t lost = (UINT64_C(1) << (52 - kept)) - 1;
    uint64_t bits;
    uint32_t float_bits;
    memcpy(&bits, &value, sizeof bits);
    bits = (bits | ((bits & lost) + lost)) & ~lost;
    memcpy(&value, &bits, sizeof value);
    float narrow = (float)value;
    memcpy(&float_bits, &narrow, sizeof float_bits);
    return float_bits;
}

static inline uint16_t branchless_bf16(double value)
{
    uint32_t bits = float_bits_of(value, 12);
    uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
    return (uint16_t)((bits & 0x7fffffff) > UINT32_C(0x7f800000) ? 0x7fc0 : rounded);
}

static inline uint16_t branchless_f16(double value)
{
    const uint32_t least_normal = UINT32_C(113) << 23, above = UINT32_C(143) << 23;
    uint32_t bits = float_bits_of(value, 23), size = bits & 0x7fffffff, subnormal;
    uint32_t rounded = (size - (UINT32_C(112) << 23) + 0xfff + ((size >> 13) & 1)) >> 13;
    /* A float of one half counts in steps of 2^-24, as subnormals do. */
    float at_half = usw_float_of_bits(size < least_normal ? size : 0) + 0.5f;
    memcpy(&subnormal, &at_half, sizeof subnormal);
    rounded = size < least_normal ? subnormal - (UINT32_C(126) << 23) : rounded;
    rounded = size >= above ? 0x7c00 : rounded;
    rounded |= (bits >> 16) & 0x8000;
    return (uint16_t)(size > UINT32_C(0x7f800000) ? 0x7e00 : rounded);
}

static inline void narrow_halves(upsweep_type type, const double *x, size_t n, uint16_t *out)
{
    if (type == UPSWEEP_F16) {
        for (size_t i = 0; i < n; i++) {
            out[i] = branchless_f16(x[i]);
        }
    } else {
        for (size_t i = 0; i < n; i++) {
            out[i] = branchless_bf16(x[i]);
        }
    }
}

#endif
