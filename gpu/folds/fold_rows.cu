/* fold_rows.cu - reductions and scans of many rows, each on its own.
 *
 * Reductions: a warp takes a row of up to 4096 elements, a block of 8 warps a longer one. Sums and
 * products of floats follow core/order.h within each row, a warp a tile; everything else is exact,
 * so that lanes take elements by turns. Scans: a block takes a row, tile by tile
 * (gpu/folds/scan_tile.cuh), and one thread keeps the carry.
 *
 * Traffic: each element is read once; of scans one is written for each. A row among many is read at
 * the speed of one block, some 60 GB/s, however long it is; few long rows of one length are for
 * calls on one array, a row each. */
/* SPDX-License-Identifier: MIT */
#include "gpu/folds/row_folds.cuh"
#include "gpu/folds/scan_tile.cuh"
#include "gpu/row_list.cuh"

namespace
{

struct tuning {
#ifdef USW_EMULATE /* so that tests of few elements reach both */
    static constexpr uint64_t warp_row = 500;
#else
    static constexpr uint64_t warp_row = 4096; /* elements at most */
#endif
    static constexpr unsigned threads = 256;
    static constexpr unsigned ahead = 4; /* elements of a thread that are on their way at once */
};
enum : unsigned { WARPS = tuning::threads / 32, TILE = USW_REDUCE_TILE, SHORT = 1024 };

/* ---- exact operators ---- */

/* What lane `thread` of `threads` finds in a row. */
template <typename F>
__device__ __forceinline__ typename F::Value
fold_lane(const F &f, const typename F::Raw *row, uint64_t n, unsigned thread, unsigned threads)
{
    typedef typename F::Raw R;
    typename F::Value v = f.neutral();
    uint64_t i = thread;
    for (; i + (tuning::ahead - 1) * uint64_t(threads) < n;
         i += tuning::ahead * uint64_t(threads)) {
        R x[tuning::ahead];
#pragma unroll
        for (unsigned k = 0; k < tuning::ahead; k++) {
            x[k] = __ldcs(row + i + k * threads);
        }
#pragma unroll
        for (unsigned k = 0; k < tuning::ahead; k++) {
            v = f.join(v, f.of(x[k], i + k * threads));
        }
    }
    for (; i < n; i += threads) {
        v = f.join(v, f.of(row[i], i));
    }
    return v;
}

template <typename F>
__device__ __forceinline__ typename F::Value fold_warp(const F &f, typename F::Value v)
{
    for (unsigned d = 16; d > 0; d /= 2) {
        v = f.join(v, f.shuffle(v, d));
    }
    return v;
}

/* Calls of_row(r, at, n) of each row r of up to warp_row elements: a warp a row. */
template <typename OfRow>
__device__ __forceinline__ void each_short_row(usw_row_list rows, OfRow of_row)
{
    if (rows.bad()) {
        return;
    }
    const size_t step = size_t(gridDim.x) * WARPS;
    for (size_t r = blockIdx.x * size_t(WARPS) + threadIdx.x / 32; r < rows.rows; r += step) {
        size_t n, at = rows.row(r, n);
        if (n <= tuning::warp_row) {
            of_row(r, at, n);
        }
    }
}

/* The same of each longer one: a block a row. */
template <typename OfRow>
__device__ __forceinline__ void each_long_row(usw_row_list rows, OfRow of_row)
{
    if (rows.bad()) {
        return;
    }
    const size_t count = rows.longs();
    for (size_t i = blockIdx.x; i < count; i += gridDim.x) {
        const size_t r = rows.long_row(i);
        size_t n, at = rows.row(r, n);
        of_row(r, at, n);
    }
}

template <typename F>
__global__ void __launch_bounds__(tuning::threads)
    fold_short(usw_row_list rows, const typename F::Raw *data, F f)
{
    each_short_row(rows, [&](size_t r, size_t at, size_t n) {
        const auto v = fold_warp(f, fold_lane(f, data + at, n, threadIdx.x % 32, 32));
        if (threadIdx.x % 32 == 0) {
            f.store(r, v, n == 0);
        }
    });
}

template <typename F>
__global__ void __launch_bounds__(tuning::threads)
    fold_long(usw_row_list rows, const typename F::Raw *data, F f)
{
    typedef typename F::Value V;
    USW_SHARED_ARRAY(V, found, [WARPS]);
    each_long_row(rows, [&](size_t r, size_t at, size_t n) {
        V v = fold_warp(f, fold_lane(f, data + at, n, threadIdx.x, tuning::threads));
        if (threadIdx.x % 32 == 0) {
            found[threadIdx.x / 32] = v;
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            for (unsigned w = 1; w < WARPS; w++) {
                v = f.join(v, found[w]);
            }
            f.store(r, v, n == 0);
        }
        __syncthreads();
    });
}

/* ---- floats, in order ---- */

template <typename E>
__device__ __forceinline__ double sum_of_tile(const E &e, const typename E::Raw *row, uint64_t n,
                                              uint64_t tile)
{
    typedef typename E::Raw R;
    const uint64_t left = n - tile * TILE;
    double lane[4] = {e.neutral(), e.neutral(), e.neutral(), e.neutral()};
    if (left <= SHORT) { /* a neutral element changes nothing, so that rows of lanes without any
                            need not be added */
        const unsigned count = static_cast<unsigned>(left);
        for (unsigned first = 0; first < count; first += USW_REDUCE_LANES) {
            R x[1][4];
#pragma unroll
            for (unsigned s = 0; s < 4; s++) {
                const unsigned i = first + usw_reduce_lane<R>(threadIdx.x % 32, s);
                x[0][s] = i < count ? row[tile * TILE + i] : e.neutral_raw();
            }
            usw_lanes_add(e, x, lane);
        }
    } else {
        usw_lanes_of_range(e, row + tile * TILE, left < TILE ? static_cast<unsigned>(left) : +TILE,
                           lane);
    }
    return usw_lanes_combine<R>(e, lane);
}

/* A row's result by its carry. */
template <typename E>
__device__ __forceinline__ void store_float(const E &e, const usw_row_carry<double> &carry,
                                            uint64_t row, uint64_t *results)
{
    results[row] = usw_f64_number::narrow(carry.carry(e));
}

template <typename E>
__global__ void __launch_bounds__(tuning::threads)
    sum_short(usw_row_list rows, const typename E::Raw *data, uint64_t *results, E e)
{
    each_short_row(rows, [&](size_t r, size_t at, size_t n) {
        usw_row_carry<double> carry;
        carry.start(e);
        const double sum = sum_of_tile(e, data + at, n, 0);
        if (n > 0) {
            carry.add(e, sum);
        }
        if (threadIdx.x % 32 == 0) {
            store_float(e, carry, r, results);
        }
    });
}

template <typename E>
__global__ void __launch_bounds__(tuning::threads)
    sum_long(usw_row_list rows, const typename E::Raw *data, uint64_t *results, E e)
{
    USW_SHARED_ARRAY(double, sums, [WARPS]);
    each_long_row(rows, [&](size_t r, size_t at, size_t n) {
        const uint64_t tiles = (n + TILE - 1) / TILE;
        usw_row_carry<double> carry;
        carry.start(e);
        for (uint64_t first = 0; first < tiles; first += WARPS) {
            const uint64_t tile = first + threadIdx.x / 32;
            if (tile < tiles) {
                const double sum = sum_of_tile(e, data + at, n, tile);
                if (threadIdx.x % 32 == 0) {
                    sums[threadIdx.x / 32] = sum;
                }
            }
            __syncthreads();
            if (threadIdx.x == 0) {
                for (unsigned w = 0; w < WARPS && first + w < tiles; w++) {
                    carry.add(e, sums[w]);
                }
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            store_float(e, carry, r, results);
        }
    });
}

/* ---- launches ---- */

unsigned grid_of(const usw_gpu *g, uint64_t blocks)
{
    const uint64_t most = uint64_t(g->sms) * (2048 / tuning::threads);
    return static_cast<unsigned>(blocks == 0 ? 1 : blocks < most ? blocks : most);
}

/* Queues `few` for rows of up to warp_row elements and `many` for longer ones, where there may be
 * such: functions of the rows and of the blocks. */
template <typename A, typename B>
upsweep_status by_length(usw_gpu *g, const usw_gpu_row_set *r, A few, B many)
{
    usw_row_list rows;
    const bool fixed = r->begin == nullptr;
    const size_t longest = fixed ? r->row_length : r->n;
    if (!usw_rows_take(g, r->begin, r->rows, r->row_length, r->n, tuning::warp_row + 1, &rows)) {
        return g->status;
    }
    upsweep_status status = UPSWEEP_OK;
    if (!fixed || longest <= tuning::warp_row) {
        status = few(rows, grid_of(g, (r->rows + WARPS - 1) / WARPS));
    }
    return status == UPSWEEP_OK && longest > tuning::warp_row ? many(rows, grid_of(g, r->rows))
                                                              : status;
}

template <typename F> upsweep_status fold_with(usw_gpu *g, const usw_gpu_row_set *r, const F &f)
{
    typedef typename F::Raw R;
    const R *data = static_cast<const R *>(r->data);
    return by_length(
        g, r,
        [&](const usw_row_list &rows, unsigned blocks) {
            return USW_LAUNCH(g, fold_short<F>, blocks, tuning::threads, 0, rows, data, f);
        },
        [&](const usw_row_list &rows, unsigned blocks) {
            return USW_LAUNCH(g, fold_long<F>, blocks, tuning::threads, 0, rows, data, f);
        });
}

template <typename E>
upsweep_status sum_with(usw_gpu *g, const usw_gpu_row_set *r, uint64_t *results, const E &e)
{
    typedef typename E::Raw R;
    const R *data = static_cast<const R *>(r->data);
    return by_length(
        g, r,
        [&](const usw_row_list &rows, unsigned blocks) {
            return USW_LAUNCH(g, sum_short<E>, blocks, tuning::threads, 0, rows, data, results, e);
        },
        [&](const usw_row_list &rows, unsigned blocks) {
            return USW_LAUNCH(g, sum_long<E>, blocks, tuning::threads, 0, rows, data, results, e);
        });
}

template <typename K, int op>
upsweep_status integers(usw_gpu *g, const usw_gpu_row_set *r, upsweep_type type, void *results)
{
    const K flip = usw_type_is_signed(type) ? static_cast<K>(K(1) << (8 * sizeof(K) - 1)) : K(0);
    return fold_with(g, r, usw_row_integers<K, op>{results, flip});
}

upsweep_status reduce(usw_gpu *g, const usw_gpu_row_set *r, upsweep_type type, upsweep_op op,
                      void *results)
{
    if (usw_type_is_float(type) && op <= UPSWEEP_PRODUCT) {
        const auto with = [&](const auto &e) {
            return sum_with(g, r, static_cast<uint64_t *>(results), e);
        };
        return op == UPSWEEP_PRODUCT ? usw_gpu_float_elements<true>(type, with)
                                     : usw_gpu_float_elements<false>(type, with);
    }
    return usw_gpu_by_width(usw_gpu_width_of(type), [&](auto key) {
        typedef decltype(key) K;
        if (op == UPSWEEP_LEAST || op == UPSWEEP_GREATEST) {
            const usw_keymap map =
                usw_keymap_of(type, op == UPSWEEP_GREATEST ? UPSWEEP_DESCENDING : 0);
            return fold_with(g, r,
                             usw_row_least<K>{static_cast<K *>(results), usw_gpu_keymap_of<K>(map),
                                              static_cast<K>(r->identity)});
        }
        return op == UPSWEEP_SUM       ? integers<K, UPSWEEP_SUM>(g, r, type, results)
               : op == UPSWEEP_PRODUCT ? integers<K, UPSWEEP_PRODUCT>(g, r, type, results)
               : op == UPSWEEP_AND     ? integers<K, UPSWEEP_AND>(g, r, type, results)
               : op == UPSWEEP_OR      ? integers<K, UPSWEEP_OR>(g, r, type, results)
                                       : integers<K, UPSWEEP_XOR>(g, r, type, results);
    });
}

upsweep_status place(usw_gpu *g, const usw_gpu_row_set *r, const usw_keymap *map, uint64_t last,
                     void *index, size_t index_bytes)
{
    const unsigned width = map->bits == 8 ? 0 : map->bits == 16 ? 1 : map->bits == 32 ? 2 : 3;
    return usw_gpu_by_width(width, [&](auto key) {
        typedef decltype(key) K;
        return fold_with(g, r,
                         usw_row_place<K>{index, static_cast<unsigned>(index_bytes),
                                          usw_gpu_keymap_of<K>(*map), last});
    });
}

/* ---- scans ---- */

template <typename E> struct scan_shared {
    usw_scan_shared<E, false> tile;
    typename E::Acc carry;
};

/* One tile of a row, from its carry; returns the tile's total to thread 0. */
template <typename E>
__device__ __forceinline__ typename E::Acc
scan_tile(const E &e, scan_shared<E> &s, const typename E::Raw *in, typename E::Raw *out,
          unsigned count, bool exclusive, bool first)
{
    typedef typename E::Acc A;
    A before[USW_SWEEP_MINE], total = e.neutral();
    bool head = false;
    usw_tile_in<USW_SWEEP_THREADS>(e, s.tile.x, in, count,
                                   reinterpret_cast<uintptr_t>(in) % 16 == 0);
    __syncthreads();
    usw_sweep_up<false>(e, s.tile, threadIdx.x / 32, before);
    __syncthreads();
    if (threadIdx.x < 32) {
        total = usw_sweep_tops<false>(e, s.tile, &head);
    }
    __syncthreads();
    usw_sweep_down<false>(e, s.tile, threadIdx.x / 32, s.carry, before, exclusive, first);
    __syncthreads();
    usw_tile_out<E, USW_SWEEP_THREADS>(s.tile.x, out, count,
                                       reinterpret_cast<uintptr_t>(out) % 16 == 0);
    return total;
}

template <typename E>
__global__ void __launch_bounds__(USW_SWEEP_THREADS)
    scan_rows(usw_row_list rows, const typename E::Raw *in, typename E::Raw *out, bool exclusive,
              E e)
{
    constexpr unsigned tile = usw_sweep_shape<E>::tile;
    USW_SHARED(scan_shared<E>, s);
    if (rows.bad()) {
        return;
    }
    for (size_t r = blockIdx.x; r < rows.rows; r += gridDim.x) {
        size_t n, at = rows.row(r, n);
        usw_row_carry<typename E::Acc> carry;
        carry.start(e);
        for (uint64_t i = 0; i < n; i += tile) {
            if (threadIdx.x == 0) {
                s.carry = carry.carry(e);
            }
            const typename E::Acc total =
                scan_tile(e, s, in + at + i, out + at + i,
                          n - i < tile ? static_cast<unsigned>(n - i) : tile, exclusive, i == 0);
            if (threadIdx.x == 0) {
                carry.add(e, total);
            }
            __syncthreads();
        }
    }
}

upsweep_status scan(usw_gpu *g, const usw_gpu_row_set *r, const usw_scan *s)
{
    usw_row_list rows;
    if (!usw_rows_take(g, r->begin, r->rows, r->row_length, r->n, SIZE_MAX, &rows)) {
        return g->status;
    }
    return usw_gpu_elements(s->type, s->op, s->identity, [&](const auto &e) {
        typedef typename std::decay<decltype(e)>::type E;
        typedef typename E::Raw R;
        const uint64_t most = uint64_t(g->sms) * 12;
        return USW_LAUNCH(g, scan_rows<E>, static_cast<unsigned>(r->rows < most ? r->rows : most),
                          +USW_SWEEP_THREADS, 0, rows, static_cast<const R *>(r->data),
                          static_cast<R *>(s->out), s->exclusive, e);
    });
}

} // namespace

USW_GPU_FORM(usw_gpu_fold_rows_step, usw_fold_rows_cuda) = {reduce, place, scan};
