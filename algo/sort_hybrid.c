/* Hybrid sort: buckets, then vector merge sort
 *
 * Idea     Count how the keys are spread between the least and the greatest, choose pivots that
 *          cut them into buckets of like size, scatter them, and sort each bucket on its own by
 *          the vector merge sort: small enough to stay in fast memory, and all of them side by
 *          side.
 *
 *          Keys that are in order but for some need no buckets. Where a key is less than the one
 *          before it, the order has a break. If the others go on in order without the two keys
 *          that meet there, these are displaced: they are taken out, sorted, and merged in again.
 *          Else what lies between two breaks is a run, and runs are merged in pairs: a key's place
 *          is its own in its run, and one further for each key of the other run that comes before.
 *
 * Picture  keys         least .......................... greatest
 *          equal widths |  1  |  2  |  0  | 31  |  4  | ...      one bucket is over-full:
 *          refined      |         5         |8|7|9| 7 | ...      pivots move to where the keys are
 *          scatter      [.....][........][.......][.........]    one bucket behind the other
 *          sort         each bucket by sort/vmerge; done
 *
 *          keys         1 2 9 4 5 6 3 7 8                           two breaks: 9 4 and 6 3
 *          displaced    1 2 5 7 8 | 9 4 6 3                         taken out, then sorted
 *          merge        1 2 5 7 8   3 4 6 9  ->  1 2 3 4 5 6 7 8 9
 *
 * Rounds   They depend on how the keys are spread: a look at all neighbours, two reductions, a
 *          count for every choice of pivots, one scatter, and the vector merge sort of the largest
 *          bucket. Runs take 2 + log2 of the longest for every halving of their number.
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
 *          The CUDA form does alike: a sample makes a tree whose leaves lie closer where the keys
 *          are, each leaf is cut by a straight line into as many buckets as its share asks for,
 *          and a bucket of few values is written by their counts.
 *
 * Source   E. Sintorn, U. Assarsson, Fast parallel GPU-sorting using a hybrid algorithm, JPDC
 *          2008.
 *
 * Forms    explained (this file), CPU (sort_hybrid_cpu.h), CUDA (sort_hybrid.cu). Runs and
 *          displaced keys are looked for first by a sort that nobody names; a report calls it "runs
 *          merged" and "nearly in order". Fast forms also take out what stands wrong side by side,
 *          up to an eighth of all keys, and sort it by the buckets of this page.
 */
/* SPDX-License-Identifier: MIT */
#include "core/explain_steps.h"

enum { KEYS_A_BUCKET = 8, REFINE_MAX = 32, KEYS_A_RUN = 4 };

/* ---- keys that are in order but for some ---- */

/* breaks[i] is 1 where key i is less than the one before it. Returns how many breaks there are. */
static size_t find_breaks(usw_explain *x, usw_array a, usw_array breaks)
{
    size_t count = 0;
    ROUND(x, "neighbours") {
        LANES(x, i, a.n - 1) {
            if (!in_order(x, a, i, a, i + 1)) {
                set(x, breaks, i + 1, 1);
                count++;
            }
        }
    }
    return count;
}

/* Whether the keys around every break are in order without the two that meet there. */
static bool are_displaced(usw_explain *x, usw_array a, usw_array breaks)
{
    bool all = true;
    ROUND(x, "around") {
        LANES(x, i, a.n - 3) {
            bool again = i + 4 < a.n && breaks.v[i + 4] == 1;
            if (breaks.v[i + 2] == 1 && (again || !in_order(x, a, i, a, i + 3))) {
                all = false;
            }
        }
    }
    return all;
}

/* b gets the keys of a, at its end those that meet at a break, and these sorted by odd-even
 * transposition (sort/oddeven). Returns how many the others are. */
