/* sort_text.c - the steps of a sort of lines, one after the other; sort_text.h has the idea. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_kinds.h"
#include "app/sort/sort_text.h"

#include "io/memory.h"
#include "io/parallel.h"
#include "io/progress.h"
#include "app/sort/sort_array.h"
#include "app/sort/sort_external.h"
#include "app/sort/sort_record.h"
#include "io/source.h"

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

const char *sort_otherwise(const sort_task *task)
{
    return task->record_bytes != 0  ? "--from raw takes its bytes as records"
           : task->common.type != 0 ? "--from raw takes its bytes as elements"
                                    : "--from text takes its bytes as lines";
}

static int read_input(sort_job *job)
{
    const sort_task *task = job->task;
    const app_common *common = &task->common;
    io_error error;
    sort_phase(job, "read");
    bool record = task->record_bytes != 0, raw = common->type != 0;
    io_reading how = {.takes = record ? 0 : 1u << IO_KIND_NPY,
                      .as_is = task->from == IO_RAW || task->from == IO_TEXT,
                      .last = raw || record ? -1 : job->order->end,
                      .threads = job->threads,
                      .most = job->most,
                      .otherwise = sort_otherwise(task)};
    if (!io_source_read(&job->in, (const char *const *)common->operands, common->operand_count,
                        &how, &error)) {
        return job->in.full ? SORT_BEYOND : app_fail("%s", error.text);
    }
    return task->packing != IO_PACK_NONE
               ? APP_OK
               : app_check_input(common, job->in.parts, job->in.part_count);
}

static bool is_array(const sort_job *job)
{
    bool npy = job->task->common.type != 0 || job->task->from == IO_NPY;
    for (size_t i = 0; i < job->in.part_count && !npy; i++) {
        npy = job->in.parts[i].kind == IO_KIND_NPY;
    }
    return npy;
}

static int find_lines(sort_job *job)
{
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

/* Room for the pairs; where whole lines are sorted for the items alone, where numbers are for the
 * keys. */
static int take_memory(sort_job *job)
{
    size_t each = job->whole ? SORT_ITEM_BYTES : SORT_LINE_BYTES, n = job->n;
    size_t need = job->in.size + (job->numbers ? sizeof *job->keys : each) * n;
    need = job->numbers && need < SORT_NUMBER_BYTES * n ? SORT_NUMBER_BYTES * n : need;
    if (need > job->limit - SORT_OWN_BYTES - sort_packing_bytes(job)) {
        return SORT_BEYOND;
    }
    job->held = (n + 1) * sizeof *job->keys;
    job->keys = job->whole ? NULL : io_memory_take(job->held);
    job->items = job->numbers ? NULL : io_memory_take(job->held);
    if ((job->keys == NULL && !job->whole) || (job->items == NULL && !job->numbers)) {
        char why[IO_MEMORY_WHY];
        return app_fail("out of memory: %zu lines need %zu MB for their keys%s", n,
                        job->held >> (job->whole || job->numbers ? 20 : 19), io_memory_why(why));
    }
    return APP_OK;
}

static void give_memory(sort_job *job)
{
    io_memory_give(job->keys, job->held);
    io_memory_give(job->items, job->held);
    job->keys = job->items = NULL;
}

static int sort_pairs(sort_job *job)
{
    upsweep_options options = UPSWEEP_OPTIONS_INIT;
    options.algorithm = job->task->common.algorithm;
    if (upsweep_sort_pairs(job->u, job->keys, job->items, job->n, UPSWEEP_U64, sizeof *job->items,
                           &options) != UPSWEEP_OK) {
        return app_fail_call(job->u);
    }
    sort_note_report(job);
    return APP_OK;
}

static int open_library(sort_job *job)
{
    app_common common = job->task->common;
    common.threads = job->threads;
    return app_open(&common, &job->u);
}

static int sort_by_keys(sort_job *job)
{
    sort_phase(job, "sort");
    int status = sort_pairs(job);
    sort_phase(job, "ties");
    return status == APP_OK ? sort_resolve_ties(job) : status;
}

/* Keys of a locale's weights are a good guess (sort_kinds.h). If it was wrong all lines get the
 * same key, so that they are sorted by comparing. */
static int sort_surely(sort_job *job)
{
    int status = sort_by_keys(job);
    if (status != APP_OK || job->weights == NULL) {
        return status;
    }
    sort_phase(job, "compare");
    if (sort_is_in_order(job)) {
        return APP_OK;
    }
    sort_weights_free(job->weights);
    job->weights = NULL;
    sort_make_keys(job);
    return sort_by_keys(job);
}

