/* quicksort_in_place.h - parallel quicksort without scratch: the machinery of sort_quick_cpu.h,
 * included once per width and order.
 *
 * While there are fewer ranges than pairs of threads, all threads partition one range together: it
 * is divided into chunks, each chunk is partitioned by the same pivot, and then keys > pivot below
 * the common border are exchanged with keys <= pivot above it; there are equally many of both. The
 * exchange moves half of the keys once more, so one of two threads would partition their range as
 * soon alone, while the other wakes up; only with wide vectors and few threads all go on together.
 * From then on there is no barrier. A thread takes the largest range from the list, partitions it,
 * puts one side on the list, and sorts what is too small to share. */
/* SPDX-License-Identifier: MIT */

#ifndef USW_CPU_BUCKETS_QUICKSORT_IN_PLACE_H
#define USW_CPU_BUCKETS_QUICKSORT_IN_PLACE_H
#include <stdatomic.h>

enum {
    CHUNKS_MAX = 64,
    RANGES_MAX = 256,
    RANGE_KEYS_MIN = 16 * 1024, /* keys; a smaller range is sorted by one thread */
    CUTS_MAX = 40, /* partitions on the way to a range; after more, cache_sort does it in n log n */
    PIVOT_SAMPLE = 256
};

/* Guards the list of ranges for some tens of instructions at a time. */
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

typedef struct FN(range) {
    KEY *keys;
    size_t n;
    KEY top;       /* no key of the range is greater */
    unsigned cuts; /* partitions on the way from the whole array */
} FN(range);

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
typedef struct FN(exchange) {
    KEY *a, *b;
    size_t n;
} FN(exchange);

static void FN(exchange_piece)(void *context, size_t i, unsigned lane)
{
    const FN(exchange) *t = (const FN(exchange) *)context + i;
    (void)lane;
    for (size_t k = 0; k < t->n; k++) {
        KEY x = t->a[k];
        t->a[k] = t->b[k];
        t->b[k] = x;
    }
}

/* Moves the keys <= pivot of a range to its front, by all threads, and returns how many they are.
 */
static size_t FN(cut_range)(upsweep *u, const FN(range) * p, KEY pivot)
{
    USW_ROUTE("a range is cut by all threads");
    size_t chunks = usw_min(usw_min(2 * (size_t)u->threads, CHUNKS_MAX),
                            usw_max(1, p->n / (RANGE_KEYS_MIN / 2)));
    FN(cut) c = {.keys = p->keys, .pivot = pivot, .n = p->n};
    c.chunk_keys = usw_div_up(p->n, chunks);
    chunks = usw_div_up(p->n, c.chunk_keys);
    usw_parallel(u, chunks, FN(cut_chunk), &c);
    size_t border = 0;
    for (size_t i = 0; i < chunks; i++) {
        border += c.left[i];
    }
    FN(exchange) exchanges[2 * CHUNKS_MAX];
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
            exchanges[count++] = (FN(exchange)){p->keys + a, p->keys + b, n};
            done_i += n, done_j += n;
        }
    }
    usw_parallel(u, count, FN(exchange_piece), exchanges);
    return border;
}

static KEY FN(choose_range_pivot)(const FN(range) * p)
{
    KEY sample[PIVOT_SAMPLE];
    size_t step = p->n / PIVOT_SAMPLE;
    for (size_t i = 0; i < PIVOT_SAMPLE; i++) {
        sample[i] = p->keys[i * step + ((i * 0x9e37 & 0xffff) * step >> 16)];
    }
    USW_SYMBOL(usw_cache_sort_steps).SORT_KEYS(sample, PIVOT_SAMPLE);
    return sample[PIVOT_SAMPLE / 2 - 1];
}

/* How to partition a range: keys <= `at` go to the front. done: the other keys are equal, so they
 * need no sort. nothing: all keys are the least key there is, and none goes to the front. */
typedef struct FN(border) {
    KEY at;
    bool done, nothing;
} FN(border);

static FN(border) FN(choose_border)(const FN(range) * p)
{
    KEY pivot = FN(choose_range_pivot)(p);
    bool at_top = pivot == p->top; /* then all keys >= pivot are equal */
    return (FN(border)){at_top ? KEY_BEFORE(pivot) : pivot, at_top, at_top && pivot == KEY_LEAST};
}

/* The list of ranges that no thread has taken, and how many keys are not in their places yet. */
typedef struct FN(range_list) {
    FN(range) ranges[RANGES_MAX];
    size_t count, share; /* a range of up to `share` keys is not partitioned for others */
    atomic_size_t left;
    atomic_flag lock;
} FN(range_list);

