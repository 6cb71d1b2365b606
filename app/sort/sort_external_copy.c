/* sort_external_copy.c - lines that stand in order already are written as they are read, with
 * nothing in temporary files: the sort of a sorted input takes the time of a copy.
 *
 * That ends at the first line that is out of order. What has been written until then is read back
 * from the output, which is emptied, and sorted with the rest. Lines are read to where the sort
 * takes them, so those of a first piece that is out of order lie in their place already.
 *
 * A file is looked at in a few places first, its end among them: where one is out of order there is
 * no copy, since the sort finds the runs that the file has (external/natural.c). */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_external.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 20, ROOM = 4 * PIECE, PLACES = 32, LOOK = 4096 };

typedef struct copying {
    sort_job *job;
    upsweep_external *x;
    io_stream *s;
    io_output *out;
    unsigned char *at;
    size_t room;
    size_t before;  /* bytes at `at` that are written: the last line, or 0 */
    size_t held;    /* all bytes there */
    size_t checked; /* of them are whole lines that stand in order */
    uint64_t written, all;
} copying;

/* ---- a look ahead ---- */

static bool in_order(const sort_order *order, sort_text line, sort_text next)
{
    int before = line.p == NULL ? -1 : sort_compare(order, 0, line, next);
    return before < 0 || (before == 0 && !order->unique);
}

/* Whether lines in a few places of a file, from byte `at` on, stand in order. */
static bool seems_in_order(const sort_order *order, int fd, uint64_t at)
{
    static unsigned char room[2][LOOK + IO_SLACK]; /* one has the line before */
    struct stat status;
    sort_text line = {NULL, NULL};
    unsigned turn = 0;
    bool known = fstat(fd, &status) == 0 && (uint64_t)status.st_size > at + LOOK;
    for (unsigned i = 0; known && i < PLACES; i++) {
        uint64_t all = (uint64_t)status.st_size - at - LOOK;
        ssize_t got = pread(fd, room[turn], LOOK, (off_t)(at + all / (PLACES - 1) * i));
        size_t bytes = got > 0 ? (size_t)got : 0;
        const unsigned char *p = room[turn], *end = p + bytes, *stop;
        memset(room[turn] + bytes, 0, IO_SLACK);
        stop = memchr(p, order->end, bytes);
        p = stop == NULL ? end : stop + 1;
        turn = memchr(p, order->end, (size_t)(end - p)) != NULL ? 1 - turn : turn;
        for (; (stop = memchr(p, order->end, (size_t)(end - p))) != NULL; p = stop + 1) {
            if (!in_order(order, line, (sort_text){p, stop})) {
                return false;
            }
            line = (sort_text){p, stop};
        }
    }
    return known;
}

/* `sampled` bytes of s have been read. */
static bool may_copy(const sort_job *job, const io_stream *s, size_t sampled, const io_output *out)
{
    uint64_t at;
    int fd = io_stream_place(s, sampled, &at);
    return !out->plain && out->packer == NULL && out->over < 0 && !job->task->debug &&
           (fd < 0 || seems_in_order(job->order, fd, at));
}

bool sort_external_may_copy(const sort_job *job, const io_stream *s, const unsigned char *sample,
                            size_t sampled, const io_output *out)
{
    const unsigned char *p = sample, *end = sample + sampled, *stop;
    sort_text line = {NULL, NULL};
    bool ordered = may_copy(job, s, sampled, out);
    for (; ordered && (stop = memchr(p, job->order->end, (size_t)(end - p))) != NULL;
         p = stop + 1) {
        ordered = in_order(job->order, line, (sort_text){p, stop});
        line = (sort_text){p, stop};
    }
    return ordered;
}

/* ---- the copy ---- */

/* Whether whole lines behind c->checked stand in order; c->checked goes as far as they do. */
static bool check(copying *c)
{
    const sort_order *order = c->job->order;
    const unsigned char *end = c->at + c->held, *p = c->at + c->checked, *stop;
    sort_text line = {NULL, NULL};
    if (c->before > 0) {
        line = (sort_text){c->at, c->at + c->before - 1};
    }
    for (; (stop = memchr(p, order->end, (size_t)(end - p))) != NULL; p = stop + 1) {
        if (!in_order(order, line, (sort_text){p, stop})) {
            return false;
        }
        line = (sort_text){p, stop};
    }
    c->checked = (size_t)(p - c->at);
    if (line.p != NULL) { /* is kept, to be compared with the next one */
        c->before = (size_t)(line.end - line.p) + 1;
    }
    return true;
}

