/* sort_external_check.c - -c and -C of a file that does not fit into memory: one line after the
 * other, each compared with the one before it, in one pass; and --strict, which looks at lines on
 * their way to the sort. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_external.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1 << 20 };

typedef struct walk {
    sort_job *job;
    unsigned char *bytes; /* the line before, if there is one, and what has been read behind it */
    size_t room, held;
    size_t at;     /* of the first line that has not been looked at */
    size_t before; /* bytes of the line in front of it, with its end; 0: there is none */
    uint64_t lines;
    const char *name;
    bool quiet, strict;    /* -C; a line without a number counts more than one out of order */
    unsigned char *broken; /* with strict, the first line out of order, */
    size_t broken_bytes;
    uint64_t broken_line; /* and its number; 0: there is none */
    upsweep_external *x;  /* --strict: what has been looked at goes there */
    io_stream *s;
    uint64_t part_begin, part_lines; /* --strict: bytes and lines before the part that is read */
} walk;

/* Drops what lies before the last line that was looked at, and makes room. */
static int make_room(walk *w)
{
    size_t from = w->at - w->before;
    memmove(w->bytes, w->bytes + from, w->held - from);
    w->held -= from;
    w->at -= from;
    if (w->held < w->room / 2) {
        return APP_OK;
    }
    size_t room = 2 * w->room;
    size_t most = w->x != NULL ? w->job->limit / 8 : w->job->limit; /* the sort has the rest */
    unsigned char *bytes = room > most ? NULL : realloc(w->bytes, room + IO_SLACK);
    if (bytes == NULL) {
        return app_fail("%s:%llu: this line is too long for a memory limit of %zu MB; -S sets it",
                        w->name, (unsigned long long)(w->lines - w->part_lines) + 1,
                        w->job->limit >> 20);
    }
    w->bytes = bytes;
    w->room = room;
    return APP_OK;
}

static int say_disorder(const walk *w, uint64_t number, const unsigned char *line, size_t bytes)
{
    if (!w->quiet) {
        fprintf(stderr, "%s: %s:%llu: disorder: ", app_command(), w->name,
                (unsigned long long)number);
        fwrite(line, 1, bytes, stderr);
    }
    return APP_NO;
}

static int say_no_number(const walk *w, const unsigned char *line, size_t bytes)
{
    fprintf(stderr, "%s: %s:%llu: %s: ", app_command(), w->name,
            (unsigned long long)(w->lines - w->part_lines), sort_why_loose(line, bytes));
    fwrite(line, 1, bytes, stderr);
    return APP_ERROR;
}

/* The line may be followed by one that has no number: so it is kept. */
static int keep_broken(walk *w, const unsigned char *line, size_t bytes)
{
    w->broken = malloc(bytes);
    if (w->broken == NULL) {
        return app_fail("out of memory");
    }
    memcpy(w->broken, line, bytes);
    w->broken_bytes = bytes;
    w->broken_line = w->lines;
    return APP_OK;
}

/* The line at p, whose end is at `end`, beside the one before it. */
static int look_at_line(walk *w, const unsigned char *p, const unsigned char *end)
{
    const sort_order *order = w->job->order;
    size_t bytes = (size_t)(end - p) + 1;
    if (w->strict && !sort_is_strict(w->job, (sort_text){p, end})) {
        return say_no_number(w, p, bytes);
    }
    if (w->broken_line > 0 || w->before == 0) {
        return APP_OK;
    }
    int difference = sort_compare(order, 0, (sort_text){p - w->before, p - 1}, (sort_text){p, end});
    if (difference < 0 || (difference == 0 && !order->unique)) {
        return APP_OK;
    }
    return w->strict ? keep_broken(w, p, bytes) : say_disorder(w, w->lines, p, bytes);
}

