/* path_bucket_cpu.h - shortest paths by a queue of buckets that prefetches, one thread a query.
 *
 * Vertices wait in buckets of width delta by their tentative distance. The least bucket is worked
 * through, first in first out, until it stays empty; a vertex whose distance improved meanwhile is
 * met again and skipped. With buckets about as wide as a typical arc this does little more work
 * than Dijkstra's order would, and no heap. What bounds it is waiting for memory: each vertex means
 * a look at its row, its arcs, and the distance of every head, all far apart. So the entries that
 * come next are looked at ahead of time, in three stages, and their cache lines asked for.
 *
 * Source: R. B. Dial, Algorithm 360, CACM 12, 1969 (buckets of width 1); U. Meyer, P. Sanders,
 * Delta-stepping, J. Algorithms 49, 2003 (wide buckets). */
#include "core/cpu_body.h"
#include "core/paths.h"

enum {
    RING = 4096,  /* buckets ahead that are kept apart; what lies farther waits in one pile */
    CHUNK = 4096, /* bytes of a chunk of entries */
    SLAB = 1 << 20,
    /* How many entries ahead the row, the arcs, and the heads' distances are asked for. */
    AHEAD_ROW = 16,
    AHEAD_ARCS = 10,
    AHEAD_HEADS = 4,
    HEADS = 8 /* of one row */
};

/* Entries of a bucket lie in chunks, linked in the order in which they came. */
typedef struct chunk {
    struct chunk *next;
    size_t count;
    unsigned char entries[CHUNK - 16];
} chunk;

typedef struct bucket {
    chunk *first, *last;
} bucket;

typedef struct queue {
    upsweep *u;
    bucket ring[RING];
    bucket far_pile;
    uint64_t current;   /* number of the bucket that is worked on */
    uint64_t far_least; /* least bucket number in the far pile */
    size_t waiting;     /* entries in the ring */
    chunk *spare;
    unsigned char *slab;
    size_t slab_left;
    bool failed;       /* no scratch for a chunk */
    bool lost;         /* a sum did not fit */
    uint32_t *touched; /* vertices whose entries were worked on, */
    size_t touched_count, touched_most;
} queue;

/* Also what is left when the last search was given up half way. */
static queue *queue_begin(const usw_path_room *room)
{
    queue *q = room->queue;
    memset(q, 0, sizeof *q);
    q->u = room->u;
    q->far_least = UINT64_MAX;
    q->slab = room->slab;
    q->slab_left = room->slab_bytes;
    q->touched = room->touched;
    q->touched_most = room->touched == NULL ? 0 : room->touched_most;
    return q;
}

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
        if (q->slab == NULL) {
            q->failed = true;
            return NULL;
        }
        c = (chunk *)(void *)q->slab;
        q->slab += sizeof *c;
        q->slab_left -= sizeof *c;
    }
    c->next = NULL;
    c->count = 0;
    return c;
}

static void give_chunk(queue *q, chunk *c)
{
    c->next = q->spare;
    q->spare = c;
}

/* The chunk that the next entry of the bucket goes to; NULL when there is no memory. */
static chunk *room_in(queue *q, bucket *b, size_t capacity)
{
    if (b->last == NULL || b->last->count == capacity) {
        chunk *c = take_chunk(q);
        if (c == NULL) {
            return NULL;
        }
        if (b->last == NULL) {
            b->first = c;
        } else {
            b->last->next = c;
        }
        b->last = c;
    }
    return b->last;
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
        BY_KIND(g, note)(q, q->ring[k].first);
    }
    BY_KIND(g, note)(q, q->far_pile.first);
    return q->touched_count < q->touched_most ? q->touched_count : SIZE_MAX;
}

const usw_path_form USW_SYMBOL(usw_path_bucket_cpu) = {sizeof(queue), search, touched, NULL, NULL};
