/* parallel.c - starts threads for one loop, hands its tasks out by an atomic counter, and joins
 * them; and the thread that ticks. Starting a thread takes some 20 us, which is nothing beside the
 * megabytes of a task. */
/* SPDX-License-Identifier: MIT */
#include "io/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

typedef struct loop {
    io_task task;
    void *context;
    size_t tasks;
    atomic_size_t next;
    atomic_uint lanes;
} loop;

static void *run(void *argument)
{
    loop *l = argument;
    unsigned lane = atomic_fetch_add(&l->lanes, 1);
    for (;;) {
        size_t i = atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed);
        if (i >= l->tasks) {
            return NULL;
        }
        l->task(l->context, i, lane);
    }
}

void io_parallel(unsigned threads, size_t tasks, io_task task, void *context)
{
    loop l = {.task = task, .context = context, .tasks = tasks};
    pthread_t started[IO_LANES_MAX];
    unsigned wanted = threads < IO_LANES_MAX ? threads : IO_LANES_MAX, count = 0;
    while (count + 1 < wanted && count + 1 < tasks &&
           pthread_create(&started[count], NULL, run, &l) == 0) {
        count++;
    }
    run(&l);
    for (unsigned i = 0; i < count; i++) {
        pthread_join(started[i], NULL);
    }
}

struct io_ticker {
    void (*tick)(void *context);
    void *context;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool ended;
};

static void *tick_on(void *argument)
{
    enum { EVERY_NS = 250000000, SECOND_NS = 1000000000 };
    io_ticker *t = argument;
    pthread_mutex_lock(&t->lock);
    while (!t->ended) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += EVERY_NS;
        until.tv_sec += until.tv_nsec / SECOND_NS;
        until.tv_nsec %= SECOND_NS;
        (void)pthread_cond_timedwait(&t->changed, &t->lock, &until);
        t->tick(t->context);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

static void free_ticker(io_ticker *t)
{
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

io_ticker *io_ticker_start(void (*tick)(void *context), void *context)
{
    io_ticker *t = calloc(1, sizeof *t);
    if (t == NULL) {
        return NULL;
    }
    t->tick = tick;
    t->context = context;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, NULL);
    if (pthread_create(&t->thread, NULL, tick_on, t) != 0) {
        free_ticker(t);
        return NULL;
    }
    return t;
}

void io_ticker_end(io_ticker *t)
{
    if (t == NULL) {
        return;
    }
    pthread_mutex_lock(&t->lock);
    t->ended = true;
    pthread_cond_signal(&t->changed);
    pthread_mutex_unlock(&t->lock);
    pthread_join(t->thread, NULL);
    free_ticker(t);
}

unsigned io_processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) < 1) {
        return 1;
    }
    return (unsigned)CPU_COUNT(&set);
}
