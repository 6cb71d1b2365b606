/* records.c - upsweep_sort_records: records of any size by several key fields, stable. Packed keys
 * are sorted in cpu/merging/sort_records.c; few records, and records for which there is no scratch,
 * are sorted by comparing fields (cpu/merging/sort_by.c). */
/* SPDX-License-Identifier: MIT */
#include "core/check.h"
#include "calls/on_gpu/on_gpu.h"
#include "calls/sort_choice.h"
#include "cpu/merging/merging.h"

enum {
    FLAGS = UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW | UPSWEEP_UNSTABLE |
            UPSWEEP_IN_PLACE,
    FIELD_FLAGS = UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW
};

typedef struct job {
    upsweep *u;
    usw_record_keys keys;
    usw_record_field few[USW_FIELDS_INLINE];
    const usw_sort_form *form; /* of the sort that was asked for by name, else NULL */
    void *records;
    size_t n, record_bytes;
} job;

static upsweep_status check_field(const job *j, const upsweep_field *f, size_t i)
{
    size_t bytes = f->bytes != 0 ? f->bytes : upsweep_type_bytes(f->type);
    for (size_t k = 0; k < sizeof f->reserved / sizeof f->reserved[0]; k++) {
        if (f->reserved[k] != 0) {
            return usw_fail(j->u, UPSWEEP_ERROR_ARGUMENT,
                            "field %zu: reserved is not 0: zero-initialise fields", i);
        }
    }
    if (bytes == 0) {
        return usw_fail(j->u, UPSWEEP_ERROR_ARGUMENT, "field %zu: %d is no type", i, (int)f->type);
    }
    if (f->offset > j->record_bytes || bytes > j->record_bytes - f->offset) {
        return usw_fail(j->u, UPSWEEP_ERROR_ARGUMENT,
                        "field %zu: %zu bytes at %zu are not within a record of %zu bytes", i,
                        bytes, f->offset, j->record_bytes);
    }
    if (f->flags & ~(unsigned)FIELD_FLAGS) {
        return usw_fail(j->u, UPSWEEP_ERROR_ARGUMENT, "field %zu has flags no field takes: 0x%x%s",
                        i, f->flags & ~(unsigned)FIELD_FLAGS,
                        usw_flags_hint(f->flags & ~(unsigned)FIELD_FLAGS));
    }
    return UPSWEEP_OK;
}

static upsweep_status take_fields(job *j, const upsweep_field *fields, size_t count, unsigned flags)
{
    if (fields == NULL && count > 0) {
        return usw_fail(j->u, UPSWEEP_ERROR_ARGUMENT, "sort_records: fields is NULL");
    }
    usw_record_field *to = j->few;
    size_t bytes;
    if (count > USW_FIELDS_INLINE &&
        (usw_mul_overflows(count, sizeof *to, &bytes) || (to = usw_scratch(j->u, bytes)) == NULL)) {
        return usw_fail(j->u, UPSWEEP_ERROR_MEMORY, "no scratch for %zu fields", count);
    }
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const upsweep_field *f = &fields[i];
        upsweep_status status = check_field(j, f, i);
        if (status != UPSWEEP_OK) {
            return status;
        }
        unsigned all = ((f->flags | flags) & ~(unsigned)UPSWEEP_DESCENDING) |
                       ((f->flags ^ flags) & UPSWEEP_DESCENDING);
        to[i] = (usw_record_field){.offset = f->offset, .bytes = f->bytes, .at = at};
        to[i].text = f->bytes != 0;
        to[i].descending = (all & UPSWEEP_DESCENDING) != 0;
        if (!to[i].text) {
            to[i].bytes = upsweep_type_bytes(f->type);
            to[i].map = usw_keymap_of(f->type, all);
        }
        if (__builtin_add_overflow(at, to[i].bytes, &at)) {
            return usw_fail(j->u, UPSWEEP_ERROR_ARGUMENT, "sort_records: the fields are too long");
        }
    }
    j->keys = (usw_record_keys){to, count, j->record_bytes, at};
    return UPSWEEP_OK;
}

