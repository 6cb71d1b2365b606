/* moves.c - gather, scatter, permute, reverse. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

/* What all of them draw. */
typedef struct move {
    size_t n, limit, bytes, index_bytes;
    unsigned index_bits; /* to be given */
} move;

static move draw_move(fuzz *f)
{
    static const uint8_t common[] = {1, 2, 4, 8, 16};
    move m = {.n = fuzz_length(f, 2), .index_bytes = fuzz_chance(f, 2) ? 4 : 8};
    m.bytes = fuzz_chance(f, 3) ? 1 + (size_t)fuzz_magnitude(f, 0, 80) : common[fuzz_draw(f, 5)];
    m.limit = fuzz_chance(f, 2) ? m.n : 1 + (size_t)fuzz_magnitude(f, 0, 2 * m.n + 1);
    m.limit = m.limit == 0 && m.n > 0 ? 1 : m.limit;
    m.index_bits = (unsigned)m.index_bytes * 8;
    fuzz_options(f, 0);
    if (f->o != NULL && f->twist == TWIST_ALGORITHM) {
        f->options.algorithm = "scan/sweep";
        f->expect = UPSWEEP_ERROR_ALGORITHM;
    } else if (f->twist == TWIST_TYPE) {
        m.index_bits = f->twist_at % 2 == 0 ? 16 : 0;
        f->expect = UPSWEEP_ERROR_ARGUMENT;
    }
    fuzz_detail(f, ", elements of %zu bytes, index of %u bits below %zu", m.bytes, m.index_bits,
                m.limit);
    return m;
}

/* Any positions below the limit; near to one another, or far. */
static unsigned char *add_index(fuzz *f, const move *m)
{
    unsigned char *index = fuzz_array_new(f, FUZZ_INPUT, m->n, m->index_bytes, m->index_bytes);
    uint64_t kind = fuzz_draw(f, 4), few = 1 + fuzz_magnitude(f, 0, m->limit);
    for (size_t i = 0; i < m->n; i++) {
        uint64_t at = kind == 0   ? i % m->limit
                      : kind == 1 ? (m->n - 1 - i) % m->limit
                      : kind == 2 ? fuzz_draw(f, few < m->limit ? few : m->limit)
                                  : fuzz_draw(f, m->limit);
        fuzz_store(index, i, m->index_bytes, at);
    }
    return index;
}

/* One index that is out of range, by a little or by much. */
static void twist_index(fuzz *f, const move *m, unsigned char *index)
{
    if (f->twist == TWIST_RANGE && f->expect == UPSWEEP_OK && m->n > 0) {
        uint64_t far = m->index_bytes == 4 ? UINT32_MAX : UINT64_MAX;
        fuzz_store(index, fuzz_draw(f, m->n), m->index_bytes,
                   f->twist_at % 2 == 0 ? m->limit : far - f->twist_at / 2);
        f->expect = UPSWEEP_ERROR_RANGE;
    }
}

static void run_gather(fuzz *f)
{
    move m = draw_move(f);
    fuzz_fill_bytes(f, fuzz_array_new(f, FUZZ_INPUT, m.limit, m.bytes, 1), m.limit * m.bytes);
    unsigned char *index = add_index(f, &m);
    twist_index(f, &m, index);
    fuzz_array_new(f, FUZZ_OUTPUT, m.n, m.bytes, 1);
    fuzz_arrays_ready(f);
    size_t count = fuzz_count(f, m.n, m.bytes);
    void *in = f->array[0].device ? f->array[0].device : f->array[0].at;
    void *by = fuzz_at(f, 1), *out = fuzz_at(f, 2);
    if (fuzz_settle(
            f, upsweep_gather(f->u, in, m.limit, by, m.index_bits, out, count, m.bytes, f->o))) {
        for (size_t i = 0; i < m.n; i++) {
            uint64_t at = fuzz_raw(index, i, m.index_bytes);
            if (memcmp(f->array[2].at + i * m.bytes, fuzz_before(f, 0) + at * m.bytes, m.bytes)) {
                fuzz_wrong(f, "element %zu is not that of position %llu", i,
                           (unsigned long long)at);
                break;
            }
        }
        fuzz_report(f, SIZE_MAX);
    }
}

static void run_scatter(fuzz *f)
{
    move m = draw_move(f);
    fuzz_fill_bytes(f, fuzz_array_new(f, FUZZ_INPUT, m.n, m.bytes, 1), m.n * m.bytes);
    unsigned char *index = add_index(f, &m);
    twist_index(f, &m, index);
    fuzz_fill_bytes(f, fuzz_array_new(f, FUZZ_IN_PLACE, m.limit, m.bytes, 1), m.limit * m.bytes);
    fuzz_arrays_ready(f);
    size_t count = fuzz_count(f, m.n, m.bytes);
    void *in = fuzz_at(f, 0), *by = fuzz_at(f, 1);
    void *out = f->array[2].device ? f->array[2].device : f->array[2].at;
    if (fuzz_settle(
            f, upsweep_scatter(f->u, in, by, m.index_bits, out, m.limit, count, m.bytes, f->o))) {
        unsigned char *want = malloc(m.limit * m.bytes + 1);
        memcpy(want, fuzz_before(f, 2), m.limit * m.bytes);
        for (size_t i = 0; i < m.n; i++) { /* the last one wins */
            memcpy(want + fuzz_raw(index, i, m.index_bytes) * m.bytes,
                   fuzz_before(f, 0) + i * m.bytes, m.bytes);
        }
        if (memcmp(want, f->array[2].at, m.limit * m.bytes) != 0) {
            fuzz_wrong(f, "an element is wrong");
        }
        free(want);
        fuzz_report(f, SIZE_MAX);
    }
}

