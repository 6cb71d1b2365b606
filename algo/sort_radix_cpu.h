/* sort_radix_cpu.h - radix sort by digits, CPU form.
 *
 * Same as the explained form: a stable split of the keys by one digit after the other, lowest
 * first, where a split is histogram, exclusive scan of the counts, scatter. Differs: digits have up
 * to 11 bits; all histograms of a run of passes come from one read; digits that are the same in all
 * keys are left out. Keys that do not fit the cache are first split by their highest digit (one
 * pass through memory, writes combined in 256-byte lines), then each bucket is sorted by its lower
 * digits inside the cache. A bucket needs no more bits than tell its keys apart: the passes look at
 * the highest log2(bucket) + 7 bits, and an insertion pass puts the few keys right that agree in
 * all of them; keys for which that is not few get the passes over all bits. Every step is stable,
 * and so is the whole. Source: Knuth, The Art of Computer Programming 3, 5.2.5; write combining
 * after Satish et al., "Fast sort on CPUs and GPUs", SIGMOD 2010, and Wassenberg and Sanders, 2011.
 */
#include "core/cpu_body.h"
#include "core/parts.h"

#ifndef USW_SORT_RADIX_ONCE
#define USW_SORT_RADIX_ONCE
#include "part_lines.h"

enum {
    DIGIT_MAX = 11,
    BUCKETS_MAX = 1 << DIGIT_MAX,
    GROUP = 4,               /* passes whose histograms are taken in one read */
    INSERTION_MAX = 24,      /* keys */
    LINE_BYTES = 256,        /* a write-combining buffer */
    LEAF_BYTES = 256 * 1024, /* sorted by one thread inside its cache */
    AIM_BYTES = 64 * 1024,   /* wanted for an average bucket */
    STREAM_BYTES = 2 << 20,  /* from here on a scatter goes round the cache */
    CHUNK_KEYS_MIN = 16 * 1024
};

/* A range of keys still to be sorted: in the keys (side 0) or in the scratch (side 1). */
typedef struct range {
    size_t start, n;
    unsigned side;
} range;
#endif

/* ---- words ---- */

static inline KEY FN(bits_between)(unsigned lo, unsigned hi)
{
    KEY all = (KEY) ~(KEY)0;
    return lo >= hi ? 0 : (KEY)((KEY)(all >> (KEY_BITS - (hi - lo))) << lo);
}

/* The number of the highest (lowest) bit set; x is not 0. */
static inline unsigned FN(high_bit)(KEY x)
{
#if KEY_BITS == 128
    uint64_t top = (uint64_t)(x >> 64);
    return top ? 127u - (unsigned)__builtin_clzll(top)
               : 63u - (unsigned)__builtin_clzll((uint64_t)x);
#else
    return 63u - (unsigned)__builtin_clzll(x);
#endif
}

static inline unsigned FN(low_bit)(KEY x)
{
#if KEY_BITS == 128
    uint64_t low = (uint64_t)x;
    return low ? (unsigned)__builtin_ctzll(low)
               : 64u + (unsigned)__builtin_ctzll((uint64_t)(x >> 64));
#else
    return (unsigned)__builtin_ctzll(x);
#endif
}

/* Puts from[0 .. n) in order in to[0 .. n), which may be the same array. Gives up, with all keys in
 * `to`, once more than `budget` keys had to move. */
static bool FN(insert)(const KEY *from, KEY *to, size_t n, KEY mask, size_t budget)
{
    for (size_t i = 0; i < n; i++) {
        KEY k = from[i];
        size_t j = i;
        for (; j > 0 && (to[j - 1] & mask) > (k & mask); j--) {
            to[j] = to[j - 1];
        }
        to[j] = k;
        if (i - j > budget) {
            memmove(to + i + 1, from + i + 1, (n - i - 1) * sizeof(KEY));
            return false;
        }
        budget -= i - j;
    }
    return true;
}

/* ---- in the cache: passes from the lowest digit up ---- */

/* Sorts by the bits [lo, hi) in up to GROUP passes. Returns where the keys are: a or b. */
static KEY *FN(passes)(KEY *a, KEY *b, size_t n, unsigned lo, unsigned hi, unsigned digit_bits)
{
    uint32_t counts[GROUP][BUCKETS_MAX];
    unsigned passes = (hi - lo + digit_bits - 1) / digit_bits;
    unsigned mask = (1u << digit_bits) - 1;
    unsigned last_mask = (1u << (hi - lo - (passes - 1) * digit_bits)) - 1;
    for (unsigned p = 0; p < passes; p++) {
        memset(counts[p], 0, (mask + 1) * sizeof counts[p][0]);
    }
    for (size_t i = 0; i < n; i++) {
        KEY k = (KEY)(a[i] >> lo);
        for (unsigned p = 0; p + 1 < passes; p++) {
            counts[p][(unsigned)k & mask]++;
            k = (KEY)(k >> digit_bits);
        }
        counts[passes - 1][(unsigned)k & last_mask]++;
    }
    for (unsigned p = 0; p < passes; p++) {
        unsigned shift = lo + p * digit_bits, m = p + 1 == passes ? last_mask : mask;
        uint32_t *offset = counts[p], sum = 0;
        if (offset[(unsigned)(a[0] >> shift) & m] == n) {
            continue;
        }
        for (unsigned d = 0; d <= m; d++) {
            uint32_t count = offset[d];
            offset[d] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n; i++) {
            KEY k = a[i];
            b[offset[(unsigned)(k >> shift) & m]++] = k;
        }
        KEY *t = a;
        a = b;
        b = t;
    }
    return a;
}

