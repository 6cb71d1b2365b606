/* narrow_keys.h - pair_sort where key and payload are one word of 64 bits from the
 * start: keys of 32 bits with payloads of 32 bits, or with their positions. One pass splits words,
 * written whole, into buckets of some hundred to some ten thousand; each is then sorted by tags
 * (cpu/pair_sort/sort_by_tags.h) and written out. Keys that a sample shows to be uneven are split
 * by splitters. Buckets that are too large for the cache all the same are taken apart again and
 * left to the steps for any pair. Included for 32-bit keys. */

enum {
    /* Wanted in a bucket: seldom above what is sorted in registers, 256 (AVX-512) or 128 keys. */
    NARROW_AIM = USW_LEVEL == 2 ? 232 : 104,
    NARROW_BUCKETS_MAX = 1136,
    NARROW_DIGIT_MAX = 10,
    NARROW_APART = NARROW_BUCKETS_MAX + 48, /* counters of two chunks share no line */
    NARROW_WHOLE = GROUP_LARGE,             /* as many keys are sorted as one bucket */
    NARROW_WIDE = 21,                       /* bits, and 11 of the number of buckets */
    NARROW_BLOCK = 256,                     /* words that are made at a time */
    NARROW_STRETCH = 64,       /* words of a bucket from one chunk, at least: mostly whole lines */
    NARROW_TASK = 4096,        /* keys of the buckets of one task, about */
    NARROW_AHEAD = 192 * 1024, /* up to here the words' lines are fetched while keys are counted */
    LINE_WORDS = 8
};

/* Whether a range on that side is sorted so. */
static bool is_narrow(const usw_pair_sort *p, unsigned side)
{
    bool small = p->payload_bytes == 4 || (p->payloads == NULL && side == 2);
    return small && side != 1 && p->n - 1 <= UINT32_MAX;
}

/* Keys go to buckets of equal widths by the `wide` highest bits in which they differ, those from
 * `shift` on; wide is such that a product with the number of buckets has 32 bits. */
typedef struct narrow_split {
    uint32_t mask, buckets;
    unsigned shift, wide;
} narrow_split;

static narrow_split narrow_split_of(const job_u32 *job)
{
    unsigned high = job->shift, wide = (unsigned)usw_min(high, NARROW_WIDE);
    return (narrow_split){job->below, job->buckets, high - wide, wide};
}

static inline uint32_t narrow_bucket(narrow_split s, uint32_t mapped)
{
    return ((mapped & s.mask) >> s.shift) * s.buckets >> s.wide;
}

#include "cpu/pair_sort/narrow_quantiles.h"
#include "cpu/pair_sort/narrow_scatter.h"

/* Each chunk has a stretch of the words to itself, with a piece of every bucket: offsets become the
 * places of the pieces. So no two threads write to one line by turns. */
static void narrow_scan(job_u32 *job)
{
    size_t sum = 0, *first = job->offsets;
    for (size_t d = 0; d < job->buckets; d++) {
        for (size_t c = 0; c < job->chunks; c++) {
            sum += first[c * NARROW_APART + d];
        }
        job->ends[d] = sum;
    }
    for (size_t c = 0; c < job->chunks; c++) {
        size_t at = usw_min(c * job->chunk, job->n);
        for (size_t d = 0; d < job->buckets; d++) {
            size_t count = first[c * NARROW_APART + d];
            first[c * NARROW_APART + d] = at;
            at += count;
        }
    }
}

/* The words of bucket d from chunk c, once they are there. */
typedef struct piece {
    uint64_t *words;
    size_t n;
} piece;

static piece piece_of(const job_u32 *job, size_t d, size_t c)
{
    const size_t *end = job->offsets + c * NARROW_APART;
    size_t begin = job->room > 0 ? d * job->room
                   : d == 0      ? usw_min(c * job->chunk, job->n)
                                 : end[d - 1];
    return (piece){(uint64_t *)job->p->way_keys[1] + job->base + begin, end[d] - begin};
}

#include "cpu/pair_sort/narrow_large_bucket_split.h"
#include "cpu/pair_sort/narrow_close_keys.h"
#include "cpu/pair_sort/narrow_leaf.h"
#include "cpu/pair_sort/narrow_few_bits.h"

/* The bits in which the keys of n words differ. */
static inline uint32_t differ_in(const uint64_t *words, size_t n)
{
    uint64_t differ = 0;
    for (size_t i = 0; i < n; i++) {
        differ |= words[i] ^ words[0];
    }
    return (uint32_t)(differ >> 32);
}

/* The lane's words, or the spare ones if `from` is among the words. */
static uint64_t *other_words(const job_u32 *job, const uint64_t *from, unsigned lane)
{
    uint64_t *words = usw_share(&job->words, lane);
    bool inside = (uintptr_t)from >= (uintptr_t)words &&
                  (uintptr_t)from < (uintptr_t)(words + job->words_keys);
    return inside ? words + job->words_keys : words;
}

#include "cpu/pair_sort/narrow_large_bucket.h"

