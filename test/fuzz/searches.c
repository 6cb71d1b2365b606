/* searches.c - places of wanted keys among sorted ones. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/fuzz.h"

#include <stdlib.h>

enum {
    TAKES = UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW | UPSWEEP_UPPER |
            UPSWEEP_UNSTABLE | UPSWEEP_IN_PLACE
};

/* A key's rank, with zeros of both signs as one and NaNs as one, unless bits are asked for. */
static uint64_t rank_as_number(const fuzz *f, uint64_t raw)
{
    size_t bits = 8 * upsweep_type_bytes(f->type);
    uint64_t sign = UINT64_C(1) << (bits - 1), size = raw & (sign - 1);
    uint64_t infinity = f->type == UPSWEEP_F16    ? 0x7c00
                        : f->type == UPSWEEP_BF16 ? 0x7f80
                        : f->type == UPSWEEP_F32  ? 0x7f800000
                                                  : UINT64_C(0x7ff0000000000000);
    unsigned order = fuzz_flags(f) & (UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW);
    if (fuzz_is_float(f->type) && !(order & UPSWEEP_NAN_RAW)) {
        raw = size == 0 ? 0 : size > infinity ? infinity + 1 : raw;
    }
    return fuzz_rank(f->type, order, raw);
}

static void check_places(fuzz *f, size_t n, size_t m, size_t place_bytes)
{
    size_t bytes = upsweep_type_bytes(f->type);
    const unsigned char *keys = f->array[0].at, *wanted = f->array[1].at;
    bool upper = fuzz_flags(f) & UPSWEEP_UPPER;
    for (size_t i = 0; i < m; i++) {
        uint64_t place = fuzz_raw(f->array[2].at, i, place_bytes);
        uint64_t w = rank_as_number(f, fuzz_raw(wanted, i, bytes));
        uint64_t before = place > 0 && place <= n
                              ? rank_as_number(f, fuzz_raw(keys, (size_t)place - 1, bytes))
                              : 0;
        uint64_t at = place < n ? rank_as_number(f, fuzz_raw(keys, (size_t)place, bytes)) : 0;
        if (place > n || (place > 0 && (upper ? before > w : before >= w)) ||
            (place < n && (upper ? at <= w : at < w))) {
            fuzz_wrong(f, "wanted key %zu would not go to %llu", i, (unsigned long long)place);
            return;
        }
    }
}

static void run_search_sorted(fuzz *f)
{
    size_t n = fuzz_length(f, 2);
    upsweep_type type = fuzz_type(f);
    size_t bytes = upsweep_type_bytes(f->type);
    size_t m = fuzz_chance(f, 2) ? (size_t)fuzz_magnitude(f, 0, 2 * n + 20) : n;
    size_t place_bytes = fuzz_chance(f, 2) ? 4 : 8;
    bool rising = fuzz_chance(f, 2), in_order = !fuzz_chance(f, 10);
    fuzz_options(f, TAKES);
    fuzz_detail(f, ", %zu wanted%s%s, %zu bytes a place", m, rising ? ", rising" : "",
                in_order ? "" : ", keys in no order", place_bytes);
    unsigned char *keys = fuzz_array_new(f, FUZZ_INPUT, n, bytes, bytes);
    fuzz_fill(f, f->type, keys, n);
    if (in_order) {
        fuzz_sort_plainly(f->type, fuzz_flags(f), keys, n);
    }
    unsigned char *wanted = fuzz_array_new(f, FUZZ_INPUT, m, bytes, bytes);
    fuzz_fill(f, f->type, wanted, m);
    if (rising) {
        fuzz_sort_plainly(f->type, fuzz_flags(f), wanted, m);
    }
    fuzz_array_new(f, FUZZ_OUTPUT, m, place_bytes, place_bytes);
    fuzz_arrays_ready(f);
    unsigned place_bits = (unsigned)place_bytes * 8;
    if (f->twist == TWIST_RANGE && f->expect == UPSWEEP_OK) {
        place_bits = 16 + f->twist_at % 8;
        f->expect = UPSWEEP_ERROR_ARGUMENT;
    } else if (f->o != NULL && f->twist == TWIST_ALGORITHM && f->expect == UPSWEEP_OK) {
        f->options.algorithm = "sort/vmerge";
        f->expect = UPSWEEP_ERROR_ALGORITHM;
    }
    size_t count = fuzz_count(f, n, bytes);
    if (!fuzz_settle(f, upsweep_search_sorted(f->u, fuzz_at(f, 0), count, fuzz_at(f, 1), m, type,
                                              fuzz_at(f, 2), place_bits, f->o))) {
        return;
    }
    if (in_order) {
        check_places(f, n, m, place_bytes);
    } else {
        for (size_t i = 0; i < m; i++) {
            if (fuzz_raw(f->array[2].at, i, place_bytes) > n) {
                fuzz_wrong(f, "a place lies beyond the keys");
                return;
            }
        }
    }
    fuzz_report(f, 4096 * 8);
}

const fuzz_call fuzz_searches[] = {
    {"upsweep_search_sorted", 4, run_search_sorted, false},
    {0},
};
