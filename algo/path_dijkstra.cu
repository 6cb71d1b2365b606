/* path_dijkstra.cu - Dijkstra's shortest paths with a parallel minimum, CUDA form.
 *
 * Same as the explained form: the nearest open vertex is found by a reduction over all of them
 * (of equally near ones the lowest number), it is settled, its arcs are relaxed; until nobody open
 * has been reached. Arcs side by side may offer ways to the same end: the minimum is atomic.
 * Differs: the reduction is a butterfly, so that every lane knows the nearest vertex; every block
 * reduces its share of the vertices, and then each block reduces all blocks' results, which saves a
 * third barrier. Distances are compared as unsigned integers, also those of floats, which are not
 * negative. One kernel does it all; its blocks meet at a barrier twice for each settled vertex.
 *
 * Shape    paths: cooperative, grid ceil(V / 2048) up to one block a multiprocessor, block 512,
 *          shared 256 bytes. Each vertex costs two barriers over the grid and a look at all others,
 *          which the cache of level 2 holds: V * V in all, so V is at most 2^22.
 * Source   E. W. Dijkstra, 1959; P. J. Martin, R. Torres, A. Gavilanes, CUDA solutions for the SSSP
 *          problem, ICCS 2009. */
#include "../cuda/gpu.cuh"

#include <type_traits>

namespace
{

struct tuning {
    static constexpr unsigned threads = 512, warps = threads / 32;
    static constexpr unsigned share = 2048; /* vertices of a block, before there is another one */
    static constexpr size_t vertices_most = size_t(1) << 22;
};

/* An unsettled vertex and its distance, as unsigned bits. */
struct candidate {
    unsigned long long distance, vertex;
};

/* D: distances as unsigned integers. UNREACHED is the greatest number or, of floats, infinity. */
template <typename D> struct job {
    usw_gpu_path_query q;
    D *dist, *open;
    candidate *nearest;          /* of each block */
    unsigned long long *arrived; /* blocks at the barrier, of all rounds */
    D unreached, cutoff;
};

/* ---- meeting points ---- */

/* All blocks; round counts them. What was written before is seen after it. */
__device__ __forceinline__ void grid_barrier(unsigned long long *arrived, unsigned long long *round)
{
    ++*round;
    if (gridDim.x == 1) {
        __syncthreads();
        return;
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1ull);
        while (usw_load_acquire(arrived) < *round * gridDim.x) {
            usw_yield();
        }
    }
    __syncthreads();
}

__device__ __forceinline__ candidate nearer(candidate a, candidate b)
{
    return b.distance < a.distance || (b.distance == a.distance && b.vertex < a.vertex) ? b : a;
}

/* The nearest of all lanes' candidates, to every lane of the block. */
__device__ __forceinline__ candidate butterfly(candidate mine, candidate *said)
{
    for (int b = 16; b > 0; b /= 2) {
        mine = nearer(
            mine, {__shfl_xor_sync(~0u, mine.distance, b), __shfl_xor_sync(~0u, mine.vertex, b)});
    }
    if (threadIdx.x % 32 == 0) {
        said[threadIdx.x / 32] = mine;
    }
    __syncthreads();
    for (unsigned w = 0; w < tuning::warps; w++) {
        mine = nearer(mine, said[w]);
    }
    __syncthreads();
    return mine;
}

/* ---- the steps; lanes of all blocks are numbered through ---- */

__device__ __forceinline__ size_t own_number()
{
    return static_cast<size_t>(blockIdx.x) * tuning::threads + threadIdx.x;
}
__device__ __forceinline__ size_t lanes()
{
    return static_cast<size_t>(gridDim.x) * tuning::threads;
}

/* The unsettled vertex of least distance. */
template <typename D>
__device__ __forceinline__ candidate find_nearest(const job<D> &j, candidate *said,
                                                  unsigned long long *round)
{
    candidate mine = {j.unreached, ~0ull};
    for (size_t v = own_number(); v < j.q.vertices; v += lanes()) {
        mine = nearer(mine, {__ldcg(&j.open[v]), v});
    }
    mine = butterfly(mine, said);
    if (gridDim.x == 1) {
        return mine;
    }
    if (threadIdx.x == 0) {
        j.nearest[blockIdx.x] = mine;
    }
    grid_barrier(j.arrived, round);
    mine = {j.unreached, ~0ull};
    for (unsigned b = threadIdx.x; b < gridDim.x; b += tuning::threads) {
        mine = nearer(mine, {__ldcg(&j.nearest[b].distance), __ldcg(&j.nearest[b].vertex)});
    }
    return butterfly(mine, said);
}

