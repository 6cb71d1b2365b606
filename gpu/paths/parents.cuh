/* parents.cuh - parents, lost distances and targets, which follow every search on a GPU; the
 * results are the bytes of cpu/paths/parents.c.
 *
 * Sweep     Goes over all arcs once, a block a tile of arcs, a lane an arc. A nearer vertex whose
 *           arc ends a shortest path is a parent; the least id wins. The first arc from a vertex
 *           that is reached to one that is not shows a distance that did not fit.
 * Plateaus  Vertices that are reached only by arcs that add nothing have no nearer vertex. A search
 *           in rounds, from the vertices that have a parent, gives them theirs: the least id of a
 *           round.
 * Forget    With targets, vertices beyond the farthest target count as not reached.
 *
 * Shape     sweep, forget and columns: grid (tiles or blocks, rows of a batch), block 256;
 *           plateaus: cooperative, or a block for each row of a batch, block 256.
 * Traffic   sweep: each arc, and two distances and a parent at random. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_PATHS_PARENTS_CUH
#define USW_GPU_PATHS_PARENTS_CUH

#include "gpu/paths/graph.cuh"

namespace
{

struct outcome_tuning {
    static constexpr unsigned threads = 256;
    static constexpr unsigned tile = 2048; /* arcs */
    static constexpr unsigned waves = 8;   /* blocks of a multiprocessor in a sweep */
};
constexpr unsigned NO_PARENT = ~0u; /* UPSWEEP_NO_VERTEX */

/* The arguments of all steps. Distances and parents of row r of a batch begin at r * vertices. */
template <typename Net> struct outcome_job {
    using D = typename Net::D;
    Net net;
    D *distance;
    unsigned *parent; /* or NULL */
    const uint32_t *sources, *targets;
    size_t source_count, target_count; /* of each row */
    const uint64_t *target_begin;
    unsigned long long *lost;     /* of each row: the first arc whose sum did not fit; or NULL */
    unsigned long long *farthest; /* distance of a target */
    unsigned *round, *order;      /* of each team: a number for each vertex */
    unsigned long long *counters; /* of each team: 3, and one more for the grid's barrier */
    unsigned long long *fault;
    size_t rows;
};

template <typename Net> struct row_targets {
    const uint32_t *list;
    size_t count, at;
};
template <typename Net>
__device__ __forceinline__ row_targets<Net> targets_of(const outcome_job<Net> &j, size_t row)
{
    if (j.target_begin == nullptr) {
        return {j.targets, j.target_count, row * j.target_count};
    }
    const size_t begin = j.target_begin[row] - j.target_begin[0];
    return {j.targets + begin, j.target_begin[row + 1] - j.target_begin[row], begin};
}

/* ---- sweep ---- */

template <typename Net> __global__ void __launch_bounds__(256) sweep_arcs(outcome_job<Net> j)
{
    using D = typename Net::D;
    using W = typename Net::weight;
    constexpr D unreached = usw_distances<W>::unreached;
    USW_SHARED_ARRAY(unsigned, ends, [2]);
    for (size_t row = blockIdx.y; row < j.rows; row += gridDim.y) {
        const D *distance = j.distance + row * j.net.vertices;
        unsigned *parent = j.parent == nullptr ? nullptr : j.parent + row * j.net.vertices;
        const size_t tiles = (j.net.arc_count + outcome_tuning::tile - 1) / outcome_tuning::tile;
        for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            const size_t first = tile * outcome_tuning::tile;
            const size_t left = j.net.arc_count - first;
            const size_t end = first + (left < outcome_tuning::tile ? left : outcome_tuning::tile);
            __syncthreads();
            if (threadIdx.x < 2) {
                ends[threadIdx.x] = j.net.owner(threadIdx.x == 0 ? first : end - 1, 0,
                                                static_cast<unsigned>(j.net.vertices - 1));
            }
            __syncthreads();
            for (size_t a = first + threadIdx.x; a < end; a += outcome_tuning::threads) {
                const unsigned v = j.net.owner(a, ends[0], ends[1]);
                const D d = distance[v];
                if (d == unreached) {
                    continue;
                }
                const auto arc = j.net.arc(v, a);
                const D there = distance[arc.head];
                if (there == unreached) {
                    if (j.lost != nullptr &&
                        (arc.weight != unreached || (!usw_distances<W>::is_float &&
                                                     std::is_same<Net, usw_rows_net<W>>::value))) {
                        atomicMin(&j.lost[row], static_cast<unsigned long long>(a));
                    }
                } else if (parent != nullptr && d < there && v < parent[arc.head] &&
                           usw_distance_over<W>(d, arc.weight) == there) {
                    atomicMin(&parent[arc.head], v);
                }
            }
        }
    }
}

