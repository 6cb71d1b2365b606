/* threads.c - the only file that starts threads: a fork-join pool that lives in the handle.
 *
 * usw_parallel publishes a batch (task, context, count), wakes the workers, takes part itself, and
 * waits until every worker that joined the batch has left it. Tasks are handed out by an atomic
 * counter, so uneven tasks balance themselves. Batches follow one another closely within a call,
 * and to wake a sleeping thread takes as long as to sort ten thousand keys: so a thread that waits
 * looks again for some microseconds before it sleeps. Joining and leaving are one atomic step each:
 * were they under a lock, many workers that come at once would put one another to sleep. */
/* SPDX-License-Identifier: MIT */
#include "core/frame.h"

#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    MOMENTS = 1000, /* 10 to 50 microseconds */
    THREADS = 16,   /* a handle of a build for tests may have, on a machine with few cores */
    OFFERED = 4,
    SHARE_MIN = 16 * 1024 /* threads for tuning.thread_bytes of work; bytes */
};

/* The state of a pool, one word: workers in the batch, whether more may join, its number. */
#define INSIDE UINT64_C(0xffff)
#define OPEN UINT64_C(0x10000)
#define BATCH UINT64_C(0x20000)

/* A thread that waits. Who sets asleep from true to false posts, and nobody else. */
typedef struct sleeper {
    _Alignas(64) atomic_bool asleep;
    sem_t wake;
} sleeper;

typedef struct worker {
    sleeper rest;
    pthread_t thread;
    usw_pool *pool;
    unsigned lane;
} worker;

struct usw_pool {
    _Alignas(64) atomic_uint_fast64_t state;
    /* Written before the state that opens a batch: who reads one of an older batch cannot join. */
    atomic_uint lanes; /* a worker whose lane is not below takes no part */
    _Alignas(64) atomic_size_t next;
    _Alignas(64) sleeper caller;
    atomic_bool quit;
    unsigned moments; /* how often to look again before sleeping */
    usw_task task;    /* these are written while nobody is inside */
    void *context;
    size_t tasks;
    USW_CALL_FIELD
    unsigned workers;
    worker worker[];
};

/* Set while a thread runs a task, so that a nested call runs serially: on the same lane if it is of
 * the same handle, else, since lanes number the threads of one handle, on lane 0. */
static _Thread_local const usw_pool *inside_pool;
static _Thread_local unsigned inside_lane;

static void take_tasks(usw_pool *p, usw_task task, void *context, size_t tasks, unsigned lane)
{
    inside_pool = p;
    inside_lane = lane;
    for (;;) {
        size_t i = atomic_fetch_add_explicit(&p->next, 1, memory_order_relaxed);
        if (i >= tasks) {
            break;
        }
        task(context, i, lane);
    }
    inside_pool = NULL;
}

static void moment(void)
{
#if USW_HAVE_X86
    __builtin_ia32_pause();
#endif
}

static void wake(sleeper *s)
{
    if (atomic_load(&s->asleep) && atomic_exchange(&s->asleep, false)) {
        (void)sem_post(&s->wake);
    }
}

/* Looks whether `due` for some moments, then sleeps until it is; whoever makes it so calls wake
 * afterwards. */
static void await(usw_pool *p, sleeper *s, bool (*due)(const usw_pool *p, uint64_t seen),
                  uint64_t seen)
{
    for (unsigned i = 0; i < p->moments; i++) {
        if (due(p, seen)) {
            return;
        }
        moment();
    }
    while (!due(p, seen)) {
        atomic_store(&s->asleep, true);
        if (due(p, seen) && atomic_exchange(&s->asleep, false)) {
            return;
        }
        while (sem_wait(&s->wake) != 0) { /* interrupted */
        }
    }
}

/* There is a batch to join, other than number `seen`, or nothing will ever be. */
static bool has_news(const usw_pool *p, uint64_t seen)
{
    uint64_t state = atomic_load(&p->state);
    return ((state & OPEN) != 0 && state / BATCH != seen) || atomic_load(&p->quit);
}

static bool is_empty(const usw_pool *p, uint64_t seen)
{
    (void)seen;
    return (atomic_load(&p->state) & INSIDE) == 0;
}

/* Whether the worker is now in a batch, whose number *seen gets; else it was missed, or is full. */
static bool join(worker *w, uint64_t *seen)
{
    usw_pool *p = w->pool;
    uint64_t state = atomic_load(&p->state);
    while ((state & OPEN) != 0 && state / BATCH != *seen) {
        if (w->lane >= atomic_load(&p->lanes)) {
            *seen = state / BATCH;
            return false;
        }
        if (atomic_compare_exchange_weak(&p->state, &state, state + 1)) {
            *seen = state / BATCH;
            return true;
        }
    }
    return false;
}

static void *work(void *argument)
{
    worker *w = argument;
    usw_pool *p = w->pool;
    uint64_t seen = 0;
    for (await(p, &w->rest, has_news, seen); !atomic_load(&p->quit);
         await(p, &w->rest, has_news, seen)) {
        if (!join(w, &seen)) {
            continue;
        }
        USW_CALL_FROM(p);
        take_tasks(p, p->task, p->context, p->tasks, w->lane);
        if (((atomic_fetch_sub(&p->state, 1) - 1) & INSIDE) == 0) {
            wake(&p->caller);
        }
    }
    return NULL;
}

