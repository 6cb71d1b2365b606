/* pair_sort_cpu.h - the stable sort of keys that carry payloads: a range of pairs is split into
 * buckets until each bucket is a leaf, which one thread sorts inside its cache.
 *
 * Keys and payloads are split together by the highest bits in which the keys differ: one stable
 * pass through memory, with writes combined. In a leaf, 32 bits of the key and the position in the
 * bucket make one 64-bit word; words are distinct, so the fastest sort of plain integers gives the
 * stable order, and no comparison ever follows an index. The payloads are then fetched through the
 * positions, inside the cache. Wide keys that agree in those 32 bits are rare and are ordered by
 * the bits below. Buckets that are too large for a leaf are split again. Source: the hybrid sort
 * (sort/hybrid), with key and position packed. */
/* SPDX-License-Identifier: MIT */
#include "cpu/body.h"
#include "cpu/cpu.h"

#include <stdatomic.h>

#ifndef USW_CPU_PAIR_SORT_PAIR_SORT_CPU_H
#define USW_CPU_PAIR_SORT_PAIR_SORT_CPU_H
#include "cpu/buckets/write_combining.h"
#if USW_LEVEL >= 1
#include "cpu/pair_sort/sort_by_tags.h"
#endif

enum {
    DIGIT_MAX = 11,
    BUCKETS_MAX = 1 << DIGIT_MAX,
    LEAF_KEYS = 64 * 1024,       /* keys of a leaf, at most */
    BUCKET_BYTES = 512 * 1024,   /* wanted for an average bucket and its words */
    LINE_BYTES_MAX = 640 * 1024, /* write-combining lines that a thread may keep in its cache */
    PAST_CACHE_BYTES = 32 << 20, /* of a range, from which on its scatter writes past the cache */
    PREFETCH_BYTES = 1 << 20,    /* of a range, from which on a bucket's next line is prefetched */
    CHUNK_MIN = 32 * 1024,       /* fewer keys are sorted before a second thread is awake */
    THREAD_BYTES = 1 << 20,      /* fewer, of keys and payloads that are not one word: one thread */
    NARROW_VALUES_FROM = 4096 /* fewer keys of 32 bits are sorted as fast whatever their values */
};

/* A range of pairs that is still to be sorted: mapped, in buffer 0 or 1, or not yet mapped, in the
 * input. */
enum { INPUT = 2 };
typedef struct range {
    size_t start, n;
    unsigned buffer;
} range;

typedef struct splitters splitters;           /* cpu/pair_sort/narrow_quantiles.h */
typedef struct wide_splitters wide_splitters; /* cpu/pair_sort/wide_keys_quantiles.h */

#define ALWAYS static inline __attribute__((always_inline))

/* PAST_CACHE_BYTES, but in builds for tests as many times less as the handle's threads share
 * arrays earlier, so that arrays of a test's size are scattered past the cache, too. */
static inline size_t past_cache_bytes(const upsweep *u)
{
#ifdef USW_CHECKED
    return usw_min(PAST_CACHE_BYTES, 2 * u->tuning.thread_bytes);
#else
    (void)u;
    return PAST_CACHE_BYTES;
#endif
}

