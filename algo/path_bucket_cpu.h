/* path_bucket_cpu.h - shortest paths by a queue of buckets that prefetches.
 *
 * Same as the explained form: vertices wait in buckets of width delta by their tentative distance,
 * and the least bucket is worked through until it stays empty. Differs: entries are never taken
 * out when a distance improves; they are met again and skipped. With buckets about as wide as a
 * typical arc this does little more work than Dijkstra's order would, and no heap.
 *
 * What bounds it is waiting: for memory, since each vertex means a look at its row, its arcs and
 * the distance of every head, all far apart; and for branches, since whether an arc improves its
 * head is what no processor can guess. So entries are worked on in batches, step by step, each step
 * asking for the cache lines of the next; and an arc that improves nothing is written down like any
 * other, only that the place is not counted as taken.
 *
 * On graphs with many arcs a vertex, cpu/paths/bucket_windows.h never looks at most of them; on
 * large graphs, cpu/paths/bucket_threads.h searches with several threads.
 *
 * Source: R. B. Dial, Algorithm 360, CACM 12, 1969 (buckets of width 1); U. Meyer, P. Sanders,
 * Delta-stepping, J. Algorithms 49, 2003 (wide buckets). */
/* SPDX-License-Identifier: MIT */
#include "cpu/body.h"
#include "core/paths.h"

enum {
    RING = 4096,  /* buckets ahead that are kept apart; what lies farther waits in one pile */
    CHUNK = 4096, /* bytes of a chunk of entries, and what it is aligned to */
    CHUNK_HEAD = 16,
    SLAB = 1 << 20,
    BATCH = 32,       /* entries that are worked on together */
    CACHE = 1 << 20,  /* bytes of a graph that fits the caches of one core */
    HEADS = 8,        /* of one row whose distances are asked for ahead */
    NEAR = 4,         /* numbers beside a vertex's own that count as near */
    NEAR_SAMPLE = 64, /* rows that tell whether neighbours are near */
    NEAR_BYTES = 128, /* beside a row, of which the lines are asked for, too, where they are */
    OFFERS = 1024,
    LENT = 32,      /* chunks that a thread takes or gives back at once */
    WINDOW = 4,     /* buckets in a window, at first */
    PULL_SHARE = 8, /* less than this part of the arcs is looked at from the other side */
    WINDOW_AHEAD = 48
};

/* Entries of a bucket lie in chunks, linked in the order in which they came. */
typedef struct chunk {
    union {
        struct chunk *next;
        uint64_t storage; /* so that the head has CHUNK_HEAD bytes everywhere */
    };
    uint64_t used; /* bytes up to the last entry, in a chunk that is sent */
    unsigned char entries[CHUNK - CHUNK_HEAD];
} chunk;

typedef struct queue {
    /* The bucket that is empty: its last place may be written to, and never counts. */
    _Alignas(CHUNK) chunk nobody;
    unsigned char *tail[RING]; /* where the next entry goes: never at the end of a chunk */
    chunk *first[RING];        /* NULL: empty, and tail is in nobody */
    chunk *far_first;
    unsigned char *far_tail;
    _Alignas(
        64) unsigned char offers[OFFERS * 16]; /* ways that were shorter when they were found */
    upsweep *u;
    uint64_t current;   /* number of the bucket that is worked on */
    uint64_t far_least; /* least bucket number in the far pile */
    size_t filled;      /* buckets of the ring that are not empty */
    chunk *spare;
    size_t spares;
    struct search_threads *threads; /* NULL: one thread; else where chunks come from, and no slab */
    unsigned char *slab;
    size_t slab_left;
    bool failed;          /* no scratch for a chunk */
    bool lost;            /* a sum did not fit */
    atomic_size_t worked; /* entries that were worked on; other threads look whether it grows */
    size_t patience;      /* how many may be */
    uint32_t *touched;    /* vertices whose entries were worked on, */
    size_t touched_count, touched_most;
} queue;

static inline unsigned char *last_place(queue *q, size_t entry_bytes)
{
    return (unsigned char *)&q->nobody + CHUNK - entry_bytes;
}

