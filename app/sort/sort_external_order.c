/* sort_external_order.c - -c and -C of arrays and records that do not fit into memory: one pass,
 * piece by piece, each with the last element of the one before in front of it. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_array.h"
#include "app/sort/sort_external.h"
#include "app/sort/sort_record.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 20 };

typedef struct walk {
    sort_job *job;
    io_elements *e;
    unsigned char *bytes; /* the element before, and the piece behind it */
    size_t element, row;  /* bytes; elements of a row, or 0: all are one row */
    uint64_t begin;       /* number of the element at bytes */
    uint64_t equal;       /* number of the first that equals the one before it */
    unsigned char twin[8];
    upsweep *u;
} walk;

/* What is no whole number of elements is refused, as in memory, wherever the disorder stands. */
static bool reads_to_the_end(walk *w)
{
    io_error error;
    size_t got = 1, step = (PIECE / w->element + 1) * w->element;
    while (got > 0) {
        if (!io_elements_fill(w->e, w->bytes, step, &got, &error)) {
            app_fail("%s", error.text);
            return false;
        }
    }
    return true;
}

static int say_element(walk *w, uint64_t number, const unsigned char *element)
{
    const sort_task *task = w->job->task;
    uint64_t row = w->row != 0 ? w->row : UINT64_MAX;
    memmove(w->twin, element, w->element);
    if (!reads_to_the_end(w)) {
        return APP_ERROR;
    }
    if (task->mode == SORT_CHECK_QUIETLY) {
        return APP_NO;
    }
    fprintf(stderr, "%s: %s: element %llu", app_command(), app_input_name(&task->common),
            (unsigned long long)(number % row));
    if (w->row != 0) {
        fprintf(stderr, " of row %llu", (unsigned long long)(number / row));
    }
    fputs(" is out of order: ", stderr);
    app_print_number(stderr, w->e->type, w->twin);
    fputc('\n', stderr);
    return APP_NO;
}

/* Of n elements at bytes + from, which are of one row; the first that is out of order. */
static int look_at_row(walk *w, size_t from, size_t n)
{
    upsweep_options options = UPSWEEP_OPTIONS_INIT;
    options.flags = w->job->order->global.reverse ? UPSWEEP_DESCENDING : 0;
    const unsigned char *p = w->bytes + from * w->element;
    size_t first = n;
    if (upsweep_is_sorted(w->u, p, n, w->e->type, &first, &options) != UPSWEEP_OK) {
        return app_fail_call(w->u);
    }
    if (first < n) {
        return say_element(w, w->begin + from + first, p + first * w->element);
    }
    for (size_t i = 1; w->job->order->unique && w->equal == UINT64_MAX && i < n; i++) {
        if (memcmp(p + (i - 1) * w->element, p + i * w->element, w->element) == 0) {
            w->equal = w->begin + from + i;
            memcpy(w->twin, p + i * w->element, w->element);
        }
    }
    return APP_OK;
}

static int look_at_elements(walk *w, size_t n)
{
    int status = APP_OK;
    for (size_t from = 0; from < n && status == APP_OK;) {
        size_t left = n - from, row = w->row;
        size_t step = row == 0 ? left : row - (size_t)((w->begin + from) % row);
        step = step < left ? step : left;
        status = look_at_row(w, from, step);
        from += step;
    }
    return status;
}

static int look_at_records(walk *w, size_t n)
{
    const sort_task *task = w->job->task;
    for (size_t i = 1; i < n; i++) {
        const unsigned char *p = w->bytes + i * w->element;
        int order = sort_compare_records(task, p - w->element, p);
        if (order > 0 || (order == 0 && task->order.unique)) {
            return reads_to_the_end(w)
                       ? sort_say_record(task, app_input_name(&task->common), w->begin + i)
                       : APP_ERROR;
        }
    }
    return APP_OK;
}

static int look_at_all(walk *w)
{
    size_t step = (PIECE / w->element + 1) * w->element, held = 0, got = 1;
    int status = APP_OK;
    io_error error;
    while (status == APP_OK && got > 0) {
        if (!io_elements_fill(w->e, w->bytes + held, step, &got, &error)) {
            return app_fail("%s", error.text);
        }
        size_t n = (held + got) / w->element;
        if (got > 0) {
            status = w->e->type != 0 ? look_at_elements(w, n) : look_at_records(w, n);
            memmove(w->bytes, w->bytes + (n - 1) * w->element, w->element);
            w->begin += n - 1;
            held = w->element;
        }
    }
    return status == APP_OK && w->equal != UINT64_MAX ? say_element(w, w->equal, w->twin) : status;
}

int sort_external_order(sort_job *job, io_elements *e)
{
    sort_array_task shape = {.common = &job->task->common, .unique = job->order->unique};
    walk w = {.job = job,
              .e = e,
              .element = e->element,
              .row = e->npy.axes > 1 ? e->npy.shape[e->npy.axes - 1] : 0,
              .equal = UINT64_MAX};
    sort_phase(job, "check");
    if (e->type != 0 && sort_check_shape(&shape, &e->npy) != APP_OK) {
        return APP_ERROR;
    }
    w.bytes = malloc((PIECE / w.element + 2) * w.element);
    if (w.bytes == NULL) {
        return app_fail("out of memory");
    }
    int status = app_open(&job->task->common, &w.u);
    status = status == APP_OK ? look_at_all(&w) : status;
    upsweep_close(w.u);
    free(w.bytes);
    return status;
}
