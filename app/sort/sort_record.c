/* sort_record.c - records of one size: their fields as the command line tells of them, how two of
 * them compare, and the sort of those that fit into memory. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_record.h"

#include "app/arrays/arrays.h"
#include "app/sort/sort_array.h"

#include <stdlib.h>
#include <string.h>

/* ---- fields ---- */

static bool read_place(const char *text, const char **behind, size_t *place)
{
    bool fits = true;
    *place = 0;
    for (*behind = text; **behind >= '0' && **behind <= '9'; (*behind)++) {
        fits = fits && !__builtin_mul_overflow(*place, (size_t)10, place) &&
               !__builtin_add_overflow(*place, (size_t)(**behind - '0'), place);
    }
    return fits && *behind > text;
}

/* What stands behind the colon: a byte that the field ends before, or a type. */
static bool read_end(const char *text, upsweep_field *field)
{
    char type[8];
    size_t end = 0, length = strlen(text);
    const char *behind;
    bool down = length > 0 && text[length - 1] == 'r';
    field->flags = down ? UPSWEEP_DESCENDING : 0;
    if (read_place(text, &behind, &end)) {
        field->bytes = end > field->offset ? end - field->offset : 0;
        return field->bytes > 0 && strcmp(behind, down ? "r" : "") == 0;
    }
    length -= down;
    if (length >= sizeof type) {
        return false;
    }
    memcpy(type, text, length);
    type[length] = '\0';
    field->type = upsweep_type_from_name(type);
    return field->type != 0;
}

int sort_add_field(sort_task *task, const char *spec)
{
    upsweep_field field = {0};
    const char *behind;
    if (!read_place(spec, &behind, &field.offset) || *behind != ':' ||
        !read_end(behind + 1, &field)) {
        return app_fail("--key of records takes A:B, bytes A to B - 1 counted from 0, or A:TYPE, "
                        "and r for descending order, not '%s'",
                        spec);
    }
    upsweep_field *all = realloc(task->fields, (task->field_count + 1) * sizeof *all);
    if (all == NULL) {
        return app_fail("out of memory");
    }
    task->fields = all;
    all[task->field_count++] = field;
    return APP_OK;
}

static int check_fields(const sort_task *task)
{
    for (size_t i = 0; i < task->field_count; i++) {
        const upsweep_field *f = &task->fields[i];
        size_t bytes = f->type != 0 ? upsweep_type_bytes(f->type) : f->bytes;
        if (f->offset > task->record_bytes || bytes > task->record_bytes - f->offset) {
            return app_fail("a key of bytes %zu to %zu lies outside of records of %zu bytes",
                            f->offset, f->offset + bytes - 1, task->record_bytes);
        }
    }
    return APP_OK;
}

int sort_check_records(sort_task *task)
{
    const sort_key *global = &task->order.global;
    if (task->record_bytes == 0) {
        return task->field_count == 0 ? APP_OK
                                      : app_fail("a key A:B is for records: --record says of how "
                                                 "many bytes");
    }
    if (task->common.type != 0 || task->from == IO_NPY || task->from == IO_TEXT) {
        return app_fail("--record is for records of bytes, not for arrays or lines");
    }
    if (task->order.count > 0 || task->merge || task->order.end == '\0' || task->debug ||
        task->strict || task->order.tab >= 0 || global->kinds != 0 || global->fold ||
        global->ignored != 0 || global->skip_begin) {
        return app_fail("of the options for lines, records take -r, -u, -s, -c, -C, and keys A:B");
    }
    if (task->field_count == 0) {
        upsweep_field all = {.bytes = task->record_bytes};
        task->fields = malloc(sizeof all);
        if (task->fields == NULL) {
            return app_fail("out of memory");
        }
        task->fields[task->field_count++] = all;
    }
    return check_fields(task);
}

/* ---- comparing ---- */

/* A number of a field as an unsigned one in the same order, all NaNs behind the others whatever the
 * direction, as the library has it. */
static uint64_t number_key(const upsweep_field *f, const unsigned char *record, bool down)
{
    size_t bytes = upsweep_type_bytes(f->type);
    uint64_t raw = 0;
    if (bytes == 0) {
        return 0; /* no type that there is */
    }
    for (size_t i = bytes; i-- > 0;) {
        raw = raw << 8 | record[f->offset + i];
    }
    uint64_t all = UINT64_MAX >> (64 - 8 * bytes), sign = UINT64_C(1) << (8 * bytes - 1);
    bool real = app_is_float(f->type), natural = f->type <= UPSWEEP_U64;
    uint64_t key = natural ? raw : real && (raw & sign) ? ~raw & all : raw ^ sign;
    key = down ? ~key & all : key;
    unsigned mantissa = f->type == UPSWEEP_F16    ? 10
                        : f->type == UPSWEEP_BF16 ? 7
                        : f->type == UPSWEEP_F32  ? 23
                                                  : 52;
    return real ? (key - ((UINT64_C(1) << mantissa) - 1)) & all : key;
}

