/* narrow_close_keys.h - the sort of up to 8191 words of which many keys are close together, so that
 * their tags of 32 bits would be tied.
 *
 * Tags are made all the same if a gap between the bits in which the keys differ can be closed
 * (sort_clusters), or if most keys are in one narrow range (sort_dense). Else 64-bit words of the
 * key and the place are sorted, which takes twice as long. Included once. */
/* SPDX-License-Identifier: MIT */

enum {
    CLOSE_FROM = 512,  /* keys; for fewer a sample costs more than it saves */
    CLOSE_MOST = 8191, /* keys; more are split by splitters */
    CLOSE_SAMPLE = 32,
    CLOSE_KEYS = 12,     /* of the sample in 1/16 of the range are close together */
    CLOSE_DISTINCT = 20, /* values in the sample; if fewer, equal keys make the ties */
    DENSE_KEYS = 24      /* of the sample lie in the dense range, about */
};

/* The narrowest range in which DENSE_KEYS of the sample lie. */
typedef struct dense_range {
    uint32_t middle, span;
} dense_range;

typedef enum spread { EVEN, CLOSE, FEW_VALUES } spread;

/* Says by a sample how keys are spread that differ in bits below hi, and finds the dense range. */
static spread sample_spread(const job_u32 *job, unsigned hi, dense_range *dense)
{
    uint32_t sample[CLOSE_SAMPLE], sixteenth = bits_between_u32(0, hi) >> 4;
    unsigned values = 1;
    bool close = false;
    for (size_t i = 0; i < CLOSE_SAMPLE; i++) {
        sample[i] = mapped_u32(job->map, job->from[job->n / CLOSE_SAMPLE * i]) & job->mask;
    }
    USW_SYMBOL(usw_cache_sort_steps).sort[2](sample, CLOSE_SAMPLE);
    for (size_t i = 1; i < CLOSE_SAMPLE; i++) {
        values += sample[i] != sample[i - 1];
    }
    for (size_t i = CLOSE_KEYS; i < CLOSE_SAMPLE; i++) {
        close |= sample[i] - sample[i - CLOSE_KEYS] <= sixteenth;
    }
    *dense = (dense_range){0, UINT32_MAX};
    for (size_t i = DENSE_KEYS; i < CLOSE_SAMPLE; i++) {
        uint32_t least = sample[i - DENSE_KEYS], span = sample[i] - least;
        *dense = span < dense->span ? (dense_range){least + span / 2, span} : *dense;
    }
    return values <= CLOSE_DISTINCT ? FEW_VALUES : close ? CLOSE : EVEN;
}

/* Sorts n words by the keys & mask, as words of key and place, to the outputs at position `at`;
 * spare is a buffer for n. */
static void sort_by_key_and_place(const usw_pair_sort *p, uint32_t mask, const uint64_t *words,
                                  uint64_t *spare, size_t n, size_t at)
{
    sort_places(words, spare, n, (uint64_t)mask << 32);
    put_words(p, spare, n, at);
}

/* Bits [at, at + width), which are the same in all keys, between others that are not. */
typedef struct bit_gap {
    unsigned at, width;
} bit_gap;

static bit_gap widest_gap(uint32_t differ)
{
    bit_gap most = {0, 0};
    for (unsigned at = (unsigned)__builtin_ctz(differ); at < 32 && differ >> at != 0;) {
        unsigned width = (unsigned)__builtin_ctz(differ >> at);
        if (width > most.width) {
            most = (bit_gap){at, width};
        }
        at += width;
        at += (unsigned)__builtin_ctzll(~(uint64_t)(differ >> at));
    }
    return most;
}

/* Sorts n words whose keys lie in clusters with wide gaps between them to the outputs at position
 * `at`, by tags of 32 bits from which the widest gap of equal bits is taken out. Returns false,
 * with nothing done, if key and place do not fit 32 bits so, or fit without that. */
static bool sort_clusters(const usw_pair_sort *p, uint32_t differ, const uint64_t *restrict words,
                          uint64_t *restrict spare, size_t n, size_t at)
{
    bit_gap gap = widest_gap(differ);
    unsigned low = (unsigned)__builtin_ctz(differ), places = usw_log2_up(n);
    unsigned bits = 32 - (unsigned)__builtin_clz(differ) - low;
    if (gap.width == 0 || bits + places <= 32 || bits + places - gap.width > 32) {
        return false;
    }
    USW_ROUTE("clusters");
    uint32_t below = bits_between_u32(0, gap.at - low), *tags = (uint32_t *)(void *)spare + n;
    for (size_t i = 0; i < n; i++) { /* in the second half: none is overwritten before it is read */
        uint32_t key = ((uint32_t)(words[i] >> 32) & differ) >> low;
        key = (key & below) | (key >> gap.width & ~below);
        tags[i] = key << places | (uint32_t)i;
    }
    USW_SYMBOL(usw_cache_sort_steps).sort[2](tags, n);
    for (size_t i = 0; i < n; i++) {
        spare[i] = words[place_of(tags[i], bits_between_u32(0, places))];
    }
    put_words(p, spare, n, at);
    return true;
}

/* Sorts n words of which most keys lie in the dense range to the outputs at position `at`; words is
 * overwritten. Tags of 32 bits tell the keys in the range from each other; all keys below it share
 * one tag, all above it another, and both lots are sorted by key and place afterwards. Returns
 * false, with nothing done, if the range is too wide for tags. */
static bool sort_dense(const usw_pair_sort *p, uint32_t mask, dense_range dense, uint64_t *words,
                       uint64_t *spare, size_t n, size_t at)
{
    unsigned places = usw_log2_up(n);
    uint32_t most = UINT32_MAX >> places, *tags = (uint32_t *)(void *)spare + n;
    uint32_t base = dense.middle - (uint32_t)usw_min(dense.middle, most / 2), below = 0, above = 0;
    if (dense.span > most - most / 8) {
        return false;
    }
    for (size_t i = 0; i < n; i++) { /* in the second half: none is overwritten before it is read */
        uint32_t key = (uint32_t)(words[i] >> 32) & mask;
        uint32_t tag = key < base ? 0 : key - base;
        tag = tag < most ? tag : most;
        below += tag == 0;
        above += tag == most;
        tags[i] = tag << places | (uint32_t)i;
    }
    USW_SYMBOL(usw_cache_sort_steps).sort[2](tags, n);
    for (size_t i = 0; i < n; i++) {
        spare[i] = words[place_of(tags[i], bits_between_u32(0, places))];
    }
    USW_ROUTE("a dense range");
    put_words(p, spare + below, n - below - above, at + below);
    sort_by_key_and_place(p, mask, spare, words, below, at);
    sort_by_key_and_place(p, mask, spare + n - above, words, above, at + n - above);
    return true;
}
