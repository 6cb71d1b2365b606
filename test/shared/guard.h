/* guard.h - arrays between pages that cannot be touched, so that a step outside ends the test. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_SHARED_GUARD_H
#define USW_TEST_SHARED_GUARD_H

#include <stdbool.h>
#include <stddef.h>

typedef struct guarded {
    unsigned char *at; /* the array */
    size_t bytes;
    unsigned char *map; /* its pages and one closed page either side */
    size_t map_bytes;
} guarded;

/* An array of `bytes` bytes that ends where a closed page starts or, with at_front, starts where
 * one ends. The rest of its pages holds a pattern that guard_intact looks at. */
guarded guard_new(size_t bytes, bool at_front);
/* True if nothing wrote into the rest of the pages. */
bool guard_intact(const guarded *g);
void guard_free(guarded *g);

#endif
