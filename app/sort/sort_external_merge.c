/* sort_external_merge.c - the whole of sort -m beyond memory, one line after the other; the idea is
 * in sort_merging.h. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_merging.h"

#include "io/place.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    RAW = 16 << 10,       /* of a stream, */
    LEAST = 32 << 10,     /* and of its buffer, */
    BASE_MOST = 1 << 20,  /* which more than this makes no faster */
    BLOCK = 1 << 20,      /* of one write; */
    BLOCK_LEAST = 1 << 18 /* under a small limit */
};

/* ---- what is written ---- */

static int write_bytes(merging *m, const unsigned char *from, size_t bytes)
{
    io_error error;
    if (!m->last) {
        return merge_write_temporary(m, from, bytes);
    }
    if (m->job->task->debug) {
        sort_debug_text(m->job->order, from, bytes);
        return ferror(stdout) ? sort_finish_debug() : APP_OK;
    }
    sort_progress_bytes(m->job, m->read, m->all);
    if (io_output_write(m->out, from, bytes, &error) != 0) {
        return sort_fail_output(m->out, &error);
    }
    return APP_OK;
}

static int flush(merging *m)
{
    int status = m->block_held == 0 ? APP_OK : write_bytes(m, m->block, m->block_held);
    m->block_held = 0;
    return status;
}

/* Keeps a line, which has been written; reader number `from` has it. */
static int save(merging *m, const sort_head *head, size_t from)
{
    size_t bytes = (size_t)(head->line.end - head->line.p);
    if (m->saved == NULL || bytes > m->saved_room) {
        size_t room = bytes <= m->spare / 2 ? 2 * bytes : bytes;
        unsigned char *more = room - m->saved_room > m->spare ? NULL : malloc(room + IO_SLACK);
        if (more == NULL) {
            return merge_fail_long(m, &m->readers[from], m->readers[from].lines);
        }
        free(m->saved);
        m->saved = more;
        m->spare -= room - m->saved_room;
        m->saved_room = room;
    }
    memcpy(m->saved, head->line.p, bytes);
    memset(m->saved + bytes, 0, IO_SLACK);
    m->saved_bytes = bytes;
    m->saved_key = head->key;
    m->saved_any = true;
    return APP_OK;
}

/* Whether the line counts as equal to the one that was written last. */
static bool is_repeated(const merging *m, const sort_head *head)
{
    if (!m->saved_any || m->saved_key != head->key) {
        return false;
    }
    sort_text saved = {m->saved, m->saved + m->saved_bytes};
    return sort_compare(m->job->order, 0, saved, head->line) == 0;
}

/* The next line of reader number `from`; its end byte stands behind it. */
static int put(merging *m, const sort_head *head, size_t from)
{
    size_t bytes = (size_t)(head->line.end - head->line.p) + 1;
    if (m->job->order->unique) {
        if (is_repeated(m, head)) {
            return APP_OK;
        }
        if (save(m, head, from) != APP_OK) {
            return APP_ERROR;
        }
    }
    m->written += m->last;
    if (bytes > m->block_room - m->block_held && flush(m) != APP_OK) {
        return APP_ERROR;
    }
    if (bytes > m->block_room) {
        return write_bytes(m, head->line.p, bytes);
    }
    memcpy(m->block + m->block_held, head->line.p, bytes);
    m->block_held += bytes;
    return APP_OK;
}

/* ---- merges ---- */

/* Plans of numbers are made of the lines that are there first. */
static int make_plans(merging *m, size_t count)
{
    const merge_reader *most = &m->readers[0];
    for (size_t i = 1; i < count; i++) {
        most = m->readers[i].held > most->held ? &m->readers[i] : most;
    }
    return m->job->plans != NULL
               ? APP_OK
               : sort_external_plans(m->job, most->buffer, most->buffer + most->held);
}

