/* reduce_common.h - what the tests of reduce, scan, split and moves share: random data of every
 * type, and handles for every instruction set and several thread counts. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_SHARED_REDUCE_COMMON_H
#define USW_TEST_SHARED_REDUCE_COMMON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/half.h"
#include "test/shared/inputs.h"
#include "core/keymap.h"
#include "upsweep.h"

enum { HANDLES = 6 };

/* Handle i of HANDLES: the instruction sets from portable up, with 1, 2, 3 or 7 threads. */
static inline upsweep *open_handle(int i)
{
    static const char *const isas[HANDLES] = {"portable", "avx2", "avx512",
                                              "avx512",   "avx2", "portable"};
    static const unsigned threads[HANDLES] = {1, 2, 3, 1, 7, 2};
    char *kept = getenv("UPSWEEP_ISA") != NULL ? strdup(getenv("UPSWEEP_ISA")) : NULL;
    upsweep_config config = {.threads = threads[i]};
    upsweep *u;
    setenv("UPSWEEP_ISA", isas[i], 1);
    assert_int_equal(upsweep_open(&u, "cpu", &config), UPSWEEP_OK);
    if (kept != NULL) {
        setenv("UPSWEEP_ISA", kept, 1);
        free(kept);
    } else {
        unsetenv("UPSWEEP_ISA");
    }
    return u;
}

/* The bits of a number of a floating-point type, nearest to v. */
static inline uint64_t float_bits(upsweep_type type, double v)
{
    uint64_t bits = 0;
    float f = (float)v;
    switch (type) {
    case UPSWEEP_F16: return usw_narrow_f16(v);
    case UPSWEEP_BF16: return usw_narrow_bf16(v);
    case UPSWEEP_F32: memcpy(&bits, &f, 4); return bits;
    default: memcpy(&bits, &v, 8); return bits;
    }
}

static inline double float_value(upsweep_type type, uint64_t bits)
{
    float f;
    double d;
    switch (type) {
    case UPSWEEP_F16: return (double)usw_widen_f16((uint16_t)bits);
    case UPSWEEP_BF16: return (double)usw_widen_bf16((uint16_t)bits);
    case UPSWEEP_F32: memcpy(&f, &bits, 4); return (double)f;
    default: memcpy(&d, &bits, 8); return d;
    }
}

/* The ways to fill an array. */
enum { FILL_TAME, FILL_BITS, FILL_SPECIAL, FILL_NAN, FILL_KINDS };

/* TAME: small numbers of both signs. BITS: any bits. SPECIAL: few numbers, many of them zeros,
 * huge, tiny, infinite. NAN: nothing but NaN (integers: ones). */
static inline void fill(void *data, size_t n, upsweep_type type, int kind, uint64_t seed)
{
    static const double special[] = {0.0,   -0.0,    1e300, -1e300, 1e-300, 1.0,     1e-7,   3e38,
                                     -3e38, 65504.0, 6e-8,  -1.0,   1.0e20, -1.0e20, 5e-324, 2.5};
    size_t bytes = upsweep_type_bytes(type);
    bool is_float = usw_type_is_float(type);
    uint64_t state = seed;
    for (size_t i = 0; i < n; i++) {
        uint64_t r = input_random(&state), bits = r;
        if (is_float && kind == FILL_TAME) {
            bits = float_bits(type, ((double)(r >> 40) - 8388608.0) / 4194304.0);
        } else if (is_float && kind == FILL_SPECIAL) {
            double v = special[r % 16];
            bits = float_bits(type, (r >> 32) % 512 == 0 ? 1.0 / 0.0 : v);
        } else if (kind == FILL_SPECIAL) {
            bits = r % 3 == 0 ? 0 : r % 3 == 1 ? UINT64_MAX : r >> 62;
        } else if (kind == FILL_NAN) {
            bits = UINT64_MAX ^ (is_float && (r & 1) ? UINT64_C(1) << (8 * bytes - 1) : 0);
        }
        usw_store_raw((unsigned char *)data + i * bytes, bytes, bits);
    }
}

static inline bool is_nan(upsweep_type type, uint64_t bits)
{
    return usw_type_is_float(type) && float_value(type, bits) != float_value(type, bits);
}

/* A value below b in the order of the header, NaN aside. */
static inline bool is_below(upsweep_type type, uint64_t a, uint64_t b)
{
    unsigned size = (unsigned)upsweep_type_bytes(type) * 8;
    if (usw_type_is_float(type)) {
        double x = float_value(type, a), y = float_value(type, b);
        return x < y || (x == 0.0 && y == 0.0 && (a >> (size - 1)) > (b >> (size - 1)));
    }
    if (usw_type_is_signed(type)) {
        return (int64_t)(a << (64 - size)) < (int64_t)(b << (64 - size));
    }
    return a < b;
}

static inline uint64_t element(const void *data, size_t i, upsweep_type type)
{
    size_t bytes = upsweep_type_bytes(type);
    return usw_load_raw((const unsigned char *)data + i * bytes, bytes);
}

/* An integer element as 64 bits, with its sign. */
static inline uint64_t widened(uint64_t bits, upsweep_type type)
{
    unsigned gone = 64 - (unsigned)upsweep_type_bytes(type) * 8;
    return usw_type_is_signed(type) ? (uint64_t)((int64_t)(bits << gone) >> gone) : bits;
}

/* x -> a x + b modulo 2^32, composed: associative, not commutative. */
typedef struct affine {
    uint32_t a, b;
} affine;

static inline void compose(void *accumulator, const void *elem, void *context)
{
    affine x, y;
    (void)context;
    memcpy(&x, accumulator, sizeof x);
    memcpy(&y, elem, sizeof y);
    x = (affine){y.a * x.a, y.a * x.b + y.b};
    memcpy(accumulator, &x, sizeof x);
}

#endif
