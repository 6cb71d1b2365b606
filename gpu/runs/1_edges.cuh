/* 1_edges.cuh - step 1 of the weave: an edge before each tile, and which edges rise: the body.
 *
 * An edge is the median of the 32 keys around the place where a tile begins, so a few keys that
 * stand wrong do not move it far. Edges that stand alone between two that are in order are dropped;
 * the others make runs, and a chain of long runs that follow one another is the body. All keys that
 * stay where they are then lie between the edges of their tile: tiles need not be compared. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_RUNS_1_EDGES_CUH
#define USW_GPU_RUNS_1_EDGES_CUH

#include "gpu/block/sort_network.cuh"
#include "gpu/runs/control.cuh"

/* Each warp finds an edge; edge 0 is below all keys, the last one above them. */
template <typename K, bool identity>
__device__ __forceinline__ void weave_find_edges(const weave_args<K> &a, unsigned task)
{
    const unsigned lane = threadIdx.x % 32;
    const unsigned e = task * (blockDim.x / 32) + threadIdx.x / 32;
    if (e > a.tiles) {
        return;
    }
    const unsigned long long p = a.begin(e) + lane;
    K x[1] = {K(0)};
    if (e > 0 && e < a.tiles) {
        x[0] = a.from[p < 16 ? 0 : p - 16 < a.n ? p - 16 : a.n - 1];
        x[0] = identity ? x[0] : a.map.map(x[0]);
    }
    usw_block_sort<K, 1>::template sort_lanes<32>(x);
    if (lane == 0 && e < a.tiles) {
        a.counts[e] = 0;
    }
    if (lane == 16) {
        a.edges[e] = e == 0 ? K(0) : e == a.tiles ? static_cast<K>(~K(0)) : x[0];
    }
}

/* Runs of edges, from begin to end. */
struct weave_runs {
    unsigned begin[WEAVE_RUNS_MAX], end[WEAVE_RUNS_MAX];   /* first and last edge */
    unsigned best[WEAVE_RUNS_MAX], before[WEAVE_RUNS_MAX]; /* chains: edges, the run before */
    unsigned chain[WEAVE_RUNS_MAX]; /* those of the body, the last one first */
    unsigned count, chosen;
};

/* Drops edges that lie outside of both neighbours, where these are in order, and puts the one to
 * the left in their place. */
template <typename K>
__device__ __forceinline__ void weave_drop_single_edges(const weave_args<K> &a,
                                                        const weave_share &own)
{
    for (unsigned i = own.begin; i < own.end; i++) {
        const bool inner = i > 0 && i < a.tiles;
        const K left = inner ? a.edges[i - 1] : K(0), right = inner ? a.edges[i + 1] : K(0);
        const K x = a.edges[i];
        a.ok[i] = !inner || left > right || (x >= left && x <= right);
    }
    __syncthreads();
    for (unsigned i = own.begin; i < own.end; i++) {
        if (!a.ok[i]) {
            WEAVE_WAY(WEAVE_DROPPED_EDGE, true)
            a.edges[i] = a.edges[i - 1];
        }
    }
    __syncthreads();
}

/* Lists the long runs, without the first and the last edge where another run is beside them. breaks:
 * memory for as many numbers as there are edges. */