/* Notes a fault where a distance did not fit, unless the search could stop before, at its targets.
 * One block. */
template <typename Net> __global__ void __launch_bounds__(256) report_lost(outcome_job<Net> j)
{
    for (size_t row = 0; row < j.rows; row++) {
        const row_targets<Net> t = targets_of(j, row);
        const auto *distance = j.distance + row * j.net.vertices;
        bool open = t.count == 0 && j.target_begin == nullptr;
        for (size_t k = threadIdx.x; k < t.count; k += blockDim.x) {
            open = open || distance[t.list[k]] == usw_distances<typename Net::weight>::unreached;
        }
        const bool is_lost = __syncthreads_or(open) != 0 && j.lost[row] != ~0ull;
        if (is_lost && threadIdx.x == 0) {
            const unsigned v =
                j.net.owner(j.lost[row], 0, static_cast<unsigned>(j.net.vertices - 1));
            usw_gpu_fault(j.fault, USW_FAULT_DISTANCE, j.net.arc(v, j.lost[row]).head);
        }
    }
}

/* ---- plateaus ---- */

/* A warp takes the arcs of vertex v of the round before: heads that have no parent get v. */
template <typename Net>
__device__ __forceinline__ void extend(const outcome_job<Net> &j, unsigned v, unsigned r,
                                       const typename Net::D *distance, unsigned *parent,
                                       unsigned *round, unsigned *order, unsigned long long *found)
{
    using W = typename Net::weight;
    const usw_span s = j.net.span(v);
    const auto d = distance[v];
    for (size_t a = s.begin + threadIdx.x % 32; a < s.end; a += 32) {
        const auto arc = j.net.arc(v, a);
        const unsigned was = usw_load_relaxed(&round[arc.head]);
        if ((was != 0 && was != r) || distance[arc.head] != d ||
            usw_distance_over<W>(d, arc.weight) != d) {
            continue;
        }
        if (atomicCAS(&round[arc.head], 0u, r) == 0) {
            order[atomicAdd(found, 1ull)] = arc.head;
        }
        atomicMin(&parent[arc.head], v);
    }
}

/* round[v]: 1 + the round in which v was given its parent; 0: not yet. */
template <typename Net>
__device__ void plateaus_of(const outcome_job<Net> &j, usw_team &team, size_t row, unsigned work)
{
    using D = typename Net::D;
    const size_t n = j.net.vertices;
    const D *distance = j.distance + row * n;
    unsigned *parent = j.parent + row * n, *round = j.round + work * n, *order = j.order + work * n;
    unsigned long long *found =
        j.counters + work * 4; /* how many are in `order`, and how many have no parent yet */
    for (size_t v = team.lane(); v < n; v += team.lanes()) {
        round[v] = parent[v] != NO_PARENT;
    }
    if (team.lane() == 0) {
        found[0] = found[1] = 0;
    }
    team.barrier();
    for (size_t s = team.lane(); s < j.source_count; s += team.lanes()) {
        round[j.sources[row * j.source_count + s]] = 1;
    }
    team.barrier();
    for (size_t v = team.lane(); v < n; v += team.lanes()) {
        if (distance[v] != usw_distances<typename Net::weight>::unreached &&
            usw_load_relaxed(&round[v]) == 0) {
            atomicAdd(&found[1], 1ull);
        }
    }
    team.barrier();
    if (usw_load_relaxed(&found[1]) == 0) {
        return;
    }
    for (size_t v = team.lane(); v < n; v += team.lanes()) {
        if (usw_load_relaxed(&round[v]) != 0) {
            order[atomicAdd(&found[0], 1ull)] = static_cast<unsigned>(v);
        }
    }
    team.barrier();
    size_t begin = 0, end = usw_load_relaxed(&found[0]);
    for (unsigned r = 2; begin < end && r <= n + 1; r++) {
        team.barrier(); /* all blocks know this round's end before one adds to the next */
        for (size_t k = begin + team.lane() / 32; k < end; k += team.lanes() / 32) {
            extend(j, usw_load_relaxed(&order[k]), r, distance, parent, round, order, &found[0]);
        }
        team.barrier();
        begin = end;
        end = usw_load_relaxed(&found[0]);
    }
}

template <typename Net>
__global__ void __launch_bounds__(256) plateaus(outcome_job<Net> j, bool by_block)
{
    usw_team team = by_block ? usw_team_of_block() : usw_team_of_grid(&j.counters[3]);
    for (size_t row = by_block ? blockIdx.x : 0; row < j.rows; row += by_block ? gridDim.x : 1) {
        plateaus_of(j, team, row, by_block ? blockIdx.x : 0);
        team.barrier();
    }
}

/* ---- forget, and columns of targets ---- */

