/* leaf.h - the sort of a leaf, a bucket inside the cache: 32 bits of key and the position are
 * packed into words, the words are sorted, ties are ordered by the other bits of the key, and
 * payloads are fetched by position. Included once per key width. */
/* SPDX-License-Identifier: MIT */

#ifndef USW_CPU_PAIR_SORT_LEAF_H
#define USW_CPU_PAIR_SORT_LEAF_H
enum { TIES_INSERTED = 8 }; /* words tied with each other; more are sorted, not inserted */

/* Sorts a few distinct words by insertion. */
static void insert_words(uint64_t *words, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint64_t word = words[i];
        size_t j = i;
        for (; j > 0 && words[j - 1] > word; j--) {
            words[j] = words[j - 1];
        }
        words[j] = word;
    }
}

/* Sorts n words by their upper halves, which differ in the bits `differ` only, stable; spare is a
 * buffer for n words. */
static void sort_words(uint64_t *words, uint64_t *spare, size_t n, uint64_t differ)
{
#if USW_LEVEL >= 1
    word_plan plan = plan_words(1, differ);
    memcpy(spare, words, n * sizeof *words);
    sort_group(spare, words, n, plan.low, plan.high);
#else
    USW_SYMBOL(usw_digit_steps).sort(words, spare, n, differ);
#endif
}
#endif

#if KEY_BITS > 32 /* else a word has all of the key, and there are no ties */
/* Sorts words that are tied, that is, agree in their upper half, by the bits [lo, shift) of the
 * key. */
static void FN(order_ties)(const KEY *k, uint64_t *words, uint64_t *spare, size_t n, unsigned lo,
                           unsigned shift)
{
    USW_ROUTE("ties of tags");
    uint64_t low = FN(bits_between)(0, shift - lo);
    for (size_t i = 0; i + 1 < n; i++) {
        if (words[i] >> 32 != words[i + 1] >> 32) {
            continue;
        }
        size_t begin = i;
        for (; i + 1 < n && words[i] >> 32 == words[i + 1] >> 32; i++) {
        }
        for (size_t j = begin; j <= i; j++) {
            uint32_t at = (uint32_t)words[j];
            words[j] = ((k[at] >> lo) & low) << 32 | at;
        }
        USW_ROUTE_IF(i + 1 - begin <= TIES_INSERTED, "a few ties", USW_ROUTE_DEFAULT);
        USW_ROUTE_IF(i + 1 - begin > TIES_INSERTED, "many ties", USW_ROUTE_DEFAULT);
        if (i + 1 - begin <= TIES_INSERTED) {
            insert_words(words + begin, i + 1 - begin);
        } else {
            sort_words(words + begin, spare, i + 1 - begin, low << 32);
        }
        for (size_t j = begin; j <= i; j++) {
            words[j] = (uint32_t)words[j]; /* only the position is needed from here on */
        }
    }
}
#endif

/* Writes the payloads of n sorted words: from[i] for position i, or, if from is NULL, i itself. */
ALWAYS void FN(fetch_payloads)(const uint64_t *words, size_t n, const char *from, char *to,
                               size_t bytes)
{
    if (from == NULL) {
        for (size_t j = 0; j < n; j++) {
            uint64_t position = (uint32_t)words[j];
            memcpy(to + j * bytes, &position, usw_min(bytes, sizeof position));
        }
        return;
    }
    for (size_t j = 0; j < n; j++) {
        memcpy(to + j * bytes, from + (size_t)(uint32_t)words[j] * bytes, bytes);
    }
}

/* A leaf being sorted: its words hold the bits [shift, hi) of the key. */
typedef struct FN(leaf_job) {
    const usw_pair_sort *p;
    const KEY *k;
    const char *payloads;
    KEY *out; /* NULL: the caller wants no keys */
    char *to;
    unsigned lo, shift;
    KEY bits;
} FN(leaf_job);

/* Writes the pairs of n words, which are sorted by their upper halves, to the outputs from `at`
 * on. */
static void FN(write_leaf)(const FN(leaf_job) * f, uint64_t *words, uint64_t *spare, size_t n,
                           size_t at)
{
    const usw_pair_sort *p = f->p;
    size_t bytes = p->payload_bytes;
    const KEY *k = f->k;
    KEY *out = f->out == NULL ? NULL : f->out + at;
    unsigned shift = f->shift;
#if KEY_BITS > 32
    if (shift > f->lo) {
        FN(order_ties)(k, words, spare, n, f->lo, shift);
    }
#else
    (void)spare;
#endif
    if (out != NULL && shift == f->lo && p->bit_end - p->bit_begin == KEY_BITS) {
        USW_ROUTE("keys from tags");
        KEY same = (KEY)(k[0] & ~(KEY)(f->bits << shift));
        for (size_t j = 0; j < n; j++) {
            KEY differs = (KEY)((KEY)(words[j] >> 32) << shift);
            out[j] = FN(unmapped)(&p->map, (KEY)(same | differs));
        }
    } else if (out != NULL) {
        USW_ROUTE("keys by their places");
        for (size_t j = 0; j < n; j++) {
            out[j] = FN(unmapped)(&p->map, k[(uint32_t)words[j]]);
        }
    }
    char *to = f->to + at * bytes;
#define FETCH(size) FN(fetch_payloads)(words, n, f->payloads, to, size)
    FOR_PAYLOAD(bytes, FETCH)
#undef FETCH
}

