/* bucket_threads_state.h - what the threads of one search share (cpu/paths/bucket_threads.h):
 * owners of vertices, inboxes, chunks of memory, and how a search ends. The same for all kinds of
 * weights; included once by algo/path_bucket_cpu.h. */
/* SPDX-License-Identifier: MIT */

#include <stdatomic.h>

enum {
    LEAD = 1,             /* buckets that a thread may be ahead of the slowest one */
    THREADS_MOST = 255,   /* threads */
    BLOCKS_A_THREAD = 32, /* blocks of vertices that each owns, where there are enough */
    /* From so many vertices on, blocks have at least 2^BLOCK_LEAST vertices: neighbours mostly have
     * one owner. */
    LARGE_VERTICES = 1 << 18,
    BLOCK_LEAST = 13,
    TURNS = 64, /* of waiting, before the processor is given to others and the clock is read */
    HELD_UP_NS = 1000 * 1000, /* without any work of others */
    VERTEX_NS = 100,          /* more than one thread takes for a vertex, and for an arc */
    ARC_NS = 10
};

/* What one thread has. No other thread uses its queue or writes the distances of its vertices. */
typedef struct search_thread {
    _Alignas(64) atomic_uint_least64_t current; /* its bucket; UINT64_MAX: all are empty */
    _Alignas(64) _Atomic(chunk *) inbox; /* offers from others, chunk after chunk, newest first */
    _Alignas(64) queue *q;
    uint64_t last; /* the least bucket of any other thread, as last_of_others said */
    chunk **out;   /* [thread] a chunk of offers to it that is not sent yet, or NULL */
    unsigned char **out_tail;
    size_t reached; /* vertices of its own */
    arcs_left left;
} search_thread;

typedef struct search_threads {
    search_thread *thread;
    size_t count;
    bool patient;                       /* threads are waited for, however long */
    uint64_t until_ns;                  /* else until then: one thread would have been done */
    unsigned block_shift;               /* vertices v >> block_shift lie in one block */
    unsigned char *owner;               /* [block] the thread that owns it */
    _Alignas(64) atomic_size_t pending; /* threads at work, and chunks on their way */
    atomic_bool failed, held_up;    /* held up: given up, since other threads got no processor */
    _Alignas(64) atomic_bool taken; /* a lock: one thread may use lent and slab */
    chunk *lent;                    /* chunks that threads with too many gave back */
    unsigned char *slab;            /* memory for chunks, not used yet */
    size_t slab_left;
} search_threads;

static inline size_t owner_of(const search_threads *c, uint32_t v)
{
    return c->owner[v >> c->block_shift];
}

static void take_turn(search_threads *c)
{
    for (unsigned turn = 0; atomic_exchange_explicit(&c->taken, true, memory_order_acquire);
         turn++) {
        usw_wait_a_little(turn);
    }
}

/* A chunk stays with the thread that receives it, so some threads end up with many chunks and
 * others with none. So all threads take chunks from one slab, and give back those beyond 2 * LENT.
 * The caller holds at least LENT spare chunks. */
static void lend_chunks(queue *q)
{
    search_threads *c = q->threads;
    chunk *first = q->spare, *last = first;
    for (size_t k = 1; k < LENT; k++) {
        last = last->next;
    }
    q->spare = last->next;
    q->spares -= LENT;
    take_turn(c);
    last->next = c->lent;
    c->lent = first;
    atomic_store_explicit(&c->taken, false, memory_order_release);
}

static void borrow_chunks(queue *q)
{
    search_threads *c = q->threads;
    take_turn(c);
    for (; q->spares < LENT && (c->lent != NULL || c->slab_left >= CHUNK); q->spares++) {
        chunk *one = c->lent;
        if (one != NULL) {
            c->lent = one->next;
        } else {
            one = (chunk *)(void *)c->slab;
            c->slab += CHUNK;
            c->slab_left -= CHUNK;
        }
        one->next = q->spare;
        q->spare = one;
    }
    atomic_store_explicit(&c->taken, false, memory_order_release);
}

/* Puts the chunk of offers for thread `to` into its inbox; c->pending counts the chunk already. */
static void hand_over(search_threads *c, search_thread *m, size_t to)
{
    chunk *out = m->out[to];
    out->used = (size_t)(m->out_tail[to] - (unsigned char *)out);
    m->out[to] = NULL;
    search_thread *other = &c->thread[to];
    chunk *next = atomic_load_explicit(&other->inbox, memory_order_relaxed);
    do {
        out->next = next;
    } while (!atomic_compare_exchange_weak_explicit(&other->inbox, &next, out, memory_order_release,
                                                    memory_order_relaxed));
}

