/* sort_beyond.c - a sort whose input does not fit into memory: what has been read so far is made
 * the beginning of a stream, whose first bytes say whether lines, records or arrays are sorted. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_array.h"
#include "app/sort/sort_external.h"

#include "io/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST = 16 }; /* bytes that say what a file is */

/* What the sort in memory has made so far goes; its input stays where it cannot be read again. */
static io_input *begun(sort_job *job)
{
    const app_common *common = &job->task->common;
    struct stat status;
    bool again = common->operand_count > 0;
    for (size_t i = 0; i < common->operand_count && again; i++) {
        again = strcmp(common->operands[i], "-") != 0 && stat(common->operands[i], &status) == 0 &&
                S_ISREG(status.st_mode);
    }
    io_memory_give(job->keys, job->held);
    io_memory_give(job->items, job->held);
    io_lines_free(&job->lines);
    free(job->plans);
    job->keys = job->items = NULL;
    job->plans = NULL;
    if (again) {
        io_input_free(&job->in);
        return NULL;
    }
    return &job->in;
}

static bool is_check(const sort_job *job)
{
    return job->task->mode != SORT_SORT;
}

static int give_up(const sort_job *job, io_output *out)
{
    if (!is_check(job)) {
        io_output_discard(out);
    }
    return APP_ERROR;
}

static int run_elements(sort_job *job, io_stream *s, unsigned char *first, size_t held,
                        io_output *out)
{
    const sort_task *task = job->task;
    io_elements e;
    io_error error;
    if (task->record_bytes == 0 && sort_check_array_options(task) != APP_OK) {
        return give_up(job, out);
    }
    if (task->from == IO_NPY && !s->arrays) {
        app_fail("%s: is no .npy file", io_input_name(s->name));
        return give_up(job, out);
    }
    if (!io_elements_begin(&e, s, task->common.type, task->record_bytes, first, held, &error)) {
        app_fail("%s", error.text);
        return give_up(job, out);
    }
    return is_check(job) ? sort_external_order(job, &e) : sort_external_elements(job, &e, out);
}

static int run_stream(sort_job *job, io_stream *s, unsigned char *first, bool seen, io_output *out)
{
    const sort_task *task = job->task;
    io_error error;
    size_t held = 0;
    if (!io_stream_read(s, first, FIRST, &held, &error)) {
        app_fail("%s", error.text);
        return give_up(job, out);
    }
    if (task->common.type != 0 || task->record_bytes != 0 || task->from == IO_NPY || s->arrays) {
        return run_elements(job, s, first, held, out);
    }
    if (is_check(job)) {
        return sort_external_check(job, s, first, held, task->strict && !seen);
    }
    return sort_external(job, s, first, held, task->strict && !seen, out);
}

/* Files that looked as if they would fit, standard input among them, are read again. */
static int merge_again(sort_job *job, io_output *out)
{
    if (begun(job) != NULL) {
        io_input_free(&job->in);
        (void)lseek(STDIN_FILENO, job->stdin_at, SEEK_SET);
    }
    return sort_external_merge(job, out);
}

int sort_beyond(sort_job *job, io_output *out, bool seen)
{
    static const char *const only_stdin[] = {"-"};
    const sort_task *task = job->task;
    const app_common *common = &task->common;
    if (sort_is_merge(job)) {
        return merge_again(job, out);
    }
    bool none = common->operand_count == 0, record = task->record_bytes != 0;
    io_reading how = {.takes = record ? 0 : 1u << IO_KIND_NPY,
                      .as_is = task->from == IO_TEXT || task->from == IO_RAW,
                      .last = record || common->type != 0 ? -1 : job->order->end,
                      .otherwise = sort_otherwise(task),
                      .window = job->limit / 8,
                      .plain_output =
                          is_check(job) || task->packing != IO_PACK_NONE ? NULL : common->output};
    io_stream s;
    io_error error;
    unsigned char *first = malloc(SORT_SAMPLE + IO_SLACK);
    bool opened =
        io_stream_open(&s, begun(job), none ? only_stdin : (const char *const *)common->operands,
                       none ? 1 : common->operand_count, &how, &error);
    int status = APP_ERROR;
    if (first == NULL || !opened) {
        app_fail("%s", first == NULL ? "out of memory" : error.text);
        status = give_up(job, out);
    } else {
        status = run_stream(job, &s, first, seen, out);
    }
    io_stream_close(&s);
    free(first);
    return status;
}