static void run_permute(fuzz *f)
{
    move m = draw_move(f);
    m.limit = m.n;
    fuzz_fill_bytes(f, fuzz_array_new(f, FUZZ_IN_PLACE, m.n, m.bytes, 1), m.n * m.bytes);
    unsigned char *index = fuzz_array_new(f, FUZZ_INPUT, m.n, m.index_bytes, m.index_bytes);
    uint64_t near = 1 + fuzz_magnitude(f, 0, m.n);
    for (size_t i = 0; i < m.n; i++) { /* swapped with one before it */
        size_t with = i - (size_t)fuzz_draw(f, near < i + 1 ? near : i + 1);
        fuzz_store(index, i, m.index_bytes, i);
        uint64_t at = fuzz_raw(index, with, m.index_bytes);
        fuzz_store(index, with, m.index_bytes, i);
        fuzz_store(index, i, m.index_bytes, at);
    }
    if (m.n > 1 && f->twist == TWIST_RANGE && f->twist_at % 4 == 3 && f->expect == UPSWEEP_OK) {
        fuzz_store(index, 0, m.index_bytes, fuzz_raw(index, m.n - 1, m.index_bytes)); /* twice */
        f->expect = UPSWEEP_ERROR_RANGE;
    }
    twist_index(f, &m, index);
    fuzz_arrays_ready(f);
    size_t count = fuzz_count(f, m.n, m.bytes);
    void *data = fuzz_at(f, 0), *by = fuzz_at(f, 1);
    if (fuzz_settle(f, upsweep_permute(f->u, data, by, m.index_bits, count, m.bytes, f->o))) {
        for (size_t i = 0; i < m.n; i++) {
            uint64_t to = fuzz_raw(index, i, m.index_bytes);
            if (memcmp(f->array[0].at + to * m.bytes, fuzz_before(f, 0) + i * m.bytes, m.bytes)) {
                fuzz_wrong(f, "element %zu did not go to %llu", i, (unsigned long long)to);
                break;
            }
        }
        fuzz_report(f, m.n * m.bytes + m.n / 8 + 65536);
    }
}

static void run_reverse(fuzz *f)
{
    move m = draw_move(f);
    if (m.index_bits != m.index_bytes * 8) { /* it has no index */
        f->expect = UPSWEEP_OK;
    }
    fuzz_fill_bytes(f, fuzz_array_new(f, FUZZ_IN_PLACE, m.n, m.bytes, 1), m.n * m.bytes);
    fuzz_arrays_ready(f);
    size_t count = fuzz_count(f, m.n, m.bytes);
    if (fuzz_settle(f, upsweep_reverse(f->u, fuzz_at(f, 0), count, m.bytes, f->o))) {
        for (size_t i = 0; i < m.n; i++) {
            if (memcmp(f->array[0].at + i * m.bytes, fuzz_before(f, 0) + (m.n - 1 - i) * m.bytes,
                       m.bytes)) {
                fuzz_wrong(f, "element %zu is wrong", i);
                break;
            }
        }
        fuzz_report(f, 0);
    }
}

static void run_reverse_copy(fuzz *f)
{
    move m = draw_move(f);
    if (m.index_bits != m.index_bytes * 8) { /* it has no index */
        f->expect = UPSWEEP_OK;
    }
    fuzz_fill_bytes(f, fuzz_array_new(f, FUZZ_INPUT, m.n, m.bytes, 1), m.n * m.bytes);
    fuzz_array_new(f, FUZZ_OUTPUT, m.n, m.bytes, 1);
    fuzz_arrays_ready(f);
    void *in = fuzz_at(f, 0), *out = fuzz_at(f, 1);
    size_t count = fuzz_count(f, m.n, m.bytes);
    if (fuzz_settle(f, upsweep_reverse_copy(f->u, in, out, count, m.bytes, f->o))) {
        for (size_t i = 0; i < m.n; i++) {
            if (memcmp(f->array[1].at + i * m.bytes, fuzz_before(f, 0) + (m.n - 1 - i) * m.bytes,
                       m.bytes)) {
                fuzz_wrong(f, "element %zu is wrong", i);
                break;
            }
        }
        fuzz_report(f, 0);
    }
}

const fuzz_call fuzz_moves[] = {
    {"upsweep_gather", 3, run_gather, false},
    {"upsweep_scatter", 3, run_scatter, false},
    {"upsweep_permute", 3, run_permute, false},
    {"upsweep_reverse", 2, run_reverse, false},
    {"upsweep_reverse_copy", 1, run_reverse_copy, false},
    {0},
};
