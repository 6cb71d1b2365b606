/* narrow_quantiles.h - splitters for uneven keys of 32 bits: quantiles of a sorted sample.
 *
 * Splitters separate groups of about equally many keys, however these are spread, and each group is
 * split into buckets of equal widths. A value that several quantiles fall on is a group of its own,
 * which needs no sort. Sixteen keys at a time descend a tree of the splitters. Tree and tables of
 * the groups lie in registers, since a lookup in memory costs a cycle a key and level. Source: P.
 * Sanders and S. Winkel, Super scalar sample sort (2004). Included once. */
/* SPDX-License-Identifier: MIT */

enum {
    SPLIT_LEVELS = 5,
    SPLIT_GROUPS = 1 << SPLIT_LEVELS,
    SPLIT_SAMPLE = 1024,      /* keys */
    SPLIT_SAMPLE_LEAST = 256, /* for fewer than 8 SPLIT_SAMPLE keys */
    SPLIT_LANES = 16,
    SPLIT_TIMES = 6, /* passes that split a key so, on average, at most */
    SPLIT_BUCKETS = NARROW_BUCKETS_MAX + SPLIT_GROUPS
};

/* Group g has the keys & mask from least[g] to below least[g + 1]. A key goes to the group's bucket
 * ((key - least[g]) >> shift) * factor >> 16. width[g] packs the shift from bit 27 on, the group's
 * first bucket from bit 16 on, and the factor in the lowest 16 bits. */
struct splitters {
    uint32_t tree[SPLIT_GROUPS]; /* from node 1 on: keys above it go right */
    uint32_t least[SPLIT_GROUPS], width[SPLIT_GROUPS];
    uint32_t first[SPLIT_BUCKETS + 1]; /* the least key of bucket d; behind the last one: 0 */
    uint32_t sample[SPLIT_SAMPLE];
};

/* How many values bucket d may have, less one. */
static inline uint32_t split_span(const splitters *s, size_t d)
{
    return s->first[d + 1] - 1 - s->first[d];
}

/* Sorts a sample of the keys & mask; returns how many it has. */
static size_t take_sample(const job_u32 *job)
{
    uint32_t *sample = job->splitters->sample;
    size_t sampled = job->n < 8 * SPLIT_SAMPLE ? SPLIT_SAMPLE_LEAST : SPLIT_SAMPLE;
    for (size_t i = 0; i < sampled; i++) {
        sample[i] = mapped_u32(job->map, job->from[job->n / sampled * i]) & job->mask;
    }
    USW_SYMBOL(usw_cache_sort_steps).sort[2](sample, sampled);
    return sampled;
}

/* Chooses the groups by quantiles of the sample; returns how many there are. */
static unsigned choose_groups(splitters *s, size_t sampled)
{
    unsigned groups = 1;
    s->least[0] = 0;
    for (size_t j = 1; j < SPLIT_GROUPS; j++) {
        uint32_t key = s->sample[j * (sampled / SPLIT_GROUPS)], last = s->least[groups - 1];
        if (key > last) {
            s->least[groups++] = key;
        } else if (key == last && key != UINT32_MAX) {
            s->least[groups++] = key + 1;
        }
    }
    return groups;
}

/* Lays the least keys of the groups out as a search tree, level by level. */
static void build_tree(splitters *s, unsigned groups)
{
    for (unsigned l = 0; l < SPLIT_LEVELS; l++) {
        for (unsigned i = 0; i < 1u << l; i++) {
            unsigned right = (2 * i + 1) << (SPLIT_LEVELS - 1 - l); /* the first group there */
            s->tree[(1u << l) + i] = right < groups ? s->least[right] - 1 : UINT32_MAX;
        }
    }
}

/* Splits group g, which has room for `values` values, into `wanted` buckets at most, of which the
 * first is d; returns how many the group has. */
