/* narrow_even.h - how narrow_keys.h splits with one pass over evenly spread keys in
 * place of three: a sample says which bits differ and that no sixteenth of the range has far more
 * keys than others, and buckets get room for a good deal more than their share, so that nothing
 * need be counted. Where a bucket overflows all the same, the inputs are still there, and the
 * steps that count begin. For one thread; the sample tells several, too, that keys are uneven. The
 * lines that buckets fill next are asked for ahead: after other work on the core the scratch is no
 * longer in its cache, and nothing foresees which line comes next. Included once. */

enum {
    EVEN_FROM = 8192, /* keys; for fewer a sample costs what it saves */
    EVEN_SAMPLE = 1024,
    EVEN_BINS = 16,
    EVEN_BUCKET_MOST = 16, /* and twice the mean: more, and buckets are certainly uneven */
    EVEN_ORDERED = 256,    /* keys in order at the start: all may be */
    EVEN_STEP = 2048,      /* words scattered before overflows are looked for: so much is spare */
    EVEN_PREFETCH_FROM =
        768 * 1024,      /* keys from which on a bucket's next line is asked for word by word */
    EVEN_DEVIATIONS = 4, /* of a bucket's size, for which there must be room */
};

/* So much of the sample a part of the buckets may have. */
#define EVEN_SHARE_MOST(part) ((part)*7 / 4)

static bool begins_in_order(const job_u32 *job)
{
    size_t i = 1;
    while (i < EVEN_ORDERED && (mapped_u32(job->map, job->from[i - 1]) & job->mask) <=
                                   (mapped_u32(job->map, job->from[i]) & job->mask)) {
        i++;
    }
    return i == EVEN_ORDERED;
}

/* Counts the sample by bucket: whether no sixteenth of them has far more than others, and whether
 * one bucket has so many that the keys are certainly uneven. */
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

/* Chooses the split by a sample; false if keys are not spread evenly. */
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

/* Words for which each bucket gets room: whole lines, an odd number, so that buckets which fill at
 * the same rate fill different sets of the cache. 0: there is too little. */
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

/* Sorts all pairs, or returns false with nothing done. */
static bool sort_even_keys(upsweep *u, job_u32 *job)
{
    if (job->n < EVEN_FROM || begins_in_order(job) || !sample_split(job) || job->chunks > 1) {
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