/* Merges `count` inputs from the first on to where m says. */
static int merge_some(merging *m, size_t first, size_t count)
{
    sort_tournament *t = &m->t;
    int status = APP_OK;
    size_t opened = 0;
    for (; status == APP_OK && opened < count; opened++) {
        status = merge_open(m, &m->readers[opened], &m->inputs[first + opened]);
    }
    for (size_t i = 0; status == APP_OK && i < count; i++) {
        status = merge_begin(m, &m->readers[i]);
    }
    if (!m->last) { /* some inputs may have been set aside in the same file */
        m->to_at = m->files[m->to].size;
    }
    status = status == APP_OK ? make_plans(m, count) : status;
    for (size_t i = 0; status == APP_OK && i < count; i++) {
        status = merge_next(m, &m->readers[i], &t->heads[i]);
    }
    t->count = count;
    m->saved_any = false;
    if (status == APP_OK) {
        sort_tournament_begin(t);
    }
    while (status == APP_OK && !t->heads[t->winner].ended) {
        size_t winner = t->winner;
        status = put(m, &t->heads[winner], winner);
        status = status == APP_OK ? merge_next(m, &m->readers[winner], &t->heads[winner]) : status;
        if (status == APP_OK) {
            sort_tournament_next(t);
        }
    }
    status = status == APP_OK ? flush(m) : status;
    for (size_t i = 0; i < opened; i++) {
        merge_close(m, &m->readers[i]);
    }
    return status;
}

/* Neighbours become temporaries, as few of them as must be, until all that is left may be open. */
static int merge_before(merging *m)
{
    int status = APP_OK;
    while (status == APP_OK && m->count > m->most) {
        size_t in = 0, out = 0, excess = m->count - m->most;
        while (status == APP_OK && excess > 0 && m->count - in > 1) {
            size_t some = excess + 1 < m->most ? excess + 1 : m->most;
            some = some < m->count - in ? some : m->count - in;
            status = merge_begin_temporary(m);
            status = status == APP_OK ? merge_some(m, in, some) : status;
            m->inputs[out++] = (merge_input){NULL, true, m->to, m->to_at,
                                             status == APP_OK ? m->files[m->to].size : 0};
            in += some;
            excess -= some - 1;
            m->before += some;
        }
        memmove(m->inputs + out, m->inputs + in, (m->count - in) * sizeof *m->inputs);
        m->count -= in - out;
    }
    return status;
}

/* ---- beginning and end ---- */

/* Descriptors that are left, less a few for temporaries. */
static size_t descriptors(void)
{
    enum { FEW = 8 };
    struct rlimit limit;
    size_t used = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d != NULL && readdir(d) != NULL) {
        used++;
    }
    if (d != NULL) {
        closedir(d);
    }
    return getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < used + FEW + 2
               ? 2
               : (size_t)limit.rlim_cur - used - FEW;
}

/* What the operands name. Standard input is read once, however often it is named. */
static int list_inputs(merging *m)
{
    const app_common *common = &m->job->task->common;
    bool none = common->operand_count == 0, had_stdin = false;
    m->inputs = calloc(common->operand_count + 1, sizeof *m->inputs);
    if (m->inputs == NULL) {
        return app_fail("out of memory");
    }
    for (size_t i = 0; i < common->operand_count + none; i++) {
        const char *name = none ? "-" : common->operands[i];
        bool is_stdin = strcmp(name, "-") == 0;
        if (!is_stdin || !had_stdin) {
            m->inputs[m->count++].name = name;
        }
        had_stdin |= is_stdin;
    }
    return APP_OK;
}

