/* bucket_threads_state.h - what the threads of one search share (cpu/paths/bucket_threads.h), for
 * all kinds of weights. Included once by path_bucket_cpu.h. */

#include <stdatomic.h>

enum {
    LEAD = 1,             /* buckets that a thread may be ahead of the last one */
    CREW_MOST = 255,      /* threads */
    BLOCKS_A_THREAD = 32, /* stretches of vertices that each owns, where there are enough */
    /* On large graphs stretches have at least 2^BLOCK_LEAST vertices: neighbours mostly have one
     * owner. */
    LARGE_CREW = 1 << 18,
    BLOCK_LEAST = 13
};

/* One thread's part. Only it touches its queue and writes the distances of its vertices. */
typedef struct member {
    _Alignas(64) atomic_uint_least64_t current; /* its bucket; UINT64_MAX: it has nothing to do */
    _Alignas(64) _Atomic(chunk *) inbox; /* offers from others, chunk after chunk, newest first */
    _Alignas(64) queue *q;
    uint64_t last; /* the least bucket of any other thread, when it was last looked for */
    chunk **out;   /* offers to each of the others, one chunk at a time, or NULL */
    unsigned char **out_tail;
    size_t reached; /* of its vertices */
    arcs_left left;
} member;

typedef struct crew {
    member *member;
    size_t threads;
    unsigned block_shift;               /* vertices v >> block_shift lie in one block */
    unsigned char *owner;               /* of each block */
    _Alignas(64) atomic_size_t pending; /* threads at work, and chunks on their way */
    atomic_bool failed;
    _Alignas(64) atomic_bool taken; /* by one thread, for some steps: what follows */
    chunk *lent;                    /* by those who had too many */
    unsigned char *slab;            /* chunks that nobody has had yet */
    size_t slab_left;
} crew;

static inline size_t owner_of(const crew *c, uint32_t v)
{
    return c->owner[v >> c->block_shift];
}

static void take_turn(crew *c)
{
    for (unsigned turn = 0; atomic_exchange_explicit(&c->taken, true, memory_order_acquire);
         turn++) {
        usw_wait_a_little(turn);
    }
}

/* Chunks go where offers go: some threads end up with many, and others with none. So they have them
 * from one slab, and give back what is too many. */
static void lend_chunks(queue *q)
{
    crew *c = q->crew;
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
    crew *c = q->crew;
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

/* Hands the chunk of offers for member `to` over; it is pending already. */
static void hand_over(crew *c, member *m, size_t to)
{
    chunk *out = m->out[to];
    out->used = (size_t)(m->out_tail[to] - (unsigned char *)out);
    m->out[to] = NULL;
    member *other = &c->member[to];
    chunk *next = atomic_load_explicit(&other->inbox, memory_order_relaxed);
    do {
        out->next = next;
    } while (!atomic_compare_exchange_weak_explicit(&other->inbox, &next, out, memory_order_release,
                                                    memory_order_relaxed));
}

static void send(crew *c, member *m, size_t to)
{
    atomic_fetch_add_explicit(&c->pending, 1, memory_order_relaxed);
    hand_over(c, m, to);
}

static void send_all(crew *c, member *m)
{
    size_t count = 0;
    for (size_t to = 0; to < c->threads; to++) {
        count += m->out[to] != NULL;
    }
    if (count == 0) {
        return;
    }
    atomic_fetch_add_explicit(&c->pending, count, memory_order_relaxed);
    for (size_t to = 0; to < c->threads; to++) {
        if (m->out[to] != NULL) {
            hand_over(c, m, to);
        }
    }
}

/* The least bucket that any other thread works on. */
static uint64_t last_of_others(const crew *c, const member *m)
{
    uint64_t least = UINT64_MAX;
    for (size_t t = 0; t < c->threads; t++) {
        if (&c->member[t] != m) {
            uint64_t k = atomic_load_explicit(&c->member[t].current, memory_order_relaxed);
            least = k < least ? k : least;
        }
    }
    return least;
}

/* Whether bucket k is too far ahead of what some other thread works on. They mostly go on, so they
 * are looked at only when what was seen the last time does not tell. */
static bool is_ahead(const crew *c, member *m, uint64_t k)
{
    if (k > m->last && k - m->last > LEAD) {
        m->last = usw_min(last_of_others(c, m), k);
    }
    return k > m->last && k - m->last > LEAD;
}

/* Waits for offers; false: there will be none, the search is over. */
static bool wait_for_offers(crew *c, member *m)
{
    atomic_store_explicit(&m->current, UINT64_MAX, memory_order_relaxed);
    atomic_fetch_sub_explicit(&c->pending, 1, memory_order_acq_rel);
    for (unsigned turn = 0;; turn++) {
        if (atomic_load_explicit(&c->failed, memory_order_relaxed) ||
            atomic_load_explicit(&c->pending, memory_order_acquire) == 0) {
            return false;
        }
        /* A chunk in the inbox is pending until it is read, so this thread counts in time. */
        if (atomic_load_explicit(&m->inbox, memory_order_relaxed) != NULL) {
            atomic_fetch_add_explicit(&c->pending, 1, memory_order_relaxed);
            return true;
        }
        usw_wait_a_little(turn);
    }
}
