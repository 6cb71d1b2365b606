/* calls_strings.c - the calls on strings in Arrow's layout. Of the type the texts take how many
 * letters there are, since strings have none of their own. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/calls.h"

#include <stdlib.h>
#include <string.h>

enum { STRINGS = 4 }; /* variants: width of offsets, direction */

static unsigned flags_of(const job *j)
{
    return j->variant / 2 % 2 ? UPSWEEP_DESCENDING : 0;
}

static uint64_t offset_at(const job *j, const void *offsets, size_t i)
{
    uint64_t offset = 0;
    memcpy(&offset, (const char *)offsets + i * j->element, j->element);
    return offset;
}

/* Arrays 0 and 1: bytes and offsets. Strings of 0 to 15 bytes, of which some begin like others. */
static size_t add_strings(job *j)
{
    j->element = j->variant % 2 ? 8 : 4;
    uint64_t *begin = malloc((j->n + 1) * sizeof *begin), state = j->seed + 5, at = j->seed % 3;
    for (size_t i = 0; i <= j->n; i++) {
        begin[i] = at;
        at += i < j->n ? input_random(&state) % 16 : 0;
    }
    unsigned char *bytes = job_add(j, (size_t)at + 1, false);
    unsigned letters = 1 + (unsigned)j->type % 4 + 16 * (j->seed % 2);
    for (size_t i = 0; i <= at; i++) {
        uint64_t drawn = input_random(&state);
        bytes[i] = (unsigned char)('a' + (drawn % 3 == 0 ? drawn / 3 % letters : 0));
    }
    char *offsets = job_add(j, (j->n + 1) * j->element, false);
    for (size_t i = 0; i <= j->n; i++) {
        memcpy(offsets + i * j->element, &begin[i], j->element);
    }
    at = begin[j->n] - begin[0];
    free(begin);
    return (size_t)at;
}

static int compare_strings(size_t a, size_t b, const void *context)
{
    const job *j = context;
    const char *bytes = job_before(j, 0);
    const void *offsets = job_before(j, 1);
    uint64_t x = offset_at(j, offsets, a), y = offset_at(j, offsets, b);
    uint64_t p = offset_at(j, offsets, a + 1) - x, q = offset_at(j, offsets, b + 1) - y;
    int order = memcmp(bytes + x, bytes + y, (size_t)(p < q ? p : q));
    order = order != 0 ? order : (p > q) - (p < q);
    return flags_of(j) != 0 ? -order : order;
}

/* Two variants of many strings are enough, whose sort the emulator takes long for. */
static bool takes(const job *j)
{
    return j->n <= 20000 || j->variant == 0 || j->variant == STRINGS - 1;
}

static bool prepare_index(job *j)
{
    if (!takes(j)) {
        return false;
    }
    (void)add_strings(j);
    job_add(j, j->n * j->element, true); /* an index as wide as the offsets */
    return true;
}

static upsweep_status run_index(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, flags_of(j));
    unsigned bits = (unsigned)j->element * 8;
    return upsweep_argsort_strings(u, job_at(j, 0), job_at(j, 1), bits, j->n, job_at(j, 2), bits,
                                   &o);
}

static const char *wrong_index(job *j)
{
    size_t *index = malloc((j->n + 1) * sizeof *index);
    oracle_argsort_by(j->n, index, compare_strings, j);
    const char *wrong = job_untouched(j) ? NULL : "an input has changed";
    for (size_t i = 0; wrong == NULL && i < j->n; i++) {
        wrong = offset_at(j, job_at(j, 2), i) == index[i] ? NULL : "a position is wrong";
    }
    free(index);
    return wrong;
}

static bool prepare_sort(job *j)
{
    if (!takes(j)) {
        return false;
    }
    size_t bytes = add_strings(j);
    job_add(j, bytes + 1, true);
    job_add(j, (j->n + 1) * j->element, true);
    return true;
}

static upsweep_status run_sort(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, flags_of(j));
    return upsweep_sort_strings(u, job_at(j, 0), job_at(j, 1), (unsigned)j->element * 8, j->n,
                                job_at(j, 2), job_at(j, 3), &o);
}

static const char *wrong_sort(job *j)
{
    size_t *index = malloc((j->n + 1) * sizeof *index);
    oracle_argsort_by(j->n, index, compare_strings, j);
    const char *wrong = job_untouched(j) ? NULL : "an input has changed";
    const char *from = job_before(j, 0), *got = job_at(j, 2);
    uint64_t at = 0;
    for (size_t i = 0; wrong == NULL && i < j->n; i++) {
        uint64_t begin = offset_at(j, job_before(j, 1), index[i]);
        uint64_t length = offset_at(j, job_before(j, 1), index[i] + 1) - begin;
        wrong = offset_at(j, job_at(j, 3), i) != at           ? "an offset is wrong"
                : memcmp(got + at, from + begin, length) != 0 ? "a string is wrong"
                                                              : NULL;
        at += length;
    }
    if (wrong == NULL && offset_at(j, job_at(j, 3), j->n) != at) {
        wrong = "the last offset is wrong";
    }
    free(index);
    return wrong;
}

const call calls_of_strings[] = {
    {"upsweep_argsort_strings", STRINGS, prepare_index, run_index, wrong_index},
    {"upsweep_sort_strings", STRINGS, prepare_sort, run_sort, wrong_sort},
    {0},
};
