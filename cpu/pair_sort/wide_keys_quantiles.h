/* wide_keys_quantiles.h - how pair_sort finds buckets for keys of 64 bits, however they are
 * spread: a sample says whether the keys are uneven and which values would overfill a bucket. Such
 * values, and quantiles of the sample, part the keys into groups, and each group has buckets of
 * equal widths, as many as it has keys of the sample; a frequent value is a group of its own, which
 * needs no sort. Source: P. Sanders and S. Winkel, Super scalar sample sort (2004), but with
 * comparisons by vectors in place of a tree. Included once. */

enum {
    CUT_GROUPS = 32,
    CUT_SAMPLE = 256,
    CUT_SAMPLE_LEAST = 64, /* for less than CUT_SMALL keys */
    CUT_SMALL = 8192,
    CUT_BIN_BITS = 4,
    CUT_BINS = 1 << CUT_BIN_BITS, /* of equal widths, of which some may lie beyond all keys */
    CUT_CROWD = 3,                /* times the mean or less has each if keys are even */
    CUT_QUANTILES = 16,
    CUT_HEAVY = 4, /* of the sample have a frequent value, at least */
    CUT_TIMES = 6, /* that a key is split so, on average, at most */
    CUT_LANES = 4 * USW_LEVEL,
    CUT_BLOCK = 4 * CUT_LANES /* keys that are compared at a time */
};

/* Group g has the keys from least[g] to below least[g + 1]; of a key, less least[g], the upper half
 * of the product with width[g] tells which bucket of the group, whose first is first[g]. */
struct cuts {
    uint64_t least[CUT_GROUPS], width[CUT_GROUPS];
    uint32_t first[CUT_GROUPS];
    unsigned groups, buckets;
    bool uneven;
};

typedef int64_t cut_lanes __attribute__((vector_size(8 * CUT_LANES)));

static inline uint32_t cut_in_group(const cuts *c, size_t g, uint64_t key)
{
    return c->first[g] + (uint32_t)((usw_u128)(key - c->least[g]) * c->width[g] >> 64);
}

/* The buckets of CUT_BLOCK keys. */
static inline void cut_block(const cuts *c, const uint64_t *keys, uint16_t *digits)
{
    const uint64_t sign = (uint64_t)1 << 63; /* vectors compare signed */
    cut_lanes key[4], group[4];
    uint64_t found[CUT_BLOCK];
    UNROLL for (unsigned k = 0; k < 4; k++)
    {
        memcpy(&key[k], keys + k * CUT_LANES, sizeof key[k]);
        key[k] ^= (int64_t)sign;
        group[k] = (cut_lanes){0};
    }
    for (unsigned g = 1; g < c->groups; g++) {
        int64_t below = (int64_t)((c->least[g] - 1) ^ sign);
        UNROLL for (unsigned k = 0; k < 4; k++) group[k] -= key[k] > below;
    }
    UNROLL for (unsigned k = 0; k < 4; k++)
    {
        memcpy(found + k * CUT_LANES, &group[k], sizeof group[k]);
    }
    UNROLL for (unsigned k = 0; k < CUT_BLOCK; k++)
    {
        digits[k] = (uint16_t)cut_in_group(c, found[k], keys[k]);
    }
}

/* The buckets of n keys, mapped by `map`. */
static void cut_keys(const cuts *c, const uint64_t *keys, key_map_u64 map, size_t n,
                     uint16_t *restrict digits)
{
    size_t i = 0;
    for (; c->groups == 1 && i < n; i++) {
        digits[i] = (uint16_t)cut_in_group(c, 0, mapped_u64(map, keys[i]));
    }
    USW_ROUTE_IF(c->groups == 1, "one group of cuts", USW_ROUTE_DEFAULT);
    USW_ROUTE_IF(c->groups > 1, "several groups of cuts", USW_ROUTE_DEFAULT);
    for (; i < n; i += CUT_BLOCK) {
        uint64_t block[CUT_BLOCK];
        uint16_t found[CUT_BLOCK];
        size_t some = usw_min(n - i, CUT_BLOCK);
        for (size_t k = 0; k < CUT_BLOCK; k++) {
            block[k] = mapped_u64(map, keys[i + (k < some ? k : 0)]);
        }
        cut_block(c, block, found);
        memcpy(digits + i, found, some * sizeof *digits);
    }
}

/* Whether one of sixteen parts has far more of the sample than others, frequent values left out. */
static bool is_uneven(const uint64_t *sample, size_t sampled, uint64_t least, uint64_t most)
{
    size_t count[CUT_BINS] = {0}, run = 0;
    unsigned shift = (unsigned)__builtin_clzll((most - least) | 1);
    bool uneven = false;
    for (size_t i = 0; i < sampled; i++) {
        uint64_t bin = (sample[i] - least) << shift >> (64 - CUT_BIN_BITS);
        run = i > 0 && sample[i] == sample[i - 1] ? run + 1 : 0;
        count[bin] += run < CUT_HEAVY;
        uneven |= count[bin] > CUT_CROWD * sampled / CUT_BINS;
    }
    return uneven;
}