/* Sorts a bucket of words, which may be among the lane's, to the outputs at position `at`. */
static void narrow_leaf(const job_u32 *job, uint64_t *from, size_t n, size_t at, unsigned lane)
{
    USW_ROUTE_PAIRS("a leaf");
    const usw_pair_sort *p = job->p;
    if (n > TAGS_MAX && leaf_of_heavy(job, from, n, at, lane)) {
        return;
    }
    uint32_t differ = differ_in(from, n) & job->mask;
    if (differ == 0) {
        USW_ROUTE("a leaf of one key");
        put_words(p, from, n, at);
        return;
    }
    if (n <= GROUP_LARGE && sort_clusters(p, differ, from, other_words(job, from, lane), n, at)) {
        return;
    }
    word_plan plan = plan_words(n, (uint64_t)differ << 32);
    uint32_t ends[GROUPS_MAX];
    ends[0] = (uint32_t)n;
    if (plan.groups > 1) {
        USW_ROUTE("a leaf is split into groups");
        uint64_t *to = other_words(job, from, lane);
        split_words(&plan, from, to, n, ends);
        from = to;
    }
    uint64_t *out = other_words(job, from, lane);
    for (uint32_t g = 0, begin = 0; g < plan.groups; begin = ends[g++]) {
        uint64_t *group = from + begin;
        size_t m = ends[g] - begin;
        if (m == 0 || sort_tagged(p, range_of_group(job, plan, (uint32_t)(*group >> 32)), group, m,
                                  at + begin)) {
            continue;
        }
        USW_ROUTE("a group of words");
        sort_group(group, out, m, plan.low, plan.shift);
        put_words(p, out, m, at + begin);
    }
}

static size_t bucket_start(const job_u32 *job, size_t d)
{
    return d == 0 ? 0 : job->ends[d - 1];
}

/* How many buckets are sorted by one task. */
static size_t narrow_each(const job_u32 *job)
{
    size_t some = usw_max(NARROW_TASK * (size_t)job->buckets / job->n, 1);
    return job->chunks == 1 ? job->buckets : some;
}

/* The words of bucket d, n of them, side by side: those of several chunks are brought to the lane's
 * spare ones. */
static uint64_t *narrow_words(const job_u32 *job, size_t d, unsigned lane)
{
    if (job->chunks == 1) {
        return piece_of(job, d, 0).words;
    }
    USW_ROUTE("a bucket of several chunks");
    uint64_t *spare = (uint64_t *)usw_share(&job->words, lane) + job->words_keys, *to = spare;
    for (size_t c = 0; c < job->chunks; c++) {
        piece from = piece_of(job, d, c);
        memcpy(to, from.words, from.n * sizeof *to);
        to += from.n;
    }
    return spare;
}

static void narrow_task(const job_u32 *job, size_t d, size_t end, unsigned lane)
{
    USW_ROUTE_PAIRS("buckets");
    for (; d < end; d++) {
        size_t begin = bucket_start(job, d), n = job->ends[d] - begin, at = job->base + begin;
        if (n == 0 || n > LEAF_KEYS) {
            continue;
        }
        uint64_t *words = narrow_words(job, d, lane);
        if (has_one_value(job, d)) {
            USW_ROUTE_PAIRS("a bucket of one key");
            put_words(job->p, words, n, at);
            continue;
        }
        tag_range holds = range_of_bucket(job, d, (uint32_t)(*words >> 32));
        if (!sort_tagged(job->p, holds, words, n, at)) {
            narrow_leaf(job, words, n, at, lane);
        }
    }
}

/* Which buckets share c of them all begins with; there are as many shares as chunks. */
static size_t share_start(const job_u32 *job, size_t c)
{
    return c * job->buckets / job->chunks;
}

/* A thread takes the buckets of its own share first, which in place are where its chunk was, and
 * then those of others. Each call finds one task. */
static void narrow_buckets(void *context, size_t t, unsigned lane)
{
    job_u32 *job = context;
    size_t each = narrow_each(job);
    (void)t;
    for (size_t k = 0; k < job->chunks; k++) {
        size_t share = (lane + k) % job->chunks, end = share_start(job, share + 1);
        size_t turn = atomic_fetch_add_explicit(&job->taken[share], 1, memory_order_relaxed);
        size_t d = share_start(job, share) + turn * each;
        if (d < end) {
            narrow_task(job, d, usw_min(d + each, end), lane);
            return;
        }
    }
}

/* How many tasks there are, none taken yet. */
static size_t narrow_tasks(job_u32 *job)
{
    size_t tasks = 0;
    for (size_t c = 0; c < job->chunks; c++) {
        size_t buckets = share_start(job, c + 1) - share_start(job, c);
        tasks += usw_div_up(buckets, narrow_each(job));
        atomic_init(&job->taken[c], 0);
    }
    return tasks;
}

#include "cpu/pair_sort/narrow_even.h"
#include "cpu/pair_sort/narrow_large_bucket_unpack.h"

/* Whether a bucket has more than `limit` keys. It will be split by the highest bits in which they
 * differ, which tell most if all buckets begin where these bits change. */
