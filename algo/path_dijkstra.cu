/* path_dijkstra.cu - Dijkstra's shortest paths with a parallel minimum, CUDA form.
 *
 * Same as the explained form: the nearest open vertex is found by a reduction over all of them (of
 * equally near ones the lowest number), it is settled, its arcs are relaxed; until nobody open has
 * been reached. Arcs side by side may offer ways to the same end: the minimum is atomic. Differs:
 * the reduction is a butterfly, so that every lane knows the nearest vertex; every block reduces
 * its share of the vertices, and then each block reduces all blocks' results, which saves a third
 * barrier. Distances are compared as unsigned integers, also those of floats, which are not
 * negative. One kernel does it all; its blocks meet at a barrier twice for each settled vertex.
 *
 * In a matrix the row of the nearest vertex is relaxed by all lanes side by side, and a negative
 * weight or NaN is noted when it is read.
 *
 * Shape    paths: cooperative, grid ceil(V / 2048) up to one block a multiprocessor, block 512,
 *          shared 256 bytes. Each vertex costs two barriers over the grid and a look at all others,
 *          which the cache of level 2 holds: V * V in all, so V is at most 2^22.
 * Source   E. W. Dijkstra, 1959; P. J. Martin, R. Torres, A. Gavilanes, CUDA solutions for the SSSP
 *          problem, ICCS 2009. */
/* SPDX-License-Identifier: MIT */
#include "gpu/paths/parents.cuh"

