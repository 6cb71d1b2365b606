/* sort_text_ties.c - puts lines whose 64-bit keys are equal in order among themselves.
 *
 * The sorted keys are cut into slices; each finds the runs of equal keys that begin in it. A small
 * run is sorted on the spot: keys of the next stage are made for its lines, and lines whose keys
 * are equal again are compared to the end. A large run is put aside, and later sorted by the
 * library on the keys of its next stage, which leaves smaller runs; before that, bytes that all its
 * lines share are skipped. So no text is read deeper than it takes to part the lines (Bentley and
 * Sedgewick, "Fast algorithms for sorting and searching strings", 1997, with seven bytes as one
 * character). */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_text.h"

#include "io/parallel.h"
#include "app/sort/sort_small.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { SLICE = 1 << 15, AHEAD = 24 };

typedef struct run {
    size_t begin, end;
    sort_stage stage; /* of the keys that are equal */
    unsigned bits;    /* of those keys */
} run;

typedef struct ties {
    sort_job *job;
    run now;    /* the range whose runs are looked for */
    run *large; /* a stack */
    size_t count, room;
    bool failed;
    pthread_mutex_t lock;
    atomic_size_t lines;
} ties;

static void put_aside(ties *t, run r)
{
    pthread_mutex_lock(&t->lock);
    if (t->count == t->room) {
        size_t room = 2 * t->room + 64;
        run *large = realloc(t->large, room * sizeof *large);
        if (large == NULL) {
            t->failed = true;
            pthread_mutex_unlock(&t->lock);
            return;
        }
        t->large = large;
        t->room = room;
    }
    t->large[t->count++] = r;
    pthread_mutex_unlock(&t->lock);
}

static void part_run(ties *t, size_t begin, size_t end)
{
    sort_job *job = t->job;
    sort_stage next;
    sort_step s = sort_next_step(job, t->now.stage, job->keys[begin], t->now.bits, &next);
    if (s == SORT_DONE) {
        return;
    }
    if (end - begin > SORT_SMALL) {
        put_aside(t, (run){begin, end, t->now.stage, t->now.bits});
        return;
    }
    sort_small(job, job->items + begin, end - begin, next, s == SORT_COMPARE);
}

static void look_through(void *context, size_t slice, unsigned lane)
{
    (void)lane;
    ties *t = context;
    const sort_job *job = t->job;
    const uint64_t *keys = job->keys;
    size_t i = t->now.begin + slice * SLICE, end = t->now.end, lines = 0;
    size_t limit = end - i > SLICE ? i + SLICE : end;
    while (i > t->now.begin && i < limit && keys[i] == keys[i - 1]) {
        i++;
    }
    while (i < limit) {
        if (i + AHEAD + 1 < end &&
            (keys[i + AHEAD] == keys[i + AHEAD + 1] || keys[i + AHEAD] == keys[i + AHEAD - 1])) {
            __builtin_prefetch(job->in.bytes + (job->items[i + AHEAD] >> 24) + t->now.stage.depth);
        }
        if (i + 1 == end || keys[i] != keys[i + 1]) {
            i++;
            continue;
        }
        size_t from = i++;
        while (i < end && keys[i] == keys[from]) {
            i++;
        }
        lines += i - from;
        part_run(t, from, i);
    }
    atomic_fetch_add_explicit(&t->lines, lines, memory_order_relaxed);
}

static void part_range(ties *t, run range)
{
    t->now = range;
    size_t slices = (range.end - range.begin + SLICE - 1) / SLICE;
    io_parallel(t->job->threads, slices, look_through, t);
}

typedef struct sharing {
    const sort_job *job;
    run r;
    sort_stage stage;
    sort_text first;
    atomic_size_t shared;
} sharing;

static void share_slice(void *context, size_t slice, unsigned lane)
{
    (void)lane;
    sharing *s = context;
    const uint64_t *items = s->job->items;
    size_t i = s->r.begin + slice * SLICE, limit = s->r.end - i > SLICE ? i + SLICE : s->r.end;
    size_t shared = atomic_load(&s->shared);
    for (; i < limit && shared > 0; i++) {
        if (i + AHEAD < limit) {
            __builtin_prefetch(s->job->in.bytes + (items[i + AHEAD] >> 24) + s->stage.depth);
        }
        shared = sort_shared_with(s->job, s->stage, s->first, items[i], shared);
    }
    size_t least = atomic_load(&s->shared);
    while (shared < least && !atomic_compare_exchange_weak(&s->shared, &least, shared)) {
    }
}

/* How many bytes behind the stage's depth all lines of a run share. */
static size_t shared_bytes(const sort_job *job, const run *r, sort_stage stage)
{
    sharing s = {.job = job, .r = *r, .stage = stage};
    s.first =
        sort_field(job->order, &job->order->keys[stage.key], sort_line(job, job->items[r->begin]));
    size_t bytes = (size_t)(s.first.end - s.first.p);
    atomic_store(&s.shared, bytes > stage.depth ? bytes - stage.depth : 0);
    io_parallel(job->threads, (r->end - r->begin + SLICE - 1) / SLICE, share_slice, &s);
    return atomic_load(&s.shared);
}

typedef struct comparing {
    const sort_job *job;
    size_t from; /* sort key */
} comparing;

static int compare_items(const void *a, const void *b, void *context)
{
    const comparing *c = context;
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return sort_compare(c->job->order, c->from, sort_line(c->job, x), sort_line(c->job, y));
}

