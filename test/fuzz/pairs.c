/* pairs.c - sorts of keys that carry values along, and the order of keys as positions. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum {
    TAKES = UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW | UPSWEEP_UNSTABLE,
    TWO_MEGABYTES = 2 << 20
};

static void both_nans(fuzz *f)
{
    if (f->twist == TWIST_RANGE && f->o != NULL && f->expect == UPSWEEP_OK) {
        f->options.flags |= UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW;
        f->expect = UPSWEEP_ERROR_ARGUMENT;
    }
}

static size_t packed_bytes(const fuzz *f)
{
    return upsweep_type_bytes(f->type) <= 4 ? 8 : 16;
}

static void keep_short(fuzz *f)
{
    const char *name = f->o == NULL ? NULL : f->o->algorithm;
    if (name != NULL && f->n > 1000 &&
        (strcmp(name, "sort/oddeven") == 0 || strcmp(name, "sort/bitonic") == 0)) {
        f->n = f->n % 1000;
    }
}

/* ---- upsweep_sort_pairs ---- */

/* Any order of equal keys will do: pairs are those of the input, and their keys in order. */
static void check_unstable(fuzz *f, size_t key_bytes, size_t value_bytes)
{
    size_t n = f->n, bytes = key_bytes + value_bytes;
    unsigned char *pairs[2] = {malloc(n * bytes + 1), malloc(n * bytes + 1)};
    for (size_t i = 0; i < n; i++) {
        for (int side = 0; side < 2; side++) {
            const unsigned char *keys = side == 0 ? fuzz_before(f, 0) : f->array[0].at;
            const unsigned char *values = side == 0 ? fuzz_before(f, 1) : f->array[1].at;
            memcpy(pairs[side] + i * bytes, keys + i * key_bytes, key_bytes);
            memcpy(pairs[side] + i * bytes + key_bytes, values + i * value_bytes, value_bytes);
        }
    }
    if (fuzz_sum_of_elements(pairs[0], n, bytes) != fuzz_sum_of_elements(pairs[1], n, bytes)) {
        fuzz_wrong(f, "the pairs are not those of the input");
    }
    uint64_t *rank = fuzz_ranks(f->type, f->o, f->array[0].at, n);
    for (size_t i = 1; i < n; i++) {
        if (rank[i - 1] > rank[i]) {
            fuzz_wrong(f, "key %zu is less than the one before it", i);
            break;
        }
    }
    free(rank);
    free(pairs[0]);
    free(pairs[1]);
}

static void check_pairs(fuzz *f, size_t key_bytes, size_t value_bytes)
{
    uint64_t *rank = fuzz_ranks(f->type, f->o, fuzz_before(f, 0), f->n);
    uint32_t *order = fuzz_order(rank, f->n);
    if (fuzz_moved(f, "key", f->array[0].at, fuzz_before(f, 0), order, f->n, key_bytes)) {
        fuzz_moved(f, "value", f->array[1].at, fuzz_before(f, 1), order, f->n, value_bytes);
    }
    free(order);
    free(rank);
}

static void run_pairs(fuzz *f)
{
    static const uint8_t sizes[] = {4, 8, 1, 2, 16, 3, 12, 24, 32, 5, 7, 20};
    fuzz_length(f, 2);
    upsweep_type type = fuzz_type(f);
    size_t bytes = upsweep_type_bytes(f->type);
    size_t value = fuzz_chance(f, 8) ? 1 + (size_t)fuzz_draw(f, 70) : sizes[fuzz_draw(f, 12)];
    fuzz_options(f, TAKES);
    fuzz_bits(f);
    both_nans(f);
    fuzz_algorithm(f, "sort/");
    keep_short(f);
    size_t n = f->n;
    fuzz_detail(f, ", values of %zu bytes", value);
    fuzz_fill(f, f->type, fuzz_array_new(f, FUZZ_IN_PLACE, n, bytes, bytes), n);
    fuzz_fill_bytes(f, fuzz_array_new(f, FUZZ_IN_PLACE, n, value, 1), n * value);
    fuzz_arrays_ready(f);
    size_t count = fuzz_count(f, n, value > bytes ? value : bytes);
    upsweep_status status =
        upsweep_sort_pairs(f->u, fuzz_at(f, 0), fuzz_at(f, 1), count, type, value, f->o);
    if (!fuzz_settle(f, status)) {
        return;
    }
    if (fuzz_flags(f) & UPSWEEP_UNSTABLE) {
        check_unstable(f, bytes, value);
    } else {
        check_pairs(f, bytes, value);
    }
    fuzz_report(f, 2 * n * packed_bytes(f) + n * value + TWO_MEGABYTES * (size_t)f->threads);
}

/* ---- upsweep_argsort ---- */

/* Positions whose ranks ascend, and among equal ranks the positions themselves, are all different,
 * and hence a permutation: the one stable order. */
