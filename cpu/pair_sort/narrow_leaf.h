/* narrow_leaf.h - the sort of one bucket of words in the first cache: by tags, as in
 * sort_by_tags.h, but straight to the outputs.
 *
 * A tag holds the bits in which the keys of the bucket differ above the word's place in the bucket.
 * If 32 bits are enough for both, the keys are made from the sorted tags again, by vectors, and
 * only the payloads are fetched. Included once. */
/* SPDX-License-Identifier: MIT */

enum {
    TAGS_MAX = 2 * GROUP_LARGE, /* words */
    TAG_BLOCK = 16, /* tags made at a time; the last block reaches back over the block before */
    TAG_TIES = 32   /* if more than one word in so many is out of order, 64-bit tags are sorted */
};

/* What the keys of a bucket have in common: keys & mask, less base, are below 2^(low + bits) and
 * multiples of 2^low. If whole, base and top added again give the keys. */
typedef struct tag_range {
    uint32_t mask, base, top;
    unsigned low, bits;
    bool whole;
} tag_range;

/* Whether the split says that all keys in bucket d are equal. */
static bool has_one_value(const job_u32 *job, size_t d)
{
    return job->digits != NULL ? split_span(job->splitters, d) == 0
                               : (uint64_t)job->buckets >> (job->shift - job->low) != 0;
}

/* The range of bucket d, in which `key` lies. */
static tag_range range_of_bucket(const job_u32 *job, size_t d, uint32_t key)
{
    narrow_split s = narrow_split_of(job);
    uint32_t start = (uint32_t)(usw_div_up(d << s.bits, s.buckets) << s.shift);
    uint64_t span = (uint64_t)usw_div_up((size_t)1 << s.bits, s.buckets) << s.shift;
    if (job->digits != NULL) {
        start = job->splitters->first[d];
        span = (uint64_t)split_span(job->splitters, d) + 1;
    }
    return (tag_range){
        .mask = s.mask,
        .base = start - ((start - (key & s.mask)) & bits_between_u32(0, job->low)),
        .top = key & ~bits_between_u32(0, job->shift),
        .low = job->low,
        .bits = usw_log2_up((span >> job->low) + 2), /* one more at either end */
        .whole = job->mask == UINT32_MAX,
    };
}

/* The range of a group after split_words, in which `key` lies. */
static tag_range range_of_group(const job_u32 *job, word_plan plan, uint32_t key)
{
    uint32_t bits = bits_between_u32(plan.low - 32, plan.shift - 32);
    return (tag_range){.mask = job->mask & bits,
                       .top = key & ~bits,
                       .low = plan.low - 32,
                       .bits = plan.shift - plan.low,
                       .whole = job->mask == UINT32_MAX};
}

/* Runs BLOCK(count) on items i to i + count of n, by whole blocks, of which the last one overlaps
 * the one before it: no loop is needed for the tail. */
#define IN_BLOCKS(n, i)                                                                            \
    do {                                                                                           \
        size_t i = 0;                                                                              \
        for (; i + TAG_BLOCK <= (n); i += TAG_BLOCK) {                                             \
            BLOCK(TAG_BLOCK)                                                                       \
        }                                                                                          \
        if (i < (n) && (n) >= TAG_BLOCK) {                                                         \
            i = (n)-TAG_BLOCK;                                                                     \
            BLOCK(TAG_BLOCK)                                                                       \
        } else {                                                                                   \
            BLOCK((n)-i)                                                                           \
        }                                                                                          \
    } while (0)

/* Tags and payloads of n words; returns which bits of the keys differ. */
static inline uint32_t make_tags(tag_range r, unsigned place_bits, const uint64_t *restrict words,
                                 size_t n, uint32_t *restrict tags, uint32_t *restrict payloads)
{
    uint32_t differ[TAG_BLOCK] = {0}, first = (uint32_t)(words[0] >> 32), all = 0;
#define BLOCK(count)                                                                               \
    for (size_t j = 0; j < (count); j++) {                                                         \
        uint32_t key = (uint32_t)(words[i + j] >> 32);                                             \
        differ[j] |= key ^ first;                                                                  \
        tags[i + j] = ((key & r.mask) - r.base) >> r.low << place_bits | (uint32_t)(i + j);        \
        payloads[i + j] = (uint32_t)words[i + j];                                                  \
    }
    IN_BLOCKS(n, i);
#undef BLOCK
    for (size_t j = 0; j < TAG_BLOCK; j++) {
        all |= differ[j];
    }
    return all & r.mask;
}

