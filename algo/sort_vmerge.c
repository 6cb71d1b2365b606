/* Vector merge sort
 *
 * Idea     Merge sort whose elements are sorted vectors of 4 keys. The step "which of two keys
 *          comes next" becomes "which four of eight": compare two vectors against one another,
 *          lane by lane, and sort each of the results inside.
 *
 * Picture  a            [2 6 9 10]               two sorted vectors,
 *          b backwards  [11 8 3 1]               one of them read backwards
 *          low          [2 6 3 1]   = min        the four least of the eight keys
 *          high         [11 8 9 10] = max        the four greatest
 *          sorted       [1 2 3 6][8 9 10 11]
 *
 *          inside       [2 6 3 1]  lanes 0-1 2-3  [2 6 1 3]  0-2 1-3  [1 3 2 6]  1-2  [1 2 3 6]
 *
 * Rounds   3 to sort inside all vectors, then ceil(log2 V) passes for V = ceil(n / 4) vectors. A
 *          pass merges lists of K vectors in pairs: 1 round to load, then min(2 K, V) - 1 steps
 *          of 5 rounds: split, three rounds inside, store.
 *
 * Cost     About 14 compares a vector and pass, and one for the heads of the two lists. n is
 *          padded to whole vectors with keys of 2^32 - 1, which stay at the end.
 *
 * Why      a rises and b backwards falls. If a[i] <= b[3 - i], then a[i] has at least four keys
 *          that are not less: itself not counted, those behind it in a and those from b[3 - i]
 *          on; so it may be among the least four, and b[3 - i] among the greatest. Low and high
 *          must both be made of the old a and b. When two lists are merged, low can be output: a
 *          key not fetched yet is not less than the last vector fetched from its list, nor than
 *          the head that lost. One group of lanes for a pair of lists starves the machine in the
 *          last passes; fast forms cut each merge at equal ranks (merge path), so that every
 *          pass keeps all lanes busy.
 *
 * Source   E. Sintorn, U. Assarsson, Fast parallel GPU-sorting using a hybrid algorithm, JPDC
 *          2008; H. Inoue et al., AA-sort, PACT 2007, for vectors on CPUs.
 *
 * Forms    explained (this file), CPU (sort_vmerge_cpu.h), CUDA (sort_vmerge.cu).
 */
/* SPDX-License-Identifier: MIT */
#include "core/explain_steps.h"

/* Three rounds of compare-exchanges sort each vector of a. */
static void sort_inside(usw_explain *x, usw_array a)
{
    ROUND(x, "0-1 2-3") {
        LANES(x, t, a.n / 2) {
            compare_exchange(x, a, 2 * t, 2 * t + 1);
        }
        show(x, a);
    }
    ROUND(x, "0-2 1-3") {
        LANES(x, t, a.n / 2) {
            size_t i = t / 2 * USW_VECTOR + t % 2;
            compare_exchange(x, a, i, i + 2);
        }
        show(x, a);
    }
    ROUND(x, "1-2") {
        LANES(x, t, a.n / USW_VECTOR) {
            compare_exchange(x, a, t * USW_VECTOR + 1, t * USW_VECTOR + 2);
        }
        show(x, a);
    }
}

/* One merge of a pass: which vectors of its two lists come next, and where its output goes on. Its
 * registers are vectors 2 slot and 2 slot + 1 of the arrays ab (what meets) and low_high (what
 * comes of it). A list without a partner is only copied. */
typedef struct merge {
    size_t a, a_end, b, b_end, to, slot;
    enum { MERGES, COPIES, DONE } state;
} merge;

/* All merges of a pass, and the arrays they go between. */
typedef struct pass {
    usw_array from, to, ab, low_high;
    merge *merges;
    size_t count;
} pass;

/* The four lanes of merge m move vector i of `from` to vector j of `to`. */
static void move_vector(usw_explain *x, size_t m, usw_array from, size_t i, usw_array to, size_t j)
{
    for (size_t k = 0; k < USW_VECTOR; k++) {
        usw_lane(x, m * USW_VECTOR + k);
        move(x, from, i * USW_VECTOR + k, to, j * USW_VECTOR + k);
    }
}

/* low = min(a, b backwards), high = max(a, b backwards). */
static void split_low_high(usw_explain *x, const pass *p, size_t m)
{
    for (size_t k = 0; k < USW_VECTOR; k++) {
        size_t begin = p->merges[m].slot * 2 * USW_VECTOR;
        size_t a = begin + k, b = begin + 2 * USW_VECTOR - 1 - k;
        usw_lane(x, m * USW_VECTOR + k);
        bool ordered = in_order(x, p->ab, a, p->ab, b);
        move(x, p->ab, ordered ? a : b, p->low_high, begin + k);
        move(x, p->ab, ordered ? b : a, p->low_high, begin + USW_VECTOR + k);
    }
}

/* low is output. high stays, to meet the next vector of the list whose head is smaller; or, when
 * both lists are used up, is output too. */
static void store(usw_explain *x, const pass *p, size_t m)
{
    merge *g = &p->merges[m];
    move_vector(x, m, p->low_high, 2 * g->slot, p->to, g->to++);
    if (g->a == g->a_end && g->b == g->b_end) {
        move_vector(x, m, p->low_high, 2 * g->slot + 1, p->to, g->to++);
        g->state = DONE;
        return;
    }
    move_vector(x, m, p->low_high, 2 * g->slot + 1, p->ab, 2 * g->slot);
    bool take_a = g->b == g->b_end;
    if (!take_a && g->a < g->a_end) {
        take_a = in_order(x, p->from, g->a * USW_VECTOR, p->from, g->b * USW_VECTOR);
    }
    move_vector(x, m, p->from, take_a ? g->a++ : g->b++, p->ab, 2 * g->slot + 1);
}

