/* sort.c - sorts on a GPU: keys, keys with values, argsort, rows, records. */
/* SPDX-License-Identifier: MIT */
#include "calls/on_gpu/on_gpu.h"
#include "calls/on_gpu/call.h"

#include <stdio.h>

typedef struct sort_job {
    const usw_options *o;
    unsigned width, bits; /* of the key */
    usw_keymap map;
    unsigned bit_begin, bit_end;
    bool all_bits, in_place;
    size_t n, value_bytes;
    size_t rows;
    bool fixed_rows;
    const upsweep_field *fields;
    size_t field_count;
    const char *asked; /* the name of the row that was asked for; NULL: none */
    bool lacks;        /* that row cannot do it */
} sort_job;

/* What a CPU of that many threads takes, roughly, for "auto". */
static double cpu_ns(const upsweep *u, size_t n, unsigned width, bool carrying)
{
    static const double keys[] = {0.5, 1.0, 2.7, 6.0}, pairs[] = {4, 6, 8, 15};
    double threads = u->threads < 16 ? u->threads : 16;
    return (double)n * (carrying ? pairs : keys)[width] / (0.3 + 0.7 * threads);
}

static sort_job job_of(upsweep_type type, size_t n, const usw_options *o)
{
    size_t bytes = upsweep_type_bytes(type);
    unsigned bits = (unsigned)bytes * 8, end = o->bit_end == 0 ? bits : o->bit_end;
    return (sort_job){.o = o,
                      .width = usw_log2_up(bytes),
                      .bits = bits,
                      .map = usw_keymap_of(type, o->flags),
                      .bit_begin = o->bit_begin,
                      .bit_end = end,
                      .all_bits = o->bit_begin == 0 && end == bits,
                      .in_place = (o->flags & UPSWEEP_IN_PLACE) != 0,
                      .n = n};
}

/* The form for this job, or NULL with *status: of the row that was asked for, where it can do it,
 * or what chooses a row by the keys (gpu/sort_choice.cu). */
static const usw_gpu_sort_form *form_for(const usw_gpu_call *c, sort_job *j, bool carrying,
                                         upsweep_status *status)
{
    const usw_gpu_sort_form *form = NULL;
    *status = UPSWEEP_ERROR_UNSUPPORTED;
    if (j->o->algorithm != NULL) {
        form = usw_gpu_form_named(c, j->o->algorithm, &j->asked);
        if (form == NULL) {
            return NULL;
        }
        j->lacks = (!j->all_bits && !form->takes_bits) || (carrying && form->pairs == NULL);
    }
    if (form == NULL || j->lacks) {
        if (j->in_place && !j->all_bits) {
            usw_say(c->u, "a range of bits cannot be sorted in place on the GPU");
            return NULL;
        }
        return usw_gpu_form(c, "sort_choice");
    }
    if (form->n_max != 0 && j->n > form->n_max) {
        usw_say(c->u, "%s takes at most %zu keys on the GPU, not %zu", j->asked, form->n_max, j->n);
        return NULL;
    }
    if (j->in_place && !form->in_place) {
        usw_say(c->u, "%s cannot sort in place on the GPU", j->asked);
        return NULL;
    }
    return form;
}

/* Says what ran: the row that was asked for, or the method that was chosen. */
static void report_sort(const usw_gpu_call *c, const sort_job *j, bool carrying)
{
    const usw_gpu_said *said = c->p->sorted_by(c->g);
    const char *asked = j->asked;
    if (asked != NULL && !j->lacks && (said == NULL || strcmp(said->name, asked) == 0)) {
        usw_report(c->u, asked, "it was asked for by name");
    } else if (said == NULL) {
        usw_report(c->u, "in order", "%zu keys were already in order", j->n);
    } else if (asked != NULL && !j->lacks) {
        usw_report(c->u, asked, "it was asked for by name, and leaves %zu keys to \"%s\": %s", j->n,
                   said->name, said->because);
    } else if (asked != NULL) {
        usw_report(c->u, said->name,
                   carrying ? "%s carries nothing along on the GPU"
                            : "%s does not sort by a range of bits there",
                   asked);
    } else {
        usw_report(c->u, said->name, "%zu keys of %u bits on the GPU: %s", j->n, j->bits,
                   said->because);
    }
}

/* ---- keys ---- */

