/* wide_keys.h - the sort of a leaf of 64-bit keys as units: key and payload together, 16 bytes a
 * pair.
 *
 * Units are scattered to buckets of about a hundred, and each bucket is sorted straight to the
 * outputs by tags of 32 bits: the highest bits in which its keys differ above the place in the
 * bucket. Tied tags, which agree above the place though their keys differ, are sorted by key: short
 * runs by insertion, long runs as buckets of their own. Included once. */
/* SPDX-License-Identifier: MIT */

enum {
    /* Wanted in a bucket: seldom above what is sorted in registers, 256 (AVX-512) or 128 keys. */
    UNITS_BUCKET_KEYS = USW_LEVEL == 2 ? 200 : 104,
    UNITS_SPLIT_FROM = 1025,  /* keys; fewer are not scattered to buckets first */
    UNITS_SAMPLED_FROM = 256, /* units; for fewer a sample costs more than it saves */
    UNITS_SAMPLE = 16,
    UNITS_BIN_BITS = 4,
    UNITS_BINS = 1 << UNITS_BIN_BITS,
    UNITS_CLOSE = 7, /* different sampled keys in one bin; with more, keys are close */
    UNITS_DESCENTS =
        16, /* if more than one unit in so many is out of order, 64-bit tags are sorted */
    UNITS_MAX = 2 * GROUP_LARGE, /* in a bucket; a larger one is sorted as a leaf of words */
    UNITS_BUCKETS = LEAF_KEYS / UNITS_BUCKET_KEYS + 1 + WIDE_GROUPS
};

typedef struct unit {
    uint64_t key, payload;
} unit;

/* Payload i in the low bytes, or, if from is NULL, i. */
ALWAYS uint64_t payload_at(const char *from, size_t i, size_t bytes)
{
    uint64_t x = from == NULL ? i : 0;
    if (from != NULL) {
        memcpy(&x, from + i * bytes, usw_min(bytes, sizeof x));
    }
    return x;
}

ALWAYS void put_payload_of(char *to, size_t j, uint64_t payload, size_t bytes)
{
    memcpy(to + j * bytes, &payload, usw_min(bytes, sizeof payload));
}

/* Writes n units, in the order of the tags' places, or as they stand (tags NULL), from `at` on. */
ALWAYS void put_units(const usw_pair_sort *p, const unit *units, const uint32_t *tags,
                      uint32_t places, size_t n, size_t at, size_t bytes)
{
    uint64_t *restrict keys = p->out_keys == NULL ? NULL : (uint64_t *)p->out_keys + at;
    char *restrict to = (char *)p->out_payloads + at * bytes;
    size_t i = 0;
    for (; i + AT_ONCE <= n; i += AT_ONCE) {
        UNROLL for (unsigned k = 0; k < AT_ONCE; k++)
        {
            const unit *u = units + (tags == NULL ? i + k : place_of(tags[i + k], places));
            if (p->out_keys != NULL) {
                keys[i + k] = u->key;
            }
            put_payload_of(to, i + k, u->payload, bytes);
        }
    }
    for (; i < n; i++) {
        const unit *u = units + (tags == NULL ? i : place_of(tags[i], places));
        if (p->out_keys != NULL) {
            keys[i] = u->key;
        }
        put_payload_of(to, i, u->payload, bytes);
    }
    if (p->out_keys != NULL && (p->map.neg | p->map.pos | p->map.add) != 0) {
        for (i = 0; i < n; i++) {
            keys[i] = unmapped_u64(&p->map, keys[i]);
        }
    }
}

static void put_units_tagged(const usw_pair_sort *p, const unit *units, const uint32_t *tags,
                             uint32_t places, size_t n, size_t at)
{
#define PUT(bytes) put_units(p, units, tags, places, n, at, bytes)
    FOR_PAYLOAD(p->payload_bytes, PUT)
#undef PUT
}

static void put_units_in_turn(const usw_pair_sort *p, const unit *units, size_t n, size_t at)
{
#define PUT(bytes) put_units(p, units, NULL, 0, n, at, bytes)
    FOR_PAYLOAD(p->payload_bytes, PUT)
#undef PUT
}

/* Where the run of tags that are tied with tag i ends. */
static inline size_t tied_end(const uint32_t *tags, size_t i, size_t n, uint32_t places)
{
    size_t end = i + 1;
    while (end < n && (tags[end] ^ tags[i]) <= places) {
        end++;
    }
    return end;
}