/* Sorts keys that differ in the bits `differ` only; they are in `from`, go to `to`, and the two are
 * the same array or the other of the two is spare. */
static void FN(leaf)(KEY *from, KEY *spare, KEY *to, size_t n, KEY differ)
{
    if (n <= INSERTION_MAX || differ == 0) {
        (void)FN(insert)(from, to, n, differ, SIZE_MAX);
        return;
    }
    unsigned hi = FN(high_bit)(differ) + 1, lo = FN(low_bit)(differ), all = hi - lo;
    unsigned digit_max = (unsigned)usw_min(DIGIT_MAX, usw_max(usw_log2_up(n), 6));
    unsigned bits = (unsigned)usw_min(all, usw_log2_up(n) + 7);
    unsigned passes = (bits + digit_max - 1) / digit_max;
    unsigned digit = (unsigned)usw_min(digit_max, (all + passes - 1) / passes);
    bits = (unsigned)usw_min(all, passes * digit);
    KEY *at = FN(passes)(from, spare, n, hi - bits, hi, digit);
    if (bits == all) {
        if (at != to) {
            memcpy(to, at, n * sizeof(KEY));
        }
        return;
    }
    if (FN(insert)(at, to, n, differ, n)) {
        return;
    }
    at = to;
    spare = to == from ? spare : from;
    for (unsigned b = lo; b < hi; b += GROUP * DIGIT_MAX) {
        KEY *was = at;
        at = FN(passes)(at, spare, n, b, (unsigned)usw_min(hi, b + GROUP * DIGIT_MAX), DIGIT_MAX);
        spare = at == was ? spare : was;
    }
    if (at != to) {
        memcpy(to, at, n * sizeof(KEY));
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
    KEY *chunk_differ;       /* one per chunk */
    bool *chunk_unsorted;
    size_t *offsets;      /* [chunk][bucket] */
    size_t *ends;         /* [bucket] */
    unsigned char *lines; /* [lane][BUCKETS_MAX] of LINE_BYTES, or NULL */
    size_t *starts;       /* [lane][BUCKETS_MAX] */
    size_t base;          /* of the range that is being split */
} FN(job);

static size_t FN(chunk_end)(const FN(job) * job, size_t c)
{
    return usw_min(job->n, (c + 1) * job->chunk_keys);
}

static void FN(look)(void *context, size_t c, unsigned lane)
{
    FN(job) *job = context;
    const KEY *k = job->from;
    KEY mask = job->mask, first = k[0], differ = 0, down = 0;
    size_t i = usw_max(c * job->chunk_keys, 1), end = FN(chunk_end)(job, c);
    (void)lane;
    while (i < end && !down) {
        for (size_t stop = usw_min(end, i + 2048); i < stop; i++) {
            differ |= k[i] ^ first;
            down |= (KEY)((k[i - 1] & mask) > (k[i] & mask));
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
    const KEY *k = job->from;
    unsigned shift = job->shift, m = job->buckets - 1;
    size_t *count = job->offsets + c * job->buckets, end = FN(chunk_end)(job, c);
    (void)lane;
    memset(count, 0, job->buckets * sizeof *count);
    for (size_t i = c * job->chunk_keys; i < end; i++) {
        count[(unsigned)(k[i] >> shift) & m]++;
    }
}

/* Bucket by bucket, and inside a bucket chunk by chunk: so that the split is stable. */
static void FN(scan)(FN(job) * job)
{
    size_t sum = 0;
    for (unsigned d = 0; d < job->buckets; d++) {
        for (size_t c = 0; c < job->chunks; c++) {
            size_t count = job->offsets[c * job->buckets + d];
            job->offsets[c * job->buckets + d] = sum;
            sum += count;
        }
        job->ends[d] = sum;
    }
}

static void FN(scatter_near)(FN(job) * job, size_t c)
{
    const KEY *k = job->from;
    KEY *to = job->to;
    unsigned shift = job->shift, m = job->buckets - 1;
    size_t *offset = job->offsets + c * job->buckets, end = FN(chunk_end)(job, c);
    for (size_t i = c * job->chunk_keys; i < end; i++) {
        KEY key = k[i];
        to[offset[(unsigned)(key >> shift) & m]++] = key;
    }
}

/* Keys gather in a line for each bucket; full lines are written at once. Lines are aligned in the
 * destination, so a bucket's first and last may be shorter. */
static void FN(scatter_far)(FN(job) * job, size_t c, unsigned lane)
{
    enum { W = LINE_BYTES / sizeof(KEY) };
    const KEY *k = job->from;
    unsigned shift = job->shift, m = job->buckets - 1;
    size_t skew = (uintptr_t)job->to % LINE_BYTES / sizeof(KEY), end = FN(chunk_end)(job, c);
    size_t *offset = job->offsets + c * job->buckets;
    size_t *start = job->starts + (size_t)lane * BUCKETS_MAX;
    KEY *line = (KEY *)(void *)(job->lines + (size_t)lane * BUCKETS_MAX * LINE_BYTES);
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

static void FN(scatter)(void *context, size_t c, unsigned lane)
{
    FN(job) *job = context;
    if (job->n * sizeof(KEY) >= STREAM_BYTES && job->lines != NULL) {
        FN(scatter_far)(job, c, lane);
    } else {
        FN(scatter_near)(job, c);
    }
}

static void FN(sort_bucket)(void *context, size_t d, unsigned lane)
{
    FN(job) *job = context;
    size_t begin = d == 0 ? 0 : job->ends[d - 1], n = job->ends[d] - begin;
    (void)lane;
    if (n > 0 && n * sizeof(KEY) <= LEAF_BYTES) {
        KEY *from = job->side[job->to_side] + job->base + begin;
        KEY *other = job->side[!job->to_side] + job->base + begin;
        FN(leaf)(from, other, job->to_side ? other : from, n, job->below);
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
        if (r.side) {
            memcpy(final, job->from, r.n * sizeof(KEY));
        }
        return stack;
    }
    if (r.n * sizeof(KEY) <= LEAF_BYTES / (u->threads > 1 ? 2 : 1)) {
        FN(leaf)(job->from, job->to, final, r.n, differ);
        return stack;
    }
    unsigned hi = FN(high_bit)(differ) + 1, lo = FN(low_bit)(differ);
    unsigned wanted = usw_log2_up(r.n * sizeof(KEY) / AIM_BYTES + 1);
    unsigned bits = (unsigned)usw_min(usw_min(hi - lo, DIGIT_MAX), usw_max(wanted, 4));
    job->shift = hi - bits;
    job->buckets = 1u << bits;
    job->below = differ & FN(bits_between)(0, job->shift);
    usw_parallel(u, job->chunks, FN(histogram), job);
    FN(scan)(job);
    usw_parallel(u, job->chunks, FN(scatter), job);
    usw_parallel(u, job->buckets, FN(sort_bucket), job);
    for (unsigned d = 0; d < job->buckets; d++) {
        size_t begin = d == 0 ? 0 : job->ends[d - 1], n = job->ends[d] - begin;
        if (n * sizeof(KEY) > LEAF_BYTES) {
            *stack++ = (range){r.start + begin, n, job->to_side};
        }
    }
    return stack;
}

/* ---- the whole ---- */

static upsweep_status FN(sort)(upsweep *u, void *keys, size_t n, unsigned lo, unsigned hi)
{
    FN(job) job = {.mask = FN(bits_between)(lo, hi)};
    if (n <= INSERTION_MAX) {
        (void)FN(insert)(keys, keys, n, job.mask, SIZE_MAX);
        return UPSWEEP_OK;
    }
    size_t chunks = (size_t)u->threads * 4;
    bool far = n * sizeof(KEY) >= STREAM_BYTES;
    job.side[0] = keys;
    job.side[1] = usw_scratch(u, n * sizeof(KEY));
    job.chunk_differ = usw_scratch(u, chunks * sizeof(KEY));
    job.chunk_unsorted = usw_scratch(u, chunks * sizeof(bool));
    job.offsets = usw_scratch(u, chunks * BUCKETS_MAX * sizeof(size_t));
    job.ends = usw_scratch(u, BUCKETS_MAX * sizeof(size_t));
    job.lines = far ? usw_scratch(u, (size_t)u->threads * BUCKETS_MAX * LINE_BYTES) : NULL;
    job.starts = far ? usw_scratch(u, (size_t)u->threads * BUCKETS_MAX * sizeof(size_t)) : NULL;
    range *stack = usw_scratch(u, (n * sizeof(KEY) / LEAF_BYTES + 2) * sizeof(range));
    if (!job.side[1] || !job.chunk_differ || !job.chunk_unsorted || !job.offsets || !job.ends ||
        (far && (!job.lines || !job.starts)) || !stack) {
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

#if KEY_BITS == 128
static void sort_in_cache(uint64_t *keys, uint64_t *spare, size_t n, uint64_t differ)
{
    leaf_u64(keys, spare, keys, n, differ);
}

const usw_part_lsd USW_SYMBOL(usw_part_lsd) = {.sort = sort_in_cache};
USW_SORT_FORM(sort_radix, .takes_bits = true)
#endif