/* Also after a search that was given up half way. */
static queue *queue_begin(const usw_path_scratch *scratch, size_t entry_bytes)
{
    queue *q = scratch->queue;
    for (size_t k = 0; k < RING; k++) {
        q->tail[k] = last_place(q, entry_bytes);
        q->first[k] = NULL;
    }
    q->far_first = NULL;
    q->far_tail = last_place(q, entry_bytes);
    q->u = scratch->u;
    q->current = 0;
    q->far_least = UINT64_MAX;
    q->filled = 0;
    q->spare = NULL;
    q->spares = 0;
    q->threads = NULL;
    q->slab = scratch->slab;
    q->slab_left = scratch->slab_bytes;
    q->failed = false;
    q->lost = false;
    atomic_init(&q->worked, 0);
    q->patience = scratch->patience == 0 ? SIZE_MAX : scratch->patience;
    q->touched = scratch->touched;
    q->touched_count = 0;
    q->touched_most = scratch->touched == NULL ? 0 : scratch->touched_most;
    return q;
}

/* Its own thread alone writes it. */
static inline void note_worked(queue *q, size_t count)
{
    size_t before = atomic_load_explicit(&q->worked, memory_order_relaxed);
    atomic_store_explicit(&q->worked, before + count, memory_order_relaxed);
}

static void borrow_chunks(queue *q);
static void lend_chunks(queue *q);

/* NULL when there is no memory; then the search fails. */
static chunk *take_chunk(queue *q)
{
    if (q->spare == NULL && q->threads != NULL) {
        borrow_chunks(q);
    }
    chunk *c = q->spare;
    if (c != NULL) {
        q->spare = c->next;
        q->spares--;
    } else {
        if (q->slab_left < sizeof *c) {
            q->slab = q->u == NULL ? NULL : usw_scratch(q->u, SLAB);
            q->slab_left = q->slab == NULL ? 0 : SLAB;
        }
        if (q->slab_left == 0) {
            q->failed = true;
            return NULL;
        }
        c = (chunk *)(void *)q->slab;
        q->slab += sizeof *c;
        q->slab_left -= sizeof *c;
    }
    c->next = NULL;
    return c;
}

static void give_chunk(queue *q, chunk *c)
{
    c->next = q->spare;
    q->spare = c;
    if (++q->spares > 2 * LENT && q->threads != NULL) {
        lend_chunks(q);
    }
}

/* tail has come to the end of its chunk: the next entry goes to a new one. An entry in nobody's
 * last place was the first of its bucket, and moves there. */
static __attribute__((noinline)) void next_chunk(queue *q, chunk **first, unsigned char **tail,
                                                 size_t entry_bytes)
{
    chunk *full = (chunk *)(void *)(*tail - CHUNK), *c = take_chunk(q);
    if (c == NULL) {
        *tail -= entry_bytes; /* the entry is lost, and so is the search */
        return;
    }
    *tail = c->entries;
    if (full != &q->nobody) {
        full->next = c;
        return;
    }
    memcpy(c->entries, last_place(q, entry_bytes), entry_bytes);
    *tail += entry_bytes;
    *first = c;
    q->filled += first != &q->far_first;
}

/* Makes the bucket k, which is worked through, an empty one. */
static void close_bucket(queue *q, size_t k, chunk *last, size_t entry_bytes)
{
    give_chunk(q, last);
    q->first[k] = NULL;
    q->tail[k] = last_place(q, entry_bytes);
    q->filled--;
}

/* After a window (cpu/paths/bucket_windows.h). */
typedef enum verdict { GO_ON, PULL, OVER } verdict;

/* The arcs of unreached vertices, and those of reached ones that lead beyond the window. */
typedef struct arcs_left {
    size_t unreached, reached;
} arcs_left;

/* Where the entries of chunk c end; tail is that of its bucket. */
static inline unsigned char *end_of(chunk *c, unsigned char *tail)
{
    unsigned char *begin = (unsigned char *)c;
    return tail >= begin && tail < begin + CHUNK ? tail : begin + CHUNK;
}

#include "cpu/paths/bucket_threads_state.h"

#define PATH_BODY "cpu/paths/bucket_queue.h"
#include "cpu/paths/each_weight_kind.h"

static upsweep_status search(usw_path_scratch *scratch, const usw_path_query *query)
{
    return BY_KIND(query->graph, search)(scratch, query);
}

static size_t touched(const usw_path_scratch *scratch, const upsweep_graph *g)
{
    queue *q = scratch->queue;
    for (size_t k = 0; k < RING; k++) {
        BY_KIND(g, note_left)(q, q->first[k], q->tail[k]);
    }
    BY_KIND(g, note_left)(q, q->far_first, q->far_tail);
    return q->touched_count < q->touched_most ? q->touched_count : SIZE_MAX;
}

