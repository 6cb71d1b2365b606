/* wide_keys_quantiles.h - splitters for keys of 64 bits, however these are spread.
 *
 * A sample says whether the keys are uneven and which values would overfill a bucket. Such frequent
 * values, and quantiles of the sample, split the keys into groups, and each group has buckets of
 * equal widths, in proportion to its keys in the sample; a frequent value is a group of its own,
 * which needs no sort. Source: P. Sanders and S. Winkel, Super scalar sample sort (2004), but with
 * comparisons by vectors in place of a tree. Included once. */
/* SPDX-License-Identifier: MIT */

enum {
    WIDE_GROUPS = 32,
    WIDE_SAMPLE = 256,      /* keys */
    WIDE_SAMPLE_LEAST = 64, /* keys; for fewer than WIDE_SMALL */
    WIDE_SMALL = 8192,
    WIDE_BIN_BITS = 4,
    WIDE_BINS = 1 << WIDE_BIN_BITS, /* of equal widths; some may lie beyond all keys */
    WIDE_UNEVEN_TIMES = 3,          /* times the mean: a bin of even keys has no more */
    WIDE_QUANTILES = 16,
    WIDE_FREQUENT = 4,    /* keys of the sample have a frequent value, at least */
    WIDE_SPLITS_MOST = 6, /* passes that split a key so, on average, at most */
    WIDE_LANES = 4 * USW_LEVEL,
    WIDE_BLOCK = 4 * WIDE_LANES /* keys that are compared at a time */
};

/* Group g has the keys from least[g] to below least[g + 1]. A key goes to bucket
 * first[g] + ((key - least[g]) * width[g] >> 64). */
struct wide_splitters {
    uint64_t least[WIDE_GROUPS], width[WIDE_GROUPS];
    uint32_t first[WIDE_GROUPS];
    unsigned groups, buckets;
    bool uneven;
};

typedef int64_t wide_lanes __attribute__((vector_size(8 * WIDE_LANES)));

static inline uint32_t bucket_in_group(const wide_splitters *s, size_t g, uint64_t key)
{
    return s->first[g] + (uint32_t)((usw_u128)(key - s->least[g]) * s->width[g] >> 64);
}

/* The buckets of WIDE_BLOCK keys. */
static inline void find_wide_block(const wide_splitters *s, const uint64_t *keys, uint16_t *digits)
{
    const uint64_t sign = (uint64_t)1 << 63; /* vectors compare signed */
    wide_lanes key[4], group[4];
    uint64_t found[WIDE_BLOCK];
    UNROLL for (unsigned k = 0; k < 4; k++)
    {
        memcpy(&key[k], keys + k * WIDE_LANES, sizeof key[k]);
        key[k] ^= (int64_t)sign;
        group[k] = (wide_lanes){0};
    }
    for (unsigned g = 1; g < s->groups; g++) {
        int64_t below = (int64_t)((s->least[g] - 1) ^ sign);
        UNROLL for (unsigned k = 0; k < 4; k++) group[k] -= key[k] > below;
    }
    UNROLL for (unsigned k = 0; k < 4; k++)
    {
        memcpy(found + k * WIDE_LANES, &group[k], sizeof group[k]);
    }
    UNROLL for (unsigned k = 0; k < WIDE_BLOCK; k++)
    {
        digits[k] = (uint16_t)bucket_in_group(s, found[k], keys[k]);
    }
}

/* Finds the buckets of n keys, mapped by `map`. */
static void find_wide_buckets(const wide_splitters *s, const uint64_t *keys, key_map_u64 map,
                              size_t n, uint16_t *restrict digits)
{
    size_t i = 0;
    for (; s->groups == 1 && i < n; i++) {
        digits[i] = (uint16_t)bucket_in_group(s, 0, mapped_u64(map, keys[i]));
    }
    USW_ROUTE_IF(s->groups == 1, "one group of splitters", USW_ROUTE_DEFAULT);
    USW_ROUTE_IF(s->groups > 1, "several groups of splitters", USW_ROUTE_DEFAULT);
    for (; i < n; i += WIDE_BLOCK) {
        uint64_t block[WIDE_BLOCK];
        uint16_t found[WIDE_BLOCK];
        size_t some = usw_min(n - i, WIDE_BLOCK);
        for (size_t k = 0; k < WIDE_BLOCK; k++) {
            block[k] = mapped_u64(map, keys[i + (k < some ? k : 0)]);
        }
        find_wide_block(s, block, found);
        memcpy(digits + i, found, some * sizeof *digits);
    }
}

/* Whether one bin has far more of the sorted sample than the mean, frequent values left out. */
static bool is_uneven(const uint64_t *sample, size_t sampled, uint64_t least, uint64_t most)
{
    size_t count[WIDE_BINS] = {0}, run = 0;
    unsigned shift = (unsigned)__builtin_clzll((most - least) | 1);
    bool uneven = false;
    for (size_t i = 0; i < sampled; i++) {
        uint64_t bin = (sample[i] - least) << shift >> (64 - WIDE_BIN_BITS);
        run = i > 0 && sample[i] == sample[i - 1] ? run + 1 : 0;
        count[bin] += run < WIDE_FREQUENT;
        uneven |= count[bin] > WIDE_UNEVEN_TIMES * sampled / WIDE_BINS;
    }
    return uneven;
}