static unsigned split_group(splitters *s, unsigned g, uint64_t values, unsigned wanted, unsigned d)
{
    unsigned bits = usw_log2_up(values), shift = bits > 16 ? bits - 16 : 0;
    uint32_t most = (uint32_t)((values - 1) >> shift) + 1; /* after the shift */
    uint32_t count = (uint32_t)usw_min(wanted, most), mult = (count << 16) / most;
    mult = (uint32_t)usw_min(mult, UINT16_MAX);
    s->width[g] = shift << 27 | d << 16 | mult;
    count = ((most - 1) * mult >> 16) + 1;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t least = mult == 0 ? 0 : (uint32_t)usw_div_up((size_t)k << 16, mult);
        s->first[d + k] = s->least[g] + (least << shift);
    }
    return count;
}

/* Chooses about `wanted` buckets or more; returns how many there are. */
static unsigned choose_splitters(splitters *s, size_t sampled, size_t wanted)
{
    memset(s, 0, offsetof(splitters, first)); /* vectors load the tables whole, unused groups too */
    unsigned groups = choose_groups(s, sampled), buckets = 0;
    unsigned each = (unsigned)(usw_min(wanted, NARROW_BUCKETS_MAX) / SPLIT_GROUPS) + 1;
    build_tree(s, groups);
    for (unsigned g = 0; g < groups; g++) {
        uint64_t end = g + 1 < groups ? s->least[g + 1] : (uint64_t)1 << 32;
        buckets += split_group(s, g, end - s->least[g], each, buckets);
    }
    s->first[buckets] = 0;
    return buckets;
}

#if USW_LEVEL == 2
static inline __m512i look_up_group(const uint32_t table[SPLIT_GROUPS], __m512i at)
{
    return _mm512_permutex2var_epi32(_mm512_loadu_si512(table), at,
                                     _mm512_loadu_si512(table + SPLIT_LANES));
}

static inline __m512i find_groups(const splitters *s, __m512i key)
{
    __m512i one = _mm512_set1_epi32(1), g = one;
    UNROLL for (unsigned l = 0; l < SPLIT_LEVELS; l++)
    {
        __mmask16 right = _mm512_cmpgt_epu32_mask(key, look_up_group(s->tree, g));
        g = _mm512_add_epi32(g, g);
        g = _mm512_mask_add_epi32(g, right, g, one);
    }
    return _mm512_sub_epi32(g, _mm512_set1_epi32(SPLIT_GROUPS));
}

/* The buckets of SPLIT_LANES keys. */
static inline void find_lane_buckets(const splitters *s, const uint32_t *keys, uint16_t *digit)
{
    __m512i key = _mm512_loadu_si512(keys), g = find_groups(s, key),
            width = look_up_group(s->width, g);
    key = _mm512_sub_epi32(key, look_up_group(s->least, g));
    key = _mm512_srlv_epi32(key, _mm512_srli_epi32(width, 27));
    key = _mm512_mulhi_epu16(key, width);
    width = _mm512_and_si512(_mm512_srli_epi32(width, 16), _mm512_set1_epi32(0x7ff));
    key = _mm512_add_epi32(key, width);
    _mm256_storeu_si256((__m256i *)(void *)digit, _mm512_cvtepi32_epi16(key));
}
#else
static inline __m256i load_lanes(const uint32_t *at)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)at);
}

/* a where bit `bit` of `at` is 0, else b. */
static inline __m256i choose_lanes(__m256i a, __m256i b, __m256i at, int bit)
{
    return _mm256_castps_si256(
        _mm256_blendv_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b),
                         _mm256_castsi256_ps(_mm256_slli_epi32(at, 31 - bit))));
}

/* table[at & 15] */
static inline __m256i look_up_half(const uint32_t *table, __m256i at)
{
    return choose_lanes(_mm256_permutevar8x32_epi32(load_lanes(table), at),
                        _mm256_permutevar8x32_epi32(load_lanes(table + 8), at), at, 3);
}