static bool sleeper_init(sleeper *s)
{
    atomic_init(&s->asleep, false);
    return sem_init(&s->wake, 0, 0) == 0;
}

/* Starts up to u->threads_most - 1 workers; fewer, even none, is no error. */
static usw_pool *pool_new(upsweep *u)
{
    unsigned wanted = (unsigned)usw_min(u->threads_most - 1, INSIDE);
    size_t bytes = sizeof(usw_pool) + wanted * sizeof(worker);
    usw_pool *p = aligned_alloc(_Alignof(usw_pool), bytes);
    if (p == NULL) {
        return NULL;
    }
    memset(p, 0, bytes);
    if (!sleeper_init(&p->caller)) {
        free(p);
        return NULL;
    }
    p->moments = wanted < usw_core_count() ? MOMENTS : 0; /* else it would keep others out */
    for (unsigned i = 0; i < wanted; i++) {
        worker *w = &p->worker[p->workers];
        w->pool = p;
        w->lane = p->workers + 1;
        if (!sleeper_init(&w->rest)) {
            break;
        }
        if (pthread_create(&w->thread, NULL, work, w) != 0) {
            (void)sem_destroy(&w->rest.wake);
            break;
        }
        p->workers++;
    }
    return p;
}

void usw_pool_free(upsweep *u)
{
    usw_pool *p = u->pool;
    if (p == NULL) {
        return;
    }
    u->pool = NULL;
    atomic_store(&p->quit, true);
    for (unsigned i = 0; i < p->workers; i++) {
        wake(&p->worker[i].rest);
        pthread_join(p->worker[i].thread, NULL);
        (void)sem_destroy(&p->worker[i].rest.wake);
    }
    (void)sem_destroy(&p->caller.wake);
    free(p);
}

static void run_serially(size_t tasks, usw_task task, void *context, unsigned lane)
{
    for (size_t i = 0; i < tasks; i++) {
        task(context, i, lane);
    }
}

unsigned usw_parallel_threads(upsweep *u)
{
    if (inside_pool != NULL || u->threads == 1) {
        return 1;
    }
    if (u->pool == NULL) {
        u->pool = pool_new(u);
    }
    return u->pool == NULL ? 1 : (unsigned)usw_min(u->pool->workers + 1, u->threads);
}

/* More threads than this many cores have work for only wait for one another, and each has a share
 * of every table: a handle has no more than there are cores, but in builds for tests. */
void usw_count_threads(upsweep *u, unsigned wanted)
{
    size_t cores = usw_core_count(), most = cores;
#ifdef USW_CHECKED
    most = usw_max(2 * cores, THREADS);
#endif
    u->threads = u->threads_most = (unsigned)(wanted == 0 ? cores : usw_min(wanted, most));
    u->threads_least = most == cores ? 1 : u->threads_most;
}

/* k threads do 1/k of the work each, but are woken in turn: least where k is the work's root. */
void usw_offer_threads(upsweep *u, size_t bytes)
{
    size_t share = usw_max(u->tuning.thread_bytes / (OFFERED * OFFERED), SHARE_MIN), pay = 1;
    size_t most = bytes < u->tuning.thread_bytes ? 1 : bytes / share;
    while (pay < u->threads_most && (pay + 1) * (pay + 1) <= most) {
        pay++;
    }
    u->threads = (unsigned)usw_min(u->threads_most, usw_max(u->threads_least, pay));
}

void usw_wait_a_little(unsigned turn)
{
    if (turn >= 64) {
        (void)sched_yield();
    } else {
        moment();
    }
}

void usw_parallel(upsweep *u, size_t tasks, usw_task task, void *context)
{
    bool same = inside_pool != NULL && inside_pool == u->pool;
    if (inside_pool != NULL || u->threads == 1 || tasks < 2) {
        run_serially(tasks, task, context, same ? inside_lane : 0);
        return;
    }
    if (u->pool == NULL) {
        u->pool = pool_new(u);
    }
    usw_pool *p = u->pool;
    if (p == NULL || p->workers == 0) {
        run_serially(tasks, task, context, 0);
        return;
    }
    p->task = task;
    p->context = context;
    p->tasks = tasks;
    USW_CALL_TO(p);
    atomic_store_explicit(&p->next, 0, memory_order_relaxed);
    atomic_store(&p->lanes, u->threads);
    atomic_store(&p->state, (atomic_load(&p->state) / BATCH + 1) * BATCH | OPEN);
    size_t helpers = usw_min(usw_min(p->workers, u->threads - 1), tasks - 1);
    for (size_t i = 0; i < helpers; i++) {
        wake(&p->worker[i].rest);
    }
    take_tasks(p, task, context, tasks, 0);
    atomic_fetch_and(&p->state, ~OPEN); /* who comes only now has nothing left to do */
    await(p, &p->caller, is_empty, 0);
}
