/* wide_upper_words.h - positions that sort keys of 64 bits, uneven ones and many: one word a key.
 *
 * A word has the upper bits of the key above its position, so that the sort of plain integers puts
 * all of them in the stable order but for keys that agree in those bits. These are few, as a rule,
 * and change places by the whole keys; where they are many the keys are sorted another way. Buckets
 * of units, the other way, must be found key by key where keys are uneven. Included once. */
/* SPDX-License-Identifier: MIT */

enum {
    UPPER_MOST = 1 << 21, /* keys; more were not measured */
    UPPER_SAMPLED = 128,  /* one of so many keys */
    UPPER_SAMPLE_LEAST = 64,
    UPPER_SAMPLE_MOST = 4096,
    UPPER_SPACE = 2,  /* different upper bits for each key, at least, where keys lie apart */
    UPPER_SHARE = 16, /* one in so many keys may lie closer, or be equal to another */
    UPPER_AHEAD = 16  /* words whose keys are asked for */
};

typedef struct upper_words {
    const job_u64 *job;
    uint64_t *words, mask; /* mask: of positions */
    unsigned same;         /* highest bits in which the keys do not differ */
} upper_words;

static void make_upper_words(void *context, size_t c, unsigned lane)
{
    const upper_words *w = context;
    const job_u64 *job = w->job;
    (void)lane;
    for (size_t i = c * job->chunk; i < chunk_end_u64(job, c); i++) {
        w->words[i] = (mapped_u64(job->map, job->from[i]) << w->same & ~w->mask) | i;
    }
}

static void write_upper_words(void *context, size_t c, unsigned lane)
{
    const upper_words *w = context;
    const job_u64 *job = w->job;
    uint64_t *restrict wide = job->p->out_payloads;
    uint32_t *restrict narrow = job->p->out_payloads;
    (void)lane;
    for (size_t i = c * job->chunk; i < chunk_end_u64(job, c); i++) {
        if (job->p->payload_bytes == 8) {
            wide[i] = w->words[i] & w->mask;
        } else {
            narrow[i] = (uint32_t)(w->words[i] & w->mask);
        }
    }
}

/* Whether a sample says that many keys agree in all but the lowest `lost` bits. The key of each of
 * them would have to be looked at, also where keys are equal; in a cache a few of those do no harm.
 * The sample takes the place of the first words. */
static bool share_upper_bits(const upper_words *w, unsigned lost)
{
    const job_u64 *job = w->job;
    const size_t n = job->n, wanted = usw_max(n / UPPER_SAMPLED, UPPER_SAMPLE_LEAST);
    const size_t sampled = usw_min(wanted, UPPER_SAMPLE_MOST);
    size_t equal = 0, close = 0;
    for (size_t i = 0; i < sampled; i++) {
        w->words[i] = mapped_u64(job->map, job->from[n / sampled * i]);
    }
    USW_SYMBOL(usw_cache_sort_steps).sort[3](w->words, sampled);
    for (size_t i = 1; i < sampled; i++) {
        const uint64_t gap = w->words[i] - w->words[i - 1];
        equal += gap == 0;
        close += gap >> lost < UPPER_SPACE * (n / sampled);
    }
    return close - equal > sampled / UPPER_SHARE ||
           equal > (n < WIDE_SMALL ? sampled / UPPER_SHARE : 0);
}

/* The key of word i. */
static inline uint64_t key_of_word(const upper_words *w, size_t i)
{
    return mapped_u64(w->job->map, w->job->from[w->words[i] & w->mask]);
}

/* Whether words i - 1 and i agree in the upper bits. */
static inline bool is_tied(const upper_words *w, size_t i)
{
    return (w->words[i] ^ w->words[i - 1]) <= w->mask;
}

/* Puts sorted words that agree in the upper bits in the order of their keys; false where that takes
 * more moves than there are keys. */
static bool order_upper_words(const upper_words *w)
{
    const size_t n = w->job->n;
    size_t moves = 0, ties = 0;
    for (size_t i = 1; i < n; i++) {
        ties += is_tied(w, i);
    }
    uint64_t before = 0; /* the key of the word before, if that is tied with its own */
    for (size_t i = 1; i < n && ties != 0 && moves <= n; i++) {
        if (i + UPPER_AHEAD < n && is_tied(w, i + UPPER_AHEAD)) {
            __builtin_prefetch(w->job->from + (w->words[i + UPPER_AHEAD] & w->mask));
        }
        if (!is_tied(w, i)) {
            continue;
        }
        const uint64_t word = w->words[i], key = key_of_word(w, i);
        before = i > 1 && is_tied(w, i - 1) ? before : key_of_word(w, i - 1);
        size_t at = i;
        for (; before > key && at > 0 && (w->words[at - 1] ^ word) <= w->mask &&
               key_of_word(w, at - 1) > key;
             at--) {
            w->words[at] = w->words[at - 1];
        }
        w->words[at] = word;
        before = usw_max(before, key);
        moves += i - at;
    }
    return moves <= n;
}

/* Sorts the job's keys, the input, which differ in the bits `differ`, in buffer 1; false, with
 * nothing else done, where they agree in too many bits. */
static bool sort_upper_words(upsweep *u, const job_u64 *job, uint64_t differ)
{
    const unsigned threads = u->threads, place_bits = usw_log2_up(job->n);
    upper_words w = {job, job->p->buffer_keys[1], (UINT64_C(1) << place_bits) - 1,
                     (unsigned)__builtin_clzll(differ)};
    const bool loses = place_bits > w.same;
    if (job->n > UPPER_MOST || (loses && share_upper_bits(&w, place_bits - w.same))) {
        USW_ROUTE_OF("upper bits that many keys share", USW_NO_TYPES);
        return false;
    }
    USW_ROUTE_OF("words of upper bits and positions", USW_NO_TYPES);
    u->threads = job->chunks == 1 ? 1 : threads;
    usw_parallel(u, job->chunks, make_upper_words, &w);
    (void)USW_SYMBOL(usw_quick_steps).sort[3](u, w.words, job->n, NULL);
    const bool done = !loses || order_upper_words(&w);
    if (done) {
        usw_parallel(u, job->chunks, write_upper_words, &w);
    }
    USW_ROUTE_IF(!done, "upper bits that more keys share than a sample told", USW_NO_TYPES);
    u->threads = threads;
    return done;
}
