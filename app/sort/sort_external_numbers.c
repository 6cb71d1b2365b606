/* sort_external_numbers.c - numbers beyond memory of which each is written in the one usual way
 * (sort_text_numbers.c): their keys are sorted as elements of 64 bits, and lines are written from
 * these. At the first line that is otherwise the lines so far go to a temporary file, in order,
 * which is then the beginning of what is sorted as lines. Lines of one number are the same bytes,
 * so that it makes no difference in which order those have come. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_external.h"

#include "io/memory.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum {
    TEXT = SORT_BEGIN_BYTES - IO_SLACK,
    KEYS = TEXT / 2, /* a line has a digit and an end */
    OWN = SORT_BEGIN_BYTES + KEYS * 8,
    LEAST = 4 * OWN, /* of memory that is worth it */
    BLOCK = 1 << 20, /* of the output */
    LINES = BLOCK / 24
};

typedef struct numbers {
    sort_job *job;
    io_stream *s;
    upsweep_external *x;
    unsigned char *text;
    size_t held; /* bytes of it that have not been pushed */
    uint64_t *keys;
    uint64_t pushed;
} numbers;

static int fail(const numbers *n)
{
    return app_fail("%s", upsweep_external_error(n->x));
}

/* Whole lines of the text to the sort, and what is left to its front. *odd: one of them is
 * otherwise, and none of them has been pushed. */
static int push_lines(numbers *n, bool *odd)
{
    const sort_job *job = n->job;
    const unsigned char *last = memrchr(n->text, job->order->end, n->held);
    size_t bytes = last != NULL ? (size_t)(last - n->text) + 1 : 0, count = 0;
    *odd =
        (bytes == 0 && n->held == TEXT) || !sort_number_keys(job, n->text, bytes, n->keys, &count);
    if (*odd) {
        return APP_OK;
    }
    n->held -= bytes;
    n->pushed += count;
    memmove(n->text, n->text + bytes, n->held);
    return upsweep_external_push(n->x, n->keys, count * sizeof *n->keys) == UPSWEEP_OK ? APP_OK
                                                                                       : fail(n);
}

static int push_all(numbers *n, bool *odd)
{
    uint64_t all = sort_external_bytes(n->job);
    io_error error;
    int status = push_lines(n, odd);
    for (size_t got = 1; status == APP_OK && !*odd && got > 0;) {
        if (!io_stream_read(n->s, n->text + n->held, TEXT - n->held, &got, &error)) {
            return app_fail("%s", error.text);
        }
        n->held += got;
        if (got == 0 && n->held > 0) { /* of a packed file without a last end */
            n->text[n->held++] = n->job->order->end;
        }
        status = push_lines(n, odd);
        sort_progress_bytes(n->job, n->s->at, all);
    }
    if (status == APP_OK && upsweep_external_sort(n->x) != UPSWEEP_OK) {
        return fail(n);
    }
    return status;
}

/* Lines on their way to an output, made where keys were before. */
typedef struct giving {
    const numbers *n;
    io_output *out;
    unsigned char *text;
    size_t held;
} giving;

static int write_text(giving *g, size_t bytes)
{
    io_error error;
    if (bytes > 0 && io_output_write(g->out, g->text, bytes, &error) != 0) {
        return sort_fail_output(g->out, &error);
    }
    g->held -= bytes;
    memmove(g->text, g->text + bytes, g->held);
    return APP_OK;
}

static int give_keys(giving *g, const uint64_t *keys, size_t n)
{
    int status = APP_OK;
    for (size_t i = 0, count; i < n && status == APP_OK; i += count) {
        count = n - i < LINES ? n - i : LINES;
        g->held += sort_number_lines(g->n->job, keys + i, count, g->text + g->held);
        status = g->held >= BLOCK ? write_text(g, BLOCK) : APP_OK;
    }
    return status;
}

