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
    bool failed; /* no scratch for a chunk */
} queue;

static chunk *take_chunk(queue *q)
{
    chunk *c = q->spare;
    if (c != NULL) {
        q->spare = c->next;
    } else {
        if (q->slab_left < sizeof *c) {
            q->slab = usw_scratch(q->u, SLAB);
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

#define DIST uint32_t
#define DIST_MAX UINT32_MAX
#define ARC_HEAD(g, e) ((g)->arc32[e].head)
#define ARC_WEIGHT(g, e) ((g)->arc32[e].weight)
#define ARC_LINE(g, e) (&(g)->arc32[e])
#define NAME(name) name##_u32
#include "algo/part_bucket_queue.h"

#define DIST uint32_t
#define DIST_MAX UINT32_MAX
#define ARC_HEAD(g, e) ((g)->head[e])
#define ARC_WEIGHT(g, e) 1u
#define ARC_LINE(g, e) (&(g)->head[e])
#define NAME(name) name##_none
#include "algo/part_bucket_queue.h"

#define DIST uint64_t
#define DIST_MAX UINT64_MAX
#define ARC_HEAD(g, e) ((g)->head[e])
#define ARC_WEIGHT(g, e) ((g)->weight64[e])
#define ARC_LINE(g, e) (&(g)->head[e])
#define NAME(name) name##_u64
#include "algo/part_bucket_queue.h"

static inline float float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline double double_of(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

#define DIST float
#define DIST_FLOAT
#define DIST_MAX __builtin_inff()
#define ARC_HEAD(g, e) ((g)->arc32[e].head)
#define ARC_WEIGHT(g, e) float_of((g)->arc32[e].weight)
#define ARC_LINE(g, e) (&(g)->arc32[e])
#define NAME(name) name##_f32
#include "algo/part_bucket_queue.h"

#define DIST double
#define DIST_FLOAT
#define DIST_MAX __builtin_inf()
#define ARC_HEAD(g, e) ((g)->head[e])
#define ARC_WEIGHT(g, e) double_of((g)->weight64[e])
#define ARC_LINE(g, e) (&(g)->head[e])
#define NAME(name) name##_f64
#include "algo/part_bucket_queue.h"

static upsweep_status run(upsweep *u, const usw_path_query *query)
{
    switch (query->graph->weight_type) {
    case UPSWEEP_U32: return paths_u32(u, query);
    case UPSWEEP_U64: return paths_u64(u, query);
    case UPSWEEP_F32: return paths_f32(u, query);
    case UPSWEEP_F64: return paths_f64(u, query);
    default: return paths_none(u, query);
    }
}

static upsweep_status parents(upsweep *u, const usw_path_query *query, uint32_t *parent)
{
    switch (query->graph->weight_type) {
    case UPSWEEP_U32: return parents_u32(u, query, parent);
    case UPSWEEP_U64: return parents_u64(u, query, parent);
    case UPSWEEP_F32: return parents_f32(u, query, parent);
    case UPSWEEP_F64: return parents_f64(u, query, parent);
    default: return parents_none(u, query, parent);
    }
}

const usw_path_form USW_SYMBOL(usw_path_bucket_cpu) = {run, parents};