static int sort_by_comparing(sort_job *job, const run *r)
{
    comparing c = {job, r->stage.key};
    upsweep_status status = upsweep_sort_by(job->u, job->items + r->begin, r->end - r->begin,
                                            sizeof *job->items, compare_items, &c, NULL);
    return status == UPSWEEP_OK ? APP_OK : app_fail_call(job->u);
}

static int part_large(ties *t, run r)
{
    sort_job *job = t->job;
    sort_stage next;
    sort_step s = sort_next_step(job, r.stage, job->keys[r.begin], r.bits, &next);
    if (s == SORT_COMPARE) {
        return sort_by_comparing(job, &r);
    }
    if (sort_is_plain(job, next)) {
        next.depth += shared_bytes(job, &r, next);
    }
    r.stage = next;
    job->remade = true;
    r.bits = sort_remake_keys(job, next, r.begin, r.end);
    if (r.bits & IO_NUMBER_LONG) {
        return sort_by_comparing(job, &r);
    }
    if (upsweep_sort_pairs(job->u, job->keys + r.begin, job->items + r.begin, r.end - r.begin,
                           UPSWEEP_U64, sizeof *job->items, NULL) != UPSWEEP_OK) {
        return app_fail_call(job->u);
    }
    part_range(t, r);
    return APP_OK;
}

/* ---- after a sort of fields ---- */

typedef struct fields {
    ties *t;
    size_t *begin; /* begin[s]: the first item from slice s on that differs from the one before */
} fields;

static bool have_same_bytes(const sort_job *job, uint64_t a, uint64_t b)
{
    const unsigned char *bytes = job->in.bytes;
    return (a & SORT_LONG_LINE) == (b & SORT_LONG_LINE) &&
           memcmp(bytes + (a >> 24), bytes + (b >> 24), a & SORT_LONG_LINE) == 0;
}

static void find_begin(void *context, size_t slice, unsigned lane)
{
    (void)lane;
    fields *f = context;
    const sort_job *job = f->t->job;
    size_t i = slice * SLICE, limit = job->n - i > SLICE ? i + SLICE : job->n;
    while (i > 0 && i < limit && have_same_bytes(job, job->items[i], job->items[i - 1])) {
        i++;
    }
    f->begin[slice] = i;
}

/* The line that a field lies in. */
static uint64_t line_item(const sort_job *job, uint64_t field)
{
    const unsigned char *bytes = job->in.bytes, *p = bytes + (field >> 24);
    const unsigned char *before = memrchr(bytes, job->order->end, (size_t)(p - bytes));
    const unsigned char *begin = before != NULL ? before + 1 : bytes;
    p += field & SORT_LONG_LINE;
    const unsigned char *end = memchr(p, job->order->end, (size_t)(bytes + job->in.size - p));
    return sort_item((size_t)(begin - bytes), (size_t)(end - begin));
}

/* From fields to lines, by runs of equal fields; the lines of each get a key of their own, such as
 * a text has that ends there. */
static void look_through_fields(void *context, size_t slice, unsigned lane)
{
    (void)lane;
    fields *f = context;
    sort_job *job = f->t->job;
    uint64_t *items = job->items, flip = job->order->keys[0].reverse ? UINT64_MAX : 0;
    size_t end = f->begin[slice + 1], lines = 0;
    for (size_t i = f->begin[slice]; i < end;) {
        size_t from = i;
        uint64_t field = items[i];
        for (; i < end && have_same_bytes(job, field, items[i]); i++) {
            if (i + AHEAD < end) {
                __builtin_prefetch(job->in.bytes + (items[i + AHEAD] >> 24));
            }
            job->keys[i] = ((uint64_t)from << 8) ^ flip;
        }
        for (size_t k = from; k < i; k++) {
            items[k] = line_item(job, items[k]);
        }
        if (i - from > 1) {
            lines += i - from;
            part_run(f->t, from, i);
        }
    }
    atomic_fetch_add_explicit(&f->t->lines, lines, memory_order_relaxed);
}

static bool part_fields(ties *t)
{
    size_t n = t->job->n, slices = (n + SLICE - 1) / SLICE;
    fields f = {t, malloc((slices + 1) * sizeof *f.begin)};
    if (f.begin == NULL) {
        return false;
    }
    t->now = (run){0, n, {0, 0}, 0};
    io_parallel(t->job->threads, slices, find_begin, &f);
    f.begin[slices] = n;
    for (size_t s = slices; s-- > 0;) { /* a slice without a begin has no run of its own */
        f.begin[s] = f.begin[s] < (s + 1) * SLICE ? f.begin[s] : f.begin[s + 1];
    }
    io_parallel(t->job->threads, slices, look_through_fields, &f);
    free(f.begin);
    return true;
}

int sort_resolve_ties(sort_job *job)
{
    ties t = {.job = job};
    int status = APP_OK;
    pthread_mutex_init(&t.lock, NULL);
    if (job->fields) {
        t.failed = !part_fields(&t);
    } else {
        part_range(&t, (run){0, job->n, {0, 0}, job->bits});
    }
    while (status == APP_OK && t.count > 0 && !t.failed) {
        t.count--;
        status = part_large(&t, t.large[t.count]);
    }
    if (t.failed) {
        status = app_fail("out of memory");
    }
    job->ties = atomic_load(&t.lines);
    pthread_mutex_destroy(&t.lock);
    free(t.large);
    return status;
}