/* All lines in order. What is synced anyway goes past the page cache, in whole blocks. */
static int give(const numbers *n, io_output *out)
{
    giving g = {.n = n, .out = out, .text = (unsigned char *)n->keys};
    bool synced = !out->plain && out->over < 0 && out->packer == NULL;
    int status = APP_OK, mode = synced ? fcntl(out->fd, F_GETFL) : -1;
    mode = mode >= 0 && fcntl(out->fd, F_SETFL, mode | O_DIRECT) == 0 ? mode : -1;
    const void *keys;
    uint64_t done = 0;
    for (size_t bytes = 1; status == APP_OK && bytes > 0;) {
        if (upsweep_external_pull(n->x, &keys, &bytes) != UPSWEEP_OK) {
            return fail(n);
        }
        status = give_keys(&g, keys, bytes / sizeof *n->keys);
        done += bytes / sizeof *n->keys;
        sort_progress_bytes(n->job, done, n->pushed);
    }
    if (mode >= 0) {
        (void)fcntl(out->fd, F_SETFL, mode);
    }
    return status == APP_OK ? write_text(&g, g.held) : status;
}

static int open_sort(numbers *n, const io_output *out)
{
    const char *one;
    upsweep_external_config config = UPSWEEP_EXTERNAL_CONFIG_INIT;
    if (sort_external_config(n->job, &config, &one, out) != APP_OK) {
        return APP_ERROR;
    }
    config.limit -= OWN;
    config.type = UPSWEEP_U64;
    config.flags = n->job->order->keys[0].reverse ? UPSWEEP_DESCENDING : 0;
    return upsweep_external_open(&n->x, &config) == UPSWEEP_OK
               ? APP_OK
               : app_fail("out of memory: %zu MB are needed", config.limit >> 20);
}

bool sort_external_are_numbers(const sort_job *job, const unsigned char *sample, size_t sampled)
{
    return sort_external_room(job) >= LEAST && sort_may_be_numbers(job) &&
           sort_look_like_numbers(job, sample, sampled);
}

/* What has been pushed, to a file without a name; its descriptor. */
static int write_begin(const numbers *n, int *fd)
{
    const char *one;
    size_t count;
    const char *directory = sort_external_directories(n->job, &one, &count)[0];
    *fd = io_scratch_file(directory);
    if (*fd < 0) {
        return sort_fail_temporary(directory);
    }
    io_output file = {.name = "a temporary file", .fd = *fd};
    return give(n, &file);
}

int sort_external_numbers(sort_job *job, io_stream *s, const unsigned char *sample, size_t sampled,
                          io_output *out, sort_begin *begin)
{
    numbers n = {.job = job, .s = s, .held = sampled};
    n.text = io_memory_take(SORT_BEGIN_BYTES);
    n.keys = io_memory_take(KEYS * sizeof *n.keys);
    bool there = n.text != NULL && n.keys != NULL;
    int status = there ? open_sort(&n, out) : app_fail("out of memory");
    if (there && status == APP_OK) {
        memcpy(n.text, sample, sampled);
        sort_phase(job, "read, runs");
        status = push_all(&n, &begin->odd);
    }
    sort_phase(job, "merge and write");
    if (there && status == APP_OK && begin->odd) {
        status = write_begin(&n, &begin->fd);
        begin->text = n.text;
        begin->held = n.held;
        n.text = NULL;
    } else if (there && status == APP_OK) {
        status = give(&n, out);
    }
    io_memory_give(n.keys, KEYS * sizeof *n.keys);
    io_memory_give(n.text, SORT_BEGIN_BYTES);
    if (!begin->odd || status != APP_OK) {
        status = sort_external_end(job, out, status);
        sort_phase(job, NULL);
        if (status == APP_OK && job->task->common.stats) {
            job->read_bytes = s->at;
            sort_external_stats(job, n.x);
            fputs(job->task->common.json ? "" : SORT_NUMBER_KEY, stderr);
        }
    }
    upsweep_external_close(n.x);
    return status;
}
