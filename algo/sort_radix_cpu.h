/* sort_radix_cpu.h - radix sort by digits, CPU form.
 *
 * Same as the explained form: a stable split of the keys by one digit after the other, lowest
 * first, where a split is histogram, exclusive scan of the counts, scatter. Differs: digits have up
 * to 11 bits; all histograms of a run of passes come from one read; digits that are the same in all
 * keys are left out. Keys that do not fit the cache are first split by their highest digit (one
 * pass through memory; with AVX-512 writes are combined in 256-byte lines), then each bucket is
 * sorted by its lower digits inside the cache. A bucket needs no more bits than tell its keys
 * apart: the passes look at the highest log2(bucket) + 6 bits, or more if a sample says so, and an
 * insertion pass puts the few keys right that agree in all of them; keys for which that is not few
 * get the passes over all bits. Every step is stable, and so is the whole. Source: Knuth, The Art
 * of Computer Programming 3, 5.2.5; write combining after Satish et al., "Fast sort on CPUs and
 * GPUs", SIGMOD 2010, and Wassenberg and Sanders, 2011. */
/* SPDX-License-Identifier: MIT */
#include "cpu/body.h"
#include "cpu/cpu.h"

#ifndef USW_SORT_RADIX_ONCE
#define USW_SORT_RADIX_ONCE
#include "cpu/buckets/write_combining.h"

/* With narrow vectors, whose machines have small caches, a split goes to 16 buckets: so many lines
 * are written side by side without a detour, at less than half the cost; to 64 where there are
 * threads for them. */
enum {
    LINE_BYTES = 256, /* a write-combining buffer */
    SPLIT_BITS = USW_LEVEL == 2 ? 11 : 4,
    SHARED_BITS_MAX = 6,
    ONE_THREAD_BYTES = 128 * 1024, /* not split among threads */
    STREAM_BYTES = 2 << 20,        /* from here on a scatter goes round the cache */
    CHUNK_KEYS_MIN = 16 * 1024
};

/* A range of keys still to be sorted: in the keys (side 0) or in the scratch (side 1). */
typedef struct range {
    size_t start, n;
    unsigned side;
} range;
#endif

#include "cpu/buckets/digits_in_cache.h"

/* In bytes: what is not split by one thread, and what is wanted for a bucket. */
enum {
    FN(LEAF) = (USW_LEVEL == 2 ? 256 : 512) * 1024 / sizeof(KEY),
    FN(AIM) = (USW_LEVEL == 2 ? 64 : 256) * 1024 / sizeof(KEY)
};

/* By how many of the highest bits in `differ` n keys are split: `most`, if they do not crowd. */
static unsigned FN(split_bits)(const KEY *k, size_t n, KEY differ, unsigned most)
{
    unsigned all = FN(high_bit)(differ) + 1 - FN(low_bit)(differ);
    unsigned wanted = (unsigned)usw_min(most, usw_max(4, usw_log2_up(n / FN(AIM) + 1)));
    unsigned bits = (unsigned)usw_min(DIGIT_MAX, wanted + FN(crowded_bits)(k, n, differ));
    return (unsigned)usw_min(all, bits);
}

static void FN(move_far)(const KEY *k, size_t n, KEY *to, size_t *offset, unsigned shift,
                         unsigned mask)
{
    FN(move_keys)(k, to, n, offset, shift, mask, true);
}

static void FN(count_digit)(const KEY *k, size_t n, size_t *count, unsigned shift, unsigned mask)
{
    memset(count, 0, (mask + (size_t)1) * sizeof *count);
    USW_UNROLL_4
    for (size_t i = 0; i < n; i++) {
        count[(unsigned)(k[i] >> shift) & mask]++;
    }
}

