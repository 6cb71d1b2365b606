/* sort_text_check.c - -c and -C: is the input sorted; --strict: are the keys numbers. Both look for
 * the first line that is not as it should be, slice by slice on all threads. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_kinds.h"
#include "app/sort/sort_text.h"

#include "io/parallel.h"

#include <stdatomic.h>
#include <string.h>

enum { SLICE = 1 << 15, AHEAD = 16, SOME = 64 }; /* one in SOME is compared in any case */

typedef struct search {
    const sort_job *job;
    atomic_size_t first; /* line number or offset of the first offender */
} search;

static void lower(atomic_size_t *least, size_t value)
{
    size_t now = atomic_load(least);
    while (value < now && !atomic_compare_exchange_weak(least, &now, value)) {
    }
}

/* -u asks for strict order. */
static bool in_order(const sort_job *job, size_t i)
{
    if (job->keys[i - 1] != job->keys[i]) {
        return job->keys[i - 1] < job->keys[i];
    }
    int order = sort_compare(job->order, 0, sort_line(job, job->items[i - 1]),
                             sort_line(job, job->items[i]));
    return job->order->unique ? order < 0 : order <= 0;
}

static void check_slice(void *context, size_t slice, unsigned lane)
{
    (void)lane;
    search *s = context;
    size_t i = slice * SLICE, limit = s->job->n - i > SLICE ? i + SLICE : s->job->n;
    if (i >= atomic_load_explicit(&s->first, memory_order_relaxed)) {
        return;
    }
    for (i += i == 0; i < limit; i++) {
        if (!in_order(s->job, i)) {
            lower(&s->first, i);
            return;
        }
    }
}

static void compare_slice(void *context, size_t slice, unsigned lane)
{
    (void)lane;
    search *s = context;
    const sort_job *job = s->job;
    const uint64_t *items = job->items;
    size_t i = slice * SLICE, limit = job->n - i > SLICE ? i + SLICE : job->n;
    bool sure = false, before;
    for (i += i == 0; i < limit && i < atomic_load_explicit(&s->first, memory_order_relaxed); i++) {
        if (i + AHEAD < job->n) {
            __builtin_prefetch(job->in.bytes + (items[i + AHEAD] >> 24));
        }
        before = sure;
        sure = sort_weights_are_sure(job->weights, sort_line(job, items[i]));
        if (before && sure && i % SOME != 0) {
            continue;
        }
        int order =
            sort_compare(job->order, 0, sort_line(job, items[i - 1]), sort_line(job, items[i]));
        if (order > 0 || (order == 0 && items[i - 1] > items[i])) {
            lower(&s->first, i);
        }
    }
}

bool sort_is_in_order(const sort_job *job)
{
    search s = {.job = job};
    atomic_store(&s.first, job->n);
    io_parallel(job->threads, (job->n + SLICE - 1) / SLICE, compare_slice, &s);
    return atomic_load(&s.first) == job->n;
}

/* FILE:LINE of the line at an offset, and that line. */
static void tell(const sort_job *job, size_t at, const char *what)
{
    const io_part *part = io_input_part(&job->in, at);
    size_t line = io_lines_number(&job->lines, at) - io_lines_number(&job->lines, part->begin) + 1;
    const unsigned char *p = job->in.bytes + at;
    const unsigned char *end = memchr(p, job->order->end, job->in.size - at);
    fprintf(stderr, "%s: %s:%zu: %s: ", app_command(), part->name, line, what);
    fwrite(p, 1, (size_t)(end - p) + 1, stderr);
}

int sort_check(sort_job *job)
{
    search s = {.job = job};
    atomic_store(&s.first, job->n);
    sort_phase(job, "check");
    io_parallel(job->threads, (job->n + SLICE - 1) / SLICE, check_slice, &s);
    size_t first = atomic_load(&s.first);
    if (first == job->n) {
        return APP_OK;
    }
    if (job->task->mode == SORT_CHECK) {
        tell(job, job->items[first] >> 24, "disorder");
    }
    return APP_NO;
}

static bool is_number(const sort_job *job, size_t k, sort_text line)
{
    sort_room room;
    const sort_key *key = &job->order->keys[k];
    sort_text text = sort_field(job->order, key, line);
    sort_text number = sort_number_text(job->order, key, text, &room);
    const unsigned char *stop;
    unsigned bits = 0;
    (void)io_number_key(&job->plans[k], number.p, number.end, &stop, &bits);
    sort_room_give(&room);
    if (bits & IO_NUMBER_NONE) {
        return false;
    }
    if (key->kind == SORT_PLAIN && !job->order->locale->plain) {
        stop = sort_human_end(job->order->locale, text, false);
    }
    /* A key that reaches beyond the number's field is cut there. */
    return stop == text.end || *stop == ' ' || *stop == '\t' || *stop == '\r' ||
           *stop == job->order->tab;
}

bool sort_is_strict(const sort_job *job, sort_text line)
{
    for (size_t k = 0; k < job->order->count; k++) {
        if (sort_is_number(&job->order->keys[k]) && !is_number(job, k, line)) {
            return false;
        }
    }
    return true;
}

/* A mark of UTF-8 is seen on no terminal. */
const char *sort_why_loose(const unsigned char *line, size_t bytes)
{
    return bytes > 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0
               ? "no number, but a byte-order mark first"
               : "no number";
}

static void strict_chunk(void *context, size_t chunk, unsigned lane)
{
    (void)lane;
    search *s = context;
    const sort_job *job = s->job;
    size_t limit, at = io_lines_chunk(&job->lines, chunk, &limit);
    while (at < limit && at < atomic_load_explicit(&s->first, memory_order_relaxed)) {
        const unsigned char *p = job->in.bytes + at;
        const unsigned char *end = memchr(p, job->order->end, job->in.size - at);
        if (!sort_is_strict(job, (sort_text){p, end})) {
            lower(&s->first, at);
            return;
        }
        at += (size_t)(end - p) + 1;
    }
}

int sort_check_strictly(sort_job *job)
{
    search s = {.job = job};
    atomic_store(&s.first, job->in.size);
    io_parallel(job->threads, job->lines.chunks, strict_chunk, &s);
    size_t first = atomic_load(&s.first);
    if (first == job->in.size) {
        return APP_OK;
    }
    tell(job, first, sort_why_loose(job->in.bytes + first, job->in.size - first));
    return APP_ERROR;
}
