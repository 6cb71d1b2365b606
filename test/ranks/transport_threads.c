/* transport_threads.c - ranks that are threads: each says where its data is, all wait for one
 * another, and each takes what is its own. A reduction is shared: every rank adds up a slice of
 * it. */
/* SPDX-License-Identifier: MIT */
#include "test/ranks/transport_threads.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct seat {
    usw_transport t;
    const char *send;
    const uint64_t *send_counts;
    uint64_t *values;
    struct world *world;
} seat;

typedef struct world {
    int size;
    pthread_mutex_t lock;
    pthread_cond_t turn;
    int waiting;
    uint64_t turns;
    seat *seats;
    rank_body body;
    void *context;
} world;

static void meet(world *w)
{
    pthread_mutex_lock(&w->lock);
    uint64_t turn = w->turns;
    if (++w->waiting == w->size) {
        w->waiting = 0;
        w->turns++;
        pthread_cond_broadcast(&w->turn);
    }
    while (w->turns == turn) {
        pthread_cond_wait(&w->turn, &w->lock);
    }
    pthread_mutex_unlock(&w->lock);
}

static int threads_alltoallv(usw_transport *t, const void *send, const uint64_t *send_counts,
                             void *recv, const uint64_t *recv_counts, size_t bytes)
{
    seat *s = t->context;
    world *w = s->world;
    s->send = send;
    s->send_counts = send_counts;
    t->calls++;
    meet(w);
    char *to = recv;
    for (int q = 0; q < w->size; q++) {
        const seat *from = &w->seats[q];
        uint64_t at = 0, count = from->send_counts[t->rank];
        if (count != recv_counts[q]) {
            fprintf(stderr, "rank %d expects %llu elements of rank %d, and gets %llu\n", t->rank,
                    (unsigned long long)recv_counts[q], q, (unsigned long long)count);
            abort();
        }
        if (count > 0) {
            for (int r = 0; r < t->rank; r++) {
                at += from->send_counts[r];
            }
            memcpy(to, from->send + at * bytes, count * bytes);
            to += count * bytes;
        }
        t->sent_bytes += q != t->rank ? send_counts[q] * bytes : 0;
    }
    meet(w);
    return 0;
}

static int threads_allreduce(usw_transport *t, uint64_t *values, size_t count, usw_reduction how)
{
    seat *s = t->context;
    world *w = s->world;
    s->values = values;
    t->calls++;
    t->reduced_bytes += count * sizeof *values;
    meet(w);
    size_t size = (size_t)w->size;
    size_t begin = count * (size_t)t->rank / size, end = count * ((size_t)t->rank + 1) / size;
    for (size_t i = begin; i < end; i++) {
        uint64_t all = w->seats[0].values[i];
        for (size_t q = 1; q < size; q++) {
            uint64_t v = w->seats[q].values[i];
            all = how == USW_SUM ? all + v : how == USW_BITS ? (all | v) : all > v ? all : v;
        }
        for (size_t q = 0; q < size; q++) {
            w->seats[q].values[i] = all;
        }
    }
    meet(w);
    return 0;
}

static int threads_exscan(usw_transport *t, uint64_t *values, size_t count)
{
    seat *s = t->context;
    world *w = s->world;
    s->values = values;
    t->calls++;
    t->reduced_bytes += count * sizeof *values;
    meet(w);
    size_t size = (size_t)w->size;
    size_t begin = count * (size_t)t->rank / size, end = count * ((size_t)t->rank + 1) / size;
    for (size_t i = begin; i < end; i++) {
        uint64_t before = 0;
        for (size_t q = 0; q < size; q++) {
            uint64_t v = w->seats[q].values[i];
            w->seats[q].values[i] = before;
            before += v;
        }
    }
    meet(w);
    return 0;
}

static int threads_barrier(usw_transport *t)
{
    t->calls++;
    meet(((seat *)t->context)->world);
    return 0;
}

static void threads_say(usw_transport *t, char *text, size_t room)
{
    (void)t;
    snprintf(text, room, "threads do not fail");
}

static void *run_rank(void *context)
{
    seat *s = context;
    s->world->body(&s->t, s->world->context);
    return NULL;
}

void run_ranks(int size, rank_body body, void *context)
{
    world w = {.size = size, .body = body, .context = context};
    pthread_t *threads = calloc((size_t)size, sizeof *threads);
    w.seats = calloc((size_t)size, sizeof *w.seats);
    pthread_mutex_init(&w.lock, NULL);
    pthread_cond_init(&w.turn, NULL);
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 20);
    for (int r = 0; r < size; r++) {
        w.seats[r].world = &w;
        w.seats[r].t = (usw_transport){.rank = r,
                                       .size = size,
                                       .alltoallv = threads_alltoallv,
                                       .allreduce = threads_allreduce,
                                       .exscan = threads_exscan,
                                       .barrier = threads_barrier,
                                       .say = threads_say,
                                       .context = &w.seats[r]};
        if (pthread_create(&threads[r], &small, run_rank, &w.seats[r]) != 0) {
            fprintf(stderr, "no thread for rank %d\n", r);
            abort();
        }
    }
    for (int r = 0; r < size; r++) {
        pthread_join(threads[r], NULL);
    }
    pthread_attr_destroy(&small);
    pthread_cond_destroy(&w.turn);
    pthread_mutex_destroy(&w.lock);
    free(w.seats);
    free(threads);
}