/* The least keys of groups, by the sorted sample, in which a value that is to be alone is `heavy`
 * times. */
static void choose_groups_of_cuts(cuts *c, const uint64_t *sample, size_t sampled, size_t heavy)
{
    USW_ROUTE("groups of cuts");
    size_t part = sampled / CUT_QUANTILES, quantile = c->uneven ? part : sampled;
    unsigned spare = CUT_GROUPS - 1 - (c->uneven ? CUT_QUANTILES : 0), g = 0;
    for (size_t i = 0, end; i < sampled; i = end) {
        uint64_t key = sample[i];
        for (end = i + 1; end < sampled && sample[end] == key; end++) {
        }
        bool alone = end - i >= heavy && spare >= 2;
        if ((alone || end > quantile) && key > c->least[g]) {
            c->least[++g] = key;
        }
        if (alone && key != UINT64_MAX) {
            c->least[++g] = key + 1;
        }
        spare -= alone ? 2 : 0;
        while (quantile < end) {
            quantile += part;
        }
    }
    c->groups = g + 1;
}

/* Groups become about `wanted` buckets, more by CUT_GROUPS at most; keys are at most `most`. */
static void choose_widths(cuts *c, const uint64_t *sample, size_t sampled, uint64_t most,
                          size_t wanted)
{
    size_t at = 0;
    c->buckets = 0;
    for (unsigned g = 0; g < c->groups; g++) {
        uint64_t last = g + 1 < c->groups ? c->least[g + 1] - 1 : most, span = last - c->least[g];
        size_t begin = at;
        while (at < sampled && sample[at] <= last) {
            at++;
        }
        uint64_t parts = usw_min((at - begin) * wanted / sampled + 1, span);
        c->first[g] = c->buckets;
        c->width[g] = parts <= 1 ? 0 : (uint64_t)(((usw_u128)parts << 64) / ((usw_u128)span + 1));
        c->buckets += (unsigned)usw_max(parts, 1);
    }
}

/* Chooses about `wanted` buckets for n keys from bounds[0] to bounds[1] if they are uneven or more
 * than are sorted as one. A value that `alone` keys have is a group. */
static void choose_cuts(cuts *c, const uint64_t *keys, key_map_u64 map, size_t n,
                        const uint64_t bounds[2], size_t wanted, size_t alone)
{
    uint64_t sample[CUT_SAMPLE];
    size_t sampled = n < CUT_SMALL ? CUT_SAMPLE_LEAST : CUT_SAMPLE;
    for (size_t i = 0; i < sampled; i++) {
        sample[i] = mapped_u64(map, keys[n / sampled * i]);
    }
    USW_SYMBOL(usw_cache_sort_steps).sort[3](sample, sampled);
    c->uneven = is_uneven(sample, sampled, bounds[0], bounds[1]);
    c->least[0] = bounds[0];
    choose_groups_of_cuts(c, sample, sampled, usw_max(alone * sampled / n, CUT_HEAVY));
    if (c->groups > 1 || n > GROUP_LARGE) {
        choose_widths(c, sample, sampled, bounds[1], wanted);
    } else { /* one bucket */
        c->first[0] = 0;
        c->width[0] = 0;
        c->buckets = 1;
    }
}

/* Chooses cuts for the job's keys, which differ in `differ`. */
static void cut_sample(cuts *c, const job_u64 *job, uint64_t differ, size_t wanted, size_t alone)
{
    uint64_t low = bits_between_u64(0, 64 - (unsigned)__builtin_clzll(differ));
    uint64_t base = mapped_u64(job->map, job->from[0]) & ~low, bounds[2] = {base, base | low};
    choose_cuts(c, job->from, job->map, job->n, bounds, wanted, alone);
}

/* Whether a range of more keys than a leaf's is uneven: then job->digits tell its buckets. Not too
 * much may have been done so, which only keys that mislead each sample would make necessary. */
static bool cut_range(upsweep *u, job_u64 *job, uint64_t differ, size_t wanted)
{
    cuts c;
    job->split_keys += job->n;
    if (job->leaf_digits.at == NULL || job->split_keys / CUT_TIMES > job->p->n) {
        USW_ROUTE_IF(job->leaf_digits.at != NULL, "split too often", USW_ROUTE_DEFAULT);
        return false;
    }
    cut_sample(&c, job, differ, wanted, LEAF_KEYS);
    if (c.groups == 1) {
        return false;
    }
    if (job->split_digits == NULL) {
        job->split_digits = usw_scratch(u, job->p->n * sizeof *job->split_digits);
        job->cuts = job->split_digits == NULL ? NULL : usw_scratch(u, sizeof c);
    }
    if (job->cuts == NULL) {
        USW_ROUTE("no scratch for cuts");
        return false;
    }
    USW_ROUTE_PAIRS("a range is split by cuts");
    *job->cuts = c;
    job->digits = job->split_digits;
    job->buckets = c.buckets;
    return true;
}
