/* narrow_few_bits.h - the counting sort of narrow pairs whose keys differ in up to 10 neighbouring
 * bits, by one thread: only payloads are scattered, and the counts give the keys. Included once. */
/* SPDX-License-Identifier: MIT */

enum {
    ONE_DIGIT = 10,       /* bits */
    ONE_DIGIT_TIMES = 16, /* keys of a mean bucket; with fewer, counters cost more than is saved */
    /* Payloads between two buckets: equal buckets of a power of two would share sets of the cache.
     * With that gap payloads of 4 bytes take no more of the buffer than words would. */
    ONE_DIGIT_GAP = ONE_DIGIT_TIMES,
};

/* Scatters the payloads to the places of their buckets; place[d] becomes the end of bucket d. */
static void scatter_payloads(const job_u32 *job, size_t *place, uint32_t *to)
{
    narrow_split split = narrow_split_of(job);
    const char *from = job->from_payloads;
    bool prefetch = job->n > NARROW_FETCH_MOST;
    uint16_t digit[NARROW_BLOCK];
    for (size_t i = 0; i < job->n; i += NARROW_BLOCK) {
        uint32_t payloads[NARROW_BLOCK];
        size_t n = usw_min(job->n - i, NARROW_BLOCK), j = 0;
        find_even_buckets(job, split, i, n, 0, digit);
        for (size_t k = 0; k < n; k++) {
            payloads[k] = (uint32_t)(i + k);
        }
        if (from != NULL) {
            memcpy(payloads, from + 4 * i, 4 * n);
        }
        for (; j + AT_ONCE <= n; j += AT_ONCE) {
            size_t at[AT_ONCE];
            UNROLL for (unsigned k = 0; k < AT_ONCE; k++) at[k] = place[digit[j + k]]++;
            if (prefetch) {
                UNROLL for (unsigned k = 0; k < AT_ONCE; k++)
                    __builtin_prefetch(to + at[k] + 2 * LINE_WORDS, 1);
            }
            UNROLL for (unsigned k = 0; k < AT_ONCE; k++) to[at[k]] = payloads[j + k];
        }
        for (; j < n; j++) {
            to[place[digit[j]]++] = payloads[j];
        }
    }
}

/* Writes n pairs of one key to the outputs at position `at`. */
static void put_one_key(const usw_pair_sort *p, uint32_t key, const uint32_t *payloads, size_t n,
                        size_t at)
{
    char *to = (char *)p->out_payloads + at * p->payload_bytes;
    if (p->payload_bytes == 4) {
        memcpy(to, payloads, 4 * n);
    }
    for (size_t i = 0; p->payload_bytes == 8 && i < n; i++) {
        uint64_t position = payloads[i];
        memcpy(to + 8 * i, &position, 8);
    }
    for (size_t i = 0; p->out_keys != NULL && i < n; i++) {
        ((uint32_t *)p->out_keys)[at + i] = unmapped_u32(&p->map, key);
    }
}

/* Sorts the range, whose keys differ in the bits `differ`; false, with nothing done, if these are
 * too many for the keys, or keys are wanted whose bits outside the mask differ. */
static bool sort_one_digit(job_u32 *job, uint32_t differ)
{
    unsigned hi = 32 - (unsigned)__builtin_clz(differ), lo = (unsigned)__builtin_ctz(differ);
    bool whole = job->p->out_keys == NULL || job->mask == UINT32_MAX;
    if (hi - lo > ONE_DIGIT || job->n < (size_t)ONE_DIGIT_TIMES << (hi - lo) || job->chunks > 1 ||
        !whole) {
        return false;
    }
    USW_ROUTE_PAIRS("keys of one digit: counted");
    size_t *place = job->offsets, sum = 0, at = job->base;
    uint32_t *to = (uint32_t *)(void *)((uint64_t *)job->p->buffer_keys[1] + job->base);
    job->shift = hi;
    job->low = lo;
    job->below = bits_between_u32(lo, hi);
    job->buckets = 1u << (hi - lo);
    count_words(job, 0, 0);
    for (size_t d = 0; d < job->buckets; d++) {
        job->ends[d] = place[d];
        place[d] = sum;
        sum += job->ends[d] + ONE_DIGIT_GAP;
    }
    uint32_t same = mapped_u32(job->map, job->from[0]) & ~job->below;
    scatter_payloads(job, place, to);
    for (uint32_t d = 0; d < job->buckets; d++) {
        size_t n = job->ends[d];
        put_one_key(job->p, same | d << lo, to + (place[d] - n), n, at);
        at += n;
    }
    return true;
}
