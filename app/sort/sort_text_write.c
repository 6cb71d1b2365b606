/* sort_text_write.c - drops lines with equal keys (-u), gathers the sorted lines into blocks of
 * about a megabyte and writes them.
 *
 * While one thread writes its block, the others gather theirs; a block waits for its turn. The
 * texts lie all over the input, so their cache lines are asked for some lines ahead. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_text.h"

#include "io/memory.h"
#include "io/parallel.h"
#include "io/place.h"
#include "app/sort/sort_small.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_BYTES = 1 << 20,
    ROOM = BLOCK_BYTES + IO_SLACK,
    NUMBERS = BLOCK_BYTES / 24, /* a number of 64 bits, a sign, a point and an end are less */
    AHEAD = 24,
    SLICE = 1 << 16
};

typedef struct writing {
    sort_job *job;
    io_output *out;
    size_t *blocks;      /* blocks[b]: first line of block b; blocks[count] = n; or every NUMBERS */
    size_t count, bytes; /* bytes of all */
    unsigned char *room; /* ROOM bytes for each thread */
    pthread_mutex_t lock;
    pthread_cond_t turned;
    size_t turn;
    bool failed;
    io_error error;
} writing;

/* Bytes of the line with its end. */
static size_t line_bytes(const sort_job *job, uint64_t item)
{
    sort_text line = sort_line(job, item);
    return (size_t)(line.end - line.p) + 1;
}

/* A line that does not fit a block is a block of its own. */
static int plan_blocks(writing *w)
{
    const sort_job *job = w->job;
    if (job->numbers) {
        w->count = (job->n + NUMBERS - 1) / NUMBERS;
        w->bytes = job->n == job->lines.count ? job->in.size : 0; /* the same lines */
        return 0;
    }
    size_t room = 2 * (job->in.size / BLOCK_BYTES) + 4, filled = BLOCK_BYTES;
    w->blocks = malloc(room * sizeof *w->blocks);
    if (w->blocks == NULL) {
        return -1;
    }
    for (size_t i = 0; i < job->n; i++) {
        size_t bytes = line_bytes(job, job->items[i]);
        if (bytes > BLOCK_BYTES - filled) {
            w->blocks[w->count++] = i;
            filled = 0;
        }
        filled = bytes < BLOCK_BYTES - filled ? filled + bytes : BLOCK_BYTES;
        w->bytes += bytes;
    }
    w->blocks[w->count] = job->n;
    return 0;
}

static inline unsigned char *copy_line(unsigned char *to, const unsigned char *from, size_t bytes)
{
    if (bytes > 64) {
        memcpy(to, from, bytes);
        return to + bytes;
    }
    memcpy(to, from, 16); /* both sides have IO_SLACK bytes to spare */
    if (bytes > 16) {
        memcpy(to + 16, from + 16, 16);
        if (bytes > 32) {
            memcpy(to + 32, from + 32, 32);
        }
    }
    return to + bytes;
}

static size_t gather(const sort_job *job, size_t begin, size_t end, unsigned char *room)
{
    const unsigned char *bytes = job->in.bytes;
    const uint64_t *items = job->items;
    unsigned char *to = room;
    for (size_t i = begin; i < end; i++) {
        if (i + AHEAD < job->n) {
            const unsigned char *ahead = bytes + (items[i + AHEAD] >> 24);
            __builtin_prefetch(ahead);
            __builtin_prefetch(ahead + (items[i + AHEAD] & 63));
        }
        sort_text line = sort_line(job, items[i]);
        to = copy_line(to, line.p, (size_t)(line.end - line.p) + 1);
    }
    return (size_t)(to - room);
}

/* The text of a block, in `room` or where it is. */
static const unsigned char *block_text(const writing *w, size_t b, unsigned char *room,
                                       size_t *bytes)
{
    const sort_job *job = w->job;
    if (job->numbers) {
        size_t begin = b * NUMBERS, left = job->n - begin;
        *bytes = sort_number_lines(job, job->keys + begin, left < NUMBERS ? left : NUMBERS, room);
        return room;
    }
    size_t begin = w->blocks[b], end = w->blocks[b + 1];
    if (end - begin == 1) { /* perhaps a long one, and to be written from where it is */
        *bytes = line_bytes(job, job->items[begin]);
        return job->in.bytes + (job->items[begin] >> 24);
    }
    *bytes = gather(job, begin, end, room);
    return room;
}

