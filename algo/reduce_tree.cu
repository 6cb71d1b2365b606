/* CUDA form of the tree reduction.
 *
 * Same as the explained form: lanes meet at halving distance until one of them has everything.
 * Differs: a lane first combines many elements on its own, and the tree has several levels: a warp
 * or a block, then all of them.
 *
 * Sums and products of floats follow core/order.h: a warp takes a tile of 4096 elements, four of
 * the tile's 128 lanes to a thread, and puts its sum where the odometer's tree looks for it
 * (part_odometer.cuh). A warp that ends a group of 64 tiles adds the group up; the one with the
 * last tile adds up the wheels. Everything else is exact and goes by vectors (part_fold_exact.cuh).
 *
 * Shape: 128 threads a block for floats, 256 for the rest, as many blocks as fit; one block when n
 * is small, which is one launch, and else a fill of a few words before it. No shared memory to
 * speak of. Traffic: each element is read once. Floats that may be added in any order go by vectors
 * too, in f64. */
#include "part_least.cuh"
#include "part_odometer.cuh"
#include "part_reduce_tile.cuh"

#include <type_traits>

namespace
{

/* Every number that may be tuned. */
struct tuning {
    unsigned float_blocks, exact_blocks; /* a multiprocessor */
    unsigned few_tiles;                  /* that one block takes by itself; below 64 */
    unsigned few_shares;                 /* likewise, of threads x vectors on their way */
};
constexpr tuning tune = {5, 4, 32, 8};

enum : unsigned {
    TILE = USW_REDUCE_TILE,
    TREE_THREADS = 32 * USW_ODOMETER_WARPS,
    FEW_THREADS = 512,
};

/* ---- all tiles ---- */

struct tree_args {
    const void *data;
    uint64_t n;
    double *result;
    uint32_t *ticket;
    usw_odometer_tree tree;
};

__device__ __forceinline__ void put_result(double *result, double v)
{
    *reinterpret_cast<uint64_t *>(result) = usw_f64_number::narrow(v);
}

/* Floats in order: warps draw tiles. A warp waits only for tiles before its own. */
template <typename E>
__global__ void __launch_bounds__(TREE_THREADS, tune.float_blocks) tree(tree_args a, E e)
{
    typedef typename E::Raw R;
    typedef usw_odometer_room<double, false> odometer_room;
    USW_SHARED(odometer_room, room);
    const uint64_t tiles = a.tree.tiles;
    const uint64_t whole = reinterpret_cast<uintptr_t>(a.data) % 16 == 0 ? a.n / TILE : 0;
    const R *data = static_cast<const R *>(a.data);
    usw_reduce_batch<R> rows;
    uint64_t t = usw_odometer_drawn(usw_odometer_draw(a.ticket), 1), next = t;
    auto load_next = [&] {
        if (next < whole) {
            rows.load(0, data + next * TILE, 0);
        }
    };
    for (load_next(); t < tiles; t = next) {
        const uint32_t drawn = usw_odometer_draw(a.ticket);
        auto meanwhile = [&] {
            next = usw_odometer_drawn(drawn, 1);
            load_next();
        };
        double lane[4] = {e.neutral(), e.neutral(), e.neutral(), e.neutral()};
        if (t < whole) {
            usw_lanes_of_tile(e, rows, data + t * TILE, lane, meanwhile);
        } else {
            const uint64_t left = a.n - t * TILE;
            usw_lanes_of_part(e, data + t * TILE, left < TILE ? static_cast<unsigned>(left) : +TILE,
                              lane);
            meanwhile();
        }
        usw_odometer_put(e, a.tree, t, usw_lanes_meet<R>(e, lane), room);
        if (t + 1 == tiles) {
            const double all = usw_odometer_all(e, a.tree, room);
            if (threadIdx.x % 32 == 0) {
                put_result(a.result, all);
            }
        }
    }
}

/* One block takes a few tiles: the odometer's first wheel is all there is. */
template <typename E> __global__ void __launch_bounds__(FEW_THREADS) few(tree_args a, E e)
{
    typedef typename E::Raw R;
    USW_SHARED_ARRAY(double, sums, [tune.few_tiles]);
    const bool aligned = reinterpret_cast<uintptr_t>(a.data) % 16 == 0;
    const unsigned tiles = static_cast<unsigned>((a.n + TILE - 1) / TILE);
    for (unsigned t = threadIdx.x / 32; t < tiles; t += FEW_THREADS / 32) {
        const unsigned left = static_cast<unsigned>(a.n) - t * TILE;
        const R *x = static_cast<const R *>(a.data) + t * TILE;
        double lane[4] = {e.neutral(), e.neutral(), e.neutral(), e.neutral()};
        if (left >= TILE && aligned) {
            usw_reduce_batch<R> rows;
            rows.load(0, x, 0);
            usw_lanes_of_tile(e, rows, x, lane, [] {});
        } else {
            usw_lanes_of_part(e, x, left < TILE ? left : +TILE, lane);
        }
        const double sum = usw_lanes_meet<R>(e, lane);
        if (threadIdx.x % 32 == 0) {
            sums[t] = sum;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        double wheel = e.neutral();
        for (unsigned t = 0; t < tiles; t++) {
            wheel = e.join(wheel, sums[t]);
        }
        put_result(a.result, wheel);
    }
}

template <typename E>
upsweep_status reduce_floats(usw_gpu *g, const void *data, size_t n, void *result, const E &e)
{
    tree_args a = {};
    a.data = data;
    a.n = n;
    a.result = static_cast<double *>(result);
    const uint64_t tiles = (n + TILE - 1) / TILE;
    if (tiles <= tune.few_tiles) {
        return USW_LAUNCH(g, (few<E>), dim3(1), dim3(FEW_THREADS), 0, a, e);
    }
    if (usw_odometer_make(g, tiles, &a.tree, &a.ticket) != UPSWEEP_OK) {
        return g->status;
    }
    const uint64_t wanted = (tiles + USW_ODOMETER_WARPS - 1) / USW_ODOMETER_WARPS;
    const uint64_t fit = uint64_t(g->sms) * tune.float_blocks;
    return USW_LAUNCH(g, (tree<E>), dim3(static_cast<unsigned>(wanted < fit ? wanted : fit)),
                      dim3(TREE_THREADS), 0, a, e);
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
    a->finished = g->barrier;
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
