/* reduce_tree.cu - tree reduction, CUDA form.
 *
 * Same as the explained form: lanes are joined at halving distance until one lane has the result.
 * Differs: a lane first joins many elements, and the tree has several levels: the lanes of a warp
 * or a block, then all blocks.
 *
 * Sums and products of floats follow core/order.h. Up to 4096 tiles of 4096 elements: a block takes
 * each tile, and one block collects the sums (gpu/carry/last_block_collects.cuh) and adds them up
 * level by level (gpu/carry/carry_tree_total.cuh). More tiles: a warp takes a tile, four of the
 * tile's 128 lanes to a thread, and writes the tile's sum to memory; it does nothing else for a
 * tile, since a wait, a draw or a fence takes as long as many elements; after a barrier all blocks
 * add up groups of 64 tiles, and the last block adds up the groups. Everything else is exact and
 * goes by vectors (gpu/folds/reduce_exact.cuh).
 *
 * Shape: blocks of 256 threads, 128 for floats, as many as fit; one launch, of one block of up to
 * 512 threads when n is small; of several blocks the last one collects the results. 34 KB of shared
 * memory for sums of floats. Traffic: each element is read once, 16 bytes a tile of floats. Floats
 * that may be added in any order go by vectors too, in f64. */
/* SPDX-License-Identifier: MIT */
#include "gpu/folds/least_and_place.cuh"
#include "gpu/folds/reduce_float_tile.cuh"
#include "gpu/carry/carry_tree_total.cuh"

#include <type_traits>