/* How many keys, in the order of tags that may be tied, are less than the key before. */
static size_t count_descents(const unit *units, const uint32_t *tags, size_t n, uint32_t places)
{
    uint64_t before = 0;
    size_t down = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t key = units[place_of(tags[i], places)].key;
        down += key < before;
        before = key;
    }
    return down;
}

/* Sorts words of 64 bits where tags of 32 hold too few bits of the key; a tag then holds the rank
 * of its key in place of the key's bits. Returns whether some are tied. */
static bool sort_wide_tags(const unit *units, size_t n, uint64_t least, unsigned shift,
                           unsigned place_bits, uint32_t *tags)
{
    USW_ROUTE("tags of 64 bits");
    uint64_t wide[UNITS_MAX], places = (UINT64_C(1) << place_bits) - 1;
    uint64_t ties = 0;
    for (size_t i = 0; i < n; i++) {
        wide[i] = (units[i].key - least) >> shift << place_bits | i;
    }
    USW_SYMBOL(usw_cache_sort_steps).sort[3](wide, n);
    for (size_t i = 1; i < n; i++) {
        ties += (wide[i] ^ wide[i - 1]) <= places;
    }
    if (ties == 0) { /* as nearly always; by vectors */
        for (size_t i = 0; i < n; i++) {
            tags[i] = (uint32_t)(i << place_bits | (wide[i] & places));
        }
        return false;
    }
    uint32_t rank = 0;
    for (size_t i = 0; i < n; i++) {
        rank += i > 0 && (wide[i] ^ wide[i - 1]) > places;
        tags[i] = rank << place_bits | (uint32_t)(wide[i] & places);
    }
    return true;
}

/* Sorts short runs of tied tags by their keys; returns whether there are longer runs in which keys
 * differ. */
static bool order_tied_tags(const unit *units, uint32_t *tags, size_t n, uint32_t places)
{
    USW_ROUTE("ties");
    bool longer = false;
    for (size_t i = 0, end; i < n; i = end) {
        end = tied_end(tags, i, n, places);
        if (end - i > TIES_INSERTED) {
            uint64_t differ = 0, first = units[tags[i] & places].key;
            for (size_t j = i; j < end; j++) {
                differ |= units[tags[j] & places].key ^ first;
            }
            longer |= differ != 0;
            continue;
        }
        for (size_t j = i + 1; j < end; j++) {
            uint32_t tag = tags[j];
            uint64_t key = units[tag & places].key;
            size_t to = j;
            for (; to > i && units[tags[to - 1] & places].key > key; to--) {
                tags[to] = tags[to - 1];
            }
            tags[to] = tag;
        }
    }
    return longer;
}

static bool sort_units(const usw_pair_sort *p, const unit *units, size_t n, size_t at);

/* Sorts the units of each long run of tied tags as a bucket of its own, whose tags hold lower bits
 * of the key, to the outputs from `at` on. */
static void sort_tied_units(const usw_pair_sort *p, const unit *units, const uint32_t *tags,
                            size_t n, uint32_t places, size_t at)
{
    USW_ROUTE("long runs of ties");
    unit run[UNITS_MAX];
    for (size_t i = 0, end; i < n; i = end) {
        end = tied_end(tags, i, n, places);
        for (size_t j = i; j < end && end - i > TIES_INSERTED; j++) {
            run[j - i] = units[tags[j] & places];
        }
        if (end - i > TIES_INSERTED) {
            (void)sort_units(p, run, end - i, at + i);
        }
    }
}

/* Whether a sample says that most tags of 32 bits would be tied though the keys differ; keys less
 * `least` have `bits` bits. */
static bool is_close(const unit *units, size_t n, uint64_t least, unsigned bits)
{
    uint64_t last[UNITS_BINS] = {0};
    unsigned values[UNITS_BINS] = {0}, most = 0;
    for (size_t i = 0; i < UNITS_SAMPLE; i++) {
        uint64_t key = units[n / UNITS_SAMPLE * i].key - least,
                 bin = key >> (bits - UNITS_BIN_BITS);
        values[bin] += key != last[bin];
        last[bin] = key;
        most = values[bin] > most ? values[bin] : most;
    }
    return most > UNITS_CLOSE;
}

