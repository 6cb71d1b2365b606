/* merge.c - the last merge: threads take ranges in turn, and each writes its own to its place, or
 * waits until those before it have gone, where places are not known or there is only a stream. */
/* SPDX-License-Identifier: MIT */
#include "external/merge.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FREE_LEAST = 1 << 20,  /* bytes that are worth a call */
    RANGE_MOST = 24 << 20, /* larger ranges leave the cache and gain nothing */
    LONG_PART = 32         /* of the memory, from which on records are long */
};

/* ---- how much a range may take ---- */

size_t usw_ext_budget(const upsweep_external *x, const usw_ext_run *runs, size_t k,
                      unsigned threads, size_t output)
{
    size_t most = 0, own = usw_ext_range_bytes(x, k, false) + usw_ext_record_room(x) + 4096;
    for (size_t i = 0; i < k; i++) {
        most += runs[i].block_bytes_max;
    }
    size_t plan = usw_ext_plan_bytes(x, k, false);
    size_t room = x->work_bytes > plan ? (x->work_bytes - plan) / threads : 0;
    size_t taken = own + output;
    room = room > taken ? room - taken : 0;
    room = output == 0 ? room / 2 : room;
    return room / (threads > 1 ? 3 : 2) >= most + x->block_bytes ? room : 0;
}

size_t usw_ext_tight_output(const upsweep_external *x)
{
    return usw_ext_record_room(x) + x->write_bytes;
}

/* Two runs need only to get on, block by block. */
size_t usw_ext_tight_budget(const upsweep_external *x, const usw_ext_run *runs, size_t k)
{
    size_t most = 0, record = usw_ext_record_room(x), page = USW_EXT_PAGE;
    for (size_t i = 0; i < k; i++) {
        most += runs[i].block_bytes_max;
    }
    size_t taken = usw_ext_plan_bytes(x, k, true) + usw_ext_range_bytes(x, k, true) +
                   usw_ext_tight_output(x) + 2 * page;
    size_t room = x->work_bytes > taken ? x->work_bytes - taken : 0;
    bool fits = room >= usw_max((k > 2 ? 2 : 1) * most, 2 * record);
    return fits && record >= x->work_bytes / LONG_PART ? room : 0;
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
        uint64_t until = !r->upper.any ? run->stored : end == 0 ? 0 : run->blocks[end - 1].stored;
        if (until > run->freed && (until - run->freed >= FREE_LEAST || until == run->stored)) {
            usw_ext_give_back(m->x, run, run->freed, until);
            run->freed = until;
        }
    }
}

static void end_range(usw_ext_merge *m, const usw_ext_range *r)
{
    pthread_mutex_lock(&m->lock);
    m->ended[r->number % USW_MERGE_IN_FLIGHT] = true;
    uint64_t low = m->low;
    while (m->ended[low % USW_MERGE_IN_FLIGHT]) {
        m->ended[low % USW_MERGE_IN_FLIGHT] = false;
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
        if (m->plan.given >= m->low + USW_MERGE_IN_FLIGHT) {
            pthread_cond_wait(&m->turned, &m->lock);
            continue;
        }
        r.number = m->plan.given;
        status = usw_ext_plan_range(&m->plan, r.stretches, &r.lower, &r.upper, &none);
        pthread_mutex_unlock(&m->lock);
        if (status == UPSWEEP_OK && !none) {
            status = usw_merge_one(m, &r, &sorting, room, room + m->room_bytes);
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
    bool elements = x->order.element != 0, placed = m->way == USW_TO_PLACES && !elements;
    size_t k = x->run_count, output = placed ? x->write_bytes : 0, budget = 0;
    /* Past the page cache threads wait for the disk, and others work meanwhile. */
    unsigned threads = x->direct ? 2 * x->workers + 1 : x->workers + 1;
    threads = (unsigned)usw_min(threads, USW_EXT_WORKERS);
    while (threads > 1 && (budget = usw_ext_budget(x, x->runs, k, threads, output)) == 0) {
        threads--;
    }
    budget = threads > 1 ? budget : usw_ext_budget(x, x->runs, k, 1, output);
    bool tight = budget == 0;
    budget = tight ? usw_ext_tight_budget(x, x->runs, k) : budget;
    size_t enough = 0;
    for (size_t i = 0; i < k; i++) {
        enough += 8 * x->runs[i].block_bytes_max;
    }
    budget = usw_min(budget, usw_max(enough, RANGE_MOST));
    m->threads = threads;
    if (elements) { /* the other half is scratch, and some more; two thirds hold the first blocks */
        budget -= usw_min((size_t)1 << 20, budget / 3);
    }
    m->output_bytes = placed     ? output
                      : elements ? 0
                      : tight    ? usw_ext_tight_output(x)
                                 : budget + USW_EXT_SLACK;
    m->output_bytes = (m->output_bytes + 63) / 64 * 64;
    size_t page = USW_EXT_PAGE, plan = (usw_ext_plan_bytes(x, k, tight) + page - 1) / page * page;
    m->rooms = x->work + plan;
    m->room_bytes = (x->work_bytes - plan) / threads / page * page;
    x->report.threads = threads;
    return usw_ext_plan_begin(&m->plan, x, x->runs, k, budget, tight);
}

static usw_ext_merge *merge_new(upsweep_external *x, usw_merge_way way, int fd, int64_t begin)
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

upsweep_status usw_ext_merge_to(upsweep_external *x, int fd, int *number)
{
    struct stat status;
    int mode = fcntl(fd, F_GETFL);
    bool file =
        fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && mode >= 0 && (mode & O_APPEND) == 0;
    int64_t begin = file ? lseek(fd, 0, SEEK_CUR) : -1;
    usw_merge_way way = begin < 0 || x->order.unique ? USW_IN_ORDER : USW_TO_PLACES;
    usw_ext_merge *m = merge_new(x, way, fd, begin);
    if (m == NULL) {
        return x->status;
    }
    int other = mode & O_DIRECT ? usw_merge_open_again(m) : -1;
    (void)start(m, m->threads - 1);
    pthread_mutex_lock(&m->lock);
    m->running++;
    pthread_mutex_unlock(&m->lock);
    (void)merge_ranges(m);
    join(m);
    uint64_t bytes = m->out_bytes;
    for (size_t i = 0; i < x->run_count && way == USW_TO_PLACES; i++) {
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
    return usw_ext_check_sources(x);
}

upsweep_status usw_ext_merge_pull(upsweep_external *x, const void **records, size_t *bytes)
{
    if (x->merge == NULL) {
        x->merge = merge_new(x, USW_TO_PULLER, -1, -1);
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
    return *bytes == 0 ? usw_ext_check_sources(x) : usw_ext_failed(x) ? x->status : UPSWEEP_OK;
}
