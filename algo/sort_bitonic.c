/* Bitonic sort
 *
 * Idea     Two sorted halves, the second read backwards, rise and then fall: a bitonic sequence.
 *          One round of compare-exchanges at half its length parts it into the lower and the
 *          upper half, each bitonic again. So merging takes log2 n rounds, and sorting is
 *          merging all the way up from single keys.
 *
 * Picture  0 ---o-------o---------o----      n = 4. A merge begins with mirror images,
 *               |       |         |          0 with 3 and 1 with 2, for that reads the
 *          1 ---o----o--|---------o----      second half backwards. All comparators put
 *                    |  |                    the smaller key up, so that a merge needs
 *          2 ---o----o--|---------o----      nothing but its input sorted upwards.
 *               |       |         |
 *          3 ---o-------o---------o----
 *
 *            merge 2  merge 4
 *            mirror   mirror    distance 1
 *
 * Rounds   L (L + 1) / 2 with L = ceil(log2 n): merges of 2, 4, .. 2^L keys take 1, 2, .. L
 *          rounds.
 *
 * Cost     About n L (L + 1) / 4 compares, L / 4 times as many as a merge sort needs and more, but
 *          which keys meet never depends on the keys. No branch, no surprise: the classic of vector
 *          units, GPUs and hardware.
 *
 * Why      By the 0-1 principle look at zeros and ones. A bitonic sequence of them is 0..1..0 or
 *          1..0..1; comparing i with i + half leaves one half constant and the other bitonic,
 *          with nothing in the lower half above anything in the upper one. Since all comparators
 *          put the smaller key at the lower position, keys of infinity past the end would never
 *          move: leaving out the comparators that reach past the end makes the network right for
 *          any n.
 *
 * Source   K. E. Batcher, Sorting networks and their applications, AFIPS 1968; Knuth 3, section
 *          5.3.4.
 *
 * Forms    explained (this file), CPU (sort_bitonic_cpu.h), CUDA (sort_bitonic.cu).
 */
/* SPDX-License-Identifier: MIT */
#include "core/explain.h"

/* Sorted blocks of 2^(p - 1) keys become sorted blocks of 2^p: the first round compares mirror
 * images, the others keys at distances 2^(p - 2), .. 2, 1. */
static void merge(usw_explain *x, usw_array a, unsigned p)
{
    size_t block = (size_t)1 << p, half = block / 2;
    size_t lanes = usw_div_up(a.n, block) * half;
    ROUND(x, "mirror %zu", block) {
        LANES(x, t, lanes) {
            size_t begin = t / half * block;
            size_t i = begin + t % half, j = begin + block - 1 - t % half;
            if (j < a.n) {
                compare_exchange(x, a, i, j);
            }
        }
        show(x, a);
    }
    ROUNDS(x, r, p - 1, "distance %zu", half >> (r + 1)) {
        size_t d = half >> (r + 1);
        LANES(x, t, lanes) {
            size_t i = t / d * 2 * d + t % d;
            if (i + d < a.n) {
                compare_exchange(x, a, i, i + d);
            }
        }
        show(x, a);
    }
}

static void sort(usw_explain *x, const uint32_t *in, size_t n, uint32_t *out)
{
    usw_array a = given(x, "a", in, n, out);
    for (unsigned p = 1; p <= usw_log2_up(n); p++) {
        phase(x, "merge %zu", (size_t)1 << p);
        merge(x, a, p);
    }
}

static uint64_t rounds(size_t n)
{
    uint64_t L = usw_log2_up(n);
    return L * (L + 1) / 2;
}

/* Comparators of a round over blocks of 2 d positions, mirrored or not, that lie within n. */
static uint64_t pairs(size_t n, uint64_t d)
{
    uint64_t rest = n % (2 * d);
    return n / (2 * d) * d + (rest > d ? rest - d : 0);
}

static uint64_t work(size_t n)
{
    uint64_t sum = 0;
    unsigned L = usw_log2_up(n);
    for (unsigned p = 0; p < L; p++) {
        sum += (L - p) * pairs(n, (uint64_t)1 << p); /* L - p of the merges have this distance */
    }
    return sum;
}

const usw_row usw_sort_bitonic_row = {
    .info = {.name = "sort/bitonic",
             .operation = "sort",
             .title = "Bitonic sort",
             .idea = "merge networks of all sizes, each comparing over half its length, then less",
             .work = "n L (L + 1) / 4, for n = 2^L, compares",
             .depth = "L (L + 1) / 2",
             .source = "Batcher 1968; Knuth 3, section 5.3.4",
             .input = "keys",
             .example = "3 7 1 10 4 20 2 8",
             .text = usw_sort_bitonic_page,
             .claims =
                 UPSWEEP_CLAIM_IN_PLACE | UPSWEEP_CLAIM_OBLIVIOUS | UPSWEEP_CLAIM_DETERMINISTIC},
    .rounds = rounds,
    .work = work,
    .explain = sort,
};