/* Sorts units to the outputs from `at` on; false, with nothing done, if they are too many. */
static bool sort_units(const usw_pair_sort *p, const unit *units, size_t n, size_t at)
{
    uint32_t tags[UNITS_MAX];
    uint64_t least = units[0].key, most = least;
    for (size_t i = 1; i < n; i++) {
        least = usw_min(least, units[i].key);
        most = usw_max(most, units[i].key);
    }
    if (least == most) {
        USW_ROUTE_PAIRS("units of one key");
        put_units_in_turn(p, units, n, at);
        return true;
    }
    if (n > UNITS_MAX) {
        return false;
    }
    unsigned place_bits = usw_log2_up(n), bits = 64 - (unsigned)__builtin_clzll(most - least);
    unsigned all = place_bits + bits, shift = all > 32 ? all - 32 : 0;
    uint32_t places = (UINT32_C(1) << place_bits) - 1;
    size_t downs = n;
    if (shift == 0 || n < UNITS_SAMPLED_FROM || !is_close(units, n, least, bits)) {
        for (size_t i = 0; i < n; i++) {
            tags[i] = (uint32_t)((units[i].key - least) >> shift) << place_bits | (uint32_t)i;
        }
        USW_ROUTE_PAIRS("tags of 32 bits");
        USW_SYMBOL(usw_cache_sort_steps).sort[2](tags, n);
        bool ties = shift > 0 && has_ties(tags, n, places);
        downs = ties ? count_descents(units, tags, n, places) : 0;
    }
    if (downs > n / UNITS_DESCENTS) {
        const bool ties =
            sort_wide_tags(units, n, least, all > 64 ? all - 64 : 0, place_bits, tags);
        downs = all > 64 && ties ? count_descents(units, tags, n, places) : 0;
    }
    bool longer = downs > 0 && order_tied_tags(units, tags, n, places);
    put_units_tagged(p, units, tags, places, n, at);
    if (longer) {
        sort_tied_units(p, units, tags, n, places, at);
    }
    return true;
}

/* The least and the greatest of n mapped keys. */
static void bounds_of(const uint64_t *keys, key_map_u64 map, size_t n, uint64_t bounds[2])
{
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t key = mapped_u64(map, keys[i]);
        least = usw_min(least, key);
        most = usw_max(most, key);
    }
    bounds[0] = least;
    bounds[1] = most;
}

/* Counts the keys by bucket (digits) and finds where each bucket begins. */
static void place_buckets(const uint16_t *digits, size_t n, unsigned buckets, uint32_t *places)
{
    uint32_t odd[UNITS_BUCKETS], sum = 0;
    memset(places, 0, buckets * sizeof *places);
    memset(odd, 0, buckets * sizeof *odd); /* so neighbours do not wait for one counter */
    for (size_t i = 0; i + 2 <= n; i += 2) {
        places[digits[i]]++;
        odd[digits[i + 1]]++;
    }
    places[digits[n - 1]] += n % 2;
    for (unsigned d = 0; d < buckets; d++) {
        uint32_t count = places[d] + odd[d];
        places[d] = sum;
        sum += count;
    }
}

/* Scatters n pairs to the places of their buckets; places[d] becomes the end of bucket d. If digits
 * is NULL there is one bucket. */
ALWAYS void scatter_units(const uint64_t *keys, const char *payloads, key_map_u64 map, size_t n,
                          const uint16_t *digits, uint32_t *places, unit *restrict to, size_t bytes)
{
    size_t i = 0;
    for (; digits == NULL && i < n; i++) {
        to[i] = (unit){mapped_u64(map, keys[i]), payload_at(payloads, i, bytes)};
    }
    for (; i + AT_ONCE <= n; i += AT_ONCE) {
        uint32_t at[AT_ONCE];
        UNROLL for (unsigned k = 0; k < AT_ONCE; k++) at[k] = places[digits[i + k]]++;
        UNROLL for (unsigned k = 0; k < AT_ONCE; k++)
        {
            to[at[k]] = (unit){mapped_u64(map, keys[i + k]), payload_at(payloads, i + k, bytes)};
        }
    }
    for (; i < n; i++) {
        to[places[digits[i]]++] = (unit){mapped_u64(map, keys[i]), payload_at(payloads, i, bytes)};
    }
}

/* Unpacks units into buffer 1. */
static void unpack_units(const usw_pair_sort *p, const unit *units, size_t n, size_t at)
{
    uint64_t *keys = (uint64_t *)p->buffer_keys[1] + at;
    char *payloads = (char *)p->buffer_payloads[1] + at * p->payload_bytes;
    for (size_t i = 0; i < n; i++) {
        keys[i] = units[i].key;
        memcpy(payloads + i * p->payload_bytes, &units[i].payload, p->payload_bytes);
    }
}