static size_t take_out(usw_explain *x, usw_array a, usw_array breaks, usw_array b)
{
    usw_array displaced = new_array(x, "displaced", a.n);
    usw_array counts = hidden(new_array(x, "counts", 2 * USW_WORKERS));
    ROUND(x, "mark") {
        LANES(x, i, a.n) {
            set(x, displaced, i, breaks.v[i] | (i + 1 < a.n ? breaks.v[i + 1] : 0));
        }
    }
    show_buckets(x, displaced);
    usw_count(x, displaced, counts);
    usw_scatter(x, a, displaced, counts, b);
    show_result(x, b);
    size_t first = usw_bucket_end(counts, 0), n = a.n - first;
    note(x, "%zu keys are displaced, the others in order", n);
    phase(x, "sort");
    ROUNDS(x, r, n, r % 2 == 0 ? "even" : "odd") {
        LANES(x, t, (n - r % 2) / 2) {
            size_t i = first + 2 * t + r % 2;
            compare_exchange(x, b, i, i + 1);
        }
    }
    show_result(x, b);
    return first;
}

/* Merges run k, keys begin[k] to begin[k + 1] - 1 of a, with run k + 1 for all even k, to b.
 * rank[i] is how many keys of the other run come before key i: found by halving, as in
 * sort/sample. */
static void merge_pairs(usw_explain *x, usw_array a, const size_t *begin, size_t runs,
                        usw_array rank, usw_array b)
{
    size_t halvings = usw_log2_up(a.n + 1);
    ROUND(x, "rank 0") {
        LANES(x, i, a.n) {
            set(x, rank, i, 0);
        }
    }
    ROUNDS(x, r, halvings, "halve") {
        for (size_t k = 0; k < runs; k++) {
            size_t other = begin[k ^ 1], keys = begin[(k ^ 1) + 1] - other;
            for (size_t i = begin[k]; i < begin[k + 1]; i++) {
                size_t count = rank.v[i] + ((size_t)1 << (halvings - 1 - r));
                size_t j = other + count - 1;
                usw_lane(x, i);
                if (count <= keys && (j < i ? in_order(x, a, j, a, i) : !in_order(x, a, i, a, j))) {
                    set(x, rank, i, (uint32_t)count);
                }
            }
        }
    }
    show(x, rank);
    ROUND(x, "merge") {
        for (size_t k = 0; k < runs; k++) {
            size_t pair = begin[k & ~(size_t)1];
            for (size_t i = begin[k]; i < begin[k + 1]; i++) {
                usw_lane(x, i);
                move(x, a, i, b, pair + i - begin[k] + rank.v[i]);
            }
        }
    }
    show_result(x, b);
}

/* Keys of few breaks, in order afterwards in out; false: they have many. */
static bool sort_runs(usw_explain *x, usw_array a, uint32_t *out)
{
    phase(x, "order");
    usw_array breaks = new_array(x, "breaks", a.n);
    size_t count = find_breaks(x, a, breaks), runs = 0;
    if (count == 0) {
        note(x, "the keys are in order");
        return true;
    }
    if (count > a.n / KEYS_A_RUN) {
        return false;
    }
    size_t *begin = new_memory(x, (count + 3) * sizeof *begin);
    for (size_t i = 0; i < a.n; i++) {
        if (i == 0 || breaks.v[i] == 1) {
            begin[runs++] = i;
        }
    }
    show(x, breaks);
    usw_array b = new_array(x, "b", a.n), rank = new_array(x, "rank", a.n), from = a, to = b;
    if (are_displaced(x, a, breaks)) {
        phase(x, "take out");
        begin[1] = take_out(x, a, breaks, b);
        runs = 2;
        from = b;
        to = a;
    }
    for (; runs > 1; runs = usw_div_up(runs, 2)) {
        phase(x, "%zu runs", runs);
        begin[runs] = begin[runs + 1] = a.n;
        merge_pairs(x, from, begin, runs, rank, to);
        for (size_t k = 1; 2 * k < runs; k++) {
            begin[k] = begin[2 * k];
        }
        usw_array merged = to; /* the arrays swap roles */
        to = from;
        from = merged;
    }
    memmove(out, from.v, a.n * sizeof *out);
    return true;
}

/* ---- all others, by buckets ---- */

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
    if (n < 2 || sort_runs(x, a, out)) {
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
