/* Radix sort, lowest digit first
 *
 * Idea     Like the split radix sort, but with digits of several bits: count how many keys have
 *          each digit, turn the counts into places by a scan, and move every key to its place.
 *          One pass does the work of several splits.
 *
 * Picture  keys     5 7 | 3 1 | 4 2 | 7 2          four workers, a stretch of the keys each
 *          digits   1 3 | 3 1 | 0 2 | 3 2          (the lower two bits)
 *
 *          counts   digit 0    1    2    3         for each digit: how many worker 0, 1, 2, 3 has
 *                  0010 1100 0011 1101
 *          scan    0001 1233 3334 5677             where each worker puts its first key of a digit
 *
 *          result   4 5 1 2 2 7 3 7                each worker walks its stretch once more
 *
 * Rounds   D (2 c + 2 ceil(log2 (4 W)) + 3) + L + 1: D digits in the greatest key, which a tree
 *          reduction finds in L + 1 rounds, L = ceil(log2 n); W = 4 workers with c = ceil(n / W)
 *          keys each. The 16 counts take 2 * 4 + 1 rounds to scan, so with the digits and the
 *          clearing this is D (2 ceil(n / 4) + 11) + L + 1.
 *
 * Cost     D n moves, besides the n that copy the keys for the reduction. The fast forms take
 *          digits of 8 bits or more and as many workers as the machine has; here a digit has 2
 *          bits, so that the counts fit on a line.
 *
 * Why      The counts are scanned digit by digit and within a digit worker by worker, and a
 *          worker walks its stretch in order. So equal digits keep their order, the pass is
 *          stable, and the argument of sort/split applies.
 *
 * Source   M. Zagha, G. E. Blelloch, Radix sort for vector multiprocessors, Supercomputing 1991;
 *          H. H. Seward, 1954, for the sort by counting.
 *
 * Forms    explained (this file), CPU (sort_radix_cpu.h), CUDA (sort_radix.cu).
 */
/* SPDX-License-Identifier: MIT */
#include "core/explain_steps.h"

enum { DIGIT_BITS = 2, DIGITS = 1 << DIGIT_BITS };

void usw_count(usw_explain *x, usw_array ids, usw_array counts)
{
    size_t stretch = usw_div_up(ids.n, USW_WORKERS);
    ROUND(x, "clear") {
        LANES(x, t, counts.n) {
            set(x, counts, t, 0);
        }
    }
    ROUNDS(x, r, stretch, "count") {
        LANES(x, w, USW_WORKERS) {
            size_t i = w * stretch + r;
            if (i < ids.n) {
                size_t c = ids.v[i] * (size_t)USW_WORKERS + w;
                set(x, counts, c, counts.v[c] + 1);
            }
        }
    }
}

void usw_scatter(usw_explain *x, usw_array from, usw_array ids, usw_array counts, usw_array to)
{
    size_t stretch = usw_div_up(from.n, USW_WORKERS);
    show(x, counts);
    usw_exclusive_scan(x, hidden(counts));
    show_scan(x, counts);
    ROUNDS(x, r, stretch, "scatter") {
        LANES(x, w, USW_WORKERS) {
            size_t i = w * stretch + r;
            if (i < from.n) {
                size_t c = ids.v[i] * (size_t)USW_WORKERS + w;
                move(x, from, i, to, counts.v[c]);
                set(x, counts, c, counts.v[c] + 1);
            }
        }
    }
}

static void sort(usw_explain *x, const uint32_t *in, size_t n, uint32_t *out)
{
    usw_array from = given(x, "a", in, n, out);
    usw_array to = new_array(x, "b", n);
    usw_array digits = new_array(x, "digits", n);
    usw_array counts = new_array(x, "counts", (size_t)DIGITS * USW_WORKERS);
    uint32_t greatest = usw_greatest(x, from);
    for (unsigned bit = 0; bit < 32 && greatest >> bit != 0; bit += DIGIT_BITS) {
        phase(x, "bits %u-%u", bit, bit + DIGIT_BITS - 1);
        ROUND(x, "digits") {
            LANES(x, i, n) {
                set(x, digits, i, from.v[i] >> bit & (DIGITS - 1));
            }
        }
        show_buckets(x, digits);
        usw_count(x, digits, counts);
        usw_scatter(x, from, digits, counts, to);
        show_result(x, to);
        usw_array sorted_so_far = to; /* the arrays swap roles */
        to = from;
        from = sorted_so_far;
    }
    if (n > 0) {
        memmove(out, from.v, n * sizeof *out);
    }
}

const usw_row usw_sort_radix_row = {
    .info = {.name = "sort/radix",
             .operation = "sort",
             .title = "Radix sort, lowest digit first",
             .idea = "count the digits, scan the counts, move every key to its place; next digit",
             .work = "(D + 1) n moves",
             .depth = "D (2 ceil(n / 4) + 11) + L + 1",
             .source = "Zagha and Blelloch 1991; Seward 1954",
             .input = "keys",
             .example = "5 7 3 1 4 2 7 2",
             .text = usw_sort_radix_page,
             .claims = UPSWEEP_CLAIM_STABLE | UPSWEEP_CLAIM_DETERMINISTIC},
    .explain = sort,
};
