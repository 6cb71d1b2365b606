/* Hybrid sort: buckets, then vector merge sort
 *
 * Idea     Count how the keys are spread between the least and the greatest, choose pivots that
 *          cut them into buckets of like size, scatter them, and sort each bucket on its own by
 *          the vector merge sort: small enough to stay in fast memory, and all of them side by
 *          side.
 *
 * Picture  keys         least .......................... greatest
 *          equal widths |  1  |  2  |  0  | 31  |  4  | ...      one bucket is over-full:
 *          refined      |         5         |8|7|9| 7 | ...      pivots move to where the keys are
 *          scatter      [.....][........][.......][.........]    one bucket behind the other
 *          sort         each bucket by sort/vmerge; done
 *
 * Rounds   They depend on how the keys are spread: two reductions, a count for every choice of
 *          pivots, one scatter, and the vector merge sort of the largest bucket.
 *
 * Cost     log2 B compares a key to find its bucket among B, for every choice of pivots, then
 *          about 14 compares a vector and pass. Two trips through memory for large arrays, where
 *          a merge sort alone makes log2 n and a radix sort one for every digit.
 *
 * Why      Between two edges of a bucket the keys are taken to be spread evenly, so the place of
 *          the k-th of B quantiles can be read off the counts by a straight line. Where that is
 *          wrong a bucket is over-full; but then it is that bucket which most new pivots fall
 *          into, so each choice looks B times closer, until a bucket holds a single value, which
 *          needs no sorting.
 *
 * Source   E. Sintorn, U. Assarsson, Fast parallel GPU-sorting using a hybrid algorithm, JPDC
 *          2008.
 *
 * Forms    explained (this file), CPU (sort_hybrid_cpu.h), CUDA (sort_hybrid.cu). Keys that are in
 *          order over long stretches take neither buckets nor merges of all: a sort on a CPU that
 *          nobody names looks for them first. One run, but for some displaced keys: these are
 *          taken out, sorted by the method of this page, and merged in again ("nearly in order").
 *          A few runs one behind the other: merged in pairs ("runs merged"). The words in
 *          brackets are what a report calls it.
 */
/* SPDX-License-Identifier: MIT */
#include "core/explain_steps.h"

enum { KEYS_A_BUCKET = 8, REFINE_MAX = 32 };

/* Bucket k holds the keys from edge[k] to edge[k + 1] - 1, size[k] of them so far. The splitters
 * are the edges between two buckets. */
typedef struct spread {
    size_t buckets;
    uint64_t *edge;
    usw_array splitters, ids, counts, size;
} spread;

static spread spread_evenly(usw_explain *x, usw_array a, size_t buckets)
{
    uint64_t least = usw_least(x, a), greatest = usw_greatest(x, a);
    spread s = {.buckets = buckets,
                .edge = new_memory(x, (buckets + 1) * sizeof *s.edge),
                .splitters = new_array(x, "pivots", buckets - 1),
                .ids = new_array(x, "ids", a.n),
                .counts = hidden(new_array(x, "counts", buckets * USW_WORKERS)),
                .size = new_array(x, "sizes", buckets)};
    for (size_t k = 0; k <= buckets; k++) {
        s.edge[k] = least + (greatest + 1 - least) * k / buckets;
    }
    return s;
}

/* Makes the edges known to the lanes, and counts the keys of each bucket. */
static void count_buckets(usw_explain *x, usw_array a, spread *s)
{
    ROUND(x, "pivots") {
        LANES(x, k, s->buckets - 1) {
            set(x, s->splitters, k, (uint32_t)s->edge[k + 1]);
        }
    }
    usw_find_buckets(x, a, s->splitters, s->ids);
    usw_count(x, s->ids, s->counts);
    ROUND(x, "sizes") {
        LANES(x, k, s->buckets) {
            uint32_t sum = 0;
            for (size_t w = 0; w < USW_WORKERS; w++) {
                sum += s->counts.v[k * USW_WORKERS + w];
            }
            set(x, s->size, k, sum);
        }
    }
    show(x, s->splitters);
    show(x, s->size);
    show_buckets(x, s->ids);
}

/* More than twice its share, and not all of one value. */
static bool over_full(const spread *s, size_t n, size_t k)
{
    return s->size.v[k] > 2 * usw_div_up(n, s->buckets) && s->edge[k + 1] - s->edge[k] > 1;
}

static bool any_over_full(const spread *s, size_t n)
{
    size_t k = 0;
    while (k < s->buckets && !over_full(s, n, k)) {
        k++;
    }
    return k < s->buckets;
}