static void check_argsort(fuzz *f, size_t index_bytes)
{
    uint64_t *rank = fuzz_ranks(f->type, f->o, fuzz_before(f, 0), f->n);
    unsigned char *seen = calloc(f->n + 1, 1);
    bool stable = !(fuzz_flags(f) & UPSWEEP_UNSTABLE);
    uint64_t before = 0;
    for (size_t i = 0; i < f->n && f->wrong[0] == '\0'; i++) {
        uint64_t at = fuzz_raw(f->array[1].at, i, index_bytes);
        if (at >= f->n || seen[at]++) {
            fuzz_wrong(f, "index %zu is %llu, which is no position, or comes twice", i,
                       (unsigned long long)at);
        } else if (i > 0 && (rank[before] > rank[at] ||
                             (stable && rank[before] == rank[at] && before > at))) {
            fuzz_wrong(f, "index %zu is %llu, which does not come after %llu", i,
                       (unsigned long long)at, (unsigned long long)before);
        }
        before = at;
    }
    free(seen);
    free(rank);
}

static void run_argsort(fuzz *f)
{
    fuzz_length(f, 2);
    upsweep_type type = fuzz_type(f);
    size_t bytes = upsweep_type_bytes(f->type), index = fuzz_chance(f, 2) ? 4 : 8;
    unsigned index_bits = (unsigned)index * 8;
    fuzz_options(f, TAKES);
    fuzz_bits(f);
    if (f->twist == TWIST_RANGE && f->expect == UPSWEEP_OK) {
        index_bits = f->twist_at % 3 == 0 ? 16 : f->twist_at % 3 == 1 ? 0 : 128;
        f->expect = UPSWEEP_ERROR_ARGUMENT;
    }
    fuzz_algorithm(f, "sort/");
    keep_short(f);
    size_t n = f->n;
    fuzz_detail(f, ", index of %u bits", index_bits);
    fuzz_fill(f, f->type, fuzz_array_new(f, FUZZ_INPUT, n, bytes, bytes), n);
    fuzz_array_new(f, FUZZ_OUTPUT, n, index, index);
    fuzz_arrays_ready(f);
    size_t count = fuzz_count(f, n, bytes);
    upsweep_status status =
        upsweep_argsort(f->u, fuzz_at(f, 0), count, type, fuzz_at(f, 1), index_bits, f->o);
    if (fuzz_settle(f, status)) {
        check_argsort(f, index);
        size_t packed = index == 4 ? packed_bytes(f) : 16;
        fuzz_report(f, 2 * n * packed + TWO_MEGABYTES * (size_t)f->threads);
    }
}

/* ---- upsweep_sort_copy ---- */

static void check_copy(fuzz *f, size_t bytes, size_t index_bytes)
{
    check_argsort(f, index_bytes);
    for (size_t i = 0; i < f->n && f->wrong[0] == '\0'; i++) {
        uint64_t at = fuzz_raw(f->array[1].at, i, index_bytes);
        if (fuzz_raw(f->array[2].at, i, bytes) != fuzz_raw(fuzz_before(f, 0), at, bytes)) {
            fuzz_wrong(f, "key %zu is not the one at its position", i);
        }
    }
}

static void run_copy(fuzz *f)
{
    fuzz_length(f, 2);
    upsweep_type type = fuzz_type(f);
    size_t bytes = upsweep_type_bytes(f->type), index = fuzz_chance(f, 2) ? 4 : 8;
    unsigned index_bits = (unsigned)index * 8;
    fuzz_options(f, TAKES);
    fuzz_bits(f);
    if (f->twist == TWIST_RANGE && f->expect == UPSWEEP_OK) {
        index_bits = 16;
        f->expect = UPSWEEP_ERROR_ARGUMENT;
    }
    fuzz_algorithm(f, "sort/");
    keep_short(f);
    size_t n = f->n;
    fuzz_detail(f, ", index of %u bits", index_bits);
    fuzz_fill(f, f->type, fuzz_array_new(f, FUZZ_INPUT, n, bytes, bytes), n);
    fuzz_array_new(f, FUZZ_OUTPUT, n, index, index);
    fuzz_array_new(f, FUZZ_OUTPUT, n, bytes, bytes);
    f->array[1].may_be_null = f->array[2].may_be_null = true; /* not both: test_arguments */
    fuzz_arrays_ready(f);
    if (index_bits == 16 && fuzz_at(f, 1) == NULL) {
        f->expect = UPSWEEP_OK; /* no index is asked for */
    }
    size_t count = fuzz_count(f, n, bytes);
    upsweep_status status = upsweep_sort_copy(f->u, fuzz_at(f, 0), count, type, fuzz_at(f, 2),
                                              fuzz_at(f, 1), index_bits, f->o);
    if (fuzz_settle(f, status)) {
        check_copy(f, bytes, index);
    }
}

const fuzz_call fuzz_pairs[] = {
    {"upsweep_sort_pairs", 12, run_pairs, false},
    {"upsweep_argsort", 8, run_argsort, false},
    {"upsweep_sort_copy", 4, run_copy, false},
    {0},
};
