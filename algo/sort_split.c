/* Split radix sort
 *
 * Idea     Split the keys by their lowest bit, then by the next, and so on to the highest. Each
 *          split keeps the order that the splits before it made, so after the last bit all is
 *          sorted.
 *
 * Picture  bit 0           bit 1           bit 2
 *          5 101   4 100   4 100   4 100   4 100   1 001
 *          7 111   2 010   2 010   5 101   5 101   2 010
 *          3 011   2 010   2 010   1 001   1 001   2 010
 *          1 001   5 101   5 101   2 010   2 010   3 011
 *          4 100   7 111   7 111   2 010   2 010   4 100
 *          2 010   3 011   3 011   7 111   7 111   5 101
 *          7 111   1 001   1 001   3 011   3 011   7 111
 *          2 010   7 111   7 111   7 111   7 111   7 111
 *
 * Rounds   B (4 L + 5) + L + 1, where B is the number of bits of the greatest key, which a tree
 *          reduction finds, and L = ceil(log2 n).
 *
 * Cost     4 B (n - 1) combines and B n moves: B times a split. Keys are never compared.
 *
 * Why      Suppose the keys are in order by their lowest k bits. The split by bit k puts those
 *          with a 0 before those with a 1 and, since it is stable, leaves each kind in order by
 *          the lower bits: the keys are in order by their lowest k + 1 bits.
 *
 * Source   G. E. Blelloch, Prefix sums and their applications, CMU-CS-90-190, 1990, section 3.
 *
 * Forms    explained (this file), CPU (sort_split_cpu.h), CUDA (sort_split.cu). Digits of several
 *          bits at a time make sort/radix of it.
 */
/* SPDX-License-Identifier: MIT */
#include "core/explain_steps.h"

static void sort(usw_explain *x, const uint32_t *in, size_t n, uint32_t *out)
{
    usw_array from = given(x, "a", in, n, out);
    usw_array to = new_array(x, "b", n);
    usw_split_arrays w = usw_split_arrays_new(x, n);
    uint32_t greatest = usw_greatest(x, from);
    for (unsigned bit = 0; bit < 32 && greatest >> bit != 0; bit++) {
        phase(x, "bit %u", bit);
        usw_split_by_bit(x, w, from, bit, to);
        usw_array sorted_so_far = to; /* the arrays swap roles */
        to = from;
        from = sorted_so_far;
    }
    if (n > 0) {
        memmove(out, from.v, n * sizeof *out);
    }
}

const usw_row usw_sort_split_row = {
    .info = {.name = "sort/split",
             .operation = "sort",
             .title = "Split radix sort",
             .idea = "one stable split per key bit, lowest first",
             .work = "(4 B + 1) (n - 1) combines",
             .depth = "B (4 L + 5) + L + 1",
             .source = "Blelloch 1990",
             .input = "keys",
             .example = "5 7 3 1 4 2 7 2",
             .text = usw_sort_split_page,
             .claims = UPSWEEP_CLAIM_STABLE | UPSWEEP_CLAIM_DETERMINISTIC},
    .explain = sort,
};
