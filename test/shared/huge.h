/* huge.h - inputs of more elements than 32 bits can count. They repeat a block of random numbers,
 * so what must come out of a call follows from the block, and every element of an outcome is looked
 * at on the host. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_SHARED_HUGE_H
#define USW_TEST_SHARED_HUGE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "upsweep.h"

enum { HUGE_BLOCK = 1048573, HUGE_CHUNK = 256 << 20 };

extern struct huge {
    upsweep *plan;
    size_t n, block, beyond; /* elements; of the block; a place past 2^32 */
    uint32_t pattern[HUGE_BLOCK];
    unsigned char *chunk; /* HUGE_CHUNK bytes for what comes back from the device */
} huge;

/* Setup and teardown of the group. The emulated plugin gets 2^16 + 7 elements, to try the tests. */
int huge_start(void **state);
int huge_end(void **state);

/* Anything, and anything else: a plan does not look. */
#define ANY ((void *)256)
#define ANOTHER ((void *)512)
/* Call upsweep_NAME on the GPU, or plan it, and fail with its sentence. */
#define RUN(name, ...) huge_must(gpu, upsweep_##name(gpu, __VA_ARGS__), #name)
#define PLAN(name, ...) huge_must(huge.plan, upsweep_##name(huge.plan, __VA_ARGS__), #name)
void huge_must(upsweep *u, upsweep_status status, const char *call);
/* Skips the test, with a sentence, where the device lacks memory for its arrays and for the scratch
 * of the call just planned. */
void huge_need(const char *what, size_t array_bytes);

/* Element i of an input of elements of `bytes` bytes: the low bytes of the pattern. */
uint64_t huge_element(size_t i, size_t bytes);
/* A device array of n elements that repeats the low bytes of list[0 .. block). */
void *huge_repeated(const uint32_t *list, size_t bytes);
/* A list of the block's length, of what of() makes of the pattern. */
uint32_t *huge_list_of(uint32_t (*of)(uint32_t));

typedef struct run {
    uint64_t value, count;
} run;
/* The sorted input as runs of equal elements, one for each element of the block. */
run *huge_sorted_runs(size_t bytes);
/* Looks at all elements of a device's array: they are those runs. */
void huge_check_runs(const void *array, const run *r, size_t bytes);
/* Looks at `count` elements from `first` on: they repeat `period` elements of `list`, to which
 * `add` is added once more at each turn (modulo their width, of 1 or 4 bytes). */
void huge_check_repeats(const void *array, size_t first, size_t count, const uint32_t *list,
                        size_t period, uint32_t add, size_t bytes);

#endif