static void send(search_threads *c, search_thread *m, size_t to)
{
    atomic_fetch_add_explicit(&c->pending, 1, memory_order_relaxed);
    hand_over(c, m, to);
}

static void send_all(search_threads *c, search_thread *m)
{
    size_t count = 0;
    for (size_t to = 0; to < c->count; to++) {
        count += m->out[to] != NULL;
    }
    if (count == 0) {
        return;
    }
    atomic_fetch_add_explicit(&c->pending, count, memory_order_relaxed);
    for (size_t to = 0; to < c->count; to++) {
        if (m->out[to] != NULL) {
            hand_over(c, m, to);
        }
    }
}

/* The least bucket that any thread but m works on. */
static uint64_t last_of_others(const search_threads *c, const search_thread *m)
{
    uint64_t least = UINT64_MAX;
    for (size_t t = 0; t < c->count; t++) {
        if (&c->thread[t] != m) {
            uint64_t k = atomic_load_explicit(&c->thread[t].current, memory_order_relaxed);
            least = k < least ? k : least;
        }
    }
    return least;
}

/* Whether bucket k is too far ahead of what some other thread works on. Threads mostly advance, so
 * their buckets are read again only where m->last, which is from before, would say yes. */
static bool is_ahead(const search_threads *c, search_thread *m, uint64_t k)
{
    if (k > m->last && k - m->last > LEAD) {
        m->last = usw_min(last_of_others(c, m), k);
    }
    return k > m->last && k - m->last > LEAD;
}

/* What a waiting thread has seen of the others. */
typedef struct watch {
    size_t worked; /* entries, by all others */
    uint64_t since_ns;
} watch;

/* How long threads share a search before it is given up: a quarter more than one thread took, and
 * while that is not known what one surely needs no more than. */
static uint64_t time_for(const upsweep *u, const upsweep_graph *g)
{
    const usw_sharing *s = &u->sharing[USW_SHARED_PATHS];
    uint64_t most = VERTEX_NS * (uint64_t)g->vertices + ARC_NS * (uint64_t)g->arcs;
    bool known = s->work == g->vertices + g->arcs && s->ns[0] != 0;
    return known ? usw_min(most, s->ns[0] + s->ns[0] / 4) : most;
}

/* Waits a little. Where no other thread has worked for a while although one has work, or the time
 * is over, other programs keep them from a processor, and may do so again and again: then the
 * search is given up, and one thread makes it. */
static void wait_and_watch(search_threads *c, const search_thread *m, unsigned turn, watch *w)
{
    usw_wait_a_little(turn);
    if (turn < TURNS || c->patient) {
        return;
    }
    size_t worked = 0;
    for (size_t t = 0; t < c->count; t++) {
        worked += &c->thread[t] == m
                      ? 0
                      : atomic_load_explicit(&c->thread[t].q->worked, memory_order_relaxed);
    }
    uint64_t now = usw_now_ns();
    if (now < c->until_ns && (turn == TURNS || worked != w->worked)) {
        *w = (watch){worked, now};
    } else if (now >= c->until_ns || now - w->since_ns > HELD_UP_NS) {
        atomic_store(&c->held_up, true);
        atomic_store(&c->failed, true);
    }
}

/* Waits for offers. False if the search failed or is over: no thread works, and no chunk is under
 * way. */
static bool wait_for_offers(search_threads *c, search_thread *m)
{
    atomic_store_explicit(&m->current, UINT64_MAX, memory_order_relaxed);
    atomic_fetch_sub_explicit(&c->pending, 1, memory_order_acq_rel);
    watch w = {0, 0};
    for (unsigned turn = 0;; turn++) {
        if (atomic_load_explicit(&c->failed, memory_order_relaxed) ||
            atomic_load_explicit(&c->pending, memory_order_acquire) == 0) {
            return false;
        }
        /* pending counts a chunk in the inbox until it is read, so it cannot reach 0 in between. */
        if (atomic_load_explicit(&m->inbox, memory_order_relaxed) != NULL) {
            atomic_fetch_add_explicit(&c->pending, 1, memory_order_relaxed);
            return true;
        }
        wait_and_watch(c, m, turn, &w);
    }
}
