/* splits.c - stable partitions by flags and by bucket numbers. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static void fill_flags(fuzz *f, uint8_t *flags, size_t n)
{
    uint64_t rare = 1 + fuzz_magnitude(f, 0, 5000), turned = fuzz_draw(f, 2);
    for (size_t i = 0; i < n; i++) {
        bool set = (fuzz_draw(f, rare) == 0) != (turned != 0);
        flags[i] = set ? (uint8_t)(1 + fuzz_draw(f, 255)) : 0;
    }
}

static size_t draw_bytes(fuzz *f)
{
    static const uint8_t common[] = {1, 2, 4, 8, 16};
    return fuzz_chance(f, 3) ? 1 + (size_t)fuzz_magnitude(f, 0, 80) : common[fuzz_draw(f, 5)];
}

/* ---- upsweep_split, upsweep_compact ---- */

static void check_split(fuzz *f, size_t bytes, size_t zeros)
{
    const unsigned char *in = fuzz_before(f, 0), *flags = fuzz_before(f, 1);
    unsigned char *want = malloc(f->n * bytes + 1);
    size_t at = 0, first = 0;
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < f->n; i++) {
            if ((flags[i] != 0) == (side == 1)) {
                memcpy(want + at++ * bytes, in + i * bytes, bytes);
            }
        }
        first = side == 0 ? at : first;
    }
    const unsigned char *got = f->array[2].at;
    bool stable = !(fuzz_flags(f) & UPSWEEP_UNSTABLE);
    for (int side = 0; side < 2 && !stable; side++) {
        size_t begin = side == 0 ? 0 : first, n = side == 0 ? first : f->n - first;
        if (fuzz_sum_of_elements(want + begin * bytes, n, bytes) !=
            fuzz_sum_of_elements(got + begin * bytes, n, bytes)) {
            fuzz_wrong(f, "the elements of flag %d are not those of the input", side);
        }
    }
    if (zeros != first || (stable && memcmp(want, got, f->n * bytes) != 0)) {
        fuzz_wrong(f, "%zu zeros, not %zu, or an element in a wrong place", zeros, first);
    }
    free(want);
}

static void run_split(fuzz *f)
{
    size_t n = fuzz_length(f, 2), bytes = draw_bytes(f), zeros = SIZE_MAX;
    bool counted = !fuzz_chance(f, 4);
    fuzz_options(f, UPSWEEP_UNSTABLE);
    fuzz_algorithm(f, "split/");
    fuzz_detail(f, ", elements of %zu bytes", bytes);
    fuzz_fill_bytes(f, fuzz_array_new(f, FUZZ_INPUT, n, bytes, 1), n * bytes);
    fill_flags(f, fuzz_array_new(f, FUZZ_INPUT, n, 1, 1), n);
    fuzz_array_new(f, FUZZ_OUTPUT, n, bytes, 1);
    fuzz_arrays_ready(f);
    size_t count = fuzz_count(f, n, bytes);
    void *in = fuzz_at(f, 0), *flags = fuzz_at(f, 1), *out = fuzz_at(f, 2);
    upsweep_status status =
        upsweep_split(f->u, in, flags, out, count, bytes, counted ? &zeros : NULL, f->o);
    if (fuzz_settle(f, status)) {
        for (size_t i = 0; i < n && !counted; i++) { /* it was not asked for */
            zeros = (i == 0 ? 0 : zeros) + (fuzz_before(f, 1)[i] == 0);
        }
        check_split(f, bytes, n == 0 && !counted ? 0 : zeros);
        fuzz_report(f, n + 65536 + 8192 * (size_t)f->threads);
    }
}