static usw_sort_choice choose(const job *j, const usw_options *o, unsigned more)
{
    usw_sort_case c = {j->u, USW_RECORDS, j->n, 0, more};
    c.facts |= ((o->flags & UPSWEEP_IN_PLACE) != 0 ? USW_IF_IN_PLACE : 0) |
               (j->keys.key_bytes > USW_CHUNK_BYTES ? USW_IF_LONG_KEYS : 0);
    return usw_choose_sort(&c);
}

/* Sorts by packed keys, or returns false, for lack of scratch, with the records as they were. */
static bool sort_packed(job *j, const usw_options *o, usw_sort_choice choice)
{
    upsweep_status status = UPSWEEP_OK;
    const usw_sort_form *form = j->form != NULL ? j->form
                                : choice.line->method == USW_BY_FORM
                                    ? usw_form_find(j->u, USW_SORTS, choice.line->name, &status)
                                    : NULL;
    usw_mark mark = usw_scratch_mark(j->u);
    status = usw_sort_records(j->u, j->records, j->n, &j->keys, form);
    if (status != UPSWEEP_OK) {
        usw_scratch_reset(j->u, mark);
        return false;
    }
    if (j->form != NULL) {
        usw_report(j->u, usw_row_name(USW_SORTS, o->algorithm),
                   "it was asked for by name: keys of %zu bytes are sorted with their positions",
                   j->keys.key_bytes);
    } else {
        usw_report_choice(j->u, choice, j->n, j->keys.key_bytes);
    }
    return true;
}

static void sort_all(job *j, const usw_options *o)
{
    bool in_place = (o->flags & UPSWEEP_IN_PLACE) != 0;
    if (j->n < 2 || j->keys.key_bytes == 0) {
        return;
    }
    usw_sort_choice choice = choose(j, o, 0);
    USW_ROUTE_IF(choice.line->method == USW_BY_MERGES && !in_place, "few records are compared",
                 USW_NO_TYPES);
    USW_ROUTE_IF(in_place, "in place: records are compared", USW_NO_TYPES);
    if (choice.line->method != USW_BY_MERGES) {
        if (sort_packed(j, o, choice)) {
            return;
        }
        USW_ROUTE_OF("no scratch: records are compared", USW_NO_TYPES);
        choice = choose(j, o, USW_IF_NO_SCRATCH);
    }
    usw_report_choice(j->u, choice, j->n, 0);
    usw_sort_by(j->u, j->records, j->n, j->record_bytes, usw_compare_records, &j->keys, in_place);
}

upsweep_status upsweep_sort_records(upsweep *u, void *records, size_t n, size_t record_bytes,
                                    const upsweep_field *fields, size_t field_count,
                                    const upsweep_options *options)
{
    usw_options o;
    upsweep_status status = usw_enter(u, options, FLAGS, &o);
    if (status != UPSWEEP_OK) {
        return status;
    }
    job j = {.u = u, .records = records, .n = n, .record_bytes = record_bytes};
    status = usw_check_array(u, records, n, record_bytes, "records");
    if (status == UPSWEEP_OK && o.algorithm != NULL) {
        j.form = usw_form_for(u, USW_SORTS, o.algorithm, &status);
    }
    if (status == UPSWEEP_OK && j.form != NULL && j.form->n_max != 0 && n > j.form->n_max) {
        status = usw_fail(u, UPSWEEP_ERROR_UNSUPPORTED, "%s takes at most %zu keys", o.algorithm,
                          j.form->n_max);
    }
    if (status == UPSWEEP_OK) {
        status = take_fields(&j, fields, field_count, o.flags & FIELD_FLAGS);
    }
    if (status == UPSWEEP_OK &&
        !usw_gpu_sort_records(u, records, n, record_bytes, fields, field_count, &o, &status)) {
        if (j.form == NULL) {
            USW_SHARE_CALL(u, n * usw_min(record_bytes, 16), USW_LIKE_SORTING, record_bytes);
        }
        sort_all(&j, &o);
    }
    return usw_leave(u, status);
}
