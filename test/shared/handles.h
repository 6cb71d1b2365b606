/* handles.h - handles for tests: every instruction set this machine has, and memory that fails. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_SHARED_HANDLES_H
#define USW_TEST_SHARED_HANDLES_H

#include <stdbool.h>

#include "upsweep.h"

enum { ISAS = 3 };
extern const char *const isa_names[ISAS];

/* True if UPSWEEP_TEST_SMALL is set: under valgrind or a sanitizer, where all is slow. */
bool test_small(void);

/* True if UPSWEEP_TEST_LONG is set, as in the long check: what a check of every change has no time
 * for. */
bool test_thorough(void);

/* Whether test i of a program is in its share: UPSWEEP_TEST_SHARE=1/3 takes every third, beginning
 * with the second. All where it is not set. */
bool test_in_share(size_t i);

/* Has arrays of 256 KB and more sorted by all threads, not from 2 MB on only, so that arrays of a
 * size for tests meet them too. */
void handle_share_early(upsweep *u);

/* A handle capped to an instruction set, which shares early, or NULL if the machine lacks it (which
 * is then said once). */
upsweep *handle_open(unsigned isa, unsigned threads);

/* An allocator that counts, that can fail, and that keeps the books: what is released must have
 * been allocated with the same size, and all calls must come from the thread that made the books.
 */
typedef struct books {
    unsigned long calls;     /* of allocate so far */
    unsigned long fail_at;   /* the number of the call that fails, from 1; 0: none */
    bool fail_after;         /* and all calls after it */
    size_t held, peak;       /* bytes */
    unsigned long live;      /* blocks */
    unsigned long strangers; /* calls from other threads, wrong sizes, bad alignments */
} books;
upsweep_status handle_open_with_books(upsweep **u, books *b, unsigned threads, size_t limit);

#endif