/* APP_NO at the first line that is out of order. */
static int look_at_lines(walk *w)
{
    const unsigned char *end;
    int status = APP_OK;
    memset(w->bytes + w->held, 0, IO_SLACK);
    while (status == APP_OK &&
           (end = memchr(w->bytes + w->at, w->job->order->end, w->held - w->at)) != NULL) {
        const unsigned char *p = w->bytes + w->at;
        w->lines++;
        status = look_at_line(w, p, end);
        w->before = (size_t)(end - p) + 1;
        w->at += w->before;
    }
    return status;
}

/* APP_ERROR at the first line that has no number. */
static int look_strictly(walk *w)
{
    const sort_order *order = w->job->order;
    const unsigned char *end;
    size_t from = w->at;
    memset(w->bytes + w->held, 0, IO_SLACK);
    while ((end = memchr(w->bytes + w->at, order->end, w->held - w->at)) != NULL) {
        const unsigned char *p = w->bytes + w->at;
        w->lines++;
        if (!sort_is_strict(w->job, (sort_text){p, end})) {
            return say_no_number(w, p, (size_t)(end - p) + 1);
        }
        w->at += (size_t)(end - p) + 1;
    }
    upsweep_status status = upsweep_external_push(w->x, w->bytes + from, w->at - from);
    return status == UPSWEEP_OK ? APP_OK : sort_external_fail(w->job, w->x, w->s, status);
}

/* Lines are numbered from the begin of each part. */
static void find_part(walk *w, size_t got)
{
    uint64_t begin;
    const char *name = io_stream_part(w->s, w->s->at - got, &begin);
    if (begin != w->part_begin) {
        w->part_begin = begin;
        w->part_lines = w->lines;
    }
    w->name = name;
}

static int walk_stream(walk *w, io_stream *s)
{
    int status = APP_OK;
    for (size_t got = 1; got > 0 && status == APP_OK;) {
        io_error error;
        if (!io_stream_read(s, w->bytes + w->held, w->room - w->held, &got, &error)) {
            return app_fail("%s", error.text);
        }
        w->held += got;
        if (w->x != NULL && got > 0) {
            find_part(w, got);
            sort_progress_bytes(w->job, s->at, sort_external_bytes(w->job));
        }
        status = w->x != NULL ? look_strictly(w) : look_at_lines(w);
        status = status == APP_OK ? make_room(w) : status;
    }
    return status;
}

int sort_external_strict(sort_job *job, upsweep_external *x, io_stream *s,
                         const unsigned char *first, size_t held)
{
    walk w = {.job = job,
              .room = FIRST_ROOM,
              .bytes = malloc(FIRST_ROOM + IO_SLACK),
              .held = held,
              .x = x,
              .s = s};
    if (w.bytes == NULL) {
        return app_fail("out of memory");
    }
    memcpy(w.bytes, first, held);
    w.name = io_stream_part(s, 0, &w.part_begin);
    int status = look_strictly(&w);
    status = status == APP_OK ? make_room(&w) : status;
    status = status == APP_OK ? walk_stream(&w, s) : status;
    free(w.bytes);
    return status;
}

int sort_external_check(sort_job *job, io_stream *s, unsigned char *first, size_t held, bool strict)
{
    walk w = {.job = job,
              .room = FIRST_ROOM,
              .bytes = malloc(FIRST_ROOM + IO_SLACK),
              .name = job->task->common.operand_count == 0 ? "-" : job->task->common.operands[0],
              .quiet = job->task->mode == SORT_CHECK_QUIETLY,
              .strict = strict};
    sort_phase(job, "check");
    if (w.bytes == NULL) {
        return app_fail("out of memory");
    }
    int status = strict ? sort_external_sample(job, s, first, &held) : APP_OK;
    memcpy(w.bytes, first, held);
    w.held = held;
    status = status == APP_OK ? walk_stream(&w, s) : status;
    if (status == APP_OK && w.broken_line > 0) {
        status = say_disorder(&w, w.broken_line, w.broken, w.broken_bytes);
    }
    free(w.broken);
    free(w.bytes);
    return status;
}