static bool FN(take_largest)(FN(range_list) * c, FN(range) * p)
{
    lock_list(&c->lock);
    size_t best = 0;
    for (size_t i = 1; i < c->count; i++) {
        best = c->ranges[i].n > c->ranges[best].n ? i : best;
    }
    bool some = c->count > 0;
    if (some) {
        *p = c->ranges[best];
        c->ranges[best] = c->ranges[--c->count];
    }
    unlock_list(&c->lock);
    return some;
}

static bool FN(add_range)(FN(range_list) * c, FN(range) p)
{
    lock_list(&c->lock);
    bool space = c->count < RANGES_MAX;
    if (space) {
        c->ranges[c->count++] = p;
    }
    unlock_list(&c->lock);
    return space;
}

static void FN(sort_range)(FN(range_list) * c, FN(range) p)
{
    const usw_cache_sort_steps *vsort = &USW_SYMBOL(usw_cache_sort_steps);
    while (p.n > c->share && p.cuts < CUTS_MAX) {
        FN(border) b = FN(choose_border)(&p);
        USW_ROUTE("a range is cut by one thread");
        USW_ROUTE_IF(b.done, "a range with a frequent greatest key", USW_ROUTE_DEFAULT);
        USW_ROUTE_IF(b.nothing, "a range of least keys", USW_ROUTE_DEFAULT);
        size_t left = b.nothing ? 0 : vsort->PARTITION_KEYS(p.keys, p.n, &b.at);
        size_t right = p.n - left;
        FN(range) above = {p.keys + left, right, p.top, p.cuts + 1};
        FN(range) below = {p.keys, left, b.at, p.cuts + 1};
        if (b.done || right == 0) {
            atomic_fetch_sub(&c->left, right);
        } else if (!FN(add_range)(c, above)) {
            USW_ROUTE("no room on the list of ranges");
            vsort->SORT_KEYS(above.keys, above.n);
            atomic_fetch_sub(&c->left, right);
        }
        p = below;
    }
    vsort->SORT_KEYS(p.keys, p.n);
    atomic_fetch_sub(&c->left, p.n);
}

static void FN(sort_listed)(void *context, size_t i, unsigned lane)
{
    FN(range_list) *c = context;
    (void)i, (void)lane;
    for (unsigned turn = 0; atomic_load(&c->left) > 0; turn++) {
        FN(range) p;
        if (FN(take_largest)(c, &p)) {
            FN(sort_range)(c, p);
            turn = 0;
        } else {
            usw_wait_a_little(turn);
        }
    }
}

/* Partitions the largest range by all threads. */
static void FN(cut_largest)(upsweep *u, FN(range_list) * c)
{
    FN(range) p;
    if (!FN(take_largest)(c, &p)) {
        return;
    }
    if (p.n <= c->share) {
        (void)FN(add_range)(c, p);
        return;
    }
    FN(border) b = FN(choose_border)(&p);
    size_t left = b.nothing ? 0 : FN(cut_range)(u, &p, b.at);
    if (b.done) {
        atomic_fetch_sub(&c->left, p.n - left);
    } else if (left < p.n) {
        (void)FN(add_range)(c, (FN(range)){p.keys + left, p.n - left, p.top, p.cuts + 1});
    }
    if (left > 0) {
        (void)FN(add_range)(c, (FN(range)){p.keys, left, b.at, p.cuts + 1});
    }
}

static void FN(sort_in_place)(upsweep *u, KEY *keys, size_t n)
{
    bool few = n < 2 * RANGE_KEYS_MIN || n * sizeof(KEY) < u->tuning.thread_bytes;
    size_t threads = few ? 1 : usw_parallel_threads(u);
    if (threads == 1) {
        USW_ROUTE("in place by one thread");
        USW_SYMBOL(usw_cache_sort_steps).SORT_KEYS(keys, n);
        return;
    }
    USW_ROUTE("in place by all threads");
    FN(range_list)
    c = {.ranges = {{keys, n, KEY_GREATEST, 0}}, .count = 1, .lock = ATOMIC_FLAG_INIT};
    c.share = usw_max(n / (16 * threads), RANGE_KEYS_MIN);
    atomic_init(&c.left, n);
    /* As measured: with wide vectors a partition takes no longer than reading and writing the keys.
     */
    size_t ranges = USW_LEVEL == 2 && threads <= 4 ? threads : threads / 2;
    for (size_t i = 0; i + 1 < ranges && i < RANGES_MAX / 2; i++) {
        FN(cut_largest)(u, &c);
    }
    usw_parallel(u, threads, FN(sort_listed), &c);
}
