/* parallel.c - starts threads for one loop, hands its tasks out by an atomic counter, and joins
 * them. Starting a thread takes some 20 us, which is nothing beside the megabytes of a task. */
/* SPDX-License-Identifier: MIT */
#include "io/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

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

unsigned io_processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) < 1) {
        return 1;
    }
    return (unsigned)CPU_COUNT(&set);
}
