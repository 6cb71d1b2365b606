/* sort_array.c - sorts arrays in the memory they were read to, each row of the last axis by itself,
 * and writes them in the format they came in. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_array.h"
#include "app/sort/sort_text.h"

#include <string.h>

size_t sort_row_length(const io_array *a)
{
    return a->npy.axes == 0 ? 1 : a->npy.shape[a->npy.axes - 1];
}

/* Whether element i must not follow element i - 1 under -u: the library has found them in order. */
static size_t first_equal(const io_array *a)
{
    size_t bytes = upsweep_type_bytes(a->type);
    const char *p = a->data;
    for (size_t i = 1; i < a->n; i++, p += bytes) {
        if (memcmp(p, p + bytes, bytes) == 0) {
            return i;
        }
    }
    return a->n;
}

upsweep_status sort_find_disorder(upsweep *u, const io_array *a, unsigned flags, size_t *first)
{
    upsweep_options options = UPSWEEP_OPTIONS_INIT;
    options.flags = flags;
    upsweep_status status = UPSWEEP_OK;
    size_t length = sort_row_length(a), bytes = upsweep_type_bytes(a->type);
    for (size_t at = 0; at < a->n; at += length) {
        const char *row = (const char *)a->data + at * bytes;
        status = upsweep_is_sorted(u, row, length, a->type, first, &options);
        *first += at;
        if (status != UPSWEEP_OK || *first < at + length) {
            return status;
        }
    }
    *first = a->n;
    return status;
}

static unsigned order_flags(const sort_array_task *task)
{
    return task->reverse ? UPSWEEP_DESCENDING : UPSWEEP_ASCENDING;
}

static int check_order(const sort_array_task *task, upsweep *u, const io_array *a)
{
    size_t first;
    if (sort_find_disorder(u, a, order_flags(task), &first) != UPSWEEP_OK) {
        return app_fail_call(u);
    }
    if (first == a->n && task->unique) {
        first = first_equal(a);
    }
    if (first == a->n) {
        return APP_OK;
    }
    if (!task->quiet) {
        size_t length = sort_row_length(a);
        fprintf(stderr, "%s: %s: element %zu", app_command(), app_input_name(task->common),
                first % length);
        if (a->npy.axes > 1) {
            fprintf(stderr, " of row %zu", first / length);
        }
        fprintf(stderr, " is out of order: ");
        app_print_number(stderr, a->type,
                         (const char *)a->data + first * upsweep_type_bytes(a->type));
        fputc('\n', stderr);
    }
    return APP_NO;
}

static upsweep_status sort_elements(const sort_array_task *task, upsweep *u, const io_array *a)
{
    upsweep_options options = UPSWEEP_OPTIONS_INIT;
    options.algorithm = task->common->algorithm;
    options.flags = order_flags(task);
    size_t length = sort_row_length(a), bytes = a->n * upsweep_type_bytes(a->type);
    if (length == a->n && task->limit - SORT_OWN_BYTES < 2 * bytes) {
        options.flags |= UPSWEEP_IN_PLACE;
    }
    return length == a->n || a->n == 0 ? upsweep_sort(u, a->data, a->n, a->type, &options)
                                       : upsweep_sort_rows(u, a->data, a->n, a->type, NULL,
                                                           a->n / length, NULL, 0, &options);
}

void sort_print_array_json(const upsweep_report *report, size_t n, const char *type, size_t bytes,
                           size_t kept, double read, double sort, double write)
{
    printf("{\"%s\": %zu, \"type\": ", type != NULL ? "elements" : "records", n);
    app_print_json_text(stdout, type != NULL ? type : "record");
    printf(", \"bytes\": %zu, \"written\": %zu, \"beyond_memory\": false, \"algorithm\": ", bytes,
           kept);
    app_print_json_text(stdout, report->algorithm != NULL ? report->algorithm : "");
    printf(", \"reason\": ");
    app_print_json_text(stdout, report->reason);
    printf(", \"seconds\": %.6f, \"phases\": {\"read\": %.6f, \"sort\": %.6f, \"write\": %.6f}}\n",
           read + sort + write, read, sort, write);
}

static int sort_and_write(const sort_array_task *task, upsweep *u, const io_array *a,
                          app_output *out)
{
    const app_common *common = task->common;
    size_t bytes = a->n * upsweep_type_bytes(a->type), kept = a->n;
    app_progress("sorting", bytes);
    double begin = app_seconds();
    bool done = sort_elements(task, u, a) == UPSWEEP_OK;
    double sorted = app_seconds();
    app_progress(NULL, bytes);
    upsweep_report report = UPSWEEP_REPORT_INIT;
    upsweep_last_report(u, &report);
    if (done && common->stats && !common->json) {
        app_print_report(u, a->n, upsweep_type_name(a->type), bytes, sorted - begin);
    }
    if (done && task->unique) {
        done = upsweep_unique(u, a->data, a->n, a->type, &kept, NULL) == UPSWEEP_OK;
    }
    if (!done) {
        return app_output_drop(out, app_fail("%s: %s", app_input_name(common), upsweep_error(u)));
    }
    double write = app_seconds();
    int status = app_output_array(out, a->data, kept);
    if (status == APP_OK && common->json) {
        sort_print_array_json(&report, a->n, upsweep_type_name(a->type), bytes, kept,
                              task->read_seconds, write - begin, app_seconds() - write);
    } else if (status == APP_OK && common->stats) {
        fprintf(stderr, "time       read %.3f s, sort %.3f s, write %.3f s\n", task->read_seconds,
                write - begin, app_seconds() - write);
    }
    return status;
}

/* A single number has no axis to sort along, and rows that lose elements are no array any more. */
int sort_check_shape(const sort_array_task *task, const io_npy *npy)
{
    char shape[IO_NPY_SHAPE_MAX];
    const char *name = app_input_name(task->common);
    if (npy->axes == 0) {
        return app_fail("%s: is a single number, without an axis to sort along", name);
    }
    if (npy->axes > 1 && task->unique) {
        return app_fail("%s: has the shape %s, and -u is for arrays of one axis", name,
                        io_npy_shape(npy, shape));
    }
    return APP_OK;
}

int sort_array(const sort_array_task *task, io_input *in, const io_array_wish *wish, io_output *out)
{
    io_array a;
    io_error error;
    upsweep *u = NULL;
    app_output to;
    int status = APP_OK;
    if (!io_array_take(&a, in, wish, &error)) {
        status = app_fail("%s", error.text);
    }
    status = status == APP_OK ? sort_check_shape(task, &a.npy) : status;
    status = status == APP_OK ? app_open(task->common, &u) : status;
    if (status == APP_OK && task->check) {
        status = check_order(task, u, &a);
    } else if (status == APP_OK && app_output_use(&to, task->common, &a, out) == APP_OK) {
        status = sort_and_write(task, u, &a, &to); /* which commits or drops it */
    } else if (!task->check) {
        io_output_discard(out);
        status = APP_ERROR;
    }
    upsweep_close(u);
    io_array_free(&a);
    return status;
}
