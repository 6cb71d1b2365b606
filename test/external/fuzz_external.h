/* fuzz_external.h - a case of fuzz_external.c: what is sorted, and what must come out. */
/* SPDX-License-Identifier: MIT */
#ifndef TEST_EXTERNAL_FUZZ_EXTERNAL_H
#define TEST_EXTERNAL_FUZZ_EXTERNAL_H

#include <stdbool.h>
#include <stdio.h>

#include "test/shared/inputs.h"
#include "upsweep.h"

enum { MB = 1 << 20, MOST = 64 * MB };
enum { LINES, RECORDS, ELEMENTS };
enum { UNIFORM, FEW, IN_ORDER, FALLING, MOSTLY_IN_ORDER, RUNS, PATTERNS };

typedef struct one_case {
    uint64_t random;
    upsweep_external_config config;
    upsweep_field field;
    int kind, pattern;
    bool file;
    FILE *source;                     /* a file that has the same bytes, or NULL */
    size_t longest, allocated, bytes; /* a line, the block that was allocated, and of the input */
    unsigned char *in, *want;
    size_t want_bytes;
    char wrong[300];
} one_case;

static inline uint64_t case_draw(one_case *c, uint64_t below)
{
    return input_random(&c->random) % below;
}

/* Small sizes often, and some of each size up to the most. */
size_t case_draw_size(one_case *c, size_t least, size_t most);
/* Keeps the first sentence on what is wrong. */
void case_wrong(one_case *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- fuzz_external_input.c ---- */

/* c->in in the pattern of the case. */
void case_fill(one_case *c);
/* The input in order; of equal records all, or the first. Returns the bytes. */
size_t case_sort_serially(one_case *c, bool unique, unsigned char *to);

#endif
