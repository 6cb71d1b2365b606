/* narrow_split.h - the split of narrow pairs into buckets of equal widths: the bucket of a key, the
 * word of a pair, and where a bucket's words lie. All other narrow_*.h files need it. Included
 * once. */
/* SPDX-License-Identifier: MIT */

enum {
    /* Wanted in a bucket: seldom above what is sorted in registers, 256 (AVX-512) or 128 keys. */
    NARROW_BUCKET_KEYS = USW_LEVEL == 2 ? 232 : 104,
    NARROW_BUCKETS_MAX = 1136,
    NARROW_DIGIT_MAX = 10,                   /* bits of a digit, where keys are split by one */
    NARROW_STRIDE = NARROW_BUCKETS_MAX + 48, /* counters of two chunks share no line */
    NARROW_ONE_BUCKET = GROUP_LARGE,         /* keys that are sorted without a split */
    NARROW_BITS = 21,        /* of a key; 11 more, of the number of buckets, make 32 */
    NARROW_BLOCK = 256,      /* words made at a time */
    NARROW_PIECE_WORDS = 64, /* words of a bucket from one chunk, at least: mostly whole lines */
    NARROW_TASK_KEYS = 4096, /* keys of the buckets of one task, about */
    NARROW_FETCH_MOST = 192 * 1024, /* words that are prefetched while keys are counted */
    LINE_WORDS = 8                  /* in a cache line */
};

/* Whether a range of 32-bit keys in that buffer is sorted as words of 64 bits: its payloads have 32
 * bits, or are positions not yet written. Words go to buffer 1, so a range in it is not. */
static bool is_narrow(const usw_pair_sort *p, unsigned buffer)
{
    bool small = p->payload_bytes == 4 || (p->payloads == NULL && buffer == INPUT);
    return small && buffer != 1 && p->n - 1 <= UINT32_MAX;
}

/* Buckets of equal widths: a key goes to bucket x * buckets >> bits, where x is its `bits` highest
 * bits under the mask, those from `shift` on. The product has 32 bits at most. */
typedef struct narrow_split {
    uint32_t mask, buckets;
    unsigned shift, bits;
} narrow_split;

static narrow_split narrow_split_of(const job_u32 *job)
{
    unsigned high = job->shift, bits = (unsigned)usw_min(high, NARROW_BITS);
    return (narrow_split){job->below, job->buckets, high - bits, bits};
}

static inline uint32_t bucket_of_key(narrow_split s, uint32_t mapped)
{
    return ((mapped & s.mask) >> s.shift) * s.buckets >> s.bits;
}

/* How many buckets suit n keys. */
static size_t buckets_wanted(const job_u32 *job)
{
    size_t aim = usw_max(NARROW_BUCKET_KEYS, job->chunks * NARROW_PIECE_WORDS);
    return usw_min(usw_div_up(job->n, aim), NARROW_BUCKETS_MAX);
}

/* The words of pairs i to i + n: the mapped key above, the payload or position below. */
static inline void make_words(const job_u32 *job, size_t i, size_t n, uint64_t *words)
{
    const uint32_t *keys = job->from + i;
    key_map_u32 map = job->map;
    if (job->from_payloads == NULL) {
        for (size_t j = 0; j < n; j++) {
            words[j] = (uint64_t)mapped_u32(map, keys[j]) << 32 | (uint32_t)(i + j);
        }
        return;
    }
    const char *payloads = job->from_payloads + 4 * i;
    for (size_t j = 0; j < n; j++) {
        uint32_t payload; /* at any address */
        memcpy(&payload, payloads + 4 * j, 4);
        words[j] = (uint64_t)mapped_u32(map, keys[j]) << 32 | payload;
    }
}

/* The loops of unpack_words stand in functions of their own, whose `restrict` tells the compiler
 * that nothing overlaps. */
ALWAYS void unpack_keys(usw_keymap map, const uint64_t *restrict words, size_t n,
                        uint32_t *restrict keys)
{
    for (size_t i = 0; i < n; i++) {
        keys[i] = unmapped_u32(&map, (uint32_t)(words[i] >> 32));
    }
}

ALWAYS void unpack_payloads(const uint64_t *restrict words, size_t n, char *restrict to)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t payload = (uint32_t)words[i];
        memcpy(to + 4 * i, &payload, 4); /* at any address */
    }
}

ALWAYS void unpack_positions(const uint64_t *restrict words, size_t n, char *restrict to)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t position = (uint32_t)words[i];
        memcpy(to + 8 * i, &position, 8);
    }
}

/* Unpacks n words into keys, mapped or raw (keys NULL: they are dropped), and payloads. */
static inline void unpack_words(const usw_pair_sort *p, const uint64_t *words, size_t n,
                                uint32_t *keys, void *payloads, bool raw)
{
    if (keys != NULL) {
        unpack_keys(raw ? p->map : (usw_keymap){.bits = 32}, words, n, keys);
    }
    if (p->payload_bytes == 4) {
        unpack_payloads(words, n, payloads);
    } else {
        unpack_positions(words, n, payloads);
    }
}

/* Writes n words to the outputs at position `at`. */
static void put_words(const usw_pair_sort *p, const uint64_t *words, size_t n, size_t at)
{
    unpack_words(p, words, n, p->out_keys == NULL ? NULL : (uint32_t *)p->out_keys + at,
                 (char *)p->out_payloads + at * p->payload_bytes, true);
}

/* The words of bucket d from chunk c, after the scatter. */
typedef struct piece {
    uint64_t *words;
    size_t n;
} piece;

static piece piece_of(const job_u32 *job, size_t d, size_t c)
{
    const size_t *end = job->offsets + c * NARROW_STRIDE;
    size_t begin = job->stride > 0 ? d * job->stride
                   : d == 0        ? usw_min(c * job->chunk, job->n)
                                   : end[d - 1];
    return (piece){(uint64_t *)job->p->buffer_keys[1] + job->base + begin, end[d] - begin};
}

static size_t bucket_start(const job_u32 *job, size_t d)
{
    return d == 0 ? 0 : job->ends[d - 1];
}

/* The bits in which the keys of n words differ. */
static inline uint32_t differ_in(const uint64_t *words, size_t n)
{
    uint64_t differ = 0;
    for (size_t i = 0; i < n; i++) {
        differ |= words[i] ^ words[0];
    }
    return (uint32_t)(differ >> 32);
}

/* A lane has words and as many spare ones: returns those in which `from` does not lie. */
static uint64_t *other_words(const job_u32 *job, const uint64_t *from, unsigned lane)
{
    uint64_t *words = usw_share(&job->words, lane);
    bool inside = (uintptr_t)from >= (uintptr_t)words &&
                  (uintptr_t)from < (uintptr_t)(words + job->words_keys);
    return inside ? words + job->words_keys : words;
}
