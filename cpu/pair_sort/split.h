/* split.h - the split of a range into buckets by the highest digit of the keys: which bits differ,
 * histogram, scan, stable scatter of keys and payloads. Included once per key width. */
/* SPDX-License-Identifier: MIT */

/* Finds the bits in which the keys of a chunk differ. */
static void FN(examine)(void *context, size_t c, unsigned lane)
{
    FN(job) *job = context;
    const KEY *k = job->from;
    FN(key_map) map = job->map;
    KEY first = FN(mapped)(map, k[0]), differ = 0;
    size_t end = FN(chunk_end)(job, c);
    (void)lane;
    for (size_t i = c * job->chunk; i < end; i++) {
        differ |= (KEY)(FN(mapped)(map, k[i]) ^ first);
    }
    job->chunk_differ[c] = differ & job->mask;
}

/* Counts the keys of a chunk by bucket. */
static void FN(count_buckets)(void *context, size_t c, unsigned lane)
{
    FN(job) *job = context;
    const KEY *k = job->from;
    FN(key_map) map = job->map;
    unsigned shift = job->shift, m = job->buckets - 1;
    size_t *count = job->offsets + c * job->buckets, end = FN(chunk_end)(job, c);
    (void)lane;
    memset(count, 0, job->buckets * sizeof *count);
#if KEY_BITS == 64 && USW_LEVEL >= 1
    if (job->digits != NULL) {
        size_t begin = c * job->chunk;
        find_wide_buckets(job->wide_splitters, k + begin, map, begin < end ? end - begin : 0,
                          job->digits + begin);
        for (size_t i = begin; i < end; i++) {
            count[job->digits[i]]++;
        }
        return;
    }
#endif
    for (size_t i = c * job->chunk; i < end; i++) {
        count[(unsigned)(FN(mapped)(map, k[i]) >> shift) & m]++;
    }
}

/* Turns the counts into the places where the keys of each chunk begin in each bucket. */
static void FN(scan_counts)(FN(job) * job)
{
    size_t sum = 0;
    for (unsigned d = 0; d < job->buckets; d++) {
        for (size_t c = 0; c < job->chunks; c++) {
            size_t count = job->offsets[c * job->buckets + d];
            job->offsets[c * job->buckets + d] = sum;
            sum += count;
        }
        job->ends[d] = sum;
    }
}

/* Scatters a chunk with plain stores, which go through the cache. */
ALWAYS void FN(scatter_cached)(FN(job) * job, size_t c, size_t bytes)
{
    bool prefetch = job->n * (sizeof(KEY) + bytes) >= PREFETCH_BYTES;
    unsigned shift = job->shift, m = job->buckets - 1;
    size_t *offset = job->offsets + c * job->buckets, end = FN(chunk_end)(job, c);
    const KEY *from = job->from;
    const uint16_t *digits = job->digits; /* NULL: the highest bits tell */
    const char *payloads = job->from_payloads;
    KEY *to = job->to;
    char *to_payloads = job->to_payloads;
    FN(key_map) map = job->map;
    for (size_t i = c * job->chunk; i < end; i++) {
        KEY key = FN(mapped)(map, from[i]);
        unsigned d = digits == NULL ? (unsigned)(key >> shift) & m : digits[i];
        size_t at = offset[d]++;
        if (prefetch) {
            __builtin_prefetch(to + at + 64 / sizeof(KEY), 1);
            __builtin_prefetch(to_payloads + at * bytes + 64, 1);
        }
        to[at] = key;
        put_payload(to_payloads, at, payloads, i, bytes);
    }
}

/* Scatters a chunk through write-combining lines, which are streamed past the cache. Lines are
 * aligned in the destination, so a bucket's first and last line may be shorter. */
ALWAYS void FN(scatter_past_cache)(FN(job) * job, size_t c, unsigned lane, size_t bytes)
{
    const size_t W = sizeof(KEY) < bytes ? 64 / sizeof(KEY) : 64 / bytes;
    const size_t E = sizeof(KEY) == bytes ? 2 * W : W, line_bytes = E * (sizeof(KEY) + bytes);
    unsigned shift = job->shift, m = job->buckets - 1;
    size_t end = FN(chunk_end)(job, c), skew = job->base % E;
    size_t *offset = job->offsets + c * job->buckets;
    size_t *start = usw_share(&job->starts, lane);
    char *lines = usw_share(&job->lines, lane);
    KEY *to = job->to;
    char *to_payloads = job->to_payloads;
    const KEY *from = job->from;
    const uint16_t *digits = job->digits; /* NULL: the highest bits tell */
    const char *payloads = job->from_payloads;
    FN(key_map) map = job->map;
    for (unsigned d = 0; d <= m; d++) {
        start[d] = offset[d] += skew;
    }
    for (size_t i = c * job->chunk; i < end; i++) {
        KEY key = FN(mapped)(map, from[i]);
        unsigned d = digits == NULL ? (unsigned)(key >> shift) & m : digits[i];
        size_t at = offset[d]++, slot = at % E;
        char *line = lines + d * line_bytes;
        ((KEY *)(void *)line)[slot] = key;
        put_payload(line + E * sizeof(KEY), slot, payloads, i, bytes);
        if (slot == E - 1) {
            size_t first = at + 1 - E;
            if (first >= start[d]) {
                stream_line(to + (first - skew), line, E * sizeof(KEY));
                stream_line(to_payloads + (first - skew) * bytes, line + E * sizeof(KEY),
                            E * bytes);
            } else {
                size_t s = start[d] % E, n = E - s;
                memcpy(to + (start[d] - skew), line + s * sizeof(KEY), n * sizeof(KEY));
                memcpy(to_payloads + (start[d] - skew) * bytes, line + E * sizeof(KEY) + s * bytes,
                       n * bytes);
            }
        }
    }
    for (unsigned d = 0; d <= m; d++) {
        size_t first = usw_max(start[d], offset[d] / E * E), n = offset[d] - first;
        const char *line = lines + d * line_bytes;
        memcpy(to + (first - skew), line + first % E * sizeof(KEY), n * sizeof(KEY));
        memcpy(to_payloads + (first - skew) * bytes, line + E * sizeof(KEY) + first % E * bytes,
               n * bytes);
    }
    stream_end();
}

static void FN(scatter_chunk)(void *context, size_t c, unsigned lane)
{
    FN(job) *job = context;
#define CACHED(bytes) FN(scatter_cached)(job, c, bytes)
#define PAST_CACHE(bytes) FN(scatter_past_cache)(job, c, lane, bytes)
    USW_ROUTE_IF(job->past_cache, "a scatter past the cache", USW_ROUTE_DEFAULT);
    USW_ROUTE_IF(!job->past_cache, "a scatter through the cache", USW_ROUTE_DEFAULT);
    if (job->past_cache) {
        FOR_PAYLOAD(job->p->payload_bytes, PAST_CACHE)
    } else {
        FOR_PAYLOAD(job->p->payload_bytes, CACHED)
    }
#undef CACHED
#undef PAST_CACHE
}
