/* sort_text.c - the steps of a sort of lines, one after the other; sort_text.h has the idea. */
#include "sort_text.h"

#include "memory.h"
#include "parallel.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SERIAL_BYTES = 1 << 18 }; /* below this, starting threads costs more than it saves */

sort_text sort_long_line(const sort_job *job, uint64_t item)
{
    const unsigned char *p = job->in.bytes + (item >> 24);
    size_t bytes = job->in.size - (item >> 24);
    return (sort_text){p, memchr(p, job->order->end, bytes)};
}

static int read_input(sort_job *job)
{
    const app_common *common = &job->task->common;
    io_error error;
    sort_phase(job, "read");
    unsigned threads = common->threads == 0             ? io_processors()
                       : common->threads < IO_LANES_MAX ? (unsigned)common->threads
                                                        : IO_LANES_MAX;
    job->threads = threads;
    if (io_input_read(&job->in, (const char *const *)common->operands, common->operand_count,
                      job->order->end, threads, &error) != 0) {
        return app_fail("%s", error.text);
    }
    if (job->in.size >= SORT_ITEM_PLACES) {
        return app_fail("the input has more than 1 TB");
    }
    if (job->in.size < SERIAL_BYTES) {
        job->threads = 1;
    }
    if (io_lines_find(&job->lines, job->in.bytes, job->in.size, job->order->end, job->threads)) {
        return app_fail("out of memory");
    }
    job->n = job->lines.count;
    return APP_OK;
}

/* Room for the pairs. */
static int take_memory(sort_job *job)
{
    size_t limit = job->task->memory_limit, need = job->in.size + 64 * job->n;
    if (limit != 0 && need > limit) {
        return app_fail("%zu lines need about %zu MB of memory, but -S allows %zu MB", job->n,
                        (need >> 20) + 1, limit >> 20);
    }
    job->held = (job->n + 1) * sizeof *job->keys;
    job->keys = io_memory_take(job->held);
    job->items = io_memory_take(job->held);
    if (job->keys == NULL || job->items == NULL) {
        char why[IO_MEMORY_WHY];
        return app_fail("out of memory: %zu lines need %zu MB for their keys%s", job->n,
                        job->held >> 19, io_memory_why(why));
    }
    return APP_OK;
}

static int sort_pairs(sort_job *job)
{
    upsweep_options options = UPSWEEP_OPTIONS_INIT;
    options.algorithm = job->task->common.algorithm;
    if (upsweep_sort_pairs(job->u, job->keys, job->items, job->n, UPSWEEP_U64, sizeof *job->items,
                           &options) != UPSWEEP_OK) {
        return app_fail_call(job->u);
    }
    upsweep_report report;
    upsweep_last_report(job->u, &report);
    snprintf(job->algorithm, sizeof job->algorithm, "%s", report.algorithm);
    snprintf(job->reason, sizeof job->reason, "%s", report.reason);
    return APP_OK;
}

static int open_library(sort_job *job)
{
    app_common common = job->task->common;
    common.threads = job->threads;
    return app_open(&common, &job->u);
}

/* From lines to items in order. */
static int put_in_order(sort_job *job)
{
    int status;
    if (job->task->mode == SORT_MERGE) {
        sort_phase(job, "merge");
        status = sort_merge(job);
    } else {
        status = open_library(job);
        sort_phase(job, "sort");
        status = status == APP_OK ? sort_pairs(job) : status;
        sort_phase(job, "ties");
        status = status == APP_OK ? sort_resolve_ties(job) : status;
    }
    if (status == APP_OK && job->order->unique) {
        status = sort_drop_equal(job);
    }
    return status;
}

static int write_output(sort_job *job, io_output *out)
{
    io_error error;
    sort_phase(job, "write");
    int status = sort_write(job, out);
    if (status != APP_OK) {
        io_output_discard(out);
        return status;
    }
    sort_phase(job, out->plain ? "close" : "sync");
    if (io_output_commit(out, &error) != 0) {
        return app_fail("%s", error.text);
    }
    return APP_OK;
}

static bool is_check(const sort_job *job)
{
    return job->task->mode == SORT_CHECK || job->task->mode == SORT_CHECK_QUIETLY;
}

static int make_pairs(sort_job *job)
{
    int status = sort_make_plans(job);
    if (status == APP_OK && job->task->strict) {
        status = sort_check_strictly(job);
    }
    if (status == APP_OK) {
        status = take_memory(job);
    }
    if (status == APP_OK) {
        sort_make_keys(job);
    }
    return status;
}

static int run(sort_job *job)
{
    io_output out;
    io_error error;
    /* The output comes first: it starts a process, which is best done while there is little. */
    if (!is_check(job) && io_output_open(&out, job->task->common.output, &error) != 0) {
        return app_fail("%s", error.text);
    }
    int status = read_input(job);
    sort_phase(job, "keys");
    status = status == APP_OK ? make_pairs(job) : status;
    if (is_check(job)) {
        return status == APP_OK ? sort_check(job) : status;
    }
    status = status == APP_OK ? put_in_order(job) : status;
    if (status != APP_OK) {
        io_output_discard(&out);
        return status;
    }
    return write_output(job, &out);
}

int sort_text_run(const sort_task *task)
{
    sort_job job = {.task = task, .order = &task->order, .threads = 1, .begin = app_seconds()};
    job.show = isatty(STDERR_FILENO) == 1;
    int status = run(&job);
    sort_phase(&job, NULL);
    if (status == APP_OK && task->common.stats) {
        sort_print_stats(&job);
    }
    upsweep_close(job.u);
    io_memory_give(job.keys, job.held);
    io_memory_give(job.items, job.held);
    free(job.plans);
    io_lines_free(&job.lines);
    io_input_free(&job.in);
    return status;
}