static upsweep_status sort_work(usw_gpu_call *c)
{
    sort_job *j = c->context;
    upsweep_status status;
    const usw_gpu_sort_form *form = form_for(c, j, false, &status);
    usw_gpu_sort s = {.keys = c->arrays[0].at,
                      .from = c->count > 1 ? c->arrays[1].at : NULL,
                      .n = j->n,
                      .width = j->width,
                      .map = j->map,
                      .bit_begin = j->bit_begin,
                      .bit_end = j->bit_end,
                      .stable = !j->all_bits,
                      .in_place = j->in_place};
    if (form == NULL) {
        return status;
    }
    if (j->n > 1) {
        status = form->sort(c->g, &s);
    } else {
        status = s.from == NULL ? UPSWEEP_OK : c->p->copy(c->g, s.keys, s.from, j->n * j->bits / 8);
    }
    report_sort(c, j, false);
    return status;
}

bool usw_gpu_sort_keys(upsweep *u, const void *keys, void *out, size_t n, upsweep_type type,
                       const usw_options *o, upsweep_status *status)
{
    if (u->device == USW_CPU) {
        return false;
    }
    sort_job j = job_of(type, n, o);
    const bool copies = out != keys;
    usw_gpu_array arrays[] = {usw_gpu_of(copies ? "out" : "keys", out, n * j.bits / 8,
                                         copies ? USW_GPU_OUT : USW_GPU_INOUT),
                              usw_gpu_in("keys", keys, n * j.bits / 8)};
    usw_gpu_call c = {.u = u, .arrays = arrays, .count = 1, .work = sort_work, .context = &j};
    c.count = copies ? 2 : 1;
    c.cpu_ns = cpu_ns(u, n, j.width, false);
    return usw_gpu_run(&c, status);
}

/* ---- keys that carry something ---- */

static upsweep_status carry_work(usw_gpu_call *c)
{
    sort_job *j = c->context;
    upsweep_status status;
    const usw_gpu_sort_form *form = form_for(c, j, true, &status);
    usw_gpu_pairs p = {.keys = c->arrays[0].at,
                       .out_keys = c->arrays[2].at,
                       .values = c->arrays[1].use == USW_GPU_OUT ? NULL : c->arrays[1].at,
                       .out_values = c->arrays[1].at,
                       .value_bytes = j->value_bytes,
                       .n = j->n,
                       .width = j->width,
                       .map = j->map,
                       .bit_begin = j->bit_begin,
                       .bit_end = j->bit_end,
                       .stable = !(j->o->flags & UPSWEEP_UNSTABLE)};
    if (form == NULL) {
        return status;
    }
    status = j->n == 0 ? UPSWEEP_OK : form->pairs(c->g, &p);
    report_sort(c, j, true);
    return status;
}

/* The keys, what they carry, and where sorted keys go. */
static bool sort_carrying(upsweep *u, usw_gpu_array (*arrays)[3], sort_job *j,
                          upsweep_status *status)
{
    usw_gpu_call c = {.u = u, .arrays = *arrays, .count = 3, .work = carry_work, .context = j};
    c.cpu_ns = cpu_ns(u, j->n, j->width, true);
    return usw_gpu_run(&c, status);
}

bool usw_gpu_sort_pairs(upsweep *u, void *keys, void *values, size_t value_bytes, size_t n,
                        upsweep_type type, const usw_options *o, upsweep_status *status)
{
    if (u->device == USW_CPU) {
        return false;
    }
    sort_job j = job_of(type, n, o);
    j.value_bytes = value_bytes;
    usw_gpu_array arrays[] = {usw_gpu_in("keys", keys, n * j.bits / 8),
                              usw_gpu_inout("values", values, n * value_bytes),
                              usw_gpu_out("keys", keys, n * j.bits / 8)};
    return sort_carrying(u, &arrays, &j, status);
}

bool usw_gpu_argsort(upsweep *u, const void *keys, size_t n, upsweep_type type, void *out,
                     void *index, unsigned index_bits, const usw_options *o, upsweep_status *status)
{
    if (u->device == USW_CPU) {
        return false;
    }
    sort_job j = job_of(type, n, o);
    j.value_bytes = index_bits / 8;
    usw_gpu_array arrays[] = {usw_gpu_in("keys", keys, n * j.bits / 8),
                              usw_gpu_out("index", index, n * j.value_bytes),
                              usw_gpu_out("out", out, out == NULL ? 0 : n * j.bits / 8)};
    return sort_carrying(u, &arrays, &j, status);
}

/* ---- rows ---- */