static void write_block(void *context, size_t b, unsigned lane)
{
    writing *w = context;
    sort_job *job = w->job;
    size_t bytes;
    const unsigned char *from = block_text(w, b, w->room + lane * (size_t)ROOM, &bytes);
    pthread_mutex_lock(&w->lock);
    while (w->turn != b) {
        pthread_cond_wait(&w->turned, &w->lock);
    }
    bool failed = w->failed;
    pthread_mutex_unlock(&w->lock);
    failed = failed || io_output_write(w->out, from, bytes, &w->error) != 0;
    pthread_mutex_lock(&w->lock);
    w->failed = failed;
    w->turn++;
    pthread_cond_broadcast(&w->turned);
    pthread_mutex_unlock(&w->lock);
    sort_progress(job, lane, b, w->count);
}

int sort_write(sort_job *job, io_output *out)
{
    writing w = {.job = job, .out = out};
    size_t room_bytes = job->threads * (size_t)ROOM;
    w.room = io_memory_take(room_bytes);
    if (w.room == NULL || plan_blocks(&w) != 0) {
        io_memory_give(w.room, room_bytes);
        return app_fail("out of memory");
    }
    io_place_set_aside(out, w.bytes);
    pthread_mutex_init(&w.lock, NULL);
    pthread_cond_init(&w.turned, NULL);
    io_parallel(job->threads, w.count, write_block, &w);
    pthread_mutex_destroy(&w.lock);
    pthread_cond_destroy(&w.turned);
    io_memory_give(w.room, room_bytes);
    free(w.blocks);
    if (w.failed) {
        return sort_fail_output(out, &w.error);
    }
    return APP_OK;
}

typedef struct dropping {
    sort_job *job;
    uint64_t *before; /* each slice's last key and item before it, and how many lines it keeps */
    size_t *kept;
} dropping;

/* Whether lines with this key count as equal. Mostly the key itself tells. */
static bool are_equal(const sort_job *job, uint64_t key, uint64_t a, uint64_t b)
{
    sort_stage next;
    if (job->order->count == 1 && !job->remade &&
        sort_next_step(job, (sort_stage){0, 0}, key, job->bits, &next) == SORT_DONE) {
        return true;
    }
    return sort_compare(job->order, 0, sort_line(job, a), sort_line(job, b)) == 0;
}

/* Moves the lines that a slice keeps to its front. */
static void drop_slice(void *context, size_t slice, unsigned lane)
{
    (void)lane;
    dropping *d = context;
    sort_job *job = d->job;
    size_t from = slice * SLICE, limit = job->n - from > SLICE ? from + SLICE : job->n, to = from;
    uint64_t key = d->before[2 * slice], item = d->before[2 * slice + 1];
    for (size_t i = from; i < limit; i++) {
        uint64_t next_key = job->keys[i], next = job->items[i];
        bool equal = i > 0 && key == next_key && are_equal(job, key, item, next);
        if (!equal) {
            job->items[to++] = next;
        }
        key = next_key;
        item = next;
    }
    d->kept[slice] = to - from;
}

int sort_drop_equal(sort_job *job)
{
    size_t slices = (job->n + SLICE - 1) / SLICE;
    dropping d = {job, malloc((slices + 1) * 2 * sizeof *d.before),
                  malloc((slices + 1) * sizeof *d.kept)};
    if (d.before == NULL || d.kept == NULL) {
        free(d.before);
        free(d.kept);
        return app_fail("out of memory");
    }
    for (size_t s = 0; s < slices; s++) {
        d.before[2 * s] = s > 0 ? job->keys[s * SLICE - 1] : 0;
        d.before[2 * s + 1] = s > 0 ? job->items[s * SLICE - 1] : 0;
    }
    io_parallel(job->threads, slices, drop_slice, &d);
    size_t n = 0;
    for (size_t s = 0; s < slices; s++) {
        memmove(job->items + n, job->items + s * SLICE, d.kept[s] * sizeof *job->items);
        n += d.kept[s];
    }
    job->n = n;
    free(d.before);
    free(d.kept);
    return APP_OK;
}
