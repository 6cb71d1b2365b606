/* merge_output.c - where a merged range goes: to its place in a file, past the page cache or
 * through it, in turn to a stream, or to whoever pulls. */
/* SPDX-License-Identifier: MIT */
#include "external/merge.h"

#include <errno.h>
#include <fcntl.h>

typedef struct placing {
    usw_ext_merge *m;
    int64_t at;
    unsigned char *room; /* of the sink's buffer, at the begin of a page */
} placing;

static upsweep_status fail_output(usw_ext_merge *m, int number)
{
    pthread_mutex_lock(&m->lock);
    m->number = m->number == 0 ? number : m->number;
    pthread_mutex_unlock(&m->lock);
    return usw_ext_fail(m->x, UPSWEEP_ERROR_FILE, "the output cannot be written: %s",
                        strerror(number));
}

/* Whole pages past the page cache, if bytes lie in memory as they do in the file; what is before
 * and behind them through it, since a neighbouring range has the rest of such a page. */
static int write_pages(const usw_ext_merge *m, const unsigned char *bytes, size_t size, int64_t at)
{
    size_t page = USW_EXT_PAGE, before = (page - (size_t)at % page) % page;
    size_t pages = size > before ? (size - before) / page * page : 0;
    if (m->direct < 0 || pages == 0 || ((uintptr_t)bytes + before) % page != 0) {
        return usw_ext_write_all(m->fd, bytes, size, at);
    }
    USW_EXT_ROUTE("pages of a range past the page cache");
    int number = usw_ext_write_all(m->fd, bytes, before, at);
    bytes += before;
    at += (int64_t)before;
    if (number == 0) {
        number = usw_ext_write_all(m->direct, bytes, pages, at);
        number = number == EINVAL ? usw_ext_write_all(m->fd, bytes, pages, at) : number;
    }
    return number != 0 ? number
                       : usw_ext_write_all(m->fd, bytes + pages, size - before - pages,
                                           at + (int64_t)pages);
}

static upsweep_status take_to_place(usw_ext_sink *sink)
{
    placing *p = sink->context;
    int number = write_pages(p->m, sink->buffer, sink->held, p->at);
    p->at += (int64_t)sink->held;
    sink->held = 0;
    sink->room += (size_t)(sink->buffer - p->room); /* the next bytes begin a page */
    sink->buffer = p->room;
    return number == 0 ? UPSWEEP_OK : fail_output(p->m, number);
}

/* Waits until all ranges before this one have gone. */
static bool wait_for_turn(usw_ext_merge *m, uint64_t number)
{
    while (m->turn != number && !m->stopped) {
        pthread_cond_wait(&m->turned, &m->lock);
    }
    return !m->stopped;
}

/* Until the puller has had it. */
static void lend(usw_ext_merge *m, const usw_ext_sink *sink)
{
    m->held = sink->buffer;
    m->held_bytes = sink->held;
    m->has = true;
    pthread_cond_broadcast(&m->turned);
    while (m->has && !m->stopped) {
        pthread_cond_wait(&m->turned, &m->lock);
    }
}

static upsweep_status give_to_puller(usw_ext_merge *m, const usw_ext_range *r,
                                     const usw_ext_sink *sink)
{
    USW_EXT_ROUTE("a range pulled");
    pthread_mutex_lock(&m->lock);
    if (wait_for_turn(m, r->number) && sink->held > 0) {
        lend(m, sink);
    }
    m->turn++;
    pthread_cond_broadcast(&m->turned);
    pthread_mutex_unlock(&m->lock);
    return UPSWEEP_OK;
}

/* In a file the place is known once all ranges before have been merged; a stream waits until they
 * have been written. */
static upsweep_status write_in_turn(usw_ext_merge *m, const usw_ext_range *r,
                                    const usw_ext_sink *sink)
{
    upsweep_status status = UPSWEEP_OK;
    pthread_mutex_lock(&m->lock);
    bool mine = wait_for_turn(m, r->number);
    int64_t at = m->begin < 0 ? -1 : m->begin + (int64_t)m->out_bytes;
    m->out_bytes += sink->held;
    if (m->begin >= 0) {
        USW_EXT_ROUTE("a range to a file once its place is known");
        m->turn++;
        pthread_cond_broadcast(&m->turned);
    }
    pthread_mutex_unlock(&m->lock);
    if (mine) {
        int number = usw_ext_write_all(m->fd, sink->buffer, sink->held, at);
        status = number == 0 ? UPSWEEP_OK : fail_output(m, number);
    }
    if (m->begin < 0) {
        USW_EXT_ROUTE("a range to a stream in turn");
        pthread_mutex_lock(&m->lock);
        m->turn++;
        pthread_cond_broadcast(&m->turned);
        pthread_mutex_unlock(&m->lock);
    }
    return status;
}

