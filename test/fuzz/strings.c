/* strings.c - sorts of strings: Arrow's layout, with offsets and indices of both widths, and slices
 * with values and without repetition. Compared with a stable sort by memcmp. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

/* What is sorted: n strings in `bytes`. */
typedef struct strings {
    const unsigned char *bytes;
    const uint64_t *begin, *end;
    bool descending;
} strings;

static int compare(const void *a, const void *b, void *context)
{
    const strings *s = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    size_t p = s->end[x] - s->begin[x], q = s->end[y] - s->begin[y], both = p < q ? p : q;
    int order = both > 0 ? memcmp(s->bytes + s->begin[x], s->bytes + s->begin[y], both) : 0;
    order = order != 0 ? order : (p > q) - (p < q);
    order = s->descending ? -order : order;
    return order != 0 ? order : (x > y) - (x < y);
}

static bool are_equal(const strings *s, uint32_t x, uint32_t y)
{
    size_t p = s->end[x] - s->begin[x], q = s->end[y] - s->begin[y];
    return p == q && (p == 0 || memcmp(s->bytes + s->begin[x], s->bytes + s->begin[y], p) == 0);
}

static uint32_t *order_of(const strings *s, size_t n)
{
    uint32_t *order = malloc((n + 1) * sizeof *order);
    for (size_t i = 0; i < n; i++) {
        order[i] = (uint32_t)i;
    }
    qsort_r(order, n, sizeof *order, compare, (void *)(uintptr_t)s);
    return order;
}

/* Bytes of which few differ, or many, with copies of what stands before. */
static void fill(fuzz *f, unsigned char *at, size_t bytes)
{
    unsigned letters = fuzz_chance(f, 2) ? 256 : 1 + (unsigned)fuzz_draw(f, 4);
    for (size_t i = 0; i < bytes; i++) {
        at[i] = (unsigned char)(fuzz_draw(f, letters) + (letters < 256 ? 'a' : 0));
    }
    size_t far = 1 + (size_t)fuzz_draw(f, 40);
    for (size_t i = far; i < bytes && fuzz_chance(f, 2); i += 1 + far / 2) {
        at[i] = at[i - far];
    }
}

/* Array 0: the bytes; array 1: offsets. Sets begin and end, of n + 1 elements each. */
static void make_arrow(fuzz *f, size_t n, size_t offset_bytes, uint64_t *begin)
{
    size_t longest = 1 + (size_t)fuzz_magnitude(f, 0, 60), at = (size_t)fuzz_draw(f, 9);
    for (size_t i = 0; i <= n; i++) {
        begin[i] = at;
        at += i < n ? (size_t)fuzz_draw(f, longest) : 0;
    }
    size_t room = at == 0 && f->on_device ? 1 : at; /* an array of no bytes is nowhere */
    fill(f, fuzz_array_new(f, FUZZ_INPUT, room, 1, 1), room);
    unsigned char *offsets = fuzz_array_new(f, FUZZ_INPUT, n + 1, offset_bytes, offset_bytes);
    f->array[0].may_be_null = begin[n] == begin[0] || f->on_device; /* the strings have no bytes */
    f->array[1].may_be_null = n == 0;
    for (size_t i = 0; i <= n; i++) {
        fuzz_store(offsets, i, offset_bytes, begin[i]);
    }
    if (f->twist == TWIST_RANGE && n > 0 && f->expect == UPSWEEP_OK) {
        size_t i = (size_t)fuzz_draw(f, n);
        fuzz_store(offsets, i, offset_bytes, begin[i + 1] + 1);
        f->expect = UPSWEEP_ERROR_RANGE;
    }
}

/* How many; on a GPU also so many that they are sorted by a sample. */
static size_t length_of(fuzz *f)
{
    bool many = f->on_device && fuzz_chance(f, 24);
    return many ? 16300 + (size_t)fuzz_draw(f, 4000) : fuzz_length(f, 8) % 60000;
}