int sort_compare_records(const sort_task *task, const unsigned char *a, const unsigned char *b)
{
    for (size_t i = 0; i < task->field_count; i++) {
        const upsweep_field *f = &task->fields[i];
        bool down = ((f->flags & UPSWEEP_DESCENDING) != 0) != task->order.global.reverse;
        int order;
        if (f->type == 0) {
            order = memcmp(a + f->offset, b + f->offset, f->bytes);
            order = down ? (order < 0) - (order > 0) : order;
        } else {
            uint64_t x = number_key(f, a, down), y = number_key(f, b, down);
            order = (x > y) - (x < y);
        }
        if (order != 0) {
            return order;
        }
    }
    return 0;
}

/* ---- in memory ---- */

int sort_say_record(const sort_task *task, const char *name, uint64_t number)
{
    if (task->mode != SORT_CHECK_QUIETLY) {
        fprintf(stderr, "%s: %s: record %llu is out of order\n", app_command(), io_input_name(name),
                (unsigned long long)number);
    }
    return APP_NO;
}

static int check_order(const sort_job *job)
{
    const sort_task *task = job->task;
    const unsigned char *p = job->in.bytes;
    for (size_t i = 1; i < job->n; i++, p += task->record_bytes) {
        int order = sort_compare_records(task, p, p + task->record_bytes);
        if (order > 0 || (order == 0 && task->order.unique)) {
            return sort_say_record(task, job->in.parts[0].name, i);
        }
    }
    return APP_OK;
}

/* Of records with equal keys the first stays. */
static void drop_equal(sort_job *job)
{
    size_t bytes = job->task->record_bytes, kept = job->n > 0;
    unsigned char *first = job->in.bytes;
    for (size_t i = 1; i < job->n; i++) {
        const unsigned char *next = first + i * bytes;
        if (sort_compare_records(job->task, first + (kept - 1) * bytes, next) != 0) {
            memmove(first + kept++ * bytes, next, bytes);
        }
    }
    job->n = kept;
}

static int count_records(sort_job *job)
{
    size_t bytes = job->task->record_bytes;
    for (size_t i = 0; i < job->in.part_count; i++) {
        const io_part *part = &job->in.parts[i];
        if ((part->end - part->begin) % bytes != 0) {
            return app_fail("%s: %zu bytes are no whole number of records of %zu bytes",
                            io_input_name(part->name), part->end - part->begin, bytes);
        }
    }
    job->n = job->in.size / bytes;
    return APP_OK;
}

static int put_in_order(sort_job *job)
{
    const sort_task *task = job->task;
    upsweep_options options = UPSWEEP_OPTIONS_INIT;
    options.algorithm = task->common.algorithm;
    options.flags = task->order.global.reverse ? UPSWEEP_DESCENDING : 0;
    int status = app_open(&task->common, &job->u);
    sort_phase(job, "sort");
    double begin = app_seconds();
    if (status == APP_OK &&
        upsweep_sort_records(job->u, job->in.bytes, job->n, task->record_bytes, task->fields,
                             task->field_count, &options) != UPSWEEP_OK) {
        return app_fail_call(job->u);
    }
    if (status == APP_OK && task->common.stats && !task->common.json) {
        app_print_report(job->u, job->n, "records", job->in.size, app_seconds() - begin);
    }
    if (status == APP_OK && task->order.unique) {
        drop_equal(job);
    }
    return status;
}

int sort_records(sort_job *job, io_output *out)
{
    io_error error;
    bool check = job->task->mode != SORT_SORT;
    int status = count_records(job);
    size_t n = job->n;
    double read = app_seconds() - job->begin;
    if (check) {
        return status == APP_OK ? check_order(job) : status;
    }
    status = status == APP_OK ? put_in_order(job) : status;
    sort_phase(job, "write");
    double sorted = app_seconds() - job->begin - read;
    if (status == APP_OK &&
        io_output_write(out, job->in.bytes, job->n * job->task->record_bytes, &error) != 0) {
        status = sort_fail_output(out, &error);
    }
    if (status != APP_OK) {
        io_output_discard(out);
        return status;
    }
    sort_phase(job, out->plain ? "close" : "sync");
    status = io_output_commit(out, &error) == 0 ? APP_OK : app_fail("%s", error.text);
    sort_phase(job, NULL);
    if (status == APP_OK && job->task->common.json) {
        upsweep_report report = UPSWEEP_REPORT_INIT;
        upsweep_last_report(job->u, &report);
        sort_print_array_json(&report, n, NULL, job->in.size, job->n, read, sorted,
                              app_seconds() - job->begin - read - sorted);
    }
    return status;
}