static upsweep_status rows_work(usw_gpu_call *c)
{
    const sort_job *j = c->context;
    const usw_gpu_rows_step *step = usw_gpu_form(c, "rows");
    if (step == NULL) {
        return UPSWEEP_ERROR_UNSUPPORTED;
    }
    usw_gpu_rows r = {.keys = c->arrays[0].at,
                      .begin = c->arrays[1].at,
                      .rows = j->rows,
                      .row_keys = j->fixed_rows ? j->n / j->rows : 0,
                      .n = j->n,
                      .width = j->width,
                      .map = j->map,
                      .index = c->arrays[2].at,
                      .index_bytes = j->value_bytes};
    upsweep_status status = step->sort(c->g, &r);
    const usw_gpu_said *said = c->p->sorted_by(c->g);
    if (said != NULL) {
        usw_report(c->u, said->name, "%zu rows of %u-bit keys on the GPU: %s", j->rows, j->bits,
                   said->because);
    }
    return status;
}

bool usw_gpu_sort_rows(upsweep *u, void *keys, size_t n, upsweep_type type, const uint64_t *begin,
                       size_t rows, void *index, unsigned index_bits, const usw_options *o,
                       upsweep_status *status)
{
    if (u->device == USW_CPU || rows == 0 || n == 0) {
        return false;
    }
    sort_job j = job_of(type, n, o);
    j.rows = rows;
    j.fixed_rows = begin == NULL;
    j.value_bytes = index == NULL ? 0 : index_bits / 8;
    usw_gpu_array arrays[] = {
        usw_gpu_inout("keys", keys, n * j.bits / 8),
        usw_gpu_in("begin", begin, begin == NULL ? 0 : (rows + 1) * sizeof *begin),
        usw_gpu_inout("index", index, n * j.value_bytes)};
    usw_gpu_call c = {.u = u, .arrays = arrays, .count = 3, .work = rows_work, .context = &j};
    c.risks[0].code = USW_FAULT_ROWS;
    c.cpu_ns = cpu_ns(u, n, j.width, index != NULL) / 2;
    return usw_gpu_run(&c, status);
}

/* ---- records ---- */

static upsweep_status records_work(usw_gpu_call *c)
{
    const sort_job *j = c->context;
    const usw_gpu_merge_step *step = usw_gpu_form(c, "merge");
    if (step == NULL) {
        return UPSWEEP_ERROR_UNSUPPORTED;
    }
    if (j->in_place) {
        usw_say(c->u, "records cannot be sorted in place on the GPU");
        return UPSWEEP_ERROR_UNSUPPORTED;
    }
    upsweep_status status = step->sort_records(c->g, c->arrays[0].at, j->n, j->value_bytes,
                                               j->fields, j->field_count, false);
    const usw_gpu_said *said = c->p->sorted_by(c->g);
    if (said != NULL) {
        usw_report(c->u, said->name, "%zu records of %zu bytes on the GPU: %s", j->n,
                   j->value_bytes, said->because);
    }
    return status;
}

bool usw_gpu_sort_records(upsweep *u, void *records, size_t n, size_t record_bytes,
                          const upsweep_field *fields, size_t field_count, const usw_options *o,
                          upsweep_status *status)
{
    size_t bytes;
    if (u->device == USW_CPU || n < 2 || field_count == 0) {
        return false;
    }
    /* The options' flags become those of the fields: descending of all is descending of each. */
    upsweep_field *own =
        usw_mul_overflows(field_count, sizeof *own, &bytes) ? NULL : usw_scratch(u, bytes);
    if (own == NULL) {
        *status = usw_fail(u, UPSWEEP_ERROR_MEMORY, "no scratch for %zu fields", field_count);
        return true;
    }
    unsigned nan = UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW;
    for (size_t i = 0; i < field_count; i++) {
        own[i] = fields[i];
        own[i].flags = (fields[i].flags ^ (o->flags & UPSWEEP_DESCENDING)) | (o->flags & nan);
    }
    sort_job j = {.o = o, .n = n, .value_bytes = record_bytes, .fields = own};
    j.field_count = field_count;
    j.in_place = (o->flags & UPSWEEP_IN_PLACE) != 0;
    usw_gpu_array arrays[] = {usw_gpu_inout("records", records, n * record_bytes)};
    usw_gpu_call c = {.u = u, .arrays = arrays, .count = 1, .work = records_work, .context = &j};
    c.cpu_ns = cpu_ns(u, n, 3, true);
    return usw_gpu_run(&c, status);
}