static inline bool has_ties(const uint32_t *tags, size_t n, uint32_t places)
{
    uint32_t ties = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        ties |= (tags[i] ^ tags[i + 1]) <= places;
    }
    return ties != 0;
}

/* Words whose tags were tied may be out of order by the bits of the key that the tags lost. Orders
 * them by insertion, stable; false if more than one in TAG_TIES is out of order. */
static bool order_tied_words(uint64_t *words, size_t n, uint32_t mask)
{
    uint64_t keys = (uint64_t)mask << 32;
    size_t down = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        down += (words[i] & keys) > (words[i + 1] & keys);
    }
    if (down > n / TAG_TIES) {
        return false;
    }
    for (size_t i = 1; down != 0 && i < n; i++) {
        uint64_t word = words[i];
        size_t j = i;
        for (; j > 0 && (words[j - 1] & keys) > (word & keys); j--) {
            words[j] = words[j - 1];
        }
        words[j] = word;
    }
    return true;
}

/* Makes n keys from sorted tags. */
static inline void put_tag_keys(tag_range r, usw_keymap map, unsigned place_bits,
                                const uint32_t *restrict tags, size_t n, uint32_t *restrict keys)
{
    uint32_t base = r.base + r.top;
#define BLOCK(count)                                                                               \
    for (size_t j = 0; j < (count); j++) {                                                         \
        keys[i + j] = unmapped_u32(&map, (tags[i + j] >> place_bits << r.low) + base);             \
    }
    IN_BLOCKS(n, i);
#undef BLOCK
}

/* Writes the payloads of n words to the outputs at position `at`, in the order of the tags. */
static void put_tag_payloads(const usw_pair_sort *p, const uint32_t *tags, uint32_t places,
                             size_t n, const uint32_t *payloads, size_t at)
{
    if (p->payload_bytes == 8) {
        for (size_t i = 0; i < n; i++) {
            uint64_t position = payloads[place_of(tags[i], places)];
            memcpy((char *)p->out_payloads + (at + i) * 8, &position, 8);
        }
        return;
    }
    char *to = (char *)p->out_payloads + at * sizeof *payloads; /* at any address */
    size_t i = 0;
    for (; i + AT_ONCE <= n; i += AT_ONCE) {
        UNROLL for (unsigned k = 0; k < AT_ONCE; k++)
        {
            memcpy(to + 4 * (i + k), payloads + place_of(tags[i + k], places), 4);
        }
    }
    for (; i < n; i++) {
        memcpy(to + 4 * i, payloads + place_of(tags[i], places), 4);
    }
}

/* Sorts n words of a bucket to the outputs at position `at`; false, with nothing done, if they are
 * more than TAGS_MAX or none of the bits in the range differ. */
static bool sort_tagged(const usw_pair_sort *p, tag_range r, const uint64_t *words, size_t n,
                        size_t at)
{
    if (n > TAGS_MAX) {
        return false;
    }
    /* tags is longer than its keys need: if tags and payloads lay 4 KB apart, a load from one would
     * wait for a store to the other. */
    uint32_t tags[TAGS_MAX + 10 * TAG_BLOCK], payloads[TAGS_MAX];
    unsigned place_bits = usw_log2_up(n), all = place_bits + r.bits, lost = all > 32 ? all - 32 : 0;
    uint32_t places = (UINT32_C(1) << place_bits) - 1;
    r.low += lost;
    if (make_tags(r, place_bits, words, n, tags, payloads) == 0) {
        return false;
    }
    USW_ROUTE_PAIRS("tags");
    USW_SYMBOL(usw_cache_sort_steps).sort[2](tags, n);
    bool ties = lost > 0 && has_ties(tags, n, places);
    if (ties || (p->out_keys != NULL && (lost > 0 || !r.whole))) {
        uint64_t sorted[TAGS_MAX];
        for (size_t i = 0; i < n; i++) {
            sorted[i] = words[place_of(tags[i], places)];
        }
        if (ties && !order_tied_words(sorted, n, r.mask)) {
            USW_ROUTE("tags with many ties");
            sort_by_key_and_place(p, r.mask, words, sorted, n, at);
            return true;
        }
        USW_ROUTE_IF(ties, "tags with a few ties", USW_ROUTE_DEFAULT);
        USW_ROUTE_IF(!ties, "keys are looked up by tags", USW_ROUTE_DEFAULT);
        put_words(p, sorted, n, at);
        return true;
    }
    USW_ROUTE("keys from tags");
    put_tag_payloads(p, tags, places, n, payloads, at);
    if (p->out_keys != NULL) {
        put_tag_keys(r, p->map, place_bits, tags, n, (uint32_t *)p->out_keys + at);
    }
    return true;
}
