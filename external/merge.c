/* merge.c - the last merge: threads take ranges in turn, and each writes its own to its place, or
 * waits until those before it have gone, where places are not known or there is only a stream. */
/* SPDX-License-Identifier: MIT */
#include "external/external.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    IN_FLIGHT = 256,       /* ranges whose end may wait for that of an earlier one */
    FREE_LEAST = 1 << 20,  /* bytes that are worth a call */
    RANGE_MOST = 24 << 20, /* larger ranges leave the cache and gain nothing */
    EARLY_BYTES = 8 << 20  /* after so many the disk begins to write */
};

/* What a merging thread does with its ranges. */
typedef enum merge_way { TO_PLACES, IN_ORDER, TO_PULLER } merge_way;

struct usw_ext_merge {
    upsweep_external *x;
    merge_way way;
    int fd;
    int direct;    /* the same file past the page cache, for whole pages; -1: not so */
    int64_t begin; /* of the output in fd; -1: it is no file */
    usw_ext_plan plan;
    unsigned threads, started;
    pthread_t ids[USW_EXT_WORKERS + 1];
    unsigned char *rooms;
    size_t room_bytes, output_bytes;
    double since;

    pthread_mutex_t lock; /* all below, and the plan */
    pthread_cond_t turned;
    unsigned next_room, running;
    uint64_t turn;      /* the range whose bytes may go */
    uint64_t out_bytes; /* that have gone, in order */
    bool ended[IN_FLIGHT];
    uint64_t low;              /* all ranges below it have ended */
    const unsigned char *held; /* for the puller, until it comes again */
    size_t held_bytes;
    bool has, lent; /* it is there; and the puller has it */
    bool stopped;
    int number; /* errno of the output */
};

/* ---- how much a range may take ---- */

size_t usw_ext_budget(const upsweep_external *x, const usw_ext_run *runs, size_t k,
                      unsigned threads, size_t output)
{
    size_t most = 0, own = usw_ext_range_bytes(x, k) + usw_ext_record_room(x) + 4096;
    for (size_t i = 0; i < k; i++) {
        most += runs[i].block_bytes_max;
    }
    size_t plan = usw_ext_plan_bytes(x, k);
    size_t room = x->work_bytes > plan ? (x->work_bytes - plan) / threads : 0;
    size_t taken = own + output;
    room = room > taken ? room - taken : 0;
    room = output == 0 ? room / 2 : room;
    return room / (threads > 1 ? 3 : 2) >= most + x->block_bytes ? room : 0;
}

/* ---- the end of a range ---- */

static void wake(usw_ext_merge *m)
{
    pthread_cond_broadcast(&m->turned);
}

/* Blocks that no range will read again go back to the file system. */
static void give_back(usw_ext_merge *m, const usw_ext_range *r)
{
    for (size_t i = 0; i < m->plan.k; i++) {
        usw_ext_run *run = &m->plan.runs[i];
        size_t end = r->stretches[i].end;
        uint64_t until = !r->upper.any ? run->raw : end == 0 ? 0 : run->blocks[end - 1].raw;
        if (until > run->freed && (until - run->freed >= FREE_LEAST || until == run->raw)) {
            usw_ext_give_back(m->x, run, run->freed, until);
            run->freed = until;
        }
    }
}

static void end_range(usw_ext_merge *m, const usw_ext_range *r)
{
    pthread_mutex_lock(&m->lock);
    m->ended[r->number % IN_FLIGHT] = true;
    uint64_t low = m->low;
    while (m->ended[low % IN_FLIGHT]) {
        m->ended[low % IN_FLIGHT] = false;
        low++;
    }
    m->low = low;
    atomic_fetch_add(&m->x->merged, r->raw);
    if (low == r->number + 1) {
        give_back(m, r);
    }
    wake(m);
    pthread_mutex_unlock(&m->lock);
}

/* ---- where bytes go ---- */

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

static upsweep_status give_to_puller(usw_ext_merge *m, const usw_ext_range *r,
                                     const usw_ext_sink *sink)
{
    pthread_mutex_lock(&m->lock);
    if (wait_for_turn(m, r->number) && sink->held > 0) {
        m->held = sink->buffer;
        m->held_bytes = sink->held;
        m->has = true;
        wake(m);
        while (m->has && !m->stopped) {
            pthread_cond_wait(&m->turned, &m->lock);
        }
    }
    m->turn++;
    wake(m);
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
        m->turn++;
        wake(m);
    }
    pthread_mutex_unlock(&m->lock);
    if (mine) {
        int number = usw_ext_write_all(m->fd, sink->buffer, sink->held, at);
        status = number == 0 ? UPSWEEP_OK : fail_output(m, number);
    }
    if (m->begin < 0) {
        pthread_mutex_lock(&m->lock);
        m->turn++;
        wake(m);
        pthread_mutex_unlock(&m->lock);
    }
    return status;
}

