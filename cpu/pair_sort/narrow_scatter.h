/* narrow_scatter.h - the pass of narrow pairs through memory: words are counted by bucket and
 * scattered, stable, through the cache or past it. Included once. */
/* SPDX-License-Identifier: MIT */

/* The buckets of pairs i to i + n by equal widths; returns which bits differ from `first`. */
static inline uint32_t find_even_buckets(const job_u32 *job, narrow_split split, size_t i, size_t n,
                                         uint32_t first, uint16_t *digit)
{
    uint32_t differ = 0;
    for (size_t j = 0; j < n; j++) {
        uint32_t key = mapped_u32(job->map, job->from[i + j]);
        differ |= key ^ first;
        digit[j] = (uint16_t)bucket_of_key(split, key);
    }
    return differ;
}

/* Counts the words of a chunk by bucket. Buckets that splitters tell are noted in job->digits. */
static void count_words(void *context, size_t c, unsigned lane)
{
    job_u32 *job = context;
    size_t *count = job->offsets + c * NARROW_STRIDE, end = chunk_end_u32(job, c);
    narrow_split split = narrow_split_of(job);
    const uint64_t *to = (uint64_t *)job->p->buffer_keys[1] + job->base;
    uint32_t even[NARROW_STRIDE], odd[NARROW_STRIDE], buckets = split.buckets;
    uint32_t differ = 0, first = mapped_u32(job->map, job->from[0]);
    uint16_t own[NARROW_BLOCK];
    bool ahead = job->chunks == 1 && job->n <= NARROW_FETCH_MOST;
    (void)lane;
    memset(even, 0, buckets * sizeof *even);
    memset(odd, 0, buckets * sizeof *odd);
    for (size_t i = c * job->chunk; i < end; i += NARROW_BLOCK) {
        size_t n = usw_min(end - i, NARROW_BLOCK), j = 0;
        for (size_t k = 0; ahead && k < n; k += LINE_WORDS) {
            __builtin_prefetch(to + i + k, 0, 2);
        }
        uint16_t *digit = job->digits == NULL ? own : job->digits + i;
        differ |= job->digits == NULL ? find_even_buckets(job, split, i, n, first, digit)
                                      : find_split_buckets(job, i, n, first, digit);
        for (; j + 2 <= n; j += 2) {
            even[digit[j]]++;
            odd[digit[j + 1]]++;
        }
        if (j < n) {
            even[digit[j]]++;
        }
    }
    for (uint32_t d = 0; d < buckets; d++) {
        count[d] = (size_t)even[d] + odd[d];
    }
    job->chunk_differ[c] = differ & job->mask;
}

/* Scatters pairs begin to end through the cache; returns which bits of the keys differ. prefetch:
 * the next line of the bucket is prefetched with each word. */
static uint32_t scatter_words_cached(const job_u32 *job, size_t *offset, size_t begin, size_t end,
                                     bool prefetch)
{
    uint64_t *to = (uint64_t *)job->p->buffer_keys[1] + job->base, block[NARROW_BLOCK];
    narrow_split split = narrow_split_of(job);
    uint32_t differ = 0, first = mapped_u32(job->map, job->from[0]);
    uint16_t own[NARROW_BLOCK];
    for (size_t i = begin; i < end; i += NARROW_BLOCK) {
        size_t n = usw_min(end - i, NARROW_BLOCK);
        const uint16_t *digit = job->digits == NULL ? own : job->digits + i;
        make_words(job, i, n, block);
        if (job->digits == NULL) {
            differ |= find_even_buckets(job, split, i, n, first, own);
        }
        size_t j = 0;
        for (; j + AT_ONCE <= n; j += AT_ONCE) {
            size_t at[AT_ONCE];
            UNROLL for (unsigned k = 0; k < AT_ONCE; k++) at[k] = offset[digit[j + k]]++;
            if (prefetch) {
                UNROLL for (unsigned k = 0; k < AT_ONCE; k++)
                    __builtin_prefetch(to + at[k] + LINE_WORDS, 1);
            }
            UNROLL for (unsigned k = 0; k < AT_ONCE; k++) to[at[k]] = block[j + k];
        }
        for (; j < n; j++) {
            to[offset[digit[j]]++] = block[j];
        }
    }
    return differ;
}