static void run_compact(fuzz *f)
{
    size_t n = fuzz_length(f, 2), bytes = draw_bytes(f), kept = SIZE_MAX, want = 0;
    bool in_place = fuzz_chance(f, 3);
    fuzz_options(f, UPSWEEP_UNSTABLE);
    fuzz_algorithm(f, "split/");
    fuzz_detail(f, ", elements of %zu bytes%s", bytes, in_place ? ", in place" : "");
    fuzz_use use = in_place ? FUZZ_IN_PLACE : FUZZ_INPUT;
    fuzz_fill_bytes(f, fuzz_array_new(f, use, n, bytes, 1), n * bytes);
    uint8_t *flags = fuzz_array_new(f, FUZZ_INPUT, n, 1, 1);
    fill_flags(f, flags, n);
    for (size_t i = 0; i < n; i++) {
        want += flags[i] != 0;
    }
    fuzz_array_new(f, FUZZ_OUTPUT, in_place ? 0 : want, bytes, 1); /* room for those only */
    f->array[2].may_be_null = true; /* that it is NULL is seen only where n is not 0 */
    fuzz_arrays_ready(f);
    size_t count = fuzz_count(f, n, bytes);
    void *in = fuzz_at(f, 0), *by = fuzz_at(f, 1), *out = in_place ? in : fuzz_at(f, 2);
    if (!fuzz_settle(f, upsweep_compact(f->u, in, by, out, count, bytes, &kept, f->o))) {
        return;
    }
    const unsigned char *got = f->array[in_place ? 0 : 2].at;
    size_t at = 0;
    for (size_t i = 0; i < n && f->wrong[0] == '\0'; i++) {
        if (flags[i] != 0 && memcmp(got + at++ * bytes, fuzz_before(f, 0) + i * bytes, bytes)) {
            fuzz_wrong(f, "element %zu is not that of position %zu", at - 1, i);
        }
    }
    if (kept != want) {
        fuzz_wrong(f, "%zu elements are kept, not %zu", kept, want);
    }
    fuzz_report(f, n + 65536 + 8192 * (size_t)f->threads);
}

/* ---- upsweep_split_ids ---- */

static void check_ids(fuzz *f, size_t count, size_t id_bytes, size_t bytes, bool with_offsets)
{
    uint64_t *rank = malloc((f->n + 1) * sizeof *rank);
    uint64_t *offset = calloc(count + 2, sizeof *offset);
    for (size_t i = 0; i < f->n; i++) {
        rank[i] = fuzz_raw(fuzz_before(f, 1), i, id_bytes);
        offset[rank[i] + 1]++;
    }
    uint32_t *order = fuzz_order(rank, f->n);
    if (fuzz_flags(f) & UPSWEEP_UNSTABLE) {
        if (fuzz_sum_of_elements(fuzz_before(f, 0), f->n, bytes) !=
            fuzz_sum_of_elements(f->array[2].at, f->n, bytes)) {
            fuzz_wrong(f, "the elements are not those of the input");
        }
    } else {
        fuzz_moved(f, "element", f->array[2].at, fuzz_before(f, 0), order, f->n, bytes);
    }
    for (size_t k = 0; k <= count && with_offsets; k++) {
        offset[k] += k == 0 ? 0 : offset[k - 1];
        if (fuzz_raw(f->array[3].at, k, 8) != offset[k]) {
            fuzz_wrong(f, "the offset of bucket %zu is wrong", k);
            break;
        }
    }
    free(order);
    free(offset);
    free(rank);
}