/* Sorts the buckets to the outputs from `at` on. Those that are too large are unpacked into buffer
 * 1, and sorted as leaves of words, which need the lane's scratch, when no unit is left in it. */
static void sort_buckets_of_units(const job_u64 *job, const unit *units, unsigned buckets,
                                  const uint32_t *ends, size_t at, unsigned lane)
{
    const usw_pair_sort *p = job->p;
    bool left[UNITS_BUCKETS] = {false}, any = false;
    for (uint32_t d = 0, begin = 0; d < buckets; begin = ends[d++]) {
        size_t n = ends[d] - begin;
        if (n > 0 && !sort_units(p, units + begin, n, at + begin)) {
            USW_ROUTE_PAIRS("a large bucket of units");
            unpack_units(p, units + begin, n, at + begin);
            left[d] = any = true;
        }
    }
    for (uint32_t d = 0, begin = 0; any && d < buckets; begin = ends[d++]) {
        if (left[d]) {
            const uint64_t *keys = (const uint64_t *)p->buffer_keys[1] + at + begin;
            const char *payloads =
                (const char *)p->buffer_payloads[1] + (at + begin) * p->payload_bytes;
            sort_leaf_u64(job, keys, payloads, at + begin, ends[d] - begin, UINT64_MAX, lane);
        }
    }
}

/* Whether leaves are sorted as units. */
static bool sorts_units(const job_u64 *job)
{
    return job->leaf_digits.at != NULL;
}

/* Chooses leaves of words, which are half as large as units, if the caller wants no keys and the
 * keys are even. Returns whether positions were sorted at once: of uneven keys, or more than a leaf
 * has. */
static bool choose_leaf_method(upsweep *u, job_u64 *job, uint64_t differ)
{
    if (!sorts_units(job) || job->p->out_keys != NULL || job->n < UNITS_SPLIT_FROM) {
        return false;
    }
    wide_splitters s;
    sample_wide_splitters(&s, job, differ, 1, job->n);
    USW_ROUTE_IF(s.uneven, "positions: uneven keys", USW_ROUTE_DEFAULT);
    USW_ROUTE_IF(!s.uneven, "positions: even keys", USW_ROUTE_DEFAULT);
    job->leaf_digits.at = s.uneven ? job->leaf_digits.at : NULL;
#if USW_LEVEL == 2
    return (s.uneven || job->n > LEAF_KEYS) && job->p->payloads == NULL &&
           sort_upper_words(u, job, differ);
#else
    (void)u;
    return false;
#endif
}

/* Sorts n pairs, keys mapped by `map`, to the outputs from `at` on. Places at to at + n of buffer
 * 1, where the pairs may lie, are overwritten. */
static void sort_leaf_of_units(const job_u64 *job, const uint64_t *keys, const char *payloads,
                               key_map_u64 map, size_t at, size_t n, unsigned lane)
{
    USW_ROUTE_PAIRS("a leaf of units");
    const usw_pair_sort *p = job->p;
    unit *units = usw_share(&job->words, lane);
    uint16_t *digits = usw_share(&job->leaf_digits, lane);
    uint32_t ends[UNITS_BUCKETS];
    wide_splitters s = {.buckets = 1};
    for (size_t i = 0; i < n; i += 64 / sizeof *units) {
        __builtin_prefetch(units + i, 1,
                           2); /* hardware does not foresee the order of the scatter */
    }
    if (n >= UNITS_SPLIT_FROM) {
        uint64_t bounds[2];
        bounds_of(keys, map, n, bounds);
        choose_wide_splitters(&s, keys, map, n, bounds, usw_div_up(n, UNITS_BUCKET_KEYS),
                              UNITS_MAX / 2);
    }
    if (s.buckets > 1) {
        USW_ROUTE_PAIRS("units are scattered to buckets");
        find_wide_buckets(&s, keys, map, n, digits);
        place_buckets(digits, n, s.buckets, ends);
    } else {
        ends[0] = (uint32_t)n;
        digits = NULL;
    }
#define SCATTER(bytes) scatter_units(keys, payloads, map, n, digits, ends, units, bytes)
    FOR_PAYLOAD(p->payload_bytes, SCATTER)
#undef SCATTER
    sort_buckets_of_units(job, units, s.buckets, ends, at, lane);
}