/* Calls the inlined function with the payload size as a constant. */
#define FOR_PAYLOAD(bytes, call)                                                                   \
    switch (bytes) {                                                                               \
    case 1:                                                                                        \
        USW_ROUTE_OF(#call ", 1 bytes", USW_NO_TYPES);                                             \
        call(1);                                                                                   \
        break;                                                                                     \
    case 2:                                                                                        \
        USW_ROUTE_OF(#call ", 2 bytes", USW_NO_TYPES);                                             \
        call(2);                                                                                   \
        break;                                                                                     \
    case 4:                                                                                        \
        USW_ROUTE_OF(#call ", 4 bytes", USW_NO_TYPES);                                             \
        call(4);                                                                                   \
        break;                                                                                     \
    case 8:                                                                                        \
        USW_ROUTE_OF(#call ", 8 bytes", USW_NO_TYPES);                                             \
        call(8);                                                                                   \
        break;                                                                                     \
    default:                                                                                       \
        USW_ROUTE_OF(#call ", 16 bytes", USW_NO_TYPES);                                            \
        call(16);                                                                                  \
        break;                                                                                     \
    }

ALWAYS void put_payload(char *to, size_t j, const char *from, size_t i, size_t bytes)
{
    if (from != NULL) {
        memcpy(to + j * bytes, from + i * bytes, bytes);
    } else if (bytes <= sizeof i) {
        memcpy(to + j * bytes, &i, bytes); /* the low end of the position comes first */
    }
}
#endif

#if KEY_BITS <= 64

/* The key map of a range's keys; all 0 after the first split, whose keys are mapped. */
typedef struct FN(key_map) {
    KEY neg, pos, add;
} FN(key_map);

/* The sort, and the range at hand: n pairs of `from`, which are split or sorted to the places from
 * `base` on. */
typedef struct FN(job) {
    const usw_pair_sort *p;
    FN(key_map) map;
    KEY mask;  /* the bits that keys are sorted by */
    KEY below; /* the bits that may differ inside a bucket */
    const KEY *from;
    const char *from_payloads;
    KEY *to;
    char *to_payloads;
    size_t base, n, chunk, chunks;
    size_t thread_keys; /* from which on there is more than one chunk */
    unsigned shift, low, buckets, to_buffer;
    bool past_cache; /* the scatter writes whole lines past the cache */
    bool uneven;     /* a sample says that some buckets would have far more keys than others */
    size_t line_bytes;
    KEY *chunk_differ;      /* [chunk] */
    size_t *offsets, *ends; /* [chunk][bucket], [bucket] */
    usw_shares starts;      /* [lane][bucket] */
    atomic_size_t *taken;   /* [chunk] tasks of its share of the buckets */
    usw_shares lines;       /* [lane][bucket] keys, then payloads; or none */
    size_t words_keys;
    size_t stride;        /* words from one bucket's start to the next; 0: buckets have no gaps */
    size_t split_keys;    /* keys that splitters have split so far, all passes */
    splitters *splitters; /* of 32-bit keys, where they were needed */
    wide_splitters *wide_splitters;  /* of 64-bit keys */
    uint16_t *digits, *split_digits; /* [key] its bucket by splitters; NULL: none */
    usw_shares words;                /* [lane] words_keys, and as many spare ones */
    usw_shares leaf_digits;          /* [lane] words_keys, for units (wide_keys.h); or none */
} FN(job);

ALWAYS KEY FN(mapped)(FN(key_map) map, KEY raw)
{
    KEY below = (KEY)(0 - (KEY)(raw >> (KEY_BITS - 1)));
    return (KEY)((raw ^ (below & map.neg) ^ map.pos) + map.add);
}

ALWAYS KEY FN(unmapped)(const usw_keymap *map, KEY key)
{
    KEY y = (KEY)((KEY)(key - (KEY)map->add) ^ (KEY)map->pos);
    return (KEY)(y ^ ((KEY)(0 - (KEY)(y >> (KEY_BITS - 1))) & (KEY)map->neg));
}

static inline KEY FN(bits_between)(unsigned lo, unsigned hi)
{
    return lo >= hi ? 0 : (KEY)((UINT64_MAX >> (64 - (hi - lo))) << lo);
}

static size_t FN(chunk_end)(const FN(job) * job, size_t c)
{
    return usw_min(job->n, (c + 1) * job->chunk);
}

#if KEY_BITS == 64 && USW_LEVEL >= 1
#include "cpu/pair_sort/wide_keys_quantiles.h"
#endif
#include "cpu/pair_sort/split.h"
#include "cpu/pair_sort/leaf.h"
#if KEY_BITS == 64 && USW_LEVEL >= 1
#if USW_LEVEL == 2
#include "cpu/pair_sort/wide_upper_words.h"
#endif
#include "cpu/pair_sort/wide_keys.h"
#endif

/* ---- a range ---- */

static void FN(enter_range)(upsweep *u, FN(job) * job, range r)
{
    const usw_pair_sort *p = job->p;
    bool raw = r.buffer == INPUT;
    job->map = (FN(key_map)){0};
    if (raw) {
        job->map = (FN(key_map)){(KEY)p->map.neg, (KEY)p->map.pos, (KEY)p->map.add};
    }
    job->base = r.start;
    job->stride = 0;
    job->uneven = false;
    job->digits = NULL;
    job->n = r.n;
    job->from = raw ? p->keys : (const KEY *)p->buffer_keys[r.buffer] + r.start;
    job->from_payloads =
        raw ? p->payloads : (const char *)p->buffer_payloads[r.buffer] + r.start * p->payload_bytes;
    job->to_buffer = r.buffer == 1 ? 0 : 1;
    job->to = (KEY *)p->buffer_keys[job->to_buffer] + r.start;
    job->to_payloads = (char *)p->buffer_payloads[job->to_buffer] + r.start * p->payload_bytes;
    bool past_cache = r.n * (sizeof(KEY) + p->payload_bytes) >= past_cache_bytes(u);
    size_t chunks = u->threads == 1 ? 1 : (size_t)u->threads * (past_cache ? 4 : 1);
    job->chunks = r.n < job->thread_keys ? 1 : usw_min(chunks, usw_div_up(r.n, CHUNK_MIN));
    job->chunk = usw_div_up(r.n, job->chunks);
}

#include "cpu/pair_sort/few_values.h"
#if KEY_BITS == 32 && USW_LEVEL >= 1
#include "cpu/pair_sort/narrow_keys.h"
#endif

/* Sorts a range whose keys differ in the bits `differ`: a leaf, or, if 0, equal keys. */
static void FN(sort_leaf_range)(upsweep *u, FN(job) * job, range r, KEY differ)
{
    USW_ROUTE_PAIRS("a range that is a leaf");
#if KEY_BITS == 64 && USW_LEVEL >= 1
    if (differ != 0 && sorts_units(job)) {
        sort_leaf_of_units(job, job->from, job->from_payloads, job->map, r.start, r.n, 0);
        return;
    }
#endif
    if (r.buffer != 1) {
        usw_parallel(u, job->chunks, FN(copy_in), job);
    }
    if (differ == 0) {
        usw_parallel(u, job->chunks, FN(copy_out), job);
    } else {
        FN(sort_leaf)
        (job, (const KEY *)job->p->buffer_keys[1] + r.start, FN(copied_payloads)(job, r.start),
         r.start, r.n, differ, 0);
    }
}

/* Sorts bucket d of a split, if it is a leaf. */
static void FN(sort_bucket)(void *context, size_t d, unsigned lane)
{
    const FN(job) *job = context;
    const usw_pair_sort *p = job->p;
    size_t begin = d == 0 ? 0 : job->ends[d - 1], n = job->ends[d] - begin, at = job->base + begin;
    if (n == 0 || n > LEAF_KEYS) {
        return;
    }
#if KEY_BITS == 64 && USW_LEVEL >= 1
    if (sorts_units(job)) {
        sort_leaf_of_units(job, job->to + begin, job->to_payloads + begin * p->payload_bytes,
                           (key_map_u64){0}, at, n, lane);
        return;
    }
#endif
    KEY *k = (KEY *)p->buffer_keys[1] + at;
    char *payloads = (char *)p->buffer_payloads[1] + at * p->payload_bytes;
    if (job->to_buffer ==
        0) { /* buffer 0 may be the output, which must not be written while read */
        memcpy(k, job->to + begin, n * sizeof(KEY));
        memcpy(payloads, job->to_payloads + begin * p->payload_bytes, n * p->payload_bytes);
    }
    FN(sort_leaf)(job, k, payloads, at, n, job->below, lane);
}

/* Chooses the buckets of a range whose keys differ in the bits `differ`: by splitters if keys of 64
 * bits are uneven, else by their highest bits. */
static void FN(choose_buckets)(upsweep *u, FN(job) * job, KEY differ)
{
    unsigned hi = 64 - (unsigned)__builtin_clzll(differ), lo = (unsigned)__builtin_ctzll(differ);
    size_t aim = BUCKET_BYTES / (sizeof(uint64_t) + sizeof(KEY) + job->p->payload_bytes);
    unsigned wanted = (unsigned)usw_max(usw_log2_up(job->n / aim + 1), 3);
    unsigned most = DIGIT_MAX;
    while (((size_t)job->line_bytes << most) > LINE_BYTES_MAX) {
        most--;
    }
    wanted = (unsigned)usw_min(wanted, most);
    job->past_cache = job->to_buffer == 1 &&
                      job->n * (sizeof(KEY) + job->p->payload_bytes) >= past_cache_bytes(u);
#if KEY_BITS == 64 && USW_LEVEL >= 1
    if (split_by_quantiles(u, job, differ,
                           usw_min((size_t)1 << wanted, BUCKETS_MAX - WIDE_GROUPS))) {
        return;
    }
#endif
    (void)u;
    unsigned bits = (unsigned)usw_min(hi - lo, wanted);
    job->shift = hi - bits;
    job->buckets = 1u << bits;
    job->below = differ & FN(bits_between)(0, job->shift);
}

/* Sorts or splits range r; buckets that are too large for a leaf are pushed on the stack, whose new
 * top is returned. */
static range *FN(sort_range)(upsweep *u, FN(job) * job, range r, range *stack)
{
    FN(enter_range)(u, job, r);
#if KEY_BITS == 32 && USW_LEVEL >= 1
    bool narrow = is_narrow(job->p, r.buffer);
#else
    bool narrow = false;
#endif
    size_t values_from = USW_LEVEL == 2 && narrow ? NARROW_VALUES_FROM : VALUES_FROM;
    if (r.buffer == INPUT && r.n >= values_from && FN(sort_values)(u, job)) {
        USW_ROUTE_PAIRS("few values: counted");
        *job->p->found = USW_FEW_VALUES;
        return stack;
    }
#if KEY_BITS == 32 && USW_LEVEL >= 1
    if (narrow && (sort_even_keys(u, job) || (job->uneven && sort_uneven_keys(u, job, &stack)))) {
        return stack;
    }
#endif
    usw_parallel(u, job->chunks, FN(examine), job);
    KEY differ = 0;
    for (size_t c = 0; c < job->chunks; c++) {
        differ |= job->chunk_differ[c];
    }
#if KEY_BITS == 32 && USW_LEVEL >= 1
    if (differ != 0 && narrow) {
        return sort_narrow_range(u, job, differ, stack);
    }
#endif
#if KEY_BITS == 64 && USW_LEVEL >= 1
    if (differ != 0 && r.buffer == INPUT && choose_leaf_method(u, job, differ)) {
        return stack;
    }
#endif
    if (differ == 0 || r.n <= LEAF_KEYS) {
        FN(sort_leaf_range)(u, job, r, differ);
        return stack;
    }
    FN(choose_buckets)(u, job, differ);
    USW_ROUTE_PAIRS("split into buckets");
    USW_ROUTE_IF(job->chunks > 1, "split by all threads", USW_ROUTE_DEFAULT);
    usw_parallel(u, job->chunks, FN(count_buckets), job);
    FN(scan_counts)(job);
    usw_parallel(u, job->chunks, FN(scatter_chunk), job);
    if (job->chunks > 1) {
        usw_parallel(u, job->buckets, FN(sort_bucket), job);
    }
    for (unsigned d = 0; job->chunks == 1 && d < job->buckets; d++) {
        FN(sort_bucket)(job, d, 0);
    }
    for (unsigned d = 0; d < job->buckets; d++) {
        size_t begin = d == 0 ? 0 : job->ends[d - 1], n = job->ends[d] - begin;
        if (n > LEAF_KEYS) {
            USW_ROUTE("a bucket that is split again");
            *stack++ = (range){r.start + begin, n, job->to_buffer};
        }
    }
    return stack;
}

static upsweep_status FN(sort)(upsweep *u, const usw_pair_sort *p)
{
    size_t bytes = p->payload_bytes, chunks = (size_t)u->threads * 4;
    size_t W = 64 / usw_min(sizeof(KEY), bytes);
    FN(job) job = {.p = p, .mask = FN(bits_between)(p->bit_begin, p->bit_end)};
    job.line_bytes = (sizeof(KEY) == bytes ? 2 * W : W) * (sizeof(KEY) + bytes);
    bool past_cache = p->n * (sizeof(KEY) + bytes) >= past_cache_bytes(u);
    job.thread_keys = THREAD_BYTES / (sizeof(KEY) + bytes);
#if KEY_BITS == 32 && USW_LEVEL >= 1
    job.thread_keys = is_narrow(p, INPUT) ? CHUNK_MIN + 1 : job.thread_keys;
#endif
    size_t lanes = p->n < job.thread_keys ? 1 : u->threads;
    job.chunk_differ = usw_scratch(u, chunks * sizeof(KEY));
    job.taken = usw_scratch(u, chunks * sizeof *job.taken);
    job.offsets = usw_scratch(u, chunks * BUCKETS_MAX * sizeof(size_t));
    job.ends = usw_scratch(u, BUCKETS_MAX * sizeof(size_t));
    if (past_cache) {
        job.starts = usw_scratch_shares(u, u->threads, BUCKETS_MAX * sizeof(size_t));
        job.lines = usw_scratch_shares(u, u->threads, LINE_BYTES_MAX);
    }
    job.words_keys = usw_min(p->n, LEAF_KEYS);
    job.words = usw_scratch_shares(u, lanes, 2 * job.words_keys * sizeof(uint64_t));
    bool units = KEY_BITS == 64 && USW_LEVEL >= 1 && bytes <= 8 && job.mask == (KEY)UINT64_MAX;
    if (units) {
        job.leaf_digits = usw_scratch_shares(u, lanes, job.words_keys * sizeof(uint16_t));
    }
    range *stack = usw_scratch(u, (p->n / LEAF_KEYS + 2) * sizeof(range));
    if (!job.chunk_differ || !job.taken || !job.offsets || !job.ends || !job.words.at ||
        (units && !job.leaf_digits.at) || (past_cache && (!job.starts.at || !job.lines.at)) ||
        !stack) {
        return usw_fail(u, UPSWEEP_ERROR_MEMORY, "no scratch to sort %zu pairs", p->n);
    }
    range *top = stack;
    *top++ = (range){0, p->n, INPUT};
    while (top != stack) {
        range r = *--top;
        top = FN(sort_range)(u, &job, r, top);
    }
    return UPSWEEP_OK;
}

#else
const usw_pair_sort_steps USW_SYMBOL(usw_pair_sort_steps) = {
    .sort = {sort_u8, sort_u16, sort_u32, sort_u64}};
#endif
