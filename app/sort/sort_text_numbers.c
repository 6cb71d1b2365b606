/* sort_text_numbers.c - numbers of which each is written in the one usual way: whole ones, or all
 * with as many digits behind the point. The key says all of such a line, so keys alone are sorted,
 * the input is given back before that, and lines are written from keys: 16 bytes a line for 64. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_text.h"

#include "io/memory.h"
#include "io/parallel.h"

#include <stdatomic.h>
#include <string.h>

/* -n, -k1n, or -k1,1n where no number has what parts fields. */
static bool is_first_number(const sort_order *order)
{
    const sort_key *key = order->keys; /* NULL where there are none */
    bool parted = key != NULL && key->end_field != SIZE_MAX && order->tab >= 0 &&
                  strchr("0123456789.-", order->tab) != NULL;
    return key != NULL && sort_is_number(key) && key->begin_field == 0 && key->begin_char == 0 &&
           key->end_char == 0 && !parted && !key->fold && key->ignore == NULL;
}

static bool are_asked_for(const sort_job *job)
{
    const sort_task *task = job->task;
    return task->mode == SORT_SORT && !task->merge && !task->debug && is_first_number(job->order) &&
           job->order->locale->plain && task->common.algorithm == NULL;
}

bool sort_may_be_numbers(const sort_job *job)
{
    return are_asked_for(job) && job->plans[0].form == IO_FIXED &&
           (job->order->keys[0].kind == SORT_PLAIN || job->order->locale->point);
}

typedef struct range {
    uint64_t least, greatest;
} range;

/* The keys of lines [p, end), to `to` if it is not NULL, and *count of them; false at the first
 * that the key does not say all of. */
static bool make_keys(const sort_job *job, const io_number_plan *plan, const unsigned char *p,
                      const unsigned char *end, const unsigned char *all_end, uint64_t *to,
                      size_t *count)
{
    range r = {UINT64_MAX, 0};
    const uint64_t *first = to;
    unsigned bits = 0;
    while (p < end) {
        const unsigned char *stop;
        uint64_t key = io_number_key(plan, p, all_end, &stop, &bits);
        if (bits != 0 || stop >= all_end || *stop != job->order->end) {
            return false;
        }
        r.least = key < r.least ? key : r.least;
        r.greatest = key > r.greatest ? key : r.greatest;
        if (to != NULL) {
            *to++ = key;
        }
        p = stop + 1;
    }
    *count = to != NULL ? (size_t)(to - first) : 0;
    return r.least > r.greatest ||
           (io_number_key_exact(plan, r.least) && io_number_key_exact(plan, r.greatest));
}

bool sort_look_like_numbers(const sort_job *job, const unsigned char *lines, size_t bytes)
{
    const unsigned char *p = lines, *end = memrchr(lines, job->order->end, bytes), *stop;
    size_t count;
    if (!are_asked_for(job) || end == NULL) {
        return false;
    }
    io_number_plan plan = {.general = job->order->keys[0].kind == SORT_GENERAL,
                           .newline = job->order->end == '\0'};
    io_number_sample sample = {0};
    for (; p <= end; p = stop + 1) {
        stop = memchr(p, job->order->end, (size_t)(end - p) + 1);
        io_number_look(&sample, &plan, p, stop);
    }
    io_number_decide(&plan, &sample);
    return plan.form == IO_FIXED && make_keys(job, &plan, lines, end + 1, end + 1, NULL, &count);
}

bool sort_number_keys(const sort_job *job, const unsigned char *lines, size_t bytes, uint64_t *to,
                      size_t *count)
{
    return make_keys(job, &job->plans[0], lines, lines + bytes, lines + bytes, to, count);
}

typedef struct making {
    sort_job *job;
    atomic_bool otherwise;
} making;

static void make_chunk(void *context, size_t chunk, unsigned lane)
{
    making *m = context;
    sort_job *job = m->job;
    const unsigned char *bytes = job->in.bytes;
    size_t count, limit, at = io_lines_chunk(&job->lines, chunk, &limit);
    if (!atomic_load_explicit(&m->otherwise, memory_order_relaxed) &&
        !make_keys(job, &job->plans[0], bytes + at, bytes + limit, bytes + job->in.size,
                   job->keys + job->lines.first[chunk], &count)) {
        atomic_store(&m->otherwise, true);
    }
    sort_progress(job, lane, chunk, job->lines.chunks);
}

bool sort_make_numbers(sort_job *job)
{
    making m = {.job = job};
    io_parallel(job->threads, job->lines.chunks, make_chunk, &m);
    return !atomic_load(&m.otherwise);
}

static void drop_equal(sort_job *job)
{
    size_t kept = job->n > 0;
    for (size_t i = 1; i < job->n; i++) {
        if (job->keys[i] != job->keys[kept - 1]) {
            job->keys[kept++] = job->keys[i];
        }
    }
    job->n = kept;
}

int sort_numbers(sort_job *job)
{
    upsweep_options options = UPSWEEP_OPTIONS_INIT;
    options.flags = job->order->keys[0].reverse ? UPSWEEP_DESCENDING : 0;
    io_memory_give(job->in.bytes, job->in.held);
    job->in.bytes = NULL;
    job->in.held = 0;
    if (upsweep_sort(job->u, job->keys, job->n, UPSWEEP_U64, &options) != UPSWEEP_OK) {
        return app_fail_call(job->u);
    }
    sort_note_report(job);
    if (job->order->unique) {
        drop_equal(job);
    }
    return APP_OK;
}

size_t sort_number_lines(const sort_job *job, const uint64_t *keys, size_t count, unsigned char *to)
{
    const unsigned char *from = to;
    for (size_t i = 0; i < count; i++) {
        to = io_number_text(&job->plans[0], keys[i], to);
        *to++ = job->order->end;
    }
    return (size_t)(to - from);
}