static int write_bytes(copying *c, size_t from, size_t bytes)
{
    io_error error;
    c->written += bytes;
    return bytes == 0 || io_output_write(c->out, c->at + from, bytes, &error) == 0
               ? APP_OK
               : sort_fail_output(c->out, &error);
}

/* The output goes to the sort and is empty again. */
static int take_back(copying *c)
{
    uint64_t done = 0;
    while (done < c->written) {
        void *to;
        size_t room;
        upsweep_status status = upsweep_external_room(c->x, &to, &room);
        if (status == UPSWEEP_OK) {
            room = room < PIECE ? room : PIECE;
            ssize_t got = pread(c->out->fd, to, c->written - done < room ? c->written - done : room,
                                (off_t)done);
            if (got <= 0) {
                return app_fail("%s: what was written cannot be read", c->out->name);
            }
            done += (uint64_t)got;
            status = upsweep_external_pushed(c->x, (size_t)got);
        }
        if (status != UPSWEEP_OK) {
            return sort_external_fail(c->job, c->x, c->s, status);
        }
    }
    if (ftruncate(c->out->fd, 0) != 0 || lseek(c->out->fd, 0, SEEK_SET) != 0) {
        return app_fail("%s: cannot be emptied", c->out->name);
    }
    c->out->written = c->out->synced = 0;
    return APP_OK;
}

/* Hands all that has come to the sort. */
static int give_up(copying *c)
{
    sort_external_source(c->x, c->s, c->s->at, c->out);
    if (c->written == 0) { /* all that has been read lies where the sort takes it */
        upsweep_status status = upsweep_external_pushed(c->x, c->held);
        return status == UPSWEEP_OK ? APP_OK : sort_external_fail(c->job, c->x, c->s, status);
    }
    int status = write_bytes(c, c->before, c->held - c->before);
    return status == APP_OK ? take_back(c) : status;
}

/* Writes the lines that were found in order. The last one of them, and what may be a part of the
 * next one, move to the front. */
static int write_checked(copying *c, size_t from)
{
    int status = write_bytes(c, from, c->checked - from);
    size_t keep = c->checked - c->before;
    memmove(c->at, c->at + keep, c->held - keep);
    c->held -= keep;
    c->checked = c->before;
    return status;
}

int sort_external_copy(sort_job *job, upsweep_external *x, io_stream *s,
                       const unsigned char *sample, size_t sampled, io_output *out, bool *copied)
{
    copying c = {job, x, s, out, NULL, 0, 0, 0, 0, 0, sort_external_bytes(job)};
    void *at;
    io_error error;
    *copied = false;
    upsweep_status opened = upsweep_external_room(x, &at, &c.room);
    if (opened != UPSWEEP_OK) {
        return sort_external_fail(job, x, s, opened);
    }
    c.at = at;
    c.room = c.room < ROOM ? c.room : (size_t)ROOM;
    if (!may_copy(job, s, sampled, out) || c.room < sampled + PIECE / 4) {
        sort_external_source(x, s, sampled, out);
        opened = upsweep_external_push(x, sample, sampled);
        return opened == UPSWEEP_OK ? APP_OK : sort_external_fail(job, x, s, opened);
    }
    memcpy(c.at, sample, sampled);
    c.held = sampled;
    for (size_t got = 1; got > 0;) {
        size_t from = c.before;
        if (c.held == c.room || !check(&c)) {
            return give_up(&c);
        }
        if (write_checked(&c, from) != APP_OK) {
            return APP_ERROR;
        }
        size_t room = c.room - c.held;
        if (!io_stream_read(s, c.at + c.held, room < PIECE ? room : PIECE, &got, &error)) {
            return app_fail("%s", error.text);
        }
        c.held += got;
        sort_progress_bytes(job, s->at, c.all);
    }
    *copied = true;
    return APP_OK;
}