/* As leaf, for any number of keys that differ at most in the bits `differ`. */
static void FN(sort_by_one_thread)(KEY *from, KEY *other, KEY *to, size_t n, KEY differ, KEY flip)
{
    differ &= n > INSERTION_MAX ? FN(differences)(from, n) : differ;
    if (n <= FN(LEAF) || differ == 0) {
        USW_ROUTE("a leaf");
        FN(leaf)(from, other, to, n, differ, flip);
        return;
    }
    USW_ROUTE("split by one thread");
    unsigned bits = FN(split_bits)(from, n, differ, SPLIT_BITS);
    unsigned shift = FN(high_bit)(differ) + 1 - bits;
    unsigned mask = (1u << bits) - 1, flip_digit = (unsigned)(flip >> shift) & mask;
    size_t offset[BUCKETS_MAX], sum = 0;
    FN(count_digit)(from, n, offset, shift, mask);
    for (unsigned i = 0; i <= mask; i++) {
        size_t *at = &offset[i ^ flip_digit], count = *at;
        *at = sum;
        sum += count;
    }
    FN(move_far)(from, n, other, offset, shift, mask);
    differ &= FN(bits_between)(0, shift);
    for (size_t i = 0, at = 0; i <= mask; at = offset[i++ ^ flip_digit]) {
        FN(sort_by_one_thread)
        (other + at, from + at, to + at, offset[i ^ flip_digit] - at, differ, flip);
    }
}

/* ---- out of the cache: one split by the highest digit, in parallel ---- */

typedef struct FN(job) {
    KEY *side[2]; /* the caller's keys, scratch */
    KEY *from, *to;
    size_t n, chunk_keys, chunks;
    unsigned shift, buckets;
    unsigned to_side;
    KEY mask, differ, below; /* bits to sort by; those that differ; those under the digit */
    KEY flip;                /* bits whose opposites are sorted by */
    KEY *chunk_differ;       /* one per chunk */
    bool *chunk_unsorted;
    size_t *offsets;   /* [chunk][bucket] */
    size_t *ends;      /* [bucket] */
    usw_shares lines;  /* [lane][BUCKETS_MAX] of LINE_BYTES, or none */
    usw_shares starts; /* [lane][BUCKETS_MAX] */
    size_t base;       /* of the range that is being split */
    size_t share;      /* keys; a larger bucket is for all threads */
} FN(job);

static size_t FN(chunk_end)(const FN(job) * job, size_t c)
{
    return usw_min(job->n, (c + 1) * job->chunk_keys);
}

static void FN(look)(void *context, size_t c, unsigned lane)
{
    FN(job) *job = context;
    const KEY *k = job->from;
    KEY mask = job->mask, flip = job->flip, first = k[0], differ = 0, down = 0;
    size_t i = usw_max(c * job->chunk_keys, 1), end = FN(chunk_end)(job, c);
    (void)lane;
    while (i < end && !down) {
        for (size_t stop = usw_min(end, i + 2048); i < stop; i++) {
            differ |= k[i] ^ first;
            down |= (KEY)(FN(rank)(k[i - 1], mask, flip) > FN(rank)(k[i], mask, flip));
        }
    }
    for (; i < end; i++) {
        differ |= k[i] ^ first;
    }
    job->chunk_differ[c] = differ;
    job->chunk_unsorted[c] = down != 0;
}

static void FN(histogram)(void *context, size_t c, unsigned lane)
{
    FN(job) *job = context;
    size_t begin = c * job->chunk_keys, end = FN(chunk_end)(job, c);
    (void)lane;
    FN(count_digit)
    (job->from + begin, end - begin, job->offsets + c * job->buckets, job->shift, job->buckets - 1);
}

/* Bucket by bucket, and inside a bucket chunk by chunk: so that the split is stable. */
static void FN(scan)(FN(job) * job)
{
    unsigned flip_digit = (unsigned)(job->flip >> job->shift) & (job->buckets - 1);
    size_t sum = 0;
    for (unsigned i = 0; i < job->buckets; i++) {
        unsigned d = i ^ flip_digit;
        for (size_t c = 0; c < job->chunks; c++) {
            size_t count = job->offsets[c * job->buckets + d];
            job->offsets[c * job->buckets + d] = sum;
            sum += count;
        }
        job->ends[i] = sum;
    }
}

#if USW_LEVEL == 2
/* Keys gather in a line for each bucket; full lines are written at once. Lines are aligned in the
 * destination, so a bucket's first and last may be shorter. */