static void run_split_ids(fuzz *f)
{
    static const upsweep_type types[] = {UPSWEEP_U8, UPSWEEP_U16, UPSWEEP_U32};
    size_t n = fuzz_length(f, 3), bytes = draw_bytes(f);
    f->type = types[fuzz_draw(f, 3)];
    size_t id_bytes = upsweep_type_bytes(f->type), most = id_bytes == 1 ? 256 : 65536;
    size_t count = (size_t)fuzz_magnitude(f, 1, most);
    count = id_bytes == 4 && fuzz_chance(f, 10) ? 65536 + (size_t)fuzz_draw(f, 40000) : count;
    bool with_offsets = !fuzz_chance(f, 4);
    upsweep_type type = f->type;
    if (f->twist == TWIST_TYPE) {
        static const upsweep_type none[] = {UPSWEEP_U64, UPSWEEP_I8, UPSWEEP_F32, (upsweep_type)0};
        type = none[f->twist_at % 4];
        f->expect = UPSWEEP_ERROR_ARGUMENT;
    }
    fuzz_options(f, UPSWEEP_UNSTABLE);
    fuzz_detail(f, ", elements of %zu bytes to %zu buckets", bytes, count);
    fuzz_fill_bytes(f, fuzz_array_new(f, FUZZ_INPUT, n, bytes, 1), n * bytes);
    unsigned char *ids = fuzz_array_new(f, FUZZ_INPUT, n, id_bytes, id_bytes);
    uint64_t few = fuzz_magnitude(f, 1, count), base = fuzz_draw(f, count - few + 1);
    for (size_t i = 0; i < n; i++) {
        fuzz_store(ids, i, id_bytes, base + fuzz_draw(f, few));
    }
    if (f->twist == TWIST_RANGE && f->expect == UPSWEEP_OK && n > 0 &&
        count < (id_bytes == 1 ? 256u : 65536u)) {
        fuzz_store(ids, fuzz_draw(f, n), id_bytes, count);
        f->expect = UPSWEEP_ERROR_RANGE;
    }
    fuzz_array_new(f, FUZZ_OUTPUT, n, bytes, 1);
    fuzz_array_new(f, FUZZ_OUTPUT, with_offsets ? count + 1 : 0, 8, 8);
    f->array[3].may_be_null = true;
    fuzz_arrays_ready(f);
    size_t elements = fuzz_count(f, n, bytes);
    void *in = fuzz_at(f, 0), *by = fuzz_at(f, 1), *out = fuzz_at(f, 2);
    void *offsets = f->array[3].device ? f->array[3].device : f->array[3].at;
    upsweep_status status = upsweep_split_ids(f->u, in, by, type, count, out, elements, bytes,
                                              with_offsets ? offsets : NULL, f->o);
    if (fuzz_settle(f, status)) {
        check_ids(f, count, id_bytes, bytes, with_offsets);
        fuzz_report(f, SIZE_MAX);
    }
}

/* ---- upsweep_split_ids_index ---- */

/* What the call is to be given and give. */
typedef struct index_case {
    size_t count, multiple, id_bytes, width, room;
    bool with_offsets, with_counts;
} index_case;

static void check_index(fuzz *f, const index_case *c)
{
    uint64_t *rank = malloc((f->n + 1) * sizeof *rank), none = f->n;
    for (size_t i = 0; i < f->n; i++) {
        rank[i] = fuzz_raw(fuzz_before(f, 0), i, c->id_bytes);
    }
    uint32_t *order = fuzz_order(rank, f->n);
    size_t at = 0, i = 0;
    for (size_t b = 0; b <= c->count && f->wrong[0] == '\0'; b++) {
        size_t begin = at, first = i;
        for (; i < f->n && rank[order[i]] == b; i++, at++) {
            if (fuzz_raw(f->array[1].at, at, c->width) != order[i]) {
                fuzz_wrong(f, "place %zu, of bucket %zu, is wrong", at, b);
            }
        }
        if ((c->with_offsets && fuzz_raw(f->array[2].at, b, 8) != begin) ||
            (c->with_counts && b < c->count && fuzz_raw(f->array[3].at, b, 8) != i - first)) {
            fuzz_wrong(f, "the offset or count of bucket %zu is wrong", b);
        }
        for (; b < c->count ? at % c->multiple != 0 : at < c->room; at++) {
            if (fuzz_raw(f->array[1].at, at, c->width) != none) {
                fuzz_wrong(f, "place %zu, which no element takes, is not n", at);
                break;
            }
        }
    }
    free(order);
    free(rank);
}

