/* records.c - sorts of records by several fields. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 12, NANS = UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW };

/* The records before the call, by what they are compared. */
typedef struct layout {
    size_t bytes, count;
    upsweep_field field[FIELDS];
    unsigned flags; /* of the call */
} layout;

static unsigned flags_of(const layout *l, size_t k)
{
    return (l->field[k].flags | (l->flags & NANS)) ^ (l->flags & UPSWEEP_DESCENDING);
}

/* Where the whole order is reversed it is not said on which side NaNs are then: there are none. */
static void draw_layout(fuzz *f, layout *l)
{
    l->bytes = 1 + (size_t)fuzz_magnitude(f, 0, 90);
    l->count = fuzz_chance(f, 10) ? fuzz_draw(f, FIELDS + 1) : 1 + fuzz_draw(f, 3);
    for (size_t k = 0; k < l->count; k++) {
        upsweep_field *field = &l->field[k];
        upsweep_type type = (upsweep_type)(1 + fuzz_draw(f, 12));
        size_t bytes = upsweep_type_bytes(type);
        bool text = fuzz_chance(f, 3) || bytes > l->bytes;
        *field = (upsweep_field){.type = text ? (upsweep_type)0 : type};
        field->bytes = text ? 1 + (size_t)fuzz_draw(f, l->bytes) : 0;
        field->offset = (size_t)fuzz_draw(f, l->bytes - (text ? field->bytes : bytes) + 1);
        field->flags = fuzz_chance(f, 3) ? UPSWEEP_DESCENDING : 0;
        field->flags |= (l->flags & NANS) != 0 ? 0
                        : fuzz_chance(f, 6)    ? UPSWEEP_NAN_RAW
                        : fuzz_chance(f, 6)    ? UPSWEEP_NAN_FIRST
                                               : 0u;
        fuzz_detail(f, "%s %zu:%s", k == 0 ? ", fields" : "", field->offset,
                    text ? "text" : upsweep_type_name(type));
    }
}

static void fill_records(fuzz *f, const layout *l, unsigned char *records)
{
    unsigned char few = (unsigned char)(fuzz_chance(f, 2) ? 0xff : fuzz_random(f) & 0x83);
    fuzz_fill_bytes(f, records, f->n * l->bytes);
    for (size_t i = 0; i < f->n * l->bytes && few != 0xff; i++) {
        records[i] &= few; /* ties */
    }
    for (size_t k = 0; k < l->count && (l->flags & UPSWEEP_DESCENDING); k++) {
        const upsweep_field *field = &l->field[k];
        size_t bytes = upsweep_type_bytes(field->type);
        if (field->bytes != 0 || !fuzz_is_float(field->type)) {
            continue;
        }
        for (size_t i = 0; i < f->n; i++) { /* no NaN: the top of the exponent is 0 */
            records[i * l->bytes + field->offset + bytes - 1] &= 0x8f;
        }
    }
}

typedef struct table {
    const layout *l;
    const unsigned char *records;
    const uint64_t *rank; /* of record i's field k: rank[i * count + k] */
} table;

static int compare(const void *a, const void *b, void *context)
{
    const table *t = context;
    size_t i = *(const uint32_t *)a, j = *(const uint32_t *)b, count = t->l->count;
    for (size_t k = 0; k < count; k++) {
        const upsweep_field *field = &t->l->field[k];
        uint64_t x = t->rank[i * count + k], y = t->rank[j * count + k];
        int order = x < y ? -1 : x > y;
        if (field->bytes != 0) {
            const unsigned char *at = t->records + field->offset;
            order = memcmp(at + i * t->l->bytes, at + j * t->l->bytes, field->bytes);
            order = flags_of(t->l, k) & UPSWEEP_DESCENDING ? -order : order;
        }
        if (order != 0) {
            return order;
        }
    }
    return i < j ? -1 : i > j;
}

static void check_records(fuzz *f, const layout *l)
{
    const unsigned char *before = fuzz_before(f, 0);
    uint64_t *rank = malloc((f->n * l->count + 1) * sizeof *rank);
    uint32_t *order = malloc((f->n + 1) * sizeof *order);
    for (size_t i = 0; i < f->n; i++) {
        order[i] = (uint32_t)i;
        for (size_t k = 0; k < l->count; k++) {
            const upsweep_field *field = &l->field[k];
            const unsigned char *at = before + i * l->bytes + field->offset;
            rank[i * l->count + k] =
                field->bytes != 0 ? 0
                                  : fuzz_rank(field->type, flags_of(l, k),
                                              fuzz_raw(at, 0, upsweep_type_bytes(field->type)));
        }
    }
    table t = {l, before, rank};
    qsort_r(order, f->n, sizeof *order, compare, &t);
    if (!(l->flags & UPSWEEP_UNSTABLE)) {
        fuzz_moved(f, "record", f->array[0].at, before, order, f->n, l->bytes);
    } else if (fuzz_sum_of_elements(before, f->n, l->bytes) !=
               fuzz_sum_of_elements(f->array[0].at, f->n, l->bytes)) {
        fuzz_wrong(f, "the records are not those of the input");
    }
    free(order);
    free(rank);
}

static void twist_a_field(fuzz *f, layout *l)
{
    if (f->twist == TWIST_RANGE && l->count > 0 && f->expect == UPSWEEP_OK) {
        upsweep_field *field = &l->field[l->count - 1];
        switch (f->twist_at % 4) {
        case 0: field->offset = l->bytes; break;
        case 1: field->bytes = SIZE_MAX - 3; break;
        case 2: field->flags = 1u << 20; break;
        default: *field = (upsweep_field){0}; break;
        }
        f->expect = UPSWEEP_ERROR_ARGUMENT;
    }
}

static void run_records(fuzz *f)
{
    layout l = {0};
    size_t n = fuzz_length(f, 8) % 20000;
    f->n = n;
    fuzz_options(f, UPSWEEP_DESCENDING | NANS | UPSWEEP_UNSTABLE | UPSWEEP_IN_PLACE);
    l.flags = fuzz_flags(f);
    fuzz_algorithm(f, "sort/");
    draw_layout(f, &l);
    fuzz_detail(f, ", records of %zu bytes", l.bytes);
    fill_records(f, &l, fuzz_array_new(f, FUZZ_IN_PLACE, n, l.bytes, 1));
    twist_a_field(f, &l);
    /* A GPU cannot do that in place, and says so. */
    f->may_refuse |= f->device && (l.flags & UPSWEEP_IN_PLACE) != 0;
    fuzz_arrays_ready(f);
    upsweep_status status = upsweep_sort_records(f->u, fuzz_at(f, 0), fuzz_count(f, n, l.bytes),
                                                 l.bytes, l.field, l.count, f->o);
    if (fuzz_settle(f, status)) {
        check_records(f, &l);
        size_t own = (size_t)f->threads << 21;
        fuzz_report(f, n * (l.bytes + 32) + own);
    }
}

const fuzz_call fuzz_records[] = {
    {"upsweep_sort_records", 5, run_records, false},
    {0},
};