static void FN(scatter_far)(FN(job) * job, size_t c, unsigned lane)
{
    USW_ROUTE("a scatter round the cache");
    enum { W = LINE_BYTES / sizeof(KEY) };
    const KEY *k = job->from;
    unsigned shift = job->shift, m = job->buckets - 1;
    size_t skew = (uintptr_t)job->to % LINE_BYTES / sizeof(KEY), end = FN(chunk_end)(job, c);
    size_t *offset = job->offsets + c * job->buckets;
    size_t *start = usw_share(&job->starts, lane);
    KEY *line = usw_share(&job->lines, lane);
    for (unsigned d = 0; d <= m; d++) {
        start[d] = offset[d] += skew;
    }
    for (size_t i = c * job->chunk_keys; i < end; i++) {
        KEY key = k[i];
        unsigned d = (unsigned)(key >> shift) & m;
        size_t at = offset[d]++;
        line[d * W + at % W] = key;
        if (at % W == W - 1) {
            size_t begin = at + 1 - W;
            if (begin >= start[d]) {
                stream_line(job->to + (begin - skew), line + d * W, LINE_BYTES);
            } else {
                memcpy(job->to + (start[d] - skew), line + d * W + start[d] % W,
                       (at + 1 - start[d]) * sizeof(KEY));
            }
        }
    }
    for (unsigned d = 0; d <= m; d++) {
        size_t begin = usw_max(start[d], offset[d] / W * W);
        memcpy(job->to + (begin - skew), line + d * W + begin % W,
               (offset[d] - begin) * sizeof(KEY));
    }
    stream_end();
}
#endif

static void FN(scatter)(void *context, size_t c, unsigned lane)
{
    FN(job) *job = context;
#if USW_LEVEL == 2
    if (job->n * sizeof(KEY) >= STREAM_BYTES && job->lines.at != NULL) {
        FN(scatter_far)(job, c, lane);
        return;
    }
#endif
    USW_ROUTE("a scatter through the cache");
    size_t begin = c * job->chunk_keys, end = FN(chunk_end)(job, c);
    (void)lane;
    FN(move_far)
    (job->from + begin, end - begin, job->to, job->offsets + c * job->buckets, job->shift,
     job->buckets - 1);
}

static void FN(sort_bucket)(void *context, size_t d, unsigned lane)
{
    USW_ROUTE("a bucket");
    FN(job) *job = context;
    size_t begin = d == 0 ? 0 : job->ends[d - 1], n = job->ends[d] - begin;
    (void)lane;
    if (n > 0 && n <= job->share) {
        KEY *from = job->side[job->to_side] + job->base + begin;
        KEY *other = job->side[!job->to_side] + job->base + begin;
        FN(sort_by_one_thread)(from, other, job->to_side ? other : from, n, job->below, job->flip);
    }
}

/* Sorts or splits one range; ranges that remain are pushed on the stack, whose new top is returned.
 */
static range *FN(step)(upsweep *u, FN(job) * job, range r, range *stack)
{
    KEY *final = job->side[0] + r.start;
    job->from = job->side[r.side] + r.start;
    job->to = job->side[!r.side] + r.start;
    job->to_side = !r.side;
    job->base = r.start;
    job->n = r.n;
    job->chunks =
        usw_min(u->threads == 1 ? 1 : (size_t)u->threads * 4, usw_div_up(r.n, CHUNK_KEYS_MIN));
    job->chunk_keys = usw_div_up(r.n, job->chunks);
    usw_parallel(u, job->chunks, FN(look), job);
    bool sorted = true;
    KEY differ = 0;
    for (size_t c = 0; c < job->chunks; c++) {
        differ |= job->chunk_differ[c] & job->mask;
        sorted = sorted && !job->chunk_unsorted[c];
    }
    if (sorted) {
        USW_ROUTE("a range in order");
        if (r.side) {
            memcpy(final, job->from, r.n * sizeof(KEY));
        }
        return stack;
    }
    if (r.n <= (u->threads == 1 ? FN(LEAF) : ONE_THREAD_BYTES / sizeof(KEY))) {
        USW_ROUTE("a range that one thread sorts");
        FN(leaf)(job->from, job->to, final, r.n, differ, job->flip);
        return stack;
    }
    USW_ROUTE("a range that all threads split");
    unsigned shares = (unsigned)usw_min(SHARED_BITS_MAX, usw_log2_up(4 * (size_t)u->threads));
    unsigned bits = FN(split_bits)(job->from, r.n, differ, (unsigned)usw_max(SPLIT_BITS, shares));
    job->shift = FN(high_bit)(differ) + 1 - bits;
    job->buckets = 1u << bits;
    job->below = differ & FN(bits_between)(0, job->shift);
    usw_parallel(u, job->chunks, FN(histogram), job);
    FN(scan)(job);
    usw_parallel(u, job->chunks, FN(scatter), job);
    usw_parallel(u, job->buckets, FN(sort_bucket), job);
    for (unsigned d = 0; d < job->buckets; d++) {
        size_t begin = d == 0 ? 0 : job->ends[d - 1], n = job->ends[d] - begin;
        if (n > job->share) {
            USW_ROUTE("a bucket that all threads split again");
            *stack++ = (range){r.start + begin, n, job->to_side};
        }
    }
    return stack;
}

