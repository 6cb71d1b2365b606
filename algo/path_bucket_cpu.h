/* path_bucket_cpu.h - shortest paths by a queue of buckets that prefetches, one thread a query.
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
 * On graphs with many arcs a vertex, part_bucket_window.h relaxes most arcs never.
 *
 * Source: R. B. Dial, Algorithm 360, CACM 12, 1969 (buckets of width 1); U. Meyer, P. Sanders,
 * Delta-stepping, J. Algorithms 49, 2003 (wide buckets). */
#include "core/cpu_body.h"
#include "core/paths.h"

enum {
    RING = 4096,  /* buckets ahead that are kept apart; what lies farther waits in one pile */
    CHUNK = 4096, /* bytes of a chunk of entries, and what it is aligned to */
    CHUNK_HEAD = 16,
    SLAB = 1 << 20,
    BATCH = 64, /* entries that are worked on together */
    HEADS = 8,  /* of one row whose distances are asked for ahead */
    OFFERS = 1024,
    WINDOW = 4,     /* buckets in a window, at first */
    PULL_SHARE = 8, /* less than this part of the arcs is looked at from the other side */
    WINDOW_AHEAD = 48
};

/* Entries of a bucket lie in chunks, linked in the order in which they came. */
typedef struct chunk {
    struct chunk *next;
    unsigned char pad[CHUNK_HEAD - sizeof(struct chunk *)];
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
    unsigned char *slab;
    size_t slab_left;
    bool failed;       /* no scratch for a chunk */
    bool lost;         /* a sum did not fit */
    uint32_t *touched; /* vertices whose entries were worked on, */
    size_t touched_count, touched_most;
} queue;

static inline unsigned char *last_place(queue *q, size_t entry_bytes)
{
    return (unsigned char *)&q->nobody + CHUNK - entry_bytes;
}

/* Also after a search that was given up half way. */
static queue *queue_begin(const usw_path_room *room, size_t entry_bytes)
{
    queue *q = room->queue;
    for (size_t k = 0; k < RING; k++) {
        q->tail[k] = last_place(q, entry_bytes);
        q->first[k] = NULL;
    }
    q->far_first = NULL;
    q->far_tail = last_place(q, entry_bytes);
    q->u = room->u;
    q->current = 0;
    q->far_least = UINT64_MAX;
    q->filled = 0;
    q->spare = NULL;
    q->slab = room->slab;
    q->slab_left = room->slab_bytes;
    q->failed = false;
    q->lost = false;
    q->touched = room->touched;
    q->touched_count = 0;
    q->touched_most = room->touched == NULL ? 0 : room->touched_most;
    return q;
}

/* NULL when there is no memory; then the search fails. */
static chunk *take_chunk(queue *q)
{
    chunk *c = q->spare;
    if (c != NULL) {
        q->spare = c->next;
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

/* Where the entries of chunk c end; tail is that of its bucket. */
static inline unsigned char *end_of(chunk *c, unsigned char *tail)
{
    unsigned char *begin = (unsigned char *)c;
    return tail >= begin && tail < begin + CHUNK ? tail : begin + CHUNK;
}

#define PATH_BODY "algo/part_bucket_queue.h"
#include "core/path_each_kind.h"

static upsweep_status search(usw_path_room *room, const usw_path_query *query)
{
    return BY_KIND(query->graph, search)(room, query);
}

static size_t touched(const usw_path_room *room, const upsweep_graph *g)
{
    queue *q = room->queue;
    for (size_t k = 0; k < RING; k++) {
        BY_KIND(g, note_left)(q, q->first[k], q->tail[k]);
    }
    BY_KIND(g, note_left)(q, q->far_first, q->far_tail);
    return q->touched_count < q->touched_most ? q->touched_count : SIZE_MAX;
}

const usw_path_form USW_SYMBOL(usw_path_bucket_cpu) = {
    .queue_bytes = sizeof(queue), .search = search, .touched = touched};