/* Half of the memory is for buffers as they begin, half for lines that want more. */
static int share_memory(merging *m)
{
    const sort_task *task = m->job->task;
    size_t room = sort_external_room(m->job), batch = task->batch != 0 ? task->batch : SIZE_MAX;
    size_t files = descriptors();
    m->how.window = m->how.window < room / 4 ? m->how.window : room / 4;
    m->block_room = room < (size_t)16 << 20 ? BLOCK_LEAST : BLOCK;
    room -= m->block_room + (m->how.as_is ? 0 : m->how.window);
    m->most = room / 2 / (RAW + LEAST);
    m->most = m->most < batch ? m->most : batch;
    m->most = m->most < files ? m->most : files;
    m->most = m->most < 2 ? 2 : m->most;
    size_t most = m->most < m->count ? m->most : m->count;
    most += most == 0;
    m->base = room / 2 / most - RAW;
    m->base = m->base < BASE_MOST ? m->base : BASE_MOST;
    m->spare = room - most * (m->base + RAW);
    m->block = malloc(m->block_room);
    m->readers = calloc(most, sizeof *m->readers);
    m->t = (sort_tournament){.order = m->job->order,
                             .heads = calloc(most, sizeof *m->t.heads),
                             .losers = calloc(most, sizeof *m->t.losers)};
    return m->block != NULL && m->readers != NULL && m->t.heads != NULL && m->t.losers != NULL
               ? APP_OK
               : app_fail("out of memory");
}

static int run(merging *m)
{
    sort_phase(m->job, "merge before");
    m->all = sort_external_bytes(m->job);
    int status = list_inputs(m);
    status = status == APP_OK ? share_memory(m) : status;
    status = status == APP_OK ? merge_before(m) : status;
    sort_phase(m->job, "merge and write");
    m->last = true;
    if (!m->job->order->unique) {
        io_place_set_aside(m->out, (size_t)m->all);
    }
    status = status == APP_OK ? merge_some(m, 0, m->count) : status;
    return status == APP_OK && m->job->task->debug ? sort_finish_debug() : status;
}

static void print_stats(const merging *m, size_t inputs)
{
    const sort_job *job = m->job;
    if (job->task->common.json) {
        printf("{\"lines\": %llu, \"bytes\": %llu, \"written\": %llu, \"beyond_memory\": true, "
               "\"limit\": %zu, \"files\": %zu, \"merges_before\": %zu, \"temporary_written\": "
               "%llu, \"seconds\": %.6f, \"phases\": {",
               (unsigned long long)m->lines, (unsigned long long)m->read,
               (unsigned long long)m->written, job->limit, inputs, m->before,
               (unsigned long long)m->temporary, app_seconds() - job->begin);
        sort_print_phases(stdout, job, true);
        puts("}}");
        return;
    }
    fprintf(stderr,
            "memory     a limit of %zu MB; lines are merged as they are read\n"
            "input      %llu lines, %llu MB\n"
            "merge      %zu inputs, at most %zu at once, %zu of them before; %llu MB written\n"
            "time      ",
            job->limit >> 20, (unsigned long long)m->lines, (unsigned long long)m->read >> 20,
            inputs, m->most, m->before, (unsigned long long)m->temporary >> 20);
    sort_print_phases(stderr, job, false);
    fputc('\n', stderr);
}

int sort_external_merge(sort_job *job, io_output *out)
{
    const sort_task *task = job->task;
    merging m = {
        .job = job,
        .out = out,
        .how = {.takes = 1u << IO_KIND_NPY,
                .as_is = task->from == IO_TEXT || task->from == IO_RAW,
                .last = job->order->end,
                .otherwise = sort_otherwise(task),
                .window = job->limit / 8,
                .raw = RAW,
                .plain_output = task->packing != IO_PACK_NONE ? NULL : task->common.output}};
    int status = run(&m);
    size_t inputs = task->common.operand_count == 0 ? 1 : task->common.operand_count;
    status = sort_external_end(job, out, status);
    sort_phase(job, NULL);
    if (status == APP_OK && task->common.stats) {
        print_stats(&m, inputs);
    }
    for (size_t i = 0; m.files != NULL && i < m.directory_count; i++) {
        if (m.files[i].made) {
            close(m.files[i].fd);
        }
    }
    free(m.files);
    free(m.inputs);
    free(m.readers);
    free(m.t.heads);
    free(m.t.losers);
    free(m.block);
    free(m.saved);
    return status;
}