static void draw_ids(fuzz *f, const index_case *c)
{
    unsigned char *ids = fuzz_array_new(f, FUZZ_INPUT, f->n, c->id_bytes, c->id_bytes);
    uint64_t few = fuzz_magnitude(f, 1, c->count), base = fuzz_draw(f, c->count - few + 1);
    for (size_t i = 0; i < f->n; i++) {
        fuzz_store(ids, i, c->id_bytes, base + fuzz_draw(f, few));
    }
    if (f->twist == TWIST_RANGE && f->expect == UPSWEEP_OK && f->n > 0 &&
        c->count < (c->id_bytes == 1 ? 256u : 65536u)) {
        fuzz_store(ids, fuzz_draw(f, f->n), c->id_bytes, c->count);
        f->expect = UPSWEEP_ERROR_RANGE;
    }
}

static void run_split_ids_index(fuzz *f)
{
    static const upsweep_type types[] = {UPSWEEP_U8, UPSWEEP_U16, UPSWEEP_U32};
    size_t n = fuzz_length(f, 2), gaps;
    index_case c = {.width = (size_t)4 << fuzz_draw(f, 2), .with_offsets = !fuzz_chance(f, 4)};
    f->type = types[fuzz_draw(f, 3)];
    c.id_bytes = upsweep_type_bytes(f->type);
    c.count = (size_t)fuzz_magnitude(f, 1, c.id_bytes == 1 ? 256 : fuzz_chance(f, 2) ? 600 : 65536);
    c.multiple = fuzz_chance(f, 2) ? 1 : (size_t)fuzz_magnitude(f, 1, 200);
    c.with_counts = !fuzz_chance(f, 4);
    gaps = (n < c.count ? n : c.count) * (c.multiple - 1);
    c.room = n + gaps + (size_t)(fuzz_chance(f, 2) ? 0 : fuzz_draw(f, 5000));
    upsweep_type type = f->type;
    if (f->twist == TWIST_TYPE) {
        type = f->twist_at % 2 == 0 ? UPSWEEP_U64 : UPSWEEP_F32;
        f->expect = UPSWEEP_ERROR_ARGUMENT;
    }
    fuzz_options(f, UPSWEEP_UNSTABLE);
    fuzz_detail(f, ", %zu buckets at multiples of %zu", c.count, c.multiple);
    draw_ids(f, &c);
    fuzz_array_new(f, FUZZ_OUTPUT, c.room, c.width, c.width);
    fuzz_array_new(f, FUZZ_OUTPUT, c.with_offsets ? c.count + 1 : 0, 8, 8);
    fuzz_array_new(f, FUZZ_OUTPUT, c.with_counts ? c.count : 0, 8, 8);
    f->array[2].may_be_null = f->array[3].may_be_null = true;
    f->partial = true;
    fuzz_arrays_ready(f);
    void *ids = fuzz_at(f, 0), *index = fuzz_at(f, 1);
    void *offsets = c.with_offsets ? fuzz_at(f, 2) : NULL;
    void *counts = c.with_counts ? fuzz_at(f, 3) : NULL;
    size_t given = fuzz_count(f, n, c.id_bytes);
    upsweep_status status =
        upsweep_split_ids_index(f->u, ids, type, c.count, given, c.multiple, index,
                                (unsigned)c.width * 8, c.room, offsets, counts, f->o);
    if (fuzz_settle(f, status)) {
        c.with_offsets = c.with_offsets && offsets != NULL;
        c.with_counts = c.with_counts && counts != NULL;
        check_index(f, &c);
        fuzz_report(f, SIZE_MAX);
    }
}

const fuzz_call fuzz_splits[] = {
    {"upsweep_split_ids_index", 4, run_split_ids_index, false},
    {"upsweep_split", 4, run_split, false},
    {"upsweep_compact", 4, run_compact, false},
    {"upsweep_split_ids", 4, run_split_ids, false},
    {0},
};