template <typename Net> __global__ void __launch_bounds__(256) find_farthest(outcome_job<Net> j)
{
    for (size_t k = blockIdx.x * size_t(256) + threadIdx.x; k < j.target_count;
         k += gridDim.x * size_t(256)) {
        atomicMax(j.farthest, static_cast<unsigned long long>(j.distance[j.targets[k]]));
    }
}

template <typename Net> __global__ void __launch_bounds__(256) forget(outcome_job<Net> j)
{
    using D = typename Net::D;
    const D most = static_cast<D>(*j.farthest);
    for (size_t v = blockIdx.x * size_t(256) + threadIdx.x; v < j.net.vertices;
         v += gridDim.x * size_t(256)) {
        if (j.distance[v] > most) {
            j.distance[v] = usw_distances<typename Net::weight>::unreached;
        }
    }
}

/* Copies the targets of a batch's rows out of its rows of vertices. */
template <typename Net, typename V>
__global__ void __launch_bounds__(256) take_columns(outcome_job<Net> j, const V *all, V *out)
{
    for (size_t row = blockIdx.y; row < j.rows; row += gridDim.y) {
        const row_targets<Net> t = targets_of(j, row);
        for (size_t k = blockIdx.x * size_t(256) + threadIdx.x; k < t.count;
             k += gridDim.x * size_t(256)) {
            out[t.at + k] = all[row * j.net.vertices + t.list[k]];
        }
    }
}

/* ---- the whole ---- */

/* Takes the scratch of the steps. teams: as many search for plateaus side by side. */
template <typename Net>
bool outcome_scratch(usw_gpu *g, outcome_job<Net> *j, const usw_gpu_path_query *q, unsigned teams)
{
    const size_t n = j->net.vertices;
    const size_t words = j->parent == nullptr ? 1 : teams * n;
    j->round = static_cast<unsigned *>(usw_gpu_scratch(g, words * sizeof(unsigned)));
    j->order = static_cast<unsigned *>(usw_gpu_scratch(g, words * sizeof(unsigned)));
    j->counters =
        static_cast<unsigned long long *>(usw_gpu_scratch(g, teams * 4 * sizeof *j->counters));
    j->farthest = static_cast<unsigned long long *>(usw_gpu_scratch(g, sizeof *j->farthest));
    auto *lost = static_cast<unsigned long long *>(usw_gpu_scratch(g, j->rows * sizeof *j->lost));
    j->lost = q->may_overflow && !q->has_cutoff && q->cutoffs == nullptr ? lost : nullptr;
    j->fault = g->fault;
    return g->status == UPSWEEP_OK;
}

/* Forgets what lies beyond the targets, finds parents, and reports lost distances. teams: as for
 * outcome_scratch. */
template <typename Net>
upsweep_status outcome(usw_gpu *g, const outcome_job<Net> &j, const usw_gpu_path_query *q,
                       unsigned teams)
{
    const size_t tiles = (j.net.arc_count + outcome_tuning::tile - 1) / outcome_tuning::tile;
    const size_t most = g->sms * size_t(outcome_tuning::waves);
    const unsigned wide = static_cast<unsigned>(tiles < most ? tiles : most);
    const unsigned rows = static_cast<unsigned>(j.rows < 65535 ? j.rows : 65535);
    if (!q->each && q->target_count > 0) {
        usw_gpu_fill(g, j.farthest, 0, sizeof *j.farthest);
        USW_LAUNCH(g, (find_farthest<Net>), g->sms, 256, 0, j);
        USW_LAUNCH(g, (forget<Net>), g->sms, 256, 0, j);
    }
    if (j.parent != nullptr) {
        usw_gpu_fill(g, j.parent, 0xff, j.rows * j.net.vertices * sizeof(unsigned));
    }
    if (j.lost != nullptr) {
        usw_gpu_fill(g, j.lost, 0xff, j.rows * sizeof *j.lost);
    }
    if ((j.parent != nullptr || j.lost != nullptr) && tiles > 0) {
        USW_LAUNCH(g, (sweep_arcs<Net>), dim3(wide, rows), 256, 0, j);
    }
    if constexpr (usw_distances<typename Net::weight>::weighs) { /* a number of arcs always fits */
        if (j.lost != nullptr) {
            USW_LAUNCH(g, (report_lost<Net>), 1, 256, 0, j);
        }
    }
    if (j.parent != nullptr) {
        usw_gpu_fill(g, j.counters, 0, teams * 4 * sizeof *j.counters);
        if (q->each) {
            USW_LAUNCH(g, (plateaus<Net>), teams, 256, 0, j, true);
        } else {
            USW_LAUNCH_COOPERATIVE(g, (plateaus<Net>), g->sms, 256, 0, j, false);
        }
    }
    return g->status;
}

} // namespace

#endif