static void run_argsort(fuzz *f)
{
    size_t n = length_of(f), ob = fuzz_chance(f, 2) ? 4 : 8;
    size_t ib = fuzz_chance(f, 2) ? 4 : 8;
    f->n = n;
    fuzz_options(f, UPSWEEP_DESCENDING | UPSWEEP_UNSTABLE);
    uint64_t *begin = malloc((n + 2) * sizeof *begin);
    make_arrow(f, n, ob, begin);
    fuzz_array_new(f, FUZZ_OUTPUT, n, ib, ib);
    fuzz_arrays_ready(f);
    size_t count = fuzz_count(f, n, ob);
    if (fuzz_settle(f, upsweep_argsort_strings(f->u, fuzz_at(f, 0), fuzz_at(f, 1), (unsigned)ob * 8,
                                               count, fuzz_at(f, 2), (unsigned)ib * 8, f->o))) {
        strings s = {f->array[0].at, begin, begin + 1, (fuzz_flags(f) & UPSWEEP_DESCENDING) != 0};
        uint32_t *order = order_of(&s, n);
        for (size_t i = 0; i < n; i++) {
            if (fuzz_raw(f->array[2].at, i, ib) != order[i]) {
                fuzz_wrong(f, "place %zu has string %zu, not %u", i,
                           (size_t)fuzz_raw(f->array[2].at, i, ib), order[i]);
                break;
            }
        }
        free(order);
        fuzz_report(f, f->device ? SIZE_MAX : n * (ib + 2) + ((size_t)f->threads + 2) * 4000000);
    }
    free(begin);
}

static void check_texts(fuzz *f, const strings *s, size_t n, size_t ob)
{
    uint32_t *order = order_of(s, n);
    size_t at = 0;
    for (size_t i = 0; i < n && f->wrong[0] == '\0'; i++) {
        size_t bytes = s->end[order[i]] - s->begin[order[i]];
        if (fuzz_raw(f->array[3].at, i, ob) != at ||
            (bytes > 0 && memcmp(f->array[2].at + at, s->bytes + s->begin[order[i]], bytes) != 0)) {
            fuzz_wrong(f, "sorted string %zu is not string %u", i, order[i]);
        }
        at += bytes;
    }
    if (f->wrong[0] == '\0' && fuzz_raw(f->array[3].at, n, ob) != at) {
        fuzz_wrong(f, "the last offset is %zu, not %zu", (size_t)fuzz_raw(f->array[3].at, n, ob),
                   at);
    }
    free(order);
}

static void run_sort(fuzz *f)
{
    size_t n = length_of(f), ob = fuzz_chance(f, 2) ? 4 : 8;
    f->n = n;
    fuzz_options(f, UPSWEEP_DESCENDING | UPSWEEP_UNSTABLE);
    uint64_t *begin = malloc((n + 2) * sizeof *begin);
    make_arrow(f, n, ob, begin);
    size_t all = (size_t)(begin[n] - begin[0]);
    fuzz_array_new(f, FUZZ_OUTPUT, all == 0 && f->on_device ? 1 : all, 1, 1);
    fuzz_array_new(f, FUZZ_OUTPUT, n + 1, ob, ob);
    f->array[2].may_be_null = f->on_device; /* what is wrong with that the device sees */
    f->array[3].may_be_null = n == 0;
    fuzz_arrays_ready(f);
    size_t count = fuzz_count(f, n, ob);
    if (fuzz_settle(f, upsweep_sort_strings(f->u, fuzz_at(f, 0), fuzz_at(f, 1), (unsigned)ob * 8,
                                            count, fuzz_at(f, 2), fuzz_at(f, 3), f->o))) {
        strings s = {f->array[0].at, begin, begin + 1, (fuzz_flags(f) & UPSWEEP_DESCENDING) != 0};
        check_texts(f, &s, n, ob);
        fuzz_report(f, f->device ? SIZE_MAX : n * 10 + ((size_t)f->threads + 2) * 4000000);
    }
    free(begin);
}

