/* Tree reduction
 *
 * Idea     Fold the array in half and add the halves, element by element, until one is left:
 *          like a knockout tournament, where half of the players are out after each round.
 *
 * Picture   3   1   7   0 | 4   1   6   3        the right half is added to the left
 *           7   2 |13   3                        distance 4 is done
 *          20 | 5                                distance 2
 *          25                                    distance 1
 *
 * Rounds   ceil(log2 n). With m elements left, lane i adds the element ceil(m / 2) places further
 *          on to element i; for an odd m the one in the middle waits.
 *
 * Cost     n - 1 combines, the least possible; the result is in one place, a[0].
 *
 * Why      Every round replaces pairs by their sum and drops nothing, so the total never
 *          changes. The order of the additions does: the operator must be associative, and since
 *          i meets i + m / 2 also commutative. Distances 1, 2, 4 .. instead, as in the upward
 *          sweep of scan/sweep, keep neighbours together and need associativity only. Either way
 *          the order depends on n alone, so even floating-point sums repeat bit by bit.
 *
 * Source   D. E. Culler, R. M. Karp et al., LogP, PPoPP 1993 (broadcast and sum trees); M.
 *          Harris, Optimizing parallel reduction in CUDA, 2007.
 *
 * Forms    explained (this file), CPU (reduce_tree_cpu.h), CUDA (reduce_tree.cu).
 *          reduce/butterfly leaves the total with every element.
 */
/* SPDX-License-Identifier: MIT */
#include "core/explain_steps.h"

void usw_tree(usw_explain *x, usw_array a, usw_operator op)
{
    ROUNDS(x, r, usw_log2_up(a.n), "distance %zu", usw_div_up(a.n, 2)) {
        size_t half = usw_div_up(a.n, 2);
        LANES(x, i, a.n - half) {
            combine(x, a, i, a, i + half, op(a.v[i], a.v[i + half]));
        }
        a.n = half;
        show(x, a);
    }
}

static uint32_t add(uint32_t a, uint32_t b)
{
    return a + b;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t greatest(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t tree_of_copy(usw_explain *x, usw_array a, const char *name, usw_operator op)
{
    usw_array copy = hidden(new_array(x, name, a.n));
    if (a.n == 0) {
        return 0;
    }
    ROUND(x, "copy") {
        LANES(x, i, a.n) {
            move(x, a, i, copy, i);
        }
    }
    usw_tree(x, copy, op);
    return copy.v[0];
}

uint32_t usw_greatest(usw_explain *x, usw_array a)
{
    return tree_of_copy(x, a, "greatest", greatest);
}

uint32_t usw_least(usw_explain *x, usw_array a)
{
    return tree_of_copy(x, a, "least", least);
}

static void reduce(usw_explain *x, const uint32_t *in, size_t n, uint32_t *out)
{
    usw_array a = given(x, "a", in, n, out);
    x->results = 1;
    if (n == 0) {
        out[0] = 0; /* the identity of addition */
        return;
    }
    usw_tree(x, a, add);
}

static uint64_t rounds(size_t n)
{
    return usw_log2_up(n);
}

static uint64_t work(size_t n)
{
    return n == 0 ? 0 : n - 1;
}

const usw_row usw_reduce_tree_row = {
    .info = {.name = "reduce/tree",
             .operation = "reduce",
             .title = "Tree reduction",
             .idea = "fold the array in half until one element is left",
             .work = "n - 1 combines",
             .depth = "ceil(log2 n)",
             .source = "Culler, Karp et al. 1993; Harris 2007",
             .input = "numbers; the result is their sum modulo 2^32",
             .example = "3 1 7 0 4 1 6 3",
             .text = usw_reduce_tree_page,
             .claims =
                 UPSWEEP_CLAIM_IN_PLACE | UPSWEEP_CLAIM_OBLIVIOUS | UPSWEEP_CLAIM_DETERMINISTIC},
    .rounds = rounds,
    .work = work,
    .explain = reduce,
};
