/* 1_edges.cuh - step 1 of the weave: an edge before each tile, and which edges rise: the body.
 *
 * An edge is the median of the 32 keys around the place where a tile begins, so a few keys that
 * stand wrong do not move it far. Edges that stand alone between two that are in order are dropped;
 * the others make runs, and a chain of long runs that follow one another is the body. All keys that
 * stay where they are then lie between the edges of their tile: tiles need not be compared. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_RUNS_1_EDGES_CUH
#define USW_GPU_RUNS_1_EDGES_CUH

#include "gpu/block/bitonic.cuh"
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
        a.count(e) = 0;
        a.published[e] = 0;
    }
    if (lane == 16) {
        a.edges[e] = e == 0 ? K(0) : e == a.tiles ? static_cast<K>(~K(0)) : x[0];
    }
}

/* Whether an edge lies outside of both neighbours, where these are in order: it is not used. */
template <typename K>
__device__ __forceinline__ bool weave_is_single(const weave_args<K> &a, unsigned i)
{
    if (i == 0 || i >= a.tiles) {
        return false;
    }
    const K left = a.edges[i - 1], x = a.edges[i], right = a.edges[i + 1];
    return left <= right && (x < left || x > right);
}
/* The edge, or that to the left of one that is not used. */
template <typename K> __device__ __forceinline__ K weave_edge(const weave_args<K> &a, unsigned i)
{
    const bool single = weave_is_single(a, i);
    WEAVE_WAY(WEAVE_DROPPED_EDGE, single)
    return a.edges[single ? i - 1 : i];
}

/* Long runs of edges that rise, from begin to end, which are without the first and the last
 * WEAVE_TRIM edges where another run is beside them: random edges may go on with one by chance. */
struct weave_runs {
    unsigned begin[WEAVE_RUNS_MAX], end[WEAVE_RUNS_MAX];
    unsigned best[WEAVE_RUNS_MAX], before[WEAVE_RUNS_MAX]; /* chains: edges, the run before */
    unsigned count, breaks;
};

/* Lists the runs. breaks: shared, for WEAVE_BREAKS numbers. */
template <typename K>
__device__ __forceinline__ void weave_list_runs(const weave_args<K> &a, unsigned *breaks,
                                                weave_runs &runs, unsigned *sums)
{
    if (threadIdx.x == 0) {
        runs.count = runs.breaks = 0;
    }
    __syncthreads();
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < a.tiles; i += blockDim.x) {
        if (weave_edge(a, i) > weave_edge(a, i + 1)) {
            const unsigned at = atomicAdd(&runs.breaks, 1u);
            if (at < WEAVE_BREAKS) {
                breaks[at] = i;
            }
        }
    }
    __syncthreads();
    const unsigned all = runs.breaks;
    if (all > WEAVE_BREAKS) {
        return;
    }
    usw_bitonic_sort(breaks, all);
    const unsigned least =
        a.tiles / WEAVE_RUNS_MAX > WEAVE_RUN_LEAST ? a.tiles / WEAVE_RUNS_MAX : WEAVE_RUN_LEAST;
    const weave_share mine(all + 1);
    auto first_of = [&](unsigned r) { return r == 0 ? 0 : breaks[r - 1] + 1; };
    auto last_of = [&](unsigned r) { return r == all ? a.tiles : breaks[r]; };
    auto is_long = [&](unsigned r) {
        return first_of(r) + least + 2 * WEAVE_TRIM <= last_of(r) + 1;
    };
    unsigned count = 0, total;
    for (unsigned r = mine.begin; r < mine.end; r++) {
        count += is_long(r);
    }
    unsigned at = usw_block_exclusive_scan(count, sums, &total);
    for (unsigned r = mine.begin; r < mine.end; r++) {
        if (is_long(r) && at < WEAVE_RUNS_MAX) {
            runs.begin[at] = r == 0 ? 0 : first_of(r) + WEAVE_TRIM;
            runs.end[at] = r == all ? a.tiles : last_of(r) - WEAVE_TRIM;
            at++;
        }
    }
    if (threadIdx.x == 0) {
        runs.count = total <= WEAVE_RUNS_MAX ? total : 0;
    }
    __syncthreads();
}

/* One thread finds the chain of runs that follow one another and have the most edges. Returns its
 * last run, or ~0: it has too few. */
