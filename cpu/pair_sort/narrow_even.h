/* narrow_even.h - how narrow_keys.h splits with one pass over evenly spread keys in
 * place of three: a sample says which bits differ and that no sixteenth of the range has far more
 * keys than others, and buckets get room for a good deal more than their share, so that nothing
 * need be counted. Where a bucket overflows all the same, the inputs are still there, and the
 * steps that count begin. For one thread; the sample tells several, too, that keys are uneven. The
 * lines that buckets fill next are asked for ahead: after other work on the core the scratch is no
 * longer in its cache, and nothing foresees which line comes next. Included once. */

enum {
    GUESS_FROM = 8192, /* keys; for fewer a sample costs what it saves */
    GUESS_SAMPLE = 1024,
    GUESS_BINS = 16,
    GUESS_CROWD = 16,        /* and twice the mean: more, and buckets are certainly uneven */
    GUESS_ORDER = 256,       /* keys in order at the start: all may be */
    GUESS_SPAN = 2048,       /* words scattered before overflows are looked for: so much is spare */
    GUESS_COLD = 768 * 1024, /* keys from which on a bucket's next line is asked for word by word */
    GUESS_DEVIATIONS = 4,    /* of a bucket's size, for which there must be room */
};

/* So much of the sample a part of the buckets may have. */
#define GUESS_MOST(part) ((part)*7 / 4)

static bool begins_in_order(const job_u32 *job)
{
    size_t i = 1;
    while (i < GUESS_ORDER && (mapped_u32(job->map, job->from[i - 1]) & job->mask) <=
                                  (mapped_u32(job->map, job->from[i]) & job->mask)) {
        i++;
    }
    return i == GUESS_ORDER;
}

/* Counts the sample by bucket: whether no sixteenth of them has far more than others, and whether
 * one bucket has so many that the keys are certainly uneven. */
static bool is_even_sample(job_u32 *job, const uint32_t sample[GUESS_SAMPLE])
{
    uint32_t count[NARROW_BUCKETS_MAX] = {0}, most = 0, buckets = job->buckets;
    narrow_split split = narrow_split_of(job);
    bool even = true;
    for (size_t i = 0; i < GUESS_SAMPLE; i++) {
        count[narrow_bucket(split, sample[i])]++;
    }
    for (uint32_t b = 0, d = 0; b < GUESS_BINS; b++) {
        uint32_t sum = 0, begin = d, end = (b + 1) * buckets / GUESS_BINS;
        for (; d < end; d++) {
            sum += count[d];
            most = count[d] > most ? count[d] : most;
        }
        even = even && sum * buckets <= GUESS_SAMPLE * GUESS_MOST(end - begin);
    }
    job->crowded = most > GUESS_CROWD + 2 * (GUESS_SAMPLE / buckets);
    return even && !job->crowded;
}

/* Chooses the split by a sample; false if keys are not spread evenly. */
static bool guess_split(job_u32 *job)
{
    uint32_t sample[GUESS_SAMPLE], differ = 0;
    for (size_t i = 0; i < GUESS_SAMPLE; i++) {
        sample[i] = mapped_u32(job->map, job->from[job->n / GUESS_SAMPLE * i]);
        differ |= sample[i] ^ sample[0];
    }
    differ &= job->mask;
    if (differ == 0) {
        return false;
    }
    job->shift = 32 - (unsigned)__builtin_clz(differ);
    job->below = job->mask & bits_between_u32(0, job->shift);
    job->buckets = (unsigned)narrow_wanted(job);
    return is_even_sample(job, sample) && differ >> usw_log2_up(job->buckets) != 0;
}

/* Words for which each bucket gets room: whole lines, an odd number, so that buckets which fill at
 * the same rate fill different sets of the cache. 0: there is too little. */
static size_t guess_room(const job_u32 *job)
{
    size_t words = job->p->way_room / sizeof(uint64_t), mean = job->n / job->buckets + 1, least = 1;
    while (least * least < mean) {
        least++;
    }
    least = mean + GUESS_DEVIATIONS * least;
    if (words < job->base + GUESS_SPAN) {
        return 0;
    }
    size_t lines = (words - job->base - GUESS_SPAN) / job->buckets / LINE_WORDS;
    lines -= lines % 2 == 0 && lines > 0;
    size_t room = usw_min(lines * LINE_WORDS, LEAF_KEYS);
    return room < least ? 0 : room;
}

static bool scatter_guessed(job_u32 *job, size_t room)
{
    size_t *offset = job->offsets, lines = GUESS_SPAN / job->buckets / LINE_WORDS + 1;
    const uint64_t *to = (uint64_t *)job->p->way_keys[1] + job->base;
    uint32_t differ = 0;
    for (size_t d = 0; d < job->buckets; d++) {
        offset[d] = d * room;
        for (size_t k = 0; k <= lines; k++) {
            __builtin_prefetch(to + offset[d] + k * LINE_WORDS, 0, 2);
        }
    }
    for (size_t i = 0; i < job->n; i += GUESS_SPAN) {
        size_t end = usw_min(job->n, i + GUESS_SPAN);
        differ |= narrow_scatter_near(job, offset, i, end, job->n >= GUESS_COLD);
        bool over = false;
        for (size_t d = 0; d < job->buckets; d++) {
            over |= offset[d] > (d + 1) * room;
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
static bool narrow_guess(upsweep *u, job_u32 *job)
{
    if (job->n < GUESS_FROM || begins_in_order(job) || !guess_split(job) || job->chunks > 1) {
        return false;
    }
    size_t room = guess_room(job), sum = 0;
    if (room == 0 || !scatter_guessed(job, room)) {
        return false;
    }
    for (size_t d = 0; d < job->buckets; d++) {
        job->ends[d] = sum += job->offsets[d] - d * room;
    }
    USW_ROUTE_PAIRS("scattered without a count");
    job->room = room;
    usw_parallel(u, narrow_tasks(job), narrow_buckets, job);
    return true;
}
