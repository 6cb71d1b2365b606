/* threads.c - the one room with threads: a fork-join pool that lives in the handle.
 *
 * usw_parallel publishes a batch (task, context, count) under the lock, wakes the workers, takes
 * part itself, and waits until every worker that joined the batch has left it. Tasks are handed out
 * by an atomic counter, so uneven tasks balance themselves. Batches follow one another closely
 * within a call, and to wake a sleeping thread takes as long as to sort ten thousand keys: so a
 * thread that waits looks again for some microseconds before it sleeps. */
#include "frame.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { MOMENTS = 1000 }; /* 10 to 50 microseconds */

typedef struct worker {
    pthread_t thread;
    usw_pool *pool;
    unsigned lane;
} worker;

struct usw_pool {
    pthread_mutex_t lock;
    pthread_cond_t start, done;
    atomic_uint_fast64_t batch; /* number of the current batch: workers wait for a change */
    bool open;                  /* workers may still join the batch */
    atomic_bool quit;
    atomic_uint inside; /* workers that are in the batch */
    unsigned moments;   /* how often to look again before sleeping */
    usw_task task;
    void *context;
    size_t tasks;
    atomic_size_t next;
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

static void await_batch(usw_pool *p, uint64_t seen)
{
    for (unsigned i = 0; i < p->moments && atomic_load(&p->batch) == seen && !atomic_load(&p->quit);
         i++) {
        moment();
    }
}

static void *work(void *argument)
{
    worker *w = argument;
    usw_pool *p = w->pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&p->lock);
    while (!p->quit) {
        if (p->batch == seen || !p->open) {
            seen = p->batch; /* one that was missed is over */
            pthread_cond_wait(&p->start, &p->lock);
            continue;
        }
        seen = p->batch;
        p->inside++;
        usw_task task = p->task;
        void *context = p->context;
        size_t tasks = p->tasks;
        pthread_mutex_unlock(&p->lock);
        take_tasks(p, task, context, tasks, w->lane);
        pthread_mutex_lock(&p->lock);
        if (--p->inside == 0) {
            pthread_cond_signal(&p->done);
        }
        pthread_mutex_unlock(&p->lock);
        await_batch(p, seen);
        pthread_mutex_lock(&p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Starts up to u->threads - 1 workers; fewer, even none, is no error. */
static usw_pool *pool_new(upsweep *u)
{
    unsigned wanted = u->threads - 1;
    usw_pool *p = calloc(1, sizeof *p + wanted * sizeof p->worker[0]);
    if (p == NULL) {
        return NULL;
    }
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->start, NULL);
    pthread_cond_init(&p->done, NULL);
    p->moments = u->threads <= usw_core_count() ? MOMENTS : 0; /* else it would keep others out */
    for (unsigned i = 0; i < wanted; i++) {
        worker *w = &p->worker[p->workers];
        *w = (worker){.pool = p, .lane = p->workers + 1};
        if (pthread_create(&w->thread, NULL, work, w) != 0) {
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
    pthread_mutex_lock(&p->lock);
    p->quit = true;
    pthread_cond_broadcast(&p->start);
    pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->workers; i++) {
        pthread_join(p->worker[i].thread, NULL);
    }
    pthread_cond_destroy(&p->start);
    pthread_cond_destroy(&p->done);
    pthread_mutex_destroy(&p->lock);
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
    return u->pool == NULL ? 1 : u->pool->workers + 1;
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
    pthread_mutex_lock(&p->lock);
    p->task = task;
    p->context = context;
    p->tasks = tasks;
    atomic_store_explicit(&p->next, 0, memory_order_relaxed);
    p->batch++;
    p->open = true;
    pthread_cond_broadcast(&p->start);
    pthread_mutex_unlock(&p->lock);
    take_tasks(p, task, context, tasks, 0);
    for (unsigned i = 0; i < p->moments && atomic_load(&p->inside) > 0; i++) {
        moment();
    }
    pthread_mutex_lock(&p->lock);
    p->open = false; /* a worker that wakes only now has nothing left to do */
    while (p->inside > 0) {
        pthread_cond_wait(&p->done, &p->lock);
    }
    pthread_mutex_unlock(&p->lock);
}
