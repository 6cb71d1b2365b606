/* narrow_buckets.h - the tasks that sort the buckets of narrow pairs: one thread sorts a bucket,
 * and takes the buckets of its own chunk first. Included once. */
/* SPDX-License-Identifier: MIT */

/* How many neighbouring buckets one task sorts. */
static size_t buckets_of_task(const job_u32 *job)
{
    size_t some = usw_max(NARROW_TASK_KEYS * (size_t)job->buckets / job->n, 1);
    return job->chunks == 1 ? job->buckets : some;
}

/* The words of bucket d as one array: where it lies, or, if there are several chunks, a copy of its
 * pieces in the lane's spare words. */
static uint64_t *gather_bucket(const job_u32 *job, size_t d, unsigned lane)
{
    if (job->chunks == 1) {
        return piece_of(job, d, 0).words;
    }
    USW_ROUTE("a bucket of several chunks");
    uint64_t *spare = (uint64_t *)usw_share(&job->words, lane) + job->words_keys, *to = spare;
    for (size_t c = 0; c < job->chunks; c++) {
        piece from = piece_of(job, d, c);
        memcpy(to, from.words, from.n * sizeof *to);
        to += from.n;
    }
    return spare;
}

/* Sorts buckets d to end, but for those that are too large for a leaf. */
static void sort_buckets(const job_u32 *job, size_t d, size_t end, unsigned lane)
{
    USW_ROUTE_PAIRS("buckets");
    for (; d < end; d++) {
        size_t begin = bucket_start(job, d), n = job->ends[d] - begin, at = job->base + begin;
        if (n == 0 || n > LEAF_KEYS) {
            continue;
        }
        uint64_t *words = gather_bucket(job, d, lane);
        if (has_one_value(job, d)) {
            USW_ROUTE_PAIRS("a bucket of one key");
            put_words(job->p, words, n, at);
            continue;
        }
        tag_range holds = range_of_bucket(job, d, (uint32_t)(*words >> 32));
        if (!sort_tagged(job->p, holds, words, n, at)) {
            sort_narrow_leaf(job, words, n, at, lane);
        }
    }
}

/* The first bucket of share c; there are as many shares of buckets as chunks. */
static size_t share_start(const job_u32 *job, size_t c)
{
    return c * job->buckets / job->chunks;
}

/* Sorts the buckets of one task that no thread has taken yet: of the lane's own share first, since
 * that share's outputs lie where the lane read its chunk if the sort is in place, then of
 * others. */
static void sort_next_buckets(void *context, size_t t, unsigned lane)
{
    job_u32 *job = context;
    size_t each = buckets_of_task(job);
    (void)t;
    for (size_t k = 0; k < job->chunks; k++) {
        size_t share = (lane + k) % job->chunks, end = share_start(job, share + 1);
        size_t turn = atomic_fetch_add_explicit(&job->taken[share], 1, memory_order_relaxed);
        size_t d = share_start(job, share) + turn * each;
        if (d < end) {
            sort_buckets(job, d, usw_min(d + each, end), lane);
            return;
        }
    }
}

/* Marks all tasks as not taken; returns how many there are. */
static size_t reset_tasks(job_u32 *job)
{
    size_t tasks = 0;
    for (size_t c = 0; c < job->chunks; c++) {
        size_t buckets = share_start(job, c + 1) - share_start(job, c);
        tasks += usw_div_up(buckets, buckets_of_task(job));
        atomic_init(&job->taken[c], 0);
    }
    return tasks;
}
