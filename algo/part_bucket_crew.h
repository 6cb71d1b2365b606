/* part_bucket_crew.h - what the threads of one search share (part_bucket_shared.h), for all kinds
 * of weights. Included once by path_bucket_cpu.h. */

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
    chunk **out; /* offers to each of the others, one chunk at a time, or NULL */
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
} crew;

static inline size_t owner_of(const crew *c, uint32_t v)
{
    return c->owner[v >> c->block_shift];
}

/* Hands the chunk of offers for member `to` over. */
static void send(crew *c, member *m, size_t to)
{
    chunk *out = m->out[to];
    if (out == NULL) {
        return;
    }
    out->used = (size_t)(m->out_tail[to] - (unsigned char *)out);
    m->out[to] = NULL;
    atomic_fetch_add_explicit(&c->pending, 1, memory_order_relaxed);
    member *other = &c->member[to];
    chunk *next = atomic_load_explicit(&other->inbox, memory_order_relaxed);
    do {
        out->next = next;
    } while (!atomic_compare_exchange_weak_explicit(&other->inbox, &next, out, memory_order_release,
                                                    memory_order_relaxed));
}

static void send_all(crew *c, member *m)
{
    for (size_t to = 0; to < c->threads; to++) {
        send(c, m, to);
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