static inline __m256i look_up_group(const uint32_t table[SPLIT_GROUPS], __m256i at)
{
    return choose_lanes(look_up_half(table, at), look_up_half(table + 16, at), at, 4);
}

static inline __m256i find_groups(const splitters *s, __m256i key)
{
    __m256i sign = _mm256_set1_epi32(INT32_MIN), g = _mm256_set1_epi32(1);
    UNROLL for (unsigned l = 0; l < SPLIT_LEVELS; l++)
    {
        const uint32_t *level = s->tree + (l < 3 ? 0 : 1u << l);
        __m256i node =
            l < 4 ? _mm256_permutevar8x32_epi32(load_lanes(level), g) : look_up_half(level, g);
        __m256i right =
            _mm256_cmpgt_epi32(_mm256_xor_si256(key, sign), _mm256_xor_si256(node, sign));
        g = _mm256_sub_epi32(_mm256_add_epi32(g, g), right);
    }
    return _mm256_sub_epi32(g, _mm256_set1_epi32(SPLIT_GROUPS));
}

static inline __m256i find_half_buckets(const splitters *s, const uint32_t *keys)
{
    __m256i key = load_lanes(keys), g = find_groups(s, key), width = look_up_group(s->width, g);
    key = _mm256_sub_epi32(key, look_up_group(s->least, g));
    key = _mm256_srlv_epi32(key, _mm256_srli_epi32(width, 27));
    key = _mm256_mulhi_epu16(key, width);
    width = _mm256_and_si256(_mm256_srli_epi32(width, 16), _mm256_set1_epi32(0x7ff));
    return _mm256_add_epi32(key, width);
}

static inline void store_digits(uint16_t *digit, __m256i a, __m256i b)
{
    __m256i both = _mm256_permute4x64_epi64(_mm256_packus_epi32(a, b), 0xd8);
    _mm256_storeu_si256((__m256i *)(void *)digit, both);
}

/* The buckets of SPLIT_LANES keys. */
static inline void find_lane_buckets(const splitters *s, const uint32_t *keys, uint16_t *digit)
{
    store_digits(digit, find_half_buckets(s, keys), find_half_buckets(s, keys + 8));
}
#endif

/* The buckets of pairs i to i + n, at most NARROW_BLOCK; returns which bits differ from `first`. */
static inline uint32_t find_split_buckets(const job_u32 *job, size_t i, size_t n, uint32_t first,
                                          uint16_t *digit)
{
    uint32_t keys[NARROW_BLOCK], differ = 0;
    for (size_t k = 0; k < n; k++) {
        uint32_t key = mapped_u32(job->map, job->from[i + k]) & job->mask;
        differ |= key ^ first;
        keys[k] = key;
    }
    size_t k = 0;
    for (; k + SPLIT_LANES <= n; k += SPLIT_LANES) {
        find_lane_buckets(job->splitters, keys + k, digit + k);
    }
    if (k < n) {
        uint32_t tail[SPLIT_LANES] = {0};
        uint16_t found[SPLIT_LANES];
        memcpy(tail, keys + k, (n - k) * sizeof *keys);
        find_lane_buckets(job->splitters, tail, found);
        memcpy(digit + k, found, (n - k) * sizeof *found);
    }
    return differ;
}

/* Takes scratch for splitters. False if there is none, or if keys have been split SPLIT_TIMES on
 * average, as only keys that mislead each sample are. */
static bool take_splitters(upsweep *u, job_u32 *job)
{
    if (job->splitters == NULL) {
        job->split_digits = usw_scratch(u, job->p->n * sizeof *job->split_digits);
        job->splitters = job->split_digits == NULL ? NULL : usw_scratch(u, sizeof *job->splitters);
    }
    job->split_keys += job->n;
    return job->splitters != NULL && job->split_keys / SPLIT_TIMES <= job->p->n;
}
