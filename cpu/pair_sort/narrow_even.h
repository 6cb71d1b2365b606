/* narrow_even.h - the uncounted scatter: one pass over evenly spread keys of 32 bits, in place of
 * three, that scatters words to buckets without counting them first.
 *
 * A sample says which bits differ and that no sixteenth of the buckets has far more keys than the
 * others. Every bucket gets more slots than its mean, four deviations at least. If a bucket runs
 * over all the same, the input is still whole, and sort_narrow_range (narrow_keys.h) counts. One
 * thread scatters so; with several threads the sample only says whether keys are uneven. The lines
 * that buckets fill next are prefetched, since after other work the scratch is no longer in the
 * core's cache, and no hardware prefetcher foresees the order of the keys. Included once. */
/* SPDX-License-Identifier: MIT */

enum {
    EVEN_FROM = 8192,      /* keys; for fewer a sample costs what it saves */
    EVEN_SAMPLE = 1024,    /* keys */
    EVEN_BINS = 16,        /* of neighbouring buckets */
    EVEN_BUCKET_MOST = 16, /* sampled keys beyond twice the mean that an even bucket has, at most */
    EVEN_STEP = 2048,      /* words between two checks for overflow; so many slots are spare */
    EVEN_PREFETCH_FROM = 768 * 1024, /* keys; fewer need no prefetch for each word */
    EVEN_DEVIATIONS = 4, /* standard deviations of a bucket's size, which its slots must hold */
};

/* The most of the sample that buckets may have whose mean is `mean`: 7/4, or the keys are
 * uneven. */
#define EVEN_SHARE_MOST(mean) ((mean)*7 / 4)

/* Counts the sample by bucket. Returns whether no sixteenth of the buckets has far more than its
 * mean; sets job->uneven if one bucket alone has. */
static bool is_even_sample(job_u32 *job, const uint32_t sample[EVEN_SAMPLE])
{
    uint32_t count[NARROW_BUCKETS_MAX] = {0}, most = 0, buckets = job->buckets;
    narrow_split split = narrow_split_of(job);
    bool even = true;
    for (size_t i = 0; i < EVEN_SAMPLE; i++) {
        count[bucket_of_key(split, sample[i])]++;
    }
    for (uint32_t b = 0, d = 0; b < EVEN_BINS; b++) {
        uint32_t sum = 0, begin = d, end = (b + 1) * buckets / EVEN_BINS;
        for (; d < end; d++) {
            sum += count[d];
            most = count[d] > most ? count[d] : most;
        }
        even = even && sum * buckets <= EVEN_SAMPLE * EVEN_SHARE_MOST(end - begin);
    }
    job->uneven = most > EVEN_BUCKET_MOST + 2 * (EVEN_SAMPLE / buckets);
    return even && !job->uneven;
}

/* Chooses equal widths of buckets by a sample; false if keys are not spread evenly. */
static bool sample_split(job_u32 *job)
{
    uint32_t sample[EVEN_SAMPLE], differ = 0;
    for (size_t i = 0; i < EVEN_SAMPLE; i++) {
        sample[i] = mapped_u32(job->map, job->from[job->n / EVEN_SAMPLE * i]);
        differ |= sample[i] ^ sample[0];
    }
    differ &= job->mask;
    if (differ == 0) {
        return false;
    }
    job->shift = 32 - (unsigned)__builtin_clz(differ);
    job->below = job->mask & bits_between_u32(0, job->shift);
    job->buckets = (unsigned)buckets_wanted(job);
    return is_even_sample(job, sample) && differ >> usw_log2_up(job->buckets) != 0;
}

/* How many words lie from one bucket's start to the next: an odd number of whole lines, so that
 * buckets which fill at the same rate fill different sets of the cache; 0 if buffer 1 is too small
 * for EVEN_DEVIATIONS. */
static size_t bucket_stride(const job_u32 *job)
{
    size_t words = job->p->buffer_bytes / sizeof(uint64_t), mean = job->n / job->buckets + 1,
           least = 1;
    while (least * least < mean) {
        least++;
    }
    least = mean + EVEN_DEVIATIONS * least;
    if (words < job->base + EVEN_STEP) {
        return 0;
    }
    size_t lines = (words - job->base - EVEN_STEP) / job->buckets / LINE_WORDS;
    lines -= lines % 2 == 0 && lines > 0;
    size_t stride = usw_min(lines * LINE_WORDS, LEAF_KEYS);
    return stride < least ? 0 : stride;
}

/* Scatters all words to buckets that begin `stride` words apart; false if a bucket ran over or if
 * keys differ in bits that the sample did not show. */
static bool scatter_uncounted(job_u32 *job, size_t stride)
{
    size_t *offset = job->offsets, lines = EVEN_STEP / job->buckets / LINE_WORDS + 1;
    const uint64_t *to = (uint64_t *)job->p->buffer_keys[1] + job->base;
    uint32_t differ = 0;
    for (size_t d = 0; d < job->buckets; d++) {
        offset[d] = d * stride;
        for (size_t k = 0; k <= lines; k++) {
            __builtin_prefetch(to + offset[d] + k * LINE_WORDS, 0, 2);
        }
    }
    for (size_t i = 0; i < job->n; i += EVEN_STEP) {
        size_t end = usw_min(job->n, i + EVEN_STEP);
        differ |= scatter_words_cached(job, offset, i, end, job->n >= EVEN_PREFETCH_FROM);
        bool over = false;
        for (size_t d = 0; d < job->buckets; d++) {
            over |= offset[d] > (d + 1) * stride;
            for (size_t k = 1; k <= lines; k++) {
                __builtin_prefetch(to + offset[d] + k * LINE_WORDS, 0, 2);
            }
        }
        if (over) {
            USW_ROUTE("a bucket runs over");
            return false;
        }
    }
    differ &= job->mask;
    job->low = differ == 0 ? 0 : (unsigned)__builtin_ctz(differ);
    return (differ & ~job->below) == 0;
}

/* Sorts all pairs; false, with the input as it was, if keys are few or not spread evenly, or there
 * are several chunks. */
static bool sort_even_keys(upsweep *u, job_u32 *job)
{
    if (job->n < EVEN_FROM || !sample_split(job) || job->chunks > 1) {
        return false;
    }
    size_t stride = bucket_stride(job), sum = 0;
    if (stride == 0 || !scatter_uncounted(job, stride)) {
        return false;
    }
    for (size_t d = 0; d < job->buckets; d++) {
        job->ends[d] = sum += job->offsets[d] - d * stride;
    }
    USW_ROUTE_PAIRS("scattered without a count");
    job->stride = stride;
    usw_parallel(u, reset_tasks(job), sort_next_buckets, job);
    return true;
}