/* Does all merges of a pass side by side. A merge that is done waits for the longest. */
static void merge_lists(usw_explain *x, const pass *p, size_t longest)
{
    ROUND(x, "load") {
        for (size_t m = 0; m < p->count; m++) {
            merge *g = &p->merges[m];
            if (g->state == MERGES) {
                move_vector(x, m, p->from, g->a++, p->ab, 2 * g->slot);
                move_vector(x, m, p->from, g->b++, p->ab, 2 * g->slot + 1);
            }
        }
        show(x, p->ab);
    }
    for (size_t step = 0; step + 1 < longest; step++) {
        ROUND(x, "split") {
            for (size_t m = 0; m < p->count; m++) {
                if (p->merges[m].state == MERGES) {
                    split_low_high(x, p, m);
                }
            }
            show(x, p->low_high);
        }
        sort_inside(x, p->low_high);
        ROUND(x, "store") {
            for (size_t m = 0; m < p->count; m++) {
                merge *g = &p->merges[m];
                if (g->state == MERGES) {
                    store(x, p, m);
                } else if (g->state == COPIES && g->a < g->a_end) {
                    move_vector(x, m, p->from, g->a++, p->to, g->to++);
                }
            }
        }
    }
}

/* Pairs up the lists of `length` vectors in each bucket; the last list of a bucket may be shorter,
 * or alone and then only copied. Returns the vectors of the longest merge. */
static size_t plan(pass *p, const size_t *begin, size_t buckets, size_t length)
{
    size_t slots = 0, longest = 0;
    p->count = 0;
    for (size_t k = 0; k < buckets; k++) {
        for (size_t v = begin[k]; v < begin[k + 1]; v += 2 * length) {
            size_t middle = usw_min(v + length, begin[k + 1]);
            size_t end = usw_min(v + 2 * length, begin[k + 1]);
            merge *g = &p->merges[p->count++];
            *g = (merge){v, middle, middle, end, v, slots, middle < end ? MERGES : COPIES};
            slots += g->state == MERGES;
            longest = usw_max(longest, end - v);
        }
    }
    p->ab.n = p->low_high.n = slots * 2 * USW_VECTOR;
    return longest;
}

usw_array usw_vector_merge_sort(usw_explain *x, usw_array a, usw_array b, const size_t *begin,
                                size_t buckets)
{
    size_t largest = 0;
    for (size_t k = 0; k < buckets; k++) {
        largest = usw_max(largest, begin[k + 1] - begin[k]);
    }
    pass p = {.from = a,
              .to = b,
              .ab = new_array(x, "ab", a.n),
              .low_high = new_array(x, "low_high", a.n),
              .merges = new_memory(x, a.n / USW_VECTOR * sizeof(merge))};
    p.ab.vector = p.low_high.vector = USW_VECTOR;
    if (largest > 0) {
        phase(x, "inside");
        sort_inside(x, a);
    }
    for (size_t length = 1; length < largest; length *= 2) {
        phase(x, "lists %zu", length);
        merge_lists(x, &p, plan(&p, begin, buckets, length));
        show_result(x, p.to);
        usw_array merged = p.to; /* the arrays swap roles */
        p.to = p.from;
        p.from = merged;
    }
    return p.from;
}

static void sort(usw_explain *x, const uint32_t *in, size_t n, uint32_t *out)
{
    size_t vectors = usw_div_up(n, USW_VECTOR);
    usw_array a = new_array(x, "a", vectors * USW_VECTOR);
    usw_array b = new_array(x, "b", vectors * USW_VECTOR);
    a.vector = b.vector = USW_VECTOR;
    for (size_t i = 0; i < a.n; i++) {
        a.v[i] = i < n ? in[i] : UINT32_MAX;
    }
    show(x, a);
    usw_array sorted = usw_vector_merge_sort(x, a, b, (size_t[]){0, vectors}, 1);
    if (n > 0) {
        memcpy(out, sorted.v, n * sizeof *out);
    }
}

static uint64_t rounds(size_t n)
{
    uint64_t vectors = usw_div_up(n, USW_VECTOR), sum = vectors > 0 ? 3 : 0;
    for (uint64_t length = 1; length < vectors; length *= 2) {
        sum += 1 + 5 * ((2 * length < vectors ? 2 * length : vectors) - 1);
    }
    return sum;
}

const usw_row usw_sort_vmerge_row = {
    .info = {.name = "sort/vmerge",
             .operation = "sort",
             .title = "Vector merge sort",
             .idea = "merge sort whose elements are sorted vectors of four keys",
             .work = "about 3.5 n log2 (n / 4) compares",
             .depth = "3 + sum of 5 min(2 K, V) - 4, K = 1, 2, 4 .. < V",
             .source = "Sintorn and Assarsson 2008; Inoue et al. 2007",
             .input = "keys",
             .example = "2 6 9 10 1 3 8 11",
             .text = usw_sort_vmerge_page,
             .claims = UPSWEEP_CLAIM_DETERMINISTIC},
    .rounds = rounds,
    .explain = sort,
};
