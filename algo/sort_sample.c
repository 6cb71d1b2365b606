/* Sample sort
 *
 * Idea     Sort a small sample of the keys; its quantiles tell roughly where the quantiles of
 *          all keys are. With these splitters every key finds its bucket, and buckets of about
 *          equal size can be sorted side by side and then simply follow one another.
 *
 * Picture  keys        9  2 14  7  1 12  4 15  8  3 11  6 13  5 10  0
 *          sample      9    14     1     4     8    11    13    10       every second key
 *          sorted      1  4  8  9 10 11 13 14
 *          splitters         8    10    13                               three of them
 *          buckets     2 7 1 4 3 6 5 0 | 9 8 | 12 11 10 | 14 15 13
 *
 * Rounds   Sorting the sample, log2 B to find the buckets, the stable scatter (see sort/radix),
 *          then as many as the largest bucket has keys. There are B buckets, about the square
 *          root of n, and two sample keys for each.
 *
 * Cost     About n log2 B compares to find the buckets and n times half a bucket to sort them.
 *          Real forms sort the buckets by something faster than the odd-even sort of this one,
 *          or by sample sort again.
 *
 * Why      Keys equal to a splitter all go to the bucket behind it, so any key of a bucket is
 *          less than any key of a later one. The scatter and the odd-even sort are both stable,
 *          hence so is the whole. The sample is taken at regular places, which keeps the sort
 *          deterministic; an adversary who knows them can fill one bucket, and then it is an
 *          odd-even sort.
 *
 * Source   W. D. Frazer, A. C. McKellar, Samplesort, JACM 1970; P. Sanders, S. Winkel, Super
 *          scalar sample sort, ESA 2004, for finding buckets without a branch.
 *
 * Forms    explained (this file), CPU (sort_sample_cpu.h), CUDA (sort_sample.cu).
 */
/* SPDX-License-Identifier: MIT */
#include "core/explain_steps.h"

enum { SAMPLES_A_BUCKET = 2 };

/* A binary search without a branch: each round halves the splitters that may still count. */
void usw_find_buckets(usw_explain *x, usw_array keys, usw_array splitters, usw_array ids)
{
    ROUND(x, "bucket 0") {
        LANES(x, i, keys.n) {
            set(x, ids, i, 0);
        }
    }
    ROUNDS(x, r, usw_log2_up(splitters.n + 1), "halve") {
        size_t half = (splitters.n + 1) >> (r + 1);
        LANES(x, i, keys.n) {
            size_t s = ids.v[i] + half - 1;
            if (in_order(x, splitters, s, keys, i)) {
                set(x, ids, i, (uint32_t)(ids.v[i] + half));
            }
        }
    }
}

/* Where the buckets lie: which of them position i belongs to, where each begins, and how many keys
 * the largest has. */
typedef struct layout {
    uint32_t *bucket;
    size_t *begin;
    size_t largest;
} layout;

static layout layout_of(usw_explain *x, usw_array counts, size_t buckets, size_t n)
{
    layout l = {.bucket = new_memory(x, n * sizeof *l.bucket),
                .begin = new_memory(x, buckets * sizeof *l.begin)};
    for (size_t k = 0; k < buckets; k++) {
        l.begin[k] = usw_bucket_begin(counts, k);
        l.largest = usw_max(l.largest, usw_bucket_end(counts, k) - l.begin[k]);
        for (size_t i = l.begin[k]; i < usw_bucket_end(counts, k); i++) {
            l.bucket[i] = (uint32_t)k;
        }
    }
    return l;
}

/* Odd-even transposition inside each bucket, all of them side by side: as many rounds as the
 * largest has keys. Lane i owns the pair of positions i and i + 1, if both are in one bucket. */
static void sort_buckets(usw_explain *x, usw_array a, layout l)
{
    ROUNDS(x, r, l.largest, r % 2 == 0 ? "even" : "odd") {
        LANES(x, i, a.n - 1) {
            size_t place = i - l.begin[l.bucket[i]];
            if (l.bucket[i] == l.bucket[i + 1] && place % 2 == r % 2) {
                compare_exchange(x, a, i, i + 1);
            }
        }
    }
}

/* Takes two keys for each bucket from regular places. Sorted, as a single bucket, they give the
 * splitters: every second one. */
static usw_array choose_splitters(usw_explain *x, usw_array a, size_t buckets)
{
    size_t n = usw_min(a.n, buckets * SAMPLES_A_BUCKET);
    usw_array sample = new_array(x, "sample", n);
    usw_array splitters = new_array(x, "splitters", buckets - 1);
    phase(x, "sample");
    ROUND(x, "take") {
        LANES(x, s, n) {
            move(x, a, s * a.n / n, sample, s);
        }
    }
    show(x, sample);
    sort_buckets(x, sample, (layout){new_memory(x, n * sizeof(uint32_t)), (size_t[]){0}, n});
    show_result(x, sample);
    phase(x, "splitters");
    ROUND(x, "choose") {
        LANES(x, s, buckets - 1) {
            move(x, sample, (s + 1) * n / buckets, splitters, s);
        }
    }
    show(x, splitters);
    return splitters;
}

static void sort(usw_explain *x, const uint32_t *in, size_t n, uint32_t *out)
{
    usw_array a = given(x, "a", in, n, out);
    if (n < 2) {
        return;
    }
    size_t buckets = (size_t)1 << (usw_log2_up(n) + 1) / 2; /* about the square root of n */
    usw_array splitters = choose_splitters(x, a, buckets);

    usw_array b = new_array(x, "b", n);
    usw_array ids = new_array(x, "ids", n);
    usw_array counts = new_array(x, "counts", buckets * USW_WORKERS);
    phase(x, "buckets");
    usw_find_buckets(x, a, splitters, ids);
    show_buckets(x, ids);
    usw_count(x, ids, counts);
    usw_scatter(x, a, ids, hidden(counts), b);
    show_result(x, b);

    layout l = layout_of(x, counts, buckets, n);
    phase(x, "sort");
    note(x, "%zu buckets, the largest of %zu keys", buckets, l.largest);
    sort_buckets(x, b, l);
    show_result(x, b);
    memcpy(out, b.v, n * sizeof *out);
}

const usw_row usw_sort_sample_row = {
    .info = {.name = "sort/sample",
             .operation = "sort",
             .title = "Sample sort",
             .idea = "a sorted sample gives splitters, the splitters give buckets of like size",
             .work = "about n (log2 B + S / 2) compares",
             .depth = "about 2 B + n / 2 + S",
             .source = "Frazer and McKellar 1970; Sanders and Winkel 2004",
             .input = "keys",
             .example = "9 2 14 7 1 12 4 15 8 3 11 6 13 5 10 0",
             .text = usw_sort_sample_page,
             .claims = UPSWEEP_CLAIM_STABLE | UPSWEEP_CLAIM_DETERMINISTIC},
    .explain = sort,
};
