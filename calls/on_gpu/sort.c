/* sort.c - sorts on a GPU: keys, keys with values, argsort, rows, records. */
#include "calls/on_gpu/on_gpu.h"
#include "calls/on_gpu/call.h"
#include "calls/sort_choice.h"

#include <stdio.h>

typedef struct sort_job {
    const usw_options *o;
    unsigned width, bits; /* of the key */
    usw_keymap map;
    unsigned bit_begin, bit_end;
    bool all_bits, in_place;
    size_t n, value_bytes;
    bool argsort;
    size_t rows;
    bool fixed_rows;
    const upsweep_field *fields;
    size_t field_count;
} sort_job;

/* The name of the row that runs when none is asked for; stable: by digits in any case. */
static const char *choose_row(const usw_gpu_call *c, const sort_job *j, bool stable)
{
    usw_sort_case s = {c->u, USW_GPU_KEYS, j->n, j->width, 0};
    s.facts = stable ? USW_IF_BITS
                     : (j->in_place ? USW_IF_IN_PLACE : 0) | (j->all_bits ? 0 : USW_IF_BITS);
    return usw_choose_sort(&s).line->name;
}

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

/* The form for this job, or NULL with *status. */
static const usw_gpu_sort_form *form_for(const usw_gpu_call *c, const sort_job *j, bool carrying,
                                         upsweep_status *status)
{
    const char *name = j->o->algorithm, *algorithm;
    const usw_gpu_sort_form *form =
        usw_gpu_form_named(c, name != NULL ? name : choose_row(c, j, false), &algorithm);
    *status = UPSWEEP_ERROR_UNSUPPORTED;
    if (form == NULL) {
        return NULL;
    }
    bool lacks = (!j->all_bits && !form->takes_bits) || (carrying && form->pairs == NULL);
    if (lacks) {
        const char *asked = algorithm;
        form = usw_gpu_form_named(c, choose_row(c, j, true), &algorithm);
        usw_report(c->u, algorithm,
                   carrying ? "%s carries nothing along on the GPU"
                            : "%s does not sort by a range of bits there",
                   asked);
    } else if (name != NULL) {
        usw_report(c->u, algorithm, "it was asked for by name");
    } else {
        usw_report(c->u, algorithm, "%zu keys of %u bits on the GPU", j->n, j->bits);
    }
    if (form != NULL && form->n_max != 0 && j->n > form->n_max) {
        usw_say(c->u, "%s takes at most %zu keys on the GPU, not %zu", algorithm, form->n_max,
                j->n);
        return NULL;
    }
    if (form != NULL && j->in_place && !form->in_place) {
        usw_say(c->u, "%s cannot sort in place on the GPU", algorithm);
        return NULL;
    }
    return form;
}

/* ---- keys ---- */

static upsweep_status sort_work(usw_gpu_call *c)
{
    const sort_job *j = c->context;
    upsweep_status status;
    const usw_gpu_sort_form *form = form_for(c, j, false, &status);
    usw_gpu_sort s = {.keys = c->arrays[0].at,
                      .n = j->n,
                      .width = j->width,
                      .map = j->map,
                      .bit_begin = j->bit_begin,
                      .bit_end = j->bit_end,
                      .stable = !j->all_bits,
                      .in_place = j->in_place};
    return form == NULL ? status : j->n < 2 ? UPSWEEP_OK : form->sort(c->g, &s);
}

bool usw_gpu_sort_keys(upsweep *u, void *keys, size_t n, upsweep_type type, const usw_options *o,
                       upsweep_status *status)
{
    if (u->device == USW_CPU) {
        return false;
    }
    sort_job j = job_of(type, n, o);
    usw_gpu_array arrays[] = {usw_gpu_inout("keys", keys, n * j.bits / 8)};
    usw_gpu_call c = {.u = u, .arrays = arrays, .count = 1, .work = sort_work, .context = &j};
    c.cpu_ns = cpu_ns(u, n, j.width, false);
    return usw_gpu_run(&c, status);
}

/* ---- keys that carry something ---- */

static upsweep_status carry_work(usw_gpu_call *c)
{
    const sort_job *j = c->context;
    upsweep_status status;
    const usw_gpu_sort_form *form = form_for(c, j, true, &status);
    usw_gpu_pairs p = {.keys = c->arrays[0].at,
                       .out_keys = j->argsort ? NULL : c->arrays[0].at,
                       .values = j->argsort ? NULL : c->arrays[1].at,
                       .out_values = c->arrays[1].at,
                       .value_bytes = j->value_bytes,
                       .n = j->n,
                       .width = j->width,
                       .map = j->map,
                       .bit_begin = j->bit_begin,
                       .bit_end = j->bit_end,
                       .stable = !(j->o->flags & UPSWEEP_UNSTABLE)};
    return form == NULL ? status : j->n == 0 ? UPSWEEP_OK : form->pairs(c->g, &p);
}

bool usw_gpu_sort_carrying(upsweep *u, void *keys, void *values, size_t value_bytes, size_t n,
                           upsweep_type type, void *index, unsigned index_bits,
                           const usw_options *o, upsweep_status *status)
{
    if (u->device == USW_CPU) {
        return false;
    }
    sort_job j = job_of(type, n, o);
    j.argsort = index != NULL;
    j.value_bytes = j.argsort ? index_bits / 8 : value_bytes;
    unsigned whole = USW_GPU_INOUT;
    usw_gpu_array arrays[] = {
        usw_gpu_of("keys", keys, n * j.bits / 8, j.argsort ? USW_GPU_IN : whole),
        usw_gpu_of(j.argsort ? "index" : "values", j.argsort ? index : values, n * j.value_bytes,
                   j.argsort ? USW_GPU_OUT : whole)};
    usw_gpu_call c = {.u = u, .arrays = arrays, .count = 2, .work = carry_work, .context = &j};
    c.cpu_ns = cpu_ns(u, n, j.width, true);
    return usw_gpu_run(&c, status);
}

/* ---- rows ---- */

static upsweep_status rows_work(usw_gpu_call *c)
{
    const sort_job *j = c->context;
    const usw_gpu_rows_step *step = usw_gpu_form(c, "rows");
    if (step == NULL) {
        return UPSWEEP_ERROR_UNSUPPORTED;
    }
    usw_report(c->u, "", "%zu rows of %u-bit keys on the GPU", j->rows, j->bits);
    usw_gpu_rows r = {.keys = c->arrays[0].at,
                      .begin = c->arrays[1].at,
                      .rows = j->rows,
                      .row_keys = j->fixed_rows ? j->n / j->rows : 0,
                      .n = j->n,
                      .width = j->width,
                      .map = j->map,
                      .index = c->arrays[2].at,
                      .index_bytes = j->value_bytes};
    return step->sort(c->g, &r);
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
    usw_sort_case s = {c->u, USW_GPU_RECORDS, j->n, 0, 0};
    usw_report(c->u, usw_choose_sort(&s).line->name,
               "a merge sort of records of %zu bytes on the GPU", j->value_bytes);
    return step->sort_records(c->g, c->arrays[0].at, j->n, j->value_bytes, j->fields,
                              j->field_count, false);
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
