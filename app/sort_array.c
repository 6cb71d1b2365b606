/* sort_array.c - reads arrays, sorts them in the memory they were read to, and writes them in the
 * format they came in. */
#include "sort_array.h"

#include "arrays.h"

#include <string.h>

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

static int check_order(const sort_array_task *task, upsweep *u, const io_array *a)
{
    upsweep_options options = UPSWEEP_OPTIONS_INIT;
    options.flags = task->reverse ? UPSWEEP_DESCENDING : UPSWEEP_ASCENDING;
    size_t first;
    if (upsweep_is_sorted(u, a->data, a->n, a->type, &first, &options) != UPSWEEP_OK) {
        return app_fail_call(u);
    }
    if (first == a->n && task->unique) {
        first = first_equal(a);
    }
    if (first == a->n) {
        return APP_OK;
    }
    if (!task->quiet) {
        fprintf(stderr,
                "upsweep sort: %s: element %zu is out of order: ", app_input_name(task->common),
                first);
        app_print_number(stderr, a->type,
                         (const char *)a->data + first * upsweep_type_bytes(a->type));
        fputc('\n', stderr);
    }
    return APP_NO;
}

static int sort_and_write(const sort_array_task *task, upsweep *u, const io_array *a,
                          double read_seconds)
{
    const app_common *common = task->common;
    app_output out;
    if (app_output_open(&out, common, a->format, a->type) != APP_OK) {
        return APP_ERROR;
    }
    upsweep_options options = UPSWEEP_OPTIONS_INIT;
    options.algorithm = common->algorithm;
    options.flags = task->reverse ? UPSWEEP_DESCENDING : UPSWEEP_ASCENDING;
    size_t bytes = a->n * upsweep_type_bytes(a->type), kept = a->n;
    app_progress("sorting", bytes);
    double begin = app_seconds();
    bool done = upsweep_sort(u, a->data, a->n, a->type, &options) == UPSWEEP_OK;
    double sorted = app_seconds();
    app_progress(NULL, bytes);
    if (done && common->stats) {
        app_print_report(u, a->n, upsweep_type_name(a->type), bytes, sorted - begin);
    }
    if (done && task->unique) {
        done = upsweep_unique(u, a->data, a->n, a->type, &kept, NULL) == UPSWEEP_OK;
    }
    if (!done) {
        return app_output_drop(&out, app_fail("%s: %s", app_input_name(common), upsweep_error(u)));
    }
    double write = app_seconds();
    int status = app_output_array(&out, a->data, kept);
    if (status == APP_OK && common->stats) {
        fprintf(stderr, "time       read %.3f s, sort %.3f s, write %.3f s\n", read_seconds,
                write - begin, app_seconds() - write);
    }
    return status;
}

int sort_array(const sort_array_task *task)
{
    io_array a;
    upsweep *u = NULL;
    double begin = app_seconds();
    int status = app_read_array(task->common, &a);
    double read_seconds = app_seconds() - begin;
    if (status == APP_OK) {
        status = app_open(task->common, &u);
    }
    if (status == APP_OK) {
        status = task->check ? check_order(task, u, &a) : sort_and_write(task, u, &a, read_seconds);
    }
    upsweep_close(u);
    io_array_free(&a);
    return status;
}
