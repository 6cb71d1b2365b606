/* ways.h - keys for tests that look for the ways that calls seldom go (test_ways_*.c). */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_SHARED_WAYS_H
#define USW_TEST_SHARED_WAYS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above first. */
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "test/shared/handles.h"
#include "test/shared/inputs.h"
#include "test/shared/oracle.h"

static inline void require(const char *wrong, const char *what, unsigned isa, unsigned type,
                           unsigned k)
{
    if (wrong != NULL) {
        fail_msg("%s, %s, %s, case %u: %s", what, isa_names[isa],
                 upsweep_type_name((upsweep_type)type), k, wrong);
    }
}

/* Patterns beside those of inputs.h: most keys are the greatest there is, or the least, or half of
 * them lie within a thousandth of the range. */
enum { HALF_GREATEST = INPUT_PATTERNS, HALF_LEAST, CLOSE, PATTERNS };

static inline void fill(unsigned pattern, upsweep_type type, void *keys, size_t n)
{
    size_t bytes = upsweep_type_bytes(type);
    uint64_t random = 5, least = 0, greatest = UINT64_MAX;
    input_fill(pattern < INPUT_PATTERNS ? pattern : INPUT_UNIFORM, type, keys, n, 11);
    if (oracle_is_signed(type)) {
        least = UINT64_C(1) << (8 * bytes - 1);
        greatest = ~least;
    } else if (oracle_mantissa_bits(type) != 0) { /* the infinities */
        greatest = ((UINT64_C(1) << (8 * bytes - 1 - oracle_mantissa_bits(type))) - 1)
                   << oracle_mantissa_bits(type);
        least = greatest | UINT64_C(1) << (8 * bytes - 1);
    }
    for (size_t i = 0; pattern >= INPUT_PATTERNS && i < n; i++) {
        uint64_t r = input_random(&random), x = pattern == HALF_LEAST ? least : greatest;
        if (pattern == CLOSE) { /* half of the keys within a thousandth of the range */
            input_fill(INPUT_SHARED_TOP_BITS, type, &x, 1, 3);
            x ^= r >> (64 - 4 * bytes);
        }
        if (r % 5 < 3) {
            memcpy((char *)keys + i * bytes, &x, bytes);
        }
    }
}

/* Sorts n keys that were filled in the pattern, and compares. */
static inline void check_sort(upsweep *u, unsigned isa, unsigned type, unsigned pattern, void *keys,
                              size_t n, const upsweep_options *o)
{
    size_t bytes = upsweep_type_bytes((upsweep_type)type);
    void *before = malloc(n * bytes);
    assert_non_null(before);
    memcpy(before, keys, n * bytes);
    upsweep_status status = upsweep_sort(u, keys, n, (upsweep_type)type, o);
    require(status != UPSWEEP_OK
                ? upsweep_error(u)
                : oracle_sorted((upsweep_type)type, o->flags & ~(unsigned)UPSWEEP_IN_PLACE, before,
                                keys, n),
            "sort", isa, type, pattern);
    free(before);
}

#endif
