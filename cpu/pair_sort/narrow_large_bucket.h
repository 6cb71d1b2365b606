/* narrow_large_bucket.h - buckets of words that are too large for one sort by tags.
 *
 * With AVX-512 a value that many words have is taken out: the words below the value, with it and
 * above it are compressed to three ranges, and those with the value need no sort. Other buckets are
 * split into groups. A bucket that is too large for the cache is unpacked. Included once. */
/* SPDX-License-Identifier: MIT */

enum { FREQUENT_SAMPLE = 16, FREQUENT_LEAST = 4 /* of the sample have a frequent value */ };

#if USW_LEVEL == 2
/* Finds the most frequent value of a sample of the keys & mask; false if fewer than FREQUENT_LEAST
 * have it. */
static bool find_frequent(const uint64_t *words, size_t n, uint32_t mask, uint32_t *value)
{
    uint32_t sample[FREQUENT_SAMPLE];
    size_t most = 0;
    for (size_t i = 0; i < FREQUENT_SAMPLE; i++) {
        sample[i] = (uint32_t)(words[n / FREQUENT_SAMPLE * i] >> 32) & mask;
    }
    USW_SYMBOL(usw_cache_sort_steps).sort[2](sample, FREQUENT_SAMPLE);
    for (size_t i = 0, begin = 0; i < FREQUENT_SAMPLE; i++) {
        begin = sample[i] == sample[begin] ? begin : i;
        if (i + 1 - begin > most) {
            most = i + 1 - begin;
            *value = sample[i];
        }
    }
    return most >= FREQUENT_LEAST;
}

/* Partitions n words into those below the value, with it and above it, which begin at begin[0],
 * begin[1] and begin[2]: one pass counts, the next one writes. */
static void partition_by_value(const uint64_t *words, size_t n, uint32_t mask, uint32_t value,
                               uint64_t *restrict to, size_t begin[3])
{
    __m512i keys = _mm512_set1_epi64((long long)((uint64_t)mask << 32));
    __m512i pivot = _mm512_set1_epi64((long long)((uint64_t)value << 32));
    begin[0] = begin[1] = begin[2] = 0;
    for (unsigned pass = 0; pass < 2; pass++) {
        size_t at[3] = {0, begin[1], begin[2]};
        for (size_t i = 0; i < n; i += LINE_WORDS) {
            __mmask8 there = n - i < LINE_WORDS ? (__mmask8)((1u << (n - i)) - 1) : 0xff;
            __m512i word = _mm512_maskz_loadu_epi64(there, words + i);
            __m512i key = _mm512_and_si512(word, keys);
            __mmask8 in_range[3] = {_mm512_mask_cmplt_epu64_mask(there, key, pivot),
                                    _mm512_mask_cmpeq_epu64_mask(there, key, pivot),
                                    _mm512_mask_cmpgt_epu64_mask(there, key, pivot)};
            UNROLL for (unsigned k = 0; k < 3; k++)
            {
                unsigned count = (unsigned)__builtin_popcount(in_range[k]);
                if (pass == 1) {
                    _mm512_mask_storeu_epi64(to + at[k], (__mmask8)((1u << count) - 1),
                                             _mm512_maskz_compress_epi64(in_range[k], word));
                }
                at[k] += count;
            }
        }
        begin[1] = pass == 0 ? at[0] : begin[1];
        begin[2] = pass == 0 ? at[0] + at[1] : begin[2];
    }
}
#endif

static void sort_narrow_leaf(const job_u32 *job, uint64_t *from, size_t n, size_t at,
                             unsigned lane);

/* Sorts a bucket in which one value is frequent; false, with nothing done, if none is. */
static bool sort_leaf_of_frequent(const job_u32 *job, uint64_t *from, size_t n, size_t at,
                                  unsigned lane)
{
#if USW_LEVEL == 2
    uint32_t value;
    if (!find_frequent(from, n, job->mask, &value)) {
        return false;
    }
    USW_ROUTE("a leaf with a frequent key");
    uint64_t *to = other_words(job, from, lane);
    size_t begin[3];
    partition_by_value(from, n, job->mask, value, to, begin);
    put_words(job->p, to + begin[1], begin[2] - begin[1], at + begin[1]);
    if (begin[1] > 0) {
        sort_narrow_leaf(job, to, begin[1], at, lane);
    }
    if (n > begin[2]) {
        sort_narrow_leaf(job, to + begin[2], n - begin[2], at + begin[2], lane);
    }
    return true;
#else
    (void)job, (void)from, (void)n, (void)at, (void)lane;
    return false;
#endif
}

/* Sorts a bucket of any n to the outputs at position `at`; `from`, which may lie in the lane's
 * words, is overwritten. */
static void sort_narrow_leaf(const job_u32 *job, uint64_t *from, size_t n, size_t at, unsigned lane)
{
    USW_ROUTE_PAIRS("a leaf");
    const usw_pair_sort *p = job->p;
    if (n > TAGS_MAX && sort_leaf_of_frequent(job, from, n, at, lane)) {
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

/* A bucket that is too large for the cache: written if its keys do not differ, else unpacked. */
typedef struct large_bucket {
    const job_u32 *job;
    size_t bucket;
    uint64_t key; /* a word of it */
    bool equal;
} large_bucket;

static void examine_piece(void *context, size_t c, unsigned lane)
{
    const large_bucket *r = context;
    piece from = piece_of(r->job, r->bucket, c);
    uint32_t differ = differ_in(from.words, from.n);
    (void)lane;
    r->job->chunk_differ[c] = from.n == 0 ? 0 : differ | (uint32_t)((from.words[0] ^ r->key) >> 32);
}

static void move_piece(void *context, size_t c, unsigned lane)
{
    const large_bucket *r = context;
    const usw_pair_sort *p = r->job->p;
    size_t at = r->job->base + bucket_start(r->job, r->bucket);
    for (size_t before = 0; before < c; before++) {
        at += piece_of(r->job, r->bucket, before).n;
    }
    piece from = piece_of(r->job, r->bucket, c);
    (void)lane;
    if (r->equal) {
        put_words(p, from.words, from.n, at);
    } else {
        unpack_words(p, from.words, from.n, (uint32_t *)p->buffer_keys[0] + at,
                     (char *)p->buffer_payloads[0] + at * p->payload_bytes, false);
    }
}

/* Writes a large bucket of equal keys to the outputs, or unpacks it to buffer 0; returns whether
 * the bucket is in the outputs. */
static bool settle_large_bucket(upsweep *u, const job_u32 *job, size_t bucket)
{
    USW_ROUTE("a large bucket");
    large_bucket r = {.job = job, .bucket = bucket};
    for (size_t c = job->chunks; c-- > 0;) {
        piece from = piece_of(job, bucket, c);
        r.key = from.n == 0 ? r.key : from.words[0];
    }
    usw_parallel(u, job->chunks, examine_piece, &r);
    uint32_t differ = 0;
    for (size_t c = 0; c < job->chunks; c++) {
        differ |= job->chunk_differ[c];
    }
    r.equal = (differ & job->mask) == 0;
    USW_ROUTE_IF(r.equal, "a large bucket of one key", USW_ROUTE_DEFAULT);
    usw_parallel(u, job->chunks, move_piece, &r);
    return r.equal;
}
