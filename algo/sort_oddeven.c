/* Odd-even transposition sort
 *
 * Idea     Neighbours compare and, if out of order, change places: first all pairs that begin at
 *          an even position, then all that begin at an odd one, in turn. After n rounds nothing
 *          is out of order any more.
 *
 * Picture        0   1   2   3   4   5
 *          even  o---o   o---o   o---o     lane t owns the pair that begins at 2 t,
 *          odd       o---o   o---o         and in odd rounds the one at 2 t + 1
 *          even  o---o   o---o   o---o
 *          ...
 *
 * Rounds   n, each with n / 2 lanes. In an odd round the last pair may lie past the end; its
 *          lane does nothing but goes through the round with the others.
 *
 * Cost     n (n - 1) / 2 compares: as many as bubble sort, which it turns into a network. Good
 *          for a few dozen keys, or where lanes can only talk to their neighbours.
 *
 * Why      By the 0-1 principle it is enough to sort zeros and ones. The rightmost 1 waits for
 *          at most one round and then moves to the right in every round until it is home. The
 *          next 1 can be held up by it for one round more, and so on: the k-th 1 from the right
 *          waits for at most k rounds. Of m ones each has at most n - m places to go, and k + n
 *          - m <= n. Equal keys never change places and no key jumps over another, so the sort
 *          is stable.
 *
 * Source   N. Haberman, Parallel neighbor-sort, Carnegie Mellon University, 1972; D. E. Knuth,
 *          The Art of Computer Programming 3, section 5.3.4.
 *
 * Forms    explained (this file), CPU (sort_oddeven_cpu.h), CUDA (sort_oddeven.cu).
 */
/* SPDX-License-Identifier: MIT */
#include "core/explain.h"

static void sort(usw_explain *x, const uint32_t *in, size_t n, uint32_t *out)
{
    usw_array a = given(x, "a", in, n, out);
    ROUNDS(x, r, n, r % 2 == 0 ? "even" : "odd") {
        LANES(x, t, n / 2) {
            size_t i = 2 * t + r % 2;
            if (i + 1 < n) {
                compare_exchange(x, a, i, i + 1);
            }
        }
        show(x, a);
    }
}

static uint64_t rounds(size_t n)
{
    return n;
}

/* Even rounds compare n / 2 pairs, odd rounds (n - 1) / 2. */
static uint64_t work(size_t n)
{
    return n % 2 == 0 ? (uint64_t)(n / 2) * (n - 1) : (uint64_t)n * ((n - 1) / 2);
}

const usw_row usw_sort_oddeven_row = {
    .info = {.name = "sort/oddeven",
             .operation = "sort",
             .title = "Odd-even transposition sort",
             .idea = "neighbours compare and exchange, even pairs and odd pairs in turn",
             .work = "n (n - 1) / 2 compares",
             .depth = "n",
             .source = "Haberman 1972; Knuth 3, section 5.3.4",
             .input = "keys",
             .example = "3 7 11 10 4 20 2 8 12 1",
             .text = usw_sort_oddeven_page,
             .claims = UPSWEEP_CLAIM_STABLE | UPSWEEP_CLAIM_IN_PLACE | UPSWEEP_CLAIM_OBLIVIOUS |
                       UPSWEEP_CLAIM_DETERMINISTIC},
    .rounds = rounds,
    .work = work,
    .explain = sort,
};