/* Chooses the least keys of the groups by the sorted sample. A value that `frequent` keys of the
 * sample have is a group of its own. */
static void choose_wide_groups(wide_splitters *s, const uint64_t *sample, size_t sampled,
                               size_t frequent)
{
    USW_ROUTE("groups of splitters");
    size_t step = sampled / WIDE_QUANTILES, quantile = s->uneven ? step : sampled;
    unsigned spare = WIDE_GROUPS - 1 - (s->uneven ? WIDE_QUANTILES : 0), g = 0;
    for (size_t i = 0, end; i < sampled; i = end) {
        uint64_t key = sample[i];
        for (end = i + 1; end < sampled && sample[end] == key; end++) {
        }
        bool is_frequent = end - i >= frequent && spare >= 2;
        if ((is_frequent || end > quantile) && key > s->least[g]) {
            s->least[++g] = key;
        }
        if (is_frequent && key != UINT64_MAX) {
            s->least[++g] = key + 1;
        }
        spare -= is_frequent ? 2 : 0;
        while (quantile < end) {
            quantile += step;
        }
    }
    s->groups = g + 1;
}

/* Splits the groups into about `wanted` buckets in all, at most WIDE_GROUPS more; `most` is the
 * greatest key. */
static void choose_widths(wide_splitters *s, const uint64_t *sample, size_t sampled, uint64_t most,
                          size_t wanted)
{
    size_t at = 0;
    s->buckets = 0;
    for (unsigned g = 0; g < s->groups; g++) {
        uint64_t last = g + 1 < s->groups ? s->least[g + 1] - 1 : most, span = last - s->least[g];
        size_t begin = at;
        while (at < sampled && sample[at] <= last) {
            at++;
        }
        uint64_t count = usw_min((at - begin) * wanted / sampled + 1, span);
        s->first[g] = s->buckets;
        s->width[g] = count <= 1 ? 0 : (uint64_t)(((usw_u128)count << 64) / ((usw_u128)span + 1));
        s->buckets += (unsigned)usw_max(count, 1);
    }
}

/* Chooses about `wanted` buckets for n keys from bounds[0] to bounds[1] if the keys are uneven or
 * more than GROUP_LARGE; else one bucket. A value that `frequent_keys` keys have, by the sample, is
 * a group of its own. */
static void choose_wide_splitters(wide_splitters *s, const uint64_t *keys, key_map_u64 map,
                                  size_t n, const uint64_t bounds[2], size_t wanted,
                                  size_t frequent_keys)
{
    uint64_t sample[WIDE_SAMPLE];
    size_t sampled = n < WIDE_SMALL ? WIDE_SAMPLE_LEAST : WIDE_SAMPLE;
    for (size_t i = 0; i < sampled; i++) {
        sample[i] = mapped_u64(map, keys[n / sampled * i]);
    }
    USW_SYMBOL(usw_cache_sort_steps).sort[3](sample, sampled);
    s->uneven = is_uneven(sample, sampled, bounds[0], bounds[1]);
    s->least[0] = bounds[0];
    choose_wide_groups(s, sample, sampled, usw_max(frequent_keys * sampled / n, WIDE_FREQUENT));
    if (s->groups > 1 || n > GROUP_LARGE) {
        choose_widths(s, sample, sampled, bounds[1], wanted);
    } else { /* one bucket */
        s->first[0] = 0;
        s->width[0] = 0;
        s->buckets = 1;
    }
}

/* Chooses splitters for the job's keys, which differ in the bits `differ`. */
static void sample_wide_splitters(wide_splitters *s, const job_u64 *job, uint64_t differ,
                                  size_t wanted, size_t frequent_keys)
{
    uint64_t low = bits_between_u64(0, 64 - (unsigned)__builtin_clzll(differ));
    uint64_t base = mapped_u64(job->map, job->from[0]) & ~low, bounds[2] = {base, base | low};
    choose_wide_splitters(s, job->from, job->map, job->n, bounds, wanted, frequent_keys);
}

/* Chooses splitters for a range that is larger than a leaf; job->digits will tell its buckets.
 * False if the keys are even, if there is no scratch, or if keys have been split WIDE_SPLITS_MOST
 * times on average, as only keys that mislead each sample are. */
static bool split_by_quantiles(upsweep *u, job_u64 *job, uint64_t differ, size_t wanted)
{
    wide_splitters s;
    job->split_keys += job->n;
    if (job->leaf_digits.at == NULL || job->split_keys / WIDE_SPLITS_MOST > job->p->n) {
        USW_ROUTE_IF(job->leaf_digits.at != NULL, "split too often", USW_ROUTE_DEFAULT);
        return false;
    }
    sample_wide_splitters(&s, job, differ, wanted, LEAF_KEYS);
    if (s.groups == 1) {
        return false;
    }
    if (job->split_digits == NULL) {
        job->split_digits = usw_scratch(u, job->p->n * sizeof *job->split_digits);
        job->wide_splitters = job->split_digits == NULL ? NULL : usw_scratch(u, sizeof s);
    }
    if (job->wide_splitters == NULL) {
        USW_ROUTE("no scratch for splitters");
        return false;
    }
    USW_ROUTE_PAIRS("a range is split by splitters");
    *job->wide_splitters = s;
    job->digits = job->split_digits;
    job->buckets = s.buckets;
    return true;
}