/* Sorts n mapped pairs, whose keys differ in the bits `differ` only, to the outputs at position
 * `at`. If payloads is NULL they are the positions; then `at` is 0, and the keys are not in order
 * (pair_sort.c has seen to that). */
static void FN(sort_leaf)(const FN(job) * job, const KEY *k, const char *payloads, size_t at,
                          size_t n, KEY differ, unsigned lane)
{
    const usw_pair_sort *p = job->p;
    size_t bytes = p->payload_bytes;
    FN(leaf_job)
    f = {.p = p, .k = k, .payloads = payloads, .to = (char *)p->out_payloads + at * bytes};
    f.out = p->out_keys == NULL ? NULL : (KEY *)p->out_keys + at;
    KEY here = 0;
    for (size_t i = 0; differ != 0 && i < n; i++) {
        here |= (KEY)(k[i] ^ k[0]);
    }
    differ &= here;
    if (differ == 0) {
        USW_ROUTE("a leaf of equal keys");
        memcpy(f.to, payloads, n * bytes);
        for (size_t i = 0; f.out != NULL && i < n; i++) {
            f.out[i] = FN(unmapped)(&p->map, k[i]);
        }
        return;
    }
    uint64_t *words = usw_share(&job->words, lane);
    uint64_t *spare = words + job->words_keys;
    unsigned hi = 64 - (unsigned)__builtin_clzll(differ), lo = (unsigned)__builtin_ctzll(differ);
    unsigned shift = hi - lo > 32 ? hi - 32 : lo;
    KEY bits = FN(bits_between)(0, hi - shift);
    f.lo = lo;
    f.shift = shift;
    f.bits = bits;
    for (size_t i = 0; i < n; i++) {
        words[i] = (uint64_t)((k[i] >> shift) & bits) << 32 | (uint32_t)i;
    }
#if USW_LEVEL >= 1
    USW_ROUTE_PAIRS("a leaf of words");
    word_plan plan = plan_words(n, (uint64_t)bits << 32);
    uint32_t ends[GROUPS_MAX];
    split_words(&plan, words, spare, n, ends);
    for (uint32_t g = 0, begin = 0; g < plan.groups; begin = ends[g++]) {
        sort_group(spare + begin, words + begin, ends[g] - begin, plan.low, plan.shift);
        FN(write_leaf)(&f, words + begin, spare + begin, ends[g] - begin, begin);
    }
#else
    USW_ROUTE_PAIRS("a leaf of words");
    sort_words(words, spare, n, (uint64_t)bits << 32);
    FN(write_leaf)(&f, words, spare, n, 0);
#endif
}

/* Copies a chunk of a range, mapped, to buffer 1. */
static void FN(copy_in)(void *context, size_t c, unsigned lane)
{
    FN(job) *job = context;
    const usw_pair_sort *p = job->p;
    size_t bytes = p->payload_bytes, begin = c * job->chunk, end = FN(chunk_end)(job, c);
    KEY *k = (KEY *)p->buffer_keys[1] + job->base;
    char *to = (char *)p->buffer_payloads[1] + job->base * bytes;
    const KEY *from = job->from;
    FN(key_map) map = job->map;
    (void)lane;
    for (size_t i = begin; i < end; i++) {
        k[i] = FN(mapped)(map, from[i]);
    }
    if (job->from_payloads != NULL && begin < end) { /* else a payload is its position */
        memcpy(to + begin * bytes, job->from_payloads + begin * bytes, (end - begin) * bytes);
    }
}

/* The payloads of a range in buffer 1 from `at` on; NULL: they are the positions. */
static const char *FN(copied_payloads)(const FN(job) * job, size_t at)
{
    const usw_pair_sort *p = job->p;
    bool moved = job->from_payloads != NULL;
    return moved ? (const char *)p->buffer_payloads[1] + at * p->payload_bytes : NULL;
}

/* Copies a chunk of a range of equal keys from buffer 1 to the outputs. */
static void FN(copy_out)(void *context, size_t c, unsigned lane)
{
    USW_ROUTE_PAIRS("a range of equal keys");
    FN(job) *job = context;
    const usw_pair_sort *p = job->p;
    size_t begin = c * job->chunk, end = FN(chunk_end)(job, c), at = job->base + begin;
    if (begin < end) {
        FN(sort_leaf)
        (job, (const KEY *)p->buffer_keys[1] + at, FN(copied_payloads)(job, at), at, end - begin, 0,
         lane);
    }
}