static void check_slices(fuzz *f, const strings *s, size_t n, bool values, const size_t *distinct)
{
    uint32_t *order = order_of(s, n);
    size_t kept = 0;
    for (size_t i = 0; i < n && f->wrong[0] == '\0'; i++) {
        if (distinct != NULL && i > 0 && are_equal(s, order[i - 1], order[i])) {
            continue;
        }
        if (fuzz_raw(f->array[1].at, kept, 8) != fuzz_raw(fuzz_before(f, 1), order[i], 8) ||
            (values &&
             fuzz_raw(f->array[2].at, kept, 8) != fuzz_raw(fuzz_before(f, 2), order[i], 8))) {
            fuzz_wrong(f, "slice %zu is not slice %u of the input", kept, order[i]);
        }
        kept++;
    }
    if (distinct != NULL && f->wrong[0] == '\0' && *distinct != kept) {
        fuzz_wrong(f, "%zu strings are distinct, not %zu", *distinct, kept);
    }
    free(order);
}

static void run_slices(fuzz *f)
{
    size_t n = fuzz_length(f, 8) % 60000, size = (size_t)fuzz_magnitude(f, 0, 100000);
    unsigned bits = 17 + (unsigned)fuzz_draw(f, 20);
    bool values = fuzz_chance(f, 3), unique = fuzz_chance(f, 2);
    f->n = n;
    fuzz_options(f, UPSWEEP_DESCENDING | UPSWEEP_UNSTABLE);
    fill(f, fuzz_array_new(f, FUZZ_INPUT, size, 1, 1), size);
    unsigned char *slices = fuzz_array_new(f, FUZZ_IN_PLACE, n, 8, 8);
    unsigned char *carried = values ? fuzz_array_new(f, FUZZ_IN_PLACE, n, 8, 8) : NULL;
    if (values) {
        f->array[2].may_be_null = true;
    }
    uint64_t *begin = malloc((2 * n + 1) * sizeof *begin), *end = begin + n;
    size_t longest = 1 + (size_t)fuzz_magnitude(f, 0, 80);
    for (size_t i = 0; i < n; i++) {
        begin[i] = fuzz_draw(f, size + 1);
        uint64_t bytes = fuzz_draw(f, longest);
        end[i] = begin[i] + (bytes < size - begin[i] ? bytes : size - begin[i]);
        fuzz_store(slices, i, 8, begin[i] << bits | (end[i] - begin[i]));
        if (values) {
            fuzz_store(carried, i, 8, fuzz_random(f));
        }
    }
    if (f->twist == TWIST_RANGE && n > 0 && f->expect == UPSWEEP_OK) {
        fuzz_store(slices, (size_t)fuzz_draw(f, n), 8, (uint64_t)(size / 2) << bits | (size + 1));
        f->expect = UPSWEEP_ERROR_RANGE;
    }
    fuzz_arrays_ready(f);
    size_t distinct = 0, count = fuzz_count(f, n, 8);
    upsweep_status status =
        upsweep_sort_slices(f->u, fuzz_at(f, 0), size, fuzz_at(f, 1), values ? fuzz_at(f, 2) : NULL,
                            count, bits, unique ? &distinct : NULL, f->o);
    if (fuzz_settle(f, status)) {
        strings s = {f->array[0].at, begin, end, (fuzz_flags(f) & UPSWEEP_DESCENDING) != 0};
        check_slices(f, &s, n, values, unique ? &distinct : NULL);
        fuzz_report(f, n * 18 + ((size_t)f->threads + 2) * 4000000);
    }
    free(begin);
}

const fuzz_call fuzz_strings[] = {
    {"upsweep_argsort_strings", 4, run_argsort, false},
    {"upsweep_sort_strings", 4, run_sort, false},
    {"upsweep_sort_slices", 4, run_slices, true},
    {0},
};