/* ---- the whole ---- */

static upsweep_status FN(sort_flipped)(upsweep *u, void *keys, size_t n, unsigned lo, unsigned hi,
                                       uint64_t flip)
{
    FN(job) job = {.mask = FN(bits_between)(lo, hi), .flip = (KEY)flip};
    if (n <= INSERTION_MAX) {
        USW_ROUTE("few: by insertion");
        (void)FN(insert)(keys, keys, n, job.mask, job.flip, SIZE_MAX);
        return UPSWEEP_OK;
    }
    size_t chunks = (size_t)u->threads * 4;
    bool far = USW_LEVEL == 2 && n * sizeof(KEY) >= STREAM_BYTES;
    job.side[0] = keys;
    job.side[1] = usw_scratch(u, n * sizeof(KEY));
    job.chunk_differ = usw_scratch(u, chunks * sizeof(KEY));
    job.chunk_unsorted = usw_scratch(u, chunks * sizeof(bool));
    job.offsets = usw_scratch(u, chunks * BUCKETS_MAX * sizeof(size_t));
    job.ends = usw_scratch(u, BUCKETS_MAX * sizeof(size_t));
    if (far) {
        job.lines = usw_scratch_shares(u, u->threads, (size_t)BUCKETS_MAX * LINE_BYTES);
        job.starts = usw_scratch_shares(u, u->threads, BUCKETS_MAX * sizeof(size_t));
    }
    job.share = USW_LEVEL == 2    ? FN(LEAF)
                : u->threads == 1 ? SIZE_MAX
                                  : usw_max(FN(LEAF), n / (4 * (size_t)u->threads));
    range *stack = usw_scratch(u, (n / FN(LEAF) + 2) * sizeof(range));
    if (!job.side[1] || !job.chunk_differ || !job.chunk_unsorted || !job.offsets || !job.ends ||
        (far && (!job.lines.at || !job.starts.at)) || !stack) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "sort/radix needs scratch for %zu keys", n);
    }
    range *top = stack;
    *top++ = (range){0, n, 0};
    while (top != stack) {
        range r = *--top;
        top = FN(step)(u, &job, r, top);
    }
    return UPSWEEP_OK;
}

static upsweep_status FN(sort)(upsweep *u, void *keys, size_t n, unsigned lo, unsigned hi)
{
    return FN(sort_flipped)(u, keys, n, lo, hi, 0);
}

#if KEY_BITS == 128
static void sort_in_cache(uint64_t *keys, uint64_t *spare, size_t n, uint64_t differ)
{
    leaf_u64(keys, spare, keys, n, differ, 0);
}

const usw_digit_steps USW_SYMBOL(usw_digit_steps) = {
    .sort = sort_in_cache,
    .sort_flipped = {sort_flipped_u8, sort_flipped_u16, sort_flipped_u32, sort_flipped_u64}};
USW_SORT_FORM(sort_radix, .takes_bits = true)
#endif
