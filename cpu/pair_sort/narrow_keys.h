/* narrow_keys.h - the sort of narrow pairs: keys of 32 bits with payloads of 32 bits, or with their
 * positions, each pair one word of 64 bits from the start.
 *
 * One pass splits words into buckets of some hundred to some ten thousand; each bucket is then
 * sorted by tags (narrow_leaf.h) and written to the outputs. Keys that a sample shows to be uneven
 * are split by splitters (narrow_quantiles.h). A bucket that is too large for the cache all the
 * same is unpacked into keys and payloads, which sort_range (pair_sort_cpu.h) sorts as any pairs.
 * Included for 32-bit keys. */
/* SPDX-License-Identifier: MIT */

/* Each of these files needs only those before it. */
#include "cpu/pair_sort/narrow_split.h"
#include "cpu/pair_sort/narrow_quantiles.h"
#include "cpu/pair_sort/narrow_scatter.h"
#include "cpu/pair_sort/narrow_close_keys.h"
#include "cpu/pair_sort/narrow_leaf.h"
#include "cpu/pair_sort/narrow_few_bits.h"
#include "cpu/pair_sort/narrow_large_bucket.h"
#include "cpu/pair_sort/narrow_buckets.h"
#include "cpu/pair_sort/narrow_even.h"

/* Whether a counted bucket has more than `limit` keys, so that equal widths do not suit the
 * keys. */
static bool has_large_bucket(const job_u32 *job, size_t limit)
{
    size_t most = 0;
    for (size_t d = 0; d < job->buckets; d++) {
        size_t count = 0;
        for (size_t c = 0; c < job->chunks; c++) {
            count += job->offsets[c * NARROW_STRIDE + d];
        }
        most = usw_max(most, count);
    }
    return most > limit;
}

/* Scatters pairs whose buckets are counted, and sorts the buckets. Those that are too large for the
 * cache, and not of one key, are unpacked to buffer 0 and pushed on the stack, whose new top is
 * returned. */
static range *sort_counted_buckets(upsweep *u, job_u32 *job, range *stack)
{
    /* Two threads of an AMD processor do not keep memory busy: fewer words gain in the cache. */
    bool few = u->threads == 2 && usw_halves_vectors() && job->n * 8 < 4 * past_cache_bytes(u);
    job->past_cache = job->lines.at != NULL && job->chunks > 1 && !few;
    scan_word_counts(job);
    USW_ROUTE_PAIRS("counted, then scattered");
    usw_parallel(u, job->chunks, scatter_words, job);
    usw_parallel(u, reset_tasks(job), sort_next_buckets, job);
    for (unsigned d = 0; d < job->buckets; d++) {
        size_t begin = bucket_start(job, d), n = job->ends[d] - begin;
        if (n > LEAF_KEYS && !settle_large_bucket(u, job, d)) {
            USW_ROUTE("a bucket that is split again");
            *stack++ = (range){job->base + begin, n, 0};
        }
    }
    return stack;
}

/* Sorts keys that a sample or the counts have shown to be uneven: buckets between splitters, then
 * as sort_counted_buckets; false, with nothing done, if take_splitters says no. */
static bool sort_uneven_keys(upsweep *u, job_u32 *job, range **stack)
{
    uint32_t differ = 0;
    if (!take_splitters(u, job)) {
        return false;
    }
    USW_ROUTE_PAIRS("splitters for uneven keys");
    size_t sampled = take_sample(job);
    job->shift = 32;
    job->below = job->mask;
    job->digits = job->split_digits;
    job->buckets = choose_splitters(job->splitters, sampled, buckets_wanted(job));
    usw_parallel(u, job->chunks, count_words, job);
    for (size_t c = 0; c < job->chunks; c++) {
        differ |= job->chunk_differ[c];
    }
    job->low = differ == 0 ? 0 : (unsigned)__builtin_ctz(differ);
    *stack = sort_counted_buckets(u, job, *stack);
    return true;
}

/* Sorts keys that differ in the bits `differ` as one bucket if they are few, or if most are so
 * close together that a split by equal widths would not part them; else false, with nothing
 * done. */
static bool sort_as_one_bucket(job_u32 *job, uint32_t differ)
{
    unsigned hi = 32 - (unsigned)__builtin_clz(differ);
    dense_range dense = {0, 0};
    spread seen =
        job->n < CLOSE_FROM || job->n > CLOSE_MOST ? EVEN : sample_spread(job, hi, &dense);
    job->uneven = seen != EVEN;
    if (job->n > NARROW_ONE_BUCKET && seen != CLOSE) {
        return false;
    }
    USW_ROUTE_IF(seen == EVEN, "few, even", USW_ROUTE_DEFAULT);
    USW_ROUTE_IF(seen == CLOSE, "few, close together", USW_ROUTE_DEFAULT);
    USW_ROUTE_IF(seen == FEW_VALUES, "few, many equal", USW_ROUTE_DEFAULT);
    uint64_t *spare = usw_share(&job->words, 0), *words = spare + job->words_keys;
    make_words(job, 0, job->n, words);
    if (seen != CLOSE) {
        sort_narrow_leaf(job, words, job->n, job->base, 0);
    } else if (!sort_clusters(job->p, differ, words, spare, job->n, job->base) &&
               !sort_dense(job->p, job->mask, dense, words, spare, job->n, job->base)) {
        USW_ROUTE("few, close together: keys and places in 64 bits");
        sort_by_key_and_place(job->p, job->mask, words, spare, job->n, job->base);
    }
    return true;
}

/* Sorts a range of pairs whose keys differ in the bits `differ`; the stack is as in
 * sort_counted_buckets. */
static range *sort_narrow_range(upsweep *u, job_u32 *job, uint32_t differ, range *stack)
{
    unsigned hi = 32 - (unsigned)__builtin_clz(differ), lo = (unsigned)__builtin_ctz(differ);
    if (sort_one_digit(job, differ) || (job->n <= CLOSE_MOST && sort_as_one_bucket(job, differ))) {
        return stack;
    }
    size_t wanted = buckets_wanted(job);
    job->shift = hi;
    job->low = lo;
    job->below = job->mask & bits_between_u32(0, hi);
    job->buckets = (unsigned)usw_min(wanted, (uint64_t)1 << (hi - lo));
    if (!job->uneven) {
        usw_parallel(u, job->chunks, count_words, job);
    }
    if (job->uneven || has_large_bucket(job, 4 * job->n / job->buckets)) {
        if (sort_uneven_keys(u, job, &stack)) {
            return stack;
        }
        USW_ROUTE("uneven keys by bits: splitters did not help");
        unsigned bits = (unsigned)usw_min(usw_min(usw_log2_up(wanted), hi - lo), NARROW_DIGIT_MAX);
        job->buckets = 1u << bits;
        usw_parallel(u, job->chunks, count_words, job);
    }
    return sort_counted_buckets(u, job, stack);
}
