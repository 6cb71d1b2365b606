/* CUDA form of the tree reduction.
 *
 * Same as the explained form: lanes meet at halving distance until one of them has everything.
 * Differs: a lane first combines many elements on its own, and the tree has several levels: a warp
 * or a block, then all of them.
 *
 * Sums and products of floats follow core/order.h: a warp takes a tile of 4096 elements, four of
 * the tile's 128 lanes to a thread, and leaves its sum in memory; nothing else is done for a tile,
 * since whatever waits, draws or fences there takes as long as many elements. The last block to
 * finish turns the odometer (part_reduce_wheels.cuh); where there are many tiles, all blocks meet
 * and add up groups of 64 tiles before. Everything else is exact and goes by vectors
 * (part_fold_exact.cuh).
 *
 * Shape: blocks of 256 threads, 128 for floats, as many as fit; one launch, of one block when n is
 * small. 34 KB of shared memory for sums of floats. Traffic: each element is read once, 16 bytes a
 * tile of floats. Floats that may be added in any order go by vectors too, in f64. */
#include "part_least.cuh"
#include "part_reduce_tile.cuh"
#include "part_reduce_wheels.cuh"

#include <type_traits>

namespace
{

/* Every number that may be tuned. */
struct tuning {
    unsigned float_vectors, float_threads, float_blocks; /* a thread's loads, a block, and so on */
    unsigned exact_blocks;                               /* a multiprocessor */
    unsigned few_shares; /* that one block takes by itself, of threads x vectors on their way */
};
constexpr tuning tune = {32, 128, 3, 4, 8};
#ifdef USW_EMULATE
enum : unsigned { ONE_BLOCK = USW_ODOMETER_TEETH };
#else
enum : unsigned { ONE_BLOCK = USW_WHEELS_ONCE }; /* tiles whose sums the last block adds up alone */
#endif

enum : unsigned { TILE = USW_REDUCE_TILE };

/* ---- floats, in order ---- */

struct tree_args {
    const void *data;
    uint64_t n, tiles;
    double *result;
    double *sums;       /* of tiles */
    double *groups;     /* of 64 tiles each, and of the rest; NULL: nobody needs them */
    uint32_t *finished; /* blocks; 0 between kernels */
    unsigned *barrier;
};

/* A warp: the tiles' sums; neighbours are different blocks', so that few go to many. Returns that
 * of its last tile. */
template <typename E> __device__ __forceinline__ double sum_tiles(const tree_args &a, const E &e)
{
    typedef typename E::Raw R;
    const uint64_t whole = reinterpret_cast<uintptr_t>(a.data) % 16 == 0 ? a.n / TILE : 0;
    const uint64_t step = uint64_t(gridDim.x) * (tune.float_threads / 32);
    uint64_t t = uint64_t(threadIdx.x / 32) * gridDim.x + blockIdx.x;
    double sum = e.neutral();
    for (; t < a.tiles; t += step) {
        const R *tile = static_cast<const R *>(a.data) + t * TILE;
        double lane[4] = {e.neutral(), e.neutral(), e.neutral(), e.neutral()};
        if (t < whole) {
            usw_lanes_of_tile<tune.float_vectors>(e, tile, lane);
        } else {
            const uint64_t left = a.n - t * TILE;
            usw_lanes_of_part(e, tile, left < TILE ? static_cast<unsigned>(left) : +TILE, lane);
        }
        sum = usw_lanes_meet<R>(e, lane);
        if (threadIdx.x % 32 == 0) {
            a.sums[t] = sum;
        }
    }
    return sum;
}

/* Warps: the groups' sums, when all blocks have met. */
template <typename E> __device__ __forceinline__ void sum_groups(const tree_args &a, const E &e)
{
    const uint64_t step = uint64_t(gridDim.x) * (tune.float_threads / 32);
    uint64_t g = uint64_t(threadIdx.x / 32) * gridDim.x + blockIdx.x;
    for (; g * USW_ODOMETER_TEETH < a.tiles; g += step) {
        const uint64_t first = g * USW_ODOMETER_TEETH, left = a.tiles - first;
        const double sum = usw_wheels_group(
            e, a.sums + first, left < USW_ODOMETER_TEETH ? static_cast<unsigned>(left) : 64);
        if (threadIdx.x % 32 == 0) {
            a.groups[g] = sum;
        }
    }
}

template <typename E>
__global__ void __launch_bounds__(tune.float_threads, tune.float_blocks) tree(tree_args a, E e)
{
    USW_SHARED(usw_wheels_room, room);
    double all = sum_tiles(a, e);
    if (a.groups != nullptr) {
        usw_grid_barrier(a.barrier, 1, true);
        sum_groups(a, e);
    }
    if (gridDim.x > 1 && !usw_fold_is_last(a.finished)) {
        return;
    }
    __syncthreads();
    if (a.groups != nullptr) {
        const uint64_t groups = a.tiles / USW_ODOMETER_TEETH;
        all = usw_wheels_read<tune.float_threads>(e, a.groups, groups, room);
        if (a.tiles % USW_ODOMETER_TEETH != 0) {
            all = e.join(all, __ldcg(a.groups + groups));
        }
    } else if (a.tiles > 1) {
        all = usw_wheels_read<tune.float_threads>(e, a.sums, a.tiles, room);
    }
    if (threadIdx.x == 0) {
        *reinterpret_cast<uint64_t *>(a.result) = usw_f64_number::narrow(all);
    }
}

template <typename E>
upsweep_status reduce_floats(usw_gpu *g, const void *data, size_t n, void *result, const E &e)
{
    constexpr unsigned warps = tune.float_threads / 32;
    tree_args a = {};
    a.data = data;
    a.n = n;
    a.tiles = (n + TILE - 1) / TILE;
    a.result = static_cast<double *>(result);
    const bool many = a.tiles > ONE_BLOCK;
    const uint64_t groups = many ? (a.tiles + USW_ODOMETER_TEETH - 1) / USW_ODOMETER_TEETH : 0;
    a.sums = static_cast<double *>(usw_gpu_scratch(g, (a.tiles + groups) * sizeof *a.sums));
    if (a.sums == nullptr) {
        return g->status;
    }
    a.groups = many ? a.sums + a.tiles : nullptr;
    a.barrier = g->barrier;
    a.finished = g->barrier + USW_GPU_FINISHED;
    const size_t by_room = (g->shared_bytes + 1024) / (sizeof(usw_wheels_room) + 2048);
    const uint64_t fit = g->sms * (by_room < tune.float_blocks ? by_room : tune.float_blocks);
    const unsigned wanted = static_cast<unsigned>(a.tiles < fit ? a.tiles : fit);
    const dim3 blocks(a.tiles <= warps ? 1 : wanted), threads(tune.float_threads);
    return many ? USW_LAUNCH_COOPERATIVE(g, (tree<E>), blocks, threads, 0, a, e)
                : USW_LAUNCH(g, (tree<E>), blocks, threads, 0, a, e);
}

/* ---- integers ---- */

template <typename F>
__global__ void __launch_bounds__(USW_FOLD_THREADS, tune.exact_blocks) fold(usw_fold_args a, F f)
{
    typedef typename F::Raw R;
    const usw_fold_part neutral = {f.neutral(), 0};
    usw_fold_part mine = neutral;
    usw_fold_share<R>(a, f.neutral_raw(),
                      [&](const usw_fold_vector<R>(&x)[USW_FOLD_AHEAD], uint64_t, uint64_t) {
                          mine.value = f.join(mine.value, f.of(x));
                      });
    if (usw_fold_all(a, neutral, &mine, 1, [&](const usw_fold_part &x, const usw_fold_part &y) {
            return usw_fold_part{f.join(x.value, y.value), 0};
        })) {
        const uint64_t all = f.last(mine.value, a.n);
        if (F::wide) {
            *static_cast<uint64_t *>(a.result) = all;
        } else {
            *static_cast<R *>(a.result) = static_cast<R>(all);
        }
    }
}

/* ---- the whole ---- */

/* Everything that a fold needs but its operator; *blocks is how many will do. */
upsweep_status prepare(usw_gpu *g, const void *data, size_t n, size_t bytes, unsigned per_sm,
                       unsigned maps, usw_fold_args *a, unsigned *blocks)
{
    const uintptr_t at = reinterpret_cast<uintptr_t>(data);
    a->data = reinterpret_cast<const void *>(at & ~uintptr_t(15));
    a->lead = at % 16 / bytes;
    a->n = n;
    const uint64_t share = uint64_t(USW_FOLD_THREADS) * USW_FOLD_AHEAD * (16 / bytes);
    const uint64_t wanted = (a->lead + n + share - 1) / share, fit = uint64_t(g->sms) * per_sm;
    *blocks = static_cast<unsigned>(wanted < fit ? wanted : fit);
    if (wanted <= tune.few_shares) {
        *blocks = 1;
        return UPSWEEP_OK;
    }
    const size_t parts = size_t(maps) * *blocks * sizeof(usw_fold_part);
    a->parts = static_cast<usw_fold_part *>(usw_gpu_scratch(g, parts));
    a->finished = g->barrier + USW_GPU_FINISHED;
    return a->parts == nullptr ? g->status : UPSWEEP_OK;
}

template <typename F>
upsweep_status fold_with(usw_gpu *g, const void *data, size_t n, void *result, const F &f)
{
    usw_fold_args a = {};
    unsigned blocks = 0;
    upsweep_status status =
        prepare(g, data, n, sizeof(typename F::Raw), tune.exact_blocks, 1, &a, &blocks);
    a.result = result;
    return status != UPSWEEP_OK
               ? status
               : USW_LAUNCH(g, (fold<F>), dim3(blocks), dim3(USW_FOLD_THREADS), 0, a, f);
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
    return usw_gpu_by_width(bits == 8    ? 0
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
                                unsigned blocks = 0;
                                upsweep_status status = prepare(
                                    g, data, n, sizeof(K), USW_LEAST_BLOCKS, count, &a, &blocks);
                                a.keys = keys;
                                a.index = index;
                                return status != UPSWEEP_OK
                                           ? status
                                           : USW_LAUNCH(g, (usw_least<K, count>), dim3(blocks),
                                                        dim3(USW_FOLD_THREADS), 0, a, by);
                            });
}

upsweep_status reduce(usw_gpu *g, const void *data, size_t n, upsweep_type type, upsweep_op op,
                      bool unordered, void *result)
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
            return unordered ? fold_with(g, data, n, result,
                                         usw_fold_floats<typename E::Number, E::is_product>())
                             : reduce_floats(g, data, n, result, e);
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
