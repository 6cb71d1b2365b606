/* calls_rows.c - sorts of many rows: of one length, or of any, empty and long ones among them; and
 * columns that become rows. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/calls.h"

#include <stdlib.h>
#include <string.h>

enum { FIXED, ANY, WITH_INDEX, WITH_LONG_INDEX, FIXED_WITH_INDEX, VARIANTS };

static unsigned order_of(const job *j)
{
    static const unsigned orders[VARIANTS] = {0, UPSWEEP_DESCENDING, 0, UPSWEEP_DESCENDING,
                                              UPSWEEP_NAN_FIRST};
    return orders[j->variant];
}

static bool is_fixed(const job *j)
{
    return j->variant == FIXED || j->variant == FIXED_WITH_INDEX;
}

void job_add_offsets(job *j)
{
    uint64_t state = j->seed + 3, *begin = malloc((j->n + 3) * sizeof *begin);
    size_t at = j->n > 3, end = j->n - (j->n > 3), rows = 0;
    while (at < end && rows < j->n) {
        uint64_t r = input_random(&state);
        size_t keys = r % 50 == 0 ? (size_t)(r >> 8) % 9000 : (size_t)(r >> 8) % 41;
        begin[rows++] = at;
        at += keys < end - at ? keys : end - at;
    }
    begin[rows] = at;
    memcpy(job_add(j, (rows + 1) * sizeof *begin, false), begin, (rows + 1) * sizeof *begin);
    j->k = rows;
    free(begin);
}

static bool prepare_rows(job *j)
{
    size_t bytes = upsweep_type_bytes(j->type), row_keys = 16;
    input_fill(j->pattern, j->type, job_add(j, j->n * bytes, false), j->n, j->seed);
    if (is_fixed(j)) {
        while (j->n % row_keys != 0) {
            row_keys--;
        }
        j->k = j->n / row_keys;
        job_add(j, 0, false);
    } else {
        job_add_offsets(j);
    }
    j->element = j->variant == ANY || j->variant == FIXED ? 0
                 : j->variant == WITH_LONG_INDEX          ? 8
                                                          : 4;
    job_add(j, j->n * j->element, true);
    return true;
}

static upsweep_status run_rows(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, order_of(j));
    return upsweep_sort_rows(u, job_at(j, 0), j->n, j->type, is_fixed(j) ? NULL : job_at(j, 1),
                             j->k, j->element == 0 ? NULL : job_at(j, 2), (unsigned)j->element * 8,
                             &o);
}

static size_t row_begin(const job *j, size_t r)
{
    const uint64_t *begin = job_before(j, 1);
    return is_fixed(j) ? (j->k == 0 ? 0 : r * (j->n / j->k)) : (size_t)begin[r];
}

static const char *wrong_row(const job *j, size_t at, size_t n)
{
    size_t bytes = upsweep_type_bytes(j->type);
    const char *before = (const char *)job_before(j, 0) + at * bytes;
    const char *wrong =
        oracle_sorted(j->type, order_of(j), before, (const char *)job_at(j, 0) + at * bytes, n);
    size_t *index = malloc((n + 1) * sizeof *index);
    oracle_argsort(j->type, order_of(j), before, n, index);
    for (size_t i = 0; wrong == NULL && j->element != 0 && i < n; i++) {
        uint64_t got = 0;
        memcpy(&got, (const char *)job_at(j, 2) + (at + i) * j->element, j->element);
        wrong = got == index[i] ? NULL : "an index is not that of the row's stable order";
    }
    free(index);
    return wrong;
}

/* What is in no row must not change. */
static bool kept(const job *j, size_t from, size_t to)
{
    size_t bytes = upsweep_type_bytes(j->type);
    return memcmp((const char *)job_at(j, 0) + from * bytes,
                  (const char *)job_before(j, 0) + from * bytes, (to - from) * bytes) == 0 &&
           memcmp((const char *)job_at(j, 2) + from * j->element,
                  (const char *)job_before(j, 2) + from * j->element,
                  (to - from) * j->element) == 0;
}

static const char *wrong_rows(job *j)
{
    const char *wrong = NULL;
    for (size_t r = 0; r < j->k && wrong == NULL; r++) {
        wrong = wrong_row(j, row_begin(j, r), row_begin(j, r + 1) - row_begin(j, r));
    }
    if (wrong == NULL && !is_fixed(j) &&
        (!kept(j, 0, row_begin(j, 0)) || !kept(j, row_begin(j, j->k), j->n))) {
        wrong = "a key in no row has changed";
    }
    return wrong;
}

/* ---- an array of one or two matrices, of elements of so many bytes by variant ---- */

/* The last of some that divide n, and what is left, in turn. */
static size_t inner_of(const job *j)
{
    static const size_t some[] = {2, 3, 7, 32, 70};
    size_t n = j->n / j->k, inner = 1;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        inner = n % some[i] == 0 ? some[i] : inner;
    }
    return j->seed % 2 == 0 || n == 0 ? inner : n / inner;
}

static bool prepare_transpose(job *j)
{
    bool takes = job_add_elements(j);
    j->k = 1 + (j->n % 2 == 0 && j->seed % 3 == 0); /* matrices */
    job_add(j, j->n * j->element, true);
    return takes;
}

static upsweep_status run_transpose(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, 0);
    size_t inner = inner_of(j);
    return upsweep_transpose(u, job_at(j, 0), j->k, j->n / j->k / inner, inner, job_at(j, 1),
                             j->element, &o);
}

static const char *wrong_transpose(job *j)
{
    const char *in = job_before(j, 0), *out = job_at(j, 1);
    size_t inner = inner_of(j), length = j->n / j->k / inner;
    for (size_t i = 0; i < j->n; i++) {
        size_t at = i % (length * inner), to = i - at + at % inner * length + at / inner;
        if (memcmp(out + to * j->element, in + i * j->element, j->element) != 0) {
            return "an element is wrong";
        }
    }
    return job_untouched(j) ? NULL : "the input has changed";
}

const call calls_of_rows[] = {
    {"upsweep_sort_rows", VARIANTS, prepare_rows, run_rows, wrong_rows},
    {"upsweep_transpose", JOB_SIZES, prepare_transpose, run_transpose, wrong_transpose},
    {0},
};