/* Weights as the type that distances are of: W is that type, D its bits. */
template <typename W, typename D>
__device__ __forceinline__ D way_over(D distance, D weight, D unreached)
{
    if constexpr (sizeof(W) == sizeof(float) && !std::is_integral<W>::value) {
        return __float_as_uint(__fadd_rn(__uint_as_float(distance), __uint_as_float(weight)));
    } else if constexpr (!std::is_integral<W>::value) {
        const double sum = __dadd_rn(__longlong_as_double(static_cast<long long>(distance)),
                                     __longlong_as_double(static_cast<long long>(weight)));
        return static_cast<D>(__double_as_longlong(sum));
    } else {
        const D sum = static_cast<D>(distance + weight);
        return sum < distance ? unreached : sum; /* it does not fit */
    }
}

/* Every arc that leaves the vertex offers a way to its end. */
template <typename W, typename D>
__device__ __forceinline__ void relax(const job<D> &j, candidate from)
{
    const size_t end = j.q.begin[from.vertex + 1];
    for (size_t k = j.q.begin[from.vertex] + own_number(); k < end; k += lanes()) {
        const uint32_t head = j.q.heads[k * j.q.stride];
        const D weight =
            j.q.weights == nullptr ? 1 : static_cast<const D *>(j.q.weights)[k * j.q.stride];
        const D way = way_over<W, D>(static_cast<D>(from.distance), weight, j.unreached);
        if (way < j.unreached && way <= j.cutoff && way < atomicMin(&j.dist[head], way)) {
            atomicMin(&j.open[head], way);
        }
    }
}

template <typename W, typename D> __global__ void __launch_bounds__(tuning::threads) paths(job<D> j)
{
    USW_SHARED_ARRAY(candidate, said, [tuning::warps]);
    unsigned long long round = 0;
    for (size_t v = own_number(); v < j.q.vertices; v += lanes()) {
        j.dist[v] = j.open[v] = j.unreached;
    }
    grid_barrier(j.arrived, &round);
    for (size_t s = own_number(); s < j.q.source_count; s += lanes()) {
        j.dist[j.q.sources[s]] = j.open[j.q.sources[s]] = 0;
    }
    grid_barrier(j.arrived, &round);
    for (size_t settled = 0; settled < j.q.vertices; settled++) {
        const candidate nearest = find_nearest(j, said, &round);
        if (nearest.distance >= j.unreached) {
            break;
        }
        if (own_number() == 0) {
            j.open[nearest.vertex] = j.unreached;
        }
        relax<W>(j, nearest);
        grid_barrier(j.arrived, &round);
    }
}

/* ---- the whole ---- */

template <typename W, typename D>
upsweep_status search_as(usw_gpu *g, const usw_gpu_path_query *q, D unreached)
{
    const size_t wanted = (q->vertices + tuning::share - 1) / tuning::share;
    const unsigned blocks = static_cast<unsigned>(wanted < g->sms ? wanted : g->sms);
    job<D> j = {*q, static_cast<D *>(q->distance), nullptr, nullptr, nullptr, unreached, unreached};
    j.open = static_cast<D *>(usw_gpu_scratch(g, q->vertices * sizeof(D)));
    j.nearest = static_cast<candidate *>(usw_gpu_scratch(g, blocks * sizeof(candidate)));
    j.arrived = static_cast<unsigned long long *>(usw_gpu_scratch(g, sizeof *j.arrived));
    if (q->has_cutoff) {
        j.cutoff = static_cast<D>(q->cutoff);
    }
    if (j.open == nullptr || j.nearest == nullptr || j.arrived == nullptr) {
        return g->status;
    }
    usw_gpu_fill(g, j.arrived, 0, sizeof *j.arrived);
    return USW_LAUNCH_COOPERATIVE(g, (paths<W, D>), blocks, tuning::threads, 0, j);
}

upsweep_status search(usw_gpu *g, const usw_gpu_path_query *q)
{
    if (q->vertices > tuning::vertices_most) {
        return usw_gpu_fail(g, UPSWEEP_ERROR_UNSUPPORTED,
                            "path/dijkstra takes up to %zu vertices on a GPU, not %zu",
                            tuning::vertices_most, q->vertices);
    }
    switch (q->weight_type) {
    case UPSWEEP_U64: return search_as<uint64_t, unsigned long long>(g, q, ~0ull);
    case UPSWEEP_F32: return search_as<float, unsigned>(g, q, 0x7f800000u);
    case UPSWEEP_F64: return search_as<double, unsigned long long>(g, q, 0x7ffull << 52);
    default: return search_as<uint32_t, unsigned>(g, q, ~0u);
    }
}

} // namespace

USW_GPU_FORM(usw_gpu_path_form, usw_path_dijkstra_cuda) = {search};