/* Scatters a chunk past the cache, by whole lines; a bucket's first and last line may be shorter.
 * Places count from the beginning of buffer 1, where a line begins, as a range need not. */
static void scatter_words_past_cache(const job_u32 *job, size_t c, unsigned lane)
{
    USW_ROUTE("a scatter past the cache");
    size_t *offset = job->offsets + c * NARROW_STRIDE, end = chunk_end_u32(job, c);
    size_t *start = usw_share(&job->starts, lane);
    uint64_t *to = job->p->buffer_keys[1], block[NARROW_BLOCK];
    uint64_t *lines = usw_share(&job->lines, lane);
    narrow_split split = narrow_split_of(job);
    uint16_t own[NARROW_BLOCK];
    for (uint32_t d = 0; d < job->buckets; d++) {
        start[d] = job->base + offset[d];
    }
    for (size_t i = c * job->chunk; i < end; i += NARROW_BLOCK) {
        size_t n = usw_min(end - i, NARROW_BLOCK);
        const uint16_t *digit = job->digits == NULL ? own : job->digits + i;
        make_words(job, i, n, block);
        if (job->digits == NULL) {
            find_even_buckets(job, split, i, n, 0, own);
        }
        for (size_t j = 0; j < n; j++) {
            uint32_t d = digit[j];
            size_t at = job->base + offset[d]++, slot = at % LINE_WORDS;
            uint64_t *line = lines + (size_t)d * LINE_WORDS;
            line[slot] = block[j];
            if (slot == LINE_WORDS - 1) {
                size_t first = at - slot;
                if (first >= start[d]) {
                    stream_line(to + first, line, LINE_WORDS * sizeof *line);
                } else {
                    memcpy(to + start[d], line + start[d] % LINE_WORDS,
                           (at + 1 - start[d]) * sizeof *line);
                }
            }
        }
    }
    for (uint32_t d = 0; d < job->buckets; d++) {
        size_t end_at = job->base + offset[d];
        size_t first = usw_max(start[d], end_at / LINE_WORDS * LINE_WORDS);
        memcpy(to + first, lines + (size_t)d * LINE_WORDS + first % LINE_WORDS,
               (end_at - first) * sizeof *lines);
    }
    stream_end();
}

static void scatter_words(void *context, size_t c, unsigned lane)
{
    const job_u32 *job = context;
    if (job->past_cache) {
        scatter_words_past_cache(job, c, lane);
    } else {
        size_t begin = c * job->chunk, end = chunk_end_u32(job, c);
        for (size_t i = begin; job->chunks > 1 && i < end; i += LINE_WORDS) {
            /* A store takes the line from another core that has read it, which costs 14 ns if lines
             * are taken in order, and 40 ns in the order of the keys. */
            ((volatile uint64_t *)job->p->buffer_keys[1])[job->base + i] = 0;
        }
        bool prefetch = job->chunks == 1 && job->n > NARROW_FETCH_MOST;
        scatter_words_cached(job, job->offsets + c * NARROW_STRIDE, begin, end, prefetch);
    }
}

/* Turns the counts in job->offsets into places. Each chunk has an array of words to itself, with a
 * piece of every bucket, so that no two threads write to one line by turns. */
static void scan_word_counts(job_u32 *job)
{
    size_t sum = 0, *first = job->offsets;
    for (size_t d = 0; d < job->buckets; d++) {
        for (size_t c = 0; c < job->chunks; c++) {
            sum += first[c * NARROW_STRIDE + d];
        }
        job->ends[d] = sum;
    }
    for (size_t c = 0; c < job->chunks; c++) {
        size_t at = usw_min(c * job->chunk, job->n);
        for (size_t d = 0; d < job->buckets; d++) {
            size_t count = first[c * NARROW_STRIDE + d];
            first[c * NARROW_STRIDE + d] = at;
            at += count;
        }
    }
}