template <typename K>
__device__ __forceinline__ void weave_list_runs(const weave_args<K> &a, const weave_share &own,
                                                unsigned *breaks, weave_runs &runs, unsigned *sums)
{
    unsigned count = 0, all;
    for (unsigned i = own.begin; i < own.end; i++) {
        count += i < a.tiles && a.edges[i] > a.edges[i + 1];
    }
    unsigned at = usw_block_exclusive_scan(count, sums, &all);
    for (unsigned i = own.begin; i < own.end; i++) {
        if (i < a.tiles && a.edges[i] > a.edges[i + 1]) {
            breaks[at++] = i;
        }
    }
    __syncthreads();
    const unsigned least =
        a.tiles / WEAVE_RUNS_MAX > WEAVE_RUN_LEAST ? a.tiles / WEAVE_RUNS_MAX : WEAVE_RUN_LEAST;
    const weave_share mine(all + 1);
    auto begin_of = [&](unsigned r) { return r == 0 ? 0 : breaks[r - 1] + 2; };
    auto end_of = [&](unsigned r) { return r == all ? a.tiles : breaks[r] - 1; };
    auto is_long = [&](unsigned r) { return begin_of(r) + least <= end_of(r) + 1; };
    count = 0;
    for (unsigned r = mine.begin; r < mine.end; r++) {
        count += is_long(r);
    }
    at = usw_block_exclusive_scan(count, sums, &runs.count);
    for (unsigned r = mine.begin; r < mine.end; r++) {
        if (is_long(r) && at < WEAVE_RUNS_MAX) {
            runs.begin[at] = begin_of(r);
            runs.end[at] = end_of(r);
            at++;
        }
    }
    __syncthreads();
}

/* One thread finds the chain of runs that follow one another and have the most edges. */
template <typename K>
__device__ __forceinline__ void weave_choose_chain(const weave_args<K> &a, weave_runs &runs)
{
    unsigned last = 0;
    for (unsigned r = 0; r < runs.count; r++) {
        const K low = a.edges[runs.begin[r]];
        runs.best[r] = 0;
        runs.before[r] = r;
        for (unsigned q = 0; q < r; q++) {
            if (runs.best[q] > runs.best[r] && a.edges[runs.end[q]] <= low) {
                runs.best[r] = runs.best[q];
                runs.before[r] = q;
            }
        }
        runs.best[r] += runs.end[r] - runs.begin[r] + 1;
        last = runs.best[r] > runs.best[last] ? r : last;
    }
    runs.chosen = 0;
    if (runs.count != 0 && runs.best[last] * 8ull >= (a.tiles + 1) * 7ull) {
        runs.chain[runs.chosen++] = last;
        for (; runs.before[last] != last; last = runs.before[last]) {
            runs.chain[runs.chosen++] = runs.before[last];
        }
    }
}

/* One block: says which edges are the body's. Others become equal to the one before them, so that
 * all edges rise. breaks: memory for as many numbers as there are edges. */
template <typename K>
__device__ __forceinline__ void weave_choose_body(const weave_args<K> &a, unsigned *breaks)
{
    USW_SHARED(weave_runs, runs);
    USW_SHARED_ARRAY(unsigned, sums, [32]);
    const weave_share own(a.tiles + 1);
    weave_drop_single_edges(a, own);
    weave_list_runs(a, own, breaks, runs, sums);
    if (threadIdx.x == 0) {
        runs.chosen = 0;
        if (runs.count <= WEAVE_RUNS_MAX) {
            weave_choose_chain(a, runs);
        }
        if (runs.chosen == 0) {
            a.control->failed = 1;
        }
        WEAVE_WAY(WEAVE_NO_BODY, runs.chosen == 0)
        WEAVE_WAY(WEAVE_CHAIN, runs.chosen > 1)
    }
    __syncthreads();
    unsigned last = 0; /* 1 more than the last edge of the body */
    for (unsigned i = own.begin; i < own.end; i++) {
        bool inside = false;
        for (unsigned c = 0; c < runs.chosen; c++) {
            inside = inside || (i >= runs.begin[runs.chain[c]] && i <= runs.end[runs.chain[c]]);
        }
        a.ok[i] = a.ok[i] != 0 && inside;
        last = a.ok[i] ? i + 1 : last;
    }
    last = weave_most_before(last, sums);
    for (unsigned i = own.begin; i < own.end; i++) {
        last = a.ok[i] ? i + 1 : last;
        if (!a.ok[i]) {
            a.edges[i] = last == 0 ? K(0) : a.edges[last - 1];
        }
    }
}

#endif
