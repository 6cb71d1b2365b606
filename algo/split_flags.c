/* Split by flags, and permute
 *
 * Idea     Elements with flag 0 go to the bottom, elements with flag 1 to the top, each kind in
 *          its old order. Where an element goes is known as soon as it knows how many of its
 *          kind stand before it, or after it: that is a scan. Then all of them move at once.
 *
 * Picture  A        5   7   3   1   4   2   7   2
 *          F        1   1   1   1   0   0   1   0
 *          I_down   0   0   0   0   0   1   2   2     zeros before me
 *          I_up     3   4   5   6   7   7   7   8     n less the ones from me to the end
 *          index    3   4   5   6   0   1   7   2     F ? I_up : I_down
 *          result   4   2   2   5   7   3   1   7     result[index[i]] = A[i]
 *
 * Rounds   4 ceil(log2 n) + 5: the flags, two scans, the index, the permutation.
 *
 * Cost     4 (n - 1) combines in the two scans, and n moves.
 *
 * Why      I_down is the exclusive scan of the flags turned round: an element with flag 0 lands
 *          behind the zeros before it. I_up is n less the inclusive scan of F read backwards: an
 *          element with flag 1 lands in front of the ones after it. No two indices are equal,
 *          and order within a kind is kept: the split is stable. (Texts use the word scan for
 *          both; it matters that the first is exclusive and the second inclusive.)
 *
 * Source   G. E. Blelloch, Scans as primitive parallel operations, IEEE Transactions on
 *          Computers, 1989.
 *
 * Forms    explained (this file), CPU (split_flags_cpu.h), CUDA (split_flags.cu). sort/split
 *          is one split per bit.
 */
/* SPDX-License-Identifier: MIT */
#include "core/explain_steps.h"

usw_split_arrays usw_split_arrays_new(usw_explain *x, size_t n)
{
    return (usw_split_arrays){.F = new_array(x, "F", n),
                              .I_down = new_array(x, "I_down", n),
                              .I_up = new_array(x, "I_up", n),
                              .index = new_array(x, "index", n),
                              .ones = new_array(x, "ones", n)};
}

void usw_split_by_bit(usw_explain *x, usw_split_arrays w, usw_array a, unsigned bit, usw_array b)
{
    size_t n = a.n;
    ROUND(x, "flags") {
        LANES(x, i, n) {
            uint32_t flag = a.v[i] >> bit & 1;
            set(x, w.F, i, flag);
            set(x, w.I_down, i, 1 - flag);
            set(x, w.ones, n - 1 - i, flag); /* F backwards */
        }
    }
    usw_exclusive_scan(x, hidden(w.I_down));
    usw_exclusive_scan(x, hidden(w.ones));
    ROUND(x, "index") {
        LANES(x, i, n) {
            uint32_t inclusive = w.ones.v[n - 1 - i] + w.F.v[i];
            set(x, w.I_up, i, (uint32_t)n - inclusive);
            set(x, w.index, i, w.F.v[i] != 0 ? w.I_up.v[i] : w.I_down.v[i]);
        }
    }
    ROUND(x, "permute") {
        LANES(x, i, n) {
            move(x, a, i, b, w.index.v[i]);
        }
    }
    show_buckets(x, w.F);
    show(x, w.I_down);
    show(x, w.I_up);
    show_result(x, b);
}

static void split(usw_explain *x, const uint32_t *in, size_t n, uint32_t *out)
{
    usw_array a = given(x, "a", in, n, out);
    usw_array b = new_array(x, "b", n);
    if (n == 0) {
        return;
    }
    phase(x, "split");
    usw_split_by_bit(x, usw_split_arrays_new(x, n), a, 0, b);
    memcpy(out, b.v, n * sizeof *out);
}

static uint64_t rounds(size_t n)
{
    return n == 0 ? 0 : 4 * usw_log2_up(n) + 5;
}

static uint64_t work(size_t n)
{
    return n == 0 ? 0 : 4 * ((uint64_t)n - 1);
}

const usw_row usw_split_flags_row = {
    .info = {.name = "split/flags",
             .operation = "split",
             .title = "Split by flags, and permute",
             .idea = "two scans tell every element its place, then all move at once",
             .work = "4 (n - 1) combines",
             .depth = "4 ceil(log2 n) + 5",
             .source = "Blelloch 1989",
             .input = "numbers; the flag of a number is its lowest bit",
             .example = "5 7 3 1 4 2 7 2",
             .text = usw_split_flags_page,
             .claims = UPSWEEP_CLAIM_STABLE | UPSWEEP_CLAIM_DETERMINISTIC},
    .rounds = rounds,
    .work = work,
    .explain = split,
};