/* Of elements s sorts the range; it has room behind r up to `end`. */
static upsweep_status merge_one(usw_ext_merge *m, usw_ext_range *r, usw_ext_sorting *s,
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
    if (m->way != TO_PLACES) {
        status = elements ? UPSWEEP_OK : usw_ext_merge_range(r, &sink);
        return status != UPSWEEP_OK ? status
               : m->way == IN_ORDER ? write_in_turn(m, r, &sink)
                                    : give_to_puller(m, r, &sink);
    }
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
    if (status == UPSWEEP_OK && r->raw > 0 && m->direct < 0) { /* the disk starts now, and fsync has less to do */
        (void)sync_file_range(m->fd, m->begin + (int64_t)r->offset, (off_t)r->raw,
                              SYNC_FILE_RANGE_WRITE);
    }
#endif
    return status;
}

static void *merge_ranges(void *argument)
{
    usw_ext_merge *m = argument;
    usw_ext_range r;
    usw_ext_sorting sorting = {.u = NULL};
    bool none = false;
    upsweep_status status = UPSWEEP_OK;
    if (m->x->order.element != 0 && usw_ext_sorting_open(&sorting, m->x) != UPSWEEP_OK) {
        status = usw_ext_fail(m->x, UPSWEEP_ERROR_MEMORY, "no memory for a handle");
    }
    pthread_mutex_lock(&m->lock);
    unsigned char *room = m->rooms + m->next_room++ * m->room_bytes;
    usw_ext_range_open(&r, &m->plan, room + m->output_bytes);
    while (status == UPSWEEP_OK && !none && !m->stopped) {
        if (m->plan.given >= m->low + IN_FLIGHT) {
            pthread_cond_wait(&m->turned, &m->lock);
            continue;
        }
        r.number = m->plan.given;
        status = usw_ext_plan_range(&m->plan, r.stretches, &r.lower, &r.upper, &none);
        pthread_mutex_unlock(&m->lock);
        if (status == UPSWEEP_OK && !none) {
            status = merge_one(m, &r, &sorting, room, room + m->room_bytes);
            end_range(m, &r);
        }
        pthread_mutex_lock(&m->lock);
        m->stopped = m->stopped || status != UPSWEEP_OK;
    }
    m->stopped = m->stopped || status != UPSWEEP_OK;
    m->running--;
    wake(m);
    pthread_mutex_unlock(&m->lock);
    usw_ext_sorting_close(&sorting);
    return NULL;
}

/* ---- the merge as a whole ---- */

/* As many threads as ranges of a good size can be had for. */
static upsweep_status share_out(usw_ext_merge *m)
{
    upsweep_external *x = m->x;
    bool elements = x->order.element != 0, placed = m->way == TO_PLACES && !elements;
    size_t k = x->run_count, output = placed ? USW_EXT_WRITE : 0, budget = 0;
    unsigned threads = x->workers + 1;
    while (threads > 1 && (budget = usw_ext_budget(x, x->runs, k, threads, output)) == 0) {
        threads--;
    }
    budget = threads > 1 ? budget : usw_ext_budget(x, x->runs, k, 1, output);
    size_t enough = 0;
    for (size_t i = 0; i < k; i++) {
        enough += 8 * x->runs[i].block_bytes_max;
    }
    budget = usw_min(budget, usw_max(enough, RANGE_MOST));
    m->threads = threads;
    if (elements) { /* the other half is scratch, and some more */
        budget = budget > 3u << 19 ? budget - (1u << 20) : budget / 3 * 2;
    }
    m->output_bytes = placed ? output : elements ? 0 : budget + USW_EXT_SLACK;
    m->output_bytes = (m->output_bytes + 63) / 64 * 64;
    size_t page = USW_EXT_PAGE, plan = (usw_ext_plan_bytes(x, k) + page - 1) / page * page;
    m->rooms = x->work + plan;
    m->room_bytes = (x->work_bytes - plan) / threads / page * page;
    x->report.threads = threads;
    return usw_ext_plan_begin(&m->plan, x, x->runs, k, x->work, budget);
}