/* A part of a range, where there is no room for all of it: of one thread, whose turn it always
 * is. */
static upsweep_status take_part(usw_ext_sink *sink)
{
    usw_ext_merge *m = sink->context;
    int number = 0;
    pthread_mutex_lock(&m->lock);
    int64_t at = m->begin < 0 ? -1 : m->begin + (int64_t)m->out_bytes;
    m->out_bytes += sink->held;
    if (m->way == USW_TO_PULLER && !m->stopped) {
        USW_EXT_ROUTE("a part of a range of long records pulled");
        lend(m, sink);
    }
    pthread_mutex_unlock(&m->lock);
    if (m->way == USW_IN_ORDER) {
        USW_EXT_ROUTE("a part of a range of long records in order");
        number = usw_ext_write_all(m->fd, sink->buffer, sink->held, at);
    }
    sink->held = 0;
    return number == 0 ? UPSWEEP_OK : fail_output(m, number);
}

/* Of elements s sorts the range; it has room behind r up to `end`. */
upsweep_status usw_merge_one(usw_ext_merge *m, usw_ext_range *r, usw_ext_sorting *s,
                             unsigned char *buffer, unsigned char *end)
{
    usw_ext_sink sink = {.buffer = buffer, .room = m->output_bytes};
    bool elements = m->x->order.element != 0;
    upsweep_status status = usw_ext_load(r);
    size_t rest = 0;
    if (m->direct >= 0) { /* bytes lie in their page as they do in the file */
        rest = (size_t)(m->begin + (int64_t)r->offset) % USW_EXT_PAGE;
    }
    if (status == UPSWEEP_OK && elements) {
        size_t out_of = (rest - (uintptr_t)r->bytes) % USW_EXT_PAGE;
        sink.buffer = r->bytes + (m->direct >= 0 ? out_of : 0);
        status = usw_ext_sort_range(r, s, sink.buffer, end);
        sink.held = s->kept;
    }
    if (status != UPSWEEP_OK) {
        return status;
    }
    if (m->way != USW_TO_PLACES) {
        sink.whole = m->plan.tight;
        sink.take = take_part;
        sink.context = m;
        status = elements ? UPSWEEP_OK : usw_ext_merge_range(r, &sink);
        return status != UPSWEEP_OK     ? status
               : m->way == USW_IN_ORDER ? write_in_turn(m, r, &sink)
                                        : give_to_puller(m, r, &sink);
    }
    USW_EXT_ROUTE("a range to its place in a file");
    placing p = {m, m->begin + (int64_t)r->offset, elements ? sink.buffer : buffer};
    sink.take = take_to_place;
    sink.context = &p;
    if (!elements) {
        sink.buffer += rest;
        sink.room -= rest;
        status = usw_ext_merge_range(r, &sink);
    }
    status = status == UPSWEEP_OK ? take_to_place(&sink) : status;
#ifdef SYNC_FILE_RANGE_WRITE
    if (status == UPSWEEP_OK && r->raw > 0 &&
        m->direct < 0) { /* the disk starts now, and fsync has less to do */
        (void)sync_file_range(m->fd, m->begin + (int64_t)r->offset, (off_t)r->raw,
                              SYNC_FILE_RANGE_WRITE);
    }
#endif
    return status;
}

/* The descriptor takes whole pages only: what is less goes to another one of the same file, which
 * is returned. Where there is none, this one is made to take all. */
int usw_merge_open_again(usw_ext_merge *m)
{
    int other = usw_ext_open_again(m->fd, O_WRONLY);
    if (other < 0) {
        (void)fcntl(m->fd, F_SETFL, fcntl(m->fd, F_GETFL) & ~O_DIRECT);
        return -1;
    }
    uint64_t bytes = 0;
    for (size_t i = 0; i < m->x->run_count; i++) {
        bytes += m->x->runs[i].raw;
    }
    bool apart = m->x->order.element == 0 || (m->x->direct && m->begin % 8 == 0);
    m->direct = m->way == USW_TO_PLACES && apart ? m->fd : -1;
    m->fd = other;
    if (m->direct >= 0 && bytes > 0) { /* or threads would wait for one another at its end */
        (void)fallocate(other, 0, (off_t)m->begin, (off_t)bytes);
    }
    return other;
}
