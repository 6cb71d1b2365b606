/* external_steps.h - what the tests of sorts beyond memory share: numbers at random, pushing in
 * pieces, pulling beside what is expected, and the report. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_EXTERNAL_STEPS_H
#define USW_TEST_EXTERNAL_STEPS_H

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdbool.h>

#include "upsweep.h"

typedef struct line {
    const unsigned char *p;
    size_t bytes, number;
} line;

/* A number below `below`, of a series that is the same in every run. */
static inline uint64_t any(uint64_t below)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

static inline void push_pieces(upsweep_external *x, const unsigned char *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t step = 1 + any(200000), left = size - at;
        step = step < left ? step : left;
        assert_int_equal(upsweep_external_push(x, bytes + at, step), UPSWEEP_OK);
        at += step;
    }
}

static inline void pull_all(upsweep_external *x, const unsigned char *want, size_t size)
{
    size_t at = 0, bytes;
    const void *records;
    do {
        assert_int_equal(upsweep_external_pull(x, &records, &bytes), UPSWEEP_OK);
        assert_true(bytes <= size - at);
        assert_memory_equal(records, want + at, bytes);
        at += bytes;
    } while (bytes > 0);
    assert_int_equal(at, size);
}

static inline upsweep_external_report report_of(upsweep_external *x)
{
    upsweep_external_report r = UPSWEEP_EXTERNAL_REPORT_INIT;
    assert_int_equal(upsweep_external_last_report(x, &r), UPSWEEP_OK);
    return r;
}

#endif