static usw_ext_merge *merge_new(upsweep_external *x, merge_way way, int fd, int64_t begin)
{
    usw_ext_merge *m = calloc(1, sizeof *m);
    if (m == NULL) {
        (void)usw_ext_fail(x, UPSWEEP_ERROR_MEMORY, "out of memory");
        return NULL;
    }
    *m = (usw_ext_merge){.x = x, .way = way, .fd = fd, .begin = begin, .since = usw_ext_seconds()};
    m->direct = -1;
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->turned, NULL);
    if (share_out(m) != UPSWEEP_OK) {
        usw_ext_merge_free(m);
        return NULL;
    }
    return m;
}

/* At least one thread is needed that is not the caller's if it pulls. */
static upsweep_status start(usw_ext_merge *m, unsigned count)
{
    m->running = count;
    while (m->started < count && pthread_create(&m->ids[m->started], NULL, merge_ranges, m) == 0) {
        m->started++;
    }
    pthread_mutex_lock(&m->lock);
    m->running -= count - m->started;
    pthread_mutex_unlock(&m->lock);
    return m->started > 0 || count == 0
               ? UPSWEEP_OK
               : usw_ext_fail(m->x, UPSWEEP_ERROR_MEMORY, "no thread can be started");
}

static void join(usw_ext_merge *m)
{
    while (m->started > 0) {
        pthread_join(m->ids[--m->started], NULL);
    }
    m->x->report.ranges = m->plan.given;
    m->x->report.merge_seconds += usw_ext_seconds() - m->since;
    m->since = usw_ext_seconds();
}

void usw_ext_merge_free(usw_ext_merge *m)
{
    if (m == NULL) {
        return;
    }
    pthread_mutex_lock(&m->lock);
    m->stopped = true;
    wake(m);
    pthread_mutex_unlock(&m->lock);
    join(m);
    pthread_cond_destroy(&m->turned);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

/* The descriptor takes whole pages only: what is less goes to another one of the same file, which is
 * returned. Where there is none, this one is made to take all. */
static int open_output_again(usw_ext_merge *m)
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
    m->direct = m->way == TO_PLACES && apart ? m->fd : -1;
    m->fd = other;
    if (m->direct >= 0 && bytes > 0) { /* or threads would wait for one another at its end */
        (void)fallocate(other, 0, (off_t)m->begin, (off_t)bytes);
    }
    return other;
}

upsweep_status usw_ext_merge_to(upsweep_external *x, int fd, int *number)
{
    struct stat status;
    int mode = fcntl(fd, F_GETFL);
    bool file =
        fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && mode >= 0 && (mode & O_APPEND) == 0;
    int64_t begin = file ? lseek(fd, 0, SEEK_CUR) : -1;
    merge_way way = begin < 0 || x->order.unique ? IN_ORDER : TO_PLACES;
    usw_ext_merge *m = merge_new(x, way, fd, begin);
    if (m == NULL) {
        return x->status;
    }
    int other = mode & O_DIRECT ? open_output_again(m) : -1;
    (void)start(m, m->threads - 1);
    pthread_mutex_lock(&m->lock);
    m->running++;
    pthread_mutex_unlock(&m->lock);
    (void)merge_ranges(m);
    join(m);
    uint64_t bytes = m->out_bytes;
    for (size_t i = 0; i < x->run_count && way == TO_PLACES; i++) {
        bytes += x->runs[i].raw;
    }
    if (begin >= 0 && !usw_ext_failed(x)) {
        (void)lseek(fd, begin + (int64_t)bytes, SEEK_SET);
    }
    *number = m->number;
    usw_ext_merge_free(m);
    if (other >= 0) {
        close(other);
    }
    return x->status;
}

upsweep_status usw_ext_merge_pull(upsweep_external *x, const void **records, size_t *bytes)
{
    if (x->merge == NULL) {
        x->merge = merge_new(x, TO_PULLER, -1, -1);
        if (x->merge == NULL || start(x->merge, x->merge->threads) != UPSWEEP_OK) {
            return x->status;
        }
    }
    usw_ext_merge *m = x->merge;
    pthread_mutex_lock(&m->lock);
    m->has = m->has && !m->lent;
    wake(m);
    while (!m->has && m->running > 0) {
        pthread_cond_wait(&m->turned, &m->lock);
    }
    *records = m->has ? m->held : NULL;
    *bytes = m->has ? m->held_bytes : 0;
    m->lent = m->has;
    pthread_mutex_unlock(&m->lock);
    return usw_ext_failed(x) ? x->status : UPSWEEP_OK;
}