static bool is_crowded(const job_u32 *job, size_t limit)
{
    size_t most = 0;
    for (size_t d = 0; d < job->buckets; d++) {
        size_t count = 0;
        for (size_t c = 0; c < job->chunks; c++) {
            count += job->offsets[c * NARROW_APART + d];
        }
        most = usw_max(most, count);
    }
    return most > limit;
}

/* Sorts pairs whose buckets are counted but those in buckets that are too large and not all equal,
 * which go to the first way, and on the stack, whose new top is returned. */
static range *narrow_finish(upsweep *u, job_u32 *job, range *stack)
{
    job->far = job->lines.at != NULL && job->chunks > 1;
    narrow_scan(job);
    USW_ROUTE_PAIRS("counted, then scattered");
    usw_parallel(u, job->chunks, narrow_scatter, job);
    usw_parallel(u, narrow_tasks(job), narrow_buckets, job);
    for (unsigned d = 0; d < job->buckets; d++) {
        size_t begin = bucket_start(job, d), n = job->ends[d] - begin;
        if (n > LEAF_KEYS && !finish_rest(u, job, d)) {
            USW_ROUTE("a bucket that is split again");
            *stack++ = (range){job->base + begin, n, 0};
        }
    }
    return stack;
}

/* Sorts keys that a sample has shown to be uneven, as narrow_finish; false, with nothing done, if
 * there is no room for what it takes. */
static bool narrow_uneven(upsweep *u, job_u32 *job, range **stack)
{
    uint32_t differ = 0;
    if (!take_splitters(u, job)) {
        return false;
    }
    USW_ROUTE_PAIRS("splitters for uneven keys");
    size_t sampled = take_sample(job);
    job->shift = 32;
    job->below = job->mask;
    job->digits = job->split_digits;
    job->buckets = choose_splitters(job->splitters, sampled, narrow_wanted(job));
    usw_parallel(u, job->chunks, narrow_histogram, job);
    for (size_t c = 0; c < job->chunks; c++) {
        differ |= job->chunk_differ[c];
    }
    job->low = differ == 0 ? 0 : (unsigned)__builtin_ctz(differ);
    *stack = narrow_finish(u, job, *stack);
    return true;
}

/* Sorts keys that differ in `differ`, so few that they are one bucket, or so many that are close
 * together that they are better not split; false if they are neither. */
static bool narrow_whole(job_u32 *job, uint32_t differ)
{
    unsigned hi = 32 - (unsigned)__builtin_clz(differ);
    dense_range dense = {0, 0};
    look seen = job->n < WIDE_FROM || job->n > WIDE_MOST ? EVEN : look_at(job, hi, &dense);
    job->crowded = seen != EVEN;
    if (job->n > NARROW_WHOLE && seen != CLOSE) {
        return false;
    }
    USW_ROUTE_IF(seen == EVEN, "few, even", USW_ROUTE_DEFAULT);
    USW_ROUTE_IF(seen == CLOSE, "few, close together", USW_ROUTE_DEFAULT);
    USW_ROUTE_IF(seen == FEW, "few, many equal", USW_ROUTE_DEFAULT);
    uint64_t *spare = usw_share(&job->words, 0), *words = spare + job->words_keys;
    make_words(job, 0, job->n, words);
    if (seen != CLOSE) {
        narrow_leaf(job, words, job->n, job->base, 0);
    } else if (!sort_clusters(job->p, differ, words, spare, job->n, job->base) &&
               !sort_dense(job->p, job->mask, dense, words, spare, job->n, job->base)) {
        USW_ROUTE("few, close together: keys and places in 64 bits");
        sort_wide(job->p, job->mask, words, spare, job->n, job->base);
    }
    return true;
}

/* The keys differ in `differ`. Sorts as narrow_finish. */
static range *narrow_sort(upsweep *u, job_u32 *job, uint32_t differ, range *stack)
{
    unsigned hi = 32 - (unsigned)__builtin_clz(differ), lo = (unsigned)__builtin_ctz(differ);
    if (sort_one_digit(job, differ) || (job->n <= WIDE_MOST && narrow_whole(job, differ))) {
        return stack;
    }
    size_t wanted = narrow_wanted(job);
    job->shift = hi;
    job->low = lo;
    job->below = job->mask & bits_between_u32(0, hi);
    job->buckets = (unsigned)usw_min(wanted, (uint64_t)1 << (hi - lo));
    if (!job->crowded) {
        usw_parallel(u, job->chunks, narrow_histogram, job);
    }
    if (job->crowded || is_crowded(job, 4 * job->n / job->buckets)) {
        if (narrow_uneven(u, job, &stack)) {
            return stack;
        }
        USW_ROUTE("uneven keys by bits, as splitters are no more");
        unsigned bits = (unsigned)usw_min(usw_min(usw_log2_up(wanted), hi - lo), NARROW_DIGIT_MAX);
        job->buckets = 1u << bits;
        usw_parallel(u, job->chunks, narrow_histogram, job);
    }
    return narrow_finish(u, job, stack);
}