namespace
{

struct tuning {
    static constexpr unsigned threads = 512, warps = threads / 32;
    static constexpr unsigned share = 2048; /* vertices for each block */
    static constexpr size_t vertices_most = size_t(1) << 22;
};

/* An unsettled vertex and its distance, as unsigned bits. */
struct candidate {
    unsigned long long distance, vertex;
};

template <typename Net> struct job {
    using D = typename Net::D;
    Net net;
    const uint32_t *sources, *targets;
    size_t source_count, target_count;
    D *dist, *open;
    candidate *nearest;          /* of each block */
    unsigned long long *arrived; /* at the barrier of the grid */
    unsigned long long *bad;     /* first arc of a negative weight or NaN; ~0: none */
    unsigned long long *fault;
    D cutoff;
    static constexpr D unreached = usw_distances<typename Net::weight>::unreached;
};

__device__ __forceinline__ candidate nearer(candidate a, candidate b)
{
    return b.distance < a.distance || (b.distance == a.distance && b.vertex < a.vertex) ? b : a;
}

/* The nearest of all lanes' candidates, to every lane of the block. */
__device__ __forceinline__ candidate butterfly(candidate mine, candidate *of_warps)
{
    for (int b = 16; b > 0; b /= 2) {
        mine = nearer(
            mine, {__shfl_xor_sync(~0u, mine.distance, b), __shfl_xor_sync(~0u, mine.vertex, b)});
    }
    if (threadIdx.x % 32 == 0) {
        of_warps[threadIdx.x / 32] = mine;
    }
    __syncthreads();
    for (unsigned w = 0; w < tuning::warps; w++) {
        mine = nearer(mine, of_warps[w]);
    }
    __syncthreads();
    return mine;
}

/* ---- the steps; lanes of all blocks are numbered through ---- */

/* The unsettled vertex of least distance. */
template <typename Net>
__device__ __forceinline__ candidate find_nearest(const job<Net> &j, candidate *of_warps,
                                                  usw_team &team)
{
    candidate mine = {j.unreached, ~0ull};
    for (size_t v = team.lane(); v < j.net.vertices; v += team.lanes()) {
        mine = nearer(mine, {__ldcg(&j.open[v]), v});
    }
    mine = butterfly(mine, of_warps);
    if (team.blocks == 1) {
        return mine;
    }
    if (threadIdx.x == 0) {
        j.nearest[team.block] = mine;
    }
    team.barrier();
    mine = {j.unreached, ~0ull};
    for (unsigned b = threadIdx.x; b < team.blocks; b += tuning::threads) {
        mine = nearer(mine, {__ldcg(&j.nearest[b].distance), __ldcg(&j.nearest[b].vertex)});
    }
    return butterfly(mine, of_warps);
}

/* Every arc that leaves the vertex offers a way to its end. */
template <typename Net>
__device__ __forceinline__ void relax(const job<Net> &j, candidate from, const usw_team &team)
{
    using W = typename Net::weight;
    using D = typename Net::D;
    const unsigned v = static_cast<unsigned>(from.vertex);
    const usw_span s = j.net.span(v);
    for (size_t a = s.begin + team.lane(); a < s.end; a += team.lanes()) {
        const auto arc = j.net.arc(v, a);
        if (Net::unchecked && usw_distances<W>::is_float && arc.weight > j.unreached) {
            atomicMin(j.bad, static_cast<unsigned long long>(a));
            continue;
        }
        const D offered = usw_distance_over<W>(static_cast<D>(from.distance), arc.weight);
        if (offered < j.unreached && offered <= j.cutoff &&
            offered < atomicMin(&j.dist[arc.head], offered)) {
            atomicMin(&j.open[arc.head], offered);
        }
    }
}

/* Counts the targets, in their order, that are settled when all vertices up to the distance
 * `settled` are. Between two barriers no block writes distances, so that all blocks count the
 * same. */
template <typename Net>
__device__ __forceinline__ bool have_targets(const job<Net> &j, unsigned long long settled,
                                             size_t *finished)
{
    while (*finished < j.target_count && __ldcg(&j.dist[j.targets[*finished]]) <= settled) {
        ++*finished;
    }
    return j.target_count > 0 && *finished == j.target_count;
}

template <typename Net> __global__ void __launch_bounds__(tuning::threads) paths(job<Net> j)
{
    USW_SHARED_ARRAY(candidate, of_warps, [tuning::warps]);
    usw_team team = usw_team_of_grid(j.arrived);
    size_t finished = 0;
    for (size_t v = team.lane(); v < j.net.vertices; v += team.lanes()) {
        j.dist[v] = j.open[v] = j.unreached;
    }
    team.barrier();
    for (size_t s = team.lane(); s < j.source_count; s += team.lanes()) {
        j.dist[j.sources[s]] = j.open[j.sources[s]] = 0;
    }
    team.barrier();
    for (size_t settled = 0; settled < j.net.vertices; settled++) {
        const candidate nearest = find_nearest(j, of_warps, team);
        if (nearest.distance >= j.unreached) {
            break;
        }
        /* All targets nearer than this vertex are final; when all targets are, the search ends. */
        if (nearest.distance > 0 && have_targets(j, nearest.distance - 1, &finished)) {
            break;
        }
        team.barrier();
        if (team.lane() == 0) {
            j.open[nearest.vertex] = j.unreached;
        }
        relax(j, nearest, team);
        team.barrier();
        if (Net::unchecked && usw_load_relaxed(j.bad) != ~0ull) {
            break;
        }
    }
    if (Net::unchecked && team.lane() == 0 && usw_load_relaxed(j.bad) != ~0ull) {
        usw_gpu_fault(j.fault, USW_FAULT_WEIGHT, usw_load_relaxed(j.bad));
    }
}

/* ---- the whole ---- */

template <typename Net> upsweep_status search_in(usw_gpu *g, const usw_gpu_path_query *q, Net net)
{
    using D = typename Net::D;
    const size_t wanted = (net.vertices + tuning::share - 1) / tuning::share;
    const unsigned blocks = static_cast<unsigned>(wanted < g->sms ? wanted : g->sms);
    job<Net> j = {};
    outcome_job<Net> o = {};
    j.net = o.net = net;
    j.sources = o.sources = q->sources;
    j.targets = o.targets = q->targets;
    j.source_count = o.source_count = q->source_count;
    j.target_count = o.target_count = q->target_count;
    j.dist = o.distance = static_cast<D *>(q->distance);
    o.parent = q->parent;
    o.rows = 1;
    j.open = static_cast<D *>(usw_gpu_scratch(g, net.vertices * sizeof(D)));
    j.nearest = static_cast<candidate *>(usw_gpu_scratch(g, g->sms * sizeof(candidate)));
    j.arrived = static_cast<unsigned long long *>(usw_gpu_scratch(g, 2 * sizeof *j.arrived));
    j.bad = j.arrived + 1;
    j.fault = g->fault;
    j.cutoff = q->has_cutoff ? static_cast<D>(q->cutoff) : j.unreached;
    if (!outcome_scratch(g, &o, q, 1)) {
        return g->status;
    }
    usw_gpu_fill(g, j.arrived, 0, sizeof *j.arrived);
    usw_gpu_fill(g, j.bad, 0xff, sizeof *j.bad);
    USW_LAUNCH_COOPERATIVE(g, (paths<Net>), blocks, tuning::threads, 0, j);
    return outcome(g, o, q, 1);
}

upsweep_status search(usw_gpu *g, const usw_gpu_path_query *q)
{
    if (q->net.vertices > tuning::vertices_most) {
        return usw_gpu_fail(g, UPSWEEP_ERROR_UNSUPPORTED,
                            "path/dijkstra takes up to %zu vertices on a GPU, not %zu",
                            tuning::vertices_most, q->net.vertices);
    }
    return usw_by_weight(q->net.weight_type, [=](auto weight) {
        using W = decltype(weight);
        if constexpr (usw_distances<W>::weighs) { /* a matrix has weights */
            if (q->net.matrix != nullptr) {
                return search_in(g, q, usw_matrix_of<W>(q->net));
            }
        }
        return search_in(g, q, usw_rows_of<W>(q->net));
    });
}

} // namespace

USW_GPU_FORM(usw_gpu_path_form, usw_path_dijkstra_cuda) = {search, nullptr};
