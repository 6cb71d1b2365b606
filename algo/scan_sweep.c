/* Scan by two sweeps over a tree
 *
 * Idea     The sum of all elements before each element looks as if it had to be made from left
 *          to right. It has not: add up along a balanced tree, keep the partial sums in it, and
 *          on the way back down hand every node the sum of all that lies to its left.
 *
 * Picture  up       3   1   7   0   4   1   6   3
 *                   3   4   7   7   4   5   6   9      a node holds the sum of its leaves, at the
 *                   3   4   7  11   4   5   6  14      place of the last of them: pairs, fours,
 *                   3   4   7  11   4   5   6  25      and all eight
 *          root     3   4   7  11   4   5   6   0
 *          down     3   4   7   0   4   5   6  11      the left child gets its parent's value,
 *                   3   0   7   4   4  11   6  16      the right one that plus what the left
 *                   0   3   4  11  11  15  16  22      child held
 *
 * Rounds   2 ceil(log2 n) + 1. A node is kept at the place of its last leaf, so the tree needs
 *          no memory of its own, and the node at the edge of the array is just narrower: any n
 *          will do.
 *
 * Cost     2 (n - 1) combines, where one lane alone would need n - 1.
 *
 * Why      On the way down a node's value is the sum of all leaves left of its subtree: right
 *          for the root (nothing: the identity), and if right for a node then for its left
 *          child, which begins at the same place, and for its right child, which begins after
 *          the left child's leaves, whose sum is s. Only neighbours in order are ever combined:
 *          the operator need not be commutative. The inclusive scan is the exclusive one with
 *          each element added.
 *
 * Source   G. E. Blelloch, Prefix sums and their applications, CMU-CS-90-190, 1990.
 *
 * Forms    explained (this file), CPU (scan_sweep_cpu.h), CUDA (scan_sweep.cu). split/flags
 *          and the radix sorts are built upon it.
 */
/* SPDX-License-Identifier: MIT */
#include "core/explain_steps.h"

/* Where the two children of a node are kept. Node t of those that cover 2 d leaves covers the
 * leaves from 2 d t on, and each child is kept at the last leaf it covers. A node whose right child
 * is empty has left == right: its left child is kept at the same place, and there is nothing to do.
 */
typedef struct children {
    size_t left, right;
} children;

static children children_of(size_t t, size_t d, size_t n)
{
    return (children){usw_min(2 * d * t + d, n) - 1, usw_min(2 * d * t + 2 * d, n) - 1};
}

static void sweep_up(usw_explain *x, usw_array tree)
{
    ROUNDS(x, r, usw_log2_up(tree.n), "up") {
        size_t d = (size_t)1 << r;
        LANES(x, t, usw_div_up(tree.n, 2 * d)) {
            children c = children_of(t, d, tree.n);
            if (c.left < c.right) {
                combine(x, tree, c.right, tree, c.left, tree.v[c.left] + tree.v[c.right]);
            }
        }
        show(x, tree);
    }
}

static void sweep_down(usw_explain *x, usw_array tree)
{
    ROUNDS(x, r, usw_log2_up(tree.n), "down") {
        size_t d = (size_t)1 << (usw_log2_up(tree.n) - 1 - r);
        LANES(x, t, usw_div_up(tree.n, 2 * d)) {
            children c = children_of(t, d, tree.n);
            if (c.left < c.right) {
                uint32_t value = tree.v[c.right];
                combine(x, tree, c.right, tree, c.left, value + tree.v[c.left]);
                set(x, tree, c.left, value);
            }
        }
        show(x, tree);
    }
}

void usw_exclusive_scan(usw_explain *x, usw_array a)
{
    if (a.n == 0) {
        return;
    }
    sweep_up(x, a);
    ROUND(x, "root") {
        set(x, a, a.n - 1, 0);
        show(x, a);
    }
    sweep_down(x, a);
}

static void scan(usw_explain *x, const uint32_t *in, size_t n, uint32_t *out)
{
    usw_exclusive_scan(x, given(x, "a", in, n, out));
}

static uint64_t rounds(size_t n)
{
    return n == 0 ? 0 : 2 * usw_log2_up(n) + 1;
}

static uint64_t work(size_t n)
{
    return n == 0 ? 0 : 2 * ((uint64_t)n - 1);
}

const usw_row usw_scan_sweep_row = {
    .info = {.name = "scan/sweep",
             .operation = "scan",
             .title = "Scan by two sweeps over a tree",
             .idea = "partial sums go up a tree; what lies to the left comes down it",
             .work = "2 (n - 1) combines",
             .depth = "2 ceil(log2 n) + 1",
             .source = "Blelloch 1990",
             .input = "numbers; the result is their exclusive sums modulo 2^32",
             .example = "3 1 7 0 4 1 6 3",
             .text = usw_scan_sweep_page,
             .claims =
                 UPSWEEP_CLAIM_IN_PLACE | UPSWEEP_CLAIM_OBLIVIOUS | UPSWEEP_CLAIM_DETERMINISTIC},
    .rounds = rounds,
    .work = work,
    .explain = scan,
};
