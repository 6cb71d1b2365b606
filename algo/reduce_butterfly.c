/* Butterfly reduction (all-reduce)
 *
 * Idea     In each round every element combines with a partner, and the partner with it. After
 *          log2 n rounds not one element but every element holds the total: nothing is left to
 *          broadcast.
 *
 * Picture  i        0  1  2  3  4  5  6  7
 *          b = 4    4  5  6  7  0  1  2  3     the partner of i is i XOR b:
 *          b = 2    2  3  0  1  6  7  4  5     one bit of the position is turned
 *          b = 1    1  0  3  2  5  4  7  6
 *
 * Rounds   L = ceil(log2 n), with distances b = 2^(L - 1), .., 2, 1 and 2^L lanes. In a round
 *          all lanes first read their partner, then all add.
 *
 * Cost     2^L L combines: L times those of the tree, for the same depth. Worth it where the
 *          lanes are there anyway (a warp, a vector, the nodes of a network) and all of them
 *          need the result.
 *
 * Why      After the rounds with some bits b done, element i holds the sum over all positions
 *          that agree with i on the other bits. When all bits are done, that is everyone.
 *          Elements meet out of order, so the operator must be associative and commutative. When
 *          n is no power of two, the places up to 2^L hold the identity and change nothing.
 *
 * Source   J. W. Cooley, J. W. Tukey, 1965, for the pattern; R. Thakur, R. Rabenseifner, W.
 *          Gropp, Optimization of collective communication operations in MPICH, 2005, for its
 *          use.
 *
 * Forms    explained (this file), CUDA (reduce_butterfly.cu). On CPUs a tree over vectors is
 *          better: see reduce/tree.
 */
/* SPDX-License-Identifier: MIT */
#include "core/explain.h"

static void reduce(usw_explain *x, const uint32_t *in, size_t n, uint32_t *out)
{
    size_t lanes = n == 0 ? 0 : (size_t)1 << usw_log2_up(n);
    usw_array a = new_array(x, "a", lanes);
    usw_array heard = new_array(x, "heard", lanes);
    usw_array partner = new_array(x, "partner", lanes);
    if (n > 0) {
        memcpy(a.v, in, n * sizeof *in);
    }
    show(x, a);
    ROUNDS(x, r, usw_log2_up(n), "b=%zu", lanes >> (r + 1)) {
        size_t b = lanes >> (r + 1);
        LANES(x, i, lanes) {
            set(x, partner, i, (uint32_t)(i ^ b));
            move(x, a, i ^ b, heard, i);
        }
        LANES(x, i, lanes) {
            combine(x, a, i, heard, i, a.v[i] + heard.v[i]);
        }
        show(x, partner);
        show_result(x, a);
    }
    if (n > 0) {
        memcpy(out, a.v, n * sizeof *out);
    }
}

static uint64_t rounds(size_t n)
{
    return usw_log2_up(n);
}

static uint64_t work(size_t n)
{
    return n == 0 ? 0 : ((uint64_t)1 << usw_log2_up(n)) * usw_log2_up(n);
}

const usw_row usw_reduce_butterfly_row = {
    .info = {.name = "reduce/butterfly",
             .operation = "reduce",
             .title = "Butterfly reduction (all-reduce)",
             .idea = "element i combines with i XOR b: every element ends with the total",
             .work = "2^L L combines",
             .depth = "L = ceil(log2 n)",
             .source = "Cooley and Tukey 1965; Thakur, Rabenseifner and Gropp 2005",
             .input = "numbers; every result is their sum modulo 2^32",
             .example = "3 1 7 0 4 1 6 3",
             .text = usw_reduce_butterfly_page,
             .claims = UPSWEEP_CLAIM_OBLIVIOUS | UPSWEEP_CLAIM_DETERMINISTIC},
    .rounds = rounds,
    .work = work,
    .explain = reduce,
};
