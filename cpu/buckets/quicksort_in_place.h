/* quicksort_in_place.h - parallel quicksort without scratch: the machinery of sort_quick_cpu.h,
 * included once per width and order.
 *
 * While there are fewer parts than pairs of threads, all threads cut one: it is divided into
 * chunks, which are partitioned by one pivot, and what then stands on the wrong side of the common
 * border is exchanged piece by piece: keys too great below it with keys not too great above it,
 * equally many of both. That moves half of the keys once more, so one of two threads is as soon
 * done alone with the part they share, and the other has time to wake up; but with wide vectors and
 * few threads all cut on. From then on there is no barrier. A thread takes the largest part that
 * waits, partitions it, leaves one side to whoever is free, and sorts what is small enough to be no
 * one else's. */

#ifndef USW_CPU_BUCKETS_QUICKSORT_IN_PLACE_H
#define USW_CPU_BUCKETS_QUICKSORT_IN_PLACE_H
#include <stdatomic.h>

enum {
    CHUNKS_MAX = 64,
    PARTS_MAX = 256,
    PART_KEYS_MIN = 16 * 1024, /* smaller parts are sorted by whoever has them */
    CUTS_MAX = 40, /* one that was cut more often meets an adversary, whom cache_sort knows */
    PIVOT_SAMPLE = 256
};

/* Guards a short list; held for some tens of instructions. */
static inline void lock_list(atomic_flag *lock)
{
    for (unsigned turn = 0; atomic_flag_test_and_set_explicit(lock, memory_order_acquire); turn++) {
        usw_wait_a_little(turn);
    }
}

static inline void unlock_list(atomic_flag *lock)
{
    atomic_flag_clear_explicit(lock, memory_order_release);
}
#endif

typedef struct FN(part) {
    KEY *keys;
    size_t n;
    KEY top;       /* no key of it is greater */
    unsigned cuts; /* that led to it */
} FN(part);

typedef struct FN(cut) {
    KEY *keys, pivot;
    size_t n, chunk_keys;
    size_t left[CHUNKS_MAX]; /* keys <= pivot in each chunk */
} FN(cut);

static void FN(cut_chunk)(void *context, size_t i, unsigned lane)
{
    FN(cut) *c = context;
    size_t begin = i * c->chunk_keys;
    (void)lane;
    c->left[i] =
        USW_SYMBOL(usw_cache_sort_steps)
            .PARTITION_KEYS(c->keys + begin, usw_min(c->chunk_keys, c->n - begin), &c->pivot);
}

/* An exchange of `n` keys at a with as many at b. */
typedef struct FN(trade) {
    KEY *a, *b;
    size_t n;
} FN(trade);

static void FN(trade_piece)(void *context, size_t i, unsigned lane)
{
    const FN(trade) *t = (const FN(trade) *)context + i;
    (void)lane;
    for (size_t k = 0; k < t->n; k++) {
        KEY x = t->a[k];
        t->a[k] = t->b[k];
        t->b[k] = x;
    }
}

/* Moves the keys <= pivot of a part to its front, by all threads, and returns how many they are. */
static size_t FN(cut_part)(upsweep *u, const FN(part) * p, KEY pivot)
{
    USW_ROUTE("a part is cut by all threads");
    size_t chunks = usw_min(usw_min(2 * (size_t)u->threads, CHUNKS_MAX),
                            usw_max(1, p->n / (PART_KEYS_MIN / 2)));
    FN(cut) c = {.keys = p->keys, .pivot = pivot, .n = p->n};
    c.chunk_keys = usw_div_up(p->n, chunks);
    chunks = usw_div_up(p->n, c.chunk_keys);
    usw_parallel(u, chunks, FN(cut_chunk), &c);
    size_t border = 0;
    for (size_t i = 0; i < chunks; i++) {
        border += c.left[i];
    }
    FN(trade) trades[2 * CHUNKS_MAX];
    size_t count = 0, i = 0, j = 0, done_i = 0, done_j = 0;
    while (i < chunks && j < chunks) {
        /* [a, a_end): keys > pivot of chunk i below the border; [b, b_end): others of j above
         * it. */
        size_t a = i * c.chunk_keys + c.left[i] + done_i;
        size_t a_end = usw_min(usw_min(p->n, (i + 1) * c.chunk_keys), border);
        size_t b = usw_max(j * c.chunk_keys, border) + done_j;
        size_t b_end = j * c.chunk_keys + c.left[j];
        if (a >= a_end) {
            i++, done_i = 0;
        } else if (b >= b_end) {
            j++, done_j = 0;
        } else {
            size_t n = usw_min(a_end - a, b_end - b);
            trades[count++] = (FN(trade)){p->keys + a, p->keys + b, n};
            done_i += n, done_j += n;
        }
    }
    usw_parallel(u, count, FN(trade_piece), trades);
    return border;
}

static KEY FN(part_pivot)(const FN(part) * p)
{
    KEY sample[PIVOT_SAMPLE];
    size_t step = p->n / PIVOT_SAMPLE;
    for (size_t i = 0; i < PIVOT_SAMPLE; i++) {
        sample[i] = p->keys[i * step + ((i * 0x9e37 & 0xffff) * step >> 16)];
    }
    USW_SYMBOL(usw_cache_sort_steps).SORT_KEYS(sample, PIVOT_SAMPLE);
    return sample[PIVOT_SAMPLE / 2 - 1];
}