/* Moves edge k to where the k-th quantile lies if each bucket's keys are spread evenly over it. */
static void refine(usw_explain *x, spread *s, size_t n)
{
    uint64_t *edge = new_memory(x, (s->buckets + 1) * sizeof *edge);
    uint64_t before = 0; /* keys in the buckets before bucket b */
    size_t b = 0;
    edge[0] = s->edge[0];
    edge[s->buckets] = s->edge[s->buckets];
    for (size_t k = 1; k < s->buckets; k++) {
        uint64_t quantile = (uint64_t)n * k / s->buckets;
        while (before + s->size.v[b] <= quantile) {
            before += s->size.v[b++];
        }
        uint64_t width = s->edge[b + 1] - s->edge[b];
        edge[k] = s->edge[b] + width * (quantile - before) / s->size.v[b];
    }
    s->edge = edge;
}

/* Scatters the keys into b, then moves each bucket on to where a vector begins. begin gets the
 * first vector of each bucket. The places left over hold the greatest key there can be. */
static usw_array scatter(usw_explain *x, usw_array a, usw_array b, spread *s, size_t *begin)
{
    usw_scatter(x, a, s->ids, s->counts, b);
    show_result(x, b);
    for (size_t k = 0; k < s->buckets; k++) {
        begin[k + 1] = begin[k] + usw_div_up(s->size.v[k], USW_VECTOR);
    }
    usw_array v = new_array(x, "v", begin[s->buckets] * USW_VECTOR);
    v.vector = USW_VECTOR;
    phase(x, "align");
    ROUND(x, "pad") {
        LANES(x, t, v.n) {
            set(x, v, t, UINT32_MAX);
        }
    }
    ROUND(x, "align") {
        for (size_t k = 0; k < s->buckets; k++) {
            size_t first = usw_bucket_begin(s->counts, k);
            for (size_t i = 0; i < s->size.v[k]; i++) {
                usw_lane(x, first + i);
                move(x, b, first + i, v, begin[k] * USW_VECTOR + i);
            }
        }
    }
    show(x, v);
    return v;
}

/* The sorted buckets, without their padding, one behind the other. */
static void gather(usw_explain *x, usw_array v, usw_array b, const spread *s, const size_t *begin)
{
    phase(x, "gather");
    ROUND(x, "gather") {
        for (size_t k = 0; k < s->buckets; k++) {
            size_t first = usw_bucket_begin(s->counts, k);
            for (size_t i = 0; i < s->size.v[k]; i++) {
                usw_lane(x, first + i);
                move(x, v, begin[k] * USW_VECTOR + i, b, first + i);
            }
        }
    }
    show_result(x, b);
}

static void sort(usw_explain *x, const uint32_t *in, size_t n, uint32_t *out)
{
    usw_array a = given(x, "a", in, n, out);
    if (n < 2) {
        return;
    }
    phase(x, "evenly");
    size_t buckets = (size_t)1 << usw_log2_up(usw_div_up(n, KEYS_A_BUCKET));
    spread s = spread_evenly(x, a, buckets);
    count_buckets(x, a, &s);
    for (size_t r = 0; r < REFINE_MAX && any_over_full(&s, n); r++) {
        phase(x, "refine");
        refine(x, &s, n);
        count_buckets(x, a, &s);
    }

    phase(x, "scatter");
    usw_array b = new_array(x, "b", n);
    size_t *begin = new_memory(x, (buckets + 1) * sizeof *begin);
    usw_array v = scatter(x, a, b, &s, begin);
    usw_array w = new_array(x, "w", v.n);
    w.vector = USW_VECTOR;
    gather(x, usw_vector_merge_sort(x, v, w, begin, buckets), b, &s, begin);
    memcpy(out, b.v, n * sizeof *out);
}

const usw_row usw_sort_hybrid_row = {
    .info = {.name = "sort/hybrid",
             .operation = "sort",
             .title = "Hybrid sort: buckets, then vector merge sort",
             .idea = "even buckets by refined pivots, each sorted by vector merges",
             .work = "about n log2 B + 3.5 n log2 (n / B) compares",
             .depth = "depends on the keys",
             .source = "Sintorn and Assarsson 2008",
             .input = "keys",
             .example = "3 90 7 11 10 4 20 2 8 12 1 5 6 9 4 8 2 1 7 3",
             .text = usw_sort_hybrid_page,
             .claims = UPSWEEP_CLAIM_DETERMINISTIC},
    .explain = sort,
};