/* From lines to items in order. */
static int put_in_order(sort_job *job)
{
    int status;
    if (job->task->merge) {
        sort_phase(job, "merge");
        status = sort_merge(job);
    } else if (job->whole) {
        status = open_library(job);
        sort_phase(job, "sort");
        return status == APP_OK ? sort_whole_lines(job) : status;
    } else if (job->numbers) {
        status = open_library(job);
        sort_phase(job, "sort");
        return status == APP_OK ? sort_numbers(job) : status;
    } else {
        status = open_library(job);
        status = status != APP_OK ? status : job->fields ? sort_fields(job) : sort_surely(job);
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
    int status = job->task->debug ? sort_debug_lines(job) : sort_write(job, out);
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

/* Where the order of a locale is asked for, and all is sorted at once. */
static void make_weights(sort_job *job)
{
    const sort_order *order = job->order;
    for (size_t k = 0; k < order->count && job->weights == NULL; k++) {
        if (order->keys[k].kind == SORT_COLLATE && !job->task->merge && !is_check(job)) {
            job->weights = sort_weights_make(order->locale);
        }
    }
}

static int make_pairs(sort_job *job)
{
    int status = sort_make_plans(job);
    make_weights(job);
    if (status == APP_OK && job->task->strict) {
        status = sort_check_strictly(job);
    }
    job->whole = sort_is_whole(job);
    job->numbers = status == APP_OK && sort_may_be_numbers(job);
    status = status == APP_OK ? take_memory(job) : status;
    job->fields = status == APP_OK && !job->numbers && sort_is_fields(job);
    job->fields = job->fields && sort_make_slices(job, true);
    bool wrong = status == APP_OK && ((job->whole && !sort_make_slices(job, false)) ||
                                      (job->numbers && !sort_make_numbers(job)));
    if (wrong) { /* a line too long for a slice, or a number written in another way */
        job->whole = job->numbers = false;
        give_memory(job);
        status = take_memory(job);
    }
    if (status == APP_OK && !job->whole && !job->numbers && !job->fields) {
        sort_make_keys(job);
    }
    return status;
}

static int run_lines(sort_job *job, io_output *out)
{
    int status = find_lines(job);
    bool seen = status == APP_OK;
    sort_phase(job, "keys");
    status = status == APP_OK ? make_pairs(job) : status;
    if (status == SORT_BEYOND) {
        return sort_beyond(job, out, seen);
    }
    if (is_check(job)) {
        return status == APP_OK ? sort_check(job) : status;
    }
    status = status == APP_OK ? put_in_order(job) : status;
    if (status != APP_OK) {
        io_output_discard(out);
        return status;
    }
    status = write_output(job, out);
    sort_phase(job, NULL);
    if (status == APP_OK && job->task->common.stats) {
        sort_print_stats(job);
    }
    return status;
}

static int run_array(sort_job *job, io_output *out)
{
    const sort_task *task = job->task;
    sort_phase(job, NULL); /* arrays have a progress of their own */
    sort_array_task array = {.common = &task->common,
                             .reverse = task->order.global.reverse,
                             .unique = task->order.unique,
                             .check = is_check(job),
                             .quiet = task->mode == SORT_CHECK_QUIETLY,
                             .read_seconds = app_seconds() - job->begin,
                             .limit = job->limit};
    io_array_wish wish = {.type = task->common.type, .from = task->from};
    if (sort_check_array_options(task) != APP_OK) {
        if (!is_check(job)) {
            io_output_discard(out);
        }
        return APP_ERROR;
    }
    return sort_array(&array, &job->in, &wish, out);
}

static int run(sort_job *job)
{
    io_output out;
    /* The output comes first: it starts a process, which is best done while there is little. */
    if (!is_check(job) && sort_open_output(job, &out) != APP_OK) {
        return APP_ERROR;
    }
    job->most = sort_most_bytes(job);
    if (sort_is_merge(job) && job->most != 0) { /* pipes are to be read side by side, too */
        return sort_external_merge(job, &out);
    }
    job->stdin_at = lseek(STDIN_FILENO, 0, SEEK_CUR);
    int status = read_input(job);
    if (status == SORT_BEYOND) {
        return sort_beyond(job, &out, false);
    }
    if (status == APP_OK) {
        return job->task->record_bytes != 0 ? sort_records(job, &out)
               : is_array(job)              ? run_array(job, &out)
                                            : run_lines(job, &out);
    }
    if (!is_check(job)) {
        io_output_discard(&out);
    }
    return status;
}

int sort_run(const sort_task *task)
{
    size_t asked = task->common.threads;
    sort_job job = {.task = task, .order = &task->order, .begin = app_seconds()};
    job.threads =
        asked == 0 ? io_processors() : (unsigned)(asked < IO_LANES_MAX ? asked : IO_LANES_MAX);
    job.show = io_progress_wanted();
    job.limit = sort_memory_limit(task);
    int status = run(&job);
    sort_phase(&job, NULL);
    upsweep_close(job.u);
    give_memory(&job);
    free(job.plans);
    sort_weights_free(job.weights);
    io_lines_free(&job.lines);
    io_input_free(&job.in);
    return status;
}