/* How to cut a part: keys <= the border to the front. done: what is not there is equal, and in its
 * place. nothing: all keys are as small as keys can be. */
typedef struct FN(border) {
    KEY at;
    bool done, nothing;
} FN(border);

static FN(border) FN(choose_border)(const FN(part) * p)
{
    KEY pivot = FN(part_pivot)(p);
    bool at_top = pivot == p->top; /* then all that is not less is equal */
    return (FN(border)){at_top ? KEY_BEFORE(pivot) : pivot, at_top, at_top && pivot == KEY_LEAST};
}

/* The parts that wait, and how many keys are in parts that wait or are being sorted. */
typedef struct FN(crew) {
    FN(part) parts[PARTS_MAX];
    size_t count, share; /* a part of up to share keys is not cut any more */
    atomic_size_t left;
    atomic_flag lock;
} FN(crew);

static bool FN(take_largest)(FN(crew) * c, FN(part) * p)
{
    lock_list(&c->lock);
    size_t best = 0;
    for (size_t i = 1; i < c->count; i++) {
        best = c->parts[i].n > c->parts[best].n ? i : best;
    }
    bool some = c->count > 0;
    if (some) {
        *p = c->parts[best];
        c->parts[best] = c->parts[--c->count];
    }
    unlock_list(&c->lock);
    return some;
}

static bool FN(leave_part)(FN(crew) * c, FN(part) p)
{
    lock_list(&c->lock);
    bool room = c->count < PARTS_MAX;
    if (room) {
        c->parts[c->count++] = p;
    }
    unlock_list(&c->lock);
    return room;
}

static void FN(sort_part)(FN(crew) * c, FN(part) p)
{
    const usw_cache_sort_steps *vsort = &USW_SYMBOL(usw_cache_sort_steps);
    while (p.n > c->share && p.cuts < CUTS_MAX) {
        FN(border) b = FN(choose_border)(&p);
        USW_ROUTE("a part is cut by one thread");
        USW_ROUTE_IF(b.done, "a part with a frequent greatest key", USW_ROUTE_DEFAULT);
        USW_ROUTE_IF(b.nothing, "a part of least keys", USW_ROUTE_DEFAULT);
        size_t left = b.nothing ? 0 : vsort->PARTITION_KEYS(p.keys, p.n, &b.at);
        size_t right = p.n - left;
        FN(part) above = {p.keys + left, right, p.top, p.cuts + 1};
        FN(part) below = {p.keys, left, b.at, p.cuts + 1};
        if (b.done || right == 0) {
            atomic_fetch_sub(&c->left, right);
        } else if (!FN(leave_part)(c, above)) {
            USW_ROUTE("no room on the list of parts");
            vsort->SORT_KEYS(above.keys, above.n);
            atomic_fetch_sub(&c->left, right);
        }
        p = below;
    }
    vsort->SORT_KEYS(p.keys, p.n);
    atomic_fetch_sub(&c->left, p.n);
}

static void FN(work_along)(void *context, size_t i, unsigned lane)
{
    FN(crew) *c = context;
    (void)i, (void)lane;
    for (unsigned turn = 0; atomic_load(&c->left) > 0; turn++) {
        FN(part) p;
        if (FN(take_largest)(c, &p)) {
            FN(sort_part)(c, p);
            turn = 0;
        } else {
            usw_wait_a_little(turn);
        }
    }
}

/* Cuts the largest part by all threads. */
static void FN(cut_largest)(upsweep *u, FN(crew) * c)
{
    FN(part) p;
    if (!FN(take_largest)(c, &p)) {
        return;
    }
    if (p.n <= c->share) {
        (void)FN(leave_part)(c, p);
        return;
    }
    FN(border) b = FN(choose_border)(&p);
    size_t left = b.nothing ? 0 : FN(cut_part)(u, &p, b.at);
    if (b.done) {
        atomic_fetch_sub(&c->left, p.n - left);
    } else if (left < p.n) {
        (void)FN(leave_part)(c, (FN(part)){p.keys + left, p.n - left, p.top, p.cuts + 1});
    }
    if (left > 0) {
        (void)FN(leave_part)(c, (FN(part)){p.keys, left, b.at, p.cuts + 1});
    }
}

static void FN(sort_in_place)(upsweep *u, KEY *keys, size_t n)
{
    bool few = n < 2 * PART_KEYS_MIN || n * sizeof(KEY) < u->tuning.thread_bytes;
    size_t threads = few ? 1 : usw_parallel_threads(u);
    if (threads == 1) {
        USW_ROUTE("in place by one thread");
        USW_SYMBOL(usw_cache_sort_steps).SORT_KEYS(keys, n);
        return;
    }
    USW_ROUTE("in place by all threads");
    FN(crew) c = {.parts = {{keys, n, KEY_GREATEST, 0}}, .count = 1, .lock = ATOMIC_FLAG_INIT};
    c.share = usw_max(n / (16 * threads), PART_KEYS_MIN);
    atomic_init(&c.left, n);
    /* Measured with wide vectors, where a cut is no work beside reading and writing the keys. */
    size_t parts = USW_LEVEL == 2 && threads <= 4 ? threads : threads / 2;
    for (size_t i = 0; i + 1 < parts && i < PARTS_MAX / 2; i++) {
        FN(cut_largest)(u, &c);
    }
    usw_parallel(u, threads, FN(work_along), &c);
}
