/* sort_text_ties.c - puts lines whose 64-bit keys are equal in order among themselves.
 *
 * The sorted keys are cut into slices; each finds the runs of equal keys that begin in it. A small
 * run is sorted on the spot: keys of the next stage are made for its lines, and lines whose keys
 * are equal again are compared to the end. A large run is put aside, and later sorted by the
 * library on the keys of its next stage, which leaves smaller runs; before that, bytes that all its
 * lines share are skipped. So no text is read deeper than it takes to part the lines (Bentley and
 * Sedgewick, "Fast algorithms for sorting and searching strings", 1997, with seven bytes as one
 * character). */
#include "sort_text.h"

#include "parallel.h"
#include "sort_small.h"

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

typedef enum step { STEP_NONE, STEP_COMPARE, STEP_KEYS } step;

/* What parts lines whose key at a stage is `key`: nothing (they count as equal), comparing from the
 * same sort key on, or the keys of *next. */
static step next_step(const sort_job *job, sort_stage stage, uint64_t key, unsigned bits,
                      sort_stage *next)
{
    const sort_key *k = &job->order->keys[stage.key];
    key = k->reverse ? ~key : key;
    *next = (sort_stage){stage.key + 1, 0};
    if (k->kind == SORT_BYTES) {
        if ((key & 0xff) == 0xff) {
            *next = (sort_stage){stage.key, stage.depth + 7};
        }
    } else {
        if ((bits & IO_NUMBER_CUT) || !io_number_key_exact(&job->plans[stage.key], key)) {
            return STEP_COMPARE;
        }
        if (k->whole && !(bits & IO_NUMBER_ODD)) {
            return STEP_NONE; /* a number written in one way only: the lines are the same bytes */
        }
    }
    return next->key < job->order->count ? STEP_KEYS : STEP_NONE;
}

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
    step s = next_step(job, t->now.stage, job->keys[begin], t->now.bits, &next);
    if (s == STEP_NONE) {
        return;
    }
    if (end - begin > SORT_SMALL) {
        put_aside(t, (run){begin, end, t->now.stage, t->now.bits});
        return;
    }
    if (s == STEP_COMPARE) {
        next = (sort_stage){t->now.stage.key, 0};
    }
    sort_small(job, job->items + begin, end - begin, next, s == STEP_KEYS);
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
    const sort_key *key;
    size_t depth;
    sort_text first;
    atomic_size_t shared;
} sharing;

/* How many of `shared` bytes behind depth a line of the run has in common with the first. */
static size_t shared_with(const sharing *s, uint64_t item, size_t shared)
{
    sort_text text = sort_field(s->job->order, s->key, sort_line(s->job, item));
    size_t bytes = (size_t)(text.end - text.p), same = 0;
    if (bytes < s->depth + shared) {
        shared = bytes > s->depth ? bytes - s->depth : 0;
    }
    const unsigned char *a = s->first.p + s->depth, *b = text.p + s->depth;
    if (shared == 0 || memcmp(a, b, shared) == 0) {
        return shared;
    }
    while (a[same] == b[same]) {
        same++;
    }
    return same;
}

static void share_slice(void *context, size_t slice, unsigned lane)
{
    (void)lane;
    sharing *s = context;
    const uint64_t *items = s->job->items;
    size_t i = s->r.begin + slice * SLICE, limit = s->r.end - i > SLICE ? i + SLICE : s->r.end;
    size_t shared = atomic_load(&s->shared);
    for (; i < limit && shared >= 7; i++) {
        if (i + AHEAD < limit) {
            __builtin_prefetch(s->job->in.bytes + (items[i + AHEAD] >> 24) + s->depth);
        }
        shared = shared_with(s, items[i], shared);
    }
    size_t least = atomic_load(&s->shared);
    while (shared < least && !atomic_compare_exchange_weak(&s->shared, &least, shared)) {
    }
}

/* How many bytes behind `depth` all lines of a run share. */
static size_t shared_bytes(const sort_job *job, const run *r, size_t depth, const sort_key *key)
{
    sharing s = {.job = job, .r = *r, .key = key, .depth = depth};
    s.first = sort_field(job->order, key, sort_line(job, job->items[r->begin]));
    size_t bytes = (size_t)(s.first.end - s.first.p);
    atomic_store(&s.shared, bytes > depth ? bytes - depth : 0);
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
    step s = next_step(job, r.stage, job->keys[r.begin], r.bits, &next);
    const sort_key *key = &job->order->keys[next.key < job->order->count ? next.key : 0];
    if (s == STEP_COMPARE) {
        return sort_by_comparing(job, &r);
    }
    if (key->kind == SORT_BYTES && !key->fold && key->ignore == NULL) {
        next.depth += shared_bytes(job, &r, next.depth, key) / 7 * 7;
    }
    r.stage = next;
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

int sort_resolve_ties(sort_job *job)
{
    ties t = {.job = job};
    int status = APP_OK;
    pthread_mutex_init(&t.lock, NULL);
    part_range(&t, (run){0, job->n, {0, 0}, job->bits});
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