namespace
{

/* Every number that may be tuned. Vectors are of 16 bytes. */
struct tuning {
    /* A thread's loads, threads of a block, blocks of a multiprocessor. */
    unsigned float_vectors, float_threads, float_blocks;
    unsigned one_block;    /* vectors at most that one block reduces */
    unsigned few, some;    /* vectors at most for a quarter and for half of its threads */
    unsigned threads;      /* of a block where there are several */
    unsigned each;         /* vectors of a thread, where there are not enough for all blocks */
    unsigned exact_blocks; /* a multiprocessor */
};
constexpr tuning tune = {32, 128, 3, 4096, 1024, 2048, 256, 4, 4};
#ifdef USW_EMULATE
enum : unsigned { FEW_TILES = USW_CARRY_FANOUT };
#else
enum : unsigned { FEW_TILES = USW_CARRY_TOTAL_ONCE }; /* whose sums one block adds up */
#endif

enum : unsigned { TILE = USW_REDUCE_TILE };

/* ---- floats, in order ---- */

struct tree_args {
    const void *data;
    uint64_t n, tiles;
    usw_sums result;
    usw_gather gather; /* of the tiles' sums, if there are several, but few tiles */
    /* The members below are for many tiles. */
    double *sums;
    double *groups;     /* of 64 tiles each, and of the rest */
    uint32_t *finished; /* blocks; 0 between kernels */
    unsigned *barrier;
};

/* ---- a block a tile ---- */

template <typename R> constexpr unsigned BLOCKS_OF_TILES = sizeof(R) == 8 ? 4 : 6;

/* Each thread has a lane of the tile; the block that has drawn last collects the tiles' sums. */
template <typename E>
__global__ void __launch_bounds__(USW_REDUCE_LANES, BLOCKS_OF_TILES<typename E::Raw>)
    tree_of_few(tree_args a, E e)
{
    typedef typename E::Raw R;
    USW_SHARED(usw_carry_total_shared, shared);
    USW_SHARED(usw_call, call);
    const uint64_t t = blockIdx.x, left = a.n - t * TILE;
    unsigned long long drawn = 0;
    if (threadIdx.x == 0 && gridDim.x > 1) {
        drawn = usw_call_draw(a.gather.calls);
    }
    double all = usw_lanes_of_block(e, static_cast<const R *>(a.data) + t * TILE,
                                    left < TILE ? static_cast<unsigned>(left) : +TILE);
    if (gridDim.x > 1) {
        if (threadIdx.x == 0) {
            call = usw_call_of(drawn, a.gather.calls, gridDim.x);
            usw_gather_put(a.gather, call.tag, t, usw_bits_of(all));
        }
        __syncthreads();
        if (call.number + 1 < gridDim.x) {
            return;
        }
        all = usw_carry_total_read<USW_REDUCE_LANES>(
            e, gridDim.x, shared, [&](uint64_t, unsigned count, auto to) {
                usw_gather_all<1, 16>(a.gather, call.tag, count,
                                      [&](unsigned i, const uint64_t(&sum)[1]) {
                                          to(i, usw_value_of<double>(sum[0]));
                                      });
            });
    }
    if (threadIdx.x == 0) {
        a.result.store<typename E::Number>(0, all);
    }
}

/* ---- a warp a tile ---- */

/* Neighbouring tiles go to different blocks, so that few tiles go to many blocks. */
template <typename E> __device__ __forceinline__ void sum_tiles(const tree_args &a, const E &e)
{
    typedef typename E::Raw R;
    const uint64_t whole = reinterpret_cast<uintptr_t>(a.data) % 16 == 0 ? a.n / TILE : 0;
    const uint64_t step = uint64_t(gridDim.x) * (tune.float_threads / 32);
    uint64_t t = uint64_t(threadIdx.x / 32) * gridDim.x + blockIdx.x;
    for (; t < a.tiles; t += step) {
        const R *tile = static_cast<const R *>(a.data) + t * TILE;
        double lane[4] = {e.neutral(), e.neutral(), e.neutral(), e.neutral()};
        if (t < whole) {
            usw_lanes_of_tile<tune.float_vectors>(e, tile, lane);
        } else {
            const uint64_t left = a.n - t * TILE;
            usw_lanes_of_range(e, tile, left < TILE ? static_cast<unsigned>(left) : +TILE, lane);
        }
        const double sum = usw_lanes_combine<R>(e, lane);
        if (threadIdx.x % 32 == 0) {
            a.sums[t] = sum;
        }
    }
}

/* Warps add up the groups' sums, after the barrier. */
template <typename E> __device__ __forceinline__ void sum_groups(const tree_args &a, const E &e)
{
    const uint64_t step = uint64_t(gridDim.x) * (tune.float_threads / 32);
    uint64_t g = uint64_t(threadIdx.x / 32) * gridDim.x + blockIdx.x;
    for (; g * USW_CARRY_FANOUT < a.tiles; g += step) {
        const uint64_t first = g * USW_CARRY_FANOUT, left = a.tiles - first;
        const double sum = usw_carry_total_group(
            e, a.sums + first, left < USW_CARRY_FANOUT ? static_cast<unsigned>(left) : 64);
        if (threadIdx.x % 32 == 0) {
            a.groups[g] = sum;
        }
    }
}

template <typename E>
__global__ void __launch_bounds__(tune.float_threads, tune.float_blocks) tree(tree_args a, E e)
{
    USW_SHARED(usw_carry_total_shared, shared);
    sum_tiles(a, e);
    usw_grid_barrier(a.barrier, 1, true);
    sum_groups(a, e);
    if (!usw_carry_total_is_last(a.finished)) {
        return;
    }
    const uint64_t groups = a.tiles / USW_CARRY_FANOUT;
    double all = usw_carry_total_read<tune.float_threads>(
        e, groups, shared, [&](uint64_t base, unsigned count, auto to) {
#pragma unroll 8
            for (unsigned i = threadIdx.x; i < count; i += tune.float_threads) {
                to(i, __ldcg(a.groups + base + i));
            }
        });
    if (threadIdx.x == 0) {
        if (a.tiles % USW_CARRY_FANOUT != 0) {
            all = e.join(all, __ldcg(a.groups + groups));
        }
        a.result.store<typename E::Number>(0, all);
    }
}

template <typename E>
upsweep_status reduce_floats(usw_gpu *g, const void *data, size_t n, const usw_sums &result,
                             const E &e)
{
    tree_args a = {};
    a.data = data;
    a.n = n;
    a.tiles = (n + TILE - 1) / TILE;
    a.result = result;
    if (a.tiles <= FEW_TILES) {
        a.gather = usw_gather_of(g);
        return USW_LAUNCH(g, (tree_of_few<E>), dim3(static_cast<unsigned>(a.tiles)),
                          dim3(USW_REDUCE_LANES), 0, a, e);
    }
    const uint64_t groups = (a.tiles + USW_CARRY_FANOUT - 1) / USW_CARRY_FANOUT;
    a.sums = static_cast<double *>(usw_gpu_scratch(g, (a.tiles + groups) * sizeof *a.sums));
    if (a.sums == nullptr) {
        return g->status;
    }
    a.groups = a.sums + a.tiles;
    a.barrier = g->barrier;
    a.finished = g->barrier + USW_GPU_FINISHED;
    const size_t by_shared = (g->shared_bytes + 1024) / (sizeof(usw_carry_total_shared) + 2048);
    const uint64_t fit = g->sms * (by_shared < tune.float_blocks ? by_shared : tune.float_blocks);
    return USW_LAUNCH_COOPERATIVE(g, (tree<E>), dim3(static_cast<unsigned>(fit)),
                                  dim3(tune.float_threads), 0, a, e);
}

/* ---- everything else ---- */

template <typename F>
__global__ void __launch_bounds__(USW_FOLD_THREADS, tune.exact_blocks *tune.threads /
                                                        USW_FOLD_THREADS) fold(usw_fold_args a, F f)
{
    typedef typename F::Raw R;
    const unsigned long long drawn = usw_fold_draw(a);
    const usw_fold_found<1> neutral = {{f.neutral()}};
    const usw_fold_vector<R> none = usw_fold_filled(f.neutral_raw());
    usw_fold_found<1> mine = neutral;
    const auto single = [&](R element) {
        usw_fold_vector<R> x = none;
        x.v[0] = element;
        return x;
    };
    usw_fold_share<R>(a, none, single,
                      [&](const usw_fold_vector<R>(&x)[USW_FOLD_AHEAD], uint64_t, uint64_t,
                          unsigned, bool) { mine.v[0] = f.join(mine.v[0], f.of(x)); });
    if (usw_fold_all(a, drawn, neutral, mine,
                     [&](const usw_fold_found<1> &x, const usw_fold_found<1> &y) {
                         return usw_fold_found<1>{{f.join(x.v[0], y.v[0])}};
                     })) {
        const uint64_t all = f.last(mine.v[0], a.n);
        if (f.wide) {
            *static_cast<uint64_t *>(a.result) = all;
        } else {
            *static_cast<R *>(a.result) = static_cast<R>(all);
        }
    }
}

/* ---- the whole ---- */

struct fold_shape {
    unsigned blocks, threads;
};

/* Sets the arguments of a reduction but its operator and results, and returns its shape. most:
 * threads of the block, where there is one; per_sm: blocks that a multiprocessor has registers
 * for. */
fold_shape prepare(usw_gpu *g, const void *data, size_t n, size_t bytes, unsigned most,
                   unsigned per_sm, usw_fold_args *a)
{
    const uintptr_t at = reinterpret_cast<uintptr_t>(data);
    a->data = reinterpret_cast<const void *>(at & ~uintptr_t(15));
    a->lead = at % 16 / bytes;
    a->n = n;
    const uint64_t vectors = (a->lead + n) * bytes / 16, share = tune.threads * tune.each;
    if (vectors <= tune.one_block) {
        return {1, vectors <= tune.few ? most / 4 : vectors <= tune.some ? most / 2 : most};
    }
    const uint64_t wanted = (vectors + share - 1) / share, fit = uint64_t(g->sms) * per_sm;
    a->gather = usw_gather_of(g);
    return {static_cast<unsigned>(wanted < fit ? wanted : fit), tune.threads};
}

template <typename F>
upsweep_status fold_with(usw_gpu *g, const void *data, size_t n, void *result, const F &f)
{
    usw_fold_args a = {};
    const fold_shape s =
        prepare(g, data, n, sizeof(typename F::Raw), USW_FOLD_THREADS, tune.exact_blocks, &a);
    a.result = result;
    return USW_LAUNCH(g, (fold<F>), dim3(s.blocks), dim3(s.threads), 0, a, f);
}

template <typename K>
upsweep_status reduce_integers(usw_gpu *g, const void *data, size_t n, upsweep_type type,
                               upsweep_op op, void *result)
{
    const K flip = usw_type_is_signed(type) ? static_cast<K>(K(1) << (8 * sizeof(K) - 1)) : K(0);
    switch (op) {
    case UPSWEEP_SUM: return fold_with(g, data, n, result, usw_fold_sum<K>{flip});
    case UPSWEEP_PRODUCT: return fold_with(g, data, n, result, usw_fold_product<K>{flip});
    case UPSWEEP_AND: return fold_with(g, data, n, result, usw_fold_bits<K, UPSWEEP_AND>());
    case UPSWEEP_OR: return fold_with(g, data, n, result, usw_fold_bits<K, UPSWEEP_OR>());
    default: return fold_with(g, data, n, result, usw_fold_bits<K, UPSWEEP_XOR>());
    }
}

template <unsigned count>
upsweep_status least_by(usw_gpu *g, const void *data, size_t n, const usw_keymap *maps,
                        uint64_t *keys, uint64_t *index)
{
    const unsigned bits = maps->bits;
    return usw_gpu_by_width(
        bits == 8    ? 0
        : bits == 16 ? 1
        : bits == 32 ? 2
                     : 3,
        [&](auto key) {
            typedef decltype(key) K;
            usw_least_maps<K, count> by;
            for (unsigned m = 0; m < count; m++) {
                by.map[m] = usw_gpu_keymap_of<K>(maps[m]);
            }
            usw_fold_args a = {};
            const fold_shape s =
                prepare(g, data, n, sizeof(K), USW_LEAST_THREADS, USW_LEAST_BLOCKS, &a);
            a.keys = keys;
            a.index = index;
            return USW_LAUNCH(g, (usw_least<K, count>), dim3(s.blocks), dim3(s.threads), 0, a, by);
        });
}

upsweep_status reduce(usw_gpu *g, const void *data, size_t n, upsweep_type type, upsweep_op op,
                      upsweep_type to, bool unordered, void *result)
{
    if (op == UPSWEEP_LEAST || op == UPSWEEP_GREATEST) {
        const usw_keymap map = usw_keymap_of(type, op == UPSWEEP_GREATEST ? UPSWEEP_DESCENDING : 0);
        return usw_gpu_by_width(usw_gpu_width_of(type), [&](auto key) {
            typedef decltype(key) K;
            return fold_with(g, data, n, result, usw_fold_least<K>{usw_gpu_keymap_of<K>(map)});
        });
    }
    if (usw_type_is_float(type)) {
        auto with = [&](const auto &e) {
            typedef typename std::decay<decltype(e)>::type E;
            return unordered
                       ? fold_with(g, data, n, result,
                                   usw_fold_floats<typename E::Number, E::is_product>{to != type})
                       : reduce_floats(g, data, n, {result, to == type}, e);
        };
        return op == UPSWEEP_PRODUCT ? usw_gpu_float_elements<true>(type, with)
                                     : usw_gpu_float_elements<false>(type, with);
    }
    return usw_gpu_by_width(usw_gpu_width_of(type), [&](auto key) {
        return reduce_integers<decltype(key)>(g, data, n, type, op, result);
    });
}

upsweep_status least_keys(usw_gpu *g, const void *data, size_t n, const usw_keymap *maps,
                          size_t map_count, uint64_t *keys, uint64_t *index)
{
    upsweep_status status = UPSWEEP_OK;
    for (size_t m = 0; m < map_count && status == UPSWEEP_OK; m += 2) {
        status = map_count - m >= 2 ? least_by<2>(g, data, n, maps + m, keys + m, index + m)
                                    : least_by<1>(g, data, n, maps + m, keys + m, index + m);
    }
    return status;
}

} // namespace

USW_GPU_FORM(usw_gpu_reduce_form, usw_reduce_tree_cuda) = {reduce, least_keys};