template <typename K>
__device__ __forceinline__ unsigned weave_find_chain(const weave_args<K> &a, weave_runs &runs)
{
    unsigned last = 0;
    for (unsigned r = 0; r < runs.count; r++) {
        const K low = weave_edge(a, runs.begin[r]);
        runs.best[r] = 0;
        runs.before[r] = r;
        for (unsigned q = 0; q < r; q++) {
            if (runs.best[q] > runs.best[r] && weave_edge(a, runs.end[q]) <= low) {
                runs.best[r] = runs.best[q];
                runs.before[r] = q;
            }
        }
        runs.best[r] += runs.end[r] - runs.begin[r] + 1 + (runs.begin[r] > 0 ? WEAVE_TRIM : 0) +
                        (runs.end[r] < a.tiles ? WEAVE_TRIM : 0);
        last = runs.best[r] > runs.best[last] ? r : last;
    }
    return runs.count != 0 && runs.best[last] * 8ull >= (a.tiles + 1) * 7ull ? last : ~0u;
}

/* One thread writes the chain, from the first run on. The edges that runs lack at their ends belong
 * to them where they are in order with the next run. A run begins and ends with edges in use. */
template <typename K>
__device__ __forceinline__ void weave_write_chain(const weave_args<K> &a, weave_runs &runs,
                                                  unsigned last)
{
    unsigned next = last; /* turns the list round: before[r] becomes the run behind r */
    for (unsigned r = last, before; r != ~0u; r = before) {
        before = runs.before[r] == r ? ~0u : runs.before[r];
        runs.before[r] = next;
        next = r;
    }
    unsigned count = 0;
    for (unsigned r = next;; r = runs.before[r]) {
        unsigned begin = runs.begin[r], end = runs.end[r];
        const bool ends = r == last;
        const unsigned before = begin > 0 ? begin - WEAVE_TRIM : 0;
        const unsigned behind = end < a.tiles ? end + WEAVE_TRIM : end;
        while (begin > before &&
               (count == 0 || weave_edge(a, begin - 1) >= a.edges[a.chain[2 * count]])) {
            begin--;
        }
        while (end < behind &&
               (ends || weave_edge(a, end + 1) <= weave_edge(a, runs.begin[runs.before[r]]))) {
            end++;
        }
        while (begin <= end && weave_is_single(a, begin)) {
            begin++;
        }
        while (begin < end && weave_is_single(a, end)) {
            end--;
        }
        if (begin <= end) {
            a.chain[1 + 2 * count] = begin;
            a.chain[2 + 2 * count] = end;
            count++;
        }
        if (ends) {
            break;
        }
    }
    a.chain[0] = count;
    WEAVE_WAY(WEAVE_CHAIN, count > 1)
}

/* One block: finds the body: which edges are in use. breaks: shared. */
template <typename K>
__device__ __forceinline__ void weave_choose_body(const weave_args<K> &a, unsigned *breaks)
{
    USW_SHARED(weave_runs, runs);
    USW_SHARED_ARRAY(unsigned, sums, [32]);
    weave_list_runs(a, breaks, runs, sums);
    if (threadIdx.x == 0) {
        const unsigned last = weave_find_chain(a, runs);
        if (last != ~0u) {
            weave_write_chain(a, runs, last);
        } else {
            a.control->failed = 1;
        }
        WEAVE_WAY(WEAVE_NO_BODY, last == ~0u)
    }
}

/* Each thread finds between which edges the keys of a tile lie that may stay. A tile is the body's
 * if the edge before it is in use. */
template <typename K>
__device__ __forceinline__ void weave_find_bounds(const weave_args<K> &a, unsigned task)
{
    const unsigned tile = task * blockDim.x + threadIdx.x;
    const unsigned count = a.chain[0], *chain = a.chain + 1;
    if (tile >= a.tiles) {
        return;
    }
    unsigned c = 0; /* the runs that begin there or before */
    while (c < count && chain[2 * c] <= tile) {
        c++;
    }
    const unsigned end = c > 0 ? chain[2 * c - 1] : 0;
    const bool body = c > 0 && tile <= end && !weave_is_single(a, tile);
    K high = c < count ? a.edges[chain[2 * c]] : static_cast<K>(~K(0));
    if (c > 0 && tile < end) {
        unsigned at = tile + 1;
        while (weave_is_single(a, at)) {
            at++;
        }
        high = a.edges[at];
    }
    a.body[tile] = body;
    a.lows[tile] = body ? a.edges[tile] : high;
    a.highs[tile] = high;
}

#endif