/* Takes scratch for the threads of a search, and a slab for all their chunks; NULL: too little. */
static search_threads *threads_begin(upsweep *u, const upsweep_graph *g, size_t slab)
{
    search_threads *c = usw_scratch(u, sizeof *c);
    if (c == NULL) {
        return NULL;
    }
    memset(c, 0, sizeof *c);
    c->count = usw_min(usw_parallel_threads(u), THREADS_MOST);
    c->block_shift = g->vertices >= LARGE_VERTICES ? BLOCK_LEAST : 0;
    while (c->block_shift < 16 &&
           g->vertices >> c->block_shift > c->count * (size_t)BLOCKS_A_THREAD) {
        c->block_shift++;
    }
    size_t blocks = (g->vertices >> c->block_shift) + 1;
    c->owner = usw_scratch(u, blocks);
    c->thread = usw_scratch(u, c->count * sizeof *c->thread);
    c->slab = usw_scratch(u, slab);
    c->slab_left = slab;
    if (c->owner == NULL || c->thread == NULL || c->slab == NULL || c->count < 2) {
        return NULL;
    }
    for (size_t b = 0; b < blocks; b++) {
        c->owner[b] = (unsigned char)(b % c->count);
    }
    for (size_t t = 0; t < c->count; t++) {
        search_thread *m = &c->thread[t];
        *m = (search_thread){.q = usw_scratch(u, sizeof(queue)),
                             .out = usw_scratch(u, c->count * sizeof(void *)),
                             .out_tail = usw_scratch(u, c->count * sizeof *m->out_tail)};
        if (m->q == NULL || m->out == NULL || m->out_tail == NULL) {
            return NULL;
        }
    }
    return c;
}

typedef struct opening {
    const usw_path_query *query;
    search_threads *c;
    size_t bytes; /* of a distance */
} opening;

/* What each thread does before the search: makes its queue and clears its share of the distances.
 * */
static void open_thread(void *context, size_t task, unsigned thread)
{
    const opening *o = context;
    search_threads *c = o->c;
    search_thread *m = &c->thread[task];
    size_t n = o->query->graph->vertices, stretch = usw_div_up(n, c->count);
    size_t begin = usw_min(n, task * stretch);
    (void)thread;
    (void)queue_begin(&(usw_path_scratch){.queue = m->q}, 2 * o->bytes);
    m->q->threads = c;
    memset(m->out, 0, c->count * sizeof(void *));
    usw_distances_clear(o->query->graph, (char *)o->query->distance + begin * o->bytes, NULL,
                        usw_min(n - begin, stretch));
}

/* Threads cannot ask for more scratch in the middle of a search: when they run out of it, it begins
 * again with more. There is room for two entries a vertex, and for the chunks that each thread has
 * begun. */
static upsweep_status parallel(upsweep *u, const usw_path_query *query, uint32_t *relaxed,
                               uint32_t *culprit, bool *held_up)
{
    enum { MORE = 4, TRIALS = 3 };
    const upsweep_graph *g = query->graph;
    size_t bytes = upsweep_type_bytes(g->weight_type) == 8 ? 8 : 4;
    size_t slab = 4 * bytes * g->vertices + usw_parallel_threads(u) * (size_t)SLAB;
    upsweep_status status = UPSWEEP_ERROR_MEMORY;
    for (int trial = 0; trial < TRIALS && status == UPSWEEP_ERROR_MEMORY; trial++) {
        usw_mark mark = usw_scratch_mark(u);
        search_threads *c = threads_begin(u, g, slab);
        if (c == NULL) {
            return UPSWEEP_ERROR_MEMORY;
        }
        c->patient = held_up == NULL;
        c->until_ns = usw_now_ns() + time_for(u, g);
        opening all = {query, c, bytes};
        usw_parallel(u, c->count, open_thread, &all);
        status = BY_KIND(g, parallel)(u, c, query, relaxed, culprit);
        bool gave_up = atomic_load(&c->held_up);
        usw_scratch_reset(u, mark);
        if (gave_up) {
            *held_up = true;
            return UPSWEEP_ERROR_MEMORY;
        }
        slab *= MORE;
    }
    return status;
}

/* Searches wait for memory, and wider vectors do not shorten that (cpu/paths/README.md). */
USW_FOR_ALL_SETS(
    usw_path_form, usw_path_bucket_cpu,
    {.queue_bytes = sizeof(queue), .search = search, .touched = touched, .parallel = parallel})
